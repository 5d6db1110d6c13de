/* test_contract_internal.c - internal variables at quadrature points, eliminated point by point and left in the matrix:
   Norton's creep (a nonlinear Maxwell material) and J2 plasticity with linear hardening, against closed forms. */
#include "../step_impl.h"
#include <check.h>

typedef struct {
  const char *cell;
  PetscInt    dim, n;
  const char *u, *quad;
} Grid;

static PetscErrorCode create(Grid grid, RungSystem *sys, PetscInt internals, const char *const name[],
                             const char *const test[], const char *const shape[])
{
  const PetscInt  count[] = {grid.n, PetscMax(1, grid.n / 2), 1};
  const PetscReal size[]  = {1, 1, 1};
  RungMesh        mesh;
  RungSpace       space;
  char            spec[64];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, grid.cell, grid.dim, count, size));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSpaceCreate(mesh, grid.u, &space));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  for (PetscInt i = 0; i < internals; ++i) {
    PetscCall(PetscSNPrintf(spec, sizeof spec, "%s%s", grid.quad, shape[i]));
    PetscCall(RungSpaceCreate(mesh, spec, &space));
    PetscCall(RungSystemAddUnknown(*sys, name[i], test[i], space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(RungSystem sys, PetscBool condense, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_condense", condense ? "true" : "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_condense"));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys)); /* the stepper has it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar that is held stretched: sigma' = -E A sigma^n; n = 1 is Maxwell's material.  The cross section makes it nonuniform. */
static PetscErrorCode norton(PetscReal n, PetscBool condense, RungStepper *stepper)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(create((Grid){"interval", 1, 5, "P2", "Quad(3)"}, &sys, 1, (const char *[]){"e"}, (const char *[]){"q"},
                   (const char *[]){""}));
  PetscCall(RungSystemSetConstant(sys, "E", 2));
  PetscCall(RungSystemDefine(sys, "sigma", "E*(grad(u)[0] - e)"));
  PetscCall(RungSystemAddResidual(sys, "sigma*grad(v)[0]*dx"));
  PetscCall(RungSystemAddResidual(sys, n == 1 ? "(dt(e) - 0.7*sigma)*q*dx" : "(dt(e) - 0.7*sigma^3)*q*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "right", "0.6"));
  PetscCall(RungSystemSetInitial(sys, "u", "0.6*x[0]"));
  PetscCall(RungSystemAddQuantity(sys, "stress", "sigma*dx"));
  PetscCall(finish(sys, condense, stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal relaxed(PetscReal n, PetscReal t)
{
  const PetscReal start = 1.2;

  return n == 1 ? start * exp(-1.4 * t) : 1 / sqrt(1 / (start * start) + 2 * 1.4 * t);
}

/* A brick that is pulled and pushed along x[0], its sides free: one stress.  uneven: it gets thicker, so that yielding
   starts at one end. */
static PetscErrorCode j2(Grid grid, const char path[], PetscBool uneven, PetscBool condense, RungStepper *stepper)
{
  static const char *const side[] = {"left", "bottom", "back"};
  RungSystem               sys;
  char                     component[8];

  PetscFunctionBegin;
  PetscCall(
    create(grid, &sys, 2, (const char *[]){"ep", "p"}, (const char *[]){"eq", "pq"}, (const char *[]){"^dxd", ""}));
  PetscCall(RungSystemSetConstant(sys, "E", 200));
  PetscCall(RungSystemSetConstant(sys, "nu", 0.3));
  PetscCall(RungSystemSetConstant(sys, "yield", 1));
  PetscCall(RungSystemSetConstant(sys, "H", 50));
  PetscCall(RungSystemDefine(sys, "mu", "E/(2*(1 + nu))"));
  PetscCall(RungSystemDefine(sys, "lambda", "E*nu/((1 + nu)*(1 - 2*nu))"));
  PetscCall(RungSystemDefine(sys, "ee", "sym(grad(u)) - ep"));
  PetscCall(RungSystemDefine(sys, "sigma", "lambda*tr(ee)*I + 2*mu*ee"));
  PetscCall(RungSystemDefine(sys, "s", "dev(sigma)"));
  PetscCall(RungSystemDefine(sys, "mises", "sqrt(1.5*inner(s, s) + 1e-20)"));
  PetscCall(RungSystemDefine(sys, "f", "mises - yield - H*p"));
  PetscCall(
    RungSystemAddResidual(sys, uneven ? "(1 + 0.5*x[0])*inner(sigma, grad(v))*dx" : "inner(sigma, grad(v))*dx"));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(ep) - 1.5*dt(p)*s/mises, eq)*dx"));
  PetscCall(RungSystemAddResidual(sys, "(dt(p) - max(0, dt(p) + f/E))*pq*dx"));
  for (PetscInt i = 0; i < grid.dim; ++i) {
    PetscCall(PetscSNPrintf(component, sizeof component, "u[%d]", (int)i));
    PetscCall(RungSystemSetDirichlet(sys, component, side[i], "0"));
  }
  PetscCall(RungSystemSetDirichlet(sys, "u[0]", "right", path));
  PetscCall(RungSystemAddQuantity(sys, "stress", "sigma[0,0]*dx"));
  PetscCall(RungSystemAddQuantity(sys, "plastic", "p*dx"));
  PetscCall(finish(sys, condense, stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(RungStepper stepper, const char method[], PetscReal end, PetscReal dt)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, end, dt));
  PetscCall(RungStepperSolve(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode relaxation_order(PetscReal n)
{
  PetscReal h[3], error[3];

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    RungStepper stepper;
    PetscReal   stress;

    h[i] = 0.25 / pow(2, i);
    PetscCall(norton(n, PETSC_TRUE, &stepper));
    PetscCall(run(stepper, "esdirk43", 1, h[i]));
    PetscCall(RungStepperGetQuantity(stepper, "stress", &stress));
    error[i] = fabs(stress - relaxed(n, 1));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK(error[2] < 1e-5);
  CHECK_NEAR(log(error[1] / error[2]) / log(2), 4, 0.5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_maxwell_bar_relaxes_exponentially_to_the_order_of_the_method(void)
{
  PetscFunctionBegin;
  if (check_alone()) PetscCall(relaxation_order(1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nortons_creep_relaxes_to_the_order_of_the_method(void)
{
  PetscFunctionBegin;
  PetscCall(relaxation_order(3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma along a path of strains: elastic up to |sigma| = yield + H p, then d sigma = E H/(E + H) d eps. */
static PetscReal uniaxial(PetscInt n, const PetscReal strain[], PetscReal *plastic)
{
  PetscReal ep = 0, p = 0, sigma = 0;

  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal trial = 200 * (strain[i] - ep), over = fabs(trial) - 1 - 50 * p;

    if (over > 0) {
      ep += copysign(over / 250, trial);
      p += over / 250;
    }
    sigma = 200 * (strain[i] - ep);
  }
  *plastic = p;
  return sigma;
}

static PetscErrorCode test_a_j2_bar_follows_its_curve_under_monotone_and_cyclic_load(void)
{
  const PetscReal       strain[] = {0.004, 0.008, 0.012, 0.004, -0.004, -0.012, -0.004, 0.004, 0.012};
  const char           *path     = "0.004*if(t <= 3, t, if(t <= 6, 9 - 2*t, 2*t - 15))";
  RungStepperStatistics statistics;

  PetscFunctionBegin;
  for (PetscInt end = 3; end <= 9; end += 3) {
    RungStepper stepper;
    PetscReal   stress, plastic, wanted, p;

    PetscCall(j2((Grid){"hexahedron", 3, 2, "Q1^d", "Quad(2)"}, path, PETSC_FALSE, PETSC_TRUE, &stepper));
    PetscCall(run(stepper, "euler", (PetscReal)end, 1));
    PetscCall(RungStepperGetQuantity(stepper, "stress", &stress));
    PetscCall(RungStepperGetQuantity(stepper, "plastic", &p));
    PetscCall(RungStepperGetStatistics(stepper, &statistics));
    wanted = uniaxial(end, strain, &plastic);
    CHECK_NEAR(stress, wanted, 1e-9);
    CHECK_NEAR(p, plastic, 1e-11);
    CHECK(statistics.newton <= 5 * end);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All entries of all unknowns. */
static PetscErrorCode check_same(RungStepper a, RungStepper b, PetscReal tolerance)
{
  const RungState *state[2];
  PetscReal        size, distance;
  Vec              difference;

  PetscFunctionBegin;
  PetscCall(RungStepperGetState(a, 0, &state[0]));
  PetscCall(RungStepperGetState(b, 0, &state[1]));
  PetscCall(VecDuplicate(state[0]->u[0], &difference));
  PetscCall(VecWAXPY(difference, -1, state[0]->u[0], state[1]->u[0]));
  PetscCall(VecNorm(state[0]->u[0], NORM_INFINITY, &size));
  PetscCall(VecNorm(difference, NORM_INFINITY, &distance));
  CHECK(size > 1e-3);
  CHECK_NEAR(distance, 0, tolerance * size);
  PetscCall(VecDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method ends where |F| has fallen by 1e12, which leaves an error of that times the condition of the bar: solutions
   that are to be compared to nine digits need two more. */
static PetscErrorCode test_eliminated_or_not_the_results_are_the_same(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-snes_rtol", "1e-14"));
  for (int problem = 0; problem < 4;
       ++problem) { /* the last one under a rigid plate: constraints come after the points */
    RungStepper stepper[2];

    if (!check_alone() && problem % 2 == 0) continue;
    if (problem == 3) PetscCall(PetscOptionsSetValue(NULL, "-system_tie", "u[1],top"));
    for (int condense = 0; condense < 2; ++condense) {
      const PetscBool c = condense ? PETSC_TRUE : PETSC_FALSE;

      if (problem < 2)
        PetscCall(norton(problem ? 3 : 1, c, &stepper[condense]));
      else
        PetscCall(j2((Grid){"triangle", 2, 4, "P2^d", "Quad(2)"}, "0.004*t", PETSC_TRUE, c, &stepper[condense]));
      PetscCall(
        run(stepper[condense], problem < 2 ? "esdirk43" : "euler", problem < 2 ? 1 : 3, problem < 2 ? 0.25 : 1));
    }
    if (problem == 3) PetscCall(PetscOptionsClearValue(NULL, "-system_tie"));
    PetscCall(check_same(stepper[0], stepper[1], 1e-9));
    for (int i = 0; i < 2; ++i) PetscCall(RungStepperDestroy(&stepper[i]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-snes_rtol"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F| of the iterations of the last step; k of them */
typedef struct {
  PetscInt  k;
  PetscReal norm[32];
} Norms;

static PetscErrorCode keep_norm(SNES snes, PetscInt it, PetscReal norm, void *ctx)
{
  Norms *norms = (Norms *)ctx;

  PetscFunctionBegin;
  (void)snes;
  norms->k = it + 1;
  if (it < 32) norms->norm[it] = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_newton_converges_quadratically_where_yielding_spreads(void)
{
  Norms       norms = {0, {0}};
  RungStepper stepper;
  SNES        snes;

  PetscFunctionBegin;
  PetscCall(j2((Grid){"triangle", 2, 4, "P2^d", "Quad(2)"}, "0.004*t", PETSC_TRUE, PETSC_TRUE, &stepper));
  PetscCall(RungStepperSetMethod(stepper, "euler"));
  PetscCall(RungStepperSetInterval(stepper, 0, 3, 1));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungLineSolverGetSNES(stepper->solver, &snes));
  PetscCall(SNESMonitorSet(snes, keep_norm, &norms, NULL));
  PetscCall(RungStepperSolve(stepper));
  CHECK(norms.k >= 3 && norms.k <= 7);
  for (PetscInt i = PetscMax(1, norms.k - 2); i + 1 < norms.k; ++i) {
    const PetscReal before = norms.norm[i] / norms.norm[0], after = norms.norm[i + 1] / norms.norm[0];

    CHECK(after <= 100 * before * before + 1e-12);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step; before it an attempt of another size that is thrown away. */
static PetscErrorCode step(RungStepper stepper, PetscReal h, PetscBool thrown)
{
  const RungState    *from;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  for (int i = thrown ? 0 : 1; i < 2; ++i) {
    const PetscReal part    = i ? h : 2.7 * h;
    RungVerdict     verdict = {.solved = PETSC_TRUE, .error = -1};
    RungState      *to;

    PetscCall(RungTransientSystemGetProposal(ts, &to));
    to->t = from->t + part;
    PetscCall(stepper->ops->attempt(stepper, from, part, to, &verdict));
    CHECK(verdict.solved);
    if (!i) PetscCall(RungTransientSystemRollBack(ts));
  }
  PetscCall(RungTransientSystemAccept(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rejected_steps_leave_no_trace(void)
{
  RungStepper stepper[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungTransientSystem ts;

    PetscCall(j2((Grid){"triangle", 2, 2, "P2^d", "Quad(2)"}, "0.004*t", PETSC_TRUE, PETSC_TRUE, &stepper[i]));
    PetscCall(RungStepperSetMethod(stepper[i], "euler"));
    PetscCall(RungStepperSetInterval(stepper[i], 0, 9, 1));
    PetscCall(RungStepperGetTransientSystem(stepper[i], &ts));
    PetscCall(RungTransientSystemStart(ts, 0));
    for (int n = 0; n < 4; ++n) PetscCall(step(stepper[i], 1, i ? PETSC_TRUE : PETSC_FALSE));
  }
  PetscCall(check_same(stepper[0], stepper[1], 0));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperDestroy(&stepper[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MUMPS adds in another order in each run on several ranks; a solver that does not. */
static PetscErrorCode plastic_run(const char load[], RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(j2((Grid){"triangle", 2, 2, "P2^d", "Quad(2)"}, "0.004*t", PETSC_TRUE, PETSC_TRUE, stepper));
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type gmres -pc_type bjacobi -ksp_rtol 1e-12"));
  PetscCall(RungStepperSetFromOptions(*stepper));
  PetscCall(RungStepperSetMethod(*stepper, "euler"));
  PetscCall(RungStepperSetInterval(*stepper, 0, 4, 1));
  PetscCall(RungStepperSetCheckpoint(*stepper, "internal_{step}.h5", 2));
  PetscCall(RungStepperSetRestart(*stepper, load, PETSC_FALSE));
  PetscCall(RungStepperSolve(*stepper));
  for (int i = 0; i < 3; ++i) {
    static const char *const name[] = {"-ksp_type", "-pc_type", "-ksp_rtol"};

    PetscCall(PetscOptionsClearValue(NULL, name[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_goes_on_from_a_checkpoint_bit_for_bit(void)
{
  RungStepper stepper[2];

  PetscFunctionBegin;
  PetscCall(plastic_run(NULL, &stepper[0]));
  PetscCall(plastic_run("internal_2.h5", &stepper[1]));
  PetscCall(check_same(stepper[0], stepper[1], 0));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperDestroy(&stepper[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a^2 = 3/2 - t has no solution in the end: the attempt fails and says where. */
static PetscErrorCode test_points_without_a_solution_fail_the_attempt(void)
{
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create((Grid){"interval", 1, 4, "P1", "Quad(2)"}, &sys, 1, (const char *[]){"a"}, (const char *[]){"b"},
                   (const char *[]){""}));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) + a)*v*dx"));
  PetscCall(RungSystemAddResidual(sys, "(a^2 - 1.5 + t)*b*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(RungSystemSetInitial(sys, "a", "1.2"));
  PetscCall(finish(sys, PETSC_TRUE, &stepper));
  PetscCall(RungStepperSetMethod(stepper, "euler"));
  PetscCall(RungStepperSetInterval(stepper, 0, 4, 1));
  CHECK_RAISES(RungStepperSolve(stepper), "the equations of \"a\" were not solved at the point");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' + s = 0, s' = 2 (u - s), u >= 0.3: bounds keep internal variables in the matrix, whatever is asked for.  By hand, a step
   with s eliminated, s = (s_n + 2 h u)/(1 + 2 h), ends at the bound or above. */
static PetscErrorCode test_bounds_and_internal_variables_go_together(void)
{
  PetscReal u = 1, s = 0;

  PetscFunctionBegin;
  for (int n = 0; n < 8; ++n) {
    u = PetscMax(0.3, (u - 0.25 * s / 1.5) / (1 + 0.25 * 0.5 / 1.5));
    s = (s + 0.5 * u) / 1.5;
  }
  CHECK(u == 0.3);
  for (int condense = 0; condense < 2; ++condense) {
    RungSystem  sys;
    RungStepper stepper;
    PetscReal   mean[2];

    PetscCall(create((Grid){"interval", 1, 6, "P1", "Quad(2)"}, &sys, 1, (const char *[]){"s"}, (const char *[]){"q"},
                     (const char *[]){""}));
    PetscCall(RungSystemAddResidual(sys, "(dt(u) + s)*v*dx + (dt(s) - 2*(u - s))*q*dx"));
    PetscCall(RungSystemSetInitial(sys, "u", "1"));
    PetscCall(RungSystemSetBounds(sys, "u", "0.3", NULL));
    PetscCall(RungSystemAddQuantity(sys, "mean of u", "u*dx"));
    PetscCall(RungSystemAddQuantity(sys, "mean of s", "s*dx"));
    PetscCall(finish(sys, condense ? PETSC_TRUE : PETSC_FALSE, &stepper));
    PetscCall(run(stepper, "euler", 2, 0.25));
    PetscCall(RungStepperGetQuantity(stepper, "mean of u", &mean[0]));
    PetscCall(RungStepperGetQuantity(stepper, "mean of s", &mean[1]));
    CHECK_NEAR(mean[0], u, 1e-9);
    CHECK_NEAR(mean[1], s, 1e-9);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system that is set up already is left to any method, also behind one that has eliminated; while a stepper eliminates, others that
   do not are refused, and it goes on. */
static PetscErrorCode test_methods_that_leave_them_take_a_system_that_is_set_up(void)
{
  static const char *const method[] = {"rodas4p", "dopri54", "ark437", "esdirk43", "dopri54"};
  RungStepper              first, stepper;
  RungSystem               sys;
  PetscReal                stress;

  PetscFunctionBegin;
  PetscCall(norton(1, PETSC_TRUE, &first));
  PetscCall(RungStepperGetSystem(first, &sys));
  PetscCall(run(first, "esdirk43", 0.5, 0.025));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  CHECK_RAISES(run(stepper, "rodas4p", 1, 0.05), "-system_condense false");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungStepperSetInterval(first, 0, 1, 0.025));
  PetscCall(RungStepperSolve(first));
  PetscCall(RungStepperGetQuantity(first, "stress", &stress));
  CHECK_NEAR(stress, relaxed(1, 1), 1e-7);
  PetscCall(RungSystemReference(sys));
  PetscCall(RungStepperDestroy(&first));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(run(stepper, method[i], 1, 0.025));
    PetscCall(RungStepperGetQuantity(stepper, "stress", &stress));
    CHECK_NEAR(stress, relaxed(1, 1), 1e-7);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_maxwell_bar_relaxes_exponentially_to_the_order_of_the_method),
               RUNG_TEST(test_nortons_creep_relaxes_to_the_order_of_the_method),
               RUNG_TEST(test_a_j2_bar_follows_its_curve_under_monotone_and_cyclic_load),
               RUNG_TEST(test_eliminated_or_not_the_results_are_the_same),
               RUNG_TEST(test_newton_converges_quadratically_where_yielding_spreads),
               RUNG_TEST(test_rejected_steps_leave_no_trace),
               RUNG_TEST(test_a_run_goes_on_from_a_checkpoint_bit_for_bit),
               RUNG_TEST(test_points_without_a_solution_fail_the_attempt),
               RUNG_TEST(test_bounds_and_internal_variables_go_together),
               RUNG_TEST(test_methods_that_leave_them_take_a_system_that_is_set_up))
