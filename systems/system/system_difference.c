/* system_difference.c - Jacobians of systems of C functions by one-sided differences, on any number of ranks.

   All derivatives in time are moved at once:  column j = (F(u + sigma delta_j e_j) - F(u)) / delta_j, where delta_j is
   relative to what it moves.  A matrix of a callback that is assembled says which entries there are: columns that share no
   row are moved together, by PETSc's coloring of F(u + sigma D z) at z = 0, D the steps.  Else, of few entries, each column
   by itself. */
#include "callback_impl.h"

#define DROWNED (1e4 * PETSC_MACHINE_EPSILON) /* of F: a difference of which rounding takes digits      */
#define FARTHER 1e5                           /* .. is taken over a step that is so much longer         */
#define LENGTHS 9                             /* are tried: units of time down to 1e-20 of those of u'' */

/* What a small entry of u^(k) is measured with, in the units of the system.  Values: a part of the largest one, and of what
   rates make of them in a step, sigma_0 u^(i)/sigma_i, where all values may be nothing but rounding.  Rates: the values, too, since F knows rates mostly as a linear term, where a large step does no harm and a small one drowns.
   size[k] is |u^(k)|, largest entry; 1 where all is 0. */
static PetscReal scale_of(PetscInt order, const PetscReal sigma[], const PetscReal size[], PetscInt k)
{
  PetscReal scale = k ? PetscMax(size[0], size[k]) : 1e-3 * size[0];

  for (PetscInt i = 1; i <= order && !k; ++i) {
    if (sigma[i] != 0) scale = PetscMax(scale, PetscAbsReal(sigma[0] / sigma[i]) * size[i]);
  }
  return scale > 0 ? scale : 1;
}

/* Perturbation of w_j in u^(k)(w) = .. + sigma_k w: relative to the first u^(k) that it moves. */
static PetscReal step_of(PetscInt order, const PetscReal sigma[], const PetscScalar *u[], const PetscReal size[],
                         PetscInt j)
{
  for (PetscInt k = 0; k <= order; ++k) {
    if (sigma[k] == 0) continue;
    return PETSC_SQRT_MACHINE_EPSILON * PetscMax(PetscAbsScalar(u[k][j]), scale_of(order, sigma, size, k)) /
           PetscAbsReal(sigma[k]);
  }
  return 0;
}

