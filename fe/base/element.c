/* element.c - nodal elements: the registry of families and what all of them share.

   A family fills nodes, their lattice and where they sit (vertices, edges, faces, inside); the basis that is one at its
   own node and zero at the others follows from the polynomials.  A new family is a file and a line of the table. */
#include <rungown_room.h>
#include "base_impl.h"

typedef PetscErrorCode CreateElement(MPI_Comm comm, const char spec[], const char family[], RungElement *element);

static const struct {
  const char    *name;
  CreateElement *create;
} families[] = {
  {"P", RungElementCreate_Lagrange},       {"Q", RungElementCreate_Lagrange},  {"DP", RungElementCreate_Discontinuous},
  {"DQ", RungElementCreate_Discontinuous}, {"Quad", RungElementCreate_Points}, {"R", RungElementCreate_Global},
  {"P+B", RungElementCreate_Bubble},       {"Q+B", RungElementCreate_Bubble},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

const char *RungElementFamilies(void)
{
  return "P, Q, DP, DQ, P..+B, Q..+B, Quad, R";
}

PetscErrorCode RungElementFindFamily(MPI_Comm comm, const char spec[], const char word[], const char **family)
{
  const char *list[FAMILIES], *nearest;

  PetscFunctionBegin;
  for (int i = 0; i < FAMILIES; ++i) {
    list[i] = families[i].name;
    if (!strcmp(word, list[i])) {
      *family = list[i];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(RungSuggest(word, FAMILIES, list, &nearest));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
          "space \"%s\": family \"%s\" does not exist; wanted one of %s with a degree, as in \"P1\"%s%s%s", spec, word,
          RungElementFamilies(), nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

PetscErrorCode RungElementCreate(MPI_Comm comm, const char spec[], const char family[], RungCellType type,
                                 PetscInt degree, RungElement **element)
{
  RUNG_OWNED(RungElementDestroy) RungElement *e = NULL;
  int                                         i = 0;

  PetscFunctionBegin;
  while (i < FAMILIES && strcmp(families[i].name, family) != 0) ++i;
  PetscCheck(i < FAMILIES, comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "family \"%s\" does not exist; wanted one of %s", family,
             RungElementFamilies());
  PetscCall(PetscNew(&e));
  e->type   = type;
  e->degree = degree;
  PetscCall(families[i].create(comm, spec, family, e));
  PetscCall(RungElementFacets(e));
  *element = e;
  e        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementCreateMap(RungCellType type, PetscInt degree, RungElement **element)
{
  PetscFunctionBegin;
  PetscCall(
    RungElementCreate(PETSC_COMM_SELF, "geometry", RungCellGet(type)->simplex ? "P" : "Q", type, degree, element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementDestroy(RungElement **element)
{
  PetscFunctionBegin;
  if (!*element) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*element)->node));
  PetscCall(PetscFree((*element)->lattice));
  for (int d = 0; d < 4; ++d) PetscCall(PetscFree((*element)->turn[d]));
  PetscCall(PetscFree((*element)->facet_start));
  PetscCall(PetscFree((*element)->facet_node));
  PetscCall(PetscFree((*element)->inverse));
  PetscCall(PetscFree((*element)->line));
  PetscCall(PetscFree((*element)->mix));
  PetscCall(RungElementDestroy(&(*element)->within));
  PetscCall(PetscFree(*element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool on_facet(const RungCell *cell, PetscInt facet, const PetscReal x[])
{
  const PetscReal *corner   = cell->x[cell->facet[facet][0]];
  PetscReal        distance = 0;

  for (PetscInt a = 0; a < cell->dim; ++a) distance += cell->normal[facet][a] * (x[a] - corner[a]);
  return (PetscBool)(PetscAbsReal(distance) < 1e-10);
}

PetscErrorCode RungElementFacets(RungElement *element)
{
  const RungCell *cell = RungCellGet(element->type);
  PetscInt        n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cell->facets + 1, &element->facet_start));
  PetscCall(PetscMalloc1(cell->facets * element->nodes, &element->facet_node));
  element->facet_start[0] = 0;
  for (PetscInt f = 0; f < cell->facets; ++f) {
    for (PetscInt i = 0; i < element->nodes; ++i)
      if (on_facet(cell, f, &element->node[i * cell->dim])) element->facet_node[n++] = i;
    element->facet_start[f + 1] = n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
