/* test_form_part.c - explicit(..) in a system: F is what it is without the word, and the sum of its two parts. */
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include <check.h>
#include "../../newton/line_solver_impl.h"
#include <rungsystem_room.h>

typedef struct {
  const char *whole, *outside; /* texts of the same F without the word, and of what stands outside */
  const char *text;
} Split;

static PetscErrorCode create(const char text[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P2", sys));
  PetscCall(RungSystemSetConstant(*sys, "k", 2));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)"));
  PetscCall(RungSystemAddPeriodic(*sys, "u", "top", "bottom", NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(RungTransientSystem ts, RungSystem sys, PetscReal t, const RungLine *line, Vec w, Mat *J)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreateMat(sys, J));
  PetscCall(RungTransientSystemJacobian(ts, t, line, w, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both on one line: residuals and Jacobians are the same to the last bit, or up to rounding. */
static PetscErrorCode check_same(RungSystem a, RungSystemPart part, RungSystem b, PetscReal tolerance)
{
  const RungLine      line = {.base = {NULL}, .slope = {1, 3}};
  RungTransientSystem ts[2];
  Vec                 w, x, r[2];
  Mat                 J[2];
  PetscReal           distance, norm;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) PetscCall(RungTransientSystemCreate(i ? b : a, 1, 0, &ts[i]));
  PetscCall(RungTransientSystemSetPart(ts[0], part));
  PetscCall(vecs_create(a, 2, r));
  PetscCall(VecDuplicate(r[0], &w));
  PetscCall(VecDuplicate(r[0], &x));
  PetscCall(vec_fill(w, 3));
  PetscCall(vec_fill(x, 4));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungTransientSystemResidual(ts[i], 0.3, &line, NULL, w, r[i]));
    PetscCall(jacobian(ts[i], i ? b : a, 0.3, &line, w, &J[i]));
  }
  PetscCall(VecNorm(r[1], NORM_INFINITY, &norm));
  PetscCall(vec_distance(r[0], r[1], &distance));
  CHECK(norm > 1e-3);
  CHECK_NEAR(distance, 0, tolerance);
  for (int i = 0; i < 2; ++i) PetscCall(MatMult(J[i], x, r[i]));
  PetscCall(vec_distance(r[0], r[1], &distance));
  CHECK_NEAR(distance, 0, tolerance);
  for (int i = 0; i < 2; ++i) PetscCall(MatDestroy(&J[i]));
  for (int i = 0; i < 2; ++i) PetscCall(RungTransientSystemDestroy(&ts[i]));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&x));
  PetscCall(vecs_destroy(2, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = F_implicit + e */
static PetscErrorCode check_sum(RungSystem sys)
{
  const RungLine      line = {.base = {NULL}, .slope = {1, 3}};
  RungTransientSystem ts;
  Vec                 w, u[2], e, r[2];
  PetscReal           distance, norm;
  PetscBool           has;

  PetscFunctionBegin;
  PetscCall(RungSystemHasExplicit(sys, &has));
  CHECK(has);
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(vecs_create(sys, 2, r));
  PetscCall(VecDuplicate(u[0], &w));
  PetscCall(VecDuplicate(u[0], &e));
  PetscCall(vec_fill(w, 3));
  PetscCall(RungTransientSystemResidual(ts, 0.3, &line, NULL, w, r[0]));
  PetscCall(RungTransientSystemSetPart(ts, RUNG_IMPLICIT));
  PetscCall(RungTransientSystemResidual(ts, 0.3, &line, NULL, w, r[1]));
  PetscCall(RungTransientSystemEvaluateLine(ts, &line, w, u));
  PetscCall(RungSystemExplicit(sys, 0.3, u, e));
  PetscCall(VecNorm(e, NORM_INFINITY, &norm));
  CHECK(norm > 1e-3);
  PetscCall(VecAXPY(r[1], 1, e));
  PetscCall(VecNorm(r[0], NORM_INFINITY, &norm));
  PetscCall(vec_distance(r[0], r[1], &distance));
  CHECK_NEAR(distance / norm, 0, 1e-13);
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&e));
  PetscCall(vecs_destroy(2, u));
  PetscCall(vecs_destroy(2, r));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define REACTION "u*(1 - u)*v*dx + t*u^2*v*ds(right)"
#define HEAT     "dt(u)*v*dx + k*inner(grad(u), grad(v))*dx"

static PetscErrorCode test_both_parts_are_those_of_f(void)
{
  static const Split split[] = {
    {HEAT " - (" REACTION ")", HEAT, HEAT " - explicit(" REACTION ")"},
    {"dt(u + u^3)*v*dx + k*u*v*ds + sin(u)*v*dx", "dt(u + u^3)*v*dx + k*u*v*ds",
     "dt(u + u^3)*v*dx + k*u*v*ds + explicit(sin(u)*v*dx)"},
    {HEAT " + k*inner(jump(grad(u)), jump(grad(v)))*dS - k*inner(jump(grad(u)), jump(grad(v)))*dS + u*v*dx",
     HEAT " + k*inner(jump(grad(u)), jump(grad(v)))*dS",
     HEAT " + k*inner(jump(grad(u)), jump(grad(v)))*dS + explicit(u*v*dx - k*inner(jump(grad(u)), jump(grad(v)))*dS)"}};

  for (size_t i = 0; i < sizeof split / sizeof split[0]; ++i) {
    RungSystem sys, whole, outside;

    PetscCall(create(split[i].text, &sys));
    PetscCall(create(split[i].whole, &whole));
    PetscCall(create(split[i].outside, &outside));
    PetscCall(check_sum(sys));
    PetscCall(check_same(sys, RUNG_ALL, whole, i < 2 ? 0 : 1e-13)); /* the last has room for what cancels */
    PetscCall(check_same(sys, RUNG_IMPLICIT, outside, i < 2 ? 0 : 1e-13));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSystemDestroy(&whole));
    PetscCall(RungSystemDestroy(&outside));
  }
  return PETSC_SUCCESS;
}

