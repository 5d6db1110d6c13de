/* rungfe.h - start and end of a program, meshes, spaces, fields, output.

   Life of every class: Create, Set.., SetFromOptions, SetUp (called by the first use), work, View, Destroy.
   Create gives, Get lends, Destroy takes the address and nulls it; parents hold references, so an app may destroy in
   any order.  Every function is collective on the communicator of its object unless its block says "Not collective", and
   is told the same on all ranks: what meshes, spaces, systems and steppers were told differently is an error of their SetUp
   (of steppers: of each Solve) on all ranks, PETSC_ERR_ARG_INCOMP, with the first thing that differs. */
#pragma once

#include <petscdmplex.h>
#include <rungerror.h>
#include <rungpetsc.h>

typedef struct _p_RungMesh   *RungMesh;   /* cells, their geometry, named parts of cells and facets               */
typedef struct _p_RungSpace  *RungSpace;  /* a finite element on every cell of a mesh                             */
typedef struct _p_RungLayout *RungLayout; /* the numbering of several spaces' degrees of freedom in one Vec       */
typedef struct _p_RungField  *RungField;  /* a named function of a space                                          */
typedef struct _p_RungProbes *RungProbes; /* points of a mesh, found once                                         */

/* ---- start, end, errors --------------------------------------------------------------------------------------- */

/* RungInitialize - PetscInitialize, the classes and events of Rung, the PetscPartitioner "metis", and an error handler: an
   error that reaches main() through PetscCall, or that main() returns, is shown once over all ranks as "error: message",
   and the program ends with a non-zero status, at once if all ranks raised it, by MPI_Abort after a second if not.
   -rung_traceback leaves PETSc's own handler with its stack in place; -help ends the program where it calls
   RungOptionsCheck, with status 0.  With glibc mallopt() has malloc() grow the heap by 64 MB at a time, in huge pages where
   the system has them, and keep arrays up to 32 MB in it; -rung_huge_pages false leaves malloc() as it is.
   Collective on PETSC_COMM_WORLD; MPI is started here unless it runs already.
   Errors  PETSC_ERR_ARG_INCOMP  command lines that differ between ranks; files of options and PETSC_OPTIONS are those of rank 0 */
RUNG_EXTERN PetscErrorCode RungInitialize(int *argc, char ***argv, const char help[]);

/* RungFinalize - names options that were given and never used, once, and ends PETSc.  Collective.
   A program that ends with  PetscCall(RungFinalize()); return 0;  has this exit status, on all ranks:

       0        all that was asked for is there
       4        RUNG_STATUS_INCOMPLETE: something is missing (RungIncomplete), or of what this rank has printed (a full disk), which
                one line "incomplete: .." says
       128 + n  a run was ended by signal n (RungSignalsCatch)

   It is put in the place of the 0 when the process ends; another number that main() returns stays. */
RUNG_EXTERN PetscErrorCode RungFinalize(void);

#define RUNG_STATUS_INCOMPLETE 4
/* RungIncomplete - a result that was asked for is missing, and the program goes on: RungFinalize() tells it on rank 0 of
   comm and the exit status becomes 4.  Collective.  In  format  what is missing and why, lower case, no full stop */
RUNG_EXTERN PetscErrorCode RungIncomplete(MPI_Comm comm, const char format[], ...);
/* RungGetStatus - the exit status so far, for programs that do not return from main().  Not collective. */
RUNG_EXTERN PetscErrorCode RungGetStatus(int *status);

/* RungSuggest - the word of a list that is fewest edits away (insert, delete, replace, swap neighbours).  Not collective.
   A change of case is half an edit.
   Out  nearest  lent from the list; NULL if all are farther than 3 edits or half of the word's letters */
RUNG_EXTERN PetscErrorCode RungSuggest(const char word[], PetscInt n, const char *const list[], const char **nearest);

/* RungOptionsCheck - what comes before a run: with -help, print the options that were asked for until then and end the
   program (status 0); refuse options that nothing has queried and that begin with a Rung class word (mesh, space, form,
   field, system, stepper, study, case, rung), are within two edits of a known Rung option or are one without that word
   (-kappa, -system_kappa), options that are a known one in another case, and bare words of the command line unless the program takes them (RungArguments); suggest the nearest.  A stepper calls it before it sets up
   anything; a program of another kind calls it itself, before it opens a file.  Collective. */
