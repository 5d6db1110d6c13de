/* walk_levels.h - what any method does with levels: a run goes on from a checkpoint at any step bit for bit, attempts that are thrown away
   leave no trace, and a residual that is NaN on one rank at a chosen stage is a failed attempt on all. */
#pragma once

#include "walk.h"

/* Local values of u, u', u''. */
typedef struct {
  PetscInt    n, steps;
  PetscScalar u[RUNG_MAX_ORDER + 1][32];
} Bits;

static inline PetscErrorCode take_bits(RungStepper stepper, PetscInt order, Bits *bits)
{
  const RungState      *state;
  RungStepperStatistics s;

  PetscFunctionBegin;
  memset(bits, 0, sizeof *bits);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetLocalSize(state->u[0], &bits->n));
  bits->steps = s.steps;
  for (PetscInt k = 0; k <= order && bits->n <= 32; ++k) {
    const PetscScalar *u;

    PetscCall(VecGetArrayRead(state->u[k], &u));
    for (PetscInt i = 0; i < bits->n; ++i) bits->u[k][i] = u[i];
    PetscCall(VecRestoreArrayRead(state->u[k], &u));
  }
  CHECK(bits->n <= 32);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first problem with cells and moving data that the method takes: of order 1, else of order 2. */
static inline const Problem *moving_problem(unsigned can)
{
  for (PetscInt p = 0; p < WALK_PROBLEMS; ++p) {
    if (walk_problem[p].kind == CELLS && walk_takes(&walk_problem[p], can)) return &walk_problem[p];
  }
  return NULL;
}

/* ---- restart ------------------------------------------------------------------------------------------------------ */

