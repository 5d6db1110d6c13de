/* error.c - the way that an error takes to the user, or to the program that asks for it.

   An error is kept where it is raised and shown where it arrives: in main(), or at exit() if main() returns it.  There
   the ranks that failed meet.  If all do, the lowest speaks and everybody leaves in order; if some stay away (they
   work on, or wait for us in a collective call), the lowest of those present speaks and MPI_Abort ends the rest.

   Between RungErrorBegin() and RungErrorEnd() the same handler lies on top of PETSc's stack of handlers, above those that
   others have pushed, and an error that is kept is not shown at exit(): the program has its code and asks for the rest. */
#include "base_impl.h"
#include <rungbinding.h>
#include <rungtext_room.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define RUNG_PATIENCE 1.0  /* seconds that a failed rank waits for the others to fail as well       */
#define RUNG_MEETING  10.0 /* the same where a program may go on after its error                      */
#define PETSC_TEXT    2048 /* bytes that PETSc has for the text of an error; what is longer is cut   */

static struct {
  MPI_Comm       comm;     /* owned; failed ranks meet here and disturb no other message            */
  PetscBool      handling; /* the handler of RungInitialize is on PETSc's stack                     */
  PetscBool      running;  /* between RungErrorsStart and RungErrorsStop                            */
  int            depth;    /* RungErrorBegin without its RungErrorEnd                               */
  PetscBool      pending;  /* an error was raised, is not shown, and nobody but the user is to know */
  PetscBool      memory;   /* RungErrorMeet has seen memory run out                                 */
  PetscErrorCode code;     /* of the last error, 0: none since the start or RungErrorClear          */
  int            line;     /* of the place that raised it                                           */
  char           function[128];
  char           file[PETSC_MAX_PATH_LEN];
  char           text[2 * PETSC_TEXT]; /* its message                                                  */
  char           trace[4096];          /* "function() file:line\n", the raising function first         */
} last = {.comm = MPI_COMM_NULL};

static struct {
  PetscErrorCode (*print)(const char[], ...); /* PETSc's way to print errors, while it is replaced */
  char      text[PETSC_TEXT];                 /* the last line that says what is wrong             */
  PetscBool whole;                            /* what follows is about PETSc                       */
} early;

/* ---- shown to the user -------------------------------------------------------------------------------------------- */

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

    (void)MPI_Isend(&word, 1, MPI_INT, r, 0, last.comm, &sent);
    MPI_Request_free(&sent);
  }
  do {
    MPI_Iprobe(MPI_ANY_SOURCE, 0, last.comm, &found, MPI_STATUS_IGNORE);
    if (!found) usleep(1000);
  } while (!found && MPI_Wtime() < end);
  return found ? PETSC_FALSE : PETSC_TRUE;
}

static void show_error(const char text[])
{
  char shown[sizeof last.text];

  (void)snprintf(shown, sizeof shown, "%s", text);
  RungTextShow(shown);
  fflush(stdout);
  fprintf(stderr, "error: %s\n", shown);
  fflush(stderr);
}

/* Whether all ranks come here before `seconds` are over; if some do not, the lowest of the others speaks and ends the run. */
static void meet(double seconds, const char text[], PetscErrorCode code)
{
  PetscMPIInt rank, size;
  MPI_Request met;

  MPI_Comm_rank(last.comm, &rank);
  MPI_Comm_size(last.comm, &size);
  MPI_Ibarrier(last.comm, &met);
  if (wait_for(&met, seconds)) return;
  if (lowest_of_the_failed(rank, size))
    show_error(text);
  else
    sleep(1); /* the lowest speaks before our abort ends it */
  MPI_Abort(PETSC_COMM_WORLD, RungStatusOfError(code));
}

