/* constraint_start.c - constraints at the start: fixed values that they join agree, and no initial state is changed that
   nobody is told of. */
#include "constraint_impl.h"

/* What the k-th rate of the data of an equation is at t; all ranks find the same. */
static PetscErrorCode data_of(RungSystem sys, PetscInt equation, PetscReal t, PetscInt k, PetscScalar *value)
{
  RungConstraints   c = sys->form->constraints;
  const RungAffine *a = &c->condition[c->equations.condition[equation]];
  PetscScalar      *all;

  PetscFunctionBegin;
  *value = 0;
  if (!a->value[k]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(a->width, &all));
  PetscCall(RungPointwiseEvaluate(a->value[k], t, 1, &c->equations.x[3 * equation], all));
  *value = all[c->equations.component[equation]];
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool slips(const struct _RungConstraints *c, PetscInt check)
{
  const RungAffine *a = &c->condition[c->equations.condition[c->check[check].equation]];

  return a->text->kind == RUNG_CONSTRAINT_SLIP ? PETSC_TRUE : PETSC_FALSE;
}

static PetscReal norm_of(const RungSum *sum)
{
  PetscReal square = 0;

  for (PetscInt j = 0; j < sum->n; ++j) square += PetscSqr(sum->value[j]);
  return PetscSqrtReal(square);
}

/* gap = sum of fixed values - data, of rate k; size what it is measured by: the sum of all |terms|, of u.n the product
   |u| |n|, so that a normal's error counts by the angle, wherever u points */
static PetscErrorCode gaps(RungSystem sys, PetscReal t, PetscInt k, const PetscScalar u[], PetscReal gap[],
                           PetscReal size[])
{
  RungConstraints       c      = sys->form->constraints;
  const RungLayoutData *layout = sys->form->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->checks; ++i) {
    const RungCheck *check = &c->check[i];

    gap[i] = size[i] = 0;
    for (PetscInt j = 0; j < check->fixed.n; ++j) {
      const PetscInt local = check->fixed.key[j] - layout->start;

      if (local < 0 || local >= layout->owned) continue;
      gap[i] += check->fixed.value[j] * PetscRealPart(u[local]);
      size[i] += slips(c, i) ? PetscSqr(PetscRealPart(u[local]))
                             : PetscAbsReal(check->fixed.value[j] * PetscRealPart(u[local]));
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, gap, (PetscMPIInt)c->checks, MPIU_REAL, MPIU_SUM, sys->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)c->checks, MPIU_REAL, MPIU_SUM, sys->comm));
  for (PetscInt i = 0; i < c->checks; ++i) {
    if (slips(c, i)) size[i] = PetscSqrtReal(size[i]) * norm_of(&c->check[i].fixed);
    for (PetscInt j = 0; j < c->check[i].data.n; ++j) {
      PetscScalar value;

      PetscCall(data_of(sys, c->check[i].data.key[j], t, k, &value));
      gap[i] -= c->check[i].data.value[j] * PetscRealPart(value);
      size[i] += PetscAbsReal(c->check[i].data.value[j] * PetscRealPart(value));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where Dirichlet data end a curved wall, its normal is that of one straight facet: they win unless they cross it. */
static PetscReal tolerance_of(const struct _RungConstraints *c, PetscInt check, PetscReal size)
{
  return slips(c, check) ? 0.35 * size + 1e-10 : 1e-10 * PetscMax(1, size);
}

/* The first check that fails, by how much; -1 none. */
static PetscErrorCode find_bad(RungSystem sys, PetscReal t, PetscInt k, Vec u, PetscInt *bad, PetscReal *off)
{
  RungConstraints    c = sys->form->constraints;
  const PetscScalar *x;
  PetscReal         *gap, *size;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->checks, &gap, c->checks, &size));
  PetscCall(VecGetArrayRead(u, &x));
  PetscCall(gaps(sys, t, k, x, gap, size));
  PetscCall(VecRestoreArrayRead(u, &x));
  *bad = -1;
  for (PetscInt i = 0; i < c->checks && *bad < 0; ++i) {
    if (PetscAbsReal(gap[i]) <= tolerance_of(c, i, size[i])) continue;
    *bad = i;
    *off = gap[i];
  }
  PetscCall(PetscFree2(gap, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_meeting(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungConstraints c   = sys->form->constraints;
  PetscReal       off = 0;
  PetscInt        bad;
  char            place[256];

  PetscFunctionBegin;
  PetscCall(find_bad(sys, t, k, u, &bad, &off));
  if (bad >= 0) {
    const RungCheck  *check = &c->check[bad];
    const RungAffine *a     = &c->condition[c->equations.condition[check->equation]];

    PetscCall(RungPlaceToText(RungSystemDim(sys), &c->equations.x[3 * check->equation], place, sizeof place));
    SETERRQ(sys->comm, PETSC_ERR_ARG_INCOMP,
            "%s and %s meet at %s and contradict each other at t = %g by %g%s; take one of them away there", a->label,
            check->other < 0 ? RungDirichletLabel(sys, -1 - check->other)
                             : c->condition[c->equations.condition[check->other]].label,
            place, (double)t, (double)PetscAbsReal(off), k ? " in their rates" : "");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The unknown of a local entry. */
static PetscInt unknown_of(RungSystem sys, PetscInt entry)
{
  PetscInt f = 0;

  while (entry >= sys->range[f + 1]) ++f;
  return f;
}

/* How far the initial state is from the constraints: differential unknowns only, others have no initial state. */
static PetscErrorCode report_gap(RungSystem sys, PetscInt k, PetscReal t, Vec given, Vec u)
{
  RungConstraints    c       = sys->form->constraints;
  PetscReal          pair[2] = {0, 0};
  const PetscScalar *x, *y;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(given, &x));
  PetscCall(VecGetArrayRead(u, &y));
  for (PetscInt s = 0; s < c->n; ++s) {
    const PetscInt f = unknown_of(sys, c->entry[s]);

    if (sys->traits.unknown_order[f] <= k) continue;
    pair[0] = PetscMax(pair[0], PetscAbsScalar(x[c->entry[s]] - y[c->entry[s]]));
  }
  for (PetscInt i = 0; i < sys->local; ++i) pair[1] = PetscMax(pair[1], PetscAbsScalar(y[i]));
  PetscCall(VecRestoreArrayRead(u, &y));
  PetscCall(VecRestoreArrayRead(given, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, pair, 2, MPIU_REAL, MPIU_MAX, sys->comm));
  if (pair[0] <= 1e-8 * pair[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP,
    "the initial %s violates its constraints by %g at t = %g; without -system_initial check slaves follow their "
    "masters",
    k ? "rate" : "state", (double)pair[0], (double)t);
  PetscCall(RungSystemWarn(sys, "the initial %s violates its constraints by %g at t = %g; slaves follow their masters",
                           k ? "rate" : "state", (double)pair[0], (double)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* given: work of the caller's */
static PetscErrorCode impose_and_report(RungSystem sys, PetscInt k, PetscReal t, Vec given, Vec u)
{
  PetscFunctionBegin;
  if (k == 0) PetscCall(check_meeting(sys, t, 0, u));
  for (PetscInt j = 1; j <= sys->traits.order && k == 0 && sys->form->constraints->checks; ++j) {
    PetscCall(VecSet(given, 0)); /* what agrees now may part later */
    PetscCall(RungSystemImposeDirichletData(sys, t, j, given));
    PetscCall(check_meeting(sys, t, j, given));
  }
  PetscCall(VecCopy(u, given));
  PetscCall(RungConstraintsImpose(sys, t, k, u));
  PetscCall(report_gap(sys, k, t, given, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As RungDirichletExplain(), of one condition and one derivative. */
static PetscErrorCode find_infinite(RungSystem sys, RungAffine *a, PetscReal t, PetscInt k, char message[], size_t size,
                                    PetscBool *bad)
{
  const PetscInt dim        = RungSystemDim(sys);
  PetscInt       at         = -1;
  char           place[256] = "";

  PetscFunctionBegin;
  PetscCall(RungAffineEvaluate(sys, a, t, k));
  for (PetscInt i = 0; i < a->points * a->width && at < 0; ++i) {
    if (PetscIsInfOrNanScalar(a->data[k][i])) at = i;
  }
  if (at >= 0) PetscCall(RungPlaceToText(dim, a->x + at / a->width * dim, place, sizeof place));
  PetscCall(RungDataMessage(sys, at < 0, a->label, place, t, k, message, size, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsExplain(RungSystem sys, PetscReal t, char message[], size_t size)
{
  RungConstraints c   = sys->form->constraints;
  PetscBool       bad = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; c && i < c->conditions && !bad; ++i) {
    for (PetscInt k = 0; k <= sys->traits.order && !bad; ++k)
      PetscCall(find_infinite(sys, &c->condition[i], t, k, message, size, &bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsStart(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungConstraints c = sys->form ? sys->form->constraints : NULL;
  Vec             given;
  char            message[1024];
  PetscBool       bad;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->conditions; ++i) {
    for (PetscInt j = k; j <= sys->traits.order; ++j) {
      PetscCall(find_infinite(sys, &c->condition[i], t, j, message, sizeof message, &bad));
      PetscCheck(!bad, sys->comm, PETSC_ERR_FP, "%s", message);
    }
  }
  PetscCall(VecDuplicate(u, &given));
  RungCallFinally(impose_and_report(sys, k, t, given, u), PetscCall(VecDestroy(&given)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
