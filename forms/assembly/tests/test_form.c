/* test_form.c - life of a form: options, constants that change, misuse. */
#include "kernel_tools.h"

/* RungFormSetFromOptions with one option in the database. */
static PetscErrorCode set_with(Tools *tools, const char option[], const char value[])
{
  RungForm       form;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, "u*v*dx", PETSC_FALSE, &form));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  code = RungFormSetFromOptions(form);
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(code);
}

static PetscErrorCode test_unknown_words_are_refused_with_the_nearest(void)
{
  Tools tools;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  CHECK_RAISES(set_with(&tools, "-form_backend", "interpeter"),
               "did you mean \"interpreter\"?; it takes interpreter, c");
  CHECK_RAISES(set_with(&tools, "-form_view", "tape,sorce"), "-form_view knows no \"sorce\"; did you mean \"source\"?");
  CHECK_RAISES(set_with(&tools, "-form_lanes", "3"), "-form_lanes is 3; it takes 2, 4 or 8");
  CHECK_RAISES(set_with(&tools, "-form_degree", "-2"), "-form_degree is -2");
  CHECK_RAISES(set_with(&tools, "-form_flags", NULL),
               "those that begin with - want a blank in front, -form_flags \" -O3\"");
  PetscCall(set_with(&tools, "-form_backend", "interpreter"));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_back_end_and_lanes_are_those_asked_for(void)
{
  Tools    tools;
  RungForm form;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx", PETSC_TRUE, &form));
  PetscCall(PetscOptionsSetValue(NULL, "-form_lanes", "4"));
  PetscCall(RungFormSetFromOptions(form));
  PetscCall(PetscOptionsClearValue(NULL, "-form_lanes"));
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  CHECK(form->part[0].kernel[0]->lanes == 4 && form->part[0].kernel[0]->compiled);
  CHECK(!form->part[1].ready);
  CHECK_RAISES(RungFormSetFromOptions(form), "is set up already");
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_kernel_is_called_without_a_mesh(void)
{
  Tools               tools;
  RungForm            form;
  PetscInt            count, lanes;
  _Alignas(64) double x[3 * 2 * 8] = {0}, out[9 * 8] = {0};
  const double        sigma[3] = {1, 0, 0}, *constant;
  RungKernelFn       *kernel;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx", PETSC_FALSE, &form));
  CHECK_RAISES(RungFormGetKernel(form, PETSC_FALSE, 0, NULL, NULL, &kernel), "take -form_backend c");
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_form(&tools, "kappa*inner(grad(u), grad(v))*dx", PETSC_TRUE, &form));
  PetscCall(RungScopeGetKernelConstants(tools.scope, &constant));
  form->options.lanes = 0; /* those of the machine */
  PetscCall(RungFormGetKernel(form, PETSC_TRUE, 0, &count, &lanes, NULL));
  CHECK(count == 1 && lanes == RungMachineLanes());
  CHECK_RAISES(RungFormGetKernel(form, PETSC_TRUE, 1, NULL, NULL, &kernel), "which has 1");
  PetscCall(RungFormGetKernel(form, PETSC_TRUE, 0, NULL, NULL, &kernel));
  for (PetscInt lane = 0; lane < lanes; ++lane) x[(1 * 2 + 0) * lanes + lane] = x[(2 * 2 + 1) * lanes + lane] = 1;
  kernel(&(RungKernelArgs){.x = x, .u = x, .constant = constant, .sigma = sigma, .out = out});
  for (PetscInt lane = 0; lane < lanes; ++lane) CHECK_NEAR(out[lane], 0.7, 1e-15);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_degree_of_the_options_replaces_the_estimates(void)
{
  Tools    tools;
  RungForm form;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx + inner(grad(u), grad(v))*dx", PETSC_FALSE, &form));
  PetscCall(PetscOptionsSetValue(NULL, "-form_degree", "5"));
  PetscCall(RungFormSetFromOptions(form));
  PetscCall(PetscOptionsClearValue(NULL, "-form_degree"));
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  CHECK(form->part[0].n == 1 && form->part[0].integral[0].degree == 5);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_integrals_over_one_part_are_gathered_once(void)
{
  Tools    tools;
  RungForm form;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx(degree: 4) + inner(grad(u), grad(v))*dx(degree: 2) + u*v*ds + v*ds(left)",
                       PETSC_FALSE, &form));
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  CHECK(form->part[0].n == 4 && form->part[0].groups == 3);
  CHECK(form->part[1].n == 3 && form->part[1].groups == 2);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_constants_change_without_a_new_kernel(void)
{
  for (int compile = 0; compile < 2; ++compile) {
    Tools     tools;
    RungForm  form;
    PetscReal value;
    PetscInt  runs;

    PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
    PetscCall(tools_form(&tools, "kappa*(1 + t)*dx", compile ? PETSC_TRUE : PETSC_FALSE, &form));
    PetscCall(RungFormIntegrate(form, 0, tools.u, &value));
    CHECK_NEAR(value, 0.7 * 1.5, 1e-14);
    runs = RungCompilerRuns();
    PetscCall(RungScopeSetConstant(tools.scope, "kappa", 2));
    PetscCall(RungScopeSetConstant(tools.scope, "declared_later", 5));
    PetscCall(RungFormIntegrate(form, 0, tools.u, &value));
    CHECK_NEAR(value, 2 * 1.5, 1e-14);
    PetscCall(RungFormIntegrate(form, 1, tools.u, &value));
    CHECK_NEAR(value, 4 * 1.5, 1e-14);
    CHECK(RungCompilerRuns() == runs);
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_misuse_is_refused(void)
{
  Tools     tools, other;
  RungForm  number, vector;
  RungExpr  expr;
  PetscReal value;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &other));
  PetscCall(tools_form(&tools, "u*dx", PETSC_FALSE, &number));
  PetscCall(tools_form(&tools, "v*dx", PETSC_FALSE, &vector));
  CHECK_RAISES(RungFormSetUp(number, PETSC_TRUE), "a number has no jacobian");
  CHECK_RAISES(RungFormAssembleVec(number, 0, tools.u, tools.u[1]), "form \"test\" is a number, not linear");
  CHECK_RAISES(RungFormIntegrate(vector, 0, tools.u, &value), "is linear in test functions, not a number");
  PetscCall(RungFormDestroy(&vector));
  PetscCall(RungScopeParse(tools.scope, "test", "u*v*dx", &expr));
  CHECK_RAISES(RungFormCreate(expr, "mixed", other.layout, &vector), "is not that of unknown \"u\"");
  PetscCall(RungScopeParse(tools.scope, "test", "u*v", &expr));
  CHECK_RAISES(RungFormCreate(expr, "bare", tools.layout, &vector),
               "form \"bare\" is not integrated; multiply it by a measure, ..*dx or ..*ds(part)");
  PetscCall(RungFormDestroy(&number));
  PetscCall(tools_destroy(&other));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* What is set up together is one object of the compiler's, with the numbers that the forms have by themselves. */
static PetscErrorCode test_forms_that_are_set_up_together_are_compiled_together(void)
{
  static const char *const text[] = {"u*u*dx", "x[0]*u*ds", "inner(grad(u), grad(u))*dx"};
  Tools                    tools;
  RungForm                 form[3];
  const void              *object;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  for (int i = 0; i < 3; ++i) {
    PetscCall(tools_form(&tools, text[i], PETSC_TRUE, &form[i]));
    PetscCall(tools_quick_compiler(form[i]));
  }
  PetscCall(RungFormsSetUp(3, form));
  object = form[0]->part[RUNG_FORM_VALUE].kernel[0]->data;
  for (int i = 0; i < 3; ++i) {
    PetscReal together, alone;

    CHECK(form[i]->part[RUNG_FORM_VALUE].kernel[0]->compiled);
    CHECK(form[i]->part[RUNG_FORM_VALUE].kernel[0]->data == object);
    PetscCall(RungFormIntegrate(form[i], 0.3, tools.u, &together));
    PetscCall(tools_value(&tools, text[i], &alone));
    CHECK_NEAR(together, alone, 1e-13 * PetscAbsReal(alone));
    PetscCall(RungFormDestroy(&form[i]));
  }
  PetscCall(RungFormsSetUp(0, NULL));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_unknown_words_are_refused_with_the_nearest),
               RUNG_TEST(test_back_end_and_lanes_are_those_asked_for),
               RUNG_TEST(test_a_kernel_is_called_without_a_mesh),
               RUNG_TEST(test_degree_of_the_options_replaces_the_estimates),
               RUNG_TEST(test_integrals_over_one_part_are_gathered_once),
               RUNG_TEST(test_constants_change_without_a_new_kernel), RUNG_TEST(test_misuse_is_refused),
               RUNG_TEST(test_forms_that_are_set_up_together_are_compiled_together))
