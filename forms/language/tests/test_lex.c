/* test_lex.c - characters to tokens, and what is no token. */
#include "front_tools.h"

/* The kinds of a text's tokens as letters: n number, a name, s string, marks as they are. */
static PetscErrorCode kinds(const char text[], char found[], PetscInt size)
{
  PetscInt  number, at = 0, n = 0;
  RungToken token;

  PetscFunctionBegin;
  PetscCall(RungScopeAddText(scope, "text", text, &number));
  do {
    PetscCall(RungLexNext(scope, number, &at, &token));
    if (token.kind == RUNG_TOKEN_NUMBER) found[n++] = 'n';
    if (token.kind == RUNG_TOKEN_NAME) found[n++] = 'a';
    if (token.kind == RUNG_TOKEN_STRING) found[n++] = 's';
    for (const char *c = token.mark; *c && token.kind == RUNG_TOKEN_MARK; ++c) found[n++] = *c;
  } while (token.kind != RUNG_TOKEN_END && n + 2 < size);
  found[n] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define CHECK_KINDS(text, wanted)                                                                                      \
  do {                                                                                                                 \
    char found_[64];                                                                                                   \
    PetscCall(kinds(text, found_, sizeof found_));                                                                     \
    if (strcmp(found_, wanted)) fprintf(stderr, "\"%s\" has tokens %s\n", text, found_);                               \
    CHECK(!strcmp(found_, wanted));                                                                                    \
  } while (0)

static PetscErrorCode test_texts_fall_into_tokens(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_KINDS("", "");
  CHECK_KINDS("  \t\n # nothing here\n", "");
  CHECK_KINDS("dt(u)*v_2", "a(a)*a");
  CHECK_KINDS("a<=b<c>=d>e==f!=g=h", "a<=a<a>=a>a==a!=a=a");
  CHECK_KINDS("x[0],y;z:w^2/3+-1", "a[n],a;a:a^n/n+-n");
  CHECK_KINDS("dx(\"two words\") # and a comment", "a(s)");
  CHECK_KINDS("1 2. .5 1e3 1.5E-3 2e+1", "nnnnnn");
  CHECK_KINDS("u # x\n+p", "a+a");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_numbers_are_those_of_c(void)
{
  static const char *const text[] = {
    "0", "12", "2.", ".5", "1e3", "1.5E-3", "2e+1", "1e-400", "123456789012345678901234567890"};
  static const double value[] = {0, 12, 2, .5, 1e3, 1.5e-3, 20, 0, 123456789012345678901234567890.};
  RungToken           token;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
    PetscInt number, at = 0;

    PetscCall(RungScopeAddText(scope, "text", text[i], &number));
    PetscCall(RungLexNext(scope, number, &at, &token));
    CHECK(token.kind == RUNG_TOKEN_NUMBER && (double)token.number == value[i]);
    CHECK(at == (PetscInt)strlen(text[i]));
  }
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_no_token_is_shown(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED("u + 2x", "text, column 5: \"2x\" is no number; a product is written with *\n    u + 2x\n        ^~");
  CHECK_REFUSED("1.2.3", "\"1.2.3\" is no number");
  CHECK_REFUSED("2e", "\"2e\" is no number; a product is written with *");
  CHECK_REFUSED("1e999", "the number 1e999 is too large");
  CHECK_REFUSED("00000000000000000000000000000000000000000000000000000000000000001", "a number of 65 characters");
  CHECK_REFUSED("u*v*dx(\"left)",
                "text, column 8: a string without its closing quote\n    u*v*dx(\"left)\n           ^~~~~");
  CHECK_REFUSED("u & p", "unexpected character &; write and\n    u & p\n      ^");
  CHECK_REFUSED("u | p", "unexpected character |; write or");
  CHECK_REFUSED("!u", "unexpected character !; write not");
  CHECK_REFUSED("u % p", "unexpected character %");
  CHECK_REFUSED("u \001", "text, column 3: unexpected byte 0x01");
  CHECK_REFUSED("u \377", "unexpected byte 0xff");
  CHECK_REFUSED("u \303", "unexpected byte 0xc3");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_columns_count_characters(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED(
    "\316\261*u",
    "text, column 1: unexpected character \"\316\261\"; names are made of a-z, A-Z, 0-9 and _\n    \316\261*u\n    ^");
  CHECK_REFUSED("u*v*dx(\"L\303\244nge\") + vv",
                "text, column 19: unknown name \"vv\"; did you mean \"v\"?\n    u*v*dx(\"L\303\244nge\") + vv\n"
                "                      ^~");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_are_not_too_long(void)
{
  char name[200];

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  memset(name, 'k', sizeof name - 1);
  name[sizeof name - 1] = 0;
  CHECK_REFUSED(name, "a name of 199 characters; at most 63 are allowed");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_texts_fall_into_tokens), RUNG_TEST(test_numbers_are_those_of_c),
               RUNG_TEST(test_what_is_no_token_is_shown), RUNG_TEST(test_columns_count_characters),
               RUNG_TEST(test_names_are_not_too_long))
