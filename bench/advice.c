/* advice.c - the method that a stepper takes by itself against others, at equal error: what docs/methods.md says of classes of problems.

       problem  seconds of the best method  of the default  best over default

   Of a ladder of tolerances, each a factor 10^(1/4) apart, each method takes the loosest with the error that is asked for, against a run
   of the same equations in space with tolerances far below.  Seconds are CPU time of a run without set-up, the least of several.  A remark
   each tells of the other methods, with steps, residuals and matrices.  Methods that refuse a problem are left out, and ladders of those
   that take more than PATIENCE times the best end there.

   Problems with an asterisk in the remark were not looked at when the defaults were chosen.

   Try   ./advice -bench_case burgers
         ./advice -bench_case burgers -bench_count 70 -bench_target 1e-4 -bench_method ark436
                                                    another mesh and another error, this method and the default
         ./advice -bench_case front -bench_method dopri54/leave
                                                    begins with steps that are explicit                                   */
#include "bench.h"

#define LADDER   25 /* from 1e-2 on, four to a digit */
#define REPEATS  3
#define PATIENCE 20
#define MOST     20000 /* steps */

typedef struct {
  const char *name, *cell; /* cell NULL: points */
  PetscInt    count;
  PetscBool   tuned; /* looked at for the choice of defaults */
  const char *unknown[2], *spec[2], *define[2][2], *residual, *initial[2], *rate, *edge;
  PetscReal   end, target;
} Problem;

