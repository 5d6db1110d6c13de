/* test_duties.c - families that do not keep to what they owe are told so by name, and a run never ends with what they made of it. */
#include "../step_impl.h"
#include "ode.h"

typedef enum {
  ALL_WELL,
  WRITES_BACK,
  WRITES_BEFORE,
  MOVES_TIME,
  WRITES_NOTHING,
  NO_RATES,
  NO_ERROR,
  NO_REASON,
  NOT_FINITE,
  NO_MATRIX,
  MEASURES_NOTHING,
  SWAPS_VECTORS,
  SOLVES_AGAIN,
  MATCHES,
  ADDS_NOTHING,
  HAS_NO_LINE,
  LOOKS_TOO_FAR
} Misdeed;

static Misdeed        misdeed;
static RungMethodPlan said; /* what plan() says */

static const RungMethodPlan sound = {.order = 1, .exponent = 2, .depth = 2, .work = 1, .can = RUNG_CAN_ORDER1};

static PetscBool curious; /* plan() looks at levels */

static PetscErrorCode plan(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  const RungState *state;

  PetscFunctionBegin;
  *plan = said;
  if (curious && traits) PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode misbehave(RungStepper stepper, const RungState *from, RungState *to, RungVerdict *verdict)
{
  const RungState *before;
  PetscInt         levels;
  Vec             *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetLevels(stepper, &levels));
  if (misdeed == WRITES_BACK) PetscCall(VecScale(from->u[0], 2));
  if (misdeed == WRITES_BEFORE && levels > 1) {
    PetscCall(RungStepperGetState(stepper, 1, &before));
    PetscCall(VecScale(before->u[1], 2));
  }
  if (misdeed == MOVES_TIME) to->t += 1;
  if (misdeed == NO_REASON) verdict->solved = PETSC_FALSE;
  if (misdeed == NOT_FINITE) PetscCall(VecSet(to->u[0], NAN));
  if (misdeed == LOOKS_TOO_FAR) PetscCall(RungStepperGetState(stepper, 5, &before));
  if (misdeed == MEASURES_NOTHING)
    PetscCall(RungStepperMeasure(stepper, (Vec[]){NULL, NULL}, NULL, from, to, &verdict->error));
  PetscCall(RungStepperGetWork(stepper, &work));
  if (misdeed == SWAPS_VECTORS || misdeed == HAS_NO_LINE) to->u[0] = from->u[0];
  if (misdeed == SOLVES_AGAIN) PetscCall(RungStepperSolve(stepper));
  if (misdeed == MATCHES) PetscCall(RungStageMatch(stepper, to->t, from->u[0], work[0], work[0], verdict));
  if (misdeed == ADDS_NOTHING) PetscCall(RungCombine(work[0], 2, (PetscReal[]){1, 2}, (Vec[]){from->u[0], NULL}));
  if (misdeed == HAS_NO_LINE) PetscCall(RungStageSolve(stepper, to->t, NULL, NULL, work[0], verdict));
  if (misdeed == NO_MATRIX) PetscCall(RungStageApply(stepper, from->u[0], work[0], verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                              RungVerdict *verdict)
{
  PetscFunctionBegin;
  if (misdeed != WRITES_NOTHING) PetscCall(VecWAXPY(to->u[0], h, from->u[1], from->u[0]));
  if (misdeed != WRITES_NOTHING && misdeed != NO_RATES) PetscCall(VecCopy(from->u[1], to->u[1]));
  if (misdeed != NO_ERROR) verdict->error = 0.1;
  PetscCall(misbehave(stepper, from, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const    methods[] = {"careless", NULL};
static const RungStepperOps careless  = {.methods = methods, .plan = plan, .attempt = attempt};

static PetscErrorCode run(PetscReal rtol)
{
  Ode         ode = relaxation(1, 3);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, "careless", NULL, 0, 1, 0.1, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  RungCallFinally(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ATTEMPT "attempt() of careless method \"careless\" "

static PetscErrorCode test_attempts_write_the_new_level_and_nothing_else(void)
{
  static const struct {
    Misdeed     misdeed;
    const char *words;
  } row[] = {{WRITES_BACK, ATTEMPT "writes to an accepted level"},
             {WRITES_BEFORE, ATTEMPT "writes to an accepted level"},
             {MOVES_TIME, ATTEMPT "moves the new level from t = 0.1"},
             {WRITES_NOTHING, ATTEMPT "does not write u[0]"},
             {NO_RATES, ATTEMPT "does not write u[1]"},
             {NO_ERROR, ATTEMPT "estimates no error, though its plan says exponent = 2"},
             {NO_REASON, "careless method \"careless\" gives no reason"},
             {NOT_FINITE, "careless method \"careless\" ends at t = 1. with values that are not finite"},
             {NO_MATRIX, "there is no matrix to solve with"},
             {MEASURES_NOTHING, "RungStepperMeasure of careless method \"careless\" without an error"},
             {SWAPS_VECTORS, ATTEMPT "puts another vector in the place of u[0]"},
             {SOLVES_AGAIN, "RungStepperSolve by a method or monitor of the stepper that solves already"},
             {MATCHES, "RungStageMatch of careless method \"careless\" in a system without conserved terms"},
             {ADDS_NOTHING, "number 1 is NULL, with the factor 2"},
             {HAS_NO_LINE, "RungStageSolve was called with line = NULL"},
             {LOOKS_TOO_FAR, "level 5 back of 1 accepted ones"}};

  PetscFunctionBegin;
  said = sound;
  PetscCall(RungStepperRegister("careless", &careless));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    misdeed = row[i].misdeed;
    CHECK_RAISES(run(1e-3), row[i].words);
  }
  misdeed = MEASURES_NOTHING;
  CHECK_RAISES(run(0), "RungStepperMeasure of careless method \"careless\" in a run without tolerances");
  misdeed = ALL_WELL;
  PetscCall(run(0));
  PetscCall(run(1e-3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(RungMethodPlan plan, const char words[])
{
  RungMethodPlan seen;

  PetscFunctionBegin;
  said = plan;
  CHECK_RAISES(run(0), words);
  CHECK_RAISES(RungStepperGetPlan("careless", "careless", &seen), words);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method is registered already. */
static PetscErrorCode test_plans_make_sense(void)
{
  static const struct {
    size_t      at;
    PetscInt    value;
    const char *words;
  } row[] = {{offsetof(RungMethodPlan, order), 0, "says order = 0, wanted at least 1"},
             {offsetof(RungMethodPlan, exponent), -1, "says exponent = -1"},
             {offsetof(RungMethodPlan, depth), -1, "says depth = -1"},
             {offsetof(RungMethodPlan, carried), -3, "says carried = -3"},
             {offsetof(RungMethodPlan, numbers), -1, "says numbers = -1"},
             {offsetof(RungMethodPlan, matrices), -1, "says matrices = -1"},
             {offsetof(RungMethodPlan, work), -1, "says work = -1"},
             {offsetof(RungMethodPlan, stages), -1, "says stages = -1"},
             {offsetof(RungMethodPlan, solves), -1, "says solves = -1"}};
  RungMethodPlan plan;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    plan = sound;
    memcpy((char *)&plan + row[i].at, &row[i].value, sizeof row[i].value);
    PetscCall(refused(plan, row[i].words));
  }
  plan        = sound;
  plan.growth = 0.5;
  PetscCall(refused(plan, "says growth = 0.5"));
  plan     = sound;
  plan.can = 1U << 20;
  PetscCall(refused(plan, "holds what is no RUNG_CAN_"));
  plan.can = RUNG_CAN_CONSERVE;
  PetscCall(refused(plan, "says that it advances no system"));
  said    = sound;
  curious = PETSC_TRUE;
  CHECK_RAISES(run(0), "the stepper is asked for what it has when it is set up");
  curious = PETSC_FALSE;
  said    = sound;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_methods_have_names_of_their_own(void)
{
  static const char *const taken[] = {"mine_a", "esdirk43", NULL}, *const twice[] = {"mine_a", "mine_a", NULL},
                           *const empty[] = {"", NULL}, *const good[] = {"mine_a", NULL},
                           *const key[]   = {"euler", NULL};
  static const RungStepperOps     ops[]   = {{.methods = taken, .plan = plan, .attempt = attempt},
                                             {.methods = twice, .plan = plan, .attempt = attempt},
                                             {.methods = empty, .plan = plan, .attempt = attempt},
                                             {.methods = good, .keys = key, .plan = plan, .attempt = attempt},
                                             {.methods = good, .first = "other", .plan = plan, .attempt = attempt}};
  static const char *const        words[] = {"method \"esdirk43\" of stepper type \"mine\" is one of type dirk already",
                                             "stepper type \"mine\" has two methods \"mine_a\"",
                                             "stepper type \"mine\" has a method without a name",
                                             "method \"euler\" of stepper type \"mine\" is one of type dirk already",
                                             "begins with method \"other\", which is none of its own"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(ops); ++i)
    CHECK_RAISES(RungStepperRegister("mine", &ops[i]), words[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_attempts_write_the_new_level_and_nothing_else), RUNG_TEST(test_plans_make_sense),
               RUNG_TEST(test_methods_have_names_of_their_own))
