/* space.c - "P2^d" -> element, shape and nodes; the nodes of a named part of the boundary.

       spec   = family degree [ "+B" ] [ "^" shape ]       family = "P" | "Q" | "DP" | "DQ"  degree = number
                                                         | "CG" | "DG"
                                                         | "Quad"                   degree = "(" number ")"
                                                         | "R"                      degree = nothing
       shape  = extent [ "x" extent ]             extent = number | "d"                                            */
#include <rungown_room.h>
#include "fe_space_impl.h"
#include <ctype.h>
#include <rungtext_room.h>

typedef struct {
  MPI_Comm    comm;
  const char *text;   /* the whole spec */
  const char *at;     /* what is left   */
  PetscInt    dim;    /* what "d" means */
  PetscBool   box;    /* what "CG" means: "Q" or "P" */
  PetscBool   points; /* a mesh of points: CG of any degree is the value there, P0 */
} Reader;

/* A number of at most six digits. */
static PetscErrorCode read_number(Reader *r, const char what[], PetscInt *number)
{
  int digits = 0;

  PetscFunctionBegin;
  *number = 0;
  for (; isdigit((unsigned char)*r->at); ++r->at, ++digits)
    if (digits < 6) *number = 10 * *number + (*r->at - '0');
  PetscCheck(digits > 0, r->comm, PETSC_ERR_ARG_WRONG,
             "space \"%s\": the %s is missing; wanted family, degree and shape, as in \"P1\", \"P2^d\", \"DQ1^3x3\" or "
             "\"Quad(2)\"",
             r->text, what);
  PetscCheck(digits <= 6, r->comm, PETSC_ERR_ARG_OUTOFRANGE, "space \"%s\": the %s is too large", r->text, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_family(Reader *r, const char **family, PetscInt *degree)
{
  char      word[32] = "";
  PetscBool points, own;

  PetscFunctionBegin;
  for (size_t n = 0; isalpha((unsigned char)*r->at); ++r->at)
    if (n + 1 < sizeof word) word[n++] = *r->at;
  own = (PetscBool)(!strcmp(word, "CG") || !strcmp(word, "DG"));
  if (!strcmp(word, "CG")) strcpy(word, r->box ? "Q" : "P");
  if (!strcmp(word, "DG")) strcpy(word, r->box ? "DQ" : "DP");
  PetscCall(RungElementFindFamily(r->comm, r->text, word, family));
  PetscCall(PetscStrcmp(*family, "Quad", &points));
  PetscCheck((*r->at == '(') == points, r->comm, PETSC_ERR_ARG_WRONG,
             "space \"%s\": the degree of %s is written %s parentheses, as in \"%s%s\"", r->text, *family,
             points ? "in" : "without", *family, points ? "(2)" : "2");
  if (points) ++r->at;
  if (!strcmp(*family, "R")) {
    *degree = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(read_number(r, "degree", degree));
  if (r->at[0] == '+' && r->at[1] == 'B') {
    PetscCall(RungTextAppend(word, "+B", sizeof word));
    PetscCall(RungElementFindFamily(r->comm, r->text, word, family));
    r->at += 2;
  }
  if (own && r->points) *degree = 0;
  PetscCheck(!points || *r->at == ')', r->comm, PETSC_ERR_ARG_WRONG,
             "space \"%s\": \")\" is missing after the degree; wanted \"Quad(%" PetscInt_FMT ")\"", r->text, *degree);
  if (points) ++r->at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_extent(Reader *r, PetscInt *extent)
{
  PetscFunctionBegin;
  if (*r->at == 'd') {
    ++r->at;
    *extent = r->dim;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(read_number(r, "shape after \"^\"", extent));
  PetscCheck(*extent > 0, r->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "space \"%s\": a shape of 0 components; wanted at least 1, or no shape for a scalar", r->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_spec(Reader *r, const char **family, PetscInt *degree, RungSpaceData *data)
{
  PetscFunctionBegin;
  PetscCall(read_family(r, family, degree));
  data->shape[0] = data->shape[1] = 1;
  if (*r->at == '^') do {
      PetscCheck(data->rank < 2, r->comm, PETSC_ERR_ARG_WRONG,
                 "space \"%s\": a shape has one or two extents, as in \"^3\" or \"^3x3\"", r->text);
      ++r->at;
      PetscCall(read_extent(r, &data->shape[data->rank++]));
    } while (*r->at == 'x');
  PetscCheck(!*r->at, r->comm, PETSC_ERR_ARG_WRONG,
             "space \"%s\": \"%s\" at the end was not understood; wanted family, degree and shape, as in \"P2^d\"",
             r->text, r->at);
  data->components = data->shape[0] * data->shape[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceCreate(RungMesh mesh, const char spec[], RungSpace *space)
{
  RungNeed(mesh);
  const RungMeshData                    *flat;
  const char                            *family;
  PetscInt                               degree;
  RungSpaceData                          data    = {0};
  Reader                                 reader  = {.comm = RungMeshComm(mesh), .text = spec, .at = spec};
  RungElement                           *element = NULL;
  RUNG_OWNED(RungSpaceDestroy) RungSpace s       = NULL;
  RUNG_OWNED(RungDraftClear) RungDraft   said    = {0};

  PetscFunctionBegin;
  RungNeedArgument(space);
  PetscCheck(spec, reader.comm, PETSC_ERR_ARG_NULL, "a space without a name; wanted one like \"P2^d\"");
  PetscCall(RungMeshGetData(mesh, &flat));
  PetscCall(RungDraftAdd(&said, "%s", spec));
  PetscCall(RungDraftCheckAlike(reader.comm, "a space", &said));
  reader.dim    = flat->dim;
  reader.box    = (PetscBool)!RungCellGet(flat->type)->simplex;
  reader.points = (PetscBool)(flat->type == RUNG_POINT);
  PetscCall(read_spec(&reader, &family, &degree, &data));
  PetscCall(PetscNew(&s));
  s->refct = 1;
  s->comm  = MPI_COMM_NULL;
  RungWorkBegin("space %s", spec);
  RungCallFinally(RungElementCreate(reader.comm, spec, family, flat->type, degree, &element), RungWorkEnd());
  s->element = element;
  s->data    = data;
  PetscCall(RungMeshReference(mesh));
  s->mesh = mesh;
  PetscCall(PetscCommDuplicate(reader.comm, &s->comm, NULL));
  PetscCall(PetscStrallocpy(spec, &s->spec));
  s->data.mesh       = mesh;
  s->data.spec       = s->spec;
  s->data.degree     = element->within ? element->within->degree : degree;
  s->data.continuous = element->continuous;
  s->data.quadrature = (PetscBool)(element->rule != NULL);
  s->data.single     = element->single;
  s->data.cell_nodes = element->nodes;
  s->data.node       = element->node;
  PetscCall(PetscArraycpy(s->data.entity_nodes, element->entity_nodes, 4));
  PetscCall(RungSpaceNumber(s, flat));
  PetscCall(RungSpaceLocate(s, flat));
  *space = s;
  s      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceReference(RungSpace space)
{
  PetscFunctionBegin;
  RungNeed(space);
  ++space->refct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceDestroy(RungSpace *space)
{
  RungNeedArgument(space);
  RungSpace s = *space;

  PetscFunctionBegin;
  *space = NULL;
  if (!s || --s->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungElementDestroy(&s->element));
  PetscCall(RungExchangeDestroy(&s->exchange));
  PetscCall(PetscFree(s->global));
  PetscCall(PetscFree(s->owner));
  if (!s->lent) PetscCall(PetscFree(s->cell_node));
  if (!s->lent) PetscCall(PetscFree(s->x));
  PetscCall(PetscFree(s->natural));
  PetscCall(PetscFree(s->spec));
  PetscCall(RungMeshDestroy(&s->mesh));
  PetscCall(PetscCommDestroy(&s->comm));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceGetData(RungSpace space, const RungSpaceData **data)
{
  PetscFunctionBegin;
  RungNeed(space);
  *data = &space->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owners learn what other ranks found, then everybody learns it from the owner. */
static PetscErrorCode share_marks(RungSpace space, PetscBool mark[])
{
  const RungExchange *ex    = space->exchange;
  const PetscInt      owned = space->data.owned;
  const void         *bytes;
  const PetscBool    *received;

  PetscFunctionBegin;
  PetscCall(RungExchangeReverse(space->exchange, sizeof(PetscBool), mark + owned, &bytes));
  received = (const PetscBool *)bytes;
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i)
    if (received[i]) mark[ex->item[RUNG_OWNERS][i]] = PETSC_TRUE;
  PetscCall(RungExchangeForward(space->exchange, sizeof(PetscBool), mark, mark + owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a point of the reference cell lie on entity i of dimension d < 2 of it? */
static PetscBool on_entity(const RungCell *cell, PetscInt d, PetscInt i, const PetscReal x[])
{
  const PetscReal *a = cell->x[d ? cell->edge[i][0] : i], *b = cell->x[d ? cell->edge[i][1] : i];
  PetscReal        along = 0, length = 0, off = 0;

  for (PetscInt k = 0; k < cell->dim; ++k) {
    along += (x[k] - a[k]) * (b[k] - a[k]);
    length += PetscSqr(b[k] - a[k]);
  }
  for (PetscInt k = 0; k < cell->dim; ++k)
    off += PetscAbsReal(x[k] - a[k] - (length > 0 ? along / length * (b[k] - a[k]) : 0));
  return off < 1e-10 ? PETSC_TRUE : PETSC_FALSE;
}

/* Nodes of a cell, or of a facet, an edge or a vertex of it. */
static void mark_nodes(RungSpace space, PetscInt d, PetscInt c, PetscInt entity, PetscBool mark[])
{
  const RungElement *e    = space->element;
  const RungCell    *cell = RungCellGet(e->type);
  const PetscInt    *node = &space->cell_node[c * e->nodes];

  if (d == cell->dim - 1) {
    for (PetscInt j = e->facet_start[entity]; j < e->facet_start[entity + 1]; ++j)
      mark[node[e->facet_node[j]]] = PETSC_TRUE;
    return;
  }
  for (PetscInt j = 0; j < e->nodes; ++j) {
    if (d == cell->dim || on_entity(cell, d, entity, &e->node[j * cell->dim])) mark[node[j]] = PETSC_TRUE;
  }
}

/* Of a named part all members, interior facets too, which both of their cells list; else the exterior facets. */
static PetscErrorCode mark_part(RungSpace space, const char name[], PetscBool mark[])
{
  const PetscInt    dim = RungCellGet(space->element->type)->dim;
  const RungPlaces *places;
  const RungPart   *part;

  PetscFunctionBegin;
  if (!name || !name[0] || !strcmp(name, "boundary") || space->element->type == RUNG_POINT) {
    PetscCall(RungMeshGetPlaces(space->mesh, RUNG_BOUNDARY, name, &places));
    for (PetscInt i = 0; i < places->count && !space->data.single; ++i)
      mark_nodes(space, dim - 1, places->cell[0][i], places->facet[0][i], mark);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMeshNeedPart(space->mesh, RUNG_DOMAINS, name, &part));
  for (PetscInt i = 0; i < part->count && !space->data.single; ++i)
    mark_nodes(space, part->dim, part->cell[i], part->entity ? part->entity[i] : 0, mark);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceGetPartNodes(RungSpace space, const char part[], PetscInt *count, PetscInt **nodes)
{
  RungNeed(space);
  RUNG_FREE PetscBool *mark = NULL;
  PetscInt             n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->data.nodes, &mark));
  PetscCall(mark_part(space, part, mark));
  PetscCall(share_marks(space, mark));
  for (PetscInt i = 0; i < space->data.nodes; ++i) n += mark[i] ? 1 : 0;
  PetscCall(PetscMalloc1(n, nodes));
  *count = 0;
  for (PetscInt i = 0; i < space->data.nodes; ++i)
    if (mark[i]) (*nodes)[(*count)++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}