static const Problem problems[] = {
  {"lorenz",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^3"},
   {{NULL}},
   "inner(dt(y) - vector(10*(y[1] - y[0]), y[0]*(28 - y[2]) - y[1], y[0]*y[1] - 8/3*y[2]), v)*dx",
   {"vector(1, 1, 1)"},
   NULL,
   NULL,
   5,
   1e-4},
  {"robertson",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^3"},
   {{"a", "0.04*y[0] - 1e4*y[1]*y[2]"}, {"b", "3e7*y[1]^2"}},
   "inner(dt(y) - vector(-a, a - b, b), v)*dx",
   {"vector(1, 0, 0)"},
   NULL,
   NULL,
   1e4,
   1e-4},
  {"van_der_pol",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^2"},
   {{NULL}},
   "inner(dt(y) - vector(y[1], 1000*((1 - y[0]^2)*y[1] - y[0])), v)*dx",
   {"vector(2, 0)"},
   NULL,
   NULL,
   2,
   1e-4},
  {"kepler",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^2"},
   {{NULL}},
   "inner(dt(y, 2) + y/inner(y, y)^1.5, v)*dx",
   {"vector(0.5, 0)"},
   "vector(0, sqrt(3))",
   NULL,
   20,
   1e-4},
  {"circuit",
   NULL,
   1,
   PETSC_TRUE,
   {"y", "z"},
   {"P0", "P0"},
   {{NULL}},
   "(dt(y) - 1e3*(sin(50*t) - y - z))*v*dx + (z - 1e-2*(exp(2*y) - 1))*q*dx",
   {"0", "0"},
   NULL,
   NULL,
   1,
   1e-4},
  {"copies",
   NULL,
   300,
   PETSC_TRUE,
   {"y"},
   {"P0^2"},
   {{NULL}},
   "inner(dt(y) - vector(1 + y[0]^2*y[1] - 4*y[0], 3*y[0] - y[0]^2*y[1]), v)*dx",
   {"vector(1.5 + 0.001*x[0], 3)"},
   NULL,
   NULL,
   20,
   1e-4},
  {"hires",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^3"},
   {{NULL}},
   "inner(dt(y) - vector(-55*y[0] + 65*y[2] - y[0]*y[1], 0.0785*(y[0] - y[1]), 0.1*y[0]), v)*dx*1",
   {"vector(1, 1, 0)"},
   NULL,
   NULL,
   1,
   1e-4},
  {"pendulum",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0"},
   {{NULL}},
   "(dt(y, 2) + 0.1*dt(y) + sin(y) - cos(2*t))*v*dx",
   {"1"},
   "0",
   NULL,
   20,
   1e-4},
  {"heat",
   "quadrilateral",
   16,
   PETSC_TRUE,
   {"u"},
   {"Q2"},
   {{NULL}},
   "dt(u)*v*dx + 0.1*inner(grad(u), grad(v))*dx - exp(-5*t)*v*dx",
   {"sin(pi*x[0])*x[1]"},
   NULL,
   "sin(3*t)*x[0]*x[1]",
   1,
   1e-4},
  {"brusselator",
   "triangle",
   24,
   PETSC_TRUE,
   {"y"},
   {"P1^2"},
   {{NULL}},
   "inner(dt(y) - vector(1 + y[0]^2*y[1] - 4.4*y[0], 3.4*y[0] - y[0]^2*y[1]), v)*dx + 0.02*inner(grad(y), grad(v))*dx",
   {"vector(0.5 + x[1], 1 + 5*x[0])"},
   NULL,
   NULL,
   3,
   1e-4},
  {"burgers",
   "quadrilateral",
   24,
   PETSC_TRUE,
   {"u"},
   {"Q1^2"},
   {{NULL}},
   "inner(dt(u), v)*dx + 0.02*inner(grad(u), grad(v))*dx + explicit(inner(dot(grad(u), u), v)*dx)",
   {"vector(sin(pi*x[0])*sin(pi*x[1]), sin(2*pi*x[0])*sin(pi*x[1]))"},
   NULL,
   "vector(0, 0)",
   1,
   1e-4},
  {"advection",
   "quadrilateral",
   24,
   PETSC_TRUE,
   {"u"},
   {"Q1"},
   {{NULL}},
   "dt(u)*v*dx + inner(vector(1, 0.5), grad(u))*v*dx",
   {"exp(-50*((x[0] - 0.3)^2 + (x[1] - 0.3)^2))"},
   NULL,
   NULL,
   0.5,
   1e-4},
  {"waves",
   "quadrilateral",
   16,
   PETSC_TRUE,
   {"u"},
   {"Q2"},
   {{NULL}},
   "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx",
   {"sin(pi*x[0])*sin(pi*x[1])"},
   "0",
   "0",
   1,
   1e-3},
  {"filtration",
   "quadrilateral",
   12,
   PETSC_TRUE,
   {"u"},
   {"Q1"},
   {{NULL}},
   "dt(u + u^3)*v*dx + 0.1*(1 + u^2)*inner(grad(u), grad(v))*dx",
   {"1 + sin(pi*x[0])"},
   NULL,
   NULL,
   1,
   1e-4},
  {"scott",
   "quadrilateral",
   24,
   PETSC_TRUE,
   {"u"},
   {"Q1^2"},
   {{NULL}},
   "inner(dt(u), v)*dx + 2e-3*inner(grad(u), grad(v))*dx + explicit(inner(vector(u[0]*u[1]^2 - 0.04*(1 - u[0]), "
   "0.1*u[1] - u[0]*u[1]^2), v)*dx)",
   {"vector(1 - exp(-80*((x[0] - 0.5)^2 + (x[1] - 0.5)^2))/2, exp(-80*((x[0] - 0.5)^2 + (x[1] - 0.5)^2))/4)"},
   NULL,
   NULL,
   20,
   1e-4},
  {"bar",
   "interval",
   40,
   PETSC_TRUE,
   {"u"},
   {"P1"},
   {{NULL}},
   "dt(u, 2)*v*dx + (1 + 0.1*grad(u)[0]^2)*grad(u)[0]*grad(v)[0]*dx",
   {"0"},
   "0",
   "x[0]*sin(3*t)^2/5",
   2,
   1e-3},
  {"oregonator",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0^3"},
   {{NULL}},
   "inner(dt(y) - vector(77.27*(y[1] + y[0]*(1 - 8.375e-6*y[0] - y[1])), (y[2] - (1 + y[0])*y[1])/77.27, "
   "0.161*(y[0] - y[2])), v)*dx",
   {"vector(1, 2, 3)"},
   NULL,
   NULL,
   30,
   1e-4},
  {"relaxation",
   NULL,
   1,
   PETSC_TRUE,
   {"y"},
   {"P0"},
   {{NULL}},
   "(dt(y) + 50*(y - cos(t)))*v*dx",
   {"0"},
   NULL,
   NULL,
   20,
   1e-4},
  {"network",
   NULL,
   1,
   PETSC_TRUE,
   {"y", "z"},
   {"P0^2", "P0"},
   {{NULL}},
   "inner(dt(y) - vector(z - y[0], 10*(y[0] - y[1])), v)*dx + (z + y[0] - sin(10*t))*q*dx",
   {"vector(0, 0)", "0"},
   NULL,
   NULL,
   5,
   1e-4},
  {"front",
   "interval",
   100,
   PETSC_TRUE,
   {"u"},
   {"P1"},
   {{NULL}},
   "dt(u)*v*dx + 1e-3*inner(grad(u), grad(v))*dx - 10*u*(1 - u)*v*dx",
   {"exp(-100*x[0])"},
   NULL,
   NULL,
   3,
   1e-4},
  {"allen_cahn",
   "quadrilateral",
   24,
   PETSC_TRUE,
   {"u"},
   {"Q1"},
   {{NULL}},
   "dt(u)*v*dx + 0.01*inner(grad(u), grad(v))*dx + 10*(u^3 - u)*v*dx",
   {"0.5*cos(2*pi*x[0])*cos(pi*x[1]) + 0.1"},
   NULL,
   NULL,
   1,
   1e-4},
  {"porous",
   "interval",
   60,
   PETSC_TRUE,
   {"u"},
   {"P1"},
   {{NULL}},
   "dt(u)*v*dx + (0.01 + u^2)*inner(grad(u), grad(v))*dx",
   {"exp(-30*(x[0] - 0.5)^2)"},
   NULL,
   NULL,
   1,
   1e-4},
  {"plate",
   "quadrilateral",
   12,
   PETSC_TRUE,
   {"u"},
   {"Q1^2"},
   {{NULL}},
   "inner(dt(u, 2) + 0.2*dt(u), v)*dx + inner(grad(u), grad(v))*dx + div(u)*div(v)*dx",
   {"vector(sin(pi*x[0])*sin(pi*x[1]), 0)"},
   "vector(0, 0)",
   "vector(0, 0)",
   2,
   1e-3},
  {"predators",
   NULL,
   1,
   PETSC_FALSE,
   {"y"},
   {"P0^3"},
   {{NULL}},
   "inner(dt(y) - vector(y[0]*(1 - y[1]), y[1]*(y[0] - 1), 1000*(y[0]*y[1] - y[2])), v)*dx",
   {"vector(2, 1, 2)"},
   NULL,
   NULL,
   15,
   1e-4},
  {"rod",
   NULL,
   1,
   PETSC_FALSE,
   {"y", "z"},
   {"P0^4", "P0"},
   {{NULL}},
   "inner(dt(y) - vector(y[2], y[3], -z*y[0], -z*y[1] - 9.81), v)*dx + "
   "(y[2]^2 + y[3]^2 - z*(y[0]^2 + y[1]^2) - 9.81*y[1])*q*dx",
   {"vector(1, 0, 0, 0)", "0"},
   NULL,
   NULL,
   3,
   1e-4},
  {"flame",
   NULL,
   1,
   PETSC_FALSE,
   {"y"},
   {"P0"},
   {{NULL}},
   "(dt(y) - y^2 + y^3)*v*dx",
   {"0.001"},
   NULL,
   NULL,
   2000,
   1e-4},
  {"satellite",
   NULL,
   1,
   PETSC_FALSE,
   {"y"},
   {"P0^2"},
   {{NULL}},
   "inner(dt(y, 2) - vector(2*dt(y)[1] + y[0], -2*dt(y)[0] + y[1]) + 0.9*(y + vector(0.1, 0))/((y[0] + 0.1)^2 + "
   "y[1]^2)^1.5 + 0.1*(y - vector(0.9, 0))/((y[0] - 0.9)^2 + y[1]^2)^1.5, v)*dx",
   {"vector(0.4, 0)"},
   "vector(0, 1.4)",
   NULL,
   5,
   1e-4},
  {"layers",
   "interval",
   80,
   PETSC_FALSE,
   {"u"},
   {"P2"},
   {{NULL}},
   "dt(u)*v*dx + 1e-4*inner(grad(u), grad(v))*dx + 5*(u^3 - u)*v*dx",
   {"cos(6*pi*x[0]^2)/2"},
   NULL,
   NULL,
   2,
   1e-4},
  {"reactor",
   "quadrilateral",
   24,
   PETSC_FALSE,
   {"u"},
   {"Q1"},
   {{NULL}},
   "dt(u)*v*dx + 0.01*inner(grad(u), grad(v))*dx + inner(vector(1, 0.5), grad(u))*v*dx - 5*u*(1 - u)*v*dx",
   {"0"},
   NULL,
   "(1 - exp(-10*t))*(1 - x[0])*x[1]",
   1,
   1e-4},
  {"damped_bar",
   "interval",
   30,
   PETSC_FALSE,
   {"u"},
   {"P2"},
   {{NULL}},
   "dt(u, 2)*v*dx + inner(grad(u) + 0.01*grad(dt(u)), grad(v))*dx",
   {"0"},
   "0",
   "x[0]*sin(2*t)^2",
   4,
   1e-3},
  {"membrane",
   "triangle",
   16,
   PETSC_FALSE,
   {"u"},
   {"P2"},
   {{NULL}},
   "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx",
   {"exp(-40*((x[0] - 0.4)^2 + (x[1] - 0.5)^2))*x[0]*(1 - x[0])*x[1]*(1 - x[1])"},
   "0",
   "0",
   1,
   1e-3},
  {"oven",
   "triangle",
   16,
   PETSC_FALSE,
   {"u"},
   {"P2"},
   {{NULL}},
   "dt(u)*v*dx + 0.05*(1 + u^2)*inner(grad(u), grad(v))*dx",
   {"0"},
   NULL,
   "sin(4*t)*x[0]",
   2,
   1e-4},
};

