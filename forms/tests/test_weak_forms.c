/* test_weak_forms.c - forms as their users write them, for which nothing is tuned: read, printed and read again; the
   derivative against finite differences; both back ends against each other. */
#include "kernel_tools.h"

#define MOST 4 /* unknowns */

/* About `base` lie the numbers of an unknown. */
typedef struct {
  const char *name, *test, *space;
  double      base;
} Unknown;

typedef struct {
  const char  *name;
  RungCellType cell;
  Unknown      unknown[MOST];
  const char  *text;
} Weak;

/* clang-format off */
static const Weak weak[] = {
  {"Navier-Stokes, SUPG, PSPG and LSIC", RUNG_TRIANGLE, {{"u", "v", "P1^d", 0.5}, {"p", "q", "P1", 0}},
   "rho = 1.2; mu = 0.01; nu = mu/rho; f = vector(0, -9.81);"
   "speed = sqrt(dot(u, u));"
   "tau = ((2*speed/h)^2 + 9*(4*nu/h^2)^2)^-0.5; tau_c = speed*h/2;"
   "r = rho*(dt(u) + dot(grad(u), u) - f) + grad(p);"
   "rho*inner(dt(u) + dot(grad(u), u) - f, v)*dx + 2*mu*inner(sym(grad(u)), sym(grad(v)))*dx - p*div(v)*dx"
   " + q*div(u)*dx + tau*inner(r, dot(grad(v), u) + grad(q)/rho)*dx + rho*tau_c*div(u)*div(v)*dx"},
  {"Stokes, Brinkman and Darcy", RUNG_QUADRILATERAL, {{"u", "v", "Q2^d", 0}, {"p", "q", "Q1", 0}},
   "mu = 0.1; K = if(x[1] < 0.5, 1e-2, 1e3);"
   "2*mu*inner(sym(grad(u)), grad(v))*dx + mu/K*inner(u, v)*dx - p*div(v)*dx - q*div(u)*dx"
   " + inner(sin(x[0])*n, v)*ds(left) + 10*mu/h*dot(u, n)*dot(v, n)*ds(right)"},
  {"Biot's poroelasticity", RUNG_TETRAHEDRON, {{"u", "w", "P2^d", 0}, {"p", "q", "P1", 1}},
   "G = 1.5; lambda = 2; alpha = 0.8; S = 0.05; k = 0.1; eps = sym(grad(u)); sigma = 2*G*eps + (lambda*tr(eps) - alpha*p)*I;"
   "inner(sigma, grad(w))*dx + dt(S*p + alpha*div(u))*q*dx + k*inner(grad(p) - vector(0, 0, -1), grad(q))*dx - t*w[2]*ds(top)"},
  {"Allen-Cahn, anisotropic", RUNG_TRIANGLE, {{"c", "e", "P2", 0.4}},
   "g = grad(c) + vector(0.2, 0.1); theta = atan2(g[1], g[0]); a = 1 + 0.05*cos(4*theta); W = c^2*(1 - c)^2;"
   "dt(c)*e*dx + derive((a^2*inner(grad(c), grad(c))/2 + 20*W)*dx, c)"},
  {"Kirchhoff's plate, interior penalty", RUNG_TRIANGLE, {{"w", "z", "P2", 0}},
   "nu = 0.3; D = 2; H = grad(grad(w)); K = grad(grad(z)); M = D*((1 - nu)*H + nu*tr(H)*I); N = D*((1 - nu)*K + nu*tr(K)*I);"
   "inner(M, K)*dx - avg(dot(n, dot(M, n)))*jump(grad(z), n)*dS - avg(dot(n, dot(N, n)))*jump(grad(w), n)*dS"
   " + 10*D/avg(h)*jump(grad(w), n)*jump(grad(z), n)*dS - z*dx + 10*D/h*dot(grad(w), n)*dot(grad(z), n)*ds(left)"},
  {"Maxwell on nodes, penalties", RUNG_TETRAHEDRON, {{"E", "F", "P1^d", 0}},
   "mu = 1.1; eps = 2; sigma = 0.3;"
   "eps*inner(dt(E, 2), F)*dx + sigma*inner(dt(E), F)*dx + inner(curl(E), curl(F))/mu*dx + div(E)*div(F)/mu*dx"
   " + 10/(mu*h)*inner(cross(n, E), cross(n, F))*ds - inner(cross(n, curl(E)), F)/mu*ds"},
  {"Mindlin's plate, shear at fewer points", RUNG_QUADRILATERAL, {{"w", "z", "Q2", 0}, {"theta", "eta", "Q2^d", 0}},
   "Ey = 10; nu = 0.3; b = 0.1; kap = sym(grad(theta)); g = grad(w) - theta;"
   "bending = Ey*b^3/(24*(1 - nu^2))*((1 - nu)*inner(kap, kap) + nu*tr(kap)^2)*dx;"
   "shear = 5/6*Ey*b/(4*(1 + nu))*inner(g, g)*dx(degree: 2);"
   "derive(bending, theta) + derive(shear, theta) + derive(shear, w) - b*z*dx"},
  {"Timoshenko's beam, one point", RUNG_INTERVAL, {{"w", "z", "P1", 0}, {"phi", "psi", "P1", 0}},
   "EI = 2; GA = 1e3; rho = 1; g = grad(w)[0] - phi;"
   "rho*dt(w, 2)*z*dx + 0.01*rho*dt(phi, 2)*psi*dx + EI*inner(grad(phi), grad(psi))*dx"
   " + GA*g*(grad(z)[0] - psi)*dx(degree: 1) - sin(t)*z*ds(right)"},
  {"hyperelasticity by principal stretches", RUNG_TRIANGLE, {{"u", "w", "P2^d", 0}},
   "F = I + grad(u) + vector(vector(0.3, 0.1), vector(0, 0)); C = dot(transpose(F), F); J = det(F);"
   "m = tr(C)/2; s = sqrt(m^2 - J^2); l1 = sqrt(m + s); l2 = sqrt(m - s); a = 2.3;"
   "W = 0.7/a*(l1^a + l2^a + J^-a - 3) + 0.4*(l1^-2 + l2^-2 + J^2 - 3) + 50*(J - 1)^2; derive(W*dx, u)"},
  {"Mooney-Rivlin, mixed", RUNG_HEXAHEDRON, {{"u", "w", "Q2^d", 0}, {"p", "q", "Q1", 0}},
   "F = I + grad(u); C = dot(transpose(F), F); J = det(F); I1 = tr(C); I2 = (I1^2 - tr(dot(C, C)))/2;"
   "W = 1.1*(J^(-2/3)*I1 - 3) + 0.3*(J^(-4/3)*I2 - 3) + p*(J - 1) - p^2/200;"
   "derive(W*dx(degree: 4), u) + derive(W*dx(degree: 4), p) + 0.2*dot(dot(cofactor(F), n), w)*ds(right, degree: 4)"},
  {"thermo-elasticity, modulus from a table", RUNG_QUADRILATERAL, {{"u", "w", "Q2^d", 0}, {"T", "S", "Q1", 150}},
   "E = table(\"modulus.csv\", T, method: cubic); k = table(\"modulus.csv\", T, column: conductivity); nu = 0.3;"
   "eps = sym(grad(u)); el = eps - 1.2e-5*(T - 20)*I; sigma = E/(1 + nu)*(el + nu/(1 - 2*nu)*tr(el)*I);"
   "inner(sigma, grad(w))*dx + dt(T)*S*dx + k*inner(grad(T), grad(S))*dx + 20*1.2e-5*tr(sigma)*dt(div(u))*S*dx"
   " + 5.67e-8*((T + 273.15)^4 - 293.15^4)*S*ds(left)"},
  {"Richards with van Genuchten", RUNG_TRIANGLE, {{"psi", "q", "P1", -1}},
   "alpha = 1.5; n_ = 1.8; m = 1 - 1/n_; Ks = 0.3;"
   "Se = if(psi < 0, (1 + (-alpha*psi)^n_)^-m, 1); theta = 0.05 + 0.4*Se; K = Ks*sqrt(Se)*(1 - (1 - Se^(1/m))^m)^2;"
   "dt(theta)*q*dx + K*inner(grad(psi) + unit(1), grad(q))*dx - 0.01*q*ds(top)"},
  {"shallow water, discontinuous, Rusanov", RUNG_TRIANGLE, {{"H", "a", "DP1", 2}, {"Q", "b", "DP1^d", 0.3}},
   "g = 9.81; U = Q/H; c = sqrt(g*H) + sqrt(dot(U, U)); P = outer(Q, U) + g*H^2/2*I; s = max(plus(c), minus(c));"
   "dt(H)*a*dx - dot(Q, grad(a))*dx + (dot(avg(Q), plus(n)) + s/2*jump(H))*jump(a)*dS"
   " + inner(dt(Q), b)*dx - inner(P, grad(b))*dx + inner(dot(avg(P), plus(n)) + s/2*jump(Q), jump(b))*dS"
   " + dot(dot(g*H^2/2*I, n), b)*ds"},
  {"transport upwind by if", RUNG_QUADRILATERAL, {{"c", "e", "DQ1", 1}},
   "b = vector(1 + x[1], -x[0]); bn = dot(b, plus(n)); up = if(bn > 0, plus(c), minus(c));"
   "dt(c)*e*dx - c*dot(b, grad(e))*dx + bn*up*jump(e)*dS + if(dot(b, n) > 0, dot(b, n)*c, dot(b, n)*sin(t))*e*ds"},
  {"Gross-Pitaevskii in two real parts", RUNG_QUADRILATERAL, {{"a", "v", "Q2", 0.6}, {"b", "w", "Q2", 0.2}},
   "V = dot(x, x)/2; beta = 10; O = 0.5; N = a^2 + b^2; Lz = vector(-x[1], x[0]);"
   "dt(a)*w*dx - dt(b)*v*dx - (inner(grad(a), grad(v)) + inner(grad(b), grad(w)))/2*dx - (V + beta*N)*(a*v + b*w)*dx"
   " + O*(dot(Lz, grad(b))*v - dot(Lz, grad(a))*w)*dx"},
  {"Gray-Scott", RUNG_TRIANGLE, {{"u", "v", "P1", 0.8}, {"z", "w", "P1", 0.2}},
   "Du = 2e-5; Dz = 1e-5; F = 0.04; k = 0.06; r = u*z^2;"
   "(dt(u)*v + Du*inner(grad(u), grad(v)) + r*v - F*(1 - u)*v)*dx + (dt(z)*w + Dz*inner(grad(z), grad(w)) - r*w + (F + k)*z*w)*dx"},
  {"phase-field fracture, history at points", RUNG_QUADRILATERAL,
   {{"u", "w", "Q1^d", 0}, {"c", "e", "Q1", 0.1}, {"H", "K", "Quad(2)", 0.2}},
   "G = 80; lambda = 120; Gc = 2.7; l = 0.1; eps = sym(grad(u)); tr_ = tr(eps);"
   "psi = lambda/2*max(tr_, 0)^2 + G*inner(eps, eps); sigma = ((1 - c)^2 + 1e-6)*(lambda*max(tr_, 0)*I + 2*G*eps) + lambda*min(tr_, 0)*I;"
   "inner(sigma, grad(w))*dx(degree: 2) + (Gc*l*inner(grad(c), grad(e)) + (Gc/l + 2*H)*c*e - 2*H*e)*dx(degree: 2)"
   " + (dt(H) - max(psi - H, 0)/1e-3)*K*dx(degree: 2)"},
  {"level set, reinitialised", RUNG_TRIANGLE, {{"phi", "z", "P1", 0.3}},
   "phi0 = 0.3 - sqrt(dot(x, x)); s = phi0/sqrt(phi0^2 + h^2); len = sqrt(dot(grad(phi), grad(phi)) + 1e-8);"
   "(dt(phi) + s*(len - 1))*z*dx + h/2*abs(s)*dot(grad(phi), grad(z))*dx"},
  {"contact by penalty and Coulomb's friction", RUNG_TETRAHEDRON, {{"u", "w", "P1^d", 0}},
   "mu = 40; lambda = 60; eps = sym(grad(u)); gap = 0.01 + x[2] - 0.02*x[0] + u[2]; pen = 1e3; pn = if(gap < 0, -pen*gap, 0);"
   "ut = u - dot(u, n)*n; tt = 0.3*pn*ut/sqrt(dot(ut, ut) + 1e-6);"
   "inner(2*mu*eps + lambda*tr(eps)*I, grad(w))*dx - pn*w[2]*ds(bottom) + dot(tt, w)*ds(bottom)"},
  {"Poisson-Nernst-Planck", RUNG_TRIANGLE, {{"cp", "q", "P1", 1}, {"cm", "r", "P1", 1}, {"V", "W", "P1", 0.2}},
   "Dp = 1; Dm = 0.7; eps = 0.1;"
   "dt(cp)*q*dx + Dp*inner(grad(cp) + cp*grad(V), grad(q))*dx + dt(cm)*r*dx + Dm*inner(grad(cm) - cm*grad(V), grad(r))*dx"
   " + eps*inner(grad(V), grad(W))*dx - (cp - cm)*W*dx"},
  {"Carreau's fluid with slip by Nitsche", RUNG_TRIANGLE, {{"u", "v", "P2^d", 0.1}, {"p", "q", "P1", 0}},
   "D = sym(grad(u)); g2 = 2*inner(D, D); mu = 0.01 + 0.9*(1 + 4*g2)^((0.4 - 1)/2); T = 2*mu*D - p*I;"
   "inner(T, sym(grad(v)))*dx + q*div(u)*dx - dot(n, dot(T, n))*dot(v, n)*ds - dot(u, n)*(q + 2*dot(n, dot(sym(grad(v)), n)))*ds"
   " + 20/h*dot(u, n)*dot(v, n)*ds + 0.1*dot(u - dot(u, n)*n, v)*ds"},
  {"total variation", RUNG_QUADRILATERAL, {{"u", "v", "Q1", 0.5}},
   "f = if((x[0] - 0.5)^2 + (x[1] - 0.5)^2 < 0.09, 1, 0) + 0.2*noise(x);"
   "derive((sqrt(inner(grad(u), grad(u)) + 1e-3) + 8*(u - f)^2)*dx, u)"},
  {"Cahn-Hilliard with a contact angle", RUNG_TRIANGLE, {{"c", "e", "P1", 0.1}, {"m", "z", "P1", 0}},
   "eps = 0.05; M = (1 - c^2)^2 + 0.01; W = (1 - c^2)^2/4; angle = cos(pi/3);"
   "dt(c)*e*dx + M*inner(grad(m), grad(e))*dx + (m - diff(W, c)/eps)*z*dx - eps*inner(grad(c), grad(z))*dx"
   " + angle*(1 - c^2)/sqrt(2)*z*ds(bottom)"},
  {"a windkessel, its flow by a multiplier", RUNG_TRIANGLE, {{"u", "v", "P2", 0.3}, {"p", "q", "R", 1}, {"l", "m", "R^2", 0}},
   "C = 1.3; Rp = 0.7; k = 1 + u^2;"
   "dt(u)*v*dx + k*inner(grad(u), grad(v))*dx - p*v*ds(right) + (C*dt(p) + p/Rp)*q*dR - (u - exp(0.1*p))*q*ds(left)"
   " + l[0]*v*ds(bottom) + (u - p^2)*m[0]*ds(bottom) + (l[1] - x[0]*u)*m[1]*ds(top)"},
  {"finite volumes", RUNG_QUADRILATERAL, {{"u", "v", "DQ0", 1}},
   "b = vector(1 + x[1], -x[0]); f = u^2/2*dot(b, plus(n)); s = abs(dot(b, plus(n)))*max(abs(plus(u)), abs(minus(u)));"
   "dt(u)*v*dx + (avg(u^2/2*b)[0]*plus(n)[0] + avg(u^2/2*b)[1]*plus(n)[1] + s/2*jump(u))*jump(v)*dS"
   " + max(dot(b, n), 0)*u^2/2*v*ds + min(dot(b, n), 0)*(u - sin(t))*v*ds(left)"},
};
/* clang-format on */

