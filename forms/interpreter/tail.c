/* tail.c - the ends of an interpreted kernel: tables times dofs before the tape, coefficients times tables after it.

   Vectors of RUNG_PACK lanes; the points are the innermost loop, so that an entry is stored once. */
#include "tail_impl.h"

/* ---- evaluation ---------------------------------------------------------------------------------------------------
 */

/* m points at a time, so that a dof is loaded once for all of them and a table once for all packs; m is a constant where
   this is called. */
RUNG_INLINE void evaluate_points(PetscInt m, PetscInt nodes, const double *table, PetscInt step, RungBatchSpan span,
                                 const double *u, double *out)
{
  for (PetscInt k = 0; k < span.n; ++k, u += span.u, out += span.out) {
    RungPack      sum[MANY][PACKS];
    const double *node = u;

    for (PetscInt q = 0; q < m; ++q) {
      for (PetscInt p = 0; p < PACKS; ++p) sum[q][p] = (RungPack){0};
    }
    for (PetscInt i = 0; i < nodes; ++i, node += step) {
      const RungPack *value = (const RungPack *)node;

      for (PetscInt q = 0; q < m; ++q) {
        for (PetscInt p = 0; p < PACKS; ++p) sum[q][p] += table[q * nodes + i] * value[p];
      }
    }
    for (PetscInt q = 0; q < m; ++q) {
      for (PetscInt p = 0; p < PACKS; ++p) ((RungPack *)(out + q * LANES))[p] = sum[q][p];
    }
  }
}

void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt stride, RungBatchSpan span,
                      const double u[], double out[])
{
  const PetscInt share = equal_share(points);

  for (PetscInt l = 0; l < LANES; l += PACKS * W) {
    for (PetscInt q = 0; q < points; q += share) {
      const PetscInt m = PetscMin(share, points - q);

      FOR_MANY(m, evaluate_points, nodes, table + q * nodes, stride * LANES, span, u + l, out + q * LANES + l);
    }
  }
}

/* ---- contraction: tensors ------------------------------------------------------------------------------------------ */

/* out (+)= sum of n coefficients times factors, of all batches; n is a constant where this is called, or not small. */
RUNG_INLINE void sum_terms(PetscInt n, const double factor[], const PetscInt at[], RungBatchSpan span,
                           const double *coefficient, double *out)
{
  for (PetscInt k = 0; k < span.n; ++k, coefficient += span.u, out += span.out) {
    RungPack sum[PACKS];

    for (PetscInt p = 0; p < PACKS; ++p) {
      sum[p] = n ? factor[0] * ((const RungPack *)(coefficient + at[0]))[p] : (RungPack){0};
      for (PetscInt c = 1; c < n; ++c) sum[p] += factor[c] * ((const RungPack *)(coefficient + at[c]))[p];
    }
    store_into(span.set, out, sum);
  }
}

static void add_terms(PetscInt n, const double factor[], const PetscInt at[], RungBatchSpan span,
                      const double *coefficient, double *out)
{
  switch (n) {
  case 0:
    if (span.set) sum_terms(0, factor, at, span, coefficient, out);
    break;
  case 1: sum_terms(1, factor, at, span, coefficient, out); break;
  case 2: sum_terms(2, factor, at, span, coefficient, out); break;
  case 3: sum_terms(3, factor, at, span, coefficient, out); break;
  case 4: sum_terms(4, factor, at, span, coefficient, out); break;
  case 5: sum_terms(5, factor, at, span, coefficient, out); break;
  case 6: sum_terms(6, factor, at, span, coefficient, out); break;
  default: sum_terms(n, factor, at, span, coefficient, out);
  }
}

#define MOST_TERMS (RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE)

/* Entry (i, j) of all destinations, with its mirror image in symmetric blocks: factors that vanish are left out. */
RUNG_INLINE void tensor_entry(const RungBlock *block, const double *tensor, PetscInt n, PetscInt i, PetscInt j,
                              RungBatchSpan span, const double *coefficient, double *out)
{
  double   factor[MOST_TERMS];
  PetscInt at[MOST_TERMS], terms = 0;

  for (PetscInt c = 0; c < n; ++c) {
    factor[terms] = tensor[c];
    at[terms]     = c * LANES;
    terms += tensor[c] != 0;
  }
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    add_terms(terms, factor, at, span, coefficient, out + (to->base + i * to->row + j * to->col) * LANES);
    if (!block->half || i == j) continue;
    add_terms(terms, factor, at, span, coefficient, out + (to->base + j * to->row + i * to->col) * LANES);
  }
}

