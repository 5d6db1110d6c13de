/* explicit_conserved.c - explicit methods on conserved terms, F = R(t, u, u') + dm(t, u)/dt.

   What is conserved has rates of its own,  K = dm/dt = -R(t, u, u'),  and stages sum up both:

       m(t_i, u_i) + M u_i = m_n + h sum_j<i a_ij K_j + M (u_n + h sum_j<i a_ij k_j),        M = dR/du',

   a solve with masses alone by Newton's method (RungStageMatch()); M = 0 where nothing beside dm/dt has a rate.  So totals are kept to
   rounding.  The rates k_i = u' of a stage follow from F = 0 with dm/dt expanded, which is linear in them.  u with the rate k is a
   quadrature of the method on m, so that h sum_i (b_i - b^_i) k_i estimates its error as ever.
   Boundary values: stage_density.c.

   The end of the step is matched as a stage is, with the weights b and the boundary data; its rates are solved for, also where the last
   stage has the same weights.  Between levels: Hermite's cubic. */
#include "explicit_impl.h"

static const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

PetscErrorCode RungExplicitConservedSetUp(RungStepper stepper, Vec work[])
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  family->load = *work++;
  for (PetscInt i = 0; i < family->tableau->stages; ++i) family->m[i] = *work++;
  PetscCall(RungStageDensityCreate(family->facts.sys, family->tableau->stages, &family->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitConservedBegin(RungStepper stepper, const RungState *from)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(VecCopy(from->m[1], family->m[0]));
  PetscCall(RungStageDensityStart(&family->density, from));
  PetscCall(RungStageDensityRate(&family->density, from->t, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a stage -------------------------------------------------------------------------------------------------------- */

/* u holds a guess, which has its boundary values: u with m(u) + M u as the first n stages lead to. */
static PetscErrorCode match(RungStepper stepper, const RungState *from, PetscReal h, PetscReal t, PetscInt n,
                            const PetscReal weight[], Vec u, RungVerdict *verdict)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStageAdvance(from->m[0], h, n, weight, family->m, family->load));
  PetscCall(VecCopy(u, family->x));
  PetscCall(RungStageMatch(stepper, t, family->x, family->load, u, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = 0 at u[0] for u[1], which holds a guess. */
static PetscErrorCode find_rates(RungStepper stepper, PetscReal t, PetscReal h, const Vec u[], RungVerdict *verdict)
{
  RungExplicit     *family                                          = RungStepperGetData(stepper);
  const RungTraits *traits                                          = family->facts.traits;
  PetscReal         slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  PetscCall(RungStageImposeRates(stepper, t, u[1], family->r));
  for (PetscInt f = 0; f < traits->unknowns; ++f) slope[traits->unknowns + f] = 1;
  PetscCall(RungStageLinearise(stepper, t, u, slope, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemResidual(family->facts.sys, t, u, family->r)); /* every dt() expanded */
  PetscCall(RungStageApplyRates(stepper, family->r, (Vec[]){u[0], NULL}, h, family->x, verdict));
  PetscCall(VecAXPY(u[1], -1, family->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitConservedStage(RungStepper stepper, const RungState *from, PetscReal h, PetscReal t,
                                          PetscInt i, RungVerdict *verdict)
{
  RungExplicit    *family = RungStepperGetData(stepper);
  const PetscReal *row    = family->tableau->a + i * (i + 1) / 2;
  const Vec        u[]    = {family->base[0], family->k[0][i]};

  PetscFunctionBegin;
  PetscCall(RungStageAdvance(from->u[0], h, i, row, family->k[0], family->base[0]));
  PetscCall(RungStageDensityFollow(&family->density, t, h, i, row, family->base[0]));
  PetscCall(match(stepper, from, h, t, i, row, family->base[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(family->k[0][i - 1], family->k[0][i]));
  PetscCall(find_rates(stepper, t, h, u, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemStageResidual(family->facts.sys, t, u, none, family->m[i]));
  PetscCall(VecScale(family->m[i], -1));
  PetscCall(RungStageDensityRate(&family->density, t, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of the step -------------------------------------------------------------------------------------------- */

PetscErrorCode RungExplicitConservedEdge(RungStepper stepper, PetscReal h, const RungState *to)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStageDensityFollow(&family->density, to->t, h, family->tableau->stages, family->tableau->b, to->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitConservedValues(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                           RungVerdict *verdict)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(match(stepper, from, h, to->t, family->tableau->stages, family->tableau->b, to->u[0], verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m is that of u: what Newton's method leaves then stays from step to step, and does not add up in rows that hold M, too. */
PetscErrorCode RungExplicitConservedRates(RungStepper stepper, RungState *to, RungVerdict *verdict)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(VecCopy(family->k[0][family->tableau->stages - 1], to->u[1]));
  PetscCall(find_rates(stepper, to->t, family->step, to->u, verdict));
  PetscCall(RungExplicitConservedLevel(stepper, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitConservedLevel(RungStepper stepper, RungState *to)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!family->conserved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(family->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(RungSystemStageResidual(family->facts.sys, to->t, to->u, none, to->m[1]));
  PetscCall(VecScale(to->m[1], -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}
