/* test_assemble.c - vectors, matrices and numbers: against finite differences, exact integrals, one rank; what is not
   finite is found. */
#include "kernel_tools.h"

static const char *const solid =
  "rho = 2; F = I + grad(u); J = det(F); rho*inner(dt(dt(u)), v)*dx(degree: 4)"
  " + inner(mu*(F - inv(transpose(F))) + kappa*log(J)*inv(transpose(F)), grad(v))*dx(degree: 4)"
  " + (1 + p^2)*inner(grad(p), grad(q))*dx(degree: 4) + dt(p)*exp(p)*J*q*dx(degree: 4)"
  " - p*dot(v, n)*ds(degree: 4) + tanh(p - x[0]*t)*q*ds(right, degree: 4)";
static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

/* u_k[f] += h sigma[k][f] d */
static PetscErrorCode move_levels(Tools *tools, PetscReal h, Vec d, Vec moved[3])
{
  const RungLayoutData *data;
  const PetscScalar    *from;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(tools->layout, &data));
  PetscCall(VecGetArrayRead(d, &from));
  for (int k = 0; k < 3; ++k) {
    PetscScalar *to;

    PetscCall(VecCopy(tools->u[k], moved[k]));
    PetscCall(VecGetArray(moved[k], &to));
    for (PetscInt f = 0; f < 2; ++f) {
      for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i) to[i] += h * sigma[2 * k + f] * from[i];
    }
    PetscCall(VecRestoreArray(moved[k], &to));
  }
  PetscCall(VecRestoreArrayRead(d, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F(u + h d) - F(u) - h J d| for two steps h: the second is a quarter of the first */
static PetscErrorCode taylor(Tools *tools, RungForm form, PetscReal *slope)
{
  Vec       d, r0, r, Jd, moved[3];
  Mat       J;
  PetscReal rest[2];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(VecDuplicate(tools->u[k], &moved[k]));
  PetscCall(VecDuplicate(moved[0], &d));
  PetscCall(VecDuplicate(d, &r0));
  PetscCall(VecDuplicate(d, &r));
  PetscCall(VecDuplicate(d, &Jd));
  PetscCall(VecCopy(tools->u[1], d));
  PetscCall(
    RungLayoutCreateMat(tools->layout, (PetscBool[]){PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE}, NULL, &J));
  PetscCall(RungFormAssembleMat(form, 0.3, tools->u, sigma, J));
  PetscCall(MatMult(J, d, Jd));
  PetscCall(RungFormAssembleVec(form, 0.3, tools->u, r0));
  for (int i = 0; i < 2; ++i) {
    const PetscReal h = i ? 0.005 : 0.01;

    PetscCall(move_levels(tools, h, d, moved));
    PetscCall(RungFormAssembleVec(form, 0.3, moved, r));
    PetscCall(VecAXPY(r, -1, r0));
    PetscCall(VecAXPY(r, -h, Jd));
    PetscCall(VecNorm(r, NORM_2, &rest[i]));
  }
  *slope = log2(rest[0] / rest[1]);
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&moved[k]));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&r0));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&Jd));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_jacobian_is_the_derivative_of_the_vector(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    RungForm  form;
    PetscReal slope;

    PetscCall(tools_create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "1^d", "1", &tools));
    PetscCall(tools_form(&tools, solid, PETSC_FALSE, &form));
    PetscCall(taylor(&tools, form, &slope));
    CHECK_NEAR(slope, 2, 0.05);
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* J u = F(u) of a linear form: symmetric blocks, of which half is computed, against vectors. */
static PetscErrorCode test_matrix_of_a_linear_form_gives_its_vector(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    RungForm  form;
    Mat       J;
    Vec       r, Ju;
    PetscReal norm, difference;

    PetscCall(tools_create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "2^d", NULL, &tools));
    PetscCall(tools_form(&tools,
                         "inner(2*mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx + (1 + x[0])*inner(u, v)*dx(degree: 5)",
                         PETSC_FALSE, &form));
    PetscCall(VecDuplicate(tools.u[0], &r));
    PetscCall(VecDuplicate(tools.u[0], &Ju));
    PetscCall(RungLayoutCreateMat(tools.layout, (PetscBool[]){PETSC_TRUE}, NULL, &J));
    PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
    PetscCall(RungFormAssembleMat(form, 0, tools.u, (const PetscReal[]){1, 0, 0}, J));
    PetscCall(MatMult(J, tools.u[0], Ju));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(VecAXPY(Ju, -1, r));
    PetscCall(VecNorm(Ju, NORM_2, &difference));
    CHECK(norm > 0.01);
    CHECK_NEAR(difference, 0, 1e-13 * norm);
    PetscCall(MatDestroy(&J));
    PetscCall(VecDestroy(&r));
    PetscCall(VecDestroy(&Ju));
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* Unknowns that depend on the place alone, so that they are the same on any number of ranks. */
static PetscErrorCode set_by_place(Tools *tools)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < 2; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(tools->space[f], &space));
    for (int k = 0; k < 3; ++k) {
      PetscScalar *u;

      PetscCall(VecGetArray(tools->u[k], &u));
      for (PetscInt i = 0; i < space->owned; ++i) {
        const PetscReal *x = space->x + i * tools->data->dim;

        for (PetscInt c = 0; c < space->components; ++c) {
          u[RungLayoutDof(tools->layout, f, i, c)] = 0.05 * sin(x[0] + 2 * x[1] + (double)(c + f) + k);
        }
      }
      PetscCall(VecRestoreArray(tools->u[k], &u));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode norms(MPI_Comm comm, PetscBool compile, PetscReal norm[3])
{
  Tools    tools;
  RungForm form, number;
  Vec      r;
  Mat      J;

  PetscFunctionBegin;
  PetscCall(tools_create(comm, RUNG_TRIANGLE, PETSC_FALSE, "2^d", "1", &tools));
  PetscCall(set_by_place(&tools));
  PetscCall(tools_form(&tools, solid, compile, &form));
  PetscCall(tools_form(&tools, "exp(p)*inner(u, u)*dx + dot(u, n)*ds(top)", compile, &number));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungLayoutCreateMat(tools.layout, (PetscBool[]){PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE}, NULL, &J));
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  PetscCall(RungFormAssembleVec(form, 0.3, tools.u, r));
  PetscCall(RungFormAssembleMat(form, 0.3, tools.u, sigma, J));
  PetscCall(RungFormAssembleMat(form, 0.3, tools.u, sigma, J)); /* overwritten, not added to */
  PetscCall(VecNorm(r, NORM_2, &norm[0]));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[1]));
  PetscCall(RungFormIntegrate(number, 0.3, tools.u, &norm[2]));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(RungFormDestroy(&form));
  PetscCall(RungFormDestroy(&number));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_results_do_not_depend_on_ranks_or_back_end(void)
{
  PetscReal serial[3], interpreted[3], compiled[3];

  PetscCall(norms(PETSC_COMM_SELF, PETSC_FALSE, serial));
  PetscCall(norms(PETSC_COMM_WORLD, PETSC_FALSE, interpreted));
  PetscCall(norms(PETSC_COMM_WORLD, PETSC_TRUE, compiled));
  for (int i = 0; i < 3; ++i) {
    CHECK(fabs(serial[i]) > 1e-6);
    CHECK_NEAR(interpreted[i], serial[i], 1e-13 * fabs(serial[i]));
    CHECK_NEAR(compiled[i], serial[i], 1e-13 * fabs(serial[i]));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_symmetric_forms_give_symmetric_matrices_to_the_last_bit(void)
{
  for (int compile = 0; compile < 2; ++compile) {
    Tools     tools;
    RungForm  form;
    Mat       J;
    PetscBool symmetric;

    PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_TRUE, "2^d", NULL, &tools));
    PetscCall(tools_form(&tools, "inner(2*mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx + inner(dt(u), v)*dx",
                         compile ? PETSC_TRUE : PETSC_FALSE, &form));
    PetscCall(RungLayoutCreateMat(tools.layout, (PetscBool[]){PETSC_TRUE}, NULL, &J));
    PetscCall(RungFormAssembleMat(form, 0, tools.u, (const PetscReal[]){1, 0.7, 0}, J));
    PetscCall(MatIsSymmetric(J, 0, &symmetric));
    CHECK(symmetric);
    PetscCall(MatDestroy(&J));
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* A field is the same as an unknown of equal values. */
static PetscErrorCode test_fields_are_coefficients(void)
{
  for (int compile = 0; compile < 2; ++compile) {
    Tools     tools;
    RungForm  form, unknown;
    RungField field;
    Vec       values;
    PetscReal a, b;

    PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2^d", "1", &tools));
    PetscCall(RungFieldCreate(tools.space[0], "w", &field));
    PetscCall(RungFieldGetVec(field, &values));
    PetscCall(VecSet(values, 0.4));
    PetscCall(VecSet(tools.u[0], 0.4));
    PetscCall(RungScopeAddField(tools.scope, "w", field));
    PetscCall(
      tools_form(&tools, "(x[0]*w[1]^3 + inner(grad(w), grad(w)))*p*dx", compile ? PETSC_TRUE : PETSC_FALSE, &form));
    PetscCall(tools_form(&tools, "(x[0]*u[1]^3 + inner(grad(u), grad(u)))*p*dx", PETSC_FALSE, &unknown));
    PetscCall(RungFormIntegrate(form, 0, tools.u, &a));
    PetscCall(RungFormIntegrate(unknown, 0, tools.u, &b));
    CHECK_NEAR(a, 0.4 * 0.4 * 0.4 * 0.4 * 0.5 * 1.5, 1e-14);
    CHECK_NEAR(b, a, 1e-15);
    PetscCall(RungFormDestroy(&form));
    PetscCall(RungFormDestroy(&unknown));
    PetscCall(tools_destroy(&tools));
    PetscCall(RungFieldDestroy(&field));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_not_finite_is_found(void)
{
  Tools     tools;
  RungForm  vector, number;
  PetscReal value;
  Vec       r;
  char      message[512];

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(VecSet(tools.u[0], 1));
  PetscCall(tools_form(&tools, "sqrt(0.99 - x[0]/1.01)*u*v*dx", PETSC_FALSE, &vector));
  PetscCall(tools_form(&tools, "1/(u - 1)*dx", PETSC_FALSE, &number));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(vector, 0, tools.u, r));
  PetscCall(RungFormFindNonFinite(vector, 0, tools.u, NULL, message, sizeof message));
  CHECK(!message[0]);
  CHECK_RAISES(RungFormIntegrate(number, 0, tools.u, &value), "form \"test\" is not finite in the cell at (");
  PetscCall(VecSet(tools.u[0], NAN));
  PetscCall(RungFormAssembleVec(vector, 0, tools.u, r)); /* no error: a failed attempt */
  PetscCall(RungFormFindNonFinite(vector, 0, tools.u, NULL, message, sizeof message));
  CHECK(strstr(message, "where its unknowns are not finite either"));
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&vector));
  PetscCall(RungFormDestroy(&number));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_missing_is_named(void)
{
  Tools    tools;
  RungForm form;
  Vec      r;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_INTERVAL, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "dt(u)*v*dx", PETSC_FALSE, &form));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(form, 0, (const Vec[]){NULL, tools.u[1], NULL}, r)); /* u itself is not read */
  CHECK_RAISES(RungFormAssembleVec(form, 0, (const Vec[]){tools.u[0], NULL, NULL}, r), "u[1] was not given");
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* ---- geometry that batches of translated cells share --------------------------------------------------------------- */

