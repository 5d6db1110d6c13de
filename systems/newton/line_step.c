/* line_step.c - linear systems whose solution is a step of values: no more digits than the tolerances of the run ask for.

   What an iteration leaves of a step x is measured as the error of the step will be, in the norm of the error test, where a relative
   residual says little: a step of 5000 tolerances wants eight digits, one of a single tolerance four.  With x_k the k-th iterate and
   d_k = |x_k - x_(k-1)|, about the error of x_(k-1), the error of x_k is about

       q d_k/(1 - q),     q = max(|r_k|/|r_(k-1)|, (d_k/d_1)^(1/(k-1))),

   and the iteration ends where this is at most ENOUGH.  In between it is taken to fall as |r| does, so that most solves look at two of
   the d_k.  Tests of the solver's own, by the residual or by a count, end an iteration as well. */
#include "line_solver_impl.h"
#include "../solve/solver_impl.h"

/* Of what the error test accepts.  The solves of 33 steps left two tolerances with 1e-3, a tenth with 1e-4. */
#define ENOUGH 1e-4

typedef struct {
  RungLineSolver      solver;    /* lent                                                              */
  const RungLineStep *step;      /* lent: what x is a step of                                         */
  Vec                 x, before; /* lent: an iterate and one before it, which becomes the difference  */
  PetscInt            built;     /* the iteration of `before`                                         */
  PetscReal           norm;      /* |r| of the iteration before                                       */
  PetscReal           start;     /* |r_0|                                                             */
  PetscReal           first;     /* d_1                                                               */
  PetscReal           left;      /* the error, as far as it is known; 0 at first                      */
  void               *own;       /* lent: context of ..                                               */
  PetscErrorCode (*test)(KSP, PetscInt, PetscReal, KSPConvergedReason *, void *); /* .. the solver's own test */
} Digits;

/* The norm of the step  scale d  and of the rates that go with it. */
static PetscErrorCode measure(const Digits *digits, Vec d, PetscReal *size)
{
  const RungLineStep *step     = digits->step;
  RungLineSolver      solver   = digits->solver;
  RungMeasured        measured = {.error = {d}, .from = {solver->start[0]}, .to = {step->at[0]}, .brief = !step->at[1]};

  PetscFunctionBegin;
  if (step->at[1]) {
    PetscCall(VecAXPBY(solver->digits[2], step->rate, 0, d));
    measured.error[1] = solver->digits[2];
    measured.from[1]  = solver->start[1];
    measured.to[1]    = step->at[1];
  }
  PetscCall(RungWeightsMeasure(solver->weights, &measured, size));
  *size *= step->scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At iteration it, whose residual is `fall` of the one before; `before` is x_(it-1). */
static PetscErrorCode look(Digits *digits, KSP ksp, PetscInt it, PetscReal fall, PetscBool *done)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(KSPBuildSolution(ksp, digits->x, NULL));
  PetscCall(VecAYPX(digits->before, -1, digits->x));
  PetscCall(measure(digits, digits->before, &size));
  if (it == 1)
    digits->first = size;
  else
    fall = PetscMax(fall, PetscPowReal(size / digits->first, 1 / (PetscReal)(it - 1)));
  digits->left = fall < 1 ? fall / (1 - fall) * size : size;
  *done        = size <= ENOUGH || (it > 1 && fall < 1 && digits->left <= ENOUGH) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecCopy(digits->x, digits->before));
  digits->built = it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_digits(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  Digits   *digits = (Digits *)ctx;
  PetscBool done   = PETSC_FALSE;
  PetscReal fall;

  PetscFunctionBegin;
  PetscCall(digits->test(ksp, it, norm, reason, digits->own));
  if (*reason != KSP_CONVERGED_ITERATING) PetscFunctionReturn(PETSC_SUCCESS);
  fall = it > 0 ? norm / digits->norm : 1;
  digits->left *= fall;
  digits->norm = norm;
  if (it == 0) {
    digits->start = norm;
    PetscCall(VecZeroEntries(digits->before));
  } else if (digits->left <= ENOUGH && digits->built == it - 1) {
    PetscCall(look(digits, ksp, it, fall, &done));
  } else if (digits->left * fall <= ENOUGH) {
    PetscCall(KSPBuildSolution(ksp, digits->before, NULL));
    digits->built = it;
  }
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  *reason = KSP_CONVERGED_RTOL; /* a looser one, by which the solver is judged */
  PetscCall(KSPSetTolerances(ksp, norm / digits->start, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the tolerance of the step decide?  Not where factors solve at once, where residuals are not measured, or where the user has said
   when an iteration ends. */
static PetscErrorCode is_wanted(RungLineSolver solver, KSP ksp, PetscBool *wanted)
{
  static const char *const options[] = {"-ksp_rtol", "-ksp_atol", "-ksp_convergence_test", "-ksp_norm_type"};
  PetscBool                given, iterates;

  PetscFunctionBegin;
  *wanted = PETSC_FALSE;
  if (!solver->adaptive || !solver->weights) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &iterates, KSPCG, KSPFGMRES, KSPGMRES, KSPBCGS, ""));
  if (!iterates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(options), options, &given));
  *wanted = given ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_vecs(RungLineSolver solver, Vec x)
{
  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i)
    if (!solver->digits[i]) PetscCall(VecDuplicate(x, &solver->digits[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungLineSolver solver, const RungLineStep *step, KSP ksp, Vec b, Vec x)
{
  Digits digits = {.solver = solver, .step = step, .x = solver->digits[0], .before = solver->digits[1]};
  PetscErrorCode (*destroy)(void *);
  const RungState *from;
  PetscReal        rtol;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(solver->ts, 0, &from));
  for (int k = 0; k < PetscMin(2, solver->traits.order); ++k) solver->start[k] = from->u[k];
  PetscCall(KSPGetAndClearConvergenceTest(ksp, &digits.test, &digits.own, &destroy));
  PetscCall(KSPSetConvergenceTest(ksp, test_digits, &digits, NULL));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  RungCallFinally(KSPSolve(ksp, b, x), PetscCall(KSPSetConvergenceTest(ksp, digits.test, digits.own, destroy));
                  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolveStep(RungLineSolver solver, const RungLineStep *step, KSP ksp, Vec b, Vec x)
{
  PetscBool wanted = PETSC_FALSE;

  PetscFunctionBegin;
  if (step) PetscCall(is_wanted(solver, ksp, &wanted));
  if (!wanted) {
    PetscCall(KSPSolve(ksp, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(need_vecs(solver, x));
  PetscCall(solve(solver, step, ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
