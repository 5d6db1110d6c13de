/* test_weights_low.c - what falls below its tolerance and grows again is told, what swings, begins or dies out is not. */
#include <check.h>
#include <rungsolve_room.h>

/* Runs with these values at one of two points, one run for each of as many steps; the last word that is told at their ends, "": none. */
static PetscErrorCode walk(PetscInt n, const PetscReal value[], const PetscInt times[], PetscReal atol, char text[],
                           size_t size)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungWeights weights;
  RungState   level = {0};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 2));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "z", space));
  PetscCall(RungSystemAddResidual(sys, "dt(y)*z*dx"));
  PetscCall(RungWeightsCreate(sys, RUNG_ERROR_RMS, &weights));
  PetscCall(RungWeightsSet(weights, 0, 0, 0, 1e-3, atol));
  PetscCall(RungSystemCreateVec(sys, &level.u[0]));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt k = 0; k < times[i]; ++k) {
      PetscInt first, end;

      PetscCall(VecGetOwnershipRange(level.u[0], &first, &end));
      PetscCall(VecZeroEntries(level.u[0]));
      if (!first && end) PetscCall(VecSetValue(level.u[0], 0, value[i], INSERT_VALUES));
      PetscCall(VecAssemblyBegin(level.u[0]));
      PetscCall(VecAssemblyEnd(level.u[0]));
      if (!i && !k)
        PetscCall(RungWeightsStart(weights, &level, PETSC_TRUE));
      else
        PetscCall(RungWeightsRenew(weights, &level));
    }
    PetscCall(RungWeightsTellLow(weights, text, size));
  }
  if (text[0]) {
    char again[512];

    PetscCall(RungWeightsTellLow(weights, again, sizeof again));
    CHECK(!again[0]);
  }
  PetscCall(VecDestroy(&level.u[0]));
  PetscCall(RungWeightsDestroy(&weights));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_falls_and_grows_again_is_told(void)
{
  static const PetscReal pulse[3] = {10, 1e-3, 5};
  char                   text[512];

  PetscFunctionBegin;
  PetscCall(walk(3, pulse, (PetscInt[]){1, 6, 1}, RUNG_AUTOMATIC, text, sizeof text));
  CHECK(strstr(text, "y fell to 0.001, below its absolute tolerance of 0.01 that follows its largest value") == text &&
        strstr(text, "\"tolerances REL ABS y\""));
  PetscCall(walk(3, pulse, (PetscInt[]){1, 6, 1}, 1e-5, text, sizeof text));
  CHECK(!text[0]); /* it has an atol of its own */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_swings_begins_or_dies_out_is_not(void)
{
  char text[512];

  PetscFunctionBegin;
  PetscCall(walk(3, (PetscReal[]){10, 1e-3, -5}, (PetscInt[]){1, 3, 1}, RUNG_AUTOMATIC, text, sizeof text));
  CHECK(!text[0]);
  PetscCall(walk(3, (PetscReal[]){0, 1e-9, 5}, (PetscInt[]){1, 8, 3}, RUNG_AUTOMATIC, text, sizeof text));
  CHECK(!text[0]);
  PetscCall(walk(2, (PetscReal[]){10, 1e-9}, (PetscInt[]){1, 20}, RUNG_AUTOMATIC, text, sizeof text));
  CHECK(!text[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_falls_and_grows_again_is_told),
               RUNG_TEST(test_what_swings_begins_or_dies_out_is_not))
