/* explicit_more.c - what some explicit Runge-Kutta methods have besides their tableau: polynomials between levels, a second estimate, and a
   sign of stiffness (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 1993, II.6; Hairer and Wanner II, 1996, IV.2).

   Dense output.  With D = u_n+1 - u_n, b = h k_1 - D, r = D - h k_e - b, k_e the rate at the end, and terms q_j = h sum_i D_ji k_i,

       u(theta) = u_n + theta (D + (1 - theta) (b + theta (r + (1 - theta) (q_1 + theta (q_2 + (1 - theta) (q_3 + theta q_4)))))),

   of order 4 (dopri54) and 7 (dop853, with three more stages, made for steps that have outputs alone).

   Second estimate of dop853: errors E of order 5 and e of order 3 give  E^2/sqrt(E^2 + e^2/100),  which is O(h^8).

   Stiffness.  Between the new level and a stage with c = 1 the slope is L = |k' - k|/|u' - u|.  Where h L is beyond the method's
   reach for 15 steps, without 6 others among them, stability bounds the steps.  Told is the time when that began. */
#include "explicit_impl.h"

#include <string.h>

#define ROW(...)                                                                                                       \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define RUNG_MORE(symbol, name, row, reach, stages, c, a, D, bhat)                                                     \
  static const PetscReal symbol##_c[] = c, symbol##_a[] = a, symbol##_D[] = D, symbol##_bhat[] = bhat;
#include "explicit_more.def"
#undef RUNG_MORE
#define RUNG_MORE(symbol, name, row, reach, stages, c, a, D, bhat)                                                     \
  {name,                                                                                                               \
   row,                                                                                                                \
   reach,                                                                                                              \
   stages,                                                                                                             \
   symbol##_c,                                                                                                         \
   symbol##_a,                                                                                                         \
   symbol##_D,                                                                                                         \
   PETSC_STATIC_ARRAY_LENGTH(symbol##_bhat) > 1 ? symbol##_bhat : NULL,                                                \
   (stages) ? 4 : 1},
static const RungExplicitMore table[] = {
#include "explicit_more.def"
};
#undef RUNG_MORE
#undef ROW

const RungExplicitMore *RungExplicitFindMore(const char name[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(table); ++i)
    if (!strcmp(table[i].name, name)) return &table[i];
  return NULL;
}

/* Those of dense output follow the rate at the end, which the last stage of some methods is. */
PetscInt RungExplicitStages(const RungExplicit *family)
{
  const PetscInt s = family->low ? 1 : family->tableau->stages;

  return family->more && family->more->stages ? s + 1 + family->more->stages : s;
}

/* ---- between levels ------------------------------------------------------------------------------------------------ */

/* The stages of dense output, once for each step; *made: they are there. */
static PetscErrorCode make_stages(RungStepper stepper, const RungState *from, const RungState *to, PetscBool *made)
{
  RungExplicit           *family = RungStepperGetData(stepper);
  const RungExplicitMore *more   = family->more;
  const PetscReal         h = to->t - from->t, *row = more->a;
  const PetscInt          first   = family->tableau->stages;
  RungVerdict             verdict = {.solved = PETSC_TRUE};

  PetscFunctionBegin;
  *made = PETSC_TRUE;
  if (!more->stages || (family->dense[0] == from->t && family->dense[1] == to->t)) PetscFunctionReturn(PETSC_SUCCESS);
  family->step = h;
  for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecCopy(to->u[k + 1], family->k[k][first]));
  for (PetscInt j = 0; j < more->stages && verdict.solved; ++j) {
    const PetscInt n                     = first + 1 + j;
    const Vec      u[RUNG_MAX_ORDER + 1] = {family->base[0], family->k[0][n], family->k[1][n]};

    for (PetscInt k = 0; k < family->orders; ++k)
      PetscCall(RungStageAdvance(from->u[k], h, n, row, family->k[k], family->base[k]));
    PetscCall(RungExplicitSolve(stepper, from->t + more->c[j] * h, u, &verdict));
    row += n;
  }
  *made            = verdict.solved;
  family->dense[0] = *made ? from->t : NAN;
  family->dense[1] = to->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* weight[i] with u(theta) = u_n + h sum_i weight[i] k_i, rate[i] with u'(theta) = sum_i rate[i] k_i */
static void set_weights(const RungExplicit *family, PetscReal theta, PetscReal weight[], PetscReal rate[])
{
  const RungExplicitMore *more = family->more;
  const PetscInt          n = RungExplicitStages(family), s = family->tableau->stages, end = more->stages ? s : s - 1;
  const PetscReal         back = 1 - theta;

  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal b = i < s ? family->tableau->b[i] : 0, start = i == 0 ? 1 : 0, last = i == end ? 1 : 0;
    PetscReal       p = 0, q = 0; /* a polynomial, from the inside out, and its derivative */

    for (PetscInt j = more->terms - 1; j >= 0; --j) {
      q = j % 2 ? back * q - p : theta * q + p;
      p = more->D[j * n + i] + (j % 2 ? back : theta) * p;
    }
    q         = back * q - p;
    p         = 2 * b - start - last + back * p;
    q         = theta * q + p;
    p         = start - b + theta * p;
    q         = back * q - p;
    p         = b + back * p;
    weight[i] = theta * p;
    rate[i]   = theta * q + p;
  }
}

