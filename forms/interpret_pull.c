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

/* What a dense pull-back reads and writes. */
typedef struct {
  const RungPullDense *dense;
  const double        *value[4][4]; /* NULL: absent                                   */
  PetscInt             step[4][4];  /* between points                                 */
  const double        *map[3][3];   /* [b][a], where there are gradients              */
  PetscInt             map_step;
  PetscInt             stride; /* between coefficients                           */
  double              *coefficient;
} Dense;

/* weight value[a][c], 0 where there is none */
RUNG_INLINE RungPack Weighted(const Dense *d, PetscInt a, PetscInt c, PetscInt q, PetscInt l, RungPack weight)
{
  return d->value[a][c] ? weight * *(const RungPack *)(d->value[a][c] + q * d->step[a][c] + l) : (RungPack){0};
}

RUNG_INLINE void Put(const Dense *d, PetscInt b, PetscInt c, PetscInt at, RungPack value)
{
  if (d->dense->to[b][c] >= 0) *(RungPack *)(d->coefficient + d->dense->to[b][c] * d->stride + at) = value;
}

/* Gradients of the test function (k = 0) or of the trial function (k = 1), times values of the other. */
RUNG_INLINE void PullGradient(PetscInt n, int k, const Dense *d, RungPack K[3][3], PetscInt q, PetscInt l, PetscInt at,
                              RungPack weight)
{
  RungPack C[3];

  for (PetscInt a = 0; a < n; ++a) C[a] = k ? Weighted(d, 0, 1 + a, q, l, weight) : Weighted(d, 1 + a, 0, q, l, weight);
  for (PetscInt b = 0; b < n; ++b) {
    RungPack sum = K[b][0] * C[0];

    for (PetscInt a = 1; a < n; ++a) sum += K[b][a] * C[a];
    if (k)
      Put(d, 0, 1 + b, at, sum);
    else
      Put(d, 1 + b, 0, at, sum);
  }
}

/* Gradients of both. */
RUNG_INLINE void PullGradients(PetscInt n, const Dense *d, RungPack K[3][3], PetscInt q, PetscInt l, PetscInt at,
                               RungPack weight)
{
  RungPack T[3][3], C[3][3];

  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt c = 0; c < n; ++c) C[a][c] = Weighted(d, 1 + a, 1 + c, q, l, weight);
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
      Put(d, 1 + b, 1 + e, at, sum);
    }
  }
}

/* n is a constant where this is called */
RUNG_INLINE void PullPoints(PetscInt n, const Dense *d, const double *weight, PetscInt points, PetscInt lanes)
{
  const RungPullDense *dense = d->dense;
  const PetscBool      maps  = dense->part[0][1] || dense->part[1][0] || dense->part[1][1] ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt q = 0; q < points; ++q) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
      const PetscInt at = q * lanes + l;
      const RungPack w  = *(const RungPack *)(weight + at);
      RungPack       K[3][3];

      if (dense->part[0][0]) Put(d, 0, 0, at, Weighted(d, 0, 0, q, l, w));
      if (!maps) continue;
      for (PetscInt b = 0; b < n; ++b) {
        for (PetscInt a = 0; a < n; ++a) K[b][a] = *(const RungPack *)(d->map[b][a] + q * d->map_step + l);
      }
      if (dense->part[1][0]) PullGradient(n, 0, d, K, q, l, at, w);
      if (dense->part[0][1]) PullGradient(n, 1, d, K, q, l, at, w);
      if (dense->part[1][1]) PullGradients(n, d, K, q, l, at, w);
    }
  }
}

/* The coefficients of one class; sums over the points are taken by the caller. */
void RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient)
{
  const RungPullDense *dense    = &in->dense[block][class];
  const RungGeometry  *geometry = &in->geometry[plan->block[block].row_cell];
  const PetscInt       n = plan->axes, lanes = in->lanes, points = class ? plan->points : 1;
  const double        *weight = class ? in->geometry[0].dV : in->geometry[0].measure;
  Dense                d      = {.dense = dense, .map_step = geometry->gp > 1 ? lanes : 0, .stride = points * lanes};

  if (!dense->is) {
    PullSteps(plan, in, &plan->block[block], class, coefficient);
    return;
  }
  d.coefficient = coefficient;
  for (PetscInt a = 0; a <= n; ++a) {
    for (PetscInt c = 0; c <= n; ++c) {
      const PetscInt v = dense->value[a][c];

      if (a && c) d.map[c - 1][a - 1] = geometry->map[a][c]; /* K[c][a] */
      d.value[a][c] = v < 0 ? NULL : in->value[v];
      d.step[a][c]  = v >= 0 && (plan->rate[v] == RUNG_RATE_POINT || in->spread[v]) ? lanes : 0;
    }
  }
  if (n == 3)
    PullPoints(3, &d, weight, points, lanes);
  else if (n == 2)
    PullPoints(2, &d, weight, points, lanes);
  else
    PullPoints(1, &d, weight, points, lanes);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Terms and pairs of a class; PETSC_FALSE if there are second derivatives. */
static PetscBool SetDense(RungPlan plan, const RungBlock *block, int class, RungPullDense *dense)
{
  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt r = block->term[t].r, s = block->term[t].s, v = block->term[t].value;

    if ((RungPlanOfCell(plan, v) ? 0 : 1) != class) continue;
    if (r > plan->axes || s > plan->axes) return PETSC_FALSE;
    dense->value[r][s]        = v;
    dense->part[r > 0][s > 0] = PETSC_TRUE;
  }
  for (int kind = class; kind <= 2 * class; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      const RungPair *pair = &block->pair[kind][p];

      dense->to[pair->r][pair->s] = pair->coefficient +
                                    (kind == RUNG_PAIR_POINT ? block->coefficients[RUNG_PAIR_SUM] : 0);
    }
  }
  return PETSC_TRUE;
}

/* Blocks of values and gradients, of one cell, in plans that have all entries of K. */
static void FindDense(RungPlan plan, const RungBlock *block, int class, RungPullDense *dense)
{
  PetscBool one_cell = block->row_cell == block->col_cell ? PETSC_TRUE : PETSC_FALSE, all = PETSC_TRUE;

  for (PetscInt a = 0; a < 4; ++a) {
    for (PetscInt c = 0; c < 4; ++c) dense->value[a][c] = dense->to[a][c] = -1;
  }
  if (!plan->axes || !SetDense(plan, block, class, dense)) return;
  for (PetscInt a = 1; a <= plan->axes; ++a) {
    for (PetscInt c = 1; c <= plan->axes; ++c) all = all && plan->map[a][c] ? PETSC_TRUE : PETSC_FALSE;
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
    for (int class = 0; class < 2; ++class) FindDense(plan, &plan->block[b], class, &in->dense[b][class]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
