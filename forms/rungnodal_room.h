/* rungnodal_room.h - integrals whose points are the nodes of their test functions: dx(rule: nodes). */
#pragma once

#include "rungforms.h"
#include "rungnodes_room.h"

#define RUNG_AT_NODES (-2) /* in the place of a degree of quadrature in an integral */

/* RungExprLumpRates - the residual with the terms that are multiples of dt(..) of unknowns at the nodes, dx(rule: nodes), ds(rule: nodes);
   integrals with a degree of their own stay as they are.  Out  terms  integrals that were changed */
RUNG_INTERN PetscErrorCode RungExprLumpRates(RungExpr residual, RungExpr *lumped, PetscInt *terms);