PetscErrorCode RungExplicitBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                                   PetscInt k, Vec u)
{
  RungExplicit     *family = RungStepperGetData(stepper);
  const RungTraits *traits = family->facts.traits;
  const PetscReal   one    = 1;
  PetscReal         weight[RUNG_MAX_STAGES], rate[RUNG_MAX_STAGES];
  PetscBool         made;

  PetscFunctionBegin;
  PetscCall(RungStepperHermite(stepper, from, to, theta, k, u));
  if (!family->more || family->span[0] != from->t || family->span[1] != to->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_stages(stepper, from, to, &made));
  if (!made) PetscFunctionReturn(PETSC_SUCCESS);
  set_weights(family, theta, weight, rate);
  if (k < family->orders)
    PetscCall(
      RungStageAdvance(from->u[k], to->t - from->t, RungExplicitStages(family), weight, family->k[k], family->e[0]));
  for (PetscInt f = 0; f < traits->unknowns && k < family->orders; ++f)
    if (traits->unknown_order[f] > k) PetscCall(RungCombineUnknown(stepper, f, u, 1, &one, family->e));
  if (k) PetscCall(RungCombine(family->e[0], RungExplicitStages(family), rate, family->k[k - 1]));
  for (PetscInt f = 0; f < traits->unknowns && k; ++f)
    if (traits->unknown_order[f] == k) PetscCall(RungCombineUnknown(stepper, f, u, 1, &one, family->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the second estimate -------------------------------------------------------------------------------------------- */

PetscErrorCode RungExplicitSecond(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                                  PetscReal *error)
{
  RungExplicit   *family = RungStepperGetData(stepper);
  const PetscReal fifth  = *error;
  PetscReal       weight[RUNG_MAX_STAGES], third;

  PetscFunctionBegin;
  if (!family->more || !family->more->bhat) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < family->tableau->stages; ++i)
    weight[i] = h * (family->tableau->b[i] - family->more->bhat[i]);
  for (PetscInt k = 0; k < family->orders; ++k)
    PetscCall(RungCombine(family->e[k], family->tableau->stages, weight, family->k[k]));
  PetscCall(RungStepperMeasure(stepper, (Vec[]){family->e[0], family->orders == 2 ? family->e[1] : NULL}, NULL, from,
                               to, &third));
  if (fifth > 0) *error = fifth * (fifth / PetscSqrtReal(fifth * fifth + 0.01 * third * third));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- stiffness ------------------------------------------------------------------------------------------------------ */

#define YES 15 /* steps beyond the reach          */
#define NO  6  /* others that make them forgotten */

enum { BEYOND, WITHIN, SINCE, ERROR, SLOPE };

/* y += |free entries of to - from|^2 */
static PetscErrorCode add_square(RungStepper stepper, Vec a, Vec b, PetscReal *y)
{
  RungExplicit *family = RungStepperGetData(stepper);
  Vec           mask;
  PetscReal     norm;

  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(family->facts.sys, &mask));
  PetscCall(VecWAXPY(family->w, -1, b, a));
  PetscCall(VecPointwiseMult(family->w, family->w, mask));
  PetscCall(VecNorm(family->w, NORM_2, &norm));
  *y += norm * norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h L between the new level and the stage; 0 where both are the same to rounding */
static PetscErrorCode find_slope(RungStepper stepper, const RungState *from, const RungState *to, PetscReal *slope)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;
  const PetscInt     row     = family->more->row;
  const PetscReal    h       = to->t - from->t;
  PetscReal          rates = 0, values = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < family->orders; ++k) {
    PetscCall(RungStageAdvance(from->u[k], h, row, tableau->a + row * (row + 1) / 2, family->k[k], family->base[0]));
    PetscCall(add_square(stepper, to->u[k], family->base[0], &values));
    PetscCall(add_square(stepper, to->u[k + 1], family->k[k][row], &rates));
  }
  *slope = values > PETSC_MACHINE_EPSILON ? h * PetscSqrtReal(rates / values) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitWatch(RungStepper stepper, const RungState *from, RungState *to)
{
  RungExplicit *family = RungStepperGetData(stepper);
  PetscReal     slope, *number = to->number;

  PetscFunctionBegin;
  if (!family->more || family->stiffness == RUNG_STIFFNESS_IGNORED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(number, from->number, RUNG_EXPLICIT_NUMBERS));
  PetscCall(find_slope(stepper, from, to, &slope));
  if (slope > family->more->reach) {
    number[WITHIN] = 0;
    if (++number[BEYOND] == 1) number[SINCE] = from->t;
    if (number[BEYOND] != YES) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCheck(
      family->stiffness != RUNG_STIFFNESS_STOPS, family->facts.comm, PETSC_ERR_NOT_CONVERGED,
      "stiff since t = %g: stability bounds the steps of explicit methods there, with h |dF/du| = %g; take an implicit "
      "method, as esdirk43, or -stepper_stiffness tell",
      (double)number[SINCE], (double)slope);
    PetscCall(
      RungStepperTell(stepper,
                      "stiff since t = %g: stability bounds the steps, with h |dF/du| = %g; an implicit method, as "
                      "esdirk43, takes longer ones",
                      (double)number[SINCE], (double)slope));
  } else if (++number[WITHIN] == NO) {
    number[BEYOND] = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- leaving -------------------------------------------------------------------------------------------------------- */

#define KEPT   0.8  /* of the reach: where steps are kept                                                         */
#define NEARLY 0.3  /* of it: shorter steps are not bounded by it                                                 */
#define COST   3    /* steps that one of the implicit method is worth                                              */
#define ENOUGH 5    /* steps that would have been spared: what it costs to go over                                 */
#define MEMORY 0.9  /* of the slope, from step to step: differences of slow parts hide it now and then             */
#define PART   1e-3 /* of h^5 u^(5): the estimate                                                                  */
#define CALM   1e-8 /* an error that a step ten times as long would not have made too large, but that it was unstable */

/* h L between the new level and the stage, in the norm of errors: in which unit something stiff is does not matter */
static PetscErrorCode find_weighted_slope(RungStepper stepper, const RungState *from, const RungState *to,
                                          PetscReal *slope)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;
  const PetscInt     row     = family->more->row;
  const PetscReal    h       = to->t - from->t;
  const Vec          x[2]    = {family->base[0], family->base[1]};
  PetscReal          values, rates;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < family->orders; ++k) {
    PetscCall(RungStageAdvance(from->u[k], h, row, tableau->a + row * (row + 1) / 2, family->k[k], x[k]));
    PetscCall(VecAXPY(x[k], -1, to->u[k]));
  }
  PetscCall(RungStepperSize(stepper, x, &values));
  for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecWAXPY(x[k], -1, to->u[k + 1], family->k[k][row]));
  PetscCall(RungStepperSize(stepper, x, &rates));
  *slope = values > 0 && rates < PETSC_INFINITY ? h * rates / values : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that stability bounds and nobody holds back make errors as large as the tolerances let them be, in all that is fast: with loose
   ones a fast unknown can be led out of where its equation has solutions.  Steps within what is stable do not.  What rests in balance has no
   differences that tell of stiffness; longer steps, in which rounding grew until they were refused, do. */
PetscErrorCode RungExplicitLimit(RungStepper stepper, const RungState *from, RungState *to, PetscReal *error)
{
  RungExplicit   *family = RungStepperGetData(stepper);
  const PetscReal reach = family->more->reach, h = to->t - from->t;
  PetscReal       slope;

  PetscFunctionBegin;
  PetscCall(find_weighted_slope(stepper, from, to, &slope));
  if (*error > 1 && slope > reach) {
    family->refused[0] = from->t;
    family->refused[1] = slope / h;
  }
  if (*error > 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (*error < CALM && family->refused[0] == from->t) slope = PetscMax(slope, h * family->refused[1]);
  to->number[ERROR] = *error;
  to->number[SLOPE] = PetscMax(slope / h, MEMORY * from->number[SLOPE]);
  if (slope > reach) *error = PetscPowReal(slope / reach, (PetscReal)(family->tableau->embedded + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many times as long a step with as smooth a solution might be.  h |u'| and its change over the step, h |u''| h, tell the time T in
   which u moves, and error H^5 |u'|/T^4 what an estimate of order 5 would be of that.  Where stability bounds the steps, stages differ by more:
   what is fast and follows data leaves an error that does not fall as h^5, which implicit methods do not have. */
static PetscErrorCode find_smooth(RungStepper stepper, PetscReal h, const RungState *from, const RungState *to,
                                  PetscReal *longer)
{
  RungExplicit *family = RungStepperGetData(stepper);
  const Vec     x[2]   = {family->base[0], family->base[1]};
  PetscReal     first, second;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecAXPBY(x[k], h, 0, from->u[k + 1]));
  PetscCall(RungStepperSize(stepper, x, &first));
  for (PetscInt k = 0; k < family->orders; ++k) PetscCall(VecAXPBYPCZ(x[k], h, -h, 0, to->u[k + 1], from->u[k + 1]));
  PetscCall(RungStepperSize(stepper, x, &second));
  *longer = first > 0 && second > 0 ? PetscPowReal(PART * first * PetscPowReal(second / first, 4), -0.2) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An implicit method takes steps that its error or the solution let be so many times as long as is stable, each for the price of COST: what
   it would have spared adds up. */
PetscErrorCode RungExplicitFollow(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  RungExplicit   *family = RungStepperGetData(stepper);
  const PetscReal h = to->t - from->t, reach = family->more->reach, slope = h * to->number[SLOPE];
  const PetscReal error = PetscMax(to->number[ERROR], 1e-10), stable = KEPT * reach / slope;
  PetscReal       longer, smooth, spared = -1;

  PetscFunctionBegin;
  to->number[BEYOND] = from->number[BEYOND];
  if (!(slope > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  *ratio = -stable;
  if (slope >= NEARLY * reach) {
    PetscCall(find_smooth(stepper, h, from, to, &smooth));
    longer = PetscMax(smooth, PetscPowReal(error, -1 / (PetscReal)(family->tableau->embedded + 1))) / stable;
    spared = 1 - COST / PetscMax(longer, 1);
  }
  to->number[BEYOND] = PetscMax(0, from->number[BEYOND] + PetscMax(spared, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitLeave(RungStepper stepper, const RungState *level, PetscBool *leaves)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  *leaves = family->stiffness == RUNG_STIFFNESS_LEFT && level->number[BEYOND] >= ENOUGH ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