/* A linear implicit part keeps its matrix: the line solver sees its traits. */
static PetscErrorCode test_traits_are_those_of_the_part(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungTraits          traits;

  PetscCall(create(HEAT " - explicit(" REACTION ")", &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemGetTraits(ts, &traits));
  CHECK(!traits.linear && !traits.constant_jacobian);
  PetscCall(RungTransientSystemSetPart(ts, RUNG_IMPLICIT));
  PetscCall(RungTransientSystemGetTraits(ts, &traits));
  CHECK(traits.linear && traits.constant_jacobian && traits.symmetric && traits.order == 1);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

/* Solvers are chosen by what is known of the part that they solve with, whoever solves with the system besides. */
static PetscErrorCode test_symmetry_is_that_of_the_part_that_is_solved_with(void)
{
  RungLineSolverPlan  plan = {.matrices = 1};
  RungSystem          sys;
  RungTransientSystem ts[2];
  RungLineSolver      solver[2];
  RungTraits          traits;

  PetscCall(create(HEAT " + explicit(inner(vector(1, t), grad(u))*v*dx)", &sys));
  for (int i = 0; i < 4; ++i) {
    const int part = i % 2;

    if (i < 2) {
      PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts[i]));
      PetscCall(RungTransientSystemSetPart(ts[i], (RungSystemPart)part));
      PetscCall(RungLineSolverCreate(ts[i], &plan, &solver[i]));
    } else {
      PetscCall(RungLineSolverForget(solver[part]));
      PetscCall(RungLineAskSigns(solver[part], PETSC_TRUE));
    }
    PetscCall(RungSystemGetTraits(sys, &traits));
    CHECK(traits.symmetric == (part == RUNG_IMPLICIT) && traits.definite == (part == RUNG_IMPLICIT));
  }
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungLineSolverDestroy(&solver[i]));
    PetscCall(RungTransientSystemDestroy(&ts[i]));
  }
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_view_shows_the_split(void)
{
  RungSystem  sys;
  PetscViewer viewer;
  PetscMPIInt rank;
  char        text[4096] = "";

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create(HEAT " - explicit(u*(1 - u)*v*dx)", &sys));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "form_part.txt", &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!rank) {
    FILE *file = fopen("form_part.txt", "r");

    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
    CHECK(strstr(text, "explicit: -u*(1 - u)*v*dx\n"));
    CHECK(strstr(text, "without it: linear, constant Jacobian, symmetric\n"));
    CHECK(strstr(text, "-ksp_type preonly -pc_type cholesky"));
  }
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode refused(const char text[], const char spec[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(add_unknown(sys, "p", "q", spec));
  PetscCall(RungSystemAddResidual(sys, text));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_and_equations_without_one_are_refused_with_their_place(void)
{
  PetscCall(refused("dt(u)*v*dx + p*v*dx + explicit((u - p)*q*dx)", "P1",
                    "residual 1, column 23: explicit() around a term of the equation of \"p\""));
  PetscCall(refused("p*v*dx + explicit(dt(u)*v*dx) + (u - p)*q*dx", "P1", "residual 1, column 10: dt() of an unknown"));
  PetscCall(refused("dt(u)*v*dx + p*v*dx(degree: 2) + (dt(p) + p)*q*dx(degree: 2) - explicit(u^2*q*dx(degree: 2))",
                    "Quad(2)", "an internal variable"));
  return PETSC_SUCCESS;
}

/* u' + 2 u = u^2 with u^2 apart */
static void decay(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[1][0] + 2 * u[0][0];
}

static PetscErrorCode square(RungSystem sys, PetscReal t, const Vec u[], Vec e, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecPointwiseMult(e, u[0], u[0]));
  PetscCall(VecScale(e, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode square_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx)
{
  PetscScalar x;
  PetscInt    zero = 0;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetValues(u[0], 1, &zero, &x));
  PetscCall(MatSetValue(J, 0, 0, -2 * x * sigma[0], ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_callback(PetscBool exact)
{
  const Ode           ode  = {.n = 1, .order = 1, .function = decay, .initial = (PetscReal[]){1, 0}, .exact = exact};
  const RungLine      line = {.base = {NULL}, .slope = {1, 3}};
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 w, r, x, u[2];
  Mat                 J;
  PetscReal           value;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(RungSystemSetExplicitCallback(sys, square, exact ? square_jacobian : NULL,
                                          (RungTraits){.linear = PETSC_TRUE, .constant_jacobian = PETSC_TRUE}));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecDuplicate(w, &r));
  PetscCall(VecDuplicate(w, &x));
  PetscCall(VecSet(w, 0.5));
  PetscCall(VecSet(x, 1));
  PetscCall(RungSystemCreateMat(sys, &J));
  for (int part = RUNG_ALL; part <= RUNG_IMPLICIT; ++part) {
    RungTraits traits;

    PetscCall(RungTransientSystemSetPart(ts, (RungSystemPart)part));
    PetscCall(RungTransientSystemGetTraits(ts, &traits));
    CHECK(traits.linear == (part == RUNG_IMPLICIT) && traits.constant_block[0] == (part == RUNG_IMPLICIT));
    PetscCall(RungTransientSystemResidual(ts, 0, &line, NULL, w, r));
    PetscCall(VecMax(r, NULL, &value));
    CHECK_NEAR(value, part ? 2.5 : 2.25, 1e-14);
    PetscCall(RungTransientSystemJacobian(ts, 0, &line, w, J));
    PetscCall(MatMult(J, x, r));
    PetscCall(VecMax(r, NULL, &value));
    CHECK_NEAR(value, part ? 5 : 4, 1e-6);
  }
  PetscCall(RungTransientSystemEvaluateLine(ts, &line, w, u));
  PetscCall(check_sum(sys));
  PetscCall(RungSystemAction(sys, 0, u, line.slope, x, r));
  PetscCall(VecMax(r, NULL, &value));
  CHECK_NEAR(value, 4, 1e-9);
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&x));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_second_callback_is_a_part_of_f(void)
{
  PetscCall(check_callback(PETSC_TRUE));
  PetscCall(check_callback(PETSC_FALSE));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_both_parts_are_those_of_f), RUNG_TEST(test_traits_are_those_of_the_part),
               RUNG_TEST(test_symmetry_is_that_of_the_part_that_is_solved_with),
               RUNG_TEST(test_the_view_shows_the_split),
               RUNG_TEST(test_rates_and_equations_without_one_are_refused_with_their_place),
               RUNG_TEST(test_a_second_callback_is_a_part_of_f))
