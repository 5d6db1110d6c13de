/* test_interpolate.c - expressions into fields: at nodes, at points of a rule, by projection. */
#include "sample_tools.h"

static PetscErrorCode make(Sample *s, const char spec[], RungField *field)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(s->mesh, spec, &space));
  PetscCall(RungFieldCreate(space, "target", field));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the greatest distance of the field from wanted(x) (1 + component) at its nodes */
static PetscErrorCode error_of(RungField field, double (*wanted)(const PetscReal x[]), PetscReal *error)
{
  const RungSpaceData *data;
  const PetscScalar   *a;
  PetscReal            mine = 0;
  RungSpace            space;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt i = 0; i < data->owned * data->components; ++i)
    mine = PetscMax(mine,
                    fabs(a[i] - wanted(data->x + 2 * (i / data->components)) * (double)(1 + i % data->components)));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCallMPI(MPI_Allreduce(&mine, error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double gradient(const PetscReal x[])
{
  return 1 + 2 * x[0] - x[1];
}

static double zero_or_one(const PetscReal x[])
{
  return x[0] < 0.34 ? 1 : 0;
}

/* The gradient of a quadratic is linear: exact in every space, by either way. */
static PetscErrorCode test_gradients_go_into_all_spaces(void)
{
  static const char *const spec[] = {"CG1^2", "CG2^2", "DG1^2", "Quad(3)^2", "CG3^2", NULL};
  static const char *const cell[] = {"triangle", "quadrilateral"};

  PetscFunctionBegin;
  for (int c = 0; c < 2; ++c) {
    Sample      s;
    RungSampler sampler;

    PetscCall(sample_create(cell[c], 2, &s));
    PetscCall(sample_sampler(&s, "grad(u)[0]*vector(1, 2)", &sampler));
    for (int i = 0; spec[i]; ++i) {
      RungField field;
      PetscReal error;

      PetscCall(make(&s, spec[i], &field));
      PetscCall(RungFieldInterpolate(field, sampler, 0, s.u, NULL));
      PetscCall(error_of(field, gradient, &error));
      CHECK_NEAR(error, 0, 1e-11);
      PetscCall(RungFieldProject(field, sampler, 0, s.u, -1));
      PetscCall(error_of(field, gradient, &error));
      CHECK_NEAR(error, 0, 1e-10);
      PetscCall(RungFieldDestroy(&field));
    }
    PetscCall(RungSamplerDestroy(&sampler));
    PetscCall(sample_destroy(&s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (p - e, v) = 0: a projection keeps the integral, whatever jumps. */
static PetscErrorCode test_projections_keep_integrals(void)
{
  Sample      s;
  RungSampler sampler, back;
  RungField   field;
  RungExpr    expr;
  PetscReal   value[2];

  PetscFunctionBegin;
  PetscCall(sample_create(NULL, 2, &s));
  PetscCall(make(&s, "CG1", &field));
  PetscCall(RungScopeAddField(s.scope, "p", field));
  PetscCall(sample_sampler(&s, "dot(grad(w)[1], vector(1, x[0]))", &sampler));
  PetscCall(RungFieldProject(field, sampler, 0, s.u, 6));
  PetscCall(RungSamplerIntegrate(sampler, 0, s.u, NULL, 6, &value[0]));
  PetscCall(RungScopeParse(s.scope, "", "p", &expr));
  PetscCall(RungSamplerCreate(expr, s.mesh, NULL, &back));
  PetscCall(RungSamplerIntegrate(back, 0, NULL, NULL, 6, &value[1]));
  CHECK(fabs(value[0]) > 0.1);
  CHECK_NEAR(value[1], value[0], 1e-11 * fabs(value[0]));
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCall(RungSamplerDestroy(&back));
  PetscCall(sample_destroy(&s));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at the points of a rule are projected into a space with nodes, by that rule. */
static PetscErrorCode test_values_of_a_rule_are_projected(void)
{
  Sample      s;
  RungSampler sampler, points;
  RungField   quad, field;
  RungExpr    expr;
  PetscReal   error;

  PetscFunctionBegin;
  PetscCall(sample_create("triangle", 2, &s));
  PetscCall(make(&s, "Quad(4)", &quad));
  PetscCall(make(&s, "P2", &field));
  PetscCall(RungScopeAddField(s.scope, "q", quad));
  PetscCall(sample_sampler(&s, "grad(u)[0]", &sampler));
  PetscCall(RungFieldInterpolate(quad, sampler, 0, s.u, NULL));
  PetscCall(RungScopeParse(s.scope, "", "q", &expr));
  PetscCall(RungSamplerCreate(expr, s.mesh, NULL, &points));
  CHECK_RAISES(RungFieldInterpolate(field, points, 0, NULL, NULL), "project them");
  PetscCall(RungFieldProject(field, points, 0, NULL, -1));
  PetscCall(error_of(field, gradient, &error));
  CHECK_NEAR(error, 0, 1e-10);
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCall(RungSamplerDestroy(&points));
  PetscCall(sample_destroy(&s));
  PetscCall(RungFieldDestroy(&quad));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A node that both sides of a jump share has their mean; discontinuous spaces have both. */
static PetscErrorCode test_jumps(void)
{
  Sample      s;
  RungSampler sampler;
  RungField   field;
  PetscReal   error;

  PetscFunctionBegin;
  PetscCall(sample_create("quadrilateral", 2, &s));
  PetscCall(make(&s, "Q0", &field));
  PetscCall(sample_sampler(&s, "if(x[0] < 1/3, 1, 0)", &sampler));
  PetscCall(RungFieldInterpolate(field, sampler, 0, NULL, NULL));
  PetscCall(error_of(field, zero_or_one, &error));
  CHECK_NEAR(error, 0, 0);
  CHECK_RAISES(RungFieldInterpolate(field, sampler, 0, NULL, "nowhere"), "nowhere");
  PetscCall(RungFieldDestroy(&field));
  PetscCall(make(&s, "Q1^2", &field));
  CHECK_RAISES(RungFieldInterpolate(field, sampler, 0, NULL, NULL), "wanted equal shapes");
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCall(sample_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_gradients_go_into_all_spaces), RUNG_TEST(test_projections_keep_integrals),
               RUNG_TEST(test_values_of_a_rule_are_projected), RUNG_TEST(test_jumps))
