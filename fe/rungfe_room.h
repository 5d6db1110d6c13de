/* rungfe_room.h - what the rooms above need of fe besides what programs do: reference cells, flat arrays of meshes and spaces,
   rules, tables, gathering, insertion.  Not installed, not exported. */
#pragma once

#include <runglayout.h>

/* For who keeps an error and goes on: returns where all ranks of the program have come with theirs.  If a rank stays away, it
   would wait for this one for ever: after ten seconds the lowest that came shows its text and ends the run.  On a part of the
   program's ranks nothing is waited for.  Collective. */
RUNG_INTERN PetscErrorCode RungErrorMeet(MPI_Comm comm, PetscErrorCode code, const char text[]);

/* RungCommCheck - objects that are put together live on the same ranks.  Not collective.
   In  what  of the first, "the space of u"; with, of the second, "the system"
   Errors  PETSC_ERR_ARG_NOTSAMECOMM */
RUNG_INTERN PetscErrorCode RungCommCheck(MPI_Comm a, const char what[], MPI_Comm b, const char with[]);

/* ---- work.c: set-up that takes long --------------------------------------------------------------------------- */

/* Between Begin and End, which nest, something is set up: after two seconds, and each time twice as many have gone by,
   rank 0 says on standard error what.  End comes on both ways out (RungCallFinally).  Not collective. */
RUNG_INTERN void RungWorkBegin(const char format[], ...) __attribute__((format(printf, 1, 2)));
RUNG_INTERN void RungWorkEnd(void);
/* Nothing is said from now on, or all of it again. */
RUNG_INTERN void RungWorkQuiet(PetscBool quiet);

/* RungWorkAllow - asked before tables are made whose cost is known: operations, and numbers that are kept.  The same on
   all ranks, not collective.
   In      format  what they are, "the table of ..", for the message
   Errors  PETSC_ERR_SUP  ten minutes or 8 GB are not enough by estimate and -rung_large is not given, or the numbers are
                          more than a PetscInt can count */
RUNG_INTERN PetscErrorCode RungWorkAllow(double operations, double numbers, const char format[], ...)
  __attribute__((format(printf, 3, 4)));

/* ---- reference cells ------------------------------------------------------------------------------------------ */

/* Vertices: simplices have vertex 0 at the origin and vertex i at the i-th unit vector; the box cells [0, 1]^dim number
   theirs lexicographically, vertex = i + 2 j + 4 k.

        2                2-----3            3              6-----7
        | \              |     |           /|\            /|    /|      x[0] to the right, x[1] up in 2D;
        |   \            |     |          / | \          4-+---5 |      tetrahedron 0, e_0, e_1, e_2;
        0-----1          0-----1         0--|--2         | 2---|-3      hexahedron vertex 4 is above vertex 0
                                          \ | /          |/    |/
                                            1            0-----1

   Facets of simplices: facet i is opposite to vertex i.  Facets of box cells: facet 2 a + s is where x[a] = s.        */
typedef enum {
  RUNG_POINT,
  RUNG_INTERVAL,
  RUNG_TRIANGLE,
  RUNG_QUADRILATERAL,
  RUNG_TETRAHEDRON,
  RUNG_HEXAHEDRON,
  RUNG_CELL_TYPES
} RungCellType;

typedef struct {
  const char  *name;          /* "triangle", ..                                                                      */
  PetscInt     dim;           /* topological dimension                                                               */
  PetscBool    simplex;       /* point, interval, triangle, tetrahedron (the interval counts as simplex)             */
  PetscInt     vertices;      /* number of vertices                                                                  */
  PetscReal    x[8][3];       /* [vertex][axis] reference coordinates                                                */
  PetscInt     edges;         /* number of edges (dim >= 2; the interval is its own interior)                        */
  PetscInt     edge[12][2];   /* [edge][end] vertices, lower local number first                                      */
  PetscInt     facets;        /* number of facets                                                                    */
  RungCellType facet_type;    /* all facets of a cell have one type                                                  */
  PetscInt     facet[6][4];   /* [facet][i] vertices, in the order of the facet's own reference cell                 */
  PetscReal    normal[6][3];  /* [facet][axis] outward unit normal of the reference cell                             */
  PetscReal    facet_size[6]; /* reference measure of the facet over the measure of its reference cell               */
  PetscReal    size;          /* measure of the reference cell; 1 for the point                                      */
} RungCell;

/* RungCellGet - the table of a cell.  Not collective; lent for ever. */
RUNG_INTERN const RungCell *RungCellGet(RungCellType type);

/* RungCellEntities - the vertices of a cell's entities of dimension d, in the order of RungMeshData.cell_entity.
   Not collective.
   In      d       0 .. dimension of the cell
   Out     n       how many entities
           m       vertices of each
           corner  [entity * stride + i] vertex of the cell, lent for ever */
RUNG_INTERN PetscErrorCode RungCellEntities(const RungCell *cell, PetscInt d, PetscInt *n, PetscInt *m,
                                            const PetscInt **corner, PetscInt *stride);

/* RungCellNodes - nodes of P or Q of a degree on a cell: those of its map in a mesh of this geometry_degree.
   Not collective. */
RUNG_INTERN PetscInt RungCellNodes(RungCellType type, PetscInt degree);

/* RungCellTabulate - the basis of P (simplices, points) or Q (boxes) of a degree and its reference derivatives at
   reference points; of a cell's map if the degree is RungMeshData.geometry_degree.  Not collective.
   In      degree  0 for points, else at least 1
           points, x[point][dim]; order 0, 1 or 2
   Out     table[derivative][point][node] as in RungSpaceTabulate(), the caller's */
RUNG_INTERN PetscErrorCode RungCellTabulate(RungCellType type, PetscInt degree, PetscInt points, const PetscReal x[],
                                            PetscInt order, PetscReal table[]);

/* RungCellFind - the cell of a name.  Collective: the same name on all ranks.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such cell; the message lists them and suggests the nearest */
RUNG_INTERN PetscErrorCode RungCellFind(MPI_Comm comm, const char name[], RungCellType *type);

/* ---- start, end, errors --------------------------------------------------------------------------------------- */

