/* fe_impl.h - what the files about meshes share and those above them see.

   A mesh is made in three steps.  Rank 0 makes the whole mesh as one RungPiece (mesh_box.c, mesh_file.c) and finds who
   is whose neighbour; the cells are cut into pieces and sent (mesh_distribute.c), unless every rank can make its own
   (mesh_bricks.c) or read a slice (mesh_slice.c, mesh_deal.c); every rank numbers the vertices,
   edges, faces and cells of its piece, the ranks agree on owners and global numbers, and what the rest of Rung reads,
   RungMeshData, is filled once (mesh_flat.c). */
#pragma once

#include "base_impl.h"

/* ---- pieces of a mesh ------------------------------------------------------------------------------------------- */

/* Some cells with all that they need, in numbers of their own.  All arrays are owned. */
typedef struct {
  RungCellType type;
  PetscInt     dim; /* coordinates of a node                                                                */
  PetscInt     cells;
  PetscInt    *cell_node; /* [cell][vertex] nodes in the order of RungCell                                        */
  PetscInt    *cell_id;   /* [cell] number in the whole mesh; on the whole mesh the user's number, for messages   */
  PetscInt    *exterior;  /* [cell] bit f is set if facet f is on the boundary of the mesh                        */
  PetscInt     nodes;
  PetscInt    *node_id; /* [node] number in the whole mesh; NULL on the whole mesh                              */
  PetscReal   *x;       /* [node][dim]                                                                          */
  PetscInt     degree;  /* of the cells' map that `shape` holds; 0: straight, x says it all                     */
  PetscBool    glued;   /* some vertices stand for several places (periodic)                                    */
  PetscReal   *shape;   /* [cell][shape node][dim] the map's nodes, in the order of P or Q of that degree     */
  PetscInt     marks;
  PetscInt    *mark;        /* [mark][3] part, cell, and which of its entities of the part's dimension; -1: itself  */
  PetscInt     tagged;      /* entities of a file that are not yet found in the cells                               */
  PetscInt    *tagged_node; /* [tagged][4] vertices, as many as the part's dimension wants                          */
  PetscInt    *tagged_part; /* [tagged] part                                                                        */
  PetscBool    nodes_ordered, cells_ordered; /* those of a cell are near each other; cells come by their nodes      */
} RungPiece;

PetscErrorCode RungPieceDestroy(RungPiece *piece);          /* frees the arrays */
PetscInt       RungPieceShapeNodes(const RungPiece *piece); /* nodes of a cell's map: vertices without a shape */

/* A named set of cells, facets, edges or vertices.  Names, numbers and totals are the same on all ranks.  Entities are
   those of RungCellEntities(), but facets are known by their facet number (in one dimension facet i is opposite to
   vertex i). */
typedef struct {
  char     *name;     /* owned; the number as text if the group has no name                                         */
  PetscInt  number;   /* of the group, unique among the parts of a dimension                                        */
  PetscInt  dim;      /* of its members                                                                             */
  PetscInt  total;    /* members over all ranks; of facets the exterior ones                                        */
  PetscInt  interior; /* interior facets over all ranks                                                             */
  PetscInt  count;    /* pairs of a local cell and a member that it has                                             */
  PetscInt *cell;     /* owned, [i], ascending                                                                      */
  PetscInt *entity;   /* owned, [i] facet, edge or vertex of that cell; NULL for a part of cells                    */
} RungPart;

typedef struct {
  PetscInt  n, room;
  RungPart *part; /* owned, [n] */
} RungParts;

PetscErrorCode RungPartsAdd(RungParts *parts, const char name[], PetscInt number, PetscInt dim, PetscInt *index);
PetscErrorCode RungPartsBroadcast(RungParts *parts, MPI_Comm comm); /* from rank 0: names, numbers, totals */
PetscErrorCode RungPartsDestroy(RungParts *parts);

/* ---- the mesh --------------------------------------------------------------------------------------------------- */

typedef enum { RUNG_SOURCE_NONE, RUNG_SOURCE_BOX, RUNG_SOURCE_POINTS, RUNG_SOURCE_FILE } RungMeshSource;

