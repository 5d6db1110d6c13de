/* test_record.c - times of series, integrals of rates, columns of tables: on u' + u = 0 over the interval [0, 2]. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode create(const char type[], PetscReal t1, PetscReal dt, RungStepper *stepper)
{
  RungMesh   mesh;
  RungSpace  V;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, (PetscReal[]){2}));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) + u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(RungSystemAddQuantity(sys, "content", "u*dx"));
  PetscCall(RungSystemAddRate(sys, "lost", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, type));
  PetscCall(RungStepperSetInterval(*stepper, 0.5, t1, dt));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times in NAME.pvd on every rank. */
static PetscErrorCode read_times(const char path[], PetscInt *n, PetscReal t[])
{
  PetscMPIInt rank;
  char        line[1024];
  FILE       *file;

  PetscFunctionBegin;
  *n = 0;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = rank ? NULL : fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *found = strstr(line, "timestep=\"");

    if (found) t[(*n)++] = strtod(found + 10, NULL);
  }
  if (file) fclose(file);
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(t, (PetscMPIInt)*n, MPIU_REAL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_times(const char path[], PetscInt wanted, const PetscReal time[])
{
  PetscReal t[64];
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(read_times(path, &n, t));
  CHECK(n == wanted);
  for (PetscInt i = 0; i < PetscMin(n, wanted); ++i) CHECK_NEAR(t[i], time[i], 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does NAME.pvd's folder hold a word?  On rank 0; the same answer on all. */
static PetscErrorCode holds(const char folder[], const char word[], PetscBool *found)
{
  char        command[256], line[8] = "";
  FILE       *pipe;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *found = PETSC_FALSE;
  if (!rank) {
    PetscCall(PetscSNPrintf(command, sizeof command, "grep -a -r -l -F 'Name=\"%s\"' %s | head -c 1", word, folder));
    PetscCall(PetscPOpen(PETSC_COMM_SELF, NULL, command, "r", &pipe));
    *found = fgets(line, sizeof line, pipe) ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscPClose(PETSC_COMM_SELF, pipe));
  }
  PetscCallMPI(MPI_Bcast(found, 1, RUNG_MPI_BOOL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_outputs_every_few_steps_with_chosen_fields(void)
{
  RungStepper stepper;
  PetscBool   found[3];

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.2, 0.1, &stepper));
  CHECK_RAISES(RungStepperSetOutputSteps(stepper, 2), "there is no output");
  PetscCall(RungStepperAddOutput(stepper, "steps.pvd", 0.25));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_output_steps", "3"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_output_fields", "2*u + t, content"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_output_every", "0.1"));
  CHECK_RAISES(RungStepperSetFromOptions(stepper), "give the one or the other");
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_output_steps"));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_output_fields"));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_output_every"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(check_times("steps.pvd", 4, (PetscReal[]){0.5, 0.8, 1.1, 1.2}));
  PetscCall(holds("steps", "2*u + t", &found[0]));
  PetscCall(holds("steps", "content", &found[1]));
  PetscCall(holds("steps", "u", &found[2]));
  CHECK(found[0] && found[1] && !found[2]);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_series_that_cannot_be_written_is_an_error(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.2, 0.1, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "no/such/folder/steps.pvd", 0));
  CHECK_RAISES(RungStepperSolve(stepper), "the folder that holds it does not exist");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fixed_steps_are_interpolated_at_output_times(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.45, 0.09, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "fixed.pvd", 0.2));
  PetscCall(RungStepperAddOutput(stepper, "levels.pvd", 0.45)); /* t1 is no multiple of it, but 0.95 is a level */
  PetscCall(RungStepperSolve(stepper));
  PetscCall(check_times("fixed.pvd", 6, (PetscReal[]){0.5, 0.7, 0.9, 1.1, 1.3, 1.45}));
  PetscCall(check_times("levels.pvd", 4, (PetscReal[]){0.5, 0.95, 1.4, 1.45}));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  n;
  PetscReal t[64];
} Times;

static PetscErrorCode keep_time(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Times *times = (Times *)ctx;

  PetscFunctionBegin;
  (void)stepper, (void)u;
  if (step < 64) times->t[times->n++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_adaptive_steps_land_on_output_times(void)
{
  RungStepper stepper;
  Times       times = {0};

  PetscFunctionBegin;
  PetscCall(create(RUNGDIRK, 1.45, 0.01, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  PetscCall(RungStepperAddOutput(stepper, "adaptive.pvd", 0.2));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, &times));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(check_times("adaptive.pvd", 6, (PetscReal[]){0.5, 0.7, 0.9, 1.1, 1.3, 1.45}));
  for (int i = 1; i < 5; ++i) {
    PetscBool met = PETSC_FALSE;

    for (PetscInt n = 0; n < times.n; ++n) {
      if (times.t[n] == 0.5 + i * 0.2) met = PETSC_TRUE;
    }
    CHECK(met);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_level_is_written_without_a_period(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 0.9, 0.15, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "each.pvd", 0));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(check_times("each.pvd", 4, (PetscReal[]){0.5, 0.65, 0.8, 0.9}));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trapezoidal rule over the levels, by hand beside the stepper's. */
static PetscErrorCode add_content(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscReal *sum = (PetscReal *)ctx, content; /* integral, last content, last time */

  PetscFunctionBegin;
  (void)u;
  PetscCall(RungStepperGetQuantity(stepper, "content", &content));
  if (step) sum[0] += (t - sum[2]) / 2 * (sum[1] + content);
  sum[1] = content;
  sum[2] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_rate_is_integrated_by_the_trapezoidal_rule(void)
{
  RungStepper stepper;
  PetscReal   sum[3] = {0}, lost, content;

  PetscFunctionBegin;
  PetscCall(create(RUNGDIRK, 1.45, 0.09, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, add_content, sum));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
  PetscCall(RungStepperGetQuantity(stepper, "content", &content));
  CHECK_NEAR(lost, sum[0], 1e-14);
  CHECK_NEAR(lost, 2 * (1 - exp(-0.95)), 2e-3);
  CHECK_NEAR(content, 2 * exp(-0.95), 1e-5);
  CHECK_RAISES(RungStepperGetQuantity(stepper, "contend", &content),
               "no quantity \"contend\"; did you mean \"content\"");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_table_has_a_column_for_each_quantity(void)
{
  RungStepper stepper;
  PetscMPIInt rank;
  char        head[64] = "", row[64] = "";
  FILE       *file;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 0.9, 0.2, &stepper));
  PetscCall(RungStepperAddTable(stepper, "columns.csv"));
  PetscCall(RungStepperSolve(stepper));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = rank ? NULL : fopen("columns.csv", "r");
  CHECK(rank || (file && fgets(head, sizeof head, file) && fgets(row, sizeof row, file)));
  CHECK(rank || !strcmp(head, "t,content,lost\n"));
  CHECK(rank || !strncmp(row, "0.5,", 4));
  CHECK_NEAR(rank ? 2 : strtod(row + 4, NULL), 2, 1e-14);
  if (file) fclose(file);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_outputs_every_few_steps_with_chosen_fields),
               RUNG_TEST(test_a_series_that_cannot_be_written_is_an_error),
               RUNG_TEST(test_fixed_steps_are_interpolated_at_output_times),
               RUNG_TEST(test_adaptive_steps_land_on_output_times),
               RUNG_TEST(test_every_level_is_written_without_a_period),
               RUNG_TEST(test_a_rate_is_integrated_by_the_trapezoidal_rule),
               RUNG_TEST(test_a_table_has_a_column_for_each_quantity))
