/* interpreter.c - the interpreter against the compiled C back end of the same form in the same run.

   rung is the interpreter, twin the C back end, nanoseconds of CPU time for a cell: the ratio is what a machine without a
   compiler has of a machine with one.  NAME_matrix and NAME_residual are whole assemblies, NAME_matrix_kernel and
   NAME_residual_kernel the kernels alone, with their data in the cache.  Options: -only TEXT runs the cases whose name
   holds TEXT, -repeats N measures N times (7); -form_isa compares both on a lesser instruction set. */
#include "bench.h"

static PetscInt repeats = 7;

typedef struct {
  const char *name, *cell;
  PetscInt    dim, count, unknowns;
  const char *unknown[2][3]; /* name, test function, space */
  const char *define[3][2];
  const char *residual;
} Case;

#define STRAIN                                                                                                         \
  {                                                                                                                    \
    "F", "I + grad(u)"                                                                                                 \
  }
#define NEOHOOKE                                                                                                       \
  STRAIN,                                                                                                              \
  {                                                                                                                    \
    "P", "(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F))"                                                   \
  }
#define TRIPLE                                                                                                         \
  {                                                                                                                    \
    "eps", "sym(grad(u))"                                                                                              \
  }

static const Case cases[] = {
  {"p1_tet_poisson", "tetrahedron", 3, 12, 1, {{"u", "v", "P1"}}, {{0}}, "inner(grad(u), grad(v))*dx"},
  {"p2_tet_poisson", "tetrahedron", 3, 8, 1, {{"u", "v", "P2"}}, {{0}}, "inner(grad(u), grad(v))*dx"},
  {"p3_tet_poisson", "tetrahedron", 3, 5, 1, {{"u", "v", "P3"}}, {{0}}, "inner(grad(u), grad(v))*dx"},
  {"p1_tet_neohookean", "tetrahedron", 3, 10, 1, {{"u", "v", "P1^d"}}, {NEOHOOKE}, "inner(P, grad(v))*dx(degree: 0)"},
  {"p2_tet_neohookean", "tetrahedron", 3, 5, 1, {{"u", "v", "P2^d"}}, {NEOHOOKE}, "inner(P, grad(v))*dx(degree: 2)"},
  {"p2p1_tri_navier_stokes",
   "triangle",
   2,
   24,
   2,
   {{"u", "v", "P2^d"}, {"p", "q", "P1"}},
   {{0}},
   "inner(dt(u) + dot(grad(u), u), v)*dx + 0.01*inner(grad(u), grad(v))*dx - p*div(v)*dx + q*div(u)*dx"},
  {"p2p1_tet_navier_stokes",
   "tetrahedron",
   3,
   5,
   2,
   {{"u", "v", "P2^d"}, {"p", "q", "P1"}},
   {{0}},
   "inner(dt(u) + dot(grad(u), u), v)*dx + 0.01*inner(grad(u), grad(v))*dx - p*div(v)*dx + q*div(u)*dx"},
  {"p1_tri_cahn_hilliard",
   "triangle",
   2,
   32,
   2,
   {{"c", "p", "P1"}, {"m", "q", "P1"}},
   {{"W", "100*c^2*(1 - c)^2"}},
   "dt(c)*p*dx + inner(grad(m), grad(p))*dx + m*q*dx - diff(W, c)*q*dx - 0.01*inner(grad(c), grad(q))*dx"},
  {"q2_hex_laplace", "hexahedron", 3, 6, 1, {{"u", "v", "Q2"}}, {{0}}, "inner(grad(u), grad(v))*dx"},
  {"q2_hex_elasticity",
   "hexahedron",
   3,
   4,
   1,
   {{"u", "v", "Q2^d"}},
   {TRIPLE},
   "inner(2*eps + 1.5*tr(eps)*I, grad(v))*dx"},
  /* forms that nothing is tuned for */
  {"p2_tet_elasticity",
   "tetrahedron",
   3,
   5,
   1,
   {{"u", "v", "P2^d"}},
   {TRIPLE},
   "inner(2*eps + 1.5*tr(eps)*I, grad(v))*dx"},
  {"q1_quad_supg",
   "quadrilateral",
   2,
   24,
   1,
   {{"u", "v", "Q1"}},
   {{"b", "vector(1 + x[1], 2 - x[0])"}, {"R", "dt(u) + dot(b, grad(u)) - x[0]"}},
   "(dt(u) + dot(b, grad(u)))*v*dx + 0.01*inner(grad(u), grad(v))*dx + h/(2*sqrt(dot(b, b)))*R*dot(b, grad(v))*dx"},
  {"p2dg1_tri_maxwell",
   "triangle",
   2,
   16,
   2,
   {{"u", "v", "P2^d"}, {"s", "w", "DG1^3"}},
   {{"S", "vector(vector(s[0], s[1]), vector(s[1], s[2]))"}, {"e", "sym(grad(dt(u)))"}},
   "inner(dt(dt(u)), v)*dx + inner(S, sym(grad(v)))*dx"
   " + (dt(s[0]) + 2*s[0] - e[0, 0])*w[0]*dx + (dt(s[1]) + 2*s[1] - e[0, 1])*w[1]*dx"
   " + (dt(s[2]) + 2*s[2] - e[1, 1])*w[2]*dx"},
  {"dg1_tri_sipg",
   "triangle",
   2,
   16,
   1,
   {{"u", "v", "DG1"}},
   {{0}},
   "(1 + u^2)*inner(grad(u), grad(v))*dx - dot(avg((1 + u^2)*grad(u)), jump(v, n))*dS"
   " - dot(avg(grad(v)), jump(u, n))*dS + 10/avg(h)*jump(u)*jump(v)*dS"},
  {"p2_tri_elementary",
   "triangle",
   2,
   16,
   1,
   {{"u", "v", "P2"}},
   {{0}},
   "(exp(u) + log(2 + u^2) + sin(u) + tanh(u) + (1 + u^2)^0.7)*v*dx(degree: 4)"},
};