#define METHODS 32 /* at most, of an option */

static const char *const methods[] = {NULL,      "esdirk43", "trbdf2",     "esdirk54", "bdf2",     "chung_hulbert",
                                      "dopri54", "dop853",   "rodas4p",    "rodas5p",  "ros34pw2", "rodas3",
                                      "ark548b", "ark436",   "ros34pw2/10"};

/* ---- one run -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_system(const Problem *problem, RungSystem *sys)
{
  static const char *const test[] = {"v", "q"};
  PetscInt                 count  = problem->count;
  const PetscInt           dim    = problem->cell && problem->cell[0] != 'i' ? 2 : 1;
  RungMesh                 mesh;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_count", &count, NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (problem->cell)
    PetscCall(RungMeshSetBox(mesh, problem->cell, dim, (PetscInt[]){count, count}, NULL));
  else
    PetscCall(RungMeshSetPoints(mesh, count));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 2 && problem->unknown[f]; ++f) {
    RungSpace space;

    PetscCall(RungSpaceCreate(mesh, problem->spec[f], &space));
    PetscCall(RungSystemAddUnknown(*sys, problem->unknown[f], test[f], space));
    PetscCall(RungSystemSetInitial(*sys, problem->unknown[f], problem->initial[f]));
    PetscCall(RungSpaceDestroy(&space));
  }
  if (problem->rate) {
    char text[32];

    PetscCall(PetscSNPrintf(text, sizeof text, "dt(%s)", problem->unknown[0]));
    PetscCall(RungSystemSetInitial(*sys, text, problem->rate));
  }
  for (int i = 0; i < 2 && problem->define[i][0]; ++i)
    PetscCall(RungSystemDefine(*sys, problem->define[i][0], problem->define[i][1]));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  if (problem->edge) PetscCall(RungSystemSetDirichlet(*sys, problem->unknown[0], "boundary", problem->edge));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double                seconds, error;
  PetscReal             rtol;
  RungStepperStatistics statistics;
  char                  method[64];
} Run;

/* Values of the end in end, which is made where it is NULL; else their distance from it. */
static PetscErrorCode take_end(RungStepper stepper, Vec *end, Run *run)
{
  const RungState *state;
  PetscReal        size, off;
  Vec              d;

  PetscFunctionBegin;
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], &d));
  PetscCall(VecCopy(state->u[0], d));
  if (!*end) {
    *end = d;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecNorm(*end, NORM_INFINITY, &size));
  PetscCall(VecAXPY(d, -1, *end));
  PetscCall(VecNorm(d, NORM_INFINITY, &off));
  PetscCall(VecDestroy(&d));
  run->error = off / size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "ros34pw2/10": the method with a matrix for ten steps, "dopri54/leave": what it does about stiffness */
