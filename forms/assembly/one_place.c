/* one_place.c - what a kernel reads of one place alone, in all lanes of the interpreter.

   The arrays of a batch are not for the interpreter, whose lanes are always RUNG_BATCH: batches of compiled kernels have as many
   as a vector of the machine.  And they hold only what the kernels of the batch read; here is all that an expression may. */
#include "kernel_impl.h"

#define LANES RUNG_BATCH

/* Cell s of the place. */
static PetscInt cell_of(const RungOnePlace *place, PetscInt s)
{
  const RungBatches batches = place->batches;

  return (s ? batches->minus : batches->cell)[batches->first[place->b] + place->lane];
}

static void spread_value(double value, double to[])
{
  for (PetscInt l = 0; l < LANES; ++l) to[l] = value;
}

static void put_geometry(const RungOnePlace *place, double x[])
{
  const RungMeshData *mesh = place->batches->mesh;

  for (PetscInt s = 0; s < place->batches->plan->cells; ++s) {
    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
      for (PetscInt a = 0; a < mesh->dim; ++a, x += LANES)
        spread_value(RungBatchNode(place->batches, cell_of(place, s), i)[a], x);
    }
  }
}

static void put_dofs(const RungOnePlace *place, RungPlan plan, double u[], double field[])
{
  const RungBatches batches = place->batches;

  for (PetscInt s = 0; s < plan->cells; ++s) {
    for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
      const PetscInt *dof = RungCellDofs(batches->layout, cell_of(place, s));
      double         *to  = u + (k * plan->dofs + RungPlanCellOffset(plan, PETSC_FALSE, s)) * LANES;

      for (PetscInt i = 0; place->u[k] && i < batches->layout->cell_dofs; ++i)
        spread_value(place->u[k][dof[i]], to + i * LANES);
    }
    for (PetscInt f = 0; f < batches->plan->fields; ++f) {
      const RungLayoutData *layout = batches->field[f];
      const PetscInt       *dof    = RungCellDofs(layout, cell_of(place, s));
      const PetscInt        offset = plan->basis[plan->unknowns + f].offset + RungPlanCellOffset(plan, PETSC_TRUE, s);

      for (PetscInt i = 0; i < layout->cell_dofs; ++i)
        spread_value(place->field[f][dof[i]], field + (offset + i) * LANES);
    }
  }
}

/* Sizes of the cells; then what parts they are in, of those that the batch knows. */
static PetscErrorCode put_sizes(const RungOnePlace *place, RungPlan plan, PetscInt rows, double cell[])
{
  const RungBatches   batches = place->batches;
  const RungMeshData *mesh    = batches->mesh;
  const PetscBool     faces   = plan->facets && plan->entity < 0 ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt      known   = batches->size ? PetscMin(rows, batches->sizes) : 0;
  RungSizes           table;

  PetscFunctionBegin;
  PetscCall(RungSizesCreate(mesh->type, mesh->geometry_degree, faces, &table));
  for (PetscInt s = 0; s < plan->cells; ++s) {
    PetscReal x[27 * 3];
    double    size[RUNG_CELL_SIZES];

    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i)
      for (PetscInt a = 0; a < mesh->dim; ++a) x[i * mesh->dim + a] = RungBatchNode(batches, cell_of(place, s), i)[a];
    RungSizesRun(&table, faces ? batches->facet[2 * place->b + s] / plan->turns : -1, x, size);
    for (PetscInt i = 0; i < PetscMin(rows, RUNG_CELL_SIZES); ++i)
      spread_value(size[i], cell + (i * plan->cells + s) * LANES);
    for (PetscInt i = RUNG_CELL_SIZES; i < known; ++i) {
      const PetscInt at = batches->first[place->b] + place->lane;

      spread_value(batches->size[(batches->sizes * at + i) * plan->cells + s], cell + (i * plan->cells + s) * LANES);
    }
  }
  PetscCall(RungSizesDestroy(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOnePlaceGather(const RungOnePlace *place, RungPlan plan, RungKernelArgs *args, double **memory)
{
  const RungTape     *tape = &plan->integral->tape;
  const RungMeshData *mesh = place->batches->mesh;
  const PetscInt      nx = plan->cells * mesh->nodes_per_cell * mesh->dim, nu = RUNG_LEVELS * plan->dofs;
  PetscInt            rows = 0;
  double             *x, *u, *field, *cell;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < tape->inputs; ++i)
    if (tape->input[i].kind == RUNG_IN_CELL) rows = PetscMax(rows, tape->input[i].index + 1);
  PetscCall(RungAlignedAlloc((size_t)((nx + nu + plan->field_dofs + plan->cells * rows) * LANES), memory));
  x     = *memory;
  u     = x + nx * LANES;
  field = u + nu * LANES;
  cell  = field + plan->field_dofs * LANES;
  put_geometry(place, x);
  put_dofs(place, plan, u, field);
  if (rows) PetscCall(put_sizes(place, plan, rows, cell));
  *args       = place->batches->args;
  args->x     = x;
  args->u     = u;
  args->field = field;
  args->cell  = cell;
  args->facet = &place->batches->facet[2 * place->b];
  args->out   = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
