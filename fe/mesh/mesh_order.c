/* mesh_order.c - an order of the vertices in which neighbours are near each other: reverse Cuthill-McKee from a vertex
   at the rim (Cuthill and McKee 1969; George and Liu 1979 for the start). */
#include <rungown_room.h>
#include "fe_impl.h"

#define BLOCK 15 /* neighbours of a block, which with its link fills a line of memory where numbers have 32 bits */

/* Some neighbours of a vertex, in the order in which they were found, and where its next ones are. */
typedef struct {
  PetscInt neighbour[BLOCK], next;
} Block;

/* Vertex v begins with block v. */
typedef struct {
  PetscInt *count; /* owned, [vertex] neighbours */
  PetscInt *last;  /* owned, [vertex] its last block */
  Block    *block; /* owned, [room]              */
  PetscInt  blocks, room;
} Lists;

static inline PetscBool has(const Lists *l, PetscInt v, PetscInt w)
{
  for (PetscInt b = v, left = l->count[v]; left > 0; left -= BLOCK, b = l->block[b].next)
    for (PetscInt i = 0; i < PetscMin(left, BLOCK); ++i)
      if (l->block[b].neighbour[i] == w) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode add(Lists *l, PetscInt v, PetscInt w)
{
  const PetscInt at = l->count[v] % BLOCK;

  PetscFunctionBegin;
  if (!at && l->count[v]) {
    if (l->blocks == l->room) {
      l->room += l->room / 2 + 1;
      PetscCall(PetscRealloc((size_t)l->room * sizeof *l->block, &l->block));
    }
    l->block[l->last[v]].next = l->blocks;
    l->last[v]                = l->blocks++;
  }
  l->block[l->last[v]].neighbour[at] = w;
  ++l->count[v];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_lists(PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt n,
                                 const PetscInt corner[], PetscInt stride, Lists *l)
{
  PetscFunctionBegin;
  for (PetscInt c = 0; c < cells; ++c)
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt v = cell_node[c * width + corner[i * stride]], w = cell_node[c * width + corner[i * stride + 1]];
      const PetscInt few = l->count[v] < l->count[w] ? v : w;

      if (has(l, few, few == v ? w : v)) continue;
      PetscCall(add(l, v, w));
      PetscCall(add(l, w, v));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lists_destroy(Lists *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->count));
  PetscCall(PetscFree(l->last));
  PetscCall(PetscFree(l->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neighbours in rows: row[v] .. row[v + 1] of column. */
static PetscErrorCode make_rows(PetscInt n, const Lists *l, PetscInt **row, PetscInt **column)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, row));
  (*row)[0] = 0;
  for (PetscInt v = 0; v < n; ++v) (*row)[v + 1] = (*row)[v] + l->count[v];
  PetscCall(PetscMalloc1((*row)[n], column));
  for (PetscInt v = 0; v < n; ++v)
    for (PetscInt b = v, left = l->count[v]; left > 0; left -= BLOCK, b = l->block[b].next)
      for (PetscInt i = 0; i < PetscMin(left, BLOCK); ++i) (*column)[k++] = l->block[b].neighbour[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_neighbours(PetscInt nodes, PetscInt cells, PetscInt width, const PetscInt cell_node[],
                                      PetscInt n, const PetscInt corner[], PetscInt stride, PetscInt **row,
                                      PetscInt **column)
{
  RUNG_OWNED(lists_destroy) Lists l = {.blocks = nodes, .room = nodes + nodes / 8};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nodes, &l.count));
  PetscCall(PetscMalloc1(nodes, &l.last));
  PetscCall(PetscMalloc1(l.room, &l.block));
  for (PetscInt v = 0; v < nodes; ++v) l.last[v] = v;
  PetscCall(fill_lists(cells, width, cell_node, n, corner, stride, &l));
  PetscCall(make_rows(nodes, &l, row, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Breadth first from `start` over vertices with stamp[v] < now; neighbours by ascending degree if `by_degree`.
   Appends to order[] and returns how many vertices were reached; they get stamp `now`. */
static PetscInt walk(PetscInt start, const PetscInt row[], const PetscInt column[], PetscInt now, PetscInt stamp[],
                     PetscBool by_degree, PetscInt order[])
{
  PetscInt n = 1;

  order[0]     = start;
  stamp[start] = now;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt v = order[i], first = n;

    for (PetscInt k = row[v]; k < row[v + 1]; ++k) {
      const PetscInt w = column[k];
      PetscInt       j = n;

      if (stamp[w] >= now) continue;
      stamp[w] = now;
      if (by_degree) {
        for (; j > first && row[order[j - 1] + 1] - row[order[j - 1]] > row[w + 1] - row[w]; --j)
          order[j] = order[j - 1];
      }
      order[j] = w;
      ++n;
    }
  }
  return n;
}

PetscErrorCode RungOrderVertices(PetscInt n, PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt edges,
                                 const PetscInt corner[], PetscInt stride, PetscInt order[])
{
  RUNG_FREE PetscInt *row = NULL, *column = NULL, *stamp = NULL;
  PetscInt            done = 0;

  PetscFunctionBegin;
  PetscCall(find_neighbours(n, cells, width, cell_node, edges, corner, stride, &row, &column));
  PetscCall(PetscCalloc1(n, &stamp));
  for (PetscInt v = 0; v < n; ++v) {
    PetscInt reached, start = v;

    if (stamp[v]) continue;
    /* the last vertex of a walk is far from its first one: thrice, and we stand at the rim */
    for (PetscInt turn = 1; turn <= 3; ++turn) {
      reached = walk(start, row, column, turn, stamp, PETSC_FALSE, order + done);
      start   = order[done + reached - 1];
    }
    done += walk(start, row, column, 4, stamp, PETSC_TRUE, order + done);
  }
  for (PetscInt i = 0; i < n / 2; ++i) {
    const PetscInt v = order[i];

    order[i]         = order[n - 1 - i];
    order[n - 1 - i] = v;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
