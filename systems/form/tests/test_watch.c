/* test_watch.c - reactions against balances, largest and least values against those that are known. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode find(RungSystem sys, const char name[], const PetscReal value[], PetscReal *found)
{
  PetscInt           n;
  const char *const *names;

  PetscFunctionBegin;
  PetscCall(RungSystemGetQuantities(sys, &n, &names, NULL));
  *found = NAN;
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(names[i], name)) *found = value[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make(const char cell[], PetscInt dim, const char spec[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){4, 3, 2}, (PetscReal[]){2, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, of a scalar that does not change, with a start. */
static PetscErrorCode make_still(const char cell[], const char spec[], const char start[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(make(cell, 2, spec, sys));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is watched, at the start with this t. */
static PetscErrorCode watch(RungSystem sys, PetscReal t, PetscReal value[])
{
  Vec u[2];

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(RungSystemEvaluateQuantities(sys, t, u, value));
  PetscCall(vecs_destroy(2, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of weight 3 a volume that hangs between both ends: they hold -3 V in all, each half of it, whatever its cells are. */
static PetscErrorCode test_supports_hold_the_weight(void)
{
  static const char *const cell[] = {"interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};
  static const PetscInt    dim[]  = {1, 2, 2, 3, 3};

  PetscFunctionBegin;
  for (int c = 0; c < 5; ++c) {
    RungSystem          sys;
    RungTransientSystem ts;
    const RungState    *state;
    PetscReal           value[16], left, right;

    PetscCall(make(cell[c], dim[c], "CG2^d", &sys));
    PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - 3*v[0]*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(RungSystemSetDirichlet(sys, "u[0]", "right", "0"));
    PetscCall(RungSystemAddWatch(sys, RUNG_REACTION, "wall", "u", "left"));
    PetscCall(RungSystemAddWatch(sys, RUNG_REACTION, "other", "u[0]", "right"));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungTransientSystemStart(ts, 0));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, value));
    PetscCall(find(sys, "wall[0]", value, &left));
    PetscCall(find(sys, "other", value, &right));
    CHECK_NEAR(left + right, -6, 1e-9);
    CHECK_NEAR(right, -3, 1e-9);
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_extremes_have_value_and_place(void)
{
  RungSystem sys;
  PetscReal  value[16], found;

  PetscFunctionBegin;
  PetscCall(make_still("triangle", "CG2", "x[0]*(2 - x[0]) + x[1]", &sys));
  PetscCall(RungSystemAddWatch(sys, RUNG_MAXIMUM, "top", "u", NULL));
  PetscCall(RungSystemAddWatch(sys, RUNG_MINIMUM, "slope", "grad(u)[0] - t", NULL));
  PetscCall(watch(sys, 0.5, value));
  PetscCall(find(sys, "top", value, &found));
  CHECK_NEAR(found, 2, 1e-13);
  PetscCall(find(sys, "top.x", value, &found));
  CHECK_NEAR(found, 1, 1e-13);
  PetscCall(find(sys, "top.y", value, &found));
  CHECK_NEAR(found, 1, 1e-13);
  PetscCall(find(sys, "slope", value, &found));
  CHECK_NEAR(found, -2.5, 1e-12);
  PetscCall(find(sys, "slope.x", value, &found));
  CHECK_NEAR(found, 2, 1e-13);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that differ by rounding alone, 1e-15 here, have the same place on any ranks. */
static PetscErrorCode test_of_equal_values_the_first_place_is_told(void)
{
  RungSystem sys;
  PetscReal  value[16], found;

  PetscFunctionBegin;
  PetscCall(make_still("quadrilateral", "CG1", "1 - abs(1 - x[0])*(1 - 4e-15) - 1e-15*x[0] + 2e-15*x[1]", &sys));
  PetscCall(RungSystemAddWatch(sys, RUNG_MINIMUM, "low", "u", NULL));
  PetscCall(RungSystemAddWatch(sys, RUNG_MAXIMUM, "flat", "3 + 1e-15*u", NULL));
  PetscCall(watch(sys, 0, value));
  PetscCall(find(sys, "low.x", value, &found));
  CHECK_NEAR(found, 0, 1e-13);
  PetscCall(find(sys, "low.y", value, &found));
  CHECK_NEAR(found, 0, 1e-13);
  PetscCall(find(sys, "flat.x", value, &found));
  CHECK_NEAR(found, 0, 1e-13);
  PetscCall(find(sys, "flat.y", value, &found));
  CHECK_NEAR(found, 0, 1e-13);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where one value is none, the extreme is none, at its place; one that is infinite is one. */
static PetscErrorCode test_extremes_of_what_is_not_finite_say_so(void)
{
  RungSystem sys;
  PetscReal  value[16], found;

  PetscFunctionBegin;
  PetscCall(make_still("triangle", "CG2", "x[0]*(2 - x[0]) + x[1]", &sys));
  PetscCall(RungSystemAddWatch(sys, RUNG_MAXIMUM, "root", "sqrt(1.5 - u)", NULL));
  PetscCall(RungSystemAddWatch(sys, RUNG_MINIMUM, "deep", "log(u)", NULL));
  PetscCall(watch(sys, 0, value));
  PetscCall(find(sys, "root", value, &found));
  CHECK(isnan(found));
  PetscCall(find(sys, "root.x", value, &found));
  CHECK(found > 0.2 && found < 0.8); /* u is more than 1.5 from x = 0.293 on, at y = 1 */
  PetscCall(find(sys, "deep", value, &found));
  CHECK(isinf(found) && found < 0);
  PetscCall(find(sys, "deep.x", value, &found));
  CHECK_NEAR(found, 0, 1e-13);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char name[], const char part[], const char text[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(make("triangle", 2, "CG1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  if (part)
    PetscCall(RungSystemAddWatch(sys, RUNG_REACTION, name, text, part));
  else
    PetscCall(RungSystemAddWatch(sys, RUNG_MAXIMUM, name, text, NULL));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_cannot_be_watched_is_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(refuse("r", "lft", "u", "\"lft\" does not exist"));
  PetscCall(refuse("r", "left", "w", "reaction r: \"w\" is no unknown"));
  PetscCall(refuse("r", "left", "u[0]", "reaction r: \"u[0]\" names no component"));
  PetscCall(refuse("r", "left", "dt(u)", "reaction r: \"dt(u)\" is a rate"));
  PetscCall(refuse("m", NULL, "u*dx", "max m: \"u*dx\" holds an integral"));
  PetscCall(refuse("m", NULL, "grad(u)", "max m: \"grad(u)\" is a vector"));
  PetscCall(make("triangle", 2, "DG1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemAddWatch(sys, RUNG_REACTION, "r", "u", "left"));
  CHECK_RAISES(RungSystemAddWatch(sys, (RungWatchKind)9, "k", "u", NULL), "a watch of kind 9, wanted RUNG_REACTION");
  CHECK_RAISES(RungSystemSetUp(sys), "lives in DG1, which has no nodes on a part");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_supports_hold_the_weight), RUNG_TEST(test_extremes_have_value_and_place),
               RUNG_TEST(test_of_equal_values_the_first_place_is_told),
               RUNG_TEST(test_extremes_of_what_is_not_finite_say_so), RUNG_TEST(test_what_cannot_be_watched_is_refused))
