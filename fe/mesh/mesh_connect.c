/* mesh_connect.c - who is whose neighbour, what is the boundary, which facets, edges and vertices carry a name: once, on the
   whole mesh. */
#include "fe_impl.h"

static PetscErrorCode facet_error(const RungPiece *whole, const RungFacets *facets, PetscInt f, PetscInt c,
                                  const char place[], RungFinding *finding)
{
  const PetscInt n = RungCellGet(whole->type)->facets;

  PetscFunctionBegin;
  RungFound(finding,
            "%s: cells %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT
            " share one facet; wanted at most two cells at a facet",
            place, whole->cell_id[facets->side[2 * f] / n], whole->cell_id[facets->side[2 * f + 1] / n],
            whole->cell_id[c]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the facets, notes the one or two cells of each, and what lies on the boundary. */
static PetscErrorCode find_sides(RungPiece *whole, const char place[], RungFacets *facets, RungFinding *finding)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  n = cell->facets, m = RungCellGet(cell->facet_type)->vertices;

  PetscFunctionBegin;
  PetscCall(RungNumberEntities(whole->cells, cell->vertices, whole->cell_node, n, m, cell->facet[0], 4, &facets->count,
                               &facets->cell_facet, &facets->key));
  PetscCall(PetscMalloc1(2 * facets->count, &facets->side));
  for (PetscInt i = 0; i < 2 * facets->count; ++i) facets->side[i] = -1;
  for (PetscInt i = 0; i < whole->cells * n; ++i) {
    PetscInt *side = facets->side + 2 * facets->cell_facet[i];

    if (side[0] < 0)
      side[0] = i;
    else if (side[1] < 0)
      side[1] = i;
    else
      PetscCall(facet_error(whole, facets, facets->cell_facet[i], i / n, place, finding));
  }
  PetscCall(PetscCalloc1(whole->cells, &whole->exterior));
  for (PetscInt f = 0; f < facets->count; ++f) {
    const PetscInt i = facets->side[2 * f];

    if (facets->side[2 * f + 1] < 0) whole->exterior[i / n] |= (PetscInt)1 << (i % n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entities of one dimension of the whole mesh, and which parts of the file they are in. */
typedef struct {
  PetscInt        d, n, m, stride; /* dimension; n a cell, of m vertices each                     */
  const PetscInt *corner;          /* lent, as of RungCellEntities()                              */
  PetscInt        count;
  PetscInt       *cell_entity; /* [cell][n]; owned unless those of facets or vertices          */
  PetscInt       *key;         /* [entity][m]; likewise                                        */
  PetscInt       *first;       /* owned, [entity] the last of its tags, or -1                  */
  PetscInt       *next;        /* owned, [tag] another of the same entity                      */
} Tagged;

static PetscErrorCode list_entities(RungPiece *whole, const RungFacets *facets, PetscInt d, Tagged *t)
{
  const RungCell *cell = RungCellGet(whole->type);

  PetscFunctionBegin;
  *t = (Tagged){.d = d};
  PetscCall(RungCellEntities(cell, d, &t->n, &t->m, &t->corner, &t->stride));
  if (d == cell->dim - 1) {
    t->count = facets->count, t->cell_entity = facets->cell_facet, t->key = facets->key;
  } else if (d) {
    PetscCall(RungNumberEntities(whole->cells, cell->vertices, whole->cell_node, t->n, t->m, t->corner, t->stride,
                                 &t->count, &t->cell_entity, &t->key));
  } else {
    t->count = whole->nodes, t->cell_entity = whole->cell_node;
    PetscCall(PetscMalloc1(whole->nodes, &t->key));
    for (PetscInt v = 0; v < whole->nodes; ++v) t->key[v] = v;
  }
  PetscCall(PetscMalloc1(t->count, &t->first));
  PetscCall(PetscMalloc1(whole->tagged, &t->next));
  for (PetscInt e = 0; e < t->count; ++e) t->first[e] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_entities(const RungPiece *whole, Tagged *t)
{
  const PetscBool facets = t->d == RungCellGet(whole->type)->dim - 1 ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscFree(t->first));
  PetscCall(PetscFree(t->next));
  if (!facets) PetscCall(PetscFree(t->key));
  if (!facets && t->d) PetscCall(PetscFree(t->cell_entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known entities whose vertices all belong to tagged ones: no others can be tagged.
   Out  some[] which, key[] their vertices and behind them those of the tagged ones; the caller's */
static PetscErrorCode list_candidates(const RungPiece *whole, const RungParts *parts, const Tagged *t, PetscInt *some[],
                                      PetscInt *candidates, PetscInt *key[])
{
  const PetscInt m     = t->m;
  PetscInt       count = 0;
  PetscBool     *met;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(whole->nodes, &met));
  for (PetscInt i = 0; i < whole->tagged; ++i)
    for (PetscInt k = 0; k < m && parts->part[whole->tagged_part[i]].dim == t->d; ++k)
      met[whole->tagged_node[4 * i + k]] = PETSC_TRUE;
  for (int pass = 0; pass < 2; ++pass) {
    count = 0;
    for (PetscInt e = 0; e < t->count; ++e) {
      PetscInt k = 0;

      while (k < m && met[t->key[e * m + k]]) ++k;
      if (k < m) continue;
      if (pass) {
        (*some)[count] = e;
        PetscCall(PetscArraycpy(*key + count * m, t->key + e * m, m));
      }
      ++count;
    }
    if (!pass) {
      PetscCall(PetscMalloc1(count, some));
      PetscCall(PetscMalloc1((count + whole->tagged) * m, key));
    }
  }
  *candidates = count;
  PetscCall(PetscFree(met));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbering the candidates first and the tagged ones after them leaves a tagged one with the number of its like.
   Counts the members of parts of edges and vertices. */
static PetscErrorCode find_tagged(const RungPiece *whole, const char place[], RungParts *parts, Tagged *t,
                                  RungFinding *finding)
{
  static const PetscInt self[4] = {0, 1, 2, 3};
  const PetscInt        m = t->m, dim = RungCellGet(whole->type)->dim;
  PetscInt             *key, *number, *some, count, known = 0, n;

  PetscFunctionBegin;
  PetscCall(list_candidates(whole, parts, t, &some, &known, &key));
  n = known;
  for (PetscInt i = 0; i < whole->tagged; ++i) {
    if (parts->part[whole->tagged_part[i]].dim != t->d) continue;
    for (PetscInt k = 0; k < m; ++k) key[n * m + k] = whole->tagged_node[4 * i + k];
    ++n;
  }
  PetscCall(RungNumberEntities(n, m, key, 1, m, self, 4, &count, &number, NULL));
  n = known;
  for (PetscInt i = 0; i < whole->tagged && !finding->text[0]; ++i) {
    RungPart *part = &parts->part[whole->tagged_part[i]];
    PetscInt  e, other;

    if (part->dim != t->d) continue;
    if (number[n] >= known) {
      RungFound(finding, "%s: part \"%s\" holds %s that no cell has; wanted %s of cells only", place, part->name,
                RungEntityName(dim, t->d, PETSC_FALSE), RungEntityName(dim, t->d, PETSC_TRUE));
      break;
    }
    e = some[number[n++]];
    for (other = t->first[e]; other >= 0 && whole->tagged_part[other] != whole->tagged_part[i];) other = t->next[other];
    if (other >= 0) continue; /* the file says it twice, or glue made it one */
    if (t->d < dim - 1) ++part->total;
    t->next[i]  = t->first[e];
    t->first[e] = i;
  }
  PetscCall(PetscFree(some));
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells with a tagged entity get a mark. */
static PetscErrorCode mark_tagged(RungPiece *whole, const Tagged *t)
{
  PetscFunctionBegin;
  for (int pass = 0; pass < 2; ++pass) {
    PetscInt marks = whole->marks;

    for (PetscInt i = 0; i < whole->cells * t->n; ++i) {
      for (PetscInt k = t->first[t->cell_entity[i]]; k >= 0; k = t->next[k], ++marks) {
        PetscInt *mark = whole->mark + 3 * marks;

        if (pass) mark[0] = whole->tagged_part[k], mark[1] = i / t->n, mark[2] = i % t->n;
      }
    }
    if (pass)
      whole->marks = marks;
    else
      PetscCall(PetscRealloc((size_t)(marks + 1) * 3 * sizeof *whole->mark, &whole->mark));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place_tagged(RungPiece *whole, const char place[], RungParts *parts, const RungFacets *facets,
                                   RungFinding *finding)
{
  const PetscInt dim = RungCellGet(whole->type)->dim;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim && !finding->text[0]; ++d) {
    PetscBool any = PETSC_FALSE;
    Tagged    t;

    for (PetscInt i = 0; i < whole->tagged && !any; ++i)
      any = parts->part[whole->tagged_part[i]].dim == d ? PETSC_TRUE : PETSC_FALSE;
    if (!any) continue;
    PetscCall(list_entities(whole, facets, d, &t));
    PetscCall(find_tagged(whole, place, parts, &t, finding));
    if (!finding->text[0]) PetscCall(mark_tagged(whole, &t));
    PetscCall(free_entities(whole, &t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_marks(const void *a, const void *b)
{
  const PetscInt *p = (const PetscInt *)a, *q = (const PetscInt *)b;

  for (int i = 0; i < 3; ++i) {
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  }
  return 0;
}

/* By part, cell, entity; each once.  Counts the members of parts of cells and facets. */
static void sort_marks(RungPiece *whole, RungParts *parts, const RungFacets *facets)
{
  const PetscInt n = RungCellGet(whole->type)->facets, dim = RungCellGet(whole->type)->dim;
  PetscInt       kept = 0;

  if (whole->marks) qsort(whole->mark, (size_t)whole->marks, 3 * sizeof *whole->mark, compare_marks);
  for (PetscInt i = 0; i < whole->marks; ++i) {
    PetscInt *mark = whole->mark + 3 * i, *to = whole->mark + 3 * kept;
    RungPart *part = &parts->part[mark[0]];

    if (kept && !compare_marks(to - 3, mark)) continue;
    for (int k = 0; k < 3; ++k) to[k] = mark[k];
    ++kept;
    if (part->dim < dim - 1) continue;
    if (to[2] < 0 || whole->exterior[to[1]] >> to[2] & 1)
      ++part->total;
    else if (facets->side[2 * facets->cell_facet[to[1] * n + to[2]]] == to[1] * n + to[2])
      ++part->interior;
  }
  whole->marks = kept;
}

/* The name "boundary" means the whole boundary, also if a file uses it. */
static PetscErrorCode check_boundary(const char place[], const RungParts *parts, PetscInt dim, const RungFacets *facets,
                                     RungFinding *finding)
{
  PetscInt exterior = 0;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < facets->count; ++f) exterior += facets->side[2 * f + 1] < 0 ? 1 : 0;
  for (PetscInt p = 0; p < parts->n; ++p) {
    const RungPart *part = &parts->part[p];

    if (part->dim != dim - 1 || strcmp(part->name, "boundary") != 0) continue;
    if (part->total == exterior && !part->interior) continue;
    RungFound(finding,
              "%s: part \"boundary\" holds %" PetscInt_FMT " of %" PetscInt_FMT " exterior and %" PetscInt_FMT
              " interior facets, but this name means the whole boundary; rename it",
              place, part->total, exterior, part->interior);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPieceConnect(RungPiece *whole, const char place[], RungParts *parts, RungFacets *facets,
                                RungFinding *finding)
{
  PetscFunctionBegin;
  PetscCall(find_sides(whole, place, facets, finding));
  if (finding->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(place_tagged(whole, place, parts, facets, finding));
  if (finding->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  sort_marks(whole, parts, facets);
  PetscCall(check_boundary(place, parts, RungCellGet(whole->type)->dim, facets, finding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFacetsDestroy(RungFacets *facets)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(facets->cell_facet));
  PetscCall(PetscFree(facets->key));
  PetscCall(PetscFree(facets->side));
  PetscFunctionReturn(PETSC_SUCCESS);
}
