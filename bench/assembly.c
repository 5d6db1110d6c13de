/* assembly.c - matrix and residual assembly against DOLFINx or deal.II: zero, gather, kernel, scatter; ns per cell.

   The twin is a program of its own (assembly_dolfinx.py, assembly_dealii.cc) that assembles the same form, with the same
   quadrature, at the same state on the same box and prints `case ns norm`; norms are compared.  Both sides take the least
   CPU time of several repeats on one rank, ours before and after the twin.

   insertion_.. dense blocks that lie in cache into an AIJ matrix, ns per entry with zeroing and the end of assembly;
                twin: MatSetValuesLocal
   .._kept      a Jacobian whose constant blocks are kept from the time before; twin: the same, all of it assembled, as in
                the rows .._matrix
   memory_p2    MiB at the peak of a program that assembles the P2 matrix
   ranks_..     seconds of one and of two ranks; rung is two ranks, twin one

   Try   ./assembly
         ./assembly -bench_case p1_tet,insertion
         ./assembly -bench_twin none
         ./assembly -bench_twin dealii                                                                                */
#include "bench.h"
#include <sys/resource.h>

#define REPEATS 8
#define S1      10. /* sigma of the first time derivative */

#define NEO_HOOKEAN                                                                                                    \
  {"F", "I + grad(u)"},                                                                                                \
  {                                                                                                                    \
    "P", "(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F))"                                                   \
  }
#define NAVIER_STOKES                                                                                                  \
  "inner(dot(grad(u), u), v)*dx(degree: 5) + 0.01*inner(grad(u), grad(v))*dx(degree: 5) - p*div(v)*dx(degree: 5)"      \
  " + q*div(u)*dx(degree: 5)"
#define CAHN_HILLIARD                                                                                                  \
  "dt(u)*v*dx(degree: 4) + inner(grad(p), grad(v))*dx(degree: 4) + p*q*dx(degree: 4) - diff(W, u)*q*dx(degree: 4)"     \
  " - 0.01*inner(grad(u), grad(q))*dx(degree: 4)"

/* the symmetric interior penalty method */
#define SIPG                                                                                                           \
  "inner(grad(u), grad(v))*dx(degree: 2) - inner(avg(grad(u)), jump(v, n))*dS(degree: 2)"                              \
  " - inner(jump(u, n), avg(grad(v)))*dS(degree: 2) + 100*jump(u)*jump(v)*dS(degree: 2)"

typedef struct {
  BenchForm form;
  PetscBool matrix;  /* else the residual                                     */
  PetscBool dolfinx; /* which twins have it                                   */
  PetscBool dealii;
} Row;

static const Row rows[] = {
  {{"p1_tet_poisson_matrix", "tetrahedron", "P1", {{0}}, "inner(grad(u), grad(v))*dx", 48, 0}, 1, 1, 0},
  {{"p2_tet_poisson_matrix", "tetrahedron", "P2", {{0}}, "inner(grad(u), grad(v))*dx", 28, 0}, 1, 1, 0},
  {{"p1_tet_poisson_residual", "tetrahedron", "P1", {{0}}, "inner(grad(u), grad(v))*dx", 48, 0}, 0, 1, 0},
  {{"p2_tet_poisson_residual", "tetrahedron", "P2", {{0}}, "inner(grad(u), grad(v))*dx", 28, 0}, 0, 1, 0},
  {{"p1_tet_neohookean_matrix", "tetrahedron", "P1^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 0)", 32, 0},
   1,
   1,
   0},
  {{"p2_tet_neohookean_matrix", "tetrahedron", "P2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 2)", 16, 0},
   1,
   1,
   0},
  {{"p1_tet_neohookean_residual", "tetrahedron", "P1^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 0)", 32, 0},
   0,
   1,
   0},
  {{"p2_tet_neohookean_residual", "tetrahedron", "P2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 2)", 16, 0},
   0,
   1,
   0},
  {{"taylor_hood_2d_matrix", "triangle", "P2^2", {{0}}, NAVIER_STOKES, 96, "P1"}, 1, 1, 0},
  {{"taylor_hood_2d_residual", "triangle", "P2^2", {{0}}, NAVIER_STOKES, 96, "P1"}, 0, 1, 0},
  {{"cahn_hilliard_matrix", "triangle", "P1", {{"W", "100*u^2*(1 - u)^2"}}, CAHN_HILLIARD, 128, "P1"}, 1, 1, 0},
  {{"cahn_hilliard_residual", "triangle", "P1", {{"W", "100*u^2*(1 - u)^2"}}, CAHN_HILLIARD, 128, "P1"}, 0, 1, 0},
  {{"dg1_tet_sipg_matrix", "tetrahedron", "DP1", {{0}}, SIPG, 16, 0}, 1, 1, 0},
  {{"dg1_tet_sipg_residual", "tetrahedron", "DP1", {{0}}, SIPG, 16, 0}, 0, 1, 0},
  {{"q1_hex_laplace_matrix", "hexahedron", "Q1", {{0}}, "inner(grad(u), grad(v))*dx", 24, 0}, 1, 0, 1},
  {{"q2_hex_laplace_matrix", "hexahedron", "Q2", {{0}}, "inner(grad(u), grad(v))*dx(degree: 4)", 12, 0}, 1, 1, 1},
  {{"q2_hex_laplace_residual", "hexahedron", "Q2", {{0}}, "inner(grad(u), grad(v))*dx(degree: 4)", 12, 0}, 0, 1, 0},
  {{"q2_hex_neohookean_matrix", "hexahedron", "Q2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 4)", 6, 0}, 1, 1, 0},
  {{"q2_hex_neohookean_residual", "hexahedron", "Q2^d", {NEO_HOOKEAN}, "inner(P, grad(v))*dx(degree: 4)", 6, 0},
   0,
   1,
   0},
};

