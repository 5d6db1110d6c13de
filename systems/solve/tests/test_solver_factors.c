/* test_solver_factors.c - whose factors are swept, and that those without pivots are not believed. */
#include "../solver_impl.h"
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

typedef struct {
  RungSystem sys;
  Mat        J;
  KSP        ksp;
} Problem;

/* J = sum of weights[k] dF/du^(k) at 0 of a system that is made up to its equations */
static PetscErrorCode problem_create(RungSystem sys, const PetscReal weights[], const char options[], Problem *p)
{
  Vec v[2];

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  p->sys = sys;
  PetscCall(RungSystemCreateMat(sys, &p->J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, weights, p->J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &p->ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, p->ksp, RUNG_SOLVE_KEPT));
  PetscCall(KSPSetFromOptions(p->ksp));
  PetscCall(KSPSetOperators(p->ksp, p->J, p->J));
  PetscCall(vecs_destroy(2, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_destroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(KSPDestroy(&p->ksp));
  PetscCall(MatDestroy(&p->J));
  PetscCall(RungSystemDestroy(&p->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The package, and that J x = b is solved. */
static PetscErrorCode expect(Problem *p, MatSolverType wanted)
{
  MatSolverType found;
  PetscBool     same;
  PetscReal     norm;
  Vec           x, b, r;
  PC            pc;

  PetscFunctionBegin;
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
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode heat(const char cell[], PetscInt dim, PetscInt n, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create(cell, dim, n, "CG1", sys));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 20 of each row in the factors: swept once, too.  Elastic bodies of degree 2 have 55, which pay if they stay. */
static PetscErrorCode test_small_fronts_have_own_factors(void)
{
  RungSystem sys;
  MatInfo    info;
  Problem    p;
  Mat        F;
  PC         pc;
  PetscBool  own, good;

  PetscFunctionBegin;
  for (int use = 0; use < 2; ++use) {
    PetscCall(heat("triangle", 2, 30, &sys));
    PetscCall(problem_create(sys, (PetscReal[]){1, 10}, use ? "-pc_type lu" : "", &p));
    PetscCall(RungSystemChooseFactors(sys, use ? RUNG_SOLVE_KEPT : RUNG_SOLVE_ONCE, p.ksp, &own));
    CHECK(own);
    PetscCall(RungSystemCheckFactors(sys, p.ksp, 1e-14, &good));
    CHECK(good);
    PetscCall(KSPGetPC(p.ksp, &pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
    CHECK(sys->factors == info.nz_used); /* counted before they were made */
    PetscCall(expect(&p, MATSOLVERPETSC));
    PetscCall(problem_destroy(&p));
  }
  PetscCall(system_create("triangle", 2, 20, "CG2^2", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(sym(grad(u)), grad(v))*dx"));
  PetscCall(problem_create(sys, (PetscReal[]){1, 10}, "-system_mat_type aij", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_ONCE, p.ksp, &own));
  CHECK(!own);
  PetscCall(RungSystemSetSolvesAhead(sys, 3, 0)); /* as of one solution without time */
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(!own);
  PetscCall(RungSystemSetSolvesAhead(sys, 100, 0));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(own);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* However many: on a line there is no front. */
static PetscErrorCode test_factors_of_a_line_are_own_ones(void)
{
  RungSystem sys;
  Problem    p;
  PetscBool  own, good;

  PetscFunctionBegin;
  PetscCall(heat("interval", 1, 150000, &sys));
  PetscCall(problem_create(sys, (PetscReal[]){1, 10}, "-system_mat_type aij", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_ONCE, p.ksp, &own));
  CHECK(own);
  PetscCall(RungSystemCheckFactors(sys, p.ksp, 1e-14, &good));
  CHECK(good);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_the_user_names_stays(void)
{
  static const char *const said[] = {"-pc_factor_mat_solver_type mumps", "-mat_mumps_icntl_14 50",
                                     "-mat_mumps_cntl_1 0.1"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(said); ++i) {
    RungSystem sys;
    Problem    p;
    PetscBool  own;

    PetscCall(heat("triangle", 2, 30, &sys));
    PetscCall(problem_create(sys, (PetscReal[]){1, 10}, said[i], &p));
    PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
    CHECK(!own);
    PetscCall(problem_destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2187 entries are tried; 145 of each row stay in the factors. */
static PetscErrorCode test_large_fronts_stay_with_mumps(void)
{
  RungSystem sys;
  Problem    p;
  PetscBool  own;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 8, "CG1^3", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(sym(grad(u)), grad(v))*dx"));
  PetscCall(problem_create(sys, (PetscReal[]){1, 10}, "-system_mat_type aij", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(!own);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow in the plane: rows of the pressure have nothing on their diagonal. */
/* A Stokes flow of cells x cells. */
static PetscErrorCode try_saddle(PetscInt cells, PetscBool wanted, MatSolverType package)
{
  RungMesh   mesh;
  RungSpace  space[2];
  RungSystem sys;
  Problem    p;
  PetscBool  own;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){cells, cells}, (PetscReal[]){1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  for (int f = 0; f < 2; ++f) {
    PetscCall(RungSpaceCreate(mesh, f ? "Q1" : "Q2^2", &space[f]));
    PetscCall(RungSystemAddUnknown(sys, f ? "p" : "u", f ? "q" : "w", space[f]));
    PetscCall(RungSpaceDestroy(&space[f]));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), w)*dx + inner(grad(u), grad(w))*dx - p*div(w)*dx + div(u)*q*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(problem_create(sys, (PetscReal[]){1, 1, 10, 10}, "", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(own == wanted);
  PetscCall(expect(&p, package));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 187 and 4003 entries */
static PetscErrorCode test_saddle_points_are_dense_or_stay_with_mumps(void)
{
  PetscFunctionBegin;
  PetscCall(try_saddle(4, PETSC_TRUE, RUNG_DENSE));
  PetscCall(try_saddle(20, PETSC_FALSE, MATSOLVERMUMPS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Space, where factors fill, and a number that every entry couples to. */
static PetscErrorCode test_dear_fill_stays_with_mumps(void)
{
  const RungSpaceData *data;
  RungSystem           sys;
  RungSpace            space, numbers;
  Problem              p;
  PetscBool            own;

  PetscFunctionBegin;
  PetscCall(heat("tetrahedron", 3, 16, &sys));
  PetscCall(problem_create(sys, (PetscReal[]){1, 10}, "", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(!own);
  PetscCall(problem_destroy(&p));

  PetscCall(heat("triangle", 2, 30, &sys));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSpaceCreate(data->mesh, "R", &numbers));
  PetscCall(RungSystemAddUnknown(sys, "l", "m", numbers));
  PetscCall(RungSpaceDestroy(&numbers));
  PetscCall(RungSystemAddResidual(sys, "l*v*dx + u*m*dx"));
  PetscCall(problem_create(sys, (PetscReal[]){1, 1, 10, 10}, "", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(!own);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 7e6 entries, 136 of each row: they pay where they stay, not where Newton's method makes them anew after some sweeps. */
static PetscErrorCode test_large_factors_of_newtons_method_stay_with_mumps(void)
{
  RungSystem sys;
  Problem    p;
  PetscBool  own;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 160, "CG1^2", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx + u[0]*v[1]*dx"));
  PetscCall(RungSystemSetSolvesAhead(sys, 100, 0)); /* of few ILU is tried first */
  PetscCall(problem_create(sys, (PetscReal[]){1, 10}, "-system_mat_type aij", &p));
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_NEWTON, p.ksp, &own));
  CHECK(!own);
  PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
  CHECK(own);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* eps p + u' = 0, p + eps u = 0 in every cell: the rows (eps, sigma) and (1, eps); the first pivot is eps */
static PetscErrorCode pivot(const char eps[], RungSystem *sys)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 4, "DP0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", space));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*q*dx + p*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1e-40: no factors.  1e-9: factors that lose nine digits, which FGMRES would find again and a single solve does not. */
static PetscErrorCode test_small_pivots_bring_mumps_back(void)
{
  static const struct {
    const char *eps;
    PetscReal   most;
    PetscBool   good;
  } want[] = {{"1e-40*(p*q + u*v)*dx", 1e-9, PETSC_FALSE},
              {"1e-9*(p*q + u*v)*dx", 1e-14, PETSC_FALSE},
              {"1e-2*(p*q + u*v)*dx", 1e-9, PETSC_TRUE}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(want); ++i) {
    RungSystem sys;
    Problem    p;
    PetscBool  own, good;

    PetscCall(pivot(want[i].eps, &sys));
    PetscCall(problem_create(sys, (PetscReal[]){1, 1, 0, 10}, "", &p));
    PetscCall(RungSystemChooseFactors(sys, RUNG_SOLVE_KEPT, p.ksp, &own));
    CHECK(own);
    PetscCall(RungSystemCheckFactors(sys, p.ksp, want[i].most, &good));
    CHECK(good == want[i].good);
    PetscCall(expect(&p, good ? MATSOLVERPETSC : MATSOLVERMUMPS));
    PetscCall(problem_destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_large_factors_of_newtons_method_stay_with_mumps),
               RUNG_TEST(test_small_fronts_have_own_factors), RUNG_TEST(test_what_the_user_names_stays),
               RUNG_TEST(test_large_fronts_stay_with_mumps), RUNG_TEST(test_dear_fill_stays_with_mumps),
               RUNG_TEST(test_small_pivots_bring_mumps_back), RUNG_TEST(test_factors_of_a_line_are_own_ones),
               RUNG_TEST(test_saddle_points_are_dense_or_stay_with_mumps))
