/* windows.c - the schemes: all systems go through a window of time, explicitly, iterated, or split after Lie or
   Strang. */
#include "coupling_impl.h"

#define NOISE (1000 * PETSC_MACHINE_EPSILON) /* relative change of what is read, which is rounding */

static PetscErrorCode go_once(RungMember m, PetscReal a, PetscReal b)
{
  PetscFunctionBegin;
  PetscCall(RungMemberAdvance(m, a, b));
  if (!m->coupling->signalled) PetscCall(RungMemberKeepSums(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode go_strang(RungCoupling c, PetscReal a, PetscReal b)
{
  const PetscReal half = a + 0.5 * (b - a);
  const PetscInt  last = c->members - 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < last; ++i) PetscCall(go_once(c->member[i], a, half));
  PetscCall(go_once(c->member[last], a, b));
  for (PetscInt i = last - 1; i >= 0; --i) PetscCall(go_once(c->member[i], half, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

/* m->moved of the sweep that has just been made; name: of the unknown that has moved most. */
static PetscErrorCode measure_change(RungMember m, PetscReal *most, const char **name)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(m->sys, &unknowns));
  *most = 0;
  for (PetscInt f = 0; f < unknowns; ++f) {
    PetscReal          sum[2] = {0, 0};
    PetscInt           first, n;
    const char        *one;
    const PetscScalar *now, *last;

    PetscCall(RungSystemGetUnknown(m->sys, f, &one, NULL));
    PetscCall(RungMemberFindRange(m->sys, one, &first, &n));
    PetscCall(VecGetArrayRead(m->u[0], &now));
    PetscCall(VecGetArrayRead(m->last, &last));
    for (PetscInt i = first; i < first + n; ++i) {
      sum[0] += PetscRealPart((now[i] - last[i]) * (now[i] - last[i]));
      sum[1] += PetscRealPart(now[i] * now[i]);
    }
    PetscCall(VecRestoreArrayRead(m->last, &last));
    PetscCall(VecRestoreArrayRead(m->u[0], &now));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPI_SUM, m->coupling->comm));
    m->sizes.whole[f] = PetscMax(m->sizes.whole[f], PetscSqrtReal(sum[1]));
    m->moved[f] = sum[0] > 0 ? (m->sizes.whole[f] > 0 ? PetscSqrtReal(sum[0]) / m->sizes.whole[f] : PETSC_INFINITY) : 0;
    if (m->moved[f] > *most) {
      *most = m->moved[f];
      *name = one;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has nothing moved that a system reads of the others, but for rounding?  Then its own change is rounding, too, however much of its size that is:
   a fluid at rest has velocities of nothing else. */
static PetscErrorCode reads_noise(RungMember m, PetscBool *noise)
{
  const char *name;
  RungMember  other;
  PetscInt    f;

  PetscFunctionBegin;
  *noise = PETSC_TRUE;
  PetscCall(RungMemberGetCoupling(m, 0, &name, &other, &f));
  for (PetscInt i = 1; name; ++i) {
    if (!(other->moved[f] <= NOISE)) *noise = PETSC_FALSE;
    PetscCall(RungMemberGetCoupling(m, i, &name, &other, &f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All systems once more; change: since the sweep before, infinite in the first. */
static PetscErrorCode sweep(RungCoupling c, PetscReal a, PetscReal b, PetscReal *change, const char **system,
                            const char **unknown)
{
  PetscFunctionBegin;
  *change = 0;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember      m     = c->member[i];
    const PetscBool first = m->advanced ? PETSC_FALSE : PETSC_TRUE;
    PetscReal       one   = PETSC_INFINITY;
    const char     *name  = "";
    PetscBool       noise = PETSC_FALSE;

    PetscCall(VecCopy(m->u[0], m->last));
    PetscCall(RungMemberCopy(m, m->begin, m->u));
    PetscCall(RungMemberAdvance(m, a, b));
    if (c->signalled) break;
    if (!first) {
      PetscCall(reads_noise(m, &noise));
      PetscCall(measure_change(m, &one, &name));
    }
    if (noise || one <= *change) continue;
    *change  = one;
    *system  = m->name;
    *unknown = name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode go_iterated(RungCoupling c, PetscReal a, PetscReal b)
{
  PetscReal   change = PETSC_INFINITY;
  const char *system = "", *unknown = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    c->member[i]->advanced = PETSC_FALSE;
    for (PetscInt f = 0; f < RUNG_MAX_UNKNOWNS; ++f) c->member[i]->moved[f] = PETSC_INFINITY;
  }
  for (PetscInt n = 0; change > c->tolerance && !c->signalled; ++n) {
    PetscCheck(n <= c->most, c->comm, PETSC_ERR_NOT_CONVERGED,
               "gave up at t = %.10g: after %" PetscInt_FMT
               " solves of each system to t = %.10g %s.%s still changes by %.2g of its size, wanted %g; take a shorter "
               "window, or more iterations",
               (double)a, n, (double)b, system, unknown, (double)change, (double)c->tolerance);
    PetscCall(sweep(c, a, b, &change, &system, &unknown));
  }
  for (PetscInt i = 0; i < c->members && !c->signalled; ++i) PetscCall(RungMemberKeepSums(c->member[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a window ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungWindowRewind(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    PetscCall(RungMemberCopy(m, m->begin, m->u));
    m->age = m->was;
    PetscCall(PetscArraycpy(m->sum, m->sum_begin, m->quantities));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWindowGo(RungCoupling c, PetscReal a, PetscReal b)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    PetscCall(RungMemberCopy(m, m->u, m->begin));
    m->was = m->age;
    PetscCall(PetscArraycpy(m->sum_begin, m->sum, m->quantities));
  }
  if (c->scheme == RUNG_COUPLING_ITERATE)
    PetscCall(go_iterated(c, a, b));
  else if (c->scheme == RUNG_COUPLING_STRANG)
    PetscCall(go_strang(c, a, b));
  else
    for (PetscInt i = 0; i < c->members; ++i) PetscCall(go_once(c->member[i], a, b));
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(RungMemberTakeShared(c->member[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Algebraic unknowns and rates of one system follow from those of others: as many rounds as there are systems. */
PetscErrorCode RungWindowSettle(RungCoupling c, PetscReal t, PetscBool fresh)
{
  PetscFunctionBegin;
  for (PetscInt round = 0; round < c->members; ++round) {
    for (PetscInt i = 0; i < c->members; ++i) {
      RungMember          m = c->member[i];
      RungTransientSystem ts;
      const RungState    *state;

      PetscCall(RungMemberSee(m));
      PetscCall(RungStepperGetTransientSystem(m->stepper, &ts));
      if (!round && fresh)
        PetscCall(RungTransientSystemStart(ts, t));
      else
        PetscCall(RungTransientSystemStartFrom(ts, t, m->u));
      PetscCall(RungTransientSystemGetState(ts, 0, &state));
      PetscCall(RungMemberCopy(m, state->u, m->u));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
