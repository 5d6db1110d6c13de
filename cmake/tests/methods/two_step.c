/* two_step.c - the implicit method of Adams of two steps, order 3, at steps of any size: a family from outside whose level carries the
   rate before and the size of its own step, so that it looks at one level.

       u_n+1 = u_n + h (b1 u'_n+1 + b0 u'_n + bm u'_n-1),    with s = h_n/h:
       b1 = (1/3 + s/2)/(1 + s),   b0 = (1/6 + s/2)/s,   bm = -1/(6 s (1 + s)).

   The first step after a start or a jump, where the number is 0, is the trapezoidal rule.  Boundary data give their rates too: by the
   formula u' on the boundary would follow 5 r^2 + 8 r - 1 = 0, whose root -1.7 grows.  Estimate: what tells it from the trapezoidal
   rule, of order 2. */
#include "outside.h"

typedef struct {
  RungStepperFacts facts;
  Vec              base, given, e; /* lent work */
} Adams;

static const char *const methods[] = {"adams3", NULL};

static PetscErrorCode plan(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Adams *adams = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)traits;
  PetscCall(RungStepperGetFacts(stepper, &adams->facts));
  plan->order       = 3;
  plan->exponent    = 3;
  plan->depth       = 1;
  plan->carried     = 1;
  plan->numbers     = 1;
  plan->matrices    = 1;
  plan->work        = 3;
  plan->can         = RUNG_CAN_ORDER1 | RUNG_CAN_VARY_MASS;
  plan->stages      = 1;
  plan->solves      = 1;
  plan->stage_order = 3;
  plan->limit       = -1;
  plan->citation    = "Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, III.5";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RungStepper stepper)
{
  Adams *adams = RungStepperGetData(stepper);
  Vec   *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  adams->base  = work[0];
  adams->given = work[1];
  adams->e     = work[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = (w - u_n)/(h b1) - (b0 u'_n + bm u'_n-1)/b1, on the boundary what makes it g' where w is g */
static PetscErrorCode set_line(RungStepper stepper, const PetscReal b[3], PetscReal h, const RungState *from,
                               RungState *to, RungLine *line)
{
  Adams          *adams = RungStepperGetData(stepper);
  const PetscReal slope = 1 / (h * b[0]), c[3] = {-slope, -b[1] / b[0], -b[2] / b[0]};

  PetscFunctionBegin;
  memset(line, 0, sizeof *line);
  RungLineSetSlope(stepper, line, 0, 1);
  RungLineSetSlope(stepper, line, 1, slope);
  PetscCall(RungCombine(adams->base, 3, c, (Vec[]){from->u[0], from->u[1], from->carry[0]}));
  line->base[1] = adams->base;
  PetscCall(VecCopy(from->u[0], to->u[0]));
  PetscCall(RungStagePredict(stepper, to->t, to->u[0]));
  if (!adams->facts.dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(adams->e, slope, to->u[0], adams->base));
  PetscCall(VecCopy(adams->e, adams->given));
  PetscCall(RungSystemImposeDirichlet(adams->facts.sys, to->t, 1, adams->given));
  PetscCall(VecAXPY(adams->given, -1, adams->e));
  PetscCall(VecAXPY(adams->base, 1, adams->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                              RungVerdict *verdict)
{
  Adams          *adams = RungStepperGetData(stepper);
  const PetscReal s     = from->number[0] / h;
  PetscReal       b[3]  = {0.5, 0.5, 0};
  RungLine        line;

  PetscFunctionBegin;
  if (s > 0) {
    b[0] = (1.0 / 3 + s / 2) / (1 + s);
    b[1] = (1.0 / 6 + s / 2) / s;
    b[2] = -1 / (6 * s * (1 + s));
  }
  PetscCall(set_line(stepper, b, h, from, to, &line));
  PetscCall(RungStageSolve(stepper, to->t, &line, NULL, to->u[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(to->u[1], line.slope[1 * adams->facts.traits->unknowns], to->u[0], adams->base));
  if (adams->facts.dirichlet) PetscCall(RungSystemImposeDirichlet(adams->facts.sys, to->t, 1, to->u[1]));
  PetscCall(VecCopy(from->u[1], to->carry[0]));
  to->number[0] = h;
  if (!adams->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  if (s > 0) /* else one rate more is not known: h/2 (u'_n+1 - u'_n) is too large by a power of h */
    PetscCall(RungCombine(adams->e, 3, (PetscReal[]){h * (b[0] - 0.5), h * (b[1] - 0.5), h * b[2]},
                          (Vec[]){to->u[1], from->u[1], from->carry[0]}));
  else
    PetscCall(RungCombine(adams->e, 2, (PetscReal[]){h / 2, -h / 2}, (Vec[]){to->u[1], from->u[1]}));
  PetscCall(RungStepperMeasure(stepper, (Vec[]){adams->e, NULL}, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungStepperOps ops = {
  .methods = methods, .size = sizeof(Adams), .plan = plan, .setup = setup, .attempt = attempt};

/* ---- does it work? ------------------------------------------------------------------------------------------------ */

/* Steps of sizes that alternate, 2:1, keep the order; two runs give the bits of one. */
static PetscErrorCode check_runs(void)
{
  Run       run = {.type = "adams", .end = 1, .dt = 0.1};
  Found     found;
  PetscReal error[2], order;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i, run.dt /= 2) PetscCall(error_of("decay", &run, &found, &error[i]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "adams3 on decay: errors %.3e %.3e\n", (double)error[0], (double)error[1]));
  WANT(error[0] / error[1] > 6.5 && error[0] / error[1] < 10, "errors %.3e %.3e", error[0], error[1]);
  run.dt = 1e-2;
  for (int i = 0; i < 2; ++i) {
    run.rtol = i ? 1e-6 : 1e-4;
    PetscCall(error_of("decay", &run, &found, &error[i]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "adams3 at %g: %d steps, error %.3e\n", (double)run.rtol,
                          (int)found.count.steps, (double)error[i]));
    WANT(error[i] < 5 * run.rtol, "error %.3e at %g", error[i], run.rtol);
  }
  PetscCall(study("adams", "adams3", "power_edge", 0.005, &error[0], &order));
  WANT(error[0] < 1e-13, "error %.3e, order %g", error[0], order); /* exact on t^2, its edges too */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_the_rest(void)
{
  Run run = {.type = "adams", .end = 1, .dt = 0.1};

  PetscFunctionBegin;
  PetscCall(is_listed("adams", "adams3"));
  PetscCall(restarts("decay", run, 3, 6));
  run.rtol = 1e-5;
  PetscCall(restarts("decay", run, 4, 8));
  run.rtol = 0;
  PetscCall(refused("index1", &run, "does not keep its order in algebraic unknowns, here \"z\""));
  PetscCall(refused("oscillator", &run, "advances systems of order 1"));
  PetscCall(refused("conserved", &run, "does not keep conserved terms"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(check_all(argc, argv, "A method of Adams from outside.\n", "adams", &ops, check_runs, check_the_rest));
  return 0;
}
