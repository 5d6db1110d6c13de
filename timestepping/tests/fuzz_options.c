/* fuzz_options.c - any texts are values of a stepper's options, which are taken or refused with a message.

   A line of an input is an option, by its first byte, and its value, which is the rest. */
#include <fuzz.h>
#include "../step_impl.h"

static const char *const option[] = {"-stepper_dt",
                                     "-stepper_end",
                                     "-stepper_start",
                                     "-stepper_type",
                                     "-stepper_method",
                                     "-stepper_rtol",
                                     "-stepper_atol",
                                     "-stepper_error_norm",
                                     "-stepper_filter",
                                     "-stepper_gamma",
                                     "-stepper_low_storage",
                                     "-stepper_monitor",
                                     "-stepper_output_every",
                                     "-stepper_output_steps",
                                     "-stepper_checkpoint_every",
                                     "-stepper_checkpoint_seconds",
                                     "-stepper_restart_force",
                                     "-stepper_stable",
                                     "-stepper_dt_max",
                                     "-stepper_event_parts",
                                     "-stepper_dt_min",
                                     "-stepper_max_steps",
                                     "-system_mat_type"};

/* F = u' + u */
static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecWAXPY(r, 1, u[0], u[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(void)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode make(RungSystem *sys, RungStepper *stepper)
{
  const RungTraits traits = {.unknowns = 1, .order = 1};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemSetCallbacks(*sys, 2, traits, residual, NULL, NULL));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char        value[200];
  RungSystem  sys     = NULL;
  RungStepper stepper = NULL;

  for (size_t at = 0, next; at < size; at = next + 1) {
    size_t n = 0;

    for (next = at; next < size && data[next] != '\n';) ++next;
    for (size_t i = at + 1; i < next && n + 1 < sizeof value; ++i) value[n++] = (char)data[i];
    value[n] = '\0';
    if (PetscOptionsSetValue(NULL, option[data[at] % PETSC_STATIC_ARRAY_LENGTH(option)], value)) abort();
  }
  if (make(&sys, &stepper)) abort();
  if (!RungStepperSetFromOptions(stepper)) (void)RungStepperSetUp(stepper);
  if (RungStepperDestroy(&stepper) || RungSystemDestroy(&sys)) abort();
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(option); ++i) {
    if (PetscOptionsClearValue(NULL, option[i])) abort();
  }
  return 0;
}
