/* mesh_gmsh.c - reads a Gmsh file into tables, complaining about everything that is not as the format wants it.

   The grammar is that of "MSH file format" in the Gmsh reference manual: sections $Name .. $EndName; format 2.2 lists
   nodes and elements one by one, each element with its physical number; format 4.1 lists them in blocks by geometric
   entity, and $Entities says which physical numbers an entity has.  In binary files the numbers are those of memory,
   4 bytes for an int, 8 for a size or a real, and the first int, 1, tells the byte order. */
#include "fe_impl.h"
#include <errno.h>
#include <stdarg.h>

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

/* ---- numbers and words ------------------------------------------------------------------------------------------ */

typedef struct {
  const char  *path, *section; /* lent, for messages                                   */
  char        *begin;          /* owned, the file and a 0                              */
  const char  *p, *end;        /* what is next, and the 0                              */
  PetscBool    four;           /* format 4.1, else 2.2                                 */
  PetscBool    binary, swap;   /* numbers as in memory; of the other byte order        */
  RungFinding *finding;        /* the first complaint stays, and nothing more is read  */
} Reader;

static PetscBool failed(const Reader *r)
{
  return r->finding->text[0] ? PETSC_TRUE : PETSC_FALSE;
}

static void complain(Reader *r, const char format[], ...)
{
  char    text[512];
  long    line = 1;
  va_list arguments;

  if (failed(r)) return;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (const char *q = r->begin; q < r->p; ++q) line += *q == '\n';
  if (r->binary)
    (void)snprintf(r->finding->text, sizeof r->finding->text, "mesh file %s: %s", r->path, text);
  else
    (void)snprintf(r->finding->text, sizeof r->finding->text, "mesh file %s, line %ld: %s", r->path, line, text);
}

static PetscBool is_space(char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' ? PETSC_TRUE : PETSC_FALSE;
}

static void skip_space(Reader *r)
{
  while (r->p < r->end && is_space(*r->p)) ++r->p;
}

/* What stands where something else should: the word, cut and made printable. */
static void unexpected(Reader *r, const char wanted[])
{
  char word[32];
  int  n = 0;

  skip_space(r);
  if (r->p >= r->end) {
    complain(r, "the file ends in section $%s where %s should be; it is truncated", r->section, wanted);
    return;
  }
  for (; n < 24 && r->p + n < r->end && !is_space(r->p[n]); ++n)
    word[n] = r->p[n] > ' ' && r->p[n] < 127 ? r->p[n] : '?';
  word[n] = 0;
  complain(r, "found \"%s\" in section $%s, wanted %s", word, r->section, wanted);
}

static void get_bytes(Reader *r, size_t n, void *value)
{
  memset(value, 0, n);
  if (failed(r)) return;
  if ((size_t)(r->end - r->p) < n) {
    r->p = r->end;
    unexpected(r, "a number");
    return;
  }
  for (size_t i = 0; i < n; ++i) ((char *)value)[i] = r->p[r->swap ? n - 1 - i : i];
  r->p += n;
}

static PetscInt to_int(Reader *r, long long v)
{
  if (v > (long long)PETSC_MAX_INT || v < (long long)PETSC_MIN_INT) {
    complain(r, "%lld in section $%s is more than this PETSc can count", v, r->section);
    return 0;
  }
  return (PetscInt)v;
}

static PetscInt text_int(Reader *r)
{
  char     *after;
  long long v;

  if (failed(r)) return 0;
  v = strtoll(r->p, &after, 10);
  if (after == r->p || (after < r->end && !is_space(*after))) {
    unexpected(r, "a whole number");
    return 0;
  }
  r->p = after;
  return to_int(r, v);
}

static PetscInt get_int(Reader *r)
{
  int32_t v;

  if (!r->binary) return text_int(r);
  get_bytes(r, sizeof v, &v);
  return (PetscInt)v;
}

static PetscInt get_size(Reader *r)
{
  int64_t v;

  if (!r->binary) return text_int(r);
  get_bytes(r, sizeof v, &v);
  return to_int(r, v);
}

static PetscReal get_real(Reader *r)
{
  double v = 0;
  char  *after;

  if (r->binary) {
    get_bytes(r, sizeof v, &v);
  } else if (!failed(r)) {
    v = strtod(r->p, &after);
    if (after == r->p || (after < r->end && !is_space(*after))) unexpected(r, "a number");
    r->p = after;
  }
  return (PetscReal)v;
}

