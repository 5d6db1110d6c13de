/* test_integral.c - sums of rates: in balance with what a method conserves, of its order, also inside of steps. */
#include "check.h"

/* u' = -2 u on one point, from 3; "lost" sums 2 u up, so that  u + lost = 3;  split: a half of it stands in explicit(..) */
static PetscErrorCode create(const char method[], PetscBool split, PetscReal dt, RungSystem *sys, RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(*sys, split ? "(dt(u) + u)*v*dx + explicit(u*v*dx)" : "(dt(u) + 2*u)*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "3"));
  PetscCall(RungSystemAddQuantity(*sys, "left", "u*dx"));
  PetscCall(RungSystemAddRate(*sys, "lost", "2*u*dx"));
  PetscCall(RungSystemAddRate(*sys, "gone", "-dt(u)*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, dt));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* gap: of the balances; error: of the sum */
static PetscErrorCode run(const char method[], PetscBool split, PetscReal dt, PetscReal *gap, PetscReal *error)
{
  RungSystem  sys;
  RungStepper stepper;
  PetscReal   left, lost, gone;

  PetscFunctionBegin;
  PetscCall(create(method, split, dt, &sys, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "left", &left));
  PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
  PetscCall(RungStepperGetQuantity(stepper, "gone", &gone));
  *gap   = PetscMax(PetscAbsReal(left + lost - 3), PetscAbsReal(left + gone - 3));
  *error = PetscAbsReal(lost - 3 * (1 - PetscExpReal(-2)));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_sums_balance_what_stages_conserve(void)
{
  static const char *const method[] = {"esdirk43", "midpoint", "alexander3", "euler",  "crank_nicolson",
                                       "theta",    "dopri54",  "ssp33",      "ark437", "ark324"};

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    const PetscBool split = strncmp(method[m], "ar", 2) ? PETSC_FALSE : PETSC_TRUE;
    PetscReal       gap, error;

    PetscCall(run(method[m], split, 0.1, &gap, &error));
    CHECK(gap < 1e-13);
  }
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_low_storage", ""));
  {
    RungSystem  sys;
    RungStepper stepper;
    PetscReal   left, lost;

    PetscCall(create("ssp43", PETSC_FALSE, 0.1, &sys, &stepper));
    PetscCall(RungStepperSetFromOptions(stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "left", &left));
    PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
    CHECK_NEAR(left + lost, 3, 1e-13);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Halving the step divides errors by 2^order, from errors that are this small. */
static PetscErrorCode test_sums_have_the_order_of_the_method(void)
{
  static const struct {
    const char *method;
    PetscReal   order, most;
  } rows[] = {{"esdirk43", 4, 2e-6}, {"ars222", 2, 1e-1},        {"dopri54", 5, 1e-6}, {"rodas4p", 4, 1e-5},
              {"bdf2", 2, 1e-1},     {"chung_hulbert", 2, 1e-1}, {"bathe", 2, 1e-1}};

  PetscFunctionBegin;
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(rows); ++r) {
    const PetscBool split = strncmp(rows[r].method, "ar", 2) ? PETSC_FALSE : PETSC_TRUE;
    PetscReal       gap, error[2];

    PetscCall(run(rows[r].method, split, 0.1, &gap, &error[0]));
    PetscCall(run(rows[r].method, split, 0.05, &gap, &error[1]));
    CHECK(error[0] < rows[r].most);
    CHECK_NEAR(PetscLog2Real(error[0] / error[1]), rows[r].order, 0.35);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* lost = 1.5 at t = log(2)/2; the step ends there, and the sum goes on. */
static PetscErrorCode test_events_see_sums_inside_of_steps(void)
{
  static const char *const method[] = {"esdirk43", "rodas4p", "chung_hulbert"};
  static const PetscReal   near[]   = {2e-6, 2e-5, 4e-3};

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    RungSystem       sys;
    RungStepper      stepper;
    const PetscReal *t;
    PetscReal        lost;
    PetscInt         n;

    PetscCall(create(method[m], PETSC_FALSE, 0.1, &sys, &stepper));
    PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "lost - 1.5"}));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetEvent(stepper, "half", &n, &t));
    CHECK(n == 1);
    if (n) CHECK_NEAR(t[0], PetscLogReal(2) / 2, near[m]);
    PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
    CHECK_NEAR(lost, 3 * (1 - PetscExpReal(-2)), 3 * near[m]);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_sums_balance_what_stages_conserve), RUNG_TEST(test_sums_have_the_order_of_the_method),
               RUNG_TEST(test_events_see_sums_inside_of_steps))
