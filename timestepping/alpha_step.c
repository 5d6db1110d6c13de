/* alpha_step.c - steps of Newmark, HHT, WBZ, generalized-alpha and JWH.  Weights are those of the new level.

   Order 2.  The carried a follows Newmark's rule, w = u_n+1:

       a_n+1 = (z - h v_n)/(beta h^2) - (1/(2 beta) - 1) a_n,   z = w - u_n,   v_n+1 = v_n + h ((1 - gamma) a_n + gamma a_n+1)

   Endpoint form:  F(t_n+1, u_n+1, v_n+1, u''_n+1) = 0 with  alpha_f u''_n+1 + (1 - alpha_f) u''_n = alpha_m a_n+1 + (1 - alpha_m) a_n.
   Blended form:   F(t_n + alpha_f h, u_f, v_f, a_m) = 0,  x_f = x_n + alpha_f (x_n+1 - x_n).
   They agree on linear problems; the endpoint form has algebraic unknowns and boundary data where they belong.

   Order 1.  d in the place of a:  d_n+1 = z/(gamma h) - (1 - gamma)/gamma d_n,  z = w - u_n,  and u' in the place of u''.

   a_n approximates u'' at t_n + Delta h, Delta = alpha_f - alpha_m; when the step changes it is moved there,
   a_n + Delta (h_new - h_old) s_n with the slope s_n = (a_n - a_n-1)/h_old of the values that the last step worked with.
   The start has a_0 = u''(t_0), d_0 = u'(t_0).  Carried: a and s.

   With gamma = 1/2 (rho_inf = 1, Delta = 0) an initial error of a multiplier would alternate for ever, as the carried
   rates follow (1 - gamma) a_n + gamma a_n+1 there.  So with algebraic entries the first 2 steps (3 at order 2) are taken
   with rho_inf = 0, which forgets it, and the rate that the last of them ends with, of order 2, is what is carried on. */
#include "alpha_impl.h"

#include <string.h>

/* rate^(k) = slope[k] z + base[k] . (u, u', carried, highest rate) of level n; `carried` is a_n+1 or d_n+1; z as above */
typedef struct {
  PetscReal slope[RUNG_MAX_ORDER + 1], base[RUNG_MAX_ORDER + 1][4];
  PetscReal carried_slope, carried[4];
} Coefficients;

/* y += a x */
static void add(PetscReal y[4], PetscReal a, const PetscReal x[4])
{
  for (PetscInt j = 0; j < 4; ++j) y[j] += a * x[j];
}

/* The rate of the endpoint form: (m c_n+1 + (1 - m) c_n - (1 - f) r_n)/f, c carried, r the rate itself. */
static void set_endpoint(const RungAlphaWeights *w, PetscInt order, Coefficients *c)
{
  c->slope[order] = w->m / w->f * c->carried_slope;
  add(c->base[order], w->m / w->f, c->carried);
  c->base[order][2] += (1 - w->m) / w->f;
  c->base[order][3] -= (1 - w->f) / w->f;
}

/* In the blended form every level is moved to its place in the step: x = (1 - f) x_n + f x_n+1. */
static void blend(const RungAlphaWeights *w, PetscInt order, Coefficients *c)
{
  c->slope[0]   = w->f;
  c->base[0][0] = 1;
  for (PetscInt k = 1; k < order; ++k) {
    c->slope[k] *= w->f;
    for (PetscInt j = 0; j < 4; ++j) c->base[k][j] *= w->f;
    c->base[k][k] += 1 - w->f;
  }
  c->slope[order] = w->m * c->carried_slope;
  add(c->base[order], w->m, c->carried);
  c->base[order][2] += 1 - w->m;
}

