/* pattern_block.c - a pattern of rows of dofs becomes one of blocks, for BAIJ and SBAIJ.

   Both orders have the same number of values before a row of blocks, so that offsets within a row, counted in blocks, stay:
   with n components and block k of the row, rows of dofs have entry (a, b) at a * stride + n k + b, blocks at
   n (n k + b) + a.  Without what is below the diagonal, row r starts after the stored blocks of those before it, and its
   first lower[r] blocks, whose columns come before the row's, are not there.  Rows of other ranks travel as rows of dofs. */
#include "matrix_impl.h"

typedef struct {
  RungPattern p;
  PetscInt    n;        /* components */
  int32_t    *start[2]; /* owned, [part][owned block] in blocks of the new order */
} Blocks;

/* The row of an entry: the last one that starts at or before it; empty rows start where the next one does. */
static PetscInt row_of(const RungPattern p, int part, PetscInt at)
{
  PetscInt low = 0, high = p->owned;

  while (high - low > 1) {
    const PetscInt middle = low + (high - low) / 2;

    if (p->start[part][middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The new place of an entry in row r, or nowhere. */
static int32_t place_in(const Blocks *b, int part, PetscInt r, PetscInt at)
{
  const RungPattern p  = b->p;
  const PetscInt    in = at - p->start[part][r], a = in / p->stride[part][r],
                 c = in % p->stride[part][r] - (p->lower[part] ? b->n * p->lower[part][r] : 0);

  return c < 0 || !b->start[part] ? RUNG_NOWHERE : (int32_t)(b->start[part][r] + c * b->n + a);
}

static int32_t place(const Blocks *b, int part, PetscInt at)
{
  return place_in(b, part, row_of(b->p, part, at), at);
}

/* Columns ascend in a row of the matrix, owned ones among the others. */
static PetscErrorCode count_lower(const Blocks *b)
{
  const RungPattern p     = b->p;
  const PetscInt    first = p->layout->data.start / b->n, *row_start = p->row_start, *column = p->column;

  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part) PetscCall(PetscCalloc1(p->owned, &p->lower[part]));
  for (PetscInt r = 0; r < p->owned; ++r) {
    for (PetscInt k = row_start[r]; k < row_start[r + 1] && column[k] < first + r; ++k)
      ++p->lower[column[k] < first][r];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_starts(Blocks *b)
{
  const RungPattern p = b->p;

  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part) {
    PetscInt next = 0;

    if (!p->start[part]) continue; /* no columns of others */
    PetscCall(PetscMalloc1(p->owned, &b->start[part]));
    for (PetscInt r = 0; r < p->owned; ++r) {
      b->start[part][r] = (int32_t)next;
      next += b->n * b->n * (p->stride[part][r] / b->n - (p->lower[part] ? p->lower[part][r] : 0));
    }
    p->entries[part] = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void move_targets(const Blocks *b)
{
  const RungPattern   p  = b->p;
  const RungExchange *ex = p->exchange;

  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) {
    const int32_t at = p->target[i];
    const int32_t to = at >= 0 ? place(b, 0, at) : place(b, 1, -1 - at);

    p->target[i] = at >= 0 || to == RUNG_NOWHERE ? to : -1 - to;
  }
}

static void move_facets(const Blocks *b)
{
  const RungPattern p    = b->p;
  const PetscInt    wide = 2 * p->block_offset[1];

  for (PetscInt k = 0; p->facet_couple[0] && k < p->facets * wide; ++k) {
    const PetscInt r = p->facet_block[k];

    for (PetscInt j = 0; r < p->owned && j < wide; ++j) {
      int32_t *at = &p->facet_position[(size_t)k * (size_t)wide + (size_t)j];

      *at = place_in(b, p->facet_block[k / wide * wide + j] >= p->owned, r, *at);
    }
  }
}

PetscErrorCode RungPatternToBlocks(RungPattern p, PetscBool symmetric)
{
  Blocks b = {.p = p, .n = p->uniform};

  PetscFunctionBegin;
  if (symmetric) PetscCall(count_lower(&b));
  PetscCall(set_starts(&b));
  move_targets(&b);
  if (p->facet_slot) move_facets(&b);
  for (int part = 0; part < 2; ++part) {
    if (b.start[part]) PetscCall(PetscArraycpy(p->start[part], b.start[part], p->owned));
    PetscCall(PetscFree(b.start[part]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
