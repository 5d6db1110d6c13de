/* test_stage_balance.c - loads on what nothing holds have to be in balance. */
#include "../step_impl.h"
#include <check.h>

/* Two steps of a problem of u, which is held on a part or nowhere. */
static PetscErrorCode create(const char spec[], const char residual[], const char held[], RungSystem *sys,
                             RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 3}, NULL));
  PetscCall(RungSpaceCreate(mesh, spec, &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(*sys, residual));
  if (held) PetscCall(RungSystemSetDirichlet(*sys, "u", held, "0"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetType(*stepper, RUNGBDF));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, 0.5));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ELASTIC "inner(2*sym(grad(u)), grad(v))*dx"
#define STIFFER "(1 + inner(grad(u), grad(u)))*inner(grad(u), grad(v))*dx"

static PetscErrorCode test_loads_out_of_balance_are_refused(void)
{
  static const struct {
    const char *spec, *residual, *held;
    PetscBool   balanced;
  } row[] = {{"P1^d", ELASTIC " - t*v[0]*ds(right)", NULL, PETSC_FALSE},
             {"P1^d", ELASTIC " - t*v[0]*ds(right) + t*v[0]*ds(left)", NULL, PETSC_TRUE},
             {"P2^d", ELASTIC " - t*v[1]*ds(right) + t*v[1]*ds(left)", NULL, PETSC_FALSE}, /* they turn */
             {"P1^d", ELASTIC " - t*v[0]*ds(right)", "left", PETSC_TRUE},
             {"P2", "inner(grad(u), grad(v))*dx - t*(x[0] - 0.5)*v*dx", NULL, PETSC_TRUE},
             {"P2", "inner(grad(u), grad(v))*dx - t*v*dx", NULL, PETSC_FALSE},
             {"P2", STIFFER " - t*(x[0] - 0.5)*v*dx", NULL, PETSC_TRUE},
             {"P2", STIFFER " - t*v*dx", NULL, PETSC_FALSE},
             {"P1", "inner(grad(u), grad(v))*dx", NULL, PETSC_TRUE}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(create(row[i].spec, row[i].residual, row[i].held, &sys, &stepper));
    if (row[i].balanced)
      PetscCall(RungStepperSolve(stepper));
    else
      CHECK_RAISES(RungStepperSolve(stepper), "most of it in \"u\"): loads on what nothing holds");
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_loads_out_of_balance_are_refused))
