/* dirk.c - diagonally implicit Runge-Kutta methods by tableau (c, A, b, b^), for systems of order 1 and 2 in time.

   Stage i has the unknown w = u_i.  With  s = 1/(h a_ii)  and what is known,  p = u_n + h sum_j<i a_ij k_j,

       k_i = s (w - p),                                                      slope_1 = s,   origin = p,

   and at order 2 the same once more on v = k:  q = v_n + h sum_j<i a_ij l_j,

       l_i = s (k_i - q),                                                    slope_2 = s^2, base_2 = -s q,

   where h q < p from the origin p + q/s, with base_1 = q and base_2 = 0: over small steps q is most of w - p, and s^2 that of s q.

   Conserved terms have their own k:  K_i = s (m(u_i) - m_n - h sum_j<i a_ij K_j),  through the load.
   An explicit first stage takes k_1 = u'_n (and l_1 = u''_n, K_1 = dm/dt) from the level: those are the last stage's, at
   bounds those of the bound, or consistent ones.  The end of the step is the stage whose row of A is b, or u_n + h sum_i b_i k_i with consistent rates.

   Boundary data: k_b = g'(t_i) in the stages (l_b = g''(t_i) at order 2), u_b = g(t_n+1) reset at the end; values of g
   imposed on the stages would cost whole orders.  Algebraic entries have no k that means anything: their stage values
   follow from F, whatever k_1 holds, and on the boundary they are g(t_i).  Of conserved terms dt(q(u))*v the boundary values of
   stages follow from the rate of q (stage_density.c).

   Boundary data whose rates the stages did not see enough of, a step or a fast ramp, leave a defect between where the stages
   led to and g(t_n+1): it is tested beside the estimate.  What rises and falls between two stages is not seen.

   Estimate e = h sum_i (b_i - b^_i) k_i, and with l_i for v; where b^ is not bounded at infinity or of higher order than
   b it is filtered, (M + h a K)^-1 M e, with the matrix of the last stage (Hosea and Shampine 1996).
   So it is with conserved terms, from E = h sum_i (b_i - b^_i) K_i: the k_i of u are differences of stage values there, no rates.  With
   d = A c^2 - c^3/3 the value of a stage is  u(t_i) + h^3/2 d_i m"'/m_u,  and  h sum_i (b_i - b^_i) k_i  would be
   h^3/2 (b - b^)^T A^-1 d (m"'/m_u - u"'),  0 where m is linear; (b - b^)^T A^-1 d is -0.029 for esdirk54, 0.0023 for esdirk43. */
#include "dirk_impl.h"

#include <stdio.h>
#include <string.h>

#define SHORT 1e-6 /* |z| against |w| */

/* ---- one stage -------------------------------------------------------------------------------------------------- */

