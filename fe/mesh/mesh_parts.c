/* mesh_parts.c - named parts of cells, facets, edges and vertices, and the places that an integral over them visits. */
#include <rungown_room.h>
#include "fe_impl.h"
#include <rungtext_room.h>

/* ---- the table -------------------------------------------------------------------------------------------------- */

PetscErrorCode RungPartsAdd(RungParts *parts, const char name[], PetscInt number, PetscInt dim, PetscInt *index)
{
  PetscFunctionBegin;
  if (parts->n == parts->room) {
    parts->room = PetscMax(8, 2 * parts->room);
    PetscCall(PetscRealloc((size_t)parts->room * sizeof *parts->part, &parts->part));
  }
  *index              = parts->n++;
  parts->part[*index] = (RungPart){.number = number, .dim = dim};
  PetscCall(PetscStrallocpy(name, &parts->part[*index].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPartsBroadcast(RungParts *parts, MPI_Comm comm)
{
  PetscMPIInt rank;
  PetscInt    n = parts->n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, comm));
  for (PetscInt p = 0; p < n; ++p) {
    char     name[256] = "";
    PetscInt fact[4] = {0}, index = p;

    if (!rank) {
      const RungPart *part = &parts->part[p];

      PetscCall(PetscStrncpy(name, part->name, sizeof name));
      fact[0] = part->number, fact[1] = part->dim, fact[2] = part->total, fact[3] = part->interior;
    }
    PetscCallMPI(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm));
    PetscCallMPI(MPI_Bcast(fact, 4, MPIU_INT, 0, comm));
    if (!rank) continue;
    PetscCall(RungPartsAdd(parts, name, fact[0], fact[1], &index));
    parts->part[index].total    = fact[2];
    parts->part[index].interior = fact[3];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPartsDestroy(RungParts *parts)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < parts->n; ++p) {
    PetscCall(PetscFree(parts->part[p].name));
    PetscCall(PetscFree(parts->part[p].cell));
    PetscCall(PetscFree(parts->part[p].entity));
  }
  PetscCall(PetscFree(parts->part));
  parts->n = parts->room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which part is meant ------------------------------------------------------------------------------------------
 */

static PetscBool names_everything(RungDomain domain, const char part[])
{
  if (!part || !part[0]) return PETSC_TRUE;
  return domain == RUNG_BOUNDARY && !strcmp(part, "boundary") ? PETSC_TRUE : PETSC_FALSE;
}

const char *RungEntityName(PetscInt dim, PetscInt d, PetscBool many)
{
  static const char *const one[] = {"a cell", "a facet", "an edge", "a vertex"};
  static const char *const all[] = {"cells", "facets", "edges", "vertices"};
  const PetscInt           i     = d == dim ? 0 : d == dim - 1 ? 1 : d ? 2 : 3;

  return many ? all[i] : one[i];
}

const RungPart *RungMeshFindPart(RungMesh mesh, PetscInt low, PetscInt high, const char name[])
{
  char           *end;
  const long long number = strtoll(name, &end, 10);

  for (PetscInt i = 0; i < 2 * (high - low + 1); ++i) {
    const PetscInt  d       = low + i % (high - low + 1);
    const PetscBool by_name = i <= high - low ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt p = 0; p < mesh->parts.n && (by_name || (name[0] && !*end)); ++p) {
      const RungPart *part = &mesh->parts.part[p];

      if (part->dim == d && (by_name ? !strcmp(part->name, name) : part->number == number)) return part;
    }
  }
  return NULL;
}

/* The dimensions of parts that a domain takes: vertices and edges also those of larger ones, RUNG_DOMAINS all. */
static void range_of(RungMesh mesh, RungDomain domain, PetscInt *low, PetscInt *high)
{
  const PetscInt dim = RungCellGet(mesh->data.type)->dim;

  *high = domain == RUNG_BOUNDARY || domain == RUNG_INTERIOR_FACETS ? dim - 1 : dim;
  *low  = domain == RUNG_VERTICES || domain == RUNG_DOMAINS ? 0 : domain == RUNG_EDGES ? PetscMin(1, dim) : *high;
}

