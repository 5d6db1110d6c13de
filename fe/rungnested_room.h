/* rungnested_room.h - functions of one space at the nodes of another one: levels of one mesh, and of a mesh and the one whose cells
   have been cut.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>

/* A mesh and the one whose cells have been cut into it; children and parents are on the same rank. */
typedef struct {
  RungMesh     coarse, fine; /* referenced                                                                       */
  PetscInt    *parent;       /* owned, [cell of fine] cell of coarse                                             */
  signed char *place;        /* owned, [cell of fine] how it lies in its parent                                  */
  PetscInt     places;       /* of this rank                                                                     */
  PetscInt (*corner)[8];     /* owned, [place][vertex of the child] node of P2 or Q2 of the parent that is there */
} * RungFamily;

/* RungMeshCoarsen - the mesh that a refined one was before its last refinement, or the box of half the counts.  Parts and the boundary
   are those of the fine one.  The caller's.  Collective.
   Out     family  NULL where there is none: another mesh, odd counts, a parent whose children are on several ranks */
RUNG_INTERN PetscErrorCode RungMeshCoarsen(RungMesh fine, RungFamily *family);
/* RungMeshMayCoarsen - what every rank knows without asking: refined, or a box of even counts.  Of the latter some parents may have
   children on several ranks.  Collective: sets the mesh up.  Out  sure  there is a coarser one */
RUNG_INTERN PetscErrorCode RungMeshMayCoarsen(RungMesh mesh, PetscBool *may, PetscBool *sure);
RUNG_INTERN PetscErrorCode RungFamilyDestroy(RungFamily *family);

typedef struct _p_RungNested *RungNested;

/* RungNestedCreate - functions of one layout at the nodes of another one on the same mesh: levels of one mesh.  Exact where the
   functions are continuous or cells have their own nodes; spaces are P, Q, DP, DQ, or the same one.
     Apply           y = T x, x of `from`, y of `to`: values at nodes.  T is the identity for polynomials that both spaces have
     ApplyAdd        y += T x
     ApplyTranspose  y = T^T r, r of `to`, y of `from`
   Nothing is allocated after Create.  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  other unknowns, components or meshes;  PETSC_ERR_SUP  Quad(q) or R beside another space */
RUNG_INTERN PetscErrorCode RungNestedCreate(RungLayout from, RungLayout to, RungNested *nested);
/* RungNestedCreateBetween - the same between layouts on the two meshes of a family, in either direction; the family
   outlives it. */
RUNG_INTERN PetscErrorCode RungNestedCreateBetween(RungFamily family, RungLayout from, RungLayout to,
                                                   RungNested *nested);
/* RungNestedSetZeros - rows of T that are zero from now on, those of n entries of `to` on this rank. */
RUNG_INTERN PetscErrorCode RungNestedSetZeros(RungNested nested, PetscInt n, const PetscInt entry[]);
RUNG_INTERN PetscErrorCode RungNestedApply(RungNested nested, Vec x, Vec y);
RUNG_INTERN PetscErrorCode RungNestedApplyAdd(RungNested nested, Vec x, Vec y);
RUNG_INTERN PetscErrorCode RungNestedApplyTranspose(RungNested nested, Vec r, Vec y);
RUNG_INTERN PetscErrorCode RungNestedDestroy(RungNested *nested);
