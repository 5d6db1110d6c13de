/* batch.c - places -> batches of lanes: order, arrays, kernels run on them. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include <stdlib.h>

/* ---- sizes and parts ----------------------------------------------------------------------------------------------- */

/* 1 in the part, which is number `row` of a cell of a place */
static PetscErrorCode create_part(RungBatches batches, PetscInt row)
{
  const RungIntegral *integral = batches->plan->integral;
  const char         *part     = RungScopeString(batches->plan->scope, row - RUNG_CELL_SIZES);
  const PetscInt      cells    = batches->plan->cells;
  PetscInt           *facet;
  PetscBool          *in;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(batches->places, &facet, batches->places, &in));
  for (PetscInt c = 0; c < cells; ++c) {
    for (PetscInt b = 0; b < batches->batches; ++b) {
      for (PetscInt i = batches->first[b]; i < batches->first[b + 1]; ++i)
        facet[i] = batches->facet[2 * b + c] / batches->plan->turns;
    }
    PetscCall(RungPartMark(batches->plan->mesh, integral->domain, part, batches->places,
                           c ? batches->minus : batches->cell, facet, in));
    for (PetscInt i = 0; i < batches->places; ++i)
      batches->size[(batches->sizes * i + row) * cells + c] = in[i] ? 1 : 0;
  }
  PetscCall(PetscFree2(facet, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_parts(RungBatches batches)
{
  PetscBool *done;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(batches->sizes, &done));
  for (PetscInt k = 0; k < batches->n; ++k) {
    const RungTape *tape = &batches->kernel[k]->plan->integral->tape;

    for (PetscInt i = 0; i < tape->inputs; ++i) {
      const PetscInt row = tape->input[i].index;

      if (tape->input[i].kind != RUNG_IN_CELL || row < RUNG_CELL_SIZES || done[row]) continue;
      PetscCall(create_part(batches, row));
      done[row] = PETSC_TRUE;
    }
  }
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cell on a side of a place. */
static PetscInt cell_of(RungBatches batches, PetscInt place, PetscInt side)
{
  return side ? batches->minus[place] : batches->cell[place];
}

const PetscReal *RungBatchNode(RungBatches batches, PetscInt cell, PetscInt i)
{
  const RungMeshData *mesh = batches->mesh;

  return cell < mesh->cells ? mesh->x + mesh->cell_node[cell * mesh->nodes_per_cell + i] * mesh->dim
                            : batches->far + ((cell - mesh->cells) * mesh->nodes_per_cell + i) * mesh->dim;
}

static PetscErrorCode create_sizes(RungBatches batches)
{
  const RungMeshData *mesh  = batches->mesh;
  const RungPlan      plan  = batches->plan;
  const PetscBool     faces = plan->facets && plan->entity < 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscBool           sizes = PETSC_FALSE;
  RungSizes           table;
  PetscReal           x[27 * 3];
  double              size[RUNG_CELL_SIZES];

  PetscFunctionBegin;
  batches->sizes = RUNG_CELL_SIZES;
  for (PetscInt k = 0; k < batches->n; ++k) {
    const RungPlan one = batches->kernel[k]->plan;

    sizes = sizes || one->sizes ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt i = 0; i < one->integral->tape.inputs; ++i) {
      const RungInput *input = &one->integral->tape.input[i];

      if (input->kind == RUNG_IN_CELL) batches->sizes = PetscMax(batches->sizes, input->index + 1);
    }
  }
  if (!sizes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(batches->sizes * plan->cells * batches->places, &batches->size));
  PetscCall(create_parts(batches));
  PetscCall(RungSizesCreate(mesh->type, mesh->geometry_degree, faces, &table));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    for (PetscInt k = batches->first[b] * plan->cells; k < batches->first[b + 1] * plan->cells; ++k) {
      const PetscInt side = k % plan->cells, cell = cell_of(batches, k / plan->cells, side);

      for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
        for (PetscInt a = 0; a < mesh->dim; ++a) x[i * mesh->dim + a] = RungBatchNode(batches, cell, i)[a];
      }
      RungSizesRun(&table, faces ? batches->facet[2 * b + side] / plan->turns : -1, x, size);
      for (PetscInt i = 0; i < RUNG_CELL_SIZES; ++i)
        batches->size[(batches->sizes * (k / plan->cells) + i) * plan->cells + side] = size[i];
    }
  }
  PetscCall(RungSizesDestroy(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- shapes -------------------------------------------------------------------------------------------------------
 */

/* Where nothing reads places, batches of translates of one cell need that cell's geometry only once: boxes have it so. */
static PetscErrorCode create_shapes(RungBatches batches)
{
  const PetscInt *alike = batches->mesh->cell_like, *cell = batches->cell;
  PetscInt        like  = -1; /* a batch whose cells all are translates of its first */
  PetscInt        saved = 0;  /* batches that are like another                       */

  PetscFunctionBegin;
  if (!alike || batches->plan->cells > 1 || !batches->plan->affine) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < batches->n; ++k)
    if (batches->kernel[k]->plan->x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(batches->batches + 1, &batches->shape));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt first = batches->first[b];
    PetscBool      same  = PETSC_TRUE;

    for (PetscInt i = first + 1; same && i < batches->first[b + 1]; ++i)
      same = alike[cell[i]] == alike[cell[first]] ? PETSC_TRUE : PETSC_FALSE;
    batches->shape[b] = b;
    if (same && like >= 0 && alike[cell[first]] == alike[cell[batches->first[like]]])
      batches->shape[b] = like;
    else if (same)
      like = b;
    if (batches->shape[b] != b) ++saved;
  }
  /* Else all are looked at for the sake of a few. */
  if (2 * saved < batches->batches) PetscCall(PetscFree(batches->shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

static void find_access(RungBatches batches, const RungPlan plan)
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

static PetscErrorCode create_access(RungBatches batches)
{
  const RungPlan plan = batches->plan;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(RUNG_LEVELS * plan->unknowns, &batches->read));
  PetscCall(PetscCalloc1(plan->fields + 1, &batches->read_field));
  PetscCall(PetscCalloc1(plan->unknowns, &batches->write));
  for (PetscInt i = 0; i < batches->n; ++i) find_access(batches, batches->kernel[i]->plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `count` numbers for each lane; every array starts on 64 bytes */
static double *take_doubles(double **next, PetscInt count, PetscInt lanes)
{
  double *taken = *next;

  *next += (count * lanes + 7) / 8 * 8;
  return taken;
}

#define AHEAD        4     /* more of them, and the machine sees less of one step while it is at another      */
#define AHEAD_BYTES  16384 /* of all batches: half of the first cache                                         */
#define MATRIX_BYTES 8192  /* of matrices, which leave more of it to what they are added to                   */

/* Compiled kernels run one after the other when all of their batches are gathered: nothing waits for anything, and the
   choice of loops is made once.  Larger matrices take longer to insert than all that is before, and need the cache. */
static void look_ahead(RungBatches batches, PetscInt bytes)
{
  batches->ahead = PetscMax(1, batches->kernel[0]->ahead);
  batches->whole = batches->kernel[0]->whole;
  if (batches->kernel[0]->prepare || (batches->plan->cols > 1 && 2 * bytes > MATRIX_BYTES)) return;
  batches->ahead = PetscMin(AHEAD, PetscMax(1, (batches->plan->cols > 1 ? MATRIX_BYTES : AHEAD_BYTES) / bytes));
  batches->whole = PETSC_TRUE;
}

/* What is gathered together is of one phase; more of them wait than have to. */
static void align_phases(RungBatches batches)
{
  const PetscInt n = batches->ahead;

  batches->phase[1] = batches->phase[1] / n * n;
  batches->phase[2] = PetscMin(batches->batches, (batches->phase[2] + n - 1) / n * n);
}

static PetscErrorCode create_arrays(RungBatches batches)
{
  const RungPlan plan   = batches->plan;
  const PetscInt nx     = plan->cells * batches->mesh->nodes_per_cell * batches->mesh->dim,
                 sizes  = batches->sizes * plan->cells;
  const PetscInt lanes  = batches->lanes;
  PetscInt       levels = 0;
  size_t         n, out;
  double        *next;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_LEVELS * plan->unknowns; ++i) {
    if (batches->read[i]) levels = i / plan->unknowns + 1;
  }
  out = ((size_t)plan->rows * (size_t)plan->cols * (size_t)lanes + 7) / 8 * 8;
  n   = (size_t)(nx + levels * plan->dofs + plan->field_dofs + sizes) * (size_t)lanes + 4 * 8;
  n   = (n + 7) / 8 * 8;
  look_ahead(batches, (PetscInt)((n + out) * sizeof(double)));
  align_phases(batches);
  PetscCall(RungAlignedAlloc((size_t)batches->ahead * (n + out), &batches->memory));
  PetscCall(PetscCalloc1(batches->ahead, &batches->next));
  PetscCall(PetscMalloc1(batches->ahead, &batches->held));
  next = batches->memory + (batches->whole ? (size_t)batches->ahead : 1) * out;
  for (PetscInt k = 0; k < batches->ahead; ++k) {
    RungKernelArgs *args = &batches->next[k];

    batches->held[k] = -1;
    args->x          = take_doubles(&next, nx, lanes);
    args->u          = take_doubles(&next, levels * plan->dofs, lanes);
    args->field      = take_doubles(&next, plan->field_dofs, lanes);
    args->cell       = take_doubles(&next, sizes, lanes);
    args->out        = batches->memory + (batches->whole ? (size_t)k * out : 0);
  }
  batches->in_size  = batches->ahead > 1 ? (size_t)(batches->next[1].x - batches->next[0].x) : n;
  batches->out_size = out;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Clearing here and there takes longer than clearing all when there is too much of it. */
static PetscBool is_scattered(PetscInt n, const RungWritten written[])
{
  PetscInt set = 0, runs = 0;

  for (PetscInt e = 0; e < n; ++e) {
    if (written[e] == RUNG_WRITTEN_SET)
      ++set;
    else if (!e || written[e - 1] == RUNG_WRITTEN_SET)
      ++runs;
  }
  return 2 * runs > set ? PETSC_TRUE : PETSC_FALSE;
}

/* Kernels that can set `out` do so where they are the first. */
static PetscErrorCode claim_out(RungBatches batches)
{
  const PetscInt         n       = batches->plan->rows * batches->plan->cols;
  RUNG_FREE RungWritten *written = NULL;

  PetscFunctionBegin;
  batches->cleared = batches->kernel[0]->claim ? PETSC_TRUE : PETSC_FALSE; /* all are of one back end */
  if (!batches->cleared) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(n, &written));
  for (PetscInt i = 0; i < batches->n; ++i) batches->kernel[i]->claim(batches->kernel[i], written);
  if (is_scattered(n, written)) {
    for (PetscInt e = 0; e < n; ++e) written[e] = RUNG_WRITTEN_ADDED;
    for (PetscInt i = 0; i < batches->n; ++i) batches->kernel[i]->claim(batches->kernel[i], written);
  }
  PetscCall(batches->kernel[0]->clear(batches->kernel[0], written));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_maps(RungBatches batches, RungLayout layout, const RungLayout field[])
{
  const RungSpaceData *space;
  PetscInt             far;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &batches->layout));
  PetscCall(RungSpaceGetData(batches->layout->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &batches->mesh));
  if (batches->plan->cells > 1) PetscCall(RungMeshGetFarCells(space->mesh, &far, &batches->far));
  PetscCall(PetscMalloc1(batches->plan->fields, &batches->field));
  for (PetscInt f = 0; f < batches->plan->fields; ++f) PetscCall(RungLayoutGetData(field[f], &batches->field[f]));
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

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, batches));
  b        = *batches;
  b->n     = n;
  b->plan  = plan;
  b->lanes = kernel[0]->lanes;
  PetscCall(PetscMalloc1(n, &b->kernel));
  PetscCall(PetscArraycpy(b->kernel, kernel, n));
  RungGatherChoose(plan->isa, b);
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(RungSpaceGetData(data->space[0], &space));
  PetscCall(RungMeshGetPlaces(space->mesh, plan->integral->domain, plan->integral->part, &places));
  PetscCall(find_maps(b, layout, field));
  PetscCall(PetscMalloc1(b->lanes, &b->padded));
  PetscCall(RungBatchesOrder(b, places));
  PetscCall(create_sizes(b));
  PetscCall(create_shapes(b));
  PetscCall(create_access(b));
  PetscCall(create_arrays(b));
  PetscCall(claim_out(b));
  PetscCall(RungTransfersCreate(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBatchesDestroy(RungBatches *batches)
{
  RungBatches b = *batches;

  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  free(b->memory);
  PetscCall(RungTransfersDestroy(b));
  PetscCall(PetscFree(b->next));
  PetscCall(PetscFree(b->held));
  PetscCall(PetscFree(b->field));
  PetscCall(PetscFree(b->cell));
  PetscCall(PetscFree(b->padded));
  PetscCall(PetscFree(b->minus));
  PetscCall(PetscFree(b->number));
  PetscCall(PetscFree(b->size));
  PetscCall(PetscFree(b->first));
  PetscCall(PetscFree(b->facet));
  PetscCall(PetscFree(b->shape));
  PetscCall(PetscFree(b->kernel));
  PetscCall(PetscFree(b->read));
  PetscCall(PetscFree(b->read_field));
  PetscCall(PetscFree(b->write));
  PetscCall(PetscFree(*batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- run ----------------------------------------------------------------------------------------------------------
 */

/* What RungFormAssemble.. has set; arrays are the batch's own.  Number by number: a copy of the whole would wait for those
   that were stored a moment ago. */
static void set_arguments(RungBatches batches, PetscInt b, RungKernelArgs *args)
{
  args->t        = batches->args.t;
  args->constant = batches->args.constant;
  args->sigma    = batches->args.sigma;
  args->table    = batches->args.table;
  args->facet    = &batches->facet[2 * b];
}

/* The arrays of what was run last. */
static void take_arrays(RungBatches batches, const RungKernelArgs *from)
{
  RungKernelArgs *args = &batches->args;

  args->x     = from->x;
  args->u     = from->u;
  args->field = from->field;
  args->cell  = from->cell;
  args->facet = from->facet;
  args->out   = from->out;
}

/* Batches from b on are gathered, and shown to kernels that look ahead. */
static void prepare_batches(RungBatches batches, PetscInt b, const PetscScalar *const u[],
                            const PetscScalar *const field[])
{
  const PetscInt n    = PetscMin(batches->ahead, batches->batches - b);
  double        *last = batches->next[n - 1].out + batches->plan->rows * batches->plan->cols * batches->lanes;

  if (batches->whole && !batches->cleared) batches->clear((size_t)(last - batches->next[0].out), batches->next[0].out);
  for (PetscInt k = 0; k < n; ++k) set_arguments(batches, b + k, &batches->next[k]);
  batches->gather(batches, b, n, u, field);
  for (PetscInt i = 0; i < batches->n; ++i) {
    RungKernel kernel = batches->kernel[i];

    if (kernel->prepare) kernel->prepare(kernel, n, batches->next);
    for (PetscInt k = 0; batches->whole && !kernel->whole && k < n; ++k) kernel->run(kernel, &batches->next[k]);
  }
}

PetscInt RungBatchRun(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[])
{
  const PetscInt lanes = batches->lanes, k = RungBatchSlot(batches, b);

  if (!k) prepare_batches(batches, b, u, field);
  take_arrays(batches, &batches->next[k]);
  if (batches->whole) return batches->first[b + 1] - batches->first[b];
  if (!batches->cleared)
    batches->clear((size_t)batches->plan->rows * (size_t)batches->plan->cols * (size_t)lanes, batches->args.out);
  for (PetscInt i = 0; i < batches->n; ++i) batches->kernel[i]->run(batches->kernel[i], &batches->next[k]);
  return batches->first[b + 1] - batches->first[b];
}

PetscInt RungBatchesRun(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[])
{
  (void)RungBatchRun(batches, b, u, field);
  return RungBatchesTogether(batches, b);
}

PetscInt RungBatchesTogether(RungBatches batches, PetscInt b)
{
  return batches->whole ? PetscMin(batches->ahead - RungBatchSlot(batches, b), batches->batches - b) : 1;
}
