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

static PetscErrorCode test_a_rate_has_the_mesh_and_the_shape_of_its_field(void)
{
  RungMesh  mesh[2];
  RungSpace space[3];
  RungField field, rate, other;

  for (int i = 0; i < 2; ++i) {
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh[i]));
    PetscCall(RungMeshSetBox(mesh[i], "triangle", 2, (PetscInt[]){2, 2}, NULL));
  }
  PetscCall(RungSpaceCreate(mesh[0], "P2^d", &space[0]));
  PetscCall(RungSpaceCreate(mesh[0], "P1", &space[1]));
  PetscCall(RungSpaceCreate(mesh[1], "P2^d", &space[2]));
  PetscCall(RungFieldCreate(space[0], "u", &field));
  PetscCall(RungFieldDuplicate(field, "v", &rate));
  PetscCall(RungFieldSetRate(field, rate));
  PetscCall(RungFieldGetRate(field, &other));
  CHECK(other == rate);
  CHECK_RAISES(RungFieldSetRate(rate, field), "\"v\" would be a rate of itself");
  CHECK_RAISES(RungFieldDuplicate(field, "", &other), "without a name");
  for (int i = 1; i < 3; ++i) {
    PetscCall(RungFieldCreate(space[i], "w", &other));
    CHECK_RAISES(RungFieldSetRate(field, other), i == 1 ? "wanted the same shape" : "lives on another mesh");
    PetscCall(RungFieldDestroy(&other));
  }
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungFieldDestroy(&rate));
  for (int i = 0; i < 3; ++i) PetscCall(RungSpaceDestroy(&space[i]));
  for (int i = 0; i < 2; ++i) PetscCall(RungMeshDestroy(&mesh[i]));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_rate_has_the_mesh_and_the_shape_of_its_field),
               RUNG_TEST(test_a_field_is_zero_and_named))
