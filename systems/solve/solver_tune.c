/* solver_tune.c - the preconditioner of a definite matrix that stays, by what its entries say.

   J = K + sigma M, the stiffness and all that is weighted with the step.  What decides is

       kappa = mean over free entries of K_ii / (J_ii - K_ii),

   some 15 times the well-known k dt/h^2 with linear tetrahedra, (c dt/h)^2 for waves, and known without knowing k, c or h.

       kappa <= 1            Jacobi: J is a mass matrix, whatever is cleverer costs more than it saves
             <= 3000         ICC, one level of fill where rows are short (P1 in space: 15 entries), none where fill is dear
             above 100       direct, kept, for vectors up to RUNG_DIRECT_KEPT entries: pays after 2 to 15 steps
             above 3000      what takes few iterations of ICC (solver_trial.c), Jacobi, and GAMG with the near null space
                             that the matrix carries
   Scalars of degree 2 on hexahedra have long rows: Jacobi in place of ICC.

   On several ranks Jacobi goes on up to 400, 10 for vectors, with degrees 1 and 2: three times the iterations of ICC,
   each a third as dear, and nothing to set up, to overlap or to fetch; on one rank both are about as good.  Of higher
   degrees, and above, ICC is that of each rank's block.  Where the stiffness couples far, kappa > 4, blocks alone
   lose what crosses their borders (twice the iterations on two ranks); then they overlap by one layer more than there
   are levels of fill, which takes as many iterations as one rank does.

   The limits of one rank were measured with heat and elastic bodies on all cells, those of several on two ranks with
   heat on tetrahedra and triangles and elastic tetrahedra, at a relative tolerance of 1e-10 from extrapolated guesses
   (docs/solvers.md). */
#include "solver_impl.h"

#define KAPPA_JACOBI 1
#define KAPPA_BLOCKS 4
#define KAPPA_SIMPLE 10 /* Jacobi for vectors on several ranks; KAPPA_ICC for others */
#define KAPPA_ICC    400
#define KAPPA_FACTOR 100 /* kept factors of vectors */
#define KAPPA_GAMG   3000
#define FEW          35  /* iterations of ICC without or with short rows that cost what a solve with multigrid does */
#define FEW_SIMPLE   120 /* those of Jacobi                     */
#define FEW_LONG     300 /* the same where rows are long, and multigrid is dear */
#define FEW_FILLED   20  /* those of ICC with a level more fill */
#define LONG_ROW     40  /* entries: a level of fill costs more than what it saves, whatever the matrix */
#define LOW_DEGREE   2   /* up to here Jacobi keeps up with ICC */
#define SHORT_ROW    20  /* entries            */
#define SHORT_PLANE  40  /* in one, two dimensions */

/* The user has decided. */
static PetscErrorCode is_given(KSP ksp, PetscBool *given)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-pc_factor_levels"};

  return RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, given);
}

PetscErrorCode RungSystemWantsTuning(RungSystem sys, KSP ksp, PetscBool *wants)
{
  RungSolver choice;
  PetscBool  given;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSolverChoose(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &choice));
  PetscCall(is_given(ksp, &given));
  *wants = !given && !strcmp(choice.ksp, KSPCG) && (!strcmp(choice.pc, PCICC) || !strcmp(choice.pc, PCBJACOBI))
             ? PETSC_TRUE
             : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries without a mass are boundary values or algebraic. */
static PetscErrorCode mean_ratio(RungSystem sys, Vec stiffness, Vec whole, PetscReal *kappa)
{
  const PetscScalar *k, *j;
  PetscReal          mine[2] = {0, 0}, all[2];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(stiffness, &k));
  PetscCall(VecGetArrayRead(whole, &j));
  for (PetscInt i = 0; i < sys->local; ++i) {
    const PetscReal mass = PetscAbsScalar(j[i] - k[i]);

    if (mass <= 1e-14 * PetscAbsScalar(j[i])) continue;
    mine[0] += PetscAbsScalar(k[i]) / mass;
    mine[1] += 1;
  }
  PetscCall(VecRestoreArrayRead(whole, &j));
  PetscCall(VecRestoreArrayRead(stiffness, &k));
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_REAL, MPIU_SUM, sys->comm));
  *kappa = all[1] > 0 ? all[0] / all[1] : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are all unknowns of degree 1 or 2?  Of callbacks nothing is known. */