static const Row *find_row(const char name[])
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (!strcmp(rows[i].form.name, name)) return &rows[i];
  return NULL;
}

static double count_cells(const BenchForm *form)
{
  const double n = (double)form->count;

  return form->cell[0] == 'h' ? n * n * n : form->cell[1] == 'e' ? 6 * n * n * n : 2 * n * n;
}

/* ---- the twin --------------------------------------------------------------------------------------------------- */

typedef struct {
  double ns, norm, memory; /* norm < 0: not told */
} Twin;

static PetscErrorCode run_twin(const char twin[], const BenchForm *form, const char more[], Twin *result)
{
  char        command[1024], name[64] = "", line[256];
  const char *package;
  PetscBool   dolfinx, dealii;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(twin, "dolfinx", &dolfinx));
  PetscCall(PetscStrcmp(twin, "dealii", &dealii));
  PetscCheck(dolfinx || dealii, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "-bench_twin is \"%s\"; twins are dolfinx, dealii and none", twin);
  package      = dolfinx ? "python3-dolfinx" : "libdeal.ii-dev";
  result->norm = -1;
  PetscCall(PetscSNPrintf(command, sizeof command, "%s %s %" PetscInt_FMT " %s 2>/dev/null",
                          dolfinx ? "/usr/bin/python3 " TWIN_DOLFINX : TWIN_DEALII, form->name, form->count, more));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %lf %lf", name, &result->ns, &result->norm, &result->memory) >= 2 &&
               strcmp(name, form->name) == 0 && result->ns > 0,
             PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of %s does not run; it needs the package %s, which ./bootstrap bench installs", form->name,
             package);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms ------------------------------------------------------------------------------------------------------ */

