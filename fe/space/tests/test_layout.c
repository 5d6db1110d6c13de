/* test_layout.c - numbers of several unknowns in one Vec; gather and scatter against sums made by hand. */
#include "check.h"

/* Two unknowns on a box: a vector of degree 2 and a scalar of degree 1. */
typedef struct {
  RungMesh              mesh;
  RungSpace             space[2];
  RungLayout            layout;
  const RungLayoutData *data;
} Setting;

static PetscErrorCode create(Setting *s)
{
  const PetscInt  count[2] = {3, 2};
  const PetscReal size[2]  = {1, 1};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &s->mesh));
  PetscCall(RungMeshSetBox(s->mesh, "triangle", 2, count, size));
  PetscCall(RungSpaceCreate(s->mesh, "P2^d", &s->space[0]));
  PetscCall(RungSpaceCreate(s->mesh, "P1", &s->space[1]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, s->space, &s->layout));
  PetscCall(RungLayoutGetData(s->layout, &s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Setting *s)
{
  PetscFunctionBegin;
  PetscCall(RungMeshDestroy(&s->mesh)); /* any order */
  PetscCall(RungSpaceDestroy(&s->space[0]));
  PetscCall(RungSpaceDestroy(&s->space[1]));
  PetscCall(RungLayoutDestroy(&s->layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_dofs_are_unknown_after_unknown(void)
{
  const RungSpaceData *u, *p;
  Setting              s;

  PetscCall(create(&s));
  PetscCall(RungSpaceGetData(s.space[0], &u));
  PetscCall(RungSpaceGetData(s.space[1], &p));
  CHECK(s.data->owned == 2 * u->owned + p->owned && s.data->local == 2 * u->nodes + p->nodes);
  CHECK(s.data->cell_dofs == 15 && s.data->offset[1] == 12 && s.data->range[1] == 2 * u->owned);
  CHECK(u->owned == 0 || RungLayoutDof(s.layout, 0, u->owned - 1, 1) == s.data->range[1] - 1);
  CHECK(p->owned == 0 || RungLayoutDof(s.layout, 1, 0, 0) == s.data->range[1]);
  CHECK(u->owned == u->nodes || RungLayoutDof(s.layout, 0, u->owned, 0) == s.data->owned);
  for (PetscInt c = 0; c < s.data->cells; ++c)
    for (PetscInt i = 0; i < 6; ++i)
      for (PetscInt a = 0; a < 2; ++a)
        CHECK(s.data->cell_dof[c * 15 + 2 * i + a] == RungLayoutDof(s.layout, 0, u->cell_node[c * 6 + i], a));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Fill a Vec with a function of global number; every rank reads the same number wherever it has the dof. */
static PetscErrorCode test_gather_brings_the_values_of_owners(void)
{
  const PetscScalar *local, *other;
  Setting            s;
  Vec                u, v;
  PetscScalar       *x;

  PetscCall(create(&s));
  PetscCall(RungLayoutCreateVec(s.layout, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecGetArray(u, &x));
  for (PetscInt i = 0; i < s.data->owned; ++i) x[i] = (PetscScalar)(s.data->start + i);
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(VecSet(v, 7));
  PetscCall(RungLayoutGather(s.layout, u, 0, &local));
  PetscCall(RungLayoutGather(s.layout, v, 3, &other));
  for (PetscInt i = 0; i < s.data->local; ++i) CHECK(local[i] == (PetscScalar)s.data->global[i] && other[i] == 7);
  PetscCall(RungLayoutGatherRestore(s.layout, v, 3, &other));
  PetscCall(RungLayoutGatherRestore(s.layout, u, 0, &local));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* The dof at a node knows its place: ghosts and owners of one global number agree. */
static PetscErrorCode test_ghosts_lie_where_their_owners_do(void)
{
  const RungSpaceData *u;
  const PetscScalar   *local;
  Setting              s;
  Vec                  v;
  PetscScalar         *x;

  PetscCall(create(&s));
  PetscCall(RungSpaceGetData(s.space[0], &u));
  PetscCall(RungLayoutCreateVec(s.layout, &v));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < 2 * u->owned; ++i) x[i] = u->x[i];
  PetscCall(VecRestoreArray(v, &x));
  PetscCall(RungLayoutGather(s.layout, v, 1, &local));
  for (PetscInt i = 0; i < u->nodes; ++i)
    for (PetscInt a = 0; a < 2; ++a) CHECK(local[RungLayoutDof(s.layout, 0, i, a)] == u->x[2 * i + a]);
  PetscCall(RungLayoutGatherRestore(s.layout, v, 1, &local));
  PetscCall(VecDestroy(&v));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Every cell adds 1 to each of its dofs, on top of 100: the sum of the Vec counts cells. */
static PetscErrorCode test_scatter_adds_the_shares_of_all_ranks(void)
{
  Setting             s;
  const RungMeshData *mesh;
  const PetscScalar  *read;
  Vec                 r;
  PetscScalar        *local, sum;
  PetscInt            n;

  PetscCall(create(&s));
  PetscCall(RungMeshGetData(s.mesh, &mesh));
  PetscCall(RungLayoutCreateVec(s.layout, &r));
  PetscCall(VecSet(r, 100));
  PetscCall(VecGetSize(r, &n));
  PetscCall(RungLayoutScatterBegin(s.layout, r, &local));
  for (PetscInt i = 0; i < s.data->cells * s.data->cell_dofs; ++i) local[s.data->cell_dof[i]] += 1;
  PetscCall(RungLayoutScatterEnd(s.layout, r, &local));
  PetscCall(VecSum(r, &sum));
  CHECK_NEAR(sum, 100. * (double)n + 15. * (double)mesh->cells_global, 1e-9);
  PetscCall(RungLayoutGather(s.layout, r, 0, &read));
  for (PetscInt i = 0; i < s.data->local; ++i) CHECK(read[i] >= 101 && read[i] <= 108);
  PetscCall(RungLayoutGatherRestore(s.layout, r, 0, &read));
  PetscCall(VecDestroy(&r));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Several gathers under way at once: owned values are there before ghosts are. */
static PetscErrorCode test_a_gather_in_two_steps_brings_the_same(void)
{
  const PetscScalar *local[2];
  Setting            s;
  Vec                u[2];
  PetscScalar       *x;

  PetscCall(create(&s));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungLayoutCreateVec(s.layout, &u[k]));
    PetscCall(VecGetArray(u[k], &x));
    for (PetscInt i = 0; i < s.data->owned; ++i) x[i] = (PetscScalar)(s.data->start + i + 1000 * k);
    PetscCall(VecRestoreArray(u[k], &x));
  }
  for (int k = 0; k < 2; ++k) PetscCall(RungLayoutGatherBegin(s.layout, u[k], k, &local[k]));
  for (PetscInt i = 0; i < s.data->owned; ++i) CHECK(local[1][i] == (PetscScalar)s.data->global[i] + 1000);
  CHECK_RAISES(RungLayoutGatherRestore(s.layout, u[0], 0, &local[0]), "gather first");
  for (int k = 0; k < 2; ++k) PetscCall(RungLayoutGatherEnd(s.layout, k));
  for (PetscInt i = 0; i < s.data->local; ++i)
    for (int k = 0; k < 2; ++k) CHECK(local[k][i] == (PetscScalar)s.data->global[i] + 1000 * k);
  CHECK_RAISES(RungLayoutGatherEnd(s.layout, 0), "waits for nothing");
  for (int k = 0; k < 2; ++k) PetscCall(RungLayoutGatherRestore(s.layout, u[k], k, &local[k]));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Cells of the edge, then their ghosts leave, then the others: each cell adds its dofs' places in it. */
static PetscErrorCode test_ghosts_leave_before_the_other_cells_are_done(void)
{
  Setting      s;
  Vec          r[2];
  PetscScalar *local;
  PetscReal    norm;

  PetscCall(create(&s));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungLayoutCreateVec(s.layout, &r[k]));
    PetscCall(VecZeroEntries(r[k]));
    PetscCall(RungLayoutScatterBegin(s.layout, r[k], &local));
    for (int edge = 1; edge >= 0; --edge) {
      for (PetscInt i = 0; i < s.data->cells * s.data->cell_dofs; ++i)
        if (edge == (s.data->cell_edge && s.data->cell_edge[i / s.data->cell_dofs]))
          local[s.data->cell_dof[i]] += (PetscScalar)(1 + i % s.data->cell_dofs);
      if (edge && k) PetscCall(RungLayoutScatterSend(s.layout));
    }
    if (k) CHECK_RAISES(RungLayoutScatterSend(s.layout), "has sent");
    PetscCall(RungLayoutScatterEnd(s.layout, r[k], &local));
  }
  CHECK_RAISES(RungLayoutScatterSend(s.layout), "does not scatter");
  PetscCall(VecAXPY(r[1], -1, r[0]));
  PetscCall(VecNorm(r[1], NORM_INFINITY, &norm));
  CHECK(norm == 0);
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&r[k]));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* entry[n]: owned dofs of cells with ghosts, once each; the caller's */
static PetscErrorCode find_rim(const Setting *s, PetscInt *n, PetscInt **entry)
{
  PetscBool *seen;

  *n = 0;
  PetscCall(PetscMalloc1(s->data->owned, entry));
  PetscCall(PetscCalloc1(s->data->local, &seen));
  for (PetscInt i = 0; s->data->cell_edge && i < s->data->cells * s->data->cell_dofs; ++i) {
    const PetscInt dof = s->data->cell_dof[i];

    if (!s->data->cell_edge[i / s->data->cell_dofs] || dof >= s->data->owned || seen[dof]) continue;
    seen[dof]        = PETSC_TRUE;
    (*entry)[(*n)++] = dof;
  }
  PetscCall(PetscFree(seen));
  return PETSC_SUCCESS;
}

/* Cells with ghosts read and add to the array of the layout, the others to that of the Vec. */
static PetscErrorCode test_few_values_are_moved_for_few_cells(void)
{
  Setting            s;
  Vec                u, r[2];
  const PetscScalar *from[2];
  PetscScalar       *to[2];
  PetscInt           n, *entry;
  PetscReal          norm;

  PetscCall(create(&s));
  PetscCall(find_rim(&s, &n, &entry));
  PetscCall(RungLayoutCreateVec(s.layout, &u));
  for (int k = 0; k < 2; ++k) PetscCall(VecDuplicate(u, &r[k]));
  for (PetscInt i = 0; i < s.data->owned; ++i)
    PetscCall(VecSetValue(u, s.data->start + i, (PetscScalar)(s.data->start + i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  for (int some = 0; some < 2; ++some) {
    PetscCall(VecSet(r[some], 1));
    if (some) {
      PetscCall(RungLayoutGatherSome(s.layout, u, 0, n, entry, &from[0], &from[1]));
      PetscCall(RungLayoutGatherEnd(s.layout, 0));
      PetscCall(RungLayoutScatterSome(s.layout, r[1], n, entry, &to[0], &to[1]));
    } else {
      PetscCall(RungLayoutGather(s.layout, u, 0, &from[1]));
      PetscCall(RungLayoutScatterBegin(s.layout, r[0], &to[1]));
      from[0] = from[1];
      to[0]   = to[1];
    }
    for (PetscInt i = 0; i < s.data->cells * s.data->cell_dofs; ++i) {
      const int edge = s.data->cell_edge && s.data->cell_edge[i / s.data->cell_dofs] ? 1 : 0;

      CHECK(from[edge][s.data->cell_dof[i]] == (PetscScalar)s.data->global[s.data->cell_dof[i]]);
      to[edge][s.data->cell_dof[i]] += from[edge][s.data->cell_dof[i]];
    }
    PetscCall(RungLayoutScatterEnd(s.layout, r[some], &to[1]));
    PetscCall(RungLayoutGatherRestore(s.layout, u, 0, &from[1]));
  }
  PetscCall(VecAXPY(r[1], -1, r[0]));
  PetscCall(VecNorm(r[1], NORM_INFINITY, &norm));
  CHECK(norm == 0);
  PetscCall(PetscFree(entry));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&r[k]));
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_misuse_is_refused(void)
{
  const PetscScalar *local;
  PetscScalar       *sum;
  Setting            s, other;
  RungLayout         bad;
  Vec                u;

  PetscCall(create(&s));
  PetscCall(create(&other));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, s.data->owned + 1, PETSC_DETERMINE, &u));
  CHECK_RAISES(RungLayoutGather(s.layout, u, 0, &local), "RungLayoutCreateVec()");
  CHECK_RAISES(RungLayoutScatterBegin(s.layout, u, &sum), "RungLayoutCreateVec()");
  PetscCall(VecDestroy(&u));
  PetscCall(RungLayoutCreateVec(s.layout, &u));
  CHECK_RAISES(RungLayoutGather(s.layout, u, RUNG_LAYOUT_SLOTS, &local), "wanted 0 to");
  CHECK_RAISES(RungLayoutGatherRestore(s.layout, u, 2, &local), "gather first");
  PetscCall(RungLayoutGather(s.layout, u, 2, &local));
  CHECK_RAISES(RungLayoutGather(s.layout, u, 2, &local), "in use");
  PetscCall(RungLayoutGatherRestore(s.layout, u, 2, &local));
  CHECK_RAISES(RungLayoutScatterEnd(s.layout, u, &sum), "begin first");
  CHECK_RAISES(RungLayoutCreate(PETSC_COMM_WORLD, 2, (RungSpace[]){s.space[0], other.space[1]}, &bad),
               "different meshes");
  CHECK_RAISES(RungLayoutCreate(PETSC_COMM_WORLD, 0, NULL, &bad), "no space");
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&other));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_dofs_are_unknown_after_unknown), RUNG_TEST(test_gather_brings_the_values_of_owners),
               RUNG_TEST(test_ghosts_lie_where_their_owners_do), RUNG_TEST(test_scatter_adds_the_shares_of_all_ranks),
               RUNG_TEST(test_a_gather_in_two_steps_brings_the_same),
               RUNG_TEST(test_ghosts_leave_before_the_other_cells_are_done),
               RUNG_TEST(test_few_values_are_moved_for_few_cells), RUNG_TEST(test_misuse_is_refused))
