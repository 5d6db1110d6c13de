/* rungstep.h - steppers: they advance a system in time and know nothing of forms or meshes.

   A method proposes a level (attempt), one loop disposes: it accepts or rejects, chooses the step, lands on times and
   counts.  Life: Create, SetSystem, SetType, Set.., SetFromOptions, Solve (which sets up), Destroy. */
#pragma once

#include <rungsystem.h>

typedef struct _p_RungStepper *RungStepper;
typedef const char            *RungStepperType;

#define RUNGDIRK         "dirk"       /* diagonally implicit Runge-Kutta: -stepper_method names a tableau            */
#define RUNGEXPLICIT     "explicit"   /* explicit Runge-Kutta: -stepper_method names a tableau                       */
#define RUNGIMEX         "imex"       /* implicit-explicit Runge-Kutta: terms inside of explicit(..) are explicit    */
#define RUNGROSENBROCK   "rosenbrock" /* Rosenbrock and W methods: one Jacobian and one factorisation a step         */
#define RUNGBDF          "bdf"        /* backward differences of order 1 and 2: methods bdf1, bdf2 or -stepper_order */
#define RUNGALPHA        "alpha"      /* Newmark, HHT, WBZ, generalized-alpha; for systems of order 1: JWH           */
#define RUNGBATHE        "bathe"      /* Bathe's method of two parts a step, with a chosen spectral radius           */
#define RUNGTHETA        "theta"      /* the theta method, Crank-Nicolson with a damped start                        */
#define RUNGACCELERATION "acceleration" /* central differences, Newmark's method solved for u''                      */

/* After every accepted step, once at the start (step 0), and again behind an event that changes the level.  u[k], k <= order, are lent. */
typedef PetscErrorCode RungMonitorFn(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx);

/* Counted since the start of the last Solve. */
typedef struct {
  PetscInt steps;    /* accepted                                                                             */
  PetscInt rejected; /* attempts that the error test refused                                                 */
  PetscInt failed;   /* attempts whose solve failed                                                          */
  PetscInt refused[RUNG_CAUSES]; /* both of them, by cause: refused[RUNG_REFUSED_ERROR] is rejected */
  PetscInt newton;         /* iterations of Newton; a linear system takes one                                      */
  PetscInt linear;         /* iterations of the linear solver                                                      */
  PetscInt residuals;      /* evaluations of F by stages                                                           */
  PetscInt jacobians;      /* assemblies by stages                                                                 */
  PetscInt factorisations; /* set-ups of the preconditioner by stages                                              */
  PetscInt combinations;   /* of a kept derivative by u and one by u' for another step, without an assembly         */
  PetscInt events;         /* that have happened                                                                   */
  PetscInt located;        /* attempts that were made to find their times, none of them accepted                   */
  /* seconds of this process, without those before a restart */
  PetscLogDouble jacobian_seconds, factorisation_seconds; /* by stages, as the counts                    */
  PetscLogDouble solution_seconds;                        /* of linear solves, without the set-up          */
  PetscLogDouble longest_seconds;                         /* of the longest accepted step               */
} RungStepperStatistics;

typedef enum {
  RUNG_MONITOR_NONE, /* silent                                                                                     */
  RUNG_MONITOR_AUTO, /* a line a second once a run has taken a second, and then its statistics at the end          */
  RUNG_MONITOR_SOME, /* a line a second, and the statistics                                                        */
  RUNG_MONITOR_ALL   /* a line for every step, also rejected ones with the reason                                  */
} RungMonitorMode;

