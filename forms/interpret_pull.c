/* interpret_pull.c - coefficients of a block pulled back to the reference cell, for all points and lanes of a batch.

   Blocks of gradients alone, which are most, are done in registers; all others step by step as the plan lists them. */
#include "interpret_impl.h"

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* A factor of a pull-back step at the points: step between points, NULL is 1. */
static const double *MapOf(const RungInterpreter *in, PetscInt cell, PetscInt s, PetscInt r, PetscInt *step)
{
  *step = s && in->geometry[cell].gp > 1 ? in->lanes : 0;
  return s ? in->geometry[cell].map[s][r] : NULL;
}

/* to (+)= a b c, the factor b may be missing */
RUNG_INLINE void Multiply(double *restrict to, PetscInt points, PetscInt lanes, PetscBool add, const double *a,
                          PetscInt step_a, const double *b, PetscInt step_b, const double *c, PetscInt step_c)
{
  for (PetscInt q = 0; q < points; ++q) {
    for (PetscInt l = 0; l < lanes; ++l) {
      const double ab    = b ? a[q * step_a + l] * b[q * step_b + l] : a[q * step_a + l];
      const double value = c ? ab * c[q * step_c + l] : ab;

      to[q * lanes + l] = add ? to[q * lanes + l] + value : value;
    }
  }
}

static void MultiplyHot(double *restrict to, PetscInt points, PetscInt lanes, PetscBool add, const double *a,
                        PetscInt step_a, const double *b, PetscInt step_b, const double *c, PetscInt step_c)
{
  if (b && c)
    Multiply(to, points, lanes, add, a, step_a, b, step_b, c, step_c);
  else if (b)
    Multiply(to, points, lanes, add, a, step_a, b, step_b, NULL, 0);
  else if (c)
    Multiply(to, points, lanes, add, a, step_a, NULL, 0, c, step_c);
  else
    Multiply(to, points, lanes, add, a, step_a, NULL, 0, NULL, 0);
}

/* Step by step. */
static void PullSteps(RungPlan plan, RungInterpreter *in, const RungBlock *block, int class, double *coefficient)
{
  const RungPull *pull  = &block->pull[class];
  const PetscInt  lanes = in->lanes, points = class ? plan->points : 1, n = points * lanes;
  const double   *weight = class ? in->geometry[0].dV : in->geometry[0].measure;
  PetscInt        step_map, last = -1;

  for (PetscInt i = 0; i < pull->steps[0]; ++i) {
    const RungPullStep *it    = &pull->step[0][i];
    const double       *map   = MapOf(in, block->row_cell, it->s, it->r, &step_map);
    const PetscInt      value = plan->rate[it->from] == RUNG_RATE_POINT || in->spread[it->from] ? lanes : 0;

    MultiplyHot(in->temporary + it->to * n, points, lanes, it->to == last ? PETSC_TRUE : PETSC_FALSE,
                in->value[it->from], value, weight, class ? lanes : 0, map, step_map);
    last = it->to;
  }
  last = -1;
  for (PetscInt i = 0; i < pull->steps[1]; ++i) {
    const RungPullStep *it  = &pull->step[1][i];
    const double       *map = MapOf(in, block->col_cell, it->s, it->r, &step_map);

    MultiplyHot(coefficient + it->to * n, points, lanes, it->to == last ? PETSC_TRUE : PETSC_FALSE,
                in->temporary + it->from * n, class ? lanes : 0, map, step_map, NULL, 0);
    last = it->to;
  }
}

/* weight value[a][c], 0 where there is none */
RUNG_INLINE RungPack Weighted(const RungPullDense *d, PetscInt a, PetscInt c, PetscInt q, PetscInt l, RungPack weight)
{
  return d->value[a][c] ? weight * *(const RungPack *)(d->value[a][c] + q * d->step[a][c] + l) : (RungPack){0};
}

RUNG_INLINE void Put(double *to, PetscInt at, RungPack value)
{
  if (to) *(RungPack *)(to + at) = value;
}

static void PullValues(const RungPullDense *d, PetscInt lanes)
{
  const double *value = d->value[0][0], *weight = d->weight;
  double       *to = d->to[0][0];

  for (PetscInt q = 0; q < d->points; ++q, value += d->step[0][0], weight += lanes, to += lanes) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK)
      *(RungPack *)(to + l) = *(const RungPack *)(weight + l) * *(const RungPack *)(value + l);
  }
}

/* Gradients of the test function (k = 0) or of the trial function (k = 1), times values of the other; n and k are
   constants where this is called. */
RUNG_INLINE void PullGradient(PetscInt n, int k, const RungPullDense *d, PetscInt lanes)
{
  for (PetscInt q = 0; q < d->points; ++q) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
      const PetscInt at = q * lanes + l;
      const RungPack w  = *(const RungPack *)(d->weight + at);
      RungPack       C[3];

      for (PetscInt a = 0; a < n; ++a) C[a] = k ? Weighted(d, 0, 1 + a, q, l, w) : Weighted(d, 1 + a, 0, q, l, w);
      for (PetscInt b = 0; b < n; ++b) {
        RungPack sum = *(const RungPack *)(d->map[b][0] + q * d->map_step + l) * C[0];

        for (PetscInt a = 1; a < n; ++a) sum += *(const RungPack *)(d->map[b][a] + q * d->map_step + l) * C[a];
        Put(k ? d->to[0][1 + b] : d->to[1 + b][0], at, sum);
      }
    }
  }
}

