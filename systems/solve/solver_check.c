/* solver_check.c - solvers that work without the entries of a matrix. */
#include "solver_impl.h"

PetscErrorCode RungSystemCheckSolver(RungSystem sys, KSP ksp)
{
  static const PCType fit[] = {PCNONE, PCJACOBI, PCSHELL, PCKSP, PCMAT};
  PC                  pc;
  PCType              type;
  PetscBool           fits = PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(RungLevelsCheck(sys, pc, &fits));
  if (fits || (!sys->matrix_free && !sys->typed)) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->typed) PetscCall(RungTypedCheckSolver(sys, type));
  if (!sys->matrix_free) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; type && i < sizeof fit / sizeof fit[0]; ++i) {
    if (!strcmp(type, fit[i])) fits = PETSC_TRUE;
  }
  PetscCheck(
    fits, sys->comm, PETSC_ERR_SUP,
    "-pc_type %s needs the entries of the matrix, but -system_mat_type shell has none; take -pc_type jacobi or "
    "none, mg for degrees above 1 (with -ksp_type cg, gmres, chebyshev, ..), or -system_mat_type aij",
    type ? type : "(none chosen)");
  PetscFunctionReturn(PETSC_SUCCESS);
}
