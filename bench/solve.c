/* solve.c - one linear solve: set-up and iterations of defaults, of what an option names, of p-multigrid; its twins.

   J = 15 M + K of heat on a cube (an implicit step) or K (poisson), K + M of elasticity (statics but for the free body),
   to 1e-8 for a right-hand side with all frequencies.  CPU seconds of one process; `fill` is the matrix with its
   pattern, `set-up` that of the preconditioner, `all` from the mesh to the first solution, `bytes` the growth of the
   resident set at its peak, divided by the number of unknowns.  Remarks have all of that; lines compare set-up + solve
   of p-multigrid (our side) with the solver after the underscore:

       q2_step_default, q2_step_jacobi (without a matrix), q2_step_hypre (tuned as docs/solvers.md says)

   and, in the cases of twins, the solve alone, or `all` where the name says so, then of processes of their own, which find
   memory as it is at a start, the least of three:

       dealii_{q1,q2,q4}_{step,poisson,all}_{double,float}  deal.II's multigrid without matrices, levels in double or
                                                            float; all: the step
       amg_{p1,p2}_tet_{step,all}                           the better one of hypre, tuned, and GAMG, each with the mesh,
                                                            dofs and matrix of this library
                                                            (ours is the default, of 20 solves ahead in step and poisson, of
                                                            one in all)
       elasticity_{q2,p2_tet}_before                        `all` of our default; CG with ICC(1), that of commit e1f8518
       ranks_pcmg                                           a solve of Q2: rung is two ranks, the slower one, twin one

   -bench_entries N   about so many unknowns, default 100000; 65^3 and 97^3 fit all cubes
   -bench_height H    of the cube, default 1: cells become flat
   -bench_solves N    solves that are ahead, default 0: nobody knows */
#include "bench.h"
#include <malloc.h>
#include <string.h>

#if !defined(TWIN_THERE)
  #define TWIN_THERE 0
#endif

typedef struct {
  const char *name, *cell, *spec, *residual;
  PetscInt    degree;
  PetscBool   steady; /* K alone, u = 0 on all sides */
} Problem;

#define HEAT    "dt(u)*v*dx + inner(grad(u), grad(v))*dx"
#define ELASTIC "inner(dt(u), v)*dx + (inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx"

static const Problem problems[] = {
  {"q1_step", "hexahedron", "Q1", HEAT, 1, PETSC_FALSE},
  {"q2_step", "hexahedron", "Q2", HEAT, 2, PETSC_FALSE},
  {"q4_step", "hexahedron", "Q4", HEAT, 4, PETSC_FALSE},
  {"p1_tet_step", "tetrahedron", "P1", HEAT, 1, PETSC_FALSE},
  {"p2_tet_step", "tetrahedron", "P2", HEAT, 2, PETSC_FALSE},
  {"elasticity_q2", "hexahedron", "Q2^d", ELASTIC, 2, PETSC_FALSE},
  {"elasticity_p2_tet", "tetrahedron", "P2^d", ELASTIC, 2, PETSC_FALSE},
  {"q1_poisson", "hexahedron", "Q1", HEAT, 1, PETSC_TRUE},
  {"q2_poisson", "hexahedron", "Q2", HEAT, 2, PETSC_TRUE},
  {"q4_poisson", "hexahedron", "Q4", HEAT, 4, PETSC_TRUE},
};

typedef enum { DEFAULT, JACOBI, HYPRE, LEVELS, KINDS, GAMG = KINDS, BEFORE, ALL_KINDS } Kind;
static const char *const kinds[] = {"default", "jacobi", "hypre", "pmg", "gamg", "before"};

#define APART 3 /* processes for one `all` */

typedef struct {
  double   fill, setup, solve, all, bytes;
  PetscInt iterations, entries;
  char     pc[32];
} Result;

