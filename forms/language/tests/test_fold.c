/* test_fold.c - what expressions amount to: numbers, zeros, ones, signs, identities. */
#include "front_tools.h"

static PetscErrorCode test_numbers_are_computed(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("1 + 2*3 - 2^3/4", "5");
  CHECK_SAME("sqrt(16) + exp(0) + max(1, 2) + d", "9");
  CHECK_SAME("if(1 < 2 and not 3 == 4, u, p)", "u");
  CHECK_SAME("if(1 > 2 or 0, u, p)", "p");
  CHECK_SAME("-0", "0");
  CHECK_REFUSED("1/(1 - 1)", "a division by zero");
  CHECK_REFUSED("u/0", "text, column 1: a division by zero\n    u/0\n    ^~~");
  CHECK_REFUSED("sqrt(-1)", "sqrt(-1) is not a finite number");
  CHECK_REFUSED("10^400", "\"^\" of 10 and 400 is not a finite number");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_zeros_and_ones_vanish(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("u + 0*p", "u");
  CHECK_SAME("1*u/1", "u");
  CHECK_SAME("u^1 + u^0", "u + 1");
  CHECK_SAME("u - u", "0");
  CHECK_SAME("U + x - (U + x)", "vector(0, 0)");
  CHECK_SAME("1*U + 0*x", "U");
  CHECK_SAME("inner(0*U, x)", "0");
  CHECK_SAME("grad(kappa + t)", "vector(0, 0)");
  CHECK_SAME("grad(h)", "vector(0, 0)");
  CHECK_SAME("dt(x[0]*kappa)", "0");
  CHECK_SAME("dt(t)", "1");
  CHECK_SAME("diff(u, u)", "1");
  CHECK_SAME("diff(p, u)", "0");
  CHECK_SAME("0*v*u", "0*v");
  CHECK_OTHER("0*v", "0");
  CHECK_OTHER("0*v", "0*q");
  CHECK_SAME("u*v*dx + 0*v*dx", "u*v*dx");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_equal_products_are_one_node(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("u*p", "p*u");
  CHECK_SAME("2*u*p*3", "6*(u*p)");
  CHECK_SAME("(-u)*p", "-(u*p)");
  CHECK_SAME("u*(-2)*p", "-(2*u*p)");
  CHECK_SAME("-u/p", "u/(-p)");
  CHECK_SAME("2*u/p", "2*(u/p)");
  CHECK_SAME("2*(3/u)", "6/u");
  CHECK_SAME("2*(kappa*U)", "2*kappa*U");
  CHECK_SAME("U*kappa", "kappa*U");
  CHECK_SAME("-(kappa*U)", "-kappa*U");
  CHECK_SAME("U/2", "0.5*U");
  CHECK_SAME("inner(U, x)", "inner(x, U)");
  CHECK_SAME("inner(u, v)", "u*v");
  CHECK_OTHER("dot(S, eps)", "dot(eps, S)");
  CHECK_OTHER("u/p", "p/u");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tensors_show_their_components(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("vector(u, p)[1]", "p");
  CHECK_SAME("vector(U, x)[1][0]", "x[0]");
  CHECK_SAME("vector(U, x)[1, 0]", "x[0]");
  CHECK_SAME("unit(1)[0] + unit(1)[1]", "1");
  CHECK_SAME("I[0, 1] + I[1, 1]", "1");
  CHECK_SAME("I[1]", "unit(1)");
  CHECK_SAME("dot(I, U)", "U");
  CHECK_SAME("dot(S, I)", "S");
  CHECK_SAME("tr(I)", "2");
  CHECK_SAME("det(inv(I))", "1");
  CHECK_SAME("dev(I)", "0*S");
  CHECK_SAME("transpose(transpose(S))", "S");
  CHECK_SAME("sym(sym(S))", "transpose(sym(S))");
  CHECK_SAME("grad(x)", "I");
  CHECK_SAME("div(x)", "d");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_numbers_are_computed), RUNG_TEST(test_zeros_and_ones_vanish),
               RUNG_TEST(test_equal_products_are_one_node), RUNG_TEST(test_tensors_show_their_components))
