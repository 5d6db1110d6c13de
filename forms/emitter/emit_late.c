/* emit_late.c - sums over points that are pulled back after the loop, as C.

   On affine cells the map K is the same at all points, and leaves the sum:

       sum_q w_q |J| K_rs value_q = K_rs A,   A = sum_q w_q |J| value_q,

   so that the loop over points adds one number for each value of the tape, however many coefficients it goes into: one in
   place of the nine of a scalar diffusion.  Blocks keep two pull-backs then: what is stored at points, and what is
   pulled back once. */
#include "emit_impl.h"

static PetscBool is_late(RungPlan plan)
{
  return plan->affine && !plan->tensor && !plan->integral->weighted && plan->points > 1 ? PETSC_TRUE : PETSC_FALSE;
}

const RungPull *RungEmitPullOf(const RungEmitter *emitter, RungPlan plan, PetscInt b, int class)
{
  if (emitter->late && class) return &emitter->late[2 * b + (class == RUNG_PULL_LATE)];
  return &plan->block[b].pull[class];
}

/* The steps of a pull-back that sums need, or those that points need. */
static PetscErrorCode split(const RungPull *all, PetscInt sums, PetscBool late, RungPull *part)
{
  PetscBool *used;

  PetscFunctionBegin;
  *part = (RungPull){.temporaries = all->temporaries};
  PetscCall(PetscCalloc1(all->temporaries + 1, &used));
  for (int k = 0; k < 2; ++k) PetscCall(PetscMalloc1(all->steps[k] + 1, &part->step[k]));
  for (PetscInt i = 0; i < all->steps[1]; ++i) {
    if ((all->step[1][i].to < sums) != (late == PETSC_TRUE)) continue;
    part->step[1][part->steps[1]++] = all->step[1][i];
    used[all->step[1][i].from]      = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < all->steps[0]; ++i)
    if (used[all->step[0][i].to]) part->step[0][part->steps[0]++] = all->step[0][i];
  PetscCall(PetscFree(used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt find_late(const RungEmitter *emitter, PetscInt value)
{
  for (PetscInt k = 0; k < emitter->lates; ++k)
    if (emitter->late_value[k] == value) return k;
  return -1;
}

PetscErrorCode RungEmitLateCreate(RungEmitter *emitter, RungPlan plan)
{
  PetscInt most = 0;

  PetscFunctionBegin;
  emitter->late  = NULL;
  emitter->lates = 0;
  if (!is_late(plan)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt b = 0; b < plan->blocks; ++b) most += plan->block[b].pull[1].steps[0];
  PetscCall(PetscMalloc1(2 * plan->blocks + 1, &emitter->late));
  PetscCall(PetscMalloc1(most + 1, &emitter->late_value));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];
    RungPull        *late  = &emitter->late[2 * b + 1];

    for (int k = 0; k < 2; ++k)
      PetscCall(split(&block->pull[1], block->coefficients[RUNG_PAIR_SUM], k ? PETSC_TRUE : PETSC_FALSE,
                      &emitter->late[2 * b + k]));
    for (PetscInt i = 0; i < late->steps[0]; ++i)
      if (find_late(emitter, late->step[0][i].from) < 0) emitter->late_value[emitter->lates++] = late->step[0][i].from;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitLateDestroy(RungEmitter *emitter, RungPlan plan)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; emitter->late && k < 2 * plan->blocks; ++k)
    for (int i = 0; i < 2; ++i) PetscCall(PetscFree(emitter->late[k].step[i]));
  PetscCall(PetscFree(emitter->late));
  PetscCall(PetscFree(emitter->late_value));
  emitter->lates = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungEmitLateDeclare(RungEmitter *emitter)
{
  for (PetscInt k = 0; k < emitter->lates; ++k) RungTextLine(&emitter->kernels, "Real A%d = {0};", (int)k);
}

void RungEmitLateAdd(RungEmitter *emitter, const RungEmitValues *values)
{
  for (PetscInt k = 0; k < emitter->lates; ++k) {
    const PetscInt v = emitter->late_value[k];

    RungTextLine(&emitter->kernels, values->precedence[v] >= 3 ? "A%d += dV * %s;" : "A%d += dV * (%s);", (int)k,
                 values->text[v]);
  }
}

PetscErrorCode RungEmitLatePull(RungEmitter *emitter, RungPlan plan, const RungEmitValues *values)
{
  RungEmitValues sums = {.n = values->n};
  char           name[32];

  PetscFunctionBegin;
  if (!emitter->lates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(sums.n, &sums.text));
  PetscCall(PetscCalloc1(sums.n, &sums.precedence));
  for (PetscInt k = 0; k < emitter->lates; ++k) {
    const PetscInt v = emitter->late_value[k];

    PetscCall(PetscSNPrintf(name, sizeof name, "A%" PetscInt_FMT, k));
    PetscCall(PetscStrallocpy(name, &sums.text[v]));
    sums.precedence[v] = 3;
  }
  PetscCall(RungEmitPull(emitter, plan, RUNG_PULL_LATE, &sums));
  PetscCall(RungEmitValuesDestroy(&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}
