/* test_stage_agree.c - Jacobian callbacks that are wrong in one entry: refused where one solve would be the solution, told where it costs
   an order or iterations or where Newton's method fails; right ones are let pass, in any units and at kinks. */
#include "../step_impl.h"
#include "ode.h"
#include <rungown_room.h>

/* y0' = p0 y1, y1' = -(p0 + p1 y0^2) y0 + max(y2, 0), p2 y2' = -y2 p2, with entry (1, 0) of dF/du multiplied by p3; y2 begins at 0. */
static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode         *ode = (const Ode *)ctx;
  const PetscScalar *y, *d;
  PetscScalar       *f;
  PetscInt           n;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &d));
  PetscCall(VecGetArray(r, &f));
  for (PetscInt i = 0; i + 3 <= n; i += 3) {
    f[i]     = d[i] - ode->p[0] * y[i + 1];
    f[i + 1] = d[i + 1] + (ode->p[0] + ode->p[1] * y[i] * y[i]) * y[i] - PetscMax(y[i + 2], 0);
    f[i + 2] = ode->p[2] * (d[i + 2] + y[i + 2]);
  }
  PetscCall(VecRestoreArray(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J, void *ctx)
{
  const Ode         *ode = (const Ode *)ctx;
  const PetscScalar *y;
  PetscInt           start, end;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  PetscCall(VecGetArrayRead(u[0], &y));
  for (PetscInt i = start; i + 3 <= end; i += 3) {
    const PetscReal z = PetscRealPart(y[i - start]), bend = ode->p[0] + 3 * ode->p[1] * z * z;

    PetscCall(ode_add(J, i, i, sigma[1]));
    PetscCall(ode_add(J, i, i + 1, -sigma[0] * ode->p[0]));
    PetscCall(ode_add(J, i + 1, i, sigma[0] * bend * (i ? ode->p[3] : 1))); /* of the last three entries */
    PetscCall(ode_add(J, i + 1, i + 1, sigma[1]));
    PetscCall(ode_add(J, i + 1, i + 2, y[i + 2 - start] > 0 ? -sigma[0] : 0));
    PetscCall(ode_add(J, i + 2, i + 2, ode->p[2] * (sigma[0] + sigma[1])));
  }
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscInt start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)k, (void)ctx;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(VecSetValue(u, i, i % 3 == 2 ? 0 : 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bends: p1; units: p2; factor: p3; the system is said to be linear where it is */
static PetscErrorCode run(const char method[], PetscReal bends, PetscReal units, PetscReal factor, PetscReal h)
{
  Ode         ode = {"agree", 1, bends == 0, residual, jacobian, initial, 6, {1, bends, units, factor}, PETSC_TRUE};
  const char *type, *name;

  RUNG_OWNED(RungStepperDestroy) RungStepper stepper = NULL;

  PetscFunctionBegin;
  PetscCall(RungStepperTypeOf(method, &type, &name));
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, type, name, 0, 1, h, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_one_solve_with_a_wrong_matrix_is_refused(void)
{
  static const char *const method[] = {"euler", "esdirk43", "bdf2", "rodas4p"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    CHECK_RAISES(run(method[i], 0, 1, -1, 0.1),
                 "entry 4 of F changes with entry 3 of u by -1, and differences of F say by 1 (at t = 0.)");
    CHECK_RAISES(run(method[i], 0, 1e-9, 2, 0.1), "entry 4 of F changes with entry 3 of u by 2, and");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_right_ones_pass_in_any_units_and_at_kinks(void)
{
  static const char *const method[] = {"euler", "rodas4p", "dopri54"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    for (int k = -1; k <= 1; ++k) PetscCall(run(method[i], 0, pow(10, 9 * k), 1, 0.1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_failure_of_newton_says_so(void)
{
  PetscFunctionBegin;
  CHECK_RAISES(run("euler", 1e3, 1, -1, 0.1),
               "entry 4 of F changes with entry 3 of u by -3001, and differences of F say by 3001");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run whose matrix is wrong by a factor says, with words of a warning: is it said, once? */
static PetscErrorCode is_told(const char method[], PetscReal factor, PetscReal h, const char words[], PetscBool *told)
{
  FILE *const screen = PETSC_STDERR, *file = tmpfile();
  char        said[2048];
  const char *first;

  PetscFunctionBegin;
  CHECK(file);
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PETSC_STDERR = file;
  RungCallFinally(run(method, 1, 1, factor, h), PETSC_STDERR = screen);
  rewind(file);
  said[fread(said, 1, sizeof said - 1, file)] = 0;
  (void)fclose(file);
  first = strstr(said, "warning: ");
  *told = first && strstr(first, words) && strstr(first, "entry 4 of F changes with entry 3 of u by 8, and") &&
              !strstr(first + 1, "warning: ")
            ? PETSC_TRUE
            : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_costs_an_order_or_iterations_is_told(void)
{
  PetscBool told;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_told("rodas4p", 2, 0.02, "a method of one linear solve a stage loses its order", &told));
  CHECK(told);
  PetscCall(is_told("rodas4p", 1, 0.02, "", &told));
  CHECK(!told);
  PetscCall(is_told("euler", 2, 0.5, "Newton took ", &told));
  CHECK(told);
  PetscCall(is_told("euler", 1, 0.5, "", &told));
  CHECK(!told);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_solve_with_a_wrong_matrix_is_refused),
               RUNG_TEST(test_what_costs_an_order_or_iterations_is_told),
               RUNG_TEST(test_right_ones_pass_in_any_units_and_at_kinks), RUNG_TEST(test_a_failure_of_newton_says_so))
