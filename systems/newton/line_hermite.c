/* line_hermite.c - where the iteration for a stage inside of a step begins: at what earlier stages lead to, or else on the cubic of
   the last step, continued.

   With x = (t - t_n-1)/(t_n - t_n-1), which is 1 at the end of the last step, the cubic through u and u' at both of its ends is

       u(x) = (1 + 2x)(1 - x)^2 u_n-1 + x (1 - x)^2 H u'_n-1 + x^2 (3 - 2x) u_n + x^2 (x - 1) H u'_n,   H = t_n - t_n-1,

   and for entries without a rate, whose u' means nothing, the straight line through both.  Beyond x = 3 nobody knows.  The
   method's own guess is kept for where F is not finite on the better one.  Both ends are copies; a jump begins anew. */
#include "line_solver_impl.h"

#define FARTHEST 3

struct _RungLineCubic {
  PetscReal        t[2];  /* of the ends, the newer one first                         */
  Vec              u[4];  /* owned: u_n, u'_n, u_n-1, u'_n-1                          */
  PetscObjectState state; /* of level 0's u when u_n was copied                       */
  PetscInt         ends;  /* that are there                                           */
  PetscInt        *order; /* owned, [local entry]; 0: no rate                         */
};

PetscErrorCode RungLineCubicDestroy(RungLineCubic *destroyed)
{
  RungLineCubic cubic = *destroyed;

  PetscFunctionBegin;
  if (!cubic) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 4; ++i) PetscCall(VecDestroy(&cubic->u[i]));
  PetscCall(PetscFree(cubic->order));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungLineCubicForget(RungLineSolver solver)
{
  if (solver->cubic) solver->cubic->ends = 0;
}

static PetscErrorCode need(RungLineSolver solver, RungLineCubic *cubic)
{
  PetscFunctionBegin;
  *cubic = solver->cubic;
  if (*cubic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(cubic));
  solver->cubic = *cubic;
  for (int i = 0; i < 4; ++i) PetscCall(VecDuplicate(solver->r, &(*cubic)->u[i]));
  PetscCall(RungSystemGetOrders(solver->sys, &(*cubic)->order));
  if (!solver->own) PetscCall(VecDuplicate(solver->r, &solver->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 0 is the newer end. */
static PetscErrorCode refresh(RungLineSolver solver, RungLineCubic cubic)
{
  const RungState *level;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(solver->ts, 0, &level));
  PetscCall(PetscObjectStateGet((PetscObject)level->u[0], &state));
  if (cubic->ends && level->t == cubic->t[0] && state == cubic->state) PetscFunctionReturn(PETSC_SUCCESS);
  if (cubic->ends && !(level->t > cubic->t[0])) cubic->ends = 0; /* it has jumped, or the run goes back */
  for (int k = 0; k < 2 && cubic->ends; ++k) PetscCall(VecSwap(cubic->u[k], cubic->u[2 + k]));
  for (int k = 0; k < 2; ++k) PetscCall(VecCopy(level->u[k], cubic->u[k]));
  cubic->t[1]  = cubic->t[0];
  cubic->t[0]  = level->t;
  cubic->state = state;
  cubic->ends  = PetscMin(cubic->ends + 1, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RungLineCubic cubic, PetscReal x, Vec w)
{
  const PetscReal    H = cubic->t[0] - cubic->t[1], y = 1 - x;
  const PetscReal    c[4] = {x * x * (3 - 2 * x), -x * x * y * H, (1 + 2 * x) * y * y, x * y * y * H};
  const PetscScalar *u[4];
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(w, &n));
  for (int i = 0; i < 4; ++i) PetscCall(VecGetArrayRead(cubic->u[i], &u[i]));
  PetscCall(VecGetArrayWrite(w, &to));
  for (PetscInt i = 0; i < n; ++i) {
    to[i] = cubic->order[i] ? c[0] * u[0][i] + c[1] * u[1][i] + c[2] * u[2][i] + c[3] * u[3][i]
                            : x * u[0][i] + y * u[2][i];
  }
  PetscCall(VecRestoreArrayWrite(w, &to));
  for (int i = 0; i < 4; ++i) PetscCall(VecRestoreArrayRead(cubic->u[i], &u[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries with data stay as in `own`, and slaves of constraints follow what the others do. */
static PetscErrorCode keep_conditions(RungLineSolver solver, Vec w)
{
  PetscFunctionBegin;
  if (!solver->dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemTakeDirichlet(solver->sys, solver->own, w));
  PetscCall(VecAXPY(w, -1, solver->own));
  PetscCall(RungSystemExtend(solver->sys, w));
  PetscCall(VecAXPY(w, 1, solver->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By Newton's method with a matrix that is kept, or by an iteration for w itself. */
static PetscErrorCode takes(RungLineSolver solver, PetscBool *kept, PetscBool *either)
{
  PetscFunctionBegin;
  solver->problem = PROBLEM_LINE; /* the one that is asked about */
  PetscCall(RungNewtonMayKeep(&solver->slot[0], kept));
  if (solver->traits.order < 1 || solver->point) *kept = PETSC_FALSE;
  *either = *kept || (solver->slot[0].affine && solver->traits.order > 0 && !solver->point) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineTakesGuess(RungLineSolver solver, PetscBool *either)
{
  PetscBool kept;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(takes(solver, &kept, either));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w as the stages have it, or on the cubic. */
static PetscErrorCode follow(RungLineSolver solver, PetscReal t, Vec stages, Vec w)
{
  const RungLineCubic cubic = solver->cubic;

  PetscFunctionBegin;
  if (stages)
    PetscCall(VecCopy(stages, w));
  else
    PetscCall(evaluate(cubic, (t - cubic->t[1]) / (cubic->t[0] - cubic->t[1]), w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there a last step that leads to t?  Rates of the first one may be those of something that dies out at once: what they lead to is far
   away, and where F is flat there a step of Newton's method with the matrix of elsewhere passes for convergence. */
static PetscErrorCode has_past(RungLineSolver solver, PetscReal t, PetscBool *has)
{
  RungLineCubic cubic;

  PetscFunctionBegin;
  PetscCall(need(solver, &cubic));
  PetscCall(refresh(solver, cubic));
  *has = cubic->ends == 2 && t - cubic->t[1] <= FARTHEST * (cubic->t[0] - cubic->t[1]) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinePredictStage(RungLineSolver solver, PetscReal t, Vec stages, Vec w)
{
  PetscBool kept, either, has = PETSC_TRUE;

  PetscFunctionBegin;
  RungNeed(solver);
  PetscCall(takes(solver, &kept, &either));
  if (!either || (!kept && !stages)) PetscFunctionReturn(PETSC_SUCCESS);
  if (kept) PetscCall(has_past(solver, t, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  if (!solver->own) PetscCall(VecDuplicate(solver->r, &solver->own));
  PetscCall(VecCopy(w, solver->own));
  PetscCall(follow(solver, t, stages, w));
  PetscCall(keep_conditions(solver, w));
  solver->continued = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}
