/* rungverify.h - evidence: errors against exact solutions, observed orders as intervals, temporal studies, derivative
   tests, and a registry of problems. */
#pragma once

#include <rungstep.h>

typedef struct _p_RungStudy *RungStudy;

/* ---- reference problems --------------------------------------------------------------------------------------- */

/* A problem that any stepper can be tried on.  Those of the library are problem files (RungCaseReadFiles() of rungreader.h), a program
   may make its own.  All strings are lent. */
typedef struct _RungCase RungCase;
struct _RungCase {
  const char *name;       /* "relaxation"                                          */
  const char *about;      /* one line with the equation                            */
  const char *file;       /* where it is told, NULL: create knows                  */
  const char *unknown;    /* the unknown whose error is measured                   */
  const char *exact;      /* its exact solution in x, t and the system's constants;
                           NULL: a refined run takes its place                   */
  const char *ladder;     /* default steps, "0.1,0.05,0.025,0.0125"                */
  const char *type;       /* default stepper; NULL: the one of the method          */
  const char *method;     /* NULL: the system's own                                */
  PetscReal   start, end; /* default interval                                      */
  PetscReal   rounding;   /* > 0: every method must be exact to this relative error */
  PetscErrorCode (*create)(MPI_Comm comm, const RungCase *problem, RungSystem *sys); /* with mesh, options read      */
};

/* RungCaseRegister - add a problem; the struct is copied, its strings are lent for the life of the process.
   Not collective.  Errors: PETSC_ERR_ARG_WRONG the name is taken. */
RUNG_EXTERN PetscErrorCode RungCaseRegister(const RungCase *problem);
/* RungCaseFind - the problem of a name; an unknown name is an error with the nearest one and the list.  Collective on
 * comm. */
RUNG_EXTERN PetscErrorCode RungCaseFind(MPI_Comm comm, const char name[], const RungCase **problem);
/* RungCaseGetAll - the registry in order of registration; lent.  Not collective. */
RUNG_EXTERN PetscErrorCode RungCaseGetAll(PetscInt *n, const RungCase **problems);

/* ---- norms ---------------------------------------------------------------------------------------------------- */

/* RungNorm - a norm of an unknown of a Vec of the system.

       L2    sqrt( integral |u|^2 )         H1    sqrt( integral |u|^2 + |grad u|^2 )
       max   largest absolute value of a degree of freedom

   Collective.
   In      sys    set up, made of forms
           name   of an unknown
           norm   "L2", "H1" or "max"
           u      Vec of the system
   Out     value
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such norm or unknown, with the nearest spelling */
RUNG_EXTERN PetscErrorCode RungNorm(RungSystem sys, const char name[], const char norm[], Vec u, PetscReal *value);

/* RungError - distance of an unknown to an expression, and the norm of the expression, at time t.

       error = | u_h - exact |,   size = | exact |      in `norm` as in RungNorm (max: at the nodes)

   Collective.  In  exact  text in x, t, constants and definitions of the system, of the unknown's shape.
   Errors as RungNorm, and those of parsing;  PETSC_ERR_ARG_WRONG  unknowns in it */
RUNG_EXTERN PetscErrorCode RungError(RungSystem sys, const char name[], const char norm[], const char exact[],
                                     PetscReal t, Vec u, PetscReal *error, PetscReal *size);

/* ---- orders --------------------------------------------------------------------------------------------------- */

/* RungRate - the order p of error = C h^p by least squares in logarithms, with its 95 % confidence interval

       p -+ t_{0.975, n - 2} s_p,   s_p^2 = sum residual^2 / (n - 2) / sum (log h - mean)^2       (Student's t)

   n = 2: the slope of the pair, low = high = NaN.  Errors that are zero or not finite: all three NaN.  Not collective.
 */
RUNG_EXTERN PetscErrorCode RungRate(PetscInt n, const PetscReal h[], const PetscReal error[], PetscReal *order,
                                    PetscReal *low, PetscReal *high);

/* RungTaylorTest - the slope of | F(u + e du) - F(u) - e J du | over e, 2 for a right Jacobian (3 and more where the
   second derivative vanishes; +Inf where the remainder is rounding, as for an affine F).  Dirichlet dofs are not
   perturbed.

   Collective.  In  sys set up; t; u[k], k <= order; sigma as RungSystemJacobian, all derivatives moved along u^(k) =
   sigma_k du. Reference  P. E. Farrell et al., SIAM J. Sci. Comput. 35 (2013) C369-C393. */
RUNG_EXTERN PetscErrorCode RungTaylorTest(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                          PetscReal *rate);

/* ---- temporal studies ------------------------------------------------------------------------------------------ */

/* A study runs one problem with one stepper on a ladder of steps.  Options:
     -case NAME  -study_dt 0.2,0.1,..  -study_norm L2|H1|max  -study_refine n (reference run: smallest step over 2^n)
     -study_json NAME.json  -study_csv NAME.csv  -study_plot NAME.png (endings may be left away; other files there are refused)
     -study_expect p -study_slack s (the interval must meet [p - s, p + s])  -study_expect_error e (largest step's
   error, 3 digits) */
RUNG_EXTERN PetscErrorCode RungStudyCreate(MPI_Comm comm, RungStudy *study);
RUNG_EXTERN PetscErrorCode RungStudySetCase(RungStudy study, const char name[]);
/* Different steps, in any order, none longer than the run; two or more where an order is expected. */
RUNG_EXTERN PetscErrorCode RungStudySetLadder(RungStudy study, PetscInt n, const PetscReal dt[]);
RUNG_EXTERN PetscErrorCode RungStudySetNorm(RungStudy study, const char norm[]);
/* The stepper of every level; NULL type: that of the method; both NULL: the problem's own.  Options override, but for steps and tolerances,
   which would make another ladder: the run is refused then (PETSC_ERR_ARG_INCOMP). */
RUNG_EXTERN PetscErrorCode RungStudySetStepper(RungStudy study, RungStepperType type, const char method[]);
RUNG_EXTERN PetscErrorCode RungStudyExpect(RungStudy study, PetscReal order, PetscReal slack);
RUNG_EXTERN PetscErrorCode RungStudySetFromOptions(RungStudy study);
RUNG_EXTERN PetscErrorCode RungStudyRun(RungStudy study);
/* Errors (relative) of the levels in the order given, order and interval; lent.  Any may be NULL. */
RUNG_EXTERN PetscErrorCode RungStudyGetResults(RungStudy study, PetscInt *n, const PetscReal **dt,
                                               const PetscReal **error, PetscReal *order, PetscReal *low,
                                               PetscReal *high);
/* Whether every stated expectation holds (true when none is stated). */
RUNG_EXTERN PetscErrorCode RungStudyGetPassed(RungStudy study, PetscBool *passed);
/* Table on the viewer, and the files that options asked for. */
RUNG_EXTERN PetscErrorCode RungStudyView(RungStudy study, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungStudyDestroy(RungStudy *study);
