/* test_pointwise.c - expressions of x and t at points. */
#include "scalar_tools.h"

enum { POINTS = 300 }; /* more than two blocks */

static PetscErrorCode create_pointwise(RungScope scope, const char text[], PetscBool rate, RungPointwise *f)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "initial value", text, &expr));
  PetscCall(RungPointwiseCreate(rate ? RungDt(expr) : expr, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_at_many_points(void)
{
  RungScope     scope;
  RungPointwise f;
  PetscReal     x[2 * POINTS];
  PetscScalar   out[2 * POINTS];
  PetscBool     timed;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  PetscCall(RungScopeSetConstant(scope, "a", 2));
  for (int i = 0; i < 2 * POINTS; ++i) x[i] = sin(i) + 0.01 * i;
  PetscCall(create_pointwise(scope, "vector(a*sin(pi*x[0])*x[1], if(x[0] > 1, exp(-t), 3))", PETSC_FALSE, &f));
  PetscCall(RungScopeSetConstant(scope, "a", 5));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(RungPointwiseEvaluate(f, 0.3, POINTS, x, out));
  for (int i = 0; i < POINTS; ++i) {
    CHECK_NEAR(out[2 * i], 5 * sin(PETSC_PI * x[2 * i]) * x[2 * i + 1], 1e-13);
    CHECK_NEAR(out[2 * i + 1], x[2 * i] > 1 ? exp(-0.3) : 3, 1e-15);
  }
  PetscCall(RungPointwiseIsTimeDependent(f, &timed));
  CHECK(timed);
  PetscCall(RungPointwiseDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_dt_of_data_is_exact(void)
{
  RungScope       scope;
  RungPointwise   f;
  const PetscReal x[2] = {0.4, 0.7};
  PetscScalar     out;
  PetscBool       timed;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  PetscCall(create_pointwise(scope, "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)", PETSC_TRUE, &f));
  PetscCall(RungPointwiseEvaluate(f, 0.9, 1, x, &out));
  CHECK_NEAR(out, 3 * cos(3.1) * (1 + 0.4 + 2 * 0.16), 1e-14);
  PetscCall(RungPointwiseDestroy(&f));
  PetscCall(create_pointwise(scope, "x[0]^2", PETSC_TRUE, &f));
  PetscCall(RungPointwiseEvaluate(f, 0.9, 1, x, &out));
  PetscCall(RungPointwiseIsTimeDependent(f, &timed));
  CHECK(out == 0 && !timed);
  PetscCall(RungPointwiseDestroy(&f));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_unknowns_and_cells_are_refused(void)
{
  RungScope     scope;
  RungPointwise f;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  CHECK_RAISES(create_pointwise(scope, "1 + u", PETSC_FALSE, &f), "\"u\"");
  CHECK_RAISES(create_pointwise(scope, "h*t", PETSC_FALSE, &f), "x, t and constants");
  CHECK_RAISES(create_pointwise(scope, "t*dx", PETSC_FALSE, &f), "integral");
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* least <= the rounding that is seen <= most */
static PetscErrorCode rounds(RungScope scope, const char text[], PetscReal least, PetscReal most)
{
  const PetscReal x[4] = {1, 0, 0.5, 1};
  RungPointwise   f;
  PetscReal       error, each[2];

  PetscFunctionBegin;
  PetscCall(create_pointwise(scope, text, PETSC_FALSE, &f));
  PetscCall(RungPointwiseRounding(f, 0, 2, x, each));
  error = PetscMax(each[0], each[1]);
  if (error < least || error > most) fprintf(stderr, "rounding of %s is %g\n", text, (double)error);
  CHECK(error >= least && error <= most);
  PetscCall(RungPointwiseDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rounding_is_that_of_the_evaluation(void)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  PetscCall(rounds(scope, "2", 1e-16, 1e-15));
  PetscCall(rounds(scope, "1e-32", 1e-48, 1e-47));        /* a number however small has its digits */
  PetscCall(rounds(scope, "sin(pi*x[0])", 1e-16, 1e-14)); /* 1.2e-16 at x = 1 */
  PetscCall(rounds(scope, "sin(pi*x[0])^2*x[0]", 1.5e-32, 1e-14));
  PetscCall(rounds(scope, "sqrt(1e12 + x[0]) - 1e6", 1e-11, 1e-8)); /* cancels */
  PetscCall(rounds(scope, "sqrt(x[1])", 1e-9, 1e-7)); /* a coordinate of 0 is known to a unit of the largest */
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_at_many_points), RUNG_TEST(test_dt_of_data_is_exact),
               RUNG_TEST(test_rounding_is_that_of_the_evaluation), RUNG_TEST(test_unknowns_and_cells_are_refused))
