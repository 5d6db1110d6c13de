/* line_blocks.c - J d = F where J falls into small blocks: the entries of each point of a mesh of points, or the whole of a small
   system on one rank.

   Each block has LU factors of its own; a row is chosen as a pivot by its size against the largest entry of that row, so that the units
   of equations do not matter.  Blocks this small cost less than a call of LAPACK or of a solver object, and many are solved side
   by side: entry (i, j) of the blocks of a group are next to each other.  The factors follow the matrix: they are made anew whenever
   its entries have changed. */
#include "line_solver_impl.h"
#include "solver_impl.h"

#define LARGEST 64 /* entries of a block       */
#define LANES   8  /* blocks of a group        */
#define TIMED   16 /* a clock is read for one solve in so many: it costs as much as a block of three */

struct _RungLineBlocks {
  PetscInt         size, n; /* entries of a block, blocks                                              */
  PetscInt         lanes;   /* blocks of a group: 1 where there is one block                           */
  PetscInt        *entry;   /* owned, [block * size + i] local entry                                   */
  PetscInt        *place;   /* owned, [local entry] block * size + i                                   */
  PetscScalar     *value;   /* owned, [block][row][column] of J                                        */
  PetscScalar     *lu;      /* owned, [group][column][row][lane], reciprocals of the pivots on the diagonal */
  PetscInt        *from;    /* owned, [group][row][lane] local entry of b that this row of the factors takes */
  PetscInt        *where;   /* owned, [nonzero of the local part of J] index in value                  */
  PetscInt         nonzeros;
  PetscObjectState pattern, state; /* of J when `where`, and the factors, were made; -1: not yet       */
  PetscBool        regular;        /* the factors are there, the same on all ranks                     */
  PetscInt         solves;
};

