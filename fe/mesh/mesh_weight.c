/* mesh_weight.c - what a cell weighs when the mesh is cut: the dofs that it brings.

   Every cell has as many dofs as any other, but it shares them: of a dof that m cells have each brings 1/m.  So with P or Q of
   degree k a cell weighs

       w = factor sum_d n_d(k) sum_{entities e of dimension d} 1 / m(e),

   n_d dofs inside of an entity, the factor of its part if it has one, and the weights of all cells add up to the dofs of the
   mesh.  Cells at the boundary weigh more than others, of degree 1 above all. */
#include "fe_impl.h"

#define UNITS 1000 /* of weight, a cell's mean: partitioners count in whole numbers */

/* ---- what the user says ------------------------------------------------------------------------------------------- */

PetscErrorCode RungMeshSetWeightDegree(RungMesh mesh, PetscInt degree)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCheck(!mesh->ready, mesh->comm, PETSC_ERR_ORDER,
             "this mesh is in use and cannot change any more; make a new one");
  PetscCheck(degree >= 0 && degree <= 64, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "cells that weigh the dofs of degree %" PetscInt_FMT "; wanted 1 to 64, or 0 for equal cells", degree);
  mesh->weight_degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetPartWeight(RungMesh mesh, const char part[], PetscReal factor)
{
  RungPartWeight w;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCheck(!mesh->ready, mesh->comm, PETSC_ERR_ORDER,
             "this mesh is in use and cannot change any more; make a new one");
  PetscCheck(part && part[0], mesh->comm, PETSC_ERR_ARG_NULL,
             "a weight of cells without a part; wanted its name or number");
  PetscCheck(factor > 0 && factor <= 1e6, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "cells of part \"%s\" that weigh %g times as much; wanted more than 0, and 1e6 at most", part,
             (double)factor);
  for (w = mesh->weights; w && strcmp(w->part, part) != 0; w = w->next) {
  }
  if (!w) {
    PetscCall(PetscNew(&w));
    PetscCall(PetscStrallocpy(part, &w->part));
    w->next       = mesh->weights;
    mesh->weights = w;
  }
  w->factor = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "steel:4" */
PetscErrorCode RungMeshReadPartWeight(RungMesh mesh, char text[])
{
  char  *colon = strrchr(text, ':'), *end = colon;
  double factor = 0;

  PetscFunctionBegin;
  if (colon) factor = strtod(colon + 1, &end);
  PetscCheck(colon && colon > text && end > colon + 1 && !*end, mesh->comm, PETSC_ERR_ARG_WRONG,
             "-mesh_part_weight \"%s\"; wanted a part of cells and how much heavier its cells are, like steel:4", text);
  *colon = 0;
  PetscCall(RungMeshSetPartWeight(mesh, text, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshWeightsDestroy(RungMesh mesh)
{
  PetscFunctionBegin;
  while (mesh->weights) {
    RungPartWeight w = mesh->weights;

    mesh->weights = w->next;
    PetscCall(PetscFree(w->part));
    PetscCall(PetscFree(w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungMeshIsWeighted(RungMesh mesh)
{
  return mesh->weight_degree || mesh->weights ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungMeshCheckWeights(RungMesh mesh, PetscInt dim)
{
  PetscFunctionBegin;
  for (RungPartWeight w = mesh->weights; w; w = w->next)
    PetscCheck(RungMeshFindPart(mesh, dim, dim, w->part), mesh->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "a weight for \"%s\", which is no part of this mesh's cells; -mesh_view lists the parts", w->part);
  PetscCheck(!RungMeshIsWeighted(mesh) || strcmp(mesh->partitioner, "simple") != 0, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "-mesh_partitioner simple makes blocks of equally many cells and takes no weights; use metis or ptscotch");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the weights -------------------------------------------------------------------------------------------------- */

/* Nodes of degree k inside of an entity of dimension d. */
static double inner_nodes(PetscBool simplex, PetscInt k, PetscInt d)
{
  double n = 1;

  for (PetscInt i = 1; i <= d; ++i) n *= simplex ? (double)(k - i) / (double)i : (double)(k - 1);
  return n;
}

/* holders[entity] of a slice becomes that of the mesh: entities whose nodes all are in several slices may be in several. */
static PetscErrorCode add_slices(RungMesh mesh, const RungPiece *piece, const PetscInt slices[], PetscInt m,
                                 PetscInt count, const PetscInt key[], PetscInt holders[])
{
  PetscInt      n = 0, *some, *name, *value;
  RungDirectory dir;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(count, &some, count * m, &name, count, &value));
  for (PetscInt e = 0; e < count; ++e) {
    PetscInt k = 0;

    for (; k < m && slices[key[e * m + k]] > 1; ++k) name[n * m + k] = piece->node_id[key[e * m + k]];
    if (k < m) continue;
    RungSortFew(m, name + n * m);
    value[n]  = holders[e];
    some[n++] = e;
  }
  PetscCall(RungDirectoryCreate(mesh->comm, m, n, name, &dir));
  PetscCall(RungDirectorySum(dir, value));
  for (PetscInt i = 0; i < n; ++i) holders[some[i]] = value[i];
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscFree3(some, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* weight[cell] += n sum 1/m(e) over entities of dimension d. */
static PetscErrorCode add_entities(RungMesh mesh, const RungPiece *piece, const PetscInt slices[], PetscInt d, double n,
                                   double weight[])
{
  const RungCell *cell = RungCellGet(piece->type);
  const PetscInt *corner;
  PetscInt        each, m, stride, count, *entity, *key, *holders;

  PetscFunctionBegin;
  PetscCall(RungCellEntities(cell, d, &each, &m, &corner, &stride));
  PetscCall(RungNumberEntities(piece->cells, cell->vertices, piece->cell_node, each, m, corner, stride, &count, &entity,
                               slices ? &key : NULL));
  PetscCall(PetscCalloc1(count, &holders));
  for (PetscInt i = 0; i < piece->cells * each; ++i) ++holders[entity[i]];
  if (slices) {
    PetscCall(add_slices(mesh, piece, slices, m, count, key, holders));
    PetscCall(PetscFree(key));
  }
  for (PetscInt i = 0; i < piece->cells * each; ++i) weight[i / each] += n / (double)holders[entity[i]];
  PetscCall(PetscFree(holders));
  PetscCall(PetscFree(entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_dofs(RungMesh mesh, const RungPiece *piece, const PetscInt slices[], PetscInt degree,
                               double weight[])
{
  const RungCell *cell = RungCellGet(piece->type);

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    const double n = degree ? inner_nodes(cell->simplex, degree, d) : d == cell->dim ? 1 : 0;

    if (d == cell->dim) {
      for (PetscInt c = 0; c < piece->cells; ++c) weight[c] += n;
    } else if (n > 0)
      PetscCall(add_entities(mesh, piece, slices, d, n, weight));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_marks(const void *a, const void *b)
{
  const PetscInt *p = (const PetscInt *)a, *q = (const PetscInt *)b;

  return (p[0] > q[0]) - (p[0] < q[0]);
}

/* A cell in several parts has all their factors, one after the other: products of more than two depend on their order. */
static void multiply_parts(RungMesh mesh, RungPiece *piece, double weight[])
{
  if (mesh->weights && piece->marks)
    qsort(piece->mark, (size_t)piece->marks, 3 * sizeof *piece->mark, compare_marks); /* a whole mesh has them so */
  for (PetscInt i = 0; i < piece->marks; ++i) {
    const RungPart *part = &mesh->parts.part[piece->mark[3 * i]];

    for (RungPartWeight w = mesh->weights; w; w = w->next) {
      if (part->dim == piece->dim && part == RungMeshFindPart(mesh, part->dim, part->dim, w->part))
        weight[piece->mark[3 * i + 1]] *= w->factor;
    }
  }
}

/* Cell after cell over all slices: sums in another order would differ by rounding. */
static PetscErrorCode add_up(RungMesh mesh, PetscBool slices, PetscInt cells, const double weight[], double total[2])
{
  PetscMPIInt rank = 0, size = 1;

  PetscFunctionBegin;
  total[0] = total[1] = 0;
  if (slices) {
    PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
    PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  }
  if (rank) PetscCallMPI(MPI_Recv(total, 2, MPI_DOUBLE, rank - 1, 0, mesh->comm, MPI_STATUS_IGNORE));
  for (PetscInt c = 0; c < cells; ++c) total[0] += weight[c];
  total[1] += (double)cells;
  if (rank + 1 < size) PetscCallMPI(MPI_Send(total, 2, MPI_DOUBLE, rank + 1, 0, mesh->comm));
  if (slices) PetscCallMPI(MPI_Bcast(total, 2, MPI_DOUBLE, size - 1, mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPieceWeigh(RungMesh mesh, RungPiece *piece, const PetscInt holders[], PetscSection *section)
{
  double *weight, total[2]; /* weight and cells of the mesh */

  PetscFunctionBegin;
  *section = NULL;
  if (!RungMeshIsWeighted(mesh)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(piece->cells, &weight));
  PetscCall(add_dofs(mesh, piece, holders, mesh->weight_degree, weight));
  multiply_parts(mesh, piece, weight);
  PetscCall(add_up(mesh, holders ? PETSC_TRUE : PETSC_FALSE, piece->cells, weight, total));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, section));
  PetscCall(PetscSectionSetChart(*section, 0, piece->cells));
  for (PetscInt c = 0; c < piece->cells; ++c)
    PetscCall(PetscSectionSetDof(*section, c, (PetscInt)(weight[c] * UNITS * total[1] / total[0] + 0.5)));
  PetscCall(PetscSectionSetUp(*section));
  PetscCall(PetscFree(weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}
