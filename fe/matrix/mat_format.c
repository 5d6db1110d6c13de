/* mat_format.c - matrices of PETSc's types for a pattern: AIJ, BAIJ, SBAIJ, and all others by COO.

   The values of AIJ and BAIJ are lent by PETSc.  It lends those of a parallel SBAIJ on this rank's diagonal only: the
   other blocks, few, are kept here and set row by row when an insertion ends.  All other types get theirs as a list of
   coordinates, MatSetValuesCOO(), in the order of AIJ's arrays. */
#include <rungown_room.h>
#include "matrix_impl.h"

/* Words for the nearest spelling; PETSc knows more. */
static const char *const known[] = {"aij",  "baij",  "sbaij",   "shell",   "is",
                                    "sell", "dense", "aijperm", "aijsell", "hypre"};

/* "seqbaij" and "mpibaij" are "baij": which one is a matter of the communicator. */
static const char *root_of(const char type[])
{
  return !strncmp(type, "seq", 3) || !strncmp(type, "mpi", 3) ? type + 3 : type;
}

static PetscErrorCode is_known(const char type[], PetscBool *found)
{
  static const char *const before[] = {"", "seq", "mpi"};

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(MatInitializePackage());
  for (int i = 0; i < 3 && !*found; ++i) {
    char name[64];
    void (*create)(void);

    PetscCall(PetscSNPrintf(name, sizeof name, "%s%s", before[i], type));
    PetscCall(PetscFunctionListFind(MatList, name, &create));
    if (create) *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMatTypeCheck(MPI_Comm comm, const char type[])
{
  const char *near;
  PetscBool   found;

  PetscFunctionBegin;
  PetscCall(is_known(root_of(type), &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(type, sizeof known / sizeof known[0], known, &near));
  SETERRQ(comm, PETSC_ERR_ARG_WRONG,
          "matrix type \"%s\", wanted aij, baij, sbaij, shell or another type of PETSc%s%s%s", type,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

PetscErrorCode RungFormatFind(RungLayout layout, const char type[], RungMatFormat *format, char name[], size_t size)
{
  const char *root = root_of(type);

  PetscFunctionBegin;
  PetscCall(RungMatTypeCheck(layout->data.comm, type));
  *format = !strcmp(root, MATAIJ)     ? RUNG_MAT_AIJ
            : !strcmp(root, MATBAIJ)  ? RUNG_MAT_BAIJ
            : !strcmp(root, MATSBAIJ) ? RUNG_MAT_SBAIJ
                                      : RUNG_MAT_COO;
  PetscCheck(*format == RUNG_MAT_AIJ || *format == RUNG_MAT_COO || layout->data.unknowns == 1, layout->data.comm,
             PETSC_ERR_SUP,
             "matrices of type %s have blocks of one size, those of the components of one unknown, but there are "
             "%" PetscInt_FMT " unknowns; take aij",
             root, layout->data.unknowns);
  PetscCall(PetscStrncpy(name, root, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static PetscBool on_one_rank(const RungPattern p)
{
  PetscMPIInt size = 1;

  (void)MPI_Comm_size(p->layout->data.comm, &size);
  return size == 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* The sequential matrices that hold the parts, NULL where this room holds them or there are none. */
static PetscErrorCode get_parts(RungPattern p, Mat J, Mat part[2])
{
  PetscFunctionBegin;
  part[0] = J;
  part[1] = NULL;
  if (p->format == RUNG_MAT_COO)
    part[0] = NULL;
  else if (on_one_rank(p))
    PetscFunctionReturn(PETSC_SUCCESS);
  else if (p->format == RUNG_MAT_AIJ)
    PetscCall(MatMPIAIJGetSeqAIJ(J, &part[0], &part[1], NULL));
  else if (p->format == RUNG_MAT_BAIJ)
    PetscCall(MatMPIBAIJGetSeqBAIJ(J, &part[0], &part[1], NULL));
  else
    PetscCall(MatGetDiagonalBlock(J, &part[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is stashed: spare the ranks a round of messages, for this assembly only. */
static PetscErrorCode finish_assembly(Mat J)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(J, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(J, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- creation --------------------------------------------------------------------------------------------------- */

/* Rows of SBAIJ on one rank, with blocks of one number: PETSc takes all columns at once, where it would else look for a place for
   each of them, a third of the time that the pattern needs. */
static PetscErrorCode set_upper_scalars(PetscInt rows, const PetscInt start[], PetscInt column[], Mat J)
{
  PetscInt *length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(rows, &length));
  for (PetscInt r = 0; r < rows; ++r) length[r] = start[r + 1] - start[r];
  PetscCall(MatSeqSBAIJSetPreallocation(J, 1, 0, length));
  PetscCall(MatSeqSBAIJSetColumnIndices(J, column));
  PetscCall(PetscFree(length));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(J, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* upper: rows from the diagonal on */
static PetscErrorCode set_blocks(RungPattern p, PetscBool upper, Mat J)
{
  const PetscInt n = p->uniform, first = p->layout->data.start / n, *row_start = p->row_start, *column = p->column;
  PetscInt      *start, *block, next = 0;

  PetscFunctionBegin;
  if (!upper) {
    PetscCall(MatSeqBAIJSetPreallocationCSR(J, n, row_start, column, NULL));
    PetscCall(MatMPIBAIJSetPreallocationCSR(J, n, row_start, column, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc2(p->owned + 1, &start, row_start[p->owned], &block));
  for (PetscInt r = 0; r < p->owned; ++r) {
    start[r] = next;
    for (PetscInt k = row_start[r]; k < row_start[r + 1]; ++k)
      if (column[k] >= first + r) block[next++] = column[k];
  }
  start[p->owned] = next;
  if (!on_one_rank(p))
    PetscCall(MatMPISBAIJSetPreallocationCSR(J, n, start, block, NULL));
  else if (n == 1)
    PetscCall(set_upper_scalars(p->owned, start, block, J));
  else { /* whole rows of blocks at once, which PETSc takes by columns alone; their values are zeros */
    PetscCall(MatSetOption(J, MAT_ROW_ORIENTED, PETSC_FALSE));
    PetscCall(MatSeqSBAIJSetPreallocationCSR(J, n, start, block, NULL));
    PetscCall(MatSetOption(J, MAT_ROW_ORIENTED, PETSC_TRUE));
  }
  PetscCall(PetscFree2(start, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where part 0, then part 1 of the values go. */
static PetscErrorCode list_coordinates(const RungPattern p, PetscInt row[], PetscInt column[])
{
  const RungLayoutData *data = &p->layout->data;
  PetscInt              n    = 0;

  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part)
    for (PetscInt r = 0; r < data->owned; ++r)
      for (PetscInt k = p->row_start[r]; k < p->row_start[r + 1]; ++k) {
        const PetscBool owned = p->column[k] >= data->start && p->column[k] < data->start + data->owned;

        if ((part == 0) != owned) continue;
        row[n]      = data->start + r;
        column[n++] = p->column[k];
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MATIS keeps the rows and columns of a rank in a numbering of its own. */
static PetscErrorCode set_numbering(const RungPattern p, Mat J)
{
  const RungLayoutData  *data = &p->layout->data;
  PetscInt               n    = p->row_start[data->owned], *dof;
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &dof));
  PetscCall(PetscArraycpy(dof, p->column, n));
  PetscCall(PetscSortRemoveDupsInt(&n, dof));
  PetscCall(ISLocalToGlobalMappingCreate(data->comm, 1, n, dof, PETSC_OWN_POINTER, &map));
  PetscCall(MatSetLocalToGlobalMapping(J, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc makes room for coordinates in all types but SELL. */
static PetscErrorCode make_room(const RungPattern p, Mat J)
{
  const RungLayoutData *data = &p->layout->data;
  PetscInt             *owned, *other;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(data->owned, &owned, data->owned, &other));
  for (PetscInt r = 0; r < data->owned; ++r)
    for (PetscInt k = p->row_start[r]; k < p->row_start[r + 1]; ++k)
      ++(p->column[k] >= data->start && p->column[k] < data->start + data->owned ? owned : other)[r];
  PetscCall(MatSeqSELLSetPreallocation(J, 0, owned));
  PetscCall(MatMPISELLSetPreallocation(J, 0, owned, 0, other));
  PetscCall(PetscFree2(owned, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_coordinates(const RungPattern p, Mat J)
{
  const PetscInt n = p->entries[0] + p->entries[1];
  PetscInt      *row, *column;
  PetscErrorCode error;
  PetscBool      is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATIS, &is));
  if (is) PetscCall(set_numbering(p, J));
  PetscCall(make_room(p, J));
  PetscCall(PetscMalloc2(n, &row, n, &column));
  PetscCall(list_coordinates(p, row, column));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  error = MatSetPreallocationCOO(J, n, row, column);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscFree2(row, column));
  PetscCheck(!error, p->layout->data.comm, PETSC_ERR_SUP,
             "matrices of type %s take no list of entries (PETSc's error %d); take aij, baij, sbaij or shell", p->type,
             (int)error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMatBegin(MPI_Comm comm, PetscInt rows, PetscInt block, MatType type, Mat *J)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm, J));
  PetscCall(MatSetSizes(*J, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  if (block) PetscCall(MatSetBlockSize(*J, block));
  RungCallOrUndo(MatSetType(*J, type), *J = NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mat(const RungPattern p, MatType type, Mat *J)
{
  const RungLayoutData *data = &p->layout->data;

  PetscFunctionBegin;
  PetscCall(RungMatBegin(data->comm, data->owned,
                         data->unknowns == 1 && p->format != RUNG_MAT_COO ? p->components[0] : 0, type, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays that a sequential matrix reads and that end with it. */
typedef struct {
  PetscInt    *start;  /* owned, of PetscMalloc1()      */
  PetscInt    *column; /* owned, of RungScratch1()      */
  PetscScalar *value;  /* owned, of RungScratchZeros()  */
} Rows;

static PetscErrorCode free_rows(RungContainerArg arg)
{
  Rows *rows = RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(PetscFree(rows->start));
  PetscCall(RungScratchFree(&rows->column));
  PetscCall(RungScratchFree(&rows->value));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hand_over(Mat J, Rows rows)
{
  RUNG_OWNED(PetscContainerDestroy) PetscContainer container = NULL; /* J has it, too */
  Rows                                            *kept;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscNew(&kept));
  *kept = rows;
  PetscCall(PetscContainerSetPointer(container, kept));
  PetscCall(PetscContainerSetCtxDestroy(container, free_rows));
  PetscCall(PetscObjectCompose((PetscObject)J, "rung_rows", (PetscObject)container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc would make room from the lengths of rows, so that each list of columns was there twice: a third of the matrix.
   Values are pages that nobody has touched, which are zero: the first assembly is the first to write them. */
PetscErrorCode RungFormatCreateRows(RungPattern p, PetscInt *start[2], PetscInt *column[2], Mat *J)
{
  const RungLayoutData *data = &p->layout->data;
  const PetscInt        n = data->owned, block = data->unknowns == 1 ? p->components[0] : 1;
  const int             parts = on_one_rank(p) ? 1 : 2;
  Rows                  rows[2];
  Mat                   part[2];

  PetscFunctionBegin;
  for (int i = 0; i < parts; ++i) {
    PetscCall(RungScratchZeros((size_t)start[i][n] * sizeof *rows[i].value, (void **)&rows[i].value));
    rows[i].start  = start[i];
    rows[i].column = column[i];
    start[i] = column[i] = NULL;
  }
  if (parts == 1)
    PetscCall(MatCreateSeqAIJWithArrays(data->comm, n, n, rows[0].start, rows[0].column, rows[0].value, J));
  else
    PetscCall(MatCreateMPIAIJWithSplitArrays(data->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, rows[0].start,
                                             rows[0].column, rows[0].value, rows[1].start, rows[1].column,
                                             rows[1].value, J));
  PetscCall(get_parts(p, *J, part));
  for (int i = 0; i < parts; ++i) PetscCall(hand_over(part[i], rows[i]));
  PetscCall(MatSetBlockSize(*J, block));
  for (int i = 0; i < parts; ++i) PetscCall(MatSetBlockSizes(part[i], block, i ? 1 : block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormatCreateMat(RungPattern p, Mat *J)
{
  PetscFunctionBegin;
  PetscCall(create_mat(p, p->type, J));
  if (RungPatternHasBlocks(p))
    PetscCall(set_blocks(p, p->format == RUNG_MAT_SBAIJ, *J));
  else
    PetscCall(set_coordinates(p, *J));
  if (p->format == RUNG_MAT_COO || (p->format == RUNG_MAT_SBAIJ && !on_one_rank(p))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(p->row_start));
  PetscCall(RungScratchFree(&p->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* COO wants both parts in one array. */
PetscErrorCode RungFormatStage(RungPattern p, PetscScalar *staged[2])
{
  PetscFunctionBegin;
  staged[0] = staged[1] = NULL;
  if (p->format == RUNG_MAT_COO) {
    PetscCall(PetscCalloc1(p->entries[0] + p->entries[1] + 1, &staged[0]));
    staged[1] = staged[0] + p->entries[0];
  } else if (p->format == RUNG_MAT_SBAIJ && !on_one_rank(p)) {
    PetscCall(PetscCalloc1(p->entries[1] + 1, &staged[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's duplicates of SBAIJ lose the products for the size of their blocks, and with them most of the speed. */
PetscErrorCode RungFormatDuplicated(RungPattern p, Mat J, Mat copy)
{
  static const MatOperation product[] = {MATOP_MULT, MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD};
  Mat                       part[2][2];

  PetscFunctionBegin;
  if (p->format != RUNG_MAT_SBAIJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_parts(p, J, part[0]));
  PetscCall(get_parts(p, copy, part[1]));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(product); ++i) {
    void (*f)(void);

    PetscCall(MatGetOperation(part[0][0], product[i], &f));
    PetscCall(MatSetOperation(part[1][0], product[i], f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormatLend(RungPattern p, Mat J, PetscScalar *const staged[2], PetscScalar *value[2])
{
  Mat part[2];

  PetscFunctionBegin;
  PetscCall(get_parts(p, J, part));
  for (int i = 0; i < 2; ++i) {
    value[i] = staged[i];
    if (!part[i]) continue;
    if (p->format == RUNG_MAT_AIJ)
      PetscCall(MatSeqAIJGetArray(part[i], &value[i]));
    else if (p->format == RUNG_MAT_BAIJ)
      PetscCall(MatSeqBAIJGetArray(part[i], &value[i]));
    else
      PetscCall(MatSeqSBAIJGetArray(part[i], &value[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of dofs only.  The state of the matrix stays, and its arrays stay where they are as long as it lives. */
PetscErrorCode RungFormatLendRead(RungPattern p, Mat J, PetscScalar *const staged[2], const PetscScalar *value[2])
{
  Mat part[2];

  PetscFunctionBegin;
  PetscCall(get_parts(p, J, part));
  for (int i = 0; i < 2; ++i) {
    const PetscScalar *read;

    value[i] = staged[i];
    if (!part[i]) continue;
    PetscCall(MatSeqAIJGetArrayRead(part[i], &read));
    value[i] = read;
    PetscCall(MatSeqAIJRestoreArrayRead(part[i], &read));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormatReturn(RungPattern p, Mat J, PetscScalar *const staged[2], PetscScalar *value[2])
{
  Mat part[2];

  PetscFunctionBegin;
  (void)staged;
  PetscCall(get_parts(p, J, part));
  for (int i = 0; i < 2; ++i) {
    if (!part[i]) continue;
    if (p->format == RUNG_MAT_AIJ)
      PetscCall(MatSeqAIJRestoreArray(part[i], &value[i]));
    else if (p->format == RUNG_MAT_BAIJ)
      PetscCall(MatSeqBAIJRestoreArray(part[i], &value[i]));
    else
      PetscCall(MatSeqSBAIJRestoreArray(part[i], &value[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks beside the diagonal part, a row at a time: they lie as PETSc reads columns. */
static PetscErrorCode set_beside(RungPattern p, Mat J, const PetscScalar value[])
{
  const RungLayoutData *data = &p->layout->data;
  const PetscInt        n    = p->uniform;
  PetscInt             *block;

  PetscFunctionBegin;
  PetscCall(MatSetOption(J, MAT_ROW_ORIENTED, PETSC_FALSE));
  PetscCall(PetscMalloc1(p->entries[1] / (n * n) + 1, &block));
  for (PetscInt r = 0; r < p->owned; ++r) {
    const PetscInt row   = data->start / n + r;
    PetscInt       count = 0;

    for (PetscInt k = p->row_start[r]; k < p->row_start[r + 1]; ++k)
      if (p->column[k] >= data->start / n + p->owned) block[count++] = p->column[k];
    if (count) PetscCall(MatSetValuesBlocked(J, 1, &row, count, block, value + p->start[1][r], INSERT_VALUES));
  }
  PetscCall(PetscFree(block));
  PetscCall(MatSetOption(J, MAT_ROW_ORIENTED, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormatFinish(RungPattern p, Mat J, PetscScalar *const staged[2])
{
  PetscFunctionBegin;
  if (p->format == RUNG_MAT_COO) {
    PetscCall(MatSetValuesCOO(J, staged[0], INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (p->format == RUNG_MAT_SBAIJ && staged[1]) PetscCall(set_beside(p, J, staged[1]));
  PetscCall(finish_assembly(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}
