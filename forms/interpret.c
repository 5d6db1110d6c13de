/* interpret.c - the back end that is always there: the tape on vectors of (points x lanes), between precompiled ends.

   A run: geometry; tables times dofs; the tape's uniform part if its inputs changed, its cell part on [lane], its point
   part on [point][lane]; coefficients pulled back; contraction.  Values of a lower rate that a point instruction reads
   are spread over the points first, so that every instruction is one loop over contiguous numbers. */
#include "interpret_impl.h"
#include <stdlib.h>

/* ---- run: values ----------------------------------------------------------------------------------------------------
 */

static void Fill(double *to, PetscInt n, double value)
{
  for (PetscInt i = 0; i < n; ++i) to[i] = value;
}

/* [lane] -> [point][lane], in place */
static void Spread(double *value, PetscInt lanes, PetscInt points)
{
  for (PetscInt q = 1; q < points; ++q) {
    for (PetscInt l = 0; l < lanes; ++l) value[q * lanes + l] = value[l];
  }
}

static double UniformInput(RungPlan plan, const RungInput *input, const RungKernelArgs *args)
{
  switch (input->kind) {
  case RUNG_IN_CONSTANT: return args->constant[input->index];
  case RUNG_IN_SIGMA: return args->sigma[input->k * plan->unknowns + input->index];
  case RUNG_IN_TIME: return args->t;
  default: return input->value;
  }
}

/* Uniform values once, while their inputs stay. */
static void RunUniform(RungPlan plan, RungInterpreter *in, const RungKernelArgs *args)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscInt  values = tape->inputs + tape->instructions;
  PetscBool       same   = in->fresh ? PETSC_FALSE : PETSC_TRUE;

  for (PetscInt v = 0; v < tape->inputs; ++v) {
    if (plan->rate[v] != RUNG_RATE_UNIFORM) continue;
    in->uniform[v] = UniformInput(plan, &tape->input[v], args);
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
    if (plan->rate[v] == RUNG_RATE_UNIFORM && in->value[v]) Fill(in->value[v], in->P, in->uniform[v]);
  }
}

static void Copy(double *to, PetscInt n, const double *from)
{
  for (PetscInt i = 0; i < n; ++i) to[i] = from[i];
}

/* One input per run that is neither uniform nor a function's: [lane] if constant in cells, else [point][lane]. */
static void PlaceInput(RungPlan plan, RungInterpreter *in, const RungInput *input, const RungKernelArgs *args,
                       double *to)
{
  const PetscInt lanes = in->lanes;

  if (input->kind == RUNG_IN_CELL) Copy(to, lanes, args->cell + (input->index * plan->cells + input->side) * lanes);
  for (PetscInt q = 0; q < plan->points; ++q) {
    if (input->kind == RUNG_IN_X) {
      Copy(to + q * lanes, lanes, in->geometry[0].x + (q * plan->dim + input->index) * lanes);
    } else if (input->kind == RUNG_IN_NORMAL && q < in->geometry[0].gp) {
      Copy(to + q * lanes, lanes, in->geometry[0].normal + (q * plan->dim + input->index) * lanes);
    }
  }
}

static void RunValues(RungPlan plan, RungInterpreter *in, const PetscInt side[2], const RungKernelArgs *args)
{
  const RungTape *tape = &plan->integral->tape;

  RunUniform(plan, in, args);
  RungReadRun(plan, in, side, args);
  for (PetscInt v = 0; v < tape->inputs; ++v) {
    if (plan->rate[v] == RUNG_RATE_UNIFORM) continue;
    PlaceInput(plan, in, &tape->input[v], args, in->value[v]);
    if (plan->rate[v] == RUNG_RATE_CELL && in->spread[v]) Spread(in->value[v], in->lanes, plan->points);
  }
  for (PetscInt i = 0; i < in->steps[0]; ++i) {
    RungStepRun(&in->step[i], in->lanes);
    if (in->spread[in->step[i].value]) Spread(in->step[i].r, in->lanes, plan->points);
  }
  for (PetscInt i = in->steps[0]; i < in->steps[1]; ++i) RungStepRun(&in->step[i], in->P);
}

/* ---- run: blocks ----------------------------------------------------------------------------------------------------
 */

