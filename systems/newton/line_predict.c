/* line_predict.c - where the iteration for the value at the end of a step begins: at what the last levels lead to.

   The polynomial of degree q through the values at t_n, .., t_n-q is continued to the new time.  Its degree is the one that
   would have foretold the newest level best from those before it,

       q = argmin |u_n - (polynomial of degree q through t_n-1, .., t_n-1-q)(t_n)|,

   which knows how smooth the motion is and how much noise the solver leaves in the levels.  Levels are copies of accepted
   ones: a rejected step leaves no trace, a jump and a checkpoint begin anew with what the history holds.

   For a nonlinear system a polynomial can lead out of the domain of F: of it and the method's own guess the one with the
   smaller residual is taken.  The method's own guess can lead out of it, too, or near its end: data that move at once, and loads that end, make
   accelerations as large as the mesh is fine.  In steps that have no three levels for a polynomial the last value is taken then.  Newton's tolerance
   stays relative to the residual of the method's own guess: a better guess saves iterations. */
#include "line_solver_impl.h"

#define BLOCK  256
#define SAMPLE 4 /* one block in so many is looked at */
#define MOST   (RUNG_LINE_PAST - 2)
#define WORSE  0.1 /* |F| at the last value over that at the method's own guess, below which that is not believed */

/* ---- levels ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungLinePastForget(RungLineSolver solver)
{
  PetscFunctionBegin;
  solver->pasts     = 0;
  solver->predicted = solver->begun = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinePastDestroy(RungLineSolver solver)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < RUNG_LINE_PAST; ++j) PetscCall(VecDestroy(&solver->past[j]));
  PetscCall(VecDestroy(&solver->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The oldest makes room. */
