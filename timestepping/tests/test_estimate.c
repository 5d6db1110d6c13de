/* test_estimate.c - one step of u' = -u by every tableau against the same step by hand: stages, end and estimate; dop853's of both its
   estimates. */
#include "../explicit_impl.h"
#include "../step_impl.h"
#include "ode.h"

#define H     0.3
#define SCALE (1e-2 + 1e-3) /* atol + rtol |u|: u is 1 at first */

/* |h sum_i (b_i - b^_i) k_i| */
static PetscReal difference_of(const RungTableau *t, const PetscReal bhat[], const PetscReal k[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < t->stages; ++i) sum += H * (t->b[i] - bhat[i]) * k[i];
  return PetscAbsReal(sum);
}

/* u_1 and the error in the norm of the test by  k_i = -(u_0 + h sum_j<i a_ij k_j)/(1 + h a_ii). */
static void by_hand(const RungTableau *t, PetscReal *end, PetscReal *error)
{
  const RungExplicitMore *more = RungExplicitFindMore(t->name);
  PetscReal               k[RUNG_MAX_STAGES];

  *end = 1;
  for (PetscInt i = 0; i < t->stages; ++i) {
    PetscReal p = 1;

    for (PetscInt j = 0; j < i; ++j) p += H * RungTableauA(t, i, j) * k[j];
    k[i] = -p / (1 + H * RungTableauA(t, i, i));
    *end += H * t->b[i] * k[i];
  }
  *error = difference_of(t, t->bhat, k) / SCALE;
  if (more && more->bhat) /* E^2/sqrt(E^2 + e^2/100) */
    *error *= *error / hypot(*error, 0.1 * difference_of(t, more->bhat, k) / SCALE);
}

static PetscErrorCode one_step(const char type[], const RungTableau *t, PetscReal *end, RungVerdict *verdict)
{
  Ode                 ode = relaxation(1, 1);
  RungStepper         stepper;
  RungTransientSystem ts;
  const RungState    *from;
  RungState          *to;
  const PetscScalar  *u;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type, t->name, 0, 1, H, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-2));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t    = H;
  *verdict = (RungVerdict){.solved = PETSC_TRUE, .error = -1};
  PetscCall(stepper->ops->attempt(stepper, from, H, to, verdict));
  PetscCall(VecGetArrayRead(to->u[0], &u));
  *end = PetscRealPart(u[0]);
  PetscCall(VecRestoreArrayRead(to->u[0], &u));
  PetscCall(RungTransientSystemRollBack(ts));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char type[], const RungTableau *t)
{
  RungVerdict verdict;
  PetscReal   end, error, found;

  PetscFunctionBegin;
  by_hand(t, &end, &error);
  PetscCall(one_step(type, t, &found, &verdict));
  CHECK(verdict.solved);
  CHECK_NEAR(found, end, 1e-12); /* weights of verner65 reach 176 */
  if (!strcmp(type, RUNGDIRK) && (t->embedded > t->order || PetscAbsReal(t->embedded_limit) > 1))
    PetscFunctionReturn(PETSC_SUCCESS); /* these are filtered */
  if (fabs(verdict.error - error) > 1e-10) fprintf(stderr, "%s: ", t->name);
  CHECK_NEAR(verdict.error, error, 1e-10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_one_step_and_its_estimate_are_those_by_hand(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i)
    if (t[i].bhat) PetscCall(check(RUNGDIRK, &t[i]));
  PetscCall(RungExplicitGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i)
    if (t[i].bhat) PetscCall(check(RUNGEXPLICIT, &t[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_step_and_its_estimate_are_those_by_hand))
