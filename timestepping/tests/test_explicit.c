/* test_explicit.c - explicit Runge-Kutta methods: a step by hand, orders of all of them at orders 1 and 2 in time, errors that follow
   tolerances, boundary data that move, algebraic unknowns beside rates, one factorisation, refusals. */
#include "../tableau_impl.h"
#include "moving.h"
#include "points.h"

static PetscErrorCode solve(Ode *ode, const char method[], PetscReal t1, PetscReal dt, PetscReal rtol, PetscInt n,
                            PetscReal y[], RungStepperStatistics *s)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, ode, RUNGEXPLICIT, method, 0, t1, dt, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  RungCallOrUndo(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(ode_values(stepper, 0, n, y));
  if (s) PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define H 0.3

/* u' = -u:  k_i = -(1 + h sum_j<i a_ij k_j),  u_1 = 1 + h sum_i b_i k_i. */
static PetscErrorCode test_one_step_is_that_by_hand(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungExplicitGetAll(&n, &t));
  CHECK(n == 40);
  for (PetscInt m = 0; m < n; ++m) {
    Ode       ode = relaxation(1, 1);
    PetscReal k[RUNG_MAX_STAGES], wanted = 1, y;

    for (PetscInt i = 0; i < t[m].stages; ++i) {
      k[i] = -1;
      for (PetscInt j = 0; j < i; ++j) k[i] -= H * RungTableauA(&t[m], i, j) * k[j];
      wanted += H * t[m].b[i] * k[i];
    }
    PetscCall(solve(&ode, t[m].name, H, H, 0, 1, &y, NULL));
    if (fabs(y - wanted) > 1e-12) fprintf(stderr, "%s: ", t[m].name);
    CHECK_NEAR(y, wanted, 1e-12); /* weights of verner65 reach 176 */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error at t1 after so many steps. */
static PetscErrorCode error_of(const RungTableau *t, PetscBool second, PetscReal t1, PetscInt steps, PetscReal *error)
{
  const PetscInt n        = second ? 1 : 3;
  Ode            ode      = second ? driven() : kaps();
  PetscReal      exact[3] = {1 + sin(2 * t1) / 2}, y[3];

  PetscFunctionBegin;
  if (!second) kaps_exact(t1, exact);
  PetscCall(solve(&ode, t->name, t1, t1 / (PetscReal)steps, 0, n, y, NULL));
  *error = 0;
  for (PetscInt i = 0; i < n; ++i) *error = PetscMax(*error, fabs(y[i] - exact[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From some steps on, each 3/2 as many as before: conditions of order are in test_tableau.c, here steps have to follow each other rightly.
   Slopes over few steps are less than the order of methods whose terms of high order are large, and errors change sign. */
static PetscErrorCode check_order(const RungTableau *t, PetscBool second)
{
  const PetscInt steps = t->order >= 8 ? 8 : t->order >= 6 ? 16 : t->order >= 4 ? 36 : 200;
  PetscReal      error[5], order = 0;
  PetscBool      fine = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < 5 && !fine; ++l) {
    PetscCall(error_of(t, second, 4, (PetscInt)round((double)steps * pow(1.5, (double)l)), &error[l]));
    if (l) order = log(error[l - 1] / error[l]) / log(1.5);
    fine = l && (order > t->order - 0.3 || error[l] < 1e-11) ? PETSC_TRUE : PETSC_FALSE;
    if (l == 4 && !fine) fprintf(stderr, "%s: %g from %g, %g, %g\n", t->name, order, error[0], error[2], error[4]);
  }
  CHECK(fine && error[0] < 5e-2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_at_both_orders_in_time(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungExplicitGetAll(&n, &t));
  for (PetscInt m = 0; m < n; ++m) {
    PetscCall(check_order(&t[m], PETSC_FALSE));
    PetscCall(check_order(&t[m], PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_tolerances(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungExplicitGetAll(&n, &t));
  for (PetscInt m = 0; m < n; ++m) {
    PetscReal error[2], exact[3];

    if (!t[m].bhat) continue;
    kaps_exact(1, exact);
    for (int l = 0; l < 2; ++l) {
      Ode       ode = kaps();
      PetscReal y[3];

      PetscCall(solve(&ode, t[m].name, 1, 0.05, l ? 1e-7 : 1e-4, 3, y, NULL));
      error[l] = 0;
      for (int i = 0; i < 3; ++i) error[l] = PetscMax(error[l], fabs(y[i] - exact[i]));
    }
    if (!strcmp(t[m].name, "fehlberg21"))
      continue; /* its estimate is a 512th of a difference: errors are 100 times rtol */
    if (error[0] > 20e-4 || error[1] > 20e-7) fprintf(stderr, "%s: %g %g\n", t[m].name, error[0], error[1]);
    CHECK(error[0] < 20e-4 && error[1] < 20e-7);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms ------------------------------------------------------------------------------------------------------ */

/* Heat and a bar whose ends move: values of the data imposed on the stages would leave order 2. */
static const Moving *const moving[] = {&moving_heat, &moving_bar};

static PetscErrorCode test_moving_boundary_data_keep_the_order(void)
{
  static const char *const method[] = {"heun21", "bs32", "rk4", "dopri54"};
  static const PetscReal   order[]  = {2, 3, 4, 5};

  PetscFunctionBegin;
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(moving); ++p) {
    for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
      RungStepperStatistics s;
      PetscReal             h[4], error[4], rate[2];

      for (PetscInt l = 0; l < 4; ++l) {
        const PetscInt steps = (PetscInt)round(16 * pow(1.5, (double)l));

        h[l] = 1 / (PetscReal)steps;
        PetscCall(moving_run(method[m], moving[p], steps, 0, rate, &s));
        error[l] = rate[0];
        CHECK(s.factorisations == 1); /* of the mass, for the start too */
      }
      CHECK_ORDER(method[m], 4, h, error, order[m], 0.6, 1.2);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = 0 at the level itself: rates of a last stage are those of where the stages led the data, not of the values put there. */
static PetscErrorCode test_rates_of_a_level_are_those_of_its_values(void)
{
  static const char *const method[] = {"bs32", "dopri54", "rk4"};

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    RungSystem       sys;
    RungStepper      stepper;
    const RungState *state;
    PetscReal        largest;
    Vec              r;

    PetscCall(moving_create(&moving_heat, &sys));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMethod(stepper, method[m]));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.25));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecDuplicate(state->u[0], &r));
    PetscCall(RungSystemResidual(sys, 1, state->u, r));
    PetscCall(VecNorm(r, NORM_INFINITY, &largest));
    CHECK_NEAR(largest, 0, 1e-12);
    PetscCall(VecDestroy(&r));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_steps_with_tolerances_see_boundary_data(void)
{
  RungStepperStatistics s;
  PetscReal             error[2];

  PetscFunctionBegin;
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(moving); ++p) {
    for (int l = 0; l < 2; ++l) {
      const PetscReal rtol = l ? 1e-6 : 1e-4;

      PetscCall(moving_run("dopri54", moving[p], 50, rtol, error, &s));
      CHECK(error[0] < 20 * rtol && s.steps < 200);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Heat at rest whose ends rise within a tenth of a step at t = 100: the stages see rates of the data before or after the rise alone.
   The mean at t = 200 is that of bdf and alpha; a step over the rise would leave it at 0. */
static PetscErrorCode test_a_rise_between_stages_is_seen(void)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;
  PetscReal   mean;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){16}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0.5*(1 + tanh((t - 100)/0.02))"));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "dopri54"));
  PetscCall(RungStepperSetInterval(stepper, 0, 200, 0.5));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
  CHECK_NEAR(mean, 0.69885, 2e-4);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -y + z, z = y^2 - 1 + z^3 is found beside the rate; y + z = 0 is a constraint on what has a rate alone. */
static PetscErrorCode two(const char second[], const char method[], PetscInt steps, PetscReal y[2])
{
  static const char *const name[] = {"y", "z"}, *const space[] = {"P0", "P0"}, *const start[] = {"1", "0"};
  RungStepper stepper;
  RungSystem  sys;

  PetscFunctionBegin;
  PetscCall(points_create(2, name, space, start, "(dt(y) + y - z)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, second));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1 / (PetscReal)steps));
  PetscCall(points_solve(&stepper, 2, y, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_algebraic_unknowns_are_found_beside_rates(void)
{
  static const char equation[] = "(z + z^3 - y^2)*q*dx";
  PetscReal         exact[2], h[4], error[4];

  PetscFunctionBegin;
  PetscCall(two(equation, "esdirk_16_8_5", 64, exact));
  for (PetscInt l = 0; l < 4; ++l) {
    PetscReal y[2];

    h[l] = 1 / (PetscReal)(4 << l);
    PetscCall(two(equation, "rk4", 4 << l, y));
    error[l] = hypot(y[0] - exact[0], y[1] - exact[1]);
  }
  CHECK_ORDER("rk4", 4, h, error, 4, 0.4, 0.6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F is symmetric, and the matrix of y' and z beside each other is not: y' = -y + z, z = y + 2 z - t, by factors of its own. */
static PetscErrorCode test_symmetric_systems_have_matrices_that_are_not(void)
{
  PetscReal exact[2], y[2];

  PetscFunctionBegin;
  PetscCall(two("(-y + 2*z - t)*q*dx", "esdirk_16_8_5", 64, exact));
  PetscCall(two("(-y + 2*z - t)*q*dx", "dopri54", 64, y));
  CHECK_NEAR(y[0], exact[0], 1e-9);
  CHECK_NEAR(y[1], exact[1], 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z'' or z' of a body that is led along a path, and the force p that does it, in other units: constraints of index 2 and 3. */
static PetscErrorCode led(const char first[], const char second[], const char spec[], const char method[])
{
  static const char *const name[] = {"y", "p"}, *const start[] = {"1", "0"};
  const char *const space[] = {"P0", spec};
  PetscReal         y[2];
  RungStepper       stepper;
  RungSystem        sys;

  PetscFunctionBegin;
  PetscCall(points_create(2, name, space, start, first, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, second));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(points_solve(&stepper, 2, y, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_constraints_of_index_2_are_refused(void)
{
  static const char *const method[] = {"rk4", "dopri54", "forward_euler"}, *const space[] = {"P0", "R"};
  static const char refused[] = "without a rate, as \"p\", together with the rates";

  PetscFunctionBegin;
  for (int m = 0; m < 3; ++m) {
    for (int s = 0; s < 2; ++s) {
      CHECK_RAISES(led("(dt(y) + p)*v*dx", "(y - cos(t))*q*dx", space[s], method[m]), refused);
      CHECK_RAISES(led("(dt(y) - p)*v*dx", "(y - 1)*q*dx", space[s], method[m]), refused);
      CHECK_RAISES(led("1e12*(dt(y) + p)*v*dx", "1e-12*(y - cos(t))*q*dx", space[s], method[m]), refused);
      CHECK_RAISES(led("(dt(y) + p^3 + p)*v*dx", "(y^2 - cos(t)^2)*q*dx", space[s], method[m]), refused);
      CHECK_RAISES(led("(dt(dt(y)) + p + y)*v*dx", "(dt(y) + sin(t))*q*dx", space[s], method[m]), refused);
    }
  }
  CHECK_RAISES(led("(dt(y) - p)*v*dx", "(y - 1)*q*dx", "P0", "rk4"), "(index 2), as trbdf2");
  PetscCall(led("1e12*(dt(y) + 1e-12*p)*v*dx", "1e-12*(1e-12*p + y - cos(t))*q*dx", "R", "dopri54"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_refusals_name_what_is_in_the_way(void)
{
  Ode       ode = kaps();
  PetscReal y[3];

  PetscFunctionBegin;
  CHECK_RAISES(solve(&ode, "rk4", 1, 0.1, 1e-4, 3, y, NULL), "no error estimate to choose steps by");
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_step_is_that_by_hand), RUNG_TEST(test_orders_at_both_orders_in_time),
               RUNG_TEST(test_errors_follow_tolerances), RUNG_TEST(test_moving_boundary_data_keep_the_order),
               RUNG_TEST(test_rates_of_a_level_are_those_of_its_values),
               RUNG_TEST(test_steps_with_tolerances_see_boundary_data), RUNG_TEST(test_a_rise_between_stages_is_seen),
               RUNG_TEST(test_algebraic_unknowns_are_found_beside_rates),
               RUNG_TEST(test_symmetric_systems_have_matrices_that_are_not),
               RUNG_TEST(test_constraints_of_index_2_are_refused), RUNG_TEST(test_refusals_name_what_is_in_the_way))
