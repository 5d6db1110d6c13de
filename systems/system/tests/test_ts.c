/* test_ts.c - systems advanced by PETSc's own methods: exact solutions whose boundary data move. */
#include "check.h"
#include "form_problems.h"
#include "ode_problems.h"

#include <petscts.h>

/* Heat: u = sin(3t + 0.4)(1 + x + 2 y^2); wave: the same function, u'' - div grad u = f.  Exact in P2. */
static PetscErrorCode wave_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P2", sys));
  PetscCall(RungSystemDefine(*sys, "g", "sin(3*t + 0.4)*(1 + x[0] + 2*x[1]^2)"));
  PetscCall(RungSystemDefine(*sys, "f", "-9*g - 4*sin(3*t + 0.4)"));
  PetscCall(RungSystemAddResidual(*sys, "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx - f*v*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "g"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "right", "g"));
  PetscCall(RungSystemAddResidual(*sys, "-4*x[1]*sin(3*t + 0.4)*v*ds(top)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "g"));
  PetscCall(RungSystemSetInitial(*sys, "dt(u)", "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[1]^2)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the error at t = 0.5 with n steps */
static PetscErrorCode advance(PetscErrorCode (*create)(RungSystem *), TSType type, PetscInt order, PetscInt n,
                              PetscReal *error)
{
  RungSystem sys;
  TS         ts;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(create(&sys));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, type));
  if (!strcmp(type, TSBDF)) PetscCall(TSBDFSetOrder(ts, order));
  PetscCall(TSSetTime(ts, 0));
  PetscCall(TSSetMaxTime(ts, 0.5));
  PetscCall(TSSetTimeStep(ts, 0.5 / (PetscReal)n));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(RungSystemSetTS(sys, ts));
  PetscCall(RungSystemDestroy(&sys)); /* the TS keeps it */
  {
    TSAdapt adapt;

    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(TSGetSolution(ts, &u));
  PetscCall(create(&sys));
  PetscCall(error_of(sys, u, "g", 0.5, error));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_order(PetscErrorCode (*create)(RungSystem *), TSType type, PetscInt order, PetscInt n)
{
  PetscReal coarse, fine;

  PetscFunctionBegin;
  PetscCall(advance(create, type, order, n, &coarse));
  PetscCall(advance(create, type, order, 2 * n, &fine));
  CHECK(fine > 1e-12 && coarse < 0.2);
  CHECK_NEAR(log2(coarse / fine), order, 0.25);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_methods_of_order_one_have_their_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_order(heat_create, TSBEULER, 1, 8));
  if (check_alone()) PetscCall(check_order(heat_create, TSBDF, 2, 40));
  PetscCall(check_order(heat_create, TSTHETA, 2, 8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They make a second TS, or matrices of their own. */
static PetscErrorCode test_methods_of_stages_have_their_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_order(heat_create, TSARKIMEX, 3, 32));
  if (check_alone()) PetscCall(check_order(heat_create, TSROSW, 3, 32));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_alpha_of_order_two_has_its_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_order(wave_create, TSALPHA2, 2, 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option chooses another method; its answer is the exact one to its accuracy. */
static PetscErrorCode test_options_choose_the_method(void)
{
  PetscReal euler, bdf;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-ts_type", "bdf"));
  PetscCall(PetscOptionsSetValue(NULL, "-ts_bdf_order", "3"));
  PetscCall(advance(heat_create, TSBEULER, 1, 20, &bdf));
  PetscCall(PetscOptionsClearValue(NULL, "-ts_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-ts_bdf_order"));
  PetscCall(advance(heat_create, TSBEULER, 1, 20, &euler));
  CHECK(bdf < euler / 20);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Systems of C functions, too: u'' + u = 0 with u_i(0) = 1 + i, u_i'(0) = -i. */
static PetscErrorCode test_systems_of_callbacks(void)
{
  RungSystem         sys;
  TS                 ts;
  Vec                u;
  PetscInt           start, end;
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(oscillator_create(2, &sys));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSALPHA2));
  PetscCall(TSSetMaxTime(ts, 1));
  PetscCall(TSSetTimeStep(ts, 0.02));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(RungSystemSetTS(sys, ts));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(TSGetSolution(ts, &u));
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = start; i < end; ++i) CHECK_NEAR(x[i - start], (1 + (double)i) * cos(1) - (double)i * sin(1), 1e-3);
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCall(TSDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_a_ts_cannot_do_is_refused(void)
{
  RungSystem sys;
  TS         ts;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - v*dx"));
  CHECK_RAISES(RungSystemSetTS(sys, ts), "no time derivative");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetBounds(sys, "u", "0", NULL));
  CHECK_RAISES(RungSystemSetTS(sys, ts), "bounds on unknowns");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_methods_of_order_one_have_their_order),
               RUNG_TEST(test_methods_of_stages_have_their_order), RUNG_TEST(test_alpha_of_order_two_has_its_order),
               RUNG_TEST(test_options_choose_the_method), RUNG_TEST(test_systems_of_callbacks),
               RUNG_TEST(test_what_a_ts_cannot_do_is_refused))
