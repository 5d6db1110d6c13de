/* output_impl.h - what the files about output share. */
#pragma once

#include "fe_space_impl.h"

/* vtk.c: VTK's cell type of this degree, and the lattice points of its nodes in VTK's order.
   Out lattice[node][4] as in RungElement, n nodes; the array is the caller's (PetscFree). */
PetscErrorCode RungVtkCell(RungCellType type, PetscInt degree, int *vtk_type, PetscInt *n, PetscInt **lattice);

/* A rank's share of one .vtu file: a piece of a mesh and values on its points or cells. */
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

/* vtu.c.  Collective: rank 0 writes `path`, the pieces of all ranks that have cells.  On rank 0 *ok is false and `why` the
   reason if it cannot, the file then half there.  All ranks have the same arrays, type and points of a cell. */
PetscErrorCode RungVtuWrite(const RungVtu *vtu, MPI_Comm comm, const char path[], PetscBool *ok, char why[],
                            size_t room);
PetscErrorCode RungVtuClear(RungVtu *vtu); /* frees arrays and mesh */

/* part.c: leaves of a whole piece, with its fields, the cells or facets of o->part. */
PetscErrorCode RungVtuCut(RungOutput o, RungVtu *vtu);
/* line.c: points and pieces of o's line instead of a mesh; then a field of n components, m in the file, at their places (not
   looked at where n = m), into value[point][m], zero before. */
PetscErrorCode RungVtuLine(RungOutput o, PetscInt dim, RungVtu *vtu);
PetscErrorCode RungVtuLineField(RungOutput o, RungField field, PetscInt n, PetscInt m, const PetscInt place[],
                                PetscReal value[]);
PetscErrorCode RungOutputForgetLine(RungOutput o);

struct _p_RungOutput {
  MPI_Comm  comm;    /* owned (PetscCommDuplicate)                                                */
  char     *base;    /* owned, path without extension: base.pvd and the folder base.pvd.d/        */
  char     *name;    /* owned, last part of base                                                  */
  int       folder;  /* rank 0: that of the files, open and locked for other runs; -1: not       */
  PetscInt  written; /* times so far                                                              */
  RungDraft index;   /* owned, rank 0: the lines of the .pvd so far                               */
  char     *part;    /* owned: of the mesh; NULL: all of it                                       */
  /* points along a line, all on rank 0; probes NULL: none */
  RungProbes probes;    /* owned                                                                  */
  PetscInt   line;      /* how many                                                               */
  PetscReal *line_x;    /* owned, [point][dim]                                                    */
  PetscReal  line_near; /* points farther from the mesh are left out                              */
  /* kept between times while mesh, degree and continuity stay */
  RungSpace  space;  /* owned, scalar; its nodes are the points; NULL before the first write      */
  PetscInt   points; /* of a cell                                                                 */
  int        type;   /* VTK's                                                                     */
  PetscInt  *order;  /* owned, [VTK point] cell node of `space`                                   */
  PetscReal *at;     /* owned, [cell node][dim] where VTK has its points: equispaced              */
};
