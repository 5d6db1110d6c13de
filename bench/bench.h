/* bench.h - what the benchmarks share: clocks, a line of the table, twins that are programs of their own, the machine.

   Every line is `case rung twin ratio`, ratio > 1 when Rung is the better; remarks start with '#'.  Times are CPU
   seconds of this process, the least of several interleaved repeats: wall clocks wander on a shared machine. */
#pragma once

#include <rungforms_room.h>
#include <rungsystem_room.h>
#include <rungverify.h>
#include <time.h>

static inline double bench_clock(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline PetscErrorCode bench_line(const char name[], double rung, double twin)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.6g %.6g %.3f\n", name, rung, twin, twin / rung));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the case asked for?  -bench_case LIST of names, or of beginnings of names; without it all are. */
static inline PetscErrorCode bench_wanted(const char name[], PetscBool *wanted)
{
  char      list[32][64], *item[32];
  PetscInt  n = 32;
  PetscBool set;

  PetscFunctionBegin;
  for (int i = 0; i < 32; ++i) item[i] = list[i];
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-bench_case", item, &n, &set));
  *wanted = set ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt i = 0; set && i < n; ++i) {
    if (!strncmp(name, item[i], strlen(item[i]))) *wanted = PETSC_TRUE;
    PetscCall(PetscFree(item[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A form on a box, as a system that is set up with the given back end.  spec2: a second unknown p, q. */
typedef struct {
  const char *name, *cell, *spec, *define[4][2], *residual;
  PetscInt    count;
  const char *spec2;
} BenchForm;

static inline PetscErrorCode bench_system(const BenchForm *form, const char backend[], RungSystem *sys)
{
  const PetscInt dim = form->cell[0] == 't' && form->cell[1] == 'r' ? 2 : 3;
  RungMesh       mesh;
  RungSpace      V, Q;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(
    RungMeshSetBox(mesh, form->cell, dim, (PetscInt[]){form->count, form->count, form->count}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, form->spec, &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  if (form->spec2) {
    PetscCall(RungSpaceCreate(mesh, form->spec2, &Q));
    PetscCall(RungSystemAddUnknown(*sys, "p", "q", Q));
    PetscCall(RungSpaceDestroy(&Q));
  }
  for (int i = 0; i < 4 && form->define[i][0]; ++i)
    PetscCall(RungSystemDefine(*sys, form->define[i][0], form->define[i][1]));
  PetscCall(RungSystemAddResidual(*sys, form->residual));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first line that a program of its own prints.  It gets a clean environment: it may be an MPI program by itself and
   is no child of this one. */
static inline PetscErrorCode bench_run(const char command[], size_t size, char line[])
{
  const char *cache = getenv("XDG_CACHE_HOME");
  char        clean[2048];
  FILE       *pipe;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(clean, sizeof clean,
                          "env -i PATH=/usr/bin:/bin HOME=\"$HOME\" %s%s "
                          "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
                          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 %s",
                          cache ? "XDG_CACHE_HOME=" : "", cache ? cache : "", command));
  PetscCall(PetscPOpen(PETSC_COMM_SELF, NULL, clean, "r", &pipe));
  if (!fgets(line, (int)size, pipe)) line[0] = 0;
  PetscCall(PetscPClose(PETSC_COMM_SELF, pipe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes a second of a[i] = b[i] + 3 c[i] out of cache, a read and written: the roof of everything that streams. */
static inline PetscErrorCode bench_triad(double *bandwidth)
{
  const PetscInt n     = 8000000;
  double         least = 1e30, *a, *b, *c;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &a, n, &b, n, &c));
  for (PetscInt i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = (double)i;
  for (int repeat = 0; repeat < 6; ++repeat) {
    const double start = bench_clock();

    for (PetscInt i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
    least = PetscMin(least, bench_clock() - start);
    b[repeat] += a[n - 1 - repeat];
  }
  PetscCall(PetscFree3(a, b, c));
  *bandwidth = 4. * 8. * (double)n / least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line of RungSystemView() that names the BLAS. */
static inline PetscErrorCode bench_blas(RungSystem sys)
{
  char       *text = NULL, *line, *end;
  size_t      size;
  FILE       *file = open_memstream(&text, &size);
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a text");
  PetscCall(PetscViewerASCIIOpenWithFILE(RungSystemComm(sys), file, &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  (void)fclose(file);
  line = strstr(text, "BLAS: ");
  end  = line ? strchr(line, '\n') : NULL;
  if (end) *end = 0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", line ? line : "BLAS: unknown"));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
