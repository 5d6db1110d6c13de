/* test_words.c - an option that differs between ranks is named, whatever it is and wherever it stands. */
#include "check.h"
#include "base_impl.h"
#include <stdlib.h>

#define WORDS 24 /* of a command line */

/* Options with values, some of which begin with "-", have blanks or are empty; and an option without a value in between. */
static const char *const line[WORDS] = {"program",
                                        "-mesh_count",
                                        "4,4",
                                        "-stepper_dt",
                                        "0.5",
                                        "-shift",
                                        "-1",
                                        "-log_view",
                                        "-system_f",
                                        "x[0] - y",
                                        "-name",
                                        "it's -b",
                                        "-empty",
                                        "",
                                        "-stepper_output",
                                        "none",
                                        "-form_flags",
                                        " -O3",
                                        "-list",
                                        "-2,-3",
                                        "-a",
                                        "b",
                                        "-last",
                                        "1"};

/* What differs if the last rank has `word` in place i; "" if nothing does. */
static PetscErrorCode differ(PetscMPIInt other, int i, const char word[], char text[2048])
{
  const char *mine[WORDS];
  char       *joined;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  memcpy(mine, line, sizeof line);
  if (rank == other) mine[i] = word;
  joined = RungWordsJoin(WORDS, (char **)mine);
  RungTextDiffer(PETSC_COMM_WORLD, joined, text, 2048);
  free(joined);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option of place i: the word itself, or the one in front of a value. */
static const char *option_of(int i)
{
  while (i > 0 && (line[i][0] != '-' || !((line[i][1] >= 'a' && line[i][1] <= 'z')))) --i;
  return line[i];
}

static PetscErrorCode test_each_word_that_differs_is_told_with_its_option(void)
{
  static const char *const words[] = {"7", "-7", "", "a b", "-other", "x[0] - y "};
  PetscMPIInt              rank, size;
  char                     text[2048];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int i = 1; i < WORDS; ++i) {
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
      const PetscBool differs = (PetscBool)(rank && rank == size - 1 && strcmp(words[k], line[i]) != 0);

      PetscCall(differ(size - 1, i, words[k], text));
      CHECK(!text[0] == !differs);
      if (!differs) continue; /* a word in the place of a name belongs to the option in front of it */
      CHECK(strstr(text, "the options differ between ranks: rank 0 has ") == text);
      if (!strstr(text, option_of(i)) && !strstr(text, option_of(i - 1))) {
        fprintf(stderr, "place %d, \"%s\": %s\n", i, words[k], text);
        CHECK(0);
      }
    }
    PetscCall(differ(size - 1, i, line[i], text));
    CHECK(!text[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "a b" is not "a" and "b". */
static PetscErrorCode test_blanks_within_a_word_are_no_ends_of_it(void)
{
  char *two = RungWordsJoin(3, (char *[]){"program", "a", "b"}), *one = RungWordsJoin(2, (char *[]){"program", "a b"});

  PetscFunctionBegin;
  CHECK(strcmp(one, two) != 0);
  free(one);
  free(two);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode no_memory(size_t size, PetscBool clear, int number, const char function[], const char file[],
                                void **memory)
{
  (void)size, (void)clear, (void)memory;
  return PetscError(PETSC_COMM_SELF, number, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "no memory for words");
}

static PetscErrorCode keep_without_memory(int argc, char **argv)
{
  PetscErrorCode (*const plain)(size_t, PetscBool, int, const char[], const char[], void **) = PetscTrMalloc;
  PetscErrorCode code;

  PetscTrMalloc = no_memory;
  code          = RungWordsKeep(argc, argv);
  PetscTrMalloc = plain;
  return code;
}

/* Without its words a program would show its usage and end as if all was well. */
static PetscErrorCode test_words_that_have_no_memory_are_an_error(void)
{
  char               word[] = "run", *argv[] = {word, word, NULL};
  PetscInt           n;
  const char *const *bare;

  PetscFunctionBegin;
  PetscCall(RungWordsForget());
  CHECK_RAISES(keep_without_memory(2, argv), "no memory for words");
  PetscCall(RungWordsForget());
  PetscCall(RungWordsKeep(2, argv));
  PetscCall(RungArguments(&n, &bare));
  CHECK(n == 1 && !strcmp(bare[0], "run"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_words_that_have_no_memory_are_an_error),
               RUNG_TEST(test_each_word_that_differs_is_told_with_its_option),
               RUNG_TEST(test_blanks_within_a_word_are_no_ends_of_it))
