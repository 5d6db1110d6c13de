/* fuzz_problem.c - any bytes are a problem file: they become a problem or mistakes, soon, and nothing is read behind their end, left in
   memory, written or run.  All inputs are read; what is small enough is built too. */
#include "../reader_impl.h"
#include <fuzz.h>

static const char *path; /* of the file in memory that holds the input */

static PetscErrorCode begin(void)
{
  return fuzz_memory(&path);
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

/* Few cells of low degree, and no other file: a problem whose system is made in a moment. */
static PetscBool is_small(RungProblem problem)
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s    = &problem->statement[i];
    const char          *word = s->word->word;
    PetscBool            mesh = !strcmp(word, "box") || !strcmp(word, "points") ? PETSC_TRUE : PETSC_FALSE;

    if (!strcmp(word, "mesh") || !strcmp(word, "refine") || !strcmp(word, "include")) return PETSC_FALSE;
    for (PetscInt k = 0; k < s->args; ++k) {
      const char *digits = s->arg[k].text + strcspn(s->arg[k].text, "0123456789");

      if (mesh && (strspn(s->arg[k].text, "0123456789,") != strlen(s->arg[k].text) || strlen(digits) > 5) && k)
        return PETSC_FALSE;
      if (!strcmp(word, "points") && strlen(digits) > 3) return PETSC_FALSE;
      if (!strcmp(word, "box") && k == 1 && strpbrk(digits, "56789")) return PETSC_FALSE;
      if (!strcmp(word, "box") && k == 1 && strspn(digits, "0123456789") > 1) return PETSC_FALSE;
      if ((!strcmp(word, "unknown") || !strcmp(word, "field")) && strpbrk(digits, "456789")) return PETSC_FALSE;
      if (strstr(s->arg[k].text, "degree") || strstr(s->arg[k].text, "table")) return PETSC_FALSE;
    }
  }
  return problem->statements < 60 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode build(RungProblem problem)
{
  PetscFunctionBegin;
  if (problem->steps)
    PetscCall(RungStepsBuild(problem));
  else
    PetscCall(RungBuild(problem, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungProblem    problem;
  PetscErrorCode code;
  const char    *text;
  PetscInt       n;

  if (PetscOptionsClear(NULL) || PetscOptionsSetValue(NULL, "-form_backend", "interpreter"))
    abort(); /* `option` stays */
  fuzz_write(data, size);
  if (RungProblemCreate(PETSC_COMM_SELF, &problem) || RungProblemSetQuiet(problem, PETSC_TRUE)) abort();
  if (RungProblemSetOutput(problem, "none")) abort();
  code = RungProblemRead(problem, path);
  if (code && code != PETSC_ERR_FILE_OPEN) abort(); /* a zero byte is told, all else is a mistake */
  if (!code && is_small(problem) && build(problem)) abort();
  if (RungProblemGetMistakes(problem, &n, &text) || (n > 0) != (text[0] != 0)) abort();
  if (RungProblemDestroy(&problem)) abort();
  return 0;
}
