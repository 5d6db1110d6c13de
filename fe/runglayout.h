/* runglayout.h - several spaces in one Vec, and matrices of them, for who assembles forms by himself. */
#pragma once

#include <rungfe.h>

/* ---- layout: several spaces in one Vec ------------------------------------------------------------------------ */

/* RungLayoutCreate - numbers the degrees of freedom of several spaces on one mesh.
   Global Vec: per rank, unknown after unknown, node after node, component after component.  Local array: all owned
   entries in the same order, then the ghosts, unknown after unknown.  A cell's dof list concatenates the unknowns:
   dof = offset[f] + node * components[f] + component.
   Collective.
   In      comm    congruent to that of the mesh
           n, space[n]  referenced until the layout is destroyed
   Errors  PETSC_ERR_ARG_OUTOFRANGE  no space
           PETSC_ERR_ARG_INCOMP      spaces on different meshes */
RUNG_EXTERN PetscErrorCode RungLayoutCreate(MPI_Comm comm, PetscInt n, const RungSpace space[], RungLayout *layout);
/* One owner less; the last one frees.  Collective.  Nulls *layout. */
RUNG_EXTERN PetscErrorCode RungLayoutDestroy(RungLayout *layout);

/* A plain Vec of the layout's size, the caller's (VecDestroy); of one unknown in blocks of components.  Collective. */
RUNG_EXTERN PetscErrorCode RungLayoutCreateVec(RungLayout layout, Vec *u);

/* RungLayoutCreateMat - an AIJ matrix with the pattern of the mesh, and in it the place of every entry of every cell.
   MatDuplicate() hands the places on: a duplicate is inserted into like the original, also after the layout is gone.
   Collective.
   In      couple[f * unknowns + g]  rows of unknown f have columns of unknown g in every cell that has both
           fixed[local dof] or NULL  constrained dofs, the same on all ranks that have them: their rows and columns are
                                     never written by insertion and hold the identity
   Out     J       the caller's (MatDestroy), zero; each row has a diagonal entry; block size = components if
                   there is one unknown; known as structurally symmetric if couple is symmetric
   Errors  PETSC_ERR_ARG_OUTOFRANGE  more than 2^31 entries on a rank */
RUNG_EXTERN PetscErrorCode RungLayoutCreateMat(RungLayout layout, const PetscBool couple[], const PetscBool fixed[],
                                               Mat *J);
