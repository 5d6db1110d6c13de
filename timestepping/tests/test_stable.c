/* test_stable.c - the longest stable step of waves and heat on meshes, whose fastest parts are known in closed form, and what it costs. */
#include <check.h>
#include <rungstep.h>

#define WAVES "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx"
#define HEAT  "dt(u)*v*dx + inner(grad(u), grad(v))*dx"

/* A run to `end` with the longest stable step and all solves of it. */
static PetscErrorCode run(const char cell[], PetscInt dim, PetscInt n, const char residual[], const char type[],
                          const char method[], PetscReal end, PetscInt *steps, PetscInt *solves)
{
  RungStepperStatistics s;
  RungMesh              mesh;
  RungSpace             space;
  RungSystem            sys;
  RungStepper           stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_stable", NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){n, n, n}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, dim == 1 ? "P1" : "Q1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0]"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, end, end));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps  = s.steps;
  *solves = s.linear;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest part of linear elements on n cells a side has 12 n^2 dim. */
static PetscErrorCode test_steps_are_as_long_as_the_fastest_part_lets_them_in_a_few_actions(void)
{
  static const struct {
    const char *cell, *residual, *type, *method;
    PetscInt    dim, n, order;
    PetscReal   reach; /* of the method, on its axis */
  } row[] = {{"interval", WAVES, "acceleration", "central_difference", 1, 400, 2, 2},
             {"quadrilateral", WAVES, "acceleration", "central_difference", 2, 40, 2, 2},
             {"quadrilateral", HEAT, "explicit", "forward_euler", 2, 20, 1, 2}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    const PetscReal fastest = 12. * (PetscReal)(row[i].n * row[i].n * row[i].dim);
    const PetscReal h       = 0.95 * row[i].reach / PetscPowReal(fastest, 1. / (PetscReal)row[i].order);
    PetscInt        steps, solves;

    PetscCall(
      run(row[i].cell, row[i].dim, row[i].n, row[i].residual, row[i].type, row[i].method, 100 * h, &steps, &solves));
    if (steps > 100 || steps < 99 || solves - steps > 32)
      fprintf(stderr, "%d: %d steps, %d solves\n", (int)i, (int)steps, (int)solves);
    CHECK(steps <= 100 && steps >= 99); /* at most half a percent longer */
    CHECK(solves - steps <= 32);        /* the start, and 2 of what is 100 powers */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_are_as_long_as_the_fastest_part_lets_them_in_a_few_actions))
