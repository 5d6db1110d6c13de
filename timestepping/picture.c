/* picture.c - the picture of a table: one diagram a quantity, since their units have nothing in common. */
#include "step_impl.h"

#include <stdio.h>
#include <stdlib.h>

PetscErrorCode RungTablePicture(RungTableRecord table, char path[PETSC_MAX_PATH_LEN])
{
  const size_t n = strlen(table->path) - strlen(".csv");

  PetscFunctionBegin;
  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%.*s.png", (int)n, table->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what there is to draw ---------------------------------------------------------------------------------------- */

/* Least and greatest of the numbers in a column; lo > hi: none. */
typedef struct {
  double lo, hi;
} Range;

static void widen(Range *range, double x)
{
  if (!isfinite(x)) return;
  if (x < range->lo) range->lo = x;
  if (x > range->hi) range->hi = x;
}

/* range[1 + columns] of t and the columns; *rows. */
static PetscErrorCode measure(RungTableRecord table, Range range[], PetscInt *rows)
{
  FILE  *file = fopen(table->path, "r");
  char  *line = NULL, *at, *end;
  size_t room = 0;

  PetscFunctionBegin;
  *rows = -1; /* the first line has names */
  for (PetscInt c = 0; c <= table->columns; ++c) range[c] = (Range){HUGE_VAL, -HUGE_VAL};
  while (file && getline(&line, &room, file) > 0) {
    if (++*rows == 0) continue;
    at = line;
    for (PetscInt c = 0; c <= table->columns; ++c) {
      const double x = strtod(at, &end);

      if (end != at) widen(&range[c], x);
      if (*end != ',') break;
      at = end + 1;
    }
  }
  free(line);
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Digits that tell the marks of an axis apart; the range gets some air, and its values' own size where they are all the
   same but for rounding. */
static int choose_range(Range *range, double air)
{
  const double most = 1e300, size = fmax(fabs(range->lo), fabs(range->hi)), span = range->hi - range->lo;
  int          digits = 3;

  if (!(range->lo <= range->hi) || size < 1 / most) {
    *range = (Range){-1, 1};
    return digits;
  }
  if (size > most / 2)
    *range = (Range){-most, most};
  else if (span <= 1e-12 * size)
    *range = (Range){range->lo - size / 10, range->hi + size / 10};
  else {
    *range = (Range){range->lo - air * span, range->hi + air * span};
    digits = 3 + (int)ceil(log10(size / span));
  }
  return digits;
}

/* ---- the script --------------------------------------------------------------------------------------------------- */

#define LETTER 9 /* pixels of a wide one */

/* Rows and columns of diagrams, and pixels. */
typedef struct {
  PetscInt rows, columns;
  int      width, height; /* of one diagram */
} Sheet;

static Sheet choose_sheet(PetscInt n)
{
  Sheet sheet = {.columns = n <= 3 ? 1 : n <= 12 ? 2 : n <= 30 ? 3 : 4};

  sheet.rows   = (n + sheet.columns - 1) / sheet.columns;
  sheet.width  = sheet.columns == 1 ? 900 : 640;
  sheet.height = (int)PetscMin(n == 1 ? 500 : 240, 20000 / sheet.rows); /* gnuplot's pictures end at 32767 pixels */
  return sheet;
}

/* As much of a name as there is room for. */
static PetscErrorCode add_title(RungDraft *script, const char name[], int width)
{
  char   title[RUNG_NAME_LENGTH + 8];
  size_t most = (size_t)(width - 100) / LETTER;

  PetscFunctionBegin;
  (void)snprintf(title, sizeof title, "%s", name);
  if (strlen(title) > most) {
    while ((title[most] & 0xc0) == 0x80) --most; /* not within a character of UTF-8 */
    (void)snprintf(title + most, sizeof title - most, "..");
  }
  PetscCall(RungDraftAdd(script, "set title "));
  PetscCall(RungDraftAddName(script, RUNG_GNUPLOT, title));
  PetscCall(RungDraftAdd(script, " noenhanced\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_diagram(RungDraft *script, RungTableRecord table, const Sheet *sheet, PetscInt c, Range range,
                                  const char style[])
{
  const PetscBool empty  = range.lo <= range.hi ? PETSC_FALSE : PETSC_TRUE;
  const int       digits = choose_range(&range, 0.05);

  PetscFunctionBegin;
  PetscCall(add_title(script, table->name[c], sheet->width));
  PetscCall(RungDraftAdd(script, "set yrange [%.17g:%.17g]\nset format y '%%.%dg'\n", range.lo, range.hi, digits));
  PetscCall(RungDraftAdd(script, "set xlabel '%s'\n", c + sheet->columns >= table->columns ? "t" : ""));
  if (empty)
    PetscCall(RungDraftAdd(script, "plot NaN notitle\n"));
  else
    PetscCall(RungDraftAdd(script,
                           "plot " RUNG_PLOT_DATA " using 1:%d every ::1 with %s linecolor rgb '#2166ac' notitle\n",
                           (int)c + 2, style));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same margin on the left for all, with room for the longest mark: sign, point and exponent beside its digits. */
static PetscErrorCode add_frame(RungDraft *script, RungTableRecord table, const Sheet *sheet, Range range[])
{
  int digits = 0;

  PetscFunctionBegin;
  for (PetscInt c = 1; c <= table->columns; ++c) {
    Range same = range[c];

    digits = PetscMax(digits, choose_range(&same, 0));
  }
  PetscCall(
    RungDraftAdd(script, "set datafile separator ','\nset grid linecolor rgb '#a0a0a0'\nset lmargin %d\n", digits + 8));
  PetscCall(RungDraftAdd(script, "set rmargin 4\nset ytics autofreq\nset title offset 0,-0.5\n"));
  if (range[0].lo == range[0].hi) range[0] = (Range){range[0].lo - 1, range[0].hi + 1};
  digits = choose_range(&range[0], 0);
  PetscCall(RungDraftAdd(script, "set xrange [%.17g:%.17g]\nset format x '%%.%dg'\n", range[0].lo, range[0].hi,
                         PetscMax(digits, 4)));
  PetscCall(RungDraftAdd(script, "set multiplot layout %d,%d\n", (int)sheet->rows, (int)sheet->columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_script(RungDraft *script, RungTableRecord table, const Sheet *sheet, Range range[])
{
  const char *style;
  PetscInt    rows;

  PetscFunctionBegin;
  PetscCall(measure(table, range, &rows));
  style = rows > 60 ? "lines linewidth 1.5" : "linespoints linewidth 1.5 pointtype 7 pointsize 0.5";
  PetscCall(add_frame(script, table, sheet, range));
  for (PetscInt c = 0; c < table->columns; ++c) PetscCall(add_diagram(script, table, sheet, c, range[c + 1], style));
  PetscCall(RungDraftAdd(script, "unset multiplot\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableDraw(RungTableRecord table)
{
  const Sheet sheet  = choose_sheet(PetscMax(1, table->columns));
  Range      *range  = NULL;
  RungDraft   script = {0};
  char        path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungTablePicture(table, path));
  if (!table->columns || table->barred) PetscFunctionReturn(PETSC_SUCCESS); /* also on ranks that write nothing */
  PetscCall(PetscMalloc1(1 + table->columns, &range));
  RungCallFinally(write_script(&script, table, &sheet, range), PetscCall(PetscFree(range)));
  RungCallFinally(RungPlot(PETSC_COMM_SELF, path, table->path, sheet.width * (int)sheet.columns,
                           sheet.height * (int)sheet.rows, script.text, &table->drawn),
                  PetscCall(RungDraftClear(&script)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
