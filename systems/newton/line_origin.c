/* line_origin.c - lines with an origin: what is solved for is the increment z = w - origin, which rates are made of.

       u^(k) = base_k + slope_k z

   With slope_2 = 1/h^2 a last digit of w is one of size u/h^2 in u'': at h = 1e-8 as large as u itself.  z keeps all of its digits.
   Guesses are made of values, and how exact a solution has to be is told by values: they are origin + z. */
#include "line_solver_impl.h"

#define SMALL 1e-6 /* of |w|: shorter increments are solved for to digits of their own */

static PetscBool has_origin(const RungLineSolver solver)
{
  return solver->problem == PROBLEM_LINE && solver->line->origin ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungLineValue(RungLineSolver solver, Vec z, Vec *w)
{
  PetscFunctionBegin;
  *w = z;
  if (!has_origin(solver)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!solver->value) PetscCall(VecDuplicate(solver->r, &solver->value));
  *w = solver->value;
  PetscCall(VecWAXPY(*w, 1, solver->line->origin, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineIncrement(RungLineSolver solver, Vec w, Vec z)
{
  PetscFunctionBegin;
  if (w == z) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAXPY(w, -1, solver->line->origin));
  if (solver->dirichlet) PetscCall(RungSystemTakeDirichlet(solver->sys, z, w));
  PetscCall(VecCopy(w, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is z of some unknown with a rate so small beside its value that what an iteration leaves of the value is all of z? */
static PetscErrorCode is_small(RungLineSolver solver, Vec z, PetscBool *small)
{
  PetscReal size[RUNG_MAX_UNKNOWNS], all[RUNG_MAX_UNKNOWNS];
  Vec       w;

  PetscFunctionBegin;
  PetscCall(RungLineValue(solver, z, &w));
  PetscCall(RungNewtonNorms(solver, z, size));
  PetscCall(RungNewtonNorms(solver, w, all));
  *small = PETSC_FALSE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (solver->traits.unknown_order[f] > 0 && all[f] > 0 && size[f] <= SMALL * all[f]) *small = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineOpen(RungLineSolver solver, const RungLineSlot *slot, Vec z)
{
  PetscFunctionBegin;
  solver->small = PETSC_FALSE;
  if (!has_origin(solver)) PetscFunctionReturn(PETSC_SUCCESS);
  if (solver->keep && slot->iterative) PetscCall(is_small(solver, z, &solver->small));
  if (!solver->predicted && !solver->continued && !solver->begun) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAXPY(solver->own, -1, solver->line->origin));
  if (solver->dirichlet) PetscCall(RungSystemTakeDirichlet(solver->sys, z, solver->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineClose(RungLineSolver solver, Vec z, Vec w)
{
  PetscFunctionBegin;
  if (!has_origin(solver)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(w, 1, solver->line->origin, z));
  if (!solver->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungSystemGetBounds(solver->sys, solver->t, solver->bound[0], solver->bound[1])); /* not a last digit beyond */
  PetscCall(VecMedian(solver->bound[0], w, solver->bound[1], w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
