/* test_conditions.c - conditions on the boundary that are terms of the residual, and ones that are equations of their own:
   orders of convergence on every cell type.

       robin    - div grad u = f,  du/dn + 2 u = g                                      L2 order k + 1, H1 order k
       nitsche  - div grad u = f,  u = g by Nitsche's terms
       mean     - div grad u = f,  du/dn = g on the whole boundary, the mean of u by a number lambda (R)
       mixed    the same as sigma = grad u, div sigma = - f with sigma in DP(k-1)^d or DQ(k)^d: orders of both
       stretched  robin on a mesh of distorted cells

   with u = sin(a . x). */
#include "ladder.h"
#include <check_curved.h>

static const Ladder rows[] = {
#include "condition_rows.def"
};

static const char *const phase[4]  = {"", "2*x[0]", "2*x[0] + x[1]", "2*x[0] + x[1] - x[2]"};
static const char *const along[4]  = {"", "vector(2)", "vector(2, 1)", "vector(2, 1, -1)"};
static const double      square[4] = {0, 4, 5, 6};

static PetscErrorCode create_mesh(const Ladder *row, PetscInt n, RungMesh *mesh)
{
  const RungCell *cell     = RungCellGet(row->type);
  const PetscInt  count[3] = {n, n, n};
  char            path[64];

  PetscFunctionBegin;
  if (!strcmp(row->kind, "stretched")) {
    PetscCall(PetscSNPrintf(path, sizeof path, "conditions_%s.msh", cell->name));
    PetscCall(distorted_mesh(row->type, n, path, mesh));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell->name, cell->dim, count, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma, with its test function tau, beside u */
static PetscErrorCode add_mixed(const Ladder *row, RungMesh mesh, RungSystem sys)
{
  const int k = row->spec[1] - '0';
  char      spec[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(spec, sizeof spec, "DG%d^d", row->spec[0] == 'P' ? k - 1 : k));
  PetscCall(ladder_unknown(sys, mesh, "sigma", "tau", spec));
  PetscCall(RungSystemAddResidual(sys, "(inner(sigma, tau) - inner(grad(u), tau))*dx"));
  PetscCall(RungSystemAddResidual(sys, "(inner(sigma, grad(v)) - f*v)*dx(degree: 9) - gn*v*ds(degree: 9)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_equations(const Ladder *row, RungMesh mesh, RungSystem sys)
{
  const PetscBool mixed = strcmp(row->kind, "mixed") ? PETSC_FALSE : PETSC_TRUE;

  PetscFunctionBegin;
  if (!mixed) PetscCall(RungSystemAddResidual(sys, "(inner(grad(u), grad(v)) - f*v)*dx(degree: 9)"));
  if (!strcmp(row->kind, "nitsche")) {
    PetscCall(RungSystemAddResidual(sys, "(eta/h*(u - u_exact)*v - inner(grad(u), n)*v)*ds(degree: 9)"));
    PetscCall(RungSystemAddResidual(sys, "-(u - u_exact)*inner(grad(v), n)*ds(degree: 9)"));
  } else if (!strcmp(row->kind, "mean") || mixed) {
    PetscCall(ladder_unknown(sys, mesh, "lambda", "mu", "R"));
    PetscCall(RungSystemAddResidual(sys, "(lambda*v + (u - u_exact)*mu)*dx(degree: 9)"));
    if (mixed)
      PetscCall(add_mixed(row, mesh, sys));
    else
      PetscCall(RungSystemAddResidual(sys, "-gn*v*ds(degree: 9)"));
  } else
    PetscCall(RungSystemAddResidual(sys, "(2*(u - u_exact) - gn)*v*ds(degree: 9)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const Ladder *row, PetscInt n, RungSystem *sys)
{
  const PetscInt dim = RungCellGet(row->type)->dim;
  const int      k   = row->spec[1] - '0';
  RungMesh       mesh;

  PetscFunctionBegin;
  PetscCall(create_mesh(row, n, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(ladder_unknown(*sys, mesh, "u", "v", row->spec));
  PetscCall(RungSystemSetConstant(*sys, "eta", (dim > 2 ? 24 : 12) * k * k));
  PetscCall(RungSystemSetConstant(*sys, "a2", square[dim]));
  PetscCall(RungSystemDefine(*sys, "phase", phase[dim]));
  PetscCall(RungSystemDefine(*sys, "u_exact", "sin(phase)"));
  PetscCall(RungSystemDefine(*sys, "sigma_exact", "cos(phase)*a"));
  PetscCall(RungSystemDefine(*sys, "a", along[dim]));
  PetscCall(RungSystemDefine(*sys, "f", "a2*sin(phase)"));
  PetscCall(RungSystemDefine(*sys, "gn", "cos(phase)*dot(a, n)"));
  PetscCall(add_equations(row, mesh, *sys));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_fall_with_the_order_of_the_element(void)
{
  PetscCall(ladder_check_all(PETSC_STATIC_ARRAY_LENGTH(rows), rows, create));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_errors_fall_with_the_order_of_the_element))
