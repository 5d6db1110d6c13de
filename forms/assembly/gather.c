/* gather.c - what a batch reads, as [value][lane], and what it has computed added to an array of dofs.

   The dofs of a node follow each other, so one place is looked up for all components of a node.  Counts that are common
   are constants of functions of their own: these loops take longer than the kernels of small elements do.  Compiled once
   for each instruction set, as the interpreter is (isa.c). */
#ifndef RUNG_ISA
  #define RUNG_PACK 2 /* the plain copy serves any number of lanes */
#endif
#include "lanes_impl.h"

/* ---- geometry -----------------------------------------------------------------------------------------------------
 */

/* x[node][axis][lane] of cells of this rank, as many as a vector has lanes */
RUNG_INLINE void gather_places(const RungMeshData *mesh, ptrdiff_t nodes, ptrdiff_t dim, ptrdiff_t lanes,
                               const PetscInt cell[], double x[])
{
  const double *at[RUNG_PACK];

  for (ptrdiff_t i = 0; i < nodes; ++i) {
    for (int l = 0; l < RUNG_PACK; ++l) at[l] = mesh->x + (ptrdiff_t)mesh->cell_node[cell[l] * nodes + i] * dim;
    gather_lanes((Lanes){.at = at}, dim, lanes, x + i * dim * lanes);
  }
}

/* Cells of pairs may be far: their places lie one cell after the other. */
static void gather_near(RungBatches batches, const PetscInt cell[], double x[])
{
  const RungMeshData *mesh  = batches->mesh;
  const PetscInt      nodes = mesh->nodes_per_cell, dim = mesh->dim;

  for (PetscInt i = 0; i < nodes; ++i) {
    const double *at[RUNG_PACK];

    for (int l = 0; l < RUNG_PACK; ++l)
      at[l] = cell[l] < mesh->cells ? mesh->x + mesh->cell_node[cell[l] * nodes + i] * dim
                                    : batches->far + ((cell[l] - mesh->cells) * nodes + i) * dim;
    gather_lanes((Lanes){.at = at}, dim, batches->lanes, x + i * dim * batches->lanes);
  }
}

static void gather_geometry(RungBatches batches, const PetscInt cell[], double x[])
{
  const RungMeshData *mesh  = batches->mesh;
  const PetscInt      nodes = mesh->nodes_per_cell, dim = mesh->dim, lanes = batches->lanes;

  for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
    if (batches->plan->cells > 1)
      gather_near(batches, cell + l, x + l);
    else if (nodes == 4 && dim == 3)
      gather_places(mesh, 4, 3, lanes, cell + l, x + l);
    else if (nodes == 8 && dim == 3)
      gather_places(mesh, 8, 3, lanes, cell + l, x + l);
    else if (nodes == 3 && dim == 2)
      gather_places(mesh, 3, 2, lanes, cell + l, x + l);
    else if (nodes == 4 && dim == 2)
      gather_places(mesh, 4, 2, lanes, cell + l, x + l);
    else
      gather_places(mesh, nodes, dim, lanes, cell + l, x + l);
  }
}

/* ---- dofs ---------------------------------------------------------------------------------------------------------
 */

/* to[i][lane] = from[map[lane][i]] */
RUNG_INLINE void gather_nodes(ptrdiff_t nodes, ptrdiff_t components, ptrdiff_t lanes, const PetscInt *const map[],
                              const PetscScalar from[], double to[])
{
  for (ptrdiff_t i = 0; i < nodes; ++i) {
    const double *at[RUNG_PACK];

    for (int l = 0; l < RUNG_PACK; ++l) at[l] = from + map[l][i * components];
    gather_lanes((Lanes){.at = at}, components, lanes, to + i * components * lanes);
  }
}

