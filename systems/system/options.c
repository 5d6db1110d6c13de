/* options.c - -system_.. : constants by their names, and the few options of the system itself. */
#include "form_side_impl.h"

static const char *const own[] = {"probe",       "view",   "conserve",    "initial",     "output_rates",
                                  "periodic",    "tie",    "slip",        "mat_type",    "condense",
                                  "keep_blocks", "levels", "levels_rank", "lumped_mass", "reduced_integration"};
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
    PetscCall(RungOptionReal(sys->comm, option, "a constant of the system", &given, &set));
    for (PetscInt k = 0; k < n && set; ++k)
      PetscCheck(
        k == i || strcasecmp(name[k], name[i]) != 0, sys->comm, PETSC_ERR_ARG_INCOMP,
        "%s is for the constants \"%s\" and \"%s\", since options know no case; set them in the program, or rename "
        "one of them",
        option, name[i], name[k]);
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
  PetscCall(PetscStrncpy(text, word[sys->initial_mode], sizeof text));
  PetscCall(RungOptionText(sys->comm, "-system_initial",
                           "initial values that the equations do not allow: solve or check", NULL, sizeof text, text,
                           &set));
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
  PetscCall(PetscStrncpy(text, sys->mat_type, sizeof text));
  PetscCall(RungOptionText(sys->comm, "-system_mat_type", "matrix: aij, baij, sbaij, shell, ..", NULL, sizeof text,
                           text, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMatTypeCheck(sys->comm, text));
  sys->matrix_free = !strcmp(text, MATSHELL) ? PETSC_TRUE : PETSC_FALSE;
  sys->typed       = !sys->matrix_free && strcmp(text, MATAIJ) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscStrncpy(sys->mat_type, text, sizeof sys->mat_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_levels(RungSystem sys)
{
  PetscInt  n = PETSC_STATIC_ARRAY_LENGTH(sys->level_degree);
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(RungOptionInts(sys->comm, "-system_levels", "degrees of the coarser levels of -pc_type mg: 2,1",
                           "at least 1", &n, sys->level_degree, &set));
  sys->level_degrees = set ? n : 0;
  PetscCall(RungOptionIntIn(sys->comm, "-system_levels_rank", "unknowns of a rank on the coarsest level", "at least 1",
                            &sys->level_rank, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_flags(RungSystem sys)
{
  PetscBool lump = sys->form ? sys->form->lump : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungOptionBool(sys->comm, "-system_conserve", "steps conserve what dt(..) holds", &sys->conserve, NULL));
  PetscCall(
    RungOptionBool(sys->comm, "-system_lumped_mass", "terms with dt() are integrated at the nodes", &lump, NULL));
  if (sys->form) sys->form->lump = lump;
  PetscCheck(!lump || sys->form || RungHelpWanted(), sys->comm, PETSC_ERR_ARG_INCOMP,
             "-system_lumped_mass of a system of callbacks, which has no terms with dt(); leave it away");
  PetscCall(RungOptionBool(sys->comm, "-system_keep_blocks", "constant blocks of the matrix are assembled once",
                           &sys->keep_blocks, NULL));
  PetscCall(RungOptionBool(sys->comm, "-system_condense", "internal variables are eliminated point by point",
                           &sys->condense, NULL));
  PetscCall(RungOptionBool(sys->comm, "-system_reduced_integration",
                           "rules with too few points for a cell are meant, and nothing is said of them", &sys->reduced,
                           NULL));
  PetscCall(RungOptionBool(sys->comm, "-system_output_rates", "files for ParaView hold time derivatives too",
                           &sys->output_rates, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each use of these adds an entry: they are taken once, however often options are read (an app and its stepper both do). */
static PetscErrorCode read_entries(RungSystem sys)
{
  PetscFunctionBegin;
  if (sys->from_options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungProbesFromOptions(sys));
  PetscCall(RungConstraintsFromOptions(sys));
  sys->from_options = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetFromOptions(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (sys->ready && sys->from_options) PetscFunctionReturn(PETSC_SUCCESS); /* read before, by the app or a stepper */
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetFromOptions"));
  PetscCall(read_flags(sys));
  PetscCall(read_initial_mode(sys));
  PetscCall(RungFieldsFromOptions(sys));
  PetscCall(read_mat_type(sys));
  PetscCall(read_levels(sys));
  PetscCall(
    RungOptionViewer(sys->comm, "-system_view", "print the system, or :FILE", &sys->viewer, &sys->viewer_format));
  PetscCall(read_entries(sys));
  PetscCall(RungSystemReadConstants(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
