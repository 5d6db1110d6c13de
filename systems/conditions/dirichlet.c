/* dirichlet.c - boundary data of a time level and its time derivatives.

   Every condition lists the nodes of its part and, of these, the entries that it gives: where conditions meet, the first
   one gives the value and the others must agree.  The derivatives of the data are expressions of their own.  Data that do
   not depend on t are evaluated once, others once for each (t, k) in a row; nothing is allocated after set-up. */
#include <rungown_room.h>
#include "dirichlet_impl.h"

/* ---- set-up ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_condition(RungSystem sys, const RungDataText *text, RungCondition *c)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(c->label, sizeof c->label, "Dirichlet %s on %s", text->name, text->part));
  PetscCall(RungTargetFind(sys, c->label, text->name, &c->target));
  PetscCheck(c->target.k == 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: data are given for the unknown, its rates follow by differentiation", c->label);
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  PetscCheck(
    space->continuous, sys->comm, PETSC_ERR_SUP,
    "%s: \"%s\" lives in %s, which has no values on the boundary; put the condition into a residual, or take a "
    "continuous space",
    c->label, sys->form->name[c->target.unknown], space->spec);
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) c->version[k] = -1;
  PetscCall(RungTargetReadLevels(sys, &c->target, c->label, text->text, c->value, &c->moves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the part with their coordinates; marks all its entries, those of ghosts too, as fixed. */
