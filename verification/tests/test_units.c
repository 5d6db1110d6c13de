/* test_units.c - units of unknowns and of equations change no step of an adaptive run: 2^20 and 2^-20 times one of them at a time, with
   the absolute tolerances that are found where none is given; all of them at once with tolerances in the same units. */
#include <check.h>
#include <rungverify.h>

#include "adaptive.h"

#define TOLERANCE 1e-4

static PetscErrorCode run(const AdaptiveProblem *problem, const AdaptiveUnits *units, PetscBool given, PetscInt *steps,
                          PetscReal error[2])
{
  AdaptiveWatch         watch = {.problem = problem};
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             mean;

  PetscFunctionBegin;
  PetscCall(adaptive_create(problem, PetscMin(problem->count, 16), NULL, units, &watch.sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, watch.sys));
  if (problem->type) PetscCall(RungStepperSetType(stepper, problem->type));
  PetscCall(RungStepperSetInterval(stepper, 0, problem->end, problem->dt));
  PetscCall(RungStepperSetTolerances(stepper, TOLERANCE, PETSC_DEFAULT));
  for (PetscInt f = 0; given && f < problem->unknowns; ++f) {
    PetscCall(
      RungStepperSetUnknownTolerances(stepper, problem->unknown[f].name, TOLERANCE, TOLERANCE * units->unknown[f]));
  }
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, adaptive_watch, &watch));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps = s.steps;
  for (int f = 0; f < 2; ++f) error[f] = watch.error[f];
  if (problem->mean) {
    PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
    error[0] = mean / units->unknown[0] - problem->mean;
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&watch.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const AdaptiveProblem *problem, const AdaptiveUnits *units, PetscBool given,
                              PetscInt steps, const PetscReal error[2])
{
  PetscInt  found;
  PetscReal e[2];

  PetscFunctionBegin;
  PetscCall(run(problem, units, given, &found, e));
  if (PetscAbsInt(found - steps) > 1 || PetscAbsReal(e[0] - error[0]) > 0.01 * PetscAbsReal(error[0]) ||
      PetscAbsReal(e[1] - error[1]) > 0.01 * PetscAbsReal(error[1])) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%s, unknowns times %g, %g, rows times %g, %g%s: %d for %d steps, errors %g, %g for %g, %g\n",
                          problem->name, (double)units->unknown[0], (double)units->unknown[1], (double)units->row[0],
                          (double)units->row[1], given ? ", atol given" : "", (int)found, (int)steps, (double)e[0],
                          (double)e[1], (double)error[0], (double)error[1]));
    CHECK(PETSC_FALSE);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_units_of_unknowns_and_equations_change_no_step(void)
{
  static const AdaptiveUnits one = {{1, 1}, {1, 1}};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ADAPTIVE_PROBLEMS; ++i) {
    const AdaptiveProblem *problem = &adaptive_problems[i];
    PetscInt               steps[2];
    PetscReal              error[2][2];

    for (int given = 0; given < 2; ++given)
      PetscCall(run(problem, &one, (PetscBool)given, &steps[given], error[given]));
    for (int sign = -1; sign <= 1; sign += 2) {
      const PetscReal     unit = pow(2, 20 * sign);
      const AdaptiveUnits all  = {{unit, 1 / unit}, {unit, 1 / unit}};

      for (PetscInt f = 0; f < problem->unknowns; ++f) {
        AdaptiveUnits units = one, rows = one;

        units.unknown[f] = rows.row[f] = unit;
        PetscCall(compare(problem, &units, PETSC_FALSE, steps[0], error[0]));
        PetscCall(compare(problem, &rows, PETSC_FALSE, steps[0], error[0]));
      }
      PetscCall(compare(problem, &all, PETSC_TRUE, steps[1], error[1]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_units_of_unknowns_and_equations_change_no_step))
