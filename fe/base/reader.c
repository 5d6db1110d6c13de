/* reader.c - numbers and words of a file that is text or binary, and complaints about what is not as it should be.

   The first complaint stays: after it everything reads as 0, so that a caller only looks at the end of a loop.  The file is in
   memory as a whole, or through a window that moves on when it has been read and jumps where the caller wants. */
#include "base_impl.h"
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW ((size_t)1 << 16) /* bytes; of text a caller makes sure of what it looks at (RungReaderAhead) */

PetscBool RungReaderFailed(const RungReader *r)
{
  return r->finding->text[0] ? PETSC_TRUE : PETSC_FALSE;
}

void RungReaderComplain(RungReader *r, const char format[], ...)
{
  char    text[512];
  long    line = 1;
  va_list arguments;

  if (RungReaderFailed(r)) return;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (const char *q = r->begin; q < r->p; ++q) line += *q == '\n';
  if (r->binary)
    (void)snprintf(r->finding->text, sizeof r->finding->text, "mesh file %s, byte %lld: %s", r->path,
                   (long long)(r->p - r->begin), text);
  else
    (void)snprintf(r->finding->text, sizeof r->finding->text, "mesh file %s, line %ld: %s", r->path, line, text);
}

PetscBool RungIsSpace(char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' ? PETSC_TRUE : PETSC_FALSE;
}

/* The window with what is left of it and more of the file behind that. */
static void move_on(RungReader *r)
{
  size_t  n = (size_t)(r->end - r->p);
  ssize_t got;

  if (n) memmove(r->begin, r->p, n);
  while (n < WINDOW && (got = pread(fileno(r->file), r->begin + n, WINDOW - n, (off_t)(r->size - r->behind))) > 0) {
    n += (size_t)got;
    r->behind -= (PetscInt64)got;
  }
  r->begin[n] = 0;
  r->p        = r->begin;
  r->end      = r->begin + n;
  if (n < WINDOW && r->behind > 0) { /* it has become shorter, or the disk fails */
    RungReaderComplain(r, "the file cannot be read any further");
    r->behind = 0;
  }
}

PetscBool RungReaderAhead(RungReader *r, size_t n)
{
  if ((size_t)(r->end - r->p) < n && r->behind > 0) move_on(r);
  return (size_t)(r->end - r->p) >= n ? PETSC_TRUE : PETSC_FALSE;
}

static PetscInt64 bytes_left(const RungReader *r)
{
  return (PetscInt64)(r->end - r->p) + r->behind;
}

PetscInt64 RungReaderTell(const RungReader *r)
{
  return r->size - bytes_left(r);
}

void RungReaderSeek(RungReader *r, PetscInt64 place)
{
  r->p = r->end = r->begin;
  r->behind     = r->size - place;
}

void RungReaderSkip(RungReader *r, PetscInt64 n)
{
  if (RungReaderFailed(r)) return;
  if (n <= (PetscInt64)(r->end - r->p))
    r->p += n;
  else if (n <= bytes_left(r))
    RungReaderSeek(r, RungReaderTell(r) + n);
  else
    RungReaderComplain(r, "the file ends in section $%s; it is truncated", r->section);
}

void RungReaderSkipSpace(RungReader *r)
{
  while (RungReaderAhead(r, 1) && RungIsSpace(*r->p)) ++r->p;
}

void RungReaderSkipLine(RungReader *r)
{
  while (RungReaderAhead(r, 1) && *r->p != '\n') ++r->p;
  if (r->p < r->end) ++r->p;
}

/* What stands where something else should: the word, cut and made printable. */
void RungReaderUnexpected(RungReader *r, const char wanted[])
{
  char word[32];
  int  n = 0;

  RungReaderSkipSpace(r);
  if (r->p >= r->end) {
    RungReaderComplain(r, "the file ends in section $%s where %s should be; it is truncated", r->section, wanted);
    return;
  }
  for (; n < 24 && r->p + n < r->end && !RungIsSpace(r->p[n]); ++n)
    word[n] = r->p[n] > ' ' && r->p[n] < 127 ? r->p[n] : '?';
  word[n] = 0;
  RungReaderComplain(r, "found \"%s\" in section $%s, wanted %s", word, r->section, wanted);
}

static void get_bytes(RungReader *r, size_t n, void *value)
{
  memset(value, 0, n);
  if (RungReaderFailed(r)) return;
  if (!RungReaderAhead(r, n)) {
    r->p = r->end;
    RungReaderUnexpected(r, "a number");
    return;
  }
  for (size_t i = 0; i < n; ++i) ((char *)value)[i] = r->p[r->swap ? n - 1 - i : i];
  r->p += n;
}

