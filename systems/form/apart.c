/* apart.c - functions that jump between cells, with derivatives in space and nothing over interior facets: each cell is a problem of its own,
   and answers look like any other.  A warning. */
#include "form_side_impl.h"

/* Unknowns of one value on the whole mesh join nothing, values at points have no derivatives. */
static PetscErrorCode jumps(RungSystem sys, PetscInt f, PetscBool *yes)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  *yes = space->continuous && !space->single ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No facet and no continuous unknown stands in an equation with f. */
static PetscErrorCode is_apart(RungSystem sys, const RungFormTraits *traits, PetscInt f, PetscBool *yes)
{
  PetscFunctionBegin;
  PetscCall(jumps(sys, f, yes));
  for (PetscInt g = 0; g < sys->form->unknowns && *yes; ++g) {
    if (traits->couple_facets[f][g] || traits->couple_facets[g][f])
      *yes = PETSC_FALSE;
    else if (traits->couple[f][g] || traits->couple[g][f])
      PetscCall(jumps(sys, g, yes));
  }
  if (*yes) PetscCall(RungFormHoldsSlope(sys->form->F, f, yes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungApartTell(RungSystem sys, const RungFormTraits *traits)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  if (mesh->type == RUNG_POINT || mesh->cells_global < 2) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscBool apart;

    PetscCall(is_apart(sys, traits, f, &apart));
    if (!apart) continue;
    PetscCall(RungSystemWarn(
      sys,
      "derivatives of \"%s\" are taken inside of cells alone: its functions jump between cells, and no term over "
      "interior facets (dS) joins these, so that each cell is on its own; take a continuous space, as CG1, or add "
      "terms with jump(%s) and avg(..) under dS",
      sys->form->name[f], sys->form->name[f]));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
