/* member.c - a system among others: its state, what it sees of the others, its steps through a window.

   Each window of a system begins anew from values, with rates that fit what the others are then.  Within a window
   coefficients of other systems stay, or follow these from one end of the window to the other. */
#include "coupling_impl.h"

/* ---- states ------------------------------------------------------------------------------------------------------ */

PetscErrorCode RungMemberCreateState(RungMember m, PetscReal t0)
{
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(m->sys, &traits));
  m->order = traits.order;
  m->t     = t0;
  PetscCall(RungStepperGetMethod(m->stepper, NULL, &m->method_order));
  PetscCall(RungSystemCreateVec(m->sys, &m->last));
  PetscCall(RungSystemCreateVec(m->sys, &m->seen));
  PetscCall(PetscCalloc1(m->quantities, &m->sum));
  PetscCall(PetscCalloc1(m->quantities, &m->sum_begin));
  for (PetscInt k = 0; k <= m->order; ++k) {
    PetscCall(RungSystemCreateVec(m->sys, &m->u[k]));
    PetscCall(RungSystemCreateVec(m->sys, &m->begin[k]));
    PetscCall(VecZeroEntries(m->u[k]));
    if (k < PetscMax(1, m->order)) PetscCall(RungSystemInitial(m->sys, t0, k, m->u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberDestroyState(RungMember m)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(VecDestroy(&m->u[k]));
    PetscCall(VecDestroy(&m->begin[k]));
  }
  PetscCall(VecDestroy(&m->last));
  PetscCall(VecDestroy(&m->seen));
  PetscCall(PetscFree(m->sum));
  PetscCall(PetscFree(m->sum_begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberFindRange(RungSystem sys, const char name[], PetscInt *first, PetscInt *n)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  *first = *n = 0;
  PetscCall(RungSystemCountUnknowns(sys, &unknowns));
  for (PetscInt f = 0; f < unknowns; ++f) {
    const RungSpaceData *data;
    const char          *other;
    RungSpace            space;

    PetscCall(RungSystemGetUnknown(sys, f, &other, &space));
    PetscCall(RungSpaceGetData(space, &data));
    *n = data->owned * data->components;
    if (!strcmp(name, other)) PetscFunctionReturn(PETSC_SUCCESS);
    *first += *n;
  }
  *n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values and rates of an unknown that both systems have. */
static PetscErrorCode copy_shared(RungMember from, RungMember to, const char name[])
{
  const PetscInt order = PetscMin(from->order, to->order);
  PetscInt       first, other, n, m;

  PetscFunctionBegin;
  PetscCall(RungMemberFindRange(from->sys, name, &first, &n));
  PetscCall(RungMemberFindRange(to->sys, name, &other, &m));
  for (PetscInt k = 0; k < PetscMax(1, order); ++k) {
    const PetscScalar *a;
    PetscScalar       *b;

    PetscCall(VecGetArrayRead(from->u[k], &a));
    PetscCall(VecGetArray(to->u[k], &b));
    PetscCall(PetscArraycpy(b + other, a + first, n));
    PetscCall(VecRestoreArray(to->u[k], &b));
    PetscCall(VecRestoreArrayRead(from->u[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of a member that others have too are those of the system that was solved last. */
PetscErrorCode RungMemberTakeShared(RungMember member)
{
  RungCoupling c = member->coupling;
  PetscInt     unknowns, others;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(member->sys, &unknowns));
  for (PetscInt f = 0; f < unknowns; ++f) {
    RungMember  newest = member;
    const char *name, *other;

    PetscCall(RungSystemGetUnknown(member->sys, f, &name, NULL));
    for (PetscInt i = 0; i < c->members; ++i) {
      RungMember m = c->member[i];

      PetscCall(RungSystemCountUnknowns(m->sys, &others));
      for (PetscInt g = 0; g < others && m->age > newest->age; ++g) {
        PetscCall(RungSystemGetUnknown(m->sys, g, &other, NULL));
        if (!strcmp(name, other)) newest = m;
      }
    }
    if (newest != member) PetscCall(copy_shared(newest, member, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberCopy(RungMember m, const Vec from[], const Vec to[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= m->order; ++k) PetscCall(VecCopy(from[k], to[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what a system sees of the others ---------------------------------------------------------------------------- */

/* A coefficient that stays at u.  Its rates are those of the other system where the equations read them; what stays
   has none. */
static PetscErrorCode freeze(RungMember member, const char name[], RungMember other, const Vec u[])
{
  PetscBool reads;
  Vec       zero;

  PetscFunctionBegin;
  PetscCall(RungSystemReadsRate(member->sys, name, &reads));
  PetscCall(VecDuplicate(u[0], &zero));
  PetscCall(VecZeroEntries(zero));
  PetscCall(RungSystemSetCoupled(member->sys, name, u[0]));
  for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
    char rate[128];

    PetscCall(PetscSNPrintf(rate, sizeof rate, k > 1 ? "dt(%s, %" PetscInt_FMT ")" : "dt(%s)", name, k));
    PetscCall(RungSystemSetCoupled(member->sys, rate, reads && k <= other->order ? u[k] : zero));
  }
  PetscCall(VecDestroy(&zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A coefficient on the other's way from a to b. */
static PetscErrorCode follow(RungMember member, const char name[], PetscReal a, PetscReal b, RungMember other)
{
  Vec end[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= other->order; ++k) end[k] = k ? other->u[k] : other->seen;
  PetscCall(RungSystemSetCoupledPath(member->sys, name, a, other->begin, b, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberGetCoupling(RungMember member, PetscInt i, const char **name, RungMember *other,
                                     PetscInt *unknown)
{
  RungSystem from;

  PetscFunctionBegin;
  PetscCall(RungSystemGetCoupling(member->sys, i, name, &from, unknown));
  *other = NULL;
  for (PetscInt k = 0; k < member->coupling->members && *name; ++k) {
    if (member->coupling->member[k]->sys == from) *other = member->coupling->member[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a to b: the newest of the others, what they were at the start of the window, or their way through it. */
PetscErrorCode RungMemberCouple(RungMember member, PetscReal a, PetscReal b)
{
  const RungCouplingScheme scheme = member->coupling->scheme;
  const char              *name;
  RungMember               other;

  PetscFunctionBegin;
  PetscCall(RungMemberGetCoupling(member, 0, &name, &other, NULL));
  for (PetscInt i = 1; name; ++i) {
    if (scheme == RUNG_COUPLING_ITERATE && other->advanced)
      PetscCall(follow(member, name, a, b, other));
    else
      PetscCall(freeze(member, name, other, scheme == RUNG_COUPLING_EXPLICIT ? other->begin : other->u));
    PetscCall(RungMemberGetCoupling(member, i, &name, &other, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberSee(RungMember member)
{
  const char *name;
  RungMember  other;

  PetscFunctionBegin;
  PetscCall(RungMemberGetCoupling(member, 0, &name, &other, NULL));
  for (PetscInt i = 1; name; ++i) {
    PetscCall(freeze(member, name, other, other->u));
    PetscCall(RungMemberGetCoupling(member, i, &name, &other, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a system alone ---------------------------------------------------------------------------------------------- */

static PetscErrorCode give_sums(RungMember m)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->quantities; ++i) {
    if (m->rate[i]) PetscCall(RungStepperSetIntegral(m->stepper, m->quantity[i], m->sum[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of rates of a solution that is final: the next window goes on with them. */
PetscErrorCode RungMemberKeepSums(RungMember m)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->quantities; ++i) {
    if (m->rate[i]) PetscCall(RungStepperGetQuantity(m->stepper, m->quantity[i], &m->sum[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of the window as the equations saw it.  One implicit step leads boundary values by their rate to u_n + h
   g'(t), of which the level is g(t), O(h^2) away: in one system all terms see the former, so that what another system
   reads is it, too.  Methods of higher order make up for such errors of their stages over the stages of a step, which
   a path does not have: others read the level. */
static PetscErrorCode keep_seen(RungMember m, PetscReal b)
{
  PetscReal t;
  Vec       w;

  PetscFunctionBegin;
  PetscCall(RungStepperGetStage(m->stepper, &t, &w));
  PetscCall(VecCopy(w && t == b && m->method_order == 1 && m->order == 1 ? w : m->u[0], m->seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The member's own steps from its state, which is taken as that of time a, to b. */
static PetscErrorCode solve_member(RungMember m, PetscReal a, PetscReal b)
{
  RungTransientSystem   ts;
  RungStepperStatistics statistics;
  RungStepperReason     reason;
  const RungState      *state;

  PetscFunctionBegin;
  PetscCall(RungMemberCouple(m, a, b));
  PetscCall(RungMemberTakeShared(m));
  PetscCall(RungStepperGetTransientSystem(m->stepper, &ts));
  PetscCall(RungTransientSystemStartFrom(ts, a, m->u));
  PetscCall(RungStepperSetInterval(m->stepper, a, b, PetscMin(m->dt, b - a)));
  PetscCall(give_sums(m));
  PetscCall(RungStepperSolve(m->stepper));
  PetscCall(RungStepperGetReason(m->stepper, &reason));
  if (reason == RUNG_STEPPER_SIGNALLED) m->coupling->signalled = PETSC_TRUE;
  PetscCall(RungStepperGetState(m->stepper, 0, &state));
  PetscCall(RungMemberCopy(m, state->u, m->u));
  PetscCall(RungStepperGetStatistics(m->stepper, &statistics));
  m->t = state->t;
  m->steps += statistics.steps;
  m->newton += statistics.newton;
  m->age      = ++m->coupling->clock;
  m->advanced = PETSC_TRUE;
  ++m->coupling->solves;
  PetscCall(keep_seen(m, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberAdvance(RungMember m, PetscReal a, PetscReal b)
{
  RungCaught caught;

  PetscFunctionBegin;
  if (m->coupling->signalled) PetscFunctionReturn(PETSC_SUCCESS);
  RungCatch(&caught, solve_member(m, a, b));
  if (caught.code) SETERRQ(PETSC_COMM_SELF, caught.code, "system %s: %s", m->name, caught.message);
  PetscFunctionReturn(PETSC_SUCCESS);
}
