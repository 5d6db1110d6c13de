/* solver_lines.c - an order of a symmetric matrix for incomplete factors where most of the stiffness is along one axis.

   In flat cells, boundary layers, and along fibres, each entry has one or two couplings that are much stronger than all others, which make
   lines.  Incomplete factors that eliminate layer by layer, first the ends of all lines, then their neighbours, carry the couplings of a layer
   along; what the natural order drops are these.  Layers begin at ends that are neighbours of each other: those of one side.

   Iterations of 21 solves of heat, 40^3 cells in 1 x 1 x 0.05, dt = 1e-2, natural and by layers: Q1 hexahedra, ICC 456 and 153, P1 tetrahedra, ICC
   with fill 340 and 129. */
#include <rungown_room.h>
#include "solver_impl.h"

#define STRONG 0.6  /* of the strongest coupling of an entry: couplings from there on count as strong */
#define SHORT  3    /* entries that a line has at least                                             */
#define OFF    (-1) /* the layer of an entry that is on no line, a link that is not there            */
#define NAME   "incomplete Cholesky by layers"

typedef struct {
  PetscInt         n;
  const PetscInt  *row, *column; /* lent, of rows without their diagonal or with it                 */
  const PetscReal *value;        /* lent                                                                */
  PetscReal       *most;         /* owned, [entry] its strongest coupling                               */
  PetscInt        *count;        /* owned, [entry] how many are as strong                               */
  PetscInt        *link;         /* owned, [entry][2] the first two of these, OFF: none                 */
  PetscInt        *layer;        /* owned, [entry] OFF: on no line                                      */
  PetscInt        *queue;        /* owned, [n]                                                          */
  PetscInt         layers, lined, coupled;
} Lines;

static PetscErrorCode lines_destroy(Lines *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->most));
  PetscCall(PetscFree(l->count));
  PetscCall(PetscFree(l->link));
  PetscCall(PetscFree(l->layer));
  PetscCall(PetscFree(l->queue));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_links(Lines *l)
{
  for (PetscInt i = 0; i < l->n; ++i) {
    l->most[i] = 0;
    for (PetscInt k = l->row[i]; k < l->row[i + 1]; ++k)
      if (l->column[k] != i) l->most[i] = PetscMax(l->most[i], -l->value[k]);
    if (l->most[i] > 0) ++l->coupled;
  }
  for (PetscInt i = 0; i < l->n; ++i) {
    l->count[i]    = 0;
    l->link[2 * i] = l->link[2 * i + 1] = l->layer[i] = OFF;
    for (PetscInt k = l->row[i]; k < l->row[i + 1]; ++k) {
      const PetscInt j = l->column[k];

      if (j == i || -l->value[k] <= 0 || -l->value[k] < STRONG * PetscMin(l->most[i], l->most[j])) continue;
      if (l->count[i] < 2) l->link[2 * i + l->count[i]] = j;
      ++l->count[i];
    }
  }
  for (PetscInt i = 0; i < l->n; ++i)
    for (PetscInt s = 0; s < 2; ++s)
      if (l->count[i] > 2 || (l->link[2 * i + s] >= 0 && l->count[l->link[2 * i + s]] > 2)) l->link[2 * i + s] = OFF;
}

static PetscBool is_end(const Lines *l, PetscInt i)
{
  return l->layer[i] == OFF && (l->link[2 * i] >= 0) != (l->link[2 * i + 1] >= 0) ? PETSC_TRUE : PETSC_FALSE;
}

/* Layers of the line that begins at i; nothing where it has been walked from its other end. */
static void walk(Lines *l, PetscInt i)
{
  PetscInt layer = 0;

  if (l->layer[i] > 0) return;
  for (PetscInt next = i; next >= 0; ++layer) {
    const PetscInt *link = l->link + 2 * next;

    l->layer[next] = layer;
    next           = link[0] >= 0 && l->layer[link[0]] == OFF   ? link[0]
                     : link[1] >= 0 && l->layer[link[1]] == OFF ? link[1]
                                                                : OFF;
  }
  if (layer >= SHORT) l->lined += layer;
  l->layers = PetscMax(l->layers, layer);
}

/* All lines that begin at neighbours of `first`, at neighbours of these, and so on. */
static void walk_from_side(Lines *l, PetscInt first)
{
  PetscInt n = 0;

  l->queue[n++]   = first;
  l->layer[first] = 0;
  for (PetscInt q = 0; q < n; ++q)
    for (PetscInt i = l->queue[q], k = l->row[i]; k < l->row[i + 1]; ++k) {
      const PetscInt j = l->column[k];

      if (!is_end(l, j) || j == l->link[2 * i] || j == l->link[2 * i + 1]) continue;
      l->layer[j]   = 0;
      l->queue[n++] = j;
    }
  for (PetscInt q = 0; q < n; ++q) walk(l, l->queue[q]);
}

