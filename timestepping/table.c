/* table.c - quantities at each accepted step, and the tables made of them. */
#include "step_impl.h"
#include <errno.h>
#include <unistd.h>

/* ---- quantities ------------------------------------------------------------------------------------------------- */

PetscErrorCode RungQuantitiesUpdate(RungStepper stepper)
{
  RungQuantities  *q = &stepper->quantities;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  if (!q->n || q->t == state->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(stepper->sys, state->t, state->u, q->value));
  q->t = state->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitiesStart(RungStepper stepper, PetscBool on)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->n && !on; ++i) q->integral[i] = q->before[i];
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

/* Level 0 has become a right limit: rates of the next step begin there. */
PetscErrorCode RungQuantitiesRenew(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungQuantitiesResume(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitiesStep(RungStepper stepper)
{
  PetscFunctionBegin;
  if (!stepper->quantities.always) PetscFunctionReturn(PETSC_SUCCESS);
  RungIntegralsStep(stepper);
  PetscCall(RungQuantitiesUpdate(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a quantity, or of a number, whose columns come behind. */
static PetscReal current(const RungQuantities *q, PetscInt i)
{
  if (i >= q->n) return q->number[i - q->n];
  return q->rate[i] ? q->integral[i] : q->value[i];
}

static PetscErrorCode find_quantity(RungStepper stepper, const char name[], PetscInt *number)
{
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
  *number = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetIntegral(RungStepper stepper, const char name[], PetscReal value)
{
  PetscInt i;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(find_quantity(stepper, name, &i));
  PetscCheck(stepper->quantities.rate[i], stepper->comm, PETSC_ERR_ARG_WRONG,
             "\"%s\" is no rate: it has no sum to begin with", name);
  stepper->quantities.before[i] = stepper->quantities.integral[i] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetQuantity(RungStepper stepper, const char name[], PetscReal *value)
{
  RungNeed(stepper);
  RungQuantities *q = &stepper->quantities;
  PetscInt        i;

  PetscFunctionBegin;
  RungNeedArgument(value);
  PetscCall(find_quantity(stepper, name, &i));
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

static void part_path(const char path[], char part[PETSC_MAX_PATH_LEN + 8])
{
  (void)snprintf(part, PETSC_MAX_PATH_LEN + 8, "%s.part", path);
}

PetscErrorCode RungTableForget(RungTableRecord table)
{
  PetscFunctionBegin;
  if (table->file) (void)fclose(table->file);
  table->file = NULL;
  table->open = table->written = table->drawn = PETSC_FALSE;
  table->missing.n                            = 0;
  for (PetscInt c = 0; c < table->columns; ++c) PetscCall(PetscFree(table->name[c]));
  table->columns = 0;
  PetscCall(PetscFree(table->name));
  PetscCall(PetscFree(table->quantity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableAddColumn(RungTableRecord table, const char name[], PetscInt quantity)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof *table->name * (size_t)(table->columns + 1), &table->name));
  PetscCall(PetscRealloc(sizeof *table->quantity * (size_t)(table->columns + 1), &table->quantity));
  PetscCall(PetscStrallocpy(name, &table->name[table->columns]));
  table->quantity[table->columns++] = quantity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableHead(RungTableRecord table, RungDraft *head)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head, "t"));
  for (PetscInt c = 0; c < table->columns; ++c) {
    PetscCall(RungDraftAdd(head, ","));
    PetscCall(RungDraftAddName(head, RUNG_CSV, table->name[c]));
  }
  PetscCall(RungDraftAdd(head, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file at its end, locked; NULL and errno. */
static FILE *open_locked(const char path[], PetscBool empty)
{
  const int file   = RungFileLock(path);
  FILE     *stream = NULL;

  if (file < 0) return NULL;
  if (!empty || ftruncate(file, 0) == 0) stream = fdopen(file, "a");
  if (!stream) (void)close(file);
  return stream;
}

static const char *reason(int code)
{
  return code == EWOULDBLOCK ? "another run is writing it" : strerror(code);
}

/* A column for each quantity; without rows. */
static PetscErrorCode open_file(RungStepper stepper, RungTableRecord table, char why[], size_t room)
{
  char      part[PETSC_MAX_PATH_LEN + 8];
  RungDraft head = {0};

  PetscFunctionBegin;
  part_path(table->path, part);
  for (PetscInt i = 0; i < stepper->quantities.n; ++i)
    PetscCall(RungTableAddColumn(table, stepper->quantities.name[i], i));
  for (PetscInt i = 0; i < stepper->quantities.numbers; ++i)
    PetscCall(RungTableAddColumn(table, stepper->quantities.number_name[i], stepper->quantities.n + i));
  PetscCall(RungTableHead(table, &head));
  table->file = open_locked(part, PETSC_TRUE);
  if (!table->file || fwrite(head.text, 1, head.length, table->file) != head.length || fflush(table->file))
    (void)snprintf(why, room, "%s", reason(errno));
  table->open = PETSC_TRUE;
  PetscCall(RungDraftClear(&head));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableOpen(RungStepper stepper, RungTableRecord table)
{
  char why[256] = "";

  PetscFunctionBegin;
  PetscCall(RungTableForget(table));
  if (is_writer(stepper)) PetscCall(open_file(stepper, table, why, sizeof why));
  RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN,
               "the table \"%s\" cannot be written: %s; take another place for it", table->path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableResume(RungStepper stepper, RungTableRecord table, PetscReal t)
{
  char      why[512] = "", note[1024] = "";
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungTableForget(table));
  if (is_writer(stepper))
    PetscCall(RungTableContinue(table, &stepper->quantities, t, &found, note, sizeof note, why, sizeof why));
  RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN, "the table \"%s\" cannot go on: %s", table->path, why);
  PetscCallMPI(MPI_Bcast(&found, 1, RUNG_MPI_BOOL, 0, stepper->comm));
  if (note[0]) PetscCall(RungNotice(PETSC_COMM_SELF, "the table \"%s\" %s", table->path, note));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTableOpen(stepper, table));
  PetscCall(RungTableRow(stepper, table, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row that was not written as a whole goes, with what the stream still holds of it. */
static void cut(RungTableRecord table, off_t whole)
{
  char part[PETSC_MAX_PATH_LEN + 8];

  part_path(table->path, part);
  (void)fclose(table->file);
  table->file = NULL;
  if (whole >= 0 && truncate(part, whole) != 0) (void)unlink(part);
}

static void print_row(RungTableRecord table, const RungQuantities *q, PetscReal t)
{
  fprintf(table->file, "%.15g", (double)t);
  for (PetscInt c = 0; c < table->columns; ++c) {
    fputc(',', table->file);
    if (table->quantity[c] >= 0) fprintf(table->file, "%.15g", (double)current(q, table->quantity[c]));
  }
  fputc('\n', table->file);
}

/* why: empty if the row is in the file.  After a row that the disk has refused the file is opened anew, behind its last row. */
static void write_row(RungTableRecord table, const RungQuantities *q, PetscReal t, char why[], size_t room)
{
  char  part[PETSC_MAX_PATH_LEN + 8];
  off_t whole;

  part_path(table->path, part);
  errno = 0;
  if (!table->file && RungFileIsOurs(part, RUNG_FILE_TABLE, why, room)) {
    table->file = access(part, F_OK) == 0 ? open_locked(part, PETSC_FALSE)
                                          : NULL; /* rows without a head are no table */
    if (!table->file) (void)snprintf(why, room, "%s", reason(errno));
  }
  if (!table->file) return;
  whole = fseeko(table->file, 0, SEEK_END) == 0 ? ftello(table->file) : -1;
  print_row(table, q, t);
  if (fflush(table->file) == 0 && !ferror(table->file)) return;
  (void)snprintf(why, room, "%s", strerror(errno ? errno : EIO));
  cut(table, whole);
}

/* Numbers of the newest level, of what the quantities are there. */
static PetscErrorCode make_numbers(RungQuantities *q, PetscReal t)
{
  PetscReal *value;

  PetscFunctionBegin;
  if (!q->numbers) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(q->n + q->numbers, &value));
  for (PetscInt i = 0; i < q->n; ++i) value[i] = current(q, i);
  PetscCall(RungNumbersEvaluate(q, t, value));
  for (PetscInt i = 0; i < q->numbers; ++i) q->number[i] = value[q->n + i];
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableRow(RungStepper stepper, RungTableRecord table, PetscReal t)
{
  char why[256] = "";

  PetscFunctionBegin;
  PetscCall(make_numbers(&stepper->quantities, t));
  if (table->open) write_row(table, &stepper->quantities, t, why, sizeof why);
  PetscCallMPI(MPI_Bcast(why, (PetscMPIInt)sizeof why, MPI_CHAR, 0, stepper->comm));
  if (why[0]) PetscCall(RungMissingAdd(stepper->comm, &table->missing, "row", table->path, t, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only a table that is there is finished: what the disk has refused of it is told. */
PetscErrorCode RungTableFinish(RungStepper stepper, RungTableRecord table)
{
  char part[PETSC_MAX_PATH_LEN + 8], why[256] = "";

  PetscFunctionBegin;
  part_path(table->path, part);
  if (table->open) {
    errno = 0;
    if ((table->file && fclose(table->file)) || rename(part, table->path))
      (void)snprintf(why, sizeof why, "%s", strerror(errno));
    table->file    = NULL;
    table->open    = PETSC_FALSE;
    table->written = why[0] ? PETSC_FALSE : PETSC_TRUE;
  }
  PetscCallMPI(MPI_Bcast(why, (PetscMPIInt)sizeof why, MPI_CHAR, 0, stepper->comm));
  if (why[0]) PetscCall(RungIncomplete(stepper->comm, "the table \"%s\" cannot be finished: %s", table->path, why));
  PetscCall(RungMissingTell(stepper->comm, &table->missing, "row", table->path));
  if (table->written) PetscCall(RungTableDraw(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableTellOpen(RungStepper stepper, RungTableRecord table)
{
  char part[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBegin;
  part_path(table->path, part);
  if (table->open && table->file)
    PetscCall(RungNotice(PETSC_COMM_SELF, "the rows of the table up to where the run has ended are in \"%s\"", part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
