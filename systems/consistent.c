/* consistent.c - rates and algebraic unknowns that satisfy F = 0 at one time.

   Given u (and u' where the order is 2) the unknown is one vector w: the highest derivative of differential entries,
   the value of algebraic ones.  With h = 0 it enters as

       order 2    u = u0                      u' = u0'           u'' = w
       order 1    u = u0                      u' = w
       order 0    u = w

   and F(w) = 0 is solved by Newton's method.  That is everything for systems whose mass block is regular (index 1 and
   declared algebraic unknowns included).

   The mass may be singular in ways that no text shows: a derivative in every row of a circuit, a coefficient that
   vanishes in a part of the mesh, a multiplier whose equation does not see it (index 2).  Then F is taken a little
   later, at t + h, on the Taylor lines

       order 2    u = u0 + h u0' + h^2/2 w    u' = u0' + h w     u'' = w
       order 1    u = u0 + h w                u' = w

   whose solution w(h) is a smooth function of h if u0 is consistent; w(0) is found by extrapolation from h, h/2, h/3,
   h/4, with the h that gives the smallest error estimate.  If u0 is not consistent, w(h) grows like 1/h and the limit
   of u is its projection on the constraints that leaves M u as it is; w is then computed again from there.  A projected
   order-2 position needs a second round for its velocity.  Index 3 works where values are consistent.

   Where the singular rows of dF/dw are empty, as those of a multiplier, they are differentiated in time instead, and one matrix does for
   all (consistent_constraints.c). */
#include "form_side_impl.h"
#include "consistent_impl.h"

#define RUNG_REPORT 1e-8 /* relative change of given values that is told                  */

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode find_orders(RungSystem sys, RungConsistent c)
{
  PetscInt start, n = 0, *fixed;
  PetscInt mixed = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemGetOrders(sys, &c->order));
  PetscCall(VecGetOwnershipRange(c->w, &start, NULL));
  PetscCall(PetscMalloc1(sys->local + 1, &fixed));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      if (c->order[i] != PetscMax(0, sys->traits.unknown_order[f])) mixed = 1;
      if (c->order[i] == 0) fixed[n++] = start + i;
    }
  }
  PetscCall(ISCreateGeneral(sys->comm, n, fixed, PETSC_COPY_VALUES, &c->fixed));
  PetscCall(PetscFree(fixed));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPIU_INT, MPI_MAX, sys->comm));
  c->mixed = mixed ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of order 0 are taken out of the rows of an AIJ; conjugate gradients on the others want products only. */
