/* interpret_read.c - inputs that are functions: tables times dofs, mapped to physical derivatives.

   One component of one function at a time, all its derivatives.  A value goes straight to where the tape reads it; a
   gradient is mapped in registers,  to[s] = sum_r map[s][r] R_r,  and what is constant in cells has one point. */
#include "interpret_impl.h"

#define MAX_AXES 3
#define LANES    RUNG_BATCH

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* to[s][q] = sum_r map[s][r][q] from[r][q] of batches k and on; dim, bent and, where it is dim, outputs are constants where
   this is called; outputs are at most as many as dim.  The map of a cell that is not bent is loaded once. */
RUNG_INLINE void map_gradient(PetscInt dim, PetscInt outputs, PetscBool bent, const RungReadMap *it, PetscInt k,
                              PetscInt n, const RungGeometry *geometry)
{
  const PetscInt points = it->points;

  for (PetscInt end = k + n; k < end; ++k) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      const PetscInt frame = k * geometry->frame + l, to = k * points * LANES + l;
      RungPack       K[MAX_AXES][MAX_AXES];

      for (PetscInt s = 0; !bent && s < outputs; ++s)
        for (PetscInt r = 0; r < dim; ++r) K[s][r] = *(const RungPack *)(it->map[s][r] + frame);
      for (PetscInt q = 0; q < points; ++q) {
        RungPack from[MAX_AXES];

        for (PetscInt s = 0; bent && s < outputs; ++s)
          for (PetscInt r = 0; r < dim; ++r) K[s][r] = *(const RungPack *)(it->map[s][r] + frame + q * LANES);
        for (PetscInt r = 0; r < dim; ++r)
          from[r] = *(const RungPack *)(it->from[r] + k * it->from_batch[r] + l + q * LANES);
        for (PetscInt s = 0; s < outputs; ++s) {
          RungPack sum = K[s][0] * from[0];

          for (PetscInt r = 1; r < dim; ++r) sum += K[s][r] * from[r];
          *(RungPack *)(it->to[s] + to + q * LANES) = sum;
        }
      }
    }
  }
}

RUNG_INLINE void map_gradients(PetscInt dim, const RungReadMap *it, PetscInt k, PetscInt n,
                               const RungGeometry *geometry)
{
  if (geometry->gp > 1 && it->outputs == dim)
    map_gradient(dim, dim, PETSC_TRUE, it, k, n, geometry);
  else if (geometry->gp > 1)
    map_gradient(dim, it->outputs, PETSC_TRUE, it, k, n, geometry);
  else if (it->outputs == dim)
    map_gradient(dim, dim, PETSC_FALSE, it, k, n, geometry);
  else
    map_gradient(dim, it->outputs, PETSC_FALSE, it, k, n, geometry);
}

/* One derivative and its factor: straight cells, and those of one axis. */
static void map_one(const RungReadMap *it, PetscInt k, PetscInt n, const RungGeometry *geometry)
{
  const PetscInt step = geometry->gp > 1 ? LANES : 0;

  for (PetscInt end = k + n; k < end; ++k) {
    const double *map = it->map[0][0] + k * geometry->frame, *from = it->from[0] + k * it->from_batch[0];
    double       *to = it->to[0] + k * it->points * LANES;

    for (PetscInt q = 0; q < it->points; ++q, map += step, from += LANES, to += LANES) {
      for (PetscInt l = 0; l < LANES; l += RUNG_PACK)
        *(RungPack *)(to + l) = *(const RungPack *)(map + l) * *(const RungPack *)(from + l);
    }
  }
}

/* One output of any number of derivatives. */
static void map_any(const RungReadMap *it, PetscInt k, const RungGeometry *geometry)
{
  const PetscInt at = k * geometry->frame, step = geometry->gp > 1 ? LANES : 0, to = k * it->points * LANES;

  for (PetscInt q = 0; q < it->points; ++q) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      RungPack sum = {0};

      for (PetscInt r = 0; r < it->n; ++r) {
        const RungPack from = *(const RungPack *)(it->from[r] + k * it->from_batch[r] + q * LANES + l);

        sum += it->map[0][r] ? *(const RungPack *)(it->map[0][r] + at + q * step + l) * from : from;
      }
      *(RungPack *)(it->to[0] + to + q * LANES + l) = sum;
    }
  }
}

