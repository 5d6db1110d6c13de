/* weights_source.c - sources that are yet to come, for runs with tolerances that begin at rest.

   A pulse exp(-((t - 5)/0.1)^2) begins with 1e-300.  A solution that follows it from there has a size at each time, and an atol that
   follows the largest value so far asks for 690 powers of e to be resolved one after the other (1110 steps of dopri54 at 1e-6); methods whose
   steps are long by then go over all of it and see nothing.  So sources are looked at along the run, as boundary data are.  With
   F_0(t) = F(t, 0, .., 0) the rates at rest solve

       M w + F_0(t) = 0,

   whose size is that of F_0/M without a solve, M by its row sums  F(t0, 0, .., 1) - F_0(t0),  largest by largest in each unknown.
   Where w is next to nothing at the start and at the first look, steps land on the looks up to the largest w (RungWeightsSurvey()), and
   in a step of length h values of 1e-24 h w need not be resolved.  Rounding of h w would spare more (80 steps for 100), but where a step
   is 1e12 times of a stiff system the source has made no more than 1e-12 h w in it. */
#include "weights_impl.h"
#include "system_impl.h"

#define NOTHING  1e-8  /* of the largest source */
#define MASSLESS 1e-12 /* of the largest row sum: elements of degree 2 have nodes without, graded meshes small ones */

