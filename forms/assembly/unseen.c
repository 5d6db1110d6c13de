/* unseen.c - what a vector does not see of its unknowns, by the inputs of its kernels: nothing is evaluated. */
#include <rungown_room.h>
#include "kernel_impl.h"

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
