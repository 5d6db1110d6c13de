/* line_solver.c - F on a line plus load = 0: what every implicit method asks for, solved here for all of them.

   Whose matrix and solver serve which slopes is told in line_slot.c, how the solvers are called and when they are done in
   newton.c, newton_search.c and line_linear.c, where guesses come from in line_predict.c, how J at a state is used in
   line_linearise.c. */
#include "line_solver_impl.h"
#include "solver_impl.h"

void RungLineSolverTakeCounts(RungLineSolver solver, RungSolveCounts *counts)
{
  *counts        = solver->counts;
  solver->counts = (RungSolveCounts){0};
}

static void fail(RungVerdict *verdict, RungCause cause, const char format[], va_list arguments)
{
  (void)vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
  verdict->solved = PETSC_FALSE;
  verdict->cause  = cause;
}

void RungVerdictFail(RungVerdict *verdict, const char format[], ...)
{
  va_list arguments;

  va_start(arguments, format);
  fail(verdict, RUNG_REFUSED_METHOD, format, arguments);
  va_end(arguments);
}

void RungVerdictBlame(RungVerdict *verdict, RungCause cause, const char format[], ...)
{
  va_list arguments;

  va_start(arguments, format);
  fail(verdict, cause, format, arguments);
  va_end(arguments);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* at[1] = (w - u)/h */
static PetscErrorCode match_rate(RungLineSolver solver, Vec w)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(solver->at[1], -1, solver->at[0], w));
  PetscCall(VecScale(solver->at[1], 1 / solver->span));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h R(t, u, at[1]) */
