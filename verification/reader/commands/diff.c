/* diff.c - rung diff: two folders of results, number by number.  Rank 0 reads; what differs is a line each. */
#include "reader_impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_LINES 50
#define MOST_FILES 100000
#define MOST_BYTES ((size_t)1 << 31)

typedef struct {
  PetscReal rel, abs;
  PetscInt  differences, files, numbers;
} Diff;

static void tell(Diff *d, const char format[], ...)
{
  va_list list;

  if (++d->differences > MOST_LINES) return;
  va_start(list, format);
  (void)vprintf(format, list);
  va_end(list);
}

/* Not a number equals not a number. */
static PetscBool are_near(Diff *d, double a, double b)
{
  ++d->numbers;
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? PETSC_TRUE : PETSC_FALSE;
  return a == b || fabs(a - b) <= d->abs + d->rel * fmax(fabs(a), fabs(b)) ? PETSC_TRUE : PETSC_FALSE;
}

/* The bytes of a file with a zero behind them, the caller's; NULL: it cannot be read. */
static char *load(const char path[], size_t *size)
{
  FILE       *file = fopen(path, "rb");
  struct stat about;
  char       *text = NULL;

  *size = 0;
  if (file && !fstat(fileno(file), &about) && S_ISREG(about.st_mode) && (size_t)about.st_size < MOST_BYTES)
    text = malloc((size_t)about.st_size + 1);
  if (text) {
    *size       = fread(text, 1, (size_t)about.st_size, file);
    text[*size] = 0;
  }
  if (file) (void)fclose(file);
  return text;
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

static size_t line_length(const char text[])
{
  return strcspn(text, "\n");
}

/* Cell by cell of a row; empty cells are equal to empty ones. */
static void compare_rows(Diff *d, const char path[], int line, const char *a, const char *b)
{
  const char *const end_a = a + line_length(a), *const end_b = b + line_length(b);

  for (int column = 1; a <= end_a && b <= end_b; ++column) {
    const size_t n = strcspn(a, ",\n"), m = strcspn(b, ",\n");

    if ((n == 0) != (m == 0) || (n && !are_near(d, strtod(a, NULL), strtod(b, NULL))))
      tell(d, "%s:%d: column %d: %.*s and %.*s\n", path, line, column, (int)n, a, (int)m, b);
    a += n + 1;
    b += m + 1;
    if ((a > end_a) != (b > end_b)) tell(d, "%s:%d: another number of columns\n", path, line);
  }
}

static void compare_tables(Diff *d, const char path[], const char *a, const char *b)
{
  int line = 1;

  if (line_length(a) != line_length(b) || strncmp(a, b, line_length(a)) != 0) {
    tell(d, "%s: other columns, %.*s and %.*s\n", path, (int)line_length(a), a, (int)line_length(b), b);
    return;
  }
  for (;;) {
    a += line_length(a);
    b += line_length(b);
    if (*a) ++a;
    if (*b) ++b;
    if (!*a && !*b) return;
    ++line;
    if (!*a || !*b) {
      tell(d, "%s:%d: %s ends here\n", path, line, *a ? "the second" : "the first");
      return;
    }
    compare_rows(d, path, line, a, b);
  }
}

/* ---- pieces of series --------------------------------------------------------------------------------------------- */

typedef struct {
  char        type[16], name[256];
  const char *data;
  size_t      size;
} Array;

/* An attribute of the tag that begins at `tag`; "" without. */
static void read_attribute(const char tag[], const char key[], char value[], size_t room)
{
  const char *end = strchr(tag, '>'), *at = strstr(tag, key);

  value[0] = 0;
  if (at && end && at < end)
    (void)snprintf(value, room, "%.*s", (int)strcspn(at + strlen(key), "\""), at + strlen(key));
}

/* The next array behind *at with its bytes; false at the end, or where the file is cut. */
static PetscBool next_array(const char **at, const char raw[], size_t left, Array *array)
{
  const char *tag = strstr(*at, "<DataArray");
  char        offset[32];
  uint64_t    size;
  size_t      from;

  if (!tag || tag > raw) return PETSC_FALSE;
  read_attribute(tag, "type=\"", array->type, sizeof array->type);
  read_attribute(tag, "Name=\"", array->name, sizeof array->name);
  read_attribute(tag, "offset=\"", offset, sizeof offset);
  from = strtoul(offset, NULL, 10);
  if (left < sizeof size || from > left - sizeof size) return PETSC_FALSE;
  memcpy(&size, raw + from, sizeof size);
  if (size > left - sizeof size - from) return PETSC_FALSE;
  array->data = raw + from + sizeof size;
  array->size = (size_t)size;
  *at         = tag + 1;
  return PETSC_TRUE;
}

static void compare_arrays(Diff *d, const char path[], const Array *a, const Array *b)
{
  size_t worst = 0, n = a->size / sizeof(double), bad = 0;
  double most = -1;

  if (strcmp(a->name, b->name) || strcmp(a->type, b->type) || a->size != b->size) {
    tell(d, "%s: array %s of %zu bytes and %s of %zu\n", path, a->name, a->size, b->name, b->size);
    return;
  }
  if (strcmp(a->type, "Float64") != 0) {
    if (memcmp(a->data, b->data, a->size) != 0) tell(d, "%s: %s differs\n", path, a->name);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    double x, y;

    memcpy(&x, a->data + i * sizeof x, sizeof x);
    memcpy(&y, b->data + i * sizeof y, sizeof y);
    if (are_near(d, x, y)) continue;
    ++bad;
    if (!(fabs(x - y) <= most)) most = fabs(x - y), worst = i;
  }
  if (bad)
    tell(d, "%s: %s differs in %zu of %zu numbers, most in number %zu, by %g\n", path, a->name, bad, n, worst, most);
}

static int count(const char text[], const char *end, const char word[])
{
  int n = 0;

  for (const char *at = strstr(text, word); at && at < end; at = strstr(at + 1, word)) ++n;
  return n;
}

static void compare_pieces(Diff *d, const char path[], const char *a, size_t size_a, const char *b, size_t size_b)
{
  const char *const mark = "<AppendedData", *raw_a = strstr(a, mark), *raw_b = strstr(b, mark);
  Array             one, other;
  PetscBool         more = PETSC_TRUE;

  if (count(a, raw_a, "<Piece ") != count(b, raw_b, "<Piece ")) {
    tell(d,
         "%s: %d and %d pieces: other numbers of ranks order their points in other ways; their tables are compared\n",
         path, count(a, raw_a, "<Piece "), count(b, raw_b, "<Piece "));
    return;
  }
  raw_a = raw_a ? strchr(raw_a, '_') : NULL; /* bytes begin behind it */
  raw_b = raw_b ? strchr(raw_b, '_') : NULL;
  if (!raw_a || !raw_b) {
    if (size_a != size_b || memcmp(a, b, size_a) != 0) tell(d, "%s differs\n", path);
    return;
  }
  for (const char *at = a, *bt = b; more;) {
    const PetscBool has = next_array(&at, raw_a + 1, size_a - (size_t)(raw_a + 1 - a), &one);

    more = has && next_array(&bt, raw_b + 1, size_b - (size_t)(raw_b + 1 - b), &other) ? PETSC_TRUE : PETSC_FALSE;
    if (has != more) tell(d, "%s: another number of arrays\n", path);
    if (more) compare_arrays(d, path, &one, &other);
  }
}

/* ---- folders ------------------------------------------------------------------------------------------------------ */

static PetscBool ends_with(const char name[], const char ending[])
{
  const size_t n = strlen(name), m = strlen(ending);

  return n > m && !strcmp(name + n - m, ending) ? PETSC_TRUE : PETSC_FALSE;
}

static void compare_files(Diff *d, const char one[], const char other[], const char path[])
{
  char   from[2][PETSC_MAX_PATH_LEN], *a, *b;
  size_t size[2];

  (void)snprintf(from[0], sizeof from[0], "%.1800s/%.2200s", one, path);
  (void)snprintf(from[1], sizeof from[1], "%.1800s/%.2200s", other, path);
  a = load(from[0], &size[0]);
  b = load(from[1], &size[1]);
  if (!a || !b)
    tell(d, "%s: only in %s\n", path, a ? one : other);
  else if (ends_with(path, ".csv"))
    compare_tables(d, path, a, b);
  else
    compare_pieces(d, path, a, size[0], b, size[1]);
  ++d->files;
  free(a);
  free(b);
}

/* Tables and pieces below `folder` that are in `one`; what the other has alone is found by a second walk, alone. */
static void walk(Diff *d, const char one[], const char other[], const char folder[], PetscBool alone, int depth)
{
  char           path[PETSC_MAX_PATH_LEN], full[PETSC_MAX_PATH_LEN];
  struct dirent *entry;
  struct stat    about;
  DIR           *open;

  (void)snprintf(full, sizeof full, "%s/%s", one, folder);
  open = opendir(full);
  while (open && d->files < MOST_FILES && (entry = readdir(open))) {
    if (entry->d_name[0] == '.') continue;
    (void)snprintf(path, sizeof path, "%.2000s%s%.255s", folder, folder[0] ? "/" : "", entry->d_name);
    (void)snprintf(full, sizeof full, "%.1800s/%.2200s", one, path);
    if (lstat(full, &about)) continue;
    if (S_ISDIR(about.st_mode) && depth < 4) walk(d, one, other, path, alone, depth + 1);
    if (!S_ISREG(about.st_mode) || (!ends_with(path, ".csv") && !ends_with(path, ".vtu"))) continue;
    (void)snprintf(full, sizeof full, "%.1800s/%.2200s", other, path);
    if (!alone)
      compare_files(d, one, other, path);
    else if (lstat(full, &about))
      tell(d, "%s: only in %s\n", path, one);
  }
  if (open) (void)closedir(open);
}

PetscErrorCode RungResultsDiff(MPI_Comm comm, const char one[], const char other[], PetscReal rel, PetscReal abs,
                               PetscBool *same)
{
  Diff        d         = {.rel = rel, .abs = abs};
  char        why[512]  = "";
  const char *folder[2] = {one, other};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCheck(rel >= 0 && abs >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "tolerances %g and %g, wanted no negative numbers",
             (double)rel, (double)abs);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < 2 && !rank; ++i) {
    DIR *open = opendir(folder[i]);

    if (!open) (void)snprintf(why, sizeof why, "%.300s cannot be read: %s", folder[i], strerror(errno));
    if (open) (void)closedir(open);
  }
  RungCheckAll(!why[0], comm, PETSC_ERR_FILE_OPEN, "%s", why);
  if (!rank) {
    walk(&d, one, other, "", PETSC_FALSE, 0);
    walk(&d, other, one, "", PETSC_TRUE, 0);
    if (d.differences > MOST_LINES) (void)printf("(and %" PetscInt_FMT " more)\n", d.differences - MOST_LINES);
    (void)printf("%" PetscInt_FMT " files, %" PetscInt_FMT " numbers: %s\n", d.files, d.numbers,
                 d.differences ? "they differ" : "equal within the tolerances");
  }
  PetscCallMPI(MPI_Bcast(&d.differences, 1, MPIU_INT, 0, comm));
  *same = d.differences ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
