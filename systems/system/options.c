/* options.c - -system_.. : constants by their names, and the few options of the system itself. */
#include "form_side_impl.h"

static const char *const own[]   = {"probe", "view", "conserve", "initial",  "output_rates", "periodic",
                                    "tie",   "slip", "mat_type", "condense", "keep_blocks"};
static const char        flags[] = "view conserve output_rates condense keep_blocks"; /* may come without a value */
#define RUNG_OWN ((PetscInt)(sizeof own / sizeof own[0]))

PetscErrorCode RungSystemCheckConstantName(RungSystem sys, const char name[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; name && i < RUNG_OWN; ++i) {
    PetscCheck(strcmp(name, own[i]), sys->comm, PETSC_ERR_ARG_WRONG,
               "constant \"%s\" would be the option -system_%s, which means something else; take another name", name,
               name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemReadConstants(RungSystem sys)
{
  PetscInt           n;
  const char *const *name;
  const PetscReal   *value;

  PetscFunctionBegin;
  if (!sys->form || !sys->from_options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeGetConstants(sys->form->scope, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i) {
    char      option[128];
    PetscReal given = value[i];
    PetscBool set;

    PetscCall(PetscSNPrintf(option, sizeof option, "-system_%s", name[i]));
    PetscCall(RungOptionKnown(option));
    PetscCall(PetscOptionsGetReal(NULL, NULL, option, &given, &set));
    if (set) PetscCall(RungSystemSetConstant(sys, name[i], given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_initial_mode(RungSystem sys)
{
  static const char *const word[] = {"solve", "check"}; /* in the order of RungInitialMode */
  char                     text[64];
  const char              *near;
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-system_initial", text, sizeof text, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < 2; ++i) {
    if (strcmp(text, word[i])) continue;
    sys->initial_mode = (RungInitialMode)i;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(text, 2, word, &near));
  SETERRQ(sys->comm, PETSC_ERR_ARG_WRONG, "-system_initial %s, wanted solve or check%s%s%s", text,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static PetscErrorCode read_mat_type(RungSystem sys)
{
  char      text[32];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-system_mat_type", text, sizeof text, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMatTypeCheck(sys->comm, text));
  sys->matrix_free = !strcmp(text, MATSHELL) ? PETSC_TRUE : PETSC_FALSE;
  sys->typed       = !sys->matrix_free && strcmp(text, MATAIJ) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscStrncpy(sys->mat_type, text, sizeof sys->mat_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetFromOptions(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (sys->ready && sys->from_options) PetscFunctionReturn(PETSC_SUCCESS); /* read before, by the app or a stepper */
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetFromOptions"));
  for (PetscInt i = 0; i < RUNG_OWN; ++i) {
    char option[64];

    PetscCall(PetscSNPrintf(option, sizeof option, "-system_%s%s", own[i], strstr(flags, own[i]) ? "?" : ""));
    PetscCall(RungOptionKnown(option));
  }
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-system_conserve", &sys->conserve, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-system_keep_blocks", &sys->keep_blocks, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-system_condense", &sys->condense, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-system_output_rates", &sys->output_rates, NULL));
  PetscCall(read_initial_mode(sys));
  PetscCall(RungProbesFromOptions(sys));
  PetscCall(RungFieldsFromOptions(sys));
  PetscCall(RungConstraintsFromOptions(sys));
  PetscCall(read_mat_type(sys));
  PetscCall(PetscViewerDestroy(&sys->viewer));
  PetscCall(PetscOptionsCreateViewer(sys->comm, NULL, NULL, "-system_view", &sys->viewer, &sys->viewer_format, NULL));
  sys->from_options = PETSC_TRUE;
  PetscCall(RungSystemReadConstants(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