typedef struct {
  const Weak *its;
  RungMesh    mesh;
  RungSpace   space[MOST];
  PetscInt    unknowns;
  RungScope   scope;
  RungLayout  layout;
  Vec         u[3];
} Problem;

/* base + 0.1 sin(..), rates without the base */
static PetscErrorCode fill_levels(Problem *p)
{
  const RungLayoutData *data;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(p->layout, &data));
  for (int k = 0; k < 3; ++k) {
    PetscScalar *u;

    PetscCall(RungLayoutCreateVec(p->layout, &p->u[k]));
    PetscCall(VecGetArray(p->u[k], &u));
    for (PetscInt f = 0; f < p->unknowns; ++f) {
      const double base = p->its->unknown[f].base;

      for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i)
        u[i] = (k ? 0 : base) + 0.1 * (base ? fabs(base) : 0.3) * sin(1.3 * (double)i + k + 0.2);
    }
    PetscCall(VecRestoreArray(p->u[k], &u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enter(const Weak *its, Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof *p));
  p->its = its;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &p->mesh));
  PetscCall(RungMeshSetBox(p->mesh, tools_cell[its->cell], tools_dim[its->cell], (PetscInt[]){3, 2, 1}, NULL));
  PetscCall(RungScopeCreate(PETSC_COMM_SELF, &p->scope));
  for (; p->unknowns < MOST && its->unknown[p->unknowns].name; ++p->unknowns) {
    const Unknown *u = &its->unknown[p->unknowns];

    PetscCall(RungSpaceCreate(p->mesh, u->space, &p->space[p->unknowns]));
    PetscCall(RungScopeAddUnknown(p->scope, u->name, u->test, p->space[p->unknowns]));
  }
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, p->unknowns, p->space, &p->layout));
  PetscCall(RungLayoutAddNeighbours(p->layout));
  PetscCall(fill_levels(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode leave(Problem *p)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&p->u[k]));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(RungScopeDestroy(&p->scope));
  for (PetscInt f = 0; f < p->unknowns; ++f) PetscCall(RungSpaceDestroy(&p->space[f]));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PetscReal sigma[3 * MOST] = {1, 1, 1, 1, 0.7, 0.7, 0.7, 0.7, 1.3, 1.3, 1.3, 1.3};

