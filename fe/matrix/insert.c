/* insert.c - dense cell blocks into a matrix: no search, no MatSetValues, straight into the value arrays.

   What insertion needs hangs on the matrix itself, as a composed container; MatDuplicate hands it on (the operation is
   wrapped), so a copy made before or after an assembly can be inserted into like the original. */
#include <rungown_room.h>
#include "matrix_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

#define ATTACHMENT "rung_pattern"

typedef PetscErrorCode DuplicateFn(Mat J, MatDuplicateOption option, Mat *copy);

typedef struct {
  RungPattern      pattern;   /* referenced                                        */
  PetscObjectState nonzero;   /* the pattern that the positions belong to          */
  DuplicateFn     *duplicate; /* the type's own                                    */
  PetscScalar     *staged[2]; /* owned, of RungFormatStage()                       */
  PetscObjectState state;     /* of the matrix when they were last set             */
  /* what the values began as when they were last set: sum of weight K, outside what `some` says nothing was added */
  PetscInt         base;
  PetscReal        weight[3];
  PetscObjectId    id[3];
  PetscObjectState of[3]; /* states of K                                       */
  PetscInt         some;  /* its number; 0: not known                          */
} Attachment;

static PetscErrorCode free_attachment(RungContainerArg arg)
{
  Attachment *a = RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(PetscFree(a->staged[a->staged[0] ? 0 : 1])); /* one allocation, or none */
  PetscCall(RungPatternDestroy(&a->pattern));
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_attachment(Mat J, Attachment **a)
{
  PetscContainer container;

  PetscFunctionBegin;
  *a = NULL;
  PetscCall(PetscObjectQuery((PetscObject)J, ATTACHMENT, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc makes other matrices under J's methods (multigrid's graphs) on which nothing hangs: those of their type again. */
static PetscErrorCode duplicate_plain(Mat J, MatDuplicateOption option, Mat *copy)
{
  MatType type;
  Mat     other;
  void (*duplicate)(void);

  PetscFunctionBegin;
  PetscCall(MatGetType(J, &type));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)J), &other));
  PetscCall(MatSetType(other, type));
  PetscCall(MatGetOperation(other, MATOP_DUPLICATE, &duplicate));
  PetscCall(MatDestroy(&other));
  PetscCall(MatSetOperation(J, MATOP_DUPLICATE, duplicate));
  PetscCall(((PetscErrorCode(*)(Mat, MatDuplicateOption, Mat *))duplicate)(J, option, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode duplicate_attached(Mat J, MatDuplicateOption option, Mat *copy);

static PetscErrorCode attach(Mat J, RungPattern pattern)
{
  RUNG_OWNED(PetscContainerDestroy) PetscContainer container = NULL; /* J has it, too */
  Attachment                                      *a;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)J), &container));
  PetscCall(PetscNew(&a));
  PetscCall(PetscContainerSetPointer(container, a));
  PetscCall(PetscContainerSetCtxDestroy(container, free_attachment));
  a->pattern = pattern;
  ++pattern->refct;
  PetscCall(RungFormatStage(pattern, a->staged));
  PetscCall(MatGetNonzeroState(J, &a->nonzero));
  PetscCall(MatGetOperation(J, MATOP_DUPLICATE, (void (**)(void)) & a->duplicate));
  PetscCall(MatSetOperation(J, MATOP_DUPLICATE, (void (*)(void))duplicate_attached));
  PetscCall(PetscObjectCompose((PetscObject)J, ATTACHMENT, (PetscObject)container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are no part of what PETSc duplicates: a new matrix of the type. */
static PetscErrorCode duplicate_coordinates(Mat J, RungPattern pattern, MatDuplicateOption option, Mat *copy)
{
  PetscFunctionBegin;
  PetscCall(RungFormatCreateMat(pattern, copy));
  if (option == MAT_COPY_VALUES) PetscCall(MatCopy(J, *copy, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode duplicate_attached(Mat J, MatDuplicateOption option, Mat *copy)
{
  Attachment *a, *b;

  PetscFunctionBegin;
  PetscCall(find_attachment(J, &a));
  if (!a) {
    PetscCall(duplicate_plain(J, option, copy));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->pattern->format == RUNG_MAT_COO)
    PetscCall(duplicate_coordinates(J, a->pattern, option, copy));
  else
    PetscCall(a->duplicate(J, option, copy));
  PetscCall(RungFormatDuplicated(a->pattern, J, *copy));
  PetscCall(attach(*copy, a->pattern));
  PetscCall(find_attachment(*copy, &b));
  for (int i = 0; b && i < 2; ++i)
    if (a->staged[i]) PetscCall(PetscArraycpy(b->staged[i], a->staged[i], a->pattern->entries[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool symmetric_coupling(PetscInt n, const PetscBool couple[])
{
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt g = 0; g < f; ++g)
      if (couple[f * n + g] != couple[g * n + f]) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RungLayoutCreateMatOfType(RungLayout layout, const char type[], const PetscBool couple[],
                                         const PetscBool fixed[], Mat *J)
{
  RungNeed(layout);
  const RungLayoutData                      *data = &layout->data;
  RungMatFormat                              format;
  RUNG_OWNED(RungPatternDestroy) RungPattern pattern = NULL;
  RUNG_OWNED(MatDestroy) Mat                 mat     = NULL;
  char                                       name[32];

  PetscFunctionBegin;
  PetscCall(RungFormatFind(layout, type, &format, name, sizeof name));
  PetscCall(RungPatternCreate(layout, format, couple, fixed, &pattern, &mat));
  PetscCall(PetscStrncpy(pattern->type, name, sizeof pattern->type));
  PetscCall(RungFacetsPack(pattern));
  PetscCall(RungPagesCreate(pattern));
  PetscCall(RungTilesCreate(pattern, pattern->couple, &pattern->tiles, &pattern->tile));
  if (!mat) PetscCall(RungFormatCreateMat(pattern, &mat));
  if (format != RUNG_MAT_COO) PetscCall(MatSetOption(mat, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  if (format != RUNG_MAT_COO) PetscCall(MatSetOption(mat, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  if (symmetric_coupling(data->unknowns, couple) &&
      (!layout->facet_couple || symmetric_coupling(data->unknowns, layout->facet_couple))) {
    /* PETSc's nested dissection never ends on a pattern that is said to be symmetric and is not */
    PetscCall(MatSetOption(mat, MAT_STRUCTURALLY_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(mat, MAT_STRUCTURAL_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscCall(attach(mat, pattern));
  *J  = mat;
  mat = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutCreateMat(RungLayout layout, const PetscBool couple[], const PetscBool fixed[], Mat *J)
{
  PetscFunctionBegin;
  RungNeed(layout);
  RungNeedArgument(couple);
  RungNeedArgument(J);
  PetscCall(RungLayoutCreateMatOfType(layout, MATAIJ, couple, fixed, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lends the value arrays of J to layout->insertion. */
static PetscErrorCode open_mat(RungLayout layout, Mat J)
{
  RungInsertion   *insertion = &layout->insertion;
  Attachment      *a;
  PetscObjectState nonzero;
  PetscScalar     *value[2];

  PetscFunctionBegin;
  PetscCheck(!insertion->J, layout->data.comm, PETSC_ERR_ORDER,
             "insertion into another matrix of this layout is open; end it first");
  PetscCall(find_attachment(J, &a));
  PetscCheck(a && a->pattern->layout == layout, layout->data.comm, PETSC_ERR_ARG_WRONG,
             "insertion into a matrix that this layout did not make; use RungLayoutCreateMat() or a duplicate of its "
             "matrix");
  PetscCall(MatGetNonzeroState(J, &nonzero));
  PetscCheck(
    nonzero == a->nonzero || a->pattern->format == RUNG_MAT_COO, layout->data.comm, PETSC_ERR_ARG_WRONGSTATE,
    "the nonzero pattern of the matrix was changed since it was made; make a new one by RungLayoutCreateMat()");
  a->base            = 0;
  insertion->pattern = a->pattern;
  insertion->J       = J;
  RungInsertionSetTiles(insertion, a->pattern->tiles, a->pattern->tile);
  PetscCall(RungFormatLend(a->pattern, J, a->staged, value));
  insertion->diag = value[0];
  insertion->off  = value[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero_others(RungInsertion *insertion)
{
  const RungPattern p = insertion->pattern;

  PetscFunctionBegin;
  insertion->next = 0;
  if (insertion->off) PetscCall(PetscArrayzero(insertion->off, p->entries[1]));
  PetscCall(PetscArrayzero(p->send, p->exchange->start[RUNG_GHOSTS][p->exchange->n[RUNG_GHOSTS]]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutInsertBegin(RungLayout layout, Mat J)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(open_mat(layout, J));
  PetscCall(zero_others(&layout->insertion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs of cells of one kind, the edge of the rank or not. */
static PetscErrorCode insert_some(RungLayout layout, RungInsertion *insertion, const RungInsertCells *cells)
{
  const PetscBool *edge = layout->data.cell_edge;

  for (PetscInt l = 0; l < cells->count; ++l)
    if (edge[cells->cell[l]]) RungFetchEdge(insertion->pattern, insertion, cells->cell[l]);
  for (PetscInt l = 0, end; l < cells->count; l = end) {
    RungInsertCells run = *cells;

    for (end = l + 1; end < cells->count && edge[cells->cell[end]] == edge[cells->cell[l]];) ++end;
    run.count = end - l;
    run.cell += l;
    run.dense += l;
    if (!edge[cells->cell[l]])
      RungInsertInterior(insertion->pattern, insertion, &run);
    else if (PetscLikely(!insertion->sent))
      RungInsertEdge(insertion->pattern, insertion, &run);
    else
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER, "a cell with rows of other ranks is inserted after these were sent");
  }
  return PETSC_SUCCESS;
}

PetscErrorCode RungLayoutInsertCells(RungLayout layout, Mat J, PetscInt count, const PetscInt cell[],
                                     const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  RungInsertion        *insertion = &layout->insertion;
  const RungInsertCells cells     = {count, cell, dense, si, sj};
  PetscInt              last      = 0;

  if (PetscUnlikely(insertion->J != J))
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER, "a cell is inserted into a matrix that is not open; begin first");
  for (PetscInt l = 0; l < count; ++l) last = PetscMax(last, cell[l]);
  if (last >= insertion->next) RungPagesZero(insertion, last);
  if (layout->data.cell_edge) return insert_some(layout, insertion, &cells);
  RungInsertInterior(insertion->pattern, insertion, &cells);
  return PETSC_SUCCESS;
}

PetscErrorCode RungLayoutInsertCell(RungLayout layout, Mat J, PetscInt cell, const PetscScalar dense[], PetscInt si,
                                    PetscInt sj)
{
  return RungLayoutInsertCells(layout, J, 1, &cell, dense, si, sj);
}

static void clear(PetscInt n, const int32_t at[], PetscScalar value[])
{
  for (PetscInt i = 0; i < n; ++i) value[at[i]] = 0;
}

PetscErrorCode RungLayoutInsertSend(RungLayout layout, Mat J)
{
  RungNeed(layout);
  RungInsertion    *insertion = &layout->insertion;
  const RungPattern p         = insertion->pattern;

  PetscFunctionBegin;
  PetscCheck(insertion->J == J && !insertion->sent, layout->data.comm, PETSC_ERR_ORDER,
             "rows of a matrix are sent that %s", insertion->sent ? "were sent before" : "is not open; begin first");
  insertion->sent = PETSC_TRUE;
  clear(p->cleared[2], p->clear[2], p->send);
  PetscCall(RungExchangeStart(p->exchange, RUNG_GHOSTS, MPIU_SCALAR, 1, p->send, p->receive, p->exchange->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where value i that was received goes; NULL: nowhere. */
static inline PetscScalar *place_received(const RungPattern p, const RungInsertion *insertion, PetscInt i)
{
  const int32_t at = p->target[i];

  return at >= 0 ? insertion->diag + at : at != RUNG_NOWHERE ? insertion->off + (-1 - at) : NULL;
}

#define AHEAD 64 /* values that are on their way to the cache when one is added */

/* Rows that other ranks computed for this one, in the order of ranks. */
static PetscErrorCode add_received(const RungPattern p, const RungInsertion *insertion)
{
  const RungExchange *ex  = p->exchange;
  const PetscInt      end = ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]];

  PetscFunctionBegin;
  PetscCall(RungExchangeWait(p->exchange, p->exchange->request));
  for (PetscInt i = 0; i < end; ++i) {
    PetscScalar *at = place_received(p, insertion, i);

    if (i + AHEAD < end) __builtin_prefetch(place_received(p, insertion, i + AHEAD), 1);
    if (at) *at += p->receive[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fixed rows and columns. */
static void set_identity(const RungPattern p, const RungInsertion *insertion)
{
  clear(p->cleared[0], p->clear[0], insertion->diag);
  if (insertion->off) clear(p->cleared[1], p->clear[1], insertion->off);
  for (PetscInt i = 0; i < p->fixed_count; ++i) insertion->diag[p->fixed_diagonal[i]] = 1;
}

static PetscErrorCode close_mat(RungLayout layout, Mat J)
{
  RungInsertion    *insertion = &layout->insertion;
  const RungPattern p         = insertion->pattern;
  PetscScalar      *value[2]  = {insertion->diag, insertion->off};
  Attachment       *a;

  PetscFunctionBegin;
  PetscCall(find_attachment(J, &a));
  PetscCall(RungFormatReturn(p, J, a->staged, value));
  *insertion = (RungInsertion){0};
  PetscCall(RungFormatFinish(p, J, a->staged));
  PetscCall(PetscObjectStateGet((PetscObject)J, &a->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutInsertEnd(RungLayout layout, Mat J)
{
  RungNeed(layout);
  RungInsertion *insertion = &layout->insertion;

  PetscFunctionBegin;
  PetscCheck(insertion->J == J, layout->data.comm, PETSC_ERR_ORDER,
             "insertion into this matrix is not open; begin first");
  if (!insertion->sent) PetscCall(RungLayoutInsertSend(layout, J));
  RungPagesZero(insertion, INT32_MAX);
  PetscCall(add_received(insertion->pattern, insertion));
  set_identity(insertion->pattern, insertion);
  PetscCall(close_mat(layout, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = sum_k c[k] from[k] in one pass for up to three matrices, all there are in a system of order 2. */
static void combine(PetscInt length, PetscInt n, const PetscReal c[], const PetscScalar *const from[], PetscScalar to[])
{
  if (n == 1)
    for (PetscInt i = 0; i < length; ++i) to[i] = c[0] * from[0][i];
  else if (n == 2)
    for (PetscInt i = 0; i < length; ++i) to[i] = c[0] * from[0][i] + c[1] * from[1][i];
  else
    for (PetscInt i = 0; i < length; ++i) to[i] = c[0] * from[0][i] + c[1] * from[1][i] + c[2] * from[2][i];
}

/* In  values[3][2] of the n matrices: owned columns, others */
static PetscErrorCode combine_values(const RungInsertion *insertion, PetscInt n, const PetscReal c[],
                                     const PetscScalar *values[3][2])
{
  const PetscScalar *from[2][3];

  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part)
    for (PetscInt k = 0; k < n; ++k) from[part][k] = values[k][part];
  if (from[0][0]) combine(insertion->pattern->entries[0], n, c, from[0], insertion->diag);
  if (insertion->off && from[1][0]) combine(insertion->pattern->entries[1], n, c, from[1], insertion->off);
  set_identity(insertion->pattern, insertion);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of K is that of the matrix of attachment `to` (NULL: of no layout), and its values are what they seem. */
static PetscErrorCode check_values(RungLayout layout, const Attachment *to, Mat K, Attachment **a)
{
  const RungPattern p = to ? to->pattern : NULL;
  PetscObjectState  state;

  PetscFunctionBegin;
  PetscCall(find_attachment(K, a));
  PetscCheck(p && *a && (*a)->pattern->layout == layout && (*a)->pattern->format == p->format &&
               (*a)->pattern->entries[0] == p->entries[0] && (*a)->pattern->entries[1] == p->entries[1],
             layout->data.comm, PETSC_ERR_ARG_INCOMP,
             "matrices of different patterns are combined; make them by RungLayoutCreateMat() with one coupling");
  PetscCall(PetscObjectStateGet((PetscObject)K, &state));
  PetscCheck(
    state == (*a)->state || (!(*a)->staged[0] && !(*a)->staged[1]), layout->data.comm, PETSC_ERR_ARG_WRONGSTATE,
    "a matrix of type %s was changed after its assembly, which RungLayoutCombineMats() cannot see; take aij or "
    "baij",
    p->type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutCombineMats(RungLayout layout, PetscInt n, const PetscReal c[], const Mat K[], Mat J)
{
  PetscScalar       *lent[3][2]   = {{NULL}};
  const PetscScalar *values[3][2] = {{NULL}};
  Attachment        *a[3], *to;

  PetscFunctionBegin;
  RungNeed(layout);
  PetscCheck(n >= 1 && n <= 3, layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " matrices to combine; wanted 1 to 3", n);
  PetscCall(find_attachment(J, &to));
  for (PetscInt k = 0; k < n; ++k) PetscCall(check_values(layout, to, K[k], &a[k]));
  PetscCall(open_mat(layout, J));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(RungFormatLend(a[k]->pattern, K[k], a[k]->staged, lent[k]));
    for (int i = 0; i < 2; ++i) values[k][i] = lent[k][i];
  }
  PetscCall(combine_values(&layout->insertion, n, c, values));
  for (PetscInt k = 0; k < n; ++k) PetscCall(RungFormatReturn(a[k]->pattern, K[k], a[k]->staged, lent[k]));
  PetscCall(close_mat(layout, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values that begin as those of other matrices ---------------------------------------------------------------- */

/* Does J hold the sum, as far as nothing was added to it?  Remembers it for the next time. */
static PetscErrorCode holds_sum(Attachment *a, PetscObjectState state, PetscInt n, const PetscReal c[], const Mat K[],
                                PetscBool *holds)
{
  const PetscInt some = a->pattern->some ? a->pattern->some->number : 0;

  PetscFunctionBegin;
  *holds  = a->base == n && some && a->some == some && a->state == state ? PETSC_TRUE : PETSC_FALSE;
  a->some = some;
  for (PetscInt k = 0; k < n; ++k) {
    PetscObjectState of;
    PetscObjectId    id;

    PetscCall(PetscObjectStateGet((PetscObject)K[k], &of));
    PetscCall(PetscObjectGetId((PetscObject)K[k], &id));
    if (a->weight[k] != c[k] || a->id[k] != id || a->of[k] != of) *holds = PETSC_FALSE;
    a->weight[k] = c[k];
    a->id[k]     = id;
    a->of[k]     = of;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of the K; those of other columns begin at once. */
static PetscErrorCode begin_from(RungInsertion *insertion, PetscInt n, const PetscReal c[], const Mat K[])
{
  const PetscScalar *other[3];

  PetscFunctionBegin;
  insertion->base = n;
  for (PetscInt k = 0; k < n; ++k) {
    Attachment *a;

    insertion->weight[k] = c[k];
    PetscCall(find_attachment(K[k], &a));
    PetscCall(RungFormatLendRead(a->pattern, K[k], a->staged, insertion->from[k]));
    other[k] = insertion->from[k][1];
  }
  if (insertion->off) combine(insertion->pattern->entries[1], n, c, other, insertion->off);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutInsertBeginFrom(RungLayout layout, Mat J, PetscInt n, const PetscReal c[], const Mat K[],
                                         const PetscBool couple[], PetscInt cells, const PetscInt cell[])
{
  RungInsertion   *insertion;
  Attachment      *a, *of;
  PetscObjectState state;
  PetscBool        holds;

  PetscFunctionBegin;
  RungNeed(layout);
  insertion = &layout->insertion;
  PetscCheck(n >= 1 && n <= 3, layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " matrices to begin with; wanted 1 to 3", n);
  PetscCall(find_attachment(J, &a));
  for (PetscInt k = 0; k < n; ++k) PetscCall(check_values(layout, a, K[k], &of));
  PetscCheck(!RungPatternHasBlocks(a->pattern), layout->data.comm, PETSC_ERR_SUP,
             "the values of a matrix of type %s begin as zeros; take aij", a->pattern->type);
  PetscCall(RungSomeCreate(a->pattern, couple, cells, cell));
  PetscCall(PetscObjectStateGet((PetscObject)J, &state));
  PetscCall(holds_sum(a, state, n, c, K, &holds));
  PetscCall(open_mat(layout, J));
  PetscCall(zero_others(insertion));
  PetscCall(begin_from(insertion, n, c, K));
  a->base = n;
  if (!a->pattern->some) PetscFunctionReturn(PETSC_SUCCESS);
  RungInsertionSetTiles(insertion, a->pattern->some->tiles, a->pattern->some->tile);
  insertion->some = holds ? a->pattern->some : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