/* RungSignalsCatch - from here to RungSignalsRelease() the first of SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU is
   only noted; a second one ends the process at once.  Steppers do this around their loop.  Signals that are ignored, or for which the program has
   set a handler after RungInitialize(), are left alone.  Calls nest.  Not collective.
   RungSignalsAgree - the first signal that was noted on any rank, 0 if none was, and a flag that is rank 0's.  It stays:
   whoever asks after a signal ends, too.  The exit status becomes 128 + signal.  Collective.
   In, out  flag    rank 0's value on all ranks
   Out      signal  its number, 0 without
   RungSignalName - "SIGTERM" */
RUNG_INTERN PetscErrorCode RungSignalsCatch(void);
RUNG_INTERN PetscErrorCode RungSignalsRelease(void);
RUNG_INTERN PetscErrorCode RungSignalsAgree(MPI_Comm comm, PetscBool *flag, int *signal);
RUNG_INTERN const char    *RungSignalName(int signal);

/* RungOptionKnown - enter an option's name ("mesh_cell", with or without dash) into the list that suggestions are taken
   from; with "?" behind it ("mesh_view?") it may come without a value.  Options that the functions below read are known.
   Not collective; names are copied and kept. */
RUNG_INTERN PetscErrorCode RungOptionKnown(const char name[]);

/* RungOptionsPrint - the options that were asked for until now, with what they are: what -help prints.  Collective. */
RUNG_INTERN PetscErrorCode RungOptionsPrint(MPI_Comm comm);

/* ---- texts and names -------------------------------------------------------------------------------------------- */

/* RungDraft - a text that grows; begins as RungDraft text = {0}. */
typedef struct {
  char  *text;         /* owned, ends with a zero; NULL: nothing was added yet */
  size_t length, room; /* bytes without the zero; bytes that text has room for */
} RungDraft;

/* RungDraftAdd - adds what printf() would print.  Not collective. */
RUNG_INTERN PetscErrorCode RungDraftAdd(RungDraft *text, const char format[], ...);
/* RungDraftAddBytes - adds bytes as they are.  Not collective. */
RUNG_INTERN PetscErrorCode RungDraftAddBytes(RungDraft *text, size_t size, const char bytes[]);
/* RungDraftClear - frees the text; it may grow again.  Not collective. */
RUNG_INTERN PetscErrorCode RungDraftClear(RungDraft *text);
/* RungDraftCheckAlike - is what was said of an object the same on all ranks?  A line of the text for each thing; asked before anything of
   it is collective.  what opens the message: "the system".  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  it differs: the first line that does, of rank 0 and of the lowest other one */
RUNG_INTERN PetscErrorCode RungDraftCheckAlike(MPI_Comm comm, const char what[], const RungDraft *said);

typedef enum {
  RUNG_XML,    /* the value of an attribute, without its quotes */
  RUNG_CSV,    /* a field (RFC 4180)                            */
  RUNG_JSON,   /* a string with its quotes                      */
  RUNG_GNUPLOT /* a string with its quotes                      */
} RungLanguage;

/* RungDraftAddName - adds a name so that nothing in it is read as a part of the language.  Not collective. */
RUNG_INTERN PetscErrorCode RungDraftAddName(RungDraft *text, RungLanguage language, const char name[]);

/* RungCsvField - the field of a line of CSV that begins at `at`, without its quotes.  Not collective.
   Out      field[room]
   Returns  the ',' or '\n' behind it, or the end of the text; NULL if this is no field, or one that does not fit */
RUNG_INTERN const char *RungCsvField(const char at[], char field[], size_t room);

#define RUNG_NAME_LENGTH 255 /* bytes of the longest name of a column */

/* RungLabelCheck - a name that goes into files: UTF-8 without control characters and marks of direction.
   Collective.  In  what  "a quantity"
   Errors  PETSC_ERR_ARG_WRONG */
RUNG_INTERN PetscErrorCode RungLabelCheck(MPI_Comm comm, const char what[], const char name[]);

/* RungColumnCheck - the name of a column of tables: a label of at most RUNG_NAME_LENGTH bytes, but not t, the time.
   RungColumnsCheck - names of all columns but the time: each is another one.
   Collective.  In  what  "a quantity"
   Errors  PETSC_ERR_ARG_WRONG, PETSC_ERR_ARG_SIZ */
RUNG_INTERN PetscErrorCode RungColumnCheck(MPI_Comm comm, const char what[], const char name[]);
RUNG_INTERN PetscErrorCode RungColumnsCheck(MPI_Comm comm, PetscInt n, const char *const name[]);

/* RungPathCheck - a path that names a file and has no control characters; whether it can be written is not asked.
   Collective.  In  what  "a table";  example  "heat.csv"
   Errors  PETSC_ERR_ARG_WRONG, PETSC_ERR_ARG_SIZ */
RUNG_INTERN PetscErrorCode RungPathCheck(MPI_Comm comm, const char what[], const char path[], const char example[]);

/* RungOptionIntIn, RungOptionRealIn - RungOptionInt and RungOptionReal of numbers that have a range, which -help shows.
   In     range  "above 0", "at least 1", "-1 to 200" or "at least 0 and below 1"; NULL: all numbers
   Errors PETSC_ERR_ARG_OUTOFRANGE  a number outside of it */
RUNG_INTERN PetscErrorCode RungOptionIntIn(MPI_Comm comm, const char name[], const char about[], const char range[],
                                           PetscInt *value, PetscBool *given);
RUNG_INTERN PetscErrorCode RungOptionRealIn(MPI_Comm comm, const char name[], const char about[], const char range[],
                                            PetscReal *value, PetscBool *given);
/* Lists with commas between; *n before: room of the list, after: how many, 0 if not given.  Texts are the caller's, to be
   freed by PetscFree each.  range of each number as above.
   Errors PETSC_ERR_ARG_SIZ  more than there is room for */
RUNG_INTERN PetscErrorCode RungOptionInts(MPI_Comm comm, const char name[], const char about[], const char range[],
                                          PetscInt *n, PetscInt list[], PetscBool *given);
RUNG_INTERN PetscErrorCode RungOptionReals(MPI_Comm comm, const char name[], const char about[], const char range[],
                                           PetscInt *n, PetscReal list[], PetscBool *given);
RUNG_INTERN PetscErrorCode RungOptionTexts(MPI_Comm comm, const char name[], const char about[], PetscInt *n,
                                           char *list[], PetscBool *given);
/* RungOptionViewer - PETSc's viewer of a value like ascii:file.txt; NULL if not given or with -help, which opens nothing.
   InOut  viewer  the old one is destroyed.  Collective. */
