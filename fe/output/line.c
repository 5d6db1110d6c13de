/* line.c - what a series holds where it is of points along a line: values of the fields there, on rank 0. */
#include "output_impl.h"

#define NEAR 1e-9 /* of the line's length: points this far from the mesh count as its own */

/* Points, and which of them lie in the mesh: two at least. */
static PetscErrorCode place_line(RungOutput o, RungMesh mesh, PetscInt n, PetscReal length, const PetscReal from[],
                                 const PetscReal to[])
{
  const RungMeshData *data;
  const PetscReal    *distance;
  PetscInt            inside = 0;
  PetscMPIInt         rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(RungMeshGetData(mesh, &data));
  o->line = rank ? 0 : n;
  PetscCall(PetscCalloc1(n * data->dim, &o->line_x));
  for (PetscInt i = 0; i < o->line; ++i)
    for (PetscInt a = 0; a < data->dim; ++a)
      o->line_x[i * data->dim + a] = ((PetscReal)(n - 1 - i) * from[a] + (PetscReal)i * to[a]) / (PetscReal)(n - 1);
  PetscCall(RungProbesCreate(mesh, o->line, o->line_x, &o->probes));
  PetscCall(RungProbesGetDistance(o->probes, &distance));
  for (PetscInt i = 0; i < o->line; ++i) inside += distance[i] <= NEAR * length ? 1 : 0;
  o->line_near = NEAR * length;
  RungCheckAll(rank || inside > 1, o->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "of %" PetscInt_FMT " points along a line %" PetscInt_FMT " lie in the mesh, wanted two at least", n,
               inside);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputSetLine(RungOutput o, RungMesh mesh, PetscInt n, const PetscReal from[], const PetscReal to[])
{
  const RungMeshData *data;
  PetscReal           length = 0;

  PetscFunctionBegin;
  RungNeed(o);
  PetscCheck(!o->written, o->comm, PETSC_ERR_ORDER, "the line of a series after its first time; choose it before");
  PetscCheck(n > 1 && n <= 1000000, o->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " points along a line, wanted 2 to a million", n);
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt a = 0; a < data->dim; ++a) length = PetscMax(length, PetscAbsReal(to[a] - from[a]));
  PetscCheck(length > 0, o->comm, PETSC_ERR_ARG_WRONG, "a line from a point to itself; take a probe");
  PetscCall(RungOutputForgetLine(o));
  RungCallOrUndo(place_line(o, mesh, n, length, from, to), PetscCall(RungOutputForgetLine(o)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputForgetLine(RungOutput o)
{
  PetscFunctionBegin;
  PetscCall(RungProbesDestroy(&o->probes));
  PetscCall(PetscFree(o->line_x));
  o->line = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points that lie in the mesh, and the pieces of the line between neighbours of them. */
PetscErrorCode RungVtuLine(RungOutput o, PetscInt dim, RungVtu *v)
{
  const PetscReal *distance;
  PetscInt         last = -2;

  PetscFunctionBegin;
  PetscCall(RungProbesGetDistance(o->probes, &distance));
  PetscCall(PetscCalloc1(3 * o->line, &v->x));
  PetscCall(PetscMalloc1(2 * o->line, &v->connection));
  v->type        = 3; /* a line of VTK */
  v->cell_points = 2;
  for (PetscInt i = 0; i < o->line; ++i) {
    if (distance[i] > o->line_near) continue;
    for (PetscInt a = 0; a < dim; ++a) v->x[3 * v->points + a] = o->line_x[i * dim + a];
    if (last == i - 1) {
      v->connection[2 * v->cells]       = v->points - 1;
      v->connection[2 * v->cells++ + 1] = v->points;
    }
    ++v->points;
    last = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p: components of the field and their places in the file's. */
PetscErrorCode RungVtuLineField(RungOutput o, RungField field, PetscInt n, PetscInt m, const PetscInt place[],
                                PetscReal value[])
{
  const PetscReal *distance;
  PetscScalar     *all;
  PetscInt         row = 0;

  PetscFunctionBegin;
  PetscCall(RungProbesGetDistance(o->probes, &distance));
  PetscCall(PetscMalloc1(o->line * n, &all));
  RungCallOrUndo(RungFieldEvaluate(field, o->probes, all), PetscCall(PetscFree(all)));
  for (PetscInt i = 0; i < o->line; ++i) {
    if (distance[i] > o->line_near) continue;
    for (PetscInt c = 0; c < n; ++c) value[row * m + (n == m ? c : place[c])] = PetscRealPart(all[i * n + c]);
    ++row;
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