/* The dofs that an evaluation reads: node i at a distance of components * LANES. */
static const double *source_dofs(RungPlan plan, const RungEvaluation *it, const RungKernelArgs *args)
{
  const RungBasis *basis = &plan->basis[it->source];
  const PetscBool  field = it->source >= plan->unknowns ? PETSC_TRUE : PETSC_FALSE;
  const double    *from  = field ? args->field : args->u + it->k * plan->dofs * LANES;

  return from + (basis->offset + RungPlanCellOffset(plan, field, it->cell) + it->component) * LANES;
}

static void evaluate(RungPlan plan, RungInterpreter *in, PetscInt k, PetscInt n, const RungKernelArgs *args)
{
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it     = &plan->evaluation[e];
    const RungBasis      *basis  = &plan->basis[it->source];
    const PetscInt        points = in->read[e].points;
    const RungBatchSpan   span   = {.n = n, .u = in->distance, .out = points * LANES};

    if (in->read[e].sum) continue;
    RungTailEvaluate(points, basis->nodes, RungBasisTable(plan, basis, it->r, in->side[k][it->cell]), basis->components,
                     span, source_dofs(plan, it, args), in->read[e].to + k * points * LANES);
  }
}

static void evaluate_sums(RungPlan plan, RungInterpreter *in, PetscInt k, const RungKernelArgs *args)
{
  for (PetscInt i = 0; i < in->sums; ++i) {
    const RungReadSum    *sum = &in->sum[i];
    const RungEvaluation *it  = &plan->evaluation[sum->evaluation];
    double               *out[1 + 3];
    const double         *scale[3];

    for (int r = 0; r < 1 + 3; ++r)
      out[r] = sum->out[r] && sum->out[r] != in->unread ? sum->out[r] + k * in->P : sum->out[r];
    for (int a = 0; a < 3; ++a) scale[a] = sum->scale[a] ? sum->scale[a] + k * LANES : NULL;
    RungSumEvaluate(plan, &plan->basis[it->source], source_dofs(plan, it, args), scale, in->scratch, out);
  }
}

void RungReadRun(RungPlan plan, RungInterpreter *in, PetscInt k, PetscInt n, const RungKernelArgs *args)
{
  evaluate(plan, in, k, n, args);
  for (PetscInt i = 0; i < n; ++i) evaluate_sums(plan, in, k + i, &args[i]);
  for (PetscInt i = 0; i < in->maps; ++i) {
    const RungReadMap *it = &in->map[i];

    if (it->gradient && it->n == 3)
      map_gradients(3, it, k, n, &in->geometry[0]);
    else if (it->gradient && it->n == 2)
      map_gradients(2, it, k, n, &in->geometry[0]);
    else if (it->n == 1 && it->map[0][0])
      map_one(it, k, n, &in->geometry[0]);
    else
      for (PetscInt j = k; j < k + n; ++j) map_any(it, j, &in->geometry[0]);
  }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Functions without a derivative that does not vanish: 0. */
static void set_zeros(RungPlan plan, RungInterpreter *in)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt v = 0, i = 0; v < tape->inputs; ++v) {
    const RungInputKind kind = tape->input[v].kind;

    while (i < plan->input_steps && plan->input_step[i].to < v) ++i;
    if (kind != RUNG_IN_UNKNOWN && kind != RUNG_IN_FIELD) continue;
    if (i < plan->input_steps && plan->input_step[i].to == v) continue;
    in->map[in->maps].points  = plan->rate[v] == RUNG_RATE_POINT ? plan->points : 1;
    in->map[in->maps++].to[0] = in->value[v].at;
  }
}

/* Input steps first .. last - 1 as one map. */
static void set_map(RungPlan plan, const RungInterpreter *in, PetscInt first, PetscInt last, RungReadMap *map)
{
  const RungInputStep *it = &plan->input_step[first];

  map->n       = last - first;
  map->outputs = 1;
  map->points  = plan->rate[it->to] == RUNG_RATE_POINT ? plan->points : 1;
  map->to[0]   = in->value[it->to].at;
  /* second derivatives of curved cells have first ones besides */
  map->gradient = map->n == plan->axes && it->s >= 1 && it->s <= plan->axes && plan->axes > 1 ? PETSC_TRUE
                                                                                              : PETSC_FALSE;
  for (PetscInt r = 0; r < map->n; ++r) {
    const RungGeometry *geometry = &in->geometry[plan->evaluation[it[r].from].cell];

    map->from[r]       = in->read[it[r].from].to;
    map->from_batch[r] = in->read[it[r].from].points * LANES;
    map->map[0][r]     = it[r].s ? geometry->map[it[r].s][it[r].r] : NULL;
  }
}

