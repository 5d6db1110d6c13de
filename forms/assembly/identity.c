/* identity.c - what evaluates a form: a text that two runs compare before they promise the same bits. */
#include "kernel_impl.h"

PetscErrorCode RungFormGetIdentity(RungForm form, char **text)
{
  static const char *const title[RUNG_FORM_PARTS] = {"values", " jacobian", NULL, NULL, " constant", " varying"};
  size_t                   room                   = 128;

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(RungFormSetUp(form, form->traits.rank == 1 ? PETSC_TRUE : PETSC_FALSE));
  for (int p = 0; p < RUNG_FORM_PARTS; ++p)
    room += (size_t)form->part[p].n * (sizeof form->part[p].kernel[0]->identity);
  PetscCall(PetscCalloc1(room, text));
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    if (!form->part[p].ready || !title[p] || (form->split && p == RUNG_FORM_JACOBIAN)) continue;
    PetscCall(PetscStrlcat(*text, title[p], room));
    for (PetscInt i = 0; i < form->part[p].n; ++i) {
      const char *identity = form->part[p].kernel[i]->identity;

      PetscCall(PetscStrlcat(*text, " ", room));
      PetscCall(PetscStrlcat(*text, identity[0] ? identity : "interpreter", room));
    }
  }
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)room, MPI_CHAR, 0, form->comm)); /* rank 0 knows the keys */
  PetscFunctionReturn(PETSC_SUCCESS);
}
