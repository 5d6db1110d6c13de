/* interpret_read.c - inputs that are functions: tables times dofs, mapped to physical derivatives.

   One component of one function at a time, all its derivatives.  A value goes straight to where the tape reads it; a
   gradient is mapped in registers,  to[s] = sum_r map[s][r] R_r,  and what is constant in cells has one point. */
#include "interpret_impl.h"

#define MAX_AXES 3

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* to[s][q] = sum_r map[s][r][q] from[r][q]; n is a constant where this is called */
RUNG_INLINE void MapGradient(PetscInt n, const RungReadMap *it, PetscInt lanes, PetscInt step)
{
  for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
    for (PetscInt q = 0; q < it->points; ++q) {
      RungPack from[MAX_AXES];

      for (PetscInt r = 0; r < n; ++r) from[r] = *(const RungPack *)(it->from[r] + q * lanes + l);
      for (PetscInt s = 0; s < it->outputs; ++s) {
        RungPack sum = *(const RungPack *)(it->map[s][0] + q * step + l) * from[0];

        for (PetscInt r = 1; r < n; ++r) sum += *(const RungPack *)(it->map[s][r] + q * step + l) * from[r];
        *(RungPack *)(it->to[s] + q * lanes + l) = sum;
      }
    }
  }
}

/* One output of any number of derivatives. */
static void MapAny(const RungReadMap *it, PetscInt lanes, PetscInt step)
{
  for (PetscInt q = 0; q < it->points; ++q) {
    for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
      RungPack sum = {0};

      for (PetscInt r = 0; r < it->n; ++r) {
        const RungPack from = *(const RungPack *)(it->from[r] + q * lanes + l);

        sum += it->map[0][r] ? *(const RungPack *)(it->map[0][r] + q * step + l) * from : from;
      }
      *(RungPack *)(it->to[0] + q * lanes + l) = sum;
    }
  }
}

/* The dofs that an evaluation reads: node i at a distance of components * lanes. */
static const double *Source(RungPlan plan, const RungEvaluation *it, PetscInt lanes, const RungKernelArgs *args)
{
  const RungBasis *basis = &plan->basis[it->source];
  const PetscBool  field = it->source >= plan->unknowns ? PETSC_TRUE : PETSC_FALSE;
  const double    *from  = field ? args->field : args->u + it->k * plan->dofs * lanes;

  return from + (basis->offset + RungPlanCellOffset(plan, field, it->cell) + it->component) * lanes;
}

void RungReadRun(RungPlan plan, RungInterpreter *in, const PetscInt side[2], const RungKernelArgs *args)
{
  const PetscInt lanes = in->lanes, step = in->geometry[0].gp > 1 ? lanes : 0;

  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it    = &plan->evaluation[e];
    const RungBasis      *basis = &plan->basis[it->source];

    if (!in->read[e].points) continue;
    RungTailEvaluate(in->read[e].points, basis->nodes, RungBasisTable(plan, basis, it->r, side[it->cell]), lanes,
                     basis->components, Source(plan, it, lanes, args), in->read[e].to);
  }
  for (PetscInt i = 0; i < in->sums; ++i) {
    const RungEvaluation *it = &plan->evaluation[in->sum[i].evaluation];

    RungSumEvaluate(plan, &plan->basis[it->source], lanes, Source(plan, it, lanes, args), in->scratch, in->sum[i].out);
  }
  for (PetscInt i = 0; i < in->maps; ++i) {
    const RungReadMap *it = &in->map[i];

    if (it->gradient && it->n == 3)
      MapGradient(3, it, lanes, step);
    else if (it->gradient && it->n == 2)
      MapGradient(2, it, lanes, step);
    else
      MapAny(it, lanes, step);
  }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Functions without a derivative that does not vanish: 0. */
static void SetZeros(RungPlan plan, RungInterpreter *in)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt v = 0, i = 0; v < tape->inputs; ++v) {
    const RungInputKind kind = tape->input[v].kind;

    while (i < plan->input_steps && plan->input_step[i].to < v) ++i;
    if (kind != RUNG_IN_UNKNOWN && kind != RUNG_IN_FIELD) continue;
    if (i < plan->input_steps && plan->input_step[i].to == v) continue;
    in->map[in->maps].points  = plan->rate[v] == RUNG_RATE_POINT ? plan->points : 1;
    in->map[in->maps++].to[0] = in->value[v];
  }
}

/* Input steps first .. last - 1 as one map. */
static void SetMap(RungPlan plan, const RungInterpreter *in, PetscInt first, PetscInt last, RungReadMap *map)
{
  const RungInputStep *it = &plan->input_step[first];

  map->n       = last - first;
  map->outputs = 1;
  map->points  = plan->rate[it->to] == RUNG_RATE_POINT ? plan->points : 1;
  map->to[0]   = in->value[it->to];
  /* second derivatives of curved cells have first ones besides */
  map->gradient = map->n == plan->axes && it->s >= 1 && it->s <= plan->axes && plan->axes > 1 ? PETSC_TRUE
                                                                                              : PETSC_FALSE;
  for (PetscInt r = 0; r < map->n; ++r) {
    const RungGeometry *geometry = &in->geometry[plan->evaluation[it[r].from].cell];

    map->from[r]   = in->read[it[r].from].to;
    map->map[0][r] = it[r].s ? geometry->map[it[r].s][it[r].r] : NULL;
  }
}

/* Other outputs of the same derivatives are done with them. */
static PetscBool Join(RungReadMap *map, const RungReadMap *next)
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
static void SetReads(RungPlan plan, RungInterpreter *in)
{
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    in->read[e].to     = in->evaluation + e * in->P;
    in->read[e].points = 1;
  }
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    const RungInputStep *it = &plan->input_step[i];

    if (plan->rate[it->to] == RUNG_RATE_POINT) in->read[it->from].points = plan->points;
    if (!it->s) in->read[it->from].to = in->value[it->to];
  }
}

/* Evaluations of a component whose sums factorise are made together. */
static void SetSums(RungPlan plan, RungInterpreter *in)
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
    in->read[e].points    = 0;
  }
}

PetscErrorCode RungReadCreate(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->evaluations, &in->read));
  PetscCall(PetscCalloc1(plan->integral->tape.inputs, &in->map));
  SetReads(plan, in);
  SetZeros(plan, in);
  PetscCall(PetscCalloc1(plan->evaluations, &in->sum));
  SetSums(plan, in);
  for (PetscInt i = 0, last = 0; i < plan->input_steps; i = last) {
    RungReadMap map = {.n = 0};

    for (last = i + 1; last < plan->input_steps && plan->input_step[last].to == plan->input_step[i].to;) ++last;
    if (!plan->input_step[i].s && last == i + 1 &&
        in->read[plan->input_step[i].from].to == in->value[plan->input_step[i].to])
      continue;
    SetMap(plan, in, i, last, &map);
    if (!in->maps || !Join(&in->map[in->maps - 1], &map)) in->map[in->maps++] = map;
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
