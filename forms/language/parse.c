/* parse.c - tokens to nodes, one function a production:

     text    = { name "=" sum ";" } sum                     or  = and { "or" and }
     sum     = product { ( "+" | "-" ) product }            and = not { "and" not }
     product = unary { ( "*" | "/" ) unary }                not = "not" not | cmp
     unary   = "-" unary | power                            cmp = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
     power   = postfix [ "^" unary ]
     postfix = atom { "[" sum { "," sum } "]" }
     atom    = number | name | name "(" or { "," or } ")" | value | table | measure | "(" or ")"
     value   = "value" "(" part ":" or { "," part ":" or } [ "," "else" ":" or ] ")"
     table   = "table" "(" string { "," ( or | option ) } ")"
     option  = "column" ":" part | "method" ":" ( "linear" | "cubic" ) | "derivative" ":" number
     measure = ( "dx" | "ds" | "dS" | "dR" | "dP" | "dl" ) [ "(" [ part ] [ "," degree ] ")" ]
     part    = name | number | string                       degree = [ "degree" ":" ] number | "rule" ":" "nodes"
   dx(2) is a part named by its number; a degree alone is dx("", 4) or dx(degree: 4).                     */
#include "parse_impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static PetscErrorCode parse_or(RungParser *p, RungParsedValue *v);
static PetscErrorCode parse_unary(RungParser *p, RungParsedValue *v);

