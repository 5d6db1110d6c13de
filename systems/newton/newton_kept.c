/* newton_kept.c - Newton's method with a matrix that is kept over iterations, stages and steps, where tolerances say how exact a
   solve has to be.

   The matrix J_0 was made at another state, with slope s_0 of the highest rate; d = J_0^-1 F 2/(1 + s/s_0) is the step for slope s.
   With theta = |d_k|/|d_k-1| in the norm of the error test, from the second step of a solve on,

       rate <- max(0.3 rate, theta),    1 with each new factorisation, else that of the solve before, at least |s/s_0 - 1|/(s/s_0 + 1):
                                        by that a step of another slope is wrong where M or K alone decide
       done            min(1, rate) |d| <= 0.003;  two steps with theta > 0.5 and |d| <= 0.01: they are rounding
       given up        theta >= 0.99; 7 steps; theta^(steps left)/(1 - theta) |d| > 0.003: they will not do
       matrix anew     a step of the run before had theta > 0.085; 50 steps old; other data; after a failure
       weighed anew    |s/s_0 - 1| > 0.18 (newton_slope.c; a matrix anew where it cannot be)
       linear solves   leave 0.05 0.003 of a step as large as the one before, the first as that of the last solve

   (CVODE's test, with its floor of 0.3: without one, one step with an old matrix would pass for convergence.)  What is given up is
   tried once more from its start with a matrix of its own, then by Newton's method with a matrix for each iterate (line_solver.c),
   and only then by a smaller step.

   Conserved totals are worth the last digits: there the iteration goes on until min(1, rate) |d|_f <= 100 u |w|_f for each unknown f, as
   long as theta < 0.3, in up to 25 steps.  Internal variables are solved for in each evaluation of F, with a matrix of an older
   state too.  Levels of quasi-static systems, whose errors are not measured, and what bounds hold, which changes with w, have a matrix
   for each iterate. */
#include "line_solver_impl.h"

#define KAPPA    0.003 /* with 0.01 errors of runs grow up to ten times      */
#define MOST     7     /* steps of a solve                                   */
#define EXACT    25    /* of one to the last digits                          */
#define STEADY   0.3   /* theta that it needs                                */
#define LAST     1e-9  /* |d| against |w| where steps that do not get on are rounding there */
#define SLOWEST  0.99
#define SLOW     0.5   /* theta of steps that do not get on; two of them,     */
#define STANDING 0.01  /* as small as this, are rounding                      */
#define CARRIED  0.3   /* of the rate that is kept each time                  */
#define CHANGE   0.18  /* of the slope, with the same weights           */
#define POOR     0.085 /* theta that asks for another matrix            */
#define LINEAR   0.05  /* of KAPPA: what an iteration may leave of a step    */
#define LOOSEST  0.1   /* .. and of its size                                 */
#define OLDEST   50    /* steps of the run with one matrix                    */

PetscErrorCode RungNewtonMayKeep(RungLineSlot *slot, PetscBool *may)
{
  RungLineSolver solver = slot->solver;
  PetscBool      shell, moves = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungIsShell(slot->J, &shell));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) moves = moves || solver->traits.unknown_order[f] > 0;
  *may = slot->full && !slot->named && solver->adaptive && moves && solver->problem == PROBLEM_LINE &&
             !solver->bound[0] && !shell
           ? PETSC_TRUE
           : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s/s_0 */
static PetscReal ratio_of(const RungLineSlot *slot)
{
  const PetscInt i = RungLineHighest(slot);

  return slot->made[i] > 0 ? slot->slope[i] / slot->made[i] : PETSC_MAX_REAL;
}

/* Is another matrix due before this solve, whatever the slope is?  A step of the run begins where level 0 has another time. */
static PetscErrorCode is_stale(RungLineSlot *slot, PetscBool *stale)
{
  RungNewtonKept  *kept = &slot->kept;
  const RungState *from;
  PetscInt64       data;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(slot->solver->ts, 0, &from));
  PetscCall(RungSystemGetDataState(slot->solver->sys, &data));
  *stale = !kept->valid || data != kept->data ? PETSC_TRUE : PETSC_FALSE;
  if (from->t == kept->t) PetscFunctionReturn(PETSC_SUCCESS);
  ++kept->age;
  if (kept->worst > POOR || kept->age > OLDEST || from->t < kept->t) *stale = PETSC_TRUE; /* the last: another run */
  kept->t     = from->t;
  kept->worst = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode renew(RungLineSlot *slot, Vec w)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(RungNewtonJacobian(slot->snes, w, slot->J, slot->J, slot));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungLineSetOperators(slot, ksp));
  PetscCall(RungSystemGetDataState(slot->solver->sys, &slot->kept.data));
  PetscCall(RungNewtonLearnMass(slot, w));
  slot->kept.valid = PETSC_TRUE;
  slot->kept.rate  = 1;
  slot->kept.age   = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is not stale, for the slope of now.  *stale: it has to be evaluated anew. */
