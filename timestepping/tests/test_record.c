/* test_record.c - times of series, integrals of rates, columns of tables: on u' + u = 0 over the interval [0, 2]. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode create_without_quantities(const char type[], PetscReal t1, PetscReal dt, RungStepper *stepper)
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

static PetscErrorCode create(const char type[], PetscReal t1, PetscReal dt, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(create_without_quantities(type, t1, dt, stepper));
  PetscCall(RungSystemAddQuantity((*stepper)->sys, "content", "u*dx"));
  PetscCall(RungSystemAddRate((*stepper)->sys, "lost", "u*dx"));
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
  PetscCall(holds("steps.pvd.d", "2*u + t", &found[0]));
  PetscCall(holds("steps.pvd.d", "content", &found[1]));
  PetscCall(holds("steps.pvd.d", "u", &found[2]));
  CHECK(found[0] && found[1] && !found[2]);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The command line names another place, not other fields. */
static PetscErrorCode test_a_path_keeps_the_list_of_fields(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.2, 0.1, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "program.pvd", 0.25));
  PetscCall(RungStepperSetOutputFields(stepper, "2*u, content"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_output", "line.pvd"));
  PetscCall(RungStepperSetFromOptions(stepper));
  CHECK(!strcmp(stepper->outputs->path, "line.pvd") && !stepper->outputs->link && stepper->outputs->every == 0.25);
  CHECK(stepper->outputs->fields && !strcmp(stepper->outputs->fields, "2*u, content"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_output", "none"));
  PetscCall(RungStepperSetFromOptions(stepper));
  CHECK(!stepper->outputs);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_output"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_series_that_cannot_be_written_is_an_error(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.2, 0.1, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "no/such/folder/steps.pvd", 0));
  CHECK_RAISES(RungStepperSolve(stepper), "No such file or directory");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(create(RUNGBDF, 1.2, 0.1, &stepper));
  PetscCall(RungStepperAddOutput(stepper, "endless.pvd", 1e-300));
  CHECK_RAISES(RungStepperSolve(stepper), "take a longer -stepper_output_every");
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

static PetscErrorCode test_outputs_of_adaptive_runs_do_not_change_their_steps(void)
{
  RungStepperStatistics statistics[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungStepper stepper;

    PetscCall(create(RUNGDIRK, 1.45, 0.01, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
    if (i) PetscCall(RungStepperAddOutput(stepper, "adaptive.pvd", 0.2));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &statistics[i]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(check_times("adaptive.pvd", 6, (PetscReal[]){0.5, 0.7, 0.9, 1.1, 1.3, 1.45}));
  CHECK(statistics[0].steps == statistics[1].steps && statistics[0].factorisations == statistics[1].factorisations);
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

static PetscErrorCode test_a_rate_is_summed_up_by_the_trapezoidal_rule_at_order_2(void)
{
  RungStepper stepper;
  PetscReal   sum[3] = {0}, lost, content;

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 1.45, 0.09, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, add_content, sum));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
  PetscCall(RungStepperGetQuantity(stepper, "content", &content));
  CHECK_NEAR(lost, sum[0], 1e-14);
  CHECK_NEAR(lost, 2 * (1 - exp(-0.95)), 5e-3); /* of order 2, 0.09^2/2 */
  CHECK_NEAR(content, 2 * exp(-0.95), 5e-3);
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

/* ---- a table goes on ---------------------------------------------------------------------------------------------- */

/* Rank 0: the text of a file; "" on the others and where there is none. */
static PetscErrorCode read_text(const char path[], size_t room, char text[])
{
  PetscMPIInt rank;
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file    = rank ? NULL : fopen(path, "r");
  text[0] = '\0';
  if (file) text[fread(text, 1, room - 1, file)] = '\0';
  if (file) fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From 0.5 to 0.9 in steps of 0.1 with NAME.csv and NAME.h5; quantities content and lost. */
static PetscErrorCode run_first_part(const char name[])
{
  RungStepper stepper;
  char        path[64];

  PetscFunctionBegin;
  PetscCall(create(RUNGBDF, 0.9, 0.1, &stepper));
  PetscCall(RungStepperAddTable(stepper, name));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s.h5", name));
  PetscCall(RungStepperSetCheckpoint(stepper, path, 1000));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Goes on to 1.1; quantity: names with their texts, NULL behind them. */
static PetscErrorCode create_second_part(const char name[], const char *const quantity[], RungStepper *stepper)
{
  char path[64];

  PetscFunctionBegin;
  PetscCall(create_without_quantities(RUNGBDF, 1.1, 0.1, stepper));
  for (int i = 0; quantity[i]; i += 2) PetscCall(RungSystemAddQuantity((*stepper)->sys, quantity[i], quantity[i + 1]));
  PetscCall(RungStepperAddTable(*stepper, name));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s.h5", name));
  PetscCall(RungStepperSetRestart(*stepper, path, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROOM 4096

/* Line number `line` of a table, from 0, begins with `begin`, ends with `end` and has so many commas. */
static PetscErrorCode check_line(const char text[], int line, const char begin[], int commas, const char end[])
{
  const char *at    = text, *stop;
  int         found = 0;

  PetscFunctionBegin;
  for (int i = 0; i < line && at; ++i) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  stop = at ? strchr(at, '\n') : NULL;
  CHECK(stop);
  if (!stop) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *c = at; c < stop; ++c) found += *c == ',';
  CHECK(!strncmp(at, begin, strlen(begin)));
  CHECK(!strncmp(stop - strlen(end), end, strlen(end)));
  CHECK(found == commas);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More, fewer and others than before, in another order: what was written stays under its name. */
static PetscErrorCode test_a_table_goes_on_with_other_quantities(void)
{
  static const char *const other[] = {"a \"new\", one", "2*u*dx", "content", "u*dx", NULL}, *const none[] = {NULL};
  RungStepper stepper;
  PetscMPIInt rank;
  char        before[ROOM], after[ROOM];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(run_first_part("goes_on"));
  PetscCall(read_text("goes_on.csv", ROOM, before));
  PetscCall(create_second_part("goes_on", other, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("goes_on.csv", ROOM, after));
  if (!rank) {
    PetscCall(check_line(before, 5, "0.9,", 2, ""));
    PetscCall(check_line(after, 0, "t,content,lost,\"a \"\"new\"\", one\"", 4, "one\""));
    for (int line = 1; line <= 5; ++line) { /* the old row with an empty cell */
      const char *row = before, *end;
      char        same[256];

      for (int i = 0; i < line; ++i) row = strchr(row, '\n') + 1;
      end = strchr(row, '\n');
      (void)snprintf(same, sizeof same, "%.*s,", (int)(end - row), row);
      PetscCall(check_line(after, line, same, 3, ","));
    }
    PetscCall(check_line(after, 6, "1,", 3, ""));
    CHECK(strstr(after, "\n1.1,") && strstr(strstr(after, "\n1.1,"), ",,"));
    CHECK_NEAR(strtod(strstr(after, "\n1.1,") + 5, NULL), strtod(strrchr(after, ',') + 1, NULL) / 2, 1e-14);
    CHECK(!strchr(strstr(after, "\n1.1,") + 1, '\n')[1]); /* the last row */
  }
  PetscCall(create_second_part("goes_on", none, &stepper)); /* back to 0.9, with nothing to write */
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("goes_on.csv", ROOM, after));
  if (!rank) {
    PetscCall(check_line(after, 5, "0.9,", 3, ","));
    PetscCall(check_line(after, 6, "1,,,", 3, ",,,"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows behind the checkpoint and half of a row go; the finished table of an older run is not looked at.  Without either a new table
   begins. */
static PetscErrorCode test_a_table_goes_on_from_what_a_killed_run_left(void)
{
  static const char left[] = "t,lost\n0.5,0\n0.9,7\n0.95,8\n1.0,", want[] = "t,lost,content\n0.5,0,\n0.9,7,\n1,1.";
  static const char *const quantity[] = {"lost", "u*dx", "content", "u*dx", NULL};
  RungStepper              stepper;
  PetscMPIInt              rank;
  char                     text[ROOM];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(run_first_part("killed"));
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "killed.csv.part", sizeof left - 1, left));
  PetscCall(create_second_part("killed", quantity, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("killed.csv", ROOM, text));
  CHECK(rank || !strncmp(text, want, sizeof want - 1));
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "killed.csv.part", 0, "")); /* killed before its first row was written */
  PetscCall(create_second_part("killed", quantity, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("killed.csv", ROOM, text));
  CHECK(rank || !strncmp(text, want, sizeof want - 1));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)remove("killed.csv");
  PetscCall(create_second_part("killed", quantity, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("killed.csv", ROOM, text));
  CHECK(rank || !strncmp(text, "t,lost,content\n0.9,1.", 21));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is not understood stays as it is. */
static PetscErrorCode test_a_table_that_is_not_understood_is_refused_and_stays(void)
{
  static const char *const other[] = {"t,content,content\n0.5,1,2\n", "time,content\n0.5,1\n", "t,content\n0.5,1,2\n",
                                      "t,content\nsoon,1\n", "t,\"content\n0.5,1\n"};
  static const char *const quantity[] = {"content", "u*dx", NULL};
  RungStepper              stepper;
  PetscMPIInt              rank;
  char                     text[ROOM];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  (void)remove("strange.csv"); /* of an earlier run of this test */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(run_first_part("strange"));
  for (size_t i = 0; i < sizeof other / sizeof *other; ++i) {
    PetscCall(RungFileWrite(PETSC_COMM_WORLD, "strange.csv", strlen(other[i]), other[i]));
    PetscCall(create_second_part("strange", quantity, &stepper));
    CHECK_RAISES(RungStepperSolve(stepper), "the table \"strange.csv\" cannot");
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(read_text("strange.csv", ROOM, text));
    CHECK(rank || !strcmp(text, other[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* content is 2 exp(-t), theta's; numbers know the quantities, constants, t and the numbers before them; a sum stands for a rate. */
static PetscErrorCode test_a_table_has_numbers_made_of_quantities(void)
{
  RungStepper stepper;
  PetscReal   t, content, lost, half, all, none;
  PetscMPIInt rank;
  char        text[ROOM], *row;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create("theta", 1.5, 0.25, &stepper));
  PetscCall(RungSystemSetConstant(stepper->sys, "k", 3));
  PetscCall(RungStepperAddNumber(stepper, "half", "content/2"));
  PetscCall(RungStepperAddNumber(stepper, "all", "half + k*lost - t"));
  PetscCall(RungStepperAddNumber(stepper, "none", "1/(half - content/2)"));
  PetscCall(RungStepperAddTable(stepper, "numbers"));
  PetscCall(RungStepperSolve(stepper));
  CHECK_RAISES(RungStepperAddNumber(stepper, "late", "1"), "number \"late\" after the stepper was set up");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(read_text("numbers.csv", ROOM, text));
  CHECK(rank || !strncmp(text, "t,content,lost,half,all,none\n", 29));
  row = strrchr(text, '\n');
  if (row) *row = 0;
  row = strrchr(text, '\n');
  CHECK(rank || (row && sscanf(row + 1, "%lf,%lf,%lf,%lf,%lf,%lf", &t, &content, &lost, &half, &all, &none) == 6));
  if (!rank) {
    CHECK_NEAR(half, content / 2, 1e-14);
    CHECK_NEAR(all, half + 3 * lost - 1.5, 1e-13);
    CHECK(!isfinite(none) && content > 0.7 && lost > 0.6);
  }
  PetscCall(create("theta", 1.5, 0.25, &stepper));
  CHECK_RAISES(RungStepperAddNumber(stepper, "half", ""), "a number without a name or a text");
  PetscCall(RungStepperAddNumber(stepper, "field", "2*u"));
  CHECK_RAISES(RungStepperSetUp(stepper), "number field: \"2*u\" holds \"u\", an unknown with values at many places");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of a text behind its head. */
static int rows_of(const char text[])
{
  int rows = -1;

  for (; *text; ++text) rows += *text == '\n';
  return rows;
}

/* An interval in two Solves, the first with a checkpoint or from one, has the records of one; what starts anew has its own. */
static PetscErrorCode test_records_go_on_with_the_run(void)
{
  RungStepper stepper;
  PetscMPIInt rank;
  PetscReal   whole, lost;
  char        text[ROOM];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create(RUNGDIRK, 1.1, 0.1, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "lost", &whole));
  PetscCall(RungStepperDestroy(&stepper));
  for (int resumed = 0; resumed < 2; ++resumed) {
    PetscCall(create(RUNGDIRK, 0.8, 0.1, &stepper));
    PetscCall(RungStepperAddTable(stepper, "pieces"));
    PetscCall(RungStepperAddOutput(stepper, "pieces", 0.3));
    PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "lost - 0.5"}));
    if (resumed) PetscCall(RungStepperSetRestart(stepper, "pieces.h5", PETSC_FALSE));
    CHECK_RAISES(RungStepperSave(stepper, "pieces.h5"),
                 "a checkpoint of a run that has not begun"); /* the file stays */
    PetscCall(RungStepperSetCheckpoint(stepper, resumed ? "" : "pieces.h5", 1000));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperSetCheckpoint(stepper, "", 0));
    PetscCall(RungStepperSetInterval(stepper, 0.8, 1.1, 0.1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
    CHECK_NEAR(lost, whole, 1e-6); /* the event has its own step */
    PetscCall(check_times("pieces.pvd", 3, (PetscReal[]){0.5, 0.8, 1.1}));
    PetscCall(read_text("pieces.csv", ROOM, text));
    CHECK(rank || (strstr(text, "\n0.5,2,0\n") && strstr(text, "\n1.1,") && rows_of(text) == 8));
    PetscCall(read_text("pieces.events.csv", ROOM, text));
    CHECK(rank || rows_of(text) == 1);
    if (resumed) {
      PetscCall(RungStepperSetRestart(stepper, NULL, PETSC_FALSE));
      PetscCall(RungStepperSetInterval(stepper, 0, 0.1, 0.1));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(RungStepperGetQuantity(stepper, "lost", &lost));
      CHECK_NEAR(lost, 2 * (1 - exp(-0.1)), 1e-6);
      PetscCall(check_times("pieces.pvd", 2, (PetscReal[]){0, 0.1}));
      PetscCall(read_text("pieces.csv", ROOM, text));
      CHECK(rank || rows_of(text) == 2);
    }
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions of the program ------------------------------------------------------------------------------------- */

typedef enum { MONITOR_FAILS, NUMBER_FAILS, ACT_FAILS, MONITOR_WRITES } Trouble;

static PetscErrorCode last_rank(PetscBool *last)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *last = rank == size - 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode monitor(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  const Trouble trouble = *(const Trouble *)ctx;
  PetscBool     last;

  PetscFunctionBegin;
  (void)stepper, (void)t;
  PetscCall(last_rank(&last));
  if (trouble == MONITOR_FAILS && step == 2 && last) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "the pen broke");
  if (trouble == MONITOR_WRITES && step == 2) PetscCall(VecScale(u[0], 1000)); /* to print millimetres */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  PetscBool last;

  PetscFunctionBegin;
  (void)stepper, (void)u;
  PetscCall(last_rank(&last));
  if (*(const Trouble *)ctx == NUMBER_FAILS && last && t > 0.55)
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "the gauge broke");
  *g = t - 0.65;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode act(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  PetscBool last;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  PetscCall(last_rank(&last));
  if (*(const Trouble *)ctx == ACT_FAILS && last) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "the switch broke");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What fails on the last rank ends the run on all, with its text; the stepper can be used afterwards. */
static PetscErrorCode test_trouble_of_the_programs_functions_ends_the_run_everywhere(void)
{
  const char *const texts[] = {"the pen broke", "the gauge broke", "the switch broke",
                               "it has changed the level of t = 0.7"};

  PetscFunctionBegin;
  for (Trouble trouble = MONITOR_FAILS; trouble <= MONITOR_WRITES; ++trouble) {
    Trouble     now = trouble;
    RungStepper stepper;

    PetscCall(create(RUNGBDF, 0.9, 0.1, &stepper));
    PetscCall(RungStepperAddMonitor(stepper, monitor, &now));
    if (trouble != MONITOR_WRITES)
      PetscCall(RungStepperAddEvent(stepper, "e", &(RungEvent){.fn = number, .act = act, .ctx = &now}));
    CHECK_RAISES(RungStepperSolve(stepper), texts[trouble]);
    now = NUMBER_FAILS; /* behind the end of the run */
    PetscCall(RungStepperSetInterval(stepper, 0, 0.1, 0.1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_trouble_of_the_programs_functions_ends_the_run_everywhere),
               RUNG_TEST(test_records_go_on_with_the_run), RUNG_TEST(test_a_path_keeps_the_list_of_fields),
               RUNG_TEST(test_outputs_every_few_steps_with_chosen_fields),
               RUNG_TEST(test_a_series_that_cannot_be_written_is_an_error),
               RUNG_TEST(test_fixed_steps_are_interpolated_at_output_times),
               RUNG_TEST(test_outputs_of_adaptive_runs_do_not_change_their_steps),
               RUNG_TEST(test_every_level_is_written_without_a_period),
               RUNG_TEST(test_a_rate_is_summed_up_by_the_trapezoidal_rule_at_order_2),
               RUNG_TEST(test_a_table_has_a_column_for_each_quantity),
               RUNG_TEST(test_a_table_has_numbers_made_of_quantities),
               RUNG_TEST(test_a_table_goes_on_with_other_quantities),
               RUNG_TEST(test_a_table_goes_on_from_what_a_killed_run_left),
               RUNG_TEST(test_a_table_that_is_not_understood_is_refused_and_stays))
