/* robertson.c - stiff kinetics of three species, at one point or at many.

       y0' = -k1 y0 + k3 y1 y2
       y1' =  k1 y0 - k3 y1 y2 - k2 y1^2
       y2' =                     k2 y1^2

   A mesh of n points is n independent systems: dx on a point is evaluation there, so an
   ordinary differential equation is the form (y' - r, z), and a parameter study is a longer
   mesh.  x[0] runs over 0, 1, .., n-1 and scales k1 from point to point.

   Try   ./robertson -mesh_points 1000 -stepper_rtol 1e-8                        */
#include <rung.h>

static const char help[] = "Robertson's kinetics on a mesh of points.\n";

int main(int argc, char **argv)
{
  RungMesh    points;
  RungSpace   Y;
  RungSystem  kinetics;
  RungStepper stepper;

  PetscCall(RungInitialize(&argc, &argv, help));

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungMeshSetFromOptions(points));
  PetscCall(RungSpaceCreate(points, "P0^3", &Y));

  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &kinetics));
  PetscCall(RungSystemAddUnknown(kinetics, "y", "z", Y));
  PetscCall(RungSystemDefine(kinetics, "slow", "0.04*(1 + 0.001*x[0])*y[0]"));
  PetscCall(RungSystemDefine(kinetics, "back", "1e4*y[1]*y[2]"));
  PetscCall(RungSystemDefine(kinetics, "fast", "3e7*y[1]^2"));
  PetscCall(RungSystemDefine(kinetics, "r", "vector(back - slow, slow - back - fast, fast)"));
  PetscCall(RungSystemAddResidual(kinetics, "inner(dt(y) - r, z)*dx"));
  PetscCall(RungSystemSetInitial(kinetics, "y", "vector(1, 0, 0)"));
  PetscCall(RungSystemAddQuantity(kinetics, "mass", "(y[0] + y[1] + y[2])*dx"));
  PetscCall(RungSystemSetFromOptions(kinetics));

  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, kinetics));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0.0, 1e6, 1e-6));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-10));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));

  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&kinetics));
  PetscCall(RungSpaceDestroy(&Y));
  PetscCall(RungMeshDestroy(&points));
  PetscCall(RungFinalize());
  return 0;
}
