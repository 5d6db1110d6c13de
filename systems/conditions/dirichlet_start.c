/* dirichlet_start.c - boundary data at the start: finite, one value where conditions meet, and no contradiction to the
   initial state that nobody is told of. */
#include <rungown_room.h>
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

/* error[node of c]: what rounding in the evaluation of c and of other (NULL: of c alone), and with `state` of the initial values, may have
   done to u^(k) there: numbers below this are zeros, however small the others are. */
static PetscErrorCode rounding_of(RungSystem sys, const RungCondition *c, const RungCondition *other, PetscBool state,
                                  PetscReal t, PetscInt k, PetscReal error[])
{
  const RungPointwise  both[] = {c->value[k], other ? other->value[k] : NULL};
  RUNG_FREE PetscReal *one    = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->nodes, &one));
  PetscCall(PetscArrayzero(error, c->nodes));
  for (int i = 0; i < 2; ++i) {
    if (!both[i]) continue;
    PetscCall(RungPointwiseRounding(both[i], t, c->nodes, c->x, one));
    for (PetscInt j = 0; j < c->nodes; ++j) error[j] = PetscMax(error[j], SAFE * one[j]);
  }
  for (PetscInt i = 0; state && i < sys->form->initials; ++i) {
    if (sys->form->target[i].unknown != c->target.unknown || sys->form->target[i].k != k || !sys->form->value[i])
      continue;
    PetscCall(RungPointwiseRounding(sys->form->value[i], t, c->nodes, c->x, one));
    for (PetscInt j = 0; j < c->nodes; ++j) error[j] = PetscMax(error[j], SAFE * one[j]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conditions that meet ----------------------------------------------------------------------------------------- */

/* Where a condition meets another one, and their data differ. */
typedef struct {
  const RungCondition *other; /* NULL: nowhere on this rank */
  PetscReal            mine, its;
  char                 place[256];
} Difference;

/* d->given holds the k-th derivatives of the first's data, d->owner their conditions. */
static PetscErrorCode find_difference(RungSystem sys, RungDirichlet d, const RungCondition *c, PetscReal t, PetscInt k,
                                      Difference *found)
{
  const PetscInt       width = c->target.width, first = PetscMax(0, c->target.component);
  const RungCondition *asked = NULL; /* that rounding[] is of */
  const RungSpaceData *space;
  PetscReal            size, *rounding;

  PetscFunctionBegin;
  *found = (Difference){0};
  PetscCall(size_of(sys, c->target.unknown, k, NULL, &size));
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  PetscCall(PetscMalloc1(c->nodes, &rounding));
  for (PetscInt j = 0; j < c->nodes * width && !found->other; ++j) {
    const PetscInt dof = RungLayoutDof(sys->form->layout, c->target.unknown, c->node[j / width], first + j % width);
    const RungCondition *other = &d->condition[d->owner[dof]];

    found->mine = PetscRealPart(c->data[k][j]);
    found->its  = PetscRealPart(d->given[dof]);
    if (PetscAbsReal(found->mine - found->its) <= AGREE * size) continue;
    if (asked != other) PetscCall(rounding_of(sys, c, other, PETSC_FALSE, t, k, rounding));
    asked = other;
    if (PetscAbsReal(found->mine - found->its) <= rounding[j / width]) continue;
    found->other = other;
    PetscCall(RungTargetPlace(space, c->node[j / width], found->place, sizeof found->place));
  }
  PetscCall(PetscFree(rounding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_meeting(RungSystem sys, RungDirichlet d, PetscInt i, PetscReal t)
{
  RungCondition *c = &d->condition[i];
  Difference     at;

  PetscFunctionBegin;
  PetscCall(find_difference(sys, d, c, t, 0, &at));
  RungCheckAll(!at.other, sys->comm, PETSC_ERR_ARG_INCOMP,
               "%s (%s) and %s (%s) meet at %s and differ at t = %g: %g and %g; let them agree there, as by if(x[0] > "
               "0, 1, 0), or take one of them away",
               c->label, sys->form->condition[i].text, at.other ? at.other->label : "",
               at.other ? sys->form->condition[at.other - d->condition].text : "", at.place, (double)t, (double)at.mine,
               (double)at.its);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What agrees now parts if rates differ: told, not refused, because data that begin to move at once, a lid beside walls,
   do so in every corner. */
static PetscErrorCode report_parting(RungSystem sys, RungDirichlet d, PetscInt i, PetscReal t, PetscInt k)
{
  RungCondition *c          = &d->condition[i];
  char           text[2048] = "";
  PetscBool      parts;
  Difference     at;

  PetscFunctionBegin;
  PetscCall(find_difference(sys, d, c, t, k, &at));
  if (at.other)
    (void)snprintf(text, sizeof text,
                   "%s and %s meet at %s and part after t = %g: rates %g and %g; the latter holds there", c->label,
                   at.other->label, at.place, (double)t, (double)at.mine, (double)at.its);
  PetscCall(RungCheckAll_Private(sys->comm, at.other ? 0 : 1, text, sizeof text, &parts));
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

/* The largest difference of a condition's data to u^(k) above rounding[node], and which of this rank's entries has it.
   rounding NULL: zeros */
static PetscErrorCode find_gap(RungSystem sys, const RungCondition *c, PetscInt k, const PetscScalar u[],
                               const PetscReal rounding[], Gap *gap, PetscInt *worst)
{
  Gap here = {0, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(sys->comm, &here.rank));
  *worst = -1;
  for (PetscInt j = 0; j < c->n; ++j) {
    const double difference = (double)PetscAbsScalar(c->data[k][c->from[j]] - u[c->entry[j]]);

    if (difference <= here.gap || (rounding && difference <= rounding[c->from[j] / c->target.width])) continue;
    if (sys->rated && !sys->rated[c->entry[j]]) continue;
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
  RUNG_FREE PetscReal *rounding   = NULL;
  PetscReal            size;
  PetscInt             worst;
  PetscMPIInt          rank;
  Gap                  gap;

  PetscFunctionBegin;
  PetscCall(find_gap(sys, c, k, u, NULL, &gap, &worst));
  PetscCall(size_of(sys, c->target.unknown, k, u, &size));
  if (gap.gap <= AGREE * size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(c->nodes, &rounding));
  PetscCall(rounding_of(sys, c, NULL, PETSC_TRUE, t, k, rounding));
  PetscCall(find_gap(sys, c, k, u, rounding, &gap, &worst));
  if (gap.gap <= AGREE * size) PetscFunctionReturn(PETSC_SUCCESS);
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
  for (PetscInt i = 0; i < d->conditions && k == 0; ++i) {
    const RungCondition *c = &d->condition[i];

    PetscCall(RungSeamCheck(sys, c->label, sys->form->condition[i].text, sys->form->space[c->target.unknown],
                            sys->form->condition[i].part, c->value[0], c->target.width, t, c->nodes * c->target.width,
                            c->data[0]));
  }
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