static PetscErrorCode find_layers(Mat A, Lines *l)
{
  const PetscScalar *value;
  const PetscInt    *row, *column;
  PetscInt           n;
  PetscBool          done;
  MatType            type;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscCheck(
    done, PETSC_COMM_SELF, PETSC_ERR_SUP,
    "an order by layers for a matrix of type %s, wanted aij, which has whole rows; leave -system_mat_type away", type);
  PetscCall(MatSeqAIJGetArrayRead(A, &value));
  l->n = n, l->row = row, l->column = column, l->value = value;
  PetscCall(PetscMalloc1(l->n, &l->most));
  PetscCall(PetscMalloc1(l->n, &l->count));
  PetscCall(PetscMalloc1(2 * l->n, &l->link));
  PetscCall(PetscMalloc1(l->n, &l->layer));
  PetscCall(PetscMalloc1(l->n, &l->queue));
  find_links(l);
  for (PetscInt i = 0; i < l->n; ++i)
    if (is_end(l, i)) walk_from_side(l, i);
  PetscCall(MatSeqAIJRestoreArrayRead(A, &value));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries layer by layer, in a layer as they are; what is on no line follows.  begin[layer] */
static PetscErrorCode sort_by_layers(Lines *l, PetscInt begin[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->n; ++i) {
    if (l->layer[i] == OFF) l->layer[i] = l->layers;
    ++begin[l->layer[i] + 1];
  }
  for (PetscInt k = 0; k <= l->layers; ++k) begin[k + 1] += begin[k];
  for (PetscInt i = 0; i < l->n; ++i) l->queue[begin[l->layer[i]]++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_order(Mat A, Lines *l, IS *rows)
{
  RUNG_FREE PetscInt *begin = NULL;

  PetscFunctionBegin;
  PetscCall(find_layers(A, l));
  PetscCall(PetscCalloc1(l->layers + 2, &begin));
  PetscCall(sort_by_layers(l, begin));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, l->n, l->queue, PETSC_COPY_VALUES, rows));
  PetscCall(ISSetPermutation(*rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- incomplete factors in this order -------------------------------------------------------------------------------- */

typedef struct {
  PetscInt         levels; /* of fill                                    */
  Mat              factor; /* owned                                      */
  PetscObjectState made;   /* of the pattern that it was made for        */
} Layered;

/* rows: the caller's, of A, which holds one half or them */
static PetscErrorCode make_rows(Mat A, Mat *rows)
{
  PetscBool half;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  *rows = A;
  if (half)
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, rows));
  else
    PetscCall(PetscObjectReference((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinesFind(Mat A, PetscReal *share)
{
  PetscReal all[2];
  Lines     l = {0};
  Mat       rows, own;

  PetscFunctionBegin;
  PetscCall(make_rows(A, &rows));
  PetscCall(MatGetDiagonalBlock(rows, &own));
  RungCallFinally(find_layers(own, &l), PetscCall(lines_destroy(&l)); PetscCall(MatDestroy(&rows)));
  all[0] = (PetscReal)l.lined;
  all[1] = (PetscReal)l.coupled;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  *share = all[1] > 0 ? all[0] / all[1] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_factor(Layered *layered, Mat rows, const MatFactorInfo *info)
{
  RUNG_OWNED(ISDestroy) IS order = NULL;
  Lines                    l     = {0};

  PetscFunctionBegin;
  RungCallFinally(make_order(rows, &l, &order), PetscCall(lines_destroy(&l)));
  PetscCall(MatDestroy(&layered->factor));
  PetscCall(MatGetFactor(rows, MATSOLVERPETSC, MAT_FACTOR_ICC, &layered->factor));
  PetscCall(MatICCFactorSymbolic(layered->factor, rows, order, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode factor(Layered *layered, Mat rows, PetscObjectState pattern)
{
  MatFactorInfo info; /* as PCICC has it */

  PetscFunctionBegin;
  PetscCall(MatFactorInfoInitialize(&info));
  info.levels      = (PetscReal)layered->levels;
  info.fill        = 1;
  info.shifttype   = (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE;
  info.shiftamount = 100 * PETSC_MACHINE_EPSILON;
  info.zeropivot   = 100 * PETSC_MACHINE_EPSILON;
  if (!layered->factor || pattern != layered->made) PetscCall(begin_factor(layered, rows, &info));
  layered->made = pattern;
  PetscCall(MatCholeskyFactorNumeric(layered->factor, rows, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc)
{
  PetscObjectState pattern;
  Layered         *layered;
  Mat              A, rows;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &layered));
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatGetNonzeroState(A, &pattern));
  PetscCall(make_rows(A, &rows));
  RungCallFinally(factor(layered, rows, pattern), PetscCall(MatDestroy(&rows)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
  Layered *layered;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &layered));
  PetscCall(MatSolve(layered->factor, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  Layered *layered;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &layered));
  PetscCall(MatDestroy(&layered->factor));
  PetscCall(PetscFree(layered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinesSet(PC pc, PetscInt levels)
{
  Layered    *layered;
  const char *name = NULL;
  PetscBool   shell;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &shell));
  if (shell) PetscCall(PCShellGetName(pc, &name));
  if (name && !strcmp(name, NAME)) PetscCall(PCShellGetContext(pc, &layered));
  if (name && !strcmp(name, NAME) && layered->levels == levels) PetscFunctionReturn(PETSC_SUCCESS); /* by a trial */
  PetscCall(PCSetType(pc, PCNONE)); /* a former one is destroyed */
  PetscCall(PetscNew(&layered));
  layered->levels = levels;
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, NAME));
  PetscCall(PCShellSetContext(pc, layered));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetApplyTranspose(pc, apply));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
