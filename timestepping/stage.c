/* stage.c - F on a line plus load = 0: what every implicit method asks for, solved here for all of them.

   A slot owns a matrix and a solver for one set of slopes.  Where the Jacobian is constant a slot's matrix is assembled
   once and its factors stay as long as the slopes do, bit for bit; as many slots as a step has distinct slopes are kept,
   the one unused for longest gives way.  Elsewhere one slot serves all: matrices are assembled anew anyway.

   How the solvers are called and when they are done is told in stage_newton.c, stage_search.c and stage_linear.c, where
   guesses come from in stage_predict.c. */
#include "stage_impl.h"
#include <petscdmshell.h>

#define NEWTON_FIXED      25
#define NEWTON_ADAPTIVE   10
#define NEWTON_RTOL       1e-12
#define NEWTON_CONSERVING 1e-14

void RungVerdictFail(RungVerdict *verdict, const char format[], ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
  va_end(arguments);
  verdict->solved = PETSC_FALSE;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

RungSolverUse RungStagesUse(RungStages stages)
{
  return stages->keep ? RUNG_SOLVE_KEPT : stages->stepper->traits.linear ? RUNG_SOLVE_ONCE : RUNG_SOLVE_NEWTON;
}

/* Linear systems: one solve to the accuracy of the step.  Others: Newton's method, whose steps may be of any length: small
   units make all of them long. */
static PetscErrorCode set_defaults(RungStages stages, SNES snes)
{
  RungStepper     stepper = stages->stepper;
  const PetscReal rtol    = stepper->traits.conserved ? NEWTON_CONSERVING : NEWTON_RTOL;
  KSP             ksp;
  SNESLineSearch  search;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(RungSystemSetSolverDefaults(stepper->sys, ksp, RungStagesUse(stages)));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE)); /* the state of the matrix decides */
  if (stepper->adaptive) {
    PetscCall(KSPSetTolerances(ksp, PetscMax(1e-12, PetscMin(1e-6, 1e-3 * stepper->rtol)), PETSC_CURRENT, PETSC_CURRENT,
                               PETSC_CURRENT));
  }
  PetscCall(SNESSetType(snes, stages->bound[0]         ? SNESVINEWTONRSLS
                              : stepper->traits.linear ? SNESKSPONLY
                                                       : SNESNEWTONLS));
  if (!stepper->traits.linear) {
    PetscCall(SNESGetLineSearch(snes, &search));
    PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
    PetscCall(SNESLineSearchSetTolerances(search, PETSC_DEFAULT, PETSC_MAX_REAL, PETSC_DEFAULT, PETSC_DEFAULT,
                                          PETSC_DEFAULT, PETSC_DEFAULT));
  }
  PetscCall(SNESSetTolerances(snes, 0, rtol, 0, stepper->adaptive ? NEWTON_ADAPTIVE : NEWTON_FIXED, 10000));
  PetscCall(SNESSetErrorIfNotConverged(snes, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factorisation inside an iteration may be that of an older matrix. */
static PetscErrorCode set_lag(RungStageSlot *slot, KSP ksp)
{
  PetscBool direct, once;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &direct, PCLU, PCCHOLESKY, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  slot->lag = direct && !once && !slot->stages->keep ? PETSC_TRUE : PETSC_FALSE;
  if ((slot->lag || slot->full) && !slot->stages->begin) PetscCall(VecDuplicate(slot->stages->r, &slot->stages->begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_slot(RungStages stages, PetscBool match, RungStageSlot *slot)
{
  KSPNormType norm;
  KSP         ksp;

  PetscFunctionBegin;
  slot->stages   = stages;
  slot->factored = -1;
  PetscCall(SNESCreate(stages->stepper->comm, &slot->snes));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  if (stages->keep && !match) PetscCall(RungSystemWantsTuning(stages->stepper->sys, ksp, &slot->tune));
  if (match)
    PetscCall(RungSystemCreateMat(stages->stepper->sys, &slot->J));
  else if (slot->tune)
    PetscCall(RungSystemCreateKeptMat(stages->stepper->sys, ksp, &slot->J));
  else
    PetscCall(RungSystemCreateStageMat(stages->stepper->sys, &slot->J));
  PetscCall(SNESSetFunction(slot->snes, NULL, RungStageSlotResidual, slot));
  PetscCall(SNESSetJacobian(slot->snes, slot->J, slot->J, RungStageSlotJacobian, slot));
  PetscCall(set_defaults(stages, slot->snes));
  PetscCall(SNESSetConvergenceTest(slot->snes, RungStageSlotConverged, slot, NULL));
  PetscCall(SNESSetFromOptions(slot->snes));
  PetscCall(RungStageSlotChooseSearch(slot));
  if (stages->bound[0]) { /* the reduced space asks the solver's shell for vectors */
    DM shell;

    PetscCall(SNESGetDM(slot->snes, &shell));
    PetscCall(DMShellSetGlobalVector(shell, stages->r));
  }
  PetscCall(RungSystemCheckSolver(stages->stepper->sys, ksp));
  PetscCall(KSPSetPreSolve(ksp, RungStageSlotCountSetUp, slot));
  PetscCall(KSPGetTolerances(ksp, &slot->rtol, &slot->atol, NULL, NULL));
  PetscCall(KSPGetNormType(ksp, &norm));
  slot->iterative = norm == KSP_NORM_UNPRECONDITIONED ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungStageSlotChoosePath(slot));
  PetscCall(RungStageSlotGuardDomain(slot));
  PetscCall(set_lag(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_slot(RungStageSlot *slot)
{
  PetscFunctionBegin;
  PetscCall(SNESDestroy(&slot->snes));
  PetscCall(MatDestroy(&slot->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its matrix has slope 1 on rates and conserved terms and none on values. */
static PetscErrorCode create_match(RungStages stages)
{
  RungStepper stepper = stages->stepper;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, &stages->match));
  PetscCall(create_slot(stages, PETSC_TRUE, stages->match));
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) stages->match->slope[stepper->traits.unknowns + f] = 1;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(stepper->sys, &stages->at[k]));
  PetscCall(RungSystemCreateVec(stepper->sys, &stages->target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesCreate(RungStepper stepper, PetscInt matrices, RungStages *created)
{
  RungStages stages;
  PetscBool  bounded, condensed;

  PetscFunctionBegin;
  PetscCall(PetscNew(&stages));
  *created        = stages;
  stages->stepper = stepper;
  stages->keep    = stepper->traits.linear && stepper->traits.constant_jacobian ? PETSC_TRUE : PETSC_FALSE;
  stages->n       = stages->keep ? PetscMax(1, matrices) : 1;
  PetscCall(RungSystemCreateVec(stepper->sys, &stages->r));
  PetscCall(RungSystemHasBounds(stepper->sys, &bounded));
  for (int side = 0; side < 2 && bounded; ++side) PetscCall(VecDuplicate(stages->r, &stages->bound[side]));
  if (bounded) PetscCall(VecDuplicate(stages->r, &stages->guess));
  if (bounded) PetscCall(VecDuplicate(stages->r, &stages->followed));
  PetscCall(PetscCalloc1(stages->n, &stages->slot));
  PetscCall(RungSystemGetCondensed(stepper->sys, &condensed));
  if (condensed && !stepper->traits.linear) {
    PetscCall(VecDuplicate(stages->r, &stages->point));
    PetscCall(VecDuplicate(stages->r, &stages->shift));
  }
  for (PetscInt i = 0; i < stages->n; ++i) PetscCall(create_slot(stages, PETSC_FALSE, &stages->slot[i]));
  if (stepper->matches) PetscCall(create_match(stages));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesDestroy(RungStages *destroyed)
{
  RungStages stages = *destroyed;

  PetscFunctionBegin;
  if (!stages) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < stages->n; ++i) PetscCall(destroy_slot(&stages->slot[i]));
  if (stages->match) PetscCall(destroy_slot(stages->match));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&stages->at[k]));
  PetscCall(RungStagesDestroyPast(stages));
  PetscCall(RungStagesDestroyDomain(stages));
  PetscCall(VecDestroy(&stages->target));
  PetscCall(VecDestroy(&stages->r));
  PetscCall(VecDestroy(&stages->begin));
  PetscCall(VecDestroy(&stages->point));
  PetscCall(VecDestroy(&stages->shift));
  for (int side = 0; side < 2; ++side) PetscCall(VecDestroy(&stages->bound[side]));
  PetscCall(VecDestroy(&stages->guess));
  PetscCall(VecDestroy(&stages->followed));
  PetscCall(PetscFree(stages->match));
  PetscCall(PetscFree(stages->slot));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesForget(RungStepper stepper)
{
  RungStages stages = stepper->stages;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < stages->n; ++i) {
    stages->slot[i].filled   = PETSC_FALSE;
    stages->slot[i].used     = 0;
    stages->slot[i].factored = -1;
    stages->slot[i].its      = 0;
    stages->slot[i].asked    = PETSC_FALSE; /* a run that goes on from here asks, too */
  }
  if (stages->match) {
    stages->match->filled   = PETSC_FALSE;
    stages->match->factored = -1;
    stages->match->its      = 0;
  }
  stages->clock = 0;
  stages->last  = NULL;
  PetscCall(RungStagesForgetPast(stages));
  PetscCall(RungTransientSystemForgetKept(stepper->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solve ------------------------------------------------------------------------------------------------------ */

static PetscInt slope_count(RungStages stages)
{
  return (stages->stepper->traits.order + 1) * stages->stepper->traits.unknowns;
}

/* The slot of these slopes; else the one unused for longest, which is told to assemble. */
static RungStageSlot *find_slot(RungStages stages, const PetscReal slope[])
{
  const size_t   size = (size_t)slope_count(stages) * sizeof(PetscReal);
  RungStageSlot *best = &stages->slot[0];

  for (PetscInt i = 0; i < stages->n; ++i) {
    RungStageSlot *slot = &stages->slot[i];

    if (slot->filled && !memcmp(slot->slope, slope, size)) {
      best = slot;
      break;
    }
    if (slot->used < best->used) best = slot;
  }
  if (memcmp(best->slope, slope, size) != 0) best->filled = PETSC_FALSE;
  memcpy(best->slope, slope, size);
  best->used = ++stages->clock;
  return best;
}

/* Adds to a verdict what is not finite at `at`, where something is not. */
static PetscErrorCode explain_at(RungStages stages, Vec at, RungVerdict *verdict)
{
  char   message[1024];
  size_t n = strlen(verdict->why);

  PetscFunctionBegin;
  if (stages->problem == PROBLEM_MATCH) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemExplain(stages->stepper->ts, stages->t, stages->line, at, message, sizeof message));
  if (message[0]) (void)snprintf(verdict->why + n, sizeof verdict->why - n, ": %s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesExplain(RungStages stages, Vec w, RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(explain_at(stages, stages->point ? stages->point : w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton came to no end, and its last step was cut: where it would have led. */
static PetscErrorCode explain_cut(RungStages stages, RungVerdict *verdict)
{
  const size_t n = strlen(verdict->why);

  PetscFunctionBegin;
  if (!stages->cut || stages->why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(verdict->why + n, sizeof verdict->why - n, ", its steps lead to where the residual is not finite");
  PetscCall(explain_at(stages, stages->outside, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesFailFactor(RungStages stages, Vec w, KSP ksp, RungVerdict *verdict)
{
  char why[256];
  Mat  J;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, NULL, &J));
  PetscCall(RungSystemExplainSingular(stages->stepper->sys, J, why, sizeof why));
  RungVerdictFail(verdict, "the Jacobian is singular%s%s", why[0] ? ": " : ", or the preconditioner cannot be set up",
                  why);
  PetscCall(RungStagesExplain(stages, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explain(RungStages stages, SNES snes, SNESConvergedReason reason, Vec w, RungVerdict *verdict)
{
  KSP                ksp;
  KSPConvergedReason linear;
  PetscReal          norm;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, &linear));
  PetscCall(SNESGetFunctionNorm(snes, &norm));
  if (reason == SNES_DIVERGED_LINEAR_SOLVE && linear == KSP_DIVERGED_PC_FAILED) {
    PetscCall(RungStagesFailFactor(stages, w, ksp, verdict));
  } else if (reason == SNES_DIVERGED_LINEAR_SOLVE) {
    PetscCall(KSPGetIterationNumber(ksp, &its));
    RungVerdictFail(verdict, "the linear solver gave up after %ld iterations (%s)", (long)its,
                    KSPConvergedReasons[linear]);
    if (linear == KSP_DIVERGED_NANORINF) PetscCall(RungStagesExplain(stages, w, verdict));
  } else if (reason == SNES_DIVERGED_FUNCTION_NANORINF || reason == SNES_DIVERGED_FUNCTION_DOMAIN ||
             PetscIsInfOrNanReal(norm)) {
    RungVerdictFail(verdict, "the residual is not finite");
    PetscCall(RungStagesExplain(stages, w, verdict));
  } else if (reason == SNES_DIVERGED_MAX_IT) {
    PetscCall(SNESGetIterationNumber(snes, &its));
    RungVerdictFail(verdict, "Newton did not converge in %ld iterations (|F| = %.1e)", (long)its, (double)norm);
    PetscCall(explain_cut(stages, verdict));
  } else if (reason == SNES_DIVERGED_LINE_SEARCH) {
    RungVerdictFail(verdict, "Newton found no descent (|F| = %.1e)", (double)norm);
    PetscCall(explain_cut(stages, verdict));
  } else
    RungVerdictFail(verdict, "Newton diverged (|F| = %.1e, %s)", (double)norm, SNESConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bounds of w from those of u = base + w at time t. */
static PetscErrorCode set_bounds(RungStages stages, SNES snes)
{
  RungStepper stepper = stages->stepper;

  PetscFunctionBegin;
  if (!stages->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    PetscCheck(stages->problem == PROBLEM_STAGE && stages->line->slope[f] == 1, stepper->comm, PETSC_ERR_SUP,
               "stepper \"%s\" does not solve for values at the end of its stages, which bounds on unknowns want; try "
               "-stepper_type bdf",
               stepper->type);
  }
  PetscCall(RungSystemGetBounds(stepper->sys, stages->t, stages->bound[0], stages->bound[1]));
  for (int side = 0; side < 2 && stages->line->base[0]; ++side)
    PetscCall(VecAXPY(stages->bound[side], -1, stages->line->base[0]));
  PetscCall(SNESVISetVariableBounds(snes, stages->bound[0], stages->bound[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slaves of constraints at the end of a run with bounds. */
static PetscErrorCode follow(RungStages stages, Vec w)
{
  Vec at;

  PetscFunctionBegin;
  PetscCall(RungStagesFollow(stages, w, &at));
  if (at == w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(at, w));
  PetscCall(VecCopy(at, stages->guess)); /* from where they have followed */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run of the solver from w. */
static PetscErrorCode run(RungStages stages, RungStageSlot *slot, Vec w, RungVerdict *verdict)
{
  RungStepper         stepper = stages->stepper;
  SNESConvergedReason reason;
  PetscBool           rounding = PETSC_FALSE;
  PetscReal           norm;
  PetscInt            its;

  PetscFunctionBegin;
  slot->lagged   = PETSC_FALSE;
  stages->why[0] = 0;
  stages->tried = stages->cut = PETSC_FALSE;
  if (stages->point) PetscCall(VecZeroEntries(stages->shift));
  if (stages->guess) PetscCall(VecCopy(w, stages->guess));
  PetscCall(SNESSolve(slot->snes, NULL, w));
  PetscCall(follow(stages, w));
  PetscCall(SNESGetConvergedReason(slot->snes, &reason));
  PetscCall(SNESGetLinearSolveIterations(slot->snes, &its));
  stepper->statistics.linear += its;
  PetscCall(SNESGetIterationNumber(slot->snes, &its));
  stepper->statistics.newton += its;
  verdict->solved = PETSC_TRUE;
  if (reason == SNES_DIVERGED_LINE_SEARCH || reason == SNES_DIVERGED_MAX_IT)
    PetscCall(RungStagesAreRounded(stages, slot->snes, w, &rounding));
  if (reason < 0 && !rounding) PetscCall(explain(stages, slot->snes, reason, w, verdict));
  PetscCall(RungStageSlotCheckBalance(slot, w, verdict));
  PetscCall(RungStagesFinishPoints(stages, w, verdict));
  PetscCall(VecNorm(w, NORM_2, &norm)); /* one linear solve is not looked at by the solver */
  if (verdict->solved && PetscIsInfOrNanReal(norm)) {
    RungVerdictFail(verdict, "the residual is not finite");
    PetscCall(VecZeroEntries(w)); /* what it is computed from then is finite */
    PetscCall(RungStagesExplain(stages, w, verdict));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What fails with old factors is tried again with those of its own matrices, what fails by full steps with a search. */
static PetscErrorCode solve(RungStages stages, RungStageSlot *slot, Vec w, RungVerdict *verdict)
{
  PetscBool search = PETSC_FALSE;

  PetscFunctionBegin;
  stages->last = slot;
  PetscCall(set_bounds(stages, slot->snes));
  if (slot->lag || slot->full) PetscCall(VecCopy(w, stages->begin));
  PetscCall(run(stages, slot, w, verdict));
  if (!verdict->solved && slot->lagged) {
    slot->factored = -1;
    PetscCall(VecCopy(stages->begin, w));
    PetscCall(run(stages, slot, w, verdict));
  }
  if (!verdict->solved) PetscCall(RungStageSlotMayBeSearched(slot, &search));
  if (search) {
    slot->factored = -1;
    PetscCall(VecCopy(stages->begin, w));
    PetscCall(RungStageSlotSearch(slot, PETSC_TRUE));
    PetscCall(run(stages, slot, w, verdict));
    PetscCall(RungStageSlotSearch(slot, PETSC_FALSE));
  }
  if (verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  slot->filled   = PETSC_FALSE;
  slot->factored = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                              RungVerdict *verdict)
{
  RungStages     stages = stepper->stages;
  RungStageSlot *slot;

  PetscFunctionBegin;
  stages->problem = PROBLEM_STAGE;
  stages->t       = t;
  stages->line    = line;
  stages->load    = load;
  if (stepper->adaptive) {
    const RungState *from;

    PetscCall(RungTransientSystemGetState(stepper->ts, 0, &from));
    stages->start = from->u[0];
  }
  slot = find_slot(stages, line->slope);
  if (slot->affine)
    PetscCall(RungStageSlotJacobian(slot->snes, w, slot->J, slot->J, slot)); /* may choose another way */
  if (slot->affine) {
    PetscCall(RungStageSlotSolveAffine(slot, w, verdict));
  } else {
    PetscCall(RungStagesChooseGuess(stages, w));
    PetscCall(solve(stages, slot, w, verdict));
  }
  stages->predicted = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageGetSNES(RungStepper stepper, SNES *snes)
{
  PetscFunctionBegin;
  *snes = stepper->stages->slot[0].snes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict)
{
  KSP                ksp;
  KSPConvergedReason reason;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(stepper->stages->last->snes, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  stepper->statistics.linear += its;
  if (reason < 0)
    RungVerdictFail(verdict, "the linear solver gave up on the error estimate (%s)", KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w, RungVerdict *verdict)
{
  RungStages     stages = stepper->stages;
  const RungLine rest   = {.base = {stages->at[0], stages->at[1], NULL}};

  PetscFunctionBegin;
  stages->problem = PROBLEM_MATCH;
  stages->t       = t;
  PetscCall(VecCopy(u, stages->at[0]));
  PetscCall(VecZeroEntries(stages->at[1]));
  PetscCall(RungTransientSystemResidual(stepper->ts, t, &rest, NULL, w, stages->target));
  PetscCall(VecAXPBY(stages->target, -1, -1, target)); /* -R(t, u, 0) - target */
  stages->load = stages->target;
  PetscCall(solve(stages, stages->match, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
