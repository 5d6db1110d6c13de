/* said.c - what was said of a system of weak forms, a line for each call, for ranks to compare. */
#include "form_side_impl.h"
#include <rungown_room.h>

/* "name on part = text"; any but the name may be NULL */
static PetscErrorCode add(RungDraft *said, const char what[], const char name[], const char part[], const char text[])
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(said, "%s %s%s%s%s%s\n", what, name, part ? " on " : "", part ? part : "", text ? " = " : "",
                         text ? text : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_all(RungDraft *said, const char what[], PetscInt n, const RungDataText list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(add(said, what, list[i].name, list[i].part, list[i].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_equations(RungDraft *said, const RungFormSide side)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < side->unknowns; ++f) PetscCall(add(said, "unknown", side->name[f], NULL, side->test[f]));
  for (PetscInt i = 0; i < side->residuals; ++i)
    PetscCall(RungDraftAdd(said, "residual %" PetscInt_FMT " = %s\n", i + 1,
                           side->residual[i].text ? side->residual[i].text : "an expression"));
  for (PetscInt i = 0; i < side->fields; ++i) PetscCall(add(said, "field", side->field[i].name, NULL, NULL));
  if (side->couplings) PetscCall(RungDraftAdd(said, "%" PetscInt_FMT " couplings\n", side->couplings));
  PetscCall(RungScopeTell(side->scope, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_conditions(RungDraft *said, const RungFormSide side)
{
  PetscFunctionBegin;
  PetscCall(add_all(said, "Dirichlet", side->conditions, side->condition));
  PetscCall(add_all(said, "initial", side->initials, side->initial));
  for (PetscInt i = 0; i < side->bounds; ++i)
    for (int k = 0; k < 2; ++k)
      PetscCall(add(said, k ? "upper bound" : "lower bound", side->bound[i].name, NULL, side->bound[i].text[k]));
  for (PetscInt i = 0; i < side->constraint_texts; ++i) {
    const RungConstraintText *c = &side->constraint_text[i];

    PetscCall(add(said, "constraint", c->name, c->part, c->text));
    PetscCall(add(said, ".. by", c->other ? c->other : "itself", NULL, c->map));
    for (PetscInt k = 0; k < c->n; ++k)
      PetscCall(RungDraftAdd(said, ".. %.17g %s at %.17g %.17g %.17g\n", (double)c->coefficient[k], c->names[k],
                             (double)c->x[3 * k], (double)c->x[3 * k + 1], (double)c->x[3 * k + 2]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideTell(RungSystem sys, RungDraft *said)
{
  const RungFormSide side = sys->form;

  PetscFunctionBegin;
  PetscCall(add_equations(said, side));
  PetscCall(add_conditions(said, side));
  for (PetscInt i = 0; i < side->quantities; ++i)
    PetscCall(add(said, "quantity", side->quantity[i].name, NULL, side->quantity[i].text));
  for (PetscInt i = 0; i < side->probes; ++i) {
    const PetscReal *x = side->probe[i].x;

    PetscCall(add(said, "probe", side->probe[i].name, NULL, side->probe[i].text));
    PetscCall(RungDraftAdd(said, ".. at %.17g %.17g %.17g\n", (double)x[0], (double)x[1], (double)x[2]));
  }
  for (PetscInt i = 0; i < side->watches; ++i)
    PetscCall(add(said, "watch", side->watch[i].name, side->watch[i].part, side->watch[i].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCheckConstants(RungSystem sys)
{
  RUNG_OWNED(RungDraftClear) RungDraft said = {0};
  PetscMPIInt                          ranks;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCallMPI(MPI_Comm_size(sys->comm, &ranks));
  if (!sys->form || ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeTellConstants(sys->form->scope, &said));
  PetscCall(RungDraftCheckAlike(sys->comm, "the system", &said));
  PetscFunctionReturn(PETSC_SUCCESS);
}
