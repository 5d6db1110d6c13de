/* solver_factors.c - whose factors: of a matrix on one process, or of a line, that is swept much more often than it is factored.

   MUMPS factors fast, in dense fronts, but sweeps a single right-hand side more slowly than PETSc's own factors do, whose
   rows lie in memory as they are needed: 2.6 to 12 times where fronts are small, not at all where they are large (decision
   011 has the measurements).  With nz entries in the factors of n unknowns and s sweeps for each factorisation,

       time lost in the factorisation   ~ a nz^2/n         time gained in sweeps   ~ s b nz

   so that PETSc's own pay while nz/n, the size of fronts as well, is below some multiple of s.  nz is counted by the elimination
   tree in nested dissection order (George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10, 1973): a
   symbolic factorisation by PETSc says the same in 5 to 15 times the time (10082 entries in the plane: 18 and 57 ms for 4 and 3).

   Factors that are swept once, or by fewer solves than RUNG_OFTEN, pay where fronts are so small that MUMPS does little but keep its books: bands of systems on a
   line, small plane problems.

   They are made without pivoting, so that saddle points are MUMPS's (of a driven cavity, 21000 entries, they took 3 s to be found
   wrong, where MUMPS needs 0.06), but for the smallest, whose factors are dense (solver_dense.c).  Each is asked once for the solution of J y = b with a b that has all
   frequencies; the backward error

       |b - J y| / (|J| |y| + |b|)        (maximum norms; Higham, Accuracy and Stability, 7.1)

   has to be rounding, or the solver returns to MUMPS, which pivots. */
#include "solver_impl.h"
#include <rungown_room.h>

#define OWN_MOST    100000  /* entries up to which entries of factors are counted; on a line it costs nothing */
#define OWN_MOST_3D 3000    /* in three dimensions, where fronts are large             */
#define OWN_COPIES  8000000 /* the same of copies on several ranks, all together    */
#define OWN_PLANE   100000  /* the same in the plane                                    */
#define OWN_FEW     3000    /* the same, of each of them, wherever they are             */
#define OWN_DENSE   200     /* entries of what needs pivots up to which factors are dense */
#define OWN_RATIO   200     /* most nz/n of LU, half of it of Cholesky                  */
#define OWN_CACHE   5000000 /* nz of LU up to which Newton's method, which sweeps some ten times, gains */
#define OWN_ONCE    70      /* the same of factors that are swept once                  */
#define OWN_LONG    20      /* rows so many times longer than the mean spoil the order  */

#define ROOM      400   /* per cent of room beyond what MUMPS foresees, for a second attempt */
#define MOST_ROOM 25600 /* .. for the last one, four times as much from one to the next */
#define FEW       2000  /* entries up to which that much is little memory */

#define CONTROLS 40 /* ICNTL and CNTL of MUMPS have fewer */

