/* nullspace_step.c - steps of the differences that null vectors are looked for by: as long as rounding of F wants them. */
#include "nullspace_impl.h"

#define SHOWN   1e-2 /* of what counts as 0 may be rounding of F         */
#define UNSEEN  1e8  /* a step grows so many times where it shows nothing */
#define LENGTHS 8    /* of a step that are tried                         */

/* How many times longer a step must be that shows what counts as 0 in each equation beside the rounding of F, which a source makes as large
   as it wants: y' = 1e20 swallows a rate of 1.  An equation where something rough of f makes nothing needs none, but its own one:
   it holds the highest rate, and mostly values, of which long steps are looked at in linear forms alone.  most, size: largest entries of the derivative and of F */
static PetscReal find_longer(const RungNullTest *test, PetscInt f, PetscInt k, const PetscReal most[],
                             const PetscReal size[])
{
  PetscReal longer = 1;

  for (PetscInt g = 0; g < test->sys->form->unknowns; ++g) {
    const PetscReal rounding = PETSC_MACHINE_EPSILON * size[g] / test->step[k];

    if (PetscIsInfReal(size[g]) || PetscIsInfReal(most[g])) return 1;
    if (most[g] > 0)
      longer = PetscMax(longer, rounding / (SHOWN * test->tolerance * most[g]));
    else if (rounding > 0 && g == f && (k > 0 ? k == test->sys->traits.unknown_order[f] : test->sys->traits.linear))
      longer = PetscMax(longer, UNSEEN);
  }
  return longer;
}

static PetscErrorCode measure_by(RungNullTest *test, PetscInt f, PetscInt k, PetscReal step, PetscReal most[],
                                 PetscReal *longer)
{
  PetscReal size[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  test->step[k] = step;
  PetscCall(RungNullRough(test, f, test->rough));
  PetscCall(RungNullDerivative(test, k, test->rough));
  PetscCall(RungNullLargest(test->sys, test->r, most));
  PetscCall(RungNullLargest(test->sys, test->other, size));
  *longer = find_longer(test, f, k, most, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullMeasure(RungNullTest *test, PetscInt f, PetscInt k, PetscReal most[])
{
  PetscReal step = RUNG_NULL_STEP(test->sys), longer;

  PetscFunctionBegin;
  PetscCall(measure_by(test, f, k, step, most, &longer));
  for (int i = 1; i < LENGTHS && longer > 1; ++i) {
    PetscBool finite = PETSC_TRUE;

    PetscCall(measure_by(test, f, k, step * longer, most, &longer));
    for (PetscInt g = 0; g < test->sys->form->unknowns; ++g) finite = finite && !PetscIsInfReal(most[g]);
    if (!finite) { /* an exponential of so much */
      PetscCall(measure_by(test, f, k, step, most, &longer));
      break;
    }
    step = test->step[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
