/* rungnested_room.h - functions of one space on a mesh at the nodes of another one: levels of one mesh.  Not installed, not
   exported. */
#pragma once

#include <rungfe_room.h>

typedef struct _p_RungNested *RungNested;

/* RungNestedCreate - functions of one layout at the nodes of another one on the same mesh: levels of one mesh.  Exact where the
   functions are continuous or cells have their own nodes; spaces are P, Q, DP, DQ, or the same one.
     Apply           y = T x, x of `from`, y of `to`: values at nodes.  T is the identity for polynomials that both spaces have
     ApplyTranspose  y = T^T r, r of `to`, y of `from`
   Nothing is allocated after Create.  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  other unknowns, components or meshes;  PETSC_ERR_SUP  Quad(q) or R beside another space */
RUNG_INTERN PetscErrorCode RungNestedCreate(RungLayout from, RungLayout to, RungNested *nested);
RUNG_INTERN PetscErrorCode RungNestedApply(RungNested nested, Vec x, Vec y);
RUNG_INTERN PetscErrorCode RungNestedApplyTranspose(RungNested nested, Vec r, Vec y);
RUNG_INTERN PetscErrorCode RungNestedDestroy(RungNested *nested);
