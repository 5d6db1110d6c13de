/* test_initial.c - initial values, and the names that say where they go (target.c). */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode elastic(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P2^d", sys));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(u, 2), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode value_is(RungSystem sys, PetscInt k, const char text[])
{
  Vec       u;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(vec_fill(u, 1)); /* what was there before is overwritten */
  PetscCall(RungSystemInitial(sys, 0.5, k, u));
  PetscCall(error_of(sys, u, text, 0.5, &error));
  CHECK_NEAR(error, 0, 1e-15);
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_and_rates_are_expressions_of_x_and_t(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(elastic(&sys));
  PetscCall(RungSystemSetInitial(sys, "u", "vector(x[0]*t, x[1])"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "vector(x[1], 2)"));
  PetscCall(value_is(sys, 0, "vector(x[0]*t, x[1])"));
  PetscCall(value_is(sys, 1, "vector(x[1], 2)"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_components_are_set_one_by_one(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(elastic(&sys));
  PetscCall(RungSystemSetInitial(sys, "u", "0")); /* the literal 0 fits every shape */
  PetscCall(RungSystemSetInitial(sys, " u[ 1 ] ", "x[0]"));
  PetscCall(RungSystemSetInitial(sys, "dt(u[0])", "3"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)[1]", "4"));
  PetscCall(value_is(sys, 0, "vector(0, x[0])"));
  PetscCall(value_is(sys, 1, "vector(3, 4)"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_not_given_is_zero(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(elastic(&sys));
  PetscCall(value_is(sys, 0, "vector(0, 0)"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char name[], const char text[], const char message[])
{
  RungSystem sys;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(elastic(&sys));
  PetscCall(RungSystemSetInitial(sys, name, text));
  if (strstr(message, "finite")) {
    PetscCall(RungSystemCreateVec(sys, &u));
    CHECK_RAISES(RungSystemInitial(sys, 0, 0, u), message);
    PetscCall(VecDestroy(&u));
  } else {
    CHECK_RAISES(RungSystemSetUp(sys), message);
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_that_make_no_sense_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(refuse("w", "0", "initial w: \"w\" is no unknown"));
  PetscCall(refuse("u[2]", "0", "\"u[2]\" names no component"));
  PetscCall(refuse("u[0", "0", "names no component"));
  PetscCall(refuse("u[0,1]", "0", "names no component"));
  PetscCall(refuse("u[0,0]", "0", "names no component"));
  PetscCall(refuse("u[]", "0", "names no component"));
  PetscCall(refuse("u", "1", "is a scalar, wanted a vector[2]"));
  PetscCall(refuse("u[0]", "x", "is a vector[2], wanted a scalar"));
  PetscCall(refuse("u[0]", "1*dx", "an integral"));
  PetscCall(refuse("u[0]", "1/(x[0] - 0.5)", "initial u[0]: \"1/(x[0] - 0.5)\" is not finite at x = (0.5"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_rate_that_follows_from_the_equations_is_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "1"));
  CHECK_RAISES(RungSystemSetUp(sys), "its initial rate follows from the equations");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value of x[0] at the nodes where x = 0 and x = 1 are one: 0 on any ranks; rung.py looks at what is told. */
static PetscErrorCode test_the_lower_side_of_a_seam_counts_on_any_ranks(void)
{
  static const char *const text[]   = {"x[0]", "sin(2*pi*x[0])"};
  const PetscReal          wanted[] = {0.4375, 0};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungMesh   mesh;
    RungSpace  space;
    RungSystem sys;
    Vec        u;
    PetscReal  value[1];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){8, 8}, (PetscReal[]){1, 1}));
    PetscCall(RungMeshSetPeriodic(mesh, (PetscBool[]){PETSC_TRUE, PETSC_FALSE, PETSC_FALSE}));
    PetscCall(RungSpaceCreate(mesh, "Q1", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemAddQuantity(sys, "q", "u*dx"));
    PetscCall(RungSystemSetInitial(sys, "u", text[i]));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(RungSystemInitial(sys, 0, 0, u));
    PetscCall(RungSystemEvaluateQuantities(sys, 0, (Vec[]){u, NULL}, value));
    CHECK_NEAR(value[0], wanted[i], 1e-14);
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_lower_side_of_a_seam_counts_on_any_ranks),
               RUNG_TEST(test_values_and_rates_are_expressions_of_x_and_t),
               RUNG_TEST(test_components_are_set_one_by_one), RUNG_TEST(test_what_is_not_given_is_zero),
               RUNG_TEST(test_values_that_make_no_sense_are_refused),
               RUNG_TEST(test_a_rate_that_follows_from_the_equations_is_refused))