/* The least PetscInt is left out: it has no absolute value. */
static PetscInt to_int(RungReader *r, long long v)
{
  if (v > (long long)PETSC_MAX_INT || v < -(long long)PETSC_MAX_INT) {
    RungReaderComplain(r,
                       "%lld in section $%s is %s than this PETSc can count; renumber the mesh (RenumberMeshNodes and "
                       "RenumberMeshElements in Gmsh), or use a PETSc of 64-bit indices",
                       v, r->section, v < 0 ? "less" : "more");
    return 0;
  }
  return (PetscInt)v;
}

PetscInt RungReaderText(RungReader *r)
{
  char     *after;
  long long v;

  if (RungReaderFailed(r)) return 0;
  errno = 0;
  v     = strtoll(r->p, &after, 10);
  if (after == r->p || (after < r->end && !RungIsSpace(*after)) || errno == ERANGE) {
    RungReaderUnexpected(r, errno == ERANGE ? "a whole number that 64 bits hold" : "a whole number");
    return 0;
  }
  r->p = after;
  return to_int(r, v);
}

PetscInt RungReaderInt(RungReader *r)
{
  int32_t v;

  if (!r->binary) return RungReaderText(r);
  get_bytes(r, sizeof v, &v);
  return to_int(r, v);
}

PetscInt RungReaderSize(RungReader *r)
{
  int64_t v;

  if (!r->binary) return RungReaderText(r);
  get_bytes(r, sizeof v, &v);
  return to_int(r, v);
}

PetscReal RungReaderReal(RungReader *r)
{
  double v = 0;
  char  *after;

  if (r->binary) {
    get_bytes(r, sizeof v, &v);
  } else if (!RungReaderFailed(r)) {
    v = strtod(r->p, &after);
    if (after == r->p || (after < r->end && !RungIsSpace(*after))) RungReaderUnexpected(r, "a number");
    r->p = after;
  }
  return (PetscReal)v;
}

PetscReal RungReaderFinite(RungReader *r)
{
  const char     *begin = r->p;
  const PetscReal v     = RungReaderReal(r);

  if (!PetscIsInfOrNanReal(v)) return v;
  r->p = begin;
  if (!r->binary) RungReaderUnexpected(r, "a finite number");
  RungReaderComplain(r, "found %g in section $%s, wanted a finite number", (double)v, r->section);
  return 0;
}

/* A number of things that follow, at least `least` bytes each: no memory is asked for what cannot be there. */
PetscInt RungReaderCount(RungReader *r, PetscInt n, PetscInt least)
{
  if (RungReaderFailed(r)) return 0;
  if (n < 0)
    RungReaderComplain(r, "section $%s announces %lld entries", r->section, (long long)n);
  else if ((double)n * (double)least > (double)bytes_left(r) + 1) {
    RungReaderComplain(r, "section $%s announces %lld entries but the file has %lld bytes left; it is truncated",
                       r->section, (long long)n, (long long)bytes_left(r));
  }
  return RungReaderFailed(r) ? 0 : n;
}

/* The whole file in memory and a 0 behind it. */
PetscErrorCode RungReaderLoad(RungReader *r)
{
  char   why[128] = "";
  FILE  *file     = RungFileOpen(r->path, why, sizeof why);
  size_t n = 0, room = 1 << 16, got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(room, &r->begin));
  while (file && (got = fread(r->begin + n, 1, room - n - 1, file)) > 0) {
    n += got;
    if (n + 1 < room) continue;
    room *= 2;
    PetscCall(PetscRealloc(room, &r->begin));
  }
  if (!file || ferror(file)) {
    RungFound(r->finding, "mesh file %s cannot be read: %s", r->path, file ? strerror(errno) : why);
  } else if (!n) {
    RungFound(r->finding, "mesh file %s is empty", r->path);
  }
  if (file) (void)fclose(file);
  PetscCall(PetscRealloc(n + 1, &r->begin)); /* tight, so that a sanitizer sees who reads behind the end */
  r->begin[n] = 0;
  r->p        = r->begin;
  r->end      = r->begin + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReaderOpen(RungReader *r)
{
  char        why[128] = "";
  struct stat status;

  PetscFunctionBegin;
  r->file = RungFileOpen(r->path, why, sizeof why);
  if (!r->file || fstat(fileno(r->file), &status) != 0) {
    RungFound(r->finding, "mesh file %s cannot be read: %s", r->path, r->file ? strerror(errno) : why);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(WINDOW + 1, &r->begin));
  r->size     = (PetscInt64)status.st_size;
  r->stamp[0] = r->size;
  r->stamp[1] = (PetscInt64)status.st_ino;
  r->stamp[2] = (PetscInt64)status.st_mtim.tv_sec;
  r->stamp[3] = (PetscInt64)status.st_mtim.tv_nsec;
  RungReaderSeek(r, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungReaderClose(RungReader *r)
{
  PetscFunctionBegin;
  if (r->file) (void)fclose(r->file);
  r->file = NULL;
  PetscCall(PetscFree(r->begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}
