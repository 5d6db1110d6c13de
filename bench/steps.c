/* steps.c - what tolerances buy: steps, evaluations and errors of adaptive runs, for comparing one state of the library with another.

       problem type tol  steps rejected failed  residuals jacobians factorisations  error

   error is the largest over all accepted steps and unknowns of |u - exact| in the maximum norm, divided by the largest
   |exact|; of `ends`, which has no solution in closed form, that of the mean at the end against a run with 1e-10.

   ode         three equations with solutions exp(-2t), exp(-t), 1/(2 - sin t)
   dae         y' = z with a cubic equation for z
   heat_edge   conduction between edges whose values move
   wave        a standing wave
   diffusion   nonlinear diffusion
   mixed       u'' = -u beside T' = -1000 (T - cos t)
   conserved   dt(u + u^3) with a moving edge
   copies      -bench_copies oscillators, the first of them fifty times as fast as the rest
   pair        an oscillating pair of numbers beside a field on -bench_count^2 cells
   ends        heat at rest, both ends rise at t = 100 within 0.1 (or as -bench_ends says, a function of t; -bench_mean
               is the mean to compare with then)

   Try   ./steps -bench_problem mixed,copies
         ./steps -bench_problem copies -bench_copies 10000 -bench_tol 1e-4
         ./steps -bench_problem ode -bench_scale 1048576     the unknowns and absolute tolerances times 2^20            */
#include "bench.h"

typedef struct {
  const char *name, *test, *spec, *exact, *rate; /* rate: initial dt(u) of unknowns of order 2 */
} Unknown;

typedef struct {
  const char     *name, *cell; /* cell: of an interval, a square, or points */
  PetscInt        count, unknowns;
  Unknown         unknown[2];
  const char     *define[6]; /* name, text, .. */
  const char     *residual;
  RungStepperType type;          /* NULL: the default */
  PetscReal       end, dt, mean; /* mean: that of the first unknown at the end; 0: there are exact solutions */
} Problem;

#define EDGE "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)/4"

static const Problem problems[] = {
  {"ode",
   "points",
   1,
   1,
   {{"y", "v", "P0^3", "vector(exp(-2*t), exp(-t), 1/(2 - sin(t)))", NULL}},
   {NULL},
   "inner(dt(y) - vector(y[1]^2/S - 3*y[0], y[0] - y[1] - y[1]^2/S, cos(t)*y[2]^2/S), v)*dx",
   NULL,
   10,
   0.01,
   0},
  {"dae",
   "points",
   1,
   2,
   {{"y", "v", "P0", "sin(t)", NULL}, {"z", "q", "P0", "cos(t)", NULL}},
   {NULL},
   "(dt(y) - z)*v*dx + ((z/S)^3*S + z - S*cos(t)^3 - S*cos(t) + y - S*sin(t))*q*dx",
   NULL,
   10,
   0.01,
   0},
  {"heat_edge",
   "interval",
   8,
   1,
   {{"u", "v", "P2", EDGE, NULL}},
   {NULL},
   "dt(u)*v*dx + inner(grad(u), grad(v))*dx - S/4*(3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4))*v*dx",
   NULL,
   3,
   0.01,
   0},
  {"wave",
   "interval",
   8,
   1,
   {{"u", "v", "P2", "sin(3*t + 0.4)*x[0]*(1 - x[0])", "3*cos(3*t + 0.4)*x[0]*(1 - x[0])"}},
   {NULL},
   "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx + S*sin(3*t + 0.4)*(9*x[0]*(1 - x[0]) - 2)*v*dx",
   NULL,
   3,
   0.01,
   0},
  {"diffusion",
   "interval",
   8,
   1,
   {{"u", "v", "P2", "(2 + sin(3*t))*x[0]*(1 - x[0])", NULL}},
   {"a", "2 + sin(3*t)", "p", "x[0]*(1 - x[0])", NULL},
   "dt(u)*v*dx + (1 + (u/S)^2)*inner(grad(u), grad(v))*dx"
   " - S*(3*cos(3*t)*p + (1 + a^2*p^2)*2*a - 2*a^3*p*(1 - 2*x[0])^2)*v*dx",
   NULL,
   3,
   0.01,
   0},
  {"mixed",
   "points",
   1,
   2,
   {{"u", "v", "P0", "cos(t)", "0"}, {"T", "q", "P0", "(1000000*cos(t) + 1000*sin(t))/1000001", NULL}},
   {NULL},
   "(dt(u, 2) + u)*v*dx + (dt(T) + 1000*(T - S*cos(t)))*q*dx",
   RUNGDIRK,
   10,
   0.01,
   0},
  {"conserved",
   "interval",
   8,
   1,
   {{"u", "v", "P2", EDGE, NULL}},
   {"e", EDGE, NULL},
   "dt(u + (u/S)^3*S)*v*dx + inner(grad(u), grad(v))*dx"
   " - S*((1 + 3*e^2)*3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)/4 - sin(3*t + 0.4))*v*dx",
   NULL,
   3,
   0.01,
   0},
  {"copies",
   "points",
   1000,
   1,
   {{"y", "v", "P0^2", "vector(cos(w*t), -sin(w*t))", NULL}},
   {"w", "if(x[0] < 0.5, 50, 1)", NULL},
   "inner(dt(y) - w*vector(y[1], -y[0]), v)*dx",
   NULL,
   2,
   0.01,
   0},
  {"pair",
   "quadrilateral",
   16,
   2,
   {{"y", "q", "R^2", "vector(cos(10*t), -sin(10*t))", NULL}, {"u", "v", "Q1", "exp(-t)", NULL}},
   {NULL},
   "inner(dt(y) - 10*vector(y[1], -y[0]), q)*dR + (dt(u) + u)*v*dx + inner(grad(u), grad(v))*dx",
   NULL,
   5,
   0.01,
   0},
  {"ends",
   "interval",
   16,
   1,
   {{"u", "v", "P1", "0", NULL}},
   {NULL},
   "dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx",
   NULL,
   200,
   0.1,
   0.698846666},
};

