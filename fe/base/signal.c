/* signal.c - signals that ask a run to end after the step in hand: the terminal's, the batch system's, a user's.

   The first one leaves its number and gives all of them back to the system, so that a second one ends the process at once.
   A handler that the program has set itself since RungInitialize(), and a signal that was ignored, stay as they are. */
#include "base_impl.h"
#include <signal.h>

static const int number[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
#define SIGNALS 7

static volatile sig_atomic_t came; /* the first signal, 0: none */

static struct {
  struct sigaction before[SIGNALS]; /* after RungInitialize(): PETSc's or the system's            */
  struct sigaction old[SIGNALS];    /* what Catch has replaced                                    */
  PetscBool        ours[SIGNALS];   /* Catch has replaced it                                      */
  int              depth;           /* Catch without its Release; they nest                       */
  struct sigaction pipe;            /* SIGPIPE before PETSc                                       */
  PetscBool        has_pipe;        /* that is known                                              */
} signals;

/* Two that come together are handled in either order: whichever is the second here ends the process. */
static void catch_signal(int n)
{
  const int second = came != 0;

  if (!second) came = n;
  for (int i = 0; i < SIGNALS; ++i) {
    struct sigaction end = {.sa_handler = SIG_DFL};

    if (signals.ours[i]) (void)sigaction(number[i], &end, NULL);
  }
  if (second) (void)raise(n);
}

void RungSignalsBefore(void)
{
  signals.has_pipe = sigaction(SIGPIPE, NULL, &signals.pipe) == 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* A file beyond the limit of its size is a write that fails, as on a full disk, not the end of the process.  A reader that
   has seen enough ends who writes to it without a word: PETSc would speak, and write to where nobody reads. */
void RungSignalsStart(void)
{
  struct sigaction file;

  if (signals.has_pipe) (void)sigaction(SIGPIPE, &signals.pipe, NULL);

  for (int i = 0; i < SIGNALS; ++i) (void)sigaction(number[i], NULL, &signals.before[i]);
  if (sigaction(SIGXFSZ, NULL, &file) == 0 && file.sa_handler == SIG_DFL) (void)signal(SIGXFSZ, SIG_IGN);
}

PetscErrorCode RungSignalsCatch(void)
{
  PetscFunctionBegin;
  if (signals.depth++ || came) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < SIGNALS; ++i) {
    struct sigaction catching = {.sa_handler = catch_signal, .sa_flags = SA_RESTART};

    (void)sigemptyset(&catching.sa_mask);
    signals.ours[i] = PETSC_FALSE;
    if (sigaction(number[i], NULL, &signals.old[i]) != 0) continue;
    if (signals.old[i].sa_handler == SIG_IGN || signals.old[i].sa_handler != signals.before[i].sa_handler) continue;
    signals.ours[i] = sigaction(number[i], &catching, NULL) == 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSignalsRelease(void)
{
  PetscFunctionBegin;
  if (--signals.depth || came) PetscFunctionReturn(PETSC_SUCCESS); /* after the first the system has them */
  for (int i = 0; i < SIGNALS; ++i) {
    if (signals.ours[i]) (void)sigaction(number[i], &signals.old[i], NULL);
    signals.ours[i] = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSignalsAgree(MPI_Comm comm, PetscBool *flag, int *first)
{
  PetscMPIInt rank, ranks;
  int         mine[2], all[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  mine[0] = (int)came;
  mine[1] = !rank && *flag ? 1 : 0;
  if (ranks > 1)
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm));
  else
    PetscCall(PetscArraycpy(all, mine, 2));
  *first = all[0];
  *flag  = all[1] ? PETSC_TRUE : PETSC_FALSE;
  if (all[0]) RungStatusSetSignal(all[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungSignalName(int n)
{
  static const char *const name[SIGNALS] = {"SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU"};

  for (int i = 0; i < SIGNALS; ++i) {
    if (number[i] == n) return name[i];
  }
  return "a signal";
}
