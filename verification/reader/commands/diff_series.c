/* diff_series.c - rung diff: two .vtu files, point by point and cell by cell.

   Ranks write pieces of their own, in their own order, and points between them several times.  So a point of one file, and a cell
   by the middle of its points, is looked for at its place in the other one; of several there, as discontinuous fields have
   them, the one with the nearest values is meant. */
#include "diff_impl.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST_FIELDS 256
#define PLACES      1e-9 /* of the mesh, that coordinates may differ by where numbers may differ as much */

typedef struct {
  char   name[256];
  size_t components, at; /* column of a row that it begins with */
} Field;

/* The points, or the cells, of all pieces. */
typedef struct {
  size_t  n, width, fields;
  Field   field[MOST_FIELDS];
  double *x;     /* owned [n][3]     */
  double *value; /* owned [n][width] */
} Cloud;

typedef enum { POINTS, CELLS, CLOUDS } Kind;

typedef struct {
  Cloud cloud[CLOUDS];
} Picture;

static void clear_picture(Picture *p)
{
  for (int k = 0; p && k < CLOUDS; ++k) {
    free(p->cloud[k].x);
    free(p->cloud[k].value);
  }
  free(p);
}

/* ---- a file ------------------------------------------------------------------------------------------------------- */

/* A file on its way into a picture. */
typedef struct {
  const char *at, *raw;                              /* where reading is; the bytes behind the head */
  size_t      left;                                  /* of them                                     */
  size_t count[CLOUDS], done[CLOUDS], place[CLOUDS]; /* of this piece; rows before it; its columns or fields so far */
  const char *ends; /* of this piece: ends of its cells, eight bytes each; NULL: not yet */
  const char *connection;
  size_t      connection_bytes, index_bytes;
  Kind        section;
  PetscBool   filling;
} Reading;

typedef struct {
  char        type[16], name[256];
  size_t      components, bytes;
  const char *data;
} Array;

/* An attribute of the tag that begins at `tag`; "" without. */
static void read_attribute(const char tag[], const char key[], char value[], size_t room)
{
  const char *end = strchr(tag, '>'), *at = strstr(tag, key);

  value[0] = 0;
  if (at && end && at < end)
    (void)snprintf(value, room, "%.*s", (int)strcspn(at + strlen(key), "\""), at + strlen(key));
}

static size_t read_count(const char tag[], const char key[])
{
  char text[32];

  read_attribute(tag, key, text, sizeof text);
  return (size_t)strtoul(text, NULL, 10);
}

/* The bytes of an array's tag; false where the file is cut. */
static PetscBool find_array(const Reading *r, Array *a)
{
  uint64_t size;
  size_t   from = read_count(r->at, "offset=\"");

  read_attribute(r->at, " type=\"", a->type, sizeof a->type);
  read_attribute(r->at, " Name=\"", a->name, sizeof a->name);
  a->components = read_count(r->at, "NumberOfComponents=\"");
  if (r->left < sizeof size || from > r->left - sizeof size || a->components > r->left) return PETSC_FALSE;
  memcpy(&size, r->raw + from, sizeof size);
  if (size > r->left - sizeof size - from) return PETSC_FALSE;
  a->data  = r->raw + from + sizeof size;
  a->bytes = (size_t)size;
  return PETSC_TRUE;
}

static double read_real(const char *data, size_t bytes, size_t i)
{
  double value;
  float  single;

  if (bytes == sizeof value) {
    memcpy(&value, data + i * bytes, bytes);
    return value;
  }
  memcpy(&single, data + i * bytes, sizeof single);
  return (double)single;
}

static int64_t read_index(const char *data, size_t bytes, size_t i)
{
  int64_t value;
  int32_t narrow;

  if (bytes == sizeof value) {
    memcpy(&value, data + i * bytes, bytes);
    return value;
  }
  memcpy(&narrow, data + i * bytes, sizeof narrow);
  return narrow;
}

