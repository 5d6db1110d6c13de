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

/* weight[cell] += n sum 1/m(e) over entities of dimension d. */
static PetscErrorCode add_entities(const RungPiece *whole, PetscInt d, double n, double weight[])
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt *corner;
  PetscInt        each, m, stride, count, *entity, *holders;

  PetscFunctionBegin;
  PetscCall(RungCellEntities(cell, d, &each, &m, &corner, &stride));
  PetscCall(
    RungNumberEntities(whole->cells, cell->vertices, whole->cell_node, each, m, corner, stride, &count, &entity, NULL));
  PetscCall(PetscCalloc1(count, &holders));
  for (PetscInt i = 0; i < whole->cells * each; ++i) ++holders[entity[i]];
  for (PetscInt i = 0; i < whole->cells * each; ++i) weight[i / each] += n / (double)holders[entity[i]];
  PetscCall(PetscFree(holders));
  PetscCall(PetscFree(entity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_dofs(const RungPiece *whole, PetscInt degree, double weight[])
{
  const RungCell *cell = RungCellGet(whole->type);

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    const double n = degree ? inner_nodes(cell->simplex, degree, d) : d == cell->dim ? 1 : 0;

    if (d == cell->dim) {
      for (PetscInt c = 0; c < whole->cells; ++c) weight[c] += n;
    } else if (n > 0)
      PetscCall(add_entities(whole, d, n, weight));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell in several parts has all their factors. */
static void multiply_parts(RungMesh mesh, const RungPiece *whole, double weight[])
{
  for (PetscInt i = 0; i < whole->marks; ++i) {
    const RungPart *part = &mesh->parts.part[whole->mark[3 * i]];

    for (RungPartWeight w = mesh->weights; w; w = w->next) {
      if (part->dim == whole->dim && part == RungMeshFindPart(mesh, part->dim, part->dim, w->part))
        weight[whole->mark[3 * i + 1]] *= w->factor;
    }
  }
}

PetscErrorCode RungPieceWeigh(RungMesh mesh, const RungPiece *whole, PetscSection *section)
{
  double *weight, total = 0;

  PetscFunctionBegin;
  *section = NULL;
  if (!RungMeshIsWeighted(mesh)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(whole->cells, &weight));
  PetscCall(add_dofs(whole, mesh->weight_degree, weight));
  multiply_parts(mesh, whole, weight);
  for (PetscInt c = 0; c < whole->cells; ++c) total += weight[c];
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, section));
  PetscCall(PetscSectionSetChart(*section, 0, whole->cells));
  for (PetscInt c = 0; c < whole->cells; ++c)
    PetscCall(PetscSectionSetDof(*section, c, (PetscInt)(weight[c] * UNITS * (double)whole->cells / total + 0.5)));
  PetscCall(PetscSectionSetUp(*section));
  PetscCall(PetscFree(weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}
