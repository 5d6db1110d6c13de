/* pattern_impl.h - what pattern.c, pattern_remote.c and pattern_position.c share while a pattern is made. */
#pragma once

#include "fe_space_impl.h"

typedef struct {
  RungLayout  layout;
  RungPattern p;
  PetscInt    width;                    /* blocks of a cell                                              */
  PetscInt   *unknown;                  /* owned, [cell block]                                           */
  PetscInt   *around_start, *around;    /* owned, [block + 1] into cell * width + i, the places of a block */
  PetscInt   *facet_start, *facet;      /* owned, likewise in (slot * 2 + side) * width + i; NULL: no facets */
  PetscInt    ids;                      /* blocks and foreign columns                                    */
  PetscInt   *id_dof, *id_components;   /* owned, [id] first global dof                                  */
  PetscInt   *stamp, *where;            /* owned, [id] the row that has the column; its offset there     */
  PetscInt   *row_start, *row_id, room; /* owned, [block + 1] columns of block rows; room of row_id      */
  PetscBool  *fixed;                    /* owned, [local dof]; NULL if none is                           */
  PetscBool  *foreign_fixed; /* owned, the same of foreign columns, dof after dof; NULL as above on all ranks */
  PetscInt   *foreign_start; /* owned, [id - blocks] where a column's dofs start there        */
  PetscInt    room_clear[3]; /* of pattern->clear                                             */
  /* received rows of blocks of this rank */
  PetscInt  received;       /* rows                                                          */
  PetscInt *received_start; /* owned, [received + 1] into received_id                        */
  PetscInt *received_id;    /* owned, columns                                                */
  PetscInt *received_head;  /* owned, [owned block] first received row of the block or -1    */
  PetscInt *received_next;  /* owned, [received row]                                         */
} RungPatternBuild;

/* What travels: per ghost dof that begins a block, its columns as pairs (first global dof, components). */
typedef struct {
  PetscInt *count[2]; /* owned, [side][place of the layout's exchange] columns of the block, 0 for its other dofs */
  PetscInt  columns[2];
  PetscInt *pair[2]; /* owned, [side][column][2]                                                                 */
} RungPatternTravel;

/* pattern.c */
PetscInt RungUnknownOfDof(const RungLayoutData *data, PetscInt dof); /* the unknown that a local dof belongs to */
PetscInt RungRowLength(const RungPatternBuild *b, PetscInt n, const PetscInt id[]); /* dofs of n columns */

/* pattern_remote.c */
PetscErrorCode RungPatternIds(RungPatternBuild *b, PetscInt foreign, const PetscInt foreign_dof[]);
PetscErrorCode RungPatternSendRows(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                   RungPatternTravel *t);
PetscErrorCode RungPatternTakeRows(RungPatternBuild *b, const RungPatternTravel *t);
PetscErrorCode RungPatternShareFixed(RungPatternBuild *b); /* fills foreign_fixed */
PetscErrorCode RungPatternValueExchange(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                        PetscInt **sent, PetscInt **received);

/* pattern_position.c */
PetscErrorCode RungPatternFillOwned(RungPatternBuild *b, const PetscInt value[], PetscInt row_start[],
                                    PetscInt column[]);
PetscErrorCode RungPatternFillGhosts(RungPatternBuild *b, const PetscInt value[], const PetscInt start[],
                                     const PetscInt id[]);

/* pattern_facet.c */
PetscInt       RungPatternFarBlocks(const RungPatternBuild *b, PetscInt f); /* of unknown f that only far cells have */
PetscErrorCode RungPatternFacetsCreate(RungPatternBuild *b);                /* what the layout couples across facets */
PetscErrorCode RungPatternFacetsShareFixed(RungPatternBuild *b);            /* fixed[] of dofs that far cells have   */
PetscInt       RungPatternFacetsRoom(const RungPatternBuild *b, PetscInt row);
/* Appends the columns that facets couple a row to; the room is there.  Positions of the pairs of a row. */
void RungPatternFacetsAddRow(RungPatternBuild *b, PetscInt row, PetscInt *n);
void RungPatternFacetsPlace(RungPatternBuild *b, PetscBool split, PetscInt row, const PetscInt base[2]);
