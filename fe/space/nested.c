/* nested.c - functions of one layout at the nodes of another one on the same mesh or on one of a family, and the transpose of that.

   Every node that a rank owns lies in a cell of this rank, the first that has it; a table of the reference cell gives the
   function there from the cell's own values.  Of a continuous function all cells of a node tell the same.  Nothing is searched,
   and ghosts are those of the layout whose functions are read:

       y_i = sum_j T_aj x_j,   node i is node a of its cell, j runs over the cell's nodes;   T is sparse: nodes on a facet
                                                                                           see the facet alone.

   Of a mesh and the one whose cells were cut into it every child lies in its parent in one of few places, each with a table of its own:
   of the parent's functions at the child's nodes or, downwards, of the child's functions at those nodes of the parent that it has. */
#include "fe_space_impl.h"
#include <rungnested_room.h>

#define NOTHING 1e-13 /* of a table whose largest entries are 1 */

/* One unknown. */
typedef struct {
  PetscBool    same;       /* one space: values are copied                                        */
  PetscInt     components; /* of a node                                                           */
  PetscInt     rows;       /* nodes of a cell of `to`                                             */
  PetscInt    *start;      /* owned, [place * rows + node + 1] into column and value              */
  PetscInt    *column;     /* owned, node of a cell of `from`                                     */
  PetscScalar *value;      /* owned                                                               */
  PetscInt    *first;      /* owned, [cell + 1] into node; the cell is a child where there are any */
  PetscInt    *node;       /* owned, [owned nodes of `to`] node of the cell                       */
  PetscScalar *cell;       /* owned, work: values of a cell of `from`                             */
} Part;

struct _p_RungNested {
  RungLayout from, to; /* referenced */
  RungFamily family;   /* lent; NULL: one mesh */
  PetscBool  down;     /* functions of the children at the nodes of parents */
  Part      *part;     /* owned, [unknown] */
};

/* The cells of `from` and `to` that belong together: a cell and itself, or a child and its parent. */
static PetscInt cells_of(const struct _p_RungNested *n)
{
  return n->down ? n->from->data.cells : n->to->data.cells;
}

static PetscInt cell_of(const struct _p_RungNested *n, PetscBool parent, PetscInt c)
{
  return n->family && parent ? n->family->parent[c] : c;
}

