/* test_follow.c - ways of solutions: their values, a way that ends, what is refused, checkpoints. */
#include <check.h>
#include <rung.h>
#include <rungfollow.h>

typedef struct {
  RungSystem sys;
  PetscInt   n;
  PetscReal  value[32], u[32];
} Found;

static PetscErrorCode set(PetscReal value, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(RungSystemSetConstant(((Found *)ctx)->sys, "load", value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode found(PetscReal value, const RungState *state, void *ctx)
{
  Found *f = ctx;

  PetscFunctionBegin;
  if (f->n < 32) {
    f->value[f->n] = value;
    PetscCall(VecMax(state->u[0], NULL, &f->u[f->n]));
  }
  ++f->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u in a space, P0: on 5 points, else on an interval of 5 cells, with residual(u, load) = 0. */
static PetscErrorCode create_on(const char spec[], const char residual[], Found *f)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  memset(f, 0, sizeof *f);
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (!strcmp(spec, "P0"))
    PetscCall(RungMeshSetPoints(mesh, 5));
  else
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){5}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &f->sys));
  PetscCall(RungSystemSetConstant(f->sys, "load", 0));
  PetscCall(RungSystemAddUnknown(f->sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(f->sys, residual));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungFollowPlan plan_of(Found *f, PetscReal from, PetscReal to, PetscReal step)
{
  return (RungFollowPlan){
    .name = "load", .t = 0.5, .from = from, .to = to, .step = step, .set = set, .found = found, .ctx = f};
}

static PetscErrorCode create(const char residual[], Found *f)
{
  PetscFunctionBegin;
  PetscCall(create_on("P0", residual, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^3 + u = load, downwards too, at t = 1/2; the first solution is that of `from`. */
static PetscErrorCode test_a_way_has_a_solution_for_each_value(void)
{
  Found          f;
  RungFollowPlan plan;
  PetscReal      most;
  Vec            u;

  PetscFunctionBegin;
  PetscCall(create("(u^3 + u - 20*load*t)*v*dx", &f));
  PetscCall(RungSystemCreateVec(f.sys, &u));
  plan = plan_of(&f, 1, -1, 0.5);
  PetscCall(RungSystemFollow(f.sys, &plan, u));
  CHECK(f.n == 5);
  for (int i = 0; i < 5; ++i) {
    CHECK_NEAR(f.value[i], 1 - 0.5 * i, 1e-14);
    CHECK_NEAR(f.u[i] * f.u[i] * f.u[i] + f.u[i], 10 * f.value[i], 1e-8);
  }
  PetscCall(VecMax(u, NULL, &most));
  CHECK(most == f.u[4] && f.u[4] < -1.9);
  f.n = 0; /* and that of the load that is there */
  PetscCall(RungSystemFollow(f.sys, &(RungFollowPlan){.t = 0.5, .found = found, .ctx = &f}, NULL));
  CHECK(f.n == 1);
  CHECK_NEAR(f.u[0], most, 1e-10);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The way goes on from the checkpoint of its middle, with the same values. */
static PetscErrorCode test_a_way_goes_on_from_a_checkpoint(void)
{
  Found          f, rest;
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(create("(u^3 + u - 10*load)*v*dx", &f));
  plan      = plan_of(&f, 0, 1, 0.25);
  plan.to   = 0.5;
  plan.save = "way.h5";
  PetscCall(RungSystemFollow(f.sys, &plan, NULL));
  PetscCall(create("(u^3 + u - 10*load)*v*dx", &rest));
  plan      = plan_of(&rest, 0, 1, 0.25);
  plan.load = "way.h5";
  PetscCall(RungSystemFollow(rest.sys, &plan, NULL));
  CHECK(f.n == 3 && rest.n == 3);
  CHECK_NEAR(rest.value[0], 0.5, 0);
  CHECK_NEAR(rest.u[0], f.u[2], 0);
  CHECK_NEAR(rest.value[2], 1, 1e-14);
  CHECK_NEAR(rest.u[2], 2, 1e-8);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscCall(RungSystemDestroy(&rest.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = sqrt(1/4 - load) is there up to 1/4. */
static PetscErrorCode test_a_way_that_ends_is_told_of(void)
{
  Found          f;
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(create("(u - sqrt(0.25 - load))*v*dx", &f));
  plan = plan_of(&f, 0, 0.5, 0.1);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "it may be the largest load, or a point where solutions branch");
  CHECK(f.n > 3 && f.n < 32 && f.value[f.n - 1] <= 0.25);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = load, but never below 0. */
static PetscErrorCode test_bounds_hold_on_the_way(void)
{
  Found          f;
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(create("(u^3 + u - 10*load)*v*dx", &f));
  PetscCall(RungSystemSetBounds(f.sys, "u", "0", NULL));
  plan = plan_of(&f, 1, -1, 0.5);
  PetscCall(RungSystemFollow(f.sys, &plan, NULL));
  CHECK(f.n == 5);
  CHECK_NEAR(f.u[0], 2, 1e-8);
  for (int i = 2; i < 5; ++i) CHECK_NEAR(f.u[i], 0, 1e-14);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -u'' = load on an interval that nothing holds has a solution without a load alone; the solver is that of -ksp_... */
static PetscErrorCode test_a_load_that_nothing_balances_is_refused(void)
{
  Found          f;
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(create_on("P1", "grad(u)[0]*grad(v)[0]*dx - load*v*dx", &f));
  plan = plan_of(&f, 0, 1, 0.5);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL),
               "loads on what nothing holds, or flows into what is closed, are not");
  CHECK(f.n == 1);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscCall(create_on("P1", "grad(u)[0]*grad(v)[0]*dx + u*v*dx - (load + 1)*x[0]*v*dx", &f));
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type cg -pc_type none -ksp_max_it 1 -ksp_rtol 1e-12"));
  plan = plan_of(&f, 0, 1, 0.5);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "no solution at t = 0.5");
  for (int i = 0; i < 4; ++i)
    PetscCall(PetscOptionsClearValue(NULL, ((const char *[]){"-ksp_type", "-pc_type", "-ksp_max_it", "-ksp_rtol"})[i]));
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = load by callbacks that say that their Jacobian is constant: it is until set() changes what they read. */
static PetscReal stiffness;

static PetscErrorCode spring(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(r, -1));
  PetscCall(VecAXPY(r, stiffness, u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode spring_matrix(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                    void *ctx)
{
  PetscInt start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u, (void)ctx;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValue(J, i, i, sigma[0] * stiffness, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_stiffness(PetscReal value, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  stiffness = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_set_does_to_callbacks_counts(void)
{
  RungTraits traits = {
    .unknowns = 1, .linear = PETSC_TRUE, .constant_jacobian = PETSC_TRUE, .constant_block = {PETSC_TRUE}};
  Found          f = {NULL, 0, {0}, {0}};
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &f.sys));
  PetscCall(RungSystemSetCallbacks(f.sys, 3, traits, spring, spring_matrix, NULL));
  plan     = plan_of(&f, 1, 4, 1);
  plan.set = set_stiffness;
  PetscCall(RungSystemFollow(f.sys, &plan, NULL));
  CHECK(f.n == 4);
  for (int i = 0; i < 4; ++i) CHECK_NEAR(f.u[i], 1 / f.value[i], 1e-12);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where full steps find nothing the way out is said. */
static PetscErrorCode test_one_solution_that_is_not_there_is_told(void)
{
  Found f;

  PetscFunctionBegin;
  PetscCall(create("(u^2 + 1)*v*dx", &f));
  PetscCall(RungSystemSetInitial(f.sys, "u", "3"));
  CHECK_RAISES(RungSystemFollow(f.sys, &(RungFollowPlan){.t = 2, .found = found, .ctx = &f}, NULL),
               "; begin nearer to it, by initial values, or let a load grow to where it is");
  CHECK(f.n == 0);
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_has_no_way_is_refused(void)
{
  Found          f;
  RungFollowPlan plan;

  PetscFunctionBegin;
  PetscCall(create("(dt(u) + u - load)*v*dx", &f));
  plan = plan_of(&f, 0, 1, 0.5);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "of equations with time derivatives of order 1");
  PetscCall(RungSystemDestroy(&f.sys));
  PetscCall(create("(u - load)*v*dx", &f));
  plan = plan_of(&f, 0, 1, 0);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "a step of 0., wanted a positive number");
  plan = plan_of(&f, 0, 1, 1e-9);
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "more than a million steps from 0. to 1.");
  plan     = plan_of(&f, 0, 1, 0.5);
  plan.set = NULL;
  CHECK_RAISES(RungSystemFollow(f.sys, &plan, NULL), "a way of load without set()");
  PetscCall(RungSystemDestroy(&f.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_way_has_a_solution_for_each_value), RUNG_TEST(test_a_way_goes_on_from_a_checkpoint),
               RUNG_TEST(test_a_way_that_ends_is_told_of), RUNG_TEST(test_bounds_hold_on_the_way),
               RUNG_TEST(test_what_set_does_to_callbacks_counts),
               RUNG_TEST(test_one_solution_that_is_not_there_is_told),
               RUNG_TEST(test_a_load_that_nothing_balances_is_refused), RUNG_TEST(test_what_has_no_way_is_refused))
