/* nested.c - functions of one layout at the nodes of another one on the same mesh, and the transpose of that.

   Every node that a rank owns lies in a cell of this rank, the first that has it; a table of the reference cell gives the
   function there from the cell's own values.  Of a continuous function all cells of a node tell the same.  Nothing is searched,
   and ghosts are those of the layout whose functions are read:

       y_i = sum_j T_aj x_j,   node i is node a of its cell, j runs over the cell's nodes;   T is sparse: nodes on a facet
                                                                                           see the facet alone.        */
#include "fe_space_impl.h"
#include <rungnested_room.h>

#define NOTHING 1e-13 /* of a table whose largest entries are 1 */

/* One unknown. */
typedef struct {
  PetscBool    same;       /* one space: values are copied                                        */
  PetscInt     components; /* of a node                                                           */
  PetscInt    *start;      /* owned, [node of a cell of `to` + 1] into column and value           */
  PetscInt    *column;     /* owned, node of a cell of `from`                                     */
  PetscScalar *value;      /* owned                                                               */
  PetscInt    *first;      /* owned, [cell + 1] into node                                         */
  PetscInt    *node;       /* owned, [owned nodes of `to`] node of the cell                       */
  PetscScalar *cell;       /* owned, work: values of a cell of `from`                             */
} Part;

struct _p_RungNested {
  RungLayout from, to; /* referenced */
  Part      *part;     /* owned, [unknown] */
};

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_part(MPI_Comm comm, const RungSpaceData *from, const RungSpaceData *to, PetscBool same)
{
  PetscFunctionBegin;
  PetscCheck(from->mesh == to->mesh, comm, PETSC_ERR_ARG_INCOMP, "spaces %s and %s lie on different meshes", from->spec,
             to->spec);
  PetscCheck(from->components == to->components, comm, PETSC_ERR_ARG_INCOMP,
             "a function of %s has %" PetscInt_FMT " components, one of %s has %" PetscInt_FMT, from->spec,
             from->components, to->spec, to->components);
  PetscCheck(same || !(from->quadrature || to->quadrature || from->single || to->single), comm, PETSC_ERR_SUP,
             "a function of %s has no values at the nodes of %s; wanted P, Q, DP or DQ for both, or one space",
             from->spec, to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the table without its zeros. */
static PetscErrorCode set_table(RungSpace from, const RungSpaceData *to, Part *part)
{
  const PetscInt n = from->data.cell_nodes, rows = to->cell_nodes;
  PetscInt       count = 0;
  PetscReal     *table;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(RungSpaceTableSize(from, rows, 0), &table));
  PetscCall(RungSpaceTabulate(from, rows, to->node, 0, table));
  for (PetscInt i = 0; i < rows * n; ++i) count += PetscAbsReal(table[i]) > NOTHING ? 1 : 0;
  PetscCall(PetscMalloc4(rows + 1, &part->start, count, &part->column, count, &part->value, n * from->data.components,
                         &part->cell));
  count = 0;
  for (PetscInt a = 0; a < rows; ++a) {
    part->start[a] = count;
    for (PetscInt j = 0; j < n; ++j) {
      if (PetscAbsReal(table[a * n + j]) <= NOTHING) continue;
      part->column[count]  = j;
      part->value[count++] = table[a * n + j];
    }
  }
  part->start[rows] = count;
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned nodes by the first cell that has them. */
static PetscErrorCode set_nodes(const RungSpaceData *to, PetscInt cells, Part *part)
{
  PetscBool *seen;
  PetscInt   n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cells + 1, &part->first, to->owned, &part->node));
  PetscCall(PetscCalloc1(to->owned, &seen));
  for (PetscInt c = 0; c < cells; ++c) {
    const PetscInt *node = &to->cell_node[c * to->cell_nodes];

    part->first[c] = n;
    for (PetscInt a = 0; a < to->cell_nodes; ++a) {
      if (node[a] >= to->owned || seen[node[a]]) continue;
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

    part->same       = from->space[f] == to->space[f] || (a->mesh == b->mesh && !strcmp(a->spec, b->spec)) ? PETSC_TRUE
                                                                                                           : PETSC_FALSE;
    part->components = a->components;
    PetscCall(check_part(from->comm, a, b, part->same));
    if (part->same) continue;
    PetscCall(set_table(from->space[f], b, part));
    PetscCall(set_nodes(b, from->cells, part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedCreate(RungLayout from, RungLayout to, RungNested *nested)
{
  RungNested n;

  PetscFunctionBegin;
  RungNeed(from);
  RungNeed(to);
  PetscCall(PetscNew(&n));
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
  const PetscInt        m = part->components, n = from->offset[f + 1] - from->offset[f];

  for (PetscInt c = 0; c < from->cells; ++c) {
    const PetscInt *dof  = &from->cell_dof[c * from->cell_dofs + from->offset[f]];
    const PetscInt *node = &space->cell_node[c * space->cell_nodes];

    if (part->first[c] == part->first[c + 1]) continue;
    for (PetscInt j = 0; j < n; ++j) part->cell[j] = transposed ? 0 : x[dof[j]];
    for (PetscInt i = part->first[c]; i < part->first[c + 1]; ++i) {
      const PetscInt a = part->node[i], at = to->range[f] + node[a] * m;

      for (PetscInt k = 0; k < m; ++k) {
        if (!transposed) y[at + k] = 0;
        for (PetscInt e = part->start[a]; e < part->start[a + 1]; ++e) {
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