/* Rows of `components` numbers from column `at` of `to` on, which has rows of `width`. */
static PetscBool copy_rows(const Array *a, size_t n, size_t width, size_t at, double to[])
{
  const size_t bytes = !strcmp(a->type, "Float64") ? 8 : !strcmp(a->type, "Float32") ? 4 : 0;

  if (!bytes || !a->components || a->bytes % (a->components * bytes) || a->bytes / bytes / a->components != n)
    return PETSC_FALSE; /* a product of lengths of a damaged file may wrap */
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < a->components; ++k)
      to[i * width + at + k] = read_real(a->data, bytes, i * a->components + k);
  return PETSC_TRUE;
}

/* The middle of each cell's points. */
static PetscBool find_middles(const Reading *r, Picture *p)
{
  const size_t n    = r->connection_bytes / r->index_bytes;
  int64_t      from = 0;

  for (size_t c = 0; c < r->count[CELLS]; ++c) {
    double *const middle = &p->cloud[CELLS].x[3 * (r->done[CELLS] + c)];
    const int64_t end    = read_index(r->ends, sizeof end, c);

    if (end <= from || (size_t)end > n) return PETSC_FALSE;
    for (int k = 0; k < 3; ++k) middle[k] = 0;
    for (int64_t i = from; i < end; ++i) {
      const int64_t point = read_index(r->connection, r->index_bytes, (size_t)i);

      if (point < 0 || (size_t)point >= r->count[POINTS]) return PETSC_FALSE;
      for (int k = 0; k < 3; ++k)
        middle[k] += p->cloud[POINTS].x[3 * (r->done[POINTS] + (size_t)point) + (size_t)k] / (double)(end - from);
    }
    from = end;
  }
  return PETSC_TRUE;
}

/* An array of the mesh itself. */
static PetscBool read_mesh_array(Reading *r, const Array *a, Picture *p)
{
  if (!strcmp(a->name, "Points"))
    return a->components == 3 && copy_rows(a, r->count[POINTS], 3, 0, &p->cloud[POINTS].x[3 * r->done[POINTS]])
             ? PETSC_TRUE
             : PETSC_FALSE;
  if (!strcmp(a->name, "connectivity")) {
    r->connection       = a->data;
    r->connection_bytes = a->bytes;
    r->index_bytes      = !strcmp(a->type, "Int64") ? 8 : 4;
  } else if (!strcmp(a->name, "offsets")) {
    if (strcmp(a->type, "Int64") || a->bytes != 8 * r->count[CELLS] || !r->connection) return PETSC_FALSE;
    r->ends = a->data;
    return find_middles(r, p);
  }
  return PETSC_TRUE;
}

/* A field: of the first piece its name, while sizes are read, later its numbers. */
static PetscBool read_field(Reading *r, const Array *a, Cloud *cloud)
{
  Field *f = &cloud->field[r->place[r->section]];

  if (r->place[r->section] == MOST_FIELDS) return PETSC_FALSE;
  if (!r->filling && r->place[r->section] == cloud->fields) {
    f->components = a->components;
    f->at         = cloud->width;
    (void)snprintf(f->name, sizeof f->name, "%s", a->name);
    cloud->width += f->components;
    ++cloud->fields;
  }
  ++r->place[r->section];
  if (strcmp(f->name, a->name) || f->components != a->components) return PETSC_FALSE;
  if (!r->filling) return PETSC_TRUE;
  return copy_rows(a, r->count[r->section], cloud->width, f->at, &cloud->value[r->done[r->section] * cloud->width]);
}

