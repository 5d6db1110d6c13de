/* rungfe.h - cells, meshes, spaces, layouts and fields.  The lowest room: includes PETSc and nothing of ours.

   Life of every class: Create, Set.., SetFromOptions, SetUp (called by the first use), work, View, Destroy.
   Create gives, Get lends, Destroy takes the address and nulls it; parents hold references, so an app may destroy in
   any order.  Every function is collective on the communicator of its object unless its block says "Not collective". */
#pragma once

#include <petscdmplex.h>
#include <petscsnes.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0 /* the 3.18 of Debian 12 has no such name */
#endif

#define RUNG_EXTERN PETSC_EXTERN

typedef struct _p_RungMesh   *RungMesh;   /* cells, their geometry, named parts of cells and facets               */
typedef struct _p_RungSpace  *RungSpace;  /* a finite element on every cell of a mesh                             */
typedef struct _p_RungLayout *RungLayout; /* the numbering of several spaces' degrees of freedom in one Vec       */
typedef struct _p_RungField  *RungField;  /* a named function of a space                                          */

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

/* Not collective. */
RUNG_EXTERN const RungCell *RungCellGet(RungCellType type);
RUNG_EXTERN PetscErrorCode  RungCellFind(MPI_Comm comm, const char name[], RungCellType *type); /* error suggests */

/* ---- start, end, errors --------------------------------------------------------------------------------------- */

RUNG_EXTERN PetscErrorCode RungInitialize(int *argc, char ***argv, const char help[]);
RUNG_EXTERN PetscErrorCode RungFinalize(void);
RUNG_EXTERN PetscErrorCode RungSuggest(const char word[], PetscInt n, const char *const list[], const char **nearest);

/* RungOptionsCheck - refuse options that begin with a Rung class word (mesh, space, form, system, stepper, study, case,
   rung) and that nothing has queried, or that are within two edits of a queried Rung option; suggest the nearest. */
RUNG_EXTERN PetscErrorCode RungOptionsCheck(MPI_Comm comm);

/* RungOptionKnown - enter an option's name ("mesh_cell", with or without dash) into the list that suggestions are taken
   from.  Call it where the option is queried, before or after.  Not collective; names are copied and kept. */
RUNG_EXTERN PetscErrorCode RungOptionKnown(const char name[]);

/* RungCheckAll - raise one error on all ranks if `ok` is false on any: lowest rank wins, its text is broadcast.
   Collective.  Message in the style: found, wanted, way out; lower case, no full stop. */
#define RungCheckAll(ok, comm, code, ...)                                                                              \
  do {                                                                                                                 \
    char      rung_message_[2048] = "";                                                                                \
    PetscBool rung_bad_;                                                                                               \
    int       rung_ok_ = (ok) ? 1 : 0;                                                                                 \
    if (!rung_ok_) PetscCall(PetscSNPrintf(rung_message_, sizeof rung_message_, __VA_ARGS__));                         \
    PetscCall(RungCheckAll_Private((comm), rung_ok_, rung_message_, sizeof rung_message_, &rung_bad_));                \
    PetscCheck(!rung_bad_, (comm), (code), "%s", rung_message_);                                                       \
  } while (0)
RUNG_EXTERN PetscErrorCode RungCheckAll_Private(MPI_Comm comm, int ok, char message[], size_t size, PetscBool *bad);

/* ---- meshes --------------------------------------------------------------------------------------------------- */

typedef enum { RUNG_CELLS, RUNG_BOUNDARY, RUNG_INTERIOR_FACETS } RungDomain; /* dx, ds, dS */

RUNG_EXTERN PetscErrorCode RungMeshCreate(MPI_Comm comm, RungMesh *mesh);
RUNG_EXTERN PetscErrorCode RungMeshSetBox(RungMesh mesh, const char cell[], PetscInt dim, const PetscInt count[],
                                          const PetscReal size[]);
RUNG_EXTERN PetscErrorCode RungMeshSetPoints(RungMesh mesh, PetscInt count);
RUNG_EXTERN PetscErrorCode RungMeshSetFile(RungMesh mesh, const char path[]);
RUNG_EXTERN PetscErrorCode RungMeshSetFromOptions(RungMesh mesh); /* -mesh_cell -mesh_count -mesh_size -mesh_lower
                                                                      -mesh_points -mesh_file -mesh_partitioner
                                                                      -mesh_view                                     */
