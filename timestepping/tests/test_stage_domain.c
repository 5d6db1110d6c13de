/* test_stage_domain.c - Newton's steps out of the domain of F are cut. */
#include "../step_impl.h"
#include <check.h>

/* u' = -100 log(100 u) at points, u(0) = 5: the first step of Newton's method leads to u = -24.  law: of u */
static PetscErrorCode create(const char law[], RungStepper *stepper)
{
  RungMesh   points;
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 7));
  PetscCall(RungSpaceCreate(points, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, law));
  PetscCall(RungSystemSetInitial(sys, "u", "5"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, RUNGBDF));
  PetscCall(RungStepperSetMethod(*stepper, "bdf1"));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, 1));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_step_out_of_the_domain_is_cut(void)
{
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;
  PetscReal             low, high, a = 1e-9, b = 5;

  PetscFunctionBegin;
  while (b - a > 1e-14) *((a + b) / 2 - 5 + 100 * log(50 * (a + b)) > 0 ? &b : &a) = (a + b) / 2;
  PetscCall(create("(dt(u) + 100*log(100*u))*v*dx", &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecMin(state->u[0], NULL, &low));
  PetscCall(VecMax(state->u[0], NULL, &high));
  CHECK_NEAR(low, a, 1e-12);
  CHECK_NEAR(high, a, 1e-12);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.newton <= 15);
  CHECK(s.residuals <= s.newton + 10); /* what was tried is not evaluated again */
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of density 1 is pushed at its end, five steps of 0.1: where is the end, and how many iterations are that? */
static PetscErrorCode push(const char stress[], double load, PetscInt cells, PetscReal *end, PetscInt *newton)
{
  char                  text[128];
  RungMesh              mesh;
  RungSpace             space;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics statistics;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text, "dt(u, 2)*v*dx + %s*grad(v)[0]*dx + %g*v*ds(right)", stress, load));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, &cells, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, text));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemAddProbe(sys, "end", "u", (PetscReal[]){1}));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "newmark"));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.5, 0.1));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "end", end));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *newton = statistics.newton;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the stress log(1 + u') the acceleration of the last node, which the mesh makes the larger the finer it is, leads through the others.
   Behind the wave the end goes with 2 (1 - exp(-0.1)). */
static PetscErrorCode test_a_first_guess_out_of_the_domain_is_not_taken(void)
{
  PetscReal end;
  PetscInt  newton;

  PetscFunctionBegin;
  PetscCall(push("log(1 + grad(u)[0])", 0.2, 100, &end, &newton));
  CHECK_NEAR(end, exp(-0.1) - 1, 1e-3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cube of 1 + u' has no end of its domain: the guess folds the bar some hundred times over, from where it is a long way back. */
static PetscErrorCode test_a_first_guess_that_is_worse_than_the_last_value_is_not_taken(void)
{
  PetscReal end;
  PetscInt  newton;

  PetscFunctionBegin;
  PetscCall(push("((1 + grad(u)[0])^3 - 1)/3", 0.1, 1600, &end, &newton));
  CHECK_NEAR(end, -0.053, 1e-3);
  CHECK(newton <= 45);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bound that does not act. */
static PetscErrorCode bound(RungStepper stepper)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetBounds(sys, "u", NULL, "6"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With steps that are cut the error test must not see convergence in their size: tolerances so loose that half of a step
   is small. */
static PetscErrorCode test_a_step_that_was_cut_is_not_the_last(void)
{
  PetscFunctionBegin;
  for (int bounds = 0; bounds < 2; ++bounds) {
    RungStepper      stepper;
    const RungState *state;
    PetscReal        value;

    PetscCall(create("(dt(u) + 100*log(100*u))*v*dx", &stepper));
    if (bounds) PetscCall(bound(stepper));
    PetscCall(RungStepperSetType(stepper, RUNGDIRK));
    PetscCall(RungStepperSetMethod(stepper, "trbdf2"));
    PetscCall(RungStepperSetTolerances(stepper, 1e3, 1e3));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecMin(state->u[0], NULL, &value));
    CHECK(value > 0 && value < (bounds ? 0.1 : 0.5)); /* without bounds a matrix is kept, whose step is no cut one */
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 20 + sqrt(u) drives u below 0, where F is not a number. */
static PetscErrorCode test_where_no_solution_is_the_message_names_the_domain(void)
{
  PetscFunctionBegin;
  for (int bounds = 0; bounds < 2; ++bounds) {
    RungStepper stepper;

    PetscCall(create("(dt(u) + 20 + sqrt(u))*v*dx", &stepper));
    if (bounds) PetscCall(bound(stepper));
    CHECK_RAISES(RungStepperSolve(stepper), "its steps lead to where the residual is not finite: form");
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -u from s over 0.1 s x: estimates that are solved for with the stage's matrix see the entries that no bound holds, in any units. */
static PetscErrorCode test_estimates_are_filtered_where_no_bound_holds(void)
{
  static const char *const method[] = {"trbdf2", "bathe"};
  static const char *const type[]   = {RUNGDIRK, "bathe"};

  PetscFunctionBegin;
  for (int m = 0; m < 4; ++m) {
    const PetscReal s = m < 2 ? 1 : 1.0 / (1 << 30);
    RungMesh        mesh;
    RungSpace       V;
    RungSystem      sys;
    RungStepper     stepper;
    PetscReal       value[2];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetPoints(mesh, 5));
    PetscCall(RungSpaceCreate(mesh, "P0", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddResidual(sys, "(dt(u) + u)*v*dx"));
    PetscCall(RungSystemSetConstant(sys, "s", s));
    PetscCall(RungSystemSetInitial(sys, "u", "s"));
    PetscCall(RungSystemSetBounds(sys, "u", "0.1*s*x[0]", NULL));
    PetscCall(RungSystemAddProbe(sys, "free", "u", (PetscReal[]){1}));
    PetscCall(RungSystemAddProbe(sys, "held", "u", (PetscReal[]){4}));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSetType(stepper, type[m % 2]));
    PetscCall(RungStepperSetMethod(stepper, method[m % 2]));
    PetscCall(RungStepperSetInterval(stepper, 0, 2, 0.1));
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-6 * s));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "free", &value[0]));
    PetscCall(RungStepperGetQuantity(stepper, "held", &value[1]));
    CHECK_NEAR(value[0] / s, PetscExpReal(-2), 2e-4);
    CHECK_NEAR(value[1] / s, 0.4, 1e-12);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A membrane that is pushed onto a floor, in one step: the rim of the contact moves over hundreds of cells in a few iterations, from
   above and from below. */
static PetscErrorCode test_a_contact_finds_its_rim_on_fine_meshes(void)
{
  static const char *const cell[] = {"interval", "triangle"}, *const law[] = {"10", "-10"};

  PetscFunctionBegin;
  for (int m = 0; m < 4; ++m) {
    RungMesh              mesh;
    RungSpace             V;
    RungSystem            sys;
    RungStepper           stepper;
    RungStepperStatistics s;
    PetscReal             value;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(
      RungMeshSetBox(mesh, cell[m % 2], m % 2 + 1, (PetscInt[]){m % 2 ? 1600 : 3200, 1}, (PetscReal[]){1, 0.001}));
    PetscCall(RungSpaceCreate(mesh, "P1", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemDefine(sys, "f", law[m / 2]));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + f*v*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "right", "0"));
    PetscCall(RungSystemSetBounds(sys, "u", m / 2 ? NULL : "-0.1", m / 2 ? "0.1" : NULL));
    PetscCall(RungSystemAddProbe(sys, "beside", "u", (PetscReal[]){0.05, 0}));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSetType(stepper, RUNGBDF));
    PetscCall(RungStepperSetMethod(stepper, "bdf1"));
    PetscCall(RungStepperSetInterval(stepper, 0, 1e6, 1e6));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "beside", &value));
    CHECK_NEAR(m / 2 ? value : -value, 0.05 * PetscSqrtReal(2) - 0.0125, 1e-5); /* f s x - f x^2/2, s = sqrt(0.02) */
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK(s.newton <= 12);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_contact_finds_its_rim_on_fine_meshes),
               RUNG_TEST(test_estimates_are_filtered_where_no_bound_holds),
               RUNG_TEST(test_a_step_out_of_the_domain_is_cut), RUNG_TEST(test_a_step_that_was_cut_is_not_the_last),
               RUNG_TEST(test_a_first_guess_out_of_the_domain_is_not_taken),
               RUNG_TEST(test_a_first_guess_that_is_worse_than_the_last_value_is_not_taken),
               RUNG_TEST(test_where_no_solution_is_the_message_names_the_domain))