/* 1e-3 sin(3x + 2y + z + component) at the nodes of every unknown: no form is at its trivial point. */
static PetscErrorCode fill_state(RungSystem sys, Vec u)
{
  RungLayout            layout;
  const RungLayoutData *data;
  PetscScalar          *array;

  PetscFunctionBegin;
  PetscCall(RungSystemGetLayout(sys, &layout));
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(VecGetArray(u, &array));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *space;
    const RungMeshData  *mesh;

    PetscCall(RungSpaceGetData(data->space[f], &space));
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    for (PetscInt i = 0; i < space->owned; ++i) {
      const PetscReal *x     = space->x + i * mesh->dim;
      const PetscReal  angle = 3 * x[0] + 2 * x[1] + (mesh->dim > 2 ? x[2] : 0);

      for (PetscInt a = 0; a < space->components; ++a)
        array[RungLayoutDof(layout, f, i, a)] = 1e-3 * PetscSinReal(angle + (PetscReal)a);
    }
  }
  PetscCall(VecRestoreArray(u, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungSystem sys;
  Vec        u, rate, r;
  Mat        J;
} Problem;

static PetscErrorCode create_problem(const Row *row, Problem *p)
{
  PetscFunctionBegin;
  PetscCall(bench_system(&row->form, "c", &p->sys));
  PetscCall(RungSystemCreateVec(p->sys, &p->u));
  PetscCall(VecDuplicate(p->u, &p->rate));
  PetscCall(VecDuplicate(p->u, &p->r));
  PetscCall(VecZeroEntries(p->rate));
  p->J = NULL;
  if (row->matrix) PetscCall(RungSystemCreateMat(p->sys, &p->J));
  PetscCall(fill_state(p->sys, p->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_problem(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->J));
  PetscCall(VecDestroy(&p->r));
  PetscCall(VecDestroy(&p->rate));
  PetscCall(VecDestroy(&p->u));
  PetscCall(RungSystemDestroy(&p->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(const Row *row, Problem *p)
{
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  Vec       u[3]                                            = {p->u, p->rate, NULL};
  const int unknowns                                        = row->form.spec2 ? 2 : 1;

  PetscFunctionBegin;
  for (int f = 0; f < unknowns; ++f) sigma[f] = 1, sigma[unknowns + f] = S1;
  if (row->matrix)
    PetscCall(RungSystemJacobian(p->sys, 0, u, sigma, p->J));
  else
    PetscCall(RungSystemResidual(p->sys, 0, u, p->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode norm_of(const Row *row, const Problem *p, double *norm)
{
  PetscReal value;

  PetscFunctionBegin;
  if (row->matrix)
    PetscCall(MatNorm(p->J, NORM_FROBENIUS, &value));
  else
    PetscCall(VecNorm(p->r, NORM_2, &value));
  *norm = (double)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Jacobian again and again, as Newton's method asks for it: with its constant blocks kept, and whole. */
static PetscErrorCode measure_kept(const char name[], const char matrix[])
{
  const Row *row      = find_row(matrix);
  double     least[2] = {1e30, 1e30}, norm[2];
  Problem    p[2];

  PetscFunctionBegin;
  for (int kept = 0; kept < 2; ++kept) {
    PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", kept ? "true" : "false"));
    PetscCall(create_problem(row, &p[kept]));
  }
  for (int i = 0; i < 2 * REPEATS; ++i)
    for (int kept = 0; kept < 2; ++kept) {
      const double start = bench_clock();

      PetscCall(assemble(row, &p[kept]));
      least[kept] = PetscMin(least[kept], bench_clock() - start);
    }
  for (int kept = 0; kept < 2; ++kept) {
    PetscCall(norm_of(row, &p[kept], &norm[kept]));
    PetscCall(destroy_problem(&p[kept]));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", "false"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: constant blocks kept against all assembled, norms apart by %.1e\n",
                        name, fabs(norm[1] / norm[0] - 1)));
  PetscCall(bench_line(name, 1e9 * least[1] / count_cells(&row->form), 1e9 * least[0] / count_cells(&row->form)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What must cross the memory bus at least: values written once, connectivity and coordinates read once; of a product the
   values, columns and vectors. */
static PetscErrorCode report_roof(const char name[], const Problem *p, double cells, double seconds, double triad)
{
  const double start = bench_clock();
  MatInfo      info;
  PetscInt     n;
  double       assembly, product, time;
  const double index = (double)sizeof(PetscInt);
  const int    times = 5;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(p->J, MAT_LOCAL, &info));
  PetscCall(VecGetLocalSize(p->u, &n));
  for (int i = 0; i < times; ++i) PetscCall(MatMult(p->J, p->u, p->r));
  time     = (bench_clock() - start) / times;
  assembly = 8 * info.nz_used + cells * 4 * index + 8. * (double)n;
  product  = (8 + index) * info.nz_used + (16 + index) * (double)n;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s: assembly reaches %.0f %% and MatMult (%.2f ms) %.0f %% of the triad's %.1f GB/s\n", name,
                        100 * assembly / seconds / triad, 1e3 * time, 100 * product / time / triad, 1e-9 * triad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const Row *row, const char twin[], double triad)
{
  const double cells = count_cells(&row->form);
  double       least = 1e30, norm;
  Twin         other = {NAN, -1, 0};
  Problem      p;

  PetscFunctionBegin;
  PetscCall(create_problem(row, &p));
  for (int i = 0; i < 2 * REPEATS; ++i) {
    const double start = bench_clock();

    PetscCall(assemble(row, &p));
    least = PetscMin(least, bench_clock() - start);
    if (i == REPEATS - 1 && strcmp(twin, "none") != 0) PetscCall(run_twin(twin, &row->form, "", &other));
  }
  PetscCall(norm_of(row, &p, &norm));
  if (other.norm >= 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: norm %.10g, of the twin %.10g, apart by %.1e\n", row->form.name,
                          norm, other.norm, fabs(norm / other.norm - 1)));
  PetscCall(bench_line(row->form.name, 1e9 * least / cells, other.ns));
  if (row->matrix) PetscCall(report_roof(row->form.name, &p, cells, least, triad));
  PetscCall(destroy_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- insertion -------------------------------------------------------------------------------------------------- */

enum { LANES = 8 };

/* Blocks of eight cells at a time, [row][column][lane]. */
static PetscErrorCode insert_blocks(RungLayout layout, const RungLayoutData *data, const PetscScalar block[], Mat J)
{
  const PetscInt n = data->cell_dofs;

  PetscFunctionBegin;
  PetscCall(RungLayoutInsertBegin(layout, J));
  for (PetscInt c = 0; c < data->cells; c += LANES) {
    PetscInt cell[LANES], count = PetscMin(LANES, data->cells - c);

    for (PetscInt l = 0; l < count; ++l) cell[l] = c + l;
    PetscCall(RungLayoutInsertCells(layout, J, count, cell, block, n * LANES, LANES));
  }
  PetscCall(RungLayoutInsertEnd(layout, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode insert_values(const RungLayoutData *data, const PetscScalar block[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(MatZeroEntries(J));
  for (PetscInt c = 0; c < data->cells; ++c) {
    const PetscInt *dof = data->cell_dof + c * data->cell_dofs;

    PetscCall(MatSetValues(J, data->cell_dofs, dof, data->cell_dofs, dof, block, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_insertion(const char name[], const char spec[], PetscInt count)
{
  const BenchForm       form = {name, "tetrahedron", spec, {{0}}, "inner(grad(u), grad(v))*dx", count, NULL};
  const RungLayoutData *data;
  double                least[2] = {1e30, 1e30}, entries;
  PetscScalar          *block;
  RungSystem            sys;
  RungLayout            layout;
  Mat                   J;

  PetscFunctionBegin;
  PetscCall(bench_system(&form, "interpreter", &sys));
  PetscCall(RungSystemGetLayout(sys, &layout));
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(PetscMalloc1(data->cell_dofs * data->cell_dofs * LANES, &block));
  for (PetscInt i = 0; i < data->cell_dofs * data->cell_dofs * LANES; ++i) block[i] = 1. / (1. + (double)i);
  for (int i = 0; i < 2 * REPEATS; ++i) {
    double start = bench_clock();

    PetscCall(insert_blocks(layout, data, block, J));
    least[0] = PetscMin(least[0], bench_clock() - start);
    start    = bench_clock();
    PetscCall(insert_values(data, block, J));
    least[1] = PetscMin(least[1], bench_clock() - start);
  }
  entries = (double)data->cells * (double)data->cell_dofs * (double)data->cell_dofs;
  PetscCall(bench_line(name, 1e9 * least[0] / entries, 1e9 * least[1] / entries));
  PetscCall(PetscFree(block));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- programs of their own: memory, ranks ----------------------------------------------------------------------- */

/* What this program prints when it is run by itself with -bench_child CASE: CPU seconds of the slowest rank (waiting for
   messages included), MiB at the peak of all ranks together. */
static PetscErrorCode be_child(const char name[])
{
  const Row    *row = find_row(name);
  struct rusage usage;
  double        seconds, slowest = 0, least = 1e30, memory, sum = 0;
  Problem       p;

  PetscFunctionBegin;
  PetscCheck(row, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "-bench_child \"%s\" is no case of this program", name);
  PetscCall(create_problem(row, &p));
  for (int i = 0; i < 2 * REPEATS; ++i) {
    double start;

    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    start = bench_clock();
    PetscCall(assemble(row, &p));
    seconds = bench_clock() - start;
    PetscCallMPI(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    least = PetscMin(least, slowest);
  }
  (void)getrusage(RUSAGE_SELF, &usage);
  memory = (double)usage.ru_maxrss / 1024;
  PetscCallMPI(MPI_Reduce(&memory, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.9g %.9g\n", name, least, sum));
  PetscCall(destroy_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_child(const char name[], int ranks, double *seconds, double *memory)
{
  char command[PETSC_MAX_PATH_LEN + 128], given[PETSC_MAX_PATH_LEN], self[PETSC_MAX_PATH_LEN], line[256], who[64] = "";

  PetscFunctionBegin;
  PetscCall(PetscGetProgramName(given, sizeof given));
  PetscCall(PetscGetFullPath(given, self, sizeof self));
  PetscCall(PetscSNPrintf(command, sizeof command,
                          "mpiexec --oversubscribe --mca mpi_yield_when_idle 1 -n %d %s -bench_child %s", ranks, self,
                          name));
  PetscCall(bench_run(command, sizeof line, line));
  PetscCheck(sscanf(line, "%63s %lf %lf", who, seconds, memory) == 3 && !strcmp(who, name), PETSC_COMM_WORLD,
             PETSC_ERR_LIB, "\"%s\" does not run", command);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_memory(const char twin[])
{
  const Row *row = find_row("p2_tet_poisson_matrix");
  double     seconds, memory;
  Twin       other = {NAN, -1, NAN};

  PetscFunctionBegin;
  PetscCall(run_child(row->form.name, 1, &seconds, &memory));
  if (strcmp(twin, "none") != 0) PetscCall(run_twin(twin, &row->form, "lean", &other));
  PetscCall(bench_line("memory_p2", memory, other.memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_ranks(void)
{
  double least[2] = {1e30, 1e30}, seconds, memory;

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i)
    for (int ranks = 1; ranks <= 2; ++ranks) {
      PetscCall(run_child("p2_tet_poisson_matrix", ranks, &seconds, &memory));
      least[ranks - 1] = PetscMin(least[ranks - 1], seconds);
    }
  PetscCall(bench_line("ranks_p2_assembly", least[1], least[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_all(const char twin[])
{
  PetscBool dealii, wanted;
  double    triad;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(twin, "dealii", &dealii));
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", "false"));
  PetscCall(bench_triad(&triad));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# whole assembly, ns per cell, CPU time, one rank; twin: %s; triad %.1f GB/s\n", twin,
                        1e-9 * triad));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    PetscCall(bench_wanted(rows[i].form.name, &wanted));
    if (wanted && (dealii ? rows[i].dealii : rows[i].dolfinx)) PetscCall(measure(&rows[i], twin, triad));
  }
  if (dealii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(bench_wanted("cahn_hilliard_kept", &wanted));
  if (wanted) PetscCall(measure_kept("cahn_hilliard_kept", "cahn_hilliard_matrix"));
  PetscCall(bench_wanted("insertion_p1", &wanted));
  if (wanted) PetscCall(measure_insertion("insertion_p1", "P1", 32));
  PetscCall(bench_wanted("insertion_p2", &wanted));
  if (wanted) PetscCall(measure_insertion("insertion_p2", "P2", 20));
  PetscCall(bench_wanted("insertion_p2x3", &wanted));
  if (wanted) PetscCall(measure_insertion("insertion_p2x3", "P2^3", 12));
  PetscCall(bench_wanted("memory_p2", &wanted));
  if (wanted) PetscCall(measure_memory(twin));
  PetscCall(bench_wanted("ranks_p2_assembly", &wanted));
  if (wanted) PetscCall(measure_ranks());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      twin[32] = "dolfinx", child[64];
  PetscBool set;

  PetscCall(RungInitialize(&argc, &argv, "Assembly against DOLFINx or deal.II.\n"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_twin", twin, sizeof twin, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_child", child, sizeof child, &set));
  if (set)
    PetscCall(be_child(child));
  else
    PetscCall(measure_all(twin));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(PetscOptionsClearValue(NULL, "-system_keep_blocks"));
  PetscCall(RungFinalize());
  return 0;
}
