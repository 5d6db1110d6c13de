/* rungcoupling.h - several systems on one mesh that go through time together, each with a stepper of its own:
   explicitly, iterated, or split after Lie or Strang; events that stop them all, numbers made of the quantities of
   all, checkpoints of all.  Included besides rung.h. */
#pragma once

#include <rungstep.h>

typedef struct _p_RungCoupling *RungCoupling;

/* The run is cut into windows of one length.  A system goes through a window by steps of its stepper, from values,
   with rates that fit what the others are then.  Its coefficients of other systems (RungSystemAddCoupling) are, with
   Phi_i(h) the way of system i, in the order in which the systems were added:

     EXPLICIT   order 1   Phi_1(h), .. Phi_m(h), coefficients as they were when the window began
     ITERATE    the same again and again; coefficients follow the newest way of the other system, the cubic through
                values and rates at both ends of the window, until no unknown changes by more than the tolerance times
                its largest norm so far: the least order of the methods, 4 at most
     LIE        order 1   Phi_m(h) .. Phi_1(h) one after the other, coefficients and shared unknowns are the newest
     STRANG     order 2   Phi_1(h/2) .. Phi_m-1(h/2) Phi_m(h) Phi_m-1(h/2) .. Phi_1(h/2), the newest as for LIE

   An unknown that two systems have by one name is one state that is split: each system has some of the terms.  LIE and
   STRANG only.
   Sources: G. Strang, SIAM J. Numer. Anal. 5 (1968) 506-517; E. Lelarasmee, A. E. Ruehli, A. L.
   Sangiovanni-Vincentelli, IEEE Trans. Computer-Aided Design 1 (1982) 131-145 (ITERATE, waveform relaxation). */
typedef enum {
  RUNG_COUPLING_EXPLICIT,
  RUNG_COUPLING_ITERATE,
  RUNG_COUPLING_LIE,
  RUNG_COUPLING_STRANG
} RungCouplingScheme;

/* At the start, behind each window, at an event, and behind its changes (again).  value[]: of the columns of
   RungCouplingGetColumns(), lent; states by RungCouplingGetState(). */
typedef PetscErrorCode RungCouplingMonitorFn(RungCoupling coupling, PetscReal t, PetscBool again,
                                             const PetscReal value[], void *ctx);

/* Of the run so far. */
typedef struct {
  PetscInt windows; /* that are whole                                                                       */
  PetscInt solves;  /* of a system over a window or a part of it, also those made again to find an event    */
  PetscInt steps;   /* of the system, or of all, in these solves                                            */
  PetscInt newton;  /* its iterations of Newton                                                             */
} RungCouplingStatistics;

/* ---- what goes together ----------------------------------------------------------------------------------------- */

/* RungCouplingCreate - a coupling of no systems yet, explicit.  Collective.  Life: Create, AddSystem for each, Set..,
   Add.., Solve, Destroy before the steppers; the systems forget each other then, coefficients stay as they are. */
RUNG_EXTERN PetscErrorCode RungCouplingCreate(MPI_Comm comm, RungCoupling *coupling);
RUNG_EXTERN PetscErrorCode RungCouplingDestroy(RungCoupling *coupling);
/* RungCouplingAddSystem - a system by a name, letters, digits and _, with the stepper that it was given to
   (RungStepperSetSystem) and whose options were read.  The stepper is lent until Destroy; its interval is the run's,
   its step, method and tolerances are those of the system.  Quantities of the system are columns NAME.QUANTITY.  Sets
   the system up.  Collective.
   Errors  PETSC_ERR_ARG_NULL        no name, no stepper, a stepper without a system
           PETSC_ERR_ARG_WRONG       a name that is taken or has other signs, a stepper or a system that was added
                                     already
           PETSC_ERR_ARG_NOTSAMECOMM  other ranks than those of the coupling
           PETSC_ERR_ORDER           after SetUp, behind a number or event of all systems */
RUNG_EXTERN PetscErrorCode RungCouplingAddSystem(RungCoupling coupling, const char name[], RungStepper stepper);
/* RungCouplingSetScheme - see RungCouplingScheme.  RungCouplingSetWindow - the length of a window; the last one is
   shorter where the run is no multiple of it.  RungCouplingSetTolerance - of ITERATE, 1e-8 without: the largest change
   of an unknown over its size, and after so many solves of a window beyond the first the run is given up (50 without).
   Before SetUp; collective.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  a scheme that there is not; a window or tolerance that is not a positive, finite
                                     number; most < 1 */
