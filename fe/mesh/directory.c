/* directory.c - ranks that hold the same keys find each other, without anybody knowing all keys.

   Every key has a place, the rank that its hash names.  All holders send the key there; the place groups equal keys and
   answers questions about a group.  Requests and answers travel along the same lists, so a question is one exchange
   there and one back.  Senders are visited in rank order: the outcome does not depend on who is early. */
#include <rungown_room.h>
#include "fe_impl.h"

struct _p_RungDirectory {
  MPI_Comm     comm; /* lent                                                              */
  PetscMPIInt  size;
  PetscInt     n;                  /* keys of this rank                                                 */
  PetscInt    *slot;               /* owned, [n] position of key i in the send list                     */
  PetscMPIInt *sends, *send_start; /* owned, [rank], [rank]                                             */
  PetscMPIInt *recvs, *recv_start; /* owned, [rank], [rank]                                             */
  PetscInt     arrived;            /* keys that have their place here                                   */
  PetscInt     groups;             /* different ones among them                                         */
  PetscInt    *group;              /* owned, [arrived]                                                  */
  PetscInt    *members;            /* owned, [group] holders                                            */
};

/* Counts of the exchange and the position of every key in the send list. */
static PetscErrorCode plan(RungDirectory d, PetscInt width, const PetscInt key[])
{
  RUNG_FREE PetscMPIInt *fill = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(d->size, &d->sends));
  PetscCall(PetscMalloc1(d->size, &d->send_start));
  PetscCall(PetscMalloc1(d->size, &d->recvs));
  PetscCall(PetscMalloc1(d->size, &d->recv_start));
  PetscCall(PetscCalloc1(d->size, &fill));
  PetscCall(PetscMalloc1(d->n, &d->slot));
  for (PetscInt i = 0; i < d->n; ++i) ++d->sends[RungHash(width, key + i * width) % (uint64_t)d->size];
  PetscCallMPI(MPI_Alltoall(d->sends, 1, MPI_INT, d->recvs, 1, MPI_INT, d->comm));
  d->send_start[0] = d->recv_start[0] = 0;
  for (PetscMPIInt r = 1; r < d->size; ++r) {
    d->send_start[r] = d->send_start[r - 1] + d->sends[r - 1];
    d->recv_start[r] = d->recv_start[r - 1] + d->recvs[r - 1];
  }
  for (PetscInt i = 0; i < d->n; ++i) {
    const PetscMPIInt r = (PetscMPIInt)(RungHash(width, key + i * width) % (uint64_t)d->size);

    d->slot[i] = d->send_start[r] + fill[r]++;
  }
  d->arrived = d->recv_start[d->size - 1] + d->recvs[d->size - 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode there(RungDirectory d, const PetscInt send[], PetscInt recv[])
{
  PetscFunctionBegin;
  PetscCallMPI(
    MPI_Alltoallv(send, d->sends, d->send_start, MPIU_INT, recv, d->recvs, d->recv_start, MPIU_INT, d->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode back(RungDirectory d, const PetscInt send[], PetscInt recv[])
{
  PetscFunctionBegin;
  PetscCallMPI(
    MPI_Alltoallv(send, d->recvs, d->recv_start, MPIU_INT, recv, d->sends, d->send_start, MPIU_INT, d->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirectoryCreate(MPI_Comm comm, PetscInt width, PetscInt n, const PetscInt key[], RungDirectory *dir)
{
  RUNG_OWNED(RungDirectoryDestroy) RungDirectory d    = NULL;
  RUNG_FREE PetscInt                            *send = NULL, *recv = NULL, *keys = NULL;
  const PetscInt                                 whole[8] = {0, 1, 2, 3, 4, 5, 6, 7};

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->comm = comm;
  d->n    = n;
  PetscCallMPI(MPI_Comm_size(comm, &d->size));
  PetscCall(plan(d, width, key));
  PetscCall(PetscMalloc1(n, &send));
  PetscCall(PetscMalloc1(d->arrived, &recv));
  PetscCall(PetscMalloc1(d->arrived * width, &keys));
  for (PetscInt k = 0; k < width; ++k) {
    for (PetscInt i = 0; i < n; ++i) send[d->slot[i]] = key[i * width + k];
    PetscCall(there(d, send, recv));
    for (PetscInt i = 0; i < d->arrived; ++i) keys[i * width + k] = recv[i];
  }
  PetscCall(RungNumberEntities(d->arrived, width, keys, 1, width, whole, 8, &d->groups, &d->group, NULL));
  PetscCall(PetscCalloc1(d->groups, &d->members));
  for (PetscInt i = 0; i < d->arrived; ++i) ++d->members[d->group[i]];
  *dir = d;
  d    = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* answer[arrived] -> value[n] */
static PetscErrorCode reply(RungDirectory d, const PetscInt answer[], PetscInt value[])
{
  RUNG_FREE PetscInt *recv = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(d->n, &recv));
  PetscCall(back(d, answer, recv));
  for (PetscInt i = 0; i < d->n; ++i) value[i] = recv[d->slot[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is asked about a group: how many hold it, or of two the sum of their ranks, below 0. */
static PetscInt tell_holders(PetscInt members, PetscInt sum)
{
  return members == 2 ? -sum : members;
}

PetscErrorCode RungDirectoryChoose(RungDirectory d, PetscInt owner[], PetscInt holders[], PetscInt partner[])
{
  RUNG_FREE PetscInt *answer = NULL, *chosen = NULL, *seen = NULL, *sum = NULL;
  PetscMPIInt         me;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(d->comm, &me));
  PetscCall(PetscMalloc1(d->arrived, &answer));
  PetscCall(PetscMalloc1(d->groups, &chosen));
  PetscCall(PetscCalloc1(d->groups, &seen));
  PetscCall(PetscCalloc1(d->groups, &sum));
  for (PetscMPIInt r = 0; r < d->size; ++r) {
    for (PetscInt i = d->recv_start[r]; i < d->recv_start[r] + d->recvs[r]; ++i) sum[d->group[i]] += r;
  }
  for (PetscMPIInt r = 0; r < d->size; ++r) {
    for (PetscInt i = d->recv_start[r]; i < d->recv_start[r] + d->recvs[r]; ++i) {
      const PetscInt g = d->group[i];

      if (seen[g]++ == sum[g] % d->members[g]) chosen[g] = r; /* the same for all that the same ranks hold */
    }
  }
  for (PetscInt i = 0; i < d->arrived; ++i) answer[i] = chosen[d->group[i]];
  PetscCall(reply(d, answer, owner));
  for (PetscInt i = 0; i < d->arrived; ++i) answer[i] = tell_holders(d->members[d->group[i]], sum[d->group[i]]);
  PetscCall(reply(d, answer, holders));
  for (PetscInt i = 0; i < d->n; ++i) {
    const PetscBool two = holders[i] < 0 ? PETSC_TRUE : PETSC_FALSE;

    if (partner) partner[i] = two ? -holders[i] - me : -1;
    if (two) holders[i] = 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value[n] becomes the sum or the largest of all holders' values. */
static PetscErrorCode combine(RungDirectory d, PetscBool sum, PetscInt value[])
{
  RUNG_FREE PetscInt *send = NULL, *recv = NULL, *all = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(d->n, &send));
  PetscCall(PetscMalloc1(d->arrived, &recv));
  PetscCall(PetscMalloc1(d->groups, &all));
  for (PetscInt i = 0; i < d->n; ++i) send[d->slot[i]] = value[i];
  PetscCall(there(d, send, recv));
  for (PetscInt g = 0; g < d->groups; ++g) all[g] = sum ? 0 : PETSC_MIN_INT;
  for (PetscInt i = 0; i < d->arrived; ++i)
    all[d->group[i]] = sum ? all[d->group[i]] + recv[i] : PetscMax(all[d->group[i]], recv[i]);
  for (PetscInt i = 0; i < d->arrived; ++i) recv[i] = all[d->group[i]];
  PetscCall(reply(d, recv, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirectoryMax(RungDirectory d, PetscInt value[])
{
  PetscFunctionBegin;
  PetscCall(combine(d, PETSC_FALSE, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirectorySum(RungDirectory d, PetscInt value[])
{
  PetscFunctionBegin;
  PetscCall(combine(d, PETSC_TRUE, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDirectoryDestroy(RungDirectory *dir)
{
  RungDirectory d = *dir;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(d->slot));
  PetscCall(PetscFree(d->sends));
  PetscCall(PetscFree(d->send_start));
  PetscCall(PetscFree(d->recvs));
  PetscCall(PetscFree(d->recv_start));
  PetscCall(PetscFree(d->group));
  PetscCall(PetscFree(d->members));
  PetscCall(PetscFree(*dir));
  PetscFunctionReturn(PETSC_SUCCESS);
}
