/* emit_line.c - a small matrix applied to the numbers along a line, as C: what sum factorisation repeats.

   Points and nodes lie symmetrically, so that T[m - 1 - q][n - 1 - i] = +-T[q][i].  With even and odd parts
       e_i = a_i + a_{n-1-i},   o_i = a_i - a_{n-1-i},   p_q = sum_i (T_qi + T_q,n-1-i)/2 e_i,   d_q likewise of o
   r_q = p_q + d_q and r_{m-1-q} = +-(p_q - d_q): half of the products (A. Solomonoff, A fast algorithm for spectral
   differentiation, J. Comput. Phys. 98, 1992).
   Modes are even or odd themselves: their products have one part each. */
#include "emit_sum_impl.h"
#include <math.h>

#define EVEN_ODD_FROM 3 /* numbers on a line */

/* c * name as the next term of a sum */
static void add_term(RungText *line, double c, const char name[], int i)
{
  char literal[32];

  if (c == 0) return;
  RungTextAdd(line, line->n ? (c < 0 ? " - " : " + ") : c < 0 ? "-" : "");
  RungTextNumber(fabs(c), literal);
  if (fabs(c) == 1)
    RungTextAdd(line, "%s%d", name, i);
  else
    RungTextAdd(line, "%s * %s%d", literal, name, i);
}