static PetscErrorCode create_mat(RungConsistent c, KSP ksp, PetscBool matrix_free, PetscBool algebraic, Mat *J)
{
  RungSystem sys = c->ts->sys;
  PetscBool  products, given;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCG, &products));
  PetscCall(PetscOptionsHasName(NULL, "mass_", "-pc_type", &given));
  if (matrix_free) {
    PetscCall(RungShellCreate(sys, J));
  } else if (products && !given && sys->halved && !c->mixed && !algebraic) {
    PetscCall(RungTypedCreateMat(sys, J));
  } else {
    PetscCall(sys->ops->create_mat(sys, J));
    PetscCall(MatSetOption(*J, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    if (sys->split && !sys->whole_symmetric)
      PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_FALSE));              /* starts take all of F */
    if (products) PetscCall(MatSetOption(*J, MAT_USE_INODES, PETSC_FALSE)); /* they take twice as long */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentSetSolver(RungConsistent c, KSP ksp, PetscBool *matrix_free)
{
  RungSystem        sys    = c->ts->sys;
  const RungTraits *traits = &sys->traits;
  PetscInt          n;
  PetscBool         one_order, stays;

  PetscFunctionBegin;
  PetscCall(ISGetSize(c->fixed, &n));
  *matrix_free = (sys->matrix_free || sys->action) && !c->mixed && !n ? PETSC_TRUE : PETSC_FALSE;
  one_order    = c->mixed ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt f = 1; f < traits->unknowns; ++f) {
    if (PetscMax(0, traits->unknown_order[f]) != PetscMax(0, traits->unknown_order[0])) one_order = PETSC_FALSE;
  }
  PetscCall(RungConsistentStays(c, &stays));
  PetscCall(RungSystemSetMassSolver(sys, stays ? RUNG_SOLVE_ONCE : RUNG_SOLVE_NEWTON, *matrix_free, one_order, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of starts and its solver. */
static PetscErrorCode prepare(void *ctx, KSP ksp, Mat *J)
{
  RungConsistent c = (RungConsistent)ctx;
  PetscInt       n;
  PetscBool      matrix_free;

  PetscFunctionBegin;
  PetscCall(RungConsistentSetSolver(c, ksp, &matrix_free));
  PetscCall(ISGetSize(c->fixed, &n));
  PetscCall(create_mat(c, ksp, matrix_free, n > 0 ? PETSC_TRUE : PETSC_FALSE, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start_residual(void *ctx, Vec w, Vec r)
{
  RungConsistent c = (RungConsistent)ctx;
  PetscReal      norm;

  PetscFunctionBegin;
  if (c->differentiated) {
    PetscCall(RungConsistentConstraintsResidual(c, w, r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungConsistentResidual(c->ts, c, w, r, &norm));
  if (c->scaled) PetscCall(VecPointwiseMult(r, r, c->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start_jacobian(void *ctx, Vec w, Mat J)
{
  RungConsistent c = (RungConsistent)ctx;

  PetscFunctionBegin;
  if (c->differentiated) {
    PetscCall(RungConsistentConstraintsJacobian(c, w, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungConsistentLines(c->ts, c, w));
  PetscCall(RungConsistentJacobian(c->ts, c, J));
  if (c->scaled) PetscCall(MatDiagonalScale(J, c->rows, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RungTransientSystem ts, RungConsistent c)
{
  RungSystem sys = ts->sys;

  PetscFunctionBegin;
  c->ts = ts;
  PetscCall(RungSystemCreateVec(sys, &c->w));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscCall(VecDuplicate(c->w, &c->u[k]));
    PetscCall(VecDuplicate(c->w, &c->u0[k]));
  }
  for (PetscInt i = 0; i < RUNG_NODES; ++i) PetscCall(VecDuplicate(c->w, &c->node[i]));
  PetscCall(VecDuplicate(c->w, &c->r));
  PetscCall(VecDuplicate(c->w, &c->step));
  PetscCall(VecDuplicate(c->w, &c->rows));
  PetscCall(VecDuplicate(c->w, &c->rounding));
  PetscCall(VecDuplicate(c->w, &c->best));
  PetscCall(VecDuplicate(c->w, &c->other));
  for (PetscInt i = 0; i < 2; ++i) PetscCall(VecDuplicate(c->w, &c->jump[i]));
  PetscCall(find_orders(sys, c));
  if (c->mixed) {
    PetscCall(sys->ops->create_mat(sys, &c->K));
    PetscCall(VecDuplicate(c->w, &c->weight));
  }
  c->start = (RungLineGiven){
    .prepare = prepare, .residual = start_residual, .jacobian = start_jacobian, .ctx = c, .lasting = PETSC_TRUE};
  PetscCall(RungLineSolverCreateGiven(ts, "mass_", &c->start, &c->solver));
  c->J = c->solver->slot[0].J;
  PetscCall(SNESGetKSP(c->solver->slot[0].snes, &c->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentDestroy(RungConsistent *consistent)
{
  RungConsistent c = *consistent;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(VecDestroy(&c->u[k]));
    PetscCall(VecDestroy(&c->u0[k]));
  }
  for (PetscInt i = 0; i < RUNG_NODES; ++i) PetscCall(VecDestroy(&c->node[i]));
  PetscCall(VecDestroy(&c->w));
  PetscCall(VecDestroy(&c->r));
  PetscCall(VecDestroy(&c->step));
  PetscCall(VecDestroy(&c->rows));
  PetscCall(VecDestroy(&c->unit));
  PetscCall(VecDestroy(&c->rounding));
  PetscCall(VecDestroy(&c->best));
  PetscCall(VecDestroy(&c->other));
  for (PetscInt i = 0; i < 2; ++i) PetscCall(VecDestroy(&c->jump[i]));
  PetscCall(VecDestroy(&c->weight));
  PetscCall(VecDestroy(&c->over));
  PetscCall(ISDestroy(&c->fixed));
  PetscCall(MatDestroy(&c->K));
  PetscCall(RungLineSolverDestroy(&c->solver));
  PetscCall(RungRestDestroy(&c->rest));
  PetscCall(PetscFree(c->constraint));
  PetscCall(PetscFree(c->order));
  PetscCall(PetscFree(*consistent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- h = 0 --------------------------------------------------------------------------------------------------------
 */

/* c->w from what is given: 0 for derivatives, the value of algebraic entries */
PetscErrorCode RungConsistentGuess(RungTransientSystem ts, RungConsistent c)
{
  const PetscScalar *u0;
  PetscScalar       *w;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(c->u0[0], &u0));
  PetscCall(VecGetArrayWrite(c->w, &w));
  for (PetscInt i = 0; i < ts->sys->local; ++i) w[i] = c->order[i] ? 0 : u0[i];
  PetscCall(VecRestoreArrayWrite(c->w, &w));
  PetscCall(VecRestoreArrayRead(c->u0[0], &u0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does J have the same entries at every state?  Rates alone are asked for in rows with rates, so that what values do is not in J. */
static PetscBool is_constant(const RungConsistent c, const RungTraits *traits)
{
  for (PetscInt k = 0; k <= traits->order; ++k) {
    if ((k > 0 || c->algebraic) && !traits->constant_block[k]) return PETSC_FALSE;
  }
  return traits->conserved ? PETSC_FALSE : PETSC_TRUE;
}

/* Is c->J still the regular matrix that an earlier start has left?  It may be where no entry of it changes. */
static PetscErrorCode stands(RungTransientSystem ts, RungConsistent c, PetscBool *is)
{
  PetscObjectState state;
  PetscInt64       data;
  PetscBool        shell;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(RungIsShell(c->J, &shell));
  if (!is_constant(c, &ts->sys->traits) || shell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectStateGet((PetscObject)c->J, &state));
  PetscCall(RungSystemGetDataState(ts->sys, &data));
  *is = c->regular.is && c->regular.state == state && c->regular.data == data && c->regular.algebraic == c->algebraic
          ? PETSC_TRUE
          : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode remember(RungTransientSystem ts, RungConsistent c, PetscBool regular)
{
  PetscFunctionBegin;
  c->regular.is        = regular;
  c->regular.algebraic = c->algebraic;
  PetscCall(PetscObjectStateGet((PetscObject)c->J, &c->regular.state));
  PetscCall(RungSystemGetDataState(ts->sys, &c->regular.data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dF/dw at c->w, unless c->J is that already: is it regular? */
static PetscErrorCode find_regular(RungTransientSystem ts, RungConsistent c, PetscBool *regular)
{
  PetscFunctionBegin;
  PetscCall(stands(ts, c, regular));
  if (*regular) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungConsistentLines(ts, c, c->w));
  PetscCall(RungConsistentJacobian(ts, c, c->J));
  PetscCall(RungConsistentIsRegular(ts, c, regular));
  PetscCall(remember(ts, c, *regular));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_direct(RungTransientSystem ts, RungConsistent c, PetscBool *solved)
{
  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentNoise(ts, c));
  PetscCall(find_regular(ts, c, solved));
  if (*solved) PetscCall(RungConsistentNewton(ts, c, PETSC_TRUE, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the function -------------------------------------------------------------------------------------------------
 */

/* The unknown with the largest share of |r|. */
static PetscErrorCode worst_unknown(RungSystem sys, Vec r, PetscInt *worst)
{
  PetscReal          share[RUNG_MAX_UNKNOWNS] = {0};
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r, &x));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) share[f] += PetscRealPart(x[i] * x[i]);
  }
  PetscCall(VecRestoreArrayRead(r, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, share, RUNG_MAX_UNKNOWNS, MPIU_REAL, MPIU_SUM, sys->comm));
  *worst = 0;
  for (PetscInt f = 1; f < sys->traits.unknowns; ++f) {
    if (share[f] > share[*worst]) *worst = f;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual that is not a number at the given values: says where. */
static PetscErrorCode check_finite(RungTransientSystem ts, RungConsistent c)
{
  PetscReal norm;
  char      reason[2048] = "look for a division by zero, a log or a sqrt of the values there";

  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &norm));
  if (!PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  if (ts->sys->ops->explain) PetscCall(ts->sys->ops->explain(ts->sys, c->t, c->u, NULL, reason, sizeof reason));
  PetscCall(VecNorm(c->r, NORM_INFINITY, &norm)); /* finite entries whose squares are not */
  if (!reason[0])
    PetscCall(
      PetscSNPrintf(reason, sizeof reason,
                    "its entries are as large as %.3g, and the sum of their squares is no number any more; begin "
                    "with other values, or with steps or units that keep them finite",
                    (double)norm));
  SETERRQ(ts->sys->comm, PETSC_ERR_FP, "the residual is not finite at t = %g, where rates are to be found; %s",
          (double)c->t, reason);
}

/* A Jacobian that is not a number at the given values, where nothing can be solved for: says why. */
static PetscErrorCode check_jacobian(RungTransientSystem ts, RungConsistent c)
{
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS], norm;
  char      reason[1536];

  PetscFunctionBegin;
  if (!ts->sys->ops->explain) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < (RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS; ++i) sigma[i] = 1;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &norm)); /* sets c->u */
  PetscCall(ts->sys->ops->explain(ts->sys, c->t, c->u, sigma, reason, sizeof reason));
  PetscCheck(!reason[0], ts->sys->comm, PETSC_ERR_FP, "no consistent start at t = %g: %s", (double)c->t, reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define RUNG_HOLDS 1e-6 /* |F| of a start against that of its guess */

/* A guess that satisfies F at the time itself as well as a start has to (a flow at rest that is about to swell) is no measure: then |F| of
   the guess a little later is. */
PetscErrorCode RungConsistentHolds(RungTransientSystem ts, RungConsistent c, PetscReal *left, PetscBool *holds)
{
  PetscReal before;

  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &before));
  PetscCall(VecCopy(c->best, c->w));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, left));
  if (before <= RUNG_HOLDS * c->later) before = c->later;
  *holds = *left <= RUNG_HOLDS * before || *left <= 1000 * c->noise ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = 0 must hold at the time itself, whichever way w was found. */
static PetscErrorCode check_solution(RungTransientSystem ts, RungConsistent c, PetscBool solved)
{
  PetscReal    after;
  PetscInt     worst;
  PetscBool    holds;
  MatNullSpace null;

  PetscFunctionBegin;
  PetscCall(VecCopy(c->w, c->best));
  PetscCall(RungConsistentHolds(ts, c, &after, &holds));
  if (solved && holds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(worst_unknown(ts->sys, c->r, &worst));
  PetscCall(check_jacobian(ts, c));
  PetscCall(MatGetNullSpace(c->J, &null));
  PetscCheck(
    !null, ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
    "no consistent start at t = %g: constants or rigid motions are open, and the equations contradict each other "
    "(|F| = %.3g is left, most of it in \"%s\"): loads on what nothing holds, or flows into what is closed, have "
    "to be in balance, and a multiplier has to be of a degree that fits, as a pressure P1 beside a velocity P2^d; hold "
    "it, balance them, or take a lower degree",
    (double)c->t, (double)after, RungSystemNameOf(ts->sys, worst));
  PetscCheck(
    !c->third[0], ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
    "no consistent start at t = %g: the equation of %s is a constraint of index 3, and the initial values or their "
    "rates do not satisfy it (|F| = %.3g); give values that do, or its derivative in time in its place",
    (double)c->t, c->third, (double)after);
  SETERRQ(
    ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
    "no consistent start at t = %g: no rates and algebraic unknowns satisfy the equations (|F| = %.3g, most of it in "
    "\"%s\"%s%s); check initial values, constraints, and whether the equations determine every unknown",
    (double)c->t, (double)after, RungSystemNameOf(ts->sys, worst), c->why[0] ? "; " : "", c->why);
}

/* The largest |v_i| of each unknown. */
static PetscErrorCode largest_of(RungSystem sys, Vec v, PetscReal largest[RUNG_MAX_UNKNOWNS])
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(largest, RUNG_MAX_UNKNOWNS));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i)
      largest[f] = PetscMax(largest[f], PetscAbsScalar(x[i]));
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, RUNG_MAX_UNKNOWNS, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports values that were given and had to be changed: u^(k) of differential entries, in the units of consistent_units.c. */
static PetscErrorCode report_change(RungTransientSystem ts, RungConsistent c, PetscInt k, Vec given)
{
  RungSystem   sys = ts->sys;
  PetscReal    change[RUNG_MAX_UNKNOWNS], size[RUNG_MAX_UNKNOWNS], most = 0;
  PetscInt     worst = 0;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(c->other, -1, given, c->u[k]));
  PetscCall(VecGetArray(c->other, &x));
  for (PetscInt i = 0; i < sys->local; ++i) { /* a rate of what has order 1 was not given */
    if (k && c->order[i] <= k) x[i] = 0;
  }
  PetscCall(VecRestoreArray(c->other, &x));
  if (sys->initial_mode == RUNG_INITIAL_SOLVE) PetscCall(VecISSet(c->other, c->fixed, 0.0));
  PetscCall(largest_of(sys, c->other, change));
  PetscCall(largest_of(sys, c->u[k], size));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    most = PetscMax(most, size[f] / c->of[f]);
    if (change[f] / c->of[f] > change[worst] / c->of[worst]) worst = f;
  }
  if (change[worst] / c->of[worst] <= RUNG_REPORT * most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP,
    "initial values%s of \"%s\" at t = %g do not satisfy the equations: off by %.3g (largest value %.3g); without "
    "-system_initial check they are projected",
    k ? " of the rate" : "", RungSystemNameOf(sys, worst), (double)c->t, (double)change[worst], (double)size[worst]);
  PetscCall(RungSystemWarn(
    sys,
    "initial values%s of \"%s\" at t = %g do not satisfy the constraints and were changed by %.3g "
    "(largest value %.3g)",
    k ? " of the rate" : "", RungSystemNameOf(sys, worst), (double)c->t, (double)change[worst], (double)size[worst]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once: is the mass singular since a constraint has index 3? */
static PetscErrorCode look_for_index(RungTransientSystem ts, RungConsistent c)
{
  PetscFunctionBegin;
  if (c->sought) PetscFunctionReturn(PETSC_SUCCESS);
  c->sought = PETSC_TRUE;
  PetscCall(RungConsistentFindIndex(ts, c, c->third));
  if (!c->third[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungSystemWarn(ts->sys,
                   "the equation of %s is a constraint of index 3: it holds nothing that its force moves at once; "
                   "steps with tolerances may find no end, take its derivative in time instead",
                   c->third));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is given, in units as they are. */
static PetscErrorCode take_state(RungTransientSystem ts, PetscBool algebraic, const RungState *state)
{
  RungConsistent c = ts->consistent;

  PetscFunctionBegin;
  c->algebraic = algebraic;
  c->t         = state->t;
  c->later     = 0;
  c->weighed   = PETSC_FALSE;
  for (PetscInt f = 0; f < ts->sys->traits.unknowns; ++f) c->of[f] = 1;
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecCopy(state->u[k], c->u0[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode consistent(RungTransientSystem ts, PetscBool algebraic, PetscBool told, RungState *state)
{
  RungConsistent c = ts->consistent;
  PetscBool      solved;

  PetscFunctionBegin;
  PetscCall(take_state(ts, algebraic, state));
  PetscCall(check_finite(ts, c));
  PetscCall(solve_direct(ts, c, &solved));
  if (!solved) PetscCall(RungConsistentConstraints(ts, c, told, &solved));
  if (!solved) PetscCall(look_for_index(ts, c));
  if (!solved) PetscCall(RungConsistentShifted(ts, c, &solved));
  PetscCall(check_solution(ts, c, solved));
  for (PetscInt k = 0; k < PetscMax(1, ts->order) && told; ++k) PetscCall(report_change(ts, c, k, state->u[k]));
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecCopy(c->u[k], state->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentNeed(RungTransientSystem ts)
{
  PetscFunctionBegin;
  if (!ts->consistent) PetscCall(PetscNew(&ts->consistent));
  if (!ts->consistent->w) RungCallOrUndo(fill(ts, ts->consistent), PetscCall(RungConsistentDestroy(&ts->consistent)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_consistent(RungTransientSystem ts, PetscBool algebraic, PetscBool told, RungState *state)
{
  PetscBool rest;

  PetscFunctionBegin;
  PetscCall(RungConsistentIsRest(ts, &rest));
  if (algebraic && rest) {
    if (!ts->consistent) PetscCall(PetscNew(&ts->consistent));
    PetscCall(RungConsistentRest(ts, ts->consistent, state));
  } else {
    PetscCall(RungConsistentNeed(ts));
    PetscCall(consistent(ts, algebraic, told, state));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemConsistent(RungTransientSystem ts, PetscBool algebraic, PetscBool told,
                                             RungState *state)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CONSISTENT, 0, 0, 0, 0));
  PetscCall(find_consistent(ts, algebraic, told, state));
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CONSISTENT, 0, 0, 0, 0));
  ++ts->sys->counts.starts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemConsistentLater(RungTransientSystem ts, RungState *state)
{
  PetscBool condensed;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungSystemGetCondensed(ts->sys, &condensed));
  if (ts->consistent && ts->consistent->regular.is && !condensed)
    state->late = PETSC_TRUE;
  else
    PetscCall(RungTransientSystemConsistent(ts, PETSC_FALSE, PETSC_FALSE, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->w = the highest rates of the given state, values of algebraic entries */
static PetscErrorCode take_rates(RungTransientSystem ts, RungConsistent c)
{
  const PetscScalar *u0[RUNG_MAX_ORDER + 1];
  PetscScalar       *w;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecGetArrayRead(c->u0[k], &u0[k]));
  PetscCall(VecGetArrayWrite(c->w, &w));
  for (PetscInt i = 0; i < ts->sys->local; ++i) w[i] = u0[c->order[i]][i];
  PetscCall(VecRestoreArrayWrite(c->w, &w));
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecRestoreArrayRead(c->u0[k], &u0[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemIsRegular(RungTransientSystem ts, const RungState *state, PetscBool *regular,
                                            char why[], size_t size)
{
  RungConsistent c;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungConsistentNeed(ts));
  c    = ts->consistent;
  c->h = 0;
  PetscCall(take_state(ts, PETSC_TRUE, state));
  PetscCall(take_rates(ts, c));
  PetscCall(find_regular(ts, c, regular));
  why[0] = 0;
  if (!*regular) PetscCall(RungSystemExplainSingular(ts->sys, c->J, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- levels that are mended ----------------------------------------------------------------------------------------- */

/* Rates and algebraic values from F = 0.  The last start knows whether one of the rows holds neither: a flow, one of whose equations does not,
   is left alone at no cost. */
static PetscErrorCode try_near(RungTransientSystem ts, RungState *state, PetscBool *found)
{
  RungConsistent c = ts->consistent;
  PetscReal      left;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!c || !c->w || c->empty_row) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(take_state(ts, PETSC_TRUE, state));
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &left));
  if (PetscIsInfOrNanReal(left)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(solve_direct(ts, c, found));
  if (!*found) PetscCall(RungConsistentShifted(ts, c, found));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(c->w, c->best));
  PetscCall(RungConsistentHolds(ts, c, &left, found));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecCopy(c->u[k], state->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mend_to(RungTransientSystem ts,
                              PetscErrorCode (*keep)(const RungState *from, const RungState *to, void *ctx,
                                                     PetscBool *is),
                              void *ctx, const RungState *from, RungState *to, PetscBool *mended)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemClear(ts, to));
  to->t = from->t;
  for (PetscInt k = 0; k <= ts->order; ++k) PetscCall(VecCopy(from->u[k], to->u[k]));
  PetscCall(try_near(ts, to, mended));
  if (*mended) PetscCall(keep(from, to, ctx, mended));
  if (*mended) PetscCall(RungTransientSystemSetConserved(ts, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemMend(RungTransientSystem ts,
                                       PetscErrorCode (*keep)(const RungState *from, const RungState *to, void *ctx,
                                                              PetscBool *is),
                                       void *ctx, PetscBool *mended)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  RungCallOrUndo(mend_to(ts, keep, ctx, from, to, mended), PetscCall(RungTransientSystemRollBack(ts)));
  if (!*mended) {
    PetscCall(RungTransientSystemRollBack(ts));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemForget(ts));
  PetscCall(RungTransientSystemPush(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
