/* message.c - what a person reads when an expression is wrong: places, carets, shapes and nearest names. */
#include "scope_impl.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT 100 /* columns of the text that a message shows */

RungShapeText RungNodeShapeText(const RungNode *node)
{
  RungShapeText t    = {"scalar"};
  size_t        used = 0;

  if (node->integral) return (RungShapeText){"an integral"};
  if (node->rank) used = (size_t)snprintf(t.text, sizeof t.text, "%s", node->rank == 1 ? "vector" : "tensor");
  for (PetscInt i = 0; i < node->rank && used < sizeof t.text; ++i) {
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, "[%" PetscInt_FMT "]", node->shape[i]);
  }
  return t;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

/* Characters of UTF-8: every byte but continuations. */
static PetscInt columns(const char text[], PetscInt from, PetscInt to)
{
  PetscInt n = 0;

  for (PetscInt i = from; i < to; ++i) n += ((unsigned char)text[i] & 0xc0) != 0x80;
  return n;
}

/* Byte that is n characters after from, within the line. */
static PetscInt forward(const char text[], PetscInt from, PetscInt end, PetscInt n)
{
  while (from < end && n > 0) {
    ++from, --n;
    while (from < end && ((unsigned char)text[from] & 0xc0) == 0x80) ++from;
  }
  return from;
}

static void append(char out[], size_t size, const char format[], ...)
{
  const size_t used = strlen(out);
  va_list      list;

  va_start(list, format);
  vsnprintf(out + used, size - used, format, list);
  va_end(list);
}

/* The line around the place, cut to a window where it is long, and a caret with tildes under the span. */
static void excerpt(const char text[], PetscInt at, PetscInt length, char out[], size_t size)
{
  PetscInt begin = at, end = at, left, right, span;
  size_t   used;

  while (begin > 0 && text[begin - 1] != '\n') --begin;
  while (text[end] && text[end] != '\n') ++end;
  left = begin;
  if (columns(text, begin, end) > EXCERPT)
    left = forward(text, begin, end, PetscMax(0, columns(text, begin, at) - EXCERPT / 3));
  right = forward(text, left, end, EXCERPT);
  append(out, size, "\n    %s", left > begin ? ".." : "");
  used = strlen(out);
  for (PetscInt i = left; i < right && used + 2 < size; ++i) {
    out[used++] = (unsigned char)text[i] < 32 || text[i] == 127 ? ' ' : text[i];
  }
  out[used] = 0;
  append(out, size, "%s\n    %*s^", right < end ? ".." : "", (int)(columns(text, left, at) + (left > begin ? 2 : 0)),
         "");
  span = columns(text, at, PetscMin(at + length, right));
  for (PetscInt i = 1; i < span; ++i) append(out, size, "~");
}

PetscErrorCode RungScopeRaiseAt(RungScope scope, PetscInt text, PetscInt at, PetscInt length, PetscErrorCode code,
                                const char message[])
{
  const RungScopeText *source;
  char                 out[2 * RUNG_MESSAGE] = "";
  PetscInt             line = 1, begin = 0;
  PetscBool            several;

  PetscFunctionBegin;
  if (text < 0) SETERRQ(scope->comm, code, "%s", message);
  source  = &scope->text.entry[text];
  several = strchr(source->text, '\n') ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < at; ++i) {
    if (source->text[i] == '\n') ++line, begin = i + 1;
  }
  if (source->label[0]) append(out, sizeof out, "%s, ", source->label);
  if (several) append(out, sizeof out, "line %" PetscInt_FMT ", ", line);
  append(out, sizeof out, "column %" PetscInt_FMT ": %s", 1 + columns(source->text, begin, at), message);
  excerpt(source->text, at, length, out, sizeof out);
  SETERRQ(scope->comm, code, "%s", out);
}

