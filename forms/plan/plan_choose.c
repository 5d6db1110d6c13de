/* plan_choose.c - of several plans of one integral, which is compiled: their operations are counted. */
#include "kernel_impl.h"

/* Kernels are compiled from derivatives of the reference cell where these need less than this share of operations: with K in
   it a tape keeps more values alive than there are registers, and for the interpreter every one is in memory. */
#define MAPPED_GAIN 0.8
#define OUTER_GAIN  0.95 /* the same of all operations, with products contracted by themselves */
#define APPLY_GAIN  0.7  /* the same of all, with the matrix of the cell */
#define LINES_GAIN  0.82 /* the same, with matrices of a line: these shares are the times' (0.1 off) */
#define MOST_TERMS  600  /* of the entries of such a matrix: all are written out */

/* free[i]: instruction i is a product that one sum alone takes, which processors do with the sum. */
static void find_free(const RungTape *tape, PetscInt used[], PetscBool free[])
{
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    for (int a = 0; a < 3; ++a) {
      if (tape->instruction[i].arg[a] >= 0) ++used[tape->instruction[i].arg[a]];
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) used[tape->output[o]] += 2;
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const RungInstruction *it    = &tape->instruction[i];
    PetscBool              found = PETSC_FALSE;

    for (int a = 0; a < 2 && (it->op == RUNG_OP_ADD || it->op == RUNG_OP_SUB) && !found; ++a) {
      const PetscInt from = it->arg[a] - tape->inputs;

      if (from < 0 || tape->instruction[from].op != RUNG_OP_MUL || used[it->arg[a]] > 1) continue;
      free[from] = found = PETSC_TRUE;
    }
  }
}

/* Operations of a cell up to its coefficients. */
static PetscErrorCode count_operations(RungPlan plan, double *cost)
{
  const RungTape *tape    = &plan->integral->tape;
  const double    each[3] = {0, 1, (double)plan->points};
  PetscInt       *used;
  PetscBool      *free;

  PetscFunctionBegin;
  *cost = 0;
  PetscCall(PetscCalloc2(tape->inputs + tape->instructions, &used, tape->instructions, &free));
  find_free(tape, used, free);
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    if (tape->instruction[i].op != RUNG_OP_NEG && !free[i]) *cost += each[plan->rate[tape->inputs + i]];
  }
  PetscCall(PetscFree2(used, free));
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    if (plan->input_step[i].s) *cost += each[plan->rate[plan->input_step[i].to]];
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    for (int class = 0; class < 2; ++class) {
      const RungPull *pull = &plan->block[b].pull[class];

      *cost += plan->integral->weighted ? 0 : (double)pull->steps[0] * each[1 + class];
      for (PetscInt i = 0; i < pull->steps[1]; ++i) *cost += pull->step[1][i].s ? each[1 + class] : 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What contracting the coefficients costs. */
static double contraction_cost(RungPlan plan)
{
  double cost = RungOuterCost(plan);

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (!plan->outer || b != plan->outer->moment) cost += RungBlockCost(plan, &plan->block[b]);
  }
  return cost;
}

/* Batches gather what their own plan reads. */
static PetscBool reads_no_more(RungPlan plan, RungPlan than)
{
  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    if (plan->levels[k] && !than->levels[k]) return PETSC_FALSE;
  }
  return (plan->x && !than->x) || (plan->sizes && !than->sizes) ? PETSC_FALSE : PETSC_TRUE;
}

