/* kernels.c - compiled kernels against the C that FFCx writes for the same form and quadrature degree: ns per cell.

   Kernels only, data in cache: ours reads what the batches gather and leaves [value][lane], which the scatter reads;
   FFCx's reads and writes as DOLFINx calls it, a cell at a time.  Both add to what is there.  The line that begins with
   '#' below a case is ours with the transpose to one row-major block a cell.

   The twins are made in a folder of their own by kernels_ffcx.py.  Before anything is timed, both sides' numbers are
   compared on the same random cells: bases may differ in order and nodes, so with V the values of our basis functions
   at FFCx's nodes, u of FFCx is V u and our block is V^T A V.

   Try   ./kernels
         ./kernels -bench_case p2_tet_neohookean_matrix                                                               */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCHES   8    /* different cells, gathered */
#define ROUNDS    40   /* interleaved, the least counts .. */
#define FEWEST    5    /* .. fewer where they take longer .. */
#define PATIENCE  1.   /* .. than so many seconds */
#define SLICE     1e-3 /* seconds of one measurement */
#define TOLERANCE 1e-12

#define NEO_HOOKEAN(q)                                                                                                 \
  "F = I + grad(u); P = mu*(F - transpose(inv(F))) + lambda*log(det(F))*transpose(inv(F)); "                           \
  "inner(P, grad(v))*dx(degree: " #q ")"
#define ELASTICITY(q) "eps = sym(grad(u)); inner(lambda*tr(eps)*I + 2*mu*eps, grad(v))*dx(degree: " #q ")"
#define NAVIER_STOKES                                                                                                  \
  "(inner(dt(u), v) + inner(dot(grad(u), u), v) + nu*inner(grad(u), grad(v)) - p*div(v) + q*div(u))*dx(degree: 5)"
#define CAHN_HILLIARD                                                                                                  \
  "W = 100*c^2*(1 - c)^2; (dt(c)*p + M*inner(grad(m), grad(p)) + m*q - diff(W, c)*q - "                                \
  "lambda*inner(grad(c), grad(q)))*dx(degree: 4)"

/* Constants come in FFCx's order; with `sigma` the weights of u and u' follow there. */
typedef struct {
  const char *name, *cell;
  const char *unknown[2][3]; /* name, test function, space */
  const char *constant[3];
  PetscBool   sigma, matrix;
  const char *text;
} Case;

static const Case cases[] = {
  {"p1_tet_poisson_matrix", "tetrahedron", {{"u", "v", "P1"}}, {0}, 0, 1, "inner(grad(u), grad(v))*dx(degree: 0)"},
  {"p2_tet_poisson_matrix", "tetrahedron", {{"u", "v", "P2"}}, {0}, 0, 1, "inner(grad(u), grad(v))*dx(degree: 2)"},
  {"p3_tet_poisson_matrix", "tetrahedron", {{"u", "v", "P3"}}, {0}, 0, 1, "inner(grad(u), grad(v))*dx(degree: 4)"},
  {"p1_tet_neohookean_matrix", "tetrahedron", {{"u", "v", "P1^d"}}, {"mu", "lambda"}, 0, 1, NEO_HOOKEAN(1)},
  {"p2_tet_neohookean_matrix", "tetrahedron", {{"u", "v", "P2^d"}}, {"mu", "lambda"}, 0, 1, NEO_HOOKEAN(2)},
  {"p1_tet_neohookean_residual", "tetrahedron", {{"u", "v", "P1^d"}}, {"mu", "lambda"}, 0, 0, NEO_HOOKEAN(1)},
  {"p2_tet_neohookean_residual", "tetrahedron", {{"u", "v", "P2^d"}}, {"mu", "lambda"}, 0, 0, NEO_HOOKEAN(2)},
  {"q2_hex_laplace_matrix", "hexahedron", {{"u", "v", "Q2"}}, {0}, 0, 1, "inner(grad(u), grad(v))*dx(degree: 4)"},
  {"q3_hex_elasticity_matrix", "hexahedron", {{"u", "v", "Q3^d"}}, {"mu", "lambda"}, 0, 1, ELASTICITY(6)},
  {"q4_hex_elasticity_matrix", "hexahedron", {{"u", "v", "Q4^d"}}, {"mu", "lambda"}, 0, 1, ELASTICITY(8)},
  {"taylor_hood_navier_stokes_2d_matrix",
   "triangle",
   {{"u", "v", "P2^d"}, {"p", "q", "P1"}},
   {"nu"},
   1,
   1,
   NAVIER_STOKES},
  {"taylor_hood_navier_stokes_3d_matrix",
   "tetrahedron",
   {{"u", "v", "P2^d"}, {"p", "q", "P1"}},
   {"nu"},
   1,
   1,
   NAVIER_STOKES},
  {"cahn_hilliard_p1_matrix", "triangle", {{"c", "p", "P1"}, {"m", "q", "P1"}}, {"M", "lambda"}, 1, 1, CAHN_HILLIARD},
};

