/* emit_ops.c - operators in emitted C: on one double as in ops.def, on a Real lane by lane, as vector text, or as a
   function of vector_math.h. */
#include "emit_impl.h"
#include "vector_text.h" /* rung_vector_text: vector_math.h as a string, made by CMake */
#include <ctype.h>
#include <string.h>

/* Where vector text is better than a loop over lanes; it gives the same bits. */
static const struct {
  RungOp      op;
  const char *text;
} vector_text[] = {
  {RUNG_OP_ABS, "(Real)((Mask)a & 0x7fffffffffffffffll)"},
  {RUNG_OP_SIGN, "truth(a > 0) - truth(a < 0)"},
  {RUNG_OP_MIN, "choose((a < b) | (b != b), a, b)"},
  {RUNG_OP_MAX, "choose((a > b) | (b != b), a, b)"},
  {RUNG_OP_LT, "truth(a < b)"},
  {RUNG_OP_LE, "truth(a <= b)"},
  {RUNG_OP_GT, "truth(a > b)"},
  {RUNG_OP_GE, "truth(a >= b)"},
  {RUNG_OP_EQ, "truth(a == b)"},
  {RUNG_OP_NE, "truth(a != b)"},
  {RUNG_OP_AND, "truth((a != 0) & (b != 0))"},
  {RUNG_OP_OR, "truth((a != 0) | (b != 0))"},
  {RUNG_OP_NOT, "truth(a == 0)"},
  {RUNG_OP_IF, "choose(a != 0, b, c)"},
};

static const char *text_of_vector(int op)
{
  for (size_t i = 0; i < sizeof vector_text / sizeof vector_text[0]; ++i) {
    if ((int)vector_text[i].op == op) return vector_text[i].text;
  }
  return NULL;
}

static void lower(const char code[], char name[32])
{
  int n = 0;

  for (; code[n] && n < 31; ++n) name[n] = (char)tolower((unsigned char)code[n]);
  name[n] = 0;
}

/* A function of vector_math.h with the comment above it, *length characters; NULL where it has none. */
static const char *vector_function(int op, size_t *length)
{
  char        head[64], name[32];
  const char *at, *comment, *next;

  lower(rung_ops[op].code, name);
  (void)snprintf(head, sizeof head, "static inline Real each_%s(", name);
  at = strstr(rung_vector_text, head);
  if (!at) return NULL;
  for (comment = rung_vector_text; (next = strstr(comment + 1, "\n/*")) && next < at;) comment = next;
  *length = (size_t)(strstr(at, "\n}\n") + 3 - comment);
  return comment;
}

/* Its lanes are computed together, not one by one. */
static PetscBool is_vector(int op)
{
  size_t length;

  return text_of_vector(op) || vector_function(op, &length) ? PETSC_TRUE : PETSC_FALSE;
}

/* "double sin(double);" for the first call in an operator's C text, unless it is ours or a cast. */
static void declare(int op, RungText *text)
{
  const char *c = rung_ops[op].c, *open = c;
  int         depth = 0, commas = 0;

  while ((open = strchr(open, '('))) {
    const char *from = open;

    while (from > c && (isalnum((unsigned char)from[-1]) || from[-1] == '_')) --from;
    if (from == open || !strncmp(from, "rung_", 5)) {
      ++open;
      continue;
    }
    for (const char *at = open; *at; ++at) {
      depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
      commas += depth == 1 && *at == ',';
      if (!depth) break;
    }
    RungTextAdd(text, "double %.*s(double%s);\n", (int)(open - from), from,
                commas == 0   ? ""
                : commas == 1 ? ", double"
                              : ", double, double");
    return;
  }
}

static void signature(RungText *text, const char type[], const char prefix[], int op)
{
  char name[32];

  lower(rung_ops[op].code, name);
  RungTextAdd(text, "\nstatic inline %s %s_%s(", type, prefix, name);
  for (int i = 0; i < rung_ops[op].max; ++i) RungTextAdd(text, "%s%s %c", i ? ", " : "", type, 'a' + i);
  RungTextAdd(text, ")\n{\n");
}

static void emit_one(int op, RungText *text)
{
  signature(text, "double", "one", op);
  RungTextAdd(text, "  return %s;\n}\n", rung_ops[op].c);
}

static void emit_each(int op, RungText *text)
{
  const char *vector = text_of_vector(op), *function;
  char        name[32];
  size_t      length;

  function = vector_function(op, &length);
  if (function) {
    RungTextAdd(text, "%.*s", (int)length, function);
    return;
  }
  lower(rung_ops[op].code, name);
  signature(text, "Real", "each", op);
  if (vector) {
    RungTextAdd(text, "  return %s;\n}\n", vector);
    return;
  }
  RungTextAdd(text, "  Real r;\n\n  for (int l = 0; l < LANES; ++l) r[l] = one_%s(", name);
  for (int i = 0; i < rung_ops[op].max; ++i) RungTextAdd(text, "%s%c[l]", i ? ", " : "", 'a' + i);
  RungTextAdd(text, ");\n  return r;\n}\n");
}

void RungEmitHelpers(const RungEmitter *emitter, RungText *text)
{
  RungTextAdd(text, "#define LANES %d\n\n", (int)emitter->lanes);
  RungTextAdd(
    text, "typedef double    Real __attribute__((vector_size(8 * LANES))); /* a number for each of LANES places */\n");
  RungTextAdd(text, "typedef long long Mask __attribute__((vector_size(8 * LANES)));\n\n");
  for (int op = 0; op < RUNG_OPS; ++op) {
    if (emitter->one[op] || (emitter->each[op] && !is_vector(op))) declare(op, text);
  }
  RungTextAdd(text, "\nstatic inline Real all(double a)\n{\n  return a + (Real){0};\n}\n");
  RungTextAdd(text, "\nstatic inline Real choose(Mask which, Real a, Real b)\n{\n"
                    "  return (Real)((which & (Mask)a) | (~which & (Mask)b));\n}\n");
  RungTextAdd(text, "\nstatic inline Real truth(Mask which)\n{\n  return (Real)(which & (Mask)all(1));\n}\n");
  for (int op = 0; op < RUNG_OPS; ++op) {
    if (emitter->one[op] || (emitter->each[op] && !is_vector(op))) emit_one(op, text);
    if (emitter->each[op]) emit_each(op, text);
  }
}
