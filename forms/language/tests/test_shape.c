/* test_shape.c - shapes of results, what does not fit, and where test functions may stand. */
#include "front_tools.h"

static PetscErrorCode test_operators_give_these_shapes(void)
{
  static const char *const text[][2] = {
    {"x", "vector[3] 0"},
    {"n", "vector[3] 0"},
    {"I", "tensor[3][3] 0"},
    {"unit(2)", "vector[3] 0"},
    {"h + volume", "scalar 0"},
    {"grad(u)", "vector[3] 0"},
    {"grad(U)", "tensor[3][3] 0"},
    {"grad(grad(u))", "tensor[3][3] 0"},
    {"div(U)", "scalar 0"},
    {"div(S)", "vector[3] 0"},
    {"curl(U)", "vector[3] 0"},
    {"cross(U, x)", "vector[3] 0"},
    {"dot(S, U)", "vector[3] 0"},
    {"dot(U, x)", "scalar 0"},
    {"dot(S, S)", "tensor[3][3] 0"},
    {"outer(U, S)", "tensor[3][3][3] 0"},
    {"inner(S, R)", "scalar 1"},
    {"tr(S)", "scalar 0"},
    {"det(S)", "scalar 0"},
    {"inv(S)", "tensor[3][3] 0"},
    {"dev(S)", "tensor[3][3] 0"},
    {"S[1]", "vector[3] 0"},
    {"S[1, 2]", "scalar 0"},
    {"vector(u, 1)", "vector[2] 0"},
    {"vector(U, x)", "tensor[2][3] 0"},
    {"transpose(vector(U, x))", "tensor[3][2] 0"},
    {"if(u < 1, U, x)", "vector[3] 0"},
    {"dt(S)", "tensor[3][3] 0"},
    {"2*W", "vector[3] 1"},
    {"W/u", "vector[3] 1"},
    {"derive(u^2*U, u, p)", "vector[3] 0"},
    {"derive(u^2*dx, u)", "an integral 1"},
    {"u*dx", "an integral 0"},
    {"u*dx + U[0]*dx + p*ds", "an integral 0"},
    {"vector(v, 0*v, q)", "vector[3] 1"},
    {"if(t < 1, v, 0)", "scalar 1"},
    {"grad(v)", "vector[3] 1"},
    {"d", "scalar 0"},
  };

  PetscFunctionBegin;
  PetscCall(front_begin(3));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_SHAPE(text[i][0], text[i][1]);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_one_dimension_has_vectors_of_one_component(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(1));
  CHECK_SHAPE("x", "vector[1] 0");
  CHECK_SHAPE("grad(u)", "vector[1] 0");
  CHECK_SHAPE("grad(u)[0]*v*n[0]*ds", "an integral 1");
  CHECK_REFUSED("curl(U)",
                "curl() wants a vector of as many components as axes, in 2D or 3D, got vector[1] in dimension 1");
  PetscCall(front_end());
  PetscCall(front_begin(2));
  CHECK_SHAPE("curl(U)", "scalar 0");
  CHECK_SHAPE("cross(U, x)", "scalar 0");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_shapes_that_do_not_fit_are_refused(void)
{
  static const char *const text[][2] = {
    {"inner(grad(U), u)", "inner() wants two arguments of one shape, got tensor[2][2] and scalar"},
    {"inner(S, U)", "dot(a, b) contracts one index"},
    {"U + 1", "a sum wants two terms of one shape, got vector[2] and scalar"},
    {"S + u", "a scalar joins a tensor as a*I"},
    {"U*U",
     "a product wants a scalar on one side, got vector[2] and vector[2]; use inner(a, b), dot(a, b) or outer(a, b)"},
    {"u/U", "a quotient wants a scalar below, got vector[2]"},
    {"U^2", "\"^\" wants scalars, got vector[2] and scalar; the square of a vector or tensor a is inner(a, a)"},
    {"sin(U)", "sin() wants a scalar, got vector[2]; take components, like a[0]"},
    {"atan2(u, U)", "atan2() wants scalars, got scalar and vector[2]"},
    {"if(U < 1, u, p)", "\"<\" wants scalars, got vector[2] and scalar"},
    {"if(u, U, S)", "if() wants two values of one shape, got vector[2] and tensor[2][2]"},
    {"dot(u, U)", "dot() wants vectors or tensors, got scalar and vector[2]"},
    {"dot(S, vector(1, 2, 3))", "dot() contracts the last index of the first with the first of the second argument, "
                                "got tensor[2][2] and vector[3]"},
    {"outer(u, U)", "outer() wants vectors or tensors"},
    {"outer(outer(S, S), U)", "outer() makes a tensor of more than 4 indices here"},
    {"cross(U, S)", "cross() wants two vectors of 2 or of 3 components, got vector[2] and tensor[2][2]"},
    {"tr(U)", "tr() wants a square tensor, got vector[2]"},
    {"det(vector(U, x, x))", "det() wants a square tensor, got tensor[3][2]"},
    {"inv(vector(vector(1, 2, 3, 4), vector(1, 2, 3, t), vector(1, 2, 3, 4), vector(1, 2, 3, 4)))",
     "inv() wants a square tensor of size 1, 2 or 3"},
    {"transpose(U)", "transpose() wants a tensor of two indices, got vector[2]"},
    {"vector(u, U)", "vector() wants arguments of one shape, got scalar and, as argument 2, vector[2]"},
    {"unit(2)", "unit(2) in dimension 2; axes are 0 to 1"},
    {"unit(u)", "unit() wants a whole number, the axis, counted from 0"},
    {"U[2]", "index 2 of vector[2]; it counts from 0 to 1"},
    {"U[0, 0]", "2 indices for a value with 1, a vector[2]"},
    {"U[-1]", "index -1; indices count from 0"},
    {"div(u)", "div() wants a last index over the 2 axes, got scalar"},
    {"div(vector(u, u, u))", "div() wants a last index over the 2 axes, got vector[3]"},
    {"grad(n)", "grad() of n or facet_area, which are known on facets only"},
    {"grad(grad(grad(u)))", "grad() makes a third derivative in space here"},
    {"dt(u, 3)", "dt() makes a time derivative of order 3 here; there are 2"},
    {"dt(u, p)", "dt() wants a whole number as second argument, the order"},
    {"dt(u, 1.5)", "dt() wants a whole number as second argument, the order"},
    {"noise(S)", "noise() wants scalars"},
    {"derive(u^2*dx, v)", "derive() wants an unknown as second argument"},
    {"derive(u^2*dx, u, U)", "derive() wants a direction in the shape of \"u\", scalar, got vector[2]"},
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_REFUSED(text[i][0], text[i][1]);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_integrals_are_no_point_values(void)
{
  static const char *const text[][2] = {
    {"u*dx + 1", "a sum of an integral and a point value; multiply the point value by a measure, like dx"},
    {"u*dx*p", "an integral times something that varies in space; only numbers, constants and t stand outside, the "
               "rest goes before the measure"},
    {"u*dx*(p*dx)", "a product of two integrals; a form is a sum of integrals"},
    {"1/(u*dx)", "a division by an integral"},
    {"sin(u*dx)", "\"sin\" wants point values, got an integral; apply it under the integral"},
    {"dt(u*dx)", "\"dt\" wants point values, got an integral"},
    {"U*dx", "an integral wants a scalar, got vector[2]; contract it with inner(a, b) or take components, like a[0]"},
    {"n[0]*v*dx", "n and facet_area are known on facets only; use them under ds"},
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_REFUSED(text[i][0], text[i][1]);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_forms_are_linear_in_test_functions(void)
{
  static const char *const text[][2] = {
    {"u*v*dx + v*q*dx",
     "text, column 10: a product of test functions, \"v\" and \"q\"; a form is linear in its test functions\n"
     "    u*v*dx + v*q*dx\n             ^~~"},
    {"v^2", "the test function \"v\" inside \"^\""},
    {"u/v", "text, column 1: the test function \"v\" in a denominator; a form is linear in its test functions\n    "
            "u/v\n    ^~~"},
    {"sin(u*v)", "the test function \"v\" inside \"sin\""},
    {"if(v > 0, 1, 2)", "the test function \"v\" inside \">\""},
    {"det(R)", "the test function \"R\" inside \"det\""},
    {"if(t > 0, v, 1)", "a term with the test function \"v\" beside a term without one"},
    {"u*v*dx + u*dx",
     "a term with the test function \"v\" beside a term without one; a form holds a test function in every term"},
    {"vector(v, 1)", "a term with the test function \"v\" beside a term without one"},
    {"inner(W, grad(v))", "a product of test functions, \"W\" and \"v\""},
    {"dt(u*v)", "dt() of the test function \"v\": test functions have no time derivative"},
    {"derive(dt(u)*u*dx, u)",
     "derive() of an expression with a time derivative of \"u\": test functions have no time derivative"},
    {"derive(u^2*v*dx, u)", "a product of test functions, \"v\" and \"v\""},
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_REFUSED(text[i][0], text[i][1]);
  CHECK_SHAPE("derive(dt(p)*u*dx, u)", "an integral 1");
  CHECK_SHAPE("derive(u^2*v*dx, u, p)", "an integral 1");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_operators_give_these_shapes), RUNG_TEST(test_one_dimension_has_vectors_of_one_component),
               RUNG_TEST(test_shapes_that_do_not_fit_are_refused), RUNG_TEST(test_integrals_are_no_point_values),
               RUNG_TEST(test_forms_are_linear_in_test_functions))
