/* test_imex_constrained.c - implicit-explicit pairs beside unknowns without a rate: constraints on values alone (index 2), equations that
   give their unknown (index 1), both of them, and constraints whose force moves nothing at once (index 3), which are refused. */
#include "../tableau_impl.h"
#include <check.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char *cells;
  PetscInt    n;
  const char *unknown[3][3]; /* name, test, space */
  const char *define[4][2], *residual[3], *initial[2][2], *edge, *error;
  PetscReal   end;
} Problem;

/* y stays on the unit circle, y = (cos a, sin a), by a force l y: l = exp(-t). */
static const Problem circle = {
  .cells    = "interval",
  .n        = 3,
  .unknown  = {{"y", "v", "P1^2"}, {"l", "m", "P1"}},
  .define   = {{"a", "t + 0.5*sin(2*t)"},
               {"U", "vector(cos(a), sin(a))"},
               {"dU", "(1 + cos(2*t))*vector(-sin(a), cos(a))"}},
  .residual = {"(inner(dt(y) - dU - exp(-t)*U, v) + l*inner(y, v))*dx + explicit(inner(y - U, v)*dx) + "
               "explicit(0.3*(y[0]*y[1] - U[0]*U[1])*v[0]*dx)",
               "(inner(y, y) - 1)*m*dx"},
  .initial  = {{"y", "vector(1, 0)"}},
  .error    = "abs(y[0] - cos(1 + 0.5*sin(2))) + abs(y[1] - sin(1 + 0.5*sin(2))) + abs(l - exp(-1))",
  .end      = 1};

/* u' = u/2 - 0.3 u^2 by z = -u/2: symmetric as a whole, not so the matrix of rates beside values. */
static const Problem symmetric = {.cells    = "interval",
                                  .n        = 3,
                                  .unknown  = {{"u", "w", "P1"}, {"z", "m", "P1"}},
                                  .residual = {"(dt(u) + z)*w*dx + explicit(0.3*u^2*w*dx)", "(u + 2*z)*m*dx"},
                                  .initial  = {{"u", "1"}, {"z", "-0.5"}},
                                  .error    = "u - 5/3/(1 + 2/3*exp(-0.5))",
                                  .end      = 1};

/* A mean that is given, by a number, beside an equation of its own for z, a mass that is not constant, and moving data. */
static const Problem mixed = {
  .cells   = "interval",
  .n       = 5,
  .unknown = {{"u", "w", "P2"}, {"l", "m", "R"}, {"z", "q", "P2"}},
  .define = {{"U", "cos(3*t)*x[0]*(1 - x[0]) + 1 + t*x[0]"}, {"dU", "x[0] - 3*sin(3*t)*x[0]*(1 - x[0])"}, {"Z", "U^2"}},
  .residual =
    {"((1 + u^2)*dt(u) - (1 + U^2)*dU - 2*cos(3*t))*w*dx + (inner(grad(u), grad(w)) + (l - sin(t))*(1 + x[0])*w + (z - "
     "Z)*w)*dx - (t - cos(3*t))*w*ds(right) + explicit((u^2 - U^2 + sin(z) - sin(Z))*w*dx)",
     "(u - U)*m*dx", "(z + 0.1*z^3 - u^2 - 0.1*Z^3)*q*dx"},
  .initial = {{"u", "x[0]*(1 - x[0]) + 1"}, {"z", "(x[0]*(1 - x[0]) + 1)^2"}},
  .edge    = "1",
  .error =
    "abs(u - cos(3)*x[0]*(1 - x[0]) - 1 - x[0]) + abs(l - sin(1)) + abs(z - (cos(3)*x[0]*(1 - x[0]) + 1 + x[0])^2)",
  .end = 1};

