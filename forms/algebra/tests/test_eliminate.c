/* test_eliminate.c - Jacobians of many by many against finite differences, and what they cost. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static const char neo_hookean[] = "F = I + grad(u); J = det(F); mu/2*(inner(F, F) - 3) - mu*log(J) + lambda/2*log(J)^2";
static const char saint_venant[] =
  "E = sym(grad(u)) + dot(transpose(grad(u)), grad(u))/2; lambda/2*tr(E)^2 + mu*inner(E, E)";

static PetscErrorCode Begin(void)
{
  PetscFunctionBegin;
  PetscCall(ToolsScope("tetrahedron", 3, "P2^d", NULL, &scope));
  PetscCall(RungScopeSetConstant(scope, "mu", 1));
  PetscCall(RungScopeSetConstant(scope, "lambda", 1));
  PetscCall(RungDagCreate(scope, &dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* stress and tangent of an energy density: first and second derivatives by grad(u), the inputs */
static PetscErrorCode Tangent(const char energy[], RungScalar stress[9], RungScalar **input, RungScalar **tangent)
{
  const RungWhich   which = {1u << RUNG_IN_UNKNOWN, -1, -1};
  const RungScalar *psi;
  RungScalar       *first;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(ToolsExpand(scope, dag, energy, &psi));
  PetscCall(RungDagJacobian(dag, 1, psi, dag->one, &which, PETSC_FALSE, &n, input, &first));
  CHECK(n == 9);
  for (int i = 0; i < 9; ++i) stress[i] = first[i];
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(*input));
  PetscCall(RungDagJacobian(dag, 9, stress, dag->one, &which, PETSC_FALSE, &n, input, tangent));
  CHECK(n == 9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckTangent(const char energy[], PetscInt most)
{
  RungScalar stress[9], *input, *tangent;
  RungTape   tape;

  PetscFunctionBegin;
  PetscCall(Begin());
  PetscCall(Tangent(energy, stress, &input, &tangent));
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      CHECK_NEAR(ToolsValue(dag, tangent[9 * i + j], -1, 0), ToolsSlope(dag, stress[i], input[j]), 1e-7);
      CHECK(tangent[9 * i + j] == tangent[9 * j + i]);
    }
  }
  PetscCall(RungTapeCreate(dag, 81, tangent, &tape));
  CHECK(tape.instructions <= most);
  PetscCall(RungTapeDestroy(&tape));
  PetscCall(PetscFree(tangent));
  PetscCall(PetscFree(input));
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_neo_hookean_tangent_is_exact_symmetric_and_cheap(void)
{
  PetscFunctionBegin;
  PetscCall(CheckTangent(neo_hookean, 165));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_saint_venant_tangent_is_exact_symmetric_and_cheap(void)
{
  PetscFunctionBegin;
  PetscCall(CheckTangent(saint_venant, 270));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_seed_scales_and_absent_inputs_have_no_column(void)
{
  const RungWhich   which = {1u << RUNG_IN_UNKNOWN, 0, 1};
  const RungScalar *component;
  RungScalar       *input, *entry, three;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(Begin());
  three = RungDagNumber(dag, 3);
  PetscCall(ToolsExpand(scope, dag, "vector(u[0]*dt(u[1]), x[0], dt(u[1]))", &component));
  PetscCall(RungDagJacobian(dag, 3, component, three, &which, PETSC_FALSE, &n, &input, &entry));
  CHECK(n == 1 && input[0] == ToolsUnknown(dag, 0, 1, 1, 0));
  CHECK(entry[0] == RungDagMul(dag, three, ToolsUnknown(dag, 0, 0, 0, 0)) && entry[1] == dag->zero &&
        entry[2] == three);
  PetscCall(PetscFree(input));
  PetscCall(PetscFree(entry));
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned Random(unsigned n)
{
  static uint64_t state = 99;

  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % n;
}

/* random smooth functions of four inputs and of one another */
static void Grow(int inputs, int n, RungScalar pool[])
{
  static const RungOp ops[] = {RUNG_OP_ADD, RUNG_OP_SUB,  RUNG_OP_MUL, RUNG_OP_DIV,
                               RUNG_OP_SIN, RUNG_OP_SQRT, RUNG_OP_TANH};

  for (int i = 0; i < inputs; ++i) pool[i] = ToolsUnknown(dag, 0, i % 3, i / 3, 0);
  for (int i = inputs; i < n;) {
    const RungScalar arg[3] = {pool[Random((unsigned)i)], pool[Random((unsigned)i)], -1};
    double           value;

    pool[i] = RungDagOp(dag, ops[Random(sizeof ops / sizeof ops[0])], arg);
    value   = ToolsValue(dag, pool[i], -1, 0);
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

    PetscCall(Begin());
    Grow(4, N, pool);
    PetscCall(RungDagJacobian(dag, ROOTS, pool + N - ROOTS, dag->one, &which, PETSC_FALSE, &n, &input, &entry));
    for (PetscInt i = 0; i < ROOTS * n; ++i) {
      const double slope = ToolsSlope(dag, pool[N - ROOTS + i / n], input[i % n]);

      CHECK_NEAR(ToolsValue(dag, entry[i], -1, 0), slope, 1e-4 * (1 + fabs(slope)));
    }
    PetscCall(PetscFree(input));
    PetscCall(PetscFree(entry));
    PetscCall(End());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_neo_hookean_tangent_is_exact_symmetric_and_cheap),
               RUNG_TEST(test_saint_venant_tangent_is_exact_symmetric_and_cheap),
               RUNG_TEST(test_seed_scales_and_absent_inputs_have_no_column),
               RUNG_TEST(test_random_functions_have_the_slopes_of_finite_differences))