/* Options of a kind, pairs; the first word after a row of NULLs ends. */
static const char *const options[ALL_KINDS][7][2] = {
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
  [GAMG]    = {{"-ksp_type", "cg"}, {"-pc_type", "gamg"}, {NULL}},
  [BEFORE] =
    {{"-system_mat_type", "aij"}, {"-ksp_type", "cg"}, {"-pc_type", "icc"}, {"-pc_factor_levels", "1"}, {NULL}},
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
  PetscCall(RungSystemSetDirichlet(*sys, "u", problem->steady ? "boundary" : "left", "0"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetSolvesAhead(*sys, ahead, 0));
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
    if (!again) result->all = bench_clock();
  }
  PetscCall(KSPGetIterationNumber(ksp, &result->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0) result->iterations = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Problem *problem, Kind kind, PetscInt entries, Result *result)
{
  const double        sigma = problem->steady ? 0 : strchr(problem->spec, '^') ? 1 : 15;
  const RungLine      line  = {.slope = {1, sigma}};
  RungTransientSystem ts;
  RungSystem          sys;
  double              before, start;
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
  start = bench_clock();
  PetscCall(create(problem, entries, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecZeroEntries(x));
  PetscCall(VecGetSize(x, &result->entries));
  PetscCall(prepare(sys, ts, &line, x, &J, &ksp, result));
  PetscCall(solve(ksp, b, x, result));
  result->all -= start;
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
                        " unknowns: fill %.3f, set-up %.3f + solve %.3f s (%" PetscInt_FMT "), all %.3f, %.0f bytes\n",
                        problem->name, kinds[kind], result->pc, result->entries, result->fill, result->setup,
                        result->solve, result->iterations, result->all, result->bytes));
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

/* ---- twins ------------------------------------------------------------------------------------------------------- */

/* With -bench_child CASE_KIND: CPU seconds of the slowest rank, waiting for messages included. */
static PetscErrorCode be_child(const char child[], PetscInt entries)
{
  Result mine = {0};
  double second[2];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(problems); ++i) {
    for (int kind = 0; kind < ALL_KINDS; ++kind) {
      char name[64];

      PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s", problems[i].name, kinds[kind]));
      if (!strcmp(name, child)) PetscCall(run(&problems[i], (Kind)kind, entries, &mine));
    }
  }
  second[0] = mine.solve;
  second[1] = mine.all;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, second, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "child %.9g %.9g %" PetscInt_FMT "\n", second[0], second[1], mine.entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What be_child() says, started after `launcher`; the least of what was there before. */
static PetscErrorCode run_child(const char launcher[], const char child[], PetscInt solves, PetscInt entries,
                                Result *least)
{
  char      command[PETSC_MAX_PATH_LEN + 256], given[PETSC_MAX_PATH_LEN], self[PETSC_MAX_PATH_LEN], line[256] = "";
  double    solve, all;
  PetscReal height = 1;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_height", &height, NULL));
  PetscCall(PetscGetProgramName(given, sizeof given));
  PetscCall(PetscGetFullPath(given, self, sizeof self));
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "%s %s -bench_child %s -bench_entries %" PetscInt_FMT " -bench_solves %" PetscInt_FMT
                          " -bench_height %g | grep ^child",
                          launcher, self, child, entries, solves, (double)height));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "child %lf %lf %" PetscInt_FMT, &solve, &all, &entries) == 3 && entries, PETSC_COMM_WORLD,
             PETSC_ERR_LIB, "\"%s\" does not run", command);
  least->solve   = least->entries ? PetscMin(least->solve, solve) : solve;
  least->all     = least->entries ? PetscMin(least->all, all) : all;
  least->entries = entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `all` of a problem in processes of their own. */
