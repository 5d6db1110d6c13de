/* test_signal_loop.c - a program that solves in a loop comes to its end after a signal; signal_loop.sh looks at its status. */
#include "check.h"
#include "rungstep.h"

#include <signal.h>

static PetscInt calls; /* of the monitor, over all runs */

/* The last rank alone gets the signal, in the third step of the second run. */
static PetscErrorCode send_signal(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscMPIInt rank, ranks;

  PetscFunctionBegin;
  (void)stepper, (void)u, (void)ctx;
  ++calls;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (t > 1 && step == 3 && rank == ranks - 1) CHECK(raise(SIGUSR1) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_system(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + u*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "1"));
  PetscCall(RungSystemAddQuantity(*sys, "total", "u*dx"));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Intervals [0, 1], [1, 2], ..: the second one ends early, the others after it change nothing. */
static PetscErrorCode solve_in_a_loop(RungStepper stepper)
{
  RungStepperReason reason;
  const RungState  *state;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungStepperSetInterval(stepper, i, i + 1, 0.1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetReason(stepper, &reason));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    CHECK(reason == (i == 0 ? RUNG_STEPPER_REACHED_END : RUNG_STEPPER_SIGNALLED));
    CHECK_NEAR((double)state->t, i == 0 ? 1 : 1.3, 1e-12);
  }
  CHECK(calls == 11 + 4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RungSystem  sys;
  RungStepper stepper;
  int         status, failures;

  PetscCall(RungInitialize(&argc, &argv, "Solves in a loop.\n"));
  PetscCall(create_system(&sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetMethod(stepper, "euler"));
  PetscCall(RungStepperSetCheckpoint(stepper, "loop.h5", 1000));
  PetscCall(RungStepperAddTable(stepper, "loop.csv"));
  PetscCall(RungStepperAddMonitor(stepper, send_signal, NULL));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(solve_in_a_loop(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungGetStatus(&status));
  CHECK(status == 128 + SIGUSR1);
  PetscCallMPI(MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(RungFinalize());
  return failures ? 1 : 0;
}
