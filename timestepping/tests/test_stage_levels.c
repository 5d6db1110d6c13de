/* test_stage_levels.c - steps whose systems are solved by multigrid on lower degrees: the results of factors. */
#include "../step_impl.h"
#include <check.h>

static PetscErrorCode create(const char spec[], const char internal[], const char residual[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space, inner;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 4}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  if (internal) {
    PetscCall(RungSpaceCreate(mesh, internal, &inner));
    PetscCall(RungSystemAddUnknown(*sys, "s", "q", inner));
    PetscCall(RungSpaceDestroy(&inner));
  }
  PetscCall(RungSystemSetConstant(*sys, "kappa", 0.3));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)*x[1]"));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]*(1 - x[0]^2/3)"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another conductivity from t = 0.1 on: levels have to follow. */
static PetscErrorCode change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)step, (void)u;
  if (t > 0.1) PetscCall(RungSystemSetConstant((RungSystem)ctx, "kappa", 30));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u at the end of eight steps */
static PetscErrorCode run(RungSystem sys, const char type[], const char *const options[], RungStepperStatistics *s,
                          Vec *u)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  for (PetscInt i = 0; options[i]; i += 2) PetscCall(PetscOptionsSetValue(NULL, options[i], options[i + 1]));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.2, 0.025));
  PetscCall(RungStepperAddMonitor(stepper, change, sys));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], u));
  PetscCall(VecCopy(state->u[0], *u));
  PetscCall(RungStepperDestroy(&stepper));
  for (PetscInt i = 0; options[i]; i += 2) PetscCall(PetscOptionsClearValue(NULL, options[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most: linear iterations of a Newton iteration */
static PetscErrorCode compare(const char spec[], const char internal[], const char residual[], const char type[],
                              const char matrix[], PetscInt most)
{
  const char           *levels[]  = {"-pc_type", "mg", "-system_mat_type", matrix, NULL};
  const char           *factors[] = {NULL};
  RungStepperStatistics s[2];
  RungSystem            sys[2];
  PetscReal             norm, size;
  Vec                   u[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(create(spec, internal, residual, &sys[i]));
    PetscCall(run(sys[i], type, i ? levels : factors, &s[i], &u[i]));
  }
  PetscCall(VecNorm(u[0], NORM_2, &size));
  PetscCall(VecAXPY(u[1], -1, u[0]));
  PetscCall(VecNorm(u[1], NORM_2, &norm));
  CHECK(size > 1e-3 && norm <= 1e-7 * size);
  CHECK(s[1].newton <= s[0].newton + 2 && s[1].failed == 0);
  if (s[1].linear > most * s[1].newton)
    printf("%s: %d iterations of %d\n", residual, (int)s[1].linear, (int)s[1].newton);
  CHECK(s[1].linear <= most * s[1].newton);
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDestroy(&u[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEAT      "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx - v*dx"
#define NONLINEAR "dt(u + u^3)*v*dx + kappa*(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx"
#define INNER     "dt(u)*v*dx + inner(kappa*grad(u) - s, grad(v))*dx + inner(dt(s) + 2*s - kappa/4*grad(u), q)*dx"

static PetscErrorCode test_multigrid_solves_what_factors_solve(void)
{
  PetscCall(compare("P4", NULL, HEAT, "bdf", "shell", 14));
  PetscCall(compare("P2", NULL, HEAT, "dirk", "aij", 14));
  PetscCall(compare("P2", NULL, NONLINEAR, "bdf", "shell", 14));
  PetscCall(compare("P2", "Quad(2)^d", INNER, "bdf", "aij", 14));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_multigrid_solves_what_factors_solve))
