/* test_levels.c - multigrid on lower degrees: iterations that neither mesh nor degree nor ranks change; what has no levels. */
#include "check.h"
#include "form_problems.h"
#include "levels_impl.h"
#include "vectors.h"

static PetscErrorCode set_options(PetscBool set, const char *const option[])
{
  PetscFunctionBegin;
  for (int i = 0; option[i]; i += 2) {
    if (set)
      PetscCall(PetscOptionsSetValue(NULL, option[i], option[i + 1]));
    else
      PetscCall(PetscOptionsClearValue(NULL, option[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const shell[]     = {"-pc_type", "mg", "-system_mat_type", "shell", NULL};
static const char *const assembled[] = {"-pc_type", "mg", NULL};
static const char *const nothing[]   = {NULL};
static const char *const gathered[]  = {"-pc_type", "mg", "-system_levels_rank", "5000", NULL};

/* A system whose J is filled at (1, sigma), and its solver with the options. */
typedef struct {
  RungSystem sys;
  KSP        ksp;
  Mat        J;
  Vec        u[2], x, b;
} Setting;

static PetscErrorCode fill(Setting *s, PetscReal sigma)
{
  const PetscReal slope[2][4] = {{1, sigma}, {1, 1, sigma, sigma}};

  PetscFunctionBegin;
  PetscCall(RungSystemStageJacobian(s->sys, 0, s->u, slope[s->sys->traits.unknowns - 1], s->J));
  PetscCall(KSPSetOperators(s->ksp, s->J, s->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(RungSystem sys, const char *const option[], PetscReal sigma, Setting *s)
{
  PetscFunctionBegin;
  PetscCall(set_options(PETSC_TRUE, option));
  s->sys = sys;
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(vecs_create(sys, 2, s->u));
  PetscCall(RungSystemInitial(sys, 0, 0, s->u[0]));
  PetscCall(VecZeroEntries(s->u[1]));
  PetscCall(VecDuplicate(s->u[0], &s->x));
  PetscCall(VecDuplicate(s->u[0], &s->b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, s->ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetTolerances(s->ksp, 1e-8, 0, PETSC_DEFAULT, 100));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(RungSystemCheckSolver(sys, s->ksp));
  PetscCall(RungSystemCreateMat(sys, &s->J));
  PetscCall(fill(s, sigma));
  PetscCall(set_options(PETSC_FALSE, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slaves follow after the solve, whatever their rows say. */
static PetscErrorCode zero_slaves(RungSystem sys, Vec r)
{
  PetscBool   *mark;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sys->local + 1, &mark));
  RungConstraintsMark(sys, mark);
  PetscCall(VecGetArray(r, &x));
  for (PetscInt i = 0; i < sys->local; ++i) x[i] *= mark[i] ? 0 : 1;
  PetscCall(VecRestoreArray(r, &x));
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* its: of a solve to 1e-8, which has to be one */
static PetscErrorCode solve(Setting *s, PetscInt *its)
{
  MatNullSpace null;
  PetscReal    norm[2];
  Vec          r;

  PetscFunctionBegin;
  PetscCall(vec_fill(s->b, 4));
  PetscCall(MatGetNullSpace(s->J, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, s->b));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetIterationNumber(s->ksp, its));
  PetscCall(VecDuplicate(s->b, &r));
  PetscCall(MatMult(s->J, s->x, r));
  PetscCall(VecAXPY(r, -1, s->b));
  PetscCall(zero_slaves(s->sys, r));
  PetscCall(VecNorm(r, NORM_2, &norm[0]));
  PetscCall(VecNorm(s->b, NORM_2, &norm[1]));
  CHECK(norm[0] <= 1e-7 * norm[1]);
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Setting *s)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(MatDestroy(&s->J));
  PetscCall(vecs_destroy(2, s->u));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->b));
  PetscCall(RungSystemDestroy(&s->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEAT      "dt(u)*v*dx + inner(grad(u), grad(v))*dx"
#define ELASTIC   "inner(dt(u), v)*dx + (inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx"
#define RUBBER    "inner(dt(u), v)*dx + inner(sym(grad(u)), sym(grad(v)))*dx + 100*div(u)*div(v)*dx"
#define NONLINEAR "dt(u + u^3)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx"

static PetscErrorCode create(const char cell[], PetscInt dim, PetscInt n, const char spec[], const char residual[],
                             RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  PetscCall(system_create(cell, dim, n, spec, sys));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations at sigma = 0 and 15 are at most `most`, on both sizes; on several ranks on the larger one. */
static PetscErrorCode check_sizes(const char cell[], PetscInt dim, const PetscInt n[2], const char spec[],
                                  const char residual[], const char *const option[], PetscInt most)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int i = size > 1 ? 1 : 0; i < 2; ++i) {
    RungSystem sys;
    Setting    s;
    PetscInt   its;

    PetscCall(create(cell, dim, n[i], spec, residual, &sys));
    PetscCall(begin(sys, option, 0, &s));
    for (int k = 0; k < 2; ++k) {
      if (k) PetscCall(fill(&s, 15));
      PetscCall(solve(&s, &its));
      if (its > most) printf("%s %s n = %d: %d iterations\n", spec, residual, (int)n[i], (int)its);
      CHECK(its <= most && its >= most - 5);
    }
    PetscCall(end(&s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_iterations_do_not_grow(void)
{
  PetscCall(check_sizes("interval", 1, (PetscInt[]){10, 40}, "P4", HEAT, shell, 9));
  PetscCall(check_sizes("triangle", 2, (PetscInt[]){6, 12}, "P2", HEAT, shell, 9));
  PetscCall(check_sizes("hexahedron", 3, (PetscInt[]){3, 6}, "Q2", HEAT, assembled, 9));
  if (!check_alone()) return PETSC_SUCCESS; /* of each dimension one, of assembled matrices and shells */
  PetscCall(check_sizes("quadrilateral", 2, (PetscInt[]){4, 8}, "Q8", HEAT, shell, 9));
  PetscCall(check_sizes("tetrahedron", 3, (PetscInt[]){3, 6}, "P2", HEAT, shell, 9));
  PetscCall(check_sizes("hexahedron", 3, (PetscInt[]){2, 4}, "Q4", HEAT, shell, 9));
  PetscCall(check_sizes("hexahedron", 3, (PetscInt[]){2, 4}, "Q2^d", ELASTIC, shell, 14));
  PetscCall(check_sizes("tetrahedron", 3, (PetscInt[]){2, 4}, "P2^d", ELASTIC, assembled, 17));
  return PETSC_SUCCESS;
}

/* Iterations on the entries that are not given, of the form times 1, 2^60, 2^-60. */
static PetscErrorCode check_units(const char spec[], const char pc[], const char residual[])
{
  const char *const option[] = {"-pc_type", "mg", "-system_mat_type", "shell", pc ? "-mg_coarse_pc_type" : NULL,
                                pc,         NULL};
  PetscInt          its[3];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    RungSystem sys;
    Setting    s;

    PetscCall(system_create("hexahedron", 3, 4, spec, &sys));
    PetscCall(RungSystemSetConstant(sys, "mu", PetscPowRealInt(2, k == 1 ? 60 : k ? -60 : 0)));
    PetscCall(RungSystemAddResidual(sys, residual));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(begin(sys, option, 15, &s));
    PetscCall(set_options(PETSC_TRUE, option));
    PetscCall(vec_fill(s.b, 4));
    PetscCall(RungSystemZeroDirichlet(sys, s.b));
    PetscCall(KSPSolve(s.ksp, s.b, s.x));
    PetscCall(set_options(PETSC_FALSE, option));
    PetscCall(KSPGetIterationNumber(s.ksp, &its[k]));
    PetscCall(end(&s));
  }
  if (its[1] != its[0] || its[2] != its[0])
    printf("%s, %s: %d, %d, %d\n", spec, pc ? pc : "default", (int)its[0], (int)its[1], (int)its[2]);
  CHECK(its[0] <= 18 && its[1] == its[0] && its[2] == its[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of given values have 1 on the diagonal whatever the others have. */
static PetscErrorCode test_units_beside_given_values_decide_about_nothing(void)
{
  if (check_alone()) PetscCall(check_units("Q4", NULL, "mu*dt(u)*v*dx + mu*inner(grad(u), grad(v))*dx"));
  PetscCall(check_units("Q2", PCGAMG, "mu*dt(u)*v*dx + mu*inner(grad(u), grad(v))*dx"));
  if (!check_alone()) return PETSC_SUCCESS;
  PetscCall(check_units("Q2^d", PCGAMG,
                        "mu*inner(dt(u), v)*dx + mu*inner(sym(grad(u)), sym(grad(v)))*dx + 1.5*mu*div(u)*div(v)*dx"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_failure_without_entries_stays_one(void)
{
  static const char *const option[] = {"-system_mat_type", "shell", NULL};
  KSPConvergedReason       reason;
  RungSystem               sys;
  Setting                  s;

  PetscCall(create("quadrilateral", 2, 4, "Q2", HEAT, &sys));
  PetscCall(begin(sys, option, 15, &s));
  PetscCall(KSPSetTolerances(s.ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
  PetscCall(vec_fill(s.b, 4));
  PetscCall(KSPSolve(s.ksp, s.b, s.x)); /* no multigrid that wants entries follows */
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  CHECK(reason == KSP_DIVERGED_ITS);
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

/* Conserved terms, constraints, several unknowns, numbers, internal variables: each converges, with the state of now. */
static PetscErrorCode check_system(RungSystem sys, const char *const option[], PetscInt most)
{
  Setting  s;
  PetscInt its;

  PetscFunctionBegin;
  PetscCall(begin(sys, option, 15, &s));
  PetscCall(solve(&s, &its));
  if (its > most) printf("%d iterations, %d wanted\n", (int)its, (int)most);
  CHECK(its <= most);
  PetscCall(end(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonlinear_systems_have_levels_at_their_state(void)
{
  RungLevels *levels;
  RungSystem  sys;
  Setting     s;
  PetscInt    its[2];

  PetscCall(create("triangle", 2, 6, "P4", NONLINEAR, &sys));
  PetscCall(RungSystemSetInitial(sys, "u", "sin(3*x[0])*cos(4*x[1])"));
  PetscCall(begin(sys, shell, 0.1, &s));
  PetscCall(solve(&s, &its[0]));
  PetscCall(VecScale(s.u[0], 1.05)); /* the levels stay */
  PetscCall(fill(&s, 0.1));
  PetscCall(solve(&s, &its[1]));
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
  CHECK(its[1] <= its[0] + 1 && levels->sys[0]->counts.jacobians == 1 && levels->sys[1]->counts.jacobians == 1);
  PetscCall(VecScale(s.u[0], 40)); /* (1 + u^2) is another function */
  PetscCall(fill(&s, 0.1));
  PetscCall(solve(&s, &its[1]));
  CHECK(levels->sys[0]->counts.jacobians == 2);
  if (its[0] > 11 || its[1] > 20) printf("%d, %d iterations\n", (int)its[0], (int)its[1]);
  CHECK(its[0] <= 11 && its[1] <= 20);
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_constrained_systems_have_levels(void)
{
  RungSystem sys;

  PetscCall(create("triangle", 2, 6, "P2", NONLINEAR, &sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  PetscCall(check_system(sys, shell, 10));
  PetscCall(create("quadrilateral", 2, 6, "Q2^d", ELASTIC, &sys));
  PetscCall(RungSystemSetSlip(sys, "u", "top", NULL));
  PetscCall(check_system(sys, assembled, 14));
  PetscCall(create("quadrilateral", 2, 6, "Q2", HEAT, &sys));
  PetscCall(RungSystemTie(sys, "u", "right", NULL, NULL));
  PetscCall(check_system(sys, shell, 10));
  PetscCall(system_create("triangle", 2, 6, "P2", &sys)); /* singular: what is left of it is solved */
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx"));
  PetscCall(check_system(sys, assembled, 12));
  return PETSC_SUCCESS;
}

static PetscErrorCode count_iteration(KSP ksp, PetscInt it, PetscReal norm, void *count)
{
  PetscFunctionBegin;
  (void)ksp;
  (void)norm;
  *(PetscInt *)count += it ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many iterations the bounds of the finest smoother take from now on. */
static PetscErrorCode count_estimates(Setting *s, PetscInt n, PetscInt *count)
{
  KSP finest, estimate;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCMGGetSmoother(pc, n - 1, &finest));
  PetscCall(KSPChebyshevEstEigGetKSP(finest, &estimate));
  PetscCall(KSPMonitorSet(estimate, count_iteration, count, NULL));
  *count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_stay_and_operators_are_renewed(void)
{
  const PetscReal sigma[] = {1, 1e4, 1e-3};
  RungLevels     *levels[2];
  RungSystem      sys;
  Setting         s;
  PetscInt        its, estimates;

  PetscCall(create("quadrilateral", 2, 8, "Q4", HEAT, &sys));
  PetscCall(begin(sys, shell, 1, &s));
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels[0]));
  CHECK(levels[0]->n == 3 && levels[0]->sys[2] == sys && !levels[0]->down[1]);
  PetscCall(count_estimates(&s, levels[0]->n, &estimates));
  for (int i = 0; i < 3; ++i) {
    PetscCall(fill(&s, sigma[i]));
    PetscCall(solve(&s, &its));
    CHECK(its <= 10 && levels[0]->sys[0]->counts.jacobians == i + 1);
  }
  PetscCall(solve(&s, &its)); /* the same matrix */
  CHECK(levels[0]->sys[0]->counts.jacobians == 3);
  CHECK(estimates == 3 * 4);    /* LANCZOS of levels_pc.c, for each */
  for (int i = 0; i < 3; ++i) { /* a change by a fifth at most renews the finest smoother's diagonal alone */
    const PetscReal change[] = {0.9e-3, 1.15e-3, 3};

    estimates = 0;
    PetscCall(fill(&s, change[i]));
    PetscCall(solve(&s, &its));
    CHECK(its <= 10 && levels[0]->sys[0]->counts.jacobians == (i < 2 ? 3 : 4));
    CHECK(levels[0]->sys[1]->counts.jacobians == (i < 2 ? 3 : 4));
    CHECK(i < 2 ? estimates == 0 : estimates == 4);
  }
  estimates = 0;
  PetscCall(KSPReset(s.ksp)); /* after a solve that failed */
  PetscCall(fill(&s, 3));
  PetscCall(solve(&s, &its));
  CHECK(its <= 10 && estimates == 4);
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels[1]));
  CHECK(levels[1] == levels[0]);
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_options_of_multigrid_are_heard(void)
{
  static const char *const named[]   = {"-pc_type",
                                        "mg",
                                        "-system_levels",
                                        "1",
                                        "-mg_levels_ksp_max_it",
                                        "3",
                                        "-mg_coarse_pc_type",
                                        "jacobi",
                                        "-mg_levels_ksp_type",
                                        "richardson",
                                        "-pc_mg_cycle_type",
                                        "w",
                                        NULL};
  static const char *const levels[]  = {"-pc_type", "mg", "-pc_mg_levels", "4", NULL};
  static const char *const product[] = {"-pc_type", "mg", "-pc_mg_galerkin", "both", NULL};
  static const char *const order[]   = {"-pc_type", "mg", "-system_levels", "1,2", NULL};
  const char *const *const wrong[]   = {levels, product, order};
  static const char *const why[]     = {"-pc_mg_levels 4, but the system has 3 levels", "wants transfers with entries",
                                        "descend from below"};
  RungSystem               sys;
  Setting                  s;
  KSP                      level;
  KSPType                  type;
  PCType                   coarse;
  PC                       pc;
  PetscInt                 n, most;

  PetscCall(create("quadrilateral", 2, 4, "Q4", HEAT, &sys));
  PetscCall(begin(sys, named, 1, &s));
  PetscCall(set_options(PETSC_TRUE, named));
  PetscCall(KSPSetUp(s.ksp)); /* PCMG reads those of its levels */
  PetscCall(set_options(PETSC_FALSE, named));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCMGGetLevels(pc, &n));
  PetscCall(PCMGGetSmoother(pc, 1, &level));
  PetscCall(KSPGetType(level, &type));
  PetscCall(KSPGetTolerances(level, NULL, NULL, NULL, &most));
  CHECK(n == 2 && most == 3 && !strcmp(type, KSPRICHARDSON));
  PetscCall(PCMGGetCoarseSolve(pc, &level));
  PetscCall(KSPGetPC(level, &pc));
  PetscCall(PCGetType(pc, &coarse));
  CHECK(!strcmp(coarse, PCJACOBI));
  PetscCall(end(&s));
  for (int i = 0; i < 3; ++i) {
    PetscCall(create("quadrilateral", 2, 4, "Q4", HEAT, &sys));
    PetscCall(set_options(PETSC_TRUE, wrong[i]));
    PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
    if (i == 2)
      CHECK_RAISES(RungSystemSetSolverDefaults(sys, s.ksp, RUNG_SOLVE_ONCE), why[i]);
    else {
      PetscCall(RungSystemSetSolverDefaults(sys, s.ksp, RUNG_SOLVE_ONCE));
      PetscCall(KSPSetFromOptions(s.ksp));
      CHECK_RAISES(RungSystemCheckSolver(sys, s.ksp), why[i]);
    }
    PetscCall(set_options(PETSC_FALSE, wrong[i]));
    PetscCall(KSPDestroy(&s.ksp));
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode check_refused(RungSystem sys, const char *const option[], const char why[])
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(set_options(PETSC_TRUE, option));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  CHECK_RAISES(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE), why);
  PetscCall(set_options(PETSC_FALSE, option));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add(RungSystem sys, const char spec[])
{
  const RungSpaceData *data;
  RungSpace            space;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSpaceCreate(data->mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, "w", "z", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_several_unknowns_have_levels(void)
{
  RungSystem sys;

  PetscCall(
    create("triangle", 2, 6, "P2", NONLINEAR " + dt(w)*z*dx + inner(grad(w), grad(z))*dx + w*v*dx - u*z*dx", &sys));
  PetscCall(add(sys, "P2"));
  PetscCall(check_system(sys, shell, 12));
  PetscCall(create("quadrilateral", 2, 6, "Q4", HEAT " + (dt(w) + w)*z*dR - w*v*ds(top) + u*z*ds(top)", &sys));
  PetscCall(add(sys, "R"));
  PetscCall(check_system(sys, assembled, 14));
  return PETSC_SUCCESS;
}

#define FLOW  "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx - w*div(v)*dx + div(u)*z*dx"
#define INNER "dt(u)*v*dx + inner(grad(u) - w, grad(v))*dx + inner(dt(w) + 2*w - grad(u), z)*dx"

static PetscErrorCode test_what_has_no_levels_is_refused_with_the_reason(void)
{
  RungSystem sys;
  char       why[256];

  PetscCall(create("triangle", 2, 3, "P1", HEAT, &sys));
  PetscCall(RungLevelsExplain(sys, why, sizeof why));
  CHECK(strstr(why, "no unknown has a degree above 1"));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(create("triangle", 2, 3, "P2", HEAT, &sys));
  PetscCall(RungSystemSetBounds(sys, "u", "0", NULL));
  PetscCall(check_refused(sys, assembled, "rows at a bound"));
  PetscCall(create("triangle", 2, 3, "P2", HEAT, &sys));
  PetscCall(RungSystemAddConstraint(sys, 2, (const char *const[]){"u", "u"}, (PetscReal[]){1, 0, 0, 1, 1, 0},
                                    (PetscReal[]){1, -1}, NULL));
  PetscCall(check_refused(sys, assembled, "names nodes by their places"));
  PetscCall(system_create("triangle", 2, 3, "P2^d", &sys));
  PetscCall(add(sys, "P1"));
  PetscCall(RungSystemAddResidual(sys, FLOW));
  PetscCall(check_refused(sys, assembled, "on the diagonal; take -pc_type fieldsplit"));
  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(add(sys, "R"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + w*v*dx + u*z*dx"));
  PetscCall(check_refused(sys, assembled, "on the diagonal; take -pc_type lu"));
  PetscCall(create("triangle", 2, 3, "P2", INNER, &sys));
  PetscCall(add(sys, "Quad(2)^d"));
  PetscCall(check_refused(sys, shell, "\"w\" at the points of a rule stays in the matrix"));
  PetscCall(create("triangle", 2, 3, "P2", INNER, &sys));
  PetscCall(add(sys, "Quad(2)^d"));
  PetscCall(RungSystemAddResidual(sys, "inner(w, w)*inner(w, z)*dx"));
  PetscCall(check_refused(sys, assembled, "not for those of a coarser level"));
  return PETSC_SUCCESS;
}

/* By default there is no matrix; one is made where no more than factors help. */
static PetscErrorCode test_what_iterations_without_entries_fail_at_is_factored(void)
{
  const PetscReal slope[2] = {1, 0};
  PetscInt        its;
  PetscBool       bare;
  RungSystem      sys;
  Setting         s;

  PetscCall(create("hexahedron", 3, 5, "Q2^d", RUBBER, &sys));
  PetscCall(begin(sys, nothing, 0, &s));
  PetscCall(MatDestroy(&s.J));
  PetscCall(RungSystemCreateKeptMat(sys, s.ksp, &s.J));
  PetscCall(RungIsShell(s.J, &bare));
  CHECK(bare);
  PetscCall(RungSystemSetSolverDefaults(sys, s.ksp, RUNG_SOLVE_KEPT));
  PetscCall(RungSystemStageJacobian(sys, 0, s.u, slope, s.J));
  PetscCall(KSPSetOperators(s.ksp, s.J, s.J));
  PetscCall(KSPSetTolerances(s.ksp, 1e-8, 0, PETSC_DEFAULT, 20));
  for (int again = 0; again < 2; ++again) PetscCall(solve(&s, &its)); /* which looks at the residual */
  CHECK(its <= 2);                                                    /* one of what fails at once, and factors */
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

/* What PetscPrintf() is given. */
static char said[2048];

static PetscErrorCode hear(FILE *file, const char format[], va_list list)
{
  const size_t n = strlen(said);

  (void)file;
  return PetscVSNPrintf(said + n, sizeof said - n, format, NULL, list);
}

/* Iterations of a solve, and in said what was printed meanwhile by rank 0. */
static PetscErrorCode listen(RungSystem sys, const char *const option[], PetscReal sigma, PetscInt *its)
{
  PetscErrorCode (*before)(FILE *, const char *, va_list) = PetscVFPrintf;
  Setting s;

  PetscFunctionBegin;
  said[0]       = 0;
  PetscVFPrintf = hear;
  PetscCall(begin(sys, option, sigma, &s));
  for (int again = 0; again < 2; ++again) PetscCall(solve(&s, its));
  PetscVFPrintf = before;
  PetscCall(end(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_whoever_asks_for_levels_is_told_where_they_do_little(void)
{
  RungSystem  sys;
  PetscInt    its;
  PetscMPIInt rank;
  const char *first;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create("triangle", 2, 3, "P1", HEAT, &sys));
  PetscCall(listen(sys, assembled, 15, &its));
  CHECK(rank || strstr(said, "no coarser levels: no unknown has a degree above 1"));
  PetscCall(create("quadrilateral", 2, 6, "Q2^d", RUBBER, &sys));
  PetscCall(listen(sys, assembled, 0, &its));
  CHECK(its > 50);
  first = strstr(said, "iterations of a solve");
  CHECK(rank || (first && !strstr(first + 1, "iterations of a solve"))); /* once */
  PetscCall(create("quadrilateral", 2, 6, "Q2", HEAT, &sys));
  PetscCall(listen(sys, assembled, 15, &its));
  CHECK(!said[0]);
  return PETSC_SUCCESS;
}

/* Do fewer ranks than there are solve on the coarsest level? */
static PetscErrorCode few_solve(KSP ksp, PetscBool *few)
{
  KSP coarsest;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &coarsest));
  PetscCall(KSPGetPC(coarsest, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCTELESCOPE, few));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a mesh that was cut twice or once out of one of n cells a side: one coarser mesh is enough, the level on it is small. */
static PetscErrorCode check_meshes(const char cell[], PetscInt n, const char spec[], const char residual[],
                                   const char *const option[], PetscInt cuts, PetscInt most)
{
  const PetscInt dim = strcmp(cell, "quadrilateral") ? 3 : 2;
  RungLevels    *levels;
  RungSystem     sys;
  RungMesh       mesh;
  RungSpace      space;
  Setting        s;
  PetscInt       its[2], found = 0;
  PetscBool      few;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){n, n, n}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetRefinement(mesh, cuts));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetInitial(sys, "u", strchr(spec, '^') ? "0" : "sin(3*x[0])*cos(4*x[1])"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(begin(sys, option, 0.1, &s));
  PetscCall(solve(&s, &its[0]));
  PetscCall(VecScale(s.u[0], 4)); /* of a nonlinear one another operator */
  PetscCall(fill(&s, 0.1));
  PetscCall(solve(&s, &its[1]));
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
  for (PetscInt i = 1; i < levels->n; ++i) found += levels->family[i] ? 1 : 0;
  if (its[0] > most || its[1] > most + 2 || found != 1)
    printf("%s: %d, %d iterations, %d meshes\n", spec, (int)its[0], (int)its[1], (int)found);
  CHECK(its[0] <= most && its[1] <= most + 2 && found == 1);
  PetscCall(few_solve(s.ksp, &few));
  CHECK(few == (option == gathered && !check_alone()));
  PetscCall(end(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degree 1 as well, below lower degrees too; states go down. */
static PetscErrorCode test_coarser_meshes_are_levels(void)
{
  PetscCall(check_meshes("hexahedron", 4, "Q1", HEAT, assembled, 2, 9));
  if (
    !check_alone()) { /* 2197 and 4225 unknowns of the coarser mesh are few for these ranks, 15625 and 16641 are not */
    PetscCall(check_meshes("hexahedron", 12, "Q1", HEAT, gathered, 1, 9));
    PetscCall(check_meshes("quadrilateral", 64, "Q1", HEAT, gathered, 1, 9));
  }
  if (!check_alone()) return PETSC_SUCCESS;
  PetscCall(check_meshes("tetrahedron", 6, "P1", NONLINEAR, assembled, 1, 11));
  PetscCall(check_meshes("hexahedron", 4, "Q2^d", ELASTIC, shell, 1, 15));
  PetscCall(check_meshes("tetrahedron", 6, "P2", NONLINEAR, shell, 1, 12));
  return PETSC_SUCCESS;
}

/* The matrix is there before its solver: what is linear needs no state, what is not is refused. */
static PetscErrorCode test_a_matrix_may_be_older_than_its_solver(void)
{
  for (int nonlinear = 0; nonlinear < 2; ++nonlinear) {
    RungSystem sys;
    RungMesh   mesh;
    RungSpace  space;
    Setting    s;
    PetscInt   its;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){3, 3, 3}, (PetscReal[]){1, 1, 1}));
    PetscCall(RungMeshSetRefinement(mesh, 1));
    PetscCall(RungSpaceCreate(mesh, "Q1", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddResidual(sys, nonlinear ? NONLINEAR : HEAT));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(begin(sys, nothing, 15, &s));
    PetscCall(set_options(PETSC_TRUE, assembled));
    PetscCall(KSPDestroy(&s.ksp));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, s.ksp, RUNG_SOLVE_ONCE));
    PetscCall(KSPSetTolerances(s.ksp, 1e-8, 0, PETSC_DEFAULT, 100));
    PetscCall(KSPSetFromOptions(s.ksp));
    PetscCall(KSPSetOperators(s.ksp, s.J, s.J));
    PetscCall(set_options(PETSC_FALSE, assembled));
    if (nonlinear)
      CHECK_RAISES(KSPSetUp(s.ksp), "filled before its solver was made");
    else {
      PetscCall(solve(&s, &its));
      CHECK(its <= 9);
    }
    PetscCall(end(&s));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_iterations_do_not_grow), RUNG_TEST(test_units_beside_given_values_decide_about_nothing),
               RUNG_TEST(test_a_failure_without_entries_stays_one),
               RUNG_TEST(test_nonlinear_systems_have_levels_at_their_state),
               RUNG_TEST(test_constrained_systems_have_levels), RUNG_TEST(test_levels_stay_and_operators_are_renewed),
               RUNG_TEST(test_several_unknowns_have_levels), RUNG_TEST(test_options_of_multigrid_are_heard),
               RUNG_TEST(test_coarser_meshes_are_levels), RUNG_TEST(test_a_matrix_may_be_older_than_its_solver),
               RUNG_TEST(test_what_has_no_levels_is_refused_with_the_reason),
               RUNG_TEST(test_what_iterations_without_entries_fail_at_is_factored),
               RUNG_TEST(test_whoever_asks_for_levels_is_told_where_they_do_little))
