/* weights_explain.c - what an error is made of: the groups of entries that decide, and their largest entries; components that
   nothing resolves. */
#include "weights_impl.h"
#include <rungtext_room.h>

#define WORST 3 /* entries that are named */

typedef struct {
  PetscReal weighted, error, value;
  PetscReal rank, entry; /* who owns it, and its number there; whole numbers */
} Worst;

/* ---- the largest entries of a group ------------------------------------------------------------------------------- */

/* Larger first; of equal ones that of the lower rank, then of the lower number: the same on all ranks. */
static PetscBool comes_before(const Worst *a, const Worst *b)
{
  if (a->weighted != b->weighted) return (PetscBool)(a->weighted > b->weighted);
  if (a->rank != b->rank) return (PetscBool)(a->rank < b->rank);
  return (PetscBool)(a->entry < b->entry);
}

static void insert(Worst worst[WORST], Worst one)
{
  for (int i = 0; i < WORST; ++i) {
    if (comes_before(&one, &worst[i])) {
      const Worst other = worst[i];

      worst[i] = one;
      one      = other;
    }
  }
}

typedef struct {
  Worst     worst[WORST];
  PetscReal rank;
} Search;

static void look(PetscInt entry, PetscReal error, PetscReal value, PetscReal weighted, void *ctx)
{
  Search *search = (Search *)ctx;

  insert(search->worst, (Worst){weighted, error, value, search->rank, (PetscReal)entry});
}

