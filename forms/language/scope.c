/* scope.c - names; owner of the nodes, texts and strings. */
#include <rungown_room.h>
#include <rungscope_room.h>
#include "scope_impl.h"
#include <stdio.h>
#include <string.h>

/* ---- arena: memory that is given back as a whole ---------------------------------------------------------------- */

#define BLOCK 16384

struct _RungArenaBlock {
  RungArenaBlock *next;
  size_t          used, size; /* bytes behind this head */
};

PetscErrorCode RungArenaGet(RungScope scope, size_t bytes, void *memory)
{
  const size_t    need = (bytes + 15) / 16 * 16, head = (sizeof(RungArenaBlock) + 15) / 16 * 16;
  RungArenaBlock *block = scope->arena;

  PetscFunctionBegin;
  if (!block || block->size - block->used < need) {
    const size_t size = PetscMax(need, (size_t)BLOCK);

    PetscCall(PetscMalloc(head + size, &block));
    *block       = (RungArenaBlock){.next = scope->arena, .size = size};
    scope->arena = block;
  }
  *(void **)memory = (char *)block + head + block->used;
  block->used += need;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungArenaCopy(RungScope scope, const char text[], size_t length, const char **copy)
{
  char *to;

  PetscFunctionBegin;
  PetscCall(RungArenaGet(scope, length + 1, &to));
  if (length) memcpy(to, text, length);
  to[length] = 0;
  *copy      = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lifecycle -------------------------------------------------------------------------------------------------- */

/* Names that no text can hold, and no step. */
static PetscErrorCode hide_constants(RungScope scope)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_HIDDEN_CONSTANTS; ++i) {
    RUNG_TABLE_GROW(scope->constant);
    RUNG_TABLE_GROW(scope->value);
    scope->constant.entry[scope->constant.n++] = i == RUNG_STEP_FROM ? "step.from" : "step.to";
    scope->value.entry[scope->value.n++]       = i == RUNG_STEP_FROM ? -PETSC_MAX_REAL : PETSC_MAX_REAL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeCreate(MPI_Comm comm, RungScope *scope)
{
  RUNG_OWNED(RungScopeDestroy) RungScope s = NULL;

  PetscFunctionBegin;
  PetscCheck(scope, comm, PETSC_ERR_ARG_NULL, "RungScopeCreate: no place for the scope");
  PetscCall(PetscNew(&s));
  s->comm  = MPI_COMM_NULL;
  s->refct = 1;
  PetscCall(PetscCommDuplicate(comm, &s->comm, NULL));
  s->place.text = -1;
  s->last       = -1;
  PetscCall(hide_constants(s));
  *scope = s;
  s      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeReference(RungScope scope)
{
  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "no scope given");
  ++scope->refct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeDestroy(RungScope *scope)
{
  RungScope s;

  PetscFunctionBegin;
  s = scope ? *scope : NULL;
  if (scope) *scope = NULL;
  if (!s || --s->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < s->unknown.n; ++i) PetscCall(RungSpaceDestroy(&s->unknown.entry[i].space));
  for (PetscInt i = 0; i < s->chunk.n; ++i) PetscCall(PetscFree(s->chunk.entry[i]));
  PetscCall(PetscFree(s->chunk.entry));
  PetscCall(PetscFree(s->bucket));
  PetscCall(PetscFree(s->name.entry));
  PetscCall(PetscFree(s->unknown.entry));
  PetscCall(PetscFree(s->constant.entry));
  PetscCall(PetscFree(s->value.entry));
  PetscCall(PetscFree(s->field.entry));
  PetscCall(PetscFree(s->definition.entry));
  PetscCall(PetscFree(s->text.entry));
  PetscCall(PetscFree(s->string.entry));
  PetscCall(PetscFree(s->variable.entry));
  PetscCall(PetscFree(s->table.entry));
  PetscCall(PetscFree(s->polynomials.entry));
  PetscCall(PetscFree(s->error.entry));
  PetscCall(PetscFree(s->reached.entry));
  while (s->arena) {
    RungArenaBlock *next = s->arena->next;

    PetscCall(PetscFree(s->arena));
    s->arena = next;
  }
  PetscCall(RungScopeDestroy(&s->origin));
  PetscCall(PetscCommDestroy(&s->comm));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Words that are no operators of ops.def: measures and numbers, and those kept for the language to come. */
static const char *const reserved_words[] = {"pi", "d", "dx", "ds", "dS", "dR", "dP", "dl"};

PetscBool RungNameReserved(const char name[], size_t length)
{
  if (RungOpFind(name, length) != RUNG_OPS) return PETSC_TRUE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(reserved_words); ++i) {
    if (strlen(reserved_words[i]) == length && !memcmp(reserved_words[i], name, length)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool RungNameIsLeaf(const char name[])
{
  const RungOp op = RungOpFind(name, strlen(name));

  if (op != RUNG_OPS) return rung_ops[op].class_ == RUNG_CLASS_TERMINAL ? PETSC_TRUE : PETSC_FALSE;
  return !strcmp(name, "pi") || !strcmp(name, "d") ? PETSC_TRUE : PETSC_FALSE;
}

const RungNameEntry *RungScopeFind(RungScope scope, const char name[], size_t length)
{
  for (PetscInt i = 0; i < scope->name.n; ++i) {
    const RungNameEntry *entry = &scope->name.entry[i];

    if (!strncmp(entry->name, name, length) && !entry->name[length]) return entry;
  }
  return NULL;
}

/* What a reserved word stands for. */
static const char *meaning(const char name[])
{
  const RungOp op = RungOpFind(name, strlen(name));

  if (op != RUNG_OPS) return rung_ops[op].doc;
  if (!strcmp(name, "pi")) return "the number";
  return !strcmp(name, "d") ? "the dimension of the mesh" : "a measure";
}

PetscErrorCode RungNameCheck(RungScope scope, const char name[], char reason[RUNG_MESSAGE])
{
  static const char *const kind[] = {"an unknown", "a test function", "a constant", "a field", "a definition"};
  const RungNameEntry     *known;
  size_t                   n = 0;

  PetscFunctionBegin;
  reason[0] = 0;
  while ((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= 'A' && name[n] <= 'Z') || name[n] == '_' ||
         (n && name[n] >= '0' && name[n] <= '9'))
    ++n;
  known = RungScopeFind(scope, name, strlen(name));
  if (!n || name[n] || n > RUNG_MAX_NAME) {
    snprintf(reason, RUNG_MESSAGE,
             "\"%.80s\" is no name; names are 1 to %d letters (a-z, A-Z), digits and _, a letter first", name,
             RUNG_MAX_NAME);
  } else if (known) {
    snprintf(reason, RUNG_MESSAGE, "\"%s\" is already %s; choose another name", name, kind[known->kind]);
  } else if (RungNameReserved(name, n)) {
    snprintf(reason, RUNG_MESSAGE, "\"%s\" is reserved (%.200s); choose another name", name, meaning(name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode declare(RungScope scope, const char name[], RungNameKind kind, PetscInt index)
{
  RungNameEntry entry = {.kind = kind, .index = index};
  char          reason[RUNG_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RungNameCheck(scope, name, reason));
  PetscCheck(!reason[0], scope->comm, PETSC_ERR_ARG_WRONG, "%s", reason);
  PetscCall(RungArenaCopy(scope, name, strlen(name), &entry.name));
  RUNG_TABLE_GROW(scope->name);
  scope->name.entry[scope->name.n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *last_name(RungScope scope)
{
  return scope->name.entry[scope->name.n - 1].name;
}

PetscErrorCode RungScopeSetDimension(RungScope scope, PetscInt dim)
{
  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "no scope given");
  PetscCheck(dim >= 1 && dim <= 3, scope->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "dimension %" PetscInt_FMT "; it is 1, 2 or 3", dim);
  PetscCheck(!scope->dim || scope->dim == dim, scope->comm, PETSC_ERR_ARG_INCOMP,
             "dimension %" PetscInt_FMT " in a scope of dimension %" PetscInt_FMT "; use another scope", dim,
             scope->dim);
  scope->dim = dim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first space says d and whether cells or points; later ones must agree. */
static PetscErrorCode agree(RungScope scope, const char name[], const RungSpaceData *space)
{
  const RungMeshData *mesh;
  PetscBool           points;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  points = mesh->type == RUNG_POINT ? PETSC_TRUE : PETSC_FALSE;
  PetscCheck(!scope->dim || scope->dim == mesh->dim, scope->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" lives on a mesh of dimension %" PetscInt_FMT ", its scope has dimension %" PetscInt_FMT
             "; one scope has one dimension",
             name, mesh->dim, scope->dim);
  PetscCheck(!(scope->unknown.n + scope->field.n) || scope->points == points, scope->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" lives on a mesh of %s, those before it on %s; one scope has one kind of mesh", name,
             points ? "points" : "cells", points ? "cells" : "points");
  scope->dim    = mesh->dim;
  scope->points = points;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeAddUnknown(RungScope scope, const char name[], const char test[], RungSpace space)
{
  const RungSpaceData *data;
  RungUnknownEntry     entry = {.space = space};
  char                 reason[RUNG_MESSAGE];

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && name && test && space, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "an unknown needs a scope, a name, the name of its test function and a space");
  PetscCheck(scope->unknown.n < RUNG_MAX_UNKNOWNS, scope->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "more than %d unknowns; \"%s\" is one too many", RUNG_MAX_UNKNOWNS, name);
  PetscCheck(strcmp(name, test) != 0, scope->comm, PETSC_ERR_ARG_WRONG,
             "\"%s\" names the unknown and its test function; they need two names", name);
  PetscCall(RungNameCheck(scope, test, reason)); /* before the first name is taken */
  PetscCheck(!reason[0], scope->comm, PETSC_ERR_ARG_WRONG, "%s", reason);
  PetscCall(RungNameCheck(scope, name, reason));
  PetscCheck(!reason[0], scope->comm, PETSC_ERR_ARG_WRONG, "%s", reason);
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(agree(scope, name, data));
  RUNG_TABLE_GROW(scope->unknown);
  PetscCall(declare(scope, name, RUNG_NAME_UNKNOWN, scope->unknown.n));
  entry.name = last_name(scope);
  PetscCall(declare(scope, test, RUNG_NAME_TEST, scope->unknown.n));
  entry.test = last_name(scope);
  entry.rank = data->rank;
  for (PetscInt i = 0; i < 2; ++i) entry.shape[i] = data->shape[i];
  PetscCall(RungSpaceReference(space));
  scope->unknown.entry[scope->unknown.n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeAddField(RungScope scope, const char name[], RungField field)
{
  const RungSpaceData *data;
  RungFieldEntry       entry = {.field = field};
  RungSpace            space;
  char                 reason[RUNG_MESSAGE];

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && name && field, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "a field needs a scope and a name");
  PetscCall(RungNameCheck(scope, name, reason));
  PetscCheck(!reason[0], scope->comm, PETSC_ERR_ARG_WRONG, "%s", reason);
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(agree(scope, name, data));
  RUNG_TABLE_GROW(scope->field);
  PetscCall(declare(scope, name, RUNG_NAME_FIELD, scope->field.n));
  entry.name = last_name(scope);
  entry.rank = data->rank;
  for (PetscInt i = 0; i < 2; ++i) entry.shape[i] = data->shape[i];
  scope->field.entry[scope->field.n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeReadsField(RungScope scope, RungField field, PetscBool *reads)
{
  PetscFunctionBegin;
  RungNeed(scope);
  *reads = PETSC_FALSE;
  for (PetscInt i = 0; i < scope->field.n; ++i) {
    if (scope->field.entry[i].field == field) *reads = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry of a field that has no name in texts but dt(..) of another. */
static PetscErrorCode add_rate(RungScope scope, PetscInt field, RungField rate, PetscInt *index)
{
  RungFieldEntry entry = scope->field.entry[field];
  char           name[RUNG_MESSAGE];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "dt(%s)", entry.name));
  entry.field = rate;
  PetscCall(RungArenaCopy(scope, name, strlen(name), &entry.name));
  RUNG_TABLE_GROW(scope->field);
  *index                               = scope->field.n;
  scope->field.entry[scope->field.n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeFieldRate(RungScope scope, PetscInt field, PetscInt *rate)
{
  RungField of;

  PetscFunctionBegin;
  PetscCall(RungFieldGetRate(scope->field.entry[field].field, &of));
  *rate = -1;
  if (!of) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < scope->field.n; ++i) {
    if (scope->field.entry[i].field == of) *rate = i;
  }
  if (*rate < 0) PetscCall(add_rate(scope, field, of, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeSetConstant(RungScope scope, const char name[], PetscReal value)
{
  const RungNameEntry *known;

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && name, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "a constant needs a scope and a name");
  PetscCheck(!PetscIsInfOrNanReal(value), scope->comm, PETSC_ERR_FP, "constant \"%s\" is not a finite number", name);
  known = RungScopeFind(scope, name, strlen(name));
  if (known && known->kind == RUNG_NAME_CONSTANT) {
    scope->value.entry[known->index] = value;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RUNG_TABLE_GROW(scope->constant);
  RUNG_TABLE_GROW(scope->value);
  PetscCall(declare(scope, name, RUNG_NAME_CONSTANT, scope->constant.n));
  scope->constant.entry[scope->constant.n++] = last_name(scope);
  scope->value.entry[scope->value.n++]       = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeGetConstant(RungScope scope, const char name[], PetscReal *value)
{
  const RungNameEntry *known;
  char                 nearest[RUNG_MESSAGE];

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && name && value, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "a constant needs a scope, a name and a place");
  known = RungScopeFind(scope, name, strlen(name));
  if (!known || known->kind != RUNG_NAME_CONSTANT) {
    PetscCall(RungScopeSuggest(scope, name, PETSC_FALSE, NULL, nearest));
    SETERRQ(scope->comm, PETSC_ERR_ARG_WRONG, "\"%.80s\" is no constant%s", name, known ? "" : nearest);
  }
  *value = scope->value.entry[known->index];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeGetConstants(RungScope scope, PetscInt *n, const char *const **names, const PetscReal **values)
{
  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "no scope given");
  if (n) *n = scope->constant.n - RUNG_HIDDEN_CONSTANTS;
  if (names) *names = scope->constant.entry + RUNG_HIDDEN_CONSTANTS;
  if (values) *values = scope->value.entry + RUNG_HIDDEN_CONSTANTS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeGetKernelConstants(RungScope scope, const PetscReal **values)
{
  PetscFunctionBegin;
  RungNeed(scope);
  RungNeed(values);
  (void)RungScopeConstants(scope, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeDefine(RungScope scope, const char name[], const char text[])
{
  RungDefinition *definition;
  char            label[RUNG_MAX_NAME + 16];

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && name && text, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "a definition needs a scope, a name and a text");
  RUNG_TABLE_GROW(scope->definition);
  PetscCall(declare(scope, name, RUNG_NAME_DEFINITION, scope->definition.n));
  PetscCall(RungArenaGet(scope, sizeof *definition, &definition));
  *definition = (RungDefinition){.name = last_name(scope), .node = -1};
  snprintf(label, sizeof label, "definition \"%s\"", name);
  PetscCall(RungScopeAddText(scope, label, text, &definition->text));
  scope->definition.entry[scope->definition.n++] = definition;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeTellConstants(RungScope scope, RungDraft *said)
{
  const char *const *name;
  const PetscReal   *value;
  PetscInt           n;

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCall(RungScopeGetConstants(scope, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i) PetscCall(RungDraftAdd(said, "constant %s = %.17g\n", name[i], (double)value[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeTell(RungScope scope, RungDraft *said)
{
  PetscFunctionBegin;
  RungNeed(scope);
  PetscCall(RungScopeTellConstants(scope, said));
  for (PetscInt i = 0; i < scope->definition.n; ++i) {
    const RungDefinition *definition = scope->definition.entry[i];

    if (!definition->local)
      PetscCall(RungDraftAdd(said, "definition %s = %s\n", definition->name, scope->text.entry[definition->text].text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- texts and strings ------------------------------------------------------------------------------------------ */

PetscErrorCode RungScopeAddText(RungScope scope, const char label[], const char text[], PetscInt *number)
{
  const size_t  length = strlen(text);
  RungScopeText entry  = {.length = (PetscInt)length};

  PetscFunctionBegin;
  PetscCheck(length < (size_t)PETSC_MAX_INT / 4, scope->comm, PETSC_ERR_ARG_SIZ,
             "%.80s: a text of %zu bytes is too long", label ? label : "text", length);
  PetscCall(RungArenaCopy(scope, text, length, &entry.text));
  PetscCall(RungArenaCopy(scope, label ? label : "", label ? strlen(label) : 0, &entry.label));
  RUNG_TABLE_GROW(scope->text);
  *number                            = scope->text.n;
  scope->text.entry[scope->text.n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeAddString(RungScope scope, const char string[], size_t length, PetscInt *number)
{
  PetscFunctionBegin;
  for (*number = 0; *number < scope->string.n; ++*number) {
    const char *known = scope->string.entry[*number];

    if (!strncmp(known, string, length) && !known[length]) PetscFunctionReturn(PETSC_SUCCESS);
  }
  RUNG_TABLE_GROW(scope->string);
  PetscCall(RungArenaCopy(scope, string, length, &scope->string.entry[scope->string.n]));
  ++scope->string.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what the back of the room reads ---------------------------------------------------------------------------- */

const RungNode *RungScopeNode(RungScope scope, PetscInt node)
{
  return &scope->chunk.entry[node / RUNG_CHUNK][node % RUNG_CHUNK].node;
}
PetscInt RungScopeDim(RungScope scope)
{
  return scope->dim;
}
MPI_Comm RungScopeComm(RungScope scope)
{
  return scope->comm;
}
PetscInt RungScopeUnknowns(RungScope scope)
{
  return scope->unknown.n;
}
const char *RungScopeUnknownName(RungScope scope, PetscInt unknown)
{
  return scope->unknown.entry[unknown].name;
}
const char *RungScopeTestName(RungScope scope, PetscInt unknown)
{
  return scope->unknown.entry[unknown].test;
}
RungSpace RungScopeUnknownSpace(RungScope scope, PetscInt unknown)
{
  return scope->unknown.entry[unknown].space;
}
PetscInt RungScopeFields(RungScope scope)
{
  return scope->field.n;
}
const char *RungScopeFieldName(RungScope scope, PetscInt field)
{
  return scope->field.entry[field].name;
}
RungField RungScopeFieldOf(RungScope scope, PetscInt field)
{
  return scope->field.entry[field].field;
}
const char *RungScopeConstantName(RungScope scope, PetscInt constant)
{
  return scope->constant.entry[constant];
}
const char *RungScopeString(RungScope scope, PetscInt string)
{
  return string < 0 ? "" : scope->string.entry[string];
}
PetscInt RungScopeVariableValue(RungScope scope, PetscInt variable)
{
  return scope->variable.entry[variable].value;
}

PetscInt RungScopeConstants(RungScope scope, const PetscReal **values)
{
  if (values) *values = scope->value.entry;
  return scope->constant.n;
}