static PetscInt place_of(const struct _p_RungNested *n, PetscInt c)
{
  return n->family ? n->family->place[c] : 0;
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_part(RungNested nested, const RungSpaceData *from, const RungSpaceData *to, PetscBool same)
{
  const RungFamily family = nested->family;
  const MPI_Comm   comm   = nested->from->data.comm;
  const PetscBool  fits   = !family        ? from->mesh == to->mesh
                            : nested->down ? from->mesh == family->fine && to->mesh == family->coarse
                                           : from->mesh == family->coarse && to->mesh == family->fine;

  PetscFunctionBegin;
  PetscCheck(fits, comm, PETSC_ERR_ARG_INCOMP, "spaces %s and %s lie on different meshes", from->spec, to->spec);
  PetscCheck(from->components == to->components, comm, PETSC_ERR_ARG_INCOMP,
             "a function of %s has %" PetscInt_FMT " components, one of %s has %" PetscInt_FMT, from->spec,
             from->components, to->spec, to->components);
  PetscCheck(same || !(from->quadrature || to->quadrature || from->single || to->single), comm, PETSC_ERR_SUP,
             "a function of %s has no values at the nodes of %s; wanted P, Q, DP or DQ for both, or one space",
             from->spec, to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The affine map X = x + A xi of a child into its parent, from three corners at most; directions that there are not stay. */
static PetscErrorCode child_map(RungFamily family, PetscInt place, PetscReal x[3], PetscReal A[3][3])
{
  const RungMeshData *mesh;
  const RungCell     *cell;
  RungElement        *map;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(family->fine, &mesh));
  cell = RungCellGet(mesh->type);
  PetscCall(RungElementCreateMap(mesh->type, 2, &map));
  for (PetscInt a = 0; a < 3; ++a) {
    x[a] = a < cell->dim ? map->node[family->corner[place][0] * cell->dim + a] : 0;
    for (PetscInt b = 0; b < 3; ++b) {
      const PetscInt v = cell->simplex ? b + 1 : (PetscInt)1 << b;

      A[a][b] = a == b ? 1 : 0;
      if (PetscMax(a, b) < cell->dim) A[a][b] = map->node[family->corner[place][v] * cell->dim + a] - x[a];
    }
  }
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void invert(PetscReal A[3][3])
{
  PetscReal B[3][3], det = 0;

  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int p = (b + 1) % 3, q = (b + 2) % 3, r = (a + 1) % 3, s = (a + 2) % 3;

      B[a][b] = A[p][r] * A[q][s] - A[p][s] * A[q][r];
    }
  }
  for (int b = 0; b < 3; ++b) det += A[0][b] * B[b][0];
  for (int a = 0; a < 9; ++a) A[a / 3][a % 3] = B[a / 3][a % 3] / det;
}

/* Where the nodes of a cell of `to` lie in the cell of `from`.  Out X[node][dim]; inside[node]: in it at all */
static PetscErrorCode place_nodes(RungNested nested, const RungSpaceData *to, const RungCell *cell, PetscInt place,
                                  PetscReal X[], PetscBool inside[])
{
  PetscReal x[3], A[3][3];

  PetscFunctionBegin;
  if (nested->family) PetscCall(child_map(nested->family, place, x, A));
  if (nested->down) invert(A);
  for (PetscInt i = 0; i < to->cell_nodes; ++i) {
    const PetscReal *node = to->node + i * cell->dim;
    PetscReal        sum  = 0;

    inside[i] = PETSC_TRUE;
    for (PetscInt a = 0; a < cell->dim; ++a) {
      PetscReal *at = &X[i * cell->dim + a];

      *at = nested->family && !nested->down ? x[a] : nested->family ? 0 : node[a];
      for (PetscInt b = 0; b < cell->dim && nested->family; ++b)
        *at += A[a][b] * (nested->down ? node[b] - x[b] : node[b]);
      sum += *at;
      if (*at < -NOTHING || *at > 1 + NOTHING) inside[i] = PETSC_FALSE;
    }
    if (cell->simplex && sum > 1 + NOTHING) inside[i] = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the tables of all places without their zeros. */
static PetscErrorCode set_tables(RungNested nested, RungSpace from, const RungSpaceData *to, Part *part)
{
  const PetscInt n = from->data.cell_nodes, rows = to->cell_nodes, places = nested->family ? nested->family->places : 1;
  const PetscInt size  = RungSpaceTableSize(from, rows, 0);
  PetscInt       count = 0;
  const RungMeshData *mesh;
  PetscReal          *table, *X;
  PetscBool          *inside;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(from->data.mesh, &mesh));
  PetscCall(PetscMalloc3(places * size, &table, rows * 3, &X, rows, &inside));
  for (PetscInt p = 0; p < places; ++p) {
    PetscReal *here = table + p * size;

    PetscCall(place_nodes(nested, to, RungCellGet(mesh->type), p, X, inside));
    PetscCall(RungSpaceTabulate(from, rows, X, 0, here));
    for (PetscInt i = 0; i < rows * n; ++i) {
      if (!inside[i / n] || PetscAbsReal(here[i]) <= NOTHING) here[i] = 0;
      count += here[i] != 0 ? 1 : 0;
    }
  }
  part->rows = rows;
  PetscCall(PetscMalloc4(places * rows + 1, &part->start, count, &part->column, count, &part->value,
                         n * from->data.components, &part->cell));
  count = 0;
  for (PetscInt r = 0; r < places * rows; ++r) {
    part->start[r] = count;
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal value = table[r / rows * size + r % rows * n + j];

      if (value == 0) continue;
      part->column[count]  = j;
      part->value[count++] = value;
    }
  }
  part->start[places * rows] = count;
  PetscCall(PetscFree3(table, X, inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned nodes by the first cell that has them. */
static PetscErrorCode set_nodes(RungNested nested, const RungSpaceData *to, Part *part)
{
  const PetscInt cells = cells_of(nested);
  PetscBool     *seen;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cells + 1, &part->first, to->owned, &part->node));
  PetscCall(PetscCalloc1(to->owned, &seen));
  for (PetscInt c = 0; c < cells; ++c) {
    const PetscInt *node  = &to->cell_node[cell_of(nested, nested->down, c) * to->cell_nodes];
    const PetscInt *start = part->start + place_of(nested, c) * part->rows;

    part->first[c] = n;
    for (PetscInt a = 0; a < to->cell_nodes; ++a) {
      if (node[a] >= to->owned || seen[node[a]] || start[a] == start[a + 1]) continue;
      seen[node[a]]   = PETSC_TRUE;
      part->node[n++] = a;
    }
  }
  part->first[cells] = n;
  PetscCall(PetscFree(seen));
  PetscCheck(n == to->owned, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " of %" PetscInt_FMT " nodes of %s lie in a cell of their rank", n, to->owned, to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_parts(RungNested nested)
{
  const RungLayoutData *from = &nested->from->data, *to = &nested->to->data;

  PetscFunctionBegin;
  PetscCheck(from->unknowns == to->unknowns, from->comm, PETSC_ERR_ARG_INCOMP,
             "one layout has %" PetscInt_FMT " unknowns, the other one %" PetscInt_FMT, from->unknowns, to->unknowns);
  PetscCall(PetscCalloc1(from->unknowns, &nested->part));
  for (PetscInt f = 0; f < from->unknowns; ++f) {
    const RungSpaceData *a = &from->space[f]->data, *b = &to->space[f]->data;
    Part                *part = &nested->part[f];

    part->same       = from->space[f] == to->space[f] || (a->mesh == b->mesh && !strcmp(a->spec, b->spec)) ||
                     (nested->family && a->single && b->single)
                         ? PETSC_TRUE
                         : PETSC_FALSE;
    part->components = a->components;
    PetscCall(check_part(nested, a, b, part->same));
    if (part->same) continue;
    PetscCall(set_tables(nested, from->space[f], b, part));
    PetscCall(set_nodes(nested, b, part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedCreate(RungLayout from, RungLayout to, RungNested *nested)
{
  PetscFunctionBegin;
  RungNeed(from);
  PetscCall(RungNestedCreateBetween(NULL, from, to, nested));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedCreateBetween(RungFamily family, RungLayout from, RungLayout to, RungNested *nested)
{
  RungNested n;

  PetscFunctionBegin;
  RungNeed(from);
  RungNeed(to);
  PetscCall(PetscNew(&n));
  n->family = family;
  n->down   = family && from->data.space[0]->data.mesh == family->fine ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungLayoutReference(n->from = from));
  PetscCall(RungLayoutReference(n->to = to));
  RungCallOrUndo(set_parts(n), PetscCall(RungNestedDestroy(&n)));
  *nested = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedDestroy(RungNested *nested)
{
  RungNested n = *nested;

  PetscFunctionBegin;
  *nested = NULL;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; n->part && f < n->from->data.unknowns; ++f) {
    PetscCall(PetscFree4(n->part[f].start, n->part[f].column, n->part[f].value, n->part[f].cell));
    PetscCall(PetscFree2(n->part[f].first, n->part[f].node));
  }
  PetscCall(PetscFree(n->part));
  PetscCall(RungLayoutDestroy(&n->from));
  PetscCall(RungLayoutDestroy(&n->to));
  PetscCall(PetscFree(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values and their transpose ----------------------------------------------------------------------------------- */

/* y = T x of one unknown, x with ghosts; transposed: y += T^T x, y with ghosts */
static void apply_part(RungNested nested, PetscInt f, PetscBool transposed, const PetscScalar x[], PetscScalar y[])
{
  const RungLayoutData *from = &nested->from->data, *to = &nested->to->data;
  const RungSpaceData  *space = &to->space[f]->data;
  const Part           *part  = &nested->part[f];
  const PetscBool       up    = nested->down ? PETSC_FALSE : PETSC_TRUE; /* from a parent, where there are any */
  const PetscInt        m = part->components, n = from->offset[f + 1] - from->offset[f];

  for (PetscInt c = 0; c < cells_of(nested); ++c) {
    const PetscInt *dof   = &from->cell_dof[cell_of(nested, up, c) * from->cell_dofs + from->offset[f]];
    const PetscInt *node  = &space->cell_node[cell_of(nested, nested->down, c) * space->cell_nodes];
    const PetscInt *start = part->start + place_of(nested, c) * part->rows;

    if (part->first[c] == part->first[c + 1]) continue;
    for (PetscInt j = 0; j < n; ++j) part->cell[j] = transposed ? 0 : x[dof[j]];
    for (PetscInt i = part->first[c]; i < part->first[c + 1]; ++i) {
      const PetscInt a = part->node[i], at = to->range[f] + node[a] * m;

      for (PetscInt k = 0; k < m; ++k) {
        if (!transposed) y[at + k] = 0;
        for (PetscInt e = start[a]; e < start[a + 1]; ++e) {
          PetscScalar *cell = &part->cell[part->column[e] * m + k];

          if (transposed)
            *cell += part->value[e] * x[at + k];
          else
            y[at + k] += part->value[e] * *cell;
        }
      }
    }
    for (PetscInt j = 0; transposed && j < n; ++j) y[dof[j]] += part->cell[j];
  }
}

PetscErrorCode RungNestedApply(RungNested nested, Vec x, Vec y)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(RungLayoutCheckVec(nested->to, y));
  PetscCall(RungLayoutGather(nested->from, x, 0, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f) {
    const PetscInt *range = nested->from->data.range;

    if (nested->part[f].same)
      PetscCall(PetscArraycpy(to + nested->to->data.range[f], from + range[f], range[f + 1] - range[f]));
    else
      apply_part(nested, f, PETSC_FALSE, from, to);
  }
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(RungLayoutGatherRestore(nested->from, x, 0, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedApplyTranspose(RungNested nested, Vec r, Vec y)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(RungLayoutCheckVec(nested->to, r));
  PetscCall(RungLayoutCheckVec(nested->from, y));
  PetscCall(VecZeroEntries(y));
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(RungLayoutScatterBegin(nested->from, y, &to));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f) {
    const PetscInt *range = nested->from->data.range, start = nested->to->data.range[f];

    if (!nested->part[f].same)
      apply_part(nested, f, PETSC_TRUE, from, to);
    else
      for (PetscInt i = range[f]; i < range[f + 1]; ++i) to[i] += from[start + i - range[f]];
  }
  PetscCall(RungLayoutScatterEnd(nested->from, y, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}
