/* test_pattern_facet.c - blocks of interior facets land where MatSetValues puts them, on any number of ranks. */
#include "check.h"

typedef struct {
  RungMesh              mesh;
  RungSpace             space[2];
  RungLayout            layout;
  const RungLayoutData *d;
  const RungPlaces     *places;
  PetscBool            *fixed;
} Setting;

static const PetscBool cells[4]  = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE};
static const PetscBool facets[4] = {PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE};

/* Unknown 0 is fixed on "left" if `fix`; far dofs are told by their owners, not here. */
static PetscErrorCode create(const char cell[], PetscInt dim, PetscBool fix, Setting *s)
{
  const PetscInt count[3] = {3, 2, 2};
  PetscInt       n, *node;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &s->mesh));
  PetscCall(RungMeshSetBox(s->mesh, cell, dim, count, NULL));
  PetscCall(RungSpaceCreate(s->mesh, "DG1^2", &s->space[0]));
  PetscCall(RungSpaceCreate(s->mesh, "CG2", &s->space[1]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, s->space, &s->layout));
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
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceDestroy(&s->space[f]));
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

static PetscErrorCode check_insertion(const char cell[], PetscInt dim, PetscBool fix)
{
  Setting      s;
  PetscScalar *block;
  PetscReal    norm;
  Mat          J;

  PetscCall(create(cell, dim, fix, &s));
  PetscCall(RungLayoutCreateMat(s.layout, cells, fix ? s.fixed : NULL, &J));
  PetscCall(MatSetOption(J, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE)); /* the twin needs no other entries */
  PetscCall(PetscMalloc1(4 * s.d->cell_dofs * s.d->cell_dofs, &block));
  PetscCall(RungLayoutInsertBegin(s.layout, J));
  for (PetscInt i = 0; i < s.places->count; ++i) {
    const PetscInt n = 2 * s.d->cell_dofs;

    for (PetscInt k = 0; k < n * n; ++k)
      block[k] = entry(s.d->global[dof_of(&s, i, k / n)], s.d->global[dof_of(&s, i, k % n)]);
    PetscCall(RungLayoutInsertFacet(s.layout, J, s.places->number[i], block, n, 1));
  }
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

static PetscErrorCode test_facet_blocks_are_inserted_like_by_MatSetValues(void)
{
  PetscCall(check_insertion("interval", 1, PETSC_FALSE));
  PetscCall(check_insertion("triangle", 2, PETSC_FALSE));
  PetscCall(check_insertion("quadrilateral", 2, PETSC_FALSE));
  PetscCall(check_insertion("tetrahedron", 3, PETSC_FALSE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_fixed_rows_and_columns_are_left_out_on_both_sides(void)
{
  PetscCall(check_insertion("triangle", 2, PETSC_TRUE));
  PetscCall(check_insertion("quadrilateral", 2, PETSC_TRUE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_facet_that_the_matrix_does_not_know_is_refused(void)
{
  Setting     s;
  PetscScalar block = 0;
  RungLayout  other;
  Mat         J;

  PetscCall(create("triangle", 2, PETSC_FALSE, &s));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, s.space, &other));
  PetscCall(RungLayoutCreateMat(other, cells, NULL, &J));
  PetscCall(RungLayoutInsertBegin(other, J));
  CHECK_RAISES(RungLayoutInsertFacet(other, J, 0, &block, 0, 0), "call RungLayoutCoupleFacets() before");
  PetscCall(RungLayoutInsertEnd(other, J));
  PetscCall(MatDestroy(&J));
  PetscCall(RungLayoutDestroy(&other));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_facet_blocks_are_inserted_like_by_MatSetValues),
               RUNG_TEST(test_fixed_rows_and_columns_are_left_out_on_both_sides),
               RUNG_TEST(test_a_facet_that_the_matrix_does_not_know_is_refused))
