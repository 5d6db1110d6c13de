/* test_output.c - writes the files that read_vtu.py reads with VTK, and the refusals of bad paths and full disks. */
#include "check.h"
#include "rungfe_room.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rungtext_room.h>

typedef PetscReal Function(const PetscReal x[3], PetscInt component, PetscInt degree, PetscBool box);

/* (1 + x + 2 y + 3 z)^k / 2^k on simplices, ((1 + x)(1 + 2 y)(1 + 3 z))^k / 2^k on boxes: exact in degree k. */
static PetscReal power(const PetscReal x[3], PetscInt component, PetscInt degree, PetscBool box)
{
  const PetscReal base = box ? (1 + x[0]) * (1 + 2 * x[1]) * (1 + 3 * x[2]) : 1 + x[0] + 2 * x[1] + 3 * x[2];

  (void)component;
  return PetscPowReal(base / 2, (PetscReal)degree);
}

/* Component c of a vector or tensor: c + 1 + x - y. */
static PetscReal linear(const PetscReal x[3], PetscInt component, PetscInt degree, PetscBool box)
{
  (void)degree, (void)box;
  return (PetscReal)component + 1 + x[0] - x[1];
}

static PetscErrorCode create_field(RungMesh mesh, const char spec[], const char name[], Function *f, PetscInt degree,
                                   RungField *field)
{
  const RungMeshData  *m;
  const RungSpaceData *s;
  RungSpace            space;
  Vec                  u;
  PetscScalar         *value;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &m));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungFieldCreate(space, name, field));
  PetscCall(RungSpaceGetData(space, &s));
  PetscCall(RungFieldGetVec(*field, &u));
  PetscCall(VecGetArray(u, &value));
  for (PetscInt i = 0; i < s->owned; ++i) {
    PetscReal x[3] = {0};

    for (PetscInt a = 0; a < m->dim; ++a) x[a] = s->x[i * m->dim + a];
    for (PetscInt c = 0; c < s->components; ++c)
      value[i * s->components + c] = f(x, c, degree, (PetscBool)!RungCellGet(m->type)->simplex);
  }
  PetscCall(VecRestoreArray(u, &value));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mesh(const char cell[], PetscInt dim, RungMesh *mesh)
{
  const PetscInt  count[3] = {3, 2, 2};
  const PetscReal size[3]  = {1, 0.75, 0.5};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell, dim, count, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(const char path[], PetscInt times, PetscInt n, RungField fields[])
{
  RungOutput output;

  PetscFunctionBegin;
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, path, &output));
  for (PetscInt i = 0; i < times; ++i) PetscCall(RungOutputWrite(output, 0.1 * (PetscReal)i, n, fields));
  PetscCall(RungOutputDestroy(&output));
  for (PetscInt i = 0; i < n; ++i) PetscCall(RungFieldDestroy(&fields[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *cell;
  PetscInt    dim;
} cases[] = {{"interval", 1}, {"triangle", 2}, {"quadrilateral", 2}, {"tetrahedron", 3}, {"hexahedron", 3}};

/* CELL_K.pvd: "u" of degree K, "v" a vector of degree 1, "c" constants, "q" at quadrature points. */
static PetscErrorCode test_fields_of_all_cells_and_degrees_are_written(void)
{
  for (int i = 0; i < 5; ++i)
    for (PetscInt k = 1; k <= 4; ++k) {
      const char family = RungCellGet((RungCellType)(RUNG_INTERVAL + i))->simplex ? 'P' : 'Q';
      RungMesh   mesh;
      RungField  field[4];
      char       spec[16], path[64];

      PetscCall(create_mesh(cases[i].cell, cases[i].dim, &mesh));
      PetscCall(PetscSNPrintf(spec, sizeof spec, "%c%" PetscInt_FMT, family, k));
      PetscCall(create_field(mesh, spec, "u", power, k, &field[0]));
      PetscCall(PetscSNPrintf(spec, sizeof spec, "%c1^d", family));
      PetscCall(create_field(mesh, spec, "v", linear, 1, &field[1]));
      PetscCall(create_field(mesh, "P0^dxd", "c", linear, 1, &field[2]));
      PetscCall(create_field(mesh, "Quad(2)", "q", linear, 1, &field[3]));
      PetscCall(PetscSNPrintf(path, sizeof path, "%s_%" PetscInt_FMT ".pvd", cases[i].cell, k));
      PetscCall(write_fields(path, k == 2 ? 3 : 1, 4, field));
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_discontinuous_fields_are_written_on_split_points(void)
{
  RungMesh  mesh;
  RungField field[2];

  PetscCall(create_mesh("triangle", 2, &mesh));
  PetscCall(create_field(mesh, "DP2", "u", power, 2, &field[0]));
  PetscCall(create_field(mesh, "P1^d", "v", linear, 1, &field[1]));
  PetscCall(write_fields("split_2.vtu", 1, 2, field));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* right_CELL_K: the facets at x = 1; line_CELL_K: 8 points inside of the box and 4 outside. */
static PetscErrorCode test_facets_of_a_part_and_points_of_a_line_are_written(void)
{
  const PetscReal from[3] = {0.125, 0.1, 0.2}, to[3] = {1.5, 0.1, 0.2};

  for (int i = 0; i < 5; ++i)
    for (PetscInt k = 1; k <= 3; k += 2) {
      const char family = RungCellGet((RungCellType)(RUNG_INTERVAL + i))->simplex ? 'P' : 'Q';
      RungMesh   mesh;
      RungField  field[2];
      RungOutput output;
      char       spec[16], path[64];

      PetscCall(create_mesh(cases[i].cell, cases[i].dim, &mesh));
      PetscCall(PetscSNPrintf(spec, sizeof spec, "%c%" PetscInt_FMT, family, k));
      PetscCall(create_field(mesh, spec, "u", power, k, &field[0]));
      PetscCall(create_field(mesh, "P0^d", "c", linear, 1, &field[1]));
      PetscCall(PetscSNPrintf(path, sizeof path, "right_%s_%" PetscInt_FMT, cases[i].cell, k));
      PetscCall(RungOutputCreate(PETSC_COMM_WORLD, path, &output));
      CHECK_RAISES(RungOutputSetPart(output, mesh, "rigth"), "right");
      PetscCall(RungOutputSetPart(output, mesh, "right"));
      PetscCall(RungOutputWrite(output, 0, 2, field));
      CHECK_RAISES(RungOutputSetPart(output, mesh, "left"), "choose it before");
      PetscCall(RungOutputDestroy(&output));
      PetscCall(PetscSNPrintf(path, sizeof path, "line_%s_%" PetscInt_FMT, cases[i].cell, k));
      PetscCall(RungOutputCreate(PETSC_COMM_WORLD, path, &output));
      CHECK_RAISES(RungOutputSetLine(output, mesh, 1, from, to), "wanted 2 to a million");
      CHECK_RAISES(RungOutputSetLine(output, mesh, 5, from, from), "a line from a point to itself");
      CHECK_RAISES(RungOutputSetLine(output, mesh, 5, to, (PetscReal[]){3, 3, 3}), "0 lie in the mesh, wanted two");
      PetscCall(RungOutputSetLine(output, mesh, 12, from, to));
      PetscCall(RungOutputWrite(output, 0, 2, field));
      PetscCall(RungOutputDestroy(&output));
      for (int f = 0; f < 2; ++f) PetscCall(RungFieldDestroy(&field[f]));
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

/* air: two cells of four; seam: a facet of the boundary and two inside, each once, on whichever ranks. */
static PetscErrorCode test_cells_and_inner_facets_of_a_part_are_written(void)
{
  static const char square[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"iron\"\n2 2 \"air\"\n1 3 "
    "\"seam\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 0\n$EndNodes\n$Elements\n7\n1 2 2 1 1 1 2 5\n"
    "2 2 2 1 1 2 3 5\n3 2 2 2 1 5 4 3\n4 2 2 2 1 4 1 5\n5 1 2 3 1 1 2\n6 1 2 3 1 2 5\n7 1 2 3 1 4 5\n$EndElements\n";
  RungMesh   mesh;
  RungField  field[2];
  RungOutput output;

  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "square.msh", strlen(square), square));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "square.msh"));
  PetscCall(create_field(mesh, "P2", "u", power, 2, &field[0]));
  PetscCall(create_field(mesh, "P0", "c", linear, 1, &field[1]));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungOutputCreate(PETSC_COMM_WORLD, i ? "seam" : "air", &output));
    PetscCall(RungOutputSetPart(output, mesh, i ? "seam" : "air"));
    PetscCall(RungOutputWrite(output, 0, 2, field));
    PetscCall(RungOutputDestroy(&output));
  }
  for (int f = 0; f < 2; ++f) PetscCall(RungFieldDestroy(&field[f]));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_points_are_written_as_vertices(void)
{
  RungMesh  mesh;
  RungField field[1];

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 5));
  PetscCall(create_field(mesh, "P0^3", "v <&>", linear, 1, &field[0]));
  PetscCall(write_fields("points_0", 1, 1, field));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bad_paths_are_refused(void)
{
  RungOutput output;

  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "nowhere/heat.pvd", &output), "No such file or directory");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "", &output), "without a path");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "out/", &output), "file name is missing");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "heat\n.pvd", &output), "control character (number 10) in place 5");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "/dev/null/heat.pvd", &output), "Not a directory");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bad_fields_are_refused(void)
{
  RungMesh   mesh[2];
  RungField  field[3];
  RungOutput output;

  PetscCall(create_mesh("triangle", 2, &mesh[0]));
  PetscCall(create_mesh("triangle", 2, &mesh[1]));
  PetscCall(create_field(mesh[0], "P1", "u", linear, 1, &field[0]));
  PetscCall(create_field(mesh[0], "P1", "u", linear, 1, &field[1]));
  PetscCall(create_field(mesh[1], "P1", "w", linear, 1, &field[2]));
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "refused", &output));
  CHECK_RAISES(RungOutputWrite(output, 0, 0, field), "at least one");
  CHECK_RAISES(RungOutputWrite(output, 0, 2, field), "different names");
  CHECK_RAISES(RungOutputWrite(output, 0, 2, field + 1), "different meshes");
  PetscCall(RungOutputDestroy(&output));
  for (int i = 0; i < 3; ++i) PetscCall(RungFieldDestroy(&field[i]));
  for (int i = 0; i < 2; ++i) PetscCall(RungMeshDestroy(&mesh[i]));
  return PETSC_SUCCESS;
}

