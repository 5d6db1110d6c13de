/* test_mesh_file.c - Gmsh files of both formats, in text and binary, whole and broken.

   The mesh is the unit square of four triangles around its centre (5), with the groups

        4-----3     cells   "Low" (1): the triangle on side 1-2; "high" (2): the other three
        |\ 3 /|     facets  "floor" (10): side 1-2; "crack" (11): 1-5 inside; 12 without a name: sides 2-3 and 4-1
        |4 5 2|             "mixed" (13): side 3-4 and 3-5 inside
        |/ 1 \|     node 9 belongs to nothing
        1-----2 */
#include "mesh_tools.h"
#include <time.h>

#define FORMAT_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NAMES                                                                                                          \
  "$PhysicalNames\n5\n2 1 \"Low\"\n2 2 \"high\"\n1 10 \"floor\"\n1 11 \"crack\"\n1 13 \"mixed\"\n$EndPhysicalNames\n"
#define NODES_2    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 0\n9 7 7 7\n$EndNodes\n"
#define FACETS_2   "1 1 2 10 1 1 2\n2 1 2 11 1 1 5\n3 1 2 12 1 2 3\n4 1 2 12 1 4 1\n5 1 2 13 1 3 4\n6 1 2 13 1 3 5\n"
#define CELLS_2    "21 2 2 1 1 1 2 5\n22 2 2 2 1 2 3 5\n23 2 2 2 1 5 4 3\n24 2 2 2 1 4 1 5\n"
#define ELEMENTS_2 "$Elements\n10\n" FACETS_2 CELLS_2 "$EndElements\n"
#define SQUARE_2   FORMAT_2 NAMES NODES_2 ELEMENTS_2

#define ENTITIES                                                                                                       \
  "$Entities\n0 4 2 0\n1 0 0 0 1 1 0 1 10 0\n2 0 0 0 1 1 0 1 -11 2 1 2\n3 0 0 0 1 1 0 1 12 0\n"                        \
  "4 0 0 0 1 1 0 1 13 0\n1 0 0 0 1 1 0 1 1 1 4\n2 0 0 0 1 1 0 1 2 0\n$EndEntities\n"
#define NODES_4                                                                                                        \
  "$Nodes\n2 6 1 9\n1 1 1 4\n4\n2\n3\n1\n0 1 0 .1\n1 0 0 .2\n1 1 0 .3\n0 0 0 .4\n2 1 0 2\n5\n9\n.5 .5 0\n7 7 7\n"      \
  "$EndNodes\n"
#define ELEMENTS_4                                                                                                     \
  "$Elements\n6 10 1 24\n1 1 1 1\n1 1 2\n1 2 1 1\n2 1 5\n1 3 1 2\n3 2 3\n4 4 1\n1 4 1 2\n5 3 4\n6 3 5\n"               \
  "2 1 2 1\n21 1 2 5\n2 2 2 3\n22 2 3 5\n23 5 4 3\n24 4 1 5\n$EndElements\n"
#define SQUARE_4 FORMAT_4 NAMES ENTITIES NODES_4 ELEMENTS_4

/* The same cut in two by Gmsh: elements belong to entities with numbers of their own, two surfaces came of number 2, and
   there are a point and an edge between the parts without a group. */
#define PARTED                                                                                                         \
  "$PartitionedEntities\n2\n2\n7 1\n8 2\n1 5 3 0\n9 2 1 2 1 2 .5 .5 0 0\n"                                             \
  "11 1 1 1 1 0 0 0 1 1 0 1 10 0\n12 1 2 1 1 0 0 0 1 1 0 1 -11 2 1 2\n13 1 3 1 2 0 0 0 1 1 0 1 12 0\n"                 \
  "14 1 4 1 2 0 0 0 1 1 0 1 13 0\n15 2 1 2 1 2 0 0 0 1 1 0 0 0\n"                                                      \
  "11 2 1 1 1 0 0 0 1 1 0 1 1 1 4\n12 2 2 1 2 0 0 0 1 1 0 1 2 0\n13 2 2 1 1 0 0 0 1 1 0 1 2 0\n"                       \
  "$EndPartitionedEntities\n"
