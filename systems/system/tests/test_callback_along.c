/* test_callback_along.c - J x and dF/dt of C functions: exact by their Jacobian, to ten digits by differences. */
#include "ode_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_method.h>

/* F = scale^2 u'' + scale u' u + sin(w t) u^2 + cos(w t),  entry by entry */
typedef struct {
  PetscReal scale, w;
} Pulse;

static PetscErrorCode pulse_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Pulse       *p = ctx;
  const PetscScalar *x[3];
  PetscScalar       *y;
  PetscInt           n;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(VecGetLocalSize(r, &n));
  for (int k = 0; k < 3; ++k) PetscCall(VecGetArrayRead(u[k], &x[k]));
  PetscCall(VecGetArrayWrite(r, &y));
  for (PetscInt i = 0; i < n; ++i)
    y[i] = p->scale * p->scale * x[2][i] + p->scale * x[1][i] * x[0][i] + sin(p->w * t) * x[0][i] * x[0][i] +
           cos(p->w * t);
  PetscCall(VecRestoreArrayWrite(r, &y));
  for (int k = 0; k < 3; ++k) PetscCall(VecRestoreArrayRead(u[k], &x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pulse_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                     void *ctx)
{
  const Pulse       *p = ctx;
  const PetscScalar *x[2];
  PetscInt           start, end;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (int k = 0; k < 2; ++k) PetscCall(VecGetArrayRead(u[k], &x[k]));
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt    a = i - start;
    const PetscScalar d = sigma[2] * p->scale * p->scale + sigma[1] * p->scale * x[0][a] +
                          sigma[0] * (p->scale * x[1][a] + 2 * sin(p->w * t) * x[0][a]);

    PetscCall(MatSetValue(J, i, i, d, ADD_VALUES));
  }
  for (int k = 0; k < 2; ++k) PetscCall(VecRestoreArrayRead(u[k], &x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pulse_create(Pulse *pulse, PetscBool exact, RungSystem *sys)
{
  const RungTraits traits = {.unknowns = 1, .order = 2};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemSetCallbacks(*sys, 4, traits, pulse_residual, exact ? pulse_jacobian : NULL, pulse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_action(PetscReal scale, PetscBool exact, PetscReal tolerance)
{
  Pulse           pulse   = {scale, 1 / scale};
  const PetscReal sigma[] = {0.5, 2 / scale, 3 / (scale * scale)}, t = 0.4 * scale;
  RungSystem      sys;
  Vec             u[3], x, y, wanted;
  Mat             J;
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(pulse_create(&pulse, exact, &sys));
  PetscCall(vecs_create(sys, 3, u));
  for (int k = 1; k < 3; ++k) PetscCall(VecScale(u[k], PetscPowReal(scale, -(PetscReal)k)));
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(vec_fill(x, 9));
  PetscCall(VecScale(x, 1e3)); /* its length does not matter */
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &wanted));
  PetscCall(RungSystemAction(sys, t, u, sigma, x, y));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(MatZeroEntries(J));
  PetscCall(pulse_jacobian(sys, t, u, sigma, J, &pulse));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatMult(J, x, wanted));
  PetscCall(vec_distance(y, wanted, &distance));
  CHECK_NEAR(distance, 0, 1e3 * tolerance);
  PetscCall(VecZeroEntries(x));
  PetscCall(RungSystemAction(sys, t, u, sigma, x, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &distance));
  CHECK(distance == 0);
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&wanted));
  PetscCall(vecs_destroy(3, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_products_are_those_of_the_jacobian(void)
{
  PetscCall(check_action(1, PETSC_TRUE, 1e-14));
  PetscCall(check_action(1, PETSC_FALSE, 1e-9));
  PetscCall(check_action(1048576, PETSC_FALSE, 1e-9));
  return PETSC_SUCCESS;
}

/* dF/dt = w (cos(w t) u^2 - sin(w t)); at rest nothing but t tells how fast F changes */
static PetscErrorCode check_rate(PetscReal w, PetscReal t, PetscBool rest, PetscReal tolerance)
{
  Pulse              pulse = {1 / w, w};
  RungSystem         sys;
  Vec                u[3], r;
  PetscReal          worst = 0;
  PetscInt           n;
  const PetscScalar *x, *y;

  PetscFunctionBegin;
  PetscCall(pulse_create(&pulse, PETSC_FALSE, &sys));
  PetscCall(vecs_create(sys, 3, u));
  PetscCall(VecScale(u[1], rest ? 0 : w));
  PetscCall(VecScale(u[2], w * w));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemTimeDerivative(sys, t, u, r));
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(u[0], &x));
  PetscCall(VecGetArrayRead(r, &y));
  for (PetscInt i = 0; i < n; ++i)
    worst = PetscMax(worst, PetscAbsScalar(y[i] / w - cos(w * t) * x[i] * x[i] + sin(w * t)));
  PetscCall(VecRestoreArrayRead(u[0], &x));
  PetscCall(VecRestoreArrayRead(r, &y));
  CHECK_NEAR(worst, 0, tolerance);
  PetscCall(VecDestroy(&r));
  PetscCall(vecs_destroy(3, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_derivative_by_t_has_ten_digits_in_any_units(void)
{
  for (int rest = 0; rest < 2; ++rest) {
    PetscCall(check_rate(1, 0.7, rest ? PETSC_TRUE : PETSC_FALSE, 1e-9));
    PetscCall(check_rate(1, 0, rest ? PETSC_TRUE : PETSC_FALSE, 1e-9));
    PetscCall(check_rate(1048576, 0.7 / 1048576, rest ? PETSC_TRUE : PETSC_FALSE, 1e-9));
    PetscCall(check_rate(1. / 1048576, 0.7 * 1048576, rest ? PETSC_TRUE : PETSC_FALSE, 1e-9));
    PetscCall(check_rate(1, 1e6, rest ? PETSC_TRUE : PETSC_FALSE, 1e-8));
  }
  return PETSC_SUCCESS;
}

/* .. at t = 0 too, where nothing but rates, which a method may not know yet, tells how fast: years and picoseconds in seconds */
static PetscErrorCode test_the_derivative_by_t_at_0_has_digits_without_rates(void)
{
  for (PetscReal w = 1; w > 1e-14; w /= 1e3) {
    PetscCall(check_rate(w, 0, PETSC_TRUE, 1e-9));
    PetscCall(check_rate(1 / w, 0, PETSC_TRUE, 1e-9));
  }
  return PETSC_SUCCESS;
}

/* F = u' + exp(-(t/T)^2 + t/T), T = 1e-9: nothing is to be seen of it a while later */
static void flash(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  const PetscReal s = t * 1e9;

  r[0] = u[1][0] + exp(-s * s + s);
}

static PetscErrorCode test_a_flash_is_seen_by_who_knows_its_time(void)
{
  const Ode          ode = {.n = 1, .order = 1, .function = flash, .initial = (PetscReal[]){1, 0}};
  const PetscScalar *y;
  RungSystem         sys;
  Vec                u[2], r;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecZeroEntries(u[1]));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemTimeDerivativeWithin(sys, 0, 3e-9, u, r));
  PetscCall(VecGetArrayRead(r, &y));
  CHECK_NEAR(PetscRealPart(y[0]) * 1e-9, 1, 1e-9);
  PetscCall(VecRestoreArrayRead(r, &y));
  PetscCall(VecDestroy(&r));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = u' + log(t): there is nothing before t = 0 */
static void logarithm(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  r[0] = u[1][0] + log(t);
}

/* F = u' + u: not changed by t at all */
static void decay(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[1][0] + u[0][0];
}

static PetscErrorCode rate_of(OdeFn *function, PetscReal t, PetscReal *rate)
{
  const Ode          ode = {.n = 1, .order = 1, .function = function, .initial = (PetscReal[]){1, 0}};
  const PetscScalar *y;
  RungSystem         sys;
  Vec                u[2], r;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemTimeDerivative(sys, t, u, r));
  PetscCall(VecGetArrayRead(r, &y));
  *rate = PetscRealPart(y[0]);
  PetscCall(VecRestoreArrayRead(r, &y));
  PetscCall(VecDestroy(&r));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_times_where_f_is_not_defined_do_not_matter(void)
{
  PetscReal rate;

  PetscCall(rate_of(logarithm, 0.01, &rate));
  CHECK_NEAR(rate, 100, 1e-6);
  PetscCall(rate_of(decay, 3, &rate));
  CHECK(rate == 0);
  return PETSC_SUCCESS;
}

/* R = u' - u + t,  m = u^3 + u: F = u' - u + t + (3 u^2 + 1) u' */
static PetscErrorCode rest(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecWAXPY(r, -1, u[0], u[1]));
  PetscCall(VecShift(r, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserved(RungSystem sys, PetscReal t, Vec u, Vec m, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecPointwiseMult(m, u, u));
  PetscCall(VecShift(m, 1));
  PetscCall(VecPointwiseMult(m, m, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserved_jacobian(RungSystem sys, PetscReal t, Vec u, PetscReal sigma, Mat J, void *ctx)
{
  const PetscScalar *x;
  PetscInt           start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = start; i < end; ++i)
    PetscCall(MatSetValue(J, i, i, sigma * (3 * x[i - start] * x[i - start] + 1), ADD_VALUES));
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J 1 = sigma_0 (6 u u' - 1) + sigma_1 (3 u^2 + 2) */
static PetscErrorCode check_conserved(PetscBool exact, const PetscReal sigma[])
{
  const RungTraits traits = {.unknowns = 1, .order = 1};
  RungSystem       sys;
  Vec              u[2], x, y;
  PetscReal        value;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, 2, traits, rest, NULL, NULL));
  PetscCall(RungSystemSetConservedCallbacks(sys, conserved, exact ? conserved_jacobian : NULL));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecSet(u[0], 0.5));
  PetscCall(VecSet(u[1], 3));
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(VecDuplicate(u[0], &y));
  PetscCall(VecSet(x, 1));
  if (!exact && sigma[0] != 0)
    CHECK_RAISES(RungSystemAction(sys, 0, u, sigma, x, y), "needs dm/du");
  else {
    PetscCall(RungSystemAction(sys, 0, u, sigma, x, y));
    PetscCall(VecMax(y, NULL, &value));
    CHECK_NEAR(value, sigma[0] * 8 + sigma[1] * 2.75, 1e-9);
  }
  PetscCall(RungSystemTimeDerivative(sys, 2, u, y));
  PetscCall(VecMin(y, NULL, &value));
  CHECK_NEAR(value, 1, 1e-10);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conserved_terms_are_taken_by_the_chain_rule(void)
{
  PetscCall(check_conserved(PETSC_TRUE, (PetscReal[]){0.5, 2}));
  PetscCall(check_conserved(PETSC_FALSE, (PetscReal[]){0, 2}));
  PetscCall(check_conserved(PETSC_FALSE, (PetscReal[]){1, 0}));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_products_are_those_of_the_jacobian),
               RUNG_TEST(test_the_derivative_by_t_has_ten_digits_in_any_units),
               RUNG_TEST(test_the_derivative_by_t_at_0_has_digits_without_rates),
               RUNG_TEST(test_a_flash_is_seen_by_who_knows_its_time),
               RUNG_TEST(test_times_where_f_is_not_defined_do_not_matter),
               RUNG_TEST(test_conserved_terms_are_taken_by_the_chain_rule))
