/* test_solver_next.c - what follows where multigrid on degrees fails. */
#include "check.h"
#include "form_problems.h"
#include "levels_impl.h"
#include "vectors.h"

#define ELASTIC "(inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx"

static PetscReal   width_told;    /* of the body; 0: it is found   */
static const char *held = "left"; /* part on which u is 0; NULL: none */
static const char *file;          /* of the mesh; NULL: a box      */
static PetscBool   cells_told;    /* are cells looked at?          */

/* A box of elastic matter or what conducts, held on one side if nothing is said; J by kernels. */
static PetscErrorCode make_body(const PetscInt count[], const PetscReal size[], const char space_name[],
                                const char residual[], RungSystem *sys, Mat *J)
{
  const PetscReal slope[] = {1};
  RungMesh        mesh;
  RungSpace       space;
  Vec             u;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (file)
    PetscCall(RungMeshSetFile(mesh, file));
  else
    PetscCall(RungMeshSetBox(mesh, space_name[0] == 'P' ? "tetrahedron" : "hexahedron", 3, count, size));
  PetscCall(RungSpaceCreate(mesh, space_name, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, residual));
  if (held) PetscCall(RungSystemSetDirichlet(*sys, "u", held, "0"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetSolvesAhead(*sys, 1, 0));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSystemCreateVec(*sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungShellCreate(*sys, J));
  PetscCall(RungSystemStageJacobian(*sys, 0, &u, slope, *J));
  (*sys)->kappa  = PETSC_INFINITY; /* nothing but stiffness */
  (*sys)->width  = width_told;
  (*sys)->length = 1;
  if (cells_told) PetscCall(RungFormSideShape(*sys, RUNG_ALL, 0, &u, slope, 7, &(*sys)->slender, &(*sys)->layered));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with levels twice, for a load of all frequencies or an even one, with what follows them.  Out  iterations of both solves, what has taken their place, what is left of b in
   tolerances */
static PetscErrorCode solve_body(const PetscInt count[], const PetscReal length[], const char space[],
                                 const char residual[], PetscBool even, PetscInt its[2], char next[], size_t size,
                                 PetscReal *left)
{
  const RungSolverRow row = {.name = "levels", .kind = RUNG_BY_LEVELS};
  KSPConvergedReason  reason;
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  PetscReal           norm[2], of_b;
  Vec                 x, b, r;
  KSP                 ksp;
  Mat                 J;

  PetscFunctionBegin;
  PetscCall(make_body(count, length, space, residual, &sys, &J));
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(KSPSetOperators(ksp, J, J));
  for (int i = 0; i < 2; ++i) {
    PetscCall(even ? VecSet(b, 1) : vec_fill(b, 4));
    PetscCall(VecZeroEntries(x));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &its[i]));
    CHECK(reason > 0);
    PetscCall(VecNorm(x, NORM_2, &norm[i]));
  }
  CHECK_NEAR(norm[1] / norm[0], 1, 1e-5);
  PetscCall(MatMult(J, x, r));
  PetscCall(VecAXPY(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, left));
  PetscCall(VecNorm(b, NORM_2, &of_b));
  *left /= RUNG_KSP_RTOL * of_b;
  PetscCall(PetscStrncpy(next, sys->tuned_next, size));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* so thick and 1 wide */
static PetscErrorCode solve_plate(PetscReal thickness, PetscInt its[2], char next[], size_t size)
{
  PetscReal left;

  return solve_body((PetscInt[]){10, 10, 1}, (PetscReal[]){1, 1, thickness}, "Q2^d", ELASTIC, PETSC_FALSE, its, next,
                    size, &left);
}

/* A plate a thousand times as wide as thick: Jacobi would take thousands of iterations, and rounding leaves more of b than was asked for,
   which is no failure of factors. */
static PetscErrorCode test_plates_are_factored_at_once_where_levels_fail(void)
{
  PetscInt its[2];
  char     next[32];

  PetscFunctionBegin;
  PetscCall(solve_plate(1e-3, its, next, sizeof next));
  CHECK(its[0] < 10 && its[1] == 2 && !strcmp(next, "lu or cholesky")); /* cells are flat */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one that is thicker more than 50 iterations are wanted, and not many more: nothing fails. */
static PetscErrorCode test_levels_go_on_where_they_soon_end(void)
{
  PetscInt its[2];
  char     next[32];

  PetscFunctionBegin;
  PetscCall(solve_plate(0.03, its, next, sizeof next));
  CHECK(its[0] > 51 && its[0] < 250 && its[1] > 51 && its[1] < 250 && !next[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A beam 20 times as long as thick bends by far more than its forces: rounding leaves more of b than was asked for, which is no failure. */
static PetscErrorCode test_rounding_in_slender_bodies_is_no_failure(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(solve_body((PetscInt[]){32, 2, 2}, (PetscReal[]){20, 1, 1}, "Q2^d", ELASTIC, PETSC_TRUE, its, next,
                       sizeof next, &left));
  CHECK(!next[0] && its[0] < 50);
  CHECK(left > 10); /* else the test sees nothing */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conduction a thousand times as good along one axis: ICC takes the place of levels after eight iterations. */
static PetscErrorCode test_icc_follows_levels_where_it_is_faster(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(solve_body((PetscInt[]){12, 12, 12}, (PetscReal[]){1, 1, 1}, "Q1",
                       "(inner(grad(u), grad(v)) + 999*grad(u)[0]*grad(v)[0])*dx", PETSC_FALSE, its, next, sizeof next,
                       &left));
  CHECK(!strcmp(next, PCICC) && its[0] > 9 && its[0] < 60 && its[1] < its[0]);
  CHECK(left < 10);
  PetscCall(solve_body((PetscInt[]){6, 6, 6}, (PetscReal[]){1, 1, 1}, "P2",
                       "(inner(grad(u), grad(v)) + 999*grad(u)[0]*grad(v)[0])*dx", PETSC_FALSE, its, next, sizeof next,
                       &left));
  CHECK(strcmp(next, PCICC) != 0); /* degree 1 alone */
  PetscCall(solve_body((PetscInt[]){12, 12, 12}, (PetscReal[]){1, 1, 1}, "Q1", "inner(grad(u), grad(v))*dx",
                       PETSC_FALSE, its, next, sizeof next, &left));
  CHECK(!next[0] && its[0] < 12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Held all around, with the sides of its cells looked at: tall ones of elastic tetrahedra, and a weak axis of degree 2, make place for ICC after a few iterations; cubes, and
   lines of degree 2, which ICC does not resolve, do not. */
static PetscErrorCode test_icc_follows_levels_in_slender_cells(void)
{
  static const struct {
    const char *space, *residual;
    PetscReal   height;
    PetscBool   follows;
  } at[] = {
    {"P1^d", ELASTIC, 8, PETSC_TRUE},
    {"P1^d", ELASTIC, 1, PETSC_FALSE},
    {"P2", "inner(grad(u), grad(v))*dx", 30, PETSC_TRUE},
    {"P2", "inner(grad(u), grad(v))*dx", 0.03, PETSC_FALSE},
  };

  PetscFunctionBegin;
  cells_told = PETSC_TRUE;
  held       = "boundary";
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(at); ++i) {
    PetscInt  its[2];
    PetscReal left;
    char      next[32];

    PetscCall(solve_body((PetscInt[]){12, 12, 12}, (PetscReal[]){1, 1, at[i].height}, at[i].space, at[i].residual,
                         PETSC_FALSE, its, next, sizeof next, &left));
    CHECK(at[i].follows == !strcmp(next, PCICC));
    CHECK(left < 10);
  }
  held       = "left";
  cells_told = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conduction along an oblique axis in a body that is held on one side alone: ICC takes many times what it does where all sides are held, as x^T D x
   over x^T J x foretells, and levels go on. */
static PetscErrorCode test_levels_go_on_where_icc_meets_a_soft_body(void)
{
  static const char oblique[] =
    "(inner(grad(u), grad(v)) + 999/14*dot(vector(1, 2, 3), grad(u))*dot(vector(1, 2, 3), grad(v)))*dx";
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS); /* levels of all ranks want other counts */
  PetscCall(solve_body((PetscInt[]){24, 24, 24}, (PetscReal[]){1, 1, 1}, "Q1", oblique, PETSC_TRUE, its, next,
                       sizeof next, &left));
  CHECK(!next[0] && its[0] > 15 && its[0] < 120 && its[1] == its[0]);
  CHECK(left < 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* .. and where ICC is taken at once, it makes place for levels when it has taken twice the iterations that it was taken for. */
static PetscErrorCode test_icc_that_goes_astray_makes_place_for_levels(void)
{
  static const char oblique[] =
    "(inner(grad(u), grad(v)) + 999/14*dot(vector(1, 2, 3), grad(u))*dot(vector(1, 2, 3), grad(v)) - v)*dx";
  RungSystem sys;
  PetscReal  left;
  Vec        u, r;
  Mat        J;

  PetscFunctionBegin;
  PetscCall(make_body((PetscInt[]){20, 20, 20}, (PetscReal[]){1, 1, 1}, "Q1", oblique, &sys, &J));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
  if (check_alone()) CHECK(!strcmp(sys->tuned, PCICC) && !strcmp(sys->tuned_next, PCMG) && sys->tuned_dearer);
  PetscCall(RungSystemResidual(sys, 0, &u, r));
  PetscCall(VecNorm(r, NORM_2, &left));
  CHECK(left < 1e-9);
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A body that is nearly incompressible: ICC behind levels takes several times what the softness promises, and makes place for factors when it has
   taken as much as that. */
static PetscErrorCode test_icc_behind_levels_makes_place_for_factors(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS); /* likewise */
  width_told = 700;                                       /* factors are told to be dear */
  cells_told = PETSC_TRUE;
  PetscCall(solve_body((PetscInt[]){10, 10, 10}, (PetscReal[]){1, 1, 1}, "Q1^d",
                       "(inner(sym(grad(u)), sym(grad(v))) + 2500*div(u)*div(v))*dx", PETSC_TRUE, its, next,
                       sizeof next, &left));
  width_told = 0;
  cells_told = PETSC_FALSE;
  CHECK(!strcmp(next, "lu or cholesky") && its[0] < 600);
  CHECK(left < 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cube of N^3 times six tetrahedra, of which those at the vertex in the middle are slivers. */
static PetscErrorCode write_slivers(const char path[])
{
  enum { N = 4, M = N + 1 };
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}},
                   step[]      = {1, M, M * M};
  const PetscReal moved[]      = {0.5, 0.98, 0.49};
  int             k            = 0;
  FILE           *f;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", M * M * M));
  for (int v = 0; v < M * M * M; ++v) {
    const int       at[] = {v % M, v / M % M, v / M / M};
    const PetscBool mid  = at[0] == N / 2 && at[1] == N / 2 && at[2] == N / 2 ? PETSC_TRUE : PETSC_FALSE;

    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "%d", v + 1));
    for (int a = 0; a < 3; ++a)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, " %.17g", (double)((at[a] + (mid ? moved[a] : 0)) / N)));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "\n"));
  }
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "$EndNodes\n$Elements\n%d\n", 6 * N * N * N));
  for (int c = 0; c < N * N * N; ++c)
    for (int o = 0; o < 6; ++o) {
      int v = c % N + M * (c / N % N) + M * M * (c / N / N) + 1;

      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "%d 4 2 1 1 %d", ++k, v));
      for (int a = 0; a < 3; ++a) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, " %d", v += step[order[o][a]]));
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "\n"));
    }
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "$EndElements\n"));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, f));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slivers have eigenvalues of their own, which few steps do not see: levels that are not definite are made again, with bounds by more steps. */
static PetscErrorCode test_levels_that_are_not_definite_get_other_bounds(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(write_slivers("slivers.msh"));
  file = "slivers.msh";
  held = NULL;
  PetscCall(
    solve_body(NULL, NULL, "P2", "inner(grad(u), grad(v))*dx + u*v*ds", PETSC_TRUE, its, next, sizeof next, &left));
  file = NULL;
  held = "left";
  CHECK(!next[0] && its[0] > 4 && its[0] < 40);
  CHECK(left < 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels of compact cells are taken for one solve, ICC where these are slender: nothing is tried. */
static PetscErrorCode test_slender_cells_have_icc_at_once(void)
{
  static const struct {
    const char *space, *residual, *row;
  } at[] = {{"Q1", "inner(grad(u), grad(v))*dx", "levels_once"},
            {"Q1", "(inner(grad(u), grad(v)) + 99*grad(u)[2]*grad(v)[2])*dx", "rows"},
            {"P1", "inner(grad(u), grad(v))*dx", "levels_once"},
            {"P1", "(inner(grad(u), grad(v)) + 99*grad(u)[2]*grad(v)[2])*dx", "rows"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(at); ++i) {
    const PetscInt  n       = at[i].space[0] == 'P' ? 36 : 28;
    const PetscReal slope[] = {1};
    RungSolverFacts facts;
    RungSystem      sys;
    Vec             u;
    Mat             J;

    PetscCall(make_body((PetscInt[]){n, n, n}, (PetscReal[]){1, 1, 1}, at[i].space, at[i].residual, &sys, &J));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecZeroEntries(u));
    PetscCall(RungFormSideShape(sys, RUNG_ALL, 0, &u, slope, 100, &sys->slender, &sys->layered));
    PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
    PetscCall(RungSolverMeasured(sys, J, PETSC_INFINITY, &facts));
    if (facts.ranks == 1) /* on several, too, slender cells have no levels */
      CHECK(!strcmp(RungSolverFind(&facts, NULL)->name, at[i].row));
    else if (sys->slender > 2)
      CHECK(RungSolverFind(&facts, NULL)->kind != RUNG_BY_LEVELS);
    PetscCall(VecDestroy(&u));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nonlinear diffusion: ILU ends after two iterations here.  Out  what has taken its place; x solves. */
static PetscErrorCode solve_diffusion(const char residual[], PetscInt most_factored, char next[], size_t size)
{
  const RungSolverRow row     = {.name = "convective", .kind = RUNG_BY_ILU, .most = 2};
  const PetscReal     slope[] = {1};
  KSPConvergedReason  reason;
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  PetscReal           norm, left;
  PetscBool           changed;
  Vec                 u, x, b, r;
  KSP                 ksp;
  Mat                 J;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 6, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetUp(sys));
  if (most_factored) sys->most_factored = most_factored;
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecDuplicate(u, &x));
  PetscCall(VecDuplicate(u, &b));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(vec_fill(u, 3));
  PetscCall(vec_fill(b, 4));
  PetscCall(VecZeroEntries(x));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, &u, slope, J));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSolverHasChanged(sys, ksp, &changed));
  CHECK(!changed);
  PetscCall(VecSet(r, 1e200)); /* whose square is not finite, whoever solves */
  PetscCall(KSPSolve(ksp, r, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(RungSolverHasChanged(sys, ksp, &changed));
  CHECK(reason < 0 && !changed && !sys->tuned_next[0]);
  PetscCall(VecZeroEntries(x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  CHECK(reason > 0);
  PetscCall(PetscStrncpy(next, sys->tuned_next, size));
  PetscCall(RungSolverHasChanged(sys, ksp, &changed));
  CHECK(changed);
  PetscCall(MatMult(J, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecNorm(r, NORM_2, &left));
  CHECK_NEAR(left / norm, 0, 1e-8);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the state that J was taken at. */
static PetscErrorCode test_levels_follow_incomplete_factors(void)
{
  char next[32];

  PetscFunctionBegin;
  PetscCall(solve_diffusion("(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", 0, next, sizeof next));
  CHECK(!strcmp(next, PCMG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of unknowns without a rate, as in Biot's equations, whose matrix stays for many solves. */
static PetscErrorCode test_factors_follow_incomplete_ones_for_many_solves(void)
{
  char next[32];

  PetscFunctionBegin;
  PetscCall(solve_diffusion("inner(grad(u), grad(v))*dx + grad(u)[0]*v*dx", 0, next, sizeof next));
  CHECK(!strcmp(next, "lu or cholesky"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Transport in a circle, beside which diffusion is small on the mesh, is not for levels: factors follow them; of more entries than are
   factored, which are few here, ILU goes on to its end. */
static PetscErrorCode test_incomplete_factors_go_on_where_levels_fail_and_nothing_is_factored(void)
{
  static const char residual[] = "1e-3*(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx"
                                 " + ((0.5 - x[1])*grad(u)[0] + (x[0] - 0.5)*grad(u)[1])*v*dx";
  char              next[32];

  PetscFunctionBegin;
  PetscCall(solve_diffusion(residual, 0, next, sizeof next));
  CHECK(!strcmp(next, "lu or cholesky"));
  PetscCall(solve_diffusion(residual, 100, next, sizeof next));
  CHECK(!strcmp(next, "ilu"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diffusion, 1e7 times as good in every second one of columns of this width, which cut cells or not.  follow: something follows levels that fail.
   Out  iterations, whether they have solved, what has followed. */
static PetscErrorCode solve_columns(PetscReal width, PetscBool follow, PetscInt *its, PetscBool *solved, char next[],
                                    size_t size)
{
  const RungSolverRow row     = {.name = "levels", .kind = RUNG_BY_LEVELS};
  const PetscReal     slope[] = {1};
  KSPConvergedReason  reason;
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  Vec                 x, b;
  KSP                 ksp;
  Mat                 J;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 8, "Q2", &sys));
  PetscCall(RungSystemSetConstant(sys, "w", width));
  PetscCall(RungSystemAddResidual(sys, "k = if(sin(pi*x[0]/w)*sin(pi*x[1]/w) > 0, 1e7, 1);"
                                       "k*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetSolvesAhead(sys, 1, 0));
  PetscCall(RungSystemSetUp(sys));
  sys->kappa = PETSC_INFINITY; /* nothing but stiffness */
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  if (follow) PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, &x, slope, J));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  *solved = reason > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscStrncpy(next, sys->tuned_next, size));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_end_early_where_they_make_no_way(void)
{
  PetscBool solved;
  PetscInt  its;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(solve_columns(0.25, PETSC_FALSE, &its, &solved, next, sizeof next));
  CHECK(solved && its < 20);
  PetscCall(solve_columns(0.3, PETSC_FALSE, &its, &solved, next, sizeof next));
  CHECK(!solved && its <= 40);
  PetscCall(solve_columns(0.3, PETSC_TRUE, &its, &solved, next, sizeof next)); /* Jacobi takes more than is estimated */
  CHECK(solved && (!check_alone() || (its <= 41 && !strcmp(next, "lu or cholesky")))); /* ranks factor more slowly */
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_max_it", "30")); /* of the user, who is told what comes of it */
  PetscCall(solve_columns(0.3, PETSC_FALSE, &its, &solved, next, sizeof next));
  CHECK(its > 40);
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_max_it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A beam 10 times as long as thick of cells 6 times as long as thick: its residual is hundreds of times the load before it falls, and levels come to
   their end before factors would. */
static PetscErrorCode test_levels_of_bent_bodies_are_judged_once_these_are_bent(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  PetscCall(solve_body((PetscInt[]){8, 5, 5}, (PetscReal[]){9.6, 1, 1}, "Q2^d", ELASTIC, PETSC_TRUE, its, next,
                       sizeof next, &left));
  CHECK(!next[0] && its[0] > 50 && its[1] > 50);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flat body, whose cells are fifty times as wide as thick, as a scalar: what makes levels slow makes Jacobi slower, whatever is estimated of it.
   Its factors are told to be dear, as those of larger ones are. */
static PetscErrorCode test_levels_of_flat_bodies_go_on_while_factors_take_longer(void)
{
  PetscInt  its[2];
  PetscReal left;
  char      next[32];

  PetscFunctionBegin;
  width_told = 1500;
  PetscCall(solve_body((PetscInt[]){8, 8, 8}, (PetscReal[]){1, 1, 0.02}, "P2", "inner(grad(u), grad(v))*dx", PETSC_TRUE,
                       its, next, sizeof next, &left));
  width_told = 0;
  CHECK(!next[0] && its[0] > 15 && its[1] > 15);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solve in the plane by BoomerAMG that makes place for another solver: within conjugate gradients, or where at most `most` iterations are
   meant, within GMRES.  Out  what has followed, what is used behind a look at J */
static PetscErrorCode solve_plane(const char residual[], PetscInt most, char next[], char used[], size_t size)
{
  const RungSolverRow row     = {.name = "hypre", .kind = RUNG_BY_HYPRE, .most = most};
  const PetscReal     slope[] = {1};
  KSPConvergedReason  reason;
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  PCType              type;
  Vec                 x, b;
  KSP                 ksp;
  Mat                 J;
  PC                  pc;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 24, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetSolvesAhead(sys, 1, 0));
  PetscCall(RungSystemSetUp(sys));
  sys->kappa = PETSC_INFINITY;        /* nothing but stiffness */
  if (most) sys->most_factored = 100; /* fronts in the plane are small: more is factored */
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, &x, slope, J));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSolverReconsider(ksp, J));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  CHECK(reason > 0);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscStrncpy(used, type, size));
  CHECK(!sys->tuned_next[0] || most || sys->tuned_dearer); /* it was slow, and had not failed */
  PetscCall(PetscStrncpy(next, sys->tuned_next, size));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inclusions that conduct 1e8 times as well, which meet in corners. */
static PetscErrorCode test_factors_follow_boomeramg_that_would_take_longer(void)
{
  char next[32], used[32];

  PetscFunctionBegin;
  PetscCall(solve_plane("inner(grad(u), grad(v))*dx", 0, next, used, sizeof next));
  CHECK(!strcmp(used, PCHYPRE) && !next[0]);
  PetscCall(solve_plane("k = if(sin(20*x[0])*sin(23*x[1]) > 0, 1e8, 1); k*inner(grad(u), grad(v))*dx", 0, next, used,
                        sizeof next));
  CHECK(!strcmp(used, PCHYPRE) && !strcmp(next, "lu or cholesky"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Convection that is small on a cell, and one that rules there; what multigrid does not solve in few iterations is factored. */
static PetscErrorCode test_convection_in_the_plane_has_boomeramg_while_diffusion_rules(void)
{
  char next[32], used[32];

  PetscFunctionBegin;
  PetscCall(solve_plane("inner(grad(u), grad(v))*dx + grad(u)[0]*v*dx", 60, next, used, sizeof next));
  CHECK(!strcmp(used, PCHYPRE) && !next[0]);
  PetscCall(solve_plane("1e-3*inner(grad(u), grad(v))*dx + grad(u)[0]*v*dx", 60, next, used, sizeof next));
  CHECK(!strcmp(used, PCLU) && !next[0]);
  PetscCall(solve_plane("inner(grad(u), grad(v))*dx + grad(u)[0]*v*dx", 2, next, used, sizeof next));
  CHECK(!strcmp(used, PCHYPRE) && !strcmp(next, "lu or cholesky"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_plates_are_factored_at_once_where_levels_fail), RUNG_TEST(test_levels_go_on_where_they_soon_end),
  RUNG_TEST(test_rounding_in_slender_bodies_is_no_failure), RUNG_TEST(test_icc_follows_levels_where_it_is_faster),
  RUNG_TEST(test_slender_cells_have_icc_at_once), RUNG_TEST(test_icc_follows_levels_in_slender_cells),
  RUNG_TEST(test_levels_go_on_where_icc_meets_a_soft_body), RUNG_TEST(test_icc_that_goes_astray_makes_place_for_levels),
  RUNG_TEST(test_icc_behind_levels_makes_place_for_factors),
  RUNG_TEST(test_levels_that_are_not_definite_get_other_bounds),
  RUNG_TEST(test_levels_end_early_where_they_make_no_way),
  RUNG_TEST(test_levels_of_bent_bodies_are_judged_once_these_are_bent),
  RUNG_TEST(test_levels_of_flat_bodies_go_on_while_factors_take_longer),
  RUNG_TEST(test_factors_follow_boomeramg_that_would_take_longer),
  RUNG_TEST(test_convection_in_the_plane_has_boomeramg_while_diffusion_rules),
  RUNG_TEST(test_levels_follow_incomplete_factors), RUNG_TEST(test_factors_follow_incomplete_ones_for_many_solves),
  RUNG_TEST(test_incomplete_factors_go_on_where_levels_fail_and_nothing_is_factored))
