/* test_options.c - -system_.. */
#include "check.h"
#include "form_side_impl.h"
#include "form_problems.h"

static PetscErrorCode kappa(RungSystem sys, PetscReal *value)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungScopeGetConstant(scope, "kappa", value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constant may be declared before or after options are read; what the app sets later stands. */
static PetscErrorCode test_constants_are_options_by_their_name(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_kappa", "7.5"));
  for (PetscInt late = 0; late < 2; ++late) {
    RungSystem sys;
    PetscReal  value;

    PetscCall(system_create("interval", 1, 2, "P1", &sys));
    if (late) PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(RungSystemSetConstant(sys, "kappa", 1));
    if (!late) PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + kappa*u*v*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(kappa(sys, &value));
    CHECK(value == 7.5);
    PetscCall(RungSystemSetConstant(sys, "kappa", 2));
    PetscCall(kappa(sys, &value));
    CHECK(value == 2);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-system_kappa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constant_named_like_an_option_is_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  CHECK_RAISES(RungSystemSetConstant(sys, "view", 1), "constant \"view\" would be the option -system_view");
  CHECK_RAISES(RungSystemSetConstant(sys, "initial", 1), "take another name");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_word_that_is_not_known_is_refused_with_the_nearest(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "chekc"));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "did you mean check?");
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_are_read_before_set_up(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetUp(sys));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "comes before the system is set up");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As a program and its stepper read them: three times. */
static PetscErrorCode test_options_that_add_an_entry_are_taken_once(void)
{
  RungSystem         sys;
  const char *const *name;
  const PetscBool   *rate;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-system_probe p=u@0.5,0.5 -system_tie u,top -system_slip u,left "
                                           "-system_periodic u,right,left -system_conserve false"));
  PetscCall(system_create("triangle", 2, 2, "P1^d", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx"));
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemSetFromOptions(sys));
  CHECK(sys->form->probes == 1 && sys->form->constraint_texts == 3 && !sys->conserve);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, "-system_probe p=u@0.5,0.5;q=u@0.25,0.5"));
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemGetQuantities(sys, &n, &name, &rate));
  CHECK(n == 2 && !strcmp(name[0], "p") && !strcmp(name[1], "q"));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the file have the text?  Rank 0 wrote it and looks. */
static PetscErrorCode has_text(const char path[], const char text[], PetscBool *has)
{
  char        line[256];
  PetscMPIInt rank;
  FILE       *file;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = rank ? NULL : fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) *has = *has || strstr(line, text) ? PETSC_TRUE : PETSC_FALSE;
  if (file) (void)fclose(file);
  if (!rank) (void)remove(path);
  PetscCallMPI(MPI_Bcast(has, 1, RUNG_MPI_BOOL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every probe in one line, whatever its components; a mean is called one. */
static PetscErrorCode test_a_viewed_system_names_quantities_by_their_kind(void)
{
  static const char *const wanted[] = {"mean average: u[0]*dx", "quantity all: u[1]*dx", "rate lost: u[0]*ds",
                                       "probe p: 2*u, x = (0.5, 0.25)"};
  RungSystem               sys;
  PetscViewer              viewer;
  PetscBool                has;
  char                     path[32];
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(system_create("triangle", 2, 2, "P1^d", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx"));
  PetscCall(RungSystemAddMean(sys, "average", "u[0]*dx"));
  PetscCall(RungSystemAddQuantity(sys, "all", "u[1]*dx"));
  PetscCall(RungSystemAddRate(sys, "lost", "u[0]*ds"));
  PetscCall(RungSystemAddProbe(sys, "p", "2*u", (PetscReal[]){0.5, 0.25}));
  PetscCall(RungSystemSetUp(sys));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(wanted) + 1; ++i) {
    PetscCall(PetscSNPrintf(path, sizeof path, "kinds_%d.txt", (int)size));
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path, &viewer));
    PetscCall(RungSystemView(sys, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(has_text(path, i < PETSC_STATIC_ARRAY_LENGTH(wanted) ? wanted[i] : "(null)", &has));
    CHECK(has == (i < PETSC_STATIC_ARRAY_LENGTH(wanted)));
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_viewed_system_tells_at_its_end_what_it_took(void)
{
  RungSystem  sys;
  Vec         u[2], r;
  PetscBool   has;
  char        option[64], path[32];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(path, sizeof path, "system_view_%d.txt", (int)size));
  PetscCall(PetscSNPrintf(option, sizeof option, "ascii:%s", path));
  PetscCall(PetscOptionsSetValue(NULL, "-system_view", option));
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetFromOptions(sys));
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemResidual(sys, 0, u, r));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(VecDestroy(&r));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_view"));
  PetscCall(has_text(path, "evaluated: 1 residuals, 0 Jacobians", &has));
  CHECK(has);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_options_that_add_an_entry_are_taken_once),
               RUNG_TEST(test_a_viewed_system_names_quantities_by_their_kind),
               RUNG_TEST(test_a_viewed_system_tells_at_its_end_what_it_took),
               RUNG_TEST(test_constants_are_options_by_their_name),
               RUNG_TEST(test_a_constant_named_like_an_option_is_refused),
               RUNG_TEST(test_a_word_that_is_not_known_is_refused_with_the_nearest),
               RUNG_TEST(test_options_are_read_before_set_up))
