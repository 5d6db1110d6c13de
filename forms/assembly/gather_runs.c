/* gather_runs.c - batches whose cells come in pieces that follow each other in memory (runs.c): read and added whole.

   Piece after piece for all lanes: sums over cells come in an order that depends on the number of lanes.

   Compiled once for each instruction set, as gather.c is. */
#ifndef RUNG_ISA
  #define RUNG_PACK 2 /* the plain copy serves any number of lanes */
#endif
#include "runs_impl.h"

/* One piece of lanes l, l + 1, ..: where it lies and how. */
typedef struct {
  ptrdiff_t       nodes, components, lanes;
  const PetscInt *base; /* [lane]                                                */
  const int      *row;  /* NULL: node by node                                    */
  const PetscInt *map;  /* the piece of lane 0, the next one's `distance` behind */
  ptrdiff_t       distance;
} Piece;

RUNG_INLINE Piece piece_of(RungBatches batches, PetscInt b, const RungTransfer *transfer, PetscInt p)
{
  const RungRuns *runs  = transfer->runs;
  const PetscInt  first = runs->first[p], cell = batches->cell[batches->first[b]];
  const ptrdiff_t at    = (ptrdiff_t)b * runs->pieces + p;
  const int       order = runs->order[at];

  return (Piece){.nodes      = runs->first[p + 1] - first,
                 .components = transfer->components,
                 .lanes      = batches->lanes,
                 .base       = runs->base + at * batches->lanes,
                 .row        = order < 0 ? NULL : runs->row + order * runs->stride,
                 .map        = transfer->map + (ptrdiff_t)cell * transfer->nodes + first,
                 .distance   = transfer->nodes};
}

/* The nodes before the first piece. */
RUNG_INLINE Piece lead_of(RungBatches batches, PetscInt b, const RungTransfer *transfer)
{
  return (Piece){.nodes      = transfer->runs->first[0],
                 .components = transfer->components,
                 .lanes      = batches->lanes,
                 .map        = transfer->map + (ptrdiff_t)batches->cell[batches->first[b]] * transfer->nodes,
                 .distance   = transfer->nodes};
}

RUNG_INLINE void look_up(const Piece *piece, ptrdiff_t components, ptrdiff_t lanes, const double from[], double to[])
{
  for (ptrdiff_t l = 0; l < lanes; l += RUNG_PACK) {
    const PetscInt *map = piece->map + l * piece->distance;

    for (ptrdiff_t i = 0; i < piece->nodes; ++i)
      gather_lanes((Lanes){.from = from, .index = map + i, .distance = piece->distance, .scale = components},
                   components, lanes, to + i * components * lanes + l);
  }
}

static void gather_looked(const Piece *piece, const double from[], double to[])
{
  if (piece->components == 1 && piece->lanes == RUNG_PACK)
    look_up(piece, 1, RUNG_PACK, from, to);
  else if (piece->components == 3 && piece->lanes == RUNG_PACK)
    look_up(piece, 3, RUNG_PACK, from, to);
  else
    look_up(piece, piece->components, piece->lanes, from, to);
}

RUNG_INLINE void add_looked(const Piece *piece, ptrdiff_t components, ptrdiff_t lanes, const double from[], double to[])
{
  for (ptrdiff_t l = 0; l < lanes; ++l) {
    const PetscInt *map = piece->map + l * piece->distance;

    for (ptrdiff_t i = 0; i < piece->nodes; ++i)
      scatter_lane(to + map[i] * components, components, lanes, from + i * components * lanes + l);
  }
}

static void scatter_looked(const Piece *piece, const double from[], double to[])
{
  if (piece->components == 1 && piece->lanes == RUNG_PACK)
    add_looked(piece, 1, RUNG_PACK, from, to);
  else if (piece->components == 3 && piece->lanes == RUNG_PACK)
    add_looked(piece, 3, RUNG_PACK, from, to);
  else
    add_looked(piece, piece->components, piece->lanes, from, to);
}

RUNG_INLINE void gather(const Piece *piece, ptrdiff_t components, const double from[], double to[])
{
  for (ptrdiff_t l = 0; l < piece->lanes; l += RUNG_PACK) {
    const double *at[RUNG_PACK];

    for (int k = 0; k < RUNG_PACK; ++k) at[k] = from + piece->base[l + k] * components;
    gather_piece(at, piece->nodes * components, piece->row, to + l);
  }
}

RUNG_INLINE void scatter(const Piece *piece, ptrdiff_t components, const double from[], double to[])
{
  for (ptrdiff_t l = 0; l < piece->lanes; l += RUNG_PACK) {
    double *at[RUNG_PACK];

    for (int k = 0; k < RUNG_PACK; ++k) at[k] = to + piece->base[l + k] * components;
    scatter_piece(at, piece->nodes * components, piece->row, from + l);
  }
}

void RungRunsGather(RungBatches batches, PetscInt b, const RungTransfer *transfer, const double *const from[],
                    double slot[])
{
  const Piece lead = lead_of(batches, b, transfer);

  for (PetscInt e = 0; e < transfer->ends; ++e) gather_looked(&lead, from[e], slot + transfer->end[e].at);
  for (PetscInt p = 0; p < transfer->runs->pieces; ++p) {
    const Piece     piece = piece_of(batches, b, transfer, p);
    const ptrdiff_t to    = (ptrdiff_t)transfer->runs->first[p] * piece.components * piece.lanes;

    for (PetscInt e = 0; e < transfer->ends; ++e) {
      double *at = slot + transfer->end[e].at + to;

      if (!piece.row)
        gather_looked(&piece, from[e], at);
      else if (piece.components == 1)
        gather(&piece, 1, from[e], at);
      else
        gather(&piece, piece.components, from[e], at);
    }
  }
}

void RungRunsScatter(RungBatches batches, PetscInt b, const RungTransfer *transfer, const double slot[],
                     PetscScalar to[])
{
  const Piece lead = lead_of(batches, b, transfer);

  for (PetscInt e = 0; e < transfer->ends; ++e)
    scatter_looked(&lead, slot + transfer->end[e].at, to + transfer->end[e].first);
  for (PetscInt p = 0; p < transfer->runs->pieces; ++p) {
    const Piece     piece = piece_of(batches, b, transfer, p);
    const ptrdiff_t from  = (ptrdiff_t)transfer->runs->first[p] * piece.components * piece.lanes;

    for (PetscInt e = 0; e < transfer->ends; ++e) {
      const double *at = slot + transfer->end[e].at + from;
      double       *y  = to + transfer->end[e].first;

      if (!piece.row)
        scatter_looked(&piece, at, y);
      else if (piece.components == 1)
        scatter(&piece, 1, at, y);
      else
        scatter(&piece, piece.components, at, y);
    }
  }
}