typedef struct _p_RungPlacesNode *RungPlacesNode; /* mesh_parts.c: places that were asked for, kept */
typedef struct _n_RungSides      *RungSides;      /* mesh_sides.c: interior facets with both cells */
typedef struct _p_RungLocator    *RungLocator;    /* locate.c: which cell has a point */

/* Cells of a part count `factor` times when the mesh is cut. */
typedef struct _n_RungPartWeight *RungPartWeight;
struct _n_RungPartWeight {
  char          *part; /* owned */
  PetscReal      factor;
  RungPartWeight next; /* owned */
};

struct _p_RungMesh {
  MPI_Comm       comm; /* owned, PetscCommDuplicate                                                                 */
  PetscInt       refct;
  PetscBool      ready; /* set up                                                                                   */
  RungMeshSource source;
  RungCellType   box_type;
  PetscInt       box_count[3];              /* [axis] cells                                                      */
  PetscReal      box_size[3], box_lower[3]; /* [axis]                                                            */
  PetscInt       points;                    /* of a mesh of points                                               */
  char           path[PETSC_MAX_PATH_LEN];  /* of the file                                                       */
  PetscBool      periodic[3];               /* [axis] of a box                                                   */
  PetscInt       refine;                    /* how often its cells are cut                                       */
  char           partitioner[64];           /* a PetscPartitioner type; empty: bricks or metis                   */
  PetscInt       weight_degree;             /* cells weigh the dofs of this degree that they bring; 0: all the same */
  RungPartWeight weights;                   /* owned, list                                                       */
  PetscViewer    viewer;                    /* owned, of -mesh_view; NULL without                                */
  PetscViewerFormat viewer_format;
  PetscBool         view_dm; /* -dm_view is given                                                                    */
  RungParts         parts;
  RungMeshData      data;     /* its arrays are owned by the mesh                                                     */
  PetscInt         *exterior; /* owned, [cell] as in RungPiece                                                        */
  RungSides         sides;    /* owned, NULL until something integrates over interior facets                          */
  PetscInt         *shape_node; /* owned, data.cell_node of cells with nodes of their own; else NULL                  */
  PetscBool         glued;      /* as in RungPiece                                                                    */
  PetscBool      numbered[4];   /* [d] has data the entities of dimension d                                           */
  PetscBool     *shared;        /* owned, [vertex] do other ranks hold it                                             */
  PetscReal     *vertex_x; /* owned, [vertex][dim] of cells with nodes of their own; else NULL: data.x has them   */
  PetscBool      sliced;   /* all ranks have read the file, each a part                                            */
  PetscInt       edge_cut; /* facets between cells of different ranks                                              */
  RungPlacesNode places;   /* owned, list                                                                          */
  RungLocator    locator;  /* owned, NULL until a point is looked for                                              */
  DM             dm;       /* owned, NULL until somebody asks for it                                               */
};

/* Rank 0: the whole mesh.  Not collective; what is wrong is left in `finding`. */
typedef struct {
  PetscInt low[3], high[3]; /* [axis] blocks low .. high - 1 of a box; 0 .. 0 along axes that it does not have */
} RungBrick;
/* brick NULL: the whole box.  Else its blocks, with node_id, exterior, and the cells' numbers in the whole box. */
PetscErrorCode RungMeshMakeBox(RungMesh mesh, const RungBrick *brick, RungPiece *piece, RungFinding *finding);
/* How one block of a box is cut.  Out corner[cell][vertex] bits x + 2 y + 4 z, lent for ever.  Returns how many cells it has */
PetscInt       RungBoxCells(RungCellType type, const PetscInt **corner);
PetscErrorCode RungMeshReadFile(RungMesh mesh, RungPiece *whole, RungFinding *finding);
/* Makes all cells positively oriented; finds cells without volume, folded ones and numbers that are not finite.
   `place` names the source in messages. */
PetscErrorCode RungPieceOrient(RungPiece *whole, const char place[], RungFinding *finding);

