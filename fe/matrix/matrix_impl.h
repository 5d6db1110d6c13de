/* matrix_impl.h - patterns, the matrices that they describe, and what is added to these: what the files of this folder share. */
#pragma once

#include "fe_space_impl.h"

/* Of a pattern: some pairs of unknowns, and what of the values of owned columns these cells can add to there. */
typedef struct RungSome_ {
  PetscInt          number; /* 1, 2, ..: one for each time that other pairs or cells were asked for  */
  PetscBool        *couple; /* owned, [f][g]                                                         */
  PetscInt          cells;  /* how many add                                                          */
  PetscInt         *cell;   /* owned, [cells]; NULL: all of them                                     */
  PetscInt          tiles;
  struct RungTile_ *tile;      /* owned                                                                 */
  int32_t          *run, *end; /* owned, [runs] values run .. end - 1, ascending, each within a page    */
  int32_t          *page_run;  /* owned, [page, by place + 1] its runs                                  */
} RungSome;

/* A part of the dense cell block whose row blocks have n dofs each and whose column blocks have m. */
typedef struct RungTile_ {
  PetscInt rows, columns, row_block, column_block; /* blocks of the cell                      */
  PetscInt row_dof, column_dof;                    /* first row and column of the dense block */
  PetscInt n, m;
} RungTile;

/* Where a dense cell block goes in the value arrays of an AIJ matrix.  A block is what one node of one unknown carries
   (`components` dofs with consecutive numbers), so one offset serves components x components entries:
       entry ((i, a), (j, b)) of a cell  ->  start[row of i] + unit * offset[cell][i][j] + a * stride[row of i] + b
   in the values of the owned columns, of the other columns, or, for rows of other ranks, in the send buffer.  Offsets
   within a row are small: they take one byte where the longest row allows it, else two, else four.
   Fixed dofs are no concern of insertion: what it leaves in their rows and columns is cleared from lists afterwards. */
struct _n_RungPattern {
  PetscInt      refct;
  RungLayout    layout; /* referenced                                                                    */
  PetscInt      unknowns;
  PetscInt     *components;     /* owned, [unknown]                                                              */
  PetscInt     *block_offset;   /* owned, [unknown + 1] blocks of a cell                                         */
  PetscBool    *couple;         /* owned, [f][g]                                                                 */
  PetscBool     full;           /* all unknowns are coupled                                                      */
  PetscInt      uniform;        /* the number of components if all unknowns have the same one, else 0            */
  PetscInt      owned;          /* owned blocks; their local numbers come first, in the order of the dofs        */
  PetscInt      blocks;         /* owned and ghost blocks                                                        */
  PetscInt     *block_dof;      /* owned, [block] first local dof                                                */
  PetscInt     *cell_block;     /* [cell][cell block]; owned, but of one unknown: its space's cell_node         */
  int           offset_bytes;   /* 1, 2 or 4                                                                     */
  PetscInt      unit;           /* of the offsets: `uniform`, or 1                                               */
  void         *offset;         /* owned, [cell][i][j] over cell blocks, unsigned integers of offset_bytes, and a pad */
  int32_t      *start[2];       /* owned, [0 owned columns or send buffer, 1 others][block] of a row's values    */
  int32_t      *stride[2];      /* owned, the same: length of a row                                              */
  PetscInt      width;          /* blocks of a cell                                                              */
  PetscInt      cell_dofs;      /* of all unknowns                                                               */
  PetscInt      tiles;          /* of the dense block of a cell                                                  */
  RungTile     *tile;           /* owned                                                                         */
  RungSome     *some;           /* owned, NULL: not asked for                                                    */
  PetscInt      some_made;      /* number of the last                                                            */
  uint8_t      *other;          /* owned, [cell block] scratch of insert_edge.c                                  */
  PetscInt      cleared[3];     /* in the values of owned columns, of other columns, in the send buffer          */
  int32_t      *clear[3];       /* owned, [array][cleared] entries in rows or columns of fixed dofs              */
  int32_t      *fixed_diagonal; /* owned, [fixed_count] positions of the ones                                    */
  PetscInt      fixed_count;
  PetscInt      entries[2];     /* values of the owned, of the other columns                                     */
  PetscInt      pages;          /* of the values of owned columns                                                */
  PetscInt      lines;          /* of pages to be fetched with 8 cells                                           */
  int32_t      *page_cell;      /* owned, [page] the first cell that adds to it, ascending                       */
  int32_t      *page_start;     /* owned, [page]                                                                 */
  PetscInt      facets;         /* whose cells are coupled                                                       */
  PetscInt      facets_known;   /* interior facets of this rank                                                  */
  PetscInt     *facet_slot;     /* owned, [facet of RungSides] 0 .. facets - 1, or -1; NULL: no facet coupling   */
  PetscBool    *facet_couple;   /* owned, [f][g]                                                                 */
  PetscInt     *facet_block;    /* owned, [slot][side][cell block]                                               */
  uint8_t      *facet_kind;     /* owned, [slot] RUNG_FACET_..                                                   */
  size_t       *facet_at;       /* owned, [slot] where its positions begin                                       */
  int32_t      *facet_position; /* owned, [side, i][side, j] over the blocks of both cells, of RUNS [side, unknown] */
  RungExchange *exchange;       /* owned, of values of ghost rows; NULL on one rank                              */
  PetscScalar  *send;           /* owned                                                                         */
  PetscScalar  *receive;        /* owned                                                                         */
  int32_t      *target;         /* owned, [received value] position p, -1 - p in the other columns, NOWHERE      */
  RungMatFormat format;
  char          type[32];  /* PETSc's type of the matrices                                                  */
  int32_t      *lower[2];  /* owned, SBAIJ: [part][owned block] blocks of its row that are not stored; NULL */
  PetscInt     *row_start; /* owned, rows of dofs of COO, of blocks of SBAIJ on several ranks; else NULL    */
  PetscInt     *column;    /* owned, of RungScratch1(), global, dofs or blocks */
};
enum {
  RUNG_FACET_EDGE,  /* some row or column is not owned, or entries are stored in blocks           */
  RUNG_FACET_PAIRS, /* all are owned                                                              */
  RUNG_FACET_RUNS   /* and the columns of a row are a run for each side and unknown of the facet */
};
static inline PetscBool RungPatternHasBlocks(const RungPattern p)
{
  return p->format == RUNG_MAT_BAIJ || p->format == RUNG_MAT_SBAIJ ? PETSC_TRUE : PETSC_FALSE;
}
#define RUNG_OFFSET_PAD sizeof(uint64_t) /* bytes behind the offsets of a pattern, which are read by words */
#define RUNG_NOWHERE    INT32_MIN        /* an entry below the diagonal of a symmetric matrix */
/* Out  J  AIJ: the matrix, of zeros; else NULL, and the pattern has all columns */
PetscErrorCode RungPatternCreate(RungLayout layout, RungMatFormat format, const PetscBool couple[],
                                 const PetscBool fixed[], RungPattern *pattern, Mat *J);
