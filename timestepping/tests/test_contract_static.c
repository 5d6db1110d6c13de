/* test_contract_static.c - systems without dt(): each level is a solution of F(t, u) = 0, whatever advances it. */
#include <check.h>
#include <rungstep.h>

typedef struct {
  const char *type, *method, *chosen;
  PetscBool   adaptive;
} Way;

static const Way WAYS[] = {{NULL, NULL, "bdf", PETSC_FALSE},
                           {"bdf", "bdf1", "bdf", PETSC_FALSE},
                           {"dirk", "esdirk43", "dirk", PETSC_FALSE},
                           {"dirk", "esdirk32", "dirk", PETSC_TRUE},
                           {"alpha", "chung_hulbert", "alpha", PETSC_FALSE}};

/* -div((1 + |grad u|^2) grad u) = 0 between u = 0 and u = t^2 - t: u = (t^2 - t) x[0] */
static PetscErrorCode make_system(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, "(1 + inner(grad(u), grad(u)))*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "right", "t^2 - t"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_error(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscReal *worst = ctx, error;
  RungSystem sys;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemNorm(sys, "u - (t^2 - t)*x[0]", NULL, RUNG_NORM_L2, t, u, &error));
  *worst = PetscMax(*worst, error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(const Way *way)
{
  PetscReal       worst = 0;
  RungSystem      sys;
  RungStepper     stepper;
  RungStepperType type;

  PetscFunctionBegin;
  PetscCall(make_system(&sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  if (way->type) PetscCall(RungStepperSetType(stepper, way->type));
  if (way->method) PetscCall(RungStepperSetMethod(stepper, way->method));
  if (way->adaptive) PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  PetscCall(RungStepperSetInterval(stepper, 0.5, 2, 0.25));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, keep_error, &worst));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetType(stepper, &type));
  CHECK(!strcmp(type, way->chosen));
  CHECK(worst < 1e-8);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_level_is_a_solution(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; ++i) PetscCall(advance(&WAYS[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_level_is_a_solution))
