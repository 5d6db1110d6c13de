/* rodasp.c - RODASP (Steinebach 1995), a Rosenbrock method of order 4, as a family from outside: linear solves with one matrix a step.  The
   library has it as rodas4p.

       W = M/(h gamma) + dF/du at (t_n, u_n),      y_i = u_n + sum_j A_ij U_j,      v_i = -sum_j C_ij U_j/h

       W U_i = -F(t_i, y_i, v_i) - h d_i dF/dt,     u_n+1 = u_n + sum_i m_i U_i,     error = U_6

   Boundary data are algebraic equations g(t) - u = 0, so that their increments are known, U_i = g(t_i) - y_i + h d_i g'(t_n), and act on
   the others through the columns of W, which the solver's matrix does not have: RungSystemAction().  Without these columns the
   order is 1, without dF/dt it is 0 (-stepper_rodasp_columns, -stepper_rodasp_rate false).  M may not depend on u. */
#include "outside.h"

#define S 6

static const PetscReal gamma_ = 0.25, c[S] = {0, 0.75, 0.21, 0.63, 1, 1}, d[S] = {0.25, -0.5, -0.023504, -0.0362, 0, 0},
                       m[S]    = {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1, 1},
                       A[S][S] = {{0},
                                  {3},
                                  {1.831036793486759, 0.4955183967433795},
                                  {2.304376582692669, -0.05249275245743001, -1.176798761832782},
                                  {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
                                  {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1}},
                       C[S][S] = {{0},
                                  {-12},
                                  {-8.791795173947035, -2.207865586973518},
                                  {10.81793056857153, 6.780270611428266, 19.5348594464241},
                                  {34.19095006749676, 15.49671153725963, 54.7476087596413, 14.16005392148534},
                                  {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095,
                                   -5.714285714285717}};

typedef struct {
  RungStepperFacts facts;
  PetscBool        no_columns, no_rate;
  Vec              U[S], y, v, r, rate, given, x, moved; /* lent work */
} Rodasp;

static const char *const methods[] = {"rodasp", NULL};

static PetscErrorCode read_options(RungStepper stepper)
{
  Rodasp   *it      = RungStepperGetData(stepper);
  PetscBool columns = it->no_columns ? PETSC_FALSE : PETSC_TRUE, rate = it->no_rate ? PETSC_FALSE : PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-stepper_rodasp_columns", NULL, &columns, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-stepper_rodasp_rate", NULL, &rate, NULL));
  it->no_columns = columns ? PETSC_FALSE : PETSC_TRUE;
  it->no_rate    = rate ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Rodasp *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)traits;
  PetscCall(RungStepperGetFacts(stepper, &it->facts));
  plan->order       = 4;
  plan->exponent    = 4;
  plan->growth      = 5;
  plan->depth       = 1;
  plan->matrices    = 1;
  plan->work        = S + 7;
  plan->can         = RUNG_CAN_ORDER1 | RUNG_CAN_ALGEBRAIC;
  plan->stages      = S;
  plan->solves      = S;
  plan->stage_order = 1;
  plan->angle       = 90;
  plan->citation =
    "Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, TH Darmstadt, 1995";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RungStepper stepper)
{
  Rodasp *it = RungStepperGetData(stepper);
  Vec    *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt i = 0; i < S; ++i) it->U[i] = *work++;
  it->y     = *work++;
  it->v     = *work++;
  it->r     = *work++;
  it->rate  = *work++;
  it->given = *work++;
  it->x     = *work++;
  it->moved = *work++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x: increments of entries with data, g(t_i) - y_i + h d_i g'(t_n), 0 elsewhere */
