/* mesh_import_impl.h - a Gmsh file on its way into a mesh: mesh_file.c makes the cells, mesh_import.c the parts. */
#pragma once

#include <rungtable_room.h>
#include "fe_impl.h"

typedef struct {
  const char    *path;         /* lent                                                     */
  RungGmsh       gmsh;         /* owned                                                    */
  RungFinding   *finding;      /* lent                                                     */
  PetscInt       dim;          /* of the cells                                             */
  PetscInt      *tag;          /* owned, [node] tags ascending                             */
  PetscInt      *index;        /* owned, [node] where the node of that tag is in the file  */
  PetscInt      *used;         /* owned, [node of the file] its number in the mesh or -1   */
  PetscBool      second;       /* the cells are elements of order 2                        */
  RungShapeOrder order;        /* of their nodes                                           */
  PetscReal      off;          /* how far their nodes are from the plane of a flat mesh    */
  PetscHMapIJ    name;         /* owned, (dimension, number) of a group -> its name in the file */
  PetscHMapIJ    part;         /* owned, the same -> its part, once it has been met             */
  PetscInt       links, *link; /* owned, [link][2] vertices that are the same */
} RungImport;

static inline PetscBool RungImportFailed(const RungImport *im)
{
  return im->finding->text[0] ? PETSC_TRUE : PETSC_FALSE;
}

static inline const RungGmshType *RungImportType(const RungImport *im, PetscInt e)
{
  return RungGmshTypeGet(im->gmsh.element[e].type);
}

/* Where the k-th node of element e is in the file. */
PetscErrorCode RungImportNode(RungImport *im, PetscInt e, PetscInt k, PetscInt *node);
/* Groups of elements -> parts, marks of cells, tagged facets, edges and vertices.
   In  place[cell of the file] its number in the mesh */
PetscErrorCode RungImportParts(RungImport *im, RungPiece *whole, const PetscInt place[], RungParts *parts);
/* The parts of a plan, made in the order of its elements.  Out part[physical number], the caller's; -1: no element has it */
PetscErrorCode RungImportPlanParts(const char path[], const RungGmsh *plan, RungParts *parts, PetscInt **part,
                                   RungFinding *finding);
/* Vertices that $Periodic names, as links of the mesh's vertices. */
PetscErrorCode RungImportLinks(RungImport *im);