static void gather_function(const RungLayoutData *layout, const RungBasis *basis, PetscInt offset, PetscInt lanes,
                            const PetscInt cell[], const PetscScalar from[], double to[])
{
  const PetscInt  nodes = basis->nodes, components = basis->components;
  const PetscInt *map[RUNG_PACK];

  for (PetscInt l = 0; l < lanes; l += RUNG_PACK) {
    for (int k = 0; k < RUNG_PACK; ++k) map[k] = RungCellDofs(layout, cell[l + k]) + offset;
    if (components == 1 && nodes == 4)
      gather_nodes(4, 1, lanes, map, from, to + l);
    else if (components == 1 && nodes == 3)
      gather_nodes(3, 1, lanes, map, from, to + l);
    else if (components == 1)
      gather_nodes(nodes, 1, lanes, map, from, to + l);
    else if (components == 2)
      gather_nodes(nodes, 2, lanes, map, from, to + l);
    else if (components == 3)
      gather_nodes(nodes, 3, lanes, map, from, to + l);
    else
      gather_nodes(nodes, components, lanes, map, from, to + l);
  }
}

/* Unknowns and fields of the cells on one side of the places. */
static void gather_side(RungBatches batches, const PetscInt cell[], PetscInt side, const PetscScalar *const u[],
                        const PetscScalar *const field[], const RungKernelArgs *args)
{
  const RungPlan plan  = batches->plan;
  const PetscInt lanes = batches->lanes, dof = RungPlanCellOffset(plan, PETSC_FALSE, side),
                 field_dof = RungPlanCellOffset(plan, PETSC_TRUE, side);

  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      const RungBasis *basis = &plan->basis[f];

      if (batches->read[k * plan->unknowns + f])
        gather_function(batches->layout, basis, basis->offset, lanes, cell, u[k],
                        (double *)args->u + (k * plan->dofs + basis->offset + dof) * lanes);
    }
  }
  for (PetscInt f = 0; f < plan->fields; ++f) {
    const RungBasis *basis = &plan->basis[plan->unknowns + f];

    if (batches->read_field[f])
      gather_function(batches->field[f], basis, 0, lanes, cell, field[f],
                      (double *)args->field + (basis->offset + field_dof) * lanes);
  }
}

/* ---- regular batches ----------------------------------------------------------------------------------------------
 */

/* Some regular batches, each in its slot. */
typedef struct {
  RungBatches     batches;
  const PetscInt *cell;     /* the first one's first cell; their cells follow each other  */
  PetscInt        b, n;     /* the first one's number; how many                           */
  double         *slot;     /* x of the first one, or its out                         */
  size_t          distance; /* of the next one's                                      */
} Run;

/* Nodes of as many cells as a vector has lanes, from one end of a transfer. */
RUNG_INLINE void gather_rows(const PetscInt row[], ptrdiff_t nodes, ptrdiff_t components, ptrdiff_t lanes,
                             const double from[], double to[])
{
  for (ptrdiff_t i = 0; i < nodes; ++i)
    gather_lanes((Lanes){.from = from, .index = row + i, .distance = nodes, .scale = components}, components, lanes,
                 to + i * components * lanes);
}

/* What the loops need is at hand: vectors that are stored may lie anywhere, so that all else would be read again. */
RUNG_INLINE void gather_transfer(const Run *run, const RungTransfer *transfer, ptrdiff_t nodes, ptrdiff_t components,
                                 ptrdiff_t lanes, const double *const from[])
{
  const PetscInt *map = transfer->map, *cell = run->cell, n = run->n, ends = transfer->ends;
  const size_t    distance = run->distance;
  double         *slot     = run->slot;

  for (PetscInt k = 0; k < n; ++k, cell += lanes, slot += distance)
    for (ptrdiff_t l = 0; l < lanes; l += RUNG_PACK)
      for (PetscInt e = 0; e < ends; ++e)
        gather_rows(map + ((ptrdiff_t)*cell + l) * nodes, nodes, components, lanes, from[e],
                    slot + transfer->end[e].at + l);
}

/* Nodes and components of common cells: constants of loops of their own. */
#define COMMON(DO)                                                                                                     \
  DO(3, 1)                                                                                                             \
  DO(3, 2)                                                                                                             \
  DO(4, 1)                                                                                                             \
  DO(4, 2) DO(4, 3) DO(6, 1) DO(6, 2) DO(8, 1) DO(8, 3) DO(9, 1) DO(9, 2) DO(10, 1) DO(10, 3) DO(27, 1) DO(27, 3)
#define KEY(nodes, components) ((nodes)*8 + (components))

#define GATHER(N, C)                                                                                                   \
  case KEY(N, C): gather_transfer(run, transfer, N, C, RUNG_PACK, from); return;

