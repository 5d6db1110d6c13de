/* consistent_constraints.c - consistent rates where equations without a rate are constraints: these are differentiated (consistent.c).

   A row of dF/dw that is empty at h = 0 is that of a constraint on u, as div(u) = 0 of a flow, or the balance of forces of a porous body beside a rate of
   its volume.  What w has to satisfy is its derivative in time, on the Taylor lines of consistent.c

       d/dt F_i = lim (F_i(h) - F_i(0)) / h,    h -> 0,    by extrapolation from h, h/2, h/3, h/4,

   which costs residuals and no solve.  dF_i/dw at a step h0 that is next to nothing, over h0, is the matrix of that.  With these rows in the place of the
   empty ones one matrix does for all solves, where those of consistent_shift.c have one for each h.

   Given values that miss constraints are projected first: w at the step h0 leaves M u as it is, and u moves by h0 w.

   Constraints that stand in no row of their own, or of which positions alone are held at order 2 in time, are left to consistent_shift.c. */
#include "consistent_impl.h"

#define NOTHING  1e-14 /* h0, in times of the system                                        */
#define FIRST    1e-2  /* the largest h of the extrapolation, likewise                      */
#define DOWN     6     /* steps h that are tried, a factor of ten apart                     */
#define MOVES    4     /* projections, of what is not linear                                */
#define HELD     100   /* |F_i| that holds, in rounding errors                              */
#define ACCURATE 1e-9  /* relative change of w from one h to the next that ends the search  */
#define POOR     1e-6  /* the largest one that is accepted                                  */
#define SQUARE   3     /* growth of a row of dF/dw with twice the step: more is that of h^2 */

/* Weights w_j of polynomial extrapolation to 0 from h/j, times j: what (F(h/j) - F(0)) / h is multiplied by. */
static void slope_weights(PetscReal weight[RUNG_NODES])
{
  for (PetscInt j = 1; j <= RUNG_NODES; ++j) {
    weight[j - 1] = (PetscReal)j;
    for (PetscInt i = 1; i <= RUNG_NODES; ++i)
      if (i != j) weight[j - 1] *= (1.0 / i) / (1.0 / i - 1.0 / j);
  }
}

