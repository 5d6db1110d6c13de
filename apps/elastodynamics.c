/* elastodynamics.c - a steel bracket, clamped at its bolts, struck on its pin and left to ring.

   Find u(t) in V, u = 0 on the bolts, such that for every w in V

       (rho u'', w) + (sigma(u), grad w) = <g(t), w> on the pin,
       sigma(u) = lambda tr(eps) I + 2 mu eps,   eps = sym grad u.

   The work of g is summed over the steps: kinetic + strain - work measures the error in time.

   Try   mpiexec -n 2 ./elastodynamics -stepper_dt 5e-6
         ./elastodynamics -space_u P1^d -stepper_rho_inf 0.5                                                          */
#include <rung.h>
#include "gallery.h"

static const char help[] = "Linear elastodynamics of a bracket, generalized-alpha in time.\n";

int main(int argc, char **argv)
{
  RungMesh    mesh;
  RungSpace   V;
  RungSystem  bracket;
  RungStepper stepper;
  char        path[PETSC_MAX_PATH_LEN];

  PetscCall(RungInitialize(&argc, &argv, help));

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  gallery_path("bracket3d.msh", path);
  PetscCall(RungMeshSetFile(mesh, path)); /* -mesh_file overrides it */
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSpaceCreate(mesh, "CG2^d", &V));

  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &bracket));
  PetscCall(RungSystemAddUnknown(bracket, "u", "w", V));
  PetscCall(RungSystemSetConstant(bracket, "rho", 7850));
  PetscCall(RungSystemSetConstant(bracket, "E", 210e9));
  PetscCall(RungSystemSetConstant(bracket, "nu", 0.3));
  PetscCall(RungSystemSetConstant(bracket, "peak", 1e6));
  PetscCall(RungSystemSetConstant(bracket, "pulse", 2e-4));
  PetscCall(RungSystemDefine(bracket, "mu", "E/(2*(1 + nu))"));
  PetscCall(RungSystemDefine(bracket, "lambda", "E*nu/((1 + nu)*(1 - 2*nu))"));
  PetscCall(RungSystemDefine(bracket, "eps", "sym(grad(u))"));
  PetscCall(RungSystemDefine(bracket, "sigma", "lambda*tr(eps)*I + 2*mu*eps"));
  PetscCall(RungSystemDefine(bracket, "g", "if(t < pulse, peak*sin(pi*t/pulse), 0)*unit(0)"));
  PetscCall(RungSystemAddResidual(bracket, "rho*inner(dt(u, 2), w)*dx"));
  PetscCall(RungSystemAddResidual(bracket, "inner(sigma, grad(w))*dx - inner(g, w)*ds(pin)"));
  PetscCall(RungSystemSetDirichlet(bracket, "u", "bolts", "0"));
  PetscCall(RungSystemAddQuantity(bracket, "kinetic", "rho/2*inner(dt(u), dt(u))*dx"));
  PetscCall(RungSystemAddQuantity(bracket, "strain", "inner(sigma, eps)/2*dx"));
  PetscCall(RungSystemAddRate(bracket, "work", "inner(g, dt(u))*ds(pin)"));
  PetscCall(RungSystemAddMean(bracket, "pin", "u[0]*ds(pin)"));
  PetscCall(RungSystemSetFromOptions(bracket));

  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, bracket));
  PetscCall(RungStepperSetType(stepper, RUNGALPHA));
  PetscCall(RungStepperAlphaSetRadius(stepper, 0.9));
  PetscCall(RungStepperSetInterval(stepper, 0, 4e-3, 1e-5));
  PetscCall(RungStepperAddOutput(stepper, "bracket.pvd", 1e-4));
  PetscCall(RungStepperAddTable(stepper, "bracket.csv"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));

  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&bracket));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFinalize());
  return 0;
}