static void gather_one(const Run *run, const RungTransfer *transfer, const double *const from[])
{
  const PetscInt lanes = run->batches->lanes, nodes = transfer->nodes, components = transfer->components;

  if (lanes == RUNG_PACK && components < 8) {
    switch (KEY(nodes, components)) {
      COMMON(GATHER)
    default: break;
    }
  }
  if (lanes == RUNG_PACK && components == 1)
    gather_transfer(run, transfer, nodes, 1, RUNG_PACK, from);
  else if (lanes == RUNG_PACK && components == 2)
    gather_transfer(run, transfer, nodes, 2, RUNG_PACK, from);
  else if (lanes == RUNG_PACK && components == 3)
    gather_transfer(run, transfer, nodes, 3, RUNG_PACK, from);
  else if (components == 1)
    gather_transfer(run, transfer, nodes, 1, lanes, from);
  else if (components == 2)
    gather_transfer(run, transfer, nodes, 2, lanes, from);
  else if (components == 3)
    gather_transfer(run, transfer, nodes, 3, lanes, from);
  else
    gather_transfer(run, transfer, nodes, components, lanes, from);
}

/* The geometry of translates is that of the first of them, whatever has been in the slot before: results do not depend on
   history. */
static PetscBool needs_geometry(RungBatches batches, PetscInt b, const RungKernelArgs *args)
{
  PetscInt *held = &batches->held[args - batches->next];

  if (batches->shape && batches->shape[b] == *held) return PETSC_FALSE;
  *held = batches->shape ? batches->shape[b] : -1;
  return PETSC_TRUE;
}

/* Cells of side s of a batch; lanes behind the last place are that place again. */
static const PetscInt *cells_of(RungBatches batches, PetscInt b, PetscInt s)
{
  const PetscInt  first = batches->first[b], last = batches->first[b + 1] - 1;
  const PetscInt *cell = (s ? batches->minus : batches->cell) + first;

  if (last - first + 1 >= batches->lanes) return cell;
  for (PetscInt l = 0; l < batches->lanes; ++l) batches->padded[l] = cell[PetscMin(l, last - first)];
  return batches->padded;
}

/* The geometry of a batch that may have it from another, or has it already. */
static void gather_shape(RungBatches batches, PetscInt b, const RungKernelArgs *args)
{
  const PetscInt nx = batches->mesh->nodes_per_cell * batches->mesh->dim, like = batches->shape ? batches->shape[b] : b;

  if (!needs_geometry(batches, b, args)) return;
  for (PetscInt s = 0; s < batches->plan->cells; ++s)
    gather_geometry(batches, cells_of(batches, like, s), (double *)args->x + s * nx * batches->lanes);
}

/* The array of an end, from its node 0 on. */
RUNG_INLINE const double *source_of(RungBatches batches, const RungTransferEnd *end, const PetscScalar *const u[],
                                    const PetscScalar *const field[])
{
  const PetscInt source = end->source;

  return (source < 0 ? batches->mesh->x : source < RUNG_LEVELS ? u[source] : field[source - RUNG_LEVELS]) + end->first;
}

static void gather_run(const Run *run, const PetscScalar *const u[], const PetscScalar *const field[])
{
  const RungBatches batches = run->batches;

  for (PetscInt i = 0; i < batches->gathers.n; ++i) {
    const RungTransfer *transfer = &batches->gathers.transfer[i];
    const double       *from[RUNG_TRANSFER_ENDS];

    if (transfer->geometry && batches->shape) {
      for (PetscInt k = 0; k < run->n; ++k)
        gather_shape(batches, run->b + k, &batches->next[RungBatchSlot(batches, run->b + k)]);
      continue;
    }

    for (PetscInt e = 0; e < transfer->ends; ++e) from[e] = source_of(batches, &transfer->end[e], u, field);
    if (!transfer->runs) gather_one(run, transfer, from);
    for (PetscInt k = 0; k < run->n && transfer->runs; ++k)
      RungRunsGather(batches, run->b + k, transfer, from, run->slot + (size_t)k * run->distance);
  }
}

