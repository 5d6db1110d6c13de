/* rungstep_room.h - what the room above needs of steppers besides what programs do.  Not installed, not exported. */
#pragma once

#include <rungstep.h>
#include <rungsystem_room.h>

/* RungStepperGetTransientSystem - the system in time; sets the stepper up; lent.  Solve goes on from a start at t0 that was made by
   hand (exact rates, past levels of multistep methods). */
RUNG_INTERN PetscErrorCode RungStepperGetTransientSystem(RungStepper stepper, RungTransientSystem *ts);

/* RungStepperSetNumbers - more columns of tables, behind the quantities: numbers made of them.  fn gets the values of the quantities,
   sums of rates among them, and gives those of the numbers; it is called on all ranks.  Names are copied, ctx is lent.  Before SetUp. */
typedef PetscErrorCode     RungNumbersFn(PetscReal t, const PetscReal quantity[], PetscReal number[], void *ctx);
RUNG_INTERN PetscErrorCode RungStepperSetNumbers(RungStepper stepper, PetscInt n, const char *const names[],
                                                 RungNumbersFn *fn, void *ctx);
/* RungStepperSetIntegral - where the sum of a rate begins: runs that go on where another one ended.  Sets the stepper up.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such quantity;  PETSC_ERR_ARG_WRONG  it is no rate */
RUNG_INTERN PetscErrorCode RungStepperSetIntegral(RungStepper stepper, const char name[], PetscReal value);
/* RungNotice - "note: .." on standard error, from rank 0; like printf.  Not collective. */
RUNG_INTERN PetscErrorCode RungNotice(MPI_Comm comm, const char format[], ...);

/* RungStepperSetOrder - order 1 or 2 of type bdf, for -stepper_order: its methods bdf1 and bdf2; other types choose their order by the
   method.  Before SetUp. */
RUNG_INTERN PetscErrorCode RungStepperSetOrder(RungStepper stepper, PetscInt order);
