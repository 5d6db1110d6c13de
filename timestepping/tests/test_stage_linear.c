/* test_stage_linear.c - iterations see J w = b and the past, Newton keeps factors: less work, the same results. */
#include "../step_impl.h"
#include <check.h>

static PetscErrorCode create(const char cell[], PetscInt n, const char residual[], const char data[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, 2, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "CG1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", data));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]*(1 - x[0]^2/3)"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of the last value; options are "-name", "value", .., NULL */
static PetscErrorCode run_with(RungSystem sys, const char type[], PetscInt steps, PetscReal dt,
                               const char *const options[], RungMonitorFn *monitor, void *ctx, RungStepperStatistics *s,
                               Vec *u)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  for (PetscInt i = 0; options[i]; i += 2) PetscCall(PetscOptionsSetValue(NULL, options[i], options[i + 1]));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetInterval(stepper, 0, (PetscReal)steps * dt, dt));
  if (monitor) PetscCall(RungStepperAddMonitor(stepper, monitor, ctx));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], u));
  PetscCall(VecCopy(state->u[0], *u));
  PetscCall(RungStepperDestroy(&stepper));
  for (PetscInt i = 0; options[i]; i += 2) PetscCall(PetscOptionsClearValue(NULL, options[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(RungSystem sys, const char type[], PetscInt steps, PetscReal dt, const char *const options[],
                          RungStepperStatistics *s, Vec *u)
{
  PetscFunctionBegin;
  PetscCall(run_with(sys, type, steps, dt, options, NULL, NULL, s, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |a - b| relative to |a|; destroys both */
static PetscErrorCode distance(Vec a, Vec b, PetscReal *d)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(a, NORM_2, &size));
  PetscCall(VecAXPY(b, -1, a));
  PetscCall(VecNorm(b, NORM_2, d));
  *d /= size;
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const direct[]   = {"-ksp_type", "preonly", "-pc_type", "lu", "-pc_factor_mat_solver_type",
                                       "mumps",     NULL};
static const char *const iterated[] = {"-ksp_type", "cg", "-pc_type", "jacobi", "-ksp_rtol", "1e-12", NULL};

/* Boundary data and a load that move: every part of the right-hand side counts. */
static PetscErrorCode test_an_iterated_linear_stage_equals_a_direct_one(void)
{
  static const char *const type[] = {RUNGBDF, RUNGDIRK, RUNGALPHA};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type); ++i) {
    RungStepperStatistics s[2];
    RungSystem            sys;
    PetscReal             d;
    Vec                   u[2];

    PetscCall(create("triangle", 8, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - exp(-t)*x[1]*v*dx", "sin(3*t)", &sys));
    PetscCall(run(sys, type[i], 6, 0.05, direct, &s[0], &u[0]));
    PetscCall(run(sys, type[i], 6, 0.05, iterated, &s[1], &u[1]));
    PetscCall(distance(u[0], u[1], &d));
    CHECK_NEAR(d, 0, 1e-10);
    CHECK(s[0].residuals == s[1].residuals && s[0].jacobians == s[1].jacobians);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is given has rows of the identity: beside those of cells a millionth as long it is large, and says nothing of what an iteration has
   left.  With 3e6 added steps change so little of u that increments are solved for. */
static PetscErrorCode test_given_values_do_not_hide_small_rows(void)
{
  static const char *const data[] = {"sin(3*t)", "3e6 + sin(3*t)"}, *const start[] = {"x[0]", "3e6 + x[0]"};
  const PetscReal wanted[] = {1e-10, 1e-13};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungStepperStatistics s[2];
    RungSystem            sys;
    PetscReal             d;
    Vec                   u[2];

    PetscCall(create("triangle", 8, "1e-12*(dt(u)*v + inner(grad(u), grad(v)) - exp(-t)*x[1]*v)*dx", data[i], &sys));
    PetscCall(RungSystemSetInitial(sys, "u", start[i]));
    PetscCall(run(sys, RUNGBDF, 6, 0.05, direct, &s[0], &u[0]));
    PetscCall(run(sys, RUNGBDF, 6, 0.05, iterated, &s[1], &u[1]));
    PetscCall(distance(u[0], u[1], &d));
    CHECK_NEAR(d, 0, wanted[i]);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1e-12 from a guess of order 4 is nearer than from the last value. */
static PetscErrorCode test_a_smooth_past_saves_iterations(void)
{
  RungStepperStatistics few, many;
  RungSystem            sys;
  Vec                   u;

  PetscFunctionBegin;
  PetscCall(create("triangle", 16, "dt(u)*v*dx + 0.01*inner(grad(u), grad(v))*dx", "0", &sys));
  PetscCall(run(sys, RUNGBDF, 3, 0.01, iterated, &few, &u));
  PetscCall(VecDestroy(&u));
  PetscCall(run(sys, RUNGBDF, 30, 0.01, iterated, &many, &u));
  PetscCall(VecDestroy(&u));
  CHECK(many.linear < 7 * few.linear);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor that has another value of c, or of the field k, from t = 0.1 on. */
typedef struct {
  RungSystem sys;
  RungField  k;
  PetscBool  field;
} Change;

static PetscErrorCode change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Change *c = ctx;
  Vec     values;

  PetscFunctionBegin;
  (void)t, (void)u;
  if (step != 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFieldGetVec(c->k, &values));
  if (c->field) {
    PetscCall(VecSet(values, 5));
    PetscCall(RungStepperMarkJump(stepper));
  } else
    PetscCall(RungSystemSetConstant(c->sys, "c", 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c k = 1, then 5, with kept matrices; the same as a switch in time, whose matrices are assembled every time: three jumps. */
static PetscErrorCode test_kept_matrices_follow_constants_and_fields_between_steps(void)
{
  const char *const *const by[] = {direct, iterated};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungStepperStatistics s;
    RungSystem            sys[2];
    RungSpace             space;
    Change                c = {.field = i % 2 ? PETSC_TRUE : PETSC_FALSE};
    PetscReal             d;
    Vec                   u[2], values;

    PetscCall(create("triangle", 8, "dt(u)*v*dx + c*k*inner(grad(u), grad(v))*dx - v*dx", "0", &c.sys));
    PetscCall(RungSystemSetConstant(c.sys, "c", 1));
    PetscCall(RungSystemGetUnknown(c.sys, 0, NULL, &space));
    PetscCall(RungFieldCreate(space, "k", &c.k));
    PetscCall(RungFieldGetVec(c.k, &values));
    PetscCall(VecSet(values, 1));
    PetscCall(RungSystemAddField(c.sys, "k", c.k));
    PetscCall(create("triangle", 8, "dt(u)*v*dx + if(t > 0.1, 5, 1)*inner(grad(u), grad(v))*dx - v*dx", "0", &sys[1]));
    PetscCall(run_with(c.sys, RUNGBDF, 5, 0.05, by[i / 2], change, &c, &s, &u[0]));
    CHECK(s.jacobians < 5);
    PetscCall(run(sys[1], RUNGBDF, 5, 0.05, by[i / 2], &s, &u[1]));
    PetscCall(distance(u[0], u[1], &d));
    CHECK_NEAR(d, 0, 1e-10);
    PetscCall(RungSystemDestroy(&c.sys));
    PetscCall(RungSystemDestroy(&sys[1]));
    PetscCall(RungFieldDestroy(&c.k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_newton_with_old_factors_finds_the_same(void)
{
  static const char *const own[] = {NULL};
  RungStepperStatistics    s[2];
  RungSystem               sys;
  PetscReal                d;
  Vec                      u[2];

  PetscFunctionBegin;
  PetscCall(create("quadrilateral", 48, "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", "t", &sys));
  PetscCall(run(sys, RUNGBDF, 6, 0.02, direct, &s[0], &u[0]));
  PetscCall(run(sys, RUNGBDF, 6, 0.02, own, &s[1], &u[1]));
  PetscCall(distance(u[0], u[1], &d));
  CHECK_NEAR(d, 0, 1e-10);
  CHECK(s[0].factorisations == s[0].jacobians);
  CHECK(2 * s[1].factorisations <= s[1].jacobians);
  CHECK(s[1].residuals <= s[1].newton + 2 * 6); /* that of the guess that was chosen is not asked for again */
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of few entries have no pivots: what passes for zero there is told in the units of the equations. */
static PetscErrorCode test_units_decide_about_no_pivot(void)
{
  static const char *const none[] = {NULL}, *const lu[] = {"-pc_type", "lu", NULL},
                           *const mg[]       = {"-pc_type", "mg", NULL};
  static const char *const        residual[] = {"c*(dt(u)*v + inner(grad(u), grad(v)) - v)*dx",
                                                "c*(dt(u)*v + (1 + u^2)*inner(grad(u), grad(v)) - v)*dx"};
  const char *const *const        by[]       = {none, lu, mg};
  PetscMPIInt                     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsSetValue(NULL, "-space_u", "CG2"));
  for (int i = 0; i < 6; ++i) {
    RungStepperStatistics s;
    PetscReal             d;
    RungSystem            sys;
    Vec                   u[2];

    if (i % 3 == 1 && size > 1) continue; /* PETSc has factors on one rank alone */
    PetscCall(create("triangle", 6, residual[i / 3], "0", &sys));
    PetscCall(RungSystemSetConstant(sys, "c", 1));
    PetscCall(run(sys, RUNGBDF, 2, 0.1, none, &s, &u[0]));
    PetscCall(RungSystemSetConstant(sys, "c", 1e-20));
    PetscCall(run(sys, RUNGBDF, 2, 0.1, by[i % 3], &s, &u[1]));
    PetscCall(distance(u[0], u[1], &d));
    CHECK_NEAR(d, 0, 1e-8);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-space_u"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_iterated_linear_stage_equals_a_direct_one),
               RUNG_TEST(test_given_values_do_not_hide_small_rows), RUNG_TEST(test_a_smooth_past_saves_iterations),
               RUNG_TEST(test_kept_matrices_follow_constants_and_fields_between_steps),
               RUNG_TEST(test_newton_with_old_factors_finds_the_same), RUNG_TEST(test_units_decide_about_no_pivot))
