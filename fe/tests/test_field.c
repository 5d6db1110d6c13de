/* test_field.c - a field has a name, a space and a Vec of its layout. */
#include "check.h"

static PetscErrorCode test_a_field_is_zero_and_named(void)
{
  const PetscInt       count[2] = {2, 2};
  const PetscReal      size[2]  = {1, 1};
  const RungSpaceData *s;
  const char          *name;
  RungMesh             mesh;
  RungSpace            space, same;
  RungField            field;
  Vec                  u;
  PetscReal            norm;
  PetscInt             n;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, count, size));
  PetscCall(RungSpaceCreate(mesh, "P2^d", &space));
  CHECK_RAISES(RungFieldCreate(space, "", &field), "without a name");
  PetscCall(RungFieldCreate(space, "velocity", &field));
  PetscCall(RungSpaceGetData(space, &s));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(RungFieldGetSpace(field, &same));
  PetscCall(RungFieldGetVec(field, &u));
  CHECK(!strcmp(name, "velocity") && same == space);
  PetscCall(VecGetLocalSize(u, &n));
  CHECK(n == 2 * s->owned);
  PetscCall(VecNorm(u, NORM_INFINITY, &norm));
  CHECK(norm == 0);
  PetscCall(RungSpaceDestroy(&space)); /* the field keeps it */
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(VecSet(u, 1));
  PetscCall(RungFieldDestroy(&field));
  CHECK(!field);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_field_is_zero_and_named))