PetscErrorCode RungScopeRaise(RungScope scope, PetscInt node, PetscErrorCode code, const char format[], ...)
{
  char            message[RUNG_MESSAGE], *text = NULL;
  const RungNode *at = node >= 0 ? RungScopeNode(scope, node) : NULL;
  va_list         list;

  PetscFunctionBegin;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  if (at && at->text >= 0) PetscCall(RungScopeRaiseAt(scope, at->text, at->at, at->length, code, message));
  if (at) {
    PetscCall(RungExprToText((RungExpr){scope, node}, &text));
    append(message, sizeof message, "\n    in %.*s%s", EXCERPT, text, strlen(text) > EXCERPT ? ".." : "");
    PetscCall(PetscFree(text));
  }
  SETERRQ(scope->comm, code, "%s", message);
}

/* Where a text has the word for itself; the whole text where it does not. */
static void find_word(const char text[], const char word[], PetscInt *at, PetscInt *length)
{
  const size_t n = strlen(word);

  *at     = 0;
  *length = (PetscInt)strlen(text);
  for (const char *c = strstr(text, word); c && n; c = strstr(c + 1, word)) {
    if ((c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_')) || isalnum((unsigned char)c[n]) || c[n] == '_')
      continue;
    *at     = (PetscInt)(c - text);
    *length = (PetscInt)n;
    return;
  }
}

PetscErrorCode RungScopeRaiseLast(RungScope scope, const char word[], PetscErrorCode code, const char message[])
{
  PetscInt at = 0, length = 0;

  PetscFunctionBegin;
  if (scope->last >= 0) find_word(scope->text.entry[scope->last].text, word, &at, &length);
  PetscCall(RungScopeRaiseAt(scope, scope->last, at, length, code, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors that expressions carry ----------------------------------------------------------------------------- */

PetscErrorCode RungScopeFail(RungScope scope, PetscInt *node, const char format[], ...)
{
  char    message[RUNG_MESSAGE];
  va_list list;

  PetscFunctionBegin;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  RUNG_TABLE_GROW(scope->error);
  PetscCall(RungArenaCopy(scope, message, strlen(message), &scope->error.entry[scope->error.n]));
  *node = RUNG_ERROR_NODE - scope->error.n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungScopeError(RungScope scope, PetscInt node)
{
  const PetscInt i = node == PETSC_MIN_INT ? -1 : RUNG_ERROR_NODE - node;

  if (node == PETSC_MIN_INT)
    return "memory ran out while an expression was built; take a smaller problem, or more memory";
  return i >= 0 && i < scope->error.n ? scope->error.entry[i] : "an empty sum where an expression is wanted";
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* What other languages call it, and how it is written here. */
static const char *const elsewhere[][2] = {
  {"y", "x[1]"},
  {"z", "x[2]"},
  {"pow", "a^b"},
  {"ln", "log(a)"},
  {"log10", "log(a)/log(10)"},
  {"fabs", "abs(a)"},
  {"heaviside", "if(a > 0, 1, 0)"},
  {"Heaviside", "if(a > 0, 1, 0)"},
  {"conditional", "if(a < b, c, e)"},
  {"norm", "sqrt(inner(a, a))"},
  {"trace", "tr(a)"},
  {"transp", "transpose(a)"},
  {"cof", "cofactor(a)"},
  {"deviator", "dev(a)"},
  {"rot", "curl(a)"},
  {"nabla", "grad(a)"},
  {"nabla_grad", "transpose(grad(a))"},
  {"nabla_div", "div(transpose(a))"},
  {"laplace", "div(grad(a))"},
  {"laplacian", "div(grad(a))"},
  {"Dt", "dt(a)"},
  {"ddt", "dt(a)"},
  {"derivative", "derive(E, u)"},
  {"integral", "f*dx"},
  {"integrate", "f*dx"},
  {"int", "f*dx"},
  {"dot_product", "dot(a, b)"},
  {"scalar_product", "inner(a, b)"},
  {"elem_mult", "component by component, vector(a[0]*b[0], a[1]*b[1])"},
  {"mod", "with if(), min() and max()"},
  {"exp2", "2^a"},
  {"cbrt", "a^(1/3)"},
  {"arctan", "atan(a)"},
  {"arcsin", "asin(a)"},
  {"arccos", "acos(a)"},
  {"arctan2", "atan2(a, b)"},
  {"sgn", "sign(a)"},
  {"as_vector", "vector(a, b)"},
  {"vec", "vector(a, b)"},
  {"matrix", "vector(vector(a, b), vector(c, e))"},
  {"tensor", "vector(vector(a, b), vector(c, e))"},
  {"gradient", "grad(a)"},
  {"divergence", "div(a)"},
  {"where", "if(a < b, c, e)"},
  {"square", "a^2"},
  {"eye", "I"},
  {"identity", "I"},
  {"as_matrix", "vector(vector(a, b), vector(c, e))"},
  {"as_tensor", "vector(vector(a, b), vector(c, e))"},
  {"Identity", "I"},
  {"FacetNormal", "n"},
  {"SpatialCoordinate", "x"},
  {"CellDiameter", "h"},
  {"CellVolume", "volume"},
  {"FacetArea", "facet_area"},
};

static const char *const words[] = {"pi", "d", "dx", "ds", "dS", "dR", "dP", "dl"};

void RungOperatorList(char list[], size_t size)
{
  list[0] = 0;
  for (RungOp op = 0; op < RUNG_OPS; ++op) {
    if (RungOpFind(rung_ops[op].name, strlen(rung_ops[op].name)) != op || rung_ops[op].class_ == RUNG_CLASS_TERMINAL)
      continue;
    append(list, size, "%s%s", list[0] ? ", " : "", rung_ops[op].name);
  }
}

/* p_t, p_xx of an unknown p are derivatives elsewhere. */
static void suggest_derivative(RungScope scope, const char name[], char text[RUNG_MESSAGE])
{
  const char          *mark  = strrchr(name, '_');
  const size_t         n     = mark ? (size_t)(mark - name) : 0;
  const RungNameEntry *entry = n ? RungScopeFind(scope, name, n) : NULL;

  if (!entry || entry->kind != RUNG_NAME_UNKNOWN) return;
  if (!strcmp(mark, "_t") || !strcmp(mark, "_tt"))
    snprintf(text, RUNG_MESSAGE, "; a derivative in time is written dt(%.*s%s)", (int)n, name, mark[2] ? ", 2" : "");
  else if (mark[1] >= 'x' && mark[1] <= 'z')
    snprintf(text, RUNG_MESSAGE, "; derivatives in space are components of grad(%.*s)", (int)n, name);
}

PetscErrorCode RungScopeSuggest(RungScope scope, const char name[], PetscBool operators, const RungDefinition *local,
                                char text[RUNG_MESSAGE])
{
  const char **list, *nearest = NULL;
  PetscInt     n = 0, most = RUNG_OPS + scope->name.n + (PetscInt)PETSC_STATIC_ARRAY_LENGTH(words);

  PetscFunctionBegin;
  for (const RungDefinition *l = local; l; l = l->before) ++most;
  PetscCall(PetscMalloc1(most, &list));
  for (RungOp op = 0; op < RUNG_OPS; ++op) {
    const PetscBool terminal = rung_ops[op].class_ == RUNG_CLASS_TERMINAL ? PETSC_TRUE : PETSC_FALSE;

    if (terminal == operators || RungOpFind(rung_ops[op].name, strlen(rung_ops[op].name)) != op) continue;
    list[n++] = rung_ops[op].name;
  }
  if (!operators) {
    for (PetscInt i = 0; i < scope->name.n; ++i) list[n++] = scope->name.entry[i].name;
    for (const RungDefinition *l = local; l; l = l->before) list[n++] = l->name;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(words); ++i) list[n++] = words[i];
  }
  PetscCall(RungSuggest(name, n, list, &nearest));
  text[0] = 0;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(elsewhere); ++i) {
    if (strcmp(name, elsewhere[i][0]) != 0) continue;
    nearest = NULL;
    snprintf(text, RUNG_MESSAGE, "; it is written %s", elsewhere[i][1]);
  }
  if (nearest) snprintf(text, RUNG_MESSAGE, "; did you mean \"%s\"?", nearest);
  if (!operators) suggest_derivative(scope, name, text);
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