static PetscErrorCode create_form(Problem *p, RungExpr expr, PetscBool compile, RungForm *form)
{
  PetscFunctionBegin;
  PetscCall(RungFormCreate(expr, p->its->name, p->layout, form));
  (*form)->compile       = compile;
  (*form)->options.lanes = 2;
  PetscCall(PetscFree((*form)->options.cache));
  PetscCall(PetscStrallocpy("cache", &(*form)->options.cache));
  PetscCall(tools_quick_compiler(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_again(Problem *p, RungExpr *expr)
{
  RungExpr again;
  char    *text;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(p->scope, p->its->name, p->its->text, expr));
  PetscCall(RungExprToText(*expr, &text));
  PetscCall(RungScopeParse(p->scope, "printed", text, &again));
  CHECK(again.node == expr->node);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual at u + h s d with weights as J has them: d in all levels, of the size of u's variations. */
static PetscErrorCode moved(Problem *p, RungForm form, PetscReal h, Vec d, Vec r)
{
  Vec u[3];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    PetscCall(VecDuplicate(d, &u[k]));
    PetscCall(VecWAXPY(u[k], h * sigma[k * p->unknowns], d, p->u[k]));
  }
  PetscCall(RungFormAssembleVec(form, 0.3, u, r));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |(F(u + h d) - F(u - h d))/2h - J d| / |J d| */
static PetscErrorCode find_difference(Problem *p, RungForm form, Mat J, PetscReal *difference)
{
  const PetscReal h = 1e-5;
  PetscReal       size, level[3 * MOST];
  Vec             d, r[2], Jd;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * p->unknowns; ++i) level[i] = sigma[i / p->unknowns * p->unknowns];
  PetscCall(VecDuplicate(p->u[1], &d));
  PetscCall(VecCopy(p->u[1], d));
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDuplicate(d, &r[i]));
    PetscCall(moved(p, form, i ? -h : h, d, r[i]));
  }
  PetscCall(VecDuplicate(d, &Jd));
  PetscCall(RungFormAssembleMat(form, 0.3, p->u, level, J));
  PetscCall(MatMult(J, d, Jd));
  PetscCall(VecNorm(Jd, NORM_2, &size));
  PetscCall(VecAXPBYPCZ(Jd, 1 / (2 * h), -1 / (2 * h), -1, r[0], r[1]));
  PetscCall(VecNorm(Jd, NORM_2, difference));
  *difference /= size;
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&r[i]));
  PetscCall(VecDestroy(&Jd));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest differences of vector and matrix between the back ends, relative. */
