/* tail_sum.c - sum factorisation in the interpreter: values at the points and vectors, axis by axis.

   A function on the lattice of a quadrilateral or hexahedron, n nodes on a line, comes to the m points of a line along one
   axis after the other, n^(d+1) products instead of n^d m^d; its reference derivatives are those of the polynomial
   through its values at the points, where m >= n:

       value = T x T x T u,   d/dX_a = D along axis a of value.

   Vectors go the same way back:  out += T^t x T^t x T^t (c_0 + sum_a D^t along a of c_a).  Arrays of packs, the first axis
   fastest; T is [point][node], D [point][point]. */
#include "interpret_impl.h"

#define W       RUNG_PACK
#define LANES   RUNG_BATCH
#define LONGEST 16 /* nodes or points on a line */

/* ---- one axis ----------------------------------------------------------------------------------------------------- */

/* to[i] (+)= scale sum_j matrix[i * row + j * col] from[j] along one line, n to m; n is a constant where this is called, or
   the lines are long.  scale NULL: 1 */
RUNG_INLINE void sum_line(PetscInt n, PetscInt m, const double *matrix, PetscInt row, PetscInt col, PetscBool add,
                          const RungPack *scale, PetscInt step, const RungPack *from, PetscInt from_step, RungPack *to)
{
  RungPack value[LONGEST];

  for (PetscInt j = 0; j < n; ++j) value[j] = scale ? *scale * from[j * from_step] : from[j * from_step];
  for (PetscInt i = 0; i < m; ++i) {
    RungPack sum = add ? to[i * step] : (RungPack){0};

    for (PetscInt j = 0; j < n; ++j) sum += matrix[i * row + j * col] * value[j];
    to[i * step] = sum;
  }
}

/* All lines along an axis of `below` numbers between neighbours and `above` layers, n to m; the step of both is their own. */
RUNG_INLINE void lines(PetscInt n, PetscInt m, const double *matrix, PetscInt row, PetscInt col, PetscBool add,
                       const RungPack *scale, PetscInt below, PetscInt above, PetscInt pack, const RungPack *from,
                       PetscInt from_pack, RungPack *to)
{
  for (PetscInt h = 0; h < above; ++h) {
    for (PetscInt l = 0; l < below; ++l) {
      sum_line(n, m, matrix, row, col, add, scale, below * pack, from + (h * n * below + l) * from_pack,
               below * from_pack, to + (h * m * below + l) * pack);
    }
  }
}

/* pack, from_pack: packs between neighbours of the arrays; transposed: matrix is [n][m] */
static void along(PetscInt n, PetscInt m, const double *matrix, PetscBool transposed, PetscBool add,
                  const RungPack *scale, PetscInt below, PetscInt above, PetscInt pack, const RungPack *from,
                  PetscInt from_pack, RungPack *to)
{
  const PetscInt row = transposed ? 1 : n, col = transposed ? m : 1;

  switch (n) {
  case 2: lines(2, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to); break;
  case 3: lines(3, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to); break;
  case 4: lines(4, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to); break;
  case 5: lines(5, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to); break;
  case 6: lines(6, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to); break;
  default: lines(n, m, matrix, row, col, add, scale, below, above, pack, from, from_pack, to);
  }
}

static PetscInt power(PetscInt a, PetscInt n)
{
  return n ? a * power(a, n - 1) : 1;
}

/* ---- use ---------------------------------------------------------------------------------------------------------- */

PetscBool RungSumFits(RungPlan plan, const RungBasis *basis)
{
  const RungLineBasis *line = RungPlanLine(plan, basis);

  return line->line && plan->tensor->points >= line->line && plan->tensor->points <= LONGEST ? PETSC_TRUE : PETSC_FALSE;
}

size_t RungSumScratch(RungPlan plan)
{
  return plan->tensor ? 2 * W * (size_t)power(plan->tensor->points, plan->axes) : 0;
}

