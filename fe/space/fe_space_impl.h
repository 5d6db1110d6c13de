/* fe_space_impl.h - what the files about spaces and layouts share and those above them see. */
#pragma once

#include "fe_impl.h"

/* ---- space.c, numbering.c ----------------------------------------------------------------------------------- */

struct _p_RungSpace {
  PetscInt      refct;
  MPI_Comm      comm;      /* owned (PetscCommDuplicate) */
  RungMesh      mesh;      /* referenced                 */
  char         *spec;      /* owned                      */
  RungElement  *element;   /* owned                      */
  RungExchange *exchange;  /* owned, between nodes       */
  PetscInt     *global;    /* owned, see RungSpaceData   */
  PetscMPIInt  *owner;     /* owned                      */
  PetscInt     *cell_node; /* owned unless lent         */
  PetscReal    *x;         /* owned unless lent          */
  PetscBool     lent;      /* by the mesh                */
  PetscInt     *natural;   /* owned, [owned node]; NULL until it is asked for (natural.c) */
  RungSpaceData data;
};
PetscErrorCode RungSpaceNumber(RungSpace space, const RungMeshData *mesh); /* fills nodes, owners, cell_node */
PetscErrorCode RungSpaceLocate(RungSpace space, const RungMeshData *mesh); /* fills x                        */

/* ---- layout.c, pattern.c, insert.c -------------------------------------------------------------------------- */

typedef struct _n_RungPattern *RungPattern;

/* How the values of a matrix lie: rows of dofs; blocks, each column after column; the same without what is below the
   diagonal; as in AIJ in arrays of this room, which go to PETSc when the insertion ends. */
typedef enum { RUNG_MAT_AIJ, RUNG_MAT_BAIJ, RUNG_MAT_SBAIJ, RUNG_MAT_COO } RungMatFormat;

/* A matrix between InsertBegin and InsertEnd. */
typedef struct {
  Mat                     J;       /* lent; NULL when no insertion is open */
  RungPattern             pattern; /* lent                                 */
  PetscScalar            *diag;    /* lent, values of the block of owned columns, of all other columns */
  PetscScalar            *off;
  PetscBool               sent;    /* rows of other ranks are under way                               */
  PetscInt                zeroed;  /* pages of diag so far                                            */
  PetscInt                next;    /* the first cell that needs one more                              */
  PetscInt                fetched; /* lines of pages that are in or near the cache, page after page   */
  PetscInt                tiles;   /* lent, of the pattern: what is read of the dense block of a cell */
  struct RungTile_       *tile;
  PetscInt                step;       /* cells whose lines may be fetched at one time                      */
  PetscInt                share;      /* lines of pages to be fetched with 8 cells and a tile              */
  const struct RungSome_ *some;       /* lent, of the pattern: nothing else is touched; NULL: all is   */
  PetscInt                base;       /* matrices whose sum the values begin as; 0: zero               */
  PetscReal               weight[3];  /* [base]                                                        */
  const PetscScalar      *from[3][2]; /* lent, [base][part] their values                               */
} RungInsertion;

/* An exchange of dofs that is under way. */
typedef struct {
  MPI_Request    *request;   /* owned, NULL before the first use                    */
  PetscScalar    *buffer[2]; /* owned, [side][place in the buffer]                  */
  PetscScalar    *own;       /* lent by the Vec until Restore or End, its values    */
  PetscInt        some;      /* entries of sums that are used beside ghosts; -1: all */
  const PetscInt *entry;     /* lent, [some]                                        */
} RungFlight;

struct _p_RungLayout {
  PetscInt       refct;
  RungSpace     *space;      /* owned array of references */
  PetscInt      *components; /* owned, [unknown]          */
  PetscInt      *offset;     /* owned, see RungLayoutData */
  PetscInt      *cell_dof;   /* owned, but of one scalar unknown: its space's cell_node */
  PetscInt      *global;
  PetscInt      *range;
  PetscInt      *ghost;
  PetscBool     *cell_edge;                     /* owned, see RungLayoutData                            */
  PetscInt      *far;                           /* owned, see RungLayoutData; NULL without neighbours   */
  PetscInt      *far_dof;                       /* owned, see RungLayoutData                            */
  PetscBool     *facet_couple;                  /* owned, [f][g] unknowns that facets couple; NULL: none */
  PetscBool     *facet_used;                    /* owned, [facet of RungSides] has such a coupling      */
  RungExchange  *exchange;                      /* owned, between dofs                                  */
  PetscScalar   *slot[RUNG_LAYOUT_SLOTS];       /* owned, [local dof], made when first used; unused on one rank */
  PetscBool      open[RUNG_LAYOUT_SLOTS];       /* between Gather and GatherRestore                     */
  PetscBool      waiting[RUNG_LAYOUT_SLOTS];    /* between GatherBegin and GatherEnd                   */
  RungFlight     flight[RUNG_LAYOUT_SLOTS + 1]; /* of the slots, of the scatter                     */
  PetscScalar   *sum;                           /* owned, [local dof], what ScatterBegin lends; NULL without ghosts */
  PetscBool      scattering;
  PetscBool      sent; /* the ghosts of `sum` are under way                    */
  RungInsertion  insertion;
  RungLayoutData data;
};

PetscErrorCode RungFlightsDestroy(RungLayout layout); /* layout_move.c: all of them are made anew when used again */

/* ---- field.c ------------------------------------------------------------------------------------------------- */

struct _p_RungField {
  RungSpace  space;  /* referenced */
  RungLayout layout; /* owned      */
  Vec        u;      /* owned      */
  char      *name;   /* owned      */
  RungField  rate;   /* lent, NULL: not known */
};
