/* test_help.c - rung help WORD: each statement, operator, method and option that there is has its help. */
#include "reader_impl.h"
#include <check.h>
#include <stdlib.h>

/* What a call prints; the caller's (free). */
#define PRINTED(text, call)                                                                                            \
  do {                                                                                                                 \
    FILE  *before_ = PETSC_STDOUT;                                                                                     \
    size_t size_   = 0;                                                                                                \
    (text)         = NULL;                                                                                             \
    PETSC_STDOUT   = open_memstream(&(text), &size_);                                                                  \
    RungCallFinally(call, (void)fclose(PETSC_STDOUT); PETSC_STDOUT = before_);                                         \
  } while (0)

/* Help begins with the word, or an option's line has it, and says something of it. */
static PetscErrorCode check_word(const char word[], const char option[])
{
  char *text;

  PetscFunctionBegin;
  PRINTED(text, RungHelpPrint(PETSC_COMM_SELF, word));
  CHECK(strlen(text) > strlen(word) + 20);
  CHECK(option ? strstr(text, option) != NULL : !strncmp(text, word, strlen(word)));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_statement_operator_and_method_has_its_help(void)
{
  const char *const *types, *const *methods, *name, *doc, *example;
  PetscInt n, operators = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RungWordCount(); ++i) {
    CHECK(strlen(rung_words[i].help) > 10);
    PetscCall(check_word(rung_words[i].word, NULL));
  }
  for (; RungOperatorGet(operators, &name, &doc, &example); ++operators) PetscCall(check_word(name, NULL));
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) PetscCall(check_word(methods[i], NULL));
  CHECK(RungWordCount() > 50 && operators > 40 && n > 100);
  CHECK_RAISES(RungHelpPrint(PETSC_COMM_SELF, "resduals"), "did you mean \"residual\"?");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list has those of each family; a word of it is found again, with what the list says. */
static PetscErrorCode test_each_option_has_its_help(void)
{
  char    *list, *line, *rest;
  PetscInt n = 0;

  PetscFunctionBegin;
  PRINTED(list, RungListPrint(PETSC_COMM_SELF, "options", ""));
  CHECK(strstr(list, "-stepper_rho_inf") && strstr(list, "-mesh_count") && strstr(list, "-form_backend"));
  for (line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char name[128];

    line += strspn(line, " ");
    if (*line != '-') continue;
    ++n;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 1, " "), line + 1);
    if (n % 8 == 0) PetscCall(check_word(name, line)); /* each of them reads all options of all classes */
  }
  CHECK(n > 60);
  free(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_each_statement_operator_and_method_has_its_help),
               RUNG_TEST(test_each_option_has_its_help))
