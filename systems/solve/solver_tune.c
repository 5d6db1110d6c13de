/* solver_tune.c - the preconditioner of a definite matrix that stays, by what its entries say.

   J = K + sigma M, the stiffness and all that is weighted with the step.  What decides is

       kappa = mean over free entries of K_ii / (J_ii - K_ii),

   known without knowing k, c or h, with the solves ahead and the shape of the body: solver_facts.c estimates what each way takes,
   solver_choices.def decides, and trials (solver_trial.c) tell where kappa misleads. */
#include "solver_impl.h"

#define STIFF  200 /* kappa from which on layers are looked for */
#define THIN   4   /* sides of hexahedra to each other, likewise, for few solves */
#define MOSTLY 0.5 /* of the entries are on lines               */

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
  *wants = !given &&
               (choice.row->kind == RUNG_BY_ACTION || (!strcmp(choice.ksp, KSPCG) && choice.row->kind == RUNG_BY_ICC))
             ? PETSC_TRUE
             : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over entries that are no boundary values.  Those without a mass are algebraic. */
static PetscErrorCode mean_ratio(RungSystem sys, Vec stiffness, Vec whole, PetscReal *kappa)
{
  const PetscBool   *fixed = sys->form ? sys->form->fixed : NULL;
  const PetscScalar *k, *j;
  PetscReal          mine[2] = {0, 0}, all[2];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(stiffness, &k));
  PetscCall(VecGetArrayRead(whole, &j));
  for (PetscInt i = 0; i < sys->local; ++i) {
    const PetscReal mass = PetscAbsScalar(j[i] - k[i]);

    if (fixed && fixed[i]) continue;
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

/* Is a look for lines worth its time, some ten products?  For many solves, and for few with slender hexahedra, along whose lines ICC takes up to a
   fifth of the iterations: of tetrahedra it takes as many, and 482 for 62 where diagonals of squares conduct. */
static PetscBool may_have_lines(const RungSolverFacts *facts)
{
  if (facts->vectors || !facts->rows || !facts->definite || facts->kappa < STIFF) return PETSC_FALSE;
  return facts->ahead >= RUNG_OFTEN || (facts->tensor && facts->slender >= THIN) ? PETSC_TRUE : PETSC_FALSE;
}

/* Are most entries of J on lines of strong couplings?  Incomplete factors of scalars go by layers across these. */
static PetscErrorCode look_for_lines(RungSolverFacts *facts, Mat J)
{
  PetscReal share;

  PetscFunctionBegin;
  if (!may_have_lines(facts)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLinesFind(J, &share));
  facts->lined = share > MOSTLY ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row that holds and, where it asks for one, passes its trial.  made: the preconditioner of that, the caller's; NULL: no trial */
static PetscErrorCode decide(RungSystem sys, PetscReal kappa, Mat J, KSP ksp, RungSolver *choice, PC *made)
{
  const RungSolverRow *row = NULL;
  RungSolverFacts      facts;
  PetscBool            solved = PETSC_FALSE, shell;
  const char          *prefix;

  PetscFunctionBegin;
  *made = NULL;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  PetscCall(RungSolverMeasured(sys, J, kappa, &facts));
  PetscCall(RungIsShell(J, &shell));
  if (!shell) PetscCall(look_for_lines(&facts, J));
  while (!solved) {
    row = RungSolverFind(&facts, row);
    RungSolverFill(sys, &facts, row, choice);
    if (!row->most) break;
    if (!shell || row->kind == RUNG_BY_LEVELS)
      PetscCall(RungSolverTry(sys, J, choice, row->most, prefix, &solved, made));
    if (!solved) ++row;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverSetBlocks(KSP ksp, const RungSolver *choice)
{
  PetscInt n;
  KSP     *sub;
  PC       pc;

  PetscFunctionBegin;
  if (strcmp(choice->pc, PCBJACOBI) != 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetUp(ksp)); /* makes the blocks, factors nothing */
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &sub));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(KSPGetPC(sub[i], &pc));
    PetscCall(PCSetType(pc, PCICC));
    PetscCall(PCFactorSetLevels(pc, choice->levels));
    if (choice->lines) PetscCall(RungLinesSet(pc, choice->levels));
    PetscCall(KSPSetFromOptions(sub[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ENOUGH 65536 /* cells of a rank, in the mean, whose matrices say what those of all do */
#define SOME   1024  /* .. whose matrices say how slender all are                              */

/* The diagonal of J on a line by the matrices of one of `every` cells, where it is made of these alone. */
static PetscErrorCode ask_cells(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, PetscInt every,
                                Vec diagonal, PetscBool *done)
{
  RungSystem sys = ts->sys;

  PetscFunctionBegin;
  if (!RungSystemSolved(sys)->linear) PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  PetscCall(RungFormSideDiagonal(sys, ts->part, t, ts->u, line->slope, every, diagonal, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverEvery(RungSystem sys, PetscInt enough, PetscInt *every)
{
  PetscInt64  cells = sys->form->data->cells;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPIU_INT64, MPI_SUM, sys->comm));
  *every = (PetscInt)PetscMax(1, cells / ((PetscInt64)size * enough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonals of K, on the line `rest`, and of J, which is filled; of large meshes the shares that some cells have in both, of which the
   ratios are the same. */
static PetscErrorCode fill_diagonals(RungTransientSystem ts, PetscReal t, const RungLine *rest, const RungLine *line,
                                     Vec w, Mat J, Vec stiffness, Vec whole)
{
  RungSystem sys   = ts->sys;
  PetscInt   every = 1;
  PetscBool  done  = PETSC_FALSE, shell;

  PetscFunctionBegin;
  PetscCall(RungIsShell(J, &shell));
  if (sys->form && !shell) {
    PetscCall(RungSolverEvery(sys, ENOUGH, &every));
    PetscCall(ask_cells(ts, t, rest, w, every, stiffness, &done));
    if (done && every > 1) PetscCall(ask_cells(ts, t, line, w, every, whole, &done));
  }
  if (!done) {
    PetscCall(RungTransientSystemStageJacobian(ts, t, rest, w, J));
    PetscCall(MatGetDiagonal(J, stiffness));
  }
  PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, J));
  if (!done || every == 1) PetscCall(MatGetDiagonal(J, whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How slender cells are, which multigrid on meshes is asked for. */
static PetscErrorCode look_at_cells(RungTransientSystem ts, PetscReal t, const RungLine *line)
{
  RungSystem      sys = ts->sys;
  RungSolverFacts facts;
  PetscInt        every;

  PetscFunctionBegin;
  sys->slender = sys->layered = 0;
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  if (!facts.lower || (facts.degree > 1 && (facts.dim > 2 || facts.vectors)))
    PetscFunctionReturn(PETSC_SUCCESS); /* those are asked where levels are slow */
  PetscCall(RungSolverEvery(sys, SOME, &every));
  PetscCall(RungFormSideShape(sys, ts->part, t, ts->u, line->slope, every, &sys->slender, &sys->layered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *kappa; *J is that of the line in the end */
static PetscErrorCode measure(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat J, PetscReal *kappa)
{
  RungSystem sys  = ts->sys;
  RungLine   rest = *line;
  Vec        stiffness, whole;

  PetscFunctionBegin;
  if (!sys->traits.order) { /* nothing but stiffness */
    PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, J));
    *kappa = PETSC_INFINITY;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = sys->traits.unknowns; i < (sys->traits.order + 1) * sys->traits.unknowns; ++i) rest.slope[i] = 0;
  PetscCall(RungSystemCreateVec(sys, &stiffness));
  PetscCall(VecDuplicate(stiffness, &whole));
  PetscCall(fill_diagonals(ts, t, &rest, line, w, J, stiffness, whole));
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

/* Lines are found by entries: many solves with slender hexahedra are worth those of a matrix that is applied by kernels. */
static PetscErrorCode make_entries(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat *J)
{
  RungSystem      sys = ts->sys;
  RungSolverFacts facts;
  PetscBool       shell;

  PetscFunctionBegin;
  PetscCall(RungIsShell(*J, &shell));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  facts.kappa   = sys->kappa;
  facts.slender = sys->slender;
  if (!shell || facts.ranks > 1 || facts.ahead < RUNG_OFTEN || facts.slender < THIN || !may_have_lines(&facts))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungActionMakeMat(sys, PETSC_TRUE, J));
  PetscCall(plain_products(*J));
  PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *J becomes what the choice reads: products by kernels, whole rows or what there is. */
static PetscErrorCode fit_matrix(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, RungSolver *choice,
                                 Mat *J)
{
  RungSystem      sys = ts->sys;
  RungSolverFacts facts;
  PetscBool       shell, lines;

  PetscFunctionBegin;
  PetscCall(RungIsShell(*J, &shell));
  if (choice->row->kind == RUNG_BY_LEVELS) PetscFunctionReturn(PETSC_SUCCESS);
  if (shell ? choice->row->kind == RUNG_BY_ACTION : !sys->halved || !choice->rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  facts.kappa   = sys->kappa;
  facts.slender = sys->slender;
  lines         = shell && choice->row->kind == RUNG_BY_ICC && may_have_lines(&facts) ? PETSC_TRUE : PETSC_FALSE;
  if (shell) /* lines want whole rows */
    PetscCall(
      RungActionMakeMat(sys, choice->rows || (lines && facts.ahead < RUNG_OFTEN) ? PETSC_FALSE : PETSC_TRUE, J));
  else
    PetscCall(RungTypedMakeWhole(sys, J));
  PetscCall(plain_products(*J));
  PetscCall(RungTransientSystemStageJacobian(ts, t, line, w, *J));
  if (!lines) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(look_for_lines(&facts, *J)); /* there are entries now */
  choice->lines = facts.lined;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemTuneSolver(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat *J,
                                             KSP ksp)
{
  RungNeed(ts);
  RungSystem sys = ts->sys;
  RungSolver choice;
  PetscBool  below, sure;
  PC         made;

  PetscFunctionBegin;
  if (sys->whole) PetscCall(RungTypedMakeWhole(sys, J)); /* it was made before another one became so */
  PetscCall(plain_products(*J));
  PetscCall(RungLevelsBelow(sys, &below, &sure));
  if (below) sys->keep_filled = PETSC_TRUE; /* a trial of levels asks where J was taken */
  PetscCall(measure(ts, t, line, w, *J, &sys->kappa));
  PetscCall(look_at_cells(ts, t, line));
  sys->icc_slow = PETSC_FALSE;
  PetscCall(make_entries(ts, t, line, w, J));
  PetscCall(decide(sys, sys->kappa, *J, ksp, &choice, &made));
  PetscCall(fit_matrix(ts, t, line, w, &choice, J));
  PetscCall(KSPReset(ksp)); /* another package may follow */
  if (made) PetscCall(KSPSetPC(ksp, made));
  PetscCall(PCDestroy(&made));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  if (choice.row->kind == RUNG_BY_ICC && sys->traits.definite && !choice.presumed && !choice.moving &&
      !RungSolverIsTried(choice.row) && RungSystemSolved(sys)->linear)
    PetscCall(RungSolverEndEarly(sys, choice.row, 0, ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, *J, *J));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(PetscStrncpy(sys->tuned, choice.pc, sizeof sys->tuned));
  sys->tuned_levels  = choice.levels;
  sys->tuned_next[0] = 0;
  sys->tuned_row     = choice.row->name;
  sys->tuned_reason  = choice.row->reason;
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
  if (sys->disproved)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "the matrix was taken for definite until a solve showed that it is not\n"));
  if (!sys->tuned[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "solver in use: -pc_type %s", sys->tuned));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  if (!strcmp(sys->tuned, PCICC) || !strcmp(sys->tuned, PCBJACOBI))
    PetscCall(PetscViewerASCIIPrintf(viewer, " with %" PetscInt_FMT " levels of %s", sys->tuned_levels,
                                     sys->traits.definite || RungSolverIsPresumed(sys) ? "ICC" : "ILU"));
  if (sys->action) PetscCall(PetscViewerASCIIPrintf(viewer, " on products by kernels (no matrix)"));
  if (sys->halved) PetscCall(PetscViewerASCIIPrintf(viewer, " on one half of the matrix (sbaij)"));
  PetscCall(PetscViewerASCIIPrintf(viewer, ", row \"%s\" of docs/solvers.md: %s", sys->tuned_row, sys->tuned_reason));
  if (sys->kappa < PETSC_INFINITY)
    PetscCall(PetscViewerASCIIPrintf(viewer, "; the stiffness is %.3g times the mass part of J", (double)sys->kappa));
  if (sys->slender > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "; sides of cells are %.3g to 1 in lengths of what diffuses",
                                     (double)sys->slender));
  if (sys->tuned_next[0])
    PetscCall(PetscViewerASCIIPrintf(viewer, "; it %s, and -pc_type %s took its place",
                                     sys->tuned_dearer ? "would have taken longer" : "failed", sys->tuned_next));
  if (sys->ahead) PetscCall(PetscViewerASCIIPrintf(viewer, ", %" PetscInt_FMT " solves were ahead", sys->ahead));
  if (sys->counts.trials)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %" PetscInt_FMT " trials took %.3g flops", sys->counts.trials,
                                     sys->counts.trial_flops));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
