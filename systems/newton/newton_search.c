/* newton_search.c - how long a step of Newton's method is: full steps, and a line search where they come to no end.

   A search that wants |F| to fall does not get through where |F| has to rise first: the first step of a slender body bends
   it, linearly, and so stretches it, which costs a thousand times the load.  In stiff kinetics |F| is the error of the fast
   modes times their rates, and a search for less of it follows them in small steps.  So w - d is taken as it is, however
   long d is, if F is finite there (newton_domain.c).  The iteration has diverged, with d_k its steps, when

       |d_k|_f > 10 max(|d_1|_f, |d_2|_f, |d_3|_f),  k >= 4,  for an unknown f whose d_k is more than rounding of w,
       or F, d is not finite,    or it has taken as many steps as it may;

   |F| is not asked.  Then the solve is tried once more from its start, with steps along which |F| falls (PETSc's bt).

   Linear systems with bounds take full steps, too: each finds the solution for what is held (line_bounds.c), and |F| rises while that
   shrinks.  Others with bounds have PETSc's search throughout; a search or a solver that the user names (-snes_linesearch_type,
   -snes_type) is the only one. */
#include "line_solver_impl.h"

#define FIRST_STEPS 3    /* that later ones are measured by */
#define GROWN       10   /* times as long as they           */
#define ROUNDING    1e-7 /* of |w|: shorter steps tell nothing */

PetscErrorCode RungNewtonChooseSearch(RungLineSlot *slot)
{
  SNESLineSearch search;
  PetscBool      newton, given;
  const char    *prefix, *full = SNESNEWTONLS;

  PetscFunctionBegin;
  slot->full = PETSC_FALSE;
  if (slot->solver->traits.linear && !slot->solver->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (slot->solver->traits.linear) full = SNESVINEWTONRSLS;
  PetscCall(SNESGetOptionsPrefix(slot->snes, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-snes_type", &slot->named));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-snes_linesearch_type", &given));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, full, &newton));
  slot->full = newton && !given ? PETSC_TRUE : PETSC_FALSE;
  if (!slot->full) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetLineSearch(slot->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonSearch(RungLineSlot *slot, PetscBool search)
{
  SNESLineSearch line;

  PetscFunctionBegin;
  slot->full = search ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(SNESGetLineSearch(slot->snes, &line));
  PetscCall(SNESLineSearchSetType(line, search ? SNESLINESEARCHBT : SNESLINESEARCHBASIC));
  if (search) PetscCall(SNESLineSearchSetFromOptions(line)); /* its own numbers */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonMayBeSearched(RungLineSlot *slot, PetscBool *may)
{
  SNESConvergedReason reason;
  PetscInt            its;

  PetscFunctionBegin;
  PetscCall(SNESGetConvergedReason(slot->snes, &reason));
  PetscCall(SNESGetIterationNumber(slot->snes, &its));
  *may = slot->full && reason < 0 && its > 0 ? PETSC_TRUE : PETSC_FALSE; /* the first step is the same with a search */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonDiverges(RungLineSlot *slot, PetscInt it, Vec w, PetscBool *diverges)
{
  RungLineSolver  solver = slot->solver;
  RungNewtonStop *stop   = &solver->stop;
  PetscReal       size[RUNG_MAX_UNKNOWNS];
  PetscBool       grown = PETSC_FALSE;

  PetscFunctionBegin;
  *diverges = PETSC_FALSE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    if (it <= FIRST_STEPS)
      stop->reach[f] = it > 1 ? PetscMax(stop->reach[f], stop->d[f]) : stop->d[f];
    else if (slot->full && stop->d[f] > GROWN * stop->reach[f])
      grown = PETSC_TRUE;
  }
  if (!grown) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineValue(solver, w, &w));
  PetscCall(RungNewtonNorms(solver, w, size));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (stop->d[f] > GROWN * stop->reach[f] && stop->d[f] > ROUNDING * size[f]) *diverges = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