/* Other outputs of the same derivatives are done with them. */
static PetscBool join_outputs(RungReadMap *map, const RungReadMap *next)
{
  const PetscInt s = map->outputs;

  if (!map->gradient || !next->gradient || s == MAX_AXES || map->points != next->points) return PETSC_FALSE;
  for (PetscInt r = 0; r < map->n; ++r) {
    if (map->from[r] != next->from[r]) return PETSC_FALSE;
  }
  map->to[s] = next->to[0];
  for (PetscInt r = 0; r < map->n; ++r) map->map[s][r] = next->map[0][r];
  ++map->outputs;
  return PETSC_TRUE;
}

/* Where evaluation e goes, and at how many points: straight to its reader if that is the only one and wants no more. */
static void set_reads(RungPlan plan, RungInterpreter *in)
{
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    in->read[e].to     = in->evaluation + e * in->ahead * in->P;
    in->read[e].points = 1;
  }
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    const RungInputStep *it = &plan->input_step[i];

    if (plan->rate[it->to] == RUNG_RATE_POINT) in->read[it->from].points = plan->points;
    if (!it->s) in->read[it->from].to = in->value[it->to].at;
  }
}

/* On straight affine cells a physical derivative is one reference derivative times a number: where sums factorise, that is
   made at once and goes to its only reader. */
static PetscBool is_scaled(RungPlan plan, const RungInterpreter *in, const RungInputStep *it)
{
  const RungEvaluation *from = &plan->evaluation[it->from];

  return plan->straight && in->geometry[0].gp == 1 && from->cell == 0 && it->s >= 1 && it->s <= plan->axes &&
             it->s == it->r && in->read[it->from].points == plan->points && plan->rate[it->to] == RUNG_RATE_POINT &&
             RungSumFits(plan, &plan->basis[from->source])
           ? PETSC_TRUE
           : PETSC_FALSE;
}

static void set_scales(RungPlan plan, RungInterpreter *in)
{
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    const RungInputStep  *it   = &plan->input_step[i];
    const RungEvaluation *from = &plan->evaluation[it->from];

    if (!is_scaled(plan, in, it)) continue;
    for (PetscInt k = 0; k < in->sums; ++k) {
      const RungEvaluation *of = &plan->evaluation[in->sum[k].evaluation];

      if (of->source != from->source || of->component != from->component || of->k != from->k) continue;
      in->sum[k].out[it->r]       = in->value[it->to].at;
      in->sum[k].scale[it->r - 1] = in->geometry[0].map[it->s][it->r];
    }
  }
}

/* Evaluations of a component whose sums factorise are made together. */
static void set_sums(RungPlan plan, RungInterpreter *in)
{
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it = &plan->evaluation[e];
    PetscInt              i  = 0;

    if (in->read[e].points != plan->points || !RungSumFits(plan, &plan->basis[it->source])) continue;
    while (i < in->sums) {
      const RungEvaluation *of = &plan->evaluation[in->sum[i].evaluation];

      if (of->source == it->source && of->component == it->component && of->k == it->k) break;
      ++i;
    }
    if (i == in->sums) in->sum[in->sums++] = (RungReadSum){.evaluation = e, .out = {in->unread}};
    in->sum[i].out[it->r] = in->read[e].to;
    in->read[e].sum       = PETSC_TRUE;
  }
}

PetscErrorCode RungReadCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->evaluations, &in->read));
  PetscCall(PetscCalloc1(plan->integral->tape.inputs, &in->map));
  set_reads(plan, in);
  set_zeros(plan, in);
  PetscCall(PetscCalloc1(plan->evaluations, &in->sum));
  set_sums(plan, in);
  set_scales(plan, in);
  for (PetscInt i = 0, last = 0; i < plan->input_steps; i = last) {
    RungReadMap map = {.n = 0};

    for (last = i + 1; last < plan->input_steps && plan->input_step[last].to == plan->input_step[i].to;) ++last;
    if (!plan->input_step[i].s && last == i + 1 &&
        in->read[plan->input_step[i].from].to == in->value[plan->input_step[i].to].at)
      continue;
    if (last == i + 1 && is_scaled(plan, in, &plan->input_step[i])) continue;
    set_map(plan, in, i, last, &map);
    if (!in->maps || !join_outputs(&in->map[in->maps - 1], &map)) in->map[in->maps++] = map;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadDestroy(RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(in->read));
  PetscCall(PetscFree(in->sum));
  PetscCall(PetscFree(in->map));
  PetscFunctionReturn(PETSC_SUCCESS);
}
