/* tail_diagonal.c - the diagonal of a matrix, as a vector: entries (i, i) of each block, interpreted.

   d_i = sum_c tensor[i][i][c] coefficient[c] + sum_q sum_rs coefficient_rs[q] R_r(v_i)(q) R_s(v_i)(q) */
#include "kernel_impl.h"

#define W     RUNG_PACK
#define LANES RUNG_BATCH

RUNG_INLINE RungPack load(const double *at)
{
  return *(const RungPack *)at;
}

RUNG_INLINE RungPack tensor_entry(const RungBlock *block, int kind, PetscInt side, PetscInt i,
                                  const double *coefficient)
{
  const PetscInt n = block->coefficients[kind], nodes = block->row->nodes;
  const double  *tensor = block->tensor[kind] + ((side * nodes + i) * nodes + i) * n;
  RungPack       sum    = {0};

  for (PetscInt c = 0; c < n; ++c) sum += tensor[c] * load(coefficient + c * LANES);
  return sum;
}

RUNG_INLINE RungPack point_entry(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt i,
                                 const double *coefficient)
{
  const PetscInt nodes = block->row->nodes;
  RungPack       sum   = {0};

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];
    const double   *r    = RungBasisTable(plan, block->row, pair->r, side) + i,
                 *s      = RungBasisTable(plan, block->col, pair->s, side) + i,
                 *c      = coefficient + pair->coefficient * plan->points * LANES;

    for (PetscInt q = 0; q < plan->points; ++q) sum += r[q * nodes] * s[q * nodes] * load(c + q * LANES);
  }
  return sum;
}

void RungTailDiagonal(RungPlan plan, const RungBlock *block, PetscInt side, double *const coefficient[], double out[])
{
  for (PetscInt l = 0; l < LANES; l += W) {
    for (PetscInt i = 0; i < block->row->nodes; ++i) {
      RungPack sum = point_entry(plan, block, side, i, coefficient[RUNG_PAIR_POINT] + l);

      for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
        if (block->coefficients[kind]) sum += tensor_entry(block, kind, side, i, coefficient[kind] + l);
      }
      for (PetscInt d = 0; d < block->destinations; ++d) {
        *(RungPack *)(out + (block->destination[d].base + i * block->destination[d].row) * LANES + l) += sum;
      }
    }
  }
}
