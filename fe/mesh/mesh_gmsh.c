/* mesh_gmsh.c - reads a Gmsh file into tables, complaining about everything that is not as the format wants it.

   The grammar is that of "MSH file format" in the Gmsh reference manual: sections $Name .. $EndName; format 2.2 lists
   nodes and elements one by one, each element with its physical number; format 4.1 lists them in blocks by geometric
   entity, and $Entities says which physical numbers an entity has.  In binary files the numbers are those of memory,
   4 bytes for an int, 8 for a size or a real, and the first int, 1, tells the byte order.

   A binary file of format 4.1 can also be planned: where its blocks lie and what they hold, without nodes and elements, for
   ranks that read a part each (mesh_slice.c). */
#include "fe_impl.h"
#include <rungtext_room.h>

/* The code is Gmsh's; names are for messages. */
static const RungGmshType types[] = {
  {1, 1, 1, 2, RUNG_INTERVAL, "lines"},
  {2, 2, 1, 3, RUNG_TRIANGLE, "triangles"},
  {3, 2, 1, 4, RUNG_QUADRILATERAL, "quadrilaterals"},
  {4, 3, 1, 4, RUNG_TETRAHEDRON, "tetrahedra"},
  {5, 3, 1, 8, RUNG_HEXAHEDRON, "hexahedra"},
  {6, 3, 1, 6, RUNG_CELL_TYPES, "prisms"},
  {7, 3, 1, 5, RUNG_CELL_TYPES, "pyramids"},
  {8, 1, 2, 3, RUNG_INTERVAL, "lines"},
  {9, 2, 2, 6, RUNG_TRIANGLE, "triangles"},
  {10, 2, 2, 9, RUNG_QUADRILATERAL, "quadrilaterals"},
  {11, 3, 2, 10, RUNG_TETRAHEDRON, "tetrahedra"},
  {12, 3, 2, 27, RUNG_HEXAHEDRON, "hexahedra"},
  {13, 3, 2, 18, RUNG_CELL_TYPES, "prisms"},
  {14, 3, 2, 14, RUNG_CELL_TYPES, "pyramids"},
  {15, 0, 1, 1, RUNG_POINT, "points"},
  {16, 2, 2, 8, RUNG_QUADRILATERAL, "quadrilaterals"},
  {17, 3, 2, 20, RUNG_HEXAHEDRON, "hexahedra"},
  {18, 3, 2, 15, RUNG_CELL_TYPES, "prisms"},
  {19, 3, 2, 13, RUNG_CELL_TYPES, "pyramids"},
  {20, 2, 3, 9, RUNG_TRIANGLE, "triangles"},
  {21, 2, 3, 10, RUNG_TRIANGLE, "triangles"},
  {22, 2, 4, 12, RUNG_TRIANGLE, "triangles"},
  {23, 2, 4, 15, RUNG_TRIANGLE, "triangles"},
  {25, 2, 5, 21, RUNG_TRIANGLE, "triangles"},
  {26, 1, 3, 4, RUNG_INTERVAL, "lines"},
  {27, 1, 4, 5, RUNG_INTERVAL, "lines"},
  {28, 1, 5, 6, RUNG_INTERVAL, "lines"},
  {29, 3, 3, 20, RUNG_TETRAHEDRON, "tetrahedra"},
  {30, 3, 4, 35, RUNG_TETRAHEDRON, "tetrahedra"},
  {31, 3, 5, 56, RUNG_TETRAHEDRON, "tetrahedra"},
  {36, 2, 3, 16, RUNG_QUADRILATERAL, "quadrilaterals"},
  {37, 2, 4, 25, RUNG_QUADRILATERAL, "quadrilaterals"},
  {92, 3, 3, 64, RUNG_HEXAHEDRON, "hexahedra"},
  {93, 3, 4, 125, RUNG_HEXAHEDRON, "hexahedra"},
};

const RungGmshType *RungGmshTypeGet(PetscInt code)
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(types); ++i) {
    if (types[i].code == code) return &types[i];
  }
  return NULL;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

#define TEXT 4096 /* bytes that a window shows of a line: a plan refuses longer names, the whole file does not */

