/* lines.c - which lines of the cache batches touch that no batch has a moment ago: fetched ahead.

   New nodes follow each other in memory, but there are pauses between them; and most nodes of a cell belong to cells that
   were touched a front of the mesh ago, which in a large mesh have left the second cache since. */
#include "kernel_impl.h"

#define LINE   8    /* numbers */
#define RECENT 1024 /* lines: half a megabyte has gone by, with what is written, maps and geometry */

/* Numbers of a regular batch: its lines that have not come within the recent ones; came[line]: how many had come before it
   last did.  Returns how many. */
static PetscInt list_batch(RungBatches batches, const RungTransfer *transfer, PetscInt b, PetscInt came[],
                           PetscInt *all, PetscInt line[])
{
  const PetscInt  components = transfer->components, entries = batches->lanes * transfer->nodes;
  const PetscInt *map = transfer->map + batches->cell[batches->first[b]] * transfer->nodes;
  PetscInt        n   = 0;

  for (PetscInt i = 0; i < entries; ++i) {
    const PetscInt last = (map[i] * components + components - 1) / LINE;

    for (PetscInt k = map[i] * components / LINE; k <= last; ++k) {
      if (*all - came[k] > RECENT) {
        line[n++] = k;
        ++*all;
      }
      came[k] = *all;
    }
  }
  return n;
}

static PetscInt count_lines(RungBatches batches, const RungTransfer *transfer)
{
  const PetscInt nodes = transfer->space ? transfer->space->nodes : batches->mesh->nodes;

  return (nodes * transfer->components + LINE - 1) / LINE;
}

/* The most lines that a batch may touch. */
static PetscInt most_lines(RungBatches batches, const RungTransfer *transfer)
{
  return batches->lanes * transfer->nodes * (1 + (transfer->components + LINE - 2) / LINE);
}

PetscErrorCode RungLinesCreate(RungBatches batches, const RungTransfer *transfer, RungLines **lines)
{
  const PetscInt n = count_lines(batches, transfer), most = most_lines(batches, transfer);
  PetscInt       all = 0, room = 2 * n + most, *came, *first, *line;

  PetscFunctionBegin;
  PetscCall(PetscNew(lines));
  PetscCall(PetscCalloc1(batches->batches + 1, &first));
  (*lines)->first = first;
  PetscCall(PetscMalloc1(room, &line));
  (*lines)->line = line;
  PetscCall(PetscMalloc1(n, &came));
  for (PetscInt i = 0; i < n; ++i) came[i] = -RECENT - 1;
  for (PetscInt b = 0; b < batches->batches; ++b) {
    first[b + 1] = first[b];
    if (!batches->regular[b]) continue;
    if (room < first[b] + most) {
      room = 2 * first[b] + most;
      PetscCall(PetscRealloc(sizeof *line * (size_t)room, &line));
      (*lines)->line = line;
    }
    first[b + 1] += list_batch(batches, transfer, b, came, &all, line + first[b]);
  }
  PetscCall(PetscFree(came));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinesDestroy(RungLines **lines)
{
  PetscFunctionBegin;
  if (!*lines) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*lines)->first));
  PetscCall(PetscFree((*lines)->line));
  PetscCall(PetscFree(*lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}
