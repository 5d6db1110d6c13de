/* test_signal.c - a signal in a window that an event has cut: the checkpoint is of the end of the last whole window.
   A program of its own, since its exit status tells of the signal. */
#include "turn.h"

#include <signal.h>

/* y and z at the end of the first window; the signal comes at the event in the second one, when its changes are made.
   */
static PetscErrorCode tell(RungCoupling coupling, PetscReal t, PetscBool again, const PetscReal value[], void *ctx)
{
  PetscReal *kept = ctx;

  PetscFunctionBegin;
  (void)coupling;
  if (t == 0.75) kept[0] = value[1], kept[1] = value[2];
  if (again) CHECK(raise(SIGUSR1) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(Turn *t)
{
  const RungEvent event = {.text = "z - 0.3"};

  PetscFunctionBegin;
  PetscCall(create(t));
  PetscCall(add(t));
  PetscCall(RungCouplingSetScheme(t->coupling, RUNG_COUPLING_LIE));
  PetscCall(RungCouplingSetWindow(t->coupling, 0.25));
  PetscCall(RungCouplingAddEvent(t->coupling, "two", "high", &event));
  PetscCall(RungCouplingSetEventChange(t->coupling, "high", "two", "k", "2"));
  PetscCall(RungCouplingSetEventChange(t->coupling, "high", "one", "y", "y/2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The states of the file, at the end of the window that it says. */
static PetscErrorCode read_back(PetscReal kept[2], PetscReal k)
{
  static const char *const path[] = {"cut_one.h5", "cut_two.h5"};
  Turn                     t;

  PetscFunctionBegin;
  PetscCall(prepare(&t));
  for (int i = 0; i < 2; ++i) {
    RungCheckpoint file;
    PetscInt       window;
    PetscReal      value, constant, side, scale;
    Vec            u;

    PetscCall(RungCheckpointOpen(t.sys[i], path[i], PETSC_FALSE, &file));
    PetscCall(RungCheckpointGetInt(file, "window now", &window));
    PetscCall(RungSystemCreateVec(t.sys[i], &u));
    PetscCall(RungCheckpointGetVec(file, "now0", u));
    PetscCall(VecMax(u, NULL, &value));
    if (!i) PetscCall(RungCheckpointGetReal(file, "constant now 0", &constant));
    if (!i) PetscCall(RungCheckpointGetReal(file, "side now of high", &side));
    if (!i) PetscCall(RungCheckpointGetReal(file, "scale now of high", &scale));
    if (!i) CHECK(constant == k && side == -1 && scale == 0.3);
    CHECK(window == 1 && value == kept[i]);
    PetscCall(VecDestroy(&u));
    PetscCall(RungCheckpointClose(&file));
  }
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Turn              t;
  PetscReal         kept[2], at;
  RungStepperReason reason;
  int               status;

  PetscCall(RungInitialize(&argc, &argv, "Ends in a window that an event has cut.\n"));
  PetscCall(prepare(&t));
  PetscCall(RungCouplingSetCheckpoint(t.coupling, "cut", 100));
  PetscCall(RungCouplingAddMonitor(t.coupling, tell, kept));
  PetscCall(RungCouplingSolve(t.coupling));
  PetscCall(RungCouplingGetReason(t.coupling, &reason));
  PetscCall(RungCouplingGetState(t.coupling, "one", &at, NULL));
  CHECK(reason == RUNG_STEPPER_SIGNALLED && at == 0.75);
  PetscCall(destroy(&t));
  PetscCall(read_back(kept, 1));
  PetscCall(RungGetStatus(&status));
  CHECK(status == 128 + SIGUSR1);
  PetscCall(RungFinalize());
  return check_failures ? 1 : 0;
}
