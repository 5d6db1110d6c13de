/* checkpoint_describe.c - what a file is a checkpoint of, in words: written with it, compared when a run goes on from it.

   Mesh, unknowns and spaces have to be the same; other equations, conditions and numbers of tables need force; what the equations do not hold, a quantity or a
   constant that only quantities have, is told and nothing else.  A difference is shown in the words of both. */
#include "checkpoint_impl.h"

#include <ctype.h>
#include <rungversion.h>
#include <string.h>
#include <rungtext_room.h>

#define PIECE 50000 /* characters of a long text that one attribute takes */
#define SHOWN 72    /* characters of a long text in a message             */

typedef enum {
  HARD,     /* no way round a difference        */
  EQUATION, /* refused unless forced            */
  SOFT      /* told                             */
} Kind;

/* Some characters of a text around the place where it begins to differ. */
static void excerpt(const char text[], size_t place, char out[SHOWN + 8])
{
  const size_t length = strlen(text),
               begin  = length <= SHOWN || place < SHOWN / 3 ? 0 : PetscMin(place - SHOWN / 3, length);

  (void)snprintf(out, SHOWN + 8, "%s%.*s%s", begin ? ".." : "", SHOWN, text + begin,
                 length - begin > SHOWN ? ".." : "");
  for (char *c = out; *c; ++c) {
    if (iscntrl((unsigned char)*c)) *c = ' ';
  }
}

