/* test_promises.c - what is promised of steps, kept by every method of the registry: one limit where data jump, errors near what the
   tolerances say, orders where constants change, outputs that cost no steps.  -promises_print prints what is found. */
#include "jumps.h"

static PetscBool prints(void)
{
  PetscBool given = PETSC_FALSE;

  (void)PetscOptionsGetBool(NULL, NULL, "-promises_print", &given, NULL);
  return given;
}

/* ---- heat between ends that rise ------------------------------------------------------------------------------------- */

static PetscErrorCode test_fixed_steps_of_every_method_have_one_limit(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt m = 0; m < n; ++m) {
    RungMethodPlan plan;
    PetscReal      mean;

    PetscCall(RungStepperGetPlan(type[m], method[m], &plan));
    if (!(plan.can & RUNG_CAN_ORDER1)) continue;
    PetscCall(
      jumps_mean(JUMPS_HEAT, "if(t < 100, 0, 1)", type[m], method[m], plan.order == 1 ? 0.05 : 0.25, 0, &mean, NULL));
    if (prints()) printf("limit %-12s %-26s %.7f\n", type[m], method[m], (double)mean);
    if (PetscAbsReal(mean - JUMPS_LIMIT) > 1e-4) fprintf(stderr, "%s %s: ", type[m], method[m]);
    CHECK_NEAR(mean, JUMPS_LIMIT, 1e-4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many tolerances the errors of a method may reach, where not 2. */
static PetscReal allowed(const char method[])
{
  if (!strcmp(method, "theta")) return 7;       /* of order 1, in proportion to the tolerance; it warns */
  if (!strcmp(method, "fehlberg21")) return 20; /* its estimate is a 512th of a difference; it warns */
  if (!strcmp(method, "dopri87")) return 10;
  return 2;
}

static PetscErrorCode test_errors_of_every_method_are_within_two_tolerances(void)
{
  static const struct {
    const char *data;
    PetscReal   mean;
  } rows[] = {{"if(t < 100, 0, 1)", 0.698846666},
              {"min(1, max(0, (t - 100)/0.5))", 0.6980999005},
              {"0.5*(1 + tanh((t - 100)/0.1))", 0.698846666}};
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt m = 0; m < 6 * n; ++m) {
    const PetscInt  i = m / 6, row = m % 3;
    const PetscReal rtol = m % 6 < 3 ? 1e-4 : 1e-6;
    RungMethodPlan  plan;
    PetscReal       mean;
    PetscInt        steps;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (!(plan.can & RUNG_CAN_ORDER1) || !plan.exponent) continue;
    PetscCall(jumps_mean(JUMPS_HEAT, rows[row].data, type[i], method[i], 0.1, rtol, &mean, &steps));
    mean = PetscAbsReal(mean - rows[row].mean) / rtol;
    if (prints())
      printf("ends %-12s %-26s %-30s %.0e %6d steps, error %.2f rtol\n", type[i], method[i], rows[row].data,
             (double)rtol, (int)steps, (double)mean);
    if (mean > allowed(method[i]))
      fprintf(stderr, "%s %s, %s, rtol %.0e: error %.2f rtol\n", type[i], method[i], rows[row].data, (double)rtol,
              (double)mean);
    CHECK(mean <= allowed(method[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constant_that_changes_keeps_the_order_of_every_method(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt m = 0; m < n; ++m) PetscCall(jumps_check_change(type[m], method[m], 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_fixed_steps_of_every_method_have_one_limit),
               RUNG_TEST(test_errors_of_every_method_are_within_two_tolerances),
               RUNG_TEST(test_a_constant_that_changes_keeps_the_order_of_every_method))
