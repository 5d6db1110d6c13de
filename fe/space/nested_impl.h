/* nested_impl.h - what nested.c and nested_rows.c share: tables of the functions at nodes, and which nodes are taken from which cells. */
#pragma once

#include "fe_space_impl.h"
#include <rungnested_room.h>

/* Rows of all places without their zeros. */
typedef struct {
  PetscInt     rows;   /* of one place                              */
  PetscInt    *start;  /* owned, [place * rows + row + 1]           */
  PetscInt    *column; /* owned                                     */
  PetscScalar *value;  /* owned                                     */
} RungNestedTable;

/* One unknown. */
typedef struct {
  PetscBool       same;       /* one space: values are copied                                          */
  PetscBool       single;     /* rows are taken one by one                                                           */
  PetscInt        components; /* of a node                                                             */
  RungNestedTable table, transpose; /* nodes of a cell of `to` by those of `from`, and the transpose         */
  PetscInt        cells;  /* that some entry is taken from; of rows one by one 2: those without ghosts, and with */
  PetscInt        inner;  /* that many come first: they have no ghosts of `from`                   */
  PetscInt       *cell;   /* owned, [cells] those of a place beside each other                     */
  PetscInt       *first;  /* owned, [cells + 1] into row and entry                                 */
  PetscInt       *row;    /* owned, node of the cell * components + component; of rows one by one that of the table */
  PetscInt       *entry;  /* owned, where that is in a vector of `to`                              */
  PetscInt       *column; /* owned, of rows one by one: what of `from` they read, row after row */
  PetscInt        rim;    /* where the columns of rows with ghosts begin                           */
  PetscScalar    *from, *to; /* owned, work: values at the nodes of some cells, [component of node][lane] */
} RungNestedPart;

struct _p_RungNested {
  RungLayout      from, to; /* referenced */
  RungFamily      family;   /* lent; NULL: one mesh */
  PetscBool       down;     /* functions of the children at the nodes of parents */
  RungNestedPart *part;     /* owned, [unknown] */
  PetscInt        zeros;
  PetscInt       *zero; /* owned, entries of `to` that are 0 */
  PetscInt        rims;
  PetscInt       *rim; /* owned, entries of `from` of cells that have ghosts */
};

/* The cells of `from` and `to` that belong together: a cell and itself, or a child and its parent. */
static inline PetscInt RungNestedCells(const struct _p_RungNested *n)
{
  return n->down ? n->from->data.cells : n->to->data.cells;
}

static inline PetscInt RungNestedCell(const struct _p_RungNested *n, PetscBool parent, PetscInt c)
{
  return n->family && parent ? n->family->parent[c] : c;
}

static inline PetscInt RungNestedPlace(const struct _p_RungNested *n, PetscInt c)
{
  return n->family ? n->family->place[c] : 0;
}

/* Has the cell of `from` that belongs to cell c values of other ranks? */
static inline PetscBool RungNestedHasGhosts(const struct _p_RungNested *nested, PetscInt c)
{
  const PetscBool *edge = nested->from->data.cell_edge;

  return edge && edge[RungNestedCell(nested, nested->down ? PETSC_FALSE : PETSC_TRUE, c)] ? PETSC_TRUE : PETSC_FALSE;
}

/* dof[..] of `from`, of unknown f, in the cell that belongs to cell c */
static inline const PetscInt *RungNestedDofs(const struct _p_RungNested *nested, PetscInt f, PetscInt c)
{
  const RungLayoutData *from = &nested->from->data;
  const PetscBool       up   = nested->down ? PETSC_FALSE : PETSC_TRUE; /* from a parent, where there are any */

  return &from->cell_dof[RungNestedCell(nested, up, c) * from->cell_dofs + from->offset[f]];
}

/* nested_rows.c: rows one by one, of tables whose rows have few entries */
PetscBool      RungNestedHasFew(const RungNestedTable *table, PetscInt places);
PetscErrorCode RungNestedSetRows(RungNested nested, PetscInt f, const RungSpaceData *to, RungNestedPart *part);
void           RungNestedApplyRows(const RungNestedPart *part, PetscBool ghosts, PetscBool add, const PetscScalar x[],
                                   PetscScalar y[]);
void RungNestedTransposeRows(const RungNestedPart *part, PetscBool ghosts, const PetscScalar x[], PetscScalar y[]);
/* Entries with is[entry] leave the lists, of any kind. */
void RungNestedDrop(RungNestedPart *part, const PetscBool is[]);
