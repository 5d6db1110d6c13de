/* test_restart_matrix.c - what the bits of a continued run hang on, each with each: the method, a linear system or not, kept
   blocks or not, matrices or none, fixed steps that do not fit the interval or adaptive ones that are cut. */
#include "check.h"
#include "rungverify.h"

typedef struct {
  const char *type, *method;
  PetscInt    order;
  PetscBool   adaptive; /* it has an estimate */
} Method;

static const Method methods[] = {
  {RUNGDIRK, "trbdf2", 1, PETSC_TRUE},         {RUNGDIRK, "esdirk43", 1, PETSC_TRUE},
  {RUNGDIRK, "midpoint", 1, PETSC_FALSE},      {RUNGDIRK, "euler", 1, PETSC_FALSE},
  {RUNGDIRK, "alexander2", 1, PETSC_FALSE},    {RUNGBDF, "bdf1", 1, PETSC_FALSE},
  {RUNGBDF, "bdf2", 1, PETSC_FALSE},           {RUNGALPHA, "chung_hulbert", 1, PETSC_FALSE},
  {RUNGALPHA, "newmark", 2, PETSC_FALSE},      {RUNGALPHA, "hht", 2, PETSC_FALSE},
  {RUNGALPHA, "chung_hulbert", 2, PETSC_TRUE}, {RUNGDIRK, "esdirk32", 2, PETSC_TRUE}};

/* What is in F: dt(u) or dt(u + u^3), diffusion that is linear or not. */
typedef enum { LINEAR, NONLINEAR, CONSERVED, KINDS } Kind;

typedef struct {
  const Method *method;
  Kind          kind;
  const char   *mat;  /* "aij", "shell"                                    */
  PetscBool     keep; /* -system_keep_blocks                               */
  PetscBool     cut;  /* adaptive with outputs on the way; else fixed steps with a rest */
} Way;

/* Of u, which may be nonlinear; w is linear, so that three of the four blocks are constant. */
static const char *residual_of(const Way *way)
{
  if (way->kind == CONSERVED) return "dt(u + u^3)*v*dx + 0.3*inner(grad(u), grad(v))*dx";
  if (way->method->order == 2)
    return way->kind == LINEAR ? "dt(u, 2)*v*dx + 0.1*dt(u)*v*dx + 0.3*inner(grad(u), grad(v))*dx"
                               : "dt(u, 2)*v*dx + 0.1*dt(u)*v*dx + 0.3*(1 + u^2)*inner(grad(u), grad(v))*dx";
  return way->kind == LINEAR ? "dt(u)*v*dx + 0.3*inner(grad(u), grad(v))*dx"
                             : "dt(u)*v*dx + 0.3*(1 + u^2)*inner(grad(u), grad(v))*dx";
}

static PetscErrorCode add_second(const Way *way, RungSpace space, RungSystem sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemAddUnknown(sys, "w", "z", space));
  PetscCall(RungSystemAddResidual(sys, way->method->order == 2 ? "dt(w, 2)*z*dx" : "dt(w)*z*dx"));
  PetscCall(RungSystemAddResidual(sys, "0.2*inner(grad(w), grad(z))*dx - u*z*dx + w*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "w", "x[0]*x[1]"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_system(const Way *way, RungSpace space, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(add_second(way, space, *sys));
  PetscCall(RungSystemAddResidual(*sys, residual_of(way)));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(2*t)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(0.2)*(1 - x[0]) + x[0]^2"));
  if (way->method->order == 2) PetscCall(RungSystemSetInitial(*sys, "dt(u)", "2*cos(0.2)*(1 - x[0])"));
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", way->mat));
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", way->keep ? "true" : "false"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(const Way *way, const char load[], RungStepper stepper, Vec *u)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, way->method->type));
  PetscCall(RungStepperSetMethod(stepper, way->method->method));
  PetscCall(RungStepperSetInterval(stepper, 0.1, 0.27, 0.04)); /* four steps and a rest */
  if (way->cut) {
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
    PetscCall(RungStepperAddOutput(stepper, "cut.pvd", 0.07));
  }
  PetscCall(RungStepperSetCheckpoint(stepper, "cut_{step}.h5", 3));
  PetscCall(RungStepperSetRestart(stepper, load, PETSC_FALSE));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], u));
  PetscCall(VecCopy(state->u[0], *u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Way *way, RungSpace space, const char load[], Vec *u)
{
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create_system(way, space, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungSystemDestroy(&sys));
  RungCallFinally(solve(way, load, stepper, u), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const Way *way, RungSpace space)
{
  PetscBool same;
  Vec       a, b;

  PetscFunctionBegin;
  PetscCall(run(way, space, NULL, &a));
  PetscCall(run(way, space, "cut_3.h5", &b));
  PetscCall(VecEqual(a, b, &same));
  if (!same) {
    PetscReal norm;

    PetscCall(VecAXPY(b, -1, a));
    PetscCall(VecNorm(b, NORM_INFINITY, &norm));
    fprintf(stderr, "%s, kind %d, %s, keep %d, cut %d: %.3g\n", way->method->method, (int)way->kind, way->mat,
            (int)way->keep, (int)way->cut, (double)norm);
  }
  CHECK(same);
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the way exist?  Blocks are kept of matrices (of linear systems always), and conserved terms are of order 1. */
static PetscBool exists(const Way *way)
{
  if (way->cut && !way->method->adaptive) return PETSC_FALSE;
  if (way->kind == CONSERVED && (way->method->order == 2 || !strcmp(way->method->type, RUNGALPHA))) return PETSC_FALSE;
  if (way->keep && (way->kind == LINEAR || !strcmp(way->mat, "shell"))) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* On several ranks every ninth one, others for each method. */
static PetscErrorCode visit_all(RungSpace space)
{
  static const char *const mat[] = {"aij", "shell"};
  PetscMPIInt              ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(methods); ++m) {
    for (int i = 0; i < KINDS * 8; ++i) {
      const Way way = {.method = &methods[m],
                       .kind   = (Kind)(i / 8),
                       .mat    = mat[i & 1],
                       .keep   = i & 2 ? PETSC_TRUE : PETSC_FALSE,
                       .cut    = i & 4 ? PETSC_TRUE : PETSC_FALSE};

      if (exists(&way) && (ranks == 1 || (i + (int)m) % 9 == 0)) PetscCall(compare(&way, space));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solvers that give the same bits twice, which MUMPS on several ranks does not; the interpreter: nothing is compiled. */
static PetscErrorCode test_all_ways_go_on_bit_for_bit(void)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-form_backend interpreter -ksp_type gmres -pc_type jacobi -ksp_rtol 1e-11 "
                                           "-mass_ksp_type gmres -mass_pc_type jacobi -mass_ksp_rtol 1e-11"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){2, 2}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungMeshDestroy(&mesh));
  RungCallFinally(visit_all(space), PetscCall(RungSpaceDestroy(&space)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_all_ways_go_on_bit_for_bit))
