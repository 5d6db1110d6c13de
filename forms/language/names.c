/* names.c - what a name stands for where it is read: leaves, definitions, variables of diff().

   A definition is read when its name is met, and its value kept.  diff(W, F) reads W once more in a frame, in which F's
   name means a variable; frames keep their own readings of definitions.  Arguments of grad, div, curl and dt are read
   outside of all frames: a derivative of F is not F.                                                                 */
#include "parse_impl.h"
#include <stdio.h>
#include <string.h>

static PetscErrorCode check_cycle(RungParser *p, const RungDefinition *d, PetscInt at, PetscInt end)
{
  const RungParser *q = p;
  char              chain[RUNG_MESSAGE / 2], message[RUNG_MESSAGE], next[RUNG_MESSAGE / 2];

  PetscFunctionBegin;
  snprintf(chain, sizeof chain, "%s", d->name);
  for (; q && q->definition != d; q = q->up) {
    if (!q->definition) continue;
    snprintf(next, sizeof next, "%s -> %.400s", q->definition->name, chain);
    memcpy(chain, next, sizeof chain);
  }
  if (!q) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(message, sizeof message, "definition \"%s\" depends on itself: %s -> %s", d->name, d->name, chain);
  PetscCall(RungReadError(p, at, end, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where readings of definitions are kept: with the definition, or in the frame. */
static PetscErrorCode keep(RungParser *p, RungDefinition *d, PetscInt node)
{
  RungReading *reading;

  PetscFunctionBegin;
  if (!p->frame)
    d->node = node;
  else {
    PetscCall(RungArenaGet(p->scope, sizeof *reading, &reading));
    *reading          = (RungReading){d, node, p->frame->reading};
    p->frame->reading = reading;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt kept(const RungParser *p, const RungDefinition *d)
{
  if (!p->frame) return d->node;
  for (const RungReading *r = p->frame->reading; r; r = r->next) {
    if (r->definition == d) return r->node;
  }
  return -1;
}

static PetscErrorCode read_definition(RungParser *p, RungDefinition *d, RungParsedValue *v)
{
  RungParser      q = {.scope      = p->scope,
                       .text       = d->text,
                       .local      = d->before,
                       .definition = d,
                       .frame      = p->frame,
                       .up         = p,
                       .depth      = p->depth};
  RungParsedValue value;

  PetscFunctionBegin;
  for (const RungFrame *f = p->frame; f; f = f->up) {
    if (f->definition == d) {
      v->node = f->variable;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  v->node = kept(p, d);
  if (v->node >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_cycle(p, d, v->at, v->end));
  q.readings = p->readings;
  if (++*q.readings > RUNG_MAX_READINGS) {
    PetscCall(RungReadError(p, v->at, v->end,
                            "definitions that unfold too often inside diff(); take derivatives of fewer of them"));
  }
  PetscCall(RungReadEnter(&q));
  PetscCall(RungReadStart(&q, d->from));
  if (d->local) {
    PetscCall(RungParseSum(&q, &value));
    PetscCall(RungReadNeedValue(&q, &value));
  } else {
    PetscCall(RungParseText(&q, &value));
  }
  v->node = value.node;
  PetscCall(keep(p, d, v->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* name "=" sum ";"  with the name already read */
PetscErrorCode RungParseDefinition(RungParser *p, const RungToken *name)
{
  RungDefinition *d;
  RungParsedValue value;
  char            reason[RUNG_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RungArenaGet(p->scope, sizeof *d, &d));
  *d = (RungDefinition){.text = p->text, .from = p->token.at, .local = PETSC_TRUE, .before = p->local, .node = -1};
  PetscCall(RungArenaCopy(p->scope, RungReadSource(p) + name->at, (size_t)name->length, &d->name));
  PetscCall(RungNameCheck(p->scope, d->name, reason));
  for (const RungDefinition *l = p->local; l; l = l->before) {
    if (!strcmp(l->name, d->name))
      snprintf(reason, sizeof reason, "\"%s\" is defined twice in this text; choose another name", d->name);
  }
  if (reason[0]) PetscCall(RungReadError(p, name->at, name->at + name->length, reason));
  PetscCall(RungParseSum(p, &value));
  PetscCall(RungReadNeedValue(p, &value));
  PetscCall(RungReadExpect(p, ";", "the semicolon after a definition"));
  PetscCall(keep(p, d, value.node));
  p->local = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why a name that this text defines is not known here: "" if it does not. */
static PetscErrorCode find_definition(RungParser *p, const RungToken *name, const char **why)
{
  RungToken token, next;
  PetscInt  at = 0;

  PetscFunctionBegin;
  *why = "";
  PetscCall(RungLexNext(p->scope, p->text, &at, &token));
  while (token.kind != RUNG_TOKEN_END && !**why) {
    PetscCall(RungLexNext(p->scope, p->text, &at, &next));
    if (token.kind == RUNG_TOKEN_NAME && token.length == name->length && next.kind == RUNG_TOKEN_MARK &&
        !strcmp(next.mark, "=") &&
        !memcmp(RungReadSource(p) + token.at, RungReadSource(p) + name->at, (size_t)token.length))
      *why = token.at < name->at ? "; a definition cannot use itself"
                                 : "; it is defined further on, definitions are read in order";
    token = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungParseUnknown(RungParser *p, const RungToken *name, PetscBool call_)
{
  static const char *const kind[] = {"an unknown", "a test function", "a constant", "a field", "a definition"};
  char                     message[RUNG_MESSAGE], word[RUNG_MAX_NAME + 1], nearest[RUNG_MESSAGE], list[RUNG_MESSAGE];
  const char              *why;
  const RungNameEntry     *entry;
  const RungOp             op = RungOpFind(RungReadSource(p) + name->at, (size_t)name->length);

  PetscFunctionBegin;
  PetscCall(find_definition(p, name, &why));
  snprintf(word, sizeof word, "%.*s", (int)name->length, RungReadSource(p) + name->at);
  entry = RungScopeFind(p->scope, word, (size_t)name->length);
  PetscCall(RungScopeSuggest(p->scope, word, call_, p->local, nearest));
  RungOperatorList(list, sizeof list);
  if (call_ && entry)
    snprintf(message, sizeof message, "\"%s\" is %s, not an operator; a product is written %s*(..)", word,
             kind[entry->kind], word);
  else if (call_ && op != RUNG_OPS)
    snprintf(message, sizeof message,
             "\"%s\" is a value, not an operator; a product is written %s*(..), a component %s[0]", word, word, word);
  else if (call_ && nearest[0])
    snprintf(message, sizeof message, "\"%s\" is not an operator%.100s", word, nearest);
  else if (call_)
    snprintf(message, sizeof message, "\"%s\" is not an operator; known are %.900s", word, list);
  else if (op == RUNG_OP_NOT)
    snprintf(message, sizeof message,
             "\"not\" stands in parentheses or as an argument, like (not a) or if(not a, b, c)");
  else if (op != RUNG_OPS)
    snprintf(message, sizeof message, "\"%s\" is an operator; it wants arguments in parentheses", word);
  else
    snprintf(message, sizeof message, "unknown name \"%s\"%.100s", word, why[0] ? why : nearest);
  PetscCall(RungReadError(p, name->at, name->at + name->length, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entry(RungParser *p, const RungNameEntry *entry, RungParsedValue *v)
{
  static const RungOp op[] = {RUNG_OP_UNKNOWN, RUNG_OP_TEST, RUNG_OP_CONSTANT, RUNG_OP_FIELD};

  PetscFunctionBegin;
  if (entry->kind == RUNG_NAME_DEFINITION)
    PetscCall(read_definition(p, p->scope->definition.entry[entry->index], v));
  else
    PetscCall(RungReadTerminal(p, op[entry->kind], entry->index, v));
  for (const RungFrame *f = p->frame; f && entry->kind == RUNG_NAME_UNKNOWN; f = f->up) {
    if (f->unknown == v->node) {
      v->node = f->variable;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_operand(const RungParser *p, const RungToken *name)
{
  return p->rule && name->length == 1 && strchr("abcr", RungReadSource(p)[name->at]) ? PETSC_TRUE : PETSC_FALSE;
}

/* A name that is no call. */
PetscErrorCode RungParseName(RungParser *p, const RungToken *name, RungParsedValue *v)
{
  const char           *word   = RungReadSource(p) + name->at;
  const size_t          length = (size_t)name->length;
  const RungOp          op     = RungOpFind(word, length);
  const RungNameEntry  *entry  = RungScopeFind(p->scope, word, length);
  const RungDefinition *l      = p->local;

  PetscFunctionBegin;
  while (l && !RungReadIs(p, name, l->name)) l = l->before;
  if (is_operand(p, name))
    PetscCall(RungReadTerminal(p, RUNG_OP_OPERAND, (PetscInt)(strchr("abcr", word[0]) - "abcr"), v));
  else if (l)
    PetscCall(read_definition(p, (RungDefinition *)l, v));
  else if (op != RUNG_OPS && rung_ops[op].class_ == RUNG_CLASS_TERMINAL)
    PetscCall(RungReadTerminal(p, op, -1, v));
  else if (RungReadIs(p, name, "pi"))
    PetscCall(RungReadNumber(p, PETSC_PI, v));
  else if (RungReadIs(p, name, "d")) {
    if (!p->scope->dim)
      PetscCall(
        RungReadError(p, v->at, v->end, "\"d\" is not known yet; declare an unknown or set the dimension first"));
    PetscCall(RungReadNumber(p, (PetscReal)p->scope->dim, v));
  } else if (entry)
    PetscCall(read_entry(p, entry, v));
  else
    PetscCall(RungParseUnknown(p, name, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The frame of diff(W, name): what the name is, and the variable that it will be. */
PetscErrorCode RungParseFrame(RungParser *p, const RungToken *name, RungFrame *frame)
{
  const RungNameEntry  *entry = RungScopeFind(p->scope, RungReadSource(p) + name->at, (size_t)name->length);
  const RungDefinition *l     = p->local;
  RungParsedValue       v     = {.at = name->at, .end = name->at + name->length};
  PetscInt              twins = 0;

  PetscFunctionBegin;
  while (l && !RungReadIs(p, name, l->name)) l = l->before;
  PetscCall(RungParseName(p, name, &v));
  *frame = (RungFrame){.up = p->frame, .unknown = -1};
  if (l)
    frame->definition = l;
  else if (entry && entry->kind == RUNG_NAME_DEFINITION)
    frame->definition = p->scope->definition.entry[entry->index];
  else if (entry && entry->kind == RUNG_NAME_UNKNOWN)
    PetscCall(RungNodeTerminal(p->scope, RUNG_OP_UNKNOWN, entry->index, &frame->unknown));
  else
    PetscCall(RungReadError(p, v.at, v.end,
                            "diff() wants the name of an unknown or of a definition as second argument; define one, "
                            "c = ..;, and use it in the first"));
  if (RungScopeNode(p->scope, v.node)->integral || RungScopeNode(p->scope, v.node)->arity) {
    PetscCall(RungReadError(p, v.at, v.end, "diff() differentiates by point values without test functions"));
  }
  for (const RungFrame *f = p->frame; f; f = f->up) {
    twins += RungScopeVariableValue(p->scope, RungScopeNode(p->scope, f->variable)->index[0]) == v.node;
  }
  PetscCall(RungNodeVariable(p->scope, v.node, twins, &frame->variable));
  PetscFunctionReturn(PETSC_SUCCESS);
}
