/* turn.h - two coupled systems, for tests. */
#pragma once

#include <check.h>
#include <rung.h>
#include <rungcoupling.h>

/* y' = -z, z' = y, y(0) = 1: a turn. */
typedef struct {
  RungMesh     mesh;
  RungSystem   sys[2];
  RungStepper  stepper[2];
  RungCoupling coupling;
} Turn;

static PetscErrorCode create_system(Turn *t, int i, const char unknown[], const char residual[])
{
  char      test[8] = "v";
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(t->mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &t->sys[i]));
  PetscCall(RungSystemSetConstant(t->sys[i], "k", 1));
  PetscCall(RungSystemAddUnknown(t->sys[i], unknown, test, space));
  PetscCall(RungSystemAddResidual(t->sys[i], residual));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &t->stepper[i]));
  PetscCall(RungStepperSetSystem(t->stepper[i], t->sys[i]));
  PetscCall(RungStepperSetMethod(t->stepper[i], "esdirk43"));
  PetscCall(RungStepperSetInterval(t->stepper[i], 0.5, 1.5, 0.25));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(Turn *t)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &t->mesh));
  PetscCall(RungMeshSetPoints(t->mesh, 2));
  PetscCall(create_system(t, 0, "y", "(dt(y) + k*w)*v*dx"));
  PetscCall(create_system(t, 1, "z", "(dt(z) - k*y)*v*dx"));
  PetscCall(RungSystemAddCoupling(t->sys[0], "w", t->sys[1], "z"));
  PetscCall(RungSystemAddCoupling(t->sys[1], "y", t->sys[0], "y"));
  PetscCall(RungSystemSetInitial(t->sys[0], "y", "1"));
  PetscCall(RungSystemAddProbe(t->sys[0], "y", "y", (PetscReal[]){0, 0, 0}));
  PetscCall(RungSystemAddProbe(t->sys[1], "z", "z", (PetscReal[]){0, 0, 0}));
  PetscCall(RungSystemAddRate(t->sys[0], "turned", "y*dx"));
  PetscCall(RungCouplingCreate(PETSC_COMM_WORLD, &t->coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add(Turn *t)
{
  PetscFunctionBegin;
  PetscCall(RungCouplingAddSystem(t->coupling, "one", t->stepper[0]));
  PetscCall(RungCouplingAddSystem(t->coupling, "two", t->stepper[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Turn *t)
{
  PetscFunctionBegin;
  PetscCall(RungCouplingDestroy(&t->coupling));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungStepperDestroy(&t->stepper[i]));
    PetscCall(RungSystemDestroy(&t->sys[i]));
  }
  PetscCall(RungMeshDestroy(&t->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
