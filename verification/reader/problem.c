/* problem.c - life of a problem, and the way of a file: read, take apart, constants; then mesh, system, residuals, stepper. */
#include "reader_impl.h"
#include <stdio.h>

PetscErrorCode RungProblemCreate(MPI_Comm comm, RungProblem *problem)
{
  PetscFunctionBegin;
  RungNeedArgument(problem);
  PetscCall(PetscNew(problem));
  PetscCall(PetscCommDuplicate(comm, &(*problem)->comm, NULL));
  (*problem)->first = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All but the mesh, which the steps of a run share. */
PetscErrorCode RungSystemReset(RungProblem problem)
{
  PetscFunctionBegin;
  PetscCall(RungStaticReset(problem));
  PetscCall(RungRowsDestroy(&problem->rows));
  PetscCall(RungStepperDestroy(&problem->stepper));
  PetscCall(RungSeriesDestroy(problem));
  PetscCall(RungSystemDestroy(&problem->sys));
  for (PetscInt i = 0; i < problem->fields; ++i) PetscCall(RungFieldDestroy(&problem->field[i]));
  problem->fields = problem->residuals = problem->energies = problem->times = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildReset(RungProblem problem)
{
  PetscFunctionBegin;
  PetscCall(RungSystemReset(problem));
  PetscCall(RungMeshDestroy(&problem->mesh));
  problem->cells = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemDestroy(RungProblem *problem)
{
  RungNeedArgument(problem);
  RungProblem p = *problem;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGroupReset(p));
  PetscCall(RungBuildReset(p));
  PetscCall(RungCarryDestroy(p));
  for (PetscInt i = 0; i < p->statements; ++i) {
    if (p->statement[i].option) PetscCall(PetscOptionsClearValue(NULL, p->statement[i].arg[0].text));
    PetscCall(RungStatementDestroy(&p->statement[i]));
  }
  for (PetscInt i = 0; i < p->files; ++i) {
    PetscCall(PetscFree(p->file[i].path));
    PetscCall(PetscFree(p->file[i].text));
  }
  for (PetscInt i = 0; i < p->shown; ++i) PetscCall(PetscFree(p->mistake[i].text));
  PetscCall(PetscFree(p->mistake_text));
  PetscCall(PetscFree(p->statement));
  PetscCall(PetscFree(p->constant));
  PetscCall(PetscFree(p->field));
  PetscCall(PetscFree(p->time));
  PetscCall(PetscFree(p->outcome));
  PetscCall(PetscFree(p->command));
  PetscCall(PetscCommDestroy(&p->comm));
  PetscCall(PetscFree(*problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemSetOutput(RungProblem problem, const char folder[])
{
  PetscFunctionBegin;
  RungNeed(problem);
  PetscCall(PetscStrncpy(problem->asked, folder ? folder : "", sizeof problem->asked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemSetQuiet(RungProblem problem, PetscBool quiet)
{
  PetscFunctionBegin;
  RungNeed(problem);
  problem->quiet = quiet;
  RungWorkQuiet(quiet);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemSetCommand(RungProblem problem, const char command[], const char commit[])
{
  PetscFunctionBegin;
  RungNeed(problem);
  PetscCall(PetscFree(problem->command));
  PetscCall(PetscStrallocpy(command, &problem->command));
  PetscCall(PetscStrncpy(problem->commit, commit, sizeof problem->commit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemName(RungProblem problem, char name[], size_t size)
{
  const char *path = problem->file[0].path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');

  PetscFunctionBegin;
  (void)snprintf(name, size, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a member of a group: is a statement before all systems one about the whole run, or replaced by one of the member? */
static PetscBool is_not_of_member(RungProblem problem, const RungStatement *s)
{
  static const char *const group[] = {"checkpoint", "restart", "ladder"};
  static const char *const own[]   = {"method", "time", "tolerances", "steps", "norm", "order"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(group); ++i) {
    if (!strcmp(s->word->word, group[i])) return PETSC_TRUE;
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(own); ++k) {
    if (strcmp(s->word->word, own[k]) != 0) continue;
    for (PetscInt i = 0; i < problem->statements; ++i) {
      const RungStatement *other = &problem->statement[i];

      if (other->step == problem->step && other->word == s->word && (other->args > 2) == (s->args > 2))
        return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* What begins a run does so once; later steps begin with the state of the one before. */
PetscBool RungHolds(RungProblem problem, const RungStatement *s)
{
  if (problem->systems && s->joint) return PETSC_TRUE;
  if (s->step) return s->step == problem->step && !s->joint ? PETSC_TRUE : PETSC_FALSE;
  if (problem->group) return s->joint || is_not_of_member(problem, s) ? PETSC_FALSE : PETSC_TRUE;
  if (problem->systems && RungTellsOfValues(s)) return s->joint;
  return problem->step <= problem->first || strcmp(s->word->word, "initial") != 0 ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungIs(RungProblem problem, PetscInt i, const char word[])
{
  const RungStatement *s = &problem->statement[i];

  return !strcmp(s->word->word, word) && RungHolds(problem, s) ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungHas(RungProblem problem, const char word[])
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    if (RungIs(problem, i, word)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* What a file may say once. */
static PetscErrorCode refuse_twice(RungProblem problem)
{
  static const char *const once[] = {"title",      "time",    "tolerances", "method", "order",
                                     "checkpoint", "restart", "refine",     "static", "coupling"};

  PetscFunctionBegin;
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(once); ++w) {
    PetscInt n = 0;

    for (PetscInt i = 0; i < problem->statements; ++i) {
      const RungStatement *s = &problem->statement[i];

      if (!RungIs(problem, i, once[w]) || (s->args > 2 && !strcmp(once[w], "tolerances")))
        continue;                                                 /* of one unknown */
      if (problem->systems && s->step != problem->step) continue; /* a system may have its own */
      if (n++) PetscCall(RungMistake(problem, s, RungSpanOf(s), "%s was said already; take one of both away", once[w]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a file may say once of each name, in a step once more. */
static PetscErrorCode refuse_twice_of(RungProblem problem, const char word[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    for (PetscInt k = 0; k < i && RungIs(problem, i, word) && s->step == problem->step; ++k) {
      const RungStatement *other = &problem->statement[k];

      if (!RungIs(problem, k, word) || other->step != s->step || strcmp(other->arg[0].text, s->arg[0].text) != 0)
        continue;
      PetscCall(
        RungMistake(problem, s, RungSpanOf(s), "%s %s was said already; take one of both away", word, s->arg[0].text));
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPhaseRead(RungProblem problem, RungPhase phase)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];

    if (s->word->phase != phase || !RungHolds(problem, s)) continue;
    if (!s->number) s->number = 1;
    PetscCall(s->word->read(problem, s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemRead(RungProblem problem, const char path[])
{
  char why[256] = "";

  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(path);
  PetscCheck(!problem->files, problem->comm, PETSC_ERR_ORDER, "a problem reads one file; create another one");
  PetscCall(RungSourceOpen(problem, path, -1, why));
  PetscCheck(!why[0], problem->comm, PETSC_ERR_FILE_OPEN, "problem file \"%s\" cannot be read: %s", path, why);
  PetscCall(RungSourceRead(problem, 0));
  PetscCall(RungStepsMark(problem));
  for (problem->step = problem->steps; problem->step >= 0; --problem->step) {
    PetscCall(refuse_twice(problem));
    PetscCall(refuse_twice_of(problem, "initial"));
    PetscCall(refuse_twice_of(problem, "bounds"));
    PetscCall(refuse_twice_of(problem, "exact"));
  }
  problem->step = 0;
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_FIRST));
  PetscFunctionReturn(PETSC_SUCCESS);
}
