/* transient.c - a system in time: a ring of accepted levels and one free level for the proposal.

       ring of depth + 1:   | level 0 | free: the proposal | oldest | .. | level 1 |
                              head      head + 1 (the slot that no accepted level uses)

   Accept moves the head to the proposal; what was the oldest level becomes the free slot once the ring is full.
   Nothing is copied, so a rejected proposal cannot leave a trace. */
#include <rungown_room.h>
#include "form_side_impl.h"

static PetscInt slot(RungTransientSystem ts, PetscInt back) /* ring index of a level; back = -1: the free slot */
{
  return (ts->head - back + ts->depth + 1) % (ts->depth + 1);
}

/* ---- one level ----------------------------------------------------------------------------------------------------
 */

static PetscErrorCode create_vecs(RungSystem sys, PetscInt n, Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungSystemCreateVec(sys, &u[i]));
    PetscCall(VecZeroEntries(u[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_level(RungTransientSystem ts, PetscBool conserved, RungState *state)
{
  PetscFunctionBegin;
  state->t = NAN;
  PetscCall(create_vecs(ts->sys, ts->order + 1, state->u));
  PetscCall(PetscCalloc1(ts->carried, &state->carry));
  PetscCall(create_vecs(ts->sys, ts->carried, state->carry));
  if (conserved) {
    PetscCall(create_vecs(ts->sys, 2, state->m));
    PetscCall(PetscCalloc1(ts->carried, &state->carry_m));
    PetscCall(create_vecs(ts->sys, ts->carried, state->carry_m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_level(RungTransientSystem ts, RungState *state)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&state->u[k]));
  for (PetscInt i = 0; i < 2; ++i) PetscCall(VecDestroy(&state->m[i]));
  for (PetscInt i = 0; i < ts->carried; ++i) {
    PetscCall(VecDestroy(&state->carry[i]));
    if (state->carry_m) PetscCall(VecDestroy(&state->carry_m[i]));
  }
  PetscCall(PetscFree(state->carry));
  PetscCall(PetscFree(state->carry_m));
  PetscCall(PetscFree(state->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All Vecs of a level, in one fixed order: what Save, Load and locks walk through. */
PetscErrorCode RungStateVisit(RungTransientSystem ts, RungState *state, PetscErrorCode (*visit)(Vec, void *), void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(visit(state->u[k], ctx));
  for (PetscInt i = 0; i < ts->carried; ++i) PetscCall(visit(state->carry[i], ctx));
  if (state->m[0]) {
    for (PetscInt i = 0; i < 2; ++i) PetscCall(visit(state->m[i], ctx));
    for (PetscInt i = 0; i < ts->carried; ++i) PetscCall(visit(state->carry_m[i], ctx));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero_vec(Vec v, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(VecZeroEntries(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemClear(RungTransientSystem ts, RungState *state)
{
  PetscFunctionBegin;
  PetscCall(RungStateVisit(ts, state, zero_vec, NULL));
  PetscCall(PetscArrayzero(state->number, ts->numbers));
  state->late = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungTransientSystemCreate(RungSystem sys, PetscInt depth, PetscInt carried, RungTransientSystem *ts)
{
  RUNG_OWNED(RungTransientSystemDestroy) RungTransientSystem s = NULL;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(depth >= 1 && carried >= 0, RungSystemComm(sys), PETSC_ERR_ARG_OUTOFRANGE,
             "a history of %" PetscInt_FMT " levels with %" PetscInt_FMT
             " carried vectors, wanted at least one level and no negative number",
             depth, carried);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(PetscNew(&s));
  PetscCall(RungSystemReference(sys));
  sys->in_time = PETSC_TRUE;
  s->sys       = sys;
  s->order     = sys->traits.order;
  s->carried   = carried;
  PetscCall(PetscCalloc1(depth + 1, &s->level));
  s->depth = depth;
  for (PetscInt i = 0; i <= depth; ++i) PetscCall(create_level(s, sys->traits.conserved, &s->level[i]));
  PetscCall(create_vecs(sys, s->order + 1, s->u));
  *ts = s;
  s   = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemSetNumbers(RungTransientSystem ts, PetscInt numbers)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCheck(numbers >= 0 && !ts->count, ts->sys->comm, PETSC_ERR_ORDER,
             "%" PetscInt_FMT " numbers in a level after %" PetscInt_FMT
             " levels were accepted; wanted no negative number, before the first level",
             numbers, ts->count);
  ts->numbers = numbers;
  for (PetscInt i = 0; i <= ts->depth; ++i) {
    PetscCall(PetscFree(ts->level[i].number));
    PetscCall(PetscCalloc1(numbers, &ts->level[i].number));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemDestroy(RungTransientSystem *ts)
{
  RungTransientSystem s = *ts;

  PetscFunctionBegin;
  *ts = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungConsistentDestroy(&s->consistent));
  for (PetscInt i = 0; i <= s->depth && s->level; ++i) PetscCall(destroy_level(s, &s->level[i]));
  for (PetscInt k = 0; k <= s->order; ++k) PetscCall(VecDestroy(&s->u[k]));
  PetscCall(PetscFree(s->level));
  PetscCall(RungSystemDestroy(&s->sys));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- levels -------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungTransientSystemGetLevels(RungTransientSystem ts, PetscInt *levels)
{
  PetscFunctionBegin;
  RungNeed(ts);
  *levels = ts->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemPeekState(RungTransientSystem ts, PetscInt back, const RungState **state)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCheck(back >= 0 && back < ts->count, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "level %" PetscInt_FMT " back of %" PetscInt_FMT " accepted ones%s", back, ts->count,
             ts->count ? "" : "; start the system first");
  *state = &ts->level[slot(ts, back)];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The highest rates of an accepted level that has none yet; only there are its vectors open once more. */
static PetscErrorCode find_late(RungTransientSystem ts, RungState *state)
{
  PetscFunctionBegin;
  if (!state->late) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecLockReadPop(state->u[k]));
  RungCallFinally(RungTransientSystemConsistent(ts, PETSC_FALSE, PETSC_FALSE, state),
                  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecLockReadPush(state->u[k])));
  state->late = PETSC_FALSE;
  ++ts->found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemGetState(RungTransientSystem ts, PetscInt back, const RungState **state)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemPeekState(ts, back, state));
  PetscCall(find_late(ts, &ts->level[slot(ts, back)]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemFindLate(RungTransientSystem ts)
{
  PetscFunctionBegin;
  RungNeed(ts);
  for (PetscInt back = 0; back < ts->count; ++back) PetscCall(find_late(ts, &ts->level[slot(ts, back)]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungTransientSystemCountFound(RungTransientSystem ts)
{
  return ts->found;
}

PetscErrorCode RungTransientSystemGetProposal(RungTransientSystem ts, RungState **to)
{
  RungNeed(ts);
  RungState *state = &ts->level[slot(ts, -1)];

  PetscFunctionBegin;
  if (!ts->open) {
    state->t = NAN; /* Accept refuses a level whose time nobody has set */
    PetscCall(PetscArrayzero(state->number, ts->numbers));
    state->late = PETSC_FALSE;
  }
  ts->open = PETSC_TRUE;
  *to      = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungState *RungTransientSystemLevel(RungTransientSystem ts, PetscInt back)
{
  return &ts->level[slot(ts, back)];
}

static PetscErrorCode lock(Vec v, void *ctx)
{
  PetscFunctionBegin;
  (void)v; /* where PETSc's locks are compiled away */
  (void)ctx;
  PetscCall(VecLockReadPush(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode unlock(Vec v, void *ctx)
{
  PetscFunctionBegin;
  (void)v;
  (void)ctx;
  PetscCall(VecLockReadPop(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The free slot becomes level 0; a full ring gives its oldest level free. */
PetscErrorCode RungTransientSystemPush(RungTransientSystem ts)
{
  PetscFunctionBegin;
  ts->head = slot(ts, -1);
  PetscCall(RungStateVisit(ts, &ts->level[ts->head], lock, NULL));
  if (ts->count < ts->depth)
    ++ts->count;
  else
    PetscCall(RungStateVisit(ts, &ts->level[slot(ts, -1)], unlock, NULL));
  ts->open = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemForget(RungTransientSystem ts)
{
  PetscFunctionBegin;
  for (PetscInt back = 0; back < ts->count; ++back) {
    PetscCall(RungStateVisit(ts, &ts->level[slot(ts, back)], unlock, NULL));
  }
  ts->count = 0;
  ts->open  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemForgetKept(RungTransientSystem ts)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungConsistentDestroy(&ts->consistent));
  PetscCall(RungConstantForget(ts->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemAccept(RungTransientSystem ts)
{
  RungNeed(ts);
  const RungState *to = &ts->level[slot(ts, -1)];

  PetscFunctionBegin;
  PetscCheck(ts->open && ts->count, ts->sys->comm, PETSC_ERR_ORDER,
             "there is no proposal to accept; start the system and get a proposal first");
  PetscCheck(to->t > ts->level[ts->head].t, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a proposal at t = %g after the level at t = %g, wanted a later time", (double)to->t,
             (double)ts->level[ts->head].t);
  PetscCall(RungTransientSystemPush(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemRollBack(RungTransientSystem ts)
{
  PetscFunctionBegin;
  RungNeed(ts);
  ts->open = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemAddPast(RungTransientSystem ts, PetscReal t, Vec u, Vec v)
{
  RungNeed(ts);
  RungState *state = &ts->level[slot(ts, ts->count)];

  PetscFunctionBegin;
  PetscCheck(ts->count > 0, ts->sys->comm, PETSC_ERR_ORDER,
             "a past level before there is level 0; start the system first");
  PetscCheck(ts->count < ts->depth, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the history has room for %" PetscInt_FMT " levels, all are there", ts->depth);
  PetscCheck(t < ts->level[slot(ts, ts->count - 1)].t, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a past level at t = %g, wanted one before the oldest at t = %g", (double)t,
             (double)ts->level[slot(ts, ts->count - 1)].t);
  PetscCheck(!ts->open, ts->sys->comm, PETSC_ERR_ORDER, "a past level while a proposal is out; accept it or roll back");
  PetscCall(RungTransientSystemClear(ts, state));
  state->t = t;
  PetscCall(VecCopy(u, state->u[0]));
  if (v && ts->order >= 1) PetscCall(VecCopy(v, state->u[1]));
  PetscCall(RungTransientSystemSetConserved(ts, state));
  PetscCall(RungStateVisit(ts, state, lock, NULL));
  ++ts->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- start and jumps ----------------------------------------------------------------------------------------------
 */

PetscErrorCode RungTransientSystemConserved(RungTransientSystem ts, PetscReal t, Vec u, Vec m)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungSystemConserved(ts->sys, t, u, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dm/dt = (dm/du) u' = F - R at the same (u, u'). */
PetscErrorCode RungTransientSystemSetConserved(RungTransientSystem ts, RungState *state)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  if (!state->m[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(ts->sys, state->t, state->u[0], state->m[0]));
  PetscCall(RungSystemStageResidual(ts->sys, state->t, state->u, none, ts->u[0]));
  PetscCall(RungSystemResidual(ts->sys, state->t, state->u, state->m[1]));
  PetscCall(VecAXPY(state->m[1], -1, ts->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u NULL: the initial values */
static PetscErrorCode start_at(RungTransientSystem ts, PetscReal t0, const Vec u[], RungState *state)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemClear(ts, state));
  state->t = t0;
  for (PetscInt k = 0; k <= PetscMax(0, ts->order - 1); ++k) {
    if (u) {
      PetscCall(VecCopy(u[k], state->u[k]));
      PetscCall(RungSystemImposeDirichlet(ts->sys, t0, k, state->u[k]));
    } else {
      PetscCall(RungSystemInitial(ts->sys, t0, k, state->u[k]));
      PetscCall(RungSystemStartDirichlet(ts->sys, t0, k, state->u[k]));
    }
    if (k == 0) PetscCall(RungSystemStartBounds(ts->sys, t0, state->u[0]));
  }
  PetscCall(RungTransientSystemConsistent(ts, PETSC_TRUE, PETSC_TRUE, state));
  if (!u && ts->sys->ops->check_start) PetscCall(ts->sys->ops->check_start(ts->sys, t0, state->u[0]));
  PetscCall(RungTransientSystemSetConserved(ts, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start(RungTransientSystem ts, PetscReal t0, const Vec u[])
{
  RungState *state;

  PetscFunctionBegin;
  PetscCheck(!PetscIsInfOrNanReal(t0), ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE, "a start at t = %g", (double)t0);
  PetscCall(RungTransientSystemForget(ts));
  PetscCall(RungTransientSystemGetProposal(ts, &state));
  RungCallOrUndo(start_at(ts, t0, u, state), PetscCall(RungTransientSystemRollBack(ts)));
  PetscCall(RungTransientSystemPush(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemStart(RungTransientSystem ts, PetscReal t0)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(start(ts, t0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemStartFrom(RungTransientSystem ts, PetscReal t0, const Vec u[])
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(start(ts, t0, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The jump is made in the free slot, so that an error in fn leaves level 0 as it was. */
static PetscErrorCode jump_to(RungTransientSystem ts, PetscErrorCode (*fn)(RungState *state, void *ctx), void *ctx,
                              const RungState *from, RungState *to)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemClear(ts, to));
  to->t = from->t;
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecCopy(from->u[k], to->u[k]));
  PetscCall(fn(to, ctx));
  PetscCheck(to->t == from->t, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a jump from t = %g to t = %g; a jump changes the state at one time", (double)from->t, (double)to->t);
  for (PetscInt k = 0; k < ts->order; ++k) PetscCall(RungSystemImposeDirichlet(ts->sys, to->t, k, to->u[k]));
  PetscCall(RungTransientSystemConsistent(ts, PETSC_TRUE, PETSC_TRUE, to));
  PetscCall(RungTransientSystemSetConserved(ts, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemJump(RungTransientSystem ts, PetscErrorCode (*fn)(RungState *state, void *ctx),
                                       void               *ctx)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  PetscCheck(!ts->open, ts->sys->comm, PETSC_ERR_ORDER, "a jump while a proposal is out; accept it or roll back");
  PetscCheck(fn, ts->sys->comm, PETSC_ERR_ARG_NULL, "a jump without a function that makes it");
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  RungCallOrUndo(jump_to(ts, fn, ctx, from, to), PetscCall(RungTransientSystemRollBack(ts)));
  PetscCall(RungTransientSystemForget(ts));
  PetscCall(RungTransientSystemPush(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
