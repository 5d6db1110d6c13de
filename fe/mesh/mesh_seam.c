/* mesh_seam.c - what mesh_connect.c does for a whole mesh, for slices of it: neighbours over the seams between slices, and which
   facets, edges and vertices carry a name.

   Only entities whose nodes all are in several slices can be in several slices; they meet in a directory.  Tagged entities may
   have been read far from the cells that have them: they and all entities that have no other nodes than theirs meet in another
   directory, and the parts of an entity come out of it one after the other, the last one first. */
#include "mesh_slice_impl.h"

/* ---- neighbours ------------------------------------------------------------------------------------------------- */

/* The facets of this slice's cells by themselves: what is known of neighbours without the other slices. */
static PetscErrorCode connect_inside(RungSlice *s, RungSeam *seam, RungFacets *facets)
{
  const PetscInt n    = RungCellGet(s->piece.type)->facets;
  RungParts      none = {0};
  RungPiece      bare = s->piece;

  PetscFunctionBegin;
  bare.tagged = bare.marks = 0;
  PetscCall(RungPieceConnect(&bare, "", &none, facets, &s->finding));
  s->piece.exterior = bare.exterior;
  PetscCall(RungSliceAgree(s));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(s->piece.cells * n, &seam->neighbour));
  for (PetscInt i = 0; i < s->piece.cells * n; ++i) {
    const PetscInt *side  = facets->side + 2 * facets->cell_facet[i];
    const PetscInt  other = side[0] == i ? side[1] : side[0];

    seam->neighbour[i] = other < 0 ? -1 : s->first + other / n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets that another slice may have.  Out  key[asked][vertex of a facet] nodes of the mesh, the caller's */
static PetscErrorCode list_shared(const RungSlice *s, const RungFacets *f, RungSeam *seam, PetscInt m, PetscInt **key)
{
  PetscFunctionBegin;
  for (int pass = 0; pass < 2; ++pass) {
    seam->asked = 0;
    for (PetscInt i = 0; i < f->count; ++i) {
      PetscInt k = 0;

      while (k < m && s->holders[f->key[i * m + k]] > 1) ++k;
      if (k < m) continue;
      if (pass) {
        seam->ask[seam->asked] = f->side[2 * i];
        for (k = 0; k < m; ++k) (*key)[seam->asked * m + k] = s->piece.node_id[f->key[i * m + k]];
        RungSortFew(m, *key + seam->asked * m);
      }
      ++seam->asked;
    }
    if (pass) continue;
    PetscCall(PetscMalloc1(seam->asked, &seam->ask));
    PetscCall(PetscMalloc1(seam->asked * m, key));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the other holder of each facet in the directory brings; of facets with one holder what this rank brings. */
static PetscErrorCode swap_values(const RungSeam *seam, const PetscInt mine[], PetscInt other[])
{
  PetscInt *least;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(seam->asked, &least));
  for (PetscInt i = 0; i < seam->asked; ++i) {
    other[i] = mine[i];
    least[i] = -mine[i];
  }
  PetscCall(RungDirectoryMax(seam->dir, other));
  PetscCall(RungDirectoryMax(seam->dir, least));
  for (PetscInt i = 0; i < seam->asked; ++i)
    if (other[i] == mine[i]) other[i] = -least[i];
  PetscCall(PetscFree(least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode connect_over(RungSlice *s, RungSeam *seam)
{
  const PetscInt n = RungCellGet(s->piece.type)->facets;
  PetscInt      *owner, *holders, *mine, *other;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(seam->asked, &owner, seam->asked, &holders, seam->asked, &mine, seam->asked, &other));
  PetscCall(RungDirectoryChoose(seam->dir, owner, holders, NULL));
  for (PetscInt i = 0; i < seam->asked; ++i) mine[i] = s->first + seam->ask[i] / n;
  PetscCall(swap_values(seam, mine, other));
  for (PetscInt i = 0; i < seam->asked; ++i) {
    PetscInt *neighbour = &seam->neighbour[seam->ask[i]];

    if (holders[i] == 1) continue;
    if (holders[i] > 2 || *neighbour >= 0) RungFound(&s->finding, "more than two cells at a facet");
    *neighbour = other[i];
    s->piece.exterior[seam->ask[i] / n] &= ~((PetscInt)1 << seam->ask[i] % n);
  }
  PetscCall(PetscFree4(owner, holders, mine, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell that the file has twice has its double behind all of its facets. */
static PetscErrorCode find_doubles(RungSlice *s, const RungSeam *seam)
{
  const PetscInt n = RungCellGet(s->piece.type)->facets;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->piece.cells * n; ++i) {
    for (PetscInt j = i - i % n; j < i; ++j)
      if (seam->neighbour[i] >= 0 && seam->neighbour[j] == seam->neighbour[i]) RungFound(&s->finding, "a cell twice");
  }
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeamConnect(RungSlice *s, RungSeam *seam)
{
  const PetscInt m      = RungCellGet(RungCellGet(s->piece.type)->facet_type)->vertices;
  RungFacets     facets = {0};
  PetscInt      *key    = NULL;

  PetscFunctionBegin;
  PetscCall(connect_inside(s, seam, &facets));
  if (!s->refused) PetscCall(list_shared(s, &facets, seam, m, &key));
  PetscCall(RungFacetsDestroy(&facets)); /* where a file has no order, the seam is most of the slice */
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDirectoryCreate(s->comm, m, seam->asked, key, &seam->dir));
  PetscCall(PetscFree(key));
  PetscCall(connect_over(s, seam));
  PetscCall(find_doubles(s, seam));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeamMakeGraph(RungSlice *s, RungSeam *seam)
{
  const PetscInt n = RungCellGet(s->piece.type)->facets;
  PetscInt       k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->piece.cells + 1, &seam->begin));
  seam->begin[0] = 0;
  for (PetscInt i = 0; i < s->piece.cells * n; ++i) {
    if (seam->neighbour[i] >= 0) seam->neighbour[k++] = seam->neighbour[i];
    if (i % n == n - 1) seam->begin[i / n + 1] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A facet between two ranks is seen twice: by both cells of a slice, or by both slices. */
PetscErrorCode RungSeamCountCut(RungSlice *s, const RungSeam *seam, const PetscMPIInt target[], PetscInt *edge_cut)
{
  const PetscInt n     = RungCellGet(s->piece.type)->facets;
  PetscInt       count = 0, *mine, *other;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < s->piece.cells; ++c) {
    for (PetscInt i = seam->begin[c]; i < seam->begin[c + 1]; ++i) {
      const PetscInt behind = seam->neighbour[i] - s->first;

      if (behind >= 0 && behind < s->piece.cells && target[behind] != target[c]) ++count;
    }
  }
  PetscCall(PetscMalloc2(seam->asked, &mine, seam->asked, &other));
  for (PetscInt i = 0; i < seam->asked; ++i) mine[i] = target[seam->ask[i] / n];
  PetscCall(swap_values(seam, mine, other));
  for (PetscInt i = 0; i < seam->asked; ++i) count += mine[i] != other[i] ? 1 : 0;
  PetscCall(PetscFree2(mine, other));
  PetscCallMPI(MPI_Allreduce(&count, edge_cut, 1, MPIU_INT, MPI_SUM, s->comm));
  *edge_cut /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeamDestroy(RungSeam *seam)
{
  PetscFunctionBegin;
  PetscCall(RungDirectoryDestroy(&seam->dir));
  PetscCall(PetscFree(seam->neighbour));
  PetscCall(PetscFree(seam->begin));
  PetscCall(PetscFree(seam->ask));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tagged entities -------------------------------------------------------------------------------------------- */

/* Entities of one dimension that may be tagged, and names for them.  All arrays are owned. */
typedef struct {
  PetscInt      d, n, m;      /* dimension; n a cell, of m vertices each                                      */
  PetscInt      cells, *cell; /* [cells] those with as many nodes of tagged entities as one has              */
  PetscInt      count;        /* entities of these,                                                           */
  PetscInt     *cell_entity;  /* [cells][n]                                                                   */
  PetscInt     *key;          /* [entity][m]                                                                  */
  PetscInt      known, *some; /* [known] those with such nodes alone                                          */
  PetscInt     *name;         /* [known], then of tagged ones: which key of the directory                     */
  PetscInt     *first, *next; /* [key] one of its tags or -1, [tag] another of the same key; tags of s->piece */
  PetscInt      keys;         /* different ones                                                               */
  RungDirectory dir;          /* of these                                                                     */
} Tagged;

static PetscInt count_met(const RungSlice *s, PetscInt d, PetscInt n, const PetscInt node[])
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; ++k) count += s->met[node[k]] >> d & 1;
  return count;
}

static PetscErrorCode list_entities(const RungSlice *s, PetscInt d, Tagged *t)
{
  const RungCell *cell = RungCellGet(s->piece.type);
  const PetscInt  nv   = cell->vertices;
  const PetscInt *corner;
  PetscInt        stride, *node;

  PetscFunctionBegin;
  *t = (Tagged){.d = d};
  PetscCall(RungCellEntities(cell, d, &t->n, &t->m, &corner, &stride));
  if (d == cell->dim - 1) corner = cell->facet[0], stride = 4; /* by facet number */
  for (PetscInt c = 0; c < s->piece.cells; ++c) t->cells += count_met(s, d, nv, s->piece.cell_node + c * nv) >= t->m;
  PetscCall(PetscMalloc1(t->cells, &t->cell));
  PetscCall(PetscMalloc1(t->cells * nv, &node));
  for (PetscInt c = 0, i = 0; c < s->piece.cells && i < t->cells; ++c) {
    if (count_met(s, d, nv, s->piece.cell_node + c * nv) < t->m) continue;
    t->cell[i] = c;
    PetscCall(PetscArraycpy(node + nv * i++, s->piece.cell_node + c * nv, nv));
  }
  PetscCall(RungNumberEntities(t->cells, nv, node, t->n, t->m, corner, stride, &t->count, &t->cell_entity, &t->key));
  PetscCall(PetscFree(node));
  PetscCall(PetscMalloc1(t->count, &t->some));
  for (PetscInt e = 0; e < t->count; ++e)
    if (count_met(s, d, t->m, t->key + e * t->m) == t->m) t->some[t->known++] = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tagged entities and those that may be: where all that are the same meet. */
static PetscErrorCode bring_together(const RungSlice *s, const RungParts *parts, Tagged *t)
{
  static const PetscInt self[4] = {0, 1, 2, 3};
  const PetscInt        m = t->m, *id = s->piece.node_id;
  PetscInt              n = t->known, *all, *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((t->known + s->piece.tagged) * m, &all));
  for (PetscInt i = 0; i < t->known; ++i)
    for (PetscInt k = 0; k < m; ++k) all[i * m + k] = id[t->key[t->some[i] * m + k]];
  for (PetscInt i = 0; i < s->piece.tagged; ++i) {
    if (parts->part[s->piece.tagged_part[i]].dim != t->d) continue;
    for (PetscInt k = 0; k < m; ++k) all[n * m + k] = s->piece.tagged_node[4 * i + k];
    ++n;
  }
  PetscCall(RungNumberEntities(n, m, all, 1, m, self, 4, &t->keys, &t->name, &key));
  PetscCall(RungDirectoryCreate(s->comm, m, t->keys, key, &t->dir));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(key));
  PetscCall(PetscMalloc1(t->keys, &t->first));
  PetscCall(PetscMalloc1(s->piece.tagged, &t->next));
  for (PetscInt i = 0; i < t->keys; ++i) t->first[i] = -1;
  n = t->known;
  for (PetscInt i = 0; i < s->piece.tagged; ++i) {
    if (parts->part[s->piece.tagged_part[i]].dim != t->d) continue;
    t->next[i]           = t->first[t->name[n]];
    t->first[t->name[n]] = i;
    ++n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_entities(Tagged *t)
{
  PetscFunctionBegin;
  PetscCall(RungDirectoryDestroy(&t->dir));
  PetscCall(PetscFree(t->cell));
  PetscCall(PetscFree(t->cell_entity));
  PetscCall(PetscFree(t->key));
  PetscCall(PetscFree(t->some));
  PetscCall(PetscFree(t->name));
  PetscCall(PetscFree(t->first));
  PetscCall(PetscFree(t->next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tagged entity that no cell has. */
static PetscErrorCode find_strangers(RungSlice *s, const Tagged *t)
{
  PetscInt *known;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(t->keys, &known));
  for (PetscInt i = 0; i < t->known; ++i) known[t->name[i]] = 1;
  PetscCall(RungDirectoryMax(t->dir, known));
  for (PetscInt i = 0; i < t->keys; ++i)
    if (!known[i]) RungFound(&s->finding, "a part with an entity that no cell has");
  PetscCall(PetscFree(known));
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks of the cells that have an entity of part of[entity] >= 0; counts members: of facets exterior and interior ones. */
static PetscErrorCode add_marks(RungSlice *s, const RungSeam *seam, const Tagged *t, const PetscInt of[],
                                PetscInt members[][2])
{
  PetscInt n = s->piece.marks;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < t->cells * t->n; ++i) n += of[t->cell_entity[i]] >= 0 ? 1 : 0;
  PetscCall(PetscRealloc((size_t)(n + 1) * 3 * sizeof *s->piece.mark, &s->piece.mark));
  for (PetscInt i = 0; i < t->cells * t->n; ++i) {
    const PetscInt part = of[t->cell_entity[i]], c = t->cell[i / t->n];
    PetscInt      *mark = s->piece.mark + 3 * s->piece.marks;

    if (part < 0) continue;
    mark[0] = part, mark[1] = c, mark[2] = i % t->n;
    ++s->piece.marks;
    if (t->d < RungCellGet(s->piece.type)->dim - 1) continue;
    if (seam->neighbour[c * t->n + mark[2]] < 0)
      ++members[part][0];
    else if (s->first + c < seam->neighbour[c * t->n + mark[2]])
      ++members[part][1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All parts of the entities, from the last one on; counts members of parts of edges and vertices where their owner is. */
static PetscErrorCode mark_entities(RungSlice *s, const RungSeam *seam, const Tagged *t, PetscInt members[][2])
{
  const PetscBool facets = t->d == RungCellGet(s->piece.type)->dim - 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscInt       *last, *of, *owner, *holders, most = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(t->keys, &last, t->count, &of, t->keys, &owner, t->keys, &holders));
  PetscCall(RungDirectoryChoose(t->dir, owner, holders, NULL));
  for (PetscInt i = 0; i < t->keys; ++i) last[i] = PETSC_MAX_INT;
  while (most >= 0) {
    most = -1;
    for (PetscInt i = 0; i < t->keys; ++i) {
      PetscInt part = -1;

      for (PetscInt k = t->first[i]; k >= 0; k = t->next[k])
        if (s->piece.tagged_part[k] < last[i]) part = PetscMax(part, s->piece.tagged_part[k]);
      last[i] = part;
    }
    PetscCall(RungDirectoryMax(t->dir, last));
    for (PetscInt e = 0; e < t->count; ++e) of[e] = -1;
    for (PetscInt i = 0; i < t->known; ++i) of[t->some[i]] = last[t->name[i]];
    for (PetscInt i = 0; i < t->keys; ++i) {
      most = PetscMax(most, last[i]);
      if (!facets && owner[i] == s->rank && last[i] >= 0) ++members[last[i]][0];
    }
    PetscCall(add_marks(s, seam, t, of, members));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, s->comm));
  }
  PetscCall(PetscFree4(last, of, owner, holders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tag_dimension(RungSlice *s, const RungSeam *seam, const RungParts *parts, PetscInt d,
                                    PetscInt members[][2])
{
  Tagged t;

  PetscFunctionBegin;
  PetscCall(list_entities(s, d, &t));
  PetscCall(bring_together(s, parts, &t));
  PetscCall(find_strangers(s, &t));
  if (!s->refused) PetscCall(mark_entities(s, seam, &t, members));
  PetscCall(free_entities(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members over all ranks.  A part "boundary" that is not the whole boundary is refused, as in mesh_connect.c. */
static PetscErrorCode sum_members(RungSlice *s, const RungSeam *seam, RungParts *parts, PetscInt members[][2])
{
  const PetscInt dim = s->piece.dim, n = RungCellGet(s->piece.type)->facets;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->piece.cells * n; ++i) members[parts->n][0] += seam->neighbour[i] < 0 ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, members, (PetscMPIInt)(2 * parts->n + 2), MPIU_INT, MPI_SUM, s->comm));
  for (PetscInt p = 0; p < parts->n; ++p) {
    RungPart *part = &parts->part[p];

    part->total    = members[p][0];
    part->interior = members[p][1];
    if (part->dim == dim - 1 && !strcmp(part->name, "boundary") &&
        (part->total != members[parts->n][0] || part->interior))
      RungFound(&s->finding, "a part \"boundary\" that is another one");
  }
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeamTag(RungSlice *s, const RungSeam *seam, RungParts *parts)
{
  PetscInt(*members)[2]; /* [part] exterior facets or all members, interior facets; [parts] the whole boundary */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(parts->n + 1, &members));
  for (PetscInt i = 0; i < s->piece.marks; ++i) ++members[s->piece.mark[3 * i]][0]; /* cells */
  for (PetscInt d = 0; d < s->piece.dim && !s->refused; ++d) {
    PetscBool any = PETSC_FALSE;

    for (PetscInt p = 0; p < parts->n; ++p) any = any || parts->part[p].dim == d ? PETSC_TRUE : PETSC_FALSE;
    if (any) PetscCall(tag_dimension(s, seam, parts, d, members));
  }
  if (!s->refused) PetscCall(sum_members(s, seam, parts, members));
  PetscCall(PetscFree(members));
  PetscFunctionReturn(PETSC_SUCCESS);
}
