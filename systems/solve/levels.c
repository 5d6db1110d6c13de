/* levels.c - coarser levels of a system on its own mesh: degrees p, p/2, .., 1, or those of -system_levels.

   A level has the same forms in spaces of lower degree (coarse.c); it is made once and kept as long as the system.  What the
   levels cannot be made for is refused with the reason. */
#include "levels_impl.h"

/* ---- what has levels ------------------------------------------------------------------------------------------------ */

static PetscErrorCode highest_degree(RungSystem sys, PetscInt *degree)
{
  PetscFunctionBegin;
  *degree = 0;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (!space->single && !space->quadrature) *degree = PetscMax(*degree, space->degree);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsBelow(RungSystem sys, PetscBool *below)
{
  PetscInt degree = 0;

  PetscFunctionBegin;
  if (sys->form) PetscCall(highest_degree(sys, &degree));
  *below = degree > 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one unknown: values at points have to be eliminated, what has no term of its own on the diagonal has no smoother. */
static PetscErrorCode explain_unknown(RungSystem sys, PetscInt f, char why[], size_t size)
{
  const RungFormSide   form = sys->form;
  const char          *name = form->name[f];
  const PetscBool     *couple, *fixed;
  const RungSpaceData *space;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(form->space[f], &space));
  RungCondensePattern(sys, form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  for (PetscInt g = 0; g < form->unknowns; ++g) n += couple[f * form->unknowns + g] ? 1 : 0;
  if (space->quadrature && (n || sys->matrix_free))
    PetscCall(PetscSNPrintf(why, size,
                            "\"%s\" at the points of a rule stays in the matrix; wanted -system_mat_type aij and "
                            "-system_condense true",
                            name));
  else if (space->quadrature && !sys->traits.linear)
    PetscCall(
      PetscSNPrintf(why, size,
                    "\"%s\" at the points of a rule has been found for the unknowns of the system, not for those of a "
                    "coarser level; of a linear system it needs no state",
                    name));
  else if (!space->quadrature && !couple[f * form->unknowns + f])
    PetscCall(PetscSNPrintf(why, size,
                            "\"%s\" has no term of its own in its equation, which leaves zeros on the diagonal; "
                            "take -pc_type fieldsplit",
                            name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsExplain(RungSystem sys, char why[], size_t size)
{
  PetscInt degree;

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(RungSystemSetUp(sys));
  if (!sys->form) {
    PetscCall(PetscStrncpy(why, "it has callbacks, and nobody knows them on a coarser level", size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(highest_degree(sys, &degree));
  if (degree < 2)
    PetscCall(PetscStrncpy(why, "no unknown has a degree above 1: there is no lower one", size));
  else if (sys->form->bounds)
    PetscCall(PetscStrncpy(why, "its unknowns have bounds, and rows at a bound leave the matrix", size));
  for (PetscInt i = 0; i < sys->form->constraint_texts && !why[0]; ++i) {
    if (sys->form->constraint_text[i].kind == RUNG_CONSTRAINT_POINTS)
      PetscCall(
        PetscStrncpy(why, "a constraint names nodes by their places, which a coarser level need not have", size));
  }
  for (PetscInt f = 0; f < sys->form->unknowns && !why[0]; ++f) PetscCall(explain_unknown(sys, f, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- levels --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(RungContainerArg arg)
{
  RungLevels *levels = (RungLevels *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_LEVELS_MOST; ++i) {
    PetscCall(MatDestroy(&levels->P[i]));
    PetscCall(RungNestedDestroy(&levels->down[i]));
    if (i < levels->n - 1) PetscCall(RungSystemDestroy(&levels->sys[i]));
  }
  PetscCall(PetscFree(levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* degree[n], ascending, the system's own behind them */
static PetscErrorCode choose_degrees(RungSystem sys, PetscInt degree[], PetscInt *n)
{
  PetscInt highest, down[RUNG_LEVELS_MOST];

  PetscFunctionBegin;
  PetscCall(highest_degree(sys, &highest));
  *n = 0;
  if (sys->level_degrees) {
    for (PetscInt i = 0; i < sys->level_degrees; ++i) {
      PetscCheck(sys->level_degree[i] >= 1 && sys->level_degree[i] < (i ? sys->level_degree[i - 1] : highest),
                 sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
                 "-system_levels: degree %" PetscInt_FMT " below %" PetscInt_FMT "; wanted degrees of at least 1 that "
                 "descend from below that of the unknowns, as in -system_levels 2,1",
                 sys->level_degree[i], i ? sys->level_degree[i - 1] : highest);
      down[(*n)++] = sys->level_degree[i];
    }
  } else
    for (PetscInt p = highest / 2; p >= 1 && *n < RUNG_LEVELS_MOST - 1; p /= 2) down[(*n)++] = p;
  for (PetscInt i = 0; i < *n; ++i) degree[i] = down[*n - 1 - i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels between the coarsest and the finest one have no matrix either where that has none. */
static PetscErrorCode make_levels(RungSystem sys, RungLevels *levels)
{
  PetscInt degree[RUNG_LEVELS_MOST], n;

  PetscFunctionBegin;
  PetscCall(choose_degrees(sys, degree, &n));
  for (PetscInt i = 0; i < n; ++i) {
    char spec[32];

    PetscCall(PetscSNPrintf(spec, sizeof spec, "%" PetscInt_FMT, degree[i]));
    PetscCall(RungSystemCreateCoarse(sys, spec, &levels->sys[i]));
    levels->n                   = i + 2;
    levels->sys[i]->matrix_free = i ? sys->matrix_free : PETSC_FALSE;
    PetscCall(RungSystemSetUp(levels->sys[i]));
  }
  levels->sys[n] = sys;
  for (PetscInt i = 1; i <= n; ++i) {
    PetscCall(RungSystemCreateTransfer(levels->sys[i - 1], levels->sys[i], &levels->P[i]));
    if (!sys->traits.linear)
      PetscCall(RungNestedCreate(levels->sys[i]->form->layout, levels->sys[i - 1]->form->layout, &levels->down[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsGet(RungSystem sys, RungLevels **levels)
{
  char           why[512];
  PetscContainer container;

  PetscFunctionBegin;
  if (sys->levels) {
    PetscCall(PetscContainerGetPointer(sys->levels, (void **)levels));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungLevelsExplain(sys, why, sizeof why));
  PetscCheck(!why[0], sys->comm, PETSC_ERR_SUP, "-pc_type mg: the system has no coarser levels: %s", why);
  PetscCall(PetscNew(levels));
  PetscCall(PetscContainerCreate(sys->comm, &container));
  PetscCall(PetscContainerSetPointer(container, *levels));
  PetscCall(PetscContainerSetCtxDestroy(container, destroy));
  RungCallOrUndo(make_levels(sys, *levels), PetscCall(PetscContainerDestroy(&container)));
  sys->levels      = container;
  sys->keep_filled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
