/* runs.c - pieces of cells that follow each other in memory: which, where, in what order.

   The nodes inside an entity, a vertex, edge, face or cell, have consecutive numbers.  A cell sees them in an order that
   depends on how it lies there; where all cells of a batch see them alike, the lanes of a piece are runs of memory,
   which gather_runs.c reads and writes whole and transposes in registers. */
#include "kernel_impl.h"

#define MANY   6  /* nodes of an entity in the mean, from Q5 on: fewer are looked up one by one as fast */
#define LONG   4  /* numbers of a piece, likewise */
#define ORDERS 64 /* as many as are kept apart; a face has 8 */

/* first[]: entities with nodes inside, dimension by dimension, behind those with few; pieces: 0 where it is not worth while */
static PetscErrorCode find_pieces(const RungTransfer *transfer, const RungMeshData *mesh, PetscInt *pieces,
                                  PetscInt first[])
{
  const RungSpaceData *space    = transfer->space;
  const RungCell      *cell     = RungCellGet(mesh->type);
  PetscInt             entities = 0;

  PetscFunctionBegin;
  *pieces  = 0;
  first[0] = 0;
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    const PetscInt n = d == cell->dim ? 1 : d == 0 ? cell->vertices : d == cell->dim - 1 ? cell->facets : cell->edges;
    const PetscInt inside = space->entity_nodes[d];

    if (inside) entities += n;
    if (!*pieces && inside * transfer->components < LONG) {
      first[0] += n * inside;
      continue;
    }
    for (PetscInt i = 0; i < n && inside; ++i, ++*pieces) first[*pieces + 1] = first[*pieces] + inside;
  }
  if (first[*pieces] != space->cell_nodes || space->cell_nodes < MANY * entities) *pieces = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* row[i * components + c] = lanes * (number of the node that is i-th in memory, component c); false: they do not follow
   each other */
static PetscBool find_order(PetscInt n, const PetscInt node[], PetscInt components, PetscInt lanes, PetscInt *base,
                            int row[])
{
  *base = node[0];
  for (PetscInt i = 1; i < n; ++i) *base = PetscMin(*base, node[i]);
  for (PetscInt i = 0; i < n; ++i) row[i * components] = -1;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt at = node[i] - *base;

    if (at >= n || row[at * components] >= 0) return PETSC_FALSE;
    for (PetscInt c = 0; c < components; ++c) row[at * components + c] = (int)((i * components + c) * lanes);
  }
  return PETSC_TRUE;
}

/* Are the nodes of another cell in that order, from base on? */
static PetscBool follows(PetscInt n, const PetscInt node[], PetscInt components, PetscInt lanes, const int row[],
                         PetscInt *base)
{
  *base = node[row[0] / (int)(components * lanes)];
  for (PetscInt i = 1; i < n; ++i)
    if (node[row[i * components] / (int)(components * lanes)] != *base + i) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* The number of an order of n numbers, a new one if there is room; known[order]: numbers that it has */
static int order_of(RungRuns *runs, PetscInt known[], PetscInt n, const int row[])
{
  for (PetscInt o = 0; o < runs->orders; ++o) {
    PetscInt i = 0;

    while (i < PetscMin(n, known[o]) && runs->row[o * runs->stride + i] == row[i]) ++i;
    if (i == n) return (int)o;
  }
  if (runs->orders == ORDERS) return -1;
  for (PetscInt i = 0; i < n; ++i) runs->row[runs->orders * runs->stride + i] = row[i];
  known[runs->orders] = n;
  return (int)runs->orders++;
}

/* One piece of one batch: base[lane] and the order. */
static int find_run(RungRuns *runs, const RungTransfer *transfer, PetscInt cell, PetscInt piece, PetscInt lanes,
                    PetscInt known[], int work[], PetscInt base[])
{
  const PetscInt  first = runs->first[piece], n = runs->first[piece + 1] - first, components = transfer->components;
  const PetscInt *node = transfer->map + cell * transfer->nodes + first;
  PetscBool       same = find_order(n, node, components, lanes, &base[0], work);

  for (PetscInt l = 1; l < lanes && same; ++l)
    same = follows(n, node + l * transfer->nodes, components, lanes, work, &base[l]);
  return same ? order_of(runs, known, n * components, work) : -1;
}

PetscErrorCode RungRunsCreate(RungBatches batches, RungTransfer *transfer)
{
  const PetscInt lanes = batches->lanes;
  PetscInt       pieces, first[28], known[ORDERS];
  RungRuns      *runs;
  int           *work;

  PetscFunctionBegin;
  PetscCall(find_pieces(transfer, batches->mesh, &pieces, first));
  if (!pieces) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&runs));
  transfer->runs = runs;
  runs->pieces   = pieces;
  PetscCall(PetscMalloc1(pieces + 1, &runs->first));
  PetscCall(PetscArraycpy(runs->first, first, pieces + 1));
  for (PetscInt p = 0; p < pieces; ++p) runs->stride = PetscMax(runs->stride, first[p + 1] - first[p]);
  runs->stride *= transfer->components;
  PetscCall(PetscMalloc1(batches->batches * pieces * lanes, &runs->base));
  PetscCall(PetscMalloc1(batches->batches * pieces, &runs->order));
  PetscCall(PetscMalloc1(ORDERS * runs->stride, &runs->row));
  PetscCall(PetscMalloc1(runs->stride, &work));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    for (PetscInt p = 0; p < pieces && batches->regular[b]; ++p)
      runs->order[b * pieces + p] = find_run(runs, transfer, batches->cell[batches->first[b]], p, lanes, known, work,
                                             runs->base + (b * pieces + p) * lanes);
  }
  PetscCall(PetscFree(work));
  PetscCall(PetscRealloc(sizeof(int) * (size_t)(runs->orders * runs->stride), &runs->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRunsDestroy(RungRuns **runs)
{
  PetscFunctionBegin;
  if (!*runs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*runs)->first));
  PetscCall(PetscFree((*runs)->base));
  PetscCall(PetscFree((*runs)->order));
  PetscCall(PetscFree((*runs)->row));
  PetscCall(PetscFree(*runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}
