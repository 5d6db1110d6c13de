/* interpret_simplex.c - blocks of P1 gradients of both functions on simplices: from tape values to entries in registers.

   Gradients of P1 are constants: node 1 + b has row b of K = dX/dx, node 0 minus the sum of all rows.  So the coefficients,
   summed over the points with their weights to C, are pulled back once, and

     entry (1 + b, 1 + e) = sum_ac K[b][a] C[a][c] K[e][c],    all rows and columns sum to 0. */
#include "interpret_impl.h"

#define LANES RUNG_BATCH

typedef RungPack Entries[4][4];

/* sum_q weight value, 0 where there is none */
RUNG_INLINE RungPack total(const RungPullDense *d, const RungValuePlace *value, PetscInt k, PetscInt l, RungPack scale)
{
  const double *w = d->weight + k * d->weight_batch + l, *at = value->at + k * value->batch + l;
  RungPack      sum;

  if (!value->at) return (RungPack){0};
  sum = *(const RungPack *)w * *(const RungPack *)at;
  for (PetscInt q = 1; q < d->points; ++q)
    sum += *(const RungPack *)(w + q * LANES) * *(const RungPack *)(at + q * value->point);
  return scale * sum;
}

/* Those of one pack; of symmetric blocks on and above the diagonal.  dim and half are constants where this and what follows
   is called. */
RUNG_INLINE void set_entries(PetscInt dim, PetscBool half, const RungSimplex *it, PetscInt k, PetscInt l, Entries E)
{
  const RungPullDense *d     = &it->pull;
  const PetscInt       frame = k * d->map_batch + l;
  const RungPack       scale = (RungPack){0} + it->scale;
  RungPack             K[3][3];

  RUNG_UNROLL
  for (PetscInt b = 0; b < dim; ++b) RUNG_UNROLL
  for (PetscInt a = 0; a < dim; ++a) K[b][a] = *(const RungPack *)(d->map[b][a] + frame);
  RUNG_UNROLL
  for (PetscInt c = 0; c < dim; ++c) {
    RungPack C[3], T;

    RUNG_UNROLL
    for (PetscInt a = 0; a < dim; ++a) C[a] = total(d, &d->value[1 + a][1 + c], k, l, scale);
    RUNG_UNROLL
    for (PetscInt b = 0; b < dim; ++b) {
      T = K[b][0] * C[0];
      RUNG_UNROLL
      for (PetscInt a = 1; a < dim; ++a) T += K[b][a] * C[a];
      RUNG_UNROLL
      for (PetscInt e = half ? b : 0; e < dim; ++e) E[1 + b][1 + e] = c ? E[1 + b][1 + e] + T * K[e][c] : T * K[e][c];
    }
  }
  E[0][0] = (RungPack){0};
  RUNG_UNROLL
  for (PetscInt e = 1; e <= dim; ++e) {
    RungPack row = {0}, col = {0};

    RUNG_UNROLL
    for (PetscInt b = 1; b <= dim; ++b) {
      row -= half && e < b ? E[e][b] : E[b][e];
      if (!half) col -= E[e][b];
    }
    E[0][e] = row;
    if (!half) E[e][0] = col;
    E[0][0] -= row;
  }
}

RUNG_INLINE void store_entries(PetscInt dim, PetscBool half, PetscBool set, const RungDestination *to, double *out,
                               Entries E)
{
  RUNG_UNROLL
  for (PetscInt i = 0; i <= dim; ++i) {
    RUNG_UNROLL
    for (PetscInt j = half ? i : 0; j <= dim; ++j) {
      RungPack *one   = (RungPack *)(out + (to->base + i * to->row + j * to->col) * LANES),
               *other = (RungPack *)(out + (to->base + j * to->row + i * to->col) * LANES);

      *one = set ? E[i][j] : *one + E[i][j];
      if (half && i < j) *other = set ? E[i][j] : *other + E[i][j];
    }
  }
}

RUNG_INLINE void run_entries(PetscInt dim, PetscBool half, const RungSimplex *it, const RungBlock *block, PetscInt k,
                             RungBatchSpan span, double out[])
{
  for (PetscInt end = k + span.n; k < end; ++k, out += span.out) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      Entries E;

      set_entries(dim, half, it, k, l, E);
      for (PetscInt d = 0; d < block->destinations; ++d) {
        if (span.set)
          store_entries(dim, half, PETSC_TRUE, &block->destination[d], out + l, E);
        else
          store_entries(dim, half, PETSC_FALSE, &block->destination[d], out + l, E);
      }
    }
  }
}

void RungSimplexRun(const RungSimplex *it, const RungBlock *block, PetscInt k, RungBatchSpan span, double out[])
{
  const PetscBool half = block->half;

  if (block->row->nodes == 4 && half)
    run_entries(3, PETSC_TRUE, it, block, k, span, out);
  else if (block->row->nodes == 4)
    run_entries(3, PETSC_FALSE, it, block, k, span, out);
  else if (half)
    run_entries(2, PETSC_TRUE, it, block, k, span, out);
  else
    run_entries(2, PETSC_FALSE, it, block, k, span, out);
}

/* ---- which blocks ---------------------------------------------------------------------------------------------------- */

/* Reference gradients of node 1 + b along axis b are 1, of node 0 along all -1, all others 0. */
static PetscBool is_p1(RungPlan plan, const RungBasis *basis)
{
  if (!RungCellGet(plan->type)->simplex || basis->nodes != plan->axes + 1 || basis->order < 1) return PETSC_FALSE;
  for (PetscInt a = 1; a <= plan->axes; ++a) {
    const double *table = RungBasisTable(plan, basis, a, 0);

    for (PetscInt i = 0; i < basis->nodes; ++i) {
      const double is = i == 0 ? -1 : i == a ? 1 : 0;

      if (!basis->constant[a] || PetscAbsReal(table[i] - is) > 4 * PETSC_MACHINE_EPSILON) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Pairs of a kind are gradients alone. */
static PetscBool has_gradients(const RungBlock *block, RungPairKind kind)
{
  for (PetscInt p = 0; p < block->pairs[kind]; ++p)
    if (!block->pair[kind][p].r || !block->pair[kind][p].s) return PETSC_FALSE;
  return block->pairs[kind] ? PETSC_TRUE : PETSC_FALSE;
}

/* Takes what it can out of the pull-back. */
static void set_simplex(RungPlan plan, PetscInt b, int class, RungPullDense *dense, RungSimplex *simplex)
{
  const RungBlock *block = &plan->block[b];

  if (!dense->is || dense->straight || !dense->part[1][1] || !has_gradients(block, (RungPairKind) class)) return;
  simplex->is    = PETSC_TRUE;
  simplex->pull  = *dense;
  simplex->scale = class ? 1 : 0;
  for (PetscInt q = 0; !class && q < plan->points; ++q) simplex->scale += plan->weight[q];
  dense->part[1][1] = PETSC_FALSE;
}

PetscErrorCode RungSimplexCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->blocks, &in->simplex));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];

    if (plan->sides > 1 || plan->axes < 2 || !plan->affine || block->diagonal || block->col == &plan->one) continue;
    if (!is_p1(plan, block->row) || !RungBasisSame(block->row, block->col)) continue;
    for (int class = 0; class < 2; ++class) set_simplex(plan, b, class, &in->dense[b][class], &in->simplex[b][class]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
