/* rungsolve_room.h - what the rooms above need of solving besides what programs do: the norm of errors, and one solve of F = 0 on a
   line.  Not installed, not exported. */
#pragma once

#include <rungsystem_room.h>

/* ---- the norm of errors: groups of entries, their tolerances, the largest values seen so far --------------------------- */

typedef struct _RungWeights *RungWeights;

/* A tolerance that is not given: rtol is that of all unknowns, atol is rtol times the largest value seen so far. */
#define RUNG_AUTOMATIC (-1.0)

/* What is measured; all Vecs are lent.  Index k is the derivative in time: 0 of u, 1 of v = u' of unknowns of order 2. */
typedef struct {
  Vec error[2];  /* of free entries; error[1] NULL: u alone                                                        */
  Vec defect[2]; /* of entries with data; NULL: none                                                               */
  Vec from[2];   /* u^(k) where the step begins                                                                    */
  Vec to[2];     /* .. and where it ends; NULL: the scale is that of `from` alone                                  */
  Vec mask;      /* entries of `error` that count; NULL: all                                                       */
  PetscBool
    brief; /* no level is going to be accepted by it: what it sees is kept in mind only where atol follows it  */
  /* Values of `to` count in scales up to growth times the largest seen before; 0: as they are.  Where nothing was seen, h |rate| takes
     its place: u^(k + 1) where the step begins, and the length of the step.  rated: only of unknowns with a rate; others begin as what rounding
     leaves, and have no rate that says how far they get. */
  PetscReal growth, h;
  PetscBool rated;
  Vec       rate[2];
  PetscBool stable; /* no linear term outside of explicit() makes values grow in a step, however long it is */
} RungMeasured;

/* RungWeightsCreate - without tolerances; of the system, which the caller keeps.  Collective, as Destroy. */
RUNG_INTERN PetscErrorCode RungWeightsCreate(RungSystem sys, RungErrorNormType norm, RungWeights *weights);
RUNG_INTERN PetscErrorCode RungWeightsDestroy(RungWeights *weights);
/* Of component c of u_f^(k); a negative number: not given. */
RUNG_INTERN PetscErrorCode RungWeightsSet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal rtol,
                                          PetscReal atol);
/* RungWeightsSetEntries - the atol of each entry, copied; RungWeightsSet() of an atol of the value takes it back for its component. */
RUNG_INTERN PetscErrorCode RungWeightsSetEntries(RungWeights weights, Vec atol);
/* Given: of these calls, of a rate those of the value where it has none; atol is negative where it follows what was seen. */
RUNG_INTERN PetscErrorCode RungWeightsGiven(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol,
                                            PetscReal *atol);
/* Tolerances of entries whose rtol is below 1e-4 are multiplied with (rtol/1e-4)^power, 0 at first: 1/p has a method of order p whose
   estimate is O(h^(p+1)) make errors in proportion to rtol, and none larger at 1e-4. */
RUNG_INTERN void RungWeightsSetPower(RungWeights weights, PetscReal power);
/* The tolerances in use now, without that factor; atol depends on what was seen. */
RUNG_INTERN void RungWeightsGet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol,
                                PetscReal *atol);
/* Largest |u_f^(k)| of the levels accepted so far, [f * 2 + k], and behind them of each component that has a size of its own; RungWeightsSizes()
   numbers, lent to whoever saves a run. */
RUNG_INTERN const PetscReal *RungWeightsSeen(RungWeights weights);
RUNG_INTERN PetscInt         RungWeightsSizes(RungWeights weights);
/* RungWeightsResume - what was seen is that, and the level at t was the last to be accepted: a run that was saved goes on. */
RUNG_INTERN void RungWeightsResume(RungWeights weights, PetscReal t, const PetscReal seen[]);
/* RungWeightsRounding - what rounding leaves in u_f^(k), as far as it is known: atol that follows the values is no less than some times as
   much; lent, read and written by whoever saves a run: [f * 2 + k].
   RungWeightsMayRound - has the last measurement found its largest error where this could be so?  *f: of which unknown.  IsFaint: .. in rates that
   do not change their values in a step of length h?  Rounds: is it so anywhere?  in[f]: in u_f.  Not collective.
   RungWeightsSetRounding - rounding[f * 2 + k] was found; it adds up, as chance does, to that of steps before, of which methods that damp what is
   stiff leave less.  CarryRounding: what is known is that of a step that is accepted. */
