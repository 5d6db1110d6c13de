/* test_space.c - orders of convergence in space: every element on every cell type, straight and curved.

       Poisson      - div grad u = |a|^2 u,  u = sin(a . x) given on the boundary;   L2 order k + 1, H1 order k
       deformed     the same on quadrilaterals and hexahedra that are not affine, simplices of all shapes
       projection   int (u - sin(a . x)) v = 0 for discontinuous elements;           L2 order k + 1
       ring         - div grad u = f between r = 1 and 2 (a quarter of a ring, a part of a shell), u = 0 on the inner and
                    outer side, u = (r^2 - 1)(4 - r^2);  straight cells miss the domain by O(h^2): L2 order 2 for every
                    k; cells of degree 2 by O(h^4) in measure: order 3 with P2, Q2

   The order is fitted over four meshes and must lie in an interval.  On the finest, |u| must be the stored one to 1e-10 of
   it, and the errors to as much of |u|, or to 1e-3 of themselves where that is less: on any number of ranks.  By default
   the rows marked quick; -space_all takes all; -space_print prints the table as it is stored. */
#include <check_curved.h>
#include <rungverify.h>

typedef enum { POISSON, DEFORMED, PROJECTION, RING, RING_STRAIGHT } Kind;

typedef struct {
  Kind         kind;
  RungCellType type;
  const char  *spec;
  PetscInt     blocks[4]; /* along each axis */
  double       low, high; /* of the L2 order */
  double       error[2];  /* L2, H1 (of the gradient), finest mesh */
  double       size;      /* L2 norm of the solution on it */
  PetscBool    quick;
} Row;

static const Row rows[] = {
#include "space_rows.def"
};

static const char *const wave[4]      = {"", "sin(2*x[0])", "sin(2*x[0] + x[1])", "sin(2*x[0] + x[1] - x[2])"};
static const double      square[4]    = {0, 4, 5, 6}; /* |a|^2 */
static const char *const ring_exact[] = {"", "", "(x[0]^2 + x[1]^2 - 1)*(4 - x[0]^2 - x[1]^2)",
                                         "(x[0]^2 + x[1]^2 + x[2]^2 - 1)*(4 - x[0]^2 - x[1]^2 - x[2]^2)"};
static const char *const ring_load[]  = {"", "", "(16*(x[0]^2 + x[1]^2) - 20)", "(20*(x[0]^2 + x[1]^2 + x[2]^2) - 30)"};

typedef struct {
  RungMesh   mesh;
  RungSpace  space;
  RungScope  scope;
  RungLayout layout;
  PetscInt   dim, degree;
  Vec        u[3];
  PetscBool *fixed; /* owned, [local dof] */
} Problem;

