/* batch.c - places -> batches of lanes: order, geometry and dofs gathered as [value][lane], kernels run on them. */
#include "kernel_impl.h"
#include <stdlib.h>

/* ---- order --------------------------------------------------------------------------------------------------------
 */

/* Counting sort by local facet, stable; one facet (0) for cells. */
static PetscErrorCode SortPlaces(RungBatches batches, const RungPlaces *places, PetscInt sides, PetscInt count[])
{
  PetscInt *next;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, sides + 1));
  for (PetscInt i = 0; i < places->count; ++i) ++count[1 + (places->facet[0] ? places->facet[0][i] : 0)];
  for (PetscInt f = 0; f < sides; ++f) count[f + 1] += count[f];
  PetscCall(PetscMalloc1(sides, &next));
  PetscCall(PetscArraycpy(next, count, sides));
  for (PetscInt i = 0; i < places->count; ++i) {
    batches->cell[next[places->facet[0] ? places->facet[0][i] : 0]++] = places->cell[0][i];
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CutBatches(RungBatches batches, PetscInt sides, const PetscInt count[])
{
  const PetscInt lanes = batches->lanes;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sides; ++f) batches->batches += (count[f + 1] - count[f] + lanes - 1) / lanes;
  PetscCall(PetscMalloc1(batches->batches + 1, &batches->first));
  PetscCall(PetscMalloc1(batches->batches, &batches->facet));
  for (PetscInt f = 0, b = 0; f < sides; ++f) {
    for (PetscInt i = count[f]; i < count[f + 1]; i += lanes, ++b) {
      batches->first[b] = i;
      batches->facet[b] = (int)f;
    }
  }
  batches->first[batches->batches] = batches->places;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 in the part, which is number `row` of a place */
static PetscErrorCode CreatePart(RungBatches batches, PetscInt row)
{
  const RungIntegral *integral = batches->plan->integral;
  const char         *part     = RungScopeString(batches->plan->scope, row - RUNG_CELL_SIZES);
  PetscInt           *facet;
  PetscBool          *in;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(batches->places, &facet, batches->places, &in));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    for (PetscInt i = batches->first[b]; i < batches->first[b + 1]; ++i) facet[i] = batches->facet[b];
  }
  PetscCall(RungPartMark(batches->plan->mesh, integral->domain, part, batches->places, batches->cell, facet, in));
  for (PetscInt i = 0; i < batches->places; ++i) batches->size[batches->sizes * i + row] = in[i] ? 1 : 0;
  PetscCall(PetscFree2(facet, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateParts(RungBatches batches)
{
  PetscBool *done;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(batches->sizes, &done));
  for (PetscInt k = 0; k < batches->n; ++k) {
    const RungTape *tape = &batches->kernel[k]->plan->integral->tape;

    for (PetscInt i = 0; i < tape->inputs; ++i) {
      const PetscInt row = tape->input[i].index;

      if (tape->input[i].kind != RUNG_IN_CELL || row < RUNG_CELL_SIZES || done[row]) continue;
      PetscCall(CreatePart(batches, row));
      done[row] = PETSC_TRUE;
    }
  }
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSizes(RungBatches batches)
{
  const RungMeshData *mesh  = batches->mesh;
  PetscBool           sizes = PETSC_FALSE;
  RungSizes           table;
  PetscReal           x[27 * 3];

  PetscFunctionBegin;
  batches->sizes = RUNG_CELL_SIZES;
  for (PetscInt k = 0; k < batches->n; ++k) {
    const RungPlan plan = batches->kernel[k]->plan;

    sizes = sizes || plan->sizes ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt i = 0; i < plan->integral->tape.inputs; ++i) {
      const RungInput *input = &plan->integral->tape.input[i];

      if (input->kind == RUNG_IN_CELL) batches->sizes = PetscMax(batches->sizes, input->index + 1);
    }
  }
  if (!sizes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(batches->sizes * batches->places, &batches->size));
  PetscCall(CreateParts(batches));
  PetscCall(RungSizesCreate(mesh->type, mesh->geometry_degree, batches->plan->facets, &table));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    for (PetscInt i = batches->first[b]; i < batches->first[b + 1]; ++i) {
      const PetscInt *node = mesh->cell_node + batches->cell[i] * mesh->nodes_per_cell;

      for (PetscInt k = 0; k < mesh->nodes_per_cell; ++k) {
        for (PetscInt a = 0; a < mesh->dim; ++a) x[k * mesh->dim + a] = mesh->x[node[k] * mesh->dim + a];
      }
      RungSizesRun(&table, batches->plan->facets ? batches->facet[b] : -1, x, batches->size + batches->sizes * i);
    }
  }
  PetscCall(RungSizesDestroy(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

static void FindAccess(RungBatches batches, const RungPlan plan)
{
  const RungIntegral *integral = plan->integral;

  for (PetscInt i = 0; i < integral->tape.inputs; ++i) {
    const RungInput *input = &integral->tape.input[i];

    if (input->kind == RUNG_IN_UNKNOWN) batches->read[input->k * plan->unknowns + input->index] = PETSC_TRUE;
    if (input->kind == RUNG_IN_FIELD) batches->read_field[input->index] = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < (integral->rank ? integral->rows : 0); ++i) {
    batches->write[integral->row[i].unknown] = PETSC_TRUE;
  }
}

static PetscErrorCode CreateAccess(RungBatches batches)
{
  const RungPlan plan = batches->plan;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(RUNG_LEVELS * plan->unknowns, &batches->read));
  PetscCall(PetscCalloc1(plan->fields + 1, &batches->read_field));
  PetscCall(PetscCalloc1(plan->unknowns, &batches->write));
  for (PetscInt i = 0; i < batches->n; ++i) FindAccess(batches, batches->kernel[i]->plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `count` numbers for each lane; every array starts on 64 bytes */
static double *Take(double **next, PetscInt count, PetscInt lanes)
{
  double *taken = *next;

  *next += (count * lanes + 7) / 8 * 8;
  return taken;
}

static PetscErrorCode CreateArrays(RungBatches batches)
{
  const RungPlan plan = batches->plan;
  const PetscInt nx = batches->mesh->nodes_per_cell * batches->mesh->dim, lanes = batches->lanes;
  PetscInt       levels = 0;
  size_t         n;
  double        *next;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_LEVELS * plan->unknowns; ++i) {
    if (batches->read[i]) levels = i / plan->unknowns + 1;
  }
  n = (size_t)(nx + levels * plan->dofs + plan->field_dofs + batches->sizes) + (size_t)plan->rows * (size_t)plan->cols;
  PetscCall(RungAlignedAlloc(n * (size_t)lanes + 5 * 8, &batches->memory));
  next                = batches->memory;
  batches->args.x     = Take(&next, nx, lanes);
  batches->args.u     = Take(&next, levels * plan->dofs, lanes);
  batches->args.field = Take(&next, plan->field_dofs, lanes);
  batches->args.cell  = Take(&next, batches->sizes, lanes);
  batches->args.out   = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindMaps(RungBatches batches, RungLayout layout, const RungLayout field[])
{
  const RungLayoutData *data;
  const RungSpaceData  *space;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(RungSpaceGetData(data->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &batches->mesh));
  batches->dof = data->cell_dof;
  PetscCall(PetscMalloc1(batches->plan->fields, &batches->field_dof));
  for (PetscInt f = 0; f < batches->plan->fields; ++f) {
    PetscCall(RungLayoutGetData(field[f], &data));
    batches->field_dof[f] = data->cell_dof;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBatchesCreate(PetscInt n, const RungKernel kernel[], RungLayout layout, const RungLayout field[],
                                 RungBatches *batches)
{
  const RungPlan        plan = kernel[0]->plan;
  const RungLayoutData *data;
  const RungSpaceData  *space;
  const RungPlaces     *places;
  RungBatches           b;
  PetscInt              count[8];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, batches));
  b        = *batches;
  b->n     = n;
  b->plan  = plan;
  b->lanes = kernel[0]->lanes;
  PetscCall(PetscMalloc1(n, &b->kernel));
  PetscCall(PetscArraycpy(b->kernel, kernel, n));
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(RungSpaceGetData(data->space[0], &space));
  PetscCall(RungMeshGetPlaces(space->mesh, plan->integral->domain, plan->integral->part, &places));
  PetscCall(FindMaps(b, layout, field));
  b->places = places->count;
  PetscCall(PetscMalloc1(places->count, &b->cell));
  PetscCall(SortPlaces(b, places, plan->sides, count));
  PetscCall(CutBatches(b, plan->sides, count));
  PetscCall(CreateSizes(b));
  PetscCall(CreateAccess(b));
  PetscCall(CreateArrays(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBatchesDestroy(RungBatches *batches)
{
  RungBatches b = *batches;

  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  free(b->memory);
  PetscCall(PetscFree(b->field_dof));
  PetscCall(PetscFree(b->cell));
  PetscCall(PetscFree(b->size));
  PetscCall(PetscFree(b->first));
  PetscCall(PetscFree(b->facet));
  PetscCall(PetscFree(b->kernel));
  PetscCall(PetscFree(b->read));
  PetscCall(PetscFree(b->read_field));
  PetscCall(PetscFree(b->write));
  PetscCall(PetscFree(*batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- gather -------------------------------------------------------------------------------------------------------
 */

/* to[i][lane] = from[map[i]] */
static void GatherDofs(PetscInt n, PetscInt lanes, const PetscInt map[], const PetscScalar from[], double to[])
{
  for (PetscInt i = 0; i < n; ++i) to[i * lanes] = from[map[i]];
}

static void GatherLane(RungBatches batches, PetscInt place, PetscInt l, const PetscScalar *const u[],
                       const PetscScalar *const field[])
{
  const RungPlan      plan = batches->plan;
  const RungMeshData *mesh = batches->mesh;
  const PetscInt      cell = batches->cell[place], lanes = batches->lanes;
  const PetscInt     *node = mesh->cell_node + cell * mesh->nodes_per_cell;
  double             *x    = (double *)batches->args.x + l, *to;

  for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
    for (PetscInt a = 0; a < mesh->dim; ++a) x[(i * mesh->dim + a) * lanes] = mesh->x[node[i] * mesh->dim + a];
  }
  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      const RungBasis *basis = &plan->basis[f];

      if (!batches->read[k * plan->unknowns + f]) continue;
      to = (double *)batches->args.u + (k * plan->dofs + basis->offset) * lanes + l;
      GatherDofs(basis->nodes * basis->components, lanes, batches->dof + cell * plan->dofs + basis->offset, u[k], to);
    }
  }
  for (PetscInt f = 0; f < plan->fields; ++f) {
    const RungBasis *basis = &plan->basis[plan->unknowns + f];
    const PetscInt   n     = basis->nodes * basis->components;

    if (batches->read_field[f]) {
      to = (double *)batches->args.field + basis->offset * lanes + l;
      GatherDofs(n, lanes, batches->field_dof[f] + cell * n, field[f], to);
    }
  }
  for (PetscInt i = 0; i < (batches->size ? batches->sizes : 0); ++i) {
    ((double *)batches->args.cell)[i * lanes + l] = batches->size[batches->sizes * place + i];
  }
}

PetscInt RungBatchRun(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[])
{
  const PetscInt first = batches->first[b], count = batches->first[b + 1] - first, lanes = batches->lanes;

  for (PetscInt l = 0; l < lanes; ++l) GatherLane(batches, first + PetscMin(l, count - 1), l, u, field);
  for (PetscInt i = 0; i < batches->plan->rows * batches->plan->cols * lanes; ++i) batches->args.out[i] = 0;
  batches->args.facet = &batches->facet[b];
  for (PetscInt i = 0; i < batches->n; ++i) batches->kernel[i]->run(batches->kernel[i], &batches->args);
  return count;
}