/* values of u[order] at the points, lane packs one by one; to[q] at a distance of LANES */
static void to_points(RungPlan plan, const RungLineBasis *line, PetscInt stride, const double *u, RungPack *scratch,
                      RungPack *to)
{
  const PetscInt axes = plan->axes, n = line->line, m = plan->tensor->points, nodes = power(n, axes);
  RungPack      *a = scratch, *b = scratch + power(m, axes);

  for (PetscInt i = 0; i < nodes; ++i) a[i] = *(const RungPack *)(u + line->node[i] * stride * LANES);
  for (PetscInt axis = 0; axis < axes; ++axis) {
    const PetscBool last = axis == axes - 1 ? PETSC_TRUE : PETSC_FALSE;
    RungPack       *swap = a;

    along(n, m, line->table[0], PETSC_FALSE, PETSC_FALSE, NULL, power(m, axis), power(n, axes - 1 - axis),
          last ? LANES / W : 1, a, 1, last ? to : b);
    a = b, b = swap;
  }
}

void RungSumEvaluate(RungPlan plan, const RungBasis *basis, const double u[], const double *const scale[],
                     double scratch[], double *const out[])
{
  const RungLineBasis *line = RungPlanLine(plan, basis);
  const PetscInt       axes = plan->axes, m = plan->tensor->points;

  for (PetscInt l = 0; l < LANES; l += W) {
    to_points(plan, line, basis->components, u + l, (RungPack *)scratch, (RungPack *)(out[0] + l));
    for (PetscInt a = 0; a < axes; ++a) {
      if (!out[1 + a]) continue;
      along(m, m, plan->tensor->derivative, PETSC_FALSE, PETSC_FALSE,
            scale && scale[a] ? (const RungPack *)(scale[a] + l) : NULL, power(m, a), power(m, axes - 1 - a), LANES / W,
            (const RungPack *)(out[0] + l), LANES / W, (RungPack *)(out[1 + a] + l));
    }
  }
}

/* scratch's first part = c_0 + sum_a D^t c_a; coefficient[r] NULL: absent */
static void gather(RungPlan plan, PetscInt l, const double *const coefficient[], RungPack *to)
{
  const PetscInt axes = plan->axes, m = plan->tensor->points;
  PetscBool      begun = coefficient[0] ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt q = 0; coefficient[0] && q < plan->points; ++q) {
    to[q] = *(const RungPack *)(coefficient[0] + q * LANES + l);
  }
  for (PetscInt a = 0; a < axes; ++a) {
    if (!coefficient[1 + a]) continue;
    along(m, m, plan->tensor->derivative, PETSC_TRUE, begun, NULL, power(m, a), power(m, axes - 1 - a), 1,
          (const RungPack *)(coefficient[1 + a] + l), LANES / W, to);
    begun = PETSC_TRUE;
  }
}

void RungSumVector(RungPlan plan, const RungBlock *block, const double *const coefficient[], PetscBool set,
                   double scratch[], double out[])
{
  const RungLineBasis *line = RungPlanLine(plan, block->row);
  const PetscInt       axes = plan->axes, n = line->line, m = plan->tensor->points, nodes = power(n, axes);

  for (PetscInt l = 0; l < LANES; l += W) {
    RungPack *a = (RungPack *)scratch, *b = a + plan->points;

    gather(plan, l, coefficient, a);
    for (PetscInt axis = 0; axis < axes; ++axis) {
      RungPack *swap = a;

      along(m, n, line->table[0], PETSC_TRUE, PETSC_FALSE, NULL, power(n, axis), power(m, axes - 1 - axis), 1, a, 1, b);
      a = b, b = swap;
    }
    for (PetscInt d = 0; d < block->destinations; ++d) {
      const RungDestination *to = &block->destination[d];

      for (PetscInt i = 0; i < nodes; ++i) {
        RungPack *at = (RungPack *)(out + (to->base + line->node[i] * to->row) * LANES + l);

        *at = set ? a[i] : *at + a[i];
      }
    }
  }
}