static const RungPart *find_part(RungMesh mesh, RungDomain domain, const char name[])
{
  const RungPart *part = NULL;
  PetscInt        low, high;

  range_of(mesh, domain, &low, &high);
  if (domain != RUNG_DOMAINS) return RungMeshFindPart(mesh, low, high, name);
  /* of any dimension: facets are meant before what is smaller, cells last */
  for (PetscInt d = high - 1; d >= 0 && !part; --d) part = RungMeshFindPart(mesh, d, d, name);
  return part ? part : RungMeshFindPart(mesh, high, high, name);
}

PetscErrorCode RungMeshHasPart(RungMesh mesh, RungDomain domain, const char part[], PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  *has = names_everything(domain, part) || find_part(mesh, domain, part) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the parts of a domain, each once: "boundary" first, the others sorted.  Out name[parts + 1], the caller's. */
static PetscErrorCode list_names(RungMesh mesh, RungDomain domain, PetscInt *n, const char ***name)
{
  const PetscBool whole = domain == RUNG_BOUNDARY || domain >= RUNG_VERTICES ? PETSC_TRUE : PETSC_FALSE;
  PetscInt        low, high, kept;

  PetscFunctionBegin;
  range_of(mesh, domain, &low, &high);
  PetscCall(PetscMalloc1(mesh->parts.n + 1, name));
  *n = 0;
  if (whole) (*name)[(*n)++] = "boundary";
  for (PetscInt p = 0; p < mesh->parts.n; ++p) {
    const RungPart *part = &mesh->parts.part[p];

    if (part->dim < low || part->dim > high || (whole && !strcmp(part->name, "boundary"))) continue;
    (*name)[(*n)++] = part->name;
  }
  kept = whole ? 1 : 0;
  if (*n > kept) qsort(*name + kept, (size_t)(*n - kept), sizeof **name, compare_names);
  for (PetscInt i = kept; i < *n; ++i) {
    if (!kept || strcmp((*name)[kept - 1], (*name)[i]) != 0) (*name)[kept++] = (*name)[i];
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshListParts(RungMesh mesh, RungDomain domain, char list[], size_t size, size_t *length)
{
  const char **name;
  PetscInt     n;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  PetscCall(list_names(mesh, domain, &n, &name));
  if (size) list[0] = 0;
  *length = 0;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungTextAppend(list, i ? ", " : "", size));
    PetscCall(RungTextAppend(list, name[i], size));
    *length += strlen(name[i]) + (i ? 2 : 0);
  }
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetParts(RungMesh mesh, RungDomain domain, char list[], size_t size)
{
  size_t length;

  PetscFunctionBegin;
  RungNeed(mesh);
  RungNeedArgument(list);
  PetscCall(RungMeshListParts(mesh, domain, list, size, &length));
  PetscCheck(length < size, mesh->comm, PETSC_ERR_ARG_SIZ,
             "the parts of this mesh make a text of %zu letters, and there is room for %zu; wanted room for %zu",
             length, size, length + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshNeedPart(RungMesh mesh, RungDomain domain, const char name[], const RungPart **part)
{
  static const char *const kind[RUNG_DOMAINS + 1] = {
    "part of cells", "boundary part", "part of interior facets", "part", "part of vertices", "part of edges", "part"};
  const PetscInt  dim   = RungCellGet(mesh->data.type)->dim;
  const RungPart *other = RungMeshFindPart(mesh, 0, dim, name);
  char            list[1024];
  size_t          length;
  const char    **names, *nearest;
  PetscInt        n;

  PetscFunctionBegin;
  *part = find_part(mesh, domain, name);
  if (!*part) {
    const char *degree = strspn(name, "0123456789") == strlen(name) ? "; a degree of quadrature is written degree: "
                                                                    : "";

    PetscCheck(!other, mesh->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "%s \"%s\" does not exist, it is a part of %s; use %s(%s)%s%s", kind[domain], name,
               RungEntityName(dim, other->dim, PETSC_TRUE),
               other->dim == dim       ? "dx"
               : other->dim == dim - 1 ? "ds"
               : other->dim            ? "dl"
                                       : "dP",
               name, degree, degree[0] ? name : "");
    PetscCheck(strcmp(name, "boundary") != 0, mesh->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "%s \"boundary\" does not exist, it is a part of facets; use ds(boundary)", kind[domain]);
    PetscCall(RungMeshListParts(mesh, domain, list, sizeof list, &length));
    PetscCall(list_names(mesh, domain, &n, &names));
    PetscCall(RungSuggest(name, n, names, &nearest));
    PetscCall(PetscFree(names));
    SETERRQ(mesh->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s \"%s\" does not exist; this mesh has %s%s%s%s%s%s",
            kind[domain], name, list[0] ? list : "none", nearest ? "; did you mean " : "", nearest ? nearest : "",
            nearest ? "?" : "", degree, degree[0] ? name : "");
  }
  PetscCheck(domain != RUNG_BOUNDARY || (*part)->total, mesh->comm, PETSC_ERR_ARG_WRONG,
             "boundary part \"%s\" holds interior facets only (%" PetscInt_FMT "); use dS(%s)", name, (*part)->interior,
             name);
  PetscCheck(domain != RUNG_INTERIOR_FACETS || (*part)->interior, mesh->comm, PETSC_ERR_ARG_WRONG,
             "part \"%s\" holds no interior facets but %" PetscInt_FMT " exterior ones; use ds(%s)", name,
             (*part)->total, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

struct _p_RungPlacesNode {
  RungDomain      domain;
  const RungPart *part; /* lent; NULL for everything                          */
  RungPlaces      places;
  PetscInt       *list[6]; /* owned, the arrays of places: cell 0, 1, facet 0, 1, turn, number */
  RungPlacesNode  next;
};

static PetscErrorCode add_cells(RungMesh mesh, const RungPart *part, RungPlacesNode node)
{
  const PetscInt n = part ? part->count : mesh->data.cells;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &node->list[0]));
  for (PetscInt i = 0; i < n; ++i) node->list[0][i] = part ? part->cell[i] : i;
  node->places.count = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Exterior facets, by cell, then by facet. */
static PetscErrorCode add_boundary(RungMesh mesh, const RungPart *part, RungPlacesNode node)
{
  const PetscInt facets = RungCellGet(mesh->data.type)->facets, n = part ? part->count : mesh->data.cells * facets;
  PetscInt       count = 0;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; ++pass) {
    if (pass) PetscCall(PetscMalloc1(count, &node->list[0]));
    if (pass) PetscCall(PetscMalloc1(count, &node->list[2]));
    count = 0;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt c = part ? part->cell[i] : i / facets, f = part ? part->entity[i] : i % facets;

      if (!(mesh->exterior[c] >> f & 1)) continue;
      if (pass) node->list[0][count] = c;
      if (pass) node->list[2][count] = f;
      ++count;
    }
  }
  node->places.count = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* member[cell * facets + facet] of a part of facets */
static PetscErrorCode mark_members(RungMesh mesh, const RungPart *part, PetscBool **member)
{
  const PetscInt facets = RungCellGet(mesh->data.type)->facets;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->data.cells * facets, member));
  for (PetscInt i = 0; i < part->count; ++i) (*member)[part->cell[i] * facets + part->entity[i]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A facet belongs to a part if the side of it that is local does. */
static PetscErrorCode add_interior(RungMesh mesh, const RungPart *part, RungPlacesNode node)
{
  const PetscInt facets = RungCellGet(mesh->data.type)->facets, cells = mesh->data.cells;
  PetscBool     *member = NULL;
  RungSides      sides;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetSides(mesh, &sides));
  if (part) PetscCall(mark_members(mesh, part, &member));
  for (int k = 0; k < 6; ++k) PetscCall(PetscMalloc1(sides->facets, &node->list[k]));
  for (PetscInt i = 0; i < sides->facets; ++i) {
    const int here = sides->cell[0][i] < cells ? 0 : 1;

    if (member && !member[sides->cell[here][i] * facets + sides->facet[here][i]]) continue;
    for (int k = 0; k < 2; ++k) {
      node->list[k][n]     = sides->cell[k][i];
      node->list[2 + k][n] = sides->facet[k][i];
    }
    node->list[4][n]   = sides->turn[i];
    node->list[5][n++] = i;
  }
  node->places.count = n;
  PetscCall(PetscFree(member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part "boundary" of vertices and edges, which no table holds: places of it are known by this address. */
static const RungPart whole_boundary;

static PetscErrorCode add_entities(RungMesh mesh, const RungPart *part, RungPlacesNode node)
{
  const RungPlaces *places;
  RungPart          boundary;

  PetscFunctionBegin;
  if (part == &whole_boundary) {
    PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &places));
    boundary = (RungPart){.dim = RungCellGet(mesh->data.type)->dim - 1, .count = places->count};
    PetscCall(PetscMalloc2(places->count + 1, &boundary.cell, places->count + 1, &boundary.entity));
    PetscCall(PetscArraycpy(boundary.cell, places->cell[0], places->count));
    PetscCall(PetscArraycpy(boundary.entity, places->facet[0], places->count));
    part = &boundary;
  }
  PetscCall(RungMeshFindEntities(mesh, node->domain == RUNG_VERTICES ? 0 : 1, part, &node->places.count, &node->list[0],
                                 &node->list[2]));
  if (part == &boundary) PetscCall(PetscFree2(boundary.cell, boundary.entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_global(RungMesh mesh, RungPlacesNode node)
{
  PetscMPIInt me, size, mine, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &me));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  mine = mesh->data.cells ? me : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, mesh->comm));
  if (me != first) PetscFunctionReturn(PETSC_SUCCESS);
  node->places.count = 1;
  PetscCall(PetscCalloc1(1, &node->list[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode node_destroy(RungPlacesNode *node)
{
  PetscFunctionBegin;
  for (int k = 0; k < 6 && *node; ++k) PetscCall(PetscFree((*node)->list[k]));
  PetscCall(PetscFree(*node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_node(RungMesh mesh, RungDomain domain, const RungPart *part)
{
  RUNG_OWNED(node_destroy) RungPlacesNode node = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&node));
  node->domain = domain;
  node->part   = part;
  if (domain == RUNG_CELLS)
    PetscCall(add_cells(mesh, part, node));
  else if (domain == RUNG_BOUNDARY)
    PetscCall(add_boundary(mesh, part, node));
  else if (domain == RUNG_GLOBAL)
    PetscCall(add_global(mesh, node));
  else if (domain == RUNG_VERTICES || domain == RUNG_EDGES)
    PetscCall(add_entities(mesh, part, node));
  else
    PetscCall(add_interior(mesh, part, node));
  node->places.cell[0] = node->list[0], node->places.cell[1] = node->list[1];
  node->places.facet[0] = node->list[2], node->places.facet[1] = node->list[3];
  node->places.turn = node->list[4], node->places.number = node->list[5];
  node->next   = mesh->places;
  mesh->places = node;
  node         = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetPlaces(RungMesh mesh, RungDomain domain, const char name[], const RungPlaces **places)
{
  const PetscBool low  = domain == RUNG_VERTICES || domain == RUNG_EDGES ? PETSC_TRUE : PETSC_FALSE;
  const RungPart *part = NULL;
  RungPlacesNode  node;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  PetscCheck(mesh->data.type != RUNG_POINT || domain == RUNG_CELLS || domain == RUNG_GLOBAL, mesh->comm,
             PETSC_ERR_ARG_WRONG, "a mesh of points has no facets; integrate over dx");
  if (low && names_everything(RUNG_BOUNDARY, name) && !names_everything(domain, name))
    part = &whole_boundary;
  else if (!names_everything(domain, name))
    PetscCall(RungMeshNeedPart(mesh, domain, name, &part));
  for (node = mesh->places; node; node = node->next) {
    if (node->domain == domain && node->part == part) break;
  }
  if (!node) PetscCall(add_node(mesh, domain, part));
  if (!node) node = mesh->places;
  *places = &node->places;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshPlacesDestroy(RungMesh mesh)
{
  PetscFunctionBegin;
  while (mesh->places) {
    RungPlacesNode node = mesh->places;

    mesh->places = node->next;
    PetscCall(node_destroy(&node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
