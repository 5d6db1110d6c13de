/* test_event_save.c - runs with events go on from their checkpoints. */
#include "events.h"
#include <rungmethod.h>

/* A monitor that saves at the first event, before it happens. */
static PetscErrorCode save_at_event(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungStepperStatistics s;
  PetscInt             *saved = (PetscInt *)ctx;

  PetscFunctionBegin;
  (void)step, (void)u;
  PetscCall(RungStepperGetStatistics(stepper, &s));
  if (!*saved && !s.events && t > log(20. / 8) - 1e-6) {
    PetscCall(RungStepperSave(stepper, "pending.h5"));
    *saved = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal T, on, warm[8], cold[8];
  PetscInt  n, m, events, located, steps;
} Outcome;

/* cool: with one quantity more */
static PetscErrorCode run_relay(const char restart[], PetscReal rtol, PetscBool cool, Outcome *o)
{
  RungStepper           stepper;
  RungSystem            sys;
  RungStepperStatistics s;
  const PetscReal      *warm, *cold;
  PetscInt              saved = restart[0] ? 1 : 0;

  PetscFunctionBegin;
  memset(o, 0, sizeof *o);
  PetscCall(relay(18, 22, 3, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  if (cool) PetscCall(RungSystemAddProbe(sys, "cool", "-T", (PetscReal[]){0}));
  PetscCall(RungStepperSetTolerances(stepper, rtol, 1e-12));
  PetscCall(RungStepperSetCheckpoint(stepper, "relay_{step}.h5", 9));
  PetscCall(RungStepperSetRestart(stepper, restart, PETSC_FALSE));
  PetscCall(RungStepperAddTable(stepper, "relay"));
  PetscCall(RungStepperAddMonitor(stepper, save_at_event, &saved));
  PetscCall(RungStepperSolve(stepper));
  CHECK(saved);
  PetscCall(RungStepperGetQuantity(stepper, "room", &o->T));
  PetscCall(RungStepperGetQuantity(stepper, "heater", &o->on));
  PetscCall(RungStepperGetEvent(stepper, "warm", &o->n, &warm));
  PetscCall(RungStepperGetEvent(stepper, "cold", &o->m, &cold));
  for (PetscInt i = 0; i < PetscMin(8, o->n); ++i) o->warm[i] = warm[i];
  for (PetscInt i = 0; i < PetscMin(8, o->m); ++i) o->cold[i] = cold[i];
  PetscCall(RungStepperGetStatistics(stepper, &s));
  o->events  = s.events;
  o->located = s.located;
  o->steps   = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of a file on rank 0. */
static PetscErrorCode read_file(const char path[], char text[], size_t size)
{
  FILE *file = fopen(path, "r");

  PetscFunctionBegin;
  text[0] = 0;
  if (file) text[fread(text, 1, size - 1, file)] = 0;
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checkpoints between events, and one with an event that has not happened yet: the rest of the run has the same bits. */
static PetscErrorCode test_a_run_with_events_goes_on_bit_for_bit(void)
{
  static const char *const from[] = {"relay_9.h5", "relay_27.h5", "pending.h5"};
  Outcome                  whole, rest;
  PetscMPIInt              rank, size;
  static char              log[4096], again[4096];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(run_relay("", 1e-9, PETSC_FALSE, &whole));
  CHECK(whole.n == 4 && whole.m == 4 && whole.steps > 40);
  if (!rank) PetscCall(read_file("relay.events.csv", log, sizeof log));
  if (!rank) CHECK(!strncmp(log, "t,warm,cold,heater,room\n0.916290731", 35) && strstr(log, ",,3,0,18\n"));
  for (size_t i = size > 1 ? 2 : 0; i < PETSC_STATIC_ARRAY_LENGTH(from); ++i) {
    PetscCall(run_relay(from[i], 1e-9, PETSC_FALSE, &rest));
    CHECK(!memcmp(&whole, &rest, sizeof whole));
    if (!rank) PetscCall(read_file("relay.events.csv", again, sizeof again));
    if (!rank) CHECK(!strcmp(log, again));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows before the checkpoint stay under their names; cells of a new column are empty there, and those of one that is gone behind it. */
static PetscErrorCode test_rows_of_the_log_stay_when_columns_come_and_go(void)
{
  static char text[3][4096];
  Outcome     o;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_relay("", 1e-9, PETSC_FALSE, &o));
  for (int i = 0; i < 3; ++i) {
    if (i) PetscCall(run_relay("relay_27.h5", 1e-9, i == 1 ? PETSC_TRUE : PETSC_FALSE, &o));
    PetscCall(read_file("relay.events.csv", text[i], sizeof text[i]));
  }
  CHECK(!strncmp(text[1], "t,warm,cold,heater,room,cool\n0.916290731", 40));
  for (int i = 1; i < 3; ++i) {
    int rows[2] = {0, 0}, commas = 0;

    for (const char *c = text[0]; *c; ++c) rows[0] += *c == '\n';
    for (const char *c = text[i]; *c; ++c) {
      rows[1] += *c == '\n';
      commas += *c == ',';
    }
    CHECK(rows[1] == rows[0] && commas == 5 * rows[1]);
  }
  CHECK(!strncmp(text[2], text[1], 40) && text[2][strlen(text[2]) - 2] == ',');
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_run_with_events_goes_on_bit_for_bit),
               RUNG_TEST(test_rows_of_the_log_stay_when_columns_come_and_go))
