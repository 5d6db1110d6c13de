/* test_steps.c - what tolerances buy: the problems of adaptive.h at three tolerances beside stored figures, and cases that ask for a
   number of steps: copies, numbers beside fields of any mesh, rates of two orders, outputs of any density.  It prints its tables;
   -steps_only NAME runs one problem. */
#include <check.h>
#include <rungverify.h>

#include "adaptive.h"

#include <stdio.h>

typedef struct {
  RungStepperStatistics s;
  PetscReal             error; /* of the unknown that is off most, in units of its largest value */
} Found;

static PetscErrorCode run(const AdaptiveProblem *problem, PetscInt n, PetscReal tol, Found *found)
{
  const AdaptiveUnits one   = {{1, 1}, {1, 1}};
  AdaptiveWatch       watch = {.problem = problem};
  RungStepper         stepper;
  PetscReal           mean;

  PetscFunctionBegin;
  PetscCall(adaptive_create(problem, n, NULL, &one, &watch.sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, watch.sys));
  if (problem->type) PetscCall(RungStepperSetType(stepper, problem->type));
  PetscCall(RungStepperSetInterval(stepper, 0, problem->end, problem->dt));
  PetscCall(RungStepperSetTolerances(stepper, tol, tol));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, adaptive_watch, &watch));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &found->s));
  found->error = PetscMax(watch.error[0], watch.error[1]) / PetscMax(1e-300, PetscMax(watch.size[0], watch.size[1]));
  if (problem->mean) {
    PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
    found->error = PetscAbsReal(mean - problem->mean);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&watch.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print(const char name[], PetscReal tol, const Found *found, const char wanted[])
{
  printf("%-34s %.0e %6d steps %4d refused %7d residuals %6d jacobians %6d factors  error %.2e   %s\n", name,
         (double)tol, (int)found->s.steps, (int)(found->s.rejected + found->s.failed), (int)found->s.residuals,
         (int)found->s.jacobians, (int)found->s.factorisations, (double)found->error, wanted);
}

static PetscErrorCode find_problem(const char name[], const AdaptiveProblem **problem)
{
  PetscFunctionBegin;
  *problem = NULL;
  for (PetscInt i = 0; i < ADAPTIVE_PROBLEMS; ++i) {
    if (!strcmp(adaptive_problems[i].name, name)) *problem = &adaptive_problems[i];
  }
  PetscCheck(*problem, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "no problem \"%s\"", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps and errors at 1e-3, 1e-5, 1e-7; of what is taken by itself: dopri54 for ode and copies, rodas5p for dae,
   esdirk43 for conserved, esdirk54 for the rest.  dae took 30, 69, 165 steps as long as the error of its algebraic unknown was not tested,
   conserved 47 and 185 by an estimate that fell as h^3. */
static const struct {
  const char *name;
  PetscInt    steps[3];
  PetscReal   error[3];
} stored[] = {
  {"ode", {16, 29, 60}, {1.05e-3, 3.25e-5, 6.50e-7}},        {"dae", {42, 92, 277}, {8.83e-4, 4.10e-6, 8.80e-9}},
  {"heat_edge", {9, 21, 54}, {1.27e-3, 8.45e-6, 1.27e-7}},   {"wave", {8, 19, 44}, {9.42e-3, 2.87e-5, 2.56e-7}},
  {"diffusion", {12, 25, 63}, {1.82e-3, 1.81e-5, 2.63e-7}},  {"mixed", {13, 45, 195}, {6.41e-3, 3.17e-5, 1.18e-7}},
  {"conserved", {15, 39, 120}, {2.53e-3, 1.08e-5, 1.43e-7}}, {"copies", {117, 230, 704}, {1.49e-2, 4.62e-4, 1.63e-6}}};

static PetscErrorCode test_errors_at_equal_tolerance_grow_by_less_than_two(void)
{
  char      only[32] = "";
  PetscReal tol      = 1e-3;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-steps_only", only, sizeof only, NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(stored); ++i) {
    const AdaptiveProblem *problem;

    if (only[0] && strcmp(only, stored[i].name) != 0) continue;
    PetscCall(find_problem(stored[i].name, &problem));
    tol = 1e-3;
    for (int k = 0; k < 3; ++k, tol /= 100) {
      Found found;
      char  wanted[96];

      PetscCall(run(problem, problem->count, tol, &found));
      (void)snprintf(wanted, sizeof wanted, "stored %d, %.2e", (int)stored[i].steps[k], (double)stored[i].error[k]);
      print(problem->name, tol, &found, wanted);
      CHECK(found.error <= 2 * stored[i].error[k]);
      CHECK((double)found.s.steps <= 1.1 * (double)stored[i].steps[k] + 1);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For every number of copies, and every mesh beside a pair of numbers, the steps of the first and its error within 5 %. */
static PetscErrorCode check_alike(const char name[], PetscInt first, PetscInt factor, PetscInt most)
{
  const AdaptiveProblem *problem;
  Found                  one, found;

  PetscFunctionBegin;
  PetscCall(find_problem(name, &problem));
  PetscCall(run(problem, first, 1e-4, &one));
  for (PetscInt n = first; n <= most; n *= factor) {
    char text[64];

    PetscCall(run(problem, n, 1e-4, &found));
    (void)snprintf(text, sizeof text, "%s, %d", name, (int)n);
    print(text, 1e-4, &found, "as the first");
    CHECK(found.s.steps == one.s.steps);
    CHECK_NEAR(found.error, one.error, 0.05 * one.error);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_many_hides_nothing_that_is_few(void)
{
  PetscFunctionBegin;
  PetscCall(check_alike("copies", 1, 10, 10000));
  PetscCall(check_alike("pair", 2, 7, 98));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- u'' = -u beside T' = -k (T - cos t) ------------------------------------------------------------------------------- */

static PetscErrorCode run_mixed(PetscReal k, Found *found)
{
  const AdaptiveProblem *mixed;
  AdaptiveProblem        problem;
  char                   residual[128], exact[96];

  PetscFunctionBegin;
  PetscCall(find_problem("mixed", &mixed));
  problem = *mixed;
  (void)snprintf(residual, sizeof residual, "(dt(u, 2) + u)*v*dx + (dt(T) + %.17g*(T - cos(t)))*q*dx", (double)k);
  (void)snprintf(exact, sizeof exact, "(%.17g*cos(t) + %.17g*sin(t))/%.17g", (double)(k * k), (double)k,
                 (double)(k * k + 1));
  problem.residual         = residual;
  problem.unknown[1].exact = exact;
  PetscCall(run(&problem, 1, 1e-5, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_of_two_orders_take_a_hundred_steps(void)
{
  PetscFunctionBegin;
  for (PetscReal k = 1e3; k <= 1e6; k *= 1e3) {
    Found found;
    char  text[64];

    PetscCall(run_mixed(k, &found));
    (void)snprintf(text, sizeof text, "mixed orders, k = %.0e", (double)k);
    print(text, 1e-5, &found, "at most 100 steps");
    CHECK(found.s.steps <= 100 && found.error < 1e-3);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- outputs ------------------------------------------------------------------------------------------------------------- */

/* Heat on an interval to t = 20, with data that move for ever; every: time between two outputs, 0: none */
static PetscErrorCode run_outputs(const char edge[], PetscReal every, Found *found)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){16}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + 0.1*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", edge));
  PetscCall(RungSystemSetInitial(sys, "u", "sin(pi*x[0]) + 0.5*sin(3*pi*x[0])"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetInterval(stepper, 0, 20, 0.01));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  if (every > 0) PetscCall(RungStepperAddOutput(stepper, "steps_output", every));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &found->s));
  found->error = 0;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_outputs_cost_neither_steps_nor_factors(void)
{
  static const char *const edge[]  = {"0", "1 - exp(-t)"};
  static const PetscReal   every[] = {0, 0.1, 0.01};

  PetscFunctionBegin;
  for (int e = 0; e < 2; ++e) {
    PetscInt steps = 0;

    for (int i = 0; i < 3; ++i) {
      Found found;
      char  text[64];

      PetscCall(run_outputs(edge[e], every[i], &found));
      (void)snprintf(text, sizeof text, "heat, edge %s, outputs %g", edge[e], (double)every[i]);
      print(text, 1e-4, &found, "20 steps, 18 factors"); /* those of esdirk54 are longer, and of more lengths */
      CHECK(found.s.steps <= 20 && found.s.factorisations <= 18);
      if (!i) steps = found.s.steps;
      CHECK(found.s.steps == steps);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_errors_at_equal_tolerance_grow_by_less_than_two),
               RUNG_TEST(test_what_is_many_hides_nothing_that_is_few),
               RUNG_TEST(test_rates_of_two_orders_take_a_hundred_steps),
               RUNG_TEST(test_outputs_cost_neither_steps_nor_factors))
