/* vtu.c - one piece of a mesh as a .vtu file, and the .pvtu that joins the pieces of all ranks.

   Binary, uncompressed: the XML head says at which offset an array lies behind the "_" of AppendedData; there, eight
   bytes of length and the raw numbers. */
#include "output_impl.h"
#include "file_impl.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define REAL_TYPE (sizeof(PetscReal) == 8 ? "Float64" : "Float32")
#define INT_TYPE  (sizeof(PetscInt) == 8 ? "Int64" : "Int32")

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
static PetscErrorCode announce(RungDraft *head, const Block *b, size_t *place)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head, "        <DataArray type=\"%s\" Name=\"", b->type));
  PetscCall(RungDraftAddName(head, RUNG_XML, b->name));
  PetscCall(RungDraftAdd(head, "\" NumberOfComponents=\"%ld\" format=\"appended\" offset=\"%zu\"/>\n",
                         (long)b->components, *place));
  *place += sizeof(uint64_t) + b->bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Block field_block(const RungVtu *v, const RungVtuArray *a)
{
  const size_t tuples = (size_t)(a->on_cells ? v->cells : v->points);

  return (Block){REAL_TYPE, a->name, a->components, tuples * (size_t)a->components * sizeof(PetscReal), a->value};
}

/* All before the blocks. */
static PetscErrorCode make_head(RungDraft *head, const RungVtu *v, const Block mesh[4])
{
  size_t place = 0;

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head,
                         RUNG_PIECE_HEAD " byte_order=\"%s\" header_type=\"UInt64\">\n"
                                         "  <UnstructuredGrid>\n"
                                         "    <Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%ld\">\n      <Points>\n",
                         byte_order(), (long)v->points, (long)v->cells));
  PetscCall(announce(head, &mesh[0], &place));
  PetscCall(RungDraftAdd(head, "      </Points>\n      <Cells>\n"));
  for (int i = 1; i < 4; ++i) PetscCall(announce(head, &mesh[i], &place));
  PetscCall(RungDraftAdd(head, "      </Cells>\n"));
  for (int on_cells = 0; on_cells < 2; ++on_cells) {
    PetscCall(RungDraftAdd(head, "      <%sData>\n", on_cells ? "Cell" : "Point"));
    for (PetscInt i = 0; i < v->arrays; ++i) {
      const Block b = field_block(v, &v->array[i]);

      if ((int)v->array[i].on_cells == on_cells) PetscCall(announce(head, &b, &place));
    }
    PetscCall(RungDraftAdd(head, "      </%sData>\n", on_cells ? "Cell" : "Point"));
  }
  PetscCall(RungDraftAdd(head, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_"));
  PetscFunctionReturn(PETSC_SUCCESS);
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
static PetscBool write_file(const RungVtu *v, const RungDraft *head, const Block mesh[4], const char path[], char why[],
                            size_t room)
{
  FILE *file  = fopen(path, "wb");
  int   error = file ? 0 : errno;

  if (file) {
    errno = 0;
    (void)fwrite(head->text, 1, head->length, file);
    if (!ferror(file)) write_blocks(file, v, mesh);
    if (ferror(file) || fflush(file) != 0 || fsync(fileno(file)) != 0) error = errno ? errno : EIO;
    if (fclose(file) != 0 && !error) error = errno;
  }
  if (error) (void)snprintf(why, room, "%s", strerror(error));
  return (PetscBool)!error;
}

PetscErrorCode RungVtuWrite(const RungVtu *v, const char path[], PetscBool *ok, char why[], size_t room)
{
  Cells     cells;
  RungDraft head = {0};

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

    PetscCall(make_head(&head, v, mesh));
    *ok = write_file(v, &head, mesh, path, why, room);
  }
  PetscCall(RungDraftClear(&head));
  PetscCall(PetscFree2(cells.end, cells.type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pieces of all ranks -------------------------------------------------------------------------------- */

static PetscErrorCode add_arrays(RungDraft *t, const RungVtu *v)
{
  PetscFunctionBegin;
  for (int on_cells = 0; on_cells < 2; ++on_cells) {
    PetscCall(RungDraftAdd(t, "    <P%sData>\n", on_cells ? "Cell" : "Point"));
    for (PetscInt i = 0; i < v->arrays; ++i) {
      if ((int)v->array[i].on_cells != on_cells) continue;
      PetscCall(RungDraftAdd(t, "      <PDataArray type=\"%s\" Name=\"", REAL_TYPE));
      PetscCall(RungDraftAddName(t, RUNG_XML, v->array[i].name));
      PetscCall(RungDraftAdd(t, "\" NumberOfComponents=\"%" PetscInt_FMT "\"/>\n", v->array[i].components));
    }
    PetscCall(RungDraftAdd(t, "    </P%sData>\n", on_cells ? "Cell" : "Point"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cells[rank] */
static PetscErrorCode make_index(RungDraft *t, const RungVtu *v, PetscMPIInt size, const PetscInt cells[],
                                 const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(t,
                         RUNG_PIECES_HEAD
                         " byte_order=\"%s\" header_type=\"UInt64\">\n"
                         "  <PUnstructuredGrid GhostLevel=\"0\">\n"
                         "    <PPoints>\n      <PDataArray type=\"%s\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
                         "    </PPoints>\n",
                         byte_order(), REAL_TYPE));
  PetscCall(add_arrays(t, v));
  for (PetscMPIInt r = 0; r < size; ++r) {
    if (!cells[r]) continue;
    PetscCall(RungDraftAdd(t, "    <Piece Source=\""));
    PetscCall(RungDraftAddName(t, RUNG_XML, name));
    PetscCall(RungDraftAdd(t, "_%04d.vtu\"/>\n", r));
  }
  PetscCall(RungDraftAdd(t, "  </PUnstructuredGrid>\n</VTKFile>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuWriteIndex(const RungVtu *v, MPI_Comm comm, const char path[], const char name[], PetscBool *ok,
                                 char why[], size_t room)
{
  RungDraft   t     = {0};
  PetscInt   *cells = NULL;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (!rank) PetscCall(PetscMalloc1(size, &cells));
  PetscCallMPI(MPI_Gather(&v->cells, 1, MPIU_INT, cells, 1, MPIU_INT, 0, comm));
  if (!rank) PetscCall(make_index(&t, v, size, cells, name));
  PetscCall(PetscFree(cells));
  *ok = PETSC_TRUE;
  if (!rank)
    *ok = (PetscBool)(RungFileIsOurs(path, RUNG_FILE_PIECE, why, room) &&
                      RungFileWriteAside(path, t.length, t.text, why, room));
  PetscCall(RungDraftClear(&t));
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
