/* explicit.c - explicit Runge-Kutta methods by tableau (c, A, b, b^), for systems of order 1 and 2 in time, with algebraic unknowns.

   The unknown w of a stage is the highest rate of each unknown: u' at order 1, u'' at order 2, the value z of one without a rate.
   With  u_i = u_n + h sum_j<i a_ij k_j  at order 1 and, at order 2,  v_i = v_n + h sum_j<i a_ij l_j  and  u_i = u_n + h sum_j<i a_ij v_j,

       F(t_i, u_i, k_i, z_i) = 0        or        F(t_i, u_i, v_i, l_i, z_i) = 0,

   slope 1 on what is unknown and 0 on the rest: one solve with dF/d(u', z), or dF/d(u'', z), which does not depend on h.  A constant one is
   factored once in a run, and a stage is one residual and one solve, without Newton's method.  Unknowns without a rate are so found
   together with the rates of the others (half-explicit).  Where that matrix is singular, as for constraints of index 2, the first attempt
   is refused.  Its columns come from different blocks: it is not symmetric where F is.

   The first stage is the level itself, whose rates satisfy F = 0; those of a new level are the last stage's where its row of A is b, the
   same number by number, and boundary data have led to their values; else one more solve, for steps that pass the error test.

   Conserved terms: explicit_conserved.c.

   Boundary data: rates g'(t_i), or g''(t_i), in the stages, u_b = g(t_n+1) at the end; values of g imposed on the stages would leave order
   2.  What the stages missed of the data is tested beside the estimate, as in dirk.c.

   Estimate e = h sum_i (b_i - b^_i) k_i, and with l_i for v. */
#include "explicit_impl.h"

#include <string.h>

#define HIDDEN 5 /* times its estimate that the error of a long step may be without a word */

/* ---- one solve -------------------------------------------------------------------------------------------------- */

/* The line on which the highest rate of each unknown is w and what base[] holds below it is known. */
static void set_line(RungExplicit *family)
{
  const RungTraits *traits = family->facts.traits;
  RungLine         *line   = &family->line;

  memset(line, 0, sizeof *line);
  for (PetscInt k = 0; k < family->orders; ++k) line->base[k] = family->base[k];
  for (PetscInt f = 0; f < traits->unknowns; ++f) line->slope[traits->unknown_order[f] * traits->unknowns + f] = 1;
}