static PetscErrorCode run_apart(const Problem *problem, Kind kind, PetscInt solves, PetscInt entries, Result *least)
{
  char child[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(child, sizeof child, "%s_%s", problem->name, kinds[kind]));
  for (int i = 0; i < APART; ++i) PetscCall(run_child("", child, solves, entries, least));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %-18s %-8s %8" PetscInt_FMT " unknowns, apart: all %.3f\n", problem->name,
                        kinds[kind], least->entries, least->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default of so many solves. */
static PetscErrorCode run_default(const Problem *problem, const char solves[], PetscInt entries, Result *result)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-bench_solves", solves));
  PetscCall(run(problem, DEFAULT, entries, result));
  PetscCall(PetscOptionsClearValue(NULL, "-bench_solves"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Problem *find_problem(const char name[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(problems); ++i)
    if (!strcmp(problems[i].name, name)) return &problems[i];
  return NULL;
}

/* CASE of solve_dealii.cc on as many unknowns. */
static PetscErrorCode run_dealii(const char name[], const Problem *problem, PetscInt entries, Result *twin)
{
  char     command[PETSC_MAX_PATH_LEN + 128], line[256], who[64];
  double   solve, all;
  PetscInt n    = (PetscInt)(PetscPowReal((PetscReal)entries, 1. / 3) - 1 + 1e-9) / problem->degree;
  int      dofs = 0, its = 0, lanes = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof command, TWIN_SOLVE " %s %" PetscInt_FMT, name, n));
  twin->solve = twin->all = PETSC_INFINITY;
  for (int i = 0; i < APART; ++i) {
    line[0] = who[0] = 0;
    PetscCall(bench_run(command, sizeof line, line));
    PetscCheck(sscanf(line, "%63s %lf %lf %d %d %d", who, &solve, &all, &dofs, &its, &lanes) == 6 &&
                 !strcmp(who, name) && dofs == entries,
               PETSC_COMM_WORLD, PETSC_ERR_LIB,
               "the twin of %s does not run; it needs the package libdeal.ii-dev, which ./bootstrap bench installs",
               name);
    twin->solve = PetscMin(twin->solve, solve);
    twin->all   = PetscMin(twin->all, all);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d unknowns, %d lanes: solve %.3f s (%d), all %.3f\n", name, dofs,
                        lanes, twin->solve, its, twin->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines NAME_step_.., NAME_poisson_.. and NAME_all_.., which is the step, for levels in double and in float. */
static PetscErrorCode against_dealii(const char element[], PetscInt entries)
{
  static const char *const kind[] = {"step", "poisson"}, *const number[] = {"double", "float"};

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    Result    mine = {0}, once = {0}, twin;
    char      name[64];
    PetscBool wanted, all;

    for (int f = 0; f < 2; ++f) {
      PetscCall(PetscSNPrintf(name, sizeof name, "dealii_%s_all_%s", element, number[f]));
      PetscCall(bench_wanted(name, &all));
      PetscCall(PetscSNPrintf(name, sizeof name, "dealii_%s_%s_%s", element, kind[k], number[f]));
      PetscCall(bench_wanted(name, &wanted));
      if (k) all = PETSC_FALSE;
      if (!wanted && !all) continue;
      PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s", element, kind[k]));
      if (wanted && !mine.entries) PetscCall(run_default(find_problem(name), "20", entries, &mine));
      if (all && !once.entries) PetscCall(run_apart(find_problem(name), DEFAULT, 1, entries, &once));
      PetscCall(PetscSNPrintf(name, sizeof name, "dealii_%s_%s_%s", element, kind[k], number[f]));
      PetscCall(run_dealii(name,
                           element[1] == '1'   ? find_problem("q1_step")
                           : element[1] == '2' ? find_problem("q2_step")
                                               : find_problem("q4_step"),
                           mine.entries ? mine.entries : once.entries, &twin));
      if (wanted) PetscCall(bench_line(name, mine.solve, twin.solve));
      PetscCall(PetscSNPrintf(name, sizeof name, "dealii_%s_all_%s", element, number[f]));
      if (all) PetscCall(bench_line(name, once.all, twin.all));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode against_amg(const char element[], PetscInt entries)
{
  static const Kind by_hand[2] = {HYPRE, GAMG};
  Result            mine = {0}, once = {0}, amg[2] = {{0}}, amg_once[2] = {{0}};
  char              name[2][64], step[64];
  PetscBool         wanted[2];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name[0], sizeof name[0], "amg_%s_step", element));
  PetscCall(PetscSNPrintf(name[1], sizeof name[1], "amg_%s_all", element));
  PetscCall(PetscSNPrintf(step, sizeof step, "%s_step", element));
  for (int i = 0; i < 2; ++i) PetscCall(bench_wanted(name[i], &wanted[i]));
  if (wanted[0]) PetscCall(run_default(find_problem(step), "20", entries, &mine));
  if (wanted[1]) PetscCall(run_apart(find_problem(step), DEFAULT, 1, entries, &once));
  for (int k = 0; k < 2; ++k) {
    if (wanted[0]) PetscCall(run(find_problem(step), by_hand[k], entries, &amg[k]));
    if (wanted[1]) PetscCall(run_apart(find_problem(step), by_hand[k], 1, entries, &amg_once[k]));
  }
  if (wanted[0]) PetscCall(bench_line(name[0], mine.solve, PetscMin(amg[0].solve, amg[1].solve)));
  if (wanted[1]) PetscCall(bench_line(name[1], once.all, PetscMin(amg_once[0].all, amg_once[1].all)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode against_before(const char problem[], PetscInt entries)
{
  Result    mine = {0}, before = {0};
  char      name[64];
  PetscBool wanted;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "%s_before", problem));
  PetscCall(bench_wanted(name, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_default(find_problem(problem), "1", entries, &mine));
  PetscCall(PetscOptionsSetValue(NULL, "-bench_solves", "1"));
  PetscCall(run(find_problem(problem), BEFORE, entries, &before));
  PetscCall(PetscOptionsClearValue(NULL, "-bench_solves"));
  PetscCall(bench_line(name, mine.all, before.all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode against_one_rank(PetscInt entries)
{
  Result    least[2] = {{0}};
  char      launcher[64];
  PetscBool wanted;

  PetscFunctionBegin;
  PetscCall(bench_wanted("ranks_pcmg", &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 12; ++i) { /* two processes vary by a third on a machine that others share */
    PetscCall(
      PetscSNPrintf(launcher, sizeof launcher, "mpiexec --oversubscribe --mca mpi_yield_when_idle 1 -n %d", 1 + i % 2));
    PetscCall(run_child(launcher, "q2_step_pmg", 0, entries, &least[i % 2]));
  }
  PetscCall(bench_line("ranks_pcmg", least[1].solve, least[0].solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const elements[] = {"q1", "q2", "q4"};
  PetscInt                 entries    = 100000;
  char                     name[64];
  PetscBool                child, asked;

  PetscCall(RungInitialize(&argc, &argv, "Linear solves: defaults, options, p-multigrid, twins.\n"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_entries", &entries, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_child", name, sizeof name, &child));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_case", &asked));
  if (child)
    PetscCall(be_child(name, entries));
  else {
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(problems); ++i) PetscCall(compare(&problems[i], entries));
    for (int i = 0; i < 3 && (asked || TWIN_THERE); ++i) PetscCall(against_dealii(elements[i], entries));
    PetscCall(against_amg("p1_tet", entries));
    PetscCall(against_amg("p2_tet", entries));
    PetscCall(against_before("elasticity_q2", entries));
    PetscCall(against_before("elasticity_p2_tet", entries));
    PetscCall(against_one_rank(entries));
  }
  PetscCall(RungFinalize());
  return 0;
}