RUNG_EXTERN PetscErrorCode RungMeshSetUp(RungMesh mesh);
RUNG_EXTERN PetscErrorCode RungMeshView(RungMesh mesh, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungMeshReference(RungMesh mesh);
RUNG_EXTERN PetscErrorCode RungMeshDestroy(RungMesh *mesh);

/* What the rest of Rung reads of a mesh that is set up: flat arrays, local numbers, lent until the mesh is destroyed.
   An entity is a vertex, an edge, a face or a cell; every entity lives on all ranks that have a cell touching it and is
   owned by exactly one.  Local numbers: owned entities first, then the ghosts.  Global numbers: contiguous by rank. */
typedef struct {
  RungCellType     type;            /* of every cell                                                                 */
  PetscInt         dim;             /* of the space the mesh lies in = of its cells; 1 for a mesh of points          */
  PetscInt         cells;           /* of this rank: each cell of the mesh is on exactly one rank                    */
  PetscInt         cells_global;    /* sum over ranks                                                                */
  PetscInt         cell_start;      /* global number of local cell 0                                                 */
  PetscInt         entities[4];     /* [d] entities of dimension d on this rank, owned and ghost; d <= dim           */
  PetscInt         owned[4];        /* [d] how many of these this rank owns                                          */
  PetscInt         start[4];        /* [d] global number of the first that it owns                                   */
  const PetscInt  *global[4];       /* [d][entity] global number, owned and ghosts                                   */
  const PetscMPIInt *owner[4];      /* [d][entity] owning rank                                                       */
  const PetscInt  *cell_entity[4];  /* [d][cell * n + i] local entity, i in the order of RungCell; cell_entity[dim][c] = c;
                                       faces (d = 2 in 3D) and edges of 2D cells in facet order when d = dim - 1,
                                       otherwise (edges of 3D cells) in RungCell.edge order                          */
  PetscInt         nodes_per_cell;  /* geometry nodes of a cell: its vertices (affine, multilinear map)              */
  const PetscInt  *cell_node;       /* [cell][node] into x                                                           */
  PetscInt         nodes;           /* local geometry nodes                                                          */
  const PetscReal *x;               /* [node][dim]                                                                   */
  PetscBool        affine;          /* on every rank every cell is an affine image of its reference cell             */
} RungMeshData;
RUNG_EXTERN PetscErrorCode RungMeshGetData(RungMesh mesh, const RungMeshData **data); /* sets the mesh up */
RUNG_EXTERN MPI_Comm       RungMeshComm(RungMesh mesh);                               /* Not collective   */

/* The places that an integral over a part visits on this rank.  part NULL or "": all cells, the whole boundary, or all
   interior facets.  A part is known by name or by number ("3").  Every mesh has the facet part "boundary"; boxes have
   left right (x[0]) bottom top (x[1]) back front (x[2]).  A name that no rank knows is an error listing what exists.
   Interior facets: side 0 and side 1 both local; facets between ranks need a ghost layer and are not visited yet. */
typedef struct {
  PetscInt        count;
  const PetscInt *cell[2];  /* [side][i] local cell; side 1 only for interior facets                                  */
  const PetscInt *facet[2]; /* [side][i] local facet of that cell; NULL for cells                                     */
} RungPlaces;
RUNG_EXTERN PetscErrorCode RungMeshGetPlaces(RungMesh mesh, RungDomain domain, const char part[],
                                             const RungPlaces **places);
RUNG_EXTERN PetscErrorCode RungMeshHasPart(RungMesh mesh, RungDomain domain, const char part[], PetscBool *has);
RUNG_EXTERN PetscErrorCode RungMeshGetParts(RungMesh mesh, RungDomain domain, char list[], size_t size); /* "a, b, c" */

/* ---- quadrature ----------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt         points;
  PetscInt         degree; /* exact for polynomials of total degree (simplices) or degree per axis (boxes)            */
  const PetscReal *x;      /* [point][dim] in the reference cell                                                      */
  const PetscReal *weight; /* [point]; sums to RungCell.size                                                          */
} RungQuadrature;
/* Not collective; kept for the life of the process.  Any degree >= 0. */
RUNG_EXTERN PetscErrorCode RungQuadratureGet(RungCellType type, PetscInt degree, const RungQuadrature **rule);
/* The rule of facet `facet` of a cell: points are in the cell's coordinates, weights are those of the facet's own
   reference cell times RungCell.facet_size, so that sum w f |J| |J^-T n_ref| integrates over the real facet. */
RUNG_EXTERN PetscErrorCode RungQuadratureGetFacet(RungCellType type, PetscInt facet, PetscInt degree,
                                                  const RungQuadrature **rule);

/* ---- spaces --------------------------------------------------------------------------------------------------- */