/* mesh_weight.c: reads "part:factor" of an option, which it changes. */
PetscErrorCode RungMeshReadPartWeight(RungMesh mesh, char text[]);
PetscBool      RungMeshIsWeighted(RungMesh mesh);
PetscErrorCode RungMeshCheckWeights(RungMesh mesh, PetscInt dim); /* collective; when the parts are known */
PetscErrorCode RungMeshWeightsDestroy(RungMesh mesh);
/* In   holders  [node] of a slice: how many slices have it, and the call is collective; NULL: the piece is the whole mesh
   Out  section  [cell] weight, the caller's; NULL if all weigh the same */
PetscErrorCode RungPieceWeigh(RungMesh mesh, RungPiece *piece, const PetscInt holders[], PetscSection *section);

/* Facets of a mesh and the cells on both sides. */
typedef struct {
  PetscInt  count;
  PetscInt *cell_facet; /* owned, [cell][facet of the cell]                                    */
  PetscInt *key;        /* owned, [facet][vertex of a facet] nodes, ascending                  */
  PetscInt *side;       /* owned, [facet][2] cell * facets of a cell + its facet; -1 if none   */
} RungFacets;

/* Not collective.  Finds neighbours and boundary, looks tagged entities up and turns them into marks, sorts the marks and
   counts the members of the parts. */
PetscErrorCode RungPieceConnect(RungPiece *whole, const char place[], RungParts *parts, RungFacets *facets,
                                RungFinding *finding);
PetscErrorCode RungFacetsDestroy(RungFacets *facets);

/* Collective.  Cuts the graph of cells, of which each rank brings a block, numbered through over the ranks.
   In   start[cells + 1], neighbour[] numbers of cells; weight [cell], NULL: all the same
   Out  target[cell] < nparts */
PetscErrorCode RungMeshCut(RungMesh mesh, PetscInt cells, PetscInt start[], PetscInt neighbour[], PetscSection weight,
                           PetscInt nparts, PetscMPIInt target[]);
/* Collective (mesh_deal.c).  A file that all ranks see and read, each a part -> one piece on every rank; *done is false where
   rank 0 has to read it, and to tell what is wrong with it. */
PetscErrorCode RungMeshReadInParts(RungMesh mesh, RungPiece *piece, PetscBool *done);
/* Collective: the whole mesh of rank 0 -> one piece on every rank; `whole` stays the caller's. */
PetscErrorCode RungMeshDistribute(RungMesh mesh, RungPiece *whole, const RungFacets *facets, RungPiece *piece);
/* Collective.  Cells into 2^dim each, marks with them; needs no facets, works on every rank's piece by itself but for vertex numbers. */
PetscErrorCode RungPieceRefine(MPI_Comm comm, const RungParts *parts, RungPiece *piece);
/* How a cell is cut.  Out variants, 3 of a tetrahedron; corner[3][child][vertex] node of degree 2, child k < vertices at corner k */
PetscErrorCode RungCutCorners(RungCellType type, PetscInt *variants, PetscInt corner[][8][8]);
PetscErrorCode RungMeshMakePoints(RungMesh mesh, RungPiece *piece);
/* mesh_bricks.c: is this a box of which every rank can make an even part; that part.  Collective. */
PetscBool      RungMeshHasBricks(RungMesh mesh);
PetscErrorCode RungMeshMakeBrick(RungMesh mesh, RungPiece *piece);
PetscErrorCode RungMeshFlatten(RungMesh mesh, RungPiece *piece); /* takes the piece's arrays */
/* mesh_number.c.  Collective.  Vertices of the mesh, which takes cell_node; out rank[node of the piece] its vertex, the caller's */
PetscErrorCode RungMeshNumberVertices(RungMesh mesh, RungPiece *piece, PetscInt **rank);
PetscErrorCode RungMeshListCells(RungMesh mesh,
                                 PetscInt d); /* global, cell_entity, owner of the cells, which are known */
/* A part by name, then by number, of the lowest dimension from `low` to `high` that has it; NULL if none has. */
const RungPart *RungMeshFindPart(RungMesh mesh, PetscInt low, PetscInt high, const char name[]);
/* The part of that name that a domain takes, or an error that says what there is: the table is the same on all ranks, and so is
   the error.  RUNG_DOMAINS: of any dimension, facets before smaller members, cells last. */