/* All values are one number, held together by forces that have a given sum: the constraint holds the number, which moves. */
static const Problem tied = {
  .cells    = "interval",
  .n        = 3,
  .unknown  = {{"u", "w", "P1"}, {"z", "q", "P1"}, {"l", "m", "R"}},
  .define   = {{"L", "1 + sin(t)/3"}, {"Z", "1 + x[0]*cos(t)"}},
  .residual = {"(dt(u) - dt(L) + z - Z)*w*dx + explicit(0.2*(u^2 - L^2)*w*dx)", "(u - l)*q*dx", "(z - Z)*m*dx"},
  .initial  = {{"u", "1"}, {"l", "1"}},
  .error    = "abs(u - 1 - sin(1)/3) + abs(l - 1 - sin(1)/3) + abs(z - 1 - x[0]*cos(1))",
  .end      = 1};

/* A flow between moving walls whose pressure has a given mean: the number l that says so stands in div(u) = 0. */
static const Problem mean = {
  .cells    = "quadrilateral",
  .n        = 2,
  .unknown  = {{"u", "w", "Q2^d"}, {"p", "q", "Q1"}, {"l", "m", "R"}},
  .define   = {{"g", "vector((1 + sin(4*t)/2)*x[1]^2, cos(4*t)*x[0]^2)"},
               {"P", "(2 + sin(t))*(x[0] + 2*x[1]) + cos(3*t)"},
               {"f", "dt(g) + dot(grad(g), g) - vector(1 + sin(4*t)/2, 2*cos(4*t)/2)/5 + grad(P)"}},
  .residual = {"(inner(dt(u) - f, w) + 0.1*inner(grad(u), grad(w)) - p*div(w))*dx + "
               "explicit(inner(dot(grad(u), u), w)*dx)",
               "(l - div(u))*q*dx", "(p - P)*m*dx"},
  .initial  = {{"u", "g"}},
  .edge     = "g",
  .error    = "abs(u[0] - (1 + sin(4)/2)*x[1]^2) + abs(u[1] - cos(4)*x[0]^2) + "
              "abs(p - (2 + sin(1))*(x[0] + 2*x[1]) - cos(3)) + abs(l)",
  .end      = 1};