RUNG_EXTERN PetscErrorCode RungCouplingSetScheme(RungCoupling coupling, RungCouplingScheme scheme);
RUNG_EXTERN PetscErrorCode RungCouplingSetWindow(RungCoupling coupling, PetscReal window);
RUNG_EXTERN PetscErrorCode RungCouplingSetTolerance(RungCoupling coupling, PetscReal tolerance, PetscInt most);

/* ---- numbers and events ----------------------------------------------------------------------------------------- */

/* RungCouplingSetConstant - a constant of numbers and events of all systems; those of a system are its own.  Where an event changes
   it in every system whose constant of this name has the same value, it is changed with them.  Before these; collective. */
RUNG_EXTERN PetscErrorCode RungCouplingSetConstant(RungCoupling coupling, const char name[], PetscReal value);
/* RungCouplingAddNumber - a column more, by a text.  Of a system: of its quantities, its earlier numbers, its
   constants and t, as RungStepperAddNumber().  system NULL, of all: their columns as SYSTEM.NAME, earlier numbers of
   all, constants of the coupling and t, "ball.y - floor.z"; all systems and their numbers come first.  nan where
   something that the text names is not finite.  Collective.
   Errors  PETSC_ERR_ARG_WRONG   no such system, with the nearest; a name that is taken; a text that is no number
           PETSC_ERR_USER_INPUT  a text that cannot be read, with the place;  PETSC_ERR_ORDER  too late */
RUNG_EXTERN PetscErrorCode RungCouplingAddNumber(RungCoupling coupling, const char system[], const char name[],
                                                 const char text[]);
/* RungCouplingAddEvent - where event->text goes through zero all systems stop.  The window in which it does is gone
   through again, to the time where it is zero, found by regula falsi and Brent's method on ways that are gone anew
   each time; behind the event the rest of the window is a window of its own.  Looked at where windows end; behind an
   event whose number may turn back at once at quarters of the window, too.  Texts as those of AddNumber.  event->direction,
   tol and stop as for RungStepperAddEvent(); functions, which see one stepper, are refused.  Copied; collective.
   RungCouplingSetEventChange - what it makes of an unknown "u", a component, a rate "dt(u)" below the highest, a
   number in R or a constant of a system, as RungStepperSetEventJump(); all texts are read before the first change is
   made, then rates and algebraic unknowns of all systems are made to fit.
   RungCouplingGetEvent - how often it has happened, and when; lent.
   Errors  PETSC_ERR_ARG_WRONG  no such system, event or unknown, with the nearest; a name that is taken, a change that
                                was said already
           PETSC_ERR_SUP, PETSC_ERR_ARG_OUTOFRANGE, PETSC_ERR_USER_INPUT  functions; stop < 0, tol < 0; the text
           (Solve) PETSC_ERR_NOT_CONVERGED  more than 1000 events within one window;  PETSC_ERR_FP  a number that is
                                            not finite */
RUNG_EXTERN PetscErrorCode RungCouplingAddEvent(RungCoupling coupling, const char system[], const char name[],
                                                const RungEvent *event);
RUNG_EXTERN PetscErrorCode RungCouplingSetEventChange(RungCoupling coupling, const char event[], const char system[],
                                                      const char target[], const char text[]);
RUNG_EXTERN PetscErrorCode RungCouplingGetEvent(RungCoupling coupling, const char name[], PetscInt *n,
                                                const PetscReal **t);
/* RungCouplingGetColumns - their names: quantities and numbers of each system, then numbers of all; lent.  No system,
   number of a system is added from then on. */
