/* test_probe.c - expressions at points as quantities. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static const PetscReal point[] = {0.4, 0.35};

/* u = sin(3t + 0.4)(1 + x + 2 y^2) is in P2 */
static PetscErrorCode test_values_and_derivatives_at_points(void)
{
  const double       s = sin(0.4 + 0.75), c = 3 * cos(0.4 + 0.75);
  RungSystem         sys;
  Vec                u[2];
  PetscInt           n;
  PetscReal          value[6];
  const char *const *name;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemAddProbe(sys, "tip", "u", point));
  PetscCall(RungSystemAddProbe(sys, "slope", "grad(u)", point));
  PetscCall(RungSystemAddQuantity(sys, "area", "1*dx"));
  PetscCall(PetscOptionsSetValue(NULL, "-system_probe", "rate = dt(u) + x[0] @ 0.4, 0.35 ; off=u - g@0.1,0.9"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_probe"));
  PetscCall(RungSystemGetQuantities(sys, &n, &name, NULL));
  CHECK(n == 6 && !strcmp(name[0], "area") && !strcmp(name[1], "tip") && !strcmp(name[3], "slope[1]"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0.25, 0, u[0]));
  PetscCall(RungSystemImposeDirichlet(sys, 0.25, 0, u[0]));
  PetscCall(VecCopy(u[0], u[1]));
  PetscCall(VecScale(u[1], c / s));
  PetscCall(RungSystemEvaluateQuantities(sys, 0.25, u, value));
  CHECK_NEAR(value[0], 1, 1e-14);
  CHECK_NEAR(value[1], s * (1.4 + 2 * 0.35 * 0.35), 1e-13);
  CHECK_NEAR(value[2], s, 1e-12);
  CHECK_NEAR(value[3], s * 4 * 0.35, 1e-12);
  CHECK_NEAR(value[4], c * (1.4 + 2 * 0.35 * 0.35) + 0.4, 1e-12);
  CHECK_NEAR(value[5], 0, 1e-13);
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char name[], const char text[], const PetscReal x[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemAddQuantity(sys, "area", "1*dx"));
  PetscCall(RungSystemAddProbe(sys, name, text, x));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_probes_that_make_no_sense_are_refused(void)
{
  const PetscReal outside[] = {1.5, 0.5};
  RungSystem      sys;

  PetscFunctionBegin;
  PetscCall(refuse("tip", "u", outside, "probe tip: x = (1.5, 0.5) is outside of the mesh, 0.5 away"));
  PetscCall(refuse("tip", "u*dx", point, "holds an integral"));
  PetscCall(refuse("tip", "v", point, "holds a test function"));
  PetscCall(refuse("area", "u", point, "there is a quantity \"area\" already"));
  PetscCall(heat_create(&sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_probe", "tip=u@0.5"));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "with 2 coordinates");
  PetscCall(PetscOptionsClearValue(NULL, "-system_probe"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_and_derivatives_at_points), RUNG_TEST(test_probes_that_make_no_sense_are_refused))