/* Sizes of cells and what parts these are in. */
static void gather_sizes(RungBatches batches, PetscInt b, const RungKernelArgs *args)
{
  const PetscInt first = batches->first[b], last = batches->first[b + 1] - 1, lanes = batches->lanes;
  const PetscInt sizes = batches->sizes * batches->plan->cells;

  for (PetscInt i = 0; i < sizes; ++i)
    for (PetscInt l = 0; l < lanes; ++l)
      ((double *)args->cell)[i * lanes + l] = batches->size[PetscMin(first + l, last) * sizes + i];
}

static void gather_any(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[],
                       const RungKernelArgs *args)
{
  gather_shape(batches, b, args);
  for (PetscInt s = 0; s < batches->plan->cells; ++s) gather_side(batches, cells_of(batches, b, s), s, u, field, args);
}

/* Batches b, b + 1, .., of n that are regular and begin with b, as a run. */
static Run run_of(RungBatches batches, PetscInt b, PetscInt n, const double *slot, size_t distance)
{
  Run run = {batches, batches->cell + batches->first[b], b, 0, (double *)slot, distance};

  while (run.n < n && batches->regular[b + run.n]) ++run.n;
  return run;
}

#define LINE      64 /* bytes of the cache */
#define TO_SECOND 2  /* level of the cache: there is room for all of a batch, and fetching waits for nothing */

/* A function that only fetches is left out by the compiler, calls and all. */
#define KEEP __asm__ volatile("")

/* Lists of lines, and the maps. */
static void fetch_lines(RungBatches batches, const RungTransfer *transfer, PetscInt b, PetscInt end,
                        const PetscScalar *const u[], const PetscScalar *const field[])
{
  const RungLines *lines = transfer->lines;

  KEEP;
  for (PetscInt k = b; k < end && batches->regular[k] && !transfer->runs; ++k) {
    const char *map  = (const char *)(transfer->map + batches->cell[batches->first[k]] * transfer->nodes);
    const char *stop = map + sizeof(PetscInt) * (size_t)(batches->lanes * transfer->nodes);

    for (; map < stop; map += LINE) __builtin_prefetch(map, 0, TO_SECOND);
  }
  for (PetscInt e = 0; e < transfer->ends; ++e) {
    const char *from = (const char *)source_of(batches, &transfer->end[e], u, field);

    for (PetscInt k = lines->first[b]; k < lines->first[end]; ++k)
      __builtin_prefetch(from + (ptrdiff_t)lines->line[k] * LINE, 0, TO_SECOND);
  }
}

/* What batches b .. end - 1 are the first to touch of an array; not where a phase begins. */
static void fetch_new(const RungTransfer *transfer, PetscInt b, PetscInt end, const double array[])
{
  const ptrdiff_t components = transfer->components, newest = transfer->newest[end];

  KEEP;
  if (newest - transfer->newest[b] > (ptrdiff_t)(end - b) * RUNG_BATCH * transfer->nodes) return;
  for (ptrdiff_t k = transfer->newest[b] * components; k < newest * components; k += LINE / (ptrdiff_t)sizeof(double))
    __builtin_prefetch(array + k);
}

static void fetch_map(const RungTransfer *transfer, PetscInt cell, PetscInt cells)
{
  const char *line = (const char *)(transfer->map + (ptrdiff_t)cell * transfer->nodes),
             *end  = (const char *)(transfer->map + (ptrdiff_t)(cell + cells) * transfer->nodes);

  KEEP;
  for (; line < end; line += LINE) __builtin_prefetch(line);
}

/* Begins to fetch what batches b .. b + n - 1, or as many as there are, read and no batch a moment ago did. */
static void fetch(RungBatches batches, PetscInt b, PetscInt n, const PetscScalar *const u[],
                  const PetscScalar *const field[])
{
  const PetscInt  end     = PetscMin(b + n, batches->batches);
  const PetscBool regular = b < end && batches->regular[b] && batches->regular[end - 1] ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt i = 0; i < batches->gathers.n && b < end; ++i) {
    const RungTransfer *transfer = &batches->gathers.transfer[i];

    if (transfer->lines) fetch_lines(batches, transfer, b, end, u, field);
    if (transfer->lines || !transfer->newest || !regular || (transfer->geometry && batches->shape)) continue;
    fetch_map(transfer, batches->cell[batches->first[b]], (end - b) * batches->lanes);
    for (PetscInt e = 0; e < transfer->ends; ++e)
      fetch_new(transfer, b, end, source_of(batches, &transfer->end[e], u, field));
  }
}

