/* test_memory.c - memory that runs out at one place after the other of a run, and messages that fail: an error each time, and nothing is
   left in the process, which goes on.

   A place is a line of the library that asks PETSc for memory, or a function that calls a collective one of MPI, told apart by who called
   it; the first of its calls fails.  PETSc's own lines are left alone: what it has half made it does not give back.  With -test_every N only
   each N-th place fails. */
#include <execinfo.h>
#include <rungbinding.h>
#include "files.h"

#undef MPI_Allreduce /* PETSc counts messages by macros of these names */
#undef MPI_Bcast

#define ROOM   (1 << 16) /* pieces of memory in use */
#define PLACES 4096
#define DEPTH  3 /* callers that tell a place */

typedef PetscErrorCode Malloc(size_t, PetscBool, int, const char[], const char[], void **);
typedef PetscErrorCode Realloc(size_t, int, const char[], const char[], void **);
typedef PetscErrorCode Free(void *, int, const char[], const char[]);
typedef enum { NOTHING, MEMORY, MESSAGES } Kind;

static struct {
  Malloc  *take; /* PETSc's, while ours stand in their place */
  Realloc *retake;
  Free    *give;
} plain;

static struct {
  void       *at; /* NULL: none; the table itself: one that was given back */
  const char *file;
  int         line;
} piece[ROOM]; /* [address modulo ROOM, or behind] */

static struct {
  Kind     kind;    /* that is counted                             */
  PetscInt failing; /* the place, -1: none                         */
  PetscInt n;       /* places                                      */
  PetscInt here;    /* calls of the failing one in this run        */
  void    *place[PLACES][DEPTH];
} walk;

/* ---- what is left ------------------------------------------------------------------------------------------------- */

static PetscBool is_ours(const char file[])
{
  return file && !strstr(file, "src/") && !strstr(file, "petsc") ? PETSC_TRUE : PETSC_FALSE;
}

static size_t slot_of(const void *at)
{
  return (size_t)(((uintptr_t)at >> 4) * 0x9e3779b97f4a7c15u >> 40) % ROOM;
}

static void enter(void *at, int line, const char file[])
{
  size_t i = slot_of(at);

  if (!at || !is_ours(file)) return;
  while (piece[i].at && piece[i].at != (void *)piece) i = (i + 1) % ROOM;
  piece[i].at   = at;
  piece[i].file = file;
  piece[i].line = line;
}

static void leave(const void *at)
{
  for (size_t i = slot_of(at); at && piece[i].at; i = (i + 1) % ROOM) {
    if (piece[i].at != at) continue;
    piece[i].at = (void *)piece;
    return;
  }
}

/* Pieces that are left, told of. */
static PetscInt count_left(void)
{
  PetscInt n = 0;

  for (size_t i = 0; i < ROOM; ++i) {
    if (!piece[i].at || piece[i].at == (void *)piece) continue;
    if (n++ < 5) fprintf(stderr, "%s:%d is left\n", piece[i].file, piece[i].line);
  }
  return n;
}

/* ---- calls that fail ---------------------------------------------------------------------------------------------- */

/* Whether this call is the first one from the place that fails; callers[DEPTH] behind those of this file. */
static PetscBool fails(Kind kind, void *const callers[])
{
  PetscInt i = 0;

  if (walk.kind != kind) return PETSC_FALSE;
  while (i < walk.n && memcmp(walk.place[i], callers, sizeof walk.place[i]) != 0) ++i;
  if (i == PLACES) return PETSC_FALSE;
  if (i == walk.n) memcpy(walk.place[walk.n++], callers, sizeof walk.place[i]);
  return i == walk.failing && !walk.here++ ? PETSC_TRUE : PETSC_FALSE;
}

#define FAILS(which)                                                                                                   \
  void *stack_[DEPTH + 2] = {NULL};                                                                                    \
  if (walk.kind == (which)) (void)backtrace(stack_, DEPTH + 2);                                                        \
  if (fails((which), stack_ + 2))

static PetscErrorCode take(size_t size, PetscBool clear, int line, const char function[], const char file[],
                           void **memory)
{
  PetscErrorCode code;

  *memory = NULL;
  if (is_ours(file)) {
    FAILS(MEMORY)
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "no memory");
  }
  code = plain.take(size, clear, line, function, file, memory);
  enter(*memory, line, file);
  return code;
}

static PetscErrorCode retake(size_t size, int line, const char function[], const char file[], void **memory)
{
  PetscErrorCode code;

  if (is_ours(file)) {
    FAILS(MEMORY)
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "no memory");
  }
  leave(*memory);
  code = plain.retake(size, line, function, file, memory);
  enter(*memory, line, file);
  return code;
}

