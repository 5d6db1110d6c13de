/* events.h - a ball and a relay whose events come at exact times. */
#pragma once

#include "points.h"

#define G    9.81
#define FALL 0.451523640985730904 /* sqrt(2/g): the first time on the floor */

/* A ball that falls from 1 with y'' = -g - drag; e of its speed is left by the floor. */
static inline PetscErrorCode ball(const char drag[], PetscReal e, const char method[], PetscReal t1, PetscReal dt,
                                  PetscReal rtol, RungStepper *stepper)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungSystem sys;
  char       residual[128];

  PetscFunctionBegin;
  (void)snprintf(residual, sizeof residual, "(dt(y, 2) + g%s)*v*dx", drag);
  PetscCall(points_create(1, name, space, start, residual, stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "g", G));
  PetscCall(RungSystemSetConstant(sys, "e", e));
  PetscCall(RungSystemAddProbe(sys, "height", "y", (PetscReal[]){0}));
  PetscCall(RungSystemAddProbe(sys, "speed", "dt(y)", (PetscReal[]){0}));
  PetscCall(RungSystemAddQuantity(sys, "energy", "(dt(y)^2/2 + g*y)*dx"));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, dt));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(*stepper, rtol, rtol * 1e-3));
  PetscCall(RungStepperAddEvent(*stepper, "bounce", &(RungEvent){.text = "height", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(*stepper, "bounce", "dt(y)", "-e*dt(y)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T' = -T + 30 on; the heater goes off at `high` and on at `low` */
static inline PetscErrorCode relay(PetscReal low, PetscReal high, PetscReal t1, RungStepper *stepper)
{
  static const char *const name[] = {"T"}, *const space[] = {"P0"}, *const start[] = {"10"};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(T) + T - 30*on)*v*dx", stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "on", 1));
  PetscCall(RungSystemSetConstant(sys, "low", low));
  PetscCall(RungSystemSetConstant(sys, "high", high));
  PetscCall(RungSystemAddQuantity(sys, "heater", "on*dx"));
  PetscCall(RungSystemAddProbe(sys, "room", "T", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(*stepper, "esdirk54"));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, 0.05));
  PetscCall(RungStepperSetTolerances(*stepper, 1e-11, 1e-12));
  PetscCall(RungStepperAddEvent(*stepper, "warm", &(RungEvent){.text = "room - high", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(*stepper, "warm", "on", "0"));
  PetscCall(RungStepperAddEvent(*stepper, "cold", &(RungEvent){.text = "room - low", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(*stepper, "cold", "on", "1 - on"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
