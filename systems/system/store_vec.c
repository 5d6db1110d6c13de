/* store_vec.c - vectors into a store and back: rank after rank in pieces, so that rank 0 never holds a whole one. */
#include "header_impl.h"
#include "store_file_impl.h"

#include <math.h>
#include <string.h>

#define PIECE  262144 /* entries that are sent at once */
#define SCALAR (sizeof(PetscScalar) == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE)

/* A data set and where its entries are. */
typedef struct {
  hid_t    set, space; /* of rank 0; -1: there is none, or it has had trouble */
  hsize_t  size[2];    /* [entry/block size][block size]                      */
  int      dims;
  PetscInt block;
} Data;

static PetscErrorCode get_shape(Vec u, Data *data)
{
  PetscInt entries;

  PetscFunctionBegin;
  PetscCall(VecGetSize(u, &entries));
  PetscCall(VecGetBlockSize(u, &data->block));
  data->set     = -1;
  data->space   = -1;
  data->size[0] = (hsize_t)(entries / data->block);
  data->size[1] = (hsize_t)data->block;
  data->dims    = data->block > 1 ? 2 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void close_data(Data *data)
{
  if (data->space >= 0) (void)H5Sclose(data->space);
  if (data->set >= 0) (void)H5Dclose(data->set);
  data->space = data->set = -1;
}

/* n entries from `first` on, between memory and the file; negative on trouble */
static herr_t move(const Data *data, PetscInt first, PetscInt n, PetscScalar *entry, int write)
{
  const hsize_t start[2] = {(hsize_t)(first / data->block), 0}, count[2] = {(hsize_t)(n / data->block), data->size[1]};
  hid_t         memory;
  herr_t        code;

  if (n == 0) return 0;
  memory = H5Screate_simple(data->dims, count, NULL);
  code   = H5Sselect_hyperslab(data->space, H5S_SELECT_SET, start, NULL, count, NULL);
  if (code >= 0)
    code = write ? H5Dwrite(data->set, SCALAR, memory, data->space, H5P_DEFAULT, entry)
                 : H5Dread(data->set, SCALAR, memory, data->space, H5P_DEFAULT, entry);
  (void)H5Sclose(memory);
  return code;
}

/* The next piece of the entries first .. end - 1. */
static PetscInt piece_of(const Data *data, PetscInt first, PetscInt end)
{
  const PetscInt most = PetscMax(1, PIECE / data->block) * data->block;

  return end - first < most ? end - first : most;
}

/* ---- write ------------------------------------------------------------------------------------------------------ */

static void create_data(RungStore s, const char group[], const char name[], Data *data)
{
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  char        path[PETSC_MAX_PATH_LEN];

  (void)snprintf(path, sizeof path, "%s/%s", group, name);
  (void)H5Pset_create_intermediate_group(links, 1);
  data->space = H5Screate_simple(data->dims, data->size, NULL);
  data->set   = H5Dcreate2(s->file, path, SCALAR, data->space, links, H5P_DEFAULT, H5P_DEFAULT);
  (void)H5Pclose(links);
  RungStoreMind(s, data->set >= 0, path);
}

/* Rank 0 takes what all ranks send even where the disk has refused: nobody waits for ever. */
static PetscErrorCode receive_all(RungStore s, Data *data, const PetscInt range[], const PetscScalar own[],
                                  PetscScalar piece[])
{
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &ranks));
  for (PetscMPIInt r = 0; r < ranks; ++r) {
    for (PetscInt first = range[r], n; first < range[r + 1]; first += n) {
      n = piece_of(data, first, range[r + 1]);
      if (r)
        PetscCallMPI(MPI_Recv(piece, (PetscMPIInt)n, MPIU_SCALAR, r, s->tag, s->comm, MPI_STATUS_IGNORE));
      else
        PetscCall(PetscArraycpy(piece, own + first, n));
      if (!s->why[0]) RungStoreMind(s, move(data, first, n, piece, 1) >= 0, "a vector");
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_own(RungStore s, const Data *data, PetscInt entries, const PetscScalar own[])
{
  PetscFunctionBegin;
  for (PetscInt first = 0, n; first < entries; first += n) {
    n = piece_of(data, first, entries);
    PetscCallMPI(MPI_Send(own + first, (PetscMPIInt)n, MPIU_SCALAR, 0, s->tag, s->comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStorePutVec(RungStore s, const char group[], const char name[], Vec u)
{
  const PetscInt    *range;
  const PetscScalar *own;
  PetscScalar       *piece;
  Data               data;

  PetscFunctionBegin;
  PetscCall(get_shape(u, &data));
  PetscCall(VecGetOwnershipRanges(u, &range));
  PetscCall(VecGetArrayRead(u, &own));
  if (s->rank)
    PetscCall(send_own(s, &data, range[s->rank + 1] - range[s->rank], own));
  else {
    if (!s->why[0]) create_data(s, group, name, &data);
    PetscCall(PetscMalloc1(PetscMax(PIECE, data.block), &piece));
    RungCallFinally(receive_all(s, &data, range, own, piece), PetscCall(PetscFree(piece)); close_data(&data));
  }
  PetscCall(VecRestoreArrayRead(u, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- read ------------------------------------------------------------------------------------------------------- */

/* The numbers lie in the file as they were written: in one piece of their length, with no filter, in no other file.
   HDF5 reads behind the memory of data sets that are kept in another way and say a wrong length. */
static int is_plain(hid_t set, hid_t space, hid_t type)
{
  const hid_t    list    = H5Dget_create_plist(set);
  const hssize_t numbers = H5Sget_simple_extent_npoints(space);
  const int      one     = list >= 0 && H5Pget_layout(list) == H5D_CONTIGUOUS && H5Pget_external_count(list) == 0;

  if (list >= 0) (void)H5Pclose(list);
  return one && numbers >= 0 && (numbers == 0 || H5Dget_storage_size(set) == (hsize_t)numbers * H5Tget_size(type));
}

/* Negative: there is none that can be read. */
static hid_t open_set(RungStore s, const char path[])
{
  uint64_t at;

  return RungStoreFind(s, path, &at) && RungHeaderIsSet(s->path, at) ? H5Dopen2(s->file, path, H5P_DEFAULT) : -1;
}

/* Opens the data set, or says what is wrong with it. */
static void open_data(RungStore s, const char path[], Data *data, char why[], size_t room)
{
  hsize_t size[H5S_MAX_RANK] = {0};
  int     dims;
  hid_t   type;

  data->set = open_set(s, path);
  if (data->set < 0) {
    (void)snprintf(why, room, "it has no data set \"%s\" of real numbers in one piece", path);
    return;
  }
  data->space = H5Dget_space(data->set);
  dims        = H5Sget_simple_extent_ndims(data->space);
  if (dims >= 0) dims = H5Sget_simple_extent_dims(data->space, size, NULL);
  type = H5Dget_type(data->set);
  if (!RungStoreIsReal(type))
    (void)snprintf(why, room, "\"%s\" does not hold real numbers", path);
  else if (dims != data->dims || size[0] != data->size[0] || (dims == 2 && size[1] != data->size[1]))
    (void)snprintf(why, room, "\"%s\" has %d dimensions with %llu x %llu numbers, wanted %d with %llu x %llu", path,
                   dims, (unsigned long long)size[0], (unsigned long long)(dims > 1 ? size[1] : 1), data->dims,
                   (unsigned long long)data->size[0], (unsigned long long)data->size[1]);
  else if (!is_plain(data->set, data->space, type))
    (void)snprintf(why, room, "\"%s\" is not stored in one piece", path);
  if (type >= 0) (void)H5Tclose(type);
}

static void read_piece(const Data *data, const char path[], PetscInt first, PetscInt n, PetscScalar piece[], char why[],
                       size_t room)
{
  PetscInt i = 0;

  if (why[0]) return;
  if (move(data, first, n, piece, 0) < 0) {
    (void)snprintf(why, room, "\"%s\" cannot be read", path);
    return;
  }
  while (i < n && isfinite((double)piece[i])) ++i;
  if (i < n)
    (void)snprintf(why, room, "entry %lld of \"%s\" is %g, wanted a finite number", (long long)(first + i), path,
                   (double)piece[i]);
}

static PetscErrorCode send_all(RungStore s, const Data *data, const char path[], const PetscInt range[],
                               PetscScalar own[], PetscScalar piece[], char why[], size_t room)
{
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &ranks));
  PetscCall(PetscArrayzero(piece, PetscMax(PIECE, data->block)));
  for (PetscMPIInt r = 0; r < ranks; ++r) {
    for (PetscInt first = range[r], n; first < range[r + 1]; first += n) {
      n = piece_of(data, first, range[r + 1]);
      read_piece(data, path, first, n, piece, why, room);
      if (r)
        PetscCallMPI(MPI_Send(piece, (PetscMPIInt)n, MPIU_SCALAR, r, s->tag, s->comm));
      else
        PetscCall(PetscArraycpy(own + first, piece, n));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode receive_own(RungStore s, const Data *data, PetscInt entries, PetscScalar own[])
{
  PetscFunctionBegin;
  for (PetscInt first = 0, n; first < entries; first += n) {
    n = piece_of(data, first, entries);
    PetscCallMPI(MPI_Recv(own + first, (PetscMPIInt)n, MPIU_SCALAR, 0, s->tag, s->comm, MPI_STATUS_IGNORE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RungStore s, const Data *data, const char path[], Vec u, char why[], size_t room)
{
  const PetscInt *range;
  PetscScalar    *own, *piece;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRanges(u, &range));
  PetscCall(VecGetArrayWrite(u, &own));
  if (s->rank)
    PetscCall(receive_own(s, data, range[s->rank + 1] - range[s->rank], own));
  else {
    PetscCall(PetscMalloc1(PetscMax(PIECE, data->block), &piece));
    RungCallFinally(send_all(s, data, path, range, own, piece, why, room), PetscCall(PetscFree(piece)));
  }
  PetscCall(VecRestoreArrayWrite(u, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreGetVec(RungStore s, const char group[], const char name[], Vec u)
{
  char path[PETSC_MAX_PATH_LEN], why[2 * PETSC_MAX_PATH_LEN] = "";
  Data data;

  PetscFunctionBegin;
  PetscCall(get_shape(u, &data));
  (void)snprintf(path, sizeof path, "%s/%s", group, name);
  if (!s->rank) open_data(s, path, &data, why, sizeof why);
  if (!s->rank && why[0]) close_data(&data);
  RungCheckAll(!why[0], s->comm, PETSC_ERR_FILE_UNEXPECTED,
               "%s \"%s\" is refused: %s; take one that this program wrote", s->kind, s->path, why);
  RungCallFinally(fill(s, &data, path, u, why, sizeof why), close_data(&data));
  RungCheckAll(!why[0], s->comm, PETSC_ERR_FILE_UNEXPECTED,
               "%s \"%s\" is refused: %s; take one that this program wrote", s->kind, s->path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries, or -1 and why not. */
static PetscInt size_of(RungStore s, const char path[], char why[], size_t room)
{
  Data     data = {.set = -1, .space = -1};
  hssize_t n    = -1;

  data.set = open_set(s, path);
  if (data.set >= 0) data.space = H5Dget_space(data.set);
  if (data.space >= 0 && H5Sget_simple_extent_ndims(data.space) == 1) n = H5Sget_simple_extent_npoints(data.space);
  close_data(&data);
  if (n >= 0 && n < (hssize_t)PETSC_MAX_INT) return (PetscInt)n;
  (void)snprintf(why, room, "it has no list \"%s\" that can be read", path);
  return -1;
}

PetscErrorCode RungStoreGetSize(RungStore s, const char group[], const char name[], PetscInt *n)
{
  char path[PETSC_MAX_PATH_LEN], why[2 * PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBegin;
  (void)snprintf(path, sizeof path, "%s/%s", group, name);
  *n = 0;
  if (!s->rank) *n = size_of(s, path, why, sizeof why);
  RungCheckAll(!why[0], s->comm, PETSC_ERR_FILE_UNEXPECTED,
               "%s \"%s\" is refused: %s; take one that this program wrote", s->kind, s->path, why);
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
