/* line_diagonal.c - J w = -F where J is a diagonal, as lumped masses are: no solver, and little more than F itself is evaluated.

   Whether a matrix that stays is one is asked of it, not of the text:  |J x - diag(J) x| <= OFF |diag(J) x|  entry by entry, for one x
   without a pattern.  F is affine in w there, and at w = 0 it wants no mass (RungTransientSystemForces()).

   For methods that solve no stages alone, and unless the user has named a solver. */
#include "line_solver_impl.h"
#include "form_side_impl.h"
#include "solver_impl.h"
#include <stdint.h>

#define OFF 1e-13

/* ---- is it one ------------------------------------------------------------------------------------------------------ */

PetscErrorCode RungLineReadDiagonal(RungLineSlot *slot)
{
  static const char *const option[] = {"-ksp_type",  "-pc_type",     "-pc_factor_mat_solver_type",
                                       "-ksp_view",  "-ksp_monitor", "-snes_monitor",
                                       "-snes_type", "-snes_view"};

  KSP ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &slot->chosen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing but J decides about the solution. */
static PetscErrorCode may(RungLineSlot *slot, PetscBool *yes)
{
  RungLineSolver solver = slot->solver;
  PetscBool      condensed;
  MatNullSpace   null;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(slot->J, &null));
  PetscCall(RungSystemGetCondensed(solver->sys, &condensed));
  *yes = slot->chosen || null || condensed || solver->bound[0] || slot->given ||
             (solver->sys->form && solver->sys->form->constraints)
           ? PETSC_FALSE
           : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between 1 and 2, without a pattern: rows whose other entries cancel for multiples of an irrational number, as 1, -2 and 1 do, are none
   of a diagonal.  The bits of splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014). */
