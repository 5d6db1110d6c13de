/* steady_edge.c - a constant state held by a Dirichlet value that is not zero, of order 1 and 2 in time:

       (u', v) + (grad u, grad v) = 0  or  (u'', v) + (grad u, grad v) = 0,   u = 3 on the edge and at the start

   Nothing may move: methods that treat boundary rows as if their value were zero, or their stages' values as rates, do.
 */
#include "../verify_impl.h"

static PetscErrorCode steady(MPI_Comm comm, const char inertia[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "triangle", 2, (PetscInt[]){4, 4}, "CG1", sys));
  PetscCall(RungSystemAddResidual(*sys, inertia));
  PetscCall(RungSystemAddResidual(*sys, "inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "3"));
  PetscCall(RungSystemSetInitial(*sys, "u", "3"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_steady_edge(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(steady(comm, "dt(u)*v*dx", sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_steady_wave(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(steady(comm, "dt(u, 2)*v*dx", sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
