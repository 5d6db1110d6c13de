/* adaptive.h - problems for adaptive runs, most with a solution in closed form, in units that may be chosen: for test_units.c and
   for bench/steps.c.

   Unknown f is a number times A (f = 0) or B (f = 1), its equation is multiplied with P or Q: constants of the system. */
#pragma once

#include <rungstep.h>
#include <rungsystem.h>

typedef struct {
  const char *name, *test, *spec, *exact,
    *rate; /* exact: without its unit; rate: initial dt(u) of unknowns of order 2 */
} AdaptiveUnknown;

typedef struct {
  const char     *name, *cell; /* cell: of an interval, a square, or points */
  PetscInt        count, unknowns;
  AdaptiveUnknown unknown[2];
  const char     *define[6]; /* name, text, .. */
  const char     *residual;
  RungStepperType type;          /* NULL: the default */
  PetscReal       end, dt, mean; /* mean: that of the first unknown at the end; 0: there are exact solutions */
} AdaptiveProblem;

typedef struct {
  PetscReal unknown[2], row[2];
} AdaptiveUnits;

#define ADAPTIVE_EDGE "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)/4"

static const AdaptiveProblem adaptive_problems[] = {
  {"ode",
   "points",
   1,
   1,
   {{"y", "v", "P0^3", "vector(exp(-2*t), exp(-t), 1/(2 - sin(t)))", NULL}},
   {NULL},
   "P*inner(dt(y)/A - vector((y[1]/A)^2 - 3*y[0]/A, (y[0] - y[1])/A - (y[1]/A)^2, cos(t)*(y[2]/A)^2), v)*dx",
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
   "P*(dt(y)/A - z/B)*v*dx + Q*((z/B)^3 + z/B - cos(t)^3 - cos(t) + y/A - sin(t))*q*dx",
   NULL,
   10,
   0.01,
   0},
  {"heat_edge",
   "interval",
   8,
   1,
   {{"u", "v", "P2", ADAPTIVE_EDGE, NULL}},
   {NULL},
   "P/A*dt(u)*v*dx + P/A*inner(grad(u), grad(v))*dx"
   " - P/4*(3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4))*v*dx",
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
   "P/A*dt(u, 2)*v*dx + P/A*inner(grad(u), grad(v))*dx + P*sin(3*t + 0.4)*(9*x[0]*(1 - x[0]) - 2)*v*dx",
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
   "P/A*dt(u)*v*dx + P/A*(1 + (u/A)^2)*inner(grad(u), grad(v))*dx"
   " - P*(3*cos(3*t)*p + (1 + a^2*p^2)*2*a - 2*a^3*p*(1 - 2*x[0])^2)*v*dx",
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
   "P/A*(dt(u, 2) + u)*v*dx + Q*(dt(T)/B + 1000*(T/B - cos(t)))*q*dx",
   RUNGDIRK,
   10,
   0.01,
   0},
  {"conserved",
   "interval",
   8,
   1,
   {{"u", "v", "P2", ADAPTIVE_EDGE, NULL}},
   {"e", ADAPTIVE_EDGE, NULL},
   "P*dt(u/A + (u/A)^3)*v*dx + P/A*inner(grad(u), grad(v))*dx"
   " - P*((1 + 3*e^2)*3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)/4 - sin(3*t + 0.4))*v*dx",
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
   "P/A*inner(dt(y) - w*vector(y[1], -y[0]), v)*dx",
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
   "P/A*inner(dt(y) - 10*vector(y[1], -y[0]), q)*dR + Q/B*(dt(u) + u)*v*dx + Q/B*inner(grad(u), grad(v))*dx",
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
   "P/A*dt(u)*v*dx + P/A*0.001*inner(grad(u), grad(v))*dx",
   NULL,
   200,
   0.1,
   0.698846666},
};

#define ADAPTIVE_PROBLEMS ((PetscInt)(sizeof adaptive_problems / sizeof *adaptive_problems))

/* ---- the system ------------------------------------------------------------------------------------------------- */

static const char *const adaptive_units[] = {"A", "B"}, *const adaptive_rows[] = {"P", "Q"};

