/* mesh_gmsh.c - reads a Gmsh file into tables, complaining about everything that is not as the format wants it.

   The grammar is that of "MSH file format" in the Gmsh reference manual: sections $Name .. $EndName; format 2.2 lists
   nodes and elements one by one, each element with its physical number; format 4.1 lists them in blocks by geometric
   entity, and $Entities says which physical numbers an entity has.  In binary files the numbers are those of memory,
   4 bytes for an int, 8 for a size or a real, and the first int, 1, tells the byte order. */
#include "fe_impl.h"

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
  if (RungReaderFailed(r) || !kind) return;
  while (r->p < r->end && *r->p != '\n') ++r->p;
  ++r->p;
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

    g->name[i].dim    = RungReaderText(r);
    g->name[i].number = RungReaderText(r);
    RungReaderSkipSpace(r);
    close = *r->p == '"' ? (const char *)memchr(r->p + 1, '"', (size_t)(r->end - r->p - 1)) : NULL;
    if (RungReaderFailed(r) || !close) {
      RungReaderUnexpected(r, "a name in quotes");
      break;
    }
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
  PetscInt n, last;  /* last: where the latest search ended; blocks come in the same order */
  Entity  *entity;   /* owned */
  PetscInt sections; /* that were read: bit 0 of entities, bit 1 of those of a mesh in parts */
  PetscInt room;     /* for physical numbers */
} Entities;

static PetscErrorCode add_physical(RungGmsh *g, PetscInt *room, PetscInt number)
{
  PetscFunctionBegin;
  if (g->physicals == *room) {
    *room = PetscMax(64, 2 * *room);
    PetscCall(PetscRealloc((size_t)*room * sizeof *g->physical, &g->physical));
  }
  g->physical[g->physicals++] = number;
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
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt number = RungReaderInt(r); /* its sign is an orientation */

    PetscCall(add_physical(g, &entities->room, PetscAbsInt(number)));
  }
  e->groups = n;
  n         = dim ? RungReaderCount(r, RungReaderSize(r), 2) : 0;
  for (PetscInt i = 0; i < n; ++i) (void)RungReaderInt(r); /* bounding entities */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entities, or behind how many parts and ghosts there are the entities of a mesh that Gmsh has cut: Rung cuts it anew. */
