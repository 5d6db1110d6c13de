/* vtu.c - one piece of a mesh as a .vtu file, and the .pvtu that joins the pieces of all ranks.

   Binary, uncompressed: the XML head says at which offset an array lies behind the "_" of AppendedData; there, eight
   bytes of length and the raw numbers. */
#include "fe_space_impl.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define REAL_TYPE (sizeof(PetscReal) == 8 ? "Float64" : "Float32")
#define INT_TYPE  (sizeof(PetscInt) == 8 ? "Int64" : "Int32")

/* A text that grows. */
typedef struct {
  char  *text; /* owned */
  size_t length, room;
} Text;

static PetscErrorCode append(Text *t, const char format[], ...)
{
  char    piece[PETSC_MAX_PATH_LEN + 256];
  size_t  n;
  va_list arguments;

  PetscFunctionBegin;
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(piece, sizeof piece, format, NULL, arguments));
  va_end(arguments);
  n = strlen(piece);
  if (t->length + n + 1 > t->room) {
    const size_t room = 2 * (t->room + n + 1);
    char        *text;

    PetscCall(PetscMalloc1(room, &text));
    if (t->length) PetscCall(PetscArraycpy(text, t->text, t->length));
    PetscCall(PetscFree(t->text));
    t->text = text;
    t->room = room;
  }
  PetscCall(PetscArraycpy(t->text + t->length, piece, n + 1));
  t->length += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name as the value of an XML attribute. */
static void escape(const char name[], char out[], size_t room)
{
  size_t n = 0;

  for (; *name && n + 7 < room; ++name) {
    const char *code = *name == '&'   ? "&amp;"
                       : *name == '<' ? "&lt;"
                       : *name == '>' ? "&gt;"
                       : *name == '"' ? "&quot;"
                                      : NULL;

    if (!code) out[n++] = *name;
    for (; code && *code; ++code) out[n++] = *code;
  }
  out[n] = '\0';
}

