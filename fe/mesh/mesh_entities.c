/* mesh_entities.c - edges and faces of cells, known by their vertices, through a hash table with chains.

   Vertices and cells that are near each other in the mesh have near numbers, and an ordinary hash would scatter them over
   all of memory.  Here an entity goes to one of WINDOW places that begin at a place proportional to its lowest vertex: the
   table is walked through as the cells are, and a vertex with very many entities still has as many places. */
#include "fe_impl.h"

void RungSortFew(PetscInt n, PetscInt a[])
{
  for (PetscInt i = 1; i < n; ++i) {
    const PetscInt v = a[i];
    PetscInt       j = i;

    for (; j > 0 && a[j - 1] > v; --j) a[j] = a[j - 1];
    a[j] = v;
  }
}

/* Every number goes through the finalizer of splitmix64 (Steele, Lea and Flood 2014). */
uint64_t RungHash(PetscInt n, const PetscInt a[])
{
  uint64_t h = 0;

  for (PetscInt i = 0; i < n; ++i) {
    h += (uint64_t)a[i] + UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
  }
  return h;
}

#define PER_VERTEX 8  /* places from one vertex to the next: about as many as it is the lowest of */
#define WINDOW     12 /* binary logarithm                                                        */

/* The place of a key among 2^bits; numbers beyond the table begin anew elsewhere, so that no stride of theirs piles up. */
static inline size_t place_of(PetscInt m, const PetscInt key[], int bits)
{
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15), lowest = PER_VERTEX * (uint64_t)key[0];
  uint64_t       others = 0;

  for (PetscInt v = 1; v < m; ++v) others = (others + (uint64_t)key[v]) * golden;
  return (size_t)((lowest + (others >> (64 - WINDOW)) + (lowest >> bits) * golden) & ((UINT64_C(1) << bits) - 1));
}

/* The entity with this key; a new one if there is none. */
static inline PetscInt find_or_add(PetscInt m, const PetscInt key[], PetscInt *head, PetscInt next[], PetscInt keys[],
                                   PetscInt *count)
{
  PetscInt e;

  for (e = *head; e >= 0; e = next[e]) {
    PetscInt v = 0;

    while (v < m && keys[e * m + v] == key[v]) ++v;
    if (v == m) return e;
  }
  e = (*count)++;
  for (PetscInt v = 0; v < m; ++v) keys[e * m + v] = key[v];
  next[e] = *head;
  *head   = e;
  return e;
}

PetscErrorCode RungNumberEntities(PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt n, PetscInt m,
                                  const PetscInt corner[], PetscInt stride, PetscInt *count, PetscInt **cell_entity,
                                  PetscInt **key)
{
  PetscInt *head, *next, *keys, *entity;
  int       bits = WINDOW;

  PetscFunctionBegin;
  while (((PetscInt)1 << bits) < cells * n / 2) ++bits;
  PetscCall(PetscMalloc1((PetscInt)1 << bits, &head));
  PetscCall(PetscMalloc1(cells * n, &next));
  PetscCall(PetscMalloc1(cells * n * m, &keys));
  PetscCall(PetscMalloc1(cells * n, &entity));
  for (PetscInt i = 0; i < (PetscInt)1 << bits; ++i) head[i] = -1;
  *count = 0;
  for (PetscInt c = 0; c < cells; ++c) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscInt k[8];

      for (PetscInt v = 0; v < m; ++v) k[v] = cell_node[c * width + corner[i * stride + v]];
      RungSortFew(m, k);
      entity[c * n + i] = find_or_add(m, k, &head[place_of(m, k, bits)], next, keys, count);
    }
  }
  PetscCall(PetscFree(head));
  PetscCall(PetscFree(next));
  if (!key)
    PetscCall(PetscFree(keys));
  else
    *key = keys;
  *cell_entity = entity;
  PetscFunctionReturn(PETSC_SUCCESS);
}
