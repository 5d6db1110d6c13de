/* fe_space_impl.h - what the files about rules, elements, spaces, layouts, matrices and output share. */
#pragma once

#include "fe_impl.h"
#include <stdint.h>

/* ---- quadrature.c, polynomial.c: numbers on a line and on simplices ----------------------------------------- */

/* Gauss points and weights of int_0^1 (1 - t)^alpha f(t) dt.  Out t[n], weight[n], ascending. */
PetscErrorCode RungGaussJacobi(PetscInt n, PetscInt alpha, PetscReal t[], PetscReal weight[]);
/* The degree + 1 Gauss-Lobatto nodes of [0, 1], ascending and symmetric to the last bit. */
PetscErrorCode RungGaussLobattoNodes(PetscInt degree, PetscReal t[]);

PetscInt RungDerivativeCount(PetscInt dim, PetscInt order); /* derivatives of order 0 .. order in dim variables */
PetscInt RungPolynomialCount(PetscInt dim, PetscInt degree);
/* Orthonormal polynomials of the unit simplex.  Out table[derivative][point][polynomial]; order <= 2 */
PetscErrorCode RungPolynomialTabulate(PetscInt dim, PetscInt degree, PetscInt points, const PetscReal x[],
                                      PetscInt order, PetscReal table[]);

/* ---- element.c: a nodal basis on one cell ------------------------------------------------------------------- */

typedef struct RungElement_ {
  RungCellType          type;
  PetscInt              degree;
  PetscBool             continuous; /* nodes on vertices, edges, faces are shared with the neighbours              */
  PetscBool             single;     /* R: one node for all cells of the mesh                                       */
  const RungQuadrature *rule;       /* Quad: the points are the nodes, there is no basis in between; else NULL     */
  PetscInt              nodes;      /* basis functions                                                             */
  PetscReal            *node;       /* owned, [node][dim]                                                          */
  PetscInt             *lattice;    /* owned, [node][4]: simplices barycentric, boxes i j k; sums to / up to degree */
  PetscInt   entity_nodes[4];       /* [d] nodes inside each entity of dimension d                                 */
  PetscInt   entity_start[4];       /* [d] first cell node on an entity of dimension d                             */
  PetscInt  *turn[4];               /* owned, [d][orientation * entity_nodes[d] + i]: place of the i-th node of an
                                       edge (d = 1) or face (d = 2) in the frame that all its cells agree on       */
  PetscInt  *facet_start;           /* owned, [facet + 1]                                                          */
  PetscInt  *facet_node;            /* owned, cell nodes that lie on a facet                                       */
  PetscReal *inverse;               /* owned, [polynomial][node] coefficients of the basis (simplices)             */
  PetscReal *line;                  /* owned, [polynomial][i] coefficients of the basis on a line (boxes)          */
  struct RungElement_ *within;      /* owned, bubbles: an element that has all functions of this one; else NULL    */
  PetscReal           *mix;         /* owned, [node of within][node] values of the basis                           */
} RungElement;

/* comm and spec are for messages.  family is one of the table in element.c. */
PetscErrorCode RungElementCreate(MPI_Comm comm, const char spec[], const char family[], RungCellType type,
                                 PetscInt degree, RungElement **element);
/* The element of a cell's map. */
PetscErrorCode RungElementCreateMap(RungCellType type, PetscInt degree, RungElement **element);
PetscErrorCode RungElementDestroy(RungElement **element);
PetscErrorCode RungElementFacets(RungElement *element); /* fills facet_start, facet_node from node */
const char    *RungElementFamilies(void);               /* "P, Q, .." */
PetscErrorCode RungElementFindFamily(MPI_Comm comm, const char spec[], const char word[], const char **family);

/* One family a file; each creates the element or refuses the cell or degree with the way out. */
PetscErrorCode RungElementCreate_Lagrange(MPI_Comm comm, const char spec[], const char family[], RungElement *element);
PetscErrorCode RungElementCreate_Discontinuous(MPI_Comm comm, const char spec[], const char family[],
                                               RungElement *element);