void RungGatherRun(RungBatches batches, PetscInt b, PetscInt n, const PetscScalar *const u[],
                   const PetscScalar *const field[])
{
  const RungKernelArgs *args = &batches->next[RungBatchSlot(batches, b)];

  for (PetscInt k = 0; k < n;) {
    const Run run = run_of(batches, b + k, n - k, args[k].x, batches->in_size);

    if (run.n)
      gather_run(&run, u, field);
    else
      gather_any(batches, b + k, u, field, &args[k]);
    k += PetscMax(1, run.n);
  }
  for (PetscInt k = 0; k < n && batches->size; ++k) gather_sizes(batches, b + k, &args[k]);
  if (batches->plan->cols == 1) fetch(batches, b + n, n, u, field);
}

/* ---- back ---------------------------------------------------------------------------------------------------------
 */

/* to[map[i]] += from[i][lane] */
RUNG_INLINE void scatter_nodes(ptrdiff_t nodes, ptrdiff_t components, ptrdiff_t lanes, const PetscInt map[],
                               const double from[], PetscScalar to[])
{
  for (ptrdiff_t i = 0; i < nodes; ++i)
    scatter_lane(to + map[i * components], components, lanes, from + i * components * lanes);
}

RUNG_INLINE void scatter_dofs(const RungLayoutData *layout, PetscInt offset, PetscInt nodes, PetscInt components,
                              PetscInt lanes, PetscInt count, const PetscInt cell[], const double from[],
                              PetscScalar to[])
{
  for (PetscInt l = 0; l < count; ++l)
    scatter_nodes(nodes, components, lanes, RungCellDofs(layout, cell[l]) + offset, from + l, to);
}

static void scatter_function(const RungLayoutData *layout, const RungBasis *basis, PetscInt lanes, PetscInt count,
                             const PetscInt cell[], const double from[], PetscScalar to[])
{
  const PetscInt nodes = basis->nodes, components = basis->components, offset = basis->offset;

  if (lanes == RUNG_PACK && components == 1 && nodes == 4)
    scatter_dofs(layout, offset, 4, 1, RUNG_PACK, count, cell, from, to);
  else if (lanes == RUNG_PACK && components == 1 && nodes == 3)
    scatter_dofs(layout, offset, 3, 1, RUNG_PACK, count, cell, from, to);
  else if (lanes == RUNG_PACK && components == 1)
    scatter_dofs(layout, offset, nodes, 1, RUNG_PACK, count, cell, from, to);
  else if (lanes == RUNG_PACK && components == 2)
    scatter_dofs(layout, offset, nodes, 2, RUNG_PACK, count, cell, from, to);
  else if (lanes == RUNG_PACK && components == 3)
    scatter_dofs(layout, offset, nodes, 3, RUNG_PACK, count, cell, from, to);
  else
    scatter_dofs(layout, offset, nodes, components, lanes, count, cell, from, to);
}

static void scatter_any(RungBatches batches, PetscInt b, const double result[], PetscScalar local[])
{
  const RungPlan plan  = batches->plan;
  const PetscInt count = batches->first[b + 1] - batches->first[b], lanes = batches->lanes;

  for (PetscInt s = 0; s < plan->cells; ++s) {
    const PetscInt *cell = (s ? batches->minus : batches->cell) + batches->first[b];
    const double   *out  = result + RungPlanCellOffset(plan, PETSC_FALSE, s) * lanes;

    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      if (batches->write[f])
        scatter_function(batches->layout, &plan->basis[f], lanes, count, cell, out + plan->basis[f].offset * lanes,
                         local);
    }
  }
}

/* Cell after cell, so that sums do not depend on the number of lanes. */
RUNG_INLINE void scatter_transfer(const Run *run, const RungTransfer *transfer, ptrdiff_t nodes, ptrdiff_t components,
                                  ptrdiff_t lanes, ptrdiff_t ends, PetscScalar to[])
{
  double *base[RUNG_TRANSFER_ENDS];

  for (ptrdiff_t e = 0; e < ends; ++e) base[e] = to + transfer->end[e].first;
  for (PetscInt k = 0; k < run->n; ++k) {
    const PetscInt *row  = transfer->map + (ptrdiff_t)run->cell[k * lanes] * nodes;
    const double   *slot = run->slot + (size_t)k * run->distance, *from[RUNG_TRANSFER_ENDS];

    for (ptrdiff_t e = 0; e < ends; ++e) from[e] = slot + transfer->end[e].at;
    for (ptrdiff_t l = 0; l < lanes; ++l, row += nodes)
#pragma GCC unroll 9
      for (ptrdiff_t i = 0; i < nodes; ++i)
        for (ptrdiff_t e = 0; e < ends; ++e)
          scatter_lane(base[e] + (ptrdiff_t)row[i] * components, components, lanes,
                       from[e] + i * components * lanes + l);
  }
}

