/* line_agree.c - Jacobians of callbacks that are not those of F: what one linear solve would make a wrong solution of is an error, what
   costs an order or iterations is a warning, and a solve that has failed says so. */
#include "line_solver_impl.h"

#define SLOWLY 12 /* iterations: where each has a matrix of its own, Newton's method needs less */

static PetscErrorCode look(RungLineSolver solver, char why[], size_t size)
{
  const RungState *level;
  PetscInt         levels;

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(RungTransientSystemGetLevels(solver->ts, &levels));
  if (!levels || !solver->sys->callback) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemPeekState(solver->ts, 0, &level));
  PetscCall(RungSystemTellJacobian(solver->sys, level->t, level->u, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineCheckJacobian(RungLineSolver solver, PetscBool exact)
{
  char why[512];

  PetscFunctionBegin;
  if (solver->agreed || !(solver->traits.linear || exact)) PetscFunctionReturn(PETSC_SUCCESS);
  solver->agreed = PETSC_TRUE;
  PetscCall(look(solver, why, sizeof why));
  PetscCheck(!why[0] || !solver->traits.linear, solver->comm, PETSC_ERR_ARG_WRONG,
             "%s: the system is said to be linear, so that one solve with that matrix would be the solution; mend the "
             "callback, give none, or do not say that F is linear",
             why);
  if (why[0])
    PetscCall(RungSystemWarn(solver->sys,
                             "%s: a method of one linear solve a stage loses its order with another matrix, if "
                             "it is no W method; mend the callback, or give none",
                             why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineTellSlow(RungLineSolver solver, PetscInt its)
{
  char why[512];

  PetscFunctionBegin;
  if (solver->agreed || its < SLOWLY) PetscFunctionReturn(PETSC_SUCCESS);
  solver->agreed = PETSC_TRUE;
  PetscCall(look(solver, why, sizeof why));
  if (why[0])
    PetscCall(RungSystemWarn(
      solver->sys, "Newton took %" PetscInt_FMT " iterations, and %s; mend the callback, or give none", its, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineBlameJacobian(RungLineSolver solver, RungVerdict *verdict)
{
  const size_t n = strlen(verdict->why);
  char         why[512];

  PetscFunctionBegin;
  if (solver->problem != PROBLEM_LINE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(look(solver, why, sizeof why));
  if (why[0]) (void)snprintf(verdict->why + n, sizeof verdict->why - n, "; %s", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
