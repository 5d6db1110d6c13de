/* oscillator.c - the undamped oscillator at every node of a mesh, and the damped one:

       (u'' + 2 zeta omega u' + omega^2 u, v) = 0 for every v,   u(0) = 1, u'(0) = 0 */
#include "../verify_impl.h"

static PetscErrorCode oscillator(MPI_Comm comm, const char residual[], const char exact[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "triangle", 2, (PetscInt[]){4, 4}, "CG1", sys));
  PetscCall(RungSystemSetConstant(*sys, "omega", 1));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemDefine(*sys, "g", exact));
  PetscCall(RungSystemSetInitial(*sys, "u", "g"));
  PetscCall(RungSystemSetInitial(*sys, "dt(u)", "dt(g)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_oscillator(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(oscillator(comm, "(dt(u, 2)*v + omega^2*u*v)*dx", "cos(omega*t)", sys));
  PetscCall(RungSystemAddQuantity(*sys, "energy", "(dt(u)^2 + omega^2*u^2)/2*dx"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_damped_oscillator(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(oscillator(comm, "(dt(u, 2)*v + 2*zeta*omega*dt(u)*v + omega^2*u*v)*dx",
                       "s = sqrt(1 - zeta^2); exp(-zeta*omega*t)*(cos(omega*s*t) + zeta/s*sin(omega*s*t))", sys));
  PetscCall(RungSystemSetConstant(*sys, "zeta", 0.1));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
