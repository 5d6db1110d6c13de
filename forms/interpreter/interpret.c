/* interpret.c - the back end that is always there: the tape on vectors of (batches x points x lanes), between precompiled
   ends.

   Prepare, of several batches at once, so that an instruction has many numbers to work on: geometry; tables times dofs; the
   tape's uniform part if its inputs changed, its cell part on [batch][lane], its point part on [batch][point][lane].
   Then each batch is run: coefficients pulled back; contraction into its `out`, which is small enough to stay in the first
   cache until it is inserted. */
#include <rungown_room.h>
#include "interpret_impl.h"
#include <stdlib.h>

#define LANES RUNG_BATCH

/* Measured on forms from a mass matrix to finite strains: beyond these more batches at a time gain nothing. */
#define RUNG_AHEAD_NUMBERS 16384 /* of the working set */
#define RUNG_AHEAD_MOST    16
#define RUNG_WHOLE_ENTRIES 64

/* ---- prepare --------------------------------------------------------------------------------------------------------
 */

static double uniform_input(RungPlan plan, const RungInput *input, const RungKernelArgs *args)
{
  switch (input->kind) {
  case RUNG_IN_CONSTANT: return args->constant[input->index];
  case RUNG_IN_SIGMA: return args->sigma[input->k * plan->unknowns + input->index];
  case RUNG_IN_TIME: return args->t;
  default: return input->value;
  }
}

/* Uniform values once, while their inputs stay. */
static void run_uniform(RungPlan plan, RungInterpreter *in, const RungKernelArgs *args)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscInt  values = tape->inputs + tape->instructions;
  PetscBool       same   = in->fresh ? PETSC_FALSE : PETSC_TRUE;

  for (PetscInt v = 0; v < tape->inputs; ++v) {
    if (plan->rate[v] != RUNG_RATE_UNIFORM) continue;
    in->uniform[v] = uniform_input(plan, &tape->input[v], args);
    if (!(in->uniform[v] == in->before[v])) same = PETSC_FALSE;
    in->before[v] = in->uniform[v];
  }
  if (same) return;
  in->fresh = PETSC_FALSE;
  for (PetscInt i = 0; i < in->uniforms; ++i) {
    const RungInstruction *op = &tape->instruction[in->order[i]];
    const double          *a[3];

    for (int k = 0; k < 3; ++k) a[k] = op->arg[k] >= 0 ? in->uniform + op->arg[k] : NULL;
    RungInstructionRun(op->op, 1, a[0], a[1], a[2], in->uniform + tape->inputs + in->order[i]);
  }
  for (PetscInt v = 0; v < values; ++v) {
    for (int l = 0; plan->rate[v] == RUNG_RATE_UNIFORM && in->value[v].at && l < LANES; ++l)
      in->value[v].at[l] = in->uniform[v];
  }
}

/* Numbers of the cells; places, normals and tangents lie where the geometry put them. */
static void place_inputs(RungPlan plan, RungInterpreter *in, PetscInt n, const RungKernelArgs args[])
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt v = 0; v < tape->inputs; ++v) {
    const RungInput *input = &tape->input[v];

    if (input->kind != RUNG_IN_CELL) continue;
    for (PetscInt k = 0; k < n; ++k) {
      const double *from = args[k].cell + (input->index * plan->cells + input->side) * LANES;

      for (int l = 0; l < LANES; ++l) in->value[v].at[k * LANES + l] = from[l];
    }
  }
}

/* The end of the batches from k on that see the same sides. */
static PetscInt same_sides(const RungInterpreter *in, PetscInt k)
{
  PetscInt end = k + 1;

  while (end < in->prepared && in->side[end][0] == in->side[k][0] && in->side[end][1] == in->side[k][1]) ++end;
  return end;
}

static void run_geometry(RungPlan plan, RungInterpreter *in, const RungKernelArgs args[])
{
  for (PetscInt k = 0, end = 0; k < in->prepared; k = end) {
    end = same_sides(in, k);
    for (PetscInt c = 0; c < plan->cells; ++c)
      RungGeometryRun(plan, in->side[k][c], k, end - k, args[k].x + c * plan->geometry.nodes * plan->dim * LANES,
                      in->distance, &in->geometry[c]);
  }
}

