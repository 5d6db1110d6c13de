/* static.c - solutions of F(t, u) = 0 without rates: one, or a way of them along which a constant grows.

   From the solution at lambda the next one is looked for at lambda + d, from the straight line through the last two:

       w = u + (u - u_before) d / d_before

   d doubles after at most 6 iterations and is halved where Newton's method comes to no end. */
#include "line_solver_impl.h"

#define EASY  6    /* iterations after which the step grows           */
#define LEAST 1e-6 /* part of the way below which steps are given up  */

typedef struct {
  RungTransientSystem ts;     /* owned                                                  */
  RungLineSolver      solver; /* owned                                                  */
  RungLine            line;   /* u = w, no rates                                        */
  Vec                 w;      /* owned: the solution that is looked for                 */
  Vec                 before; /* owned: the one before u, at lambda - last              */
  PetscReal           lambda, last;
  const char         *constant; /* lent; NULL: none, "t": time                          */
} Way;

static PetscErrorCode make(RungSystem sys, Way *way)
{
  const RungLineSolverPlan plan = {.matrices = 1};

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &way->ts));
  PetscCall(RungLineSolverCreate(way->ts, &plan, &way->solver));
  PetscCall(RungSystemCreateVec(sys, &way->w));
  PetscCall(RungSystemCreateVec(sys, &way->before));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) way->line.slope[f] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Way *way)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&way->before));
  PetscCall(VecDestroy(&way->w));
  PetscCall(RungLineSolverDestroy(&way->solver));
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

/* way->w = the solution at lambda, from u and, where there is one, the solution before. */
static PetscErrorCode solve_at(Way *way, PetscReal lambda, Vec u, PetscInt *iterations, RungVerdict *verdict)
{
  const PetscReal t = is_time(way) ? lambda : 0;
  RungSolveCounts counts;

  PetscFunctionBegin;
  PetscCall(set_constant(way, lambda));
  PetscCall(VecCopy(u, way->w));
  PetscCall(RungSystemStartDirichlet(way->ts->sys, t, 0, way->w));
  PetscCall(RungSystemStartBounds(way->ts->sys, t, way->w));
  if (!way->ts->sys->traits.linear) PetscCall(RungLineMeasureFrom(way->solver, t, &way->line, way->w));
  if (way->last != 0) {
    const PetscReal ratio = (lambda - way->lambda) / way->last;

    PetscCall(RungCombine(way->w, 2, (PetscReal[]){1 + ratio, -ratio}, (Vec[]){u, way->before}));
    PetscCall(RungSystemImposeDirichlet(way->ts->sys, t, 0, way->w));
  }
  RungLineSolverTakeCounts(way->solver, &counts);
  PetscCall(RungLineSolve(way->solver, t, &way->line, NULL, way->w, verdict));
  RungLineSolverTakeCounts(way->solver, &counts);
  *iterations = counts.newton;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_once(Way *way, PetscReal lambda, Vec u)
{
  RungVerdict verdict = {.error = -1};
  PetscInt    iterations;

  PetscFunctionBegin;
  PetscCall(solve_at(way, lambda, u, &iterations, &verdict));
  PetscCheck(verdict.solved || !way->constant, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
             "no solution at %s = %g, where the way begins: %s; begin nearer to a solution that is known",
             way->constant, (double)lambda, verdict.why);
  PetscCheck(verdict.solved, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
             "no solution: %s; begin nearer to it, or let a load grow from 0 (RungSystemSolve() with a constant)",
             verdict.why);
  PetscCall(VecCopy(way->w, u));
  way->lambda = lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u at way->lambda is a solution; becomes that at `to`, or the last one that was found. */
static PetscErrorCode go(Way *way, PetscReal to, PetscReal step, Vec u)
{
  const PetscReal all = PetscAbsReal(to - way->lambda), sign = to < way->lambda ? -1 : 1;
  PetscReal       d = PetscMin(step, all);
  RungVerdict     verdict;
  PetscInt        iterations;

  PetscFunctionBegin;
  while (way->lambda != to) {
    const PetscReal left   = PetscAbsReal(to - way->lambda),
                    lambda = d > left * (1 - 1e-10) ? to : way->lambda + sign * d;

    verdict = (RungVerdict){.error = -1};
    PetscCall(solve_at(way, lambda, u, &iterations, &verdict));
    if (!verdict.solved) {
      d = PetscAbsReal(lambda - way->lambda) / 2;
      PetscCall(set_constant(way, way->lambda));
      PetscCheck(d > LEAST * all, way->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
                 "no solution beyond %s = %.10g: %s; it may be the largest load, or a point where solutions branch",
                 way->constant, (double)way->lambda, verdict.why);
      continue;
    }
    PetscCall(VecCopy(u, way->before));
    PetscCall(VecCopy(way->w, u));
    way->last   = lambda - way->lambda;
    way->lambda = lambda;
    if (iterations <= EASY) d *= 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungSystem sys, PetscReal from, PetscReal to, PetscReal step, Way *way, Vec u)
{
  PetscFunctionBegin;
  if (!way->constant) PetscCall(RungSystemSetSolvesAhead(sys, 1)); /* of a way nobody knows */
  PetscCall(make(sys, way));
  PetscCall(solve_once(way, way->constant ? from : 0, u));
  if (way->constant) PetscCall(go(way, to, step, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSolve(RungSystem sys, const char constant[], PetscReal from, PetscReal to, PetscReal step,
                               Vec u)
{
  Way      way = {.constant = constant};
  PetscInt ahead;

  PetscFunctionBegin;
  RungNeed(sys);
  ahead = sys->ahead;
  if (constant) {
    PetscCheck(!PetscIsInfOrNanReal(from) && !PetscIsInfOrNanReal(to), RungSystemComm(sys), PETSC_ERR_ARG_OUTOFRANGE,
               "\"%s\" from %g to %g, wanted two finite numbers", constant, (double)from, (double)to);
    PetscCheck(step > 0, RungSystemComm(sys), PETSC_ERR_ARG_OUTOFRANGE, "a first step of %g of \"%s\", wanted > 0",
               (double)step, constant);
  }
  RungCallFinally(solve(sys, from, to, step, &way, u), PetscCall(destroy(&way)); sys->ahead = ahead);
  PetscFunctionReturn(PETSC_SUCCESS);
}
