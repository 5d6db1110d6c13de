/* test_system.c - life of a system, its two kinds, its view. */
#include "check.h"
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include <rungtext_room.h>

static PetscErrorCode test_an_empty_system_cannot_be_used(void)
{
  RungSystem sys;
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  CHECK_RAISES(RungSystemGetTraits(sys, &traits), "the system is empty");
  PetscCall(RungSystemDestroy(&sys));
  CHECK(!sys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not created, destroyed, without a name: an error that says so, and no crash. */
static PetscErrorCode test_what_is_not_there_is_named(void)
{
  RungSystem          none = NULL, sys;
  RungTransientSystem ts   = NULL;
  RungWriter          writer;
  RungCheckpoint      file = NULL;
  RungTraits          traits;
  Vec                 u;

  PetscFunctionBegin;
  PetscCall(RungSystemDestroy(&none));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungCheckpointClose(&file));
  CHECK_RAISES(RungSystemGetTraits(none, &traits), "RungSystemGetTraits was called with sys = NULL");
  CHECK_RAISES(RungSystemCreateVec(none, &u), "sys = NULL");
  CHECK_RAISES(RungSystemAddResidual(none, "u*v*dx"), "sys = NULL");
  CHECK_RAISES(RungSystemSetFromOptions(none), "sys = NULL");
  CHECK_RAISES(RungWriterCreate(none, "a.pvd", &writer), "sys = NULL");
  CHECK_RAISES(RungTransientSystemStart(ts, 0), "ts = NULL");
  CHECK_RAISES(RungCheckpointSeal(&file), "= NULL");
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  CHECK_RAISES(RungSystemAddUnknown(sys, "w", "q", NULL), "and a space");
  CHECK_RAISES(RungSystemAddUnknown(sys, NULL, "q", NULL), "an unknown needs a name");
  CHECK_RAISES(RungSystemSetConstant(sys, NULL, 1), "a constant without a name");
  CHECK_RAISES(RungSystemSetConstant(sys, "k", NAN), "constant \"k\" is not a finite number");
  CHECK_RAISES(RungSystemDefine(sys, "f", NULL), "a definition needs a name and a text");
  CHECK_RAISES(RungSystemAddField(sys, "f", NULL), "a coefficient needs a name and a field");
  CHECK_RAISES(RungSystemSetDirichlet(sys, "u", NULL, "0"), "boundary data without a part");
  CHECK_RAISES(RungSystemSetBounds(sys, "u", NULL, NULL), "without any bound");
  CHECK_RAISES(RungSystemSetBounds(sys, "uu", "0", NULL), "bounds: \"uu\" is no unknown; did you mean \"u\"");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_objects_of_other_ranks_are_refused(void)
{
  RungSpace   space;
  RungSystem  sys;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(space_create("interval", 1, 2, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  if (ranks > 1)
    CHECK_RAISES(RungSystemAddUnknown(sys, "u", "v", space),
                 "the space of \"u\" and the system live on different ranks");
  else
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An initial state outside of its bounds, bounds that are no interval. */
static PetscErrorCode start_bounded(const char lower[], const char upper[], const char message[])
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           least;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0] - 0.5"));
  PetscCall(RungSystemSetBounds(sys, "u", lower, upper));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", message ? "check" : "solve"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  if (message)
    CHECK_RAISES(RungTransientSystemStart(ts, 0), message);
  else {
    PetscCall(RungTransientSystemStart(ts, 0));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(VecMin(state->u[0], NULL, &least));
    CHECK_NEAR(least, 0, 0);
  }
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u from 0 to the text at x = 1, of which boundary data are two values, with 0 <= u <= 1. */
static PetscErrorCode start_outside(const char text[], const char message[])
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", text));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", text));
  PetscCall(RungSystemSetBounds(sys, "u", "0", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "check"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  if (message)
    CHECK_RAISES(RungTransientSystemStart(ts, 0), message);
  else
    PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_boundary_data_are_looked_for_outside_of_bounds(void)
{
  PetscFunctionBegin;
  PetscCall(start_outside("x[0]", NULL));
  PetscCall(start_outside("1.25*x[0]", "Dirichlet data of \"u\" are outside of its bounds by 0.25 at x = (1.)"));
  PetscCall(start_outside("x[0] - 0.125*(1 - x[0])^8", "outside of its bounds by 0.125 at x = (0.)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_bounds_are_looked_at_at_the_start(void)
{
  PetscFunctionBegin;
  PetscCall(start_bounded("0", NULL, NULL));
  PetscCall(start_bounded("0", NULL, "the initial \"u\" is outside of its bounds by 0.5 at x = (0.)"));
  PetscCall(start_bounded("1 - x[0]", "x[0]", "the lower and the upper bound of u at x = (0.), t = 0. are 1. and 0."));
  PetscCall(start_bounded("log(-1 - x[0])", NULL, "wanted numbers, the lower one first"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_forms_and_callbacks_do_not_mix(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(oscillator_create(1, &sys));
  CHECK_RAISES(RungSystemAddResidual(sys, "u*v*dx"), "this one has callbacks");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  CHECK_RAISES(RungSystemSetInitialCallback(sys, oscillator_initial), "this one has unknowns on meshes");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_system_outlives_the_one_who_made_it(void)
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(oscillator_create(1, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_ranges_cover_the_local_entries(void)
{
  RungSpace  space;
  RungSystem sys;
  PetscInt   start, end, last = 0, n;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 3, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "a", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "b", "q", space));
  PetscCall(RungSystemAddResidual(sys, "dt(a)*p*dx + dt(b)*q*dx"));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    CHECK(start == last && end >= start);
    last = end;
  }
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecGetLocalSize(u, &n));
  CHECK(last == n);
  CHECK_RAISES(RungSystemGetRange(sys, 2, &start, &end), "unknown 2 of a system with 2");
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_mask_of_a_callback_system_is_the_one_given(void)
{
  static const PetscReal initial[] = {1, 1}, differential[] = {1, 0};
  const Ode              ode = {.n = 2, .order = 1, .initial = initial, .differential = differential};
  RungSystem             sys;
  Vec                    mask, half;
  PetscScalar            sum;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(RungSystemGetErrorMask(sys, &mask));
  PetscCall(VecSum(mask, &sum));
  CHECK(sum == 1);
  PetscCall(VecDuplicate(mask, &half));
  PetscCall(VecSet(half, 0.5));
  CHECK_RAISES(RungSystemSetDifferential(sys, half),
               "local entry 0 of a mask is 0.5, wanted 1 where it is differential");
  PetscCall(VecDestroy(&half));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_view_says_what_is_known(void)
{
  static const char *const wanted[] = {"order in time 1",
                                       "linear",
                                       "unknown u, test v: P2",
                                       "residual 2: -f*v*dx",
                                       "Dirichlet u on boundary: g",
                                       "(moves)",
                                       "solver by default",
                                       "BLAS: "};
  RungSystem               sys;
  PetscViewer              viewer;
  char                     text[8192] = "", line[1024];
  FILE                    *file;
  PetscMPIInt              rank;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "view.txt", &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(PetscFOpen(PETSC_COMM_SELF, "view.txt", "r", &file));
    while (fgets(line, sizeof line, file)) PetscCall(RungTextAppend(text, line, sizeof text));
    PetscCall(PetscFClose(PETSC_COMM_SELF, file));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
      if (!strstr(text, wanted[i])) fprintf(stderr, "no \"%s\" in the view\n", wanted[i]);
      CHECK(strstr(text, wanted[i]));
    }
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_is_not_there_is_named), RUNG_TEST(test_objects_of_other_ranks_are_refused),
               RUNG_TEST(test_boundary_data_are_looked_for_outside_of_bounds),
               RUNG_TEST(test_bounds_are_looked_at_at_the_start), RUNG_TEST(test_an_empty_system_cannot_be_used),
               RUNG_TEST(test_forms_and_callbacks_do_not_mix), RUNG_TEST(test_a_system_outlives_the_one_who_made_it),
               RUNG_TEST(test_ranges_cover_the_local_entries),
               RUNG_TEST(test_the_mask_of_a_callback_system_is_the_one_given),
               RUNG_TEST(test_the_view_says_what_is_known))
