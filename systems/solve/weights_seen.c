/* weights_seen.c - the largest values that a run has seen: absolute tolerances that are not given follow them.

   They belong to the accepted levels, and are saved with a run.  What an attempt has reached is added when it is accepted;
   of one that is refused what can be believed. */
#include "weights_impl.h"

#define MODERATE 0.5                          /* relative error of values whose size is believed */
#define BLOWN    1e6                          /* the same of any unknown of an attempt that is not believed at all */
#define NOISE    1e-8                         /* of what the rates of a level lead to: no size        */
#define GONE     0.5                          /* of the largest data, at the end of a pulse            */
#define STILL    (64 * PETSC_MACHINE_EPSILON) /* change of a value in a step, whose rate may be rounding */
#define FADES    3e-2                         /* of rounding, what a step loses of the one before     */
#define LASTS    1e-4                         /* the same of methods that damp nothing                */
#define SILENT   1e-18                        /* of what an attempt reaches: rates that are rounding */
#define UNBORN   4                            /* attempts in a row that have found no size           */
#define STABLE   3                            /* h lambda that makes no more than some times of a value in a step */

const PetscReal *RungWeightsSeen(RungWeights weights)
{
  return weights->seen;
}

PetscInt RungWeightsSizes(RungWeights weights)
{
  return weights->sizes;
}

PetscReal *RungWeightsRounding(RungWeights weights)
{
  return weights->rounding;
}

/* Of u_f^(k): does atol follow the values?  rounds: is it what rounding asks for? */
static PetscBool follows(RungWeights weights, PetscInt f, PetscInt k, PetscBool *rounds)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  PetscBool                 any     = PETSC_FALSE;

  *rounds = PETSC_FALSE;
  for (PetscInt c = 0; c < unknown->components; ++c) {
    PetscReal rtol, atol;

    if (unknown->atol[k][c] >= 0 || unknown->atol[0][c] >= 0) continue;
    any = PETSC_TRUE;
    RungWeightsGet(weights, f, k, c, &rtol, &atol);
    if (weights->rounding[2 * f + k] > 0 && atol > rtol * RungWeightsSizeOf(weights, f, k, c, weights->seen[2 * f + k]))
      *rounds = PETSC_TRUE;
  }
  return any;
}

PetscBool RungWeightsMayRound(RungWeights weights, PetscInt *f)
{
  PetscInt  group;
  PetscBool rounds;

  if (!RungWeightsLargest(weights, 1, &group) || group % 2) return PETSC_FALSE;
  *f = group / 4;
  return follows(weights, *f, group / 2 % 2, &rounds);
}

PetscBool RungWeightsIsFaint(RungWeights weights, PetscReal h)
{
  PetscInt group, f;

  if (!RungWeightsLargest(weights, 1, &group) || group / 2 % 2 == 0) return PETSC_FALSE;
  f = group / 4;
  return h * weights->now[2 * f + 1] <= STILL * weights->now[2 * f] ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungWeightsRounds(RungWeights weights, PetscBool in[])
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt f = 0; f < weights->n; ++f) {
    in[f] = PETSC_FALSE;
    for (PetscInt k = 0; k < weights->unknown[f].orders; ++k) {
      PetscBool rounds;

      if (!follows(weights, f, k, &rounds) || !rounds) continue;
      any = PETSC_TRUE;
      if (k == 0) in[f] = PETSC_TRUE;
    }
  }
  return any;
}

/* Vibrations that rounding has made in u' go on, and the kicks of steps are a random walk: their squares add up.  Methods that damp what is stiff do
   not damp it in short steps, by which vibrations would be followed. */
void RungWeightsSetRounding(RungWeights weights, PetscBool damps, const PetscReal rounding[])
{
  const PetscReal stays = 1 - (damps ? FADES : LASTS);

  for (PetscInt i = 0; i < 2 * weights->n; ++i) { /* 2 f + k */
    const PetscReal carried = i % 2 ? stays * weights->carried[i] : 0;

    weights->rounding[i] = PetscSqrtReal(rounding[i] * rounding[i] + carried * carried);
  }
}

