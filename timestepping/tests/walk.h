/* walk.h - methods of the registry on problems that ask for one ability each, on any ranks: a method runs at its order or is refused by
   name. */
#pragma once

#include "../step_impl.h"
#include <check.h>
#include <rungmethod.h>
#include <stdlib.h>

/* Three points, each with the same equations, or three cells; unknowns y, z, w with test functions v, q, r.  error: 0 where all is
   exact, at t.  order: of y in time. */
typedef struct {
  const char *name;
  PetscInt    unknowns, order;
  unsigned    need; /* besides the order */
  const char *residual, *initial[3], *rate, *error;
  enum { PLAIN, CELLS, GLOBAL, AT_POINTS, TIED, ABOVE, BELOW } kind; /* of the last unknown, or what stands beside */
} Problem;

#define DECAY   "abs(y - 1/(1 + t))"
#define BOTH    "abs(y - 1/(1 + t)) + abs(z - 1/(1 + t))"
#define COSINE  "abs(y - cos(t))"
#define SHAPE   "(1 + x[0] + 2*x[0]^2)"
#define EDGE    "sin(3*t + 0.4)*" SHAPE
#define EDGE_1  "3*cos(3*t + 0.4)*" SHAPE
#define THIRD   "(2/(1 + t) + sin(t))" /* the value at the point that follows 2 y + sin(t) of the first one */
#define THIRD_2 "(2*cos(t) + sin(t))"

static const Problem walk_problem[] = {
  {"order 1", 1, 1, 0, "(dt(y) + y^2)*v*dx", {"1"}, NULL, DECAY, PLAIN},
  {"order 2", 1, 2, 0, "(dt(y, 2) + y)*v*dx", {"1"}, "0", COSINE, PLAIN},
  {"mixed order",
   2,
   2,
   0,
   "(dt(y, 2) + y)*v*dx + (dt(z) + z)*q*dx",
   {"1", "1"},
   "0",
   COSINE " + abs(z - exp(-t))",
   PLAIN},
  {"index 1",
   2,
   1,
   RUNG_CAN_ALGEBRAIC,
   "(dt(y) + z - sin(3*t))*v*dx + (z - sin(3*t) - y^2)*q*dx",
   {"1", "1"},
   NULL,
   DECAY " + abs(z - sin(3*t) - 1/(1 + t)^2)",
   PLAIN},
  {"index 1 of order 2",
   2,
   2,
   RUNG_CAN_ALGEBRAIC,
   "(dt(y, 2) + z)*v*dx + (z + z^3 - y - y^3)*q*dx",
   {"1", "1"},
   "0",
   COSINE " + abs(z - cos(t))",
   PLAIN},
  /* y z = 1 holds w = 1 + sin(t) */
  {"index 2",
   3,
   1,
   RUNG_CAN_ALGEBRAIC | RUNG_CAN_INDEX2,
   "(dt(y) + y - (w - 1 - sin(t))*z)*v*dx + (dt(z) - z - (w - 1 - sin(t))*y)*q*dx + (y*z - 1)*r*dx",
   {"1", "1", "1"},
   NULL,
   "abs(y - exp(-t)) + abs(z - exp(t))",
   PLAIN},
  /* y + y^3 = 2 exp(-t) where log y + 3/2 y^2 = 3/2 - t */
  {"conserved",
   1,
   1,
   RUNG_CAN_CONSERVE,
   "(dt(y + y^3) + y)*v*dx",
   {"1"},
   NULL,
   "abs(log(y) + 1.5*y^2 - 1.5 + t)/(1/y + 3*y)",
   PLAIN},
  {"mass", 1, 1, RUNG_CAN_VARY_MASS, "((1 + t)*dt(y) + (1 + t)*y^2)*v*dx", {"1"}, NULL, DECAY, PLAIN},
  {"mass of u", 1, 1, RUNG_CAN_VARY_MASS, "((1 + y)*dt(y) + (1 + y)*y^2)*v*dx", {"1"}, NULL, DECAY, PLAIN},
  {"bounds", 1, 1, RUNG_CAN_BOUND, "(dt(y) + y^2)*v*dx", {"1"}, NULL, DECAY, ABOVE},
  {"at a bound", 1, 1, RUNG_CAN_BOUND, "(dt(y) - 1)*v*dx", {"0"}, NULL, "abs(y - min(t, 0.613))", BELOW},
  {"moving edge",
   1,
   1,
   0,
   "dt(y)*v*dx + 0.01*inner(grad(y), grad(v))*dx - (" EDGE_1 " - 0.04*sin(3*t + 0.4))*v*dx",
   {EDGE},
   NULL,
   "abs(y - " EDGE ")",
   CELLS},
  {"moving support",
   1,
   2,
   0,
   "dt(y, 2)*v*dx + 0.01*inner(grad(y), grad(v))*dx + (9*" EDGE " + 0.04*sin(3*t + 0.4))*v*dx",
   {EDGE},
   EDGE_1,
   "abs(y - " EDGE ")",
   CELLS},
  {"R", 2, 1, 0, "(dt(y) + y*z)*v*dx + (dt(z) + y*z)*q*dx", {"1", "1"}, NULL, BOTH, GLOBAL},
  {"R of order 2",
   2,
   2,
   0,
   "(dt(y, 2) + z)*v*dx + (dt(z, 2) + y)*q*dx",
   {"1", "1"},
   "0",
   COSINE " + abs(z - cos(t))",
   GLOBAL},
  {"Quad", 2, 1, 0, "(dt(y) + y*z)*v*dx + (dt(z) + y*z)*q*dx", {"1", "1"}, NULL, BOTH, AT_POINTS},
  {"constraint",
   1,
   1,
   0,
   "(dt(y) + y^2 - if(x[0] > 1.5, -2/(1 + t)^2 + cos(t) + " THIRD "^2, 0))*v*dx",
   {"if(x[0] > 1.5, 2, 1)"},
   NULL,
   "abs(y - if(x[0] > 1.5, " THIRD ", 1/(1 + t)))",
   TIED},
  {"constraint of order 2",
   1,
   2,
   0,
   "(dt(y, 2) + y)*v*dx",
   {"if(x[0] > 1.5, 2, 1)"},
   "if(x[0] > 1.5, 1, 0)",
   "abs(y - if(x[0] > 1.5, " THIRD_2 ", cos(t)))",
   TIED},
  {"split", 1, 1, 0, "(dt(y) + y^2/2)*v*dx + explicit(y^2/2*v*dx)", {"1"}, NULL, DECAY, PLAIN},
  {"split of order 2", 1, 2, 0, "(dt(y, 2) + y/2)*v*dx + explicit(y/2*v*dx)", {"1"}, "0", COSINE, PLAIN}};