static PetscErrorCode match_rest(RungLineSolver solver, Vec r)
{
  const RungLine line = {.base = {solver->at[0], solver->at[1], NULL}};

  PetscFunctionBegin;
  PetscCall(RungTransientSystemResidual(solver->ts, solver->t, &line, NULL, solver->at[0], r));
  PetscCall(VecScale(r, solver->span));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G(w) = (h R(t, u, (w - u)/h) - h R(t, u, 0)) + (m(w) - target).  R is a rate, m a total: with h they have one unit, and R rounds as m does,
   however short times are.  The differences come first: where R holds no rate the first one is 0 to the bit. */
static PetscErrorCode match_residual(void *ctx, Vec w, Vec r)
{
  RungLineSolver solver = (RungLineSolver)ctx;

  PetscFunctionBegin;
  PetscCall(match_rate(solver, w));
  PetscCall(match_rest(solver, r));
  PetscCall(VecAXPY(r, -1, solver->still));
  PetscCall(RungTransientSystemConserved(solver->ts, solver->t, w, solver->r));
  PetscCall(VecAXPY(solver->r, -1, solver->aim));
  PetscCall(VecAXPY(r, 1, solver->r));
  if (solver->unrated) PetscCall(VecISSet(r, solver->unrated, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode match_jacobian(void *ctx, Vec w, Mat J)
{
  RungLineSolver solver = (RungLineSolver)ctx;

  PetscFunctionBegin;
  PetscCall(match_rate(solver, w));
  PetscCall(RungSystemStageJacobian(solver->sys, solver->t, (Vec[]){w, solver->at[1]}, solver->match->slope, J));
  if (solver->unrated) PetscCall(MatZeroRowsIS(J, solver->unrated, 1, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries without a rate, if there are some: they stay. */
static PetscErrorCode find_unrated(RungLineSolver solver)
{
  PetscInt start, n, count = 0, *order, *entry, all;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(solver->r, &start, NULL));
  PetscCall(VecGetLocalSize(solver->r, &n));
  PetscCall(RungSystemGetOrders(solver->sys, &order));
  PetscCall(PetscMalloc1(n + 1, &entry));
  for (PetscInt i = 0; i < n; ++i) {
    if (order[i] < 1) entry[count++] = start + i;
  }
  PetscCall(PetscFree(order));
  PetscCall(ISCreateGeneral(solver->comm, count, entry, PETSC_OWN_POINTER, &solver->unrated));
  PetscCall(ISGetSize(solver->unrated, &all));
  if (!all) PetscCall(ISDestroy(&solver->unrated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its matrix has slope 1 on rates and conserved terms and none on values. */
static PetscErrorCode create_match(RungLineSolver solver)
{
  PetscFunctionBegin;
  PetscCall(find_unrated(solver));
  solver->matching = (RungLineGiven){.residual = match_residual, .jacobian = match_jacobian, .ctx = solver};
  PetscCall(PetscCalloc1(1, &solver->match));
  PetscCall(RungLineSlotCreate(solver, NULL, &solver->matching, solver->match));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) solver->match->slope[solver->traits.unknowns + f] = 1;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(solver->sys, &solver->at[k]));
  PetscCall(RungSystemCreateVec(solver->sys, &solver->target));
  PetscCall(RungSystemCreateVec(solver->sys, &solver->still));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known of the system and of its accuracy. */
static PetscErrorCode take_plan(RungLineSolver solver, RungTransientSystem ts, const RungLineSolverPlan *plan)
{
  PetscFunctionBegin;
  solver->ts       = ts;
  solver->sys      = ts->sys;
  solver->comm     = RungSystemComm(ts->sys);
  solver->weights  = plan->weights;
  solver->adaptive = plan->weights ? PETSC_TRUE : PETSC_FALSE;
  solver->rtol     = plan->rtol;
  PetscCall(RungSystemRenewSigns(ts->sys));
  RungSystemTakePart(ts->sys, ts->part);
  PetscCall(RungTransientSystemGetTraits(ts, &solver->traits));
  PetscCall(RungSystemHasDirichlet(ts->sys, &solver->dirichlet));
  solver->definite = RungLineIsDefinite(solver);
  solver->presumed = RungSolverIsPresumed(solver->sys);
  solver->keep     = solver->traits.linear && solver->traits.constant_jacobian ? PETSC_TRUE : PETSC_FALSE;
  solver->n        = solver->keep ? PetscMax(1, plan->matrices) : 1;
  solver->matrices = plan->matrices;
  solver->light    = plan->masses;
  solver->joined   = -1;
  if (plan->masses && solver->traits.mass && !solver->traits.conserved)
    solver->masses = solver->keep && solver->traits.definite ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverCreate(RungTransientSystem ts, const RungLineSolverPlan *plan, RungLineSolver *created)
{
  RungLineSolver solver;
  PetscBool      bounded, condensed;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(PetscNew(&solver));
  *created = solver;
  PetscCall(take_plan(solver, ts, plan));
  solver->sys->rates = plan->masses || plan->mixes ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungSystemCreateVec(solver->sys, &solver->r));
  PetscCall(RungSystemHasBounds(solver->sys, &bounded));
  for (int side = 0; side < 2 && bounded; ++side) PetscCall(VecDuplicate(solver->r, &solver->bound[side]));
  if (bounded) PetscCall(VecDuplicate(solver->r, &solver->guess));
  if (bounded) PetscCall(VecDuplicate(solver->r, &solver->followed));
  if (bounded) PetscCall(VecDuplicate(solver->r, &solver->iterate));
  PetscCall(PetscCalloc1(solver->n, &solver->slot));
  PetscCall(RungSystemGetCondensed(solver->sys, &condensed));
  solver->eliminates = condensed;
  if (condensed) RungCondenseUse(solver->sys, 1);
  if (condensed && !solver->traits.linear) {
    PetscCall(VecDuplicate(solver->r, &solver->point));
    PetscCall(VecDuplicate(solver->r, &solver->shift));
  }
  for (PetscInt i = 0; i < solver->n; ++i) PetscCall(RungLineSlotCreate(solver, NULL, NULL, &solver->slot[i]));
  if (plan->matches) PetscCall(create_match(solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F is nonlinear for Newton's method, which refines what one solve leaves. */
PetscErrorCode RungLineSolverCreateGiven(RungTransientSystem ts, const char prefix[], RungLineGiven *given,
                                         RungLineSolver *created)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  RungLineSolver           solver;

  PetscFunctionBegin;
  PetscCall(PetscNew(&solver));
  *created = solver;
  PetscCall(take_plan(solver, ts, &plan));
  solver->traits.linear = solver->traits.conserved = solver->keep = PETSC_FALSE;
  PetscCall(RungSystemCreateVec(solver->sys, &solver->r));
  PetscCall(PetscCalloc1(solver->n, &solver->slot));
  PetscCall(RungLineSlotCreate(solver, prefix, given, &solver->slot[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverDestroy(RungLineSolver *destroyed)
{
  RungLineSolver solver = *destroyed;

  PetscFunctionBegin;
  if (!solver) PetscFunctionReturn(PETSC_SUCCESS);
  if (solver->eliminates) RungCondenseUse(solver->sys, -1);
  for (PetscInt i = 0; solver->slot && i < solver->n; ++i) PetscCall(RungLineSlotDestroy(&solver->slot[i]));
  if (solver->match) PetscCall(RungLineSlotDestroy(solver->match));
  if (solver->apart) PetscCall(RungLineSlotDestroy(solver->apart));
  PetscCall(PetscFree(solver->apart));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&solver->at[k]));
  PetscCall(RungLinePastDestroy(solver));
  PetscCall(RungLineCubicDestroy(&solver->cubic));
  PetscCall(RungNewtonDestroyDomain(solver));
  PetscCall(RungNewtonFloorDestroy(&solver->floor));
  PetscCall(VecDestroy(&solver->target));
  PetscCall(VecDestroy(&solver->still));
  PetscCall(VecDestroy(&solver->r));
  PetscCall(VecDestroy(&solver->begin));
  PetscCall(VecDestroy(&solver->step));
  PetscCall(VecDestroy(&solver->residual));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&solver->rate[i]));
  PetscCall(VecDestroy(&solver->value));
  PetscCall(VecDestroy(&solver->held));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&solver->rest[i]));
  for (int i = 0; i < 3; ++i) PetscCall(VecDestroy(&solver->digits[i]));
  PetscCall(VecDestroy(&solver->point));
  PetscCall(VecDestroy(&solver->shift));
  for (int side = 0; side < 2; ++side) PetscCall(VecDestroy(&solver->bound[side]));
  PetscCall(VecDestroy(&solver->guess));
  PetscCall(VecDestroy(&solver->followed));
  PetscCall(VecDestroy(&solver->iterate));
  PetscCall(PetscFree(solver->match));
  PetscCall(ISDestroy(&solver->unrated));
  PetscCall(PetscFree(solver->slot));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverForget(RungLineSolver solver)
{
  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(RungLineSlotsForget(solver));
  if (solver->apart) PetscCall(RungLineSlotForget(solver->apart));
  if (solver->match) {
    solver->match->filled   = PETSC_FALSE;
    solver->match->factored = -1;
    solver->match->its      = 0;
  }
  solver->clock  = 0;
  solver->gave   = PETSC_FALSE;
  solver->last   = NULL;
  solver->joined = -1;
  PetscCall(PetscArrayzero(solver->doubt, RUNG_MAX_UNKNOWNS));
  PetscCall(RungLinePastForget(solver));
  RungLineCubicForget(solver);
  PetscCall(RungTransientSystemForgetKept(solver->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solve ------------------------------------------------------------------------------------------------------ */

/* Adds to a verdict what is not finite at `at`, where something is not. */
static PetscErrorCode explain_at(RungLineSolver solver, Vec at, RungVerdict *verdict)
{
  char   message[1024];
  size_t n = strlen(verdict->why);

  PetscFunctionBegin;
  if (solver->problem == PROBLEM_GIVEN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemExplain(solver->ts, solver->t, solver->line, at, message, sizeof message));
  if (message[0]) (void)snprintf(verdict->why + n, sizeof verdict->why - n, ": %s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverExplain(RungLineSolver solver, Vec w, RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(explain_at(solver, solver->point ? solver->point : w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton came to no end, and its last step was cut: where it would have led. */
static PetscErrorCode explain_cut(RungLineSolver solver, RungVerdict *verdict)
{
  const size_t n = strlen(verdict->why);

  PetscFunctionBegin;
  if (!solver->cut || solver->why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(verdict->why + n, sizeof verdict->why - n, ", its steps lead to where the residual is not finite");
  PetscCall(explain_at(solver, solver->outside, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverFailFactor(RungLineSolver solver, Vec w, KSP ksp, RungVerdict *verdict)
{
  char      why[256];
  PetscBool direct;
  Mat       J;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, NULL, &J));
  PetscCall(RungSystemExplainSingular(solver->sys, J, why, sizeof why));
  RungVerdictBlame(verdict, RUNG_REFUSED_LINEAR, "the Jacobian is singular%s%s",
                   why[0] ? ": " : ", or the preconditioner cannot be set up", why);
  PetscCall(RungLineSolverExplain(solver, w, verdict));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &direct, PCLU, PCCHOLESKY, ""));
  if (solver->given || direct) PetscCall(KSPReset(ksp)); /* MUMPS factors nothing any more after it has failed once */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explain(RungLineSolver solver, SNES snes, SNESConvergedReason reason, Vec w, RungVerdict *verdict)
{
  const RungCause    newton = solver->bound[0] ? RUNG_REFUSED_BOUND : RUNG_REFUSED_NEWTON;
  KSP                ksp;
  KSPConvergedReason linear;
  PetscReal          norm;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, &linear));
  PetscCall(SNESGetFunctionNorm(snes, &norm));
  if (reason == SNES_DIVERGED_LINEAR_SOLVE && linear == KSP_DIVERGED_PC_FAILED) {
    PetscCall(RungLineSolverFailFactor(solver, w, ksp, verdict));
  } else if (reason == SNES_DIVERGED_LINEAR_SOLVE) {
    PetscCall(KSPGetIterationNumber(ksp, &its));
    RungLineBlameLinear(verdict, its, linear);
    if (linear == KSP_DIVERGED_NANORINF) PetscCall(RungLineSolverExplain(solver, w, verdict));
  } else if (reason == SNES_DIVERGED_FUNCTION_NANORINF || reason == SNES_DIVERGED_FUNCTION_DOMAIN ||
             PetscIsInfOrNanReal(norm)) {
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the residual is not finite");
    PetscCall(RungLineSolverExplain(solver, w, verdict));
  } else if (solver->stop.vague > 0) {
    RungVerdictBlame(
      verdict, newton,
      "rounding of F leaves the solution open by %.1g of its size: solutions branch or end near here, or the terms of "
      "F are much larger than what they balance, as those of I + grad(u) are where u is small; then take larger "
      "loads, or write F in what is small",
      (double)solver->stop.vague);
  } else if (reason == SNES_DIVERGED_MAX_IT) {
    PetscCall(SNESGetIterationNumber(snes, &its));
    RungVerdictBlame(verdict, newton, "Newton did not converge in %ld iterations (|F| = %.1e)", (long)its,
                     (double)norm);
    PetscCall(explain_cut(solver, verdict));
  } else if (reason == SNES_DIVERGED_LINE_SEARCH || reason == SNES_DIVERGED_LOCAL_MIN) {
    RungVerdictBlame(verdict, newton, "Newton found no descent (|F| = %.1e)", (double)norm);
    PetscCall(explain_cut(solver, verdict));
  } else
    RungVerdictBlame(verdict, newton, "Newton diverged (|F| = %.1e, %s)", (double)norm, SNESConvergedReasons[reason]);
  if (verdict->cause == newton) PetscCall(RungLineBlameJacobian(solver, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slaves of constraints at the end of a run with bounds. */
static PetscErrorCode follow(RungLineSolver solver, Vec w)
{
  Vec at;

  PetscFunctionBegin;
  PetscCall(RungLineSolverFollow(solver, w, &at));
  if (at == w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(at, w));
  PetscCall(VecCopy(at, solver->guess)); /* from where they have followed */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run of the solver from w. */
static PetscErrorCode run(RungLineSolver solver, RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  SNESConvergedReason reason;
  PetscBool           rounding = PETSC_FALSE;
  PetscReal           norm;
  PetscInt            its;

  PetscFunctionBegin;
  slot->lagged   = PETSC_FALSE;
  solver->why[0] = 0;
  solver->tried = solver->cut = PETSC_FALSE;
  solver->stop.vague          = 0;
  if (solver->point) PetscCall(VecZeroEntries(solver->shift));
  if (solver->guess) PetscCall(VecCopy(w, solver->guess));
  if (solver->iterate) PetscCall(VecCopy(w, solver->iterate));
  PetscCall(SNESSolve(slot->snes, NULL, w));
  PetscCall(SNESGetConvergedReason(slot->snes, &reason));
  if (reason < 0 && solver->iterate) PetscCall(VecCopy(solver->iterate, w));
  PetscCall(follow(solver, w));
  PetscCall(SNESGetLinearSolveIterations(slot->snes, &its));
  solver->counts.linear += its;
  PetscCall(SNESGetIterationNumber(slot->snes, &its));
  solver->counts.newton += its;
  if (reason > 0 && !slot->lagged && solver->problem == PROBLEM_LINE) PetscCall(RungLineTellSlow(solver, its));
  verdict->solved = PETSC_TRUE;
  if (reason == SNES_DIVERGED_LINE_SEARCH || reason == SNES_DIVERGED_LOCAL_MIN || reason == SNES_DIVERGED_MAX_IT)
    PetscCall(RungNewtonIsRounded(solver, slot->snes, w, &rounding));
  if (reason < 0 && !rounding) PetscCall(explain(solver, slot->snes, reason, w, verdict));
  PetscCall(RungLineCheckBalance(slot, w, verdict));
  PetscCall(RungNewtonFinishPoints(solver, w, verdict));
  PetscCall(VecNorm(w, NORM_2, &norm)); /* one linear solve is not looked at by the solver */
  if (verdict->solved && PetscIsInfOrNanReal(norm)) {
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the residual is not finite");
    PetscCall(VecZeroEntries(w)); /* what it is computed from then is finite */
    PetscCall(RungLineSolverExplain(solver, w, verdict));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J was taken for definite, and a solve has shown that it is not: the whole is solved anew. */
static PetscBool is_presumed_wrongly(RungLineSolver solver)
{
  return solver->definite && !RungLineIsDefinite(solver) ? PETSC_TRUE : PETSC_FALSE;
}

/* A matrix for each iterate.  What fails with old factors is tried again with those of its own matrices, what fails by full
   steps with a search. */
static PetscErrorCode solve_anew(RungLineSolver solver, RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  PetscBool search = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(run(solver, slot, w, verdict));
  if (!verdict->solved && slot->lagged) {
    slot->factored = -1;
    PetscCall(VecCopy(solver->begin, w));
    PetscCall(run(solver, slot, w, verdict));
  }
  if (!verdict->solved && solver->stop.vague == 0 && !is_presumed_wrongly(solver))
    PetscCall(RungNewtonMayBeSearched(slot, &search));
  if (search) {
    slot->factored = -1;
    PetscCall(VecCopy(solver->begin, w));
    PetscCall(RungNewtonSearch(slot, PETSC_TRUE));
    PetscCall(run(solver, slot, w, verdict));
    PetscCall(RungNewtonSearch(slot, PETSC_FALSE));
  }
  slot->kept.valid = verdict->solved; /* the last one */
  slot->kept.rate  = 1;
  slot->kept.age   = 0;
  PetscCall(RungSystemGetDataState(solver->sys, &slot->kept.data));
  if (verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  slot->filled   = PETSC_FALSE;
  slot->factored = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungLineSolver solver, RungLineSlot *slot, Vec w, RungVerdict *verdict)
{
  PetscBool keep, solved = PETSC_FALSE;

  PetscFunctionBegin;
  solver->last = slot;
  slot->lagged = PETSC_FALSE;
  PetscCall(RungLineSetBounds(solver, slot));
  if ((slot->lag || slot->full) && !solver->continued) PetscCall(VecCopy(w, solver->begin));
  PetscCall(RungNewtonMayKeep(slot, &keep));
  if (keep) PetscCall(RungNewtonKeep(slot, w, &solved));
  verdict->solved = solved;
  if (solved) PetscCall(RungNewtonFinishPoints(solver, w, verdict));
  if (solved && !verdict->solved) PetscCall(VecCopy(solver->begin, w));
  if (!verdict->solved && !is_presumed_wrongly(solver)) PetscCall(solve_anew(solver, slot, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F is affine on the line, with a diagonal for a matrix. */
static PetscErrorCode solve_diagonal(RungLineSlot *slot, Vec w, RungVerdict *verdict, PetscBool *done)
{
  RungLineSolver  solver = slot->solver;
  const RungLine *line   = solver->line;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (solver->load || line->origin || !RungLineIsConstant(solver, line->slope)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineMayBeDiagonal(slot, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineHold(slot, w));
  PetscCall(RungLineAskDiagonal(slot));
  PetscCall(RungLineIsDiagonal(slot, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  solver->last = slot;
  ++solver->counts.newton;
  PetscCall(RungLineSolveDiagonal(slot, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_line(RungLineSolver solver, PetscReal t, const RungLine *line, Vec load, Vec w,
                                 RungVerdict *verdict)
{
  const Vec     z = line->origin ? line->increment : w;
  RungLineSlot *slot;
  PetscBool     done, diagonal;

  PetscFunctionBegin;
  solver->problem = PROBLEM_LINE;
  solver->given   = NULL;
  solver->t       = t;
  solver->line    = line;
  solver->load    = load;
  if (solver->adaptive) {
    const RungState *from;

    PetscCall(RungTransientSystemPeekState(solver->ts, 0, &from));
    for (int k = 0; k < PetscMin(2, solver->traits.order); ++k) solver->start[k] = from->u[k];
  }
  PetscCall(RungLineCheckJacobian(solver, PETSC_FALSE));
  slot = RungLineFindSlot(solver, line->slope);
  PetscCall(RungLineIsDiagonal(slot, &diagonal));
  if (line->guess && !diagonal) PetscCall(VecCopy(line->guess, z));
  PetscCall(solve_diagonal(slot, w, verdict, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (line->guess && diagonal) PetscCall(VecCopy(line->guess, z));
  PetscCall(RungLineTakeNext(slot));
  PetscCall(RungLineOpen(solver, slot, z));
  if (slot->affine) PetscCall(RungNewtonJacobian(slot->snes, z, slot->J, slot->J, slot)); /* may choose another way */
  if (slot->affine && !solver->small) {
    PetscCall(RungLineSolveAffine(slot, z, verdict));
  } else {
    PetscCall(RungLineChooseGuess(solver, z));
    PetscCall(solve(solver, slot, z, verdict));
  }
  PetscCall(RungLineClose(solver, z, w));
  solver->predicted = solver->continued = solver->begun = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J is taken for definite: if it turns out not to be, the same solve again, as if nobody had thought so.  guess[2]: work, the second one as
   long as there is an own guess of the method */
static PetscErrorCode solve_presumed(RungLineSolver solver, PetscReal t, const RungLine *line, Vec load, Vec w,
                                     const Vec guess[2], RungVerdict *verdict)
{
  const Vec       z         = line->origin ? line->increment : w;
  const PetscBool predicted = solver->predicted, continued = solver->continued, begun = solver->begun;
  const PetscBool measured = solver->measured;

  PetscFunctionBegin;
  PetscCall(VecCopy(z, guess[0]));
  if (guess[1]) PetscCall(VecCopy(solver->own, guess[1]));
  PetscCall(solve_line(solver, t, line, load, w, verdict));
  if (!is_presumed_wrongly(solver)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineAskSigns(solver, PETSC_TRUE));
  PetscCall(VecCopy(guess[0], z));
  if (guess[1]) PetscCall(VecCopy(guess[1], solver->own));
  solver->predicted = predicted, solver->continued = continued, solver->begun = begun;
  solver->measured = measured;
  PetscCall(solve_line(solver, t, line, load, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolve(RungLineSolver solver, PetscReal t, const RungLine *line, Vec load, Vec w,
                             RungVerdict *verdict)
{
  Vec       guess[2] = {NULL, NULL};
  PetscBool chosen; /* from two guesses */

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(RungLineAskSigns(solver, PETSC_TRUE));
  if (!RungLineIsDefinite(solver) || solver->traits.definite) {
    PetscCall(solve_line(solver, t, line, load, w, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  chosen = solver->own && (solver->predicted || solver->continued || solver->begun) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecDuplicate(w, &guess[0]));
  if (chosen) RungCallOrUndo(VecDuplicate(w, &guess[1]), PetscCall(VecDestroy(&guess[0])));
  RungCallFinally(solve_presumed(solver, t, line, load, w, guess, verdict), PetscCall(VecDestroy(&guess[0]));
                  PetscCall(VecDestroy(&guess[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverGetSNES(RungLineSolver solver, SNES *snes)
{
  PetscFunctionBegin;
  RungNeed(solver);
  *snes = solver->slot[0].snes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolveGiven(RungLineSolver solver, RungLineGiven *given, PetscBool current, Vec w,
                                  RungVerdict *verdict)
{
  RungLineSlot *slot = &solver->slot[0];
  PetscReal     norm;

  PetscFunctionBegin;
  solver->problem = PROBLEM_GIVEN;
  solver->given = slot->given = given;
  solver->load                = NULL;
  slot->current = slot->filled = current;
  PetscCall(solve(solver, slot, w, verdict));
  if (verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(w, NORM_2, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscCall(VecCopy(solver->begin, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineMatch(RungLineSolver solver, PetscReal t, PetscReal h, Vec u, Vec target, Vec w,
                             RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(solver);
  solver->problem = PROBLEM_GIVEN;
  solver->given   = &solver->matching;
  solver->t       = t;
  solver->span    = h;
  solver->aim     = target;
  PetscCall(VecCopy(u, solver->at[0]));
  PetscCall(VecZeroEntries(solver->at[1]));
  PetscCall(match_rest(solver, solver->still));
  PetscCall(VecWAXPY(solver->target, 1, target, solver->still)); /* what rounds in G besides J w */
  PetscCall(VecScale(solver->target, -1));
  solver->load = solver->target;
  PetscCall(solve(solver, solver->match, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
