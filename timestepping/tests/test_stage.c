/* test_stage.c - matrices and factors are kept where they may be. */
#include "../step_impl.h"
#include "ode.h"

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
    PetscInt    slopes, stages, more; /* more: at the start */
  } row[] = {{RUNGDIRK, "euler", 1, 1, 0},         {RUNGDIRK, "trbdf2", 1, 2, 0}, {RUNGDIRK, "esdirk54", 1, 6, 0},
             {RUNGDIRK, "wso432", 4, 4, 0},        {RUNGBDF, "bdf1", 1, 1, 0},    {RUNGBDF, "bdf2", 2, 1, 1},
             {RUNGALPHA, "chung_hulbert", 1, 1, 0}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    Ode                   ode = relaxation(2, 3);
    RungStepperStatistics s;

    PetscCall(run(&ode, row[i].type, row[i].method, 0.9, 0.03, &s));
    CHECK(s.steps == 30);
    CHECK(s.jacobians == row[i].slopes);
    CHECK(s.factorisations == row[i].slopes);
    CHECK(s.residuals == 30 * row[i].stages + row[i].more);
    CHECK(s.newton == 30 * row[i].stages + row[i].more);
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
  CHECK(s.jacobians == 11 && s.factorisations == 11 && s.newton == 11); /* bdf2 begins with two solves */
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode double_rate(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)step, (void)u;
  PetscCall(RungSystemSetConstant((RungSystem)ctx, "c", t < 0.15 ? 1 : 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -c u by bdf1, c = 1 in two steps and 2 in two more: the matrix is that of the constant. */
static PetscErrorCode test_a_changed_constant_makes_the_matrix_anew(void)
{
  RungMesh              mesh;
  RungSpace             space;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             mean;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(sys, "c", 1));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + c*u*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "bdf1"));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.4, 0.1));
  PetscCall(RungStepperAddMonitor(stepper, double_rate, sys));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK_NEAR(mean, 1 / (1.1 * 1.1 * 1.2 * 1.2), 1e-12);
  CHECK(s.factorisations == 2);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_linear_system_is_factored_once_for_each_slope),
               RUNG_TEST(test_order_2_and_a_short_last_step_cost_one_matrix_more),
               RUNG_TEST(test_a_matrix_that_depends_on_time_is_assembled_for_each_solve),
               RUNG_TEST(test_a_changed_constant_makes_the_matrix_anew))