#define WALK_PROBLEMS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(walk_problem))

static inline PetscErrorCode walk_add_unknowns(const Problem *problem, RungMesh mesh, RungSystem sys)
{
  static const char *const name[] = {"y", "z", "w"}, *const test[] = {"v", "q", "r"};

  PetscFunctionBegin;
  for (PetscInt f = 0; f < problem->unknowns; ++f) {
    const char *spec = problem->kind == CELLS ? "P2" : problem->kind == AT_POINTS ? "P1" : "P0";
    RungSpace   space;

    if (f && problem->kind == GLOBAL) spec = "R";
    if (f && problem->kind == AT_POINTS) spec = "Quad(2)";
    PetscCall(RungSpaceCreate(mesh, spec, &space));
    PetscCall(RungSystemAddUnknown(sys, name[f], test[f], space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungSystemSetInitial(sys, name[f], problem->initial[f]));
  }
  if (problem->rate) PetscCall(RungSystemSetInitial(sys, "dt(y)", problem->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode walk_create(MPI_Comm comm, const Problem *problem, RungSystem *sys)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  if (problem->kind == CELLS || problem->kind == AT_POINTS)
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){3}, NULL));
  else
    PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(walk_add_unknowns(problem, mesh, *sys));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  if (problem->kind == CELLS) PetscCall(RungSystemSetDirichlet(*sys, "y", "boundary", problem->initial[0]));
  if (problem->kind == ABOVE) PetscCall(RungSystemSetBounds(*sys, "y", "0", NULL));
  if (problem->kind == BELOW) PetscCall(RungSystemSetBounds(*sys, "y", NULL, "0.613"));
  if (problem->kind == TIED)
    PetscCall(RungSystemAddConstraint(*sys, 2, (const char *[]){"y", "y"}, (PetscReal[]){2, 0, 0, 0, 0, 0},
                                      (PetscReal[]){1, -2}, "sin(t)"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A silent stepper on the problem from 0 to 1, not set up; the caller destroys both, after an error too. */
static inline PetscErrorCode walk_stepper(MPI_Comm comm, const Problem *problem, const char type[], const char method[],
                                          PetscReal h, RungSystem *sys, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(walk_create(comm, problem, sys));
  PetscCall(RungStepperCreate(comm, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetType(*stepper, type));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run with fixed steps; nothing is left behind, whatever becomes of it. */
static inline PetscErrorCode walk_run_on(MPI_Comm comm, const Problem *problem, const char type[], const char method[],
                                         PetscReal h, PetscReal *error)
{
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  PetscErrorCode   code;

  PetscFunctionBegin;
  PetscCall(walk_stepper(comm, problem, type, method, h, &sys, &stepper));
  code = RungStepperSolve(stepper);
  if (!code) {
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(RungSystemNorm(sys, problem->error, NULL, RUNG_NORM_MAX, 1, state->u, error));
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(code);
}

static inline PetscErrorCode walk_run(const Problem *problem, const char type[], const char method[], PetscReal h,
                                      PetscReal *error)
{
  return walk_run_on(PETSC_COMM_WORLD, problem, type, method, h, error);
}

static inline PetscBool walk_takes(const Problem *problem, unsigned can)
{
  const unsigned need = problem->need | (problem->order == 2 ? RUNG_CAN_ORDER2 : RUNG_CAN_ORDER1);

  return (can & need) == need ? PETSC_TRUE : PETSC_FALSE;
}

/* Steps of the ladder; sizes of errors at the second one are stored (walk.def), since orders alone would let a constant grow. */
static inline PetscReal walk_step(const RungMethodPlan *plan, PetscInt level)
{
  const PetscInt coarsest = plan->order <= 2 ? 20 : plan->order <= 4 ? 10 : plan->order <= 6 ? 5 : 3;

  return 1 / (PetscReal)(coarsest << level);
}

/* The order that is to be seen: on what has index 2 that of stages, plus 1, where a method does not say that it has its own. */
static inline PetscInt walk_order(const Problem *problem, const RungMethodPlan *plan)
{
  if ((problem->need & RUNG_CAN_INDEX2) && !(plan->can & RUNG_CAN_INDEX2))
    return PetscMin(plan->order, plan->stage_order + 1);
  return plan->order;
}

/* Rounding and Newton's stop hide the order below this error. */
#define WALK_SMALL 5e-11
/* Errors of runs that are refused. */
#define WALK_REFUSED -1

/* Runs that are refused begin with the name: before they begin, or at the first step, explicit methods where rates and multipliers are not
   determined together. */
static inline PetscErrorCode walk_refused(const Problem *problem, const char type[], const char method[])
{
  PetscReal error;
  char      name[128];

  PetscFunctionBegin;
  (void)snprintf(name, sizeof name, "%s method \"%s\" ", type, method);
  CHECK_RAISES(walk_run(problem, type, method, 0.1, &error), name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the method, without INDEX2, take the problem? */
static inline PetscBool walk_runs(const Problem *problem, const char type[], unsigned can)
{
  if (problem->need & RUNG_CAN_INDEX2) {
    if (!strcmp(type, RUNGEXPLICIT)) return PETSC_FALSE;
    can |= RUNG_CAN_INDEX2;
  }
  return walk_takes(problem, can);
}

/* One ladder: the order is there from some step on. */
static inline PetscErrorCode walk_ladder(const Problem *problem, const char type[], const char method[],
                                         const RungMethodPlan *plan, PetscReal *size)
{
  const PetscReal wanted   = (PetscReal)walk_order(problem, plan);
  PetscReal       error[2] = {0, 0}, order = 0;
  PetscBool       fine = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < 4 && !fine; ++l) { /* steps that are too large to tell, and errors that change their sign */
    error[0] = error[1];
    PetscCall(walk_run(problem, type, method, walk_step(plan, l), &error[1]));
    if (l == 1) *size = error[1];
    if (l) order = log(error[0] / error[1]) / log(2.0);
    if (problem->kind == BELOW) /* what a step that meets the bound can be off by */
      fine = l && error[1] <= walk_step(plan, l) ? PETSC_TRUE : PETSC_FALSE;
    else
      fine = l && (error[1] < WALK_SMALL || order > wanted - 0.4) ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!fine)
    fprintf(stderr, "%s %s on %s: errors %.2e %.2e, order %.2f, wanted %g\n", type, method, problem->name, error[0],
            error[1], order, wanted);
  CHECK(fine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do ranks have to do with each other there?  Of two orders in time the lower one. */
static inline PetscBool walk_depends_on_ranks(const Problem *problem, unsigned can)
{
  if (problem->order == 2 && (can & RUNG_CAN_ORDER1)) return PETSC_FALSE;
  return problem->kind == PLAIN || problem->kind == ABOVE ? PETSC_FALSE : PETSC_TRUE;
}

/* Three long steps of all ranks together have the error of the same steps of a rank alone, but for rounding and what the solver's
   tolerance leaves of it. */
static inline PetscErrorCode walk_alone(const Problem *problem, const char type[], const char method[])
{
  const PetscReal h = 1.0 / 3;
  PetscReal       together, alone;

  PetscFunctionBegin;
  PetscCall(walk_run(problem, type, method, h, &together));
  PetscCall(walk_run_on(PETSC_COMM_SELF, problem, type, method, h, &alone));
  if (!(PetscAbsReal(together - alone) <= 1e-9 * (1 + alone)))
    fprintf(stderr, "%s %s on %s: error %.12e of all ranks, %.12e of one\n", type, method, problem->name, together,
            alone);
  CHECK(PetscAbsReal(together - alone) <= 1e-9 * (1 + alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size: the error at the second step, WALK_REFUSED, or 0 where it is small, and on several ranks, where orders need no other proof, and
   points with equations of their own none at all. */
static inline PetscErrorCode walk_problem_of(const Problem *problem, const char type[], const char method[],
                                             PetscReal *size)
{
  RungMethodPlan plan;
  PetscMPIInt    ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(RungStepperGetPlan(type, method, &plan));
  if (!walk_runs(problem, type, plan.can)) {
    *size = WALK_REFUSED;
    PetscCall(walk_refused(problem, type, method));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *size = 0;
  if (ranks > 1 && walk_depends_on_ranks(problem, plan.can))
    PetscCall(walk_alone(problem, type, method));
  else if (ranks == 1)
    PetscCall(walk_ladder(problem, type, method, &plan, size));
  if (*size < WALK_SMALL) *size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
