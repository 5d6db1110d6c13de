/* coupled.c - several systems go through windows of time together: explicitly, iterated, or split after Lie or Strang.

   Each window of a system begins anew from values, with rates that fit what the others are then.  Within a window coefficients of
   other systems stay (explicit, lie, strang), or follow these from one end of the window to the other (iterate). */
#include "reader_impl.h"

/* ---- states --------------------------------------------------------------------------------------------------------- */

/* The entries of an unknown in vectors of a system: first, and how many. */
static PetscErrorCode find_range(RungSystem sys, const char name[], PetscInt *first, PetscInt *n)
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
static PetscErrorCode copy_shared(RungProblem from, RungProblem to, const char name[])
{
  const PetscInt order = PetscMin(from->state.order, to->state.order);
  PetscInt       first, other, n, m;

  PetscFunctionBegin;
  PetscCall(find_range(from->sys, name, &first, &n));
  PetscCall(find_range(to->sys, name, &other, &m));
  if (n != m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < PetscMax(1, order); ++k) {
    const PetscScalar *a;
    PetscScalar       *b;

    PetscCall(VecGetArrayRead(from->state.u[k], &a));
    PetscCall(VecGetArray(to->state.u[k], &b));
    PetscCall(PetscArraycpy(b + other, a + first, n));
    PetscCall(VecRestoreArray(to->state.u[k], &b));
    PetscCall(VecRestoreArrayRead(from->state.u[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of a member that others have too are those of the system that was solved last. */
static PetscErrorCode take_shared(RungProblem member)
{
  RungProblem group = member->group;
  PetscInt    unknowns, others;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(member->sys, &unknowns));
  for (PetscInt f = 0; f < unknowns; ++f) {
    RungProblem newest = member;
    const char *name, *other;

    PetscCall(RungSystemGetUnknown(member->sys, f, &name, NULL));
    for (PetscInt i = 0; i < group->members; ++i) {
      RungProblem m = group->member[i];

      PetscCall(RungSystemCountUnknowns(m->sys, &others));
      for (PetscInt g = 0; g < others && m->state.age > newest->state.age; ++g) {
        PetscCall(RungSystemGetUnknown(m->sys, g, &other, NULL));
        if (!strcmp(name, other)) newest = m;
      }
    }
    if (newest != member) PetscCall(copy_shared(newest, member, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_state(const RungMember *m, const Vec from[], const Vec to[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= m->order; ++k) PetscCall(VecCopy(from[k], to[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what a system sees of the others --------------------------------------------------------------------------------- */

static RungProblem find_other(RungProblem member, const RungStatement *s)
{
  const size_t n = strcspn(s->arg[1].text, ".");

  for (PetscInt i = 0; i < member->group->members; ++i) {
    const char *name = member->step_name[i + 1];

    if (strlen(name) == n && !strncmp(name, s->arg[1].text, n)) return member->group->member[i];
  }
  return NULL;
}

/* A coefficient that stays at u.  Its rates are those of the other system where the equations read them; what stays has none. */
static PetscErrorCode freeze(RungProblem member, const char name[], const RungMember *other, const Vec u[])
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
static PetscErrorCode follow(RungProblem member, const char name[], PetscReal a, PetscReal b, const RungMember *other)
{
  Vec end[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= other->order; ++k) end[k] = k ? other->u[k] : other->seen;
  PetscCall(RungSystemSetCoupledPath(member->sys, name, a, other->begin, b, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a to b: the newest of the others, what they were at the start of the window, or their way through it. */
PetscErrorCode RungMemberCouple(RungProblem member, PetscReal a, PetscReal b)
{
  const RungGroup *plan = &member->group->plan;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < member->statements; ++i) {
    const RungStatement *s = &member->statement[i];
    RungMember          *other;

    if (!RungIs(member, i, "couple")) continue;
    other = &find_other(member, s)->state;
    if (plan->scheme == RUNG_SCHEME_ITERATE && other->advanced)
      PetscCall(follow(member, s->arg[0].text, a, b, other));
    else
      PetscCall(freeze(member, s->arg[0].text, other, plan->scheme == RUNG_SCHEME_EXPLICIT ? other->begin : other->u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMemberSee(RungProblem member)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < member->statements; ++i) {
    const RungStatement *s = &member->statement[i];
    RungMember          *other;

    if (!RungIs(member, i, "couple")) continue;
    other = &find_other(member, s)->state;
    PetscCall(freeze(member, s->arg[0].text, other, other->u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a system alone --------------------------------------------------------------------------------------------------- */

static PetscErrorCode give_sums(RungProblem member)
{
  const RungSeries *series = &member->series;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < member->carry.sums; ++k) {
    for (PetscInt i = 0; i < series->quantities; ++i) {
      if (series->rate[i] && !strcmp(series->name[i], member->carry.name[k]))
        PetscCall(RungStepperSetIntegral(member->stepper, series->name[i], member->carry.sum[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of rates of a solution that is final: the next window goes on with them. */
static PetscErrorCode keep_sums(RungProblem member)
{
  const RungSeries *series = &member->series;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < series->quantities; ++i) {
    PetscReal value;

    if (!series->rate[i]) continue;
    PetscCall(RungStepperGetQuantity(member->stepper, series->name[i], &value));
    PetscCall(RungCarryPutSum(&member->carry, series->name[i], value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of the window as the equations saw it.  One implicit step leads boundary values by their rate to u_n + h g'(t), of which the
   level is g(t), O(h^2) away: in one system all terms see the former, so that what another system reads is it, too.  Methods of higher
   order make up for such errors of their stages over the stages of a step, which a path does not have: others read the level. */
static PetscErrorCode keep_seen(RungProblem member, PetscReal b)
{
  RungMember *m = &member->state;
  PetscReal   t;
  Vec         w;

  PetscFunctionBegin;
  PetscCall(RungStepperGetStage(member->stepper, &t, &w));
  PetscCall(VecCopy(w && t == b && member->order == 1 && m->order == 1 ? w : m->u[0], m->seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The member's own steps from its state, which is taken as that of time a, to b. */
static PetscErrorCode solve_member(RungProblem member, PetscReal a, PetscReal b)
{
  RungTransientSystem   ts;
  RungStepperStatistics statistics;
  RungStepperReason     reason;
  RungMember           *m = &member->state;
  const RungState      *state;

  PetscFunctionBegin;
  PetscCall(RungMemberCouple(member, a, b));
  PetscCall(take_shared(member));
  PetscCall(RungStepperGetTransientSystem(member->stepper, &ts));
  PetscCall(RungTransientSystemStartFrom(ts, a, m->u));
  PetscCall(RungStepperSetInterval(member->stepper, a, b, PetscMin(m->dt, b - a)));
  PetscCall(give_sums(member));
  PetscCall(RungStepperSolve(member->stepper));
  PetscCall(RungStepperGetReason(member->stepper, &reason));
  if (reason == RUNG_STEPPER_SIGNALLED) member->group->plan.signalled = PETSC_TRUE;
  PetscCall(RungStepperGetState(member->stepper, 0, &state));
  PetscCall(copy_state(m, state->u, m->u));
  PetscCall(RungStepperGetStatistics(member->stepper, &statistics));
  m->t = state->t;
  m->steps += statistics.steps;
  m->newton += statistics.newton;
  m->age      = ++member->group->plan.clock;
  m->advanced = PETSC_TRUE;
  ++member->group->plan.sweeps;
  PetscCall(keep_seen(member, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors have the place in the file. */
static PetscErrorCode advance(RungProblem member, PetscReal a, PetscReal b)
{
  RungCaught caught;
  char       message[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  if (member->group->plan.signalled) PetscFunctionReturn(PETSC_SUCCESS);
  RungCatch(&caught, solve_member(member, a, b));
  if (!caught.code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPlaceMessage(member, &caught, message));
  SETERRQ(PETSC_COMM_SELF, caught.code, "system %s: %s", member->step_name[member->step], message);
}

/* ---- windows ---------------------------------------------------------------------------------------------------------- */

static PetscErrorCode go_once(RungProblem group, PetscInt i, PetscReal a, PetscReal b)
{
  PetscFunctionBegin;
  PetscCall(advance(group->member[i], a, b));
  if (!group->plan.signalled) PetscCall(keep_sums(group->member[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode go_strang(RungProblem group, PetscReal a, PetscReal b)
{
  const PetscReal half = a + 0.5 * (b - a);
  const PetscInt  last = group->members - 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < last; ++i) PetscCall(go_once(group, i, a, half));
  PetscCall(go_once(group, last, a, b));
  for (PetscInt i = last - 1; i >= 0; --i) PetscCall(go_once(group, i, half, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest change of an unknown since the sweep before, over its size; name: that unknown. */
static PetscErrorCode measure_change(RungProblem member, PetscReal *change, const char **name)
{
  RungMember *m = &member->state;
  PetscInt    unknowns;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(member->sys, &unknowns));
  *change = 0;
  for (PetscInt f = 0; f < unknowns; ++f) {
    PetscReal          sum[2] = {0, 0};
    PetscInt           first, n;
    const char        *one;
    const PetscScalar *now, *last;

    PetscCall(RungSystemGetUnknown(member->sys, f, &one, NULL));
    PetscCall(find_range(member->sys, one, &first, &n));
    PetscCall(VecGetArrayRead(m->u[0], &now));
    PetscCall(VecGetArrayRead(m->last, &last));
    for (PetscInt i = first; i < first + n; ++i) {
      sum[0] += PetscRealPart((now[i] - last[i]) * (now[i] - last[i]));
      sum[1] += PetscRealPart(now[i] * now[i]);
    }
    PetscCall(VecRestoreArrayRead(m->last, &last));
    PetscCall(VecRestoreArrayRead(m->u[0], &now));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPI_SUM, member->comm));
    m->size[f] = PetscMax(m->size[f], PetscSqrtReal(sum[1]));
    sum[0]     = PetscSqrtReal(sum[0]);
    if (sum[0] > *change * m->size[f]) {
      *change = m->size[f] > 0 ? sum[0] / m->size[f] : PETSC_INFINITY;
      *name   = one;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All systems once more; change: since the sweep before, infinite in the first. */
static PetscErrorCode sweep(RungProblem group, PetscReal a, PetscReal b, PetscReal *change, const char **system,
                            const char **unknown)
{
  PetscFunctionBegin;
  *change = 0;
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem     member = group->member[i];
    RungMember     *m      = &member->state;
    const PetscBool first  = m->advanced ? PETSC_FALSE : PETSC_TRUE;
    PetscReal       one    = PETSC_INFINITY;
    const char     *name   = "";

    PetscCall(VecCopy(m->u[0], m->last));
    PetscCall(copy_state(m, m->begin, m->u));
    PetscCall(advance(member, a, b));
    if (group->plan.signalled) break;
    if (!first) PetscCall(measure_change(member, &one, &name));
    if (one <= *change) continue;
    *change  = one;
    *system  = member->step_name[i + 1];
    *unknown = name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode go_iterated(RungProblem group, PetscReal a, PetscReal b)
{
  const RungGroup *plan   = &group->plan;
  PetscReal        change = PETSC_INFINITY;
  const char      *system = "", *unknown = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) group->member[i]->state.advanced = PETSC_FALSE;
  for (PetscInt n = 0; change > plan->tolerance && !plan->signalled; ++n) {
    PetscCheck(n <= plan->most, group->comm, PETSC_ERR_NOT_CONVERGED,
               "gave up at t = %g: after %" PetscInt_FMT
               " solves of each system to t = %g %s.%s still changes by %.2g of its size, wanted %g; take a shorter "
               "window, or more iterations",
               (double)a, n, (double)b, system, unknown, (double)change, (double)plan->tolerance);
    PetscCall(sweep(group, a, b, &change, &system, &unknown));
  }
  for (PetscInt i = 0; i < group->members && !plan->signalled; ++i) PetscCall(keep_sums(group->member[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(RungProblem member)
{
  RungMember      *m     = &member->state;
  const RungCarry *carry = &member->carry;

  PetscFunctionBegin;
  PetscCall(copy_state(m, m->u, m->begin));
  m->was = m->age;
  PetscCall(PetscRealloc((size_t)(carry->sums + 1) * sizeof *m->sum, &m->sum));
  PetscCall(PetscArraycpy(m->sum, carry->sum, carry->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupRewind(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem member = group->member[i];
    RungMember *m      = &member->state;

    PetscCall(copy_state(m, m->begin, m->u));
    m->age = m->was;
    PetscCall(PetscArraycpy(member->carry.sum, m->sum, member->carry.sums));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupWindow(RungProblem group, PetscReal a, PetscReal b)
{
  const RungScheme scheme = group->plan.scheme;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(begin(group->member[i]));
  if (scheme == RUNG_SCHEME_ITERATE)
    PetscCall(go_iterated(group, a, b));
  else if (scheme == RUNG_SCHEME_STRANG)
    PetscCall(go_strang(group, a, b));
  for (PetscInt i = 0; i < group->members && (scheme == RUNG_SCHEME_EXPLICIT || scheme == RUNG_SCHEME_LIE); ++i)
    PetscCall(go_once(group, i, a, b));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(take_shared(group->member[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
