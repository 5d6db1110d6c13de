/* test_saddle.c - two unknowns by the Schur complement of one: iterations that neither mesh nor ranks nor units change. */
#include "check.h"
#include "levels_impl.h"
#include "vectors.h"

typedef struct {
  const char *cell, *space[2], *residual, *dirichlet[2]; /* of u, of p or NULL */
  PetscBool   second;                                    /* p is declared before u                      */
  PetscBool   hold;                                      /* p = 0 at a place that no coarser mesh has   */
  PetscReal   re;                                        /* factor of convection                        */
  PetscReal   later;                                     /* time of the second matrix, the first is of 0 */
  PetscInt    most;
} Row;

#define STOKES     "mu*inner(dt(u), w)*dx + mu*inner(grad(u), grad(w))*dx - p*div(w)*dx "
#define RATES      " + 1000*mu*inner(dt(u), w)*dx" /* a step of 1e-3 */
#define CONVECTION " + re*inner(dot(grad(u), u), w)*dx"
#define GROWING                                                                                                        \
  "mu*inner(dt(u), w)*dx + mu*inner(grad(u), grad(w))*dx - (1 + 29*t)*p*div(w)*dx + (1 + 29*t)*div(u)*q*dx "
#define BIOT                                                                                                           \
  "mu*inner(sym(grad(u)), sym(grad(w)))*dx + mu*div(u)*div(w)*dx - p*div(w)*dx + dt(div(u))*q*dx + "                   \
  "0.001/mu*inner(grad(p), grad(q))*dx"

static const Row rows[] = {
  {"quadrilateral", {"Q2^d", "Q1"}, STOKES "+ div(u)*q*dx", {"boundary", NULL}, .most = 28},
  {"triangle", {"P2^d", "P1"}, STOKES "- div(u)*q*dx", {"boundary", NULL}, .second = PETSC_TRUE, .most = 30},
  {"quadrilateral", {"Q2^d", "Q1"}, STOKES "+ div(u)*q*dx", {"boundary", NULL}, .hold = PETSC_TRUE, .most = 34},
  {"triangle", {"P2^d", "P1"}, STOKES "+ div(u)*q*dx" CONVECTION, {"left", NULL}, .re = 10, .most = 34},
  {"quadrilateral", {"Q2^d", "Q1"}, STOKES "- div(u)*q*dx" CONVECTION, {"boundary", NULL}, .re = 30, .most = 34},
  {"quadrilateral",
   {"Q2^d", "Q1"},
   STOKES "+ div(u)*q*dx" CONVECTION,
   {"boundary", NULL},
   .hold = PETSC_TRUE,
   .re   = 30,
   .most = 34},
  {"quadrilateral", {"Q2^d", "Q1"}, STOKES "+ div(u)*q*dx" CONVECTION, {"boundary", NULL}, .re = 100, .most = 40},
  {"quadrilateral", {"Q2^d", "Q1"}, STOKES "+ div(u)*q*dx" RATES, {"boundary", NULL}, .most = 16},
  {"quadrilateral", {"Q2^d", "Q1"}, GROWING RATES, {"boundary", NULL}, .later = 1, .most = 16},
  {"triangle", {"P2^d", "P1"}, BIOT, {"bottom", "top"}, .most = 24},
};

