/* rate.c - the observed order of a sequence of errors, as an interval. */
#include "verify_impl.h"

/* Student's t, two-sided 95 %, by degrees of freedom (Abramowitz and Stegun, table 26.10); beyond the table:
 * Cornish-Fisher. */
static PetscReal student_quantile(PetscInt freedom)
{
  static const PetscReal table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  const PetscReal        z = 1.959964, n = (PetscReal)freedom;

  if (freedom <= (PetscInt)(sizeof table / sizeof table[0])) return table[freedom - 1];
  return z + (z * z * z + z) / (4 * n) + (5 * PetscPowReal(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

PetscErrorCode RungRate(PetscInt n, const PetscReal h[], const PetscReal error[], PetscReal *order, PetscReal *low,
                        PetscReal *high)
{
  PetscReal x = 0, y = 0, xx = 0, xy = 0, rest = 0, half;

  PetscFunctionBegin;
  RungNeedArgument(h);
  RungNeedArgument(error);
  RungNeedArgument(order);
  RungNeedArgument(low);
  RungNeedArgument(high);
  *order = *low = *high = NAN;
  for (PetscInt i = 0; i < n; ++i) {
    if (!(error[i] > 0) || PetscIsInfOrNanReal(error[i])) PetscFunctionReturn(PETSC_SUCCESS);
    x += PetscLogReal(h[i]) / (PetscReal)n;
    y += PetscLogReal(error[i]) / (PetscReal)n;
  }
  for (PetscInt i = 0; i < n; ++i) {
    xx += PetscSqr(PetscLogReal(h[i]) - x);
    xy += (PetscLogReal(h[i]) - x) * (PetscLogReal(error[i]) - y);
  }
  if (n < 2 || xx == 0) PetscFunctionReturn(PETSC_SUCCESS);
  *order = xy / xx;
  if (n < 3) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < n; ++i) rest += PetscSqr(PetscLogReal(error[i]) - y - *order * (PetscLogReal(h[i]) - x));
  half  = student_quantile(n - 2) * PetscSqrtReal(rest / (PetscReal)(n - 2) / xx);
  *low  = *order - half;
  *high = *order + half;
  PetscFunctionReturn(PETSC_SUCCESS);
}