/* The user has said how to factor, or how MUMPS should. */
static PetscErrorCode is_given(KSP ksp, PetscBool *given)
{
  static const char *const option[] = {"-pc_factor_mat_solver_type", "-pc_factor_mat_ordering_type"};

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, given));
  for (PetscInt i = 0; i < 2 * CONTROLS && !*given; ++i) {
    char              name[32];
    const char *const control = name;

    PetscCall(PetscSNPrintf(name, sizeof name, "-mat_mumps_%s_%" PetscInt_FMT, i % 2 ? "cntl" : "icntl", i / 2 + 1));
    PetscCall(RungSolverIsGiven(ksp, 1, &control, given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row that couples to everything (a global number, a rigid part) makes every order a bad one. */
static PetscErrorCode has_long_rows(Mat J, PetscBool *has)
{
  const PetscInt *i, *j;
  PetscInt        n, longest = 0;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  *has = PETSC_TRUE;
  if (done && n) {
    for (PetscInt row = 0; row < n; ++row) longest = PetscMax(longest, i[row + 1] - i[row]);
    *has = longest > OWN_LONG * (i[n] / n + 1) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(MatRestoreRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries below the diagonal of row k of the Cholesky factor: those of the paths in the elimination tree from the entries of row k of
   the matrix up to k, and of the tree as far as rows up to k make it (Liu, The role of elimination trees in sparse factorization, SIAM J.
   Matrix Anal. Appl. 11, 1990, algorithm 4.2 and theorem 3.3). */
static PetscInt count_row(PetscInt k, PetscInt entries, const PetscInt column[], const PetscInt place[],
                          PetscInt parent[], PetscInt ancestor[], PetscInt mark[])
{
  PetscInt nz = 0;

  parent[k] = ancestor[k] = -1;
  mark[k]                 = k;
  for (PetscInt e = 0; e < entries; ++e) {
    for (PetscInt i = place[column[e]], next; i >= 0 && i < k; i = next) {
      next        = ancestor[i];
      ancestor[i] = k;
      if (next < 0) parent[i] = k;
    }
  }
  for (PetscInt e = 0; e < entries; ++e) {
    for (PetscInt i = place[column[e]]; i < k && mark[i] != k; i = parent[i]) {
      mark[i] = k;
      ++nz;
    }
  }
  return nz;
}

/* nz of the factors of J, which this rank has as a whole, in nested dissection order: of LU as if rows and columns had the same entries */
static PetscErrorCode count_fill(Mat J, MatFactorType type, PetscReal *nz)
{
  RUNG_FREE PetscInt *work = NULL;
  const PetscInt     *start, *column, *order, *place;
  PetscInt            n;
  PetscBool           done;
  PetscInt64          below = 0;
  IS                  rows, columns, places;
  MatType             type_of_J;

  PetscFunctionBegin;
  PetscCall(MatGetType(J, &type_of_J));
  PetscCall(MatGetOrdering(J, MATORDERINGND, &rows, &columns));
  PetscCall(ISInvertPermutation(rows, PETSC_DECIDE, &places));
  PetscCall(MatGetRowIJ(J, 0, PETSC_TRUE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "entries of factors of a matrix of type %s, wanted aij, which says where its entries are", type_of_J);
  PetscCall(PetscMalloc1(3 * n, &work));
  PetscCall(ISGetIndices(rows, &order));
  PetscCall(ISGetIndices(places, &place));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt row = order[k];

    below += count_row(k, start[row + 1] - start[row], column + start[row], place, work, work + n, work + 2 * n);
  }
  *nz = (PetscReal)((type == MAT_FACTOR_LU ? 2 : 1) * below + n); /* MatRestoreRowIJ() forgets n */
  PetscCall(ISRestoreIndices(places, &place));
  PetscCall(ISRestoreIndices(rows, &order));
  PetscCall(MatRestoreRowIJ(J, 0, PETSC_TRUE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCall(ISDestroy(&places));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries up to which own factors are thought of, on a line, in the plane and in space.  On several ranks each has a copy of the whole,
   and all copies together are bounded, so that the more ranks there are, the sooner these share the work. */
static PetscInt most_entries(PetscInt dim, PetscMPIInt size)
{
  if (size > 1) return PetscMax(OWN_FEW, dim < 2 ? OWN_COPIES / size : dim == 2 ? OWN_PLANE / size : 0);
  return dim < 2 ? PETSC_MAX_INT : dim == 2 ? OWN_MOST : OWN_MOST_3D;
}

/* A factorisation by MUMPS that nobody has asked for by name, of a matrix that may do without pivots, or is small enough for dense ones. */
static PetscErrorCode may_change(RungSystem sys, KSP ksp, Mat J, MatFactorType *type, PetscBool *saddle, PetscBool *may)
{
  PetscBool       lu, cholesky, mumps, rows, given;
  MatSolverType   package;
  MatNullSpace    null;
  PetscMPIInt     size;
  RungSolverFacts facts;
  PetscInt        n;
  PC              pc;

  PetscFunctionBegin;
  *may = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, size > 1 ? MATMPIAIJ : MATSEQAIJ, &rows));
  PetscCall(RungNullSpacesGet(sys, &null));
  if (!rows || null || !(lu || cholesky)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatSolverType(pc, &package));
  PetscCall(PetscStrcmp(package, MATSOLVERMUMPS, &mumps));
  PetscCall(is_given(ksp, &given));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_ONCE, PETSC_TRUE, &facts));
  PetscCall(MatGetSize(J, &n, NULL));
  *type = lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY;
  if (!mumps || given) PetscFunctionReturn(PETSC_SUCCESS);
  *saddle = facts.saddle;
  *may    = n <= (facts.saddle ? OWN_DENSE : most_entries(facts.dim, size)) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the fill of J, which this rank has as a whole, small enough for `use`?  nz: the fill. */
static PetscErrorCode is_thin(Mat J, MatFactorType type, RungSolverUse use, PetscReal *nz, PetscBool *thin)
{
  PetscReal most = OWN_RATIO;
  PetscBool lengthy, holes;
  PetscInt  n;

  PetscFunctionBegin;
  *thin = PETSC_FALSE;
  PetscCall(has_long_rows(J, &lengthy));
  PetscCall(MatMissingDiagonal(J, &holes, NULL));
  if (lengthy || holes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(count_fill(J, type, nz));
  PetscCall(MatGetSize(J, &n, NULL));
  if (use == RUNG_SOLVE_ONCE || (use == RUNG_SOLVE_NEWTON && *nz > OWN_CACHE)) most = OWN_ONCE;
  *thin = *nz <= most * (PetscReal)n / (type == MAT_FACTOR_LU ? 1 : 2) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCReset() forgets the matrix, and a package is chosen for a matrix. */
static PetscErrorCode set_package(KSP ksp, MatSolverType package)
{
  Mat A, P;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, &P));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(PetscObjectReference((PetscObject)P));
  PetscCall(PCReset(pc));
  PetscCall(KSPSetOperators(ksp, A, P));
  PetscCall(PCFactorSetMatSolverType(pc, package));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the fill of J small enough?  Collective. */
static PetscErrorCode ask_fill(Mat J, PetscMPIInt size, MatFactorType type, RungSolverUse use, PetscReal *nz,
                               PetscBool *thin)
{
  Mat *whole;

  PetscFunctionBegin;
  if (size > 1) {
    PetscCall(RungCopyWhole(J, MAT_INITIAL_MATRIX, &whole));
    RungCallFinally(is_thin(whole[0], type, use, nz, thin), PetscCall(MatDestroySubMatrices(1, &whole)));
  } else {
    PetscCall(is_thin(J, type, use, nz, thin));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemChooseFactors(RungSystem sys, RungSolverUse use, KSP ksp, PetscBool *own)
{
  MatFactorType type;
  PetscReal     nz;
  PetscBool     saddle, thin = PETSC_FALSE;
  PetscInt      n;
  PetscMPIInt   size;
  Mat           J;
  PC            pc;

  PetscFunctionBegin;
  RungNeed(sys);
  *own = PETSC_FALSE;
  if (use == RUNG_SOLVE_KEPT && sys->ahead && sys->ahead < RUNG_OFTEN)
    use = RUNG_SOLVE_ONCE; /* it stays for few solves */
  PetscCall(KSPGetOperators(ksp, NULL, &J));
  PetscCall(may_change(sys, ksp, J, &type, &saddle, own));
  if (!*own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCall(MatGetSize(J, &n, NULL));
  if (!saddle) PetscCall(ask_fill(J, size, type, use, &nz, &thin));
  if (!thin) nz = (PetscReal)n * (PetscReal)n;
  *own = thin || n <= OWN_DENSE ? PETSC_TRUE : PETSC_FALSE;
  if (!*own) PetscFunctionReturn(PETSC_SUCCESS);
  if (!thin)
    PetscCall(RungDenseRegister());
  else if (size > 1)
    PetscCall(RungCopiesRegister());
  PetscCall(set_package(ksp, !thin ? RUNG_DENSE : size > 1 ? RUNG_COPIES : MATSOLVERPETSC));
  PetscCall(KSPGetPC(ksp, &pc));
  if (thin) PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  sys->factors = nz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDropFactors(RungSystem sys, KSP ksp)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(set_package(ksp, MATSOLVERMUMPS));
  sys->factors = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Work as long as a diagonal of J, which ksp keeps: made once.  Lent. */
static PetscErrorCode need_diagonal(KSP ksp, Mat J, Vec *diagonal)
{
  static const char name[] = "rung_diagonal";
  PetscInt          size, wanted;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ksp, name, (PetscObject *)diagonal));
  PetscCall(MatGetLocalSize(J, &wanted, NULL));
  if (*diagonal) PetscCall(VecGetLocalSize(*diagonal, &size));
  if (*diagonal && size == wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(J, diagonal, NULL));
  PetscCall(PetscObjectCompose((PetscObject)ksp, name, (PetscObject)*diagonal));
  PetscCall(PetscObjectDereference((PetscObject)*diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes a pivot below 100 u for zero, whatever the units of the equations are: permittivities on a mesh in micrometres have
   no other.  Here 1 stands for the least entry of the diagonal that is not zero, where that is smaller. */
PetscErrorCode RungSolverScalePivot(KSP ksp, Mat J)
{
  static const char *const option[] = {"-pc_factor_zeropivot"};
  PetscBool                factors, given;
  PetscReal                least = 1;
  const PetscScalar       *x;
  PetscInt                 n;
  Vec                      diagonal;
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  PetscCall(RungSolverIsGiven(ksp, 1, option, &given));
  if (!factors || given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(need_diagonal(ksp, J, &diagonal));
  PetscCall(MatGetDiagonal(J, diagonal));
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArrayRead(diagonal, &x));
  for (PetscInt i = 0; i < n; ++i) {
    if (x[i] != 0) least = PetscMin(least, PetscAbsScalar(x[i]));
  }
  PetscCall(VecRestoreArrayRead(diagonal, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_REAL, MPIU_MIN, PetscObjectComm((PetscObject)J)));
  PetscCall(PCFactorSetZeroPivot(pc, 100 * PETSC_MACHINE_EPSILON * least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b_i in [-1, 1), the fractional parts of multiples of the golden section: no pattern of a mesh fits it. */
static PetscErrorCode fill_probe(Vec b)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayWrite(b, &x));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal turn = 0.6180339887498949 * (PetscReal)i;

    x[i] = 2 * (turn - PetscFloorReal(turn)) - 1;
  }
  PetscCall(VecRestoreArrayWrite(b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode backward_error(Mat J, PC pc, PetscReal *error)
{
  PetscReal norm[3], left;
  Vec       b, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &y, &b));
  PetscCall(fill_probe(b));
  PetscCall(PCApply(pc, b, y));
  PetscCall(MatNorm(J, NORM_INFINITY, &norm[0]));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm[1]));
  PetscCall(VecNorm(b, NORM_INFINITY, &norm[2]));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(J, y, b, b));
  PetscCall(VecNorm(b, NORM_INFINITY, &left));
  *error = left / (norm[0] * norm[1] + norm[2]);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCheckFactors(RungSystem sys, KSP ksp, PetscReal most, PetscBool *good)
{
  PCFailedReason reason;
  PetscReal      error;
  Mat            J;
  PC             pc;

  PetscFunctionBegin;
  RungNeed(sys);
  *good = PETSC_FALSE;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, NULL, &J));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  if (!reason) {
    PetscCall(backward_error(J, pc, &error));
    *good = error <= most ? PETSC_TRUE : PETSC_FALSE; /* not a number is not good */
  }
  if (!*good) PetscCall(RungSystemDropFactors(sys, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pivots that wait for others take more room than MUMPS has foreseen by the places of entries, on many ranks by chance ever more; one that has
   failed factors nothing any more. */
static PetscErrorCode begin_with_room(KSP ksp, Mat J, int room)
{
  const char *prefix;
  char        option[128], value[32];
  Mat         P;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, NULL, &P));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscSNPrintf(option, sizeof option, "-%smat_mumps_icntl_14", prefix ? prefix : ""));
  PetscCall(PetscSNPrintf(value, sizeof value, "%d", room));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, J, P));
  RungCallFinally(PCSetUp(pc), PetscCall(PetscOptionsClearValue(NULL, option)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverSetUp(KSP ksp, Mat J)
{
  static const char *const option = "-mat_mumps_icntl_14"; /* others say nothing of room; null spaces set one of them */
  PCFailedReason           reason;
  PetscBool                given = PETSC_FALSE;
  PetscInt                 n;
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  if (reason == PC_FACTOR_OUTMEMORY) PetscCall(RungSolverIsGiven(ksp, 1, &option, &given));
  PetscCall(MatGetSize(J, &n, NULL));
  for (int room = ROOM; reason == PC_FACTOR_OUTMEMORY && !given && room <= (n <= FEW ? MOST_ROOM : ROOM); room *= 4) {
    PetscCall(begin_with_room(ksp, J, room));
    PetscCall(PCGetFailedReason(pc, &reason));
  }
  PetscCall(PCSetUpOnBlocks(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
