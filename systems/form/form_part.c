/* form_part.c - F of weak forms in two parts: what stands outside of explicit(..), and what stands inside.

   F itself is made of the same text without the word.  Matrices have room for both F and its implicit part, and are called
   symmetric where both are, or where a method solves with that part alone, and it is. */
#include "form_side_impl.h"

RungForm RungFormOfPart(RungSystem sys, RungSystemPart part)
{
  const RungFormSide form = sys->form;

  if (part == RUNG_IMPLICIT && sys->split) return form->implicit;
  return sys->traits.conserved ? form->rest : form->F;
}

PetscErrorCode RungPartsCheck(RungSystem sys, RungExpr written)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; sys->split && f < sys->form->unknowns; ++f) {
    if (!sys->traits.unknown_order[f])
      PetscCall(RungExprCheckExplicit(written, f, "which has no time derivative and has to hold at the new time"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_part(RungSystem sys, RungExpr expr, const char name[], RungForm *form)
{
  PetscFunctionBegin;
  if (expr.node == RUNG_NO_EXPR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormCreate(expr, name, sys->form->layout, form));
  PetscCall(RungFormSetFromOptions(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of the implicit part alone, and of matrices that may be of F or of that part.  from: of all terms outside */
static void take_traits(RungSystem sys, const RungFormTraits *from)
{
  RungFormSide form = sys->form;
  RungTraits  *to   = &sys->implicit;

  *to                   = sys->traits;
  to->linear            = from->linear;
  to->constant_jacobian = from->constant_jacobian;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    const PetscBool moves = form->couplings && from->field_block[k] ? PETSC_TRUE : PETSC_FALSE;

    form->holds_fields    = form->holds_fields || from->field_block[k] ? PETSC_TRUE : PETSC_FALSE;
    to->constant_block[k] = from->constant_block[k] && !moves ? PETSC_TRUE : PETSC_FALSE;
    if (moves) to->constant_jacobian = PETSC_FALSE;
  }
  to->symmetric        = from->symmetric;
  to->definite         = from->definite;
  sys->whole_symmetric = sys->traits.symmetric;
  sys->whole_definite  = sys->traits.definite;
  RungSystemTakePart(sys, RUNG_ALL);
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    for (PetscInt g = 0; g < form->unknowns; ++g) {
      PetscBool *couple = &form->couple[f * form->unknowns + g];

      *couple = *couple || from->couple[f][g] ? PETSC_TRUE : PETSC_FALSE;
    }
  }
}

PetscErrorCode RungPartsSetUp(RungSystem sys, RungExpr outside, RungExpr inside)
{
  RungFormTraits traits = {0};
  RungExpr       rest   = outside, conserved;
  RungForm       whole  = NULL;

  PetscFunctionBegin;
  sys->split = inside.node == RUNG_NO_EXPR ? PETSC_FALSE : PETSC_TRUE;
  if (!sys->split) PetscFunctionReturn(PETSC_SUCCESS);
  if (outside.node != RUNG_NO_EXPR && sys->traits.conserved)
    PetscCall(RungExprSplitConserved(outside, &rest, &conserved));
  PetscCall(create_part(sys, rest, "implicit part", &sys->form->implicit));
  PetscCall(create_part(sys, inside, "explicit part", &sys->form->explicit_part));
  if (rest.node != outside.node) PetscCall(create_part(sys, outside, "implicit part", &whole));
  if (outside.node != RUNG_NO_EXPR) PetscCall(RungFormGetTraits(whole ? whole : sys->form->implicit, &traits));
  PetscCall(RungFormDestroy(&whole));
  take_traits(sys, &traits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPartsView(RungSystem sys, PetscViewer viewer)
{
  RungExpr residual, whole, outside, inside;
  char    *text;

  PetscFunctionBegin;
  if (!sys->split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetResidual(sys, &residual));
  PetscCall(RungExprSplitExplicit(residual, &whole, &outside, &inside));
  PetscCall(RungExprToText(inside, &text));
  PetscCall(PetscViewerASCIIPrintf(viewer, "explicit: %s\n", text));
  PetscCall(PetscViewerASCIIPrintf(viewer, "without it: %s%s%s\n", sys->implicit.linear ? "linear" : "nonlinear",
                                   sys->implicit.constant_jacobian ? ", constant Jacobian" : "",
                                   sys->implicit.symmetric ? ", symmetric" : ""));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
