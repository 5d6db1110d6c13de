/* test_mesh_import.c - groups of a Gmsh file that are parts of cells, facets, edges and vertices, on any number of ranks.

   A cube of 2 x 2 x 2 blocks of hexahedra or tetrahedra with the groups "wire" (20), the two edges through the middle along
   x; "pin" (30), the point in the middle and the one at the origin; "both", a point (31) and the edges (21) from the
   origin along z; "wall" (22), the facets of the planes x = 1/2 and x = 1 with y < 1/2; "block" (1), all cells. */
#include "mesh_tools.h"

enum { N = 2, NODES = (N + 1) * (N + 1) * (N + 1) };

static int node_at(int i, int j, int k)
{
  return 1 + i + (N + 1) * (j + (N + 1) * k);
}

/* Elements of one block. */
static void add_block(RungCellType type, int i, int j, int k, int *number, char text[], size_t size)
{
  static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                       {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
  static const int hexahedron[8]    = {0, 1, 3, 2, 4, 5, 7, 6};
  const int        n = type == RUNG_HEXAHEDRON ? 1 : 6, nv = type == RUNG_HEXAHEDRON ? 8 : 4;

  for (int c = 0; c < n; ++c) {
    size_t at = strlen(text);

    at += (size_t)snprintf(text + at, size - at, "%d %d 2 1 1", ++*number, type == RUNG_HEXAHEDRON ? 5 : 4);
    for (int v = 0; v < nv; ++v) {
      const int bits = n == 1 ? hexahedron[v] : tetrahedra[c][v];

      at += (size_t)snprintf(text + at, size - at, " %d",
                             node_at(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2)));
    }
    (void)snprintf(text + at, size - at, "\n");
  }
}

static void add_line(const char element[], int *number, char text[], size_t size)
{
  const size_t at = strlen(text);

  (void)snprintf(text + at, size - at, "%d %s\n", ++*number, element);
}

/* The facets of the group "wall": a quadrilateral of a block, or the two triangles of its tetrahedra. */
static void add_wall(RungCellType type, int i, int k, int *number, char text[], size_t size)
{
  const int v[4] = {node_at(i, 0, k), node_at(i, 1, k), node_at(i, 1, k + 1), node_at(i, 0, k + 1)};
  char      one[64];

  if (type == RUNG_HEXAHEDRON) {
    (void)snprintf(one, sizeof one, "3 2 22 1 %d %d %d %d", v[0], v[1], v[2], v[3]);
    add_line(one, number, text, size);
    return;
  }
  (void)snprintf(one, sizeof one, "2 2 22 1 %d %d %d", v[0], v[1], v[2]);
  add_line(one, number, text, size);
  (void)snprintf(one, sizeof one, "2 2 22 1 %d %d %d", v[0], v[2], v[3]);
  add_line(one, number, text, size);
}

