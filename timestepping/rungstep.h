/* rungstep.h - steppers: they advance a system and know nothing of forms or meshes. */
#pragma once

#include <rungsystem.h>

typedef struct _p_RungStepper *RungStepper;
typedef const char            *RungStepperType;

#define RUNGDIRK  "dirk"  /* diagonally implicit Runge-Kutta: -stepper_method names a tableau */
#define RUNGBDF   "bdf"   /* backward differences of order 1 and 2 at fixed step              */
#define RUNGALPHA "alpha" /* Newmark, HHT, WBZ, generalized-alpha; JWH at order 1             */

/* After every accepted step (and once at the start, step 0).  u[k], k <= order, are lent. */
typedef PetscErrorCode RungMonitorFn(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx);

typedef struct {
  PetscInt    steps, rejected, failed;        /* accepted; rejected by the error test; rejected by a failed solve    */
  PetscInt    newton, linear;                 /* iterations                                                          */
  PetscInt    residuals, jacobians, factorisations; /* evaluations, assemblies, preconditioner set-ups               */
} RungStepperStatistics;

RUNG_EXTERN PetscErrorCode RungStepperCreate(MPI_Comm comm, RungStepper *stepper);
RUNG_EXTERN PetscErrorCode RungStepperSetSystem(RungStepper stepper, RungSystem sys);
RUNG_EXTERN PetscErrorCode RungStepperGetSystem(RungStepper stepper, RungSystem *sys);
RUNG_EXTERN PetscErrorCode RungStepperSetType(RungStepper stepper, RungStepperType type);
RUNG_EXTERN PetscErrorCode RungStepperGetType(RungStepper stepper, RungStepperType *type);
RUNG_EXTERN PetscErrorCode RungStepperSetMethod(RungStepper stepper, const char method[]); /* "esdirk43", "hht", .. */
RUNG_EXTERN PetscErrorCode RungStepperGetMethod(RungStepper stepper, const char **method, PetscInt *order);
RUNG_EXTERN PetscErrorCode RungStepperSetOrder(RungStepper stepper, PetscInt order);       /* bdf */
RUNG_EXTERN PetscErrorCode RungStepperAlphaSetRadius(RungStepper stepper, PetscReal rho_inf);
RUNG_EXTERN PetscErrorCode RungStepperSetInterval(RungStepper stepper, PetscReal t0, PetscReal t1, PetscReal dt);
RUNG_EXTERN PetscErrorCode RungStepperGetInterval(RungStepper stepper, PetscReal *t0, PetscReal *t1, PetscReal *dt);
/* Both set: adaptive steps where the method has an estimate; otherwise an error says which methods have one. */
RUNG_EXTERN PetscErrorCode RungStepperSetTolerances(RungStepper stepper, PetscReal rtol, PetscReal atol);
RUNG_EXTERN PetscErrorCode RungStepperAddMonitor(RungStepper stepper, RungMonitorFn *monitor, void *ctx);
RUNG_EXTERN PetscErrorCode RungStepperAddOutput(RungStepper stepper, const char path[], PetscReal every); /* VTU/PVD; every <= 0: each step */
RUNG_EXTERN PetscErrorCode RungStepperAddTable(RungStepper stepper, const char path[]);                   /* CSV of quantities, each step; and its plot */
RUNG_EXTERN PetscErrorCode RungStepperSetFromOptions(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperSetUp(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperSolve(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperGetState(RungStepper stepper, PetscInt back, const RungState **state);
RUNG_EXTERN PetscErrorCode RungStepperGetTransientSystem(RungStepper stepper, RungTransientSystem *ts);
RUNG_EXTERN PetscErrorCode RungStepperGetStatistics(RungStepper stepper, RungStepperStatistics *statistics);
/* Current value of a quantity, or of a rate's integral so far. */
RUNG_EXTERN PetscErrorCode RungStepperGetQuantity(RungStepper stepper, const char name[], PetscReal *value);
RUNG_EXTERN PetscErrorCode RungStepperView(RungStepper stepper, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungStepperDestroy(RungStepper *stepper);
RUNG_EXTERN PetscErrorCode RungStepperRegister(RungStepperType type, PetscErrorCode (*create)(RungStepper stepper));
/* Types and methods that are registered, for studies over all of them: type[i], method[i]; lent. */
RUNG_EXTERN PetscErrorCode RungStepperGetMethods(PetscInt *n, const char *const **types, const char *const **methods);
