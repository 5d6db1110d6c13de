/* interpret_pull.c - coefficients of a block pulled back to the reference cell, for all points and lanes of a batch.

   Blocks of gradients alone, which are most, are done in registers; all others step by step as the plan lists them. */
#include "interpret_impl.h"

#define LANES RUNG_BATCH

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* A factor of a pull-back step at the points of batch k: step between points, NULL is 1. */
static const double *map_of(const RungInterpreter *in, PetscInt cell, PetscInt k, PetscInt s, PetscInt r,
                            PetscInt *step)
{
  const RungGeometry *geometry = &in->geometry[cell];

  *step = s && geometry->gp > 1 ? LANES : 0;
  return s ? geometry->map[s][r] + k * geometry->frame : NULL;
}

/* to (+)= a b c, the factors b and c may be missing */
RUNG_INLINE void multiply(double *to, PetscInt points, PetscBool add, const double *a, PetscInt step_a, const double *b,
                          PetscInt step_b, const double *c, PetscInt step_c)
{
  for (PetscInt q = 0; q < points; ++q) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      RungPack value = *(const RungPack *)(a + q * step_a + l);

      if (b) value *= *(const RungPack *)(b + q * step_b + l);
      if (c) value *= *(const RungPack *)(c + q * step_c + l);
      if (add) value += *(const RungPack *)(to + q * LANES + l);
      *(RungPack *)(to + q * LANES + l) = value;
    }
  }
}

/* Step by step. */
static void pull_steps(RungPlan plan, RungInterpreter *in, const RungBlock *block, int class, PetscInt k,
                       double *coefficient)
{
  const RungPull *pull   = &block->pull[class];
  const PetscInt  points = class ? plan->points : 1, n = points * LANES;
  const double   *weight = class ? in->geometry[0].dV + k * in->P : in->geometry[0].measure + k * in->geometry[0].frame;
  PetscInt        step_map, last = -1;

  for (PetscInt i = 0; i < pull->steps[0]; ++i) {
    const RungPullStep   *it    = &pull->step[0][i];
    const RungValuePlace *value = &in->value[it->from];
    const double         *map   = map_of(in, block->row_cell, k, it->s, it->r, &step_map);

    multiply(in->temporary + it->to * n, points, it->to == last ? PETSC_TRUE : PETSC_FALSE,
             value->at + k * value->batch, value->point, weight, class ? LANES : 0, map, step_map);
    last = it->to;
  }
  last = -1;
  for (PetscInt i = 0; i < pull->steps[1]; ++i) {
    const RungPullStep *it  = &pull->step[1][i];
    const double       *map = map_of(in, block->col_cell, k, it->s, it->r, &step_map);

    multiply(coefficient + it->to * n, points, it->to == last ? PETSC_TRUE : PETSC_FALSE, in->temporary + it->from * n,
             LANES, map, step_map, NULL, 0);
    last = it->to;
  }
}

/* weight value, 0 where there is none */
RUNG_INLINE RungPack weighted(const double *value, PetscInt at, RungPack weight)
{
  return value ? weight * *(const RungPack *)(value + at) : (RungPack){0};
}

RUNG_INLINE void put(double *to, PetscInt at, RungPack value)
{
  if (to) *(RungPack *)(to + at) = value;
}

static void pull_values(const RungPullDense *d, PetscInt k, PetscInt n)
{
  for (PetscInt i = 0; i < n; ++i) {
    const double *value  = d->value[0][0].at + (k + i) * d->value[0][0].batch,
                 *weight = d->weight + (k + i) * d->weight_batch;
    double *to           = d->to[0][0] + i * d->to_batch;

    for (PetscInt q = 0; q < d->points; ++q, value += d->value[0][0].point, weight += LANES, to += LANES) {
      for (PetscInt l = 0; l < LANES; l += RUNG_PACK)
        *(RungPack *)(to + l) = *(const RungPack *)(weight + l) * *(const RungPack *)(value + l);
    }
  }
}

/* Gradients of the test function (trial = 0) or of the trial function (1), times values of the other; dim, trial and bent
   are constants where this is called.  The map of a cell that is not bent is loaded once. */
