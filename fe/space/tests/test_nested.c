/* test_nested.c - functions of one space at the nodes of another: exact for what both have, and the transpose is one. */
#include <check_curved.h>
#include <rungnested_room.h>

/* A polynomial of a degree, at most 3, in each component another one. */
static double polynomial(PetscInt degree, PetscInt dim, const PetscReal x[], PetscInt component)
{
  const double s = x[0] + (dim > 1 ? 2 * x[1] : 0) - (dim > 2 ? x[2] : 0) + 0.3;

  return (1 + component) * (degree > 0 ? s : 1) + (degree > 1 ? s * s : 0) - (degree > 2 ? s * s * s : 0);
}

static PetscErrorCode fill(RungLayout layout, PetscInt degree, Vec u)
{
  const RungLayoutData *data;
  PetscScalar          *to;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(VecGetArrayWrite(u, &to));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *space;
    const RungMeshData  *mesh;

    PetscCall(RungSpaceGetData(data->space[f], &space));
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    for (PetscInt i = 0; i < space->owned * space->components; ++i)
      to[data->range[f] + i] = polynomial(degree, mesh->dim, space->x + i / space->components * mesh->dim,
                                          i % space->components);
  }
  PetscCall(VecRestoreArrayWrite(u, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_waves(Vec u, double phase)
{
  PetscInt     start, end;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  PetscCall(VecGetArrayWrite(u, &x));
  for (PetscInt i = start; i < end; ++i) x[i - start] = sin(1.7 * (double)i + phase);
  PetscCall(VecRestoreArrayWrite(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode distance(Vec a, Vec b, PetscReal *norm)
{
  Vec d;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(a, &d));
  PetscCall(VecWAXPY(d, -1, a, b));
  PetscCall(VecNorm(d, NORM_INFINITY, norm));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With rows that are zero T is Z T: Apply gives 0 there, ApplyAdd leaves them alone, the transpose does not look.  x and T x are given;
   every third entry of each rank. */
static PetscErrorCode check_zeros(RungNested nested, Vec x, Vec Tx)
{
  PetscInt     n, zeros = 0, *entry;
  PetscScalar *r, product[2];
  PetscReal    norm;
  Vec          y, z, w;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(Tx, &y));
  PetscCall(VecDuplicate(Tx, &z));
  PetscCall(VecDuplicate(x, &w));
  PetscCall(fill_waves(y, 0.4));
  PetscCall(VecWAXPY(z, 1, y, Tx));
  PetscCall(RungNestedApplyAdd(nested, x, y));
  PetscCall(distance(y, z, &norm));
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(VecGetLocalSize(Tx, &n));
  PetscCall(PetscMalloc1(n, &entry));
  for (PetscInt i = 0; i < n; i += 3) entry[zeros++] = i;
  PetscCall(RungNestedSetZeros(nested, zeros, entry));
  PetscCall(RungNestedApplyAdd(nested, x, z));
  PetscCall(VecAXPY(z, -1, y)); /* Z T x */
  PetscCall(VecGetArray(Tx, &r));
  for (PetscInt i = 0; i < zeros; ++i) r[entry[i]] = 0;
  PetscCall(VecRestoreArray(Tx, &r));
  PetscCall(distance(z, Tx, &norm));
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(VecSet(z, 7));
  PetscCall(RungNestedApply(nested, x, z));
  PetscCall(distance(z, Tx, &norm));
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(fill_waves(y, 0.9));
  PetscCall(VecDot(z, y, &product[0]));
  PetscCall(RungNestedApplyTranspose(nested, y, w));
  PetscCall(VecDot(x, w, &product[1]));
  CHECK_NEAR(product[1], product[0], 1e-11 * (1 + PetscAbsScalar(product[0])));
  PetscCall(PetscFree(entry));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n spaces each, on the two meshes of a family or on one; degree of the polynomials that both have */
static PetscErrorCode compare_between(RungFamily family, RungMesh mesh, PetscInt n, const char *const coarse[],
                                      const char *const fine[], PetscInt degree)
{
  RungSpace   space[2][2];
  RungLayout  layout[2];
  RungNested  up, down;
  Vec         u[2][2]; /* [layout][..] */
  PetscReal   norm;
  PetscScalar product[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungSpaceCreate(family ? family->coarse : mesh, coarse[i], &space[0][i]));
    PetscCall(RungSpaceCreate(family ? family->fine : mesh, fine[i], &space[1][i]));
  }
  for (int l = 0; l < 2; ++l) {
    PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, n, space[l], &layout[l]));
    for (int i = 0; i < 2; ++i) PetscCall(RungLayoutCreateVec(layout[l], &u[l][i]));
  }
  PetscCall(RungNestedCreateBetween(family, layout[0], layout[1], &up));
  PetscCall(RungNestedCreateBetween(family, layout[1], layout[0], &down));
  for (PetscInt p = 0; p <= degree; ++p) {
    PetscCall(fill(layout[0], p, u[0][0]));
    PetscCall(fill(layout[1], p, u[1][0]));
    PetscCall(RungNestedApply(up, u[0][0], u[1][1]));
    PetscCall(distance(u[1][0], u[1][1], &norm));
    CHECK_NEAR(norm, 0, 1e-12);
  }
  PetscCall(fill_waves(u[0][0], 0.2)); /* any function of the coarse space comes back */
  PetscCall(RungNestedApply(up, u[0][0], u[1][0]));
  PetscCall(RungNestedApply(down, u[1][0], u[0][1]));
  PetscCall(distance(u[0][0], u[0][1], &norm));
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(fill_waves(u[1][1], 0.9));
  PetscCall(RungNestedApplyTranspose(up, u[1][1], u[0][1]));
  PetscCall(VecDot(u[1][0], u[1][1], &product[0]));
  PetscCall(VecDot(u[0][0], u[0][1], &product[1]));
  CHECK(PetscAbsScalar(product[0]) > 1e-6);
  CHECK_NEAR(product[1], product[0], 1e-11 * (1 + PetscAbsScalar(product[0])));
  PetscCall(check_zeros(up, u[0][0], u[1][0]));
  PetscCall(RungNestedDestroy(&up));
  PetscCall(RungNestedDestroy(&down));
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&u[l][i]));
    for (PetscInt i = 0; i < n; ++i) PetscCall(RungSpaceDestroy(&space[l][i]));
    PetscCall(RungLayoutDestroy(&layout[l]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(RungMesh mesh, PetscInt n, const char *const coarse[], const char *const fine[],
                              PetscInt degree)
{
  PetscFunctionBegin;
  PetscCall(compare_between(NULL, mesh, n, coarse, fine, degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_box(const char cell[], PetscInt dim, PetscInt n, const char coarse[], const char fine[],
                                  PetscInt degree)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){n, PetscMax(1, n - 1), 2}, (PetscReal[]){1, 1.5, 0.7}));
  PetscCall(compare(mesh, 1, &coarse, &fine, degree));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_polynomials_of_the_lower_degree_are_exact(void)
{
  PetscCall(compare_box("interval", 1, 7, "P1", "P4", 1));
  PetscCall(compare_box("interval", 1, 7, "P3^2", "P7^2", 3));
  PetscCall(compare_box("triangle", 2, 4, "P1", "P2", 1));
  PetscCall(compare_box("triangle", 2, 4, "P3^d", "P5^d", 3));
  PetscCall(compare_box("quadrilateral", 2, 4, "Q2^2x2", "Q4^2x2", 2));
  PetscCall(compare_box("tetrahedron", 3, 3, "P2^d", "P3^d", 2));
  PetscCall(compare_box("hexahedron", 3, 3, "Q1^d", "Q2^d", 1));
  PetscCall(compare_box("hexahedron", 3, 2, "Q2", "Q4", 2));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_cells_that_have_their_own_nodes(void)
{
  PetscCall(compare_box("triangle", 2, 4, "DP1^2", "DP3^2", 1));
  PetscCall(compare_box("quadrilateral", 2, 4, "DQ1", "DQ2", 1));
  PetscCall(compare_box("triangle", 2, 4, "P1", "DP2", 1));
  PetscCall(compare_box("triangle", 2, 4, "P1", "P1+B", 1));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_more_ranks_than_cells(void)
{
  PetscCall(compare_box("quadrilateral", 2, 1, "Q1", "Q3", 1));
  PetscCall(compare_box("interval", 1, 1, "P1", "P2", 1));
  return PETSC_SUCCESS;
}

/* Coordinates are functions of degree 2 in each cell. */
static PetscErrorCode test_curved_cells_have_their_coordinates(void)
{
  static const struct {
    RungCellType type;
    const char  *coarse, *fine;
  } row[] = {{RUNG_TRIANGLE, "P2", "P4"},
             {RUNG_QUADRILATERAL, "Q2", "Q3"},
             {RUNG_TETRAHEDRON, "P2", "P3"},
             {RUNG_HEXAHEDRON, "Q2", "Q4"}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungMesh mesh;

    PetscCall(curved_mesh(row[i].type, 2, 2, PETSC_FALSE, "nested.msh", &mesh));
    PetscCall(compare(mesh, 1, &row[i].coarse, &row[i].fine, 1));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_unknown_by_unknown(void)
{
  const char *coarse[] = {"P1^d", "P1"}, *fine[] = {"P2^d", "P1"};
  RungMesh    mesh;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 4}, (PetscReal[]){1, 1}));
  PetscCall(compare(mesh, 2, coarse, fine, 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Straight and curved cells that were cut, boxes of even counts on one rank; also into a higher degree. */
static PetscErrorCode test_a_mesh_and_the_one_that_was_cut_into_it(void)
{
  static const char *const spec[RUNG_CELL_TYPES][2] = {[RUNG_INTERVAL]      = {"P1", "P2"},
                                                       [RUNG_TRIANGLE]      = {"P2^d", "P2^d"},
                                                       [RUNG_QUADRILATERAL] = {"Q2", "Q3"},
                                                       [RUNG_TETRAHEDRON]   = {"P2", "P2"},
                                                       [RUNG_HEXAHEDRON]    = {"Q1^d", "Q1^d"}};
  const char              *one[2][2]                = {{"P2", "R"}, {"P2", "R"}};
  PetscMPIInt              size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    for (int kind = 0; kind < 3; ++kind) { /* a box, cut, a curved mesh, cut; a box of even counts */
      const RungCell *cell = RungCellGet((RungCellType)type);
      RungMesh        mesh;
      RungFamily      family;

      if (kind == 1 && (type == RUNG_INTERVAL || type == RUNG_HEXAHEDRON)) continue;
      if (kind == 1) {
        PetscCall(curved_mesh((RungCellType)type, 2, 2, PETSC_FALSE, "family.msh", &mesh));
      } else {
        PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
        PetscCall(RungMeshSetBox(mesh, cell->name, cell->dim, (PetscInt[]){kind ? 4 : 2, kind ? 6 : 3, 2},
                                 (PetscReal[]){1, 1.5, 0.4}));
      }
      if (kind < 2) PetscCall(RungMeshSetRefinement(mesh, 1));
      PetscCall(RungMeshCoarsen(mesh, &family));
      CHECK(family || (kind == 2 && size > 1));
      if (family)
        PetscCall(
          compare_between(family, NULL, 1, &spec[type][0], &spec[type][1], kind == 1 ? 1 : spec[type][0][1] - '0'));
      if (family && cell->simplex) PetscCall(compare_between(family, NULL, 2, one[0], one[1], kind == 1 ? 1 : 0));
      PetscCall(RungFamilyDestroy(&family));
      PetscCall(RungMeshDestroy(&mesh));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_has_no_values_there_is_refused(void)
{
  static const char *const spec[] = {"P2", "Quad(2)", "R", "P2^d"}, *const why[] = {"", "no values", "no values",
                                                                                    "components"};
  RungMesh   mesh;
  RungSpace  space[4];
  RungLayout layout[4];
  RungNested nested;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){2, 2}, (PetscReal[]){1, 1}));
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungSpaceCreate(mesh, spec[i], &space[i]));
    PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, &space[i], &layout[i]));
  }
  for (int i = 1; i < 4; ++i) CHECK_RAISES(RungNestedCreate(layout[0], layout[i], &nested), why[i]);
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungSpaceDestroy(&space[i]));
    PetscCall(RungLayoutDestroy(&layout[i]));
  }
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_polynomials_of_the_lower_degree_are_exact),
               RUNG_TEST(test_cells_that_have_their_own_nodes), RUNG_TEST(test_more_ranks_than_cells),
               RUNG_TEST(test_curved_cells_have_their_coordinates), RUNG_TEST(test_unknown_by_unknown),
               RUNG_TEST(test_a_mesh_and_the_one_that_was_cut_into_it),
               RUNG_TEST(test_what_has_no_values_there_is_refused))
