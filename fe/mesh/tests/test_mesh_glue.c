/* test_mesh_glue.c - periodic Gmsh files of both formats: what is linked is one, and lies where it lay.

   A strip of three squares from x = 0 to 3, y in [0, 1], whose left side (nodes 1, 5) is its right one (4, 8):

       5--6--7--8      part "ends" (10): both sides; "floor" (11): y = 0
       |  |  |  |
       1--2--3--4                                                                                                    */
#include "mesh_tools.h"

#define NODES_2                                                                                                        \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 10 \"ends\"\n1 11 \"floor\"\n$EndPhysicalNames\n"        \
  "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 3 0 0\n5 0 1 0\n6 1 1 0\n7 2 1 0\n8 3 1 0\n$EndNodes\n$Elements\n8\n"       \
  "1 1 2 10 1 1 5\n2 1 2 10 1 4 8\n3 1 2 11 1 1 2\n4 1 2 11 1 2 3\n5 1 2 11 1 3 4\n"                                   \
  "6 3 2 1 1 1 2 6 5\n7 3 2 1 1 2 3 7 6\n8 3 2 1 1 3 4 8 7\n$EndElements\n"
#define LINKS_2                                                                                                        \
  "$Periodic\n2\n0 2 1\n1\n4 1\n1 2 4\nAffine 1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1\n2\n4 1\n8 5\n$EndPeriodic\n"
#define FILE_4                                                                                                         \
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n2 0 0\n"      \
  "3 0 0\n0 1 0\n1 1 0\n2 1 0\n3 1 0\n$EndNodes\n$Elements\n1 3 1 3\n2 1 3 3\n1 1 2 6 5\n2 2 3 7 6\n3 3 4 8 7\n"       \
  "$EndElements\n$Periodic\n1\n1 2 4\n16 1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1\n2\n4 1\n8 5\n$EndPeriodic\n"

static PetscErrorCode mesh_of(const char text[], RungMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(write_file("glue.msh", strlen(text), text));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, "glue.msh"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices, volume and boundary of the strip that closes upon itself, refined or not. */
static PetscErrorCode check_strip(const char text[], PetscInt refine)
{
  RungMesh             mesh;
  RungSpace            space;
  const RungSpaceData *data;
  PetscReal            volume, area, count, scale = refine ? 2 : 1;

  PetscFunctionBegin;
  PetscCall(mesh_of(text, &mesh));
  PetscCall(RungMeshSetRefinement(mesh, refine));
  PetscCall(volume_of(mesh, NULL, &volume));
  PetscCall(area_of(mesh, NULL, &area, &count));
  CHECK_NEAR(volume, 3, 1e-14);
  CHECK_NEAR(area, 6, 1e-14);
  CHECK_NEAR(count, 6 * scale, 0);
  PetscCall(RungSpaceCreate(mesh, "Q2", &space));
  PetscCall(RungSpaceGetData(space, &data));
  CHECK(data->nodes_global == (PetscInt)(6 * scale) * (PetscInt)(2 * scale + 1));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_linked_vertices_are_one_in_both_formats(void)
{
  for (PetscInt refine = 0; refine < 2; ++refine) {
    PetscCall(check_strip(NODES_2 LINKS_2, refine));
    PetscCall(check_strip(FILE_4, refine));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_linked_sides_are_interior(void)
{
  RungMesh          mesh;
  const RungPlaces *places;

  PetscCall(mesh_of(NODES_2 LINKS_2, &mesh));
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "ends", &places), "holds interior facets only (1); use dS(ends)");
  PetscCall(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, "ends", &places));
  CHECK_NEAR(sum_all(mesh, (PetscReal)places->count), 1, 0);
  PetscCall(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, NULL, &places));
  CHECK_NEAR(sum_all(mesh, (PetscReal)places->count), 3, 0);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Points on both linked corners are one, whichever rank has them; it lies where the first cell of the file has it. */
static PetscErrorCode test_linked_points_are_one(void)
{
  static const char text[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n0 5 \"corner\"\n$EndPhysicalNames\n"
    "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 3 0 0\n5 0 1 0\n6 1 1 0\n7 2 1 0\n8 3 1 0\n$EndNodes\n$Elements\n5\n"
    "1 15 2 5 1 1\n2 15 2 5 1 4\n6 3 2 1 1 1 2 6 5\n7 3 2 1 1 2 3 7 6\n8 3 2 1 1 3 4 8 7\n$EndElements\n" LINKS_2;

  for (PetscInt refine = 0; refine < 2; ++refine) {
    RungMesh            mesh;
    const RungPlaces   *places;
    const RungMeshData *data;

    PetscCall(mesh_of(text, &mesh));
    PetscCall(RungMeshSetRefinement(mesh, refine));
    PetscCall(RungMeshGetPlaces(mesh, RUNG_VERTICES, "corner", &places));
    CHECK_NEAR(sum_all(mesh, (PetscReal)places->count), 1, 0);
    PetscCall(RungMeshGetData(mesh, &data));
    for (PetscInt i = 0; i < places->count; ++i)
      CHECK_NEAR(data->x[2 * data->cell_node[places->cell[0][i] * data->nodes_per_cell + places->facet[0][i]]], 0, 0);
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

#define TWO                                                                                                            \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n" \
  "$Elements\n2\n1 3 2 1 1 1 2 5 4\n2 3 2 1 1 2 3 6 5\n$EndElements\n$Periodic\n1\n1 2 4\n2\n3 1\n6 4\n$EndPeriodic\n"

static PetscErrorCode test_links_that_cannot_be_are_refused(void)
{
  RungMesh mesh;

  PetscCall(mesh_of(TWO, &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "too large for a periodic mesh");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(mesh_of(NODES_2 "$Periodic\n1\n1 2 4\n1\n4 99\n$EndPeriodic\n", &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "$Periodic names node 99");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(mesh_of(NODES_2 "$Periodic\n1\n1 2 4\n7000\n4 1\n$EndPeriodic\n", &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "announces 7000 entries");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_linked_vertices_are_one_in_both_formats), RUNG_TEST(test_the_linked_sides_are_interior),
               RUNG_TEST(test_linked_points_are_one), RUNG_TEST(test_links_that_cannot_be_are_refused))
