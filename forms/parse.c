/* parse.c - tokens to nodes, one function a production:

     text    = { name "=" sum ";" } sum                     or  = and { "or" and }
     sum     = product { ( "+" | "-" ) product }            and = not { "and" not }
     product = unary { ( "*" | "/" ) unary }                not = "not" not | cmp
     unary   = "-" unary | power                            cmp = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
     power   = postfix [ "^" unary ]
     postfix = atom { "[" sum { "," sum } "]" }
     atom    = number | name | name "(" or { "," or } ")" | measure | "(" or ")"
     measure = ( "dx" | "ds" ) [ "(" [ part ] [ "," degree ] ")" ]   part = name | number | string
                                                                     degree = [ "degree" ":" ] number
   dx(2) is a part named by its number; a degree alone is dx("", 4) or dx(degree: 4).

   Names stand for what they are where they are read.  A definition is read when its name is met and kept.  diff(W, F)
   reads W once more in a frame, in which F's name means a variable; frames keep their own readings of definitions.
   Arguments of grad, div, curl and dt are read outside of all frames: a derivative of F is not F.                    */
#include "scope_impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct _Reading Reading;
struct _Reading { /* a definition's value in a frame; arena */
  const RungDefinition *definition;
  PetscInt              node;
  Reading              *next;
};

typedef struct _Frame Frame;
struct _Frame { /* of one diff(); on the C stack */
  Frame                *up;
  const RungDefinition *definition; /* that the variable stands for, or */
  PetscInt              unknown;    /* the node of the unknown; -1      */
  PetscInt              variable;   /* node */
  Reading              *reading;
};

typedef struct _Parser Parser;
struct _Parser {
  RungScope             scope;
  PetscInt              text, at;   /* at: byte behind the token */
  RungToken             token;      /* the one to be read next */
  PetscInt              end;        /* of the last token read */
  const RungDefinition *local;      /* definitions of this text so far, last first */
  const RungDefinition *definition; /* being read; NULL: a text of its own */
  Frame                *frame;
  Parser               *up; /* reads a text that uses the definition */
  PetscInt              depth;
  PetscInt             *readings; /* definitions read so far, for all parsers of a text */
  PetscBool             rule;     /* a, b, c, r are operands */
};

typedef struct { /* what a production has read */
  PetscInt  node;
  PetscBool measure;
  PetscInt  domain, degree, part;
  PetscInt  at, end; /* bytes */
} Value;

static PetscErrorCode parse_or(Parser *p, Value *v);
static PetscErrorCode parse_sum(Parser *p, Value *v);
static PetscErrorCode parse_unary(Parser *p, Value *v);
static PetscErrorCode parse_text(Parser *p, Value *v);

/* ---- tokens and errors ------------------------------------------------------------------------------------------ */

static const char *source(const Parser *p)
{
  return p->scope->text.entry[p->text].text;
}

