/* setup.c - what comes before the first assembly, against DOLFINx: CPU seconds on one rank.

     CASE_setup    mesh of a box and numbers of a space's dofs   against create_box and FunctionSpace
     CASE_pattern  sparsity, matrix and the places of entries    against create_matrix

   The twin is setup_dolfinx.py, started as a program of its own.  Both sides take the least of several repeats.

   ranks_CASE    all of it, seconds of the slowest rank (waiting for messages included): rung is two ranks, twin one

   Try   ./setup
         ./setup -bench_case q1_hex,ranks_p2 -bench_twin none
         ./setup -bench_scale 0.5                                                                                    */
#include "bench.h"

#define REPEATS 3

typedef struct {
  const char *name, *cell, *spec[2];
  PetscInt    count;
  const char *type; /* of the matrix */
} Row;

/* Vectors have the format that a symmetric system takes by itself, rows and columns of fixed dofs listed. */
static const Row rows[] = {
  {"p1_tet", "tetrahedron", {"P1"}, 48, MATAIJ}, /* 663552 cells */
  {"p2_tet", "tetrahedron", {"P2"}, 28, MATAIJ}, /* 131712 cells */
  {"q1_hex", "hexahedron", {"Q1"}, 64, MATAIJ},
  {"q2_hex", "hexahedron", {"Q2"}, 32, MATAIJ},
  {"p2_tet_vector", "tetrahedron", {"P2^d"}, 16, MATSBAIJ},
  {"p2_tet_pair", "tetrahedron", {"P2^d", "P1"}, 14, MATAIJ},
};

/* One dof of seven is fixed where the row wants it. */
static PetscErrorCode create_mat(const Row *row, RungLayout layout, Mat *J)
{
  const PetscBool       couple[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  const RungLayoutData *data;
  PetscBool            *fixed;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(PetscCalloc1(data->local, &fixed));
  for (PetscInt i = 0; i < data->local; ++i) fixed[i] = data->global[i] % 7 == 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungLayoutCreateMatOfType(layout, row->type, couple, strcmp(row->type, MATAIJ) ? fixed : NULL, J));
  PetscCall(PetscFree(fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds for mesh and dofs, and for the matrix. */
static PetscErrorCode run_rung(const Row *row, PetscInt count, double second[2])
{
  const PetscInt counts[3] = {count, count, count}, unknowns = row->spec[1] ? 2 : 1;
  double         start = bench_clock(), middle;
  RungMesh       mesh;
  RungSpace      space[2];
  RungLayout     layout;
  Mat            J;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, row->cell, 3, counts, NULL));
  for (PetscInt f = 0; f < unknowns; ++f) PetscCall(RungSpaceCreate(mesh, row->spec[f], &space[f]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, unknowns, space, &layout));
  middle    = bench_clock();
  second[0] = PetscMin(second[0], middle - start);
  PetscCall(create_mat(row, layout, &J));
  second[1] = PetscMin(second[1], bench_clock() - middle);
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&layout));
  for (PetscInt f = 0; f < unknowns; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_twin(const Row *row, PetscInt count, double second[2])
{
  char  command[1024], name[64] = "", line[256] = "";
  FILE *pipe;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "env -i PATH=/usr/bin:/bin HOME=\"$HOME\" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "
                          "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 python3 " TWIN_SETUP
                          " %s %" PetscInt_FMT,
                          row->name, count));
  PetscCall(PetscPOpen(PETSC_COMM_WORLD, NULL, command, "r", &pipe));
  if (!fgets(line, sizeof line, pipe)) line[0] = 0;
  PetscCall(PetscPClose(PETSC_COMM_WORLD, pipe));
  PetscCheck(sscanf(line, "%63s %lf %lf", name, &second[0], &second[1]) == 3, PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package python3-dolfinx, which ./bootstrap bench installs",
             row->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_row(const Row *row, PetscReal scale, PetscBool has_twin)
{
  const PetscInt count   = PetscMax(2, (PetscInt)(scale * (PetscReal)row->count));
  double         mine[2] = {1e30, 1e30}, twin[2] = {NAN, NAN};
  char           name[64];

  PetscFunctionBegin;
  PetscCall(run_rung(row, count, mine));
  if (has_twin) PetscCall(run_twin(row, count, twin));
  for (int i = 1; i < REPEATS; ++i) PetscCall(run_rung(row, count, mine));
  for (int i = 0; i < 2; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s", row->name, i ? "pattern" : "setup"));
    PetscCall(bench_line(name, mine[i], twin[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* What this program prints when it is run by itself with -bench_child CASE: seconds of the slowest rank. */
static PetscErrorCode be_child(const char name[], PetscReal scale)
{
  double slowest = 0, least = 1e30;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) {
    if (strcmp(rows[i].name, name) != 0) continue;
    for (int repeat = 0; repeat < 2 * REPEATS; ++repeat) {
      double mine[2] = {1e30, 1e30}, sum;

      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
      PetscCall(run_rung(&rows[i], PetscMax(2, (PetscInt)(scale * (PetscReal)rows[i].count)), mine));
      sum = mine[0] + mine[1];
      PetscCallMPI(MPI_Allreduce(&sum, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
      least = PetscMin(least, slowest);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.9g\n", name, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_ranks(const Row *row, const char name[], PetscReal scale)
{
  char command[PETSC_MAX_PATH_LEN + 160], given[PETSC_MAX_PATH_LEN], self[PETSC_MAX_PATH_LEN], line[256], who[64] = "";
  double least[2] = {1e30, 1e30}, seconds;

  PetscFunctionBegin;
  PetscCall(PetscGetProgramName(given, sizeof given));
  PetscCall(PetscGetFullPath(given, self, sizeof self));
  for (int i = 0; i < 6; ++i) {
    PetscCall(
      PetscSNPrintf(command, sizeof command,
                    "mpiexec --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n %d %s -bench_child %s "
                    "-bench_scale %g",
                    1 + i % 2, self, row->name, (double)scale));
    PetscCall(bench_run(command, sizeof line, line));
    PetscCheck(sscanf(line, "%63s %lf", who, &seconds) == 2 && !strcmp(who, row->name), PETSC_COMM_WORLD, PETSC_ERR_LIB,
               "\"%s\" does not run", command);
    least[i % 2] = PetscMin(least[i % 2], seconds);
  }
  PetscCall(bench_line(name, least[1], least[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_all(PetscReal scale)
{
  char      twin[32] = "dolfinx", name[64];
  PetscBool wanted, none;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_twin", twin, sizeof twin, NULL));
  PetscCall(PetscStrcmp(twin, "none", &none));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# CPU seconds; case rung twin ratio\n"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) {
    PetscCall(bench_wanted(rows[i].name, &wanted));
    if (wanted) PetscCall(run_row(&rows[i], scale, none ? PETSC_FALSE : PETSC_TRUE));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "ranks_%s", rows[i].name));
    PetscCall(bench_wanted(name, &wanted));
    if (wanted) PetscCall(run_ranks(&rows[i], name, scale));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal scale = 1;
  char      child[64];
  PetscBool set;

  PetscCall(RungInitialize(&argc, &argv, "Set-up of meshes, dofs and matrices against DOLFINx.\n"));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_scale", &scale, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_child", child, sizeof child, &set));
  if (set)
    PetscCall(be_child(child, scale));
  else
    PetscCall(run_all(scale));
  PetscCall(RungFinalize());
  return 0;
}
