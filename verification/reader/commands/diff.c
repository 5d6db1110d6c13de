/* diff.c - rung diff: two folders of results, number by number.  Rank 0 reads; what differs is a line each. */
#include "diff_impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINES 50
#define MOST_FILES 100000
#define MOST_BYTES ((size_t)1 << 31)

void RungDiffTell(RungDiff *d, const char format[], ...)
{
  va_list list;

  if (++d->differences > MOST_LINES) return;
  va_start(list, format);
  (void)vprintf(format, list);
  va_end(list);
}

/* ---- columns and fields ------------------------------------------------------------------------------------------- */

static char *copy_text(const char text[])
{
  char *copy = malloc(strlen(text) + 1);

  if (copy) memcpy(copy, text, strlen(text) + 1);
  return copy;
}

size_t RungDiffFind(RungDiff *d, const char group[], const char name[])
{
  RungDiffItem *more;

  for (size_t i = d->items; i-- > 0;) {
    if (d->item[i].group && d->item[i].name && !strcmp(d->item[i].group, group) && !strcmp(d->item[i].name, name))
      return i;
  }
  if (d->items == d->room) {
    more = realloc(d->item, (2 * d->room + 16) * sizeof *more);
    if (!more) abort(); /* nothing can be said any more */
    d->item = more;
    d->room = 2 * d->room + 16;
  }
  d->item[d->items] = (RungDiffItem){.group = copy_text(group), .name = copy_text(name)};
  return d->items++;
}

double RungDiffBetween(double a, double b)
{
  if (a == b || (isnan(a) && isnan(b))) return 0;
  return isfinite(a) && isfinite(b) ? fabs(a - b) : HUGE_VAL;
}

PetscBool RungDiffAdd(RungDiff *d, size_t item, double a, double b)
{
  RungDiffItem *i     = &d->item[item];
  const double  apart = RungDiffBetween(a, b);

  ++d->numbers;
  if (isfinite(a)) i->scale = fmax(i->scale, fabs(a));
  if (isfinite(b)) i->scale = fmax(i->scale, fabs(b));
  if (!(apart > i->worst)) return PETSC_FALSE;
  i->worst    = apart;
  i->value[0] = a;
  i->value[1] = b;
  return PETSC_TRUE;
}

