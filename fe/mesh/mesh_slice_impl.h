/* mesh_slice_impl.h - a Gmsh file on its way into a mesh, read in parts by all ranks.

   A slice is what one rank reads: an even share of the nodes, of the cells and of the smaller elements, in the order of the file.
   Everything is numbered as if rank 0 had read the file as a whole (mesh_file.c), so that both ways make the same mesh.  What a
   slice does not like is no error: rank 0 then reads the file as a whole, and tells what is wrong. */
#pragma once

#include "fe_impl.h"

/* Vertices of the whole mesh that are the same (periodic); all arrays are owned. */
typedef struct {
  PetscInt linked, *node, *root; /* [linked] ascending, the lowest one that is the same */
  PetscInt merged, *gone;        /* [merged] those that have another root; ascending     */
} RungClasses;

typedef struct {
  MPI_Comm    comm; /* lent */
  PetscMPIInt rank, size;
  RungFinding finding;   /* what this rank does not like            */
  PetscBool   refused;   /* .. or any other one, known to all       */
  RungReader  reader;    /* owned                                   */
  RungGmsh    plan;      /* owned, the same blocks on all ranks     */
  PetscInt   *part;      /* owned, [physical number] its part or -1 */
  PetscInt    total;     /* cells of the mesh                       */
  PetscInt    first;     /* number of the first cell of this slice  */
  RungPiece   piece;     /* owned: its cells.  tagged_node are numbers of the mesh's nodes */
  PetscInt   *holders;   /* owned, [node of the piece] slices whose cells have it; not NULL */
  PetscInt   *met;       /* owned, [node of the piece] bit d: some tagged entity of dimension d has it */
  PetscInt   *start;     /* owned, [rank + 1] the nodes of the mesh that a rank has read  */
  PetscReal  *x;         /* owned, [node of the mesh that this rank has read][dim]        */
  PetscInt links, *link; /* owned, [link][2] vertices of the mesh that are the same; rank 0 reads them, then all know */
  RungClasses classes;   /* of these.  start and x know nodes as if there were no links */
} RungSlice;

/* How the slices' cells touch. */
typedef struct {
  PetscInt *neighbour; /* owned, [cell][facet] number of the cell behind it, -1: none; of a graph [begin[cell]] .. */
  PetscInt *begin;     /* owned, [cell + 1] of a graph; else NULL                                                   */
  RungDirectory dir;   /* owned, of facets that other slices may have                                               */
  PetscInt      asked; /* .. so many                                                                                */
  PetscInt     *ask;   /* owned, [asked] cell of this slice * facets of a cell + its facet                          */
} RungSeam;

/* All functions here are collective, and need a slice that is not refused. */
PetscErrorCode RungSliceAgree(RungSlice *s); /* refused on one rank is refused on all */
PetscErrorCode RungSliceRead(RungMesh mesh, RungSlice *s);
PetscErrorCode RungSliceDestroy(RungSlice *s);

/* mesh_slice_glue.c.  Glue makes vertices one; Root is not collective: the number that the reader of a node has for it. */
PetscErrorCode RungSliceGlue(RungSlice *s);
PetscInt       RungSliceRoot(const RungSlice *s, PetscInt number);
PetscErrorCode RungClassesDestroy(RungClasses *c);

/* mesh_seam.c.  Connect also sets piece.exterior; Tag turns tagged entities into marks and counts the members of parts; MakeGraph
   leaves of a seam the graph of cells, in the order of their facets, of which CountCut counts what a cut cuts. */
PetscErrorCode RungSeamConnect(RungSlice *s, RungSeam *seam);
PetscErrorCode RungSeamTag(RungSlice *s, const RungSeam *seam, RungParts *parts);
PetscErrorCode RungSeamMakeGraph(RungSlice *s, RungSeam *seam);
PetscErrorCode RungSeamCountCut(RungSlice *s, const RungSeam *seam, const PetscMPIInt target[], PetscInt *edge_cut);
PetscErrorCode RungSeamDestroy(RungSeam *seam);

static inline PetscInt RungSliceShare(PetscInt n, PetscMPIInt rank, PetscMPIInt size)
{
  return (PetscInt)((PetscInt64)n * rank / size);
}
