/* test_estimate.c - one step of u' = -u by every tableau against the same step by hand: stages, end and estimate. */
#include "../step_impl.h"
#include "../tableau_impl.h"
#include "ode.h"

#define H 0.3

/* u_1 and |u_1 - u^_1| by  k_i = -(u_0 + h sum_j<i a_ij k_j)/(1 + h a_ii). */
static void by_hand(const RungTableau *t, PetscReal *end, PetscReal *difference)
{
  PetscReal k[RUNG_MAX_STAGES], sum = 0;

  *end = 1;
  for (PetscInt i = 0; i < t->stages; ++i) {
    PetscReal p = 1;

    for (PetscInt j = 0; j < i; ++j) p += H * RungTableauA(t, i, j) * k[j];
    k[i] = -p / (1 + H * RungTableauA(t, i, i));
    *end += H * t->b[i] * k[i];
    sum += H * (t->b[i] - t->bhat[i]) * k[i];
  }
  *difference = PetscAbsReal(sum);
}

static PetscErrorCode one_step(const RungTableau *t, PetscReal *end, RungVerdict *verdict)
{
  Ode                 ode = relaxation(1, 1);
  RungStepper         stepper;
  RungTransientSystem ts;
  const RungState    *from;
  RungState          *to;
  const PetscScalar  *u;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, t->name, 0, 1, H, &stepper));
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

static PetscErrorCode test_one_step_and_its_estimate_are_those_by_hand(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    RungVerdict verdict;
    PetscReal   end, difference, found;

    if (!t[i].bhat) continue;
    by_hand(&t[i], &end, &difference);
    PetscCall(one_step(&t[i], &found, &verdict));
    CHECK(verdict.solved);
    CHECK_NEAR(found, end, 1e-13);
    if (t[i].embedded > t[i].order || PetscAbsReal(t[i].embedded_limit) > 1) continue; /* these are filtered */
    CHECK_NEAR(verdict.error * (1e-2 + 1e-3), difference, 1e-12);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_step_and_its_estimate_are_those_by_hand))
