/* rungsystem_method.h - what a system gives to a method in time besides F and its Jacobian: products with J that see boundary
   data, and the derivative by t.  For who writes methods; programs that run them need rungsystem.h alone. */
#pragma once

#include <rungsystem.h>

/* RungSystemAction - y = J x,  J = sum_k sigma[k * unknowns + g] dF/du_g^(k),  F that of RungSystemResidual().

   All columns count, those of entries with boundary data and of slaves of constraints too: x holds what they do.  Rows of
   both are 0 in y, rows of slaves have been added to those of their masters.
   Forms: exact, by kernels of their own; no matrix is made.  Callbacks: exact where they give a Jacobian (and that of what is
   conserved), which is assembled for each call; else a central difference along x, to about ten digits.
   Collective.
   In      t, u   u[k] for k <= order;  sigma  [(order + 1) * unknowns]
           x      another Vec than y
   Out     y      another Vec than the u[k].  Not finite where F or J is not
   Errors  PETSC_ERR_ARG_IDN  y is one of the others
           PETSC_ERR_SUP      the chain rule on conserved callbacks without dm/du */
RUNG_EXTERN PetscErrorCode RungSystemAction(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x,
                                            Vec y);

/* RungSystemTimeDerivative - r = dF/dt while all u^(k) stay; rows of boundary data and of slaves are 0.

   Forms: exact, by the quadrature rules of F: t itself, tables, decisions piece by piece, unknowns of other systems and fields by
   their rates; a field without a rate stays as it is, constants too.  Boundary data do not count: they are values of u.
   Callbacks: central differences (F(t + d) - F(t - d))/2d.  d begins with |u|/|u'| (where one of the two is 0: with the larger
   of |t| and 1) and is divided by 8, up to 16 times, as long as that brings two neighbouring results nearer to each other;
   F is evaluated on both sides of t.  About ten digits of what t changes.
   Collective.
   Out     r      another Vec than the u[k]
   Errors  PETSC_ERR_ARG_IDN  r is one of the u[k]
           PETSC_ERR_ORDER    an unknown of another system whose rate was never given, RungSystemSetCoupled() */
RUNG_EXTERN PetscErrorCode RungSystemTimeDerivative(RungSystem sys, PetscReal t, const Vec u[], Vec r);
