/* store.c - one HDF5 file that rank 0 alone opens: life, and numbers and texts by name.

   Other ranks need not see the folder.  Room for what is going to be written is reserved on the disk; where a write fails
   all the same, disk.c remembers it, and HDF5, which cannot give up a file, flushes and closes as if all were well. */
#include "disk_impl.h"
#include "header_impl.h"
#include "seal_impl.h"
#include "store_file_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD      65536   /* bytes for the tree of a file, names and numbers       */
#define SHORT     1024    /* bytes of a text that HEAD has room for                */
#define LONGEST   1048576 /* bytes of a text that is read                           */
#define ATTRIBUTE 60000   /* bytes of a text that an attribute can hold             */

/* ---- HDF5 is silent while a store is open ------------------------------------------------------------------------- */

static struct {
  int         depth;
  H5E_auto2_t print;
  void       *data;
} quiet;

static void silence(void)
{
  if (quiet.depth++) return;
  (void)H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void unsilence(void)
{
  if (!--quiet.depth) (void)H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}

static void end_silently(void)
{
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* HDF5 keeps for itself what it has of a file that it begins to open and cannot read, which nobody can take from it,
   and complains of it at its own end ("infinite loop closing library").  Functions for the end of a process are called
   in reverse: HDF5 is still there. */
static void expect_damage(void)
{
  static int expected;

  if (!expected++) (void)atexit(end_silently);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

void RungStoreMind(RungStore s, int ok, const char what[])
{
  if (s->why[0] || (ok && !*s->trouble)) return;
  if (*s->trouble)
    (void)snprintf(s->why, sizeof s->why, "%s", strerror(*s->trouble));
  else
    (void)snprintf(s->why, sizeof s->why, "HDF5 cannot write %s", what);
}

/* HDF5 crashes where it has no memory to enter one of its functions (H5CX_pop() of 1.10): as much as it takes for a small file is
   there, or an error is raised before. */
static PetscErrorCode need_memory(void)
{
  char *some;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 << 20, &some));
  PetscCall(PetscFree(some));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(MPI_Comm comm, const char kind[], const char path[], PetscBool writing, RungStore *store)
{
  RungStore s;

  PetscFunctionBegin;
  PetscCall(need_memory());
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "a %s without a path; wanted one like \"run.h5\"", kind);
  PetscCheck(strlen(path) + 8 < PETSC_MAX_PATH_LEN, comm, PETSC_ERR_ARG_SIZ, "the path of a %s is too long", kind);
  PetscCall(PetscNew(&s));
  PetscCall(PetscNew(&s->trouble));
  PetscCall(PetscCommDuplicate(comm, &s->comm, &s->tag));
  PetscCallMPI(MPI_Comm_rank(s->comm, &s->rank));
  s->kind    = kind;
  s->writing = writing;
  s->file    = -1;
  s->lock    = -1;
  PetscCall(PetscStrncpy(s->path, path, sizeof s->path));
  PetscCall(PetscSNPrintf(s->aside, sizeof s->aside, "%s.part", path));
  silence();
  *store = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How files are opened: objects inside close with them; no locks, which some file systems do not have. */
static hid_t access_list(void)
{
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);

  (void)H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  (void)H5Pset_file_locking(list, 0, 1);
#endif
  return list;
}

static void make_file(RungStore s)
{
  hid_t list, group;

  if (!RungSealTry(s->path, s->aside, &s->lock, s->why, sizeof s->why)) return;
  s->made = PETSC_TRUE;
  if (!RungSealReserve(s->path, s->aside, HEAD, s->why, sizeof s->why)) return;
  list    = access_list();
  s->file = RungDiskUse(list, s->trouble) < 0 ? -1 : H5Fcreate(s->aside, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  (void)H5Pclose(list);
  RungStoreMind(s, s->file >= 0, "the file");
  if (s->file < 0) return;
  if (!RungSealReserve(s->path, s->aside, HEAD, s->why, sizeof s->why)) return;
  group = H5Gcreate2(s->file, "/rung", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  RungStoreMind(s, group >= 0, "a group");
  (void)H5Gclose(group);
}

PetscErrorCode RungStoreCreate(MPI_Comm comm, const char kind[], const char path[], RungStore *store)
{
  PetscFunctionBegin;
  PetscCall(create(comm, kind, path, PETSC_TRUE, store));
  if (!(*store)->rank) make_file(*store);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reserved bytes that were not used are given back. */
static void close_file(RungStore s)
{
  hsize_t size = 0;
  int     ok, closed;

  if (s->file < 0) return;
  ok      = !s->writing || (H5Fflush(s->file, H5F_SCOPE_GLOBAL) >= 0 && H5Fget_filesize(s->file, &size) >= 0);
  closed  = H5Fclose(s->file) >= 0;
  s->file = -1;
  RungStoreMind(s, ok && closed, "the file");
  if (!closed) s->trouble = NULL; /* HDF5 tries once more at its own end */
  if (s->writing && !s->why[0] && truncate(s->aside, (off_t)size) != 0)
    (void)snprintf(s->why, sizeof s->why, "%s", strerror(errno));
}

static PetscErrorCode share_trouble(RungStore s, PetscBool *ok, char why[], size_t room)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(s->why, (PetscMPIInt)sizeof s->why, MPI_CHAR, 0, s->comm));
  *ok = s->why[0] ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(PetscStrncpy(why, s->why, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreGetTrouble(RungStore s, PetscBool *ok, char why[], size_t room)
{
  PetscFunctionBegin;
  PetscCall(share_trouble(s, ok, why, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreFinish(RungStore *store, PetscBool *ok, char why[], size_t room)
{
  RungStore s = *store;

  PetscFunctionBegin;
  close_file(s);
  if (!s->rank && !s->why[0]) {
    if (RungSealWrite(s->aside, s->path, s->why, sizeof s->why))
      s->writing = PETSC_FALSE; /* nothing is left to remove */
  }
  PetscCall(share_trouble(s, ok, why, room));
  PetscCall(RungStoreClose(store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreClose(RungStore *store)
{
  RungStore s = *store;

  PetscFunctionBegin;
  *store = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->writing && s->file >= 0 && !s->why[0]) (void)snprintf(s->why, sizeof s->why, "it was given up");
  close_file(s);
  if (s->writing && !s->rank && s->made) (void)unlink(s->aside);
  if (s->lock >= 0) (void)close(s->lock);
  unsilence();
  PetscCall(PetscCommDestroy(&s->comm));
  PetscCall(PetscFree(s->trouble));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* HDF5 looks for its header at other places than the first byte, too, and counts from there. */
static int begins_at_once(hid_t file)
{
  const hid_t list  = H5Fget_create_plist(file);
  hsize_t     bytes = 1;

  if (list >= 0) (void)H5Pget_userblock(list, &bytes);
  if (list >= 0) (void)H5Pclose(list);
  return bytes == 0;
}

int RungStoreFind(RungStore s, const char path[], uint64_t *at)
{
#if H5_VERSION_GE(1, 12, 0)
  H5L_info1_t link;
  const int   found = H5Lget_info1(s->file, path, &link, H5P_DEFAULT) >= 0;
#else
  H5L_info_t link;
  const int  found = H5Lget_info(s->file, path, &link, H5P_DEFAULT) >= 0;
#endif

  if (!found || link.type != H5L_TYPE_HARD) return 0;
  *at = link.u.address;
  return 1;
}

static void open_file(RungStore s)
{
  uint64_t at;
  hid_t    list;

  if (!RungSealCheck(s->path, s->why, sizeof s->why)) return;
  list = access_list();
  expect_damage();
  s->file = RungDiskUse(list, s->trouble) < 0 ? -1 : H5Fopen(s->path, H5F_ACC_RDONLY, list);
  (void)H5Pclose(list);
  if (s->file < 0)
    (void)snprintf(s->why, sizeof s->why, "its seal is right, but HDF5 cannot read it");
  else if (!RungStoreFind(s, "/rung", &at))
    (void)snprintf(s->why, sizeof s->why, "it does not have the group \"/rung\"");
  else if (!begins_at_once(s->file) || !RungHeaderIsGroup(s->path, at))
    (void)snprintf(s->why, sizeof s->why,
                   "what its group \"/rung\" says is not numbers and texts as they were written");
}

PetscErrorCode RungStoreOpen(MPI_Comm comm, const char kind[], const char path[], RungStore *store)
{
  char      why[256];
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(create(comm, kind, path, PETSC_FALSE, store));
  if (!(*store)->rank) open_file(*store);
  PetscCall(share_trouble(*store, &ok, why, sizeof why));
  if (!ok) PetscCall(RungStoreClose(store));
  PetscCheck(ok, comm, PETSC_ERR_FILE_UNEXPECTED, "%s \"%s\" is refused: %s; take another one", kind, path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreReserve(RungStore s, double bytes)
{
  PetscFunctionBegin;
  if (!s->rank && !s->why[0]) (void)RungSealReserve(s->path, s->aside, bytes, s->why, sizeof s->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungStorePath(RungStore s)
{
  return s->path;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static void put_attribute(RungStore s, const char name[], hid_t type, const void *value)
{
  const hid_t space     = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate_by_name(s->file, "/rung", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  RungStoreMind(s, attribute >= 0 && H5Awrite(attribute, type, value) >= 0, name);
  if (attribute >= 0) (void)H5Aclose(attribute);
  (void)H5Sclose(space);
}

PetscErrorCode RungStorePutNumber(RungStore s, const char name[], double value)
{
  PetscFunctionBegin;
  if (!s->rank && !s->why[0]) put_attribute(s, name, H5T_NATIVE_DOUBLE, &value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStorePutText(RungStore s, const char name[], const char text[])
{
  hid_t type;

  PetscFunctionBegin;
  PetscCheck(strlen(text) < ATTRIBUTE, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "the text \"%s\" of %s \"%s\" has %zu bytes; wanted at most %d", name, s->kind, s->path, strlen(text),
             ATTRIBUTE);
  if (strlen(text) > SHORT) PetscCall(RungStoreReserve(s, 2 * (double)strlen(text)));
  if (s->rank || s->why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  type = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(type, strlen(text) + 1);
  put_attribute(s, name, type, text);
  (void)H5Tclose(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreHas(RungStore s, const char name[], PetscBool *has)
{
  int found = 0;

  PetscFunctionBegin;
  if (!s->rank && s->file >= 0) found = H5Aexists_by_name(s->file, "/rung", name, H5P_DEFAULT) > 0;
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, s->comm));
  *has = found ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An attribute and its type, or what is wrong with it. */
static hid_t open_attribute(RungStore s, const char name[], hid_t *type, char why[], size_t room)
{
  hid_t    attribute = -1, space;
  hssize_t values;

  if (H5Aexists_by_name(s->file, "/rung", name, H5P_DEFAULT) <= 0) {
    (void)snprintf(why, room, "it says nothing of \"%s\"", name);
    return -1;
  }
  attribute = H5Aopen_by_name(s->file, "/rung", name, H5P_DEFAULT, H5P_DEFAULT);
  *type     = H5Aget_type(attribute);
  space     = H5Aget_space(attribute);
  values    = H5Sget_simple_extent_npoints(space);
  if (space >= 0) (void)H5Sclose(space);
  if (attribute >= 0 && *type >= 0 && values == 1) return attribute;
  (void)snprintf(why, room, "\"%s\" has %lld values, wanted one", name, (long long)values);
  if (*type >= 0) (void)H5Tclose(*type);
  if (attribute >= 0) (void)H5Aclose(attribute);
  return -1;
}

int RungStoreIsReal(hid_t type)
{
  const hid_t kind[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(kind); ++i) {
    if (H5Tequal(type, kind[i]) > 0) return 1;
  }
  return 0;
}

static void get_number(RungStore s, const char name[], double *value, char why[], size_t room)
{
  hid_t       type;
  const hid_t attribute = open_attribute(s, name, &type, why, room);

  if (attribute < 0) return;
  if (!RungStoreIsReal(type))
    (void)snprintf(why, room, "\"%s\" is no number", name);
  else if (H5Aread(attribute, H5T_NATIVE_DOUBLE, value) < 0)
    (void)snprintf(why, room, "\"%s\" cannot be read", name);
  else if (!isfinite(*value))
    (void)snprintf(why, room, "\"%s\" is %g, wanted a finite number", name, *value);
  (void)H5Tclose(type);
  (void)H5Aclose(attribute);
}

PetscErrorCode RungStoreGetNumber(RungStore s, const char name[], double *value)
{
  char why[256] = "";

  PetscFunctionBegin;
  *value = 0;
  if (!s->rank) get_number(s, name, value, why, sizeof why);
  RungCheckAll(!why[0], s->comm, PETSC_ERR_FILE_UNEXPECTED,
               "%s \"%s\" is refused: %s; take one that this program wrote", s->kind, s->path, why);
  PetscCallMPI(MPI_Bcast(value, 1, MPI_DOUBLE, 0, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* text: malloc()ed, with an end behind what the file holds */
static char *get_text(RungStore s, const char name[], char why[], size_t room)
{
  hid_t       type;
  const hid_t attribute = open_attribute(s, name, &type, why, room);
  char       *text      = NULL;
  size_t      size;

  if (attribute < 0) return NULL;
  size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    (void)snprintf(why, room, "\"%s\" is no text of a fixed length", name);
  else if (size == 0 || size > LONGEST)
    (void)snprintf(why, room, "\"%s\" is a text of %zu bytes, wanted at most %d", name, size, LONGEST);
  else if (!(text = (char *)calloc(size + 1, 1)))
    (void)snprintf(why, room, "no memory for \"%s\"", name);
  else if (H5Aread(attribute, type, text) < 0)
    (void)snprintf(why, room, "\"%s\" cannot be read", name);
  (void)H5Tclose(type);
  (void)H5Aclose(attribute);
  return text;
}

PetscErrorCode RungStoreGetText(RungStore s, const char name[], char **text)
{
  char why[256] = "", *found = NULL;
  int  size = 0;

  PetscFunctionBegin;
  if (!s->rank) {
    found = get_text(s, name, why, sizeof why);
    size  = found ? (int)strlen(found) + 1 : 0;
    if (why[0]) free(found);
  }
  RungCheckAll(!why[0], s->comm, PETSC_ERR_FILE_UNEXPECTED,
               "%s \"%s\" is refused: %s; take one that this program wrote", s->kind, s->path, why);
  PetscCallMPI(MPI_Bcast(&size, 1, MPI_INT, 0, s->comm));
  PetscCall(PetscCalloc1(size, text));
  if (found) PetscCall(PetscArraycpy(*text, found, size));
  free(found);
  PetscCallMPI(MPI_Bcast(*text, size, MPI_CHAR, 0, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
