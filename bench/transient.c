/* transient.c - whole runs, from the mesh to the last step.

   rung       the stepper, as a user has it without options for the solver
   .._naive   twin: the same system by hand, assembling and setting up the solver anew in every step, as a user does who
              does not know what is constant
   .._dolfinx twin: transient_dolfinx.py, the same run as an expert writes it: what is constant assembled once, a guess
              from the history, the best of several solvers
   ranks_heat rung: two ranks, twin: one

   heat_p1, heat_p2      u' = div grad u in a cube, BDF2
   elast_p1, elast_p2    a linear elastic cantilever under a sudden load, generalized-alpha
   neohookean_p2         the same, neo-Hookean

   CPU seconds, same mesh, same tolerances on both sides: of the linear solver relative to the right-hand side's Euclidean
   norm, of Newton relative to the first residual.  Norms of the results are compared.  Kernels are compiled before the
   clock starts, on both sides.

   Try   ./transient -bench_case heat_p1 -bench_twin naive
         ./transient -bench_case elast_p1 -bench_twin none -log_view                                                  */
#include "bench.h"

typedef struct {
  const char *name, *spec;
  PetscErrorCode (*create)(RungSpace V, RungSystem *sys);
  PetscInt        count[3], steps;
  PetscReal       size[3], dt;
  RungStepperType type;
  const char     *tolerance[2]; /* the option of both sides that says when a solve is done */
} Run;

