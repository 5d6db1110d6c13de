/* test_form_shape.c - sides of cells to each other as J sees them, against what coefficients and sizes of bricks say. */
#include "system_impl.h"
#include "form_side_impl.h"
#include "form_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_room.h>

/* A box of 4 x 4 x 4 cells with sides of 1 x 1 x height */
static PetscErrorCode find(const char cell[], PetscReal height, const char spec[], const char text[],
                           PetscReal *slender, PetscReal *layered)
{
  const PetscReal sigma[] = {1, 2};
  RungMesh        mesh;
  RungSpace       V;
  RungSystem      sys;
  Vec             u[2];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, 3, (PetscInt[]){4, 4, 4}, (PetscReal[]){1, 1, height}));
  PetscCall(RungSpaceCreate(mesh, spec, &V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSystemAddResidual(sys, text));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungFormSideShape(sys, RUNG_ALL, 0, u, sigma, 1, slender, layered));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEAT    "inner(grad(u), grad(v))*dx"
#define ALONG   "grad(u)[0]*grad(v)[0]*dx + grad(u)[1]*grad(v)[1]*dx + 1e4*grad(u)[2]*grad(v)[2]*dx"
#define ELASTIC "inner(2*sym(grad(u)) + 1.5*tr(grad(u))*I, sym(grad(v)))*dx"

/* sigma has 2 dt(u): of a cube of side h there are 2 h^3 / 12 of the mass beside k h for each axis */
static PetscErrorCode test_bricks_are_as_slender_as_they_conduct(void)
{
  static const struct {
    const char *cell, *spec, *text;
    PetscReal   height, slender, layered;
  } at[] = {
    {"hexahedron", "Q1", HEAT, 1, 1, 1},
    {"hexahedron", "Q1", HEAT, 0.1, 10, 1},
    {"hexahedron", "Q2", HEAT, 8, 8, 8},
    {"hexahedron", "Q1", ALONG, 1, 100, 1},
    {"hexahedron", "Q1", ALONG, 100, 1, 1},
    {"hexahedron", "Q1", ALONG " + 7*u*v*ds", 1, 100, 1},
    {"hexahedron", "Q1^3", ELASTIC, 1, 1.870829, 1},           /* (2 + 1.5) / 1 */
    {"hexahedron", "Q1^3", ELASTIC, 8, 11.403147, 6.7587266},  /* 8 r, 8 r, 8/r; 8, 8, 8/r; r = sqrt(3.5) */
    {"hexahedron", "Q1", "dt(u)*v*dx + " ALONG, 1, 99.483, 1}, /* (1e4 + 1/96) / (1 + 1/96) */
    {"tetrahedron", "P1", HEAT, 1, 1.4142136, 1},              /* paths along edges of cubes */
    {"tetrahedron", "P2", HEAT, 1, 1.4142136, 1},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(at); ++i) {
    PetscReal slender, layered;

    PetscCall(find(at[i].cell, at[i].height, at[i].spec, at[i].text, &slender, &layered));
    CHECK_NEAR(slender, at[i].slender, 1e-5 * at[i].slender);
    CHECK_NEAR(layered, at[i].layered, 1e-5 * at[i].layered);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_bricks_are_as_slender_as_they_conduct))