static PetscErrorCode set_increments(Rodasp *it, const RungState *from, PetscReal h, PetscInt i, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(it->y, it->given));
  PetscCall(RungSystemImposeDirichlet(it->facts.sys, t, 0, it->given));
  PetscCall(VecWAXPY(it->x, -1, it->y, it->given));
  PetscCall(VecZeroEntries(it->given));
  PetscCall(RungSystemImposeDirichlet(it->facts.sys, from->t, 1, it->given));
  PetscCall(VecAXPY(it->x, h * d[i], it->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage(RungStepper stepper, const RungState *from, PetscReal h, PetscReal end, PetscInt i,
                            const PetscReal slope[], RungVerdict *verdict)
{
  Rodasp         *it = RungStepperGetData(stepper);
  const PetscReal t  = c[i] == 1 ? end : from->t + c[i] * h;
  PetscScalar     a[S], b[S];

  PetscFunctionBegin;
  for (PetscInt j = 0; j < i; ++j) {
    a[j] = A[i][j];
    b[j] = -C[i][j] / h;
  }
  PetscCall(VecCopy(from->u[0], it->y));
  PetscCall(VecZeroEntries(it->v));
  if (i) PetscCall(VecMAXPY(it->y, i, a, it->U));
  if (i) PetscCall(VecMAXPY(it->v, i, b, it->U));
  PetscCall(RungSystemResidual(it->facts.sys, t, (Vec[]){it->y, it->v}, it->r));
  PetscCall(VecScale(it->r, -1));
  if (!it->no_rate) PetscCall(VecAXPY(it->r, -h * d[i], it->rate));
  if (it->facts.dirichlet) {
    PetscCall(set_increments(it, from, h, i, t));
    if (!it->no_columns) {
      PetscCall(RungSystemAction(it->facts.sys, from->t, from->u, slope, it->x, it->moved));
      PetscCall(VecAXPY(it->r, -1, it->moved));
    }
    PetscCall(VecAXPY(it->r, 1, it->x));
  }
  PetscCall(RungStageApply(stepper, it->r, it->U[i], verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                              RungVerdict *verdict)
{
  Rodasp        *it = RungStepperGetData(stepper);
  const PetscInt n  = it->facts.traits->unknowns;
  PetscReal      slope[2 * RUNG_MAX_UNKNOWNS];
  PetscScalar    weight[S];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) {
    slope[f]     = 1;
    slope[n + f] = 1 / (h * gamma_);
  }
  PetscCall(RungStageLinearise(stepper, from->t, from->u, slope, verdict));
  PetscCall(RungSystemTimeDerivative(it->facts.sys, from->t, from->u, it->rate));
  for (PetscInt i = 0; i < S && verdict->solved; ++i) {
    PetscCall(stage(stepper, from, h, to->t, i, slope, verdict));
    weight[i] = m[i];
  }
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(from->u[0], to->u[0]));
  PetscCall(VecMAXPY(to->u[0], S, weight, it->U));
  if (it->facts.dirichlet) PetscCall(RungSystemImposeDirichlet(it->facts.sys, to->t, 0, to->u[0]));
  PetscCall(VecCopy(from->u[1], to->u[1]));
  if (it->facts.adaptive)
    PetscCall(RungStepperMeasure(stepper, (Vec[]){it->U[S - 1], NULL}, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates for values between levels; the next step needs none. */
static PetscErrorCode accepted(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  PetscFunctionBegin;
  (void)from, (void)ratio;
  PetscCall(RungStageConsistent(stepper, PETSC_FALSE, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {{"-stepper_rodasp_columns", "rodasp: boundary data act on the others"},
                                           {"-stepper_rodasp_rate", "rodasp: dF/dt is in the stages"},
                                           {NULL, NULL}};

static const RungStepperOps ops = {.methods  = methods,
                                   .options  = options,
                                   .size     = sizeof(Rodasp),
                                   .read     = read_options,
                                   .plan     = plan,
                                   .setup    = setup,
                                   .attempt  = attempt,
                                   .accepted = accepted};

/* ---- does it work? ------------------------------------------------------------------------------------------------ */

#define EXACT "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"

/* Error in L2 at t = 1 of conduction between two edges whose values move, P2 in space, which holds the solution. */
static PetscErrorCode heat(PetscReal h, PetscReal rtol, PetscReal *error, RungStepperStatistics *count)
{
  RungMesh         mesh;
  RungSpace        space;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  PetscReal        size;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddResidual(sys, "-(3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4))*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", EXACT));
  PetscCall(RungSystemSetInitial(sys, "u", EXACT));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, "outside"));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, h));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, count));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungError(sys, "u", "L2", EXACT, 1, state->u[0], error, &size));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order between h = 1/10 and 1/40. */
static PetscErrorCode ladder(const char what[], PetscReal error[4], PetscReal *order)
{
  RungStepperStatistics count;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) PetscCall(heat(0.2 / pow(2, i), 0, &error[i], &count));
  *order = log(error[1] / error[3]) / log(4.0);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-16s %.2e %.2e %.2e %.2e order %.2f, %d steps, %d factorisations\n", what,
                        (double)error[0], (double)error[1], (double)error[2], (double)error[3], (double)*order,
                        (int)count.steps, (int)count.factorisations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_edges(void)
{
  static const PetscReal known[4] = {2.0e-5, 6.2e-7, 8.1e-8, 6.9e-9};
  PetscReal              error[4], order;
  RungStepperStatistics  count;

  PetscFunctionBegin;
  PetscCall(ladder("right", error, &order));
  for (int i = 0; i < 4; ++i)
    WANT(error[i] < 3 * known[i] && error[i] > known[i] / 3, "error %.3e where %.3e is known", error[i], known[i]);
  WANT(order >= 3, "order %g%.0f", order, 0.0);
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_rodasp_columns", "false"));
  PetscCall(ladder("without columns", error, &order));
  WANT(order < 1.5, "order %g%.0f", order, 0.0);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rodasp_columns"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_rodasp_rate", "false"));
  PetscCall(ladder("without dF/dt", error, &order));
  WANT(order < 1, "order %g%.0f", order, 0.0);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rodasp_rate"));
  PetscCall(heat(0.01, 1e-6, &error[0], &count));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD, "rodasp at 1e-6: %d steps, error %.2e\n", (int)count.steps, (double)error[0]));
  WANT(error[0] < 1e-5 && count.steps < 200, "error %.3e in %g steps", error[0], (double)count.steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_the_rest(void)
{
  Run       run = {.type = "outside", .end = 1, .dt = 0.1};
  Found     found;
  PetscReal error[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i, run.dt /= 2) PetscCall(error_of("decay", &run, &found, &error[i]));
  WANT(error[0] / error[1] > 11 && error[0] / error[1] < 23, "errors %.3e %.3e", error[0], error[1]);
  run.dt = 0.1;
  PetscCall(error_of("index1", &run, &found, &error[0]));
  WANT(error[0] < 1e-5 && PetscAbsReal(found.y[1] - 0.25) < 1e-5, "errors %.3e %.3e", error[0], found.y[1] - 0.25);
  PetscCall(is_listed("outside", "rodasp"));
  PetscCall(restarts("index1", run, 3, 6));
  run.rtol = 1e-5;
  PetscCall(restarts("decay", run, 2, 4));
  run.rtol = 0;
  PetscCall(refused("oscillator", &run, "advances systems of order 1"));
  PetscCall(refused("conserved", &run, "outside method \"rodasp\""));
  PetscCall(refused("bounded", &run, "keeps no bounds"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(check_all(argc, argv, "RODASP from outside.\n", "outside", &ops, check_edges, check_the_rest));
  return 0;
}