RUNG_EXTERN PetscErrorCode RungCouplingGetColumns(RungCoupling coupling, PetscInt *n, const char *const **names);

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* RungCouplingAddTable - NAME.csv, a row at the start, behind each window and two at an event: t and the columns of a
   system, or of all and their numbers (system NULL).  That of all has NAME.events.csv beside it: what happened, and
   the columns before it.
   RungCouplingAddOutput - a series for ParaView of a system, at t0 + n every where a window ends behind it, and at the
   end; every <= 0: all of them.  list as RungWriterSetFields(), NULL: the unknowns.  A run that goes on from a
   checkpoint begins files anew.  Collective.
   RungCouplingAddMonitor - called as said there, in the order of the calls; ctx is lent.
   Errors  PETSC_ERR_ARG_WRONG  no such system, a path that is taken;  those of RungWriterSetFields();  PETSC_ERR_ORDER
                                after SetUp */
RUNG_EXTERN PetscErrorCode RungCouplingAddTable(RungCoupling coupling, const char system[], const char path[]);
RUNG_EXTERN PetscErrorCode RungCouplingAddOutput(RungCoupling coupling, const char system[], const char path[],
                                                 PetscReal every, const char list[]);
RUNG_EXTERN PetscErrorCode RungCouplingAddMonitor(RungCoupling coupling, RungCouplingMonitorFn *fn, void *ctx);
/* RungCouplingSetCheckpoint - files NAME_SYSTEM.h5, for path NAME.h5, each so many windows (0: none between) and at
   the end, or where a signal ends the run; each has the states of the last two that were saved, so that whatever
   moment the run is killed at all files have one of them.  RungCouplingSetRestart - goes on from the newest state that
   all of them have, on any number of ranks, bit for bit as the run would have gone on.  NULL or "": none.  Before
   SetUp; collective.
   Errors  (Solve) PETSC_ERR_FILE_UNEXPECTED  windows of another length, files of two runs, other equations, as
                                              RungStepperSetRestart()
                   PETSC_ERR_ARG_OUTOFRANGE   a state behind the end of the run */
RUNG_EXTERN PetscErrorCode RungCouplingSetCheckpoint(RungCoupling coupling, const char path[], PetscInt every);
RUNG_EXTERN PetscErrorCode RungCouplingSetRestart(RungCoupling coupling, const char path[]);

/* ---- a run ------------------------------------------------------------------------------------------------------ */

/* RungCouplingSetUp - what was said fits together; Solve calls it.  Collective.
   Errors  PETSC_ERR_ORDER           no system, no window
           PETSC_ERR_ARG_INCOMP      steppers of different intervals; an unknown of two systems that is not split, or
                                     on two spaces; a stepper with records, checkpoints or events of its own, which
                                     would begin anew in each window; a tolerance without ITERATE; a window that is not
                                     the same on all ranks
           PETSC_ERR_ARG_OUTOFRANGE  a window longer than the run, more than 1e9 of them
           PETSC_ERR_ARG_WRONG       a coefficient of a system that was not added */
RUNG_EXTERN PetscErrorCode RungCouplingSetUp(RungCoupling coupling);
/* RungCouplingSolve - from t0 to t1 once.  A signal ends it behind the last whole window, as RungStepperSolve() behind
   a step.  Collective.
   Errors  PETSC_ERR_NOT_CONVERGED   iterations that do not come to an end, with the unknown that changes most
           PETSC_ERR_ORDER           a second time: constants are no longer what they were; create another coupling
           those of RungStepperSolve(), behind "system NAME: " */
RUNG_EXTERN PetscErrorCode RungCouplingSolve(RungCoupling coupling);
/* GetState - the newest one of a system, u[k], k <= its order; lent, NULL before Solve.  GetReason - why Solve has
   returned.
   GetStatistics - of a system, of all (NULL).  GetWindows - the interval, the length of a window and how many there
   are; after SetUp.  Not collective.  Errors  PETSC_ERR_ARG_WRONG  no such system */
RUNG_EXTERN PetscErrorCode RungCouplingGetState(RungCoupling coupling, const char system[], PetscReal *t,
                                                const Vec **u);
RUNG_EXTERN PetscErrorCode RungCouplingGetReason(RungCoupling coupling, RungStepperReason *reason);
RUNG_EXTERN PetscErrorCode RungCouplingGetStatistics(RungCoupling coupling, const char system[],
                                                     RungCouplingStatistics *statistics);
RUNG_EXTERN PetscErrorCode RungCouplingGetWindows(RungCoupling coupling, PetscReal *t0, PetscReal *t1,
                                                  PetscReal *length, PetscInt *windows);
