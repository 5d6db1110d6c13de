/* test_stage_memory.c - a step that has been taken before takes no memory: PETSc's allocations are counted from step to step. */
#include <check.h>
#include <rungstep.h>

#define WARM 40 /* steps in which everything is made that will be wanted */

static PetscInt allocations;
static PetscErrorCode (*take)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscErrorCode (*retake)(size_t, int, const char[], const char[], void **);

static PetscErrorCode count_malloc(size_t size, PetscBool clear, int line, const char function[], const char file[],
                                   void **memory)
{
  ++allocations;
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
  if (step > WARM) count->most = PetscMax(count->most, allocations - count->before);
  count->before = allocations;
  count->steps  = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(RungMesh mesh, const char spec[], const char initial[], const char residual[], PetscReal tol,
                          PetscReal end, Count *count)
{
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  *count = (Count){0};
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "v", space));
  PetscCall(RungSystemSetInitial(sys, "y", initial));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetTolerances(stepper, tol, tol));
  PetscCall(RungStepperSetInterval(stepper, 0, end, 1e-6));
  PetscCall(RungStepperAddMonitor(stepper, watch, count));
  take           = PetscTrMalloc;
  retake         = PetscTrRealloc;
  PetscTrMalloc  = count_malloc;
  PetscTrRealloc = count_realloc;
  PetscCall(RungStepperSolve(stepper));
  PetscTrMalloc  = take;
  PetscTrRealloc = retake;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New matrices and their factors among them. */
static PetscErrorCode test_steps_of_kinetics_take_no_memory(void)
{
  RungMesh points;
  Count    count;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 20));
  PetscCall(run(points, "P0^3", "vector(1, 0, 0)",
                "inner(dt(y) - vector(-0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]^2, "
                "3e7*y[1]^2), v)*dx",
                1e-7, 1e4, &count));
  CHECK(count.steps > 2 * WARM);
  CHECK(count.before > 0);
  CHECK(count.most == 0);
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_of_kinetics_take_no_memory))
