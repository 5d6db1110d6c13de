/* nested_rows.c - values at nodes one by one, of tables whose rows have few entries: a sparse matrix whose values stand in the table.

   A node of P1 or Q1 in a parent, or of degree 2 in the same cell, is the mean of two corners or of few more: to gather all values of its
   cell for it takes longer than its row.  In a solve by multigrid, P1 on tetrahedra, 274625 entries, transfers take 19 ms, 61 that way. */
#include <rungown_room.h>
#include "nested_impl.h"

#define FEW 4 /* entries of a row, in the mean */

PetscBool RungNestedHasFew(const RungNestedTable *table, PetscInt places)
{
  PetscInt rows = 0;

  for (PetscInt i = 0; i < places * table->rows; ++i) rows += table->start[i + 1] > table->start[i] ? 1 : 0;
  return table->start[places * table->rows] <= FEW * rows ? PETSC_TRUE : PETSC_FALSE;
}

static PetscInt length_of(const RungNestedPart *part, PetscInt i)
{
  return part->table.start[part->row[i] + 1] - part->table.start[part->row[i]];
}

/* Owned nodes by the first cell that has them. */
typedef struct {
  char     *seen;  /* owned, [node]                                       */
  PetscInt *where; /* owned, [place of a node in the list] its first cell */
  PetscInt  n;     /* nodes so far                                        */
} List;

static PetscErrorCode list_destroy(List *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(list->seen));
  PetscCall(PetscFree(list->where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that are new in cell c and that it has a row for. */
static inline void list_cell(RungNested nested, PetscInt f, PetscInt c, const RungSpaceData *to, RungNestedPart *part,
                             List *list)
{
  const PetscInt *node = &to->cell_node[RungNestedCell(nested, nested->down, c) * to->cell_nodes], m = part->components;

  for (PetscInt a = 0; a < to->cell_nodes; ++a) {
    PetscInt row;

    if (node[a] >= to->owned || list->seen[node[a]]) continue;
    row = RungNestedPlace(nested, c) * part->table.rows + a;
    if (part->table.start[row] == part->table.start[row + 1]) continue;
    list->seen[node[a]] = 1;
    for (PetscInt k = 0; k < m; ++k) {
      part->row[list->n * m + k]   = row;
      part->entry[list->n * m + k] = nested->to->data.range[f] + node[a] * m + k;
    }
    list->where[list->n++] = c;
  }
}

/* Those of cells without ghosts first. */
static PetscErrorCode list_nodes(RungNested nested, PetscInt f, const RungSpaceData *to, RungNestedPart *part,
                                 List *list)
{
  const PetscInt  cells = RungNestedCells(nested);
  const PetscBool edge  = nested->from->data.cell_edge ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(to->owned, &list->seen));
  PetscCall(PetscMalloc1(to->owned, &list->where));
  part->first[0] = 0;
  for (int ghosts = 0; ghosts < 2; ++ghosts) {
    for (PetscInt c = 0; c < cells && (edge || !ghosts); ++c)
      if (!edge || RungNestedHasGhosts(nested, c) == (PetscBool)ghosts) list_cell(nested, f, c, to, part, list);
    part->first[ghosts + 1] = list->n * part->components;
  }
  PetscCheck(list->n == to->owned, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " of %" PetscInt_FMT " nodes of %s lie in a cell of their rank", list->n, to->owned,
             to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedSetRows(RungNested nested, PetscInt f, const RungSpaceData *to, RungNestedPart *part)
{
  const PetscInt                m = part->components, n = to->owned * m;
  RUNG_OWNED(list_destroy) List list    = {NULL};
  PetscInt                      columns = 0;

  PetscFunctionBegin;
  part->cells = 2;
  part->inner = 1;
  PetscCall(PetscMalloc4(2, &part->cell, 3, &part->first, n, &part->row, n, &part->entry));
  PetscCall(list_nodes(nested, f, to, part, &list));
  for (PetscInt i = 0; i < n; ++i) columns += length_of(part, i);
  PetscCall(PetscMalloc1(columns, &part->column));
  columns = 0;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt *dof = RungNestedDofs(nested, f, list.where[i / m]), first = part->table.start[part->row[i]];

    if (i == part->first[1]) part->rim = columns;
    for (PetscInt e = 0; e < length_of(part, i); ++e)
      part->column[columns++] = dof[part->table.column[first + e] * m + i % m];
  }
  if (n == part->first[1]) part->rim = columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungNestedApplyRows(const RungNestedPart *part, PetscBool ghosts, PetscBool add, const PetscScalar x[],
                         PetscScalar y[])
{
  const PetscInt *column = part->column + (ghosts ? part->rim : 0);

  for (PetscInt i = part->first[ghosts]; i < part->first[ghosts + 1]; ++i) {
    const PetscInt     n     = length_of(part, i);
    const PetscScalar *value = part->table.value + part->table.start[part->row[i]];
    PetscScalar        sum   = 0;

    for (PetscInt e = 0; e < n; ++e) sum += value[e] * x[column[e]];
    y[part->entry[i]] = add ? y[part->entry[i]] + sum : sum;
    column += n;
  }
}

void RungNestedTransposeRows(const RungNestedPart *part, PetscBool ghosts, const PetscScalar x[], PetscScalar y[])
{
  const PetscInt *column = part->column + (ghosts ? part->rim : 0);

  for (PetscInt i = part->first[ghosts]; i < part->first[ghosts + 1]; ++i) {
    const PetscInt     n     = length_of(part, i);
    const PetscScalar *value = part->table.value + part->table.start[part->row[i]];

    for (PetscInt e = 0; e < n; ++e) y[column[e]] += value[e] * x[part->entry[i]];
    column += n;
  }
}

void RungNestedDrop(RungNestedPart *part, const PetscBool is[])
{
  PetscInt kept = 0, begin = 0, from = 0, to = 0;

  for (PetscInt c = 0; c < part->cells; ++c) { /* lists become shorter, cells keep their places */
    const PetscInt end = part->first[c + 1];

    for (PetscInt i = begin; i < end; ++i) {
      const PetscInt n = part->single ? length_of(part, i) : 0;

      for (PetscInt e = 0; e < n && !is[part->entry[i]]; ++e) part->column[to++] = part->column[from + e];
      from += n;
      if (is[part->entry[i]]) continue;
      if (!part->same) part->row[kept] = part->row[i];
      part->entry[kept++] = part->entry[i];
    }
    part->first[c + 1] = kept;
    begin              = end;
    if (!c) part->rim = to;
  }
}