/* v = 0 in rows of constraints (of), or in the others */
static PetscErrorCode empty_rows(RungConsistent c, PetscBool of, Vec v)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < c->ts->sys->local; ++i)
    if (c->constraint[i] == of) x[i] = 0;
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum = d/dt F of constraints at w, 0 in other rows;  at: F(0) */
static PetscErrorCode differentiate(RungConsistent c, Vec w, Vec at, Vec sum)
{
  PetscReal weight[RUNG_NODES], norm;

  PetscFunctionBegin;
  slope_weights(weight);
  PetscCall(VecZeroEntries(sum));
  for (PetscInt j = 1; j <= RUNG_NODES; ++j) {
    c->h = c->later_by / (PetscReal)j;
    PetscCall(RungConsistentResidual(c->ts, c, w, c->node[1], &norm));
    PetscCall(VecAXPY(c->node[1], -1, at));
    PetscCall(VecAXPY(sum, weight[j - 1] / c->later_by, c->node[1]));
  }
  c->h = 0;
  PetscCall(empty_rows(c, PETSC_FALSE, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentConstraintsResidual(RungConsistent c, Vec w, Vec r)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(RungConsistentResidual(c->ts, c, w, r, &norm));
  if (c->h > 0) { /* values are projected */
    PetscCall(VecPointwiseMult(r, r, c->over));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungCallFinally(differentiate(c, w, r, c->node[0]), c->h = 0);
  PetscCall(empty_rows(c, PETSC_TRUE, r));
  PetscCall(VecAXPY(r, 1, c->node[0]));
  PetscCall(VecScale(r, c->unit_row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_at(RungConsistent c, PetscReal h, Vec w, Mat J)
{
  PetscFunctionBegin;
  c->h = h;
  PetscCall(RungConsistentLines(c->ts, c, w));
  PetscCall(RungConsistentJacobian(c->ts, c, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentConstraintsJacobian(RungConsistent c, Vec w, Mat J)
{
  const PetscReal h = c->h;

  PetscFunctionBegin;
  RungCallFinally(fill_at(c, c->nothing, w, J), c->h = h);
  PetscCall(MatDiagonalScale(J, c->over, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *some: rows of c->J are empty, and c->constraint says which; *first: the unknown with the most entries has such rows. */
static PetscErrorCode find_constraints(RungConsistent c, PetscBool *some, PetscBool *first)
{
  const RungSystem   sys                  = c->ts->sys;
  PetscInt           n[RUNG_MAX_UNKNOWNS] = {0}, empty[RUNG_MAX_UNKNOWNS] = {0}, largest = 0;
  const PetscScalar *most;
  PetscBool          rows;

  PetscFunctionBegin;
  *some = PETSC_FALSE;
  PetscCall(MatHasOperation(c->J, MATOP_GET_ROW_MAX_ABS, &rows));
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->constraint) PetscCall(PetscMalloc1(sys->local + 1, &c->constraint));
  PetscCall(MatGetRowMaxAbs(c->J, c->r, NULL));
  PetscCall(VecGetArrayRead(c->r, &most));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    n[f] = sys->range[f + 1] - sys->range[f];
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      c->constraint[i] = most[i] == 0.0 ? PETSC_TRUE : PETSC_FALSE;
      empty[f] += c->constraint[i];
    }
  }
  PetscCall(VecRestoreArrayRead(c->r, &most));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, RUNG_MAX_UNKNOWNS, MPIU_INT, MPI_SUM, sys->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, empty, RUNG_MAX_UNKNOWNS, MPIU_INT, MPI_SUM, sys->comm));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    if (empty[f]) *some = PETSC_TRUE;
    if (n[f] > n[largest]) largest = f;
  }
  *first = empty[largest] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are rows of constraints proportional to a small step, and to no power of it? */
static PetscErrorCode are_reached(RungConsistent c, PetscBool *reached)
{
  const PetscScalar *once, *twice;
  PetscInt           other = 0;

  PetscFunctionBegin;
  PetscCall(RungConsistentGuess(c->ts, c));
  PetscCall(fill_at(c, 2 * c->nothing, c->w, c->J));
  PetscCall(MatGetRowMaxAbs(c->J, c->node[1], NULL));
  PetscCall(fill_at(c, c->nothing, c->w, c->J));
  PetscCall(MatGetRowMaxAbs(c->J, c->node[0], NULL));
  c->h = 0;
  PetscCall(VecGetArrayRead(c->node[0], &once));
  PetscCall(VecGetArrayRead(c->node[1], &twice));
  for (PetscInt i = 0; i < c->ts->sys->local; ++i)
    if (c->constraint[i] &&
        !(PetscAbsScalar(once[i]) > 0 && PetscAbsScalar(twice[i]) <= SQUARE * PetscAbsScalar(once[i])))
      other = 1;
  PetscCall(VecRestoreArrayRead(c->node[1], &twice));
  PetscCall(VecRestoreArrayRead(c->node[0], &once));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPIU_INT, MPI_MAX, c->ts->sys->comm));
  *reached = other ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of dF/dw over 1, or h0: 1/h0 for constraints and 1 for others, or 1 and h0.  Rows of the largest unknown are as they are, since multigrid makes
   the matrices of its levels as c->J was made. */
static PetscErrorCode set_rows(RungConsistent c, PetscBool first)
{
  PetscScalar *over;

  PetscFunctionBegin;
  if (!c->over) PetscCall(VecDuplicate(c->w, &c->over));
  c->unit_row = first ? c->nothing : 1;
  PetscCall(VecGetArrayWrite(c->over, &over));
  for (PetscInt i = 0; i < c->ts->sys->local; ++i)
    over[i] = c->constraint[i] ? (first ? 1 : 1 / c->nothing) : c->unit_row;
  PetscCall(VecRestoreArrayWrite(c->over, &over));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the given values satisfy the constraints up to rounding?  c->jump[0] = rounding errors of F at the guess, c->h = 0 */
static PetscErrorCode are_held(RungConsistent c, PetscBool *held)
{
  PetscReal norm[RUNG_MAX_UNKNOWNS], rounding[RUNG_MAX_UNKNOWNS], size;

  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(c->ts, c));
  PetscCall(RungConsistentNoise(c->ts, c));
  PetscCall(VecCopy(c->rounding, c->jump[0]));
  PetscCall(empty_rows(c, PETSC_FALSE, c->rounding));
  PetscCall(RungNewtonNorms(c->solver, c->rounding, rounding));
  PetscCall(RungConsistentResidual(c->ts, c, c->w, c->r, &size));
  PetscCall(empty_rows(c, PETSC_FALSE, c->r));
  PetscCall(RungNewtonNorms(c->solver, c->r, norm));
  *held = PETSC_TRUE;
  for (PetscInt f = 0; f < c->ts->sys->traits.unknowns; ++f)
    if (!(norm[f] <= HELD * rounding[f])) *held = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->u0 moves by h0 w: values of what has order 1, rates of what has order 2. */
static PetscErrorCode move(RungConsistent c)
{
  const PetscScalar *w;
  PetscScalar       *u;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(c->w, &w));
  for (PetscInt k = 0; k < c->ts->order; ++k) {
    PetscCall(VecGetArray(c->u0[k], &u));
    for (PetscInt i = 0; i < c->ts->sys->local; ++i)
      if (c->order[i] == k + 1) u[i] += c->nothing * w[i];
    PetscCall(VecRestoreArray(c->u0[k], &u));
    PetscCall(RungSystemImposeDirichlet(c->ts->sys, c->t, k, c->u0[k]));
  }
  PetscCall(VecRestoreArrayRead(c->w, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method.  *fresh: c->J is dF/dw at c->w already, as it is for all w where it stays. */
static PetscErrorCode newton(RungConsistent c, PetscBool *fresh, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentNewton(c->ts, c, *fresh, solved));
  PetscCall(RungConsistentStays(c, fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode project(RungConsistent c, PetscBool *fresh, PetscBool *held)
{
  PetscBool solved = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(are_held(c, held));
  for (PetscInt i = 0; i < MOVES && !*held && solved; ++i) {
    PetscCall(VecPointwiseMult(c->rounding, c->jump[0], c->over));
    c->h = c->nothing;
    PetscCall(newton(c, fresh, &solved));
    if (solved) PetscCall(move(c));
    PetscCall(are_held(c, held));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->rounding of F with the derivatives of constraints */
static PetscErrorCode set_rounding(RungConsistent c)
{
  PetscReal weight[RUNG_NODES], sum = 0;

  PetscFunctionBegin;
  slope_weights(weight);
  for (PetscInt j = 0; j < RUNG_NODES; ++j) sum += 2 * PetscAbsReal(weight[j]) / c->later_by;
  PetscCall(VecCopy(c->jump[0], c->rounding));
  PetscCall(VecCopy(c->jump[0], c->other));
  PetscCall(empty_rows(c, PETSC_FALSE, c->other));
  PetscCall(VecAXPY(c->rounding, sum - 1, c->other));
  PetscCall(VecScale(c->rounding, c->unit_row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->w with smaller and smaller steps of the extrapolation, until it stays or rounding moves it */
static PetscErrorCode find_rates(RungConsistent c, PetscReal scale, PetscBool *fresh, PetscBool *solved)
{
  PetscReal error, size, best = PETSC_INFINITY;
  PetscBool on = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungConsistentGuess(c->ts, c));
  c->h = FIRST * scale;
  PetscCall(RungConsistentResidual(c->ts, c, c->w, c->r, &c->later));
  c->h        = 0;
  c->later_by = FIRST * scale;
  for (PetscInt i = 0; i < DOWN && on; ++i, c->later_by /= 10) {
    PetscCall(set_rounding(c));
    PetscCall(VecCopy(c->w, c->other));
    PetscCall(newton(c, fresh, &on));
    if (!on) break;
    PetscCall(VecAXPY(c->other, -1, c->w));
    PetscCall(RungConsistentSize(c, c->other, &error));
    PetscCall(RungConsistentSize(c, c->w, &size));
    if (size > 0) error /= size;
    if (i && error >= best) on = PETSC_FALSE;
    if (i && error < best) best = error;
    if (on) PetscCall(VecCopy(c->w, c->best));
    if (best <= ACCURATE || (i && error == 0)) on = PETSC_FALSE;
  }
  *solved = best <= POOR ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecCopy(c->best, c->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungConsistent c, PetscBool initial, PetscReal scale, PetscBool *solved)
{
  PetscBool fresh = PETSC_TRUE, held;

  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(c->ts, c));
  PetscCall(RungConsistentConstraintsJacobian(c, c->w, c->J));
  PetscCall(RungConsistentIsRegular(c->ts, c, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  if (initial)
    PetscCall(project(c, &fresh, &held));
  else
    PetscCall(are_held(c, &held));
  *solved = held;
  if (held) PetscCall(find_rates(c, scale, &fresh, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors, where there are such, are kept for matrices that are near. */
static PetscErrorCode solve_lagged(RungConsistent c, PetscBool initial, PetscReal scale, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentLag(c, PETSC_TRUE));
  RungCallFinally(solve(c, initial, scale, solved), PetscCall(RungConsistentLag(c, PETSC_FALSE)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a Schur complement, if it is one for that; else, and where it fails, by factors. */
static PetscErrorCode solve_either_way(RungConsistent c, PetscBool initial, PetscReal scale, PetscBool *solved)
{
  PetscBool split, matrix_free;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  PetscCall(RungSystemSplitStart(c->ts->sys, c->ksp, &split));
  if (split) {
    c->solver->slot[0].factored = -1;
    RungCallFinally(solve_lagged(c, initial, scale, solved), PetscCall(KSPReset(c->ksp));
                    PetscCall(RungConsistentSetSolver(c, c->ksp, &matrix_free)); c->solver->slot[0].factored = -1);
  }
  if (!*solved) PetscCall(solve_lagged(c, initial, scale, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentConstraints(RungTransientSystem ts, RungConsistent c, PetscBool initial, PetscBool *solved)
{
  PetscReal scale;
  PetscBool some, first;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  PetscCall(find_constraints(c, &some, &first));
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungConsistentFindTime(ts, c, &scale));
  c->nothing = NOTHING * scale;
  PetscCall(are_reached(c, &some));
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_rows(c, first));
  c->differentiated = PETSC_TRUE;
  RungCallFinally(solve_either_way(c, initial, scale, solved), c->differentiated = PETSC_FALSE; c->h = 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
