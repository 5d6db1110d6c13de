/* test_elasticity.c - vectors: linear elasticity, - div sigma = f, sigma = 2 mu sym(grad u) + lambda tr(grad u) I.

       patch     a linear displacement, given on the boundary, is found to rounding on distorted and on curved cells of
                 every type, and its stress is one number everywhere
       traction  a smooth displacement on distorted cells, given on one side and by its traction on the others:
                 L2 order k + 1, H1 order k */
#include "ladder.h"
#include <check_curved.h>

static const Ladder rows[] = {
#include "elasticity_rows.def"
};

static const char *const smooth[4] = {
  "", "vector(sin(2*x[0]))", "vector(sin(2*x[0] + x[1]), cos(x[0] - x[1]))",
  "vector(sin(2*x[0] + x[1] - x[2]), cos(x[0] - x[1] + x[2]), sin(x[0])*cos(x[1] + x[2]))"};
static const char *const linear[4] = {
  "", "vector(1 + 2*x[0])", "vector(1 + 2*x[0] - x[1], 3*x[0] + 0.5*x[1])",
  "vector(1 + 2*x[0] - x[1] + x[2], 3*x[0] + 0.5*x[1] - x[2], x[0] - 0.25*x[1] + 2*x[2])"};

static PetscErrorCode create_system(RungMesh mesh, const char spec[], const char exact[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(ladder_unknown(*sys, mesh, "u", "v", spec));
  PetscCall(RungSystemSetConstant(*sys, "lame", 2));
  PetscCall(RungSystemSetConstant(*sys, "mu", 0.75));
  PetscCall(RungSystemDefine(*sys, "u_exact", exact));
  PetscCall(RungSystemDefine(*sys, "s", "2*mu*sym(grad(u)) + lame*tr(grad(u))*I"));
  PetscCall(RungSystemDefine(*sys, "s_exact", "2*mu*sym(grad(u_exact)) + lame*tr(grad(u_exact))*I"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- orders -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create(const Ladder *row, PetscInt n, RungSystem *sys)
{
  const RungCell *cell = RungCellGet(row->type);
  RungMesh        mesh;
  char            path[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "elasticity_%s.msh", cell->name));
  PetscCall(distorted_mesh(row->type, n, path, &mesh));
  PetscCall(create_system(mesh, row->spec, smooth[cell->dim], sys));
  PetscCall(RungSystemAddResidual(*sys, "(inner(s, grad(v)) + dot(div(s_exact), v))*dx(degree: 8)"));
  PetscCall(RungSystemAddResidual(*sys, "-dot(dot(s_exact, n), v)*ds(degree: 8)"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "inner", "u_exact"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_fall_with_the_order_of_the_element(void)
{
  PetscCall(ladder_check_all(PETSC_STATIC_ARRAY_LENGTH(rows), rows, create));
  return PETSC_SUCCESS;
}

/* ---- patch tests --------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_patch(RungMesh mesh, PetscInt dim, const char spec[])
{
  RungSystem sys;
  Vec        u;
  PetscReal  error, size;

  PetscFunctionBegin;
  PetscCall(create_system(mesh, spec, linear[dim], &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(s, grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "u_exact"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(ladder_solve(sys, u));
  PetscCall(RungError(sys, "u", "max", "u_exact", 0, u, &error, &size));
  CHECK_NEAR(error, 0, 2e-13 * size);
  PetscCall(RungSystemNorm(sys, "s - s_exact", NULL, RUNG_NORM_L2, 0, &u, &error));
  CHECK_NEAR(error, 0, 1e-12);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_linear_displacement_is_exact_on_distorted_and_curved_cells(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int k = 1; k <= 2; ++k)
      for (int curved = 0; curved < 2; ++curved) {
        const RungCell *cell = RungCellGet((RungCellType)type);
        char            path[64], spec[16];
        RungMesh        mesh;

        if (curved && k == 1) continue; /* x itself is not in the space of a curved cell of degree 1 */
        PetscCall(PetscSNPrintf(path, sizeof path, "patch_%s.msh", cell->name));
        PetscCall(PetscSNPrintf(spec, sizeof spec, "CG%d^d", k));
        if (curved)
          PetscCall(curved_mesh((RungCellType)type, 2, 2, PETSC_FALSE, path, &mesh));
        else
          PetscCall(distorted_mesh((RungCellType)type, 3, path, &mesh));
        PetscCall(check_patch(mesh, cell->dim, spec));
        PetscCall(RungMeshDestroy(&mesh));
      }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_linear_displacement_is_exact_on_distorted_and_curved_cells),
               RUNG_TEST(test_errors_fall_with_the_order_of_the_element))
