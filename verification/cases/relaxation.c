/* relaxation.c - the test equation of Dahlquist, at every node of a mesh:

       (u' + lambda u, v) = 0 for every v,   u(0) = 1,   u = exp(-lambda t), from any start

   The mass matrix multiplies both terms, so every degree of freedom is the scalar problem. */
#include "../verify_impl.h"

PetscErrorCode RungCaseCreate_relaxation(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "triangle", 2, (PetscInt[]){4, 4}, "CG1", sys));
  PetscCall(RungSystemSetConstant(*sys, "lambda", 1));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + lambda*u*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "exp(-lambda*t)"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