/* Files of this process may have this many bytes: what a full disk is to fwrite. */
static PetscErrorCode limit_files(rlim_t bytes)
{
  struct rlimit limit;

  PetscFunctionBegin;
  (void)signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second time is not written: the series keeps the first, and no part of the second stays. */
static PetscErrorCode test_a_full_disk_is_an_error_and_leaves_whole_files(void)
{
  RungMesh    mesh;
  RungField   field;
  RungOutput  output;
  struct stat status;

  PetscCall(create_mesh("hexahedron", 3, &mesh));
  PetscCall(create_field(mesh, "Q3", "u", power, 3, &field));
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "full_3", &output));
  PetscCall(RungOutputWrite(output, 0, 1, &field));
  PetscCall(limit_files(2000));
  CHECK_RAISES(RungOutputWrite(output, 1, 1, &field), "cannot write");
  PetscCall(limit_files(0));
  CHECK(stat("full_3.pvd.d/full_3_000000.vtu", &status) == 0 && stat("full_3.pvd.d/full_3_000001.vtu", &status) != 0);
  CHECK(stat("full_3.pvd.d/full_3_000001.vtu.part", &status) != 0);
  PetscCall(RungOutputDestroy(&output));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* The disk is full: the time is not written, all ranks know why, and the next time takes its number. */