/* The tag at r->at; false: this is no file of ours, or it is cut. */
static PetscBool read_tag(Reading *r, Picture *p)
{
  Array     a;
  PetscBool mesh = r->section == CLOUDS ? PETSC_TRUE : PETSC_FALSE;

  if (!strncmp(r->at, "<Piece ", 7)) {
    r->count[POINTS] = read_count(r->at, "NumberOfPoints=\"");
    r->count[CELLS]  = read_count(r->at, "NumberOfCells=\"");
    r->place[POINTS] = r->place[CELLS] = 0;
    r->connection                      = NULL;
    r->ends                            = NULL;
    r->section                         = CLOUDS;
    for (int k = 0; k < CLOUDS; ++k) {
      if (r->count[k] > (r->filling ? p->cloud[k].n - r->done[k] : r->left))
        return PETSC_FALSE; /* a piece has no end */
    }
  } else if (!strncmp(r->at, "<PointData", 10) || !strncmp(r->at, "<CellData", 9))
    r->section = r->at[1] == 'P' ? POINTS : CELLS;
  else if (!strncmp(r->at, "<DataArray", 10)) {
    if (!find_array(r, &a) || (!mesh && !read_field(r, &a, &p->cloud[r->section]))) return PETSC_FALSE;
    if (mesh && r->filling) return read_mesh_array(r, &a, p);
  } else if (!strncmp(r->at, "</Piece", 7)) {
    for (int k = 0; k < CLOUDS; ++k) {
      if (r->place[k] != p->cloud[k].fields || (r->filling && !r->ends)) return PETSC_FALSE;
      r->done[k] += r->count[k];
      r->count[k] = 0; /* no rows until the next piece begins */
    }
  }
  return PETSC_TRUE;
}

