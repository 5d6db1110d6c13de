/* test_mesh_owner.c - cuts of the mesh are halved between the two ranks that meet there. */
#include "fe_impl.h"
#include "check.h"

enum { NX = 12, NY = 10, NZ = 4, COLUMNS = (NX + 1) * (NY + 1) };

static PetscErrorCode create_plate(RungMesh *mesh, const RungMeshData **data)
{
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, "hexahedron", 3, (PetscInt[]){NX, NY, NZ}, (PetscReal[]){NX, NY, 0.01}));
  PetscCall(RungMeshGetData(*mesh, data));
  return PETSC_SUCCESS;
}

/* Strong couplings go through the plate: whoever owns a vertex owns all above and below. */
static PetscErrorCode test_lines_through_a_plate_have_one_owner(void)
{
  PetscInt            low[COLUMNS], high[COLUMNS];
  RungMesh            mesh;
  const RungMeshData *data;

  PetscCall(create_plate(&mesh, &data));
  for (PetscInt i = 0; i < COLUMNS; ++i) low[i] = PETSC_MAX_INT, high[i] = -1;
  for (PetscInt v = 0; v < data->nodes; ++v) {
    const PetscInt i = (PetscInt)(data->x[3 * v] + 0.5) + (NX + 1) * (PetscInt)(data->x[3 * v + 1] + 0.5);

    low[i]  = PetscMin(low[i], data->owner[0][v]);
    high[i] = PetscMax(high[i], data->owner[0][v]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, COLUMNS, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, COLUMNS, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < COLUMNS; ++i) CHECK(low[i] == high[i]);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Two ranks: vertices, edges and faces of the cut to one as to the other, up to the line in the middle. */
static PetscErrorCode test_halves_are_even(void)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscMPIInt         size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(create_plate(&mesh, &data));
  for (PetscInt d = 0; d < 3 && size == 2; ++d) {
    PetscInt least, most;

    PetscCallMPI(MPI_Allreduce(&data->owned[d], &least, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Allreduce(&data->owned[d], &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
    CHECK(most - least <= 2 * NZ + 1);
  }
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* The other rank's coordinates do not count: they may differ by a period. */
static PetscErrorCode test_the_lower_rank_decides(void)
{
  const PetscInt  name[4] = {10, 11, 12, 13};
  const PetscReal x[4] = {0, 1, 2, 3}, y[4] = {3, 2, 1, 0};
  PetscInt        partner[4], owner[4];
  PetscMPIInt     rank, size;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt i = 0; i < 4; ++i) partner[i] = 1 - rank;
  PetscCall(RungOwnersHalve(PETSC_COMM_WORLD, 1, rank < 2 && size > 1 ? 4 : 0, name, partner, 1, rank ? y : x, owner));
  for (PetscInt i = 0; i < 4 && rank < 2 && size > 1; ++i) CHECK(owner[i] == (i < 2 ? 0 : 1));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_lines_through_a_plate_have_one_owner), RUNG_TEST(test_halves_are_even),
               RUNG_TEST(test_the_lower_rank_decides))
