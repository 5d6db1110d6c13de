/* solve.c - one linear solve: set-up and iterations of what is chosen by default, of what an option names, and of p-multigrid.

   J = 15 M + K of heat on a cube (an implicit step), K + M of elasticity (statics but for the free body), to 1e-8 for a
   right-hand side with all frequencies.  CPU seconds of one process; `fill` is the matrix with its pattern, `set-up` that of the
   preconditioner, `bytes` the growth of the resident set at its peak, divided by the number of unknowns.  Remarks have all of
   that; lines compare set-up + solve of p-multigrid (our side) with the solver after the underscore:

       q2_step_default, q2_step_jacobi (without a matrix), q2_step_hypre (tuned as docs/solvers.md says)

   -bench_entries N   about so many unknowns, default 100000
   -bench_height H    of the cube, default 1: cells become flat
   -bench_solves N    solves that are ahead, default 0: nobody knows                                                    */
#include "bench.h"
#include <malloc.h>
#include <string.h>

typedef struct {
  const char *name, *cell, *spec, *residual;
  PetscInt    degree;
} Problem;

#define HEAT    "dt(u)*v*dx + inner(grad(u), grad(v))*dx"
#define ELASTIC "inner(dt(u), v)*dx + (inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx"

static const Problem problems[] = {
  {"q1_step", "hexahedron", "Q1", HEAT, 1},
  {"q2_step", "hexahedron", "Q2", HEAT, 2},
  {"q4_step", "hexahedron", "Q4", HEAT, 4},
  {"p1_tet_step", "tetrahedron", "P1", HEAT, 1},
  {"p2_tet_step", "tetrahedron", "P2", HEAT, 2},
  {"elasticity_q2", "hexahedron", "Q2^d", ELASTIC, 2},
  {"elasticity_p2_tet", "tetrahedron", "P2^d", ELASTIC, 2},
};

typedef enum { DEFAULT, JACOBI, HYPRE, LEVELS, KINDS } Kind;
static const char *const kinds[] = {"default", "jacobi", "hypre", "pmg"};

typedef struct {
  double   fill, setup, solve, bytes;
  PetscInt iterations, entries;
  char     pc[32];
} Result;

/* Options of a kind, pairs; the first word after a row of NULLs ends. */
static const char *const options[KINDS][7][2] = {
  [DEFAULT] = {{NULL}},
  [JACOBI]  = {{"-system_mat_type", "shell"}, {NULL}},
  [HYPRE]   = {{"-ksp_type", "cg"},
               {"-pc_type", "hypre"},
               {"-pc_hypre_boomeramg_strong_threshold", "0.5"},
               {"-pc_hypre_boomeramg_coarsen_type", "HMIS"},
               {"-pc_hypre_boomeramg_interp_type", "ext+i"},
               {"-pc_hypre_boomeramg_agg_nl", "1"},
               {"-pc_hypre_boomeramg_P_max", "4"}},
  [LEVELS]  = {{"-system_mat_type", "shell"}, {"-pc_type", "mg"}, {NULL}},
};

