/* mesh_deal.c - a Gmsh file that all ranks read: their slices are cut and dealt out, and no rank holds the whole mesh.

   METIS wants the graph of cells and facets on one rank, 4 or 5 numbers a cell, and gets it as before, cell by cell in the order of
   the file: the cut is that of a mesh that rank 0 has read.  Where the ranks do not see the same file, where it is of another
   format or not as it should be, or where the user cuts otherwise, rank 0 reads. */
#include "mesh_slice_impl.h"

static PetscErrorCode cut(RungMesh mesh, RungSlice *s, RungSeam *seam, PetscMPIInt target[])
{
  PetscSection   weight;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(RungMeshCheckWeights(mesh, s->piece.dim));
  PetscCall(RungPieceWeigh(mesh, &s->piece, s->holders, &weight));
  PetscCall(RungSeamMakeGraph(s, seam));
  PetscCall(PetscArrayzero(target, s->piece.cells));
  if (s->total > 1)
    code = RungMeshCut(mesh, s->piece.cells, seam->begin, seam->neighbour, weight, PetscMin(s->size, s->total), target);
  PetscCall(PetscSectionDestroy(&weight));
  PetscCall(code); /* refused */
  PetscCall(RungSeamCountCut(s, seam, target, &mesh->edge_cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows to other ranks ---------------------------------------------------------------------------------------- */

/* Rows of this slice by the rank that gets them; all arrays are owned. */
typedef struct {
  MPI_Comm     comm;                                    /* lent                */
  PetscInt     n, arriving;                             /* rows here and there */
  PetscInt    *order;                                   /* [n] by rank         */
  PetscMPIInt *sends, *send_start, *recvs, *recv_start; /* [rank]              */
} Deal;

/* Row i goes where cell of[i * stride] goes; of NULL: cell i. */
static PetscErrorCode deal_create(const RungSlice *s, PetscInt n, const PetscInt of[], PetscInt stride,
                                  const PetscMPIInt target[], Deal *deal)
{
  PetscMPIInt *fill;

  PetscFunctionBegin;
  *deal = (Deal){.comm = s->comm, .n = n};
  PetscCall(PetscMalloc1(n, &deal->order));
  PetscCall(PetscCalloc1(s->size, &deal->sends));
  PetscCall(PetscCalloc3(s->size, &deal->send_start, s->size, &deal->recvs, s->size, &deal->recv_start));
  PetscCall(PetscMalloc1(s->size, &fill));
  for (PetscInt i = 0; i < n; ++i) ++deal->sends[target[of ? of[i * stride] : i]];
  PetscCallMPI(MPI_Alltoall(deal->sends, 1, MPI_INT, deal->recvs, 1, MPI_INT, s->comm));
  for (PetscMPIInt r = 0; r < s->size; ++r) {
    fill[r] = deal->send_start[r] = r ? deal->send_start[r - 1] + deal->sends[r - 1] : 0;
    deal->recv_start[r]           = r ? deal->recv_start[r - 1] + deal->recvs[r - 1] : 0;
    deal->arriving += deal->recvs[r];
  }
  for (PetscInt i = 0; i < n; ++i) deal->order[fill[target[of ? of[i * stride] : i]]++] = i;
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* row[n][width] numbers of a type of so many bytes -> arrived[arriving][width], the caller's. */
static PetscErrorCode deal_run(const Deal *deal, PetscInt width, MPI_Datatype type, size_t bytes, const void *row,
                               void *arrived)
{
  const size_t each = (size_t)width * bytes;
  MPI_Datatype whole;
  char        *send;

  PetscFunctionBegin;
  PetscCall(PetscMalloc((size_t)deal->n * each, &send));
  for (PetscInt i = 0; i < deal->n; ++i)
    memcpy(send + (size_t)i * each, (const char *)row + (size_t)deal->order[i] * each, each);
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)width, type, &whole));
  PetscCallMPI(MPI_Type_commit(&whole));
  PetscCallMPI(MPI_Alltoallv(send, deal->sends, deal->send_start, whole, arrived, deal->recvs, deal->recv_start, whole,
                             deal->comm));
  PetscCallMPI(MPI_Type_free(&whole));
  PetscCall(PetscFree(send));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_destroy(Deal *deal)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(deal->order));
  PetscCall(PetscFree(deal->sends));
  PetscCall(PetscFree3(deal->send_start, deal->recvs, deal->recv_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

/* Cells, in the order of the file: slices are, and so are the cells of each.  Their nodes are still those of the mesh. */
static PetscErrorCode deal_cells(RungSlice *s, const PetscMPIInt target[], RungPiece *piece)
{
  const PetscInt nv    = RungCellGet(piece->type)->vertices,
                 width = piece->degree ? RungPieceShapeNodes(piece) * piece->dim : 0;
  Deal deal;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->piece.cells * nv; ++i) s->piece.cell_node[i] = s->piece.node_id[s->piece.cell_node[i]];
  PetscCall(deal_create(s, s->piece.cells, NULL, 0, target, &deal));
  piece->cells = deal.arriving;
  PetscCall(PetscMalloc1(piece->cells * nv, &piece->cell_node));
  PetscCall(PetscMalloc1(piece->cells, &piece->cell_id));
  PetscCall(PetscMalloc1(piece->cells, &piece->exterior));
  if (width) PetscCall(PetscMalloc1(piece->cells * width, &piece->shape));
  PetscCall(deal_run(&deal, nv, MPIU_INT, sizeof(PetscInt), s->piece.cell_node, piece->cell_node));
  PetscCall(deal_run(&deal, 1, MPIU_INT, sizeof(PetscInt), s->piece.cell_id, piece->cell_id));
  PetscCall(deal_run(&deal, 1, MPIU_INT, sizeof(PetscInt), s->piece.exterior, piece->exterior));
  if (width) PetscCall(deal_run(&deal, width, MPIU_REAL, sizeof(PetscReal), s->piece.shape, piece->shape));
  PetscCall(deal_destroy(&deal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_marks(RungSlice *s, const PetscMPIInt target[], RungPiece *piece)
{
  Deal deal;

  PetscFunctionBegin;
  PetscCall(deal_create(s, s->piece.marks, s->piece.mark ? s->piece.mark + 1 : NULL, 3, target, &deal));
  for (PetscInt i = 0; i < s->piece.marks; ++i) s->piece.mark[3 * i + 1] += s->first;
  piece->marks = deal.arriving;
  PetscCall(PetscMalloc1(3 * piece->marks, &piece->mark));
  PetscCall(deal_run(&deal, 3, MPIU_INT, sizeof(PetscInt), s->piece.mark, piece->mark));
  for (PetscInt i = 0; i < piece->marks; ++i)
    PetscCall(PetscFindInt(piece->mark[3 * i + 1], piece->cells, piece->cell_id, &piece->mark[3 * i + 1]));
  PetscCall(deal_destroy(&deal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes in the order of their first appearance in the cells, and where they lie. */
static PetscErrorCode fetch_nodes(RungSlice *s, RungPiece *piece)
{
  static const PetscInt self = 0;
  const PetscInt        nv   = RungCellGet(piece->type)->vertices;
  PetscInt             *node = piece->cell_node, *number;
  PetscMPIInt          *reader;
  RungExchange         *exchange;

  PetscFunctionBegin;
  PetscCall(
    RungNumberEntities(piece->cells * nv, 1, node, 1, 1, &self, 1, &piece->nodes, &piece->cell_node, &piece->node_id));
  PetscCall(PetscFree(node));
  PetscCall(PetscMalloc2(piece->nodes, &number, piece->nodes, &reader));
  for (PetscInt i = 0; i < piece->nodes; ++i) {
    PetscMPIInt r = 0, above = s->size; /* start[r] <= number < start[above] */

    number[i] = RungSliceRoot(s, piece->node_id[i]);
    while (above - r > 1) {
      const PetscMPIInt middle = (r + above) / 2;

      if (s->start[middle] <= number[i])
        r = middle;
      else
        above = middle;
    }
    reader[i] = r;
  }
  PetscCall(RungExchangeCreate(s->comm, piece->nodes, reader, number, s->start[s->rank], &exchange));
  PetscCall(PetscFree2(number, reader));
  PetscCall(PetscMalloc1(piece->nodes * piece->dim, &piece->x));
  PetscCall(RungExchangeForward(exchange, (size_t)piece->dim * sizeof(PetscReal), s->x, piece->x));
  PetscCall(RungExchangeDestroy(&exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_out(RungSlice *s, const PetscMPIInt target[], RungPiece *piece)
{
  PetscFunctionBegin;
  *piece = (RungPiece){.type = s->piece.type, .dim = s->piece.dim, .degree = s->piece.degree};
  PetscCall(deal_cells(s, target, piece));
  PetscCall(deal_marks(s, target, piece));
  PetscCall(RungPieceDestroy(&s->piece));
  PetscCall(fetch_nodes(s, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh --------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_piece(RungMesh mesh, RungSlice *s, RungSeam *seam, RungPiece *piece)
{
  PetscMPIInt   *target;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RungSliceRead(mesh, s));
  if (!s->refused) PetscCall(RungSeamConnect(s, seam));
  if (!s->refused) PetscCall(RungSeamTag(s, seam, &mesh->parts));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(s->piece.cells, &target));
  code = cut(mesh, s, seam, target);
  PetscCall(RungSeamDestroy(seam));
  mesh->glued = s->links ? PETSC_TRUE : PETSC_FALSE;
  if (!code) PetscCall(deal_out(s, target, piece));
  PetscCall(PetscFree(target));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshReadInParts(RungMesh mesh, RungPiece *piece, PetscBool *done)
{
  RungSlice      s    = {.comm = mesh->comm};
  RungSeam       seam = {.dir = NULL};
  PetscErrorCode code;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_rank(s.comm, &s.rank));
  PetscCallMPI(MPI_Comm_size(s.comm, &s.size));
  if (mesh->source != RUNG_SOURCE_FILE || s.size == 1 || strcmp(mesh->partitioner, "metis") != 0)
    PetscFunctionReturn(PETSC_SUCCESS);
  code = make_piece(mesh, &s, &seam, piece);
  PetscCall(RungSeamDestroy(&seam));
  PetscCall(RungSliceDestroy(&s));
  if (code || s.refused) PetscCall(RungPartsDestroy(&mesh->parts)); /* nothing half made is left behind */
  PetscCall(code);
  *done = s.refused ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
