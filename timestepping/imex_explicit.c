/* imex_explicit.c - the explicit part E of implicit-explicit Runge-Kutta methods: rates e_i = -M^-1 E_i, or loads of
   later stages.

   With a constant M no stage waits for a solve with it.  Of the implicit rates of stage i,

       k_i = s (w - u_n - h sum_j<i (a^I_ij k_j + a^E_ij e_j)),      s = 1/(h a^I_ii),

   the part of values alone is followed by the same recursion without e, and what is left is a combination of the e_j:

       k_i = k~_i + sum_j beta_ij e_j,    k~_i = s (w - u_n - h sum_j<i a^I_ij k~_j),
       beta_ij = -(a^E_ij + sum_j<=l<i a^I_il beta_lj)/a^I_ii.

   F_I(t_i, w, k_i) = 0 is then  F_I(t_i, w, k~_i) - sum_j beta_ij E_j = 0:  a line and a load.  A first stage with
   a^I_11 = 0 has k~_1 = u'_n, beta_11 = -1.  The new level, u_n + h sum_i (b^I_i k_i + b^E_i e_i), and the estimate ask
   for one combination of the e_j each, which is one solve with M. */
#include "imex_impl.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include <rungsystem_room.h>
#include <string.h>

PetscReal RungImexA(const RungImexRow *row, PetscInt i, PetscInt j)
{
  return j < i ? row->a[i * (i - 1) / 2 + j] : 0;
}

const PetscReal *RungImexB(const RungImex *imex)
{
  return imex->row->b ? imex->row->b : imex->implicit->b;
}

PetscBool RungImexAsks(const RungImex *imex, PetscInt i)
{
  PetscBool asks = RungImexB(imex)[i] != 0 || (imex->implicit->bhat && imex->implicit->bhat[i] != 0);

  for (PetscInt j = i + 1; j < imex->row->stages; ++j) asks = asks || RungImexA(imex->row, j, i) != 0;
  return asks && imex->split ? PETSC_TRUE : PETSC_FALSE;
}

void RungImexSetShares(RungImex *imex)
{
  for (PetscInt i = 0; i < imex->row->stages; ++i) {
    const PetscReal own = RungTableauA(imex->implicit, i, i);

    for (PetscInt j = 0; j <= i; ++j) {
      PetscReal sum = RungImexA(imex->row, i, j);

      for (PetscInt l = j; l < i; ++l) sum += RungTableauA(imex->implicit, i, l) * imex->share[l][j];
      imex->share[i][j] = own != 0 ? -sum / own : i == j ? -1 : 0;
    }
  }
}

