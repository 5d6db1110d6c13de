/* test_options.c - every option of a run, each with values that it may not expect: refused in words, or taken as it says. */
#include "check_options.h"
#include <rungmethod.h>
#include <rungstep_room.h>

typedef struct {
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;
} Program;

/* Heat on few cells, up to where the loop would begin. */
static PetscErrorCode start(Program *p)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &p->mesh));
  PetscCall(RungMeshSetBox(p->mesh, "triangle", 2, (PetscInt[]){2, 2}, (PetscReal[]){1, 1}));
  PetscCall(RungMeshSetFromOptions(p->mesh));
  PetscCall(RungSpaceCreate(p->mesh, "CG1", &p->space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &p->sys));
  PetscCall(RungSystemAddUnknown(p->sys, "u", "v", p->space));
  PetscCall(RungSystemSetConstant(p->sys, "kappa", 0.1));
  PetscCall(RungSystemAddResidual(p->sys, "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &p->stepper));
  PetscCall(RungStepperSetSystem(p->stepper, p->sys));
  PetscCall(RungStepperSetInterval(p->stepper, 0, 1, 0.5));
  PetscCall(RungStepperSetFromOptions(p->stepper));
  PetscCall(RungStepperSetUp(p->stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stop(Program *p)
{
  PetscFunctionBegin;
  PetscCall(RungStepperDestroy(&p->stepper));
  PetscCall(RungSystemDestroy(&p->sys));
  PetscCall(RungSpaceDestroy(&p->space));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What -help prints, line by line. */
static PetscErrorCode list_options(CheckOption known[CHECK_OPTIONS], int *n)
{
  Program p = {0};

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-form_backend interpreter"));
  PetscCall(start(&p));
  PetscCall(stop(&p));
  PetscCall(check_options_known(known, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an option wants beside it to have an effect. */
static const char *beside(const char name[])
{
  static const char *const pair[][2] = {{"stepper_rho_inf", "-stepper_type alpha"},
                                        {"stepper_alpha_form", "-stepper_type alpha"},
                                        {"stepper_beta", "-stepper_type alpha"},
                                        {"stepper_gamma", "-stepper_type alpha"},
                                        {"stepper_order", "-stepper_type bdf"},
                                        {"stepper_output_every", "-stepper_output walk"},
                                        {"stepper_output_steps", "-stepper_output walk"},
                                        {"stepper_output_fields", "-stepper_output walk"},
                                        {"stepper_checkpoint_every", "-stepper_checkpoint walk.h5"},
                                        {"stepper_checkpoint_seconds", "-stepper_checkpoint walk.h5"},
                                        {"stepper_rtol_u", "-stepper_rtol 1e-3"},
                                        {"stepper_atol_u", "-stepper_rtol 1e-3"}};

  for (size_t i = 0; i < sizeof pair / sizeof *pair; ++i) {
    if (!strcmp(pair[i][0], name)) return pair[i][1];
  }
  return "";
}

/* message[4096]: "" if the value is taken */
static PetscErrorCode give(const char name[], const char value[], char message[])
{
  Program        p = {0};
  PetscErrorCode code;
  char           option[96];

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(PetscOptionsInsertString(NULL, beside(name)));
  if (strncmp(name, "form_", 5) != 0) PetscCall(PetscOptionsInsertString(NULL, "-form_backend interpreter"));
  PetscCall(PetscSNPrintf(option, sizeof option, "-%s", name));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(PetscPushErrorHandler(check_keep_message, message));
  code = start(&p);
  PetscCall(PetscPopErrorHandler());
  CHECK(!code == !message[0]);
  PetscCall(stop(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of compilers and caches with what is compiled, too. */
static PetscErrorCode test_each_option_takes_a_value_or_says_what_it_wants(void)
{
  CheckOption known[CHECK_OPTIONS];
  int         n;

  PetscFunctionBegin;
  PetscCall(list_options(known, &n));
  CHECK(n > 40 && n < CHECK_OPTIONS);
  for (int i = 0; i < n; ++i) {
    if (strcmp(known[i].name, "rung_traceback") != 0 &&
        strcmp(known[i].name, "rung_huge_pages") != 0) /* they are read when the program starts */
      PetscCall(check_option(known[i].name, give));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that have none are times and constants: all of them make sense. */
static PetscErrorCode test_each_number_has_a_range(void)
{
  static const char *const any[] = {"stepper_start", "stepper_end", "stepper_gamma", "mesh_lower", "system_kappa"};
  char                     message[4096];
  CheckOption              known[CHECK_OPTIONS];
  int                      n, ranges = 0;

  PetscFunctionBegin;
  PetscCall(list_options(known, &n));
  for (int i = 0; i < n; ++i) {
    PetscBool number, free_one = PETSC_FALSE, range;

    PetscCall(give(known[i].name, "x", message));
    number = (PetscBool)(strstr(message, "is no number") || strstr(message, "is no whole number"));
    range  = (PetscBool)(strstr(known[i].line, "; above ") || strstr(known[i].line, "; at least ") ||
                        strstr(known[i].line, " to "));
    for (size_t k = 0; k < sizeof any / sizeof *any; ++k)
      free_one = (PetscBool)(free_one || !strcmp(any[k], known[i].name));
    if (number && !free_one && !range) fprintf(stderr, "%s\n", known[i].line);
    CHECK(!number || free_one || range);
    ranges += number && range;
    if (!number || !range) continue;
    PetscCall(give(known[i].name, "-2", message));
    if (!strstr(message, "wanted a number")) fprintf(stderr, "%s: %s\n", known[i].name, message);
    CHECK(strstr(message, "is -2; wanted a number"));
  }
  CHECK(ranges > 15);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the command line says goes before what the program has said: a method takes its type along. */
static PetscErrorCode test_a_method_of_another_type_takes_its_type_along(void)
{
  static const char *const row[][2] = {
    {"rk4", RUNGEXPLICIT}, {"bdf2", RUNGBDF}, {"rodas3", RUNGROSENBROCK}, {"trbdf2", RUNGDIRK}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepper     stepper;
    RungStepperType type;
    const char     *method;
    PetscInt        order;

    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscOptionsSetValue(NULL, "-stepper_method", row[i][0]));
    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
    PetscCall(RungStepperSetFromOptions(stepper));
    PetscCall(RungStepperGetType(stepper, &type));
    PetscCall(RungStepperGetMethod(stepper, &method, &order));
    CHECK(!strcmp(type, row[i][1]) && !strcmp(method, row[i][0]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_type", RUNGDIRK));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_method", "rk4"));
  {
    RungStepper stepper;

    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    CHECK_RAISES(RungStepperSetFromOptions(stepper), "\"rk4\" belongs to stepper type explicit");
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number of the program stays until the command line says another one. */
static PetscErrorCode test_a_parameter_is_the_number_of_an_option(void)
{
  Program     p;
  RungStepper stepper;
  PetscBool   left;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  CHECK_RAISES(RungStepperSetParameter(stepper, "theta", 0.6), "without a method; call RungStepperSetMethod first");
  PetscCall(RungStepperSetMethod(stepper, "theta"));
  CHECK_RAISES(RungStepperSetParameter(stepper, NULL, 0.6), "a parameter without a name");
  CHECK_RAISES(RungStepperSetParameter(stepper, "lag", 2), "has no parameter \"lag\"; it has theta or damped_steps");
  CHECK_RAISES(RungStepperSetParameter(stepper, "theta", 0.4), "-stepper_theta is 0.4; wanted a number from 0.5 to 1");
  PetscCall(RungStepperSetParameter(stepper, "theta", 0.6));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_theta", &left));
  CHECK(!left);
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_theta", "0.7"));
  PetscCall(RungStepperSetParameter(stepper, "theta", 0.4)); /* not looked at */
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(start(&p));
  CHECK_RAISES(RungStepperSetParameter(p.stepper, "theta", 0.6), "of a stepper that is set up; set it before");
  PetscCall(stop(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_parameter_is_the_number_of_an_option),
               RUNG_TEST(test_a_method_of_another_type_takes_its_type_along),
               RUNG_TEST(test_each_option_takes_a_value_or_says_what_it_wants), RUNG_TEST(test_each_number_has_a_range))