PetscErrorCode RungElementCreate_Global(MPI_Comm comm, const char spec[], const char family[], RungElement *element);
PetscErrorCode RungElementCreate_Bubble(MPI_Comm comm, const char spec[], const char family[], RungElement *element);
PetscErrorCode RungElementCreate_Points(MPI_Comm comm, const char spec[], const char family[], RungElement *element);
PetscErrorCode RungElementSetLagrange(RungElement *element); /* nodes, lattice and basis of degree >= 1 */

/* lagrange.c: orientation of an entity from the global numbers of its vertices (order of the entity in its cell) */
PetscInt RungOrientation(RungCellType entity, const PetscInt vertex[]);
PetscInt RungOrientationCount(RungCellType entity);

/* tabulate.c.  Out table[derivative][point][node] */
PetscErrorCode RungElementTabulate(const RungElement *element, PetscInt points, const PetscReal x[], PetscInt order,
                                   PetscReal table[]);

/* ---- exchange.c: ghosts and their owners -------------------------------------------------------------------- */

enum { RUNG_GHOSTS, RUNG_OWNERS }; /* the two sides of an exchange */

/* Every ghost item of this rank is paired with an owned item of another.  Neighbours ascend by rank, so whatever
   is added in the order of the buffers is added in rank order. */
typedef struct {
  MPI_Comm     comm;      /* owned (PetscCommDuplicate)                                                              */
  PetscMPIInt  tag;       /* of comm                                                                                 */
  PetscInt     n[2];      /* [side] neighbours: owners of my ghosts; ranks that hold ghosts of mine                  */
  PetscMPIInt *rank[2];   /* owned, [side][neighbour] ascending                                                      */
  PetscInt    *start[2];  /* owned, [side][neighbour + 1] where a neighbour's items start in the buffers             */
  PetscInt    *item[2];   /* owned, [side][place in the buffer] ghost (from 0), owned item; NULL after Expand        */
  MPI_Request *request;   /* owned, [n[0] + n[1]]                                                                    */
  char        *buffer[2]; /* owned, [side] for Forward and Reverse, grows                                            */
  size_t       capacity[2];
} RungExchange;

/* In  owner[ghosts], global[ghosts]: global item numbers; start: global number of this rank's first owned item */
PetscErrorCode RungExchangeCreate(MPI_Comm comm, PetscInt ghosts, const PetscMPIInt owner[], const PetscInt global[],
                                  PetscInt start, RungExchange **exchange);
/* The same neighbours with count[side][place] values for each item; buffers only. */
PetscErrorCode RungExchangeExpand(RungExchange *exchange, const PetscInt *const count[2], RungExchange **expanded);
/* Move buffers: from side `from` to the other one; `size` units of MPI type `unit` for each item. */
PetscErrorCode RungExchangeRun(RungExchange *exchange, int from, MPI_Datatype unit, PetscInt size, const void *send,
                               void *receive);
/* The same in two steps, in the same order on all ranks; request[n[0] + n[1]] and the buffers are the caller's. */
PetscErrorCode RungExchangeStart(RungExchange *exchange, int from, MPI_Datatype unit, PetscInt size, const void *send,
                                 void *receive, MPI_Request request[]);
PetscErrorCode RungExchangeWait(RungExchange *exchange, MPI_Request request[]);
/* ghost[g] = value of its owner, `bytes` for each item. */
PetscErrorCode RungExchangeForward(RungExchange *exchange, size_t bytes, const void *owned, void *ghost);
/* Lends the values of all ghosts of this rank's items, [place][bytes] as exchange->item[RUNG_OWNERS] lists them. */
PetscErrorCode RungExchangeReverse(RungExchange *exchange, size_t bytes, const void *ghost, const void **received);
PetscErrorCode RungExchangeDestroy(RungExchange **exchange);

/* ---- mesh_sides.c: interior facets with both cells ----------------------------------------------------------- */

/* The interior facets that this rank integrates: those it owns, so that each has one rank.  Side 0, "plus", is the cell
   that comes first in the whole mesh, for any number of ranks.  Cells of other ranks behind such facets are far cells,
   numbered from data.cells on. */
