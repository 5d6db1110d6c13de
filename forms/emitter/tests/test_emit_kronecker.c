/* test_emit_kronecker.c - vectors by matrices of a line, or by their modes, are those of the interpreter, which sums over points, and of the
   matrix. */
#include "kernel_tools.h"

static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

/* Seven points on a line of eight functions of Q7. */
static const char *const reduced = "(u*v + inner(grad(u), grad(v)))*dx(degree: 13)";

static PetscErrorCode check_near(Vec a, Vec b)
{
  PetscReal size, apart;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_2, &apart));
  CHECK(size > 1e-6);
  CHECK_NEAR(apart, 0, 1e-13 * size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which vectors are made by matrices of a line: none, the action alone, the residual too? */
typedef enum { POINTS, ACTION, LINES } Wanted;

/* Is the first integral over cells, of its first kind, done by matrices of a line? */
static PetscBool by_lines(RungForm form, int part)
{
  const RungPlan plan = form->part[part].plan[0];

  return plan->compiled && plan->compiled->applied && plan->compiled->tensor ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode compare(Tools *tools, const char text[], Wanted wanted)
{
  const PetscBool couple[] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  RungForm        c, interpreter;
  Vec             y[3];
  Mat             J;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, text, PETSC_TRUE, &c));
  PetscCall(tools_form(tools, text, PETSC_FALSE, &interpreter));
  PetscCall(tools_quick_compiler(c));
  PetscCall(RungFormSetUpParts(c, 1u << RUNG_FORM_VALUE | 1u << RUNG_FORM_ACTION));
  for (int i = 0; i < 3; ++i) PetscCall(VecDuplicate(tools->u[0], &y[i]));
  PetscCall(RungFormApply(c, 0.3, tools->u, sigma, tools->u[1], y[0]));
  PetscCall(RungFormApply(interpreter, 0.3, tools->u, sigma, tools->u[1], y[1]));
  PetscCall(RungLayoutCreateMat(tools->layout, couple, NULL, &J));
  PetscCall(RungFormAssembleMat(interpreter, 0.3, tools->u, sigma, J));
  PetscCall(MatMult(J, tools->u[1], y[2]));
  CHECK(by_lines(c, RUNG_FORM_ACTION) == (wanted != POINTS));
  PetscCall(check_near(y[1], y[0]));
  PetscCall(check_near(y[2], y[0]));
  PetscCall(RungFormAssembleVec(c, 0.3, tools->u, y[0]));
  PetscCall(RungFormAssembleVec(interpreter, 0.3, tools->u, y[1]));
  CHECK(by_lines(c, RUNG_FORM_VALUE) == (wanted == LINES));
  PetscCall(check_near(y[1], y[0]));
  for (int i = 0; i < 3; ++i) PetscCall(VecDestroy(&y[i]));
  PetscCall(MatDestroy(&J));
  PetscCall(RungFormDestroy(&c));
  PetscCall(RungFormDestroy(&interpreter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_on(RungCellType type, const char u[], const char p[], const char text[], Wanted wanted)
{
  Tools tools;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_FALSE, u, p, &tools));
  PetscCall(compare(&tools, text, wanted));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_mass_and_stiffness_of_all_degrees(void)
{
  static const char *const form = "2*u*v*dx + kappa*inner(grad(u), grad(v))*dx";

  PetscCall(compare_on(RUNG_QUADRILATERAL, "2", NULL, form, LINES));
  PetscCall(compare_on(RUNG_QUADRILATERAL, "5", NULL, form, LINES));
  PetscCall(compare_on(RUNG_QUADRILATERAL, "7", NULL, reduced, LINES));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "1", NULL, form, LINES));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "2", NULL, form, LINES));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "3", NULL, form, LINES));
  return PETSC_SUCCESS;
}

/* One matrix alone along an axis, derivatives of one function alone, more points than functions, the lumped mass. */
static PetscErrorCode test_terms_of_all_kinds(void)
{
  static const char *const text[] = {
    "u*v*dx",
    "grad(u)[2]*grad(v)[2]*dx",
    "u*v*dx + mu*grad(u)[1]*v*dx - 0.3*u*grad(v)[2]*dx",
    "t*grad(u)[0]*grad(v)[2]*dx + u*v*dx",
    "u*v*dx + 2*grad(u)[1]*grad(v)[1]*dx",
    "u*v*dx(degree: 8) + inner(grad(u), grad(v))*dx(degree: 8)",
    "u*v*dx(rule: nodes)",
    "2*dt(u)*v*dx + 0.3*u*v*dx + dt(dt(u))*v*dx",
    "inner(grad(u), grad(v))*dx + kappa*u*v*ds(left)",
  };
  Tools tools;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_HEXAHEDRON, PETSC_FALSE, "2", NULL, &tools));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) PetscCall(compare(&tools, text[i], LINES));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Is the action's kernel one of modes? */
static PetscErrorCode has_modes(const char u[], const char text[], PetscBool *has)
{
  Tools    tools;
  RungForm form;
  char    *source;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_FALSE, u, NULL, &tools));
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormSetUpParts(form, 1u << RUNG_FORM_ACTION));
  CHECK(by_lines(form, RUNG_FORM_ACTION));
  PetscCall(RungEmit(1, form->part[RUNG_FORM_ACTION].plan, 2, &source));
  *has = strstr(source, " modes(") ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscFree(source));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not with first derivatives of one function, nor where the mass is singular. */
