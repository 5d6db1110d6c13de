/* tableau_impl.h - coefficients of Runge-Kutta methods whose stages are found one by one, and sums over stages. */
#pragma once

#include <rungmethod.h>

typedef struct {
  const char      *name, *key; /* "esdirk43", "esdirk436l2sa_6_3_4"                                          */
  PetscInt         stages;
  PetscInt         order, embedded; /* embedded: order of the embedded method, 0 without one                      */
  PetscInt         stage_order;
  PetscReal        limit;            /* R(inf)                                                                     */
  PetscReal        embedded_limit;   /* the same of the embedded method; PETSC_INFINITY where unbounded            */
  PetscBool        stiffly_accurate; /* a row of A at c = 1 equals b: see RungTableauFinal()                       */
  const PetscReal *c, *a, *b, *bhat; /* [i]; [i (i + 1)/2 + j], j <= i; [i]; [i] or NULL                           */
  const char      *citation;
} RungTableau;

PetscErrorCode RungTableauGetAll(PetscInt *n, const RungTableau **tableaux);     /* lent, static */
PetscErrorCode RungExplicitGetAll(PetscInt *n, const RungTableau **tableaux);    /* the same of explicit ones */
PetscErrorCode RungTableauFind(const char name[], const RungTableau **found);    /* by name or key; NULL if none */
PetscReal      RungTableauA(const RungTableau *tableau, PetscInt i, PetscInt j); /* 0 above the diagonal */
/* The stage whose value is the end of the step, -1 for methods that are not stiffly accurate. */
PetscInt RungTableauFinal(const RungTableau *tableau);
/* Half the angle about the negative axis in which |R| <= 1, in whole degrees, as far as a scan of rays tells: 90, A-stable. */
PetscReal RungTableauAngle(const RungTableau *tableau);
/* How many times the estimate the error of  u' = lambda u,  lambda < 0 or imaginary, is in the step whose estimate is 1e-4. */
PetscReal RungTableauHides(const RungTableau *tableau);
/* The largest |z| up to which |R| <= 1 on the ray with this cosine between it and the positive axis, explicit methods. */
PetscReal RungTableauReach(const RungTableau *tableau, PetscReal cosine);
/* For RungStepperOps: names and keys of all, what others call them. */
extern const char *const RungTableauNames[], *const RungTableauKeys[];
extern const char *const RungExplicitNames[], *const RungExplicitKeys[];
extern const RungMethodSynonym RungTableauSynonyms[], RungExplicitSynonyms[];
extern const RungMethodAlias   RungTableauAliases[], RungExplicitAliases[];

/* A row of imex.def; c of both parts are the sums of rows. */
typedef struct {
  const char      *name, *key, *citation; /* key: of the implicit part in tableaux.def; NULL: it is `own`           */
  RungTableau      own;                   /* without c                                                              */
  PetscInt         stages;
  const PetscReal *a, *b; /* explicit part: [i (i - 1)/2 + j], j < i; [i], NULL: b of the implicit part               */
} RungImexRow;

/* A row of rosenbrock.def, whose symbols rosenbrock.c tells. */
typedef struct {
  const char      *name, *key;
  PetscInt         stages, order, embedded, w_order; /* w_order: with a matrix that is not dF/du            */
  PetscReal        limit;                            /* R(inf)                                              */
  PetscBool        index1;                           /* algebraic unknowns have its order                   */
  PetscReal        gamma;
  const PetscReal *c, *d, *a, *C, *m, *e; /* a, C: [i (i - 1)/2 + j], j < i; e NULL: none        */
  const char      *citation;
} RungRosenbrockRow;

PetscErrorCode RungImexGetAll(PetscInt *n, const RungImexRow **rows);                  /* lent, static */
PetscErrorCode RungImexImplicit(const RungImexRow *row, const RungTableau **implicit); /* the implicit part, lent */
PetscErrorCode RungRosenbrockGetAll(PetscInt *n, const RungRosenbrockRow **rows);      /* lent, static */

/* stage.c: F(t, line(w)) = 0 for w with the matrix of the last RungStageLinearise(), which is dF/dw for all w.  at: as for
   RungStageApplyStep(), h times an error of w being one of at[0], at order 2 of at[1] and h^2 times it one of at[0]; NULL: to the
   tolerance of the solver.  Counted; r, x: work. */