/* text = { name "=" sum ";" } sum */
PetscErrorCode RungParseText(RungParser *p, RungParsedValue *v)
{
  PetscFunctionBegin;
  while (p->token.kind == RUNG_TOKEN_NAME) {
    const RungToken name = p->token;
    RungToken       mark;
    PetscInt        at = p->at;

    PetscCall(RungLexNext(p->scope, p->text, &at, &mark));
    if (mark.kind == RUNG_TOKEN_MARK && mark.mark[0] == ':')
      PetscCall(RungReadError(p, mark.at, at, "unexpected :; a definition is written name = ..;"));
    if (mark.kind != RUNG_TOKEN_MARK || strcmp(mark.mark, "=") != 0) break;
    PetscCall(RungReadNext(p));
    PetscCall(RungReadNext(p));
    PetscCall(RungParseDefinition(p, &name));
  }
  PetscCall(RungParseSum(p, v));
  PetscCall(RungReadNeedValue(p, v));
  if (p->token.kind != RUNG_TOKEN_END) PetscCall(RungReadUnexpected(p, "an operator or the end"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

PetscErrorCode RungParseArgument(RungParser *p, RungParsedValue *v)
{
  RungToken next;
  PetscInt  at = p->at;

  PetscFunctionBegin;
  if (p->token.kind == RUNG_TOKEN_NAME) {
    PetscCall(RungLexNext(p->scope, p->text, &at, &next));
    if (next.kind == RUNG_TOKEN_MARK && next.mark[0] == ':') {
      PetscCall(RungReadError(p, p->token.at, next.at + 1,
                              "a named argument; measures, value() and table() have such, like dx(degree: 4)"));
    }
  }
  PetscCall(parse_or(p, v));
  PetscCall(RungReadNeedValue(p, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the comma that ends the first argument, and the name behind it, which must be all of the second. */
static PetscErrorCode find_second(RungParser *p, PetscInt at, PetscInt end, RungToken *name)
{
  RungToken token = p->token, behind;
  PetscInt  ahead = p->at, depth = 0;

  PetscFunctionBegin;
  while (token.kind != RUNG_TOKEN_END && (depth || token.kind != RUNG_TOKEN_MARK || !strchr(",)", token.mark[0]))) {
    if (token.kind == RUNG_TOKEN_MARK)
      depth += (strchr("([", token.mark[0]) != NULL) - (strchr(")]", token.mark[0]) != NULL);
    PetscCall(RungLexNext(p->scope, p->text, &ahead, &token));
  }
  if (token.kind != RUNG_TOKEN_MARK || token.mark[0] != ',')
    PetscCall(RungReadError(p, at, end, "diff() wants 2 arguments"));
  PetscCall(RungLexNext(p->scope, p->text, &ahead, name));
  PetscCall(RungLexNext(p->scope, p->text, &ahead, &behind));
  if (name->kind != RUNG_TOKEN_NAME || behind.kind != RUNG_TOKEN_MARK || behind.mark[0] != ')') {
    PetscCall(RungReadError(p, name->at, name->at + name->length,
                            "diff() wants the name of an unknown or of a definition as second argument; give the "
                            "expression a name first, F = ..;"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "diff" "(" or "," name ")"  from behind the parenthesis */
static PetscErrorCode parse_diff(RungParser *p, RungParsedValue *v)
{
  RungToken       name;
  RungFrame       frame;
  RungParsedValue w;
  PetscInt        pair[2], node;

  PetscFunctionBegin;
  PetscCall(find_second(p, v->at, p->end, &name));
  PetscCall(RungParseFrame(p, &name, &frame));
  p->frame = &frame;
  PetscCall(RungParseArgument(p, &w));
  p->frame = frame.up;
  PetscCall(RungReadExpect(p, ",", "a comma and the second argument of diff()"));
  PetscCall(RungReadNext(p));
  PetscCall(RungReadExpect(p, ")", "a closing parenthesis"));
  v->end  = p->end;
  pair[0] = w.node;
  pair[1] = frame.variable;
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeApply(p->scope, RUNG_OP_DIFF, 2, pair, NULL, &node));
  if (node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* or { "," or } ")"; the list grows in the arena */
static PetscErrorCode parse_arguments(RungParser *p, PetscInt *n, PetscInt **list)
{
  PetscInt room = 4, *grown;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(RungArenaGet(p->scope, (size_t)room * sizeof **list, list));
  while (!RungReadMark(p, ")") || *n) {
    RungParsedValue v;

    PetscCall(RungParseArgument(p, &v));
    if (*n == room) {
      PetscCall(RungArenaGet(p->scope, 2 * (size_t)room * sizeof **list, &grown));
      memcpy(grown, *list, (size_t)room * sizeof **list);
      *list = grown;
      room *= 2;
    }
    (*list)[(*n)++] = v.node;
    if (!RungReadMark(p, ",")) break;
    PetscCall(RungReadNext(p));
  }
  PetscCall(RungReadExpect(p, ")", "a comma or a closing parenthesis"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* name "(" or { "," or } ")"  with the name already read */
static PetscErrorCode parse_call(RungParser *p, const RungToken *name, RungParsedValue *v)
{
  const RungOp     op    = RungOpFind(RungReadSource(p) + name->at, (size_t)name->length);
  RungFrame *const frame = p->frame;
  PetscInt         n, *list;

  PetscFunctionBegin;
  if (op == RUNG_OPS || rung_ops[op].class_ == RUNG_CLASS_TERMINAL) PetscCall(RungParseUnknown(p, name, PETSC_TRUE));
  if (op == RUNG_OP_DERIVE && frame) {
    PetscCall(RungReadError(p, name->at, name->at + name->length, "derive() inside diff(); write one of the two out"));
  }
  PetscCall(RungReadNext(p));
  PetscCall(RungReadEnter(p));
  if (op == RUNG_OP_DIFF)
    PetscCall(parse_diff(p, v));
  else if (op == RUNG_OP_VALUE || op == RUNG_OP_TABLE)
    PetscCall(RungParseNamed(p, op, v));
  else {
    if (op == RUNG_OP_GRAD || op == RUNG_OP_DIVERGENCE || op == RUNG_OP_CURL || op == RUNG_OP_DT) p->frame = NULL;
    PetscCall(parse_arguments(p, &n, &list));
    p->frame = frame;
    v->end   = p->end;
    PetscCall(RungReadCall(p, op, n, list, v));
  }
  --p->depth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

static PetscErrorCode parse_word(RungParser *p, RungParsedValue *v)
{
  const RungToken name = p->token;

  PetscFunctionBegin;
  PetscCall(RungReadNext(p));
  v->end = p->end;
  if (RungReadIs(p, &name, "dx"))
    PetscCall(RungParseMeasure(p, RUNG_CELLS, v));
  else if (RungReadIs(p, &name, "ds"))
    PetscCall(RungParseMeasure(p, RUNG_BOUNDARY, v));
  else if (RungReadIs(p, &name, "dR"))
    PetscCall(RungParseMeasure(p, RUNG_GLOBAL, v));
  else if (RungReadIs(p, &name, "dS"))
    PetscCall(RungParseMeasure(p, RUNG_INTERIOR_FACETS, v));
  else if (RungReadIs(p, &name, "dP"))
    PetscCall(RungParseMeasure(p, RUNG_VERTICES, v));
  else if (RungReadIs(p, &name, "dl"))
    PetscCall(RungParseMeasure(p, RUNG_EDGES, v));
  else if (RungReadMark(p, "("))
    PetscCall(parse_call(p, &name, v));
  else
    PetscCall(RungParseName(p, &name, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* atom = number | name | name "(" .. ")" | measure | "(" or ")" */
static PetscErrorCode parse_atom(RungParser *p, RungParsedValue *v)
{
  PetscFunctionBegin;
  *v = (RungParsedValue){.at = p->token.at, .end = p->token.at + p->token.length};
  if (p->token.kind == RUNG_TOKEN_NUMBER) {
    PetscCall(RungReadNumber(p, p->token.number, v));
    PetscCall(RungReadNext(p));
  } else if (RungReadWord(p, "and") || RungReadWord(p, "or")) {
    PetscCall(RungReadUnexpected(p, "an expression"));
  } else if (p->token.kind == RUNG_TOKEN_NAME) {
    PetscCall(parse_word(p, v));
  } else if (RungReadMark(p, "(")) {
    const PetscInt at = v->at;

    PetscCall(RungReadEnter(p));
    PetscCall(RungReadNext(p));
    PetscCall(parse_or(p, v));
    PetscCall(RungReadExpect(p, ")",
                             RungReadMark(p, ",") ? "an operator or a closing parenthesis (vectors are vector(a, b))"
                                                  : "an operator or a closing parenthesis"));
    v->at  = at;
    v->end = p->end;
    --p->depth;
  } else {
    PetscCall(RungReadUnexpected(p, p->token.kind == RUNG_TOKEN_STRING
                                      ? "an expression (strings name parts of the mesh, as in dx(\"steel\"))"
                                      : "an expression"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* postfix = atom { "[" sum { "," sum } "]" } */
static PetscErrorCode parse_postfix(RungParser *p, RungParsedValue *v)
{
  PetscFunctionBegin;
  PetscCall(parse_atom(p, v));
  while (RungReadMark(p, "[")) {
    PetscInt index[RUNG_MAX_RANK], n = 0, node;

    PetscCall(RungReadNeedValue(p, v));
    PetscCall(RungReadEnter(p));
    do {
      RungParsedValue i;
      const RungNode *a;

      PetscCall(RungReadNext(p));
      PetscCall(RungParseSum(p, &i));
      PetscCall(RungReadNeedValue(p, &i));
      a = RungScopeNode(p->scope, i.node);
      if (a->op != RUNG_OP_NUMBER || a->rank || a->arity || a->number != floor(a->number) || fabs(a->number) > 1e6) {
        PetscCall(RungReadError(p, i.at, i.end, "an index is a whole number"));
      }
      if (n == RUNG_MAX_RANK) PetscCall(RungReadError(p, i.at, i.end, "more indices than any value has"));
      index[n++] = (PetscInt)a->number;
    } while (RungReadMark(p, ","));
    PetscCall(RungReadExpect(p, "]", "a comma or a closing bracket"));
    v->end = p->end;
    RungReadPlace(p, v->at, v->end);
    PetscCall(RungNodeIndex(p->scope, v->node, n, index, &node));
    if (node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, node)));
    v->node = node;
    --p->depth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* power = postfix [ "^" unary ] */
static PetscErrorCode parse_power(RungParser *p, RungParsedValue *v)
{
  RungParsedValue exponent;

  PetscFunctionBegin;
  PetscCall(parse_postfix(p, v));
  if (RungReadMark(p, "^")) {
    PetscCall(RungReadEnter(p));
    PetscCall(RungReadNext(p));
    PetscCall(parse_unary(p, &exponent));
    PetscCall(RungReadCall2(p, RUNG_OP_POW, v, &exponent));
    --p->depth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* unary = "-" unary | power */
static PetscErrorCode parse_unary(RungParser *p, RungParsedValue *v)
{
  const PetscInt at = p->token.at;

  PetscFunctionBegin;
  if (RungReadMark(p, "-")) {
    PetscCall(RungReadEnter(p));
    PetscCall(RungReadNext(p));
    PetscCall(parse_unary(p, v));
    PetscCall(RungReadNeedValue(p, v));
    v->at = at;
    PetscCall(RungReadCall(p, RUNG_OP_NEG, 1, &v->node, v));
    --p->depth;
  } else {
    PetscCall(parse_power(p, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v * measure */
static PetscErrorCode integrate(RungParser *p, RungParsedValue *v, const RungParsedValue *measure)
{
  PetscFunctionBegin;
  PetscCall(RungReadNeedValue(p, v));
  v->end = measure->end;
  if (RungScopeNode(p->scope, v->node)->integral)
    PetscCall(RungReadError(p, v->at, v->end, "an integral of an integral"));
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeIntegral(p->scope, v->node, measure->domain, measure->degree, measure->part, &v->node));
  if (v->node < 0) { /* the place may have moved to what is wrong in the integrand */
    PetscCall(RungReadError(p, p->scope->place.at, p->scope->place.at + p->scope->place.length,
                            RungScopeError(p->scope, v->node)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* product = unary { ( "*" | "/" ) unary } */
static PetscErrorCode parse_product(RungParser *p, RungParsedValue *v)
{
  PetscFunctionBegin;
  PetscCall(parse_unary(p, v));
  while (RungReadMark(p, "*") || RungReadMark(p, "/")) {
    const RungOp    op = RungReadMark(p, "*") ? RUNG_OP_MUL : RUNG_OP_DIV;
    RungParsedValue b;

    PetscCall(RungReadNext(p));
    if (op == RUNG_OP_MUL && RungReadMark(p, "*"))
      PetscCall(RungReadError(p, p->end - 1, p->token.at + 1, "unexpected **; a power is written ^"));
    PetscCall(parse_unary(p, &b));
    if (op == RUNG_OP_MUL && b.measure)
      PetscCall(integrate(p, v, &b));
    else
      PetscCall(RungReadCall2(p, op, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrals of a sum that is being read, which become one node at its end: a node for each + would hold all those
   before it. */
typedef struct {
  PetscInt n, room, *node; /* [n]; owned */
} Integrals;

static PetscErrorCode push_integral(Integrals *sum, PetscInt node)
{
  PetscFunctionBegin;
  if (sum->n == sum->room) {
    sum->room = PetscMax(8, 2 * sum->room);
    PetscCall(PetscRealloc((size_t)sum->room * sizeof *sum->node, &sum->node));
  }
  sum->node[sum->n++] = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse_terms(RungParser *p, Integrals *sum, RungParsedValue *v)
{
  PetscFunctionBegin;
  PetscCall(parse_product(p, v));
  while (RungReadMark(p, "+") || RungReadMark(p, "-")) {
    const PetscBool minus = RungReadMark(p, "-");
    RungParsedValue b;

    PetscCall(RungReadNext(p));
    PetscCall(parse_product(p, &b));
    PetscCall(RungReadNeedValue(p, v));
    PetscCall(RungReadNeedValue(p, &b));
    if (minus) PetscCall(RungReadCall(p, RUNG_OP_NEG, 1, &b.node, &b));
    if (!RungScopeNode(p->scope, v->node)->integral || !RungScopeNode(p->scope, b.node)->integral) {
      PetscCall(RungReadCall2(p, RUNG_OP_ADD, v, &b));
      continue;
    }
    if (!sum->n) PetscCall(push_integral(sum, v->node));
    PetscCall(push_integral(sum, b.node));
    v->end = b.end;
  }
  if (!sum->n) PetscFunctionReturn(PETSC_SUCCESS);
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeSumIntegrals(p->scope, sum->n, sum->node, &v->node));
  if (v->node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, v->node)));
  v->measure = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum = product { ( "+" | "-" ) product } */
PetscErrorCode RungParseSum(RungParser *p, RungParsedValue *v)
{
  Integrals sum = {0};

  PetscFunctionBegin;
  RungCallFinally(parse_terms(p, &sum, v), PetscCall(PetscFree(sum.node)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cmp = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] */
static PetscErrorCode parse_cmp(RungParser *p, RungParsedValue *v)
{
  static const RungOp op[] = {RUNG_OP_LT, RUNG_OP_LE, RUNG_OP_GT, RUNG_OP_GE, RUNG_OP_EQ, RUNG_OP_NE};
  RungParsedValue     b;

  PetscFunctionBegin;
  PetscCall(RungParseSum(p, v));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(op); ++i) {
    if (!RungReadMark(p, rung_ops[op[i]].name)) continue;
    PetscCall(RungReadNext(p));
    PetscCall(RungParseSum(p, &b));
    PetscCall(RungReadCall2(p, op[i], v, &b));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* not = "not" not | cmp */
static PetscErrorCode parse_not(RungParser *p, RungParsedValue *v)
{
  const PetscInt at = p->token.at;

  PetscFunctionBegin;
  if (RungReadWord(p, "not")) {
    PetscCall(RungReadEnter(p));
    PetscCall(RungReadNext(p));
    PetscCall(parse_not(p, v));
    PetscCall(RungReadNeedValue(p, v));
    v->at = at;
    PetscCall(RungReadCall(p, RUNG_OP_NOT, 1, &v->node, v));
    --p->depth;
  } else {
    PetscCall(parse_cmp(p, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* and = not { "and" not } */
static PetscErrorCode parse_and(RungParser *p, RungParsedValue *v)
{
  RungParsedValue b;

  PetscFunctionBegin;
  PetscCall(parse_not(p, v));
  while (RungReadWord(p, "and")) {
    PetscCall(RungReadNext(p));
    PetscCall(parse_not(p, &b));
    PetscCall(RungReadCall2(p, RUNG_OP_AND, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* or = and { "or" and } */
static PetscErrorCode parse_or(RungParser *p, RungParsedValue *v)
{
  RungParsedValue b;

  PetscFunctionBegin;
  PetscCall(parse_and(p, v));
  while (RungReadWord(p, "or")) {
    PetscCall(RungReadNext(p));
    PetscCall(parse_and(p, &b));
    PetscCall(RungReadCall2(p, RUNG_OP_OR, v, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode parse_whole(RungScope scope, const char label[], const char text[], PetscBool rule,
                                  PetscInt *node)
{
  PetscInt        readings = 0;
  RungParser      p        = {.scope = scope, .readings = &readings, .rule = rule};
  RungParsedValue v        = {.node = 0};
  PetscErrorCode  raised;

  PetscFunctionBegin;
  PetscCall(RungScopeAddText(scope, label, text, &p.text));
  PetscCall(RungReadStart(&p, 0));
  raised            = RungParseText(&p, &v);
  scope->place.text = -1;
  PetscCall(raised);
  *node = v.node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeParse(RungScope scope, const char label[], const char text[], RungExpr *expr)
{
  PetscInt node, first;

  PetscFunctionBegin;
  RungNeed(scope);
  PetscCheck(scope && text && expr, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "parsing needs a scope, a text and a place for the expression");
  first = scope->text.n; /* texts of definitions come behind it */
  PetscCall(parse_whole(scope, label, text, PETSC_FALSE, &node));
  scope->last = first < scope->text.n ? first : -1;
  *expr       = (RungExpr){scope, node};
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

  if (!scope) return (RungExpr){scope, PETSC_MIN_INT};
  if (!name) name = "";
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