/* Twice over the head: sizes, then numbers.  NULL: this is no file of ours, or it is cut. */
static Picture *read_picture(const char *text, size_t size)
{
  const char *mark = strstr(text, "<AppendedData"), *raw = mark ? strchr(mark, '_') : NULL;
  Picture    *p    = raw ? calloc(1, sizeof *p) : NULL;
  PetscBool   good = p ? PETSC_TRUE : PETSC_FALSE;

  for (int pass = 0; good && pass < 2; ++pass) {
    Reading r = {.raw = raw + 1, .left = size - (size_t)(raw + 1 - text), .section = CLOUDS, .index_bytes = 4};

    r.filling = pass ? PETSC_TRUE : PETSC_FALSE;
    for (r.at = strchr(text, '<'); good && r.at && r.at < mark; r.at = strchr(r.at + 1, '<')) good = read_tag(&r, p);
    for (int k = 0; good && !pass && k < CLOUDS; ++k) {
      Cloud *c = &p->cloud[k];

      c->n     = r.done[k];
      c->x     = calloc(3 * c->n + 1, sizeof *c->x);
      c->value = calloc(c->n + 1, (c->width + 1) * sizeof *c->value);
      good     = c->x && c->value ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  if (good) return p;
  clear_picture(p);
  return NULL;
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

/* Rows of a cloud by their place, in boxes. */
typedef struct {
  double  side, near; /* of a box; places are the same up to it */
  size_t  mask;
  size_t *first, *next; /* owned: 1 + row, 0: none; [mask + 1], [n] */
} Boxes;

static int64_t box_of(const Boxes *boxes, double x)
{
  const double i = floor(x / boxes->side);

  return i > -1e18 && i < 1e18 ? (int64_t)i : 0;
}

static size_t slot_of(const Boxes *boxes, const int64_t box[3])
{
  uint64_t h = 0;

  for (int k = 0; k < 3; ++k) h = (h ^ (uint64_t)box[k]) * 0x9e3779b97f4a7c15u ^ h >> 29;
  return (size_t)(h >> 20) & boxes->mask;
}

static PetscBool make_boxes(const Cloud *c, Boxes *boxes)
{
  boxes->mask = 1;
  while (boxes->mask < c->n) boxes->mask *= 2;
  boxes->first = calloc(boxes->mask, sizeof *boxes->first);
  boxes->next  = calloc(c->n + 1, sizeof *boxes->next);
  --boxes->mask;
  if (!boxes->first || !boxes->next) return PETSC_FALSE;
  for (size_t i = c->n; i-- > 0;) {
    const int64_t box[3] = {box_of(boxes, c->x[3 * i]), box_of(boxes, c->x[3 * i + 1]), box_of(boxes, c->x[3 * i + 2])};
    const size_t  slot   = slot_of(boxes, box);

    boxes->next[i]     = boxes->first[slot];
    boxes->first[slot] = i + 1;
  }
  return PETSC_TRUE;
}

/* The span of both clouds' places, the largest of three. */
static double find_size(const Cloud *a, const Cloud *b)
{
  double size = 0;

  for (size_t k = 0; k < 3; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = 0; i < a->n; ++i) low = fmin(low, a->x[3 * i + k]), high = fmax(high, a->x[3 * i + k]);
    for (size_t i = 0; i < b->n; ++i) low = fmin(low, b->x[3 * i + k]), high = fmax(high, b->x[3 * i + k]);
    if (high > low) size = fmax(size, high - low);
  }
  return size;
}

/* ---- two clouds --------------------------------------------------------------------------------------------------- */

typedef struct {
  RungDiff     *d;
  const char   *file; /* without its folder */
  const Cloud  *from, *to;
  const Boxes  *boxes; /* of `to` */
  const size_t *item;  /* [fields] */
  const double *scale; /* [width] */
  size_t        lost, example;
  PetscBool     swapped; /* `from` is the second file */
} Match;

/* How far two rows are apart, by the scale of their fields. */
static double distance(const Match *m, size_t i, size_t j)
{
  double most = 0;

  for (size_t k = 0; k < m->from->width; ++k) {
    const double apart = RungDiffBetween(m->from->value[i * m->from->width + k], m->to->value[j * m->to->width + k]);

    if (apart > 0) most = fmax(most, apart / m->scale[k]);
  }
  return most;
}

/* 1 + the row of the other cloud at the place of row i, of several the nearest in value; 0: there is none. */
static size_t find_twin(const Match *m, size_t i)
{
  const double *x = &m->from->x[3 * i];
  int64_t       low[3], high[3], box[3];
  size_t        twin  = 0;
  double        least = HUGE_VAL;

  for (int k = 0; k < 3; ++k) {
    low[k]  = box_of(m->boxes, x[k] - m->boxes->near);
    high[k] = box_of(m->boxes, x[k] + m->boxes->near);
  }
  for (box[0] = low[0]; box[0] <= high[0]; ++box[0])
    for (box[1] = low[1]; box[1] <= high[1]; ++box[1])
      for (box[2] = low[2]; box[2] <= high[2]; ++box[2])
        for (size_t j = m->boxes->first[slot_of(m->boxes, box)]; j; j = m->boxes->next[j - 1]) {
          const double *y = &m->to->x[3 * (j - 1)];
          double        apart;

          if (!(fmax(fabs(x[0] - y[0]), fmax(fabs(x[1] - y[1]), fabs(x[2] - y[2]))) <= m->boxes->near)) continue;
          apart = distance(m, i, j - 1);
          if (twin && apart >= least) continue;
          twin  = j;
          least = apart;
        }
  return twin;
}

static void compare_row(const Match *m, size_t i, size_t j)
{
  const double *x = &m->from->x[3 * i];

  for (size_t f = 0; f < m->from->fields; ++f)
    for (size_t k = 0; k < m->from->field[f].components; ++k) {
      const size_t at = m->from->field[f].at + k;
      const double a = m->from->value[i * m->from->width + at], b = m->to->value[j * m->to->width + at];

      if (RungDiffAdd(m->d, m->item[f], m->swapped ? b : a, m->swapped ? a : b))
        (void)snprintf(m->d->item[m->item[f]].where, sizeof m->d->item->where, "at (%g, %g, %g) in %.100s", x[0], x[1],
                       x[2], m->file);
    }
}

static void find_scales(const Cloud *a, const Cloud *b, double scale[])
{
  const Cloud *cloud[2] = {a, b};

  for (size_t f = 0; f < a->fields; ++f) {
    double most = 0;

    for (int c = 0; c < 2; ++c)
      for (size_t i = 0; i < cloud[c]->n; ++i)
        for (size_t k = 0; k < a->field[f].components; ++k) {
          const double value = fabs(cloud[c]->value[i * a->width + a->field[f].at + k]);

          if (isfinite(value)) most = fmax(most, value);
        }
    for (size_t k = 0; k < a->field[f].components; ++k) scale[a->field[f].at + k] = most > 0 ? most : 1;
  }
}

/* All rows of m->from are looked for. */
static void match_rows(Match *m, const char path[], const char what[])
{
  for (size_t i = 0; i < m->from->n; ++i) {
    const size_t twin = find_twin(m, i);

    if (twin) compare_row(m, i, twin - 1);
    if (!twin && !m->lost++) m->example = i;
  }
  if (m->lost)
    RungDiffTell(m->d, "%s: %zu of %zu %s of the %s are not in the other one, the first at (%g, %g, %g)\n", path,
                 m->lost, m->from->n, what, m->swapped ? "second" : "first", m->from->x[3 * m->example],
                 m->from->x[3 * m->example + 1], m->from->x[3 * m->example + 2]);
}

static PetscBool have_same_fields(const Cloud *a, const Cloud *b)
{
  PetscBool same = a->fields == b->fields ? PETSC_TRUE : PETSC_FALSE;

  for (size_t f = 0; same && f < a->fields; ++f)
    same = !strcmp(a->field[f].name, b->field[f].name) && a->field[f].components == b->field[f].components
             ? PETSC_TRUE
             : PETSC_FALSE;
  return same;
}

/* "heat.pvd.d/heat_000001.vtu": the series "heat.pvd". */
static void name_group(const char path[], char group[], size_t room)
{
  const char  *slash = strrchr(path, '/');
  const size_t n     = slash ? (size_t)(slash - path) : strlen(path);

  (void)snprintf(group, room, "%.*s", (int)(n > 2 && slash && !strncmp(slash - 2, ".d", 2) ? n - 2 : n), path);
}

static PetscBool compare_clouds(RungDiff *d, const char path[], const Cloud *a, const Cloud *b, const char what[])
{
  const char  *slash = strrchr(path, '/');
  size_t      *item  = calloc(a->fields + 1, sizeof *item);
  double      *scale = calloc(a->width + 1, sizeof *scale), size = find_size(a, b);
  const Cloud *cloud[] = {a, b};
  PetscBool    good    = item && scale ? PETSC_TRUE : PETSC_FALSE;
  char         group[PETSC_MAX_PATH_LEN];

  name_group(path, group, sizeof group);
  for (size_t f = 0; good && f < a->fields; ++f) item[f] = RungDiffFind(d, group, a->field[f].name);
  if (good) find_scales(a, b, scale);
  for (int way = 0; good && way < 2; ++way) {
    Boxes boxes = {.near = fmin(d->rel, PLACES) * size};
    Match m     = {.d       = d,
                   .file    = slash ? slash + 1 : path,
                   .from    = cloud[way],
                   .to      = cloud[1 - way],
                   .boxes   = &boxes,
                   .item    = item,
                   .scale   = scale,
                   .swapped = way ? PETSC_TRUE : PETSC_FALSE};

    boxes.side = size > 0 ? 1e-6 * size : 1;
    good       = make_boxes(cloud[1 - way], &boxes);
    if (good) match_rows(&m, path, what);
    free(boxes.first);
    free(boxes.next);
  }
  free(item);
  free(scale);
  return good;
}

void RungDiffPictures(RungDiff *d, const char path[], const char *a, size_t size_a, const char *b, size_t size_b)
{
  static const char *const what[CLOUDS] = {"points", "cells"};
  Picture                 *one = read_picture(a, size_a), *other = read_picture(b, size_b);
  PetscBool                good = one && other ? PETSC_TRUE : PETSC_FALSE;

  if (!good && (size_a != size_b || memcmp(a, b, size_a) != 0))
    RungDiffTell(d, "%s: not whole in the %s\n", path, one ? "second" : "first");
  for (int k = 0; good && k < CLOUDS; ++k) {
    if (!have_same_fields(&one->cloud[k], &other->cloud[k]))
      RungDiffTell(d, "%s: other fields of %s\n", path, what[k]);
    else if (k == CELLS && one->cloud[k].n != other->cloud[k].n)
      RungDiffTell(d, "%s: %zu and %zu cells\n", path, one->cloud[k].n, other->cloud[k].n);
    else if (!compare_clouds(d, path, &one->cloud[k], &other->cloud[k], what[k]))
      RungDiffTell(d, "%s: too large for the memory\n", path);
  }
  clear_picture(one);
  clear_picture(other);
}