static inline PetscErrorCode adaptive_mesh(const AdaptiveProblem *problem, PetscInt n, RungMesh *mesh)
{
  PetscBool points, square;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->cell, "points", &points));
  PetscCall(PetscStrcmp(problem->cell, "quadrilateral", &square));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  if (points)
    PetscCall(RungMeshSetPoints(*mesh, n));
  else
    PetscCall(RungMeshSetBox(*mesh, problem->cell, square ? 2 : 1, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode adaptive_unknown(const AdaptiveProblem *problem, PetscInt f, RungMesh mesh, RungSystem sys)
{
  const AdaptiveUnknown *unknown = &problem->unknown[f];
  RungSpace              space;
  char                   text[512], rate[64];

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, unknown->spec, &space));
  PetscCall(RungSystemAddUnknown(sys, unknown->name, unknown->test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(PetscSNPrintf(text, sizeof text, "%s*(%s)", adaptive_units[f], unknown->exact));
  PetscCall(RungSystemSetInitial(sys, unknown->name, text));
  if (!unknown->rate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(rate, sizeof rate, "dt(%s)", unknown->name));
  PetscCall(PetscSNPrintf(text, sizeof text, "%s*(%s)", adaptive_units[f], unknown->rate));
  PetscCall(RungSystemSetInitial(sys, rate, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edges of an interval follow the solution, or `ends`. */
static inline PetscErrorCode adaptive_data(const AdaptiveProblem *problem, const char ends[], RungSystem sys)
{
  char      text[1100];
  PetscBool interval;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->cell, "interval", &interval));
  if (!interval) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, sizeof text, "A*(%s)", problem->mean ? ends : problem->unknown[0].exact));
  PetscCall(RungSystemSetDirichlet(sys, problem->unknown[0].name, "boundary", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n: points, or cells along each axis; ends: boundary data of the problem without a closed form, NULL: a fast rise at t = 100. */
static inline PetscErrorCode adaptive_create(const AdaptiveProblem *problem, PetscInt n, const char ends[],
                                             const AdaptiveUnits *units, RungSystem *sys)
{
  RungMesh mesh;
  char     mean[64];

  PetscFunctionBegin;
  PetscCall(adaptive_mesh(problem, n, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (PetscInt f = 0; f < problem->unknowns; ++f) {
    PetscCall(RungSystemSetConstant(*sys, adaptive_units[f], units->unknown[f]));
    PetscCall(RungSystemSetConstant(*sys, adaptive_rows[f], units->row[f]));
  }
  for (int i = 0; problem->define[i]; i += 2)
    PetscCall(RungSystemDefine(*sys, problem->define[i], problem->define[i + 1]));
  for (PetscInt f = 0; f < problem->unknowns; ++f) PetscCall(adaptive_unknown(problem, f, mesh, *sys));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  PetscCall(adaptive_data(problem, ends ? ends : "0.5*(1 + tanh((t - 100)/0.1))", *sys));
  PetscCall(PetscSNPrintf(mean, sizeof mean, "%s*dx", problem->unknown[0].name));
  if (problem->mean) PetscCall(RungSystemAddQuantity(*sys, "mean", mean));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- its errors ------------------------------------------------------------------------------------------------- */

typedef struct {
  RungSystem             sys;
  const AdaptiveProblem *problem;
  PetscReal error[2], size[2]; /* [unknown] largest |u - exact| and |exact| of all steps, in units of the unknown */
} AdaptiveWatch;

static inline PetscErrorCode adaptive_largest(AdaptiveWatch *watch, const char text[], PetscReal t, const Vec u[],
                                              PetscReal *largest)
{
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(RungSystemNorm(watch->sys, text, NULL, RUNG_NORM_MAX, t, u, &value));
  *largest = PetscMax(*largest, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor, ctx: an AdaptiveWatch. */
static inline PetscErrorCode adaptive_watch(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  AdaptiveWatch *watch = (AdaptiveWatch *)ctx;
  char           text[512];

  PetscFunctionBegin;
  (void)stepper, (void)step;
  for (PetscInt f = 0; f < watch->problem->unknowns && !watch->problem->mean; ++f) {
    const AdaptiveUnknown *unknown = &watch->problem->unknown[f];

    PetscCall(PetscSNPrintf(text, sizeof text, "%s/%s - (%s)", unknown->name, adaptive_units[f], unknown->exact));
    PetscCall(adaptive_largest(watch, text, t, u, &watch->error[f]));
    PetscCall(adaptive_largest(watch, unknown->exact, t, u, &watch->size[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