/* g_i, the share of the explicit part in dm/dt: -E without what R = 0 takes of it, M e_i; imex->x is E. */
static PetscErrorCode conserved_explicit(RungImex *imex, PetscReal t, PetscInt i, Vec u)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  PetscCall(RungSystemStageResidual(imex->facts.sys, t, (Vec[]){u, imex->e[i]}, none, imex->g[i]));
  PetscCall(VecAXPY(imex->x, 1, imex->g[i]));
  PetscCall(VecZeroEntries(imex->error));
  PetscCall(RungSystemStageResidual(imex->facts.sys, t, (Vec[]){u, imex->error}, none, imex->g[i]));
  PetscCall(VecAXPY(imex->g[i], -1, imex->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexDescribe(const RungImex *imex, PetscReal t, const Vec u[], RungImexLevel *level)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(level, sizeof *level));
  level->t = t;
  for (int k = 0; k < 2; ++k) {
    PetscCall(PetscObjectGetId((PetscObject)u[k], &level->u[k]));
    PetscCall(PetscObjectStateGet((PetscObject)u[k], &level->state[k]));
  }
  PetscCall(RungSystemGetResidualState(imex->facts.sys, &level->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexExplicitOfLevel(RungImex *imex, PetscReal t, const Vec u[])
{
  RungImexLevel level;

  PetscFunctionBegin;
  PetscCall(RungImexDescribe(imex, t, u, &level));
  if (!memcmp(&level, &imex->known, sizeof level)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemExplicit(imex->facts.sys, t, u, imex->e[0]));
  imex->known = level;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexExplicit(RungStepper stepper, PetscReal t, PetscInt i, Vec u, Vec rate, RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);
  const Vec at[] = {u, rate};

  PetscFunctionBegin;
  if (!RungImexAsks(imex, i)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!i) imex->known.t = NAN;
  PetscCall(RungSystemExplicit(imex->facts.sys, t, at, imex->loads ? imex->e[i] : imex->x));
  if (imex->loads) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungImexLinearise(stepper, t, at, verdict));
  if (verdict->solved) PetscCall(RungImexApply(stepper, imex->x, u, imex->step, imex->e[i], verdict));
  PetscCall(VecScale(imex->e[i], -1));
  if (imex->load && verdict->solved) PetscCall(conserved_explicit(imex, t, i, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexLoad(RungImex *imex, PetscInt i, Vec *load)
{
  PetscFunctionBegin;
  *load = imex->loads ? imex->sum : imex->load;
  if (!imex->loads) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecZeroEntries(imex->sum));
  PetscCall(RungStageAdd(imex->sum, -1, i, imex->share[i], imex->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c[j] of  sum_i own_i k_i + other_i e_i  in terms of -E_j; nothing is left where the last stage ends the step. */
static PetscBool combine(const RungImex *imex, const PetscReal own[], const PetscReal other[], PetscReal c[])
{
  PetscBool some = PETSC_FALSE;

  for (PetscInt j = 0; j < imex->row->stages; ++j) {
    PetscReal size = PetscAbsReal(other[j]);

    c[j] = -other[j];
    for (PetscInt i = j; i < imex->row->stages; ++i) {
      c[j] -= own[i] * imex->share[i][j];
      size += PetscAbsReal(own[i] * imex->share[i][j]);
    }
    if (PetscAbsReal(c[j]) <= 64 * PETSC_MACHINE_EPSILON * size) c[j] = 0;
    some = some || c[j] != 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  return some;
}

PetscErrorCode RungImexAdd(RungStepper stepper, PetscReal h, const PetscReal own[], const PetscReal other[],
                           const RungState *at, Vec y, RungVerdict *verdict)
{
  RungImex      *imex = RungStepperGetData(stepper);
  const PetscInt n    = imex->row->stages;
  PetscReal      c[RUNG_MAX_STAGES];

  PetscFunctionBegin;
  PetscCall(RungStageAdd(y, h, n, own, imex->k));
  if (!imex->split) PetscFunctionReturn(PETSC_SUCCESS);
  if (!imex->loads) {
    PetscCall(RungStageAdd(y, h, n, other, imex->e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!combine(imex, own, other, c)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecZeroEntries(imex->sum));
  PetscCall(RungStageAdd(imex->sum, h, n, c, imex->e));
  PetscCall(RungImexLinearise(stepper, at->t, at->u, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungImexApply(stepper, imex->sum, at->u[0], 1, imex->x, verdict));
  PetscCall(VecAXPY(y, 1, imex->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexRates(RungStepper stepper, const RungState *from, RungState *to, RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);
  RungLine  line = {.base = {to->u[0]}};

  PetscFunctionBegin;
  RungLineSetSlope(stepper, &line, 1, 1);
  PetscCall(VecCopy(from->u[1], imex->w));
  PetscCall(RungStageImposeRates(stepper, to->t, imex->w, imex->x));
  imex->known.t = NAN;
  PetscCall(RungSystemExplicit(imex->facts.sys, to->t, (Vec[]){to->u[0], imex->w}, imex->e[0]));
  PetscCall(RungStageResidual(stepper, to->t, &line, imex->e[0], imex->w, imex->z));
  PetscCall(RungStageLinearise(stepper, to->t, (Vec[]){to->u[0], imex->w}, imex->slope, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageApplyRates(stepper, imex->z, (Vec[]){to->u[0], NULL}, imex->step, imex->x, verdict));
  PetscCall(VecAXPY(imex->w, -1, imex->x));
  PetscCall(RungStageEvaluate(stepper, &line, imex->w, (Vec[]){imex->x, to->u[1]}));
  PetscCall(RungImexDescribe(imex, to->t, to->u, &imex->known));
  PetscFunctionReturn(PETSC_SUCCESS);
}
