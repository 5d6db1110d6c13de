/* imex_constrained.c - constraints on values alone (index 2) beside explicit terms, as  div(u) = 0  of a flow:

       M u' + f(t, u, z) + E(t, u) = 0,    c(t, u) = 0,    so that  C u' + c_t = 0,    C = dc/du, G = df/dz.

   Stages solve F_I = 0 as others do, and their values fulfil c = 0.  Solves with M have the constraint beside them, so that what explicit
   terms move stays on it; mu is what they add to z:

       | M  G | | e  |   | b |
       | C  0 | | mu | = | 0 |

   The matrix is that of a stage of length 1/S, with S so large that K = df/du beside S M is below its last digit:

       (S M + K) x + G mu = b,    C x + D mu = b_c,    e = S x,    D = dc/dz.

   With b_c divided by S a constraint (D = 0) says  C e = b_c, and an equation that gives its unknown (D regular, index 1) says  D mu = 0:
   both may stand beside each other.  A number in R that a constraint holds beside values, with fewer entries than the constraint has rows, is
   moved by S mu as values are by e: C e + D S mu = b_c.  A new level, with the weights' u and its boundary values, has  u - e  with b = 0, b_c = c(t, u):
   a projection that M measures.  Its rates and z follow from F = 0 and  C u' + c_t = 0. */
#include "imex_impl.h"

#include <math.h>
#include <rungsolve_room.h>
#include <rungsystem_method.h>
#include <rungsystem_room.h>

#define BITS       120   /* S is 2^BITS over the length of a step ..                                      */
#define DRIFT      20    /* .. and stays while steps are not longer or shorter than it by 2^DRIFT         */
#define BEYOND     1e12  /* rates of more values a step are not determined: rounding of c, divided by 1/S */
#define MOST       10    /* iterations for rates beside equations that are not linear in unknowns without */
#define EXACT      1e-10 /* last change of these unknowns, of their size */
#define OPEN_Z     1e-3  /* .. and one that leaves them open, ..        */
#define OPEN_RATES 1e-6  /* .. beside one of u' in a step, of u         */