/* Why Solve has returned. */
typedef enum {
  RUNG_STEPPER_REACHED_END, /* level 0 is at t1                                                                    */
  RUNG_STEPPER_SIGNALLED,   /* a signal came: level 0 is the last accepted step, a checkpoint was made              */
  RUNG_STEPPER_EVENT        /* an event that ends the run has happened: level 0 is at its time                      */
} RungStepperReason;

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* RungStepperCreate - a stepper without a system.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperCreate(MPI_Comm comm, RungStepper *stepper);
/* RungStepperSetSystem - what to advance; a reference is kept.  Before SetUp.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperSetSystem(RungStepper stepper, RungSystem sys);
RUNG_EXTERN PetscErrorCode RungStepperGetSystem(RungStepper stepper, RungSystem *sys); /* lent */
/* RungStepperSetType - the family of methods; its default method and parameters.  Before SetUp.  Collective.
   Without a type SetUp takes what docs/methods.md has for the class of the system.  With tolerances: explicit dopri54 for ordinary
   differential equations, of which rosenbrock rodas5p takes over where they are stiff, rodas5p where some of their unknowns have no rate,
   imex ark548b for systems of order 1 with terms inside of explicit(..), dirk esdirk43 for dt() of nonlinear terms, esdirk54 for all others.  With fixed steps: dirk esdirk43
   for order 1, alpha chung_hulbert for order 2.  Systems without dt(), whose levels are solutions of F(t, u) = 0 each
   (quasi-static; RungSystemSetLeastOrder), have bdf bdf1.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  with the nearest name and the list */
RUNG_EXTERN PetscErrorCode RungStepperSetType(RungStepper stepper, RungStepperType type);
RUNG_EXTERN PetscErrorCode RungStepperGetType(RungStepper      stepper,
                                              RungStepperType *type); /* lent, NULL before SetType */
/* RungStepperSetMethod - a member of the type's family: "esdirk43", "hht", "bdf2", .., or what a suite calls one, as "DoPri8" (docs/methods.md);
   without a type the method's own.
   Before SetUp.  Collective.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  with the nearest name, and the type that has the method if another does */
RUNG_EXTERN PetscErrorCode RungStepperSetMethod(RungStepper stepper, const char method[]);
/* RungStepperGetMethod - name (lent) and order of convergence of the method; before a type is known NULL and 0. */
RUNG_EXTERN PetscErrorCode RungStepperGetMethod(RungStepper stepper, const char **method, PetscInt *order);
/* RungStepperAlphaSetRadius - spectral radius rho_inf at infinite frequency: in [0, 1], for hht in [1/2, 1].  Type alpha,
   before SetUp.  Refused together with SetNewmark. */
RUNG_EXTERN PetscErrorCode RungStepperAlphaSetRadius(RungStepper stepper, PetscReal rho_inf);
/* RungStepperAlphaSetNewmark - method newmark with these parameters: beta > 0, gamma >= 1/2 unless forced.  Type alpha,
   before SetUp. */
RUNG_EXTERN PetscErrorCode RungStepperAlphaSetNewmark(RungStepper stepper, PetscReal beta, PetscReal gamma);
/* RungStepperSetInterval - from t0 to t1; dt is the step, or the first one with tolerances, which then may be PETSC_DEFAULT: chosen
   by the rates of the start.  Any time but while it solves; collective.

       fixed step:  t_n = t0 + n h,  h = dt, or (t1 - t0)/N where that differs from dt by less than 1e-10 dt;
                    otherwise the last step is shortened so that the run ends at t1 exactly.

   Errors  PETSC_ERR_ARG_OUTOFRANGE  t1 < t0, dt <= 0, a number that is not finite, an interval lost in rounding;
           dt > t1 - t0 is shortened with a notice
           PETSC_ERR_ORDER           by a callback, monitor or event while the stepper solves */
RUNG_EXTERN PetscErrorCode RungStepperSetInterval(RungStepper stepper, PetscReal t0, PetscReal t1, PetscReal dt);
RUNG_EXTERN PetscErrorCode RungStepperGetInterval(RungStepper stepper, PetscReal *t0, PetscReal *t1, PetscReal *dt);
/* RungStepperSetTolerances - adaptive steps: the local error e of a step is accepted if

       |e| = max over groups G of sqrt( sum_i (e_i/s_i)^2 / N ) <= 1,   s_i = atol + rtol max(|u_n,i|, |u_n+1,i|)

   Groups are the N free differential entries (RungSystemGetErrorMask) of one unknown, so that what is few is not lost beside
   what is many; v = dt(u) of an unknown of order 2, apart; on a mesh of points each point; and what the stages of a method
   missed of an unknown's boundary data, its largest entry.  A pulse of data between two stages is not seen.
   In      atol  PETSC_DEFAULT: rtol times U, the largest |u| of the unknown in all levels so far, which the end of a run tells; of a vector
                 on a mesh of points that of each component, and at least 1e-4 of that of all.
                 atol of v, unless it is given, is atol V/U with the largest |v| so far, V.  Where no atol is given both are at least
                 30 times what the rounding of the equations leaves in u, or v, as it is measured where shorter steps do not
                 make errors smaller, rates do not move their values, or steps do not get on; in v it adds up over steps: of a
                 fluid at rest or a body in balance nothing else is left
   Methods without an estimate are refused by SetUp with a list of those that have one.  Before SetUp.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  rtol < 0, atol < 0, both 0, 0 < rtol < 10 rounding units */