static PetscInt read_dimension(RungReader *r)
{
  const PetscInt dim = RungReaderInt(r);

  if (dim >= 0 && dim <= 3) return dim;
  RungReaderComplain(r, "dimension %lld in section $%s; wanted 0, 1, 2 or 3", (long long)dim, r->section);
  return 0;
}

/* Is `each` times n more than a PetscInt holds?  Complains. */
static PetscBool too_many(RungReader *r, PetscInt n, PetscInt each)
{
  if (n <= PETSC_MAX_INT / each) return PETSC_FALSE;
  RungReaderComplain(r, "the %lld entries of section $%s are more than this PETSc can hold; use one of 64-bit indices",
                     (long long)n, r->section);
  return PETSC_TRUE;
}

/* A list that grows: room for n more numbers behind the `used` first ones.  Complains if they cannot be counted. */
static PetscErrorCode make_room(RungReader *r, PetscInt used, PetscInt n, size_t *room, PetscInt **list)
{
  PetscFunctionBegin;
  if (n > PETSC_MAX_INT - used) {
    (void)too_many(r, PETSC_MAX_INT, 2);
  } else if ((size_t)used + (size_t)n > *room) {
    *room = 2 * ((size_t)used + (size_t)n) + 64;
    PetscCall(PetscRealloc(*room * sizeof **list, list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void read_format(RungReader *r)
{
  const double version = strtod(r->p, (char **)&r->p);
  PetscInt     kind, size, one;

  kind = RungReaderText(r);
  size = RungReaderText(r);
  if (RungReaderFailed(r)) return;
  r->four = version > 4.05 && version < 4.15 ? PETSC_TRUE : PETSC_FALSE;
  if (!r->four && !(version > 1.95 && version < 2.25)) {
    RungReaderComplain(r, "Gmsh format %g; wanted 2.2 or 4.1; save it with gmsh -save -format msh41", version);
  } else if (kind < 0 || kind > 1 || size != 8) {
    RungReaderComplain(r, "file type %d and data size %d; wanted 0 (text) or 1 (binary), and 8", (int)kind, (int)size);
  }
  if (r->file && !(r->four && kind))
    RungReaderComplain(r, "a file of format %g and type %d; wanted format 4.1 and type 1", version, (int)kind);
  if (RungReaderFailed(r) || !kind) return;
  RungReaderSkipLine(r);
  r->binary = PETSC_TRUE;
  one       = RungReaderInt(r);
  if (!RungReaderFailed(r) && one != 1) {
    r->p -= 4;
    r->swap = PETSC_TRUE;
    if (RungReaderInt(r) != 1)
      RungReaderComplain(r, "a binary file that does not begin with the number 1: the byte order is unknown");
  }
}

static PetscErrorCode read_names(RungReader *r, RungGmsh *g)
{
  PetscInt n = RungReaderCount(r, RungReaderText(r), 6);

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &g->name));
  g->names = n;
  for (PetscInt i = 0; i < n && !RungReaderFailed(r); ++i) {
    const char *close;
    int         code;

    (void)RungReaderAhead(r, TEXT);
    g->name[i].dim    = RungReaderText(r);
    g->name[i].number = RungReaderText(r);
    RungReaderSkipSpace(r);
    if (g->name[i].dim < 0 || g->name[i].dim > 3)
      RungReaderComplain(r, "dimension %lld of a physical name; wanted 0, 1, 2 or 3", (long long)g->name[i].dim);
    close = r->p < r->end && *r->p == '"' ? (const char *)memchr(r->p + 1, '"', (size_t)(r->end - r->p - 1)) : NULL;
    if (RungReaderFailed(r) || !close) {
      RungReaderUnexpected(r, "a name in quotes");
      break;
    }
    if (RungTextObeyed(r->p + 1, (size_t)(close - r->p - 1), &code) >= 0)
      RungReaderComplain(r, "a physical name with a control character (number %d); take one without", code);
    PetscCall(PetscMalloc1((size_t)(close - r->p), &g->name[i].text));
    PetscCall(PetscStrncpy(g->name[i].text, r->p + 1, (size_t)(close - r->p)));
    r->p = close + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What $Entities of format 4.1 says of one of them. */
typedef struct {
  PetscInt dim, tag, group, groups; /* physical[group], .. */
} Entity;

typedef struct {
  PetscInt n;
  Entity  *entity; /* owned, by dimension and tag once a section has been read */
  size_t   room;   /* for physical numbers */
} Entities;

static int compare_entities(const void *a, const void *b)
{
  const Entity  *e = (const Entity *)a, *f = (const Entity *)b;
  const PetscInt x = e->dim == f->dim ? e->tag : e->dim, y = e->dim == f->dim ? f->tag : f->dim;

  return (x > y) - (x < y);
}

/* NULL if the file says nothing of it. */
static const Entity *find_entity(const Entities *entities, PetscInt dim, PetscInt tag)
{
  const Entity key = {.dim = dim, .tag = tag};

  if (!entities->n) return NULL;
  return (const Entity *)bsearch(&key, entities->entity, (size_t)entities->n, sizeof key, compare_entities);
}

static PetscErrorCode add_physical(RungReader *r, RungGmsh *g, size_t *room, PetscInt number)
{
  PetscFunctionBegin;
  PetscCall(make_room(r, g->physicals, 1, room, &g->physical));
  if (!RungReaderFailed(r)) g->physical[g->physicals++] = PetscAbsInt(number); /* its sign is an orientation */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entity(RungReader *r, RungGmsh *g, PetscInt dim, PetscBool parted, Entities *entities,
                                  Entity *e)
{
  PetscInt n;

  PetscFunctionBegin;
  *e = (Entity){.dim = dim, .tag = RungReaderInt(r), .group = g->physicals};
  if (parted) {
    for (int i = 0; i < 2; ++i) (void)RungReaderInt(r); /* dimension and tag of what it was cut from */
    n = RungReaderCount(r, RungReaderSize(r), 2);
    for (PetscInt i = 0; i < n; ++i) (void)RungReaderInt(r); /* parts that have it */
  }
  for (int i = 0; i < (dim ? 6 : 3); ++i) (void)RungReaderReal(r);
  n = RungReaderCount(r, RungReaderSize(r), 2);
  for (PetscInt i = 0; i < n && !RungReaderFailed(r); ++i)
    PetscCall(add_physical(r, g, &entities->room, RungReaderInt(r)));
  e->groups = n;
  n         = dim ? RungReaderCount(r, RungReaderSize(r), 2) : 0;
  for (PetscInt i = 0; i < n; ++i) (void)RungReaderInt(r); /* bounding entities */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entities, or behind how many parts and ghosts there are the entities of a mesh that Gmsh has cut: Rung cuts it anew. */
static PetscErrorCode read_entities(RungReader *r, RungGmsh *g, PetscBool parted, Entities *entities)
{
  PetscInt   n[4];
  PetscInt64 total = entities->n;

  PetscFunctionBegin;
  if (parted) {
    (void)RungReaderSize(r); /* parts */
    n[0] = RungReaderCount(r, RungReaderSize(r), 4);
    for (PetscInt i = 0; i < n[0]; ++i) (void)RungReaderInt(r), (void)RungReaderInt(r); /* a ghost and its part */
  }
  for (int d = 0; d < 4; ++d) total += n[d] = RungReaderCount(r, RungReaderSize(r), 8);
  if (total > PETSC_MAX_INT) (void)too_many(r, PETSC_MAX_INT, 2);
  if (RungReaderFailed(r)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc((size_t)(total + 1) * sizeof *entities->entity, &entities->entity));
  for (PetscInt d = 0; d < 4; ++d) {
    for (PetscInt i = 0; i < n[d] && !RungReaderFailed(r); ++i)
      PetscCall(read_entity(r, g, d, parted, entities, &entities->entity[entities->n++]));
  }
  if (entities->n) qsort(entities->entity, (size_t)entities->n, sizeof *entities->entity, compare_entities);
  for (PetscInt i = 1; i < entities->n; ++i) {
    const Entity *e = &entities->entity[i];

    if (compare_entities(e - 1, e)) continue;
    RungReaderComplain(r, "two entities of dimension %lld have number %lld", (long long)e->dim, (long long)e->tag);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the announced nodes. */
static PetscErrorCode nodes_create(RungReader *r, RungGmsh *g, PetscInt announced)
{
  PetscFunctionBegin;
  g->nodes = RungReaderCount(r, announced, r->binary ? 28 : 8);
  if (too_many(r, g->nodes, 3)) g->nodes = 0;
  if (r->file) PetscFunctionReturn(PETSC_SUCCESS); /* a plan */
  PetscCall(PetscMalloc1(g->nodes, &g->node_tag));
  PetscCall(PetscMalloc1(3 * g->nodes, &g->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt checked_tag(RungReader *r, PetscInt tag)
{
  if (tag < 0) RungReaderComplain(r, "a node with number %lld; wanted a positive one", (long long)tag);
  return tag;
}

static PetscErrorCode read_nodes_2(RungReader *r, RungGmsh *g)
{
  const PetscInt announced = RungReaderText(r);

  PetscFunctionBegin;
  if (r->binary) RungReaderSkipLine(r);
  PetscCall(nodes_create(r, g, announced));
  for (PetscInt i = 0; i < g->nodes && !RungReaderFailed(r); ++i) {
    g->node_tag[i] = checked_tag(r, RungReaderInt(r));
    for (int a = 0; a < 3; ++a) g->x[3 * i + a] = RungReaderFinite(r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the next n things of `bytes` each are: noted, and left to the ranks. */
static PetscErrorCode plan_block(RungReader *r, PetscInt n, PetscInt bytes, RungGmshBlock block, RungGmshBlocks *blocks)
{
  PetscFunctionBegin;
  if (blocks->n == blocks->room) {
    blocks->room = 2 * blocks->room + 64;
    PetscCall(PetscRealloc((size_t)blocks->room * sizeof block, &blocks->block));
  }
  block.n     = n;
  block.place = RungReaderTell(r);
  RungReaderSkip(r, (PetscInt64)n * bytes);
  blocks->block[blocks->n++] = block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of one entity, the first of them as number `first` of the file; out *count how many. */
static PetscErrorCode read_node_block(RungReader *r, RungGmsh *g, PetscInt first, PetscInt *count)
{
  const PetscInt dim = read_dimension(r), tag = RungReaderInt(r), parametric = RungReaderInt(r),
                 n = RungReaderCount(r, RungReaderSize(r), r->binary ? 32 : 8);

  PetscFunctionBegin;
  *count = 0;
  if (parametric < 0 || parametric > 1)
    RungReaderComplain(r, "%lld where nodes are parametric (1) or not (0)", (long long)parametric);
  if (n > g->nodes - first)
    RungReaderComplain(r, "more nodes in entity %lld than $Nodes announces, %lld", (long long)tag, (long long)g->nodes);
  if (RungReaderFailed(r)) PetscFunctionReturn(PETSC_SUCCESS);
  *count = n;
  if (r->file) {
    const PetscInt numbers = 3 + (parametric ? dim : 0);

    PetscCall(plan_block(r, n, 8 * (1 + numbers), (RungGmshBlock){.dim = dim, .numbers = numbers}, &g->node_blocks));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = first; k < first + n; ++k) g->node_tag[k] = checked_tag(r, RungReaderSize(r));
  for (PetscInt k = first; k < first + n; ++k) {
    for (int a = 0; a < 3; ++a) g->x[3 * k + a] = RungReaderFinite(r);
    for (PetscInt a = 0; a < (parametric ? dim : 0); ++a) (void)RungReaderReal(r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_nodes_4(RungReader *r, RungGmsh *g)
{
  const PetscInt blocks = RungReaderCount(r, RungReaderSize(r), 8), announced = RungReaderSize(r);
  PetscInt       n = 0, more;

  PetscFunctionBegin;
  (void)RungReaderSize(r), (void)RungReaderSize(r); /* range of tags */
  PetscCall(nodes_create(r, g, announced));
  for (PetscInt b = 0; b < blocks && !RungReaderFailed(r); ++b, n += more) PetscCall(read_node_block(r, g, n, &more));
  if (n < g->nodes)
    RungReaderComplain(r, "$Nodes announces %lld nodes and has %lld", (long long)g->nodes, (long long)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungGmshType *checked_type(RungReader *r, PetscInt code)
{
  const RungGmshType *type = RungGmshTypeGet(code);

  if (!type)
    RungReaderComplain(r,
                       "elements of Gmsh type %lld; wanted lines, triangles, quadrilaterals, tetrahedra or hexahedra",
                       (long long)code);
  return RungReaderFailed(r) ? NULL : type;
}

/* The number, physical number and nodes of one element of format 2.2.  In/out room[2] for physical numbers and nodes */
static PetscErrorCode read_element_2(RungReader *r, RungGmsh *g, PetscInt code, PetscInt number, PetscInt tags,
                                     size_t room[], RungGmshElement *e)
{
  const RungGmshType *type = checked_type(r, code);

  PetscFunctionBegin;
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  *e = (RungGmshElement){.type = code, .number = number, .group = g->physicals, .node = g->element_nodes};
  for (PetscInt k = 0; k < tags && !RungReaderFailed(r); ++k) {
    const PetscInt tag = RungReaderInt(r);

    if (k || !tag) continue;
    PetscCall(add_physical(r, g, &room[0], tag));
    e->groups = 1;
  }
  PetscCall(make_room(r, g->element_nodes, type->nodes, &room[1], &g->element_node));
  for (PetscInt k = 0; k < type->nodes && !RungReaderFailed(r); ++k)
    g->element_node[g->element_nodes++] = RungReaderInt(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_2(RungReader *r, RungGmsh *g)
{
  size_t room[2] = {0, 0};

  PetscFunctionBegin;
  g->elements = RungReaderCount(r, RungReaderText(r), 8);
  if (r->binary) RungReaderSkipLine(r);
  PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt i = 0; i < g->elements && !RungReaderFailed(r);) {
    PetscInt number = r->binary ? 0 : RungReaderInt(r), code = RungReaderInt(r), n = 1, tags;

    if (r->binary) n = RungReaderCount(r, RungReaderInt(r), 8);
    tags = RungReaderCount(r, RungReaderInt(r), 2);
    if (!RungReaderFailed(r) && (n < 1 || n > g->elements - i))
      RungReaderComplain(r, "a block of %lld elements where %lld are missing", (long long)n,
                         (long long)(g->elements - i));
    for (PetscInt k = 0; k < n && !RungReaderFailed(r); ++k, ++i) {
      if (r->binary) number = RungReaderInt(r);
      PetscCall(read_element_2(r, g, code, number, tags, room, &g->element[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_elements(RungReader *r, RungGmsh *g, const Entity *entity, const RungGmshType *type,
                                    PetscInt n)
{
  const RungGmshBlock block = {.dim     = type->dim,
                               .numbers = type->nodes,
                               .type    = type->code,
                               .group   = entity ? entity->group : 0,
                               .groups  = entity ? entity->groups : 0};

  PetscFunctionBegin;
  if ((PetscInt64)n * type->nodes > PETSC_MAX_INT - g->element_nodes) {
    (void)too_many(r, PETSC_MAX_INT, 2);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  g->element_nodes += n * type->nodes;
  PetscCall(plan_block(r, n, 8 * (1 + type->nodes), block, &g->element_blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements of one entity, the first of them as number `first` of the file; out *n how many. */
static PetscErrorCode read_element_block(RungReader *r, RungGmsh *g, const Entities *entities, PetscInt first,
                                         size_t *room, PetscInt *n)
{
  const PetscInt      dim = read_dimension(r), tag = RungReaderInt(r), code = RungReaderInt(r);
  const RungGmshType *type   = checked_type(r, code);
  const Entity       *entity = find_entity(entities, dim, tag);

  PetscFunctionBegin;
  *n = RungReaderCount(r, RungReaderSize(r), r->binary ? 16 : 4);
  if (type && type->dim != dim)
    RungReaderComplain(r, "%s in entity %lld of dimension %lld", type->name, (long long)tag, (long long)dim);
  if (*n > g->elements - first)
    RungReaderComplain(r, "more elements in entity %lld than $Elements announces, %lld", (long long)tag,
                       (long long)g->elements);
  if (r->file) {
    if (!RungReaderFailed(r)) PetscCall(plan_elements(r, g, entity, type, *n));
    if (RungReaderFailed(r)) *n = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt e = first; e < first + *n && !RungReaderFailed(r); ++e) {
    PetscCall(make_room(r, g->element_nodes, type->nodes, room, &g->element_node));
    g->element[e] = (RungGmshElement){.type   = code,
                                      .number = RungReaderSize(r),
                                      .group  = entity ? entity->group : 0,
                                      .groups = entity ? entity->groups : 0,
                                      .node   = g->element_nodes};
    for (PetscInt v = 0; v < type->nodes && !RungReaderFailed(r); ++v)
      g->element_node[g->element_nodes++] = RungReaderSize(r);
  }
  if (RungReaderFailed(r)) *n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_4(RungReader *r, RungGmsh *g, const Entities *entities)
{
  const PetscInt blocks = RungReaderCount(r, RungReaderSize(r), 8), announced = RungReaderSize(r);
  PetscInt       n    = 0, more;
  size_t         room = 0;

  PetscFunctionBegin;
  (void)RungReaderSize(r), (void)RungReaderSize(r);
  g->elements = RungReaderCount(r, announced, r->binary ? 16 : 4);
  if (!r->file) PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt b = 0; b < blocks && !RungReaderFailed(r); ++b, n += more)
    PetscCall(read_element_block(r, g, entities, n, &room, &more));
  if (!RungReaderFailed(r) && n < g->elements)
    RungReaderComplain(r, "$Elements announces %lld elements and has %lld", (long long)g->elements, (long long)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_links(RungReader *r, RungGmsh *g, PetscInt n, size_t *room)
{
  PetscFunctionBegin;
  if (too_many(r, n, 2)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_room(r, 2 * g->links, 2 * n, room, &g->link));
  if (RungReaderFailed(r)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < 2 * n; ++i) g->link[2 * g->links + i] = r->four ? RungReaderSize(r) : RungReaderText(r);
  g->links += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of nodes; in format 2.2 always as text.  The affine map between them is not needed. */
static PetscErrorCode read_periodic(RungReader *r, RungGmsh *g)
{
  const PetscInt blocks = RungReaderCount(r, r->four ? RungReaderSize(r) : RungReaderText(r), 8);
  size_t         room   = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < blocks && !RungReaderFailed(r); ++b) {
    PetscInt n;

    for (int i = 0; i < 3; ++i) (void)(r->four ? RungReaderInt(r) : RungReaderText(r)); /* dimension, tags */
    if (r->four) {
      n = RungReaderCount(r, RungReaderSize(r), 2);
      for (PetscInt i = 0; i < n; ++i) (void)RungReaderReal(r);
    } else {
      RungReaderSkipSpace(r);
      if (r->end - r->p > 6 && !strncmp(r->p, "Affine", 6)) RungReaderSkipLine(r);
    }
    PetscCall(add_links(r, g, RungReaderCount(r, r->four ? RungReaderSize(r) : RungReaderText(r), 4), &room));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Leaves the reader behind "$Name" of the next section; PETSC_FALSE at the end of the file. */
static PetscBool next_section(RungReader *r, char name[], size_t size)
{
  size_t n = 0;

  RungReaderSkipSpace(r);
  (void)RungReaderAhead(r, TEXT);
  if (RungReaderFailed(r) || r->p >= r->end) return PETSC_FALSE;
  if (*r->p != '$') {
    RungReaderUnexpected(r, "a section");
    return PETSC_FALSE;
  }
  for (++r->p; r->p < r->end && !RungIsSpace(*r->p); ++r->p) {
    if (n + 1 < size) name[n++] = *r->p;
  }
  name[n] = 0;
  RungReaderSkipLine(r);
  return PETSC_TRUE;
}

/* Goes behind "$EndName"; what stands before it must have been read, unless `skip`. */
static void end_section(RungReader *r, const char name[], PetscBool skip)
{
  char   word[80];
  size_t n;

  if (RungReaderFailed(r)) return;
  (void)snprintf(word, sizeof word, "$End%s", name);
  n = strlen(word);
  if (!skip) RungReaderSkipSpace(r);
  while (skip && RungReaderAhead(r, n) && memcmp(r->p, word, n) != 0) ++r->p;
  if (RungReaderAhead(r, n) && !memcmp(r->p, word, n)) {
    r->p += n;
    return;
  }
  if (skip) r->p = r->end;
  RungReaderUnexpected(r, word);
}

/* The sections that are read, each once; all others are skipped. */
typedef enum { FORMAT, NAMES, ENTITIES, PARTED, NODES, ELEMENTS, PERIODIC, SECTIONS } Section;
static const char *const section_name[SECTIONS] = {"MeshFormat", "PhysicalNames", "Entities", "PartitionedEntities",
                                                   "Nodes",      "Elements",      "Periodic"};

/* In/out seen bit s: section s has begun */
static PetscErrorCode read_section(RungReader *r, const char name[], RungGmsh *g, Entities *entities, unsigned *seen)
{
  PetscInt s = 0;

  PetscFunctionBegin;
  while (s < SECTIONS && strcmp(name, section_name[s]) != 0) ++s;
  if (!r->four && (s == ENTITIES || s == PARTED)) s = SECTIONS;
  if (s < SECTIONS && *seen >> s & 1) RungReaderComplain(r, "a second section $%s; wanted one", name);
  if ((s == ENTITIES || s == PARTED) && *seen >> ELEMENTS & 1)
    RungReaderComplain(r, "section $%s behind $Elements; wanted in front of it, as Gmsh writes it", name);
  if (RungReaderFailed(r)) PetscFunctionReturn(PETSC_SUCCESS);
  *seen |= 1u << s;
  switch (s) {
  case FORMAT: read_format(r); break;
  case NAMES: PetscCall(read_names(r, g)); break;
  case ENTITIES:
  case PARTED: PetscCall(read_entities(r, g, s == PARTED ? PETSC_TRUE : PETSC_FALSE, entities)); break;
  case NODES: PetscCall(r->four ? read_nodes_4(r, g) : read_nodes_2(r, g)); break;
  case ELEMENTS: PetscCall(r->four ? read_elements_4(r, g, entities) : read_elements_2(r, g)); break;
  case PERIODIC: PetscCall(read_periodic(r, g)); break;
  default: break;
  }
  end_section(r, name, s == SECTIONS ? PETSC_TRUE : PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_sections(RungReader *r, RungGmsh *g)
{
  char     name[64] = "";
  Entities entities = {0};
  unsigned seen     = 0;

  PetscFunctionBegin;
  r->section = name;
  while (next_section(r, name, sizeof name)) {
    if (!(seen >> FORMAT & 1) && strcmp(name, section_name[FORMAT]) != 0 && strcmp(name, "Comments") != 0) break;
    PetscCall(read_section(r, name, g, &entities, &seen));
  }
  if (!(seen >> FORMAT & 1)) { /* whatever else went wrong, this is not for us */
    r->finding->text[0] = 0;
    RungFound(r->finding,
              "mesh file %s: this is not a Gmsh file, or one of format 1: it does not begin with $MeshFormat", r->path);
  }
  for (int s = NODES; s <= ELEMENTS; ++s) {
    if (!(seen >> s & 1))
      RungFound(r->finding, "mesh file %s: no section $%s; the file is truncated or holds no mesh", r->path,
                section_name[s]);
  }
  PetscCall(PetscFree(entities.entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGmshRead(const char path[], RungGmsh *gmsh, RungFinding *finding)
{
  RungReader r = {.path = path, .section = "", .finding = finding};

  PetscFunctionBegin;
  PetscCall(RungReaderLoad(&r));
  if (!RungReaderFailed(&r)) PetscCall(read_sections(&r, gmsh));
  PetscCall(RungReaderClose(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGmshPlan(RungReader *r, RungGmsh *gmsh)
{
  PetscFunctionBegin;
  PetscCall(read_sections(r, gmsh));
  r->section = ""; /* that of the last one is gone */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGmshDestroy(RungGmsh *gmsh)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < gmsh->names; ++i) PetscCall(PetscFree(gmsh->name[i].text));
  PetscCall(PetscFree(gmsh->name));
  PetscCall(PetscFree(gmsh->node_tag));
  PetscCall(PetscFree(gmsh->x));
  PetscCall(PetscFree(gmsh->element));
  PetscCall(PetscFree(gmsh->element_node));
  PetscCall(PetscFree(gmsh->physical));
  PetscCall(PetscFree(gmsh->link));
  PetscCall(PetscFree(gmsh->node_blocks.block));
  PetscCall(PetscFree(gmsh->element_blocks.block));
  PetscFunctionReturn(PETSC_SUCCESS);
}
