/* file_kind.c - files of ours are known by their first or last bytes; nothing else is written over. */
#include "file_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define HEAD (1 << 16) /* bytes that are looked at */

/* The first bytes of a file, with a zero behind them, and the last ones. */
typedef struct {
  size_t size;
  char  *head; /* owned, [size + 1] */
  char   tail[RUNG_SEAL_LENGTH + 1];
} Glance;

static PetscBool begins(const Glance *g, size_t from, size_t size, const char bytes[])
{
  const size_t seen = g->size > from ? g->size - from : 0;

  return memcmp(g->head + (seen ? from : 0), bytes, seen < size ? seen : size) == 0 ? PETSC_TRUE : PETSC_FALSE;
}

#define BEGINS(glance, text) begins(glance, 0, sizeof(text) - 1, text)

/* A number as a table prints it, or nothing. */
static PetscBool is_entry(const char field[])
{
  char same[40];

  (void)snprintf(same, sizeof same, "%.15g", strtod(field, NULL));
  return !field[0] || !strcmp(field, same) ? PETSC_TRUE : PETSC_FALSE;
}

/* Names, t first, and rows of as many numbers; the last one may be cut short. */
static PetscBool is_table(const Glance *g)
{
  char     field[RUNG_NAME_LENGTH + 1];
  int      columns = 0, row = 0;
  PetscInt n;

  for (const char *at = g->head, *end; row == 0 || (strchr(at, '\n') && row < 64); ++row) {
    for (n = 0, end = NULL; !end || *end == ','; ++n) {
      end = RungCsvField(end ? end + 1 : at, field, sizeof field);
      if (!end || (row ? !is_entry(field) || (!n && !field[0]) : !n && strcmp(field, "t") != 0)) return PETSC_FALSE;
    }
    if (*end != '\n' || (row && n != columns)) return PETSC_FALSE;
    columns = (int)n;
    at      = end + 1;
  }
  return PETSC_TRUE;
}

static PetscBool is_series(const Glance *g)
{
  return BEGINS(g, RUNG_SERIES_HEAD);
}

static PetscBool is_piece(const Glance *g)
{
  return BEGINS(g, RUNG_PIECE_HEAD);
}

static PetscBool is_picture(const Glance *g)
{
  static const char mark[] = RUNG_PICTURE_MARK;

  return g->size > RUNG_PICTURE_MARK_AT && begins(g, RUNG_PICTURE_MARK_AT, sizeof mark - 1, mark) ? PETSC_TRUE
                                                                                                  : PETSC_FALSE;
}

static PetscBool is_sealed(const Glance *g)
{
  return strncmp(g->tail, RUNG_SEAL_MARK, strlen(RUNG_SEAL_MARK)) == 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* HDF5 writes its mark last of all. */
static PetscBool is_unsealed(const Glance *g)
{
  static const char zero[8] = {0};

  return BEGINS(g, "\x89HDF\r\n\x1a\n") || begins(g, 0, sizeof zero, zero) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_errors(const Glance *g)
{
  return BEGINS(g, RUNG_ERRORS_HEAD);
}

static PetscBool is_study(const Glance *g)
{
  return BEGINS(g, RUNG_STUDY_HEAD);
}

static PetscBool is_kernels(const Glance *g)
{
  const char *made = strstr(g->head, RUNG_KERNELS_MADE);

  return BEGINS(g, RUNG_KERNELS_HEAD) && made && made < strchr(g->head, '\n') ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_work(const Glance *g)
{
  return BEGINS(g, RUNG_WORK_HEAD);
}

static const struct {
  const char *name; /* what the file should be */
  PetscBool (*is)(const Glance *g);
} kinds[] = {[RUNG_FILE_TABLE]    = {"a table of quantities", is_table},
             [RUNG_FILE_SERIES]   = {"a series of this library", is_series},
             [RUNG_FILE_PIECE]    = {"a time of a series of this library", is_piece},
             [RUNG_FILE_PICTURE]  = {"a picture that this library drew", is_picture},
             [RUNG_FILE_SEALED]   = {"a checkpoint or field file", is_sealed},
             [RUNG_FILE_UNSEALED] = {"a checkpoint or field file that was not finished", is_unsealed},
             [RUNG_FILE_ERRORS]   = {"a table of a study", is_errors},
             [RUNG_FILE_STUDY]    = {"the results of a study", is_study},
             [RUNG_FILE_KERNELS]  = {"kernels that rung compile made", is_kernels},
             [RUNG_FILE_WORK]     = {"the work of a run as -stepper_statistics writes it", is_work}};

/* 0 or the number of what went wrong; EWOULDBLOCK: somebody is writing it (who writes holds a lock of the whole file). */
static int look(const char path[], Glance *g)
{
  FILE *file = fopen(path, "rb");
  int   code = file ? 0 : errno;

  if (file && flock(fileno(file), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) code = EWOULDBLOCK;
  g->head = (char *)malloc(HEAD + 1);
  if (!g->head) code = ENOMEM;
  if (file && !code) {
    errno            = 0;
    g->size          = fread(g->head, 1, HEAD, file);
    g->head[g->size] = '\0';
    if (ferror(file)) code = errno ? errno : EIO;
    if (!code && fseeko(file, -(off_t)RUNG_SEAL_LENGTH, SEEK_END) == 0 &&
        fread(g->tail, 1, RUNG_SEAL_LENGTH, file) != RUNG_SEAL_LENGTH)
      code = EIO;
  }
  if (file) (void)fclose(file);
  return code;
}

PetscBool RungFileMayReplace(const char path[], char why[], size_t room)
{
  struct stat status;

  if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) return PETSC_TRUE;
  (void)snprintf(why, room, "a %s of that name exists",
                 S_ISDIR(status.st_mode)   ? "folder"
                 : S_ISLNK(status.st_mode) ? "link"
                                           : "device or pipe");
  return PETSC_FALSE;
}

PetscBool RungFileIsOurs(const char path[], RungFileKind kind, char why[], size_t room)
{
  struct stat status;
  Glance      glance = {0};
  PetscBool   ours   = PETSC_TRUE;
  int         code;

  if (!RungFileMayReplace(path, why, room)) return PETSC_FALSE;
  if (stat(path, &status) != 0 || !status.st_size) return PETSC_TRUE;
  code = look(path, &glance);
  if (code == EWOULDBLOCK) {
    (void)snprintf(why, room, "another run is writing it");
    ours = PETSC_FALSE;
  } else if (code) {
    (void)snprintf(why, room, "a file of that name exists and cannot be read (%s)", strerror(code));
    ours = PETSC_FALSE;
  } else if (!kinds[kind].is(&glance)) {
    const size_t n = strlen(path);

    (void)snprintf(why, room, "a file that is not %s is there%s", kinds[kind].name,
                   n > 5 && !strcmp(path + n - 5, ".part") ? " with \".part\" behind its name" : "");
    ours = PETSC_FALSE;
  }
  free(glance.head);
  return ours;
}