/* ---- contraction ----------------------------------------------------------------------------------------------------
 */

/* [coefficient][point][lane] -> [coefficient][lane], in place */
static void sum_points(double *coefficient, PetscInt n, PetscInt points)
{
  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt l = 0; l < LANES; l += RUNG_PACK) {
      RungPack sum = *(const RungPack *)(coefficient + c * points * LANES + l);

      for (PetscInt q = 1; q < points; ++q) sum += *(const RungPack *)(coefficient + (c * points + q) * LANES + l);
      *(RungPack *)(coefficient + c * LANES + l) = sum;
    }
  }
}

static void clear_bare(const RungInterpreter *in, PetscInt n, PetscInt distance, double *out)
{
  for (PetscInt k = 0; k < n; ++k, out += distance) {
    for (PetscInt e = 0; e < in->bare; ++e) {
      for (PetscInt i = in->entry[e][0] * LANES; i < in->entry[e][1] * LANES; i += RUNG_PACK)
        *(RungPack *)(out + i) = (RungPack){0};
    }
  }
}

/* All blocks of n batches from k on, which see the same sides. */
static void contract(RungPlan plan, RungInterpreter *in, PetscInt k, PetscInt n, PetscInt distance, double *out)
{
  clear_bare(in, n, distance, out);
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block  = &plan->block[b];
    const RungWork  *work   = &in->work[b];
    double          *cell   = in->coefficient;
    double          *sum    = cell + block->coefficients[RUNG_PAIR_CELL] * LANES;
    double          *points = sum + block->coefficients[RUNG_PAIR_SUM] * in->P;
    RungBatchSpan    span   = {n, in->coefficients, distance, in->set[b], work->tiles};

    for (int class = 0; class < 2; ++class) {
      if (work->pull[class]) RungPullRun(plan, in, b, class, k, n, class ? sum : cell);
      if (!in->simplex[b][class].is) continue;
      RungSimplexRun(&in->simplex[b][class], block, k, span, out);
      span.set = PETSC_FALSE;
    }
    for (PetscInt i = 0; work->sums && i < n; ++i)
      sum_points(sum + i * in->coefficients, block->coefficients[RUNG_PAIR_SUM], plan->points);
    if (work->tail && !block->diagonal) {
      double *const coefficient[] = {in->simplex[b][0].is ? NULL : cell, in->simplex[b][1].is ? NULL : sum, points};
      RungStraight  fold;

      if (in->folded[b].is) fold = RungStraightRun(in, &in->folded[b], k, n, points);
      RungTailBlock(plan, block, in->side[k], span, coefficient, in->folded[b].is ? &fold : NULL, in->scratch, out);
    }
    for (PetscInt i = 0; work->tail && block->diagonal && i < n; ++i) {
      const PetscInt at = i * in->coefficients;

      RungTailDiagonal(plan, block, in->side[k][0], (double *[]){cell + at, sum + at, points + at}, out + i * distance);
    }
  }
}

/* ---- run ------------------------------------------------------------------------------------------------------------
 */

static void prepare_batches(RungKernel kernel, PetscInt n, const RungKernelArgs args[])
{
  RungInterpreter *in       = (RungInterpreter *)kernel->data;
  RungPlan         plan     = kernel->plan;
  const PetscInt   distance = n > 1 ? (PetscInt)(args[1].out - args[0].out) : 0;

  rung_tables  = args->table;
  in->prepared = n;
  in->next     = 0;
  in->distance = n > 1 ? (PetscInt)(args[1].x - args[0].x) : 0;
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt c = 0; c < plan->cells; ++c) in->side[k][c] = plan->facets ? args[k].facet[c] : 0;
  }
  run_geometry(plan, in, args);
  run_uniform(plan, in, args);
  for (PetscInt k = 0, end = 0; k < n; k = end) {
    end = same_sides(in, k);
    RungReadRun(plan, in, k, end - k, &args[k]);
  }
  place_inputs(plan, in, n, args);
  for (PetscInt i = 0; i < in->steps[0]; ++i) RungStepRun(&in->step[i], n, 1, in->operand);
  for (PetscInt i = in->steps[0]; i < in->steps[1]; ++i) RungStepRun(&in->step[i], n, plan->points, in->operand);
  for (PetscInt k = 0, end = 0; kernel->whole && k < n; k = end) {
    end = same_sides(in, k);
    contract(plan, in, k, end - k, distance, args[k].out);
  }
}

