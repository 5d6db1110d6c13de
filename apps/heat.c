/* heat.c - a hot plate cools through its edge.

   Find u(t) in V, u = 0 on the edge, such that for every v in V

       (u', v) + kappa (grad u, grad v) = (f, v).

   Try   ./heat -mesh_count 64,64 -stepper_method trbdf2
         ./heat -stepper_type bdf -stepper_order 2 -stepper_dt 0.01
         mpiexec -n 2 ./heat -mesh_cell tetrahedron -mesh_count 8,8,8 -stepper_rtol 1e-5 -stepper_atol 1e-8 */
#include <rung.h>

static const char help[] = "Heat equation in a box.\n";

int main(int argc, char **argv)
{
  RungMesh    mesh;
  RungSpace   V;
  RungSystem  heat;
  RungStepper stepper;

  PetscCall(RungInitialize(&argc, &argv, help));

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){32, 32}, (PetscReal[]){1, 1}));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSpaceCreate(mesh, "CG1", &V)); /* P1 or Q1, whichever the cells have; -space_u replaces it */

  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &heat));
  PetscCall(RungSystemAddUnknown(heat, "u", "v", V));
  PetscCall(RungSystemSetConstant(heat, "kappa", 0.1));
  PetscCall(RungSystemDefine(heat, "f", "10*exp(-t)*x[0]"));
  PetscCall(RungSystemAddResidual(heat, "dt(u)*v*dx"));
  PetscCall(RungSystemAddResidual(heat, "kappa*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddResidual(heat, "-f*v*dx"));
  PetscCall(RungSystemSetDirichlet(heat, "u", "boundary", "0"));
  PetscCall(RungSystemSetInitial(heat, "u", "sin(pi*x[0])*sin(pi*x[1])"));
  PetscCall(RungSystemAddQuantity(heat, "heat content", "u*dx"));
  PetscCall(RungSystemSetFromOptions(heat));

  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, heat));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0.0, 1.0, 0.05));
  PetscCall(RungStepperAddOutput(stepper, "heat.pvd", 0.1));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));

  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&heat));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFinalize());
  return 0;
}
