/* constraint.c - affine constraints u_s = C u_m + c(t): set-up, and what they do to vectors.

   Levels hold u_s as it is: imposing puts C u_m + c^(k)(t) there, as it puts boundary data into Dirichlet entries.
   Residuals are reduced, r_m += C^T r_s, r_s = 0, and J is C^T A C with the identity for slaves.  The solution of a
   linear system with J therefore misses the slaves: extending adds C d_m to them. */
#include "constraint_impl.h"

/* ---- rows of this rank ---------------------------------------------------------------------------------------------
 */

static PetscBool is_local(RungSystem sys, PetscInt dof)
{
  return dof >= sys->form->data->start && dof < sys->form->data->start + sys->form->data->owned ? PETSC_TRUE
                                                                                                : PETSC_FALSE;
}

static PetscErrorCode count_rows(RungSystem sys, RungConstraints c, PetscInt *masters, PetscInt *data)
{
  PetscFunctionBegin;
  *masters = *data = 0;
  for (PetscInt s = 0; s < c->slaves; ++s) {
    if (!is_local(sys, c->slave[s].dof)) continue;
    ++c->n;
    *masters += c->slave[s].masters.n;
    *data += c->slave[s].data.n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Masters of other ranks: remote[place] ascending, made known by a scatter of their own. */
static PetscErrorCode set_scatter(RungSystem sys, RungConstraints c, PetscInt remotes, const PetscInt remote[])
{
  IS       from;
  Vec      u;
  PetscInt all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&remotes, &all, 1, MPIU_INT, MPI_SUM, sys->comm));
  c->exchanges = all > 0 ? PETSC_TRUE : PETSC_FALSE;
  if (!all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLayoutCreateVec(sys->form->layout, &u));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, remotes, &c->remote));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, remotes, remote, PETSC_COPY_VALUES, &from));
  PetscCall(VecScatterCreate(u, from, c->remote, NULL, &c->scatter));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_point(RungConstraints c, PetscInt equation, PetscInt dim, PetscInt *at)
{
  RungAffine *a = &c->condition[c->equations.condition[equation]];

  PetscFunctionBegin;
  if ((a->points & (a->points - 1)) == 0) {
    PetscCall(PetscRealloc((size_t)((a->points ? 2 * a->points : 1) * dim) * sizeof *a->x, &a->x));
  }
  for (PetscInt i = 0; i < dim; ++i) a->x[a->points * dim + i] = c->equations.x[3 * equation + i];
  *at = a->points++ * a->width + c->equations.component[equation];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_rows(RungSystem sys, RungConstraints c)
{
  const RungLayoutData *layout = sys->form->data;
  PetscInt              masters, data, *remote, remotes = 0, n = 0;

  PetscFunctionBegin;
  PetscCall(count_rows(sys, c, &masters, &data));
  PetscCall(PetscMalloc4(c->n, &c->entry, c->n + 1, &c->start, masters, &c->master, masters, &c->coefficient));
  PetscCall(PetscMalloc4(c->n + 1, &c->data_start, data, &c->data_of, data, &c->data_at, data, &c->data_weight));
  PetscCall(PetscMalloc1(masters, &remote));
  masters = data = 0;
  for (PetscInt s = 0; s < c->slaves; ++s) {
    const RungSlave *slave = &c->slave[s];

    if (!is_local(sys, slave->dof)) continue;
    c->entry[n]      = slave->dof - layout->start;
    c->start[n]      = masters;
    c->data_start[n] = data;
    for (PetscInt i = 0; i < slave->masters.n; ++i, ++masters) {
      c->coefficient[masters] = slave->masters.value[i];
      c->master[masters]      = slave->masters.key[i];
      if (!is_local(sys, slave->masters.key[i])) remote[remotes++] = slave->masters.key[i];
    }
    for (PetscInt i = 0; i < slave->data.n; ++i) {
      const PetscInt of = c->equations.condition[slave->data.key[i]];

      if (!c->condition[of].value[0]) continue; /* zero */
      c->data_of[data]     = of;
      c->data_weight[data] = slave->data.value[i];
      PetscCall(add_point(c, slave->data.key[i], RungSystemDim(sys), &c->data_at[data++]));
    }
    ++n;
  }
  c->start[n]      = masters;
  c->data_start[n] = data;
  PetscCall(PetscSortRemoveDupsInt(&remotes, remote));
  for (PetscInt i = 0; i < masters; ++i) {
    if (is_local(sys, c->master[i]))
      c->master[i] -= layout->start;
    else {
      PetscCall(PetscFindInt(c->master[i], remotes, remote, &c->master[i]));
      c->master[i] = -1 - c->master[i];
    }
  }
  PetscCall(set_scatter(sys, c, remotes, remote));
  PetscCall(PetscFree(remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ----------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungConstraintsSetUp(RungSystem sys)
{
  RungConstraints c;

  PetscFunctionBegin;
  if (!sys->form->constraint_texts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c));
  sys->form->constraints = c;
  PetscCall(RungConstraintsRead(sys));
  PetscCall(RungConstraintsResolve(sys));
  PetscCall(set_rows(sys, c));
  for (PetscInt i = 0; i < c->conditions; ++i) {
    RungAffine *a = &c->condition[i];

    for (PetscInt k = 0; k <= sys->traits.order; ++k) PetscCall(PetscCalloc1(a->points * a->width, &a->data[k]));
    if (a->moves) sys->traits.time_dependent = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsDestroyTexts(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->constraint_texts; ++i) {
    RungConstraintText *text = &form->constraint_text[i];

    for (PetscInt j = 0; j < text->n; ++j) PetscCall(PetscFree(text->names[j]));
    PetscCall(PetscFree(text->names));
    PetscCall(PetscFree(text->x));
    PetscCall(PetscFree(text->coefficient));
    PetscCall(PetscFree(text->name));
    PetscCall(PetscFree(text->part));
    PetscCall(PetscFree(text->other));
    PetscCall(PetscFree(text->map));
    PetscCall(PetscFree(text->text));
  }
  PetscCall(PetscFree(form->constraint_text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_table(RungConstraints c)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < c->slaves; ++s) {
    PetscCall(RungSumDestroy(&c->slave[s].masters));
    PetscCall(RungSumDestroy(&c->slave[s].data));
  }
  for (PetscInt i = 0; i < c->checks; ++i) {
    PetscCall(RungSumDestroy(&c->check[i].fixed));
    PetscCall(RungSumDestroy(&c->check[i].data));
  }
  PetscCall(PetscFree(c->slave));
  PetscCall(PetscFree(c->check));
  PetscCall(PetscHMapIDestroy(&c->index));
  PetscCall(PetscHMapIDestroy(&c->fixed));
  PetscCall(RungEquationsDestroy(&c->equations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsDestroy(RungSystem sys)
{
  RungConstraints c = sys->form->constraints;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->conditions; ++i) {
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
      PetscCall(RungPointwiseDestroy(&c->condition[i].value[k]));
      PetscCall(PetscFree(c->condition[i].data[k]));
    }
    PetscCall(PetscFree(c->condition[i].x));
  }
  PetscCall(PetscFree(c->condition));
  PetscCall(destroy_table(c));
  PetscCall(PetscFree4(c->entry, c->start, c->master, c->coefficient));
  PetscCall(PetscFree4(c->data_start, c->data_of, c->data_at, c->data_weight));
  PetscCall(PetscFree(c->follows));
  PetscCall(VecScatterDestroy(&c->scatter));
  PetscCall(VecDestroy(&c->remote));
  for (int stage = 0; stage < 2; ++stage) PetscCall(RungReductionDestroy(&c->reduction[stage]));
  PetscCall(PetscFree(sys->form->constraints));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsView(RungSystem sys, PetscViewer viewer)
{
  RungConstraints c = sys->form->constraints;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->conditions; ++i) {
    PetscInt n = 0;

    for (PetscInt e = 0; e < c->equations.n; ++e) n += c->equations.condition[e] == i ? 1 : 0;
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s%s, %" PetscInt_FMT " equations\n", c->condition[i].label,
                                     c->condition[i].text->text ? c->condition[i].text->text : "0",
                                     c->condition[i].moves ? " (moves)" : "", n));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "eliminated by constraints: %" PetscInt_FMT " entries\n", c->slaves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungConstraintsMark(RungSystem sys, PetscBool slave[])
{
  const struct _RungConstraints *c = sys->form->constraints;

  for (PetscInt s = 0; c && s < c->n; ++s) slave[c->entry[s]] = PETSC_TRUE;
}

/* ---- vectors -------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungAffineEvaluate(RungSystem sys, RungAffine *a, PetscReal t, PetscInt k)
{
  const PetscInt version = sys->form->constants_version;

  PetscFunctionBegin;
  if (!a->value[k]) PetscFunctionReturn(PETSC_SUCCESS); /* stays 0 */
  if (a->version[k] == version && (!a->moves || a->t[k] == t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseEvaluate(a->value[k], t, a->points, a->x, a->data[k]));
  a->version[k] = version;
  a->t[k]       = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of masters of other ranks; NULL where nobody has any. */
static PetscErrorCode fetch(RungConstraints c, Vec u, const PetscScalar **remote)
{
  PetscFunctionBegin;
  *remote = NULL;
  if (!c->exchanges) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScatterBegin(c->scatter, u, c->remote, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(c->scatter, u, c->remote, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(c->remote, remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar follow(RungConstraints c, PetscInt s, const PetscScalar x[], const PetscScalar remote[])
{
  PetscScalar sum = 0;

  for (PetscInt i = c->start[s]; i < c->start[s + 1]; ++i) {
    sum += c->coefficient[i] * (c->master[i] >= 0 ? x[c->master[i]] : remote[-1 - c->master[i]]);
  }
  return sum;
}

PetscErrorCode RungConstraintsImpose(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungConstraints    c = sys->form ? sys->form->constraints : NULL;
  const PetscScalar *remote;
  PetscScalar       *x;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->conditions; ++i) PetscCall(RungAffineEvaluate(sys, &c->condition[i], t, k));
  PetscCall(fetch(c, u, &remote));
  PetscCall(VecGetArray(u, &x));
  for (PetscInt s = 0; s < c->n; ++s) {
    PetscScalar value = follow(c, s, x, remote);

    for (PetscInt i = c->data_start[s]; i < c->data_start[s + 1]; ++i)
      value += c->data_weight[i] * c->condition[c->data_of[i]].data[k][c->data_at[i]];
    x[c->entry[s]] = value;
  }
  PetscCall(VecRestoreArray(u, &x));
  if (remote) PetscCall(VecRestoreArrayRead(c->remote, &remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsExtend(RungSystem sys, Vec d)
{
  RungConstraints    c = sys->form ? sys->form->constraints : NULL;
  const PetscScalar *remote;
  PetscScalar       *x;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(fetch(c, d, &remote));
  PetscCall(VecGetArray(d, &x));
  for (PetscInt s = 0; s < c->n; ++s) x[c->entry[s]] += follow(c, s, x, remote);
  PetscCall(VecRestoreArray(d, &x));
  if (remote) PetscCall(VecRestoreArrayRead(c->remote, &remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r_m += C^T r_s, or with the squares of C, r_s = 0 */
static PetscErrorCode reduce(RungSystem sys, PetscBool squares, Vec r)
{
  RungConstraints c      = sys->form->constraints;
  PetscScalar    *remote = NULL, *x;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->exchanges) {
    PetscCall(VecZeroEntries(c->remote));
    PetscCall(VecGetArray(c->remote, &remote));
  }
  PetscCall(VecGetArray(r, &x));
  for (PetscInt s = 0; s < c->n; ++s) {
    for (PetscInt i = c->start[s]; i < c->start[s + 1]; ++i) {
      PetscScalar *to = c->master[i] >= 0 ? &x[c->master[i]] : &remote[-1 - c->master[i]];

      *to += c->coefficient[i] * (squares ? c->coefficient[i] : 1) * x[c->entry[s]];
    }
  }
  for (PetscInt s = 0; s < c->n; ++s) x[c->entry[s]] = 0;
  PetscCall(VecRestoreArray(r, &x));
  if (!c->exchanges) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecRestoreArray(c->remote, &remote));
  PetscCall(VecScatterBegin(c->scatter, c->remote, r, ADD_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(c->scatter, c->remote, r, ADD_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsReduce(RungSystem sys, Vec r)
{
  PetscFunctionBegin;
  PetscCall(reduce(sys, PETSC_FALSE, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsReduceDiagonal(RungSystem sys, Vec d)
{
  PetscFunctionBegin;
  PetscCall(reduce(sys, PETSC_TRUE, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