static void run_kernel(RungKernel kernel, const RungKernelArgs *args)
{
  RungInterpreter *in = (RungInterpreter *)kernel->data;

  if (in->next == in->prepared) prepare_batches(kernel, 1, args); /* nobody looked ahead */
  if (!kernel->whole) contract(kernel->plan, in, in->next, 1, 0, args->out);
  ++in->next;
}

/* ---- life -----------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode order_steps(RungPlan plan, RungInterpreter *in)
{
  const RungTape *tape = &plan->integral->tape;
  PetscInt        n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tape->instructions, &in->order));
  for (int rate = 0; rate < 3; ++rate) {
    if (rate == RUNG_RATE_CELL) in->uniforms = n;
    for (PetscInt i = 0; i < tape->instructions; ++i) {
      if ((int)plan->rate[tape->inputs + i] == rate) in->order[n++] = i;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* last[value]: its last step; outputs live to the end */
static void liveness(RungPlan plan, const RungInterpreter *in, PetscInt last[])
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) last[v] = -1;
  for (PetscInt i = 0; i < in->steps[1]; ++i) {
    for (int a = 0; a < 4; ++a) {
      if (in->step[i].arg[a] >= 0) last[in->step[i].arg[a]] = i;
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) last[tape->output[o]] = in->steps[1];
}

