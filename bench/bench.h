/* bench.h - what the benchmarks share: a clock, repeats, a line of the table.

   Every line is `case rung twin ratio`, ratio > 1 when Rung is the better; remarks start with '#'.  Times are CPU
   seconds of this process, the least of several interleaved repeats: wall clocks wander on a shared machine. */
#pragma once

#include <rungverify.h>
#include <time.h>

static inline double BenchClock(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline PetscErrorCode BenchLine(const char name[], double rung, double twin)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.6g %.6g %.3f\n", name, rung, twin, twin / rung));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A form on a box of tetrahedra or hexahedra, as a system that is set up with the given back end. */
typedef struct {
  const char *name, *cell, *spec, *define[4][2], *residual;
  PetscInt    count;
} BenchForm;

static inline PetscErrorCode BenchSystem(const BenchForm *form, const char backend[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(
    RungMeshSetBox(mesh, form->cell, 3, (PetscInt[]){form->count, form->count, form->count}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, form->spec, &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  for (int i = 0; i < 4 && form->define[i][0]; ++i)
    PetscCall(RungSystemDefine(*sys, form->define[i][0], form->define[i][1]));
  PetscCall(RungSystemAddResidual(*sys, form->residual));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
