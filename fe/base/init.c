/* init.c - start and end of the process, the way an error takes to the user, options that nobody asked for, or that
   differ between ranks.

   An error is kept where it is raised and shown where it arrives: in main(), or at exit() if main() returns it.  There
   the ranks that failed meet.  If all do, the lowest speaks and everybody leaves in order; if some stay away (they
   work on, or wait for us in a collective call), the lowest of those present speaks and MPI_Abort ends the rest. */
#include "base_impl.h"
#include <stdlib.h>
#include <unistd.h>

#define RUNG_PATIENCE 1.0 /* seconds that a failed rank waits for the others to fail as well */

PetscClassId  RUNG_MESH_CLASSID;
PetscLogEvent RUNG_MESH_SETUP;

static struct {
  MPI_Comm       comm;          /* owned; failed ranks meet here and disturb no other message        */
  PetscBool      pending;       /* an error was raised and not shown                                 */
  PetscErrorCode code;          /* of that error                                                     */
  char           message[4096]; /* of that error                                                     */
  PetscBool      running;       /* between RungInitialize and RungFinalize                           */
  PetscBool      handling;      /* our error handler is on the stack                                 */
  PetscBool      began;         /* MPI was started here, and is ended here                           */
} process = {.comm = MPI_COMM_NULL};

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* True if `request` is complete before `seconds` are over. */
static PetscBool wait_for(MPI_Request *request, double seconds)
{
  const double end  = MPI_Wtime() + seconds;
  int          done = 0;

  do {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(1000);
  } while (!done && MPI_Wtime() < end);
  return done ? PETSC_TRUE : PETSC_FALSE;
}

/* Of the ranks that failed, is this the lowest?  Each tells the higher ones; no answer is wanted. */
static PetscBool lowest_of_the_failed(PetscMPIInt rank, PetscMPIInt size)
{
  const double end   = MPI_Wtime() + 0.2 * RUNG_PATIENCE;
  int          found = 0, word = rank;

  for (PetscMPIInt r = rank + 1; r < size; ++r) {
    MPI_Request sent;

    (void)MPI_Isend(&word, 1, MPI_INT, r, 0, process.comm, &sent);
    MPI_Request_free(&sent);
  }
  do {
    MPI_Iprobe(MPI_ANY_SOURCE, 0, process.comm, &found, MPI_STATUS_IGNORE);
    if (!found) usleep(1000);
  } while (!found && MPI_Wtime() < end);
  return found ? PETSC_FALSE : PETSC_TRUE;
}

static void show_error(void)
{
  fflush(stdout);
  fprintf(stderr, "error: %s\n", process.message);
  fflush(stderr);
}

/* Shows the pending error once and ends MPI; does not return if some rank did not come. */
static void settle_error(void)
{
  PetscMPIInt rank, size;
  int         finalized = 0;
  MPI_Request met;

  process.pending = PETSC_FALSE;
  MPI_Finalized(&finalized);
  if (finalized || process.comm == MPI_COMM_NULL) {
    show_error();
    return;
  }
  MPI_Comm_rank(process.comm, &rank);
  MPI_Comm_size(process.comm, &size);
  MPI_Ibarrier(process.comm, &met);
  if (wait_for(&met, RUNG_PATIENCE)) {
    if (!rank) show_error();
    MPI_Finalize();
    return;
  }
  if (lowest_of_the_failed(rank, size))
    show_error();
  else
    sleep(1); /* the lowest speaks before our abort ends it */
  MPI_Abort(PETSC_COMM_WORLD, RungStatusOfError(process.code));
}

/* main() returned an error code instead of passing it through PetscCall, or 0 after a run that did not end well. */
static void at_exit(int found, void *ctx)
{
  (void)ctx;
  if (process.pending)
    settle_error();
  else if (!process.running)
    RungStatusExit(found);
}

static void keep_error(PetscErrorCode code, const char text[])
{
  const char *generic = NULL;

  if (!text || !text[0] || !strcmp(text, " ")) (void)PetscErrorMessage(code, &generic, NULL);
  (void)snprintf(process.message, sizeof process.message, "%s", generic ? generic : text ? text : "unknown error");
  RungOptionsExplain(process.message, sizeof process.message);
  process.code    = code;
  process.pending = PETSC_TRUE;
}

static PetscErrorCode handle_error(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                   PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)file, (void)ctx;
  if (type == PETSC_ERROR_INITIAL || !process.pending || process.code != n) keep_error(n, text);
  if (function && !strcmp(function, "main")) {
    settle_error();
    exit(RungStatusOfError(process.code));
  }
  return n;
}

