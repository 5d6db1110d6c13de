/* test_stage.c - matrices and factors are kept where they may be; Newton's ends; conserved totals; ranks. */
#include "../step_impl.h"
#include "conserving.h"

static PetscErrorCode run(Ode *ode, const char type[], const char method[], PetscReal t1, PetscReal dt,
                          RungStepperStatistics *s)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_WORLD, ode, type, method, 0.1, 0.1 + t1, dt, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* wanted: distinct slopes of the method over 30 steps of one size. */
static PetscErrorCode test_a_linear_system_is_factored_once_for_each_slope(void)
{
  static const struct {
    const char *type, *method;
    PetscInt    slopes, stages;
  } row[] = {{RUNGDIRK, "euler", 1, 1},         {RUNGDIRK, "trbdf2", 1, 2}, {RUNGDIRK, "esdirk54", 1, 6},
             {RUNGDIRK, "wso432", 4, 4},        {RUNGBDF, "bdf1", 1, 1},    {RUNGBDF, "bdf2", 2, 1},
             {RUNGALPHA, "chung_hulbert", 1, 1}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    Ode                   ode = relaxation(2, 3);
    RungStepperStatistics s;

    PetscCall(run(&ode, row[i].type, row[i].method, 0.9, 0.03, &s));
    CHECK(s.steps == 30);
    CHECK(s.jacobians == row[i].slopes);
    CHECK(s.factorisations == row[i].slopes);
    CHECK(s.residuals == 30 * row[i].stages);
    CHECK(s.newton == 30 * row[i].stages);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_order_2_and_a_short_last_step_cost_one_matrix_more(void)
{
  Ode                   ode = oscillator(3, 0.1);
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(run(&ode, RUNGALPHA, "hht", 0.9, 0.03, &s));
  CHECK(s.jacobians == 1 && s.factorisations == 1);
  PetscCall(run(&ode, RUNGALPHA, "hht", 0.91, 0.03, &s));
  CHECK(s.steps == 31 && s.jacobians == 2 && s.factorisations == 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_matrix_that_depends_on_time_is_assembled_for_each_solve(void)
{
  Ode                   ode = relaxation(2, 3);
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;
  RungTraits            traits = {.unknowns = 1, .order = 1, .unknown_order = {1}, .linear = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, ode.local, traits, ode.residual, ode.jacobian, &ode));
  PetscCall(RungSystemSetInitialCallback(sys, ode.initial));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.jacobians == 10 && s.factorisations == 10 && s.newton == 10);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conserved terms --------------------------------------------------------------------------------------------- */

static PetscErrorCode conserving(const char type[], const char method[], PetscReal t1, PetscReal dt, PetscReal y[2])
{
  Ode         ode = conserving_ode();
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_create(PETSC_COMM_SELF, &ode, &sys));
  PetscCall(RungSystemSetConservedCallbacks(sys, density, density_jacobian));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, t1, dt));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_conserves_the_total_to_rounding(void)
{
  const PetscReal    start[2] = {1.5, 0.2};
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal y[2], large;

    if (!strcmp(type[i], RUNGALPHA) && strcmp(method[i], "chung_hulbert") != 0) continue;
    PetscCall(conserving(type[i], method[i], 2, 0.1, y));
    large = !strcmp(method[i], "sdirk_5_3_4") ? 4 : 1; /* its weights reach 7.8 */
    if (fabs(total(y) / total(start) - 1) > large * 1e-14) fprintf(stderr, "%s %s: ", type[i], method[i]);
    CHECK_NEAR(total(y) / total(start), 1, large * 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_with_conserved_terms(void)
{
  static const char *const type[]   = {RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGBDF, RUNGBDF, RUNGALPHA};
  static const char *const method[] = {"euler", "midpoint", "trbdf2",       "esdirk43", "sdirk34_crouzeix",
                                       "bdf1",  "bdf2",     "chung_hulbert"};
  static const PetscReal   order[]  = {1, 2, 2, 4, 4, 1, 2, 2};
  PetscReal                exact[2];

  PetscFunctionBegin;
  PetscCall(conserving(RUNGDIRK, "esdirk_16_8_5", 1, 1.0 / 64, exact));
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(order); ++m) {
    PetscReal h[4], error[4];

    for (PetscInt i = 0; i < 4; ++i) {
      PetscReal y[2];

      h[i] = 1 / ((order[m] < 3 ? 40 : 8) * pow(2, (double)i));
      PetscCall(conserving(type[m], method[m], 1, h[i], y));
      error[i] = hypot(y[0] - exact[0], y[1] - exact[1]);
    }
    CHECK_ORDER(method[m], 4, h, error, order[m], order[m] < 3 ? 0.2 : 0.7, 0.25);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_linear_system_is_factored_once_for_each_slope),
               RUNG_TEST(test_order_2_and_a_short_last_step_cost_one_matrix_more),
               RUNG_TEST(test_a_matrix_that_depends_on_time_is_assembled_for_each_solve),
               RUNG_TEST(test_every_method_conserves_the_total_to_rounding),
               RUNG_TEST(test_orders_with_conserved_terms))
