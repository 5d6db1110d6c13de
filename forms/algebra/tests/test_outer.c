/* test_outer.c - outer products are found in entries whatever these look like, and are the same values. */
#include "scalar_tools.h"

#define AXES 3

static RungScope scope;
static RungDag   dag;

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", AXES, "P2^d", NULL, &scope));
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

/* A bilinear form with all derivatives of `components` components of u on both sides. */
static PetscErrorCode create_integral(PetscInt components, RungIntegral *integral)
{
  const PetscInt n = components * AXES;

  PetscFunctionBegin;
  *integral = (RungIntegral){.rank = 2, .rows = n, .cols = n, .entries = n * n};
  PetscCall(PetscCalloc1(n, &integral->row));
  PetscCall(PetscCalloc1(n, &integral->col));
  PetscCall(PetscMalloc1(n * n, &integral->entry));
  for (PetscInt i = 0; i < n; ++i)
    integral->row[i] = integral->col[i] = (RungSlot){.component = i / AXES, .derivative = 1 + i % AXES};
  for (PetscInt e = 0; e < n * n; ++e) {
    integral->entry[e].row = e / n;
    integral->entry[e].col = e % n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of the form through RungDagOuter; PETSC_FALSE: it found nothing. */
static PetscErrorCode outer(PetscInt components, const RungScalar value[], PetscBool *found, PetscInt cost[2])
{
  const PetscInt  n = components * AXES * components * AXES;
  RungIntegral    integral;
  RungScalar     *out;
  RungDag         to;
  RungDagProducts products;

  PetscFunctionBegin;
  PetscCall(create_integral(components, &integral));
  PetscCall(PetscMalloc1(n, &out));
  PetscCall(RungDagOuter(dag, &integral, value, &to, out, &products));
  *found = to ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt e = 0; to && e < n; ++e)
    CHECK_NEAR(tools_value(dag, value[e], -1, 0), tools_value(to, out[e], -1, 0), 1e-13);
  PetscCall(RungDagCost(dag, n, value, &cost[0]));
  if (to) PetscCall(RungDagCost(to, n, out, &cost[1]));
  PetscCall(RungDagDestroy(&to));
  PetscCall(RungDagProductsDestroy(&products));
  PetscCall(PetscFree(out));
  PetscCall(PetscFree(integral.row));
  PetscCall(PetscFree(integral.col));
  PetscCall(PetscFree(integral.entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar cell_map(PetscInt r, PetscInt s)
{
  const RungInput map = {.kind = RUNG_IN_MAP, .index = PetscMin(r, s), .component = PetscMax(r, s), .k = 1};

  return RungDagInput(dag, &map);
}

/* (c h_r) h_s + cell_rs for one component, each product made in another order */
static PetscErrorCode test_a_rank_is_found_below_what_is_constant_in_the_cell(void)
{
  RungScalar value[AXES * AXES];
  PetscInt   cost[2];
  PetscBool  found;

  PetscCall(begin());
  for (PetscInt e = 0; e < AXES * AXES; ++e) {
    const RungScalar h = tools_unknown(dag, 0, e / AXES, 0, 0), k = tools_unknown(dag, 0, e % AXES, 0, 0);
    const RungScalar c = tools_unknown(dag, 0, 0, 1, 0), d = tools_unknown(dag, 0, 1, 1, 0);

    value[e] = RungDagAdd(dag, cell_map(e / AXES, e % AXES),
                          e % 2 ? RungDagMul(dag, RungDagMul(dag, RungDagMul(dag, c, h), d), k)
                                : RungDagMul(dag, RungDagMul(dag, h, k), RungDagMul(dag, c, d)));
  }
  PetscCall(outer(1, value, &found, cost));
  CHECK(found && cost[1] < cost[0]);
  PetscCall(end());
  return PETSC_SUCCESS;
}

/* Blocks (i, i) hold a h_i h_i^T, the others a h_i h_k^T + b (h_i h_k^T - h_k h_i^T), written as b eps_rst (h_i x h_k)_t. */
static PetscErrorCode test_vectors_of_rank_one_are_found_in_rank_two(void)
{
  const PetscInt n = 2 * AXES;
  RungScalar     value[4 * AXES * AXES];
  PetscInt       cost[2];
  PetscBool      found;

  PetscCall(begin());
  for (PetscInt e = 0; e < n * n; ++e) {
    const PetscInt   i = e / n / AXES, k = e % n / AXES, r = e / n % AXES, s = e % AXES, t = 3 - r - s;
    const RungScalar a = tools_unknown(dag, 0, 0, 2, 0), b = tools_unknown(dag, 0, 1, 2, 0);
    RungScalar       cross, one, other;

    value[e] = RungDagMul(dag, RungDagMul(dag, a, tools_unknown(dag, 0, i, 0, 1 + r)),
                          tools_unknown(dag, 0, k, 0, 1 + s));
    if (i == k || r == s) continue;
    one      = tools_unknown(dag, 0, i, 0, 1 + (t + 1) % 3);
    other    = tools_unknown(dag, 0, i, 0, 1 + (t + 2) % 3);
    cross    = RungDagSub(dag, RungDagMul(dag, one, tools_unknown(dag, 0, k, 0, 1 + (t + 2) % 3)),
                          RungDagMul(dag, other, tools_unknown(dag, 0, k, 0, 1 + (t + 1) % 3)));
    cross    = RungDagMul(dag, b, (s - r + 3) % 3 == 1 ? cross : RungDagNeg(dag, cross));
    value[e] = RungDagAdd(dag, value[e], cross);
  }
  PetscCall(outer(2, value, &found, cost));
  CHECK(found);
  PetscCall(end());
  return PETSC_SUCCESS;
}

/* (a h_r) (a h_s) in one block, and 1/h_0^2 where h_0 > 0 in another: there the first entry is a factor with this inverse,
   a^2 = a h_0 a h_0 / h_0^2, but nowhere else. */
static PetscErrorCode test_what_a_condition_keeps_out_stays_out(void)
{
  const PetscInt  n = 2 * AXES;
  RungScalar      value[4 * AXES * AXES], out[4 * AXES * AXES], guard[3];
  RungIntegral    integral;
  RungDagProducts products;
  RungDag         to;

  PetscCall(begin());
  PetscCall(create_integral(2, &integral));
  for (PetscInt e = 0; e < n * n; ++e) {
    const PetscInt   r = e / n, s = e % n;
    const RungScalar a = tools_unknown(dag, 0, 1, 1, 0), h = tools_unknown(dag, 0, 0, 0, r),
                     k = tools_unknown(dag, 0, 0, 0, s);

    value[e] = r < AXES && s < AXES ? RungDagMul(dag, RungDagMul(dag, a, h), RungDagMul(dag, a, k)) : dag->zero;
  }
  guard[1]         = RungDagMul(dag, tools_unknown(dag, 0, 0, 0, 0), tools_unknown(dag, 0, 0, 0, 0));
  guard[0]         = RungDagOp(dag, RUNG_OP_GT, (const RungScalar[]){guard[1], dag->zero, -1});
  guard[1]         = RungDagDiv(dag, dag->one, guard[1]);
  guard[2]         = dag->zero;
  value[n * n - 1] = RungDagOp(dag, RUNG_OP_IF, guard);
  PetscCall(RungDagOuter(dag, &integral, value, &to, out, &products));
  for (PetscInt e = 0; to && e < n * n; ++e) {
    const RungScalar h = tools_unknown(to, 0, 0, 0, 0);

    CHECK(!PetscIsInfOrNanReal(tools_value(to, out[e], h, -tools_value(to, h, -1, 0))));
  }
  PetscCall(RungDagDestroy(&to));
  PetscCall(RungDagProductsDestroy(&products));
  PetscCall(PetscFree(integral.row));
  PetscCall(PetscFree(integral.col));
  PetscCall(PetscFree(integral.entry));
  PetscCall(end());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_full_rank_is_left_alone(void)
{
  RungScalar value[AXES * AXES];
  PetscInt   cost[2];
  PetscBool  found;

  PetscCall(begin());
  for (PetscInt e = 0; e < AXES * AXES; ++e) value[e] = tools_unknown(dag, 0, e / AXES, 0, 1 + e % AXES);
  PetscCall(outer(1, value, &found, cost));
  CHECK(!found);
  PetscCall(end());
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_rank_is_found_below_what_is_constant_in_the_cell),
               RUNG_TEST(test_vectors_of_rank_one_are_found_in_rank_two),
               RUNG_TEST(test_what_a_condition_keeps_out_stays_out), RUNG_TEST(test_full_rank_is_left_alone))
