/* test_statistics.c - the work of a run as a file. */
#include "points.h"
#include <string.h>

/* The number behind "name": */
static PetscErrorCode number_of(const char text[], const char name[], PetscReal *value)
{
  char        key[64];
  const char *at;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(key, sizeof key, "\"%s\": ", name));
  at = strstr(text, key);
  CHECK(at);
  *value = at ? strtod(at + strlen(key), NULL) : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_work_of_a_run_is_a_file(void)
{
  char                  text[4096] = "";
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             T[1], value, most;
  FILE                 *file;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-stepper_statistics work.json"));
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(T) + 50*(T^3 - cos(t)))*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 2, 1e-3));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(points_solve(&stepper, 1, T, &s));
  file = fopen("work.json", "r");
  CHECK(file);
  CHECK(file && fread(text, 1, sizeof text - 1, file) > 0);
  if (file) CHECK(fclose(file) == 0);
  PetscCall(number_of(text, "steps", &value));
  CHECK(value == (PetscReal)s.steps && s.steps > 10);
  PetscCall(number_of(text, "jacobians", &value));
  CHECK(value == (PetscReal)s.jacobians);
  PetscCall(number_of(text, "starts", &value));
  CHECK(value == 1);
  PetscCall(number_of(text, "newton_most", &most));
  PetscCall(number_of(text, "newton_last", &value));
  CHECK(value >= 1 && value <= most && most <= 20);
  PetscCall(number_of(text, "solves", &value));
  CHECK(value >= (PetscReal)s.steps && value * most >= (PetscReal)s.newton);
  PetscCall(number_of(text, "dt_last", &value));
  CHECK(value > 0 && value < 2);
  PetscCall(number_of(text, "t", &value));
  CHECK(value == 2);
  PetscCall(number_of(text, "seconds", &most));
  PetscCall(number_of(text, "seconds_of_longest_step", &value));
  CHECK(value > 0 && value <= most * 1.001);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_statistics"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is there and is no such file is left alone, and told before the run. */
static PetscErrorCode test_no_other_file_is_written_over(void)
{
  static const char mine[]   = "{\n  \"type\": \"my own\"\n}\n";
  char              text[64] = "";
  RungStepper       stepper;
  PetscReal         T[1];
  FILE             *file = fopen("mine.json", "w");

  PetscFunctionBegin;
  CHECK(file && fputs(mine, file) >= 0 && fclose(file) == 0);
  PetscCall(PetscOptionsInsertString(NULL, "-stepper_statistics mine.json"));
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(T) + T)*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.5));
  PetscCall(RungStepperSetFromOptions(stepper));
  CHECK_RAISES(points_solve(&stepper, 1, T, NULL),
               "\"mine.json\" cannot be written: a file that is not the work of a run");
  file = fopen("mine.json", "r");
  CHECK(file && fread(text, 1, sizeof text - 1, file) == strlen(mine) && fclose(file) == 0 && !strcmp(text, mine));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_statistics"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_no_other_file_is_written_over), RUNG_TEST(test_the_work_of_a_run_is_a_file))
