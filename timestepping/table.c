/* table.c - quantities at each accepted step, integrals of rates, and the tables and pictures made of them.

   A rate's integral is the trapezoidal rule over accepted steps: each adds h (r_n + r_n+1)/2. */
#include "step_impl.h"
#include <errno.h>
#include <unistd.h>

/* ---- quantities ------------------------------------------------------------------------------------------------- */

PetscErrorCode RungQuantitiesUpdate(RungStepper stepper)
{
  RungQuantities  *q = &stepper->quantities;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (!q->n || q->t == state->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemEvaluateQuantities(stepper->sys, state->t, state->u, q->value));
  q->t = state->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitiesStart(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->n; ++i) q->integral[i] = 0;
  q->t = NAN;
  if (q->always) PetscCall(RungQuantitiesUpdate(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitiesResume(RungStepper stepper)
{
  PetscFunctionBegin;
  stepper->quantities.t = NAN;
  if (stepper->quantities.always) PetscCall(RungQuantitiesUpdate(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitiesStep(RungStepper stepper)
{
  RungQuantities  *q = &stepper->quantities;
  const RungState *from, *to;

  PetscFunctionBegin;
  if (!q->always) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
  for (PetscInt i = 0; i < q->n; ++i) q->integral[i] += (to->t - from->t) / 2 * q->value[i];
  PetscCall(RungQuantitiesUpdate(stepper));
  for (PetscInt i = 0; i < q->n; ++i) q->integral[i] += (to->t - from->t) / 2 * q->value[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal current(const RungQuantities *q, PetscInt i)
{
  return q->rate[i] ? q->integral[i] : q->value[i];
}

PetscErrorCode RungStepperGetQuantity(RungStepper stepper, const char name[], PetscReal *value)
{
  RungNeed(stepper);
  RungQuantities *q = &stepper->quantities;
  const char     *nearest;
  PetscInt        i = 0;

  PetscFunctionBegin;
  PetscCheck(name, stepper->comm, PETSC_ERR_ARG_NULL, "a quantity without a name");
  PetscCall(RungStepperSetUp(stepper));
  while (i < q->n && strcmp(q->name[i], name) != 0) ++i;
  if (i == q->n) {
    PetscCall(RungSuggest(name, q->n, q->name, &nearest));
    SETERRQ(stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "the system has no quantity \"%s\"%s%s%s", name,
            nearest ? "; did you mean \"" : ", add it to the system", nearest ? nearest : "", nearest ? "\"" : "");
  }
  PetscCall(RungQuantitiesUpdate(stepper));
  *value = current(q, i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static PetscBool is_writer(RungStepper stepper)
{
  PetscMPIInt rank;

  return MPI_Comm_rank(stepper->comm, &rank) == MPI_SUCCESS && !rank ? PETSC_TRUE : PETSC_FALSE;
}

/* A name with a comma or a quote is quoted, quotes are doubled (RFC 4180). */
static void print_name(FILE *file, const char name[])
{
  if (!strpbrk(name, ",\"\n")) {
    fputs(name, file);
    return;
  }
  fputc('"', file);
  for (const char *c = name; *c; ++c) {
    if (*c == '"') fputc('"', file);
    fputc(*c, file);
  }
  fputc('"', file);
}

static void part_path(const char path[], char part[PETSC_MAX_PATH_LEN + 8])
{
  (void)snprintf(part, PETSC_MAX_PATH_LEN + 8, "%s.part", path);
}

static void print_head(FILE *file, const RungQuantities *q)
{
  fputc('t', file);
  for (PetscInt i = 0; i < q->n; ++i) {
    fputc(',', file);
    print_name(file, q->name[i]);
  }
  fputc('\n', file);
}

static PetscErrorCode open_file(RungStepper stepper, RungTableRecord table, const char path[])
{
  char why[256] = "";

  PetscFunctionBegin;
  if (is_writer(stepper) && RungFileMayReplace(table->path, why, sizeof why)) {
    if (table->file) (void)fclose(table->file);
    table->file = fopen(path, "w");
    if (table->file)
      print_head(table->file, &stepper->quantities);
    else
      (void)snprintf(why, sizeof why, "%s", strerror(errno));
  }
  RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN,
               "the table %s cannot be written: %s; take another place for it", table->path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableOpen(RungStepper stepper, RungTableRecord table)
{
  char part[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBegin;
  part_path(table->path, part);
  PetscCall(open_file(stepper, table, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole text of a file, NULL if there is none; free(). */
static char *read_whole(const char path[])
{
  FILE *file = fopen(path, "r");
  char *text = NULL;
  long  size;

  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = (char *)malloc((size_t)size + 1);
    if (text) text[fread(text, 1, (size_t)size, file)] = '\0';
  }
  (void)fclose(file);
  return text;
}

/* Rows of an earlier file with the same head, whole and up to t. */
static void copy_rows(FILE *to, const char head[], const char text[], PetscReal t)
{
  const char *line = text, *end;

  if (strncmp(text, head, strlen(head)) != 0) return;
  for (line += strlen(head); (end = strchr(line, '\n')); line = end + 1) {
    if (strtod(line, NULL) > (double)t) return;
    (void)fwrite(line, 1, (size_t)(end + 1 - line), to);
  }
}

/* The text of `path` with its rows up to t is in `fresh`, which takes its place when it is on the disk: whoever is killed
   here leaves the old one or the new one. */
static PetscErrorCode replace(RungStepper stepper, RungTableRecord table, const char text[], PetscReal t,
                              const char fresh[], const char part[])
{
  char  *head = NULL;
  size_t size;
  FILE  *stream;
  int    code = 0;

  PetscFunctionBegin;
  PetscCall(open_file(stepper, table, fresh));
  if (table->file) {
    errno  = 0;
    stream = open_memstream(&head, &size);
    if (stream) print_head(stream, &stepper->quantities);
    if (stream) (void)fclose(stream);
    if (text && head) copy_rows(table->file, head, text, t);
    free(head);
    if (fflush(table->file) || fsync(fileno(table->file)) || rename(fresh, part)) code = errno ? errno : EIO;
  }
  RungCheckAll(!code, stepper->comm, PETSC_ERR_FILE_WRITE,
               "the table %s cannot be written: %s; take another place for it", table->path, strerror(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableResume(RungStepper stepper, RungTableRecord table, PetscReal t)
{
  char part[PETSC_MAX_PATH_LEN + 8], fresh[PETSC_MAX_PATH_LEN + 16], *text = NULL;
  int  found = 0;

  PetscFunctionBegin;
  part_path(table->path, part);
  (void)snprintf(fresh, sizeof fresh, "%s.new", part);
  if (is_writer(stepper)) { /* a run that was killed leaves .part, one that ended leaves the table */
    text = read_whole(part);
    if (!text) text = read_whole(table->path);
  }
  PetscCall(replace(stepper, table, text, t + 1e-14 * PetscAbsReal(t), fresh, part));
  found = text ? 1 : 0;
  free(text);
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, stepper->comm));
  if (!found) PetscCall(RungTableRow(stepper, table, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row that was not written as a whole goes, with what the stream still holds of it. */
static void cut(RungTableRecord table, off_t whole)
{
  char part[PETSC_MAX_PATH_LEN + 8];

  part_path(table->path, part);
  (void)fclose(table->file);
  table->file = NULL;
  if (whole >= 0 && truncate(part, whole) != 0) (void)remove(part);
}

PetscErrorCode RungTableRow(RungStepper stepper, RungTableRecord table, PetscReal t)
{
  const RungQuantities *q    = &stepper->quantities;
  int                   code = 0;

  PetscFunctionBegin;
  if (table->file) {
    const off_t whole = ftello(table->file);

    errno = 0;
    fprintf(table->file, "%.15g", (double)t);
    for (PetscInt i = 0; i < q->n; ++i) fprintf(table->file, ",%.15g", (double)current(q, i));
    fputc('\n', table->file);
    if (fflush(table->file) || ferror(table->file)) {
      code = errno ? errno : EIO;
      cut(table, whole);
    }
  }
  RungCheckAll(!code, stepper->comm, PETSC_ERR_FILE_WRITE,
               "a row of the table %s at t = %g cannot be written: %s; make room, or take another place for it",
               table->path, (double)t, strerror(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One diagram a quantity, one under the other: their units have nothing in common. */
static PetscErrorCode plot(RungStepper stepper, const char csv[])
{
  const RungQuantities *q    = &stepper->quantities;
  const size_t          room = 1024 + (size_t)q->n * (PETSC_MAX_PATH_LEN + 256);
  char                  png[PETSC_MAX_PATH_LEN], *dot, *script;
  size_t                used;

  PetscFunctionBegin;
  if (!q->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(png, csv, sizeof png));
  dot = strrchr(png, '.');
  if (dot && !strcmp(dot, ".csv")) *dot = '\0';
  PetscCall(PetscStrlcat(png, ".png", sizeof png));
  PetscCall(PetscMalloc1(room, &script));
  used = (size_t)snprintf(
    script, room, "set datafile separator ','\nset grid\nset xlabel 't'\nset multiplot layout %d,1\n", (int)q->n);
  for (PetscInt i = 0; i < q->n && used < room; ++i) {
    used += (size_t)snprintf(script + used, room - used,
                             "set ylabel \"%s\" noenhanced\nplot '%s' using 1:%d every ::1 with lines notitle\n",
                             q->name[i], csv, (int)i + 2);
  }
  if (used < room) (void)snprintf(script + used, room - used, "unset multiplot\n");
  PetscCall(RungPlot(stepper->comm, png, script));
  PetscCall(PetscFree(script));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableFinish(RungStepper stepper, RungTableRecord table)
{
  char part[PETSC_MAX_PATH_LEN + 8];
  int  code = 0;

  PetscFunctionBegin;
  part_path(table->path, part);
  if (table->file) {
    if (fclose(table->file) || rename(part, table->path)) code = errno;
    table->file = NULL;
  }
  RungCheckAll(!code, stepper->comm, PETSC_ERR_FILE_WRITE, "the table %s cannot be finished: %s", table->path,
               strerror(code));
  PetscCall(plot(stepper, table->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