RUNG_EXTERN PetscErrorCode RungOptionsCheck(MPI_Comm comm);

/* ---- texts and names -------------------------------------------------------------------------------------------- */

/* RungArguments - the bare words of the command line, for a program that takes files or the like: those that neither begin
   with "-" and a letter nor stand behind such a word, which PETSc takes for its value.  A program that does not ask has
   none: RungOptionsCheck refuses them.  Not collective.
   Out  n, word[i]  in their order, lent until RungFinalize */
RUNG_EXTERN PetscErrorCode RungArguments(PetscInt *n, const char *const **word);

/* RungHelpWanted - was -help given, and nothing is to be run?  Not collective. */
RUNG_EXTERN PetscBool RungHelpWanted(void);

/* RungOption.. - read one option.  It is known from then on, -help prints it, and its value is taken as a whole or
   refused.  All ranks of comm call it and find the same.
   In     name   with its dash, "-mesh_refine"
          about  its line of -help
   InOut  value  before: what holds if it is not given; after: what holds
   Out    given  may be NULL
   Errors PETSC_ERR_ARG_WRONG       no value, or one of another kind ("3x", "nan")
          PETSC_ERR_ARG_OUTOFRANGE  a number beyond PetscInt or PetscReal ("4294967297", "1e400") */
RUNG_EXTERN PetscErrorCode RungOptionBool(MPI_Comm comm, const char name[], const char about[], PetscBool *value,
                                          PetscBool *given);
RUNG_EXTERN PetscErrorCode RungOptionInt(MPI_Comm comm, const char name[], const char about[], PetscInt *value,
                                         PetscBool *given);
RUNG_EXTERN PetscErrorCode RungOptionReal(MPI_Comm comm, const char name[], const char about[], PetscReal *value,
                                          PetscBool *given);
/* text[size]; alone: what the option without a value stands for, NULL if it wants one.
   Errors PETSC_ERR_ARG_SIZ  more letters than size - 1 */
RUNG_EXTERN PetscErrorCode RungOptionText(MPI_Comm comm, const char name[], const char about[], const char alone[],
                                          size_t size, char text[], PetscBool *given);
/* RungOptionGiven - is it there, with a value or without?  For an option that another call reads. */
RUNG_EXTERN PetscErrorCode RungOptionGiven(const char name[], const char about[], PetscBool *given);

/* ---- meshes --------------------------------------------------------------------------------------------------- */

/* dx, ds, dS, dR, dP, dl: RUNG_GLOBAL is one place with weight 1, for terms of global numbers that are integrated over
   nothing; RUNG_VERTICES are sums over the mesh's vertices, RUNG_EDGES integrals over its edges. */
typedef enum {
  RUNG_CELLS,
  RUNG_BOUNDARY,
  RUNG_INTERIOR_FACETS,
  RUNG_GLOBAL,
  RUNG_VERTICES,
  RUNG_EDGES,
  RUNG_DOMAINS
} RungDomain;

/* A mesh has one source: the latest of SetBox, SetPoints, SetFile and the options.  Setters are refused after SetUp. */
RUNG_EXTERN PetscErrorCode RungMeshCreate(MPI_Comm comm, RungMesh *mesh);

/* RungMeshSetBox - [0, size] cut into equal cells: a triangle box has two cells for each of its count[0] x count[1]
   rectangles, a tetrahedron box six for each block.
   In      cell   interval, triangle, quadrilateral, tetrahedron or hexahedron
           dim    of that cell
           count  [axis] blocks along each axis, at least 1
           size   [axis] positive; NULL: 1
   Errors  PETSC_ERR_ARG_INCOMP  the cell has another dimension; _OUTOFRANGE  count or size is not positive */
RUNG_EXTERN PetscErrorCode RungMeshSetBox(RungMesh mesh, const char cell[], PetscInt dim, const PetscInt count[],
                                          const PetscReal size[]);

/* RungMeshSetPoints - `count` points without geometry; point i, from 0, has x[0] = i.  Contiguous blocks on the ranks. */
RUNG_EXTERN PetscErrorCode RungMeshSetPoints(RungMesh mesh, PetscInt count);