static PetscErrorCode back_ends(Problem *p, RungForm form[2], Mat J, PetscReal difference[2])
{
  Vec       r[2];
  Mat       other;
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(RungFormSetUp(form[1], PETSC_TRUE)); /* its kernels go to the compiler together */
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &other));
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDuplicate(p->u[0], &r[i]));
    PetscCall(RungFormAssembleVec(form[i], 0.3, p->u, r[i]));
  }
  PetscCall(VecNorm(r[0], NORM_2, &size));
  PetscCall(VecAXPY(r[1], -1, r[0]));
  PetscCall(VecNorm(r[1], NORM_2, &difference[0]));
  difference[0] /= size;
  PetscCall(RungFormAssembleMat(form[0], 0.3, p->u, sigma, J));
  PetscCall(MatCopy(J, other, SAME_NONZERO_PATTERN));
  PetscCall(RungFormAssembleMat(form[1], 0.3, p->u, sigma, J));
  PetscCall(MatNorm(other, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(other, -1, J, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(other, NORM_FROBENIUS, &difference[1]));
  difference[1] /= size;
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&r[i]));
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_weak(const Weak *its)
{
  PetscBool       couple[MOST * MOST];
  PetscReal       slope, difference[2];
  Problem         p;
  RungExpr        expr;
  RungForm        form[2];
  Mat             J;
  RungFormKernels kernels;

  PetscFunctionBegin;
  for (int i = 0; i < MOST * MOST; ++i) couple[i] = PETSC_TRUE;
  PetscCall(enter(its, &p));
  PetscCall(read_again(&p, &expr));
  for (int i = 0; i < 2; ++i) PetscCall(create_form(&p, expr, i ? PETSC_TRUE : PETSC_FALSE, &form[i]));
  PetscCall(RungLayoutCreateMat(p.layout, couple, NULL, &J));
  PetscCall(find_difference(&p, form[0], J, &slope));
  PetscCall(back_ends(&p, form, J, difference));
  PetscCall(RungFormGetKernels(form[1], &kernels));
  if (kernels.interpreted) {
    fprintf(stderr, "%s: %d of its kernels are not C\n", its->name, (int)kernels.interpreted);
    ++check_failures;
  }
  if (!(slope < 1e-6 && difference[0] < 1e-12 && difference[1] < 1e-12)) {
    fprintf(stderr, "%s: finite difference off by %g, C by %g (vector) and %g (matrix)\n", its->name, slope,
            difference[0], difference[1]);
    ++check_failures;
  }
  for (int i = 0; i < 2; ++i) PetscCall(RungFormDestroy(&form[i]));
  PetscCall(MatDestroy(&J));
  PetscCall(leave(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those from `first` up to `end`; a form that is refused is a failure, and the next one is looked at. */
static PetscErrorCode check_from(PetscInt first, PetscInt end)
{
  static const char table[] = "T E conductivity\n20 210 50\n100 205 48\n200 190 45\n400 150 38\n";

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "modulus.csv", sizeof table - 1, table));
  for (PetscInt i = first; i < PetscMin(end, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(weak)); ++i) {
    char           message[4096] = "";
    PetscErrorCode raised;

    PetscCall(PetscPushErrorHandler(check_keep_message, message));
    raised = check_weak(&weak[i]);
    PetscCall(PetscPopErrorHandler());
    if (!raised) continue;
    fprintf(stderr, "%s: %s\n", weak[i].name, message);
    ++check_failures;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_flow_and_phases_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(0, 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_plates_and_waves_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(4, 8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_large_strains_and_heat_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(8, 12));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_transport_and_reactions_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(12, 16));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fracture_and_contact_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(16, 20));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_rheologies_hold(void)
{
  PetscFunctionBegin;
  PetscCall(check_from(20, 100));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_flow_and_phases_hold), RUNG_TEST(test_plates_and_waves_hold),
               RUNG_TEST(test_large_strains_and_heat_hold), RUNG_TEST(test_transport_and_reactions_hold),
               RUNG_TEST(test_fracture_and_contact_hold), RUNG_TEST(test_other_rheologies_hold))
