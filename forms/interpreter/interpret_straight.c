/* interpret_straight.c - pull-backs of straight affine cells that are left to the contraction in tiles.

   Where K is diagonal and one for the cell, the coefficient of derivatives r and s at point q is

     w_q |J| K[r][r] K[s][s] value(q),

   so the weight goes to the table of the rows, once for all, the rest is a factor of the cell, and the tape's values are read
   where they are. */
#include "interpret_impl.h"

#define LANES RUNG_BATCH

RungStraight RungStraightRun(const RungInterpreter *in, const RungFolded *it, PetscInt k, PetscInt n, double factor[])
{
  const RungGeometry *geometry = &in->geometry[0];
  RungStraight        fold     = it->fold;

  for (PetscInt p = 0; p < it->pairs; ++p) {
    fold.value[p]  = it->fold.value[p] + k * it->fold.batch;
    fold.factor[p] = factor + p * LANES;
    for (PetscInt i = 0; i < n; ++i) {
      for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
        const PetscInt at    = (k + i) * geometry->frame + l;
        RungPack       value = *(const RungPack *)(geometry->measure + at);

        for (int side = 0; side < 2; ++side)
          if (it->map[p][side]) value *= *(const RungPack *)(it->map[p][side] + at);
        *(RungPack *)(factor + i * in->coefficients + p * LANES + l) = value;
      }
    }
  }
  return fold;
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

/* All coefficients of a block of points in tiles, of values that lie at the points of cells with one straight map. */
static PetscBool fits_tiles(RungPlan plan, const RungInterpreter *in, PetscInt b)
{
  const RungBlock     *block = &plan->block[b];
  const RungPullDense *dense = &in->dense[b][1];
  const PetscInt       pairs = block->pairs[RUNG_PAIR_POINT];

  if (!plan->straight || plan->facets || plan->cells > 1 || in->geometry[0].gp > 1 || !dense->is || block->few)
    return PETSC_FALSE;
  if (!pairs || block->coefficients[RUNG_PAIR_SUM] || !RungTailWidth(plan, block)) return PETSC_FALSE;
  if (pairs > block->coefficients[RUNG_PAIR_POINT] * plan->points) return PETSC_FALSE; /* room for the factors */
  for (PetscInt p = 0; p < pairs; ++p) {
    const RungPair       *pair  = &block->pair[RUNG_PAIR_POINT][p];
    const RungValuePlace *value = &dense->value[pair->r][pair->s];

    if (!value->at || value->point != LANES || value->batch != in->P) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode set_folded(RungPlan plan, const RungInterpreter *in, PetscInt b, RungFolded *it)
{
  const RungBlock     *block = &plan->block[b];
  const RungPullDense *dense = &in->dense[b][1];
  const PetscInt       nodes = block->row->nodes, n = plan->points * nodes;

  PetscFunctionBegin;
  it->is         = PETSC_TRUE;
  it->pairs      = block->pairs[RUNG_PAIR_POINT];
  it->fold.batch = in->P;
  PetscCall(PetscMalloc1((1 + plan->axes) * n, &it->table));
  for (PetscInt p = 0; p < it->pairs; ++p) {
    const RungPair *pair  = &block->pair[RUNG_PAIR_POINT][p];
    const double   *table = RungBasisTable(plan, block->row, pair->r, 0);
    double         *to    = it->table + pair->r * n;

    for (PetscInt i = 0; i < n; ++i) to[i] = plan->weight[i / nodes] * table[i];
    it->fold.row[pair->r] = to;
    it->fold.value[p]     = dense->value[pair->r][pair->s].at;
    it->map[p][0]         = pair->r ? dense->map[pair->r - 1][pair->r - 1] : NULL;
    it->map[p][1]         = pair->s ? dense->map[pair->s - 1][pair->s - 1] : NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStraightCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->blocks, &in->folded));
  for (PetscInt b = 0; b < plan->blocks; ++b)
    if (fits_tiles(plan, in, b)) PetscCall(set_folded(plan, in, b, &in->folded[b]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStraightDestroy(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; in->folded && b < plan->blocks; ++b) PetscCall(PetscFree(in->folded[b].table));
  PetscCall(PetscFree(in->folded));
  PetscFunctionReturn(PETSC_SUCCESS);
}
