/* test_rosenbrock_solves.c - what the linear solves of a Rosenbrock step leave, and rates that no step needs. */
#include "../step_impl.h"

#include <check.h>
#include <rungfe.h>
#include <string.h>

/* A body of conduction whose edge and source move, of size L, in steps with tolerances. */
typedef struct {
  const char           *method, *options;
  PetscInt              order; /* in time */
  PetscReal             L, rtol;
  PetscReal             slow;  /* D is that of order 1 divided by 1 + slow                    */
  PetscBool             looks; /* a monitor looks at each level */
  RungStepperStatistics counts;
  PetscInt              starts; /* rates made consistent                                      */
  PetscReal             left;   /* |u - exact| at the end, maximum                            */
  PetscReal             rate;   /* the same of the highest rate, over the largest one         */
  Vec                   u;      /* owned, at the end                                          */
} Run;

static PetscErrorCode look(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper;
  (void)step;
  (void)t;
  (void)u;
  (void)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = cos(3 t) (x + 2 z) in units of L, which the elements hold:  u' or u'' + u' = div(D grad(u)) + f, D = L^2/(1 + slow) */
static PetscErrorCode create(const Run *run, RungSystem *sys)
{
  const PetscReal L = run->L;
  RungMesh        mesh;
  RungSpace       space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){4, 4, 4}, (PetscReal[]){L, L, L}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "L", L));
  PetscCall(RungSystemDefine(*sys, "place", "(x[0] + 2*x[2])/L"));
  PetscCall(RungSystemDefine(*sys, "exact", "cos(3*t)*place"));
  PetscCall(RungSystemSetConstant(*sys, "slow", run->slow));
  PetscCall(RungSystemAddResidual(*sys, "L^2/(1 + slow)*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddResidual(
    *sys, !strncmp(run->method, "ark", 3) ? "explicit((3*sin(3*t)*place + u - exact)*v*dx)" : "3*sin(3*t)*place*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, run->order == 1 ? "dt(u)*v*dx" : "(dt(u, 2) + dt(u) + 9*exact)*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "place"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "exact"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(Run *run, RungSystem sys, RungStepper stepper)
{
  const char *const rate[] = {"dt(u) + 3*sin(3*t)*place", "dt(u, 2) + 9*exact"};
  const RungState  *state;

  PetscFunctionBegin;
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &run->counts));
  run->starts = stepper->spent.starts + RungTransientSystemCountFound(stepper->ts);
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - exact", NULL, RUNG_NORM_MAX, state->t, state->u, &run->left));
  PetscCall(RungSystemNorm(sys, rate[run->order - 1], NULL, RUNG_NORM_MAX, state->t, state->u, &run->rate));
  PetscCall(VecDuplicate(state->u[0], &run->u));
  PetscCall(VecCopy(state->u[0], run->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(Run *run)
{
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, run->options));
  PetscCall(create(run, &sys));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, run->method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.01));
  PetscCall(RungStepperSetTolerances(stepper, run->rtol, run->rtol));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  if (run->looks) PetscCall(RungStepperAddMonitor(stepper, look, NULL));
  RungCallFinally(finish(run, sys, stepper), PetscCall(RungStepperDestroy(&stepper));
                  PetscCall(RungSystemDestroy(&sys)); PetscCall(PetscOptionsClear(NULL)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ITERATES "-ksp_type cg -pc_type jacobi"
#define FACTORS  "-ksp_type preonly -pc_type cholesky"

/* Rows of small cells are small beside those of the edge, whose values are no part of what an iteration looks at: a body of a millimetre took
   23 times the steps of one of a metre. */
static PetscErrorCode test_steps_do_not_depend_on_the_size_of_a_body(void)
{
  static const char *const methods[] = {"rodas4p", "ros34pw2"};

  PetscFunctionBegin;
  for (PetscInt order = 1; order <= 2; ++order) {
    for (int i = 0; i < 2; ++i) {
      Run large = {.method = methods[i], .options = ITERATES, .order = order, .L = 1, .rtol = 1e-4}, small = large;

      small.L = 1e-3;
      PetscCall(solve(&large));
      PetscCall(solve(&small));
      CHECK(large.counts.steps == small.counts.steps);
      CHECK_NEAR(large.left, small.left, 1e-5);
      PetscCall(VecDestroy(&large.u));
      PetscCall(VecDestroy(&small.u));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An iteration leaves a small part of a tolerance, with fewer iterations than a residual of 1e-3 rtol takes. */
static PetscErrorCode check_digits(const char method[], PetscInt orders, PetscReal slow, PetscReal least)
{
  PetscFunctionBegin;
  for (PetscInt order = 1; order <= orders; ++order) {
    for (PetscReal rtol = 1e-3; rtol > 1e-8; rtol /= 100) {
      char given[128];
      Run  it    = {.method = method, .options = ITERATES, .order = order, .L = 1, .rtol = rtol, .slow = slow};
      Run  exact = it, residual = it;

      exact.options = FACTORS;
      PetscCall(PetscSNPrintf(given, sizeof given, ITERATES " -ksp_rtol %g", (double)(1e-3 * rtol)));
      residual.options = given;
      PetscCall(solve(&it));
      PetscCall(solve(&exact));
      PetscCall(solve(&residual));
      CHECK_NEAR(it.counts.steps, exact.counts.steps, 1);
      CHECK((double)it.counts.linear < (order == 1 ? least : 0.95) * (double)residual.counts.linear);
      CHECK_NEAR(it.left, exact.left, 0.2 * rtol); /* 2 rtol with ENOUGH 1e-3 */
      PetscCall(VecDestroy(&it.u));
      PetscCall(VecDestroy(&exact.u));
      PetscCall(VecDestroy(&residual.u));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_solves_have_the_digits_that_tolerances_ask_for(void)
{
  PetscFunctionBegin;
  PetscCall(check_digits("rodas4p", 2, 0, 0.85));
  PetscCall(check_digits("dopri54", 2, 50, 0.85));
  PetscCall(check_digits("ark548b", 1, 0, 0.95));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The highest rates of levels are found for those who ask: for all of them where a monitor looks, else for the last two.  Steps are the
   same but for the rounding of matrices, which are made of other blocks once a mass is there. */
static PetscErrorCode test_rates_are_found_when_somebody_asks(void)
{
  PetscFunctionBegin;
  for (PetscInt order = 1; order <= 2; ++order) {
    Run       alone = {.method = "rodas4p", .options = FACTORS, .order = order, .L = 1, .rtol = 1e-5}, seen = alone;
    PetscReal distance;

    seen.looks = PETSC_TRUE;
    PetscCall(solve(&alone));
    PetscCall(solve(&seen));
    CHECK(alone.counts.steps > 8 && alone.counts.steps == seen.counts.steps);
    CHECK(alone.starts == 3 && seen.starts == seen.counts.steps + 1);
    PetscCall(VecAXPY(seen.u, -1, alone.u));
    PetscCall(VecNorm(seen.u, NORM_INFINITY, &distance));
    CHECK_NEAR(distance, 0, 1e-11);
    CHECK_NEAR(alone.rate, seen.rate, 1e-8);
    CHECK(alone.rate < 1e-3);
    PetscCall(VecDestroy(&alone.u));
    PetscCall(VecDestroy(&seen.u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_do_not_depend_on_the_size_of_a_body),
               RUNG_TEST(test_solves_have_the_digits_that_tolerances_ask_for),
               RUNG_TEST(test_rates_are_found_when_somebody_asks))
