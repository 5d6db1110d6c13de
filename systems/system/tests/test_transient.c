/* test_transient.c - levels, proposals, roll back: not a bit of an accepted level changes. */
#include "check.h"
#include "ode_problems.h"
#include "vectors.h"

static PetscErrorCode create(PetscInt depth, RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(oscillator_create(3, sys));
  PetscCall(RungTransientSystemCreate(*sys, depth, 1, ts));
  PetscCall(RungTransientSystemStart(*ts, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode propose(RungTransientSystem ts, PetscReal t, PetscInt seed)
{
  RungState *to;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = t;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(vec_fill(to->u[k], seed + 10 * k));
  PetscCall(vec_fill(to->carry[0], seed + 50));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hash_of(RungTransientSystem ts, unsigned long long *hash)
{
  PetscInt levels;

  PetscFunctionBegin;
  *hash = 14695981039346656037ull;
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  for (PetscInt back = 0; back < levels; ++back) {
    const RungState *state;

    PetscCall(RungTransientSystemGetState(ts, back, &state));
    for (PetscInt k = 0; k < 3; ++k) PetscCall(vec_hash(state->u[k], hash));
    PetscCall(vec_hash(state->carry[0], hash));
    *hash ^= (unsigned long long)(1e6 * (double)state->t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_rejected_proposal_leaves_no_trace(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  unsigned long long  before, after;

  PetscFunctionBegin;
  PetscCall(create(3, &sys, &ts));
  for (PetscInt i = 1; i < 6; ++i) { /* the ring fills and turns */
    PetscCall(hash_of(ts, &before));
    PetscCall(propose(ts, (PetscReal)i, 1000 + i));
    PetscCall(RungTransientSystemRollBack(ts));
    PetscCall(hash_of(ts, &after));
    CHECK(before == after);
    PetscCall(propose(ts, (PetscReal)i, i));
    PetscCall(RungTransientSystemAccept(ts));
  }
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_accepted_levels_are_numbered_backwards(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscInt            levels;

  PetscFunctionBegin;
  PetscCall(create(2, &sys, &ts));
  for (PetscInt i = 1; i < 5; ++i) {
    const RungState *state;

    PetscCall(propose(ts, (PetscReal)i, i));
    PetscCall(RungTransientSystemAccept(ts));
    PetscCall(RungTransientSystemGetLevels(ts, &levels));
    CHECK(levels == 2);
    for (PetscInt back = 0; back < 2; ++back) {
      PetscCall(RungTransientSystemGetState(ts, back, &state));
      CHECK(state->t == (PetscReal)(i - back));
    }
  }
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_that_are_not_there_are_refused(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  RungState          *to;

  PetscFunctionBegin;
  PetscCall(create(2, &sys, &ts));
  CHECK_RAISES(RungTransientSystemGetState(ts, 1, &state), "level 1 back of 1 accepted ones");
  CHECK_RAISES(RungTransientSystemAccept(ts), "there is no proposal to accept");
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  CHECK_RAISES(RungTransientSystemAccept(ts), "wanted a later time"); /* its time was never set */
  to->t = 0;
  CHECK_RAISES(RungTransientSystemAccept(ts), "wanted a later time");
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_past_levels_go_behind_the_oldest(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  Vec                 u;
  PetscReal           distance;

  PetscFunctionBegin;
  PetscCall(create(2, &sys, &ts));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(vec_fill(u, 3));
  CHECK_RAISES(RungTransientSystemAddPast(ts, 0.5, u, NULL), "wanted one before the oldest");
  PetscCall(RungTransientSystemAddPast(ts, -0.5, u, NULL));
  PetscCall(RungTransientSystemGetState(ts, 1, &state));
  PetscCall(vec_distance(state->u[0], u, &distance));
  CHECK(state->t == -0.5 && distance == 0);
  CHECK_RAISES(RungTransientSystemAddPast(ts, -1, u, NULL), "room for 2 levels");
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode double_it(RungState *state, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecScale(state->u[0], 2));
  if (ctx) SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER, "a jump that fails");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_jump_drops_the_history_and_renews_the_rates(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscInt            levels;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(create(3, &sys, &ts));
  PetscCall(propose(ts, 1, 5));
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(RungTransientSystemJump(ts, double_it, NULL));
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  CHECK(levels == 1);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  CHECK(state->t == 1);
  PetscCall(VecNorm(state->u[0], NORM_INFINITY, &norm));
  CHECK(norm > 1.5); /* 2 sin(..) */
  PetscCall(VecAXPY(state->u[2], 1, state->u[0]));
  PetscCall(VecNorm(state->u[2], NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-14); /* u'' = -u again */
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_jump_that_fails_leaves_the_level_as_it_was(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  unsigned long long  before, after;
  int                 fail = 1;

  PetscFunctionBegin;
  PetscCall(create(3, &sys, &ts));
  PetscCall(hash_of(ts, &before));
  CHECK_RAISES(RungTransientSystemJump(ts, double_it, &fail), "a jump that fails");
  PetscCall(hash_of(ts, &after));
  CHECK(before == after);
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_if(const RungState *from, const RungState *to, void *ctx, PetscBool *is)
{
  PetscFunctionBegin;
  CHECK(from->t == to->t);
  *is = *(const PetscBool *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equations of x and y, s = 4 at the start: a level x = 1, y = 3; *y what Mend() leaves where s has become another. */
static PetscErrorCode mend(const char *equations, PetscReal s, PetscBool wanted, PetscBool *mended, PetscScalar *y)
{
  RungMesh            mesh;
  RungSpace           space;
  RungSystem          sys;
  RungTransientSystem ts;
  RungState          *to;
  const RungState    *state;
  const PetscScalar  *u;
  PetscScalar        *x;
  PetscInt            levels;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "x_", "a", space));
  PetscCall(RungSystemAddUnknown(sys, "y", "b", space));
  PetscCall(RungSystemSetConstant(sys, "s", 4));
  PetscCall(RungSystemAddResidual(sys, equations));
  PetscCall(RungSystemSetInitial(sys, "x_", "1"));
  PetscCall(RungSystemSetInitial(sys, "y", "1"));
  PetscCall(RungTransientSystemCreate(sys, 3, 1, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.0));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = 1;
  PetscCall(VecGetArrayWrite(to->u[0], &x));
  x[0] = 1;
  x[1] = 3;
  PetscCall(VecRestoreArrayWrite(to->u[0], &x));
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(RungSystemSetConstant(sys, "s", s));
  PetscCall(RungTransientSystemMend(ts, keep_if, &wanted, mended));
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  CHECK(levels == (*mended ? 1 : 2)); /* the history is dropped with the level */
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  CHECK(state->t == 1 && u[0] == 1);
  *y = u[1];
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_level_is_mended_where_that_is_wanted_and_found(void)
{
  const char *root = "(dt(x_) + x_)*a*dx + (y^2 - s*x_)*b*dx";
  PetscBool   mended;
  PetscScalar y;

  PetscFunctionBegin;
  PetscCall(mend(root, 4, PETSC_TRUE, &mended, &y));
  CHECK(mended);
  CHECK_NEAR(PetscRealPart(y), 2, 1e-12);
  PetscCall(mend(root, 4, PETSC_FALSE, &mended, &y));
  CHECK(!mended && y == 3);
  PetscCall(mend(root, -4, PETSC_TRUE, &mended, &y)); /* no y has this square */
  CHECK(!mended && y == 3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_level_where_nothing_can_be_solved_for_stays_as_it_is(void)
{
  PetscBool   mended;
  PetscScalar y;

  PetscFunctionBegin;
  /* index 2, y is the force that holds x: as in a flow, only steps could find y */
  PetscCall(mend("(dt(x_) + y)*a*dx + (x_ - 1)*b*dx", 4, PETSC_TRUE, &mended, &y));
  CHECK(!mended && y == 3);
  PetscCall(mend("(dt(x_) + x_)*a*dx + (y - sqrt(s*x_))*b*dx", -4, PETSC_TRUE, &mended, &y)); /* no number */
  CHECK(!mended && y == 3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_rejected_proposal_leaves_no_trace),
               RUNG_TEST(test_accepted_levels_are_numbered_backwards),
               RUNG_TEST(test_levels_that_are_not_there_are_refused), RUNG_TEST(test_past_levels_go_behind_the_oldest),
               RUNG_TEST(test_a_jump_drops_the_history_and_renews_the_rates),
               RUNG_TEST(test_a_jump_that_fails_leaves_the_level_as_it_was),
               RUNG_TEST(test_a_level_is_mended_where_that_is_wanted_and_found),
               RUNG_TEST(test_a_level_where_nothing_can_be_solved_for_stays_as_it_is))
