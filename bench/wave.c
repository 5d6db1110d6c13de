/* wave.c - a step of central differences for the wave equation on Q2 hexahedra, 10^6 unknowns with a lumped mass: ns
   per unknown, CPU time, one rank.

       dealii_q2_cartesian   against deal.II's matrix-free step on the same mesh (wave_dealii.cc), 3^3 Gauss points for
       dealii_q2_deformed    the stiffness, the mass on the nodes; u, v and u'' are updated one by one there

   Both sides make STEPS steps from the same start, and the norms of u are compared; the time of a step is the
   difference between a run and one of FEW steps, the least of each, over that of their numbers.

   Try   ./wave -bench_count 20                            fewer cells on a line than 50                              */
#include "bent.h"

#define STEPS   60
#define FEW     20
#define REPEATS 3
#define DT      1e-3

static PetscErrorCode create_system(RungMesh mesh, RungSystem *sys)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, "Q2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, "dt(u, 2)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(3*x[0] + 2*x[1] - x[2])"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of so many steps, and |u| behind them. */
static PetscErrorCode run(RungSystem sys, PetscInt steps, double *seconds, PetscReal *norm, PetscInt *size)
{
  RungStepper      stepper;
  const RungState *state;
  double           begin;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "central_difference"));
  PetscCall(RungStepperSetInterval(stepper, 0, DT * (PetscReal)steps, DT));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSetUp(stepper));
  begin = bench_clock();
  PetscCall(RungStepperSolve(stepper));
  *seconds = bench_clock() - begin;
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecNorm(state->u[0], NORM_2, norm));
  PetscCall(VecGetSize(state->u[0], size));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a run of few steps and of one of all, each the least so far: a difference of two runs of which one was disturbed
   may be anything. */
static PetscErrorCode step(RungSystem sys, double least[2], PetscReal *norm, PetscInt *size)
{
  double seconds;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(run(sys, i ? STEPS : FEW, &seconds, norm, size));
    least[i] = PetscMin(least[i], seconds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(MeshKind kind, PetscInt n)
{
  char       name[64], command[512], line[256] = "", found[64] = "";
  double     runs[2] = {1e30, 1e30}, least, twin;
  int        dofs, lanes;
  PetscReal  norm[2];
  PetscInt   size;
  PetscBool  wanted;
  RungMesh   mesh;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "dealii_q2_%s", kinds[kind]));
  PetscCall(bench_wanted(name, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_mesh(n, kind, &mesh));
  PetscCall(create_system(mesh, &sys));
  for (int i = 0; i < REPEATS; ++i) PetscCall(step(sys, runs, &norm[0], &size));
  PetscCall(
    PetscSNPrintf(command, sizeof command, TWIN_WAVE " %s %" PetscInt_FMT " %d %.17g", name, n, STEPS, (double)DT));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %d %d %lf", found, &twin, &dofs, &lanes, &norm[1]) == 5 && dofs == size,
             PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package libdeal.ii-dev, which ./bootstrap bench installs",
             name);
  for (int i = 0; i < REPEATS; ++i) PetscCall(step(sys, runs, &norm[0], &size));
  least = (runs[1] - runs[0]) / (STEPS - FEW);
  PetscCheck(PetscAbsReal(norm[0] - norm[1]) <= 1e-10 * norm[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: |u| is %.15g, that of the twin %.15g", name, norm[0], norm[1]);
  PetscCall(bench_line(name, 1e9 * least / (double)size, 1e9 * twin / (double)size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s: %" PetscInt_FMT " unknowns, %.1f and %.1f ms a step, deal.II with %d "
                        "lanes; |u| = %.10g, apart by %.1e\n",
                        name, size, 1e3 * least, 1e3 * twin, lanes, norm[0],
                        PetscAbsReal(norm[0] - norm[1]) / norm[0]));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt n = 50;

  PetscCall(RungInitialize(&argc, &argv, "Steps of the wave equation without a matrix against deal.II.\n"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_count", &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# a step of central differences, ns per unknown, CPU time; case rung deal.II ratio\n"));
  PetscCall(measure(CARTESIAN, n));
  PetscCall(measure(DEFORMED, n));
  PetscCall(RungFinalize());
  return 0;
}
