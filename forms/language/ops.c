/* ops.c - what a scalar operator is on numbers: one loop over vectors per row of ops.def.

   Operands and result do not overlap (see RungTape.slot), so that the compiler may vectorise. */
#include "pack_impl.h"

#include "forms_impl.h"
#include <math.h>

/* vector_math.h speaks of these */
#define LANES RUNG_PACK
typedef RungPack  Real;
typedef long long Mask __attribute__((vector_size(8 * LANES)));

RUNG_INLINE Real all(double a)
{
  return a + (Real){0};
}

RUNG_INLINE Real choose(Mask which, Real a, Real b)
{
  return (Real)((which & (Mask)a) | (~which & (Mask)b));
}

#include "vector_math.h"

/* Vectors of whole packs, as all are but single numbers, go through the functions of vector_math.h. */
static PetscBool run_packs(RungOp op, PetscInt n, const double *restrict va, double *restrict r)
{
  if (n % RUNG_PACK) return PETSC_FALSE;
  if (op == RUNG_OP_LOG)
    for (PetscInt i = 0; i < n; i += RUNG_PACK) *(Real *)(r + i) = each_log(*(const Real *)(va + i));
  else if (op == RUNG_OP_EXP)
    for (PetscInt i = 0; i < n; i += RUNG_PACK) *(Real *)(r + i) = each_exp(*(const Real *)(va + i));
  else
    return PETSC_FALSE;
  return PETSC_TRUE;
}

/* clang-format off */
#define LOOP_1(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i]; r[i] = value; }
#define LOOP_2(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i], b = vb[i]; r[i] = value; }
#define LOOP_3(value) for (PetscInt i = 0; i < n; ++i) { const double a = va[i], b = vb[i], c = vc[i]; r[i] = value; }

void RungInstructionRun(RungOp op, PetscInt n, const double *restrict va, const double *restrict vb,
                        const double *restrict vc, double *restrict r)
{
  if ((op == RUNG_OP_LOG || op == RUNG_OP_EXP) && run_packs(op, n, va, r)) return;
  switch (op) {
#define RUNG_SCALAR(code, name, args, test, value, da, db, dc, doc, example) \
  case RUNG_OP_##code: LOOP_##args(value) break;
#include "ops.def"
  default: break;
  }
}
/* clang-format on */