/* RungMeshSetFile - a Gmsh file, format 2.2 or 4.1, text or binary; read by rank 0 in SetUp, which refuses what is not a
   mesh of cells of one type in as many dimensions as the cells have, or has a cell that is inverted somewhere.  Order 2
   (gmsh -order 2, complete or serendipity) makes curved cells.  Physical names of cells, facets, curves and points become
   parts.  Vertices that $Periodic links are one: dofs are shared, the facets between are interior. */
RUNG_EXTERN PetscErrorCode RungMeshSetFile(RungMesh mesh, const char path[]);

/* RungMeshSetPeriodic - axes along which a box closes upon itself: what is at one end is the same at the other, dofs are
   shared, the two sides are no boundary and no parts; x jumps between cells, never inside one.  Before or after SetBox.
   A Gmsh file says by itself ($Periodic) which of its boundaries are the same.
   In      periodic[axis]  three flags
   Errors  (of SetUp) PETSC_ERR_ARG_OUTOFRANGE  fewer than three cells along such an axis; PETSC_ERR_ARG_INCOMP  no box */
RUNG_EXTERN PetscErrorCode RungMeshSetPeriodic(RungMesh mesh, const PetscBool periodic[3]);

/* RungMeshSetRefinement - SetUp cuts every cell into 2^dim, `times` times over.  Parts are inherited; curved cells keep
   their map, tetrahedra are cut along the shortest diagonal.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  a negative number; (of SetUp) PETSC_ERR_ARG_INCOMP  a mesh of points */
RUNG_EXTERN PetscErrorCode RungMeshSetRefinement(RungMesh mesh, PetscInt times);

/* RungMeshSetWeightDegree - the cut gives every rank as many dofs of P or Q of this degree: of a dof that m cells share each
   weighs 1/m.  degree 0, the default: all cells weigh the same, which is right for assembly and as good for degrees that
   have most dofs inside of edges, faces and cells; 1 suits P1 and Q1 on meshes with many cells at the boundary.  A box is then
   cut cell by cell, not into bricks.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  not in 0 .. 64;  of SetUp: _INCOMP  a mesh of points, the partitioner simple */
RUNG_EXTERN PetscErrorCode RungMeshSetWeightDegree(RungMesh mesh, PetscInt degree);
/* RungMeshSetPartWeight - the cut counts cells of a part `factor` times: where more unknowns, internal variables or a dearer
   material wait than elsewhere.  A cell in several such parts has all their factors.
   Collective.
   In      part    name or number of a part of cells, copied
           factor  above 0
   Errors  PETSC_ERR_ARG_OUTOFRANGE  a factor that is not positive;  of SetUp: _UNKNOWN_TYPE  no such part */
RUNG_EXTERN PetscErrorCode RungMeshSetPartWeight(RungMesh mesh, const char part[], PetscReal factor);

/* RungMeshSetFromOptions - -mesh_file PATH, -mesh_points N, or a box: -mesh_cell NAME, and -mesh_count, -mesh_size,
   -mesh_lower with a number for each axis, separated by commas; what is not given stays as the program set it.
   -mesh_periodic x,y (axes of a box), -mesh_refine N, -mesh_partitioner metis|ptscotch|simple, -mesh_weight_degree K,
   -mesh_part_weight PART:FACTOR,.., -mesh_view [viewer];
   with -dm_view [viewer] SetUp makes and views the DMPlex of RungMeshGetDM().
   Without a partitioner boxes are halved into bricks, each made by its rank, if these are even to a tenth; else metis.
   Errors  PETSC_ERR_ARG_INCOMP  options that exclude each other; PETSC_ERR_ARG_SIZ  a list of another length */
RUNG_EXTERN PetscErrorCode RungMeshSetFromOptions(RungMesh mesh);

/* RungMeshSetUp - makes, cuts and numbers the cells; called by the first use.
   Errors  PETSC_ERR_FILE_UNEXPECTED  the mesh cannot be made; the message names the file and the line or cell */
RUNG_EXTERN PetscErrorCode RungMeshSetUp(RungMesh mesh);

/* RungMeshView - counts, parts, bounding box, lengths and quality of the cells (radius ratio of simplices, scaled Jacobian
   of boxes; 1 is best), and how they are spread over the ranks.  viewer NULL: stdout. */