RUNG_INTERN PetscErrorCode RungOptionViewer(MPI_Comm comm, const char name[], const char about[], PetscViewer *viewer,
                                            PetscViewerFormat *format);

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* RungFileWrite - write a file whole or not at all: aside, flushed, renamed.
   Collective; rank 0 writes.  In  path, size, bytes (rank 0's).
   Errors  PETSC_ERR_FILE_WRITE on all ranks with the system's reason */
RUNG_INTERN PetscErrorCode RungFileWrite(MPI_Comm comm, const char path[], size_t size, const char bytes[]);

/* RungFileKind - what a file of ours is known by: its content, never its name. */
typedef enum {
  RUNG_FILE_TABLE,    /* quantities: t first, then one number a column as we print them                      */
  RUNG_FILE_SERIES,   /* .pvd                                                                                */
  RUNG_FILE_PIECE,    /* .vtu, a time of a series                                                               */
  RUNG_FILE_PICTURE,  /* .png with the mark of RungPlot()                                                    */
  RUNG_FILE_SEALED,   /* checkpoints and fields: HDF5 with a seal                                            */
  RUNG_FILE_UNSEALED, /* the same while they are written                                                    */
  RUNG_FILE_ERRORS,   /* .csv of a study                                                                     */
  RUNG_FILE_STUDY,    /* .json of a study                                                                    */
  RUNG_FILE_KERNELS,  /* .c of kernels made ahead of time                                                    */
  RUNG_FILE_WORK      /* .json of what a run took                                                            */
} RungFileKind;

/* What files that rooms above write are known by. */
#define RUNG_SEAL_MARK    "Rung checkpoint 1 " /* begins the last RUNG_SEAL_LENGTH bytes */
#define RUNG_SEAL_LENGTH  64
#define RUNG_ERRORS_HEAD  "dt,error\n"
#define RUNG_STUDY_HEAD   "{\"case\": \""
#define RUNG_WORK_HEAD    "{\n  \"work_of_a_run\": 1,\n"
#define RUNG_KERNELS_HEAD "/* Kernels of "
#define RUNG_KERNELS_MADE ", made by rung-compile.\n" /* ends the first line */

/* RungFileMayReplace - is there nothing at a path, or a plain file?  Devices, folders, pipes and links are never renamed over.
   Not collective.  Out  why[room]  the reason if not */
RUNG_INTERN PetscBool RungFileMayReplace(const char path[], char why[], size_t room);

/* RungFileOpen - open a file for reading if it is a plain one: a pipe would be waited for without end, a folder has no bytes.
   Not collective.  Out  why[room]  the reason if the result is NULL */
RUNG_INTERN FILE *RungFileOpen(const char path[], char why[], size_t room);

/* RungFileLock - open a file for appending, made if it is not there, with a lock that keeps other runs away until it is
   closed; where a file system has no locks there are none.  -1 and errno; EWOULDBLOCK: another run is writing it.  Not
   collective. */
RUNG_INTERN int RungFileLock(const char path[]);

/* RungFileIsOurs - is there nothing at a path, an empty file, or an earlier file of the same kind?  All else is never
   written over.  Not collective.  Out  why[room]  the reason if not */
RUNG_INTERN PetscBool RungFileIsOurs(const char path[], RungFileKind kind, char why[], size_t room);

/* RungFileCheck - ask before the run whether a file can be written: RungFileIsOurs(), its folder and the length of its
   name, also with ".part" behind it.
   Collective; rank 0 looks.  In  what  "the table"
   Errors  PETSC_ERR_FILE_OPEN  on all ranks */
RUNG_INTERN PetscErrorCode RungFileCheck(MPI_Comm comm, const char what[], const char path[], RungFileKind kind);

/* RungFileComplete - path, with extension (".csv") behind it unless it ends so.  Not collective. */
RUNG_INTERN PetscErrorCode RungFileComplete(const char path[], const char extension[], char full[PETSC_MAX_PATH_LEN]);

/* RungPlot - draw a picture with gnuplot, which sees neither the picture's path nor that of its data.
   Collective; rank 0 works.  Without a picture a printed note says why, it is no error.
   Out     drawn          on rank 0: the picture is there; may be NULL
   In      path           the picture, NAME.png
           data           a file that the script plots as RUNG_PLOT_DATA; NULL: none
           width, height  pixels
           script         gnuplot commands; names go in with RungDraftAddName() */
RUNG_INTERN PetscErrorCode RungPlot(MPI_Comm comm, const char path[], const char data[], int width, int height,
                                    const char script[], PetscBool *drawn);
#define RUNG_PLOT_DATA "'/dev/fd/3'"

/* ---- meshes --------------------------------------------------------------------------------------------------- */

/* One more owner.  Not collective. */
RUNG_INTERN PetscErrorCode RungMeshReference(RungMesh mesh);

/* What the rest of Rung reads of a mesh that is set up: flat arrays, local numbers, lent until the mesh is destroyed.
   An entity is a vertex, an edge, a face or a cell; every entity lives on all ranks that have a cell touching it and is
   owned by exactly one.  Local numbers: owned entities first, then the ghosts.  Global numbers: contiguous by rank. */
typedef struct {
  RungCellType       type;           /* of every cell                                                                 */
  PetscInt           dim;            /* of the space the mesh lies in = of its cells; 1 for a mesh of points          */
  PetscInt           cells;          /* of this rank: each cell of the mesh is on exactly one rank                    */
  PetscInt           cells_global;   /* sum over ranks                                                                */
  PetscInt           cell_start;     /* global number of local cell 0                                                 */
  const PetscInt    *cell_number;    /* [cell] number in the source of the mesh: the same on any number of ranks      */
  PetscInt           entities[4];    /* [d] entities of dimension d on this rank, owned and ghost; d <= dim; of edges
                                        and faces this and the next rows after RungMeshNeedEntities(), of cells the
                                        last three                                                                    */
  PetscInt           owned[4];       /* [d] how many of these this rank owns                                          */
  PetscInt           start[4];       /* [d] global number of the first that it owns                                   */
  const PetscInt    *global[4];      /* [d][entity] global number, owned and ghosts                                   */
  const PetscMPIInt *owner[4];       /* [d][entity] owning rank                                                       */
  const PetscInt    *cell_entity[4]; /* [d][cell * n + i] local entity; d of the cell itself (0 for points): entity c;
                                       vertices (d = 0) in the order of RungCell; facets (edges of 2D, faces of 3D
                                       cells) in facet order; edges of 3D cells in the order of RungCell.edge        */
  PetscInt           geometry_degree; /* of the map of a cell from its reference cell, which is a function of P or Q of
                                         this degree: 1 straight, 2 curved; 0 for points                              */
  PetscInt           nodes_per_cell; /* geometry nodes of a cell: those of that space, its vertices first             */
  const PetscInt    *cell_node;      /* [cell][node] into x; cells of straight meshes share nodes, node = vertex;
                                        cells of curved and of periodic meshes have their own                         */
  PetscInt           nodes;          /* local geometry nodes                                                          */
  const PetscReal   *x;              /* [node][dim]                                                                   */
  PetscBool          affine;         /* on every rank every cell is an affine image of its reference cell             */
  PetscInt64         affine_cells;   /* how many are, on all ranks                                                    */
  const PetscBool   *cell_affine;    /* [cell] of this rank, NULL where all or none are                               */
  const PetscInt *cell_like; /* [cell] a cell before it of which it is a translate, or itself; NULL: not looked for   */
  PetscBool       straight;  /* and a box along the axes: a step along one of its axes changes one coordinate */
} RungMeshData;
RUNG_INTERN PetscErrorCode RungMeshGetData(RungMesh mesh, const RungMeshData **data); /* sets the mesh up */
/* RungMeshNeedEntities - numbers the entities of dimension d, where that has not been done: only vertices have their numbers
   before.  Collective. */
RUNG_INTERN PetscErrorCode RungMeshNeedEntities(RungMesh mesh, PetscInt d);
/* RungMeshGetFingerprint - 16 hexadecimal digits of cells, coordinates and parts, the same on any number of ranks. */
RUNG_INTERN PetscErrorCode RungMeshGetFingerprint(RungMesh mesh, char fingerprint[17]);
RUNG_INTERN MPI_Comm       RungMeshComm(RungMesh mesh); /* Not collective   */

/* The places that an integral over a part visits on this rank.  part NULL or "": all cells, the whole boundary, or all
   interior facets; RUNG_GLOBAL has no parts and visits cell 0 of the lowest rank that has cells.  A part is known by
   name or by number ("3").  Every mesh has the facet part "boundary"; boxes have left right (x[0]) bottom top (x[1]) back
   front (x[2]), and edges and corners where these meet: left_bottom, top_front, right_bottom_back.  A name that no rank
   knows is an error listing what exists.
   Vertices and edges: each on one rank, with the first cell in the mesh (in the file) that shows it; of a part of larger
   entities all vertices or edges of its members.  A name that several dimensions have means the lowest that fits.
   Interior facets: each on one rank.  Side 0, "plus", is the cell that comes first in the mesh (in the file), for any
   number of ranks; a cell of another rank is a far cell, with a number of cells or more: RungMeshGetFarCells(). */
typedef struct {
  PetscInt        count;
  const PetscInt *cell[2];  /* [side][i] local cell; side 1 only for interior facets                                  */
  const PetscInt *facet[2]; /* [side][i] local facet, vertex or edge of that cell; NULL for cells                     */
  const PetscInt *turn;     /* [i] how side 1 sees the facet, see RungFacetTurn(); interior facets only               */
  const PetscInt *number; /* [i] among all interior facets of this rank, see RungLayoutInsertFacets(); likewise      */
} RungPlaces;
RUNG_INTERN PetscErrorCode RungMeshGetPlaces(RungMesh mesh, RungDomain domain, const char part[],
                                             const RungPlaces **places);
/* RungMeshListParts - as RungMeshGetParts(), for messages: what list[size] has no room for is cut off; *length of the whole text. */
RUNG_INTERN PetscErrorCode RungMeshListParts(RungMesh mesh, RungDomain domain, char list[], size_t size,
                                             size_t *length);
RUNG_INTERN PetscErrorCode RungMeshHasPart(RungMesh mesh, RungDomain domain, const char part[], PetscBool *has);

/* RungMeshGetFarCells - cells of other ranks across the interior facets that this rank integrates; made by the first
   call, and by the first RungMeshGetPlaces() of interior facets.
   Collective.
   Out     cells  how many: local cells data.cells .. data.cells + cells - 1
           x      [far cell][geometry node][dim], lent until the mesh is destroyed */
RUNG_INTERN PetscErrorCode RungMeshGetFarCells(RungMesh mesh, PetscInt *cells, const PetscReal **x);

/* RungMeshMarkFarCells - mark[cells + c] of far cell c becomes mark[] of that cell on its own rank.  Collective. */
RUNG_INTERN PetscErrorCode RungMeshMarkFarCells(RungMesh mesh, PetscBool mark[]);

/* RungMeshMarkEntities - which vertices (RUNG_VERTICES) or edges (RUNG_EDGES) of this rank are in a part, whoever has the
   cells of the part that touch them.
   Collective.
   Out     mark[entity]  of entities[0] or entities[1] of RungMeshData
   Errors  those of RungMeshGetPlaces() */
RUNG_INTERN PetscErrorCode RungMeshMarkEntities(RungMesh mesh, RungDomain domain, const char part[], PetscBool mark[]);

/* RungFacetTurn - the ways in which two cells can number the vertices of a facet that they share.
   Not collective.
   In      facet   cell type of the facet: point 1 way, interval 2, triangle 6, quadrilateral 8
           turn    0 .. ways - 1, 0 the identity
   Out     (returned) [k] the facet's vertex k of side 0 is vertex [k] of side 1; NULL if there is no such way */
RUNG_INTERN const PetscInt *RungFacetTurn(RungCellType facet, PetscInt turn);
RUNG_INTERN PetscInt        RungFacetTurns(RungCellType facet); /* the number of ways.  Not collective */

/* ---- quadrature ----------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt         points;
  PetscInt         degree; /* exact for polynomials of total degree (simplices) or degree per axis (boxes)            */
  const PetscReal *x;      /* [point][dim] in the reference cell                                                      */
  const PetscReal *weight; /* [point]; sums to RungCell.size                                                          */
} RungQuadrature;
#define RUNG_QUADRATURE_MOST 200 /* the highest degree of a rule: a million points in a hexahedron */
/* RungQuadratureGet - a rule with positive weights and points inside the cell, kept until PETSc is finalized.
   Gauss-Legendre on each axis of intervals and boxes; on simplices the symmetric rules with the fewest points known
   up to degree 20 (Witherden and Vincent 2015, Jaskowiec and Sukumar 2021), above these Gauss-Jacobi points of a cube that
   collapses into the simplex.
   Not collective.
   In      type; degree 0 to RUNG_QUADRATURE_MOST, here and in all rules below
   Out     rule    lent; exact to `degree` at least
   Errors  PETSC_ERR_ARG_OUTOFRANGE  another degree */
