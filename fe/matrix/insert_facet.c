/* insert_facet.c - dense blocks of interior facets into a matrix.

   Most facets lie inside: all rows and columns of their two cells are owned, and an entry has one place in the values of
   owned columns.  Where the dofs of a cell follow each other, as those of discontinuous spaces do, the columns of a row
   are a run for each cell and unknown, and its first place says all.  Facets at the edge of a rank, and those of formats
   that store blocks, are added pair by pair with the questions that they ask. */
#include "insert_impl.h"
#include <string.h>

/* ---- positions when they are known -------------------------------------------------------------------------------- */

/* Are all rows and columns of a facet owned? */
static PetscBool is_inside(const RungPattern p, PetscInt slot)
{
  const PetscInt wide = 2 * p->width, *block = &p->facet_block[slot * wide];

  for (PetscInt i = 0; i < wide; ++i)
    if (block[i] >= p->owned) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* The unknown of row block i of a facet. */
static inline PetscInt unknown_of(const RungPattern p, PetscInt i)
{
  PetscInt f = 0;

  while (i % p->width >= p->block_offset[f + 1]) ++f;
  return f;
}

/* Are the columns of every row a run for each cell and unknown?  position[side, i][side, j] */
static PetscBool has_runs(const RungPattern p, const int32_t position[])
{
  const PetscInt width = p->width, n = p->unknowns;

  for (PetscInt i = 0; i < 2 * width; ++i) {
    const PetscInt f = unknown_of(p, i);

    for (PetscInt g = 0; g < n; ++g) {
      for (PetscInt t = 0; p->facet_couple[f * n + g] && t < 2; ++t) {
        const int32_t *at = position + i * 2 * width + t * width + p->block_offset[g];

        for (PetscInt j = 1; j < p->block_offset[g + 1] - p->block_offset[g]; ++j)
          if (at[j] != at[0] + j * p->components[g]) return PETSC_FALSE;
      }
    }
  }
  return PETSC_TRUE;
}

/* Leaves the first place of each run; in place, `to` not behind `from`. */
static void keep_firsts(const RungPattern p, const int32_t from[], int32_t to[])
{
  for (PetscInt i = 0; i < 4 * p->width; ++i)
    for (PetscInt g = 0; g < p->unknowns; ++g) *to++ = from[i * p->width + p->block_offset[g]];
}

PetscErrorCode RungFacetsPack(RungPattern p)
{
  const size_t   all = (size_t)(4 * p->width * p->width), runs = (size_t)(4 * p->width * p->unknowns);
  int32_t       *packed;
  size_t         at = 0;
  const int32_t *from;

  PetscFunctionBegin;
  if (!p->facet_slot) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(p->facets, &p->facet_kind));
  PetscCall(PetscMalloc1(p->facets, &p->facet_at));
  for (PetscInt slot = 0; slot < p->facets; ++slot) {
    from                = p->facet_position + (size_t)slot * all;
    p->facet_at[slot]   = at;
    p->facet_kind[slot] = RungPatternHasBlocks(p) || !is_inside(p, slot) ? RUNG_FACET_EDGE
                          : has_runs(p, from)                            ? RUNG_FACET_RUNS
                                                                         : RUNG_FACET_PAIRS;
    if (p->facet_kind[slot] == RUNG_FACET_RUNS)
      keep_firsts(p, from, p->facet_position + at);
    else
      memmove(p->facet_position + at, from, all * sizeof *from);
    at += p->facet_kind[slot] == RUNG_FACET_RUNS ? runs : all;
  }
  if (at == (size_t)p->facets * all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(at, &packed));
  PetscCall(PetscArraycpy(packed, p->facet_position, at));
  PetscCall(PetscFree(p->facet_position));
  p->facet_position = packed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- facets inside ---------------------------------------------------------------------------------------------------- */

/* One unknown of scalars whose facets have runs of m columns: what is constant where this is inlined is spelled out. */
RUNG_SPECIALIZED void add_scalar_runs(PetscScalar *restrict diag, const int32_t *restrict at,
                                      const PetscScalar *restrict from, PetscInt si, const PetscInt sj,
                                      const PetscInt m)
{
  for (PetscInt i = 0; i < 2 * m; ++i, at += 2, from += si) {
    RungAddColumns(diag + at[0], from, m, sj);
    RungAddColumns(diag + at[1], from + m * sj, m, sj);
  }
}

/* Is it done?  Counts that discontinuous elements of low degree have. */
static inline PetscBool add_known_runs(const RungPattern p, PetscScalar diag[], PetscInt slot,
                                       const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  const int32_t *at = p->facet_position + p->facet_at[slot];

  if (p->facet_kind[slot] != RUNG_FACET_RUNS || p->unknowns > 1 || p->components[0] > 1 || sj != 8) return PETSC_FALSE;
  switch (p->width) {
  case 1: add_scalar_runs(diag, at, dense, si, 8, 1); break;
  case 3: add_scalar_runs(diag, at, dense, si, 8, 3); break;
  case 4: add_scalar_runs(diag, at, dense, si, 8, 4); break;
  case 6: add_scalar_runs(diag, at, dense, si, 8, 6); break;
  case 8: add_scalar_runs(diag, at, dense, si, 8, 8); break;
  case 9: add_scalar_runs(diag, at, dense, si, 8, 9); break;
  case 10: add_scalar_runs(diag, at, dense, si, 8, 10); break;
  default: add_scalar_runs(diag, at, dense, si, 8, p->width);
  }
  return PETSC_TRUE;
}

/* The rows of block i of a side and unknown f, inside: n rows of values, `stride` apart. */
static inline void add_rows_inside(const RungPattern p, PetscScalar *restrict diag, PetscInt slot, PetscInt f,
                                   PetscInt i, const PetscInt offset[], const PetscScalar *restrict dense, PetscInt si,
                                   PetscInt sj)
{
  const PetscInt  n = p->components[f], dofs = offset[p->unknowns];
  const PetscInt  stride = p->stride[0][p->facet_block[slot * 2 * p->width + i]];
  const PetscBool runs   = p->facet_kind[slot] == RUNG_FACET_RUNS;
  const int32_t  *at     = p->facet_position + p->facet_at[slot] + (size_t)(i * 2 * (runs ? p->unknowns : p->width));

  for (PetscInt t = 0; t < 2; ++t, at += runs ? p->unknowns : p->width) {
    for (PetscInt g = 0; g < p->unknowns; ++g) {
      const PetscInt     m = p->components[g], first = p->block_offset[g], blocks = p->block_offset[g + 1] - first;
      const PetscScalar *from = dense + (t * dofs + offset[g]) * sj;

      if (!p->facet_couple[f * p->unknowns + g]) continue;
      for (PetscInt a = 0; runs && a < n; ++a) RungAddColumns(diag + at[g] + a * stride, from + a * si, blocks * m, sj);
      if (!runs && n == 1 && m == 1)
        for (PetscInt j = 0; j < blocks; ++j) diag[at[first + j]] += from[j * sj];
      else if (!runs)
        for (PetscInt j = 0; j < blocks; ++j)
          for (PetscInt a = 0; a < n; ++a)
            RungAddColumns(diag + at[first + j] + a * stride, from + a * si + j * m * sj, m, sj);
    }
  }
}

#define LINE 8 /* values that come at once */

/* The lines of the values of a facet inside start their way to the cache. */
static void fetch_facet(const RungPattern p, const PetscScalar diag[], PetscInt slot)
{
  const PetscBool runs = p->facet_kind[slot] == RUNG_FACET_RUNS;
  const PetscInt  step = runs ? p->unknowns : p->width;
  const int32_t  *at   = p->facet_position + p->facet_at[slot];
  const PetscInt *row  = p->facet_block + slot * 2 * p->width;

  if (p->facet_kind[slot] == RUNG_FACET_EDGE) return;
  for (PetscInt i = 0; i < 4 * p->width; ++i, at += step) {
    for (PetscInt g = 0; g < p->unknowns; ++g) {
      const PetscInt m = (p->block_offset[g + 1] - p->block_offset[g]) * p->components[g];
      const PetscInt k = runs ? g : p->block_offset[g], stride = p->stride[0][row[i / 2]];

      if (!p->facet_couple[unknown_of(p, i / 2) * p->unknowns + g]) continue;
      for (PetscInt a = 0; a < p->components[unknown_of(p, i / 2)]; ++a)
        for (PetscInt j = 0; j < m + LINE - 1; j += LINE)
          __builtin_prefetch(diag + at[k] + a * stride + PetscMin(j, m - 1), 1, 2);
    }
  }
}

/* ---- facets at the edge, and blocks ------------------------------------------------------------------------------- */

/* n x m entries of a pair of blocks at value, rows `stride` and columns `step` apart. */
static inline void add_pair(PetscInt n, PetscInt m, PetscScalar *value, PetscInt stride, PetscInt step,
                            const PetscScalar from[], PetscInt si, PetscInt sj)
{
  for (PetscInt a = 0; a < n; ++a)
    for (PetscInt d = 0; d < m; ++d) value[a * stride + d * step] += from[a * si + d * sj];
}

/* The pairs of a row block (side s, unknown f, block i of the cell) with all columns. */
static void add_rows_edge(const RungPattern p, const RungInsertion *insertion, PetscInt slot, PetscInt f, PetscInt i,
                          const PetscInt offset[], const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  const PetscInt  width = p->block_offset[p->unknowns], *block = &p->facet_block[slot * 2 * width];
  const int32_t  *position = p->facet_position + p->facet_at[slot] + (size_t)(i * 2 * width);
  const PetscInt  r = block[i], n = p->components[f], dofs = offset[p->unknowns];
  const PetscBool blocks = r < p->owned && RungPatternHasBlocks(p) ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt t = 0; t < 2; ++t) {
    for (PetscInt g = 0; g < p->unknowns; ++g) {
      for (PetscInt j = p->block_offset[g]; p->facet_couple[f * p->unknowns + g] && j < p->block_offset[g + 1]; ++j) {
        const PetscInt c = block[t * width + j], m = p->components[g], outside = r < p->owned && c >= p->owned;
        PetscScalar   *value = r >= p->owned ? p->send : outside ? insertion->off : insertion->diag;

        if (position[t * width + j] == RUNG_NOWHERE) continue;
        add_pair(n, m, value + position[t * width + j], blocks ? 1 : p->stride[outside][r], blocks ? m : 1,
                 dense + (t * dofs + offset[g] + (j - p->block_offset[g]) * m) * sj, si, sj);
      }
    }
  }
}

