/* table.c - tables of numbers from files: a column over another, piecewise linear or monotone cubic.

   A table is kept as the polynomials of its intervals, [n, n knots, (n - 1) x 4 coefficients, the last value], which is what
   rung_table() of rungkernel.h reads.  Slopes of the monotone cubic are the weighted harmonic means of F. N. Fritsch,
   J. Butland, A method for constructing local monotone piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5 (1984)
   300-304, with their three-point formula at the ends: no value leaves the range of its neighbours.

   A file is text: rows of numbers that commas, semicolons or blanks separate, # begins a comment, and one row of names may
   come first.  Rank 0 reads and everybody gets its numbers or its complaint. */
#include "scope_impl.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rungtext_room.h>

const double *const *rung_tables = NULL; /* of the scope whose kernel runs */

typedef struct {
  const char *folder, *path,
    *wanted;     /* wanted: the column as it was written, "" the second                                   */
  char    *text; /* owned: the file                                                                       */
  size_t   size;
  long     line;
  PetscInt column; /* of the values, -1: not known yet                                                             */
  PetscInt n, room;
  double  *x, *y;   /* owned, [n]                                                                                  */
  char    *message; /* RUNG_MESSAGE, "" while all is well                                                          */
} Reader;

#define COMPLAIN(reader, ...) (void)snprintf((reader)->message, RUNG_MESSAGE, __VA_ARGS__)

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode load(Reader *r)
{
  char   why[128] = "", path[2 * PETSC_MAX_PATH_LEN];
  FILE  *file;
  size_t room = 1 << 14, got;

  PetscFunctionBegin;
  (void)snprintf(path, sizeof path, "%s%s%s", r->path[0] == '/' ? "" : r->folder,
                 r->folder[0] && r->path[0] != '/' ? "/" : "", r->path);
  file = RungFileOpen(path, why, sizeof why);
  PetscCall(PetscMalloc1(room, &r->text));
  while (file && (got = fread(r->text + r->size, 1, room - r->size - 1, file)) > 0) {
    r->size += got;
    if (r->size + 1 < room) continue;
    room *= 2;
    PetscCall(PetscRealloc(room, &r->text));
  }
  if (!file || ferror(file))
    COMPLAIN(r, "table \"%.300s\" cannot be read: %s", r->path, file ? strerror(errno) : why);
  else if (memchr(r->text, 0, r->size))
    COMPLAIN(r, "table \"%.300s\" holds a zero byte; wanted text, rows of numbers", r->path);
  if (file) (void)fclose(file);
  r->text[r->size] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fields of a row ---------------------------------------------------------------------------------------------- */

typedef struct {
  const char *at;
  size_t      length;
} Field;

static PetscBool blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' ? PETSC_TRUE : PETSC_FALSE;
}

/* Behind the last of the bytes of a field that begins with a quote: two quotes are one of its name. */
static size_t end_of_quoted(const char row[], size_t length, size_t from)
{
  for (size_t i = from + 1; i < length; ++i) {
    if (row[i] != '"') continue;
    if (i + 1 == length || row[i + 1] != '"') return i + 1;
    ++i;
  }
  return from; /* not closed: the quote is a letter */
}

/* What separates the fields of a row: the first comma outside of quotes, else the first semicolon, else blanks. */
static char find_mark(const char row[], size_t length)
{
  char mark = ' ';

  for (size_t i = 0; i < length && mark != ','; ++i) {
    if (row[i] == '"' && end_of_quoted(row, length, i) > i)
      i = end_of_quoted(row, length, i) - 1;
    else if (row[i] == ',' || row[i] == ';')
      mark = row[i];
  }
  return mark;
}

/* Field number `column` of the row; blanks and quotes around it are taken off.  PETSC_FALSE: the row has fewer. */
static PetscBool get_field(const char row[], size_t length, PetscInt column, Field *field)
{
  const char mark = find_mark(row, length);
  size_t     i    = 0, from, to;

  for (PetscInt c = 0;; ++c) {
    while (i < length && blank(row[i])) ++i;
    from = i;
    if (mark == ' ' && i == length) return PETSC_FALSE;
    if (i < length && row[i] == '"') i = end_of_quoted(row, length, i);
    while (i < length && (mark == ' ' ? !blank(row[i]) : row[i] != mark)) ++i;
    to = i;
    while (to > from && blank(row[to - 1])) --to;
    if (to > from + 1 && row[from] == '"' && row[to - 1] == '"') ++from, --to;
    *field = (Field){row + from, to - from};
    if (c == column) return PETSC_TRUE;
    if (mark != ' ' && i == length) return PETSC_FALSE;
    if (mark != ' ') ++i;
  }
}