RUNG_INTERN PetscErrorCode RungQuadratureGet(RungCellType type, PetscInt degree, const RungQuadrature **rule);
/* RungQuadratureGetFacet - the rule of a facet of a cell: points are in the cell's coordinates, weights are those of
   the facet's own reference cell times RungCell.facet_size, so that sum w f |J| |J^-T n_ref| integrates over the facet.
   Not collective.
   In      type, facet, degree >= 0
   Out     rule    lent
   Errors  PETSC_ERR_ARG_OUTOFRANGE  another degree; a facet that the cell does not have */
RUNG_INTERN PetscErrorCode RungQuadratureGetFacet(RungCellType type, PetscInt facet, PetscInt degree,
                                                  const RungQuadrature **rule);

/* RungQuadratureGetEntity - the rule of a vertex or an edge of a cell: points are in the cell's coordinates, the weight of a
   vertex is 1, those of an edge sum to 1, so that sum w f |J (b - a)| integrates over the edge from a to b.
   Not collective.
   In      type; d 0 or 1, at most the dimension of the cell; entity in the order of RungCellEntities(); degree >= 0
   Out     rule    lent
   Errors  PETSC_ERR_ARG_OUTOFRANGE  another degree; an entity that the cell does not have */
RUNG_INTERN PetscErrorCode RungQuadratureGetEntity(RungCellType type, PetscInt d, PetscInt entity, PetscInt degree,
                                                   const RungQuadrature **rule);

