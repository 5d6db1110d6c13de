/* test_regroup.c - regrouped values are the same from fewer operations, or are left as they are. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

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

static PetscErrorCode count_instructions(RungDag of, PetscInt n, const RungScalar root[], PetscInt *count)
{
  RungTape tape;

  PetscFunctionBegin;
  PetscCall(RungTapeCreate(of, n, root, &tape));
  *count = tape.instructions;
  PetscCall(RungTapeDestroy(&tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Instructions of the tapes before and after; before = after where nothing was saved.  Values are compared. */
static PetscErrorCode regroup(PetscInt n, const RungScalar root[], PetscInt *before, PetscInt *after)
{
  RungDag     best;
  RungScalar *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &out));
  PetscCall(count_instructions(dag, n, root, before));
  *after = *before;
  PetscCall(RungDagRegroup(dag, n, root, &best, out));
  if (best) PetscCall(count_instructions(best, n, out, after));
  for (PetscInt r = 0; best && r < n; ++r) {
    for (tools_seed = 1; tools_seed < 4; ++tools_seed)
      CHECK_NEAR(tools_value(dag, root[r], -1, 0), tools_value(best, out[r], -1, 0), 1e-12);
  }
  tools_seed = 1;
  PetscCall(RungDagDestroy(&best));
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode regroup_text(const char text[], PetscInt *before, PetscInt *after)
{
  const RungScalar *component;

  PetscFunctionBegin;
  PetscCall(tools_expand(scope, dag, text, &component));
  PetscCall(regroup(strstr(text, "vector") ? 3 : 1, component, before, after));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_common_factors_of_many_sums_are_taken_out(void)
{
  PetscInt before, after;

  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(
    regroup_text("a = exp(u[0]); s = sin(u[1]); w = cos(u[2]); r = grad(u)[0, 0]; g = grad(u)[2];"
                 "vector(a*(s*(g[0]*r)) - w*(g[0]*a), a*(s*(g[1]*r)) - w*(g[1]*a), a*(s*(g[2]*r)) - w*(g[2]*a))",
                 &before, &after));
  CHECK(before > 20 && after == 9); /* three functions; s r - w and its product with a; a product each */
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_pairs_that_many_products_have_are_multiplied_once(void)
{
  PetscInt before, after;

  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(regroup_text("vector(u[0]*u[1]*x[0]*x[1], u[1]*x[0]*t*u[2]*x[1], x[1]*(x[2]*x[0])*u[1])", &before, &after));
  CHECK(after < before);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_cannot_be_cheaper_stays(void)
{
  static const char *const text[] = {"u[0]*u[1] + u[2]",
                                     "1",
                                     "mu*lambda + t",
                                     "-u[0]",
                                     "u[0]",
                                     "if(u[0] > 0, u[1], 2)",
                                     "mu*(u[0] - x[0]) + lambda*u[1]"};
  PetscInt                 before, after;

  PetscFunctionBegin;
  PetscCall(begin());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
    PetscCall(regroup_text(text[i], &before, &after));
    CHECK(after == before);
  }
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All kinds of nodes, signs, powers, long sums and products. */
static PetscErrorCode test_values_stay(void)
{
  static const char *const text[] = {
    "-(u[0]*u[1]*u[2]) - u[0]*u[1]*x[0] - (x[1] - u[0]*u[1])/(u[0]*u[1])",
    "(u[0] + u[1])^5*u[0]^-2 + sqrt(u[0]*u[1])*u[0]^3 - u[0]^3*(u[0] + u[1])^4",
    "if(u[0] < u[1], u[0]*u[1]*t, -u[0]*u[1]) - u[0]*u[1]*max(u[2], 0.5)*if(u[0] < u[1], 2, 3)",
    "h*t*u[0]*volume + h*t*u[1]*volume - mu*h*t - lambda*h*t*u[0]*u[1]",
    "tr(dot(dot(grad(u), grad(u)), dot(grad(u), grad(u))))*tr(grad(u)) - det(grad(u))*tr(grad(u))",
    ("u[0]*u[1]*u[2]*x[0]*x[1]*x[2]*sin(u[0])*cos(u[0])*exp(u[1])*tan(u[1])*u[0]*u[1]*u[2]*x[0]*x[1]*x[2]*log(u[2])*"
     "sin(u[1])*cos(u[1])*exp(u[2])*tan(u[2])*sin(u[2])*cos(u[2])*exp(x[0])*tan(x[1])*sin(x[1]) - u[0]"),
  };
  PetscInt before, after;

  PetscFunctionBegin;
  PetscCall(begin());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) PetscCall(regroup_text(text[i], &before, &after));
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tangents_have_fewer_operations(void)
{
  static const char stress[] = "F = I + grad(u); G = transpose(inv(F)); mu*(F - G) + lambda*log(det(F))*G";
  const RungWhich   which    = {1u << RUNG_IN_UNKNOWN, -1, -1};
  const RungScalar *P;
  RungScalar       *tangent, *input;
  PetscInt          n, before, after;

  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(tools_expand(scope, dag, stress, &P));
  PetscCall(RungDagJacobian(dag, 9, P, dag->one, &which, PETSC_FALSE, &n, &input, &tangent));
  PetscCall(regroup(81, tangent, &before, &after));
  CHECK(before > 160 && after < 140);
  PetscCall(PetscFree(input));
  PetscCall(PetscFree(tangent));
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_common_factors_of_many_sums_are_taken_out),
               RUNG_TEST(test_pairs_that_many_products_have_are_multiplied_once),
               RUNG_TEST(test_what_cannot_be_cheaper_stays), RUNG_TEST(test_values_stay),
               RUNG_TEST(test_tangents_have_fewer_operations))
