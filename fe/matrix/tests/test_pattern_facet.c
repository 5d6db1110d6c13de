/* test_pattern_facet.c - blocks of interior facets land where MatSetValues puts them, on any number of ranks. */
#include "check.h"

#define LANES 8

typedef struct {
  RungMesh              mesh;
  PetscInt              unknowns;
  RungSpace             space[2];
  RungLayout            layout;
  const RungLayoutData *d;
  const RungPlaces     *places;
  PetscBool            *fixed;
} Setting;

static const PetscBool cells[4]  = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE};
static const PetscBool facets[4] = {PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE};

/* Unknowns of two specs, or of one; 0 is fixed on "left" if `fix`; far dofs are told by their owners, not here. */
static PetscErrorCode create(const char cell[], PetscInt dim, const char *const spec[2], PetscBool fix, Setting *s)
{
  const PetscInt count[3] = {3, 2, 2};
  PetscInt       n, *node;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &s->mesh));
  PetscCall(RungMeshSetBox(s->mesh, cell, dim, count, NULL));
  s->unknowns = spec[1] ? 2 : 1;
  for (PetscInt f = 0; f < s->unknowns; ++f) PetscCall(RungSpaceCreate(s->mesh, spec[f], &s->space[f]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, s->unknowns, s->space, &s->layout));
  PetscCall(RungLayoutCoupleFacets(s->layout, NULL, facets));
  PetscCall(RungLayoutGetData(s->layout, &s->d));
  PetscCall(RungMeshGetPlaces(s->mesh, RUNG_INTERIOR_FACETS, NULL, &s->places));
  PetscCall(PetscCalloc1(s->d->local, &s->fixed));
  PetscCall(RungSpaceGetPartNodes(s->space[0], "left", &n, &node));
  for (PetscInt i = 0; i < n && fix; ++i) s->fixed[RungLayoutDof(s->layout, 0, node[i], 0)] = PETSC_TRUE;
  PetscCall(PetscFree(node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Setting *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->fixed));
  PetscCall(RungLayoutDestroy(&s->layout));
  for (PetscInt f = 0; f < s->unknowns; ++f) PetscCall(RungSpaceDestroy(&s->space[f]));
  PetscCall(RungMeshDestroy(&s->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt dof_of(const Setting *s, PetscInt i, PetscInt k)
{
  const RungLayoutData *d = s->d;
  const PetscInt        c = s->places->cell[k / d->cell_dofs][i], j = k % d->cell_dofs;

  return c < d->cells ? d->cell_dof[c * d->cell_dofs + j] : d->far_dof[(c - d->cells) * d->cell_dofs + j];
}

static PetscBool coupled(const Setting *s, PetscInt i, PetscInt j)
{
  const RungLayoutData *d = s->d;

  return facets[2 * (i % d->cell_dofs >= d->offset[1]) + (j % d->cell_dofs >= d->offset[1])];
}

static PetscScalar entry(PetscInt row, PetscInt column)
{
  return PetscSinReal(1 + (PetscReal)row + 3 * (PetscReal)column);
}

/* Are dofs fixed, as owners know it: [local dof]. */
static PetscErrorCode share_fixed(const Setting *s, PetscReal fixed[])
{
  const PetscScalar *local;
  PetscScalar       *x;
  Vec                u;

  PetscFunctionBegin;
  PetscCall(RungLayoutCreateVec(s->layout, &u));
  PetscCall(VecGetArray(u, &x));
  for (PetscInt i = 0; i < s->d->owned; ++i) x[i] = s->fixed[i] ? 1 : 0;
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(RungLayoutGather(s->layout, u, 0, &local));
  for (PetscInt i = 0; i < s->d->local; ++i) fixed[i] = PetscRealPart(local[i]);
  PetscCall(RungLayoutGatherRestore(s->layout, u, 0, &local));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J - the same by MatSetValue, which owners of facets do for all rows */
static PetscErrorCode subtract_twin(const Setting *s, Mat J)
{
  PetscReal *fixed;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->d->local, &fixed));
  PetscCall(share_fixed(s, fixed));
  for (PetscInt i = 0; i < s->places->count; ++i)
    for (PetscInt a = 0; a < 2 * s->d->cell_dofs; ++a)
      for (PetscInt b = 0; b < 2 * s->d->cell_dofs; ++b) {
        const PetscInt r = dof_of(s, i, a), c = dof_of(s, i, b);

        if (!coupled(s, a, b) || fixed[r] > 0 || fixed[c] > 0) continue;
        PetscCall(
          MatSetValue(J, s->d->global[r], s->d->global[c], -entry(s->d->global[r], s->d->global[c]), ADD_VALUES));
      }
  for (PetscInt r = 0; r < s->d->owned; ++r)
    if (fixed[r] > 0) PetscCall(MatSetValue(J, s->d->start + r, s->d->start + r, -1, ADD_VALUES));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets i .. i + count - 1, one lane apart; those behind them are announced. */
static PetscErrorCode insert(const Setting *s, Mat J, PetscInt i, PetscInt count, PetscScalar block[])
{
  const PetscInt n = 2 * s->d->cell_dofs, next = PetscMin(LANES, s->places->count - i - count);

  PetscFunctionBegin;
  for (PetscInt l = 0; l < count; ++l)
    for (PetscInt k = 0; k < n * n; ++k)
      block[k * LANES + l] = entry(s->d->global[dof_of(s, i + l, k / n)], s->d->global[dof_of(s, i + l, k % n)]);
  PetscCall(RungLayoutInsertFacets(s->layout, J, count, next, s->places->number + i, block, n * LANES, LANES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_insertion(const char cell[], PetscInt dim, const char *const spec[2], PetscBool fix)
{
  Setting      s;
  PetscScalar *block;
  PetscReal    norm;
  Mat          J;

  PetscCall(create(cell, dim, spec, fix, &s));
  PetscCall(RungLayoutCreateMat(s.layout, cells, fix ? s.fixed : NULL, &J));
  PetscCall(MatSetOption(J, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE)); /* the twin needs no other entries */
  PetscCall(PetscCalloc1(4 * s.d->cell_dofs * s.d->cell_dofs * LANES, &block));
  PetscCall(RungLayoutInsertBegin(s.layout, J));
  for (PetscInt i = 0; i < s.places->count; i += LANES)
    PetscCall(insert(&s, J, i, PetscMin(LANES, s.places->count - i), block));
  PetscCall(RungLayoutInsertEnd(s.layout, J));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm));
  CHECK(norm > 1);
  PetscCall(subtract_twin(&s, J));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm));
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(PetscFree(block));
  PetscCall(MatDestroy(&J));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

static const char *const mixed[2] = {"DG1^2", "CG2"};

static PetscErrorCode test_facet_blocks_are_inserted_as_by_petsc(void)
{
  PetscCall(check_insertion("interval", 1, mixed, PETSC_FALSE));
  PetscCall(check_insertion("triangle", 2, mixed, PETSC_FALSE));
  PetscCall(check_insertion("quadrilateral", 2, mixed, PETSC_FALSE));
  PetscCall(check_insertion("tetrahedron", 3, mixed, PETSC_FALSE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_one_unknown_of_any_number_of_columns_is_inserted_likewise(void)
{
  const struct {
    const char *cell;
    PetscInt    dim;
    const char *spec[2];
  } cases[] = {
    {"triangle", 2, {"DG0"}},        {"interval", 1, {"DG1"}},      {"triangle", 2, {"DG1"}},
    {"tetrahedron", 3, {"DG1"}},     {"interval", 1, {"DG4"}},      {"triangle", 2, {"DG2"}},
    {"hexahedron", 3, {"DG1"}},      {"quadrilateral", 2, {"DG2"}}, {"triangle", 2, {"DG3"}},
    {"quadrilateral", 2, {"DG1^2"}}, {"triangle", 2, {"CG2"}},      {"triangle", 2, {"CG1^2"}},
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    PetscCall(check_insertion(cases[i].cell, cases[i].dim, cases[i].spec, PETSC_FALSE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_fixed_rows_and_columns_are_left_out_on_both_sides(void)
{
  PetscCall(check_insertion("triangle", 2, mixed, PETSC_TRUE));
  PetscCall(check_insertion("quadrilateral", 2, mixed, PETSC_TRUE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_facet_that_the_matrix_does_not_know_is_refused(void)
{
  Setting     s;
  PetscScalar block = 0;
  PetscInt    facet = 0;
  RungLayout  other;
  Mat         J;

  PetscCall(create("triangle", 2, mixed, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, s.space, &other));
  PetscCall(RungLayoutCreateMat(other, cells, NULL, &J));
  PetscCall(RungLayoutInsertBegin(other, J));
  CHECK_RAISES(RungLayoutInsertFacets(other, J, 1, 0, &facet, &block, 0, 0), "call RungLayoutCoupleFacets() before");
  PetscCall(RungLayoutInsertEnd(other, J));
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&other));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Cells couple both ways here, facets one way: solvers that take the pattern for symmetric may never end. */
static PetscErrorCode test_a_pattern_is_symmetric_if_that_of_its_facets_is(void)
{
  const PetscBool back[4] = {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE};
  Setting         s;

  PetscCall(create("triangle", 2, mixed, PETSC_FALSE, &s));
  for (int both = 0; both < 2; ++both) {
    PetscBool known, symmetric;
    Mat       J;

    if (both) PetscCall(RungLayoutCoupleFacets(s.layout, NULL, back));
    PetscCall(RungLayoutCreateMat(s.layout, cells, NULL, &J));
    PetscCall(MatIsStructurallySymmetricKnown(J, &known, &symmetric));
    CHECK((known && symmetric) == (both ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(MatDestroy(&J));
  }
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_pattern_is_symmetric_if_that_of_its_facets_is),
               RUNG_TEST(test_facet_blocks_are_inserted_as_by_petsc),
               RUNG_TEST(test_one_unknown_of_any_number_of_columns_is_inserted_likewise),
               RUNG_TEST(test_fixed_rows_and_columns_are_left_out_on_both_sides),
               RUNG_TEST(test_a_facet_that_the_matrix_does_not_know_is_refused))
