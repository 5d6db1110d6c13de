/* nonlinear_mass.c - a density that is no multiple of the unknown:

       (rho(u)', v) + (grad u, grad v) = 0,   rho = u + u^3,   no flux through the edge

   d/dt rho is kept whole, so every method keeps the total of rho to rounding. */
#include "../verify_impl.h"

PetscErrorCode RungCaseCreate_nonlinear_mass(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "triangle", 2, (PetscInt[]){4, 4}, "CG1", sys));
  PetscCall(RungSystemDefine(*sys, "rho", "u + u^3"));
  PetscCall(RungSystemAddResidual(*sys, "dt(rho)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "1 + 0.5*cos(pi*x[0])"));
  PetscCall(RungSystemAddQuantity(*sys, "total", "rho*dx"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
