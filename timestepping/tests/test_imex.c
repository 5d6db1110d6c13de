/* test_imex.c - implicit-explicit Runge-Kutta methods: order, both halves, moving boundary data, tolerances, counts, refusals. */
#include "../step_impl.h"
#include "../tableau_impl.h"
#include "ode.h"
#include "points.h"

/* Kaps's equations with what is not linear explicit; half of the last one, which depends on t, stands on each side. */
static PetscErrorCode implicit_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *v;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &v));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = v[0] + 3 * y[0];
  f[1] = v[1] - y[0] + y[1];
  f[2] = v[2] - cos(t) * y[2] * y[2] / 2;
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &v));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode implicit_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                        void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(ode_add(J, 0, 0, sigma[1] + 3 * sigma[0]));
  PetscCall(ode_add(J, 1, 0, -sigma[0]));
  PetscCall(ode_add(J, 1, 1, sigma[1] + sigma[0]));
  PetscCall(ode_add(J, 2, 2, sigma[1] - cos(t) * y[2] * sigma[0]));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explicit_residual(RungSystem sys, PetscReal t, const Vec u[], Vec e, void *ctx)
{
  const PetscScalar *y;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayWrite(e, &f));
  f[0] = -y[1] * y[1];
  f[1] = y[1] * y[1];
  f[2] = -cos(t) * y[2] * y[2] / 2;
  PetscCall(VecRestoreArrayWrite(e, &f));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_split(const char method[], PetscReal h, PetscReal rtol, PetscReal *error,
                                RungStepperStatistics *s)
{
  Ode         ode = kaps();
  RungStepper stepper;
  RungSystem  sys;
  PetscReal   y[3], exact[3];

  PetscFunctionBegin;
  ode.residual = implicit_residual;
  ode.jacobian = implicit_jacobian;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGIMEX, method, -1, 1, h, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetExplicitCallback(sys, explicit_residual, NULL, (RungTraits){0}));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  RungCallOrUndo(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(ode_values(stepper, 0, 3, y));
  kaps_exact(1, exact);
  *error = 0;
  for (PetscInt c = 0; c < 3; ++c) *error = PetscMax(*error, fabs(y[c] - exact[c]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_tableau_shows_its_order(void)
{
  static const PetscReal coarsest[] = {0, 80, 40, 40, 30, 20};
  const char *const     *method;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (method = RungImexOps.methods; *method; ++method) {
    RungMethodPlan plan;
    PetscReal      h[4], error[4];

    PetscCall(RungStepperGetPlan(RUNGIMEX, *method, &plan));
    for (PetscInt i = 0; i < 4; ++i) {
      RungStepperStatistics s;

      h[i] = 2 / floor(coarsest[plan.order] * pow(2, (double)i / 2) + 0.5);
      PetscCall(run_split(*method, h[i], 0, &error[i], &s));
    }
    CHECK_ORDER(*method, 4, h, error, plan.order, 0.3, 0.95);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_error_follows_the_tolerance(void)
{
  const char *const *method;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (method = RungImexOps.methods; *method; ++method) {
    RungMethodPlan        plan;
    RungStepperStatistics coarse, fine;
    PetscReal             e1, e2;

    PetscCall(RungStepperGetPlan(RUNGIMEX, *method, &plan));
    if (plan.order < 3 || !plan.exponent) continue;
    PetscCall(run_split(*method, 0.01, 1e-4, &e1, &coarse));
    PetscCall(run_split(*method, 0.01, 1e-7, &e2, &fine));
    CHECK(e1 < 1e-3 && e2 < 1e-6 && e2 < e1 && fine.steps > coarse.steps);
  }
  CHECK_RAISES(run_split("ars222", 0.01, 1e-4, &(PetscReal){0}, &(RungStepperStatistics){0}),
               "imex method \"ars222\" has no error estimate");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  const char *space, *second, *residual, *initial, *edge;
  PetscBool   bounded;
} Problem;

static PetscErrorCode create_form(MPI_Comm comm, const Problem *problem, RungSystem *sys)
{
  const PetscInt  count[] = {6};
  const PetscReal size[]  = {1};
  RungMesh        mesh;
  RungSpace       space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, count, size));
  PetscCall(RungSpaceCreate(mesh, problem->space, &space));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  if (problem->second) PetscCall(RungSystemAddUnknown(*sys, problem->second, "q", space));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  if (problem->initial) PetscCall(RungSystemSetInitial(*sys, "u", problem->initial));
  if (problem->edge) PetscCall(RungSystemSetDirichlet(*sys, "u", "left", problem->edge));
  if (problem->edge) PetscCall(RungSystemSetDirichlet(*sys, "u", "right", problem->edge));
  if (problem->bounded) PetscCall(RungSystemSetBounds(*sys, "u", "0", NULL));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungStepper stepper, RungSystem sys, const char type[], const char method[], PetscReal h,
                            PetscReal rtol)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, h));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSolve(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error: |exact - u| in L2 at the end */
static PetscErrorCode run_form(MPI_Comm comm, const Problem *problem, const char type[], const char method[],
                               PetscReal h, PetscReal rtol, const char difference[], PetscReal *error,
                               RungStepperStatistics *s)
{
  RungStepper      stepper;
  RungSystem       sys;
  const RungState *state;
  PetscErrorCode   code;

  PetscFunctionBegin;
  PetscCall(create_form(comm, problem, &sys));
  PetscCall(RungStepperCreate(comm, &stepper));
  code = solve(stepper, sys, type, method, h, rtol);
  if (!code) {
    PetscCall(RungStepperGetStatistics(stepper, s));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(RungSystemNorm(sys, difference, NULL, RUNG_NORM_L2, 6, state->u, error));
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(code);
}

/* u = sin(3 t + 0.4) (1 + x + x^2), in P2 without an error in space */
#define SHAPE        "(1 + x[0] + x[0]^2)"
#define EXACT        "sin(3*t + 0.4)*" SHAPE
#define DIFFERENCE   "u - sin(3.4)*" SHAPE
#define SOURCE       "(3*cos(3*t + 0.4)*" SHAPE " - 2*sin(3*t + 0.4) + (" EXACT ")^2)"
#define INNER_SOURCE "(3*cos(3*t + 0.4)*" SHAPE " - 2*sin(3*t + 0.4) + x[0]*(1 - x[0])*(" EXACT ")^2)"
static const Problem heat = {
  "P2",  NULL,  "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(u^2*v*dx) - " SOURCE "*v*dx(degree: 8)",
  EXACT, EXACT, 0};

/* Where explicit terms vanish on the moving edge. */
static const Problem inner_heat = {
  "P2",
  NULL,
  "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(x[0]*(1 - x[0])*u^2*v*dx) - " INNER_SOURCE "*v*dx(degree: 8)",
  EXACT,
  EXACT,
  0};

/* summed: of a rate, which looks at all stages */
static PetscErrorCode run_heat(const char method[], PetscBool summed, PetscReal *norm, PetscReal *rate,
                               PetscInt *applied)
{
  RungStepper      stepper;
  RungSystem       sys;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(create_form(PETSC_COMM_WORLD, &heat, &sys));
  if (summed) PetscCall(RungSystemAddRate(sys, "sum", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(solve(stepper, sys, RUNGIMEX, method, 0.1, 0));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u", NULL, RUNG_NORM_L2, 6, state->u, norm));
  PetscCall(VecNorm(state->u[1], NORM_2, rate));
  *applied = stepper->spent.applied;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rates of stages are asked for where sums of rates are, and a solve with M finds each.  Else one for the level,
   where its last stage is not its end, and one for its rates lead to the same numbers. */
static PetscErrorCode test_explicit_terms_are_loads_of_the_stages(void)
{
  static const struct {
    const char *method;
    PetscInt    applied, by_rates; /* in ten steps */
  } row[] = {{"ark436", 20, 60}, {"ars443", 10, 40}, {"ssp332", 20, 30}, {"bpr353", 10, 30}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscReal norm[2], rate[2];
    PetscInt  applied[2];

    for (int summed = 0; summed < 2; ++summed)
      PetscCall(
        run_heat(row[i].method, summed ? PETSC_TRUE : PETSC_FALSE, &norm[summed], &rate[summed], &applied[summed]));
    CHECK_NEAR(norm[0], norm[1], 1e-12 * norm[1]);
    CHECK_NEAR(rate[0], rate[1], 1e-9 * rate[1]);
    CHECK(applied[0] == row[i].applied && applied[1] == row[i].by_rates);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several ranks have the error of one: what it goes like with the step is shown there. */
static PetscErrorCode check_ranks(const Problem *problem, const char method[], PetscReal h, const char difference[])
{
  RungStepperStatistics s;
  PetscReal             one, several;

  PetscFunctionBegin;
  PetscCall(run_form(PETSC_COMM_SELF, problem, RUNGIMEX, method, h, 0, difference, &one, &s));
  PetscCall(run_form(PETSC_COMM_WORLD, problem, RUNGIMEX, method, h, 0, difference, &several, &s));
  CHECK_NEAR(several, one, 1e-12);
  CHECK(one > 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fit_heat(const Problem *problem, const char method[], PetscReal coarsest, PetscReal *slope)
{
  PetscReal h[3], error[3], half;

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    RungStepperStatistics s;

    h[i] = coarsest / (1 << i);
    PetscCall(run_form(PETSC_COMM_WORLD, problem, RUNGIMEX, method, h[i], 0, DIFFERENCE, &error[i], &s));
  }
  ode_fit(3, h, error, slope, &half);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit parts have stage order 1, so that the order beside a stiff implicit part is min(p, 2 + a), a = 1/4 where explicit terms do not
   vanish on the edge and 5/4 where they do (test_imex_order.c), as long as steps are large beside the stiffest modes of
   the six cells, and 3 of ark324 needs small ones. */
static PetscErrorCode test_a_moving_edge_keeps_the_order_as_far_as_stages_do(void)
{
  static const char *const method[] = {"ars222", "ark324", "ark436", "ark437"};
  static const PetscReal   order[]  = {2, 3, 4, 4};

  PetscFunctionBegin;
  if (!check_alone()) {
    PetscCall(check_ranks(&heat, "ark324", 0.1, DIFFERENCE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int m = 0; m < 4; ++m) {
    PetscReal slope[2];

    PetscCall(fit_heat(&heat, method[m], 0.05, &slope[0]));
    PetscCall(fit_heat(&inner_heat, method[m], 0.0125, &slope[1]));
    for (int v = 0; v < 2; ++v) {
      const PetscReal formula = PetscMin(order[m], v ? 3.25 : 2.25);

      if (!(PetscAbsReal(slope[v] - formula) < 0.3)) fprintf(stderr, "%s: %.2f, %.2f\n", method[m], slope[v], formula);
      CHECK(PetscAbsReal(slope[v] - formula) < 0.3);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the stages and the mass, once each; a line solve a stage, and M for each explicit rate. */
static PetscErrorCode test_a_constant_implicit_part_is_factored_once(void)
{
  RungStepperStatistics s;
  PetscReal             error;

  PetscFunctionBegin;
  PetscCall(run_form(PETSC_COMM_WORLD, &heat, RUNGIMEX, "ark436", 0.1, 0, DIFFERENCE, &error, &s));
  CHECK(s.steps == 10 && s.factorisations == 2 && s.jacobians == 2 && s.newton == 50);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without explicit terms: the method of the implicit part, up to what Newton's method leaves. */
static PetscErrorCode test_without_explicit_terms_it_is_the_implicit_half(void)
{
  const Problem whole = {"P2", NULL,       "dt(u)*v*dx + inner(grad(u), grad(v))*dx + u^2*v*dx", "1 + x[0]*(1 - x[0])",
                         "1",  PETSC_FALSE};
  RungStepperStatistics s;
  PetscReal             norm[2];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_form(PETSC_COMM_WORLD, &whole, RUNGIMEX, "ark324", 0.1, 0, "u", &norm[0], &s));
  PetscCall(run_form(PETSC_COMM_WORLD, &whole, RUNGDIRK, "ark324l2sa_dirk_4_2_3", 0.1, 0, "u", &norm[1], &s));
  CHECK_NEAR(norm[0], norm[1], 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -y all explicit: one step multiplies by the stability polynomial of the explicit half, by hand 1 - h + h^2/2 - h^3/6 for a
   method of three effective stages and order 3, and for ars222 of two and order 2. */
static PetscErrorCode test_all_explicit_is_the_explicit_half(void)
{
  const Problem         decay = {"P1", NULL, "dt(u)*v*dx + explicit(u*v*dx)", "1", NULL, PETSC_FALSE};
  RungStepperStatistics s;
  PetscReal             error;

  PetscFunctionBegin;
  PetscCall(run_form(PETSC_COMM_WORLD, &decay, RUNGIMEX, "ars222", 1, 0, "u - 0.5", &error, &s));
  CHECK_NEAR(error, 0, 1e-12);
  PetscCall(run_form(PETSC_COMM_WORLD, &decay, RUNGIMEX, "ars111", 0.25, 0, "u - 0.75^4", &error, &s));
  CHECK_NEAR(error, 0, 1e-12);
  PetscCall(run_form(PETSC_COMM_WORLD, &decay, RUNGIMEX, "ssp332", 1, 0, "u - (1 - 1 + 0.5 - 1/12)", &error, &s));
  CHECK_NEAR(error, 0, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1 + u) u' + (1 + u) u = 0 with half of it explicit, and z = u^2 beside: u = e^-t.  The mass depends on u. */
static PetscErrorCode test_a_mass_of_u_and_algebraic_unknowns_keep_the_order(void)
{
  const Problem moving = {
    "P1",
    "z",
    "(1 + u)*dt(u)*v*dx + (1 + t)*(1 + u)*u/2*v*dx + explicit(((1 + u)*u*(1 - t)/2 + z - u^2)*v*dx) + (z - u^2)*q*dx",
    "1",
    NULL,
    PETSC_FALSE};
  RungStepperStatistics    s;
  static const char *const method[] = {"ars233", "ark324"};

  PetscFunctionBegin;
  if (!check_alone()) {
    PetscCall(check_ranks(&moving, "ark324", 0.1, "u + z - exp(-1) - exp(-2)"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int m = 0; m < 2; ++m) {
    PetscReal h[3], error[3], slope, half;

    for (int i = 0; i < 3; ++i) {
      h[i] = 0.1 / (1 << i);
      PetscCall(
        run_form(PETSC_COMM_WORLD, &moving, RUNGIMEX, method[m], h[i], 0, "u + z - exp(-1) - exp(-2)", &error[i], &s));
    }
    ode_fit(3, h, error, &slope, &half);
    CHECK(slope > 2.7 && slope < 3.5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The implicit part is constant, so that matrices last as long as steps do. */
static PetscErrorCode test_an_adaptive_run_follows_a_moving_edge_by_few_matrices(void)
{
  RungStepperStatistics coarse, fine;
  PetscReal             error[2];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_form(PETSC_COMM_WORLD, &heat, RUNGIMEX, "ark324", 0.01, 1e-3, DIFFERENCE, &error[0], &coarse));
  PetscCall(run_form(PETSC_COMM_WORLD, &heat, RUNGIMEX, "ark324", 0.01, 1e-5, DIFFERENCE, &error[1], &fine));
  CHECK(error[0] < 1e-2 && error[1] < 1e-4 && error[1] < error[0] && fine.steps > coarse.steps);
  CHECK(fine.factorisations < fine.steps / 3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind each step constants get other values, as a program may: a is 1 up to t = 1/2, then 3. */
static PetscErrorCode set_constant(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem sys;

  PetscFunctionBegin;
  (void)step, (void)u, (void)ctx;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  if (t == 0.5) PetscCall(RungSystemSetConstant(sys, "a", 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' + u + a u = 0,  a u explicit, is another equation from t = 1/2 on, by what the data switch, by an event or by the program: the terms of that
   level are not those that the step before has found. */
static PetscErrorCode test_explicit_terms_of_a_level_follow_what_changes_there(void)
{
  static const char *const unknown[] = {"u"}, *const spec[] = {"P0"}, *const initial[] = {"1"};
  static const char *const text[] = {"(dt(u) + u)*v*dx + explicit(if(t < 0.5, 1, 3)*u*v*dx)",
                                     "(dt(u) + u)*v*dx + explicit(a*u*v*dx)", "(dt(u) + u)*v*dx + explicit(a*u*v*dx)"};
  const RungEvent          half   = {.text = "t - 0.5", .direction = 1};

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    PetscReal   u;
    RungStepper stepper;
    RungSystem  sys;

    PetscCall(points_create(1, unknown, spec, initial, text[i], &stepper));
    PetscCall(RungStepperGetSystem(stepper, &sys));
    PetscCall(RungSystemSetConstant(sys, "a", 1));
    PetscCall(RungStepperSetType(stepper, RUNGIMEX));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.0625));
    if (i == 1) PetscCall(RungStepperAddEvent(stepper, "half", &half));
    if (i == 1) PetscCall(RungStepperSetEventJump(stepper, "half", "a", "3"));
    if (i == 2) PetscCall(RungStepperAddMonitor(stepper, set_constant, NULL));
    PetscCall(points_solve(&stepper, 1, &u, NULL));
    CHECK_NEAR(u, PetscExpReal(-3), 1e-7);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_it_cannot_is_refused_by_name(void)
{
  static const struct {
    Problem     problem;
    const char *message;
  } row[] = {
    {{"P1", NULL, "dt(u, 2)*v*dx + u*v*dx", "0", NULL, PETSC_FALSE}, "advances systems of order 1"},
    {{"P1", NULL, "dt(u)*v*dx + explicit(u*v*dx)", "1", NULL, PETSC_TRUE}, "keeps no bounds"},
    {{"P1^2", NULL, "(dt(u[0]) + u[0])*v[0]*dx + u[1]*v[1]*dx + explicit(u[0]*v[0]*dx)", NULL, NULL, PETSC_FALSE},
     "wants a time derivative of all entries of \"u\" or of none"},
    {{"P1", NULL, "if(x[0] < 0.5, 1, 0)*dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(u*v*dx)", "1", NULL,
      PETSC_FALSE},
     "which are to be 0 at no place; take a method that solves with all of F, as -stepper_type dirk"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepperStatistics s;
    PetscReal             error;

    CHECK_RAISES(run_form(PETSC_COMM_WORLD, &row[i].problem, RUNGIMEX, "ark324", 0.1, 0, "u", &error, &s),
                 row[i].message);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_explicit_terms_are_loads_of_the_stages), RUNG_TEST(test_every_tableau_shows_its_order),
               RUNG_TEST(test_the_error_follows_the_tolerance),
               RUNG_TEST(test_a_moving_edge_keeps_the_order_as_far_as_stages_do),
               RUNG_TEST(test_a_constant_implicit_part_is_factored_once),
               RUNG_TEST(test_without_explicit_terms_it_is_the_implicit_half),
               RUNG_TEST(test_all_explicit_is_the_explicit_half),
               RUNG_TEST(test_a_mass_of_u_and_algebraic_unknowns_keep_the_order),
               RUNG_TEST(test_an_adaptive_run_follows_a_moving_edge_by_few_matrices),
               RUNG_TEST(test_explicit_terms_of_a_level_follow_what_changes_there),
               RUNG_TEST(test_what_it_cannot_is_refused_by_name))
