/* test_form_evaluate.c - J x with the columns of given entries, and dF/dt: against differences of F. */
#include "system_impl.h"
#include "form_side_impl.h"
#include "differences.h"
#include "form_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_method.h>
#include <rungsystem_room.h>

/* Rows of given entries are 0 on both sides: F has none. */
static PetscErrorCode check_derivatives(RungSystem *sys)
{
  PetscReal  sigma[9];
  RungTraits traits;
  Vec        u[3], x, y, r;

  PetscFunctionBegin;
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemGetTraits(*sys, &traits));
  for (int i = 0; i < 9; ++i) sigma[i] = 0.5 + 0.3 * i - 0.7 * (i % 2);
  PetscCall(vecs_create(*sys, traits.order + 1, u));
  PetscCall(RungSystemCreateVec(*sys, &x));
  PetscCall(vec_fill(x, 31));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(RungSystemAction(*sys, 0.3, u, sigma, x, y));
  PetscCall(differ(*sys, 0.3, u, sigma, x, r));
  PetscCall(check_same(y, r));
  PetscCall(RungSystemTimeDerivative(*sys, 0.3, u, y));
  PetscCall(differ(*sys, 0.3, u, NULL, NULL, r));
  PetscCall(check_same(y, r));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscCall(vecs_destroy(traits.order + 1, u));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FLOW "(1 + t*u^2 + exp(-2*t)*x[0])*inner(grad(u), grad(v))*dx - sin(3*t)*x[0]*v*dx"