PetscErrorCode RungErrorMeet(MPI_Comm comm, PetscErrorCode code, const char text[])
{
  PetscMPIInt same = MPI_UNEQUAL;

  PetscFunctionBegin;
  if (last.comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_compare(comm, last.comm, &same));
  if (code == PETSC_ERR_MEM) last.memory = PETSC_TRUE;
  if (same == MPI_CONGRUENT) meet(RUNG_MEETING, text, code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shows the pending error once and ends MPI; does not return if some rank did not come. */
static void settle_error(void)
{
  PetscMPIInt rank;
  int         finalized = 0;

  last.pending = PETSC_FALSE;
  MPI_Finalized(&finalized);
  if (finalized || last.comm == MPI_COMM_NULL) {
    show_error(last.text);
    return;
  }
  meet(RUNG_PATIENCE, last.text, last.code);
  MPI_Comm_rank(last.comm, &rank);
  if (!rank) show_error(last.text);
  MPI_Finalize();
}

PetscBool RungErrorShowLast(void)
{
  if (!last.pending) return PETSC_FALSE;
  settle_error();
  return PETSC_TRUE;
}

/* ---- kept --------------------------------------------------------------------------------------------------------- */

/* Of a file of the tree, its path from the tree's root on; other paths as they are. */
static const char *path_in_tree(const char file[])
{
  static const char here[] = __FILE__, inside[] = "fe/base/error.c";
  const size_t      length = sizeof here > sizeof inside ? sizeof here - sizeof inside : 0;

  return file && strncmp(file, here, length) == 0 ? file + length : file ? file : "";
}

/* A text that PETSc has cut, perhaps within a letter of several bytes, ends in "..". */
static void mark_cut(char text[])
{
  size_t end = PETSC_TEXT - 1;

  if (strlen(text) < end) return;
  end -= 2;
  while (end && ((unsigned char)text[end] & 0xC0) == 0x80) --end; /* which continue a letter of UTF-8 */
  memcpy(text + end, "..", sizeof "..");
}

static void keep_text(PetscErrorCode code, const char text[])
{
  const char *generic = NULL;

  if (!text || !text[0] || !strcmp(text, " ")) (void)PetscErrorMessage(code, &generic, NULL);
  (void)snprintf(last.text, sizeof last.text, "%s", generic ? generic : text ? text : "unknown error");
  if (!generic) mark_cut(last.text);
  RungOptionsExplain(last.text, sizeof last.text);
}

static void keep_place(const char function[], const char file[], int line)
{
  (void)snprintf(last.function, sizeof last.function, "%s", function ? function : "");
  (void)snprintf(last.file, sizeof last.file, "%s", path_in_tree(file));
  last.line     = line;
  last.trace[0] = 0;
}

/* One more function that the error comes through; what has no room any more is far from its origin. */
static void add_to_trace(const char function[], const char file[], int line)
{
  const size_t used = strlen(last.trace), room = sizeof last.trace - used;
  const int n = snprintf(last.trace + used, room, "%s() %s:%d\n", function ? function : "", path_in_tree(file), line);

  if (n < 0 || (size_t)n >= room) last.trace[used] = 0;
}

static PetscErrorCode handle_error(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                   PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)ctx;
  if (type == PETSC_ERROR_INITIAL || last.code != n) {
    keep_text(n, text);
    keep_place(function, file, line);
    last.code = n;
  }
  last.pending = last.depth ? PETSC_FALSE : PETSC_TRUE;
  add_to_trace(function, file, line);
  if (function && !strcmp(function, "main")) {
    settle_error();
    exit(RungStatusOfError(last.code));
  }
  return n;
}

static void forget(void)
{
  last.pending = PETSC_FALSE;
  last.code    = PETSC_SUCCESS;
  last.text[0] = last.trace[0] = last.function[0] = last.file[0] = 0;
  last.line                                                      = 0;
}

/* ---- start and end of the process --------------------------------------------------------------------------------- */

/* PETSc has no handlers before it has started, and prints what is wrong with an options file by this function: the last line
   of its words, in front of those about PETSc itself. */
static PetscErrorCode keep_early(const char format[], ...)
{
  char    text[PETSC_TEXT];
  va_list list;

  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!strncmp(text, "See ", 4) || !strncmp(text, "WARNING", 7)) early.whole = PETSC_TRUE;
  if (!early.whole && text[0] != '-')
    (void)snprintf(early.text, sizeof early.text, "%.*s", (int)strcspn(text, "\n"), text);
  return PETSC_SUCCESS;
}

void RungErrorsBefore(void)
{
  early.print      = PetscErrorPrintf;
  early.whole      = PETSC_FALSE;
  early.text[0]    = '\0';
  PetscErrorPrintf = keep_early;
}

void RungErrorsAfter(MPI_Comm comm, PetscErrorCode code)
{
  PetscMPIInt size;

  PetscErrorPrintf = early.print;
  if (!code) return;
  MPI_Comm_size(comm, &size);
  (void)snprintf(last.text, sizeof last.text, "PETSc does not start: %s", early.text);
  show_error(last.text);
  if (size > 1) MPI_Abort(comm, RungStatusOfError(code)); /* the others wait for what rank 0 has read */
  MPI_Finalize();
  exit(RungStatusOfError(code));
}

PetscErrorCode RungErrorsStart(PetscBool traceback)
{
  PetscFunctionBegin;
  forget();
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &last.comm));
  if (!traceback) PetscCall(PetscPushErrorHandler(handle_error, NULL));
  for (int i = 0; i < last.depth; ++i) PetscCall(PetscPushErrorHandler(handle_error, NULL));
  last.handling = traceback ? PETSC_FALSE : PETSC_TRUE;
  last.running  = PETSC_TRUE;
  last.memory   = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungErrorsStop(void)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_free(&last.comm));
  for (int i = last.handling ? -1 : 0; i < last.depth; ++i) PetscCall(PetscPopErrorHandler());
  last.handling = PETSC_FALSE;
  last.running  = PETSC_FALSE;
  last.pending  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungErrorsOfMemory(void)
{
  return last.memory;
}

/* ---- for programs that go on -------------------------------------------------------------------------------------- */

/* These are without PetscFunctionBegin: PETSc may not have started. */
PetscErrorCode RungErrorBegin(void)
{
  if (last.running) PetscCall(PetscPushErrorHandler(handle_error, NULL));
  ++last.depth;
  return PETSC_SUCCESS;
}

PetscErrorCode RungErrorEnd(void)
{
  PetscCheck(last.depth, PETSC_COMM_SELF, PETSC_ERR_ORDER, "RungErrorEnd() without a RungErrorBegin() before it");
  --last.depth;
  if (last.running) PetscCall(PetscPopErrorHandler());
  return PETSC_SUCCESS;
}

PetscErrorCode RungErrorGet(RungErrorInfo *error)
{
  PetscCheck(error, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "RungErrorGet() with no place for the error");
  error->code     = last.code;
  error->line     = last.line;
  error->function = last.function;
  error->file     = last.file;
  error->text     = last.text;
  error->trace    = last.trace;
  return PETSC_SUCCESS;
}

PetscErrorCode RungErrorClear(void)
{
  forget();
  return PETSC_SUCCESS;
}

/* ---- errors of all ranks ------------------------------------------------------------------------------------------ */

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
