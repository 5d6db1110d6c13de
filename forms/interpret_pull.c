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

/* n is a constant where this is called */
RUNG_INLINE void PullVector(PetscInt n, const RungPullDense *dense, const double *const value[], const PetscInt step[],
                            const double *map[3][3], const double *weight, PetscInt q, PetscInt map_q, PetscInt l,
                            PetscInt lanes, PetscInt stride, double *coefficient)
{
  RungPack K[3][3], T[3][3], C[3][3];

  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt a = 0; a < n; ++a) K[b][a] = *(const RungPack *)(map[b][a] + map_q + l);
  }
  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt c = 0; c < n; ++c) {
      const PetscInt i = a * n + c;

      C[a][c] = (RungPack){0};
      if (value[i]) C[a][c] = *(const RungPack *)weight * *(const RungPack *)(value[i] + q * step[i] + l);
    }
  }
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt c = 0; c < n; ++c) {
      T[b][c] = K[b][0] * C[0][c];
      for (PetscInt a = 1; a < n; ++a) T[b][c] += K[b][a] * C[a][c];
    }
  }
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt d = 0; d < n; ++d) {
      RungPack sum = T[b][0] * K[d][0];

      for (PetscInt c = 1; c < n; ++c) sum += T[b][c] * K[d][c];
      if (dense->to[b][d] >= 0) *(RungPack *)(coefficient + dense->to[b][d] * stride + q * lanes + l) = sum;
    }
  }
}

static void PullDense(PetscInt n, const RungPullDense *dense, const double *const value[], const PetscInt step[],
                      const double *map[3][3], PetscInt map_step, const double *weight, PetscInt points, PetscInt lanes,
                      double *coefficient)
{
  for (PetscInt q = 0; q < points; ++q) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
      const double *w = weight + q * lanes + l;

      if (n == 3)
        PullVector(3, dense, value, step, map, w, q, q * map_step, l, lanes, points * lanes, coefficient);
      else
        PullVector(2, dense, value, step, map, w, q, q * map_step, l, lanes, points * lanes, coefficient);
    }
  }
}

/* The coefficients of one class; sums over the points are taken by the caller. */
void RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient)
{
  const RungPullDense *dense    = &in->dense[block][class];
  const RungGeometry  *geometry = &in->geometry[plan->block[block].row_cell];
  const PetscInt       n = plan->axes, lanes = in->lanes;
  const double        *value[9], *map[3][3];
  PetscInt             step[9];

  if (!dense->is) {
    PullSteps(plan, in, &plan->block[block], class, coefficient);
    return;
  }
  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt c = 0; c < n; ++c) {
      const PetscInt v = dense->value[a][c];

      map[c][a]        = geometry->map[1 + a][1 + c]; /* K[c][a] */
      value[a * n + c] = v < 0 ? NULL : in->value[v];
      step[a * n + c]  = v >= 0 && (plan->rate[v] == RUNG_RATE_POINT || in->spread[v]) ? lanes : 0;
    }
  }
  PullDense(n, dense, value, step, map, geometry->gp > 1 ? lanes : 0,
            class ? in->geometry[0].dV : in->geometry[0].measure, class ? plan->points : 1, lanes, coefficient);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Blocks of gradients of two or three axes, of one cell.  All entries of K are there, for every axis has a term or none is dense. */
static void FindDense(RungPlan plan, const RungBlock *block, int class, RungPullDense *dense)
{
  const RungPull *pull = &block->pull[class];

  dense->is = plan->axes > 1 && pull->steps[1] && block->row_cell == block->col_cell ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt a = 0; a < 3; ++a) {
    for (PetscInt c = 0; c < 3; ++c) dense->value[a][c] = dense->to[a][c] = -1;
  }
  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt r = block->term[t].r, s = block->term[t].s, v = block->term[t].value;

    if ((RungPlanOfCell(plan, v) ? 0 : 1) != class) continue;
    if (r < 1 || r > plan->axes || s < 1 || s > plan->axes) {
      dense->is = PETSC_FALSE;
      return;
    }
    dense->value[r - 1][s - 1] = v;
  }
  for (int kind = class; kind <= 2 * class; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      const RungPair *pair = &block->pair[kind][p];

      dense->to[pair->r - 1][pair->s - 1] = pair->coefficient +
                                            (kind == RUNG_PAIR_POINT ? block->coefficients[RUNG_PAIR_SUM] : 0);
    }
  }
  for (PetscInt a = 1; a <= plan->axes; ++a) {
    for (PetscInt c = 1; c <= plan->axes; ++c) dense->is = dense->is && plan->map[a][c] ? PETSC_TRUE : PETSC_FALSE;
  }
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