static PetscErrorCode set_method(RungStepper stepper, const char method[])
{
  const char *lag = strchr(method, '/'), *option;
  char        name[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "%.*s", (int)(lag ? lag - method : 60), method));
  PetscCall(RungStepperSetMethod(stepper, name));
  if (!lag) PetscFunctionReturn(PETSC_SUCCESS);
  option = lag[1] >= '0' && lag[1] <= '9' ? "-stepper_lag" : "-stepper_stiffness";
  PetscCall(PetscOptionsSetValue(NULL, option, lag + 1));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(const Problem *problem, const char method[], RungStepper stepper, Vec *end, Run *run)
{
  const char *type, *name;
  double      begin;

  PetscFunctionBegin;
  if (method) PetscCall(set_method(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, problem->end, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, run->rtol, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMaxSteps(stepper, MOST));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungStepperGetType(stepper, &type));
  PetscCall(RungStepperGetMethod(stepper, &name, NULL));
  PetscCall(PetscSNPrintf(run->method, sizeof run->method, "%s %s", type, name));
  begin = bench_clock();
  PetscCall(RungStepperSolve(stepper));
  run->seconds = bench_clock() - begin;
  PetscCall(RungStepperGetStatistics(stepper, &run->statistics));
  PetscCall(take_end(stepper, end, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_run(const Problem *problem, const char method[], Vec *end, Run *run)
{
  RungStepper    stepper;
  RungSystem     sys;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(create_system(problem, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  code = solve(problem, method, stepper, end, run);
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(code);
}

/* ---- the ladder ----------------------------------------------------------------------------------------------------- */

/* The loosest rung that serves, and the least seconds there; infinite: none does, in time. */
static PetscErrorCode climb(const Problem *problem, const char method[], Vec *end, double limit, Run *best)
{
  PetscReal target = problem->target;
  PetscBool found  = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_target", &target, NULL));
  for (int k = 0; k < LADDER && !found; ++k) {
    *best = (Run){.rtol = PetscPowReal(10, -2 - 0.25 * k)};
    if (try_run(problem, method, end, best)) continue;
    if (best->seconds > limit) break;
    found = best->error <= target ? PETSC_TRUE : PETSC_FALSE;
  }
  for (int i = 1; i < REPEATS && found; ++i) {
    Run again = {.rtol = best->rtol};

    PetscCall(try_run(problem, method, end, &again));
    best->seconds = PetscMin(best->seconds, again.seconds);
  }
  if (!found) best->seconds = INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default, and the methods of the table or those of -bench_method A,B/10,..; the texts of the latter are the caller's (PetscFree). */
static PetscErrorCode choose_methods(PetscInt *n, const char *chosen[METHODS], char *owned[METHODS])
{
  PetscInt  count = METHODS - 1;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(owned, METHODS));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-bench_method", owned + 1, &count, &set));
  *n = set ? count + 1 : (PetscInt)PETSC_STATIC_ARRAY_LENGTH(methods);
  for (PetscInt m = 0; m < *n; ++m) chosen[m] = set ? owned[m] : methods[m];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const Problem *problem)
{
  Vec         end   = NULL;
  Run         exact = {.rtol = 1e-9}, own = {.seconds = INFINITY}, run;
  double      best     = INFINITY;
  char        name[64] = "", *owned[METHODS];
  const char *chosen[METHODS];
  PetscInt    n;

  PetscFunctionBegin;
  PetscCall(choose_methods(&n, chosen, owned));
  PetscCall(try_run(problem, "esdirk54", &end, &exact));
  for (PetscInt m = 0; m < n; ++m) {
    PetscCall(climb(problem, chosen[m], &end, m ? PATIENCE * best : INFINITY, &run));
    if (!m) own = run;
    if (PetscIsInfReal(run.seconds)) continue;
    if (m && strchr(chosen[m], '/')) PetscCall(PetscStrncpy(run.method, chosen[m], sizeof run.method));
    if (run.seconds < best) PetscCall(PetscStrncpy(name, run.method, sizeof name));
    best = PetscMin(best, run.seconds);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "# %s%s %s: %.4f s, rtol %.1e, error %.1e, %d steps, %d refused, %d residuals, %d matrices, "
                          "%d factors; %.4f, %.4f, %.4f s of matrices, factors, linear solves\n",
                          problem->name, problem->tuned ? "" : "*", m ? run.method : "default", run.seconds, run.rtol,
                          run.error, (int)run.statistics.steps, (int)(run.statistics.rejected + run.statistics.failed),
                          (int)run.statistics.residuals, (int)run.statistics.jacobians,
                          (int)run.statistics.factorisations, run.statistics.jacobian_seconds,
                          run.statistics.factorisation_seconds, run.statistics.solution_seconds));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: default %s, best %s\n", problem->name, own.method, name));
  PetscCall(bench_line(problem->name, best, own.seconds));
  PetscCall(VecDestroy(&end));
  for (PetscInt m = 0; m < METHODS; ++m) PetscCall(PetscFree(owned[m]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(RungInitialize(&argc, &argv, "The default method of each class of problems against others.\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# CPU seconds at equal error; problem best default ratio\n"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(problems); ++i) {
    PetscBool wanted;

    PetscCall(bench_wanted(problems[i].name, &wanted));
    if (wanted) PetscCall(compare(&problems[i]));
  }
  PetscCall(RungFinalize());
  return 0;
}
