/* dirichlet.c - boundary data of a time level and its time derivatives. */
#include "system_impl.h"

PetscErrorCode RungSystemHasDirichlet(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys));
  *has = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemImposeDirichlet(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  PetscFunctionBegin;
  (void)t, (void)k, (void)u;
  PetscCall(RungSystemSetUp(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetDirichlet(RungSystem sys, PetscReal t, PetscInt k, IS *rows, Vec *values)
{
  PetscFunctionBegin;
  (void)t, (void)k;
  PetscCall(ISCreateGeneral(sys->comm, 0, NULL, PETSC_COPY_VALUES, rows));
  PetscCall(VecCreateMPI(sys->comm, 0, PETSC_DETERMINE, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemStartDirichlet(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  PetscFunctionBegin;
  PetscCall(RungSystemImposeDirichlet(sys, t, k, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemZeroDirichlet(RungSystem sys, Vec r)
{
  PetscFunctionBegin;
  (void)sys, (void)r;
  PetscFunctionReturn(PETSC_SUCCESS);
}
