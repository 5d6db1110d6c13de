/* interpret_ops.c - the scalar operators on vectors: one loop per row of ops.def.

   Operands and result do not overlap (see RungTape.slot), so that the compiler may vectorise. */
#include "kernel_impl.h"
#include <math.h>

/* clang-format off */
#define LOOP_1(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i]; r[i] = value; }
#define LOOP_2(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i], b = vb[i]; r[i] = value; }
#define LOOP_3(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i], b = vb[i], c = vc[i]; r[i] = value; }

void RungInstructionRun(RungOp op, PetscInt n, const double *restrict va, const double *restrict vb,
                        const double *restrict vc, double *restrict r)
{
  switch (op) {
#define RUNG_SCALAR(code, name, args, test, value, da, db, dc, doc, example) \
  case RUNG_OP_##code: LOOP_##args(value) break;
#include "ops.def"
  default: break;
  }
}
/* clang-format on */
