/* reader.c - the parser's hold on a text: the next token, places, errors, operators on what was read. */
#include "parse_impl.h"
#include <stdio.h>
#include <string.h>

const char *RungReadSource(const RungParser *p)
{
  return p->scope->text.entry[p->text].text;
}

PetscErrorCode RungReadError(RungParser *p, PetscInt at, PetscInt end, const char message[])
{
  PetscFunctionBegin;
  PetscCall(RungScopeRaiseAt(p->scope, p->text, at, end - at, PETSC_ERR_USER_INPUT, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadNext(RungParser *p)
{
  PetscFunctionBegin;
  p->end = p->token.at + p->token.length;
  PetscCall(RungLexNext(p->scope, p->text, &p->at, &p->token));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungReadMark(const RungParser *p, const char mark[])
{
  return p->token.kind == RUNG_TOKEN_MARK && !strcmp(p->token.mark, mark) ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungReadIs(const RungParser *p, const RungToken *token, const char word[])
{
  return (size_t)token->length == strlen(word) && !memcmp(RungReadSource(p) + token->at, word, strlen(word))
           ? PETSC_TRUE
           : PETSC_FALSE;
}

PetscBool RungReadWord(const RungParser *p, const char word[])
{
  return p->token.kind == RUNG_TOKEN_NAME && RungReadIs(p, &p->token, word) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungReadUnexpected(RungParser *p, const char wanted[])
{
  char           message[RUNG_MESSAGE];
  const char    *hint = "";
  const PetscInt cmp  = p->token.kind == RUNG_TOKEN_MARK && strchr("<>=!", p->token.mark[0]);

  PetscFunctionBegin;
  if (RungReadMark(p, "=")) {
    RungToken next;
    PetscInt  at = p->at;

    PetscCall(RungLexNext(p->scope, p->text, &at, &next));
    hint = next.kind == RUNG_TOKEN_MARK && strchr("<>", next.mark[0]) && !next.mark[1]
             ? "; comparisons are < <= > >= == !="
             : "; definitions come first and end with a semicolon, equality is ==";
  } else if (RungReadMark(p, ";"))
    hint = "; definitions end with one, the sum behind them does not";
  else if (cmp || RungReadWord(p, "and") || RungReadWord(p, "or"))
    hint = "; comparisons stand in parentheses or as arguments";
  if (p->token.kind == RUNG_TOKEN_END)
    snprintf(message, sizeof message, "the text ends where %s is wanted", wanted);
  else {
    snprintf(message, sizeof message, "unexpected %.*s where %s is wanted%s", (int)PetscMin(40, p->token.length),
             RungReadSource(p) + p->token.at, wanted, hint);
  }
  PetscCall(RungReadError(p, p->token.at, p->token.at + p->token.length, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadExpect(RungParser *p, const char mark[], const char wanted[])
{
  PetscFunctionBegin;
  if (!RungReadMark(p, mark)) PetscCall(RungReadUnexpected(p, wanted));
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadEnter(RungParser *p)
{
  char message[80];

  PetscFunctionBegin;
  if (++p->depth > RUNG_MAX_NESTING) {
    snprintf(message, sizeof message, "nested too deeply; %d levels are the most, give parts of it names",
             RUNG_MAX_NESTING);
    PetscCall(RungReadError(p, p->token.at, p->token.at + p->token.length, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungReadPlace(RungParser *p, PetscInt at, PetscInt end)
{
  p->scope->place.text   = p->text;
  p->scope->place.at     = at;
  p->scope->place.length = end - at;
}

PetscErrorCode RungReadNeedValue(RungParser *p, const RungParsedValue *v)
{
  PetscFunctionBegin;
  if (v->measure) {
    PetscCall(RungReadError(p, v->at, v->end,
                            "a measure without its integrand; it comes last in a product, like 1*dx or (a + b)*dx"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = op(arguments), written from v->at to v->end */
PetscErrorCode RungReadCall(RungParser *p, RungOp op, PetscInt n, const PetscInt arg[], RungParsedValue *v)
{
  PetscInt node;

  PetscFunctionBegin;
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeCall(p->scope, op, n, arg, &node));
  if (node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, node)));
  v->node    = node;
  v->measure = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadCall2(RungParser *p, RungOp op, RungParsedValue *v, const RungParsedValue *b)
{
  const PetscInt arg[] = {v->node, b->node};

  PetscFunctionBegin;
  PetscCall(RungReadNeedValue(p, v));
  PetscCall(RungReadNeedValue(p, b));
  v->end = b->end;
  PetscCall(RungReadCall(p, op, 2, arg, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadTerminal(RungParser *p, RungOp op, PetscInt index, RungParsedValue *v)
{
  PetscFunctionBegin;
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeTerminal(p->scope, op, index, &v->node));
  if (v->node < 0) PetscCall(RungReadError(p, v->at, v->end, RungScopeError(p->scope, v->node)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadNumber(RungParser *p, PetscReal x, RungParsedValue *v)
{
  PetscFunctionBegin;
  RungReadPlace(p, v->at, v->end);
  PetscCall(RungNodeNumber(p->scope, x, &v->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReadStart(RungParser *p, PetscInt from)
{
  PetscFunctionBegin;
  p->at  = from;
  p->end = from;
  PetscCall(RungLexNext(p->scope, p->text, &p->at, &p->token));
  PetscFunctionReturn(PETSC_SUCCESS);
}
