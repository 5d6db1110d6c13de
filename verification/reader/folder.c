/* folder.c - the folder that a run's results go to, its log and its summary.  Nothing is written over what is there. */
#include "reader_impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FOLDERS 100000

/* An empty folder may be used; "why" if not. */
static void take_folder(const char path[], char why[256])
{
  struct dirent *entry;
  DIR           *folder;
  PetscBool      empty = PETSC_TRUE;

  if (!mkdir(path, 0777)) return;
  if (errno != EEXIST) {
    (void)snprintf(why, 256, "%s", strerror(errno));
    return;
  }
  folder = opendir(path);
  if (!folder) {
    (void)snprintf(why, 256, "%s", strerror(errno));
    return;
  }
  while ((entry = readdir(folder))) empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
  (void)closedir(folder);
  if (!empty) (void)snprintf(why, 256, "it is there and holds files; nothing is written over them, take another name");
}

/* NAME.out, or NAME.out.2, ..: mkdir is what two runs at once agree by. */
static void take_next(const char name[], const char ending[], char path[PETSC_MAX_PATH_LEN], char why[256])
{
  for (int i = 1; i < MOST_FOLDERS; ++i) {
    (void)snprintf(path, PETSC_MAX_PATH_LEN, i > 1 ? "%.200s.%s.%d" : "%.200s.%s", name, ending, i);
    if (!mkdir(path, 0777)) return;
    if (errno != EEXIST) break;
  }
  (void)snprintf(why, 256, "%s", strerror(errno));
}

