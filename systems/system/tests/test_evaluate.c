/* test_evaluate.c - F = R + dm/dt: the conserved vector, its Jacobian, and both ways to write F. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode create(PetscBool conserve, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", sys));
  PetscCall(RungSystemDefine(*sys, "rho", "u + u^3"));
  PetscCall(RungSystemAddResidual(*sys, "dt(rho)*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "inner(grad(u), grad(v))*dx - x[0]*v*dx"));
  PetscCall(RungSystemAddQuantity(*sys, "total", "rho*dx"));
  if (!conserve) PetscCall(PetscOptionsSetValue(NULL, "-system_conserve", "false"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_conserve"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_conserved_vector_sums_to_the_total(void)
{
  RungSystem  sys;
  RungTraits  traits;
  Vec         v[3];
  PetscScalar sum;
  PetscReal   total;

  PetscFunctionBegin;
  PetscCall(create(PETSC_TRUE, &sys));
  PetscCall(vecs_create(sys, 3, v));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(traits.conserved && !traits.linear && traits.order == 1);
  PetscCall(RungSystemConserved(sys, 0, v[0], v[2]));
  PetscCall(VecSum(v[2], &sum));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, v, &total));
  CHECK_NEAR(sum, total, 1e-14);
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_chain_rule_is_the_derivative_of_the_conserved_vector(void)
{
  const PetscReal none[] = {0, 0}, eps = 1e-5;
  RungSystem      sys;
  Vec             v[7]; /* u, u', F, R, m+, m-, u +- eps u' */
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(create(PETSC_TRUE, &sys));
  PetscCall(vecs_create(sys, 7, v));
  PetscCall(RungSystemResidual(sys, 0, v, v[2]));
  PetscCall(RungSystemStageResidual(sys, 0, v, none, v[3]));
  for (PetscInt i = 0; i < 2; ++i) {
    PetscCall(VecWAXPY(v[6], i ? -eps : eps, v[1], v[0]));
    PetscCall(RungSystemConserved(sys, 0, v[6], v[4 + i]));
  }
  PetscCall(VecAXPY(v[4], -1, v[5]));
  PetscCall(VecAXPY(v[3], 1 / (2 * eps), v[4])); /* R + dm/dt by central differences */
  PetscCall(vec_distance(v[2], v[3], &distance));
  CHECK_NEAR(distance, 0, 1e-9);
  PetscCall(vecs_destroy(7, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stage forms of both kinds, and their derivative: central differences of the residual along d against J d. */
static PetscErrorCode taylor(PetscBool conserve)
{
  const PetscReal slope[] = {1, 20}, eps = 1e-5;
  RungSystem      sys;
  Vec             v[7]; /* u, u', d, J d, r+, r-, u(w) +- */
  Mat             J;
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(create(conserve, &sys));
  PetscCall(vecs_create(sys, 7, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemStageJacobian(sys, 0.1, v, slope, J));
  PetscCall(MatMult(J, v[2], v[3]));
  for (PetscInt i = 0; i < 2; ++i) {
    Vec at[2] = {v[6], NULL};

    PetscCall(VecDuplicate(v[1], &at[1]));
    PetscCall(VecWAXPY(at[0], i ? -eps : eps, v[2], v[0]));
    PetscCall(VecWAXPY(at[1], (i ? -eps : eps) * slope[1], v[2], v[1]));
    PetscCall(RungSystemStageResidual(sys, 0.1, at, slope, v[4 + i]));
    PetscCall(VecDestroy(&at[1]));
  }
  PetscCall(VecAXPY(v[4], -1, v[5]));
  PetscCall(VecScale(v[4], 1 / (2 * eps)));
  PetscCall(vec_distance(v[3], v[4], &distance));
  CHECK_NEAR(distance, 0, 1e-7);
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(7, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_stage_jacobian_is_the_derivative_of_the_stage_residual(void)
{
  PetscFunctionBegin;
  PetscCall(taylor(PETSC_TRUE));
  PetscCall(taylor(PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conserved_terms_can_be_expanded_on_request(void)
{
  RungSystem sys;
  RungTraits traits;
  Vec        v[1];

  PetscFunctionBegin;
  PetscCall(create(PETSC_FALSE, &sys));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(!traits.conserved);
  PetscCall(vecs_create(sys, 1, v));
  CHECK_RAISES(RungSystemConserved(sys, 0, v[0], v[0]), "no conserved terms");
  PetscCall(vecs_destroy(1, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two unknowns, only the first conserved: rows of m have the weight of their own unknown. */
static PetscErrorCode test_rows_of_the_conserved_vector_have_the_slope_of_their_unknown(void)
{
  const PetscReal slope[] = {0, 0, 5, 11}, none[] = {0, 0, 0, 0};
  RungSpace       space;
  RungSystem      sys;
  Vec             v[5]; /* u, u', with, without, m */
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(space_create("interval", 1, 3, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "a", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "b", "q", space));
  PetscCall(RungSystemAddResidual(sys, "dt(a^2*b)*p*dx + dt(b*a)*q*dx"));
  PetscCall(vecs_create(sys, 5, v));
  PetscCall(RungSystemStageResidual(sys, 0, v, slope, v[2]));
  PetscCall(RungSystemStageResidual(sys, 0, v, none, v[3]));
  PetscCall(RungSystemConserved(sys, 0, v[0], v[4]));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscInt     start, end;
    PetscScalar *x;

    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    PetscCall(VecGetArray(v[4], &x));
    for (PetscInt i = start; i < end; ++i) x[i] *= slope[2 + f];
    PetscCall(VecRestoreArray(v[4], &x));
  }
  PetscCall(VecAXPY(v[3], 1, v[4]));
  PetscCall(vec_distance(v[2], v[3], &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(vecs_destroy(5, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both parts of J have an identity in Dirichlet rows; their sum must have one, too. */
static PetscErrorCode test_dirichlet_rows_of_the_stage_jacobian_are_those_of_the_identity(void)
{
  const PetscReal slope[] = {1, 20};
  RungSystem      sys;
  Vec             v[4], values; /* u, u', d, J d */
  IS              rows;
  Mat             J;
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u + u^3)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "1"));
  PetscCall(vecs_create(sys, 4, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemStageJacobian(sys, 0, v, slope, J));
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  PetscCall(VecSet(v[2], 0));
  PetscCall(VecISSet(v[2], rows, 1));
  PetscCall(MatMult(J, v[2], v[3]));
  PetscCall(vec_distance(v[2], v[3], &distance));
  CHECK(distance == 0);
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(4, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_vectors_of_another_system_are_refused(void)
{
  const PetscReal sigma[] = {1, 1};
  RungSystem      sys;
  Mat             J;
  Vec             v[3], other;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(vecs_create(sys, 3, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 5, &other));
  PetscCall(VecSet(other, 1));
  CHECK_RAISES(RungSystemResidual(sys, 0, (Vec[]){other, v[1]}, v[2]), "u[k] of a state has 5 entries, the system 9");
  CHECK_RAISES(RungSystemResidual(sys, 0, v, other), "the result has 5 entries, the system 9");
  CHECK_RAISES(RungSystemResidual(sys, 0, v, v[0]), "F into u[0], where it is taken");
  CHECK_RAISES(RungSystemResidual(sys, 0, NULL, v[2]), "F without u");
  CHECK_RAISES(RungSystemResidual(sys, 0, v, NULL), "RungSystemResidual was called with r = NULL");
  CHECK_RAISES(RungSystemJacobian(sys, 0, (Vec[]){other, v[1]}, sigma, J), "the system 9");
  CHECK_RAISES(RungSystemJacobian(sys, 0, v, NULL, J), "J without sigma");
  CHECK_RAISES(RungSystemAction(sys, 0, v, sigma, other, v[2]), "a vector of the system has 5 entries");
  CHECK_RAISES(RungSystemTimeDerivative(sys, 0, v, other), "the result has 5 entries");
  CHECK_RAISES(RungSystemLumpedMass(sys, 0, v, sigma, other), "a lumped mass of");
  CHECK_RAISES(RungSystemImposeDirichlet(sys, 0, 0, other), "boundary data for a Vec of 5 entries in a system of 9");
  PetscCall(VecDestroy(&other));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many entries as the system, but others on a rank, or on other ranks: all of them say so, also those that have what they want. */
static PetscErrorCode test_vectors_that_are_spread_otherwise_are_refused(void)
{
  RungSystem  sys;
  Vec         v[3], other;
  PetscMPIInt rank, size;
  PetscInt    local, global;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(system_create("triangle", 2, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(vecs_create(sys, 3, v));
  PetscCall(VecGetLocalSize(v[0], &local));
  PetscCall(VecGetSize(v[0], &global));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, local + (rank == 0 ? 1 : rank == 1 ? -1 : 0), PETSC_DETERMINE, &other));
  PetscCall(VecSet(other, 1));
  CHECK_RAISES(RungSystemResidual(sys, 0, (Vec[]){other, v[1]}, v[2]), "entries on rank 0, where the system has");
  CHECK_RAISES(RungSystemResidual(sys, 0, v, other), "entries on rank 0, where the system has");
  PetscCall(VecDestroy(&other));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, global, &other));
  PetscCall(VecSet(other, 1));
  CHECK_RAISES(RungSystemResidual(sys, 0, v, other), "the result is on 1 ranks, the system on");
  PetscCall(VecDestroy(&other));
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_vectors_of_another_system_are_refused),
               RUNG_TEST(test_vectors_that_are_spread_otherwise_are_refused),
               RUNG_TEST(test_the_conserved_vector_sums_to_the_total),
               RUNG_TEST(test_the_chain_rule_is_the_derivative_of_the_conserved_vector),
               RUNG_TEST(test_the_stage_jacobian_is_the_derivative_of_the_stage_residual),
               RUNG_TEST(test_conserved_terms_can_be_expanded_on_request),
               RUNG_TEST(test_rows_of_the_conserved_vector_have_the_slope_of_their_unknown),
               RUNG_TEST(test_dirichlet_rows_of_the_stage_jacobian_are_those_of_the_identity))
