/* test_norm.c - integrals and norms of expressions. */
#include "sample_tools.h"

/* x + y: its square integrates to 7/6, its gradient has length sqrt(2) */
static PetscErrorCode test_norms_of_a_linear_function(void)
{
  static const RungNormType type[]   = {RUNG_NORM_L2, RUNG_NORM_H1_SEMI, RUNG_NORM_H1, RUNG_NORM_MAX};
  const double              wanted[] = {sqrt(7. / 6), sqrt(2), sqrt(7. / 6 + 2), 2};
  Sample                    s;
  RungExpr                  expr;
  PetscReal                 value;

  PetscFunctionBegin;
  PetscCall(sample_create("triangle", 2, &s));
  PetscCall(RungScopeParse(s.scope, "", "x[0] + x[1] + f - 5*u", &expr));
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungExprNorm(expr, s.mesh, s.layout, 0, s.u, NULL, type[i], i == 3 ? 30 : 4, &value));
    CHECK_NEAR(value, wanted[i], i == 3 ? 0.02 : 1e-12);
  }
  PetscCall(sample_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_integrals_in_curved_cells(void)
{
  Sample      s;
  RungSampler sampler;
  PetscReal   value[2];

  PetscFunctionBegin;
  PetscCall(sample_create(NULL, 2, &s));
  PetscCall(sample_sampler(&s, "vector(1, f/5 - u + 2)", &sampler));
  PetscCall(RungSamplerIntegrate(sampler, 0, s.u, NULL, 6, value));
  CHECK_NEAR(value[0], curved_volume(2), 0.01);
  CHECK_NEAR(value[1], 2 * value[0], 1e-12);
  PetscCall(RungSamplerIntegrate(sampler, 0, s.u, "all", 6, value));
  CHECK_NEAR(value[0], curved_volume(2), 0.01);
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCall(sample_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_norms_of_a_linear_function), RUNG_TEST(test_integrals_in_curved_cells))
