/* weights.c - the norm that an error is measured in.

   Entries are weighted with s_i = atol + rtol max(|from_i|, |to_i|) of their unknown (and component), and

       |e| = max over groups G of |e_i/s_i|_G.

   Groups are the entries of one unknown, those of its rate v where it has order 2, and the defects of its boundary data,
   of each derivative.  Within a group |.|_G is the root of the mean square (rms), the maximum (max), or the root of the mean
   square weighted with the volume of each entry (l2); on a mesh of points, where each point has equations of its own, it
   is the largest of the points' norms; defects count by their maximum, since few entries are on the boundary.

   Where no atol is given it is rtol times U, the largest |u| of the unknown in all levels so far and in the one at hand; for
   v it is atol V/U with the largest |v|, which is rtol V then.  An entry whose error and scale are both 0 counts 0.
   At points each component of a vector has a U of its own, of accepted levels, but no less than 1e-4 of that of the vector.
   Where each entry has an atol of its own it takes the place of that of the unknown, and atol_i V/U is that of v.
   What an attempt has made more than ten times as large as anything before it counts up to there (RungMeasured.growth): a step beyond
   the stability of its method makes values in proportion to its errors, and would be good by its own measure.
   Boundary data come with the rounding of what they are made of, 0.5*(1 + tanh(t - 100)) with 1e-16 while it is 0: the
   atol that follows U is at least four units of the largest data that a look along the run finds; and no less than a
   faint part of what sources that are yet to come would make in the step (weights_source.c), and some times what the rounding of the
   equations leaves in u where that has been found (newton/line_rounding.c): velocities of a fluid at rest have no other size. */
#include "weights_impl.h"

PetscInt RungGroupOf(PetscInt f, PetscInt k, PetscBool defect)
{
  return 4 * f + 2 * k + (defect ? 1 : 0);
}

const PetscReal *RungWeightsValues(RungWeights weights, PetscInt *n)
{
  *n = 4 * weights->n;
  return weights->value;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void merge_tallies(void *in, void *inout, int *n, MPI_Datatype *type)
{
  const RungTally *a = (const RungTally *)in;
  RungTally       *b = (RungTally *)inout;

  (void)type;
  for (int i = 0; i < *n; ++i) {
    b[i].sum += a[i].sum;
    b[i].count += a[i].count;
    b[i].largest = PetscMax(a[i].largest, b[i].largest);
  }
}

static PetscErrorCode fill_unknown(RungWeights weights, const RungTraits *traits, PetscInt f)
{
  RungWeighedUnknown *unknown = &weights->unknown[f];

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(weights->sys, f, &unknown->start, &unknown->end));
  PetscCall(RungSystemGetComponents(weights->sys, f, &unknown->components, &unknown->points));
  unknown->orders = traits->unknown_order[f] == 2 ? 2 : 1;
  PetscCall(PetscCalloc1(unknown->components, &unknown->each));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscMalloc3(unknown->components, &unknown->rtol[k], unknown->components, &unknown->atol[k],
                           unknown->components, &unknown->use[k]));
    for (PetscInt c = 0; c < unknown->components; ++c) unknown->rtol[k][c] = unknown->atol[k][c] = RUNG_AUTOMATIC;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers at points are those of ordinary equations, concentrations or places and forces side by side: each component has a size of its own.
   Those of very long vectors are one field, cut into pieces by hand. */
static PetscInt count_sizes(RungWeights weights)
{
  const PetscInt most  = 2 * weights->n + RUNG_MAX_PARTS;
  PetscInt       sizes = 2 * weights->n;

  for (PetscInt f = 0; f < weights->n; ++f) {
    RungWeighedUnknown *unknown = &weights->unknown[f];
    const PetscInt      number  = unknown->orders * unknown->components;

    if (!unknown->points || unknown->components == 1 || sizes + number > most) continue;
    unknown->parts = sizes;
    sizes += number;
  }
  return sizes;
}

