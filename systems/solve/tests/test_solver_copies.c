/* test_solver_copies.c - factors of the whole on each of several ranks. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"
#include "../solver_impl.h"

typedef struct {
  RungSystem sys;
  Mat        J;
  KSP        ksp;
  PetscBool  own;
} Problem;

/* J = weights[0] dF/du + weights[1] dF/du' at 0 */
static PetscErrorCode fill(Problem *p, const PetscReal weights[])
{
  Vec v[2];

  PetscFunctionBegin;
  PetscCall(vecs_create(p->sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(p->sys, 0, v, weights, p->J));
  PetscCall(vecs_destroy(2, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_create(const char cell[], PetscInt dim, PetscInt n, const char space[], const char text[],
                                     const PetscReal weights[], Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", "aij"));
  PetscCall(system_create(cell, dim, n, space, &p->sys));
  PetscCall(RungSystemAddResidual(p->sys, text));
  PetscCall(RungSystemCreateMat(p->sys, &p->J));
  PetscCall(fill(p, weights));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &p->ksp));
  PetscCall(RungSystemSetSolverDefaults(p->sys, p->ksp, RUNG_SOLVE_KEPT));
  PetscCall(KSPSetFromOptions(p->ksp));
  PetscCall(KSPSetOperators(p->ksp, p->J, p->J));
  PetscCall(RungSystemChooseFactors(p->sys, RUNG_SOLVE_KEPT, p->ksp, &p->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_destroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscCall(KSPDestroy(&p->ksp));
  PetscCall(MatDestroy(&p->J));
  PetscCall(RungSystemDestroy(&p->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The package, and J x = b is solved by it. */
static PetscErrorCode expect(Problem *p, MatSolverType wanted)
{
  MatSolverType found;
  PetscBool     same, good;
  PetscReal     norm;
  Vec           x, b, r;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(RungSystemCheckFactors(p->sys, p->ksp, 1e-14, &good));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(PCFactorGetMatSolverType(pc, &found));
  PetscCall(PetscStrcmp(found, wanted, &same));
  CHECK(same);
  PetscCall(MatCreateVecs(p->J, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSolve(p->ksp, b, x));
  PetscCall(MatMult(p->J, x, r));
  PetscCall(vec_distance(r, b, &norm));
  CHECK_NEAR(norm, 0, 1e-10);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_package(MatSolverType *package)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *package = size > 1 ? "rung_copies" : MATSOLVERPETSC;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cholesky and LU, and other entries in the same places. */
static PetscErrorCode test_on_a_line_each_rank_factors_the_whole(void)
{
  static const char *const text[] = {"dt(u)*v*dx + inner(grad(u), grad(v))*dx",
                                     "dt(u)*v*dx + inner(grad(u), grad(v))*dx + 3*grad(u)[0]*v*dx"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
    MatSolverType wanted;
    Problem       p;

    PetscCall(get_package(&wanted));
    PetscCall(problem_create("interval", 1, 4000, "P2", text[i], (PetscReal[]){1, 1e4}, &p));
    CHECK(p.own);
    PetscCall(expect(&p, wanted));
    PetscCall(fill(&p, (PetscReal[]){1, 3e5}));
    PetscCall(KSPSetOperators(p.ksp, p.J, p.J));
    PetscCall(expect(&p, wanted));
    PetscCall(problem_destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* eps p + u' = 0, p + eps u = 0 at every point: the first pivot is eps */
static PetscErrorCode test_a_pivot_of_nothing_brings_mumps_back_on_all_ranks(void)
{
  Problem p;

  PetscFunctionBegin;
  PetscCall(problem_create("interval", 1, 2000, "DP0^2", "(dt(u[1])*v[0] + u[0]*v[1])*dx + 1e-40*inner(u, v)*dx",
                           (PetscReal[]){1, 10}, &p));
  CHECK(p.own);
  PetscCall(expect(&p, MATSOLVERMUMPS));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 961 and 16641 entries, of which a sweep by MUMPS is hundreds of messages on three ranks; and 53361 of a matrix that is not definite, so
   that factors are taken of so many, too */
static PetscErrorCode test_in_the_plane_several_ranks_share_the_work_unless_it_is_little(void)
{
  static const struct {
    PetscInt    cells;
    const char *text;
  } row[] = {{30, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"},
             {128, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"},
             {230, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - 35*u*v*dx"}};
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    MatSolverType wanted;
    Problem       p;

    PetscCall(get_package(&wanted));
    PetscCall(problem_create("triangle", 2, row[i].cells, "P1", row[i].text, (PetscReal[]){1, 10}, &p));
    CHECK(p.own == (size == 1 || i < 2));
    if (i < 2) PetscCall(expect(&p, wanted));
    PetscCall(problem_destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last row has nothing on the diagonal, which PETSc's own factors refuse.  The sanitizers' run tells what is left. */
static PetscErrorCode test_a_matrix_that_is_refused_leaves_nothing_behind(void)
{
  static const PCType type[] = {PCLU, PCCHOLESKY};
  PetscInt            start, end, n;
  Mat                 A;
  PC                  pc;

  PetscFunctionBegin;
  PetscCall(RungCopiesRegister());
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(MatMPIAIJSetPreallocation(A, 1, NULL, 0, NULL));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < PetscMin(end, n - 1); ++i) PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type); ++i) {
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, type[i]));
    PetscCall(PCFactorSetMatSolverType(pc, RUNG_COPIES));
    CHECK_RAISES(PCSetUp(pc), "missing diagonal");
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_on_a_line_each_rank_factors_the_whole),
               RUNG_TEST(test_a_pivot_of_nothing_brings_mumps_back_on_all_ranks),
               RUNG_TEST(test_in_the_plane_several_ranks_share_the_work_unless_it_is_little),
               RUNG_TEST(test_a_matrix_that_is_refused_leaves_nothing_behind))