static PetscErrorCode find_nodes(RungSystem sys, const char part[], RungCondition *c, PetscInt index)
{
  RungFormSide         form = sys->form;
  const PetscInt       f = c->target.unknown, width = c->target.width, first = PetscMax(0, c->target.component);
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  RUNG_FREE PetscInt  *node = NULL;
  PetscInt             count;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(form->space[f], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungSpaceGetPartNodes(form->space[f], part, &count, &node));
  PetscCall(PetscMalloc4(count, &c->node, count * mesh->dim, &c->x, count * width, &c->entry, count * width, &c->from));
  for (PetscInt i = 0; i < count; ++i) {
    const PetscBool mine = node[i] < space->owned ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt a = 0; a < width; ++a) {
      const PetscInt dof = RungLayoutDof(form->layout, f, node[i], first + a);

      form->fixed[dof] = PETSC_TRUE;
      if (!mine || form->dirichlet->owner[dof] >= 0) continue;
      form->dirichlet->owner[dof] = index;
      c->entry[c->n]              = dof;
      c->from[c->n++]             = c->nodes * width + a;
    }
    if (!mine) continue;
    c->node[c->nodes] = node[i];
    for (PetscInt a = 0; a < mesh->dim; ++a) c->x[c->nodes * mesh->dim + a] = space->x[node[i] * mesh->dim + a];
    ++c->nodes;
  }
  for (PetscInt k = 0; k <= sys->traits.order; ++k) PetscCall(PetscCalloc1(c->nodes * width, &c->data[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Data that move on a part which one condition in front of them gives as a whole would be nowhere, whatever they are: a lid behind
   `boundary` that begins gently agrees with it at the start, and is refused here. */
static PetscErrorCode check_covered(RungSystem sys, PetscInt index)
{
  const RungDirichlet  d     = sys->form->dirichlet;
  const RungCondition *c     = &d->condition[index], *other;
  const PetscInt       width = c->target.width, first = PetscMax(0, c->target.component);
  PetscInt             most[2] = {-1, -d->conditions - 1}; /* the largest owner, and the smallest times -1 */

  PetscFunctionBegin;
  for (PetscInt j = 0; j < c->nodes * width; ++j) {
    const PetscInt owner =
      d->owner[RungLayoutDof(sys->form->layout, c->target.unknown, c->node[j / width], first + j % width)];

    most[0] = PetscMax(most[0], owner);
    most[1] = PetscMax(most[1], -owner);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_INT, MPI_MAX, sys->comm));
  if (most[0] < 0 || most[0] != -most[1] || most[0] == index) PetscFunctionReturn(PETSC_SUCCESS);
  other = &d->condition[most[0]];
  if (!(c->moves || other->moves) || !strcmp(sys->form->condition[index].text, sys->form->condition[most[0]].text))
    PetscFunctionReturn(PETSC_SUCCESS);
  SETERRQ(sys->comm, PETSC_ERR_ARG_INCOMP,
          "%s (%s) gives nothing: %s (%s) in front of it has all these nodes, and the first condition holds; put it in "
          "front of that one, or let that one be on the other parts",
          c->label, sys->form->condition[index].text, other->label, sys->form->condition[most[0]].text);
}

/* Fixed entries and slaves: both hold given values, zero residuals, rows of the identity. */
static PetscErrorCode list_entries(RungSystem sys, RungDirichlet d)
{
  const PetscBool     *fixed = sys->form->fixed;
  PetscInt             n     = 0, all;
  RUNG_FREE PetscBool *slave = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sys->local, &slave));
  RungConstraintsMark(sys, slave);
  for (PetscInt i = 0; i < sys->local; ++i) n += fixed[i] || slave[i] ? 1 : 0;
  PetscCall(PetscMalloc1(n, &d->entry));
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (fixed[i] || slave[i]) d->entry[d->n++] = i;
  }
  PetscCallMPI(MPI_Allreduce(&n, &all, 1, MPIU_INT, MPI_SUM, sys->comm));
  d->any = all > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirichletSetUp(RungSystem sys)
{
  RungFormSide  form = sys->form;
  RungDirichlet d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  form->dirichlet = d;
  PetscCall(PetscCalloc1(form->data->local, &form->fixed));
  PetscCall(PetscMalloc1(form->conditions ? sys->local : 0, &d->owner));
  for (PetscInt i = 0; i < sys->local && form->conditions; ++i) d->owner[i] = -1;
  PetscCall(PetscCalloc1(form->conditions, &d->condition));
  for (PetscInt i = 0; i < form->conditions; ++i) {
    d->conditions = i + 1;
    PetscCall(read_condition(sys, &form->condition[i], &d->condition[i]));
    PetscCall(find_nodes(sys, form->condition[i].part, &d->condition[i], i));
    PetscCall(check_covered(sys, i));
  }
  PetscCall(RungConstraintsSetUp(sys));
  PetscCall(list_entries(sys, d));
  PetscCall(RungRatedSetUp(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirichletDestroy(RungDirichlet *dirichlet)
{
  RungDirichlet d = *dirichlet;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < d->conditions; ++i) {
    RungCondition *c = &d->condition[i];

    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
      PetscCall(RungPointwiseDestroy(&c->value[k]));
      PetscCall(PetscFree(c->data[k]));
    }
    PetscCall(PetscFree4(c->node, c->x, c->entry, c->from));
  }
  PetscCall(PetscFree(d->condition));
  PetscCall(PetscFree(d->entry));
  PetscCall(PetscFree(d->given));
  PetscCall(PetscFree(d->owner));
  PetscCall(PetscFree(*dirichlet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirichletIsTimeDependent(RungSystem sys, PetscBool *flag)
{
  RungDirichlet d = sys->form->dirichlet;

  PetscFunctionBegin;
  *flag = PETSC_FALSE;
  for (PetscInt i = 0; i < d->conditions; ++i) {
    if (d->condition[i].moves) *flag = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirichletView(RungSystem sys, PetscViewer viewer)
{
  RungDirichlet d = sys->form->dirichlet;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->conditions; ++i) {
    PetscInt all;

    PetscCallMPI(MPI_Allreduce(&d->condition[i].n, &all, 1, MPIU_INT, MPI_SUM, sys->comm));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s%s, %" PetscInt_FMT " entries\n", d->condition[i].label,
                                     sys->form->condition[i].text, d->condition[i].moves ? " (moves)" : "", all));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- evaluation --------------------------------------------------------------------------------------------------- */

PetscErrorCode RungConditionEvaluate(RungSystem sys, RungCondition *c, PetscReal t, PetscInt k)
{
  const PetscInt version = sys->form->constants_version;

  PetscFunctionBegin;
  if (!c->value[k]) PetscFunctionReturn(PETSC_SUCCESS); /* stays 0 */
  if (c->version[k] == version && (!c->moves || c->t[k] == t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseEvaluate(c->value[k], t, c->nodes, c->x, c->data[k]));
  c->version[k] = version;
  c->t[k]       = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemHasDirichlet(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *has = sys->form ? sys->form->dirichlet->any : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemImposeDirichletData(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungDirichlet d = sys->form->dirichlet;
  PetscScalar  *x;

  PetscFunctionBegin;
  PetscCheck(k >= 0 && k <= sys->traits.order, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "derivative %" PetscInt_FMT " of boundary data in a system of order %" PetscInt_FMT, k, sys->traits.order);
  PetscCall(VecGetArray(u, &x));
  for (PetscInt i = 0; i < d->conditions; ++i) {
    RungCondition *c = &d->condition[i];

    PetscCall(RungConditionEvaluate(sys, c, t, k));
    for (PetscInt j = 0; j < c->n; ++j) x[c->entry[j]] = c->data[k][c->from[j]];
  }
  PetscCall(VecRestoreArray(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemImposeDirichlet(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  PetscInt entries;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(VecGetSize(u, &entries));
  PetscCheck(entries == sys->global, sys->comm, PETSC_ERR_ARG_SIZ,
             "boundary data for a Vec of %" PetscInt_FMT " entries in a system of %" PetscInt_FMT
             "; create it with RungSystemCreateVec()",
             entries, sys->global);
  if (!sys->form || !sys->form->dirichlet->any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemImposeDirichletData(sys, t, k, u));
  PetscCall(RungConstraintsImpose(sys, t, k, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemZeroDirichlet(RungSystem sys, Vec r)
{
  RungDirichlet d;
  PetscScalar  *x;

  PetscFunctionBegin;
  RungNeed(sys);
  if (!sys->form || !sys->form->dirichlet->any) PetscFunctionReturn(PETSC_SUCCESS);
  d = sys->form->dirichlet;
  PetscCall(VecGetArray(r, &x));
  for (PetscInt i = 0; i < d->n; ++i) x[d->entry[i]] = 0;
  PetscCall(VecRestoreArray(r, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTakeDirichlet(RungSystem sys, Vec from, Vec to)
{
  RungDirichlet      d;
  const PetscScalar *x;
  PetscScalar       *y;

  PetscFunctionBegin;
  if (!sys->form || !sys->form->dirichlet->any) PetscFunctionReturn(PETSC_SUCCESS);
  d = sys->form->dirichlet;
  PetscCall(VecGetArrayRead(from, &x));
  PetscCall(VecGetArray(to, &y));
  for (PetscInt i = 0; i < d->n; ++i) y[d->entry[i]] = x[d->entry[i]];
  PetscCall(VecRestoreArray(to, &y));
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetDirichlet(RungSystem sys, PetscReal t, PetscInt k, IS *rows, Vec *values)
{
  RungDirichlet      d;
  PetscInt          *row, start, n;
  Vec                u;
  const PetscScalar *x;
  PetscScalar       *value;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(rows);
  RungNeedArgument(values);
  PetscCall(RungSystemSetUp(sys));
  d = sys->form ? sys->form->dirichlet : NULL;
  n = d ? d->n : 0;
  PetscCall(sys->ops->create_vec(sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(VecGetOwnershipRange(u, &start, NULL));
  PetscCall(PetscMalloc1(n, &row));
  for (PetscInt i = 0; i < n; ++i) row[i] = start + d->entry[i];
  PetscCall(ISCreateGeneral(sys->comm, n, row, PETSC_OWN_POINTER, rows));
  PetscCall(VecCreateMPI(sys->comm, n, PETSC_DETERMINE, values));
  PetscCall(RungSystemImposeDirichlet(sys, t, k, u));
  PetscCall(VecGetArrayRead(u, &x));
  PetscCall(VecGetArrayWrite(*values, &value));
  for (PetscInt i = 0; i < n; ++i) value[i] = x[d->entry[i]];
  PetscCall(VecRestoreArrayWrite(*values, &value));
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungDirichletLabel(RungSystem sys, PetscInt condition)
{
  return condition < sys->form->dirichlet->conditions ? sys->form->dirichlet->condition[condition].label : "";
}

PetscInt RungDirichletOf(RungSystem sys, PetscInt local)
{
  return sys->form->conditions ? sys->form->dirichlet->owner[local] : -1;
}