/* step[j] of the local entries */
PetscErrorCode RungCallbackFindSteps(RungSystem sys, const Vec u[], const PetscReal sigma[], PetscReal step[])
{
  const PetscInt     order = sys->traits.order;
  const PetscScalar *base[RUNG_MAX_ORDER + 1];
  PetscReal          size[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= order; ++k) {
    PetscCall(VecNorm(u[k], NORM_INFINITY, &size[k]));
    PetscCall(VecGetArrayRead(u[k], &base[k]));
  }
  for (PetscInt j = 0; j < sys->local; ++j) step[j] = step_of(order, sigma, base, size, j);
  for (PetscInt k = 0; k <= order; ++k) PetscCall(VecRestoreArrayRead(u[k], &base[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- how far rates are moved ------------------------------------------------------------------------------------- */

/* cb->point[k] = u^(k) + sigma_k length step_j c_j, all entries together; factors c between 1 and 2 keep rows from cancelling */
static PetscErrorCode move_all(RungSystem sys, const Vec u[], const PetscReal sigma[], const PetscReal step[],
                               PetscReal length)
{
  PetscInt start;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u[0], &start, NULL));
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    PetscScalar *moved;

    PetscCall(VecCopy(u[k], sys->callback->point[k]));
    PetscCall(VecGetArray(sys->callback->point[k], &moved));
    for (PetscInt j = 0; j < sys->local; ++j)
      moved[j] += sigma[k] * length * step[j] * (1.5 + 0.5 * PetscSinReal((PetscReal)(start + j)));
    PetscCall(VecRestoreArray(sys->callback->point[k], &moved));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cb->shifted is F(point), cb->value F: longer[j] = length where row j has not seen a difference before, and does now.
   *seen: by rows of this rank, *all: by all of them. */
static PetscErrorCode look(RungSystem sys, PetscReal length, PetscReal longer[], PetscReal *seen, PetscBool *all)
{
  const PetscScalar *value, *moved;

  PetscFunctionBegin;
  *all = PETSC_TRUE;
  PetscCall(VecGetArrayRead(sys->callback->value, &value));
  PetscCall(VecGetArrayRead(sys->callback->shifted, &moved));
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (longer[i] > 0) continue;
    if (PetscAbsScalar(moved[i] - value[i]) > DROWNED * PetscAbsScalar(value[i]))
      longer[i] = *seen = length;
    else
      *all = PETSC_FALSE;
  }
  PetscCall(VecRestoreArrayRead(sys->callback->shifted, &moved));
  PetscCall(VecRestoreArrayRead(sys->callback->value, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of rates alone, which are measured with values: rates of a fast system are far larger, and what drowns beside other terms of F
   is moved farther.  Each entry as far as its own row asks for; one whose row sees nothing (it holds no rate) as far as any. */
static PetscErrorCode lengthen(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                               const PetscReal sigma[], PetscReal step[], PetscReal longer[])
{
  RungCallbackSide cb     = sys->callback;
  PetscReal        length = 1, most = 0;
  PetscBool        all = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(longer, sys->local));
  PetscCall(function(sys, t, u, cb->value));
  for (int i = 0; i < LENGTHS && !all; ++i, length *= FARTHER) {
    PetscCall(move_all(sys, u, sigma, step, length));
    PetscCall(function(sys, t, cb->point, cb->shifted));
    PetscCall(look(sys, length, longer, &most, &all));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, RUNG_MPI_BOOL, MPI_LAND, sys->comm));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPI_MAX, sys->comm));
  if (most == 0) most = 1;
  for (PetscInt j = 0; j < sys->local; ++j) step[j] *= longer[j] > 0 ? longer[j] : most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* step[j] of the local entries, with which differences are taken */
static PetscErrorCode choose_steps(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                   const PetscReal sigma[], PetscReal step[])
{
  PetscReal *longer;

  PetscFunctionBegin;
  PetscCall(RungCallbackFindSteps(sys, u, sigma, step));
  if (sigma[0] != 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(sys->local, &longer));
  RungCallFinally(lengthen(sys, function, t, u, sigma, step, longer), PetscCall(PetscFree(longer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- column by column -------------------------------------------------------------------------------------------- */

/* cb->step of all columns, on all ranks */
static PetscErrorCode share_steps(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                  const PetscReal sigma[])
{
  RungCallbackSide cb = sys->callback;
  PetscInt         start, end;

  PetscFunctionBegin;
  if (!cb->step) PetscCall(PetscMalloc1(sys->global, &cb->step));
  PetscCall(VecGetOwnershipRange(u[0], &start, &end));
  PetscCall(PetscArrayzero(cb->step, sys->global));
  PetscCall(choose_steps(sys, function, t, u, sigma, cb->step + start));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cb->step, (PetscMPIInt)sys->global, MPIU_REAL, MPIU_SUM, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* point[k] = u[k] + sigma_k delta e_j; local j, negative: on another rank */
static PetscErrorCode move_entry(RungSystem sys, const Vec u[], const PetscReal sigma[], PetscInt j, PetscReal delta)
{
  const PetscScalar *base;
  PetscScalar       *moved;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    PetscCall(VecGetArrayRead(u[k], &base));
    PetscCall(VecGetArray(sys->callback->point[k], &moved));
    if (j >= 0) moved[j] = base[j] + sigma[k] * delta;
    PetscCall(VecRestoreArray(sys->callback->point[k], &moved));
    PetscCall(VecRestoreArrayRead(u[k], &base));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_columns(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                  const PetscReal sigma[], Mat J)
{
  RungCallbackSide   cb = sys->callback;
  const PetscScalar *column;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(share_steps(sys, function, t, u, sigma));
  PetscCall(VecGetOwnershipRange(u[0], &start, &end));
  for (PetscInt k = 0; k <= sys->traits.order; ++k) PetscCall(VecCopy(u[k], cb->point[k]));
  PetscCall(function(sys, t, u, cb->value));
  for (PetscInt j = 0; j < sys->global; ++j) {
    const PetscInt  mine  = j >= start && j < end ? j - start : -1;
    const PetscReal delta = cb->step[j];

    if (delta == 0) continue;
    PetscCall(move_entry(sys, u, sigma, mine, delta));
    PetscCall(function(sys, t, cb->point, cb->shifted));
    PetscCall(VecAXPBY(cb->shifted, -1 / delta, 1 / delta, cb->value));
    PetscCall(VecGetArrayRead(cb->shifted, &column));
    for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValue(J, i, j, column[i - start], ADD_VALUES));
    PetscCall(VecRestoreArrayRead(cb->shifted, &column));
    PetscCall(move_entry(sys, u, sigma, mine, 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns of one color together ------------------------------------------------------------------------------- */

/* What F(u + sigma D z) needs; lives during one Apply. */
typedef struct {
  RungSystem         sys;
  RungDifferencedFn *function;
  PetscReal          t;
  const Vec         *u;
  const PetscReal   *sigma;
} Scaled;

static PetscErrorCode evaluate_scaled(void *unused, Vec z, Vec r, void *ctx)
{
  const Scaled    *scaled = (const Scaled *)ctx;
  RungCallbackSide cb     = scaled->sys->callback;

  PetscFunctionBegin;
  (void)unused;
  for (PetscInt k = 0; k <= scaled->sys->traits.order; ++k) {
    PetscCall(VecPointwiseMult(cb->point[k], cb->scale, z));
    PetscCall(VecAYPX(cb->point[k], scaled->sigma[k], scaled->u[k]));
  }
  PetscCall(scaled->function(scaled->sys, scaled->t, cb->point, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_coloring(RungSystem sys, Mat K)
{
  RungCallbackSide cb = sys->callback;
  MatColoring      greedy;
  ISColoring       colors;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(cb->value, &cb->scale));
  PetscCall(MatColoringCreate(K, &greedy));
  PetscCall(MatColoringSetDistance(greedy, 2));
  PetscCall(MatColoringSetType(greedy, MATCOLORINGSL));
  PetscCall(MatColoringApply(greedy, &colors));
  PetscCall(MatColoringDestroy(&greedy));
  PetscCall(MatFDColoringCreate(K, colors, &cb->coloring));
  PetscCall(MatFDColoringSetUp(K, colors, cb->coloring));
  PetscCall(ISColoringDestroy(&colors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps relative to 1 are taken by PETSc: D = delta / sqrt(eps), and 1 where nothing moves. */
static PetscErrorCode add_colored(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                  const PetscReal sigma[], Mat J)
{
  RungCallbackSide cb     = sys->callback;
  Scaled           scaled = {sys, function, t, u, sigma};
  PetscScalar     *scale;

  PetscFunctionBegin;
  if (!cb->coloring) PetscCall(make_coloring(sys, cb->colored));
  PetscCall(VecGetArray(cb->scale, &scale));
  PetscCall(choose_steps(sys, function, t, u, sigma, scale));
  for (PetscInt j = 0; j < sys->local; ++j) scale[j] = scale[j] > 0 ? scale[j] / PETSC_SQRT_MACHINE_EPSILON : 1;
  PetscCall(VecRestoreArray(cb->scale, &scale));
  PetscCall(MatFDColoringSetFunction(cb->coloring, RungColoredFunction(evaluate_scaled), &scaled));
  PetscCall(VecZeroEntries(cb->shifted));
  PetscCall(MatFDColoringApply(cb->colored, cb->coloring, cb->shifted, NULL));
  PetscCall(VecReciprocal(cb->scale));
  PetscCall(MatDiagonalScale(cb->colored, NULL, cb->scale));
  PetscCall(MatAXPY(J, 1, cb->colored, UNKNOWN_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which --------------------------------------------------------------------------------------------------------- */

/* colored: a matrix of the callback that says which places there are; NULL if it says nothing */
static PetscErrorCode find_places(RungSystem sys)
{
  RungCallbackSide cb = sys->callback;
  PetscBool        assembled;
  MatInfo          info;

  PetscFunctionBegin;
  if (!cb->mat || cb->colored) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCallbackCreateMat(sys, &cb->colored));
  PetscCall(MatAssembled(cb->colored, &assembled));
  info.nz_used = 0;
  if (assembled) PetscCall(MatGetInfo(cb->colored, MAT_GLOBAL_SUM, &info));
  if (info.nz_used == 0) PetscCall(MatDestroy(&cb->colored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackAddDifferences(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                          const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(find_places(sys));
  PetscCheck(sys->callback->colored || sys->global <= RUNG_DENSE_LIMIT, sys->comm, PETSC_ERR_SUP,
             "no Jacobian callback, and %" PetscInt_FMT
             " entries are too many for differences column by column (%d); give "
             "the Jacobian, or enter zeros at all its places and assemble in the callback of RungSystemSetMatCallback",
             sys->global, RUNG_DENSE_LIMIT);
  if (sys->callback->colored)
    PetscCall(add_colored(sys, function, t, u, sigma, J));
  else
    PetscCall(add_columns(sys, function, t, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackDestroyDifferences(RungCallbackSide cb)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cb->step));
  PetscCall(MatFDColoringDestroy(&cb->coloring));
  PetscCall(MatDestroy(&cb->colored));
  PetscCall(VecDestroy(&cb->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}
