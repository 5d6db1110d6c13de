/* solver.c - linear solvers by the table of choices; always before KSPSetFromOptions().

   What is known without a matrix decides first (solver_facts.c, solver_choices.def).  With which preconditioner conjugate gradients
   solve a definite matrix that stays is decided when it is there (solver_tune.c).  Newton's method keeps the factors of an older
   matrix while they precondition the present one well: a factorisation costs as much as some twenty sweeps. */
#define _GNU_SOURCE /* dladdr */
#include "levels_impl.h"
#include <dlfcn.h>
#include <stdlib.h>

#define RUNG_DIRECT_TINY   500   /* PETSc's own factorisation, which has no set-up to speak of; has no pivoting */
#define RUNG_DIRECT_LAGGED 2000  /* Newton keeps factors from here on                                           */
#define RUNG_RESTART       30    /* of GMRES, PETSc's own                                                       */
#define RUNG_MOST          2000  /* iterations                                                                  */
#define RUNG_MOST_SIMPLE   10000 /* .. of Jacobi, where one is cheap                                           */
#define RUNG_MOST_PRESUMED 300   /* .. of conjugate gradients where J is taken for definite; thrice as many of Jacobi */
#define RUNG_MOST_LEVELS   50    /* .. of multigrid on degrees: a body that takes more is not for it           */

