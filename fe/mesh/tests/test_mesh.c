/* test_mesh.c - life of a mesh, its options, and what they refuse. */
#include "mesh_tools.h"

/* A mesh from options "name value name value .."; the program has set a box of 2 x 2 triangles if `box`. */
static PetscErrorCode from_options(PetscBool box, const char options[], RungMesh *mesh)
{
  const PetscInt count[2] = {2, 2};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  if (box) PetscCall(RungMeshSetBox(*mesh, "triangle", 2, count, NULL));
  code = RungMeshSetFromOptions(*mesh);
  if (!code) code = RungMeshSetUp(*mesh);
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(code);
}

static PetscErrorCode check_options(PetscBool box, const char options[], RungCellType type, PetscInt cells,
                                    double volume)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscReal           found = 0;

  PetscCall(from_options(box, options, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->type == type);
  CHECK(data->cells_global == cells);
  PetscCall(volume_of(mesh, NULL, &found));
  CHECK_NEAR(found, volume, 1e-13);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_options_change_the_box_of_the_program(void)
{
  PetscCall(check_options(PETSC_TRUE, "", RUNG_TRIANGLE, 8, 1));
  PetscCall(check_options(PETSC_TRUE, "-mesh_cell quadrilateral", RUNG_QUADRILATERAL, 4, 1));
  PetscCall(check_options(PETSC_TRUE, "-mesh_count 3,4 -mesh_size 2,0.5", RUNG_TRIANGLE, 24, 1));
  PetscCall(
    check_options(PETSC_TRUE, "-mesh_cell hexahedron -mesh_count 1,2,3 -mesh_size 1,1,2", RUNG_HEXAHEDRON, 6, 2));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_options_make_a_mesh_of_nothing(void)
{
  PetscCall(check_options(PETSC_FALSE, "-mesh_count 5", RUNG_INTERVAL, 5, 1));
  PetscCall(check_options(PETSC_FALSE, "-mesh_count 2,1,1", RUNG_TETRAHEDRON, 12, 1));
  PetscCall(check_options(PETSC_TRUE, "-mesh_points 4", RUNG_POINT, 4, 4));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_lower_corner_moves_the_box(void)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscReal           low[2] = {9, 9};

  PetscCall(from_options(PETSC_TRUE, "-mesh_lower -1,0.25", &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt i = 0; i < 2 * data->nodes; ++i) low[i % 2] = PetscMin(low[i % 2], data->x[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 2, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  CHECK(low[0] == -1 && low[1] == 0.25);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode refused(PetscBool box, const char options[], const char text[])
{
  RungMesh mesh = NULL;

  CHECK_RAISES(from_options(box, options, &mesh), text);
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_boxes_without_sense_are_refused(void)
{
  PetscCall(refused(PETSC_TRUE, "-mesh_count 3,0", "-mesh_count is 0; wanted a number at least 1"));
  PetscCall(refused(PETSC_TRUE, "-mesh_count 3,-2", "-mesh_count is -2; wanted a number at least 1"));
  PetscCall(refused(PETSC_TRUE, "-mesh_size 1,0", "-mesh_size is 0; wanted a number above 0"));
  PetscCall(refused(PETSC_TRUE, "-mesh_size 1,nan", "-mesh_size: \"nan\" is no number"));
  PetscCall(refused(PETSC_TRUE, "-mesh_lower inf,0", "-mesh_lower: \"inf\" is beyond the numbers"));
  PetscCall(refused(PETSC_TRUE, "-mesh_lower 1e30,0", "vanish by rounding"));
  PetscCall(refused(PETSC_TRUE, "-mesh_count 3", "-mesh_count has 1 numbers; wanted 2, one for each axis"));
  PetscCall(refused(PETSC_TRUE, "-mesh_count 3,3,3", "-mesh_count has 3 numbers; wanted 2"));
  PetscCall(refused(PETSC_TRUE, "-mesh_size 3,3,3", "-mesh_size has 3 numbers; wanted 2"));
  PetscCall(refused(PETSC_TRUE, "-mesh_lower 3", "-mesh_lower has 1 numbers; wanted 2"));
  PetscCall(refused(PETSC_TRUE, "-mesh_cell hexahedron", "has dimension 3 and the program's box 2; add -mesh_count"));
  PetscCall(refused(PETSC_TRUE, "-mesh_cell trianlge", "did you mean triangle?"));
  PetscCall(refused(PETSC_TRUE, "-mesh_cell point", "use -mesh_points"));
  PetscCall(refused(PETSC_FALSE, "-mesh_size 3", "add -mesh_count"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_sources_that_exclude_each_other_are_refused(void)
{
  PetscCall(refused(PETSC_FALSE, "", "a mesh without cells; give -mesh_file"));
  PetscCall(refused(PETSC_TRUE, "-mesh_points 3 -mesh_count 2,2",
                    "-mesh_count describes a box and has no effect beside -mesh_points"));
  PetscCall(refused(PETSC_TRUE, "-mesh_file a.msh -mesh_size 2,2", "-mesh_size describes a box"));
  PetscCall(refused(PETSC_TRUE, "-mesh_file a.msh -mesh_points 2", "name two meshes; give one"));
  PetscCall(refused(PETSC_TRUE, "-mesh_points 0", "-mesh_points is 0; wanted a number at least 1"));
  PetscCall(refused(PETSC_TRUE, "-mesh_partitioner mtis", "wanted metis, ptscotch or simple; did you mean metis?"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_setters_refuse_what_does_not_fit(void)
{
  RungMesh        mesh;
  const PetscInt  count[3] = {1, 1, 1}, none[3] = {3, 0, 1};
  const PetscReal flat[2] = {1, 0};

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  CHECK_RAISES(RungMeshSetBox(mesh, "triangle", 2, none, NULL), "a box of 0 cells along axis 1; wanted at least 1");
  CHECK_RAISES(RungMeshSetBox(mesh, "triangle", 2, count, flat), "a box of size 0");
  CHECK_RAISES(RungMeshSetBox(mesh, "triangle", 2, NULL, NULL), "a box without counts of cells");
  CHECK_RAISES(RungMeshSetPeriodic(mesh, NULL), "periodic = NULL");
  CHECK_RAISES(RungMeshSetPoints(mesh, 0), "a mesh of 0 points; wanted at least 1");
  CHECK_RAISES(RungMeshSetBox(mesh, "triangle", 3, count, NULL),
               "a box of dimension 3 cannot have cells of type triangle");
  CHECK_RAISES(RungMeshSetBox(mesh, "point", 0, count, NULL), "use a mesh of points");
  CHECK_RAISES(RungMeshSetFile(mesh, ""), "wanted a path");
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, count, NULL));
  PetscCall(RungMeshSetUp(mesh));
  CHECK_RAISES(RungMeshSetPoints(mesh, 3), "cannot change any more");
  CHECK_RAISES(RungMeshSetFromOptions(mesh), "cannot change any more");
  PetscCall(RungMeshDestroy(&mesh));
  CHECK(!mesh);
  PetscCall(RungMeshDestroy(&mesh)); /* twice is fine */
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_referenced_mesh_outlives_its_maker(void)
{
  RungMesh            mesh, other;
  const RungMeshData *data;

  PetscCall(make_box(RUNG_QUADRILATERAL, 2, 2, 1, NULL, &mesh));
  PetscCall(RungMeshReference(mesh));
  other = mesh;
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungMeshGetData(other, &data));
  CHECK(data->cells_global == 4);
  PetscCall(RungMeshDestroy(&other));
  return PETSC_SUCCESS;
}

/* PT-Scotch counts as PETSc does. */
static PetscErrorCode ptscotch_fits(PetscBool *fits)
{
  void *address;
  int (*size_of)(void);

  PetscCall(PetscDLSym(NULL, "SCOTCH_numSizeof", &address));
  memcpy(&size_of, &address, sizeof size_of);
  *fits = address && size_of() == (int)sizeof(PetscInt) ? PETSC_TRUE : PETSC_FALSE;
  return PETSC_SUCCESS;
}

/* Volume, area and number of facets are the same for every partitioner; each leaves every cell on one rank. */
static PetscErrorCode test_partitioners_only_change_who_has_what(void)
{
  static const char *const name[] = {"metis", "simple", "ptscotch"};
  PetscBool                fits;

  PetscCall(ptscotch_fits(&fits));
  if (!fits) PetscCall(refused(PETSC_FALSE, "-mesh_partitioner ptscotch", "counts with 32 bits, its PETSc with 64"));
  for (int p = 0; p < (fits ? 3 : 2); ++p) {
    char                options[128];
    RungMesh            mesh;
    const RungMeshData *data;
    PetscReal           area = 0, count = 0;

    PetscCall(
      PetscSNPrintf(options, sizeof options, "-mesh_partitioner %s -mesh_cell tetrahedron -mesh_count 3,3,3", name[p]));
    PetscCall(check_options(PETSC_FALSE, options, RUNG_TETRAHEDRON, 162, 1));
    PetscCall(from_options(PETSC_FALSE, options, &mesh));
    PetscCall(RungMeshGetData(mesh, &data));
    CHECK(data->cells > 0);
    CHECK(sum_all(mesh, (PetscReal)data->cells) == 162);
    PetscCall(area_of(mesh, "left", &area, &count));
    CHECK_NEAR(area, 1, 1e-14);
    CHECK(count == 18);
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_options_change_the_box_of_the_program), RUNG_TEST(test_options_make_a_mesh_of_nothing),
               RUNG_TEST(test_the_lower_corner_moves_the_box), RUNG_TEST(test_boxes_without_sense_are_refused),
               RUNG_TEST(test_sources_that_exclude_each_other_are_refused),
               RUNG_TEST(test_setters_refuse_what_does_not_fit), RUNG_TEST(test_a_referenced_mesh_outlives_its_maker),
               RUNG_TEST(test_partitioners_only_change_who_has_what))
