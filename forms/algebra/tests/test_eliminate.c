/* test_eliminate.c - Jacobians of many by many against finite differences, and what they cost. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static const char neo_hookean[] = "F = I + grad(u); J = det(F); mu/2*(inner(F, F) - 3) - mu*log(J) + lambda/2*log(J)^2";
static const char saint_venant[] =
  "E = sym(grad(u)) + dot(transpose(grad(u)), grad(u))/2; lambda/2*tr(E)^2 + mu*inner(E, E)";

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^d", NULL, &scope));
  PetscCall(RungScopeSetConstant(scope, "mu", 1));
  PetscCall(RungScopeSetConstant(scope, "lambda", 1));
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

/* stress and tangent of an energy density: first and second derivatives by grad(u), the inputs */
static PetscErrorCode find_tangent(const char energy[], RungScalar stress[9], RungScalar **input, RungScalar **tangent)
{
  const RungWhich   which = {1u << RUNG_IN_UNKNOWN, -1, -1};
  const RungScalar *psi;
  RungScalar       *first;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(tools_expand(scope, dag, energy, &psi));
  PetscCall(RungDagJacobian(dag, 1, psi, dag->one, &which, PETSC_FALSE, &n, input, &first));
  CHECK(n == 9);
  for (int i = 0; i < 9; ++i) stress[i] = first[i];
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(*input));
  PetscCall(RungDagJacobian(dag, 9, stress, dag->one, &which, PETSC_FALSE, &n, input, tangent));
  CHECK(n == 9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_tangent(const char energy[], PetscInt most)
{
  RungScalar stress[9], *input, *tangent;
  RungTape   tape;

  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(find_tangent(energy, stress, &input, &tangent));
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      CHECK_NEAR(tools_value(dag, tangent[9 * i + j], -1, 0), tools_slope(dag, stress[i], input[j]), 1e-7);
      CHECK(tangent[9 * i + j] == tangent[9 * j + i]);
    }
  }
  PetscCall(RungTapeCreate(dag, 81, tangent, &tape));
  CHECK(tape.instructions <= most);
  PetscCall(RungTapeDestroy(&tape));
  PetscCall(PetscFree(tangent));
  PetscCall(PetscFree(input));
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_neo_hookean_tangent_is_exact_symmetric_and_cheap(void)
{
  PetscFunctionBegin;
  PetscCall(check_tangent(neo_hookean, 165));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_saint_venant_tangent_is_exact_symmetric_and_cheap(void)
{
  PetscFunctionBegin;
  PetscCall(check_tangent(saint_venant, 270));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_seed_scales_and_absent_inputs_have_no_column(void)
{
  const RungWhich   which = {1u << RUNG_IN_UNKNOWN, 0, 1};
  const RungScalar *component;
  RungScalar       *input, *entry, three;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(begin());
  three = RungDagNumber(dag, 3);
  PetscCall(tools_expand(scope, dag, "vector(u[0]*dt(u[1]), x[0], dt(u[1]))", &component));
  PetscCall(RungDagJacobian(dag, 3, component, three, &which, PETSC_FALSE, &n, &input, &entry));
  CHECK(n == 1 && input[0] == tools_unknown(dag, 0, 1, 1, 0));
  CHECK(entry[0] == RungDagMul(dag, three, tools_unknown(dag, 0, 0, 0, 0)) && entry[1] == dag->zero &&
        entry[2] == three);
  PetscCall(PetscFree(input));
  PetscCall(PetscFree(entry));
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned random_below(unsigned n)
{
  static uint64_t state = 99;

  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % n;
}

/* random smooth functions of four inputs and of one another */
static void grow_pool(int inputs, int n, RungScalar pool[])
{
  static const RungOp ops[] = {RUNG_OP_ADD, RUNG_OP_SUB,  RUNG_OP_MUL, RUNG_OP_DIV,
                               RUNG_OP_SIN, RUNG_OP_SQRT, RUNG_OP_TANH};

  for (int i = 0; i < inputs; ++i) pool[i] = tools_unknown(dag, 0, i % 3, i / 3, 0);
  for (int i = inputs; i < n;) {
    const RungScalar arg[3] = {pool[random_below((unsigned)i)], pool[random_below((unsigned)i)], -1};
    double           value;

    pool[i] = RungDagOp(dag, ops[random_below(sizeof ops / sizeof ops[0])], arg);
    value   = tools_value(dag, pool[i], -1, 0);
    if (value > 0.2 && value < 5 && !RungDagIsNumber(dag, pool[i], NULL)) ++i;
  }
}

static PetscErrorCode test_random_functions_have_the_slopes_of_finite_differences(void)
{
  enum { N = 60, ROOTS = 10, ROUNDS = 20 };
  const RungWhich which = {1u << RUNG_IN_UNKNOWN, -1, -1};

  PetscFunctionBegin;
  for (int round = 0; round < ROUNDS; ++round) {
    RungScalar pool[N], *input, *entry;
    PetscInt   n;

    PetscCall(begin());
    grow_pool(4, N, pool);
    PetscCall(RungDagJacobian(dag, ROOTS, pool + N - ROOTS, dag->one, &which, PETSC_FALSE, &n, &input, &entry));
    for (PetscInt i = 0; i < ROOTS * n; ++i) {
      const double slope = tools_slope(dag, pool[N - ROOTS + i / n], input[i % n]);

      CHECK_NEAR(tools_value(dag, entry[i], -1, 0), slope, 1e-4 * (1 + fabs(slope)));
    }
    PetscCall(PetscFree(input));
    PetscCall(PetscFree(entry));
    PetscCall(end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_neo_hookean_tangent_is_exact_symmetric_and_cheap),
               RUNG_TEST(test_saint_venant_tangent_is_exact_symmetric_and_cheap),
               RUNG_TEST(test_seed_scales_and_absent_inputs_have_no_column),
               RUNG_TEST(test_random_functions_have_the_slopes_of_finite_differences))