static PetscErrorCode build(const Problem *p, RungMesh *mesh, RungSpace space[3], RungSystem *sys)
{
  const PetscReal size[] = {1, 1};
  const PetscInt  n[]    = {p->n, p->n};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, p->cells, strcmp(p->cells, "interval") ? 2 : 1, n, size));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 3 && p->unknown[f][0]; ++f) {
    PetscCall(RungSpaceCreate(*mesh, p->unknown[f][2], &space[f]));
    PetscCall(RungSystemAddUnknown(*sys, p->unknown[f][0], p->unknown[f][1], space[f]));
  }
  PetscCall(RungSystemSetConstant(*sys, "nothing", 0));
  for (int i = 0; i < 4 && p->define[i][0]; ++i) PetscCall(RungSystemDefine(*sys, p->define[i][0], p->define[i][1]));
  for (int i = 0; i < 3 && p->residual[i]; ++i) PetscCall(RungSystemAddResidual(*sys, p->residual[i]));
  for (int i = 0; i < 2 && p->initial[i][0]; ++i)
    PetscCall(RungSystemSetInitial(*sys, p->initial[i][0], p->initial[i][1]));
  if (p->edge) PetscCall(RungSystemSetDirichlet(*sys, p->unknown[0][0], "left", p->edge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(const Problem *p, RungSystem sys, const char method[], PetscInt steps, PetscReal *error)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, p->end, p->end / (PetscReal)steps));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, p->error, NULL, RUNG_NORM_L2, 6, state->u, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungMesh *mesh, RungSpace space[3], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemDestroy(sys));
  for (int f = 0; f < 3; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order between two step lengths is at least `least`, where errors are not rounding. */
static PetscErrorCode check_order(const Problem *p, RungSystem sys, const char method[], PetscInt steps,
                                  PetscReal least, PetscReal largest)
{
  PetscReal error[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) PetscCall(advance(p, sys, method, steps << i, &error[i]));
  if (!(error[0] <= largest && (log2(error[0] / error[1]) >= least || error[1] < 1e-12)))
    fprintf(stderr, "%s: errors %.2e, %.2e, order %.2f\n", method, error[0], error[1], log2(error[0] / error[1]));
  CHECK(error[0] <= largest);
  CHECK(log2(error[0] / error[1]) >= least || error[1] < 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bent: of values that a bent constraint holds an order is left that is one above that of stages. */
static PetscErrorCode walk(const Problem *p, PetscBool bent)
{
  const RungImexRow *rows;
  PetscInt           n;
  RungMesh           mesh;
  RungSpace          space[3] = {NULL};
  RungSystem         sys;
  PetscMPIInt        ranks;

  PetscFunctionBegin;
  PetscCall(build(p, &mesh, space, &sys));
  PetscCall(RungImexGetAll(&n, &rows));
  CHECK(n > 10);
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (PetscInt i = 0; i < n; ++i) {
    const RungTableau *implicit;
    PetscReal          order;

    PetscCall(RungImexImplicit(&rows[i], &implicit));
    if (ranks > 1 && implicit->order != 3) continue; /* a step is what it is on one */
    order = bent ? PetscMin(implicit->order, implicit->stage_order + 1) : implicit->order;
    PetscCall(check_order(p, sys, rows[i].name,
                          !bent       ? 5
                          : order > 1 ? 20
                                      : 80,
                          order - (bent ? 0.35 : 0.2), order > 1 ? 2e-3 : 3e-2));
  }
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_pair_has_its_order_on_a_constraint(void)
{
  PetscFunctionBegin;
  PetscCall(walk(&circle, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_pair_has_its_order_where_the_whole_is_symmetric(void)
{
  PetscFunctionBegin;
  PetscCall(walk(&symmetric, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_pair_has_its_order_where_a_constraint_holds_a_number(void)
{
  PetscFunctionBegin;
  PetscCall(walk(&tied, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_mean_of_the_pressure_by_a_number(void)
{
  PetscReal  error;
  RungMesh   mesh;
  RungSpace  space[3] = {NULL};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(build(&mean, &mesh, space, &sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", mean.edge));
  PetscCall(check_order(&mean, sys, "ark436", 10, 3.7, 1e-3));
  PetscCall(check_order(&mean, sys, "ars443", 10, 2.6, 1e-3));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_rtol", "1e-6"));
  PetscCall(advance(&mean, sys, "ark436", 20, &error)); /* l is 0 but for rounding, and moved by no more than that */
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rtol"));
  CHECK(error < 1e-4);
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What steps leave is below the error of the mesh, that of P2 on 5 cells. */
static PetscErrorCode test_constraints_beside_equations_of_index_1(void)
{
  PetscReal  error[3];
  RungMesh   mesh;
  RungSpace  space[3] = {NULL};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(build(&mixed, &mesh, space, &sys));
  PetscCall(advance(&mixed, sys, "ark548b", 20, &error[0]));
  PetscCall(advance(&mixed, sys, "ark436", 40, &error[1]));
  PetscCall(advance(&mixed, sys, "esdirk54", 160, &error[2]));
  CHECK(error[1] < 1e-3);
  CHECK_NEAR(error[0], error[1], 2e-3 * error[1]);
  CHECK_NEAR(error[2], error[1], 3e-2 * error[1]); /* whose l is of order 2 */
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a flow -------------------------------------------------------------------------------------------------------- */

/* Convection is explicit; walls move, and the flow that they press through the box is divergence free at each t. */
static const Problem flow = {
  .cells    = "quadrilateral",
  .n        = 4,
  .unknown  = {{"u", "w", "Q2^d"}, {"p", "q", "Q1"}},
  .define   = {{"g", "vector(sin(3*t)*x[1], cos(2*t)*x[0])"}},
  .residual = {"(inner(dt(u), w) + 0.1*inner(grad(u), grad(w)) - p*div(w))*dx + explicit(inner(dot(grad(u), u), w)*dx)",
               "div(u)*q*dx"},
  .initial  = {{"u", "g"}},
  .end      = 0.4};

static PetscErrorCode run_flow(const char method[], PetscReal h, PetscReal rtol, PetscReal value[3],
                               RungStepperStatistics *counts)
{
  RungMesh         mesh;
  RungSpace        space[3] = {NULL};
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(build(&flow, &mesh, space, &sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "g"));
  PetscCall(RungSystemAddConstraint(sys, 1, (const char *[]){"p"}, (PetscReal[]){0, 0, 0}, (PetscReal[]){1}, NULL));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetInterval(stepper, 0, flow.end, h));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u[0] + 2*u[1]", NULL, RUNG_NORM_L2, 6, state->u, &value[0]));
  PetscCall(RungSystemNorm(sys, "p", NULL, RUNG_NORM_L2, 6, state->u, &value[1]));
  PetscCall(RungSystemNorm(sys, "dt(u)", NULL, RUNG_NORM_L2, 6, state->u, &value[2]));
  PetscCall(RungStepperGetStatistics(stepper, counts));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same levels as a method that takes all of it implicitly: u, p and the rates. */
static PetscErrorCode test_flow_with_explicit_convection(void)
{
  RungStepperStatistics counts;
  PetscReal             exact[3], coarse[3], fine[3], adaptive[3];

  PetscFunctionBegin;
  PetscCall(run_flow("esdirk54", flow.end / 64, 0, exact, &counts));
  PetscCall(run_flow("ark436", flow.end / 8, 0, coarse, &counts));
  PetscCall(run_flow("ark436", flow.end / 16, 0, fine, &counts));
  CHECK(counts.factorisations == 2); /* of stages, and of solves with M and the constraint */
  for (int i = 0; i < 3; ++i) {
    if (!(fabs(fine[i] - exact[i]) < 2e-5 * exact[i]))
      fprintf(stderr, "%d: %.12g %.12g %.12g\n", i, coarse[i], fine[i], exact[i]);
    CHECK(fabs(coarse[i] - exact[i]) < 2e-4 * exact[i]);
    CHECK(fabs(fine[i] - exact[i]) < 2e-5 * exact[i]);
    CHECK(fabs(fine[i] - exact[i]) < fabs(coarse[i] - exact[i]) / 4);
  }
  PetscCall(run_flow("ark548b", flow.end / 64, 1e-6, adaptive, &counts));
  for (int i = 0; i < 3; ++i) CHECK_NEAR(adaptive[i], exact[i], 1e-5 * exact[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -50 u without its mean: the longest stable step is that of u' = -50 u. */
static PetscErrorCode test_stable_steps_beside_a_constraint(void)
{
  const Problem decay = {.cells    = "interval",
                         .n        = 4,
                         .unknown  = {{"u", "w", "P1"}, {"l", "m", "R"}},
                         .residual = {"(dt(u) + l)*w*dx + explicit(50*u*w*dx)", "u*m*dx"},
                         .initial  = {{"u", "x[0] - 0.5"}},
                         .error    = "u",
                         .end      = 1};
  RungMesh      mesh;
  RungSpace     space[3] = {NULL};
  RungSystem    sys;
  PetscReal     left;

  PetscFunctionBegin;
  PetscCall(build(&decay, &mesh, space, &sys));
  PetscCall(advance(&decay, sys, "ark436", 2, &left));
  CHECK(left > 1e3);
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_stable", "true"));
  PetscCall(advance(&decay, sys, "ark436", 2, &left));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_stable"));
  CHECK(left < 0.1);
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

static PetscErrorCode test_index_3_is_refused(void)
{
  const Problem pendulum = {.cells    = "interval",
                            .n        = 3,
                            .unknown  = {{"X", "w", "P1^2"}, {"v", "z", "P1^2"}, {"l", "m", "P1"}},
                            .residual = {"inner(dt(X) - v, w)*dx",
                                         "(inner(dt(v), z) + z[1] + l*inner(X, z))*dx + explicit(0.1*inner(v, z)*dx)",
                                         "(inner(X, X) - 1)*m*dx"},
                            .initial  = {{"X", "vector(1, 0)"}},
                            .error    = "l",
                            .end      = 1};
  RungMesh      mesh;
  RungSpace     space[3] = {NULL};
  RungSystem    sys;
  PetscReal     error;

  PetscFunctionBegin;
  PetscCall(build(&pendulum, &mesh, space, &sys));
  CHECK_RAISES(advance(&pendulum, sys, "ark436", 10, &error), "(index 2)");
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A force that is found with the values of a stage is no known term: l by itself, and z by the equation that holds l. */
static PetscErrorCode test_explicit_terms_that_hold_the_force_are_refused(void)
{
  static const char *const inside[] = {"sin(l)*u*w*dx", "z^2*w*dx"};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    char          text[128];
    const Problem held = {.cells    = "interval",
                          .n        = 3,
                          .unknown  = {{"u", "w", "P1"}, {"l", "m", "P1"}, {"z", "q", "P1"}},
                          .residual = {text, "(u - 1 - sin(t))*m*dx", "(z - l - u)*q*dx"},
                          .initial  = {{"u", "1"}},
                          .error    = "l",
                          .end      = 1};
    RungMesh      mesh;
    RungSpace     space[3] = {NULL};
    RungSystem    sys;
    PetscReal     error;

    (void)snprintf(text, sizeof text, "(dt(u) + l)*w*dx + explicit(%s)", inside[i]);
    PetscCall(build(&held, &mesh, space, &sys));
    CHECK_RAISES(advance(&held, sys, "ark436", 10, &error), i ? "finds \"z\"" : "finds \"l\"");
    PetscCall(destroy(&mesh, space, &sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An equation whose coefficient is 0 leaves a mass singular at each length of the step: MUMPS, which has failed once, is asked again. */
static PetscErrorCode test_a_mass_that_is_singular_is_told(void)
{
  const Problem open = {.cells    = "interval",
                        .n        = 60,
                        .unknown  = {{"u", "w", "P1"}, {"l", "m", "P1"}},
                        .residual = {"(dt(u) + l)*w*dx + explicit(u^2*w*dx)", "(u - 1 - sin(t) + nothing*l)*m*dx"},
                        .initial  = {{"u", "1"}},
                        .error    = "l",
                        .end      = 1};
  RungMesh      mesh;
  RungSpace     space[3] = {NULL};
  RungSystem    sys;
  PetscReal     error;

  PetscFunctionBegin;
  PetscCall(build(&open, &mesh, space, &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_rtol", "1e-3"));
  CHECK_RAISES(advance(&open, sys, "ark436", 10, &error), "(index 1)");
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rtol"));
  PetscCall(destroy(&mesh, space, &sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_pair_has_its_order_on_a_constraint),
               RUNG_TEST(test_every_pair_has_its_order_where_the_whole_is_symmetric),
               RUNG_TEST(test_every_pair_has_its_order_where_a_constraint_holds_a_number),
               RUNG_TEST(test_a_mean_of_the_pressure_by_a_number),
               RUNG_TEST(test_constraints_beside_equations_of_index_1), RUNG_TEST(test_flow_with_explicit_convection),
               RUNG_TEST(test_stable_steps_beside_a_constraint), RUNG_TEST(test_index_3_is_refused),
               RUNG_TEST(test_explicit_terms_that_hold_the_force_are_refused),
               RUNG_TEST(test_a_mass_that_is_singular_is_told))