static const char *byte_order(void)
{
  const uint16_t one = 1;

  return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

/* ---- a piece ------------------------------------------------------------------------------------------------ */

/* An array as it lies in the file. */
typedef struct {
  const char *type, *name; /* lent */
  PetscInt    components;
  size_t      bytes;
  const void *data; /* lent */
} Block;

/* Offsets and types of cells, the same in all cells but for the count. */
typedef struct {
  int64_t       *end;  /* owned, [cell] */
  unsigned char *type; /* owned, [cell] */
} Cells;

static PetscErrorCode make_cells(const RungVtu *v, Cells *cells)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(v->cells, &cells->end, v->cells, &cells->type));
  for (PetscInt c = 0; c < v->cells; ++c) {
    cells->end[c]  = (int64_t)(c + 1) * v->cell_points;
    cells->type[c] = (unsigned char)v->type;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line that announces a block; its place moves on. */
static void announce(FILE *file, const Block *b, size_t *place)
{
  char name[256];

  escape(b->name, name, sizeof name);
  (void)fprintf(file,
                "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%ld\" format=\"appended\" "
                "offset=\"%zu\"/>\n",
                b->type, name, (long)b->components, *place);
  *place += sizeof(uint64_t) + b->bytes;
}

static Block field_block(const RungVtu *v, const RungVtuArray *a)
{
  const size_t tuples = (size_t)(a->on_cells ? v->cells : v->points);

  return (Block){REAL_TYPE, a->name, a->components, tuples * (size_t)a->components * sizeof(PetscReal), a->value};
}

/* Head and blocks; mistakes show in ferror() and errno. */
static void write_piece(FILE *file, const RungVtu *v, const Block mesh[4])
{
  size_t place = 0;

  (void)fprintf(file,
                "<?xml version=\"1.0\"?>\n"
                "<VTKFile type=\"UnstructuredGrid\" version=\"2.2\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%ld\">\n      <Points>\n",
                byte_order(), (long)v->points, (long)v->cells);
  announce(file, &mesh[0], &place);
  (void)fprintf(file, "      </Points>\n      <Cells>\n");
  for (int i = 1; i < 4; ++i) announce(file, &mesh[i], &place);
  (void)fprintf(file, "      </Cells>\n");
  for (int on_cells = 0; on_cells < 2; ++on_cells) {
    (void)fprintf(file, "      <%sData>\n", on_cells ? "Cell" : "Point");
    for (PetscInt i = 0; i < v->arrays; ++i) {
      const Block b = field_block(v, &v->array[i]);

      if ((int)v->array[i].on_cells == on_cells) announce(file, &b, &place);
    }
    (void)fprintf(file, "      </%sData>\n", on_cells ? "Cell" : "Point");
  }
  (void)fprintf(file, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
}

static void write_block(FILE *file, const Block *b)
{
  const uint64_t bytes = b->bytes;

  (void)fwrite(&bytes, sizeof bytes, 1, file);
  if (b->bytes) (void)fwrite(b->data, 1, b->bytes, file);
}

static void write_blocks(FILE *file, const RungVtu *v, const Block mesh[4])
{
  for (int i = 0; i < 4; ++i) write_block(file, &mesh[i]);
  for (int on_cells = 0; on_cells < 2; ++on_cells)
    for (PetscInt i = 0; i < v->arrays; ++i) {
      const Block b = field_block(v, &v->array[i]);

      if ((int)v->array[i].on_cells == on_cells) write_block(file, &b);
    }
  (void)fprintf(file, "\n  </AppendedData>\n</VTKFile>\n");
}

/* Opens, writes, flushes to the disk and closes; the first mistake's reason is kept. */
static PetscBool write_file(const RungVtu *v, const Block mesh[4], const char path[], char why[], size_t room)
{
  FILE *file  = fopen(path, "wb");
  int   error = file ? 0 : errno;

  if (file) {
    errno = 0;
    write_piece(file, v, mesh);
    if (!ferror(file)) write_blocks(file, v, mesh);
    if (ferror(file) || fflush(file) != 0 || fsync(fileno(file)) != 0) error = errno ? errno : EIO;
    if (fclose(file) != 0 && !error) error = errno;
  }
  if (error) (void)snprintf(why, room, "%s", strerror(error));
  return (PetscBool)!error;
}

PetscErrorCode RungVtuWrite(const RungVtu *v, const char path[], PetscBool *ok, char why[], size_t room)
{
  Cells cells;

  PetscFunctionBegin;
  PetscCall(make_cells(v, &cells));
  {
    const size_t n       = (size_t)v->cells;
    const Block  mesh[4] = {
       {REAL_TYPE, "Points", 3, 3 * (size_t)v->points * sizeof(PetscReal), v->x},
       {INT_TYPE, "connectivity", 1, n * (size_t)v->cell_points * sizeof(PetscInt), v->connection},
       {"Int64", "offsets", 1, n * sizeof(int64_t), cells.end},
       {"UInt8", "types", 1, n, cells.type},
    };

    *ok = write_file(v, mesh, path, why, room);
  }
  PetscCall(PetscFree2(cells.end, cells.type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pieces of all ranks -------------------------------------------------------------------------------- */

static PetscErrorCode append_arrays(Text *t, const RungVtu *v)
{
  char name[256];

  PetscFunctionBegin;
  for (int on_cells = 0; on_cells < 2; ++on_cells) {
    PetscCall(append(t, "    <P%sData>\n", on_cells ? "Cell" : "Point"));
    for (PetscInt i = 0; i < v->arrays; ++i) {
      if ((int)v->array[i].on_cells != on_cells) continue;
      escape(v->array[i].name, name, sizeof name);
      PetscCall(append(t, "      <PDataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%" PetscInt_FMT "\"/>\n",
                       REAL_TYPE, name, v->array[i].components));
    }
    PetscCall(append(t, "    </P%sData>\n", on_cells ? "Cell" : "Point"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuWriteIndex(const RungVtu *v, MPI_Comm comm, const char path[], const char name[])
{
  Text        t = {0};
  char        escaped[PETSC_MAX_PATH_LEN];
  PetscInt   *cells = NULL;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (!rank) PetscCall(PetscMalloc1(size, &cells));
  PetscCallMPI(MPI_Gather(&v->cells, 1, MPIU_INT, cells, 1, MPIU_INT, 0, comm));
  if (!rank) {
    escape(name, escaped, sizeof escaped);
    PetscCall(append(&t,
                     "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"PUnstructuredGrid\" version=\"2.2\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                     "  <PUnstructuredGrid GhostLevel=\"0\">\n"
                     "    <PPoints>\n      <PDataArray type=\"%s\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
                     "    </PPoints>\n",
                     byte_order(), REAL_TYPE));
    PetscCall(append_arrays(&t, v));
    for (PetscMPIInt r = 0; r < size; ++r)
      if (cells[r]) PetscCall(append(&t, "    <Piece Source=\"%s_%04d.vtu\"/>\n", escaped, r));
    PetscCall(append(&t, "  </PUnstructuredGrid>\n</VTKFile>\n"));
    PetscCall(PetscFree(cells));
  }
  PetscCall(RungFileWrite(comm, path, t.length, t.text));
  PetscCall(PetscFree(t.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuClear(RungVtu *v)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < v->arrays; ++i) {
    PetscCall(PetscFree(v->array[i].name));
    PetscCall(PetscFree(v->array[i].value));
  }
  PetscCall(PetscFree(v->array));
  PetscCall(PetscFree(v->x));
  PetscCall(PetscFree(v->connection));
  *v = (RungVtu){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
