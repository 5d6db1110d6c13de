/* mesh_connect.c - who is whose neighbour, what is the boundary, which facets carry a name: once, on the whole mesh. */
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

/* Numbering the known facets first and the tagged ones after them leaves a tagged facet with the number of its like. */
static PetscErrorCode find_tagged(RungPiece *whole, const char place[], const RungParts *parts,
                                  const RungFacets *facets, RungFinding *finding)
{
  static const PetscInt self[4] = {0, 1, 2, 3};
  const RungCell       *cell    = RungCellGet(whole->type);
  const PetscInt        n = cell->facets, m = RungCellGet(cell->facet_type)->vertices, known = facets->count;
  PetscInt             *key, *number, count;

  PetscFunctionBegin;
  if (!whole->tagged) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((known + whole->tagged) * m, &key));
  PetscCall(PetscArraycpy(key, facets->key, known * m));
  PetscCall(PetscArraycpy(key + known * m, whole->tagged_node, whole->tagged * m));
  PetscCall(RungNumberEntities(known + whole->tagged, m, key, 1, m, self, 4, &count, &number, NULL));
  PetscCall(PetscRealloc((size_t)(whole->marks + 2 * whole->tagged) * 3 * sizeof *whole->mark, &whole->mark));
  for (PetscInt i = 0; i < whole->tagged; ++i) {
    const PetscInt f = number[known + i];

    if (f >= known) {
      RungFound(finding, "%s: part \"%s\" holds a facet that no cell has; wanted facets of cells only", place,
                parts->part[whole->tagged_part[i]].name);
      break;
    }
    for (PetscInt s = 0; s < 2 && facets->side[2 * f + s] >= 0; ++s) {
      PetscInt *mark = whole->mark + 3 * whole->marks++;

      mark[0] = whole->tagged_part[i];
      mark[1] = facets->side[2 * f + s] / n;
      mark[2] = facets->side[2 * f + s] % n;
    }
  }
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(number));
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

/* By part, cell, facet; each once.  Counts the members of parts. */
static void sort_marks(RungPiece *whole, RungParts *parts, const RungFacets *facets)
{
  const PetscInt n    = RungCellGet(whole->type)->facets;
  PetscInt       kept = 0;

  if (whole->marks) qsort(whole->mark, (size_t)whole->marks, 3 * sizeof *whole->mark, compare_marks);
  for (PetscInt i = 0; i < whole->marks; ++i) {
    PetscInt *mark = whole->mark + 3 * i, *to = whole->mark + 3 * kept;
    RungPart *part = &parts->part[mark[0]];

    if (kept && !compare_marks(to - 3, mark)) continue;
    for (int k = 0; k < 3; ++k) to[k] = mark[k];
    ++kept;
    if (to[2] < 0 || whole->exterior[to[1]] >> to[2] & 1)
      ++part->total;
    else if (facets->side[2 * facets->cell_facet[to[1] * n + to[2]]] == to[1] * n + to[2])
      ++part->interior;
  }
  whole->marks = kept;
}

/* The name "boundary" means the whole boundary, also if a file uses it. */
static PetscErrorCode check_boundary(const char place[], const RungParts *parts, const RungFacets *facets,
                                     RungFinding *finding)
{
  PetscInt exterior = 0;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < facets->count; ++f) exterior += facets->side[2 * f + 1] < 0 ? 1 : 0;
  for (PetscInt p = 0; p < parts->n; ++p) {
    const RungPart *part = &parts->part[p];

    if (!part->facets || strcmp(part->name, "boundary") != 0) continue;
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
  PetscCall(find_tagged(whole, place, parts, facets, finding));
  if (finding->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  sort_marks(whole, parts, facets);
  PetscCall(check_boundary(place, parts, facets, finding));
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
