/* test_coarse.c - the operator of a coarse system is that of the fine one on the functions that both have. */
#include "check.h"
#include "levels_impl.h"
#include "form_problems.h"
#include "solver_impl.h"
#include "vectors.h"
#include <rungnested_room.h>

/* One system; conditions are those of the texts that are given. */
typedef struct {
  const char *cell, *spec, *other, *coarse; /* other: the space of a second unknown w, test z; NULL: none */
  PetscInt    dim;
  const char *residual;
  const char *dirichlet, *periodic, *slip, *tie; /* parts; periodic: slaves of "bottom" */
} Row;

static PetscErrorCode create(const Row *row, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  PetscCall(system_create(row->cell, row->dim, row->dim == 3 ? 2 : 3, row->spec, sys));
  if (row->other) {
    const RungSpaceData *data;
    RungSpace            space;

    PetscCall(RungSystemGetUnknown(*sys, 0, NULL, &space));
    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungSpaceCreate(data->mesh, row->other, &space));
    PetscCall(RungSystemAddUnknown(*sys, "w", "z", space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungSystemSetConstant(*sys, "mu", 2));
  PetscCall(RungSystemDefine(*sys, "eps", "sym(grad(u))"));
  PetscCall(RungSystemAddResidual(*sys, row->residual));
  if (row->dirichlet) PetscCall(RungSystemSetDirichlet(*sys, "u", row->dirichlet, "0"));
  if (row->periodic) PetscCall(RungSystemAddPeriodic(*sys, "u", row->periodic, "bottom", NULL, NULL));
  if (row->slip) PetscCall(RungSystemSetSlip(*sys, "u", row->slip, NULL));
  if (row->tie) PetscCall(RungSystemTie(*sys, "u", row->tie, NULL, NULL));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J at a state, without internal variables */
static PetscErrorCode jacobian(RungSystem sys, const Vec u[], Mat *J)
{
  const PetscReal slope[] = {1, 1, 30, 30, 100, 100}, alone[] = {1, 30, 100};

  PetscFunctionBegin;
  PetscCall(RungSystemCreateStageMat(sys, J));
  if (sys->form->condense)
    PetscCall(RungCondenseJacobian(sys, RUNG_ALL, 0.3, u, slope, *J));
  else
    PetscCall(RungSystemStageJacobian(sys, 0.3, u, sys->form->unknowns > 1 ? slope : alone, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the identity are the system's own. */
static PetscErrorCode zero_fixed(RungSystem sys, Vec v)
{
  const PetscBool *couple, *fixed;
  PetscBool       *mark;
  PetscScalar     *x;

  PetscFunctionBegin;
  RungCondensePattern(sys, sys->form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  PetscCall(PetscCalloc1(sys->local + 1, &mark));
  RungConstraintsMark(sys, mark);
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (mark[i] || (fixed && fixed[i])) x[i] = 0;
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_small(Vec a, Vec b, const char what[])
{
  PetscReal norm, distance;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(vec_distance(a, b, &distance));
  if (!(distance <= 1e-12 * norm)) printf("%s: %g of %g\n", what, (double)distance, (double)norm);
  CHECK(norm > 1e-3 && distance <= 1e-12 * norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P^T J P = J of the coarse system, at a state that both have; and P^T is the transpose. */
static PetscErrorCode compare(const Row *row)
{
  RungSystem  sys[2]; /* coarse, fine */
  RungNested  up;
  Vec         u[2][RUNG_MAX_ORDER + 1], x, y[2], z[2];
  PetscScalar product[2];
  Mat         J[2], P;

  PetscFunctionBegin;
  PetscCall(create(row, &sys[1]));
  PetscCall(RungSystemCreateCoarse(sys[1], row->coarse, &sys[0]));
  PetscCall(RungSystemCreateTransfer(sys[0], sys[1], &P));
  CHECK(sys[0]->global < sys[1]->global && sys[0]->traits.order == sys[1]->traits.order);
  PetscCall(RungNestedCreate(sys[0]->form->layout, sys[1]->form->layout, &up));
  for (int k = 0; k <= RUNG_MAX_ORDER; ++k) {
    for (int l = 0; l < 2; ++l) PetscCall(RungSystemCreateVec(sys[l], &u[l][k]));
    PetscCall(vec_fill(u[0][k], k));
    PetscCall(RungNestedApply(up, u[0][k], u[1][k]));
  }
  for (int l = 0; l < 2; ++l) PetscCall(jacobian(sys[l], u[l], &J[l]));
  PetscCall(MatCreateVecs(P, &x, &z[0]));
  PetscCall(VecDuplicate(z[0], &z[1]));
  for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(x, &y[i]));
  PetscCall(vec_fill(x, 3));
  PetscCall(zero_fixed(sys[0], x));
  PetscCall(MatMult(P, x, z[0]));
  PetscCall(MatMult(J[1], z[0], z[1]));
  PetscCall(MatMultTranspose(P, z[1], y[1]));
  PetscCall(MatMult(J[0], x, y[0]));
  PetscCall(check_small(y[1], y[0], row->residual));
  PetscCall(vec_fill(z[1], 5));
  PetscCall(MatMultTranspose(P, z[1], y[1]));
  PetscCall(VecDot(z[0], z[1], &product[0]));
  PetscCall(VecDot(x, y[1], &product[1]));
  CHECK_NEAR(product[1], product[0], 1e-12 * (1 + PetscAbsScalar(product[0])));
  PetscCall(RungNestedDestroy(&up));
  for (int l = 0; l < 2; ++l) {
    for (int k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&u[l][k]));
    PetscCall(MatDestroy(&J[l]));
    PetscCall(VecDestroy(&y[l]));
    PetscCall(VecDestroy(&z[l]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&P));
  for (int l = 0; l < 2; ++l) PetscCall(RungSystemDestroy(&sys[l]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NONLINEAR "dt(u + u^3)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds(right)"
#define ELASTIC   "inner(dt(u, 2), v)*dx + inner(tr(eps)*I + 2*mu*eps, grad(v))*dx"
#define JUMPS     "dt(u)*v*dx + inner(grad(u), grad(v))*dx + mu*jump(u)*jump(v)*dS - inner(avg(grad(u)), jump(v, n))*dS"

static PetscErrorCode test_coarse_operators_are_those_of_the_fine_system(void)
{
  static const Row row[] = {
    {"interval", "P4", NULL, "P2", 1, NONLINEAR, .dirichlet = "left"},
    {"triangle", "P2", NULL, "1", 2, NONLINEAR, .dirichlet = "left"},
    {"quadrilateral", "Q3", NULL, "Q1", 2, NONLINEAR, .dirichlet = "left"},
    {"tetrahedron", "P2^d", NULL, "1", 3, ELASTIC, .dirichlet = "left"},
    {"hexahedron", "Q2^d", NULL, "Q1", 3, ELASTIC, .dirichlet = "left"},
    {"triangle", "DP2", NULL, "1", 2, JUMPS, .dirichlet = NULL},
    {"triangle", "DP2", NULL, "P1", 2, JUMPS, .dirichlet = NULL},
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) PetscCall(compare(&row[i]));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_slaves_follow_their_masters_of_the_level(void)
{
  static const Row row[] = {
    {"triangle", "P2", NULL, "1", 2, NONLINEAR, .dirichlet = "left", .periodic = "top"},
    {"quadrilateral", "Q4", NULL, "2", 2, NONLINEAR, .dirichlet = "left", .periodic = "top"},
    {"triangle", "P2^d", NULL, "1", 2, ELASTIC, .dirichlet = "left", .slip = "top"},
    {"quadrilateral", "Q2", NULL, "1", 2, NONLINEAR, .dirichlet = "bottom", .tie = "top"},
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) PetscCall(compare(&row[i]));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_unknowns_are_coarsened_one_by_one(void)
{
  static const Row row[] = {
    {"triangle", "P2^d", "P2", "1", 2, ELASTIC " + dt(w)*z*dx + w^2*div(v)*dx + inner(grad(w), grad(z))*dx",
     .dirichlet = "left"},
    {"triangle", "P2^d", "P1", "1", 2, ELASTIC " + dt(w)*z*dx + inner(grad(w), grad(z))*dx + div(dt(u))*z*dx",
     .dirichlet = "left"},
    {"triangle", "P3", "R", "1", 2, NONLINEAR " + (dt(w) + w^3)*z*dR - w*v*ds(top) + u*z*ds(top)", .dirichlet = "left"},
    {"triangle", "P2", "Quad(4)^d", "1", 2,
     "dt(u)*v*dx + inner(grad(u) - w, grad(v))*dx + inner(dt(w) + (1 + inner(w, w))*w - grad(u), z)*dx",
     .dirichlet = "left"},
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) PetscCall(compare(&row[i]));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_constants_and_fields_are_those_of_the_system(void)
{
  const PetscReal slope[] = {1, 0};
  RungSystem      sys, coarse;
  RungSpace       space;
  RungField       field;
  PetscReal       norm[2];
  Mat             J;
  Vec             u[2], values;

  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungFieldCreate(space, "k", &field));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(VecSet(values, 1));
  PetscCall(RungSystemAddField(sys, "k", field));
  PetscCall(RungSystemSetConstant(sys, "mu", 2));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + mu*k*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemCreateCoarse(sys, "1", &coarse));
  PetscCall(RungSystemCreateMat(coarse, &J));
  PetscCall(vecs_create(coarse, 2, u));
  PetscCall(RungSystemJacobian(coarse, 0, u, slope, J));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[0]));
  PetscCall(RungSystemSetConstant(sys, "mu", 6));
  PetscCall(VecSet(values, 5));
  PetscCall(RungCoarseFollow(coarse));
  for (int again = 0; again < 4; ++again) { /* as it is, then from kept blocks */
    PetscCall(RungSystemJacobian(coarse, 0, u, slope, J));
    PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[1]));
    CHECK_NEAR(norm[1], 15 * norm[0], 1e-12 * norm[1]);
  }
  PetscCall(vecs_destroy(2, u));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&coarse));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungFieldDestroy(&field));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_spaces_that_are_none_are_refused(void)
{
  RungSystem sys, coarse;

  PetscCall(heat_create(&sys));
  CHECK_RAISES(RungSystemCreateCoarse(sys, "P0", &coarse), "a degree of at least 1");
  CHECK_RAISES(RungSystemCreateCoarse(sys, "P1^d", &coarse), "without a shape");
  CHECK_RAISES(RungSystemCreateCoarse(sys, "X1", &coarse), "family \"X\" does not exist");
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

/* The coarsest one has a matrix always. */
static PetscErrorCode test_levels_of_higher_degrees_have_a_matrix_where_the_finest_one_has(void)
{
  for (int action = 0; action < 2; ++action) {
    RungLevels *levels;
    RungSystem  sys;

    PetscCall(system_create("quadrilateral", 2, 3, "Q4", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetUp(sys));
    sys->action = action ? PETSC_TRUE : PETSC_FALSE; /* products by kernels, by default */
    PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
    CHECK(levels->sys[1]->matrix_free == sys->action && !levels->sys[0]->matrix_free);
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* Levels above the coarsest one of a system without a matrix: of kernels on eight numbers they have none, of an interpreter they have. */
static PetscErrorCode test_levels_have_matrices_where_these_are_faster(void)
{
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int compiled = 0; compiled < 2 && size == 1; ++compiled) {
    RungLevels *levels;
    RungSystem  sys;

    PetscCall(PetscOptionsSetValue(NULL, "-form_backend", compiled ? "c" : "interpreter"));
    PetscCall(PetscOptionsSetValue(NULL, "-form_lanes", "8"));
    PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", "shell"));
    PetscCall(system_create("hexahedron", 3, 28, "Q1", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
    CHECK(levels->n == 3 && !levels->sys[0]->matrix_free);
    CHECK(levels->sys[1]->matrix_free == (compiled ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
    PetscCall(PetscOptionsClearValue(NULL, "-form_lanes"));
    PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_levels_have_matrices_where_these_are_faster),
               RUNG_TEST(test_coarse_operators_are_those_of_the_fine_system),
               RUNG_TEST(test_slaves_follow_their_masters_of_the_level),
               RUNG_TEST(test_unknowns_are_coarsened_one_by_one),
               RUNG_TEST(test_constants_and_fields_are_those_of_the_system),
               RUNG_TEST(test_spaces_that_are_none_are_refused),
               RUNG_TEST(test_levels_of_higher_degrees_have_a_matrix_where_the_finest_one_has))
