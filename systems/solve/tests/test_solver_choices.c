/* test_solver_choices.c - the table of choices: each row is reached, what a trial may take, what follows a choice that fails. */
#include "width.h"
#include "check.h"
#include "form_problems.h"
#include "vectors.h"
#include <rungtext_room.h>

/* A scalar heat equation on 10^5 entries of linear tetrahedra, J there, which multigrid is estimated to be best for. */
static RungSolverFacts usual(void)
{
  return (RungSolverFacts){.n         = 100000,
                           .dim       = 3,
                           .degree    = 1,
                           .ranks     = 1,
                           .unknowns  = 1,
                           .ahead     = 100,
                           .row       = 15,
                           .kappa     = 1e4,
                           .measured  = PETSC_TRUE,
                           .kept      = PETSC_TRUE,
                           .definite  = PETSC_TRUE,
                           .stored    = PETSC_TRUE,
                           .rows      = PETSC_TRUE,
                           .hypre     = PETSC_TRUE,
                           .simple    = 2,
                           .multigrid = 1,
                           .factors   = 3,
                           .levels    = 4};
}

/* The rows that these facts meet, with every trial failing, in their order. */
static PetscErrorCode check_rows(const RungSolverFacts *facts, const char wanted[])
{
  const RungSolverRow *row        = NULL;
  char                 found[256] = "";

  PetscFunctionBegin;
  do {
    row = RungSolverFind(facts, row);
    PetscCall(RungTextAppend(found, row->name, sizeof found));
    if (row->most) PetscCall(RungTextAppend(found, " ", sizeof found));
  } while (row++->most);
  CHECK(!strcmp(found, wanted));
  if (strcmp(found, wanted) != 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "found %s, wanted %s\n", found, wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MEET(wanted, ...)                                                                                              \
  do {                                                                                                                 \
    RungSolverFacts f = usual();                                                                                       \
    __VA_ARGS__;                                                                                                       \
    PetscCall(check_rows(&f, wanted));                                                                                 \
  } while (0)

static PetscErrorCode test_each_row_is_met_by_what_it_is_for(void)
{
  PetscFunctionBegin;
  MEET("no_entries", f.stored = PETSC_FALSE);
  MEET("few", f.n = 3000);
  MEET("line", f.n = 20000, f.dim = 2);
  MEET("start", f.n = 20000, f.start = PETSC_TRUE);
  MEET("start", f.n = 20000, f.newton = f.vectors = PETSC_TRUE, f.kept = f.measured = PETSC_FALSE);
  MEET("body", f.n = 20000, f.newton = f.vectors = f.body = PETSC_TRUE, f.kept = f.measured = PETSC_FALSE);
  MEET("start", f.n = 20000, f.body = f.start = PETSC_TRUE);
  MEET("once_short", f.n = 20000, f.newton = PETSC_TRUE, f.kept = f.measured = PETSC_FALSE);
  MEET("mass", f.n = 20001, f.mass = PETSC_TRUE);
  MEET("interval", f.n = 1000000, f.dim = 1);
  MEET("interval", f.n = 1000000, f.dim = 1, f.degree = 0, f.definite = PETSC_FALSE);
  MEET("convective indefinite", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE);
  MEET("bordered indefinite", f.bordered = PETSC_TRUE, f.definite = PETSC_FALSE, f.ahead = 1);
  MEET("convective_once convective indefinite", f.convective = PETSC_TRUE,
       f.definite = f.kept = f.measured = PETSC_FALSE);
  MEET("convective indefinite", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 5000, f.row = 32);
  MEET("indefinite", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 5000, f.row = 64);
  MEET("indefinite", f.convective = f.algebraic = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 5000, f.row = 32);
  MEET("indefinite_large", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 300000);
  MEET("convective_large indefinite_large", f.convective = f.behind = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 3e5);
  MEET("indefinite_large", f.convective = f.behind = f.start = PETSC_TRUE, f.definite = PETSC_FALSE, f.n = 300000);
  MEET("convective_few line", f.convective = PETSC_TRUE, f.definite = f.kept = f.measured = PETSC_FALSE, f.dim = 2,
       f.n = 10000);
  MEET("line", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.dim = 2, f.n = 10000); /* many solves */
  MEET("convective_plane indefinite", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.dim = 2, f.ahead = 20);
  MEET("indefinite", f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.dim = 2, f.ahead = 21);
  MEET("convective_still indefinite", f.convective = f.algebraic = PETSC_TRUE, f.definite = 0, f.dim = 2, f.ahead = 3);
  MEET("coupled_levels", f.coupled = PETSC_TRUE, f.definite = PETSC_FALSE, f.dim = 2, f.ahead = 3);
  MEET("indefinite", f.coupled = PETSC_TRUE, f.definite = PETSC_FALSE, f.dim = 2, f.ahead = 4);
  MEET("coupled_levels", f.coupled = f.convective = f.tensor = PETSC_TRUE, f.definite = PETSC_FALSE, f.ahead = 1);
  MEET("convective indefinite", f.coupled = f.convective = PETSC_TRUE, f.definite = PETSC_FALSE, f.ahead = 1);
  MEET("refuted indefinite", f.refuted = PETSC_TRUE, f.definite = PETSC_FALSE, f.ahead = 1);
  MEET("refuted_levels", f.refuted = f.behind = PETSC_TRUE, f.definite = PETSC_FALSE, f.ahead = 1);
  MEET("once_long", f.kept = f.measured = PETSC_FALSE, f.tensor = PETSC_TRUE, f.degree = 2, f.row = 64);
  MEET("once_short", f.kept = f.measured = PETSC_FALSE);
  MEET("once", f.kept = f.measured = PETSC_FALSE, f.row = 30);
  MEET("action_first", f.measured = PETSC_FALSE, f.free = f.tensor = PETSC_TRUE, f.degree = 2);
  MEET("levels_first", f.measured = PETSC_FALSE, f.free = f.lower = f.vectors = PETSC_TRUE, f.ahead = 1);
  MEET("levels_wide", f.measured = PETSC_FALSE, f.free = f.lower = PETSC_TRUE, f.degree = 2, f.lanes = 8);
  MEET("levels_wide", f.measured = PETSC_FALSE, f.free = f.lower = f.tensor = PETSC_TRUE, f.lanes = 4);
  MEET("kept", f.measured = PETSC_FALSE, f.free = f.lower = f.tensor = PETSC_TRUE, f.lanes = 2);
  MEET("kept", f.measured = PETSC_FALSE, f.free = f.lower = PETSC_TRUE, f.degree = 2, f.lanes = 4);
  MEET("kept", f.measured = PETSC_FALSE, f.free = f.lower = PETSC_TRUE, f.lanes = 8); /* linear tetrahedra */
  MEET("kept", f.measured = PETSC_FALSE);
  MEET("levels short_trial trial multigrid", f.lower = PETSC_TRUE, f.degree = 2, f.levels = 0.5);
  MEET("levels factors", f.lower = PETSC_TRUE, f.degree = 2, f.levels = 0.5, f.factors = 0.6);
  MEET("levels_vectors short_trial trial multigrid", f.lower = f.vectors = PETSC_TRUE, f.degree = 2, f.levels = 0.5);
  MEET("levels_once", f.ahead = 1, f.lower = PETSC_TRUE, f.degree = 2, f.levels = 0.5);
  MEET("levels_once", f.ahead = 19, f.lower = f.vectors = PETSC_TRUE, f.degree = 2, f.n = 20000, f.levels = 0.5);
  MEET("levels_once", f.ahead = 1, f.lower = f.vectors = PETSC_TRUE, f.n = 8000, f.levels = 0.5, f.factors = 0.6);
  MEET("factors", f.ahead = 19, f.lower = f.vectors = PETSC_TRUE, f.levels = 0.5, f.factors = 0.4);
  MEET("multigrid", f.ahead = 8, f.hypre = PETSC_FALSE, f.lower = PETSC_TRUE, f.degree = 2, f.levels = 1.5);
  MEET("factors", f.factors = 0.5);
  MEET("action", f.free = f.tensor = PETSC_TRUE, f.degree = 2);
  MEET("short_rows", f.kappa = 1, f.simple = 0.1);
  MEET("ranks", f.ranks = 2, f.kappa = 400);
  MEET("rows", f.ranks = 2, f.kappa = 401, f.simple = 0.9);
  MEET("long_rows", f.tensor = PETSC_TRUE, f.degree = 2, f.simple = 0.9);
  MEET("short_rows", f.simple = 0.9);
  MEET("rows", f.simple = 0.9, f.row = 30);
  MEET("short_trial trial multigrid", f.ahead = 20);
  MEET("trial multigrid", f.row = 30);
  MEET("hypre", f.ahead = 8);
  MEET("multigrid", f.ahead = 8, f.hypre = PETSC_FALSE);
  MEET("multigrid", f.ahead = 8, f.vectors = PETSC_TRUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_row_of_saddle_points_is_met_by_what_it_is_for(void)
{
  PetscFunctionBegin;
  MEET("indefinite", f.definite = PETSC_FALSE, f.n = 300000, f.saddle = f.split = PETSC_TRUE, f.degree = 2,
       f.ahead = 4);
  MEET("saddle_space indefinite", f.definite = PETSC_FALSE, f.split = PETSC_TRUE, f.degree = 2, f.ahead = 3);
  MEET("saddle_newton indefinite", f.definite = f.kept = f.measured = PETSC_FALSE,
       f.newton = f.split = f.saddle = PETSC_TRUE, f.degree = 2, f.n = 150001);
  MEET("indefinite", f.definite = f.kept = f.measured = PETSC_FALSE, f.newton = f.split = f.saddle = PETSC_TRUE,
       f.degree = 2, f.n = 150000);
  MEET("saddle_newton indefinite", f.definite = f.kept = f.measured = PETSC_FALSE,
       f.newton = f.split = f.saddle = PETSC_TRUE, f.tensor = PETSC_TRUE, f.degree = 2, f.n = 80001);
  MEET("indefinite_large", f.definite = PETSC_FALSE, f.n = 300000);
  MEET("indefinite_plane", f.definite = PETSC_FALSE, f.n = 300000, f.dim = 2, f.algebraic = PETSC_TRUE);
  MEET("indefinite_plane", f.definite = PETSC_FALSE, f.n = 2000000, f.dim = 2, f.vectors = PETSC_TRUE);
  MEET("indefinite_large", f.definite = PETSC_FALSE, f.n = 2000001, f.dim = 2, f.vectors = PETSC_TRUE);
  MEET("indefinite_large", f.definite = PETSC_FALSE, f.n = 300000, f.dim = 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row stands where it is since it was faster than what it is taken before. */
static PetscErrorCode test_each_row_has_a_reason_and_a_measurement_that_bears_it_out(void)
{
  const RungSolverRow *row;
  PetscInt             n;

  PetscFunctionBegin;
  row = RungSolverRows(&n);
  for (PetscInt i = 0; i < n; ++i) {
    CHECK(row[i].name[0] && row[i].condition[0] && row[i].reason[0]);
    CHECK((row[i].others == 0) == !strncmp(row[i].rejected, "none", 4));
    CHECK(row[i].others == 0 || row[i].seconds < row[i].others);
    CHECK(row[i].most == 0 || (row[i].kind != RUNG_BY_FACTORS && row[i].kind != RUNG_BY_GAMG));
    CHECK(row[i].levels == 0 || strstr(row[i].condition, "row <= ")); /* no fill on long rows */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make(const char cell[], PetscInt n, const char spec[], PetscReal sigma, RungSystem *sys, Mat *J)
{
  const PetscReal weight[] = {1, sigma};
  Vec             v[2];

  PetscFunctionBegin;
  PetscCall(system_create(cell, 3, n, spec, sys));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  (*sys)->keep_filled = PETSC_TRUE; /* for trials of levels */
  PetscCall(RungSystemCreateMat(*sys, J));
  PetscCall(vecs_create(*sys, 2, v));
  PetscCall(RungSystemJacobian(*sys, 0, v, weight, *J));
  PetscCall(vecs_destroy(2, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flops of a solve with ICC, set-up included */
static PetscErrorCode count_solve(RungSystem sys, Mat J, PetscLogDouble *flops)
{
  const RungSolverRow row = {.kind = RUNG_BY_ICC};
  PetscLogDouble      before;
  RungSolverFacts     facts;
  RungSolver          choice;
  Vec                 x, b;
  KSP                 ksp;

  PetscFunctionBegin;
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(PetscGetFlops(&before));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscGetFlops(flops));
  *flops -= before;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All trials of the table, at the fewest solves ahead that they ask for. */
static PetscErrorCode test_trials_take_a_tenth_of_the_solves_that_they_choose_for(void)
{
  static const struct {
    const char *cell, *spec;
    PetscInt    n;
    PetscReal   row;
  } body[] = {{"tetrahedron", "P1", 12, 15},
              {"tetrahedron", "P2", 6, 30},
              {"hexahedron", "Q2", 6, 64},
              {"hexahedron", "Q4", 3, 216},
              {"tetrahedron", "P1^d", 9, 45}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(body); ++i) {
    const PetscInt ahead[] = {20, 100};
    PetscLogDouble one;
    RungSystem     sys;
    Mat            J;

    PetscCall(make(body[i].cell, body[i].n, body[i].spec, 1e-3, &sys, &J));
    PetscCall(count_solve(sys, J, &one));
    for (int k = 0; k < 2; ++k) {
      const RungSolverRow *row   = NULL;
      RungSolverFacts      facts = usual();
      PetscMPIInt          size;

      sys->counts.trials = 0, sys->counts.trial_flops = 0;
      PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
      facts.ranks   = size;
      facts.ahead   = ahead[k];
      facts.row     = body[i].row;
      facts.vectors = strchr(body[i].spec, '^') ? PETSC_TRUE : PETSC_FALSE;
      facts.lower   = body[i].spec[1] > '1' ? PETSC_TRUE : PETSC_FALSE;
      facts.levels  = 0.5;
      for (row = RungSolverFind(&facts, NULL); row->most; row = RungSolverFind(&facts, row + 1)) {
        RungSolver choice;
        PetscBool  solved;
        PC         made;

        RungSolverFill(sys, &facts, row, &choice);
        PetscCall(RungSolverTry(sys, J, &choice, row->most, NULL, &solved, &made));
        PetscCall(PCDestroy(&made));
        if (solved && row->kind == RUNG_BY_LEVELS) break;
      }
      CHECK(sys->counts.trials >= 1 && sys->counts.trial_flops > 0);
      CHECK(sys->counts.trial_flops <= 0.1 * ahead[k] * one);
    }
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels serve what nothing holds as well: GAMG took three times as long for a free elastic body of 46875 entries. */
static PetscErrorCode test_what_nothing_holds_has_levels(void)
{
  static const char *const spec[] = {"Q2^d", "Q2"}, *const residual[] = {"inner(sym(grad(u)), grad(v))*dx",
                                                                         "inner(grad(u), grad(v))*dx"};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungSystem      sys;
    RungSolverFacts facts;
    MatNullSpace    null;

    PetscCall(system_create("hexahedron", 3, 2, spec[i], &sys));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungNullSpacesGet(sys, &null));
    PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
    CHECK(null && facts.lower);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A trial by Jacobi, which may take so many iterations. */
static PetscErrorCode try_jacobi(RungSystem sys, Mat J, PetscInt most, PetscBool *solved, PetscLogDouble *flops)
{
  const RungSolverRow row = {.kind = RUNG_BY_JACOBI};
  RungSolverFacts     facts;
  RungSolver          choice;
  PC                  made;

  PetscFunctionBegin;
  sys->counts.trial_flops = 0;
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(RungSolverTry(sys, J, &choice, most, NULL, solved, &made));
  PetscCall(PCDestroy(&made));
  *flops = sys->counts.trial_flops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 26 iterations do where J is mostly mass, so that fewer must not; where it is not, a third of some 60 shows at the 8th.  Where many more
   are allowed half of the digits are enough. */
static PetscErrorCode test_a_trial_ends_at_its_budget_and_before_it_where_its_end_is_seen(void)
{
  PetscFunctionBegin;
  for (int hopeless = 0; hopeless < 2; ++hopeless) {
    PetscInt       least = 8, enough = hopeless ? 1000 : 40; /* iterations that do not do, and that do */
    PetscLogDouble whole, flops;
    PetscBool      solved;
    RungSystem     sys;
    Mat            J;

    PetscCall(make("tetrahedron", 12, "P1", hopeless ? 10 : 100, &sys, &J));
    PetscCall(try_jacobi(sys, J, enough, &solved, &whole));
    CHECK(solved);
    while (!hopeless && enough - least > 1) {
      const PetscInt most = (least + enough) / 2;

      PetscCall(try_jacobi(sys, J, most, &solved, &flops));
      if (solved)
        enough = most;
      else
        least = most;
    }
    if (!hopeless) CHECK(enough >= 20 && enough <= 40);
    PetscCall(try_jacobi(sys, J, 20, &solved, &flops));
    CHECK(!solved && flops < (hopeless ? 0.3 : 0.85) * whole);
    PetscCall(try_jacobi(sys, J, 1000, &solved, &flops));
    CHECK(solved && flops < (hopeless ? 1.1 : 0.75) * whole);
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(KSP ksp, Mat J, KSPConvergedReason *reason, PetscReal *left)
{
  Vec x, b, r;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(MatMult(J, x, r));
  PetscCall(vec_distance(r, b, left));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations that end too soon go on with multigrid; a matrix that is not definite ends with factors. */
static PetscErrorCode test_a_choice_that_fails_is_made_good(void)
{
  PetscFunctionBegin;
  for (int indefinite = 0; indefinite < 2; ++indefinite) {
    KSPConvergedReason reason;
    RungSystem         sys;
    PetscReal          left;
    Mat                J;
    KSP                ksp;

    PetscCall(make("tetrahedron", 14, "P1", 1, &sys, &J)); /* 15^3 entries */
    if (indefinite) PetscCall(MatShift(J, -0.05));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, indefinite ? 500 : 2));
    PetscCall(KSPSetOperators(ksp, J, J));
    for (int i = 0; i < 2; ++i) {
      PetscCall(solve(ksp, J, &reason, &left));
      CHECK(reason > 0);
      CHECK_NEAR(left, 0, 1e-6);
    }
    CHECK(!strcmp(sys->tuned_next, indefinite ? "lu or cholesky" : PCGAMG)); /* which -system_view tells */
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More than 2e5 values, of which points eliminate all but 729. */
static PetscErrorCode inner_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 8, "P1", sys));
  PetscCall(add_unknown(*sys, "z", "w", "Quad(4)^6"));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + z[0]*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(z), w)*dx + (z[0] - u)*w[0]*dx"));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Few entries are factored, in a start and behind iterations that fail, whatever number of values there is at points. */
static PetscErrorCode test_what_points_eliminate_is_not_counted(void)
{
  RungSolverKind next = RUNG_BY_ILU;
  RungSystem     sys;
  PetscBool      lu;
  KSP            ksp;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(inner_create(&sys));
  CHECK(sys->global > 200000);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetMassSolver(sys, RUNG_SOLVE_NEWTON, PETSC_FALSE, PETSC_FALSE, ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  CHECK(lu);
  CHECK(RungSolverIsFollowed(sys, RUNG_BY_ILU, PETSC_FALSE, &next) && next == RUNG_BY_FACTORS);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who names a solver is told of its failure. */
static PetscErrorCode test_a_choice_of_the_user_fails_as_it_does(void)
{
  KSPConvergedReason reason;
  RungSystem         sys;
  PetscReal          left;
  Mat                J;
  KSP                ksp;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_max_it", "2"));
  PetscCall(make("tetrahedron", 14, "P1", 1, &sys, &J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(solve(ksp, J, &reason, &left));
  CHECK(reason == KSP_DIVERGED_ITS);
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_max_it"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A long box has a small section; of a cube a cut is a face, whatever its cells are and whatever part of it a rank has. */
static PetscErrorCode test_the_width_of_a_body_is_that_of_a_cut(void)
{
  static const struct {
    const char *cell, *spec;
    PetscInt    dim, n;
    double      face;
  } row[] = {
    {"hexahedron", "Q1", 3, 12, 13 * 13},  {"hexahedron", "Q2", 3, 6, 13 * 13},
    {"tetrahedron", "P1", 3, 12, 13 * 13}, {"tetrahedron", "P2^d", 3, 6, 3 * 13 * 13},
    {"triangle", "P2", 2, 20, 41},         {"interval", "P2", 1, 100, 1},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungSystem sys;
    PetscReal  width, length;
    PetscBool  below, sure;

    PetscCall(system_create(row[i].cell, row[i].dim, row[i].n, row[i].spec, &sys));
    PetscCall(RungSystemAddResidual(sys, strchr(row[i].spec, '^') ? "inner(dt(u), v)*dx" : "dt(u)*v*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSolverWidth(sys, &width, &length));
    CHECK(width > 0.9 * row[i].face && width < 1.2 * row[i].face);
    PetscCall(RungLevelsBelow(sys, &below, &sure));
    if (below) PetscCall(RungSolverWidthOfLevels(sys, &width, &length));
    CHECK(width > 0.9 * row[i].face && width < 1.4 * row[i].face); /* coarse nodes are few */
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A beam is as long as it is; sections of a plate, of which 2 in 12 cells are thick, come again. */
static PetscErrorCode test_the_length_of_a_body_is_that_over_its_thickness(void)
{
  const PetscInt  count[2][3] = {{24, 6, 6}, {12, 12, 2}};
  const PetscReal size[2][3] = {{4, 1, 1}, {1, 1, 0.2}}, wanted[2] = {4, 1 + 2.0 / 3 * (1 - 2.0 / 12)};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungMesh   mesh;
    RungSpace  space;
    RungSystem sys;
    PetscReal  width, length;
    PetscBool  below, sure;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, count[i], size[i]));
    PetscCall(RungSpaceCreate(mesh, "Q1^d", &space));
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSolverWidth(sys, &width, &length));
    CHECK_NEAR(length, wanted[i], 0.1 * wanted[i]);
    PetscCall(RungLevelsBelow(sys, &below, &sure));
    if (below) PetscCall(RungSolverWidthOfLevels(sys, &width, &length));
    CHECK_NEAR(length, wanted[i], 0.1 * wanted[i]);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define RUNS   9  /* of the snake, side by side */
#define LENGTH 30 /* cells of a run             */

/* A band of quadrilaterals, one wide, in RUNS runs: each ends above the beginning of the next. */
static PetscErrorCode write_snake(const char path[])
{
  const int width = LENGTH + 1;
  FILE     *file  = fopen(path, "w");
  int       cells = 0;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "\"%s\" cannot be written", path);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", 2 * RUNS * width);
  for (int i = 0; i < 2 * RUNS * width; ++i) fprintf(file, "%d %d %d 0\n", i + 1, i % width, i / width);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", RUNS * LENGTH + RUNS - 1);
  for (int y = 0; y < 2 * RUNS - 1; ++y)
    for (int x = 0; x < LENGTH; ++x) {
      const int at = y * width + x + 1;

      if (y % 2 && x != (y / 2 % 2 ? 0 : LENGTH - 1)) continue;
      fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", ++cells, at, at + 1, at + 1 + width, at + width);
    }
  fprintf(file, "$EndElements\n");
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every plane meets a snake many times; layers follow it. */
static PetscErrorCode test_the_width_of_a_bent_body_is_that_of_a_section(void)
{
  PetscReal width, length;

  PetscFunctionBegin;
  PetscCall(width_of_mesh(write_snake, "snake", &width, &length));
  CHECK_NEAR(length, 1, 0);
  CHECK(width > 1.5 && width < 3.5); /* planes: RUNS cells, twice as many nodes */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For one solve levels are taken whatever the width is; for many it decides. */
static PetscErrorCode test_the_width_is_asked_for_where_it_may_decide(void)
{
  const PetscInt  ahead[] = {1, 20};
  RungSystem      sys;
  RungSolverFacts facts;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 3, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungShellCreate(sys, &J));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemSetSolvesAhead(sys, ahead[i], 0));
    PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
    facts.n = 60000; /* as if it were so large */
    PetscCall(RungSolverMeasured(sys, J, PETSC_INFINITY, &facts));
    if (ahead[i] == 1) CHECK(RungSolverFind(&facts, NULL)->kind == RUNG_BY_LEVELS);
    CHECK(ahead[i] == 1 ? sys->width <= 0 : sys->width > 0);
    CHECK(ahead[i] == 1 ? !sys->levels : sys->levels != NULL); /* these tell it, and are wanted for the trial */
  }
  PetscCall(RungSystemSetSolvesAhead(sys, 1, 0)); /* and so they are where the width is known */
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  facts.n = 60000;
  PetscCall(RungSolverMeasured(sys, J, PETSC_INFINITY, &facts));
  CHECK(RungSolverFind(&facts, NULL)->kind == RUNG_BY_LEVELS);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels may follow ILU of what is not definite: in space, on any number of ranks, of degree 1, too. */
static PetscErrorCode test_levels_are_behind_incomplete_factors(void)
{
  static const struct {
    const char *cell, *residual;
    PetscInt    dim;
    PetscBool   behind;
  } row[] = {
    {"tetrahedron", "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx", 3, PETSC_TRUE},
    {"tetrahedron", "dt(u)*v*dx + inner(grad(u), grad(v))*dx", 3, PETSC_FALSE}, /* definite */
    {"triangle", "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx", 2, PETSC_FALSE},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungSolverFacts facts;
    RungSystem      sys;

    PetscCall(system_create(row[i].cell, row[i].dim, 4, "P1", &sys));
    PetscCall(RungSystemAddResidual(sys, row[i].residual));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSolverGather(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &facts));
    CHECK(facts.behind == row[i].behind);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_lanes(const char backend[], PetscInt wanted)
{
  char            given[32];
  PetscBool       set;
  RungSystem      sys;
  RungSolverFacts facts;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_backend", given, sizeof given, &set));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(PetscOptionsSetValue(NULL, "-form_lanes", "4"));
  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  CHECK(facts.lanes == wanted);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClearValue(NULL, "-form_lanes"));
  if (set)
    PetscCall(PetscOptionsSetValue(NULL, "-form_backend", given));
  else
    PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_lanes_are_those_of_compiled_kernels(void)
{
  PetscFunctionBegin;
  PetscCall(check_lanes("interpreter", 0));
  PetscCall(check_lanes("c", 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row that a system of two unknowns on so many cells has when its matrix changes. */
static PetscErrorCode check_species(const char cell[], PetscInt dim, PetscInt n, const char rate[], const char wanted[])
{
  RungSystem sys;
  RungSolver choice;
  RungMesh   mesh;
  RungSpace  space;
  char       residual[128];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){n, n, n}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddUnknown(sys, "w", "z", space));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) - u^2*w)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(PetscSNPrintf(residual, sizeof residual, "(%s + u^2*w)*z*dx + inner(grad(w), grad(z))*dx", rate));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSolverChoose(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &choice));
  CHECK(!strcmp(choice.row->name, wanted));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_in_the_plane_are_tried_with_incomplete_factors(void)
{
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-form_backend", &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* nothing is evaluated */
  PetscCall(check_species("triangle", 2, 39, "dt(w)", "convective_few"));
  PetscCall(check_species("triangle", 2, 39, "w", "line"));
  PetscCall(check_species("interval", 1, 1600, "dt(w)", "line"));
  PetscCall(check_species("tetrahedron", 3, 11, "dt(w)", "convective"));
  if (!given) PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_nothing_holds_has_levels), RUNG_TEST(test_what_points_eliminate_is_not_counted),
               RUNG_TEST(test_each_row_is_met_by_what_it_is_for),
               RUNG_TEST(test_each_row_of_saddle_points_is_met_by_what_it_is_for),
               RUNG_TEST(test_lanes_are_those_of_compiled_kernels),
               RUNG_TEST(test_levels_are_behind_incomplete_factors),
               RUNG_TEST(test_rates_in_the_plane_are_tried_with_incomplete_factors),
               RUNG_TEST(test_each_row_has_a_reason_and_a_measurement_that_bears_it_out),
               RUNG_TEST(test_trials_take_a_tenth_of_the_solves_that_they_choose_for),
               RUNG_TEST(test_a_trial_ends_at_its_budget_and_before_it_where_its_end_is_seen),
               RUNG_TEST(test_a_choice_that_fails_is_made_good), RUNG_TEST(test_a_choice_of_the_user_fails_as_it_does),
               RUNG_TEST(test_the_width_of_a_body_is_that_of_a_cut),
               RUNG_TEST(test_the_length_of_a_body_is_that_over_its_thickness),
               RUNG_TEST(test_the_width_of_a_bent_body_is_that_of_a_section),
               RUNG_TEST(test_the_width_is_asked_for_where_it_may_decide))
