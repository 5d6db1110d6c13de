/* rungsystem_method.h - what a system gives to a method in time besides F and its Jacobian: products with J that see boundary
   data, and the derivative by t.  For who writes methods; programs that run them need rungsystem.h alone. */
#pragma once

#include <rungsystem.h>

/* F as it is, or without what stands inside of explicit(..):  F = F_implicit + e. */
typedef enum { RUNG_ALL, RUNG_IMPLICIT } RungSystemPart;

/* RungSystemAction - y = J x,  J = sum_k sigma[k * unknowns + g] dF/du_g^(k),  F that of RungSystemResidual().

   All columns count, those of entries with boundary data and of slaves of constraints too: x holds what they do.  Rows of
   both are 0 in y, rows of slaves have been added to those of their masters.
   Forms: exact, by kernels of their own; no matrix is made.  Callbacks: exact where they give all Jacobians (of what
   is explicit or conserved, too), which is assembled for each call; else a central difference along x, to about ten digits.
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
   of |t| and 1) and is divided by 8, up to 32 times, as long as that brings two neighbouring results nearer to each other; or
   multiplied by 8, where the first two are parted by rounding.
   F is evaluated on both sides of t.  About ten digits of what t changes.
   Within - the same, of who knows a time over which F may change, a step: d begins with it (0: as above).
   Collective.
   Out     r      another Vec than the u[k]
   Errors  PETSC_ERR_ARG_IDN  r is one of the u[k]
           PETSC_ERR_ORDER    an unknown of another system whose rate was never given, RungSystemSetCoupled() */
RUNG_EXTERN PetscErrorCode RungSystemTimeDerivative(RungSystem sys, PetscReal t, const Vec u[], Vec r);
RUNG_EXTERN PetscErrorCode RungSystemTimeDerivativeWithin(RungSystem sys, PetscReal t, PetscReal within, const Vec u[],
                                                          Vec r);

/* RungSystemHasExplicit - is there an explicit(..) in the form, or an explicit callback?  Collective.
   RungSystemExplicit - e(t, u), the terms inside of explicit(..) with the sign that they have in F; rows of boundary data and of slaves
   are 0.  0 without such terms.  Collective.  Out  e  another Vec than the u[k] */
RUNG_EXTERN PetscErrorCode RungSystemHasExplicit(RungSystem sys, PetscBool *has);
RUNG_EXTERN PetscErrorCode RungSystemExplicit(RungSystem sys, PetscReal t, const Vec u[], Vec e);

/* RungSystemSetExplicitCallback - of callback systems: F = residual + function, which depends on u alone and is what a method with two
   parts takes from values that it knows.  The Jacobian callback of RungSystemSetCallbacks() is that of the residual without it, the
   traits there are those of F.  Before SetUp.  Collective.
   In      function  has no part in rows of algebraic entries
           jacobian  NULL: differences, wherever F as a whole is solved for
           traits    of F without function; linear, constant_jacobian, constant_block, symmetric, definite are read
   Errors  PETSC_ERR_ARG_NULL  no function */
RUNG_EXTERN PetscErrorCode RungSystemSetExplicitCallback(RungSystem sys, RungResidualFn *function,
                                                         RungJacobianFn *jacobian, RungTraits traits);

/* RungSystemLumpedMass - d_i = sum_j J_ij over the columns of the same component of the same unknown, those of given entries too, with J as of
   RungSystemAction(); sigma has the weights of rates alone.  On tensor cells this is the Gauss-Lobatto rule at the nodes of Q spaces, on
   affine cells; entries with boundary data and slaves of constraints have 1, algebraic ones what their rows say, 0 as a rule.
   Collective.
   Errors  PETSC_ERR_SUP  a sum of an entry with a rate that is not positive, with element and node (P2 on simplices, ..); a mass that joins
           components or unknowns */
RUNG_EXTERN PetscErrorCode RungSystemLumpedMass(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                Vec d);
