/* rungquality_room.h - the shape of each cell, for who shows it.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>

/* RungMeshGetQuality - 1 is best: radius ratio of simplices, scaled Jacobian of the others, 1 of intervals and points; the mesh is
   set up.  Not collective.  Out  quality[cell] of this rank, the caller's */
RUNG_INTERN PetscErrorCode RungMeshGetQuality(RungMesh mesh, PetscReal quality[]);
