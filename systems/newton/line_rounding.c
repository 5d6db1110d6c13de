/* line_rounding.c - what the rounding of F leaves in a solution, for error tests that have no other size to go by.

   A fluid at rest under its weight has velocities of 1e-16, a body in balance with its load rates of 1e-12: differences of terms that cancel to
   their last digit.  A tolerance relative to those asks for digits of what is noise.  With numbers xi_i between -1.7 and 1.7, whose mean square is 1,
   and signs zeta_i, by chance but the same in each run, and u the unit of the last place, the terms of row i are as large as what their changes
   make, rounding has a sign of its own in each row, and w changes by w',

       J w' = r,    r_i = zeta_i (F_i(t, (1 + u xi_j) u_j, ..) - F_i(t, u_j, ..)),

   J that of the last solve, so that the stiffness damps what it damps in stages.  Without zeta pressures would take all of it, and velocities
   nothing.  It is made with 1e-8 in the place of u, and scaled: F's own rounding has no part in the difference. */
#include "line_solver_impl.h"

#define CHANGE 1e-8 /* of each value */

/* Between -1 and 1 by the number of an entry and of a sequence (Knuth, The Art of Computer Programming 3, 6.4: multiplication by the golden
   ratio) */
static PetscReal chance(PetscInt i, PetscInt sequence)
{
  uint64_t bits = (uint64_t)(2 * i + sequence + 1) * UINT64_C(11400714819323198485);

  bits = (bits ^ (bits >> 32)) * UINT64_C(11400714819323198485);
  return 2 * (PetscReal)(bits >> 40) / (PetscReal)(1 << 24) - 1;
}

/* v_i = v_i (1 + u' xi_i) */
static PetscErrorCode change(Vec v)
{
  PetscScalar *x;
  PetscInt     first, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, NULL));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= 1 + CHANGE * 1.7 * chance(first + i, 0);
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_i = zeta_i v_i */
static PetscErrorCode give_signs(Vec v)
{
  PetscScalar *x;
  PetscInt     first, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, NULL));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < n; ++i)
    if (chance(first + i, 1) < 0) x[i] = -x[i];
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r[1] of above; work: as many as u */
static PetscErrorCode differ(RungLineSolver solver, PetscReal t, const Vec u[], const Vec work[], Vec w, const Vec r[2])
{
  const PetscInt n = solver->traits.unknowns, order = solver->traits.order;
  RungLine       line = {.base = {NULL}};

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(line.slope, solver->last->slope, (order + 1) * n)); /* what is conserved is multiplied with */
  PetscCall(VecZeroEntries(w));
  for (PetscInt k = 0; k < PetscMax(1, order); ++k) line.base[k] = u[k];
  PetscCall(RungTransientSystemResidual(solver->ts, t, &line, NULL, w, r[0]));
  for (PetscInt k = 0; k < PetscMax(1, order); ++k) {
    PetscCall(VecCopy(u[k], work[k]));
    PetscCall(change(work[k]));
    line.base[k] = work[k];
  }
  PetscCall(RungTransientSystemResidual(solver->ts, t, &line, NULL, w, r[1]));
  PetscCall(VecAXPY(r[1], -1, r[0]));
  PetscCall(give_signs(r[1]));
  solver->counts.residuals += 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rounding[2 f + k] of w' */
static PetscErrorCode take_sizes(RungLineSolver solver, Vec x, PetscReal h, PetscReal rounding[])
{
  const PetscInt   n     = solver->traits.unknowns;
  const PetscReal *slope = solver->last->slope;
  PetscReal        size[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(RungNewtonLargest(solver, x, size));
  for (PetscInt f = 0; f < n; ++f) {
    for (PetscInt k = 0; k < 2; ++k) {
      PetscReal most = 0, power = 1;

      for (PetscInt j = k; j <= solver->traits.order; ++j, power *= h)
        most = PetscMax(most, PetscAbsReal(slope[j * n + f]) * power);
      rounding[2 * f + k] = PETSC_MACHINE_EPSILON / CHANGE * size[f] * most;
      if (!isfinite(rounding[2 * f + k])) rounding[2 * f + k] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineRounding(RungLineSolver solver, PetscReal t, const Vec u[], PetscReal h, PetscReal rounding[])
{
  RungVerdict verdict = {.solved = PETSC_TRUE};
  Vec        *work;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(PetscArrayzero(rounding, 2 * solver->traits.unknowns));
  if (!solver->last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicateVecs(solver->r, 5, &work));
  RungCallOrUndo(differ(solver, t, u, work, work[2], work + 3), PetscCall(VecDestroyVecs(5, &work)));
  RungCallOrUndo(RungLineApply(solver, work[4], work[3], &verdict), PetscCall(VecDestroyVecs(5, &work)));
  RungCallFinally(verdict.solved ? take_sizes(solver, work[3], h, rounding) : PETSC_SUCCESS,
                  PetscCall(VecDestroyVecs(5, &work)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