struct _n_RungSides {
  PetscInt      facets;
  PetscInt     *cell[2];  /* owned, [side][facet]                                                                */
  PetscInt     *facet[2]; /* owned, [side][facet] facet of that cell                                             */
  PetscInt     *turn;     /* owned, [facet] how side 1 sees the vertices of side 0, see RungFacetTurn()          */
  PetscInt      far;      /* far cells, in the order of their global numbers                                     */
  RungExchange *exchange; /* owned: cells of this rank -> far cells of others                                    */
  PetscReal    *x;        /* owned, [far cell][geometry node][dim]                                               */
};
/* Collective when called first; kept by the mesh. */
PetscErrorCode RungMeshGetSides(RungMesh mesh, RungSides *sides);

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
  PetscInt     *cell_node; /* owned                     */
  PetscReal    *x;         /* owned                      */
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
  MPI_Request *request;   /* owned, NULL before the first use    */
  PetscScalar *buffer[2]; /* owned, [side][place in the buffer]  */
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
  PetscInt     *row_start; /* owned, rows of dofs of COO, of SBAIJ on several ranks; else NULL              */
  PetscInt     *column;    /* owned, global                                                                 */
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
/* Out  J  AIJ: the matrix with its columns, for RungFormatFinishRows(); else NULL, and the pattern has all columns */
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
/* AIJ: room for rows of dofs with so many owned and other columns, which the caller writes: owned ones in this rank's numbers,
   then the others in global ones; FinishRows makes it a matrix of zeros. */
PetscErrorCode RungFormatCreateRows(RungPattern pattern, const PetscInt owned[], const PetscInt others[], Mat *J,
                                    PetscInt *column[2]);
PetscErrorCode RungFormatFinishRows(RungPattern pattern, Mat J);
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

/* ---- field.c, vtk.c, output.c ------------------------------------------------------------------------------- */

struct _p_RungField {
  RungSpace  space;  /* referenced */
  RungLayout layout; /* owned      */
  Vec        u;      /* owned      */
  char      *name;   /* owned      */
  RungField  rate;   /* lent, NULL: not known */
};

/* vtk.c: VTK's cell type of this degree, and the lattice points of its nodes in VTK's order.
   Out lattice[node][4] as in RungElement, n nodes; the array is the caller's (PetscFree). */
PetscErrorCode RungVtkCell(RungCellType type, PetscInt degree, int *vtk_type, PetscInt *n, PetscInt **lattice);

/* What one .vtu file holds: a piece of a mesh and values on its points or cells. */
typedef struct {
  char      *name;       /* owned                                                 */
  PetscInt   components; /* 1, 3 or 9 after padding; any number for other shapes  */
  PetscBool  on_cells;
  PetscReal *value; /* owned, [point or cell][component]                     */
} RungVtuArray;

typedef struct {
  PetscInt      points, cells, cell_points;
  int           type;       /* of VTK, all cells                     */
  PetscReal    *x;          /* owned, [point][3]                     */
  PetscInt     *connection; /* owned, [cell][cell point], VTK order  */
  PetscInt      arrays;
  RungVtuArray *array; /* owned, [arrays]                       */
} RungVtu;

/* vtu.c.  Not collective: writes `path`; *ok is false and `why` the reason if it cannot, the file then half there. */
PetscErrorCode RungVtuWrite(const RungVtu *vtu, const char path[], PetscBool *ok, char why[], size_t room);
/* Collective: the .pvtu that lists the pieces NAME_RANK.vtu of all ranks that have cells. */
PetscErrorCode RungVtuWriteIndex(const RungVtu *vtu, MPI_Comm comm, const char path[], const char name[]);
PetscErrorCode RungVtuClear(RungVtu *vtu); /* frees arrays and mesh */

struct _p_RungOutput {
  MPI_Comm  comm;    /* owned (PetscCommDuplicate)                                                */
  char     *base;    /* owned, path without extension: base.pvd and the folder base.pvd.d/        */
  char     *name;    /* owned, last part of base                                                  */
  PetscInt  written; /* times so far                                                              */
  RungDraft index;   /* owned, rank 0: the lines of the .pvd so far                               */
  /* kept between times while mesh, degree and continuity stay */
  RungSpace  space;  /* owned, scalar; its nodes are the points; NULL before the first write      */
  PetscInt   points; /* of a cell                                                                 */
  int        type;   /* VTK's                                                                     */
  PetscInt  *order;  /* owned, [VTK point] cell node of `space`                                   */
  PetscReal *at;     /* owned, [cell node][dim] where VTK has its points: equispaced              */
};
