/* line_linear.c - linear systems with a constant Jacobian, solved by iteration: J w = b for w itself.

   F(w) = J w - b, so that a Newton step from a guess w solves J d = F(w), whose right-hand side is small if the guess is good.
   An iteration that is told the tolerance of the answer has to see b: it starts from the guess and stops when
   |J w - b| <= rtol |b|.  b costs one evaluation of F at zero (RungTransientSystemRhs), and products with what is zero are
   left out: a step of BDF with constant blocks costs one product with the mass, and those of the iteration.

   Given entries are left out of it, too: nothing couples with their rows, which are those of the identity, so that b and w are 0 there
   while the iteration runs.  Beside rows of small cells or coefficients their values would be all of |b|, and nothing be solved.

   Of several unknowns each equation has to hold to rtol of its own right-hand side.

   Direct solvers keep to the step d, whose rounding is that of the small right-hand side, and so do solves for increments that are
   small beside the values: what is left of these would be all of them. */
#include "line_solver_impl.h"

#define NEARLY  10  /* times its tolerance is what an equation that counts as solved may lack */
#define REPEATS 3   /* solves at most for what is left of some equations                    */
#define FUTILE  0.1 /* of what was left before a solve is left behind it where rounding is met */

PetscErrorCode RungLineChoosePath(RungLineSlot *slot)
{
  RungLineSolver solver = slot->solver;
  PetscBool      direct, linear, has;
  KSPNormType    norm;
  KSP            ksp;

  PetscFunctionBegin;
  slot->affine = PETSC_FALSE;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  PetscCall(KSPGetNormType(ksp, &norm));
  slot->iterative = !direct && norm == KSP_NORM_UNPRECONDITIONED ? PETSC_TRUE : PETSC_FALSE;
  if (!solver->keep) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemHasRhs(solver->ts, &has));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, SNESKSPONLY, &linear));
  slot->affine = has && linear && !direct ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungLineBlameLinear(RungVerdict *verdict, PetscInt its, KSPConvergedReason reason)
{
  const char *way = "";

  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC)
    way = "; cg wants what is positive definite: take -pc_type lu, or -ksp_type fgmres";
  else if (reason == KSP_DIVERGED_ITS)
    way = "; take another -pc_type, lu needs no iterations, or allow more (-ksp_max_it)";
  RungVerdictBlame(verdict, RUNG_REFUSED_LINEAR, "the linear solver gave up after %ld iterations (%s)%s", (long)its,
                   KSPConvergedReasons[reason], way);
}