static PetscErrorCode raise(Parser *p, PetscInt at, PetscInt end, const char message[])
{
  PetscFunctionBegin;
  PetscCall(RungScopeRaiseAt(p->scope, p->text, at, end - at, PETSC_ERR_USER_INPUT, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(Parser *p)
{
  PetscFunctionBegin;
  p->end = p->token.at + p->token.length;
  PetscCall(RungLexNext(p->scope, p->text, &p->at, &p->token));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_mark(const Parser *p, const char mark[])
{
  return p->token.kind == RUNG_TOKEN_MARK && !strcmp(p->token.mark, mark) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_text(const Parser *p, const RungToken *token, const char word[])
{
  return (size_t)token->length == strlen(word) && !memcmp(source(p) + token->at, word, strlen(word)) ? PETSC_TRUE
                                                                                                     : PETSC_FALSE;
}

static PetscBool is_word(const Parser *p, const char word[])
{
  return p->token.kind == RUNG_TOKEN_NAME && is_text(p, &p->token, word) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode unexpected(Parser *p, const char wanted[])
{
  char           message[RUNG_MESSAGE];
  const char    *hint = "";
  const PetscInt cmp  = p->token.kind == RUNG_TOKEN_MARK && strchr("<>=!", p->token.mark[0]);

  PetscFunctionBegin;
  if (is_mark(p, "="))
    hint = "; definitions come first and end with a semicolon, equality is ==";
  else if (cmp || is_word(p, "and") || is_word(p, "or"))
    hint = "; comparisons stand in parentheses or as arguments";
  if (p->token.kind == RUNG_TOKEN_END)
    snprintf(message, sizeof message, "the text ends where %s is wanted", wanted);
  else {
    snprintf(message, sizeof message, "unexpected %.*s where %s is wanted%s", (int)PetscMin(40, p->token.length),
             source(p) + p->token.at, wanted, hint);
  }
  PetscCall(raise(p, p->token.at, p->token.at + p->token.length, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expect(Parser *p, const char mark[], const char wanted[])
{
  PetscFunctionBegin;
  if (!is_mark(p, mark)) PetscCall(unexpected(p, wanted));
  PetscCall(advance(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enter(Parser *p)
{
  char message[80];

  PetscFunctionBegin;
  if (++p->depth > RUNG_MAX_NESTING) {
    snprintf(message, sizeof message, "nested too deeply; %d levels are the most, give parts of it names",
             RUNG_MAX_NESTING);
    PetscCall(raise(p, p->token.at, p->token.at + p->token.length, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operators on what was read --------------------------------------------------------------------------------- */

static void mark_place(Parser *p, PetscInt at, PetscInt end)
{
  p->scope->place.text   = p->text;
  p->scope->place.at     = at;
  p->scope->place.length = end - at;
}

static PetscErrorCode need_value(Parser *p, const Value *v)
{
  PetscFunctionBegin;
  if (v->measure) {
    PetscCall(
      raise(p, v->at, v->end, "a measure without its integrand; it comes last in a product, like 1*dx or (a + b)*dx"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = op(arguments), written from v->at to v->end */
static PetscErrorCode call(Parser *p, RungOp op, PetscInt n, const PetscInt arg[], Value *v)
{
  PetscInt node;

  PetscFunctionBegin;
  mark_place(p, v->at, v->end);
  PetscCall(RungNodeCall(p->scope, op, n, arg, &node));
  if (node < 0) PetscCall(raise(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node    = node;
  v->measure = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call2(Parser *p, RungOp op, Value *v, const Value *b)
{
  const PetscInt arg[] = {v->node, b->node};

  PetscFunctionBegin;
  PetscCall(need_value(p, v));
  PetscCall(need_value(p, b));
  v->end = b->end;
  PetscCall(call(p, op, 2, arg, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode terminal(Parser *p, RungOp op, PetscInt index, Value *v)
{
  PetscFunctionBegin;
  mark_place(p, v->at, v->end);
  PetscCall(RungNodeTerminal(p->scope, op, index, &v->node));
  if (v->node < 0) PetscCall(raise(p, v->at, v->end, RungScopeError(p->scope, v->node)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number(Parser *p, PetscReal x, Value *v)
{
  PetscFunctionBegin;
  mark_place(p, v->at, v->end);
  PetscCall(RungNodeNumber(p->scope, x, &v->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- definitions ------------------------------------------------------------------------------------------------ */

static PetscErrorCode start(Parser *p, PetscInt from)
{
  PetscFunctionBegin;
  p->at  = from;
  p->end = from;
  PetscCall(RungLexNext(p->scope, p->text, &p->at, &p->token));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_cycle(Parser *p, const RungDefinition *d, PetscInt at, PetscInt end)
{
  const Parser *q = p;
  char          chain[RUNG_MESSAGE / 2], message[RUNG_MESSAGE], next[RUNG_MESSAGE / 2];

  PetscFunctionBegin;
  snprintf(chain, sizeof chain, "%s", d->name);
  for (; q && q->definition != d; q = q->up) {
    if (!q->definition) continue;
    snprintf(next, sizeof next, "%s -> %.400s", q->definition->name, chain);
    memcpy(chain, next, sizeof chain);
  }
  if (!q) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(message, sizeof message, "definition \"%s\" depends on itself: %s -> %s", d->name, d->name, chain);
  PetscCall(raise(p, at, end, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where readings of definitions are kept: with the definition, or in the frame. */
static PetscErrorCode keep(Parser *p, RungDefinition *d, PetscInt node)
{
  Reading *reading;

  PetscFunctionBegin;
  if (!p->frame)
    d->node = node;
  else {
    PetscCall(RungArenaGet(p->scope, sizeof *reading, &reading));
    *reading          = (Reading){d, node, p->frame->reading};
    p->frame->reading = reading;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt kept(const Parser *p, const RungDefinition *d)
{
  if (!p->frame) return d->node;
  for (const Reading *r = p->frame->reading; r; r = r->next) {
    if (r->definition == d) return r->node;
  }
  return -1;
}

static PetscErrorCode read_definition(Parser *p, RungDefinition *d, Value *v)
{
  Parser q = {.scope      = p->scope,
              .text       = d->text,
              .local      = d->before,
              .definition = d,
              .frame      = p->frame,
              .up         = p,
              .depth      = p->depth};
  Value  value;

  PetscFunctionBegin;
  for (const Frame *f = p->frame; f; f = f->up) {
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
    PetscCall(
      raise(p, v->at, v->end, "definitions that unfold too often inside diff(); take derivatives of fewer of them"));
  }
  PetscCall(enter(&q));
  PetscCall(start(&q, d->from));
  if (d->local) {
    PetscCall(parse_sum(&q, &value));
    PetscCall(need_value(&q, &value));
  } else {
    PetscCall(parse_text(&q, &value));
  }
  v->node = value.node;
  PetscCall(keep(p, d, v->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* name "=" sum ";"  with the name already read */
static PetscErrorCode parse_definition(Parser *p, const RungToken *name)
{
  RungDefinition *d;
  Value           value;
  char            reason[RUNG_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RungArenaGet(p->scope, sizeof *d, &d));
  *d = (RungDefinition){.text = p->text, .from = p->token.at, .local = PETSC_TRUE, .before = p->local, .node = -1};
  PetscCall(RungArenaCopy(p->scope, source(p) + name->at, (size_t)name->length, &d->name));
  PetscCall(RungNameCheck(p->scope, d->name, reason));
  for (const RungDefinition *l = p->local; l; l = l->before) {
    if (!strcmp(l->name, d->name))
      snprintf(reason, sizeof reason, "\"%s\" is defined twice in this text; choose another name", d->name);
  }
  if (reason[0]) PetscCall(raise(p, name->at, name->at + name->length, reason));
  PetscCall(parse_sum(p, &value));
  PetscCall(need_value(p, &value));
  PetscCall(expect(p, ";", "the semicolon after a definition"));
  PetscCall(keep(p, d, value.node));
  p->local = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* text = { name "=" sum ";" } sum */
static PetscErrorCode parse_text(Parser *p, Value *v)
{
  PetscFunctionBegin;
  while (p->token.kind == RUNG_TOKEN_NAME) {
    const RungToken name = p->token;
    RungToken       mark;
    PetscInt        at = p->at;

    PetscCall(RungLexNext(p->scope, p->text, &at, &mark));
    if (mark.kind != RUNG_TOKEN_MARK || strcmp(mark.mark, "=")) break;
    PetscCall(advance(p));
    PetscCall(advance(p));
    PetscCall(parse_definition(p, &name));
  }
  PetscCall(parse_sum(p, v));
  PetscCall(need_value(p, v));
  if (p->token.kind != RUNG_TOKEN_END) PetscCall(unexpected(p, "an operator or the end"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode unknown_name(Parser *p, const RungToken *name, PetscBool call_)
{
  static const char *const kind[] = {"an unknown", "a test function", "a constant", "a field", "a definition"};
  char                     message[RUNG_MESSAGE], word[RUNG_MAX_NAME + 1], nearest[RUNG_MESSAGE], list[RUNG_MESSAGE];
  const RungNameEntry     *entry;
  const RungOp             op = RungOpFind(source(p) + name->at, (size_t)name->length);

  PetscFunctionBegin;
  snprintf(word, sizeof word, "%.*s", (int)name->length, source(p) + name->at);
  entry = RungScopeFind(p->scope, word, (size_t)name->length);
  PetscCall(RungScopeSuggest(p->scope, word, call_, p->local, nearest));
  RungOperatorList(list, sizeof list);
  if (call_ && entry)
    snprintf(message, sizeof message, "\"%s\" is %s, not an operator; a product is written %s*(..)", word,
             kind[entry->kind], word);
  else if (call_ && nearest[0])
    snprintf(message, sizeof message, "\"%s\" is not an operator%.100s", word, nearest);
  else if (call_)
    snprintf(message, sizeof message, "\"%s\" is not an operator; known are %.900s", word, list);
  else if (op != RUNG_OPS)
    snprintf(message, sizeof message, "\"%s\" is an operator; it wants arguments in parentheses", word);
  else if (is_text(p, name, "dS")) {
    snprintf(message, sizeof message, "dS: integrals over interior facets are not part of this version; dx and ds are");
  } else {
    snprintf(message, sizeof message, "unknown name \"%s\"%.100s", word, nearest);
  }
  PetscCall(raise(p, name->at, name->at + name->length, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entry(Parser *p, const RungNameEntry *entry, Value *v)
{
  static const RungOp op[] = {RUNG_OP_UNKNOWN, RUNG_OP_TEST, RUNG_OP_CONSTANT, RUNG_OP_FIELD};

  PetscFunctionBegin;
  if (entry->kind == RUNG_NAME_DEFINITION)
    PetscCall(read_definition(p, p->scope->definition.entry[entry->index], v));
  else
    PetscCall(terminal(p, op[entry->kind], entry->index, v));
  for (const Frame *f = p->frame; f && entry->kind == RUNG_NAME_UNKNOWN; f = f->up) {
    if (f->unknown == v->node) {
      v->node = f->variable;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_operand(const Parser *p, const RungToken *name)
{
  return p->rule && name->length == 1 && strchr("abcr", source(p)[name->at]) ? PETSC_TRUE : PETSC_FALSE;
}

/* A name that is no call. */
static PetscErrorCode parse_name(Parser *p, const RungToken *name, Value *v)
{
  const char           *word   = source(p) + name->at;
  const size_t          length = (size_t)name->length;
  const RungOp          op     = RungOpFind(word, length);
  const RungNameEntry  *entry  = RungScopeFind(p->scope, word, length);
  const RungDefinition *l      = p->local;

  PetscFunctionBegin;
  while (l && !is_text(p, name, l->name)) l = l->before;
  if (is_operand(p, name))
    PetscCall(terminal(p, RUNG_OP_OPERAND, (PetscInt)(strchr("abcr", word[0]) - "abcr"), v));
  else if (l)
    PetscCall(read_definition(p, (RungDefinition *)l, v));
  else if (op != RUNG_OPS && rung_ops[op].class_ == RUNG_CLASS_TERMINAL)
    PetscCall(terminal(p, op, -1, v));
  else if (is_text(p, name, "pi"))
    PetscCall(number(p, PETSC_PI, v));
  else if (is_text(p, name, "d")) {
    if (!p->scope->dim)
      PetscCall(raise(p, v->at, v->end, "\"d\" is not known yet; declare an unknown or set the dimension first"));
    PetscCall(number(p, (PetscReal)p->scope->dim, v));
  } else if (entry)
    PetscCall(read_entry(p, entry, v));
  else
    PetscCall(unknown_name(p, name, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- measures --------------------------------------------------------------------------------------------------- */

static PetscErrorCode whole_number(Parser *p, const char what[], PetscInt *value)
{
  char message[120];

  PetscFunctionBegin;
  if (p->token.kind != RUNG_TOKEN_NUMBER) PetscCall(unexpected(p, what));
  if (p->token.number != floor(p->token.number) || p->token.number > RUNG_MAX_DEGREE) {
    snprintf(message, sizeof message, "%s is a whole number between 0 and %d", what, RUNG_MAX_DEGREE);
    PetscCall(raise(p, p->token.at, p->token.at + p->token.length, message));
  }
  *value = (PetscInt)p->token.number;
  PetscCall(advance(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [ "degree" ":" ] number; *named says whether the words were there */
static PetscErrorCode parse_degree(Parser *p, PetscBool must, PetscBool *named, Value *v)
{
  RungToken colon;
  PetscInt  at = p->at;

  PetscFunctionBegin;
  *named = PETSC_FALSE;
  if (is_word(p, "degree")) {
    PetscCall(RungLexNext(p->scope, p->text, &at, &colon));
    *named = colon.kind == RUNG_TOKEN_MARK && colon.mark[0] == ':' ? PETSC_TRUE : PETSC_FALSE;
  }
  if (*named) {
    PetscCall(advance(p));
    PetscCall(advance(p));
  }
  if (*named || must) PetscCall(whole_number(p, "the degree of quadrature", &v->degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* part = name | number | string */
static PetscErrorCode parse_part(Parser *p, Value *v)
{
  const RungToken token = p->token;
  const PetscInt  quote = token.kind == RUNG_TOKEN_STRING;

  PetscFunctionBegin;
  if (token.kind != RUNG_TOKEN_NAME && token.kind != RUNG_TOKEN_NUMBER && !quote)
    PetscCall(unexpected(p, "a part of the mesh"));
  if (token.kind == RUNG_TOKEN_NUMBER && strspn(source(p) + token.at, "0123456789") < (size_t)token.length) {
    PetscCall(raise(p, token.at, token.at + token.length, "a part of the mesh is a name, a whole number or a string"));
  }
  if (token.length > 2 * quote) {
    PetscCall(RungScopeAddString(p->scope, source(p) + token.at + quote, (size_t)(token.length - 2 * quote), &v->part));
  }
  PetscCall(advance(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* measure = ( "dx" | "ds" ) [ "(" [ part ] [ "," degree ] ")" ]  with the name already read */
static PetscErrorCode parse_measure(Parser *p, RungDomain domain, Value *v)
{
  PetscBool named;

  PetscFunctionBegin;
  v->measure = PETSC_TRUE;
  v->domain  = (PetscInt)domain;
  v->degree = v->part = -1;
  v->node             = 0;
  if (is_mark(p, "(")) {
    PetscCall(advance(p));
    PetscCall(parse_degree(p, PETSC_FALSE, &named, v));
    if (!named) PetscCall(parse_part(p, v));
    if (!named && is_mark(p, ",")) {
      PetscCall(advance(p));
      PetscCall(parse_degree(p, PETSC_TRUE, &named, v));
    }
    PetscCall(expect(p, ")", "the closing parenthesis of a measure"));
  }
  v->end = p->end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode parse_argument(Parser *p, Value *v)
{
  RungToken next;
  PetscInt  at = p->at;

  PetscFunctionBegin;
  if (p->token.kind == RUNG_TOKEN_NAME) {
    PetscCall(RungLexNext(p->scope, p->text, &at, &next));
    if (next.kind == RUNG_TOKEN_MARK && next.mark[0] == ':') {
      PetscCall(raise(p, p->token.at, next.at + 1, "a named argument; only measures have one, like dx(degree: 4)"));
    }
  }
  PetscCall(parse_or(p, v));
  PetscCall(need_value(p, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the comma that ends the first argument, and the name behind it, which must be all of the second. */
static PetscErrorCode find_second(Parser *p, PetscInt at, PetscInt end, RungToken *name)
{
  RungToken token = p->token, behind;
  PetscInt  ahead = p->at, depth = 0;

  PetscFunctionBegin;
  while (token.kind != RUNG_TOKEN_END && (depth || token.kind != RUNG_TOKEN_MARK || !strchr(",)", token.mark[0]))) {
    if (token.kind == RUNG_TOKEN_MARK)
      depth += (strchr("([", token.mark[0]) != NULL) - (strchr(")]", token.mark[0]) != NULL);
    PetscCall(RungLexNext(p->scope, p->text, &ahead, &token));
  }
  if (token.kind != RUNG_TOKEN_MARK || token.mark[0] != ',') PetscCall(raise(p, at, end, "diff() wants 2 arguments"));
  PetscCall(RungLexNext(p->scope, p->text, &ahead, name));
  PetscCall(RungLexNext(p->scope, p->text, &ahead, &behind));
  if (name->kind != RUNG_TOKEN_NAME || behind.kind != RUNG_TOKEN_MARK || behind.mark[0] != ')') {
    PetscCall(raise(p, name->at, name->at + name->length,
                    "diff() wants the name of an unknown or of a definition as second argument; give the "
                    "expression a name first, F = ..;"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The frame of diff(W, name): what the name is, and the variable that it will be. */
static PetscErrorCode open_frame(Parser *p, const RungToken *name, Frame *frame)
{
  const RungNameEntry  *entry = RungScopeFind(p->scope, source(p) + name->at, (size_t)name->length);
  const RungDefinition *l     = p->local;
  Value                 v     = {.at = name->at, .end = name->at + name->length};
  PetscInt              twins = 0;

  PetscFunctionBegin;
  while (l && !is_text(p, name, l->name)) l = l->before;
  PetscCall(parse_name(p, name, &v));
  *frame = (Frame){.up = p->frame, .unknown = -1};
  if (l)
    frame->definition = l;
  else if (entry && entry->kind == RUNG_NAME_DEFINITION)
    frame->definition = p->scope->definition.entry[entry->index];
  else if (entry && entry->kind == RUNG_NAME_UNKNOWN)
    PetscCall(RungNodeTerminal(p->scope, RUNG_OP_UNKNOWN, entry->index, &frame->unknown));
  else
    PetscCall(raise(p, v.at, v.end, "diff() wants the name of an unknown or of a definition as second argument"));
  if (RungScopeNode(p->scope, v.node)->integral || RungScopeNode(p->scope, v.node)->arity) {
    PetscCall(raise(p, v.at, v.end, "diff() differentiates by point values without test functions"));
  }
  for (const Frame *f = p->frame; f; f = f->up) {
    twins += RungScopeVariableValue(p->scope, RungScopeNode(p->scope, f->variable)->index[0]) == v.node;
  }
  PetscCall(RungNodeVariable(p->scope, v.node, twins, &frame->variable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "diff" "(" or "," name ")"  from behind the parenthesis */
static PetscErrorCode parse_diff(Parser *p, Value *v)
{
  RungToken name;
  Frame     frame;
  Value     w;
  PetscInt  pair[2], node;

  PetscFunctionBegin;
  PetscCall(find_second(p, v->at, p->end, &name));
  PetscCall(open_frame(p, &name, &frame));
  p->frame = &frame;
  PetscCall(parse_argument(p, &w));
  p->frame = frame.up;
  PetscCall(expect(p, ",", "a comma and the second argument of diff()"));
  PetscCall(advance(p));
  PetscCall(expect(p, ")", "a closing parenthesis"));
  v->end  = p->end;
  pair[0] = w.node;
  pair[1] = frame.variable;
  mark_place(p, v->at, v->end);
  PetscCall(RungNodeApply(p->scope, RUNG_OP_DIFF, 2, pair, NULL, &node));
  if (node < 0) PetscCall(raise(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* or { "," or } ")"; the list grows in the arena */
static PetscErrorCode parse_arguments(Parser *p, PetscInt *n, PetscInt **list)
{
  PetscInt room = 4, *grown;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(RungArenaGet(p->scope, (size_t)room * sizeof **list, list));
  while (!is_mark(p, ")") || *n) {
    Value v;

    PetscCall(parse_argument(p, &v));
    if (*n == room) {
      PetscCall(RungArenaGet(p->scope, 2 * (size_t)room * sizeof **list, &grown));
      memcpy(grown, *list, (size_t)room * sizeof **list);
      *list = grown;
      room *= 2;
    }
    (*list)[(*n)++] = v.node;
    if (!is_mark(p, ",")) break;
    PetscCall(advance(p));
  }
  PetscCall(expect(p, ")", "a comma or a closing parenthesis"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* name "(" or { "," or } ")"  with the name already read */
static PetscErrorCode parse_call(Parser *p, const RungToken *name, Value *v)
{
  const RungOp op    = RungOpFind(source(p) + name->at, (size_t)name->length);
  Frame *const frame = p->frame;
  PetscInt     n, *list;

  PetscFunctionBegin;
  if (op == RUNG_OPS || rung_ops[op].class_ == RUNG_CLASS_TERMINAL) PetscCall(unknown_name(p, name, PETSC_TRUE));
  if (op == RUNG_OP_DERIVE && frame) {
    PetscCall(raise(p, name->at, name->at + name->length, "derive() inside diff(); write one of the two out"));
  }
  PetscCall(advance(p));
  PetscCall(enter(p));
  if (op == RUNG_OP_DIFF)
    PetscCall(parse_diff(p, v));
  else {
    if (op == RUNG_OP_GRAD || op == RUNG_OP_DIVERGENCE || op == RUNG_OP_CURL || op == RUNG_OP_DT) p->frame = NULL;
    PetscCall(parse_arguments(p, &n, &list));
    p->frame = frame;
    v->end   = p->end;
    PetscCall(call(p, op, n, list, v));
  }
  --p->depth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

static PetscErrorCode parse_word(Parser *p, Value *v)
{
  const RungToken name = p->token;

  PetscFunctionBegin;
  PetscCall(advance(p));
  v->end = p->end;
  if (is_text(p, &name, "dx"))
    PetscCall(parse_measure(p, RUNG_CELLS, v));
  else if (is_text(p, &name, "ds"))
    PetscCall(parse_measure(p, RUNG_BOUNDARY, v));
  else if (is_text(p, &name, "dS"))
    PetscCall(unknown_name(p, &name, PETSC_FALSE));
  else if (is_mark(p, "("))
    PetscCall(parse_call(p, &name, v));
  else
    PetscCall(parse_name(p, &name, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* atom = number | name | name "(" .. ")" | measure | "(" or ")" */
static PetscErrorCode parse_atom(Parser *p, Value *v)
{
  PetscFunctionBegin;
  *v = (Value){.at = p->token.at, .end = p->token.at + p->token.length};
  if (p->token.kind == RUNG_TOKEN_NUMBER) {
    PetscCall(number(p, p->token.number, v));
    PetscCall(advance(p));
  } else if (is_word(p, "and") || is_word(p, "or")) {
    PetscCall(unexpected(p, "an expression"));
  } else if (p->token.kind == RUNG_TOKEN_NAME) {
    PetscCall(parse_word(p, v));
  } else if (is_mark(p, "(")) {
    const PetscInt at = v->at;

    PetscCall(enter(p));
    PetscCall(advance(p));
    PetscCall(parse_or(p, v));
    PetscCall(expect(p, ")", "an operator or a closing parenthesis"));
    v->at  = at;
    v->end = p->end;
    --p->depth;
  } else {
    PetscCall(unexpected(p, p->token.kind == RUNG_TOKEN_STRING
                              ? "an expression (strings name parts of the mesh, as in dx(\"steel\"))"
                              : "an expression"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* postfix = atom { "[" sum { "," sum } "]" } */
static PetscErrorCode parse_postfix(Parser *p, Value *v)
{
  PetscFunctionBegin;
  PetscCall(parse_atom(p, v));
  while (is_mark(p, "[")) {
    PetscInt index[RUNG_MAX_RANK], n = 0, node;

    PetscCall(need_value(p, v));
    PetscCall(enter(p));
    do {
      Value           i;
      const RungNode *a;

      PetscCall(advance(p));
      PetscCall(parse_sum(p, &i));
      PetscCall(need_value(p, &i));
      a = RungScopeNode(p->scope, i.node);
      if (a->op != RUNG_OP_NUMBER || a->rank || a->arity || a->number != floor(a->number) || fabs(a->number) > 1e6) {
        PetscCall(raise(p, i.at, i.end, "an index is a whole number"));
      }
      if (n == RUNG_MAX_RANK) PetscCall(raise(p, i.at, i.end, "more indices than any value has"));
      index[n++] = (PetscInt)a->number;
    } while (is_mark(p, ","));
    PetscCall(expect(p, "]", "a comma or a closing bracket"));
    v->end = p->end;
    mark_place(p, v->at, v->end);
    PetscCall(RungNodeIndex(p->scope, v->node, n, index, &node));
    if (node < 0) PetscCall(raise(p, v->at, v->end, RungScopeError(p->scope, node)));
    v->node = node;
    --p->depth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* power = postfix [ "^" unary ] */
static PetscErrorCode parse_power(Parser *p, Value *v)
{
  Value exponent;

  PetscFunctionBegin;
  PetscCall(parse_postfix(p, v));
  if (is_mark(p, "^")) {
    PetscCall(enter(p));
    PetscCall(advance(p));
    PetscCall(parse_unary(p, &exponent));
    PetscCall(call2(p, RUNG_OP_POW, v, &exponent));
    --p->depth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* unary = "-" unary | power */
static PetscErrorCode parse_unary(Parser *p, Value *v)
{
  const PetscInt at = p->token.at;

  PetscFunctionBegin;
  if (is_mark(p, "-")) {
    PetscCall(enter(p));
    PetscCall(advance(p));
    PetscCall(parse_unary(p, v));
    PetscCall(need_value(p, v));
    v->at = at;
    PetscCall(call(p, RUNG_OP_NEG, 1, &v->node, v));
    --p->depth;
  } else {
    PetscCall(parse_power(p, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v * measure */
static PetscErrorCode integrate(Parser *p, Value *v, const Value *measure)
{
  PetscFunctionBegin;
  PetscCall(need_value(p, v));
  v->end = measure->end;
  if (RungScopeNode(p->scope, v->node)->integral) PetscCall(raise(p, v->at, v->end, "an integral of an integral"));
  mark_place(p, v->at, v->end);
  PetscCall(RungNodeIntegral(p->scope, v->node, measure->domain, measure->degree, measure->part, &v->node));
  if (v->node < 0) PetscCall(raise(p, v->at, v->end, RungScopeError(p->scope, v->node)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* product = unary { ( "*" | "/" ) unary } */
static PetscErrorCode parse_product(Parser *p, Value *v)
{
  PetscFunctionBegin;
  PetscCall(parse_unary(p, v));
  while (is_mark(p, "*") || is_mark(p, "/")) {
    const RungOp op = is_mark(p, "*") ? RUNG_OP_MUL : RUNG_OP_DIV;
    Value        b;

    PetscCall(advance(p));
    if (op == RUNG_OP_MUL && is_mark(p, "*"))
      PetscCall(raise(p, p->end - 1, p->token.at + 1, "unexpected **; a power is written ^"));
    PetscCall(parse_unary(p, &b));
    if (op == RUNG_OP_MUL && b.measure)
      PetscCall(integrate(p, v, &b));
    else
      PetscCall(call2(p, op, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum = product { ( "+" | "-" ) product } */
static PetscErrorCode parse_sum(Parser *p, Value *v)
{
  PetscFunctionBegin;
  PetscCall(parse_product(p, v));
  while (is_mark(p, "+") || is_mark(p, "-")) {
    const PetscBool minus = is_mark(p, "-");
    Value           b;

    PetscCall(advance(p));
    PetscCall(parse_product(p, &b));
    PetscCall(need_value(p, &b));
    if (minus) PetscCall(call(p, RUNG_OP_NEG, 1, &b.node, &b));
    PetscCall(call2(p, RUNG_OP_ADD, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cmp = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] */
static PetscErrorCode parse_cmp(Parser *p, Value *v)
{
  static const RungOp op[] = {RUNG_OP_LT, RUNG_OP_LE, RUNG_OP_GT, RUNG_OP_GE, RUNG_OP_EQ, RUNG_OP_NE};
  Value               b;

  PetscFunctionBegin;
  PetscCall(parse_sum(p, v));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(op); ++i) {
    if (!is_mark(p, rung_ops[op[i]].name)) continue;
    PetscCall(advance(p));
    PetscCall(parse_sum(p, &b));
    PetscCall(call2(p, op[i], v, &b));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* not = "not" not | cmp */
static PetscErrorCode parse_not(Parser *p, Value *v)
{
  const PetscInt at = p->token.at;

  PetscFunctionBegin;
  if (is_word(p, "not")) {
    PetscCall(enter(p));
    PetscCall(advance(p));
    PetscCall(parse_not(p, v));
    PetscCall(need_value(p, v));
    v->at = at;
    PetscCall(call(p, RUNG_OP_NOT, 1, &v->node, v));
    --p->depth;
  } else {
    PetscCall(parse_cmp(p, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* and = not { "and" not } */
static PetscErrorCode parse_and(Parser *p, Value *v)
{
  Value b;

  PetscFunctionBegin;
  PetscCall(parse_not(p, v));
  while (is_word(p, "and")) {
    PetscCall(advance(p));
    PetscCall(parse_not(p, &b));
    PetscCall(call2(p, RUNG_OP_AND, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* or = and { "or" and } */
static PetscErrorCode parse_or(Parser *p, Value *v)
{
  Value b;

  PetscFunctionBegin;
  PetscCall(parse_and(p, v));
  while (is_word(p, "or")) {
    PetscCall(advance(p));
    PetscCall(parse_and(p, &b));
    PetscCall(call2(p, RUNG_OP_OR, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode parse_whole(RungScope scope, const char label[], const char text[], PetscBool rule,
                                  PetscInt *node)
{
  PetscInt       readings = 0;
  Parser         p        = {.scope = scope, .readings = &readings, .rule = rule};
  Value          v        = {.node = 0};
  PetscErrorCode raised;

  PetscFunctionBegin;
  PetscCall(RungScopeAddText(scope, label, text, &p.text));
  PetscCall(start(&p, 0));
  raised            = parse_text(&p, &v);
  scope->place.text = -1;
  PetscCall(raised);
  *node = v.node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeParse(RungScope scope, const char label[], const char text[], RungExpr *expr)
{
  PetscInt node;

  PetscFunctionBegin;
  PetscCheck(scope && text && expr, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "parsing needs a scope, a text and a place for the expression");
  PetscCall(parse_whole(scope, label, text, PETSC_FALSE, &node));
  *expr = (RungExpr){scope, node};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeParseRule(RungScope scope, const char text[], PetscInt *node)
{
  PetscFunctionBegin;
  PetscCall(parse_whole(scope, "derivative rule", text, PETSC_TRUE, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                   PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && text) snprintf((char *)ctx, 2 * RUNG_MESSAGE, "%s", text);
  return n;
}

/* A builder raises nothing: what is wrong with the name, or with the definition behind it, goes into the expression. */
RungExpr RungName(RungScope scope, const char name[])
{
  char           message[2 * RUNG_MESSAGE] = "", reason[RUNG_MESSAGE];
  PetscInt       node                      = PETSC_MIN_INT;
  PetscErrorCode raised;

  if (!scope || !name) return (RungExpr){scope, PETSC_MIN_INT};
  if (!RungScopeFind(scope, name, strlen(name)) && !RungNameReserved(name, strlen(name))) {
    if (RungScopeSuggest(scope, name, PETSC_FALSE, NULL, reason)) return (RungExpr){scope, PETSC_MIN_INT};
    raised = RungScopeFail(scope, &node, "unknown name \"%.60s\"%s", name, reason);
    return (RungExpr){scope, raised ? PETSC_MIN_INT : node};
  }
  if (PetscPushErrorHandler(keep_message, message)) return (RungExpr){scope, PETSC_MIN_INT};
  raised = parse_whole(scope, "", name, PETSC_FALSE, &node);
  if (PetscPopErrorHandler()) return (RungExpr){scope, PETSC_MIN_INT};
  if (raised) raised = RungScopeFail(scope, &node, "%s", message);
  return (RungExpr){scope, raised ? PETSC_MIN_INT : node};
}