static PetscErrorCode create(const Row *row, PetscInt n, PetscReal mu, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space[2];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, row->cell, 2, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceCreate(mesh, row->space[f], &space[f]));
  if (row->second) PetscCall(RungSystemAddUnknown(*sys, "p", "q", space[1]));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", space[0]));
  if (!row->second) PetscCall(RungSystemAddUnknown(*sys, "p", "q", space[1]));
  PetscCall(RungSystemSetConstant(*sys, "mu", mu));
  PetscCall(RungSystemSetConstant(*sys, "re", row->re * mu));
  PetscCall(RungSystemAddResidual(*sys, row->residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", row->dirichlet[0], "0"));
  if (row->dirichlet[1]) PetscCall(RungSystemSetDirichlet(*sys, "p", row->dirichlet[1], "0"));
  if (row->hold)
    PetscCall(RungSystemAddConstraint(*sys, 1, (const char *const[]){"p"}, (PetscReal[]){1. / (PetscReal)n, 0, 0},
                                      (PetscReal[]){1}, NULL));
  PetscCall(RungSystemSetInitial(*sys, "u", "vector(x[1]*(1 - x[1]), x[0])"));
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coarsest matrix of u's block knows its rigid motions. */
static PetscErrorCode check_rigid(KSP ksp)
{
  MatNullSpace near;
  PetscInt     n;
  KSP         *sub, coarse;
  Mat          B;
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitSchurGetSubKSP(pc, &n, &sub));
  PetscCall(KSPGetPC(sub[0], &pc));
  PetscCall(PetscFree(sub));
  PetscCall(PCMGGetCoarseSolve(pc, &coarse));
  PetscCall(KSPGetOperators(coarse, NULL, &B));
  PetscCall(MatGetNearNullSpace(B, &near));
  CHECK(near);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations to 1e-8 for b = J x, with a matrix of slopes 1 and then of slopes 1.1, where levels stay. */
static PetscErrorCode count(const Row *row, RungSystem sys, PetscInt its[2])
{
  PetscReal norm[2];
  Vec       u[2], b, x;
  KSP       ksp;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(VecZeroEntries(u[1]));
  PetscCall(VecDuplicate(u[0], &b));
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 100));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(RungSystemCheckSolver(sys, ksp));
  PetscCall(RungSystemCreateMat(sys, &J));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungSystemStageJacobian(sys, k * row->later, u, (const PetscReal[]){1, 1, 1 + 0.1 * k, 1 + 0.1 * k}, J));
    PetscCall(KSPSetOperators(ksp, J, J));
    PetscCall(vec_fill(x, k));
    PetscCall(MatMult(J, x, b));
    PetscCall(VecNorm(b, NORM_2, &norm[0]));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its[k]));
    PetscCall(VecScale(b, -1));
    PetscCall(MatMultAdd(J, x, b, b));
    PetscCall(VecNorm(b, NORM_2, &norm[1]));
    CHECK(norm[1] <= 1e-7 * norm[0]);
    CHECK(its[k] <= row->most);
    PetscCall(check_rigid(ksp));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, u));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_iterations_stay_as_they_are(void)
{
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "fieldsplit"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) {
    for (PetscInt n = 8; n <= (size > 1 ? 8 : 16); n *= 2) {
      RungSystem sys;
      PetscInt   its[2];

      PetscCall(create(&rows[i], n, n == 8 ? 1 : 1024, &sys));
      PetscCall(count(&rows[i], sys, its));
      if (its[0] > rows[i].most || its[1] > rows[i].most)
        printf("%s, %s, n = %d: %d, %d iterations\n", rows[i].cell, rows[i].residual, (int)n, (int)its[0], (int)its[1]);
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  return PETSC_SUCCESS;
}

/* Convection beside viscosity is what it is in whatever units: rows of given values stay 1. */
static PetscErrorCode test_turn_has_no_units(void)
{
  const PetscReal mu[2] = {1, 1e-6};
  PetscReal       turn[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungSystem sys;
    Vec        u[2];
    Mat        J, A;
    IS         is;

    PetscCall(create(&rows[4], 8, mu[i], &sys));
    PetscCall(vecs_create(sys, 2, u));
    PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
    PetscCall(VecZeroEntries(u[1]));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemStageJacobian(sys, 0, u, (const PetscReal[]){1, 1, 0, 0}, J));
    PetscCall(RungBlockIS(sys, 0, &is));
    PetscCall(MatCreateSubMatrix(J, is, is, MAT_INITIAL_MATRIX, &A));
    PetscCall(RungMatTurn(A, &turn[i]));
    PetscCall(ISDestroy(&is));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&J));
    PetscCall(vecs_destroy(2, u));
    PetscCall(RungSystemDestroy(&sys));
  }
  CHECK(turn[0] > 0.1 && PetscAbsReal(turn[1] - turn[0]) < 1e-8);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P_f x is the part of P E x that is of the unknown, and P_f^T y that of P^T E y, whichever was declared first. */