static PetscReal probe(PetscInt i)
{
  uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 1 + (PetscReal)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static PetscErrorCode fill_probe(Vec x)
{
  PetscScalar *value;
  PetscInt     start, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &start, NULL));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = 0; i < n; ++i) value[i] = probe(start + i);
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is y = diag(d) x on all ranks, d regular?  d becomes 1/d. */
static PetscErrorCode compare(MPI_Comm comm, Vec x, Vec y, Vec d, PetscBool *alike)
{
  const PetscScalar *from, *to;
  PetscScalar       *diagonal;
  PetscBool          mine = PETSC_TRUE;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayRead(y, &to));
  PetscCall(VecGetArray(d, &diagonal));
  for (PetscInt i = 0; i < n && mine; ++i) {
    const PetscScalar one = diagonal[i] * from[i];

    mine        = PetscAbsScalar(one) > 0 && PetscAbsScalar(to[i] - one) <= OFF * PetscAbsScalar(one) ? PETSC_TRUE
                                                                                                      : PETSC_FALSE;
    diagonal[i] = 1 / diagonal[i];
  }
  PetscCall(VecRestoreArray(d, &diagonal));
  PetscCall(VecRestoreArrayRead(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCallMPI(MPI_Allreduce(&mine, alike, 1, RUNG_MPI_BOOL, MPI_LAND, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask(RungLineSlot *slot, PetscBool *diagonal)
{
  RungLineSolver solver = slot->solver;
  Vec            x;

  PetscFunctionBegin;
  if (!slot->inverse) PetscCall(VecDuplicate(solver->r, &slot->inverse));
  PetscCall(VecDuplicate(solver->r, &x));
  PetscCall(MatGetDiagonal(slot->J, slot->inverse));
  PetscCall(fill_probe(x));
  PetscCall(MatMult(slot->J, x, solver->r));
  PetscCall(compare(solver->comm, x, solver->r, slot->inverse, diagonal));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is none stays none as long as constants and fields do, whatever the slopes. */
PetscErrorCode RungLineMayBeDiagonal(RungLineSlot *slot, PetscBool *may)
{
  PetscInt64 data;

  PetscFunctionBegin;
  *may = PETSC_FALSE;
  if (!slot->solver->light) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetDataState(slot->solver->sys, &data));
  *may = slot->solver->joined != data ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineAskDiagonal(RungLineSlot *slot)
{
  PetscObjectState state;
  PetscBool        yes;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (slot->diagonal == state) PetscFunctionReturn(PETSC_SUCCESS);
  slot->diagonal = -1;
  PetscCall(RungLineMayBeDiagonal(slot, &yes));
  if (!yes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(may(slot, &yes));
  if (yes) PetscCall(ask(slot, &yes));
  if (yes) {
    slot->diagonal = state;
    ++slot->solver->counts.factorisations;
  } else {
    PetscCall(RungSystemGetDataState(slot->solver->sys, &slot->solver->joined));
    PetscCall(VecDestroy(&slot->inverse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineIsDiagonal(RungLineSlot *slot, PetscBool *is)
{
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  *is = slot->diagonal == state ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves --------------------------------------------------------------------------------------------------------- */

/* Partial sums of 0 w, NaN where some w is not finite: as many as vectors have lanes. */
#define LANES 8

/* w = s d b, or w += s d b; *finite: all of them on this rank are */
static void multiply(PetscInt n, PetscReal s, const PetscScalar d[], const PetscScalar b[], PetscBool add,
                     PetscScalar w[], PetscBool *finite)
{
  PetscScalar sum[LANES] = {0};
  PetscInt    i          = 0;

  for (; i + LANES <= n; i += LANES) {
    for (int l = 0; l < LANES; ++l) {
      const PetscScalar value = (add ? w[i + l] : 0) + s * d[i + l] * b[i + l];

      w[i + l] = value;
      sum[l] += 0 * value;
    }
  }
  for (; i < n; ++i) {
    w[i] = (add ? w[i] : 0) + s * d[i] * b[i];
    sum[0] += 0 * w[i];
  }
  for (int l = 1; l < LANES; ++l) sum[0] += sum[l];
  *finite = sum[0] == 0.0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode scale(RungLineSlot *slot, PetscReal s, Vec b, PetscBool add, Vec w, PetscBool *finite)
{
  const PetscScalar *inverse, *from;
  PetscScalar       *to;
  PetscBool          mine;
  PetscMPIInt        ranks;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayRead(slot->inverse, &inverse));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArray(w, &to));
  if (add)
    multiply(n, s, inverse, from, PETSC_TRUE, to, &mine);
  else
    multiply(n, s, inverse, from, PETSC_FALSE, to, &mine);
  PetscCall(VecRestoreArray(w, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(VecRestoreArrayRead(slot->inverse, &inverse));
  PetscCallMPI(MPI_Comm_size(slot->solver->comm, &ranks));
  *finite = mine;
  if (ranks > 1) PetscCallMPI(MPI_Allreduce(&mine, finite, 1, RUNG_MPI_BOOL, MPI_LAND, slot->solver->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineApplyDiagonal(RungLineSlot *slot, Vec b, Vec x, RungVerdict *verdict)
{
  PetscBool finite;

  PetscFunctionBegin;
  PetscCall(scale(slot, 1, b, PETSC_FALSE, x, &finite));
  ++slot->solver->counts.linear;
  if (!finite) RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the solution of a linear system is not finite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolveDiagonal(RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  RungLineSolver solver = slot->solver;
  PetscBool      known, finite;

  PetscFunctionBegin;
  ++solver->counts.residuals;
  ++solver->counts.linear;
  verdict->solved = PETSC_TRUE;
  PetscCall(RungTransientSystemForces(solver->ts, solver->t, solver->line, solver->r, &known));
  if (known) {
    PetscCall(RungSystemTakeDirichlet(solver->sys, w, solver->r));
    PetscCall(scale(slot, -1, solver->r, PETSC_FALSE, w, &finite));
    PetscCall(RungSystemTakeDirichlet(solver->sys, solver->r, w));
  } else {
    if (solver->line->guess) PetscCall(VecCopy(solver->line->guess, w));
    PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, NULL, w, solver->r));
    PetscCall(scale(slot, -1, solver->r, PETSC_TRUE, w, &finite));
  }
  if (finite) PetscFunctionReturn(PETSC_SUCCESS);
  RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the residual is not finite");
  PetscCall(VecZeroEntries(w)); /* what it is computed from then is finite */
  PetscCall(RungLineSolverExplain(solver, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
