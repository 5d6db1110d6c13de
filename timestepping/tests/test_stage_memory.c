/* test_stage_memory.c - a step that has been taken before takes no memory: PETSc's allocations are counted from step to step.

   PETSc's own factors take a row to work in at each numeric factorisation, and give it back: those are not counted.  Its interface to
   MUMPS makes a scatter behind each one, so that nonlinear fields on several ranks are solved by iteration here. */
#include <check.h>
#include <rungstep.h>

#define WARM 40 /* steps in which everything is made that will be wanted */
#define SOON 8  /* the same of equal steps                                */

static PetscInt allocations, warm;
static PetscErrorCode (*take)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscErrorCode (*retake)(size_t, int, const char[], const char[], void **);

static PetscErrorCode count_malloc(size_t size, PetscBool clear, int line, const char function[], const char file[],
                                   void **memory)
{
  if (!strstr(function, "FactorNumeric")) ++allocations;
  return take(size, clear, line, function, file, memory);
}

static PetscErrorCode count_realloc(size_t size, int line, const char function[], const char file[], void **memory)
{
  ++allocations;
  return retake(size, line, function, file, memory);
}

typedef struct {
  PetscInt before, most, steps;
} Count;

static PetscErrorCode watch(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Count *count = (Count *)ctx;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  if (step > warm) count->most = PetscMax(count->most, allocations - count->before);
  count->before = allocations;
  count->steps  = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RungMesh mesh, const char spec[], const char initial[], const char residual[],
                             RungStepper *stepper)
{
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "v", space));
  PetscCall(RungSystemSetInitial(sys, "y", initial));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stepper is destroyed. */
static PetscErrorCode run(RungStepper *stepper, Count *count)
{
  PetscFunctionBegin;
  *count = (Count){0};
  PetscCall(RungStepperAddMonitor(*stepper, watch, count));
  take           = PetscTrMalloc;
  retake         = PetscTrRealloc;
  PetscTrMalloc  = count_malloc;
  PetscTrRealloc = count_realloc;
  PetscCall(RungStepperSolve(*stepper));
  PetscTrMalloc  = take;
  PetscTrRealloc = retake;
  PetscCall(RungStepperDestroy(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New matrices and their factors among them. */
static PetscErrorCode test_steps_of_kinetics_take_no_memory(void)
{
  RungMesh    points;
  RungStepper stepper;
  Count       count;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  warm = WARM;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 20));
  PetscCall(create(points, "P0^3", "vector(1, 0, 0)",
                   "inner(dt(y) - vector(-0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]^2, "
                   "3e7*y[1]^2), v)*dx",
                   &stepper));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetTolerances(stepper, 1e-7, 1e-7));
  PetscCall(RungStepperSetInterval(stepper, 0, 1e4, 1e-6));
  PetscCall(run(&stepper, &count));
  CHECK(count.steps > 2 * WARM);
  CHECK(count.before > 0);
  CHECK(count.most == 0);
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each family on one field: linear and not, of order 1 and 2; some of them on several ranks, too. */
static const struct {
  const char *method;
  PetscInt    order;
  PetscReal   dt;
  PetscBool   several;
} field[] = {{"esdirk43", 1, 1e-3, PETSC_FALSE},
             {"midpoint", 1, 1e-3, PETSC_FALSE},
             {"bdf2", 1, 1e-3, PETSC_TRUE},
             {"chung_hulbert", 1, 1e-3, PETSC_FALSE},
             {"theta", 1, 1e-3, PETSC_FALSE},
             {"bathe", 1, 1e-3, PETSC_FALSE},
             {"ark324", 1, 1e-3, PETSC_FALSE},
             {"ros3p", 1, 1e-3, PETSC_TRUE},
             {"rk4", 1, 1e-5, PETSC_TRUE},
             {"esdirk43", 2, 1e-3, PETSC_FALSE},
             {"hht", 2, 1e-3, PETSC_TRUE},
             {"bathe", 2, 1e-3, PETSC_FALSE},
             {"central_difference", 2, 1e-5, PETSC_FALSE}};

static PetscErrorCode test_steps_of_fields_take_no_memory(void)
{
  const PetscInt  n[]      = {3, 3};
  const PetscReal length[] = {1, 1};
  RungMesh        mesh;
  RungStepper     stepper;
  RungSystem      sys;
  Count           count;

  PetscFunctionBegin;
  warm = SOON;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, n, length));
  for (int linear = 0; linear < 2; ++linear) {
    if (!linear && !check_alone()) PetscCall(PetscOptionsInsertString(NULL, "-pc_type jacobi -ksp_type gmres"));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(field); ++i) {
      char residual[256];

      if (!field[i].several && !check_alone()) continue;
      PetscCall(PetscSNPrintf(residual, sizeof residual, "dt(y, %d)*v*dx + %s*inner(grad(y), grad(v))*dx",
                              (int)field[i].order, linear ? "2" : "(1 + y^2)"));
      PetscCall(create(mesh, "P2", "1 + sin(pi*x[0])*x[1]", residual, &stepper));
      PetscCall(RungStepperGetSystem(stepper, &sys));
      PetscCall(RungSystemSetDirichlet(sys, "y", "left", "1 + t^2*x[1]"));
      PetscCall(RungStepperSetMethod(stepper, field[i].method));
      PetscCall(RungStepperSetInterval(stepper, 0, 2 * SOON * field[i].dt, field[i].dt));
      PetscCall(run(&stepper, &count));
      if (count.most)
        fprintf(stderr, "%s of order %d, %s: %d\n", field[i].method, (int)field[i].order,
                linear ? "linear" : "nonlinear", (int)count.most);
      CHECK(count.steps == 2 * SOON && count.most == 0);
    }
    if (!linear && !check_alone()) PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
    if (!linear && !check_alone()) PetscCall(PetscOptionsClearValue(NULL, "-ksp_type"));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_of_kinetics_take_no_memory), RUNG_TEST(test_steps_of_fields_take_no_memory))