/* RungQuadratureGetFacetTurned - the same points as RungQuadratureGetFacet() on the other side of the facet, in the same
   order: point q lies where point q of turn 0 lies on a cell whose vertex k of the facet is vertex RungFacetTurn()[k] here.
   Not collective.
   In      type, facet, degree >= 0; turn of the facet's type
   Out     rule    lent
   Errors  PETSC_ERR_ARG_OUTOFRANGE  another degree; a facet or turn that does not exist */
RUNG_INTERN PetscErrorCode RungQuadratureGetFacetTurned(RungCellType type, PetscInt facet, PetscInt turn,
                                                        PetscInt degree, const RungQuadrature **rule);

/* ---- spaces --------------------------------------------------------------------------------------------------- */

/* One more owner.  Not collective. */
RUNG_INTERN PetscErrorCode RungSpaceReference(RungSpace space);

typedef struct {
  RungMesh           mesh;       /* lent                                                                             */
  const char        *spec;       /* as given                                                                         */
  PetscInt           degree;     /* of the basis, in total (simplices) or per axis (boxes); Quad: its degree          */
  PetscBool          continuous; /* P, Q of degree >= 1                                                              */
  PetscBool          quadrature; /* Quad(q): node i is point i of the rule                                           */
  PetscBool          single;     /* R: one node, on every rank, owned by the lowest rank that has cells; its x is 0  */
  PetscInt           rank;       /* 0 scalar, 1 vector, 2 tensor                                                     */
  PetscInt           shape[2];   /* components per axis; 1 where unused                                              */
  PetscInt           components; /* shape[0] * shape[1], row-major                                                   */
  PetscInt           cell_nodes; /* scalar basis functions of a cell                                                 */
  PetscInt           entity_nodes[4]; /* [d] of these inside each entity of dimension d, in whose order they come   */
  const PetscReal   *node;  /* [cell node][dim] where a basis function is evaluated, reference coordinates      */
  PetscInt           nodes; /* of this rank, owned and ghost                                                    */
  PetscInt           owned; /* owned; their local numbers come first                                            */
  PetscInt           start; /* global number of the first owned node                                            */
  PetscInt           nodes_global;
  const PetscInt    *global;    /* [local node] global node                                                         */
  const PetscMPIInt *owner;     /* [local node]                                                                     */
  const PetscInt    *cell_node; /* [cell][cell node] local node                                                     */
  const PetscReal   *x;         /* [local node][dim] coordinates                                                    */
} RungSpaceData;
/* Not collective.  Out data, lent until the space is destroyed. */
RUNG_INTERN PetscErrorCode RungSpaceGetData(RungSpace space, const RungSpaceData **data);

/* RungSpaceFindNode - the node of this rank's cells that is within `near` of x[dim], of several the one with the largest global number, -1:
   none.  A node of a periodic mesh is at several places, and found at each.  Not collective. */
RUNG_INTERN PetscErrorCode RungSpaceFindNode(RungSpace space, const PetscReal x[], PetscReal near, PetscInt *node);

/* RungSpaceGetNatural - numbers of the owned nodes, 0 .. nodes_global - 1 over all ranks, that depend on mesh and space
   but not on the number of ranks or on who has which cell: the order of files.
   Collective.
   Out     natural[owned node]  lent until the space is destroyed
   Errors  PETSC_ERR_ARG_OUTOFRANGE  cells * nodes of a cell do not fit into a PetscInt */
RUNG_INTERN PetscErrorCode RungSpaceGetNatural(RungSpace space, const PetscInt **natural);

/* RungSpaceTabulate - basis functions and their reference derivatives at reference points.
   Not collective.
   In      points, x[point][dim], dim of the reference cell (0 on meshes of points); order 0, 1 or 2
   Out     table[derivative][point][cell node], derivative 0 the value, 1 + a d/dX_a, then d2/dX_a dX_b for a <= b in
           lexicographic order; the caller owns the memory, RungSpaceTableSize() numbers.  Numbers within 1e-14 of an
           integer are integers
   Errors  PETSC_ERR_ARG_OUTOFRANGE  another order
           PETSC_ERR_SUP             derivatives of a space Quad(q)
           PETSC_ERR_ARG_INCOMP      a space Quad(q) at other points than those of its rule, in their order */
