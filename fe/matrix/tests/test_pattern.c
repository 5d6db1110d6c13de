/* test_pattern.c - nonzeros counted by hand; test_insert.c has the values. */
#include "check.h"

/* Nonzeros of all ranks, for n unknowns on a box of 4 intervals or of 4 x 3 cells. */
static PetscErrorCode count_nonzeros(const char cell[], PetscInt dim, PetscInt n, const char *const spec[],
                                     const PetscBool couple[], PetscReal *nonzeros)
{
  const PetscInt  count[2] = {4, 3};
  const PetscReal size[2]  = {1, 1};
  RungMesh        mesh;
  RungSpace       space[2];
  RungLayout      layout;
  MatInfo         info;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  for (PetscInt f = 0; f < n; ++f) PetscCall(RungSpaceCreate(mesh, spec[f], &space[f]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, n, space, &layout));
  PetscCall(RungLayoutCreateMat(layout, couple, NULL, &J));
  PetscCall(MatGetInfo(J, MAT_GLOBAL_SUM, &info));
  *nonzeros = info.nz_used;
  CHECK(info.mallocs == 0);
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&layout));
  for (PetscInt f = 0; f < n; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonzeros_of_one_unknown(void)
{
  const PetscBool   yes = PETSC_TRUE;
  const char *const p1 = "P1", *const p2 = "P2^3", *const q1 = "Q1", *const dp1 = "DP1";
  PetscReal n;

  PetscCall(count_nonzeros("interval", 1, 1, &p1, &yes, &n));
  CHECK(n == 13); /* 5 nodes, tridiagonal */
  PetscCall(count_nonzeros("interval", 1, 1, &p2, &yes, &n));
  CHECK(n == 9 * (4 * 3 + 2 * 3 + 3 * 5)); /* middles, ends, corners between two cells; 3 x 3 each */
  PetscCall(count_nonzeros("quadrilateral", 2, 1, &q1, &yes, &n));
  CHECK(n == (3 * 5 - 2) * (3 * 4 - 2)); /* a product of two tridiagonal ones */
  PetscCall(count_nonzeros("interval", 1, 1, &dp1, &yes, &n));
  CHECK(n == 4 * 4);
  return PETSC_SUCCESS;
}

/* u in P1 with all of itself, p in P0; coupled as told, the diagonal always there. */
static PetscErrorCode test_nonzeros_follow_the_coupling(void)
{
  const char *const spec[2]  = {"P1", "P0"};
  const PetscBool   none[4]  = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
  const PetscBool   upper[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE};
  const PetscBool   all[4]   = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  PetscReal         n;

  PetscCall(count_nonzeros("interval", 1, 2, spec, none, &n));
  CHECK(n == 9);
  PetscCall(count_nonzeros("interval", 1, 2, spec, upper, &n));
  CHECK(n == 13 + 8 + 4);
  PetscCall(count_nonzeros("interval", 1, 2, spec, all, &n));
  CHECK(n == 13 + 8 + 8 + 4);
  return PETSC_SUCCESS;
}

/* Solvers keep the part of a rank when its matrix is gone: the arrays are there as long as it is. */
static PetscErrorCode test_a_part_that_is_kept_outlives_its_matrix(void)
{
  const char *const spec      = "P1";
  const PetscBool   yes       = PETSC_TRUE;
  const PetscInt    counts[2] = {70, 70}; /* arrays of pages of their own */
  RungMesh          mesh;
  RungSpace         space;
  RungLayout        layout;
  PetscReal         norm[2];
  Mat               J, part;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, counts, NULL));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, &space, &layout));
  PetscCall(RungLayoutCreateMat(layout, &yes, NULL, &J));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[0]));
  CHECK(norm[0] == 0);
  PetscCall(MatShift(J, 2));
  PetscCall(MatGetDiagonalBlock(J, &part));
  PetscCall(PetscObjectReference((PetscObject)part));
  PetscCall(MatNorm(part, NORM_FROBENIUS, &norm[0]));
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&layout));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(MatNorm(part, NORM_FROBENIUS, &norm[1]));
  CHECK(norm[0] == norm[1] && norm[0] > 0);
  PetscCall(MatDestroy(&part));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_nonzeros_of_one_unknown), RUNG_TEST(test_nonzeros_follow_the_coupling),
               RUNG_TEST(test_a_part_that_is_kept_outlives_its_matrix))
