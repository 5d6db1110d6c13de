/* lines.c - which lines of the cache batches touch that no batch has a moment ago: fetched ahead.

   New nodes follow each other in memory, but there are pauses between them; and most nodes of a cell belong to cells that
   were touched a front of the mesh ago, which in a large mesh have left the second cache since. */
#include "kernel_impl.h"

#define LINE   8    /* numbers */
#define RECENT 1024 /* lines: half a megabyte has gone by, with what is written, maps and geometry */

/* Numbers of a regular batch: its lines that have not come within the recent ones; came[line]: how many had come before it
   last did.  Returns how many; kept in line[] unless it is NULL. */
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
        if (line) line[n] = k;
        ++n;
        ++*all;
      }
      came[k] = *all;
    }
  }
  return n;
}

static PetscInt count_lines(RungBatches batches, const RungTransfer *transfer)
{
  const PetscInt n    = batches->mesh->cells * transfer->nodes;
  PetscInt       most = -1;

  for (PetscInt i = 0; i < n; ++i) most = PetscMax(most, transfer->map[i]);
  return ((most + 1) * transfer->components + LINE - 1) / LINE;
}

PetscErrorCode RungLinesCreate(RungBatches batches, const RungTransfer *transfer, RungLines **lines)
{
  const PetscInt n = count_lines(batches, transfer);
  PetscInt      *came;

  PetscFunctionBegin;
  PetscCall(PetscNew(lines));
  PetscCall(PetscCalloc1(batches->batches + 1, &(*lines)->first));
  PetscCall(PetscMalloc1(n, &came));
  for (int pass = 0; pass < 2; ++pass) {
    PetscInt *first = (*lines)->first, all = 0;

    for (PetscInt i = 0; i < n; ++i) came[i] = -RECENT - 1;
    for (PetscInt b = 0; b < batches->batches; ++b) {
      const PetscInt found = batches->regular[b]
                               ? list_batch(batches, transfer, b, came, &all, pass ? (*lines)->line + first[b] : NULL)
                               : 0;

      first[b + 1] = first[b] + found;
    }
    if (!pass) PetscCall(PetscMalloc1(first[batches->batches], &(*lines)->line));
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
