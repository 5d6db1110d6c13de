/* stage_predict.c - where the iteration for the value at the end of a step begins: at what the last levels lead to.

   The polynomial of degree q through the values at t_n, .., t_n-q is continued to the new time.  Its degree is the one that
   would have foretold the newest level best from those before it,

       q = argmin |u_n - (polynomial of degree q through t_n-1, .., t_n-1-q)(t_n)|,

   which knows how smooth the motion is and how much noise the solver leaves in the levels.  Levels are copies of accepted
   ones: a rejected step leaves no trace, a jump and a checkpoint begin anew with what the history holds.

   For a nonlinear system a polynomial can lead out of the domain of F: of it and the method's own guess the one with the
   smaller residual is taken.  Newton's tolerance stays relative to the residual of the method's own guess: a better one
   saves iterations. */
#include "stage_impl.h"

#define BLOCK  256
#define SAMPLE 4 /* one block in so many is looked at */
#define MOST   (RUNG_STAGE_PAST - 2)

/* ---- levels ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungStagesForgetPast(RungStages stages)
{
  PetscFunctionBegin;
  stages->pasts     = 0;
  stages->predicted = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesDestroyPast(RungStages stages)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < RUNG_STAGE_PAST; ++j) PetscCall(VecDestroy(&stages->past[j]));
  PetscCall(VecDestroy(&stages->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The oldest makes room. */
static PetscErrorCode push(RungStages stages, const RungState *state)
{
  Vec free = stages->past[RUNG_STAGE_PAST - 1];

  PetscFunctionBegin;
  for (PetscInt j = RUNG_STAGE_PAST - 1; j > 0; --j) {
    stages->past[j] = stages->past[j - 1];
    stages->when[j] = stages->when[j - 1];
  }
  if (!free) PetscCall(RungSystemCreateVec(stages->stepper->sys, &free));
  PetscCall(VecCopy(state->u[0], free));
  stages->past[0] = free;
  stages->when[0] = state->t;
  stages->pasts   = PetscMin(stages->pasts + 1, RUNG_STAGE_PAST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refresh(RungStages stages)
{
  RungTransientSystem ts = stages->stepper->ts;
  const RungState    *state;
  PetscInt            levels;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  if (levels == 1) stages->pasts = 0; /* the start, or a jump */
  if (stages->pasts) {
    if (state->t > stages->when[0]) PetscCall(push(stages, state));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt back = levels - 1; back >= 0; --back) {
    PetscCall(RungTransientSystemGetState(ts, back, &state));
    PetscCall(push(stages, state));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the polynomial --------------------------------------------------------------------------------------------- */

/* c[j], j <= q: the value at t of the polynomial through when[0 .. q] is sum_j c_j x_j. */
static void lagrange(PetscInt q, const PetscReal when[], PetscReal t, PetscReal c[])
{
  for (PetscInt j = 0; j <= q; ++j) {
    c[j] = 1;
    for (PetscInt i = 0; i <= q; ++i) {
      if (i != j) c[j] *= (t - when[i]) / (when[j] - when[i]);
    }
  }
}

/* sum over a block of (x_0 - sum_j c_j x_j+1)^2 */
static PetscReal misses(PetscInt n, PetscInt q, const PetscReal c[], const PetscScalar *const x[], PetscInt start)
{
  PetscReal d[BLOCK], sum = 0;

  for (PetscInt i = 0; i < n; ++i) d[i] = PetscRealPart(x[0][start + i]);
  for (PetscInt j = 0; j <= q; ++j) {
    for (PetscInt i = 0; i < n; ++i) d[i] -= c[j] * PetscRealPart(x[j + 1][start + i]);
  }
  for (PetscInt i = 0; i < n; ++i) sum += d[i] * d[i];
  return sum;
}

static PetscErrorCode choose_degree(RungStages stages, PetscInt *degree)
{
  const PetscInt     most               = stages->pasts - 2;
  const PetscScalar *x[RUNG_STAGE_PAST] = {NULL};
  PetscReal          c[MOST + 1][MOST + 1], mine[MOST + 1] = {0}, all[MOST + 1];
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(stages->past[0], &n));
  for (PetscInt j = 0; j < stages->pasts; ++j) PetscCall(VecGetArrayRead(stages->past[j], &x[j]));
  for (PetscInt q = 0; q <= most; ++q) {
    lagrange(q, stages->when + 1, stages->when[0], c[q]);
    for (PetscInt start = 0; start < n; start += SAMPLE * BLOCK)
      mine[q] += misses(PetscMin(BLOCK, n - start), q, c[q], x, start);
  }
  for (PetscInt j = 0; j < stages->pasts; ++j) PetscCall(VecRestoreArrayRead(stages->past[j], &x[j]));
  PetscCallMPI(MPI_Allreduce(mine, all, MOST + 1, MPIU_REAL, MPIU_SUM, stages->stepper->comm));
  *degree = 0;
  for (PetscInt q = 1; q <= most; ++q) {
    if (all[q] < all[*degree]) *degree = q;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagePredict(RungStepper stepper, PetscReal t, Vec w)
{
  RungStages stages = stepper->stages;
  PetscReal  c[MOST + 1];
  PetscInt   q;

  PetscFunctionBegin;
  if (stepper->dirichlet) PetscCall(RungSystemImposeDirichlet(stepper->sys, t, 0, w));
  if (stages->point || stages->bound[0]) PetscFunctionReturn(PETSC_SUCCESS); /* internal variables have their own way */
  PetscCall(refresh(stages));
  if (stages->pasts < 3) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stepper->traits.linear) {
    if (!stages->own) PetscCall(RungSystemCreateVec(stepper->sys, &stages->own));
    PetscCall(VecCopy(w, stages->own));
    stages->predicted = PETSC_TRUE;
  }
  PetscCall(choose_degree(stages, &q));
  lagrange(q, stages->when, t, c);
  PetscCall(RungCombine(w, q + 1, c, stages->past));
  if (stepper->dirichlet) PetscCall(RungSystemImposeDirichlet(stepper->sys, t, 0, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residual_at(RungStages stages, Vec w, PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemResidual(stages->stepper->ts, stages->t, stages->line, stages->load, w, stages->r));
  PetscCall(VecNorm(stages->r, NORM_2, norm));
  ++stages->stepper->statistics.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesChooseGuess(RungStages stages, Vec w)
{
  PetscReal own, other;

  PetscFunctionBegin;
  stages->scale = 0;
  stages->known = PETSC_FALSE;
  if (!stages->predicted || !stages->own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(residual_at(stages, stages->own, &own));
  PetscCall(residual_at(stages, w, &other));
  if (PetscIsInfOrNanReal(other) || other > own)
    PetscCall(VecCopy(stages->own, w));
  else {
    PetscCall(VecCopy(w, stages->own)); /* the solver begins by asking for what stages->r holds */
    stages->known = PETSC_TRUE;
  }
  if (!PetscIsInfOrNanReal(own)) stages->scale = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}
