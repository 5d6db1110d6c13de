/* test_conservation.c - d/dt of a nonlinear density kept whole: the total stays to rounding with every implicit method.
 */
#include "check.h"
#include "problems.h"

/* Twenty steps of rho(u)' - div grad u = 0, rho = u + u^3, no flux; the relative drift of the total of rho. */
static PetscErrorCode find_drift(const char type[], const char method[], PetscReal *drift, PetscReal *change)
{
  const RungCase  *problem;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  Vec              start, u[RUNG_MAX_ORDER + 1] = {NULL, NULL, NULL};
  PetscReal        before, after;

  PetscFunctionBegin;
  PetscCall(RungCaseFind(PETSC_COMM_WORLD, "nonlinear_mass", &problem));
  PetscCall(problem->create(PETSC_COMM_WORLD, problem, &sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateVec(sys, &start));
  PetscCall(VecDuplicate(start, &u[1]));
  PetscCall(RungSystemInitial(sys, 0, 0, start));
  u[0] = start;
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &before));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.2, 0.01));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, state->t, state->u, &after));
  *drift = PetscAbsReal(after - before) / PetscAbsReal(before);
  PetscCall(VecAXPY(start, -1, state->u[0]));
  PetscCall(VecNorm(start, NORM_INFINITY, change));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(VecDestroy(&start));
  PetscCall(VecDestroy(&u[1]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_keeps_the_total_of_a_nonlinear_density(void)
{
  const struct {
    const char *type, *method;
  } row[] = {
    {RUNGDIRK, "euler"},      {RUNGDIRK, "midpoint"}, {RUNGDIRK, "trapezoid"}, {RUNGDIRK, "alexander2"},
    {RUNGDIRK, "alexander3"}, {RUNGDIRK, "trbdf2"},   {RUNGDIRK, "esdirk32"},  {RUNGDIRK, "esdirk43"},
    {RUNGDIRK, "esdirk54"},   {RUNGBDF, "bdf1"},      {RUNGBDF, "bdf2"},       {RUNGALPHA, "chung_hulbert"},
  };
  PetscReal drift, change;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-snes_rtol", "1e-14"));
  PetscCall(PetscOptionsSetValue(NULL, "-snes_stol", "1e-15"));
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    PetscCall(find_drift(row[i].type, row[i].method, &drift, &change));
    if (!(drift <= 1e-13))
      fprintf(stderr, "%s %s: the total drifts by %g\n", row[i].type, row[i].method, (double)drift);
    CHECK(drift <= 1e-13);
    CHECK(change > 0.1); /* something happened */
  }
  PetscCall(PetscOptionsClearValue(NULL, "-snes_rtol"));
  PetscCall(PetscOptionsClearValue(NULL, "-snes_stol"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The chain rule does lose some: the test above looks at the right thing. */
static PetscErrorCode test_the_chain_rule_loses_some_of_it(void)
{
  PetscReal drift, change;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_conserve", "false"));
  PetscCall(find_drift(RUNGDIRK, "euler", &drift, &change));
  CHECK(drift > 1e-5);
  PetscCall(PetscOptionsClearValue(NULL, "-system_conserve"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal low, high; /* energies at t >= 5, when nothing pulls any more */
} Energies;

static PetscErrorCode watch_energy(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Energies  *energies = (Energies *)ctx;
  PetscReal  energy;
  RungSystem sys;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  if (t < 5 - 1e-9) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemEvaluateQuantities(sys, t, u, &energy));
  energies->low  = PetscMin(energies->low, energy);
  energies->high = PetscMax(energies->high, energy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A beam in plane strain, length 10, height 1, E/(1 - nu^2) = 11429, load 1 at its end: the work of a slow pull is
   P^2 L^3/(6 E I) = 0.175, of one that takes as long as its first oscillation within a third of that. */
static PetscErrorCode test_a_beam_that_is_let_go_keeps_its_energy(void)
{
  Energies        energies = {PETSC_MAX_REAL, 0};
  const RungCase *problem;
  RungSystem      sys;
  RungStepper     stepper;

  PetscFunctionBegin;
  PetscCall(RungCaseFind(PETSC_COMM_WORLD, "elastic_bar", &problem));
  PetscCall(problem->create(PETSC_COMM_WORLD, problem, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGALPHA));
  PetscCall(RungStepperSetMethod(stepper, "newmark"));
  PetscCall(RungStepperSetInterval(stepper, 0, 7, 0.1));
  PetscCall(RungStepperAddMonitor(stepper, watch_energy, &energies));
  PetscCall(RungStepperSolve(stepper));
  CHECK_NEAR(energies.high, 0.175, 0.06);
  CHECK_NEAR(energies.low / energies.high, 1, 1e-8);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_problems_are_there),
               RUNG_TEST(test_every_method_keeps_the_total_of_a_nonlinear_density),
               RUNG_TEST(test_a_beam_that_is_let_go_keeps_its_energy), RUNG_TEST(test_the_chain_rule_loses_some_of_it))
