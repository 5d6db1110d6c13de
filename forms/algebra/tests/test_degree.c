/* test_degree.c - quadrature degrees of integrands, and what forces them. */
#include <check_curved.h>
#include <rungnodes_room.h>

#include "scalar_tools.h"
#include <rungtext_room.h>

/* The number of integrals, and the degree of the first. */
static PetscErrorCode count_integrals(RungScope scope, const char text[], PetscInt *n, PetscInt *degree)
{
  RungExpr      expr;
  RungIntegral *integrals;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "text", text, &expr));
  PetscCall(RungLower(expr, PETSC_FALSE, -1, n, &integrals));
  *degree = *n ? integrals[0].degree : -1;
  PetscCall(RungIntegralsDestroy(*n, &integrals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_degree(RungScope scope, const char text[], PetscInt *degree)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(count_integrals(scope, text, &n, degree));
  CHECK(n == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_degree(RungScope scope, const char text[], PetscInt wanted)
{
  PetscInt degree;

  PetscFunctionBegin;
  PetscCall(find_degree(scope, text, &degree));
  if (degree != wanted) fprintf(stderr, "%s: degree %d, wanted %d\n", text, (int)degree, (int)wanted);
  CHECK(degree == wanted);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_simplices_lose_a_degree_with_each_derivative(void)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", "P1", &scope));
  PetscCall(check_degree(scope, "u*v*dx", 4));
  PetscCall(check_degree(scope, "inner(grad(u), grad(v))*dx", 2));
  PetscCall(check_degree(scope, "div(grad(u))*v*dx", 2));
  PetscCall(check_degree(scope, "p*q*dx", 2));
  PetscCall(check_degree(scope, "inner(grad(p), grad(q))*dx", 0));
  PetscCall(check_degree(scope, "x[0]^3*dt(u)*v*dx", 7));
  PetscCall(check_degree(scope, "h*t*u*v*ds", 4));
  PetscCall(check_degree(scope, "sin(u)*q*dx", 5));
  PetscCall(check_degree(scope, "u/(1 + p)*v*dx", 5));
  PetscCall(check_degree(scope, "if(p > 0, u, 1)*v*dx", 6));
  PetscCall(check_degree(scope, "if(t > 0, u, 1)*v*dx", 4));
  PetscCall(check_degree(scope, "u*v*dx(degree: 9)", 9));
  PetscCall(check_degree(scope, "derive(u^4*dx, u)", 8));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_boxes_count_by_axis_and_points_not_at_all(void)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("quadrilateral", 2, "Q2", NULL, &scope));
  PetscCall(check_degree(scope, "inner(grad(u), grad(v))*dx", 4));
  PetscCall(check_degree(scope, "x[0]*x[1]*v*dx", 4));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(tools_scope("point", 1, "P0", NULL, &scope));
  PetscCall(check_degree(scope, "(dt(u) + exp(u)*u)*v*dx", 0));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* det J of a map of degree 2 in each of two axes has degree 3 in each: what is less than that is integrated by it. */
static PetscErrorCode test_maps_of_degree_two_count(void)
{
  RungScope scope;
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(curved_mesh(RUNG_QUADRILATERAL, 2, 2, PETSC_FALSE, "curved.msh", &mesh));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(RungSpaceCreate(mesh, "Q1", &space));
  PetscCall(RungScopeAddUnknown(scope, "u", "v", space));
  PetscCall(check_degree(scope, "u*v*dx", 3));
  PetscCall(check_degree(scope, "v*dx", 4));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One more node each time: lists of them are full at some length, behind which nothing may be read. */
static PetscErrorCode test_rules_of_nodes_look_through_integrands_of_any_length(void)
{
  char      text[256] = "u";
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  for (int i = 0; i < 20; ++i) {
    char whole[300], next[256];

    (void)snprintf(whole, sizeof whole, "%s*v*dx(rule: nodes)", text);
    PetscCall(check_degree(scope, whole, RUNG_QUADRATURE_NODES + 1));
    (void)snprintf(next, sizeof next, "sin(%s)", text);
    memcpy(text, next, sizeof text);
  }
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_not_polynomial_counts_two_more_than_its_functions(void)
{
  const char *P =
    "F = I + grad(u); P = mu*(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F)); inner(P, grad(v))*dx";
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^3", "P1", &scope));
  PetscCall(RungScopeSetConstant(scope, "mu", 1));
  PetscCall(check_degree(scope, P, 4));
  PetscCall(check_degree(scope, "derive((det(I + grad(u))^2 + log(det(I + grad(u))))*dx, u)", 6));
  PetscCall(check_degree(scope, "log(det(I + grad(u)))^2*dx", 10));
  PetscCall(check_degree(scope, "exp(p)*p^6*q*dx", 7));
  PetscCall(check_degree(scope, "sin(x[0])*sin(x[1])*sin(x[2])*q*dx", 4));
  PetscCall(check_degree(scope, "q/(1 + p^4)*p*dx", 4));
  PetscCall(check_degree(scope, "sqrt(1 + inner(grad(p), grad(p)))*inner(grad(p), grad(q))*dx", 0));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(tools_scope("hexahedron", 3, "Q2^3", "Q1", &scope));
  PetscCall(RungScopeSetConstant(scope, "mu", 1));
  PetscCall(check_degree(scope, P, 6));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_degrees_beyond_all_rules_are_refused(void)
{
  char          square[1024] = "a0 = (1 + u)*p; ", text[1200];
  RungScope     scope;
  RungExpr      expr;
  RungIntegral *integrals;
  PetscInt      n, degree;

  PetscFunctionBegin;
  for (int i = 0; i < 40; ++i) { /* (.. ^2)^2 */
    PetscCall(PetscSNPrintf(text, sizeof text, "a%d = a%d*a%d; ", i + 1, i, i));
    PetscCall(RungTextAppend(square, text, sizeof square));
  }
  PetscCall(tools_scope("triangle", 2, "P2", "P1", &scope));
  PetscCall(check_degree(scope, "p^198*q*dx", 199));
  PetscCall(check_degree(scope, "p^200*dx", 200));
  CHECK_RAISES(
    find_degree(scope, "p*dx + p^201*dx", &degree),
    "text, column 8: the powers and products of the integrand have degree 201, and rules end at 200; give the "
    "integral a degree of its own, like dx(degree: 8)");
  CHECK_RAISES(find_degree(scope, "x[0]^1000000000*q*dx", &degree), "have degree 1000000 or more, and rules");
  CHECK_RAISES(find_degree(scope, "x[0]^1e300*q*dx", &degree), "have degree 1000000 or more, and rules");
  CHECK_RAISES(find_degree(scope, "((1 + x[0]^999)^999)^999*q*dx", &degree), "have degree 1000000 or more, and rules");
  CHECK_RAISES(find_degree(scope, "q*dx(degree: 201)", &degree), "whole number between 0 and 200");
  PetscCall(RungScopeParse(scope, "text", "p*q*dx", &expr));
  CHECK_RAISES(RungLower(expr, PETSC_FALSE, 201, &n, &integrals),
               "quadrature degree 201 is asked for; wanted at most 200");
  PetscCall(PetscSNPrintf(text, sizeof text, "%sa40*q*dx", square));
  CHECK_RAISES(find_degree(scope, text, &degree), "have degree 1000000 or more, and rules");
  PetscCall(PetscSNPrintf(text, sizeof text, "%ssin(a40)*(1 + a40)*if(p > 0, a40, 1)*dx", square));
  CHECK_RAISES(find_degree(scope, text, &degree), "have degree 1000000 or more, and rules");
  PetscCall(check_degree(scope, "x[0]^1000000000*q*dx(degree: 3)", 3)); /* the way out */
  PetscCall(check_degree(scope, "2^1000*p^0.5*dx", 3));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_terms_of_other_degree_are_other_integrals(void)
{
  RungScope     scope;
  RungExpr      expr;
  RungIntegral *integrals;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", NULL, &scope));
  PetscCall(RungScopeParse(scope, "text", "dt(u)*v*dx + inner(grad(u), grad(v))*dx + t*u*v*dx", &expr));
  PetscCall(RungLower(expr, PETSC_FALSE, -1, &n, &integrals));
  CHECK(n == 2 && integrals[0].degree == 4 && integrals[1].degree == 2);
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(RungLower(expr, PETSC_FALSE, 3, &n, &integrals));
  CHECK(n == 1 && integrals[0].degree == 3);
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_integrals(RungScope scope, const char text[], PetscInt wanted, PetscInt degree)
{
  PetscInt n, found;

  PetscFunctionBegin;
  PetscCall(count_integrals(scope, text, &n, &found));
  if (n != wanted) fprintf(stderr, "%s: %d integrals, wanted %d\n", text, (int)n, (int)wanted);
  CHECK(n == wanted && found == degree);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_degrees_that_have_one_rule_are_one_integral(void)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("quadrilateral", 2, "Q1", NULL, &scope));
  PetscCall(check_integrals(scope, "u*v*dx(degree: 3) + exp(u)*v*dx(degree: 2) + v*dx(degree: 4)", 2, 3));
  PetscCall(check_integrals(scope, "u*v*ds(degree: 2) + exp(u)*v*ds(degree: 3) + v*ds(degree: 1)", 2, 2));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  PetscCall(check_integrals(scope, "u*v*dx(degree: 2) + exp(u)*v*dx(degree: 3)", 2, 2)); /* 3 and 6 points */
  PetscCall(check_integrals(scope, "u*v*dx(degree: 5) + exp(u)*v*dx(degree: 4)", 2, 5)); /* 7 and 6        */
  PetscCall(check_integrals(scope, "u*v*dx(degree: 0) + exp(u)*v*dx(degree: 1)", 1, 0)); /* the centre     */
  PetscCall(check_integrals(scope, "jump(u)*jump(v)*dS(degree: 4) + avg(u)*jump(v)*dS(degree: 5)", 1, 4));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(tools_scope("tetrahedron", 3, "P1", NULL, &scope));
  PetscCall(check_integrals(scope, "u*v*dx(degree: 4) + exp(u)*v*dx(degree: 5)", 2, 4)); /* 14 points each */
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_quadrature_unknowns_force_their_rule(void)
{
  RungScope scope;
  PetscInt  degree;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "Quad(3)", "P1", &scope));
  PetscCall(check_degree(scope, "u*p^4*q*dx", 3));
  CHECK_RAISES(find_degree(scope, "u*q*dx(degree: 5)", &degree), "points of degree 3");
  CHECK_RAISES(
    find_degree(scope, "p*q*dx + p*q*u*ds", &degree),
    "text, column 10: \"u\" lives at the points of dx of degree 3 and has no value elsewhere; keep it under dx");
  CHECK_RAISES(find_degree(scope, "avg(u)*jump(q)*dS", &degree), "has no value elsewhere");
  CHECK_RAISES(find_degree(scope, "grad(u)[0]*q*dx", &degree),
               "\"u\" lives at the points of quadrature degree 3 and has no gradient");
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(tools_scope("triangle", 2, "Quad(3)", "Quad(2)", &scope));
  CHECK_RAISES(find_degree(scope, "u*q*dx", &degree), "one rule");
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_simplices_lose_a_degree_with_each_derivative),
               RUNG_TEST(test_boxes_count_by_axis_and_points_not_at_all), RUNG_TEST(test_maps_of_degree_two_count),
               RUNG_TEST(test_rules_of_nodes_look_through_integrands_of_any_length),
               RUNG_TEST(test_what_is_not_polynomial_counts_two_more_than_its_functions),
               RUNG_TEST(test_degrees_beyond_all_rules_are_refused),
               RUNG_TEST(test_terms_of_other_degree_are_other_integrals),
               RUNG_TEST(test_degrees_that_have_one_rule_are_one_integral),
               RUNG_TEST(test_quadrature_unknowns_force_their_rule))
