/* interpret_ops.c - the steps of interpret_fuse.c at the points of batches. */
#include "interpret_impl.h"
/* a at all points of n batches, one after the other, in `to`, unless it lies so */
static const double *gather_operand(const RungStep *step, int k, PetscInt n, PetscInt points, double *to)
{
  const double *a = step->a[k];

  if (!a || (step->flat && step->inner[k])) return a;
  if (step->flat) points *= n, n = 1;
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt q = 0; q < points; ++q) {
      const double *from = a + b * step->outer[k] + q * step->inner[k];

      for (int l = 0; l < RUNG_BATCH; ++l) to[(b * points + q) * RUNG_BATCH + l] = from[l];
    }
  }
  return to;
}

static void run_operator(const RungStep *step, PetscInt n, PetscInt points, double *const operand[3])
{
  const double *a[3];

  for (int k = 0; k < 3; ++k) a[k] = gather_operand(step, k, n, points, operand[k]);
  RungInstructionRun(step->op, n * points * RUNG_BATCH, a[0], a[1], a[2], step->r);
}

/* clang-format off */
#define A(k) (*(const RungPack *)(a##k + l))
#define LOOP(value)                                                                                     \
  for (PetscInt b = 0; b < n; ++b) {                                                                    \
    const double *a0 = step->a[0] + b * o0, *a1 = step->a[1] + b * o1, *a2 = step->a[2] + b * o2,       \
                 *a3 = step->a[3] + b * o3;                                                             \
    for (PetscInt q = 0; q < points; ++q) {                                                             \
      for (int l = 0; l < RUNG_BATCH; l += RUNG_PACK) *(RungPack *)(r + l) = value;                     \
      r += RUNG_BATCH, a0 += i0, a1 += i1, a2 += i2, a3 += i3;                                          \
      (void)a0, (void)a1, (void)a2, (void)a3;                                                           \
    }                                                                                                   \
  }                                                                                                     \
  break

void RungStepRun(const RungStep *step, PetscInt n, PetscInt points, double *const operand[3])
{
  const PetscInt i0 = step->inner[0], i1 = step->inner[1], i2 = step->inner[2], i3 = step->inner[3],
                 o0 = step->outer[0], o1 = step->outer[1], o2 = step->outer[2], o3 = step->outer[3];
  double *r = step->r;

  if (step->kind == RUNG_STEP_TAPE) {
    run_operator(step, n, points, operand);
    return;
  }
  if (step->flat) points *= n, n = 1;
  switch (step->kind) {
  case RUNG_STEP_ADD: LOOP(A(0) + A(1));
  case RUNG_STEP_SUB: LOOP(A(0) - A(1));
  case RUNG_STEP_MUL: LOOP(A(0) * A(1));
  case RUNG_STEP_DIV: LOOP(A(0) / A(1));
  case RUNG_STEP_NEG: LOOP(-A(0));
  case RUNG_STEP_ADD3: LOOP(A(0) + A(1) + A(2));
  case RUNG_STEP_MUL3: LOOP(A(0) * A(1) * A(2));
  case RUNG_STEP_ADDMUL: LOOP(A(0) + A(1) * A(2));
  case RUNG_STEP_SUBMUL: LOOP(A(0) - A(1) * A(2));
  case RUNG_STEP_MULSUB: LOOP(A(1) * A(2) - A(0));
  case RUNG_STEP_SUM2: LOOP(A(0) * A(1) + A(2) * A(3));
  case RUNG_STEP_DIFF2: LOOP(A(0) * A(1) - A(2) * A(3));
  default: break;
  }
}
/* clang-format on */
