/* test_options.c - every option of a run, each with values that it may not expect: refused in words, or taken as it says. */
#include "check.h"
#include <rungstep_room.h>
#include <ctype.h>
#include <stdlib.h>

#define MOST 200 /* options */

typedef struct {
  char name[80], line[256]; /* without the dash; of -help */
} Known;

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
static PetscErrorCode list_options(Known known[MOST], int *n)
{
  char   *text   = NULL;
  size_t  size   = 0;
  FILE   *memory = open_memstream(&text, &size), *before = PETSC_STDOUT;
  Program p = {0};

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-form_backend interpreter"));
  PetscCall(start(&p));
  PetscCall(stop(&p));
  PETSC_STDOUT = memory;
  PetscCall(RungOptionsPrint(PETSC_COMM_SELF));
  PETSC_STDOUT = before;
  (void)fclose(memory);
  *n = 0;
  for (char *line = strtok(text, "\n"); line && *n < MOST; line = strtok(NULL, "\n")) {
    if (strncmp(line, "  -", 3) != 0) continue;
    (void)snprintf(known[*n].line, sizeof known->line, "%s", line);
    (void)snprintf(known[*n].name, sizeof known->name, "%.*s", (int)strcspn(line + 3, " "), line + 3);
    ++*n;
  }
  free(text);
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

/* Our messages begin with a small letter and end in time, PETSc's are others. */
static PetscBool is_in_words(const char message[])
{
  return (PetscBool)(!isupper((unsigned char)message[0]) && strlen(message) <= 1000);
}

static PetscErrorCode walk(const char name[], const char value[])
{
  char message[4096];

  PetscFunctionBegin;
  PetscCall(give(name, value, message));
  if (!is_in_words(message)) fprintf(stderr, "-%s %.40s: \"%.300s\"\n", name, value ? value : "", message);
  CHECK(is_in_words(message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_option_takes_a_value_or_says_what_it_wants(void)
{
  static const char *const value[] = {"0", "-1", "2", "1e300", "", "x", "x,x"};
  char                    *lengthy;
  Known                    known[MOST];
  int                      n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6001, &lengthy));
  for (int i = 0; i < 6000; ++i) lengthy[i] = i % 2 ? ',' : '7';
  lengthy[6000] = '\0';
  PetscCall(list_options(known, &n));
  CHECK(n > 40 && n < MOST);
  for (int i = 0; i < n; ++i) {
    if (!strcmp(known[i].name, "rung_traceback")) continue; /* it is read when the program starts */
    if (!strncmp(known[i].name, "form_", 5)) continue;      /* compilers and caches: forms/assembly has their tests */
    for (size_t k = 0; k < sizeof value / sizeof *value; ++k) PetscCall(walk(known[i].name, value[k]));
    PetscCall(walk(known[i].name, lengthy));
  }
  PetscCall(PetscFree(lengthy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that have none are times and constants: all of them make sense. */
static PetscErrorCode test_each_number_has_a_range(void)
{
  static const char *const any[] = {"stepper_start", "stepper_end", "stepper_gamma", "mesh_lower", "system_kappa"};
  char                     message[4096];
  Known                    known[MOST];
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

RUNG_TEST_MAIN(RUNG_TEST(test_each_option_takes_a_value_or_says_what_it_wants), RUNG_TEST(test_each_number_has_a_range))