/* Small smooth values, so that no form is at its trivial point. */
static PetscErrorCode fill_state(Vec u)
{
  PetscInt     n;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArray(u, &array));
  for (PetscInt i = 0; i < n; ++i) array[i] = 1e-3 * PetscSinReal(0.01 * (PetscReal)i);
  PetscCall(VecRestoreArray(u, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungMesh   mesh;
  RungSpace  space[2];
  RungScope  scope;
  RungLayout layout;
  RungForm   form;
} Problem;

static PetscErrorCode problem_create(const Case *c, const char backend[], Problem *p)
{
  const PetscInt count[3] = {c->count, c->count, c->count};
  RungExpr       residual;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &p->mesh));
  PetscCall(RungMeshSetBox(p->mesh, c->cell, c->dim, count, (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetUp(p->mesh));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &p->scope));
  for (PetscInt i = 0; i < c->unknowns; ++i) {
    PetscCall(RungSpaceCreate(p->mesh, c->unknown[i][2], &p->space[i]));
    PetscCall(RungScopeAddUnknown(p->scope, c->unknown[i][0], c->unknown[i][1], p->space[i]));
  }
  for (int i = 0; i < 3 && c->define[i][0]; ++i) PetscCall(RungScopeDefine(p->scope, c->define[i][0], c->define[i][1]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, c->unknowns, p->space, &p->layout));
  PetscCall(RungScopeParse(p->scope, c->name, c->residual, &residual));
  PetscCall(RungFormCreate(residual, c->name, p->layout, &p->form));
  PetscCall(RungFormSetFromOptions(p->form));
  PetscCall(RungFormSetUp(p->form, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_destroy(const Case *c, Problem *p)
{
  PetscFunctionBegin;
  PetscCall(RungFormDestroy(&p->form));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(RungScopeDestroy(&p->scope));
  for (PetscInt i = 0; i < c->unknowns; ++i) PetscCall(RungSpaceDestroy(&p->space[i]));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* least[0]: residual, matrix, of whole assemblies; least[1]: of the kernels alone; seconds a cell */
static PetscErrorCode measure(const Problem *p, const Vec u[], Vec r, Mat J, double cells, double least[2][2])
{
  const PetscReal sigma[] = {1, 1, 1, 1, 1, 1};
  PetscReal       seconds;

  PetscFunctionBegin;
  for (int matrix = 0; matrix < 2; ++matrix) {
    double start = bench_clock();

    if (matrix)
      PetscCall(RungFormAssembleMat(p->form, 0, u, sigma, J));
    else
      PetscCall(RungFormAssembleVec(p->form, 0, u, r));
    least[0][matrix] = PetscMin(least[0][matrix], (bench_clock() - start) / cells);
    PetscCall(RungFormClock(p->form, 0, u, matrix ? sigma : NULL, 20, &seconds));
    PetscCall(RungFormClock(p->form, 0, u, matrix ? sigma : NULL, (PetscInt)(1 + 2e-5 / seconds), &seconds));
    least[1][matrix] = PetscMin(least[1][matrix], seconds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_case(const Case *c)
{
  static const char *const backend[] = {"interpreter", "c"}, *const what[] = {"residual", "matrix"},
                           *const part[] = {"", "_kernel"};
  Problem                         p[2];
  const RungMeshData             *data;
  Vec                             u[2], r, set[3];
  Mat                             J[2];
  double                          least[2][2][2];
  static const PetscBool          couple[] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

  PetscFunctionBegin;
  for (int b = 0; b < 2; ++b) {
    PetscCall(problem_create(c, backend[b], &p[b]));
    PetscCall(RungLayoutCreateVec(p[b].layout, &u[b]));
    PetscCall(fill_state(u[b]));
    PetscCall(RungLayoutCreateMat(p[b].layout, couple, NULL, &J[b]));
    for (int i = 0; i < 4; ++i) least[b][i / 2][i % 2] = 1e30;
  }
  PetscCall(RungMeshGetData(p[0].mesh, &data));
  PetscCall(VecDuplicate(u[0], &r));
  for (int i = 0; i < repeats; ++i) {
    for (int b = 0; b < 2; ++b) {
      set[0] = set[1] = set[2] = u[b];
      PetscCall(measure(&p[b], set, r, J[b], (double)data->cells, least[b]));
    }
  }
  for (int i = 0; i < 4; ++i) {
    char name[128];

    PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s%s", c->name, what[i % 2], part[i / 2]));
    PetscCall(bench_line(name, 1e9 * least[0][i / 2][i % 2], 1e9 * least[1][i / 2][i % 2]));
  }
  PetscCall(VecDestroy(&r));
  for (int b = 0; b < 2; ++b) {
    PetscCall(MatDestroy(&J[b]));
    PetscCall(VecDestroy(&u[b]));
    PetscCall(problem_destroy(c, &p[b]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char only[64] = "";

  PetscCall(RungInitialize(&argc, &argv, "Interpreter against C back end.\n"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, sizeof only, NULL));
  PetscCall(RungOptionKnown("only"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &repeats, NULL));
  PetscCall(RungOptionKnown("repeats"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# interpreter (rung) against the C back end (twin), ns per cell\n"));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (strstr(cases[i].name, only)) PetscCall(run_case(&cases[i]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(RungFinalize());
  return 0;
}
