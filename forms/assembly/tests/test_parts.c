/* test_parts.c - value() on cells and facets of parts, in both back ends; gaps and overlaps are refused with their cell. */
#include "kernel_tools.h"

/* Two squares of two triangles each, side by side: part "left" of the cells is x < 1, "right" is x > 1, "both" the cell in
   the lower left corner; the bottom is part "floor" of the boundary. */
static const char *const gmsh =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
  "$PhysicalNames\n4\n2 1 \"west\"\n2 2 \"east\"\n2 4 \"corner\"\n1 3 \"floor\"\n$EndPhysicalNames\n"
  "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
  "$Elements\n6\n1 2 2 1 1 1 2 4\n2 2 2 1 1 2 5 4\n3 2 2 2 2 2 3 5\n4 2 2 2 2 3 6 5\n"
  "5 1 2 3 3 1 2\n6 1 2 3 3 2 3\n$EndElements\n";

static PetscErrorCode begin(Tools *tools)
{
  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "parts.msh", strlen(gmsh), gmsh));
  PetscCall(PetscMemzero(tools, sizeof *tools));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &tools->mesh));
  PetscCall(RungMeshSetFile(tools->mesh, "parts.msh"));
  PetscCall(RungMeshGetData(tools->mesh, &tools->data));
  PetscCall(tools_space(tools->mesh, RUNG_TRIANGLE, "1", &tools->space[tools->unknowns++]));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &tools->scope));
  PetscCall(RungScopeAddUnknown(tools->scope, "u", "v", tools->space[0]));
  PetscCall(RungScopeSetConstant(tools->scope, "kappa", 0.5));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, tools->space, &tools->layout));
  PetscCall(tools_fill(tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *text;
  double      wanted;
} Value;

/* By both back ends; what is compiled goes to the compiler together. */
static PetscErrorCode check_values(Tools *tools, PetscInt n, const Value value[])
{
  RungForm form[16];

  PetscFunctionBegin;
  for (int compile = 0; compile < 2; ++compile) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscCall(tools_form(tools, value[i].text, compile ? PETSC_TRUE : PETSC_FALSE, &form[i]));
      PetscCall(tools_quick_compiler(form[i]));
    }
    PetscCall(RungFormsSetUp(n, form));
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal found;

      PetscCall(RungFormIntegrate(form[i], 0.3, tools->u, &found));
      CHECK_NEAR(found, value[i].wanted, 1e-13);
      PetscCall(RungFormDestroy(&form[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_part_has_its_value(void)
{
  Tools       tools;
  const Value value[] = {
    {"value(west: 3, east: 5)*dx", 8},
    {"value(1: 3, 2: 5)*dx", 8},
    {"value(west: x[0], east: kappa*t)*dx", 0.5 + 0.15},
    {"value(west: 3, else: 5)*dx(east)", 5},
    {"value(east: 5)*dx(east)", 5},
    {"value(west: x, east: 2*x)[0]*dx", 0.5 + 3},
    {"value(west: 1/(x[0] - 1.5), east: 2)*dx(east)", 2}, /* not evaluated elsewhere */
    {"(value(west: 1, east: 2) + h*0 + value(east: 10, west: 20))*dx", 33},
  };

  PetscFunctionBegin;
  PetscCall(begin(&tools));
  PetscCall(check_values(&tools, PETSC_STATIC_ARRAY_LENGTH(value), value));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the boundary where it has a part of the name, of the cell behind the facet otherwise. */
static PetscErrorCode test_facets_take_the_value_of_their_part_or_of_their_cell(void)
{
  Tools       tools;
  const Value value[] = {
    {"value(floor: 3, else: 5)*ds", 2 * 3 + 4 * 5},
    {"value(west: 3, east: 5)*ds", 3 * 3 + 3 * 5},
    {"value(west: 3, east: 5)*ds(floor)", 8},
  };

  PetscFunctionBegin;
  PetscCall(begin(&tools));
  PetscCall(check_values(&tools, PETSC_STATIC_ARRAY_LENGTH(value), value));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonals lie in west and in east, the edge at x = 1 between them: length 1. */
static PetscErrorCode test_sides_of_a_facet_take_the_values_of_their_cells(void)
{
  Tools        tools;
  const double root    = 1.41421356237309505;
  const Value  value[] = {
     {"jump(value(west: 3, east: 5))^2*dS", 4},
     {"avg(value(west: 3, east: 5))*dS", (3 + 5) * root + 4},
     {"plus(value(west: 3, else: 5))*minus(value(east: 5, west: 3))*dS", 34 * root + 15},
     {"jump(value(west: 3, east: 5)*x[0], n)[0]*dS", -2}, /* n of the side points outwards */
     {"(avg(diff(value(west: u^2, east: 3*u^2), u)) - avg(2*value(west: 1, east: 3)*u))*dS", 0},
  };

  PetscFunctionBegin;
  PetscCall(begin(&tools));
  PetscCall(check_values(&tools, PETSC_STATIC_ARRAY_LENGTH(value), value));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(Tools *tools, const char text[], const char message[])
{
  RungForm form;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, text, PETSC_FALSE, &form));
  CHECK_RAISES(RungFormSetUp(form, PETSC_FALSE), message);
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_gaps_and_overlaps_are_refused_with_part_and_cell(void)
{
  Tools tools;

  PetscFunctionBegin;
  PetscCall(begin(&tools));
  PetscCall(refused(&tools, "2*u*v*dx + value(west: 1)*u*v*dx", "\n               ^~~~~~~~~~~~~~"));
  PetscCall(refused(&tools, "value(west: 1)*u*v*dx", "value() has none for cell "));
  PetscCall(
    refused(&tools, "value(west: 1)*u*v*dx", "which is not in \"west\"; name its part too, or all other places"));
  PetscCall(refused(&tools, "value(west: 1, 1: 2, east: 3)*u*v*dx", "is in \"west\" and in \"1\""));
  PetscCall(refused(&tools, "value(west: 1, est: 2)*u*v*dx", "east"));
  PetscCall(refused(&tools, "derive(value(floor: u^2)*ds, u)", "value() has none for cell"));
  PetscCall(refused(&tools, "plus(value(west: 1))*jump(grad(v))[0]*dS", "value() has none for "));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobian, and Gateaux derivative of an energy, in both back ends. */
static PetscErrorCode test_derivatives_stay_within_their_part(void)
{
  const PetscReal sigma[3] = {1, 0, 0};
  Tools           tools;
  Mat             J[2];
  PetscReal       norm, difference;
  PetscBool       couple = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(begin(&tools));
  for (int i = 0; i < 2; ++i) {
    RungForm form;

    PetscCall(tools_form(
      &tools, i ? "(u^3)*v*dx(west) + 2*exp(u)*v*dx(east)" : "derive(value(west: u^4/4, east: 2*exp(u))*dx, u)",
      i ? PETSC_TRUE : PETSC_FALSE, &form));
    PetscCall(RungLayoutCreateMat(tools.layout, &couple, NULL, &J[i]));
    form->degree = 6;
    PetscCall(RungFormAssembleMat(form, 0, tools.u, sigma, J[i]));
    PetscCall(RungFormDestroy(&form));
  }
  PetscCall(MatNorm(J[0], NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(J[1], -1, J[0], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(J[1], NORM_FROBENIUS, &difference));
  CHECK(norm > 0.1);
  CHECK_NEAR(difference, 0, 1e-14);
  for (int i = 0; i < 2; ++i) PetscCall(MatDestroy(&J[i]));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_each_part_has_its_value),
               RUNG_TEST(test_facets_take_the_value_of_their_part_or_of_their_cell),
               RUNG_TEST(test_sides_of_a_facet_take_the_values_of_their_cells),
               RUNG_TEST(test_gaps_and_overlaps_are_refused_with_part_and_cell),
               RUNG_TEST(test_derivatives_stay_within_their_part))
