/* line_rounding.c - what the rounding of F leaves in a solution, for error tests that have no other size to go by.

   A fluid at rest under its weight has velocities of 1e-16, a body in balance with its load rates of 1e-12: differences of terms that cancel to
   their last digit.  A tolerance relative to those asks for digits of what is noise.  Along a line of states whose places are exact and so near to each
   other that F is straight but for its rounding, second differences are that, with the variance of 1 + 4 + 1 roundings (More and Wild,
   Estimating computational noise, SIAM J. Sci. Comput. 33, 2011), and it changes w by w',

       J w' = (F(t, u + 2 d) - 2 F(t, u + d) + F(t, u))/sqrt(6),    d_i = 2^-36 xi_i u_i,    1 <= |xi_i| < 2,

   J that of the last stage, so that the stiffness damps what it damps in stages.  Few rows may have no rounding along a line, by chance, and at rest
   by the same chance each time: they are looked at along several.  It is the rounding that there is: what errors of elements do to each other, and
   terms that vanish exactly, are in it, as bounds by the size of terms are not. */
#include "line_solver_impl.h"

#define CHANGE 1.4551915228366852e-11 /* 2^-36, of each value: its square is far below rounding */
#define MOST   1e18                   /* slopes of stages times powers of the step are numbers of a tableau */
#define ROWS   64                     /* along all lines, */
#define LINES  16                     /* of which there are no more */

/* Knuth, The Art of Computer Programming 3, 6.4: multiplication by the golden ratio.  With equal |xi| the product of 1e6 and 2/3 is rounded
   alike at all three places. */
PetscReal RungChanceOf(PetscInt i)
{
  uint64_t bits = (uint64_t)(i + 1) * UINT64_C(11400714819323198485);

  bits = (bits ^ (bits >> 32)) * UINT64_C(11400714819323198485);
  return (bits >> 63 ? 1 : -1) * (1 + (PetscReal)(bits >> 43 & 0xfffff) / 0x100000);
}

/* v_i = v_i + times d_i, with xi behind the first `skip` of the sequence.  d_i is the difference of two numbers that are near to each other, so that
   it and the sum are exact, but where a power of 2 lies between them. */