/* u = 0 on the boundary */
static PetscErrorCode create_heat(RungSpace V, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(pi*x[0])*sin(pi*x[1])*sin(pi*x[2])"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rho = E = 1, nu = 0.3; clamped on the left, loaded by f downwards from t = 0 on. */
static PetscErrorCode solid(RungSpace V, const char stress[], const char degree[], PetscReal f, RungSystem *sys)
{
  char text[256];

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "nu", 0.3));
  PetscCall(RungSystemSetConstant(*sys, "f", f));
  PetscCall(RungSystemDefine(*sys, "mu", "1/(2*(1 + nu))"));
  PetscCall(RungSystemDefine(*sys, "lambda", "nu/((1 + nu)*(1 - 2*nu))"));
  PetscCall(RungSystemDefine(*sys, "eps", "sym(grad(u))"));
  PetscCall(RungSystemDefine(*sys, "F", "I + grad(u)"));
  PetscCall(RungSystemDefine(*sys, "P", stress));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(u, 2), v)*dx - f*v[2]*dx"));
  PetscCall(PetscSNPrintf(text, sizeof text, "inner(P, grad(v))*dx%s", degree));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode elastic(RungSpace V, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(solid(V, "lambda*tr(eps)*I + 2*mu*eps", "", -0.01, sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode neo_hookean(RungSpace V, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(solid(V, "mu*(F - transpose(inv(F))) + lambda*log(det(F))*transpose(inv(F))", "(degree: 2)", -0.002, sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Run runs[] = {
  {"heat_p1", "P1", create_heat, {40, 40, 40}, 100, {1, 1, 1}, 1e-3, RUNGBDF, {"-ksp_rtol", "1e-10"}},
  {"heat_p2", "P2", create_heat, {20, 20, 20}, 100, {1, 1, 1}, 1e-3, RUNGBDF, {"-ksp_rtol", "1e-10"}},
  {"elast_p1", "P1^d", elastic, {52, 12, 12}, 50, {4, 1, 1}, 0.05, RUNGALPHA, {"-ksp_rtol", "1e-10"}},
  {"elast_p2", "P2^d", elastic, {28, 8, 8}, 50, {4, 1, 1}, 0.05, RUNGALPHA, {"-ksp_rtol", "1e-10"}},
  {"neohookean_p2", "P2^d", neo_hookean, {20, 4, 4}, 20, {4, 1, 1}, 1, RUNGALPHA, {"-snes_rtol", "1e-8"}}};

static PetscErrorCode create_system(const Run *run, const PetscInt count[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, count, run->size));
  PetscCall(RungSpaceCreate(mesh, run->spec, &V));
  PetscCall(run->create(V, sys));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_stepper(const Run *run, RungSystem sys, Vec u, RungStepperStatistics *statistics)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, run->type));
  if (!strcmp(run->type, RUNGBDF))
    PetscCall(RungStepperSetMethod(stepper, "bdf2"));
  else
    PetscCall(RungStepperAlphaSetRadius(stepper, 0.8));
  PetscCall(RungStepperSetInterval(stepper, 0, run->dt * (PetscReal)run->steps, run->dt));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecCopy(state->u[0], u));
  PetscCall(RungStepperGetStatistics(stepper, statistics));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' on the history: 3/2 u1 - 2 u0 + 1/2 u(-1) over dt (backward Euler first); solve J d = r anew each step. */
static PetscErrorCode run_naive(const Run *run, RungSystem sys, Vec u, double *seconds)
{
  const double    start = bench_clock();
  const PetscReal dt    = run->dt;
  Vec             old[2], v, r, level[3];
  Mat             J;

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
  for (PetscInt n = 0; n < run->steps; ++n) {
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
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
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
  *seconds = bench_clock() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |u|/sqrt(n) */
static PetscErrorCode scaled_norm(Vec u, double *norm)
{
  PetscReal size;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(VecNorm(u, NORM_2, &size));
  PetscCall(VecGetSize(u, &n));
  *norm = (double)(size / PetscSqrtReal((PetscReal)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh, system, steps.  keep: the system for the naive run and the view, NULL: not wanted */
static PetscErrorCode run_whole(const Run *run, const PetscInt count[], double *seconds, double *norm,
                                RungStepperStatistics *statistics, RungSystem *keep)
{
  const double start = bench_clock();
  RungSystem   sys;
  Vec          u;

  PetscFunctionBegin;
  PetscCall(create_system(run, count, &sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(run_stepper(run, sys, u, statistics));
  *seconds = bench_clock() - start;
  PetscCall(scaled_norm(u, norm));
  PetscCall(VecDestroy(&u));
  if (keep)
    *keep = sys;
  else
    PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_naive(const Run *run, const char name[], RungSystem sys, double rung, double norm)
{
  double twin, size;
  Vec    u;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(run_naive(run, sys, u, &twin));
  PetscCall(scaled_norm(u, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: norm %.10g, of the twin %.10g, apart by %.1e (other start of BDF2)\n",
                        name, norm, size, fabs(size / norm - 1)));
  PetscCall(bench_line(name, rung, twin));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_dolfinx(const Run *run, const char name[], double rung, double norm)
{
  char   command[1024], line[256], found[64] = "", solver[64] = "";
  double seconds, other;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "/usr/bin/python3 " TWIN_DOLFINX " %s %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT
                          " %" PetscInt_FMT " %g %s 2>/dev/null",
                          name, run->count[0], run->count[1], run->count[2], run->steps, (double)run->dt,
                          run->tolerance[1]));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %lf %63s", found, &seconds, &other, solver) == 4 && !strcmp(found, name),
             PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package python3-dolfinx, which ./bootstrap bench installs",
             name);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: norm %.10g, of the twin (best with %s) %.10g, apart by %.1e; %s %s\n",
                        name, norm, solver, other, fabs(other / norm - 1), run->tolerance[0], run->tolerance[1]));
  PetscCall(bench_line(name, rung, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is NAME_twin asked for?  -bench_twin LIST of naive, dolfinx; both without it. */
static PetscErrorCode is_twin_wanted(const Run *run, const char twin[], size_t size, char name[], PetscBool *wanted)
{
  char      list[64];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "%s_%s", run->name, twin));
  PetscCall(bench_wanted(name, wanted));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_twin", list, sizeof list, &set));
  if (set && !strstr(list, twin)) *wanted = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -bench_twin none */
static PetscErrorCode runs_alone(const Run *run, PetscBool *alone)
{
  char      list[64] = "";
  PetscBool wanted;

  PetscFunctionBegin;
  PetscCall(bench_wanted(run->name, &wanted));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_twin", list, sizeof list, NULL));
  *alone = wanted && !strcmp(list, "none") ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const Run *run, double *seconds, double *norm, RungSystem *sys)
{
  RungStepperStatistics s;
  double                once;

  PetscFunctionBegin;
  PetscCall(run_whole(run, (PetscInt[]){2, 1, 1}, &once, norm, &s, NULL)); /* compiles */
  PetscCall(run_whole(run, run->count, seconds, norm, &s, NULL));
  PetscCall(run_whole(run, run->count, &once, norm, &s, sys));
  *seconds = PetscMin(*seconds, once);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s: %" PetscInt_FMT " steps, %" PetscInt_FMT " Newton and %" PetscInt_FMT
                        " linear iterations, %" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians, %" PetscInt_FMT
                        " factorisations; %.4g s\n",
                        run->name, s.steps, s.newton, s.linear, s.residuals, s.jacobians, s.factorisations, *seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const Run *run)
{
  PetscBool  naive, dolfinx, alone, set;
  char       name[2][64];
  RungSystem sys;
  double     seconds, norm;

  PetscFunctionBegin;
  PetscCall(is_twin_wanted(run, "naive", sizeof name[0], name[0], &naive));
  PetscCall(is_twin_wanted(run, "dolfinx", sizeof name[1], name[1], &dolfinx));
  PetscCall(runs_alone(run, &alone));
  if (run->create != create_heat) naive = PETSC_FALSE;
  if (!naive && !dolfinx && !alone) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, run->tolerance[0], &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, run->tolerance[0], run->tolerance[1]));
  PetscCall(measure(run, &seconds, &norm, &sys));
  PetscCall(RungSystemView(sys, NULL));
  if (naive) PetscCall(compare_naive(run, name[0], sys, seconds, norm));
  PetscCall(RungSystemDestroy(&sys));
  if (dolfinx) PetscCall(compare_dolfinx(run, name[1], seconds, norm));
  if (!set) PetscCall(PetscOptionsClearValue(NULL, run->tolerance[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole run, CPU seconds of the slowest rank, waiting included; printed for the parent. */
static PetscErrorCode be_child(void)
{
  const Run            *run = &runs[0];
  RungStepperStatistics statistics;
  double                seconds, slowest, norm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, run->tolerance[0], run->tolerance[1]));
  PetscCall(run_whole(run, (PetscInt[]){2, 1, 1}, &seconds, &norm, &statistics, NULL));
  PetscCall(run_whole(run, run->count, &seconds, &norm, &statistics, NULL));
  PetscCallMPI(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.9g %.9g\n", slowest, norm));
  PetscCall(PetscOptionsClearValue(NULL, run->tolerance[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What two ranks could reach if they shared nothing but the machine: two runs of one rank at the same time. */
static PetscErrorCode tell_limit(const char self[], double one)
{
  char   command[2 * PETSC_MAX_PATH_LEN + 128], line[256];
  double least = 1e30, beside, norm;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "sh -c '%s -bench_child & %s -bench_child; wait' 2>/dev/null | sort -g | tail -n 1", self,
                          self));
  for (int k = 0; k < 3; ++k) {
    PetscCall(bench_run(command, sizeof line, line));
    PetscCheck(sscanf(line, "%lf %lf", &beside, &norm) == 2, PETSC_COMM_WORLD, PETSC_ERR_LIB, "\"%s\" does not run",
               command);
    least = PetscMin(least, beside);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# ranks_heat: two runs of one rank side by side take %.4g s each, alone %.4g s: the machine "
                        "gives two ranks %.3g at most\n",
                        least, one, 2 * one / least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_ranks(const char self[])
{
  char   command[PETSC_MAX_PATH_LEN + 128], line[256];
  double least[2] = {1e30, 1e30}, seconds, norm[2];

  PetscFunctionBegin;
  for (int k = 0; k < 6; ++k) {
    const int i = k % 2;

    PetscCall(PetscSNPrintf(command, sizeof command,
                            "mpiexec --oversubscribe --mca mpi_yield_when_idle 1 --mca hwloc_base_binding_policy none "
                            "-n %d %s -bench_child 2>/dev/null | tail -n 1",
                            i + 1, self));
    PetscCall(bench_run(command, sizeof line, line));
    PetscCheck(sscanf(line, "%lf %lf", &seconds, &norm[i]) == 2, PETSC_COMM_WORLD, PETSC_ERR_LIB, "\"%s\" does not run",
               command);
    least[i] = PetscMin(least[i], seconds);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# ranks_heat: norm %.10g, of one rank %.10g, apart by %.1e\n", norm[1],
                        norm[0], fabs(norm[1] / norm[0] - 1)));
  PetscCall(tell_limit(self, least[0]));
  PetscCall(bench_line("ranks_heat", least[1], least[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool child, wanted;
  char      self[PETSC_MAX_PATH_LEN];

  PetscCall(RungInitialize(&argc, &argv, "Whole runs against re-assembling in every step, and against DOLFINx.\n"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_monitor", "false"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_child", &child));
  if (child) {
    PetscCall(be_child());
  } else {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# whole run from the mesh on, seconds of CPU time, one rank\n"));
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) PetscCall(compare(&runs[i]));
    PetscCall(bench_wanted("ranks_heat", &wanted));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_twin", &child));
    if (child) wanted = PETSC_FALSE;
    PetscCall(PetscGetFullPath(argv[0], self, sizeof self));
    if (wanted) PetscCall(compare_ranks(self));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_monitor"));
  PetscCall(RungFinalize());
  return 0;
}
