/* windows.c - the schemes: all systems go through a window of time, explicitly, iterated, or split after Lie or
   Strang. */
#include "coupling_impl.h"

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

/* The largest change of an unknown since the sweep before, over its size; name: that unknown. */
static PetscErrorCode measure_change(RungMember m, PetscReal *change, const char **name)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(m->sys, &unknowns));
  *change = 0;
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

    PetscCall(VecCopy(m->u[0], m->last));
    PetscCall(RungMemberCopy(m, m->begin, m->u));
    PetscCall(RungMemberAdvance(m, a, b));
    if (c->signalled) break;
    if (!first) PetscCall(measure_change(m, &one, &name));
    if (one <= *change) continue;
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
  for (PetscInt i = 0; i < c->members; ++i) c->member[i]->advanced = PETSC_FALSE;
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