PetscErrorCode RungImexFindConstraints(RungImex *imex, PetscBool is[])
{
  PetscFunctionBegin;
  imex->constrained = PETSC_FALSE;
  PetscCall(RungSystemFindConstraints(imex->facts.sys, is, imex->number));
  for (PetscInt f = 0; f < imex->facts.traits->unknowns; ++f) {
    if (is[f] && imex->split && imex->facts.algebraic) imex->constrained = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexMarkConstraints(RungImex *imex)
{
  const RungTraits *traits = imex->facts.traits;
  PetscBool         is[RUNG_MAX_UNKNOWNS];
  PetscInt          start, end, first;
  char              force[RUNG_NAME_LENGTH];

  PetscFunctionBegin;
  PetscCall(RungImexFindConstraints(imex, is));
  if (!imex->constrained) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    !traits->conserved, imex->facts.comm, PETSC_ERR_SUP,
    "imex method \"%s\" keeps no dt() of nonlinear terms whole beside constraints on values alone (index 2); take "
    "-system_conserve false, which expands it, or -stepper_type dirk",
    imex->row->name);
  PetscCall(RungSystemGetExplicitForce(imex->facts.sys, force, sizeof force));
  PetscCheck(
    !force[0], imex->facts.comm, PETSC_ERR_SUP,
    "imex method \"%s\" finds \"%s\", which constraints on values determine (index 2), together with the values "
    "of a stage, and terms inside of explicit() hold it; write these outside, or take -stepper_type dirk",
    imex->row->name, force);
  PetscCall(RungSystemGetRange(imex->facts.sys, 0, &first, &end));
  PetscCall(RungSystemGetRange(imex->facts.sys, traits->unknowns - 1, &start, &end));
  PetscCall(PetscCalloc1(end - first + 1, &imex->is_constraint));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    PetscCall(RungSystemGetRange(imex->facts.sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) imex->is_constraint[i - first] = is[f];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S for steps like this one, before the first of them for those of length 1 */
static void choose_length(RungImex *imex)
{
  const PetscReal step = imex->step > 0 ? imex->step : 1, ratio = imex->rate_slope * step;
  int             exponent;

  if (ratio > ldexp(1, BITS - DRIFT) && ratio < ldexp(1, BITS + DRIFT)) return;
  (void)frexp(step, &exponent);
  imex->rate_slope = ldexp(1, BITS - exponent);
}

const PetscReal *RungImexSlope(RungImex *imex)
{
  const PetscInt unknowns = imex->facts.traits->unknowns;

  if (!imex->constrained) return imex->slope;
  choose_length(imex);
  for (PetscInt f = 0; f < unknowns; ++f) {
    imex->slope[f]            = 1;
    imex->slope[unknowns + f] = imex->rate_slope;
  }
  return imex->slope;
}

PetscErrorCode RungImexLinearise(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(RungStageLinearise(stepper, t, u, RungImexSlope(RungStepperGetData(stepper)), verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x becomes e where there are rates; others: mu elsewhere, or 0. */
static PetscErrorCode scale(const RungImex *imex, PetscBool others, Vec x)
{
  PetscScalar *to;
  PetscInt     size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < size; ++i) {
    if (imex->entry_order[i] > 0)
      to[i] *= imex->rate_slope;
    else if (!others)
      to[i] = 0;
  }
  PetscCall(VecRestoreArray(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexApply(RungStepper stepper, Vec b, Vec u, PetscReal length, Vec x, RungVerdict *verdict)
{
  RungImex       *imex  = RungStepperGetData(stepper);
  const PetscReal slope = imex->constrained ? imex->rate_slope : 1;

  PetscFunctionBegin;
  PetscCall(RungStageApplyRates(stepper, b, (Vec[]){u, NULL}, length * slope, x, verdict));
  if (imex->constrained) PetscCall(scale(imex, PETSC_FALSE, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u -= e, as values with rates and numbers that constraints hold are moved; numbers move in d as well, which tells what the others do. */
static PetscErrorCode move_values(const RungImex *imex, Vec x, Vec u, Vec d)
{
  const PetscScalar *by;
  PetscScalar       *to, *told;
  PetscInt           first, start, end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(imex->facts.sys, 0, &first, &end));
  PetscCall(VecGetArrayRead(x, &by));
  PetscCall(VecGetArray(u, &to));
  PetscCall(VecGetArray(d, &told));
  for (PetscInt f = 0; f < imex->facts.traits->unknowns; ++f) {
    PetscCall(RungSystemGetRange(imex->facts.sys, f, &start, &end));
    for (PetscInt i = start - first; i < end - first; ++i) {
      if (imex->entry_order[i] > 0 || imex->number[f]) to[i] -= imex->rate_slope * by[i];
      if (imex->number[f]) told[i] = to[i];
    }
  }
  PetscCall(VecRestoreArray(d, &told));
  PetscCall(VecRestoreArray(u, &to));
  PetscCall(VecRestoreArrayRead(x, &by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constraints of r are divided by S; others: the other rows stay, or are 0. */
static PetscErrorCode weigh(const RungImex *imex, PetscBool others, Vec r)
{
  PetscScalar *to;
  PetscInt     size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r, &size));
  PetscCall(VecGetArray(r, &to));
  for (PetscInt i = 0; i < size; ++i) {
    if (imex->is_constraint[i])
      to[i] /= imex->rate_slope;
    else if (!others)
      to[i] = 0;
  }
  PetscCall(VecRestoreArray(r, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexProject(RungStepper stepper, RungState *to, RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);
  RungLine  line = {.base = {to->u[0]}};

  PetscFunctionBegin;
  if (!imex->constrained) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageResidual(stepper, to->t, &line, NULL, to->u[0], imex->sum));
  PetscCall(RungImexLinearise(stepper, to->t, (Vec[]){to->u[0], imex->k[imex->row->stages - 1]}, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(weigh(imex, PETSC_FALSE, imex->sum));
  PetscCall(RungStageApplyRates(stepper, imex->sum, (Vec[]){to->u[0], NULL}, imex->rate_slope, imex->x, verdict));
  if (verdict->solved) PetscCall(move_values(imex, imex->x, to->u[0], imex->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = C u' + c_t in rows of constraints; others stay */
static PetscErrorCode derive(const RungImex *imex, PetscReal t, const Vec u[2], Vec work, Vec r)
{
  const RungTraits  *traits                                           = imex->facts.traits;
  PetscReal          values[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           size;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < traits->unknowns; ++f) values[f] = traits->unknown_order[f] > 0 ? 1 : 0;
  for (int part = 0; part < 2; ++part) {
    if (part)
      PetscCall(RungSystemTimeDerivative(imex->facts.sys, t, u, work));
    else
      PetscCall(RungSystemAction(imex->facts.sys, t, u, values, u[1], work));
    PetscCall(VecGetLocalSize(r, &size));
    PetscCall(VecGetArrayRead(work, &from));
    PetscCall(VecGetArray(r, &to));
    for (PetscInt i = 0; i < size; ++i) {
      if (imex->is_constraint[i]) to[i] = part ? to[i] + from[i] : from[i];
    }
    PetscCall(VecRestoreArray(r, &to));
    PetscCall(VecRestoreArrayRead(work, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest entries with a rate, and without one, of each unknown: size[2 f], size[2 f + 1]. */
static PetscErrorCode measure(const RungImex *imex, Vec x, PetscReal size[])
{
  const PetscInt     unknowns = imex->facts.traits->unknowns;
  const PetscScalar *from;
  PetscInt           first, start, end;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(size, 2 * unknowns));
  PetscCall(RungSystemGetRange(imex->facts.sys, 0, &first, &end));
  PetscCall(VecGetArrayRead(x, &from));
  for (PetscInt f = 0; f < unknowns; ++f) {
    PetscCall(RungSystemGetRange(imex->facts.sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) {
      PetscReal *largest = &size[2 * f + (imex->entry_order[i - first] < 1 ? 1 : 0)];

      *largest = PetscMax(*largest, PetscAbsScalar(from[i - first]));
    }
  }
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)(2 * unknowns), MPIU_REAL, MPIU_MAX, imex->facts.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the changes of an iteration say.  *last: those of unknowns without a rate are within EXACT, or shrink no more, n > 0, as those of what is 0
   but for rounding: then they are open where they, and the rates beside them, still move by more than OPEN_Z and OPEN_RATES.  The verdict
   refuses these, and rates that are rounding of c divided by 1/S. */
static PetscErrorCode judge(const RungImex *imex, const RungState *from, const RungState *to, Vec change, PetscInt n,
                            PetscReal before_z[], PetscBool *last, RungVerdict *verdict)
{
  PetscReal   moved[2 * RUNG_MAX_UNKNOWNS], now[2 * RUNG_MAX_UNKNOWNS], before[2 * RUNG_MAX_UNKNOWNS];
  PetscBool   exact = PETSC_TRUE, shrinks = PETSC_FALSE, open_z = PETSC_FALSE, open_rates = PETSC_FALSE;
  const char *name = "u";

  PetscFunctionBegin;
  PetscCall(measure(imex, change, moved));
  PetscCall(measure(imex, to->u[0], now));
  PetscCall(measure(imex, from->u[0], before));
  for (PetscInt f = 0; f < imex->facts.traits->unknowns; ++f) {
    const PetscReal z = moved[2 * f + 1], rate = moved[2 * f] * imex->step, size = PetscMax(now[2 * f], before[2 * f]);

    if (z > EXACT * now[2 * f + 1]) exact = PETSC_FALSE;
    if (z > EXACT * now[2 * f + 1] && (!n || z <= before_z[f] / 2)) shrinks = PETSC_TRUE;
    if (z > OPEN_Z * now[2 * f + 1]) open_z = PETSC_TRUE;
    if (rate > OPEN_RATES * size) open_rates = PETSC_TRUE;
    before_z[f] = z;
    if (size == 0 || rate <= BEYOND * size || !verdict->solved) continue;
    PetscCall(RungSystemGetUnknown(imex->facts.sys, f, &name, NULL));
    RungVerdictBlame(
      verdict, RUNG_REFUSED_LINEAR,
      "rates of \"%s\" are beyond all bounds: the step is too long, or constraints on values do not determine "
      "what has no rate (index 2), where methods help that solve with all of F, as trbdf2",
      name);
  }
  *last = exact || !shrinks || n + 1 == MOST ? PETSC_TRUE : PETSC_FALSE;
  if (*last && !exact && open_z && open_rates && verdict->solved)
    RungVerdictBlame(verdict, RUNG_REFUSED_NEWTON,
                     "unknowns without a rate were not found in %d iterations where the step ends; take shorter steps",
                     (int)n + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rates -= change, z -= change of the level's values */
static PetscErrorCode move(const RungImex *imex, Vec change, Vec rates, Vec u)
{
  const PetscScalar *by;
  PetscScalar       *rate, *value;
  PetscInt           size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(change, &size));
  PetscCall(VecGetArrayRead(change, &by));
  PetscCall(VecGetArray(rates, &rate));
  PetscCall(VecGetArray(u, &value));
  for (PetscInt i = 0; i < size; ++i) {
    if (imex->entry_order[i] > 0)
      rate[i] -= by[i];
    else
      value[i] -= by[i];
  }
  PetscCall(VecRestoreArray(u, &value));
  PetscCall(VecRestoreArray(rates, &rate));
  PetscCall(VecRestoreArrayRead(change, &by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexConstrainedRates(RungStepper stepper, const RungState *from, RungState *to, RungVerdict *verdict)
{
  RungImex *imex                     = RungStepperGetData(stepper);
  const Vec at[]                     = {to->u[0], imex->w};
  RungLine  line                     = {.base = {to->u[0]}};
  PetscBool last                     = PETSC_FALSE;
  PetscReal moved[RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  RungLineSetSlope(stepper, &line, 1, 1);
  PetscCall(VecCopy(from->u[1], imex->w));
  PetscCall(RungStageImposeRates(stepper, to->t, imex->w, imex->x));
  imex->known.t = NAN;
  for (PetscInt n = 0; !last; ++n) {
    PetscCall(RungSystemExplicit(imex->facts.sys, to->t, at, imex->e[0]));
    PetscCall(RungStageResidual(stepper, to->t, &line, imex->e[0], imex->w, imex->z));
    PetscCall(derive(imex, to->t, at, imex->x, imex->z));
    PetscCall(weigh(imex, PETSC_TRUE, imex->z));
    PetscCall(RungImexLinearise(stepper, to->t, at, verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(
      RungStageApplyRates(stepper, imex->z, (Vec[]){to->u[0], NULL}, imex->step * imex->rate_slope, imex->x, verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(scale(imex, PETSC_TRUE, imex->x));
    PetscCall(move(imex, imex->x, imex->w, to->u[0]));
    PetscCall(judge(imex, from, to, imex->x, n, moved, &last, verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStageEvaluate(stepper, &line, imex->w, (Vec[]){imex->x, to->u[1]}));
  if (imex->loads) PetscCall(RungImexDescribe(imex, to->t, to->u, &imex->known));
  PetscFunctionReturn(PETSC_SUCCESS);
}
