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

#define NOTHING 1e-8 /* of the largest source */

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
