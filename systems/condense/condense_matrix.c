/* condense_matrix.c - the matrix without internal variables, S = K_uu - K_us K_ss^-1 K_su, and the way back.

   K_uu is inserted as it comes from the kernels; K_us, K_su and the blocks K_ss of the points are added up cell by cell over
   all integrals, and their product is inserted at the end.  For J (x_u, x_s) = (b_u, b_s)

       S x_u = b_u - K_us K_ss^-1 b_s,     x_s = K_ss^-1 b_s - (K_ss^-1 K_su) x_u. */
#include "condense_impl.h"

#define ATTACHED "RungCondensed"

/* ---- small dense blocks ---------------------------------------------------------------------------------------------
 */

/* Row with the largest entry of column k, measured by what its row held at the beginning: units of rows do not matter. */
static PetscInt find_pivot(PetscInt n, PetscInt k, const PetscScalar a[], const PetscScalar scale[])
{
  PetscInt  best = -1;
  PetscReal most = 0;

  for (PetscInt i = k; i < n; ++i) {
    const PetscReal size = PetscAbsScalar(a[i * n + k] * scale[i]);

    if (size > most) best = i, most = size; /* false for NaN */
  }
  return best;
}

static void swap_rows(PetscInt n, PetscScalar x[], PetscScalar y[])
{
  for (PetscInt j = 0; j < n; ++j) {
    const PetscScalar kept = x[j];

    x[j] = y[j];
    y[j] = kept;
  }
}

/* Gauss and Jordan, in place: column k of the inverse takes the place of column k of a.  Points have few entries, and there
   are many points: a call to LAPACK costs more than the work. */
PetscBool RungCondenseInvert(PetscInt n, PetscScalar a[], PetscInt pivot[], PetscScalar scale[])
{
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal largest = 0;

    for (PetscInt j = 0; j < n; ++j) largest = PetscMax(largest, PetscAbsScalar(a[i * n + j]));
    if (!(largest > 0)) return PETSC_FALSE;
    scale[i] = 1 / largest;
  }
  for (PetscInt k = 0; k < n; ++k) {
    PetscScalar factor;

    pivot[k] = find_pivot(n, k, a, scale);
    if (pivot[k] < 0) return PETSC_FALSE;
    if (pivot[k] != k) swap_rows(n, a + k * n, a + pivot[k] * n);
    scale[pivot[k]] = scale[k];
    factor          = 1 / a[k * n + k];
    a[k * n + k]    = 1;
    for (PetscInt j = 0; j < n; ++j) a[k * n + j] *= factor;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscScalar m = a[i * n + k];

      if (i == k || m == 0.0) continue;
      a[i * n + k] = 0;
      for (PetscInt j = 0; j < n; ++j) a[i * n + j] -= m * a[k * n + j];
    }
  }
  for (PetscInt k = n - 1; k >= 0; --k) { /* rows that were exchanged are columns of the inverse */
    for (PetscInt i = 0; i < n && pivot[k] != k; ++i) swap_rows(1, a + i * n + k, a + i * n + pivot[k]);
  }
  return PETSC_TRUE;
}

