/* rungnodes_room.h - quadrature rules whose points are the nodes of P or Q: masses are diagonals. */
#pragma once

#include "rungfe_room.h"

/* The degree that RungQuadratureGet() and its kin take for the rule of nodes of degree p is RUNG_QUADRATURE_NODES + p. */
#define RUNG_QUADRATURE_NODES 1000
/* RungQuadratureHasNodes - is there a rule with positive weights at the nodes of P or Q of degree p >= 1?  Gauss and Lobatto's of p + 1
   points on each axis, exact to degree 2 p - 1; on simplices of two and three dimensions the vertices with one weight, p = 1 alone.
   Not collective. */
RUNG_INTERN PetscBool RungQuadratureHasNodes(RungCellType type, PetscInt p);
