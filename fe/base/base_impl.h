/* base_impl.h - what the files of this folder share and all folders of this room see: the process, large arrays, readers of
   files, rules, elements, ranks that exchange. */
#pragma once

#include <rungfe_room.h>
#include <stdint.h>

/* ---- init.c, error.c, options.c, partition.c: the process ------------------------------------------------------------------ */

/* error.c: our error handler from RungInitialize to RungFinalize, unless the user wants PETSc's (traceback).  Start is
   collective on PETSC_COMM_WORLD. */
PetscErrorCode RungErrorsStart(PetscBool traceback);
/* Around PetscInitialize(), which is told of an error by `code`: it is shown in one line, and the process ends. */
void           RungErrorsBefore(void);
void           RungErrorsAfter(MPI_Comm comm, PetscErrorCode code);
PetscErrorCode RungErrorsStop(void);
PetscBool      RungErrorsOfMemory(void); /* a program has gone on after memory had run out: PETSc may be half made */
PetscBool      RungErrorShowLast(void);  /* at exit: was there one that nobody has shown? */

/* What was said of an option when it was first asked for. */
typedef struct {
  char     *name;     /* without the dash                                              */
  char     *about;    /* its line of -help; NULL: it is known and not explained        */
  char     *range;    /* numbers that it takes, "above 0"; NULL: any, or no numbers    */
  char     *standard; /* its value unless it is given; NULL: none                      */
  PetscBool alone;    /* it may come without a value                                   */
} RungOption;

/* options.c: enters a name, with or without dash, once; what is copied stays until PetscFinalize. */
PetscErrorCode RungOptionEnter(const char name[], PetscBool alone, const char about[], const char range[],
                               const char standard[]);
void           RungOptionsGetKnown(PetscInt *n, const RungOption **option); /* lent until the next one is entered */
PetscErrorCode RungOptionSuggest(const char word[], const char **nearest);  /* as RungSuggest, among the known ones */

/* option_help.c: PETSc's own words stay away between Begin and End, but for the program's; what was asked for is then
   known.  RungHelpShow() prints Rung's options if it was, and ends the program with status 0.  Collective on all ranks. */
void           RungHelpBegin(const char help[]);
PetscErrorCode RungHelpEnd(void);
PetscErrorCode RungHelpShow(void);

/* words.c: the words of the command line, lent from argv for the life of the process. */
PetscErrorCode RungWordsKeep(int argc, char **argv);
PetscErrorCode RungWordsCheck(MPI_Comm comm); /* refuses bare words that the program does not ask for */
PetscErrorCode RungWordsForget(void);
char *RungWordsJoin(int argc, char **argv); /* malloc: one text, quotes around words with blanks; NULL without memory */
/* In `text` the first option that rank 0 has and this rank has not, in words, "" if all agree.  Collective; works before
   PetscInitialize. */
void RungTextDiffer(MPI_Comm comm, const char mine[], char text[], size_t size);
/* Ends all ranks where a rank cannot take part in such a comparison: the others would wait, or each take another one's words. */
void RungTextNeed(MPI_Comm comm, PetscBool good);

/* memory.c: between Begin and End, memory that is not there is an error that says how much was wanted, and where. */
void RungMemoryBegin(void);
void RungMemoryEnd(void);

/* heap.c: from Begin to End the heap is asked for in huge pages where it grows; what malloc() was told stays.  Advise: memory that
   was just given, and not yet touched. */
void RungHeapBegin(void);
void RungHeapEnd(void);
void RungHeapAdvise(void *array, size_t bytes);

/* work.c: the option -rung_large; the end of the thread. */
PetscErrorCode RungWorkStart(void);
void           RungWorkStop(void);

/* status.c: the exit status.  OfError: after an error; Tell: the line about what is missing; Exit: main() has returned. */
void RungStatusSetSignal(int signal);
int  RungStatusOfError(PetscErrorCode code);
void RungStatusTell(void);
void RungStatusExit(int found);

/* signal.c: before PETSc starts; after it: what the signals do outside of a run is remembered. */
void RungSignalsBefore(void);
void RungSignalsStart(void);

/* Registered by RungInitialize. */
extern PetscClassId  RUNG_MESH_CLASSID;
extern PetscLogEvent RUNG_MESH_SETUP;

