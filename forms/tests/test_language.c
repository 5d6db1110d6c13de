/* test_language.c - words of the language against each other: identities of calculus that hold at every point, on every
   cell, with the interpreter, and all of them in one compiled form. */
#include "kernel_tools.h"

#define DEFINITIONS "F = I + S; C = dot(transpose(F), F); g = grad(u); s = tr(S) + 2; y = u + 2; "
#define UNKNOWNS    5
#define CURVE(x)    "table(\"curve.csv\", " x ", method: cubic)"

/* Both sides are equal; dims: axes for which it is written, 0 ends. */
typedef struct {
  const char *left, *right;
  int         from, to;
} Identity;

static const Identity identities[] = {
  /* derivatives in space */
  {"grad(g)", "transpose(grad(grad(u)))", 1, 3},
  {"div(g)", "tr(grad(grad(u)))", 1, 3},
  {"div(U)", "tr(grad(U))", 1, 3},
  {"div(u*U)", "u*div(U) + dot(g, U)", 1, 3},
  {"div(S)", "vector(div(S[0]), div(S[1]))", 2, 2},
  {"div(S)", "vector(div(S[0]), div(S[1]), div(S[2]))", 3, 3},
  {"div(dot(S, U))", "dot(div(transpose(S)), U) + inner(S, transpose(grad(U)))", 1, 3},
  {"grad(dot(U, U))", "2*dot(transpose(grad(U)), U)", 1, 3},
  {"grad(sin(u)*p)", "cos(u)*p*g + sin(u)*grad(p)", 1, 3},
  {"div(grad(exp(u)))", "exp(u)*(div(grad(u)) + inner(g, g))", 1, 3},
  {"curl(U)", "grad(U)[1, 0] - grad(U)[0, 1]", 2, 2},
  {"curl(grad(u))", "0", 2, 2},
  {"curl(U)", "vector(grad(U)[2, 1] - grad(U)[1, 2], grad(U)[0, 2] - grad(U)[2, 0], grad(U)[1, 0] - grad(U)[0, 1])", 3,
   3},
  {"curl(grad(u))", "vector(0, 0, 0)", 3, 3},
  {"div(curl(U))", "0", 3, 3},
  {"curl(curl(U))", "grad(div(U)) - div(grad(U))", 3, 3},
  {"div(cross(U, x))", "dot(curl(U), x)", 3, 3},
  {"curl(vector(-x[1], x[0]))", "2", 2, 2},
  {"div(x) + grad(x)[0, 0]", "d + 1", 1, 3},
  /* tensors */
  {"dot(transpose(cofactor(F)), F)", "det(F)*I", 1, 3},
  {"dot(inv(F), F)", "I", 1, 3},
  {"cofactor(F)", "det(F)*transpose(inv(F))", 1, 3},
  {"dev(S)", "S - tr(S)/d*I", 1, 3},
  {"sym(S) + skew(S)", "S", 1, 3},
  {"skew(S)", "(S - transpose(S))/2", 1, 3},
  {"dot(outer(U, x), g)", "dot(x, g)*U", 1, 3},
  {"inner(outer(U, g), S)", "dot(U, dot(S, g))", 1, 3},
  {"dot(cross(U, x), U)", "0", 3, 3},
  {"cross(U, x)", "U[0]*x[1] - U[1]*x[0]", 2, 2},
  {"vector(u, p, t)[1]", "p", 1, 3},
  {"vector(vector(u, 1), vector(2, p))[1, 0] + unit(0)[0]", "3", 1, 3},
  {"dot(vector(vector(0, 1), vector(-1, 0)), U)", "vector(U[1], -U[0])", 2, 2},
  {"dot(S, unit(0))", "transpose(S)[0]", 1, 3},
  {"det(F)", "F[0, 0]*F[1, 1] - F[0, 1]*F[1, 0]", 2, 2},
  /* pointwise derivatives, by definitions and twice */
  {"diff(log(det(F)), F)", "transpose(inv(F))", 1, 3},
  {"diff(tr(dot(transpose(F), F)), F)", "2*F", 1, 3},
  {"diff(tr(dot(C, C)), C)", "2*C", 1, 3},
  {"diff(det(C), C)", "cofactor(C)", 1, 3},
  {"diff(inner(g, g)^2, g)", "4*inner(g, g)*g", 1, 3},
  {"diff(exp(s^2), s)", "2*s*exp(s^2)", 1, 3},
  {"diff(diff(s^4, s), s)", "12*s^2", 1, 3},
  {"diff(diff(inner(F, F)^2, F), F)[0, 0, 0, 0]", "4*inner(F, F) + 8*F[0, 0]^2", 1, 3},
  {"diff(dot(C, U), U)", "C", 1, 3},
  {"diff(erf(u), u)", "2/sqrt(pi)*exp(-u^2)", 1, 3},
  {"diff(atan2(u, p + 1), u)", "(p + 1)/(u^2 + (p + 1)^2)", 1, 3},
  {"diff(atan2(u, p + 1), p)", "-u/(u^2 + (p + 1)^2)", 1, 3},
  {"diff(bessel_jn(2, y), y)", "bessel_jn(1, y) - 2/y*bessel_jn(2, y)", 1, 3},
  {"diff(bessel_yn(2, y), y)", "bessel_yn(1, y) - 2/y*bessel_yn(2, y)", 1, 3},
  {"diff(y*bessel_j1(y), y)", "y*bessel_j0(y)", 1, 3},
  {"diff(if(u > 0, u^3, u^2), u)", "if(u > 0, 3*u^2, 2*u)", 1, 3},
  {"diff(abs(u)^3, u)", "3*u^2*sign(u)", 1, 3},
  /* derivatives in time */
  {"dt(u*U)", "dt(u)*U + u*dt(U)", 1, 3},
  {"dt(u^2, 2)", "2*dt(u)^2 + 2*u*dt(u, 2)", 1, 3},
  {"dt(sin(t)*u, 2)", "-sin(t)*u + 2*cos(t)*dt(u) + sin(t)*dt(u, 2)", 1, 3},
  {"dt(grad(U))", "grad(dt(U))", 1, 3},
  {"dt(det(F))", "inner(cofactor(F), dt(F))", 1, 3},
  {"dt(inv(F))", "-dot(dot(inv(F), dt(S)), inv(F))", 1, 3},
  {"dt(dt(u*p))", "dt(u*p, 2)", 1, 3},
  {"dt(t^3*x, 2)", "6*t*x", 1, 3},
  {"dt(if(t < 1, t^2, t)*u)", "if(t < 1, 2*t, 1)*u + if(t < 1, t^2, t)*dt(u)", 1, 3},
  {"dt(diff(u^4, u))", "12*u^2*dt(u)", 1, 3},
  {"dt(div(u*U))", "div(dt(u*U))", 1, 3},
  /* numbers */
  {"if(x[0] < 0.5 and not x[0] < 0.2 or u > 0.01, 1, 2)", "if(u > 0.01, 1, if(x[0] < 0.5, if(x[0] < 0.2, 2, 1), 2))", 1,
   3},
  {"if(u != 0 and (u >= 0) == (u > 0), 1, 2)", "1", 1, 3},
  {"min(u, p) + max(u, p)", "u + p", 1, 3},
  {"abs(u)", "sign(u)*u", 1, 3},
  {"sqrt(u^2)", "abs(u)", 1, 3},
  {"cosh(u)^2 - sinh(u)^2", "1", 1, 3},
  {"tanh(u)*cosh(u) + tan(u)*cos(u)", "sinh(u) + sin(u)", 1, 3},
  {"asin(u) + acos(u)", "pi/2", 1, 3},
  {"log(exp(u)) + atan(tan(u))", "2*u", 1, 3},
  {"y^-1 + y^0.5 + 2^-3^2", "1/y + sqrt(y) + 1/512", 1, 3},
  {"-u^2", "-(u*u)", 1, 3},
  {"bessel_j1(y)*bessel_y0(y) - bessel_j0(y)*bessel_y1(y)", "2/(pi*y)", 1, 3},
  {"bessel_jn(0, y) + bessel_yn(1, y)", "bessel_j0(y) + bessel_y1(y)", 1, 3},
  /* tables: slopes of lines and cubics by differences that are exact for them */
  {"table(\"line.csv\")", "1 + 2*t", 1, 3},
  {"table(\"line.csv\", u)", "1 + 2*max(u, 0)", 1, 3},
  {"dt(table(\"line.csv\")*u)", "2*u + (1 + 2*t)*dt(u)", 1, 3},
  {"dt(table(\"line.csv\", p + 0.5, column: b))", "-dt(p)", 1, 3},
  {"grad(table(\"line.csv\", u + 0.5))", "2*g", 1, 3},
  {"diff(table(\"line.csv\", y), y)", "0", 1, 3},
  {"table(\"line.csv\", u + 0.5, method: cubic)", "2*(u + 1)", 1, 3},
  {"12*diff(table(\"curve.csv\", y, method: cubic), y)/100",
   "8*(" CURVE("y + 0.01") " - " CURVE("y - 0.01") ") - (" CURVE("y + 0.02") " - " CURVE("y - 0.02") ")", 1, 3},
  {"dt(" CURVE("1.9 + t/2") ", 2)", "(" CURVE("2 + t/2") " - 2*" CURVE("1.9 + t/2") " + " CURVE("1.8 + t/2") ")/0.04",
   1, 3},
  {"dt(" CURVE("y") ", 2)", "diff(diff(" CURVE("y") ", y), y)*dt(u)^2 + diff(" CURVE("y") ", y)*dt(u, 2)", 1, 3},
  {"div(grad(" CURVE("y") "))", "diff(diff(" CURVE("y") ", y), y)*inner(g, g) + diff(" CURVE("y") ", y)*div(g)", 1, 3},
  /* fields of other spaces, with a rate */
  {"grad(f*u)", "f*g + u*grad(f)", 1, 3},
  {"div(grad(f^2))", "2*f*div(grad(f)) + 2*inner(grad(f), grad(f))", 1, 3},
  {"dt(sin(t)*f*u)", "cos(t)*f*u + sin(t)*(rate*u + f*dt(u))", 1, 3},
  {"grad(dt(f^2))", "2*rate*grad(f) + 2*f*grad(rate)", 1, 3},
  {"diff(f*exp(y*f), y)", "f^2*exp(f*y)", 1, 3},
  {"kappa/2*3", "1.5*kappa", 1, 3},
  {"1e-1 + .5 + 2.E0", "2.6", 1, 3},
};

