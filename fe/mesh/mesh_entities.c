/* mesh_entities.c - edges and faces of cells, known by their vertices, through a hash table with chains.

   Vertices and cells that are near each other in the mesh have near numbers, and an ordinary hash would scatter them over
   all of memory.  Here an entity goes to one of WINDOW places that begin at a place proportional to its lowest vertex: the
   table is walked through as the cells are, and a vertex with very many entities still has as many places. */
#include <rungown_room.h>
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
    PetscInt differ = 0; /* looked at as a whole: where two keys differ cannot be guessed */

    for (PetscInt v = 0; v < m; ++v) differ |= keys[e * m + v] ^ key[v];
    if (!differ) return e;
  }
  e = (*count)++;
  for (PetscInt v = 0; v < m; ++v) keys[e * m + v] = key[v];
  next[e] = *head;
  *head   = e;
  return e;
}

#define AHEAD 16 /* entities between the steps below: memory is a hundred of them away where cells have no order */
#define RING  (4 * AHEAD) /* more than are on their way, a power of two */

/* An entity on its way: its place is fetched, then the first one that is there, then it is looked for. */
typedef struct {
  PetscInt key[8];
  size_t   place;
} Wanted;

/* Tables of entities of m vertices; all owned by RungNumberEntities(). */
typedef struct {
  PetscInt *head, *next, *keys, *entity, count;
  int       bits;
} Table;

static inline void order(PetscInt *a, PetscInt *b)
{
  const PetscInt low = PetscMin(*a, *b), high = PetscMax(*a, *b);

  *a = low;
  *b = high;
}

/* RungSortFew() without branches, by networks. */
static inline void sort_key(PetscInt m, PetscInt k[])
{
  switch (m) {
  case 2: order(&k[0], &k[1]); break;
  case 3:
    order(&k[0], &k[1]);
    order(&k[1], &k[2]);
    order(&k[0], &k[1]);
    break;
  case 4:
    order(&k[0], &k[1]);
    order(&k[2], &k[3]);
    order(&k[0], &k[2]);
    order(&k[1], &k[3]);
    order(&k[1], &k[2]);
    break;
  default: RungSortFew(m, k);
  }
}

static inline void want(const Table *t, PetscInt m, const PetscInt node[], const PetscInt corner[], Wanted *w)
{
  for (PetscInt v = 0; v < m; ++v) w->key[v] = node[corner[v]];
  sort_key(m, w->key);
  w->place = place_of(m, w->key, t->bits);
  __builtin_prefetch(&t->head[w->place], 1);
}

static inline void fetch_first(const Table *t, PetscInt m, const Wanted *w)
{
  const PetscInt e = t->head[w->place];

  if (e < 0) return;
  __builtin_prefetch(&t->keys[e * m]);
  __builtin_prefetch(&t->next[e]);
}

/* With an m that the compiler may know. */
static inline void number_all(Table *t, PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt n,
                              const PetscInt m, const PetscInt corner[], PetscInt stride)
{
  const PetscInt total = cells * n;
  PetscInt       c = 0, i = 0;
  Wanted         ring[RING];

  for (PetscInt k = 0; k < total + 2 * AHEAD; ++k) {
    if (k < total) {
      want(t, m, cell_node + c * width, corner + i * stride, &ring[k % RING]);
      if (++i == n) i = 0, ++c;
    }
    if (k >= AHEAD && k - AHEAD < total) fetch_first(t, m, &ring[(k - AHEAD) % RING]);
    if (k >= 2 * AHEAD) {
      const Wanted *w = &ring[(k - 2 * AHEAD) % RING];

      t->entity[k - 2 * AHEAD] = find_or_add(m, w->key, &t->head[w->place], t->next, t->keys, &t->count);
    }
  }
}

static PetscErrorCode table_destroy(Table *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->head));
  PetscCall(PetscFree(t->next));
  PetscCall(PetscFree(t->keys));
  PetscCall(PetscFree(t->entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNumberEntities(PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt n, PetscInt m,
                                  const PetscInt corner[], PetscInt stride, PetscInt *count, PetscInt **cell_entity,
                                  PetscInt **key)
{
  RUNG_OWNED(table_destroy) Table t = {.bits = WINDOW};

  PetscFunctionBegin;
  /* two cells have an entity in common, but for cells themselves */
  while (((PetscInt)1 << t.bits) < (n > 1 ? cells * n / 2 : cells)) ++t.bits;
  PetscCall(PetscMalloc1((PetscInt)1 << t.bits, &t.head));
  PetscCall(PetscMalloc1(cells * n, &t.next));
  PetscCall(PetscMalloc1(cells * n * m, &t.keys));
  PetscCall(PetscMalloc1(cells * n, &t.entity));
  for (PetscInt i = 0; i < (PetscInt)1 << t.bits; ++i) t.head[i] = -1;
  switch (m) {
  case 2: number_all(&t, cells, width, cell_node, n, 2, corner, stride); break;
  case 3: number_all(&t, cells, width, cell_node, n, 3, corner, stride); break;
  case 4: number_all(&t, cells, width, cell_node, n, 4, corner, stride); break;
  default: number_all(&t, cells, width, cell_node, n, m, corner, stride);
  }
  *count       = t.count;
  *cell_entity = t.entity;
  t.entity     = NULL;
  if (key) {
    *key   = t.keys;
    t.keys = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
