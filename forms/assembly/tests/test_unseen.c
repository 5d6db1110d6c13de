/* test_unseen.c - what kernels read tells what a vector does not see: it is zero where u is, and constants do nothing. */
#include "kernel_tools.h"

/* Largest entry of F(u, u') where the two are constants, over all ranks. */
static PetscErrorCode largest(Tools *tools, RungForm form, PetscReal u, PetscReal rate, PetscReal *most)
{
  Vec at[3], r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(tools->u[0], &r));
  for (int k = 0; k < 3; ++k) {
    PetscCall(VecDuplicate(r, &at[k]));
    PetscCall(VecSet(at[k], k == 0 ? u : k == 1 ? rate : 0));
  }
  PetscCall(RungFormAssembleVec(form, 0.3, at, r));
  PetscCall(VecNorm(r, NORM_INFINITY, most));
  PetscCall(VecDestroy(&r));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&at[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said, and what evaluations say of it. */
static PetscErrorCode look(Tools *tools, const char text[], PetscBool vanishes, PetscBool value, PetscBool rate)
{
  PetscBool zero, values[3] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
  PetscReal at_zero, at_one, moving;
  RungForm  form;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormUnseen(form, &zero, values));
  if (zero != vanishes || values[0] != value || values[1] != rate)
    printf("%s: zero %d, values %d, rates %d\n", text, zero, values[0], values[1]);
  CHECK(zero == vanishes && values[0] == value && values[1] == rate && !values[2]);
  PetscCall(largest(tools, form, 0, 0, &at_zero));
  PetscCall(largest(tools, form, 1, 0, &at_one));
  PetscCall(largest(tools, form, 0, 1, &moving));
  CHECK(zero ? at_zero == 0 : at_zero > 0.001);
  if (zero) CHECK(values[0] ? at_one > 0.001 : at_one < 1e-13);
  if (zero) CHECK(values[1] ? moving > 0.001 : moving < 1e-13);
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_and_gradients(void)
{
  static const struct {
    const char *text;
    PetscBool   vanishes, value, rate;
  } of[] = {
    {"inner(grad(u), grad(v))*dx", PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE},
    {"u*v*ds(left) + inner(grad(u), grad(v))*dx", PETSC_TRUE, PETSC_TRUE, PETSC_FALSE},
    {"u*grad(u)[0]*v*dx + u*v*ds", PETSC_TRUE, PETSC_TRUE, PETSC_FALSE},
    {"(1 + inner(grad(u), grad(u)))*inner(grad(u), grad(v))*dx", PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"inner(grad(u), grad(v))*dx - x[0]*v*dx", PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"-(inner(grad(u), grad(v))/(2 + x[0]))*dx", PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"cos(u)*v*dx", PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
  };
  Tools tools;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2", NULL, &tools));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i)
    PetscCall(look(&tools, of[i].text, of[i].vanishes, of[i].value, of[i].rate));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* A vector of ones is the constant 1 in every family: the derivatives of all functions of a cell add up to 0. */
static PetscErrorCode test_ones_are_a_constant_in_every_family(void)
{
  static const struct {
    RungCellType type;
    const char  *space;
  } of[] = {{RUNG_TRIANGLE, "3"},      {RUNG_TRIANGLE, "1+B"}, {RUNG_TETRAHEDRON, "2"}, {RUNG_TETRAHEDRON, "1+B"},
            {RUNG_QUADRILATERAL, "2"}, {RUNG_HEXAHEDRON, "2"}, {RUNG_INTERVAL, "4"}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i) {
    Tools tools;

    PetscCall(tools_create(PETSC_COMM_WORLD, of[i].type, PETSC_TRUE, of[i].space, NULL, &tools));
    PetscCall(look(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, PETSC_FALSE, PETSC_FALSE));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* What jumps reads values of both sides, where there are facets at all. */
static PetscErrorCode test_jumps_read_values(void)
{
  PetscBool zero, values[6];
  Tools     tools;
  RungForm  form;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", "2", &tools));
  PetscCall(
    tools_form(&tools, "inner(grad(u), grad(v))*dx + jump(p)*jump(q)*dS + grad(u)[0]*q*dx", PETSC_FALSE, &form));
  PetscCall(RungFormUnseen(form, &zero, values));
  CHECK(zero && !values[0] && values[1]);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_slopes_are_found_below_definitions_and_rates(void)
{
  static const struct {
    const char *text;
    PetscBool   of_u, of_p;
  } of[] = {{"inner(grad(u), grad(v))*dx + p*q*dx", PETSC_TRUE, PETSC_FALSE},
            {"dt(u)*v*dx + kappa*grad(dt(p)*u)[0]*q*dx", PETSC_TRUE, PETSC_TRUE},
            {"u*grad(v)[0]*dx + p*q*ds", PETSC_FALSE, PETSC_FALSE},
            {"s = p^2; u*v*dx + dot(grad(s), x)*q*dx", PETSC_FALSE, PETSC_TRUE}};
  Tools tools;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", "2", &tools));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i) {
    PetscBool yes[2];
    RungForm  form;

    PetscCall(tools_form(&tools, of[i].text, PETSC_FALSE, &form));
    for (PetscInt f = 0; f < 2; ++f) PetscCall(RungFormHoldsSlope(form, f, &yes[f]));
    CHECK(yes[0] == of[i].of_u && yes[1] == of[i].of_p);
    PetscCall(RungFormDestroy(&form));
  }
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_and_gradients), RUNG_TEST(test_slopes_are_found_below_definitions_and_rates),
               RUNG_TEST(test_ones_are_a_constant_in_every_family), RUNG_TEST(test_jumps_read_values))
