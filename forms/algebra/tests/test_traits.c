/* test_traits.c - what forms say about themselves. */
#include "scalar_tools.h"

typedef struct {
  const char *text;
  PetscInt    order, u, p; /* order; of u and p */
  PetscBool   linear, constant, symmetric, definite, timed;
} Wanted;

static PetscErrorCode check_traits(RungScope scope, const Wanted *w)
{
  RungExpr       expr;
  RungFormTraits t;
  int            right;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "text", w->text, &expr));
  PetscCall(RungLowerTraits(expr, &t));
  right = t.order == w->order && t.unknown_order[0] == w->u && t.unknown_order[1] == w->p && t.linear == w->linear &&
          t.constant_jacobian == w->constant && t.symmetric == w->symmetric && t.definite == w->definite &&
          t.time_dependent == w->timed;
  if (!right) {
    fprintf(stderr, "%s: order %d u %d p %d linear %d constant %d symmetric %d definite %d timed %d\n", w->text,
            (int)t.order, (int)t.unknown_order[0], (int)t.unknown_order[1], t.linear, t.constant_jacobian, t.symmetric,
            t.definite, t.time_dependent);
  }
  CHECK(right);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_scalar_forms(void)
{
  static const Wanted wanted[] = {
    {"dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx", 1, 1, -1, 1, 1, 1, 1, 0},
    {"dt(u)*v*dx - kappa*inner(grad(u), grad(v))*dx", 1, 1, -1, 1, 1, 1, 0, 0},
    {"dt(u, 2)*v*dx + (1 + x[0]^2)*inner(grad(u), grad(v))*dx", 2, 2, -1, 1, 1, 1, 1, 0},
    {"dt(u)*v*dx + (1 + t)*u*v*dx - sin(t)*v*ds", 1, 1, -1, 1, 0, 1, 0, 1},
    {"dt(u)*v*dx + dot(vector(1, 2), grad(u))*v*dx", 1, 1, -1, 1, 1, 0, 0, 0},
    {"dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx", 1, 1, -1, 0, 0, 0, 0, 0},
    {"dt(u)*v*dx + u^3*v*dx + inner(grad(u), grad(v))*dx", 1, 1, -1, 0, 0, 1, 0, 0},
    {"dt(u + u^3)*v*dx", 1, 1, -1, 0, 0, 1, 0, 0},
    {"inner(grad(u), grad(v))*dx - u*v*dx", 0, 0, -1, 1, 1, 1, 0, 0},
    {"dt(u)*v*dx + sign(u)*v*dx", 1, 1, -1, 0, 1, 1, 0, 0},
    {"dt(u)*v*dx + if(u > 0 and x[0] > 0.5, 5, 0)*v*dx", 1, 1, -1, 0, 1, 1, 0, 0},
    {"dt(u)*v*dx + if(dt(u), 2, 1)*v*dx", 1, 1, -1, 0, 1, 1, 0, 0},
    {"dt(u)*v*dx + if(x[0] > 0.5, 5, sign(t))*u*v*dx", 1, 1, -1, 1, 0, 1, 0, 1},
    {"sin(t)*v*dx", 0, -1, -1, 1, 1, 1, 1, 1},
    {"(u - u)*v*dx + 0*dt(p)*q*dx + p*q*dx", 0, -1, 0, 1, 1, 1, 1, 0},
    {"dt(u)*v*dx + p*v*dx + u*q*dx", 1, 1, 0, 1, 1, 1, 0, 0},
    {"derive((u^2*p + inner(grad(u), grad(u)))*dx, u)", 0, 0, 0, 0, 0, 0, 0, 0},
    {"derive((u^2 + 2*u*p + 3*p^2)*dx, u) + derive((u^2 + 2*u*p + 3*p^2)*dx, p)", 0, 0, 0, 1, 1, 1, 1, 0},
    {"derive((u^2 + 4*u*p + 3*p^2)*dx, u) + derive((u^2 + 4*u*p + 3*p^2)*dx, p)", 0, 0, 0, 1, 1, 1, 0, 0},
  };
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", "P2", &scope));
  PetscCall(RungScopeSetConstant(scope, "kappa", 0.1));
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) PetscCall(check_traits(scope, &wanted[i]));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions at points of cells of the Jacobian: neither those of loads and facets nor those of numbers that stay. */
static PetscErrorCode test_calls(void)
{
  static const struct {
    const char *text;
    PetscBool   calls;
  } wanted[] = {
    {"kappa*inner(grad(u), grad(v))*dx - sin(x[0])*v*dx", PETSC_FALSE},
    {"(2 + sin(x[0]))*inner(grad(u), grad(v))*dx", PETSC_TRUE},
    {"dt((1 + x[0])^1.3*u)*v*dx + inner(grad(u), grad(v))*dx", PETSC_TRUE},
    {"(1 + x[0]^2 + abs(x[1]))*inner(grad(u), grad(v))*dx", PETSC_FALSE},
    {"exp(x[0])*inner(grad(u), grad(v))*dx", PETSC_FALSE},
    {"sin(t + kappa)*inner(grad(u), grad(v))*dx", PETSC_FALSE},
    {"inner(grad(u), grad(v))*dx + cos(x[1])*u*v*ds", PETSC_FALSE},
    {"u*inner(grad(u), grad(v))*dx + sin(u)*v*dx", PETSC_TRUE},
  };
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", "P2", &scope));
  PetscCall(RungScopeSetConstant(scope, "kappa", 0.1));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(wanted); ++i) {
    RungExpr       expr;
    RungFormTraits traits;

    PetscCall(RungScopeParse(scope, "text", wanted[i].text, &expr));
    PetscCall(RungLowerTraits(expr, &traits));
    if (traits.calls != wanted[i].calls) fprintf(stderr, "%s\n", wanted[i].text);
    CHECK(traits.calls == wanted[i].calls);
  }
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_vector_forms(void)
{
  static const Wanted wanted[] = {
    {"e = sym(grad(u)); inner(dt(u, 2), v)*dx + inner(2*mu*e + lambda*tr(e)*I, grad(v))*dx", 2, 2, -1, 1, 1, 1, 1, 0},
    {"e = sym(grad(u)); inner(2*mu*e - 4*lambda*tr(e)*I, grad(v))*dx", 0, 0, -1, 1, 1, 1, 0, 0},
    {"inner(grad(u), grad(v))*dx - p*div(v)*dx - q*div(u)*dx", 0, 0, 0, 1, 1, 1, 0, 0},
    {"inner(dt(u) + dot(grad(u), u), v)*dx", 1, 1, -1, 0, 0, 0, 0, 0},
    {"F = I + grad(u); J = det(F); derive((mu/2*(inner(F, F) - 3) - mu*log(J) + lambda/2*log(J)^2)*dx, u)", 0, 0, -1, 0,
     0, 1, 0, 0},
  };
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("tetrahedron", 3, "P2^d", "P1", &scope));
  PetscCall(RungScopeSetConstant(scope, "mu", 1));
  PetscCall(RungScopeSetConstant(scope, "lambda", 1.5));
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) PetscCall(check_traits(scope, &wanted[i]));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What explicit methods solve with is definite, or it is not said to be: equations without rates, parts, sums, signs. */
static PetscErrorCode test_masses(void)
{
  static const struct {
    const char *text;
    PetscBool   mass;
  } wanted[] = {
    {"inner(dt(u), v)*dx + inner(dot(grad(u), u), v)*dx + dt(p)*q*dx + inner(grad(p), u)*q*dx", 1},
    {"2*inner(dt(u), v)*dx + (1 + p)*dt(p)*q*dx + inner(dot(grad(u), u), v)*dx + plus(p)*jump(q)*dS", 1},
    {"(2 + sin(x[0]))*inner(dt(u), v)*dx + rho*dt(p)*q*dx", 1},
    {"inner(dt(u) + dot(grad(dt(u)), vector(1, 0)), v)*dx + dt(p)*q*dx", 0},
    {"inner(dt(u), v)*dx + inner(grad(dt(u)), grad(v))*dx + dt(p)*q*dx", 1},
    {"inner(dt(u), v)*dx - 1e-3*inner(grad(dt(u)), grad(v))*dx + dt(p)*q*dx", 0},
    {"inner(grad(dt(u)), grad(v))*dx + dt(p)*q*dx", 0},
    {"inner(dt(u), v)*dx - dt(p)*q*dx", 0},
    {"inner(dt(u), v)*dx + dt(p)*q*ds", 0},
    {"dt(u[0])*v[0]*dx + u[1]*v[1]*dx + dt(p)*q*dx", 0},
    {"dt(u[0] + p)*(v[0] + q)*dx + dt(u[1])*v[1]*dx", 0},
    {"dt(2*u[0] + p)*v[0]*dx + dt(u[0] + p)*q*dx + dt(u[1])*v[1]*dx", 1},
    {"inner(dt(u), v)*dx + div(u)*q*dx + p*q*dx", 0},
    {"inner(dt(u, 2), v)*dx + dt(p)*q*dx", 0},
    {"inner(u, v)*dx + p*q*dx", 0},
  };
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2^d", "P1", &scope));
  PetscCall(RungScopeSetConstant(scope, "rho", 1.5));
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    RungExpr       expr;
    RungFormTraits t;

    PetscCall(RungScopeParse(scope, "text", wanted[i].text, &expr));
    PetscCall(RungLowerTraits(expr, &t));
    if (t.mass != wanted[i].mass) fprintf(stderr, "%s: mass %d\n", wanted[i].text, t.mass);
    CHECK(t.mass == wanted[i].mass);
  }
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What no text shows is seen at nodes: coefficients of both signs there, of two materials, of parts, of fields that have values. */
static PetscErrorCode test_coefficients_of_place_show_their_sign(void)
{
  static const struct {
    const char *text;
    PetscBool   definite;
  } wanted[] = {
    {"(2 + sin(x[0]))*inner(grad(p), grad(q))*dx", 1},
    {"sin(7*x[0])*inner(grad(p), grad(q))*dx", 0},
    {"inner(grad(p), grad(q))*dx + (1 - x[0])*p*q*ds", 1},
    {"inner(grad(p), grad(q))*dx + (0.9 - x[0])*p*q*ds", 0},
    {"inner(grad(p), grad(q))*dx - (1 + x[0])*p*q*dx", 0},
    {"inner(dot(vector(vector(2, x[0]), vector(x[0], 2)), grad(p)), grad(q))*dx", 1},
    {"inner(dot(vector(vector(2, 3*x[0]), vector(3*x[0], 2)), grad(p)), grad(q))*dx", 0},
    {"E = if(x[1] < 0.3, 1e9, 1e6); e = sym(grad(u)); inner(E*e + 2*E*tr(e)*I, grad(v))*dx", 1},
    {"E = value(left: 1e9, else: 1e6); e = sym(grad(u)); inner(E*e + 2*E*tr(e)*I, grad(v))*dx", 1},
    {"E = value(left: 1e9, else: -1e6); e = sym(grad(u)); inner(E*e + 2*E*tr(e)*I, grad(v))*dx", 0},
    {"E = value(left: 1e9, else: 1e6); e = sym(grad(u)); inner(E*e - 2*E*tr(e)*I, grad(v))*dx", 0},
    {"inner(grad(p), grad(q))*dx + (1/h - 1)*p*q*dx", 1},
    {"k*inner(grad(p), grad(q))*dx", 0},
    {"inner(grad(p), grad(q))*dx - k*p*q*dx", 0},
    {"inner(grad(p), grad(q))*dx + grad(k)[0]*p*q*dx", 0},
    {"inner(grad(p), grad(q))*dx + (2 + sin(t))*p*q*dx", 0},
  };
  RungScope scope;
  RungField k;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2^d", "P1", &scope));
  PetscCall(RungFieldCreate(RungScopeUnknownSpace(scope, 1), "k", &k));
  PetscCall(RungScopeAddField(scope, "k", k));
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    RungExpr       expr;
    RungFormTraits t;

    PetscCall(RungScopeParse(scope, "text", wanted[i].text, &expr));
    PetscCall(RungLowerTraits(expr, &t));
    if (t.definite != wanted[i].definite) fprintf(stderr, "%s: definite %d\n", wanted[i].text, t.definite);
    CHECK(t.definite == wanted[i].definite);
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    RungExpr       expr;
    RungFormTraits t;
    Vec            values;

    PetscCall(RungFieldGetVec(k, &values));
    PetscCall(VecSet(values, sign));
    PetscCall(RungScopeParse(scope, "text", "k*inner(grad(p), grad(q))*dx", &expr));
    PetscCall(RungLowerTraits(expr, &t));
    CHECK(t.definite == (sign > 0 ? PETSC_TRUE : PETSC_FALSE));
  }
  PetscCall(RungScopeDestroy(&scope));
  PetscCall(RungFieldDestroy(&k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_blocks_couplings_and_tests(void)
{
  RungScope      scope;
  RungExpr       expr;
  RungFormTraits t;

  PetscFunctionBegin;
  PetscCall(tools_scope("triangle", 2, "P2", "P1", &scope));
  PetscCall(RungScopeParse(scope, "text", "u^2*dt(u)*v*dx + inner(grad(u), grad(v))*dx + u*q*dx", &expr));
  PetscCall(RungLowerTraits(expr, &t));
  CHECK(t.rank == 1 && t.tested[0] && t.tested[1] && !t.linear);
  CHECK(t.couple[0][0] && t.couple[1][0] && !t.couple[0][1] && !t.couple[1][1]);
  CHECK(!t.constant_block[0] && !t.constant_block[1] && t.constant_block[2]);
  PetscCall(RungScopeParse(scope, "text", "(dt(u) + u^3)*v*dx", &expr));
  PetscCall(RungLowerTraits(expr, &t));
  CHECK(!t.constant_block[0] && t.constant_block[1] && !t.tested[1]);
  PetscCall(RungScopeParse(scope, "text", "u^2*t*dx", &expr));
  PetscCall(RungLowerTraits(expr, &t));
  CHECK(t.rank == 0 && !t.linear && t.time_dependent && !t.tested[0] && !t.definite);
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_scalar_forms), RUNG_TEST(test_calls), RUNG_TEST(test_vector_forms),
               RUNG_TEST(test_masses), RUNG_TEST(test_coefficients_of_place_show_their_sign),
               RUNG_TEST(test_blocks_couplings_and_tests))
