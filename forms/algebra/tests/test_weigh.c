/* test_weigh.c - entries take the weight of the point where that saves products. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^d", NULL, &scope));
  PetscCall(RungDagCreate(scope, &dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar input_of(PetscInt i)
{
  return tools_unknown(dag, 0, i % 3, 0, i / 3);
}

/* Weighs values and compares each with the weight times itself. */
static PetscErrorCode weigh(PetscInt n, const RungScalar value[], PetscBool *weighed)
{
  const RungInput input = {.kind = RUNG_IN_WEIGHT};
  RungScalar     *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &out));
  PetscCall(PetscArraycpy(out, value, n));
  PetscCall(RungDagWeigh(dag, n, out, weighed));
  for (PetscInt e = 0; e < n; ++e) {
    const double weight = *weighed ? tools_input(&input) : 1;

    CHECK_NEAR(tools_value(dag, out[e], -1, 0), weight * tools_value(dag, value[e], -1, 0), 1e-14);
  }
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (a x_i) y_k + (b y_i) x_k: it is enough to weigh a and b */
static PetscErrorCode test_a_common_factor_takes_the_weight(void)
{
  RungScalar value[9];
  PetscBool  weighed;

  PetscCall(begin());
  for (PetscInt e = 0; e < 9; ++e) {
    const RungScalar a = RungDagMul(dag, input_of(6), input_of(2 + e / 3)),
                     b = RungDagMul(dag, input_of(7), input_of(3 + e / 3));

    value[e] = RungDagSub(dag, RungDagMul(dag, a, input_of(8 + e % 3)), RungDagMul(dag, b, input_of(9 + e % 3)));
  }
  PetscCall(weigh(9, value, &weighed));
  CHECK(weighed);
  PetscCall(end());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_entries_without_a_common_factor_stay(void)
{
  RungScalar value[4];
  PetscBool  weighed;

  PetscCall(begin());
  for (PetscInt e = 0; e < 4; ++e) value[e] = RungDagMul(dag, input_of(2 * e), input_of(2 * e + 1));
  PetscCall(weigh(4, value, &weighed));
  CHECK(!weighed);
  PetscCall(end());
  return PETSC_SUCCESS;
}

/* They are contracted with tensors that have the weights of all points. */
static PetscErrorCode test_entries_of_the_cell_stay(void)
{
  const RungInput map = {.kind = RUNG_IN_MAP, .k = 1};
  RungScalar      value[5];
  PetscBool       weighed;

  PetscCall(begin());
  for (PetscInt e = 0; e < 4; ++e) value[e] = RungDagMul(dag, input_of(6), input_of(e));
  value[4] = RungDagInput(dag, &map);
  PetscCall(weigh(5, value, &weighed));
  CHECK(!weighed);
  PetscCall(weigh(4, value, &weighed));
  CHECK(weighed);
  PetscCall(end());
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_common_factor_takes_the_weight), RUNG_TEST(test_entries_without_a_common_factor_stay),
               RUNG_TEST(test_entries_of_the_cell_stay))