static PetscErrorCode end_sum(RungText *line)
{
  PetscFunctionBegin;
  if (!line->n) RungTextAdd(line, "(Real){0}");
  PetscCall(line->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1, -1 or 0: how rows and columns turned round differ */
static int table_symmetry(PetscInt m, PetscInt n, const double table[])
{
  double largest = 0;
  int    found   = 0;

  for (PetscInt k = 0; k < m * n; ++k) largest = PetscMax(largest, fabs(table[k]));
  for (int sign = 1; sign >= -1 && !found; sign -= 2) {
    PetscBool same = PETSC_TRUE;

    for (PetscInt k = 0; k < m * n; ++k) {
      if (fabs(table[m * n - 1 - k] - sign * table[k]) > 1e-12 * largest) same = PETSC_FALSE;
    }
    if (same) found = sign;
  }
  return n >= EVEN_ODD_FROM ? found : 0;
}

static PetscErrorCode emit_plain(PetscInt m, PetscInt n, const double table[], const char *assign, RungText *text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) RungTextLine(text, "const Real a%d = a[%d * s];", (int)i, (int)i);
  for (PetscInt q = 0; q < m; ++q) {
    RungText line = {0};

    for (PetscInt i = 0; i < n; ++i) add_term(&line, table[q * n + i], "a", (int)i);
    PetscCall(end_sum(&line));
    RungTextLine(text, "r[%d * t] %s %s;", (int)q, assign, line.text);
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p_q or d_q: the part of row q that is even (sign 1) or odd in the order of its columns */
static PetscErrorCode emit_part(PetscInt n, const double row[], int sign, const char part[], int q, RungText *text)
{
  RungText line = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n / 2; ++i) {
    add_term(&line, (row[i] + sign * row[n - 1 - i]) / 2, sign > 0 ? "e" : "o", (int)i);
  }
  if (n % 2 && sign > 0) add_term(&line, row[n / 2], "a", (int)(n / 2));
  PetscCall(end_sum(&line));
  RungTextLine(text, "const Real %s%d = %s;", part, q, line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is each row (cols: column) even or odd, turned round?  parity[row] 1 or -1 */
static PetscBool find_parity(PetscInt m, PetscInt n, const double table[], PetscBool cols, int parity[])
{
  const PetscInt rows = cols ? n : m, length = cols ? m : n, next = cols ? n : 1, step = cols ? 1 : n;

  for (PetscInt r = 0; r < rows; ++r) {
    double largest = 0, even = 0, odd = 0;

    for (PetscInt k = 0; k < length; ++k) {
      const double a = table[r * step + k * next], b = table[r * step + (length - 1 - k) * next];

      largest = PetscMax(largest, fabs(a));
      even    = PetscMax(even, fabs(a - b));
      odd     = PetscMax(odd, fabs(a + b));
    }
    parity[r] = even <= odd ? 1 : -1;
    if (PetscMin(even, odd) > 1e-12 * largest) return PETSC_FALSE;
  }
  return length >= EVEN_ODD_FROM ? PETSC_TRUE : PETSC_FALSE;
}

static void emit_even_and_odd(PetscInt n, RungText *text)
{
  for (PetscInt i = 0; i < n / 2; ++i) {
    RungTextLine(text, "const Real e%d = a[%d * s] + a[%d * s], o%d = a[%d * s] - a[%d * s];", (int)i, (int)i,
                 (int)(n - 1 - i), (int)i, (int)i, (int)(n - 1 - i));
  }
  if (n % 2) RungTextLine(text, "const Real a%d = a[%d * s];", (int)(n / 2), (int)(n / 2));
}

/* Rows that are even or odd themselves. */
static PetscErrorCode emit_row_parity(PetscInt m, PetscInt n, const double table[], const int parity[],
                                      const char *assign, RungText *text)
{
  PetscFunctionBegin;
  emit_even_and_odd(n, text);
  for (PetscInt q = 0; q < m; ++q) {
    PetscCall(emit_part(n, table + q * n, parity[q], "p", (int)q, text));
    RungTextLine(text, "r[%d * t] %s p%d;", (int)q, assign, (int)q);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums p, d of even and of odd columns give two rows. */
static PetscErrorCode emit_column_parity(PetscInt m, PetscInt n, const double table[], const int parity[],
                                         const char *assign, RungText *text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) RungTextLine(text, "const Real a%d = a[%d * s];", (int)i, (int)i);
  for (PetscInt q = 0; q < (m + 1) / 2; ++q) {
    const int k = (int)q;

    for (int sign = 1; sign >= -1; sign -= 2) {
      RungText line = {0};

      for (PetscInt i = 0; i < n; ++i)
        if (parity[i] == sign) add_term(&line, table[q * n + i], "a", (int)i);
      PetscCall(end_sum(&line));
      if (sign > 0 || 2 * q != m - 1) RungTextLine(text, "const Real %s%d = %s;", sign > 0 ? "p" : "d", k, line.text);
      RungTextFree(&line);
    }
    RungTextLine(text, 2 * q == m - 1 ? "r[%d * t] %s p%d;" : "r[%d * t] %s p%d + d%d;", k, assign, k, k);
    if (2 * q != m - 1) RungTextLine(text, "r[%d * t] %s p%d - d%d;", (int)(m - 1 - q), assign, k, k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_even_odd(PetscInt m, PetscInt n, const double table[], int symmetry, const char *assign,
                                    RungText *text)
{
  PetscFunctionBegin;
  emit_even_and_odd(n, text);
  for (PetscInt q = 0; q < (m + 1) / 2; ++q) {
    const PetscBool middle = 2 * q == m - 1 ? PETSC_TRUE : PETSC_FALSE;
    const int       k      = (int)q;

    if (!middle || symmetry > 0) PetscCall(emit_part(n, table + q * n, 1, "p", k, text));
    if (!middle || symmetry < 0) PetscCall(emit_part(n, table + q * n, -1, "d", k, text));
    if (middle) {
      RungTextLine(text, "r[%d * t] %s %s%d;", k, assign, symmetry > 0 ? "p" : "d", k);
      continue;
    }
    RungTextLine(text, "r[%d * t] %s p%d + d%d;", k, assign, k, k);
    RungTextLine(text, symmetry > 0 ? "r[%d * t] %s p%d - d%d;" : "r[%d * t] %s d%d - p%d;", (int)(m - 1 - q), assign,
                 k, k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitLine(RungEmitter *emitter, PetscInt m, PetscInt n, const double table[], PetscBool transpose,
                            PetscBool add, const char **name)
{
  const char    *assign = add ? "+=" : "=";
  const PetscInt rows = transpose ? n : m, cols = transpose ? m : n;
  RungText       body = {0};
  double        *matrix;
  int            symmetry, *parity;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m * n, &matrix, PetscMax(m, n), &parity));
  for (PetscInt q = 0; q < m; ++q) {
    for (PetscInt i = 0; i < n; ++i) matrix[transpose ? i * m + q : q * n + i] = table[q * n + i];
  }
  symmetry = table_symmetry(rows, cols, matrix);
  RungTextAdd(&body, "\nstatic inline __attribute__((always_inline)) void @(const Real *restrict a, int s, "
                     "Real *restrict r, int t)\n{\n");
  body.indent = 2;
  if (symmetry)
    PetscCall(emit_even_odd(rows, cols, matrix, symmetry, assign, &body));
  else if (find_parity(rows, cols, matrix, PETSC_FALSE, parity))
    PetscCall(emit_row_parity(rows, cols, matrix, parity, assign, &body));
  else if (find_parity(rows, cols, matrix, PETSC_TRUE, parity))
    PetscCall(emit_column_parity(rows, cols, matrix, parity, assign, &body));
  else
    PetscCall(emit_plain(rows, cols, matrix, assign, &body));
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, add ? "add_line" : "line", body.text, name));
  RungTextFree(&body);
  PetscCall(PetscFree2(matrix, parity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitIntegers(RungEmitter *emitter, const char wish[], PetscInt n, const PetscInt data[],
                                const char **name)
{
  RungText line = {0}, body = {0};

  PetscFunctionBegin;
  RungTextAdd(&line, "static const int @[%d] = {", (int)n);
  for (PetscInt i = 0; i < n; ++i) RungTextAdd(&line, "%s%d", i ? ", " : "", (int)data[i]);
  RungTextAdd(&line, "};");
  PetscCall(line.error);
  RungTextLine(&body, "%s", line.text);
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->tables, wish, body.text, name));
  RungTextFree(&line);
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}