typedef void TwinFn(double *A, const double *w, const double *c, const double *x);

typedef struct {
  const Case   *its;
  PetscInt      unknowns, dim, corners, dofs, entries;
  RungMesh      mesh;
  RungSpace     space[2];
  RungScope     scope;
  RungLayout    layout;
  RungForm      form;
  PetscInt      kernels, lanes;
  RungKernelFn *kernel[16];
  void         *object; /* of the twin */
  TwinFn       *twin;
  double       *V;           /* owned, [FFCx dof][our dof]; unknowns are blocks */
  double        constant[5]; /* FFCx's */
  const double *of_scope;    /* ours, lent */
  double        sigma[6];    /* ours, [k][unknown] */
  double       *x, *u;       /* owned, [batch][node][axis][lane], [batch][k][dof][lane] */
  double       *ffcx_x, *w;  /* owned, [cell][corner][3], [cell][dof] */
  double       *out, *A, *B; /* owned, ours [entry][lane]; FFCx's, ours transposed */
} Bench;

/* ---- our side ------------------------------------------------------------------------------------------------------
 */

/* A file of one hexahedron whose edges are not parallel: boxes are affine, FFCx takes no hexahedron for that. */
static PetscErrorCode bent_hexahedron(RungMesh mesh, const char folder[])
{
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0.1 0\n3 1.2 1 0.1\n"
                             "4 0 1.1 0\n5 0.1 0 1\n6 1 0 1.1\n7 1.1 1.2 1.3\n8 0 1 0.9\n$EndNodes\n$Elements\n1\n"
                             "1 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n";
  char              path[PETSC_MAX_PATH_LEN];
  FILE             *file;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/hexahedron.msh", folder));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%s", text));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscCall(RungMeshSetFile(mesh, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_form(const Case *its, const char folder[], Bench *bench)
{
  RungExpr            expr;
  const RungMeshData *data;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &bench->mesh));
  if (!strcmp(its->cell, "hexahedron"))
    PetscCall(bent_hexahedron(bench->mesh, folder));
  else
    PetscCall(
      RungMeshSetBox(bench->mesh, its->cell, strcmp(its->cell, "triangle") ? 3 : 2, (PetscInt[]){1, 1, 1}, NULL));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &bench->scope));
  for (; bench->unknowns < 2 && its->unknown[bench->unknowns][0]; ++bench->unknowns) {
    const char *const *unknown = its->unknown[bench->unknowns];
    RungSpace         *space   = &bench->space[bench->unknowns];

    PetscCall(RungSpaceCreate(bench->mesh, unknown[2], space));
    PetscCall(RungScopeAddUnknown(bench->scope, unknown[0], unknown[1], *space));
  }
  for (int i = 0; i < 3 && its->constant[i]; ++i) {
    bench->constant[i] = 0.7 + 0.4 * i;
    PetscCall(RungScopeSetConstant(bench->scope, its->constant[i], bench->constant[i]));
  }
  PetscCall(RungScopeGetKernelConstants(bench->scope, &bench->of_scope));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, bench->unknowns, bench->space, &bench->layout));
  PetscCall(RungScopeParse(bench->scope, its->name, its->text, &expr));
  PetscCall(RungFormCreate(expr, its->name, bench->layout, &bench->form));
  PetscCall(RungFormSetFromOptions(bench->form));
  PetscCall(RungMeshGetData(bench->mesh, &data));
  bench->dim     = data->dim;
  bench->corners = RungCellGet(data->type)->vertices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_kernels(Bench *bench)
{
  PetscFunctionBegin;
  PetscCall(RungFormGetKernel(bench->form, bench->its->matrix, 0, &bench->kernels, &bench->lanes, NULL));
  PetscCheck(bench->kernels <= 16, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s has too many integrals", bench->its->name);
  for (PetscInt i = 0; i < bench->kernels; ++i)
    PetscCall(RungFormGetKernel(bench->form, bench->its->matrix, i, NULL, NULL, &bench->kernel[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the twin ------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode build_twins(const char folder[], const char names[])
{
  char     *command;
  FILE     *pipe;
  char      line[512];
  int       status;
  const int room = 16384;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(room, &command));
  PetscCall(
    PetscSNPrintf(command, (size_t)room,
                  "env -i PATH=/usr/bin:/bin HOME=\"$HOME\" OMP_NUM_THREADS=1 /usr/bin/python3 -W ignore %s %s%s",
                  TWIN_FFCX, folder, names));
  pipe = popen(command, "r");
  PetscCheck(pipe, PETSC_COMM_WORLD, PETSC_ERR_LIB, "the twins cannot be started");
  while (fgets(line, sizeof line, pipe)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s", line));
  status = pclose(pipe);
  PetscCall(PetscFree(command));
  PetscCheck(status != 3 << 8, PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "the twin of the kernels is FFCx, which is not installed; it needs the package python3-dolfinx, which "
             "./bootstrap bench installs");
  PetscCheck(!status, PETSC_COMM_WORLD, PETSC_ERR_LIB,
             "FFCx of the package python3-dolfinx cannot build its kernels (status %d)", status >> 8);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_symbol(const Bench *bench, const char name[], void **symbol)
{
  PetscFunctionBegin;
  *symbol = dlsym(bench->object, name);
  PetscCheck(*symbol, PETSC_COMM_WORLD, PETSC_ERR_LIB, "the twin of %s has no %s", bench->its->name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V of one unknown: our basis functions at FFCx's nodes, for each component. */
static PetscErrorCode fill_basis(Bench *bench, PetscInt f, PetscInt nodes, const double point[], PetscInt offset)
{
  const RungSpaceData *data;
  PetscReal           *table, *x;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(bench->space[f], &data));
  PetscCheck(nodes == data->cell_nodes, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "FFCx's element of %s has other nodes",
             data->spec);
  PetscCall(PetscMalloc1(nodes * bench->dim, &x));
  PetscCall(PetscMalloc1(RungSpaceTableSize(bench->space[f], nodes, 0), &table));
  for (PetscInt i = 0; i < nodes * bench->dim; ++i) x[i] = point[i / bench->dim * 3 + i % bench->dim];
  PetscCall(RungSpaceTabulate(bench->space[f], nodes, x, 0, table));
  for (PetscInt i = 0; i < nodes; ++i) {
    for (PetscInt j = 0; j < nodes; ++j) {
      for (PetscInt c = 0; c < data->components; ++c) {
        const PetscInt row = offset + i * data->components + c, col = offset + j * data->components + c;

        bench->V[row * bench->dofs + col] = table[i * nodes + j];
      }
    }
  }
  PetscCall(PetscFree(table));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_twin(const char folder[], Bench *bench)
{
  char     path[PETSC_MAX_PATH_LEN];
  void    *run, *nodes, *components, *point;
  PetscInt offset = 0, at = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.so", folder, bench->its->name));
  bench->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  PetscCheck(bench->object, PETSC_COMM_WORLD, PETSC_ERR_LIB, "the twin of %s does not load: %s", bench->its->name,
             dlerror());
  PetscCall(find_symbol(bench, "twin_run", &run));
  PetscCall(find_symbol(bench, "twin_nodes", &nodes));
  PetscCall(find_symbol(bench, "twin_components", &components));
  PetscCall(find_symbol(bench, "twin_point", &point));
  memcpy(&bench->twin, &run, sizeof run);
  for (PetscInt f = 0; f < bench->unknowns; ++f) bench->dofs += ((int *)nodes)[f] * ((int *)components)[f];
  bench->entries = bench->its->matrix ? bench->dofs * bench->dofs : bench->dofs;
  PetscCall(PetscCalloc1(bench->dofs * bench->dofs, &bench->V));
  for (PetscInt f = 0; f < bench->unknowns; ++f) {
    PetscCall(fill_basis(bench, f, ((int *)nodes)[f], (double *)point + 3 * at, offset));
    offset += ((int *)nodes)[f] * ((int *)components)[f];
    at += ((int *)nodes)[f];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- data ----------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode aligned(PetscInt count, double **memory)
{
  const size_t size = ((size_t)count * sizeof(double) + 63) / 64 * 64;

  PetscFunctionBegin;
  *memory = (double *)aligned_alloc(64, size);
  PetscCheck(*memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes", size);
  PetscCall(PetscMemzero(*memory, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In (-1, 1), fixed by i. */
static double random_number(PetscInt i)
{
  const double s = 43758.5453 * sin(12.9898 * (double)(i + 1));

  return 2 * (s - floor(s)) - 1;
}

static PetscErrorCode fill_cell(Bench *bench, PetscInt cell)
{
  const PetscInt  lanes = bench->lanes, d = bench->dim, n = bench->dofs, b = cell / lanes, lane = cell % lanes;
  const RungCell *type = RungCellGet(bench->corners == 8 ? RUNG_HEXAHEDRON : d == 2 ? RUNG_TRIANGLE : RUNG_TETRAHEDRON);
  const double   *u    = bench->u + b * 3 * n * lanes + lane;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bench->corners; ++i) {
    for (PetscInt a = 0; a < d; ++a) {
      const double corner = (double)type->x[i][a] + 0.1 * random_number((cell * bench->corners + i) * d + a);

      bench->ffcx_x[(cell * bench->corners + i) * 3 + a]          = corner;
      bench->x[((b * bench->corners + i) * d + a) * lanes + lane] = corner;
    }
  }
  for (PetscInt j = 0; j < n; ++j) bench->u[(b * 3 * n + j) * lanes + lane] = 0.05 * random_number(1000 + cell * n + j);
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < n; ++j) bench->w[cell * n + i] += bench->V[i * n + j] * u[j * lanes];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_data(Bench *bench)
{
  const PetscInt lanes = bench->lanes, cells = lanes * BATCHES, n = bench->dofs;
  PetscInt       constants = 0;

  PetscFunctionBegin;
  PetscCall(aligned(cells * bench->corners * bench->dim, &bench->x));
  PetscCall(aligned(cells * 3 * n, &bench->u));
  PetscCall(aligned(cells * bench->corners * 3, &bench->ffcx_x));
  PetscCall(aligned(cells * n, &bench->w));
  PetscCall(aligned(bench->entries * lanes, &bench->out));
  PetscCall(aligned(bench->entries, &bench->A));
  PetscCall(aligned(bench->entries * lanes, &bench->B));
  for (PetscInt cell = 0; cell < cells; ++cell) PetscCall(fill_cell(bench, cell));
  while (constants < 3 && bench->its->constant[constants]) ++constants;
  for (PetscInt k = 0; k < 2; ++k) {
    const double sigma = k == 0 ? (bench->its->sigma ? 0.6 : 1) : 2.3;

    if (bench->its->sigma) bench->constant[constants + k] = sigma;
    for (PetscInt f = 0; f < bench->unknowns; ++f) bench->sigma[k * bench->unknowns + f] = sigma;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------
 */

static void run_ours(const Bench *bench, PetscInt b)
{
  const RungKernelArgs args = {.x        = bench->x + b * bench->corners * bench->dim * bench->lanes,
                               .u        = bench->u + b * 3 * bench->dofs * bench->lanes,
                               .constant = bench->of_scope,
                               .sigma    = bench->sigma,
                               .out      = bench->out};

  for (PetscInt i = 0; i < bench->kernels; ++i) bench->kernel[i](&args);
}

static void run_twin(const Bench *bench, PetscInt cell)
{
  bench->twin(bench->A, bench->w + cell * bench->dofs, bench->constant, bench->ffcx_x + cell * bench->corners * 3);
}

/* [entry][lane] -> one block a cell, in tiles that stay in registers. */
static void transpose(PetscInt lanes, PetscInt entries, const double *restrict in, double *restrict out)
{
  PetscInt e = 0;

  for (; e + 8 <= entries; e += 8) {
    for (PetscInt lane = 0; lane < lanes; ++lane) {
      for (PetscInt k = 0; k < 8; ++k) out[lane * entries + e + k] = in[(e + k) * lanes + lane];
    }
  }
  for (; e < entries; ++e) {
    for (PetscInt lane = 0; lane < lanes; ++lane) out[lane * entries + e] = in[e * lanes + lane];
  }
}

/* V^T A of a vector, V^T A V of a matrix, in place of A */
static PetscErrorCode to_our_basis(Bench *bench)
{
  const PetscInt n = bench->dofs, cols = bench->its->matrix ? n : 1;
  double        *half;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * cols, &half));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt k = 0; k < n; ++k) {
      for (PetscInt j = 0; bench->V[k * n + i] != 0 && j < cols; ++j)
        half[i * cols + j] += bench->V[k * n + i] * bench->A[k * cols + j];
    }
  }
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < cols; ++j) {
      double sum = 0;

      for (PetscInt k = 0; k < cols; ++k) sum += half[i * cols + k] * (cols > 1 ? bench->V[k * n + j] : 1);
      bench->A[i * cols + j] = sum;
    }
  }
  PetscCall(PetscFree(half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same numbers on all cells, relative to the largest entry of each. */
static PetscErrorCode compare(Bench *bench)
{
  double worst = 0;

  PetscFunctionBegin;
  for (PetscInt cell = 0; cell < BATCHES * bench->lanes; ++cell) {
    const PetscInt lane = cell % bench->lanes;
    double         size = 0, error = 0;

    if (!lane) {
      PetscCall(PetscArrayzero(bench->out, bench->entries * bench->lanes));
      run_ours(bench, cell / bench->lanes);
    }
    PetscCall(PetscArrayzero(bench->A, bench->entries));
    run_twin(bench, cell);
    PetscCall(to_our_basis(bench));
    for (PetscInt e = 0; e < bench->entries; ++e) {
      size  = PetscMax(size, PetscAbsReal(bench->A[e]));
      error = PetscMax(error, PetscAbsReal(bench->A[e] - bench->out[e * bench->lanes + lane]));
    }
    worst = PetscMax(worst, error / size);
  }
  PetscCheck(worst <= TOLERANCE, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s differs from its twin by %.3g, relative to the largest entry; at most %g is rounding",
             bench->its->name, worst, TOLERANCE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the clock -----------------------------------------------------------------------------------------------------
 */

enum { OURS, TRANSPOSED, TWIN, SIDES };

/* Seconds that `batches` batches take. */
static double time_batches(const Bench *bench, int side, PetscInt batches)
{
  const double start = bench_clock();

  for (PetscInt i = 0; i < batches; ++i) {
    const PetscInt b = i % BATCHES;

    if (side != TWIN) run_ours(bench, b);
    if (side == TRANSPOSED) transpose(bench->lanes, bench->entries, bench->out, bench->B);
    for (PetscInt lane = 0; side == TWIN && lane < bench->lanes; ++lane) run_twin(bench, b * bench->lanes + lane);
  }
  return bench_clock() - start;
}

static PetscErrorCode measure(Bench *bench)
{
  const double lanes = (double)bench->lanes, start = bench_clock();
  PetscInt     batches[SIDES] = {1, 1, 1};
  double       least[SIDES]   = {1e30, 1e30, 1e30};

  PetscFunctionBegin;
  for (int side = 0; side < SIDES; ++side) {
    while (time_batches(bench, side, batches[side]) < SLICE) batches[side] *= 2;
  }
  for (int round = 0; round < ROUNDS && (round < FEWEST || bench_clock() - start < PATIENCE); ++round) {
    PetscCall(PetscArrayzero(bench->out, bench->entries * bench->lanes));
    PetscCall(PetscArrayzero(bench->A, bench->entries));
    for (int side = 0; side < SIDES; ++side) {
      least[side] = PetscMin(least[side], time_batches(bench, side, batches[side]) / ((double)batches[side] * lanes));
    }
  }
  PetscCall(bench_line(bench->its->name, 1e9 * least[OURS], 1e9 * least[TWIN]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s with the transpose: %.6g %.6g %.3f\n", bench->its->name,
                        1e9 * least[TRANSPOSED], 1e9 * least[TWIN], least[TWIN] / least[TRANSPOSED]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cases ---------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode destroy(Bench *bench)
{
  PetscFunctionBegin;
  PetscCall(RungFormDestroy(&bench->form));
  PetscCall(RungLayoutDestroy(&bench->layout));
  PetscCall(RungScopeDestroy(&bench->scope));
  for (PetscInt f = 0; f < bench->unknowns; ++f) PetscCall(RungSpaceDestroy(&bench->space[f]));
  PetscCall(RungMeshDestroy(&bench->mesh));
  PetscCall(PetscFree(bench->V));
  free(bench->x);
  free(bench->u);
  free(bench->ffcx_x);
  free(bench->w);
  free(bench->out);
  free(bench->A);
  free(bench->B);
  if (bench->object) (void)dlclose(bench->object);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_case(const Case *its, const char folder[])
{
  Bench bench = {.its = its};

  PetscFunctionBegin;
  PetscCall(create_form(its, folder, &bench));
  PetscCall(load_twin(folder, &bench));
  PetscCall(get_kernels(&bench));
  PetscCall(create_data(&bench));
  PetscCall(compare(&bench));
  PetscCall(measure(&bench));
  PetscCall(destroy(&bench));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cases, or those whose names hold the text of -bench_case. */
static PetscErrorCode run_cases(const char folder[])
{
  char   wanted[128] = "", names[1024] = "";
  size_t n = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_case", wanted, sizeof wanted, NULL));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (!strstr(cases[i].name, wanted)) continue;
    n += (size_t)snprintf(names + n, sizeof names - n, " %s", cases[i].name);
  }
  PetscCheck(n, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "no case has \"%s\" in its name", wanted);
  PetscCall(build_twins(folder, names));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# kernel only, data in cache, ns per cell, CPU time; twin: C of FFCx, "
                                          "-O3 -march=native\n"));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (strstr(cases[i].name, wanted)) PetscCall(run_case(&cases[i], folder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes away what run_cases left in its folder. */
static void clean(const char folder[])
{
  char path[PETSC_MAX_PATH_LEN];

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s.c", folder, cases[i].name);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/%s.so", folder, cases[i].name);
    (void)unlink(path);
  }
  (void)snprintf(path, sizeof path, "%s/hexahedron.msh", folder);
  (void)unlink(path);
  (void)rmdir(folder);
}

int main(int argc, char **argv)
{
  char           folder[] = "/tmp/rung-kernels-XXXXXX";
  PetscErrorCode code;

  PetscCall(RungInitialize(&argc, &argv, "Compiled kernels against FFCx.\n"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "no folder can be made in /tmp");
  code = run_cases(folder);
  clean(folder);
  PetscCall(code);
  PetscCall(RungFinalize());
  return 0;
}
