/* line_bounds.c - Newton's method with bounds on unknowns: which values are held, in whatever units, and what is solved for beside them.

   A contact that is too large has the jump of the slope at its rim as a force that pulls, all of it in the outermost entries.  To let go
   of these alone moves the rim by one cell an iteration.  Their force is what the contact in front of them would have to bear, so that as
   much of it is let go of as that force outweighs: it goes on to the neighbours, and what it outweighs there passes it on.  In one
   dimension this is Newton's method for the place of the rim.  A rank lets go of its own entries; the next iteration crosses borders. */
#include "line_solver_impl.h"

#include <stdio.h>

/* Iterates are projected, so that a value which a bound holds is the bound: PETSc's 1e-8 of nearness, whatever the units are, would hold all
   of a solution in small ones. */
PetscErrorCode RungLineReadOptions(RungLineSolver solver, SNES snes, const char prefix[])
{
  char      option[128];
  PetscBool given = PETSC_TRUE;

  PetscFunctionBegin;
  (void)snprintf(option, sizeof option, "-%ssnes_vi_zero_tolerance", prefix ? prefix : "");
  if (solver->bound[0]) PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, option, "0"));
  RungCallFinally(SNESSetFromOptions(snes), if (!given) PetscCall(PetscOptionsClearValue(NULL, option)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FLOODS 10 /* iterations that let go of more than what pulls; afterwards what they do may be undone for ever */

#define WAITS -1 /* has been let go of, its force is still its own      */
#define FREE  -2 /* was not held, or has passed its force on            */

typedef struct {
  PetscInt   start, rows;
  PetscInt  *queue; /* owned, [row], rows to be let go of                                */
  PetscReal *bears; /* owned, [row], force of the contact, or one of the two below       */
} Flood;

static PetscErrorCode flood_destroy(Flood *flood)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(flood->queue));
  PetscCall(PetscFree(flood->bears));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is held bears |F|; *last rows stand at a bound and pull, force[] as much. */
static PetscErrorCode find_pulling(RungLineSolver solver, SNES snes, IS held, Flood *flood, PetscReal force[],
                                   PetscInt *last)
{
  const PetscScalar *F, *x, *bound[2];
  const PetscInt    *index;
  PetscInt           n;
  Vec                w, f;

  PetscFunctionBegin;
  *last = 0;
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(SNESGetFunction(snes, &f, NULL, NULL));
  PetscCall(VecGetArrayRead(w, &x));
  PetscCall(VecGetArrayRead(f, &F));
  for (int side = 0; side < 2; ++side) PetscCall(VecGetArrayRead(solver->bound[side], &bound[side]));
  PetscCall(ISGetLocalSize(held, &n));
  PetscCall(ISGetIndices(held, &index));
  for (PetscInt i = 0; i < flood->rows; ++i) {
    const PetscReal low = x[i] <= bound[0][i] ? -F[i] : 0, high = x[i] >= bound[1][i] ? F[i] : 0;

    force[i]        = x[i] <= bound[0][i] && x[i] >= bound[1][i] ? 0 : PetscMax(0, PetscMax(low, high));
    flood->bears[i] = force[i] > 0 ? WAITS : FREE;
    if (force[i] > 0) flood->queue[(*last)++] = i;
  }
  for (PetscInt i = 0; i < n; ++i) flood->bears[index[i] - flood->start] = PetscAbsScalar(F[index[i] - flood->start]);
  PetscCall(ISRestoreIndices(held, &index));
  for (int side = 0; side < 2; ++side) PetscCall(VecRestoreArrayRead(solver->bound[side], &bound[side]));
  PetscCall(VecRestoreArrayRead(f, &F));
  PetscCall(VecRestoreArrayRead(w, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The force of a row goes on to the neighbours that are held or wait, in equal parts, and adds up there until it outweighs what they
   bear. */
static PetscErrorCode pass_on(Mat J, Flood *flood, PetscInt row, PetscReal force[], PetscInt *last)
{
  const PetscInt *column;
  PetscInt        n, others = 0;

  PetscFunctionBegin;
  flood->bears[row] = FREE;
  PetscCall(MatGetRow(J, flood->start + row, &n, &column, NULL));
  for (int turn = 0; turn < 2; ++turn) {
    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt i = column[k] - flood->start;

      if (i < 0 || i >= flood->rows || flood->bears[i] == FREE) continue;
      if (!turn) {
        ++others;
        continue;
      }
      force[i] += force[row] / (PetscReal)others;
      if (flood->bears[i] == WAITS || force[i] <= flood->bears[i]) continue;
      force[i] -= flood->bears[i];
      flood->bears[i]         = WAITS;
      flood->queue[(*last)++] = i;
    }
  }
  PetscCall(MatRestoreRow(J, flood->start + row, &n, &column, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode let_go(RungLineSlot *slot, SNES snes, IS held, Flood *flood, PetscReal force[], IS *left)
{
  PetscInt first = 0, last, n = 0;

  PetscFunctionBegin;
  PetscCall(find_pulling(slot->solver, snes, held, flood, force, &last));
  for (; first < last; ++first) PetscCall(pass_on(slot->J, flood, flood->queue[first], force, &last));
  for (PetscInt i = 0; i < flood->rows; ++i)
    if (flood->bears[i] >= 0) flood->queue[n++] = flood->start + i;
  PetscCall(ISCreateGeneral(slot->solver->comm, n, flood->queue, PETSC_COPY_VALUES, left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of SNESVISetRedundancyCheck(): what is held in this iteration, which PETSc wants in the place of what is redundant. */
static PetscErrorCode choose_held(SNES snes, IS held, IS *left, void *ctx)
{
  RungLineSlot *slot  = ctx;
  Flood         flood = {0};
  PetscReal    *force = NULL;
  PetscInt      it;
  PetscBool     rows;

  PetscFunctionBegin;
  *left = NULL;
  PetscCall(SNESGetIterationNumber(snes, &it));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)slot->J, &rows, MATSEQAIJ, MATMPIAIJ, ""));
  if (slot->full && it < FLOODS && rows) {
    PetscCall(MatGetOwnershipRange(slot->J, &flood.start, &flood.rows));
    flood.rows -= flood.start;
    PetscCall(PetscMalloc1(flood.rows, &flood.queue));
    PetscCall(PetscMalloc1(flood.rows, &flood.bears));
    PetscCall(PetscMalloc1(flood.rows, &force));
    RungCallFinally(let_go(slot, snes, held, &flood, force, left), PetscCall(flood_destroy(&flood));
                    PetscCall(PetscFree(force)));
  }
  PetscCall(PetscObjectReference((PetscObject)(*left ? *left : held)));
  PetscCall(ISDestroy(&slot->active));
  slot->active = *left ? *left : held;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSetBounds(RungLineSolver solver, RungLineSlot *slot)
{
  PetscBool reduces;

  PetscFunctionBegin;
  if (!solver->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    PetscCheck(solver->problem == PROBLEM_LINE && solver->line->slope[f] == 1, solver->comm, PETSC_ERR_SUP,
               "the method does not solve for values at the end of its stages, which bounds on unknowns want; try "
               "-stepper_type bdf");
  }
  PetscCall(RungSystemGetBounds(solver->sys, solver->t, solver->bound[0], solver->bound[1]));
  for (int side = 0; side < 2 && solver->line->base[0]; ++side)
    PetscCall(VecAXPY(solver->bound[side], -1, solver->line->base[0]));
  PetscCall(SNESVISetVariableBounds(slot->snes, solver->bound[0], solver->bound[1]));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, SNESVINEWTONRSLS, &reduces));
  if (reduces) PetscCall(SNESVISetRedundancyCheck(slot->snes, choose_held, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolveFree(KSP ksp, IS held, Vec b, Vec x)
{
  PetscInt begin, end;
  Vec      free_b, free_x;
  IS       others;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(b, &begin, &end));
  PetscCall(ISComplement(held, begin, end, &others));
  PetscCall(VecZeroEntries(x));
  PetscCall(VecGetSubVector(b, others, &free_b));
  PetscCall(VecGetSubVector(x, others, &free_x));
  RungCallFinally(KSPSolve(ksp, free_b, free_x), PetscCall(VecRestoreSubVector(x, others, &free_x));
                  PetscCall(VecRestoreSubVector(b, others, &free_b)); PetscCall(ISDestroy(&others)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
