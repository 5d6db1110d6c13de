/* test_expression.c - texts of a system into fields and in norms. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode test_gradients_into_fields_and_norms_of_errors(void)
{
  RungSystem sys;
  RungSpace  space, P1;
  RungField  field[2];
  PetscReal  value;
  Vec        u[2], v[2];

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  {
    const RungSpaceData *data;

    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungSpaceCreate(data->mesh, "P1^2", &P1));
  }
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungFieldCreate(P1, i ? "projected" : "interpolated", &field[i]));
    PetscCall(RungFieldGetVec(field[i], &v[i]));
  }
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0.5, 0, u[0]));
  PetscCall(RungSystemNorm(sys, "u - g", NULL, RUNG_NORM_H1, 0.5, u, &value));
  CHECK_NEAR(value, 0, 1e-12);
  PetscCall(RungSystemNorm(sys, "grad(g)", NULL, RUNG_NORM_L2, 0.5, u, &value));
  CHECK_NEAR(value, fabs(sin(1.9)) * sqrt(1 + 16. / 3), 1e-12);
  PetscCall(RungSystemInterpolate(sys, "grad(u)", NULL, 0.5, u, field[0]));
  PetscCall(RungSystemProject(sys, "grad(u)", 0.5, u, field[1]));
  PetscCall(VecAXPY(v[1], -1, v[0]));
  PetscCall(VecNorm(v[1], NORM_INFINITY, &value));
  CHECK_NEAR(value, 0, 1e-10);
  PetscCall(VecMax(v[0], NULL, &value));
  CHECK_NEAR(value, 4 * sin(1.9), 1e-11);
  CHECK_RAISES(RungSystemNorm(sys, "u*dx", NULL, RUNG_NORM_L2, 0.5, u, &value), "wanted a value at points");
  CHECK_RAISES(RungSystemProject(sys, "u", 0.5, u, field[1]), "2 components for 1");
  for (int i = 0; i < 2; ++i) PetscCall(RungFieldDestroy(&field[i]));
  PetscCall(RungSpaceDestroy(&P1));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_gradients_into_fields_and_norms_of_errors))