/* The line of order 2 from the origin p, and from p + q/s where that is as good. */
static PetscErrorCode extrapolate(RungStepper stepper, PetscReal s, RungLine *line)
{
  const RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= 2; ++k) line->base[k] = dirk->base[k];
  line->origin = line->base[0];
  PetscCall(VecCopy(dirk->known[0], line->origin));
  PetscCall(VecZeroEntries(line->base[1]));
  PetscCall(RungCombine(line->base[2], 1, (PetscReal[]){-s}, &dirk->known[1]));
  PetscCall(RungCombine(dirk->x, 1, (PetscReal[]){1 / s}, &dirk->known[1]));
  PetscCall(RungLineMove(stepper, line, dirk->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of conserved terms are differences of m(u), which have no more digits than u: the line is that of w. */
static PetscErrorCode leave_origin(RungDirk *dirk, RungLine *line)
{
  PetscFunctionBegin;
  line->base[0] = line->origin = line->increment = NULL;
  for (PetscInt k = 1; k <= dirk->orders; ++k) {
    const PetscReal c[2] = {-line->slope[k * dirk->facts.traits->unknowns], 1};

    PetscCall(RungCombine(dirk->rhs, line->base[k] ? 2 : 1, c, (Vec[]){dirk->origin, line->base[k]}));
    PetscCall(VecCopy(dirk->rhs, dirk->base[k]));
    line->base[k] = dirk->base[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line and the load of stage i, and p and q in known[]. */
static PetscErrorCode set_line(RungStepper stepper, const RungState *from, PetscReal h, PetscInt i, RungLine *line)
{
  RungDirk        *dirk = RungStepperGetData(stepper);
  const PetscReal *row  = dirk->tableau->a + i * (i + 1) / 2;
  const PetscReal  s    = 1 / (h * row[i]);

  PetscFunctionBegin;
  memset(line, 0, sizeof *line);
  RungLineSetSlope(stepper, line, 0, 1);
  for (PetscInt k = 0; k < dirk->orders; ++k) {
    PetscCall(RungStageAdvance(from->u[k], h, i, row, dirk->k[k], dirk->known[k]));
    RungLineSetSlope(stepper, line, k + 1, k ? s * s : s);
  }
  line->origin    = dirk->known[0];
  line->base[0]   = line->origin;
  line->increment = dirk->z;
  if (dirk->orders == 2) PetscCall(extrapolate(stepper, s, line));
  dirk->origin = line->origin;
  if (dirk->load) {
    PetscCall(RungStageAdvance(from->m[0], h, i, row, dirk->m, dirk->load));
    PetscCall(VecScale(dirk->load, -s));
    PetscCall(leave_origin(dirk, line));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary entries without a time derivative: their values at t, which no rate leads to. */
static PetscErrorCode guess_algebraic(RungStepper stepper, PetscReal t)
{
  RungDirk          *dirk = RungStepperGetData(stepper);
  const PetscScalar *given;
  PetscScalar       *w;
  PetscInt           size;

  PetscFunctionBegin;
  if (!dirk->entry_order) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(dirk->w, dirk->x));
  PetscCall(RungSystemImposeDirichlet(dirk->facts.sys, t, 0, dirk->x));
  PetscCall(VecGetLocalSize(dirk->x, &size));
  PetscCall(VecGetArrayRead(dirk->x, &given));
  PetscCall(VecGetArray(dirk->w, &w));
  for (PetscInt i = 0; i < size; ++i) {
    if (dirk->entry_order[i] < 1) w[i] = given[i];
  }
  PetscCall(VecRestoreArray(dirk->w, &w));
  PetscCall(VecRestoreArrayRead(dirk->x, &given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = w - origin.  At order 2 a step of Newton's method from as far away as h v has no digit of z = l h^2 left where h is small: such
   entries begin at the origin. */
static PetscErrorCode take_increment(const RungDirk *dirk)
{
  const PetscScalar *w;
  PetscScalar       *z;
  PetscInt           size;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(dirk->z, -1, dirk->origin, dirk->w));
  if (dirk->orders == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(dirk->z, &size));
  PetscCall(VecGetArrayRead(dirk->w, &w));
  PetscCall(VecGetArray(dirk->z, &z));
  for (PetscInt i = 0; i < size; ++i) {
    if (PetscAbsScalar(z[i]) <= SHORT * PetscAbsScalar(w[i])) z[i] = 0;
  }
  PetscCall(VecRestoreArray(dirk->z, &z));
  PetscCall(VecRestoreArrayRead(dirk->w, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary entries of w and z such that the highest derivative there is the data's. */
static PetscErrorCode impose_rates(const RungDirk *dirk, PetscReal t, const RungLine *line)
{
  const PetscReal slope = line->slope[dirk->orders * dirk->facts.traits->unknowns];
  const Vec       base  = line->origin ? line->base[dirk->orders] : NULL;

  PetscFunctionBegin;
  PetscCall(take_increment(dirk));
  PetscCall(VecScale(dirk->z, slope));
  if (base) PetscCall(VecAXPY(dirk->z, 1, base));
  PetscCall(RungSystemImposeDirichlet(dirk->facts.sys, t, dirk->orders, dirk->z));
  if (base) PetscCall(VecAXPY(dirk->z, -1, base));
  PetscCall(VecScale(dirk->z, 1 / slope));
  PetscCall(VecWAXPY(dirk->w, 1, dirk->origin, dirk->z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w and z where the solve begins: w is that of the stage before, or what earlier stages or the past lead to; beside data z has digits of its own. */
static PetscErrorCode guess(RungStepper stepper, const RungState *from, PetscReal t, PetscReal h, PetscInt i,
                            const RungLine *line)
{
  RungDirk            *dirk  = RungStepperGetData(stepper);
  const RungStageRates rates = {dirk->tableau, i, h, from->u[0], dirk->known[0], dirk->k[0], dirk->entry_order};
  Vec                  stages;

  PetscFunctionBegin;
  if (dirk->facts.dirichlet) {
    PetscCall(impose_rates(dirk, t, line));
    PetscCall(VecCopy(dirk->w, dirk->rhs));
    PetscCall(guess_algebraic(stepper, t));
    PetscCall(RungStageDensityRate(&dirk->density, t, i));
    PetscCall(RungStageDensityFollow(&dirk->density, t, h, i + 1, dirk->tableau->a + i * (i + 1) / 2, dirk->w));
  }
  PetscCall(RungStageGuess(stepper, &rates, dirk->x, &stages));
  PetscCall(RungStagePredictInside(stepper, t, stages, dirk->w));
  if (dirk->facts.dirichlet) {
    PetscCall(VecAYPX(dirk->rhs, -1, dirk->w)); /* exactly 0 where nothing changed */
    PetscCall(VecAXPY(dirk->z, 1, dirk->rhs));
  } else {
    PetscCall(take_increment(dirk));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K_i = s m(u_i) + load */
static PetscErrorCode conserved_rate(RungStepper stepper, PetscReal t, PetscInt i, PetscReal s)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!dirk->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(dirk->facts.sys, t, dirk->w, dirk->m[i]));
  PetscCall(VecAYPX(dirk->m[i], s, dirk->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to, PetscInt i,
                            RungVerdict *verdict)
{
  RungDirk       *dirk = RungStepperGetData(stepper);
  const PetscReal c = dirk->tableau->c[i], ha = h * RungTableauA(dirk->tableau, i, i);
  const PetscReal t = c == 1 ? to->t : from->t + c * h;
  RungLine        line;
  Vec             values[RUNG_MAX_ORDER + 1] = {dirk->x, dirk->k[0][i], dirk->k[1][i]};

  PetscFunctionBegin;
  PetscCall(set_line(stepper, from, h, i, &line));
  PetscCall(guess(stepper, from, t, h, i, &line));
  PetscCall(RungStageSolve(stepper, t, &line, dirk->load, dirk->w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageEvaluate(stepper, &line, dirk->w, values));
  PetscCall(conserved_rate(stepper, t, i, 1 / ha));
  PetscCall(RungStageSum(stepper, t, values, h * dirk->tableau->b[i]));
  if (i == dirk->final) PetscCall(VecCopy(dirk->w, to->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explicit_stage(RungStepper stepper, const RungState *from, PetscReal h)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dirk->orders; ++k) PetscCall(VecCopy(from->u[k + 1], dirk->k[k][0]));
  if (dirk->load) PetscCall(VecCopy(from->m[1], dirk->m[0]));
  PetscCall(RungStageDensityRate(&dirk->density, from->t, 0));
  PetscCall(RungStageSum(stepper, from->t, from->u, h * dirk->tableau->b[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of the step ---------------------------------------------------------------------------------------- */

/* Boundary values of the new level.  The stages know their rates only: what they led to is compared with the values. */
static PetscErrorCode impose(RungStepper stepper, RungState *to, PetscInt k)
{
  RungDirk       *dirk    = RungStepperGetData(stepper);
  const PetscBool compare = dirk->facts.adaptive && k < dirk->orders ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (dirk->facts.dirichlet)
    PetscCall(RungStageImpose(dirk->facts.sys, to->t, k, to->u[k], compare ? dirk->d[k] : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The final stage, with the boundary values of the new level. */
static PetscErrorCode finish_accurate(RungStepper stepper, const RungState *from, RungState *to)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dirk->orders; ++k) PetscCall(VecCopy(dirk->k[k][dirk->final], to->u[k + 1]));
  for (PetscInt k = 0; k <= dirk->orders; ++k) PetscCall(impose(stepper, to, k));
  PetscCall(RungStageRest(stepper, from, to));
  if (!dirk->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(dirk->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(VecCopy(dirk->m[dirk->final], to->m[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u, v and m by the weights b; with conserved terms u such that m(u) is that m; then consistent rates. */
static PetscErrorCode finish_weighted(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                      RungVerdict *verdict)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dirk->orders; ++k) {
    PetscCall(RungStageAdvance(from->u[k], h, tableau->stages, tableau->b, dirk->k[k], to->u[k]));
    PetscCall(impose(stepper, to, k));
  }
  if (dirk->load) {
    PetscCall(RungStageAdvance(from->m[0], h, tableau->stages, tableau->b, dirk->m, dirk->load));
    PetscCall(VecCopy(to->u[0], dirk->x));
    PetscCall(RungStageMatch(stepper, to->t, dirk->x, dirk->load, to->u[0], verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStageConsistent(stepper, dirk->facts.algebraic, to));
  if (dirk->load) {
    const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

    PetscCall(RungSystemConserved(dirk->facts.sys, to->t, to->u[0], to->m[0]));
    PetscCall(RungSystemStageResidual(dirk->facts.sys, to->t, to->u, none, to->m[1])); /* dm/dt = -R */
    PetscCall(VecScale(to->m[1], -1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With densities on the boundary the k of the stages are differences of their values, which are not those of the rates that u
   follows: the new level's are found of F = 0, once for a step that is accepted. */
PetscErrorCode RungDirkAccepted(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)from, (void)ratio;
  if (!dirk->density.start || dirk->final < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageConsistent(stepper, PETSC_FALSE, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the estimate ----------------------------------------------------------------------------------------------- */

/* r = R(t, w, k, l) + scale x, of conserved terms */
static PetscErrorCode residual_at(RungStepper stepper, PetscReal t, const Vec rate[], Vec x, PetscReal scale, Vec r)
{
  RungDirk *dirk = RungStepperGetData(stepper);
  RungLine  line = {.base = {dirk->w, rate[0], rate[1]}};

  PetscFunctionBegin;
  if (dirk->load) PetscCall(VecAXPBY(dirk->load, scale, 0, x));
  PetscCall(RungStageResidual(stepper, t, &line, dirk->load, dirk->w, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = J^-1 (F(u, k + s e_u, l + s^2 e_u + s e_v) - F(u, k, l)) at the last stage: J is the stage's, F affine in rates.
   This is (M + h a K)^-1 M e at order 1; at order 2 the same for the system of (u, v), with  x_v = s (x_u - e_u).
   Conserved terms have their own estimate, E = h sum_i (b_i - b^_i) K_i, and give s E. */
static PetscErrorCode apply_filter(RungStepper stepper, PetscReal h, const PetscReal weight[], const RungState *to,
                                   RungVerdict *verdict)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;
  const PetscInt     last    = tableau->stages - 1;
  const PetscReal    s = 1 / (h * RungTableauA(tableau, last, last)), t = to->t + (tableau->c[last] - 1) * h;
  const Vec          E = dirk->middle;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(E));
  if (dirk->load) PetscCall(RungStageAdd(E, h, tableau->stages, weight, dirk->m));
  PetscCall(residual_at(stepper, t, (Vec[]){dirk->k[0][last], dirk->k[1][last]}, E, 0, dirk->rhs));
  PetscCall(VecWAXPY(dirk->base[1], s, dirk->e[0], dirk->k[0][last]));
  if (dirk->orders == 2) {
    PetscCall(VecWAXPY(dirk->base[2], s * s, dirk->e[0], dirk->k[1][last]));
    PetscCall(VecAXPY(dirk->base[2], s, dirk->e[1]));
  }
  PetscCall(residual_at(stepper, t, dirk->base + 1, E, s, dirk->x));
  PetscCall(VecAYPX(dirk->rhs, -1, dirk->x));
  PetscCall(RungStageApply(stepper, dirk->rhs, dirk->x, verdict));
  if (dirk->orders == 2) PetscCall(VecAXPBYPCZ(dirk->e[1], s, -s, 0, dirk->x, dirk->e[0]));
  PetscCall(VecCopy(dirk->x, dirk->e[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* e of u, and of v, right behind the last stage: the filter takes its matrix, which matching replaces. */
static PetscErrorCode estimate_error(RungStepper stepper, PetscReal h, const RungState *to, RungVerdict *verdict)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;
  PetscReal          weight[RUNG_MAX_STAGES];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < tableau->stages; ++i) weight[i] = tableau->b[i] - tableau->bhat[i];
  for (PetscInt k = 0; k < dirk->orders; ++k) {
    PetscCall(VecZeroEntries(dirk->x));
    PetscCall(RungStageAdvance(dirk->x, h, tableau->stages, weight, dirk->k[k], dirk->e[k]));
  }
  if (dirk->filter) PetscCall(apply_filter(stepper, h, weight, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirkAttempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                               RungVerdict *verdict)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;
  const PetscInt     stages  = dirk->facts.adaptive || dirk->final < 0 ? tableau->stages : dirk->final + 1;
  const PetscBool    measure = dirk->facts.adaptive && tableau->bhat ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  dirk->span[0] = dirk->span[1] = NAN;
  PetscCall(VecCopy(from->u[0], dirk->w)); /* each stage starts from the value of the one before */
  PetscCall(RungStageDensityStart(&dirk->density, from));
  for (PetscInt i = 0; i < stages; ++i) {
    if (RungTableauA(tableau, i, i) == 0)
      PetscCall(explicit_stage(stepper, from, h));
    else
      PetscCall(stage(stepper, from, h, to, i, verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (measure) PetscCall(estimate_error(stepper, h, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  if (dirk->final >= 0)
    PetscCall(finish_accurate(stepper, from, to));
  else
    PetscCall(finish_weighted(stepper, from, h, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  if (measure)
    PetscCall(RungStepperMeasure(stepper, dirk->e, dirk->facts.dirichlet ? dirk->d : NULL, from, to, &verdict->error));
  dirk->span[0] = from->t;
  dirk->span[1] = to->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stage nearest the middle of a step, -1: all are at its ends.  Stage order 2, the highest, wants one. */
static PetscInt find_middle(const RungTableau *tableau)
{
  PetscInt m = -1;

  for (PetscInt i = 0; i < tableau->stages; ++i) {
    if (tableau->c[i] <= 0.1 || tableau->c[i] >= 0.9 || RungTableauA(tableau, i, i) == 0) continue;
    if (m < 0 || PetscAbsReal(tableau->c[i] - 0.5) < PetscAbsReal(tableau->c[m] - 0.5)) m = i;
  }
  return m;
}

/* Algebraic entries follow the parabola through a stage, u_n + h sum_j a_mj k_j, whatever k means there, as long as the stages are
   those of this step. */
PetscErrorCode RungDirkBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                               PetscInt k, Vec u)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;
  const PetscInt     m       = find_middle(tableau);

  PetscFunctionBegin;
  PetscCall(RungStepperHermite(stepper, from, to, theta, k, u));
  if (k || !dirk->facts.algebraic || m < 0 || dirk->span[0] != from->t || dirk->span[1] != to->t)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungStageAdvance(from->u[0], to->t - from->t, m + 1, tableau->a + m * (m + 1) / 2, dirk->k[0], dirk->middle));
  PetscCall(RungStepperThrough(stepper, 3, (PetscReal[]){0, tableau->c[m], 1},
                               (Vec[]){from->u[0], dirk->middle, to->u[0]}, theta, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_dirk(RungStepper stepper)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungOptionBool(dirk->facts.comm, "-stepper_filter", NULL, &dirk->filter, &dirk->filter_given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_diagonals(const RungTableau *tableau)
{
  PetscInt distinct = 0;

  for (PetscInt i = 0; i < tableau->stages; ++i) {
    const PetscReal a = RungTableauA(tableau, i, i);
    PetscBool new     = a != 0 ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt j = 0; j < i; ++j) {
      if (RungTableauA(tableau, j, j) == a) new = PETSC_FALSE;
    }
    if (new) ++distinct;
  }
  return distinct;
}

/* Without a final stage an algebraic unknown follows z_n+1 = R(inf) z_n + ..: it is only as good as its start. */
static void tell_abilities(const RungTableau *tableau, const RungTraits *traits, RungMethodPlan *plan)
{
  const unsigned by_weights = RUNG_CAN_ALGEBRAIC | RUNG_CAN_INDEX2 | RUNG_CAN_BOUND;

  plan->can = RUNG_CAN_ALL & ~(unsigned)RUNG_CAN_SPLIT;
  if (tableau->order > tableau->stage_order) plan->can &= ~(unsigned)RUNG_CAN_INDEX2;
  if (tableau->stiffly_accurate) return;
  plan->can &= ~by_weights;
  if (PetscAbsReal(tableau->limit) < 1 && !(traits && traits->conserved)) plan->forced = RUNG_CAN_ALGEBRAIC;
}

static PetscErrorCode create_vecs(RungStepper stepper)
{
  RungDirk      *dirk = RungStepperGetData(stepper);
  const PetscInt s    = dirk->tableau->stages;
  Vec           *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt k = 0; k < dirk->orders; ++k) {
    for (PetscInt i = 0; i < s; ++i) dirk->k[k][i] = *work++;
    dirk->known[k]    = *work++;
    dirk->base[k + 1] = *work++;
    dirk->e[k]        = *work++;
    dirk->d[k]        = *work++;
  }
  dirk->w       = *work++;
  dirk->z       = *work++;
  dirk->base[0] = *work++;
  dirk->rhs     = *work++;
  dirk->x       = *work++;
  dirk->middle  = *work++;
  if (!dirk->facts.traits->conserved) PetscFunctionReturn(PETSC_SUCCESS);
  dirk->load = *work++;
  for (PetscInt i = 0; i < s; ++i) dirk->m[i] = *work++;
  PetscCall(RungStageDensityCreate(dirk->facts.sys, s, &dirk->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The orders of entries, where one of them, free or on the boundary, has no time derivative. */
static PetscErrorCode find_orders(RungStepper stepper)
{
  RungDirk *dirk = RungStepperGetData(stepper);
  PetscInt  size, least = 1;
  Vec       mask;

  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(dirk->facts.sys, &mask));
  PetscCall(VecGetLocalSize(mask, &size));
  PetscCall(RungSystemGetOrders(dirk->facts.sys, &dirk->entry_order));
  for (PetscInt i = 0; i < size; ++i) least = PetscMin(least, dirk->entry_order[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, dirk->facts.comm));
  if (least > 0) PetscCall(PetscFree(dirk->entry_order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_work(const RungDirk *dirk, const RungTraits *traits)
{
  const PetscInt s = dirk->tableau->stages;

  return traits->order * (s + 4) + 6 + (traits->conserved ? 1 + s : 0);
}

void RungDirkTake(RungDirk *dirk, const RungTableau *tableau)
{
  dirk->tableau = tableau;
  dirk->final   = RungTableauFinal(tableau);
}

PetscErrorCode RungDirkPlan(RungStepper stepper, const RungTableau *tableau, const RungTraits *traits,
                            RungMethodPlan *plan)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &dirk->facts));
  RungDirkTake(dirk, tableau);
  tell_abilities(tableau, traits, plan);
  plan->order       = tableau->order;
  plan->exponent    = tableau->bhat ? PetscMin(tableau->order, tableau->embedded) + 1 : 0;
  plan->growth      = 5;
  plan->matrices    = count_diagonals(tableau);
  plan->stages      = tableau->stages;
  plan->solves      = RungTableauA(tableau, 0, 0) == 0 ? tableau->stages - 1 : tableau->stages;
  plan->stage_order = tableau->stage_order;
  plan->limit       = PetscAbsReal(tableau->limit);
  plan->angle       = RungTableauAngle(tableau);
  plan->citation    = tableau->citation;
  if (!traits) PetscFunctionReturn(PETSC_SUCCESS);
  if (dirk->facts.algebraic) plan->dense = find_middle(tableau) < 0 ? 1 : 2;
  plan->matches = traits->conserved && dirk->final < 0 ? PETSC_TRUE : PETSC_FALSE;
  plan->work    = count_work(dirk, traits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods whose estimate is far below their error where equations are stiff, though R(inf) is 0 or near: measured by
   test_proportion.c, errors of 50 to 570 tolerances. */
static PetscBool lies_where_stiff(const RungTableau *tableau)
{
  static const char *const names[] = {"billington_3_3_2", "ak_dirk759a"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); ++i)
    if (!strcmp(tableau->name, names[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode plan_dirk(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  RungDirk          *dirk = RungStepperGetData(stepper);
  const RungTableau *all;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &dirk->facts));
  PetscCall(RungTableauGetAll(&n, &all));
  PetscCall(RungDirkPlan(stepper, &all[dirk->facts.method], traits, plan));
  if (plan->exponent && plan->limit >= 0.5)
    plan->caution =
      "hardly damps what is stiff: errors there may be far larger than the estimate, or steps may get ever smaller; "
      "take one with R(inf) = 0, as esdirk43";
  else if (lies_where_stiff(&all[dirk->facts.method]))
    plan->caution =
      "has an estimate that is small beside its errors where equations are stiff: 50 times the tolerance and more "
      "have been measured; take another one of its order, as esdirk43 or esdirk54";
  PetscCheck(!traits || !dirk->filter_given || dirk->tableau->bhat, dirk->facts.comm, PETSC_ERR_SUP,
             "-stepper_filter: dirk method \"%s\" has no error estimate to filter", dirk->tableau->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirkSetUp(RungStepper stepper)
{
  RungDirk          *dirk    = RungStepperGetData(stepper);
  const RungTableau *tableau = dirk->tableau;

  PetscFunctionBegin;
  PetscCall(find_orders(stepper));
  dirk->orders  = dirk->facts.traits->order;
  dirk->span[0] = dirk->span[1] = NAN;
  if (!dirk->filter_given) {
    dirk->filter = tableau->embedded > tableau->order || PetscAbsReal(tableau->embedded_limit) > 1 ||
                       dirk->facts.traits->conserved
                     ? PETSC_TRUE
                     : PETSC_FALSE;
  }
  PetscCall(create_vecs(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_dirk(RungStepper stepper, PetscViewer viewer)
{
  RungDirk          *dirk         = RungStepperGetData(stepper);
  RungMethodPlan     plan         = {0};
  char               estimate[64] = "";
  const RungTableau *t;

  PetscFunctionBegin;
  PetscCall(plan_dirk(stepper, NULL, &plan));
  t = dirk->tableau;
  if (t->bhat) {
    (void)snprintf(estimate, sizeof estimate, ", embedded order %d%s", (int)t->embedded,
                   dirk->facts.ready && dirk->filter ? ", filtered" : "");
  }
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "tableau %s: %" PetscInt_FMT " stages, stage order %" PetscInt_FMT ", R(inf) = %g, %sstiffly accurate%s\n",
    t->key, t->stages, t->stage_order, (double)t->limit, t->stiffly_accurate ? "" : "not ", estimate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirkReset(RungStepper stepper)
{
  RungDirk *dirk = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(PetscFree(dirk->entry_order));
  PetscCall(RungStageDensityDestroy(&dirk->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {{"-stepper_filter", "dirk: filter the error estimate with the stage matrix"},
                                           {NULL, NULL}};

const RungStepperOps RungDirkOps = {.methods  = RungTableauNames,
                                    .first    = "esdirk43",
                                    .keys     = RungTableauKeys,
                                    .options  = options,
                                    .synonyms = RungTableauSynonyms,
                                    .aliases  = RungTableauAliases,
                                    .size     = sizeof(RungDirk),
                                    .read     = read_dirk,
                                    .plan     = plan_dirk,
                                    .setup    = RungDirkSetUp,
                                    .attempt  = RungDirkAttempt,
                                    .accepted = RungDirkAccepted,
                                    .between  = RungDirkBetween,
                                    .view     = view_dirk,
                                    .reset    = RungDirkReset};
