/* lex.c - characters to tokens.

   number  C's decimal floating literals: 1  .5  2.  1e-3       name    letter { letter | digit | "_" }
   string  "..", in one line                                    mark    + - * / ^ ( ) [ ] , ; : = < <= > >= == !=
   A # begins a comment that ends with the line.                                                                      */
#include "scope_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PetscBool is_digit(char c)
{
  return c >= '0' && c <= '9' ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? PETSC_TRUE : PETSC_FALSE;
}

static PetscInt skip_blank(const char text[], PetscInt i)
{
  for (;;) {
    while (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') ++i;
    if (text[i] != '#') return i;
    while (text[i] && text[i] != '\n') ++i;
  }
}

static PetscErrorCode lex_number(RungScope scope, PetscInt text, PetscInt *at, RungToken *token)
{
  const char *s = scope->text.entry[text].text;
  PetscInt    i = *at;
  char        copy[64], message[160], *end;

  PetscFunctionBegin;
  while (is_digit(s[i])) ++i;
  if (s[i] == '.') ++i;
  while (is_digit(s[i])) ++i;
  if (s[i] == 'e' || s[i] == 'E') {
    const PetscInt e = i;

    ++i;
    if (s[i] == '+' || s[i] == '-') ++i;
    if (!is_digit(s[i])) i = e;
    while (is_digit(s[i])) ++i;
  }
  token->kind   = RUNG_TOKEN_NUMBER;
  token->length = i - token->at;
  message[0]    = 0;
  if (token->length >= (PetscInt)sizeof copy) {
    snprintf(message, sizeof message, "a number of %" PetscInt_FMT " characters; %d are enough", token->length,
             (int)sizeof copy - 1);
  } else {
    memcpy(copy, s + token->at, (size_t)token->length);
    copy[token->length] = 0;
    token->number       = (PetscReal)strtod(copy, &end);
    if (*end)
      snprintf(message, sizeof message, "the number %s cannot be read in this locale; set LC_NUMERIC to C", copy);
    if (PetscIsInfReal(token->number)) snprintf(message, sizeof message, "the number %s is too large", copy);
    if (is_letter(s[i]) || s[i] == '.') {
      const char broken = s[i];

      while (is_letter(s[i]) || is_digit(s[i]) || s[i] == '.') ++i;
      token->length = i - token->at;
      snprintf(message, sizeof message, "\"%.*s\" is no number; %s", (int)PetscMin(40, token->length), s + token->at,
               broken == '.' ? "it has one point, and after e a whole exponent" : "a product is written with *");
    }
  }
  if (message[0]) PetscCall(RungScopeRaiseAt(scope, text, token->at, token->length, PETSC_ERR_USER_INPUT, message));
  *at = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lex_name(RungScope scope, PetscInt text, PetscInt *at, RungToken *token)
{
  const char *s = scope->text.entry[text].text;
  PetscInt    i = *at;

  PetscFunctionBegin;
  while (is_letter(s[i]) || is_digit(s[i])) ++i;
  token->kind   = RUNG_TOKEN_NAME;
  token->length = i - *at;
  if (token->length > RUNG_MAX_NAME) {
    char message[160];

    snprintf(message, sizeof message, "a name of %" PetscInt_FMT " characters; at most %d are allowed", token->length,
             RUNG_MAX_NAME);
    PetscCall(RungScopeRaiseAt(scope, text, token->at, token->length, PETSC_ERR_USER_INPUT, message));
  }
  *at = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lex_string(RungScope scope, PetscInt text, PetscInt *at, RungToken *token)
{
  const char *s = scope->text.entry[text].text;
  PetscInt    i = *at + 1;

  PetscFunctionBegin;
  while (s[i] && s[i] != '"' && s[i] != '\n') ++i;
  token->kind = RUNG_TOKEN_STRING;
  if (s[i] != '"') {
    PetscCall(RungScopeRaiseAt(scope, text, *at, i - *at, PETSC_ERR_USER_INPUT, "a string without its closing quote"));
  }
  token->length = i + 1 - *at;
  *at           = i + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was meant by a character that begins no token; "": nobody knows. */
static const char *way_out(const char s[])
{
  static const char *const meant[][2] = {
    {"&", "; write and"},
    {"|", "; write or"},
    {"!", "; write not"},
    {"~", "; write not"},
    {"?", "; a choice is written if(a, b, c)"},
    {"{", "; write ( or ["},
    {"}", "; write ) or ]"},
    {"'+'", "; the sides of a facet are written plus(u) and minus(u)"},
    {"'-'", "; the sides of a facet are written plus(u) and minus(u)"},
    {"'", "; a derivative in time is written dt(u), a name in quotes \"left\""},
    {".", "; contractions are inner(a, b) and dot(a, b), a.T is transpose(a), numbers begin with a digit"},
    {"\302\267", "; a product is written *, a contraction dot(a, b)"},
    {"\303\227", "; a product is written *, of vectors cross(a, b)"},
    {"\342\210\207", "; write grad(u), div(u) or curl(u)"},
    {"\342\210\206", "; write div(grad(u))"},
    {"\316\224", "; write div(grad(u))"},
    {"\342\210\202", "; write dt(u) or grad(u)[0]"},
    {"\317\200", "; write pi"},
    {"\342\210\222", "; a minus is written -"},
    {"\342\200\223", "; a minus is written -"},
    {"\342\200\224", "; a minus is written -"},
    {"\342\211\244", "; write <="},
    {"\342\211\245", "; write >="},
    {"\342\211\240", "; write !="},
    {"\302\262", "; write ^2"},
    {"\302\263", "; write ^3"},
    {"\342\200\234", "; write \""},
    {"\342\200\235", "; write \""},
    {"\342\200\236", "; write \""},
    {"\302\240", "; it is a blank that does not break, write another"},
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(meant); ++i) {
    if (!strncmp(s, meant[i][0], strlen(meant[i][0]))) return meant[i][1];
  }
  return (unsigned char)s[0] >= 0x80 ? "; names are made of a-z, A-Z, 0-9 and _" : "";
}

/* A character that begins no token: the whole of it where it is UTF-8, its code where it cannot be shown. */
static PetscErrorCode refuse(RungScope scope, PetscInt text, PetscInt at)
{
  const char         *s = scope->text.entry[text].text + at;
  const unsigned char c = (unsigned char)s[0];
  char                message[160];
  PetscInt            n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1, i = 1;

  PetscFunctionBegin;
  while (i < n && ((unsigned char)s[i] & 0xc0) == 0x80) ++i;
  if (c < 32 || c == 127 || (c >= 0x80 && (n == 1 || i < n))) {
    n = 1;
    snprintf(message, sizeof message, "unexpected byte 0x%02x", c);
  } else if (c >= 0x80) {
    snprintf(message, sizeof message, "unexpected character \"%.*s\"%s", (int)n, s, way_out(s));
  } else {
    snprintf(message, sizeof message, "unexpected character %c%s", c, way_out(s));
  }
  PetscCall(RungScopeRaiseAt(scope, text, at, n, PETSC_ERR_USER_INPUT, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLexNext(RungScope scope, PetscInt text, PetscInt *at, RungToken *token)
{
  const char *s = scope->text.entry[text].text;
  PetscInt    i = skip_blank(s, *at);

  PetscFunctionBegin;
  *token = (RungToken){.kind = RUNG_TOKEN_END, .at = i};
  *at    = i;
  if (!s[i]) PetscFunctionReturn(PETSC_SUCCESS);
  if (is_digit(s[i]) || (s[i] == '.' && is_digit(s[i + 1]))) {
    PetscCall(lex_number(scope, text, at, token));
  } else if (is_letter(s[i])) {
    PetscCall(lex_name(scope, text, at, token));
  } else if (s[i] == '"') {
    PetscCall(lex_string(scope, text, at, token));
  } else if (strchr("+-*/^()[],;:=<>", s[i]) || (s[i] == '!' && s[i + 1] == '=')) {
    token->kind    = RUNG_TOKEN_MARK;
    token->mark[0] = s[i];
    if (strchr("<>=!", s[i]) && s[i + 1] == '=') token->mark[1] = '=';
    token->length = token->mark[1] ? 2 : 1;
    *at           = i + token->length;
  } else {
    PetscCall(refuse(scope, text, i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
