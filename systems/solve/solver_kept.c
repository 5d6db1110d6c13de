/* solver_kept.c - the matrix of a Jacobian that stays: one half, products by kernels, or whole rows. */
#include "levels_impl.h"

/* Does half of a symmetric matrix pay?  Of vectors on any ranks, unless explicit terms couple components that the rest mostly does not: rows are made
   thin there (line_thin.c).  Of scalars on one: products with a half send what other ranks own there and back.  20 steps of heat on two ranks
   take with whole rows on P1 tetrahedra 0.82 to 0.94 of the time, in the plane 0.93, on Q1 in a flat box 0.64, on P2 1.03, in the memory of the
   other half; elastic bodies 1.5. */
static PetscErrorCode half_pays(RungSystem sys, PetscBool *pays)
{
  PetscMPIInt size;
  PetscBool   points;
  PetscInt    components;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCall(RungSystemGetComponents(sys, 0, &components, &points));
  *pays = components > 1 ? !sys->split : size == 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half of a symmetric matrix is enough if nothing asks for its rows: no constraints, bounds or null space, no type and no
   solver of the blocks that the user has chosen. */
static PetscErrorCode half_fits(RungSystem sys, KSP ksp, PetscBool *fits)
{
  const char *prefix;
  PetscBool   wants, plain, set, pays;

  PetscFunctionBegin;
  *fits = PETSC_FALSE;
  if (sys->whole || !sys->form || sys->form->unknowns > 1 || sys->mat_type[0] || !sys->traits.symmetric)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(half_pays(sys, &pays));
  if (!pays) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemWantsTuning(sys, ksp, &wants));
  PetscCall(RungSystemHasRhs(sys, &plain));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-sub_pc_type", &set));
  *fits = wants && plain && !set ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -pc_type mg on levels of the system, whose smoothers are left to us: others may want entries. */
static PetscErrorCode levels_are_given(RungSystem sys, KSP ksp, PetscBool *given)
{
  static const char *const smoother[] = {"-mg_levels_pc_type"};
  RungSolverFacts          facts;
  const char              *prefix;
  char                     type[64] = "", option[64];
  PetscBool                set, other;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  *given = set && !strcmp(type, PCMG) ? PETSC_TRUE : PETSC_FALSE;
  if (!*given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverIsGiven(ksp, 1, smoother, &other));
  for (PetscInt i = 1; i < RUNG_LEVELS_MOST && !other; ++i) {
    PetscCall(PetscSNPrintf(option, sizeof option, "-mg_levels_%" PetscInt_FMT "_pc_type", i));
    PetscCall(PetscOptionsHasName(NULL, prefix, option, &other));
  }
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  *given = facts.lower && !other ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Long rows are not assembled: what RungSystemWantsTuning() was asked for, or the user's multigrid, has the row `action` of the table of
   choices. */
static PetscErrorCode action_fits(RungSystem sys, KSP ksp, PetscBool *fits)
{
  static const char *const sub[] = {"-sub_pc_type"};
  RungSolver               choice;
  PetscBool                wants, levels, set;

  PetscFunctionBegin;
  PetscCall(RungSolverChoose(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &choice));
  PetscCall(RungSystemWantsTuning(sys, ksp, &wants));
  PetscCall(levels_are_given(sys, ksp, &levels));
  PetscCall(RungSolverIsGiven(ksp, 1, sub, &set));
  *fits = (wants || levels) && choice.row->kind == RUNG_BY_ACTION && !set ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateKeptMat(RungSystem sys, KSP ksp, Mat *J)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(action_fits(sys, ksp, &sys->action));
  if (!sys->action) PetscCall(half_fits(sys, ksp, &sys->halved));
  if (sys->action)
    PetscCall(RungShellCreate(sys, J));
  else if (sys->halved)
    PetscCall(RungTypedCreateMat(sys, J));
  else
    PetscCall(RungSystemCreateStageMat(sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateKeptMatLike(RungSystem sys, KSP ksp, Mat other, Mat *J)
{
  PetscBool plain, assembled, shell;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(J);
  PetscCall(RungSystemHasRhs(sys, &plain));
  PetscCall(MatAssembled(other, &assembled));
  PetscCall(RungIsShell(other, &shell));
  if (!plain || !assembled || shell || !sys->form) {
    PetscCall(RungSystemCreateKeptMat(sys, ksp, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatDuplicate(other, MAT_DO_NOT_COPY_VALUES, J));
  PetscCall(RungNullSpacesAttach(sys, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemForgetKeptMat(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungConstantForget(sys)); /* blocks have the type, too */
  sys->action = sys->halved = PETSC_FALSE;
  sys->tuned[0]             = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungActionMakeMat(RungSystem sys, PetscBool half, Mat *J)
{
  PetscFunctionBegin;
  if (half) PetscCall(half_pays(sys, &half));
  sys->action = PETSC_FALSE;
  sys->halved = half && !sys->whole && sys->traits.symmetric ? PETSC_TRUE : PETSC_FALSE;
  sys->whole  = sys->halved ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(MatDestroy(J));
  if (sys->halved)
    PetscCall(RungTypedCreateMat(sys, J));
  else
    PetscCall(RungSystemCreateStageMat(sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}