static PetscErrorCode fill(RungWeights weights)
{
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(weights->sys, &traits));
  weights->n = traits.unknowns;
  PetscCallMPI(MPI_Comm_size(RungSystemComm(weights->sys), &weights->ranks));
  PetscCall(PetscCalloc1(weights->n, &weights->unknown));
  for (PetscInt f = 0; f < weights->n; ++f) PetscCall(fill_unknown(weights, &traits, f));
  weights->sizes = count_sizes(weights);
  PetscCall(RungWeightsCreateLow(weights));
  PetscCall(PetscCalloc5(weights->sizes, &weights->seen, 2 * weights->n, &weights->now, 2 * weights->n,
                         &weights->reached, 2 * weights->n, &weights->rounding, 2 * weights->n, &weights->carried));
  PetscCall(PetscCalloc2(4 * weights->n, &weights->value, 4 * weights->n, &weights->tally));
  PetscCall(PetscCalloc2(2 * weights->n, &weights->born, 2 * weights->n, &weights->unborn));
  PetscCallMPI(MPI_Type_contiguous(3, MPIU_REAL, &weights->type));
  PetscCallMPI(MPI_Type_commit(&weights->type));
  PetscCallMPI(MPI_Op_create(merge_tallies, 1, &weights->merge));
  if (weights->norm != RUNG_ERROR_L2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateVec(weights->sys, &weights->volumes));
  PetscCall(RungSystemGetVolumes(weights->sys, weights->volumes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsCreate(RungSystem sys, RungErrorNormType norm, RungWeights *created)
{
  RungWeights weights;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(PetscNew(&weights));
  weights->sys   = sys;
  weights->norm  = norm;
  weights->t     = NAN;
  weights->type  = MPI_DATATYPE_NULL;
  weights->merge = MPI_OP_NULL;
  RungCallOrUndo(fill(weights), PetscCall(RungWeightsDestroy(&weights)));
  *created = weights;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_tolerances(RungWeighedUnknown *unknown, PetscInt k)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(unknown->rtol[k], unknown->atol[k], unknown->use[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsDestroy(RungWeights *destroyed)
{
  RungWeights weights = *destroyed;

  PetscFunctionBegin;
  if (!weights) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < weights->n && weights->unknown; ++f) {
    for (PetscInt k = 0; k < 2; ++k) PetscCall(destroy_tolerances(&weights->unknown[f], k));
    PetscCall(PetscFree(weights->unknown[f].each));
    PetscCall(PetscFree(weights->unknown[f].low));
  }
  PetscCall(PetscFree(weights->unknown));
  PetscCall(PetscFree5(weights->seen, weights->now, weights->reached, weights->rounding, weights->carried));
  PetscCall(PetscFree2(weights->value, weights->tally));
  PetscCall(PetscFree2(weights->born, weights->unborn));
  PetscCall(VecDestroy(&weights->entries));
  PetscCall(VecDestroy(&weights->volumes));
  if (weights->type != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&weights->type));
  if (weights->merge != MPI_OP_NULL) PetscCallMPI(MPI_Op_free(&weights->merge));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tolerances ------------------------------------------------------------------------------------------------- */

/* Has every value an atol, which no size has to be known for? */
static PetscBool are_given(RungWeights weights)
{
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt c = 0; c < weights->unknown[f].components; ++c)
      if (weights->unknown[f].atol[0][c] < 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode RungWeightsSet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal rtol, PetscReal atol)
{
  RungWeighedUnknown *unknown = &weights->unknown[f];

  PetscFunctionBegin;
  RungNeed(weights);
  if (rtol >= 0) unknown->rtol[k][c] = rtol;
  if (atol >= 0) unknown->atol[k][c] = atol;
  if (atol >= 0 && k == 0) unknown->each[c] = PETSC_FALSE;
  weights->given = are_given(weights);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsSetEntries(RungWeights weights, Vec atol)
{
  PetscFunctionBegin;
  RungNeed(weights);
  PetscCall(VecDuplicate(atol, &weights->entries));
  PetscCall(VecCopy(atol, weights->entries));
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt c = 0; c < weights->unknown[f].components; ++c) {
      PetscCall(RungWeightsSet(weights, f, 0, c, RUNG_AUTOMATIC, 1));
      weights->unknown[f].each[c] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsGiven(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol,
                                PetscReal *atol)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];

  PetscFunctionBegin;
  RungNeed(weights);
  *rtol = unknown->rtol[k][c] >= 0 ? unknown->rtol[k][c] : unknown->rtol[0][c];
  *atol = unknown->atol[k][c] >= 0 ? unknown->atol[k][c] : unknown->atol[0][c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungWeightsSetPower(RungWeights weights, PetscReal power)
{
  weights->power = power;
}

#define CALIBRATED 1e-4

PetscReal RungWeightsFactor(RungWeights weights, PetscReal rtol)
{
  return weights->power > 0 && rtol > 0 && rtol < CALIBRATED ? PetscPowReal(rtol / CALIBRATED, weights->power) : 1;
}

#define ROUNDS                                                                                                         \
  30 /* times what rounding leaves, of which the errors of some methods are three times as much: steps grow beside it */
#define FAINT 1e-24 /* of what a source makes in a step: nobody's size, also where that has 1e12 times of the system */

/* What need not be resolved of u_f^(k) in a step of length h. */
static PetscReal noise_of(const RungWeighedUnknown *unknown, PetscInt k, PetscReal h)
{
  const PetscReal made = unknown->source * (k < unknown->orders - 1 ? h * h : h);

  return PetscMax(4 * PETSC_MACHINE_EPSILON * unknown->data[k], FAINT * made);
}

#define TRACE 1e-4 /* of the largest component: what a component is resolved to that has been less */

PetscReal RungWeightsSizeOf(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal largest)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];

  if (!unknown->parts) return largest;
  return PetscMin(largest, PetscMax(weights->seen[unknown->parts + k * unknown->components + c], TRACE * largest));
}

/* Tolerances of a rate that are not given follow those of the value. */
static void tolerances(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, const PetscReal largest[2], PetscReal h,
                       PetscReal *rtol, PetscReal *atol)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];

  *rtol = unknown->rtol[k][c] >= 0 ? unknown->rtol[k][c] : PetscMax(0, unknown->rtol[0][c]);
  *atol = unknown->atol[k][c];
  if (*atol >= 0) return;
  if (k == 0 || unknown->atol[0][c] < 0 || largest[0] == 0)
    *atol = PetscMax(*rtol * RungWeightsSizeOf(weights, f, k, c, largest[k]),
                     PetscMax(noise_of(unknown, k, h), ROUNDS * weights->rounding[2 * f + k]));
  else
    *atol = unknown->atol[0][c] * largest[1] / largest[0];
}

void RungWeightsGet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol, PetscReal *atol)
{
  tolerances(weights, f, k, c, &weights->seen[2 * f], 0, rtol, atol);
}

/* ---- norms ------------------------------------------------------------------------------------------------------- */

typedef struct {
  const PetscScalar *error, *from, *to, *mask, *volume, *atol; /* those behind from may be NULL                   */
  PetscBool          free; /* the entries of the mask are looked at, or the others */
} Arrays;

static PetscBool counts(const Arrays *a, PetscInt i)
{
  return (PetscBool)(!a->mask || (a->mask[i] != 0.0) == a->free);
}

#define MUCH 1e100 /* an error that nothing measures; its square is a number */

/* |e|/s, MUCH where s is 0; infinite where one of them is not finite; most: of |to| in s */
static PetscReal weigh(const Arrays *a, PetscInt i, PetscReal rtol, PetscReal atol, PetscReal most)
{
  const PetscReal e = PetscAbsScalar(a->error[i]), from = PetscAbsScalar(a->from[i]);
  const PetscReal to = a->to ? PetscAbsScalar(a->to[i]) : 0, s = atol + rtol * PetscMax(from, PetscMin(to, most));

  if (!isfinite(e) || !isfinite(s) || !isfinite(to)) return (PetscReal)INFINITY;
  return e == 0 ? 0 : PetscMin(e / s, MUCH);
}

static void choose_tolerances(RungWeights weights, PetscInt f, PetscInt k)
{
  RungWeighedUnknown *unknown = &weights->unknown[f];

  for (PetscInt c = 0; c < unknown->components; ++c) {
    PetscReal factor;

    tolerances(weights, f, k, c, &weights->now[2 * f], weights->last.h, &unknown->use[0][c], &unknown->use[1][c]);
    factor = RungWeightsFactor(weights, unknown->use[0][c]);
    unknown->use[0][c] *= factor;
    unknown->use[1][c] *= factor;
  }
}

/* The atol of an entry of component c of u_f^(k), as choose_tolerances() has left it. */
static PetscReal atol_of(const RungWeighedUnknown *unknown, PetscInt k, PetscInt c, const Arrays *a, PetscInt i)
{
  const PetscBool own = k > 0 && unknown->atol[k][c] >= 0 ? PETSC_TRUE : PETSC_FALSE;

  return unknown->each[c] && !own ? unknown->use[1][c] * PetscRealPart(a->atol[i]) : unknown->use[1][c];
}

/* The largest |u_f^(k)| of the end of a step that counts in its scales. */
static PetscReal most_of(RungWeights weights, PetscInt f, PetscInt k)
{
  return weights->last.growth > 0 ? weights->now[2 * f + k] : PETSC_INFINITY;
}

/* The entries of one node: their mean square, or the largest. */
static PetscReal of_node(RungWeights weights, const RungTally *node)
{
  if (weights->norm == RUNG_ERROR_MAX || node->count == 0) return node->largest;
  return PetscSqrtReal(node->sum / node->count);
}

static void add_group(RungWeights weights, PetscInt f, PetscInt k, const Arrays *a, RungTally *tally)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  const PetscReal           most    = most_of(weights, f, k);

  choose_tolerances(weights, f, k);
  for (PetscInt i = unknown->start; i < unknown->end; i += unknown->components) {
    RungTally node = {0, 0, 0};

    for (PetscInt c = 0; c < unknown->components; ++c) {
      const PetscReal volume = a->volume ? PetscRealPart(a->volume[i + c]) : 1;
      PetscReal       x;

      if (!counts(a, i + c)) continue;
      x = weigh(a, i + c, unknown->use[0][c], atol_of(unknown, k, c, a, i + c), most);
      node.sum += volume * x * x;
      node.count += volume;
      node.largest = PetscMax(node.largest, x);
    }
    if (unknown->points && a->free) node.largest = of_node(weights, &node);
    tally->sum += node.sum;
    tally->count += node.count;
    tally->largest = PetscMax(tally->largest, node.largest);
  }
}