/* A number of things that follow, at least `least` bytes each: no memory is asked for what cannot be there. */
static PetscInt checked_count(Reader *r, PetscInt n, PetscInt least)
{
  if (failed(r)) return 0;
  if (n < 0)
    complain(r, "section $%s announces %lld entries", r->section, (long long)n);
  else if ((double)n * (double)least > (double)(r->end - r->p) + 1) {
    complain(r, "section $%s announces %lld entries but the file has %lld bytes left; it is truncated", r->section,
             (long long)n, (long long)(r->end - r->p));
  }
  return failed(r) ? 0 : n;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

static void read_format(Reader *r)
{
  const double version = strtod(r->p, (char **)&r->p);
  PetscInt     kind, size, one;

  kind = text_int(r);
  size = text_int(r);
  if (failed(r)) return;
  r->four = version > 4.05 && version < 4.15 ? PETSC_TRUE : PETSC_FALSE;
  if (!r->four && !(version > 1.95 && version < 2.25)) {
    complain(r, "Gmsh format %g; wanted 2.2 or 4.1; save it with gmsh -save -format msh41", version);
  } else if (kind < 0 || kind > 1 || size != 8) {
    complain(r, "file type %d and data size %d; wanted 0 (text) or 1 (binary), and 8", (int)kind, (int)size);
  }
  if (failed(r) || !kind) return;
  while (r->p < r->end && *r->p != '\n') ++r->p;
  ++r->p;
  r->binary = PETSC_TRUE;
  one       = get_int(r);
  if (!failed(r) && one != 1) {
    r->p -= 4;
    r->swap = PETSC_TRUE;
    if (get_int(r) != 1) complain(r, "a binary file that does not begin with the number 1: the byte order is unknown");
  }
}

static PetscErrorCode read_names(Reader *r, RungGmsh *g)
{
  PetscInt n = checked_count(r, text_int(r), 6);

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &g->name));
  g->names = n;
  for (PetscInt i = 0; i < n && !failed(r); ++i) {
    const char *close;

    g->name[i].dim    = text_int(r);
    g->name[i].number = text_int(r);
    skip_space(r);
    close = *r->p == '"' ? (const char *)memchr(r->p + 1, '"', (size_t)(r->end - r->p - 1)) : NULL;
    if (failed(r) || !close) {
      unexpected(r, "a name in quotes");
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
  PetscInt n, last; /* last: where the latest search ended; blocks come in the same order */
  Entity  *entity;  /* owned */
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

static PetscErrorCode read_entity(Reader *r, RungGmsh *g, PetscInt *room, PetscInt dim, Entity *e)
{
  PetscInt n;

  PetscFunctionBegin;
  e->dim   = dim;
  e->tag   = get_int(r);
  e->group = g->physicals;
  for (int i = 0; i < (dim ? 6 : 3); ++i) (void)get_real(r);
  n = checked_count(r, get_size(r), 2);
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt number = get_int(r); /* its sign is an orientation */

    PetscCall(add_physical(g, room, PetscAbsInt(number)));
  }
  e->groups = n;
  n         = dim ? checked_count(r, get_size(r), 2) : 0;
  for (PetscInt i = 0; i < n; ++i) (void)get_int(r); /* bounding entities */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entities(Reader *r, RungGmsh *g, Entities *entities)
{
  PetscInt n[4], total = 0, room = 0;

  PetscFunctionBegin;
  for (int d = 0; d < 4; ++d) total += n[d] = checked_count(r, get_size(r), 8);
  PetscCall(PetscCalloc1(total, &entities->entity));
  for (PetscInt d = 0; d < 4; ++d) {
    for (PetscInt i = 0; i < n[d] && !failed(r); ++i) {
      PetscCall(read_entity(r, g, &room, d, &entities->entity[entities->n++]));
    }
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

static PetscErrorCode read_nodes_2(Reader *r, RungGmsh *g)
{
  PetscFunctionBegin;
  g->nodes = checked_count(r, text_int(r), 8);
  if (r->binary) ++r->p; /* the end of the line */
  PetscCall(PetscMalloc1(g->nodes, &g->node_tag));
  PetscCall(PetscMalloc1(3 * g->nodes, &g->x));
  for (PetscInt i = 0; i < g->nodes && !failed(r); ++i) {
    g->node_tag[i] = get_int(r);
    for (int a = 0; a < 3; ++a) g->x[3 * i + a] = get_real(r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_nodes_4(Reader *r, RungGmsh *g)
{
  const PetscInt blocks = get_size(r), announced = get_size(r);

  PetscFunctionBegin;
  (void)get_size(r), (void)get_size(r); /* range of tags */
  g->nodes = checked_count(r, announced, 8);
  PetscCall(PetscMalloc1(g->nodes, &g->node_tag));
  PetscCall(PetscMalloc1(3 * g->nodes, &g->x));
  for (PetscInt b = 0, i = 0; b < blocks && !failed(r); ++b) {
    const PetscInt dim = get_int(r), tag = get_int(r), parametric = get_int(r), n = checked_count(r, get_size(r), 8);

    if (!failed(r) && i + n > g->nodes) complain(r, "more nodes in entity %d than $Nodes announces", (int)tag);
    for (PetscInt k = 0; k < n && !failed(r); ++k) g->node_tag[i + k] = get_size(r);
    for (PetscInt k = 0; k < n && !failed(r); ++k, ++i) {
      for (int a = 0; a < 3; ++a) g->x[3 * i + a] = get_real(r);
      for (PetscInt a = 0; a < (parametric ? dim : 0); ++a) (void)get_real(r);
    }
    if (b == blocks - 1 && !failed(r) && i < g->nodes) {
      complain(r, "$Nodes announces %d nodes and has %d", (int)g->nodes, (int)i);
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

static const RungGmshType *checked_type(Reader *r, PetscInt code)
{
  const RungGmshType *type = RungGmshTypeGet(code);

  if (!type)
    complain(r, "elements of Gmsh type %d; wanted lines, triangles, quadrilaterals, tetrahedra or hexahedra",
             (int)code);
  return failed(r) ? NULL : type;
}

/* The number, physical number and nodes of one element of format 2.2. */
static PetscErrorCode read_element_2(Reader *r, RungGmsh *g, PetscInt code, PetscInt number, PetscInt tags,
                                     PetscInt *rooms, RungGmshElement *e)
{
  const RungGmshType *type = checked_type(r, code);

  PetscFunctionBegin;
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  *e = (RungGmshElement){.type = code, .number = number, .group = g->physicals, .node = g->element_nodes};
  for (PetscInt k = 0; k < tags && !failed(r); ++k) {
    const PetscInt tag = get_int(r);

    if (k || !tag) continue;
    PetscCall(add_physical(g, &rooms[0], PetscAbsInt(tag)));
    e->groups = 1;
  }
  PetscCall(need_element_nodes(g, type->nodes, &rooms[1]));
  for (PetscInt k = 0; k < type->nodes; ++k) g->element_node[g->element_nodes++] = get_int(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_2(Reader *r, RungGmsh *g)
{
  PetscInt rooms[2] = {0, 0};

  PetscFunctionBegin;
  g->elements = checked_count(r, text_int(r), 8);
  if (r->binary) ++r->p;
  PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt i = 0; i < g->elements && !failed(r);) {
    PetscInt number = r->binary ? 0 : get_int(r), code = get_int(r), n = 1, tags;

    if (r->binary) n = checked_count(r, get_int(r), 8);
    tags = checked_count(r, get_int(r), 2);
    if (!failed(r) && (n < 1 || i + n > g->elements))
      complain(r, "a block of %d elements where %d are missing", (int)n, (int)(g->elements - i));
    for (PetscInt k = 0; k < n && !failed(r); ++k, ++i) {
      if (r->binary) number = get_int(r);
      PetscCall(read_element_2(r, g, code, number, tags, rooms, &g->element[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements_4(Reader *r, RungGmsh *g, Entities *entities)
{
  const PetscInt blocks = get_size(r), announced = get_size(r);
  PetscInt       i = 0, room = 0;

  PetscFunctionBegin;
  (void)get_size(r), (void)get_size(r);
  g->elements = checked_count(r, announced, 4);
  PetscCall(PetscMalloc1(g->elements, &g->element));
  for (PetscInt b = 0; b < blocks && !failed(r); ++b) {
    const PetscInt      dim = get_int(r), tag = get_int(r), code = get_int(r), n = checked_count(r, get_size(r), 4);
    const RungGmshType *type   = checked_type(r, code);
    const Entity       *entity = find_entity(entities, dim, tag);

    if (failed(r) || !type) break;
    if (i + n > g->elements) complain(r, "more elements in entity %d than $Elements announces", (int)tag);
    for (PetscInt k = 0; k < n && !failed(r); ++k, ++i) {
      PetscCall(need_element_nodes(g, type->nodes, &room));
      g->element[i] = (RungGmshElement){.type   = code,
                                        .number = get_size(r),
                                        .group  = entity ? entity->group : 0,
                                        .groups = entity ? entity->groups : 0,
                                        .node   = g->element_nodes};
      for (PetscInt v = 0; v < type->nodes; ++v) g->element_node[g->element_nodes++] = get_size(r);
    }
  }
  if (!failed(r) && i < g->elements)
    complain(r, "$Elements announces %d elements and has %d", (int)g->elements, (int)i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Leaves the reader behind "$Name" of the next section; PETSC_FALSE at the end of the file. */
static PetscBool next_section(Reader *r, char name[], size_t size)
{
  size_t n = 0;

  skip_space(r);
  if (failed(r) || r->p >= r->end) return PETSC_FALSE;
  if (*r->p != '$') {
    unexpected(r, "a section");
    return PETSC_FALSE;
  }
  for (++r->p; r->p < r->end && !is_space(*r->p); ++r->p) {
    if (n + 1 < size) name[n++] = *r->p;
  }
  name[n] = 0;
  while (r->p < r->end && *r->p != '\n') ++r->p;
  if (r->p < r->end) ++r->p;
  return PETSC_TRUE;
}

/* Goes behind "$EndName"; what stands before it must have been read, unless `skip`. */
static void end_section(Reader *r, const char name[], PetscBool skip)
{
  char   word[80];
  size_t n;

  if (failed(r)) return;
  (void)snprintf(word, sizeof word, "$End%s", name);
  n = strlen(word);
  if (!skip) skip_space(r);
  while (skip && (size_t)(r->end - r->p) >= n && memcmp(r->p, word, n) != 0) ++r->p;
  if ((size_t)(r->end - r->p) >= n && !memcmp(r->p, word, n)) {
    r->p += n;
    return;
  }
  if (skip) r->p = r->end;
  unexpected(r, word);
}

static PetscErrorCode read_section(Reader *r, const char name[], RungGmsh *g, Entities *entities)
{
  PetscBool skip = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(name, "MeshFormat"))
    read_format(r);
  else if (!strcmp(name, "PhysicalNames") && !g->name)
    PetscCall(read_names(r, g));
  else if (!strcmp(name, "Entities") && r->four && !entities->entity)
    PetscCall(read_entities(r, g, entities));
  else if (!strcmp(name, "Nodes") && !g->node_tag)
    PetscCall(r->four ? read_nodes_4(r, g) : read_nodes_2(r, g));
  else if (!strcmp(name, "Elements") && !g->element) {
    PetscCall(r->four ? read_elements_4(r, g, entities) : read_elements_2(r, g));
  } else if (!strcmp(name, "PartitionedEntities")) {
    complain(r, "a mesh that Gmsh has partitioned; save it in one part, Rung cuts it itself");
  } else {
    skip = PETSC_TRUE;
  }
  end_section(r, name, skip);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_sections(Reader *r, RungGmsh *g)
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
    complain(r, "this is not a Gmsh file, or one of format 1: it does not begin with $MeshFormat");
  }
  if (!g->node_tag) complain(r, "no section $Nodes; the file is truncated or holds no mesh");
  if (!g->element) complain(r, "no section $Elements; the file is truncated or holds no mesh");
  PetscCall(PetscFree(entities.entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole file in memory and a 0 behind it. */
static PetscErrorCode load(Reader *r)
{
  FILE  *file = fopen(r->path, "rb");
  size_t n = 0, room = 1 << 16, got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(room, &r->begin));
  while (file && (got = fread(r->begin + n, 1, room - n - 1, file)) > 0) {
    n += got;
    if (n + 1 < room) continue;
    room *= 2;
    PetscCall(PetscRealloc(room, &r->begin));
  }
  if (!file || ferror(file)) {
    RungFound(r->finding, "mesh file %s cannot be read: %s", r->path, strerror(errno));
  } else if (!n) {
    RungFound(r->finding, "mesh file %s is empty", r->path);
  }
  if (file) (void)fclose(file);
  r->begin[n] = 0;
  r->p        = r->begin;
  r->end      = r->begin + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGmshRead(const char path[], RungGmsh *gmsh, RungFinding *finding)
{
  Reader r = {.path = path, .section = "", .finding = finding};

  PetscFunctionBegin;
  PetscCall(load(&r));
  if (!failed(&r)) PetscCall(read_sections(&r, gmsh));
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
  PetscFunctionReturn(PETSC_SUCCESS);
}
