/* mesh_order.c - an order of the vertices in which neighbours are near each other: reverse Cuthill-McKee from a vertex
   at the rim (Cuthill and McKee 1969; George and Liu 1979 for the start). */
#include "fe_impl.h"

/* Neighbours in rows: row[v] .. row[v + 1] of column. */
static PetscErrorCode make_rows(PetscInt n, PetscInt edges, const PetscInt edge[], PetscInt **row, PetscInt **column)
{
  PetscInt *r, *c;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 2, &r));
  PetscCall(PetscMalloc1(2 * edges, &c));
  for (PetscInt i = 0; i < 2 * edges; ++i) ++r[edge[i] + 2];
  for (PetscInt v = 0; v < n; ++v) r[v + 2] += r[v + 1];
  for (PetscInt i = 0; i < edges; ++i) {
    c[r[edge[2 * i] + 1]++]     = edge[2 * i + 1];
    c[r[edge[2 * i + 1] + 1]++] = edge[2 * i];
  }
  *row    = r;
  *column = c;
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

PetscErrorCode RungOrderVertices(PetscInt n, PetscInt edges, const PetscInt edge[], PetscInt order[])
{
  PetscInt *row = NULL, *column = NULL, *stamp, done = 0;

  PetscFunctionBegin;
  PetscCall(make_rows(n, edges, edge, &row, &column));
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
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(column));
  PetscCall(PetscFree(stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
