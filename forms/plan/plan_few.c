/* plan_few.c - coefficients that are polynomials of low degree are contracted at a few of the points.

   On an affine simplex a coefficient of degree p has as many degrees of freedom as there are polynomials of degree p, m,
   which may be far fewer than the points of the rule: of d f_i/d u_k = du_i/dx_k, P2 on tetrahedra, 4, where the rule has 14.
   With m of the points, L_k the polynomials that are 1 at one of them and 0 at the others,

       sum_q w_q c(q) R_r(v_i)(q) R_s(w_j)(q) = sum_k c(q_k) T[i][j][k],   T[i][j][k] = sum_q w_q L_k(q) R_r(v_i)(q) R_s(w_j)(q),

   so that T, made here, takes the place of both loops over points; of a residual T[i][k] of one.  What a compiler need not
   compute at the other points it leaves out. */
#include "kernel_impl.h"

#define MOST    8192 /* numbers in a tensor                                                     */
#define GAIN    0.8  /* the products that are left must be fewer than this share                */
#define LARGEST 8.   /* |L_k| at the points, of well chosen ones; above it rounding would grow  */

/* ---- degrees ------------------------------------------------------------------------------------------------------ */

static PetscInt input_degree(RungPlan plan, const RungInput *input)
{
  const RungBasis *basis = NULL;

  if (input->kind == RUNG_IN_X) return 1;
  if (input->kind == RUNG_IN_WEIGHT) return 0; /* the points' weights are in the tensor */
  if (input->kind == RUNG_IN_UNKNOWN) basis = &plan->basis[input->index];
  if (input->kind == RUNG_IN_FIELD) basis = &plan->basis[plan->unknowns + input->index];
  if (!basis || basis->degree < 0) return -1;
  return PetscMax(0, basis->degree - (!input->derivative ? 0 : input->derivative <= plan->axes ? 1 : 2));
}

static PetscInt instruction_degree(const RungInstruction *instruction, const PetscInt degree[])
{
  const PetscInt a = degree[instruction->arg[0]], b = instruction->arg[1] < 0 ? 0 : degree[instruction->arg[1]];

  if (a < 0 || b < 0) return -1;
  switch (instruction->op) {
  case RUNG_OP_NEG: return a;
  case RUNG_OP_ADD:
  case RUNG_OP_SUB: return PetscMax(a, b);
  case RUNG_OP_MUL: return a + b;
  case RUNG_OP_DIV: return b ? -1 : a;
  default: return -1;
  }
}