/* ---- insertion ---------------------------------------------------------------------------------------------------- */

static void add_facet(const RungPattern p, const RungInsertion *insertion, PetscInt slot, const PetscInt offset[],
                      const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  const PetscBool edge = p->facet_kind[slot] == RUNG_FACET_EDGE;

  if (add_known_runs(p, insertion->diag, slot, dense, si, sj)) return;
  for (PetscInt s = 0; s < 2; ++s) {
    for (PetscInt f = 0; f < p->unknowns; ++f) {
      for (PetscInt i = p->block_offset[f]; i < p->block_offset[f + 1]; ++i) {
        const PetscScalar *from = dense +
                                  (s * offset[p->unknowns] + offset[f] + (i - p->block_offset[f]) * p->components[f]) *
                                    si;

        if (edge)
          add_rows_edge(p, insertion, slot, f, s * p->width + i, offset, from, si, sj);
        else
          add_rows_inside(p, insertion->diag, slot, f, s * p->width + i, offset, from, si, sj);
      }
    }
  }
}

PetscErrorCode RungLayoutInsertFacets(RungLayout layout, Mat J, PetscInt count, PetscInt next, const PetscInt facet[],
                                      const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  RungInsertion    *insertion = &layout->insertion;
  const RungPattern p         = insertion->pattern;

  if (PetscUnlikely(insertion->J != J))
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER, "a facet is inserted into a matrix that is not open; begin first");
  RungPagesZero(insertion, INT32_MAX);
  for (PetscInt l = 0; l < count + next; ++l) {
    if (PetscUnlikely(!p->facet_slot || facet[l] >= p->facets_known || p->facet_slot[facet[l]] < 0))
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER,
              "a facet is inserted into a matrix that was made without it; call RungLayoutCoupleFacets() before "
              "RungLayoutCreateMat()");
    if (l >= count) fetch_facet(p, insertion->diag, p->facet_slot[facet[l]]);
  }
  for (PetscInt l = 0; l < count; ++l)
    add_facet(p, insertion, p->facet_slot[facet[l]], layout->offset, dense + l, si, sj);
  return PETSC_SUCCESS;
}