/* [coefficient][point][lane] -> [coefficient][lane], in place */
static void SumPoints(double *coefficient, PetscInt n, PetscInt points, PetscInt lanes)
{
  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt l = 0; l < lanes; ++l) {
      double sum = 0;

      for (PetscInt q = 0; q < points; ++q) sum += coefficient[(c * points + q) * lanes + l];
      coefficient[c * lanes + l] = sum;
    }
  }
}

static void Run(RungKernel kernel, const RungKernelArgs *args)
{
  RungInterpreter *in      = (RungInterpreter *)kernel->data;
  RungPlan         plan    = kernel->plan;
  const PetscInt   side[2] = {plan->facets ? args->facet[0] : 0, plan->cells > 1 ? args->facet[1] : 0};

  rung_tables = args->table;
  for (PetscInt c = 0; c < plan->cells; ++c)
    RungGeometryRun(plan, side[c], args->x + c * plan->geometry.nodes * plan->dim * in->lanes, &in->geometry[c]);
  RunValues(plan, in, side, args);
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block  = &plan->block[b];
    double          *cell   = in->coefficient;
    double          *sum    = cell + block->coefficients[RUNG_PAIR_CELL] * in->lanes;
    double          *points = sum + block->coefficients[RUNG_PAIR_SUM] * in->P;

    RungPullRun(plan, in, b, 0, cell);
    RungPullRun(plan, in, b, 1, sum);
    SumPoints(sum, block->coefficients[RUNG_PAIR_SUM], plan->points, in->lanes);
    if (block->diagonal)
      RungTailDiagonal(plan, block, side[0], in->lanes, (double *[]){cell, sum, points}, args->out);
    else
      RungTailBlock(plan, block, side, in->lanes, (double *[]){cell, sum, points}, in->scratch, args->out);
  }
}

/* ---- life -----------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode Order(RungPlan plan, RungInterpreter *in)
{
  const RungTape *tape = &plan->integral->tape;
  PetscInt        n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tape->instructions, &in->order));
  PetscCall(PetscCalloc1(tape->inputs + tape->instructions, &in->spread));
  for (int rate = 0; rate < 3; ++rate) {
    if (rate == RUNG_RATE_CELL) in->uniforms = n;
    for (PetscInt i = 0; i < tape->instructions; ++i) {
      if ((int)plan->rate[tape->inputs + i] == rate) in->order[n++] = i;
    }
  }
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    for (int a = 0; a < 3; ++a) {
      const PetscInt v = tape->instruction[i].arg[a];

      if (v >= 0 && plan->rate[v] < plan->rate[tape->inputs + i]) in->spread[v] = PETSC_TRUE;
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) {
    if (plan->rate[tape->output[o]] == RUNG_RATE_UNIFORM) in->spread[tape->output[o]] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* last[value]: its last step; outputs live to the end */
static void Liveness(RungPlan plan, const RungInterpreter *in, PetscInt last[])
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

/* reg[value]: what a run computes anew shares registers when it does not live at the same time, inputs included, for all of
   them are set before the tape runs; uniform values stay from run to run, so they have their own, if something else than a
   uniform instruction reads them. */
static PetscErrorCode Allocate(RungPlan plan, const RungInterpreter *in, PetscInt reg[], PetscInt *registers)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscInt  values = tape->inputs + tape->instructions;
  PetscInt       *last, *freed, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(values, &last, values, &freed));
  Liveness(plan, in, last);
  for (PetscInt v = 0; v < values; ++v) {
    const PetscBool own = v < tape->inputs || plan->rate[v] == RUNG_RATE_UNIFORM ? PETSC_TRUE : PETSC_FALSE;

    reg[v] = own && (plan->rate[v] != RUNG_RATE_UNIFORM || in->spread[v]) ? (*registers)++ : -1;
  }
  for (PetscInt i = 0; i < in->steps[1]; ++i) {
    reg[in->step[i].value] = n ? freed[--n] : (*registers)++;
    for (int a = 0; a < 4; ++a) {
      const PetscInt v = in->step[i].arg[a];

      if (v < 0 || last[v] != i || plan->rate[v] == RUNG_RATE_UNIFORM) continue;
      freed[n++] = reg[v];
      last[v]    = -1; /* once, also for a * a */
    }
  }
  PetscCall(PetscFree2(last, freed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points that something is computed at: 1 where all is constant in cells. */
static PetscInt Points(RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (plan->block[b].coefficients[RUNG_PAIR_SUM] || plan->block[b].coefficients[RUNG_PAIR_POINT]) return plan->points;
  }
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) {
    if (plan->rate[v] == RUNG_RATE_POINT) return plan->points;
  }
  return 1;
}