static PetscErrorCode give(void *memory, int line, const char function[], const char file[])
{
  leave(memory);
  return plain.give(memory, line, function, file);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  FAILS(MESSAGES) return MPI_ERR_OTHER;
  return PMPI_Allreduce(in, out, n, type, op, comm);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
  FAILS(MESSAGES) return MPI_ERR_OTHER;
  return PMPI_Bcast(data, n, type, root, comm);
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode go(RungProblem problem, PetscInt *mistakes)
{
  RungExit status;

  PetscFunctionBegin;
  PetscCall(RungProblemSetQuiet(problem, PETSC_TRUE));
  PetscCall(RungProblemSetOutput(problem, "none"));
  PetscCall(RungProblemRead(problem, "test.rung"));
  PetscCall(RungProblemRun(problem, &status));
  PetscCall(RungProblemGetMistakes(problem, mistakes, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_file(PetscInt *mistakes)
{
  RungProblem problem;

  PetscFunctionBegin;
  PetscCall(RungProblemCreate(PETSC_COMM_WORLD, &problem));
  RungCallFinally(go(problem, mistakes), PetscCall(RungProblemDestroy(&problem)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a run in which a place fails is as it should be. */
static PetscErrorCode judge(PetscInt place, PetscErrorCode code)
{
  const PetscInt left = count_left();
  RungErrorInfo  info;

  PetscFunctionBegin;
  PetscCall(RungErrorGet(&info));
  if (left) fprintf(stderr, "%" PetscInt_FMT " pieces of memory in all, behind\n%s", left, info.trace);
  if (!code) fprintf(stderr, "place %" PetscInt_FMT " has failed without an error\n", place);
  CHECK(code && walk.here && !left);
  PetscCall(RungErrorClear());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run in which nothing fails lists the places, those behind it let one fail each. */
static PetscErrorCode fail_everywhere(Kind kind, PetscInt least)
{
  PetscInt places = 0, mistakes = 0, every = 1;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-test_every", &every, NULL));
  walk.n = 0;
  for (PetscInt i = -1; i < places; i += i < 0 ? 1 : every) {
    PetscErrorCode code;

    PetscCall(PetscMemzero(piece, sizeof piece));
    walk.here    = 0;
    walk.failing = i;
    walk.kind    = kind;
    code         = run_file(&mistakes);
    walk.kind    = NOTHING;
    if (i < 0) {
      places = walk.n;
      fprintf(stderr, "%" PetscInt_FMT " places\n", places);
      CHECK(!code && !mistakes && places >= least);
    } else
      PetscCall(judge(i, code));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TEXT                                                                                                           \
  "box triangle 3,3\nunknown u v P1\nunknown w z P2\nresidual dt(u)*v*dx + inner(grad(u), grad(v))*dx\n"               \
  "residual dt(w)*z*dx + (1 + u^2)*inner(grad(w), grad(z))*dx\ndirichlet u left 0\ndirichlet w boundary exp(-t)\n"     \
  "initial u x[0]\ninitial w 1\nquantity q u*dx\nprobe p 0.3,0.3 u\nsummary s last q\nmethod esdirk32\n"               \
  "time 0 0.1 0.05\ntolerances 1e-2 1e-3\n"

static PetscErrorCode walk_through(Kind kind, PetscInt least)
{
  PetscInt mistakes;

  PetscFunctionBegin;
  PetscCall(write_file("test.rung", TEXT));
  PetscCall(run_file(&mistakes)); /* what the process keeps is there now */
  plain.take     = PetscTrMalloc;
  plain.retake   = PetscTrRealloc;
  plain.give     = PetscTrFree;
  PetscTrMalloc  = take;
  PetscTrRealloc = retake;
  PetscTrFree    = give;
  PetscCall(RungErrorBegin());
  RungCallFinally(fail_everywhere(kind, least), PetscTrMalloc = plain.take; PetscTrRealloc = plain.retake;
                  PetscTrFree = plain.give; PetscCall(RungErrorEnd()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_memory_that_runs_out_is_an_error_and_leaves_nothing(void)
{
  PetscFunctionBegin;
  PetscCall(walk_through(MEMORY, 400));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_messages_that_fail_are_errors_and_leave_nothing(void)
{
  PetscFunctionBegin;
  PetscCall(walk_through(MESSAGES, 60));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_memory_that_runs_out_is_an_error_and_leaves_nothing),
               RUNG_TEST(test_messages_that_fail_are_errors_and_leave_nothing))
