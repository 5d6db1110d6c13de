/* moving_edge.c - conduction and waves between edges whose values move, with solutions that the space holds exactly, so
   that all error is of time.  The sources are written out, not derived from the form under test:

       power_edge    u' - lap u = p (1 + x) t^(p - 1)                              u = (1 + x) t^p
       moving_edge   u' - lap u = 3 cos(s)(1 + x + 2x^2) - 4 sin(s), s = 3t + 0.4  u = sin(s)(1 + x + 2x^2), P2
       moving_bar    u'' - lap u = -9 sin(s)(1 + x + 2x^2) - 4 sin(s)              the same u */
#include "../verify_impl.h"

static PetscErrorCode moving(MPI_Comm comm, const char spec[], const char inertia[], const char source[],
                             const char exact[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(RungCaseSystem_Private(comm, "triangle", 2, (PetscInt[]){4, 4}, spec, sys));
  PetscCall(RungSystemDefine(*sys, "f", source));
  PetscCall(RungSystemDefine(*sys, "g", exact));
  PetscCall(RungSystemAddResidual(*sys, inertia));
  PetscCall(RungSystemAddResidual(*sys, "inner(grad(u), grad(v))*dx - f*v*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "g"));
  PetscCall(RungSystemSetInitial(*sys, "u", "g"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_power_edge(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(moving(comm, "CG1", "dt(u)*v*dx", "p*(1 + x[0])*t^(p - 1)", "(1 + x[0])*t^p", sys));
  PetscCall(RungSystemSetConstant(*sys, "p", 2));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_moving_edge(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(moving(comm, "CG2", "dt(u)*v*dx", "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4)",
                   "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)", sys));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseCreate_moving_bar(MPI_Comm comm, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(moving(comm, "CG2", "dt(u, 2)*v*dx", "-9*sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4)",
                   "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)", sys));
  PetscCall(RungSystemSetInitial(*sys, "dt(u)", "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