/* Lines of an unknown of this order; order 0: its value alone. */
static void set_coefficients(const RungAlphaWeights *w, PetscInt order, PetscReal h, PetscBool blended, Coefficients *c)
{
  memset(c, 0, sizeof *c);
  c->slope[0]   = 1;
  c->base[0][0] = 1;
  if (order == 0) return;
  if (order == 2) {
    c->carried_slope = 1 / (w->beta * h * h);
    c->carried[1]    = -c->carried_slope * h;
    c->carried[2]    = 1 - 1 / (2 * w->beta);
    c->slope[1]      = h * w->gamma * c->carried_slope;
    add(c->base[1], h * w->gamma, c->carried);
    add(c->base[1], 1, (PetscReal[]){0, 1, h * (1 - w->gamma), 0});
  } else {
    c->carried_slope = 1 / (w->gamma * h);
    c->carried[2]    = 1 - 1 / w->gamma;
  }
  if (blended)
    blend(w, order, c);
  else
    set_endpoint(w, order, c);
}

/* What is known of level n for an unknown of this order: (u, u', carried, highest rate). */
static void known_vectors(const RungState *from, Vec carried, PetscInt order, Vec x[4])
{
  x[0] = from->u[0];
  x[1] = from->u[1];
  x[2] = carried;
  x[3] = from->u[PetscMax(1, order)];
}

