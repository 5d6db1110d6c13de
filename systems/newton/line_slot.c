/* line_slot.c - the slots of a solver: their life, and which one serves.

   A slot owns a matrix and a solver for one set of slopes.  Where the Jacobian is constant a slot's matrix is assembled
   once and its factors stay as long as the slopes do, bit for bit; as many slots as a step has distinct slopes are kept,
   the one unused for longest gives way.  Elsewhere one slot serves all: matrices are assembled anew anyway. */
#include "line_solver_impl.h"
#include "solver_impl.h"
#include <petscdmshell.h>

#define ACCURACY          1e-3 /* of the tolerances */
#define ACCURACY_OF_RATES 1e-5
#define NEWTON_ADAPTIVE   10
#define NEWTON_RTOL       1e-12
#define NEWTON_CONSERVING 1e-14

RungSolverUse RungLineSolverUse(RungLineSolver solver)
{
  if (solver->masses) return RUNG_SOLVE_MASS;
  return solver->keep ? RUNG_SOLVE_KEPT : solver->traits.linear ? RUNG_SOLVE_ONCE : RUNG_SOLVE_NEWTON;
}

/* What one linear solve leaves by its tolerance is not refined by another one. */
static PetscErrorCode ask_no_more(KSP ksp, PetscReal *rtol)
{
  PetscBool direct, factors;
  PetscReal left;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  PetscCall(KSPGetTolerances(ksp, &left, NULL, NULL, NULL));
  if (!direct && !factors) *rtol = PetscMax(*rtol, 1.01 * left);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Linear solves to the accuracy of the step: a share of the tolerances. */
static PetscReal find_accuracy(const RungLineSlot *slot, PetscReal share)
{
  return PetscMax(1e-12, PetscMin(1e-3 * share, share * slot->solver->rtol));
}

/* What the one solve of a linear stage leaves of u is in its rate 1/(h gamma) times as large, and of order 2 that is in the error test: an
   elastic bar took 120 steps for 52 with digits as of order 1. */
static PetscErrorCode set_accuracy(const RungLineSlot *slot, KSP ksp)
{
  const RungTraits *traits = &slot->solver->traits;
  const PetscReal   rtol   = find_accuracy(slot, traits->linear && traits->order > 1 && !slot->given ? ACCURACY_OF_RATES
                                                                                                     : ACCURACY);

  PetscFunctionBegin;
  if (slot->solver->adaptive) PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Linear systems: one solve to the accuracy of the step.  Others: Newton's method, whose steps may be of any length: small
   units make all of them long. */
static PetscErrorCode set_defaults(RungLineSlot *slot)
{
  RungLineSolver solver = slot->solver;
  SNES           snes   = slot->snes;
  PetscReal      rtol   = solver->traits.conserved ? NEWTON_CONSERVING : NEWTON_RTOL;
  KSP            ksp;
  SNESLineSearch search;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  if (slot->given && slot->given->prepare) PetscCall(ask_no_more(ksp, &rtol));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE)); /* the state of the matrix decides */
  PetscCall(set_accuracy(slot, ksp));
  PetscCall(SNESSetType(snes, solver->bound[0]        ? SNESVINEWTONRSLS
                              : solver->traits.linear ? SNESKSPONLY
                                                      : SNESNEWTONLS));
  if (!solver->traits.linear) {
    PetscCall(SNESGetLineSearch(snes, &search));
    PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
    PetscCall(SNESLineSearchSetTolerances(search, PETSC_DEFAULT, PETSC_MAX_REAL, PETSC_DEFAULT, PETSC_DEFAULT,
                                          PETSC_DEFAULT, PETSC_DEFAULT));
  }
  PetscCall(SNESSetTolerances(snes, 0, rtol, 0, solver->adaptive ? NEWTON_ADAPTIVE : NEWTON_LONG, 10000));
  PetscCall(SNESSetErrorIfNotConverged(snes, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factorisation inside an iteration may be that of an older matrix. */
static PetscErrorCode set_lag(RungLineSlot *slot, KSP ksp)
{
  PetscBool direct, once;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &direct, PCLU, PCCHOLESKY, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  slot->lag = direct && !once && !slot->solver->keep ? PETSC_TRUE : PETSC_FALSE;
  if (slot->lag) PetscCall(RungNewtonLimitSweeps(ksp, RUNG_NEWTON_SWEEPS));
  if ((slot->lag || slot->full) && !slot->solver->begin) PetscCall(VecDuplicate(slot->solver->r, &slot->solver->begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix is not symmetric although F is. */
static PetscErrorCode say_mixed(RungLineSlot *slot)
{
  PetscBool half;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)slot->J, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  PetscCheck(!half, slot->solver->comm, PETSC_ERR_SUP,
             "a matrix of type sbaij holds one half of a symmetric one, and that of rates beside values, which "
             "explicit and imex methods solve with, is not symmetric; make one of type aij");
  PetscCall(MatSetOption(slot->J, MAT_SYMMETRIC, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts and matches are not repeated, so that nothing is presumed of them. */
static PetscErrorCode choose_solver(RungLineSlot *slot, KSP ksp)
{
  const RungSystem      sys         = slot->solver->sys;
  const RungPresumption presumption = sys->presumption;

  PetscFunctionBegin;
  if (slot->given) sys->presumption = RUNG_PRESUMED_NEVER;
  RungCallFinally(RungSystemSetSolverDefaults(sys, ksp, RungLineSolverUse(slot->solver)),
                  sys->presumption = presumption);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix, and the linear solver by default. */
static PetscErrorCode create_linear(RungLineSlot *slot, KSP ksp)
{
  RungLineSolver solver = slot->solver;

  PetscFunctionBegin;
  if (slot->given && slot->given->prepare) {
    PetscBool points;
    PetscInt  components;

    PetscCall(RungLineOnPoints(solver, &points, &components));
    slot->asked = points ? PETSC_FALSE : PETSC_TRUE; /* whose factors: an order of many small blocks takes MUMPS long */
    PetscCall(slot->given->prepare(slot->given->ctx, ksp, &slot->J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (solver->keep && !solver->masses && !slot->given) PetscCall(RungSystemWantsTuning(solver->sys, ksp, &slot->tune));
  if (slot->given)
    PetscCall(RungSystemCreateMat(solver->sys, &slot->J));
  else if (solver->keep && !solver->masses && slot > solver->slot &&
           slot < solver->slot + solver->n) /* a pattern of its own takes a fifth of 20 steps of heat on P2 */
    PetscCall(RungSystemCreateKeptMatLike(solver->sys, ksp, solver->slot[0].J, &slot->J));
  else if (solver->keep && !solver->masses)
    PetscCall(RungSystemCreateKeptMat(solver->sys, ksp, &slot->J));
  else
    PetscCall(RungSystemCreateStageMat(solver->sys, &slot->J));
  if (RungSolverMixesRates(solver->sys)) PetscCall(say_mixed(slot));
  PetscCall(choose_solver(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the linear solver is, as options have left it. */
static PetscErrorCode read_linear(RungLineSlot *slot, KSP ksp)
{
  static const char *const option[] = {"-ksp_rtol"};
  PetscBool                gave, given;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, &slot->rtol, &slot->atol, NULL, NULL));
  PetscCall(RungSolverIsGiven(ksp, 1, option, &given));
  slot->plain = slot->solver->adaptive && !given ? find_accuracy(slot, ACCURACY) : slot->rtol;
  PetscCall(RungSolverMayGiveUp(ksp, &slot->tries, &gave));
  PetscCall(RungLineChoosePath(slot));
  PetscCall(set_lag(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has a slot's iteration given up?  With the matrix of other slopes it is not tried again. */
static PetscErrorCode ask_trials(const RungLineSlot *slot)
{
  RungLineSolver solver = slot->solver;

  PetscFunctionBegin;
  for (PetscInt i = -1; i < solver->n && !solver->gave; ++i) {
    const RungLineSlot *asked = i < 0 ? slot : &solver->slot[i];
    PetscBool           may;
    KSP                 ksp;

    if (!asked->tries) continue;
    PetscCall(SNESGetKSP(asked->snes, &ksp));
    PetscCall(RungSolverMayGiveUp(ksp, &may, &solver->gave));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineTakeNext(RungLineSlot *slot)
{
  KSP ksp;

  PetscFunctionBegin;
  if (!slot->tries) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ask_trials(slot));
  if (!slot->solver->gave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungSolverTakeNext(slot->solver->sys, ksp, RungLineSolverUse(slot->solver)));
  PetscCall(set_accuracy(slot, ksp));
  PetscCall(KSPSetOperators(ksp, slot->J, slot->J));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(read_linear(slot, ksp));
  slot->factored = -1;
  slot->asked    = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSlotCreate(RungLineSolver solver, const char prefix[], RungLineGiven *given, RungLineSlot *slot)
{
  KSP ksp;

  PetscFunctionBegin;
  slot->solver   = solver;
  slot->given    = given;
  slot->factored = -1;
  slot->held     = -1;
  slot->diagonal = -1;
  RungNewtonForget(slot);
  PetscCall(SNESCreate(solver->comm, &slot->snes));
  PetscCall(SNESSetOptionsPrefix(slot->snes, prefix));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(create_linear(slot, ksp));
  PetscCall(SNESSetFunction(slot->snes, NULL, RungNewtonResidual, slot));
  PetscCall(SNESSetJacobian(slot->snes, slot->J, slot->J, RungNewtonJacobian, slot));
  PetscCall(set_defaults(slot));
  PetscCall(SNESSetConvergenceTest(slot->snes, RungNewtonConverged, slot, NULL));
  PetscCall(RungLineReadOptions(solver, slot->snes, prefix));
  PetscCall(RungNewtonChooseSearch(slot));
  PetscCall(RungNewtonTakeLoop(slot));
  if (solver->bound[0]) { /* the reduced space asks the solver's shell for vectors */
    DM shell;

    PetscCall(SNESGetDM(slot->snes, &shell));
    PetscCall(DMShellSetGlobalVector(shell, solver->r));
  }
  if (!given || !given->prepare) PetscCall(RungSystemCheckSolver(solver->sys, ksp));
  PetscCall(KSPSetPreSolve(ksp, RungNewtonCountSetUp, slot));
  PetscCall(read_linear(slot, ksp));
  PetscCall(RungNewtonGuardDomain(slot));
  PetscCall(RungLineReadDiagonal(slot));
  if (slot->full && solver->adaptive && !given) PetscCall(RungLineBlocksCreate(slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's MatDestroy() asks for memory: one that has failed half way must not be called again. */
static PetscErrorCode destroy_mat(Mat *J)
{
  Mat mine = *J;

  PetscFunctionBegin;
  *J = NULL;
  PetscCall(MatDestroy(&mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSlotDestroy(RungLineSlot *slot)
{
  PetscFunctionBegin;
  PetscCall(RungLineBlocksDestroy(&slot->blocks));
  PetscCall(RungLineThinDestroy(&slot->thin));
  PetscCall(ISDestroy(&slot->active));
  PetscCall(SNESDestroy(&slot->snes));
  PetscCall(destroy_mat(&slot->J));
  PetscCall(destroy_mat(&slot->packed));
  PetscCall(destroy_mat(&slot->mass));
  PetscCall(VecDestroy(&slot->inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSlotForget(RungLineSlot *slot)
{
  PetscFunctionBegin;
  slot->filled   = PETSC_FALSE;
  slot->used     = 0;
  slot->factored = -1;
  slot->diagonal = -1;
  slot->its      = 0;
  slot->asked    = PETSC_FALSE; /* a run that goes on from here asks, too */
  PetscCall(RungLineThinForget(slot));
  RungNewtonForget(slot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots are made for what is known now. */
static PetscErrorCode make_anew(RungLineSolver solver)
{
  PetscFunctionBegin;
  solver->last = NULL;
  PetscCall(RungSystemForgetKeptMat(solver->sys));
  for (PetscInt i = 0; i < solver->n; ++i) {
    PetscCall(RungLineSlotDestroy(&solver->slot[i]));
    PetscCall(PetscMemzero(&solver->slot[i], sizeof solver->slot[i]));
    PetscCall(RungLineSlotCreate(solver, NULL, NULL, &solver->slot[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSlotsForget(RungLineSolver solver)
{
  PetscBool changed = solver->gave;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < solver->n && !solver->slot[0].given; ++i) {
    PetscBool mine;
    KSP       ksp;

    PetscCall(SNESGetKSP(solver->slot[i].snes, &ksp));
    PetscCall(RungSolverHasChanged(solver->sys, ksp, &mine));
    changed = changed || mine ? PETSC_TRUE : PETSC_FALSE;
  }
  for (PetscInt i = 0; i < solver->n && !changed; ++i) PetscCall(RungLineSlotForget(&solver->slot[i]));
  if (changed) PetscCall(make_anew(solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungLineIsDefinite(RungLineSolver solver)
{
  return solver->traits.definite || RungSolverIsPresumed(solver->sys) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungLineAskSigns(RungLineSolver solver, PetscBool presume)
{
  RungSystem sys = solver->sys;
  RungTraits traits;

  PetscFunctionBegin;
  if (solver->traits.linear && (solver->keep || !solver->signs_asked)) PetscCall(RungSystemRenewSigns(sys));
  solver->signs_asked = PETSC_TRUE;
  RungSystemTakePart(sys, solver->ts->part); /* another stepper of this system may solve with another one */
  PetscCall(RungTransientSystemGetTraits(solver->ts, &traits));
  solver->traits.definite = traits.definite;
  if (presume)
    PetscCall(RungSolverPresume(sys));
  else
    sys->presumption = RUNG_PRESUMED_WRONGLY;
  if (RungLineIsDefinite(solver) == solver->definite && RungSolverIsPresumed(sys) == solver->presumed)
    PetscFunctionReturn(PETSC_SUCCESS);
  solver->definite = RungLineIsDefinite(solver);
  solver->presumed = RungSolverIsPresumed(sys);
  PetscCall(make_anew(solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which one serves -------------------------------------------------------------------------------------------- */

static PetscInt slope_count(RungLineSolver solver)
{
  return (solver->traits.order + 1) * solver->traits.unknowns;
}

RungLineSlot *RungLineFindSlot(RungLineSolver solver, const PetscReal slope[])
{
  const size_t  size = (size_t)slope_count(solver) * sizeof(PetscReal);
  RungLineSlot *best = &solver->slot[0];

  for (PetscInt i = 0; i < solver->n; ++i) {
    RungLineSlot *slot = &solver->slot[i];

    if (slot->filled && !memcmp(slot->slope, slope, size)) {
      best = slot;
      break;
    }
    if (slot->used < best->used) best = slot;
  }
  if (memcmp(best->slope, slope, size) != 0) best->filled = PETSC_FALSE;
  memcpy(best->slope, slope, size);
  best->used = ++solver->clock;
  return best;
}

PetscErrorCode RungLineSlotApart(RungLineSolver solver, const PetscReal slope[], RungLineSlot **slot)
{
  const size_t size = (size_t)slope_count(solver) * sizeof(PetscReal);

  PetscFunctionBegin;
  if (!solver->apart) {
    PetscCall(PetscCalloc1(1, &solver->apart));
    PetscCall(RungLineSlotCreate(solver, NULL, NULL, solver->apart));
  }
  *slot = solver->apart;
  if (memcmp((*slot)->slope, slope, size) != 0) (*slot)->filled = PETSC_FALSE;
  memcpy((*slot)->slope, slope, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}