/* Sums of integrals; the boxes are not bent here, so that the rules are exact. */
static const Identity integrals[] = {
  {"dot(x, n)*ds", "d*dx", 1, 3},
  {"dot(u*U, n)*ds", "div(u*U)*dx", 1, 3},
  {"jump(g, n)*p*dS + dot(g, n)*p*ds", "(div(g)*p + dot(g, grad(p)))*dx", 1, 3},
  {"dot(jump(D, n), x)*dS + D*dot(x, n)*ds", "(d*D + dot(grad(D), x))*dx", 1, 3},
  {"inner(jump(D*g), x)*dS", "inner(jump(D)*avg(g) + avg(D)*jump(g), x)*dS", 1, 3},
  {"inner(plus(n) + minus(n), x)*dS + avg(D)*dS", "(plus(D) + minus(D))/2*dS", 1, 3},
  {"plus(D*h)*minus(volume)*dS", "plus(D)*plus(h)*minus(volume)*dS", 1, 3},
  {"derive(u^4*dx, u, p)", "4*u^3*p*dx", 1, 3},
  {"derive(derive(u^4*dx, u, p), u, p)", "12*u^2*p^2*dx", 1, 3},
  {"derive(derive(u^2*p^2*dx, u, p), p, u)", "6*u^2*p^2*dx", 1, 3},
  {"derive(inner(g, g)^2*dx, u, p)", "4*inner(g, g)*dot(g, grad(p))*dx", 1, 3},
  {"derive(det(F)*dx, S, C)", "inner(cofactor(F), C)*dx", 1, 3},
  {"derive(jump(D)^2*dS, D, p*u)", "2*jump(D)*jump(p*u)*dS", 1, 3},
  {"derive(jump(D)^2*dS, D, D)", "2*jump(D)^2*dS", 1, 3},
  {"value(left: u, else: 2)*ds", "u*ds(left) + 2*ds - 2*ds(left)", 1, 3},
  {"value(\"left\": 1, 2: p, else: 0)*ds", "1*ds(left) + p*ds(2)", 1, 3},
  {"u*dx(degree: 7)", "u*dx", 1, 3},
  {"jump(f)^2*dS + jump(rate)^2*dS", "0*dx", 1, 3},
  {"(f - x[0]^2*(1 - x[0]))^2*dx", "0*dx", 1, 3},
  {"derive(f*u^3*dx, u, p)", "3*f*u^2*p*dx", 1, 3},
  {"dot(f*n, U)*ds", "(dot(grad(f), U) + f*div(U))*dx", 1, 3},
  {"value(left: f, right: 2*f, else: t)*ds", "f*ds(left) + 2*f*ds(right) + t*ds - t*ds(left) - t*ds(right)", 1, 3},
};

