/* test_consistent.c - rates and algebraic unknowns at the start. */
#include "check.h"
#include "form_problems.h"
#include "ode_problems.h"

static PetscErrorCode start(const Ode *ode, RungSystem *sys, RungTransientSystem *ts, const PetscScalar *u[])
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(ode_create(ode, sys));
  PetscCall(RungTransientSystemCreate(*sys, 1, 0, ts));
  PetscCall(RungTransientSystemStart(*ts, 0.0));
  PetscCall(RungTransientSystemGetState(*ts, 0, &state));
  for (PetscInt k = 0; k <= ode->order; ++k) PetscCall(VecGetArrayRead(state->u[k], &u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- regular mass -------------------------------------------------------------------------------------------------
 */

static PetscErrorCode test_an_oscillator_starts_with_its_acceleration(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;

  PetscFunctionBegin;
  PetscCall(oscillator_create(2, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecAXPY(state->u[2], 1, state->u[0]));
  {
    PetscReal norm;

    PetscCall(VecNorm(state->u[2], NORM_INFINITY, &norm));
    CHECK_NEAR(norm, 0, 1e-14);
  }
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1 + y^2) y' + sin(y) = t + 2,  nonlinear in y' through a cube: y'^3 */
static void implicit_rate(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  r[0] = (1 + u[0][0] * u[0][0]) * u[1][0] + u[1][0] * u[1][0] * u[1][0] - 10 - t;
}

static PetscErrorCode test_a_nonlinear_rate_is_solved_for(void)
{
  static const PetscReal initial[] = {1, 0};
  const Ode              ode       = {.n = 1, .order = 1, .function = implicit_rate, .initial = initial};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  CHECK_NEAR(2 * u[1][0] + pow(u[1][0], 3), 10, 1e-10);
  CHECK(u[0][0] == 1);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts have the Newton method of stages, with the prefix mass_: its options and what it says reach them. */
static PetscErrorCode test_a_start_that_fails_says_why(void)
{
  static const PetscReal initial[] = {1, 0};
  const Ode              ode       = {.n = 1, .order = 1, .function = implicit_rate, .initial = initial};
  RungSystem             sys;
  RungTransientSystem    ts;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-mass_snes_max_it 2"));
  PetscCall(ode_create(&ode, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0.0), "Newton did not converge in 2 iterations");
  PetscCall(finish(&sys, &ts));
  PetscCall(PetscOptionsClearValue(NULL, "-mass_snes_max_it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -y + z, 0 = z^3 + z - y: index 1 with a declared algebraic entry */
static void index_one(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[1][0] + u[0][0] - u[0][1];
  r[1] = PetscPowScalar(u[0][1], 3) + u[0][1] - u[0][0];
}

static PetscErrorCode test_an_algebraic_entry_of_index_one_is_solved_for(void)
{
  static const PetscReal initial[] = {10, 0, 0, 0}, mask[] = {1, 0};
  const Ode              ode = {.n = 2, .order = 1, .function = index_one, .initial = initial, .differential = mask};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  CHECK(u[0][0] == 10);
  CHECK_NEAR(u[0][1], 2, 1e-10);
  CHECK_NEAR(u[1][0], -8, 1e-9);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- singular mass ------------------------------------------------------------------------------------------------
 */

/* The one-transistor amplifier, Hairer and Wanner II, VI.1: a derivative in every row, a mass of rank 3. */
static void amplifier(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  const PetscReal    R = 1000, S = 9000, C1 = 1e-6, C2 = 2e-6, C3 = 3e-6;
  const PetscScalar *y = u[0], *v = u[1];
  const PetscScalar g = 1e-6 * (PetscExpScalar((y[1] - y[2]) / 0.026) - 1), ue = 0.4 * PetscSinReal(200 * PETSC_PI * t);

  r[0] = C1 * (v[1] - v[0]) - (y[0] - ue) / R;
  r[1] = C1 * (v[0] - v[1]) - (2 * y[1] - 6) / S - 0.01 * g;
  r[2] = -C2 * v[2] - y[2] / S + g;
  r[3] = C3 * (v[4] - v[3]) - (y[3] - 6) / S - 0.99 * g;
  r[4] = C3 * (v[3] - v[4]) - y[4] / S;
}

/* Rates at the consistent values (0, 3, 3, 6, 0), by hand: the two sums of rows without derivatives are differentiated.
 */
static void amplifier_rates(PetscReal rate[])
{
  const PetscReal R = 1000, S = 9000, slope = 1e-6 / 0.026;

  rate[2] = -3 / (S * 2e-6);
  rate[0] = (80 * PETSC_PI / R + 0.01 * slope * rate[2]) / (1 / R + 2 / S + 0.01 * slope);
  rate[1] = rate[0];
  rate[3] = -0.99 * slope * (rate[1] - rate[2]) * S / 2;
  rate[4] = rate[3];
}

static PetscErrorCode test_the_amplifier_starts_although_its_mass_is_singular(void)
{
  static const PetscReal initial[] = {0, 3, 3, 6, 0};
  const Ode              ode       = {.n = 5, .order = 1, .function = amplifier, .initial = initial};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];
  PetscReal              rate[5];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  amplifier_rates(rate);
  for (PetscInt i = 0; i < 5; ++i) {
    CHECK(u[0][i] == initial[i]);
    CHECK_NEAR(u[1][i] / rate[i], 1, 1e-9);
  }
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_beside_the_constraints_are_projected_along_the_mass(void)
{
  static const PetscReal initial[] = {0.1, 3, 3, 6, 0.2};
  const Ode              ode       = {.n = 5, .order = 1, .function = amplifier, .initial = initial};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];
  PetscScalar            r[5];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  amplifier(0, u, r);
  CHECK_NEAR(r[0] + r[1], 0, 1e-12);
  CHECK_NEAR(r[3] + r[4], 0, 1e-12);
  CHECK_NEAR(u[0][1] - u[0][0], 2.9, 1e-9); /* what the mass sees is kept */
  CHECK_NEAR(u[0][2], 3, 1e-9);
  CHECK_NEAR(u[0][4] - u[0][3], -5.8, 1e-9);
  for (PetscInt i = 0; i < 5; ++i) CHECK_NEAR(r[i], 0, 1e-9);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M = a a^T + b b^T has rank 2, but no pivot of it is an exact zero; n is orthogonal to a and b.  Then n^T K u = 0 is a
   constraint and n^T K u' = 0 its derivative, with K = diag(1, 2, 3). */
static const PetscReal mass_a[] = {0.1, 0.7, 1.3}, mass_b[] = {1.0 / 3, -0.2, 0.9};

static void hidden_constraint(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  PetscScalar a = 0, b = 0;

  (void)t;
  for (PetscInt i = 0; i < 3; ++i) a += mass_a[i] * u[1][i];
  for (PetscInt i = 0; i < 3; ++i) b += mass_b[i] * u[1][i];
  for (PetscInt i = 0; i < 3; ++i) r[i] = mass_a[i] * a + mass_b[i] * b + (PetscReal)(i + 1) * u[0][i];
}

static PetscErrorCode hidden_check(PetscBool exact)
{
  const PetscReal n[] = {mass_a[1] * mass_b[2] - mass_a[2] * mass_b[1], mass_a[2] * mass_b[0] - mass_a[0] * mass_b[2],
                         mass_a[0] * mass_b[1] - mass_a[1] * mass_b[0]};
  const PetscReal initial[] = {1, 1, -(n[0] + 2 * n[1]) / (3 * n[2])};
  const Ode       ode       = {3, 1, hidden_constraint, initial, NULL, PETSC_TRUE, exact};
  RungSystem      sys;
  RungTransientSystem ts;
  const PetscScalar  *u[3];
  PetscScalar         r[3];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  hidden_constraint(0, u, r);
  for (PetscInt i = 0; i < 3; ++i) CHECK_NEAR(r[i], 0, 1e-7);
  CHECK_NEAR(n[0] * u[1][0] + 2 * n[1] * u[1][1] + 3 * n[2] * u[1][2], 0, 1e-6);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Differences make the singular value 1e-8, an exact Jacobian 1e-17: both look regular to a factorisation. */
static PetscErrorCode test_a_mass_that_is_singular_up_to_rounding_is_found_out(void)
{
  PetscFunctionBegin;
  PetscCall(hidden_check(PETSC_FALSE));
  PetscCall(hidden_check(PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Units far apart are no singularity: rows scaled by 1e-9 .. 1e9 and a column by 1e13 take the direct way, to full accuracy. */
static void far_apart(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = 1e9 * (u[1][0] + 1e13 * u[1][1]) + 1e9 * u[0][0];
  r[1] = 1e-9 * (u[1][0] - 1e13 * u[1][1]) - 1e-9 * 3 * u[0][0];
}

static PetscErrorCode test_units_far_apart_are_no_singularity(void)
{
  static const PetscReal initial[] = {1, 0};
  const Ode              ode       = {2, 1, far_apart, initial, NULL, PETSC_TRUE, PETSC_TRUE};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  CHECK_NEAR(u[1][0], 1, 1e-13);
  CHECK_NEAR(1e13 * u[1][1], -2, 1e-13);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pendulum at velocity level, index 2: x'' + x l = 0, y'' + y l + g = 0, x x' + y y' = 0. */
static void pendulum(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[2][0] + u[0][0] * u[0][2];
  r[1] = u[2][1] + u[0][1] * u[0][2] + 9.81;
  r[2] = u[0][0] * u[1][0] + u[0][1] * u[1][1];
}

static PetscErrorCode test_a_pendulum_at_velocity_level_finds_its_multiplier(void)
{
  static const PetscReal initial[] = {0.6, -0.8, 0, 0.8, 0.6, 0}, mask[] = {1, 1, 0};
  const Ode              ode = {.n = 3, .order = 2, .function = pendulum, .initial = initial, .differential = mask};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];
  const PetscReal        lambda = 1 + 9.81 * 0.8; /* |v|^2 - g y over |q|^2 = 1 */

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  CHECK_NEAR(u[0][2], lambda, 1e-9);
  CHECK_NEAR(u[2][0], -0.6 * lambda, 1e-6);
  CHECK_NEAR(u[2][1], 0.8 * lambda - 9.81, 1e-6);
  CHECK(u[0][0] == 0.6 && u[1][0] == 0.8);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same at position level, index 3. */
static void pendulum_position(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  pendulum(t, u, r);
  r[2] = (u[0][0] * u[0][0] + u[0][1] * u[0][1] - 1) / 2;
}

static PetscErrorCode test_index_three_starts_from_consistent_values_only(void)
{
  static const PetscReal good[] = {0.6, -0.8, 0, 0.8, 0.6, 0}, bad[] = {0.66, -0.8, 0, 0.8, 0.6, 0}, mask[] = {1, 1, 0};
  const Ode           ode = {.n = 3, .order = 2, .function = pendulum_position, .initial = good, .differential = mask};
  const Ode           other = {.n = 3, .order = 2, .function = pendulum_position, .initial = bad, .differential = mask};
  RungSystem          sys;
  RungTransientSystem ts;
  const PetscScalar  *u[3];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  CHECK_NEAR(u[0][2], 1 + 9.81 * 0.8, 1e-6);
  CHECK(u[0][0] == 0.6 && u[1][0] == 0.8);
  PetscCall(finish(&sys, &ts));
  PetscCall(ode_create(&other, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0), "no consistent start");
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M u' + K u + B^T p = f, B u = 0 with M = 1, 2, 3 */
static void stokes_like(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  const PetscScalar *x = u[0], *v = u[1];

  r[0] = v[0] + 4 * x[0] - x[1] + x[3] - PetscCosReal(t);
  r[1] = 2 * v[1] + 3 * x[1] - x[0] + x[3];
  r[2] = 3 * v[2] + x[2] - x[3] - t;
  r[3] = x[0] + x[1] - x[2];
}

static PetscErrorCode stokes_check(const PetscReal initial[], PetscReal tolerance)
{
  static const PetscReal mask[] = {1, 1, 1, 0};
  const Ode              ode    = {4, 1, stokes_like, initial, mask, PETSC_TRUE, PETSC_FALSE};
  RungSystem             sys;
  RungTransientSystem    ts;
  const PetscScalar     *u[3];
  PetscScalar            r[4];

  PetscFunctionBegin;
  PetscCall(start(&ode, &sys, &ts, u));
  stokes_like(0, u, r);
  for (PetscInt i = 0; i < 4; ++i) CHECK_NEAR(r[i], 0, tolerance);
  CHECK_NEAR(u[1][0] + u[1][1] - u[1][2], 0, tolerance); /* the hidden constraint */
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_saddle_point_of_index_two_finds_rates_and_pressure(void)
{
  static const PetscReal initial[] = {1, 2, 3, 0};

  PetscFunctionBegin;
  PetscCall(stokes_check(initial, 1e-9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_velocity_with_divergence_is_projected(void)
{
  static const PetscReal initial[] = {1, 2, 4, 0};

  PetscFunctionBegin;
  PetscCall(stokes_check(initial, 1e-9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with forces under which x = (0.1, 0.2, 0.3) cos t, p = 0 is the solution: a start from rest, where nothing but
   rounding is left of F; and with the forces of t = 0 at any time. */
static void rest_like(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  const PetscScalar *x = u[0], *v = u[1];
  const PetscReal    c = PetscCosReal(t), s = -PetscSinReal(t);

  r[0] = v[0] + 4.1 * x[0] - 1.1 * x[1] + x[3] - 0.1 * s - (4.1 * 0.1 - 1.1 * 0.2) * c;
  r[1] = 2 * v[1] + 3.3 * x[1] - 1.7 * x[0] + x[3] - 0.4 * s - (3.3 * 0.2 - 1.7 * 0.1) * c;
  r[2] = 3 * v[2] + 1.3 * x[2] - x[3] - 0.9 * s - 1.3 * 0.3 * c;
  r[3] = x[0] + x[1] - x[2] - (0.1 + 0.2 - 0.3) * c;
}

static void still_like(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  rest_like(0, u, r);
}

static PetscErrorCode test_a_start_from_rest_has_no_rates(void)
{
  static const PetscReal mask[] = {1, 1, 1, 0}, initial[] = {0.1, 0.2, 0.3, 0};
  OdeFn *const           function[] = {rest_like, still_like};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const Ode           ode = {4, 1, function[i], initial, mask, PETSC_TRUE, PETSC_FALSE};
    RungSystem          sys;
    RungTransientSystem ts;
    const PetscScalar  *u[3];

    PetscCall(start(&ode, &sys, &ts, u));
    for (PetscInt k = 0; k < 3; ++k) CHECK_NEAR(u[1][k], 0, 1e-9);
    CHECK_NEAR(u[0][3], 0, 1e-9);
    PetscCall(finish(&sys, &ts));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y0' = 0 and 0 = y0 - 1 with y1 nowhere */
static void hopeless(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[1][0] - u[0][0];
  r[1] = u[0][0] * u[0][0] + 1;
}

static PetscErrorCode test_equations_without_a_solution_are_refused(void)
{
  static const PetscReal initial[] = {1, 1};
  const Ode              ode       = {.n = 2, .order = 1, .function = hopeless, .initial = initial};
  RungSystem             sys;
  RungTransientSystem    ts;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0.0), "no consistent start at t = 0");
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_residual_beyond_all_numbers_is_told(void)
{
  RungMesh            mesh;
  RungSpace           space;
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) - exp(u))*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "700"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0.0),
               "its entries are as large as 1.01e+304, and the sum of their squares");
  PetscCall(finish(&sys, &ts));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_oscillator_starts_with_its_acceleration),
               RUNG_TEST(test_a_nonlinear_rate_is_solved_for), RUNG_TEST(test_a_start_that_fails_says_why),
               RUNG_TEST(test_an_algebraic_entry_of_index_one_is_solved_for),
               RUNG_TEST(test_the_amplifier_starts_although_its_mass_is_singular),
               RUNG_TEST(test_values_beside_the_constraints_are_projected_along_the_mass),
               RUNG_TEST(test_a_mass_that_is_singular_up_to_rounding_is_found_out),
               RUNG_TEST(test_units_far_apart_are_no_singularity),
               RUNG_TEST(test_a_pendulum_at_velocity_level_finds_its_multiplier),
               RUNG_TEST(test_index_three_starts_from_consistent_values_only),
               RUNG_TEST(test_a_saddle_point_of_index_two_finds_rates_and_pressure),
               RUNG_TEST(test_a_velocity_with_divergence_is_projected), RUNG_TEST(test_a_start_from_rest_has_no_rates),
               RUNG_TEST(test_equations_without_a_solution_are_refused),
               RUNG_TEST(test_a_residual_beyond_all_numbers_is_told))