static PetscErrorCode set_options(Kind kind, PetscBool set)
{
  PetscFunctionBegin;
  for (int i = 0; i < 7 && options[kind][i][0]; ++i) {
    if (set)
      PetscCall(PetscOptionsSetValue(NULL, options[kind][i][0], options[kind][i][1]));
    else
      PetscCall(PetscOptionsClearValue(NULL, options[kind][i][0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the resident set, now or at its peak since forget_peak(). */
static double resident(const char key[])
{
  FILE  *file = fopen("/proc/self/status", "r");
  char   line[256];
  double kb = 0;

  while (file && fgets(line, sizeof line, file)) {
    if (!strncmp(line, key, strlen(key))) kb = atof(line + strlen(key) + 1);
  }
  if (file) (void)fclose(file);
  return 1024 * kb;
}

static void forget_peak(void)
{
  FILE *file = fopen("/proc/self/clear_refs", "w");

  if (file) (void)fputs("5", file), (void)fclose(file);
}

static PetscErrorCode create(const Problem *problem, PetscInt entries, RungSystem *sys)
{
  const PetscInt components = strchr(problem->spec, '^') ? 3 : 1;
  PetscInt       n = 1, ahead = 0;
  PetscReal      height = 1;
  RungMesh       mesh;
  RungSpace      space;

  PetscFunctionBegin;
  while (components * PetscPowRealInt((PetscReal)(problem->degree * (n + 1) + 1), 3) <= (PetscReal)entries) ++n;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_height", &height, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_solves", &ahead, NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, problem->cell, 3, (PetscInt[]){n, n, n}, (PetscReal[]){1, 1, height}));
  PetscCall(RungSpaceCreate(mesh, problem->spec, &space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetSolvesAhead(*sys, ahead));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix on the line u = w, dt(u) = slope w, and the solver as a stepper would make them. */
static PetscErrorCode prepare(RungSystem sys, RungTransientSystem ts, const RungLine *line, Vec w, Mat *J, KSP *ksp,
                              Result *result)
{
  PetscBool tune;
  double    start;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(RungSystemWantsTuning(sys, *ksp, &tune));
  start = bench_clock();
  if (tune)
    PetscCall(RungSystemCreateKeptMat(sys, *ksp, J));
  else
    PetscCall(RungSystemCreateStageMat(sys, J));
  result->fill = bench_clock() - start;
  start        = bench_clock();
  PetscCall(RungSystemSetSolverDefaults(sys, *ksp, RUNG_SOLVE_KEPT));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(RungSystemCheckSolver(sys, *ksp));
  if (tune)
    PetscCall(RungTransientSystemTuneSolver(ts, 0, line, w, J, *ksp));
  else
    PetscCall(RungTransientSystemStageJacobian(ts, 0, line, w, *J));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPSetOperators(*ksp, *J, *J));
  PetscCall(KSPSetUp(*ksp));
  PetscCall(KSPSetUpOnBlocks(*ksp));
  result->setup = bench_clock() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_all_frequencies(Vec b)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayWrite(b, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] = (PetscReal)((unsigned)i * 2654435761u >> 16) / 65536 - 0.4;
  PetscCall(VecRestoreArrayWrite(b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(KSP ksp, Vec b, Vec x, Result *result)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(set_all_frequencies(b));
  result->solve = PETSC_INFINITY;
  for (int again = 0; again < 3; ++again) {
    const double start = bench_clock();

    PetscCall(KSPSolve(ksp, b, x));
    result->solve = PetscMin(result->solve, bench_clock() - start);
  }
  PetscCall(KSPGetIterationNumber(ksp, &result->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0) result->iterations = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Problem *problem, Kind kind, PetscInt entries, Result *result)
{
  const double        sigma = strchr(problem->spec, '^') ? 1 : 15;
  const RungLine      line  = {.slope = {1, sigma}};
  RungTransientSystem ts;
  RungSystem          sys;
  double              before;
  PCType              type;
  PC                  pc;
  KSP                 ksp;
  Mat                 J;
  Vec                 x, b;

  PetscFunctionBegin;
  PetscCall(set_options(kind, PETSC_TRUE));
  (void)malloc_trim(0); /* what the solve before has left */
  before = resident("VmRSS:");
  forget_peak();
  PetscCall(create(problem, entries, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecZeroEntries(x));
  PetscCall(VecGetSize(x, &result->entries));
  PetscCall(prepare(sys, ts, &line, x, &J, &ksp, result));
  PetscCall(solve(ksp, b, x, result));
  result->bytes = (resident("VmHWM:") - before) / (double)result->entries;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscStrncpy(result->pc, type, sizeof result->pc));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(set_options(kind, PETSC_FALSE));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %-18s %-8s %-8s %8" PetscInt_FMT
                        " unknowns: fill %.3f, set-up %.3f + solve %.3f s (%" PetscInt_FMT "), %.0f bytes\n",
                        problem->name, kinds[kind], result->pc, result->entries, result->fill, result->setup,
                        result->solve, result->iterations, result->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* hypre takes scalars. */
static PetscErrorCode compare(const Problem *problem, PetscInt entries)
{
  Result result[KINDS] = {{0}};

  PetscFunctionBegin;
  for (int k = KINDS - 1; k >= 0; --k) { /* ours first */
    const Kind kind = (Kind)k;
    char       name[64];
    PetscBool  wanted;

    PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s", problem->name, kinds[kind]));
    PetscCall(bench_wanted(name, &wanted));
    if (!wanted || (kind == HYPRE && strchr(problem->spec, '^'))) continue;
    PetscCall(run(problem, kind, entries, &result[kind]));
    if (kind == LEVELS || !result[LEVELS].entries) continue;
    PetscCall(bench_line(name, result[LEVELS].setup + result[LEVELS].solve, result[kind].setup + result[kind].solve));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt entries = 100000;

  PetscCall(RungInitialize(&argc, &argv, "Linear solves: defaults, options, p-multigrid.\n"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_entries", &entries, NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(problems); ++i) PetscCall(compare(&problems[i], entries));
  PetscCall(RungFinalize());
  return 0;
}