/* What base[] holds of the highest rate of an unknown and above is nothing. */
static PetscErrorCode clear_base(RungStepper stepper)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    for (PetscInt k = traits->unknown_order[f]; k < family->orders; ++k)
      PetscCall(RungCombineUnknown(stepper, f, family->base[k], 0, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the solves, where nothing in it changes: nothing is done unless data have. */
static PetscErrorCode keep_matrix(RungStepper stepper, const RungState *state, RungVerdict *verdict)
{
  RungExplicit     *family                                          = RungStepperGetData(stepper);
  const RungTraits *traits                                          = family->facts.traits;
  PetscReal         slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  if (!family->kept) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < traits->unknowns; ++f) slope[traits->unknown_order[f] * traits->unknowns + f] = 1;
  PetscCall(RungStageLinearise(stepper, state->t, state->u, slope, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F is affine in w: one residual and one solve lead from any w to the solution. */
PetscErrorCode RungExplicitSolve(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict)
{
  RungExplicit   *family = RungStepperGetData(stepper);
  const RungLine *line   = &family->line;
  const Vec       at[2]  = {family->base[0], family->orders == 2 ? family->base[1] : NULL};

  PetscFunctionBegin;
  PetscCall(clear_base(stepper));
  PetscCall(RungStageImposeRates(stepper, t, family->w, family->x));
  if (family->kept && RungStageLinearised(stepper)) {
    PetscCall(RungStageFindRates(stepper, t, line, family->alike ? at : NULL, family->step, family->r, family->x,
                                 family->w, verdict));
  } else {
    PetscCall(RungStageSolve(stepper, t, line, NULL, family->w, verdict));
  }
  if (verdict->solved) PetscCall(RungStageEvaluate(stepper, line, family->w, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* The level itself, and its highest rates as a guess for the next stage. */
static PetscErrorCode first_stage(RungStepper stepper, const RungState *from, PetscReal h)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;
  const PetscReal   one    = 1;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecCopy(from->u[k + 1], family->k[k][0]));
  for (PetscInt f = 0; f < traits->unknowns; ++f)
    PetscCall(RungCombineUnknown(stepper, f, family->w, 1, &one, &from->u[traits->unknown_order[f]]));
  if (family->conserved) PetscCall(RungExplicitConservedBegin(stepper, from));
  PetscCall(RungStageSum(stepper, from->t, from->u, h * family->tableau->b[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to, PetscInt i,
                            RungVerdict *verdict)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;
  const PetscReal    c = tableau->c[i], t = c == 1 ? to->t : from->t + c * h;
  const Vec          u[RUNG_MAX_ORDER + 1] = {family->base[0], family->k[0][i], family->k[1][i]};

  PetscFunctionBegin;
  if (family->conserved) {
    PetscCall(RungExplicitConservedStage(stepper, from, h, t, i, verdict));
  } else {
    for (PetscInt k = 0; k < family->orders; ++k)
      PetscCall(RungStageAdvance(from->u[k], h, i, tableau->a + i * (i + 1) / 2, family->k[k], family->base[k]));
    PetscCall(RungExplicitSolve(stepper, t, u, verdict));
  }
  if (verdict->solved) PetscCall(RungStageSum(stepper, t, u, h * tableau->b[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u, and v, of the new level by the weights b, with its boundary data; off: the stages had led the data elsewhere. */
static PetscErrorCode finish_values(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                    PetscBool *off, RungVerdict *verdict)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;

  PetscFunctionBegin;
  *off = PETSC_FALSE;
  for (PetscInt k = 0; k < family->orders; ++k) {
    PetscReal most;

    if (!family->low) PetscCall(RungStageAdvance(from->u[k], h, tableau->stages, tableau->b, family->k[k], to->u[k]));
    if (!family->facts.dirichlet) continue;
    if (family->conserved) PetscCall(RungExplicitConservedEdge(stepper, h, to));
    PetscCall(RungStageImpose(family->facts.sys, to->t, k, to->u[k], family->d[k]));
    if (!family->renews) continue;
    PetscCall(VecNorm(family->d[k], NORM_INFINITY, &most));
    if (most != 0) *off = PETSC_TRUE;
  }
  if (family->conserved) PetscCall(RungExplicitConservedValues(stepper, from, h, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                              RungVerdict *verdict)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;
  PetscReal          weight[RUNG_MAX_STAGES];

  PetscFunctionBegin;
  if (!family->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  verdict->error = 0;
  if (!family->orders) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < tableau->stages; ++i) weight[i] = h * (tableau->b[i] - tableau->bhat[i]);
  for (PetscInt k = 0; k < family->orders; ++k)
    PetscCall(RungCombine(family->e[k], tableau->stages, weight, family->k[k]));
  PetscCall(RungStepperMeasure(stepper, (Vec[]){family->e[0], family->orders == 2 ? family->e[1] : NULL},
                               family->facts.dirichlet ? family->d : NULL, from, to, &verdict->error));
  PetscCall(RungExplicitSecond(stepper, from, h, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rates of the new level, and what has no rate, from the last stage. */
static PetscErrorCode take_last_stage(RungStepper stepper, RungState *to)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;
  const PetscReal   one    = 1;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < family->orders; ++k)
    PetscCall(VecCopy(family->k[k][family->tableau->stages - 1], to->u[k + 1]));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] == 0) PetscCall(RungCombineUnknown(stepper, f, to->u[0], 1, &one, &family->base[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish_rates(RungStepper stepper, RungState *to, PetscBool off, RungVerdict *verdict)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (family->conserved) {
    PetscCall(RungExplicitConservedRates(stepper, to, verdict));
  } else if (family->renews && !off) {
    PetscCall(take_last_stage(stepper, to));
  } else {
    for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecCopy(to->u[k], family->base[k]));
    PetscCall(RungExplicitSolve(stepper, to->t, to->u, verdict));
  }
  family->ended = to->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_explicit(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                       RungVerdict *verdict)
{
  RungExplicit *family = RungStepperGetData(stepper);
  PetscBool     off, leaves, known; /* known: rates of the proposal */

  PetscFunctionBegin;
  family->ended = family->span[0] = NAN;
  family->step                    = h;
  if (!family->checked) PetscCall(RungStageCheckRegular(stepper, from));
  family->checked = PETSC_TRUE;
  PetscCall(keep_matrix(stepper, from, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(first_stage(stepper, from, h));
  if (family->low) PetscCall(RungExplicitLow(stepper, from, h, to, verdict));
  for (PetscInt i = 1; i < family->tableau->stages && verdict->solved && !family->low; ++i)
    PetscCall(stage(stepper, from, h, to, i, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(finish_values(stepper, from, h, to, &off, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(measure(stepper, from, h, to, verdict));
  leaves = family->stiffness == RUNG_STIFFNESS_LEFT ? PETSC_TRUE : PETSC_FALSE;
  known  = !(verdict->error > 1) || (leaves && family->renews && !off && !family->conserved) ? PETSC_TRUE : PETSC_FALSE;
  if (known) PetscCall(finish_rates(stepper, to, off, verdict));
  if (leaves && known && verdict->solved) PetscCall(RungExplicitLimit(stepper, from, to, &verdict->error));
  if (family->low || family->conserved) PetscFunctionReturn(PETSC_SUCCESS);
  family->span[0] = from->t;
  family->span[1] = to->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that the control takes although their error is above 1. */
static PetscErrorCode accept_explicit(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (family->ended != to->t) {
    PetscCall(RungStageConsistent(stepper, family->facts.algebraic, to));
    PetscCall(RungExplicitConservedLevel(stepper, to));
  }
  if (family->stiffness == RUNG_STIFFNESS_LEFT)
    PetscCall(RungExplicitFollow(stepper, from, to, ratio));
  else
    PetscCall(RungExplicitWatch(stepper, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

/* Is the last row of A the weights b, number by number?  c_s = 1 alone does not say so. */
static PetscBool ends_in_last_stage(const RungTableau *tableau)
{
  const PetscInt s = tableau->stages;

  for (PetscInt j = 0; j < s; ++j) {
    if (RungTableauA(tableau, s - 1, j) != tableau->b[j]) return PETSC_FALSE;
  }
  return s > 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* Few unknowns whose mass stands still are left to a Rosenbrock method: the matrix that it wants in each step is cheap there, and it keeps
   its order in what follows data fast, which diagonally implicit stages do not. */
static const char *find_successor(const RungExplicit *family, const RungTraits *traits)
{
  return traits && family->facts.points && !traits->conserved && traits->constant_block[traits->order] ? "rodas5p"
                                                                                                       : "esdirk54";
}

static PetscErrorCode plan_explicit(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  RungExplicit      *family = RungStepperGetData(stepper);
  const RungTableau *all, *tableau;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &family->facts));
  PetscCall(RungExplicitGetAll(&n, &all));
  family->tableau = tableau = &all[family->facts.method];
  family->renews            = ends_in_last_stage(tableau);
  family->more              = RungExplicitFindMore(tableau->name);
  plan->order               = tableau->order;
  plan->exponent            = tableau->bhat ? PetscMin(tableau->order, tableau->embedded) + 1 : 0;
  if (family->more && family->more->bhat) plan->exponent = 8;
  if (plan->exponent && RungTableauHides(family->tableau) > HIDDEN)
    plan->caution = "is good for nothing with tolerances: its estimate hides its errors, which were 40 to 2600 times "
                    "as large as what was "
                    "asked for; take another pair of its order, as heun21";
  plan->growth = 5;
  if (family->more && !family->low) plan->dense = family->more->stages ? 7 : 4;
  plan->matrices = 1;
  if (!family->said) family->stiffness = family->facts.itself ? RUNG_STIFFNESS_LEFT : RUNG_STIFFNESS_IGNORED;
  plan->numbers     = family->more && family->stiffness ? RUNG_EXPLICIT_NUMBERS : 0;
  plan->successor   = family->more && family->stiffness == RUNG_STIFFNESS_LEFT ? find_successor(family, traits) : NULL;
  plan->can         = RUNG_CAN_ORDER1 | RUNG_CAN_ORDER2 | RUNG_CAN_ALGEBRAIC | RUNG_CAN_CONSERVE | RUNG_CAN_VARY_MASS;
  plan->stages      = tableau->stages;
  plan->stage_order = tableau->stage_order;
  plan->limit       = -1;
  plan->index1      = 1;
  plan->citation    = tableau->citation;
  if (family->low) PetscCall(RungExplicitCheckLow(stepper, traits));
  if (!traits) PetscFunctionReturn(PETSC_SUCCESS);
  family->conserved = traits->conserved;
  family->renews    = family->renews && !family->conserved ? PETSC_TRUE : PETSC_FALSE;
  plan->matches     = family->conserved;
  if (family->conserved) plan->dense = 0;
  if (family->facts.algebraic) plan->dense = 1;
  if (family->conserved) plan->can &= ~(unsigned)RUNG_CAN_ALGEBRAIC; /* matched are unknowns with a rate alone */
  plan->work = traits->order * (RungExplicitStages(family) + 3) + 3 + (family->conserved ? tableau->stages + 1 : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries without a rate inside of an unknown that has one: its line has one slope for all entries. */
static PetscErrorCode check_entries(RungStepper stepper)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;
  PetscInt         *order, mixed = -1;

  PetscFunctionBegin;
  if (!family->facts.algebraic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetOrders(family->facts.sys, &order));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    PetscInt start, end;

    PetscCall(RungSystemGetRange(family->facts.sys, f, &start, &end));
    for (PetscInt i = start; i < end && traits->unknown_order[f]; ++i) {
      if (order[i] < traits->unknown_order[f]) mixed = f;
    }
  }
  PetscCall(PetscFree(order));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPIU_INT, MPI_MAX, family->facts.comm));
  PetscCheck(mixed < 0, family->facts.comm, PETSC_ERR_SUP,
             "explicit methods find unknowns with and without a rate together, but not components of one unknown, and "
             "some of unknown "
             "%" PetscInt_FMT
             " have no rate; make these an unknown of their own, or take an implicit method, as esdirk43",
             mixed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_explicit(RungStepper stepper)
{
  RungExplicit *family = RungStepperGetData(stepper);
  Vec          *work;

  PetscFunctionBegin;
  PetscCall(check_entries(stepper));
  family->checked = PETSC_FALSE;
  family->orders  = family->facts.traits->order;
  family->kept    = !family->facts.algebraic && !family->conserved ? PETSC_TRUE : PETSC_FALSE;
  family->alike   = PETSC_TRUE;
  for (PetscInt f = 0; f < family->facts.traits->unknowns; ++f) {
    const PetscInt order = family->facts.traits->unknown_order[f];

    family->kept  = family->kept && family->facts.traits->constant_block[order];
    family->alike = family->alike && order == family->orders;
  }
  family->ended = family->span[0] = family->dense[0] = family->refused[0] = NAN;
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt k = 0; k < family->orders; ++k) {
    for (PetscInt i = 0; i < RungExplicitStages(family); ++i) family->k[k][i] = *work++;
    family->base[k] = *work++;
    family->e[k]    = *work++;
    family->d[k]    = *work++;
  }
  family->w = *work++;
  family->r = *work++;
  family->x = *work++;
  if (!family->orders) family->base[0] = family->x;
  set_line(family);
  if (family->conserved) PetscCall(RungExplicitConservedSetUp(stepper, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reset_explicit(RungStepper stepper)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStageDensityDestroy(&family->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As far as |R| <= 1 in every direction from that of `cosine` to the imaginary axis, which damped oscillations have. */
static PetscReal reach_between(const RungTableau *tableau, PetscReal cosine)
{
  PetscReal reach = RungTableauReach(tableau, 0);

  for (PetscInt i = 1; i <= 8 && cosine < 0; ++i)
    reach = PetscMin(reach, RungTableauReach(tableau, cosine * (PetscReal)i / 8));
  return reach;
}

/* h: no longer than |lambda| h <= reach, where -1 is that no step is stable; 0: nothing bounds it yet */
static void bound_by(PetscReal reach, PetscReal size, PetscReal *h)
{
  if (!(size > 0) || *h < 0) return;
  if (reach <= 0.05)
    *h = -1;
  else
    *h = *h > 0 ? PetscMin(*h, reach / size) : reach / size;
}

/* Unknowns of order 2: lambda^2 + c lambda + w^2 = 0 with c up to C and w up to W, the largest of damping and stiffness.  Where c is real
   |lambda| is w in directions down to -C/(2 W), or as large as C on the axis: at most twice the truth, where one and the same part has both.
   Of other damping, by complex pairs, |lambda| <= C/2 + sqrt(C^2/4 + W^2). */
static PetscErrorCode bound_oscillations(RungStepper stepper, const RungState *level, const Vec work[4], PetscReal *h)
{
  RungExplicit *family = RungStepperGetData(stepper);
  PetscReal     size, damping = 0, cosine, turn = 1;

  PetscFunctionBegin;
  PetscCall(RungStageFastestOf(stepper, level, 2, 0, work, &size, &cosine));
  size = cosine > 0.5 ? 0 : PetscSqrtReal(size);
  if (!family->facts.traits->undamped) PetscCall(RungStageFastestOf(stepper, level, 2, 1, work, &damping, &turn));
  if (turn > 0.5) damping = 0;
  if (damping == 0) {
    bound_by(RungTableauReach(family->tableau, 0), size, h);
  } else if (turn < -0.9) {
    if (size > 0) bound_by(reach_between(family->tableau, -PetscMin(damping / (2 * size), 1)), size, h);
    bound_by(RungTableauReach(family->tableau, -1), damping, h);
  } else {
    bound_by(reach_between(family->tableau, -1), damping / 2 + PetscSqrtReal(damping * damping / 4 + size * size), h);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As far as |R| <= 1 in the direction of the fastest eigenvalue, of unknowns of each order by themselves. */
static PetscErrorCode find_stable(RungStepper stepper, const RungState *level, PetscReal *h)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;
  const Vec         work[] = {family->x, family->w, family->e[0], family->d[0]};
  PetscBool         first  = PETSC_FALSE;
  PetscReal         size, cosine;

  PetscFunctionBegin;
  *h = 0;
  for (PetscInt f = 0; f < traits->unknowns; ++f)
    first = first || traits->unknown_order[f] == 1 ? PETSC_TRUE : PETSC_FALSE;
  if (family->orders == 2) PetscCall(bound_oscillations(stepper, level, work, h));
  if (!first) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageFastestOf(stepper, level, 1, 0, work, &size, &cosine));
  if (cosine <= 0.5) bound_by(RungTableauReach(family->tableau, PetscMin(cosine, 0)), size, h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_explicit(RungStepper stepper)
{
  static const char *const words[] = {"ignore", "tell", "stop", "leave", NULL};
  RungExplicit            *family  = RungStepperGetData(stepper);
  RungStepperFacts         facts;
  PetscInt                 choice;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  choice = (PetscInt)(facts.itself ? RUNG_STIFFNESS_LEFT : RUNG_STIFFNESS_IGNORED);
  PetscCall(RungStepperReadChoice(stepper, "-stepper_stiffness", words, &choice));
  PetscCheck(!choice || RungExplicitFindMore(RungExplicitNames[facts.method]), facts.comm, PETSC_ERR_SUP,
             "-stepper_stiffness of explicit method \"%s\", which has no sign of it; take dopri54 or dop853",
             RungExplicitNames[facts.method]);
  family->stiffness = (RungStiffness)choice;
  family->said      = PETSC_TRUE;
  PetscCall(RungOptionBool(facts.comm, "-stepper_low_storage", NULL, &family->low, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_explicit(RungStepper stepper, PetscViewer viewer)
{
  RungExplicit      *family = RungStepperGetData(stepper);
  RungMethodPlan     plan   = {0};
  const RungTableau *t;

  PetscFunctionBegin;
  PetscCall(plan_explicit(stepper, NULL, &plan));
  t = family->tableau;
  PetscCall(PetscViewerASCIIPrintf(viewer, "tableau %s: %" PetscInt_FMT " stages%s", t->key, t->stages,
                                   family->renews ? ", the last one is the first of the next step" : ""));
  if (t->bhat) PetscCall(PetscViewerASCIIPrintf(viewer, ", embedded order %" PetscInt_FMT, t->embedded));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {
  {"-stepper_stiffness", "explicit, methods dopri54 and dop853: where stability bounds the steps: ignore it, tell, "
                         "stop, or leave, to an implicit one"},
  {"-stepper_low_storage", "explicit, methods heun21, ssp33 and ssp43: two vectors in the place of all stages"},
  {NULL, NULL}};

const RungStepperOps RungExplicitOps = {.methods  = RungExplicitNames,
                                        .options  = options,
                                        .read     = read_explicit,
                                        .between  = RungExplicitBetween,
                                        .stable   = find_stable,
                                        .first    = "dopri54",
                                        .keys     = RungExplicitKeys,
                                        .synonyms = RungExplicitSynonyms,
                                        .aliases  = RungExplicitAliases,
                                        .size     = sizeof(RungExplicit),
                                        .plan     = plan_explicit,
                                        .setup    = set_up_explicit,
                                        .attempt  = attempt_explicit,
                                        .accepted = accept_explicit,
                                        .leave    = RungExplicitLeave,
                                        .view     = view_explicit,
                                        .reset    = reset_explicit};
