/* registry.c - problem files as reference problems of studies: each file of a folder that says an exact solution or a ladder of steps. */
#define _GNU_SOURCE /* dladdr */
#include "reader_impl.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 128 /* reference problems that are files */

/* What the registry lends of a file, for the life of the process. */
typedef struct {
  char name[64], about[256], path[PETSC_MAX_PATH_LEN + 64], unknown[64], exact[1024], method[64], ladder[256];
} Entry;

static Entry    entry[MOST];
static PetscInt entries;

/* The system that a file tells: the registry's create function. */
static PetscErrorCode build(RungProblem problem, RungSystem *sys)
{
  const char *text;

  PetscFunctionBegin;
  if (!problem->mistakes) PetscCall(RungBuildForms(problem));
  PetscCall(RungProblemGetMistakes(problem, NULL, &text));
  PetscCheck(!problem->mistakes, problem->comm, PETSC_ERR_USER, "%s", text);
  *sys = problem->sys;
  PetscCall(RungSystemReference(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(MPI_Comm comm, const RungCase *reference, RungSystem *sys)
{
  RungProblem problem;

  PetscFunctionBegin;
  PetscCall(RungProblemCreate(comm, &problem));
  RungCallOrUndo(RungProblemRead(problem, reference->file), PetscCall(RungProblemDestroy(&problem)));
  RungCallFinally(build(problem, sys), PetscCall(RungProblemDestroy(&problem)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "0.1,0.05" of `ladder dt 0.1 0.05`; steps halved twice where the file has none. */
static PetscErrorCode put_ladder(RungProblem problem, PetscReal dt, Entry *e)
{
  PetscFunctionBegin;
  (void)snprintf(e->ladder, sizeof e->ladder, "%.17g,%.17g,%.17g", (double)dt, (double)dt / 2, (double)dt / 4);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s    = &problem->statement[i];
    size_t               used = 0;

    if (!RungIs(problem, i, "ladder") || strcmp(s->arg[0].text, "dt") != 0) continue;
    for (PetscInt k = 1; k < s->args && used < sizeof e->ladder; ++k)
      used += (size_t)snprintf(e->ladder + used, sizeof e->ladder - used, "%s%s", k > 1 ? "," : "", s->arg[k].text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* used: the file is a reference problem. */
static PetscErrorCode read_entry(RungProblem problem, Entry *e, RungCase *reference, PetscBool *used)
{
  PetscReal dt = 0, error = 0, rel = 1e-3;
  PetscBool good = PETSC_TRUE, ladder = RungHas(problem, "ladder");

  PetscFunctionBegin;
  *reference = (RungCase){.create = create};
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (RungIs(problem, i, "initial") && RungIsFrom(s)) good = PETSC_FALSE;
    if (RungIs(problem, i, "unknown") && !e->unknown[0])
      (void)snprintf(e->unknown, sizeof e->unknown, "%s", s->arg[0].text);
    if (RungIs(problem, i, "method")) (void)snprintf(e->method, sizeof e->method, "%s", s->arg[0].text);
    if (RungIs(problem, i, "exact") && !e->exact[0]) {
      (void)snprintf(e->unknown, sizeof e->unknown, "%s", s->arg[0].text);
      (void)snprintf(e->exact, sizeof e->exact, "%s", s->arg[1].text);
    }
    if (RungIs(problem, i, "time")) {
      PetscCall(RungGetReal(problem, s, 0, &reference->start, &good));
      PetscCall(RungGetReal(problem, s, 1, &reference->end, &good));
      dt = (reference->end - reference->start) / 10;
      if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &dt, &good));
    }
    if (!RungIs(problem, i, "expect") || strcmp(s->arg[0].text, "error") != 0 || ladder) continue;
    PetscCall(RungGetReal(problem, s, 1, &error, &good));
    if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &rel, &good));
    reference->rounding = error * (1 + rel);
  }
  PetscCall(put_ladder(problem, dt, e));
  (void)snprintf(e->about, sizeof e->about, "%s", problem->title ? problem->title : "");
  *used = good && !problem->steps && !problem->mistakes && (e->exact[0] || ladder) && !RungHas(problem, "field") &&
              !RungHas(problem, "static")
            ? PETSC_TRUE
            : PETSC_FALSE; /* fields are filled, and initial values taken from elsewhere, by rung study alone */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_file(MPI_Comm comm, const char folder[], const char file[])
{
  Entry          *e = &entry[entries];
  const RungCase *known;
  RungProblem     problem;
  RungCase        reference;
  PetscInt        n;
  PetscBool       used = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(entries < MOST, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "\"%s/%s\" is one reference problem too many, there are %d of files already; name a smaller folder",
             folder, file, MOST);
  *e = (Entry){.name = ""};
  (void)snprintf(e->name, sizeof e->name, "%.*s", (int)(strlen(file) - 5), file);
  (void)snprintf(e->path, sizeof e->path, "%s/%s", folder, file);
  PetscCall(RungCaseGetAll(&n, &known));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(known[i].name, e->name)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungProblemCreate(comm, &problem));
  problem->listed = PETSC_TRUE;
  RungCallOrUndo(RungProblemRead(problem, e->path), PetscCall(RungProblemDestroy(&problem)));
  RungCallFinally(read_entry(problem, e, &reference, &used), PetscCall(RungProblemDestroy(&problem)));
  if (!used) PetscFunctionReturn(PETSC_SUCCESS);
  reference.name    = e->name;
  reference.about   = e->about;
  reference.file    = e->path;
  reference.unknown = e->unknown;
  reference.exact   = e->exact[0] ? e->exact : NULL;
  reference.ladder  = e->ladder;
  reference.method  = e->method[0] ? e->method : NULL;
  ++entries;
  PetscCall(RungCaseRegister(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- folders -------------------------------------------------------------------------------------------------------- */

static int is_problem(const struct dirent *d)
{
  const size_t n = strlen(d->d_name);

  return n > 5 && n < 60 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 5, ".rung");
}

/* share/rung/problems beside the folder of the library, or above that: lib, or lib/TRIPLET. */
static void find_installed(char folder[PETSC_MAX_PATH_LEN])
{
  char    own[PETSC_MAX_PATH_LEN / 2];
  Dl_info info;

  folder[0] = 0;
  if (!dladdr((void *)entry, &info) || !info.dli_fname || !realpath(info.dli_fname, folder)) return;
  (void)snprintf(own, sizeof own, "%.2000s", folder);
  folder[0] = 0;
  for (int up = 0; up < 3 && strrchr(own, '/'); ++up) {
    *strrchr(own, '/') = 0;
    (void)snprintf(folder, PETSC_MAX_PATH_LEN, "%s/share/rung/problems", own);
    if (!access(folder, R_OK)) return;
  }
  folder[0] = 0;
}

/* Rank 0 knows the names; the others get them. */
static PetscErrorCode read_folder(MPI_Comm comm, const char folder[], struct dirent **list, int n)
{
  PetscMPIInt rank;
  char        name[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
  for (int i = 0; i < n; ++i) {
    if (!rank) (void)snprintf(name, sizeof name, "%.63s", list[i]->d_name);
    PetscCallMPI(MPI_Bcast(name, (PetscMPIInt)sizeof name, MPI_CHAR, 0, comm));
    PetscCall(add_file(comm, folder, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseReadFiles(MPI_Comm comm, const char folder[])
{
  struct dirent **list = NULL;
  char            path[PETSC_MAX_PATH_LEN];
  int             n = 0;
  PetscMPIInt     rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (folder) PetscCall(PetscStrncpy(path, folder, sizeof path));
  if (!folder) find_installed(path);
  PetscCallMPI(MPI_Bcast(path, (PetscMPIInt)sizeof path, MPI_CHAR, 0, comm));
  if (!rank) n = scandir(path, &list, is_problem, alphasort);
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
  PetscCheck(n >= 0, comm, PETSC_ERR_FILE_OPEN, "the folder of problems \"%s\" cannot be read; name another one",
             path[0] ? path : "share/rung/problems");
  RungCallFinally(read_folder(comm, path, list, n), {
    for (int i = 0; i < n && list; ++i) free(list[i]);
    free(list);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}
