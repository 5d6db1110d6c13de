/* exchange.c - ghosts and their owners: who sends what to whom is found once, after that only buffers move.

   Messages are received into one buffer in the order of ranks.  Sums over contributions of several ranks that are made
   in the order of the buffer are therefore the same in every run. */
#include <rungown_room.h>
#include "base_impl.h"

/* Groups ghosts by owner: ranks, starts and items of the side RUNG_GHOSTS. */
static PetscErrorCode group_by_owner(RungExchange *ex, PetscInt ghosts, const PetscMPIInt owner[])
{
  PetscMPIInt *sorted;
  PetscInt     n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ghosts, &sorted));
  PetscCall(PetscMalloc1(ghosts, &ex->item[RUNG_GHOSTS]));
  PetscCall(PetscArraycpy(sorted, owner, ghosts));
  PetscCall(PetscSortMPIInt(ghosts, sorted));
  for (PetscInt g = 0; g < ghosts; ++g)
    if (g == 0 || sorted[g] != sorted[g - 1]) ++n;
  ex->n[RUNG_GHOSTS] = n;
  PetscCall(PetscMalloc1(n, &ex->rank[RUNG_GHOSTS]));
  PetscCall(PetscCalloc1(n + 1, &ex->start[RUNG_GHOSTS]));
  n = 0;
  for (PetscInt g = 0; g < ghosts; ++g) {
    if (g == 0 || sorted[g] != sorted[g - 1]) ex->rank[RUNG_GHOSTS][n++] = sorted[g];
    ex->start[RUNG_GHOSTS][n] = g + 1;
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists ghosts neighbour after neighbour, in their own order within one. */
static PetscErrorCode list_ghosts(RungExchange *ex, PetscInt ghosts, const PetscMPIInt owner[])
{
  const PetscMPIInt n = (PetscMPIInt)ex->n[RUNG_GHOSTS];
  PetscInt         *next;
  PetscInt          r = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &next));
  PetscCall(PetscArraycpy(next, ex->start[RUNG_GHOSTS], n));
  for (PetscInt g = 0; g < ghosts; ++g) {
    if (ex->rank[RUNG_GHOSTS][r] != owner[g]) PetscCall(PetscFindMPIInt(owner[g], n, ex->rank[RUNG_GHOSTS], &r));
    ex->item[RUNG_GHOSTS][next[r]++] = g;
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells owners how many ghosts of theirs are here: ranks and starts of the side RUNG_OWNERS. */
static PetscErrorCode meet_holders(RungExchange *ex)
{
  const PetscMPIInt n = (PetscMPIInt)ex->n[RUNG_GHOSTS];
  PetscInt         *count, *from_count;
  PetscMPIInt       from, *from_rank, *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &count));
  for (PetscMPIInt r = 0; r < n; ++r) count[r] = ex->start[RUNG_GHOSTS][r + 1] - ex->start[RUNG_GHOSTS][r];
  PetscCall(PetscCommBuildTwoSided(ex->comm, 1, MPIU_INT, n, ex->rank[RUNG_GHOSTS], count, &from, &from_rank,
                                   (void *)&from_count));
  ex->n[RUNG_OWNERS] = from;
  PetscCall(PetscMalloc1(from, &ex->rank[RUNG_OWNERS]));
  PetscCall(PetscCalloc1(from + 1, &ex->start[RUNG_OWNERS]));
  PetscCall(PetscMalloc1(from, &order));
  for (PetscMPIInt r = 0; r < from; ++r) order[r] = r;
  PetscCall(PetscSortMPIIntWithArray(from, from_rank, order));
  for (PetscMPIInt r = 0; r < from; ++r) {
    ex->rank[RUNG_OWNERS][r]      = from_rank[r];
    ex->start[RUNG_OWNERS][r + 1] = ex->start[RUNG_OWNERS][r] + from_count[order[r]];
  }
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(from_rank));
  PetscCall(PetscFree(from_count));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeCreate(MPI_Comm comm, PetscInt ghosts, const PetscMPIInt owner[], const PetscInt global[],
                                  PetscInt start, RungExchange **exchange)
{
  RUNG_OWNED(RungExchangeDestroy) RungExchange *ex      = NULL;
  RUNG_FREE PetscInt                           *numbers = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ex));
  ex->comm = MPI_COMM_NULL;
  PetscCall(PetscCommDuplicate(comm, &ex->comm, &ex->tag));
  PetscCall(group_by_owner(ex, ghosts, owner));
  PetscCall(list_ghosts(ex, ghosts, owner));
  PetscCall(meet_holders(ex));
  PetscCall(PetscMalloc1(ex->n[0] + ex->n[1], &ex->request));
  PetscCall(PetscMalloc1(ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]], &ex->item[RUNG_OWNERS]));
  PetscCall(PetscMalloc1(ghosts, &numbers));
  for (PetscInt i = 0; i < ghosts; ++i) numbers[i] = global[ex->item[RUNG_GHOSTS][i]];
  PetscCall(RungExchangeRun(ex, RUNG_GHOSTS, MPIU_INT, 1, numbers, ex->item[RUNG_OWNERS]));
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) ex->item[RUNG_OWNERS][i] -= start;
  *exchange = ex;
  ex        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeExpand(RungExchange *ex, const PetscInt *const count[2], RungExchange **expanded)
{
  RUNG_OWNED(RungExchangeDestroy) RungExchange *big = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&big));
  big->comm = MPI_COMM_NULL;
  PetscCall(PetscCommDuplicate(ex->comm, &big->comm, &big->tag));
  for (int side = 0; side < 2; ++side) {
    big->n[side] = ex->n[side];
    PetscCall(PetscMalloc1(ex->n[side], &big->rank[side]));
    PetscCall(PetscArraycpy(big->rank[side], ex->rank[side], ex->n[side]));
    PetscCall(PetscCalloc1(ex->n[side] + 1, &big->start[side]));
    for (PetscInt r = 0; r < ex->n[side]; ++r) {
      big->start[side][r + 1] = big->start[side][r];
      for (PetscInt i = ex->start[side][r]; i < ex->start[side][r + 1]; ++i) big->start[side][r + 1] += count[side][i];
    }
  }
  PetscCall(PetscMalloc1(big->n[0] + big->n[1], &big->request));
  *expanded = big;
  big       = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeStart(RungExchange *ex, int from, MPI_Datatype unit, PetscInt size, const void *send,
                                 void *receive, MPI_Request request[])
{
  const int   to = 1 - from;
  PetscMPIInt bytes, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_size(unit, &bytes));
  for (PetscInt r = 0; r < ex->n[to]; ++r) {
    PetscCall(PetscMPIIntCast((ex->start[to][r + 1] - ex->start[to][r]) * size, &count));
    PetscCallMPI(MPI_Irecv((char *)receive + (size_t)ex->start[to][r] * (size_t)size * (size_t)bytes, count, unit,
                           ex->rank[to][r], ex->tag, ex->comm, request++));
  }
  for (PetscInt r = 0; r < ex->n[from]; ++r) {
    PetscCall(PetscMPIIntCast((ex->start[from][r + 1] - ex->start[from][r]) * size, &count));
    PetscCallMPI(MPI_Isend((const char *)send + (size_t)ex->start[from][r] * (size_t)size * (size_t)bytes, count, unit,
                           ex->rank[from][r], ex->tag, ex->comm, request++));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeWait(RungExchange *ex, MPI_Request request[])
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Waitall((PetscMPIInt)(ex->n[0] + ex->n[1]), request, MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeRun(RungExchange *ex, int from, MPI_Datatype unit, PetscInt size, const void *send,
                               void *receive)
{
  PetscFunctionBegin;
  PetscCall(RungExchangeStart(ex, from, unit, size, send, receive, ex->request));
  PetscCall(RungExchangeWait(ex, ex->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode grow(RungExchange *ex, size_t bytes)
{
  PetscFunctionBegin;
  for (int side = 0; side < 2; ++side) {
    const size_t wanted = (size_t)ex->start[side][ex->n[side]] * bytes;

    if (wanted <= ex->capacity[side]) continue;
    PetscCall(PetscFree(ex->buffer[side]));
    PetscCall(PetscMalloc(wanted, &ex->buffer[side]));
    ex->capacity[side] = wanted;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeForward(RungExchange *ex, size_t bytes, const void *owned, void *ghost)
{
  const PetscInt *out = ex->item[RUNG_OWNERS], *in = ex->item[RUNG_GHOSTS];

  PetscFunctionBegin;
  PetscCall(grow(ex, bytes));
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i)
    memcpy(ex->buffer[RUNG_OWNERS] + (size_t)i * bytes, (const char *)owned + (size_t)out[i] * bytes, bytes);
  PetscCall(
    RungExchangeRun(ex, RUNG_OWNERS, MPI_BYTE, (PetscInt)bytes, ex->buffer[RUNG_OWNERS], ex->buffer[RUNG_GHOSTS]));
  for (PetscInt i = 0; i < ex->start[RUNG_GHOSTS][ex->n[RUNG_GHOSTS]]; ++i)
    memcpy((char *)ghost + (size_t)in[i] * bytes, ex->buffer[RUNG_GHOSTS] + (size_t)i * bytes, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeReverse(RungExchange *ex, size_t bytes, const void *ghost, const void **received)
{
  const PetscInt *out = ex->item[RUNG_GHOSTS];

  PetscFunctionBegin;
  PetscCall(grow(ex, bytes));
  for (PetscInt i = 0; i < ex->start[RUNG_GHOSTS][ex->n[RUNG_GHOSTS]]; ++i)
    memcpy(ex->buffer[RUNG_GHOSTS] + (size_t)i * bytes, (const char *)ghost + (size_t)out[i] * bytes, bytes);
  PetscCall(
    RungExchangeRun(ex, RUNG_GHOSTS, MPI_BYTE, (PetscInt)bytes, ex->buffer[RUNG_GHOSTS], ex->buffer[RUNG_OWNERS]));
  *received = ex->buffer[RUNG_OWNERS];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExchangeDestroy(RungExchange **exchange)
{
  RungExchange *ex = *exchange;

  PetscFunctionBegin;
  if (!ex) PetscFunctionReturn(PETSC_SUCCESS);
  for (int side = 0; side < 2; ++side) {
    PetscCall(PetscFree(ex->rank[side]));
    PetscCall(PetscFree(ex->start[side]));
    PetscCall(PetscFree(ex->item[side]));
    PetscCall(PetscFree(ex->buffer[side]));
  }
  PetscCall(PetscFree(ex->request));
  PetscCall(PetscCommDestroy(&ex->comm));
  PetscCall(PetscFree(*exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}
