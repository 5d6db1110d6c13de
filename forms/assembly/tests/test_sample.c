/* test_sample.c - expressions of unknowns, rates, fields and derivatives at points of cells. */
#include "sample_tools.h"

/* Values against derivatives of the polynomial by hand; what is quadratic is exact, also second derivatives. */
static PetscErrorCode test_values_and_derivatives_at_points(void)
{
  static const char *const cells[] = {"interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};
  const PetscReal          x[]     = {0.3, 0.45, 0.7, 0.9, 0.15, 0.35};

  PetscFunctionBegin;
  for (int k = 0; k < 5; ++k) {
    const PetscInt dim = k == 0 ? 1 : k < 3 ? 2 : 3;
    Sample         s;
    RungSampler    sampler;
    RungProbes     probes;
    PetscReal      at[6];
    PetscScalar    value[2 * 5];

    PetscCall(sample_create(cells[k], dim, &s));
    for (int i = 0; i < 2 * dim; ++i) at[i] = x[i / dim * 3 + i % dim];
    PetscCall(RungProbesCreate(s.mesh, 2, at, &probes));
    PetscCall(sample_sampler(&s, "vector(a*u*x[0] + t, dt(w)[1], grad(f)[0], grad(grad(u))[0,0], min(h, 1) + volume)",
                             &sampler));
    PetscCall(RungSamplerProbe(sampler, 0.5, s.u, probes, value));
    for (int i = 0; i < 2; ++i) {
      const double *p = at + i * dim, q = sample_quadratic(p, dim), count[] = {3, 2, 2};
      double        volume = 1, h = 0;

      for (int b = 0; b < dim; ++b) volume /= count[b], h += 1 / (count[b] * count[b]);
      volume /= k == 1 ? 2 : k == 3 ? 6 : 1;
      if (k == 2 || k == 4) h = 0.25;
      CHECK_NEAR(value[5 * i], 3 * q * p[0] + 0.5, 1e-12);
      CHECK_NEAR(value[5 * i + 1], 4 * q, 1e-12);
      CHECK_NEAR(value[5 * i + 2], 5 * (1 + 2 * p[0] - (dim > 1 ? p[1] : 0)), 1e-11);
      CHECK_NEAR(value[5 * i + 3], 2, 1e-9);
      CHECK_NEAR(value[5 * i + 4], volume + sqrt(h), 1e-12);
    }
    PetscCall(RungSamplerDestroy(&sampler));
    PetscCall(RungProbesDestroy(&probes));
    PetscCall(sample_destroy(&s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On curved cells x itself is a function of the space: its gradient is the identity and its Hessian nothing. */
static PetscErrorCode test_derivatives_in_curved_cells(void)
{
  Sample               s;
  RungSampler          sampler;
  RungProbes           probes;
  RungSpace            space;
  const RungSpaceData *data;
  const PetscReal      at[] = {1.1, 0.4, 0.6, 1.3};
  PetscScalar          value[2 * 4], *f;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(sample_create(NULL, 2, &s));
  PetscCall(RungFieldGetSpace(s.f, &space));
  PetscCall(RungFieldGetVec(s.f, &v));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArrayWrite(v, &f));
  for (PetscInt i = 0; i < data->owned; ++i) f[i] = data->x[2 * i] + 3 * data->x[2 * i + 1];
  PetscCall(VecRestoreArrayWrite(v, &f));
  PetscCall(RungProbesCreate(s.mesh, 2, at, &probes));
  PetscCall(sample_sampler(&s, "vector(f - x[0] - 3*x[1], grad(f)[0], grad(f)[1], grad(grad(f))[0,1])", &sampler));
  PetscCall(RungSamplerProbe(sampler, 0, s.u, probes, value));
  for (int i = 0; i < 2; ++i) {
    CHECK_NEAR(value[4 * i], 0, 1e-12);
    CHECK_NEAR(value[4 * i + 1], 1, 1e-11);
    CHECK_NEAR(value[4 * i + 2], 3, 1e-11);
    CHECK_NEAR(value[4 * i + 3], 0, 1e-9);
  }
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(sample_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_lives_on_facets_is_refused(void)
{
  Sample      s;
  RungSampler sampler;
  RungExpr    expr;

  PetscFunctionBegin;
  PetscCall(sample_create("triangle", 2, &s));
  CHECK_RAISES(sample_sampler(&s, "dot(grad(u), n)", &sampler), "no value inside of cells");
  CHECK_RAISES(sample_sampler(&s, "u*dx", &sampler), "leave the measure away");
  PetscCall(RungScopeParse(s.scope, "", "u", &expr));
  CHECK_RAISES(RungSamplerCreate(expr, s.mesh, NULL, &sampler), "no layout");
  PetscCall(sample_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_and_derivatives_at_points), RUNG_TEST(test_derivatives_in_curved_cells),
               RUNG_TEST(test_what_lives_on_facets_is_refused))
