/* assembly.c - matrix and residual assembly against DOLFINx or deal.II: zero, gather, kernel, scatter; ns per cell.

   The twin is a program of its own (assembly_dolfinx.py, assembly_dealii.cc) that assembles the same form on the same
   box and prints `case ns`.  Both sides take the least CPU time of several repeats on one rank, ours before and after
   the twin.

   Try   ./assembly
         ./assembly -bench_twin dealii                                                                                */
#include "bench.h"

#define REPEATS 5

#define NEO_HOOKEAN                                                                                                    \
  {"F", "I + grad(u)"},                                                                                                \
  {                                                                                                                    \
    "P", "(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F))"                                                   \
  }

typedef struct {
  BenchForm form;
  PetscBool matrix;  /* else the residual                                     */
  PetscBool dolfinx; /* which twins have it: DOLFINx numbers simplices alone, */
  PetscBool dealii;  /* deal.II boxes                                         */
} Row;

static const Row rows[] = {
  {{"p1_tet_poisson_matrix", "tetrahedron", "P1", {{0}}, "inner(grad(u), grad(v))*dx", 20}, 1, 1, 0},
  {{"p2_tet_poisson_matrix", "tetrahedron", "P2", {{0}}, "inner(grad(u), grad(v))*dx", 12}, 1, 1, 0},
  {{"p1_tet_neohookean_matrix", "tetrahedron", "P1^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx", 14}, 1, 1, 0},
  {{"p2_tet_neohookean_matrix", "tetrahedron", "P2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx", 6}, 1, 1, 0},
  {{"p1_tet_neohookean_residual", "tetrahedron", "P1^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx", 14}, 0, 1, 0},
  {{"p2_tet_neohookean_residual", "tetrahedron", "P2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx", 6}, 0, 1, 0},
  {{"q1_hex_laplace_matrix", "hexahedron", "Q1", {{0}}, "inner(grad(u), grad(v))*dx", 24}, 1, 0, 1},
  {{"q2_hex_laplace_matrix", "hexahedron", "Q2", {{0}}, "inner(grad(u), grad(v))*dx", 12}, 1, 0, 1},
};

/* The command that runs the twin of a row and the package it needs.  It is started with an environment of its own: it
   is an MPI program by itself and no child of this one. */
static PetscErrorCode TwinCommand(const char twin[], const BenchForm *form, char command[], size_t size,
                                  const char **package)
{
  PetscBool dolfinx, dealii;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(twin, "dolfinx", &dolfinx));
  PetscCall(PetscStrcmp(twin, "dealii", &dealii));
  PetscCheck(dolfinx || dealii, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "-bench_twin is \"%s\"; twins are dolfinx and dealii", twin);
  *package = dolfinx ? "python3-dolfinx" : "libdeal.ii-dev";
  PetscCall(PetscSNPrintf(command, size,
                          "env -i PATH=/usr/bin:/bin HOME=\"$HOME\" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "
                          "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 %s %s %" PetscInt_FMT,
                          dolfinx ? "python3 " TWIN_DOLFINX : TWIN_DEALII, form->name, form->count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nanoseconds per cell of the twin. */
static PetscErrorCode RunTwin(const char twin[], const BenchForm *form, double *ns)
{
  char        command[1024], name[64] = "", line[256] = "";
  const char *package;
  FILE       *pipe;

  PetscFunctionBegin;
  PetscCall(TwinCommand(twin, form, command, sizeof command, &package));
  PetscCall(PetscPOpen(PETSC_COMM_WORLD, NULL, command, "r", &pipe));
  if (!fgets(line, sizeof line, pipe)) line[0] = 0;
  PetscCall(PetscPClose(PETSC_COMM_WORLD, pipe));
  PetscCheck(sscanf(line, "%63s %lf", name, ns) == 2 && strcmp(name, form->name) == 0 && *ns > 0, PETSC_COMM_WORLD,
             PETSC_ERR_LIB, "the twin of %s does not run; it needs the package %s, which ./bootstrap bench installs",
             form->name, package);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A small smooth displacement, so that no form is at its trivial point. */
static PetscErrorCode FillState(Vec u)
{
  PetscInt     n;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArray(u, &array));
  for (PetscInt i = 0; i < n; ++i) array[i] = 1e-3 * PetscSinReal(0.01 * (PetscReal)i);
  PetscCall(VecRestoreArray(u, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const Row *row, const char twin[])
{
  const PetscReal sigma[] = {1, 0, 0};
  const double    n = (double)row->form.count, cells = n * n * n * (row->form.cell[0] == 't' ? 6 : 1);
  double          least = 1e30, other = 0;
  RungSystem      sys;
  Vec             u, r;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(BenchSystem(&row->form, "c", &sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(FillState(u));
  for (int i = 0; i < 2 * REPEATS; ++i) {
    const double start = BenchClock();

    if (row->matrix)
      PetscCall(RungSystemJacobian(sys, 0, &u, sigma, J));
    else
      PetscCall(RungSystemResidual(sys, 0, &u, r));
    least = PetscMin(least, BenchClock() - start);
    if (i == REPEATS - 1) PetscCall(RunTwin(twin, &row->form, &other));
  }
  PetscCall(BenchLine(row->form.name, 1e9 * least / cells, other));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      twin[32] = "dolfinx";
  PetscBool dolfinx;

  PetscCall(RungInitialize(&argc, &argv, "Assembly against DOLFINx or deal.II.\n"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_twin", twin, sizeof twin, NULL));
  PetscCall(PetscStrcmp(twin, "dolfinx", &dolfinx));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# whole assembly, ns per cell, CPU time, one rank; twin: %s\n", twin));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (dolfinx ? rows[i].dolfinx : rows[i].dealii) PetscCall(Measure(&rows[i], twin));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(RungFinalize());
  return 0;
}
