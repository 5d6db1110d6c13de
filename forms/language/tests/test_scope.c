/* test_scope.c - declarations: names that are taken or reserved, dimensions, constants, fields; runs on several ranks. */
#include "front_tools.h"

static PetscErrorCode test_names_are_declared_once(void)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_mesh(2, &mesh));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  CHECK_RAISES(RungScopeAddUnknown(scope, "u", "vv", space), "\"u\" is already an unknown; choose another name");
  CHECK_RAISES(RungScopeAddUnknown(scope, "uu", "v", space), "\"v\" is already a test function; choose another name");
  CHECK_RAISES(RungScopeAddUnknown(scope, "uu", "uu", space), "\"uu\" names the unknown and its test function");
  CHECK_RAISES(RungScopeAddUnknown(scope, "uu", "x", space),
               "\"x\" is reserved (the place, vector[d]); choose another name");
  CHECK_RAISES(RungScopeSetConstant(scope, "dS", 1), "\"dS\" is reserved (a measure); choose another name");
  CHECK_RAISES(RungScopeSetConstant(scope, "value", 1), "\"value\" is reserved");
  CHECK_RAISES(RungScopeDefine(scope, "sigma", "1"), "\"sigma\" is already a definition");
  CHECK_RAISES(RungScopeDefine(scope, "2u", "1"), "\"2u\" is no name");
  CHECK_RAISES(RungScopeDefine(scope, "", "1"), "\"\" is no name");
  PetscCall(RungScopeAddUnknown(scope, "uu", "vv", space)); /* nothing was left of the failed ones */
  CHECK(RungScopeUnknowns(scope) == 5 && !strcmp(RungScopeTestName(scope, 4), "vv"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_constants_change_without_new_nodes(void)
{
  const char *const *names;
  const PetscReal   *values;
  PetscReal          value;
  PetscInt           n, before, after;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("kappa*u", &before));
  PetscCall(RungScopeSetConstant(scope, "kappa", 7));
  PetscCall(front_read("kappa*u", &after));
  PetscCall(RungScopeGetConstant(scope, "kappa", &value));
  PetscCall(RungScopeGetConstants(scope, &n, &names, &values));
  CHECK(before == after && value == 7 && n == 2 && values[0] == 7 && !strcmp(names[1], "mu"));
  CHECK_RAISES(RungScopeGetConstant(scope, "kapa", &value), "\"kapa\" is no constant; did you mean \"kappa\"?");
  CHECK_RAISES(RungScopeGetConstant(scope, "u", &value), "\"u\" is no constant");
  CHECK_RAISES(RungScopeSetConstant(scope, "u", 1), "\"u\" is already an unknown");
  CHECK_RAISES(RungScopeSetConstant(scope, "kappa", (PetscReal)NAN), "constant \"kappa\" is not a finite number");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_scope_has_one_dimension(void)
{
  RungMesh line, points;

  PetscFunctionBegin;
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  CHECK_REFUSED(
    "x[0]",
    "\"x\" needs the dimension of the mesh, which is not known yet; declare an unknown or set the dimension first");
  CHECK_REFUSED("d", "\"d\" is not known yet");
  CHECK_RAISES(RungScopeSetDimension(scope, 4), "dimension 4; it is 1, 2 or 3");
  PetscCall(RungScopeSetDimension(scope, 1));
  CHECK_SHAPE("x", "vector[1] 0");
  CHECK_RAISES(RungScopeSetDimension(scope, 2), "dimension 2 in a scope of dimension 1; use another scope");
  PetscCall(front_mesh(1, &line));
  PetscCall(front_mesh(0, &points));
  PetscCall(front_unknown(line, "u", "v", "P1"));
  CHECK_RAISES(front_unknown(points, "y", "z", "P0"),
               "\"y\" lives on a mesh of points, those before it on cells; one scope has one kind of mesh");
  PetscCall(RungMeshDestroy(&line));
  PetscCall(RungMeshDestroy(&points));
  PetscCall(front_mesh(2, &line));
  CHECK_RAISES(front_unknown(line, "y", "z", "P1"), "\"y\" lives on a mesh of dimension 2, its scope has dimension 1");
  PetscCall(RungMeshDestroy(&line));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_mesh_of_points_has_no_space(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(0));
  CHECK_SHAPE("(dt(u) + x[0]*u)*v*dx", "an integral 1");
  CHECK_REFUSED("grad(u)", "grad() on a mesh of points, which has no derivatives in space");
  CHECK_REFUSED("h*v*dx", "text, column 1: \"h\" on a mesh of points, which has no cells\n    h*v*dx\n    ^");
  CHECK_REFUSED("u*v*ds", "ds on a mesh of points, which has no boundary; use dx");
  CHECK_REFUSED("n[0]", "\"n\" on a mesh of points");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fields_are_coefficients(void)
{
  RungMesh  mesh;
  RungSpace space;
  RungField field, rate;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_mesh(2, &mesh));
  PetscCall(RungSpaceCreate(mesh, "P1^d", &space));
  PetscCall(RungFieldCreate(space, "wind", &field));
  PetscCall(RungScopeAddField(scope, "wind", field));
  CHECK_SHAPE("inner(wind, grad(u))*v*dx", "an integral 1");
  CHECK_PRINTS("grad(wind)", "grad(wind)");
  CHECK_REFUSED("dt(wind)", "dt() of the field \"wind\", which has no time derivative; RungFieldSetRate says which");
  CHECK_RAISES(RungScopeAddField(scope, "u", field), "\"u\" is already an unknown");
  CHECK(RungScopeFields(scope) == 1 && RungScopeFieldOf(scope, 0) == field &&
        !strcmp(RungScopeFieldName(scope, 0), "wind"));
  PetscCall(RungFieldDuplicate(field, "gust", &rate));
  PetscCall(RungFieldSetRate(field, rate));
  CHECK_PRINTS("dt(wind)", "dt(wind)");
  CHECK_PRINTS("grad(dt(wind))", "grad(dt(wind))");
  CHECK_SHAPE("dt(u*grad(wind)[0, 1])*v*dx", "an integral 1");
  CHECK_REFUSED("dt(wind, 2)", "dt() of the field \"dt(wind)\", which has no time derivative");
  CHECK_REFUSED("dt(dt(u*wind[0]))", "dt() of the field \"wind\", which has no time derivative");
  CHECK(RungScopeFields(scope) == 2 && RungScopeFieldOf(scope, 1) == rate);
  PetscCall(front_end());
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungFieldDestroy(&rate));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_last_reference_destroys(void)
{
  RungScope second;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  second = scope;
  PetscCall(RungScopeReference(scope));
  PetscCall(RungScopeDestroy(&second));
  CHECK(!second);
  CHECK_SHAPE("u", "scalar 0");
  PetscCall(front_end());
  CHECK(!scope);
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_names_are_declared_once), RUNG_TEST(test_constants_change_without_new_nodes),
               RUNG_TEST(test_a_scope_has_one_dimension), RUNG_TEST(test_a_mesh_of_points_has_no_space),
               RUNG_TEST(test_fields_are_coefficients), RUNG_TEST(test_the_last_reference_destroys))
