/* test_option_value.c - values of options are taken as a whole or refused. */
#include "check.h"

#define COMM PETSC_COMM_WORLD

static PetscErrorCode give(const char value[])
{
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_try", value));
  return PETSC_SUCCESS;
}

static PetscErrorCode int_refused(const char value[], const char words[])
{
  PetscInt number = 7;

  PetscCall(give(value));
  CHECK_RAISES(RungOptionInt(COMM, "-mesh_try", "a try", &number, NULL), words);
  CHECK(number == 7);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_whole_numbers_are_whole_and_not_beyond(void)
{
  PetscInt  number = 7;
  PetscBool given;

  PetscCall(PetscOptionsClearValue(NULL, "-mesh_try"));
  PetscCall(RungOptionInt(COMM, "-mesh_try", "a try", &number, &given));
  CHECK(number == 7 && !given);
  PetscCall(give("-12"));
  PetscCall(RungOptionInt(COMM, "-mesh_try", "a try", &number, &given));
  CHECK(number == -12 && given);
  PetscCall(int_refused("99999999999999999999", "-mesh_try: \"99999999999999999999\" is beyond the whole numbers"));
  if (sizeof(PetscInt) == 4) PetscCall(int_refused("4294967297", "which lie from -2147483648 to 2147483647"));
  PetscCall(int_refused("3x", "-mesh_try: \"3x\" is no whole number; wanted one like 10"));
  PetscCall(int_refused("2.5", "is no whole number"));
  PetscCall(int_refused("", "option -mesh_try has no value; give it one, or leave it away"));
  PetscCall(int_refused(NULL, "has no value"));
  return PETSC_SUCCESS;
}

static PetscErrorCode real_refused(const char value[], const char words[])
{
  PetscReal number = 7;

  PetscCall(give(value));
  CHECK_RAISES(RungOptionReal(COMM, "-mesh_try", "a try", &number, NULL), words);
  CHECK(number == 7);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_numbers_are_finite(void)
{
  PetscReal number = 7;

  PetscCall(give("-1.5e-3"));
  PetscCall(RungOptionReal(COMM, "-mesh_try", "a try", &number, NULL));
  CHECK(number == -1.5e-3);
  PetscCall(real_refused("1e400", "-mesh_try: \"1e400\" is beyond the numbers"));
  PetscCall(real_refused("1e-400", "\"1e-400\" is nearer to 0 than any number"));
  PetscCall(real_refused("inf", "is beyond the numbers"));
  PetscCall(real_refused("nan", "-mesh_try: \"nan\" is no number; wanted one like 0.1"));
  PetscCall(real_refused("0.1s", "is no number"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_flag_is_true_alone(void)
{
  static const char *const word[] = {NULL, "yes", "TRUE", "1", "on"};
  PetscBool                flag;

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i) {
    flag = PETSC_FALSE;
    PetscCall(give(word[i]));
    PetscCall(RungOptionBool(COMM, "-mesh_flag_try", "a try", &flag, NULL));
    CHECK(!flag);
    PetscCall(RungOptionBool(COMM, "-mesh_try", "a try", &flag, NULL));
    CHECK(flag);
  }
  PetscCall(give("No"));
  PetscCall(RungOptionBool(COMM, "-mesh_try", "a try", &flag, NULL));
  CHECK(!flag);
  PetscCall(give("perhaps"));
  CHECK_RAISES(RungOptionBool(COMM, "-mesh_try", "a try", &flag, NULL), "\"perhaps\" is neither true nor false");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_texts_are_not_cut(void)
{
  char      text[5] = "four";
  PetscBool given;

  PetscCall(PetscOptionsClearValue(NULL, "-mesh_try"));
  PetscCall(RungOptionText(COMM, "-mesh_try", "a try", NULL, sizeof text, text, &given));
  CHECK(!strcmp(text, "four") && !given);
  PetscCall(give("abcd"));
  PetscCall(RungOptionText(COMM, "-mesh_try", "a try", NULL, sizeof text, text, &given));
  CHECK(!strcmp(text, "abcd") && given);
  PetscCall(give("abcde"));
  CHECK_RAISES(RungOptionText(COMM, "-mesh_try", "a try", NULL, sizeof text, text, NULL),
               "-mesh_try has a value of 5 letters; wanted fewer than 5");
  PetscCall(give(NULL));
  CHECK_RAISES(RungOptionText(COMM, "-mesh_try", "a try", NULL, sizeof text, text, NULL), "has no value");
  PetscCall(RungOptionText(COMM, "-mesh_try", "a try", "yes", sizeof text, text, NULL));
  CHECK(!strcmp(text, "yes"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_lists_have_commas_and_room(void)
{
  PetscInt  list[3], n = 3;
  PetscReal reals[2];
  char     *texts[2];
  PetscBool given;

  PetscCall(give("4,-5,6"));
  PetscCall(RungOptionInts(COMM, "-mesh_try", "a try", NULL, &n, list, &given));
  CHECK(given && n == 3 && list[0] == 4 && list[1] == -5 && list[2] == 6);
  n = 2;
  CHECK_RAISES(RungOptionInts(COMM, "-mesh_try", "a try", NULL, &n, list, NULL), "a list of 3; wanted at most 2");
  n = 2;
  PetscCall(give("0.5,7"));
  PetscCall(RungOptionReals(COMM, "-mesh_try", "a try", NULL, &n, reals, NULL));
  CHECK(n == 2 && reals[0] == 0.5 && reals[1] == 7);
  PetscCall(RungOptionTexts(COMM, "-mesh_try", "a try", &n, texts, NULL));
  CHECK(n == 2 && !strcmp(texts[0], "0.5") && !strcmp(texts[1], "7"));
  for (int i = 0; i < 2; ++i) PetscCall(PetscFree(texts[i]));
  n = 3;
  PetscCall(give("4,,6"));
  CHECK_RAISES(RungOptionInts(COMM, "-mesh_try", "a try", NULL, &n, list, NULL), "\"\" is no whole number");
  n = 3;
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_try"));
  PetscCall(RungOptionInts(COMM, "-mesh_try", "a try", NULL, &n, list, &given));
  CHECK(!given && n == 0);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_numbers_have_the_range_that_is_said(void)
{
  static const struct {
    const char *range, *in, *out;
  } try[]     = {{"above 0", "1e-300", "0"}, {"above 0", "3", "-1"},      {"at least 1", "1", "0"},
                 {"-1 to 200", "-1", "-2"},  {"-1 to 200", "200", "201"}, {"at least 0 and below 1", "0", "1"},
                 {NULL, "-7", NULL}};
  PetscInt  n = 1, list[1];
  PetscReal x;

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(try); ++i) {
    PetscCall(give(try[i].in));
    PetscCall(RungOptionRealIn(COMM, "-mesh_try", "a try", try[i].range, &x, NULL));
    if (!try[i].out) continue;
    PetscCall(give(try[i].out));
    CHECK_RAISES(RungOptionRealIn(COMM, "-mesh_try", "a try", try[i].range, &x, NULL), try[i].range);
    CHECK_RAISES(RungOptionRealIn(COMM, "-mesh_try", "a try", try[i].range, &x, NULL), "-mesh_try is ");
  }
  CHECK_RAISES(RungOptionIntIn(COMM, "-mesh_try", "a try", "some", &n, NULL), "which nobody can read");
  PetscCall(give("0"));
  CHECK_RAISES(RungOptionIntIn(COMM, "-mesh_try", "a try", "at least 1", &n, NULL),
               "-mesh_try is 0; wanted a number at least 1");
  CHECK_RAISES(RungOptionInts(COMM, "-mesh_try", "a try", "at least 1", &n, list, NULL), "-mesh_try is 0");
  n = 1;
  PetscCall(give("201"));
  CHECK_RAISES(RungOptionReals(COMM, "-mesh_try", "a try", "-1 to 200", &n, &x, NULL),
               "wanted a number from -1 to 200");
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_try"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_viewer_is_one_that_there_is(void)
{
  PetscViewer       viewer = NULL;
  PetscViewerFormat format;

  PetscCall(give("asci:x"));
  CHECK_RAISES(RungOptionViewer(COMM, "-mesh_try", "a try", &viewer, &format),
               "-mesh_try knows no \"asci\"; did you mean");
  PetscCall(give("ascii"));
  PetscCall(RungOptionViewer(COMM, "-mesh_try", "a try", &viewer, &format));
  CHECK(viewer);
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_try"));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_whole_numbers_are_whole_and_not_beyond), RUNG_TEST(test_numbers_are_finite),
               RUNG_TEST(test_a_flag_is_true_alone), RUNG_TEST(test_texts_are_not_cut),
               RUNG_TEST(test_lists_have_commas_and_room), RUNG_TEST(test_numbers_have_the_range_that_is_said),
               RUNG_TEST(test_a_viewer_is_one_that_there_is))
