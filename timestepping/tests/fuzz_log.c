/* fuzz_log.c - any bytes are the log of events of an earlier run, and then the one that a run adds a row to: a run that goes on keeps its
   rows or refuses it, and is soon done. */
#include "events.h"
#include <fuzz.h>
#include "../step_impl.h"

#define PATH "relay.events.csv"

static RungStepper stepper;

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  (void)unlink(PATH); /* of a run before */
  PetscCall(relay(18, 22, 1, &stepper));
  PetscCall(RungStepperAddTable(stepper, "relay"));
  PetscCall(RungStepperSolve(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  return RungStepperDestroy(&stepper);
}

static void put_log(const uint8_t data[], size_t size)
{
  if (fuzz_open(PATH)) abort();
  fuzz_write(data, size);
  if (close(fuzz_file)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  PetscErrorCode code;

  put_log(data, size);
  code = RungEventsLogResume(stepper);
  if (code && code != PETSC_ERR_FILE_OPEN) abort();
  put_log(data, size);
  if (RungEventsLogRow(stepper, 1)) abort();
  return 0;
}
