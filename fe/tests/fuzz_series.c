/* fuzz_series.c - any bytes are the .pvd of an earlier series: a run that goes on refuses it, or keeps times of it, and what it writes then is
   a series again: head, entries of a line each, end. */
#include <fuzz.h>
#include "../output/output_impl.h"
#include "file_impl.h"
#include <dirent.h>

#define PATH   "series.pvd"
#define FOLDER PATH ".d"

static RungField field;

/* Stands before the one of the C library: a flush for each input would be all that is tested. */
int fsync(int file)
{
  (void)file;
  return 0;
}

static PetscErrorCode begin(void)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  (void)unlink(PATH); /* of a run before */
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){1}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungFieldCreate(space, "u", &field));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  return RungFieldDestroy(&field);
}

/* The files of times, whatever their numbers. */
static void clear(void)
{
  DIR *folder = opendir(FOLDER);

  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (entry->d_name[0] != '.' && unlinkat(dirfd(folder), entry->d_name, 0)) abort();
  if (folder) (void)closedir(folder);
}

static void check_series(PetscInt written)
{
  static char text[1 << 20];
  FILE       *file = fopen(PATH, "rb");
  size_t      n    = file ? fread(text, 1, sizeof text - 1, file) : 0;
  char       *at   = text + strlen(RUNG_SERIES_HEAD);

  if (!file || fclose(file)) abort();
  text[n] = 0;
  if (n == strlen(text) && strncmp(text, RUNG_SERIES_HEAD, strlen(RUNG_SERIES_HEAD)) != 0) abort();
  for (PetscInt i = 0; i < written; ++i) {
    char *line_end = strchr(at, '\n');

    if (strncmp(at, "    <DataSet timestep=\"", 23) != 0 || !line_end || strncmp(line_end - 3, "\"/>", 3) != 0) abort();
    at = line_end + 1;
  }
  if (strcmp(at, "  </Collection>\n</VTKFile>\n") != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungOutput     output;
  PetscErrorCode code;

  if (fuzz_open(PATH)) abort();
  fuzz_write(data, size);
  if (close(fuzz_file)) abort();
  code = RungOutputCreate(PETSC_COMM_SELF, PATH, &output);
  if (code == PETSC_ERR_FILE_OPEN) return 0; /* not ours */
  if (code || RungOutputResume(output, 0.5)) abort();
  if (RungOutputWrite(output, 1, 1, &field)) abort();
  check_series(output->written);
  if (RungOutputDestroy(&output)) abort();
  clear();
  return 0;
}