/* worst[WORST], weighted < 0 where there are fewer.  Collective. */
static PetscErrorCode find_worst(RungWeights weights, PetscInt group, Worst worst[WORST])
{
  const MPI_Comm comm = RungSystemComm(weights->sys);
  PetscMPIInt    rank, size;
  Search         search;
  Worst         *all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  search.rank = (PetscReal)rank;
  for (int i = 0; i < WORST; ++i) search.worst[i] = worst[i] = (Worst){-1, 0, 0, (PetscReal)size, 0};
  PetscCall(RungWeightsVisit(weights, group, look, &search));
  PetscCall(PetscMalloc1(WORST * size, &all));
  PetscCallMPI(MPI_Allgather(search.worst, WORST * 5, MPIU_REAL, all, WORST * 5, MPIU_REAL, comm));
  for (PetscMPIInt i = 0; i < WORST * size; ++i) insert(worst, all[i]);
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "u[1] at (0.5, 0.25)", told by its owner */
static PetscErrorCode describe(RungWeights weights, PetscInt group, const Worst *worst, char text[256])
{
  const MPI_Comm    comm  = RungSystemComm(weights->sys);
  const PetscMPIInt owner = (PetscMPIInt)worst->rank;
  PetscMPIInt       rank;
  char              name[96], place[96];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == owner) {
    PetscCall(RungSystemDescribeEntry(weights->sys, (PetscInt)worst->entry, name, sizeof name, place, sizeof place));
    if (group / 2 % 2)
      PetscCall(PetscSNPrintf(text, 256, "dt(%s)%s", name, place));
    else
      PetscCall(PetscSNPrintf(text, 256, "%s%s", name, place));
  }
  PetscCallMPI(MPI_Bcast(text, 256, MPI_CHAR, owner, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungWeightsName(RungWeights weights, PetscInt group, char text[], size_t size)
{
  const char *unknown;

  PetscFunctionBegin;
  RungNeed(weights);
  PetscCall(RungSystemGetUnknown(weights->sys, group / 4, &unknown, NULL));
  PetscCall(PetscSNPrintf(text, size, "%s%s%s%s", group % 2 ? "boundary data of " : "", group / 2 % 2 ? "dt(" : "",
                          unknown, group / 2 % 2 ? ")" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "u 2.1: u[1] at (0.5, 0.25) 7.3 (error 1e-5, value 0.2), .." */
static PetscErrorCode explain_group(RungWeights weights, PetscInt group, char text[], size_t size)
{
  Worst worst[WORST];
  char  item[512], entry[256];

  PetscFunctionBegin;
  PetscCall(RungWeightsName(weights, group, entry, sizeof entry));
  PetscCall(PetscSNPrintf(item, sizeof item, "%s %.2g:", entry, (double)weights->value[group]));
  PetscCall(RungTextAppend(text, item, size));
  PetscCall(find_worst(weights, group, worst));
  for (int i = 0; i < WORST && worst[i].weighted >= 0; ++i) {
    PetscCall(describe(weights, group, &worst[i], entry));
    PetscCall(PetscSNPrintf(item, sizeof item, "%s %s %.2g (error %.2g, value %.3g)", i ? "," : "", entry,
                            (double)worst[i].weighted, (double)worst[i].error, (double)worst[i].value));
    PetscCall(RungTextAppend(text, item, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungWeightsLargest(RungWeights weights, PetscInt n, PetscInt group[])
{
  PetscInt found = 0;

  for (; found < n; ++found) {
    PetscInt best = -1;

    for (PetscInt g = 0; g < 4 * weights->n; ++g) {
      PetscBool taken = PETSC_FALSE;

      for (PetscInt i = 0; i < found; ++i) taken = (PetscBool)(taken || group[i] == g);
      if (!taken && weights->value[g] > 0 && (best < 0 || weights->value[g] > weights->value[best])) best = g;
    }
    if (best < 0) break;
    group[found] = best;
  }
  return found;
}

PetscErrorCode RungWeightsExplain(RungWeights weights, PetscInt n, char text[], size_t size)
{
  PetscInt group[8], found = RungWeightsLargest(weights, PetscMin(n, 8), group);

  PetscFunctionBegin;
  RungNeed(weights);
  text[0] = 0;
  for (PetscInt i = 0; i < found; ++i) {
    if (i) PetscCall(RungTextAppend(text, "; ", size));
    PetscCall(explain_group(weights, group[i], text, size));
  }
  if (!found) PetscCall(PetscStrncpy(text, "no error at all", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- components that nothing resolves ------------------------------------------------------------------------------- */

/* largest[c] = the largest |u_c| of all ranks */
static PetscErrorCode find_components(RungWeights weights, PetscInt f, Vec u, PetscReal largest[])
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  const PetscScalar        *x;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(largest, unknown->components));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = unknown->start; i < unknown->end; ++i) {
    PetscReal *most = &largest[(i - unknown->start) % unknown->components];

    *most = PetscMax(*most, PetscAbsScalar(x[i]));
  }
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, (PetscMPIInt)unknown->components, MPIU_REAL, MPIU_MAX,
                             RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The component of unknown f that is not 0 and farthest below an atol that is not its own, in a vector with a larger one. */
static PetscErrorCode tell_component(RungWeights weights, PetscInt f, const PetscReal largest[], char text[],
                                     size_t size)
{
  const RungWeighedUnknown *unknown = &weights->unknown[f];
  PetscInt                  least   = -1;
  const char               *name;
  char                      item[256];
  PetscReal                 shared = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < unknown->components; ++c) {
    PetscReal rtol, atol;

    RungWeightsGet(weights, f, 0, c, &rtol, &atol);
    if (unknown->atol[0][c] >= 0 || !(largest[c] > 0 && largest[c] < atol)) continue;
    if (least >= 0 && largest[least] <= largest[c]) continue;
    least  = c;
    shared = atol;
  }
  if (least < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetUnknown(weights->sys, f, &name, NULL));
  PetscCall(PetscSNPrintf(
    item, sizeof item,
    "; |%s[%" PetscInt_FMT "]| is at most %.2g and below %.2g, the absolute tolerance that follows "
    "the largest component of %s: a component has its own by \"tolerances REL ABS %s[%" PetscInt_FMT "]\"",
    name, least, (double)largest[least], (double)shared, name, name, least));
  PetscCall(RungTextAppend(text, item, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A concentration of 1e-12 beside one of 1 may become negative within the tolerance of both, and blow up. */
PetscErrorCode RungWeightsTellUnresolved(RungWeights weights, char text[], size_t size)
{
  const Vec u = weights->last.from[0];

  PetscFunctionBegin;
  RungNeed(weights);
  text[0] = 0;
  for (PetscInt f = 0; f < weights->n && u && !text[0]; ++f) {
    PetscReal *largest;

    if (weights->unknown[f].components == 1) continue;
    PetscCall(PetscMalloc1(weights->unknown[f].components, &largest));
    PetscCall(find_components(weights, f, u, largest));
    PetscCall(tell_component(weights, f, largest, text, size));
    PetscCall(PetscFree(largest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
