/* transient.c - linear heat runs in 3D with BDF2 at fixed step: what it saves that the form says what is constant.

   rung       the stepper, from the mesh to the last step
   .._naive   twin: the same system by hand, assembling and setting up the solver anew in every step, as a user does who
              does not know what is constant
   .._dolfinx twin: transient_dolfinx.py, the same run as an expert writes it: assembled once, extrapolated guess, the best
              of Jacobi, ICC, GAMG and BoomerAMG
   ranks_heat rung: two ranks, twin: one

   CPU seconds, same mesh, same solver tolerance (-ksp_rtol, of the right-hand side's Euclidean norm).  Norms of the
   results are compared.  Kernels are compiled before the clock starts, on both sides.

   Try   ./transient -bench_case heat_p1                                                                              */
#include "bench.h"

#define DT   1e-3
#define RTOL 1e-10

static PetscErrorCode Heat(const char spec[], PetscInt count, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){count, count, count}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, spec, &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(pi*x[0])*sin(pi*x[1])*sin(pi*x[2])"));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunStepper(RungSystem sys, PetscReal dt, PetscInt steps, Vec u, double *seconds)
{
  RungStepper      stepper;
  const RungState *state;
  const double     start = BenchClock();

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  PetscCall(RungStepperSetOrder(stepper, 2));
  PetscCall(RungStepperSetInterval(stepper, 0, dt * (PetscReal)steps, dt));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecCopy(state->u[0], u));
  PetscCall(RungStepperDestroy(&stepper));
  *seconds = BenchClock() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' on the history: 3/2 u1 - 2 u0 + 1/2 u(-1) over dt (backward Euler first); solve J d = r anew each step. */
static PetscErrorCode RunNaive(RungSystem sys, PetscReal dt, PetscInt steps, Vec u, double *seconds)
{
  const double start = BenchClock();
  Vec          old[2], v, r, level[3];
  Mat          J;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(u, &old[0]));
  PetscCall(VecDuplicate(u, &old[1]));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  PetscCall(RungSystemImposeDirichlet(sys, 0, 0, u));
  level[0] = u;
  level[1] = v;
  level[2] = NULL;
  for (PetscInt n = 0; n < steps; ++n) {
    const PetscReal sigma[] = {1, (n ? 1.5 : 1) / dt};
    KSP             ksp;

    PetscCall(VecCopy(old[0], old[1]));
    PetscCall(VecCopy(u, old[0]));
    PetscCall(VecAXPBYPCZ(v, n ? -0.5 / dt : 0, n ? 0.5 / dt : 0, 0, old[0], old[1])); /* the line at w = u_n */
    PetscCall(RungSystemImposeDirichlet(sys, dt * (PetscReal)(n + 1), 0, u));
    PetscCall(RungSystemResidual(sys, dt * (PetscReal)(n + 1), level, r));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemJacobian(sys, dt * (PetscReal)(n + 1), level, sigma, J));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, J, J));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, PETSC_FALSE));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, r, v));
    PetscCall(VecAXPY(u, -1, v));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&J));
  }
  PetscCall(VecDestroy(&old[0]));
  PetscCall(VecDestroy(&old[1]));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&r));
  *seconds = BenchClock() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name, *naive, *dolfinx, *spec;
  PetscInt    count, steps;
} Run;

static const Run runs[] = {{"heat_p1", "heat_p1_naive", "heat_p1_dolfinx", "P1", 40, 100},
                           {"heat_p2", "heat_p2_naive", "heat_p2_dolfinx", "P2", 20, 100}};

