/* test_table.c - tables while a run lasts, at its end, and where they cannot be. */
#include "../step_impl.h"
#include "ode.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static PetscErrorCode count_rows(const char path[], PetscInt *rows)
{
  PetscMPIInt rank;
  FILE       *file;

  PetscFunctionBegin;
  *rows = -1;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = rank ? NULL : fopen(path, "r");
  if (file) {
    *rows = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) *rows += c == '\n';
    fclose(file);
  }
  PetscCallMPI(MPI_Bcast(rows, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the middle of a run the part is complete to the last step, and there is nothing under the final name. */
static PetscErrorCode look(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscInt part, whole;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u, (void)ctx;
  PetscCall(count_rows("run.csv.part", &part));
  PetscCall(count_rows("run.csv", &whole));
  CHECK(part == step + 2);
  CHECK(whole == -1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_table_grows_aside_and_is_renamed(void)
{
  Ode         ode = relaxation(1, 2);
  RungStepper stepper;
  PetscInt    part, whole;

  PetscFunctionBegin;
  (void)unlink("run.csv");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.25, &stepper));
  PetscCall(RungStepperAddTable(stepper, "run.csv"));
  PetscCall(RungStepperAddMonitor(stepper, look, NULL));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(count_rows("run.csv.part", &part));
  PetscCall(count_rows("run.csv", &whole));
  CHECK(part == -1);
  CHECK(whole == 6);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_folder_that_is_not_there_is_an_error_on_all_ranks(void)
{
  Ode         ode = relaxation(1, 2);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.25, &stepper));
  PetscCall(RungStepperAddTable(stepper, "no/such/folder/run.csv"));
  CHECK_RAISES(RungStepperSolve(stepper), "the table \"no/such/folder/run.csv\" cannot be written: No such file");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files of this process may have this many bytes, 0: any: what a full disk is to fwrite. */
static void limit_files(rlim_t bytes)
{
  struct rlimit limit;

  (void)signal(SIGXFSZ, SIG_IGN);
  (void)getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
  (void)setrlimit(RLIMIT_FSIZE, &limit);
}

/* Rows that the disk refuses are missing, what is there are whole rows, and the next one follows when there is room again. */
static PetscErrorCode test_a_full_disk_leaves_whole_rows(void)
{
  Ode             ode = relaxation(1, 2);
  RungStepper     stepper;
  RungTableRecord table;
  PetscMPIInt     rank;
  char            text[256] = "";
  FILE           *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAddTable(stepper, "full.csv"));
  PetscCall(RungStepperSetUp(stepper));
  table = stepper->tables;
  PetscCall(RungTableOpen(stepper, table));
  limit_files(21);
  for (int i = 0; i < 9; ++i) PetscCall(RungTableRow(stepper, table, 0.25 + i));
  limit_files(0);
  CHECK(table->missing.n == 6 && table->missing.t == 3.25 && strstr(table->missing.why, "too large"));
  PetscCall(RungTableRow(stepper, table, 9.25));
  CHECK(table->missing.n == 6);
  file = rank ? NULL : fopen("full.csv.part", "r");
  if (file) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
  }
  CHECK(rank || !strcmp(text, "t\n0.25\n1.25\n2.25\n9.25\n"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As another program would: the first one has the file, and its rows stay whole. */
static PetscErrorCode test_a_table_that_another_run_writes_is_left_alone(void)
{
  Ode         ode = relaxation(1, 2);
  RungStepper stepper[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.25, &stepper[i]));
    PetscCall(RungStepperAddTable(stepper[i], "ours.csv"));
  }
  PetscCall(RungStepperSetUp(stepper[0]));
  PetscCall(RungTableOpen(stepper[0], stepper[0]->tables));
  CHECK_RAISES(RungStepperSolve(stepper[1]), "the table \"ours.csv\" cannot be written: another run is writing it");
  PetscCall(RungTableRow(stepper[0], stepper[0]->tables, 0));
  PetscCall(RungTableFinish(stepper[0], stepper[0]->tables));
  PetscCall(RungStepperSolve(stepper[1]));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperDestroy(&stepper[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_pipe_is_not_replaced(void)
{
  Ode         ode = relaxation(1, 2);
  RungStepper stepper;
  struct stat status;

  PetscFunctionBegin;
  (void)mkfifo("pipe.csv", 0600); /* the first rank makes it */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.25, &stepper));
  PetscCall(RungStepperAddTable(stepper, "pipe.csv"));
  CHECK_RAISES(RungStepperSolve(stepper),
               "the table \"pipe.csv\" cannot be written: a device or pipe of that name exists");
  CHECK(stat("pipe.csv", &status) == 0 && S_ISFIFO(status.st_mode));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_unknown_quantity_is_refused(void)
{
  Ode         ode = relaxation(1, 2);
  RungStepper stepper;
  PetscReal   value;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, RUNGDIRK, "trbdf2", 0, 1, 0.25, &stepper));
  CHECK_RAISES(RungStepperGetQuantity(stepper, "energy", &value), "the system has no quantity \"energy\"");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_table_grows_aside_and_is_renamed),
               RUNG_TEST(test_a_folder_that_is_not_there_is_an_error_on_all_ranks),
               RUNG_TEST(test_a_full_disk_leaves_whole_rows),
               RUNG_TEST(test_a_table_that_another_run_writes_is_left_alone), RUNG_TEST(test_a_pipe_is_not_replaced),
               RUNG_TEST(test_an_unknown_quantity_is_refused))