RUNG_EXTERN PetscErrorCode RungMeshView(RungMesh mesh, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungMeshDestroy(RungMesh *mesh);

/* RungMeshGetDM - the mesh as a DMPlex, for what PETSc does with one; made by the first call, Rung needs none.
     points       entities with their local numbers of RungMeshData: cell c is point c, vertex v point cells + v, facet f
                  (edge in two dimensions, face in three) point cells + entities[0] + f, and in three dimensions edge e
                  point cells + entities[0] + entities[2] + e; owned by the rank that owns the entity
     coordinates  in degree 2 where the mesh is curved; the cells' own (DMGetCellCoordinates) where it is periodic
     labels       of each part's name, with its number at the points of its members; "Cell Sets", "Face Sets", "Edge Sets"
                  and "Vertex Sets" hold the numbers of all parts of a dimension, as PETSc's readers have them;
                  "boundary" holds 1 at all exterior facets if there is no such part
   Collective; any number of ranks, also without cells.  -dm_view views it when it is made.
   Out     dm  lent until the mesh is destroyed; not to be changed, refine or distribute a DMClone()
   Errors  PETSC_ERR_SUP  a mesh that is curved and periodic */
RUNG_EXTERN PetscErrorCode RungMeshGetDM(RungMesh mesh, DM *dm);

/* RungMeshGetParts - the parts that a domain takes, as "a, b, c".
   Errors  PETSC_ERR_ARG_SIZ  a list[size] that is too short for them; the message says how long it has to be */
RUNG_EXTERN PetscErrorCode RungMeshGetParts(RungMesh mesh, RungDomain domain, char list[], size_t size);

/* ---- spaces --------------------------------------------------------------------------------------------------- */

/* RungSpaceCreate - a finite element on every cell of a mesh; sets the mesh up.
   spec = family degree shape, e.g. "P1" "P2^d" "Q2^3" "P0^3" "DP1" "DQ2" "Quad(2)^dxd":  P on simplices and points, Q
   on box cells (each meets the other's cells with an error that says which to use), CG and DG are P or Q and DP or DQ,
   whichever the mesh's cells have (P0 on points); +B adds the bubble of the cell to P of degree 1 to dim or to Q1:
   "P1+B^d" is the velocity of the MINI element; D.. discontinuous; P0 = DP0; Quad(q)
   values at the points of RungQuadratureGet(cell, q); R numbers of the whole mesh, without a degree ("R", "R^3"): a
   multiplier, a pressure in a pipe.  Shape: none scalar, ^n vector, ^d vector of the mesh's
   dimension, ^nxm or ^dxd tensor.  Any degree up to 64; nodes of degree 3 and more are Gauss-Lobatto nodes on edges.
   Collective.
   In      mesh    referenced until the space is destroyed
           spec    copied
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  a family that does not exist (the nearest is named)
           PETSC_ERR_ARG_WRONG         degree or shape cannot be read
           PETSC_ERR_ARG_OUTOFRANGE    degree above 64, shape 0
           PETSC_ERR_ARG_INCOMP        a family of other cells (the right one is named) */
RUNG_EXTERN PetscErrorCode RungSpaceCreate(RungMesh mesh, const char spec[], RungSpace *space);
/* One owner less; the last one frees.  Collective.  Nulls *space. */
RUNG_EXTERN PetscErrorCode RungSpaceDestroy(RungSpace *space);

/* ---- fields and output ---------------------------------------------------------------------------------------- */

/* A function of a space, zero; the name is copied, the space referenced.  Collective.
   Errors PETSC_ERR_ARG_WRONG: no name. */
RUNG_EXTERN PetscErrorCode RungFieldCreate(RungSpace space, const char name[], RungField *field);
/* Not collective.  Out u, lent; the layout of the single space: owned node after node, component after component. */
RUNG_EXTERN PetscErrorCode RungFieldGetVec(RungField field, Vec *u);
/* RungFieldSetRate - whose values are the time derivative of this field: what dt() of it is in forms.  A rate may have a
   rate.  Nobody but the caller keeps the two in step.
   Not collective.
   In      rate  on the same mesh, of the same shape, in any space; kept by the caller as long as the field; NULL: none
   Errors  PETSC_ERR_ARG_INCOMP  another mesh or shape;  PETSC_ERR_ARG_WRONG  a circle */
RUNG_EXTERN PetscErrorCode RungFieldSetRate(RungField field, RungField rate);
/* Collective.  Nulls *field. */
RUNG_EXTERN PetscErrorCode RungFieldDestroy(RungField *field);

/* RungProbesCreate - finds points in a mesh; each rank brings its own, any number of them, wherever they are.  A point that
   several cells have belongs to the one that comes first in the mesh (in the file), so that values do not depend on the
   number of ranks; cells may be curved.  A point outside stands for the nearest place of the mesh.
   Collective.
   In      mesh    referenced until the probes are destroyed
           n, x[point][dim]  of this rank
   Errors  PETSC_ERR_FP  a coordinate is not finite */
RUNG_EXTERN PetscErrorCode RungProbesCreate(RungMesh mesh, PetscInt n, const PetscReal x[], RungProbes *probes);
/* Not collective.  Out  distance[n] of this rank's points from the mesh, 0 inside; lent. */
RUNG_EXTERN PetscErrorCode RungProbesGetDistance(RungProbes probes, const PetscReal **distance);
/* Collective.  Nulls *probes. */
RUNG_EXTERN PetscErrorCode RungProbesDestroy(RungProbes *probes);

/* RungFieldEvaluate - values of a field at this rank's points.
   Collective.
   Out     values[n][component], the caller's
   Errors  PETSC_ERR_ARG_INCOMP  probes of another mesh;  PETSC_ERR_SUP  a space Quad(q) */
RUNG_EXTERN PetscErrorCode RungFieldEvaluate(RungField field, RungProbes probes, PetscScalar values[]);
/* RungFieldTransfer - `to` takes the values of `from` at its nodes (Quad: its points), also on another mesh and from other
   cells; nodes outside of the other mesh take those of the nearest place.
   Collective.
   Out     farthest  the greatest distance of a node from the other mesh; may be NULL
   Errors  PETSC_ERR_ARG_INCOMP  unequal shapes or dimensions, and those of RungFieldEvaluate() */
RUNG_EXTERN PetscErrorCode RungFieldTransfer(RungField from, RungField to, PetscReal *farthest);

/* RungOutput - a time series for ParaView: NAME.pvd and a folder NAME.pvd.d/ of one .vtu file per time however many ranks
   there are: rank 0 writes the pieces of all, no other rank needs to see the folder.  Files are written aside and renamed, the
   list of times after the time, so that a killed run leaves a series that can be read up to its last time.
     cells    plain linear ones if all fields and the cells' maps have degree <= 1, else VTK's Lagrange cells of the
              highest degree
     points   shared between cells; each cell its own if a field is discontinuous of degree >= 1 or the mesh periodic
     values   vectors padded to 3 components, tensors to 3 x 3, larger shapes as they are; degree 0 as cell data (on
              meshes of points as point data), Quad(q) as cell data, the mean by the weights of its rule */
typedef struct _p_RungOutput *RungOutput;
/* RungOutputCreate - begins a series and makes the folder of its files.
   Collective.
   In      path    "out/heat", "out/heat.pvd" or "out/heat.vtu"; "out" has to exist
   Errors  PETSC_ERR_ARG_WRONG  no file name, or one that is no UTF-8 or has control characters;  PETSC_ERR_FILE_OPEN  the
           folder cannot be made or written, is a link or somebody else's, or NAME.pvd is no series of ours */
RUNG_EXTERN PetscErrorCode RungOutputCreate(MPI_Comm comm, const char path[], RungOutput *output);
/* RungOutputWrite - adds a time to the series.
   Collective.
   In      t
           n, fields[n]  at least one, on one mesh, of different names
   Errors  PETSC_ERR_FILE_WRITE on all ranks with the system's reason; nothing half-written stays
           PETSC_ERR_ARG_OUTOFRANGE no field, PETSC_ERR_ARG_INCOMP different meshes, PETSC_ERR_ARG_WRONG a name twice */
RUNG_EXTERN PetscErrorCode RungOutputWrite(RungOutput output, PetscReal t, PetscInt n, const RungField fields[]);
/* Collective.  Nulls *output; the files stay. */
RUNG_EXTERN PetscErrorCode RungOutputDestroy(RungOutput *output);
