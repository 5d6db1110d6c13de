/* locate_impl.h - points and the cells of this rank that have them: what locate.c and probes.c share. */
#pragma once

#include "fe_impl.h"

typedef struct {
  PetscReal box[6];     /* [lower, upper][axis]                                  */
  PetscInt  first, end; /* cells order[first .. end)                             */
  PetscInt  son[2];     /* -1: a leaf                                            */
} RungLocatorNode;

struct _p_RungLocator {
  const RungMeshData *mesh;     /* lent by the mesh that owns the locator */
  const RungCell     *cell;     /* lent                                   */
  RungElement        *map;      /* owned; NULL for straight cells         */
  PetscReal          *cell_box; /* owned, [cell][6]                       */
  PetscInt           *order;    /* owned, [cells]                         */
  PetscInt            nodes;
  RungLocatorNode    *node; /* owned, [nodes]                         */
};

/* Where a point is, or the nearest place of the mesh. */
typedef struct {
  PetscReal distance; /* 0: inside                                        */
  PetscReal X[3];     /* reference coordinates in the cell                */
  PetscInt  number;   /* of the cell in the source of the mesh; -1: none  */
  PetscInt  cell;     /* of the rank that has it                          */
} RungSpot;

/* Not collective; made by the first call, owned by the mesh, which has to be set up. */
PetscErrorCode RungMeshGetLocator(RungMesh mesh, RungLocator *locator);
/* Not collective.  The cells of this rank that have the points, number -1 if none; with `nearest` those that are nearest to points
   that no cell has.  Points are visited along a curve through the mesh's box, so that what one of them has read is there for the next.
   In      n, x[point][dim]
   Out     spot[point] */
PetscErrorCode RungLocatorFind(RungLocator locator, PetscInt n, const PetscReal x[], PetscBool nearest,
                               RungSpot spot[]);
PetscBool      RungSpotIsBetter(const RungSpot *a, const RungSpot *b);
/* Least distance of a point from a box, or `farthest` the greatest. */
PetscReal RungBoxDistance(const PetscReal box[6], PetscInt dim, const PetscReal x[], PetscBool farthest);
