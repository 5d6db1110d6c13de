/* test_said.c - steppers that ranks are told differently are refused on all of them, and so is an interval that differs in a later Solve:
   nobody waits for a step or a file that others do not make. */
#include "points.h"

typedef enum {
  METHOD,
  INTERVAL,
  TOLERANCE,
  OF_ONE,
  LIMITS,
  STEPS,
  STOP,
  EVENT,
  JUMP,
  TABLE,
  OUTPUT,
  NUMBER,
  CHECKPOINT,
  CASES
} Case;

static PetscErrorCode create(Case different, PetscBool here, RungStepper *stepper)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(y) + y)*v*dx", stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemAddQuantity(sys, "m", "y*dx"));
  PetscCall(RungStepperSetMethod(*stepper, here && different == METHOD ? "trbdf2" : "esdirk43"));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, here && different == INTERVAL ? 0.05 : 0.1));
  PetscCall(RungStepperSetTolerances(*stepper, here && different == TOLERANCE ? 1e-5 : 1e-4, 1e-6));
  PetscCall(RungStepperSetUnknownTolerances(*stepper, "y", 1e-4, here && different == OF_ONE ? 1e-7 : 1e-6));
  PetscCall(RungStepperSetStepLimits(*stepper, 0, here && different == LIMITS ? 0.5 : 0.25));
  PetscCall(RungStepperSetMaxSteps(*stepper, here && different == STEPS ? 1000 : 2000));
  PetscCall(RungStepperAddStopTimes(*stepper, 1, (PetscReal[]){here && different == STOP ? 0.6 : 0.5}));
  PetscCall(
    RungStepperAddEvent(*stepper, "e", &(RungEvent){.text = here && different == EVENT ? "m - 0.4" : "m - 0.5"}));
  PetscCall(RungStepperSetEventJump(*stepper, "e", "y", here && different == JUMP ? "2*y" : "y"));
  if (here && different == TABLE) PetscCall(RungStepperAddTable(*stepper, "said"));
  if (here && different == OUTPUT) PetscCall(RungStepperAddOutput(*stepper, "said", 0));
  PetscCall(RungStepperAddNumber(*stepper, "n", here && different == NUMBER ? "2*m" : "m"));
  PetscCall(RungStepperSetCheckpoint(*stepper, here && different == CHECKPOINT ? "said.h5" : "", 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode where(PetscBool *several, PetscBool *here)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *several = size > 1 ? PETSC_TRUE : PETSC_FALSE;
  *here    = rank == size - 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_differs_between_ranks_is_told(void)
{
  static const char *const wanted[CASES] = {"rank 0 has method esdirk43, rank ",
                                            "rank 0 has interval from 0 to 1, dt = 0.1",
                                            "rank 0 has tolerances rtol = 0.0001",
                                            "rank 0 has tolerances of y rtol = 0.0001",
                                            "rank 0 has steps of 0 to 0.25, rank ",
                                            "rank 0 has at most 2000 steps, rank ",
                                            "rank 0 has stop time 0.5, rank ",
                                            "rank 0 has event e m - 0.5",
                                            "rank 0 has .. y = y, rank ",
                                            "a table; make the same calls",
                                            "an output every 0 or 0 steps of the unknowns; make the same calls",
                                            "rank 0 has number n = m, rank ",
                                            "rank 0 has no checkpoints"};
  PetscBool                several, here;

  PetscFunctionBegin;
  PetscCall(where(&several, &here));
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < CASES; ++i) {
    RungStepper stepper;

    PetscCall(create((Case)i, here, &stepper));
    CHECK_RAISES(RungStepperSolve(stepper), wanted[i]);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_differs_later_is_told(void)
{
  RungStepper stepper;
  RungSystem  sys;
  PetscBool   several, here;

  PetscFunctionBegin;
  PetscCall(where(&several, &here));
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create(CASES, here, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "k", 1));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungSystemSetConstant(sys, "k", here ? 3 : 2));
  PetscCall(RungStepperSetInterval(stepper, 1, 2, 0.1));
  CHECK_RAISES(RungStepperSolve(stepper), "the system differs between ranks: rank 0 has constant k = 2, rank ");
  PetscCall(RungStepperSetInterval(stepper, 1, here ? 3 : 2, 0.1));
  CHECK_RAISES(RungStepperSolve(stepper), "the stepper differs between ranks: rank 0 has interval from 1 to 2");
  PetscCall(RungSystemSetConstant(sys, "k", 2));
  PetscCall(RungStepperSetInterval(stepper, 1, 2, 0.1));
  if (here) PetscCall(RungStepperMarkJump(stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "the stepper differs between ranks: rank 0 has no jump marked");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_rank(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem  sys;
  PetscMPIInt rank;

  PetscFunctionBegin;
  (void)t, (void)u, (void)ctx;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "k", rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_an_event_sets_differently_is_told(void)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper stepper;
  RungSystem  sys;
  PetscBool   several, here;

  PetscFunctionBegin;
  PetscCall(where(&several, &here));
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(points_create(1, name, space, start, "(dt(y) + k*y)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "k", 1));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(RungStepperAddEvent(stepper, "e", &(RungEvent){.text = "t - 0.5", .act = set_rank}));
  CHECK_RAISES(RungStepperSolve(stepper), "the system differs between ranks: rank 0 has constant k = 0, rank 1");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_an_event_sets_differently_is_told),
               RUNG_TEST(test_what_differs_between_ranks_is_told), RUNG_TEST(test_what_differs_later_is_told))