/* *held: w, whose given entries become 0 as those of b do. */
static PetscErrorCode leave_given(RungLineSolver solver, Vec b, Vec w, Vec *held)
{
  PetscFunctionBegin;
  if (!solver->held) PetscCall(VecDuplicate(b, &solver->held));
  *held = solver->held;
  PetscCall(VecCopy(w, *held));
  PetscCall(RungSystemZeroDirichlet(solver->sys, b));
  PetscCall(RungSystemZeroDirichlet(solver->sys, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r without the equations of unknowns of which |r_f| is at most NEARLY rtol |b_f|; *worst: the largest |r_f|/(rtol |b_f|) of the others, 0: there
   are none. */
static PetscErrorCode leave_unsolved(RungLineSolver solver, PetscReal rtol, Vec b, Vec r, PetscReal *worst)
{
  const PetscInt n = solver->traits.unknowns, *const range = solver->sys->range;
  PetscReal          size[2 * RUNG_MAX_UNKNOWNS] = {0};
  const PetscScalar *given;
  PetscScalar       *left;

  PetscFunctionBegin;
  *worst = 0;
  PetscCall(VecGetArrayRead(b, &given));
  PetscCall(VecGetArray(r, &left));
  for (PetscInt f = 0; f < n; ++f) {
    for (PetscInt i = range[f]; i < range[f + 1]; ++i) {
      size[f] += PetscSqr(PetscAbsScalar(left[i]));
      size[n + f] += PetscSqr(PetscAbsScalar(given[i]));
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, (PetscMPIInt)(2 * n), MPIU_REAL, MPIU_SUM, solver->comm));
  for (PetscInt f = 0; f < n; ++f) {
    const PetscReal share = size[n + f] > 0 ? PetscSqrtReal(size[f] / size[n + f]) / rtol : 0;

    *worst = share > NEARLY ? PetscMax(*worst, share) : *worst;
    for (PetscInt i = range[f]; i < range[f + 1] && !(share > NEARLY); ++i) left[i] = 0;
  }
  PetscCall(VecRestoreArray(r, &left));
  PetscCall(VecRestoreArrayRead(b, &given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of a small unknown is nothing beside that of a large one, which ends the iteration: what is left of equations that are not
   solved to rtol of their own right-hand sides is solved for by itself, J d = r, w + d.  That ends where such a solve fails or changes little:
   what is left is rounding then, as of a right-hand side that is nothing beside the couplings of its equation. */
static PetscErrorCode solve_rest(RungLineSlot *slot, KSP ksp, Vec b, Vec w, PetscInt *its)
{
  RungLineSolver     solver = slot->solver;
  PetscReal          rtol, worst, before = PETSC_INFINITY;
  KSPConvergedReason reason;
  PetscInt           more;
  Mat                J;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  for (int i = 0; i < 2; ++i)
    if (!solver->rest[i]) PetscCall(VecDuplicate(b, &solver->rest[i]));
  for (int again = 0; again < REPEATS; ++again) {
    PetscCall(MatMult(J, w, solver->rest[0]));
    PetscCall(VecAYPX(solver->rest[0], -1, b));
    PetscCall(leave_unsolved(solver, rtol, b, solver->rest[0], &worst));
    if (!(worst > 0 && worst < FUTILE * before)) PetscFunctionReturn(PETSC_SUCCESS);
    before = worst;
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
    PetscCall(KSPSetTolerances(ksp, PetscMax(rtol, 1 / worst), 0, PETSC_CURRENT, PETSC_CURRENT));
    RungCallFinally(KSPSolve(ksp, solver->rest[0], solver->rest[1]),
                    PetscCall(KSPSetTolerances(ksp, rtol, slot->atol, PETSC_CURRENT, PETSC_CURRENT)));
    PetscCall(KSPGetIterationNumber(ksp, &more));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    *its += more;
    if (reason < 0) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VecAXPY(w, 1, solver->rest[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolveAffine(RungLineSlot *slot, Vec z, RungVerdict *verdict)
{
  RungLineSolver     solver = slot->solver;
  KSPConvergedReason reason;
  PetscInt           its;
  KSP                ksp;
  Vec                w, held = NULL;

  PetscFunctionBegin;
  solver->last = slot;
  PetscCall(RungLineValue(solver, z, &w));
  PetscCall(RungTransientSystemRhs(solver->ts, solver->t, solver->line, solver->load, w, solver->r));
  ++solver->counts.residuals;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungLineSetOperators(slot, ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, slot->atol, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  if (solver->dirichlet) PetscCall(leave_given(solver, solver->r, w, &held));
  PetscCall(KSPSolve(ksp, solver->r, w));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  if (reason > 0 && solver->traits.unknowns > 1) PetscCall(solve_rest(slot, ksp, solver->r, w, &its));
  if (held) PetscCall(RungSystemTakeDirichlet(solver->sys, held, w));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE)); /* RungLineApply() has none */
  solver->counts.linear += its;
  ++solver->counts.newton;
  PetscCall(RungLineIncrement(solver, w, z));
  verdict->solved = PETSC_TRUE;
  if (reason == KSP_DIVERGED_PC_FAILED)
    PetscCall(RungLineSolverFailFactor(solver, z, ksp, verdict));
  else if (reason == KSP_DIVERGED_NANORINF)
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the residual is not finite");
  else if (reason < 0)
    RungLineBlameLinear(verdict, its, reason);
  if (reason == KSP_DIVERGED_NANORINF) PetscCall(RungLineSolverExplain(solver, z, verdict));
  if (!verdict->solved) slot->filled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
