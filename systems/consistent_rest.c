/* consistent_rest.c - starts of systems none of whose unknowns has a rate: F(t, u) = 0 as the stages solve it, with their options, their
   choice of a solver and their test whether loads are in balance. */
#include "consistent_impl.h"

PetscErrorCode RungConsistentIsRest(RungTransientSystem ts, PetscBool *is)
{
  const RungTraits *traits = &ts->sys->traits;

  PetscFunctionBegin;
  *is = ts->part == RUNG_ALL && ts->sys->initial_mode != RUNG_INITIAL_CHECK ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt f = 0; f < traits->unknowns; ++f) *is = *is && traits->unknown_order[f] <= 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentRest(RungTransientSystem ts, RungConsistent c, RungState *state)
{
  RungVerdict verdict;

  PetscFunctionBegin;
  if (!c->rest) PetscCall(RungRestCreate(ts, &c->rest));
  PetscCall(RungRestSolve(c->rest, state->t, state->u[0], 0, NULL, state->u[0], NULL, &verdict));
  PetscCheck(verdict.solved, ts->sys->comm, PETSC_ERR_NOT_CONVERGED, "no solution at t = %g: %s%s", (double)state->t,
             verdict.why,
             verdict.cause == RUNG_REFUSED_NEWTON
               ? "; begin nearer to it, by initial values, or let a load grow to where it is"
               : "");
  for (PetscInt k = 1; k <= ts->order; ++k) {
    PetscCall(VecZeroEntries(state->u[k]));
    PetscCall(RungSystemImposeDirichlet(ts->sys, state->t, k, state->u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