static PetscErrorCode test_a_series_goes_on_without_what_rank_0_cannot_write(void)
{
  RungMesh    mesh;
  RungField   field;
  RungOutput  output;
  PetscMPIInt rank;
  PetscBool   written;
  char        why[256] = "", line[512], times[512] = "";
  FILE       *file;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create_mesh("hexahedron", 3, &mesh));
  PetscCall(create_field(mesh, "Q3", "u", power, 3, &field));
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "some_room", &output));
  PetscCall(RungOutputTry(output, 0, 1, &field, &written, why, sizeof why));
  CHECK(written && !why[0]);
  if (!rank) PetscCall(limit_files(2000));
  PetscCall(RungOutputTry(output, 1, 1, &field, &written, why, sizeof why));
  PetscCall(limit_files(0));
  CHECK(!written && strstr(why, "too large"));
  PetscCall(RungOutputTry(output, 2, 1, &field, &written, why, sizeof why));
  CHECK(written);
  file = rank ? NULL : fopen("some_room.pvd", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (strstr(line, "timestep")) PetscCall(RungTextAppend(times, strstr(line, "timestep"), sizeof times));
  }
  if (file) (void)fclose(file);
  CHECK(rank || (strstr(times, "=\"0\"") && !strstr(times, "=\"1\"") && strstr(times, "=\"2\"") &&
                 strstr(times, "_000001.vtu")));
  PetscCall(RungOutputDestroy(&output));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_series_that_another_run_writes_is_left_alone(void)
{
  RungOutput first, second;

  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "ours", &first));
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "ours", &second), "another run is writing to it");
  PetscCall(RungOutputDestroy(&first));
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "ours", &second));
  PetscCall(RungOutputDestroy(&second));
  return PETSC_SUCCESS;
}

/* Neither what another program keeps there, nor behind a link. */
static PetscErrorCode test_a_folder_of_somebody_else_takes_no_pieces(void)
{
  RungOutput  output;
  PetscMPIInt rank;
  FILE       *file;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    (void)mkdir("foreign.pvd.d", 0777);
    if (symlink("foreign.pvd.d", "linked.pvd.d") != 0 || symlink("nowhere", "dangling.pvd") != 0)
      CHECK(errno == EEXIST);
    file = fopen("foreign.pvd.d/letter", "w");
    if (file) (void)fclose(file);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "foreign", &output), "no file of this series is in it; move what is");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "linked", &output), "a link of that name exists");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "dangling", &output), "a link of that name exists");
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "/dev/null", &output), "\"/dev/null\" is a device or pipe");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) CHECK(unlink("linked.pvd.d") == 0 && unlink("dangling.pvd") == 0);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_fields_of_all_cells_and_degrees_are_written),
               RUNG_TEST(test_discontinuous_fields_are_written_on_split_points),
               RUNG_TEST(test_facets_of_a_part_and_points_of_a_line_are_written),
               RUNG_TEST(test_cells_and_inner_facets_of_a_part_are_written),
               RUNG_TEST(test_points_are_written_as_vertices), RUNG_TEST(test_bad_paths_are_refused),
               RUNG_TEST(test_bad_fields_are_refused), RUNG_TEST(test_a_full_disk_is_an_error_and_leaves_whole_files),
               RUNG_TEST(test_a_series_goes_on_without_what_rank_0_cannot_write),
               RUNG_TEST(test_a_series_that_another_run_writes_is_left_alone),
               RUNG_TEST(test_a_folder_of_somebody_else_takes_no_pieces))