static PetscErrorCode get_read(Vec v, const PetscScalar **a)
{
  PetscFunctionBegin;
  *a = NULL;
  if (v) PetscCall(VecGetArrayRead(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_read(Vec v, const PetscScalar **a)
{
  PetscFunctionBegin;
  if (v) PetscCall(VecRestoreArrayRead(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode open_arrays(RungWeights weights, PetscInt k, PetscBool defect, Arrays *a)
{
  const RungMeasured *m = &weights->last;

  PetscFunctionBegin;
  PetscCall(get_read(defect ? m->defect[k] : m->error[k], &a->error));
  PetscCall(get_read(m->from[k], &a->from));
  PetscCall(get_read(m->to[k], &a->to));
  PetscCall(get_read(m->mask, &a->mask));
  PetscCall(get_read(weights->volumes, &a->volume));
  PetscCall(get_read(weights->entries, &a->atol));
  a->free = defect ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode close_arrays(RungWeights weights, PetscInt k, PetscBool defect, Arrays *a)
{
  const RungMeasured *m = &weights->last;

  PetscFunctionBegin;
  PetscCall(restore_read(weights->entries, &a->atol));
  PetscCall(restore_read(weights->volumes, &a->volume));
  PetscCall(restore_read(m->mask, &a->mask));
  PetscCall(restore_read(m->to[k], &a->to));
  PetscCall(restore_read(m->from[k], &a->from));
  PetscCall(restore_read(defect ? m->defect[k] : m->error[k], &a->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsVisit(RungWeights weights, PetscInt group, RungVisitEntry *visit, void *ctx)
{
  const PetscInt            f = group / 4, k = group / 2 % 2;
  const PetscBool           defect  = group % 2 ? PETSC_TRUE : PETSC_FALSE;
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  Arrays                    a;

  PetscFunctionBegin;
  if (!(defect ? weights->last.defect[k] : weights->last.error[k])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(open_arrays(weights, k, defect, &a));
  choose_tolerances(weights, f, k);
  for (PetscInt i = unknown->start; i < unknown->end; ++i) {
    const PetscInt c = (i - unknown->start) % unknown->components;

    if (!counts(&a, i)) continue;
    visit(i, PetscRealPart(a.error[i]), PetscRealPart(a.to ? a.to[i] : a.from[i]),
          weigh(&a, i, unknown->use[0][c], atol_of(unknown, k, c, &a, i), most_of(weights, f, k)), ctx);
  }
  PetscCall(close_arrays(weights, k, defect, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All groups of errors, or all of defects, of derivative k. */
static PetscErrorCode add_groups(RungWeights weights, PetscInt k, PetscBool defect)
{
  Arrays a;

  PetscFunctionBegin;
  if (!(defect ? weights->last.defect[k] : weights->last.error[k])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(open_arrays(weights, k, defect, &a));
  for (PetscInt f = 0; f < weights->n; ++f) {
    if (k < weights->unknown[f].orders) add_group(weights, f, k, &a, &weights->tally[RungGroupOf(f, k, defect)]);
  }
  PetscCall(close_arrays(weights, k, defect, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal of_group(RungWeights weights, PetscInt group)
{
  const RungTally *tally = &weights->tally[group];

  if (group % 2 || weights->norm == RUNG_ERROR_MAX || weights->unknown[group / 4].points) return tally->largest;
  return tally->count > 0 ? PetscSqrtReal(tally->sum / tally->count) : 0;
}

/* value[group] of what weights->last lends, and the largest of all. */
static PetscErrorCode measure_groups(RungWeights weights, PetscReal value[], PetscReal *largest)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(weights->tally, 4 * weights->n));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(add_groups(weights, k, PETSC_FALSE));
    PetscCall(add_groups(weights, k, PETSC_TRUE));
  }
  if (weights->ranks > 1)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, weights->tally, (PetscMPIInt)(4 * weights->n), weights->type,
                               weights->merge, RungSystemComm(weights->sys)));
  *largest = 0;
  for (PetscInt g = 0; g < 4 * weights->n; ++g) {
    value[g] = of_group(weights, g);
    *largest = PetscMax(*largest, value[g]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsMeasure(RungWeights weights, const RungMeasured *measured, PetscReal *error)
{
  PetscFunctionBegin;
  RungNeed(weights);
  weights->last = *measured;
  if (!measured->brief || !weights->given) PetscCall(RungWeightsFindLargest(weights, measured->to, weights->now));
  PetscCall(PetscArraycpy(weights->reached, weights->now, 2 * weights->n));
  if (measured->growth > 0) PetscCall(RungWeightsLimitGrowth(weights, measured));
  PetscCall(measure_groups(weights, weights->value, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsSize(RungWeights weights, const Vec x[2], PetscReal *size)
{
  const RungMeasured last = weights->last;
  PetscReal          value[4 * RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  RungNeed(weights);
  for (PetscInt k = 0; k < 2; ++k) {
    weights->last.error[k]  = x[k];
    weights->last.defect[k] = NULL;
  }
  RungCallFinally(measure_groups(weights, value, size), weights->last = last);
  PetscFunctionReturn(PETSC_SUCCESS);
}