/* Gradients of both, at one pack. */
RUNG_INLINE void PullPack(PetscInt n, const RungPullDense *d, PetscInt q, PetscInt l, PetscInt at)
{
  const RungPack w = *(const RungPack *)(d->weight + at);
  RungPack       K[3][3], T[3][3], C[3][3];

  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt c = 0; c < n; ++c) {
      C[a][c] = Weighted(d, 1 + a, 1 + c, q, l, w);
      K[a][c] = *(const RungPack *)(d->map[a][c] + q * d->map_step + l);
    }
  }
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt c = 0; c < n; ++c) {
      T[b][c] = K[b][0] * C[0][c];
      for (PetscInt a = 1; a < n; ++a) T[b][c] += K[b][a] * C[a][c];
    }
  }
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt e = 0; e < n; ++e) {
      RungPack sum = T[b][0] * K[e][0];

      for (PetscInt c = 1; c < n; ++c) sum += T[b][c] * K[e][c];
      Put(d->to[1 + b][1 + e], at, sum);
    }
  }
}

/* n is a constant where this is called */
RUNG_INLINE void PullDense(PetscInt n, const RungPullDense *d, PetscInt lanes)
{
  if (d->part[0][0] && d->to[0][0]) PullValues(d, lanes);
  if (d->part[1][0]) PullGradient(n, 0, d, lanes);
  if (d->part[0][1]) PullGradient(n, 1, d, lanes);
  if (!d->part[1][1]) return;
  for (PetscInt q = 0; q < d->points; ++q) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK) PullPack(n, d, q, l, q * lanes + l);
  }
}

/* The coefficients of one class; sums over the points are taken by the caller. */
void RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient)
{
  const RungPullDense *dense = &in->dense[block][class];

  if (!dense->is)
    PullSteps(plan, in, &plan->block[block], class, coefficient);
  else if (plan->axes == 3)
    PullDense(3, dense, in->lanes);
  else if (plan->axes == 2)
    PullDense(2, dense, in->lanes);
  else
    PullDense(1, dense, in->lanes);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Terms and pairs of a class; PETSC_FALSE if there are second derivatives. */
static PetscBool SetTerms(RungPlan plan, const RungInterpreter *in, PetscInt b, int class, RungPullDense *dense)
{
  const RungBlock *block       = &plan->block[b];
  double          *coefficient = in->coefficient + (class ? block->coefficients[RUNG_PAIR_CELL] * in->lanes : 0);

  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt r = block->term[t].r, s = block->term[t].s, v = block->term[t].value;

    if ((RungPlanOfCell(plan, v) ? 0 : 1) != class) continue;
    if (r > plan->axes || s > plan->axes) return PETSC_FALSE;
    dense->value[r][s]        = in->value[v];
    dense->step[r][s]         = plan->rate[v] == RUNG_RATE_POINT || in->spread[v] ? in->lanes : 0;
    dense->part[r > 0][s > 0] = PETSC_TRUE;
  }
  for (int kind = class; kind <= 2 * class; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      const RungPair *pair = &block->pair[kind][p];
      const PetscInt  at   = pair->coefficient + (kind == RUNG_PAIR_POINT ? block->coefficients[RUNG_PAIR_SUM] : 0);

      dense->to[pair->r][pair->s] = coefficient + at * dense->points * in->lanes;
    }
  }
  return PETSC_TRUE;
}

/* Blocks of values and gradients, of one cell, in plans that have all entries of K. */
static void SetDense(RungPlan plan, const RungInterpreter *in, PetscInt b, int class, RungPullDense *dense)
{
  const RungBlock    *block    = &plan->block[b];
  const RungGeometry *geometry = &in->geometry[block->row_cell];
  PetscBool           one_cell = block->row_cell == block->col_cell ? PETSC_TRUE : PETSC_FALSE, all = PETSC_TRUE;

  dense->points   = class ? plan->points : 1;
  dense->weight   = class ? in->geometry[0].dV : in->geometry[0].measure;
  dense->map_step = geometry->gp > 1 ? in->lanes : 0;
  if (!plan->axes || !SetTerms(plan, in, b, class, dense)) return;
  for (PetscInt a = 0; a < plan->axes; ++a) {
    for (PetscInt c = 0; c < plan->axes; ++c) {
      dense->map[c][a] = geometry->map[1 + a][1 + c]; /* K[c][a] */
      if (!dense->map[c][a]) all = PETSC_FALSE;
    }
  }
  if (!dense->part[0][1] && !dense->part[1][1]) one_cell = PETSC_TRUE; /* the map of the rows alone */
  if (!dense->part[1][0] && !dense->part[1][1] && !dense->part[0][1]) all = PETSC_TRUE;
  dense->is = one_cell && all ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->blocks, &in->dense));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    for (int class = 0; class < 2; ++class) SetDense(plan, in, b, class, &in->dense[b][class]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
