/* plan_share.c - what several blocks have in common is contracted once.

   Blocks of one shape differ by some of their terms: of a momentum balance the blocks (i, i) share inertia, convection and
   diffusion, delta_ij times a scalar form, and each has its own d f_i/d u_i besides.  Terms of the cell and of the points are
   contracted by different loops, so that blocks are cut between them for nothing; then what some have in common becomes a
   block of its own with the places of all of them, where that saves operations.  A block whose coefficients are symmetric
   in the derivatives of test and trial function has a symmetric matrix, also in forms that are not symmetric: one half of
   it is computed. */
#include <rungown_room.h>
#include "kernel_impl.h"

#define PASS 3. /* what adding a number to a place costs, in products */

static PetscBool has_term(const RungBlock *block, const RungBlockTerm *term)
{
  for (PetscInt t = 0; t < block->terms; ++t) {
    if (block->term[t].r == term->r && block->term[t].s == term->s && block->term[t].value == term->value)
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungBlockHalve(RungPlan plan, RungBlock *block)
{
  block->half = PETSC_FALSE;
  if (block->row->nodes == 1) return; /* one entry has no half, and no loops */
  if (block->col == &plan->one || block->row_cell != block->col_cell || !RungBasisSame(block->row, block->col)) return;
  for (PetscInt t = 0; t < block->terms; ++t) {
    const RungBlockTerm *term = &block->term[t];

    if (!has_term(block, &(RungBlockTerm){term->s, term->r, term->value})) return;
  }
  block->half = PETSC_TRUE;
}

/* ---- what a contraction costs --------------------------------------------------------------------------------------- */

/* The share of nodes for which a table of a basis does not vanish. */
double RungBasisFilled(RungPlan plan, const RungBasis *basis, PetscInt r)
{
  PetscInt filled = 0;

  for (PetscInt i = 0; i < basis->nodes; ++i) {
    PetscBool zero = PETSC_TRUE;

    for (PetscInt q = 0; q < plan->points && zero; ++q)
      zero = RungBasisTable(plan, basis, r, 0)[q * basis->nodes + i] == 0 ? PETSC_TRUE : PETSC_FALSE;
    filled += !zero;
  }
  return (double)filled / (double)basis->nodes;
}

/* Products and passes through the places, of blocks whose terms are of one class: at points first all columns are summed, for
   each derivative of the rows, then these with the rows. */
double RungBlockCost(RungPlan plan, const RungBlock *block)
{
  const double rows = (double)block->row->nodes, cols = (double)block->col->nodes, points = (double)plan->points;
  PetscBool pair[RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE] = {{PETSC_FALSE}}, row[RUNG_MAX_DERIVATIVE] = {PETSC_FALSE};
  double    entries = block->half ? rows * (rows + 1) / 2 : rows * cols, cost = 0;

  if (!block->terms) return 0;
  for (PetscInt t = 0; t < block->terms; ++t) {
    PetscInt r[RUNG_MAX_DERIVATIVE], s[RUNG_MAX_DERIVATIVE];
    PetscInt nr = RungPlanReferences(plan, block->row, block->term[t].r, r);
    PetscInt ns = RungPlanReferences(plan, block->col, block->term[t].s, s);

    for (PetscInt i = 0; i < nr; ++i) {
      for (PetscInt j = 0; j < ns; ++j) pair[r[i]][s[j]] = row[r[i]] = PETSC_TRUE;
    }
  }
  for (PetscInt r = 0; r < RUNG_MAX_DERIVATIVE; ++r) {
    const double filled = row[r] ? RungBasisFilled(plan, block->row, r) : 0;
    PetscBool    point  = PETSC_FALSE;

    for (PetscInt s = 0; s < RUNG_MAX_DERIVATIVE; ++s) {
      if (!pair[r][s]) continue;
      if (RungPlanOfCell(plan, block->term[0].value) || (block->row->constant[r] && block->col->constant[s])) {
        cost += entries * filled * RungBasisFilled(plan, block->col, s);
      } else {
        point = PETSC_TRUE;
        cost += cols * points * RungBasisFilled(plan, block->col, s);
      }
    }
    if (point) cost += entries * filled * points;
  }
  return cost + PASS * rows * cols * (double)block->destinations;
}

/* ---- cutting -------------------------------------------------------------------------------------------------------- */

/* The block without terms and places, with room for n of both. */
static PetscErrorCode create_empty(const RungBlock *block, PetscInt terms, PetscInt destinations, RungBlock *empty)
{
  PetscFunctionBegin;
  *empty = (RungBlock){.row      = block->row,
                       .col      = block->col,
                       .row_cell = block->row_cell,
                       .col_cell = block->col_cell,
                       .diagonal = block->diagonal};
  PetscCall(PetscMalloc1(terms, &empty->term));
  PetscCall(PetscMalloc1(destinations, &empty->destination));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(RungBlocks *blocks, const RungBlock *block)
{
  PetscFunctionBegin;
  if (blocks->n == blocks->room) {
    blocks->room = PetscMax(8, 2 * blocks->room);
    PetscCall(PetscRealloc((size_t)blocks->room * sizeof *blocks->block, &blocks->block));
  }
  blocks->block[blocks->n++] = *block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_destinations(const RungBlock *from, RungBlock *to)
{
  for (PetscInt d = 0; d < from->destinations; ++d) to->destination[to->destinations++] = from->destination[d];
}

/* Terms of the cell stay, those of the points become a block at the end. */
static PetscErrorCode cut_classes(RungPlan plan, RungBlocks *blocks, PetscInt b)
{
  RUNG_OWNED(RungBlockDestroy) RungBlock points = {0};
  RungBlock                             *block  = &blocks->block[b];
  PetscInt                               kept   = 0;

  PetscFunctionBegin;
  PetscCall(create_empty(block, block->terms, block->destinations, &points));
  for (PetscInt t = 0; t < block->terms; ++t) {
    if (RungPlanOfCell(plan, block->term[t].value))
      block->term[kept++] = block->term[t];
    else
      points.term[points.terms++] = block->term[t];
  }
  if (!kept || !points.terms) PetscFunctionReturn(PETSC_SUCCESS);
  block->terms = kept;
  add_destinations(block, &points);
  PetscCall(append(blocks, &points));
  PetscCall(PetscMemzero(&points, sizeof points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The terms of a block that are, or are not, among those of another; into another block or itself. */
static void select_terms(const RungBlock *block, const RungBlock *among, PetscBool are, RungBlock *selected)
{
  PetscInt n = 0;

  for (PetscInt t = 0; t < block->terms; ++t) {
    if (has_term(among, &block->term[t]) == are) selected->term[n++] = block->term[t];
  }
  selected->terms = n;
}

static PetscBool same_shape(const RungBlock *a, const RungBlock *b)
{
  return RungBasisSame(a->row, b->row) && RungBasisSame(a->col, b->col) && a->row_cell == b->row_cell &&
             a->col_cell == b->col_cell
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* Takes the terms of `common` out of all blocks that hold them all, if that saves: then the common block has their places.
   `rest` has room for the terms of any block. */
static PetscErrorCode take_out(RungPlan plan, RungBlocks *blocks, RungBlock *common, RungBlock *rest, PetscBool *taken)
{
  double   before = 0, after = 0;
  PetscInt count = 0;

  PetscFunctionBegin;
  common->destinations = 0;
  RungBlockHalve(plan, common);
  for (PetscInt b = 0; b < blocks->n; ++b) {
    const RungBlock *block = &blocks->block[b];

    if (!same_shape(block, common)) continue;
    select_terms(block, common, PETSC_FALSE, rest);
    if (rest->terms + common->terms > block->terms) continue; /* not all of them */
    rest->destinations = block->destinations;
    RungBlockHalve(plan, rest);
    before += RungBlockCost(plan, block);
    after += RungBlockCost(plan, rest);
    add_destinations(block, common);
    ++count;
  }
  *taken = count > 1 && after + RungBlockCost(plan, common) < before ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt b = 0; *taken && b < blocks->n; ++b) {
    RungBlock *block = &blocks->block[b];

    if (!same_shape(block, common)) continue;
    select_terms(block, common, PETSC_FALSE, rest);
    if (rest->terms + common->terms > block->terms) continue;
    select_terms(block, common, PETSC_FALSE, block);
    RungBlockHalve(plan, block);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first pair of blocks from a on whose common terms are worth it. */
static PetscErrorCode share_from(RungPlan plan, RungBlocks *blocks, PetscInt a, PetscInt terms, PetscInt places,
                                 PetscBool *taken)
{
  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  for (PetscInt b = a + 1; b < blocks->n && !*taken; ++b) {
    RUNG_OWNED(RungBlockDestroy) RungBlock common = {0};
    RUNG_OWNED(RungBlockDestroy) RungBlock rest   = {0};

    if (!same_shape(&blocks->block[a], &blocks->block[b])) continue;
    PetscCall(create_empty(&blocks->block[a], terms, places, &common));
    PetscCall(create_empty(&blocks->block[a], terms, 0, &rest));
    select_terms(&blocks->block[a], &blocks->block[b], PETSC_TRUE, &common);
    if (common.terms) PetscCall(take_out(plan, blocks, &common, &rest, taken));
    if (!*taken) continue;
    PetscCall(append(blocks, &common));
    PetscCall(PetscMemzero(&common, sizeof common));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBlocksShare(RungPlan plan, RungBlocks *blocks)
{
  PetscInt terms = 0, places = 0, kept = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0, n = blocks->n; b < n; ++b) PetscCall(cut_classes(plan, blocks, b));
  for (PetscInt b = 0; b < blocks->n; ++b) {
    RungBlockHalve(plan, &blocks->block[b]);
    terms = PetscMax(terms, blocks->block[b].terms);
    places += blocks->block[b].destinations;
  }
  for (PetscInt a = 0; a < blocks->n; ++a) {
    PetscBool taken = PETSC_TRUE;

    while (taken) PetscCall(share_from(plan, blocks, a, terms, places, &taken));
  }
  for (PetscInt b = 0; b < blocks->n; ++b) {
    if (blocks->block[b].terms)
      blocks->block[kept++] = blocks->block[b];
    else
      PetscCall(RungBlockDestroy(&blocks->block[b]));
  }
  blocks->n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}