RUNG_INLINE void pull_gradient(PetscInt dim, int trial, PetscBool bent, const RungPullDense *d, PetscInt k, PetscInt n)
{
  const RungValuePlace *value[3];
  double               *to[3];

  for (PetscInt a = 0; a < dim; ++a) {
    value[a] = trial ? &d->value[0][1 + a] : &d->value[1 + a][0];
    to[a]    = trial ? d->to[0][1 + a] : d->to[1 + a][0];
  }
  for (PetscInt i = 0; i < n; ++i, ++k) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      const PetscInt frame = k * d->map_batch + l;
      const double  *at[3];
      RungPack       K[3][3];

      for (PetscInt a = 0; a < dim; ++a) at[a] = value[a]->at ? value[a]->at + k * value[a]->batch + l : NULL;
      for (PetscInt b = 0; !bent && b < dim; ++b)
        for (PetscInt a = 0; a < dim; ++a) K[b][a] = *(const RungPack *)(d->map[b][a] + frame);
      for (PetscInt q = 0; q < d->points; ++q) {
        const RungPack w = *(const RungPack *)(d->weight + k * d->weight_batch + q * LANES + l);
        RungPack       C[3];

        for (PetscInt b = 0; bent && b < dim; ++b)
          for (PetscInt a = 0; a < dim; ++a) K[b][a] = *(const RungPack *)(d->map[b][a] + frame + q * LANES);
        for (PetscInt a = 0; a < dim; ++a) C[a] = weighted(at[a], q * value[a]->point, w);
        for (PetscInt b = 0; b < dim; ++b) {
          RungPack sum = K[b][0] * C[0];

          for (PetscInt a = 1; a < dim; ++a) sum += K[b][a] * C[a];
          put(to[b], i * d->to_batch + q * LANES + l, sum);
        }
      }
    }
  }
}

/* Derivatives r and s where K is diagonal: one number to one number.  bent: a constant where this is called */
RUNG_INLINE void pull_one(PetscBool bent, PetscInt r, PetscInt s, const RungPullDense *d, PetscInt k, PetscInt n)
{
  const RungValuePlace *value = &d->value[r][s];

  for (PetscInt i = 0; i < n; ++i, ++k) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      const PetscInt frame = k * d->map_batch + l;
      const double  *w = d->weight + k * d->weight_batch + l, *at = value->at + k * value->batch + l;
      double        *to = d->to[r][s] + i * d->to_batch + l;
      RungPack       K  = (RungPack){0} + 1;

      for (PetscInt q = 0; q < d->points; ++q) {
        if (bent || !q) {
          const PetscInt place = frame + (bent ? q * LANES : 0);

          K = (RungPack){0} + 1;
          if (r) K *= *(const RungPack *)(d->map[r - 1][r - 1] + place);
          if (s) K *= *(const RungPack *)(d->map[s - 1][s - 1] + place);
        }
        *(RungPack *)(to + q * LANES) = K * *(const RungPack *)(w + q * LANES) *
                                        *(const RungPack *)(at + q * value->point);
      }
    }
  }
}

/* All pairs where K is diagonal; of coefficients that are those of two pairs the first. */
static void pull_straight(PetscInt dim, const RungPullDense *d, PetscInt k, PetscInt n)
{
  for (PetscInt r = 0; r <= dim; ++r) {
    for (PetscInt s = 0; s <= dim; ++s) {
      if (!d->to[r][s] || (s < r && d->to[r][s] == d->to[s][r])) continue;
      if (d->map_point && (r || s))
        pull_one(PETSC_TRUE, r, s, d, k, n);
      else
        pull_one(PETSC_FALSE, r, s, d, k, n);
    }
  }
}

/* Gradients of both, at one pack of point q of batch k. */
RUNG_INLINE void pull_pack(PetscInt dim, const RungPullDense *d, RungPack (*K)[3], PetscInt k, PetscInt q, PetscInt l,
                           PetscInt at)
{
  const RungPack w = *(const RungPack *)(d->weight + k * d->weight_batch + q * LANES + l);
  RungPack       T[3][3], C[3][3];

  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt c = 0; c < dim; ++c) {
      const RungValuePlace *value = &d->value[1 + a][1 + c];

      C[a][c] = weighted(value->at, k * value->batch + q * value->point + l, w);
    }
  }
  for (PetscInt b = 0; b < dim; ++b) {
    for (PetscInt c = 0; c < dim; ++c) {
      T[b][c] = K[b][0] * C[0][c];
      for (PetscInt a = 1; a < dim; ++a) T[b][c] += K[b][a] * C[a][c];
    }
  }
  for (PetscInt b = 0; b < dim; ++b) {
    for (PetscInt e = 0; e < dim; ++e) {
      double  *to  = d->to[1 + b][1 + e];
      RungPack sum = T[b][0] * K[e][0];

      if (!to) continue;
      for (PetscInt c = 1; c < dim; ++c) sum += T[b][c] * K[e][c];
      *(RungPack *)(to + at) = sum;
    }
  }
}

/* bent: a constant where this is called, as dim is */
RUNG_INLINE void pull_gradients(PetscInt dim, PetscBool bent, const RungPullDense *d, PetscInt k, PetscInt n)
{
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      const PetscInt frame = (k + i) * d->map_batch + l;
      RungPack       K[3][3];

      for (PetscInt q = 0; q < d->points; ++q) {
        for (PetscInt a = 0; (bent || !q) && a < dim; ++a)
          for (PetscInt c = 0; c < dim; ++c)
            K[a][c] = *(const RungPack *)(d->map[a][c] + frame + (bent ? q * LANES : 0));
        pull_pack(dim, d, K, k + i, q, l, i * d->to_batch + q * LANES + l);
      }
    }
  }
}

