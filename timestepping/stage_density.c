/* stage_density.c - boundary values of stages of conserved terms dt(q(u))*v: they follow the rate of q,

       q(u_b) = q(g_n) + h sum_j a_ij (q o g)'(t_j),

   where q is a function of that unknown, x and t alone.  With rates of u the stages would find dq/dt to their own order only. */
#include "tableau_impl.h"

static PetscErrorCode create_zero(RungSystem sys, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, v));
  PetscCall(VecZeroEntries(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageDensityCreate(RungSystem sys, PetscInt stages, RungStageDensity *density)
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(RungSystemHasDensity(sys, &has));
  density->sys = sys;
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_zero(sys, &density->start));
  PetscCall(create_zero(sys, &density->work));
  for (PetscInt i = 0; i < stages; ++i) PetscCall(create_zero(sys, &density->rate[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageDensityDestroy(RungStageDensity *density)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&density->start));
  PetscCall(VecDestroy(&density->work));
  for (PetscInt i = 0; i < RUNG_MAX_STAGES; ++i) PetscCall(VecDestroy(&density->rate[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageDensityStart(RungStageDensity *density, const RungState *from)
{
  PetscFunctionBegin;
  if (density->start) PetscCall(RungSystemDensity(density->sys, from->t, from->u[0], density->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageDensityRate(RungStageDensity *density, PetscReal t, PetscInt i)
{
  PetscFunctionBegin;
  if (density->start) PetscCall(RungSystemDensityRate(density->sys, t, density->work, density->rate[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageDensityFollow(RungStageDensity *density, PetscReal t, PetscReal h, PetscInt n,
                                      const PetscReal weight[], Vec w)
{
  PetscFunctionBegin;
  if (!density->start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageAdvance(density->start, h, n, weight, density->rate, density->work));
  PetscCall(RungSystemInvertDensity(density->sys, t, density->work, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