/* Many batches: an entry of all of them at a time. */
static void tensor_batches(const RungBlock *block, const double *tensor, PetscInt n, RungBatchSpan span,
                           const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    for (PetscInt j = block->half ? i : 0; j < cols; ++j)
      tensor_entry(block, tensor + j * n, n, i, j, span, coefficient, out);
  }
}

/* Entries (i, j) .. (i, j + m - 1) of out += sum_c tensor[i][j][c] coefficient[c]; m is a constant where this is called. */
RUNG_INLINE void tensor_entries(PetscInt m, const RungBlock *block, const double *tensor, PetscInt n, PetscInt i,
                                PetscInt j, PetscBool set, const double *coefficient, double *out)
{
  RungPack sum[MANY][PACKS];

  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < PACKS; ++p) sum[k][p] = (RungPack){0};
  }
  for (PetscInt c = 0; c < n; ++c) {
    const RungPack *value = (const RungPack *)(coefficient + c * LANES);

    for (PetscInt k = 0; k < m; ++k) {
      const double factor = tensor[k * n + c];

      for (PetscInt p = 0; p < PACKS; ++p) sum[k][p] += factor * value[p];
    }
  }
  store(m, block, i, j, 0, 1, set, out, sum);
}

static void tensor_many(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                        const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    const PetscInt first = block->half ? i : 0, share = equal_share(cols - first);

    for (PetscInt j = first; j < cols; j += share) {
      const PetscInt m = PetscMin(share, cols - j);

      FOR_MANY(m, tensor_entries, block, tensor + j * n, n, i, j, set, coefficient, out);
    }
  }
}

/* Entries of as many terms and places each; both are constants where this is called, or not small. */
RUNG_INLINE void sparse_entries(PetscInt terms, PetscInt places, PetscInt entries, PetscBool set, const double factor[],
                                const PetscInt at[], const PetscInt place[], const double *coefficient, double *out)
{
  for (PetscInt e = 0; e < entries; ++e, factor += terms, at += terms, place += places) {
    RungPack sum[PACKS];

    for (PetscInt p = 0; p < PACKS; ++p) {
      sum[p] = terms ? factor[0] * ((const RungPack *)(coefficient + at[0] * LANES))[p] : (RungPack){0};
      for (PetscInt c = 1; c < terms; ++c) sum[p] += factor[c] * ((const RungPack *)(coefficient + at[c] * LANES))[p];
    }
    for (PetscInt d = 0; d < places; ++d) store_into(set, out + place[d] * LANES, sum);
  }
}

#define SPARSE(n, m)                                                                                                   \
  sparse_entries(n, m, group->entries, set, sparse->factor + group->term, sparse->at + group->term,                    \
                 sparse->place + group->place, coefficient, out)

/* Mostly zeros: term by term, to places that are known. */
static void tensor_sparse(const RungSparse *sparse, PetscBool set, const double *coefficient, double *out)
{
  for (const RungSparseGroup *group = sparse->group; group < sparse->group + sparse->groups; ++group) {
    const PetscInt n = group->terms, m = group->places;

    if (!n && !set) continue;
    if (n == 1 && m == 1)
      SPARSE(1, 1);
    else if (n == 1 && m == 2)
      SPARSE(1, 2);
    else if (n == 2 && m == 2)
      SPARSE(2, 2);
    else if (n == 3 && m == 1)
      SPARSE(3, 1);
    else if (n == 3 && m == 2)
      SPARSE(3, 2);
    else
      SPARSE(n, m);
  }
}

/* Few coefficients, n, a constant where this is called: they stay in registers. */
RUNG_INLINE void tensor_few(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                            const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;
  RungPack       value[9][PACKS], sum[1][PACKS];

  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt p = 0; p < PACKS; ++p) value[c][p] = ((const RungPack *)(coefficient + c * LANES))[p];
  }
  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    for (PetscInt j = block->half ? i : 0; j < cols; ++j) {
      for (PetscInt p = 0; p < PACKS; ++p) {
        sum[0][p] = tensor[j * n] * value[0][p];
        for (PetscInt c = 1; c < n; ++c) sum[0][p] += tensor[j * n + c] * value[c][p];
      }
      store(1, block, i, j, 0, 1, set, out, sum);
    }
  }
}

static void tensor_dense(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                         const double *coefficient, double *out)
{
  switch (n) {
  case 0: break;
  case 1: tensor_few(1, block, tensor, set, coefficient, out); break;
  case 2: tensor_few(2, block, tensor, set, coefficient, out); break;
  case 3: tensor_few(3, block, tensor, set, coefficient, out); break;
  case 4: tensor_few(4, block, tensor, set, coefficient, out); break;
  case 6: tensor_few(6, block, tensor, set, coefficient, out); break;
  case 9: tensor_few(9, block, tensor, set, coefficient, out); break;
  default: tensor_many(n, block, tensor, set, coefficient, out);
  }
}