static PetscErrorCode follow_slope(RungLineSlot *slot, PetscBool *stale)
{
  PetscBool changed;
  KSP       ksp;

  PetscFunctionBegin;
  if (*stale || PetscAbsReal(ratio_of(slot) - 1) <= CHANGE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonChangeSlope(slot, &changed));
  *stale = changed ? PETSC_FALSE : PETSC_TRUE;
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  slot->kept.rate = 1;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungLineSetOperators(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An iteration that finds a step of this expected size needs no digits beyond those that the tolerances ask for; 0: nobody knows. */
static PetscErrorCode set_digits(RungLineSlot *slot, KSP ksp, PetscReal expected)
{
  const PetscReal enough = expected > 0 ? PetscMin(LOOSEST, LINEAR * KAPPA / expected) : 0;

  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(ksp, PetscMax(slot->rtol, enough), PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* step = J_0^-1 F, of this expected size in the norm of the error test */
static PetscErrorCode apply(RungLineSlot *slot, Vec F, PetscReal expected, Vec step, PetscBool *solved)
{
  KSPConvergedReason reason;
  PetscReal          norm;
  KSP                ksp;

  PetscFunctionBegin;
  if (slot->blocks) {
    slot->its = 1;
    ++slot->solver->counts.linear;
    PetscCall(RungLineBlocksSolve(slot, F, step, solved));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *solved = PETSC_FALSE;
  PetscCall(VecNorm(F, NORM_2, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE)); /* older factors are taken as long as they are good */
  PetscCall(set_digits(slot, ksp, expected));
  PetscCall(KSPSolve(ksp, F, step));
  PetscCall(set_digits(slot, ksp, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &slot->its));
  slot->solver->counts.linear += slot->its;
  *solved = reason < 0 ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Internal variables of w become those that the last evaluation of F has found. */
static PetscErrorCode take_points(RungLineSolver solver, Vec w)
{
  PetscFunctionBegin;
  if (!solver->point || solver->why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(solver->point, w));
  PetscCall(VecZeroEntries(solver->shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* solver->step = J_0^-1 F(w) 2/(1 + s/s_0), with F = solver->residual where it is known, and w less this step;  *found: J_0 is regular.
   The size of a step that is not finite tells. */
static PetscErrorCode take_step(RungLineSlot *slot, Vec w, PetscReal expected, PetscBool known, PetscBool *found)
{
  RungLineSolver  solver = slot->solver;
  const PetscReal factor = 2 / (1 + ratio_of(slot));

  PetscFunctionBegin;
  if (!known) PetscCall(RungNewtonResidual(slot->snes, w, solver->residual, slot));
  PetscCall(take_points(solver, w));
  PetscCall(apply(slot, solver->residual, expected, solver->step, found));
  ++solver->counts.newton;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  if (factor != 1) PetscCall(VecScale(solver->step, factor));
  PetscCall(VecAXPY(w, -1, solver->step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |d| against |w|, of the unknown where it is largest. */
static PetscErrorCode measure_change(RungLineSolver solver, Vec d, Vec w, PetscReal *change)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], size[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(RungLineValue(solver, w, &w));
  PetscCall(RungNewtonNorms(solver, d, step));
  PetscCall(RungNewtonNorms(solver, w, size));
  *change = 0;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (step[f] > 0) *change = PetscMax(*change, size[f] > 0 ? step[f] / size[f] : PETSC_INFINITY);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of a step whose solve goes to the last digits; change: |d| against |w|. */
static void judge_exact(RungNewtonKept *kept, PetscReal theta, PetscReal change, PetscInt *slow, PetscBool *solved,
                        PetscBool *hopeless)
{
  *slow     = theta > SLOW && change <= LAST ? *slow + 1 : 0;
  *solved   = PetscMin(1, kept->rate) * change <= RUNG_NEWTON_ROUNDING || *slow == 2 ? PETSC_TRUE : PETSC_FALSE;
  *hopeless = theta >= STEADY && !*slow ? PETSC_TRUE : PETSC_FALSE;
}

/* What the k-th step of a solve, of this size, says; change: of one to the last digits, negative: it is none.  *slow: steps in a row that
   did not get on though they are small. */
static void judge(RungNewtonKept *kept, PetscInt k, PetscReal size, PetscReal change, PetscReal before, PetscInt *slow,
                  PetscBool *solved, PetscBool *hopeless)
{
  const PetscReal theta = k && before > 0 ? size / before : 0;

  if (theta > 0) {
    kept->rate  = PetscMax(CARRIED * kept->rate, theta);
    kept->worst = PetscMax(kept->worst, theta);
  }
  if (change >= 0) {
    judge_exact(kept, theta, change, slow, solved, hopeless);
    return;
  }
  *slow     = theta > SLOW && size <= STANDING ? *slow + 1 : 0;
  *solved   = PetscMin(1, kept->rate) * size <= KAPPA || *slow == 2 ? PETSC_TRUE : PETSC_FALSE;
  *hopeless = PETSC_FALSE;
  if (*slow || theta == 0) return;
  if (theta >= SLOWEST || PetscPowRealInt(theta, (int)(MOST - 1 - k)) / (1 - theta) * size > KAPPA)
    *hopeless = PETSC_TRUE;
}

/* A level where F is not finite would end the run: small last steps may lead out of the domain of what is nearly 0.  Stages inside
   of a step are no levels. */
static PetscErrorCode check_domain(RungLineSlot *slot, Vec w, PetscBool *inside)
{
  RungLineSolver solver = slot->solver;
  RungState     *to;
  PetscReal      norm;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetProposal(solver->ts, &to));
  if (solver->t != to->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonResidual(slot->snes, w, solver->residual, slot));
  PetscCall(VecNorm(solver->residual, NORM_2, &norm));
  *inside = PetscIsInfOrNanReal(norm) ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the matrix that there is; known: solver->residual is F(w). */
static PetscErrorCode iterate(RungLineSlot *slot, Vec w, PetscBool known, PetscBool *solved)
{
  RungLineSolver  solver = slot->solver;
  const PetscBool exact  = solver->traits.conserved;
  PetscReal       size, before = 0, change = -1;
  PetscBool       found = PETSC_TRUE, hopeless = PETSC_FALSE;
  PetscInt        slow = 0;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  for (PetscInt k = 0; k < (exact ? EXACT : MOST) && !*solved && !hopeless; ++k) {
    PetscCall(take_step(slot, w, k == 0 ? slot->kept.first : before, k == 0 ? known : PETSC_FALSE, &found));
    if (!found) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(RungNewtonMeasure(solver, solver->step, w, &size));
    if (!isfinite(size)) PetscFunctionReturn(PETSC_SUCCESS);
    if (k == 0) slot->kept.first = size;
    if (exact) PetscCall(measure_change(solver, solver->step, w, &change));
    judge(&slot->kept, k, size, change, before, &slow, solved, &hopeless);
    before = size;
  }
  if (*solved) PetscCall(check_domain(slot, w, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where F is not finite the method's own guess takes the place of w, and what is begun anew begins there in any case.  *known:
   solver->residual is F(w). */
static PetscErrorCode check_guess(RungLineSlot *slot, Vec w, PetscBool *known)
{
  RungLineSolver solver = slot->solver;
  Vec            own    = solver->own;
  PetscReal      norm;

  PetscFunctionBegin;
  PetscCall(RungNewtonResidual(slot->snes, w, solver->residual, slot));
  PetscCall(VecNorm(solver->residual, NORM_2, &norm));
  solver->own   = solver->begin;
  solver->begin = own;
  *known        = PetscIsInfOrNanReal(norm) ? PETSC_FALSE : PETSC_TRUE;
  if (!*known) PetscCall(VecCopy(solver->begin, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonKeep(RungLineSlot *slot, Vec w, PetscBool *solved)
{
  RungLineSolver solver = slot->solver;
  PetscBool      stale, known = PETSC_FALSE;

  PetscFunctionBegin;
  if (!solver->step) {
    PetscCall(VecDuplicate(solver->r, &solver->step));
    PetscCall(VecDuplicate(solver->r, &solver->residual));
  }
  if (solver->point) PetscCall(VecZeroEntries(solver->shift));
  solver->why[0] = 0;
  PetscCall(is_stale(slot, &stale));
  PetscCall(follow_slope(slot, &stale));
  if (!stale) slot->kept.rate = PetscMax(slot->kept.rate, PetscAbsReal(ratio_of(slot) - 1) / (ratio_of(slot) + 1));
  if (solver->continued) PetscCall(check_guess(slot, w, &known));
  for (PetscInt tries = 0; tries < 2; ++tries) {
    if (stale) PetscCall(renew(slot, w));
    PetscCall(iterate(slot, w, known, solved));
    known = PETSC_FALSE;
    if (*solved) break;
    if (stale) RungNewtonDoubt(solver); /* not the matrix is to blame */
    PetscCall(VecCopy(solver->begin, w));
    slot->kept.worst = 1;
    if (stale && !slot->lagged) break;
    slot->factored = -1; /* not those of an older matrix */
    stale          = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungNewtonForget(RungLineSlot *slot)
{
  slot->kept      = (RungNewtonKept){.t = NAN, .rate = 1};
  slot->mass_data = -1; /* what follows has the bits of a program that begins here */
}
