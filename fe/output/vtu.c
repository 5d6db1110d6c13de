/* vtu.c - the pieces of a mesh that the ranks have, as one .vtu file.

   Binary, uncompressed: the XML head says at which offset an array lies behind the "_" of AppendedData; there, eight
   bytes of length and the raw numbers.  Rank 0 writes them, those of other ranks as they arrive, so that it never holds more
   than its own piece and one message; no other rank needs to see the folder. */
#include "output_impl.h"
#include "file_impl.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define REAL_TYPE (sizeof(PetscReal) == 8 ? "Float64" : "Float32")
#define INT_TYPE  (sizeof(PetscInt) == 8 ? "Int64" : "Int32")
#define MESH      4         /* arrays of the mesh itself */
#define MESSAGE   (1 << 22) /* bytes                     */

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
  PetscBool   on_cells; /* a field, one value a cell */
  const void *data;     /* lent; of a piece of this rank */
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

/* Arrays of a piece of so many points and cells in the order of the file, [MESH + v->arrays]: those of the mesh, fields at
   points, fields on cells. */
static void list_blocks(const RungVtu *v, const Cells *cells, size_t points, size_t n, Block block[])
{
  PetscInt used = MESH;

  block[0] = (Block){REAL_TYPE, "Points", 3, 3 * points * sizeof(PetscReal), PETSC_FALSE, v->x};
  block[1] = (Block){INT_TYPE,    "connectivity", 1, n * (size_t)v->cell_points * sizeof(PetscInt),
                     PETSC_FALSE, v->connection};
  block[2] = (Block){"Int64", "offsets", 1, n * sizeof(int64_t), PETSC_FALSE, cells->end};
  block[3] = (Block){"UInt8", "types", 1, n, PETSC_FALSE, cells->type};
  for (int on_cells = 0; on_cells < 2; ++on_cells)
    for (PetscInt i = 0; i < v->arrays; ++i) {
      const RungVtuArray *a = &v->array[i];

      if ((int)a->on_cells != on_cells) continue;
      block[used++] = (Block){REAL_TYPE,     a->name,
                              a->components, (on_cells ? n : points) * (size_t)a->components * sizeof(PetscReal),
                              a->on_cells,   a->value};
    }
}

/* ---- the head ----------------------------------------------------------------------------------------------- */

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