static inline PetscErrorCode run_saved(const Problem *problem, const char type[], const char method[], PetscReal rtol,
                                       PetscInt from, Bits *bits)
{
  RungSystem  sys;
  RungStepper stepper;
  char        path[64];

  PetscFunctionBegin;
  PetscCall(walk_stepper(PETSC_COMM_WORLD, problem, type, method, 0.2, &sys, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetCheckpoint(stepper, "walk_{step}.h5", 1));
  (void)snprintf(path, sizeof path, "walk_%d.h5", (int)from);
  if (from) PetscCall(RungStepperSetRestart(stepper, path, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(take_bits(stepper, problem->order, bits));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WALK_RESTARTS 6 /* on one rank */

static inline PetscErrorCode restarts_at(const Problem *problem, const char type[], const char method[], PetscReal rtol)
{
  PetscMPIInt ranks;
  Bits        whole, rest;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(run_saved(problem, type, method, rtol, 0, &whole));
  for (PetscInt step = ranks > 1 ? 2 : 1; step <= PetscMin(ranks > 1 ? 2 : WALK_RESTARTS, whole.steps - 1); ++step) {
    PetscCall(run_saved(problem, type, method, rtol, step, &rest));
    if (memcmp(&whole, &rest, sizeof whole) != 0)
      fprintf(stderr, "%s %s on %s, rtol %g, from step %d: %.17g in %d steps, %.17g in %d\n", type, method,
              problem->name, rtol, (int)step, rest.u[0][0], (int)rest.steps, whole.u[0][0], (int)whole.steps);
    CHECK(!memcmp(&whole, &rest, sizeof whole));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode walk_restarts(const char type[], const char method[])
{
  const Problem *problem;
  RungMethodPlan plan;

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  problem = moving_problem(plan.can);
  PetscCall(restarts_at(problem, type, method, 0));
  if (plan.exponent) PetscCall(restarts_at(problem, type, method, 1e-2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- attempts that are thrown away --------------------------------------------------------------------------------- */

/* One step, before it `thrown` attempts of other sizes. */
static inline PetscErrorCode step_of(RungStepper stepper, PetscReal h, PetscInt thrown)
{
  static const PetscReal size[] = {0.31, 1, 2.7};
  const RungState       *from;
  RungTransientSystem    ts;
  PetscReal              ratio = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  for (PetscInt i = 0; i <= thrown; ++i) {
    const PetscReal part    = i < thrown ? size[i] : 1;
    RungVerdict     verdict = {.solved = PETSC_TRUE, .error = -1};
    RungState      *to;

    PetscCall(RungTransientSystemGetProposal(ts, &to));
    to->t = from->t + part * h;
    PetscCall(RungSystemSetStep(stepper->sys, from->t, to->t));
    PetscCall(stepper->ops->attempt(stepper, from, part * h, to, &verdict));
    CHECK(verdict.solved);
    if (i < thrown)
      PetscCall(RungTransientSystemRollBack(ts));
    else if (stepper->ops->accepted)
      PetscCall(stepper->ops->accepted(stepper, from, to, &ratio));
  }
  PetscCall(RungTransientSystemAccept(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode run_thrown(const Problem *problem, const char type[], const char method[], PetscInt thrown,
                                        Bits *bits)
{
  RungSystem          sys;
  RungStepper         stepper;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(walk_stepper(PETSC_COMM_WORLD, problem, type, method, 0.05, &sys, &stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  for (PetscInt n = 0; n < 6; ++n) PetscCall(step_of(stepper, 0.05, n % 2 ? thrown : 0));
  PetscCall(take_bits(stepper, problem->order, bits));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bit for bit; the matrices of a linear system with constant coefficients are kept or combined, as slopes come again or not, which is the
   same but for rounding. */
static inline PetscBool same_end(const Problem *problem, const Bits *a, const Bits *b)
{
  PetscReal off = 0, size = 0;

  if (problem->kind != CELLS) return memcmp(a, b, sizeof *a) ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt k = 0; k <= problem->order; ++k) {
    for (PetscInt i = 0; i < a->n; ++i) {
      off  = PetscMax(off, PetscAbsScalar(a->u[k][i] - b->u[k][i]));
      size = PetscMax(size, PetscAbsScalar(a->u[k][i]));
    }
  }
  return off <= 1e-11 * size ? PETSC_TRUE : PETSC_FALSE;
}

static inline PetscErrorCode walk_forgets(const char type[], const char method[])
{
  RungMethodPlan plan;
  PetscMPIInt    ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(RungStepperGetPlan(type, method, &plan));
  for (PetscInt p = 0; p < WALK_PROBLEMS; ++p) {
    Bits without, with;

    if (!walk_takes(&walk_problem[p], plan.can) || walk_problem[p].kind == BELOW) continue;
    if (ranks > 1 && (walk_problem[p].kind != CELLS || !walk_depends_on_ranks(&walk_problem[p], plan.can))) continue;
    PetscCall(run_thrown(&walk_problem[p], type, method, 0, &without));
    PetscCall(run_thrown(&walk_problem[p], type, method, 3, &with));
    if (!same_end(&walk_problem[p], &without, &with))
      fprintf(stderr, "%s %s on %s: %.17g, with attempts thrown away %.17g\n", type, method, walk_problem[p].name,
              without.u[0][0], with.u[0][0]);
    CHECK(same_end(&walk_problem[p], &without, &with));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- NaN ------------------------------------------------------------------------------------------------------------ */

/* y' = -y^2, or y'' = -y, on each rank; the last rank's residual is NaN once, at call `at` after the first two steps. */
typedef struct {
  PetscInt    order, at, calls;
  PetscBool   armed;
  PetscMPIInt rank, size;
} Trap;

static inline PetscErrorCode trap_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  Trap              *trap = (Trap *)ctx;
  const PetscScalar *y, *d;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[trap->order], &d));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = trap->order == 1 ? d[0] + y[0] * y[0] : d[0] + y[0];
  if (trap->armed && trap->rank == trap->size - 1 && ++trap->calls == trap->at) f[0] = NAN;
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[trap->order], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode trap_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                           void *ctx)
{
  const Trap        *trap = (const Trap *)ctx;
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(MatSetValue(J, trap->rank, trap->rank, sigma[trap->order] + sigma[0] * (trap->order == 1 ? 2 * y[0] : 1),
                        ADD_VALUES));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode trap_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, k ? 0 : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode arm(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  ((Trap *)ctx)->armed = step >= 2 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode solve_trapped(RungStepper stepper, const char type[], const char method[], PetscReal rtol,
                                           Trap *trap)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, arm, trap));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.05));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSolve(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* code: that of Solve, on all ranks; y: the end */
static inline PetscErrorCode run_trapped(const char type[], const char method[], PetscReal rtol, Trap *trap,
                                         PetscErrorCode *code, PetscReal *y, RungStepperStatistics *s)
{
  RungTraits       traits = {.unknowns = 1, .order = trap->order, .unknown_order = {trap->order}};
  char             message[4096];
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  traits.constant_block[trap->order] = PETSC_TRUE;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, 1, traits, trap_residual, trap_jacobian, trap));
  PetscCall(RungSystemSetInitialCallback(sys, trap_initial));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(PetscPushErrorHandler(check_keep_message, message));
  *code = solve_trapped(stepper, type, method, rtol, trap);
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecMax(state->u[0], NULL, y));
  if (*code && !strstr(message, "gave up at t"))
    fprintf(stderr, "%s %s, call %d: %s\n", type, method, (int)trap->at, message);
  CHECK(!*code || strstr(message, "gave up at t"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With tolerances a run goes on with a smaller step to the right end; with fixed steps it gives up there, on all ranks. */
static inline PetscErrorCode walk_survives(const char type[], const char method[])
{
  RungMethodPlan plan;
  PetscMPIInt    ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(RungStepperGetPlan(type, method, &plan));
  for (PetscInt at = 1; at <= plan.stages + 2; at += ranks > 1 ? plan.stages : 1) {
    Trap                  trap  = {.order = plan.can & RUNG_CAN_ORDER1 ? 1 : 2, .at = at};
    const PetscReal       exact = trap.order == 1 ? 0.5 : cos(1);
    RungStepperStatistics s;
    PetscErrorCode        code;
    PetscReal             y;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &trap.rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &trap.size));
    PetscCall(run_trapped(type, method, 0, &trap, &code, &y, &s));
    CHECK(code ? s.failed == 1 : PetscAbsReal(y - exact) < 0.1);
    if (!plan.exponent) continue;
    trap.calls = 0, trap.armed = PETSC_FALSE;
    PetscCall(run_trapped(type, method, 1e-3, &trap, &code, &y, &s));
    if (code || !(PetscAbsReal(y - exact) < 0.1))
      fprintf(stderr, "%s %s, call %d: code %d, end %g, %d steps, %d failed\n", type, method, (int)at, (int)code, y,
              (int)s.steps, (int)s.failed);
    CHECK(!code && PetscAbsReal(y - exact) < 0.1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