static PetscErrorCode box_create(const char cell[], PetscInt dim, const char spec[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create(cell, dim, dim == 3 ? 2 : 3, spec, sys));
  PetscCall(RungSystemAddResidual(*sys, "(1 + t)*dt(u + t*u^3)*v*dx + " FLOW));
  PetscCall(RungSystemAddResidual(*sys, "cos(t)*u*v*ds"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derivatives_are_those_of_f_on_all_cells(void)
{
  static const struct {
    const char *cell, *spec;
    PetscInt    dim;
  } box[] = {{"interval", "P3", 1},
             {"triangle", "P2", 2},
             {"quadrilateral", "Q2", 2},
             {"tetrahedron", "P1", 3},
             {"hexahedron", "Q1", 3}};
  RungSystem sys;

  for (size_t i = 0; i < sizeof box / sizeof box[0]; ++i) {
    PetscCall(box_create(box[i].cell, box[i].dim, box[i].spec, &sys));
    PetscCall(check_derivatives(&sys));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_compiled_kernels_say_the_same(void)
{
  RungSystem sys;

  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "c"));
  PetscCall(box_create("triangle", 2, "P2", &sys));
  PetscCall(check_derivatives(&sys));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  return PETSC_SUCCESS;
}

/* A vector of order 2, a number, values at points, slaves of a periodic side; facets; diff() of something that holds t. */
static PetscErrorCode test_several_fields_and_constraints(void)
{
  RungSystem sys;

  PetscCall(system_create("quadrilateral", 2, 3, "Q2^2", &sys));
  PetscCall(add_unknown(sys, "c", "e", "R"));
  PetscCall(add_unknown(sys, "s", "z", "Quad(4)"));
  PetscCall(RungSystemAddResidual(
    sys, "F = t*I + grad(u); inner(dt(u, 2), v)*dx + inner(diff(tr(F)^3 + t*tr(F), F), grad(v))*dx"));
  PetscCall(RungSystemAddResidual(sys, "(dt(c) + t*c^2)*e*dR - u[0]*exp(t)*e*dx + c*v[1]*ds(top)"));
  PetscCall(RungSystemAddResidual(sys, "(dt(s) + t*s^3 - div(u))*z*dx(degree: 4) + s*div(v)*dx(degree: 4)"));
  PetscCall(RungSystemAddResidual(sys, "t*inner(jump(grad(u)), jump(grad(v)))*dS"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "t*x"));
  PetscCall(check_derivatives(&sys));
  return PETSC_SUCCESS;
}

/* A table between two rows, decisions away from their switches, a field without a rate. */
static PetscErrorCode test_tables_decisions_and_fields_change_with_t(void)
{
  static const char text[] = "0, 1\n1, 3\n2, -1\n";
  RungSystem        sys;
  RungSpace         space;
  RungField         rest;
  PetscMPIInt       here;
  Vec               values;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &here));
  if (!here) {
    FILE *file = fopen("evaluate.csv", "w");

    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungFieldCreate(space, "rest", &rest));
  PetscCall(RungFieldGetVec(rest, &values));
  PetscCall(vec_fill(values, 6));
  PetscCall(RungSystemAddField(sys, "f", rest));
  PetscCall(
    RungSystemAddResidual(sys, "dt(u)*v*dx + table(\"evaluate.csv\")*u^2*v*dx + if(t < 5, t, 0)*abs(t - 1)*v*dx"));
  PetscCall(RungSystemAddResidual(sys, "f*sin(t)*v*dx"));
  PetscCall(check_derivatives(&sys));
  PetscCall(RungFieldDestroy(&rest));
  return PETSC_SUCCESS;
}

/* r = int f' u v + 2 f f' v with the rate f' = 3 of f = 2, at u = 1: total over all v is 3 + 12 */
static PetscErrorCode test_fields_move_with_their_rates(void)
{
  RungSystem  sys;
  RungSpace   space;
  RungField   f, rate;
  Vec         values, u[2], r;
  PetscScalar sum;

  PetscCall(space_create("quadrilateral", 2, 3, "Q1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungFieldCreate(space, "f", &f));
  PetscCall(RungFieldDuplicate(f, "rate", &rate));
  PetscCall(RungFieldSetRate(f, rate));
  PetscCall(RungFieldGetVec(f, &values));
  PetscCall(VecSet(values, 2));
  PetscCall(RungFieldGetVec(rate, &values));
  PetscCall(VecSet(values, 3));
  PetscCall(RungSystemAddField(sys, "f", f));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + f*u*v*dx + f^2*v*dx"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecSet(u[0], 1));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemTimeDerivative(sys, 0, u, r));
  PetscCall(VecSum(r, &sum));
  CHECK_NEAR(sum, 15, 1e-12);
  CHECK_RAISES(RungSystemTimeDerivative(sys, 0, u, u[1]), "take another vector");
  CHECK_RAISES(RungSystemAction(sys, 0, u, (PetscReal[]){1, 1}, r, r), "of a vector into itself");
  PetscCall(RungSystemAction(sys, 0, u, (PetscReal[]){1, 0}, u[0], r)); /* 2 u v, of what is the state */
  PetscCall(VecSum(r, &sum));
  CHECK_NEAR(sum, 2, 1e-12);
  PetscCall(vecs_destroy(2, u));
  PetscCall(VecDestroy(&r));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungFieldDestroy(&f));
  PetscCall(RungFieldDestroy(&rate));
  PetscCall(RungSpaceDestroy(&space));
  return PETSC_SUCCESS;
}

/* The other system's w' is what w changes by; without it the equations do not know. */
static PetscErrorCode test_unknowns_of_other_systems_have_to_have_their_rate(void)
{
  RungSystem  sys, other;
  RungSpace   space;
  Vec         u[2], r, w;
  PetscScalar sum;

  PetscCall(system_create("triangle", 2, 2, "P1", &other));
  PetscCall(RungSystemAddResidual(other, "dt(u)*v*dx"));
  PetscCall(RungSystemCreateVec(other, &w));
  PetscCall(VecSet(w, 4));
  PetscCall(RungSystemGetUnknown(other, 0, NULL, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddCoupling(sys, "w", other, "u"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + w*v*dx"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &r));
  CHECK_RAISES(RungSystemTimeDerivative(sys, 0, u, r), "\"dt(w)\"");
  PetscCall(RungSystemResidual(sys, 0, u, r)); /* as before */
  PetscCall(RungSystemSetCoupled(sys, "dt(w)", w));
  PetscCall(RungSystemTimeDerivative(sys, 0, u, r));
  PetscCall(VecSum(r, &sum));
  CHECK_NEAR(sum, 4, 1e-12);
  PetscCall(vecs_destroy(2, u));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&w));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSystemDestroy(&other));
  return PETSC_SUCCESS;
}

/* Against that of a matrix, but for given entries; done: nothing but matrices of cells is in it */
static PetscErrorCode check_diagonal(const char spec[], const char text[], PetscBool done)
{
  const PetscReal sigma[] = {0.7, 3};
  PetscBool       yes;
  RungSystem      sys;
  Vec             u[2], d, e;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, text));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(VecDuplicate(d, &e));
  PetscCall(RungFormSideDiagonal(sys, RUNG_ALL, 0.3, u, sigma, 1, d, &yes));
  CHECK(yes == done);
  if (yes) {
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemStageJacobian(sys, 0.3, u, sigma, J));
    PetscCall(MatGetDiagonal(J, e));
    PetscCall(RungSystemZeroDirichlet(sys, d));
    PetscCall(RungSystemZeroDirichlet(sys, e));
    PetscCall(check_same(d, e));
    PetscCall(RungFormSideDiagonal(sys, RUNG_ALL, 0.3, u, sigma, 2, d, &yes)); /* the same cells for both */
    PetscCall(RungFormSideDiagonal(sys, RUNG_ALL, 0.3, u, (PetscReal[]){2 * sigma[0], 2 * sigma[1]}, 2, e, &yes));
    PetscCall(VecScale(d, 2));
    PetscCall(check_same(d, e));
    PetscCall(MatDestroy(&J));
  }
  PetscCall(vecs_destroy(2, u));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&e));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_diagonal_needs_no_matrix(void)
{
  PetscCall(check_diagonal("P1", "dt(u)*v*dx + (1 + t*u^2)*inner(grad(u), grad(v))*dx + u*v*ds(right)", PETSC_TRUE));
  PetscCall(
    check_diagonal("P2^2", "inner(dt(u), v)*dx + inner(sym(grad(u)), sym(grad(v)))*dx + u[0]*v[1]*dx", PETSC_TRUE));
  PetscCall(check_diagonal("P2", "dt(u)*v*dx + dot(jump(grad(u)), jump(grad(v)))*dS", PETSC_FALSE));
  PetscCall(check_diagonal("P1", "dt(u + u^3)*v*dx", PETSC_FALSE));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_diagonal_needs_no_matrix), RUNG_TEST(test_compiled_kernels_say_the_same),
               RUNG_TEST(test_derivatives_are_those_of_f_on_all_cells), RUNG_TEST(test_several_fields_and_constraints),
               RUNG_TEST(test_tables_decisions_and_fields_change_with_t), RUNG_TEST(test_fields_move_with_their_rates),
               RUNG_TEST(test_unknowns_of_other_systems_have_to_have_their_rate))
