/* test_emit_text.c - lines that wrap, numbers that read back. */
#include "emit_impl.h"
#include <check.h>
#include <stdlib.h>

static PetscErrorCode test_lines_wrap_at_spaces(void)
{
  RungText text = {.indent = 2};

  for (int i = 0; i < 3; ++i) {
    RungTextLine(&text, "%s",
                 "const Real value = first_long_name * second_long_name + third_long_name * fourth_long_name"
                 " + fifth_long_name * sixth_long_name;");
  }
  CHECK(!text.error && strstr(text.text, "  const Real value") == text.text);
  for (char *line = strtok(text.text, "\n"); line; line = strtok(NULL, "\n")) {
    CHECK(strlen(line) <= 106 && strncmp(line, "  ", 2) == 0 && line[strlen(line) - 1] != ' ');
  }
  RungTextFree(&text);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_words_that_are_too_long_stay_whole(void)
{
  RungText text = {0};
  char     word[301];

  memset(word, 'a', 300);
  word[300] = 0;
  RungTextLine(&text, "%s b", word);
  CHECK(!strncmp(text.text, word, 300) && !strcmp(text.text + 300, "\n    b\n"));
  RungTextFree(&text);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_numbers_read_back(void)
{
  const double value[] = {0, 1, -2, 0.1, 1. / 3, 1e300, 5e-324, 123456789012345678., -0.16666666666666669};
  char         literal[32];

  for (size_t i = 0; i < sizeof value / sizeof value[0]; ++i) {
    RungTextNumber(value[i], literal);
    CHECK(strtod(literal, NULL) == value[i] && strpbrk(literal, ".e"));
  }
  RungTextNumber(0.1, literal);
  CHECK(!strcmp(literal, "0.1"));
  RungTextNumber(2, literal);
  CHECK(!strcmp(literal, "2."));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_lines_wrap_at_spaces), RUNG_TEST(test_words_that_are_too_long_stay_whole),
               RUNG_TEST(test_numbers_read_back))