static PetscErrorCode make_mesh(const Row *row, PetscInt n, RungMesh *mesh)
{
  const PetscInt  count[3] = {n, n, n};
  const RungCell *cell     = RungCellGet(row->type);
  char            path[64];

  PetscFunctionBegin;
  if (row->kind == POISSON || row->kind == PROJECTION) {
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
    PetscCall(RungMeshSetBox(*mesh, cell->name, cell->dim, count, NULL));
    PetscCall(RungMeshSetRefinement(*mesh, row->size > 0 ? 0 : 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(path, sizeof path, "space_%s.msh", cell->name));
  if (row->kind == DEFORMED)
    PetscCall(distorted_mesh(row->type, n, path, mesh));
  else
    PetscCall(curved_mesh(row->type, n, row->kind == RING ? 2 : 1, PETSC_FALSE, path, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary values, and which dofs have them. */
static PetscErrorCode set_boundary(const Row *row, Problem *p)
{
  static const char *const part[] = {"inner", "outer"};
  const PetscBool          box    = row->kind == POISSON || row->kind == DEFORMED ? PETSC_TRUE : PETSC_FALSE;
  const RungSpaceData     *data;
  PetscScalar             *u;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(p->space, &data));
  PetscCall(PetscCalloc1(data->nodes, &p->fixed));
  PetscCall(VecGetArray(p->u[0], &u));
  for (int i = 0; i < (row->kind == PROJECTION ? 0 : box ? 1 : 2); ++i) {
    PetscInt count, *nodes;

    PetscCall(RungSpaceGetPartNodes(p->space, box ? NULL : part[i], &count, &nodes));
    for (PetscInt k = 0; k < count; ++k) {
      const PetscReal *x = &data->x[nodes[k] * p->dim];

      p->fixed[nodes[k]] = PETSC_TRUE;
      if (nodes[k] < data->owned && box)
        u[nodes[k]] = sin(2 * x[0] + (p->dim > 1 ? x[1] : 0) - (p->dim > 2 ? x[2] : 0));
    }
    PetscCall(PetscFree(nodes));
  }
  PetscCall(VecRestoreArray(p->u[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_create(const Row *row, PetscInt n, Problem *p)
{
  const RungSpaceData *data;

  PetscFunctionBegin;
  *p = (Problem){.dim = RungCellGet(row->type)->dim};
  PetscCall(make_mesh(row, n, &p->mesh));
  PetscCall(RungSpaceCreate(p->mesh, row->spec, &p->space));
  PetscCall(RungSpaceGetData(p->space, &data));
  p->degree = data->degree;
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &p->scope));
  PetscCall(RungScopeAddUnknown(p->scope, "u", "v", p->space));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, &p->space, &p->layout));
  PetscCall(RungLayoutCreateVec(p->layout, &p->u[0]));
  PetscCall(set_boundary(row, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_destroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->fixed));
  PetscCall(VecDestroy(&p->u[0]));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(RungScopeDestroy(&p->scope));
  PetscCall(RungSpaceDestroy(&p->space));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_form(Problem *p, const char text[], RungForm *form)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(p->scope, "space", text, &expr));
  PetscCall(RungFormCreate(expr, "space", p->layout, form));
  PetscCall(RungFormSetFromOptions(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u -= J^-1 F(u) on the free dofs, to rounding. */
static PetscErrorCode solve(Problem *p, const char residual[])
{
  const PetscBool couple   = PETSC_TRUE;
  const PetscReal sigma[1] = {1};
  RungForm        form;
  Mat             J;
  Vec             r, d;
  KSP             ksp;
  PC              pc;
  PetscScalar    *array;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(make_form(p, residual, &form));
  PetscCall(RungLayoutCreateMat(p->layout, &couple, p->fixed, &J));
  PetscCall(VecDuplicate(p->u[0], &r));
  PetscCall(VecDuplicate(p->u[0], &d));
  PetscCall(RungFormAssembleVec(form, 0, p->u, r));
  PetscCall(RungFormAssembleMat(form, 0, p->u, sigma, J));
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArray(r, &array));
  for (PetscInt i = 0; i < n; ++i)
    if (p->fixed[i]) array[i] = 0;
  PetscCall(VecRestoreArray(r, &array));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-14, 1e-50, PETSC_CURRENT, 4000));
  PetscCall(KSPSolve(ksp, r, d));
  PetscCall(VecAXPY(p->u[0], -1, d));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode error_of(Problem *p, const char exact[], PetscBool slope, PetscReal *error)
{
  char     text[512];
  RungForm form;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text,
                          slope ? "inner(grad(u - (%s)), grad(u - (%s)))*dx(degree: %d)"
                                : "(u - (%s))*(u - (%s))*dx(degree: %d)",
                          exact, exact, (int)(2 * p->degree + 3)));
  PetscCall(make_form(p, text, &form));
  PetscCall(RungFormIntegrate(form, 0, p->u, error));
  *error = PetscSqrtReal(*error);
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L2 and H1 error and size of the solution on the mesh of n blocks. */
static PetscErrorCode run(const Row *row, PetscInt n, PetscReal error[2], PetscReal *size)
{
  const PetscInt dim   = RungCellGet(row->type)->dim;
  const char    *exact = row->kind == RING || row->kind == RING_STRAIGHT ? ring_exact[dim] : wave[dim];
  char           residual[512];
  Problem        p;

  PetscFunctionBegin;
  PetscCall(problem_create(row, n, &p));
  if (row->kind == PROJECTION)
    PetscCall(PetscSNPrintf(residual, sizeof residual, "(u - %s)*v*dx(degree: %d)", exact, (int)(2 * p.degree + 3)));
  else if (row->kind == POISSON || row->kind == DEFORMED)
    PetscCall(PetscSNPrintf(residual, sizeof residual, "(inner(grad(u), grad(v)) - %g*%s*v)*dx(degree: %d)",
                            square[dim], exact, (int)(2 * p.degree + 1)));
  else
    PetscCall(PetscSNPrintf(residual, sizeof residual, "(inner(grad(u), grad(v)) - %s*v)*dx", ring_load[dim]));
  PetscCall(solve(&p, residual));
  PetscCall(error_of(&p, exact, PETSC_FALSE, &error[0]));
  PetscCall(error_of(&p, exact, PETSC_TRUE, &error[1]));
  PetscCall(error_of(&p, "0", PETSC_FALSE, size));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_row(const Row *row, const PetscReal error[2], PetscReal size, const PetscReal order[2])
{
  static const char *const kind[] = {"POISSON", "DEFORMED", "PROJECTION", "RING", "RING_STRAIGHT"};
  static const char *const type[] = {"POINT", "INTERVAL", "TRIANGLE", "QUADRILATERAL", "TETRAHEDRON", "HEXAHEDRON"};
  const PetscInt          *n      = row->blocks;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "{%s, RUNG_%s, \"%s\", {%d, %d, %d, %d}, %.2f, %.2f, {%.12e, %.12e}, %.15e, %d}, "
                        "/* %.2f %.2f */\n",
                        kind[row->kind], type[row->type], row->spec, (int)n[0], (int)n[1], (int)n[2], (int)n[3],
                        row->low, row->high, (double)error[0], (double)error[1], (double)size, (int)row->quick,
                        (double)order[0], (double)order[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the mesh `first` on: the last one has the numbers that were stored when the order was fitted to all four. */
static PetscErrorCode check_row(const Row *row, int first, PetscBool print)
{
  const PetscBool slopes = row->kind == PROJECTION ? PETSC_FALSE : PETSC_TRUE;
  PetscReal       h[4], error[2][4], size, order[2], low, high;

  PetscFunctionBegin;
  for (int i = first; i < 4; ++i) {
    PetscReal both[2];

    PetscCall(run(row, row->blocks[i], both, &size));
    h[i] = 1 / (PetscReal)row->blocks[i], error[0][i] = both[0], error[1][i] = both[1];
  }
  CHECK_NEAR(size, row->size, 1e-10 * row->size);
  for (int i = 0; i < (slopes ? 2 : 1); ++i)
    CHECK_NEAR(error[i][3], row->error[i], PetscMin(1e-10 * row->size, 1e-3 * row->error[i]) + 2e-14);
  if (first) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) PetscCall(RungRate(4, h, error[i], &order[i], &low, &high));
  if (print) PetscCall(print_row(row, (PetscReal[]){error[0][3], error[1][3]}, size, order));
  CHECK(order[0] > row->low && order[0] < row->high);
  if (row->kind == POISSON || row->kind == DEFORMED) CHECK(order[1] > row->low - 1.05 && order[1] < row->high - 0.7);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_fall_with_the_order_of_the_element(void)
{
  PetscBool all = PETSC_FALSE, print = PETSC_FALSE;

  PetscCall(PetscOptionsGetBool(NULL, NULL, "-space_all", &all, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-space_print", &print, NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i)
    if (all || rows[i].quick) PetscCall(check_row(&rows[i], all || check_alone() ? 0 : 3, print));
  return PETSC_SUCCESS;
}

/* The values of text at the fixed nodes. */
static PetscErrorCode set_values(Problem *p, const char text[])
{
  const RungSpaceData *data;
  RungPointwise        function;
  RungExpr             expr;
  PetscScalar         *u;
  PetscReal           *value;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(p->space, &data));
  PetscCall(PetscMalloc1(data->owned, &value));
  PetscCall(RungScopeParse(p->scope, "exact", text, &expr));
  PetscCall(RungPointwiseCreate(expr, &function));
  PetscCall(RungPointwiseEvaluate(function, 0, data->owned, data->x, value));
  PetscCall(RungPointwiseDestroy(&function));
  PetscCall(VecGetArray(p->u[0], &u));
  for (PetscInt i = 0; i < data->owned; ++i) u[i] = p->fixed[i] ? value[i] : 0;
  PetscCall(VecRestoreArray(p->u[0], &u));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Patch test: a harmonic polynomial of the element's degree, given on the boundary, is found to rounding; on a mesh that
   is cut, then refined: nothing rests on the order of a box. */
static PetscErrorCode test_polynomials_of_the_degree_are_exact(void)
{
  static const char *const exact[4][4] = {{0},
                                          {0, "3*x[0] - 1", "3*x[0] - 1", "3*x[0] - 1"},
                                          {0, "x[0] - 2*x[1]", "x[0]^2 - x[1]^2 + x[0]", "x[0]^3 - 3*x[0]*x[1]^2"},
                                          {0, "x[0] + x[2]", "x[0]*x[1] - x[2]^2 + x[1]^2", "x[0]*x[1]*x[2] + x[2]"}};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int k = 1; k <= 3; ++k) {
      const RungCell *cell = RungCellGet((RungCellType)type);
      char            spec[8];
      const Row       row = {.kind = POISSON, .type = (RungCellType)type, .spec = spec};
      Problem         p;
      PetscReal       error;

      PetscCall(PetscSNPrintf(spec, sizeof spec, "CG%d", k));
      PetscCall(problem_create(&row, 2, &p));
      PetscCall(set_values(&p, exact[cell->dim][k]));
      PetscCall(solve(&p, "inner(grad(u), grad(v))*dx"));
      PetscCall(error_of(&p, exact[cell->dim][k], PETSC_TRUE, &error));
      CHECK_NEAR(error, 0, 1e-11);
      PetscCall(error_of(&p, exact[cell->dim][k], PETSC_FALSE, &error));
      CHECK_NEAR(error, 0, 1e-11);
      PetscCall(problem_destroy(&p));
    }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_polynomials_of_the_degree_are_exact),
               RUNG_TEST(test_errors_fall_with_the_order_of_the_element))
