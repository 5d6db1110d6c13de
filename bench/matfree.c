/* matfree.c - J x without a matrix, Laplace + mass on Qk hexahedra: ns per degree of freedom, CPU time, one rank.

   spmv_kK        against the better of PETSc's two products with the assembled AIJ matrix (with inodes, without), bent cells
   dealii_qK_..   against deal.II's FEEvaluation on the same mesh (matfree_dealii.cc): `cartesian`; `deformed`, bent so that
                  no two cells are alike; `repeating`, bent along one direction, so that few different cells repeat
                  (deal.II stores what is equal once)

   Both sides multiply the same vector on the same mesh, and the norms of the products are compared; ours is what a solver
   calls, MatMult() of -system_mat_type shell.                                                                          */
#include "bent.h"

#define REPEATS 12

/* J of a system with or without a matrix. */
static PetscErrorCode create_j(RungMesh mesh, PetscInt degree, const char type[], RungSystem *sys, Vec *u, Mat *J)
{
  const PetscReal sigma[] = {1, 0, 0};
  char            spec[8];
  RungSpace       space;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", type));
  PetscCall(PetscSNPrintf(spec, sizeof spec, "Q%" PetscInt_FMT, degree));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, "inner(grad(u), grad(v))*dx + u*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(3*x[0] + 2*x[1] - x[2])")); /* what is multiplied */
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemCreateVec(*sys, u));
  PetscCall(VecSet(*u, 0));
  PetscCall(RungSystemCreateMat(*sys, J));
  PetscCall(RungSystemJacobian(*sys, 0, u, sigma, *J));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of y = J x, the least so far. */
static PetscErrorCode multiply(Mat J, Vec x, Vec y, double *least)
{
  const double start = bench_clock();

  PetscFunctionBegin;
  PetscCall(MatMult(J, x, y));
  *least = PetscMin(*least, bench_clock() - start);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix on the same mesh, its products in turn with ours; its y is left in z. */
static PetscErrorCode against_mat_mult(RungMesh mesh, PetscInt degree, Mat J, Vec x, Vec y, Vec z, double least[2])
{
  RungSystem sys;
  Vec        u;
  Mat        A;

  PetscFunctionBegin;
  PetscCall(create_j(mesh, degree, "aij", &sys, &u, &A));
  for (int i = 0; i < REPEATS; ++i) {
    for (int inode = 0; inode < 2; ++inode) {
      PetscCall(MatSetOption(A, MAT_USE_INODES, inode ? PETSC_TRUE : PETSC_FALSE));
      PetscCall(multiply(A, x, z, &least[1]));
    }
    PetscCall(multiply(J, x, y, &least[0]));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The twin of its own, ours before and after; *ns per dof of the twin. */
static PetscErrorCode against_dealii(const char name[], PetscInt n, Mat J, Vec x, Vec y, double *least, double *ns)
{
  char     command[512], line[256] = "", found[64] = "";
  double   rate = 0, norm[2] = {0};
  int      dofs = 0, lanes = 0;
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(VecGetSize(x, &size));
  for (int i = 0; i < REPEATS; ++i) PetscCall(multiply(J, x, y, least));
  PetscCall(PetscSNPrintf(command, sizeof command, TWIN_MATFREE " %s %" PetscInt_FMT, name, n));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %d %d %lf", found, &rate, &dofs, &lanes, &norm[1]) == 5 && !strcmp(found, name) &&
               dofs == size,
             PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package libdeal.ii-dev, which ./bootstrap bench installs",
             name);
  for (int i = 0; i < REPEATS; ++i) PetscCall(multiply(J, x, y, least));
  *ns = 1e9 / rate;
  PetscCall(VecNorm(y, NORM_2, &norm[0]));
  PetscCheck(PetscAbsReal(norm[0] - norm[1]) <= 1e-10 * norm[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: |J x| is %.15g, that of the twin %.15g", name, norm[0], norm[1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: deal.II with %d lanes; |J x| = %.10g, apart by %.1e\n", name, lanes,
                        norm[0], PetscAbsReal(norm[0] - norm[1]) / norm[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const char name[], PetscInt degree, PetscInt n, MeshKind kind, PetscBool dealii)
{
  double     least[2] = {1e30, 1e30}, ns, norm = 0, difference = 0;
  RungMesh   mesh;
  RungSystem sys;
  Vec        u, x, y, z;
  Mat        J;
  PetscInt   dofs;
  PetscBool  wanted;

  PetscFunctionBegin;
  PetscCall(bench_wanted(name, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_mesh(n, kind, &mesh));
  PetscCall(create_j(mesh, degree, "shell", &sys, &u, &J));
  PetscCall(VecDuplicate(u, &x));
  PetscCall(VecDuplicate(u, &y));
  PetscCall(VecDuplicate(u, &z));
  PetscCall(RungSystemInitial(sys, 0, 0, x));
  PetscCall(VecGetSize(x, &dofs));
  if (dealii) {
    PetscCall(against_dealii(name, n, J, x, y, &least[0], &ns));
  } else {
    PetscCall(against_mat_mult(mesh, degree, J, x, y, z, least));
    ns = 1e9 * least[1] / (double)dofs;
    PetscCall(VecNorm(z, NORM_2, &norm));
    PetscCall(VecAXPY(z, -1, y));
    PetscCall(VecNorm(z, NORM_2, &difference));
    PetscCheck(difference <= 1e-12 * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "both products differ by %g", difference);
  }
  PetscCall(bench_line(name, 1e9 * least[0] / (double)dofs, ns));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %" PetscInt_FMT " dofs, %.1f MDoF/s, twin %.1f\n", name, dofs,
                        1e-6 * (double)dofs / least[0], 1e3 / ns));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const struct {
    PetscInt degree, count[2]; /* cells on a line: a matrix has to fit; what leaves the caches */
  } row[] = {{2, {24, 44}}, {3, {16, 30}}, {4, {12, 22}}, {6, {7, 15}}};
  char name[64];

  PetscCall(RungInitialize(&argc, &argv, "Products without a matrix against SpMV and deal.II.\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# y = J x, Laplace + mass on hexahedra, ns per dof, CPU time, one rank\n"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "spmv_k%" PetscInt_FMT, row[i].degree));
    PetscCall(measure(name, row[i].degree, row[i].count[0], DEFORMED, PETSC_FALSE));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    for (MeshKind kind = CARTESIAN; kind < MESHES; ++kind) {
      PetscCall(PetscSNPrintf(name, sizeof name, "dealii_q%" PetscInt_FMT "_%s", row[i].degree, kinds[kind]));
      PetscCall(measure(name, row[i].degree, row[i].count[1], kind, PETSC_TRUE));
    }
  }
  PetscCall(RungFinalize());
  return 0;
}