RUNG_EXTERN PetscErrorCode RungStepperSetTolerances(RungStepper stepper, PetscReal rtol, PetscReal atol);
/* RungStepperSetUnknownTolerances - of one unknown "p", a component "u[1]", a rate "dt(u)" or "dt(u)[1]"; later calls win, and the
   options -stepper_rtol_p, -stepper_atol_u_1, -stepper_atol_dt_u over calls.  Before SetUp.
   In      rtol, atol  PETSC_DEFAULT: that of all unknowns
   Errors  (SetUp) PETSC_ERR_ARG_WRONG  no such unknown, with the nearest;  PETSC_ERR_ARG_INCOMP  an unknown without any
           tolerance, an option's name that fits two */
RUNG_EXTERN PetscErrorCode RungStepperSetUnknownTolerances(RungStepper stepper, const char unknown[], PetscReal rtol,
                                                           PetscReal atol);
/* RungStepperSetErrorNorm - how the entries of a group count: root of the mean square (default), maximum, or L2, the mean square
   with each entry weighted by int phi_i^2, which a graded mesh does not change.  Before SetUp. */
RUNG_EXTERN PetscErrorCode RungStepperSetErrorNorm(RungStepper stepper, RungErrorNormType norm);
/* RungStepperAddStopTimes - adaptive steps land on these times exactly, and go on as if nothing were there: switches of data,
   times to compare at.  Those outside of the interval do nothing.  Fixed steps have to meet them.  Any time.
   Errors  (Solve) PETSC_ERR_ARG_INCOMP  fixed steps that miss one
   RungStepperSetStepLimits - sizes of adaptive steps, -stepper_dt_min, -stepper_dt_max; 0 and PETSC_INFINITY: none.  A smaller step
   is taken onto a stop time or t1 only; where one would be needed the run ends with an error.  A largest step is the remedy
   where a pulse of data could pass between two stages. */
RUNG_EXTERN PetscErrorCode RungStepperAddStopTimes(RungStepper stepper, PetscInt n, const PetscReal t[]);
/* RungStepperMarkJump - fields, or the other system of a coupling, have just changed by a jump: before the next step rates are found
   anew and the history is dropped.  Constants that change and switches of the data (RungSystemGetNextSwitch) do so by
   themselves; fields that follow their own motion are no jumps. */