static PetscErrorCode has_low_degree(RungSystem sys, PetscBool *low)
{
  PetscFunctionBegin;
  *low = sys->form ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    RungSpace            space;
    const RungSpaceData *data;

    PetscCall(RungSystemGetUnknown(sys, f, NULL, &space));
    PetscCall(RungSpaceGetData(space, &data));
    if (data->degree > LOW_DEGREE) *low = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On several ranks.  Blocks overlap where every rank has one. */
static PetscErrorCode choose_blocks(RungSystem sys, PetscReal kappa, PetscBool vectors, RungSolver *choice)
{
  PetscInt  least = sys->local;
  PetscBool low;

  PetscFunctionBegin;
  PetscCall(has_low_degree(sys, &low));
  choice->pc = low && kappa <= (vectors ? KAPPA_SIMPLE : KAPPA_ICC) ? PCJACOBI : PCBJACOBI;
  if (!strcmp(choice->pc, PCJACOBI) || kappa <= KAPPA_BLOCKS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, sys->comm));
  if (!least) PetscFunctionReturn(PETSC_SUCCESS);
  choice->pc      = PCASM;
  choice->overlap = choice->levels + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverDimension(RungSystem sys, PetscInt *dim)
{
  RungSpace            space;
  const RungSpaceData *data;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  *dim = 3;
  if (!sys->form || !sys->traits.unknowns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  *dim = mesh->dim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverChooseLongRows(RungSystem sys, RungSolver *choice)
{
  RungSpace            space;
  const RungSpaceData *data;
  const RungMeshData  *mesh;
  PetscBool            low, vectors;

  PetscFunctionBegin;
  PetscCall(has_low_degree(sys, &low));
  PetscCall(RungSolverHasVectors(sys, &vectors));
  if (!low || vectors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  if (mesh->dim == 3 && data->degree == LOW_DEGREE && !RungCellGet(mesh->type)->simplex) choice->pc = PCJACOBI;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean entries of a row by the spaces: (p + 2)^dim for tensor products of degree p, some half of that for simplices in space,
   three quarters of it in the plane. */
PetscErrorCode RungSolverRow(RungSystem sys, PetscReal *entries)
{
  PetscFunctionBegin;
  *entries = 0;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    RungSpace            space;
    const RungSpaceData *data;
    const RungMeshData  *mesh;
    PetscReal            mine;

    PetscCall(RungSystemGetUnknown(sys, f, NULL, &space));
    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungMeshGetData(data->mesh, &mesh));
    mine = PetscPowRealInt(2 + (PetscReal)data->degree, (int)mesh->dim) * (PetscReal)data->components;
    if (RungCellGet(mesh->type)->simplex) mine *= mesh->dim == 3 ? 0.5 : mesh->dim == 2 ? 0.75 : 1;
    *entries += mine;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungSolverLevels(PetscInt dim, PetscReal entries)
{
  return entries <= (dim < 3 ? SHORT_PLANE : SHORT_ROW) ? 1 : 0;
}

/* Where kappa is large: the first that takes few iterations of what is there already, Jacobi, and ICC with a level of fill
   (where cells are long it may take a thirtieth of those without, but its set-up costs as much as hundreds of iterations where
   rows are long); multigrid if none does.  row: mean entries of one */
static PetscErrorCode try_simple(RungSystem sys, Mat J, PetscReal row, PetscBool vectors, RungSolver *choice)
{
  RungSolver next = *choice;
  PetscBool  solved, low;

  PetscFunctionBegin;
  PetscCall(has_low_degree(sys, &low));
  PetscCall(RungSolverTry(J, &next, FEW, &solved));
  if (!solved && low && !vectors) {
    next.pc = PCJACOBI;
    PetscCall(RungSolverTry(J, &next, row > LONG_ROW ? FEW_LONG : FEW_SIMPLE, &solved));
  }
  if (!solved && !vectors && !choice->levels && row <= LONG_ROW) {
    next         = *choice;
    next.levels  = 1;
    next.overlap = 2;
    PetscCall(RungSolverTry(J, &next, FEW_FILLED, &solved));
  }
  if (!solved) next.pc = PCGAMG;
  *choice = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode decide(RungSystem sys, PetscReal kappa, Mat J, RungSolver *choice)
{
  MatInfo     info;
  PetscMPIInt size;
  PetscBool   vectors, half;
  PetscReal   row;
  PetscInt    dim;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCall(RungSolverDimension(sys, &dim));
  PetscCall(RungSolverHasVectors(sys, &vectors));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  PetscCall(MatGetInfo(J, MAT_GLOBAL_SUM, &info));
  memset(choice, 0, sizeof *choice);
  choice->ksp    = KSPCG;
  choice->pc     = PCICC;
  row            = (half ? 2 : 1) * info.nz_used / PetscMax(1, (PetscReal)sys->global);
  choice->levels = RungSolverLevels(dim, row);
  if (kappa <= KAPPA_JACOBI)
    choice->pc = PCJACOBI;
  else if (kappa > KAPPA_FACTOR && vectors && sys->global <= RUNG_DIRECT_KEPT)
    RungSolverDirect(sys, size, sys->global, choice);
  else if (size > 1)
    PetscCall(choose_blocks(sys, kappa, vectors, choice));
  else if (kappa <= KAPPA_GAMG)
    PetscCall(RungSolverChooseLongRows(sys, choice));
  if (kappa > KAPPA_GAMG && !strcmp(choice->ksp, KSPCG) && !sys->typed) /* multigrid wants rows */
    PetscCall(try_simple(sys, J, row, vectors, choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverSetBlocks(KSP ksp, const RungSolver *choice)
{
  const PetscBool overlap = !strcmp(choice->pc, PCASM) ? PETSC_TRUE : PETSC_FALSE;
  PetscInt        n;
  KSP            *sub;
  PC              pc;

  PetscFunctionBegin;
  if (!overlap && strcmp(choice->pc, PCBJACOBI) != 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetUp(ksp)); /* makes the blocks, factors nothing */
  PetscCall(KSPGetPC(ksp, &pc));
  if (overlap)
    PetscCall(PCASMGetSubKSP(pc, &n, NULL, &sub));
  else
    PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &sub));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(KSPGetPC(sub[i], &pc));
    PetscCall(PCSetType(pc, PCICC));
    PetscCall(PCFactorSetLevels(pc, choice->levels));
    PetscCall(KSPSetFromOptions(sub[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *kappa; *J is that of the line in the end */
static PetscErrorCode measure(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat J, PetscReal *kappa)
{
  RungSystem sys  = ts->sys;
  RungLine   rest = *line;
  Vec        stiffness, whole;

  PetscFunctionBegin;
  for (PetscInt i = sys->traits.unknowns; i < (sys->traits.order + 1) * sys->traits.unknowns; ++i) rest.slope[i] = 0;
  PetscCall(RungSystemCreateVec(sys, &stiffness));
  PetscCall(VecDuplicate(stiffness, &whole));
  PetscCall(RungTransientSystemStageJacobian(ts, t, &rest, w, J));
  PetscCall(MatGetDiagonal(J, stiffness));
  PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, J));
  PetscCall(MatGetDiagonal(J, whole));
  PetscCall(mean_ratio(sys, stiffness, whole, kappa));
  PetscCall(VecDestroy(&stiffness));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products with inodes take twice as long. */
static PetscErrorCode plain_products(Mat J)
{
  PetscBool rows;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &rows, MATSEQAIJ, MATMPIAIJ, ""));
  if (rows) PetscCall(MatSetOption(J, MAT_USE_INODES, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemTuneSolver(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat *J,
                                             KSP ksp)
{
  RungNeed(ts);
  RungSystem sys = ts->sys;
  RungSolver choice;

  PetscFunctionBegin;
  if (sys->whole) PetscCall(RungTypedMakeWhole(sys, J)); /* it was made before another one became so */
  PetscCall(plain_products(*J));
  PetscCall(measure(ts, t, line, w, *J, &sys->kappa));
  PetscCall(decide(sys, sys->kappa, *J, &choice));
  if (sys->halved && !strcmp(choice.pc, PCGAMG)) { /* it wants rows */
    PetscCall(RungTypedMakeWhole(sys, J));
    PetscCall(plain_products(*J));
    PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, *J));
  }
  PetscCall(KSPReset(ksp)); /* another package may follow */
  PetscCall(RungSolverApply(ksp, &choice));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, *J, *J));
  PetscCall(PetscStrncpy(sys->tuned, choice.pc, sizeof sys->tuned));
  sys->tuned_levels = choice.levels;
  PetscCall(RungSolverSetBlocks(ksp, &choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverViewTuned(RungSystem sys, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (sys->factors > 0)
    PetscCall(
      PetscViewerASCIIPrintf(viewer,
                             "factors in use: -pc_factor_mat_solver_type petsc, %.3g entries, swept faster than "
                             "those of MUMPS\n",
                             (double)sys->factors));
  if (!sys->tuned[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "solver in use: -pc_type %s", sys->tuned));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  if (!strcmp(sys->tuned, PCICC) || !strcmp(sys->tuned, PCBJACOBI) || !strcmp(sys->tuned, PCASM))
    PetscCall(PetscViewerASCIIPrintf(viewer, " with %" PetscInt_FMT " levels of ICC", sys->tuned_levels));
  if (sys->halved) PetscCall(PetscViewerASCIIPrintf(viewer, " on one half of the matrix (sbaij)"));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, ", since the stiffness is %.3g times the mass part of J\n", (double)sys->kappa));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
