/* test_study.c - measured errors against figures computed from the methods' formulas alone, to three digits.

   The figures: relative error at T = 1 of u' = -u and of u'' = -u (u0 = 1, v0 = 0), from each method's recursion; that of
   bdf2 begins with one step of TR-BDF2. */
#include "check_options.h"
#include "problems.h"
#include <rungversion.h>

typedef struct {
  const char *problem, *type, *method;
  PetscReal   rho; /* rho_inf; < 0: not asked for */
  PetscReal   dt[2], error[2];
} Row;

static PetscErrorCode check_rows(PetscInt n, const Row row[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    RungStudy        study;
    PetscInt         levels;
    const PetscReal *dt, *error;
    PetscReal        order, low, high;
    char             rho[32];

    PetscCall(PetscSNPrintf(rho, sizeof rho, "%g", (double)row[i].rho));
    if (row[i].rho >= 0) PetscCall(PetscOptionsSetValue(NULL, "-stepper_rho_inf", rho));
    PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
    PetscCall(RungStudySetCase(study, row[i].problem));
    PetscCall(RungStudySetLadder(study, 2, row[i].dt));
    PetscCall(RungStudySetStepper(study, row[i].type, row[i].method));
    PetscCall(RungStudyRun(study));
    PetscCall(RungStudyGetResults(study, &levels, &dt, &error, &order, &low, &high));
    for (PetscInt j = 0; j < 2; ++j) CHECK_NEAR(error[j] / row[i].error[j], 1, 1e-3);
    PetscCall(RungStudyDestroy(&study));
    if (row[i].rho >= 0) PetscCall(PetscOptionsClearValue(NULL, "-stepper_rho_inf"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_relaxation_has_the_errors_of_the_one_step_methods(void)
{
  const Row row[] = {
    {"relaxation", RUNGDIRK, "euler", -1, {.1, .05}, {4.802e-2, 2.449e-2}},
    {"relaxation", RUNGDIRK, "trapezoid", -1, {.2, .1}, {3.348e-3, 8.342e-4}},
    {"relaxation", RUNGDIRK, "trbdf2", -1, {.2, .1}, {1.651e-3, 4.083e-4}},
    {"relaxation", RUNGBDF, "bdf2", -1, {.2, .1}, {1.112e-2, 3.109e-3}},
  };

  PetscFunctionBegin;
  PetscCall(check_rows(sizeof row / sizeof row[0], row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_relaxation_has_the_errors_of_generalized_alpha(void)
{
  const Row row[] = {
    {"relaxation", RUNGALPHA, "chung_hulbert", 0, {.05, .025}, {1.739e-4, 4.799e-5}},
    {"relaxation", RUNGALPHA, "chung_hulbert", .2, {.05, .025}, {1.986e-4, 5.090e-5}},
    {"relaxation", RUNGALPHA, "chung_hulbert", .5, {.05, .025}, {2.072e-4, 5.194e-5}},
    {"relaxation", RUNGALPHA, "chung_hulbert", .9, {.05, .025}, {2.085e-4, 5.209e-5}},
    {"relaxation", RUNGALPHA, "chung_hulbert", 1, {.05, .025}, {2.084e-4, 5.209e-5}},
  };

  PetscFunctionBegin;
  PetscCall(check_rows(sizeof row / sizeof row[0], row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_oscillator_has_the_errors_of_newmark_and_generalized_alpha(void)
{
  const Row row[] = {
    {"oscillator", RUNGALPHA, "newmark", -1, {.2, .1}, {5.155e-3, 1.296e-3}},
    {"oscillator", RUNGALPHA, "chung_hulbert", 0, {.2, .1}, {1.979e-2, 5.907e-3}},
    {"oscillator", RUNGALPHA, "chung_hulbert", .2, {.2, .1}, {1.266e-2, 3.514e-3}},
    {"oscillator", RUNGALPHA, "chung_hulbert", .5, {.2, .1}, {7.351e-3, 1.895e-3}},
    {"oscillator", RUNGALPHA, "chung_hulbert", .9, {.2, .1}, {5.217e-3, 1.311e-3}},
    {"oscillator", RUNGALPHA, "chung_hulbert", 1, {.2, .1}, {5.155e-3, 1.296e-3}},
    {"damped_oscillator", RUNGALPHA, "newmark", -1, {.2, .1}, {4.925e-3, 1.237e-3}},
    {"damped_oscillator", RUNGALPHA, "chung_hulbert", 1, {.2, .1}, {4.925e-3, 1.237e-3}},
  };

  PetscFunctionBegin;
  PetscCall(check_rows(sizeof row / sizeof row[0], row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problem is autonomous: from -1 to 0 a method makes the relative error that it makes from 0 to 1. */
static PetscErrorCode test_a_run_may_start_at_any_time(void)
{
  const Row row[] = {{"relaxation", RUNGDIRK, "trbdf2", -1, {.2, .1}, {1.651e-3, 4.083e-4}},
                     {"relaxation", RUNGBDF, "bdf2", -1, {.2, .1}, {1.112e-2, 3.109e-3}}};

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_start", "-1"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_end", "0"));
  PetscCall(check_rows(sizeof row / sizeof row[0], row));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_start"));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_end"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The checker must be able to fail. */
static PetscErrorCode test_a_wrong_expectation_fails(void)
{
  RungStudy study;
  PetscBool passed;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, "relaxation"));
  PetscCall(RungStudySetStepper(study, RUNGDIRK, "euler"));
  PetscCall(RungStudyExpect(study, 2, 0.1));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyGetPassed(study, &passed));
  CHECK(!passed);
  PetscCall(RungStudyExpect(study, 1, 0.1));
  PetscCall(RungStudyGetPassed(study, &passed));
  CHECK(passed);
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* trbdf2's error, from its row above: a method without a type brings its own, and is not left for the problem's. */
static PetscErrorCode test_a_method_without_a_type_is_the_one_that_runs(void)
{
  const Row row[] = {{"relaxation", NULL, "trbdf2", -1, {.2, .1}, {1.651e-3, 4.083e-4}},
                     {"relaxation", NULL, "bdf2", -1, {.2, .1}, {1.112e-2, 3.109e-3}}};

  PetscFunctionBegin;
  PetscCall(check_rows(sizeof row / sizeof row[0], row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run whose steps are not those of the ladder would have the slope of other ones. */
static PetscErrorCode test_steps_are_those_of_the_ladder_or_the_study_is_refused(void)
{
  const struct {
    const char *option, *value, *message;
    PetscReal   dt;
  } run[] = {{NULL, NULL, "the run from t = 0. to 1. is shorter; take steps that fit into it", 2},
             {"-stepper_dt", "0.02", "with dt = 0.1, and the run has gone in steps of 0.02", 0.1},
             {"-stepper_rtol", "1e-4", "tolerances choose those of the run", 0.1}};
  RungStudy study;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  CHECK_RAISES(RungStudySetLadder(study, 3, (PetscReal[]){0.1, 0.05, 0.1}), "the step 0.1 twice");
  PetscCall(RungStudySetCase(study, "relaxation"));
  PetscCall(RungStudySetStepper(study, RUNGDIRK, "trbdf2"));
  for (size_t i = 0; i < sizeof run / sizeof run[0]; ++i) {
    PetscCall(RungStudySetLadder(study, 1, &run[i].dt));
    if (run[i].option) PetscCall(PetscOptionsSetValue(NULL, run[i].option, run[i].value));
    CHECK_RAISES(RungStudyRun(study), run[i].message);
    if (run[i].option) PetscCall(PetscOptionsClearValue(NULL, run[i].option));
  }
  PetscCall(RungStudyExpect(study, 2, 0.1));
  CHECK_RAISES(RungStudyRun(study), "an order is expected of one step, 0.1; a slope needs two or more");
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_unknown_case_is_refused_with_the_nearest_name(void)
{
  RungStudy study;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  CHECK_RAISES(RungStudySetCase(study, "oscilator"), "did you mean \"oscillator\"?");
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first line of a file. */
static PetscErrorCode read_line(const char path[], char line[1024])
{
  FILE *file = fopen(path, "r");

  PetscFunctionBegin;
  CHECK(file && fgets(line, 1024, file));
  if (file) fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Endings are added; a study that is run again replaces its own files and no others, and is refused before it runs. */
static PetscErrorCode test_files_of_a_study_get_endings_and_replace_none_but_their_own(void)
{
  static const char *const option[] = {"-study_json", "-study_csv", "-study_plot"};
  static const char *const path[]   = {"it's \"a\" `touch PWNED`.json", "it's \"a\" `touch PWNED`.csv",
                                       "it's \"a\" `touch PWNED`.png"};
  RungStudy                study;
  char                     line[1024] = "";

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    (void)remove(path[i]);
    PetscCall(PetscOptionsSetValue(NULL, option[i], "it's \"a\" `touch PWNED`"));
  }
  for (int again = 0; again < 3; ++again) {
    if (again == 2) PetscCall(RungFileWrite(PETSC_COMM_WORLD, path[0], 5, "mine\n"));
    PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
    PetscCall(RungStudySetCase(study, "relaxation"));
    PetscCall(RungStudySetLadder(study, 2, (PetscReal[]){0.2, 0.1}));
    PetscCall(RungStudySetFromOptions(study));
    if (again == 2)
      CHECK_RAISES(RungStudyRun(study), "cannot be written: a file that is not the results of a study is there");
    else {
      PetscCall(RungStudyRun(study));
      PetscCall(RungStudyView(study, NULL));
      PetscCall(read_line(path[0], line));
      CHECK(strstr(line, ", \"version\": \"" RUNG_VERSION "\"}"));
    }
    PetscCall(RungStudyDestroy(&study));
  }
  PetscCall(read_line(path[0], line));
  CHECK(!strcmp(line, "mine\n"));
  PetscCall(read_line(path[1], line));
  CHECK(!strcmp(line, "dt,error\n"));
  PetscCall(read_line(path[2], line));
  CHECK(fopen("PWNED", "r") == NULL);
  for (int i = 0; i < 3; ++i) PetscCall(PetscOptionsClearValue(NULL, option[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_norm_is_one_of_those_that_exist(void)
{
  RungStudy study;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, "relaxation"));
  PetscCall(RungStudySetLadder(study, 2, (PetscReal[]){.1, .05}));
  PetscCall(RungStudySetNorm(study, "maxx"));
  CHECK_RAISES(RungStudyRun(study), "norm \"maxx\" is unknown; use L2, H1 or max; did you mean max");
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A study up to its end, of few steps unless the option says how many. */
static PetscErrorCode give(const char name[], const char value[], char message[])
{
  char           option[96];
  PetscErrorCode code;
  RungStudy      study;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(PetscSNPrintf(option, sizeof option, "-%s", name));
  PetscCall(PetscOptionsInsertString(NULL, "-case relaxation -study_dt 0.5,0.25 -form_backend interpreter"));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(RungStudyCreate(PETSC_COMM_SELF, &study));
  PetscCall(PetscPushErrorHandler(check_keep_message, message));
  code = RungStudySetFromOptions(study);
  if (!code) code = RungStudyRun(study);
  PetscCall(PetscPopErrorHandler());
  CHECK(!code == !message[0]);
  PetscCall(RungStudyDestroy(&study));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_option_takes_a_value_or_says_what_it_wants(void)
{
  CheckOption known[CHECK_OPTIONS];
  char        message[4096];
  int         n, walked = 0;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS); /* as on one rank */
  PetscCall(give("study_dt", "0.5", message));
  CHECK(!message[0]);
  PetscCall(check_options_known(known, &n));
  for (int i = 0; i < n; ++i) {
    if (strncmp(known[i].name, "study_", 6) != 0 && strcmp(known[i].name, "case") != 0) continue;
    PetscCall(check_option(known[i].name, give));
    ++walked;
  }
  CHECK(walked >= 9);
  PetscCall(give("study_norm", "L3", message));
  CHECK(strstr(message, "norm \"L3\" is unknown; use L2, H1 or max"));
  PetscCall(give("study_expect_error", "-1", message));
  CHECK(strstr(message, "-study_expect_error is -1; wanted a number at least 0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_problems_are_there),
               RUNG_TEST(test_relaxation_has_the_errors_of_the_one_step_methods),
               RUNG_TEST(test_relaxation_has_the_errors_of_generalized_alpha),
               RUNG_TEST(test_the_oscillator_has_the_errors_of_newmark_and_generalized_alpha),
               RUNG_TEST(test_a_run_may_start_at_any_time), RUNG_TEST(test_a_wrong_expectation_fails),
               RUNG_TEST(test_a_method_without_a_type_is_the_one_that_runs),
               RUNG_TEST(test_steps_are_those_of_the_ladder_or_the_study_is_refused),
               RUNG_TEST(test_an_unknown_case_is_refused_with_the_nearest_name),
               RUNG_TEST(test_a_norm_is_one_of_those_that_exist),
               RUNG_TEST(test_files_of_a_study_get_endings_and_replace_none_but_their_own),
               RUNG_TEST(test_each_option_takes_a_value_or_says_what_it_wants))