#define ELEMENTS_PARTED                                                                                                \
  "$Elements\n8 11 1 25\n1 11 1 1\n1 1 2\n1 12 1 1\n2 1 5\n1 13 1 2\n3 2 3\n4 4 1\n1 14 1 2\n5 3 4\n6 3 5\n"           \
  "1 15 1 1\n25 2 5\n2 11 2 1\n21 1 2 5\n2 12 2 2\n22 2 3 5\n23 5 4 3\n2 13 2 1\n24 4 1 5\n$EndElements\n"             \
  "$GhostElements\n1\n21 1 1 2\n$EndGhostElements\n"

/* A mesh of the bytes; set up by the caller. */
static PetscErrorCode mesh_of(const char path[], size_t n, const void *bytes, RungMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(write_file(path, n, bytes));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_facets(RungMesh mesh, const char part[], double area, double count)
{
  PetscReal found_area = 0, found_count = 0;

  PetscCall(area_of(mesh, part, &found_area, &found_count));
  CHECK_NEAR(found_area, area, 1e-14);
  CHECK(found_count == count);
  return PETSC_SUCCESS;
}

static PetscErrorCode check_square(RungMesh mesh)
{
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscReal           volume;

  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->type == RUNG_TRIANGLE && data->dim == 2 && data->cells_global == 4 && data->affine);
  CHECK(sum_all(mesh, (PetscReal)data->owned[0]) == 5);
  for (PetscInt c = 0; c < data->cells; ++c) CHECK_NEAR(cell_measure(data, c), 0.25, 1e-15);
  PetscCall(volume_of(mesh, "Low", &volume));
  CHECK_NEAR(volume, 0.25, 1e-15);
  PetscCall(volume_of(mesh, "2", &volume));
  CHECK_NEAR(volume, 0.75, 1e-15);
  PetscCall(check_facets(mesh, "floor", 1, 1));
  PetscCall(check_facets(mesh, "12", 2, 2));
  PetscCall(check_facets(mesh, "mixed", 1, 1)); /* ds takes the exterior ones */
  PetscCall(check_facets(mesh, NULL, 4, 4));
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "crack", &places),
               "holds interior facets only (1); use dS(crack)");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "low", &places), "this mesh has Low, high; did you mean Low?");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "boundary", &places), "it is a part of facets; use ds(boundary)");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "4", &places), "; a degree of quadrature is written degree: 4");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "flor", &places),
               "this mesh has boundary, 12, crack, floor, mixed; did you mean floor?");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_format_2_in_text(void)
{
  RungMesh mesh;

  PetscCall(mesh_of("text2.msh", strlen(SQUARE_2), SQUARE_2, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_format_4_in_text(void)
{
  RungMesh mesh;

  PetscCall(mesh_of("text4.msh", strlen(SQUARE_4), SQUARE_4, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_mesh_that_gmsh_has_cut_is_read_as_one(void)
{
  static const char text[] = FORMAT_4 NAMES ENTITIES PARTED NODES_4 ELEMENTS_PARTED;
  RungMesh                                                          mesh;

  PetscCall(mesh_of("parted.msh", strlen(text), text, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* ---- binary ----------------------------------------------------------------------------------------------------- */

typedef struct {
  char      bytes[8192];
  size_t    n;
  PetscBool swap;
} Bytes;

static void put(Bytes *b, size_t n, const void *value)
{
  for (size_t i = 0; i < n; ++i) b->bytes[b->n++] = ((const char *)value)[b->swap ? n - 1 - i : i];
}

static void put_text(Bytes *b, const char text[])
{
  memcpy(b->bytes + b->n, text, strlen(text));
  b->n += strlen(text);
}

/* The text between two marks of a text file as binary numbers; kinds says how: i int, s size, r real, in turn. */
static void put_numbers(Bytes *b, const char text[], const char kinds[])
{
  char *p = (char *)text;

  for (const char *k = kinds; *k; ++k) {
    const double  v    = strtod(p, &p);
    const int32_t i    = (int32_t)v;
    const int64_t size = (int64_t)v;

    if (*k == 'i') put(b, 4, &i);
    if (*k == 's') put(b, 8, &size);
    if (*k == 'r') put(b, 8, &v);
  }
}

static void put_format(Bytes *b, const char version[])
{
  put_text(b, "$MeshFormat\n");
  put_text(b, version);
  put_text(b, " 1 8\n");
  put_numbers(b, "1", "i");
  put_text(b, "\n$EndMeshFormat\n" NAMES);
}

static void put_binary_2(Bytes *b)
{
  put_format(b, "2.2");
  put_text(b, "$Nodes\n6\n");
  put_numbers(b, "1 0 0 0 2 1 0 0 3 1 1 0 4 0 1 0 5 .5 .5 0 9 7 7 7", "irrrirrrirrrirrrirrrirrr");
  put_text(b, "\n$EndNodes\n$Elements\n10\n");
  put_numbers(b, "1 6 2  1 10 1 1 2  2 11 1 1 5  3 12 1 2 3  4 12 1 4 1  5 13 1 3 4  6 13 1 3 5",
              "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii");
  put_numbers(b, "2 4 2  21 1 1 1 2 5  22 2 1 2 3 5  23 2 1 5 4 3  24 2 1 4 1 5", "iiiiiiiiiiiiiiiiiiiiiiiiiii");
  put_text(b, "\n$EndElements\n");
}

static void put_binary_4(Bytes *b)
{
  put_format(b, "4.1");
  put_text(b, "$Entities\n");
  put_numbers(b, "0 4 2 0", "ssss");
  put_numbers(b, "1 0 0 0 1 1 0 1 10 0", "irrrrrrsis");
  put_numbers(b, "2 0 0 0 1 1 0 1 -11 2 1 2", "irrrrrrsisii");
  put_numbers(b, "3 0 0 0 1 1 0 1 12 0 4 0 0 0 1 1 0 1 13 0", "irrrrrrsisirrrrrrsis");
  put_numbers(b, "1 0 0 0 1 1 0 1 1 1 4 2 0 0 0 1 1 0 1 2 0", "irrrrrrsisiirrrrrrsis");
  put_text(b, "\n$EndEntities\n$Nodes\n");
  put_numbers(b, "2 6 1 9 1 1 1 4 4 2 3 1", "ssssiiisssss");
  put_numbers(b, "0 1 0 .1 1 0 0 .2 1 1 0 .3 0 0 0 .4", "rrrrrrrrrrrrrrrr");
  put_numbers(b, "2 1 0 2 5 9 .5 .5 0 7 7 7", "iiisssrrrrrr");
  put_text(b, "\n$EndNodes\n$Elements\n");
  put_numbers(b, "6 10 1 24 1 1 1 1 1 1 2 1 2 1 1 2 1 5", "ssssiiissssiiissss");
  put_numbers(b, "1 3 1 2 3 2 3 4 4 1 1 4 1 2 5 3 4 6 3 5", "iiisssssssiiisssssss");
  put_numbers(b, "2 1 2 1 21 1 2 5 2 2 2 3 22 2 3 5 23 5 4 3 24 4 1 5", "iiisssssiiisssssssssssss");
  put_text(b, "\n$EndElements\n");
}

static PetscErrorCode check_binary(const char path[], void (*fill)(Bytes *), PetscBool swap)
{
  RungMesh mesh;
  Bytes    b = {.swap = swap};

  fill(&b);
  PetscCall(mesh_of(path, b.n, b.bytes, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_binary_files_of_both_byte_orders(void)
{
  PetscCall(check_binary("binary2.msh", put_binary_2, PETSC_FALSE));
  PetscCall(check_binary("binary4.msh", put_binary_4, PETSC_FALSE));
  PetscCall(check_binary("swapped2.msh", put_binary_2, PETSC_TRUE));
  PetscCall(check_binary("swapped4.msh", put_binary_4, PETSC_TRUE));
  return PETSC_SUCCESS;
}

/* ---- broken files -------------------------------------------------------------------------------------------------
 */

#define CHECK_REFUSED(n, bytes, text)                                                                                  \
  do {                                                                                                                 \
    RungMesh mesh_;                                                                                                    \
    PetscCall(mesh_of("broken.msh", n, bytes, &mesh_));                                                                \
    CHECK_RAISES(RungMeshSetUp(mesh_), text);                                                                          \
    PetscCall(RungMeshDestroy(&mesh_));                                                                                \
  } while (0)
#define CHECK_TEXT_REFUSED(file, text) CHECK_REFUSED(strlen(file), file, text)

static PetscErrorCode test_a_missing_file_is_refused(void)
{
  RungMesh mesh;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "no/such.msh"));
  CHECK_RAISES(RungMeshSetUp(mesh), "mesh file no/such.msh cannot be read: No such file or directory");
  CHECK_RAISES(RungMeshSetUp(mesh), "cannot be read"); /* and nothing is left of the first try */
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Cut after each byte: an error every time, unless only the last line is hurt. */
static PetscErrorCode check_truncations(size_t n, const char *bytes, size_t step)
{
  for (size_t k = 0; k < n - strlen("$EndElements\n"); k += step) CHECK_REFUSED(k, bytes, "mesh file broken.msh");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_truncated_files_are_refused_wherever_they_end(void)
{
  Bytes two = {.n = 0}, four = {.n = 0};

  put_binary_2(&two);
  put_binary_4(&four);
  PetscCall(check_truncations(strlen(SQUARE_2), SQUARE_2, 29));
  PetscCall(check_truncations(strlen(SQUARE_4), SQUARE_4, 29));
  PetscCall(check_truncations(two.n, two.bytes, 53));
  PetscCall(check_truncations(four.n, four.bytes, 53));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_not_a_mesh_is_refused(void)
{
  CHECK_TEXT_REFUSED("", "is empty");
  CHECK_TEXT_REFUSED("hello world\n", "this is not a Gmsh file");
  CHECK_TEXT_REFUSED("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "or one of format 1");
  CHECK_TEXT_REFUSED("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "Gmsh format 4; wanted 2.2 or 4.1");
  CHECK_TEXT_REFUSED("$MeshFormat\n4.05 0 8\n$EndMeshFormat\n", "Gmsh format 4.05; wanted 2.2 or 4.1");
  CHECK_TEXT_REFUSED(FORMAT_2, "no section $Nodes");
  CHECK_TEXT_REFUSED(FORMAT_2 NODES_2, "no section $Elements");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", "line 6: found \"zero\" in section $Nodes");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n2\n1 0 0 0\n$EndNodes\n                     ", "found \"$EndNodes\"");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1000000000\n1 0 0 0\n$EndNodes\n", "announces 1000000000 entries");
  if (sizeof(PetscInt) == 4)
    CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1\n3000000001 0 0 0\n$EndNodes\n",
                       "3000000001 in section $Nodes is more than");
  CHECK_TEXT_REFUSED(FORMAT_4 "$PartitionedEntities\n1\n$EndPartitionedEntities\n",
                     "found \"$EndPartitionedEntities\" in section $PartitionedEntities");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_numbers_that_no_mesh_has_are_refused(void)
{
  Bytes b = {.n = 0};

  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n3\n1 0 0 0\n2 1e999 0 0\n3 0 1 0\n$EndNodes\n",
                     "line 7: found \"1e999\" in section $Nodes, wanted a finite number");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1\n1 0 -inf 0\n$EndNodes\n",
                     "found \"-inf\" in section $Nodes, wanted a finite");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n3\n1 0 0 0\n2 1e200 0 0\n3 0 1 0\n$EndNodes\n"
                              "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n",
                     "a coordinate is 1e+200; wanted numbers below 1e+75, whose products are finite");
  CHECK_TEXT_REFUSED(
    FORMAT_2 "$Nodes\n1\n99999999999999999999 0 0 0\n$EndNodes\n",
    "line 6: found \"99999999999999999999\" in section $Nodes, wanted a whole number that 64 bits hold");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1\n-9223372036854775808 0 0 0\n$EndNodes\n",
                     "is less than this PETSc can count");
  CHECK_TEXT_REFUSED(FORMAT_2 "$Nodes\n1\n-1 0 0 0\n$EndNodes\n", "a node with number -1; wanted a positive one");
  CHECK_TEXT_REFUSED(FORMAT_4 "$Nodes\n1 1 1 1\n2000000000 1 1 1\n1\n0 0 0 ",
                     "line 6: dimension 2000000000 in section $Nodes; wanted 0, 1, 2 or 3");
  CHECK_TEXT_REFUSED(FORMAT_4 "$Nodes\n1 1 1 1\n2 1 7 1\n1\n0 0 0\n$EndNodes\n",
                     "7 where nodes are parametric (1) or not (0)");
  CHECK_TEXT_REFUSED(FORMAT_2 "$PhysicalNames\n1\n2 1 \"\x1b[2J\"\n$EndPhysicalNames\n",
                     "a physical name with a control character (number 27)");
  CHECK_TEXT_REFUSED(FORMAT_2 "$PhysicalNames\n1\n2 1 bare \"quoted\"\n$EndPhysicalNames\n", "a name in quotes");
  CHECK_TEXT_REFUSED(FORMAT_2 "$PhysicalNames\n1\n4 1 \"tesseract\"\n$EndPhysicalNames\n",
                     "dimension 4 of a physical name; wanted 0, 1, 2 or 3");
  put_format(&b, "2.2");
  put_text(&b, "$Nodes\n1\n");
  put_numbers(&b, "1 0 nan 0", "irrr");
  CHECK_REFUSED(b.n, b.bytes, "byte 156: found nan in section $Nodes, wanted a finite number");
  return PETSC_SUCCESS;
}

#define ONE_4 "$Elements\n1 1 1 1\n2 1 2 1\n21 1 2 5\n$EndElements\n"

static PetscErrorCode test_counts_that_lie_are_refused(void)
{
  CHECK_TEXT_REFUSED(FORMAT_4 "$Nodes\n0 4 1 4\n$EndNodes\n" ONE_4, "$Nodes announces 4 nodes and has 0");
  CHECK_TEXT_REFUSED(FORMAT_4 "$Nodes\n-1 0 1 4\n$EndNodes\n" ONE_4, "announces -1 entries");
  CHECK_TEXT_REFUSED(FORMAT_4 "$Nodes\n1 1 1 2\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
                     "more nodes in entity 1 than $Nodes announces, 1");
  CHECK_TEXT_REFUSED(FORMAT_4 NODES_4 "$Elements\n1 1 1 2\n2 1 2 2\n21 1 2 5\n22 2 3 5\n$EndElements\n",
                     "more elements in entity 1 than $Elements announces, 1");
  CHECK_TEXT_REFUSED(FORMAT_4 NODES_4 "$Elements\n1 2 1 2\n2 1 2 1\n21 1 2 5\n$EndElements\n",
                     "$Elements announces 2 elements and has 1");
  CHECK_TEXT_REFUSED(FORMAT_4 NODES_4 "$Elements\n1 1 1 1\n1 1 2 1\n21 1 2 5\n$EndElements\n",
                     "triangles in entity 1 of dimension 1");
  CHECK_TEXT_REFUSED(FORMAT_4 NODES_4 ONE_4 "$Periodic\n2000000000\n$EndPeriodic\n",
                     "section $Periodic announces 2000000000 entries but the file has");
  CHECK_TEXT_REFUSED(FORMAT_4 "$Entities\n2 0 0 0\n1 0 0 0 0\n1 0 0 0 0\n$EndEntities\n",
                     "two entities of dimension 0 have number 1");
  CHECK_REFUSED(strlen("$MeshFormat\n2.2 1 8"), "$MeshFormat\n2.2 1 8",
                "byte 19: the file ends in section $MeshFormat");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_sections_out_of_place_are_refused(void)
{
  CHECK_TEXT_REFUSED(FORMAT_2 NODES_2 NODES_2 ELEMENTS_2, "line 14: a second section $Nodes; wanted one");
  CHECK_TEXT_REFUSED(FORMAT_2 FORMAT_4 NODES_4 ELEMENTS_4, "a second section $MeshFormat; wanted one");
  CHECK_TEXT_REFUSED(SQUARE_2 ELEMENTS_2, "a second section $Elements; wanted one");
  CHECK_TEXT_REFUSED(FORMAT_2
                     "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 0\n9 7 7 7\n$EndNodes\n" ELEMENTS_2,
                     "wanted $EndNodes");
  CHECK_TEXT_REFUSED(FORMAT_4 NODES_4 ELEMENTS_4 ENTITIES,
                     "section $Entities behind $Elements; wanted in front of it, as Gmsh writes it");
  return PETSC_SUCCESS;
}

#define WITH_CELLS(n, cells) FORMAT_2 NODES_2 "$Elements\n" n "\n" cells "$EndElements\n"

static PetscErrorCode test_cells_that_do_not_fit_are_refused(void)
{
  CHECK_TEXT_REFUSED(WITH_CELLS("2", "1 2 2 1 1 1 2 5\n2 3 2 1 1 1 2 3 4\n"),
                     "holds triangles (1) and quadrilaterals (1); wanted cells of one type: mesh all surfaces without "
                     "Recombine (triangles), or with Mesh.SubdivisionAlgorithm = 1");
  CHECK_TEXT_REFUSED(WITH_CELLS("5", "1 4 2 1 1 1 2 3 4\n2 5 2 1 1 1 2 3 4 1 2 3 4\n3 6 2 1 1 1 2 3 4 5 9\n"
                                     "4 7 2 1 1 1 2 3 4 5\n5 4 2 1 1 1 2 3 5\n"),
                     "holds tetrahedra (2), hexahedra (1), prisms (1) and pyramids (1); wanted cells of one type: "
                     "extrude and mesh without Recombine (tetrahedra), or save all volumes with "
                     "Mesh.SubdivisionAlgorithm = 2 (hexahedra)");
  CHECK_TEXT_REFUSED(WITH_CELLS("2", "1 2 2 1 1 1 2 5\n2 6 2 1 1 1 2 3 4 5 9\n"),
                     "holds prisms (1); wanted tetrahedra or hexahedra: extrude");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "1 15 2 1 1 1\n"), "holds no cells but points");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "1 77 2 1 1 1\n"), "Gmsh type 77");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "1 2 2 1 1 1 2 6\n"), "element 1 has node 6, which the file does not");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "8 2 2 1 1 1 2 2\n"), "triangle 8 has no volume");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "8 3 2 1 1 1 3 2 4\n"), "quadrilateral 8 is folded");
  CHECK_TEXT_REFUSED(WITH_CELLS("1", "1 2 2 1 1 1 2 9\n"), "lie in space (z is 7");
  CHECK_TEXT_REFUSED(WITH_CELLS("2", "1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n"),
                     "Gmsh saves nothing else, so that cells need one");
  CHECK_TEXT_REFUSED(WITH_CELLS("3", "1 2 2 1 1 1 2 5\n2 2 2 1 1 1 2 3\n3 2 2 1 1 1 2 4\n"),
                     "cells 1, 2 and 3 share one facet");
  CHECK_TEXT_REFUSED(FORMAT_2
                     "$Nodes\n3\n1 0 0 0\n2 nan 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n",
                     "wanted a finite number");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_groups_that_do_not_fit_are_refused(void)
{
  CHECK_TEXT_REFUSED(WITH_CELLS("2", "1 2 2 1 1 1 2 5\n2 1 2 7 1 3 4\n"), "element 2 of part \"7\" is not a facet");
  CHECK_TEXT_REFUSED(WITH_CELLS("3", "1 2 2 1 1 1 2 5\n2 2 2 1 1 3 4 5\n3 1 2 7 1 1 3\n"),
                     "part \"7\" holds a facet that no cell has");
  CHECK_TEXT_REFUSED(FORMAT_2 "$PhysicalNames\n1\n1 10 \"boundary\"\n$EndPhysicalNames\n" NODES_2 ELEMENTS_2,
                     "part \"boundary\" holds 1 of 4 exterior");
  CHECK_TEXT_REFUSED(FORMAT_2 "$PhysicalNames\n2\n1 10 \"a\"\n1 11 \"a\"\n$EndPhysicalNames\n" NODES_2 ELEMENTS_2,
                     "groups 10 and 11 are both called \"a\"");
  return PETSC_SUCCESS;
}

/* ---- odd but right ------------------------------------------------------------------------------------------------
 */

static PetscErrorCode check_file(const char text[], double volume, double cells)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscReal           found, all;

  PetscCall(mesh_of("odd.msh", strlen(text), text, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(volume_of(mesh, NULL, &found));
  PetscCall(volume_of(mesh, "1", &all));
  CHECK_NEAR(found, volume, 1e-14);
  CHECK_NEAR(all, volume, 1e-14);
  CHECK((double)data->cells_global == cells);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_mirrored_cells_are_turned(void)
{
  PetscCall(check_file(WITH_CELLS("2", "1 2 2 1 1 2 1 5\n2 2 2 1 1 2 3 5\n"), 0.5, 2));
  PetscCall(check_file(WITH_CELLS("1", "1 3 2 1 1 1 4 3 2\n"), 1, 1));
  return PETSC_SUCCESS;
}

/* Format 2.2 repeats a cell for each of its groups. */
static PetscErrorCode test_repeated_cells_are_one_cell_in_two_groups(void)
{
  RungMesh    mesh;
  PetscReal   volume;
  const char *text = WITH_CELLS("4", "1 2 2 1 1 1 2 5\n2 2 2 3 1 1 2 5\n3 2 2 1 1 2 3 4\n4 2 2 4 1 2 3 4\n");

  PetscCall(check_file(text, 0.75, 2));
  PetscCall(mesh_of("odd.msh", strlen(text), text, &mesh));
  PetscCall(volume_of(mesh, "4", &volume));
  CHECK_NEAR(volume, 0.5, 1e-15);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_facet_listed_twice_counts_once(void)
{
  RungMesh    mesh;
  const char *text = WITH_CELLS("3", "1 2 2 1 1 1 2 5\n2 1 2 7 1 1 2\n3 1 2 7 1 2 1\n");

  PetscCall(mesh_of("odd.msh", strlen(text), text, &mesh));
  PetscCall(check_facets(mesh, "7", 1, 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Lines that end as on Windows, behind blanks; sections of format 2.2 in another order. */
static PetscErrorCode test_other_ends_of_lines_and_orders_are_read(void)
{
  char     text[3 * sizeof SQUARE_4];
  size_t   n = 0;
  RungMesh mesh;

  for (const char *c = SQUARE_4; *c; ++c) {
    if (*c == '\n') text[n++] = ' ', text[n++] = '\r';
    text[n++] = *c;
  }
  PetscCall(mesh_of("odd.msh", n, text, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(mesh_of("odd.msh", strlen(FORMAT_2 ELEMENTS_2 "$Comments\n$Nodes\n$EndComments\n" NODES_2 NAMES),
                    FORMAT_2 ELEMENTS_2 "$Comments\n$Nodes\n$EndComments\n" NODES_2 NAMES, &mesh));
  PetscCall(check_square(mesh));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* 100 000 entities, as many empty blocks of elements and 50 000 groups: searching through lists takes minutes. */
static PetscErrorCode test_many_entities_and_groups_are_found_at_once(void)
{
  enum { MANY = 100000 };
  char               *text;
  size_t              n     = 0;
  const size_t        room  = (size_t)MANY * 100;
  const clock_t       begin = clock();
  RungMesh            mesh;
  const RungMeshData *data;

  PetscCall(PetscMalloc1(room, &text));
  n += (size_t)snprintf(text, room, FORMAT_4 "$Entities\n0 0 %d 0\n", MANY);
  for (int i = 0; i < MANY; ++i) n += (size_t)snprintf(text + n, room - n, "%d 0 0 0 1 1 0 1 %d 0\n", i + 1, i / 2 + 1);
  n += (size_t)snprintf(text + n, room - n, "$EndEntities\n" NODES_4 "$Elements\n%d %d 1 %d\n", 2 * MANY, MANY, MANY);
  for (int i = 0; i < MANY; ++i) {
    n += (size_t)snprintf(text + n, room - n, "2 %d 2 0\n2 %d 2 1\n%d 1 2 5\n", MANY + i, MANY - i, i + 1);
  }
  n += (size_t)snprintf(text + n, room - n, "$EndElements\n");
  PetscCheck(n < room, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the text is cut");
  PetscCall(mesh_of("many.msh", n, text, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->cells_global == 1);
  CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(PetscFree(text));
  return PETSC_SUCCESS;
}

#define SIX(y)                                                                                                         \
  FORMAT_2 "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 " y                                                             \
           " 0\n5 .5 .5 0\n6 0 .5 0\n$EndNodes\n$Elements\n1\n1 9 2 1 1 1 2 3 4 5 6\n$EndElements\n"

static PetscErrorCode test_straight_cells_of_order_2_are_plain_ones(void)
{
  RungMesh            mesh;
  const RungMeshData *data;

  PetscCall(check_file(SIX("0"), 0.5, 1));
  PetscCall(mesh_of("odd.msh", strlen(SIX("-.01")), SIX("-.01"), &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->geometry_degree == 2 && data->nodes_per_cell == 6 && !data->affine);
  PetscCall(RungMeshDestroy(&mesh));
  CHECK_TEXT_REFUSED(SIX(".4"), "triangle 1 is folded");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_lines_are_a_mesh_of_dimension_1(void)
{
  const char *text = FORMAT_2
    "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 3 0 0\n$EndNodes\n$Elements\n4\n1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n"
    "3 15 2 5 1 3\n4 15 2 6 1 2\n$EndElements\n";
  RungMesh mesh;

  PetscCall(check_file(text, 3, 2));
  PetscCall(mesh_of("odd.msh", strlen(text), text, &mesh));
  PetscCall(check_facets(mesh, "5", 1, 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

#define CUBE(top)                                                                                                      \
  FORMAT_2 "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 " top "\n8 0 1 1\n$EndNodes\n"          \
           "$Elements\n1\n5 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n"

static PetscErrorCode test_hexahedra_are_numbered_by_rows_and_checked_for_folds(void)
{
  RungMesh            mesh;
  const RungMeshData *data;

  PetscCall(check_file(CUBE("1 1 1"), 1, 1));
  PetscCall(mesh_of("odd.msh", strlen(CUBE("1 1 2")), CUBE("1 1 2"), &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(!data->affine);
  PetscCall(RungMeshDestroy(&mesh));
  CHECK_TEXT_REFUSED(CUBE("-1 -1 1"), "hexahedron 5 is folded");
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_format_2_in_text), RUNG_TEST(test_format_4_in_text),
  RUNG_TEST(test_a_mesh_that_gmsh_has_cut_is_read_as_one), RUNG_TEST(test_binary_files_of_both_byte_orders),
  RUNG_TEST(test_a_missing_file_is_refused), RUNG_TEST(test_truncated_files_are_refused_wherever_they_end),
  RUNG_TEST(test_what_is_not_a_mesh_is_refused), RUNG_TEST(test_numbers_that_no_mesh_has_are_refused),
  RUNG_TEST(test_counts_that_lie_are_refused), RUNG_TEST(test_sections_out_of_place_are_refused),
  RUNG_TEST(test_other_ends_of_lines_and_orders_are_read), RUNG_TEST(test_many_entities_and_groups_are_found_at_once),
  RUNG_TEST(test_cells_that_do_not_fit_are_refused), RUNG_TEST(test_groups_that_do_not_fit_are_refused),
  RUNG_TEST(test_mirrored_cells_are_turned), RUNG_TEST(test_repeated_cells_are_one_cell_in_two_groups),
  RUNG_TEST(test_a_facet_listed_twice_counts_once), RUNG_TEST(test_straight_cells_of_order_2_are_plain_ones),
  RUNG_TEST(test_lines_are_a_mesh_of_dimension_1), RUNG_TEST(test_hexahedra_are_numbered_by_rows_and_checked_for_folds))
