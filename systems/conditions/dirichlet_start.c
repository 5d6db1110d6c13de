/* dirichlet_start.c - boundary data at the start: finite, one value where conditions meet, and no contradiction to the
   initial state that nobody is told of. */
#include "dirichlet_impl.h"

/* bad: the k-th derivative of the data at t has a number that is not finite; message names condition and place then, the
   same on all ranks. */
static PetscErrorCode find_bad(RungSystem sys, RungCondition *c, PetscReal t, PetscInt k, char message[], size_t size,
                               PetscBool *bad)
{
  const PetscInt       width = c->target.width;
  const RungSpaceData *space;
  PetscInt             at         = -1;
  char                 place[256] = "";

  PetscFunctionBegin;
  PetscCall(RungConditionEvaluate(sys, c, t, k));
  for (PetscInt i = 0; i < c->nodes * width && at < 0; ++i) {
    if (PetscIsInfOrNanScalar(c->data[k][i])) at = i;
  }
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  if (at >= 0) PetscCall(RungTargetPlace(space, c->node[at / width], place, sizeof place));
  PetscCall(RungDataMessage(sys, at < 0, c->label, place, t, k, message, size, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDataMessage(RungSystem sys, int finite, const char label[], const char place[], PetscReal t,
                               PetscInt k, char message[], size_t size, PetscBool *bad)
{
  PetscFunctionBegin;
  message[0] = 0;
  if (!finite)
    PetscCall(PetscSNPrintf(message, size, "%s: %s is not finite at %s, t = %g", label,
                            k ? "a time derivative of the data" : "the data", place, (double)t));
  PetscCall(RungCheckAll_Private(sys->comm, finite, message, size, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirichletExplain(RungSystem sys, PetscReal t, char message[], size_t size)
{
  RungDirichlet d   = sys->form ? sys->form->dirichlet : NULL;
  PetscBool     bad = PETSC_FALSE;

  PetscFunctionBegin;
  message[0] = 0;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < d->conditions && !bad; ++i) {
    for (PetscInt k = 0; k <= sys->traits.order && !bad; ++k)
      PetscCall(find_bad(sys, &d->condition[i], t, k, message, size, &bad));
  }
  if (!bad) PetscCall(RungConstraintsExplain(sys, t, message, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sizes: what is rounding ------------------------------------------------------------------------------------- */

#define AGREE 1e-8 /* of an unknown's size: data and state that differ by less are written with few digits */
#define SAFE  16   /* times what rounding was seen to do */

/* The largest value of unknown f: in u (NULL: not looked at) and in all data of its k-th derivative. */
static PetscErrorCode size_of(RungSystem sys, PetscInt f, PetscInt k, const PetscScalar u[], PetscReal *size)
{
  RungDirichlet d = sys->form->dirichlet;

  PetscFunctionBegin;
  *size = 0;
  for (PetscInt i = sys->range[f]; u && i < sys->range[f + 1]; ++i) *size = PetscMax(*size, PetscAbsScalar(u[i]));
  for (PetscInt i = 0; i < d->conditions; ++i) {
    const RungCondition *c = &d->condition[i];

    if (c->target.unknown != f) continue;
    for (PetscInt j = 0; j < c->nodes * c->target.width; ++j) *size = PetscMax(*size, PetscAbsScalar(c->data[k][j]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, 1, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rounding in the evaluation of its data, and with `state` of its initial values, may have done to u^(k) of unknown f:
   numbers below this are zeros, however small the others are. */
static PetscErrorCode rounding_of(RungSystem sys, PetscInt f, PetscBool state, PetscReal t, PetscInt k,
                                  PetscReal *rounding)
{
  RungDirichlet        d = sys->form->dirichlet;
  const RungSpaceData *space;
  PetscReal            error;

  PetscFunctionBegin;
  *rounding = 0;
  for (PetscInt i = 0; i < d->conditions; ++i) {
    const RungCondition *c = &d->condition[i];

    if (c->target.unknown != f || !c->value[k]) continue;
    PetscCall(RungPointwiseRounding(c->value[k], t, c->nodes, c->x, &error));
    *rounding = PetscMax(*rounding, SAFE * error);
  }
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  for (PetscInt i = 0; state && i < sys->form->initials; ++i) {
    if (sys->form->target[i].unknown != f || sys->form->target[i].k != k || !sys->form->value[i]) continue;
    PetscCall(RungPointwiseRounding(sys->form->value[i], t, space->owned, space->x, &error));
    *rounding = PetscMax(*rounding, SAFE * error);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rounding, 1, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conditions that meet ----------------------------------------------------------------------------------------- */

/* Where conditions meet they must say the same: d->given holds the first's values, d->owner their conditions. */
static PetscErrorCode check_meeting(RungSystem sys, RungDirichlet d, PetscInt i, PetscReal t)
{
  RungCondition       *c = &d->condition[i], *other = NULL;
  const PetscInt       width = c->target.width, first = PetscMax(0, c->target.component);
  const RungSpaceData *space;
  char                 place[256] = "";
  PetscReal            a = 0, b = 0, size, rounding;

  PetscFunctionBegin;
  PetscCall(size_of(sys, c->target.unknown, 0, NULL, &size));
  PetscCall(rounding_of(sys, c->target.unknown, PETSC_FALSE, t, 0, &rounding));
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  for (PetscInt j = 0; j < c->nodes * width && !other; ++j) {
    const PetscInt dof = RungLayoutDof(sys->form->layout, c->target.unknown, c->node[j / width], first + j % width);

    a = PetscRealPart(c->data[0][j]);
    b = PetscRealPart(d->given[dof]);
    if (PetscAbsReal(a - b) <= PetscMax(AGREE * size, rounding)) continue;
    other = &d->condition[d->owner[dof]];
    PetscCall(RungTargetPlace(space, c->node[j / width], place, sizeof place));
  }
  RungCheckAll(!other, sys->comm, PETSC_ERR_ARG_INCOMP,
               "%s (%s) and %s (%s) meet at %s and differ at t = %g: %g and %g; take one of them away there", c->label,
               sys->form->condition[i].text, other ? other->label : "",
               other ? sys->form->condition[other - d->condition].text : "", place, (double)t, (double)a, (double)b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What agrees now parts if rates differ: told, not refused, because data that begin to move at once, a lid beside walls,
   do so in every corner. */
static PetscErrorCode report_parting(RungSystem sys, RungDirichlet d, PetscInt i, PetscReal t, PetscInt k)
{
  RungCondition       *c = &d->condition[i], *other = NULL;
  const PetscInt       width = c->target.width, first = PetscMax(0, c->target.component);
  const RungSpaceData *space;
  char                 place[256] = "", text[2048] = "";
  PetscReal            a = 0, b = 0, size, rounding;
  PetscBool            parts;

  PetscFunctionBegin;
  PetscCall(size_of(sys, c->target.unknown, k, NULL, &size));
  PetscCall(rounding_of(sys, c->target.unknown, PETSC_FALSE, t, k, &rounding));
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  for (PetscInt j = 0; j < c->nodes * width && !other; ++j) {
    const PetscInt dof = RungLayoutDof(sys->form->layout, c->target.unknown, c->node[j / width], first + j % width);

    a = PetscRealPart(c->data[k][j]);
    b = PetscRealPart(d->given[dof]);
    if (PetscAbsReal(a - b) <= PetscMax(AGREE * size, rounding)) continue;
    other = &d->condition[d->owner[dof]];
    PetscCall(RungTargetPlace(space, c->node[j / width], place, sizeof place));
    (void)snprintf(text, sizeof text,
                   "%s and %s meet at %s and part after t = %g: rates %g and %g; the latter holds there", c->label,
                   other->label, place, (double)t, (double)a, (double)b);
  }
  PetscCall(RungCheckAll_Private(sys->comm, other ? 0 : 1, text, sizeof text, &parts));
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscCall(RungSystemWarn(sys, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* meet: k = 0 is what conditions must agree in, the first rate what they should */
static PetscErrorCode check_conditions(RungSystem sys, PetscReal t, PetscInt k, PetscBool meet)
{
  RungDirichlet d = sys->form->dirichlet;
  char          message[1024];
  PetscBool     bad;

  PetscFunctionBegin;
  if (!d->conditions) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(d->given)); /* of a start that was refused */
  PetscCall(PetscMalloc1(sys->local, &d->given));
  for (PetscInt i = 0; i < d->conditions; ++i) {
    RungCondition *c = &d->condition[i];

    PetscCall(find_bad(sys, c, t, k, message, sizeof message, &bad));
    PetscCheck(!bad, sys->comm, PETSC_ERR_FP, "%s", message);
    for (PetscInt j = 0; j < c->n; ++j) d->given[c->entry[j]] = c->data[k][c->from[j]];
  }
  for (PetscInt i = 0; i < d->conditions && k == 0; ++i) PetscCall(check_meeting(sys, d, i, t));
  for (PetscInt i = 0; i < d->conditions && k == 1 && meet; ++i) PetscCall(report_parting(sys, d, i, t, k));
  PetscCall(PetscFree(d->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- data against the state --------------------------------------------------------------------------------------- */

typedef struct {
  double gap;
  int    rank;
} Gap;

/* The largest difference of a condition's data to u^(k), and which of this rank's entries has it. */
static PetscErrorCode find_gap(RungSystem sys, const RungCondition *c, PetscInt k, const PetscScalar u[], Gap *gap,
                               PetscInt *worst)
{
  Gap here = {0, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(sys->comm, &here.rank));
  *worst = -1;
  for (PetscInt j = 0; j < c->n; ++j) {
    const double difference = (double)PetscAbsScalar(c->data[k][c->from[j]] - u[c->entry[j]]);

    if (difference <= here.gap || (sys->rated && !sys->rated[c->entry[j]])) continue;
    here.gap = difference;
    *worst   = j;
  }
  PetscCallMPI(MPI_Allreduce(&here, gap, 1, MPI_DOUBLE_INT, MPI_MAXLOC, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A difference counts by the size of the whole unknown: what is rounding of a number inside the domain is rounding on its
   edge too.  Where all of it is small, by what rounding can have done. */
static PetscErrorCode report_gap(RungSystem sys, const RungCondition *c, PetscReal t, PetscInt k, const PetscScalar u[])
{
  const RungSpaceData *space;
  char                 place[256] = "";
  PetscReal            size, rounding;
  PetscInt             worst;
  PetscMPIInt          rank;
  Gap                  gap;

  PetscFunctionBegin;
  PetscCall(find_gap(sys, c, k, u, &gap, &worst));
  PetscCall(size_of(sys, c->target.unknown, k, u, &size));
  if (gap.gap <= AGREE * size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(rounding_of(sys, c->target.unknown, PETSC_TRUE, t, k, &rounding));
  if (gap.gap <= rounding) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(sys->comm, &rank));
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  if (rank == gap.rank) {
    PetscCall(RungTargetPlace(space, c->node[c->from[worst] / c->target.width], place, sizeof place));
  }
  PetscCallMPI(MPI_Bcast(place, sizeof place, MPI_CHAR, gap.rank, sys->comm));
  PetscCheck(
    sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP,
    "%s contradicts the initial %s by %g at %s, t = %g; without -system_initial check the state takes the data",
    c->label, k ? "rate" : "state", gap.gap, place, (double)t);
  PetscCall(RungSystemWarn(sys, "%s contradicts the initial %s by %g at %s, t = %g; the state takes the data", c->label,
                           k ? "rate" : "state", gap.gap, place, (double)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemStartDirichlet(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungDirichlet      d;
  const PetscScalar *x;

  PetscFunctionBegin;
  if (!sys->form || !sys->form->dirichlet->any) PetscFunctionReturn(PETSC_SUCCESS);
  d = sys->form->dirichlet;
  for (PetscInt j = k; j <= sys->traits.order; ++j)
    PetscCall(check_conditions(sys, t, j, k == 0 ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = 0; i < d->conditions; ++i) { /* algebraic unknowns have no initial state to contradict */
    if (sys->traits.unknown_order[d->condition[i].target.unknown] > k) {
      PetscCall(report_gap(sys, &d->condition[i], t, k, x));
    }
  }
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCall(RungSystemImposeDirichletData(sys, t, k, u));
  PetscCall(RungConstraintsStart(sys, t, k, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
