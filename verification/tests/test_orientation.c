/* test_orientation.c - whatever order the vertices of cells come in, the functions of a space are the same: all cells, degrees
   1 to 6, vectors, straight and curved, on any number of ranks.

   A mesh is compared with itself after every cell was turned and mirrored at random, and cells and nodes were renumbered:
   integrals of an interpolated function and of its gradient, jumps across facets, the solution of a Poisson problem.  Every
   row is also compared with the number of one rank, by its integrals.  On several ranks solids have degrees up to 4, from which on
   facets have nodes inside in every order. */
#include "ladder.h"
#include <check_curved.h>

#define NUMBERS 4

/* |u|, its gradient, its jump and its flux's mean squared, of u interpolated and of u solved for. */
static PetscErrorCode numbers_of(RungMesh mesh, const char spec[], PetscBool vector, PetscReal interpolated[],
                                 PetscReal solved[])
{
  static const char *const exact[] = {"sin(2*x[0] + 1.3*x[1] - x[2] + 0.4)",
                                      "vector(sin(2*x[0] + 1.3*x[1]), cos(x[0]*x[1]))",
                                      "vector(sin(2*x[0] + 1.3*x[1]), cos(x[0]*x[1]), x[2]*sin(x[0] - x[2]))"};
  const RungMeshData      *data;
  char                     f[128];
  RungSystem               sys;
  Vec                      u;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(PetscStrncpy(f, vector ? exact[data->dim - 1] : exact[0], sizeof f));
  if (!vector && data->dim < 3)
    PetscCall(PetscStrncpy(f, data->dim == 2 ? "sin(2*x[0] + 1.3*x[1] + 0.4)" : "sin(2*x[0] + 0.4)", sizeof f));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(ladder_unknown(sys, mesh, "u", "v", spec));
  PetscCall(RungSystemDefine(sys, "g", f));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - inner(g, v)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "g"));
  PetscCall(RungSystemSetInitial(sys, "u", "g"));
  PetscCall(RungSystemAddQuantity(sys, "square", "inner(u, u)*dx"));
  PetscCall(RungSystemAddQuantity(sys, "slope", "inner(grad(u), grad(u))*dx"));
  PetscCall(RungSystemAddQuantity(sys, "jump", "inner(jump(u), jump(u))*dS"));
  PetscCall(RungSystemAddQuantity(sys, "flux", "inner(jump(grad(u)), jump(grad(u)))*dS"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, &u, interpolated));
  PetscCall(ladder_solve(sys, u));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, &u, solved));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_space(RungCellType type, PetscInt order, const char spec[])
{
  const PetscBool vector = strchr(spec, '^') ? PETSC_TRUE : PETSC_FALSE;
  PetscReal       number[2][2][NUMBERS];

  PetscFunctionBegin;
  for (unsigned i = 0; i < 2; ++i) {
    RungMesh mesh;

    PetscCall(shuffled_mesh(type, 2, order, i ? 77 + (unsigned)spec[1] : 0, "orientation.msh", &mesh));
    PetscCall(numbers_of(mesh, spec, vector, number[i][0], number[i][1]));
    PetscCall(RungMeshDestroy(&mesh));
  }
  for (int i = 0; i < 2; ++i) {
    const PetscReal *a = number[0][i], *b = number[1][i];

    CHECK_NEAR(b[0], a[0], 1e-11 * a[0]);
    CHECK_NEAR(b[1], a[1], 1e-11 * a[1]);
    CHECK_NEAR(b[2], 0, 1e-24);
    CHECK_NEAR(a[2], 0, 1e-24);
    CHECK_NEAR(b[3], a[3], 1e-10 * a[3] + 1e-17);
    CHECK(a[0] > 0.01 && a[1] > 0.1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_cells(RungCellType type, PetscInt most)
{
  PetscFunctionBegin;
  for (PetscInt degree = 1; degree <= most; ++degree) {
    char spec[16];

    PetscCall(PetscSNPrintf(spec, sizeof spec, "CG%" PetscInt_FMT, degree));
    PetscCall(check_space(type, 1, spec));
  }
  PetscCall(check_space(type, 2, "CG3"));
  if (type > RUNG_INTERVAL) PetscCall(check_space(type, 1, "CG3^d"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_intervals(void)
{
  return check_cells(RUNG_INTERVAL, 6);
}

static PetscErrorCode test_triangles(void)
{
  return check_cells(RUNG_TRIANGLE, 6);
}

static PetscErrorCode test_quadrilaterals(void)
{
  return check_cells(RUNG_QUADRILATERAL, 6);
}

static PetscErrorCode test_tetrahedra(void)
{
  return check_cells(RUNG_TETRAHEDRON, check_alone() ? 6 : 4);
}

static PetscErrorCode test_hexahedra(void)
{
  return check_cells(RUNG_HEXAHEDRON, check_alone() ? 6 : 4);
}

RUNG_TEST_MAIN(RUNG_TEST(test_intervals), RUNG_TEST(test_triangles), RUNG_TEST(test_quadrilaterals),
               RUNG_TEST(test_tetrahedra), RUNG_TEST(test_hexahedra))
