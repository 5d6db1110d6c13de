/* test_space.c - specs are read or refused with the way out; nodes of parts are complete. */
#include "check.h"

static const struct {
  const char *cell;
  PetscInt    dim;
} cases[] = {{"interval", 1}, {"triangle", 2}, {"quadrilateral", 2}, {"tetrahedron", 3}, {"hexahedron", 3}};
enum { CASES = sizeof cases / sizeof cases[0] };

static PetscErrorCode create_box(const char cell[], PetscInt dim, PetscInt n, RungMesh *mesh)
{
  const PetscInt  count[3] = {n, n + 1, n};
  const PetscReal size[3]  = {1, 2, 1.5};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell, dim, count, size));
  PetscCall(RungMeshSetUp(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_space(RungMesh mesh, const char family[], PetscInt degree, RungSpace *space)
{
  const RungMeshData *data;
  char                spec[32];

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(PetscSNPrintf(spec, sizeof spec, "%s%s%" PetscInt_FMT, family, RungCellGet(data->type)->simplex ? "P" : "Q",
                          degree));
  PetscCall(RungSpaceCreate(mesh, spec, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every cell's own image of a node is the node's place, so neighbours agree on what they share. */
static PetscErrorCode check_places(RungSpace space)
{
  const RungSpaceData *s;
  const RungMeshData  *m;
  RungSpace            linear;
  PetscReal           *table, off = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &s));
  PetscCall(RungMeshGetData(s->mesh, &m));
  PetscCall(create_space(s->mesh, "D", 1, &linear));
  PetscCall(PetscMalloc1(RungSpaceTableSize(linear, s->cell_nodes, 0), &table));
  PetscCall(RungSpaceTabulate(linear, s->cell_nodes, s->node, 0, table));
  for (PetscInt c = 0; c < m->cells; ++c)
    for (PetscInt i = 0; i < s->cell_nodes; ++i)
      for (PetscInt a = 0; a < m->dim; ++a) {
        PetscReal x = 0;

        for (PetscInt v = 0; v < m->nodes_per_cell; ++v)
          x += table[i * m->nodes_per_cell + v] * m->x[m->cell_node[c * m->nodes_per_cell + v] * m->dim + a];
        off = PetscMax(off, PetscAbsReal(x - s->x[s->cell_node[c * s->cell_nodes + i] * m->dim + a]));
      }
  CHECK_NEAR(off, 0, 1e-13);
  PetscCall(PetscFree(table));
  PetscCall(RungSpaceDestroy(&linear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_discontinuous_nodes_belong_to_cells(void)
{
  static const char *const specs[]  = {"P0", "DP0", "DP2", "Quad(2)"};
  static const PetscInt    nodes[4] = {1, 1, 6, 3};

  for (int i = 0; i < 4; ++i) {
    const RungSpaceData *s;
    RungMesh             mesh;
    RungSpace            space;

    PetscCall(create_box("triangle", 2, 2, &mesh));
    PetscCall(RungSpaceCreate(mesh, specs[i], &space));
    PetscCall(RungSpaceGetData(space, &s));
    CHECK(s->cell_nodes == nodes[i] && s->nodes_global == 12 * nodes[i] && !s->continuous && s->owned == s->nodes);
    CHECK(s->quadrature == (i == 3));
    PetscCall(check_places(space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_shapes_are_read(void)
{
  static const struct {
    const char *spec;
    PetscInt    rank, rows, columns;
  } list[] = {{"P1", 0, 1, 1}, {"P2^d", 1, 2, 1}, {"P1^5", 1, 5, 1}, {"DP1^2x3", 2, 2, 3}, {"Quad(2)^dxd", 2, 2, 2}};
  RungMesh mesh;

  PetscCall(create_box("triangle", 2, 1, &mesh));
  for (int i = 0; i < 5; ++i) {
    const RungSpaceData *s;
    RungSpace            space;

    PetscCall(RungSpaceCreate(mesh, list[i].spec, &space));
    PetscCall(RungSpaceGetData(space, &s));
    CHECK(s->rank == list[i].rank && s->shape[0] == list[i].rows && s->shape[1] == list[i].columns);
    CHECK(s->components == list[i].rows * list[i].columns && !strcmp(s->spec, list[i].spec));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_cg_and_dg_are_the_family_of_the_cells(void)
{
  static const char *const cell[] = {"triangle", "quadrilateral"}, *const spec[] = {"CG2^d", "DG1"};
  static const PetscInt nodes[2][2] = {{6, 3}, {9, 4}};

  for (int i = 0; i < 2; ++i) {
    RungMesh mesh;

    PetscCall(create_box(cell[i], 2, 1, &mesh));
    for (int j = 0; j < 2; ++j) {
      const RungSpaceData *s;
      RungSpace            space;

      PetscCall(RungSpaceCreate(mesh, spec[j], &space));
      PetscCall(RungSpaceGetData(space, &s));
      CHECK(s->cell_nodes == nodes[i][j] && s->continuous == (j == 0));
      PetscCall(RungSpaceDestroy(&space));
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  {
    const RungSpaceData *s;
    RungMesh             mesh;
    RungSpace            space;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetPoints(mesh, 4));
    PetscCall(RungSpaceCreate(mesh, "CG1", &space));
    PetscCall(RungSpaceGetData(space, &s));
    CHECK(s->degree == 0 && s->nodes_global == 4);
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_mesh_of_points_has_constants(void)
{
  const RungSpaceData *s;
  RungMesh             mesh;
  RungSpace            space;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 4));
  PetscCall(RungSpaceCreate(mesh, "P0^3", &space));
  PetscCall(RungSpaceGetData(space, &s));
  CHECK(s->nodes_global == 4 && s->components == 3);
  for (PetscInt i = 0; i < s->nodes; ++i) CHECK(s->x[i] == (PetscReal)s->global[i]);
  PetscCall(RungSpaceDestroy(&space));
  CHECK_RAISES(RungSpaceCreate(mesh, "P1", &space), "use \"P0\"");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bad_specs_are_refused_with_the_way_out(void)
{
  static const char *const bad[][2] = {
    {"P", "degree is missing"},     {"", "family \"\" does not exist"},
    {"Dp1", "did you mean DP?"},    {"P1^", "shape after \"^\" is missing"},
    {"P1^0", "0 components"},       {"P1^2x2x2", "one or two extents"},
    {"P1 ", "not understood"},      {"P1^dd", "not understood"},
    {"Q2", "use \"P2\""},           {"DQ2", "use \"DP2\""},
    {"Quad2", "in parentheses"},    {"P(2)", "without parentheses"},
    {"Quad(2", "\")\" is missing"}, {"P99", "more than 64"},
    {"P99999999999", "too large"},  {"RT1", "continuous normal components are not there"},
  };
  RungMesh  mesh;
  RungSpace space;

  PetscCall(create_box("triangle", 2, 1, &mesh));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    CHECK_RAISES(RungSpaceCreate(mesh, bad[i][0], &space), bad[i][1]);
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(create_box("hexahedron", 3, 1, &mesh));
  CHECK_RAISES(RungSpaceCreate(mesh, "P2^d", &space), "use \"Q2\"");
  CHECK_RAISES(RungSpaceCreate(mesh, "DP1", &space), "use \"DQ1\"");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* The nodes of "left" are exactly those with x[0] = 0, on every rank that has them, with or without a facet there. */
static PetscErrorCode test_nodes_of_a_part_are_complete(void)
{
  for (int k = 0; k < CASES; ++k)
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      const RungSpaceData *s;
      RungMesh             mesh;
      RungSpace            space;
      PetscInt             count, *nodes, n = 0;

      PetscCall(create_box(cases[k].cell, cases[k].dim, 2, &mesh));
      PetscCall(create_space(mesh, "", degree, &space));
      PetscCall(RungSpaceGetData(space, &s));
      PetscCall(RungSpaceGetPartNodes(space, "left", &count, &nodes));
      for (PetscInt i = 0; i < s->nodes; ++i)
        if (PetscAbsReal(s->x[i * cases[k].dim]) < 1e-12) CHECK(n < count && nodes[n++] == i);
      CHECK(n == count);
      PetscCall(PetscFree(nodes));
      PetscCall(RungSpaceDestroy(&space));
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

/* On every cell type and every rank: one node, zero boundary nodes, one place that has weight 1. */
static PetscErrorCode test_a_global_number_is_one_node_of_all_cells(void)
{
  for (int k = 0; k < CASES; ++k) {
    RungMesh             mesh;
    RungSpace            space;
    const RungSpaceData *s;
    const RungPlaces    *places;
    PetscInt             sum[2], count, *nodes;

    PetscCall(create_box(cases[k].cell, cases[k].dim, 1, &mesh));
    PetscCall(RungSpaceCreate(mesh, "R^3", &space));
    PetscCall(RungSpaceGetData(space, &s));
    CHECK(s->single && !s->continuous && s->components == 3 && s->nodes == 1 && s->nodes_global == 1 && !s->global[0]);
    PetscCall(RungMeshGetPlaces(mesh, RUNG_GLOBAL, NULL, &places));
    CHECK(places->count == s->owned);
    PetscCall(RungSpaceGetPartNodes(space, "boundary", &count, &nodes));
    CHECK(count == 0);
    PetscCall(PetscFree(nodes));
    sum[0] = s->owned;
    PetscCallMPI(MPI_Allreduce(&sum[0], &sum[1], 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    CHECK(sum[1] == 1);
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_an_unknown_part_is_refused(void)
{
  RungMesh  mesh;
  RungSpace space;
  PetscInt  count, *nodes;

  PetscCall(create_box("triangle", 2, 2, &mesh));
  PetscCall(create_space(mesh, "", 1, &space));
  CHECK_RAISES(RungSpaceGetPartNodes(space, "rihgt", &count, &nodes), "does not exist");
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Elsewhere, and of cells with places of their own, they are copied. */
static PetscErrorCode test_nodes_of_vertices_are_the_mesh_s_on_one_rank(void)
{
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int periodic = 0; periodic < 2; ++periodic)
    for (int degree = 1; degree < 3; ++degree) {
      const PetscBool      lent = size == 1 && !periodic && degree == 1 ? PETSC_TRUE : PETSC_FALSE;
      const RungMeshData  *mesh_data;
      const RungSpaceData *data;
      RungMesh             mesh;
      RungSpace            V;

      PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
      PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 3}, (PetscReal[]){1, 1}));
      PetscCall(
        RungMeshSetPeriodic(mesh, (PetscBool[]){periodic ? PETSC_TRUE : PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}));
      PetscCall(RungSpaceCreate(mesh, degree == 1 ? "P1^2" : "P2", &V));
      PetscCall(RungMeshGetData(mesh, &mesh_data));
      PetscCall(RungSpaceGetData(V, &data));
      CHECK((data->cell_node == mesh_data->cell_node && data->x == mesh_data->x) == lent);
      for (PetscInt i = 0; i < 3 * mesh_data->cells && degree == 1 && !periodic; ++i)
        for (int a = 0; a < 2; ++a)
          CHECK_NEAR(data->x[2 * data->cell_node[i] + a], mesh_data->x[2 * mesh_data->cell_node[i] + a], 1e-15);
      PetscCall(RungMeshDestroy(&mesh));
      PetscCall(RungSpaceDestroy(&V));
    }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_discontinuous_nodes_belong_to_cells), RUNG_TEST(test_shapes_are_read),
               RUNG_TEST(test_cg_and_dg_are_the_family_of_the_cells), RUNG_TEST(test_a_mesh_of_points_has_constants),
               RUNG_TEST(test_bad_specs_are_refused_with_the_way_out), RUNG_TEST(test_nodes_of_a_part_are_complete),
               RUNG_TEST(test_a_global_number_is_one_node_of_all_cells), RUNG_TEST(test_an_unknown_part_is_refused),
               RUNG_TEST(test_nodes_of_vertices_are_the_mesh_s_on_one_rank))
