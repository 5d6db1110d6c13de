/* mesh_bricks.c - boxes of which every rank makes its own part, a brick; no rank ever holds the whole.

   The blocks of the box are halved along the longest axis, ranks and blocks in proportion, until every rank has one brick.
   All ranks know all bricks: edge cut and balance need no talk.  Boxes with so few blocks that bricks cannot be even are
   cut cell by cell instead (mesh_distribute.c), and so is a box with a partitioner or weights of the user's choice. */
#include <rungown_room.h>
#include "fe_impl.h"

#define UNEVEN 1.1 /* the most cells of a rank over the mean that is left to bricks */

static double blocks_of(const RungBrick *brick)
{
  double n = 1;

  for (int a = 0; a < 3; ++a) n *= (double)(brick->high[a] - brick->low[a]);
  return n;
}

static RungBrick whole_brick(RungMesh mesh)
{
  RungBrick b = {{0, 0, 0}, {1, 1, 1}};

  for (PetscInt a = 0; a < RungCellGet(mesh->box_type)->dim; ++a) b.high[a] = mesh->box_count[a];
  return b;
}

/* The brick of one of `ranks` ranks. */
static RungBrick brick_of(RungBrick b, PetscInt ranks, PetscInt rank)
{
  while (ranks > 1) {
    const PetscInt low  = ranks / 2;
    PetscInt       axis = 0, middle;

    for (int a = 1; a < 3; ++a)
      if (b.high[a] - b.low[a] > b.high[axis] - b.low[axis]) axis = a;
    middle = b.low[axis] + (PetscInt)((double)(b.high[axis] - b.low[axis]) * (double)low / (double)ranks + 0.5);
    if (rank < low) {
      b.high[axis] = middle;
      ranks        = low;
    } else {
      b.low[axis] = middle;
      ranks -= low;
      rank -= low;
    }
  }
  return b;
}

PetscBool RungMeshHasBricks(RungMesh mesh)
{
  const RungBrick whole = whole_brick(mesh);
  PetscMPIInt     size;

  if (mesh->source != RUNG_SOURCE_BOX || mesh->partitioner[0] || RungMeshIsWeighted(mesh)) return PETSC_FALSE;
  if (MPI_Comm_size(mesh->comm, &size)) return PETSC_FALSE;
  for (PetscMPIInt r = 0; r < size; ++r) {
    const RungBrick b = brick_of(whole, size, r);

    if (blocks_of(&b) * size > UNEVEN * blocks_of(&whole)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Facets of cells between bricks: for every rank the faces of its brick towards higher blocks, across the ends of a
   periodic axis too.  A block's face is two facets of tetrahedra, else one. */
static PetscInt count_cut(RungMesh mesh, PetscMPIInt size)
{
  const RungBrick whole = whole_brick(mesh);
  PetscInt        cut   = 0;

  for (PetscMPIInt r = 0; r < size; ++r) {
    const RungBrick b = brick_of(whole, size, r);

    for (PetscInt a = 0; a < RungCellGet(mesh->box_type)->dim && blocks_of(&b) > 0; ++a) {
      PetscInt face = 1;

      for (int c = 0; c < 3; ++c) face *= c == a ? 1 : b.high[c] - b.low[c];
      if (b.high[a] < whole.high[a] || (mesh->periodic[a] && b.low[a] > 0)) cut += face;
    }
  }
  return mesh->box_type == RUNG_TETRAHEDRON ? 2 * cut : cut;
}

/* Members of the sides over all ranks: they are of one cell each.  Those of edges and corners are known. */
static PetscErrorCode count_parts(RungMesh mesh, const RungPiece *piece)
{
  RUNG_FREE PetscInt *all  = NULL;
  RUNG_FREE PetscInt *mine = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->parts.n, &mine));
  PetscCall(PetscCalloc1(mesh->parts.n, &all));
  for (PetscInt i = 0; i < piece->marks; ++i) ++mine[piece->mark[3 * i]];
  PetscCall(MPIU_Allreduce(mine, all, (PetscMPIInt)mesh->parts.n, MPIU_INT, MPI_SUM, mesh->comm));
  for (PetscInt p = 0; p < mesh->parts.n; ++p) {
    if (mesh->parts.part[p].dim == RungCellGet(mesh->box_type)->dim - 1) mesh->parts.part[p].total = all[p];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMakeBrick(RungMesh mesh, RungPiece *piece)
{
  RungFinding finding = {""};
  PetscMPIInt rank, size;
  RungBrick   brick;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  brick = brick_of(whole_brick(mesh), size, rank);
  PetscCall(RungMeshMakeBox(mesh, &brick, piece, &finding));
  RungCheckAll(!finding.text[0], mesh->comm, PETSC_ERR_FILE_UNEXPECTED, "%s", finding.text);
  PetscCall(count_parts(mesh, piece));
  mesh->glued    = piece->glued;
  mesh->edge_cut = count_cut(mesh, size);
  PetscCall(PetscStrncpy(mesh->partitioner, "bricks", sizeof mesh->partitioner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
