/* newton_loop.c - the iteration of Newton's method, and the one step of linear systems, in the place of that of PETSc's SNES.

   Tests, monitors, line searches and the linear solver are those of the SNES.  PETSc's own loops ask for options before every
   Jacobian, which takes memory each time; here a step that has been taken before takes none.  Whoever names a solver
   (-snes_type), or gives an option that only PETSc's loops know, gets them. */
#include "line_solver_impl.h"
#include "solver_impl.h"
#include <petsc/private/snesimpl.h>

/* d by the small blocks that J falls into; *solved: there are such blocks, and they are regular. */
static PetscErrorCode by_blocks(RungLineSlot *slot, Vec F, Vec d, PetscBool *solved)
{
  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  if (slot->blocks) PetscCall(RungLineBlocksSolve(slot, F, d, solved));
  if (*solved) ++slot->solver->counts.linear;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = J(w)^-1 F; snes->reason where the linear solver failed */
static PetscErrorCode find_step(SNES snes, Vec w, Vec F, Vec d)
{
  RungLineSlot *slot;
  PetscBool     solved;
  void         *ctx;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(snes, NULL, NULL, NULL, &ctx));
  slot = (RungLineSlot *)ctx;
  PetscCall(RungNewtonJacobian(snes, w, slot->J, slot->J, slot));
  PetscCall(by_blocks(slot, F, d, &solved));
  if (solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetReusePreconditioner(snes->ksp, PETSC_FALSE));
  PetscCall(RungLineSetOperators(slot, snes->ksp)); /* it may be another matrix now */
  PetscCall(KSPSolve(snes->ksp, F, d));
  SNESCheckKSPSolve(snes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void begin(SNES snes)
{
  snes->numFailures = snes->numLinearSolveFailures = 0;
  snes->reason                                     = SNES_CONVERGED_ITERATING;
  snes->iter                                       = 0;
  snes->norm                                       = 0;
}

static PetscErrorCode tell(SNES snes, PetscReal norm)
{
  PetscInt its;

  PetscFunctionBegin;
  PetscCall(KSPGetIterationNumber(snes->ksp, &its));
  snes->norm = norm;
  PetscCall(SNESLogConvergenceHistory(snes, norm, snes->iter ? its : 0));
  PetscCall(SNESMonitor(snes, snes->iter, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w and F after a step d, as long as the line search says; snes->reason where it finds none. */
static PetscErrorCode take_step(SNES snes, Vec w, Vec F, Vec d, PetscReal *size, PetscReal *step, PetscReal *norm)
{
  SNESLineSearchReason reason;

  PetscFunctionBegin;
  PetscCall(SNESLineSearchApply(snes->linesearch, w, F, norm, d));
  PetscCall(SNESLineSearchGetReason(snes->linesearch, &reason));
  PetscCall(SNESLineSearchGetNorms(snes->linesearch, size, norm, step));
  if (snes->reason) PetscFunctionReturn(PETSC_SUCCESS);
  SNESCheckFunctionNorm(snes, *norm);
  if (!reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (snes->stol * *size > *step)
    snes->reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (++snes->numFailures >= snes->maxFailures)
    snes->reason = SNES_DIVERGED_LINE_SEARCH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate(SNES snes)
{
  Vec       w = snes->vec_sol, F = snes->vec_func, d = snes->vec_sol_update;
  PetscReal norm, size = 0, step = 0;

  PetscFunctionBegin;
  begin(snes);
  PetscCall(SNESComputeFunction(snes, w, F));
  PetscCall(VecNorm(F, NORM_2, &norm));
  SNESCheckFunctionNorm(snes, norm);
  PetscCall(tell(snes, norm));
  PetscCall((*snes->ops->converged)(snes, 0, 0, 0, norm, &snes->reason, snes->cnvP));
  while (!snes->reason && snes->iter < snes->max_its) {
    PetscCall(find_step(snes, w, F, d));
    if (snes->reason) break;
    PetscCall(take_step(snes, w, F, d, &size, &step, &norm));
    if (snes->reason) break;
    ++snes->iter;
    snes->xnorm = size;
    snes->ynorm = step;
    PetscCall(tell(snes, norm));
    PetscCall((*snes->ops->converged)(snes, snes->iter, size, step, norm, &snes->reason, snes->cnvP));
  }
  if (!snes->reason) snes->reason = SNES_DIVERGED_MAX_IT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Monitors are told |F|, which nobody else asks for. */
static PetscErrorCode tell_norm(SNES snes, Vec F)
{
  PetscReal norm;

  PetscFunctionBegin;
  if (!snes->numbermonitors) PetscFunctionReturn(PETSC_SUCCESS);
  if (snes->iter) PetscCall(SNESComputeFunction(snes, snes->vec_sol, F));
  PetscCall(VecNorm(F, NORM_2, &norm));
  PetscCall(SNESMonitor(snes, snes->iter, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_once(SNES snes)
{
  Vec w = snes->vec_sol, F = snes->vec_func, d = snes->vec_sol_update;

  PetscFunctionBegin;
  begin(snes);
  PetscCall(SNESComputeFunction(snes, w, F));
  PetscCall(tell_norm(snes, F));
  PetscCall(find_step(snes, w, F, d));
  if (snes->reason) PetscFunctionReturn(PETSC_SUCCESS);
  snes->reason = SNES_CONVERGED_ITS;
  ++snes->iter;
  PetscCall(VecAXPY(w, -1, d));
  PetscCall(tell_norm(snes, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonTakeLoop(RungLineSlot *slot)
{
  static const char *const option[] = {
    "-snes_type",        "-snes_test_jacobian", "-snes_lag_jacobian",     "-snes_lag_preconditioner", "-snes_mf",
    "-snes_mf_operator", "-snes_ksp_ew",        "-snes_compare_explicit", "-snes_compare_coloring",   "-npc_snes_type"};
  PetscBool given, newton, once;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, SNESNEWTONLS, &newton));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, SNESKSPONLY, &once));
  if (given || !(newton || once)) PetscFunctionReturn(PETSC_SUCCESS);
  slot->snes->ops->solve = newton ? iterate : solve_once;
  PetscFunctionReturn(PETSC_SUCCESS);
}