PetscErrorCode RungCheckAll_Private(MPI_Comm comm, int ok, char message[], size_t size, PetscBool *bad)
{
  PetscMPIInt rank, ranks, mine, lowest;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  mine = ok ? ranks : rank;
  PetscCallMPI(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm));
  *bad = lowest < ranks ? PETSC_TRUE : PETSC_FALSE;
  if (*bad) PetscCallMPI(MPI_Bcast(message, (PetscMPIInt)size, MPI_CHAR, lowest, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCommCheck(MPI_Comm a, const char what[], MPI_Comm b, const char with[])
{
  PetscMPIInt same;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_compare(a, b, &same));
  PetscCheck(same != MPI_UNEQUAL, PETSC_COMM_SELF, PETSC_ERR_ARG_NOTSAMECOMM,
             "%s and %s live on different ranks; create both on one communicator", what, with);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static PetscErrorCode register_all(void)
{
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Rung mesh", &RUNG_MESH_CLASSID));
  PetscCall(PetscLogEventRegister("RungMeshSetUp", RUNG_MESH_CLASSID, &RUNG_MESH_SETUP));
  PetscCall(RungPartitionerRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the command lines differ between ranks?  PetscInitialize would wait for ever.  Before it; collective.
   Out  text  what differs, "" if nothing on this rank */
static PetscBool lines_differ(int argc, char **argv, char text[], size_t size)
{
  const MPI_Comm comm = PETSC_COMM_WORLD == MPI_COMM_NULL ? MPI_COMM_WORLD : PETSC_COMM_WORLD;
  char          *line = RungWordsJoin(argc, argv);
  int            mine, any;

  RungTextDiffer(comm, line ? line : "", text, size);
  free(line);
  mine = text[0] ? 1 : 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
  return any ? PETSC_TRUE : PETSC_FALSE;
}

static void begin_mpi(int *argc, char ***argv)
{
  int initialized = 0, provided;

  MPI_Initialized(&initialized);
  if (initialized) return;
  MPI_Init_thread(argc, argv, PETSC_MPI_THREAD_REQUIRED, &provided);
  process.began = PETSC_TRUE;
}

/* Options of files and of the environment, and of a program that started PETSc itself. */
static PetscErrorCode compare_options(void)
{
  char text[2048], *all;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  RungTextDiffer(PETSC_COMM_WORLD, all, text, sizeof text);
  PetscCall(PetscFree(all));
  RungCheckAll(!text[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_over(void)
{
  static PetscBool once      = PETSC_FALSE;
  PetscBool        traceback = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &process.comm));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-rung_traceback", &traceback));
  if (!traceback) PetscCall(PetscPushErrorHandler(handle_error, NULL));
  process.handling = traceback ? PETSC_FALSE : PETSC_TRUE;
  process.running  = PETSC_TRUE;
  process.pending  = PETSC_FALSE;
  RungMemoryBegin();
  if (!once) (void)on_exit(at_exit, NULL);
  once = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialize(int *argc, char ***argv, const char help[])
{
  char      text[2048] = "";
  PetscBool differ     = PETSC_FALSE;
  PetscBool traceback  = PETSC_FALSE;

  if (process.running) return PETSC_SUCCESS;
  if (!PetscInitializeCalled) {
    begin_mpi(argc, argv);
    differ = lines_differ(argc ? *argc : 0, argv ? *argv : NULL, text, sizeof text);
    RungHelpBegin(help);
    PetscCall(PetscInitialize(differ ? NULL : argc, differ ? NULL : argv, NULL, help));
    PetscCall(RungHelpEnd());
  }
  PetscFunctionBegin;
  PetscCall(take_over());
  RungCheckAll(!text[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscCall(compare_options());
  PetscCall(
    RungOptionBool(PETSC_COMM_WORLD, "-rung_traceback", "an error shows the way that it took", &traceback, NULL));
  if (argc && argv) RungWordsKeep(*argc, *argv);
  PetscCall(register_all());
  RungSignalsStart();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that nothing asked for are named once; asking for them keeps PETSc from naming them again. */
static PetscErrorCode name_unused_options(void)
{
  PetscInt n;
  char   **name, **value;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i) {
    char      option[PETSC_MAX_OPTION_NAME];
    PetscBool set;

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "warning: option -%s%s%s was given and never used\n", name[i],
                          value[i] ? " " : "", value[i] ? value[i] : ""));
    PetscCall(PetscSNPrintf(option, sizeof option, "-%s", name[i]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFinalize(void)
{
  PetscFunctionBegin;
  if (!process.running) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungHelpShow());
  PetscCall(name_unused_options());
  RungStatusTell();
  PetscCall(RungWordsForget());
  RungMemoryEnd();
  PetscCallMPI(MPI_Comm_free(&process.comm));
  if (process.handling) PetscCall(PetscPopErrorHandler());
  process.running  = PETSC_FALSE;
  process.handling = PETSC_FALSE;
  process.pending  = PETSC_FALSE;
  PetscCall(PetscFinalize());
  if (process.began) MPI_Finalize();
  process.began = PETSC_FALSE;
  return PETSC_SUCCESS; /* PETSc's stack of function names is gone */
}
