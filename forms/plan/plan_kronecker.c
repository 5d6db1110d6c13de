/* plan_kronecker.c - the matrix of an affine cell as a sum of products of matrices of a line.

   Where points and functions are products (plan_tensor.c) and coefficients are constant in the cell, so are the tensors of pairs
   (kernel_impl.h, CELL): with A_a = sum_q w_q d^r_a(v_i)(q) d^s_a(w_j)(q) on a line, derived where r or s is the derivative along axis a,

       y = sum_(r,s) G_rs (A_2 x A_1 x A_0) u.

   Axis by axis, what pairs have in common is done once: of a mass and a stiffness, M and K the matrices of a line,

       y = M_2 (M_1 (c M_0 + c_0 K_0) + c_1 K_1 M_0) u + K_2 M_1 c_2 M_0 u,

   7 sweeps of lines, where sums over points take 12, for values, derivatives and the way back, and the work at the points besides.

   With the modes that M and K have in common (R. Lynch, J. Rice and D. Thomas, Direct solution of partial difference equations by tensor product
   methods, Numer. Math. 6, 1964), K s_k = lambda_k M s_k and V = M S, it is

       y = (V x V x V) diag(c + c_0 lambda_i + c_1 lambda_j + c_2 lambda_k) (V x V x V)^T u,

   6 sweeps of lines by functions that are even or odd: 0.68 of the products' time on Q4 hexahedra, a solve by multigrid 0.93. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include <math.h>

PetscInt RungKroneckerMatrix(const RungPair *pair, PetscInt axis, PetscBool turned)
{
  const PetscInt row = (turned ? pair->s : pair->r) == 1 + axis, col = (turned ? pair->r : pair->s) == 1 + axis;

  return 2 * row + col;
}

PetscBool RungKroneckerTakes(RungPlan plan, const RungPair *pair, PetscBool turned, PetscInt last, PetscInt middle)
{
  if (last != (plan->axes > 2 ? RungKroneckerMatrix(pair, 2, turned) : 0)) return PETSC_FALSE;
  return middle < 0 || RungKroneckerMatrix(pair, 1, turned) == middle ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungKroneckerHas(RungPlan plan, const RungBlock *block, PetscBool turned, PetscInt last, PetscInt middle)
{
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_CELL]; ++p) {
    if (RungKroneckerTakes(plan, &block->pair[RUNG_PAIR_CELL][p], turned, last, middle)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungKroneckerTable(RungPlan plan, const RungLineBasis *row, const RungLineBasis *col, PetscInt matrix,
                        double table[])
{
  const double *v = row->table[matrix / 2], *w = col->table[matrix % 2];
  double        largest = 0;

  for (PetscInt k = 0; k < row->line * col->line; ++k) {
    table[k] = 0;
    for (PetscInt q = 0; q < plan->tensor->points; ++q)
      table[k] += plan->tensor->weight[q] * v[q * row->line + k / col->line] * w[q * col->line + k % col->line];
    largest = PetscMax(largest, PetscAbsReal(table[k]));
  }
  for (PetscInt k = 0; k < row->line * col->line; ++k) {
    if (PetscAbsReal(table[k]) < 1e-15 * largest) table[k] = 0; /* sums that vanish but for rounding */
  }
}

/* Sweeps of lines of one application. */
static PetscInt count_sweeps(RungPlan plan, const RungBlock *block)
{
  PetscInt  n        = 0;
  PetscBool first[4] = {PETSC_FALSE};

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_CELL]; ++p)
    first[RungKroneckerMatrix(&block->pair[RUNG_PAIR_CELL][p], 0, PETSC_FALSE)] = PETSC_TRUE;
  for (PetscInt f = 0; f < 4; ++f) {
    n += first[f] + (plan->axes > 2 && RungKroneckerHas(plan, block, PETSC_FALSE, f, -1));
    for (PetscInt g = 0; g < 4; ++g) n += RungKroneckerHas(plan, block, PETSC_FALSE, f, g);
  }
  return n;
}

double RungKroneckerCost(RungPlan plan)
{
  double cost = 0;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock     *block = &plan->block[b];
    const RungLineBasis *row = RungPlanLine(plan, block->row), *col = RungPlanLine(plan, block->col);
    const PetscInt       nodes = PetscMax(block->row->nodes, block->col->nodes);

    if (block->coefficients[RUNG_PAIR_SUM] || block->coefficients[RUNG_PAIR_POINT] || !row->line || !col->line)
      return -1;
    cost += (double)(block->destinations * nodes) *
            (RUNG_LINE_COST * (double)count_sweeps(plan, block) * (double)PetscMax(row->line, col->line) +
             (double)block->pairs[RUNG_PAIR_CELL]);
  }
  return cost;
}