/* Does anything but a uniform instruction read a value? */
static PetscErrorCode find_reads(RungPlan plan, const RungInterpreter *in, PetscBool read[])
{
  const RungTape *tape = &plan->integral->tape;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->steps[1]; ++i) {
    for (int a = 0; a < 4; ++a) {
      if (in->step[i].arg[a] >= 0) read[in->step[i].arg[a]] = PETSC_TRUE;
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) read[tape->output[o]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places, normals and tangents are the geometry's. */
static PetscBool is_placed(RungPlan plan, PetscInt v)
{
  const unsigned  placed = 1u << RUNG_IN_X | 1u << RUNG_IN_NORMAL | 1u << RUNG_IN_TANGENT;
  const RungTape *tape   = &plan->integral->tape;

  return v < tape->inputs && placed & 1u << tape->input[v].kind ? PETSC_TRUE : PETSC_FALSE;
}

/* reg[value] of its rate: what is computed anew shares registers when it does not live at the same time, inputs included,
   for all of them are set before the tape runs; uniform values stay from run to run, so they have their own. */
static PetscErrorCode allocate(RungPlan plan, const RungInterpreter *in, PetscInt reg[], PetscInt registers[3])
{
  const RungTape      *tape   = &plan->integral->tape;
  const PetscInt       values = tape->inputs + tape->instructions;
  RUNG_FREE PetscInt  *last = NULL, *room = NULL;
  RUNG_FREE PetscBool *read = NULL;
  PetscInt            *freed[3], n[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(values, &read));
  PetscCall(PetscMalloc1(values, &last));
  PetscCall(PetscMalloc1(3 * values, &room));
  for (int rate = 0; rate < 3; ++rate) freed[rate] = room + rate * values;
  liveness(plan, in, last);
  PetscCall(find_reads(plan, in, read));
  for (PetscInt v = 0; v < values; ++v) {
    const PetscBool own = v < tape->inputs || plan->rate[v] == RUNG_RATE_UNIFORM ? PETSC_TRUE : PETSC_FALSE;

    reg[v] = own && !is_placed(plan, v) && (plan->rate[v] != RUNG_RATE_UNIFORM || read[v]) ? registers[plan->rate[v]]++
                                                                                           : -1;
  }
  for (PetscInt i = 0; i < in->steps[1]; ++i) {
    const RungValueRate rate = plan->rate[in->step[i].value];

    reg[in->step[i].value] = n[rate] ? freed[rate][--n[rate]] : registers[rate]++;
    for (int a = 0; a < 4; ++a) {
      const PetscInt v = in->step[i].arg[a];

      if (v < 0 || last[v] != i || plan->rate[v] == RUNG_RATE_UNIFORM || is_placed(plan, v)) continue;
      freed[plan->rate[v]][n[plan->rate[v]]++] = reg[v];
      last[v]                                  = -1; /* once, also for a * a */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of a batch that its preparation works on. */
static PetscInt working_set(RungPlan plan)
{
  const RungTape *tape   = &plan->integral->tape;
  PetscInt        values = 0, cells = 0;

  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) {
    values += plan->rate[v] == RUNG_RATE_POINT ? 1 : 0;
    cells += plan->rate[v] == RUNG_RATE_CELL ? 1 : 0;
  }
  values = PetscMin(values, tape->registers);
  cells  = PetscMin(cells, tape->registers);
  return ((values + plan->evaluations) * plan->points + cells + plan->dofs) * LANES;
}

/* Small results of several batches, which stay in a near cache together, are computed at once. */
static PetscBool is_whole(RungPlan plan)
{
  return plan->rows * plan->cols <= RUNG_WHOLE_ENTRIES ? PETSC_TRUE : PETSC_FALSE;
}

/* As many as a near cache holds, if an instruction has less than enough to do with fewer. */
PetscInt RungInterpreterAhead(RungPlan plan)
{
  const PetscInt n = RUNG_AHEAD_NUMBERS / working_set(plan);

  return PetscMax(1, PetscMin(n, RUNG_AHEAD_MOST));
}

/* Where the values lie: registers of each rate, a pool each. */
static void place_values(RungPlan plan, RungInterpreter *in, const PetscInt reg[], double *const pool[3],
                         const size_t size[3])
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) {
    const RungValueRate rate  = plan->rate[v];
    RungValuePlace     *value = &in->value[v];

    value->at    = reg[v] < 0 ? NULL : pool[rate] + (size_t)reg[v] * size[rate];
    value->point = rate == RUNG_RATE_POINT ? LANES : 0;
    value->batch = rate == RUNG_RATE_POINT ? in->P : rate == RUNG_RATE_CELL ? LANES : 0;
    if (!is_placed(plan, v)) continue;
    value->at = tape->input[v].kind == RUNG_IN_X ? in->geometry[0].x[tape->input[v].index]
                                                 : in->geometry[0].normal[tape->input[v].index];
  }
}

/* Operands of a step: in one loop where they change as the result does, or not at all. */
static void place_operands(RungPlan plan, RungInterpreter *in, RungStep *step)
{
  const RungValuePlace *to = &in->value[step->value];

  step->r    = to->at;
  step->flat = PETSC_TRUE;
  for (int k = 0; k < 4; ++k) {
    const PetscInt v = step->arg[k];

    if (v >= 0 && plan->rate[v] != plan->rate[step->value] && plan->rate[v] != RUNG_RATE_UNIFORM)
      step->flat = PETSC_FALSE;
  }
  for (int k = 0; k < 4; ++k) {
    const RungValuePlace *from = step->arg[k] < 0 ? NULL : &in->value[step->arg[k]];

    step->a[k]     = from ? from->at : step->kind == RUNG_STEP_TAPE ? NULL : in->value[step->arg[0]].at;
    step->inner[k] = from && (step->flat ? from->batch > 0 : from->point > 0) ? LANES : 0;
    step->outer[k] = from && !step->flat ? from->batch : 0;
  }
}

/* Numbers of a register for vectors of n: a power of two would put all registers in the same places of the cache. */
static size_t register_distance(PetscInt n)
{
  return (size_t)(n / LANES % 2 ? n : n + LANES);
}

static PetscErrorCode create_memory(RungPlan plan, RungInterpreter *in, PetscBool whole)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscInt  values = tape->inputs + tape->instructions, all = in->ahead * in->P;
  const size_t    size[3]          = {LANES, register_distance(in->ahead * LANES), register_distance(all)},
               inputs              = ((size_t)values + 7) / 8 * 8;
  PetscInt            registers[3] = {0, 0, 0}, temporaries = 0, coefficients = 0;
  RUNG_FREE PetscInt *reg = NULL;
  double             *next, *pool[3];
  size_t              n = 2 * inputs, scratch;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(values, &reg));
  PetscCall(PetscCalloc1(values, &in->value));
  PetscCall(allocate(plan, in, reg, registers));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];

    for (int class = 0; class < 2; ++class) temporaries = PetscMax(temporaries, block->pull[class].temporaries);
    coefficients = PetscMax(coefficients, block->coefficients[0] + block->coefficients[1] + block->coefficients[2]);
  }
  for (int rate = 0; rate < 3; ++rate) n += (size_t)registers[rate] * size[rate];
  scratch = PetscMax((size_t)(2 * RUNG_MAX_DERIVATIVE * in->P), RungSumScratch(plan));
  n += (size_t)(plan->evaluations + 3) * (size_t)all +
       (size_t)(temporaries + (whole ? in->ahead : 1) * coefficients + 1) * (size_t)in->P + scratch;
  PetscCall(RungAlignedAlloc(n, &in->memory));
  next = in->memory;
  for (int rate = 0; rate < 3; ++rate) pool[rate] = next, next += (size_t)registers[rate] * size[rate];
  place_values(plan, in, reg, pool, size);
  for (PetscInt i = 0; i < in->steps[1]; ++i) place_operands(plan, in, &in->step[i]);
  in->uniform = next, next += inputs;
  in->before  = next, next += inputs;
  for (int a = 0; a < 3; ++a) in->operand[a] = next, next += all;
  in->evaluation   = next, next += plan->evaluations * all;
  in->temporary    = next, next += temporaries * in->P;
  in->coefficient  = next, next += (whole ? in->ahead : 1) * coefficients * in->P;
  in->coefficients = coefficients * in->P;
  in->unread       = next, next += in->P;
  in->scratch      = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- who writes first ------------------------------------------------------------------------------------------------ */

