/* rest.c - F(t, u) = 0 without rates, solved again and again with what is kept of the solves before: matrix and factors. */
#include <rungrest_room.h>
#include "line_solver_impl.h"

struct _RungRest {
  RungTransientSystem ts;     /* lent                  */
  RungLineSolver      solver; /* owned                 */
  RungLine            line;   /* u = w, no rates       */
  PetscBool           looked; /* how far rounding leaves the first solution open has been looked at */
};

PetscErrorCode RungRestCreate(RungTransientSystem ts, RungRest *rest)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  RungRest                 r;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(PetscNew(&r));
  r->ts = ts;
  for (PetscInt f = 0; f < ts->sys->traits.unknowns; ++f) r->line.slope[f] = 1;
  RungCallOrUndo(RungLineSolverCreate(ts, &plan, &r->solver), PetscCall(RungRestDestroy(&r)));
  *rest = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRestDestroy(RungRest *rest)
{
  PetscFunctionBegin;
  if (!*rest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineSolverDestroy(&(*rest)->solver));
  PetscCall(PetscFree(*rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRestSolve(RungRest rest, PetscReal t, Vec u, PetscReal ratio, Vec before, Vec w,
                             PetscInt *iterations, RungVerdict *verdict)
{
  RungSystem      sys = rest->ts->sys;
  RungSolveCounts counts;

  PetscFunctionBegin;
  RungNeed(rest);
  *verdict = (RungVerdict){.error = -1};
  PetscCall(VecCopy(u, w));
  PetscCall(RungSystemStartDirichlet(sys, t, 0, w));
  PetscCall(RungSystemStartBounds(sys, t, w));
  if (!sys->traits.linear) PetscCall(RungLineMeasureFrom(rest->solver, t, &rest->line, w));
  if (ratio != 0) {
    PetscCall(RungCombine(w, 2, (PetscReal[]){1 + ratio, -ratio}, (Vec[]){u, before}));
    PetscCall(RungSystemImposeDirichlet(sys, t, 0, w));
  }
  RungLineSolverTakeCounts(rest->solver, &counts);
  PetscCall(RungLineSolve(rest->solver, t, &rest->line, NULL, w, verdict));
  PetscCall(RungLineCheckRest(rest->solver, verdict));
  RungLineSolverTakeCounts(rest->solver, &counts);
  if (iterations) *iterations = counts.newton;
  if (!verdict->solved || !counts.newton || rest->looked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonTellOpen(rest->solver, w, &rest->looked)); /* there are factors now */
  PetscFunctionReturn(PETSC_SUCCESS);
}