static PetscErrorCode combine_all(RungStepper stepper, const RungAlphaWeights weights[], PetscReal h,
                                  const RungState *from, Vec carried, RungLine *line)
{
  RungAlpha     *alpha = RungStepperGetData(stepper);
  const PetscInt n     = alpha->facts.traits->unknowns;

  PetscFunctionBegin;
  memset(line, 0, sizeof *line);
  for (PetscInt f = 0; f < n; ++f) {
    const PetscInt order = PetscMax(0, alpha->facts.traits->unknown_order[f]);
    Coefficients   c;
    Vec            x[4];

    set_coefficients(&weights[order], order, h, alpha->blended, &c);
    known_vectors(from, carried, order, x);
    PetscCall(RungCombineUnknown(stepper, f, alpha->move, 1, (PetscReal[]){order == 2 ? h : 0}, &x[1]));
    for (PetscInt k = 0; k <= alpha->facts.traits->order; ++k) {
      line->slope[k * n + f] = c.slope[k];
      if (k || alpha->blended) PetscCall(RungCombineUnknown(stepper, f, alpha->base[k], 4, c.base[k], x));
    }
  }
  line->origin    = alpha->origin;
  line->increment = alpha->z;
  for (PetscInt k = 0; k <= alpha->facts.traits->order; ++k)
    line->base[k] = k || alpha->blended ? alpha->base[k] : alpha->origin;
  PetscCall(VecCopy(from->u[0], alpha->origin));
  if (alpha->facts.traits->order == 2) PetscCall(RungLineMove(stepper, line, alpha->move));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_n moved to where a step of size h wants it: y = a_n + Delta (h - h_old) da/dt; y = a_n for the same size. */
static PetscErrorCode shift(RungStepper stepper, const RungState *from, const RungState *before, PetscReal h,
                            const Vec carried[2], Vec y)
{
  RungAlpha      *alpha = RungStepperGetData(stepper);
  const PetscReal more  = h - (from->t - before->t);

  PetscFunctionBegin;
  PetscCall(VecCopy(carried[0], y));
  if (PetscAbsReal(more) <= 1e-9 * h) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < alpha->facts.traits->unknowns; ++f) {
    const RungAlphaWeights *w = &alpha->weights[PetscMax(0, alpha->facts.traits->unknown_order[f])];

    PetscCall(RungCombineUnknown(stepper, f, y, 2, (PetscReal[]){1, (w->f - w->m) * more}, carried));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dm/dt = slope m + load by the rule of u' at order 1. */
static PetscErrorCode set_load(RungStepper stepper, const RungAlphaWeights weights[], PetscReal h,
                               const RungState *from, Vec carried_m)
{
  RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!alpha->load) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < alpha->facts.traits->unknowns; ++f) {
    const PetscInt order = PetscMax(0, alpha->facts.traits->unknown_order[f]);
    Coefficients   c;

    set_coefficients(&weights[1], 1, h, PETSC_FALSE, &c);
    c.base[1][0] = -c.slope[1]; /* of m itself */
    if (!order) memset(c.base[1], 0, sizeof c.base[1]);
    PetscCall(RungCombineUnknown(stepper, f, alpha->load, 4, c.base[1],
                                 (Vec[]){from->m[0], from->m[1], carried_m, from->m[1]}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new level from z: rates, carried vectors; in the blended form u' and u'' of the level, not of the place inside. */
static PetscErrorCode fill_level(RungStepper stepper, const RungAlphaWeights weights[], PetscReal h,
                                 const RungState *from, Vec carried, RungState *to)
{
  RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < alpha->facts.traits->unknowns; ++f) {
    const PetscInt          order = PetscMax(0, alpha->facts.traits->unknown_order[f]);
    const RungAlphaWeights *w     = &weights[order];
    Coefficients            c;
    Vec                     x[5];

    set_coefficients(w, order, h, PETSC_FALSE, &c);
    known_vectors(from, carried, order, x);
    x[4] = alpha->z;
    PetscCall(RungCombineUnknown(stepper, f, to->carry[0], 5,
                                 (PetscReal[]){c.carried[0], c.carried[1], c.carried[2], c.carried[3], c.carried_slope},
                                 x));
    for (PetscInt k = 1; k <= alpha->facts.traits->order; ++k) {
      const PetscReal delta = w->f - w->m; /* u''(t) = a - Delta (a - a_n) to first order */

      if (alpha->blended && k == order) {
        PetscCall(
          RungCombineUnknown(stepper, f, to->u[k], 2, (PetscReal[]){1 - delta, delta}, (Vec[]){to->carry[0], carried}));
      } else {
        const PetscReal *b = c.base[k];

        PetscCall(RungCombineUnknown(stepper, f, to->u[k], 5, (PetscReal[]){b[0], b[1], b[2], b[3], c.slope[k]}, x));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_conserved(RungStepper stepper, const RungAlphaWeights weights[], PetscReal h,
                                     const RungState *from, Vec carried_m, RungState *to)
{
  RungAlpha              *alpha = RungStepperGetData(stepper);
  const RungAlphaWeights *w     = &weights[1];
  const PetscReal         s     = 1 / (w->gamma * h);

  PetscFunctionBegin;
  if (!alpha->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(alpha->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(
    RungCombine(to->carry_m[0], 3, (PetscReal[]){s, -s, 1 - 1 / w->gamma}, (Vec[]){to->m[0], from->m[0], carried_m}));
  PetscCall(RungCombine(to->m[1], 2, (PetscReal[]){w->m / w->f * s, 1}, (Vec[]){to->m[0], alpha->load}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- estimate --------------------------------------------------------------------------------------------------- */

/* Leading error of the principal root, (rho^2 - rho + 1)/(3 (1 + rho)^2) for both families. */
static PetscReal third_order_constant(const RungAlphaWeights *w, PetscInt order)
{
  const PetscReal delta = (order == 1 ? 2 : 1) * (w->f - w->m);

  return 1.0 / 12 + delta * delta / 4;
}

/* e = c h^3 x''' with x''' = 2 (s1 - s0)/(h + h_old), s the slopes of the carried rates in the last two steps; the first
   two steps know one slope only and take c h (a1 - a0), which is too large by a power of h. */
static PetscErrorCode third_difference(RungStepper stepper, PetscInt f, PetscReal c, PetscReal h, const RungState *from,
                                       const RungState *before, Vec carried, const RungState *to, Vec e)
{
  PetscFunctionBegin;
  if (before) {
    const PetscReal s = 2 * c * h * h * h / (to->t - before->t);

    PetscCall(RungCombineUnknown(stepper, f, e, 2, (PetscReal[]){s, -s}, (Vec[]){to->carry[1], from->carry[1]}));
  } else {
    PetscCall(RungCombineUnknown(stepper, f, e, 2, (PetscReal[]){c * h, -c * h}, (Vec[]){to->carry[0], carried}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order 2: e_u = (beta + Delta/2 - 1/6) h^2 (a1 - a0) (Zienkiewicz and Xie 1991, with Delta), e_v = C h^3 v''', or
   (gamma + Delta - 1/2) h (a1 - a0) where that does not vanish.  Order 1: e_u = C h^3 u'''. */
static PetscErrorCode estimate(RungStepper stepper, const RungState *from, const RungState *before, PetscReal h,
                               Vec carried, RungState *to, RungVerdict *verdict)
{
  RungAlpha *alpha    = RungStepperGetData(stepper);
  const Vec  rates[2] = {to->carry[0], carried};

  PetscFunctionBegin;
  if (!alpha->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < alpha->facts.traits->unknowns; ++f) {
    const PetscInt          order = alpha->facts.traits->unknown_order[f];
    const RungAlphaWeights *w     = &alpha->weights[PetscMax(0, order)];
    const PetscReal         C = third_order_constant(w, order), delta = w->f - w->m;
    const PetscReal         cu = (w->beta + delta / 2 - 1.0 / 6) * h * h, cv = (w->gamma + delta - 0.5) * h;

    for (PetscInt k = 0; k < 2 && alpha->e[k]; ++k)
      PetscCall(RungCombineUnknown(stepper, f, alpha->e[k], 0, NULL, NULL));
    if (order == 1) PetscCall(third_difference(stepper, f, C, h, from, before, carried, to, alpha->e[0]));
    if (order != 2) continue;
    PetscCall(RungCombineUnknown(stepper, f, alpha->e[0], 2, (PetscReal[]){cu, -cu}, rates));
    if (alpha->order == 1)
      PetscCall(RungCombineUnknown(stepper, f, alpha->e[1], 2, (PetscReal[]){cv, -cv}, rates));
    else
      PetscCall(third_difference(stepper, f, C, h, from, before, carried, to, alpha->e[1]));
  }
  PetscCall(RungStepperMeasure(stepper, alpha->e, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- attempt ---------------------------------------------------------------------------------------------------- */

/* The first level carries its own rates; they are not in its carry[], which only this file fills. */
static PetscErrorCode carried_start(RungStepper stepper, const RungState *from, Vec y)
{
  const RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < alpha->facts.traits->unknowns; ++f) {
    const PetscInt order = PetscMax(0, alpha->facts.traits->unknown_order[f]);

    PetscCall(RungCombineUnknown(stepper, f, y, order ? 1 : 0, (PetscReal[]){1}, &from->u[order]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungAlphaDampedSteps(const RungAlpha *alpha)
{
  const PetscInt order = alpha->facts.traits->order;

  return alpha->facts.algebraic && alpha->weights[order].gamma == 0.5 ? order + 1 : 0;
}

/* Rates of entries with data are those of the data at t: w is g(t) there, base_k becomes g^(k) - slope_k z.  By the rule of the
   method they would follow differences of g, whose errors never die out and grow with 1/h where steps become shorter. */
static PetscErrorCode take_data_rates(RungStepper stepper, PetscReal t, const RungLine *line)
{
  RungAlpha     *alpha = RungStepperGetData(stepper);
  const PetscInt n     = alpha->facts.traits->unknowns;

  PetscFunctionBegin;
  if (!alpha->facts.dirichlet || alpha->blended) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k <= alpha->facts.traits->order; ++k) {
    for (PetscInt f = 0; f < n; ++f) {
      PetscCall(RungCombineUnknown(stepper, f, alpha->rate, 2, (PetscReal[]){line->slope[k * n + f], 1},
                                   (Vec[]){alpha->z, alpha->base[k]}));
    }
    PetscCall(VecCopy(alpha->rate, alpha->given));
    PetscCall(RungSystemImposeDirichlet(alpha->facts.sys, t, k, alpha->given));
    PetscCall(VecAXPY(alpha->given, -1, alpha->rate));
    PetscCall(VecAXPY(alpha->base[k], 1, alpha->given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of the new level, and of what is carried from it. */
static PetscErrorCode give_data_rates(RungStepper stepper, RungState *to)
{
  const RungAlpha *alpha = RungStepperGetData(stepper);
  const PetscInt   order = alpha->facts.traits->order;

  PetscFunctionBegin;
  if (!alpha->facts.dirichlet || alpha->blended) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k <= order; ++k) PetscCall(RungSystemImposeDirichlet(alpha->facts.sys, to->t, k, to->u[k]));
  PetscCall(RungSystemImposeDirichlet(alpha->facts.sys, to->t, order, to->carry[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_step(RungStepper stepper, const RungAlphaWeights weights[], const RungState *from,
                                 PetscReal h, RungState *to, RungVerdict *verdict)
{
  RungAlpha *alpha = RungStepperGetData(stepper);
  RungLine   line;
  PetscReal  t = alpha->blended ? from->t + weights[alpha->facts.traits->order].f * h : to->t;

  PetscFunctionBegin;
  PetscCall(combine_all(stepper, weights, h, from, alpha->shifted, &line));
  PetscCall(set_load(stepper, weights, h, from, alpha->shifted_m));
  PetscCall(VecCopy(from->u[0], to->u[0]));
  if (alpha->facts.traits->order == 2)
    PetscCall(VecMAXPY(to->u[0], 2, (PetscScalar[]){h, h * h / 2}, (Vec *)&from->u[1]));
  PetscCall(RungStagePredict(stepper, to->t, to->u[0]));
  PetscCall(VecWAXPY(alpha->z, -1, alpha->origin, to->u[0]));
  PetscCall(take_data_rates(stepper, to->t, &line));
  PetscCall(RungStageSolve(stepper, t, &line, alpha->load, to->u[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  if (alpha->facts.traits->order == 2) PetscCall(VecAXPY(alpha->z, 1, alpha->move));
  PetscCall(fill_level(stepper, weights, h, from, alpha->shifted, to));
  PetscCall(give_data_rates(stepper, to));
  PetscCall(fill_conserved(stepper, weights, h, from, alpha->shifted_m, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slopes of the carried rates.  Those of the first step are not known: its two rates are not one step apart. */
static PetscErrorCode set_slopes(RungStepper stepper, PetscReal h, const RungState *before, RungState *to)
{
  RungAlpha      *alpha = RungStepperGetData(stepper);
  const PetscReal c[2]  = {before ? 1 / h : 0, before ? -1 / h : 0};

  PetscFunctionBegin;
  PetscCall(RungCombine(to->carry[1], 2, c, (Vec[]){to->carry[0], alpha->shifted}));
  if (alpha->load) PetscCall(RungCombine(to->carry_m[1], 2, c, (Vec[]){to->carry_m[0], alpha->shifted_m}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The carried rates of level n as this step wants them, in alpha->shifted. */
static PetscErrorCode take_rates(RungStepper stepper, const RungState *from, const RungState *before, PetscReal h)
{
  RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (before) {
    PetscCall(shift(stepper, from, before, h, from->carry, alpha->shifted));
    if (alpha->load) PetscCall(shift(stepper, from, before, h, from->carry_m, alpha->shifted_m));
  } else {
    PetscCall(carried_start(stepper, from, alpha->shifted));
    if (alpha->load) PetscCall(VecCopy(from->m[1], alpha->shifted_m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungAlphaAttempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                RungVerdict *verdict)
{
  RungAlpha       *alpha  = RungStepperGetData(stepper);
  const RungState *before = NULL;
  PetscInt         levels, last = RungAlphaDampedSteps(alpha);

  PetscFunctionBegin;
  PetscCall(RungStepperGetLevels(stepper, &levels));
  if (levels > 1) PetscCall(RungStepperGetState(stepper, 1, &before));
  PetscCall(take_rates(stepper, from, before, h));
  PetscCall(solve_step(stepper, levels <= last ? alpha->damped : alpha->weights, from, h, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_slopes(stepper, h, before, to));
  if (levels == last) {
    PetscCall(carried_start(stepper, to, to->carry[0]));
    if (alpha->load) PetscCall(VecCopy(to->m[1], to->carry_m[0]));
  }
  PetscCall(estimate(stepper, from, levels > 2 ? before : NULL, h, alpha->shifted, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