void RungCondenseMultiply(PetscInt n, const PetscScalar a[], const PetscScalar x[], PetscScalar y[])
{
  for (PetscInt i = 0; i < n; ++i) {
    y[i] = 0;
    for (PetscInt j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
  }
}

/* ---- life ------------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode destroy(RungContainerArg arg)
{
  RungCondensed *d = (RungCondensed *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(PetscFree4(d->us, d->su, d->ss, d->rhs));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attach(RungSystem sys, Mat J)
{
  const RungCondense c = sys->form->condense;
  RungCondensed     *d;

  PetscFunctionBegin;
  PetscCall(RungComposedCreate((PetscObject)J, ATTACHED, sizeof *d, destroy, &d));
  d->c   = c;
  d->sys = sys;
  PetscCall(PetscCalloc4(c->cells * c->outer * c->inner + 1, &d->us, c->cells * c->outer * c->inner + 1, &d->su,
                         c->cells * c->blocks + 1, &d->ss, c->cells * c->inner + 1, &d->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateStageMat(RungSystem sys, Mat *J)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  if (!sys->form || !sys->form->condense) {
    PetscCall(RungSystemCreateMat(sys, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (sys->typed) PetscCall(RungTypedCheckFit(sys));
  if (sys->form->constraints)
    PetscCall(RungConstraintsCreateMat(sys, PETSC_TRUE, J));
  else
    PetscCall(RungTypedCreate(sys, sys->form->condense->couple, sys->form->condense->fixed, J));
  if (sys->traits.symmetric) PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(RungNullSpacesAttach(sys, *J));
  PetscCall(attach(sys, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- assembly --------------------------------------------------------------------------------------------------------
 */

typedef struct {
  RungCondensed   *d;
  const PetscReal *weight; /* [unknown] of rows; NULL: 1 */
} Adding;

static void scale_rows(const Adding *adding, PetscBool facets, PetscInt count, PetscScalar block[], PetscInt si,
                       PetscInt sj)
{
  const PetscInt  n = adding->d->c->dofs, rows = facets ? 2 * n : n;
  const PetscInt *offset = adding->d->sys->form->data->offset;

  for (PetscInt i = 0, f = 0; i < rows; ++i) {
    if (i % n == 0) f = 0;
    while (i % n >= offset[f + 1]) ++f;
    for (PetscInt j = 0; j < rows; ++j) {
      for (PetscInt l = 0; l < count; ++l) block[i * si + j * sj + l] *= adding->weight[f];
    }
  }
}

static void add_cell(const RungCondense c, const PetscScalar block[], PetscInt si, PetscInt sj, PetscScalar us[],
                     PetscScalar su[], PetscScalar ss[])
{
  for (PetscInt a = 0; a < c->inner; ++a) {
    const PetscInt dof = c->inner_dof[a];

    for (PetscInt i = 0; i < c->outer; ++i) {
      us[i * c->inner + a] += block[c->outer_dof[i] * si + dof * sj];
      su[a * c->outer + i] += block[dof * si + c->outer_dof[i] * sj];
    }
  }
  for (PetscInt p = 0; p < c->points; ++p) {
    const PetscInt n = c->start[p + 1] - c->start[p], *dof = c->inner_dof + c->start[p];

    for (PetscInt a = 0; a < n; ++a) {
      for (PetscInt b = 0; b < n; ++b) ss[c->block[p] + a * n + b] += block[dof[a] * si + dof[b] * sj];
    }
  }
}

static PetscErrorCode add_blocks(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                                 void *ctx)
{
  const Adding      *adding = (const Adding *)ctx;
  const RungCondense c      = adding->d->c;

  PetscFunctionBegin;
  if (adding->weight) scale_rows(adding, cell ? PETSC_FALSE : PETSC_TRUE, count, block, si, sj);
  if (!cell) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt l = 0; l < count; ++l) {
    const PetscInt at = cell[l] * c->outer * c->inner;

    add_cell(c, block + l, si, sj, adding->d->us + at, adding->d->su + at, adding->d->ss + cell[l] * c->blocks);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K_ss becomes its inverse, K_su becomes X = K_ss^-1 K_su; NaN where a point's block is singular, so that the linear solver
   fails and with it the attempt. */
static PetscErrorCode eliminate(const RungCondense c, PetscScalar su[], PetscScalar ss[], PetscInt pivot[],
                                PetscScalar work[], PetscScalar column[])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < c->points; ++p) {
    const PetscInt  n = c->start[p + 1] - c->start[p];
    PetscScalar    *x = su + c->start[p] * c->outer, *inverse = ss + c->block[p];
    const PetscBool regular = RungCondenseInvert(n, inverse, pivot, work);

    for (PetscInt i = 0; i < n * n && !regular; ++i) inverse[i] = NAN;
    for (PetscInt j = 0; j < c->outer; ++j) {
      for (PetscInt a = 0; a < n; ++a) column[a] = x[a * c->outer + j];
      RungCondenseMultiply(n, inverse, column, work);
      for (PetscInt a = 0; a < n; ++a) x[a * c->outer + j] = work[a];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* block = -K_us X at the places of the outer entries */
static void subtract(const RungCondense c, const PetscScalar us[], const PetscScalar x[], PetscScalar block[])
{
  for (PetscInt i = 0; i < c->outer; ++i) {
    PetscScalar *row = block + c->outer_dof[i] * c->dofs;

    for (PetscInt j = 0; j < c->outer; ++j) row[c->outer_dof[j]] = 0;
    for (PetscInt a = 0; a < c->inner; ++a) {
      const PetscScalar factor = us[i * c->inner + a];

      if (factor == 0.0) continue;
      for (PetscInt j = 0; j < c->outer; ++j) row[c->outer_dof[j]] -= factor * x[a * c->outer + j];
    }
  }
}

static PetscErrorCode insert_products(RungSystem sys, RungCondensed *d, Mat J)
{
  const RungCondense c = d->c;
  PetscScalar       *block, *work, *column;
  PetscInt          *pivot;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(c->dofs * c->dofs, &block, c->width, &work, c->width, &column, c->width, &pivot));
  for (PetscInt cell = 0; cell < c->cells; ++cell) {
    const PetscInt at = cell * c->outer * c->inner;

    PetscCall(eliminate(c, d->su + at, d->ss + cell * c->blocks, pivot, work, column));
    subtract(c, d->us + at, d->su + at, block);
    PetscCall(RungLayoutInsertCell(sys->form->layout, J, cell, block, c->dofs, 1));
  }
  PetscCall(PetscFree4(block, work, column, pivot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[], const PetscReal slope[],
                               Mat J)
{
  const RungFormSide form                                          = sys->form;
  const RungCondense c                                             = form->condense;
  const Vec          all[RUNG_MAX_ORDER + 1]                       = {u[0], u[0], u[0]};
  PetscReal          one[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  RungForm           rest                                          = RungFormOfPart(sys, part);
  Adding             adding                                        = {.weight = NULL};
  Mat                given                                         = J; /* without slaves, where there are any */

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)J, ATTACHED, &adding.d));
  PetscCheck(adding.d, sys->comm, PETSC_ERR_ARG_WRONG,
             "a matrix without blocks of internal variables; make it by RungSystemCreateStageMat");
  if (form->constraints) PetscCall(RungConstraintsFullMat(sys, PETSC_TRUE, &J));
  PetscCall(PetscArrayzero(adding.d->us, c->cells * c->outer * c->inner));
  PetscCall(PetscArrayzero(adding.d->su, c->cells * c->outer * c->inner));
  PetscCall(PetscArrayzero(adding.d->ss, c->cells * c->blocks));
  PetscCall(RungLayoutInsertBegin(form->layout, J));
  if (rest) PetscCall(RungFormAddMat(rest, t, u, slope, J, add_blocks, &adding));
  if (sys->traits.conserved) {
    for (PetscInt g = 0; g < form->unknowns; ++g) one[g] = 1;
    adding.weight = slope + form->unknowns;
    PetscCall(RungFormAddMat(form->m, t, all, one, J, add_blocks, &adding));
  }
  PetscCall(insert_products(sys, adding.d, J));
  PetscCall(RungLayoutInsertEnd(form->layout, J));
  if (form->constraints) PetscCall(RungConstraintsReduceMat(sys, PETSC_TRUE, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                    const PetscReal slope[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_JACOBIAN, 0, 0, 0, 0));
  PetscCall(assemble(sys, part, t, u, slope, J));
  PetscCall(RungFilledRecord(sys, J, RUNG_FILLED_CONDENSED, part, t, u, slope));
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_JACOBIAN, 0, 0, 0, 0));
  ++sys->counts.jacobians;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemStageJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat J)
{
  RungCondensed *d;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungComposedFind((PetscObject)J, ATTACHED, &d));
  if (!d) {
    PetscCall(RungTransientSystemJacobian(ts, t, line, w, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  PetscCall(RungCouplingsFollow(ts->sys, t));
  PetscCall(RungCondenseJacobian(ts->sys, ts->part, t, ts->u, line->slope, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- around a linear solve -------------------------------------------------------------------------------------------
 */

/* rhs = K_ss^-1 b_s of a cell; b_s = 0 */
static void take_rows(const RungCondensed *d, PetscInt cell, const PetscInt dof[], PetscScalar b[], PetscScalar work[])
{
  const RungCondense c   = d->c;
  PetscScalar       *rhs = d->rhs + cell * c->inner;

  for (PetscInt p = 0; p < c->points; ++p) {
    const PetscInt first = c->start[p], n = c->start[p + 1] - first;

    for (PetscInt a = 0; a < n; ++a) {
      work[a]                         = b[dof[c->inner_dof[first + a]]];
      b[dof[c->inner_dof[first + a]]] = 0;
    }
    RungCondenseMultiply(n, d->ss + cell * c->blocks + c->block[p], work, rhs + first);
  }
}

PetscErrorCode RungSystemCondenseRhs(RungSystem sys, Mat J, Vec b)
{
  const PetscInt *cell_dof;
  PetscScalar    *x, *local, *work;
  RungCondensed  *d;
  RungCondense    c;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungComposedFind((PetscObject)J, ATTACHED, &d));
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  c        = d->c;
  cell_dof = sys->form->data->cell_dof;
  PetscCall(PetscMalloc1(c->width, &work));
  PetscCall(VecGetArray(b, &x));
  for (PetscInt cell = 0; cell < c->cells; ++cell) take_rows(d, cell, cell_dof + cell * c->dofs, x, work);
  PetscCall(VecRestoreArray(b, &x));
  PetscCall(RungLayoutScatterBegin(sys->form->layout, b, &local));
  for (PetscInt cell = 0; cell < c->cells; ++cell) {
    const PetscScalar *us = d->us + cell * c->outer * c->inner, *rhs = d->rhs + cell * c->inner;

    for (PetscInt i = 0; i < c->outer; ++i) {
      PetscScalar sum = 0;

      for (PetscInt a = 0; a < c->inner; ++a) sum += us[i * c->inner + a] * rhs[a];
      local[cell_dof[cell * c->dofs + c->outer_dof[i]]] -= sum;
    }
  }
  PetscCall(RungLayoutScatterEnd(sys->form->layout, b, &local));
  PetscCall(RungConstraintsReduce(sys, b));
  PetscCall(RungSystemZeroDirichlet(sys, b));
  PetscCall(PetscFree(work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseExtend(Mat J, Vec x)
{
  const PetscScalar *local;
  const PetscInt    *dof;
  PetscScalar       *y;
  RungCondensed     *d;
  RungCondense       c;
  RungLayout         layout;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)J, ATTACHED, &d));
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  c      = d->c;
  layout = d->sys->form->layout;
  dof    = d->sys->form->data->cell_dof;
  PetscCall(RungLayoutGather(layout, x, 0, &local));
  for (PetscInt cell = 0; cell < c->cells; ++cell, dof += c->dofs) {
    const PetscScalar *su = d->su + cell * c->outer * c->inner;
    PetscScalar       *s  = d->rhs + cell * c->inner;

    for (PetscInt a = 0; a < c->inner; ++a) {
      for (PetscInt j = 0; j < c->outer; ++j) s[a] -= su[a * c->outer + j] * local[dof[c->outer_dof[j]]];
    }
  }
  PetscCall(RungLayoutGatherRestore(layout, x, 0, &local));
  dof = d->sys->form->data->cell_dof;
  PetscCall(VecGetArray(x, &y));
  for (PetscInt cell = 0; cell < c->cells; ++cell, dof += c->dofs) {
    for (PetscInt a = 0; a < c->inner; ++a) y[dof[c->inner_dof[a]]] = d->rhs[cell * c->inner + a];
  }
  PetscCall(VecRestoreArray(x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
