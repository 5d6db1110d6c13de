/* measure.c - dx, ds, dS, dR, dP and dl with their parts, degrees and rules. */
#include "parse_impl.h"
#include "rungnodal_room.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

PetscErrorCode RungParseWhole(RungParser *p, const char what[], PetscInt *value)
{
  char message[120];

  PetscFunctionBegin;
  if (p->token.kind != RUNG_TOKEN_NUMBER) PetscCall(RungReadUnexpected(p, what));
  if (p->token.number != floor(p->token.number) || p->token.number > RUNG_QUADRATURE_MOST) {
    snprintf(message, sizeof message, "%s is a whole number between 0 and %d", what, RUNG_QUADRATURE_MOST);
    PetscCall(RungReadError(p, p->token.at, p->token.at + p->token.length, message));
  }
  *value = (PetscInt)p->token.number;
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a word with a colon behind it stand here?  It is read then. */
static PetscErrorCode read_name(RungParser *p, const char word[], PetscBool *named)
{
  RungToken colon;
  PetscInt  at = p->at;

  PetscFunctionBegin;
  *named = PETSC_FALSE;
  if (!RungReadWord(p, word)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLexNext(p->scope, p->text, &at, &colon));
  *named = colon.kind == RUNG_TOKEN_MARK && colon.mark[0] == ':' ? PETSC_TRUE : PETSC_FALSE;
  if (!*named) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungReadNext(p));
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [ "degree" ":" ] number | "rule" ":" "nodes"; *named says whether the words were there */
static PetscErrorCode parse_degree(RungParser *p, PetscBool must, PetscBool *named, RungParsedValue *v)
{
  PetscFunctionBegin;
  PetscCall(read_name(p, "rule", named));
  if (*named) {
    if (!RungReadWord(p, "nodes")) PetscCall(RungReadUnexpected(p, "the rule of a measure, nodes"));
    v->degree = RUNG_AT_NODES;
    PetscCall(RungReadNext(p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(read_name(p, "degree", named));
  if (must && !*named && p->token.kind != RUNG_TOKEN_NUMBER)
    PetscCall(
      RungReadUnexpected(p, "the degree of quadrature (a measure has one part; write a sum of integrals for several)"));
  if (*named || must) PetscCall(RungParseWhole(p, "the degree of quadrature", &v->degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* part = name | number | string */
PetscErrorCode RungParsePart(RungParser *p, RungParsedValue *v)
{
  const RungToken token = p->token;
  const PetscInt  quote = token.kind == RUNG_TOKEN_STRING;

  PetscFunctionBegin;
  if (token.kind != RUNG_TOKEN_NAME && token.kind != RUNG_TOKEN_NUMBER && !quote)
    PetscCall(RungReadUnexpected(p, "a part of the mesh"));
  if (token.kind == RUNG_TOKEN_NUMBER && strspn(RungReadSource(p) + token.at, "0123456789") < (size_t)token.length) {
    PetscCall(
      RungReadError(p, token.at, token.at + token.length, "a part of the mesh is a name, a whole number or a string"));
  }
  if (token.length > 2 * quote) {
    PetscCall(
      RungScopeAddString(p->scope, RungReadSource(p) + token.at + quote, (size_t)(token.length - 2 * quote), &v->part));
  }
  PetscCall(RungReadNext(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* measure = ( "dx" | "ds" | "dS" | "dR" | "dP" | "dl" ) [ "(" [ part ] [ "," degree ] ")" ]  with the name already read */
PetscErrorCode RungParseMeasure(RungParser *p, RungDomain domain, RungParsedValue *v)
{
  PetscBool named;

  PetscFunctionBegin;
  v->measure = PETSC_TRUE;
  v->domain  = (PetscInt)domain;
  v->degree = v->part = -1;
  v->node             = 0;
  if (RungReadMark(p, "(")) {
    PetscCall(RungReadNext(p));
    PetscCall(parse_degree(p, PETSC_FALSE, &named, v));
    if (!named) PetscCall(RungParsePart(p, v));
    if (!named && RungReadMark(p, ":"))
      PetscCall(RungReadUnexpected(
        p, "a comma or a closing parenthesis (a measure takes a part, and degree: N or rule: nodes)"));
    if (!named && RungReadMark(p, ",")) {
      PetscCall(RungReadNext(p));
      PetscCall(parse_degree(p, PETSC_TRUE, &named, v));
    }
    PetscCall(RungReadExpect(
      p, ")", "the closing parenthesis of a measure (it has one part; write a sum of integrals for several)"));
  }
  v->end = p->end;
  PetscFunctionReturn(PETSC_SUCCESS);
}
