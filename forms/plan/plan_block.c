/* plan_block.c - the blocks of an integral: terms, pull-back to the reference cell, constant tensors, destinations. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include <stdlib.h>
#include <string.h>

/* A group is one component of one unknown among the rows or columns. */
static const RungBasis *basis_of(RungPlan plan, const RungSlot *slot)
{
  return slot ? &plan->basis[slot->unknown] : &plan->one;
}

static PetscBool same_group(const RungSlot *a, const RungSlot *b)
{
  if (!a || !b) return a == b ? PETSC_TRUE : PETSC_FALSE;
  return a->unknown == b->unknown && a->component == b->component && a->side == b->side ? PETSC_TRUE : PETSC_FALSE;
}

/* Entry e: row and column; NULL is the function 1 of ranks below 2. */
static void find_entry(RungPlan plan, PetscInt e, const RungSlot **row, const RungSlot **col)
{
  const RungIntegral *integral = plan->integral;

  *row = *col = NULL;
  if (integral->rank == 1) *row = &integral->row[e];
  if (integral->rank == 2) {
    *row = &integral->row[integral->entry[e].row];
    *col = &integral->col[integral->entry[e].col];
  }
}

static PetscInt count_entries(RungPlan plan)
{
  const RungIntegral *integral = plan->integral;

  return integral->rank == 0 ? 1 : integral->rank == 1 ? integral->rows : integral->entries;
}

/* First dof of a group in the dofs of a place; no group begins at 0. */
static PetscInt first_dof(RungPlan plan, const RungSlot *slot)
{
  return !slot
           ? 0
           : plan->basis[slot->unknown].offset + slot->component + RungPlanCellOffset(plan, PETSC_FALSE, slot->side);
}

/* ---- terms ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode add_term(RungPlan plan, RungBlock *block, PetscInt e)
{
  const RungSlot *row, *col;

  PetscFunctionBegin;
  find_entry(plan, e, &row, &col);
  block->term[block->terms].r     = row ? row->derivative : 0;
  block->term[block->terms].s     = col ? col->derivative : 0;
  block->term[block->terms].value = plan->integral->tape.output[e];
  ++block->terms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_block(RungPlan plan, PetscInt first, PetscBool taken[], RungBlock *block)
{
  const PetscInt  entries = count_entries(plan), comps = plan->cols;
  const RungSlot *row, *col, *r, *c;

  PetscFunctionBegin;
  find_entry(plan, first, &row, &col);
  block->row = basis_of(plan, row);
  block->col = basis_of(plan, col);
  PetscCall(PetscMalloc1(entries - first, &block->term));
  for (PetscInt e = first; e < entries; ++e) {
    find_entry(plan, e, &r, &c);
    if (taken[e] || !same_group(row, r) || !same_group(col, c)) continue;
    taken[e] = PETSC_TRUE;
    PetscCall(add_term(plan, block, e));
  }
  PetscCall(PetscMalloc1(2, &block->destination));
  block->row_cell       = row ? row->side : 0;
  block->col_cell       = col ? col->side : 0;
  block->diagonal       = plan->integral->diagonal;
  block->destinations   = 1;
  block->destination[0] = (RungDestination){.base = first_dof(plan, row) * comps + first_dof(plan, col),
                                            .row  = row ? block->row->components * comps : 0,
                                            .col  = col ? block->col->components : 0};
  if (block->diagonal) {
    block->destination[0] = (RungDestination){.base = first_dof(plan, row), .row = block->row->components};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (row && col && plan->integral->symmetric && !same_group(row, col)) { /* the transposed block with it */
    block->destination[block->destinations++] = (RungDestination){.base = first_dof(plan, col) * comps +
                                                                          first_dof(plan, row),
                                                                  .row = block->row->components,
                                                                  .col = block->col->components * comps};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In symmetric integrals blocks below the diagonal come with those above. */
