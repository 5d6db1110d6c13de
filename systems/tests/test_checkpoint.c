/* test_checkpoint.c - levels saved and loaded are the same bits; what belongs to another problem is refused. */
#include "check.h"
#include "ode_problems.h"
#include "vectors.h"

static PetscErrorCode create(PetscInt local, PetscInt depth, RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(oscillator_create(local, sys));
  PetscCall(RungTransientSystemCreate(*sys, depth, 1, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungState          *to;
  PetscViewer         viewer;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.1));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = 1.0 / 3;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(vec_fill(to->u[k], k));
  PetscCall(vec_fill(to->carry[0], 7));
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "levels.bin", FILE_MODE_WRITE, &viewer));
  PetscCall(RungTransientSystemSave(ts, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_come_back_bit_for_bit(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscViewer         viewer;
  PetscInt            levels;
  Vec                 u;
  unsigned long long  found = 1, wanted = 1;

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "levels.bin", FILE_MODE_READ, &viewer));
  PetscCall(RungTransientSystemLoad(ts, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  CHECK(levels == 2);
  PetscCall(RungTransientSystemGetState(ts, 1, &state));
  CHECK(state->t == 0.1);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  CHECK(state->t == 1.0 / 3);
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(vec_fill(u, k));
    PetscCall(vec_hash(u, &wanted));
    PetscCall(vec_hash(state->u[k], &found));
  }
  PetscCall(vec_fill(u, 7));
  PetscCall(vec_hash(u, &wanted));
  PetscCall(vec_hash(state->carry[0], &found));
  CHECK(found == wanted);
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(PetscInt local, PetscInt depth, const char text[])
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscViewer         viewer;

  PetscFunctionBegin;
  PetscCall(create(local, depth, &sys, &ts));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "levels.bin", FILE_MODE_READ, &viewer));
  CHECK_RAISES(RungTransientSystemLoad(ts, viewer), text);
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_of_another_problem_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(refuse(3, 3, "number of entries"));
  PetscCall(refuse(2, 1, "2 saved levels for a history of 1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_levels_come_back_bit_for_bit), RUNG_TEST(test_levels_of_another_problem_are_refused))
