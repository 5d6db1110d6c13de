/* pattern_impl.h - what pattern.c, pattern_remote.c and pattern_position.c share while a pattern is made. */
#pragma once

#include "matrix_impl.h"

typedef struct {
  RungLayout  layout;
  RungPattern p;
  Mat         J;         /* owned until the end: AIJ; NULL                                       */
  PetscInt   *start[2];  /* owned until J has them, rows of dofs: owned columns, others */
  PetscInt   *column[2]; /* owned until J has them, owned columns in this rank's numbers, others in global ones */
  PetscInt    width;     /* blocks of a cell                                              */
  uint64_t    per_width; /* 2^64 / width, rounded up; 0 for width 1 */
  PetscInt   *unknown;   /* owned, [cell block]                                           */
  PetscInt   *around_start, *around;  /* owned, [block + 1] into cell * width + i, the places of a block */
  PetscInt   *facet_start, *facet;    /* owned, likewise in (slot * 2 + side) * width + i; NULL: no facets */
  PetscInt    ids;                    /* blocks and foreign columns                                    */
  PetscInt   *id_dof, *id_components; /* owned, [id] first global dof                                  */
  PetscInt   *stamp, *where;          /* owned, [id] the row that has the column; its offset, in units */
  PetscInt   *line;                   /* owned, room for the columns of a row                              */
  PetscInt   *row_start;              /* owned, [owned block + 1]                                              */
  PetscInt   *row_id;                 /* [row_start] columns in the order of their dofs; owned unless in_place */
  PetscBool   in_place;               /* row_id is that of the pattern                                         */
  int         parts;                  /* 1 if all columns are owned, else 2                                    */
  PetscBool  *fixed;                  /* owned, [local dof]; NULL if none is                           */
  PetscBool  *foreign_fixed; /* owned, the same of foreign columns, dof after dof; NULL as above on all ranks */
  PetscInt   *foreign_start; /* owned, [id - blocks] where a column's dofs start there        */
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

/* The cell of a place cell * width + i: the upper half of its product with 2^64 / width, rounded up, as long as
   place * width < 2^64.  A division would cost as much as all the rest. */
static inline PetscInt RungPatternCellOf(const RungPatternBuild *b, PetscInt place)
{
  __extension__ typedef unsigned __int128 Long;

  return b->per_width ? (PetscInt)((Long)(uint64_t)place * b->per_width >> 64) : place;
}

/* pattern.c */
PetscInt RungUnknownOfDof(const RungLayoutData *data, PetscInt dof); /* the unknown that a local dof belongs to */

/* pattern_rows.c */
PetscInt RungRowLength(const RungPatternBuild *b, PetscInt n, const PetscInt id[]); /* dofs of n columns */
/* Rows of ghost blocks, in arrays of their own: start[ghost + 1], id; the caller's. */
PetscErrorCode RungPatternGhostRows(RungPatternBuild *b, PetscInt **start, PetscInt **id);
/* Of owned rows, one after the other: room, the longest one in dofs, or a bound of that, and row_id and row_start of the next one. */
PetscErrorCode RungPatternStartRows(RungPatternBuild *b);
PetscErrorCode RungPatternLongest(RungPatternBuild *b, PetscInt *longest);
PetscErrorCode RungPatternNextRow(RungPatternBuild *b, PetscInt row);

/* pattern_remote.c */
PetscErrorCode RungPatternIds(RungPatternBuild *b, PetscInt foreign, const PetscInt foreign_dof[]);
PetscErrorCode RungPatternSendRows(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                   RungPatternTravel *t);
PetscErrorCode RungPatternTakeRows(RungPatternBuild *b, const RungPatternTravel *t);
PetscErrorCode RungPatternShareFixed(RungPatternBuild *b); /* fills foreign_fixed */
PetscErrorCode RungPatternValueExchange(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                        PetscInt **sent, PetscInt **received);

/* pattern_position.c */
PetscErrorCode RungPatternFillOwned(RungPatternBuild *b, const PetscInt value[]); /* collective */
/* Writes the columns of all rows of dofs.  Of AIJ column[0] takes owned columns, in this rank's numbers, and column[1] the others, in global
   ones; of other formats column[0] takes all, in global numbers.  start[owned dof + 1] and other_start[owned dof + 1] take where rows begin
   in column[0] and column[1]; either may be NULL. */
void           RungPatternFillColumns(const RungPatternBuild *b, PetscInt start[], PetscInt other_start[],
                                      PetscInt *const column[2]);
PetscErrorCode RungPatternFillGhosts(RungPatternBuild *b, const PetscInt value[], const PetscInt start[],
                                     const PetscInt id[]);

/* pattern_fixed.c */
PetscErrorCode RungPatternListFixed(RungPatternBuild *b, const PetscInt ghost_start[], const PetscInt ghost_id[]);

/* pattern_facet.c */
PetscInt       RungPatternFarBlocks(const RungPatternBuild *b, PetscInt f); /* of unknown f that only far cells have */
PetscErrorCode RungPatternFacetsCreate(RungPatternBuild *b);                /* what the layout couples across facets */
PetscErrorCode RungPatternFacetsShareFixed(RungPatternBuild *b);            /* fixed[] of dofs that far cells have   */
PetscInt       RungPatternFacetsRoom(const RungPatternBuild *b, PetscInt row);
/* Appends the columns that facets couple a row to; the room is there.  Positions of the pairs of a row. */
void RungPatternFacetsAddRow(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[], PetscInt *n);
void RungPatternFacetsPlace(RungPatternBuild *b, PetscBool split, PetscInt row, const PetscInt base[2]);

/* For RUNG_OWNED(): arrays from RungScratch1(). */
static inline PetscErrorCode RungPatternScratchFree(PetscInt **array)
{
  return RungScratchFree(array);
}