/* Declared algebraic entries leave zeros on the diagonal. */
static PetscBool needs_pivoting(RungSystem sys)
{
  MatNullSpace null;

  (void)RungNullSpacesGet(sys, &null);
  if (null) return PETSC_TRUE;
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    if (sys->traits.unknown_order[f] <= 0) return PETSC_TRUE;
  }
  return sys->differential || sys->rated ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungSolverMixesRates(RungSystem sys)
{
  for (PetscInt f = 1; sys->rates && f < sys->traits.unknowns; ++f) {
    if (PetscMax(0, sys->traits.unknown_order[f]) != PetscMax(0, sys->traits.unknown_order[0])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Blocks are weighted by unknown: where rates of first and of second order meet, alpha methods weight the two sides of a
   symmetric coupling apart.  Values have weight 1 everywhere. */
static PetscBool stays_symmetric(RungSystem sys)
{
  PetscInt order = 0;

  if (RungSolverMixesRates(sys)) return PETSC_FALSE;
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscInt mine = PetscMax(0, sys->traits.unknown_order[f]);

    if (order && mine && mine != order) return PETSC_FALSE;
    order = PetscMax(order, mine);
  }
  return sys->traits.symmetric;
}

static void fill_factors(RungSystem sys, const RungSolverFacts *facts, RungSolver *choice)
{
  const PetscBool own  = facts->ranks == 1 && facts->n <= RUNG_DIRECT_TINY && !needs_pivoting(sys) ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;
  const PetscBool baij = sys->typed && !strcmp(sys->mat_type, MATBAIJ) ? PETSC_TRUE : PETSC_FALSE;

  choice->ksp = KSPPREONLY;
  choice->pc  = (facts->mass || stays_symmetric(sys)) && !baij ? PCCHOLESKY : PCLU; /* MUMPS has no Cholesky of BAIJ */
  choice->package = own ? MATSOLVERPETSC : MATSOLVERMUMPS;
}

/* Of each rank's block.  Blocks that overlap take as many iterations, which are dearer. */
static void fill_icc(const RungSolverFacts *facts, const RungSolverRow *row, RungSolver *choice)
{
  choice->pc     = facts->ranks == 1 ? PCICC : PCBJACOBI;
  choice->levels = row->levels;
  choice->lines  = facts->lined;
}

PetscBool RungSolverIsTried(const RungSolverRow *row)
{
  return row->most && (row->kind == RUNG_BY_ILU || row->kind == RUNG_BY_HYPRE) ? PETSC_TRUE : PETSC_FALSE;
}

void RungSolverFill(RungSystem sys, const RungSolverFacts *facts, const RungSolverRow *row, RungSolver *choice)
{
  memset(choice, 0, sizeof *choice);
  choice->row      = row;
  choice->ksp      = facts->definite ? KSPCG : KSPGMRES;
  choice->presumed = !facts->mass && RungSolverIsPresumed(sys) ? PETSC_TRUE : PETSC_FALSE;
  switch (row->kind) {
  case RUNG_BY_FACTORS: fill_factors(sys, facts, choice); break;
  case RUNG_BY_JACOBI:
  case RUNG_BY_ACTION: choice->pc = PCJACOBI; break;
  case RUNG_BY_ICC: fill_icc(facts, row, choice); break;
  case RUNG_BY_ILU: choice->pc = facts->ranks == 1 ? PCILU : PCBJACOBI; break;
  case RUNG_BY_HYPRE: choice->pc = PCHYPRE; break;
  case RUNG_BY_GAMG: choice->pc = PCGAMG; break;
  case RUNG_BY_LEVELS: choice->pc = PCMG; break;
  case RUNG_BY_SADDLE:
    choice->ksp = KSPFGMRES;
    choice->pc  = PCFIELDSPLIT;
    break;
  }
  choice->moving = facts->moving && (row->kind == RUNG_BY_ICC || row->kind == RUNG_BY_JACOBI) ? PETSC_TRUE
                                                                                              : PETSC_FALSE;
  if (RungSolverIsTried(row)) choice->ksp = KSPFGMRES; /* the true residual decides whether it was enough */
  choice->rows = row->kind == RUNG_BY_HYPRE || row->kind == RUNG_BY_GAMG ||
                     (row->kind == RUNG_BY_FACTORS && facts->dim < (facts->ranks == 1 ? 3 : 2) &&
                      facts->ahead >= RUNG_OFTEN)
                   ? PETSC_TRUE
                   : PETSC_FALSE;
  if ((choice->presumed || row->kind == RUNG_BY_SADDLE) && facts->newton)
    choice->rtol = RUNG_NEWTON_RTOL; /* Newton takes as many steps */
  if (row->kind == RUNG_BY_FACTORS && facts->newton && facts->n > RUNG_DIRECT_LAGGED) {
    choice->ksp  = KSPFGMRES; /* one sweep less than GMRES, and the true residual */
    choice->rtol = RUNG_NEWTON_RTOL;
  }
}

/* stage: internal variables are eliminated */
PetscErrorCode RungSolverChoose(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolver *choice)
{
  RungSolverFacts facts;

  PetscFunctionBegin;
  PetscCall(RungSolverGather(sys, use, stage, &facts));
  RungSolverFill(sys, &facts, RungSolverFind(&facts, NULL), choice);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverIsGiven(KSP ksp, size_t n, const char *const option[], PetscBool *given)
{
  const char *prefix;

  PetscFunctionBegin;
  *given = PETSC_FALSE;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (size_t i = 0; i < n; ++i) {
    PetscBool set;

    PetscCall(PetscOptionsHasName(NULL, prefix, option[i], &set));
    if (set) *given = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's defaults are for the plane.  Options are the only way to say it; what the user says stays. */
static PetscErrorCode tune_hypre(KSP ksp, PC pc)
{
  static const char *const pair[][2] = {
    {"strong_threshold", "0.5"}, {"coarsen_type", "HMIS"}, {"interp_type", "ext+i"}, {"agg_nl", "1"}, {"P_max", "4"}};
  PetscBool   set[PETSC_STATIC_ARRAY_LENGTH(pair)];
  const char *prefix;
  char        name[128];

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(pair); ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "-%spc_hypre_boomeramg_%s", prefix ? prefix : "", pair[i][0]));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &set[i]));
    if (!set[i]) PetscCall(PetscOptionsSetValue(NULL, name, pair[i][1]));
  }
  PetscCall(PCSetFromOptions(pc));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(pair); ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "-%spc_hypre_boomeramg_%s", prefix ? prefix : "", pair[i][0]));
    if (!set[i]) PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverApply(RungSystem sys, KSP ksp, const RungSolver *choice)
{
  const PetscBool few    = RungSolverIsTried(choice->row);
  const PetscBool jacobi = !strcmp(choice->pc, PCJACOBI) ? PETSC_TRUE : PETSC_FALSE;
  PetscInt        most   = few ? choice->row->most : jacobi ? RUNG_MOST_SIMPLE : RUNG_MOST;
  PC              pc;

  PetscFunctionBegin;
  if (choice->row->kind == RUNG_BY_LEVELS) {
    PetscCall(RungLevelsAttach(sys, ksp));
    PetscCall(KSPSetTolerances(ksp, choice->rtol > 0 ? choice->rtol : RUNG_KSP_RTOL, PETSC_CURRENT, PETSC_MAX_REAL,
                               RUNG_MOST_LEVELS));
    PetscCall(RungSolverEndEarly(sys, choice->row, 0, ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (choice->row->kind == RUNG_BY_SADDLE) most = choice->row->most;
  if (choice->presumed) most = (jacobi ? 3 : 1) * RUNG_MOST_PRESUMED;
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(KSPSetType(ksp, choice->ksp));
  PetscCall(KSPSetTolerances(ksp, choice->rtol > 0 ? choice->rtol : RUNG_KSP_RTOL, PETSC_CURRENT, PETSC_MAX_REAL,
                             most)); /* a guess may leave any multiple of a right-hand side that has died away */
  PetscCall(KSPGetPC(ksp, &pc));
  if (choice->lines && !strcmp(choice->pc, PCICC))
    PetscCall(RungLinesSet(pc, choice->levels));
  else
    PetscCall(PCSetType(pc, choice->pc));
  if (!strcmp(choice->ksp, KSPCG))
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED)); /* what errors are told in */
  if (few) PetscCall(KSPGMRESSetRestart(ksp, most));
  if (choice->row->kind == RUNG_BY_SADDLE) {
    PetscCall(RungNullSpacesSplit(sys, pc));
    PetscCall(RungSaddlePrepare(sys, ksp));
    PetscCall(RungSolverEndEarly(sys, choice->row, 0, ksp));
  }
  if (choice->package) PetscCall(PCFactorSetMatSolverType(pc, choice->package));
  if (!strcmp(choice->pc, PCICC) || !strcmp(choice->pc, PCILU)) PetscCall(PCFactorSetLevels(pc, choice->levels));
  if (!strcmp(choice->pc, PCHYPRE)) PetscCall(tune_hypre(ksp, pc));
  if (choice->moving || choice->row->kind == RUNG_BY_HYPRE || choice->row->kind == RUNG_BY_GAMG ||
      (few && sys->traits.symmetric))
    PetscCall(RungSolverEndEarly(sys, choice->row, 0, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that are solved with by themselves: what has no term of its own has a block of zeros, which a Schur complement alone takes the place
   of.  What nothing but a number in R holds is singular without it. */
static PetscErrorCode check_splits(RungSystem sys, KSP ksp)
{
  const PetscInt   n = sys->form ? sys->form->unknowns : 0;
  const PetscBool *couple, *fixed;
  const char      *prefix;
  char             type[64] = "";
  PetscBool        set, schur;
  PC               pc;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_fieldsplit_type", type, sizeof type, &set));
  PetscCall(PetscStrcmp(type, "schur", &schur));
  PetscCall(KSPGetPC(ksp, &pc));
  if (!set) PetscCall(RungSaddleIs(pc, &schur));
  if (n < 2 || schur) PetscFunctionReturn(PETSC_SUCCESS);
  RungCondensePattern(sys, PETSC_FALSE, &couple, &fixed);
  for (PetscInt f = 0; f < n; ++f) {
    char option[128];

    PetscCall(PetscSNPrintf(option, sizeof option, "-fieldsplit_%s_pc_type", sys->form->name[f]));
    PetscCall(PetscOptionsHasName(NULL, prefix, option, &set)); /* who says so has a solver for it */
    PetscCheck(
      set || couple[f * n + f], sys->comm, PETSC_ERR_SUP,
      "-pc_type fieldsplit solves with a block for each unknown, and \"%s\" has no term of its own in its equation, so "
      "that its "
      "block is zero; leave -pc_type away, take -pc_type lu, or -pc_fieldsplit_type schur where the other unknowns "
      "have solutions without it",
      sys->form->name[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -pc_type fieldsplit of this solver: one split for each unknown, by its name, so that its options find them. */
static PetscErrorCode prepare_splits(RungSystem sys, KSP ksp)
{
  const char *prefix;
  char        type[64] = "";
  PetscBool   set, split;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  PetscCall(PetscStrcmp(type, PCFIELDSPLIT, &split));
  if (!split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(ksp, KSPGMRES)); /* a factorisation would be applied once */
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  PetscCall(RungNullSpacesSplit(sys, pc));
  PetscCall(RungSaddlePrepare(sys, ksp));
  PetscCall(check_splits(sys, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix wants a factorisation that finds its null pivots; what the user says stays. */
static PetscErrorCode prepare_singular(RungSystem sys, KSP ksp)
{
  MatNullSpace null;
  const char  *prefix;
  char         option[128];
  PetscBool    set;

  PetscFunctionBegin;
  PetscCall(RungNullSpacesGet(sys, &null));
  if (!null) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscSNPrintf(option, sizeof option, "-%smat_mumps_icntl_24", prefix ? prefix : ""));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, option, "1"));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set)); /* nobody is told that he gave it and it was not used */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who has named a solver says himself how many iterations it may take. */
static PetscErrorCode leave_iterations(KSP ksp)
{
  static const char *const option[] = {"-ksp_type", "-pc_type"};
  PetscBool                given;

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  if (given) PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, RUNG_MOST));
  if (given) PetscCall(KSPGMRESSetRestart(ksp, RUNG_RESTART));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverTakeNext(RungSystem sys, KSP ksp, RungSolverUse use)
{
  RungSolverFacts facts;
  RungSolver      choice;
  PC              made;

  PetscFunctionBegin;
  PetscCall(RungSolverGather(sys, use, PETSC_TRUE, &facts));
  facts.convective = facts.split = PETSC_FALSE;
  RungSolverFill(sys, &facts, RungSolverFind(&facts, NULL), &choice);
  PetscCall(RungSolverTakeFactors(ksp, choice.pc, &made));
  PetscCall(KSPReset(ksp));
  if (made) PetscCall(KSPSetPC(ksp, made)); /* set up: they are not made twice */
  PetscCall(PCDestroy(&made));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is taken once the solves ahead are known, or signs have been presumed, and may make place: -system_view tells it at the end. */
static PetscErrorCode tell(RungSystem sys, RungSolverUse use, const RungSolver *choice)
{
  const PetscBool tried = RungSolverIsTried(choice->row) || choice->row->kind == RUNG_BY_SADDLE ||
                              (choice->row->kind == RUNG_BY_LEVELS && !sys->traits.definite)
                            ? PETSC_TRUE
                            : PETSC_FALSE;

  PetscFunctionBegin;
  if (!tried && (use != RUNG_SOLVE_NEWTON ||
                 !(sys->presumption == RUNG_PRESUMED_DEFINITE || sys->presumption == RUNG_PRESUMED_WRONGLY)))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(sys->tuned, choice->pc, sizeof sys->tuned));
  sys->tuned_levels  = choice->levels;
  sys->tuned_next[0] = 0;
  sys->tuned_row     = choice->row->name;
  sys->tuned_reason  = choice->row->reason;
  sys->kappa         = PETSC_INFINITY; /* nobody has measured it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetSolverDefaults(RungSystem sys, KSP ksp, RungSolverUse use)
{
  RungSolverFacts facts;
  RungSolver      choice;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSolverGather(sys, use, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, RungSolverFind(&facts, NULL), &choice);
  PetscCall(RungSolverFactorsGiven(sys, ksp, &facts, &choice));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverFollow(sys, facts.definite, ksp));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(tell(sys, use, &choice));
  if (RungSolverIsTried(choice.row)) PetscCall(leave_iterations(ksp));
  PetscCall(prepare_singular(sys, ksp));
  PetscCall(prepare_splits(sys, ksp));
  PetscCall(RungLevelsPrepare(sys, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After each solve of a start: what the user has chosen is proved, what the null space leaves open is taken out. */
static PetscErrorCode finish_start(KSP ksp, Vec b, Vec x, void *ctx)
{
  RungSystem   sys = (RungSystem)ctx;
  MatNullSpace null;
  Mat          J;

  PetscFunctionBegin;
  if (sys->given_solver) PetscCall(RungSolverProve(sys, ksp, b, x));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(MatGetNullSpace(J, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the table for a start, whose matrix is AIJ or a shell and which is not repeated. */
static PetscErrorCode choose_for_start(RungSystem sys, RungSolverUse use, PetscBool matrix_free, PetscBool one_order,
                                       PetscBool constraints, RungSolverFacts *facts, RungSolver *choice)
{
  const PetscBool       general = sys->matrix_free, typed = sys->typed;
  const RungTraits      traits      = sys->traits;
  const RungPresumption presumption = sys->presumption;

  PetscFunctionBegin;
  sys->matrix_free = matrix_free;
  sys->typed       = PETSC_FALSE;
  sys->presumption = RUNG_PRESUMED_NOTHING;
  if (!one_order) sys->traits.symmetric = sys->traits.definite = PETSC_FALSE;
  PetscCall(RungSolverGather(sys, use, PETSC_FALSE, facts));
  facts->start       = PETSC_TRUE;
  facts->constraints = constraints;
  if (!facts->mass) facts->n -= RungCondensedEntries(sys); /* a factorisation takes them out point by point */
  RungSolverFill(sys, facts, RungSolverFind(facts, NULL), choice);
  sys->matrix_free = general;
  sys->typed       = typed;
  sys->traits      = traits;
  sys->presumption = presumption;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSplitStart(RungSystem sys, KSP ksp, PetscBool *split)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-ksp_max_it", "-ksp_rtol"};
  RungSolverFacts          facts;
  RungSolver               choice;
  PetscBool                given;

  PetscFunctionBegin;
  PetscCall(choose_for_start(sys, RUNG_SOLVE_ONCE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, &facts, &choice));
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  *split = choice.row->kind == RUNG_BY_SADDLE && !given ? PETSC_TRUE : PETSC_FALSE;
  if (!*split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPReset(ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetMassSolver(RungSystem sys, RungSolverUse use, PetscBool matrix_free, PetscBool one_order,
                                       KSP ksp)
{
  const RungTraits *traits = &sys->traits;
  const PetscBool   mass   = one_order && traits->mass && !traits->conserved ? PETSC_TRUE : PETSC_FALSE;
  RungSolverFacts   facts;
  RungSolver        choice;
  void             *test;

  PetscFunctionBegin;
  PetscCall(choose_for_start(sys, mass ? RUNG_SOLVE_MASS : use, matrix_free, one_order, PETSC_FALSE, &facts, &choice));
  PetscCall(KSPConvergedDefaultCreate(&test));
  PetscCall(
    KSPSetConvergenceTest(ksp, KSPConvergedDefault, test, KSPConvergedDefaultDestroy)); /* not that of a split */
  if (!strcmp(choice.ksp, KSPCG)) choice.pc = PCJACOBI, choice.levels = 0;
  PetscCall(KSPSetOptionsPrefix(ksp, "mass_"));
  PetscCall(RungSolverFactorsGiven(sys, ksp, &facts, &choice));
  if (choice.package) choice.package = MATSOLVERMUMPS; /* it pivots, and it knows a singular matrix */
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverFollow(sys, mass || (one_order && traits->definite) ? PETSC_TRUE : PETSC_FALSE, ksp));
  if (mass) /* whose densities may have a sign that the text does not show */
    PetscCall(RungSolverWatch(sys, ksp, &choice));
  else
    PetscCall(KSPSetPostSolve(ksp, finish_start, sys));
  PetscCall(prepare_singular(sys, ksp));
  PetscCall(prepare_splits(sys, ksp));
  PetscCall(RungLevelsPrepare(sys, ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- view ---------------------------------------------------------------------------------------------------------
 */

/* The library that dgemm_ comes from, symbolic links followed. */
static PetscErrorCode view_blas(PetscViewer viewer)
{
  Dl_info info;
  char   *path  = NULL;
  void   *dgemm = dlsym(RTLD_DEFAULT, "dgemm_");

  PetscFunctionBegin;
  if (dgemm && dladdr(dgemm, &info) && info.dli_fname) path = realpath(info.dli_fname, NULL);
  PetscCall(PetscViewerASCIIPrintf(viewer, "BLAS: %s\n", path ? path : "linked statically"));
  free(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_presumed(RungSystem sys, RungSolverUse use, RungSolver *choice)
{
  PetscFunctionBegin;
  PetscCall(RungSolverPresume(sys));
  if (!RungSolverIsPresumed(sys)) sys->traits.definite = PETSC_TRUE; /* fields may show it */
  PetscCall(RungSolverChoose(sys, use, PETSC_TRUE, choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the first solve signs are open that the text does not show: fields and constants are asked then, others presumed. */
static PetscErrorCode view_open_sign(RungSystem sys, RungSolverUse use, PetscViewer viewer)
{
  const RungTraits *traits = &sys->traits;
  RungSolver        choice;

  PetscFunctionBegin;
  if (traits->definite || !traits->symmetric || traits->unknowns > 1 || !sys->form ||
      sys->presumption != RUNG_PRESUMED_NOTHING)
    PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(choose_presumed(sys, use, &choice), sys->traits.definite = PETSC_FALSE;
                  sys->presumption = RUNG_PRESUMED_NOTHING);
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "row \"%s\" where the first solve finds or presumes that the matrix is definite\n", choice.row->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a system with explicit(..) matrices are those of its implicit part, as methods that split it have them. */
PetscErrorCode RungSystemViewSolver(RungSystem sys, PetscViewer viewer)
{
  const RungTraits    *traits = sys->split ? &sys->implicit : &sys->traits;
  const RungSystemPart part   = sys->part;
  const RungSolverUse  use    = !traits->linear             ? RUNG_SOLVE_NEWTON
                                : traits->constant_jacobian ? RUNG_SOLVE_KEPT
                                                            : RUNG_SOLVE_ONCE;
  RungSolver           choice;

  PetscFunctionBegin;
  RungSystemTakePart(sys, RUNG_IMPLICIT);
  RungCallFinally(RungSolverChoose(sys, use, PETSC_TRUE, &choice), RungSystemTakePart(sys, part));
  PetscCall(PetscViewerASCIIPrintf(viewer, "solver by default: -ksp_type %s -pc_type %s%s%s, -ksp_rtol %g\n",
                                   choice.ksp, choice.pc, choice.package ? " -pc_factor_mat_solver_type " : "",
                                   choice.package ? choice.package : "",
                                   choice.rtol > 0 ? choice.rtol : RUNG_KSP_RTOL));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "row \"%s\" of docs/solvers.md: %s\n", choice.row->name, choice.row->reason));
  PetscCall(view_open_sign(sys, use, viewer));
  PetscCall(RungSolverViewTuned(sys, viewer));
  PetscCall(view_blas(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
