/* test_normal.c - normals at the nodes of the boundary: outward, weighed by facets, and together what lets nothing through. */
#include "check_curved.h"
#include "mesh_tools.h"

/* Length over the measure of the facet is the same on all facets, whichever of its cell's facets it is. */
static PetscErrorCode test_normals_weigh_as_much_as_their_facets(void)
{
  static const RungCellType type[] = {RUNG_TRIANGLE, RUNG_TETRAHEDRON};
  static const char *const  spec[] = {"P1^d", "P1+B^d"};

  PetscFunctionBegin;
  for (int k = 0; k < 4; ++k) {
    const RungCellType  facet  = RungCellGet(type[k % 2])->facet_type;
    const PetscReal     wanted = facet == RUNG_TRIANGLE ? 1 / RungCellGet(facet)->size
                                                        : 1. / (PetscReal)RungCellGet(facet)->vertices;
    RungMesh            mesh;
    RungSpace           space;
    const RungMeshData *data;
    const RungPlaces   *places;
    PetscInt            n, *node;
    PetscReal          *normal;

    PetscCall(shuffled_mesh(type[k % 2], 3, 1, 7u, "normal.msh", &mesh));
    PetscCall(RungSpaceCreate(mesh, spec[k / 2], &space));
    PetscCall(RungMeshGetData(mesh, &data));
    PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &places));
    PetscCall(RungSpaceGetFacetNormals(space, NULL, &n, &node, &normal));
    CHECK(n == places->count * data->dim);
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal       along = 0, unit[3];
      const PetscReal size = facet_measure(data, places->cell[0][i / data->dim], places->facet[0][i / data->dim], unit);

      for (PetscInt a = 0; a < data->dim; ++a) along += unit[a] * normal[i * data->dim + a];
      CHECK_NEAR(along / size, wanted, 1e-12);
    }
    PetscCall(PetscFree(node));
    PetscCall(PetscFree(normal));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum_i u_i . N_i = int u.n ds: 0 for constant u, the volume for u = (x[0], 0, ..), which lies in the space. */
static PetscErrorCode flux(RungMesh mesh, const char spec[], PetscReal one[3], PetscReal *x)
{
  RungSpace            space;
  const RungSpaceData *data;
  const RungMeshData  *cells;
  PetscInt             n, *node;
  PetscReal           *normal, sum[4] = {0};

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(mesh, &cells));
  PetscCall(RungSpaceGetFacetNormals(space, NULL, &n, &node, &normal));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt a = 0; a < cells->dim; ++a) sum[a] += normal[i * cells->dim + a];
    sum[3] += normal[i * cells->dim] * data->x[node[i] * cells->dim];
  }
  for (int a = 0; a < 3; ++a) one[a] = sum_all(mesh, sum[a]);
  *x = sum_all(mesh, sum[3]);
  PetscCall(PetscFree(node));
  PetscCall(PetscFree(normal));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_normals_let_nothing_through_curved_walls(void)
{
  static const struct {
    RungCellType type;
    const char  *spec;
    PetscReal    off; /* of the volume, which the mesh has to the order of its map */
  } row[] = {{RUNG_TRIANGLE, "P2^d", 2e-3},      {RUNG_TRIANGLE, "P3^d", 2e-3},   {RUNG_QUADRILATERAL, "Q2^d", 2e-3},
             {RUNG_QUADRILATERAL, "Q4^d", 2e-3}, {RUNG_HEXAHEDRON, "Q2^d", 5e-3}, {RUNG_HEXAHEDRON, "Q3^d", 5e-3}};

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof row / sizeof row[0]; ++k) {
    const PetscInt dim = RungCellGet(row[k].type)->dim;
    RungMesh       mesh;
    PetscReal      one[3], x;

    PetscCall(curved_mesh(row[k].type, 3, 2, PETSC_FALSE, "normal.msh", &mesh));
    PetscCall(flux(mesh, row[k].spec, one, &x));
    for (int a = 0; a < dim; ++a) CHECK_NEAR(one[a], 0, 1e-12);
    CHECK_NEAR(x, curved_volume(dim), row[k].off);
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_normals_weigh_as_much_as_their_facets),
               RUNG_TEST(test_normals_let_nothing_through_curved_walls))
