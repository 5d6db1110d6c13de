/* status.c - the exit status of a process: results that are missing, and the signal that ended a run. */
#include "base_impl.h"

#include <errno.h>
#include <rungbinding.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
  int  signal;     /* number of the signal that ended a run, 0 without                    */
  int  missing;    /* results that were asked for and are not there                       */
  char what[1024]; /* the first of them, in words                                         */
  int  error;      /* status of a process that an error ends                              */
} status = {.error = 1};

PetscErrorCode RungIncomplete(MPI_Comm comm, const char format[], ...)
{
  PetscMPIInt rank;
  va_list     arguments;

  PetscFunctionBegin;
  RungNeedArgument(format);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!status.missing++) {
    va_start(arguments, format);
    (void)vsnprintf(status.what, sizeof status.what, format, arguments);
    va_end(arguments);
    if (rank) status.what[0] = '\0'; /* one rank speaks */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungStatusSetSignal(int signal)
{
  if (!status.signal) status.signal = signal;
}

PetscErrorCode RungGetStatus(int *number)
{
  PetscFunctionBegin;
  RungNeedArgument(number);
  *number = status.signal ? 128 + status.signal : status.missing ? RUNG_STATUS_INCOMPLETE : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who raises PETSC_ERR_SIG has ended because of the signal; any other error is one, whatever came before it. */
int RungStatusOfError(PetscErrorCode code)
{
  return code == PETSC_ERR_SIG && status.signal ? 128 + status.signal : status.error;
}

PetscErrorCode RungErrorStatus(int number)
{
  PetscFunctionBegin;
  PetscCheck(number > 0 && number < 126, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "status %d of a process that an error ends, wanted 1 to 125", number);
  status.error = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was printed and has not arrived is missing, too; PETSc's own flush would end the program in its words. */
static void look_at_output(void)
{
  int reason;

  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return;
  reason = errno;
  if (!status.missing++)
    (void)snprintf(status.what, sizeof status.what, "the standard output is not whole%s%s", reason ? ": " : "",
                   reason ? strerror(reason) : "");
  if (!freopen("/dev/null", "w", stdout)) clearerr(stdout);
}

void RungStatusTell(void)
{
  look_at_output();
  if (!status.what[0]) return;
  fprintf(stderr, "incomplete: %s", status.what);
  if (status.missing > 1) fprintf(stderr, " (and %d more)", status.missing - 1);
  fprintf(stderr, "\n");
  status.what[0] = '\0';
}

/* main() has returned `found`: its 0 becomes what the run came to; what the program says itself stays. */
void RungStatusExit(int found)
{
  int wanted = 0;

  (void)RungGetStatus(&wanted);
  if (found || !wanted) return;
  (void)fflush(NULL);
  _exit(wanted);
}
