/* test_mesh_sides.c - interior facets: each once over the ranks, with the cells on both sides in the same orientation. */
#include "mesh_tools.h"

/* The place of reference point X of a cell, which may be a far one. */
static void place_of(const RungMeshData *data, const PetscReal far[], PetscInt c, const PetscReal X[], PetscReal x[3])
{
  const RungCell *cell = RungCellGet(data->type);

  x[0] = x[1] = x[2] = 0;
  for (PetscInt v = 0; v < cell->vertices; ++v) {
    PetscReal shape = 1;

    for (PetscInt a = 0; a < cell->dim && !cell->simplex; ++a) shape *= cell->x[v][a] > 0.5 ? X[a] : 1 - X[a];
    for (PetscInt a = 0; a < cell->dim && cell->simplex; ++a) shape -= v ? 0 : X[a];
    if (cell->simplex && v) shape = X[v - 1];
    for (PetscInt a = 0; a < data->dim; ++a) {
      x[a] += shape * (c < data->cells ? data->x[data->cell_node[c * cell->vertices + v] * data->dim + a]
                                       : far[((c - data->cells) * cell->vertices + v) * data->dim + a]);
    }
  }
}

/* The points of the rules on both sides coincide; returns the largest distance. */
static PetscErrorCode check_points(RungMesh mesh, const char part[], PetscReal *count, PetscReal *distance)
{
  const RungMeshData   *data;
  const RungPlaces     *places;
  const RungQuadrature *rule[2];
  const PetscReal      *far;
  PetscInt              cells;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, part, &places));
  PetscCall(RungMeshGetFarCells(mesh, &cells, &far));
  *distance = 0;
  for (PetscInt i = 0; i < places->count; ++i) {
    PetscCall(RungQuadratureGetFacet(data->type, places->facet[0][i], 10, &rule[0]));
    PetscCall(RungQuadratureGetFacetTurned(data->type, places->facet[1][i], places->turn[i], 10, &rule[1]));
    CHECK(places->cell[0][i] != places->cell[1][i] && places->cell[1][i] < data->cells + cells);
    for (PetscInt q = 0; q < rule[0]->points; ++q) {
      PetscReal x[2][3];

      for (int s = 0; s < 2; ++s)
        place_of(data, far, places->cell[s][i], rule[s]->x + q * RungCellGet(data->type)->dim, x[s]);
      for (int a = 0; a < 3; ++a) *distance = PetscMax(*distance, PetscAbsReal(x[0][a] - x[1][a]));
    }
  }
  *count = sum_all(mesh, (PetscReal)places->count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_box(RungCellType type, PetscReal facets)
{
  RungMesh  mesh;
  PetscReal count, distance;

  PetscCall(make_box(type, 3, 2, 2, NULL, &mesh));
  PetscCall(check_points(mesh, NULL, &count, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  CHECK(count == facets);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_facets_are_visited_once_with_equal_points_on_both_sides(void)
{
  PetscCall(check_box(RUNG_INTERVAL, 2));
  PetscCall(check_box(RUNG_TRIANGLE, 13));
  PetscCall(check_box(RUNG_QUADRILATERAL, 7));
  PetscCall(check_box(RUNG_TETRAHEDRON, 112));
  PetscCall(check_box(RUNG_HEXAHEDRON, 20));
  return PETSC_SUCCESS;
}

/* Two hexahedra side by side; the vertices of the second in one of the 24 orders that a rotation makes of them. */
static PetscErrorCode make_pair(PetscInt rotation, RungMesh *mesh)
{
  static const int axis[6][3] = {{1, 2, 4}, {2, 4, 1}, {4, 1, 2}, {1, 4, 2}, {4, 2, 1}, {2, 1, 4}};
  static const int gmsh[8]    = {0, 1, 3, 2, 4, 5, 7, 6}; /* corner of ours that Gmsh has at this place */
  const int        from = (int)(rotation / 3), odd = from == 1 || from == 2 || from == 4 || from == 7;
  char             text[1024], path[64], *end = text;

  PetscFunctionBegin;
  end += sprintf(end, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n");
  for (int v = 0; v < 12; ++v) end += sprintf(end, "%d %d %d %d\n", v + 1, v % 3, v / 3 % 2, v / 6);
  end += sprintf(end, "$EndNodes\n$Elements\n2\n1 5 2 1 1 1 2 5 4 7 8 11 10\n2 5 2 1 1");
  for (int k = 0; k < 8; ++k) {
    const int *step = axis[rotation % 3 + (odd ? 3 : 0)];
    int        at   = from;

    for (int a = 0; a < 3; ++a) at ^= gmsh[k] >> a & 1 ? step[a] : 0;
    end += sprintf(end, " %d", 2 + (at & 1) + 3 * (at >> 1 & 1) + 6 * (at >> 2));
  }
  (void)sprintf(end, "\n$EndElements\n");
  PetscCall(PetscSNPrintf(path, sizeof path, "pair_%d.msh", (int)rotation));
  PetscCall(write_file(path, strlen(text), text));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_hexahedra_in_all_rotations_agree_about_their_facet(void)
{
  for (PetscInt rotation = 0; rotation < 24; ++rotation) {
    RungMesh  mesh;
    PetscReal count, distance;

    PetscCall(make_pair(rotation, &mesh));
    PetscCall(check_points(mesh, NULL, &count, &distance));
    CHECK(count == 1);
    CHECK_NEAR(distance, 0, 1e-14);
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ways_of_looking_at_a_facet_are_different_permutations(void)
{
  const RungCellType type[4] = {RUNG_POINT, RUNG_INTERVAL, RUNG_TRIANGLE, RUNG_QUADRILATERAL};

  for (int i = 0; i < 4; ++i) {
    const PetscInt n = RungCellGet(type[i])->vertices;

    CHECK(!RungFacetTurn(type[i], RungFacetTurns(type[i])) && !RungFacetTurn(type[i], -1));
    for (PetscInt t = 0; t < RungFacetTurns(type[i]); ++t) {
      PetscInt seen = 0;

      for (PetscInt k = 0; k < n; ++k) seen |= 1 << RungFacetTurn(type[i], t)[k];
      CHECK(seen == (1 << n) - 1);
      for (PetscInt s = 0; s < t; ++s)
        CHECK(memcmp(RungFacetTurn(type[i], s), RungFacetTurn(type[i], t), (size_t)n * sizeof(PetscInt)) != 0);
    }
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_facets_are_visited_once_with_equal_points_on_both_sides),
               RUNG_TEST(test_hexahedra_in_all_rotations_agree_about_their_facet),
               RUNG_TEST(test_ways_of_looking_at_a_facet_are_different_permutations))
