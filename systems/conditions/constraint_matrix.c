/* constraint_matrix.c - J = C^T A C: from the matrix A that forms are assembled into, with all its rows, to the one that
   is solved with, where slaves hold the identity.

   Every entry of A goes to its own place in J, except those in rows and columns of slaves: they go, weighted, to the
   places of the masters, some of them in rows of other ranks.  All places are found once.  Entries that keep their
   neighbours are copied in runs, so that what is not near a constraint costs a copy. */
#include "constraint_impl.h"
#include <petscsf.h>

/* The two sequential matrices of an AIJ matrix; a place p counts through the values of both. */
typedef struct {
  Mat             part[2]; /* lent: owned columns, others (NULL on one rank)  */
  const PetscInt *ia[2], *ja[2];
  const PetscInt *column;  /* lent: global numbers of the others' columns     */
  PetscInt        columns; /* of the others                                   */
  PetscInt        rows, start;
  PetscInt        entries; /* of part 0                                       */
} Split;

/* One entry of A on its way to J. */
typedef struct {
  PetscInt  from;     /* place in A                            */
  PetscInt  row, col; /* global, of J                          */
  PetscReal weight;
} Move;

struct _RungReduction {
  Mat          A, J; /* owned; J is what CreateMat duplicates                        */
  PetscInt     runs;
  PetscInt    *run;    /* owned, [run][3] from, to, length                             */
  PetscInt     moves;  /* inside this rank                                             */
  PetscInt    *move;   /* owned, [move][2] from, to                                    */
  PetscReal   *weight; /* owned, [move]                                                */
  PetscInt     ones;   /* diagonals of slaves                                          */
  PetscInt    *one;    /* owned                                                        */
  PetscBool    exchanges;
  PetscSF      sf; /* owned: values for rows of other ranks                        */
  PetscInt     sends, receives;
  PetscInt    *send;        /* owned, [sends] place in A                                    */
  PetscReal   *send_weight; /* owned                                                     */
  PetscInt    *receive;     /* owned, [receives] place in J                                 */
  PetscScalar *out, *in;    /* owned                                                        */
};

