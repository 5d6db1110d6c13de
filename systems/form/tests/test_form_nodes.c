/* test_form_nodes.c - dx(rule: nodes): derivatives, diagonals, the option that puts it around dt(), refusals; all cells that can, both back
   ends. */
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_method.h>
#include <rungsystem_room.h>

typedef struct {
  const char *cell, *spec;
  PetscInt    dim;
} Box;

static const Box box[] = {{"interval", "P1", 1},      {"interval", "P4", 1},      {"triangle", "P1", 2},
                          {"quadrilateral", "Q1", 2}, {"quadrilateral", "Q3", 2}, {"tetrahedron", "P1", 3},
                          {"hexahedron", "Q2", 3},    {"triangle", "DP1", 2},     {"quadrilateral", "DQ2", 2},
                          {"triangle", "P0", 2}};
#define BOXES (sizeof box / sizeof box[0])

static PetscErrorCode create(const Box *b, const char residual[], const char options[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(system_create(b->cell, b->dim, b->dim == 3 ? 2 : 3, b->spec, sys));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives --------------------------------------------------------------------------------------------------- */

/* y = J x with J = 0.7 dF/du + 1.3 dF/du', by the kernels of the action, by the matrix, and by differences of F. */
static PetscErrorCode check_derivative(RungSystem sys)
{
  const PetscReal sigma[] = {0.7, 1.3}, d = 1e-5;
  Vec             u[2], p[2], x, y, r, s;
  PetscReal       distance, norm;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(vecs_create(sys, 2, p));
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(vec_fill(x, 7));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(VecDuplicate(x, &s));
  for (int side = 1; side >= -1; side -= 2) {
    for (int k = 0; k < 2; ++k) PetscCall(VecWAXPY(p[k], side * d * sigma[k], x, u[k]));
    PetscCall(RungSystemResidual(sys, 0.3, p, side > 0 ? r : s));
  }
  PetscCall(VecAXPY(r, -1, s));
  PetscCall(VecScale(r, 0.5 / d));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  PetscCall(RungSystemAction(sys, 0.3, u, sigma, x, y));
  PetscCall(vec_distance(y, r, &distance));
  CHECK(norm > 1e-3);
  CHECK_NEAR(distance, 0, 1e-8 * PetscMax(1, norm));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0.3, u, sigma, J));
  PetscCall(MatMult(J, x, s));
  PetscCall(vec_distance(y, s, &distance));
  CHECK_NEAR(distance, 0, 1e-13 * PetscMax(1, norm));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&s));
  PetscCall(vecs_destroy(2, u));
  PetscCall(vecs_destroy(2, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derivatives_are_those_of_f_in_both_back_ends(void)
{
  static const char inside[] = "(1 + x[0] + u^2)*dt(u)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx(rule: nodes)";

  PetscFunctionBegin;
  for (size_t i = 0; i < BOXES; ++i) {
    for (int c = 0; c < 2; ++c) {
      const char *const options = c ? "-form_backend c" : "-form_backend interpreter";
      char              text[256];
      RungSystem        sys;

      if (c && i % 3 != 2) continue; /* triangles, tetrahedra, squares: compilers take their time */
      PetscCall(PetscSNPrintf(text, sizeof text, "%s%s", inside,
                              box[i].spec[1] == '0' ? "" : " + sin(u)*v*ds(left, rule: nodes)"));
      PetscCall(create(&box[i], text, options, &sys));
      PetscCall(check_derivative(sys));
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- diagonals ----------------------------------------------------------------------------------------------------- */

/* The largest entry of M off its diagonal, which goes into d. */
static PetscErrorCode mass(RungSystem sys, Vec d, PetscReal *off)
{
  const PetscReal sigma[] = {0, 1};
  PetscInt        start, end;
  Vec             u[2];
  Mat             M;

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemCreateMat(sys, &M));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, M));
  PetscCall(MatGetDiagonal(M, d));
  PetscCall(MatGetOwnershipRange(M, &start, &end));
  *off = 0;
  for (PetscInt i = start; i < end; ++i) {
    PetscInt           n;
    const PetscInt    *col;
    const PetscScalar *value;

    PetscCall(MatGetRow(M, i, &n, &col, &value));
    for (PetscInt j = 0; j < n; ++j)
      if (col[j] != i) *off = PetscMax(*off, PetscAbsScalar(value[j]));
    PetscCall(MatRestoreRow(M, i, &n, &col, &value));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, off, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(MatDestroy(&M));
  PetscCall(vecs_destroy(2, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number by number 0 off the diagonal, and on affine cells the row sums of the exact mass, which add up to the volume. */
static PetscErrorCode test_masses_are_diagonals_with_the_row_sums_of_the_exact_ones(void)
{
  const PetscReal sigma[] = {0, 1};

  PetscFunctionBegin;
  for (size_t i = 0; i < BOXES; ++i) {
    RungSystem  sys, exact;
    Vec         u[2], d, sums;
    PetscReal   off, distance;
    PetscScalar all;

    PetscCall(create(&box[i], "dt(u)*v*dx(rule: nodes)", "-form_backend interpreter", &sys));
    PetscCall(create(&box[i], "dt(u)*v*dx", "-form_backend interpreter", &exact));
    PetscCall(RungSystemCreateVec(sys, &d));
    PetscCall(VecDuplicate(d, &sums));
    PetscCall(vecs_create(sys, 2, u));
    PetscCall(mass(sys, d, &off));
    CHECK(off == 0);
    PetscCall(RungSystemLumpedMass(exact, 0, u, sigma, sums));
    PetscCall(vec_distance(d, sums, &distance));
    CHECK_NEAR(distance, 0, 1e-14);
    PetscCall(VecSum(d, &all));
    CHECK_NEAR(PetscRealPart(all), 1, 1e-14);
    PetscCall(vecs_destroy(2, u));
    PetscCall(VecDestroy(&d));
    PetscCall(VecDestroy(&sums));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSystemDestroy(&exact));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the option ---------------------------------------------------------------------------------------------------- */

/* F and M of the text with the option are those of the text that says it, bit for bit. */
static PetscErrorCode check_option(const Box *b, const char plain[], const char said[])
{
  RungSystem sys[2];
  Vec        u[2], r[2], d[2];
  PetscReal  off[2];
  PetscBool  same;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(create(b, i ? said : plain,
                     i ? "-form_backend interpreter" : "-form_backend interpreter -system_lumped_mass", &sys[i]));
    PetscCall(RungSystemCreateVec(sys[i], &r[i]));
    PetscCall(VecDuplicate(r[i], &d[i]));
  }
  PetscCall(vecs_create(sys[0], 2, u));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemResidual(sys[i], 0.3, u, r[i]));
    PetscCall(mass(sys[i], d[i], &off[i]));
  }
  PetscCall(VecEqual(r[0], r[1], &same));
  CHECK(same);
  PetscCall(VecEqual(d[0], d[1], &same));
  CHECK(same && off[0] == off[1]);
  PetscCall(vecs_destroy(2, u));
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDestroy(&r[i]));
    PetscCall(VecDestroy(&d[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_option_puts_the_rule_around_dt(void)
{
  PetscFunctionBegin;
  PetscCall(check_option(&box[4], "dt(u)*v*dx + inner(grad(u), grad(v))*dx",
                         "dt(u)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx"));
  PetscCall(
    check_option(&box[3], "((1 + x[0])*dt(u)*v + u^3*v - sin(t)*v)*dx + 2*dt(u)*v*ds(left)",
                 "(1 + x[0])*dt(u)*v*dx(rule: nodes) + (u^3*v - sin(t)*v)*dx + 2*dt(u)*v*ds(left, rule: nodes)"));
  PetscCall(check_option(&box[2], "dt(u + u^3)*v*dx + u*v*dx", "dt(u + u^3)*v*dx(rule: nodes) + u*v*dx"));
  PetscCall(
    check_option(&box[2], "dt(u)*v*dx(degree: 4) + dt(u)*v*dx", "dt(u)*v*dx(degree: 4) + dt(u)*v*dx(rule: nodes)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const Box *b, const char residual[], const char options[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(system_create(b->cell, b->dim, 2, b->spec, &sys));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetFromOptions(sys));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_has_no_such_rule_is_refused(void)
{
  const Box p2 = {"triangle", "P2", 2}, tets = {"tetrahedron", "P2", 3};

  PetscFunctionBegin;
  PetscCall(refuse(&p2, "dt(u)*v*dx(rule: nodes)", "",
                   "has its points at the nodes of P2 on triangle cells, which \"v\" has; take P1"));
  PetscCall(refuse(&p2, "dt(u)*v*dx", "-system_lumped_mass", "nodes of P2 on triangle cells"));
  PetscCall(refuse(&tets, "dt(u)*v*dx + u*v*ds(rule: nodes)", "", "nodes of P2 on triangle cells"));
  PetscCall(refuse(&box[2], "u*v*dx", "-system_lumped_mass", "no term of the residual is a multiple of dt(..)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_derivatives_are_those_of_f_in_both_back_ends),
               RUNG_TEST(test_masses_are_diagonals_with_the_row_sums_of_the_exact_ones),
               RUNG_TEST(test_the_option_puts_the_rule_around_dt), RUNG_TEST(test_what_has_no_such_rule_is_refused))
