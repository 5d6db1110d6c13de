/* small.c - a program outside of Rung's tree: a heated rod, one unknown, a few steps. */
#include <rung.h>

static const char help[] = "A heated rod.\n";

int main(int argc, char **argv)
{
  RungMesh    mesh;
  RungSpace   V;
  RungSystem  rod;
  RungStepper stepper;
  PetscReal   heat;

  PetscCall(RungInitialize(&argc, &argv, help));

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));

  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &rod));
  PetscCall(RungSystemAddUnknown(rod, "u", "v", V));
  PetscCall(RungSystemAddResidual(rod, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - v*dx"));
  PetscCall(RungSystemAddQuantity(rod, "heat", "u*dx"));

  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, rod));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetInterval(stepper, 0.0, 1.0, 0.25));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "heat", &heat)); /* no flux through the ends: heat = t */
  PetscCheck(PetscAbsReal(heat - 1) < 1e-8, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "found %g, wanted 1", (double)heat);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all is well\n"));

  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&rod));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFinalize());
  return 0;
}
