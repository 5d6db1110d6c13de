/* transient.c - a linear heat run in 3D with BDF2 at fixed step: what it saves that the form says what is constant.

   rung: the stepper, one assembly and one factorisation a run.  twin: the same system by hand, assembling and setting
   up the solver anew in every step, as a user does who does not know what is constant.  CPU seconds, same mesh, same
   tolerance. */
#include "bench.h"

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

static PetscErrorCode Compare(const char name[], const char spec[], PetscInt count, PetscInt steps)
{
  RungSystem sys;
  Vec        a, b;
  double     rung, twin;
  PetscReal  size, apart;

  PetscFunctionBegin;
  PetscCall(Heat(spec, count, &sys));
  PetscCall(RungSystemCreateVec(sys, &a));
  PetscCall(VecDuplicate(a, &b));
  PetscCall(RunStepper(sys, 1e-3, steps, a, &rung));
  PetscCall(RunNaive(sys, 1e-3, steps, b, &twin));
  PetscCall(VecNorm(a, NORM_2, &size));
  PetscCall(VecAXPY(b, -1, a));
  PetscCall(VecNorm(b, NORM_2, &apart));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s: %" PetscInt_FMT " steps, results apart by %.1e (other start of BDF2)\n", name, steps,
                        (double)(apart / size)));
  PetscCall(BenchLine(name, rung, twin));
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(RungInitialize(&argc, &argv, "Heat runs against re-assembling and re-factoring in every step.\n"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_monitor", "false"));
  PetscCall(Compare("heat_p1_naive", "P1", 24, 50));
  PetscCall(Compare("heat_p2_naive", "P2", 12, 50));
  PetscCall(RungFinalize());
  return 0;
}