RUNG_INTERN PetscReal *RungWeightsRounding(RungWeights weights);
RUNG_INTERN PetscBool  RungWeightsMayRound(RungWeights weights, PetscInt *f);
RUNG_INTERN PetscBool  RungWeightsIsFaint(RungWeights weights, PetscReal h);
RUNG_INTERN PetscBool  RungWeightsRounds(RungWeights weights, PetscBool in[]);
RUNG_INTERN void       RungWeightsSetRounding(RungWeights weights, PetscBool damps, const PetscReal rounding[]);
RUNG_INTERN void       RungWeightsCarryRounding(RungWeights weights);
#define RUNG_LOOKS 16 /* at the data of a run, in equal distances behind its start */
/* Looks at the boundary data of a run, for their rounding, and for data and sources that are yet to come.  until: the look with the largest
   of these, 0 where there are none; a step that goes from the start to behind it would not know of them.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsSurvey(RungWeights weights, PetscReal t0, PetscReal t1, PetscInt *until);
/* RungWeightsGetSurvey - all that was found, of n unknowns 3 + 3 n numbers that are at least 0 but for the first two, for whoever saves a run.
   SetSurvey - the next look at the same interval finds that, whatever events have made of constants.  Not collective. */
RUNG_INTERN void RungWeightsGetSurvey(RungWeights weights, PetscReal number[]);
RUNG_INTERN void RungWeightsSetSurvey(RungWeights weights, const PetscReal number[]);
/* Begins anew with a level; without `anew` what was seen stays if this level was the last to be accepted. */
RUNG_INTERN PetscErrorCode RungWeightsStart(RungWeights weights, const RungState *level, PetscBool anew);
/* The newest level has other values now: data have jumped, events have changed it.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsRenew(RungWeights weights, const RungState *level);
/* An attempt to get to t, the last that was measured if it was `solved`, has been refused.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsRefuse(RungWeights weights, PetscReal t, PetscBool solved);
/* The last measurement belongs to a level that has been accepted.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsAccept(RungWeights weights, const RungState *level);
/* The largest of the groups' norms, accepted up to 1; infinite where anything is not finite.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsMeasure(RungWeights weights, const RungMeasured *measured, PetscReal *error);
/* RungWeightsWantRates - is RungWeightsMeasure() going to look at measured->rate?  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsWantRates(RungWeights weights, const RungMeasured *measured, PetscBool *want);
/* The same of any x^(k), by the scales of the newest measurement, which stays what is told of.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsSize(RungWeights weights, const Vec x[2], PetscReal *size);
/* |e|_G of all n groups in the newest measurement; lent. */
RUNG_INTERN const PetscReal *RungWeightsValues(RungWeights weights, PetscInt *n);
/* |e|_G of the newest measurement's largest groups: up to n of them, the largest first. */
RUNG_INTERN PetscInt RungWeightsLargest(RungWeights weights, PetscInt n, PetscInt group[]);
/* "u", "dt(u)", "data of u" */
RUNG_INTERN PetscErrorCode RungWeightsName(RungWeights weights, PetscInt group, char text[], size_t size);
/* A line on the n groups that the last measurement found largest, each with its three largest entries.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsExplain(RungWeights weights, PetscInt n, char text[], size_t size);
/* "; |y[2]| is at most .." and how it gets an atol of its own, of a component of a vector that was below the atol of its largest one
   at the start of the step that was measured last; nothing where there is none.  Collective. */
RUNG_INTERN PetscErrorCode RungWeightsTellUnresolved(RungWeights weights, char text[], size_t size);
/* RungWeightsTellLow - a component at points that has been below the tolerance which follows its values, and has come back, in words, one of each
   unknown and that once; "": there is none.  Not collective. */
