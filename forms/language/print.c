/* print.c - nodes to text, the inverse of the parser: reading the text gives the same node.

   Variables of diff() print as definitions in front, F1 = ..; and so do parts that are used often in a large
   expression, or lie deep in a nested one, e1 = ..;  Otherwise operands stand in the order of their first writing,
   except where another order saves parentheses. */
#include <rungown_room.h>
#include "rungnodal_room.h"
#include "scope_impl.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE  4000 /* operators of a text without shared parts */
#define SHARED 6    /* operators of a part that is worth a name */
#define DEEP   100  /* levels of parentheses, well below RUNG_MAX_NESTING */

/* How tightly a text binds; an operand that binds less tightly than its place wants gets parentheses. */
typedef enum {
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_CMP,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVEL_UNARY,
  LEVEL_POWER,
  LEVEL_ATOM
} Level;

typedef struct {
  RungScope scope;
  char     *text; /* grows */
  size_t    used, room;
  PetscInt  n;     /* nodes of the text                                                   */
  PetscInt *nodes; /* [n] in ascending order                                              */
  PetscInt *name;  /* [n] k > 0: it is called Fk; k < 0: e(-k); 0: it is written out      */
} Printer;

static PetscErrorCode print(Printer *p, PetscInt node, Level level);

static PetscErrorCode put(Printer *p, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static PetscErrorCode put(Printer *p, const char format[], ...)
{
  va_list list;
  int     length;

  PetscFunctionBegin;
  va_start(list, format);
  length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (p->used + (size_t)length + 1 > p->room) {
    p->room = 2 * (p->used + (size_t)length + 64);
    PetscCall(PetscRealloc(p->room, &p->text));
  }
  va_start(list, format);
  vsnprintf(p->text + p->used, p->room - p->used, format, list);
  va_end(list);
  p->used += (size_t)length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungNode *look(const Printer *p, PetscInt node)
{
  return RungScopeNode(p->scope, node);
}
/* Which one of nodes[]: text of a few of many nodes takes no time for the others. */
static PetscInt place_of(const Printer *p, PetscInt node)
{
  PetscInt low = 0, high = p->n - 1;

  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;

    if (p->nodes[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static PetscBool named(const Printer *p, PetscInt node)
{
  return p->name[place_of(p, node)] ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

static Level level_of(const Printer *p, PetscInt node)
{
  const RungNode *a = look(p, node);

  if (named(p, node)) return LEVEL_ATOM;
  switch (a->op) {
  case RUNG_OP_NUMBER: return a->rank ? LEVEL_ATOM : a->arity || a->number < 0 ? LEVEL_PRODUCT : LEVEL_ATOM;
  case RUNG_OP_ADD:
  case RUNG_OP_TADD:
  case RUNG_OP_SUM: return LEVEL_SUM;
  case RUNG_OP_NEG:
  case RUNG_OP_MUL:
  case RUNG_OP_DIV:
  case RUNG_OP_SCALE:
  case RUNG_OP_INTEGRAL: return LEVEL_PRODUCT;
  case RUNG_OP_POW: return LEVEL_POWER;
  case RUNG_OP_LT:
  case RUNG_OP_LE:
  case RUNG_OP_GT:
  case RUNG_OP_GE:
  case RUNG_OP_EQ:
  case RUNG_OP_NE: return LEVEL_CMP;
  case RUNG_OP_NOT: return LEVEL_NOT;
  case RUNG_OP_AND: return LEVEL_AND;
  case RUNG_OP_OR: return LEVEL_OR;
  default: return LEVEL_ATOM;
  }
}

static PetscBool is_product(const Printer *p, PetscInt node)
{
  return level_of(p, node) == LEVEL_PRODUCT ? PETSC_TRUE : PETSC_FALSE;
}
static PetscBool is_sum(const Printer *p, PetscInt node)
{
  return level_of(p, node) == LEVEL_SUM ? PETSC_TRUE : PETSC_FALSE;
}

/* Begins with a minus that a sum can take over. */
static PetscBool is_negative(const Printer *p, PetscInt node)
{
  const RungNode *a = look(p, node);

  if (named(p, node)) return PETSC_FALSE;
  if (a->op == RUNG_OP_NUMBER) return a->number < 0 ? PETSC_TRUE : PETSC_FALSE;
  if (a->op == RUNG_OP_SCALE || a->op == RUNG_OP_INTEGRAL) return is_negative(p, a->arg[0]);
  return a->op == RUNG_OP_NEG ? PETSC_TRUE : PETSC_FALSE;
}

/* Begins with a number that a number before it would swallow. */
static PetscBool leads_with_number(const Printer *p, PetscInt node)
{
  for (;;) {
    const RungNode *a = look(p, node);

    if (named(p, node)) return PETSC_FALSE;
    if (a->op == RUNG_OP_NUMBER) return PETSC_TRUE;
    if (a->op != RUNG_OP_MUL && a->op != RUNG_OP_DIV) return PETSC_FALSE;
    if (a->op == RUNG_OP_MUL && is_product(p, a->arg[1]) && !is_product(p, a->arg[0]))
      node = a->arg[1];
    else
      node = a->arg[0];
  }
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode put_number(Printer *p, PetscReal value)
{
  char text[40];

  PetscFunctionBegin;
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, (double)value);
    if ((PetscReal)strtod(text, NULL) == value) break;
  }
  PetscCall(put(p, "%s", value == PETSC_PI ? "pi" : text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros of any shape: 0, 0*v, vector(0, 0), .. */
static PetscErrorCode put_zero(Printer *p, const RungNode *a, PetscInt axis)
{
  PetscFunctionBegin;
  if (axis < a->rank) {
    PetscCall(put(p, "vector("));
    for (PetscInt i = 0; i < a->shape[axis]; ++i) {
      if (i) PetscCall(put(p, ", "));
      PetscCall(put_zero(p, a, axis + 1));
    }
    PetscCall(put(p, ")"));
  } else if (a->arity) {
    const PetscInt rank = p->scope->unknown.entry[a->index[0]].rank;

    PetscCall(put(p, "0*%s%s", RungScopeTestName(p->scope, a->index[0]),
                  rank == 0   ? ""
                  : rank == 1 ? "[0]"
                              : "[0, 0]"));
  } else {
    PetscCall(put(p, "0"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_terminal(Printer *p, const RungNode *a)
{
  static const char operand[] = "abcr";

  PetscFunctionBegin;
  switch (a->op) {
  case RUNG_OP_NUMBER:
    if (a->rank || a->arity)
      PetscCall(put_zero(p, a, 0));
    else
      PetscCall(put_number(p, a->number));
    break;
  case RUNG_OP_CONSTANT: PetscCall(put(p, "%s", RungScopeConstantName(p->scope, a->index[0]))); break;
  case RUNG_OP_UNKNOWN: PetscCall(put(p, "%s", RungScopeUnknownName(p->scope, a->index[0]))); break;
  case RUNG_OP_TEST: PetscCall(put(p, "%s", RungScopeTestName(p->scope, a->index[0]))); break;
  case RUNG_OP_FIELD: PetscCall(put(p, "%s", RungScopeFieldName(p->scope, a->index[0]))); break;
  case RUNG_OP_OPERAND: PetscCall(put(p, "%c", operand[a->index[0]])); break;
  default: PetscCall(put(p, "%s", rung_ops[a->op].name)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

/* A name, a number or a string. */
static PetscErrorCode put_part(Printer *p, const char part[])
{
  const size_t digits = strspn(part, "0123456789"), length = strlen(part);
  PetscBool    bare = length && digits == length ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (length && !digits) {
    bare = strspn(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length &&
           length <= RUNG_MAX_NAME && part[0] != '_';
  }
  PetscCall(put(p, bare && length < 40 && strcmp(part, "else") ? "%s" : "\"%s\"", part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_measure(Printer *p, const RungNode *a)
{
  static const char *const measure[] = {"dx", "ds", "dS", "dR", "dP", "dl"};

  const char  *part   = RungScopeString(p->scope, a->index[2]);
  const size_t length = strlen(part);

  PetscFunctionBegin;
  PetscCall(put(p, "%s", measure[a->index[0]]));
  if (!length && a->index[1] == -1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(put(p, "("));
  if (length) PetscCall(put_part(p, part));
  if (a->index[1] == RUNG_AT_NODES) PetscCall(put(p, "%srule: nodes", length ? ", " : ""));
  if (a->index[1] >= 0) PetscCall(put(p, "%s%" PetscInt_FMT, length ? ", " : "degree: ", a->index[1]));
  PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is_negative() is true for, without its sign. */
static PetscErrorCode print_negated(Printer *p, PetscInt node, Level level)
{
  const RungNode *a = look(p, node);

  PetscFunctionBegin;
  if (a->op == RUNG_OP_NEG)
    PetscCall(print(p, a->arg[0], level));
  else if (a->op == RUNG_OP_NUMBER)
    PetscCall(put_number(p, -a->number));
  else if (a->op == RUNG_OP_SCALE && look(p, a->arg[0])->op == RUNG_OP_NUMBER && look(p, a->arg[0])->number == -1) {
    PetscCall(print(p, a->arg[1], level));
  } else {
    PetscCall(print_negated(p, a->arg[0], LEVEL_PRODUCT));
    PetscCall(put(p, "*"));
    if (a->op == RUNG_OP_INTEGRAL)
      PetscCall(put_measure(p, a));
    else
      PetscCall(print(p, a->arg[1], LEVEL_UNARY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_term(Printer *p, PetscInt node)
{
  PetscFunctionBegin;
  if (is_negative(p, node)) {
    PetscCall(put(p, " - "));
    PetscCall(print_negated(p, node, LEVEL_PRODUCT));
  } else {
    PetscCall(put(p, " + "));
    PetscCall(print(p, node, LEVEL_PRODUCT));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_sum(Printer *p, const RungNode *a)
{
  const PetscBool swap = a->args == 2 && is_sum(p, a->arg[1]) && !is_sum(p, a->arg[0]) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(print(p, a->arg[swap ? 1 : 0], LEVEL_SUM));
  if (swap) PetscCall(put_term(p, a->arg[0]));
  for (PetscInt i = 1; i < a->args && !swap; ++i) PetscCall(put_term(p, a->arg[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A leading number multiplies the product behind it without parentheses: 2*a*b is read as 2*(a*b). */
static PetscErrorCode print_product(Printer *p, const RungNode *a)
{
  const PetscInt  l = a->arg[0], r = a->arg[1];
  const PetscBool number = look(p, l)->op == RUNG_OP_NUMBER ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool swap   = !number && is_product(p, r) && !is_product(p, l) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(print(p, swap ? r : l, LEVEL_PRODUCT));
  PetscCall(put(p, "*"));
  PetscCall(print(p, swap ? l : r, number && !leads_with_number(p, r) ? LEVEL_PRODUCT : LEVEL_UNARY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_binary(Printer *p, const RungNode *a, Level left, const char space[], Level right)
{
  PetscFunctionBegin;
  PetscCall(print(p, a->arg[0], left));
  PetscCall(put(p, "%s%s%s", space, rung_ops[a->op].name, space));
  PetscCall(print(p, a->arg[1], right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_index(Printer *p, const RungNode *a)
{
  PetscFunctionBegin;
  PetscCall(print(p, a->arg[0], LEVEL_ATOM));
  for (PetscInt i = 0; i < RUNG_MAX_RANK && a->index[i] >= 0; ++i)
    PetscCall(put(p, "%s%" PetscInt_FMT, i ? ", " : "[", a->index[i]));
  PetscCall(put(p, "]"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_dt(Printer *p, PetscInt node)
{
  PetscInt order = 0;

  PetscFunctionBegin;
  for (; look(p, node)->op == RUNG_OP_DT && (!order || !named(p, node)); ++order) node = look(p, node)->arg[0];
  PetscCall(put(p, "dt("));
  PetscCall(print(p, node, LEVEL_OR));
  if (order > 1) PetscCall(put(p, ", %" PetscInt_FMT, order));
  PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_call(Printer *p, const RungNode *a)
{
  PetscInt args = a->args;

  PetscFunctionBegin;
  if (a->op == RUNG_OP_DERIVE) {
    const RungNode *u = look(p, a->arg[1]), *w = look(p, a->arg[2]);

    if (w->op == RUNG_OP_TEST && w->index[0] == u->index[0]) args = 2;
  }
  PetscCall(put(p, "%s(", rung_ops[a->op].name));
  if (a->op == RUNG_OP_UNIT) PetscCall(put(p, "%" PetscInt_FMT, a->index[0]));
  for (PetscInt i = 0; i < args; ++i) {
    if (i) PetscCall(put(p, ", "));
    PetscCall(print(p, a->arg[i], LEVEL_OR));
  }
  PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_prefix(Printer *p, PetscInt node)
{
  PetscFunctionBegin;
  PetscCall(put(p, "-"));
  PetscCall(print_negated(p, node, LEVEL_PRODUCT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_value(Printer *p, const RungNode *a)
{
  PetscFunctionBegin;
  PetscCall(put(p, "value("));
  for (PetscInt i = 0; i < a->args; i += 2) {
    const PetscInt part = look(p, a->arg[i])->index[0];

    if (i) PetscCall(put(p, ", "));
    if (part < 0)
      PetscCall(put(p, "else"));
    else
      PetscCall(put_part(p, RungScopeString(p->scope, part)));
    PetscCall(put(p, ": "));
    PetscCall(print(p, a->arg[i + 1], LEVEL_OR));
  }
  PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_table(Printer *p, const RungNode *a)
{
  const RungNode       *argument = look(p, a->arg[0]), *number = look(p, a->arg[1]), *order = look(p, a->arg[2]);
  const RungTableEntry *table;

  PetscFunctionBegin;
  PetscCall(put(p, "table("));
  if (number->op != RUNG_OP_NUMBER) { /* a derivative rule */
    for (PetscInt i = 0; i < 3; ++i) {
      if (i) PetscCall(put(p, ", "));
      PetscCall(print(p, a->arg[i], LEVEL_OR));
    }
    PetscCall(put(p, ")"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  table = &p->scope->table.entry[(PetscInt)number->number];
  PetscCall(put(p, "\"%s\"", RungScopeString(p->scope, table->path)));
  if (argument->op != RUNG_OP_TIME) {
    PetscCall(put(p, ", "));
    PetscCall(print(p, a->arg[0], LEVEL_OR));
  }
  if (RungScopeString(p->scope, table->column)[0]) {
    PetscCall(put(p, ", column: "));
    PetscCall(put_part(p, RungScopeString(p->scope, table->column)));
  }
  if (table->cubic) PetscCall(put(p, ", method: cubic"));
  if (order->number != 0) PetscCall(put(p, ", derivative: %g", (double)order->number));
  PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The node written out, without parentheses around it. */
static PetscErrorCode print_bare(Printer *p, PetscInt node)
{
  const RungNode *a = look(p, node);

  PetscFunctionBegin;
  if (rung_ops[a->op].class_ == RUNG_CLASS_TERMINAL)
    PetscCall(print_terminal(p, a));
  else if (a->op == RUNG_OP_DT)
    PetscCall(print_dt(p, node));
  else if (a->op == RUNG_OP_INDEX)
    PetscCall(print_index(p, a));
  else if (a->op == RUNG_OP_VALUE)
    PetscCall(print_value(p, a));
  else if (a->op == RUNG_OP_TABLE)
    PetscCall(print_table(p, a));
  else if (is_negative(p, node))
    PetscCall(print_prefix(p, node));
  else if (a->op == RUNG_OP_MUL)
    PetscCall(print_product(p, a));
  else if (a->op == RUNG_OP_INTEGRAL) {
    PetscCall(print(p, a->arg[0], LEVEL_PRODUCT));
    PetscCall(put(p, "*"));
    PetscCall(put_measure(p, a));
  } else if (a->op == RUNG_OP_NOT) {
    PetscCall(put(p, "not "));
    PetscCall(print(p, a->arg[0], LEVEL_CMP));
  } else {
    switch (level_of(p, node)) {
    case LEVEL_SUM: PetscCall(print_sum(p, a)); break;
    case LEVEL_PRODUCT: PetscCall(print_binary(p, a, LEVEL_PRODUCT, "", LEVEL_UNARY)); break;
    case LEVEL_POWER: PetscCall(print_binary(p, a, LEVEL_ATOM, "", LEVEL_POWER)); break;
    case LEVEL_CMP: PetscCall(print_binary(p, a, LEVEL_SUM, " ", LEVEL_SUM)); break;
    case LEVEL_AND: PetscCall(print_binary(p, a, LEVEL_AND, " ", LEVEL_NOT)); break;
    case LEVEL_OR: PetscCall(print_binary(p, a, LEVEL_OR, " ", LEVEL_AND)); break;
    default: PetscCall(print_call(p, a)); break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_name(Printer *p, PetscInt node)
{
  const PetscInt name = p->name[place_of(p, node)];

  PetscFunctionBegin;
  PetscCall(put(p, "%c%" PetscInt_FMT, name > 0 ? 'F' : 'e', PetscAbsInt(name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print(Printer *p, PetscInt node, Level level)
{
  const PetscBool parentheses = level_of(p, node) < level ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (named(p, node)) {
    PetscCall(put_name(p, node));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (parentheses) PetscCall(put(p, "("));
  PetscCall(print_bare(p, node));
  if (parentheses) PetscCall(put(p, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- definitions in front --------------------------------------------------------------------------------------- */

/* Counts on to a name that the scope does not know. */
static PetscInt free_name(Printer *p, char letter, PetscInt *count)
{
  char name[24];

  do {
    snprintf(name, sizeof name, "%c%" PetscInt_FMT, letter, ++*count);
  } while (RungScopeFind(p->scope, name, strlen(name)));
  return *count;
}

/* Sums do not nest in a sum's text; everything else does. */
static PetscInt height_above(const Printer *p, const RungNode *a, const PetscInt height[])
{
  const PetscBool sum = a->op == RUNG_OP_ADD || a->op == RUNG_OP_TADD || a->op == RUNG_OP_SUM ? PETSC_TRUE
                                                                                              : PETSC_FALSE;
  PetscInt        h   = 0;

  for (PetscInt i = 0; i < a->args; ++i) h = PetscMax(h, height[place_of(p, a->arg[i])]);
  if (sum && a->args == 2 && height[place_of(p, a->arg[0])] && height[place_of(p, a->arg[1])]) return h + 1;
  return sum ? h : h + 1;
}

/* Nodes that get a definition: variables, and parts of large or deep expressions.  Ascending numbers define before use.
 */
static PetscErrorCode choose_names(Printer *p)
{
  const PetscInt n = p->n, last = n - 1;
  PetscInt      *uses, *height, variables = 0, parts = 0;
  double        *size;
  PetscBool      large;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(n, &uses, n, &height, n, &size));
  for (PetscInt k = 0; k < n; ++k) {
    const RungNode *a = look(p, p->nodes[k]);

    size[k] = 1;
    for (PetscInt j = 0; j < a->args; ++j) {
      const PetscInt at = place_of(p, a->arg[j]);

      size[k] += size[at];
      ++uses[at];
    }
  }
  large = size[last] > LARGE ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < n; ++k) {
    const RungNode *a = look(p, p->nodes[k]);

    size[k]   = 1;
    height[k] = height_above(p, a, height);
    for (PetscInt j = 0; j < a->args; ++j) size[k] += size[place_of(p, a->arg[j])];
    if (a->op == RUNG_OP_VARIABLE)
      p->name[k] = free_name(p, 'F', &variables);
    else if (k != last && a->args && (height[k] >= DEEP || (large && uses[k] > 1 && size[k] >= SHARED)))
      p->name[k] = -free_name(p, 'e', &parts);
    if (p->name[k]) size[k] = 1, height[k] = 0;
  }
  PetscCall(PetscFree3(uses, height, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_definition(Printer *p, PetscInt node)
{
  const RungNode *a  = look(p, node);
  const PetscInt  at = place_of(p, node), name = p->name[at];

  PetscFunctionBegin;
  PetscCall(put_name(p, node));
  PetscCall(put(p, " = "));
  p->name[at] = 0; /* so that it is written out, here only */
  PetscCall(print(p, a->op == RUNG_OP_VARIABLE ? RungScopeVariableValue(p->scope, a->index[0]) : node, LEVEL_SUM));
  p->name[at] = name;
  PetscCall(put(p, "; "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_all(Printer *p, PetscInt root)
{
  PetscFunctionBegin;
  PetscCall(RungNodeReach(p->scope, root, &p->n, &p->nodes));
  PetscCall(PetscCalloc1(p->n, &p->name));
  PetscCall(choose_names(p));
  for (PetscInt i = 0; i < p->n; ++i) {
    if (p->name[i]) PetscCall(print_definition(p, p->nodes[i]));
  }
  PetscCall(print(p, root, LEVEL_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode printer_end(Printer *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->name));
  PetscCall(PetscFree(p->nodes));
  PetscCall(PetscFree(p->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprToText(RungExpr a, char **text)
{
  RUNG_OWNED(printer_end) Printer p = {.scope = a.scope};

  PetscFunctionBegin;
  PetscCheck(a.scope && text, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "printing needs an expression of a scope and a place for the text");
  PetscCall(RungExprCheck(a));
  PetscCall(put(&p, "%s", ""));
  PetscCall(print_all(&p, a.node));
  *text  = p.text;
  p.text = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
