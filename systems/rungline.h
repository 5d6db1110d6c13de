/* rungline.h - what methods in time see of a system besides what programs do: lines, verdicts, boundary data, conserved terms, entries.

   rungmethod.h includes it.  All Vecs are of RungSystemCreateVec(). */
#pragma once

#include <rungsystem.h>

/* ---- lines and verdicts ----------------------------------------------------------------------------------------- */

/* u^(k)(w) = base[k] + slope[k * unknowns + f] (w - origin) on the entries of unknown f.  base[k] NULL is zero, origin NULL as well.

   Rates over small steps are differences of values that agree in nearly all digits.  So a method that solves for values has an origin,
   what it knows of them before, and a Vec for w - origin with all its digits, which slopes are multiplied with. */
typedef struct {
  Vec       base[RUNG_MAX_ORDER + 1];
  PetscReal slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  Vec       origin;
  Vec       increment; /* w - origin, where there is an origin */
  Vec       guess;     /* what w is at first, if that matters; NULL: what it holds */
} RungLine;

/* What became of a solve, or of an attempt at a step. */
typedef struct {
  PetscBool solved;    /* else `why` says what failed; the caller decides what to do about it       */
  PetscReal error;     /* weighted norm of the local error, accepted up to 1; negative where unknown */
  RungCause cause;     /* of what is not solved                                                     */
  char      why[1536]; /* one phrase in lower case                                                  */
} RungVerdict;

/* RungVerdictFail - not solved, for a reason of the method that is written as printf() writes.  Not collective. */
RUNG_EXTERN void RungVerdictFail(RungVerdict *verdict, const char format[], ...);

/* y = sum_j c[j] x[j]; terms with c[j] = 0 are not read, one with 1 is copied bit for bit.  Not collective. */
RUNG_EXTERN PetscErrorCode RungCombine(Vec y, PetscInt n, const PetscReal c[], const Vec x[]);

/* ---- F ---------------------------------------------------------------------------------------------------------- */

/* F = R(t, u, u', u'') + dm/dt with conserved terms kept whole:  r = R + slope_1 m(t, u),  row f of m weighted with
   slope[1 * unknowns + f].  Without conserved terms this is RungSystemResidual(). */
RUNG_EXTERN PetscErrorCode RungSystemStageResidual(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[],
                                                   Vec r);
RUNG_EXTERN PetscErrorCode RungSystemConserved(RungSystem sys, PetscReal t, Vec u, Vec m); /* m = integral of q(u) v */

/* ---- boundary data ---------------------------------------------------------------------------------------------- */

/* Dirichlet data of level t: the k-th time derivative of g, exact (symbolic).  Slaves of constraints are among the rows,
   with c^(k)(t); imposing makes them follow their masters in u. */
RUNG_EXTERN PetscErrorCode RungSystemGetDirichlet(RungSystem sys, PetscReal t, PetscInt k, IS *rows,
                                                  Vec *values); /* both given */
RUNG_EXTERN PetscErrorCode RungSystemImposeDirichlet(RungSystem sys, PetscReal t, PetscInt k,
                                                     Vec u); /* u[rows] = g^(k)(t) */
/* RungSystemExtend - d_s += C d_m: what a solution of a linear system with J leaves out, because J has the identity for
   slaves.  The solver of RungSystemSetSolverDefaults does it after every solve, unless unknowns have bounds: then it may solve on
   a subspace, and whoever calls it lets slaves follow.  Without constraints d stays. */
RUNG_EXTERN PetscErrorCode RungSystemExtend(RungSystem sys, Vec d);
/* Boundary data of what is conserved.  HasDensity: conserved terms dt(q(u, x, t))*v hold a scalar unknown with moving Dirichlet data
   alone.  The others fill its Dirichlet entries and leave all others as they are:
     Density        q(u)
     DensityRate    d/dt q(g(t)) with the data g; work is overwritten
     InvertDensity  u with q(u) = q, by Newton's method from u, which stays where there is none; q is overwritten
   HasDensity is collective. */
RUNG_EXTERN PetscErrorCode RungSystemHasDensity(RungSystem sys, PetscBool *has);
RUNG_EXTERN PetscErrorCode RungSystemDensity(RungSystem sys, PetscReal t, Vec u, Vec q);
RUNG_EXTERN PetscErrorCode RungSystemDensityRate(RungSystem sys, PetscReal t, Vec work, Vec rate);
RUNG_EXTERN PetscErrorCode RungSystemInvertDensity(RungSystem sys, PetscReal t, Vec q, Vec u);

/* ---- entries ---------------------------------------------------------------------------------------------------- */

/* Local entries of unknown f.  Not collective. */
RUNG_EXTERN PetscErrorCode RungSystemGetRange(RungSystem sys, PetscInt f, PetscInt *start, PetscInt *end);
/* 1 where the error test looks: free and differential entries; lent. */
RUNG_EXTERN PetscErrorCode RungSystemGetErrorMask(RungSystem sys, Vec *mask);
/* order[local entry]: the highest time derivative of each entry, 0 where algebraic: the order of its unknown, unless the form
   holds no rate of its component at its node, or the app says otherwise.  The caller's (PetscFree).  Collective. */
RUNG_EXTERN PetscErrorCode RungSystemGetOrders(RungSystem sys, PetscInt **order);
