/* test_lumped.c - row sums of masses: those of a rule at the nodes, positive or refused. */
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_room.h>

/* The mass of `spec`, with data on the left, against F at a rate of 1 without data: all columns count. */
static PetscErrorCode check_sums(const char cell[], PetscInt dim, const char spec[], const char mass[])
{
  const PetscReal sigma[] = {0, 1};
  RungSystem      sys[2];
  Vec             u[2], d, r, gap;
  PetscScalar    *x, *y;
  PetscReal       distance, least;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(system_create(cell, dim, dim == 3 ? 2 : 3, spec, &sys[i]));
    PetscCall(RungSystemAddResidual(sys[i], mass));
    if (!i && spec[1] > '0') PetscCall(RungSystemSetDirichlet(sys[i], "u", "left", "0"));
  }
  PetscCall(vecs_create(sys[0], 2, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(VecDuplicate(u[0], &gap));
  PetscCall(RungSystemLumpedMass(sys[0], 0.5, u, sigma, d));
  PetscCall(VecSet(u[0], 1)); /* what is not the mass has no part in it */
  PetscCall(VecSet(u[1], 1));
  PetscCall(RungSystemResidual(sys[1], 0.5, u, r));
  PetscCall(VecSet(gap, 0));
  PetscCall(RungSystemImposeDirichlet(sys[0], 0, 0, r)); /* 0 where data are */
  PetscCall(VecCopy(d, gap));
  PetscCall(RungSystemImposeDirichlet(sys[0], 0, 0, gap));
  PetscCall(VecMin(d, NULL, &least));
  CHECK(least > 0);
  PetscCall(vec_distance(gap, r, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(VecGetArray(gap, &x));
  PetscCall(VecGetArray(d, &y));
  if (x[0] == 0) CHECK(y[0] == 1); /* given */
  PetscCall(VecRestoreArray(gap, &x));
  PetscCall(VecRestoreArray(d, &y));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&gap));
  PetscCall(vecs_destroy(2, u));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemDestroy(&sys[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_all_columns_are_summed(void)
{
  PetscCall(check_sums("interval", 1, "P3", "(1 + x[0])*dt(u)*v*dx"));
  PetscCall(check_sums("triangle", 2, "P1", "(1 + t)*dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(check_sums("quadrilateral", 2, "Q3", "dt(u)*v*dx"));
  PetscCall(check_sums("tetrahedron", 3, "P1", "dt(u)*v*dx"));
  PetscCall(check_sums("hexahedron", 3, "Q2", "dt(u)*v*dx"));
  PetscCall(check_sums("triangle", 2, "P1^2", "inner(dt(u), v)*dx"));
  PetscCall(check_sums("quadrilateral", 2, "P0", "dt(u)*v*dx"));
  return PETSC_SUCCESS;
}

/* One square of Q2: the Gauss-Lobatto weights 1/6, 4/6, 1/6 in both directions. */
static PetscErrorCode test_sums_on_tensor_cells_are_the_weights_of_gauss_and_lobatto(void)
{
  const PetscReal sigma[] = {0, 1};
  RungSystem      sys;
  Vec             u[2], d;
  PetscReal       least, most;
  PetscScalar     sum;

  PetscCall(system_create("quadrilateral", 2, 1, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(RungSystemLumpedMass(sys, 0, u, sigma, d));
  PetscCall(VecMin(d, NULL, &least));
  PetscCall(VecMax(d, NULL, &most));
  PetscCall(VecSum(d, &sum));
  CHECK_NEAR(least, 1. / 36, 1e-15);
  CHECK_NEAR(most, 16. / 36, 1e-15);
  CHECK_NEAR(PetscRealPart(sum), 1, 1e-15);
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

/* Masters have the rows of their slaves: the sum of all is the measure of the square. */
static PetscErrorCode test_masters_carry_their_slaves(void)
{
  const PetscReal sigma[] = {0, 1};
  RungSystem      sys;
  Vec             u[2], d;
  PetscScalar     sum;
  PetscReal       least, most;

  PetscCall(system_create("quadrilateral", 2, 4, "Q1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  PetscCall(RungSystemAddPeriodic(sys, "u", "right", "left", NULL, NULL));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(RungSystemLumpedMass(sys, 0, u, sigma, d));
  PetscCall(VecMin(d, NULL, &least));
  PetscCall(VecMax(d, NULL, &most));
  CHECK_NEAR(least, 1. / 16, 1e-15);
  CHECK_NEAR(most, 1, 1e-15); /* slaves */
  PetscCall(VecSum(d, &sum));
  CHECK_NEAR(PetscRealPart(sum), 1 + 9, 1e-13); /* the square, and 9 slaves */
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode refuses(const char cell[], PetscInt dim, const char spec[], const char mass[],
                              const char message[])
{
  const PetscReal sigma[] = {0, 1};
  RungSystem      sys;
  Vec             u[2], d;

  PetscFunctionBegin;
  PetscCall(system_create(cell, dim, 2, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, mass));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &d));
  CHECK_RAISES(RungSystemLumpedMass(sys, 0, u, sigma, d), message);
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_masses_that_no_diagonal_stands_for_are_refused(void)
{
  PetscCall(refuses("tetrahedron", 3, "P2", "dt(u)*v*dx", "(P2 on a mesh of tetrahedron cells)"));
  PetscCall(refuses("triangle", 2, "P1^2", "inner(dt(u), v)*dx + dt(u[0])*v[1]*dx", "the mass joins components"));
  return PETSC_SUCCESS;
}

/* u'' + u = 0 */
static PetscErrorCode test_callbacks_have_sums_too(void)
{
  RungSystem sys;
  Vec        u[3], d;
  PetscReal  least;

  PetscCall(oscillator_create(2, &sys));
  PetscCall(vecs_create(sys, 3, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(RungSystemLumpedMass(sys, 0, u, (PetscReal[]){0, 0, 3}, d));
  PetscCall(VecMin(d, NULL, &least));
  CHECK_NEAR(least, 3, 1e-15);
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(3, u));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_all_columns_are_summed),
               RUNG_TEST(test_sums_on_tensor_cells_are_the_weights_of_gauss_and_lobatto),
               RUNG_TEST(test_masters_carry_their_slaves),
               RUNG_TEST(test_masses_that_no_diagonal_stands_for_are_refused), RUNG_TEST(test_callbacks_have_sums_too))
