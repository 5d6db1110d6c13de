/* test_line.c - linear combinations. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode test_combinations_skip_terms_without_weight(void)
{
  Vec       x[3], y;
  PetscReal value;

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 4, &x[i]));
    PetscCall(VecSet(x[i], i == 1 ? NAN : i + 1));
  }
  PetscCall(VecDuplicate(x[0], &y));
  PetscCall(RungCombine(y, 3, (PetscReal[]){2, 0, -1}, x));
  PetscCall(VecNorm(y, NORM_INFINITY, &value));
  CHECK(value == 1);
  PetscCall(RungCombine(y, 0, NULL, NULL));
  PetscCall(VecNorm(y, NORM_INFINITY, &value));
  CHECK(value == 0);
  for (int i = 0; i < 3; ++i) PetscCall(VecDestroy(&x[i]));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y may be one of the terms where it is not overwritten before it is read. */
static PetscErrorCode test_a_single_term_of_weight_one_is_copied_bit_for_bit(void)
{
  Vec       x, y;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecSet(x, 1.0 / 3));
  PetscCall(RungCombine(y, 1, (PetscReal[]){1}, &x));
  PetscCall(VecEqual(x, y, &same));
  CHECK(same);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_combinations_skip_terms_without_weight),
               RUNG_TEST(test_a_single_term_of_weight_one_is_copied_bit_for_bit))
