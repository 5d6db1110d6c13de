/* fitting.c - which methods fit a system, which do with a word of caution, and why the others do not: one paragraph a reason. */
#include "reader_impl.h"
#include <rungmethod.h>
#include <rungsystem_room.h>
#include <stdio.h>

/* Methods with the same answer, family by family. */
typedef struct {
  char      reason[RUNG_MISTAKE_SIZE]; /* "": they fit                */
  PetscBool fits;
  RungDraft names;    /* "dirk a, b; bdf c", wrapped */
  char      type[64]; /* of the last name            */
  size_t    line;     /* where the last line begins  */
} Answer;

typedef struct {
  PetscInt n;
  Answer  *answer; /* owned, [n] */
} Answers;

typedef struct {
  PetscReal t0, t1, dt;
} Interval;

static PetscErrorCode try_method(RungProblem problem, Interval time, const char type[], const char method[],
                                 RungCaught *caught)
{
  RungStepper stepper;
  PetscReal   t0 = time.t0, t1 = time.t1, dt = time.dt;
  PetscBool   adaptive = RungHas(problem, "tolerances");

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(problem->comm, &stepper));
  PetscCall(RungStepperSetSystem(stepper, problem->sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, t0, t1, adaptive && dt >= t1 - t0 ? PETSC_DEFAULT : dt));
  if (adaptive) PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-6));
  RungCatch(caught, RungStepperSetUp(stepper));
  if (!caught->code) PetscCall(RungStepperGetCaution(stepper, caught->message, sizeof caught->message));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A message without the method's name in front, which stands in the list. */
static const char *without_name(const char message[], const char type[], const char method[])
{
  char name[160];

  (void)snprintf(name, sizeof name, "%s method \"%s\" ", type, method);
  return strncmp(message, name, strlen(name)) ? message : message + strlen(name);
}

static PetscErrorCode find_answer(Answers *all, const char reason[], PetscBool fits, Answer **answer)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  while (i < all->n && (all->answer[i].fits != fits || strcmp(all->answer[i].reason, reason) != 0)) ++i;
  if (i == all->n) {
    PetscCall(PetscRealloc((size_t)(all->n + 1) * sizeof *all->answer, &all->answer));
    all->answer[i] = (Answer){.fits = fits};
    PetscCall(PetscStrncpy(all->answer[i].reason, reason, sizeof all->answer[i].reason));
    ++all->n;
  }
  *answer = &all->answer[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_name(Answer *answer, const char type[], const char method[], PetscBool own)
{
  const PetscBool begins = strcmp(answer->type, type) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (begins) {
    PetscCall(RungDraftAdd(&answer->names, "%s    %-12s", answer->names.length ? "\n" : "", type));
    answer->line = answer->names.length - 16;
    PetscCall(PetscStrncpy(answer->type, type, sizeof answer->type));
  } else if (answer->names.length - answer->line + strlen(method) > 116) {
    PetscCall(RungDraftAdd(&answer->names, ",\n%16s", ""));
    answer->line = answer->names.length - 16;
  } else {
    PetscCall(RungDraftAdd(&answer->names, ","));
  }
  PetscCall(RungDraftAdd(&answer->names, " %s%s", own ? "*" : "", method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask_all(RungProblem problem, Interval time, Answers *all)
{
  const char *const *types, *const *methods;
  PetscInt   n;
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    char    own[128];
    Answer *answer;

    PetscCall(try_method(problem, time, types[i], methods[i], &caught));
    PetscCall(find_answer(all, without_name(caught.message, types[i], methods[i]),
                          caught.code ? PETSC_FALSE : PETSC_TRUE, &answer));
    (void)snprintf(own, sizeof own, "%s %s", types[i], methods[i]);
    PetscCall(add_name(answer, types[i], methods[i], (PetscBool)!strcmp(own, problem->ran)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_answers(MPI_Comm comm, const Answers *all)
{
  static const struct {
    PetscBool   fits, reason;
    const char *title;
  } parts[] = {{PETSC_TRUE, PETSC_FALSE, "methods that fit, * is the one of this file"},
               {PETSC_TRUE, PETSC_TRUE, "methods that fit, but"},
               {PETSC_FALSE, PETSC_TRUE, "methods that do not"}};

  PetscFunctionBegin;
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(parts); ++p) {
    PetscBool first = PETSC_TRUE;

    for (PetscInt i = 0; i < all->n; ++i) {
      const Answer   *answer = &all->answer[i];
      const PetscBool reason = answer->reason[0] ? PETSC_TRUE : PETSC_FALSE;

      if (answer->fits != parts[p].fits || reason != parts[p].reason) continue;
      if (first) PetscCall(PetscPrintf(comm, "%s\n", parts[p].title));
      first = PETSC_FALSE;
      if (answer->reason[0]) PetscCall(PetscPrintf(comm, "  %s\n", answer->reason));
      PetscCall(PetscPrintf(comm, "%s\n", answer->names.text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stepper of the file lets go of the system meanwhile, but that of a group, which has it: what it eliminates others leave in
   their matrix. */
static PetscErrorCode print_all(RungProblem problem, Answers *all)
{
  Interval time;

  PetscFunctionBegin;
  PetscCall(RungStepperGetInterval(problem->stepper, &time.t0, &time.t1, &time.dt));
  if (!problem->group) {
    PetscCall(RungStepperDestroy(&problem->stepper));
    PetscCall(RungSystemKeepInternal(problem->sys));
  }
  PetscCall(ask_all(problem, time, all));
  PetscCall(print_answers(problem->comm, all));
  if (!problem->group) PetscCall(RungBuildStepper(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear(Answers *all)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; ++i) PetscCall(RungDraftClear(&all->answer[i].names));
  PetscCall(PetscFree(all->answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMethodsFit(RungProblem problem)
{
  Answers all = {0};

  PetscFunctionBegin;
  RungCallFinally(print_all(problem, &all), PetscCall(clear(&all)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