/* About 128 numbers to a vector; as many lanes as keep a batch of matrices within a cache. */
PetscInt RungInterpreterLanes(RungPlan plan)
{
  const PetscInt points = Points(plan);
  PetscInt       lanes  = 64;

  while (lanes > RUNG_PACK && (lanes * points > 160 || plan->rows * plan->cols * lanes > 32768)) lanes /= 2;
  return lanes;
}

static PetscErrorCode CreateMemory(RungPlan plan, RungInterpreter *in)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscInt  values = tape->inputs + tape->instructions;
  PetscInt       *reg, registers = 0, temporaries = 0, coefficients = 0;
  size_t          odd; /* distance of registers: a power of two would put them all in the same places of the cache */
  double         *next;

  PetscFunctionBegin;
  odd = (size_t)in->P / 8 % 2 ? (size_t)in->P : (size_t)in->P + 8;
  PetscCall(PetscMalloc1(values, &reg));
  PetscCall(Allocate(plan, in, reg, &registers));
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];

    for (int class = 0; class < 2; ++class) temporaries = PetscMax(temporaries, block->pull[class].temporaries);
    coefficients = PetscMax(coefficients, block->coefficients[0] + block->coefficients[1] + block->coefficients[2]);
  }
  PetscCall(RungAlignedAlloc((size_t)registers * odd + 2 * (((size_t)values + 7) / 8 * 8) +
                               (size_t)(plan->evaluations + temporaries + coefficients) * (size_t)in->P +
                               PetscMax((size_t)(RUNG_MAX_DERIVATIVE * in->P), RungSumScratch(plan)) +
                               (plan->tensor ? (size_t)in->P : 0),
                             &in->memory));
  next = in->memory;
  PetscCall(PetscCalloc1(values, &in->value));
  for (PetscInt v = 0; v < values; ++v) in->value[v] = reg[v] < 0 ? NULL : next + (size_t)reg[v] * odd;
  for (PetscInt i = 0; i < in->steps[1]; ++i) {
    for (int a = 0; a < 4; ++a) in->step[i].a[a] = in->step[i].arg[a] < 0 ? NULL : in->value[in->step[i].arg[a]];
    in->step[i].r = in->value[in->step[i].value];
  }
  next += (size_t)registers * odd;
  in->uniform     = next, next += (values + 7) / 8 * 8;
  in->before      = next, next += (values + 7) / 8 * 8;
  in->evaluation  = next, next += plan->evaluations * in->P;
  in->temporary   = next, next += temporaries * in->P;
  in->coefficient = next, next += coefficients * in->P;
  in->unread      = next, next += plan->tensor ? in->P : 0;
  in->scratch     = next;
  PetscCall(PetscFree(reg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(RungKernel kernel)
{
  RungInterpreter *in = (RungInterpreter *)kernel->data;

  PetscFunctionBegin;
  for (int c = 0; c < 2; ++c) RungGeometryDestroy(&in->geometry[c]);
  free(in->memory);
  PetscCall(PetscFree(in->value));
  PetscCall(PetscFree(in->spread));
  PetscCall(PetscFree(in->order));
  PetscCall(PetscFree(in->step));
  PetscCall(PetscFree(in->dense));
  PetscCall(RungReadDestroy(in));
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInterpreterCreate(RungPlan plan, PetscInt lanes, RungKernel *kernel)
{
  RungInterpreter *in;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, kernel));
  PetscCall(PetscCalloc1(1, &in));
  in->lanes          = lanes;
  in->P              = plan->points * in->lanes;
  in->fresh          = PETSC_TRUE;
  (*kernel)->plan    = plan;
  (*kernel)->lanes   = in->lanes;
  (*kernel)->run     = Run;
  (*kernel)->data    = in;
  (*kernel)->destroy = Destroy;
  PetscCall(Order(plan, in));
  PetscCall(RungStepsCreate(plan, in));
  PetscCall(CreateMemory(plan, in));
  for (PetscInt c = 0; c < plan->cells; ++c) PetscCall(RungGeometryCreate(plan, in->lanes, &in->geometry[c]));
  PetscCall(RungPullCreate(plan, in));
  PetscCall(RungReadCreate(plan, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}
