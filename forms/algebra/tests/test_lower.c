/* test_lower.c - integrals split, merged and turned into tapes. */
#include "scalar_tools.h"
#include <time.h>

static PetscErrorCode lower(RungScope scope, const char text[], PetscBool jacobian, PetscInt *n,
                            RungIntegral **integrals)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "text", text, &expr));
  PetscCall(RungLower(expr, jacobian, -1, n, integrals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_integrals_of_one_key_are_one(void)
{
  RungScope     scope;
  RungIntegral *integrals;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", "P1", &scope));
  PetscCall(lower(scope, "u*v*dx + 2*t*u*v*ds(left) - u*v*dx + 3*u*v*dx + p*q*dx + u*v*ds(right) + u*v*ds(left)",
                  PETSC_FALSE, &n, &integrals));
  CHECK(n == 4);
  CHECK(integrals[0].domain == RUNG_CELLS && integrals[0].rank == 1 && integrals[0].rows == 1 &&
        integrals[0].tape.instructions == 1);
  CHECK(integrals[1].domain == RUNG_BOUNDARY && !strcmp(integrals[1].part, "left"));
  CHECK(integrals[2].degree == 2 && integrals[2].row[0].unknown == 1);
  CHECK(!strcmp(integrals[3].part, "right") && strstr(integrals[3].text, "ds(right)"));
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(lower(scope, "u*v*dx - v*u*dx", PETSC_FALSE, &n, &integrals));
  CHECK(n == 0);
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rows_and_entries_of_a_mixed_form(void)
{
  RungScope     scope;
  RungIntegral *integrals;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2^d", "P1", &scope));
  PetscCall(lower(scope, "(inner(dt(u), v) - p*div(v) + q*div(u))*dx", PETSC_TRUE, &n, &integrals));
  CHECK(n == 1 && integrals[0].rank == 2 && !integrals[0].symmetric);
  CHECK(integrals[0].rows == 5 && integrals[0].cols == 5 && integrals[0].entries == 6);
  for (PetscInt e = 1; e < integrals[0].entries; ++e) {
    CHECK(integrals[0].entry[e].row > integrals[0].entry[e - 1].row ||
          (integrals[0].entry[e].row == integrals[0].entry[e - 1].row &&
           integrals[0].entry[e].col > integrals[0].entry[e - 1].col));
  }
  for (PetscInt r = 1; r < 5; ++r) CHECK(RungSlotCompare(&integrals[0].row[r - 1], &integrals[0].row[r]) < 0);
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(lower(scope, "u[0]^2*dx", PETSC_FALSE, &n, &integrals));
  CHECK(n == 1 && integrals[0].rank == 0 && integrals[0].tape.outputs == 1);
  PetscCall(RungIntegralsDestroy(n, &integrals));
  CHECK_RAISES(lower(scope, "u[0]^2*dx", PETSC_TRUE, &n, &integrals), "derive()");
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma_k enters each entry linearly, for its own unknown */
static PetscErrorCode test_sigma_weighs_each_derivative_and_unknown(void)
{
  RungScope     scope;
  RungIntegral *integrals;
  double        out[4], sigma[2][3];
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", "P1", &scope));
  PetscCall(lower(scope, "((7*dt(u, 2) + 5*dt(u) + 3*u + 2*p)*v + 11*dt(p)*q)*dx", PETSC_TRUE, &n, &integrals));
  CHECK(n == 1 && integrals[0].entries == 3);
  PetscCall(tools_tape(&integrals[0].tape, PETSC_TRUE, out));
  for (int g = 0; g < 2; ++g) {
    for (int k = 0; k < 3; ++k) sigma[g][k] = tools_input(&(RungInput){.kind = RUNG_IN_SIGMA, .index = g, .k = k});
  }
  CHECK_NEAR(out[0], 7 * sigma[0][2] + 5 * sigma[0][1] + 3 * sigma[0][0], 1e-14);
  CHECK_NEAR(out[1], 2 * sigma[1][0], 1e-15);
  CHECK_NEAR(out[2], 11 * sigma[1][1], 1e-14);
  for (PetscInt v = 0; v < integrals[0].tape.inputs + integrals[0].tape.instructions; ++v) {
    CHECK(integrals[0].tape.rate[v] == RUNG_RATE_UNIFORM);
  }
  PetscCall(RungIntegralsDestroy(n, &integrals));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_select_between_tests_is_linear_in_them(void)
{
  RungScope scope;
  RungDag   dag;
  RungExpr  expr;
  RungTerm *terms;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P1", NULL, &scope));
  PetscCall(RungDagCreate(scope, &dag));
  PetscCall(RungScopeParse(scope, "text", "if(u > 0, v, 2*v)*dx", &expr));
  PetscCall(RungTermsCreate(dag, expr.node, -1, &n, &terms));
  CHECK(n == 1 && terms[0].rows == 1);
  PetscCall(RungTermsDestroy(n, &terms));
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G. A. Holzapfel, R. W. Ogden, Phil. Trans. R. Soc. A 367, 2009, with fibres that turn through the wall */
static const char holzapfel_ogden[] =
  "F = I + grad(u); C = dot(transpose(F), F); J = det(F);"
  "f = vector(cos(x[0]), sin(x[0]), 0); s = vector(-sin(x[0]), cos(x[0]), 0);"
  "If = inner(f, dot(C, f)); Is = inner(s, dot(C, s)); Ifs = inner(f, dot(C, s));"
  "psi = a/(2*b)*(exp(b*(J^(-2/3)*tr(C) - 3)) - 1) + if(If > 1, af/(2*bf)*(exp(bf*(If - 1)^2) - 1), 0)"
  " + if(Is > 1, as/(2*bs)*(exp(bs*(Is - 1)^2) - 1), 0) + afs/(2*bfs)*(exp(bfs*Ifs^2) - 1) + K/4*(J^2 - 1 - 2*log(J));"
  "derive(psi*dx(degree: 2), u) + rho*inner(dt(u, 2), v)*dx";

static PetscErrorCode test_holzapfel_ogden_lowers_quickly_and_small(void)
{
  static const char *const constant[] = {"a", "b", "af", "bf", "as", "bs", "afs", "bfs", "K", "rho"};
  RungScope                scope;
  RungIntegral            *residual, *jacobian;
  PetscInt                 n;
  clock_t                  start;

  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^d", NULL, &scope));
  for (int i = 0; i < 10; ++i) PetscCall(RungScopeSetConstant(scope, constant[i], 1));
  start = clock();
  PetscCall(lower(scope, holzapfel_ogden, PETSC_FALSE, &n, &residual));
  CHECK(n == 2 && residual[0].rows == 9 && residual[0].tape.instructions < 400);
  PetscCall(RungIntegralsDestroy(n, &residual));
  PetscCall(lower(scope, holzapfel_ogden, PETSC_TRUE, &n, &jacobian));
  CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
  CHECK(n == 2 && jacobian[0].entries == 81 && jacobian[0].symmetric && jacobian[0].tape.instructions < 1400);
  PetscCall(RungIntegralsDestroy(n, &jacobian));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D. C. Wilcox, AIAA J. 46, 2008: k-omega with cross-diffusion, stress limiter and the round-jet function in the mean flow */
static const char k_omega[] =
  "S = sym(grad(u)); W = skew(grad(u)); SS = inner(S, S);"
  "limited = max(omega, 7/8*sqrt(2*SS/bs)); nut = k/limited;"
  "chi = abs(inner(dot(W, W), S)/(bs*omega)^3); fb = (1 + 85*chi)/(1 + 100*chi);"
  "spread = inner(grad(k), grad(omega)); sd = if(spread > 0, 1/8, 0);"
  "tau = 2*nut*S - 2/3*k*I; P = inner(tau, grad(u));"
  "(inner(dt(u), v) + inner(dot(grad(u), u), v) - p*div(v) + q*div(u) + inner(2*nu*S + tau, grad(v)))*dx(degree: 4)"
  " + (dt(k)*kt + inner(u, grad(k))*kt - P*kt + bs*k*omega*kt + (nu + 0.6*k/omega)*inner(grad(k), "
  "grad(kt)))*dx(degree: 4)"
  " + (dt(omega)*ot + inner(u, grad(omega))*ot - 0.52*omega/k*P*ot + 0.0708*fb*omega^2*ot - sd/omega*spread*ot"
  " + (nu + 0.5*k/omega)*inner(grad(omega), grad(ot)))*dx(degree: 4)";

static PetscErrorCode test_k_omega_lowers_quickly_and_small(void)
{
  static const char *const unknown[][3] = {
    {"u", "v", "P2^d"}, {"p", "q", "P1"}, {"k", "kt", "P2"}, {"omega", "ot", "P2"}};
  RungMesh      mesh;
  RungScope     scope;
  RungIntegral *jacobian;
  PetscInt      n;
  clock_t       start;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){1, 1, 1}, NULL));
  PetscCall(RungScopeCreate(PETSC_COMM_SELF, &scope));
  for (int i = 0; i < 4; ++i) {
    RungSpace space;

    PetscCall(RungSpaceCreate(mesh, unknown[i][2], &space));
    PetscCall(RungScopeAddUnknown(scope, unknown[i][0], unknown[i][1], space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungScopeSetConstant(scope, "nu", 1e-5));
  PetscCall(RungScopeSetConstant(scope, "bs", 0.09));
  start = clock();
  PetscCall(lower(scope, k_omega, PETSC_TRUE, &n, &jacobian));
  CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
  CHECK(n == 1 && jacobian[0].tape.instructions < 1500);
  PetscCall(RungIntegralsDestroy(n, &jacobian));
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_integrals_of_one_key_are_one), RUNG_TEST(test_rows_and_entries_of_a_mixed_form),
               RUNG_TEST(test_sigma_weighs_each_derivative_and_unknown),
               RUNG_TEST(test_a_select_between_tests_is_linear_in_them),
               RUNG_TEST(test_holzapfel_ogden_lowers_quickly_and_small),
               RUNG_TEST(test_k_omega_lowers_quickly_and_small))