typedef struct {
  RungSystem     sys;
  const Problem *problem;
  PetscReal      scale, error, size; /* largest so far */
} Watch;

static PetscErrorCode keep_largest(RungSystem sys, const char text[], PetscReal t, const Vec u[], PetscReal *largest)
{
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(RungSystemNorm(sys, text, NULL, RUNG_NORM_MAX, t, u, &value));
  *largest = PetscMax(*largest, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode watch_step(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Watch *watch = (Watch *)ctx;
  char   text[512];

  PetscFunctionBegin;
  (void)stepper, (void)step;
  for (PetscInt f = 0; f < watch->problem->unknowns && !watch->problem->mean; ++f) {
    const Unknown *unknown = &watch->problem->unknown[f];

    PetscCall(PetscSNPrintf(text, sizeof text, "%s - S*(%s)", unknown->name, unknown->exact));
    PetscCall(keep_largest(watch->sys, text, t, u, &watch->error));
    PetscCall(PetscSNPrintf(text, sizeof text, "S*(%s)", unknown->exact));
    PetscCall(keep_largest(watch->sys, text, t, u, &watch->size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mesh(const Problem *problem, RungMesh *mesh)
{
  PetscInt  n = problem->count;
  PetscBool points, square;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->cell, "points", &points));
  PetscCall(PetscStrcmp(problem->cell, "quadrilateral", &square));
  if (points && n > 1) PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_copies", &n, NULL));
  if (square) PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_count", &n, NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  if (points)
    PetscCall(RungMeshSetPoints(*mesh, n));
  else
    PetscCall(RungMeshSetBox(*mesh, problem->cell, square ? 2 : 1, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_unknown(const Problem *problem, PetscInt f, RungMesh mesh, RungSystem sys)
{
  const Unknown *unknown = &problem->unknown[f];
  RungSpace      space;
  char           text[512], rate[64];

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, unknown->spec, &space));
  PetscCall(RungSystemAddUnknown(sys, unknown->name, unknown->test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(PetscSNPrintf(text, sizeof text, "S*(%s)", unknown->exact));
  PetscCall(RungSystemSetInitial(sys, unknown->name, text));
  if (!unknown->rate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(rate, sizeof rate, "dt(%s)", unknown->name));
  PetscCall(PetscSNPrintf(text, sizeof text, "S*(%s)", unknown->rate));
  PetscCall(RungSystemSetInitial(sys, rate, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_data(const Problem *problem, RungSystem sys)
{
  char      text[1024] = "0.5*(1 + tanh((t - 100)/0.1))", whole[1100];
  PetscBool interval;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->cell, "interval", &interval));
  if (!interval) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->mean)
    PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_ends", text, sizeof text, NULL));
  else
    PetscCall(PetscStrncpy(text, problem->unknown[0].exact, sizeof text));
  PetscCall(PetscSNPrintf(whole, sizeof whole, "S*(%s)", text));
  PetscCall(RungSystemSetDirichlet(sys, problem->unknown[0].name, "boundary", whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_system(const Problem *problem, PetscReal scale, RungSystem *sys)
{
  RungMesh mesh;
  char     mean[64];

  PetscFunctionBegin;
  PetscCall(create_mesh(problem, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemSetConstant(*sys, "S", scale));
  for (int i = 0; problem->define[i]; i += 2)
    PetscCall(RungSystemDefine(*sys, problem->define[i], problem->define[i + 1]));
  for (PetscInt f = 0; f < problem->unknowns; ++f) PetscCall(add_unknown(problem, f, mesh, *sys));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  PetscCall(add_data(problem, *sys));
  PetscCall(PetscSNPrintf(mean, sizeof mean, "%s*dx", problem->unknown[0].name));
  if (problem->mean) PetscCall(RungSystemAddQuantity(*sys, "mean", mean));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print(const Problem *problem, RungStepper stepper, PetscReal tol, const Watch *watch)
{
  RungStepperStatistics s;
  RungStepperType       type;
  PetscReal             error = watch->size > 0 ? watch->error / watch->size : 0, mean = problem->mean;

  PetscFunctionBegin;
  PetscCall(RungStepperGetStatistics(stepper, &s));
  PetscCall(RungStepperGetType(stepper, &type));
  if (problem->mean) {
    PetscCall(RungStepperGetQuantity(stepper, "mean", &error));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_mean", &mean, NULL));
    error = PetscAbsReal(error / watch->scale - mean);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %-5s %.0e %6d %4d %3d %7d %6d %6d  %.2e\n", problem->name, type,
                        (double)tol, (int)s.steps, (int)s.rejected, (int)s.failed, (int)s.residuals, (int)s.jacobians,
                        (int)s.factorisations, (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(const Problem *problem, PetscReal tol, PetscReal scale)
{
  Watch       watch = {.problem = problem, .scale = scale};
  RungStepper stepper;
  PetscBool   automatic = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(create_system(problem, scale, &watch.sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, watch.sys));
  if (problem->type) PetscCall(RungStepperSetType(stepper, problem->type));
  PetscCall(RungStepperSetInterval(stepper, 0, problem->end, problem->dt));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-bench_automatic", &automatic, NULL));
  PetscCall(RungStepperSetTolerances(stepper, tol, automatic ? PETSC_DEFAULT : tol * scale));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, watch_step, &watch));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(print(problem, stepper, tol, &watch));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&watch.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_wanted(const char name[], PetscBool *wanted)
{
  char     *list[16];
  PetscInt  n = 16;
  PetscBool given, same;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-bench_problem", list, &n, &given));
  *wanted = given ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt i = 0; given && i < n; ++i) {
    PetscCall(PetscStrcmp(list[i], name, &same));
    if (same) *wanted = PETSC_TRUE;
    PetscCall(PetscFree(list[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal tol[8] = {1e-3, 1e-5, 1e-7}, scale = 1;
  PetscInt  n = 8;
  PetscBool given, wanted;

  PetscCall(RungInitialize(&argc, &argv, "Steps and errors of adaptive runs.\n"));
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-bench_tol", tol, &n, &given));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_scale", &scale, NULL));
  for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
    PetscCall(is_wanted(problems[i].name, &wanted));
    for (PetscInt k = 0; wanted && k < (given ? n : 3); ++k) PetscCall(run_problem(&problems[i], tol[k], scale));
  }
  PetscCall(RungFinalize());
  return 0;
}