static PetscErrorCode read_entities(RungReader *r, RungGmsh *g, PetscBool parted, Entities *entities)
{
  PetscInt n[4], total = entities->n;

  PetscFunctionBegin;
  if (parted) {
    (void)RungReaderSize(r); /* parts */
    n[0] = RungReaderCount(r, RungReaderSize(r), 4);
    for (PetscInt i = 0; i < 2 * n[0]; ++i) (void)RungReaderInt(r); /* a ghost and its part */
  }
  for (int d = 0; d < 4; ++d) total += n[d] = RungReaderCount(r, RungReaderSize(r), 8);
  PetscCall(PetscRealloc((size_t)(total + 1) * sizeof *entities->entity, &entities->entity));
  for (PetscInt d = 0; d < 4; ++d) {
    for (PetscInt i = 0; i < n[d] && !RungReaderFailed(r); ++i)
      PetscCall(read_entity(r, g, d, parted, entities, &entities->entity[entities->n++]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Entity *find_entity(Entities *entities, PetscInt dim, PetscInt tag)
{
  for (PetscInt i = 0; i < entities->n; ++i) {
    const PetscInt k = (entities->last + i) % entities->n;

    if (entities->entity[k].dim == dim && entities->entity[k].tag == tag) {
      entities->last = k;
      return &entities->entity[k];
    }
  }
  return NULL;
}

static PetscErrorCode read_nodes_2(RungReader *r, RungGmsh *g)
{
  PetscFunctionBegin;
  g->nodes = RungReaderCount(r, RungReaderText(r), 8);
  if (r->binary) ++r->p; /* the end of the line */
  PetscCall(PetscMalloc1(g->nodes, &g->node_tag));
  PetscCall(PetscMalloc1(3 * g->nodes, &g->x));
  for (PetscInt i = 0; i < g->nodes && !RungReaderFailed(r); ++i) {
    g->node_tag[i] = RungReaderInt(r);
    for (int a = 0; a < 3; ++a) g->x[3 * i + a] = RungReaderReal(r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_nodes_4(RungReader *r, RungGmsh *g)
{
  const PetscInt blocks = RungReaderSize(r), announced = RungReaderSize(r);

  PetscFunctionBegin;
  (void)RungReaderSize(r), (void)RungReaderSize(r); /* range of tags */
  g->nodes = RungReaderCount(r, announced, 8);
  PetscCall(PetscMalloc1(g->nodes, &g->node_tag));
  PetscCall(PetscMalloc1(3 * g->nodes, &g->x));
  for (PetscInt b = 0, i = 0; b < blocks && !RungReaderFailed(r); ++b) {
    const PetscInt dim = RungReaderInt(r), tag = RungReaderInt(r), parametric = RungReaderInt(r),
                   n = RungReaderCount(r, RungReaderSize(r), 8);

    if (!RungReaderFailed(r) && i + n > g->nodes)
      RungReaderComplain(r, "more nodes in entity %d than $Nodes announces", (int)tag);
    for (PetscInt k = 0; k < n && !RungReaderFailed(r); ++k) g->node_tag[i + k] = RungReaderSize(r);
    for (PetscInt k = 0; k < n && !RungReaderFailed(r); ++k, ++i) {
      for (int a = 0; a < 3; ++a) g->x[3 * i + a] = RungReaderReal(r);
      for (PetscInt a = 0; a < (parametric ? dim : 0); ++a) (void)RungReaderReal(r);
    }
    if (b == blocks - 1 && !RungReaderFailed(r) && i < g->nodes) {
      RungReaderComplain(r, "$Nodes announces %d nodes and has %d", (int)g->nodes, (int)i);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes room for n more numbers in element_node. */
static PetscErrorCode need_element_nodes(RungGmsh *g, PetscInt n, PetscInt *room)
{
  PetscFunctionBegin;
  if (g->element_nodes + n > *room) {
    *room = PetscMax(2 * *room, g->element_nodes + n + 1024);
    PetscCall(PetscRealloc((size_t)*room * sizeof *g->element_node, &g->element_node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungGmshType *checked_type(RungReader *r, PetscInt code)
{
  const RungGmshType *type = RungGmshTypeGet(code);

  if (!type)
    RungReaderComplain(r, "elements of Gmsh type %d; wanted lines, triangles, quadrilaterals, tetrahedra or hexahedra",
                       (int)code);
  return RungReaderFailed(r) ? NULL : type;
}

/* The number, physical number and nodes of one element of format 2.2. */
static PetscErrorCode read_element_2(RungReader *r, RungGmsh *g, PetscInt code, PetscInt number, PetscInt tags,
                                     PetscInt *rooms, RungGmshElement *e)
{
  const RungGmshType *type = checked_type(r, code);

  PetscFunctionBegin;
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  *e = (RungGmshElement){.type = code, .number = number, .group = g->physicals, .node = g->element_nodes};
  for (PetscInt k = 0; k < tags && !RungReaderFailed(r); ++k) {
    const PetscInt tag = RungReaderInt(r);

    if (k || !tag) continue;
    PetscCall(add_physical(g, &rooms[0], PetscAbsInt(tag)));
    e->groups = 1;
  }
  PetscCall(need_element_nodes(g, type->nodes, &rooms[1]));
  for (PetscInt k = 0; k < type->nodes; ++k) g->element_node[g->element_nodes++] = RungReaderInt(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_2(RungReader *r, RungGmsh *g)
{
  PetscInt rooms[2] = {0, 0};

  PetscFunctionBegin;
  g->elements = RungReaderCount(r, RungReaderText(r), 8);
  if (r->binary) ++r->p;
  PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt i = 0; i < g->elements && !RungReaderFailed(r);) {
    PetscInt number = r->binary ? 0 : RungReaderInt(r), code = RungReaderInt(r), n = 1, tags;

    if (r->binary) n = RungReaderCount(r, RungReaderInt(r), 8);
    tags = RungReaderCount(r, RungReaderInt(r), 2);
    if (!RungReaderFailed(r) && (n < 1 || i + n > g->elements))
      RungReaderComplain(r, "a block of %d elements where %d are missing", (int)n, (int)(g->elements - i));
    for (PetscInt k = 0; k < n && !RungReaderFailed(r); ++k, ++i) {
      if (r->binary) number = RungReaderInt(r);
      PetscCall(read_element_2(r, g, code, number, tags, rooms, &g->element[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_4(RungReader *r, RungGmsh *g, Entities *entities)
{
  const PetscInt blocks = RungReaderSize(r), announced = RungReaderSize(r);
  PetscInt       i = 0, room = 0;

  PetscFunctionBegin;
  (void)RungReaderSize(r), (void)RungReaderSize(r);
  g->elements = RungReaderCount(r, announced, 4);
  PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt b = 0; b < blocks && !RungReaderFailed(r); ++b) {
    const PetscInt dim = RungReaderInt(r), tag = RungReaderInt(r), code = RungReaderInt(r),
                   n           = RungReaderCount(r, RungReaderSize(r), 4);
    const RungGmshType *type   = checked_type(r, code);
    const Entity       *entity = find_entity(entities, dim, tag);

    if (RungReaderFailed(r) || !type) break;
    if (i + n > g->elements) RungReaderComplain(r, "more elements in entity %d than $Elements announces", (int)tag);
    for (PetscInt k = 0; k < n && !RungReaderFailed(r); ++k, ++i) {
      PetscCall(need_element_nodes(g, type->nodes, &room));
      g->element[i] = (RungGmshElement){.type   = code,
                                        .number = RungReaderSize(r),
                                        .group  = entity ? entity->group : 0,
                                        .groups = entity ? entity->groups : 0,
                                        .node   = g->element_nodes};
      for (PetscInt v = 0; v < type->nodes; ++v) g->element_node[g->element_nodes++] = RungReaderSize(r);
    }
  }
  if (!RungReaderFailed(r) && i < g->elements)
    RungReaderComplain(r, "$Elements announces %d elements and has %d", (int)g->elements, (int)i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Leaves the reader behind "$Name" of the next section; PETSC_FALSE at the end of the file. */
static PetscBool next_section(RungReader *r, char name[], size_t size)
{
  size_t n = 0;

  RungReaderSkipSpace(r);
  if (RungReaderFailed(r) || r->p >= r->end) return PETSC_FALSE;
  if (*r->p != '$') {
    RungReaderUnexpected(r, "a section");
    return PETSC_FALSE;
  }
  for (++r->p; r->p < r->end && !RungIsSpace(*r->p); ++r->p) {
    if (n + 1 < size) name[n++] = *r->p;
  }
  name[n] = 0;
  while (r->p < r->end && *r->p != '\n') ++r->p;
  if (r->p < r->end) ++r->p;
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
  while (skip && (size_t)(r->end - r->p) >= n && memcmp(r->p, word, n) != 0) ++r->p;
  if ((size_t)(r->end - r->p) >= n && !memcmp(r->p, word, n)) {
    r->p += n;
    return;
  }
  if (skip) r->p = r->end;
  RungReaderUnexpected(r, word);
}

static PetscErrorCode add_links(RungReader *r, RungGmsh *g, PetscInt n)
{
  PetscFunctionBegin;
  if (RungReaderFailed(r)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc((size_t)(g->links + n + 1) * 2 * sizeof *g->link, &g->link));
  for (PetscInt i = 0; i < 2 * n; ++i) g->link[2 * g->links + i] = r->four ? RungReaderSize(r) : RungReaderText(r);
  g->links += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of nodes; in format 2.2 always as text.  The affine map between them is not needed. */
static PetscErrorCode read_periodic(RungReader *r, RungGmsh *g)
{
  const PetscInt blocks = r->four ? RungReaderSize(r) : RungReaderText(r);

  PetscFunctionBegin;
  for (PetscInt b = 0; b < blocks && !RungReaderFailed(r); ++b) {
    PetscInt n;

    for (int i = 0; i < 3; ++i) (void)(r->four ? RungReaderInt(r) : RungReaderText(r)); /* dimension, tags */
    if (r->four) {
      n = RungReaderCount(r, RungReaderSize(r), 2);
      for (PetscInt i = 0; i < n; ++i) (void)RungReaderReal(r);
    } else {
      RungReaderSkipSpace(r);
      if (r->end - r->p > 6 && !strncmp(r->p, "Affine", 6))
        while (r->p < r->end && *r->p != '\n') ++r->p;
    }
    PetscCall(add_links(r, g, RungReaderCount(r, r->four ? RungReaderSize(r) : RungReaderText(r), 4)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_section(RungReader *r, const char name[], RungGmsh *g, Entities *entities)
{
  PetscBool skip = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(name, "MeshFormat"))
    read_format(r);
  else if (!strcmp(name, "PhysicalNames") && !g->name)
    PetscCall(read_names(r, g));
  else if (!strcmp(name, "Entities") && r->four && !(entities->sections & 1)) {
    entities->sections |= 1;
    PetscCall(read_entities(r, g, PETSC_FALSE, entities));
  } else if (!strcmp(name, "PartitionedEntities") && r->four && !(entities->sections & 2)) {
    entities->sections |= 2;
    PetscCall(read_entities(r, g, PETSC_TRUE, entities));
  } else if (!strcmp(name, "Nodes") && !g->node_tag)
    PetscCall(r->four ? read_nodes_4(r, g) : read_nodes_2(r, g));
  else if (!strcmp(name, "Periodic"))
    PetscCall(read_periodic(r, g));
  else if (!strcmp(name, "Elements") && !g->element) {
    PetscCall(r->four ? read_elements_4(r, g, entities) : read_elements_2(r, g));
  } else {
    skip = PETSC_TRUE;
  }
  end_section(r, name, skip);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_sections(RungReader *r, RungGmsh *g)
{
  char      name[64] = "";
  Entities  entities = {0};
  PetscBool format   = PETSC_FALSE;

  PetscFunctionBegin;
  r->section = name;
  while (next_section(r, name, sizeof name)) {
    if (!strcmp(name, "MeshFormat"))
      format = PETSC_TRUE;
    else if (!format && strcmp(name, "Comments") != 0)
      break;
    PetscCall(read_section(r, name, g, &entities));
  }
  if (!format) { /* whatever else went wrong, this is not for us */
    r->finding->text[0] = 0;
    r->binary           = PETSC_TRUE;
    RungReaderComplain(r, "this is not a Gmsh file, or one of format 1: it does not begin with $MeshFormat");
  }
  if (!g->node_tag) RungReaderComplain(r, "no section $Nodes; the file is truncated or holds no mesh");
  if (!g->element) RungReaderComplain(r, "no section $Elements; the file is truncated or holds no mesh");
  PetscCall(PetscFree(entities.entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGmshRead(const char path[], RungGmsh *gmsh, RungFinding *finding)
{
  RungReader r = {.path = path, .section = "", .finding = finding};

  PetscFunctionBegin;
  PetscCall(RungReaderLoad(&r));
  if (!RungReaderFailed(&r)) PetscCall(read_sections(&r, gmsh));
  PetscCall(PetscFree(r.begin));
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
  PetscFunctionReturn(PETSC_SUCCESS);
}
