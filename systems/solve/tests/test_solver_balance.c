/* test_solver_balance.c - factors of matrices whose unknowns have unlike units have the digits that they have in equal ones. */
#include "../solver_impl.h"
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

/* Stokes' equations, whose density, viscosity and side are 1 in units of mass M, length L and time T; sign: of div(u). */
static PetscErrorCode flow_create(PetscReal M, PetscReal L, PetscReal T, const char sign[], RungMesh *mesh,
                                  RungSpace space[2], RungSystem *sys)
{
  const PetscInt n[] = {4, 4};
  char           text[256];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, "quadrilateral", 2, n, (PetscReal[]){L, L}));
  PetscCall(RungSpaceCreate(*mesh, "Q2^d", &space[0]));
  PetscCall(RungSpaceCreate(*mesh, "Q1", &space[1]));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", space[0]));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", space[1]));
  PetscCall(PetscSNPrintf(text, sizeof text,
                          "%.17g*inner(dt(u), w)*dx + %.17g*inner(grad(u), grad(w))*dx - p*div(w)*dx",
                          (double)(M / (L * L * L)), (double)(M / (L * T))));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(PetscSNPrintf(text, sizeof text, "%sdiv(u)*q*dx", sign));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x in units U of u and P of p */
static PetscErrorCode fill(RungSystem sys, PetscReal U, PetscReal P, Vec x)
{
  PetscScalar *value;
  PetscInt     start, end;

  PetscFunctionBegin;
  PetscCall(vec_fill(x, 4));
  PetscCall(RungSystemZeroDirichlet(sys, x));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) value[i] *= f ? P : U;
  }
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* errors[f]: of unknown f in y, by its unit */
static PetscErrorCode compare(RungSystem sys, PetscReal U, PetscReal P, Vec x, Vec y, PetscReal errors[2])
{
  const PetscScalar *a, *b;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  for (PetscInt f = 0; f < 2; ++f) {
    errors[f] = 0;
    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) errors[f] = PetscMax(errors[f], PetscAbsScalar(a[i] - b[i]) / (f ? P : U));
  }
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of a solve with factors of J, and of its transpose; bits: J has them as before. */
static PetscErrorCode solve(PetscReal M, PetscReal L, PetscReal T, const char sign[], PetscBool balanced,
                            PetscReal *error, PetscBool *bits)
{
  const PetscReal  U = L / T, P = M / (L * T * T), h = T / 64;
  RungMesh         mesh;
  RungSpace        space[2];
  RungSystem       sys;
  Mat              J, before;
  KSP              ksp;
  PC               pc;
  Vec              v[2], x, y, b;
  PetscReal        errors[2];
  PetscObjectState state[2];

  PetscFunctionBegin;
  PetscCall(flow_create(M, L, T, sign, &mesh, space, &sys));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 1, 1 / h, 0}, J));
  PetscCall(MatDuplicate(J, MAT_COPY_VALUES, &before));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_KEPT));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(PetscObjectStateGet((PetscObject)J, &state[0]));
  for (int i = 0; i < 2 && balanced; ++i) PetscCall(RungSolverBalance(sys, ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PetscObjectStateGet((PetscObject)J, &state[1]));
  CHECK(state[0] == state[1]);
  PetscCall(MatEqual(J, before, bits));
  PetscCall(VecDuplicate(v[0], &x));
  PetscCall(VecDuplicate(v[0], &y));
  PetscCall(VecDuplicate(v[0], &b));
  *error = 0;
  for (int transposed = 0; transposed < 2; ++transposed) {
    PetscCall(fill(sys, U, P, x));
    if (transposed) {
      PetscCall(MatMultTranspose(J, x, b));
      PetscCall(PCApplyTranspose(pc, b, y));
    } else {
      PetscCall(MatMult(J, x, b));
      PetscCall(PCApply(pc, b, y));
    }
    PetscCall(compare(sys, U, P, x, y, errors));
    *error = PetscMax(*error, PetscMax(errors[0], errors[1]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&before));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, v));
  PetscCall(RungSystemDestroy(&sys));
  for (int i = 0; i < 2; ++i) PetscCall(RungSpaceDestroy(&space[i]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_factors_have_their_digits_in_any_units(void)
{
  static const PetscReal   unit[][3] = {{1, 1, 1}, {1e-6, 1e3, 1e6}, {1, 1e3, 1e6}, {1e9, 1e-9, 1e-12}, {1e-12, 1, 1}};
  static const char *const sign[]    = {"", "-"};
  PetscBool                bits;
  PetscReal                error;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(unit); ++i) {
    for (int s = 0; s < 2; ++s) {
      PetscCall(solve(unit[i][0], unit[i][1], unit[i][2], sign[s], PETSC_TRUE, &error, &bits));
      if (!(error <= 1e-9)) fprintf(stderr, "units %d, %sdiv: %.2e\n", (int)i, sign[s], (double)error);
      CHECK(error <= 1e-9);
      CHECK(bits);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is balanced as it is has the bits that the package gives it; on several ranks MUMPS gives others from run to run. */
static PetscErrorCode test_alike_blocks_are_left_alone(void)
{
  PetscReal   error[2];
  PetscBool   bits;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int i = 0; i < 2; ++i) PetscCall(solve(1, 1, 1, "", i ? PETSC_TRUE : PETSC_FALSE, &error[i], &bits));
  CHECK(ranks > 1 || error[0] == error[1]);
  CHECK(error[0] < 1e-9 && error[1] < 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The 1 of a given entry of an unknown whose equation is 1e19 times as large is a pivot as good as any. */
static PetscErrorCode test_given_entries_of_large_equations_are_factored(void)
{
  RungMesh       mesh;
  RungSpace      space;
  RungSystem     sys;
  Mat            J;
  KSP            ksp;
  PC             pc;
  PCFailedReason reason;
  PetscMPIInt    ranks;
  Vec            v[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "w", space));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", space));
  PetscCall(RungSystemAddResidual(sys, "1e19*dt(u)*w*dx + 1e12*dt(p)*q*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 1, 1, 1}, J));
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    Vec       x, y, b;
    PetscReal error;

    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPSetOperators(ksp, J, J));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
    if (ranks > 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS)); /* PETSc's own factors are of one rank */
    PetscCall(RungSolverBalance(sys, ksp));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetFailedReason(pc, &reason));
    CHECK(reason == PC_NOERROR);
    PetscCall(VecDuplicate(v[0], &x));
    PetscCall(VecDuplicate(v[0], &y));
    PetscCall(VecDuplicate(v[0], &b));
    PetscCall(vec_fill(x, 4));
    PetscCall(MatMult(J, x, b));
    PetscCall(KSPSolve(ksp, b, y));
    PetscCall(VecAXPY(y, -1, x));
    PetscCall(VecNorm(y, NORM_INFINITY, &error));
    CHECK(error < 1e-12);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&b));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_factors_have_their_digits_in_any_units), RUNG_TEST(test_alike_blocks_are_left_alone),
               RUNG_TEST(test_given_entries_of_large_equations_are_factored))