static PetscErrorCode test_transfers_of_a_block_are_those_of_all(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Row         row = rows[0];
    PetscInt    unknown;
    RungLevels *levels;
    RungSystem  sys;
    Mat         P;

    row.second = i ? PETSC_TRUE : PETSC_FALSE;
    unknown    = row.second ? 1 : 0;
    PetscCall(create(&row, 4, 1, &sys));
    PetscCall(RungLevelsGet(sys, unknown, &levels));
    CHECK(levels->n > 1);
    PetscCall(RungTransferOfBlock(levels->P[1], levels->sys[0], levels->sys[1], unknown, &P));
    for (int side = 0; side < 2; ++side) { /* 0: to the finer level, 1: back */
      RungSystem from = levels->sys[side], to = levels->sys[1 - side];
      Vec        all[2], block[2], part;
      IS         is[2];
      PetscReal  distance, size;

      PetscCall(RungBlockIS(from, unknown, &is[0]));
      PetscCall(RungBlockIS(to, unknown, &is[1]));
      PetscCall(side ? MatCreateVecs(P, &block[1], &block[0]) : MatCreateVecs(P, &block[0], &block[1]));
      PetscCall(side ? MatCreateVecs(levels->P[1], &all[1], &all[0]) : MatCreateVecs(levels->P[1], &all[0], &all[1]));
      PetscCall(vec_fill(block[0], 3));
      PetscCall(VecZeroEntries(all[0]));
      PetscCall(VecGetSubVector(all[0], is[0], &part));
      PetscCall(VecCopy(block[0], part));
      PetscCall(VecRestoreSubVector(all[0], is[0], &part));
      PetscCall(side ? MatMultTranspose(levels->P[1], all[0], all[1]) : MatMult(levels->P[1], all[0], all[1]));
      PetscCall(side ? MatMultTranspose(P, block[0], block[1]) : MatMult(P, block[0], block[1]));
      PetscCall(VecGetSubVector(all[1], is[1], &part));
      PetscCall(vec_distance(part, block[1], &distance));
      PetscCall(VecNorm(part, NORM_INFINITY, &size));
      CHECK(distance == 0 && size > 0);
      PetscCall(VecRestoreSubVector(all[1], is[1], &part));
      for (int k = 0; k < 2; ++k) {
        PetscCall(ISDestroy(&is[k]));
        PetscCall(VecDestroy(&all[k]));
        PetscCall(VecDestroy(&block[k]));
      }
    }
    PetscCall(MatDestroy(&P));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_flow(const char viscosity[], PetscInt dim, PetscInt cells, RungSystem *sys)
{
  char      residual[256];
  RungMesh  mesh;
  RungSpace space[2];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(residual, sizeof residual,
                          "%s*inner(grad(u), grad(w))*dx - p*div(w)*dx + div(u)*q*dx - x[1]*w[0]*dx", viscosity));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, dim == 3 ? "tetrahedron" : "triangle", dim, (PetscInt[]){cells, cells, cells}, NULL));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceCreate(mesh, f ? "P1" : "P2^d", &space[f]));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", space[0]));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", space[1]));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "0"));
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the table is for coefficients that are the same everywhere, in space, where nobody names a solver. */
static PetscErrorCode test_who_has_a_complement_by_default(void)
{
  static const struct {
    const char   *viscosity, *option;
    PetscInt      dim;
    RungSolverUse use;
    PetscBool     split;
  } flow[] = {{"2", NULL, 3, RUNG_SOLVE_KEPT, PETSC_TRUE},
              {"2", NULL, 2, RUNG_SOLVE_KEPT, PETSC_FALSE},
              {"if(x[0] < 0.4, 1, 1e4)", NULL, 3, RUNG_SOLVE_KEPT, PETSC_FALSE},
              {"2", "-ksp_type", 3, RUNG_SOLVE_KEPT, PETSC_FALSE},
              {"p*q*dx + inner(grad(p), grad(q))*dx + 2", NULL, 3, RUNG_SOLVE_KEPT, PETSC_TRUE}, /* a porous body */
              {"inner(dot(grad(u), u), w)*dx + 2", NULL, 3, RUNG_SOLVE_NEWTON, PETSC_TRUE},
              {"inner(dt(u) + dot(grad(u), u), w)*dx + 2", NULL, 3, RUNG_SOLVE_NEWTON, PETSC_FALSE}}; /* many steps */
  RungSolverFacts facts;
  RungSystem      sys;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(flow); ++i) {
    if (flow[i].option) PetscCall(PetscOptionsSetValue(NULL, flow[i].option, "gmres"));
    PetscCall(create_flow(flow[i].viscosity, flow[i].dim, 4, &sys));
    PetscCall(RungSolverGather(sys, flow[i].use, PETSC_TRUE, &facts));
    CHECK(facts.split == flow[i].split);
    if (flow[i].option) PetscCall(PetscOptionsClearValue(NULL, flow[i].option));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row with at most so many iterations.  Out  what is left of b over b, what has followed, for good */
static PetscErrorCode solve_flow(const char viscosity[], PetscInt most, PetscReal *left, char next[], size_t size,
                                 PetscBool *gave)
{
  const RungSolverRow row = {.name = "saddle_space", .kind = RUNG_BY_SADDLE, .most = most};
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  PetscReal           norm[2];
  Vec                 u, b, x;
  PetscBool           may;
  KSP                 ksp;
  Mat                 J;

  PetscFunctionBegin;
  PetscCall(create_flow(viscosity, 3, 4, &sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecDuplicate(u, &b));
  PetscCall(VecDuplicate(u, &x));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, &u, (const PetscReal[]){1, 1}, J));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(vec_fill(x, 3));
  PetscCall(MatMult(J, x, b));
  PetscCall(VecZeroEntries(x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatMult(J, x, u));
  PetscCall(VecAXPY(u, -1, b));
  PetscCall(VecNorm(u, NORM_2, &norm[0]));
  PetscCall(VecNorm(b, NORM_2, &norm[1]));
  *left = norm[0] / norm[1];
  PetscCall(PetscStrncpy(next, sys->tuned_next, size));
  PetscCall(RungSolverMayGiveUp(ksp, &may, gave));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It solves; where it does not, factors do. */
static PetscErrorCode test_factors_follow_a_complement(void)
{
  PetscReal left;
  PetscBool gave;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(solve_flow("2", 100, &left, next, sizeof next, &gave));
  CHECK(left < 1e-8 && !next[0]);
  PetscCall(solve_flow("2", 5, &left, next, sizeof next, &gave));
  CHECK(left < 1e-8 && !strcmp(next, "lu or cholesky"));
  PetscCall(solve_flow("inner(dot(grad(u), u), w)*dx + 2", 5, &left, next, sizeof next, &gave));
  CHECK(left < 1e-8 && !strcmp(next, "lu or cholesky") && gave); /* Newton's method lets these grow old */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells that cannot be made coarser leave a block that GAMG would do nothing for where there is convection: 60 iterations and more, 10 with its
   factors. */
static PetscErrorCode test_a_block_of_ten_thousand_entries_is_factored(void)
{
  RungSystem sys;
  PetscBool  factors;
  KSP        all, block, coarsest;
  PC         pc;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_flow("inner(dot(grad(u), u), w)*dx + 2", 3, 13, &sys));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &all));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &block));
  PetscCall(RungLevelsAttachBlock(sys, 0, all, block));
  PetscCall(KSPGetPC(block, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &coarsest));
  PetscCall(KSPGetPC(coarsest, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  CHECK(factors);
  PetscCall(KSPDestroy(&all));
  PetscCall(KSPDestroy(&block));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_who_has_a_complement_by_default), RUNG_TEST(test_factors_follow_a_complement),
               RUNG_TEST(test_iterations_stay_as_they_are), RUNG_TEST(test_turn_has_no_units),
               RUNG_TEST(test_transfers_of_a_block_are_those_of_all),
               RUNG_TEST(test_a_block_of_ten_thousand_entries_is_factored))