static PetscErrorCode make_cube(RungCellType type, PetscInt refine, const char odd[], RungMesh *mesh)
{
  static char text[20000], elements[15000], one[64];
  int         number = 0;
  size_t      at;

  PetscFunctionBegin;
  elements[0] = 0;
  for (int b = 0; b < N * N * N; ++b) add_block(type, b % N, b / N % N, b / N / N, &number, elements, sizeof elements);
  for (int f = 0; f < N * N; ++f) add_wall(type, 1 + f % N, f / N, &number, elements, sizeof elements);
  for (int i = 0; i < N; ++i) {
    (void)snprintf(one, sizeof one, "1 2 20 1 %d %d", node_at(i, 1, 1), node_at(i + 1, 1, 1));
    add_line(one, &number, elements, sizeof elements);
    (void)snprintf(one, sizeof one, "1 2 21 1 %d %d", node_at(0, 0, i + 1), node_at(0, 0, i));
    add_line(one, &number, elements, sizeof elements);
  }
  (void)snprintf(one, sizeof one, "15 2 30 1 %d", node_at(1, 1, 1));
  add_line(one, &number, elements, sizeof elements);
  add_line("15 2 30 1 1", &number, elements, sizeof elements);
  add_line("15 2 30 1 1", &number, elements, sizeof elements); /* once more */
  add_line("15 2 31 1 2", &number, elements, sizeof elements);
  if (odd) add_line(odd, &number, elements, sizeof elements);
  at = (size_t)snprintf(
    text, sizeof text,
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n3 1 \"block\"\n2 22 \"wall\"\n1 20 \"wire\"\n"
    "1 21 \"both\"\n0 30 \"pin\"\n0 31 \"both\"\n$EndPhysicalNames\n$Nodes\n%d\n",
    NODES + 1);
  for (int v = 0; v < NODES; ++v)
    at += (size_t)snprintf(text + at, sizeof text - at, "%d %g %g %g\n", v + 1, 0.5 * (double)(v % (N + 1)),
                           0.5 * (double)(v / (N + 1) % (N + 1)), 0.5 * (double)(v / (N + 1) / (N + 1)));
  (void)snprintf(text + at, sizeof text - at, "%d 9 9 9\n$EndNodes\n$Elements\n%d\n%s$EndElements\n", NODES + 1, number,
                 elements);
  PetscCall(write_file("cube.msh", strlen(text), text));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, "cube.msh"));
  PetscCall(RungMeshSetRefinement(*mesh, refine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_places(RungMesh mesh, RungDomain domain, const char part[], double count, double x,
                                   double y, double z)
{
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscReal           sum[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, domain, part, &places));
  CHECK_NEAR(sum_all(mesh, (PetscReal)places->count), count, 0);
  for (PetscInt i = 0; i < places->count; ++i) { /* sums of the middles */
    const RungCell *cell = RungCellGet(data->type);
    const PetscInt  e = places->facet[0][i], n = domain == RUNG_VERTICES ? 1 : 2, end[2] = {e, 0};

    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt v = n == 1 ? end[0] : cell->edge[e][k];

      for (PetscInt a = 0; a < 3; ++a)
        sum[a] += data->x[data->cell_node[places->cell[0][i] * data->nodes_per_cell + v] * 3 + a] / (PetscReal)n;
    }
  }
  CHECK_NEAR(sum_all(mesh, sum[0]), x, 1e-12);
  CHECK_NEAR(sum_all(mesh, sum[1]), y, 1e-12);
  CHECK_NEAR(sum_all(mesh, sum[2]), z, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_nodes(RungMesh mesh, const char spec[], const char part[], double count)
{
  const RungSpaceData *data;
  RungSpace            space;
  PetscInt             n, *node;
  PetscReal            owned = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSpaceGetPartNodes(space, part, &n, &node));
  for (PetscInt i = 0; i < n; ++i) owned += node[i] < data->owned ? 1 : 0;
  CHECK_NEAR(sum_all(mesh, owned), count, 0);
  PetscCall(PetscFree(node));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_and_lines_are_parts_on_all_ranks_and_refined(void)
{
  for (PetscInt i = 0; i < 6; ++i) {
    const PetscInt     refine = i / 2;
    const RungCellType type   = i % 2 ? RUNG_TETRAHEDRON : RUNG_HEXAHEDRON;
    const double       n      = N << refine;
    RungMesh           mesh;

    PetscCall(make_cube(type, refine, NULL, &mesh));
    PetscCall(check_places(mesh, RUNG_VERTICES, "pin", 2, 0.5, 0.5, 0.5));
    PetscCall(check_places(mesh, RUNG_VERTICES, "30", 2, 0.5, 0.5, 0.5));
    PetscCall(check_places(mesh, RUNG_EDGES, "wire", n, n / 2, n / 2, n / 2));
    PetscCall(check_places(mesh, RUNG_VERTICES, "wire", n + 1, (n + 1) / 2, (n + 1) / 2, (n + 1) / 2));
    PetscCall(check_places(mesh, RUNG_VERTICES, "both", 1, 0.5, 0, 0));
    PetscCall(check_places(mesh, RUNG_EDGES, "both", n, 0, 0, n / 2));
    PetscCall(check_places(mesh, RUNG_VERTICES, "block", pow(n + 1, 3), pow(n + 1, 3) / 2, pow(n + 1, 3) / 2,
                           pow(n + 1, 3) / 2));
    PetscCall(check_nodes(mesh, "CG2", "wire", 2 * n + 1));
    PetscCall(check_nodes(mesh, "CG3", "pin", 2));
    PetscCall(check_nodes(mesh, "CG2", "wall", 2 * (n + 1) * (2 * n + 1))); /* interior and exterior facets */
    PetscCall(check_nodes(mesh, "CG1", "22", 2 * (n / 2 + 1) * (n + 1)));
    PetscCall(check_nodes(mesh, "CG2", "block", pow(2 * n + 1, 3)));
    PetscCall(check_nodes(mesh, "R", "block", 0));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_names_of_other_dimensions_are_refused_with_the_right_measure(void)
{
  RungMesh          mesh;
  RungSpace         space;
  const RungPlaces *places;
  PetscInt          n, *node;

  PetscCall(make_cube(RUNG_HEXAHEDRON, 0, NULL, &mesh));
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_EDGES, "pin", &places), "it is a part of vertices; use dP(pin)");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "wire", &places), "it is a part of edges; use dl(wire)");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "pin", &places), "use dP(pin)");
  CHECK_RAISES(
    RungMeshGetPlaces(mesh, RUNG_VERTICES, "pim", &places),
    "part of vertices \"pim\" does not exist; this mesh has boundary, block, both, pin, wall, wire; did you mean "
    "pin?");
  PetscCall(RungSpaceCreate(mesh, "CG1", &space));
  CHECK_RAISES(RungSpaceGetPartNodes(space, "pim", &n, &node),
               "part \"pim\" does not exist; this mesh has boundary, block, both, pin, wall, wire; did you mean pin?");
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_points_and_lines_beside_the_mesh_are_refused(void)
{
  RungMesh mesh;

  PetscCall(make_cube(RUNG_HEXAHEDRON, 0, "15 2 30 1 28", &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "of part \"pin\" is not a vertex of any cell; embed it (Point{..} In ..)");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(make_cube(RUNG_HEXAHEDRON, 0, "1 2 20 1 1 28", &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "of part \"wire\" is not an edge of any cell; embed it (Curve{..} In ..)");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(make_cube(RUNG_HEXAHEDRON, 0, "1 2 20 1 1 5", &mesh)); /* a diagonal */
  CHECK_RAISES(RungMeshSetUp(mesh), "part \"wire\" holds an edge that no cell has; wanted edges of cells only");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_points_and_lines_are_parts_on_all_ranks_and_refined),
               RUNG_TEST(test_names_of_other_dimensions_are_refused_with_the_right_measure),
               RUNG_TEST(test_points_and_lines_beside_the_mesh_are_refused))
