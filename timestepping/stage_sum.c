/* stage_sum.c - weighted sums of the rates of stages, and boundary data of what they lead to. */
#include "tableau_impl.h"

/* y = scale sum_j weight_j k_j + x in one pass.  x, the largest, comes last: a rounding of its size, not one with each term.  y may be x. */
PetscErrorCode RungStageAdvance(Vec x, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[], Vec y)
{
  PetscReal c[RUNG_MAX_STAGES + 1];
  Vec       term[RUNG_MAX_STAGES + 1];

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; ++j) {
    c[j]    = scale * weight[j];
    term[j] = k[j];
  }
  c[n]    = 1;
  term[n] = x;
  PetscCall(RungCombine(y, n + 1, c, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageAdd(Vec y, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[])
{
  PetscFunctionBegin;
  PetscCall(RungStageAdvance(y, scale, n, weight, k, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageImpose(RungSystem sys, PetscReal t, PetscInt k, Vec u, Vec defect)
{
  PetscFunctionBegin;
  if (defect) PetscCall(VecCopy(u, defect));
  PetscCall(RungSystemImposeDirichlet(sys, t, k, u));
  if (defect) PetscCall(VecAYPX(defect, -1, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