/* count: points and cells of the piece. */
static PetscErrorCode announce_piece(RungDraft *head, const int64_t count[2], PetscInt n, const Block block[],
                                     size_t *place)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head, "    <Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%ld\">\n      <Points>\n",
                         (long)count[0], (long)count[1]));
  PetscCall(announce(head, &block[0], place));
  PetscCall(RungDraftAdd(head, "      </Points>\n      <Cells>\n"));
  for (PetscInt i = 1; i < MESH; ++i) PetscCall(announce(head, &block[i], place));
  PetscCall(RungDraftAdd(head, "      </Cells>\n"));
  for (int on_cells = 0; on_cells < 2; ++on_cells) {
    PetscCall(RungDraftAdd(head, "      <%sData>\n", on_cells ? "Cell" : "Point"));
    for (PetscInt i = MESH; i < n; ++i) {
      if ((int)block[i].on_cells == on_cells) PetscCall(announce(head, &block[i], place));
    }
    PetscCall(RungDraftAdd(head, "      </%sData>\n", on_cells ? "Cell" : "Point"));
  }
  PetscCall(RungDraftAdd(head, "    </Piece>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All before the blocks.  count[rank]: points and cells; ranks without cells have no piece. */
static PetscErrorCode make_head(RungDraft *head, const RungVtu *v, const Cells *cells, PetscMPIInt ranks,
                                int64_t (*count)[2], Block block[])
{
  size_t place = 0;

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head, RUNG_PIECE_HEAD " byte_order=\"%s\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
                         byte_order()));
  for (PetscMPIInt r = 0; r < ranks; ++r) {
    if (!count[r][1]) continue;
    list_blocks(v, cells, (size_t)count[r][0], (size_t)count[r][1], block);
    PetscCall(announce_piece(head, count[r], MESH + v->arrays, block, &place));
  }
  PetscCall(RungDraftAdd(head, "  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* A file on rank 0 and the first thing that went wrong with it: after that nothing more is written. */
typedef struct {
  FILE *file;
  int   error;
} Stream;

static void put(Stream *stream, const void *data, size_t bytes)
{
  if (stream->error || !bytes) return;
  errno = 0;
  if (fwrite(data, 1, bytes, stream->file) != bytes) stream->error = errno ? errno : EIO;
}

static PetscErrorCode send_piece(MPI_Comm comm, PetscInt n, const Block block[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i)
    for (size_t at = 0; at < block[i].bytes; at += MESSAGE)
      PetscCallMPI(MPI_Send((const char *)block[i].data + at, (PetscMPIInt)PetscMin(block[i].bytes - at, MESSAGE),
                            MPI_BYTE, 0, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The piece of another rank, also where it cannot be written any more: that rank sends it. */
static PetscErrorCode receive_piece(Stream *stream, MPI_Comm comm, PetscMPIInt from, PetscInt n, const Block block[])
{
  char *buffer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(MESSAGE, &buffer));
  for (PetscInt i = 0; i < n; ++i) {
    const uint64_t bytes = block[i].bytes;

    put(stream, &bytes, sizeof bytes);
    for (size_t at = 0; at < block[i].bytes; at += MESSAGE) {
      const size_t size = PetscMin(block[i].bytes - at, MESSAGE);

      PetscCallMPI(MPI_Recv(buffer, (PetscMPIInt)size, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE));
      put(stream, buffer, size);
    }
  }
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the blocks of all pieces. */
static PetscErrorCode put_pieces(Stream *stream, MPI_Comm comm, const RungVtu *v, const Cells *cells, PetscMPIInt ranks,
                                 int64_t (*count)[2], Block block[])
{
  const PetscInt n = MESH + v->arrays;

  PetscFunctionBegin;
  for (PetscMPIInt r = 0; r < ranks; ++r) {
    if (!count[r][1]) continue;
    list_blocks(v, cells, (size_t)count[r][0], (size_t)count[r][1], block);
    if (r) PetscCall(receive_piece(stream, comm, r, n, block));
    for (PetscInt i = 0; i < n && !r; ++i) {
      const uint64_t bytes = block[i].bytes;

      put(stream, &bytes, sizeof bytes);
      put(stream, block[i].data, block[i].bytes);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 opens, writes, flushes to the disk and closes. */
static PetscErrorCode write_all(const RungVtu *v, MPI_Comm comm, const Cells *cells, PetscMPIInt ranks,
                                int64_t (*count)[2], Block block[], const char path[], int *error)
{
  static const char end[]  = "\n  </AppendedData>\n</VTKFile>\n";
  RungDraft         head   = {0};
  Stream            stream = {.file = fopen(path, "wb")};

  PetscFunctionBegin;
  if (!stream.file) stream.error = errno;
  PetscCall(make_head(&head, v, cells, ranks, count, block));
  put(&stream, head.text, head.length);
  PetscCall(RungDraftClear(&head));
  PetscCall(put_pieces(&stream, comm, v, cells, ranks, count, block));
  put(&stream, end, sizeof end - 1);
  if (stream.file && !stream.error && (fflush(stream.file) != 0 || fsync(fileno(stream.file)) != 0))
    stream.error = errno ? errno : EIO;
  if (stream.file && fclose(stream.file) != 0 && !stream.error) stream.error = errno;
  *error = stream.error;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuWrite(const RungVtu *v, MPI_Comm comm, const char path[], PetscBool *ok, char why[], size_t room)
{
  const int64_t mine[2] = {v->points, v->cells};
  int64_t(*count)[2]    = NULL; /* [rank] points and cells */
  Cells       cells;
  Block      *block;
  PetscMPIInt rank, ranks;
  int         error = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(make_cells(v, &cells));
  PetscCall(PetscMalloc1(MESH + v->arrays, &block));
  if (!rank) PetscCall(PetscMalloc1(ranks, &count));
  PetscCallMPI(MPI_Gather(mine, 2, MPI_INT64_T, count, 2, MPI_INT64_T, 0, comm));
  if (!rank) PetscCall(write_all(v, comm, &cells, ranks, count, block, path, &error));
  if (rank && v->cells) {
    list_blocks(v, &cells, (size_t)v->points, (size_t)v->cells, block);
    PetscCall(send_piece(comm, MESH + v->arrays, block));
  }
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(block));
  PetscCall(PetscFree2(cells.end, cells.type));
  if (error) (void)snprintf(why, room, "%s", strerror(error));
  *ok = error ? PETSC_FALSE : PETSC_TRUE;
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
