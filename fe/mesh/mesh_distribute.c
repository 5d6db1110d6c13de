/* mesh_distribute.c - cuts the whole mesh of rank 0 into pieces and sends them. */
#include "fe_impl.h"

PetscErrorCode RungPieceDestroy(RungPiece *piece)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(piece->cell_node));
  PetscCall(PetscFree(piece->cell_id));
  PetscCall(PetscFree(piece->exterior));
  PetscCall(PetscFree(piece->node_id));
  PetscCall(PetscFree(piece->x));
  PetscCall(PetscFree(piece->shape));
  PetscCall(PetscFree(piece->mark));
  PetscCall(PetscFree(piece->tagged_node));
  PetscCall(PetscFree(piece->tagged_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungPieceShapeNodes(const RungPiece *piece)
{
  return piece->degree ? RungCellNodes(piece->type, piece->degree) : RungCellGet(piece->type)->vertices;
}

/* ---- the cut ---------------------------------------------------------------------------------------------------- */

/* Cells are neighbours if they share a facet.  Out start[cells + 1], neighbour[] of rank 0; the caller's. */
static PetscErrorCode dual_graph(const RungPiece *whole, const RungFacets *facets, PetscInt **start,
                                 PetscInt **neighbour)
{
  const PetscInt n = RungCellGet(whole->type)->facets;
  PetscInt       k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(whole->cells + 1, start));
  PetscCall(PetscMalloc1(whole->cells * n, neighbour));
  (*start)[0] = 0;
  for (PetscInt c = 0; c < whole->cells; ++c) {
    for (PetscInt i = c * n; i < (c + 1) * n; ++i) {
      const PetscInt *side  = facets->side + 2 * facets->cell_facet[i];
      const PetscInt  other = side[0] == i ? side[1] : side[0];

      if (other >= 0) (*neighbour)[k++] = other / n;
    }
    (*start)[c + 1] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The partitioner's lists -> target[cell]. */
static PetscErrorCode read_answer(PetscSection section, IS cells, PetscInt nparts, PetscMPIInt target[])
{
  const PetscInt *cell;

  PetscFunctionBegin;
  PetscCall(ISGetIndices(cells, &cell));
  for (PetscInt p = 0; p < nparts; ++p) {
    PetscInt offset, count;

    PetscCall(PetscSectionGetOffset(section, p, &offset));
    PetscCall(PetscSectionGetDof(section, p, &count));
    for (PetscInt i = offset; i < offset + count; ++i) target[cell[i]] = (PetscMPIInt)p;
  }
  PetscCall(ISRestoreIndices(cells, &cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshCut(RungMesh mesh, PetscInt cells, PetscInt start[], PetscInt neighbour[], PetscSection weight,
                           PetscInt nparts, PetscMPIInt target[])
{
  PetscPartitioner partitioner;
  PetscSection     section;
  PetscErrorCode   code;
  IS               list = NULL;

  PetscFunctionBegin;
  PetscCall(PetscPartitionerCreate(mesh->comm, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, mesh->partitioner));
  PetscCall(PetscPartitionerSetUp(partitioner));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &section));
  PetscCall(PetscSectionSetChart(section, 0, nparts));
  code = RungPartitionerPartition(partitioner, nparts, cells, start, neighbour, weight, NULL, NULL, section, &list);
  if (!code) { /* not refused */
    PetscCall(PetscSectionSetUp(section));
    PetscCall(read_answer(section, list, nparts, target));
  }
  PetscCall(ISDestroy(&list));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(PetscPartitionerDestroy(&partitioner));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective.  Out target[cell] on rank 0. */
static PetscErrorCode cut(RungMesh mesh, RungPiece *whole, const RungFacets *facets, PetscInt nparts,
                          PetscMPIInt target[])
{
  PetscInt      *start = NULL, *neighbour = NULL;
  PetscSection   weight;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(dual_graph(whole, facets, &start, &neighbour));
  PetscCall(RungPieceWeigh(mesh, whole, NULL, &weight));
  code = RungMeshCut(mesh, whole->cells, start, neighbour, weight, nparts, target);
  PetscCall(PetscSectionDestroy(&weight));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(neighbour));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_cut(const RungPiece *whole, const RungFacets *facets, const PetscMPIInt target[])
{
  const PetscInt n     = RungCellGet(whole->type)->facets;
  PetscInt       count = 0;

  for (PetscInt f = 0; f < facets->count; ++f) {
    const PetscInt *side = facets->side + 2 * f;

    if (side[1] >= 0 && target[side[0] / n] != target[side[1] / n]) ++count;
  }
  return count;
}

/* ---- the pieces ------------------------------------------------------------------------------------------------- */

/* What rank 0 needs to cut out one piece after the other. */
typedef struct {
  const RungPiece *whole;
  PetscInt        *cell;  /* owned, cells sorted by rank                */
  PetscInt        *start; /* owned, [rank + 1] in cell                  */
  PetscInt        *mark;  /* owned, marks sorted by rank                */
  PetscInt        *first; /* owned, [rank + 1] in mark                  */
  PetscInt        *place; /* owned, [cell] its number in its piece      */
  PetscInt        *local; /* owned, [node] its number in the piece in work, or -1 */
} Cutter;

/* Stable counting sort of i = 0 .. n - 1 by key(i) = target[of ? of[3 i + 1] : i]. */
static PetscErrorCode sort_by_rank(PetscInt n, const PetscInt of[], const PetscMPIInt target[], PetscMPIInt size,
                                   PetscInt **list, PetscInt **start)
{
  PetscInt *fill;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, list));
  PetscCall(PetscCalloc1(size + 1, start));
  PetscCall(PetscMalloc1(size, &fill));
  for (PetscInt i = 0; i < n; ++i) ++(*start)[target[of ? of[3 * i + 1] : i] + 1];
  for (PetscMPIInt r = 0; r < size; ++r) {
    (*start)[r + 1] += (*start)[r];
    fill[r] = (*start)[r];
  }
  for (PetscInt i = 0; i < n; ++i) (*list)[fill[target[of ? of[3 * i + 1] : i]]++] = i;
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cutter_create(const RungPiece *whole, const PetscMPIInt target[], PetscMPIInt size, Cutter *c)
{
  PetscFunctionBegin;
  c->whole = whole;
  PetscCall(sort_by_rank(whole->cells, NULL, target, size, &c->cell, &c->start));
  PetscCall(sort_by_rank(whole->marks, whole->mark, target, size, &c->mark, &c->first));
  PetscCall(PetscMalloc1(whole->cells, &c->place));
  for (PetscMPIInt r = 0; r < size; ++r) {
    for (PetscInt i = c->start[r]; i < c->start[r + 1]; ++i) c->place[c->cell[i]] = i - c->start[r];
  }
  PetscCall(PetscMalloc1(whole->nodes, &c->local));
  for (PetscInt v = 0; v < whole->nodes; ++v) c->local[v] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cutter_destroy(Cutter *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->cell));
  PetscCall(PetscFree(c->start));
  PetscCall(PetscFree(c->mark));
  PetscCall(PetscFree(c->first));
  PetscCall(PetscFree(c->place));
  PetscCall(PetscFree(c->local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for `width` numbers of shape a cell; 0 for straight cells. */
static PetscErrorCode piece_allocate(RungPiece *piece, PetscInt width)
{
  const PetscInt nv = RungCellGet(piece->type)->vertices;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(piece->cells * nv, &piece->cell_node));
  PetscCall(PetscMalloc1(piece->cells, &piece->cell_id));
  PetscCall(PetscMalloc1(piece->cells, &piece->exterior));
  PetscCall(PetscMalloc1(piece->nodes, &piece->node_id));
  PetscCall(PetscMalloc1(piece->nodes * piece->dim, &piece->x));
  PetscCall(PetscMalloc1(piece->marks * 3, &piece->mark));
  if (width) PetscCall(PetscMalloc1(piece->cells * width, &piece->shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes in the order of their first appearance in the cells of rank r. */
static PetscInt collect_nodes(const Cutter *c, PetscMPIInt r, PetscInt nv)
{
  PetscInt n = 0;

  for (PetscInt i = c->start[r]; i < c->start[r + 1]; ++i) {
    for (PetscInt k = 0; k < nv; ++k) {
      PetscInt *local = &c->local[c->whole->cell_node[c->cell[i] * nv + k]];

      if (*local < 0) *local = n++;
    }
  }
  return n;
}

static PetscErrorCode cut_out(const Cutter *c, PetscMPIInt r, RungPiece *piece)
{
  const RungPiece *whole = c->whole;
  const PetscInt   nv = RungCellGet(whole->type)->vertices, dim = whole->dim;
  const PetscInt   width = whole->degree ? RungPieceShapeNodes(whole) * dim : 0;

  PetscFunctionBegin;
  *piece = (RungPiece){.type   = whole->type,
                       .dim    = dim,
                       .degree = whole->degree,
                       .cells  = c->start[r + 1] - c->start[r],
                       .nodes  = collect_nodes(c, r, nv),
                       .marks  = c->first[r + 1] - c->first[r]};
  PetscCall(piece_allocate(piece, width));
  for (PetscInt i = 0; i < piece->cells; ++i) {
    const PetscInt cell = c->cell[c->start[r] + i];

    piece->cell_id[i]  = cell;
    piece->exterior[i] = whole->exterior[cell];
    if (width) PetscCall(PetscArraycpy(piece->shape + i * width, whole->shape + cell * width, width));
    for (PetscInt k = 0; k < nv; ++k) {
      const PetscInt node = whole->cell_node[cell * nv + k], local = c->local[node];

      piece->cell_node[i * nv + k] = local;
      piece->node_id[local]        = node;
      for (PetscInt a = 0; a < dim; ++a) piece->x[local * dim + a] = whole->x[node * dim + a];
    }
  }
  for (PetscInt v = 0; v < piece->nodes; ++v) c->local[piece->node_id[v]] = -1;
  for (PetscInt i = 0; i < piece->marks; ++i) {
    const PetscInt *mark = whole->mark + 3 * c->mark[c->first[r] + i];

    piece->mark[3 * i]     = mark[0];
    piece->mark[3 * i + 1] = c->place[mark[1]];
    piece->mark[3 * i + 2] = mark[2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of a piece from rank 0 to rank r; `exchange` is MPI_Send or MPI_Recv of n numbers to or from `peer`. */
static PetscErrorCode exchange(MPI_Comm comm, PetscBool send, PetscMPIInt peer, PetscInt n, MPI_Datatype type, void *a)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  if (send)
    PetscCallMPI(MPI_Send(a, count, type, peer, 0, comm));
  else
    PetscCallMPI(MPI_Recv(a, count, type, peer, 0, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode exchange_piece(MPI_Comm comm, PetscBool send, PetscMPIInt peer, PetscInt width, RungPiece *piece)
{
  const PetscInt nv       = RungCellGet(piece->type)->vertices;
  PetscInt       sizes[3] = {piece->cells, piece->nodes, piece->marks};

  PetscFunctionBegin;
  PetscCall(exchange(comm, send, peer, 3, MPIU_INT, sizes));
  if (!send) {
    piece->cells = sizes[0], piece->nodes = sizes[1], piece->marks = sizes[2];
    PetscCall(piece_allocate(piece, width));
  }
  PetscCall(exchange(comm, send, peer, piece->cells * nv, MPIU_INT, piece->cell_node));
  PetscCall(exchange(comm, send, peer, piece->cells, MPIU_INT, piece->cell_id));
  PetscCall(exchange(comm, send, peer, piece->cells, MPIU_INT, piece->exterior));
  PetscCall(exchange(comm, send, peer, piece->nodes, MPIU_INT, piece->node_id));
  PetscCall(exchange(comm, send, peer, piece->nodes * piece->dim, MPIU_REAL, piece->x));
  PetscCall(exchange(comm, send, peer, piece->marks * 3, MPIU_INT, piece->mark));
  if (width) PetscCall(exchange(comm, send, peer, piece->cells * width, MPIU_REAL, piece->shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 cuts its own piece last: it may then free the whole. */
static PetscErrorCode hand_out(RungMesh mesh, const RungPiece *whole, const PetscMPIInt target[], PetscMPIInt size,
                               PetscInt width, RungPiece *piece)
{
  Cutter cutter;

  PetscFunctionBegin;
  PetscCall(cutter_create(whole, target, size, &cutter));
  for (PetscMPIInt r = size - 1; r >= 0; --r) {
    PetscCall(cut_out(&cutter, r, piece));
    if (!r) break;
    PetscCall(exchange_piece(mesh->comm, PETSC_TRUE, r, width, piece));
    PetscCall(RungPieceDestroy(piece));
  }
  PetscCall(cutter_destroy(&cutter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshDistribute(RungMesh mesh, RungPiece *whole, const RungFacets *facets, RungPiece *piece)
{
  PetscMPIInt    rank, size, *target;
  PetscErrorCode code    = PETSC_SUCCESS;
  PetscInt       fact[6] = {(PetscInt)whole->type,
                            whole->dim,
                            whole->cells,
                            whole->degree,
                      whole->degree ? RungPieceShapeNodes(whole) * whole->dim : 0,
                      whole->glued ? 1 : 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCallMPI(MPI_Bcast(fact, 6, MPIU_INT, 0, mesh->comm));
  whole->type = (RungCellType)fact[0];
  whole->dim  = fact[1];
  mesh->glued = fact[5] ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungMeshCheckWeights(mesh, whole->dim));
  PetscCall(PetscCalloc1(whole->cells, &target));
  if (size > 1 && fact[2] > 1) code = cut(mesh, whole, facets, PetscMin(size, fact[2]), target);
  if (code) PetscCall(PetscFree(target)); /* refused */
  PetscCall(code);
  if (!rank) mesh->edge_cut = count_cut(whole, facets, target);
  PetscCallMPI(MPI_Bcast(&mesh->edge_cut, 1, MPIU_INT, 0, mesh->comm));
  *piece = (RungPiece){.type = whole->type, .dim = whole->dim, .degree = fact[3]};
  if (!rank)
    PetscCall(hand_out(mesh, whole, target, size, fact[4], piece));
  else
    PetscCall(exchange_piece(mesh->comm, PETSC_FALSE, 0, fact[4], piece));
  PetscCall(PetscFree(target));
  PetscFunctionReturn(PETSC_SUCCESS);
}
