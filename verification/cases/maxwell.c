/* maxwell.c - a bar of Maxwell's material, a spring and a dashpot in a row, pulled at its end: the viscous strain e is an
   internal variable at the quadrature points, eliminated there.

       (sigma, grad v) = sin(t) v(1),   sigma = E (u_x - e),   e' = rate sigma,   u(0, t) = 0

   so that sigma = sin t,  e = rate (1 - cos t),  u = x (sin(t)/E + rate (1 - cos t)). */
#include "../verify_impl.h"

PetscErrorCode RungCaseCreate_maxwell(MPI_Comm comm, RungSystem *sys)
{
  const RungSpaceData *data;
  RungSpace            V, S;

  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "interval", 1, (PetscInt[]){4}, "P1", sys));
  PetscCall(RungSystemGetUnknown(*sys, 0, NULL, &V));
  PetscCall(RungSpaceGetData(V, &data));
  PetscCall(RungSpaceCreate(data->mesh, "Quad(1)", &S));
  PetscCall(RungSystemAddUnknown(*sys, "e", "q", S));
  PetscCall(RungSpaceDestroy(&S));
  PetscCall(RungSystemSetConstant(*sys, "E", 2));
  PetscCall(RungSystemSetConstant(*sys, "rate", 0.7));
  PetscCall(RungSystemDefine(*sys, "sigma", "E*(grad(u)[0] - e)"));
  PetscCall(RungSystemAddResidual(*sys, "sigma*grad(v)[0]*dx - sin(t)*v*ds(right)"));
  PetscCall(RungSystemAddResidual(*sys, "(dt(e) - rate*sigma)*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]*(sin(t)/E + rate*(1 - cos(t)))"));
  PetscCall(RungSystemSetInitial(*sys, "e", "rate*(1 - cos(t))"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