static PetscBool below(RungPlan plan, PetscInt e)
{
  const RungSlot *row, *col;

  find_entry(plan, e, &row, &col);
  if (!row || !col || !plan->integral->symmetric) return PETSC_FALSE;
  if (row->unknown != col->unknown) return row->unknown > col->unknown ? PETSC_TRUE : PETSC_FALSE;
  if (row->component == col->component) return row->side > col->side ? PETSC_TRUE : PETSC_FALSE;
  return row->component > col->component ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungBasisSame(const RungBasis *a, const RungBasis *b)
{
  return a == b || (!strcmp(a->name, b->name) && a->nodes == b->nodes && a->order == b->order) ? PETSC_TRUE
                                                                                               : PETSC_FALSE;
}

static PetscBool same_block(const RungBlock *a, const RungBlock *b)
{
  if (!RungBasisSame(a->row, b->row) || !RungBasisSame(a->col, b->col) || a->half != b->half || a->terms != b->terms) {
    return PETSC_FALSE;
  }
  if (a->row_cell != b->row_cell || a->col_cell != b->col_cell) return PETSC_FALSE;
  for (PetscInt t = 0; t < a->terms; ++t) {
    if (a->term[t].r != b->term[t].r || a->term[t].s != b->term[t].s || a->term[t].value != b->term[t].value) {
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* A block whose terms exist already only adds its destinations. */
static PetscErrorCode join_block(RungPlan plan, const RungBlock *block, PetscBool *joined)
{
  PetscFunctionBegin;
  *joined = PETSC_FALSE;
  for (PetscInt b = 0; b < plan->blocks && !*joined; ++b) {
    RungBlock     *other = &plan->block[b];
    const PetscInt room  = other->destinations + block->destinations;

    if (!same_block(other, block)) continue;
    PetscCall(PetscRealloc((size_t)room * sizeof *other->destination, &other->destination));
    for (PetscInt d = 0; d < block->destinations; ++d) {
      other->destination[other->destinations++] = block->destination[d];
    }
    *joined = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pull-back -------------------------------------------------------------------------------------------------- */

static PetscInt add_pair(RungBlock *block, RungPairKind kind, PetscInt r, PetscInt s)
{
  RungPair *pair = block->pair[kind];
  PetscInt  at   = 0;

  while (at < block->pairs[kind] && (pair[at].r < r || (pair[at].r == r && pair[at].s < s))) ++at;
  if (at < block->pairs[kind] && pair[at].r == r && pair[at].s == s) return at;
  for (PetscInt p = block->pairs[kind]; p > at; --p) pair[p] = pair[p - 1];
  pair[at] = (RungPair){r, s, -1};
  ++block->pairs[kind];
  return at;
}

PetscBool RungPlanOfCell(RungPlan plan, PetscInt value)
{
  return plan->cells == 1 && plan->affine && plan->rate[value] != RUNG_RATE_POINT ? PETSC_TRUE : PETSC_FALSE;
}

/* c of the cell: a coefficient of it is contracted with one tensor; two cells would have one for each way they meet. */
static int class_of(RungPlan plan, PetscInt value)
{
  return RungPlanOfCell(plan, value) ? 0 : 1;
}

static RungPairKind kind_of(const RungBlock *block, int class, PetscInt r, PetscInt s)
{
  if (class == 0) return RUNG_PAIR_CELL;
  return block->row->constant[r] && block->col->constant[s] ? RUNG_PAIR_SUM : RUNG_PAIR_POINT;
}

static PetscErrorCode find_pairs(RungPlan plan, RungBlock *block)
{

  PetscFunctionBegin;
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    PetscCall(PetscMalloc1(RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE, &block->pair[kind]));
  }
  for (PetscInt t = 0; t < block->terms; ++t) {
    const int class = class_of(plan, block->term[t].value);
    PetscInt r[RUNG_MAX_DERIVATIVE], s[RUNG_MAX_DERIVATIVE];
    PetscInt nr = RungPlanReferences(plan, block->row, block->term[t].r, r);
    PetscInt ns = RungPlanReferences(plan, block->col, block->term[t].s, s);

    for (PetscInt i = 0; i < nr; ++i) {
      for (PetscInt j = 0; j < ns; ++j) add_pair(block, kind_of(block, class, r[i], s[j]), r[i], s[j]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt find_coefficient(const RungBlock *block, RungPairKind kind, PetscInt r, PetscInt s)
{
  for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
    if (block->pair[kind][p].r == r && block->pair[kind][p].s == s) return block->pair[kind][p].coefficient;
  }
  return -1;
}

/* In a block on the diagonal of a symmetric integral coefficient (s, r) is coefficient (r, s). */
static void number_coefficients(RungBlock *block)
{
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      RungPair *pair = &block->pair[kind][p];

      if (block->half && pair->s < pair->r)
        pair->coefficient = find_coefficient(block, (RungPairKind)kind, pair->s, pair->r);
      if (pair->coefficient < 0) pair->coefficient = block->coefficients[kind]++;
    }
  }
}

static int compare_steps(const void *a, const void *b)
{
  const RungPullStep *p = (const RungPullStep *)a, *q = (const RungPullStep *)b;

  if (p->to != q->to) return p->to < q->to ? -1 : 1;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  return p->r < q->r ? -1 : p->r > q->r;
}

/* A step with its entry of the map; derivatives of the reference cell have none. */
static RungPullStep make_step(RungPlan plan, PetscInt to, PetscInt s, PetscInt r, PetscInt from)
{
  if (plan->integral->in_reference) return (RungPullStep){to, 0, 0, from};
  plan->map[s][r] = PETSC_TRUE;
  return (RungPullStep){to, s, r, from};
}

/* T[r, z] = sum over terms (a, z) of map[a][r] value; then coefficient[r, y] = sum_z T[r, z] map[z][y]. */
static PetscErrorCode create_pull(RungPlan plan, RungBlock *block, int class, RungPull *pull)
{
  PetscInt temporary[RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE], r[RUNG_MAX_DERIVATIVE], s[RUNG_MAX_DERIVATIVE];

  PetscFunctionBegin;
  for (int i = 0; i < RUNG_MAX_DERIVATIVE; ++i) {
    for (int j = 0; j < RUNG_MAX_DERIVATIVE; ++j) temporary[i][j] = -1;
  }
  PetscCall(PetscMalloc1(block->terms * RUNG_MAX_DERIVATIVE, &pull->step[0]));
  PetscCall(PetscMalloc1(RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE, &pull->step[1]));
  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt z = block->term[t].s, a = block->term[t].r;
    const PetscInt nr = RungPlanReferences(plan, block->row, a, r);

    if (class_of(plan, block->term[t].value) != class) continue;
    for (PetscInt i = 0; i < nr; ++i) {
      if (temporary[r[i]][z] < 0) temporary[r[i]][z] = pull->temporaries++;
      pull->step[0][pull->steps[0]++] = make_step(plan, temporary[r[i]][z], a, r[i], block->term[t].value);
    }
  }
  for (PetscInt i = 0; i < RUNG_MAX_DERIVATIVE; ++i) {
    for (PetscInt z = 0; z < RUNG_MAX_DERIVATIVE; ++z) {
      const PetscInt ns = temporary[i][z] < 0 ? 0 : RungPlanReferences(plan, block->col, z, s);

      for (PetscInt j = 0; j < ns; ++j) {
        const RungPairKind kind = kind_of(block, class, i, s[j]);
        const PetscInt     to   = find_coefficient(block, kind, i, s[j]);

        if (block->half && s[j] < i) continue; /* the value is that of (s, r) */
        pull->step[1][pull->steps[1]++] = make_step(
          plan, kind == RUNG_PAIR_POINT ? block->coefficients[RUNG_PAIR_SUM] + to : to, z, s[j], temporary[i][z]);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (pull->steps[i]) qsort(pull->step[i], (size_t)pull->steps[i], sizeof(RungPullStep), compare_steps);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- constant tensors ------------------------------------------------------------------------------------------- */

#define ROWS 8 /* that are summed up together: the tables of a point are read once for them */

/* sum[k][j], of rows i + k, n of them: sum over points of weight R_r(v_{i+k}) R_s(w_j); SUM: of the constant tables */
static void moments(RungPlan plan, const RungBlock *block, RungPairKind kind, const RungPair *pair, PetscInt side,
                    PetscInt i, PetscInt n, double sum[])
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;
  const PetscInt points = kind == RUNG_PAIR_SUM ? 1 : plan->points;
  const double  *v      = RungBasisTable(plan, block->row, pair->r, side);
  const double  *w      = RungBasisTable(plan, block->col, pair->s, side);

  memset(sum, 0, (size_t)(n * cols) * sizeof *sum);
  for (PetscInt q = 0; q < points; ++q) {
    const double weight = kind == RUNG_PAIR_SUM ? 1 : plan->weight[side * plan->points + q];

    for (PetscInt k = 0; k < n; ++k) {
      const double factor = weight * v[q * rows + i + k];

      for (PetscInt j = 0; j < cols; ++j) sum[k * cols + j] += factor * w[q * cols + j];
    }
  }
}

/* The tensor's part of one pair: tensor[row][column][coefficient] grows. */
static void add_moments(RungPlan plan, const RungBlock *block, RungPairKind kind, const RungPair *pair, PetscInt side,
                        double sum[], double tensor[])
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; i += ROWS) {
    const PetscInt together = PetscMin(ROWS, rows - i);

    moments(plan, block, kind, pair, side, i, together, sum);
    for (PetscInt e = 0; e < together * cols; ++e) tensor[(i * cols + e) * n + pair->coefficient] += sum[e];
  }
}

/* Sums that vanish but for rounding, relative to the largest entry, are zeros. */
static void flush(PetscInt n, double tensor[])
{
  double largest = 0;

  for (PetscInt k = 0; k < n; ++k) largest = PetscMax(largest, PetscAbsReal(tensor[k]));
  for (PetscInt k = 0; k < n; ++k) {
    if (PetscAbsReal(tensor[k]) < 1e-15 * largest) tensor[k] = 0;
  }
}

static PetscErrorCode create_tensor(RungPlan plan, RungBlock *block, RungPairKind kind)
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes, cols = block->col->nodes;
  PetscInt       filled  = 0;
  const double   entries = (double)plan->sides * (double)rows * (double)cols;
  double        *sum;

  PetscFunctionBegin;
  PetscCall(RungWorkAllow(entries * (double)plan->points * (double)block->pairs[kind], entries * (double)n,
                          "%s: the tensors of %" PetscInt_FMT " by %" PetscInt_FMT " functions", plan->integral->text,
                          rows, cols));
  PetscCall(PetscCalloc1(plan->sides * rows * cols * n, &block->tensor[kind]));
  PetscCall(PetscMalloc1(ROWS * cols, &sum));
  for (PetscInt side = 0; side < plan->sides; ++side) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      add_moments(plan, block, kind, &block->pair[kind][p], side, sum, &block->tensor[kind][side * rows * cols * n]);
    }
  }
  PetscCall(PetscFree(sum));
  flush(plan->sides * rows * cols * n, block->tensor[kind]);
  for (PetscInt k = 0; k < plan->sides * rows * cols * n; ++k) filled += block->tensor[kind][k] != 0;
  block->full[kind] = 4 * filled > 3 * plan->sides * rows * cols * n ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where entry (i, j) of a block goes: to all destinations, with its mirror image in symmetric blocks. */
static void add_places(const RungBlock *block, PetscInt i, PetscInt j, PetscInt *n, PetscInt place[])
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    place[(*n)++] = to->base + i * to->row + j * to->col;
    if (block->half && i != j) place[(*n)++] = to->base + j * to->row + i * to->col;
  }
}

static PetscInt count_terms(const RungBlock *block, RungPairKind kind, PetscInt e)
{
  const PetscInt n     = block->coefficients[kind];
  PetscInt       terms = 0;

  for (PetscInt c = 0; c < n; ++c) terms += block->tensor[kind][e * n + c] != 0;
  return terms;
}

/* Entry e, the next one of the last group or the first of a new one. */
static void add_entry(const RungBlock *block, RungPairKind kind, PetscInt e, PetscInt used[2], RungSparse *sparse)
{
  const PetscInt   n = block->coefficients[kind], i = e / block->col->nodes, j = e % block->col->nodes;
  const PetscInt   term = used[0], place = used[1];
  RungSparseGroup *next = &sparse->group[sparse->groups];

  for (PetscInt c = 0; c < n; ++c) {
    if (block->tensor[kind][e * n + c] == 0) continue;
    sparse->at[used[0]]       = c;
    sparse->factor[used[0]++] = block->tensor[kind][e * n + c];
  }
  add_places(block, i, j, &used[1], sparse->place);
  if (!sparse->groups || next[-1].terms != used[0] - term || next[-1].places != used[1] - place) {
    *next++ = (RungSparseGroup){.terms = used[0] - term, .places = used[1] - place, .term = term, .place = place};
    ++sparse->groups;
  }
  ++next[-1].entries;
}

/* The tensor without its zeros, if most of many are: those of P1 are one factor an entry but for the first corner. */
static PetscErrorCode create_sparse(RungPlan plan, RungBlock *block, RungPairKind kind)
{
  const PetscInt n = block->coefficients[kind], cols = block->col->nodes, all = block->row->nodes * cols;
  RungSparse    *sparse = &block->sparse[kind];
  PetscInt       terms = 0, used[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < all * n; ++k) terms += block->tensor[kind][k] != 0;
  if (plan->sides > 1 || n <= 4 || 3 * terms > all * n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(all, &sparse->group));
  PetscCall(PetscMalloc1(terms, &sparse->at));
  PetscCall(PetscMalloc1(terms, &sparse->factor));
  PetscCall(PetscMalloc1(2 * all * block->destinations, &sparse->place));
  for (PetscInt t = 0; t <= n; ++t) {
    for (int diagonal = 0; diagonal < 2; ++diagonal) { /* of a symmetric block: they have no mirror image */
      for (PetscInt e = 0; e < all; ++e) {
        if ((e % cols == e / cols) != diagonal || (block->half && e % cols < e / cols)) continue;
        if (count_terms(block, kind, e) == t) add_entry(block, kind, e, used, sparse);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungBlockDestroy(RungBlock *block)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(block->term));
  PetscCall(PetscFree(block->destination));
  PetscCall(PetscFree(block->few_point));
  PetscCall(PetscFree(block->few_tensor));
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) PetscCall(PetscFree(block->pair[kind]));
  for (int i = 0; i < 2; ++i) {
    PetscCall(PetscFree(block->tensor[i]));
    PetscCall(PetscFree(block->sparse[i].group));
    PetscCall(PetscFree(block->sparse[i].at));
    PetscCall(PetscFree(block->sparse[i].factor));
    PetscCall(PetscFree(block->sparse[i].place));
    PetscCall(PetscFree(block->pull[i].step[0]));
    PetscCall(PetscFree(block->pull[i].step[1]));
  }
  PetscCall(PetscMemzero(block, sizeof *block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish_block(RungPlan plan, RungBlock *block)
{
  PetscFunctionBegin;
  PetscCall(find_pairs(plan, block));
  number_coefficients(block);
  for (int class = 0; class < 2; ++class) PetscCall(create_pull(plan, block, class, &block->pull[class]));
  for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM && !(plan->applied && plan->tensor); ++kind) {
    PetscCall(create_tensor(plan, block, (RungPairKind)kind));
    PetscCall(create_sparse(plan, block, (RungPairKind)kind));
  }
  PetscCall(RungBlockFew(plan, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode blocks_destroy(RungBlocks *blocks)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < blocks->n; ++b) PetscCall(RungBlockDestroy(&blocks->block[b]));
  PetscCall(PetscFree(blocks->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanBlocks(RungPlan plan)
{
  const PetscInt                        entries = count_entries(plan);
  RUNG_OWNED(blocks_destroy) RungBlocks blocks  = {0};
  RUNG_FREE PetscBool                  *taken   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(entries, &taken));
  PetscCall(PetscCalloc1(entries, &blocks.block));
  blocks.room = entries;
  for (PetscInt e = 0; e < entries; ++e) {
    if (taken[e] || below(plan, e)) continue;
    ++blocks.n; /* half made it is one of them, too */
    PetscCall(create_block(plan, e, taken, &blocks.block[blocks.n - 1]));
    RungBlockHalve(plan, &blocks.block[blocks.n - 1]);
  }
  if (plan->integral->rank == 2 && !plan->integral->diagonal) PetscCall(RungBlocksShare(plan, &blocks));
  PetscCall(PetscCalloc1(blocks.n, &plan->block));
  for (PetscInt b = 0; b < blocks.n; ++b) {
    const RungBlock block = blocks.block[b];
    PetscBool       joined;

    PetscCall(join_block(plan, &block, &joined));
    if (joined) continue;
    plan->block[plan->blocks++] = block;
    PetscCall(PetscMemzero(&blocks.block[b], sizeof block));
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) PetscCall(finish_block(plan, &plan->block[b]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