/* spec = family degree shape, e.g. "P1" "P2^d" "Q2^3" "P0^3" "DP1" "DQ2" "Quad(2)^dxd":  P on simplices and points, Q on
   box cells (each accepts the other's cells with an error that says which to use); D.. discontinuous; P0 = DP0; Quad(q)
   values at the points of RungQuadratureGet(cell, q).  Shape: none scalar, ^n vector, ^d vector of the mesh's
   dimension, ^nxm or ^dxd tensor. */
RUNG_EXTERN PetscErrorCode RungSpaceCreate(RungMesh mesh, const char spec[], RungSpace *space);
RUNG_EXTERN PetscErrorCode RungSpaceView(RungSpace space, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungSpaceReference(RungSpace space);
RUNG_EXTERN PetscErrorCode RungSpaceDestroy(RungSpace *space);

typedef struct {
  RungMesh         mesh;         /* lent                                                                             */
  const char      *spec;         /* as given                                                                         */
  PetscInt         degree;       /* complete polynomial degree (simplices), degree per axis (boxes); Quad: its degree */
  PetscBool        continuous;   /* P, Q of degree >= 1                                                              */
  PetscBool        quadrature;   /* Quad(q): node i is point i of the rule                                           */
  PetscInt         rank;         /* 0 scalar, 1 vector, 2 tensor                                                     */
  PetscInt         shape[2];     /* components per axis; 1 where unused                                              */
  PetscInt         components;   /* shape[0] * shape[1], row-major                                                   */
  PetscInt         cell_nodes;   /* scalar basis functions of a cell                                                 */
  const PetscReal *node;         /* [cell node][dim] where a basis function is evaluated, reference coordinates      */
  PetscInt         nodes;        /* of this rank, owned and ghost                                                    */
  PetscInt         owned;        /* owned; their local numbers come first                                            */
  PetscInt         start;        /* global number of the first owned node                                            */
  PetscInt         nodes_global;
  const PetscInt  *global;       /* [local node] global node                                                         */
  const PetscMPIInt *owner;      /* [local node]                                                                     */
  const PetscInt  *cell_node;    /* [cell][cell node] local node                                                     */
  const PetscReal *x;            /* [local node][dim] coordinates                                                    */
} RungSpaceData;
RUNG_EXTERN PetscErrorCode RungSpaceGetData(RungSpace space, const RungSpaceData **data);

/* Basis functions and their reference derivatives at reference points.  Not collective.
   In   points, x[point][dim], order 0, 1 or 2
   Out  table[derivative][point][cell node], derivative 0 the value, 1 + a d/dX_a, then d2/dX_a dX_b for a <= b in
        lexicographic order; the caller owns the memory, RungSpaceTableSize() numbers */
RUNG_EXTERN PetscErrorCode RungSpaceTabulate(RungSpace space, PetscInt points, const PetscReal x[], PetscInt order,
                                             PetscReal table[]);
RUNG_EXTERN PetscInt       RungSpaceTableSize(RungSpace space, PetscInt points, PetscInt order);

/* Local nodes (owned and ghost) in the closure of the facets of a part, over all ranks: an owned node is listed even if
   only another rank has the facet.  The array is the caller's (PetscFree). */
RUNG_EXTERN PetscErrorCode RungSpaceGetPartNodes(RungSpace space, const char part[], PetscInt *count, PetscInt **nodes);

/* ---- layout: several spaces in one Vec ------------------------------------------------------------------------ */

/* Global Vec: per rank, unknown after unknown, node after node, component after component.  Local array: all owned
   entries in the same order, then the ghosts, unknown after unknown.  A cell's dof list concatenates the unknowns:
   dof = offset[f] + node * components[f] + component. */
RUNG_EXTERN PetscErrorCode RungLayoutCreate(MPI_Comm comm, PetscInt n, const RungSpace space[], RungLayout *layout);
RUNG_EXTERN PetscErrorCode RungLayoutReference(RungLayout layout);
RUNG_EXTERN PetscErrorCode RungLayoutDestroy(RungLayout *layout);

typedef struct {
  MPI_Comm         comm;
  PetscInt         unknowns;
  const RungSpace *space;      /* [unknown] lent                                                                     */
  const PetscInt  *offset;     /* [unknown + 1] in a cell's dof list; offset[unknowns] = cell_dofs                    */
  PetscInt         cells;      /* local cells                                                                        */
  PetscInt         cell_dofs;  /* dofs of a cell, all unknowns                                                       */
  const PetscInt  *cell_dof;   /* [cell][cell dof] local dof                                                         */
  PetscInt         owned;      /* owned dofs = local size of the Vec                                                 */
  PetscInt         local;      /* owned and ghost dofs                                                               */
  PetscInt         start;      /* global number of the first owned dof                                               */
  const PetscInt  *global;     /* [local dof] global dof                                                             */
  const PetscInt  *range;      /* [unknown + 1] owned dofs of unknown f are range[f] .. range[f + 1] - 1 (local)      */
  const PetscInt  *ghost;      /* [unknown + 1] ghost dofs of unknown f are ghost[f] .. ghost[f + 1] - 1 (local)      */
} RungLayoutData;
RUNG_EXTERN PetscErrorCode RungLayoutGetData(RungLayout layout, const RungLayoutData **data);
RUNG_EXTERN PetscErrorCode RungLayoutCreateVec(RungLayout layout, Vec *u);
/* local dof of (unknown, local node, component); Not collective */
RUNG_EXTERN PetscInt       RungLayoutDof(RungLayout layout, PetscInt unknown, PetscInt node, PetscInt component);

/* RungLayoutGather - owned and ghost values of a Vec as one array [local dof].  One rank: the Vec's own array, no copy.
   Several: one precomputed exchange into buffer `slot` (0 .. RUNG_LAYOUT_SLOTS - 1), kept by the layout. */
#define RUNG_LAYOUT_SLOTS 8
RUNG_EXTERN PetscErrorCode RungLayoutGather(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local);
RUNG_EXTERN PetscErrorCode RungLayoutGatherRestore(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local);
/* RungLayoutScatterBegin - a zeroed array [local dof] to add contributions to; ScatterEnd adds it to the Vec, ghosts
   sent to their owners and added in rank order. */
RUNG_EXTERN PetscErrorCode RungLayoutScatterBegin(RungLayout layout, Vec r, PetscScalar **local);
RUNG_EXTERN PetscErrorCode RungLayoutScatterEnd(RungLayout layout, Vec r, PetscScalar **local);

/* RungLayoutCreateMat - an AIJ matrix with the pattern of the mesh: rows and columns of unknowns f, g are coupled in every
   cell where couple[f * unknowns + g].  fixed[local dof] (or NULL) marks constrained dofs: their rows and columns are
   never written by insertion and hold the identity.
   RungLayoutInsertBegin / InsertCell / InsertEnd - zero the matrix, add dense cell blocks, finish:
        In  cell   local cell
            block  block[i * stride_i + j * stride_j], i, j < cell_dofs
   No search and no MatSetValues: positions are computed once and kept with the matrix; contributions to rows of other
   ranks are sent in one precomputed exchange and added in rank order.  InsertEnd leaves J assembled, with 1 on
   the diagonal of fixed rows. */
RUNG_EXTERN PetscErrorCode RungLayoutCreateMat(RungLayout layout, const PetscBool couple[], const PetscBool fixed[], Mat *J);
RUNG_EXTERN PetscErrorCode RungLayoutInsertBegin(RungLayout layout, Mat J);
RUNG_EXTERN PetscErrorCode RungLayoutInsertCell(RungLayout layout, Mat J, PetscInt cell, const PetscScalar block[],
                                                PetscInt stride_i, PetscInt stride_j); /* Not collective */
RUNG_EXTERN PetscErrorCode RungLayoutInsertEnd(RungLayout layout, Mat J);

/* ---- fields and output ---------------------------------------------------------------------------------------- */

RUNG_EXTERN PetscErrorCode RungFieldCreate(RungSpace space, const char name[], RungField *field);
RUNG_EXTERN PetscErrorCode RungFieldGetVec(RungField field, Vec *u);           /* lent; layout of the single space */
RUNG_EXTERN PetscErrorCode RungFieldGetSpace(RungField field, RungSpace *space); /* lent */
RUNG_EXTERN PetscErrorCode RungFieldGetName(RungField field, const char **name); /* lent */
RUNG_EXTERN PetscErrorCode RungFieldDestroy(RungField *field);

/* RungOutput - a time series for ParaView: NAME.pvd and a folder NAME/ of one .vtu piece per rank and one .pvtu per time.
   Lagrange cells where a field's degree asks for them; tensors and vectors padded to three components; discontinuous and Quad
   fields as cell data (degree 0) or on split nodes.  A file is written aside and renamed; a write that fails is an error with its
   reason on all ranks. */
typedef struct _p_RungOutput *RungOutput;
RUNG_EXTERN PetscErrorCode RungOutputCreate(MPI_Comm comm, const char path[], RungOutput *output);
RUNG_EXTERN PetscErrorCode RungOutputWrite(RungOutput output, PetscReal t, PetscInt n, const RungField fields[]);
RUNG_EXTERN PetscErrorCode RungOutputDestroy(RungOutput *output);
