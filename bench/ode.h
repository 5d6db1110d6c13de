/* ode.h - the problems of ode.c, as both sides know them. */
#pragma once

typedef enum { ODE_ROBERTSON, ODE_VAN_DER_POL, ODE_KINETICS, ODE_BRUSSELATOR, ODE_LORENZ } OdeKind;

#define ODE_CELLS     500 /* of the Brusselator                                              */
#define ODE_MOST      (2 * (ODE_CELLS + 1))
#define ODE_STIFFNESS 1000 /* mu of Van der Pol's oscillator                                  */
#define ODE_DIFFUSION 0.02

/* ode_cvode.c - from the start of the problem to its end by CVODE, with dense Newton (the Brusselator: banded), f and J in C.
   In      factor[3]  of the rate constants of kinetics
   Out     y          the end; size of an array of ODE_MOST numbers at least
           seconds    CPU time from the first step on, without what is made before
   Returns how many numbers y has; 0: CVODE gave up */
int ode_cvode(OdeKind kind, double end, double rtol, double atol, const double factor[3], double y[], double *seconds);

/* ode_arkode.c - Lorenz' equations by ARKODE's explicit pair of Dormand and Prince, as ode_cvode(). */
int ode_arkode(double end, double rtol, double atol, const double factor[3], double y[], double *seconds);