PetscErrorCode RungPlanTakeCheaper(RungPlan plan, RungPlan other)
{
  const RungPlan now = plan->compiled ? plan->compiled : plan;
  double         operations[2], contraction[2] = {contraction_cost(now), contraction_cost(other)};
  PetscBool      take;

  PetscFunctionBegin;
  PetscCall(count_operations(now, &operations[0]));
  PetscCall(count_operations(other, &operations[1]));
  take = operations[1] < MAPPED_GAIN * operations[0] ? PETSC_TRUE : PETSC_FALSE;
  if (other->outer) take = operations[1] + contraction[1] < OUTER_GAIN * (operations[0] + contraction[0]);
  if (other->unfit || !reads_no_more(other, plan)) take = PETSC_FALSE;
  if (take) {
    PetscCall(RungPlanDestroy(&plan->compiled));
    plan->compiled = other;
  } else {
    PetscCall(RungPlanDestroy(&other));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- actions ------------------------------------------------------------------------------------------------------- */

PetscBool RungPlanMayApply(RungPlan plan)
{
  return plan->affine && plan->integral->domain == RUNG_CELLS && plan->integral->rank == 1 && plan->points > 1
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* The products that make the entries of a matrix and apply them; -1: its coefficients are not constant in the cell, or its entries have too
   many terms. */
static double apply_cost(RungPlan matrix)
{
  PetscInt terms = 0;
  double   cost  = 0;

  if (matrix->outer || matrix->unfit) return -1;
  if (matrix->tensor) return RungKroneckerCost(matrix);
  for (PetscInt b = 0; b < matrix->blocks; ++b) {
    const RungBlock *block   = &matrix->block[b];
    const PetscInt   entries = block->row->nodes * block->col->nodes, n = block->coefficients[RUNG_PAIR_CELL];

    if (block->diagonal || block->coefficients[RUNG_PAIR_SUM] || block->coefficients[RUNG_PAIR_POINT]) return -1;
    for (PetscInt k = 0; k < entries * n; ++k)
      terms += block->tensor[RUNG_PAIR_CELL][k] != 0 &&
               (!block->half || k / n / block->col->nodes <= k / n % block->col->nodes);
    cost += (double)(entries * block->destinations);
  }
  return terms <= MOST_TERMS ? cost + (double)terms : -1;
}

/* Values at the points, or back from there, take a sweep of lines for each axis, and derivatives one each. */
static double sweeps_cost(RungPlan plan)
{
  PetscInt sweeps = 0;

  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it  = &plan->evaluation[e];
    PetscBool             had = PETSC_FALSE;

    for (PetscInt k = 0; k < e; ++k) {
      const RungEvaluation *other = &plan->evaluation[k];

      had = had || (other->source == it->source && other->k == it->k && other->component == it->component);
    }
    sweeps += (had ? 0 : plan->axes) + (it->r > 0);
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    sweeps += plan->axes;
    for (PetscInt p = 0; p < plan->block[b].pairs[RUNG_PAIR_POINT]; ++p)
      sweeps += plan->block[b].pair[RUNG_PAIR_POINT][p].r > 0;
  }
  return RUNG_LINE_COST * (double)(sweeps * plan->points * plan->tensor->points);
}

/* Products with the tables of what is evaluated at the points. */
static double evaluation_cost(RungPlan plan)
{
  double cost = 0;

  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungBasis *basis = &plan->basis[plan->evaluation[e].source];
    const PetscInt   r     = plan->evaluation[e].r;

    cost += RungBasisFilled(plan, basis, r) * (double)(basis->nodes * (basis->constant[r] ? 1 : plan->points));
  }
  return cost;
}

PetscErrorCode RungPlanTakeMatrix(RungPlan plan, RungPlan matrix)
{
  const RungPlan now  = plan->compiled ? plan->compiled : plan;
  const double   gain = matrix->tensor ? LINES_GAIN : APPLY_GAIN, each = apply_cost(matrix),
               sums = now->tensor ? sweeps_cost(now) : contraction_cost(now) + evaluation_cost(now);
  double   operations[2];
  PetscInt levels = 0; /* u, u', .., or the direction alone */

  PetscFunctionBegin;
  PetscCall(count_operations(now, &operations[0]));
  PetscCall(count_operations(matrix, &operations[1]));
  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) levels += plan->levels[k];
  if (each >= 0 && reads_no_more(matrix, plan) &&
      (double)levels * (operations[1] + each) < gain * (operations[0] + sums)) {
    PetscCall(RungPlanDestroy(&matrix->compiled));
    PetscCall(RungPlanDestroy(&plan->compiled));
    PetscCall(PetscArraycpy(matrix->levels, plan->levels, RUNG_LEVELS));
    plan->compiled = matrix;
  } else {
    PetscCall(RungPlanDestroy(&matrix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
