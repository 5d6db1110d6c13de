/* sample_impl.h - expressions and cells at any points: what sample.c, interpolate.c and norm.c share. */
#pragma once

#include "kernel_impl.h"

/* A place of a cell: x = phi(X), J = dx/dX, K = J^-1, det J. */
typedef struct {
  PetscReal x[3], J[3][3], K[3][3], det;
  PetscReal second[6][3]; /* [cd, c <= d][axis] d2x/dX_c dX_d */
} RungSamplePlace;

/* X are points[point][dim] of the reference cell; tables of the mesh's map there. */
typedef struct {
  PetscInt   points;
  PetscReal *map;   /* owned, [derivative][point][node] of order 2 */
  PetscReal *table; /* owned: of all bases, one behind the other   */
} RungSampleTables;

struct _p_RungSampler {
  MPI_Comm            comm;   /* of the mesh, lent                                                    */
  RungScope           scope;  /* referenced                                                           */
  RungMesh            mesh;   /* referenced                                                           */
  const RungMeshData *data;   /* lent                                                                 */
  PetscInt            dim;    /* of the reference cell                                                */
  RungTape            tape;   /* owned                                                                */
  RungLayout          layout; /* referenced; NULL without unknowns                                 */
  PetscInt            unknowns, fields;
  RungLayout         *field;  /* owned array, [field] owned, NULL where it is not read             */
  RungSpace          *space;  /* owned array, [unknown, then field] lent; NULL where it is not read */
  PetscInt           *offset; /* owned, [unknown, then field] of a point's table in RungSampleTables  */
  PetscInt            width;  /* numbers of a point in RungSampleTables.table                      */
  PetscInt            order;  /* of derivatives                                                    */
  PetscBool           level[RUNG_MAX_ORDER + 1]; /* u^(k) is read                                    */
  PetscInt            quadrature;                /* degree of a space Quad that is read, -1 none                    */
  PetscBool           sizes;
  RungSizes           size_table;
  PetscBool          *mark;                  /* owned, [input][cell] of inputs that are parts, else unused; NULL   */
  double             *vector;                /* owned, [register][RUNG_SAMPLE_BLOCK]                               */
  const PetscScalar  *u[RUNG_MAX_ORDER + 1]; /* lent between Begin and End                           */
  const PetscScalar **value;                 /* owned array, [field] likewise                                      */
  PetscReal           t;
};
#define RUNG_SAMPLE_BLOCK 32

PetscErrorCode RungSampleTablesCreate(RungSampler s, PetscInt points, const PetscReal X[], RungSampleTables *tables);
PetscErrorCode RungSampleTablesDestroy(RungSampleTables *tables);
/* Collective: values of unknowns and fields are gathered. */
PetscErrorCode RungSamplerBegin(RungSampler s, PetscReal t, const Vec u[]);
PetscErrorCode RungSamplerEnd(RungSampler s, const Vec u[]);
/* Not collective.  place[point]; out[point][component] */
void RungSamplerPlace(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscInt q, RungSamplePlace *place);
void RungSamplerRun(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscScalar out[]);