PetscErrorCode RungReductionDestroy(RungReduction *reduction)
{
  RungReduction r = *reduction;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&r->A));
  PetscCall(MatDestroy(&r->J));
  PetscCall(PetscSFDestroy(&r->sf));
  PetscCall(PetscFree(r->run));
  PetscCall(PetscFree(r->move));
  PetscCall(PetscFree(r->weight));
  PetscCall(PetscFree(r->one));
  PetscCall(PetscFree(r->send));
  PetscCall(PetscFree(r->send_weight));
  PetscCall(PetscFree(r->receive));
  PetscCall(PetscFree2(r->out, r->in));
  PetscCall(PetscFree(*reduction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- structure of a matrix -----------------------------------------------------------------------------------------
 */

static PetscErrorCode split_open(Mat J, Split *s)
{
  PetscBool parallel, done;

  PetscFunctionBegin;
  memset(s, 0, sizeof *s);
  s->part[0] = J;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &parallel));
  if (parallel) {
    PetscCall(MatMPIAIJGetSeqAIJ(J, &s->part[0], &s->part[1], &s->column));
    PetscCall(MatGetSize(s->part[1], NULL, &s->columns));
  }
  PetscCall(MatGetOwnershipRange(J, &s->start, NULL));
  for (int p = 0; p < (parallel ? 2 : 1); ++p) {
    PetscCall(MatGetRowIJ(s->part[p], 0, PETSC_FALSE, PETSC_FALSE, &s->rows, &s->ia[p], &s->ja[p], &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a matrix does not show its rows");
  }
  s->entries = s->ia[0][s->rows];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode split_close(Split *s)
{
  PetscBool done;

  PetscFunctionBegin;
  for (int p = 0; p < 2 && s->part[p]; ++p) {
    PetscCall(MatRestoreRowIJ(s->part[p], 0, PETSC_FALSE, PETSC_FALSE, &s->rows, &s->ia[p], &s->ja[p], &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of an owned row, both parts: i counts from 0 to row_length - 1. */
static PetscInt row_length(const Split *s, PetscInt row)
{
  return s->ia[0][row + 1] - s->ia[0][row] + (s->part[1] ? s->ia[1][row + 1] - s->ia[1][row] : 0);
}

static PetscInt row_entry(const Split *s, PetscInt row, PetscInt i, PetscInt *col)
{
  const PetscInt n = s->ia[0][row + 1] - s->ia[0][row];

  if (i < n) {
    *col = s->start + s->ja[0][s->ia[0][row] + i];
    return s->ia[0][row] + i;
  }
  *col = s->column[s->ja[1][s->ia[1][row] + i - n]];
  return s->entries + s->ia[1][row] + i - n;
}

/* The place of a global column in an owned row. */
static PetscErrorCode find_place(const Split *s, PetscInt row, PetscInt col, PetscInt *place)
{
  PetscInt local = col - s->start, at;
  int      p     = 0;

  PetscFunctionBegin;
  if (local < 0 || local >= s->rows) {
    p = 1;
    PetscCall(PetscFindInt(col, s->columns, s->column, &local));
  }
  PetscCall(PetscFindInt(local, s->ia[p][row + 1] - s->ia[p][row], s->ja[p] + s->ia[p][row], &at));
  PetscCheck(at >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an entry of a constrained matrix has no place");
  *place = (p ? s->entries : 0) + s->ia[p][row] + at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where entries go ----------------------------------------------------------------------------------------------
 */

/* Masters of a dof, or itself; fixed masters take nothing: their rows and columns are those of the identity. */
static PetscErrorCode targets(RungConstraints c, PetscInt dof, PetscBool *slave, RungSum *to)
{
  PetscInt index, condition;

  PetscFunctionBegin;
  to->n = 0;
  PetscCall(PetscHMapIGet(c->index, dof, &index));
  *slave = index >= 0 ? PETSC_TRUE : PETSC_FALSE;
  if (index < 0) PetscCall(RungSumAdd(to, dof, 1));
  for (PetscInt i = 0; index >= 0 && i < c->slave[index].masters.n; ++i) {
    PetscCall(PetscHMapIGet(c->fixed, c->slave[index].masters.key[i], &condition));
    if (condition < 0) PetscCall(RungSumAdd(to, c->slave[index].masters.key[i], c->slave[index].masters.value[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All moves of entries in rows or columns of slaves. */
static PetscErrorCode list_moves(RungConstraints c, const Split *A, PetscInt *n, Move **move)
{
  RungSum   rows = {0}, cols = {0};
  PetscBool slave[2];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < A->rows; ++r) {
    PetscCall(targets(c, A->start + r, &slave[0], &rows));
    for (PetscInt i = 0; i < row_length(A, r); ++i) {
      PetscInt       col;
      const PetscInt from = row_entry(A, r, i, &col);

      PetscCall(targets(c, col, &slave[1], &cols));
      if (!slave[0] && !slave[1]) continue;
      for (PetscInt a = 0; a < rows.n; ++a) {
        for (PetscInt b = 0; b < cols.n; ++b) {
          RungGrow(*n, *move);
          (*move)[(*n)++] = (Move){
            .from = from, .row = rows.key[a], .col = cols.key[b], .weight = rows.value[a] * cols.value[b]};
        }
      }
    }
  }
  PetscCall(RungSumDestroy(&rows));
  PetscCall(RungSumDestroy(&cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int by_row(const void *a, const void *b)
{
  const PetscInt x = ((const Move *)a)->row, y = ((const Move *)b)->row;

  return (x > y) - (x < y);
}

/* Moves to rows of other ranks, in the order of the ranks: their rows and columns travel once, a star forest carries the
   values.  Out  place[receives][2] row and column */
static PetscErrorCode exchange(MPI_Comm comm, const PetscInt range[], PetscInt n, const Move move[], RungReduction r,
                               PetscInt **place)
{
  PetscMPIInt  size, *count, *start, *got, *from;
  PetscInt    *pair, *sent;
  PetscSFNode *root;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc4(size, &count, size + 1, &start, size, &got, size + 1, &from));
  PetscCall(PetscMalloc1(2 * n, &pair));
  PetscCall(PetscMalloc1(size, &sent));
  for (PetscInt i = 0, owner = 0; i < n; ++i) {
    while (move[i].row >= range[owner + 1]) ++owner;
    count[owner] += 2;
    pair[2 * i]     = move[i].row;
    pair[2 * i + 1] = move[i].col;
  }
  PetscCallMPI(MPI_Alltoall(count, 1, MPI_INT, got, 1, MPI_INT, comm));
  for (PetscMPIInt p = 0; p < size; ++p) {
    start[p + 1] = start[p] + count[p];
    from[p + 1]  = from[p] + got[p];
  }
  r->sends    = n;
  r->receives = from[size] / 2;
  PetscCall(PetscMalloc1(2 * r->receives, place));
  PetscCallMPI(MPI_Alltoallv(pair, count, start, MPIU_INT, *place, got, from, MPIU_INT, comm));
  PetscCall(PetscMalloc1(r->receives, &root));
  for (PetscMPIInt p = 0; p < size; ++p) sent[p] = start[p] / 2;
  PetscCallMPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPIU_INT, sent, 1, MPIU_INT, comm)); /* where my part begins at each */
  for (PetscMPIInt p = 0; p < size; ++p) {
    for (PetscInt i = from[p] / 2; i < from[p + 1] / 2; ++i)
      root[i] = (PetscSFNode){.rank = p, .index = sent[p] + i - from[p] / 2};
  }
  PetscCall(PetscSFCreate(comm, &r->sf));
  PetscCall(PetscSFSetGraph(r->sf, n, r->receives, NULL, PETSC_COPY_VALUES, root, PETSC_OWN_POINTER));
  PetscCall(PetscFree4(count, start, got, from));
  PetscCall(PetscFree(pair));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix ----------------------------------------------------------------------------------------------------
 */

/* Rows of J: plain entries of A, what moves in, the diagonal.  extra[n][2] ascending by row. */
static PetscErrorCode make_matrix(RungSystem sys, const Split *A, PetscInt bs, PetscInt n, PetscInt extra[], Mat *J)
{
  RungConstraints c     = sys->form->constraints;
  PetscInt       *start = NULL, *column = NULL, total = 0, at = 0, room = 0, slave;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(A->rows + 1, &start));
  for (PetscInt r = 0; r < A->rows; ++r) {
    PetscInt length = 0, more = at;

    while (more < n && extra[2 * more] == A->start + r) ++more;
    if (total + row_length(A, r) + more - at + 1 > room) {
      room = 2 * (total + row_length(A, r) + more - at + 1);
      PetscCall(PetscRealloc((size_t)room * sizeof *column, &column));
    }
    start[r]      = total;
    column[total] = A->start + r;
    length        = 1;
    PetscCall(PetscHMapIGet(c->index, A->start + r, &slave));
    for (PetscInt i = 0; slave < 0 && i < row_length(A, r); ++i) {
      PetscInt other;

      (void)row_entry(A, r, i, &column[total + length]);
      PetscCall(PetscHMapIGet(c->index, column[total + length], &other));
      if (other < 0) ++length;
    }
    for (; at < more; ++at) column[total + length++] = extra[2 * at + 1];
    PetscCall(PetscSortRemoveDupsInt(&length, column + total));
    total += length;
  }
  start[A->rows] = total;
  PetscCall(RungMatBegin(sys->comm, A->rows, bs, MATAIJ, J));
  PetscCall(MatSeqAIJSetPreallocationCSR(*J, start, column, NULL));
  PetscCall(MatMPIAIJSetPreallocationCSR(*J, start, column, NULL));
  PetscCall(MatSetOption(*J, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscCall(MatSetOption(*J, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of A that keep their row and column, in runs. */
static PetscErrorCode list_runs(RungConstraints c, const Split *A, const Split *J, RungReduction r)
{
  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part) {
    for (PetscInt row = 0; row < A->rows; ++row) {
      PetscInt slave, from, to, col;

      PetscCall(PetscHMapIGet(c->index, A->start + row, &slave));
      for (PetscInt i = 0; slave < 0 && i < row_length(A, row); ++i) {
        PetscInt other, *last = r->runs ? r->run + 3 * (r->runs - 1) : NULL;

        from = row_entry(A, row, i, &col);
        if ((from >= A->entries) != part) continue;
        PetscCall(PetscHMapIGet(c->index, col, &other));
        if (other >= 0) continue;
        PetscCall(find_place(J, row, col, &to));
        if (last && last[0] + last[2] == from && last[1] + last[2] == to && from != A->entries && to != J->entries) {
          ++last[2];
          continue;
        }
        if ((r->runs & (r->runs - 1)) == 0)
          PetscCall(PetscRealloc(3 * (size_t)(r->runs ? 2 * r->runs : 1) * sizeof *r->run, &r->run));
        last    = r->run + 3 * r->runs++;
        last[0] = from, last[1] = to, last[2] = 1;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place_moves(RungConstraints c, const Split *J, PetscInt n, const Move move[],
                                  const PetscInt place[], RungReduction r)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * n, &r->move));
  PetscCall(PetscMalloc1(n, &r->weight));
  PetscCall(PetscMalloc1(r->sends, &r->send));
  PetscCall(PetscMalloc1(r->sends, &r->send_weight));
  PetscCall(PetscMalloc1(r->receives, &r->receive));
  PetscCall(PetscMalloc2(r->sends, &r->out, r->receives, &r->in));
  r->sends = 0;
  for (PetscInt i = 0; i < n; ++i) {
    if (move[i].row >= J->start && move[i].row < J->start + J->rows) {
      r->move[2 * r->moves] = move[i].from;
      PetscCall(find_place(J, move[i].row - J->start, move[i].col, &r->move[2 * r->moves + 1]));
      r->weight[r->moves++] = move[i].weight;
    } else {
      r->send[r->sends]          = move[i].from;
      r->send_weight[r->sends++] = move[i].weight;
    }
  }
  for (PetscInt i = 0; i < r->receives; ++i)
    PetscCall(find_place(J, place[2 * i] - J->start, place[2 * i + 1], &r->receive[i]));
  PetscCall(PetscMalloc1(c->n, &r->one));
  r->ones = c->n;
  for (PetscInt s = 0; s < c->n; ++s) PetscCall(find_place(J, c->entry[s], J->start + c->entry[s], &r->one[s]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns that come into this rank's part of J, ascending by row. */
static PetscErrorCode merge_places(const Split *A, PetscInt n, const Move move[], PetscInt m, const PetscInt place[],
                                   PetscInt *total, PetscInt **extra)
{
  Move *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + m, &all));
  *total = 0;
  for (PetscInt i = 0; i < n; ++i) {
    if (move[i].row >= A->start && move[i].row < A->start + A->rows) all[(*total)++] = move[i];
  }
  for (PetscInt i = 0; i < m; ++i) all[(*total)++] = (Move){.row = place[2 * i], .col = place[2 * i + 1]};
  if (*total) qsort(all, (size_t)*total, sizeof *all, by_row);
  PetscCall(PetscMalloc1(2 * *total, extra));
  for (PetscInt i = 0; i < *total; ++i) {
    (*extra)[2 * i]     = all[i].row;
    (*extra)[2 * i + 1] = all[i].col;
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of other ranks, ascending by row, in an array of their own. */
static PetscErrorCode select_remote(const Split *A, PetscInt n, const Move move[], PetscInt *count, Move **remote)
{
  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscMalloc1(n, remote));
  for (PetscInt i = 0; i < n; ++i) {
    if (move[i].row < A->start || move[i].row >= A->start + A->rows) (*remote)[(*count)++] = move[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* stage: what is left of the system where internal variables are eliminated, which couples more and fixes more */
static PetscErrorCode create(RungSystem sys, PetscBool stage)
{
  RungConstraints  c = sys->form->constraints;
  RungReduction    r;
  Split            A, J;
  Move            *move = NULL, *remote;
  PetscInt         n    = 0, remotes, all, *place, *extra, extras, bs;
  const PetscInt  *range;
  const PetscBool *couple, *fixed;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  c->reduction[stage] = r;
  RungCondensePattern(sys, stage, &couple, &fixed);
  PetscCall(RungLayoutCreateMat(sys->form->layout, couple, fixed, &r->A));
  PetscCall(split_open(r->A, &A));
  PetscCall(list_moves(c, &A, &n, &move));
  if (n) qsort(move, (size_t)n, sizeof *move, by_row);
  PetscCall(select_remote(&A, n, move, &remotes, &remote));
  PetscCall(MatGetOwnershipRanges(r->A, &range));
  PetscCall(exchange(sys->comm, range, remotes, remote, r, &place));
  PetscCallMPI(MPI_Allreduce(&remotes, &all, 1, MPIU_INT, MPI_SUM, sys->comm));
  r->exchanges = all > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(merge_places(&A, n, move, r->receives, place, &extras, &extra));
  PetscCall(MatGetBlockSize(r->A, &bs));
  PetscCall(make_matrix(sys, &A, bs, extras, extra, &r->J));
  PetscCall(split_open(r->J, &J));
  PetscCall(list_runs(c, &A, &J, r));
  PetscCall(place_moves(c, &J, n, move, place, r));
  PetscCall(split_close(&J));
  PetscCall(split_close(&A));
  PetscCall(PetscFree(move));
  PetscCall(PetscFree(remote));
  PetscCall(PetscFree(place));
  PetscCall(PetscFree(extra));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsFullMat(RungSystem sys, PetscBool stage, Mat *A)
{
  PetscFunctionBegin;
  if (!sys->form->constraints->reduction[stage]) PetscCall(create(sys, stage));
  *A = sys->form->constraints->reduction[stage]->A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsCreateMat(RungSystem sys, PetscBool stage, Mat *J)
{
  PetscFunctionBegin;
  if (!sys->form->constraints->reduction[stage]) PetscCall(create(sys, stage));
  PetscCall(MatDuplicate(sys->form->constraints->reduction[stage]->J, MAT_DO_NOT_COPY_VALUES, J));
  PetscCall(MatSetOption(*J, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values --------------------------------------------------------------------------------------------------------
 */

static inline PetscScalar *at(PetscScalar *const value[2], PetscInt entries, PetscInt place)
{
  return place < entries ? value[0] + place : value[1] + place - entries;
}

static PetscErrorCode reduce(const struct _RungReduction *r, PetscInt na, PetscScalar *const a[2], PetscInt nj,
                             PetscScalar *const j[2])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->sends; ++i) r->out[i] = r->send_weight[i] * *at(a, na, r->send[i]);
  if (r->exchanges) PetscCall(PetscSFBcastBegin(r->sf, MPIU_SCALAR, r->out, r->in, MPI_REPLACE));
  for (PetscInt i = 0; i < r->runs; ++i) {
    const PetscInt *run = r->run + 3 * i;

    PetscCall(PetscArraycpy(at(j, nj, run[1]), at(a, na, run[0]), run[2]));
  }
  for (PetscInt i = 0; i < r->moves; ++i) *at(j, nj, r->move[2 * i + 1]) += r->weight[i] * *at(a, na, r->move[2 * i]);
  if (r->exchanges) PetscCall(PetscSFBcastEnd(r->sf, MPIU_SCALAR, r->out, r->in, MPI_REPLACE));
  for (PetscInt i = 0; i < r->receives; ++i) *at(j, nj, r->receive[i]) += r->in[i];
  for (PetscInt i = 0; i < r->ones; ++i) *at(j, nj, r->one[i]) = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsReduceMat(RungSystem sys, PetscBool stage, Mat J)
{
  const struct _RungReduction *r = sys->form->constraints->reduction[stage];
  Split                        s[2];
  PetscScalar                 *value[2][2] = {{NULL}};
  Mat                          mat[2]      = {r->A, J};

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CONSTRAINTS, 0, 0, 0, 0));
  for (int m = 0; m < 2; ++m) {
    PetscCall(split_open(mat[m], &s[m]));
    PetscCall(MatSeqAIJGetArray(s[m].part[0], &value[m][0]));
    if (s[m].part[1]) PetscCall(MatSeqAIJGetArray(s[m].part[1], &value[m][1]));
  }
  PetscCall(PetscArrayzero(value[1][0], s[1].entries));
  if (s[1].part[1]) PetscCall(PetscArrayzero(value[1][1], s[1].ia[1][s[1].rows]));
  PetscCall(reduce(r, s[0].entries, value[0], s[1].entries, value[1]));
  for (int m = 0; m < 2; ++m) {
    for (int p = 0; p < 2 && s[m].part[p]; ++p) PetscCall(MatSeqAIJRestoreArray(s[m].part[p], &value[m][p]));
    PetscCall(split_close(&s[m]));
  }
  PetscCall(MatSetOption(J, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(J, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE));
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CONSTRAINTS, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
