/* test_stage_stop.c - when Newton's method of a stage is done: no unknown decides for another one, and rounding is no failure. */
#include "points.h"

/* T' = -T^2 by fixed steps, alone and beside a P that moves and is large. */
static PetscErrorCode test_fixed_steps_beside_a_large_unknown_are_those_alone(void)
{
  const char *const initial[] = {"0", "1e9", "1e12"};
  PetscReal         T[3][2];

  PetscFunctionBegin;
  for (int way = 0; way < 3; ++way) {
    for (int steps = 0; steps < 2; ++steps) {
      RungStepper stepper;

      PetscCall(points_create(way ? 2 : 1, (const char *const[]){"T", "P"}, (const char *const[]){"P0", "P0"},
                              (const char *const[]){"1", initial[way]},
                              way ? "(dt(T) + T^2)*v*dx + (dt(P) + P/7)*q*dx" : "(dt(T) + T^2)*v*dx", &stepper));
      PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
      PetscCall(RungStepperSetInterval(stepper, 0, 1, steps ? 0.0125 : 0.025));
      PetscCall(points_solve(&stepper, 1, &T[way][steps], NULL));
    }
    CHECK_NEAR(T[way][0], T[0][0], 1e-14);
    CHECK_NEAR(T[way][1], T[0][1], 1e-14);
    CHECK(PetscAbsReal(T[way][1] - 0.5) < PetscAbsReal(T[way][0] - 0.5) / 12); /* order 4 */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROBERTSON                                                                                                      \
  "inner(dt(y) - vector(-0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]^2, 3e7*y[1]^2), v)*dx"

/* Robertson's kinetics to t = 40, alone and beside what only stands there. */
static PetscErrorCode test_kinetics_beside_an_inert_unknown_are_those_alone(void)
{
  const char *const     initial[] = {"", "1e5", "1e8"};
  const PetscReal       exact[]   = {0.7158270687, 9.185534764e-6, 0.2841637457};
  PetscReal             y[3][3];
  RungStepperStatistics s[3];

  PetscFunctionBegin;
  for (int way = 0; way < 3; ++way) {
    RungStepper stepper;

    PetscCall(points_create(way ? 2 : 1, (const char *const[]){"y", "P"}, (const char *const[]){"P0^3", "P0"},
                            (const char *const[]){"vector(1, 0, 0)", initial[way]},
                            way ? ROBERTSON " + dt(P)*q*dx" : ROBERTSON, &stepper));
    PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
    PetscCall(RungStepperSetUnknownTolerances(stepper, "y", 1e-6, 1e-12));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-12));
    PetscCall(RungStepperSetInterval(stepper, 0, 40, 1e-4));
    PetscCall(points_solve(&stepper, 3, y[way], &s[way]));
    for (int i = 0; i < 3; ++i) CHECK_NEAR(y[way][i] / exact[i], 1, 2e-6);
    CHECK(s[way].steps == s[0].steps);
    CHECK(s[way].newton == s[0].newton);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y'' = -y^3, whose speed is the harder one to find, as the first unknown and as the last one. */
static PetscErrorCode test_speeds_count_wherever_their_unknown_stands(void)
{
  RungStepperStatistics s[2];

  PetscFunctionBegin;
  for (int way = 0; way < 2; ++way) {
    RungStepper stepper;
    PetscReal   value[1];

    PetscCall(points_create(2, way ? (const char *const[]){"y", "P"} : (const char *const[]){"P", "y"},
                            (const char *const[]){"P0", "P0"}, (const char *const[]){"1", "1"},
                            way ? "(dt(y, 2) + y^3)*v*dx + dt(P, 2)*q*dx" : "(dt(y, 2) + y^3)*q*dx + dt(P, 2)*v*dx",
                            &stepper));
    PetscCall(RungStepperSetMethod(stepper, "chung_hulbert"));
    PetscCall(RungStepperSetTolerances(stepper, 1e-5, 1e-7));
    PetscCall(RungStepperSetInterval(stepper, 0, 10, 1e-2));
    PetscCall(points_solve(&stepper, 1, value, &s[way]));
  }
  CHECK(s[0].steps == s[1].steps && s[0].newton == s[1].newton);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* I + grad(u) rounds as 1 does: small loads leave |F| where it stands, and that is no failure. */
static PetscErrorCode test_small_loads_bend_a_beam(void)
{
  const PetscReal load[] = {1e-6, 1e-7};
  RungMesh        mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){50, 2}, (PetscReal[]){25, 1}));
  for (int i = 0; i < 2; ++i) {
    RungSpace             V;
    RungSystem            sys;
    RungStepper           stepper;
    RungStepperStatistics s;
    const RungState      *state;
    PetscReal             low;

    PetscCall(RungSpaceCreate(mesh, "Q2^d", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemSetConstant(sys, "mu", 1e4 / 2.6));
    PetscCall(RungSystemSetConstant(sys, "lambda", 3e3 / (1.3 * 0.4)));
    PetscCall(RungSystemSetConstant(sys, "L", 0.5 * load[i]));
    PetscCall(RungSystemDefine(sys, "F", "I + grad(u)"));
    PetscCall(RungSystemDefine(sys, "G", "(dot(transpose(F), F) - I)/2"));
    PetscCall(RungSystemAddResidual(sys, "inner(dot(F, lambda*tr(G)*I + 2*mu*G), grad(v))*dx + L*t*v[1]*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK(s.newton <= 10 * 9);
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecMin(state->u[0], NULL, &low));
    CHECK_NEAR(low / load[i], -26.63620, 1e-5);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that makes the mean pressure 0 is itself 0 but for rounding, of which tolerances are no measure. */
static PetscErrorCode test_a_multiplier_that_is_rounding_refuses_no_step(void)
{
  static const char *const name[] = {"u", "p", "l"}, *test[] = {"v", "q", "m"}, *of[] = {"P2^d", "P1", "R"};
  static const char *const wall[] = {"left", "right", "bottom"};
  RungStepperStatistics    s[2];
  RungMesh                 mesh;
  RungSpace                space;
  RungSystem               sys;
  RungStepper              stepper;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const PetscReal length = i ? 1e9 : 1;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){6, 6}, (PetscReal[]){length, length}));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    for (int f = 0; f < 3; ++f) {
      PetscCall(RungSpaceCreate(mesh, of[f], &space));
      PetscCall(RungSystemAddUnknown(sys, name[f], test[f], space));
      PetscCall(RungSpaceDestroy(&space));
    }
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungSystemSetConstant(sys, "L", length));
    PetscCall(
      RungSystemAddResidual(sys, "inner(dt(u) + dot(grad(u), u), v)*dx + 0.2*L^2*inner(sym(grad(u)), grad(v))*dx"));
    PetscCall(RungSystemAddResidual(sys, "-p*div(v)*dx - q*div(u)*dx + p*m*dx + l*q*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "top", "vector(4*L*sin(5*t)*x[0]*(L - x[0])/L^2, 0)"));
    for (int f = 0; f < 3; ++f) PetscCall(RungSystemSetDirichlet(sys, "u", wall[f], "0"));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
    PetscCall(RungStepperSetInterval(stepper, 0, 0.02, 0.01));
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, 0));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s[i]));
    CHECK(s[i].failed == 0 && s[i].newton < 12 * 5 * s[i].steps);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  CHECK(s[0].steps == s[1].steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_fixed_steps_beside_a_large_unknown_are_those_alone),
               RUNG_TEST(test_kinetics_beside_an_inert_unknown_are_those_alone),
               RUNG_TEST(test_speeds_count_wherever_their_unknown_stands), RUNG_TEST(test_small_loads_bend_a_beam),
               RUNG_TEST(test_a_multiplier_that_is_rounding_refuses_no_step))