static void contract_tensor(const RungBlock *block, RungPairKind kind, PetscInt side, RungBatchSpan span,
                            const double *coefficient, double *out)
{
  const PetscInt n      = block->coefficients[kind];
  const double  *tensor = block->tensor[kind] + side * block->row->nodes * block->col->nodes * n;

  if (n && span.n > 1) {
    tensor_batches(block, tensor, n, span, coefficient, out);
    return;
  }
  if (n && block->sparse[kind].group) {
    tensor_sparse(&block->sparse[kind], span.set, coefficient, out);
    return;
  }
  tensor_dense(n, block, tensor, span.set, coefficient, out);
}

/* A vector whose sums factorise; PETSC_FALSE if they do not. */
static PetscBool sum_vector(RungPlan plan, const RungBlock *block, RungBatchSpan span, const double *coefficient,
                            double scratch[], double out[])
{
  const double *of[1 + 3] = {NULL};

  if (!plan->tensor || block->col != &plan->one || !RungSumFits(plan, block->row)) return PETSC_FALSE;
  for (PetscInt k = 0; k < span.n; ++k) {
    for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
      const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];

      of[pair->r] = coefficient + k * span.u + pair->coefficient * plan->points * LANES;
    }
    RungSumVector(plan, block, of, span.set, scratch, out + k * span.out);
  }
  return PETSC_TRUE;
}

/* [coefficient][few][lane] of one batch */
static void gather_few(RungPlan plan, const RungBlock *block, const double *coefficient, double *to)
{
  for (PetscInt c = 0; c < block->coefficients[RUNG_PAIR_POINT]; ++c, coefficient += plan->points * LANES) {
    for (PetscInt k = 0; k < block->few; ++k, to += LANES) {
      const double *from = coefficient + block->few_point[k] * LANES;

      for (PetscInt l = 0; l < LANES; l += W) *(RungPack *)(to + l) = *(const RungPack *)(from + l);
    }
  }
}

/* Coefficients at a few of the points, which are gathered first; in tiles with the tensors that there are besides. */
static void contract_few(RungPlan plan, const RungBlock *block, RungBatchSpan span, const double *coefficient,
                         PetscInt tensors, const Tensor tensor[], double scratch[], double out[])
{
  const PetscInt      n   = block->coefficients[RUNG_PAIR_POINT] * block->few;
  const RungBatchSpan one = {.n = 1, .set = span.set, .tiles = span.tiles};

  for (PetscInt k = 0; k < span.n; ++k, coefficient += span.u, out += span.out) {
    Tensor all[3];

    gather_few(plan, block, coefficient, scratch);
    for (PetscInt l = 0; l < LANES && !span.tiles; l += PACKS * W)
      tensor_dense(n, block, block->few_tensor, span.set, scratch + l, out + l);
    if (!span.tiles) continue;
    all[tensors] = (Tensor){n, block->few_tensor, scratch};
    for (PetscInt t = 0; t < tensors; ++t)
      all[t] = (Tensor){tensor[t].n, tensor[t].tensor, tensor[t].coefficient + k * span.u};
    RungTailTiles(block, tensors + 1, all, NULL, 0, one, out);
  }
}

void RungTailBlock(RungPlan plan, const RungBlock *block, const PetscInt side[2], RungBatchSpan span,
                   double *const coefficient[], const RungStraight *fold, double scratch[], double out[])
{
  PetscInt tensors = 0;
  Tensor   tensor[2];

  for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
    const PetscInt n = coefficient[kind] ? block->coefficients[kind] : 0, nodes = block->row->nodes * block->col->nodes;

    if (!n) continue;
    if (span.tiles && block->full[kind]) { /* with what there is at points */
      tensor[tensors++] = (Tensor){n, block->tensor[kind] + side[0] * nodes * n, coefficient[kind]};
      continue;
    }
    for (PetscInt l = 0; l < LANES; l += PACKS * W)
      contract_tensor(block, (RungPairKind)kind, side[0], span, coefficient[kind] + l, out + l);
    span.set = PETSC_FALSE;
  }
  if (!block->coefficients[RUNG_PAIR_POINT]) {
    if (tensors) RungTailTiles(block, tensors, tensor, NULL, plan->points, span, out);
    return;
  }
  if (sum_vector(plan, block, span, coefficient[RUNG_PAIR_POINT], scratch, out)) return;
  if (block->few) {
    contract_few(plan, block, span, coefficient[RUNG_PAIR_POINT], tensors, tensor, scratch, out);
    return;
  }
  RungTailPoints(plan, block, side, span, coefficient[RUNG_PAIR_POINT], fold, tensors, tensor, scratch, out);
}
