/* write.c - a state -> fields for the unknowns, or for what was chosen -> a time series for ParaView.

   Chosen are unknowns, expressions and quantities, by names of their own where these are given, and of which part of the mesh or
   along which line.  An expression is evaluated at the nodes of the space of the highest
   degree among the unknowns, continuous where one of them is; at the points of their rule where it holds internal
   variables.  A quantity is the same number everywhere. */
#include "form_side_impl.h"

#include <ctype.h>

typedef struct {
  RungField   field;               /* owned                                                    */
  PetscInt    unknown, derivative; /* of an unknown; -1 without                                */
  RungSampler sampler;             /* owned: of an expression; NULL without                    */
  PetscInt    quantity;            /* its number; -1 without                                   */
} Item;

struct _p_RungWriter {
  RungSystem sys;    /* reference */
  RungOutput output; /* owned */
  PetscInt   n;
  Item      *item;  /* owned, [n] */
  RungField *field; /* owned array, [n] lent by the items */
};

static PetscErrorCode add_item(RungWriter writer, RungSpace space, const char name[], Item item)
{
  PetscFunctionBegin;
  PetscCall(RungFieldCreate(space, name, &item.field)); /* this may be refused; the item is then the caller's */
  RungGrow(writer->n, writer->item);
  RungGrow(writer->n, writer->field);
  writer->field[writer->n]  = item.field;
  writer->item[writer->n++] = item;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop_items(RungWriter writer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < writer->n; ++i) {
    PetscCall(RungFieldDestroy(&writer->item[i].field));
    PetscCall(RungSamplerDestroy(&writer->item[i].sampler));
  }
  writer->n = 0;
  PetscCall(PetscFree(writer->item));
  PetscCall(PetscFree(writer->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_unknown(RungWriter writer, PetscInt f, PetscInt k)
{
  static const char *const pattern[] = {"%s", "dt(%s)", "dt(%s, 2)"};
  RungFormSide             form      = writer->sys->form;
  char                     name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, pattern[k], form->name[f]));
  PetscCall(add_item(writer, form->space[f], name, (Item){.unknown = f, .derivative = k, .quantity = -1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RungWriter w, const char path[])
{
  RungSystem sys    = w->sys;
  PetscBool  fields = PETSC_FALSE; /* there are others than numbers */

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) fields = (PetscBool)(fields || !RungGlobalUnknown(sys, f));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscInt order = sys->output_rates ? sys->traits.unknown_order[f] : 0;

    if (RungGlobalUnknown(sys, f) && fields) continue; /* its values are quantities */
    for (PetscInt k = 0; k <= order; ++k) PetscCall(add_unknown(w, f, k));
  }
  PetscCall(RungOutputCreate(sys->comm, path, &w->output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterCreate(RungSystem sys, const char path[], RungWriter *writer)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(writer);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "\"%s\": a system of callbacks has no mesh to write; write its numbers with a monitor", path);
  PetscCall(PetscNew(writer));
  PetscCall(RungSystemReference(sys));
  (*writer)->sys = sys;
  RungCallOrUndo(fill(*writer, path), PetscCall(RungWriterDestroy(writer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is chosen ------------------------------------------------------------------------------------------------ */

/* "CG2", "DG1", "P0" with the shape of an expression. */
static PetscErrorCode space_for(RungSystem sys, PetscInt rank, const PetscInt shape[], RungSampler sampler,
                                RungSpace *space)
{
  const RungMeshData  *mesh;
  const RungSpaceData *data;
  PetscInt             degree     = 0, rule;
  PetscBool            continuous = PETSC_FALSE;
  char                 spec[128], of[64] = "";

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &data));
    if (data->quadrature || data->single) continue;
    degree     = PetscMax(degree, data->degree);
    continuous = (PetscBool)(continuous || data->continuous);
  }
  PetscCall(RungMeshGetData(RungSystemMesh(sys), &mesh));
  PetscCall(RungSamplerGetRule(sampler, &rule));
  if (rank == 1) PetscCall(PetscSNPrintf(of, sizeof of, "^%" PetscInt_FMT, shape[0]));
  if (rank == 2) PetscCall(PetscSNPrintf(of, sizeof of, "^%" PetscInt_FMT "x%" PetscInt_FMT, shape[0], shape[1]));
  if (rule >= 0)
    PetscCall(PetscSNPrintf(spec, sizeof spec, "Quad(%" PetscInt_FMT ")%s", rule, of));
  else if (mesh->type == RUNG_POINT || !degree)
    PetscCall(PetscSNPrintf(spec, sizeof spec, "P0%s", of));
  else
    PetscCall(PetscSNPrintf(spec, sizeof spec, "%s%" PetscInt_FMT "%s", continuous ? "CG" : "DG", degree, of));
  PetscCall(RungSpaceCreate(RungSystemMesh(sys), spec, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the sampler. */
static PetscErrorCode add_sampler(RungWriter writer, const char name[], PetscInt rank, const PetscInt shape[],
                                  RungSampler sampler)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(space_for(writer->sys, rank, shape, sampler, &space));
  RungCallFinally(add_item(writer, space, name, (Item){.unknown = -1, .sampler = sampler, .quantity = -1}),
                  PetscCall(RungSpaceDestroy(&space)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_expression(RungWriter writer, const char name[], const char text[])
{
  RungSystem  sys = writer->sys;
  RungExpr    expr;
  RungSampler sampler;
  PetscInt    rank, shape[2], arity;
  PetscBool   integral;

  PetscFunctionBegin;
  PetscCall(RungSystemReadExpr(sys, "output", text, &expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCall(RungSamplerCreate(expr, RungSystemMesh(sys), sys->form->layout, &sampler));
  RungCallOrUndo(add_sampler(writer, name, rank, shape, sampler), PetscCall(RungSamplerDestroy(&sampler)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_quantity(RungWriter writer, const char name[], PetscInt i)
{
  RungFormSide form = writer->sys->form;
  RungSpace    space;

  PetscFunctionBegin;
  PetscCheck(!form->quantity_rate[i], writer->sys->comm, PETSC_ERR_SUP,
             "output \"%s\": a rate is integrated by the stepper; look for it in the table", form->quantity_name[i]);
  PetscCall(RungSpaceCreate(RungSystemMesh(writer->sys), "P0", &space));
  RungCallFinally(add_item(writer, space, name, (Item){.unknown = -1, .quantity = i}),
                  PetscCall(RungSpaceDestroy(&space)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown, a quantity or an expression; name: of its own, or its text. */
static PetscErrorCode add_chosen(RungWriter writer, const char own[], const char text[])
{
  RungFormSide form = writer->sys->form;
  const char  *name;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < writer->n; ++i) {
    PetscCall(RungFieldGetName(writer->item[i].field, &name));
    PetscCheck(strcmp(name, own), writer->sys->comm, PETSC_ERR_ARG_WRONG, "output \"%s\" is asked for twice", own);
  }
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    if (strcmp(form->name[f], text) || own != text) continue;
    PetscCall(add_unknown(writer, f, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < form->quantities; ++i) {
    if (strcmp(form->quantity_name[i], text)) continue;
    PetscCall(add_quantity(writer, own, i));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(add_expression(writer, own, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of the part of a list that begins at `text`: a comma outside of brackets and quotes, or the end. */
static char *end_of(char *text)
{
  int depth = 0, quoted = 0;

  for (; *text; ++text) {
    if (*text == '"') quoted = !quoted;
    if (!quoted && strchr("([", *text)) ++depth;
    if (!quoted && strchr(")]", *text)) --depth;
    if (!quoted && depth <= 0 && *text == ',') break;
  }
  return text;
}

/* "mises = sqrt(..)": the text behind the name, whose end is cut; the text itself where it has no name. */
static char *cut_name(char *text)
{
  char *end = text, *sign;

  while (isalnum((unsigned char)*end) || *end == '_') ++end;
  sign = end + strspn(end, " ");
  if (end == text || isdigit((unsigned char)*text) || *sign != '=' || sign[1] == '=') return text;
  *end = 0;
  ++sign;
  return sign + strspn(sign, " ");
}

const char *RungWriterFindPlace(const char text[])
{
  int depth = 0, quoted = 0;

  for (const char *c = text; *c; ++c) {
    if (*c == '"') quoted = !quoted;
    if (!quoted && strchr("([", *c)) ++depth;
    if (!quoted && strchr(")]", *c)) --depth;
    if (quoted || depth > 0 || strncmp(c, "on", 2) || !isspace((unsigned char)c[2])) continue;
    if (c == text || isspace((unsigned char)c[-1])) return c;
  }
  return NULL;
}

/* "0,0.5": as many numbers as there are axes; the text behind them, NULL if there are others. */
static const char *read_point(const char text[], PetscInt dim, PetscReal x[3])
{
  for (PetscInt a = 0; a < dim; ++a) {
    char *end;

    x[a] = (PetscReal)strtod(text, &end);
    if (end == text || (a + 1 < dim ? *end != ',' : !isspace((unsigned char)*end))) return NULL;
    text = end + 1;
  }
  return text;
}

typedef struct {
  PetscReal from[3], to[3];
  PetscInt  n; /* points; 0: it is no line but a part of the mesh */
} Place;

static PetscErrorCode read_place(RungSystem sys, const char text[], Place *place)
{
  const RungMeshData *data;
  const char         *at;
  char               *end = NULL;

  PetscFunctionBegin;
  place->n = 0;
  if (*text == '"' || !strpbrk(text, " \t\n")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshGetData(RungSystemMesh(sys), &data));
  at = read_point(text, data->dim, place->from);
  if (at) at = read_point(at + strspn(at, " "), data->dim, place->to);
  if (at) place->n = (PetscInt)strtol(at, &end, 10);
  PetscCheck(at && end > at && !*end, sys->comm, PETSC_ERR_ARG_WRONG,
             "output on \"%s\": wanted a part, or two points of %" PetscInt_FMT
             " numbers and how many there are along the line between them, as \"0,0.5 1,0.5 101\"",
             text, data->dim);
  PetscCheck(place->n > 1 && place->n <= 1000000, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " points along a line, wanted 2 to a million", place->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name of a part, without the quotes around one that has blanks; the caller's. */
static PetscErrorCode copy_name(MPI_Comm comm, const char text[], char **name)
{
  const size_t n = strlen(text);

  PetscFunctionBegin;
  PetscCheck(*text != '"' || (n > 2 && strchr(text + 1, '"') == text + n - 1), comm, PETSC_ERR_ARG_WRONG,
             "output on %s: wanted a name between quotes, and nothing behind it", text);
  PetscCall(PetscStrallocpy(*text == '"' ? text + 1 : text, name));
  if (*text == '"') (*name)[n - 2] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_part(RungMesh mesh, MPI_Comm comm, const char name[])
{
  static const RungDomain list[] = {RUNG_CELLS, RUNG_BOUNDARY, RUNG_INTERIOR_FACETS};
  PetscBool               has    = PETSC_FALSE;
  char                    parts[1024];
  size_t                  length;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list) && !has; ++i)
    PetscCall(RungMeshHasPart(mesh, list[i], name, &has));
  if (has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshListParts(mesh, RUNG_BOUNDARY, parts, sizeof parts, &length));
  SETERRQ(comm, PETSC_ERR_ARG_WRONG, "part \"%s\" does not exist; this mesh has %s", name, parts);
}

PetscErrorCode RungWriterCheckPlace(RungSystem sys, const char text[], PetscInt *points, PetscInt *outside)
{
  RungMesh mesh = RungSystemMesh(sys);
  char    *name;
  Place    place;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(read_place(sys, text, &place));
  *points  = place.n;
  *outside = 0;
  if (place.n) {
    PetscCall(RungLineCount(sys->comm, mesh, place.n, place.from, place.to, outside));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(copy_name(sys->comm, text, &name));
  RungCallFinally(check_part(mesh, sys->comm, name), PetscCall(PetscFree(name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part of the mesh, or a line. */
static PetscErrorCode set_place(RungWriter writer, const char text[])
{
  RungMesh mesh = RungSystemMesh(writer->sys);
  char    *name;
  Place    place;

  PetscFunctionBegin;
  PetscCall(read_place(writer->sys, text, &place));
  if (place.n) {
    PetscCall(RungOutputSetLine(writer->output, mesh, place.n, place.from, place.to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(copy_name(writer->sys->comm, text, &name));
  RungCallFinally(RungOutputSetPart(writer->output, mesh, name), PetscCall(PetscFree(name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes into copy, a copy of list. */
static PetscErrorCode add_list(RungWriter writer, const char list[], char copy[])
{
  const char *found = RungWriterFindPlace(copy);
  char       *place = found ? copy + (found - copy) : NULL, *last;

  PetscFunctionBegin;
  if (place) {
    *place = 0;
    place += 2 + strspn(place + 2, " \t");
    for (last = place + strlen(place); last > place && isspace((unsigned char)last[-1]);) *--last = 0;
    PetscCall(set_place(writer, place));
    if (!copy[strspn(copy, " \t\n")]) PetscFunctionReturn(PETSC_SUCCESS); /* of the unknowns */
  }
  PetscCall(drop_items(writer));
  for (char *one = copy, *end, *text; one; one = last) {
    end  = end_of(one);
    last = *end ? end + 1 : NULL;
    *end = 0;
    while (isspace((unsigned char)*one)) ++one;
    while (end > one && isspace((unsigned char)end[-1])) *--end = 0;
    for (char *c = one; *c; ++c) *c = isspace((unsigned char)*c) ? ' ' : *c; /* an expression is its field's name */
    PetscCheck(
      *one, writer->sys->comm, PETSC_ERR_ARG_WRONG,
      "output fields \"%s\" have an empty name; wanted unknowns, quantities or expressions with commas between", list);
    text = cut_name(one);
    PetscCheck(*text, writer->sys->comm, PETSC_ERR_ARG_WRONG, "output \"%s =\" has no expression", one);
    PetscCall(add_chosen(writer, one, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterSetFields(RungWriter writer, const char list[])
{
  char *copy;

  PetscFunctionBegin;
  RungNeed(writer);
  PetscCheck(list, writer->sys->comm, PETSC_ERR_ARG_NULL,
             "output fields without a list; wanted names with commas between");
  PetscCall(PetscStrallocpy(list, &copy));
  RungCallFinally(add_list(writer, list, copy), PetscCall(PetscFree(copy)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

/* An unknown's entries have one order in the system's Vec and in the field's. */
static PetscErrorCode copy_entries(RungWriter writer, const Item *item, Vec u)
{
  const PetscInt    *range = &writer->sys->range[item->unknown];
  const PetscScalar *from;
  PetscScalar       *to;
  Vec                field;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(item->field, &field));
  PetscCall(VecGetArrayRead(u, &from));
  PetscCall(VecGetArrayWrite(field, &to));
  PetscCall(PetscArraycpy(to, from + range[0], range[1] - range[0]));
  PetscCall(VecRestoreArrayWrite(field, &to));
  PetscCall(VecRestoreArrayRead(u, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* quantity[] is the caller's; made where an item wants it. */
static PetscErrorCode evaluate_items(RungWriter writer, PetscReal t, const Vec u[], PetscReal **quantity)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < writer->n; ++i) {
    const Item *item = &writer->item[i];
    Vec         field;

    if (item->unknown >= 0) PetscCall(copy_entries(writer, item, u[item->derivative]));
    if (item->sampler) PetscCall(RungFieldInterpolate(item->field, item->sampler, t, u, NULL));
    if (item->quantity < 0) continue;
    if (!*quantity) {
      PetscCall(PetscMalloc1(writer->sys->form->quantities, quantity));
      PetscCall(RungSystemEvaluateQuantities(writer->sys, t, u, *quantity));
    }
    PetscCall(RungFieldGetVec(item->field, &field));
    PetscCall(VecSet(field, (*quantity)[item->quantity]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterTry(RungWriter writer, PetscReal t, const Vec u[], PetscBool *written, char why[], size_t room)
{
  PetscReal *quantity = NULL;

  PetscFunctionBegin;
  RungNeed(writer);
  RungCallFinally(evaluate_items(writer, t, u, &quantity), PetscCall(PetscFree(quantity)));
  PetscCall(RungOutputTry(writer->output, t, writer->n, writer->field, written, why, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterWrite(RungWriter writer, PetscReal t, const Vec u[])
{
  PetscBool written;
  char      why[256] = "";

  PetscFunctionBegin;
  RungNeed(writer);
  RungNeedArgument(u);
  PetscCall(RungWriterTry(writer, t, u, &written, why, sizeof why));
  PetscCheck(written, writer->sys->comm, PETSC_ERR_FILE_WRITE,
             "a series cannot be written at %g: %s; choose another place", (double)t, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterResume(RungWriter writer, PetscReal t)
{
  PetscFunctionBegin;
  RungNeed(writer);
  PetscCall(RungOutputResume(writer->output, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterDestroy(RungWriter *writer)
{
  RungNeedArgument(writer);
  RungWriter w = *writer;

  PetscFunctionBegin;
  *writer = NULL;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOutputDestroy(&w->output));
  PetscCall(drop_items(w));
  PetscCall(RungSystemDestroy(&w->sys));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