/* dim is a constant where this is called */
RUNG_INLINE void pull_dense(PetscInt dim, const RungPullDense *d, PetscInt k, PetscInt n)
{
  if (d->straight) {
    pull_straight(dim, d, k, n);
    return;
  }
  if (d->part[0][0] && d->to[0][0]) pull_values(d, k, n);
  if (d->part[1][0] && d->map_point) pull_gradient(dim, 0, PETSC_TRUE, d, k, n);
  if (d->part[1][0] && !d->map_point) pull_gradient(dim, 0, PETSC_FALSE, d, k, n);
  if (d->part[0][1] && d->map_point) pull_gradient(dim, 1, PETSC_TRUE, d, k, n);
  if (d->part[0][1] && !d->map_point) pull_gradient(dim, 1, PETSC_FALSE, d, k, n);
  if (d->part[1][1] && d->map_point) pull_gradients(dim, PETSC_TRUE, d, k, n);
  if (d->part[1][1] && !d->map_point) pull_gradients(dim, PETSC_FALSE, d, k, n);
}

/* The coefficients of one class; sums over the points are taken by the caller. */
void RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, PetscInt k, PetscInt n,
                 double *coefficient)
{
  const RungPullDense *dense = &in->dense[block][class];

  if (!plan->block[block].pull[class].steps[0]) return;
  if (!dense->is)
    for (PetscInt i = 0; i < n; ++i)
      pull_steps(plan, in, &plan->block[block], class, k + i, coefficient + i * in->coefficients);
  else if (plan->axes == 3)
    pull_dense(3, dense, k, n);
  else if (plan->axes == 2)
    pull_dense(2, dense, k, n);
  else
    pull_dense(1, dense, k, n);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Terms and pairs of a class; PETSC_FALSE if there are second derivatives. */
static PetscBool set_terms(RungPlan plan, const RungInterpreter *in, PetscInt b, int class, RungPullDense *dense)
{
  const RungBlock *block       = &plan->block[b];
  double          *coefficient = in->coefficient + (class ? block->coefficients[RUNG_PAIR_CELL] * LANES : 0);

  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt r = block->term[t].r, s = block->term[t].s, v = block->term[t].value;

    if ((RungPlanOfCell(plan, v) ? 0 : 1) != class) continue;
    if (r > plan->axes || s > plan->axes) return PETSC_FALSE;
    dense->value[r][s]        = in->value[v];
    dense->part[r > 0][s > 0] = PETSC_TRUE;
  }
  for (int kind = class; kind <= 2 * class; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      const RungPair *pair = &block->pair[kind][p];
      const PetscInt  at   = pair->coefficient + (kind == RUNG_PAIR_POINT ? block->coefficients[RUNG_PAIR_SUM] : 0);

      dense->to[pair->r][pair->s] = coefficient + at * dense->points * LANES;
    }
  }
  return PETSC_TRUE;
}

/* Blocks of values and gradients, of one cell, in plans that have all entries of K, or a diagonal one. */
static void set_dense(RungPlan plan, const RungInterpreter *in, PetscInt b, int class, RungPullDense *dense)
{
  const RungBlock    *block    = &plan->block[b];
  const RungGeometry *geometry = &in->geometry[block->row_cell];
  PetscBool           one_cell = block->row_cell == block->col_cell ? PETSC_TRUE : PETSC_FALSE, all = PETSC_TRUE;

  dense->points       = class ? plan->points : 1;
  dense->weight       = class ? in->geometry[0].dV : in->geometry[0].measure;
  dense->map_point    = geometry->gp > 1 ? LANES : 0;
  dense->map_batch    = geometry->frame;
  dense->to_batch     = in->coefficients;
  dense->weight_batch = class ? in->P : in->geometry[0].frame;
  if (!plan->axes || !set_terms(plan, in, b, class, dense)) return;
  for (PetscInt a = 0; a < plan->axes; ++a) {
    for (PetscInt c = 0; c < plan->axes; ++c) {
      dense->map[c][a] = geometry->map[1 + a][1 + c];              /* K[c][a] */
      if (!dense->map[c][a] && !plan->straight) all = PETSC_FALSE; /* of straight cells those that are read are there */
    }
  }
  if (!dense->part[0][1] && !dense->part[1][1]) one_cell = PETSC_TRUE; /* the map of the rows alone */
  if (!dense->part[1][0] && !dense->part[1][1] && !dense->part[0][1]) all = PETSC_TRUE;
  dense->straight = plan->straight;
  dense->is       = one_cell && all ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->blocks, &in->dense));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    for (int class = 0; class < 2; ++class) set_dense(plan, in, b, class, &in->dense[b][class]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
