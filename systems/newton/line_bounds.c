/* line_bounds.c - Newton's method with bounds on unknowns: which values are held, in whatever units, and what is solved for beside them. */
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

/* Of SNESVISetRedundancyCheck(): what is held in this iteration; nothing of it is redundant. */
static PetscErrorCode keep_active(SNES snes, IS held, IS *redundant, void *ctx)
{
  RungLineSlot *slot = ctx;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(PetscObjectReference((PetscObject)held));
  PetscCall(ISDestroy(&slot->active));
  slot->active = held;
  *redundant   = NULL;
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
  if (reduces) PetscCall(SNESVISetRedundancyCheck(slot->snes, keep_active, slot));
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
