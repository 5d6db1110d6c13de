/* line_linearise.c - J at a state, factored, and solves with it: what linearly implicit and explicit methods ask for.

   The matrix stands in the slot of its slopes, as those of solves on lines do.  It stays, with its factors, where nothing in it
   depends on the state or on t: where every block dF/du^(k) with a slope that is not 0 is constant.  An explicit method so has one
   factorisation of its mass, however nonlinear the rest of F is.  Elsewhere each call assembles and factors. */
#include "line_solver_impl.h"
#include "form_side_impl.h"
#include "solver_impl.h"

/* ---- what has no linear solve in the place of an equation --------------------------------------------------------------- */

static PetscErrorCode check_bounds(RungLineSolver solver)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    PetscBool bounded;

    PetscCall(RungSystemHasBoundsOn(solver->sys, f, &bounded));
    PetscCheck(
      !bounded, solver->comm, PETSC_ERR_SUP,
      "one linear solve keeps no bounds, and unknown \"%s\" has some; take a method that solves for values, as "
      "-stepper_type bdf",
      RungSystemNameOf(solver->sys, f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Internal variables are eliminated; one solve is exact for them where their own equations are linear. */
static PetscErrorCode check_points(RungLineSolver solver)
{
  const RungSystem sys = solver->sys;
  RungFormTraits   traits;

  PetscFunctionBegin;
  if (!solver->point) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetTraits(sys->form->F, &traits));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    for (PetscInt g = 0; RungIsCondensed(sys, f) && g < solver->traits.unknowns; ++g)
      PetscCheck(
        !traits.varying[f][g], solver->comm, PETSC_ERR_SUP,
        "the internal variable \"%s\" follows an equation that is not linear with constant coefficients (in \"%s\"), "
        "which one linear solve does not fulfil; take a method that solves it, as -stepper_type dirk, or "
        "-system_condense false, which leaves \"%s\" in the matrix",
        sys->form->name[f], sys->form->name[g], sys->form->name[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_conserved(RungLineSolver solver, const PetscReal slope[])
{
  PetscFunctionBegin;
  if (!solver->traits.conserved) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    PetscCheck(slope[f] == 0 || solver->traits.unknown_order[f] <= 0, solver->comm, PETSC_ERR_SUP,
               "dt() of nonlinear terms is kept whole, so that F has no derivative by \"%s\" alone; take "
               "-system_conserve false, which expands it",
               RungSystemNameOf(solver->sys, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver was made for masses. */
static PetscErrorCode check_masses(RungLineSolver solver, const PetscReal slope[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < solver->traits.order * solver->traits.unknowns && solver->masses; ++i)
    PetscCheck(
      slope[i] == 0, solver->comm, PETSC_ERR_ARG_WRONG,
      "a slope of %g on derivative %" PetscInt_FMT " in time of \"%s\" in a method whose plan says that it solves "
      "no stages, so that its matrices are those of the highest rates; set `solves` in the plan",
      (double)slope[i], i / solver->traits.unknowns, RungSystemNameOf(solver->sys, i % solver->traits.unknowns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix ---------------------------------------------------------------------------------------------------------- */

/* Is J the same at all states and times? */
PetscBool RungLineIsConstant(RungLineSolver solver, const PetscReal slope[])
{
  const PetscInt n = solver->traits.unknowns;

  for (PetscInt i = 0; i < (solver->traits.order + 1) * n; ++i)
    if (slope[i] != 0 && !solver->traits.constant_block[i / n]) return PETSC_FALSE;
  return solver->traits.conserved ? PETSC_FALSE : PETSC_TRUE;
}

/* Has the slot this matrix already?  Nothing but an assembly changes the state of J. */
static PetscErrorCode is_held(RungLineSlot *slot, const PetscReal slope[], PetscBool *held)
{
  RungLineSolver   solver = slot->solver;
  PetscObjectState state;
  PetscInt64       data;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  PetscCall(RungSystemGetDataState(solver->sys, &data));
  *held = slot->filled && slot->held == state && slot->data == data && RungLineIsConstant(solver, slope) ? PETSC_TRUE
                                                                                                         : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Internal variables are eliminated with J itself. */
static PetscErrorCode pack_masses(RungLineSlot *slot)
{
  PetscBool condensed;

  PetscFunctionBegin;
  PetscCall(RungSystemGetCondensed(slot->solver->sys, &condensed));
  if (!condensed) PetscCall(RungMassesPack(slot->J, &slot->packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = 0 on solver->line */
static PetscErrorCode fill(RungLineSlot *slot, Vec w)
{
  RungLineSolver solver = slot->solver;

  PetscFunctionBegin;
  if (!solver->point) {
    PetscCall(RungNewtonJacobian(slot->snes, w, slot->J, slot->J, slot));
  } else { /* internal variables are what the state says */
    PetscLogDouble mark;

    ++solver->counts.jacobians;
    slot->filled = PETSC_TRUE;
    PetscCall(RungLineClock(&mark, NULL));
    PetscCall(RungTransientSystemStageJacobian(solver->ts, solver->t, solver->line, w, slot->J));
    PetscCall(RungLineClock(&mark, &solver->counts.assembly));
  }
  PetscCall(RungSystemGetDataState(solver->sys, &slot->data));
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &slot->held));
  PetscCall(MatDestroy(&slot->packed));
  if (solver->masses && RungLineIsConstant(solver, slot->slope)) PetscCall(pack_masses(slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineHold(RungLineSlot *slot, Vec w)
{
  PetscBool held;

  PetscFunctionBegin;
  PetscCall(is_held(slot, slot->slope, &held));
  if (held) PetscFunctionReturn(PETSC_SUCCESS);
  if (!slot->solver->keep) RungNewtonForget(slot); /* Newton's matrix is gone */
  PetscCall(fill(slot, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver of the slot is ready for right-hand sides. */
static PetscErrorCode factor(RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  RungLineSolver   solver = slot->solver;
  PCFailedReason   reason;
  PetscInt         failed;
  PetscObjectState state;
  KSP              ksp;
  PC               pc;

  PetscFunctionBegin;
  verdict->solved = PETSC_TRUE;
  if (slot->blocks) {
    PetscBool regular;

    PetscCall(RungLineBlocksFactor(slot, &regular));
    if (regular) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  PetscCall(RungLineSetOperators(slot, ksp));
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (slot->factored != state) slot->factored = -1; /* factors of another matrix serve Newton's method alone */
  PetscCall(RungNewtonSetUp(slot, ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  failed = reason != PC_NOERROR;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPIU_INT, MPI_MAX, solver->comm));
  if (!failed) PetscFunctionReturn(PETSC_SUCCESS);
  if (solver->point) PetscCall(VecZeroEntries(solver->point));
  PetscCall(RungLineSolverFailFactor(solver, w, ksp, verdict));
  slot->filled   = PETSC_FALSE;
  slot->factored = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode linearise(RungLineSolver solver, Vec w, RungVerdict *verdict)
{
  const PetscReal *slope = solver->line->slope;
  RungLineSlot    *slot;
  PetscBool        diagonal;

  PetscFunctionBegin;
  if (!solver->keep && solver->matrices > 1 && RungLineIsConstant(solver, slope))
    PetscCall(RungLineSlotApart(solver, slope, &slot));
  else
    slot = RungLineFindSlot(solver, slope);
  solver->last = slot;
  PetscCall(RungLineTakeNext(slot));
  PetscCall(VecZeroEntries(w));
  PetscCall(RungLineHold(slot, w));
  if (RungLineIsConstant(solver, slope)) PetscCall(RungLineAskDiagonal(slot));
  PetscCall(RungLineIsDiagonal(slot, &diagonal));
  verdict->solved = PETSC_TRUE;
  if (!diagonal) PetscCall(factor(slot, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineLinearise(RungLineSolver solver, PetscReal t, const Vec u[], const PetscReal slope[],
                                 RungVerdict *verdict)
{
  RungLine line = {.base = {NULL}};

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(RungLineAskSigns(solver, PETSC_FALSE));
  PetscCall(check_bounds(solver));
  PetscCall(check_points(solver));
  PetscCall(check_conserved(solver, slope));
  PetscCall(check_masses(solver, slope));
  for (PetscInt k = 0; k <= solver->traits.order; ++k) line.base[k] = u[k];
  PetscCall(PetscArraycpy(line.slope, slope, (solver->traits.order + 1) * solver->traits.unknowns));
  PetscCall(RungLineCheckJacobian(solver, slope[0] != 0 ? PETSC_TRUE : PETSC_FALSE));
  solver->problem = PROBLEM_STATE;
  solver->t       = t;
  solver->line    = &line;
  solver->load    = NULL;
  RungCallFinally(linearise(solver, solver->r, verdict), solver->line = NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves -------------------------------------------------------------------------------------------------------------- */

/* J x = b without what b is in given entries and slaves, whose columns are empty: beside rows of small cells or coefficients |b| would be
   that of their values alone, and nothing else be solved. */
static PetscErrorCode iterate(RungLineSolver solver, const RungLineStep *step, KSP ksp, Vec b, Vec x)
{
  const PetscBool apart = solver->dirichlet;

  PetscFunctionBegin;
  if (apart) {
    if (!solver->held) PetscCall(VecDuplicate(b, &solver->held));
    PetscCall(VecCopy(b, solver->held));
    PetscCall(RungSystemZeroDirichlet(solver->sys, b));
    PetscCall(VecAXPY(solver->held, -1, b));
  }
  PetscCall(RungLineSolveStep(solver, step, ksp, b, x));
  if (!apart) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAXPY(x, 1, solver->held));
  PetscCall(VecAXPY(b, 1, solver->held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_ksp(RungLineSolver solver, const RungLineStep *step, Vec b, Vec x, RungVerdict *verdict)
{
  const RungLineSlot *slot = solver->last;
  KSPConvergedReason  reason;
  PetscInt            its, rows, all;
  PetscBool           direct;
  KSP                 ksp;
  Mat                 J;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(MatGetSize(J, &rows, NULL));
  PetscCall(VecGetSize(b, &all));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  if (slot->active && rows != all)
    PetscCall(RungLineSolveFree(ksp, slot->active, b, x));
  else if (direct)
    PetscCall(KSPSolve(ksp, b, x));
  else
    PetscCall(iterate(solver, step, ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  solver->counts.linear += its;
  if (reason == KSP_DIVERGED_NANORINF)
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN,
                     "the right-hand side of a linear system, or the square of it, is not finite");
  else if (reason < 0)
    RungLineBlameLinear(verdict, its, reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_blocks(RungLineSolver solver, Vec b, Vec x, RungVerdict *verdict)
{
  PetscBool solved;

  PetscFunctionBegin;
  PetscCall(RungLineBlocksSolve(solver->last, b, x, &solved));
  ++solver->counts.linear;
  if (!solved) RungVerdictBlame(verdict, RUNG_REFUSED_LINEAR, "the Jacobian is singular");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineApplyStep(RungLineSolver solver, const RungLineStep *step, Vec b, Vec x, RungVerdict *verdict)
{
  PetscReal norm;
  PetscBool diagonal;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCheck(solver->last, solver->comm, PETSC_ERR_ORDER,
             "there is no matrix to solve with; RungLineSolve or RungLineLinearise makes one");
  verdict->solved = PETSC_TRUE;
  ++solver->counts.applied;
  if (solver->problem == PROBLEM_LINE && !solver->last->affine)
    solver->problem = PROBLEM_STATE; /* b is given: the line of the solve before is not there any more */
  PetscCall(RungLineIsDiagonal(solver->last, &diagonal));
  if (diagonal) {
    PetscCall(RungLineApplyDiagonal(solver->last, b, x, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (solver->last->blocks)
    PetscCall(apply_blocks(solver, b, x, verdict));
  else
    PetscCall(apply_ksp(solver, step, b, x, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  if (PetscIsInfOrNanReal(norm))
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the solution of a linear system is not finite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineApply(RungLineSolver solver, Vec b, Vec x, RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(RungLineApplyStep(solver, NULL, b, x, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineFindRates(RungLineSolver solver, PetscReal t, const RungLine *line, const RungLineStep *step,
                                 Vec r, Vec x, Vec w, RungVerdict *verdict)
{
  PetscBool diagonal;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(RungLineIsDiagonal(solver->last, &diagonal));
  if (diagonal) {
    solver->problem = PROBLEM_LINE;
    solver->t       = t;
    solver->line    = line;
    ++solver->counts.applied;
    PetscCall(RungLineSolveDiagonal(solver->last, w, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ++solver->counts.residuals;
  PetscCall(RungTransientSystemResidual(solver->ts, t, line, NULL, w, r));
  PetscCall(RungLineApplyStep(solver, step, r, x, verdict));
  PetscCall(VecAXPY(w, -1, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