RUNG_INTERN PetscErrorCode RungSpaceTabulate(RungSpace space, PetscInt points, const PetscReal x[], PetscInt order,
                                             PetscReal table[]);
/* RungSpaceGetProduct - is every basis function of a box cell a product of functions on a line,
       phi_i(X) = prod_a l_{lattice[4 i + a]}(X_a) ?
   Not collective.
   Out     line     functions on the line; 0: no, simplices and Quad(q)
           lattice  [cell node][4], lent until the space is destroyed; either may be NULL */
RUNG_INTERN PetscErrorCode RungSpaceGetProduct(RungSpace space, PetscInt *line, const PetscInt **lattice);
/* RungSpaceTabulateLine - the functions on the line of RungSpaceGetProduct() and their derivatives.
   Not collective.
   In      points, t[point] in [0, 1]; order 0, 1 or 2
   Out     table[times][point][i], times = 0 .. order; the caller's
   Errors  PETSC_ERR_ARG_WRONG  a space that is no product */
RUNG_INTERN PetscErrorCode RungSpaceTabulateLine(RungSpace space, PetscInt points, const PetscReal t[], PetscInt order,
                                                 PetscReal table[]);
/* Numbers in a table: derivatives * points * cell nodes.  Not collective. */
RUNG_INTERN PetscInt RungSpaceTableSize(RungSpace space, PetscInt points, PetscInt order);

/* RungSpaceGetPartNodes - local nodes (owned and ghost) in the closure of the members of a part, over all ranks: a node
   is listed even if only another rank has the member.  Of a discontinuous space those that lie on the members.
   Collective.
   In      part    "" or NULL: the whole boundary; facets, exterior and interior ones; a name that no part of facets has may
                   be one of edges, of vertices or of cells
   Out     count, nodes[count] local nodes, ascending; the caller's (PetscFree)
   Errors  those of RungMeshGetPlaces() */
RUNG_INTERN PetscErrorCode RungSpaceGetPartNodes(RungSpace space, const char part[], PetscInt *count, PetscInt **nodes);

/* RungSpaceGetFacetNormals - outward normals at the nodes of the facets of a part that this rank has, facet by facet, so
   that a node appears once for each of its facets: int phi_i n over it, on triangles n there times its size.
   Collective.
   In      part    "" or NULL: the whole boundary
   Out     count, nodes[count] local nodes, normals[count][dim]; the caller's (PetscFree)
   Errors  those of RungMeshGetPlaces() */
RUNG_INTERN PetscErrorCode RungSpaceGetFacetNormals(RungSpace space, const char part[], PetscInt *count,
                                                    PetscInt **nodes, PetscReal **normals);

/* ---- layout: several spaces in one Vec ------------------------------------------------------------------------ */

/* One more owner.  Not collective. */
RUNG_INTERN PetscErrorCode RungLayoutReference(RungLayout layout);

typedef struct {
  MPI_Comm         comm;
  PetscInt         unknowns;
  const RungSpace *space;     /* [unknown] lent                                                                     */
  const PetscInt  *offset;    /* [unknown + 1] in a cell's dof list; offset[unknowns] = cell_dofs                    */
  PetscInt         cells;     /* local cells                                                                        */
  PetscInt         cell_dofs; /* dofs of a cell, all unknowns                                                       */
  const PetscInt  *cell_dof;  /* [cell][cell dof] local dof                                                         */
  PetscInt         owned;     /* owned dofs = local size of the Vec                                                 */
  PetscInt         local;     /* owned and ghost dofs                                                               */
  PetscInt         start;     /* global number of the first owned dof                                               */
  const PetscInt  *global;    /* [local dof] global dof                                                             */
  const PetscInt  *range;     /* [unknown + 1] owned dofs of unknown f are range[f] .. range[f + 1] - 1 (local)      */
  const PetscInt  *ghost;     /* [unknown + 1] ghost dofs of unknown f are ghost[f] .. ghost[f + 1] - 1 (local)      */
  const PetscInt  *far;       /* [unknown + 1] likewise those that only far cells have; NULL without neighbours      */
  const PetscBool *cell_edge; /* [cell] has dofs of other ranks; NULL: no cell here has                             */
  PetscInt         middle;    /* half of the cells without dofs of other ranks come before this one                 */
  PetscInt         far_cells; /* of RungMeshGetFarCells(); 0 without neighbours                                      */
  const PetscInt  *far_dof;   /* [far cell][cell dof] local dof                                                      */
} RungLayoutData;
/* Not collective.  Out data, lent until the layout is destroyed. */
RUNG_INTERN PetscErrorCode RungLayoutGetData(RungLayout layout, const RungLayoutData **data);
/* RungLayoutAddNeighbours - local arrays of the layout hold the dofs of far cells from now on, behind the ghosts; what
   was lent of it before (data of RungLayoutGetData but for cell_dof) has to be asked for again.
   Collective; once.
   Errors  PETSC_ERR_ORDER  a gather or scatter is open */
RUNG_INTERN PetscErrorCode RungLayoutAddNeighbours(RungLayout layout);
/* RungLayoutCoupleFacets - matrices made from now on have room for blocks of facets; adds neighbours.
   Collective.
   In      part     interior facets, as for RungMeshGetPlaces()
           couple   [f * unknowns + g] rows of unknown f have columns of unknown g of both cells; added to what was said
   Errors  those of RungMeshGetPlaces() and RungLayoutAddNeighbours() */
RUNG_INTERN PetscErrorCode RungLayoutCoupleFacets(RungLayout layout, const char part[], const PetscBool couple[]);
/* Local dof of (unknown, local node, component).  Not collective. */
RUNG_INTERN PetscInt RungLayoutDof(RungLayout layout, PetscInt unknown, PetscInt node, PetscInt component);

/* RungLayoutGather - owned and ghost values of a Vec as one array [local dof].  Without ghosts the Vec's own array, no
   copy; else one precomputed exchange into buffer `slot`, kept by the layout.
   Collective.
   In      u       of RungLayoutCreateVec(); not to be written before GatherRestore
           slot    0 .. RUNG_LAYOUT_SLOTS - 1, not in use
   Out     local   lent until GatherRestore
   Errors  PETSC_ERR_ARG_SIZ         u has another size
           PETSC_ERR_ARG_OUTOFRANGE  no such slot
           PETSC_ERR_ORDER           the slot is in use */