PetscErrorCode RungStageFindRates(RungStepper stepper, PetscReal t, const RungLine *line, const Vec at[2], PetscReal h,
                                  Vec r, Vec x, Vec w, RungVerdict *verdict);
/* stage.c: RungStageApplyStep() for highest rates x, h times an error of which is one of at[0], as for FindRates. */
PetscErrorCode RungStageApplyRates(RungStepper stepper, Vec b, const Vec at[2], PetscReal h, Vec x,
                                   RungVerdict *verdict);
/* y += scale sum_j<n weight_j k_j; y = x + scale sum_j<n weight_j k_j.  At most RUNG_MAX_STAGES terms; collective. */
/* stage.c: PETSC_ERR_SUP with its name where an algebraic unknown is not determined by F = 0 at a level together with the highest rates, as
   by constraints of index 2. */
PetscErrorCode RungStageCheckRegular(RungStepper stepper, const RungState *level);
/* stage.c, for stages that are linear solves.  Explain: adds to a verdict what is not finite of F at u[k], all of them as they are, if
   something is.  CheckLevel: F is finite where the step ends, or the verdict says that it is not; r is overwritten. */
PetscErrorCode RungStageExplain(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict);
PetscErrorCode RungStageCheckLevel(RungStepper stepper, const RungState *to, Vec r, RungVerdict *verdict);
PetscErrorCode RungStageAdd(Vec y, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[]);
PetscErrorCode RungStageAdvance(Vec x, PetscReal scale, PetscInt n, const PetscReal weight[], const Vec k[], Vec y);
/* Boundary entries of u, a k-th derivative, are those of the data at t; defect: what that changed, NULL: not wanted.  Collective. */
PetscErrorCode RungStageImpose(RungSystem sys, PetscReal t, PetscInt k, Vec u, Vec defect);

/* ---- guesses: stage_guess.c ------------------------------------------------------------------------------------------- */

/* What is known before a stage is solved for. */
typedef struct {
  const RungTableau *tableau;     /* times and implicit coefficients                              */
  PetscInt           stage;       /* i                                                            */
  PetscReal          h;           /* of the step                                                  */
  Vec                start;       /* lent: u_n                                                    */
  Vec                known;       /* lent: p, all of u_i but h a_ii k_i                           */
  const Vec         *k;           /* lent, [stage before i]: rates of implicit terms              */
  const PetscInt    *entry_order; /* lent, [local entry] of time derivatives; NULL: all have some */
} RungStageRates;

/* *guess: x, a guess for u_i without its boundary values, or NULL where earlier stages lead to none, or nothing is solved by iteration.
   x is overwritten.  Collective.
   Takes - stage.c: can a solve inside of a step make use of a guess? */
PetscErrorCode RungStageGuess(RungStepper stepper, const RungStageRates *rates, Vec x, Vec *guess);
PetscErrorCode RungStageTakesGuess(RungStepper stepper, PetscBool *takes);

/* ---- boundary values of conserved terms: stage_density.c -------------------------------------------------------------- */

/* Zeros: no boundary data of a conserved term move. */
typedef struct {
  RungSystem sys;                   /* lent                                                       */
  Vec        start;                 /* owned: q(g_n); NULL: there are none, and calls do nothing  */
  Vec        rate[RUNG_MAX_STAGES]; /* owned, [stage] (q o g)' at its time                        */
  Vec        work;                  /* owned                                                      */
} RungStageDensity;

PetscErrorCode RungStageDensityCreate(RungSystem sys, PetscInt stages, RungStageDensity *density);
PetscErrorCode RungStageDensityDestroy(RungStageDensity *density);
/* Start: q of the level's boundary values.  Rate: of the data at t, for stage i.  Follow: entries of w with such data have
   q(w) = q(g_n) + h sum_j<n weight_j rate_j, by Newton's method from what w holds. */
PetscErrorCode RungStageDensityStart(RungStageDensity *density, const RungState *from);
PetscErrorCode RungStageDensityRate(RungStageDensity *density, PetscReal t, PetscInt i);
PetscErrorCode RungStageDensityFollow(RungStageDensity *density, PetscReal t, PetscReal h, PetscInt n,
                                      const PetscReal weight[], Vec w);
