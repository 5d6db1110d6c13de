/* test_stage_search.c - full steps of Newton's method, in stages and in consistent starts, and the search that stands by. */
#include "points.h"

/* A beam that is held on the left, with "P" of F = I + grad(u); E = 1e4, nu = 0.3, the load is L times what a body has. */
static PetscErrorCode make_beam(RungMesh mesh, const char P[], const char load[], PetscReal L, RungSystem *sys)
{
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "mu", 1e4 / 2.6));
  PetscCall(RungSystemSetConstant(*sys, "lambda", 3e3 / (1.3 * 0.4)));
  PetscCall(RungSystemSetConstant(*sys, "L", L));
  PetscCall(RungSystemDefine(*sys, "F", "I + grad(u)"));
  PetscCall(RungSystemDefine(*sys, "G", "(dot(transpose(F), F) - I)/2"));
  PetscCall(RungSystemDefine(*sys, "P", P));
  PetscCall(RungSystemAddResidual(*sys, "inner(P, grad(v))*dx(degree: 4)"));
  PetscCall(RungSystemAddResidual(*sys, load));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSpaceDestroy(&V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From t = 0 to `steps` in that many steps.  low: the smallest entry at the end. */
static PetscErrorCode bend(RungSystem sys, PetscInt steps, RungStepperStatistics *statistics, PetscReal *low)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetInterval(stepper, 0, (PetscReal)steps, 1));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, statistics));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecMin(state->u[0], NULL, low));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 20 x 2 x 2 hexahedra, a traction of 1.5 t on the end: the beam of the FEniCSx tutorial on hyperelasticity. */
static PetscErrorCode test_a_hyperelastic_beam_takes_nine_loads(void)
{
  RungMesh              mesh;
  RungSystem            sys;
  RungStepperStatistics s;
  PetscReal             low;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){20, 2, 2}, (PetscReal[]){20, 1, 1}));
  PetscCall(make_beam(mesh, "mu*(F - transpose(inv(F))) + lambda*log(det(F))*transpose(inv(F))", "L*t*v[2]*ds(right)",
                      1.5, &sys));
  PetscCall(bend(sys, 9, &s, &low));
  CHECK(s.newton <= 9 * 9);
  CHECK_NEAR(low, -15.5105878866, 1e-8);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A St. Venant-Kirchhoff cantilever, 25 times as long as high, bends under its weight by 16.7: in nine steps, and at once in
   the start of a run whose weight is there from the beginning. */
static PetscErrorCode test_a_slender_cantilever_bends_step_by_step_and_at_once(void)
{
  const char           *load[]  = {"L*t/9*v[1]*dx", "L*v[1]*dx"};
  const PetscInt        steps[] = {9, 1}, most[] = {9 * 9, 3};
  PetscReal             low[2];
  RungStepperStatistics s;
  RungMesh              mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){50, 2}, (PetscReal[]){25, 1}));
  for (int way = 0; way < 2; ++way) {
    RungSystem sys;

    PetscCall(make_beam(mesh, "dot(F, lambda*tr(G)*I + 2*mu*G)", load[way], 0.5, &sys));
    PetscCall(bend(sys, steps[way], &s, &low[way]));
    CHECK(s.newton <= most[way]);
    PetscCall(RungSystemDestroy(&sys));
  }
  CHECK_NEAR(low[0], -16.70522704, 1e-7);
  CHECK_NEAR(low[1], low[0], 1e-8);
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const unknown[] = {"u", "p"}, *const spec[] = {"P0", "P0"};

/* Van der Pol's oscillator on its slow parts and its jumps. */
static PetscErrorCode test_no_solve_of_stiff_kinetics_fails(void)
{
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(points_create(2, unknown, spec, (const char *const[]){"2", "-0.6666654321121172"},
                          "(dt(u) - p)*v*dx + (dt(p) - 1e6*((1 - u^2)*p - u))*q*dx", &stepper));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  PetscCall(RungStepperSetInterval(stepper, 0, 2, 1e-6));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.steps <= 220); /* 208 from the cubic of the last step, 211 from earlier stages */
  CHECK(s.failed == 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of any length: u' = -u^2 beside p = 1e12 (1 + t), which is as large as that in one step of Newton's method. */
static PetscErrorCode test_a_large_unknown_does_not_shorten_the_step(void)
{
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;
  const PetscScalar    *x;

  PetscFunctionBegin;
  PetscCall(points_create(2, unknown, spec, (const char *const[]){"1", "1e12"},
                          "(dt(u) + u^2)*v*dx + (p - 1e12*(1 + t))*q*dx", &stepper));
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.05));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.steps == 20);
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetArrayRead(state->u[0], &x));
  CHECK_NEAR(x[0], 0.5, 2e-3);
  CHECK_NEAR(x[1], 2e12, 1);
  PetscCall(VecRestoreArrayRead(state->u[0], &x));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u/sqrt(1 + u^2) at u = 5: full steps lead to -125, then to 2e6; those along which |F| falls to 0.  From a start of a run
   (the first), and in its stages. */
static PetscErrorCode test_a_search_stands_by_where_full_steps_diverge(void)
{
  const char *residual[] = {"u/sqrt(1 + u^2)*v*dx", "(dt(u) + 1e9*u/sqrt(1 + u^2))*v*dx"};

  PetscFunctionBegin;
  for (int way = 0; way < 2; ++way) {
    RungStepper      stepper;
    const RungState *state;
    PetscReal        value;

    PetscCall(points_create(1, unknown, spec, (const char *const[]){"5"}, residual[way], &stepper));
    PetscCall(RungStepperSetType(stepper, RUNGBDF));
    PetscCall(RungStepperSetInterval(stepper, 0, 2, 1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecNorm(state->u[0], NORM_INFINITY, &value));
    CHECK(value < 2e-8);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_search_that_is_named_is_the_only_one(void)
{
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-snes_linesearch_type", "basic"));
  PetscCall(
    points_create(1, unknown, spec, (const char *const[]){"5"}, "(dt(u) + 1e9*u/sqrt(1 + u^2))*v*dx", &stepper));
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1));
  CHECK_RAISES(RungStepperSolve(stepper), "Newton");
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.newton == 25);
  PetscCall(PetscOptionsClearValue(NULL, "-snes_linesearch_type"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_hyperelastic_beam_takes_nine_loads),
               RUNG_TEST(test_a_slender_cantilever_bends_step_by_step_and_at_once),
               RUNG_TEST(test_no_solve_of_stiff_kinetics_fails),
               RUNG_TEST(test_a_large_unknown_does_not_shorten_the_step),
               RUNG_TEST(test_a_search_stands_by_where_full_steps_diverge),
               RUNG_TEST(test_a_search_that_is_named_is_the_only_one))