static PetscErrorCode differ(RungCheckpoint c, Kind kind, const char name[], const char then[], const char now[])
{
  static const char *const way[] = {
    "continue with the same mesh, unknowns and spaces",
    "take what the run was started with, or add -stepper_restart_force to go on with the "
    "change"};
  char   was[SHOWN + 8], is[SHOWN + 8];
  size_t place = 0;

  PetscFunctionBegin;
  while (then[place] && then[place] == now[place]) ++place;
  excerpt(then, place, was);
  excerpt(now, place, is);
  PetscCheck(kind == SOFT || (kind == EQUATION && c->force), c->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" was written with %s \"%s\", this run has \"%s\"; %s", RungStorePath(c->store), name,
             was, is, way[kind]);
  PetscCall(RungSystemWarn(c->sys, "checkpoint \"%s\" was written with %s \"%s\", going on with \"%s\"",
                           RungStorePath(c->store), name, was, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of up to PIECE characters; what a file does not have is "none". */
static PetscErrorCode short_item(RungCheckpoint c, Kind kind, const char name[], const char value[])
{
  char     *then = NULL;
  PetscBool has, same;

  PetscFunctionBegin;
  if (c->writing) {
    PetscCall(RungCheckpointPutText(c, name, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungCheckpointHas(c, name, &has));
  if (has)
    PetscCall(RungCheckpointGetText(c, name, &then));
  else
    PetscCall(PetscStrallocpy("none", &then));
  PetscCall(PetscStrcmp(value, then, &same));
  RungCallFinally(same ? PETSC_SUCCESS : differ(c, kind, name, then, value), PetscCall(PetscFree(then)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes the item, or compares it with what was written: pieces of a long text are "name", "name, part 2", .. */
static PetscErrorCode item(RungCheckpoint c, Kind kind, const char name[], const char value[])
{
  const size_t length = strlen(value);
  char         part[RUNG_NAME_LENGTH + 64], *text;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, name, sizeof part));
  PetscCall(PetscMalloc1(PIECE + 1, &text));
  for (size_t first = 0, i = 1; first < length || i == 1; first += PIECE, ++i) {
    PetscErrorCode code;

    if (i > 1) PetscCall(PetscSNPrintf(part, sizeof part, "%s, part %d", name, (int)i));
    PetscCall(PetscStrncpy(text, value + first, PIECE + 1));
    code = short_item(c, kind, part, text);
    if (code) PetscCall(PetscFree(text));
    PetscCall(code);
  }
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_unknowns(RungCheckpoint c)
{
  RungSystem           sys = c->sys;
  const RungSpaceData *space;
  char                 name[64], text[1024], mesh[17];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text, "%s of order %" PetscInt_FMT " in time, %" PetscInt_FMT " entries",
                          sys->ops->kind, sys->traits.order, sys->global));
  PetscCall(item(c, HARD, "system", text));
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    PetscCall(PetscSNPrintf(name, sizeof name, "unknown %" PetscInt_FMT, f));
    PetscCall(PetscSNPrintf(text, sizeof text, "%s in %s", sys->form->name[f], space->spec));
    PetscCall(item(c, HARD, name, text));
    if (f) continue;
    PetscCall(RungMeshGetFingerprint(space->mesh, mesh));
    PetscCall(item(c, HARD, "mesh", mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a text have the name as a word of its own? */
static PetscBool holds(const char text[], const char name[])
{
  const size_t length = strlen(name);

  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    const char before = at > text ? at[-1] : ' ', after = at[length];

    if (!isalnum((unsigned char)before) && before != '_' && !isalnum((unsigned char)after) && after != '_')
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The data of a condition as it is read: with what definitions stand for. */
static PetscErrorCode condition_holds(RungSystem sys, PetscInt i, const char name[], PetscBool *found)
{
  RungExpr expr;
  char    *text;

  PetscFunctionBegin;
  PetscCall(RungSystemReadExpr(sys, "Dirichlet data", sys->form->condition[i].text, &expr));
  PetscCall(RungExprToText(expr, &text));
  if (holds(text, name)) *found = PETSC_TRUE;
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a name in the equations?  Bounds and constraints are taken to hold all names. */
static PetscErrorCode in_equations(RungSystem sys, const char residual[], const char name[], PetscBool *found)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  *found = form->bounds || form->constraint_texts || holds(residual, name) ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < form->conditions && !*found; ++i) PetscCall(condition_holds(sys, i, name, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemIsChanging(RungSystem sys, const char constant[], PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  for (PetscInt i = 0; i < sys->form->changings && !*is; ++i)
    PetscCall(PetscStrcmp(sys->form->changing[i], constant, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_constants(RungCheckpoint c, const char residual[])
{
  PetscInt           constants;
  const char *const *names;
  const PetscReal   *values;
  char               name[128], text[64];
  PetscBool          found, changing;

  PetscFunctionBegin;
  PetscCall(RungScopeGetConstants(c->sys->form->scope, &constants, &names, &values));
  for (PetscInt i = 0; i < constants; ++i) {
    PetscCall(in_equations(c->sys, residual, names[i], &found));
    PetscCall(PetscSNPrintf(name, sizeof name, "constant %s", names[i]));
    PetscCall(PetscSNPrintf(text, sizeof text, "%.17g", (double)values[i]));
    PetscCall(RungSystemIsChanging(c->sys, names[i], &changing));
    if (changing) PetscCall(PetscStrncpy(text, "changed by events", sizeof text));
    PetscCall(item(c, found ? EQUATION : SOFT, name, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a field whose values stay; files of before it was kept have nothing. */
static PetscErrorCode describe_values(RungCheckpoint c, const RungGivenField *given, PetscBool found)
{
  char      name[RUNG_NAME_LENGTH + 32];
  PetscBool has = given->text ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "values of field %s", given->name));
  if (has && !c->writing) PetscCall(RungCheckpointHas(c, name, &has));
  if (has) PetscCall(item(c, found ? EQUATION : SOFT, name, given->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients by name and space; their values are the program's to give. */
static PetscErrorCode describe_fields(RungCheckpoint c, const char residual[])
{
  RungFormSide         form = c->sys->form;
  const RungSpaceData *space;
  RungSpace            of;
  char                 name[128];
  PetscBool            found;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->fields; ++i) {
    PetscCall(RungFieldGetSpace(form->field[i].field, &of));
    PetscCall(RungSpaceGetData(of, &space));
    PetscCall(in_equations(c->sys, residual, form->field[i].name, &found));
    PetscCall(PetscSNPrintf(name, sizeof name, "field %s", form->field[i].name));
    PetscCall(item(c, found ? EQUATION : SOFT, name, space->spec));
    PetscCall(describe_values(c, &form->field[i], found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_quantities(RungCheckpoint c)
{
  RungFormSide form = c->sys->form;
  size_t       room = 8;
  char        *text;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->quantities; ++i) room += strlen(form->quantity_name[i]) + 2;
  PetscCall(PetscMalloc1(room, &text));
  PetscCall(PetscStrncpy(text, form->quantities ? "" : "none", room));
  for (PetscInt i = 0; i < form->quantities; ++i) {
    if (i) PetscCall(RungTextAppend(text, ", ", room));
    PetscCall(RungTextAppend(text, form->quantity_name[i], room));
  }
  RungCallFinally(item(c, SOFT, "quantities", text), PetscCall(PetscFree(text)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a name stands for: the sum of a rate and the column of a table go on under it.  Files of before texts were kept
   have none, and a name that is new is told with the names. */
static PetscErrorCode describe_texts(RungCheckpoint c)
{
  const RungFormSide form = c->sys->form;
  char               name[RUNG_NAME_LENGTH + 32];
  PetscBool          has = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->quantities; ++i) {
    const RungQuantity *q = &form->quantity[i];

    if (q->kind == RUNG_QUANTITY_GLOBAL) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "%s %s",
                            q->kind == RUNG_QUANTITY_RATE ? "what is summed up in" : "quantity", q->name));
    if (!c->writing) PetscCall(RungCheckpointHas(c, name, &has));
    if (has) PetscCall(item(c, SOFT, name, q->text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A list of everything of one kind, "none" where there is nothing; files of before it was kept have none. */
static PetscErrorCode list_item(RungCheckpoint c, const char name[], RungDraft *list)
{
  PetscBool has = PETSC_TRUE;

  PetscFunctionBegin;
  if (!c->writing) PetscCall(RungCheckpointHas(c, name, &has));
  RungCallFinally(has ? item(c, EQUATION, name, list->text ? list->text : "none") : PETSC_SUCCESS,
                  PetscCall(RungDraftClear(list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_tables(RungCheckpoint c, const char residual[], RungDraft *list)
{
  const char *path;
  char        sum[17];

  PetscFunctionBegin;
  for (PetscInt i = 0; RungScopeGetTable(c->sys->form->scope, i, &path, sum); ++i) {
    PetscBool found;

    PetscCall(in_equations(c->sys, residual, path, &found));
    if (found) PetscCall(RungDraftAdd(list, "%s%s with numbers %s", list->text ? ", " : "", path, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of tables that the equations hold, by a sum over their bytes: texts have the names of the files alone. */
static PetscErrorCode describe_tables(RungCheckpoint c, const char residual[])
{
  RungDraft list = {0};

  PetscFunctionBegin;
  RungCallOrUndo(list_tables(c, residual, &list), PetscCall(RungDraftClear(&list)));
  PetscCall(list_item(c, "tables", &list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_names(RungCheckpoint c, const char residual[])
{
  PetscFunctionBegin;
  PetscCall(item(c, EQUATION, "residual", residual));
  PetscCall(describe_tables(c, residual));
  PetscCall(describe_constants(c, residual));
  PetscCall(describe_fields(c, residual));
  PetscCall(describe_quantities(c));
  PetscCall(describe_texts(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a text to a list as it is read: with what definitions stand for. */
static PetscErrorCode add_data(RungSystem sys, const char label[], const char text[], RungDraft *list)
{
  RungExpr expr;
  char    *read;

  PetscFunctionBegin;
  PetscCall(RungSystemReadExpr(sys, label, text, &expr));
  PetscCall(RungExprToText(expr, &read));
  RungCallFinally(RungDraftAdd(list, "%s", read), PetscCall(PetscFree(read)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Data of a condition with what definitions stand for. */
static PetscErrorCode describe_data(RungCheckpoint c, PetscInt i)
{
  const RungFormSide form = c->sys->form;
  char               name[128];
  RungDraft          data = {0};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "data of Dirichlet condition %" PetscInt_FMT, i));
  RungCallOrUndo(add_data(c->sys, "Dirichlet data", form->condition[i].text, &data), PetscCall(RungDraftClear(&data)));
  PetscCall(list_item(c, name, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_conditions(RungCheckpoint c)
{
  const RungFormSide form = c->sys->form;
  char               name[128], text[2048];

  PetscFunctionBegin;
  for (PetscInt i = 0;; ++i) {
    const PetscBool here = i < form->conditions ? PETSC_TRUE : PETSC_FALSE;
    PetscBool       then = PETSC_FALSE;

    PetscCall(PetscSNPrintf(name, sizeof name, "Dirichlet condition %" PetscInt_FMT, i));
    if (!c->writing) PetscCall(RungCheckpointHas(c, name, &then));
    if (!here && !then) break; /* one that the run has no more is a difference */
    PetscCall(PetscStrncpy(text, "none", sizeof text));
    if (here)
      PetscCall(PetscSNPrintf(text, sizeof text, "%s on %s: %s", form->condition[i].name, form->condition[i].part,
                              form->condition[i].text));
    PetscCall(item(c, EQUATION, name, text));
    if (here) PetscCall(describe_data(c, i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_constraint(RungSystem sys, const RungConstraintText *text, RungDraft *list)
{
  static const char *const kind[] = {"periodic", "tie", "constraint", "slip"};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(list, "%s%s %s", list->text ? ", " : "", kind[text->kind], text->name));
  if (text->part) PetscCall(RungDraftAdd(list, " on %s", text->part));
  if (text->other) PetscCall(RungDraftAdd(list, " and %s", text->other));
  if (text->map) {
    PetscCall(RungDraftAdd(list, " at "));
    PetscCall(add_data(sys, kind[text->kind], text->map, list));
  }
  for (PetscInt i = 0; i < text->n; ++i)
    PetscCall(RungDraftAdd(list, " %+.17g %s(%.17g, %.17g, %.17g)", (double)text->coefficient[i], text->names[i],
                           (double)text->x[3 * i], (double)text->x[3 * i + 1], (double)text->x[3 * i + 2]));
  if (text->text) {
    PetscCall(RungDraftAdd(list, ": "));
    PetscCall(add_data(sys, kind[text->kind], text->text, list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_constraints(RungSystem sys, RungDraft *list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->constraint_texts; ++i)
    PetscCall(add_constraint(sys, &sys->form->constraint_text[i], list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_bounds(RungSystem sys, RungDraft *list)
{
  static const char *const word[] = {"from", "to"};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->bounds; ++i) {
    const RungBound *bound = &sys->form->bound[i];

    PetscCall(RungDraftAdd(list, "%s%s", list->text ? ", " : "", bound->name));
    for (int side = 0; side < 2; ++side) {
      if (!bound->text[side]) continue;
      PetscCall(RungDraftAdd(list, " %s ", word[side]));
      PetscCall(add_data(sys, "bounds", bound->text[side], list));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_constraints(RungCheckpoint c)
{
  RungDraft list = {0};

  PetscFunctionBegin;
  RungCallOrUndo(list_constraints(c->sys, &list), PetscCall(RungDraftClear(&list)));
  PetscCall(list_item(c, "constraints", &list));
  RungCallOrUndo(list_bounds(c->sys, &list), PetscCall(RungDraftClear(&list)));
  PetscCall(list_item(c, "bounds", &list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_equations(RungCheckpoint c)
{
  RungExpr expr;
  char    *residual;

  PetscFunctionBegin;
  PetscCall(RungSystemGetResidual(c->sys, &expr));
  PetscCall(RungExprToText(expr, &residual));
  RungCallFinally(describe_names(c, residual), PetscCall(PetscFree(residual)));
  PetscCall(describe_conditions(c));
  PetscCall(describe_constraints(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files of before there was a version have none. */
static PetscErrorCode describe_version(RungCheckpoint c)
{
  const char *version;
  PetscBool   has = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetVersion(NULL, NULL, NULL, &version));
  if (!c->writing) PetscCall(RungCheckpointHas(c, "rung version", &has));
  if (has) PetscCall(item(c, SOFT, "rung version", version));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointDescribe(RungCheckpoint c)
{
  PetscFunctionBegin;
  PetscCall(describe_version(c));
  PetscCall(describe_unknowns(c));
  if (c->sys->form) PetscCall(describe_equations(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
