/* alike.c - have all ranks been told the same?  A call that a rank makes alone, or with another number, would be waited for elsewhere, or
   mix two problems without a word.

   What was said is written down on each rank, a line for each thing.  Ranks compare two hashes of it; only where these differ are lines
   of rank 0 sent around. */
#include <rungfe_room.h>

#include <stdint.h>
#include <string.h>

/* FNV-1a */
static uint64_t hash_of(const char text[])
{
  uint64_t hash = 14695981039346656037u;

  for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

/* Letters of the line that a text begins with. */
static int line_length(const char text[])
{
  return (int)strcspn(text, "\n");
}

/* Both become the first line that differs; one that has come to its end, "". */
static void find_difference(const char **a, const char **b)
{
  while (**a && **b) {
    const int n = line_length(*a);

    if (n != line_length(*b) || strncmp(*a, *b, (size_t)n) != 0) return;
    *a += n + ((*a)[n] ? 1 : 0);
    *b += n + ((*b)[n] ? 1 : 0);
  }
}

static void describe(const char first[], const char mine[], const char what[], int rank, char text[], size_t size)
{
  find_difference(&first, &mine);
  (void)snprintf(
    text, size,
    "%s differs between ranks: rank 0 has %s%.*s, rank %d %s%.*s; make the same calls with the same arguments "
    "on all of them",
    what, *first ? "" : "nothing more", PetscMin(line_length(first), 500), first, rank, *mine ? "" : "nothing more",
    PetscMin(line_length(mine), 500), mine);
}

static PetscErrorCode compare(MPI_Comm comm, const char what[], const char mine[])
{
  char        text[1536] = "", *first;
  int         length     = (int)strlen(mine);
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  PetscCall(PetscMalloc1((size_t)length + 1, &first));
  if (!rank) PetscCall(PetscStrncpy(first, mine, (size_t)length + 1));
  PetscCallMPI(MPI_Bcast(first, length + 1, MPI_CHAR, 0, comm));
  if (strcmp(first, mine) != 0) describe(first, mine, what, rank, text, sizeof text);
  PetscCall(PetscFree(first));
  RungCheckAll(!text[0], comm, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDraftCheckAlike(MPI_Comm comm, const char what[], const RungDraft *said)
{
  const char *mine    = said->text ? said->text : "";
  uint64_t    hash[2] = {hash_of(mine)};
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  hash[1] = ~hash[0];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, hash, 2, MPI_UINT64_T, MPI_MIN, comm));
  if (hash[0] != ~hash[1]) PetscCall(compare(comm, what, mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}
