/* test_tape.c - order, registers and printing of tapes. */
#include "scalar_tools.h"

static const char *const texts[] = {
  "F = I + grad(u); inv(F)",
  "F = I + grad(u); J = det(F); diff(mu/2*(inner(F, F) - 3)*J^(-2/3) - mu*log(J) + mu^2*log(J)^2, F)",
  "vector(sin(t)*x[0], h*mu*t, exp(-u[0]^2)/(1 + u[1]), 1/3)",
  "vector(-(u[0] - sin(u[1])), u[2] - u[0]*u[1], (u[0] - u[2])*t - mu)",
  "if(u[0] < u[1] and t > 0, grad(u), transpose(grad(u)))*exp(mu*t)*h^2",
};

static PetscErrorCode create_tape(const char text[], RungScope *scope, RungTape *tape)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^d", NULL, scope));
  PetscCall(RungScopeSetConstant(*scope, "mu", 0.7));
  PetscCall(RungScopeParse(*scope, "text", text, &expr));
  PetscCall(RungLowerPointwise(expr, tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_shared_registers_give_the_same_values(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    RungScope scope;
    RungTape  tape;
    double    shared[81], own[81];

    PetscCall(create_tape(texts[i], &scope, &tape));
    PetscCall(tools_tape(&tape, PETSC_TRUE, shared));
    PetscCall(tools_tape(&tape, PETSC_FALSE, own));
    for (PetscInt o = 0; o < tape.outputs; ++o) CHECK(shared[o] == own[o]);
    CHECK(tape.registers < tape.inputs + tape.instructions);
    PetscCall(RungTapeDestroy(&tape));
    PetscCall(RungScopeDestroy(&scope));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the fused operators (a - b, a / b) have the value of the nodes they came from */
static PetscErrorCode test_tapes_have_the_values_of_their_nodes(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    RungScope         scope;
    RungTape          tape;
    RungDag           dag;
    const RungScalar *component;
    double            value[81];

    PetscCall(create_tape(texts[i], &scope, &tape));
    PetscCall(tools_tape(&tape, PETSC_TRUE, value));
    PetscCall(RungDagCreate(scope, &dag));
    PetscCall(tools_expand(scope, dag, texts[i], &component));
    for (PetscInt o = 0; o < tape.outputs; ++o)
      CHECK_NEAR(value[o], tools_value(dag, component[o], -1, 0), 1e-13 * (1 + fabs(value[o])));
    PetscCall(RungDagDestroy(&dag));
    PetscCall(RungTapeDestroy(&tape));
    PetscCall(RungScopeDestroy(&scope));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* no instruction reads what comes later or varies faster, none writes into its operand or into what an earlier rate
 * left */
static PetscErrorCode test_rates_ascend_and_registers_are_safe(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    RungScope scope;
    RungTape  tape;

    PetscCall(create_tape(texts[i], &scope, &tape));
    for (PetscInt k = 0; k < tape.instructions; ++k) {
      const PetscInt v = tape.inputs + k;

      CHECK(k == 0 || tape.rate[v] >= tape.rate[v - 1]);
      for (int a = 0; a < rung_ops[tape.instruction[k].op].max; ++a) {
        const PetscInt from = tape.instruction[k].arg[a];

        CHECK(from < v && tape.rate[from] <= tape.rate[v] && tape.slot[from] != tape.slot[v]);
      }
      for (PetscInt w = 0; w < v; ++w) CHECK(tape.slot[w] != tape.slot[v] || tape.rate[w] == tape.rate[v]);
    }
    PetscCall(RungTapeDestroy(&tape));
    PetscCall(RungScopeDestroy(&scope));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_inputs_are_sorted_and_single(void)
{
  RungScope scope;
  RungTape  tape;

  PetscFunctionBegin;
  PetscCall(create_tape("vector(u[0] + 1/3, 0.3333333333333333*u[0], t, mu, u[2], h)", &scope, &tape));
  CHECK(tape.inputs == 6 && tape.instructions == 2);
  CHECK(tape.input[0].kind == RUNG_IN_NUMBER && tape.input[1].kind == RUNG_IN_CONSTANT &&
        tape.input[2].kind == RUNG_IN_TIME);
  CHECK(tape.input[3].kind == RUNG_IN_CELL && tape.input[4].component == 0 && tape.input[5].component == 2);
  CHECK(tape.rate[tape.output[2]] == RUNG_RATE_UNIFORM && tape.rate[tape.output[5]] == RUNG_RATE_CELL);
  PetscCall(RungTapeDestroy(&tape));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_view_prints_one_readable_line_a_value(void)
{
  RungScope   scope;
  RungTape    tape;
  PetscViewer viewer;
  FILE       *file       = tmpfile();
  char        text[2048] = "";

  PetscFunctionBegin;
  CHECK(file != NULL);
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_tape("0.1*mu*grad(u)[1, 2] + sin(u[0])", &scope, &tape));
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungTapeView(&tape, scope, viewer));
  PetscCall(PetscViewerFlush(viewer));
  rewind(file);
  CHECK(fread(text, 1, sizeof text - 1, file) > 0);
  CHECK(strstr(text, "v0 = 0.10000000000000001   # uniform\n") && strstr(text, "v1 = mu   # uniform\n"));
  CHECK(strstr(text, "v3 = d/dx2 u[1]   # point\n") && strstr(text, "v4 = v0 * v1   # uniform\n"));
  CHECK(strstr(text, " = sin(v2)   # point\n"));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(file);
  PetscCall(RungTapeDestroy(&tape));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_shared_registers_give_the_same_values),
               RUNG_TEST(test_tapes_have_the_values_of_their_nodes),
               RUNG_TEST(test_rates_ascend_and_registers_are_safe), RUNG_TEST(test_inputs_are_sorted_and_single),
               RUNG_TEST(test_view_prints_one_readable_line_a_value))