#define RUNG_LAYOUT_SLOTS 8
RUNG_INTERN PetscErrorCode RungLayoutGather(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local);
/* RungLayoutCheckVec - would Gather and ScatterBegin take this Vec?  Who needs several asks for all before it opens one.
   Not collective.  Errors  PETSC_ERR_ARG_NULL, PETSC_ERR_ARG_SIZ */
RUNG_INTERN PetscErrorCode RungLayoutCheckVec(RungLayout layout, Vec u);
/* RungLayoutGatherBegin, GatherEnd - the same in two steps: between them the array has owned values only, and ghosts are
   under way.  Collective; several slots may be under way, begun and ended in the same order on all ranks.
   Errors  as above;  PETSC_ERR_ORDER  no gather of the slot was begun */
RUNG_INTERN PetscErrorCode RungLayoutGatherBegin(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local);
RUNG_INTERN PetscErrorCode RungLayoutGatherEnd(RungLayout layout, PetscInt slot);
/* RungLayoutGatherSome - as GatherBegin, where ghosts are read by few cells: all owned values stay where they are.
   In   n, entry  owned dofs that are wanted beside ghosts
   Out  own       [owned dof] the Vec's own array;   local  [local dof] of owned dofs those of entry[] alone */
RUNG_INTERN PetscErrorCode RungLayoutGatherSome(RungLayout layout, Vec u, PetscInt slot, PetscInt n,
                                                const PetscInt entry[], const PetscScalar **own,
                                                const PetscScalar **local);
/* Gives the array and the slot back.  Not collective.  Errors PETSC_ERR_ORDER: the slot is not in use. */
RUNG_INTERN PetscErrorCode RungLayoutGatherRestore(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local);

/* RungLayoutScatterBegin - a zeroed array [local dof] to add contributions to; one at a time for a layout.
   Not collective.
   Out     local   lent until ScatterEnd
   Errors  PETSC_ERR_ARG_SIZ  r has another size;  PETSC_ERR_ORDER  a scatter is open */
RUNG_INTERN PetscErrorCode RungLayoutScatterBegin(RungLayout layout, Vec r, PetscScalar **local);
/* RungLayoutScatterSome - as ScatterBegin, where few cells add to ghosts.  Sums may be added to both arrays.
   In   n, entry  owned dofs that these cells add to, once each, kept by the caller until ScatterEnd
   Out  own       [owned dof] the Vec's own array, as it is;   local  [local dof] zeroed for ghosts and entry[] alone; the same
                  without ghosts */
RUNG_INTERN PetscErrorCode RungLayoutScatterSome(RungLayout layout, Vec r, PetscInt n, const PetscInt entry[],
                                                 PetscScalar **own, PetscScalar **local);
/* RungLayoutScatterSend - the ghosts of the array are complete and go to their owners; owned dofs may be added to until
   ScatterEnd.  Collective; not needed.  Errors PETSC_ERR_ORDER: no scatter is open, or it was sent. */
RUNG_INTERN PetscErrorCode RungLayoutScatterSend(RungLayout layout);
/* RungLayoutScatterEnd - r += local; ghosts are sent to their owners and added there in rank order, so that results
   are the same in every run.  Collective.  Errors PETSC_ERR_ORDER: no scatter is open. */
RUNG_INTERN PetscErrorCode RungLayoutScatterEnd(RungLayout layout, Vec r, PetscScalar **local);

/* RungLayoutCreateMatOfType - the same of any type that PETSc knows: baij and sbaij for one unknown, in blocks of a node's
   components, sbaij without what is below the diagonal, whatever is inserted there; all other types by
   MatSetValuesCOO() when an insertion ends.
   Errors  PETSC_ERR_ARG_WRONG  PETSc has no such type;  PETSC_ERR_SUP  several unknowns, or a type that has no entries */
RUNG_INTERN PetscErrorCode RungLayoutCreateMatOfType(RungLayout layout, const char type[], const PetscBool couple[],
                                                     const PetscBool fixed[], Mat *J);
/* RungMatBegin - a square matrix of a type, with so many rows of this rank, no entries yet; block 0: none is said.  NULL where there is no
   memory for the type: MatDestroy() crashes on such a one.  Collective. */
RUNG_INTERN PetscErrorCode RungMatBegin(MPI_Comm comm, PetscInt rows, PetscInt block, MatType type, Mat *J);
/* Raises PETSC_ERR_ARG_WRONG with the nearest spelling unless PETSc knows the type.  Collective. */
RUNG_INTERN PetscErrorCode RungMatTypeCheck(MPI_Comm comm, const char type[]);
/* RungLayoutInsertBegin - zeroes the matrix and opens it for cells; one matrix at a time for a layout.
   Not collective.
   Errors  PETSC_ERR_ORDER           another matrix is open
           PETSC_ERR_ARG_WRONG       J is neither of RungLayoutCreateMat() of this layout nor a duplicate of such a one
           PETSC_ERR_ARG_WRONGSTATE  the nonzero pattern of J was changed */
RUNG_INTERN PetscErrorCode RungLayoutInsertBegin(RungLayout layout, Mat J);
/* RungLayoutInsertBeginFrom - the same, but J begins as sum_k c[k] K[k], fixed rows and columns as in RungLayoutCombineMats(),
   and of dense blocks of cells only what belongs to these pairs of unknowns is read and added.  A J that began so the last
   time, with the same c, K, pairs and cells, and was not changed since, is not touched elsewhere.  Collective.
   In      n = 1 .. 3, c[n], K[n]    as in RungLayoutCombineMats(); K stay as they are until InsertEnd
           couple[f * unknowns + g]  pairs of unknowns, among those that J couples; blocks of facets are read whole
           cells, cell[cells]        those that are inserted, NULL: 0 .. cells - 1, no facets then; cells < 0: anything
   Errors  those of RungLayoutCombineMats();  PETSC_ERR_SUP  baij and sbaij */
RUNG_INTERN PetscErrorCode RungLayoutInsertBeginFrom(RungLayout layout, Mat J, PetscInt n, const PetscReal c[],
                                                     const Mat K[], const PetscBool couple[], PetscInt cells,
                                                     const PetscInt cell[]);
