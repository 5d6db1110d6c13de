/* test_line.c - F on a line: values, load, derivative by w. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* Two unknowns of different order, nonlinear, with boundary data on one. */
static PetscErrorCode create(RungSystem *sys, RungTransientSystem *ts)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 2, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "c", "p", space));
  PetscCall(RungSystemAddUnknown(*sys, "m", "q", space));
  PetscCall(RungSystemAddResidual(*sys, "dt(c)*p*dx + (1 + c^2)*inner(grad(m), grad(p))*dx"));
  PetscCall(RungSystemAddResidual(*sys, "m*q*dx - c^3*q*dx - inner(grad(c), grad(q))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "c", "left", "1 + t"));
  PetscCall(RungTransientSystemCreate(*sys, 1, 0, ts));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_unknown_has_its_slopes(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 v[5]; /* w, base_0, u, u', wanted */
  PetscReal           distance;

  PetscFunctionBegin;
  PetscCall(create(&sys, &ts));
  PetscCall(vecs_create(sys, 5, v));
  {
    const RungLine line = {.base = {v[1], NULL, NULL}, .slope = {2, 1, 30, 0}};

    PetscCall(RungTransientSystemEvaluateLine(ts, &line, v[0], v + 2));
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscScalar       *x;
    const PetscScalar *w, *base;

    PetscCall(VecGetArrayRead(v[0], &w));
    PetscCall(VecGetArrayRead(v[1], &base));
    PetscCall(VecGetArray(v[4], &x));
    for (PetscInt f = 0; f < 2; ++f) {
      PetscInt start, end;

      PetscCall(RungSystemGetRange(sys, f, &start, &end));
      for (PetscInt i = start; i < end; ++i) x[i] = k ? (f ? 0 : 30 * w[i]) : base[i] + (f ? 1 : 2) * w[i];
    }
    PetscCall(VecRestoreArray(v[4], &x));
    PetscCall(VecRestoreArrayRead(v[1], &base));
    PetscCall(VecRestoreArrayRead(v[0], &w));
    PetscCall(vec_distance(v[2 + k], v[4], &distance));
    CHECK_NEAR(distance, 0, 1e-15);
  }
  PetscCall(vecs_destroy(5, v));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |r(w + eps d) - r(w) - eps J d| falls like eps^2; d vanishes on Dirichlet entries */
static PetscErrorCode remainder_of(RungTransientSystem ts, const RungLine *line, Mat J, Vec v[], PetscReal eps,
                                   PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemResidual(ts, 0.3, line, NULL, v[0], v[3]));
  PetscCall(RungTransientSystemJacobian(ts, 0.3, line, v[0], J));
  PetscCall(MatMult(J, v[2], v[4]));
  PetscCall(VecWAXPY(v[5], eps, v[2], v[0]));
  PetscCall(VecAXPY(v[3], eps, v[4]));
  PetscCall(RungTransientSystemResidual(ts, 0.3, line, NULL, v[5], v[4]));
  PetscCall(VecAXPY(v[4], -1, v[3]));
  PetscCall(VecNorm(v[4], NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_jacobian_is_the_derivative_by_w(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 v[6], mask; /* w, base, d, work */
  Mat                 J;
  PetscReal           coarse, fine;
  IS                  rows;

  PetscFunctionBegin;
  PetscCall(create(&sys, &ts));
  PetscCall(vecs_create(sys, 6, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemGetDirichlet(sys, 0.3, 0, &rows, &mask));
  PetscCall(VecISSet(v[2], rows, 0));
  {
    const RungLine line = {.base = {v[1], v[1], NULL}, .slope = {0.5, 1, 7, 3}};

    PetscCall(remainder_of(ts, &line, J, v, 1e-2, &coarse));
    PetscCall(remainder_of(ts, &line, J, v, 1e-3, &fine));
  }
  CHECK(coarse > 0);
  CHECK_NEAR(log10((double)(coarse / fine)), 2, 0.05);
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&mask));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(6, v));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_load_is_added_but_not_to_dirichlet_rows(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 v[4], values; /* w, load, r with, r without */
  IS                  rows;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(create(&sys, &ts));
  PetscCall(vecs_create(sys, 4, v));
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  {
    const RungLine line = {.slope = {1, 1, 1, 1}};

    PetscCall(RungTransientSystemResidual(ts, 0, &line, v[1], v[0], v[2]));
    PetscCall(RungTransientSystemResidual(ts, 0, &line, NULL, v[0], v[3]));
  }
  PetscCall(VecAXPY(v[2], -1, v[3]));
  PetscCall(VecISCopy(v[2], rows, SCATTER_REVERSE, values));
  PetscCall(VecNorm(values, NORM_INFINITY, &norm));
  CHECK(norm == 0);
  PetscCall(VecISSet(v[1], rows, 0));
  PetscCall(vec_distance(v[1], v[2], &norm));
  CHECK_NEAR(norm, 0, 1e-14);
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscCall(vecs_destroy(4, v));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_each_unknown_has_its_slopes), RUNG_TEST(test_the_jacobian_is_the_derivative_by_w),
               RUNG_TEST(test_a_load_is_added_but_not_to_dirichlet_rows))
