/* test_elsewhere.c - ranks that do not see the folder of rank 0: rank 0 reads and writes for all, and nobody waits
   for ever. */
#include "check.h"
#include "rungverify.h"

#include <sys/stat.h>
#include <unistd.h>

static const char square[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
                             "5 .5 .5 0\n$EndNodes\n$Elements\n4\n1 2 2 1 1 1 2 5\n2 2 2 1 1 2 3 5\n3 2 2 1 1 5 4 3\n"
                             "4 2 2 1 1 4 1 5\n$EndElements\n";

/* A mesh file, a table of data, kernels from a cache, a field file: all named relative to rank 0's folder. */
static PetscErrorCode create_system(RungSystem *sys, RungField *field)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "square.msh", strlen(square), square));
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "load.csv", 12, "0,1\n1,2\n2,2\n"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "square.msh"));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungFieldCreate(space, "k", field));
  PetscCall(RungFieldSave(*field, "k.h5"));
  PetscCall(RungFieldLoad(*field, "k.h5"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddField(*sys, "k", *field));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + k*u*v*dx - table(\"load.csv\")*v*dx"));
  PetscCall(RungSystemAddQuantity(*sys, "total", "u*dx"));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungStepper stepper, const char load[], PetscReal *total)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetMethod(stepper, "midpoint"));
  PetscCall(RungStepperSetInterval(stepper, 0, load ? 1 : 0.5, 0.1));
  PetscCall(RungStepperSetCheckpoint(stepper, "run.h5", 2));
  PetscCall(RungStepperSetRestart(stepper, load, PETSC_FALSE));
  PetscCall(RungStepperAddTable(stepper, "run.csv"));
  PetscCall(RungStepperAddOutput(stepper, "series.pvd", 0.5));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "total", total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const char load[], PetscReal *total)
{
  RungSystem  sys;
  RungField   field;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create_system(&sys, &field));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungSystemDestroy(&sys));
  RungCallFinally(solve(stepper, load, total), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_rank_without_the_folder_waits_for_nobody(void)
{
  char        home[PETSC_MAX_PATH_LEN], other[64];
  PetscMPIInt rank;
  PetscReal   total;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsInsertString(NULL, "-form_cache kernels"));
  PetscCall(PetscSNPrintf(other, sizeof other, "elsewhere%d", rank));
  CHECK(getcwd(home, sizeof home));
  if (rank) CHECK((mkdir(other, 0700) == 0 || access(other, F_OK) == 0) && chdir(other) == 0);
  PetscCall(run(NULL, &total));
  PetscCall(run("run.h5", &total));
  CHECK_NEAR(total, 1.5, 1e-12); /* the integral of 1 + t */
  if (rank) CHECK(access("run.h5", F_OK) != 0 && access("run.csv", F_OK) != 0 && access("kernels", F_OK) != 0);
  CHECK(!access("series.pvd", F_OK) == !rank && !access("series.pvd.d/series_000002.vtu", F_OK) == !rank);
  CHECK(chdir(home) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_rank_without_the_folder_waits_for_nobody))
