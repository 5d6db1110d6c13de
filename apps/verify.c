/* verify.c - runs any registered problem with any stepper on a ladder of steps, and reports the observed order.

   Try   ./verify -list
         ./verify -case relaxation -stepper_type dirk -stepper_method trbdf2 -study_dt 0.2,0.1,0.05,0.025
         ./verify -case moving_edge -stepper_method esdirk54 -study_norm H1 -study_plot order.png -study_json order.json
 */
#include <rung.h>
#include <rungmethod.h>

static const char help[] = "Temporal convergence studies of registered problems.\n";

static PetscErrorCode print_registry(void)
{
  const RungCase *problems;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "cases (-case NAME)\n"));
  PetscCall(RungCaseGetAll(&n, &problems));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-18s %s\n", problems[i].name, problems[i].about));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "steppers (-stepper_type TYPE -stepper_method METHOD)\n"));
  PetscCall(RungMethodsPrint(PETSC_COMM_WORLD, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RungStudy study;
  PetscBool list = PETSC_FALSE, page = PETSC_FALSE, passed = PETSC_TRUE;

  PetscCall(RungInitialize(&argc, &argv, help));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-list", "print cases and methods", &list, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-methods_page", "print the table of docs/methods.md", &page, NULL));
  if (page)
    PetscCall(RungMethodsPrint(PETSC_COMM_WORLD, PETSC_TRUE));
  else if (list)
    PetscCall(print_registry());
  else {
    PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
    PetscCall(RungStudySetFromOptions(study));
    PetscCall(RungStudyRun(study));
    PetscCall(RungStudyView(study, PETSC_VIEWER_STDOUT_WORLD));
    PetscCall(RungStudyGetPassed(study, &passed));
    PetscCall(RungStudyDestroy(&study));
  }
  PetscCall(RungFinalize());
  return passed ? 0 : 1;
}
