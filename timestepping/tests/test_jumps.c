/* test_jumps.c - data that switch at a time: every method has one limit, that of fast smooth data; a changed constant keeps
   the order; a run that goes on across a switch repeats bit for bit. */
#include "jumps.h"
#include "listen.h"

#include <stdio.h>
#include <unistd.h>

#define RISEN 0.472602346 /* mean of the conserved heat below, data that rise at t = 150 */

static PetscErrorCode test_adaptive_steps_land_on_switches_and_see_one_side(void)
{
  static const struct {
    const char *data;
    PetscReal   mean;
  } rows[]                          = {{"if(t < 100, 0, 1)", JUMPS_LIMIT},
                                       {"if(not (t <= 90 + 10) and t > 3, 1, 0)", JUMPS_LIMIT},
                                       {"min(1, max(0, (t - 100)/0.5))", 0.6980999005},
                                       {"table(\"jumps.csv\")", 0.6980999005}};
  static const char *const method[] = {"esdirk43", "trbdf2", "chung_hulbert"};
  PetscMPIInt              rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen("jumps.csv", "w");

    CHECK(file != NULL);
    fprintf(file, "0 0\n100 0\n100.5 1\n300 1\n");
    (void)fclose(file);
  }
  for (size_t i = 0; i < 4; ++i) {
    for (int m = 0; m < 3; ++m) {
      for (PetscReal rtol = 1e-4; rtol >= 1e-6; rtol /= 100) {
        PetscReal mean;
        PetscInt  steps;

        if ((rtol < 1e-5 && m && i) || (!check_alone() && (rtol < 1e-5 || m || i % 3))) continue;
        PetscCall(jumps_mean(JUMPS_HEAT, rows[i].data, NULL, method[m], 0.1, rtol, &mean, &steps));
        CHECK_NEAR(mean, rows[i].mean, 2 * rtol);
        CHECK(steps <= (rtol < 1e-5 && m ? 700 : m ? 250 : 100));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fixed_steps_that_meet_a_switch_have_one_limit(void)
{
  static const char *const method[] = {"esdirk43", "midpoint", "bdf2", "euler", "chung_hulbert", "rodas4p"};

  PetscFunctionBegin;
  for (int m = 0; m < (check_alone() ? 6 : 1); ++m) {
    PetscReal mean;

    PetscCall(jumps_mean(JUMPS_HEAT, "if(t < 100, 0, 1)", NULL, method[m],
                         !check_alone() ? 5
                         : m == 3       ? 0.05
                                        : 0.25,
                         0, &mean, NULL));
    CHECK_NEAR(mean, JUMPS_LIMIT, 1e-4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order 2 in time against data that rise within 1e-4; conserved terms against the same. */
static PetscErrorCode test_impulses_are_those_of_fast_smooth_data(void)
{
  static const char *const residual[] = {
    "dt(u, 2)*v*dx + 0.3*dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx + dt(u)*v*ds(left)*0.1",
    "dt(u + 0.3*u^2)*v*dx + 0.001*inner(grad(u), grad(v))*dx"};

  PetscFunctionBegin;
  for (int i = check_alone() ? 0 : 1; i < 2; ++i) {
    const PetscReal rtol = check_alone() ? 1e-7 : 1e-6;
    PetscReal       mean[2];

    PetscCall(jumps_mean(residual[i], "if(t < 150, 0, 1)", NULL, "esdirk43", 0.1, rtol, &mean[0], NULL));
    if (i) CHECK_NEAR(mean[0], RISEN, 2e-5);
    if (!check_alone()) continue;
    PetscCall(jumps_mean(residual[i], "max(0, min(1, (t - 150)*1e5))", NULL, "esdirk43", 0.1, rtol, &mean[1], NULL));
    CHECK_NEAR(mean[0], mean[1], 2e-5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of Maxwell's material under a force that doubles at t = 0.5: the strain of its dashpots, an internal variable with a rate that
   jumps, is 0.7*(0.5 + 1) at t = 1, and methods that begin with the rate of the level find it. */
static PetscErrorCode test_rates_of_internal_variables_are_those_behind_the_switch(void)
{
  static const char *const method[] = {"esdirk43", "trbdf2", "bdf2", "chung_hulbert"};

  PetscFunctionBegin;
  for (int m = 0; m < (check_alone() ? 4 : 1); ++m) {
    RungMesh    mesh;
    RungSpace   V, S;
    RungSystem  sys;
    RungStepper stepper;
    PetscReal   strain;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P1", &V));
    PetscCall(RungSpaceCreate(mesh, "Quad(1)", &S));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddUnknown(sys, "e", "q", S));
    PetscCall(RungSystemDefine(sys, "sigma", "2*(grad(u)[0] - e)"));
    PetscCall(RungSystemAddResidual(sys, "sigma*grad(v)[0]*dx - if(t < 0.5, 1, 2)*v*ds(right)"));
    PetscCall(RungSystemAddResidual(sys, "(dt(e) - 0.7*sigma)*q*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(RungSystemAddQuantity(sys, "strain", "e*dx"));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMethod(stepper, method[m]));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.25));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "strain", &strain));
    CHECK_NEAR(strain, 1.05, 1e-9);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungSpaceDestroy(&S));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a condition between entries jumps by is given to both of its sides, as boundary data are: the mean of a ring that is torn open
   by 1 at t = 100 against one where that takes 1e-3. */
static PetscErrorCode test_data_of_constraints_jump_as_boundary_data_do(void)
{
  static const char *const data[]   = {"if(t < 100, 0, 1)", "max(0, min(1, (t - 100)*1e3))"};
  static const char *const method[] = {"esdirk43", "chung_hulbert"};
  PetscReal                mean[2][2];

  PetscFunctionBegin;
  for (int m = 0; m < (check_alone() ? 2 : 1); ++m) {
    for (int i = 0; i < 2; ++i) {
      RungSystem  sys;
      RungStepper stepper;

      PetscCall(jumps_create(16, JUMPS_HEAT, NULL, 0.1, 110, &sys, &stepper));
      PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, data[i]));
      PetscCall(RungSystemAddQuantity(sys, "moment", "x[0]*u*dx"));
      PetscCall(RungStepperSetMethod(stepper, method[m]));
      PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(RungStepperGetQuantity(stepper, "moment", &mean[m][i]));
      PetscCall(RungStepperDestroy(&stepper));
      PetscCall(RungSystemDestroy(&sys));
    }
    CHECK_NEAR(mean[m][0], mean[m][1], 2e-5);
  }
  if (check_alone()) CHECK_NEAR(mean[0][0], mean[1][0], 2e-5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of each family; all of them: test_promises.c. */
static const char *const chosen[] = {"esdirk43", "trbdf2",  "midpoint", "bdf2",           "chung_hulbert", "dopri54",
                                     "ark437",   "rodas4p", "euler",    "crank_nicolson", "bathe",         "bs32"};

static PetscErrorCode test_a_constant_that_changes_keeps_the_order(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt m = 0; m < n; ++m) {
    for (size_t i = 0; i < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(chosen) : 1); ++i) {
      if (!strcmp(method[m], chosen[i])) PetscCall(jumps_check_change(type[m], method[m], check_alone() ? 4 : 2));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit steps that are too long make values in proportion to their errors: neither attempts that are refused nor one that is accepted
   may have them take the place of the largest value. */
static PetscErrorCode test_tolerances_hold_behind_a_switch_where_steps_were_long(void)
{
  static const char *const method[] = {"heun21", "ssp33", "cash_karp54", "dopri54", "ark437_erk", "verner98", "dop853"};

  PetscFunctionBegin;
  for (size_t m = 0; m < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(method) : 2); ++m) {
    PetscReal mean;

    PetscCall(jumps_mean(JUMPS_HEAT, "if(t < 100, 0, 1)", NULL, method[m], 0.1, 1e-4, &mean, NULL));
    CHECK_NEAR(mean, JUMPS_LIMIT, 2e-4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode meet_one(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)u, (void)step;
  if (t == 1) *(PetscBool *)ctx = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -u from 1 up to t = 2, adaptive: does a step end at t = 1?  rate: adds the rate of this text, whose integral is given back. */
static PetscErrorCode run_across_one(const char rate[], const char lower[], const char method[], PetscReal *u,
                                     PetscReal *integral, PetscBool *met, PetscInt *steps)
{
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  *met = PETSC_FALSE;
  PetscCall(jumps_create(check_alone() ? 0 : 4, "dt(u)*v*dx + u*v*dx", NULL, 0.01, 2, &sys, &stepper));
  if (rate) PetscCall(RungSystemAddRate(sys, "rate", rate));
  if (lower) PetscCall(RungSystemSetBounds(sys, "u", lower, NULL));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetTolerances(stepper, 1e-5, PETSC_DEFAULT));
  PetscCall(RungStepperAddMonitor(stepper, meet_one, met));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "mean", u));
  if (rate) PetscCall(RungStepperGetQuantity(stepper, "rate", integral));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_steps_land_on_switches_of_quantities(void)
{
  PetscReal u, integral = 0;
  PetscBool met;
  PetscInt  steps;

  PetscFunctionBegin;
  PetscCall(run_across_one("dt(u)*dx", NULL, "esdirk43", &u, &integral, &met, &steps));
  CHECK(!met); /* by chance */
  PetscCall(run_across_one("if(t < 1, 1, 3)*dx", NULL, "esdirk43", &u, &integral, &met, &steps));
  CHECK(met);
  CHECK_NEAR(u, PetscExpReal(-2), 1e-4);
  CHECK_NEAR(integral, 4, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bound that gives way, one that takes u with it, and one that falls as u does from there on. */
static PetscErrorCode test_bounds_may_jump(void)
{
  static const struct {
    const char *lower;
    PetscReal   end;
  } rows[] = {
    {"if(t < 1, 0.8, 0)", 0.29430355294}, {"if(t < 1, 0, 0.6)", 0.6}, {"if(t < 1, 0, 0.6*exp(1 - t))", 0.22072766470}};
  static const char *const method[] = {"esdirk43", "trbdf2", "chung_hulbert"};
  static const PetscInt    most[]   = {30, 40, 150};

  PetscFunctionBegin;
  for (int m = 0; m < (check_alone() ? 3 : 1); ++m) {
    for (int i = 0; i < 3; ++i) {
      PetscReal u;
      PetscBool met;
      PetscInt  steps;

      PetscCall(run_across_one(NULL, rows[i].lower, method[m], &u, NULL, &met, &steps));
      CHECK(met);
      CHECK(steps <= most[m]); /* no stage of these linear equations fails */
      CHECK_NEAR(u, rows[i].end, i == 1 ? 1e-12 : 1e-4);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A whole run with checkpoints, or its continuation from the one behind `from` steps. */
static PetscErrorCode run_through(const char method[], PetscReal rtol, PetscInt from, PetscInt *steps, Vec *u)
{
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;
  RungTransientSystem   ts;
  char                  path[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "jumps_%" PetscInt_FMT ".h5", from));
  PetscCall(jumps_create(16, JUMPS_HEAT, "if(t < 100, 0, 1) + 1.5 - abs(t - 150)/100", 10, 200, &sys, &stepper));
  PetscCall(RungStepperSetMethod(stepper, method));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, PETSC_DEFAULT));
  PetscCall(RungStepperSetCheckpoint(stepper, "jumps_{step}.h5", 1));
  if (from >= 0) PetscCall(RungStepperSetRestart(stepper, path, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecDuplicate(state->u[0], u));
  PetscCall(VecCopy(state->u[0], *u));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_that_goes_on_from_a_switch_or_before_repeats(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const char *method = i ? "bdf2" : "esdirk43";
    PetscInt    steps, again;
    Vec         u, v;

    PetscCall(run_through(method, i ? 0 : 1e-3, -1, &steps, &u));
    for (PetscInt from = i ? 9 : steps / 4; from < steps - 1;
         from += i ? 1 : 2) { /* of fixed steps 10 ends at t = 100 */
      PetscBool same;

      if (i && from == 12) break;
      if (!check_alone() && from % 5 != 4) continue;
      PetscCall(run_through(method, i ? 0 : 1e-3, from, &again, &v));
      PetscCall(VecEqual(u, v, &same));
      CHECK(again == steps && same);
      PetscCall(VecDestroy(&v));
    }
    PetscCall(VecDestroy(&u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x'' + x = -0.3 sign(x'), which comes to rest where |x| < 0.3: there x' stays on the jump of sign(x').  Beside it a spring that is stiffer on one
   side, which has a kink, and steps that are seldom refused. */
static PetscErrorCode test_a_solution_that_slides_along_a_jump_is_told_of(void)
{
  static const char *const force[]  = {"0.3*sign(y[1])", "20*if(y[0] > 0.5, y[0] - 0.5, 0)"};
  static const char *const method[] = {"esdirk43", "rodas5p", "dopri54"};
  static const PetscReal   end[]    = {6.29, 6.5, 7.5}; /* x' has come to its jump at 2 pi */

  PetscFunctionBegin;
  for (int i = 0; i < (check_alone() ? 6 : 2); ++i) {
    char        residual[200], said[4096];
    RungMesh    mesh;
    RungSpace   space;
    RungSystem  sys;
    RungStepper stepper;
    Listen      listen;

    PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
    PetscCall(RungMeshSetPoints(mesh, 1));
    PetscCall(RungSpaceCreate(mesh, "P0^2", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
    PetscCall(RungSystemAddUnknown(sys, "y", "w", space));
    PetscCall(PetscSNPrintf(residual, sizeof residual, "(dt(y[0]) - y[1])*w[0]*dx + (dt(y[1]) + y[0] + %s)*w[1]*dx",
                            force[i % 2]));
    PetscCall(RungSystemAddResidual(sys, residual));
    PetscCall(RungSystemSetInitial(sys, "y", "vector(1, 0)"));
    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMethod(stepper, method[i / 2]));
    PetscCall(RungStepperSetInterval(stepper, 0, i % 2 ? 100 : end[i / 2], 1e-3));
    PetscCall(RungStepperSetTolerances(stepper, 1e-5, PETSC_DEFAULT));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(listen_begin(&listen));
    RungCallFinally(RungStepperSolve(stepper), PetscCall(listen_end(&listen, sizeof said, said)));
    CHECK((strstr(said, "slide along a jump") != NULL) == (i % 2 == 0));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_adaptive_steps_land_on_switches_and_see_one_side),
               RUNG_TEST(test_fixed_steps_that_meet_a_switch_have_one_limit),
               RUNG_TEST(test_impulses_are_those_of_fast_smooth_data),
               RUNG_TEST(test_rates_of_internal_variables_are_those_behind_the_switch),
               RUNG_TEST(test_data_of_constraints_jump_as_boundary_data_do),
               RUNG_TEST(test_a_constant_that_changes_keeps_the_order),
               RUNG_TEST(test_tolerances_hold_behind_a_switch_where_steps_were_long),
               RUNG_TEST(test_steps_land_on_switches_of_quantities), RUNG_TEST(test_bounds_may_jump),
               RUNG_TEST(test_a_run_that_goes_on_from_a_switch_or_before_repeats),
               RUNG_TEST(test_a_solution_that_slides_along_a_jump_is_told_of))