/* RungLayoutInsertCell - adds a dense block; no search, no MatSetValues, no allocation.  Not collective.
   In      cell    local cell
           block   block[i * stride_i + j * stride_j], i, j < cell_dofs; pairs of unknowns that are not coupled are not
                   read
   Errors  PETSC_ERR_ORDER  J is not open */
RUNG_INTERN PetscErrorCode RungLayoutInsertCell(RungLayout layout, Mat J, PetscInt cell, const PetscScalar block[],
                                                PetscInt stride_i, PetscInt stride_j);
/* RungLayoutInsertCells - the same for several cells, whose blocks lie one lane apart: cell l has
   block[i * stride_i + j * stride_j + l].  Blocks are added cell after cell.  Errors as above. */
RUNG_INTERN PetscErrorCode RungLayoutInsertCells(RungLayout layout, Mat J, PetscInt count, const PetscInt cell[],
                                                 const PetscScalar block[], PetscInt stride_i, PetscInt stride_j);
/* RungLayoutInsertFacets - adds dense blocks of interior facets, the cell of side 0 before that of side 1; blocks lie one
   lane apart: facet l < count has block[i * stride_i + j * stride_j + l], i, j < 2 cell_dofs.  Not collective.
   In      facet   [count + next] numbers in RungPlaces; the last `next` come soon: their values are fetched
           block   pairs that are not coupled are not read
   Errors  PETSC_ERR_ORDER  J is not open, or made before RungLayoutCoupleFacets() named the facet */
RUNG_INTERN PetscErrorCode RungLayoutInsertFacets(RungLayout layout, Mat J, PetscInt count, PetscInt next,
                                                  const PetscInt facet[], const PetscScalar block[], PetscInt stride_i,
                                                  PetscInt stride_j);
/* RungLayoutInsertSend - all cells and facets with dofs of other ranks are in: their rows go to these ranks while others
   are inserted.  Collective; not needed.  Errors PETSC_ERR_ORDER: J is not open, or its rows were sent. */
RUNG_INTERN PetscErrorCode RungLayoutInsertSend(RungLayout layout, Mat J);
/* RungLayoutInsertEnd - sends rows of other ranks to them in one exchange, where they are added in rank order; sets 1
   on the diagonal of fixed rows; leaves J assembled.  Collective.  Errors PETSC_ERR_ORDER: J is not open. */
RUNG_INTERN PetscErrorCode RungLayoutInsertEnd(RungLayout layout, Mat J);

/* RungLayoutCombineMats - J = sum_k c[k] K[k] in one pass over the values; fixed rows and columns of J, as it was made,
   are those of the identity, whatever the K hold there.
   Collective.
   In      n = 1 .. 3, c[n]
           K[n]   of RungLayoutCreateMat() of this layout with the coupling of J; their fixed dofs may differ
   Errors  those of RungLayoutInsertBegin() for J;  PETSC_ERR_ARG_INCOMP  another pattern */
RUNG_INTERN PetscErrorCode RungLayoutCombineMats(RungLayout layout, PetscInt n, const PetscReal c[], const Mat K[],
                                                 Mat J);

/* ---- fields and output ---------------------------------------------------------------------------------------- */

/* Another function of the same space, zero, without the set-up of the first.  Collective.
   Errors PETSC_ERR_ARG_WRONG: no name. */
RUNG_INTERN PetscErrorCode RungFieldDuplicate(RungField field, const char name[], RungField *copy);
/* Not collective.  Out space, lent. */
RUNG_INTERN PetscErrorCode RungFieldGetSpace(RungField field, RungSpace *space);
/* Not collective.  Out name, lent. */
RUNG_INTERN PetscErrorCode RungFieldGetName(RungField field, const char **name);
/* Not collective.  Out rate, lent; NULL if it has none. */
RUNG_INTERN PetscErrorCode RungFieldGetRate(RungField field, RungField *rate);

/* RungProbesGetLocal - the points of all ranks that lie in cells of this one, for who evaluates them himself.
   Not collective.
   Out     count, cell[count] local cells, X[count][dim of the reference cell]; lent */
RUNG_INTERN PetscErrorCode RungProbesGetLocal(RungProbes probes, PetscInt *count, const PetscInt **cell,
                                              const PetscReal **X);
/* RungProbesReturn - values at the local points, back to the ranks that asked.
   Collective.
   In      local[count][component]  in the order of RungProbesGetLocal()
   Out     values[n][component]     at this rank's points */
RUNG_INTERN PetscErrorCode RungProbesReturn(RungProbes probes, PetscInt components, const PetscScalar local[],
                                            PetscScalar values[]);

/* RungOutputSetPart - before the first time: the series holds the cells of a part alone, or its facets, as cells of their own,
   with the values of the cells that they belong to, of interior facets of the one that comes first in the mesh.  Collective.
   Errors  those of RungMeshGetPlaces() */
RUNG_INTERN PetscErrorCode RungOutputSetPart(RungOutput output, RungMesh mesh, const char part[]);
/* RungOutputSetLine - before the first time: the series holds n points from one to another instead of the mesh, and pieces of the
   line between them; points outside of the mesh are left out.  Collective.
   In      from[dim], to[dim];  n  2 to a million
   Errors  PETSC_ERR_ARG_OUTOFRANGE  fewer than two points lie in the mesh;  PETSC_ERR_ARG_WRONG  the ends are one point */
RUNG_INTERN PetscErrorCode RungOutputSetLine(RungOutput output, RungMesh mesh, PetscInt n, const PetscReal from[],
                                             const PetscReal to[]);
/* RungLineCount - how many of the points of such a line are outside of the mesh.  Collective.  Errors as above */
RUNG_INTERN PetscErrorCode RungLineCount(MPI_Comm comm, RungMesh mesh, PetscInt n, const PetscReal from[],
                                         const PetscReal to[], PetscInt *outside);
/* RungOutputTry - RungOutputWrite(), but a time that the disk refuses is no error: the series stays without it.  Collective.
   Out     written;  why[room]  the reason if not, on all ranks */
RUNG_INTERN PetscErrorCode RungOutputTry(RungOutput output, PetscReal t, PetscInt n, const RungField fields[],
                                         PetscBool *written, char why[], size_t room);

/* RungOutputResume - a series that an earlier run left under the same path goes on: its times up to t stay, later ones
   are written anew.  Before the first Write; no series is no error.  Collective. */
RUNG_INTERN PetscErrorCode RungOutputResume(RungOutput output, PetscReal t);