PetscErrorCode RungMeshNeedPart(RungMesh mesh, RungDomain domain, const char name[], const RungPart **part);
/* "a facet", "edges", ..: what entities of dimension d are called in a mesh of this dimension. */
const char *RungEntityName(PetscInt dim, PetscInt d, PetscBool many);
/* Bits of the vertices of its cell that member i of a part has; of cell i if there is no part. */
PetscInt RungPartVertices(const RungCell *cell, const RungPart *part, PetscInt i);
/* mesh_closure.c, collective: the vertices (d = 0) or edges (1) of a part, NULL: of the mesh, each on one rank, with the
   first of all cells that show it in the part.  Out cell[count], entity[count] of the cell, the caller's. */
PetscErrorCode RungMeshFindEntities(RungMesh mesh, PetscInt d, const RungPart *part, PetscInt *count, PetscInt **cell,
                                    PetscInt **entity);
PetscErrorCode RungMeshPlacesDestroy(RungMesh mesh);
PetscErrorCode RungMeshSidesDestroy(RungMesh mesh);
PetscErrorCode RungLocatorDestroy(RungLocator *locator);

/* ---- mesh_gmsh.c: what a Gmsh file says, in its own numbers --------------------------------------------------------
 */

typedef struct {
  PetscInt dim, number;
  char    *text; /* owned */
} RungGmshName;

typedef struct {
  PetscInt type;          /* Gmsh's code                                        */
  PetscInt number;        /* Gmsh's tag                                         */
  PetscInt group, groups; /* its physical numbers are physical[group], ..       */
  PetscInt node;          /* its nodes are element_node[node], .. (tags)        */
} RungGmshElement;

/* What a binary file of format 4.1 holds together. */
typedef struct {
  PetscInt   dim, n;        /* of the entity; nodes or elements                                                      */
  PetscInt   numbers;       /* reals of a node, coordinates first; nodes of an element                               */
  PetscInt   type;          /* of elements, as in RungGmshElement                                                    */
  PetscInt   group, groups; /* of elements, likewise                                                                 */
  PetscInt64 place;         /* byte of the file; all tags and then the reals of nodes, element by element tag, nodes */
} RungGmshBlock;

typedef struct {
  PetscInt       n, room;
  RungGmshBlock *block; /* owned */
} RungGmshBlocks;

typedef struct {
  PetscInt         nodes;
  PetscInt        *node_tag; /* owned, [node]                                 */
  PetscReal       *x;        /* owned, [node][3]                              */
  PetscInt         elements;
  RungGmshElement *element;                      /* owned                                         */
  PetscInt         element_nodes, *element_node; /* owned                         */
  PetscInt         physicals, *physical;         /* owned                         */
  PetscInt         links, *link;                 /* owned, [link][2] tags of nodes that are the same (periodic) */
  PetscInt         names;
  RungGmshName    *name;                        /* owned                                         */
  RungGmshBlocks   node_blocks, element_blocks; /* of a plan, which has no node_tag, x, element, element_node */
} RungGmsh;

/* Not collective.  Formats 2.2 and 4.1, text and binary of both byte orders. */
PetscErrorCode RungGmshRead(const char path[], RungGmsh *gmsh, RungFinding *finding);
/* The same of a binary file of format 4.1 behind a window, without nodes and elements; any other file is a complaint. */
PetscErrorCode RungGmshPlan(RungReader *r, RungGmsh *gmsh);
PetscErrorCode RungGmshDestroy(RungGmsh *gmsh);

typedef struct {
  PetscInt     code, dim, order, nodes;
  RungCellType cell; /* RUNG_CELL_TYPES for pyramids and prisms */
  const char  *name;
} RungGmshType;
const RungGmshType *RungGmshTypeGet(PetscInt code); /* NULL if unknown */

/* ---- mesh_shape.c: elements of order 2 ---------------------------------------------------------------------------- */

PetscInt RungGmshVertex(RungCellType type, PetscInt k); /* our vertex for Gmsh's k-th */

