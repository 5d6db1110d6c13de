/* test_applied.c - actions that apply the matrix of each cell are those of sums over points, and those of the matrix. */
#include "kernel_tools.h"

static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

/* y = J x by a form's kernels */
static PetscErrorCode apply(Tools *tools, RungForm form, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(VecDuplicate(tools->u[0], y));
  PetscCall(RungFormApply(form, 0.3, tools->u, sigma, tools->u[1], *y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode by_matrix(Tools *tools, RungForm form, Vec *y)
{
  Mat J;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(tools->u[0], y));
  PetscCall(
    RungLayoutCreateMat(tools->layout, (PetscBool[]){PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE}, NULL, &J));
  PetscCall(RungFormAssembleMat(form, 0.3, tools->u, sigma, J));
  PetscCall(MatMult(J, tools->u[1], *y));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode distance(Vec a, Vec b, PetscReal *apart)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(a, NORM_2, &size));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_2, apart));
  *apart /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are all integrals over cells done by matrices? */
static PetscBool applies_matrices(RungForm form)
{
  const RungFormPart *part = &form->part[RUNG_FORM_ACTION];

  for (PetscInt i = 0; i < part->n; ++i) {
    const RungPlan plan = part->plan[i];

    if (plan->integral->domain == RUNG_CELLS && !(plan->compiled && plan->compiled->applied)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The form compiled, interpreted and as a matrix; does the compiled one apply matrices, as wanted? */
static PetscErrorCode compare(Tools *tools, const char text[], PetscBool wanted)
{
  RungForm  form[2];
  Vec       y[3];
  PetscReal apart[2];
  PetscBool applies;

  PetscFunctionBegin;
  for (int c = 0; c < 2; ++c) {
    PetscCall(tools_form(tools, text, c ? PETSC_FALSE : PETSC_TRUE, &form[c]));
    PetscCall(apply(tools, form[c], &y[c]));
  }
  PetscCall(by_matrix(tools, form[1], &y[2]));
  applies = applies_matrices(form[0]);
  if (applies != wanted) printf("%s: %s\n", text, applies ? "applied" : "summed over points");
  CHECK(applies == wanted);
  PetscCall(distance(y[1], y[0], &apart[0]));
  PetscCall(distance(y[2], y[0], &apart[1]));
  if (!(apart[0] < 1e-14) || !(apart[1] < 1e-14)) printf("%s: %g, %g\n", text, (double)apart[0], (double)apart[1]);
  CHECK(apart[0] < 1e-14 && apart[1] < 1e-14);
  for (int c = 0; c < 2; ++c) PetscCall(RungFormDestroy(&form[c]));
  for (int c = 0; c < 3; ++c) PetscCall(VecDestroy(&y[c]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box whose cells are no rectangles. */
static PetscErrorCode create_sheared(RungCellType type, const char u[], const char p[], Tools *tools)
{
  const RungMeshData *data;
  RungMesh            mesh;
  PetscReal          *x;
  RungMeshData       *own;

  PetscFunctionBegin;
  PetscCall(tools_mesh(PETSC_COMM_WORLD, type, PETSC_FALSE, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  memcpy(&x, &data->x, sizeof x);
  memcpy(&own, &data, sizeof own);
  for (PetscInt i = 0; i < data->nodes && data->dim > 1; ++i) x[i * data->dim] += 0.3 * x[i * data->dim + 1];
  own->straight = PETSC_FALSE;
  PetscCall(tools_create_on(PETSC_COMM_WORLD, mesh, type, u, p, tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_cells_with_few_nodes_apply_their_matrix(void)
{
  static const struct {
    RungCellType type;
    const char  *degree;
    PetscBool    wanted;
  } of[] = {
    {RUNG_TRIANGLE, "2", PETSC_TRUE},      {RUNG_TETRAHEDRON, "2", PETSC_TRUE}, {RUNG_TETRAHEDRON, "3", PETSC_FALSE},
    {RUNG_QUADRILATERAL, "1", PETSC_TRUE}, {RUNG_HEXAHEDRON, "1", PETSC_TRUE},  {RUNG_INTERVAL, "2", PETSC_TRUE},
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i) {
    Tools tools;

    PetscCall(create_sheared(of[i].type, of[i].degree, NULL, &tools));
    PetscCall(compare(&tools, "mu*u*v*dx(degree: 4) + kappa*inner(grad(u), grad(v))*dx(degree: 4)", of[i].wanted));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* Rates with their sigma, facets beside cells, rules of their own, loads; advection, whose matrix is not symmetric. */
static PetscErrorCode test_terms_of_all_kinds(void)
{
  static const char *const text[] = {
    "dt(u)*v*dx(degree: 4) + 2*dt(u, 2)*v*dx(degree: 4) + kappa*inner(grad(u), grad(v))*dx(degree: 4)",
    "u*v*dx(degree: 4) + t*grad(u)[1]*v*dx(degree: 4)",
    "(u*v + (grad(u)[0] + 0.1*grad(u)[1])*grad(v)[0] + 3*grad(u)[1]*grad(v)[1])*dx(degree: 6)",
    "u*v*dx(degree: 4) + inner(grad(u), grad(v))*dx(degree: 4) + kappa*u*v*ds(left)",
    "u*v*dx(degree: 6) + inner(grad(u), grad(v))*dx(degree: 4) - sin(x[0])*v*dx",
  };
  Tools tools;

  PetscCall(create_sheared(RUNG_TRIANGLE, "2", NULL, &tools));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) PetscCall(compare(&tools, text[i], PETSC_TRUE));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_several_unknowns_and_components(void)
{
  Tools tools;

  PetscCall(create_sheared(RUNG_TRIANGLE, "2", "2", &tools));
  PetscCall(compare(&tools,
                    "(u*v + 2*p*v + dt(p)*q + 3*grad(u)[0]*q)*dx(degree: 6) + inner(grad(p), grad(q))*dx(degree: 6)",
                    PETSC_TRUE));
  PetscCall(tools_destroy(&tools));
  PetscCall(create_sheared(RUNG_TRIANGLE, "2^d", NULL, &tools));
  PetscCall(compare(&tools,
                    "inner(u, v)*dx(degree: 6) + (inner(sym(grad(u)), sym(grad(v))) + div(u)*div(v))*dx(degree: 6)",
                    PETSC_TRUE));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* What is not constant in a cell is summed over points. */
static PetscErrorCode test_coefficients_that_vary_are_summed(void)
{
  Tools tools;

  PetscCall(create_sheared(RUNG_TRIANGLE, "2", NULL, &tools));
  PetscCall(compare(&tools, "(1 + x[0]^2)*u*v*dx(degree: 6) + inner(grad(u), grad(v))*dx(degree: 6)", PETSC_FALSE));
  PetscCall(compare(&tools, "u^3*v*dx(degree: 6) + inner(grad(u), grad(v))*dx(degree: 6)", PETSC_FALSE));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_cells_with_few_nodes_apply_their_matrix), RUNG_TEST(test_terms_of_all_kinds),
               RUNG_TEST(test_several_unknowns_and_components), RUNG_TEST(test_coefficients_that_vary_are_summed))
