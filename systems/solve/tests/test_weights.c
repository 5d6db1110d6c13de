/* test_weights.c - what is few is seen beside what is much, in any units; the largest values that tolerances follow. */
#include <rungsolve_room.h>

#include <check.h>

/* A field u of order 2 on an interval of 8 cells with data on the left, a vector p of order 1 on it, a number q. */
static PetscErrorCode make_system(RungSystem *sys)
{
  const char *const spec[] = {"P1", "P1^2", "R"}, *const name[] = {"u", "p", "q"}, *const test[] = {"v", "w", "r"};
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, (PetscReal[]){1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 3; ++f) {
    RungSpace space;

    PetscCall(RungSpaceCreate(mesh, spec[f], &space));
    PetscCall(RungSystemAddUnknown(*sys, name[f], test[f], space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungSystemAddResidual(*sys, "(dt(u, 2) + u)*v*dx + inner(dt(p) + p, w)*dx + (dt(q) + q)*r*dR"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "t"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of unknown f, component c of n, are a. */
static PetscErrorCode put(RungSystem sys, Vec v, PetscInt f, PetscInt c, PetscInt n, PetscReal a)
{
  PetscScalar *x;
  PetscInt     start, end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(sys, f, &start, &end));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = start + c; i < end; i += n) x[i] = a;
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungSystem   sys;
  RungWeights  weights;
  RungState    level;
  Vec          zero;
  RungMeasured m;
} World;

static PetscErrorCode make_world(RungErrorNormType norm, World *world)
{
  PetscFunctionBegin;
  memset(world, 0, sizeof *world);
  PetscCall(make_system(&world->sys));
  PetscCall(RungWeightsCreate(world->sys, norm, &world->weights));
  PetscCall(RungSystemCreateVec(world->sys, &world->zero));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecZeroEntries(world->zero));
    PetscCall(VecDuplicate(world->zero, &world->m.error[k]));
    PetscCall(VecDuplicate(world->zero, &world->m.defect[k]));
    PetscCall(VecDuplicate(world->zero, &world->m.to[k]));
    PetscCall(VecZeroEntries(world->m.error[k]));
    PetscCall(VecZeroEntries(world->m.defect[k]));
    PetscCall(VecZeroEntries(world->m.to[k]));
    world->m.from[k]  = world->zero;
    world->level.u[k] = world->zero;
  }
  PetscCall(RungSystemGetErrorMask(world->sys, &world->m.mask));
  for (PetscInt f = 0; f < 3; ++f) {
    for (PetscInt c = 0; c < (f == 1 ? 2 : 1); ++c) PetscCall(RungWeightsSet(world->weights, f, 0, c, 0.5, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_world(World *world)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&world->m.error[k]));
    PetscCall(VecDestroy(&world->m.defect[k]));
    PetscCall(VecDestroy(&world->m.to[k]));
  }
  PetscCall(VecDestroy(&world->zero));
  PetscCall(RungWeightsDestroy(&world->weights));
  PetscCall(RungSystemDestroy(&world->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal measure(World *world)
{
  PetscReal error = -1;

  (void)RungWeightsMeasure(world->weights, &world->m, &error);
  return error;
}

static PetscErrorCode test_the_largest_group_decides(void)
{
  World world;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  CHECK(measure(&world) == 0);
  PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 3)); /* one number beside 27 entries */
  CHECK_NEAR(measure(&world), 3, 1e-15);
  PetscCall(put(world.sys, world.m.error[0], 1, 1, 2, -8)); /* one component of two */
  CHECK_NEAR(measure(&world), 8 / sqrt(2), 1e-14);
  PetscCall(put(world.sys, world.m.to[0], 1, 1, 2, -6)); /* s = 1 + 0.5 6 */
  CHECK_NEAR(measure(&world), 3, 1e-14);
  PetscCall(put(world.sys, world.m.error[0], 0, 0, 1, 5)); /* free ones: the eight without data */
  CHECK_NEAR(measure(&world), 5, 1e-14);
  world.m.mask = NULL;
  CHECK_NEAR(measure(&world), 5, 1e-14);
  PetscCall(put(world.sys, world.m.error[0], 0, 0, 1, NAN));
  CHECK(PetscIsInfReal(measure(&world)));
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_of_order_two_have_a_tolerance_of_their_own(void)
{
  PetscInt n;
  World    world;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  (void)RungWeightsValues(world.weights, &n);
  CHECK(n == 12); /* u and dt(u) of three unknowns, and their data */
  PetscCall(put(world.sys, world.m.to[0], 0, 0, 1, 4));
  PetscCall(put(world.sys, world.m.to[1], 0, 0, 1, 200));
  PetscCall(put(world.sys, world.m.error[1], 0, 0, 1, 400)); /* atol V/U = 50, rtol V = 100 */
  PetscCall(put(world.sys, world.m.error[1], 1, 0, 2, 1e9)); /* "v" of unknowns of order 1 */
  PetscCall(put(world.sys, world.m.error[1], 2, 0, 1, 1e9));
  CHECK_NEAR(measure(&world), 400. / 150, 1e-14);
  PetscCall(RungWeightsSet(world.weights, 0, 0, 0, 0.5, 0));
  CHECK_NEAR(measure(&world), 4, 1e-14);
  PetscCall(RungWeightsSet(world.weights, 0, 1, 0, 0, 50));
  CHECK_NEAR(measure(&world), 8, 1e-14);
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_defect_of_data_counts_by_its_maximum(void)
{
  World world;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  PetscCall(put(world.sys, world.m.defect[0], 0, 0, 1, 7)); /* one entry has data, the free ones have no defect */
  CHECK_NEAR(measure(&world), 7, 1e-14);
  PetscCall(put(world.sys, world.m.to[1], 0, 0, 1, 2));
  PetscCall(put(world.sys, world.m.defect[1], 0, 0, 1, 20)); /* U = 0: rtol V, twice */
  CHECK_NEAR(measure(&world), 10, 1e-14);
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_norms_of_a_group(void)
{
  const RungErrorNormType norm[]   = {RUNG_ERROR_RMS, RUNG_ERROR_MAX, RUNG_ERROR_L2};
  const PetscReal         wanted[] = {4 * sqrt(1.0 / 9), 4, 4 * sqrt(1.0 / 16)}; /* the last node has half a volume */
  PetscScalar            *x;
  PetscInt                start, end;
  World                   world;

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    PetscCall(make_world(norm[i], &world));
    world.m.mask = NULL;
    PetscCall(put(world.sys, world.m.error[0], 0, 0, 1, 1));
    CHECK_NEAR(measure(&world), 1, 1e-13);
    PetscCall(RungSystemGetRange(world.sys, 0, &start, &end));
    PetscCall(VecGetArray(world.m.error[0], &x));
    for (PetscInt e = start; e < end; ++e) {
      char name[32], place[32];

      PetscCall(RungSystemDescribeEntry(world.sys, e, name, sizeof name, place, sizeof place));
      x[e] = strcmp(place, " at 1") == 0 ? 4 : 0;
    }
    PetscCall(VecRestoreArray(world.m.error[0], &x));
    CHECK_NEAR(measure(&world), wanted[i], 1e-13);
    PetscCall(destroy_world(&world));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_not_finite_is_infinite_in_every_norm(void)
{
  const RungErrorNormType norm[] = {RUNG_ERROR_RMS, RUNG_ERROR_MAX, RUNG_ERROR_L2};
  World                   world;

  PetscFunctionBegin;
  for (int i = 0; i < 6; ++i) {
    PetscCall(make_world(norm[i / 2], &world));
    PetscCall(put(world.sys, world.m.error[0], 1, 0, 2, i % 2 ? 1e-9 : NAN));
    PetscCall(put(world.sys, world.m.to[0], 1, 0, 2, i % 2 ? INFINITY : 1));
    CHECK(PetscIsInfReal(measure(&world)));
    PetscCall(destroy_world(&world));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_atol_follows_the_largest_value_of_accepted_levels(void)
{
  World     world;
  PetscReal rtol, atol;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  PetscCall(RungWeightsDestroy(&world.weights));
  PetscCall(RungWeightsCreate(world.sys, RUNG_ERROR_RMS, &world.weights));
  for (PetscInt f = 0; f < 3; ++f) PetscCall(RungWeightsSet(world.weights, f, 0, 0, 0.5, RUNG_AUTOMATIC));
  PetscCall(RungWeightsSet(world.weights, 1, 0, 1, 0.5, RUNG_AUTOMATIC));
  PetscCall(RungWeightsStart(world.weights, &world.level, PETSC_TRUE));
  CHECK(measure(&world) == 0); /* all at rest: neither error nor scale */
  PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 1));
  CHECK(measure(&world) > 1e90 && !PetscIsInfReal(measure(&world))); /* too much, and no accident */
  PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, -10));            /* the attempt's own end counts */
  CHECK_NEAR(measure(&world), 0.1, 1e-15);
  RungWeightsGet(world.weights, 2, 0, 0, &rtol, &atol);
  CHECK(rtol == 0.5 && atol == 0); /* .. as long as nobody has accepted it */
  PetscCall(RungWeightsAccept(world.weights, &world.level));
  RungWeightsGet(world.weights, 2, 0, 0, &rtol, &atol);
  CHECK(atol == 5);
  PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, 0));
  CHECK_NEAR(measure(&world), 0.2, 1e-15);
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_refused_attempt_tells_sizes_that_are_believed(void)
{
  const PetscReal *seen;
  World            world;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  seen = RungWeightsSeen(world.weights);
  PetscCall(put(world.sys, world.m.to[0], 1, 0, 2, 4));
  PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, 1e30));
  PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 1e31));
  CHECK(measure(&world) > 1);
  PetscCall(RungWeightsRefuse(world.weights, 3, PETSC_TRUE));
  CHECK(seen[0] == 3 && seen[1] == 1); /* data of u at t = 3 and their rate */
  CHECK(seen[2] == 4 && seen[4] == 0); /* p is believed, q is not           */
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a run that goes on q has a size, although it is 0 now: an attempt that blows up in q is not believed in p. */
static PetscErrorCode test_sizes_go_on_with_a_run(void)
{
  PetscFunctionBegin;
  for (int on = 0; on < 2; ++on) {
    World world;

    PetscCall(make_world(RUNG_ERROR_RMS, &world));
    PetscCall(RungWeightsStart(world.weights, &world.level, PETSC_TRUE));
    RungWeightsResume(world.weights, 0, (PetscReal[]){1, 0, 0, 0, on ? 1e-3 : 0, 0});
    PetscCall(put(world.sys, world.m.to[0], 1, 0, 2, 4));
    PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, 1e-3));
    PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 1e31));
    CHECK(measure(&world) > 1);
    PetscCall(RungWeightsRefuse(world.weights, 0, PETSC_TRUE));
    CHECK(RungWeightsSeen(world.weights)[2] == (on ? 0 : 4));
    PetscCall(destroy_world(&world));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q is ten million times as large as before and as wrong: p, which it takes along, is not believed although its own error is small; where q has
   hardly grown p is. */