/* largest[f] = max(largest[f], |x_i|) in the free entries of each unknown, on this rank */
static PetscErrorCode add_sizes(RungWeights weights, Vec x, PetscReal largest[])
{
  const PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(RungSystemZeroDirichlet(weights->sys, x));
  PetscCall(VecGetArrayRead(x, &value));
  for (PetscInt f = 0; f < weights->n; ++f) {
    for (PetscInt i = weights->unknown[f].start; i < weights->unknown[f].end; ++i) {
      const PetscReal size = PetscAbsScalar(value[i]);

      if (isfinite(size)) largest[f] = PetscMax(largest[f], size);
    }
  }
  PetscCall(VecRestoreArrayRead(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = 0 and 1 for the highest rate of each unknown, or 0 */
static PetscErrorCode set_rates(RungWeights weights, const RungTraits *traits, PetscScalar rate, const Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= traits->order; ++k) {
    PetscScalar *x;

    PetscCall(VecGetArray(u[k], &x));
    for (PetscInt f = 0; f < weights->n; ++f)
      for (PetscInt i = weights->unknown[f].start; i < weights->unknown[f].end; ++i)
        x[i] = k > 0 && traits->unknown_order[f] == k ? rate : 0;
    PetscCall(VecRestoreArray(u[k], &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size[look][f]: |F_0| of all ranks; mass[f]: |M 1| */
static PetscErrorCode look(RungWeights weights, const RungTraits *traits, PetscReal t0, PetscReal t1, const Vec u[],
                           Vec r, Vec first, PetscReal size[], PetscReal mass[])
{
  PetscFunctionBegin;
  PetscCall(set_rates(weights, traits, 0, u));
  for (PetscInt i = 0; i <= RUNG_LOOKS; ++i) {
    PetscCall(weights->sys->ops->residual(weights->sys, t0 + (t1 - t0) * (PetscReal)i / RUNG_LOOKS, u, r));
    if (i == 0) PetscCall(VecCopy(r, first));
    PetscCall(add_sizes(weights, r, size + i * weights->n));
  }
  PetscCall(set_rates(weights, traits, 1, u));
  PetscCall(weights->sys->ops->residual(weights->sys, t0, u, r));
  PetscCall(VecAXPY(r, -1, first));
  PetscCall(add_sizes(weights, r, mass));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)((RUNG_LOOKS + 1) * weights->n), MPIU_REAL, MPIU_MAX,
                             RungSystemComm(weights->sys)));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, mass, (PetscMPIInt)weights->n, MPIU_REAL, MPIU_MAX, RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = those of the end of a step, 0 of unknown `without`; the highest rate of unknown `moving` is `rate`, that of all others 0; both may be -1 */
static PetscErrorCode set_end(RungWeights weights, const RungTraits *traits, PetscInt without, PetscInt moving,
                              PetscScalar rate, const Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= traits->order; ++k) {
    PetscScalar *x;

    if (k < 2 && weights->last.to[k]) PetscCall(VecCopy(weights->last.to[k], u[k]));
    PetscCall(VecGetArray(u[k], &x));
    for (PetscInt f = 0; f < weights->n; ++f) {
      const PetscInt  order   = traits->unknown_order[f];
      const PetscBool highest = k > 0 && k >= order ? PETSC_TRUE : PETSC_FALSE;

      for (PetscInt i = weights->unknown[f].start; i < weights->unknown[f].end && (highest || f == without); ++i)
        x[i] = k == order && f == moving ? rate : 0;
    }
    PetscCall(VecRestoreArray(u[k], &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h |(x, x')|/(x, x) of unknown f, of all ranks: x = its value or rate below the highest, M x' = -F_own by the row sums of M, as far as these are
   not next to nothing; NAN where x is 0, or all of M. */
static PetscErrorCode find_quotient(RungWeights weights, PetscInt f, Vec own, Vec mass, PetscReal *quotient)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  const PetscInt            k       = unknown->orders - 1;
  const PetscReal           size    = weights->now[2 * f + k]; /* squares of 1e-200 are 0 */
  const PetscScalar        *x, *r, *m;
  PetscReal                 most = 0, sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(weights->last.to[k], &x));
  PetscCall(VecGetArrayRead(own, &r));
  PetscCall(VecGetArrayRead(mass, &m));
  for (PetscInt i = unknown->start; i < unknown->end; ++i) most = PetscMax(most, PetscAbsScalar(m[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, RungSystemComm(weights->sys)));
  for (PetscInt i = unknown->start; i < unknown->end; ++i) {
    const PetscReal part = PetscRealPart(x[i]) / size;

    if (PetscAbsScalar(m[i]) <= MASSLESS * most) continue;
    sum[0] += part * (PetscRealPart(r[i]) / size / PetscRealPart(m[i]));
    sum[1] += part * part;
  }
  PetscCall(VecRestoreArrayRead(mass, &m));
  PetscCall(VecRestoreArrayRead(own, &r));
  PetscCall(VecRestoreArrayRead(weights->last.to[k], &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPI_SUM, RungSystemComm(weights->sys)));
  *quotient = sum[1] > 0 ? PetscAbsReal(weights->last.h * sum[0] / sum[1]) : NAN;
  if (isnan(sum[0]) || isinf(sum[1])) *quotient = (PetscReal)INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What may blow up: F, or its explicit part */
static PetscErrorCode evaluate_loose(RungWeights weights, PetscReal t, const Vec u[], Vec r)
{
  const RungSystem sys = weights->sys;

  PetscFunctionBegin;
  PetscCall(weights->last.stable ? sys->ops->explicit_part(sys, t, u, r) : sys->ops->residual(sys, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mass = M 1 of unknown f by a rate that is to the value as 1 to the step: beside F of a value of 1e40 a rate of 1 is lost in rounding, and a rate
   that is lost all the same is that of a blow-up.  still: F without rates */
static PetscErrorCode find_mass(RungWeights weights, const RungTraits *traits, PetscReal t, PetscInt f, const Vec u[],
                                Vec still, Vec mass)
{
  const PetscReal rate = weights->now[2 * f + weights->unknown[f].orders - 1] / weights->last.h;

  PetscFunctionBegin;
  PetscCall(set_end(weights, traits, -1, f, rate, u));
  PetscCall(weights->sys->ops->residual(weights->sys, t, u, mass));
  PetscCall(VecAXPY(mass, -1, still));
  PetscCall(VecScale(mass, 1 / rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r[0], r[1]: F and what may blow up of it, without rates; r[2], r[3]: work */
static PetscErrorCode find_stiffness(RungWeights weights, const RungTraits *traits, PetscReal t, const Vec u[],
                                     const Vec r[4], PetscReal stiffness[])
{
  PetscFunctionBegin;
  PetscCall(set_end(weights, traits, -1, -1, 0, u));
  PetscCall(weights->sys->ops->residual(weights->sys, t, u, r[0]));
  PetscCall(evaluate_loose(weights, t, u, r[1]));
  for (PetscInt f = 0; f < weights->n; ++f) {
    const PetscInt k = weights->unknown[f].orders - 1;

    if (weights->born[2 * f + k] || !(weights->now[2 * f + k] > 0) || traits->unknown_order[f] == 0) continue;
    PetscCall(find_mass(weights, traits, t, f, u, r[0], r[3]));
    PetscCall(set_end(weights, traits, f, -1, 0, u));
    PetscCall(evaluate_loose(weights, t, u, r[2]));
    PetscCall(VecAYPX(r[2], -1, r[1]));
    PetscCall(RungSystemZeroDirichlet(weights->sys, r[2]));
    PetscCall(find_quotient(weights, f, r[2], r[3], &stiffness[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsFindStiffness(RungWeights weights, PetscReal t, PetscReal stiffness[])
{
  const PetscBool none = weights->last.stable && !weights->sys->split ? PETSC_TRUE : PETSC_FALSE; /* may blow up */
  RungTraits      traits;
  Vec            *work;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < weights->n; ++f) stiffness[f] = none ? 0 : NAN;
  if (none || !weights->sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetTraits(weights->sys, &traits));
  PetscCall(VecDuplicateVecs(weights->last.to[0], traits.order + 5, &work));
  RungCallFinally(find_stiffness(weights, &traits, t, work, work + traits.order + 1, stiffness),
                  PetscCall(VecDestroyVecs(traits.order + 5, &work)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungWeightsFindLook(PetscInt n, PetscInt f, const PetscReal size[])
{
  PetscInt most = 0;

  for (PetscInt i = 1; i <= RUNG_LOOKS; ++i)
    if (size[i * n + f] > size[most * n + f]) most = i;
  return most && PetscMax(size[f], size[n + f]) <= NOTHING * size[most * n + f] ? most : -1;
}

PetscErrorCode RungWeightsSurveySources(RungWeights weights, PetscReal t0, PetscReal t1, PetscInt *until)
{
  const RungSystem sys = weights->sys;
  RungTraits       traits;
  PetscReal        size[(RUNG_LOOKS + 1) * RUNG_MAX_UNKNOWNS] = {0}, mass[RUNG_MAX_UNKNOWNS] = {0};
  Vec              like, *work;

  PetscFunctionBegin;
  *until = 0;
  PetscCall(RungSystemGetTraits(sys, &traits));
  for (PetscInt f = 0; f < weights->n; ++f) weights->unknown[f].source = 0;
  if (weights->given || !sys->form || !traits.time_dependent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateVec(sys, &like));
  RungCallFinally(VecDuplicateVecs(like, traits.order + 3, &work), PetscCall(VecDestroy(&like)));
  RungCallFinally(look(weights, &traits, t0, t1, work, work[traits.order + 1], work[traits.order + 2], size, mass),
                  PetscCall(VecDestroyVecs(traits.order + 3, &work)));
  for (PetscInt f = 0; f < weights->n; ++f) {
    const PetscInt most = RungWeightsFindLook(weights->n, f, size);

    if (most < 0) continue;
    *until = PetscMax(*until, most);
    if (mass[f] > 0 && isfinite(size[most * weights->n + f] / mass[f]))
      weights->unknown[f].source = size[most * weights->n + f] / mass[f];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