/* All that has been compared; the largest part of an item's scale that two numbers are apart by, and where. */
static void judge(RungDiff *d, double *part, const RungDiffItem **furthest)
{
  *part     = 0;
  *furthest = NULL;
  for (size_t k = 0; k < d->items; ++k) {
    const RungDiffItem *i     = &d->item[k];
    const double        ratio = i->scale > 0 ? i->worst / i->scale : i->worst > 0 ? HUGE_VAL : 0;

    if (i->worst > d->abs + d->rel * i->scale)
      RungDiffTell(d, "%s: \"%s\" differs by %g, %g of its largest value, most %s: %.17g and %.17g\n", i->group,
                   i->name, i->worst, ratio, i->where, i->value[0], i->value[1]);
    else if (i->worst > d->rel * i->scale)
      (void)printf("%s: \"%s\" has values up to %g and differs by %g, which -abs %g lets pass\n", i->group, i->name,
                   i->scale, i->worst, d->abs);
    else if (i->worst > 0 && ratio > *part) {
      *part     = ratio;
      *furthest = i;
    }
  }
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

/* Letters of a name in the head of a table, which has quotes where it holds a comma. */
static size_t name_length(const char text[])
{
  PetscBool quoted = PETSC_FALSE;
  size_t    n      = 0;

  for (; text[n] && text[n] != '\n' && (quoted || text[n] != ','); ++n) {
    if (text[n] == '"') quoted = quoted ? PETSC_FALSE : PETSC_TRUE;
  }
  return n;
}

/* The items of a table's columns; the caller's. */
static size_t *find_columns(RungDiff *d, const char path[], const char head[], size_t *n)
{
  const char *const end = head + line_length(head);
  size_t           *item, most = 1;

  *n = 0;
  for (const char *c = head; c < end; ++c) most += *c == ',';
  item = malloc(most * sizeof *item);
  for (const char *c = head; item && c <= end && *n < most; c += name_length(c) + 1) {
    char name[300];

    (void)snprintf(name, sizeof name, "%.*s", (int)name_length(c), c);
    item[(*n)++] = RungDiffFind(d, path, name);
  }
  return item;
}

static PetscBool read_cell(const char text[], size_t n, double *value)
{
  char *end;

  *value = strtod(text, &end);
  return n && end == text + n ? PETSC_TRUE : PETSC_FALSE;
}

/* Cell by cell of a row: numbers, else words. */
static void compare_rows(RungDiff *d, const char path[], int line, size_t columns, const size_t item[], const char *a,
                         const char *b)
{
  const char *const end_a = a + line_length(a), *const end_b = b + line_length(b);

  for (size_t column = 0; a <= end_a && b <= end_b; ++column) {
    const size_t n = strcspn(a, ",\n"), m = strcspn(b, ",\n");
    double       x, y;

    if (column < columns && read_cell(a, n, &x) && read_cell(b, m, &y)) {
      if (RungDiffAdd(d, item[column], x, y))
        (void)snprintf(d->item[item[column]].where, sizeof d->item->where, "in line %d", line);
    } else if (n != m || strncmp(a, b, n) != 0)
      RungDiffTell(d, "%s:%d: column %zu: %.*s and %.*s\n", path, line, column + 1, (int)n, a, (int)m, b);
    a += n + 1;
    b += m + 1;
    if ((a > end_a) != (b > end_b)) RungDiffTell(d, "%s:%d: another number of columns\n", path, line);
  }
}

static void compare_tables(RungDiff *d, const char path[], const char *a, const char *b)
{
  size_t  columns;
  size_t *item;
  int     line = 1;

  if (line_length(a) != line_length(b) || strncmp(a, b, line_length(a)) != 0) {
    RungDiffTell(d, "%s: other columns, %.*s and %.*s\n", path, (int)line_length(a), a, (int)line_length(b), b);
    return;
  }
  item = find_columns(d, path, a, &columns);
  for (;;) {
    a += line_length(a);
    b += line_length(b);
    if (*a) ++a;
    if (*b) ++b;
    ++line;
    if (!*a || !*b) break;
    compare_rows(d, path, line, columns, item, a, b);
  }
  if (*a || *b) RungDiffTell(d, "%s:%d: %s ends here\n", path, line, *a ? "the second" : "the first");
  free(item);
}

/* The times of a series. */
static void compare_times(RungDiff *d, const char path[], const char *a, const char *b)
{
  static const char key[] = "timestep=\"";
  const size_t      item  = RungDiffFind(d, path, "time");
  int               n     = 0;

  for (;; ++n) {
    a = strstr(a, key);
    b = strstr(b, key);
    if (!a || !b) break;
    a += sizeof key - 1;
    b += sizeof key - 1;
    if (RungDiffAdd(d, item, strtod(a, NULL), strtod(b, NULL)))
      (void)snprintf(d->item[item].where, sizeof d->item->where, "of picture %d", n + 1);
  }
  if (a || b) RungDiffTell(d, "%s: %s ends after %d times\n", path, a ? "the second" : "the first", n);
}

/* ---- folders ------------------------------------------------------------------------------------------------------ */

static PetscBool ends_with(const char name[], const char ending[])
{
  const size_t n = strlen(name), m = strlen(ending);

  return n > m && !strcmp(name + n - m, ending) ? PETSC_TRUE : PETSC_FALSE;
}

static void compare_files(RungDiff *d, const char one[], const char other[], const char path[])
{
  char   from[2][PETSC_MAX_PATH_LEN], *a, *b;
  size_t size[2];

  (void)snprintf(from[0], sizeof from[0], "%.1800s/%.2200s", one, path);
  (void)snprintf(from[1], sizeof from[1], "%.1800s/%.2200s", other, path);
  a = load(from[0], &size[0]);
  b = load(from[1], &size[1]);
  if ((!a || !b) && access(from[a ? 1 : 0], F_OK))
    RungDiffTell(d, "%s: only in %s\n", path, a ? one : other);
  else if (!a || !b)
    RungDiffTell(d, "%s: cannot be read in %s, or has 2 GB and more\n", path, a ? other : one);
  else if (ends_with(path, ".csv"))
    compare_tables(d, path, a, b);
  else if (ends_with(path, ".pvd"))
    compare_times(d, path, a, b);
  else
    RungDiffPictures(d, path, a, size[0], b, size[1]);
  ++d->files;
  free(a);
  free(b);
}

/* Tables and series below `folder` that are in `one`; what the other has alone is found by a second walk, alone. */
static void walk(RungDiff *d, const char one[], const char other[], const char folder[], PetscBool alone, int depth)
{
  char            path[PETSC_MAX_PATH_LEN], full[PETSC_MAX_PATH_LEN];
  struct dirent **entry;
  struct stat     about;
  int             n;

  (void)snprintf(full, sizeof full, "%s/%s", one, folder);
  n = scandir(full, &entry, NULL, alphasort);
  for (int i = 0; i < n; ++i) {
    const char     *name = entry[i]->d_name;
    const PetscBool ours = ends_with(name, ".csv") || ends_with(name, ".vtu") || ends_with(name, ".pvd") ? PETSC_TRUE
                                                                                                         : PETSC_FALSE;

    (void)snprintf(path, sizeof path, "%.2000s%s%.255s", folder, folder[0] ? "/" : "", name);
    (void)snprintf(full, sizeof full, "%.1800s/%.2200s", one, path);
    if (name[0] != '.' && d->files < MOST_FILES && !lstat(full, &about)) {
      if (S_ISDIR(about.st_mode) && depth < 4) walk(d, one, other, path, alone, depth + 1);
      (void)snprintf(full, sizeof full, "%.1800s/%.2200s", other, path);
      if (S_ISREG(about.st_mode) && ours && !alone)
        compare_files(d, one, other, path);
      else if (S_ISREG(about.st_mode) && ours && lstat(full, &about))
        RungDiffTell(d, "%s: only in %s\n", path, one);
    }
    free(entry[i]);
  }
  if (n >= 0) free(entry);
}

/* What came of it, in a line. */
static void print_verdict(const RungDiff *d, double part, const RungDiffItem *furthest)
{
  if (d->differences > MOST_LINES) (void)printf("(and %" PetscInt_FMT " more)\n", d->differences - MOST_LINES);
  if (!d->files && !d->differences) {
    (void)printf("nothing to compare: neither folder has a table (.csv) or a series (.pvd)\n");
    return;
  }
  (void)printf("%" PetscInt_FMT " files, %lld numbers: ", d->files, (long long)d->numbers);
  if (d->differences)
    (void)printf("they differ by more than %g of the largest value of a column or field, and %g (-rel, -abs)\n", d->rel,
                 d->abs);
  else
    (void)printf("equal within %g of the largest value of a column or field, or %g (-rel, -abs)\n", d->rel, d->abs);
  if (!d->differences && furthest)
    (void)printf("furthest apart, by %g of the largest value: %s: \"%s\", %s\n", part, furthest->group, furthest->name,
                 furthest->where);
  else if (!d->differences)
    (void)printf("no number differs\n");
}

PetscErrorCode RungResultsDiff(MPI_Comm comm, const char one[], const char other[], PetscReal rel, PetscReal abs,
                               PetscBool *same)
{
  RungDiff            d         = {.rel = (double)rel, .abs = (double)abs};
  char                why[512]  = "";
  const char         *folder[2] = {one, other};
  const RungDiffItem *furthest;
  PetscMPIInt         rank;
  double              part;

  PetscFunctionBegin;
  RungNeedArgument(one);
  RungNeedArgument(other);
  RungNeedArgument(same);
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
    judge(&d, &part, &furthest);
    print_verdict(&d, part, furthest);
  }
  for (size_t i = 0; i < d.items; ++i) {
    free(d.item[i].group);
    free(d.item[i].name);
  }
  free(d.item);
  PetscCallMPI(MPI_Bcast(&d.differences, 1, MPIU_INT, 0, comm));
  *same = d.differences ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
