/* fuzz_store.c - any bytes under a right seal are a checkpoint and a field file: both become values or a message, and nothing is read
   behind what the file holds, or left open. */
#include <fuzz.h>
#include "ode_problems.h"
#include <hdf5.h>
#include <rungsystem_room.h>

#include "../system/seal_impl.h"

#define PATH "fuzz.h5"

static struct {
  RungSystem          sys;
  RungTransientSystem ts;
  RungField           field;
} problem;

/* Stands before the one of the C library: a flush for each input would be all that is tested. */
int fsync(int file)
{
  (void)file;
  return 0;
}

/* What a good file of each kind is, for the corpus: checkpoint.h5 and field.h5 of the folder, their seals taken away. */
static PetscErrorCode save(void)
{
  RungCheckpoint file;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemStart(problem.ts, 0.1));
  PetscCall(RungCheckpointCreate(problem.sys, "checkpoint.h5", &file));
  PetscCall(RungTransientSystemSave(problem.ts, file));
  PetscCall(RungCheckpointPutText(file, "a text", "some words"));
  PetscCall(RungCheckpointPutInt(file, "an integer", -7));
  PetscCall(RungCheckpointPutReal(file, "a number", 0.25));
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(RungFieldSave(problem.field, "field.h5"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(void)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(oscillator_create(3, &problem.sys));
  PetscCall(RungTransientSystemCreate(problem.sys, 3, 1, &problem.ts));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){2, 1}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "Q1", &space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFieldCreate(space, "k", &problem.field));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(save());
  PetscCall(fuzz_open(PATH ".part"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungFieldDestroy(&problem.field));
  PetscCall(RungTransientSystemDestroy(&problem.ts));
  PetscCall(RungSystemDestroy(&problem.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A message, and none of a library below. */
static void expect(PetscErrorCode code)
{
  if (code && code != PETSC_ERR_FILE_UNEXPECTED && code != PETSC_ERR_FILE_OPEN) abort();
}

static void load(RungCheckpoint file)
{
  PetscInt  integer;
  PetscReal number;
  char     *text = NULL;

  expect(RungTransientSystemLoad(problem.ts, file));
  expect(RungCheckpointGetInt(file, "an integer", &integer));
  expect(RungCheckpointGetReal(file, "a number", &number));
  expect(RungCheckpointGetText(file, "a text", &text));
  if (PetscFree(text)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char           why[256];
  RungCheckpoint file = NULL;

  if (fuzz_open(PATH ".part")) abort(); /* the seal has renamed the last one */
  fuzz_write(data, size);
  if (close(fuzz_file) || !RungSealWrite(PATH ".part", PATH, why, sizeof why)) abort();
  expect(RungCheckpointOpen(problem.sys, PATH, PETSC_FALSE, &file));
  if (file) load(file);
  if (RungCheckpointClose(&file)) abort();
  expect(RungFieldLoad(problem.field, PATH));
  if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort();
  return 0;
}