PetscErrorCode RungFolderMake(RungProblem problem, const char ending[])
{
  PetscMPIInt rank;
  char        name[256], why[256] = "";

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(problem->folder, problem->asked, sizeof problem->folder));
  if (!strcmp(problem->asked, "none")) {
    problem->folder[0] = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungProblemName(problem, name, sizeof name));
  PetscCallMPI(MPI_Comm_rank(problem->comm, &rank));
  if (!rank && problem->asked[0]) take_folder(problem->folder, why);
  if (!rank && !problem->asked[0]) take_next(name, ending, problem->folder, why);
  PetscCallMPI(MPI_Bcast(why, sizeof why, MPI_CHAR, 0, problem->comm));
  PetscCallMPI(MPI_Bcast(problem->folder, sizeof problem->folder, MPI_CHAR, 0, problem->comm));
  PetscCheck(!why[0], problem->comm, PETSC_ERR_FILE_OPEN, "folder \"%s\" for the results: %s", problem->folder, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFolderDrop(RungProblem problem)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(RungStepperDestroy(&problem->stepper));
  PetscCallMPI(MPI_Comm_rank(problem->comm, &rank));
  if (!rank && problem->folder[0]) (void)rmdir(problem->folder);
  problem->folder[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFolderPath(RungProblem problem, const char name[], char path[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, size, "%s%s%s", problem->folder, problem->folder[0] ? "/" : "", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- log ---------------------------------------------------------------------------------------------------------- */

static PetscErrorCode write_log(RungProblem problem, PetscViewer viewer)
{
  char        petsc[256], *options;
  const char *rung;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(problem->comm, &ranks));
  PetscCall(RungGetVersion(NULL, NULL, NULL, &rung));
  PetscCall(PetscGetVersion(petsc, sizeof petsc));
  PetscCall(PetscOptionsGetAll(NULL, &options));
  PetscCall(PetscViewerASCIIPrintf(viewer, "rung %s, %s\n", rung, petsc));
  if (problem->commit[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "commit: %s\n", problem->commit));
  PetscCall(PetscViewerASCIIPrintf(viewer, "command: %s\n", problem->command ? problem->command : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "options: %s\n", options));
  PetscCall(PetscViewerASCIIPrintf(viewer, "ranks: %d\n", ranks));
  PetscCall(PetscFree(options));
  for (PetscInt i = 0; i < problem->files; ++i)
    PetscCall(PetscViewerASCIIPrintf(viewer, "file: %s, %" PetscInt_FMT " bytes\n", problem->file[i].path,
                                     problem->file[i].size));
  PetscCall(RungMeshView(problem->mesh, viewer));
  PetscCall(RungSystemView(problem->sys, viewer));
  if (problem->fixed.said)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", problem->fixed.said->text));
  else
    PetscCall(RungStepperView(problem->stepper, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLogWrite(RungProblem problem)
{
  PetscViewer viewer;
  char        path[PETSC_MAX_PATH_LEN], name[96];

  PetscFunctionBegin;
  if (!problem->folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->step)
    PetscCall(PetscSNPrintf(name, sizeof name, "log_%.60s.txt", problem->step_name[problem->step]));
  else
    PetscCall(PetscSNPrintf(name, sizeof name, "log.txt"));
  PetscCall(RungFolderPath(problem, name, path, sizeof path));
  PetscCall(PetscViewerASCIIOpen(problem->comm, path, &viewer));
  RungCallFinally(write_log(problem, viewer), PetscCall(PetscViewerDestroy(&viewer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- summary ------------------------------------------------------------------------------------------------------ */

/* A string of JSON, whatever the bytes of a path or a name are. */
static PetscErrorCode put_text(FILE *file, const char text[])
{
  RungDraft quoted = {0};

  PetscFunctionBegin;
  PetscCall(RungDraftAddName(&quoted, RUNG_JSON, text));
  (void)fputs(quoted.text, file);
  PetscCall(RungDraftClear(&quoted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put_number(FILE *file, PetscReal value)
{
  if (PetscIsInfOrNanReal(value))
    (void)fputs("null", file);
  else
    (void)fprintf(file, "%.17g", (double)value);
}

/* "name": value, .. of the last row of the series, from a column on; "system.name" of a member of a group */
static PetscErrorCode put_quantities(FILE *file, RungProblem problem, PetscInt first, PetscInt *n)
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  for (PetscInt i = first; series->rows && i < series->n; ++i) {
    char name[2 * RUNG_NAME_LENGTH + 8];

    (void)snprintf(name, sizeof name, "%s%s%s", problem->group ? problem->step_name[problem->step] : "",
                   problem->group ? "." : "", series->name[i]);
    (void)fputs((*n)++ ? ",\n    " : "\n    ", file);
    PetscCall(put_text(file, name));
    (void)fputs(": ", file);
    put_number(file, series->value[(series->rows - 1) * series->n + i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_all(RungProblem problem, FILE *file, const RungStepperStatistics *statistics)
{
  const RungSeries *series = &RungMemberAt(problem, 0)->series;
  const char       *rung;
  PetscMPIInt       ranks;
  PetscInt          n = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(problem->comm, &ranks));
  PetscCall(RungGetVersion(NULL, NULL, NULL, &rung));
  (void)fputs("{\n  \"file\": ", file);
  PetscCall(put_text(file, problem->file[0].path));
  (void)fputs(",\n  \"title\": ", file);
  PetscCall(put_text(file, problem->title ? problem->title : ""));
  (void)fputs(",\n  \"command\": ", file);
  PetscCall(put_text(file, problem->command ? problem->command : ""));
  (void)fprintf(file, ",\n  \"version\": \"%s\",\n  \"method\": \"%s\",\n  \"ranks\": %d,\n  \"steps\": %" PetscInt_FMT,
                rung, problem->ran, ranks, statistics->steps);
  if (!problem->fixed.said && !problem->systems)
    (void)fprintf(
      file,
      ",\n  \"work\": {\"rejected\": %ld, \"failed\": %ld, \"newton\": %ld, \"linear\": %ld, \"residuals\": %ld, "
      "\"jacobians\": %ld, \"combinations\": %ld, \"factorisations\": %ld}",
      (long)statistics->rejected, (long)statistics->failed, (long)statistics->newton, (long)statistics->linear,
      (long)statistics->residuals, (long)statistics->jacobians, (long)statistics->combinations,
      (long)statistics->factorisations);
  (void)fputs(",\n  \"t\": ", file);
  put_number(file, series->rows ? series->t[series->rows - 1] : NAN);
  (void)fputs(",\n  \"quantities\": {", file);
  for (PetscInt i = 0; i < RungMembers(problem); ++i) PetscCall(put_quantities(file, RungMemberAt(problem, i), 0, &n));
  if (problem->systems) PetscCall(put_quantities(file, problem, problem->series.quantities, &n));
  (void)fputs("\n  },\n  \"tested\": [", file);
  for (PetscInt i = 0; i < problem->outcomes; ++i) {
    const RungOutcome *o = &problem->outcome[i];

    (void)fputs(i ? ",\n    {\"what\": " : "\n    {\"what\": ", file);
    PetscCall(put_text(file, o->what));
    (void)fputs(", \"value\": ", file);
    put_number(file, o->value);
    (void)fputs(", \"wanted\": ", file);
    put_number(file, o->wanted);
    (void)fputs(", \"allowed\": ", file);
    put_number(file, o->allowed);
    (void)fprintf(file, ", \"passed\": %s}",
                  o->tested && !problem->changed[0] ? (o->passed ? "true" : "false") : "null");
  }
  (void)fputs("\n  ]\n}\n", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSummaryWrite(RungProblem problem)
{
  RungStepperStatistics  statistics = {0};
  RungCouplingStatistics coupled    = {0};
  char                   path[PETSC_MAX_PATH_LEN], *bytes = NULL;
  size_t                 size = 0;
  FILE                  *file;
  RungCaught             caught;

  PetscFunctionBegin;
  if (!problem->folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->fixed.said)
    statistics.steps = problem->fixed.solutions;
  else if (!problem->systems)
    PetscCall(RungStepperGetStatistics(problem->stepper, &statistics));
  if (problem->coupling) PetscCall(RungCouplingGetStatistics(problem->coupling, NULL, &coupled));
  statistics.steps += coupled.steps;
  PetscCall(RungFolderPath(problem, "summary.json", path, sizeof path));
  file = open_memstream(&bytes, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the summary");
  RungCallFinally(put_all(problem, file, &statistics), {
    (void)fclose(file);
    if (rung_code_) free(bytes);
  });
  RungCallFinally(RungCatchWrite(problem->comm, path, size, bytes, &caught), free(bytes));
  if (caught.code) PetscCall(RungIncomplete(problem->comm, "%s", caught.message)); /* what it says is printed, too */
  PetscFunctionReturn(PETSC_SUCCESS);
}