RUNG_INTERN PetscErrorCode RungWeightsTellLow(RungWeights weights, char text[], size_t size);

/* RungVerdictBlame - not solved, for another cause than the method.  Not collective. */
RUNG_INTERN void RungVerdictBlame(RungVerdict *verdict, RungCause cause, const char format[], ...);

/* ---- F = 0 on a line ------------------------------------------------------------------------------------------------ */

/* RungLineSolver - the one solver of

       F(w) = R(t, u(w), u'(w), u''(w)) + slope_1 m(t, u(w)) + load = 0,    u^(k)(w) = base_k + slope_k w:

   Newton's method, or one solve where F is linear.  Matrices and factors are kept where they may be, internal variables are
   eliminated, slaves of constraints follow, bounds are kept. */
typedef struct _RungLineSolver *RungLineSolver;

typedef struct {
  PetscInt    matrices; /* distinct slopes that come again; kept apart only where the Jacobian is constant          */
  PetscBool   masses;   /* slopes of the highest rates alone: explicit methods                                     */
  PetscBool   mixes;    /* some slopes are of the highest rates and of unknowns without a rate alone                */
  PetscBool   matches;  /* RungLineMatch() is going to be called                                                    */
  RungWeights weights;  /* lent: solves are as exact as errors in this norm ask; NULL: as exact as can be           */
  PetscReal   rtol;     /* of unknowns without one of their own; not read without weights                           */
} RungLineSolverPlan;

typedef struct {
  PetscInt newton, linear; /* iterations                     */
  PetscInt residuals;      /* evaluations of F               */
  PetscInt jacobians;      /* assemblies                     */
  PetscInt combinations;   /* matrices for another slope without an assembly */
  PetscInt factorisations; /* set-ups of the preconditioner  */
  PetscInt applied;        /* solves with a matrix alone     */
  /* seconds */
  PetscLogDouble assembly, factorisation, solution;
} RungSolveCounts;

/* All collective but TakeCounts; the solver keeps `ts`, which is the caller's. */
RUNG_INTERN PetscErrorCode RungLineSolverCreate(RungTransientSystem ts, const RungLineSolverPlan *plan,
                                                RungLineSolver *solver);
RUNG_INTERN PetscErrorCode RungLineSolverDestroy(RungLineSolver *solver);
/* RungLineSolverForget - whatever solves have left behind is dropped: the next one starts as in a new solver. */
RUNG_INTERN PetscErrorCode RungLineSolverForget(RungLineSolver solver);
/* RungLineSolverTakeCounts - since the last call. */
RUNG_INTERN void RungLineSolverTakeCounts(RungLineSolver solver, RungSolveCounts *counts);
/* RungLineSolverGetSNES - the solver of a nonlinear system; lent. */
RUNG_INTERN PetscErrorCode RungLineSolverGetSNES(RungLineSolver solver, SNES *snes);
/* RungLineSolve - F(w) = 0.  With weights errors are measured from level 0 of the system in time.
   In      load     NULL: 0
   In/Out  w        a guess with the Dirichlet values, then the solution; with an origin line->increment is the guess
   Out     verdict  why there is none; w is void then */
RUNG_INTERN PetscErrorCode RungLineSolve(RungLineSolver solver, PetscReal t, const RungLine *line, Vec load, Vec w,
                                         RungVerdict *verdict);
/* RungLinePredict - puts the boundary values at t into w, a guess for the value at the end of a step, and replaces it by what the
   accepted levels lead to where that is known to be better. */
RUNG_INTERN PetscErrorCode RungLinePredict(RungLineSolver solver, PetscReal t, Vec w);
/* RungLinePredictStage - replaces w, a guess for u at t inside of the step from level 0 with boundary values, where that helps: by
   `stages`, a guess without such values, or, where that is NULL, by what the last step leads to.
   RungLineTakesGuess - does a better guess inside of a step save iterations? */
