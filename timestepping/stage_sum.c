/* stage_sum.c - weighted sums of the rates of stages, and boundary data of what they lead to. */
#include "tableau_impl.h"

PetscErrorCode RungStageAdd(Vec y, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[])
{
  PetscScalar c[RUNG_MAX_STAGES];
  Vec         used[RUNG_MAX_STAGES];
  PetscInt    count = 0;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; ++j) {
    if (weight[j] == 0) continue;
    c[count]      = scale * weight[j];
    used[count++] = k[j];
  }
  if (count) PetscCall(VecMAXPY(y, count, c, used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageAdvance(Vec x, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[], Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(x, y));
  PetscCall(RungStageAdd(y, scale, n, weight, k));
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
