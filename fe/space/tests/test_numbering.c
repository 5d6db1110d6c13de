/* test_numbering.c - nodes of neighbours coincide, are counted once, and have one place on all ranks. */
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

static PetscErrorCode test_neighbours_agree_on_shared_nodes(void)
{
  for (int k = 0; k < CASES; ++k)
    for (PetscInt degree = 1; degree <= (cases[k].dim == 3 ? 5 : 6); ++degree) {
      RungMesh  mesh;
      RungSpace space;

      PetscCall(create_box(cases[k].cell, cases[k].dim, 2, &mesh));
      PetscCall(create_space(mesh, "", degree, &space));
      PetscCall(check_places(space));
      PetscCall(RungSpaceDestroy(&space));
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

/* Nodes of a box of quadrilaterals of degree k: (k n + 1) x (k m + 1); triangles the same. */
static PetscErrorCode test_nodes_are_counted_once(void)
{
  for (int k = 0; k < CASES; ++k)
    for (PetscInt degree = 1; degree <= 4; ++degree) {
      const PetscInt       n[3]   = {2 * degree + 1, 3 * degree + 1, 2 * degree + 1};
      PetscInt             wanted = 1;
      const RungSpaceData *s;
      RungMesh             mesh;
      RungSpace            space;

      PetscCall(create_box(cases[k].cell, cases[k].dim, 2, &mesh));
      PetscCall(create_space(mesh, "", degree, &space));
      PetscCall(RungSpaceGetData(space, &s));
      for (PetscInt a = 0; a < cases[k].dim; ++a) wanted *= n[a];
      CHECK(s->nodes_global == wanted);
      CHECK(s->continuous);
      PetscCall(RungSpaceDestroy(&space));
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

/* Owned nodes of all ranks have the global numbers 0 .. n - 1, and no two have one place. */
static PetscErrorCode test_global_numbers_name_places(void)
{
  const RungSpaceData *s;
  RungMesh             mesh;
  RungSpace            space;
  PetscReal           *low, *high;

  PetscCall(create_box("tetrahedron", 3, 2, &mesh));
  PetscCall(create_space(mesh, "", 3, &space));
  PetscCall(RungSpaceGetData(space, &s));
  PetscCall(PetscMalloc2(3 * s->nodes_global, &low, 3 * s->nodes_global, &high));
  for (PetscInt i = 0; i < 3 * s->nodes_global; ++i) {
    low[i]  = 1e9;
    high[i] = -1e9;
  }
  for (PetscInt i = 0; i < 3 * s->nodes; ++i)
    low[3 * s->global[i / 3] + i % 3] = high[3 * s->global[i / 3] + i % 3] = s->x[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, (int)(3 * s->nodes_global), MPIU_REAL, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, (int)(3 * s->nodes_global), MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < 3 * s->nodes_global; ++i) CHECK(low[i] == high[i]); /* the same on all ranks, to the bit */
  for (PetscInt i = 0; i < s->nodes; ++i)
    CHECK((i < s->owned) == (s->global[i] >= s->start && s->global[i] < s->start + s->owned));
  PetscCall(PetscFree2(low, high));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Of P1 and Q1 owned nodes have the numbers of vertices, which lie near each other; of higher degrees those of a cell follow one another
   where they are new. */
static PetscErrorCode test_nodes_have_the_order_of_vertices_or_cells(void)
{
  PetscFunctionBegin;
  for (int k = 0; k < CASES; ++k)
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      const RungSpaceData *s;
      const RungMeshData  *m;
      RungMesh             mesh;
      RungSpace            space;
      PetscInt             most = -1; /* node of the cells before */

      PetscCall(create_box(cases[k].cell, cases[k].dim, 3, &mesh));
      PetscCall(create_space(mesh, "", degree, &space));
      PetscCall(RungMeshGetData(mesh, &m));
      PetscCall(RungSpaceGetData(space, &s));
      for (PetscInt i = 0; i < m->cells * s->cell_nodes; ++i) {
        const PetscInt node = s->cell_node[i], before = most;

        if (node >= s->owned) continue;
        most = PetscMax(most, node);
        if (degree == 1)
          CHECK(node == m->cell_entity[0][i]);
        else
          CHECK(node < (i / s->cell_nodes + 1) * s->cell_nodes && (before < 0 || node <= before + s->cell_nodes));
      }
      CHECK(most == s->owned - 1);
      PetscCall(RungSpaceDestroy(&space));
      PetscCall(RungMeshDestroy(&mesh));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_neighbours_agree_on_shared_nodes), RUNG_TEST(test_nodes_are_counted_once),
               RUNG_TEST(test_global_numbers_name_places), RUNG_TEST(test_nodes_have_the_order_of_vertices_or_cells))
