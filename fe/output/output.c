/* output.c - a time series for ParaView: which points, which values, which files.

   The points of a piece are the nodes of a scalar space of the fields' highest degree on this rank, moved to VTK's
   equispaced places; so cells share points where the fields are continuous and have their own where one is not. */
#include "output_impl.h"
#include "file_impl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECES ".pvd.d" /* behind the path of a series: the folder of its files, one a time */

/* ---- life --------------------------------------------------------------------------------------------------- */

/* path without .pvd, .pvtu, .vtu */
static PetscErrorCode strip_extension(const char path[], char **base)
{
  static const char *const extensions[] = {".pvd", ".pvtu", ".vtu"};
  size_t                   n            = strlen(path);

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(path, base));
  for (int i = 0; i < 3; ++i) {
    const size_t m = strlen(extensions[i]);

    if (n > m && !strcmp(path + n - m, extensions[i])) {
      (*base)[n - m] = '\0';
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A folder of pieces is empty, or one of them is there; one that something else made, or a link, is somebody's. */
static PetscBool is_our_folder(const char base[], const char name[], char why[], size_t room)
{
  const size_t   n    = strlen(name);
  DIR           *open = NULL;
  struct dirent *entry;
  struct stat    status;
  PetscBool      empty = PETSC_TRUE, ours = PETSC_FALSE;

  if (lstat(base, &status) != 0 || !S_ISDIR(status.st_mode)) {
    (void)snprintf(why, room, "a %s of that name exists", S_ISLNK(status.st_mode) ? "link" : "file");
    return PETSC_FALSE;
  }
  open = opendir(base);
  while (open && !ours && (entry = readdir(open))) {
    if (entry->d_name[0] == '.') continue; /* itself, its parent */
    empty = PETSC_FALSE;
    if (!strncmp(entry->d_name, name, n) && entry->d_name[n] == '_' && strstr(entry->d_name + n, "vtu"))
      ours = PETSC_TRUE;
  }
  if (!open) (void)snprintf(why, room, "%s", strerror(errno));
  if (open) (void)closedir(open);
  if (open && !empty && !ours)
    (void)snprintf(why, room, "a folder of that name exists, and no file of this series is in it");
  return open && (empty || ours) ? PETSC_TRUE : PETSC_FALSE;
}

/* One run writes into it; where a file system has no locks nobody knows.  Returns the open folder, -1 and why. */
static int lock_folder(const char folder[], char why[], size_t room)
{
  const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) return file;
  (void)snprintf(why, room, "%s", file < 0 ? strerror(errno) : "another run is writing to it");
  if (file >= 0) (void)close(file);
  return -1;
}

/* Makes the folder of the pieces; false and the reason if that, or writing pieces into it, is not possible. */
static PetscBool make_folder(const char base[], const char name[], char why[], size_t room)
{
  const size_t longest = strlen(name) + strlen("_123456789.vtu.part");

  if (mkdir(base, 0777) != 0 && errno != EEXIST) {
    (void)snprintf(why, room, "%s", errno == ENOENT ? "the folder that holds it does not exist" : strerror(errno));
    return PETSC_FALSE;
  }
  if (!is_our_folder(base, name, why, room)) return PETSC_FALSE;
  if (access(base, W_OK | X_OK) != 0) {
    (void)snprintf(why, room, "%s", strerror(errno));
    return PETSC_FALSE;
  }
  if (pathconf(base, _PC_NAME_MAX) > 0 && (long)longest > pathconf(base, _PC_NAME_MAX)) {
    (void)snprintf(why, room, "names of pieces would have %d bytes, the folder takes %ld", (int)longest,
                   pathconf(base, _PC_NAME_MAX));
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Names, and the folder of the pieces: all that can be refused. */
static PetscErrorCode begin(RungOutput o, const char path[])
{
  char        series[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN], why[512] = "", *slash;
  PetscBool   ok = PETSC_TRUE;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(strip_extension(path, &o->base));
  slash = strrchr(o->base, '/');
  PetscCall(PetscStrallocpy(slash ? slash + 1 : o->base, &o->name));
  PetscCall(RungLabelCheck(o->comm, "the file of an output", o->name));
  PetscCall(PetscSNPrintf(series, sizeof series, "%s.pvd", o->base));
  PetscCall(PetscSNPrintf(folder, sizeof folder, "%s" PIECES, o->base));
  PetscCall(RungFileCheck(o->comm, "output", series, RUNG_FILE_SERIES));
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (!rank) ok = make_folder(folder, o->name, why, sizeof why);
  if (!rank && ok) {
    o->folder = lock_folder(folder, why, sizeof why);
    ok        = (PetscBool)(o->folder >= 0);
  }
  RungCheckAll(
    ok, o->comm, PETSC_ERR_FILE_OPEN,
    "cannot make the folder \"%s\" for output to \"%s\": %s; move what is in the way, or choose another path", folder,
    path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputCreate(MPI_Comm comm, const char path[], RungOutput *output)
{
  PetscFunctionBegin;
  RungNeedArgument(output);
  PetscCall(RungPathCheck(comm, "an output", path, "out/heat.pvd"));
  PetscCall(PetscNew(output));
  (*output)->folder = -1;
  PetscCall(PetscCommDuplicate(comm, &(*output)->comm, NULL));
  RungCallOrUndo(begin(*output, path), PetscCall(RungOutputDestroy(output)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget_points(RungOutput o)
{
  PetscFunctionBegin;
  PetscCall(RungSpaceDestroy(&o->space));
  PetscCall(PetscFree(o->order));
  PetscCall(PetscFree(o->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputDestroy(RungOutput *output)
{
  RungNeedArgument(output);
  RungOutput o = *output;

  PetscFunctionBegin;
  *output = NULL;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(forget_points(o));
  if (o->folder >= 0) (void)close(o->folder);
  PetscCall(PetscFree(o->base));
  PetscCall(PetscFree(o->name));
  PetscCall(PetscFree(o->part));
  PetscCall(RungOutputForgetLine(o));
  PetscCall(RungDraftClear(&o->index));
  PetscCall(PetscCommDestroy(&o->comm));
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points ------------------------------------------------------------------------------------------------- */

/* Constants and values at quadrature points are one value a cell; on a mesh of points, one a point. */
static PetscBool on_cells(const RungField field)
{
  const RungElement *e = field->space->element;

  return (PetscBool)((e->degree == 0 || e->rule) && RungCellGet(e->type)->dim > 0);
}

static PetscErrorCode check_fields(RungOutput o, PetscInt n, const RungField fields[])
{
  PetscFunctionBegin;
  PetscCheck(n > 0, o->comm, PETSC_ERR_ARG_OUTOFRANGE, "output of no field to \"%s\"; wanted at least one", o->base);
  for (PetscInt i = 1; i < n; ++i) {
    PetscCheck(fields[i]->space->mesh == fields[0]->space->mesh, o->comm, PETSC_ERR_ARG_INCOMP,
               "fields \"%s\" and \"%s\" lie on different meshes; write them to different outputs", fields[0]->name,
               fields[i]->name);
    for (PetscInt j = 0; j < i; ++j)
      PetscCheck(strcmp(fields[i]->name, fields[j]->name) != 0, o->comm, PETSC_ERR_ARG_WRONG,
                 "two fields of the name \"%s\" are written to \"%s\"; give them different names", fields[i]->name,
                 o->base);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders the cell nodes as VTK does and finds their equispaced places. */
static PetscErrorCode order_points(RungOutput o)
{
  const RungElement *e    = o->space->element;
  const RungCell    *cell = RungCellGet(e->type);
  PetscInt          *lattice;

  PetscFunctionBegin;
  PetscCall(RungVtkCell(e->type, e->degree, &o->type, &o->points, &lattice));
  PetscCall(PetscMalloc1(o->points, &o->order));
  PetscCall(PetscCalloc1(o->points * PetscMax(cell->dim, 1), &o->at));
  for (PetscInt i = 0; i < o->points; ++i)
    for (PetscInt j = 0; j < e->nodes; ++j) {
      PetscBool same;

      PetscCall(PetscArraycmp(&lattice[4 * i], &e->lattice[4 * j], 4, &same));
      if (!same) continue;
      o->order[i] = j;
      for (PetscInt a = 0; a < cell->dim; ++a)
        o->at[j * cell->dim + a] = (PetscReal)e->lattice[4 * j + a + (cell->simplex ? 1 : 0)] / (PetscReal)e->degree;
    }
  PetscCall(PetscFree(lattice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scalar space whose nodes are the points; kept while it fits. */
static PetscErrorCode choose_points(RungOutput o, PetscInt n, const RungField fields[])
{
  const RungMesh  mesh   = fields[0]->space->mesh;
  const RungCell *cell   = RungCellGet(fields[0]->space->element->type);
  PetscInt        degree = mesh->data.geometry_degree;
  PetscBool       split  = (PetscBool)(mesh->glued && cell->dim > 0);
  char            spec[32];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    const RungElement *e = fields[i]->space->element;

    if (on_cells(fields[i]) || cell->dim == 0) continue;
    degree = PetscMax(degree, e->degree);
    split  = (PetscBool)(split || !e->continuous);
  }
  if (o->space && o->space->mesh == mesh && o->space->element->degree == degree &&
      o->space->element->continuous == (PetscBool)(!split && cell->dim > 0))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(forget_points(o));
  PetscCall(
    PetscSNPrintf(spec, sizeof spec, "%s%s%" PetscInt_FMT, split ? "D" : "", cell->simplex ? "P" : "Q", degree));
  PetscCall(RungSpaceCreate(mesh, spec, &o->space));
  PetscCall(order_points(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* Values of one tensor size and where its components go in VTK's: vectors have three, tensors nine. */
typedef struct {
  PetscInt n, m;     /* components of the field, of the file */
  PetscInt place[9]; /* [component of the field], if n != m  */
} Padding;

static Padding pad(PetscInt rank, const PetscInt shape[2])
{
  Padding p = {.n = shape[0] * shape[1]};

  p.m = p.n;
  if (rank == 0 || shape[0] > 3 || shape[1] > 3) return p;
  p.m = rank == 1 ? 3 : 9;
  for (PetscInt r = 0; r < shape[0]; ++r)
    for (PetscInt c = 0; c < shape[1]; ++c) p.place[r * shape[1] + c] = rank == 1 ? r : 3 * r + c;
  return p;
}

static PetscInt place(const Padding *p, PetscInt component)
{
  return p->n == p->m ? component : p->place[component];
}

/* out[point][m] = sum over the cell nodes of e of basis(point) u[cell_node[cell][node]][n]; out comes zeroed. */
static PetscErrorCode evaluate(RungOutput o, const RungElement *e, PetscInt cells, const PetscInt cell_node[],
                               const PetscReal u[], const Padding *p, PetscReal out[])
{
  const PetscInt n = e->nodes, points = o->space->data.cell_nodes;
  PetscReal     *table; /* [point of the cell][node] */
  char          *done;  /* [point]                   */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(points * n, &table));
  PetscCall(PetscCalloc1(o->space->data.nodes, &done));
  PetscCall(RungElementTabulate(e, points, o->at, 0, table));
  for (PetscInt c = 0; c < cells; ++c)
    for (PetscInt i = 0; i < points; ++i) {
      const PetscInt point = o->space->cell_node[c * points + i];

      if (done[point]) continue;
      done[point] = 1;
      for (PetscInt j = 0; j < n; ++j) {
        const PetscReal  w    = table[i * n + j];
        const PetscReal *from = &u[cell_node[c * n + j] * p->n];

        for (PetscInt a = 0; a < p->n && w != 0; ++a) out[point * p->m + place(p, a)] += w * from[a];
      }
    }
  PetscCall(PetscFree(table));
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One value a cell: the constant, or the mean by the weights of the rule. */
static void average(const RungElement *e, PetscInt cells, const PetscReal u[], const Padding *p, PetscReal out[])
{
  for (PetscInt c = 0; c < cells; ++c)
    for (PetscInt i = 0; i < e->nodes; ++i) {
      const PetscReal w = e->rule ? e->rule->weight[i] / RungCellGet(e->type)->size : 1;

      for (PetscInt a = 0; a < p->n; ++a) out[c * p->m + place(p, a)] += w * u[(c * e->nodes + i) * p->n + a];
    }
}

static PetscErrorCode add_mesh(RungOutput o, RungVtu *vtu)
{
  const Padding       padding = {.m = 3, .place = {0, 1, 2}};
  Padding             p       = padding;
  const RungMeshData *mesh;
  RungElement        *map;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(o->space->mesh, &mesh));
  p.n              = mesh->dim;
  vtu->points      = o->space->data.nodes;
  vtu->cells       = mesh->cells;
  vtu->cell_points = o->points;
  vtu->type        = o->type;
  PetscCall(PetscCalloc1(3 * vtu->points, &vtu->x));
  PetscCall(PetscMalloc1(vtu->cells * o->points, &vtu->connection));
  for (PetscInt c = 0; c < vtu->cells; ++c)
    for (PetscInt i = 0; i < o->points; ++i)
      vtu->connection[c * o->points + i] = o->space->cell_node[c * o->points + o->order[i]];
  PetscCall(RungElementCreateMap(mesh->type, mesh->geometry_degree, &map));
  PetscCall(evaluate(o, map, mesh->cells, mesh->cell_node, mesh->x, &p, vtu->x));
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_field(RungOutput o, RungField field, RungVtu *vtu)
{
  const RungSpaceData *s = &field->space->data;
  const RungElement   *e = field->space->element;
  const Padding        p = pad(s->rank, s->shape);
  RungVtuArray        *a = &vtu->array[vtu->arrays++];
  const PetscScalar   *u; /* [local node][component]: the layout of a single space */

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(field->name, &a->name));
  a->components = p.m;
  if (o->probes) {
    PetscCall(PetscCalloc1(vtu->points * p.m, &a->value));
    PetscCall(RungVtuLineField(o, field, p.n, p.m, p.place, a->value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  a->on_cells = on_cells(field);
  PetscCall(PetscCalloc1((a->on_cells ? vtu->cells : vtu->points) * p.m, &a->value));
  PetscCall(RungLayoutGather(field->layout, field->u, 0, &u));
  if (a->on_cells)
    average(e, vtu->cells, u, &p, a->value);
  else
    PetscCall(evaluate(o, e, vtu->cells, s->cell_node, u, &p, a->value));
  PetscCall(RungLayoutGatherRestore(field->layout, field->u, 0, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files -------------------------------------------------------------------------------------------------- */

/* What went wrong on any rank, on all ranks: *ok and the reason of the lowest one. */
static PetscErrorCode agree(RungOutput o, PetscBool *ok, char why[], size_t room)
{
  PetscBool bad;

  PetscFunctionBegin;
  PetscCall(RungCheckAll_Private(o->comm, *ok, why, room, &bad));
  *ok = bad ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pieces as one file, aside; it gets its name once it is whole. */
static PetscErrorCode write_pieces(RungOutput o, const RungVtu *vtu, const char stem[], PetscBool *ok, char why[],
                                   size_t room)
{
  char        path[PETSC_MAX_PATH_LEN], aside[PETSC_MAX_PATH_LEN + 8];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s" PIECES "/%s.vtu", o->base, stem));
  PetscCall(PetscSNPrintf(aside, sizeof aside, "%s.part", path));
  *ok = PETSC_TRUE;
  if (!rank)
    *ok = (PetscBool)(RungFileIsOurs(path, RUNG_FILE_PIECE, why, room) &&
                      RungFileIsOurs(aside, RUNG_FILE_PIECE, why, room));
  PetscCall(agree(o, ok, why, room));
  if (!*ok) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungVtuWrite(vtu, o->comm, aside, ok, why, room));
  if (!rank && *ok && rename(aside, path) != 0) {
    (void)snprintf(why, room, "%s", strerror(errno));
    *ok = PETSC_FALSE;
  }
  if (!rank && !*ok) (void)unlink(aside);
  PetscCall(agree(o, ok, why, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ENTRY "    <DataSet timestep=\""

/* Adds a line to the list of times on rank 0. */
static PetscErrorCode add_time(RungOutput o, PetscReal t, const char stem[])
{
  char time[32];

  PetscFunctionBegin;
  (void)snprintf(time, sizeof time, "%.15g", (double)t);
  if (strtod(time, NULL) != (double)t) (void)snprintf(time, sizeof time, "%.17g", (double)t);
  PetscCall(RungDraftAdd(&o->index, ENTRY "%s\" part=\"0\" file=\"", time));
  PetscCall(RungDraftAddName(&o->index, RUNG_XML, o->name));
  PetscCall(RungDraftAdd(&o->index, PIECES "/"));
  PetscCall(RungDraftAddName(&o->index, RUNG_XML, stem));
  PetscCall(RungDraftAdd(&o->index, ".vtu\"/>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole .pvd anew, so that a reader, or a killed run, always finds a complete one.  Where it is refused the list is what
   it was. */
static PetscErrorCode write_series(RungOutput o, PetscReal t, const char stem[], PetscBool *ok, char why[], size_t room)
{
  const size_t length = o->index.length;
  RungDraft    text   = {0};
  char         path[PETSC_MAX_PATH_LEN];
  PetscMPIInt  rank;

  PetscFunctionBegin;
  *ok = PETSC_TRUE;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s.pvd", o->base));
  if (!rank) {
    PetscCall(add_time(o, t, stem));
    PetscCall(RungDraftAdd(&text, "%s", RUNG_SERIES_HEAD));
    PetscCall(RungDraftAddBytes(&text, o->index.length, o->index.text));
    PetscCall(RungDraftAdd(&text, "  </Collection>\n</VTKFile>\n"));
    *ok = RungFileWriteAside(path, text.length, text.text, why, room);
    if (!*ok) o->index.length = length;
    PetscCall(RungDraftClear(&text));
  }
  PetscCall(agree(o, ok, why, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file of a time, then the series: only after that file is whole. */
static PetscErrorCode write_files(RungOutput o, PetscReal t, const RungVtu *vtu, PetscBool *ok, char why[], size_t room)
{
  char stem[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(stem, sizeof stem, "%s_%06" PetscInt_FMT, o->name, o->written));
  PetscCall(write_pieces(o, vtu, stem, ok, why, room));
  if (*ok) PetscCall(write_series(o, t, stem, ok, why, room));
  if (*ok) ++o->written;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What this rank has of a time. */
static PetscErrorCode fill(RungOutput o, PetscInt n, const RungField fields[], RungVtu *vtu)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &vtu->array));
  if (o->probes) {
    PetscCall(RungVtuLine(o, fields[0]->space->mesh->data.dim, vtu));
  } else {
    PetscCall(choose_points(o, n, fields));
    PetscCall(add_mesh(o, vtu));
  }
  for (PetscInt i = 0; i < n; ++i) PetscCall(add_field(o, fields[i], vtu));
  if (o->part) PetscCall(RungVtuCut(o, vtu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputTry(RungOutput o, PetscReal t, PetscInt n, const RungField fields[], PetscBool *written,
                             char why[], size_t room)
{
  RungVtu vtu = {0};

  PetscFunctionBegin;
  RungNeed(o);
  PetscCall(check_fields(o, n, fields));
  RungCallOrUndo(fill(o, n, fields, &vtu), PetscCall(RungVtuClear(&vtu)));
  RungCallFinally(write_files(o, t, &vtu, written, why, room), PetscCall(RungVtuClear(&vtu)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputWrite(RungOutput o, PetscReal t, PetscInt n, const RungField fields[])
{
  PetscBool written;
  char      why[256] = "";

  PetscFunctionBegin;
  RungNeed(o);
  if (n > 0) RungNeedArgument(fields);
  PetscCall(RungOutputTry(o, t, n, fields, &written, why, sizeof why));
  PetscCheck(written, o->comm, PETSC_ERR_FILE_WRITE, "cannot write t = %g to \"%s.pvd\": %s; choose another place",
             (double)t, o->base, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- an earlier series ---------------------------------------------------------------------------------------- */

/* Is the entry whole?  A cut one would take the end of the series with it. */
static PetscBool is_whole(const char line[])
{
  const size_t n = strlen(line);

  return n > strlen(ENTRY) + 4 && !strcmp(line + n - 4, "\"/>\n") ? PETSC_TRUE : PETSC_FALSE;
}

/* Rank 0: the times of a .pvd of ours up to t, or to the first entry that is damaged, which have the numbers 0, 1, .. */
static PetscErrorCode read_series(RungOutput o, const char path[], PetscReal t)
{
  char  why[128], line[2 * PETSC_MAX_PATH_LEN];
  FILE *file = RungFileOpen(path, why, sizeof why);

  PetscFunctionBegin;
  while (file && fgets(line, (int)sizeof line, file)) {
    if (strncmp(line, ENTRY, strlen(ENTRY)) != 0) continue;
    if (!is_whole(line) || strtod(line + strlen(ENTRY), NULL) > (double)t) break;
    PetscCall(RungDraftAddBytes(&o->index, strlen(line), line));
    ++o->written;
  }
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputResume(RungOutput o, PetscReal t)
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  RungNeed(o);
  PetscCheck(!o->written, o->comm, PETSC_ERR_ORDER, "a series goes on before its first time is written, not after");
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s.pvd", o->base));
  if (!rank) PetscCall(read_series(o, path, t));
  PetscCallMPI(MPI_Bcast(&o->written, 1, MPIU_INT, 0, o->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