void RungWeightsCarryRounding(RungWeights weights)
{
  for (PetscInt i = 0; i < 2 * weights->n; ++i) weights->carried[i] = weights->rounding[i];
}

void RungWeightsResume(RungWeights weights, PetscReal t, const PetscReal seen[])
{
  for (PetscInt i = 0; i < weights->sizes; ++i) weights->seen[i] = seen[i];
  for (PetscInt i = 0; i < 2 * weights->n; ++i) weights->born[i] = seen[i] > 0 ? PETSC_TRUE : PETSC_FALSE;
  weights->t = t;
}

/* largest[2 f + k] = max(largest[2 f + k], |u_f^(k)|) on this rank; infinite where u is not finite */
static PetscErrorCode add_largest(RungWeights weights, const Vec u[2], PetscReal largest[])
{
  const PetscScalar *x;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    if (!u[k]) continue;
    PetscCall(VecGetArrayRead(u[k], &x));
    for (PetscInt f = 0; f < weights->n; ++f) {
      const RungWeighedUnknown *unknown = &weights->unknown[f];

      if (k >= unknown->orders) continue;
      for (PetscInt i = unknown->start; i < unknown->end; ++i) {
        const PetscReal size = PetscAbsScalar(x[i]);

        largest[2 * f + k] = !isfinite(size) ? (PetscReal)INFINITY : PetscMax(largest[2 * f + k], size);
      }
    }
    PetscCall(VecRestoreArrayRead(u[k], &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsFindLargest(RungWeights weights, const Vec u[2], PetscReal largest[])
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(largest, weights->seen, 2 * weights->n));
  PetscCall(add_largest(weights, u, largest));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, (PetscMPIInt)(2 * weights->n), MPIU_REAL, MPIU_MAX,
                             RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing was seen, and rates lead to so little that they are what data leave when they begin, as a table whose polynomial is 0 there but
   for its rounding: no size to limit growth by. */
static PetscBool is_silent(PetscReal seen, PetscReal reach, PetscReal now)
{
  return seen == 0 && reach <= SILENT * now ? PETSC_TRUE : PETSC_FALSE;
}

/* Is a value larger than growth times the largest seen before? */
static PetscBool grows(const RungWeights weights, const PetscReal now[], PetscReal growth)
{
  for (PetscInt i = 0; i < 2 * weights->n; ++i)
    if (now[i] > growth * weights->seen[i]) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RungWeightsWantRates(RungWeights weights, const RungMeasured *measured, PetscBool *want)
{
  PetscReal now[2 * RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  RungNeed(weights);
  PetscCall(RungWeightsFindLargest(weights, measured->to, now));
  *want = measured->growth > 0 ? grows(weights, now, measured->growth) : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsLimitGrowth(RungWeights weights, const RungMeasured *measured)
{
  const PetscInt n = 2 * weights->n;
  PetscReal     *rate;
  RungTraits     traits;

  PetscFunctionBegin;
  if (!grows(weights, weights->now, measured->growth)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetTraits(weights->sys, &traits));
  PetscCall(PetscCalloc1(n, &rate));
  PetscCall(add_largest(weights, measured->rate, rate));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rate, (PetscMPIInt)n, MPIU_REAL, MPIU_MAX, RungSystemComm(weights->sys)));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal reach = measured->h * rate[i], known = weights->seen[i] > NOISE * reach ? weights->seen[i] : reach;

    if (measured->rated && traits.unknown_order[i / 2] <= 0) continue;
    if (known > 0 && !is_silent(weights->seen[i], reach, weights->now[i]))
      weights->now[i] = PetscMin(weights->now[i], measured->growth * known);
  }
  PetscCall(PetscFree(rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsRenew(RungWeights weights, const RungState *level)
{
  PetscFunctionBegin;
  RungNeed(weights);
  PetscCall(RungWeightsFindLargest(weights, level->u, weights->reached));
  PetscCall(RungWeightsAccept(weights, level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsStart(RungWeights weights, const RungState *level, PetscBool anew)
{
  PetscFunctionBegin;
  RungNeed(weights);
  if (!anew && weights->t == level->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(weights->seen, weights->sizes));
  PetscCall(RungWeightsRenew(weights, level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^(k) of the data alone; NULL where there is no such derivative */
static PetscErrorCode create_data(RungSystem sys, PetscInt order, PetscReal t, PetscInt k, Vec *data)
{
  PetscFunctionBegin;
  *data = NULL;
  if (k >= PetscMax(1, order)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateVec(sys, data));
  PetscCall(VecZeroEntries(*data));
  PetscCall(RungSystemImposeDirichlet(sys, t, k, *data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* largest[2 f + k] = max(largest[2 f + k], |g^(k)(t)|) on this rank, where the data are finite */
static PetscErrorCode add_data(RungWeights weights, PetscReal t, PetscReal largest[])
{
  RungTraits traits;
  Vec        data[2];
  PetscReal *all;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(weights->sys, &traits));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(create_data(weights->sys, traits.order, t, k, &data[k]));
  PetscCall(PetscCalloc1(2 * weights->n, &all));
  PetscCall(add_largest(weights, data, all));
  for (PetscInt i = 0; i < 2 * weights->n; ++i) {
    if (!PetscIsInfOrNanReal(all[i])) largest[i] = PetscMax(largest[i], all[i]);
  }
  PetscCall(PetscFree(all));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&data[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size[look * 2 n + 2 f + k]: boundary data of all ranks, the largest of which become those of the unknown */
static PetscErrorCode survey_data(RungWeights weights, PetscReal t0, PetscReal t1, PetscReal size[])
{
  const PetscInt n = 2 * weights->n;

  PetscFunctionBegin;
  for (PetscInt i = 0; i <= RUNG_LOOKS; ++i)
    PetscCall(add_data(weights, t0 + (t1 - t0) * (PetscReal)i / RUNG_LOOKS, size + i * n));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)((RUNG_LOOKS + 1) * n), MPIU_REAL, MPIU_MAX,
                             RungSystemComm(weights->sys)));
  for (PetscInt j = 0; j < n; ++j) {
    PetscReal *data = &weights->unknown[j / 2].data[j % 2];

    *data = 0;
    for (PetscInt i = 0; i <= RUNG_LOOKS; ++i) *data = PetscMax(*data, size[i * n + j]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The look with the largest data, if it is yet to come and they are gone again at the end: data that stay are met by every long step. */
static PetscInt find_pulse(PetscInt n, PetscInt f, const PetscReal size[])
{
  const PetscInt most = RungWeightsFindLook(n, f, size);

  return most > 0 && size[RUNG_LOOKS * n + f] <= GONE * size[most * n + f] ? most : -1;
}

void RungWeightsGetSurvey(RungWeights weights, PetscReal number[])
{
  for (int i = 0; i < 3; ++i) *number++ = weights->surveyed[i];
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (int k = 0; k < 2; ++k) *number++ = weights->unknown[f].data[k];
    *number++ = weights->unknown[f].source;
  }
}

void RungWeightsSetSurvey(RungWeights weights, const PetscReal number[])
{
  weights->resumed = PETSC_TRUE;
  for (int i = 0; i < 3; ++i) weights->surveyed[i] = *number++;
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (int k = 0; k < 2; ++k) weights->unknown[f].data[k] = *number++;
    weights->unknown[f].source = *number++;
  }
}

PetscErrorCode RungWeightsSurvey(RungWeights weights, PetscReal t0, PetscReal t1, PetscInt *until)
{
  const PetscBool known = weights && weights->resumed && weights->surveyed[0] == t0 && weights->surveyed[1] == t1
                            ? PETSC_TRUE
                            : PETSC_FALSE;
  const PetscInt  n     = weights ? weights->n : 0;
  PetscReal       size[(RUNG_LOOKS + 1) * 2 * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  RungNeed(weights);
  weights->resumed = PETSC_FALSE;
  *until           = (PetscInt)weights->surveyed[2];
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemClearStep(weights->sys)); /* what data decide by t is that of each look */
  PetscCall(survey_data(weights, t0, t1, size));
  PetscCall(RungWeightsSurveySources(weights, t0, t1, until));
  for (PetscInt f = 0; f < n && !weights->given; ++f) *until = PetscMax(*until, find_pulse(2 * n, 2 * f, size));
  weights->surveyed[0] = t0;
  weights->surveyed[1] = t1;
  weights->surveyed[2] = (PetscReal)*until;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Central differences take u at the end of a step from the accelerations at its start: the first step behind rest leaves u where it is,
   and its error would be measured by nothing.  Velocities that are believed lead to h |v|. */
static void reach_by_rates(RungWeights weights, PetscInt f)
{
  const PetscReal reach = weights->last.h * weights->now[2 * f + 1];

  if (weights->now[2 * f] <= NOISE * reach) weights->seen[2 * f] = PetscMax(weights->seen[2 * f], reach);
}

static PetscBool has_size(RungWeights weights)
{
  for (PetscInt i = 0; i < 2 * weights->n; ++i)
    if (weights->seen[i] > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Is a relative error of the last measurement so large that nothing of its attempt is believed?  What blows up takes others along, whose errors
   are moderate beside values of 1e118.  An error that is not moderate beside a value that has blown up is measured by the value before. */
static PetscBool has_blown(RungWeights weights)
{
  const PetscBool any = has_size(weights);

  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt k = 0; k < weights->unknown[f].orders; ++k) {
      PetscReal rtol, atol, error;

      if (!weights->born[2 * f + k] && any) continue; /* a power of t, of which the method sees next to nothing */
      if (weights->now[2 * f + k] <= (k == 0 ? NOISE * weights->last.h * weights->now[2 * f + 1] : 0))
        continue; /* no size */
      RungWeightsGet(weights, f, k, 0, &rtol, &atol);
      error = weights->value[RungGroupOf(f, k, PETSC_FALSE)] * rtol * RungWeightsFactor(weights, rtol);
      if (error > MODERATE && weights->seen[2 * f + k] > 0)
        error *= PetscMax(1, weights->now[2 * f + k] / weights->seen[2 * f + k]);
      if (error > BLOWN) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The largest |e|_G of all that had a size before the step */
static PetscReal others_of(RungWeights weights)
{
  PetscReal most = 0;
  PetscBool any  = PETSC_FALSE;

  for (PetscInt i = 0; i < 2 * weights->n; ++i)
    if (weights->born[i]) any = PETSC_TRUE;
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt k = 0; k < weights->unknown[f].orders; ++k)
      if (any ? weights->born[2 * f + k] : weights->seen[2 * f + k] > 0)
        most = PetscMax(most, weights->value[RungGroupOf(f, k, PETSC_FALSE)]);
  }
  return most;
}

/* Has an attempt got to what had no size without blowing up?  An attempt blows up by h lambda, the stiffness of what is not solved for, and takes
   along what is fed by it.  Where the stiffness is not known, nothing speaks against it. */
static PetscBool is_sound(RungWeights weights, const PetscReal stiffness[])
{
  for (PetscInt f = 0; f < weights->n; ++f)
    if (stiffness[f] > STABLE) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* The last of a row of reactions begins as a power of t that is higher than the order of the method, whose error is as large as the value
   in steps of all lengths.  Where nothing else asks for shorter ones, its size is what the attempt has reached, its value or error. */
static PetscErrorCode give_birth(RungWeights weights, const PetscReal stiffness[])
{
  const PetscReal others = others_of(weights);
  const PetscBool alone  = has_size(weights) ? PETSC_FALSE : PETSC_TRUE; /* nothing tells whether the step is short */
  const PetscInt  n      = 2 * weights->n;
  PetscReal      *size;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &size));
  RungCallOrUndo(add_largest(weights, weights->last.error, size), PetscCall(PetscFree(size)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)n, MPIU_REAL, MPIU_MAX, RungSystemComm(weights->sys)));
  for (PetscInt i = 0; i < n; ++i) { /* 2 f + k */
    const PetscBool late = !weights->born[i] && weights->value[RungGroupOf(i / 2, i % 2, PETSC_FALSE)] > 1;
    const PetscBool dark = weights->now[i] > 0 && isnan(stiffness[i / 2]) ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal made = PetscMax(weights->now[i], size[i]);

    weights->unborn[i] = others <= 1 && late ? weights->unborn[i] + 1 : 0;
    if (weights->unborn[i] < (alone || dark ? UNBORN : 1) || !isfinite(made)) continue;
    weights->seen[i] = PetscMax(weights->seen[i], made);
  }
  PetscCall(PetscFree(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes of an attempt: what was born before where its relative error is moderate, and what was not where it has not blown up. */
static PetscErrorCode believe(RungWeights weights, const PetscReal stiffness[])
{
  const PetscBool sound = is_sound(weights, stiffness);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt k = 0; k < weights->unknown[f].orders; ++k) {
      PetscReal rtol, atol;

      PetscCall(RungWeightsGiven(weights, f, k, 0, &rtol, &atol));
      rtol = PetscMax(0, rtol) * RungWeightsFactor(weights, rtol);
      if (!(weights->value[RungGroupOf(f, k, PETSC_FALSE)] * rtol <= MODERATE)) continue;
      if (!weights->born[2 * f + k] && !sound) continue;
      weights->seen[2 * f + k] = weights->now[2 * f + k];
      if (k > 0) reach_by_rates(weights, f);
    }
  }
  if (sound) PetscCall(give_birth(weights, stiffness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is something unborn that an attempt has reached? */
static PetscBool begins(RungWeights weights)
{
  for (PetscInt i = 0; i < 2 * weights->n; ++i)
    if (!weights->born[i] && weights->now[i] > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode find_sizes(RungWeights weights, PetscReal t)
{
  PetscReal stiffness[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < weights->n; ++f) stiffness[f] = 0;
  if (begins(weights)) PetscCall(RungWeightsFindStiffness(weights, t, stiffness));
  PetscCall(believe(weights, stiffness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A body at rest has no size yet, and whatever small step leads out of rest makes an error that is a fixed part of what it
   reaches: no step would be good enough.  So what a refused attempt has reached counts where its relative error is
   moderate, and boundary data, which are exact, count always: what is far below them need not be resolved. */
PetscErrorCode RungWeightsRefuse(RungWeights weights, PetscReal t, PetscBool solved)
{
  const PetscBool believed = solved && !has_blown(weights) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(weights);
  if (believed) PetscCall(find_sizes(weights, t));
  PetscCall(add_data(weights, t, weights->seen));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, weights->seen, (PetscMPIInt)(2 * weights->n), MPIU_REAL, MPIU_MAX,
                             RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest of each component, as far as components have sizes of their own */
static PetscErrorCode add_parts(RungWeights weights, const RungState *level)
{
  const PetscInt n = 2 * weights->n;

  PetscFunctionBegin;
  if (weights->sizes == n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < weights->n; ++f) {
    const RungWeighedUnknown *unknown = &weights->unknown[f];

    for (PetscInt k = 0; k < unknown->orders && unknown->parts; ++k) {
      PetscReal         *part = &weights->seen[unknown->parts + k * unknown->components];
      const PetscScalar *x;

      PetscCall(VecGetArrayRead(level->u[k], &x));
      for (PetscInt i = unknown->start; i < unknown->end; i += unknown->components)
        for (PetscInt c = 0; c < unknown->components; ++c) part[c] = PetscMax(part[c], PetscAbsScalar(x[i + c]));
      PetscCall(VecRestoreArrayRead(level->u[k], &x));
    }
  }
  if (weights->ranks > 1)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, weights->seen + n, (PetscMPIInt)(weights->sizes - n), MPIU_REAL, MPIU_MAX,
                               RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsAccept(RungWeights weights, const RungState *level)
{
  PetscFunctionBegin;
  RungNeed(weights);
  for (PetscInt i = 0; i < 2 * weights->n; ++i) {
    weights->seen[i] = weights->now[i] = weights->reached[i];
    weights->born[i]                   = weights->seen[i] > 0 ? PETSC_TRUE : PETSC_FALSE;
    weights->unborn[i]                 = 0;
  }
  weights->t = level->t;
  PetscCall(add_parts(weights, level));
  PetscCall(RungWeightsWatchLow(weights, level));
  PetscFunctionReturn(PETSC_SUCCESS);
}