static const char *const shared = "(kappa + u^2)*inner(grad(u), grad(v))*dx + mu*u*v*dx + x[0]*u*v*ds";

/* The blocks of all cells, integral after integral: added up. */
typedef struct {
  const RungLayoutData *layout;
  PetscScalar          *block; /* [cell][n * n] */
  PetscInt              shown, different;
} Blocks;

static PetscErrorCode keep_blocks(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                                  void *ctx)
{
  Blocks        *blocks = (Blocks *)ctx;
  const PetscInt n      = blocks->layout->cell_dofs;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < count; ++l) {
    for (PetscInt i = 0; i < n * n; ++i) blocks->block[cell[l] * n * n + i] += block[i / n * si + i % n * sj + l];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it, to the last bit, the block of the cell that has these dofs? */
static PetscErrorCode compare_block(PetscInt n, const PetscInt dof[], const PetscScalar block[], PetscInt si,
                                    PetscInt sj, void *ctx)
{
  Blocks   *blocks = (Blocks *)ctx;
  PetscInt  cell   = 0;
  PetscBool same   = PETSC_TRUE;

  PetscFunctionBegin;
  while (memcmp(dof, blocks->layout->cell_dof + cell * n, (size_t)n * sizeof *dof) != 0) ++cell;
  for (PetscInt i = 0; i < n * n; ++i)
    same = same && block[i / n * si + i % n * sj] == blocks->block[cell * n * n + i] ? PETSC_TRUE : PETSC_FALSE;
  ++blocks->shown;
  blocks->different += same ? 0 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several batches of translates whose coordinates are rounded, so that each has geometry of its own in the last bits. */
static PetscErrorCode rounded_box(RungCellType type, Tools *tools)
{
  static const PetscInt count[][3] = {{0}, {29, 0, 0}, {7, 5, 0}, {5, 4, 3}}; /* [dim] */
  const PetscInt        dim        = RungCellGet(type)->dim;
  RungMesh              mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, tools_cell[type], dim, count[dim], (PetscReal[]){1.1, 0.7, 1.3}));
  PetscCall(RungMeshSetUp(mesh));
  PetscCall(tools_create_on(PETSC_COMM_WORLD, mesh, type, "2", NULL, tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Batches are left out and come in another order of marks than that of the full assembly. */
static PetscErrorCode test_a_cell_has_its_block_whichever_others_were_computed(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools      tools;
    RungForm   form[2];
    Blocks     blocks = {NULL, NULL, 0, 0};
    PetscBool *marked;
    PetscInt   n, most, wanted = 0;

    PetscCall(rounded_box((RungCellType)type, &tools));
    PetscCall(RungLayoutGetData(tools.layout, &blocks.layout));
    n = blocks.layout->cell_dofs;
    for (int i = 0; i < 2; ++i)
      PetscCall(tools_form(&tools, "(kappa + u^2)*inner(grad(u), grad(v))*dx", PETSC_FALSE, &form[i]));
    PetscCall(PetscCalloc2(blocks.layout->cells * n * n + 1, &blocks.block, blocks.layout->local + 1, &marked));
    PetscCall(RungFormAddMat(form[0], 0.3, tools.u, sigma, NULL, keep_blocks, &blocks));
    PetscCallMPI(MPI_Allreduce(&blocks.layout->local, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
    for (PetscInt k = most - 1; k >= 0; k -= 3) { /* as often on all ranks */
      const PetscBool mine = k < blocks.layout->local ? PETSC_TRUE : PETSC_FALSE;

      if (mine) marked[k] = PETSC_TRUE;
      for (PetscInt i = 0; i < blocks.layout->cells * n; ++i) wanted += blocks.layout->cell_dof[i] == k ? 1 : 0;
      PetscCall(RungFormShowBlocks(form[1], 0.3, tools.u, sigma, marked, compare_block, &blocks));
      if (mine) marked[k] = PETSC_FALSE;
    }
    CHECK(blocks.shown == wanted && blocks.different == 0);
    PetscCall(PetscFree2(blocks.block, marked));
    for (int i = 0; i < 2; ++i) PetscCall(RungFormDestroy(&form[i]));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* Counts the cells and compares their blocks with those that are kept. */
static PetscErrorCode count_blocks(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                                   void *ctx)
{
  Blocks        *blocks = (Blocks *)ctx;
  const PetscInt n      = blocks->layout->cell_dofs;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < count; ++l)
    for (PetscInt i = 0; i < n * n; ++i)
      if (block[i / n * si + i % n * sj + l] != blocks->block[cell[l] * n * n + i]) ++blocks->different;
  blocks->shown += count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of 16 * 16 * 12 * 6 tetrahedra on one rank or three. */
static PetscErrorCode test_one_of_so_many_cells_is_shown(void)
{
  Tools    tools;
  RungMesh mesh;
  RungForm form;
  Blocks   blocks = {NULL, NULL, 0, 0};
  PetscInt shown[2], n;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){16, 16, 12}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetUp(mesh));
  PetscCall(tools_create_on(PETSC_COMM_WORLD, mesh, RUNG_TETRAHEDRON, "1", NULL, &tools));
  PetscCall(RungLayoutGetData(tools.layout, &blocks.layout));
  n = blocks.layout->cell_dofs;
  PetscCall(tools_form(&tools, "(kappa + u^2)*inner(grad(u), grad(v))*dx", PETSC_FALSE, &form));
  PetscCall(PetscCalloc1(blocks.layout->cells * n * n + 1, &blocks.block));
  PetscCall(RungFormAddMat(form, 0.3, tools.u, sigma, NULL, keep_blocks, &blocks));
  for (int again = 0; again < 2; ++again) {
    blocks.shown = 0;
    PetscCall(RungFormShowSome(form, 0.3, tools.u, sigma, 8, count_blocks, &blocks));
    shown[again] = blocks.shown;
  }
  CHECK(shown[0] == shown[1] && shown[0] > blocks.layout->cells / 16 && shown[0] < blocks.layout->cells / 4);
  blocks.shown = 0;
  PetscCall(RungFormShowSome(form, 0.3, tools.u, sigma, 1, count_blocks, &blocks));
  CHECK(blocks.shown == blocks.layout->cells && blocks.different == 0);
  PetscCall(PetscFree(blocks.block));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* A form that has worked with other constants and at other states gives the bits of a new one. */
static PetscErrorCode test_vectors_do_not_depend_on_what_came_before(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    RungForm  form[2];
    Vec       r[2];
    PetscBool same;

    PetscCall(rounded_box((RungCellType)type, &tools));
    for (int i = 0; i < 2; ++i) {
      PetscCall(tools_form(&tools, shared, PETSC_FALSE, &form[i]));
      PetscCall(VecDuplicate(tools.u[0], &r[i]));
    }
    PetscCall(RungFormAssembleVec(form[0], 0.3, tools.u, r[0]));
    PetscCall(RungScopeSetConstant(tools.scope, "kappa", -4));
    PetscCall(RungFormAssembleVec(form[1], 0.7, (const Vec[]){tools.u[1], tools.u[0], tools.u[2]}, r[1]));
    PetscCall(RungFormApply(form[1], 0.3, tools.u, sigma, tools.u[2], r[1]));
    PetscCall(RungScopeSetConstant(tools.scope, "kappa", 0.7));
    PetscCall(RungFormAssembleVec(form[1], 0.3, tools.u, r[1]));
    PetscCall(VecEqual(r[0], r[1], &same));
    CHECK(same);
    for (int i = 0; i < 2; ++i) {
      PetscCall(VecDestroy(&r[i]));
      PetscCall(RungFormDestroy(&form[i]));
    }
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_jacobian_is_the_derivative_of_the_vector),
               RUNG_TEST(test_matrix_of_a_linear_form_gives_its_vector),
               RUNG_TEST(test_results_do_not_depend_on_ranks_or_back_end),
               RUNG_TEST(test_symmetric_forms_give_symmetric_matrices_to_the_last_bit),
               RUNG_TEST(test_fields_are_coefficients), RUNG_TEST(test_what_is_not_finite_is_found),
               RUNG_TEST(test_what_is_missing_is_named), RUNG_TEST(test_one_of_so_many_cells_is_shown),
               RUNG_TEST(test_a_cell_has_its_block_whichever_others_were_computed),
               RUNG_TEST(test_vectors_do_not_depend_on_what_came_before))
