/* solver_impl.h - linear solvers: what solver.c chooses by traits and size and solver_tune.c by numbers of the matrix. */
#pragma once

#include "form_side_impl.h"

#define RUNG_KSP_RTOL    1e-10
#define RUNG_NEWTON_RTOL 1e-4  /* of a step of Newton's method with the factors of an older matrix */
#define RUNG_DIRECT_KEPT 50000 /* direct for vector unknowns if the matrix stays and stiffness dominates */

typedef struct {
  KSPType     ksp;
  PCType      pc;
  const char *package; /* of a factorisation; NULL: PETSc's choice    */
  PetscInt    levels;  /* of an incomplete factorisation              */
  PetscInt    overlap; /* of blocks, in layers of entries             */
  PetscReal   rtol;    /* 0: RUNG_KSP_RTOL                            */
} RungSolver;

PetscErrorCode RungSolverChoose(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolver *choice);
void           RungSolverDirect(RungSystem sys, PetscMPIInt size, PetscInt n, RungSolver *choice);
PetscErrorCode RungSolverHasVectors(RungSystem sys, PetscBool *flag);
PetscErrorCode RungSolverDimension(RungSystem sys, PetscInt *dim); /* of the mesh; 3 where nobody knows */
/* Jacobi in place of ICC for scalars of degree 2 on hexahedra: rows have 64 entries in the mean, and a sweep of ICC costs what
   several products with one half cost. */
PetscErrorCode RungSolverChooseLongRows(RungSystem sys, RungSolver *choice);
PetscErrorCode RungSolverRow(RungSystem sys,
                             PetscReal *entries);           /* mean entries of a row, by the spaces; 0: not known */
PetscInt RungSolverLevels(PetscInt dim, PetscReal entries); /* of fill that pay for rows with so many entries     */
/* Is one of option[n], with the prefix of ksp, in the options database? */
PetscErrorCode RungSolverIsGiven(KSP ksp, size_t n, const char *const option[], PetscBool *given);
PetscErrorCode RungSolverApply(KSP ksp, const RungSolver *choice);
/* -pc_type without -ksp_type, in place of factors: an iteration.  After RungSolverApply(), before KSPSetFromOptions().
   definite: the matrix */
PetscErrorCode RungSolverFollow(RungSystem sys, PetscBool definite, KSP ksp);
/* After a solve of J x = b: PETSC_ERR_ARG_INCOMP if what the user has chosen did not solve it.  Collective. */
PetscErrorCode RungSolverProve(RungSystem sys, KSP ksp, Vec b, Vec x);
/* Each rank's block gets ICC, which its sub-solver's options (-sub_) may replace; nothing where there are no blocks. */
PetscErrorCode RungSolverSetBlocks(KSP ksp, const RungSolver *choice);
/* Does it solve a system with J in at most `most` iterations?  solver_trial.c */
PetscErrorCode RungSolverTry(Mat J, const RungSolver *choice, PetscInt most, PetscBool *solved);
/* levels.c, levels_pc.c - multigrid on lower degrees of the system's own mesh.
     Explain  why the system has no lower levels, "" if it has
     Attach   makes the levels, once, and ksp conjugate gradients (FGMRES) with PCMG on them; before KSPSetFromOptions() and before the
              matrix is filled.  Prepare: if the options of ksp say -pc_type mg
     Check    after KSPSetFromOptions().  Out  ours  pc is such a one;  Errors  options that do not fit */
PetscErrorCode RungLevelsExplain(RungSystem sys, char why[], size_t size);
PetscErrorCode RungLevelsAttach(RungSystem sys, KSP ksp);
PetscErrorCode RungLevelsPrepare(RungSystem sys, KSP ksp);
PetscErrorCode RungLevelsCheck(RungSystem sys, PC pc, PetscBool *ours);
/* coarse.c: the constants of a coarse system become those of the one that it was made of. */
PetscErrorCode RungCoarseFollow(RungSystem coarse);
/* One line: what solver_tune.c has found, if it has been asked. */
PetscErrorCode RungSolverViewTuned(RungSystem sys, PetscViewer viewer);
