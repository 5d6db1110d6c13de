/* test_synonym.c - names that suites give a method choose it, others lead to it in the message. */
#include "../step_impl.h"
#include "ode.h"

/* By a call without a type and with it, and by an option over another type. */
static PetscErrorCode accept(const char word[], const char type[], const char method[])
{
  for (int way = 0; way < 3; ++way) {
    RungStepper     stepper;
    RungStepperType found;
    const char     *name;
    PetscInt        order;

    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    if (way) PetscCall(RungStepperSetType(stepper, way == 1 ? type : RUNGBATHE));
    if (way < 2) PetscCall(RungStepperSetMethod(stepper, word));
    PetscCall(PetscOptionsSetValue(NULL, "-stepper_method", word));
    if (way == 2) PetscCall(RungStepperSetFromOptions(stepper));
    PetscCall(PetscOptionsClearValue(NULL, "-stepper_method"));
    PetscCall(RungStepperGetType(stepper, &found));
    PetscCall(RungStepperGetMethod(stepper, &name, &order));
    if (strcmp(name, method) != 0) fprintf(stderr, "%s is %s\n", word, name);
    CHECK(!strcmp(found, type) && !strcmp(name, method));
    PetscCall(RungStepperDestroy(&stepper));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_names_of_suites_choose_the_method_that_is_registered(void)
{
  PetscFunctionBegin;
  PetscCall(accept("DoPri8", RUNGEXPLICIT, "dop853"));
  PetscCall(accept("RKDP87", RUNGEXPLICIT, "dopri87"));
  PetscCall(accept("heun-21", RUNGEXPLICIT, "heun21"));
  PetscCall(accept("ESDIRK85", RUNGDIRK, "esdirk_16_8_5"));
  PetscCall(accept("ESDIRK43", RUNGDIRK, "esdirk43i6l2sa_6_3_4"));
  PetscCall(accept("ode23s", RUNGROSENBROCK, "rosenbrock23"));
  PetscCall(accept("Rodas5P", RUNGROSENBROCK, "rodas5p")); /* a key */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char type[], const char method[], const char message[])
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  if (type) PetscCall(RungStepperSetType(stepper, type));
  CHECK_RAISES(RungStepperSetMethod(stepper, method), message);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_names_and_spellings_lead_to_the_method(void)
{
  PetscFunctionBegin;
  PetscCall(
    refuse(NULL, "Trapezoidal", "no method is called \"Trapezoidal\"; here it is \"trapezoid\", of stepper type dirk"));
  PetscCall(refuse(NULL, "Crank-Nicolson", "; here it is \"crank_nicolson\", of stepper type theta"));
  PetscCall(refuse(NULL, "leapfrog", "; here it is \"central_difference\", of stepper type acceleration"));
  PetscCall(refuse(NULL, "Backward-Euler", "; here it is \"euler\""));
  PetscCall(refuse(NULL, "TR-BDF2", "; here it is \"trbdf2\""));
  PetscCall(refuse(NULL, "BDF2", "; here it is \"bdf2\", of stepper type bdf"));
  PetscCall(refuse(NULL, "newmark-beta", "; here it is \"newmark\", of stepper type alpha"));
  PetscCall(refuse(NULL, "ODE45", "; here it is \"dopri54\", of stepper type explicit"));
  PetscCall(refuse(RUNGEXPLICIT, "dopri8", "; here it is \"dop853\"; there are"));
  PetscCall(refuse(RUNGALPHA, "HHT-alpha", "; here it is \"hht\"; there are"));
  PetscCall(refuse(RUNGALPHA, "generalized_alpha", "; here it is \"chung_hulbert\"; there are"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name that two methods claim chooses none of them. */
static PetscErrorCode test_both_that_claim_a_name_are_told(void)
{
  PetscFunctionBegin;
  PetscCall(refuse(NULL, "esdirk4", "it may be \"esdirk4_kc_gamma14\" or \"esdirk43\": name the one that is meant"));
  PetscCall(refuse(RUNGDIRK, "Esdirk43", "it may be \"esdirk43\" or \"esdirk43i6l2sa_6_3_4\""));
  PetscCall(refuse(RUNGBDF, "DoPri8", "method \"DoPri8\" belongs to stepper type explicit"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_not_there_is_said_with_the_nearest(void)
{
  PetscFunctionBegin;
  PetscCall(refuse(NULL, "radauIIA", "the nearest is \"esdirk54\""));
  PetscCall(refuse(RUNGBDF, "bdf5", "and bdf ends there: the nearest is \"esdirk54\", of stepper type dirk"));
  PetscCall(refuse(NULL, "esdirk34", "; did you mean \"esdirk"));
  PetscCall(refuse(NULL, "--", "no method is called \"--\"; docs/methods.md and `rung list methods`"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_method_given_as_a_type_is_told(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  CHECK_RAISES(
    RungStepperSetType(stepper, "newmark"),
    "no stepper type \"newmark\"; here it is \"newmark\", of stepper type alpha (-stepper_method); there are");
  CHECK_RAISES(RungStepperSetType(stepper, "esdirk43"), /* which is written as a suite writes another one */
               "here it is \"esdirk43\", of stepper type dirk (-stepper_method)");
  CHECK_RAISES(RungStepperSetType(stepper, "radau5"), "the nearest is \"esdirk54\", of stepper type dirk");
  CHECK_RAISES(RungStepperSetType(stepper, "nothing"), "no stepper type \"nothing\"; there are dirk");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every word of the table means a method that there is. */
static PetscErrorCode test_all_words_lead_somewhere(void)
{
  static const char *const words[] = {"cn", "ode23tb", "sdirk", "imex", "rosw", "ida", "jwh", "bossak", "bathe", "ssp"};
  char                     hint[256];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(words); ++i) {
    PetscCall(RungStepperHint(NULL, words[i], hint, sizeof hint));
    CHECK(strstr(hint, ", of stepper type ") && !strstr(hint, "null"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_names_of_suites_choose_the_method_that_is_registered),
               RUNG_TEST(test_both_that_claim_a_name_are_told),
               RUNG_TEST(test_other_names_and_spellings_lead_to_the_method),
               RUNG_TEST(test_what_is_not_there_is_said_with_the_nearest),
               RUNG_TEST(test_a_method_given_as_a_type_is_told), RUNG_TEST(test_all_words_lead_somewhere))
