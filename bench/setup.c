/* setup.c - what comes before the first assembly, against DOLFINx: CPU seconds on one rank.

     CASE_setup    mesh of a box and numbers of a space's dofs   against create_box and FunctionSpace
     CASE_pattern  sparsity, matrix and the places of entries    against create_matrix

   The twin is setup_dolfinx.py, started as a program of its own.  Both sides take the least of several repeats.

   Try   ./setup
         ./setup -bench_scale 0.5                                                                                    */
#include "bench.h"

#define REPEATS 3

typedef struct {
  const char *name, *cell, *spec;
  PetscInt    count;
} Row;

static const Row rows[] = {
  {"p1_tet", "tetrahedron", "P1", 48}, /* 663552 cells */
  {"p2_tet", "tetrahedron", "P2", 28}, /* 131712 cells */
  {"q1_hex", "hexahedron", "Q1", 64},
  {"q2_hex", "hexahedron", "Q2", 32},
};

/* Seconds for mesh and dofs, and for the matrix. */
static PetscErrorCode RunRung(const Row *row, PetscInt count, double second[2])
{
  const PetscInt  counts[3] = {count, count, count};
  const PetscBool couple    = PETSC_TRUE;
  double          start     = BenchClock(), middle;
  RungMesh        mesh;
  RungSpace       space;
  RungLayout      layout;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, row->cell, 3, counts, NULL));
  PetscCall(RungSpaceCreate(mesh, row->spec, &space));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, &space, &layout));
  middle    = BenchClock();
  second[0] = PetscMin(second[0], middle - start);
  PetscCall(RungLayoutCreateMat(layout, &couple, NULL, &J));
  second[1] = PetscMin(second[1], BenchClock() - middle);
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&layout));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunTwin(const Row *row, PetscInt count, double second[2])
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

static PetscErrorCode RunRow(const Row *row, PetscReal scale)
{
  const PetscInt count   = PetscMax(2, (PetscInt)(scale * (PetscReal)row->count));
  double         mine[2] = {1e30, 1e30}, twin[2];
  char           name[64];

  PetscFunctionBegin;
  PetscCall(RunRung(row, count, mine));
  PetscCall(RunTwin(row, count, twin));
  for (int i = 1; i < REPEATS; ++i) PetscCall(RunRung(row, count, mine));
  for (int i = 0; i < 2; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s", row->name, i ? "pattern" : "setup"));
    PetscCall(BenchLine(name, mine[i], twin[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal scale = 1;

  PetscCall(RungInitialize(&argc, &argv, "Set-up of meshes, dofs and matrices against DOLFINx.\n"));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_scale", &scale, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# CPU seconds; case rung twin ratio\n"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) PetscCall(RunRow(&rows[i], scale));
  PetscCall(RungFinalize());
  return 0;
}