static PetscErrorCode change(Vec v, PetscInt skip, PetscReal times)
{
  PetscScalar *x;
  PetscInt     first, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, NULL));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < n; ++i) {
    const volatile PetscReal near = PetscRealPart(x[i]) * (1 + CHANGE * RungChanceOf(skip + first + i)),
                             d    = near - PetscRealPart(x[i]);

    x[i] += times * d;
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r[1] = the second difference of above along line l; work: as many as u */
static PetscErrorCode differ(RungLineSolver solver, PetscReal t, const Vec u[], PetscInt l, const Vec work[], Vec w,
                             const Vec r[2])
{
  static const PetscReal weight[] = {1, -2, 1};
  const PetscInt         n = solver->traits.unknowns, order = solver->traits.order;
  RungLine               line = {.base = {NULL}};
  PetscInt               size;

  PetscFunctionBegin;
  PetscCall(VecGetSize(w, &size));
  PetscCall(PetscArraycpy(line.slope, solver->last->slope, (order + 1) * n)); /* what is conserved is multiplied with */
  PetscCall(VecZeroEntries(w));
  PetscCall(VecZeroEntries(r[1]));
  for (int i = 0; i < 3; ++i) {
    for (PetscInt k = 0; k < PetscMax(1, order); ++k) {
      PetscCall(VecCopy(u[k], work[k]));
      if (i) PetscCall(change(work[k], l * size, i));
      line.base[k] = work[k];
    }
    PetscCall(RungTransientSystemResidual(solver->ts, t, &line, NULL, w, r[0]));
    PetscCall(VecAXPY(r[1], weight[i] / PetscSqrtReal(6), r[0]));
  }
  solver->counts.residuals += 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has no rate and follows from what others leave, as a multiplier of loads in balance, has the rounding of solves as well: J e = r, where r is
   rounding of the terms of J u.  rounding[2 f] is at least the largest |e_f|. */
static PetscErrorCode add_solves(RungLineSolver solver, Vec u, const PetscBool doubt[], Vec r, Vec e,
                                 PetscReal rounding[])
{
  RungVerdict verdict = {.solved = PETSC_TRUE};
  PetscReal   size[RUNG_MAX_UNKNOWNS];
  PetscBool   known, any = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    any = any || (doubt[f] && solver->traits.unknown_order[f] == 0) ? PETSC_TRUE : PETSC_FALSE;
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonRoundingOfSolve(solver, solver->last->J, u, r, &known));
  if (known) PetscCall(RungLineApply(solver, r, e, &verdict));
  if (!known || !verdict.solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonLargest(solver, e, size));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    if (doubt[f] && solver->traits.unknown_order[f] == 0 && isfinite(size[f]))
      rounding[2 * f] = PetscMax(rounding[2 * f], size[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rounding[2 f + k] is at least the largest |u_f^(k)| that an error w' = x makes in a step of length h, slope_j x in u^(j) and h^(j-k) times that
   in u^(k). */
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
      if (isfinite(size[f] * most)) rounding[2 * f + k] = PetscMax(rounding[2 * f + k], size[f] * most);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A projection on constraints weighs masses with 1e36 over the step: nothing is read off its matrix. */
static PetscBool is_stage(RungLineSolver solver, const RungLineSlot *slot, PetscReal h)
{
  const PetscInt n = solver->traits.unknowns;

  if (!slot) return PETSC_FALSE;
  for (PetscInt i = n; i < (solver->traits.order + 1) * n; ++i)
    if (PetscAbsReal(slot->slope[i]) * PetscPowReal(h, (PetscReal)(i / n)) > MOST) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* The last one, or else the newest other one, which serves stages; NULL: there is none */
static RungLineSlot *find_stage(RungLineSolver solver, PetscReal h)
{
  RungLineSlot *found = NULL;

  if (is_stage(solver, solver->last, h)) return solver->last;
  for (PetscInt i = 0; i < solver->n; ++i) {
    RungLineSlot *slot = &solver->slot[i];

    if (slot->filled && is_stage(solver, slot, h) && (!found || slot->used > found->used)) found = slot;
  }
  return found;
}

/* rounding[] along all lines; work: two of u, w and two of r */
static PetscErrorCode look(RungLineSolver solver, PetscReal t, const Vec u[], PetscReal h, const PetscBool doubt[],
                           const Vec work[], PetscReal rounding[])
{
  RungVerdict verdict = {.solved = PETSC_TRUE};
  PetscInt    size;

  PetscFunctionBegin;
  PetscCall(VecGetSize(work[2], &size));
  for (PetscInt l = 0; l < LINES && verdict.solved && (l == 0 || l * size < ROWS); ++l) {
    PetscCall(differ(solver, t, u, l, work, work[2], work + 3));
    PetscCall(RungLineApply(solver, work[4], work[3], &verdict));
    if (verdict.solved) PetscCall(take_sizes(solver, work[3], h, rounding));
  }
  PetscCall(add_solves(solver, u[0], doubt, work[3], work[4], rounding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungLineTakeDoubt(RungLineSolver solver, PetscBool doubt[])
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt f = 0; solver && f < solver->traits.unknowns; ++f) {
    if (solver->doubt[f]) doubt[f] = any = PETSC_TRUE;
    solver->doubt[f] = PETSC_FALSE;
  }
  return any;
}

PetscErrorCode RungLineRounding(RungLineSolver solver, PetscReal t, const Vec u[], PetscReal h, const PetscBool doubt[],
                                PetscReal rounding[])
{
  RungLineSlot *last = solver ? solver->last : NULL;
  Vec          *work;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(PetscArrayzero(rounding, 2 * solver->traits.unknowns));
  solver->last = find_stage(solver, h);
  if (!solver->last) {
    solver->last = last;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicateVecs(solver->r, 5, &work));
  RungCallFinally(look(solver, t, u, h, doubt, work, rounding), PetscCall(VecDestroyVecs(5, &work)));
  solver->last = last;
  PetscFunctionReturn(PETSC_SUCCESS);
}
