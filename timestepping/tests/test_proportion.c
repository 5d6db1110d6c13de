/* test_proportion.c - errors follow tolerances: every method with an estimate, by proportion.h; test_control.c has one of each family.
   Where they are far above them in stiff equations the method warns. */
#include "proportion.h"

static PetscErrorCode test_errors_follow_tolerances_over_five_decades(void)
{
  const char *const *types, *const *methods;
  char      from[128] = "";
  PetscBool given;
  PetscInt  n;

  PetscFunctionBegin;
  printf("slope that is wanted; slope, scatter and error/tolerance on:");
  for (int k = 0; k < TASKS; ++k) printf(" %s", tasks[k].name);
  printf("\n");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-proportion_from", from, sizeof from, &given));
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    if (given && strcmp(methods[i], from) != 0) continue;
    given = PETSC_FALSE;
    PetscCall(RungStepperGetPlan(types[i], methods[i], &plan));
    if (plan.exponent) PetscCall(check_proportion(types[i], methods[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where equations are stiff ------------------------------------------------------------------------------------ */

#define LIES 15 /* errors in units of the tolerance that a method does not warn of */

/* Robertson's kinetics, by sizes of each, at t = 40 and Prothero and Robinson's equation with lambda = 1e6 at t = 2, both by their solutions. */
static void robertson(PetscReal t, PetscReal y[])
{
  y[0] = t > 0 ? 0.7158270687194 : 1;
  y[1] = t > 0 ? 0.9185534764558e-5 : 0;
  y[2] = t > 0 ? 0.2841637457459 : 0;
}

static void robertson_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  (void)t;
  f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  f[2] = 3e7 * y[1] * y[1];
  f[1] = -f[0] - f[2];
}

static void robertson_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  (void)t;
  J[0][0] = -0.04, J[0][1] = 1e4 * y[2], J[0][2] = 1e4 * y[1];
  J[2][1] = 6e7 * y[1];
  for (int j = 0; j < 3; ++j) J[1][j] = -J[0][j] - J[2][j];
}

static void fast(PetscReal t, PetscReal y[])
{
  y[0] = cos(t);
}

static void fast_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  f[0] = -1e6 * (y[0] - cos(t)) - sin(t);
}

static void fast_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  (void)t, (void)y;
  J[0][0] = -1e6;
}

/* The error at the end, in units of the tolerance; atol is 1e-4 of that for Robertson's kinetics, whose second number is 1e-5. */
static PetscErrorCode stiff_error(const Proportion *task, const char type[], const char method[], PetscReal tolerance,
                                  PetscReal *error)
{
  Watch       it = {task, 0};
  PetscReal   y[3], exact[3];
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create_stepper(&it, type, method, task->end, task->late, tolerance,
                           task->n == 3 ? 1e-4 * tolerance : tolerance, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, task->n, y));
  task->exact(task->end, exact);
  for (PetscInt i = 0; i < task->n; ++i)
    *error = PetscMax(*error, PetscAbsReal(y[i] - exact[i]) / PetscAbsReal(exact[i]) / tolerance);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_methods_warn_whose_estimates_lie_where_equations_are_stiff(void)
{
  static const Proportion stiff[] = {{"Robertson", 1, 3, 40, 1e-4, robertson, robertson_f, robertson_by_y},
                                     {"follower, 1e6", 1, 1, 2, 1e-2, fast, fast_f, fast_by_y}};
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;
    PetscReal      worst = 0;

    PetscCall(RungStepperGetPlan(types[i], methods[i], &plan));
    if (!plan.exponent || !plan.solves || !(plan.can & RUNG_CAN_ORDER1)) continue;
    for (int k = 0; k < 4; ++k)
      PetscCall(stiff_error(&stiff[k / 2], types[i], methods[i], k % 2 ? 1e-6 : 1e-5, &worst));
    printf("%-12s %-26s %6.2g %s\n", types[i], methods[i], worst, plan.caution ? plan.caution : "");
    CHECK(worst < LIES || plan.caution);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_errors_follow_tolerances_over_five_decades),
               RUNG_TEST(test_methods_warn_whose_estimates_lie_where_equations_are_stiff))