PetscErrorCode RungPlanDegrees(RungPlan plan)
{
  const RungTape *tape   = &plan->integral->tape;
  const PetscBool within = plan->affine && !plan->facets && plan->entity < 0 && RungCellGet(plan->type)->simplex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tape->inputs + tape->instructions, &plan->degree));
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) {
    if (!within) /* maps, and with them coefficients, change from point to point, or sides do */
      plan->degree[v] = -1;
    else if (plan->rate[v] != RUNG_RATE_POINT)
      plan->degree[v] = 0;
    else if (v < tape->inputs)
      plan->degree[v] = input_degree(plan, &tape->input[v]);
    else
      plan->degree[v] = instruction_degree(&tape->instruction[v - tape->inputs], plan->degree);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points --------------------------------------------------------------------------------------------------------- */

static PetscInt polynomials(PetscInt axes, PetscInt degree)
{
  PetscInt n = 1;

  for (PetscInt a = 1; a <= axes; ++a) n = n * (degree + a) / a;
  return n;
}

/* value[q][k] of all products of coordinates up to a degree */
static void monomials(PetscInt axes, PetscInt degree, PetscInt points, const PetscReal x[], PetscInt m, double value[])
{
  PetscInt k = 0;

  for (PetscInt i = 0; i <= degree; ++i) {
    for (PetscInt j = 0; j <= (axes > 1 ? degree - i : 0); ++j) {
      for (PetscInt l = 0; l <= (axes > 2 ? degree - i - j : 0); ++l, ++k) {
        const PetscInt power[3] = {i, j, l};

        for (PetscInt q = 0; q < points; ++q) {
          value[q * m + k] = 1;
          for (PetscInt a = 0; a < axes; ++a)
            value[q * m + k] *= PetscPowRealInt(x[q * axes + a] - 0.25, (int)power[a]);
        }
      }
    }
  }
}

/* Column k is scaled to 1 at `row`, and taken off the others so that they vanish there. */
static void clear(PetscInt points, PetscInt m, PetscInt row, PetscInt k, double value[])
{
  const double pivot = value[row * m + k];

  for (PetscInt q = 0; q < points; ++q) value[q * m + k] /= pivot;
  for (PetscInt j = 0; j < m; ++j) {
    const double factor = value[row * m + j];

    for (PetscInt q = 0; j != k && q < points; ++q) value[q * m + j] -= factor * value[q * m + k];
    if (j != k) value[row * m + j] = 0;
  }
}

/* Monomials -> L[q][k], the points of which are chosen on the way, each where the columns that are left are largest (Gauss and
   Jordan).  PETSC_FALSE: no m of the points determine the polynomials well. */
static PetscBool lagrange(PetscInt points, PetscInt m, double value[], PetscInt point[])
{
  for (PetscInt k = 0; k < m; ++k) {
    PetscInt row = 0, col = k;

    for (PetscInt q = 0; q < points; ++q) {
      for (PetscInt j = k; j < m; ++j) {
        if (PetscAbsReal(value[q * m + j]) > PetscAbsReal(value[row * m + col])) row = q, col = j;
      }
    }
    if (PetscAbsReal(value[row * m + col]) < 1e-6) return PETSC_FALSE;
    for (PetscInt q = 0; q < points; ++q) {
      const double swap = value[q * m + k];

      value[q * m + k]   = value[q * m + col];
      value[q * m + col] = swap;
    }
    clear(points, m, row, k, value);
    point[k] = row;
  }
  for (PetscInt k = 0; k < points * m; ++k) {
    if (PetscAbsReal(value[k]) > LARGEST) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- tensors -------------------------------------------------------------------------------------------------------- */

/* Products of the loops over points: columns for each derivative of the rows, then entries. */
static double point_cost(RungPlan plan, const RungBlock *block, double entries)
{
  const RungPair *pair = block->pair[RUNG_PAIR_POINT];
  double          cost = 0;

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    cost += RungBasisFilled(plan, block->col, pair[p].s) * (double)block->col->nodes;
    if (!p || pair[p].r != pair[p - 1].r) cost += RungBasisFilled(plan, block->row, pair[p].r) * entries;
  }
  return cost * (double)plan->points;
}

/* The highest degree of a term that is contracted at the points; -1: one is no polynomial, or there is none. */
static PetscInt block_degree(RungPlan plan, const RungBlock *block)
{
  PetscInt degree = 0;

  if (!block->coefficients[RUNG_PAIR_POINT] || block->coefficients[RUNG_PAIR_POINT] > 2 * RUNG_MAX_DERIVATIVE)
    return -1;
  for (PetscInt t = 0; t < block->terms; ++t) {
    const PetscInt of_term = plan->degree[block->term[t].value];

    if (of_term < 0) return -1;
    degree = PetscMax(degree, of_term);
  }
  return degree;
}

/* T, for coefficients that hold their weights: L_k(q) w_q/w_{q_k} */
static PetscErrorCode create_tensor(RungPlan plan, const double L[], RungBlock *block)
{
  const PetscInt n = block->coefficients[RUNG_PAIR_POINT], m = block->few, rows = block->row->nodes,
                 cols = block->col->nodes;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(rows * cols * n * m, &block->few_tensor));
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];
    const double   *v = RungBasisTable(plan, block->row, pair->r, 0), *w = RungBasisTable(plan, block->col, pair->s, 0);

    for (PetscInt e = 0; e < rows * cols; ++e) {
      double *to = block->few_tensor + (e * n + pair->coefficient) * m;

      for (PetscInt q = 0; q < plan->points; ++q) {
        const double moment = plan->weight[q] * v[q * rows + e / cols] * w[q * cols + e % cols];

        for (PetscInt k = 0; k < m; ++k) to[k] += moment * L[q * m + k] / plan->weight[block->few_point[k]];
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBlockFew(RungPlan plan, RungBlock *block)
{
  const double rows            = (double)block->row->nodes,
               entries         = block->half ? rows * (rows + 1) / 2 : rows * (double)block->col->nodes;
  const PetscInt        degree = plan->degree ? block_degree(plan, block) : -1;
  const RungQuadrature *rule;
  PetscInt              m, numbers;
  double               *L;
  PetscBool             found;

  PetscFunctionBegin;
  if (degree < 0 || block->diagonal) PetscFunctionReturn(PETSC_SUCCESS);
  m       = polynomials(plan->axes, degree);
  numbers = block->row->nodes * block->col->nodes * block->coefficients[RUNG_PAIR_POINT] * m;
  if (m >= plan->points || numbers > MOST ||
      entries * (double)(m * block->coefficients[RUNG_PAIR_POINT]) > GAIN * point_cost(plan, block, entries))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungQuadratureGet(plan->type, plan->integral->degree, &rule));
  PetscCall(PetscMalloc1(plan->points * m, &L));
  PetscCall(PetscMalloc1(m, &block->few_point));
  monomials(plan->axes, degree, plan->points, rule->x, m, L);
  found = lagrange(plan->points, m, L, block->few_point);
  if (found) {
    block->few = m;
    PetscCall(create_tensor(plan, L, block));
  }
  PetscCall(PetscFree(L));
  PetscFunctionReturn(PETSC_SUCCESS);
}