/* Marks the entries of a block; were all of them unwritten? */
static PetscBool mark_block(const RungBlock *block, RungWritten mark, RungWritten written[])
{
  const PetscInt cols = block->diagonal ? 1 : block->col->nodes, n = block->row->nodes * cols;
  PetscBool      all = PETSC_TRUE;

  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    for (PetscInt e = 0; e < n; ++e) {
      RungWritten *entry = &written[to->base + e / cols * to->row + e % cols * to->col];

      if (*entry != RUNG_UNWRITTEN)
        all = PETSC_FALSE;
      else
        *entry = mark;
    }
  }
  return all;
}

/* Blocks that have coefficients write all of their entries. */
static void claim_written(RungKernel kernel, RungWritten written[])
{
  RungInterpreter *in   = (RungInterpreter *)kernel->data;
  const RungPlan   plan = kernel->plan;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];

    in->set[b] = PETSC_FALSE;
    if (block->coefficients[0] + block->coefficients[1] + block->coefficients[2] == 0) continue;
    in->set[b] = !block->diagonal && mark_block(block, RUNG_UNWRITTEN, written) ? PETSC_TRUE : PETSC_FALSE;
    (void)mark_block(block, in->set[b] ? RUNG_WRITTEN_SET : RUNG_WRITTEN_ADDED, written);
  }
  in->bare = 0;
}