PetscErrorCode RungPatternDestroy(RungPattern *pattern);
/* insert_zero.c: finds the pages when the pattern is done; zeroes those of all cells up to one that are not yet zero */
PetscErrorCode RungPagesCreate(RungPattern p);
void           RungPagesZero(RungInsertion *insertion, PetscInt cell);
/* pattern_block.c: positions in rows of dofs become positions in blocks; one unknown */
PetscErrorCode RungPatternToBlocks(RungPattern pattern, PetscBool symmetric);
/* insert_facet.c: kinds of facets; positions take the room that their kind needs.  Last, positions stay as they are */
PetscErrorCode RungFacetsPack(RungPattern p);

/* mat_format.c: matrices of a pattern and their value arrays, [part] owned columns, others.  `staged` is what
   RungFormatStage() made for the matrix: arrays of this room where PETSc lends none. */
PetscErrorCode RungFormatFind(RungLayout layout, const char type[], RungMatFormat *format, char name[], size_t size);
/* AIJ, collective: a matrix of zeros with these rows of dofs, [part] owned columns in this rank's numbers, others in global ones;
   on one rank all are owned.  The matrix takes the arrays, of PetscMalloc1() and of RungScratch1(), and leaves NULL for them. */
PetscErrorCode RungFormatCreateRows(RungPattern pattern, PetscInt *start[2], PetscInt *column[2], Mat *J);
PetscErrorCode RungFormatCreateMat(RungPattern pattern, Mat *J); /* other formats; drops columns that nobody needs */
PetscErrorCode RungFormatDuplicated(RungPattern pattern, Mat J, Mat copy); /* copy multiplies as fast as J */
PetscErrorCode RungFormatStage(RungPattern pattern, PetscScalar *staged[2]);
PetscErrorCode RungFormatLend(RungPattern pattern, Mat J, PetscScalar *const staged[2], PetscScalar *value[2]);
PetscErrorCode RungFormatLendRead(RungPattern pattern, Mat J, PetscScalar *const staged[2],
                                  const PetscScalar *value[2]);
PetscErrorCode RungFormatReturn(RungPattern pattern, Mat J, PetscScalar *const staged[2], PetscScalar *value[2]);
PetscErrorCode RungFormatFinish(RungPattern pattern, Mat J, PetscScalar *const staged[2]); /* J is assembled then */

/* Cells whose dense blocks are added: dense[row dof][column dof] at stride_i, stride_j, lane l at + l. */
typedef struct {
  PetscInt           count;
  const PetscInt    *cell; /* [count] */
  const PetscScalar *dense;
  PetscInt           si, sj;
} RungInsertCells;
/* insert_add.c, insert_edge.c: the adding itself, of cells without and with dofs of other ranks */
PetscErrorCode RungTilesCreate(RungPattern p, const PetscBool couple[], PetscInt *tiles, RungTile **tile);
void           RungInsertionSetTiles(RungInsertion *insertion, PetscInt tiles, RungTile *tile);
void           RungInsertInterior(const RungPattern p, RungInsertion *insertion, const RungInsertCells *cells);
void           RungFetchEdge(const RungPattern p, const RungInsertion *insertion, PetscInt cell);
void           RungInsertEdge(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells);
/* insert_some.c: p->some of these pairs of unknowns and cells (see RungLayoutInsertBeginFrom), NULL where they are not told
   apart; the values of a page as they begin */
PetscErrorCode RungSomeCreate(RungPattern p, const PetscBool couple[], PetscInt cells, const PetscInt cell[]);
PetscErrorCode RungSomeDestroy(RungSome **some);
void           RungPageBegin(const RungInsertion *insertion, PetscInt start, PetscInt length);