RUNG_EXTERN PetscErrorCode RungStepperMarkJump(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperSetStepLimits(RungStepper stepper, PetscReal least, PetscReal most);
/* ---- events: what happens when a number g(t, u) goes through zero ------------------------------------------------ */

/* g of a level; u[k], k <= order, lent, read only.  All ranks are called, rank 0's number counts. */
typedef PetscErrorCode RungEventFn(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx);
/* What an event does: it may change u[k], k < the order of the system, and constants; boundary values, algebraic unknowns and
   rates are made to fit afterwards. */
typedef PetscErrorCode RungEventActFn(RungStepper stepper, PetscReal t, const Vec u[], void *ctx);
typedef enum { RUNG_FALLING = -1, RUNG_BOTH, RUNG_RISING } RungEventDirection; /* how g goes through zero */

/* What an event is: g by one of the first two, all else may be 0. */
typedef struct {
  const char     *text; /* of quantities, numbers (RungStepperAddNumber), constants and t, "tip - gap/2"          */
  RungEventFn    *fn;   /* or a function                                                                       */
  RungEventActFn *act;  /* called when it happens, after the changes; NULL: nothing                             */
  void           *ctx;  /* of both functions, lent                                                             */
  RungEventDirection
            direction; /* how g goes through zero; 0: both                                                    */
  PetscReal tol;       /* how far its time may be off; 0: rounding                                            */
  PetscInt  stop;      /* the run ends when it happens for the so manieth time; 0: it goes on                 */
} RungEvent;

/* RungStepperAddEvent - where g goes through zero in a step, the step is made again so that it ends there, as near as tol says
   and not before; then changes are made.  Where it is within 1e-8 of a step, and 1e-10 of the run, of an end of a step it
   happens there.  Before SetUp, copied; collective.

       the time is found on values between the two levels (RungStepperInterpolate()) by Brent's method; then the step is made
       anew from the same level, with lengths that close in on g = 0, by regula falsi

   g is looked at at both ends of a step, at its quarters and where it seems to turn, so that two crossings within a step are
   seen, too; after an event at ever smaller parts of the step.  Events at one time happen together, in the order of
   the calls.  An event that has happened, or whose g is 0 at the start, sleeps until g has left zero.  A jump that takes g
   across zero is no event.  A table gets a row before and one behind what changes, a series that has the time the nearest
   number behind it, and beside NAME.csv there is
   NAME.events.csv: t, a column for each event that says how often it has happened, if it does then, and all quantities before.
   A run whose events pile up at a time (a ball that bounces ever faster), or which cannot leave a time, ends with an error
   that tells that time.
   Errors  PETSC_ERR_ARG_WRONG  a name that is taken, neither text nor function or both, a direction or number out of range
           (SetUp) those of a text;  (Solve) PETSC_ERR_FP  g is not finite;  PETSC_ERR_NOT_CONVERGED  they pile up
   RungStepperSetEventJump - what happens: "dt(u)", "u[1]", a number in R, or a constant, gets the value of a text.  Texts of
   unknowns hold what texts of initial values hold, and the unknowns and their rates before the event; those of numbers and
   constants are made of quantities, numbers, constants, t and the rates of numbers in R.  All right sides of an event are values
   before it.  Several calls for one event add up.  Before SetUp.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such event;  (SetUp) PETSC_ERR_ARG_WRONG  no such unknown or constant, a rate that
           follows from the equations
   RungStepperGetEvent - how often an event has happened since Solve began (a run that goes on: since its start), and when;
   NULL where it does not matter.  Lent until the next step.  Not collective.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such event */
RUNG_EXTERN PetscErrorCode RungStepperAddEvent(RungStepper stepper, const char name[], const RungEvent *event);
RUNG_EXTERN PetscErrorCode RungStepperSetEventJump(RungStepper stepper, const char event[], const char name[],
                                                   const char text[]);
RUNG_EXTERN PetscErrorCode RungStepperGetEvent(RungStepper stepper, const char name[], PetscInt *n,
                                               const PetscReal *t[]);
/* RungStepperSetMaxSteps - more accepted steps than this end the run with an error; negative: no limit. */
RUNG_EXTERN PetscErrorCode RungStepperSetMaxSteps(RungStepper stepper, PetscInt steps);
/* RungStepperSetMonitor - the progress line of rank 0 on the standard error, with the seconds that are left where the past
   of the run tells them, and at the end one line with the run's files; RUNG_MONITOR_AUTO by default, NONE is quiet. */
RUNG_EXTERN PetscErrorCode RungStepperSetMonitor(RungStepper stepper, RungMonitorMode mode);
/* RungStepperAddMonitor - fn is called on all ranks after each accepted step; ctx is lent.
   Errors  (Solve) PETSC_ERR_USER  fn has returned an error on any rank, with its text, or has changed the level; on one rank fn's own
           error and PETSC_ERR_ARG_WRONGSTATE.  Of more than 4096 entries a rank a part is looked at. */
RUNG_EXTERN PetscErrorCode RungStepperAddMonitor(RungStepper stepper, RungMonitorFn *monitor, void *ctx);
/* RungStepperAddOutput - a series for ParaView at t0, t0 + every, .. and at t1; every <= 0: at each step.
   Where such a time is between two levels values are those of RungStepperInterpolate().
   Before SetUp.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperAddOutput(RungStepper stepper, const char path[], PetscReal every);
/* RungStepperSetOutputFields - what the outputs hold that were added since the last such call, all of them if none was: unknowns,
   quantities and expressions with commas between, with a name where it is wanted, "u, stress, speed = sqrt(inner(u, u))"; then
   " on PART" of the mesh, cells or facets, in quotes if it has blanks, or " on X,.. X,.. N", N points along a line from one to another: "u on left",
   "u, div(u) on 0,0.5 1,0.5 101".  NULL: the unknowns, as without a call.  Before SetUp.  Collective.
   RungStepperSetOutputSteps - they are written every so many accepted steps, at t0 and t1; no times are landed on.
   Before SetUp.  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  there is no output */
RUNG_EXTERN PetscErrorCode RungStepperSetOutputFields(RungStepper stepper, const char list[]);
RUNG_EXTERN PetscErrorCode RungStepperSetOutputSteps(RungStepper stepper, PetscInt steps);
/* RungStepperAddTable - NAME.csv with the header t,quantity,.. (RFC 4180) and one row for each accepted step, and NAME.png drawn
   from it by gnuplot.  While the run lasts the file is NAME.csv.part, complete to the last step.  Before SetUp.  Collective.

   A row, or a time of a series, that the disk refuses is missing, and the run goes on: a warning tells of the first one, and
   the exit status is 4 (RungIncomplete).

   After a restart, and where a Solve goes on from the end of the one before, the rows up to its time stay.  Columns keep their order; a quantity that is new gets one behind them, with
   empty cells above; that of a quantity that is no more has empty cells below.
   In      path   NAME or NAME.csv
   Errors  PETSC_ERR_ARG_WRONG  no file name, control characters or {step} in it;  (SetUp) PETSC_ERR_FILE_OPEN  the folder, or a
           NAME.csv that is no table of ours;  (Solve) PETSC_ERR_FILE_OPEN  one that cannot be gone on with */
RUNG_EXTERN PetscErrorCode RungStepperAddTable(RungStepper stepper, const char path[]);
/* RungStepperAddNumber - one more column of the tables, behind the quantities: a text of quantities, earlier numbers, constants and t,
   as "sqrt(kinetic/mass)", nan where one of them is not finite.  A sum stands for a rate.  Before SetUp.  Collective.
   Errors  PETSC_ERR_ORDER  the stepper has been set up;  (SetUp) PETSC_ERR_USER_INPUT  a text that cannot be read;
           PETSC_ERR_ARG_WRONG  an unknown, x, an integral;  PETSC_ERR_SUP  a system of callbacks */
RUNG_EXTERN PetscErrorCode RungStepperAddNumber(RungStepper stepper, const char name[], const char text[]);
/* RungStepperSetFromOptions - -stepper_type -stepper_method -stepper_order -stepper_rho_inf -stepper_beta -stepper_gamma
   -stepper_alpha_form endpoint|blended -stepper_filter -stepper_force -stepper_start -stepper_end -stepper_dt
   -stepper_rtol -stepper_atol -stepper_rtol_NAME -stepper_atol_NAME -stepper_error_norm rms|max|l2 -stepper_dt_min
   -stepper_dt_max -stepper_max_steps -stepper_monitor true|false|auto|all -stepper_output PATH|none
   -stepper_output_every -stepper_output_steps -stepper_output_fields LIST -stepper_table PATH|none -stepper_checkpoint PATH|none -stepper_checkpoint_every
   -stepper_checkpoint_seconds
   -stepper_restart PATH -stepper_restart_force -stepper_view -stepper_explain -stepper_stable -stepper_event_parts
   -stepper_theta -stepper_damped_steps -stepper_stiffness ignore|tell|stop -stepper_low_storage -stepper_lag, and those of its system
   (RungSystemSetFromOptions) unless the system is set up by then.  -stepper_output replaces the program's outputs and keeps
   the fields and the period of the first.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperSetFromOptions(RungStepper stepper);
/* RungStepperSetCheckpoint - save the run every so many accepted steps and at its end (systems: RungCheckpointCreate).
   A killed run loses what came after its last checkpoint, never a checkpoint.
   In      path   "run.h5": each replaces the one before; with {step} in it, "run_{step}.h5", all stay.  NULL, "": none
           every  accepted steps; 0: 100, or none with RungStepperSetCheckpointSeconds()
   Note    A checkpoint that the disk refuses (it is full) is a warning: the run goes on and the older one stays.  If the
           last one is missing at the end of the run the exit status is 4 (RungIncomplete)
   Note    Matrices are made anew after a checkpoint, so a run with checkpoints may differ in the last bits from one
           without, and is equal to its own continuation bit for bit: with the same ranks, kernels and options, and a
           linear solver that gives the same bits twice (MUMPS on three ranks and more does not; it factors the matrix of a
           start of up to 3000 entries, or of one that is no mass, unless -mass_pc_type says otherwise) */
RUNG_EXTERN PetscErrorCode RungStepperSetCheckpoint(RungStepper stepper, const char path[], PetscInt every);
/* RungStepperSetCheckpointSeconds - a checkpoint at the first step that ends so many seconds of wall time after the last
   one, beside those of `every` if that is given; 0: none by the clock.  Rank 0's clock decides, one that nobody can set.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  a negative number, or one that is not finite */
RUNG_EXTERN PetscErrorCode RungStepperSetCheckpointSeconds(RungStepper stepper, PetscReal seconds);
/* RungStepperSetRestart - Solve goes on from a checkpoint instead of starting at t0, on any number of ranks; series,
   tables, counters and integrals of rates go on too.
   In      path   NULL, "": start
           force  the equations may have changed (RungCheckpointOpen); method and parameters never
   Errors  (Solve) those of RungCheckpointOpen; PETSC_ERR_FILE_UNEXPECTED another method; PETSC_ERR_ARG_OUTOFRANGE  a
           checkpoint later than t1 */
RUNG_EXTERN PetscErrorCode RungStepperSetRestart(RungStepper stepper, const char path[], PetscBool force);
RUNG_EXTERN PetscErrorCode RungStepperSetUp(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperView(RungStepper stepper, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungStepperDestroy(RungStepper *stepper);

/* ---- work ------------------------------------------------------------------------------------------------------- */

/* RungStepperSolve - advance from t0 to t1.  Collective.

   Starts the system at t0, unless a former Solve ended there: then the run goes on, with sums of rates, tables, series and logs of
   events as they are; statistics, steps and counts of events begin with each Solve.  What starts anew replaces the files of a former run.
   SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 or SIGXCPU on any rank ends the run after the step in hand, with those outputs
   of it that are written: a checkpoint is made where one was asked for, tables are finished, series get the last state, Solve returns without an error, RungStepperGetReason() tells.  From then on
   every Solve of the process returns at once and changes nothing, so that a program that calls it in a loop comes to its
   end, and the exit status is 128 + signal.  A second signal ends the process at once.  See RungSignalsCatch().  mpiexec
   hands SIGUSR1 on; after SIGTERM and SIGINT it leaves the ranks one second (Open MPI: --mca odls_base_sigkill_timeout S).
   Errors  PETSC_ERR_NOT_CONVERGED  "gave up at t = .., step .., dt = ..": why; the accepted levels stay */
RUNG_EXTERN PetscErrorCode RungStepperSolve(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperGetReason(RungStepper stepper, RungStepperReason *reason);
/* RungStepperGetState - accepted level, 0 the newest; lent, read only. */
RUNG_EXTERN PetscErrorCode RungStepperGetState(RungStepper stepper, PetscInt back, const RungState **state);
/* RungStepperInterpolate - u^(k), k = 0 .. order, at t between the two newest levels, into u[] (own Vecs of the system).

       k < order of the unknown: Hermite in (u^(k), u^(k+1)): a cubic of order 3, of methods of order 5 and more a quartic through the level before, of dopri54 and dop853 their own of order 4 and 7
       the highest rate: linear, of methods of a higher order than 2 the derivative of these
       algebraic entries: a parabola through a stage inside of the step where the method has one and has just made it; explicit
       methods solve for them; else linear

   Dirichlet entries get the data at t.  Collective.  Errors  PETSC_ERR_ARG_OUTOFRANGE  t outside;  PETSC_ERR_ARG_IDN  a Vec twice */
RUNG_EXTERN PetscErrorCode RungStepperInterpolate(RungStepper stepper, PetscReal t, const Vec u[]);
RUNG_EXTERN PetscErrorCode RungStepperGetStatistics(RungStepper stepper, RungStepperStatistics *statistics);
/* RungStepperGetQuantity - value of a quantity at the newest level, or of a rate's integral since the start.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperGetQuantity(RungStepper stepper, const char name[], PetscReal *value);