static PetscBool get_number(const Field *field, double *value)
{
  char copy[64], *end;

  if (!field->length || field->length >= sizeof copy) return PETSC_FALSE;
  memcpy(copy, field->at, field->length);
  copy[field->length] = 0;
  *value              = strtod(copy, &end);
  return *end || !isfinite(*value) || strpbrk(copy, "xX") ? PETSC_FALSE : PETSC_TRUE;
}

/* What the first row may begin with as a name: no digits, and no number that is not finite. */
static PetscBool is_name(const Field *field)
{
  char copy[64], *end;

  if (!field->length || field->length >= sizeof copy) return PETSC_TRUE;
  memcpy(copy, field->at, field->length);
  copy[field->length] = 0;
  (void)strtod(copy, &end);
  return !*end || isdigit((unsigned char)copy[strspn(copy, "+-.")]) ? PETSC_FALSE : PETSC_TRUE;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* The number of a column that is wanted by name, from the row of names. */
static PetscErrorCode find_column(Reader *r, const char row[], size_t length)
{
  const char *list[256] = {0}, *nearest;
  char        names[256][64], all[600] = "";
  Field       field;
  PetscInt    n = 0;

  PetscFunctionBegin;
  for (; n < 256 && get_field(row, length, n, &field); ++n) {
    (void)snprintf(names[n], sizeof names[n], "%.*s", (int)field.length, field.at);
    list[n] = names[n];
    if (!strcmp(names[n], r->wanted)) {
      if (r->column >= 0) {
        COMPLAIN(r,
                 "table \"%.300s\" has two columns \"%.60s\", number %" PetscInt_FMT " and %" PetscInt_FMT
                 "; take one by its number",
                 r->path, r->wanted, r->column, n);
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      r->column = n;
    }
    if (strlen(all) + strlen(names[n]) + 4 < sizeof all) {
      PetscCall(RungTextAppend(all, n ? ", " : "", sizeof all));
      PetscCall(RungTextAppend(all, names[n], sizeof all));
    }
  }
  if (r->column >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(r->wanted, n, list, &nearest));
  COMPLAIN(r, "table \"%.300s\" has no column \"%.60s\"%s%.60s%s; it has %.400s", r->path, r->wanted,
           nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "0,5;1,5" or "0,5 1,5": two kinds of marks between digits. */
static PetscBool decimal_comma(const char row[], size_t length)
{
  PetscBool comma = PETSC_FALSE, other = PETSC_FALSE;

  for (size_t i = 1; i + 1 < length; ++i) {
    if (!isdigit((unsigned char)row[i - 1]) || !isdigit((unsigned char)row[i + 1])) continue;
    if (row[i] == ',') comma = PETSC_TRUE;
    if (row[i] == ';' || blank(row[i])) other = PETSC_TRUE;
  }
  return comma && other ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode add_row(Reader *r, const char row[], size_t length)
{
  const PetscInt column[2] = {0, r->column};
  double         value[2];
  Field          field;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    if (!get_field(row, length, column[i], &field)) {
      COMPLAIN(
        r, "table \"%.300s\", line %ld: no column %" PetscInt_FMT "; they are counted from 0, which is the argument",
        r->path, r->line, column[i]);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!get_number(&field, &value[i])) {
      COMPLAIN(r, "table \"%.300s\", line %ld: found \"%.*s\" in column %" PetscInt_FMT ", wanted a finite number%s",
               r->path, r->line, (int)PetscMin(field.length, 40), field.at, column[i],
               decimal_comma(row, length) ? "; a comma separates columns, decimals come after a point" : "");
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (r->n && !(value[0] > r->x[r->n - 1])) {
    COMPLAIN(r, "table \"%.300s\", line %ld: %g after %g; the first column has to increase, sort the rows", r->path,
             r->line, value[0], r->x[r->n - 1]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (r->n == r->room) {
    r->room = PetscMax(64, 2 * r->room);
    PetscCall(PetscRealloc((size_t)r->room * sizeof *r->x, &r->x));
    PetscCall(PetscRealloc((size_t)r->room * sizeof *r->y, &r->y));
  }
  r->x[r->n]   = value[0];
  r->y[r->n++] = value[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names where the first row is no number; a column by name needs them. */
static PetscErrorCode read_row(Reader *r, const char row[], size_t length)
{
  const PetscBool named = r->column < 0 ? PETSC_TRUE : PETSC_FALSE;
  Field           first;
  double          value;

  PetscFunctionBegin;
  (void)get_field(row, length, 0, &first);
  if (!r->n && !r->room && !get_number(&first, &value) && is_name(&first)) {
    r->room = 64; /* there is one row of names at most */
    PetscCall(PetscMalloc1(r->room, &r->x));
    PetscCall(PetscMalloc1(r->room, &r->y));
    if (named) PetscCall(find_column(r, row, length));
  } else if (named) {
    COMPLAIN(r, "table \"%.300s\" has no row of names, where column \"%.60s\" would be; columns have numbers from 0",
             r->path, r->wanted);
  } else {
    PetscCall(add_row(r, row, length));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_rows(Reader *r)
{
  const char *at = r->text;

  PetscFunctionBegin;
  if (r->size >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) at += 3; /* the mark of UTF-8 */
  for (r->line = 1; *at && !r->message[0]; ++r->line) {
    const size_t all    = strcspn(at, "\n");
    size_t       length = strcspn(at, "#\n"), i = 0;

    while (i < length && blank(at[i])) ++i;
    if (i < length) PetscCall(read_row(r, at, length));
    at += all + (at[all] ? 1 : 0);
  }
  if (!r->message[0] && r->n < 2) {
    COMPLAIN(r, "table \"%.300s\" has %" PetscInt_FMT " row%s of numbers; wanted at least 2", r->path, r->n,
             r->n == 1 ? "" : "s");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- polynomials -------------------------------------------------------------------------------------------------- */

/* the slope at an end, from its interval and the next */
static double end_slope(double h0, double h1, double d0, double d1)
{
  const double s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);

  if (s * d0 <= 0) return 0;
  return d0 * d1 <= 0 && fabs(s) > 3 * fabs(d0) ? 3 * d0 : s;
}

static double slope(PetscInt n, const double x[], const double y[], PetscInt i)
{
  double h0, h1, d0, d1;

  if (n == 2) return (y[1] - y[0]) / (x[1] - x[0]);
  if (i == 0 || i == n - 1) {
    const PetscInt a = i ? n - 2 : 0, b = i ? n - 3 : 1;

    return end_slope(x[a + 1] - x[a], x[b + 1] - x[b], (y[a + 1] - y[a]) / (x[a + 1] - x[a]),
                     (y[b + 1] - y[b]) / (x[b + 1] - x[b]));
  }
  h0 = x[i] - x[i - 1];
  h1 = x[i + 1] - x[i];
  d0 = (y[i] - y[i - 1]) / h0;
  d1 = (y[i + 1] - y[i]) / h1;
  if (d0 * d1 <= 0) return 0;
  return 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
}

static void interpolate(PetscInt n, const double x[], const double y[], PetscBool cubic, double table[])
{
  double *c = table + 1 + n;

  table[0] = (double)n;
  for (PetscInt i = 0; i < n; ++i) table[1 + i] = x[i];
  for (PetscInt i = 0; i + 1 < n; ++i, c += 4) {
    const double h = x[i + 1] - x[i], d = (y[i + 1] - y[i]) / h;

    c[0] = y[i];
    c[1] = d;
    c[2] = c[3] = 0;
    if (cubic) {
      const double s0 = slope(n, x, y, i), s1 = slope(n, x, y, i + 1);

      c[1] = s0;
      c[2] = (3 * d - 2 * s0 - s1) / h;
      c[3] = (s0 + s1 - 2 * d) / (h * h);
    }
  }
  c[0] = y[n - 1];
}

/* ---- the scope's tables --------------------------------------------------------------------------------------------- */

static PetscErrorCode read_file(Reader *r)
{
  PetscFunctionBegin;
  r->column = r->wanted[0] ? -1 : 1;
  if (r->wanted[0] && strspn(r->wanted, "0123456789") == strlen(r->wanted) && strlen(r->wanted) < 6)
    r->column = (PetscInt)atoi(r->wanted);
  PetscCall(load(r));
  if (!r->message[0]) PetscCall(read_rows(r));
  PetscCall(PetscFree(r->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The message, or n rows, of rank 0 for everybody. */
static PetscErrorCode share(MPI_Comm comm, Reader *r)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(r->message, RUNG_MESSAGE, MPI_CHAR, 0, comm));
  PetscCallMPI(MPI_Bcast(&r->n, 1, MPIU_INT, 0, comm));
  if (r->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!r->x) {
    PetscCall(PetscMalloc1(r->n, &r->x));
    PetscCall(PetscMalloc1(r->n, &r->y));
  }
  PetscCall(PetscMPIIntCast(r->n, &count));
  PetscCallMPI(MPI_Bcast(r->x, count, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(r->y, count, MPI_DOUBLE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_table(RungScope scope, const Reader *r, PetscBool cubic, PetscInt *number)
{
  RungTableEntry entry = {.cubic = cubic};
  double        *data;

  PetscFunctionBegin;
  PetscCall(RungArenaGet(scope, (size_t)(2 + r->n + 4 * (r->n - 1)) * sizeof *data, &data));
  interpolate(r->n, r->x, r->y, cubic, data);
  PetscCall(RungScopeAddString(scope, r->path, strlen(r->path), &entry.path));
  PetscCall(RungScopeAddString(scope, r->wanted, strlen(r->wanted), &entry.column));
  RUNG_TABLE_GROW(scope->table);
  RUNG_TABLE_GROW(scope->polynomials);
  scope->table.entry[scope->table.n]       = entry;
  scope->polynomials.entry[scope->table.n] = data;
  *number                                  = scope->table.n++;
  ++scope->polynomials.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeSetFolder(RungScope scope, const char folder[])
{
  PetscFunctionBegin;
  RungNeed(scope);
  RungNeedArgument(folder);
  PetscCheck(strlen(folder) < sizeof scope->folder, scope->comm, PETSC_ERR_ARG_SIZ,
             "the folder of tables has a path of %zu letters; wanted fewer than %zu", strlen(folder),
             sizeof scope->folder);
  (void)snprintf(scope->folder, sizeof scope->folder, "%s", folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeAddTable(RungScope scope, const char path[], const char column[], PetscBool cubic,
                                 PetscInt *number, char message[RUNG_MESSAGE])
{
  Reader      r = {.folder = scope->folder, .path = path, .wanted = column, .message = message};
  PetscMPIInt rank;

  PetscFunctionBegin;
  memset(message, 0, RUNG_MESSAGE);
  for (*number = 0; *number < scope->table.n; ++*number) {
    const RungTableEntry *known = &scope->table.entry[*number];

    if (known->cubic == cubic && !strcmp(RungScopeString(scope, known->path), path) &&
        !strcmp(RungScopeString(scope, known->column), column))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_rank(scope->comm, &rank));
  if (!rank) PetscCall(read_file(&r));
  PetscCall(share(scope->comm, &r));
  if (!message[0]) PetscCall(add_table(scope, &r, cubic, number));
  PetscCall(PetscFree(r.x));
  PetscCall(PetscFree(r.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const double *const *RungScopeTables(RungScope scope)
{
  return scope->polynomials.entry;
}

/* Knots and values, which are those of the file on any machine: slopes are computed. */
PetscBool RungScopeGetTable(RungScope scope, PetscInt i, const char **path, char sum[17])
{
  const double *table;
  PetscInt      n;
  uint64_t      hash = 0xcbf29ce484222325;

  if (i >= scope->table.n) return PETSC_FALSE;
  table = scope->polynomials.entry[i];
  n     = (PetscInt)table[0];
  for (PetscInt k = 0; k < 2 * n; ++k) {
    const double *number = k < n ? &table[1 + k] : &table[1 + n + 4 * (k - n)];
    unsigned char byte[sizeof *number];

    memcpy(byte, number, sizeof byte);
    for (size_t b = 0; b < sizeof byte; ++b) hash = (hash ^ byte[b]) * 0x100000001b3;
  }
  *path = RungScopeString(scope, scope->table.entry[i].path);
  (void)snprintf(sum, 17, "%016" PRIx64, hash);
  return PETSC_TRUE;
}
