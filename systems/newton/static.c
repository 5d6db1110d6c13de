/* static.c - a way of solutions of F(t, u) = 0 without rates along which a constant, or time, goes from one value to another; or one
   solution.  The next step is twice as long after at most 6 iterations. */
#include <rungrest_room.h>
#include <rungway_room.h>
#include "system_impl.h"
#include "form_side_impl.h"

#define EASY 6 /* iterations after which the step grows */

typedef struct {
  RungTransientSystem ts;     /* owned                                                  */
  RungRest            rest;   /* owned                                                  */
  Vec                 w;      /* owned: the solution that is looked for                 */
  Vec                 before; /* owned: the solution before u                           */
  Vec                 u;      /* lent: that at lambda                                   */
  PetscReal           lambda;
  RungVerdict         verdict;  /* of the last solve                                    */
  const char         *constant; /* lent; NULL: none, "t": time                          */
} Way;

static PetscErrorCode make(RungSystem sys, Way *way)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &way->ts));
  PetscCall(RungRestCreate(way->ts, &way->rest));
  PetscCall(RungSystemCreateVec(sys, &way->w));
  PetscCall(RungSystemCreateVec(sys, &way->before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Way *way)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&way->before));
  PetscCall(VecDestroy(&way->w));
  PetscCall(RungRestDestroy(&way->rest));
  PetscCall(RungTransientSystemDestroy(&way->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_time(const Way *way)
{
  return way->constant && !strcmp(way->constant, "t") ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode set_constant(Way *way, PetscReal lambda)
{
  PetscFunctionBegin;
  if (way->constant && !is_time(way)) PetscCall(RungSystemSetConstant(way->ts->sys, way->constant, lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* way->w = the solution at lambda, from u + ratio (u - before). */
static PetscErrorCode solve_at(Way *way, PetscReal lambda, PetscReal ratio, PetscInt *iterations)
{
  PetscFunctionBegin;
  PetscCall(set_constant(way, lambda));
  PetscCall(
    RungRestSolve(way->rest, is_time(way) ? lambda : 0, way->u, ratio, way->before, way->w, iterations, &way->verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_once(Way *way, PetscReal lambda)
{
  PetscInt iterations;

  PetscFunctionBegin;
  PetscCall(solve_at(way, lambda, 0, &iterations));
  PetscCheck(way->verdict.solved || !way->constant, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
             "no solution at %s = %g, where the way begins: %s; begin nearer to a solution that is known",
             way->constant, (double)lambda, way->verdict.why);
  PetscCheck(way->verdict.solved, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
             "no solution: %s; begin nearer to it, or let a load grow from 0 (RungSystemSolve() with a constant)",
             way->verdict.why);
  PetscCall(VecCopy(way->w, way->u));
  way->lambda = lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u becomes the solution at lambda, where there is one. */
static PetscErrorCode find(void *ctx, PetscReal lambda, PetscReal ratio, RungWayOutcome *outcome)
{
  Way     *way = ctx;
  PetscInt iterations;

  PetscFunctionBegin;
  *outcome = RUNG_WAY_NONE;
  PetscCall(solve_at(way, lambda, ratio, &iterations));
  if (!way->verdict.solved) {
    PetscCall(set_constant(way, way->lambda));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecCopy(way->u, way->before));
  PetscCall(VecCopy(way->w, way->u));
  way->lambda = lambda;
  *outcome    = iterations <= EASY ? RUNG_WAY_EASY : RUNG_WAY_FOUND;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u at way->lambda is a solution; becomes that at `to`, or the last one that was found. */
static PetscErrorCode go(Way *way, PetscReal to, PetscReal step)
{
  const PetscReal all = PetscAbsReal(to - way->lambda);
  RungWay         steps;

  PetscFunctionBegin;
  steps = (RungWay){way->lambda, to, PetscMin(step, all), PETSC_MAX_REAL, all, PETSC_FALSE, find, way};
  PetscCall(RungWayGo(&steps));
  PetscCheck(!steps.lost, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
             "no solution beyond %s = %.10g: %s; it may be the largest load, or a point where solutions branch",
             way->constant, (double)way->lambda, way->verdict.why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungSystem sys, PetscReal from, PetscReal to, PetscReal step, Way *way)
{
  PetscFunctionBegin;
  if (!way->constant) PetscCall(RungSystemSetSolvesAhead(sys, 1, 0)); /* of a way nobody knows */
  PetscCall(make(sys, way));
  PetscCall(solve_once(way, way->constant ? from : 0));
  if (way->constant) PetscCall(go(way, to, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A load under a misspelt name would grow, and nothing would follow it. */
static PetscErrorCode check_constant(RungSystem sys, const char constant[])
{
  const char *const *names, *nearest;
  RungScope          scope;
  PetscInt           n;

  PetscFunctionBegin;
  if (!sys->form || strcmp(constant, "t") == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungScopeGetConstants(scope, &n, &names, NULL));
  for (PetscInt i = 0; i < n; ++i)
    if (strcmp(constant, names[i]) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(constant, n, names, &nearest));
  SETERRQ(RungSystemComm(sys), PETSC_ERR_ARG_WRONG, "the system has no constant \"%s\" to grow%s%s%s", constant,
          nearest ? "; did you mean \"" : "; declare it with RungSystemSetConstant()", nearest ? nearest : "",
          nearest ? "\"?" : "");
}

PetscErrorCode RungSystemSolve(RungSystem sys, const char constant[], PetscReal from, PetscReal to, PetscReal step,
                               Vec u)
{
  Way      way = {.constant = constant, .u = u};
  PetscInt ahead, each, entries;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  ahead = sys->ahead;
  each  = sys->each;
  if (constant) {
    PetscCall(check_constant(sys, constant));
    PetscCheck(!PetscIsInfOrNanReal(from) && !PetscIsInfOrNanReal(to), RungSystemComm(sys), PETSC_ERR_ARG_OUTOFRANGE,
               "\"%s\" from %g to %g, wanted two finite numbers", constant, (double)from, (double)to);
    PetscCheck(step > 0, RungSystemComm(sys), PETSC_ERR_ARG_OUTOFRANGE, "a first step of %g of \"%s\", wanted > 0",
               (double)step, constant);
  }
  PetscCall(RungSystemSetUp(sys));
  PetscCall(VecGetLocalSize(u, &entries));
  RungCheckAll(entries == sys->local, RungSystemComm(sys), PETSC_ERR_ARG_SIZ,
               "a solution of %" PetscInt_FMT " entries on a rank where the system has %" PetscInt_FMT
               "; create it with RungSystemCreateVec()",
               entries, sys->local);
  PetscCall(RungNullSpacesRest(sys, PETSC_TRUE));
  RungCallFinally(solve(sys, from, to, step, &way), PetscCall(destroy(&way)); sys->ahead = ahead; sys->each = each;
                  PetscCall(RungNullSpacesRest(sys, PETSC_FALSE)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
