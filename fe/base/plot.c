/* plot.c - pictures by gnuplot.

   The script goes in through its standard input, the picture comes out of its standard output and the data is a file that we
   open for it: gnuplot never reads a path or a name as a part of its language, and what it says is not shown.  Between the
   first two chunks of the PNG a mark is put, by which the picture is known as ours (file_kind.c). */
#define _GNU_SOURCE /* memfd_create */
#include "file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MISSING 127 /* status of a program that cannot be started */

/* 0, or why not: MISSING or another status. */
static int run_gnuplot(int script, int picture, const char data[])
{
  static char *const         argv[] = {(char *)"gnuplot", (char *)"-d", NULL}; /* -d: without a user's own settings */
  posix_spawn_file_actions_t actions;
  pid_t                      child;
  int                        status = 0, bad;

  if (posix_spawn_file_actions_init(&actions)) return MISSING;
  bad = posix_spawn_file_actions_adddup2(&actions, script, 0) ||
        posix_spawn_file_actions_adddup2(&actions, picture, 1) ||
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
        (data && posix_spawn_file_actions_addopen(&actions, 3, data, O_RDONLY, 0)) ||
        posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  if (bad) return MISSING;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return MISSING;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : MISSING - 1;
}

/* A file in memory that holds a text, at its beginning; -1 and errno. */
static int memory_file(const char text[])
{
  const size_t size = strlen(text);
  const int    file = memfd_create("rung", MFD_CLOEXEC);

  if (file < 0) return -1;
  if (write(file, text, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0) return file;
  (void)close(file);
  return -1;
}

/* The picture with its mark goes to its place. */
static void keep(int picture, const char path[], char why[], size_t room)
{
  static const char signature[] = "\x89PNG\r\n\x1a\n", mark[] = RUNG_PICTURE_MARK;
  const size_t      more = sizeof mark - 1;
  const off_t       size = lseek(picture, 0, SEEK_END);
  char             *bytes;

  if (size <= RUNG_PICTURE_MARK_AT) {
    (void)snprintf(why, room, "gnuplot drew nothing");
    return;
  }
  bytes = (char *)malloc((size_t)size + more);
  if (!bytes) (void)snprintf(why, room, "no memory for it");
  if (bytes && (pread(picture, bytes, RUNG_PICTURE_MARK_AT, 0) != RUNG_PICTURE_MARK_AT ||
                pread(picture, bytes + RUNG_PICTURE_MARK_AT + more, (size_t)size - RUNG_PICTURE_MARK_AT,
                      RUNG_PICTURE_MARK_AT) != size - RUNG_PICTURE_MARK_AT ||
                memcmp(bytes, signature, sizeof signature - 1) != 0))
    (void)snprintf(why, room, "gnuplot drew no PNG");
  else if (bytes) {
    memcpy(bytes + RUNG_PICTURE_MARK_AT, mark, more);
    (void)RungFileWriteAside(path, (size_t)size + more, bytes, why, room);
  }
  free(bytes);
}

/* why: empty if the picture is there. */
static void draw(const char path[], const char data[], const char script[], char why[], size_t room)
{
  int text, picture, status;

  if (!RungFileIsOurs(path, RUNG_FILE_PICTURE, why, room)) return;
  text    = memory_file(script);
  picture = text < 0 ? -1 : memory_file("");
  status  = picture < 0 ? 0 : run_gnuplot(text, picture, data);
  if (picture < 0)
    (void)snprintf(why, room, "%s", strerror(errno));
  else if (status == MISSING)
    (void)snprintf(why, room, "gnuplot is not installed (package gnuplot-nox)");
  else if (status)
    (void)snprintf(why, room, "gnuplot ended with status %d", status);
  else
    keep(picture, path, why, room);
  if (picture >= 0) (void)close(picture);
  if (text >= 0) (void)close(text);
}

PetscErrorCode RungPlot(MPI_Comm comm, const char path[], const char data[], int width, int height, const char script[],
                        PetscBool *drawn)
{
  PetscMPIInt rank;
  RungDraft   text     = {0};
  char        why[256] = "";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungDraftAdd(&text, "set encoding utf8\nset terminal pngcairo noenhanced size %d,%d\n%s", width, height, script));
  draw(path, data, text.text, why, sizeof why);
  PetscCall(RungDraftClear(&text));
  if (drawn) *drawn = why[0] ? PETSC_FALSE : PETSC_TRUE;
  if (why[0]) PetscCall(PetscPrintf(PETSC_COMM_SELF, "note: no picture \"%s\": %s\n", path, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