/* ---- modes --------------------------------------------------------------------------------------------------------- */

/* M = L L^T; PETSC_FALSE: M is not positive */
static PetscBool factor(PetscInt n, const double M[], double L[])
{
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j <= i; ++j) {
      double sum = M[i * n + j];

      for (PetscInt k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      if (i == j && sum <= 1e-13 * M[i * n + i]) return PETSC_FALSE;
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
    }
  }
  return PETSC_TRUE;
}

/* C = (L^-1 C)^T */
static void solve_turned(PetscInt n, const double L[], double C[])
{
  for (PetscInt j = 0; j < n; ++j) {
    for (PetscInt i = 0; i < n; ++i) {
      for (PetscInt k = 0; k < i; ++k) C[i * n + j] -= L[i * n + k] * C[k * n + j];
      C[i * n + j] /= L[i * n + i];
    }
  }
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < i; ++j) {
      const double swap = C[i * n + j];

      C[i * n + j] = C[j * n + i];
      C[j * n + i] = swap;
    }
  }
}

/* Columns p and q of a matrix (step n, next 1: its rows) are turned. */
static void rotate(PetscInt n, PetscInt p, PetscInt q, PetscInt step, PetscInt next, double c, double s, double a[])
{
  for (PetscInt i = 0; i < n; ++i) {
    double *x = &a[i * step + p * next], *y = &a[i * step + q * next];
    double  old = *x;

    *x = c * old - s * *y;
    *y = s * old + c * *y;
  }
}

/* Jacobi's method for a symmetric C, whose rotations are applied to the columns of V as well */
static void diagonalise(PetscInt n, double C[], double V[])
{
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (PetscInt p = 0; p < n; ++p) {
      for (PetscInt q = p + 1; q < n; ++q) {
        const double angle = 0.5 * atan2(2 * C[p * n + q], C[q * n + q] - C[p * n + p]), c = cos(angle), s = sin(angle);

        rotate(n, p, q, n, 1, c, s, C);
        rotate(n, p, q, 1, n, c, s, C);
        rotate(n, p, q, n, 1, c, s, V);
      }
    }
  }
}

/* K s_k = lambda_k M s_k, s_k^T M s_k = 1: of M = L L^T and L^-1 K L^-T = Q diag(lambda) Q^T, mode[i][k] = (M s_k)_i = (L Q)_ik */
static PetscErrorCode find_modes(PetscInt n, const double M[], const double K[], double mode[], double lambda[],
                                 PetscBool *found)
{
  RUNG_FREE double *L = NULL, *C = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * n, &L));
  PetscCall(PetscMalloc1(n * n, &C));
  *found = factor(n, M, L);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(C, K, n * n));
  for (int side = 0; side < 2; ++side) solve_turned(n, L, C);
  PetscCall(PetscArraycpy(mode, L, n * n));
  diagonalise(n, C, mode);
  for (PetscInt k = 0; k < n; ++k) lambda[k] = C[k * n + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the matrix sum_k lambda_k mode_k mode_k^T, but for rounding?  lambda NULL: 1 */
static PetscBool is_sum(PetscInt n, const double matrix[], const double mode[], const double lambda[])
{
  double largest = 0, apart = 0;

  for (PetscInt e = 0; e < n * n; ++e) {
    double sum = 0;

    for (PetscInt k = 0; k < n; ++k) sum += (lambda ? lambda[k] : 1) * mode[e / n * n + k] * mode[e % n * n + k];
    largest = PetscMax(largest, PetscAbsReal(matrix[e]));
    apart   = PetscMax(apart, PetscAbsReal(matrix[e] - sum));
  }
  return apart < 1e-14 * (double)n * largest ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungKroneckerModes(RungPlan plan, const RungBlock *block, double mode[], double lambda[],
                                  PetscBool *found)
{
  const RungLineBasis *line = RungPlanLine(plan, block->row);
  const PetscInt       n    = line->line;
  RUNG_FREE double    *M = NULL, *K = NULL;

  PetscFunctionBegin;
  *found = RungBasisSame(block->row, block->col) && block->pairs[RUNG_PAIR_CELL] > 1 ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_CELL]; ++p)
    if (block->pair[RUNG_PAIR_CELL][p].r != block->pair[RUNG_PAIR_CELL][p].s) *found = PETSC_FALSE;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n * n, &M));
  PetscCall(PetscMalloc1(n * n, &K));
  RungKroneckerTable(plan, line, line, 0, M);
  RungKroneckerTable(plan, line, line, 3, K);
  PetscCall(find_modes(n, M, K, mode, lambda, found));
  if (*found) *found = is_sum(n, M, mode, NULL) && is_sum(n, K, mode, lambda) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
