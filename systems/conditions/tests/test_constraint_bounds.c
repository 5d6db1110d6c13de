/* test_constraint_bounds.c - bounds of slaves reach their masters. */
#include "check.h"
#include "form_problems.h"

/* The entry at x, on the rank that owns it: *value, +-PETSC_INFINITY without bound. */
static PetscErrorCode bound_at(RungSystem sys, Vec bound, PetscReal x, PetscReal *value)
{
  const RungSpaceData *space;
  const PetscScalar   *u;
  const char          *name;
  RungSpace            lent;
  PetscReal            here = -PETSC_MAX_REAL;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(sys, 0, &name, &lent));
  PetscCall(RungSpaceGetData(lent, &space));
  PetscCall(VecGetArrayRead(bound, &u));
  for (PetscInt i = 0; i < space->owned; ++i)
    if (PetscAbsReal(space->x[i] - x) < 1e-9) here = PetscRealPart(u[i]);
  PetscCall(VecRestoreArrayRead(bound, &u));
  PetscCallMPI(MPI_Allreduce(&here, value, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u(0) + a u(1) = 4 + t with -1 <= u(0) <= 2 and 0 <= u(1) <= 3, at t = 0.5, one side given or both. */
static PetscErrorCode test_a_slave_leaves_its_bounds_to_its_master(void)
{
  static const struct {
    const char *lower, *upper;
    PetscReal   a, from, to; /* of u(1): -1 <= 4.5 - a u(1) <= 2 beside its own */
  } row[] = {{"x[0] - 1", "2 + x[0]", 2, 1.25, 2.75}, {"x[0] - 1", "2 + x[0]", -2, 0, -1.25},
             {"x[0] - 1", NULL, 5, 0, 1.1},           {"x[0] - 1", NULL, -5, 0, PETSC_INFINITY},
             {NULL, "2 + x[0]", 5, 0.5, 3},           {NULL, "2 + x[0]", -5, PETSC_NINFINITY, -0.5}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    RungSystem sys;
    Vec        lower, upper;
    PetscReal  value;

    PetscCall(system_create("interval", 1, 5, "P1", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemAddConstraint(sys, 2, (const char *[]){"u", "u"}, (PetscReal[]){0, 0, 0, 1, 0, 0},
                                      (PetscReal[]){1, row[i].a}, "4 + t"));
    PetscCall(RungSystemSetBounds(sys, "u", row[i].lower, row[i].upper));
    PetscCall(RungSystemCreateVec(sys, &lower));
    PetscCall(RungSystemCreateVec(sys, &upper));
    if (row[i].from > row[i].to) {
      CHECK_RAISES(RungSystemGetBounds(sys, 0.5, lower, upper),
                   "lower and the upper bound of u at x = (1.), t = 0.5 are 0. and -1.25");
    } else {
      PetscCall(RungSystemGetBounds(sys, 0.5, lower, upper));
      PetscCall(bound_at(sys, lower, 1, &value));
      CHECK_NEAR(value, row[i].from, 1e-13);
      PetscCall(bound_at(sys, upper, 1, &value));
      CHECK_NEAR(value, row[i].to, 1e-13);
    }
    PetscCall(bound_at(sys, lower, 0, &value));
    CHECK(value <= PETSC_NINFINITY);
    PetscCall(bound_at(sys, upper, 0, &value));
    CHECK(value >= PETSC_INFINITY);
    PetscCall(VecDestroy(&lower));
    PetscCall(VecDestroy(&upper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_slave_leaves_its_bounds_to_its_master))
