/* test_widths.c - field files and checkpoints do not depend on the width of integers.

   Alone the program writes and reads; with -widths_only write|read it does one half of it, in the folder that it is started
   in: cmake/tests/widths.cmake lets builds with 32 and 64 bit indices read each other's files. */
#include "form_problems.h"
#include <check.h>

static PetscErrorCode does(const char which[], PetscBool *wanted)
{
  char      only[8];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-widths_only", only, sizeof only, &set));
  *wanted = PETSC_TRUE;
  if (set) PetscCall(PetscStrcmp(only, which, wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = seed + exp(x) cos(3 y) + component at the nodes of a space in two dimensions: written, or the largest distance to it */
static PetscErrorCode visit(RungSpace space, PetscReal seed, PetscBool write, Vec v, PetscReal *distance)
{
  const RungSpaceData *data;
  PetscScalar         *a;

  PetscFunctionBegin;
  *distance = 0;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < data->owned * data->components; ++i) {
    const PetscReal *x      = data->x + 2 * (i / data->components);
    const PetscReal  wanted = seed + exp(x[0]) * cos(3 * x[1]) + (PetscReal)(i % data->components);

    if (write)
      a[i] = wanted;
    else
      *distance = PetscMax(*distance, PetscAbsScalar(a[i] - wanted));
  }
  PetscCall(VecRestoreArray(v, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, distance, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fields_are_read(void)
{
  static const char *const spec[] = {"P3^2", "DP1", "Quad(3)", "P0"};
  PetscBool                writes, reads;

  PetscFunctionBegin;
  PetscCall(does("write", &writes));
  PetscCall(does("read", &reads));
  for (int i = 0; i < 4; ++i) {
    RungSpace space;
    RungField field;
    Vec       v;
    PetscReal distance;
    char      path[32];

    PetscCall(PetscSNPrintf(path, sizeof path, "widths_%d.h5", i));
    PetscCall(space_create("triangle", 2, 5, spec[i], &space));
    PetscCall(RungFieldCreate(space, "k", &field));
    PetscCall(RungFieldGetVec(field, &v));
    PetscCall(visit(space, 1, PETSC_TRUE, v, &distance));
    if (writes) PetscCall(RungFieldSave(field, path));
    PetscCall(VecSet(v, -7));
    if (reads) {
      PetscCall(RungFieldLoad(field, path));
      PetscCall(visit(space, 1, PETSC_FALSE, v, &distance));
      CHECK_NEAR(distance, 0, 1e-14);
    }
    PetscCall(RungFieldDestroy(&field));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two levels with rates, a vector that is carried along, an integer. */
static PetscErrorCode save(RungSystem sys, RungSpace space, RungTransientSystem ts)
{
  RungCheckpoint file;
  RungState     *to;
  PetscReal      distance;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = 1.0 / 3;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(visit(space, 2 + (PetscReal)k, PETSC_TRUE, to->u[k], &distance));
  PetscCall(visit(space, 4, PETSC_TRUE, to->carry[0], &distance));
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(RungCheckpointCreate(sys, "widths.h5", &file));
  PetscCall(RungTransientSystemSave(ts, file));
  PetscCall(RungCheckpointPutInt(file, "an integer", -2000000011));
  PetscCall(RungCheckpointSeal(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load(RungSystem sys, RungSpace space, RungTransientSystem ts)
{
  RungCheckpoint   file;
  const RungState *state;
  PetscReal        distance;
  PetscInt         value, levels;

  PetscFunctionBegin;
  PetscCall(RungCheckpointOpen(sys, "widths.h5", PETSC_FALSE, &file));
  PetscCall(RungTransientSystemLoad(ts, file));
  PetscCall(RungCheckpointGetInt(file, "an integer", &value));
  PetscCall(RungCheckpointClose(&file));
  CHECK(value == -2000000011);
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  CHECK(levels == 2);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  CHECK(state->t == 1.0 / 3);
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(visit(space, 2 + (PetscReal)k, PETSC_FALSE, k < 2 ? state->u[k] : state->carry[0], &distance));
    CHECK_NEAR(distance, 0, 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_checkpoints_are_read(void)
{
  PetscBool           wanted;
  RungSystem          sys;
  RungSpace           space;
  RungTransientSystem ts;

  PetscFunctionBegin;
  for (int reads = 0; reads < 2; ++reads) {
    PetscCall(does(reads ? "read" : "write", &wanted));
    if (!wanted) continue;
    PetscCall(system_create("triangle", 2, 5, "P2", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
    PetscCall(RungTransientSystemCreate(sys, 2, 1, &ts));
    PetscCall(reads ? load(sys, space, ts) : save(sys, space, ts));
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_fields_are_read), RUNG_TEST(test_checkpoints_are_read))