typedef struct {
  RungCellType type;
  PetscInt     nodes;      /* of the quadratic map                                          */
  PetscInt     place[27];  /* [Gmsh's node] ours                                            */
  PetscInt     mirror[27]; /* [our node] where it goes if the cell is mirrored (mesh_check) */
} RungShapeOrder;
PetscErrorCode RungShapeOrderCreate(RungCellType type, RungShapeOrder *order);
/* In  from[given][3] an element's nodes in Gmsh's order.  Out x[node][dim] those of the map.  Is it curved? */
PetscBool RungShapeFill(const RungShapeOrder *order, PetscInt given, PetscInt dim, const PetscReal from[],
                        PetscReal x[]);

/* ---- mesh_glue.c --------------------------------------------------------------------------------------------------- */

/* Makes the vertices link[links][2] one; turned cells before, facets and parts after. */
PetscErrorCode RungPieceGlue(RungPiece *whole, PetscInt links, const PetscInt link[], const char place[],
                             RungFinding *finding);

/* ---- mesh_entities.c: edges and faces by their vertices -----------------------------------------------------------
 */

/* Numbers the different sub-entities of cells in the order of their first appearance.

   In   cells, width vertices a cell, cell_node[cell][width]
        n sub-entities a cell of m vertices each, corner[i * stride + k] the k-th vertex of the i-th, in the cell
   Out  count
        cell_entity[cell][n], the caller's (PetscFree)
        key[entity][m] its vertices ascending, the caller's; NULL if not wanted */
PetscErrorCode RungNumberEntities(PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt n, PetscInt m,
                                  const PetscInt corner[], PetscInt stride, PetscInt *count, PetscInt **cell_entity,
                                  PetscInt **key);
void           RungSortFew(PetscInt n, PetscInt a[]); /* ascending; insertion sort for up to ten numbers */
uint64_t       RungHash(PetscInt n, const PetscInt a[]);

/* ---- directory.c: ranks that hold the same keys find each other ----------------------------------------------------
 */

typedef struct _p_RungDirectory *RungDirectory;

/* Collective.  In key[n][width], different from each other on one rank. */
PetscErrorCode RungDirectoryCreate(MPI_Comm comm, PetscInt width, PetscInt n, const PetscInt key[], RungDirectory *dir);
/* Of the ranks that hold a key one is chosen, the same for all keys of the same holders.
   Out  owner[n]; holders[n] how many there are; partner[n] the other one of two, else -1 (NULL: not wanted) */
PetscErrorCode RungDirectoryChoose(RungDirectory dir, PetscInt owner[], PetscInt holders[], PetscInt partner[]);
/* value[n] becomes the largest value that any holder of the key brings. */
PetscErrorCode RungDirectoryMax(RungDirectory dir, PetscInt value[]);
PetscErrorCode RungDirectorySum(RungDirectory dir, PetscInt value[]); /* .. the sum of them */
PetscErrorCode RungDirectoryDestroy(RungDirectory *dir);

/* ---- mesh_owner.c -------------------------------------------------------------------------------------------------
 */

/* Collective.  Entities that two ranks hold, this one and partner[n], of name[n][width] at x[n][dim].  Out owner[n] */
PetscErrorCode RungOwnersHalve(MPI_Comm comm, PetscInt width, PetscInt n, const PetscInt name[],
                               const PetscInt partner[], PetscInt dim, const PetscReal x[], PetscInt owner[]);

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

/* ---- mesh_quality.c: size and shape of the cells of a mesh that is set up --------------------------------------------
 */

typedef struct {
  const char *name;                    /* of the measure; NULL for intervals, which have none */
  PetscReal   h_least, h_mean, h_most; /* longest edge of a cell                              */
  PetscReal   quality_least, quality_mean;
} RungMeshQuality;

/* Collective.  Not for meshes of points. */
PetscErrorCode RungMeshMeasure(RungMesh mesh, RungMeshQuality *quality);

/* ---- mesh_order.c -------------------------------------------------------------------------------------------------
 */

/* Reverse Cuthill-McKee.  In the edges of cells between n vertices, as for RungNumberEntities().  Out order[i], the vertex that
   comes i-th, [n]. */
PetscErrorCode RungOrderVertices(PetscInt n, PetscInt cells, PetscInt width, const PetscInt cell_node[], PetscInt edges,
                                 const PetscInt corner[], PetscInt stride, PetscInt order[]);