static PetscErrorCode push(RungLineSolver solver, const RungState *state)
{
  Vec free = solver->past[RUNG_LINE_PAST - 1];

  PetscFunctionBegin;
  for (PetscInt j = RUNG_LINE_PAST - 1; j > 0; --j) {
    solver->past[j] = solver->past[j - 1];
    solver->when[j] = solver->when[j - 1];
  }
  if (!free) PetscCall(RungSystemCreateVec(solver->sys, &free));
  PetscCall(VecCopy(state->u[0], free));
  solver->past[0] = free;
  solver->when[0] = state->t;
  solver->pasts   = PetscMin(solver->pasts + 1, RUNG_LINE_PAST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refresh(RungLineSolver solver)
{
  RungTransientSystem ts = solver->ts;
  const RungState    *state;
  PetscInt            levels;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  if (levels == 1) solver->pasts = 0; /* the start, or a jump */
  if (solver->pasts) {
    if (state->t > solver->when[0]) PetscCall(push(solver, state));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt back = levels - 1; back >= 0; --back) {
    PetscCall(RungTransientSystemGetState(ts, back, &state));
    PetscCall(push(solver, state));
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

static PetscErrorCode choose_degree(RungLineSolver solver, PetscInt *degree)
{
  const PetscInt     most              = solver->pasts - 2;
  const PetscScalar *x[RUNG_LINE_PAST] = {NULL};
  PetscReal          c[MOST + 1][MOST + 1], mine[MOST + 1] = {0}, all[MOST + 1];
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(solver->past[0], &n));
  for (PetscInt j = 0; j < solver->pasts; ++j) PetscCall(VecGetArrayRead(solver->past[j], &x[j]));
  for (PetscInt q = 0; q <= most; ++q) {
    lagrange(q, solver->when + 1, solver->when[0], c[q]);
    for (PetscInt start = 0; start < n; start += SAMPLE * BLOCK)
      mine[q] += misses(PetscMin(BLOCK, n - start), q, c[q], x, start);
  }
  for (PetscInt j = 0; j < solver->pasts; ++j) PetscCall(VecRestoreArrayRead(solver->past[j], &x[j]));
  PetscCallMPI(MPI_Allreduce(mine, all, MOST + 1, MPIU_REAL, MPIU_SUM, solver->comm));
  *degree = 0;
  for (PetscInt q = 1; q <= most; ++q) {
    if (all[q] < all[*degree]) *degree = q;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinePredict(RungLineSolver solver, PetscReal t, Vec w)
{
  PetscReal c[MOST + 1];
  PetscInt  q;

  PetscFunctionBegin;
  RungNeed(solver);
  if (solver->dirichlet) PetscCall(RungSystemImposeDirichlet(solver->sys, t, 0, w));
  if (solver->point || solver->bound[0]) PetscFunctionReturn(PETSC_SUCCESS); /* internal variables have their own way */
  PetscCall(refresh(solver));
  if (!solver->traits.linear && !solver->own) PetscCall(RungSystemCreateVec(solver->sys, &solver->own));
  if (!solver->traits.linear) PetscCall(VecCopy(solver->pasts < 3 ? solver->past[0] : w, solver->own));
  if (solver->pasts < 3) {
    solver->begun = solver->traits.linear ? PETSC_FALSE : PETSC_TRUE;
    if (solver->begun && solver->dirichlet) PetscCall(RungSystemImposeDirichlet(solver->sys, t, 0, solver->own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  solver->predicted = solver->traits.linear ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(choose_degree(solver, &q));
  lagrange(q, solver->when, t, c);
  PetscCall(RungCombine(w, q + 1, c, solver->past));
  if (solver->dirichlet) PetscCall(RungSystemImposeDirichlet(solver->sys, t, 0, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residual_at(RungLineSolver solver, Vec w, PetscReal *norm, PetscReal norms[])
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, solver->load, w, solver->r));
  PetscCall(VecNorm(solver->r, NORM_2, norm));
  if (norms) PetscCall(RungNewtonNorms(solver, solver->r, norms));
  ++solver->counts.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineMeasureFrom(RungLineSolver solver, PetscReal t, const RungLine *line, Vec w)
{
  PetscFunctionBegin;
  solver->t    = t;
  solver->line = line;
  solver->load = NULL;
  if (solver->point) PetscFunctionReturn(PETSC_SUCCESS); /* F is that of internal variables which follow w */
  PetscCall(residual_at(solver, w, &solver->scale, solver->scales));
  solver->measured = PetscIsInfOrNanReal(solver->scale) ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method's own guess, unless it is out of the domain of F, or of what has accelerations so far off that its residual is many times that of
   the last value: there a body is folded, and Newton's method may find a solution that no motion leads to. */
static PetscErrorCode choose_start(RungLineSolver solver, Vec w)
{
  PetscReal norm, last = PETSC_INFINITY;

  PetscFunctionBegin;
  if (solver->traits.order == 2) PetscCall(residual_at(solver, solver->own, &last, NULL));
  PetscCall(residual_at(solver, w, &norm, NULL));
  if (PetscIsInfOrNanReal(norm) || last < WORSE * norm)
    PetscCall(VecCopy(solver->own, w));
  else {
    PetscCall(VecCopy(w, solver->own));
    solver->known = PETSC_TRUE; /* the solver begins by asking for what solver->r holds */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineChooseGuess(RungLineSolver solver, Vec w)
{
  PetscReal own, other;

  PetscFunctionBegin;
  if (!solver->measured) solver->scale = 0;
  solver->measured = PETSC_FALSE;
  solver->known    = PETSC_FALSE;
  if (solver->begun) PetscCall(choose_start(solver, w));
  if (!solver->predicted || !solver->own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(residual_at(solver, solver->own, &own, solver->scales));
  PetscCall(residual_at(solver, w, &other, NULL));
  if (PetscIsInfOrNanReal(other) || other > own)
    PetscCall(VecCopy(solver->own, w));
  else {
    PetscCall(VecCopy(w, solver->own)); /* the solver begins by asking for what solver->r holds */
    solver->known = PETSC_TRUE;
  }
  if (!PetscIsInfOrNanReal(own)) solver->scale = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}
