/* unseen.c - what a vector sees of its unknowns and what not, by its text and the inputs of its kernels: nothing is evaluated. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include "scope_impl.h"

PetscErrorCode RungTapeVanishes(const RungTape *tape, PetscBool *yes)
{
  RUNG_FREE PetscBool *zero = NULL;

  PetscFunctionBegin;
  *yes = PETSC_TRUE;
  PetscCall(PetscCalloc1(tape->inputs + tape->instructions, &zero));
  for (PetscInt i = 0; i < tape->inputs; ++i)
    zero[i] = tape->input[i].kind == RUNG_IN_UNKNOWN ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const RungInstruction *it = &tape->instruction[i];
    const PetscBool        a = zero[it->arg[0]], b = it->arg[1] < 0 ? PETSC_TRUE : zero[it->arg[1]];

    if (it->op == RUNG_OP_NEG || it->op == RUNG_OP_DIV) zero[tape->inputs + i] = a;
    if (it->op == RUNG_OP_ADD || it->op == RUNG_OP_SUB) zero[tape->inputs + i] = a && b ? PETSC_TRUE : PETSC_FALSE;
    if (it->op == RUNG_OP_MUL) zero[tape->inputs + i] = a || b ? PETSC_TRUE : PETSC_FALSE;
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) *yes = *yes && zero[tape->output[o]] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormUnseen(RungForm form, PetscBool *vanishes, PetscBool values[])
{
  const RungFormPart *part = &form->part[RUNG_FORM_VALUE];
  const PetscInt      n    = RungScopeUnknowns(form->expr.scope);

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  *vanishes = PETSC_TRUE;
  PetscCall(PetscArrayzero(values, (RUNG_MAX_ORDER + 1) * n));
  for (PetscInt p = 0; p < part->n; ++p) {
    const RungTape *tape = &part->plan[p]->integral->tape;

    if (*vanishes) PetscCall(RungTapeVanishes(tape, vanishes));
    for (PetscInt i = 0; i < tape->inputs; ++i) {
      const RungInput *input = &tape->input[i];

      if (input->kind == RUNG_IN_UNKNOWN && !input->derivative) values[input->k * n + input->index] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode holds_unknown(RungScope scope, PetscInt root, PetscInt f, PetscBool *yes)
{
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n;

  PetscFunctionBegin;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  *yes = PETSC_FALSE;
  for (PetscInt i = 0; i < n; ++i) {
    const RungNode *node = RungScopeNode(scope, nodes[i]);

    if (node->op == RUNG_OP_UNKNOWN && node->index[0] == f) *yes = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormHoldsSlope(RungForm form, PetscInt f, PetscBool *yes)
{
  const RungScope     scope = form->expr.scope;
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n;

  PetscFunctionBegin;
  RungNeed(form);
  *yes = PETSC_FALSE;
  PetscCall(RungNodeReach(scope, form->expr.node, &n, &nodes));
  for (PetscInt i = 0; i < n && !*yes; ++i) {
    const RungNode *node = RungScopeNode(scope, nodes[i]);

    if (node->op == RUNG_OP_GRAD || node->op == RUNG_OP_DIVERGENCE || node->op == RUNG_OP_CURL)
      PetscCall(holds_unknown(scope, node->arg[0], f, yes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