static PetscErrorCode test_what_grows_and_is_wrong_has_blown_up(void)
{
  PetscFunctionBegin;
  for (int grows = 0; grows < 2; ++grows) {
    const PetscReal q = grows ? 1e7 : 10;
    World           world;

    PetscCall(make_world(RUNG_ERROR_RMS, &world));
    PetscCall(RungWeightsStart(world.weights, &world.level, PETSC_TRUE));
    RungWeightsResume(world.weights, 0, (PetscReal[]){1, 0, 1, 0, 1, 0});
    PetscCall(put(world.sys, world.m.to[0], 1, 0, 2, 4e6));
    PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, q));
    PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 10 * q));
    CHECK(measure(&world) > 1);
    PetscCall(RungWeightsRefuse(world.weights, 0, PETSC_TRUE));
    CHECK(RungWeightsSeen(world.weights)[2] == (grows ? 1 : 4e6));
    PetscCall(destroy_world(&world));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of q is larger than its value while others are good: its size is that error, whether the method is stable or h lambda is 1; an
   end that is infinite is none. */
static PetscErrorCode test_what_begins_has_a_size_where_others_are_good(void)
{
  PetscFunctionBegin;
  for (int stable = 0; stable < 2; ++stable) {
    World world;

    PetscCall(make_world(RUNG_ERROR_RMS, &world));
    for (PetscInt f = 0; f < 3; ++f) PetscCall(RungWeightsSet(world.weights, f, 0, 0, 1e-3, 0));
    RungWeightsResume(world.weights, 0, (PetscReal[]){1, 1, 1, 0, 0, 0});
    world.m.stable = stable ? PETSC_TRUE : PETSC_FALSE;
    world.m.h      = 1;
    PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, PETSC_MAX_REAL * 2));
    PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 3));
    (void)measure(&world);
    PetscCall(RungWeightsRefuse(world.weights, 0, PETSC_TRUE));
    CHECK(RungWeightsSeen(world.weights)[4] == 0);
    PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, 2));
    CHECK(measure(&world) > 1);
    PetscCall(RungWeightsRefuse(world.weights, 0, PETSC_TRUE));
    CHECK(RungWeightsSeen(world.weights)[4] == 3);
    PetscCall(destroy_world(&world));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_that_grow_at_once_are_believed_up_to_a_multiple(void)
{
  World world;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  PetscCall(RungWeightsSet(world.weights, 2, 0, 0, 0.5, 0));
  PetscCall(VecDuplicate(world.zero, &world.m.rate[0]));
  PetscCall(VecZeroEntries(world.m.rate[0]));
  world.m.growth = 10;
  world.m.h      = 0.25;
  PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 1e6));
  PetscCall(put(world.sys, world.m.to[0], 2, 0, 1, 1e8)); /* nothing is known of a size: all of it counts */
  CHECK_NEAR(measure(&world), 2e-2, 1e-15);
  PetscCall(put(world.sys, world.m.rate[0], 2, 0, 1, 1e-12)); /* the rounding of data that begin: still nothing */
  CHECK_NEAR(measure(&world), 2e-2, 1e-15);
  PetscCall(put(world.sys, world.m.rate[0], 2, 0, 1, -8)); /* s = 0.5 10 0.25 8 */
  CHECK_NEAR(measure(&world), 1e5, 1e-9);
  RungWeightsResume(world.weights, 0, (PetscReal[]){0, 0, 0, 0, 4, 0}); /* s = 0.5 10 4 */
  CHECK_NEAR(measure(&world), 5e4, 1e-9);
  PetscCall(RungWeightsRefuse(world.weights, 0, PETSC_TRUE));
  CHECK(RungWeightsSeen(world.weights)[4] == 4);
  PetscCall(RungWeightsAccept(world.weights, &world.level)); /* what was accepted is there */
  CHECK(RungWeightsSeen(world.weights)[4] == 1e8);
  PetscCall(VecDestroy(&world.m.rate[0]));
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tolerances_below_a_bound_take_a_power(void)
{
  World     world;
  PetscReal rtol, atol;

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_RMS, &world));
  RungWeightsSetPower(world.weights, 0.5);
  PetscCall(RungWeightsSet(world.weights, 2, 0, 0, 1e-6, 3));
  PetscCall(put(world.sys, world.m.error[0], 2, 0, 1, 3));
  CHECK_NEAR(measure(&world), 10, 1e-12); /* sqrt(1e-4/1e-6) */
  RungWeightsGet(world.weights, 2, 0, 0, &rtol, &atol);
  CHECK(rtol == 1e-6 && atol == 3); /* what was asked for */
  PetscCall(RungWeightsSet(world.weights, 2, 0, 0, 1e-3, 3));
  CHECK_NEAR(measure(&world), 1, 1e-12);
  PetscCall(RungWeightsSet(world.weights, 2, 0, 0, 0, 3));
  CHECK_NEAR(measure(&world), 1, 1e-12);
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_largest_entries_are_named_with_their_places(void)
{
  World        world;
  PetscScalar *x;
  PetscInt     start, end;
  char         text[1024];

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_MAX, &world));
  PetscCall(put(world.sys, world.m.to[0], 1, 1, 2, 2));
  PetscCall(RungSystemGetRange(world.sys, 1, &start, &end));
  PetscCall(VecGetArray(world.m.error[0], &x));
  for (PetscInt e = start; e < end; ++e) {
    char name[32], place[32];

    PetscCall(RungSystemDescribeEntry(world.sys, e, name, sizeof name, place, sizeof place));
    if (!strcmp(name, "p[1]")) x[e] = strcmp(place, " at 0.75") ? strcmp(place, " at 0.25") ? 2 : -4 : 6;
  }
  PetscCall(VecRestoreArray(world.m.error[0], &x));
  PetscCall(put(world.sys, world.m.defect[0], 0, 0, 1, 0.5));
  CHECK_NEAR(measure(&world), 3, 1e-14);
  PetscCall(RungWeightsExplain(world.weights, 3, text, sizeof text));
  CHECK(strstr(text, "p 3: p[1] at 0.75 3 (error 6, value 2), p[1] at 0.25 2 (error -4, value 2), p[1] at ") == text);
  CHECK(strstr(text, "; boundary data of u 0.5: u at 0 0.5 (error 0.5, value 0)"));
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p = (1e-9, 2) everywhere, in the tolerances of its largest component: p[0] is below 1e-6 of it. */
static PetscErrorCode test_components_below_the_tolerance_of_their_vector_are_told(void)
{
  World world;
  char  text[1024];

  PetscFunctionBegin;
  PetscCall(make_world(RUNG_ERROR_MAX, &world));
  PetscCall(RungWeightsDestroy(&world.weights));
  PetscCall(RungWeightsCreate(world.sys, RUNG_ERROR_RMS, &world.weights));
  for (PetscInt f = 0; f < 3; ++f) PetscCall(RungWeightsSet(world.weights, f, 0, 0, 1e-6, RUNG_AUTOMATIC));
  PetscCall(RungWeightsSet(world.weights, 1, 0, 1, 1e-6, RUNG_AUTOMATIC));
  PetscCall(put(world.sys, world.level.u[0], 1, 0, 2, 1e-9));
  PetscCall(put(world.sys, world.level.u[0], 1, 1, 2, -2));
  PetscCall(RungWeightsStart(world.weights, &world.level, PETSC_TRUE));
  (void)measure(&world);
  PetscCall(RungWeightsTellUnresolved(world.weights, text, sizeof text));
  CHECK(!strncmp(text, "; |p[0]| is at most 1e-09 and below 2e-06, ", 43) &&
        strstr(text, "\"tolerances REL ABS p[0]\""));
  PetscCall(RungWeightsSet(world.weights, 1, 0, 0, RUNG_AUTOMATIC, 1e-12));
  PetscCall(RungWeightsTellUnresolved(world.weights, text, sizeof text));
  CHECK(!text[0]);
  PetscCall(destroy_world(&world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n points with a pair of entries each; the errors of the first are (3, 4), the others have none. */
static PetscErrorCode norm_on_points(PetscInt n, RungErrorNormType norm, PetscReal *error)
{
  RungMesh     mesh;
  RungSpace    space;
  RungSystem   sys;
  RungWeights  weights;
  RungMeasured m = {.mask = NULL};
  PetscInt     start;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, n));
  PetscCall(RungSpaceCreate(mesh, "P0^2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "z", space));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(y), z)*dx"));
  PetscCall(RungWeightsCreate(sys, norm, &weights));
  for (PetscInt c = 0; c < 2; ++c) PetscCall(RungWeightsSet(weights, 0, 0, c, 0, 1));
  PetscCall(RungSystemCreateVec(sys, &m.error[0]));
  PetscCall(VecZeroEntries(m.error[0]));
  PetscCall(VecDuplicate(m.error[0], &m.from[0]));
  PetscCall(VecZeroEntries(m.from[0]));
  PetscCall(VecGetOwnershipRange(m.error[0], &start, NULL));
  if (!start) PetscCall(VecSetValues(m.error[0], 2, (PetscInt[]){0, 1}, (PetscScalar[]){3, 4}, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(m.error[0]));
  PetscCall(VecAssemblyEnd(m.error[0]));
  PetscCall(RungWeightsMeasure(weights, &m, error));
  PetscCall(VecDestroy(&m.error[0]));
  PetscCall(VecDestroy(&m.from[0]));
  PetscCall(RungWeightsDestroy(&weights));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2, 1e-2, 1e-9) at one of two points, then smaller: each component has the tolerance of its largest value, but no less than 1e-4 of the vector's. */
static PetscErrorCode test_components_at_points_have_sizes_of_their_own(void)
{
  static const PetscReal wanted[3] = {2e-3, 1e-5, 2e-7}, first[3] = {2, 1e-2, 1e-9};
  RungMesh               mesh;
  RungSpace              space;
  RungSystem             sys;
  RungWeights            weights;
  RungMeasured           m     = {.mask = NULL};
  RungState              level = {0};
  PetscReal              error, seen[5], rtol, atol;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 2));
  PetscCall(RungSpaceCreate(mesh, "P0^3", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "z", space));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(y), z)*dx"));
  PetscCall(RungWeightsCreate(sys, RUNG_ERROR_RMS, &weights));
  for (PetscInt c = 0; c < 3; ++c) PetscCall(RungWeightsSet(weights, 0, 0, c, 1e-3, RUNG_AUTOMATIC));
  PetscCall(RungSystemCreateVec(sys, &level.u[0]));
  for (PetscInt c = 0; c < 3; ++c) PetscCall(put(sys, level.u[0], 0, c, 3, -first[c]));
  PetscCall(RungWeightsStart(weights, &level, PETSC_TRUE));
  PetscCall(VecScale(level.u[0], 0.5));
  PetscCall(VecDuplicate(level.u[0], &m.error[0]));
  PetscCall(VecZeroEntries(m.error[0]));
  m.from[0] = level.u[0];
  m.to[0]   = level.u[0];
  PetscCall(RungWeightsMeasure(weights, &m, &error));
  PetscCall(RungWeightsAccept(weights, &level));
  CHECK(RungWeightsSizes(weights) == 5);
  for (PetscInt c = 0; c < 3; ++c) {
    RungWeightsGet(weights, 0, 0, c, &rtol, &atol);
    CHECK_NEAR(atol, wanted[c], 1e-12 * wanted[c]);
    PetscCall(put(sys, m.error[0], 0, c, 3, c == 1 ? 3e-5 : 0));
  }
  PetscCall(RungWeightsMeasure(weights, &m, &error));
  CHECK_NEAR(error, 3e-5 / (1e-5 + 5e-6) / sqrt(3), 1e-12);
  PetscCall(PetscArraycpy(seen, RungWeightsSeen(weights), 5));
  seen[3] = 1;
  RungWeightsResume(weights, 0, seen); /* a run that was saved goes on */
  RungWeightsGet(weights, 0, 0, 1, &rtol, &atol);
  CHECK_NEAR(atol, 1e-3, 1e-15);
  PetscCall(VecDestroy(&m.error[0]));
  PetscCall(VecDestroy(&level.u[0]));
  PetscCall(RungWeightsDestroy(&weights));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_idle_copies_do_not_hide_one_point(void)
{
  PetscReal error;

  PetscFunctionBegin;
  for (PetscInt n = 2; n < 1e5; n *= 100) {
    PetscCall(norm_on_points(n, RUNG_ERROR_RMS, &error));
    CHECK_NEAR(error, sqrt(12.5), 1e-14);
  }
  PetscCall(norm_on_points(100, RUNG_ERROR_MAX, &error));
  CHECK_NEAR(error, 4, 1e-14);
  PetscCall(norm_on_points(100, RUNG_ERROR_L2, &error));
  CHECK_NEAR(error, sqrt(12.5), 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_largest_group_decides),
               RUNG_TEST(test_rates_of_order_two_have_a_tolerance_of_their_own),
               RUNG_TEST(test_a_defect_of_data_counts_by_its_maximum), RUNG_TEST(test_norms_of_a_group),
               RUNG_TEST(test_what_is_not_finite_is_infinite_in_every_norm),
               RUNG_TEST(test_atol_follows_the_largest_value_of_accepted_levels),
               RUNG_TEST(test_a_refused_attempt_tells_sizes_that_are_believed), RUNG_TEST(test_sizes_go_on_with_a_run),
               RUNG_TEST(test_what_grows_and_is_wrong_has_blown_up),
               RUNG_TEST(test_what_begins_has_a_size_where_others_are_good),
               RUNG_TEST(test_values_that_grow_at_once_are_believed_up_to_a_multiple),
               RUNG_TEST(test_tolerances_below_a_bound_take_a_power),
               RUNG_TEST(test_the_largest_entries_are_named_with_their_places),
               RUNG_TEST(test_components_below_the_tolerance_of_their_vector_are_told),
               RUNG_TEST(test_components_at_points_have_sizes_of_their_own),
               RUNG_TEST(test_idle_copies_do_not_hide_one_point))