RUNG_INTERN PetscErrorCode RungLinePredictStage(RungLineSolver solver, PetscReal t, Vec stages, Vec w);
RUNG_INTERN PetscErrorCode RungLineTakesGuess(RungLineSolver solver, PetscBool *takes);
/* RungLineLinearise - W = sum_k slope[k * unknowns + f] dF/du_f^(k) at t and the state u[k], k <= order, by the solver's own choice of
   preconditioner, factored where that factors.  Where no part of W depends on t or the state, matrix and factors of a call with
   the same slopes stay.  Collective.
   Out     verdict  why W cannot be factored
   Errors  PETSC_ERR_SUP  bounds; internal variables whose equations are not linear with constant coefficients; a slope of values
           beside conserved terms that are kept whole
   RungLineApply - x = W^-1 b with the matrix of the last RungLineLinearise(), or J of the last RungLineSolve().  Rows of given entries:
   x = b; slaves of constraints follow their masters without data, x_s = b_s + C x_m; internal variables are solved for, and b, which
   is overwritten then, holds their rows.  To the tolerance of the solver: as exact as can be without weights.  Collective.
   ApplyStep - the same of an x that is a step: with weights an iteration ends where the error test sees 1e-4 of what it accepts.
   Errors  PETSC_ERR_ORDER  neither was called since RungLineSolverCreate() or RungLineSolverForget() */
/* What scale x is: a step of at[0], and rate scale x one of at[1] = v at order 2; at[1] NULL: a step of values alone. */
typedef struct {
  Vec       at[2]; /* lent */
  PetscReal rate, scale;
} RungLineStep;
RUNG_INTERN PetscErrorCode RungLineLinearise(RungLineSolver solver, PetscReal t, const Vec u[], const PetscReal slope[],
                                             RungVerdict *verdict);
RUNG_INTERN PetscErrorCode RungLineApply(RungLineSolver solver, Vec b, Vec x, RungVerdict *verdict);
RUNG_INTERN PetscErrorCode RungLineApplyStep(RungLineSolver solver, const RungLineStep *step, Vec b, Vec x,
                                             RungVerdict *verdict);
/* RungLineFindRates - F(w) = 0 on a line on which W of the last RungLineLinearise() is dF/dw whatever w: one F and one solve.  Where W is a
   diagonal no mass is evaluated.  step: what an error of w is, as for ApplyStep; NULL: to the tolerance of the solver.
   In  r, x  work;  In/Out  w  any, with boundary values; the solution */
RUNG_INTERN PetscErrorCode RungLineFindRates(RungLineSolver solver, PetscReal t, const RungLine *line,
                                             const RungLineStep *step, Vec r, Vec x, Vec w, RungVerdict *verdict);
/* RungLineRounding - what the rounding of the terms of F at t and the state u[k], whose highest rate is not read, leaves in solutions with
   the matrix of the last stage, by measurement: |u_f^(k)| behind a step of length h.  0 where no stage was solved yet.  Collective.
   In      doubt     [f] an unknown without a rate, of which also what solves with that matrix leave counts
   Out     rounding  [f * 2 + k] */
RUNG_INTERN PetscErrorCode RungLineRounding(RungLineSolver solver, PetscReal t, const Vec u[], PetscReal h,
                                            const PetscBool doubt[], PetscReal rounding[]);
/* RungLineTakeDoubt - since it was asked last, has Newton's method waited for unknowns without a rate, whose atol follows their values and which the
   error test does not look at?  These may be rounding: then its steps are, and do not shrink.  solver may be NULL.  Not collective.
   In/Out  doubt  [f] PETSC_TRUE for these, the others stay as they are */
RUNG_INTERN PetscBool RungLineTakeDoubt(RungLineSolver solver, PetscBool doubt[]);
/* RungLineMatch - solves for w:  h R(t, u, (w - u)/h) - h R(t, u, 0) + m(w) = target, the end of a step of length h with conserved terms of
   a method that is not stiffly accurate: m = target in rows with conserved terms, w = u in the others.  w: in a guess. */
RUNG_INTERN PetscErrorCode RungLineMatch(RungLineSolver solver, PetscReal t, PetscReal h, Vec u, Vec target, Vec w,
                                         RungVerdict *verdict);
