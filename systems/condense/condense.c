/* condense.c - which unknowns are internal variables that can be condensed, and their place in a cell. */
#include "condense_impl.h"

/* ---- which ---------------------------------------------------------------------------------------------------------
 */

/* Does a constraint name unknown f? */
static PetscErrorCode is_constrained(RungSystem sys, PetscInt f, PetscBool *flag)
{
  const RungFormSide form = sys->form;
  RungTarget         target;

  PetscFunctionBegin;
  *flag = PETSC_FALSE;
  for (PetscInt i = 0; i < form->constraint_texts; ++i) {
    const RungConstraintText *text = &form->constraint_text[i];

    for (PetscInt k = 0; k < PetscMax(1, text->n); ++k) {
      PetscCall(RungTargetFind(sys, "constraint", text->n ? text->names[k] : text->name, &target));
      if (target.unknown == f) *flag = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at the points of a rule that no interior facet and no constraint couples. */
static PetscErrorCode find_candidates(RungSystem sys, const RungFormTraits *traits, PetscBool local[])
{
  const RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;
    PetscBool            constrained;

    PetscCall(RungSpaceGetData(form->space[f], &space));
    PetscCall(is_constrained(sys, f, &constrained));
    local[f] = space->quadrature && !constrained ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt g = 0; g < form->unknowns; ++g) {
      if (traits->facets && (traits->couple_facets[f][g] || traits->couple_facets[g][f])) local[f] = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An augmenting path from row f: columns are unknowns, row_of[g] the row that has column g. */
static PetscBool augment(PetscInt n, const PetscBool couple[], const PetscBool local[], PetscInt f, PetscBool seen[],
                         PetscInt row_of[])
{
  for (PetscInt g = 0; g < n; ++g) {
    if (!local[g] || !couple[f * n + g] || seen[g]) continue;
    seen[g] = PETSC_TRUE;
    if (row_of[g] >= 0 && !augment(n, couple, local, row_of[g], seen, row_of)) continue;
    row_of[g] = f;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* K_ss can only be regular if rows and columns match: an unknown whose row finds no column (a multiplier) stays outside,
   and takes its column along. */
static void drop_unmatched(PetscInt n, const PetscBool couple[], PetscBool local[])
{
  PetscBool dropped = PETSC_TRUE;

  while (dropped) {
    PetscInt row_of[RUNG_MAX_UNKNOWNS];

    dropped = PETSC_FALSE;
    for (PetscInt g = 0; g < n; ++g) row_of[g] = -1;
    for (PetscInt f = 0; f < n && !dropped; ++f) {
      PetscBool seen[RUNG_MAX_UNKNOWNS] = {PETSC_FALSE};

      if (!local[f] || augment(n, couple, local, f, seen, row_of)) continue;
      local[f] = PETSC_FALSE;
      dropped  = PETSC_TRUE;
    }
  }
}

/* ---- places --------------------------------------------------------------------------------------------------------
 */

/* The pattern of S = K_uu - K_us K_ss^-1 K_su: fill between all that read internal variables and all that these read. */
static PetscErrorCode set_couple(RungSystem sys, RungCondense c)
{
  const PetscInt   n      = sys->form->unknowns;
  const PetscBool *couple = sys->form->couple;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, &c->couple));
  for (PetscInt f = 0; f < n; ++f) {
    for (PetscInt g = 0; g < n; ++g) {
      PetscBool reads = PETSC_FALSE, read = PETSC_FALSE;

      for (PetscInt s = 0; s < n; ++s) {
        reads = reads || (c->local[s] && couple[f * n + s]) ? PETSC_TRUE : PETSC_FALSE;
        read  = read || (c->local[s] && couple[s * n + g]) ? PETSC_TRUE : PETSC_FALSE;
      }
      c->couple[f * n + g] = !c->local[f] && !c->local[g] && (couple[f * n + g] || (reads && read)) ? PETSC_TRUE
                                                                                                    : PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has an earlier condensed unknown the same points? */
static PetscErrorCode shares_rule(RungSystem sys, RungCondense c, PetscInt f, PetscBool *shares)
{
  const RungSpaceData *own, *other;

  PetscFunctionBegin;
  *shares = PETSC_FALSE;
  PetscCall(RungSpaceGetData(sys->form->space[f], &own));
  for (PetscInt g = 0; g < f; ++g) {
    PetscCall(RungSpaceGetData(sys->form->space[g], &other));
    if (c->local[g] && other->degree == own->degree) *shares = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of the points of the rule of unknown `first`: of all condensed unknowns on it. */
static PetscErrorCode add_points(RungSystem sys, RungCondense c, PetscInt first)
{
  const PetscInt      *offset = sys->form->data->offset;
  const RungSpaceData *rule, *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[first], &rule));
  for (PetscInt p = 0; p < rule->cell_nodes; ++p) {
    const PetscInt begin = c->inner;

    for (PetscInt f = first; f < sys->form->unknowns; ++f) {
      PetscCall(RungSpaceGetData(sys->form->space[f], &space));
      if (!c->local[f] || space->degree != rule->degree) continue;
      for (PetscInt i = 0; i < space->components; ++i) {
        const PetscInt dof = offset[f] + p * space->components + i;

        c->inner_of[dof]         = c->inner;
        c->point_of[dof]         = c->points;
        c->inner_dof[c->inner++] = dof;
      }
    }
    c->block[c->points]   = c->blocks;
    c->start[++c->points] = c->inner;
    c->width              = PetscMax(c->width, c->inner - begin);
    c->blocks += (c->inner - begin) * (c->inner - begin);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_places(RungSystem sys, RungCondense c)
{
  PetscFunctionBegin;
  c->cells = sys->form->data->cells;
  c->dofs  = sys->form->data->cell_dofs;
  PetscCall(PetscCalloc6(c->dofs + 1, &c->start, c->dofs, &c->block, c->dofs, &c->inner_dof, c->dofs, &c->outer_dof,
                         c->dofs, &c->inner_of, c->dofs, &c->point_of));
  for (PetscInt i = 0; i < c->dofs; ++i) c->inner_of[i] = c->point_of[i] = -1;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscBool shares;

    if (!c->local[f]) continue;
    PetscCall(shares_rule(sys, c, f, &shares));
    if (!shares) PetscCall(add_points(sys, c, f));
  }
  for (PetscInt i = 0; i < c->dofs; ++i) {
    if (c->inner_of[i] < 0) c->outer_dof[c->outer++] = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of S that are those of the identity: internal variables have no ghosts, boundary data may. */
static PetscErrorCode set_fixed(RungSystem sys, RungCondense c)
{
  const RungFormSide form = sys->form;
  PetscInt           mine = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(form->data->local + 1, &c->fixed));
  if (form->fixed) PetscCall(PetscArraycpy(c->fixed, form->fixed, form->data->ghost[form->unknowns]));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; c->local[f] && i < sys->range[f + 1]; ++i, ++mine) c->fixed[i] = PETSC_TRUE;
  }
  PetscCallMPI(MPI_Allreduce(&mine, &c->entries, 1, MPIU_INT, MPI_SUM, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up --------------------------------------------------------------------------------------------------------
 */

/* The equations of condensed unknowns as forms of their own, so that their iterations leave the others alone. */
static PetscErrorCode set_forms(RungSystem sys, RungCondense c, RungExpr residual)
{
  RungExpr  part[2] = {residual, {residual.scope, RUNG_NO_EXPR}};
  RungForm *form[2] = {&c->rest, &c->m};

  PetscFunctionBegin;
  if (sys->traits.conserved) PetscCall(RungExprSplitConserved(residual, &part[0], &part[1]));
  for (int i = 0; i < 2; ++i) {
    if (part[i].node != RUNG_NO_EXPR) PetscCall(RungExprKeepTests(part[i], c->local, &part[i]));
    if (part[i].node == RUNG_NO_EXPR) continue;
    PetscCall(
      RungFormCreate(part[i], i ? "conserved, internal variables" : "internal variables", sys->form->layout, form[i]));
    PetscCall(RungFormSetFromOptions(*form[i]));
    PetscCall(RungFormSetUp(*form[i], PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_work(RungSystem sys, RungCondense c)
{
  const PetscInt entries = c->cells * c->inner + 1, points = c->cells * c->points + 1;

  PetscFunctionBegin;
  PetscCall(RungLayoutCreateVec(sys->form->layout, &c->g));
  PetscCall(VecDuplicate(c->g, &c->size));
  PetscCall(PetscMalloc1(c->cells * c->blocks + 1, &c->ss));
  PetscCall(PetscMalloc4(entries, &c->floor, entries, &c->weight, entries, &c->step, entries, &c->from));
  PetscCall(PetscMalloc1(points, &c->search));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Their equations are solved at the points, without what a method takes from values that it knows. */
static PetscErrorCode check_parts(RungSystem sys, const PetscBool local[])
{
  RungExpr written;

  PetscFunctionBegin;
  PetscCall(RungSystemGetResidual(sys, &written));
  for (PetscInt f = 0; sys->split && f < sys->form->unknowns; ++f) {
    if (local[f])
      PetscCall(
        RungExprCheckExplicit(written, f, "an internal variable that is solved for at its points (-system_condense)"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseSetUp(RungSystem sys, RungExpr residual, const RungFormTraits *traits)
{
  RungCondense c;
  PetscBool    some = PETSC_FALSE;

  PetscFunctionBegin;
  if (!sys->condense || sys->matrix_free || sys->form->bounds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c));
  PetscCall(find_candidates(sys, traits, c->local));
  drop_unmatched(sys->form->unknowns, sys->form->couple, c->local);
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) some = some || c->local[f] ? PETSC_TRUE : PETSC_FALSE;
  if (!some) {
    PetscCall(PetscFree(c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  sys->form->condense = c;
  PetscCall(check_parts(sys, c->local));
  PetscCall(set_couple(sys, c));
  PetscCall(set_places(sys, c));
  PetscCall(set_fixed(sys, c));
  PetscCall(create_work(sys, c));
  if (!sys->traits.linear) PetscCall(set_forms(sys, c, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseDestroy(RungCondense *condense)
{
  RungCondense c = *condense;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormDestroy(&c->rest));
  PetscCall(RungFormDestroy(&c->m));
  PetscCall(VecDestroy(&c->g));
  PetscCall(VecDestroy(&c->size));
  for (int i = 0; i < 4; ++i) PetscCall(VecDestroy(&c->aside[i]));
  PetscCall(PetscFree(c->couple));
  PetscCall(PetscFree(c->fixed));
  PetscCall(PetscFree(c->ss));
  PetscCall(PetscFree6(c->start, c->block, c->inner_dof, c->outer_dof, c->inner_of, c->point_of));
  PetscCall(PetscFree4(c->floor, c->weight, c->step, c->from));
  PetscCall(PetscFree(c->search));
  PetscCall(PetscFree(*condense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseView(RungSystem sys, PetscViewer viewer)
{
  const RungCondense c = sys->form->condense;

  PetscFunctionBegin;
  if (!c && sys->condense && sys->form->bounds)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "internal variables, if there are any, stay in the matrix: there are bounds\n"));
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "condensed at %" PetscInt_FMT " points of each cell (-system_condense):", c->points));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    if (c->local[f]) PetscCall(PetscViewerASCIIPrintf(viewer, " %s", sys->form->name[f]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "; %" PetscInt_FMT " entries are left to the linear solver\n",
                                   sys->global - c->entries));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  if (c->solves) {
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "points solved %" PetscInt_FMT " times, in %" PetscInt_FMT
                                     " iterations; %" PetscInt_FMT " times from other guesses, %" PetscInt_FMT
                                     " of these in steps\n",
                                     c->solves, c->iterations, c->rescues, c->followed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungCondensePattern(RungSystem sys, PetscBool stage, const PetscBool **couple, const PetscBool **fixed)
{
  *couple = stage ? sys->form->condense->couple : sys->form->couple;
  *fixed  = stage ? sys->form->condense->fixed : sys->form->fixed;
}

PetscInt RungCondensedEntries(RungSystem sys)
{
  return sys->form && sys->form->condense ? sys->form->condense->entries : 0;
}

PetscErrorCode RungSystemKeepInternal(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (sys->ready && sys->form && sys->form->condense) {
    if (sys->form->condense->users) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(RungCondenseDestroy(&sys->form->condense));
    PetscCall(RungConstantForget(sys));
    PetscCall(RungNullSpacesDestroy(&sys->form->null_spaces));
  }
  sys->condense = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetCondensed(RungSystem sys, PetscBool *condensed)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *condensed = sys->form && sys->form->condense ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungCondenseUse(RungSystem sys, PetscInt users)
{
  if (sys->form && sys->form->condense) sys->form->condense->users += users;
}

PetscBool RungIsCondensed(RungSystem sys, PetscInt f)
{
  return sys->form && sys->form->condense && sys->form->condense->local[f] ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungSystemZeroCondensed(RungSystem sys, Vec r)
{
  PetscScalar *x;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  if (!sys->form || !sys->form->condense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(r, &x));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    if (sys->form->condense->local[f]) PetscCall(PetscArrayzero(x + sys->range[f], sys->range[f + 1] - sys->range[f]));
  }
  PetscCall(VecRestoreArray(r, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
