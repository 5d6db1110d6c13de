/* newton_domain.c - Newton's steps that leave the domain of F, and trial values for which internal variables have no solution,
   are cut before the line search sees them.

   Line searches of PETSc end where |F| is not a number at the full step.  Here d is halved until F(w - d) is finite; the line
   search goes on from there and uses what was evaluated.  With bounds it tries what is nearest to w - d between them, and so is
   F here.  A step that was cut says nothing about convergence. */
#include "line_solver_impl.h"

#define HALVINGS 12

PetscErrorCode RungNewtonRecall(RungLineSolver solver, Vec w, Vec r, PetscBool *known)
{
  PetscFunctionBegin;
  *known = PETSC_FALSE;
  if (solver->known) {
    solver->known = PETSC_FALSE;
    PetscCall(VecEqual(w, solver->own, known));
    if (*known) PetscCall(VecCopy(solver->r, r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!solver->trial || !solver->tried) PetscFunctionReturn(PETSC_SUCCESS);
  solver->tried = PETSC_FALSE; /* it is the next evaluation, or none */
  PetscCall(VecEqual(w, solver->trial, known));
  if (*known) PetscCall(VecCopy(solver->tried_r, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_step(RungLineSlot *slot, SNES snes, Vec w, Vec d, PetscReal lambda, PetscBool *finite)
{
  RungLineSolver solver = slot->solver;
  PetscReal      norm;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(solver->trial, -lambda, d, w));
  if (solver->bound[0]) PetscCall(VecMedian(solver->bound[0], solver->trial, solver->bound[1], solver->trial));
  PetscCall(RungNewtonResidual(snes, solver->trial, solver->tried_r, slot));
  PetscCall(VecNorm(solver->tried_r, NORM_2, &norm));
  *finite = PetscIsInfOrNanReal(norm) ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* before a line search from w along -d */
static PetscErrorCode cut(SNESLineSearch search, Vec w, Vec d, PetscBool *changed, void *ctx)
{
  RungLineSlot  *slot   = (RungLineSlot *)ctx;
  RungLineSolver solver = slot->solver;
  PetscBool      finite;
  PetscReal      lambda, norm;
  SNES           snes;

  PetscFunctionBegin;
  *changed    = PETSC_FALSE;
  solver->cut = solver->tried = PETSC_FALSE;
  PetscCall(VecNorm(d, NORM_2, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESLineSearchGetSNES(search, &snes));
  PetscCall(SNESLineSearchGetLambda(search, &lambda));
  PetscCall(try_step(slot, snes, w, d, lambda, &finite));
  if (!finite) {
    if (!solver->outside) PetscCall(VecDuplicate(solver->r, &solver->outside));
    PetscCall(VecCopy(solver->trial, solver->outside));
  }
  for (int i = 0; i < HALVINGS && !finite; ++i) {
    *changed = solver->cut = PETSC_TRUE;
    PetscCall(VecScale(d, 0.5));
    PetscCall(try_step(slot, snes, w, d, lambda, &finite));
  }
  solver->tried = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonGuardDomain(RungLineSlot *slot)
{
  RungLineSolver solver = slot->solver;
  SNESLineSearch search;

  PetscFunctionBegin;
  if (solver->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  if (!solver->trial) {
    PetscCall(VecDuplicate(solver->r, &solver->trial));
    PetscCall(VecDuplicate(solver->r, &solver->tried_r));
  }
  PetscCall(SNESGetLineSearch(slot->snes, &search));
  PetscCall(SNESLineSearchSetPreCheck(search, cut, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonDestroyDomain(RungLineSolver solver)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&solver->trial));
  PetscCall(VecDestroy(&solver->tried_r));
  PetscCall(VecDestroy(&solver->outside));
  PetscFunctionReturn(PETSC_SUCCESS);
}
