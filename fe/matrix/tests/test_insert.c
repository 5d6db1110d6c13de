/* test_insert.c - matrices filled without a search equal those that MatSetValues fills, on any number of ranks. */
#include "check.h"

typedef struct {
  RungMesh              mesh;
  PetscInt              n;
  RungSpace             space[3];
  RungLayout            layout;
  const RungLayoutData *data;
  PetscBool            *fixed;
} Setting;

/* In  specs[n]; fixed dofs: component 0 of unknown 0 on "left" if `fix`. */
static PetscErrorCode create(const char cell[], PetscInt dim, PetscInt n, const char *const specs[], PetscBool fix,
                             Setting *s)
{
  const PetscInt  count[3] = {3, 2, 2};
  const PetscReal size[3]  = {1, 1, 1};
  PetscInt        nodes, *node;

  PetscFunctionBegin;
  s->n = n;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &s->mesh));
  PetscCall(RungMeshSetBox(s->mesh, cell, dim, count, size));
  for (PetscInt f = 0; f < n; ++f) PetscCall(RungSpaceCreate(s->mesh, specs[f], &s->space[f]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, n, s->space, &s->layout));
  PetscCall(RungLayoutGetData(s->layout, &s->data));
  PetscCall(PetscCalloc1(s->data->local, &s->fixed));
  if (!fix) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetPartNodes(s->space[0], "left", &nodes, &node));
  for (PetscInt i = 0; i < nodes; ++i) s->fixed[RungLayoutDof(s->layout, 0, node[i], 0)] = PETSC_TRUE;
  PetscCall(PetscFree(node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Setting *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->fixed));
  PetscCall(RungLayoutDestroy(&s->layout));
  for (PetscInt f = 0; f < s->n; ++f) PetscCall(RungSpaceDestroy(&s->space[f]));
  PetscCall(RungMeshDestroy(&s->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt unknown_of(const RungLayoutData *d, PetscInt i)
{
  PetscInt f = 0;

  while (i >= d->offset[f + 1]) ++f;
  return f;
}

/* A block without any symmetry; its entries do not depend on how cells are numbered. */
static PetscScalar entry(const RungLayoutData *d, PetscInt cell, PetscInt i, PetscInt j)
{
  const PetscReal g = (PetscReal)d->global[d->cell_dof[cell * d->cell_dofs + i]];
  const PetscReal h = (PetscReal)d->global[d->cell_dof[cell * d->cell_dofs + j]];

  return PetscSinReal(1 + g + 3 * h + (PetscReal)(i * d->cell_dofs + j));
}

/* The same matrix by MatSetValues. */
static PetscErrorCode assemble_twin(const Setting *s, const PetscBool couple[], Mat *twin)
{
  const RungLayoutData *d = s->data;

  PetscFunctionBegin;
  PetscCall(
    MatCreateAIJ(PETSC_COMM_WORLD, d->owned, d->owned, PETSC_DETERMINE, PETSC_DETERMINE, 400, NULL, 400, NULL, twin));
  PetscCall(MatSetOption(*twin, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt c = 0; c < d->cells; ++c)
    for (PetscInt i = 0; i < d->cell_dofs; ++i)
      for (PetscInt j = 0; j < d->cell_dofs; ++j) {
        const PetscInt r = d->cell_dof[c * d->cell_dofs + i], k = d->cell_dof[c * d->cell_dofs + j];

        if (!couple[unknown_of(d, i) * s->n + unknown_of(d, j)] || s->fixed[r] || s->fixed[k]) continue;
        PetscCall(MatSetValue(*twin, d->global[r], d->global[k], entry(d, c, i, j), ADD_VALUES));
      }
  for (PetscInt r = 0; r < d->owned; ++r)
    PetscCall(MatSetValue(*twin, d->start + r, d->start + r, s->fixed[r] ? 1 : 0, ADD_VALUES));
  PetscCall(MatAssemblyBegin(*twin, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*twin, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks are given with strides (1, n), or (n, 1) and the cells from the last to the first, times `lanes`; J is open. */
static PetscErrorCode insert_cells(const Setting *s, Mat J, PetscBool transposed, PetscInt lanes)
{
  const RungLayoutData *d = s->data;
  const PetscInt        n = d->cell_dofs, si = lanes * (transposed ? 1 : n), sj = lanes * (transposed ? n : 1);
  PetscScalar          *block;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n * lanes, &block));
  for (PetscInt k = 0; k < d->cells; ++k) {
    const PetscInt c = transposed ? d->cells - 1 - k : k;

    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j < n; ++j) block[i * si + j * sj] = entry(d, c, i, j);
    PetscCall(RungLayoutInsertCell(s->layout, J, c, block, si, sj));
  }
  PetscCall(RungLayoutInsertEnd(s->layout, J));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode insert_all(const Setting *s, Mat J, PetscBool transposed, PetscInt lanes)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutInsertBegin(s->layout, J));
  PetscCall(insert_cells(s, J, transposed, lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode difference(Mat J, Mat twin, PetscReal *norm)
{
  Mat D;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(twin, MAT_COPY_VALUES, &D));
  PetscCall(MatAXPY(D, -1, J, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, norm));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const char cell[], PetscInt dim, PetscInt n, const char *const specs[],
                              const PetscBool couple[], PetscBool fix)
{
  Setting   s;
  Mat       J, twin;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(create(cell, dim, n, specs, fix, &s));
  PetscCall(RungLayoutCreateMat(s.layout, couple, fix ? s.fixed : NULL, &J));
  PetscCall(assemble_twin(&s, couple, &twin));
  for (int round = 0; round < 2; ++round) { /* the second time on top of old values */
    PetscCall(insert_all(&s, J, (PetscBool)round, 1 + 3 * round));
    PetscCall(difference(J, twin, &norm));
    CHECK_NEAR(norm, 0, 1e-12);
  }
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&twin));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PetscBool all[9] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE,
                                 PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

static PetscErrorCode test_one_unknown_equals_set_values(void)
{
  static const struct {
    const char *cell, *spec;
    PetscInt    dim;
  } list[] = {{"interval", "P3", 1},      {"triangle", "P1", 2},      {"triangle", "P2^2", 2},
              {"quadrilateral", "Q3", 2}, {"tetrahedron", "P2^3", 3}, {"tetrahedron", "P3", 3},
              {"hexahedron", "Q1^4", 3},  {"hexahedron", "Q2", 3},    {"triangle", "DP1", 2}};

  for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i)
    for (int fix = 0; fix < 2; ++fix)
      PetscCall(compare(list[i].cell, list[i].dim, 1, &list[i].spec, all, (PetscBool)fix));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_several_unknowns_equal_set_values(void)
{
  static const char *const mixed[] = {"P2^d", "P1", "P0"}, *const uniform[] = {"P2", "P1"};
  const PetscBool some[9] = {PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE, PETSC_FALSE,
                             PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE};
  const PetscBool none[4] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

  for (int fix = 0; fix < 2; ++fix) {
    PetscCall(compare("triangle", 2, 3, mixed, all, (PetscBool)fix));
    PetscCall(compare("triangle", 2, 3, mixed, some, (PetscBool)fix));
    PetscCall(compare("tetrahedron", 3, 2, uniform, all, (PetscBool)fix));
    PetscCall(compare("triangle", 2, 2, uniform, none, (PetscBool)fix));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_duplicate_can_be_inserted_into(void)
{
  static const char *const spec = "P2";
  Setting                  s;
  Mat                      J, K, L;
  PetscReal                norm;

  PetscCall(create("triangle", 2, 1, &spec, PETSC_TRUE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, s.fixed, &J));
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &K));
  PetscCall(insert_all(&s, J, PETSC_FALSE, 1));
  PetscCall(MatDuplicate(K, MAT_COPY_VALUES, &L));
  PetscCall(insert_all(&s, K, PETSC_FALSE, 1));
  PetscCall(difference(J, K, &norm));
  CHECK_NEAR(norm, 0, 1e-14);
  PetscCall(MatDestroy(&J));
  PetscCall(insert_all(&s, L, PETSC_FALSE, 1));
  PetscCall(difference(K, L, &norm));
  CHECK_NEAR(norm, 0, 1e-14);
  PetscCall(MatDestroy(&K));
  PetscCall(destroy(&s));
  PetscCall(MatDestroy(&L)); /* outlives the layout */
  return PETSC_SUCCESS;
}

/* x = J^-1 b by a preconditioner of the diagonal, which is set up anew only if J is known to have changed. */
static PetscErrorCode solve_by_diagonal(KSP ksp, const Setting *s, Mat J, PetscReal *norm)
{
  Vec x, b;

  PetscFunctionBegin;
  PetscCall(RungLayoutCreateVec(s->layout, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode insert_unit_cells(const Setting *s, Mat J, PetscReal scale)
{
  PetscScalar block[36] = {0};

  PetscFunctionBegin;
  for (int i = 0; i < 6; ++i) block[7 * i] = scale;
  PetscCall(RungLayoutInsertBegin(s->layout, J));
  for (PetscInt c = 0; c < s->data->cells; ++c) PetscCall(RungLayoutInsertCell(s->layout, J, c, block, 6, 1));
  PetscCall(RungLayoutInsertEnd(s->layout, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_solvers_see_new_values(void)
{
  static const char *const spec = "P1^2";
  PetscReal                norm[2];
  Setting                  s;
  Mat                      J;
  KSP                      ksp;
  PC                       pc;

  PetscCall(create("triangle", 2, 1, &spec, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, NULL, &J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  for (int i = 0; i < 2; ++i) {
    PetscCall(insert_unit_cells(&s, J, 1 + i));
    PetscCall(solve_by_diagonal(ksp, &s, J, &norm[i]));
  }
  CHECK_NEAR(norm[1], norm[0] / 2, 1e-14);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_matrix_knows_its_structure(void)
{
  static const char *const spec = "P1^2";
  PetscBool                set, flag;
  PetscInt                 size;
  Setting                  s;
  Mat                      J;

  PetscCall(create("triangle", 2, 1, &spec, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, NULL, &J));
  PetscCall(MatAssembled(J, &flag));
  CHECK(flag);
  PetscCall(MatIsStructurallySymmetricKnown(J, &set, &flag));
  CHECK(set && flag);
  PetscCall(MatGetBlockSize(J, &size));
  CHECK(size == 2);
  if (check_alone()) CHECK_RAISES(MatSetValue(J, 0, 17, 1, ADD_VALUES), "new nonzero"); /* of opposite corners */
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* K and L hold cells without fixed dofs, J is made with them. */
static PetscErrorCode test_a_combination_equals_inserted_sums(void)
{
  static const char *const spec    = "P2^2";
  const PetscReal          c[3][3] = {{1}, {3, -2}, {3, -4, 2}}; /* of one to three matrices that are all A: A */
  PetscReal                norm;
  Setting                  s;
  Mat                      K[2], J, twin;

  PetscCall(create("triangle", 2, 1, &spec, PETSC_TRUE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, NULL, &K[0]));
  PetscCall(MatDuplicate(K[0], MAT_DO_NOT_COPY_VALUES, &K[1]));
  for (int k = 0; k < 2; ++k) PetscCall(insert_all(&s, K[k], (PetscBool)k, 1));
  PetscCall(RungLayoutCreateMat(s.layout, all, s.fixed, &J));
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &twin));
  PetscCall(insert_all(&s, twin, PETSC_FALSE, 1));
  for (PetscInt n = 1; n <= 3; ++n) { /* and the identity of fixed dofs */
    PetscCall(RungLayoutCombineMats(s.layout, n, c[n - 1], (Mat[]){K[0], K[1], K[0]}, J));
    PetscCall(difference(J, twin, &norm));
    CHECK_NEAR(norm, 0, 1e-12);
  }
  CHECK_RAISES(RungLayoutCombineMats(s.layout, 4, c[2], K, J), "wanted 1 to 3");
  for (int k = 0; k < 2; ++k) PetscCall(MatDestroy(&K[k]));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&twin));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* J and the twin multiply alike; a symmetric matrix is half of what is inserted: blocks are made symmetric. */
static PetscErrorCode insert_symmetric(const Setting *s, Mat J)
{
  const RungLayoutData *d = s->data;
  const PetscInt        n = d->cell_dofs;
  PetscScalar          *block;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, &block));
  PetscCall(RungLayoutInsertBegin(s->layout, J));
  for (PetscInt c = 0; c < d->cells; ++c) {
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j < n; ++j) block[i * n + j] = entry(d, c, i, j) + entry(d, c, j, i);
    PetscCall(RungLayoutInsertCell(s->layout, J, c, block, n, 1));
  }
  PetscCall(RungLayoutInsertEnd(s->layout, J));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_products(const Setting *s, Mat J, Mat twin)
{
  Vec       x, y, z;
  PetscReal norm, size;

  PetscFunctionBegin;
  PetscCall(RungLayoutCreateVec(s->layout, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &z));
  for (PetscInt i = 0; i < s->data->owned; ++i)
    PetscCall(VecSetValue(x, s->data->start + i, PetscSinReal((PetscReal)(s->data->start + i)), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatMult(J, x, y));
  PetscCall(MatMult(twin, x, z));
  PetscCall(VecNorm(z, NORM_2, &size));
  PetscCall(VecAXPY(y, -1, z));
  PetscCall(VecNorm(y, NORM_2, &norm));
  CHECK(size > 1);
  CHECK_NEAR(norm, 0, 1e-12 * size);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_type(const char type[], const char cell[], PetscInt dim, const char *spec, PetscBool fix)
{
  const PetscReal c[] = {3, -2};
  Setting         s;
  Mat             J, K[2], twin;

  PetscFunctionBegin;
  PetscCall(create(cell, dim, 1, &spec, fix, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, s.fixed, &twin));
  PetscCall(insert_symmetric(&s, twin));
  PetscCall(RungLayoutCreateMatOfType(s.layout, type, all, s.fixed, &J));
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &K[0]));
  for (int round = 0; round < 2; ++round) { /* the second time on top of old values */
    PetscCall(insert_symmetric(&s, J));
    PetscCall(check_products(&s, J, twin));
  }
  PetscCall(insert_symmetric(&s, K[0]));
  PetscCall(check_products(&s, K[0], twin));
  PetscCall(RungLayoutCreateMatOfType(s.layout, type, all, NULL, &K[1]));
  PetscCall(insert_symmetric(&s, K[1]));
  PetscCall(MatZeroEntries(J));
  PetscCall(RungLayoutCombineMats(s.layout, 2, c, (Mat[]){K[1], K[1]}, J)); /* 3 A - 2 A, and the fixed dofs */
  PetscCall(check_products(&s, J, twin));
  PetscCall(MatDestroy(&J));
  for (int k = 0; k < 2; ++k) PetscCall(MatDestroy(&K[k]));
  PetscCall(MatDestroy(&twin));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_all_types_multiply_like_aij(void)
{
  static const char *const type[] = {"baij", "sbaij", "sell", "is", "aijperm", "aijsell", "aijcrl", "dense"};

  for (size_t i = 0; i < sizeof type / sizeof type[0]; ++i)
    for (int fix = 0; fix < 2; ++fix) {
      PetscCall(compare_type(type[i], "triangle", 2, "P2^2", (PetscBool)fix));
      PetscCall(compare_type(type[i], "quadrilateral", 2, "Q1", (PetscBool)fix));
      PetscCall(compare_type(type[i], "tetrahedron", 3, "P1^3", (PetscBool)fix));
      PetscCall(compare_type(type[i], "tetrahedron", 3, "P2^4", (PetscBool)fix));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_types_that_do_not_fit_are_refused(void)
{
  static const char *const spec[] = {"P2^2", "P1"};
  Setting                  s;
  Mat                      J;

  PetscCall(create("triangle", 2, 2, spec, PETSC_FALSE, &s));
  CHECK_RAISES(RungLayoutCreateMatOfType(s.layout, "baij", all, NULL, &J), "there are 2 unknowns; take aij");
  CHECK_RAISES(RungLayoutCreateMatOfType(s.layout, "sbai", all, NULL, &J), "did you mean sbaij");
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

enum { LANES = 8 };

enum { INNER = 1, EDGE = 2, BOTH = 3 }; /* cells without, with dofs of other ranks */

/* Cells of some kinds, eight at a time as kernels leave them. */
static PetscErrorCode insert_lanes(const Setting *s, Mat J, int kinds)
{
  const RungLayoutData *d = s->data;
  const PetscInt        n = d->cell_dofs;
  PetscScalar          *block;
  PetscInt              cell[LANES], count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n * LANES, &block));
  for (PetscInt c = 0; c <= d->cells; ++c) {
    if (c < d->cells && (kinds & (d->cell_edge && d->cell_edge[c] ? EDGE : INNER))) {
      for (PetscInt k = 0; k < n * n; ++k) block[k * LANES + count] = entry(d, c, k / n, k % n);
      cell[count++] = c;
    }
    if (count == LANES || (c == d->cells && count)) {
      PetscCall(RungLayoutInsertCells(s->layout, J, count, cell, block, n * LANES, LANES));
      count = 0;
    }
  }
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_lanes(const char cell[], PetscInt dim, PetscInt n, const char *const specs[],
                                    const PetscBool couple[])
{
  Setting   s;
  Mat       J, twin;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(create(cell, dim, n, specs, PETSC_TRUE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, couple, s.fixed, &J));
  PetscCall(RungLayoutInsertBegin(s.layout, J));
  PetscCall(insert_lanes(&s, J, EDGE));
  PetscCall(RungLayoutInsertSend(s.layout, J));
  CHECK_RAISES(RungLayoutInsertSend(s.layout, J), "were sent before");
  PetscCall(insert_lanes(&s, J, INNER));
  PetscCall(RungLayoutInsertEnd(s.layout, J));
  PetscCall(assemble_twin(&s, couple, &twin));
  PetscCall(difference(J, twin, &norm));
  CHECK(norm < 1e-11);
  PetscCall(RungLayoutInsertBegin(s.layout, J)); /* over the values from before, all in order */
  PetscCall(insert_lanes(&s, J, BOTH));
  PetscCall(RungLayoutInsertEnd(s.layout, J));
  PetscCall(difference(J, twin, &norm));
  CHECK(norm < 1e-11);
  PetscCall(MatDestroy(&twin));
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All shapes that have loops of their own, and rows that leave before the last cells come. */
static PetscErrorCode test_eight_cells_at_a_time_equal_set_values(void)
{
  static const char *const one[]    = {"P1", "P2", "P1^2", "P1^3", "P2^3", "P1^4"};
  static const char *const two[][2] = {{"P2^2", "P1"}, {"P1", "P1"}, {"P2^3", "P1"}, {"P1", "R"}};
  static const PetscBool   saddle[] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE};
  static const char *const box[]    = {"Q1", "Q2"};
  static const char *const long_[]  = {"Q3", "Q1"}; /* offsets of two bytes */
  static const PetscBool   apart[]  = {PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE};

  for (int k = 0; k < 6; ++k) {
    PetscCall(compare_lanes("tetrahedron", 3, 1, &one[k], all));
    PetscCall(compare_lanes("triangle", 2, 1, &one[k], all));
  }
  for (int k = 0; k < 2; ++k) {
    PetscCall(compare_lanes("hexahedron", 3, 1, &box[k], all));
    PetscCall(compare_lanes("quadrilateral", 2, 1, &box[k], all));
  }
  PetscCall(compare_lanes("hexahedron", 3, 2, long_, apart));
  for (int k = 0; k < 4; ++k) {
    PetscCall(compare_lanes("triangle", 2, 2, two[k], all));
    PetscCall(compare_lanes("triangle", 2, 2, two[k], saddle));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_misuse_is_refused(void)
{
  static const char *const spec     = "P1";
  PetscScalar              block[9] = {0};
  Setting                  s;
  Mat                      J, K;

  PetscCall(create("triangle", 2, 1, &spec, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreateMat(s.layout, all, NULL, &J));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, s.data->owned, s.data->owned, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0,
                         NULL, &K));
  CHECK_RAISES(RungLayoutInsertBegin(s.layout, K), "did not make");
  CHECK_RAISES(RungLayoutInsertCell(s.layout, J, 0, block, 3, 1), "not open");
  CHECK_RAISES(RungLayoutInsertEnd(s.layout, J), "not open");
  CHECK_RAISES(RungLayoutInsertSend(s.layout, J), "not open");
  PetscCall(RungLayoutInsertBegin(s.layout, J));
  CHECK_RAISES(RungLayoutInsertBegin(s.layout, J), "end it first");
  PetscCall(RungLayoutInsertEnd(s.layout, J));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* J = 2 K and the blocks of some pairs of unknowns; the second time J holds 2 K already; later it does not: J, then K has other
   values, then all of J was inserted. */
static PetscErrorCode test_some_blocks_are_added_to_other_matrices(void)
{
  const char *const specs[]   = {"P2^d", "P1", "R"};
  const PetscBool   couple[9] = {1, 1, 0, 1, 1, 1, 0, 1, 1};
  const PetscBool   some[9]   = {0, 1, 0, 1, 0, 0, 0, 1, 0};
  const char *const cell[]    = {"triangle", "tetrahedron"};
  const PetscReal   weight[1] = {2};

  for (PetscInt dim = 2; dim <= 3; ++dim) {
    Setting   s;
    Mat       J, K, twin[2];
    PetscReal norm;

    PetscCall(create(cell[dim - 2], dim, 3, specs, PETSC_FALSE, &s));
    PetscCall(RungLayoutCreateMat(s.layout, couple, NULL, &K));
    PetscCall(insert_all(&s, K, PETSC_FALSE, 1));
    PetscCall(MatDuplicate(K, MAT_COPY_VALUES, &J));
    PetscCall(assemble_twin(&s, couple, &twin[0]));
    PetscCall(assemble_twin(&s, some, &twin[1]));
    PetscCall(MatAXPY(twin[1], 2, twin[0], DIFFERENT_NONZERO_PATTERN));
    for (int i = 0; i < 5; ++i) {
      if (i == 2) PetscCall(MatScale(J, 7));
      if (i == 3) {
        PetscCall(MatScale(K, 3));
        PetscCall(MatAXPY(twin[1], 4, twin[0], DIFFERENT_NONZERO_PATTERN));
      }
      if (i == 4) PetscCall(insert_all(&s, J, PETSC_FALSE, 1));
      PetscCall(RungLayoutInsertBeginFrom(s.layout, J, 1, weight, &K, some, -1, NULL));
      PetscCall(insert_cells(&s, J, i ? PETSC_TRUE : PETSC_FALSE, 1));
      PetscCall(difference(J, twin[1], &norm));
      CHECK_NEAR(norm, 0, 1e-11);
    }
    PetscCall(MatDestroy(&J));
    PetscCall(MatDestroy(&K));
    for (int i = 0; i < 2; ++i) PetscCall(MatDestroy(&twin[i]));
    PetscCall(destroy(&s));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_matrices_of_blocks_do_not_begin_as_others(void)
{
  const char *const specs[]   = {"P1^d"};
  const PetscBool   couple[1] = {1};
  const PetscReal   weight[1] = {2};
  Setting           s;
  Mat               J;

  PetscCall(create("triangle", 2, 1, specs, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreateMatOfType(s.layout, MATBAIJ, couple, NULL, &J));
  CHECK_RAISES(RungLayoutInsertBeginFrom(s.layout, J, 1, weight, &J, couple, -1, NULL), "take aij");
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_unknown_equals_set_values), RUNG_TEST(test_several_unknowns_equal_set_values),
               RUNG_TEST(test_a_duplicate_can_be_inserted_into), RUNG_TEST(test_solvers_see_new_values),
               RUNG_TEST(test_the_matrix_knows_its_structure), RUNG_TEST(test_a_combination_equals_inserted_sums),
               RUNG_TEST(test_all_types_multiply_like_aij), RUNG_TEST(test_types_that_do_not_fit_are_refused),
               RUNG_TEST(test_eight_cells_at_a_time_equal_set_values), RUNG_TEST(test_misuse_is_refused),
               RUNG_TEST(test_some_blocks_are_added_to_other_matrices),
               RUNG_TEST(test_matrices_of_blocks_do_not_begin_as_others))
