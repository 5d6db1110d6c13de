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

/* Families of other libraries, by the word in front of their degree, and what takes their place here. */
static const struct {
  const char *word, *instead;
} elsewhere[] = {
  {"RT", "vectors with continuous normal components are not there: DP0^d or DP1^d for a flux u beside a continuous p, "
         "with inner(u, grad(q))*dx for its divergence"},
  {"N",
   "vectors with continuous tangential components are not there: in the plane a scalar potential in P2 or Q2 takes "
   "their place"},
  {"CR", "P2 takes its place"},
  {"Hermite", "continuous slopes are not there: P2 with terms of jump(grad(u), n) under dS, or a second unknown for "
              "the Laplacian"},
  {"Lagrange", "it is called P, or Q on box cells"},
};
enum { ELSEWHERE = sizeof elsewhere / sizeof elsewhere[0] };

static const char *const same_elsewhere[][2] = {
  {"BDM", "RT"},          {"BDFM", "RT"},        {"NED", "N"},        {"Nedelec", "N"},
  {"Argyris", "Hermite"}, {"Morley", "Hermite"}, {"Bell", "Hermite"}, {"HCT", "Hermite"},
};

/* NULL: nobody has it */
static const char *find_elsewhere(const char word[])
{
  for (size_t i = 0; i < sizeof same_elsewhere / sizeof same_elsewhere[0]; ++i)
    if (!strcmp(word, same_elsewhere[i][0])) word = same_elsewhere[i][1];
  for (int i = 0; i < ELSEWHERE; ++i)
    if (!strcmp(word, elsewhere[i].word)) return elsewhere[i].instead;
  return NULL;
}

PetscErrorCode RungElementFindFamily(MPI_Comm comm, const char spec[], const char word[], const char **family)
{
  const char *list[FAMILIES], *nearest, *instead = find_elsewhere(word);

  PetscFunctionBegin;
  for (int i = 0; i < FAMILIES; ++i) {
    list[i] = families[i].name;
    if (!strcmp(word, list[i])) {
      *family = list[i];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCheck(!instead, comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "space \"%s\": family \"%s\" does not exist; %s", spec, word,
             instead);
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