static Tools     tools;
static RungSpace spaces[UNKNOWNS];
static RungField fields[2];
static PetscInt  dim;

/* A polynomial of degree 3 at the nodes of a space that holds it, and of another space its rate. */
static PetscErrorCode add_fields(RungCellType type)
{
  const char *const spec[] = {"3", "1"}, *const name[] = {"f", "rate"},
                    *const text[] = {"x[0]^2*(1 - x[0])", "1 + x[0]"};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungSpace   space;
    RungScope   own;
    RungExpr    expr;
    RungSampler sampler;

    PetscCall(tools_space(tools.mesh, type, spec[i], &space));
    PetscCall(RungFieldCreate(space, name[i], &fields[i]));
    PetscCall(RungScopeCreate(PETSC_COMM_SELF, &own));
    PetscCall(RungScopeSetDimension(own, dim));
    PetscCall(RungScopeParse(own, name[i], text[i], &expr));
    PetscCall(RungSamplerCreate(expr, tools.mesh, NULL, &sampler));
    PetscCall(RungFieldInterpolate(fields[i], sampler, 0, NULL, NULL));
    PetscCall(RungSamplerDestroy(&sampler));
    PetscCall(RungScopeDestroy(&own));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungFieldSetRate(fields[0], fields[1]));
  for (int i = 0; i < 2; ++i) PetscCall(RungScopeAddField(tools.scope, name[i], fields[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table files: lines, and a curve */
static PetscErrorCode write_tables(void)
{
  static const char line[] = "x a b\n0 1 4\n0.25 1.5 3.75\n1 3 3\n", curve[] = "0 1\n1 1.5\n1.5 3\n2.5 3.25\n4 7\n";

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "line.csv", sizeof line - 1, line));
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "curve.csv", sizeof curve - 1, curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enter(RungCellType type, PetscBool bent)
{
  static const char *const name[][2] = {{"u", "v"}, {"p", "q"}, {"U", "W"}, {"S", "R"}, {"D", "E"}};
  static const char *const spec[]    = {"2", "1", "2^d", "1^dxd", NULL};

  PetscFunctionBegin;
  dim = tools_dim[type];
  PetscCall(PetscMemzero(&tools, sizeof tools));
  PetscCall(tools_mesh(PETSC_COMM_SELF, type, bent, &tools.mesh));
  PetscCall(RungMeshGetData(tools.mesh, &tools.data));
  PetscCall(RungScopeCreate(PETSC_COMM_SELF, &tools.scope));
  for (int f = 0; f < UNKNOWNS; ++f) {
    if (spec[f])
      PetscCall(tools_space(tools.mesh, type, spec[f], &spaces[f]));
    else
      PetscCall(RungSpaceCreate(tools.mesh, RungCellGet(type)->simplex ? "DP1" : "DQ1", &spaces[f]));
    PetscCall(RungScopeAddUnknown(tools.scope, name[f][0], name[f][1], spaces[f]));
  }
  PetscCall(RungScopeSetConstant(tools.scope, "kappa", 0.7));
  PetscCall(write_tables());
  PetscCall(add_fields(type));
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, UNKNOWNS, spaces, &tools.layout));
  PetscCall(RungLayoutAddNeighbours(tools.layout));
  PetscCall(tools_fill(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode leave(void)
{
  PetscFunctionBegin;
  PetscCall(tools_destroy(&tools));
  for (int i = 0; i < 2; ++i) PetscCall(RungFieldDestroy(&fields[i]));
  for (int f = 0; f < UNKNOWNS; ++f) PetscCall(RungSpaceDestroy(&spaces[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool holds(const Identity *identity)
{
  return identity->from <= dim && dim <= identity->to ? PETSC_TRUE : PETSC_FALSE;
}

/* A text that cannot be read is a failure, and the next one is looked at. */
static PetscErrorCode find_value(const char text[], PetscReal *value)
{
  char           message[4096] = "";
  PetscErrorCode raised;

  PetscFunctionBegin;
  *value = PETSC_INFINITY;
  PetscCall(PetscPushErrorHandler(check_keep_message, message));
  raised = tools_value(&tools, text, value);
  PetscCall(PetscPopErrorHandler());
  if (raised) fprintf(stderr, "%s\n", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_identities_hold_at_every_point(void)
{
  char text[2048];

  PetscFunctionBegin;
  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(enter(type, PETSC_TRUE));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(identities); ++i) {
      const Identity *a = &identities[i];
      PetscReal       value;

      if (!holds(a)) continue;
      PetscCall(PetscSNPrintf(text, sizeof text, DEFINITIONS "L = %s; R0 = %s; inner(L - R0, L - R0)*dx(degree: 2)",
                              a->left, a->right));
      PetscCall(find_value(text, &value));
      if (!(sqrt(fabs(value)) < 1e-10)) {
        fprintf(stderr, "%s: %s is not %s, by %g\n", tools_cell[type], a->left, a->right, sqrt(fabs(value)));
        ++check_failures;
      }
    }
    PetscCall(leave());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_integrals_obey_the_theorems(void)
{
  char text[2048];

  PetscFunctionBegin;
  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(enter(type, PETSC_FALSE));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(integrals); ++i) {
      const Identity *a = &integrals[i];
      PetscReal       value;

      if (!holds(a)) continue;
      PetscCall(PetscSNPrintf(text, sizeof text, DEFINITIONS "%s - (%s)", a->left, a->right));
      PetscCall(find_value(text, &value));
      if (!(fabs(value) < 1e-12)) {
        fprintf(stderr, "%s: %s is not %s, by %g\n", tools_cell[type], a->left, a->right, value);
        ++check_failures;
      }
    }
    PetscCall(leave());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All left sides in one residual, which the interpreter and the compiler take through all of the way. */
static PetscErrorCode test_all_words_compile(void)
{
  static const RungCellType of[] = {RUNG_INTERVAL, RUNG_QUADRILATERAL, RUNG_TETRAHEDRON};
  static char               text[32768];
  PetscReal                 size, difference;

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    const RungCellType type = of[i];
    size_t             n    = 0;
    Vec                r[2];

    PetscCall(enter(type, PETSC_TRUE));
    n += (size_t)snprintf(text, sizeof text, "%s", DEFINITIONS);
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(identities); ++k) {
      if (!holds(&identities[k])) continue;
      n += (size_t)snprintf(text + n, sizeof text - n, "L%d = %s; ", (int)k, identities[k].left);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "(0");
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(identities); ++k) {
      if (holds(&identities[k])) n += (size_t)snprintf(text + n, sizeof text - n, " + inner(L%d, L%d)", (int)k, (int)k);
    }
    (void)snprintf(text + n, sizeof text - n, ")*v*dx(degree: 2)");
    for (int c = 0; c < 2; ++c) {
      RungForm form;

      PetscCall(VecDuplicate(tools.u[0], &r[c]));
      PetscCall(tools_form(&tools, text, c ? PETSC_TRUE : PETSC_FALSE, &form));
      PetscCall(tools_quick_compiler(form));
      PetscCall(RungFormAssembleVec(form, 0.3, tools.u, r[c]));
      PetscCall(RungFormDestroy(&form));
    }
    PetscCall(VecNorm(r[0], NORM_INFINITY, &size));
    PetscCall(VecAXPY(r[1], -1, r[0]));
    PetscCall(VecNorm(r[1], NORM_INFINITY, &difference));
    CHECK(size > 1e-3 && difference <= 1e-13 * size);
    for (int c = 0; c < 2; ++c) PetscCall(VecDestroy(&r[c]));
    PetscCall(leave());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_identities_hold_at_every_point), RUNG_TEST(test_integrals_obey_the_theorems),
               RUNG_TEST(test_all_words_compile))