/* Mesh, system, steps.  Out norm |u|/sqrt(n), seconds; sys for the naive run, NULL: not wanted */
static PetscErrorCode RunWhole(const Run *run, PetscInt count, double *seconds, double *norm, RungSystem *keep)
{
  const double start = BenchClock();
  RungSystem   sys;
  PetscReal    size;
  double       stepping;
  PetscInt     n;
  Vec          u;

  PetscFunctionBegin;
  PetscCall(Heat(run->spec, count, &sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RunStepper(sys, DT, run->steps, u, &stepping));
  *seconds = BenchClock() - start;
  PetscCall(VecNorm(u, NORM_2, &size));
  PetscCall(VecGetSize(u, &n));
  *norm = (double)(size / PetscSqrtReal((PetscReal)n));
  PetscCall(VecDestroy(&u));
  if (keep)
    *keep = sys;
  else
    PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareNaive(const Run *run, RungSystem sys, double rung, double norm)
{
  double    twin;
  PetscReal size;
  PetscInt  n;
  Vec       u;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RunNaive(sys, DT, run->steps, u, &twin));
  PetscCall(VecNorm(u, NORM_2, &size));
  PetscCall(VecGetSize(u, &n));
  size /= PetscSqrtReal((PetscReal)n);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: norm %.10g, of the twin %.10g, apart by %.1e (other start of BDF2)\n",
                        run->naive, norm, (double)size, fabs((double)size / norm - 1)));
  PetscCall(BenchLine(run->naive, rung, twin));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareDolfinx(const Run *run, double rung, double norm)
{
  char   command[1024], line[256], name[64] = "", pc[64] = "";
  double seconds, other;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "/usr/bin/python3 " TWIN_DOLFINX " %s %" PetscInt_FMT " %" PetscInt_FMT " %g %g 2>/dev/null",
                          run->dolfinx, run->count, run->steps, DT, RTOL));
  PetscCall(BenchRun(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %lf %63s", name, &seconds, &other, pc) == 4 && !strcmp(name, run->dolfinx),
             PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package python3-dolfinx, which ./bootstrap bench installs",
             run->dolfinx);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s: norm %.10g, of the twin (best with %s) %.10g, apart by %.1e; -ksp_rtol %g\n",
                        run->dolfinx, norm, pc, other, fabs(other / norm - 1), RTOL));
  PetscCall(BenchLine(run->dolfinx, rung, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Run *run)
{
  PetscBool  naive, dolfinx;
  RungSystem sys;
  double     least = 1e30, seconds, norm;

  PetscFunctionBegin;
  PetscCall(BenchWanted(run->naive, &naive));
  PetscCall(BenchWanted(run->dolfinx, &dolfinx));
  if (!naive && !dolfinx) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RunWhole(run, 2, &seconds, &norm, NULL)); /* compiles */
  for (int i = 0; i < 2; ++i) {
    PetscCall(RunWhole(run, run->count, &seconds, &norm, i ? NULL : &sys));
    least = PetscMin(least, seconds);
    if (i == 0) {
      PetscCall(RungSystemView(sys, NULL));
      if (naive) PetscCall(CompareNaive(run, sys, seconds, norm));
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  if (dolfinx) PetscCall(CompareDolfinx(run, least, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole run, CPU seconds of the slowest rank, waiting included; printed for the parent. */
static PetscErrorCode BeChild(void)
{
  double seconds, slowest, norm;

  PetscFunctionBegin;
  PetscCall(RunWhole(&runs[0], 2, &seconds, &norm, NULL));
  PetscCall(RunWhole(&runs[0], runs[0].count, &seconds, &norm, NULL));
  PetscCallMPI(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.9g %.9g\n", slowest, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareRanks(const char self[])
{
  char   command[PETSC_MAX_PATH_LEN + 128], line[256];
  double seconds[2], norm;

  PetscFunctionBegin;
  for (int ranks = 1; ranks <= 2; ++ranks) {
    PetscCall(PetscSNPrintf(command, sizeof command,
                            "mpiexec --oversubscribe --mca mpi_yield_when_idle 1 -n %d %s -bench_child", ranks, self));
    PetscCall(BenchRun(command, sizeof line, line));
    PetscCheck(sscanf(line, "%lf %lf", &seconds[ranks - 1], &norm) == 2, PETSC_COMM_WORLD, PETSC_ERR_LIB,
               "\"%s\" does not run", command);
  }
  PetscCall(BenchLine("ranks_heat", seconds[1], seconds[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool child, wanted;
  char      self[PETSC_MAX_PATH_LEN];

  PetscCall(RungInitialize(&argc, &argv, "Heat runs against re-assembling in every step, and against DOLFINx.\n"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_monitor", "false"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_rtol", &wanted));
  if (!wanted) PetscCall(PetscOptionsSetValue(NULL, "-ksp_rtol", "1e-10"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_child", &child));
  if (child) {
    PetscCall(BeChild());
  } else {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# whole run from the mesh on, seconds of CPU time, one rank\n"));
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) PetscCall(Compare(&runs[i]));
    PetscCall(BenchWanted("ranks_heat", &wanted));
    PetscCall(PetscGetFullPath(argv[0], self, sizeof self));
    if (wanted) PetscCall(CompareRanks(self));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_monitor"));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_rtol"));
  PetscCall(RungFinalize());
  return 0;
}