/* Registers "metis" with PetscPartitioner (partition.c). */
PetscErrorCode RungPartitionerRegister(void);
PetscErrorCode RungPartitionerCheck(MPI_Comm comm, const char name[]); /* refuses one that cannot work */

/* ---- scratch.c: large arrays of a while -------------------------------------------------------------------------- */

/* Not collective; contents are not set.  Free with RungScratchFree(&array), also NULL. */
PetscErrorCode RungScratchAlloc(size_t bytes, void **scratch);
PetscErrorCode RungScratchFree_(void **scratch);
/* Contents are 0; pages of a large array have not been touched. */
PetscErrorCode RungScratchZeros(size_t bytes, void **scratch);
#define RungScratch1(n, array) RungScratchAlloc((size_t)(n) * sizeof **(array), (void **)(array))
#define RungScratchFree(array) RungScratchFree_((void **)(array))
#define RUNG_HUGE              ((size_t)1 << 21) /* bytes of a huge page where the system has them */
void RungHugePages(void *array, size_t bytes);   /* advice: these bytes, not yet touched, lie in huge pages */

/* What rank 0 found wrong with its input; empty if nothing.  The first finding stays. */
typedef struct {
  char text[1024];
} RungFinding;

#define RungFound(finding, ...)                                                                                        \
  do {                                                                                                                 \
    if (!(finding)->text[0]) PetscCall(PetscSNPrintf((finding)->text, sizeof(finding)->text, __VA_ARGS__));            \
  } while (0)

/* ---- reader.c: numbers and words of a file ---------------------------------------------------------------------- */

typedef struct {
  const char  *path, *section; /* lent, for messages                                   */
  char        *begin;          /* owned, the file or a window of it, and a 0           */
  const char  *p, *end;        /* what is next, and the 0                              */
  FILE        *file;           /* owned, of a window; else NULL                        */
  PetscInt64   size, behind;   /* of that file, and how much of it is behind the window */
  PetscInt64   stamp[4];       /* of that file: size, inode, time of its last change   */
  PetscBool    four;           /* format 4.1, else 2.2                                 */
  PetscBool    binary, swap;   /* numbers as in memory; of the other byte order        */
  RungFinding *finding;        /* the first complaint stays, and nothing more is read  */
} RungReader;

PetscErrorCode RungReaderLoad(RungReader *r); /* the file of r->path into r->begin; the caller frees it */
/* The same file through a window; one that cannot be opened is a complaint.  Close frees what either of them made. */
PetscErrorCode RungReaderOpen(RungReader *r);
PetscErrorCode RungReaderClose(RungReader *r);
PetscBool      RungReaderAhead(RungReader *r, size_t n); /* are n bytes, 64 kB at most, there to be looked at? */
/* Of a window, in bytes of the file. */
PetscInt64 RungReaderTell(const RungReader *r);
void       RungReaderSeek(RungReader *r, PetscInt64 place);
void       RungReaderSkip(RungReader *r, PetscInt64 n); /* complains if the file is not so long */
PetscBool  RungReaderFailed(const RungReader *r);
void       RungReaderComplain(RungReader *r, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
void       RungReaderUnexpected(RungReader *r, const char wanted[]); /* complains about the next word */
void       RungReaderSkipSpace(RungReader *r);
void       RungReaderSkipLine(RungReader *r); /* what is left of the line, and its end */
PetscBool  RungIsSpace(char c);
PetscInt   RungReaderText(RungReader *r); /* a whole number as text, also in binary files */
PetscInt   RungReaderInt(RungReader *r);  /* binary: 4 bytes                              */
PetscInt   RungReaderSize(RungReader *r); /* binary: 8 bytes                              */
PetscReal  RungReaderReal(RungReader *r);
PetscReal  RungReaderFinite(RungReader *r); /* complains about inf and nan */
/* n if so many things of at least `least` bytes can follow: no memory is asked for what cannot be there; else 0. */
PetscInt RungReaderCount(RungReader *r, PetscInt n, PetscInt least);

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
/* The same on a line, of an element whose basis is a product.  Out table[derivative][point][degree + 1] */
PetscErrorCode RungElementTabulateLine(const RungElement *element, PetscInt points, const PetscReal t[], PetscInt order,
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