static PetscErrorCode test_mass_and_stiffness_have_modes(void)
{
  PetscBool has;

  PetscCall(has_modes("9", "(u*v + inner(grad(u), grad(v)))*dx", &has));
  CHECK(has);
  PetscCall(has_modes("2", "(u*v + inner(grad(u), grad(v)) + grad(u)[0]*v)*dx", &has));
  CHECK(!has);
  PetscCall(has_modes("7", reduced, &has));
  CHECK(!has);
  return PETSC_SUCCESS;
}

/* Functions of other lines for rows and columns, blocks that come with their transposed ones. */
static PetscErrorCode test_several_unknowns_and_components(void)
{
  static const char *const coupled = "(u*v + 2*p*v + 3*grad(u)[0]*q + inner(grad(p), grad(q)))*dx(degree: 6)";
  static const char *const vector  = "inner(u, v)*dx + inner(grad(u), grad(v))*dx";
  static const char *const both    = "(inner(u, v) + div(u)*div(v))*dx(degree: 8)";

  PetscCall(compare_on(RUNG_QUADRILATERAL, "3", "2", coupled, LINES));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "2", "1", coupled, LINES));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "2^d", NULL, vector, LINES));
  PetscCall(compare_on(RUNG_QUADRILATERAL, "2^d", NULL, both, LINES));
  return PETSC_SUCCESS;
}

/* Products for u and u' would be more, and the residual with a load under the same rule is no sum of products with matrices. */
static PetscErrorCode test_residuals_that_are_summed_over_points(void)
{
  static const char *const text[] = {"dt(u)*v*dx + inner(grad(u), grad(v))*dx",
                                     "dt(u)*v*dx(degree: 4) - 0.1*v*dx(degree: 4)",
                                     "dt(u)*v*dx(degree: 4) - 0.1*v*dx(degree: 6) - t*v*ds(left)"};
  Tools                    tools;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_FALSE, "2", NULL, &tools));
  PetscCall(compare(&tools, text[0], ACTION));
  PetscCall(compare(&tools, text[1], ACTION));
  PetscCall(compare(&tools, text[2], LINES));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* A square beside a trapezoid: each kind of cells has its kernel. */
static PetscErrorCode test_affine_cells_among_others(void)
{
  static const char file[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
                             "5 3 0 0\n6 2 1 0\n$EndNodes\n$Elements\n2\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 2 5 6 3\n"
                             "$EndElements\n";
  FILE             *out    = fopen("both.msh", "w");
  Tools             tools;
  RungMesh          mesh;

  CHECK(out && fputs(file, out) >= 0 && !fclose(out));
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetFile(mesh, "both.msh"));
  PetscCall(RungMeshSetUp(mesh));
  PetscCall(tools_create_on(PETSC_COMM_SELF, mesh, RUNG_QUADRILATERAL, "3", NULL, &tools));
  CHECK(!tools.data->affine && tools.data->affine_cells == 1);
  PetscCall(compare(&tools, "mu*u*v*dx + grad(u)[0]*grad(v)[0]*dx(degree: 9)", LINES));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Coefficients that vary, nonlinear forms, many pairs of derivatives, one point for all functions. */
static PetscErrorCode test_others_are_summed_over_points(void)
{
  PetscCall(compare_on(RUNG_QUADRILATERAL, "2", NULL, "(1 + x[0])*u*v*dx(degree: 5)", POINTS));
  PetscCall(compare_on(RUNG_QUADRILATERAL, "2", NULL, "u^2*v*dx(degree: 5)", POINTS));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "2", NULL, "(u*v + inner(grad(u), grad(v)))*dx(degree: 1)", POINTS));
  PetscCall(compare_on(RUNG_HEXAHEDRON, "2^d", NULL,
                       "(inner(sym(grad(u)), sym(grad(v))) + mu*div(u)*div(v))*dx + inner(u, v)*dx", POINTS));
  return PETSC_SUCCESS;
}

/* A unit with the matrix of one block by sums over points and the action of another by matrices of a line: tables and functions differ in
   name. */
static PetscErrorCode test_names_of_a_unit_differ(void)
{
  static const int         part[] = {RUNG_FORM_JACOBIAN, RUNG_FORM_ACTION};
  static const char *const table  = "static const double ";
  Tools                    tools;
  RungForm                 form;
  RungPlan                 plan[8];
  PetscInt                 n = 0;
  char                    *source, function[64];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_HEXAHEDRON, PETSC_FALSE, "2^d", "1", &tools));
  PetscCall(tools_form(&tools, "(1 + x[0]^2)*inner(grad(u), grad(v))*dx + p*q*dx", PETSC_FALSE, &form));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungFormSetUpParts(form, 1u << part[i]));
    for (PetscInt k = 0; k < form->part[part[i]].n && n < 8; ++k) plan[n++] = form->part[part[i]].plan[k];
  }
  PetscCall(RungEmit(n, plan, 4, &source));
  CHECK(strstr(source, "static void product(") && strstr(source, "point_product["));
  for (const char *at = strstr(source, table); at; at = strstr(at, table)) {
    at += strlen(table);
    PetscCall(PetscSNPrintf(function, sizeof function, "static void %.*s(", (int)strcspn(at, "["), at));
    CHECK(!strstr(source, function));
  }
  PetscCall(PetscFree(source));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_names_of_a_unit_differ), RUNG_TEST(test_mass_and_stiffness_of_all_degrees),
               RUNG_TEST(test_terms_of_all_kinds), RUNG_TEST(test_mass_and_stiffness_have_modes),
               RUNG_TEST(test_several_unknowns_and_components), RUNG_TEST(test_residuals_that_are_summed_over_points),
               RUNG_TEST(test_affine_cells_among_others), RUNG_TEST(test_others_are_summed_over_points))
