/* test_natural.c - natural numbers and fingerprints are those of a single rank. */
#include "check.h"

static const struct {
  const char *cell;
  PetscInt    dim;
} cases[] = {{"interval", 1}, {"triangle", 2}, {"quadrilateral", 2}, {"tetrahedron", 3}, {"hexahedron", 3}};
enum { CASES = sizeof cases / sizeof cases[0] };

static PetscErrorCode create_box(MPI_Comm comm, PetscInt i, PetscReal length, RungMesh *mesh)
{
  const PetscInt  count[3] = {4, 3, 2};
  const PetscReal size[3]  = {length, 2, 1.5};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, mesh));
  PetscCall(RungMeshSetBox(*mesh, cases[i].cell, cases[i].dim, count, size));
  PetscCall(RungMeshSetUp(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[natural number][axis] of all ranks; how often each number is taken in taken[] */
static PetscErrorCode collect(RungSpace space, PetscReal **x, PetscInt **taken)
{
  const RungSpaceData *s;
  const PetscInt      *natural;
  const PetscInt       dim = 3;
  RungMesh             mesh;
  const RungMeshData  *m;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &s));
  mesh = s->mesh;
  PetscCall(RungMeshGetData(mesh, &m));
  PetscCall(RungSpaceGetNatural(space, &natural));
  PetscCall(PetscCalloc1(s->nodes_global * dim, x));
  PetscCall(PetscCalloc1(s->nodes_global, taken));
  for (PetscInt i = 0; i < s->owned; ++i) {
    CHECK(natural[i] >= 0 && natural[i] < s->nodes_global);
    ++(*taken)[natural[i]];
    for (PetscInt a = 0; a < m->dim; ++a) (*x)[natural[i] * dim + a] = s->x[i * m->dim + a];
  }
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, *x, (PetscMPIInt)(s->nodes_global * dim), MPIU_REAL, MPI_SUM, RungMeshComm(mesh)));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, *taken, (PetscMPIInt)s->nodes_global, MPIU_INT, MPI_SUM, RungMeshComm(mesh)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_with_one_rank(PetscInt i, const char spec[])
{
  const RungSpaceData *s;
  RungMesh             mesh[2];
  RungSpace            space[2];
  PetscReal           *x[2];
  PetscInt            *taken[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PetscCall(create_box(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, i, 1, &mesh[k]));
    PetscCall(RungSpaceCreate(mesh[k], spec, &space[k]));
    PetscCall(collect(space[k], &x[k], &taken[k]));
  }
  PetscCall(RungSpaceGetData(space[1], &s));
  for (PetscInt n = 0; n < s->nodes_global; ++n) {
    CHECK(taken[0][n] == 1 && taken[1][n] == 1);
    for (PetscInt a = 0; a < 3; ++a) CHECK_NEAR(x[0][n * 3 + a], x[1][n * 3 + a], 1e-14);
  }
  for (int k = 0; k < 2; ++k) {
    PetscCall(PetscFree(x[k]));
    PetscCall(PetscFree(taken[k]));
    PetscCall(RungSpaceDestroy(&space[k]));
    PetscCall(RungMeshDestroy(&mesh[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_node_has_the_number_that_it_has_on_one_rank(void)
{
  static const char *const specs[] = {"CG1", "CG2", "CG4", "DG0", "DG2", "Quad(3)"};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < CASES; ++i) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(specs); ++k) PetscCall(compare_with_one_rank(i, specs[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank that owns no node (of R all but one, of a single cell some) must not ask the others a second time. */
static PetscErrorCode test_numbers_are_kept_where_a_rank_has_none(void)
{
  static const char *const specs[] = {"R", "DG0", "CG1"};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(specs); ++k) {
    RungMesh        mesh;
    RungSpace       space;
    const PetscInt *first, *second;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){1}, NULL));
    PetscCall(RungSpaceCreate(mesh, specs[k], &space));
    PetscCall(RungSpaceGetNatural(space, &first));
    PetscCall(RungSpaceGetNatural(space, &second));
    CHECK(first && first == second);
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_fingerprint_knows_the_mesh_and_not_the_ranks(void)
{
  char     text[3][17];
  RungMesh mesh;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < CASES; ++i) {
    for (int k = 0; k < 3; ++k) {
      PetscCall(create_box(k == 1 ? PETSC_COMM_SELF : PETSC_COMM_WORLD, i, k == 2 ? 1.0000001 : 1, &mesh));
      PetscCall(RungMeshGetFingerprint(mesh, text[k]));
      PetscCall(RungMeshDestroy(&mesh));
    }
    CHECK(strlen(text[0]) == 16);
    CHECK(!strcmp(text[0], text[1]));
    CHECK(strcmp(text[0], text[2]) != 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_node_has_the_number_that_it_has_on_one_rank),
               RUNG_TEST(test_numbers_are_kept_where_a_rank_has_none),
               RUNG_TEST(test_a_fingerprint_knows_the_mesh_and_not_the_ranks))
