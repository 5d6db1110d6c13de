/* line_balance.c - systems whose matrix has a null space: is there a solution at all?

   J d = F has one only where F is in balance, as the load on a body that nothing holds, or what flows into a closed vessel and
   out of it.  A factorisation that leaves null pivots out answers all the same, with something that satisfies no equation, and
   Newton's method ends where nothing else is left: F is evaluated once more, and what is left of it says so.  Without rates there may be a
   singular matrix whose null space nobody has found: its equations say so. */
#include "form_side_impl.h"
#include "line_solver_impl.h"

#define LEFT     1e-6  /* of F that a solve may leave */
#define ROUNDING 1e-10 /* of |J| |w| that may be rounding */
#define ALONG    0.5   /* of what is left lies along the null space, where steps leave it alone */

/* The unknown that has the largest entry of r. */
static PetscErrorCode worst_unknown(RungLineSolver solver, Vec r, const char **name)
{
  const PetscScalar *x;
  PetscReal          most[RUNG_MAX_UNKNOWNS] = {0};
  PetscInt           worst                   = 0, start, end;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r, &x));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) most[f] = PetscMax(most[f], PetscAbsScalar(x[i]));
  }
  PetscCall(VecRestoreArrayRead(r, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, RUNG_MAX_UNKNOWNS, MPIU_REAL, MPIU_MAX, solver->comm));
  for (PetscInt f = 1; f < solver->traits.unknowns; ++f)
    if (most[f] > most[worst]) worst = f;
  PetscCall(RungSystemGetUnknown(solver->sys, worst, name, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Size of the terms of J w; without entries of J that of the sum. */
static PetscErrorCode size_of_terms(Mat J, Vec w, Vec work, PetscReal *size)
{
  PetscBool known;
  PetscReal j, x;

  PetscFunctionBegin;
  PetscCall(MatHasOperation(J, MATOP_NORM, &known));
  if (known) {
    PetscCall(MatNorm(J, NORM_INFINITY, &j));
    PetscCall(VecNorm(w, NORM_INFINITY, &x));
    *size = j * x;
  } else {
    PetscCall(MatMult(J, w, work));
    PetscCall(VecNorm(work, NORM_INFINITY, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method ends with some error in F: does it lie where no step of it changes anything? */
static PetscErrorCode lies_along(MatNullSpace null, Vec r, PetscBool *along)
{
  const Vec *v;
  PetscInt   n;
  PetscReal  sum = 0, norm;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(null, NULL, &n, &v));
  PetscCall(VecNorm(r, NORM_2, &norm));
  for (PetscInt i = 0; i < n; ++i) {
    PetscScalar part;

    PetscCall(VecDot(r, v[i], &part));
    sum += PetscRealPart(part * PetscConj(part));
  }
  *along = PetscSqrtReal(sum) > ALONG * norm ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineCheckBalance(RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  RungLineSolver solver = slot->solver;
  MatNullSpace   null;
  PetscReal      first = 0, left, terms;
  PetscBool      along = PETSC_TRUE;
  Vec            F, value;
  const char    *name;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(slot->J, &null));
  if (!null || solver->bound[0] || !verdict->solved || solver->problem != PROBLEM_LINE)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (solver->traits.linear) {
    PetscCall(SNESGetFunction(slot->snes, &F, NULL, NULL)); /* at the guess */
    PetscCall(VecNorm(F, NORM_INFINITY, &first));
  }
  PetscCall(RungLineValue(solver, w, &value));
  PetscCall(size_of_terms(slot->J, value, solver->r, &terms));
  PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, solver->load, w, solver->r));
  PetscCall(RungSystemZeroCondensed(solver->sys, solver->r));
  PetscCall(VecNorm(solver->r, NORM_INFINITY, &left));
  if (left <= PetscMax(LEFT * first, ROUNDING * terms)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!solver->traits.linear) PetscCall(lies_along(null, solver->r, &along));
  if (!along) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(worst_unknown(solver, solver->r, &name));
  RungVerdictBlame(
    verdict, RUNG_REFUSED_LINEAR,
    "the equations contradict each other (|F| = %.1e is left, most of it in \"%s\"): loads on what nothing "
    "holds, or flows into what is closed, are not in balance, or a multiplier is of too high a degree, as a pressure "
    "P2 "
    "beside a velocity P2^d; hold it, balance them, or take a lower degree",
    (double)left, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineCheckRest(RungLineSolver solver, RungVerdict *verdict)
{
  const RungLineSlot *slot = solver->last;
  MatNullSpace        null;
  char                why[256];

  PetscFunctionBegin;
  if (!slot || solver->bound[0] || (!verdict->solved && verdict->cause == RUNG_REFUSED_DOMAIN))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNullSpace(slot->J, &null));
  if (null) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNullLeft(solver->sys, slot->J, why, sizeof why));
  if (why[0]) RungVerdictBlame(verdict, RUNG_REFUSED_LINEAR, "the Jacobian is singular: %s", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