PetscErrorCode RungLineBlocksDestroy(RungLineBlocks *destroyed)
{
  RungLineBlocks blocks = *destroyed;

  PetscFunctionBegin;
  if (!blocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(blocks->entry, blocks->place));
  PetscCall(PetscFree2(blocks->lu, blocks->from));
  PetscCall(PetscFree(blocks->value));
  PetscCall(PetscFree(blocks->where));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which blocks --------------------------------------------------------------------------------------------------- */

/* Nothing but J decides about d: no solver that the user has chosen, no type of matrix, constraints, null space or bounds. */
static PetscErrorCode are_plain(RungLineSlot *slot, PetscBool *plain)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-pc_factor_mat_solver_type", "-ksp_view",
                                       "-ksp_monitor"};

  RungLineSolver solver = slot->solver;
  MatNullSpace   null;
  PetscBool      given, aij;
  KSP            ksp;

  PetscFunctionBegin;
  *plain = PETSC_FALSE;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)slot->J, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(MatGetNullSpace(slot->J, &null));
  if (given || !aij || null || solver->bound[0] || solver->point) PetscFunctionReturn(PETSC_SUCCESS);
  *plain = solver->sys->form && solver->sys->form->constraints ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineOnPoints(RungLineSolver solver, PetscBool *all_points, PetscInt *sum)
{
  PetscFunctionBegin;
  *all_points = PETSC_TRUE;
  *sum        = 0;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    PetscInt  components;
    PetscBool points;

    PetscCall(RungSystemGetComponents(solver->sys, f, &components, &points));
    *all_points = *all_points && points ? PETSC_TRUE : PETSC_FALSE;
    *sum += components;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of a block: those of a point where all unknowns live on points, else all if they are few.  0: none. */
static PetscErrorCode find_size(RungLineSolver solver, PetscInt *size)
{
  PetscBool   all_points;
  PetscInt    sum, n;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCall(RungLineOnPoints(solver, &all_points, &sum));
  PetscCallMPI(MPI_Comm_size(solver->comm, &ranks));
  PetscCall(VecGetSize(solver->r, &n));
  *size = all_points ? sum : ranks == 1 ? n : 0;
  if (*size > LARGEST) *size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Point after point, the components of one unknown after the other; a single block in the order of the vector. */
static PetscErrorCode set_entries(RungLineSolver solver, RungLineBlocks blocks, PetscInt n)
{
  PetscInt first = 0; /* of this unknown in a block */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &blocks->entry, n, &blocks->place));
  for (PetscInt i = 0; i < n; ++i) blocks->place[i] = i;
  for (PetscInt f = 0; f < solver->traits.unknowns && blocks->n > 1; ++f) {
    PetscInt start, end, components;

    PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
    PetscCall(RungSystemGetComponents(solver->sys, f, &components, NULL));
    for (PetscInt i = start; i < end; ++i)
      blocks->place[i] = (i - start) / components * blocks->size + first + (i - start) % components;
    first += components;
  }
  for (PetscInt i = 0; i < n; ++i) blocks->entry[blocks->place[i]] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineBlocksCreate(RungLineSlot *slot)
{
  RungLineBlocks blocks;
  PetscBool      plain;
  PetscInt       size, n, padded;

  PetscFunctionBegin;
  PetscCall(are_plain(slot, &plain));
  if (!plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_size(slot->solver, &size));
  if (!size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&blocks));
  slot->blocks = blocks;
  PetscCall(VecGetLocalSize(slot->solver->r, &n));
  blocks->size    = size;
  blocks->n       = n / size;
  blocks->lanes   = blocks->n > 1 ? LANES : 1;
  blocks->pattern = blocks->state = -1;
  padded                          = (blocks->n + blocks->lanes - 1) / blocks->lanes * blocks->lanes * size;
  PetscCall(set_entries(slot->solver, blocks, n));
  PetscCall(PetscMalloc1(n * size, &blocks->value));
  PetscCall(PetscCalloc2(padded * size, &blocks->lu, padded, &blocks->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- factors -------------------------------------------------------------------------------------------------------- */

/* where[] of the entries of this rank's own part of J */
static PetscErrorCode set_where(RungLineBlocks blocks, Mat own, const PetscInt row[], const PetscInt column[])
{
  const PetscInt size = blocks->size;

  PetscFunctionBegin;
  if (row[blocks->n * size] > blocks->nonzeros) {
    PetscCall(PetscFree(blocks->where));
    PetscCall(PetscMalloc1(row[blocks->n * size], &blocks->where));
  }
  blocks->nonzeros = row[blocks->n * size];
  for (PetscInt i = 0; i < blocks->n * size; ++i) {
    const PetscInt at = blocks->place[i];

    for (PetscInt k = row[i]; k < row[i + 1]; ++k) {
      const PetscInt to = blocks->place[column[k]];

      PetscCheck(to / size == at / size, PetscObjectComm((PetscObject)own), PETSC_ERR_PLIB,
                 "entry %" PetscInt_FMT " of a Jacobian of blocks depends on %" PetscInt_FMT, i, column[k]);
      blocks->where[k] = at * size + to % size;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_entries(RungLineBlocks blocks, Mat J)
{
  const PetscInt    *row, *column;
  const PetscScalar *value;
  PetscObjectState   pattern;
  PetscBool          many, done;
  PetscInt           n;
  Mat                own = J;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &many));
  if (many) PetscCall(MatMPIAIJGetSeqAIJ(J, &own, NULL, NULL));
  PetscCall(MatGetRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscCall(MatGetNonzeroState(J, &pattern));
  if (pattern != blocks->pattern) PetscCall(set_where(blocks, own, row, column));
  blocks->pattern = pattern;
  PetscCall(PetscArrayzero(blocks->value, blocks->n * blocks->size * blocks->size));
  PetscCall(MatSeqAIJGetArrayRead(own, &value));
  for (PetscInt k = 0; k < row[n]; ++k) blocks->value[blocks->where[k]] = value[k];
  PetscCall(MatSeqAIJRestoreArrayRead(own, &value));
  PetscCall(MatRestoreRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void exchange(PetscInt n, PetscScalar a[], PetscScalar b[])
{
  for (PetscInt j = 0; j < n; ++j) {
    const PetscScalar x = a[j];

    a[j] = b[j];
    b[j] = x;
  }
}

/* Row among c .. n - 1 with the largest entry in column c against the largest of its row. */
static PetscInt find_pivot(PetscInt n, PetscInt c, const PetscScalar a[], const PetscReal scale[])
{
  PetscReal most = 0;
  PetscInt  best = c;

  for (PetscInt r = c; r < n; ++r) {
    const PetscReal size = PetscAbsScalar(a[r * n + c]) * scale[r];

    if (size > most) most = size, best = r;
  }
  return best;
}

/* PETSC_FALSE: singular, or not finite. */
static PetscBool factor(PetscInt n, PetscScalar a[], PetscInt order[])
{
  PetscReal scale[LARGEST];

  for (PetscInt r = 0; r < n; ++r) {
    PetscReal most = 0;

    for (PetscInt j = 0; j < n; ++j) most = PetscMax(most, PetscAbsScalar(a[r * n + j]));
    scale[r] = 1 / most;
    order[r] = r;
  }
  for (PetscInt c = 0; c < n; ++c) {
    const PetscInt pivot = find_pivot(n, c, a, scale);
    PetscScalar    inverse;

    if (pivot != c) {
      const PetscInt row = order[c];

      exchange(n, a + c * n, a + pivot * n);
      order[c]     = order[pivot];
      order[pivot] = row;
      scale[pivot] = scale[c];
    }
    inverse = 1 / a[c * n + c];
    if (!isfinite(PetscRealPart(inverse)) || inverse == 0.0) return PETSC_FALSE;
    a[c * n + c] = inverse;
    for (PetscInt r = c + 1; r < n; ++r) {
      const PetscScalar l = a[r * n + c] * inverse;

      a[r * n + c] = l;
      if (l == 0.0) continue;
      for (PetscInt j = c + 1; j < n; ++j) a[r * n + j] -= l * a[c * n + j];
    }
  }
  return PETSC_TRUE;
}

/* Factors of block p into its lane. */
static void store(RungLineBlocks blocks, PetscInt p, const PetscScalar a[], const PetscInt order[])
{
  const PetscInt n = blocks->size, lanes = blocks->lanes, group = p / lanes, lane = p % lanes;

  for (PetscInt i = 0; i < n; ++i) {
    blocks->from[(group * n + i) * lanes + lane] = blocks->entry[p * n + order[i]];
    for (PetscInt j = 0; j < n; ++j) blocks->lu[((group * n + j) * n + i) * lanes + lane] = a[i * n + j];
  }
}

static PetscErrorCode update(RungLineSlot *slot)
{
  RungLineBlocks   blocks = slot->blocks;
  const PetscInt   n      = blocks->size;
  PetscInt         failed = 0, order[LARGEST];
  PetscLogDouble   mark;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (state == blocks->state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineClock(&mark, NULL));
  PetscCall(copy_entries(blocks, slot->J));
  for (PetscInt p = 0; p < blocks->n && !failed; ++p) {
    failed = factor(n, blocks->value + p * n * n, order) ? 0 : 1;
    store(blocks, p, blocks->value + p * n * n, order);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPIU_INT, MPI_MAX, slot->solver->comm));
  blocks->regular = failed ? PETSC_FALSE : PETSC_TRUE;
  blocks->state   = state;
  ++slot->solver->counts.factorisations;
  PetscCall(RungLineClock(&mark, &slot->solver->counts.factorisation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineBlocksFactor(RungLineSlot *slot, PetscBool *regular)
{
  PetscFunctionBegin;
  PetscCall(update(slot));
  *regular = slot->blocks->regular;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves --------------------------------------------------------------------------------------------------------- */

/* a -= l y in each lane */
static inline void subtract(PetscInt lanes, PetscScalar *restrict a, const PetscScalar *restrict l,
                            const PetscScalar *restrict y)
{
  for (PetscInt lane = 0; lane < lanes; ++lane) a[lane] -= l[lane] * y[lane];
}

/* A group; y: the numbers of b in the order of the factors' rows, then the solution, [row][lane].  Column by column: what is
   subtracted does not wait for what was subtracted before. */
static inline void solve_group(PetscInt n, PetscInt lanes, const PetscScalar lu[], PetscScalar y[])
{
  for (PetscInt c = 0; c < n; ++c)
    for (PetscInt i = c + 1; i < n; ++i) subtract(lanes, y + i * lanes, lu + (c * n + i) * lanes, y + c * lanes);
  for (PetscInt c = n - 1; c >= 0; --c) {
    for (PetscInt lane = 0; lane < lanes; ++lane) y[c * lanes + lane] *= lu[(c * n + c) * lanes + lane];
    for (PetscInt i = 0; i < c; ++i) subtract(lanes, y + i * lanes, lu + (c * n + i) * lanes, y + c * lanes);
  }
}

static void solve_groups(RungLineBlocks blocks, const PetscScalar b[], PetscScalar x[])
{
  const PetscInt n = blocks->size, lanes = blocks->lanes;
  PetscScalar    y[LARGEST * LANES];

  for (PetscInt p = 0; p < blocks->n; p += lanes) {
    const PetscInt     count = PetscMin(lanes, blocks->n - p);
    const PetscInt    *from  = blocks->from + p * n;
    const PetscScalar *lu    = blocks->lu + p * n * n;

    for (PetscInt k = 0; k < n * lanes; ++k) y[k] = b[from[k]];
    if (lanes == 1)
      solve_group(n, 1, lu, y);
    else
      solve_group(n, LANES, lu, y);
    for (PetscInt lane = 0; lane < count; ++lane)
      for (PetscInt i = 0; i < n; ++i) x[blocks->entry[(p + lane) * n + i]] = y[i * lanes + lane];
  }
}

PetscErrorCode RungLineBlocksSolve(RungLineSlot *slot, Vec b, Vec x, PetscBool *solved)
{
  RungLineBlocks     blocks = slot->blocks;
  const PetscScalar *from;
  PetscScalar       *to;
  const PetscBool    timed   = blocks->solves++ % TIMED ? PETSC_FALSE : PETSC_TRUE;
  PetscLogDouble     seconds = 0, mark;

  PetscFunctionBegin;
  PetscCall(RungLineBlocksFactor(slot, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  if (timed) PetscCall(RungLineClock(&mark, NULL));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  solve_groups(blocks, from, to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  if (timed) PetscCall(RungLineClock(&mark, &seconds));
  slot->solver->counts.solution += TIMED * seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}
