/* test_options.c - misspelt options and the nearest word. */
#include "check.h"

static const char *const words[] = {"triangle", "tetrahedron", "interval", "quad", "dx"};

static PetscErrorCode nearest_is(const char word[], const char wanted[])
{
  const char *nearest;

  PetscCall(RungSuggest(word, 5, words, &nearest));
  CHECK(wanted ? nearest && !strcmp(nearest, wanted) : !nearest);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_nearest_word_is_suggested(void)
{
  PetscCall(nearest_is("triangel", "triangle")); /* two letters swapped */
  PetscCall(nearest_is("trangle", "triangle"));
  PetscCall(nearest_is("tetraeder", NULL)); /* four edits */
  PetscCall(nearest_is("tetrahedrn", "tetrahedron"));
  PetscCall(nearest_is("intervall", "interval"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_short_words_must_be_near(void)
{
  PetscCall(nearest_is("q", NULL));
  PetscCall(nearest_is("DX", "dx")); /* a change of case is half an edit */
  PetscCall(nearest_is("qud", "quad"));
  PetscCall(nearest_is("xd", "dx"));     /* a swap is one edit, and half of two letters */
  PetscCall(nearest_is("xyad", "quad")); /* two of four letters */
  PetscCall(nearest_is("xyzd", NULL));
  PetscCall(nearest_is("", NULL));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_options_of_rung_that_nobody_asked_for_are_refused(void)
{
  PetscCall(RungOptionKnown("-mesh_count"));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_cuont", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -mesh_cuont; did you mean -mesh_count?");
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_cuont"));
  PetscCall(PetscOptionsSetValue(NULL, "-study_of_nothing", NULL));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -study_of_nothing; -help lists those that there are");
  PetscCall(PetscOptionsClearValue(NULL, "-study_of_nothing"));
  return PETSC_SUCCESS;
}

/* What is far from every name has beginnings of some. */
static PetscErrorCode test_options_that_begin_alike_are_named(void)
{
  PetscCall(RungOptionKnown("-stepper_checkpoint"));
  PetscCall(RungOptionKnown("-stepper_checkpoint_seconds"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_checkpoint_steps", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -stepper_checkpoint_steps; there is -stepper_checkpoint, "
                                                   "-stepper_checkpoint_seconds, and -help lists all");
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_checkpoint_steps"));
  return PETSC_SUCCESS;
}

/* As "-mesh_count $N" with an empty N, which PETSc takes for an option that was not given. */
static PetscErrorCode test_options_without_the_value_they_need_are_refused(void)
{
  PetscCall(RungOptionKnown("mesh_count"));
  PetscCall(RungOptionKnown("mesh_view?"));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_view", NULL));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_count", NULL));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "option -mesh_count has no value; give it one, or leave it away");
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_count", "3"));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_count"));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_view"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_other_options_are_refused_only_if_near_to_ours(void)
{
  PetscCall(PetscOptionsSetValue(NULL, "-mseh_count", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "did you mean -mesh_count?");
  PetscCall(PetscOptionsClearValue(NULL, "-mseh_count"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_hypre_type", "euclid"));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_hypre_type"));
  return PETSC_SUCCESS;
}

/* PETSc reads them whatever the case is. */
static PetscErrorCode test_names_in_another_case_are_refused(void)
{
  PetscCall(RungOptionKnown("-stepper_dt"));
  PetscCall(PetscOptionsSetValue(NULL, "-Stepper_dt", "-3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -Stepper_dt; did you mean -stepper_dt?");
  PetscCall(PetscOptionsClearValue(NULL, "-Stepper_dt"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_dt", "-3"));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_dt"));
  PetscCall(PetscOptionsSetValue(NULL, "-MESH_cuont", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "did you mean -mesh_count?");
  PetscCall(PetscOptionsClearValue(NULL, "-MESH_cuont"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_names_without_their_first_word_or_with_another_are_refused(void)
{
  PetscCall(RungOptionKnown("-system_kappa"));
  PetscCall(PetscOptionsSetValue(NULL, "-kappa", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -kappa; did you mean -system_kappa?");
  PetscCall(PetscOptionsClearValue(NULL, "-kappa"));
  PetscCall(PetscOptionsSetValue(NULL, "-study_dt", "3"));
  CHECK_RAISES(RungOptionsCheck(PETSC_COMM_WORLD), "no option -study_dt; did you mean -stepper_dt?");
  PetscCall(PetscOptionsClearValue(NULL, "-study_dt"));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_view", NULL)); /* another's own */
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_view"));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_options_without_the_value_they_need_are_refused),
               RUNG_TEST(test_the_nearest_word_is_suggested), RUNG_TEST(test_short_words_must_be_near),
               RUNG_TEST(test_options_of_rung_that_nobody_asked_for_are_refused),
               RUNG_TEST(test_options_that_begin_alike_are_named),
               RUNG_TEST(test_other_options_are_refused_only_if_near_to_ours),
               RUNG_TEST(test_names_in_another_case_are_refused),
               RUNG_TEST(test_names_without_their_first_word_or_with_another_are_refused))
