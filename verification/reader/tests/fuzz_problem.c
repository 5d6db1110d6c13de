/* fuzz_problem.c - any bytes are a problem file: they become a problem or mistakes, soon, and nothing is read behind their end, left in
   memory, written or run.

   Under libFuzzer (cmake/fuzz.cmake) the inputs grow from a corpus; as a program of its own, RUNG_FUZZ_FILES, it takes the
   files that it is given, each whole and cut at every tenth byte.  All of them are read; what is small enough is built too. */
#include "../reader_impl.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #include <sanitizer/lsan_interface.h>
  #endif
#endif
#if !defined(SANITIZER_LSAN_INTERFACE_H)
  #define __lsan_disable()       (void)0
  #define __lsan_enable()        (void)0
  #define __lsan_do_leak_check() (void)0
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATH "fuzz.rung"

static int file; /* of this path, where the input is read from */

static PetscErrorCode ignore(MPI_Comm comm, int line, const char *function, const char *name, PetscErrorCode n,
                             PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)name, (void)type, (void)text, (void)ctx;
  return n;
}

static PetscErrorCode begin(void)
{
  static char  name[] = "fuzz_problem", interpreter[] = "interpreter", backend[] = "-form_backend";
  static char *args[] = {name, backend, interpreter, NULL};
  char       **argv   = args;
  int          argc   = 3;

  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, NULL));
  file = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0666);
  PetscCheck(file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot open " PATH);
  PetscCall(PetscPushErrorHandler(ignore, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaks are looked for before MPI takes its plug-ins away, and not again. */
static void at_exit(void)
{
  __lsan_do_leak_check();
  if (end()) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  PetscErrorCode code;

  (void)argc, (void)argv;
  __lsan_disable();
  code = begin();
  __lsan_enable();
  if (code) abort();
  return atexit(at_exit);
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
  if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) abort();
  if (RungProblemCreate(PETSC_COMM_SELF, &problem) || RungProblemSetQuiet(problem, PETSC_TRUE)) abort();
  if (RungProblemSetOutput(problem, "none")) abort();
  code = RungProblemRead(problem, PATH);
  if (code && code != PETSC_ERR_FILE_OPEN) abort(); /* a zero byte is told, all else is a mistake */
  if (!code && is_small(problem) && build(problem)) abort();
  if (RungProblemGetMistakes(problem, &n, &text) || (n > 0) != (text[0] != 0)) abort();
  if (RungProblemDestroy(&problem)) abort();
  return 0;
}

#if defined(RUNG_FUZZ_FILES)
int main(int argc, char **argv)
{
  if (LLVMFuzzerInitialize(&argc, &argv)) return 1;
  for (int i = 1; i < argc; ++i) {
    FILE    *input = fopen(argv[i], "rb");
    uint8_t *bytes = (uint8_t *)malloc(1 << 20);
    size_t   size;

    if (!input || !bytes) return 1;
    size = fread(bytes, 1, 1 << 20, input);
    if (fclose(input)) return 1;
    for (size_t n = size; n > 0; n -= n < 10 ? n : 10) (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
  }
  return 0;
}
#endif
