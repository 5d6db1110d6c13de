/* named.c - calls whose arguments have names: value(steel: 210e9, else: 1e6), table("f.csv", u, column: 2, method: cubic). */
#include "parse_impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Is the next token, a name, followed by a colon? */
static PetscErrorCode before_colon(RungParser *p, PetscBool *is)
{
  RungToken next;
  PetscInt  at = p->at;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (p->token.kind != RUNG_TOKEN_NAME) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLexNext(p->scope, p->text, &at, &next));
  *is = next.kind == RUNG_TOKEN_MARK && next.mark[0] == ':' ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- value -------------------------------------------------------------------------------------------------------- */

#define MOST 256 /* parts of one value() */

/* ( part | "else" ) ":" or */
static PetscErrorCode parse_part_value(RungParser *p, PetscInt n, PetscInt arg[])
{
  const RungToken name = p->token;
  RungParsedValue part = {.part = -1}, v;

  PetscFunctionBegin;
  if (RungReadWord(p, "else"))
    PetscCall(RungReadNext(p));
  else
    PetscCall(RungParsePart(p, &part));
  RungReadPlace(p, name.at, p->end);
  PetscCall(RungNodePart(p->scope, part.part, &arg[0]));
  for (PetscInt i = 0; i < n; ++i) {
    if (arg[-2 * (i + 1)] == arg[0])
      PetscCall(RungReadError(p, name.at, name.at + name.length, "two values for one part; one part has one"));
  }
  PetscCall(RungReadExpect(p, ":", "a colon and the value of the part"));
  PetscCall(RungParseArgument(p, &v));
  arg[1] = v.node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "value" "(" part ":" or { "," part ":" or } [ "," "else" ":" or ] ")"  from behind the parenthesis */
static PetscErrorCode parse_value(RungParser *p, RungParsedValue *v)
{
  PetscInt  arg[2 * MOST], n = 0, node;
  PetscBool last = PETSC_FALSE;

  PetscFunctionBegin;
  for (;;) {
    const RungToken name = p->token;

    if (last || n == MOST) {
      PetscCall(RungReadError(p, name.at, name.at + name.length,
                              last ? "else: is the value of all other places and comes last" : "more than 256 parts"));
    }
    last = RungReadWord(p, "else") ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(parse_part_value(p, n, &arg[2 * n]));
    ++n;
    if (!RungReadMark(p, ",")) break;
    PetscCall(RungReadNext(p));
  }
  PetscCall(RungReadExpect(p, ")", "a comma or a closing parenthesis"));
  v->end = p->end;
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeApply(p->scope, RUNG_OP_VALUE, 2 * n, arg, NULL, &node));
  if (node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- table -------------------------------------------------------------------------------------------------------- */

typedef struct {
  char      path[1024], column[256];
  PetscInt  argument, derivative;
  PetscBool cubic;
} Table;

/* The characters of a string or name, or the digits of a number. */
static PetscErrorCode take(RungParser *p, const char wanted[], size_t size, char text[])
{
  const PetscInt quote = p->token.kind == RUNG_TOKEN_STRING, n = p->token.length - 2 * quote;

  PetscFunctionBegin;
  if (p->token.kind == RUNG_TOKEN_MARK || p->token.kind == RUNG_TOKEN_END) PetscCall(RungReadUnexpected(p, wanted));
  if ((size_t)n >= size || n == 0) {
    PetscCall(
      RungReadError(p, p->token.at, p->token.at + p->token.length, n ? "a name that is too long" : "an empty name"));
  }
  memcpy(text, RungReadSource(p) + p->token.at + quote, (size_t)n);
  text[n] = 0;
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse_method(RungParser *p, PetscBool *cubic)
{
  PetscFunctionBegin;
  *cubic = RungReadWord(p, "cubic") ? PETSC_TRUE : PETSC_FALSE;
  if (!*cubic && !RungReadWord(p, "linear")) PetscCall(RungReadUnexpected(p, "linear or cubic"));
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* or | "column" ":" part | "method" ":" ( "linear" | "cubic" ) | "derivative" ":" number */
static PetscErrorCode parse_table_argument(RungParser *p, Table *table)
{
  const RungToken name = p->token;
  PetscBool       named;
  RungParsedValue v;

  PetscFunctionBegin;
  PetscCall(before_colon(p, &named));
  if (!named) {
    if (table->argument >= 0)
      PetscCall(RungReadError(p, name.at, name.at + name.length, "table() is a function of one number"));
    PetscCall(RungParseArgument(p, &v));
    table->argument = v.node;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungReadNext(p));
  PetscCall(RungReadNext(p));
  if (RungReadIs(p, &name, "column"))
    PetscCall(take(p, "a column, by name or number", sizeof table->column, table->column));
  else if (RungReadIs(p, &name, "method"))
    PetscCall(parse_method(p, &table->cubic));
  else if (RungReadIs(p, &name, "derivative"))
    PetscCall(RungParseWhole(p, "the order of the derivative", &table->derivative));
  else {
    PetscCall(RungReadError(p, name.at, name.at + name.length,
                            "table() takes column: NAME or NUMBER, method: linear or cubic, derivative: NUMBER"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table(a, b, c) of a derivative rule */
static PetscErrorCode parse_rule(RungParser *p, PetscInt arg[3])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3; ++i) {
    RungParsedValue v;

    PetscCall(RungParseArgument(p, &v));
    arg[i] = v.node;
    if (i < 2) PetscCall(RungReadExpect(p, ",", "a comma"));
  }
  PetscCall(RungReadExpect(p, ")", "a closing parenthesis"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "table" "(" string { "," argument } ")"  from behind the parenthesis */
static PetscErrorCode parse_table(RungParser *p, RungParsedValue *v, PetscInt *node)
{
  const RungToken file  = p->token;
  Table           table = {.argument = -1};
  char            message[RUNG_MESSAGE];
  PetscInt        number;

  PetscFunctionBegin;
  if (file.kind != RUNG_TOKEN_STRING) PetscCall(RungReadUnexpected(p, "a file's name in quotes"));
  PetscCall(take(p, "a file's name in quotes", sizeof table.path, table.path));
  while (RungReadMark(p, ",")) {
    PetscCall(RungReadNext(p));
    PetscCall(parse_table_argument(p, &table));
  }
  PetscCall(RungReadExpect(p, ")", "a comma or a closing parenthesis"));
  v->end = p->end;
  if (table.argument < 0) PetscCall(RungNodeTerminal(p->scope, RUNG_OP_TIME, -1, &table.argument));
  PetscCall(RungScopeAddTable(p->scope, table.path, table.column, table.cubic, &number, message));
  if (message[0]) PetscCall(RungReadError(p, file.at, file.at + file.length, message));
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeTable(p->scope, number, table.argument, table.derivative, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungParseNamed(RungParser *p, RungOp op, RungParsedValue *v)
{
  PetscInt arg[3], node;

  PetscFunctionBegin;
  if (op == RUNG_OP_VALUE) {
    PetscCall(parse_value(p, v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (p->rule) {
    PetscCall(parse_rule(p, arg));
    PetscCall(RungNodeApply(p->scope, op, 3, arg, NULL, &node));
  } else {
    PetscCall(parse_table(p, v, &node));
  }
  if (node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}
