/* elastic_bar.c - a clamped beam, pulled down at its free end and let go at t = 5:

       (rho u'', w) + (sigma(u), grad w) = <g(t), w> on the right end,   sigma(u) = lambda tr(eps) I + 2 mu eps */
#include "../verify_impl.h"

PetscErrorCode RungCaseCreate_elastic_bar(MPI_Comm comm, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){10, 1}, (PetscReal[]){10, 1}));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSpaceCreate(mesh, "CG2^d", &V));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", V));
  PetscCall(RungSystemSetConstant(*sys, "rho", 1));
  PetscCall(RungSystemSetConstant(*sys, "mu", 4000));
  PetscCall(RungSystemSetConstant(*sys, "lambda", 6000));
  PetscCall(RungSystemDefine(*sys, "eps", "sym(grad(u))"));
  PetscCall(RungSystemDefine(*sys, "sigma", "lambda*tr(eps)*I + 2*mu*eps"));
  PetscCall(RungSystemDefine(*sys, "g", "if(t < 5, -t/5, 0)*unit(1)"));
  PetscCall(RungSystemAddResidual(*sys, "rho*inner(dt(u, 2), w)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "inner(sigma, grad(w))*dx - inner(g, w)*ds(right)"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemAddQuantity(*sys, "energy", "(rho*inner(dt(u), dt(u)) + inner(sigma, eps))/2*dx"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