#define SCATTER(N, C)                                                                                                  \
  case KEY(N, C):                                                                                                      \
    if (ends == 1)                                                                                                     \
      scatter_transfer(run, transfer, N, C, RUNG_PACK, 1, to);                                                         \
    else if (ends == 2)                                                                                                \
      scatter_transfer(run, transfer, N, C, RUNG_PACK, 2, to);                                                         \
    else                                                                                                               \
      scatter_transfer(run, transfer, N, C, RUNG_PACK, ends, to);                                                      \
    return;

static void scatter_one(const Run *run, const RungTransfer *transfer, PetscScalar to[])
{
  const PetscInt lanes = run->batches->lanes, nodes = transfer->nodes, components = transfer->components,
                 ends = transfer->ends;

  if (transfer->runs) {
    for (PetscInt k = 0; k < run->n; ++k)
      RungRunsScatter(run->batches, run->b + k, transfer, run->slot + (size_t)k * run->distance, to);
    return;
  }
  if (lanes == RUNG_PACK && components < 8) {
    switch (KEY(nodes, components)) {
      COMMON(SCATTER)
    default: break;
    }
  }
  if (lanes == RUNG_PACK && components == 1)
    scatter_transfer(run, transfer, nodes, 1, RUNG_PACK, ends, to);
  else if (lanes == RUNG_PACK && components == 2)
    scatter_transfer(run, transfer, nodes, 2, RUNG_PACK, ends, to);
  else if (lanes == RUNG_PACK && components == 3)
    scatter_transfer(run, transfer, nodes, 3, RUNG_PACK, ends, to);
  else if (components == 1)
    scatter_transfer(run, transfer, nodes, 1, lanes, ends, to);
  else if (components == 2)
    scatter_transfer(run, transfer, nodes, 2, lanes, ends, to);
  else if (components == 3)
    scatter_transfer(run, transfer, nodes, 3, lanes, ends, to);
  else
    scatter_transfer(run, transfer, nodes, components, lanes, ends, to);
}

/* What the next batches are the first to add to: their maps are on their way already. */
static void fetch_sums(RungBatches batches, PetscInt b, PetscInt n, const PetscScalar local[])
{
  const PetscInt end = PetscMin(b + n, batches->batches);

  if (b >= end || !batches->regular[b] || !batches->regular[end - 1]) return;
  for (PetscInt i = 0; i < batches->scatters.n; ++i) {
    const RungTransfer *transfer = &batches->scatters.transfer[i];

    for (PetscInt e = 0; e < transfer->ends && transfer->newest; ++e)
      fetch_new(transfer, b, end, local + transfer->end[e].first);
  }
}

void RungScatterRun(RungBatches batches, PetscInt b, PetscInt n, PetscScalar local[])
{
  const RungKernelArgs *args = &batches->next[RungBatchSlot(batches, b)];

  fetch_sums(batches, b + n, n, local);
  for (PetscInt k = 0; k < n;) {
    const Run run = run_of(batches, b + k, n - k, args[k].out, batches->out_size);

    for (PetscInt i = 0; run.n && i < batches->scatters.n; ++i)
      scatter_one(&run, &batches->scatters.transfer[i], local);
    if (!run.n) scatter_any(batches, b + k, args[k].out, local);
    k += PetscMax(1, run.n);
  }
}

/* What kernels add to, from the start of an array: lines that are in the cache, which memset() is late to begin with. */
void RungClearRun(size_t n, double out[])
{
  double *end = out + n;

  for (; out < end; out += RUNG_PACK) {
    *(RungPack *)out = (RungPack){0};
    __asm__ volatile("" : : "r"(out) : "memory"); /* or the compiler calls memset() */
  }
}
