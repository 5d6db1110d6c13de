/* work.c - set-up that takes long: named every while on standard error, refused where it would take far too long.

   A thread of rank 0 looks at the clock; it calls nothing of the library.  Where it cannot be had, nothing is said. */
#include "base_impl.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FIRST   2.0   /* seconds of work before its first word; the next ones come after twice as many each time */
#define SPEED   1e9   /* operations a second of an estimate                                                     */
#define SECONDS 600.0 /* that a table may take by estimate ..                                                   */
#define BYTES   8e9   /* .. and its memory                                                                      */
enum { DEEPEST = 8, NAME = 96 };

static struct {
  pthread_t       thread;
  pthread_mutex_t lock; /* of all below */
  pthread_cond_t  ended;
  PetscBool       running; /* the thread is there                                    */
  PetscBool       over;    /* .. and asked to end                                    */
  PetscBool       quiet;
  PetscBool       large; /* nothing is refused                                     */
  int             depth; /* of work within work                                    */
  double          began; /* when the outermost one did, seconds of a steady clock  */
  double          next;  /* seconds of it at the next word                         */
  char            name[DEEPEST][NAME];
} work = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double now(void)
{
  struct timespec t;

  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "setting up the system, residual 1: 4 s so far" */
static void speak(double seconds)
{
  fprintf(stderr, "setting up");
  for (int d = 0; d < work.depth && d < DEEPEST; ++d) fprintf(stderr, "%s %s", d ? "," : "", work.name[d]);
  fprintf(stderr, ": %.0f s so far\n", seconds);
}

static void *watch(void *unused)
{
  (void)pthread_mutex_lock(&work.lock);
  while (!work.over) {
    struct timespec until;
    double          seconds;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    ++until.tv_sec;
    (void)pthread_cond_timedwait(&work.ended, &work.lock, &until);
    seconds = now() - work.began;
    if (work.over || !work.depth || work.quiet || seconds < work.next) continue;
    speak(seconds);
    work.next = 2 * seconds;
  }
  (void)pthread_mutex_unlock(&work.lock);
  return unused;
}

static void start_thread(void)
{
  pthread_condattr_t steady;
  sigset_t           all, old;

  if (pthread_condattr_init(&steady)) return;
  if (!pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) && !pthread_cond_init(&work.ended, &steady)) {
    (void)sigfillset(&all); /* signals are for the thread that runs the program */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    work.running = pthread_create(&work.thread, NULL, watch, NULL) ? PETSC_FALSE : PETSC_TRUE;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  }
  (void)pthread_condattr_destroy(&steady);
}

void RungWorkBegin(const char format[], ...)
{
  PetscMPIInt rank = 1;
  va_list     arguments;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  (void)pthread_mutex_lock(&work.lock);
  if (work.depth < DEEPEST) {
    va_start(arguments, format);
    (void)vsnprintf(work.name[work.depth], NAME, format, arguments);
    va_end(arguments);
  }
  if (!work.depth++) {
    work.began = now();
    work.next  = FIRST;
  }
  if (!rank && !work.running && !work.quiet) start_thread();
  (void)pthread_mutex_unlock(&work.lock);
}

void RungWorkEnd(void)
{
  (void)pthread_mutex_lock(&work.lock);
  --work.depth;
  (void)pthread_mutex_unlock(&work.lock);
}

void RungWorkQuiet(PetscBool quiet)
{
  (void)pthread_mutex_lock(&work.lock);
  work.quiet = quiet;
  (void)pthread_mutex_unlock(&work.lock);
}

PetscErrorCode RungWorkStart(void)
{
  PetscFunctionBegin;
  work.large = PETSC_FALSE;
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-rung_large",
                           "tables of more than ten minutes or 8 GB by estimate are made", &work.large, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungWorkStop(void)
{
  if (!work.running) return;
  (void)pthread_mutex_lock(&work.lock);
  work.over = PETSC_TRUE;
  (void)pthread_cond_signal(&work.ended);
  (void)pthread_mutex_unlock(&work.lock);
  (void)pthread_join(work.thread, NULL);
  (void)pthread_cond_destroy(&work.ended);
  work.running = work.over = PETSC_FALSE;
}

PetscErrorCode RungWorkAllow(double operations, double numbers, const char format[], ...)
{
  const double seconds = operations / SPEED, bytes = 8 * numbers;
  char         what[256];
  va_list      arguments;

  PetscFunctionBegin;
  if (seconds <= SECONDS && bytes <= BYTES) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  PetscCheck(numbers < (double)PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s would hold %.2g numbers, more than this PETSc can count; take a lower degree, of the space or of the "
             "measure, as in dx(degree: 4)",
             what, numbers);
  PetscCheck(
    work.large, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "%s would take some %.2g s and %.2g GB to set up; take a lower degree, of the space or of the measure, as in "
    "dx(degree: 4), or -rung_large, which goes on all the same",
    what, seconds, bytes / 1e9);
  PetscFunctionReturn(PETSC_SUCCESS);
}