static PetscErrorCode clear_unwritten(RungKernel kernel, const RungWritten written[])
{
  RungInterpreter *in  = (RungInterpreter *)kernel->data;
  const PetscInt   all = kernel->plan->rows * kernel->plan->cols;

  PetscFunctionBegin;
  PetscCall(PetscFree(in->entry));
  PetscCall(PetscMalloc1((all + 1) / 2, &in->entry));
  for (PetscInt e = 0, end = 0; e < all; e = end + 1) {
    while (e < all && written[e] == RUNG_WRITTEN_SET) ++e;
    for (end = e; end < all && written[end] != RUNG_WRITTEN_SET;) ++end;
    if (end == e) continue;
    in->entry[in->bare][0]   = e;
    in->entry[in->bare++][1] = end;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ----------------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy_interpreter(RungKernel kernel)
{
  RungInterpreter *in = (RungInterpreter *)kernel->data;

  PetscFunctionBegin;
  for (int c = 0; c < 2; ++c) RungGeometryDestroy(&in->geometry[c]);
  free(in->memory);
  PetscCall(PetscFree(in->side));
  PetscCall(PetscFree(in->set));
  PetscCall(PetscFree(in->entry));
  PetscCall(PetscFree(in->value));
  PetscCall(PetscFree(in->order));
  PetscCall(PetscFree(in->step));
  PetscCall(PetscFree(in->dense));
  PetscCall(PetscFree(in->simplex));
  PetscCall(PetscFree(in->work));
  PetscCall(RungStraightDestroy(kernel->plan, in));
  PetscCall(RungReadDestroy(in));
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the blocks have left when the simplices have taken theirs. */
static PetscErrorCode create_work(RungPlan plan, RungInterpreter *in)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->blocks, &in->work));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];
    RungWork        *work  = &in->work[b];
    PetscBool        left[2];

    for (int class = 0; class < 2; ++class) {
      const RungPullDense *d = &in->dense[b][class];

      left[class]       = block->coefficients[class] && !in->simplex[b][class].is ? PETSC_TRUE : PETSC_FALSE;
      work->pull[class] = block->pull[class].steps[0] && !(class && in->folded[b].is) &&
                              (!d->is || d->part[0][0] || d->part[0][1] || d->part[1][0] || d->part[1][1])
                            ? PETSC_TRUE
                            : PETSC_FALSE;
    }
    work->sums  = left[1];
    work->tail  = left[0] || left[1] || block->coefficients[RUNG_PAIR_POINT] ? PETSC_TRUE : PETSC_FALSE;
    work->tiles = RungTailWidth(plan, block);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInterpreterCreate(RungPlan plan, PetscInt ahead, RungKernel *kernel)
{
  RungInterpreter *in;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, kernel));
  PetscCall(PetscCalloc1(1, &in));
  in->ahead          = ahead;
  in->P              = plan->points * LANES;
  in->fresh          = PETSC_TRUE;
  (*kernel)->plan    = plan;
  (*kernel)->lanes   = LANES;
  (*kernel)->ahead   = ahead;
  (*kernel)->whole   = is_whole(plan);
  (*kernel)->prepare = prepare_batches;
  (*kernel)->run     = run_kernel;
  (*kernel)->claim   = claim_written;
  (*kernel)->clear   = clear_unwritten;
  (*kernel)->data    = in;
  (*kernel)->destroy = destroy_interpreter;
  PetscCall(PetscCalloc1(ahead, &in->side));
  PetscCall(order_steps(plan, in));
  PetscCall(RungStepsCreate(plan, in));
  for (PetscInt c = 0; c < plan->cells; ++c) PetscCall(RungGeometryCreate(plan, ahead, &in->geometry[c]));
  in->geometry[1].second = PETSC_TRUE;
  PetscCall(create_memory(plan, in, (*kernel)->whole));
  PetscCall(PetscCalloc1(plan->blocks, &in->set));
  PetscCall(RungPullCreate(plan, in));
  PetscCall(RungSimplexCreate(plan, in));
  PetscCall(RungStraightCreate(plan, in));
  PetscCall(create_work(plan, in));
  PetscCall(RungReadCreate(plan, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}
