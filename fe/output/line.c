/* line.c - what a series holds where it is of points along a line: values of the fields there, on rank 0. */
#include "output_impl.h"

#define NEAR 1e-9 /* of the line's length: points this far from the mesh count as its own */

/* The points of a line on rank 0. */
typedef struct {
  PetscInt   n, inside; /* of this rank; that lie in the mesh: two at least */
  PetscReal  near;
  PetscReal *x; /* owned, [n][dim] */
  RungProbes probes;
} Line;

static PetscErrorCode forget(Line *line)
{
  PetscFunctionBegin;
  PetscCall(RungProbesDestroy(&line->probes));
  PetscCall(PetscFree(line->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(MPI_Comm comm, RungMesh mesh, PetscInt n, const PetscReal from[], const PetscReal to[],
                           Line *line)
{
  const RungMeshData *data;
  const PetscReal    *distance;
  PetscMPIInt         rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(RungMeshGetData(mesh, &data));
  line->n = rank ? 0 : n;
  PetscCall(PetscCalloc1(n * data->dim, &line->x));
  for (PetscInt i = 0; i < line->n; ++i)
    for (PetscInt a = 0; a < data->dim; ++a)
      line->x[i * data->dim + a] = ((PetscReal)(n - 1 - i) * from[a] + (PetscReal)i * to[a]) / (PetscReal)(n - 1);
  PetscCall(RungProbesCreate(mesh, line->n, line->x, &line->probes));
  PetscCall(RungProbesGetDistance(line->probes, &distance));
  for (PetscInt i = 0; i < line->n; ++i) line->inside += distance[i] <= line->near ? 1 : 0;
  PetscCallMPI(MPI_Bcast(&line->inside, 1, MPIU_INT, 0, comm));
  PetscCheck(line->inside > 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "of %" PetscInt_FMT " points along a line %" PetscInt_FMT " lie in the mesh, wanted two at least", n,
             line->inside);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make(MPI_Comm comm, RungMesh mesh, PetscInt n, const PetscReal from[], const PetscReal to[],
                           Line *line)
{
  const RungMeshData *data;
  PetscReal           length = 0;

  PetscFunctionBegin;
  *line = (Line){0};
  PetscCheck(n > 1 && n <= 1000000, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " points along a line, wanted 2 to a million", n);
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt a = 0; a < data->dim; ++a) length = PetscMax(length, PetscAbsReal(to[a] - from[a]));
  PetscCheck(length > 0, comm, PETSC_ERR_ARG_WRONG, "a line from a point to itself; take a probe");
  line->near = NEAR * length;
  RungCallOrUndo(fill(comm, mesh, n, from, to, line), PetscCall(forget(line)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineCount(MPI_Comm comm, RungMesh mesh, PetscInt n, const PetscReal from[], const PetscReal to[],
                             PetscInt *outside)
{
  Line line;

  PetscFunctionBegin;
  PetscCall(make(comm, mesh, n, from, to, &line));
  PetscCall(forget(&line));
  *outside = n - line.inside;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputSetLine(RungOutput o, RungMesh mesh, PetscInt n, const PetscReal from[], const PetscReal to[])
{
  Line line;

  PetscFunctionBegin;
  RungNeed(o);
  PetscCheck(!o->written, o->comm, PETSC_ERR_ORDER, "the line of a series after its first time; choose it before");
  PetscCall(make(o->comm, mesh, n, from, to, &line));
  PetscCall(RungOutputForgetLine(o));
  o->line      = line.n;
  o->line_near = line.near;
  o->line_x    = line.x;
  o->probes    = line.probes;
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
