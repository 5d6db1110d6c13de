/* test_form_varying.c - nonlinear Jacobians whose constant blocks are kept equal those that are assembled whole. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* Cahn-Hilliard in a square with boundary values, of its two unknowns alone the block of q and u varies. */
static PetscErrorCode create(PetscBool keep, const char backend[], RungSystem *sys)
{
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", keep ? "true" : "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(space_create("triangle", 2, 9, "P1", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSystemSetConstant(*sys, "c", 0.3));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u)*v + inner(grad(p), grad(v)))*dx + (1 + x[0])*u*v*ds(left)"));
  PetscCall(RungSystemAddResidual(*sys, "(p*q - exp(t)*u^3*q - c*inner(grad(u), grad(q)))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "right", "x[1]"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_keep_blocks"));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two ways to one Jacobian, each with the matrix that it filled before. */
typedef struct {
  RungSystem sys[2];
  Mat        J[2];
  Vec        u[3];
} Pair;

static PetscErrorCode pair_create(const char backend[], Pair *p)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(create(i ? PETSC_TRUE : PETSC_FALSE, backend, &p->sys[i]));
    PetscCall(RungSystemCreateMat(p->sys[i], &p->J[i]));
  }
  PetscCall(vecs_create(p->sys[0], 3, p->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pair_destroy(Pair *p)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(MatDestroy(&p->J[i]));
    PetscCall(RungSystemDestroy(&p->sys[i]));
  }
  PetscCall(vecs_destroy(3, p->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative distance of the two at t and the states filled from `seed`, the slope of rates `rate`. */
static PetscErrorCode compare(Pair *p, PetscReal t, PetscInt seed, PetscReal rate, PetscReal *distance)
{
  const PetscReal sigma[] = {1, 1, rate, 0};
  PetscReal       size;
  Mat             D;

  PetscFunctionBegin;
  PetscCall(vec_fill(p->u[0], seed));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemJacobian(p->sys[i], t, p->u, sigma, p->J[i]));
  PetscCall(MatDuplicate(p->J[0], MAT_COPY_VALUES, &D));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(D, -1, p->J[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, distance));
  *distance /= size;
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_kept_blocks_and_the_rest_are_the_whole(void)
{
  const char *const backend[] = {"interpreter", "c"};
  PetscReal         distance;

  for (int b = 0; b < 2; ++b) {
    Pair p;

    PetscCall(pair_create(backend[b], &p));
    for (PetscInt i = 0; i < 6; ++i) { /* slopes stay for some, then change */
      PetscCall(compare(&p, 0.1 * (PetscReal)(i / 2), i, i < 3 ? 10 : 25, &distance));
      CHECK_NEAR(distance, 0, 1e-14);
    }
    PetscCall(pair_destroy(&p));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_matrix_that_was_changed_begins_anew(void)
{
  PetscReal distance;
  Pair      p;

  PetscCall(pair_create("interpreter", &p));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  PetscCall(MatScale(p.J[1], 3));
  PetscCall(compare(&p, 0, 2, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(MatZeroEntries(p.J[1]));
  PetscCall(compare(&p, 0, 3, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(MatDestroy(&p.J[1]));
  PetscCall(RungSystemCreateMat(p.sys[1], &p.J[1]));
  PetscCall(compare(&p, 0, 4, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_kept_blocks_follow_the_constants(void)
{
  PetscReal distance;
  Pair      p;

  PetscCall(pair_create("interpreter", &p));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemSetConstant(p.sys[i], "c", 0.9));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

/* To the bit: a run that goes on from a file meets a matrix that was never filled. */
static PetscErrorCode test_the_first_jacobian_equals_a_later_one(void)
{
  PetscBool equal;
  PetscReal distance;
  Pair      p;
  Mat       J;

  PetscCall(pair_create("c", &p));
  for (PetscInt i = 0; i < 3; ++i) PetscCall(compare(&p, 0, 3 - i, 10, &distance));
  PetscCall(RungSystemCreateMat(p.sys[1], &J));
  PetscCall(RungSystemJacobian(p.sys[1], 0, p.u, (const PetscReal[]){1, 1, 10, 0}, J));
  PetscCall(MatEqual(J, p.J[1], &equal));
  CHECK(equal);
  PetscCall(MatDestroy(&J));
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_view_counts_jacobians_with_kept_blocks(void)
{
  char        text[8192] = "";
  FILE       *file       = tmpfile();
  PetscReal   distance;
  PetscViewer viewer;
  PetscInt    has;
  size_t      n;
  Pair        p;

  PetscCall(pair_create("interpreter", &p));
  for (PetscInt i = 0; i < 3; ++i) PetscCall(compare(&p, 0, i, 10, &distance));
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungSystemView(p.sys[1], viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  n       = fread(text, 1, sizeof text - 1, file);
  text[n] = 0;
  (void)fclose(file);
  has = strstr(text, "constant blocks: kept in 3 Jacobians") ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(has);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_kept_blocks_and_the_rest_are_the_whole),
               RUNG_TEST(test_a_matrix_that_was_changed_begins_anew), RUNG_TEST(test_kept_blocks_follow_the_constants),
               RUNG_TEST(test_the_first_jacobian_equals_a_later_one),
               RUNG_TEST(test_the_view_counts_jacobians_with_kept_blocks))
