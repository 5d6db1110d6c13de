/* plasticity.c - a brick of steel, pulled and pushed beyond its yield stress.

   Find u(t) in V such that for every v in V, and at every quadrature point,
       (sigma, grad v) = 0,   sigma = lambda tr(ee) I + 2 mu ee,   ee = sym grad u - ep,
       ep' = 3/2 p' s/|s|,    p' >= 0,   f = |s| - yield - H p <= 0,   f p' = 0,   s = dev sigma,   |s| = sqrt(3/2 s : s).

   Plastic strain ep and its length p are internal variables: each point solves its own equations, with bdf1 a return mapping.

   Try   ./plasticity -mesh_count 8,4,4 -system_H 2e3
         mpiexec -n 3 ./plasticity -stepper_dt 0.25                                                                  */
#include <rung.h>

int main(int argc, char **argv)
{
  static const char *const name[] = {"u", "ep", "p"}, *const test[] = {"v", "eq", "pq"};
  static const char *const spec[] = {"Q1^d", "Quad(2)^dxd", "Quad(2)"};
  static const char *const held[] = {"u[0]", "u[1]", "u[2]"}, *const side[] = {"left", "bottom", "back"};
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  brick;
  RungStepper stepper;

  PetscCall(RungInitialize(&argc, &argv, "J2 plasticity with linear hardening, cyclic load.\n"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){4, 2, 2}, (PetscReal[]){2, 1, 1}));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &brick));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungSpaceCreate(mesh, spec[i], &space));
    PetscCall(RungSystemAddUnknown(brick, name[i], test[i], space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungSystemSetConstant(brick, "mu", 77e3)); /* MPa */
  PetscCall(RungSystemSetConstant(brick, "nu", 0.3));
  PetscCall(RungSystemSetConstant(brick, "yield", 250));
  PetscCall(RungSystemSetConstant(brick, "H", 10e3));
  PetscCall(RungSystemDefine(brick, "ee", "sym(grad(u)) - ep"));
  PetscCall(RungSystemDefine(brick, "sigma", "2*mu*(nu/(1 - 2*nu)*tr(ee)*I + ee)"));
  PetscCall(RungSystemDefine(brick, "s", "dev(sigma)"));
  PetscCall(RungSystemDefine(brick, "size", "sqrt(1.5*inner(s, s) + 1e-12)"));
  PetscCall(RungSystemAddResidual(brick, "inner(sigma, grad(v))*dx"));
  PetscCall(RungSystemAddResidual(brick, "inner(dt(ep) - 1.5*dt(p)*s/size, eq)*dx"));
  PetscCall(RungSystemAddResidual(brick, "(dt(p) - max(0, dt(p) + (size - yield - H*p)/mu))*pq*dx"));
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemSetDirichlet(brick, held[i], side[i], "0"));
  PetscCall(RungSystemSetDirichlet(brick, "u[0]", "right", "0.01*sin(pi*t/2)"));
  PetscCall(RungSystemAddMean(brick, "stress", "sigma[0,0]*dx"));
  PetscCall(RungSystemAddMean(brick, "plastic strain", "p*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, brick));
  PetscCall(RungStepperSetMethod(stepper, "bdf1"));
  PetscCall(RungStepperSetInterval(stepper, 0, 4, 0.125));
  PetscCall(RungStepperAddTable(stepper, "plasticity.csv"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&brick));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFinalize());
  return 0;
}
