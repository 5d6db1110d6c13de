/* stage.c - the solves of a stepper: the solver of its lines, whose work is counted in the stepper's statistics. */
#include "step_impl.h"
#include "tableau_impl.h"

PetscErrorCode RungStagesSetUp(RungStepper stepper)
{
  const RungLineSolverPlan plan = {.matrices = PetscMax(1, stepper->plan.matrices),
                                   .masses   = stepper->plan.solves ? PETSC_FALSE : PETSC_TRUE,
                                   .mixes    = stepper->plan.mixes,
                                   .matches  = stepper->plan.matches,
                                   .weights  = stepper->adaptive ? stepper->weights : NULL,
                                   .rtol     = stepper->rtol};

  PetscFunctionBegin;
  stepper->linearised = PETSC_FALSE;
  PetscCall(RungLineSolverCreate(stepper->ts, &plan, &stepper->solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesForget(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->linearised = PETSC_FALSE;
  PetscCall(RungLineSolverForget(stepper->solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungStageLinearised(RungStepper stepper)
{
  return stepper->linearised;
}

/* The work since the last time; solve: of one solve on a line. */
static void count(RungStepper stepper, PetscBool solve)
{
  RungStepperStatistics *all = &stepper->statistics;
  RungSolveCounts        counts;

  RungLineSolverTakeCounts(stepper->solver, &counts);
  if (solve) RungEffortSolve(stepper, counts.newton);
  all->newton += counts.newton;
  all->linear += counts.linear;
  all->residuals += counts.residuals;
  all->jacobians += counts.jacobians;
  all->factorisations += counts.factorisations;
  all->combinations += counts.combinations;
  all->jacobian_seconds += counts.assembly;
  all->factorisation_seconds += counts.factorisation;
  all->solution_seconds += counts.solution;
  stepper->spent.applied += counts.applied;
}

/* Is the matrix one of derivatives by rates from the k-th on and by unknowns without a rate alone? */
static PetscBool has_rates_alone(const RungTraits *traits, const PetscReal slope[], PetscInt k)
{
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    for (PetscInt i = 0; i < PetscMin(k, traits->unknown_order[f]); ++i)
      if (slope[i * traits->unknowns + f] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* A matrix without derivatives by the values of what has rates, which is singular: no step mends it.  So is that of c dt(u) with c = 0 in a
   part of the mesh, and that of a constraint on values alone. */
static void tell_masses(RungStepper stepper, const PetscReal slope[], RungVerdict *verdict)
{
  const RungTraits *traits = &stepper->traits;
  const size_t      n      = strlen(verdict->why);
  char             *why    = verdict->why + n;

  stepper->singular_mass = PETSC_FALSE;
  if (verdict->solved || verdict->cause != RUNG_REFUSED_LINEAR || !traits->order) return;
  if (!has_rates_alone(traits, slope, 1)) return;
  stepper->singular_mass = PETSC_TRUE;
  if (stepper->algebraic)
    (void)snprintf(
      why, sizeof verdict->why - n,
      ", where %s method \"%s\" knows values and wants what has no rate, as \"%.32s\", to be given by them "
      "(index 1); take one that solves with all of F, as trbdf2",
      stepper->type, stepper->method[stepper->chosen], stepper->unrated);
  else
    (void)snprintf(why, sizeof verdict->why - n,
                   ", where %s method \"%s\" solves with the coefficients of %sdt() alone, which are to be 0 at "
                   "no place; take a method that solves with all of F, as -stepper_type dirk",
                   stepper->type, stepper->method[stepper->chosen],
                   has_rates_alone(traits, slope, traits->order) ? "the highest " : "");
}

PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                              RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(stepper->solver);
  RungNeed(line);
  RungNeed(w);
  RungNeedArgument(verdict);
  PetscCheck(!line->origin || line->increment, stepper->comm, PETSC_ERR_ARG_NULL,
             "a line of %s method \"%s\" has an origin and no increment, which takes a vector of its own",
             stepper->type, stepper->method[stepper->chosen]);
  stepper->linearised = PETSC_FALSE;
  stepper->stage      = w;
  stepper->stage_t    = t;
  PetscCall(RungLineSolve(stepper->solver, t, line, load, w, verdict));
  tell_masses(stepper, line->slope, verdict);
  count(stepper, PETSC_TRUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetStage(RungStepper stepper, PetscReal *t, Vec *w)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  *t = stepper->stage_t;
  *w = stepper->stage;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = 0 at the entries of the last stage that are at a bound */
static PetscErrorCode hold(RungStepper stepper, Vec low, Vec high, Vec b)
{
  const PetscScalar *w, *lower, *upper;
  PetscScalar       *x;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungSystemGetBounds(stepper->sys, stepper->stage_t, low, high));
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArray(b, &x));
  PetscCall(VecGetArrayRead(stepper->stage, &w));
  PetscCall(VecGetArrayRead(low, &lower));
  PetscCall(VecGetArrayRead(high, &upper));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal u = PetscRealPart(w[i]), near = 1e-12 * PetscAbsReal(u);

    if (u - near <= PetscRealPart(lower[i]) || u + near >= PetscRealPart(upper[i])) x[i] = 0;
  }
  PetscCall(VecRestoreArrayRead(high, &upper));
  PetscCall(VecRestoreArrayRead(low, &lower));
  PetscCall(VecRestoreArrayRead(stepper->stage, &w));
  PetscCall(VecRestoreArray(b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of J of entries at a bound say that these stay there: they want 0 on the right. */
static PetscErrorCode hold_bounded(RungStepper stepper, Vec b)
{
  PetscBool bounded;
  Vec       low, high;

  PetscFunctionBegin;
  PetscCall(RungSystemHasBounds(stepper->sys, &bounded));
  if (!bounded || !stepper->stage) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(b, &low));
  PetscCall(VecDuplicate(b, &high));
  RungCallFinally(hold(stepper, low, high, b), PetscCall(VecDestroy(&low)); PetscCall(VecDestroy(&high)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rate = that of the bound between the levels where u is at it; bound: lower and upper at the new level, the same at the old one */
static PetscErrorCode take_rates(Vec u, PetscReal h, const Vec bound[4], Vec rate)
{
  const PetscScalar *value, *b[4];
  PetscScalar       *r;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(u, &value));
  for (int j = 0; j < 4; ++j) PetscCall(VecGetArrayRead(bound[j], &b[j]));
  PetscCall(VecGetArray(rate, &r));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal w = PetscRealPart(value[i]), near = 1e-12 * PetscAbsReal(w);

    if (w - near <= PetscRealPart(b[0][i])) r[i] = (b[0][i] - b[2][i]) / h;
    if (w + near >= PetscRealPart(b[1][i])) r[i] = (b[1][i] - b[3][i]) / h;
  }
  PetscCall(VecRestoreArray(rate, &r));
  for (int j = 0; j < 4; ++j) PetscCall(VecRestoreArrayRead(bound[j], &b[j]));
  PetscCall(VecRestoreArrayRead(u, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rest(RungStepper stepper, const RungState *from, RungState *to, const Vec bound[4])
{
  PetscFunctionBegin;
  PetscCall(RungSystemGetBounds(stepper->sys, to->t, bound[0], bound[1]));
  PetscCall(RungSystemGetBounds(stepper->sys, from->t, bound[2], bound[3]));
  PetscCall(take_rates(to->u[0], to->t - from->t, bound, to->u[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageRest(RungStepper stepper, const RungState *from, RungState *to)
{
  PetscBool bounded;
  Vec      *bound;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungSystemHasBounds(stepper->sys, &bounded));
  if (!bounded) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicateVecs(to->u[0], 4, &bound));
  RungCallFinally(rest(stepper, from, to, bound), PetscCall(VecDestroyVecs(4, &bound)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(RungStepper stepper, const RungLineStep *step, Vec b, Vec x, RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(stepper->solver);
  RungNeed(b);
  RungNeed(x);
  RungNeedArgument(verdict);
  PetscCall(hold_bounded(stepper, b));
  PetscCall(RungLineApplyStep(stepper->solver, step, b, x, verdict));
  count(stepper, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(apply(stepper, NULL, b, x, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApplyStep(RungStepper stepper, Vec b, const Vec at[2], PetscReal rate, Vec x,
                                  RungVerdict *verdict)
{
  RungNeedArgument(at);
  RungNeed(at[0]);
  const RungLineStep step = {.at = {at[0], at[1]}, .rate = rate, .scale = 1};

  PetscFunctionBegin;
  PetscCall(apply(stepper, &step, b, x, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rates are over h. */
static RungLineStep step_of_rates(const Vec at[2], PetscReal h)
{
  return (RungLineStep){.at = {at[0], at[1]}, .rate = 1 / h, .scale = at[1] ? h * h : h};
}

PetscErrorCode RungStageApplyRates(RungStepper stepper, Vec b, const Vec at[2], PetscReal h, Vec x,
                                   RungVerdict *verdict)
{
  const RungLineStep step = step_of_rates(at, h);

  PetscFunctionBegin;
  PetscCall(apply(stepper, &step, b, x, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageFindRates(RungStepper stepper, PetscReal t, const RungLine *line, const Vec at[2], PetscReal h,
                                  Vec r, Vec x, Vec w, RungVerdict *verdict)
{
  RungLineStep step;

  PetscFunctionBegin;
  if (at) step = step_of_rates(at, h);
  PetscCall(RungLineFindRates(stepper->solver, t, line, at ? &step : NULL, r, x, w, verdict));
  count(stepper, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageLinearise(RungStepper stepper, PetscReal t, const Vec u[], const PetscReal slope[],
                                  RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(stepper->solver);
  RungNeedArgument(u);
  RungNeedArgument(slope);
  RungNeedArgument(verdict);
  stepper->stage = NULL;
  PetscCall(RungLineLinearise(stepper->solver, t, u, slope, verdict));
  tell_masses(stepper, slope, verdict);
  stepper->linearised = verdict->solved;
  count(stepper, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w, RungVerdict *verdict)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(u);
  RungNeed(target);
  RungNeed(w);
  RungNeedArgument(verdict);
  PetscCheck(stepper->plan.matches && stepper->traits.conserved, stepper->comm, PETSC_ERR_ORDER,
             "RungStageMatch of %s method \"%s\" in a system without conserved terms, or without matches in its plan",
             stepper->type, stepper->method[stepper->chosen]);
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  PetscCall(RungLineMatch(stepper->solver, t, to->t - from->t, u, target, w, verdict));
  count(stepper, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagePredict(RungStepper stepper, PetscReal t, Vec w)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(w);
  PetscCall(RungLinePredict(stepper->solver, t, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageTakesGuess(RungStepper stepper, PetscBool *takes)
{
  PetscFunctionBegin;
  PetscCall(RungLineTakesGuess(stepper->solver, takes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagePredictInside(RungStepper stepper, PetscReal t, Vec stages, Vec w)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(w);
  PetscCall(RungLinePredictStage(stepper->solver, t, stages, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What slopes are multiplied with. */
static Vec unknown_of(const RungLine *line, Vec w)
{
  return line->origin ? line->increment : w;
}

PetscErrorCode RungStageEvaluate(RungStepper stepper, const RungLine *line, Vec w, const Vec u[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(line);
  RungNeed(w);
  RungNeedArgument(u);
  PetscCall(RungTransientSystemEvaluateLine(stepper->ts, line, unknown_of(line, w), u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageResidual(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w, Vec r)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(line);
  RungNeed(w);
  RungNeed(r);
  PetscCall(RungTransientSystemResidual(stepper->ts, t, line, load, unknown_of(line, w), r));
  ++stepper->statistics.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageConsistent(RungStepper stepper, PetscBool algebraic, RungState *state)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(state);
  PetscCall(RungTransientSystemConsistent(stepper->ts, algebraic, PETSC_FALSE, state));
  ++stepper->spent.starts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageConsistentLater(RungStepper stepper, RungState *state)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(state);
  if (stepper->events.n || RungStageSums(stepper)) {
    PetscCall(RungStageConsistent(stepper, PETSC_FALSE, state)); /* they look at the level while it is a proposal */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemConsistentLater(stepper->ts, state));
  if (!state->late) ++stepper->spent.starts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageCheckRegular(RungStepper stepper, const RungState *level)
{
  char      why[256];
  PetscBool regular;

  PetscFunctionBegin;
  if (!stepper->algebraic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemIsRegular(stepper->ts, level, &regular, why, sizeof why));
  PetscCheck(
    regular, stepper->comm, PETSC_ERR_SUP,
    "%s method \"%s\" finds unknowns without a rate, as \"%s\", together with the rates of the others, and at t = "
    "%g the equations do not determine them so%s%s; wanted: equations that give these unknowns where values of the "
    "others are known (index 1); take a method for constraints on values alone (index 2), as trbdf2",
    stepper->type, stepper->method[stepper->chosen], stepper->unrated, (double)level->t, why[0] ? ": " : "", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line on which all of u[k] are as they are, wherever w is. */
static void stand_still(RungStepper stepper, const Vec u[], RungLine *line)
{
  memset(line, 0, sizeof *line);
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) line->base[k] = u[k];
}

PetscErrorCode RungStageExplain(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict)
{
  const size_t n = strlen(verdict->why);
  char         message[1024];
  RungLine     line;

  PetscFunctionBegin;
  stand_still(stepper, u, &line);
  PetscCall(RungTransientSystemExplain(stepper->ts, t, &line, u[0], message, sizeof message));
  if (message[0]) (void)snprintf(verdict->why + n, sizeof verdict->why - n, ": %s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageCheckLevel(RungStepper stepper, const RungState *to, Vec r, RungVerdict *verdict)
{
  RungLine  line;
  PetscReal norm;

  PetscFunctionBegin;
  stand_still(stepper, to->u, &line);
  PetscCall(RungTransientSystemResidual(stepper->ts, to->t, &line, NULL, to->u[0], r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  if (!PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the residual is not finite where the step ends");
  PetscCall(RungStageExplain(stepper, to->t, to->u, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
