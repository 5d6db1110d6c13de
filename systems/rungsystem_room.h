/* rungsystem_room.h - what the rooms above need of systems besides what programs do: a system in time, its levels and their
   history, lines, the inside of a solve, checkpoints.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>
#include <rungline.h>
#include <rungrecord.h>
#include <rungsystem_method.h>

typedef struct _p_RungTransientSystem *RungTransientSystem;
typedef struct _p_RungCheckpoint      *RungCheckpoint;
typedef struct _p_RungChange          *RungChange; /* a text that goes into an unknown or constant */

#define RUNG_MAX_PARTS 256 /* components at points that have a size of their own, of values and of rates */

/* ---- a system ------------------------------------------------------------------------------------------------- */

/* Whether there is a bound at all; on the f-th unknown.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemHasBounds(RungSystem sys, PetscBool *has);
RUNG_INTERN PetscErrorCode RungSystemHasBoundsOn(RungSystem sys, PetscInt f, PetscBool *has);
/* Both bounds at time t, +-PETSC_INFINITY where there is none.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemGetBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper);
/* Refuses a vector that is not of the system's size on each of its ranks, alike on all of them: what, in words.  Not collective.
   Errors  PETSC_ERR_ARG_NULL, PETSC_ERR_ARG_SIZ, PETSC_ERR_ARG_NOTSAMECOMM */
RUNG_INTERN PetscErrorCode RungSystemCheckVec(RungSystem sys, Vec x, const char what[]);
/* r = 0 on Dirichlet entries.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemZeroDirichlet(RungSystem sys, Vec r);
/* RungSystemIsSetUp - whether setters come too late.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemIsSetUp(RungSystem sys, PetscBool *set);
/* One more owner.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemReference(RungSystem sys);
/* The sum of the residuals so far; systems of forms only. */
RUNG_INTERN PetscErrorCode RungSystemGetResidual(RungSystem sys, RungExpr *expr);
/* RungSystemTellField - what the values of a field come from, as a text that checkpoints hold: a run that goes on with another one is
   refused.  For fields that stay; copied.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemTellField(RungSystem sys, RungField field, const char text[]);
/* RungSystemSetCoupledPath - a coupling follows the other system in time from now on, until RungSystemSetCoupled(): from level u0[k]
   at t0 to u1[k] at t1, k <= order of the other system.  In between k-th derivatives are the cubic in (u^(k), u^(k+1)), linear
   where the entry has no rate or k is the order of the unknown; outside the same curve.  Vectors are copied.  Collective.
   Errors  those of RungSystemSetCoupled();  PETSC_ERR_ARG_OUTOFRANGE  t1 <= t0
   RungSystemReadsRate - do the equations hold dt() of a coupled unknown, also inside of a product or a definition?  Sets the
   system up.  To be asked before the first step, whose methods may look at rates that the equations do not hold.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemSetCoupledPath(RungSystem sys, const char name[], PetscReal t0, const Vec u0[],
                                                    PetscReal t1, const Vec u1[]);
RUNG_INTERN PetscErrorCode RungSystemReadsRate(RungSystem sys, const char name[], PetscBool *reads);
/* RungSystemGetCoupling - the i-th coupling, from 0: its name and the other system, lent, and which unknown of that system it is; names NULL
   behind the last one and of callbacks; unknown may be NULL.  Not collective. */
RUNG_INTERN PetscErrorCode RungSystemGetCoupling(RungSystem sys, PetscInt i, const char **name, RungSystem *from,
                                                 PetscInt *unknown);
/* RungSystemCheckConstants - have constants, which may be set at any time, the same values on all ranks?  Nothing of callbacks.  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  the first that differs, with both values */
RUNG_INTERN PetscErrorCode RungSystemCheckConstants(RungSystem sys);
/* RungSystemGetDataState - a number that another value of a constant that the Jacobian holds changes (of conserved terms and of coupled
   systems any constant), or of a field in it: a matrix that was made before is stale then.  0 of callbacks.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemGetDataState(RungSystem sys, PetscInt64 *state);
/* RungSystemGetResidualState - the same of whatever F holds: constants and fields, of couplings too.  Of callbacks another one with each call:
   what they read is not known.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemGetResidualState(RungSystem sys, PetscInt64 *state);
/* RungSystemRenewSigns - the traits `definite` and `mass` become those of present constants and fields, if these have changed.
   Sets the system up.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemRenewSigns(RungSystem sys);
/* RungSystemGetConstantState - a number that another value of a constant changes: rates that were found before are stale. */
RUNG_INTERN PetscErrorCode RungSystemGetConstantState(RungSystem sys, PetscInt64 *state);

/* A switch is a time where something in the residual or in boundary data that depends on t alone decides otherwise: a
   comparison, min, max, abs, sign, a row of a table.  0 of callbacks, which have none. */
/* RungSystemGetNextSwitch - the first in (t0, t1), t1 where there is none.  The interval is looked at in 64 places: what comes
   and goes between two of them is not seen.  RungSystemIsSwitch - is one within t - near and t + near? */
RUNG_INTERN PetscErrorCode RungSystemGetNextSwitch(RungSystem sys, PetscReal t0, PetscReal t1, PetscReal *t);
RUNG_INTERN PetscErrorCode RungSystemIsSwitch(RungSystem sys, PetscReal t, PetscReal near, PetscBool *is);
/* RungSystemSetStep - from now on decisions are those inside of (t0, t1): F and data at t0 are limits from the right, those at
   t1 limits from the left.  No data have changed by that.  ClearStep: as written.  Errors  PETSC_ERR_ARG_OUTOFRANGE  t1 <= t0 */
RUNG_INTERN PetscErrorCode RungSystemSetStep(RungSystem sys, PetscReal t0, PetscReal t1);
RUNG_INTERN PetscErrorCode RungSystemClearStep(RungSystem sys);
/* What the entries of a system's vectors stand for.
     CountUnknowns      1 for callbacks
     GetComponents      the owned entries of unknown f are in groups of so many, node after node (1 for callbacks);
                        points (may be NULL): the nodes are those of a mesh of points
     IsNumber           the f-th unknown is a number in R
     DescribeComponent  "u", "u[1]", "u[0,1]"
     DescribeEntry      of an owned entry: its component as above, and its place, " at (0.5, 0.25)", " of point 17", "" of a
                        number of the whole mesh, ", entry 17" of callbacks
     GetVolumes         int phi_i^2 dx of each entry's basis function phi_i, 1 of callbacks: weights of an L2 norm.  Collective
   All but GetVolumes are not collective; the first four need no set-up. */
RUNG_INTERN PetscErrorCode RungSystemCountUnknowns(RungSystem sys, PetscInt *n);
RUNG_INTERN PetscErrorCode RungSystemGetComponents(RungSystem sys, PetscInt f, PetscInt *components, PetscBool *points);
RUNG_INTERN PetscErrorCode RungSystemIsNumber(RungSystem sys, PetscInt f, PetscBool *is);
RUNG_INTERN PetscErrorCode RungSystemDescribeComponent(RungSystem sys, PetscInt f, PetscInt component, char text[],
                                                       size_t size);
RUNG_INTERN PetscErrorCode RungSystemDescribeEntry(RungSystem sys, PetscInt entry, char name[], size_t name_size,
                                                   char place[], size_t place_size);
RUNG_INTERN PetscErrorCode RungSystemGetVolumes(RungSystem sys, Vec volumes);

/* RungSystemExplainSingular - why a Jacobian cannot be factored, as far as one look tells: an equation without unknowns, an
   unknown (named) that is known up to a constant only.  Collective.
   In      J    of the system, type aij; others say nothing
   Out     why  "" if nothing was found; the same on all ranks */
RUNG_INTERN PetscErrorCode RungSystemExplainSingular(RungSystem sys, Mat J, char why[], size_t size);
/* RungSystemGetAlgebraic - is there a free entry without a time derivative?  name: its unknown "p", or its component "u[2]" where the
   unknown has others; of callbacks "entry 2".  Collective. */
RUNG_INTERN PetscErrorCode RungSystemGetAlgebraic(RungSystem sys, PetscBool *any, char name[], size_t size);
/* RungSystemGetConstraint - the first unknown, "p", whose equation is a constraint by its text: it holds no unknown with its highest rate, none
   that has no rates and, where of_values is true, no lower rate.  "": there is none, or no text.  Set up; collective. */
RUNG_INTERN PetscErrorCode RungSystemGetConstraint(RungSystem sys, PetscBool of_values, char name[], size_t size);
/* RungSystemFindConstraints - is[f]: the equation of unknown f is a constraint on values alone, by its text.  Numbers of R without a rate may
   stand in it, as the one that a mean of the pressure adds to div(u) = 0, while it has more rows.  Set up; collective.
   Out  number[g]  a constraint holds unknown g, such a number; NULL: not asked for */
RUNG_INTERN PetscErrorCode RungSystemFindConstraints(RungSystem sys, PetscBool is[], PetscBool number[]);
/* RungSystemGetExplicitForce - the first unknown that terms inside of explicit() hold although constraints on values determine it, by their
   text: "": there is none.  Set up; collective. */
RUNG_INTERN PetscErrorCode RungSystemGetExplicitForce(RungSystem sys, char name[], size_t size);

/* RungSystemEvaluateRates - as RungSystemEvaluateQuantities(), rates alone. */
RUNG_INTERN PetscErrorCode RungSystemEvaluateRates(RungSystem sys, PetscReal t, const Vec u[], PetscReal values[]);
/* RungChangeCreate - the value of a text for an unknown "u", a component "u[1]", a rate "dt(u)" below the highest, a number in R, or
   a constant.  Texts of unknowns hold unknowns, their rates, fields, x, t and constants; those of numbers and constants are
   gauges, which may name more numbers, and hold the rates of numbers in R.  Collective.
     Evaluate     the right side, of a state and its quantities with those numbers;  Put  it into u[] of an unknown;  Set  it as the constant
     GetConstant  its name and value of now; NULL: a change of an unknown
   Errors  PETSC_ERR_ARG_WRONG  no such name, a rate that follows from the equations;  PETSC_ERR_ARG_INCOMP  another shape */
RUNG_INTERN PetscErrorCode RungChangeCreate(RungSystem sys, const char label[], const char name[], const char text[],
                                            PetscInt more, const char *const names[], RungChange *change);
RUNG_INTERN PetscErrorCode RungChangeGetConstant(RungChange change, const char **name, PetscReal *value);
RUNG_INTERN PetscErrorCode RungChangeEvaluate(RungChange change, PetscReal t, const Vec u[],
                                              const PetscReal quantity[]);
RUNG_INTERN PetscErrorCode RungChangePut(RungChange change, const Vec u[]);
RUNG_INTERN PetscErrorCode RungChangeSet(RungChange change);
RUNG_INTERN PetscErrorCode RungChangeDestroy(RungChange *change);

/* What a solver is for. */
typedef enum {
  RUNG_SOLVE_ONCE,  /* a new matrix for every solve                                                              */
  RUNG_SOLVE_KEPT,  /* the matrix stays for many solves, so that a factorisation may cost more                   */
  RUNG_SOLVE_MASS,  /* dF/du^(order) alone, of a system whose traits say `mass`: definite, kept where it is constant */
  RUNG_SOLVE_NEWTON /* matrices near each other, of which few digits are asked: above 2000 entries FGMRES with a
                       factorisation that the caller lets grow old, KSPSetReusePreconditioner()                  */
} RungSolverUse;
/* KSP and PC by traits and size (direct for small; CG for symmetric definite; ...), before KSPSetFromOptions().
   Whoever changes the matrix gets a new factorisation all the same.  After a solve that failed (KSP reason < 0) call KSPReset(): PETSc's interface to MUMPS
   does not factor again after a singular matrix.
   -pc_type fieldsplit finds a split for each unknown: -fieldsplit_u_pc_type, -fieldsplit_p_ksp_type, ..  Matrices carry
   their near null space (constants and rigid motions that dF/du without boundary data maps to zero) and, where boundary
   data leave something open, their null space: solutions then have no part in it. */
RUNG_INTERN PetscErrorCode RungSystemSetSolverDefaults(RungSystem sys, KSP ksp, RungSolverUse use);
/* RungSystemSetSolvesAhead - how many systems will be solved with a matrix that stays, before its solver is chosen: set-ups that cost more
   than a solve pay after some of them.  Not collective, the same on all ranks.
   In  solves  of all; 0, the default: nobody knows;  each  of these, before the size of the step changes the matrix; 0, the default: all */
RUNG_INTERN PetscErrorCode RungSystemSetSolvesAhead(RungSystem sys, PetscInt solves, PetscInt each);
/* RungSystemChooseFactors, RungSystemCheckFactors - on one process, matrices that are swept many times over.

   MUMPS factors fast, PETSc's own factors are swept several times faster.  Choose decides by the fill in nested dissection order,
   if ksp has the LU or Cholesky factorisation by MUMPS of its defaults and the user has named no package; call it when the
   operators of ksp are set and not yet factored.  Own factors have no pivots: Check makes them, before each solve with a new
   matrix, and returns to MUMPS for good unless the backward error |b - J y| / (|J| |y| + |b|) of a solve is at most `most`.
   Collective.
   Out  own   PETSc's own factors have been chosen;  good  and may be used
   Drop - factors are MUMPS' again, for another matrix. */
RUNG_INTERN PetscErrorCode RungSystemDropFactors(RungSystem sys, KSP ksp);
RUNG_INTERN PetscErrorCode RungSystemChooseFactors(RungSystem sys, RungSolverUse use, KSP ksp, PetscBool *own);
RUNG_INTERN PetscErrorCode RungSystemCheckFactors(RungSystem sys, KSP ksp, PetscReal most, PetscBool *good);
/* RungSystemCheckSolver - after KSPSetFromOptions(): PETSC_ERR_SUP, with the way out, for a preconditioner that needs entries
   where -system_mat_type shell gives none. */
RUNG_INTERN PetscErrorCode RungSystemCheckSolver(RungSystem sys, KSP ksp);

/* RungWriterFindPlace - where "on .." begins in such a list, NULL: nowhere.  Not collective. */
RUNG_INTERN const char *RungWriterFindPlace(const char list[]);
/* RungWriterCheckPlace - an error if what stands behind `on` is neither a part of the mesh nor points along a line.  Collective.
   Out  points   along the line, 0: it is a part;  outside  of them, that are not in the mesh */
RUNG_INTERN PetscErrorCode RungWriterCheckPlace(RungSystem sys, const char place[], PetscInt *points,
                                                PetscInt *outside);
/* RungWriterTry - a time that the disk refuses is no error: the series stays without it.  Collective.
   Out     written;  why[room]  the reason if not, on all ranks */
RUNG_INTERN PetscErrorCode RungWriterTry(RungWriter writer, PetscReal t, const Vec u[], PetscBool *written, char why[],
                                         size_t room);
RUNG_INTERN PetscErrorCode RungWriterResume(RungWriter writer, PetscReal t); /* keeps an earlier series up to t */

/* RungSystemCreateCoarse - the same system in spaces of a lower degree on its mesh: a level of a multigrid.  It has the names,
   constants (as they are now), fields, boundary data, initial values and constraints of sys, which outlives it; no
   quantities, probes, bounds, and no options are read.
   In      spec  without a shape: "P1", "Q2", or the degree alone, "1", for the family of each unknown.  Unknowns of at most
                 this degree, numbers (R) and values at points keep their spaces
   Errors  PETSC_ERR_SUP  callbacks;  PETSC_ERR_ARG_WRONG  no such space
   RungSystemCreateTransfer - P, a MATSHELL with products and transposed ones: coarse functions at the nodes of sys.  Rows and
   columns of Dirichlet entries, slaves of constraints and internal variables are zero; masters bring their slaves along.  Both
   systems outlive P.  Unknown by unknown: the same ones in both, on one mesh.
   Errors  PETSC_ERR_SUP  callbacks;  PETSC_ERR_ARG_INCOMP  other unknowns or another mesh */
RUNG_INTERN PetscErrorCode RungSystemCreateCoarse(RungSystem sys, const char spec[], RungSystem *coarse);
RUNG_INTERN PetscErrorCode RungSystemCreateTransfer(RungSystem coarse, RungSystem sys, Mat *P);

/* ---- a system in time ------------------------------------------------------------------------------------------- */

/* depth accepted levels are kept; each carries `carried` vectors more. */
RUNG_INTERN PetscErrorCode RungTransientSystemCreate(RungSystem sys, PetscInt depth, PetscInt carried,
                                                     RungTransientSystem *ts);
RUNG_INTERN PetscErrorCode RungTransientSystemDestroy(RungTransientSystem *ts);
/* RungTransientSystemSetNumbers - each level has so many numbers of the method's, 0 at first: accepted, rolled back, dropped by starts
   and jumps, saved as its vectors are.  Before the first level. */
RUNG_INTERN PetscErrorCode RungTransientSystemSetNumbers(RungTransientSystem ts, PetscInt numbers);

/* Level 0 at t0: initial values with Dirichlet data, algebraic unknowns solved for, consistent u', u'', m; clears the history. */
RUNG_INTERN PetscErrorCode RungTransientSystemStart(RungTransientSystem ts, PetscReal t0);
/* RungTransientSystemStartFrom - the same from u[k], k < order or k = 0, at t0 instead of the initial values; the vectors are no levels
   of this history.  Collective. */
RUNG_INTERN PetscErrorCode RungTransientSystemStartFrom(RungTransientSystem ts, PetscReal t0, const Vec u[]);
/* Levels accepted so far (at most depth); GetState(back): 0 the newest.  Read only: nothing overwrites an accepted level.
   PeekState - the same for those who look at no highest rate: where state->late it is void.  GetState finds it first, and is collective.
   FindLate - it is found in all levels.  CountFound - in how many levels so far. */
RUNG_INTERN PetscErrorCode RungTransientSystemGetLevels(RungTransientSystem ts, PetscInt *levels);
RUNG_INTERN PetscErrorCode RungTransientSystemGetState(RungTransientSystem ts, PetscInt back, const RungState **state);
RUNG_INTERN PetscErrorCode RungTransientSystemPeekState(RungTransientSystem ts, PetscInt back, const RungState **state);
RUNG_INTERN PetscErrorCode RungTransientSystemFindLate(RungTransientSystem ts);
RUNG_INTERN PetscInt       RungTransientSystemCountFound(RungTransientSystem ts);
/* The level being made.  Accept makes it level 0 and needs to->t > t; RollBack forgets it: no trace is left in any level. */
RUNG_INTERN PetscErrorCode RungTransientSystemGetProposal(RungTransientSystem ts, RungState **to);
RUNG_INTERN PetscErrorCode RungTransientSystemAccept(RungTransientSystem ts);
RUNG_INTERN PetscErrorCode RungTransientSystemRollBack(RungTransientSystem ts);
/* A recorded jump (event, projection, start values of a multistep method): the app changes level 0 in fn; the history
   before it is dropped and rates are made consistent again. */
RUNG_INTERN PetscErrorCode RungTransientSystemJump(RungTransientSystem ts,
                                                   PetscErrorCode (*fn)(RungState *state, void *ctx), void *ctx);
/* RungTransientSystemMend - level 0, which satisfies equations without a rate to the tolerances of a method, is solved for by them.
   Collective.
   In      keep    *is = PETSC_TRUE: `to`, which F = 0 has found from `from`, becomes level 0, and the history is dropped
   Out     mended  PETSC_FALSE where F = 0 finds nothing, or keep refuses it: levels are as they were
   Limits  A flow, one of whose equations holds neither rates nor algebraic values, is left as it is at no cost. */
RUNG_INTERN PetscErrorCode RungTransientSystemMend(RungTransientSystem ts,
                                                   PetscErrorCode (*keep)(const RungState *from, const RungState *to,
                                                                          void *ctx, PetscBool *is),
                                                   void *ctx, PetscBool *mended);
/* RungTransientSystemRenew - level 0 where data have jumped becomes its right limit: boundary values are those of the data, free
   entries have the impulse that these give them through the mass (where boundary values jump), the rest is consistent anew;
   the history is dropped.  Errors  PETSC_ERR_NOT_CONVERGED  a mass that gives no impulse, and the way out */
RUNG_INTERN PetscErrorCode RungTransientSystemRenew(RungTransientSystem ts);
/* Exact past levels for multistep starts in studies: adds a level older than all (t decreasing). */
RUNG_INTERN PetscErrorCode RungTransientSystemAddPast(RungTransientSystem ts, PetscReal t, Vec u, Vec v);

/* RungTransientSystemSetPart - which part of F the functions below, and line solvers made from now on, are about; RUNG_ALL at first.
   Starts, jumps and rates are those of F as a whole.  Not collective, the same on all ranks.
   RungTransientSystemGetTraits - those of this part.  Collective. */
RUNG_INTERN PetscErrorCode RungTransientSystemSetPart(RungTransientSystem ts, RungSystemPart part);
RUNG_INTERN PetscErrorCode RungTransientSystemGetTraits(RungTransientSystem ts, RungTraits *traits);

/* RungCombinePart - RungCombine() on local entries from start to end.  Not collective.
   RungSystemHasDirichlet - there are Dirichlet data, or constraints.
   RungSystemStageJacobian - J = sum_k slope_k dR/du^(k) + slope_1 dm/du, the derivative of RungSystemStageResidual(). */
RUNG_INTERN PetscErrorCode RungCombinePart(Vec y, PetscInt start, PetscInt end, PetscInt n, const PetscReal c[],
                                           const Vec x[]);
RUNG_INTERN PetscErrorCode RungSystemHasDirichlet(RungSystem sys, PetscBool *has);
RUNG_INTERN PetscErrorCode RungSystemStageJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[],
                                                   Mat J);

/* F on the line plus load, and its derivative by w:
       r = R(t, u(w), u'(w), u''(w)) + slope_1 m(t, u(w)) + load        J = dr/dw
   Conserved terms enter J as slope_1 dm/du, which is dr/dw for slope_0 = 1 only: methods whose line has another refuse them.
   load may be NULL.  Dirichlet rows: r = 0, J = identity; w carries the boundary values that the method has put there. */
RUNG_INTERN PetscErrorCode RungTransientSystemResidual(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                       Vec load, Vec w, Vec r);
RUNG_INTERN PetscErrorCode RungTransientSystemJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w,
                                                       Mat J);
/* RungTransientSystemTuneSolver - fills J on the line and chooses the preconditioner of ksp by

       kappa = mean over free entries of (dF/du)_ii / (J_ii - (dF/du)_ii),

   Jacobi, incomplete Cholesky (of each rank's block), multigrid or a factorisation; -system_view tells which and why.  Options
   of ksp are read again.  WantsTuning: conjugate gradients are the default and the user has given neither -ksp_type, -pc_type
   nor -pc_factor_levels.  CreateKeptMat: the matrix for such a solver; it is one half, SBAIJ, of a symmetric one of one
   unknown without constraints, unless -system_mat_type or -sub_pc_type says otherwise, and else that of CreateStageMat;
   so for other solvers, but that -pc_type mg has none where the default would do without.  ..Like: one for other slopes, with the pattern of `other`,
   which CreateKeptMat made, where nothing but Dirichlet data acts on it.
   Multigrid wants whole rows: TuneSolver replaces *J then.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemWantsTuning(RungSystem sys, KSP ksp, PetscBool *wants);
RUNG_INTERN PetscErrorCode RungTransientSystemTuneSolver(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                         Vec w, Mat *J, KSP ksp);
RUNG_INTERN PetscErrorCode RungSystemCreateKeptMat(RungSystem sys, KSP ksp, Mat *J);
RUNG_INTERN PetscErrorCode RungSystemCreateKeptMatLike(RungSystem sys, KSP ksp, Mat other, Mat *J);
/* RungSystemForgetKeptMat - matrices made from now on may be of another type: another solver is chosen.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemForgetKeptMat(RungSystem sys);
/* RungTransientSystemExplain - why F on the line, or else its Jacobian there, is not finite: the expression, the place, the values
   of its operands, the way out.  Evaluates both again; for messages.  Collective.
   Out  message  the same on all ranks; "" if both are finite, or the system is not made of forms */
RUNG_INTERN PetscErrorCode RungTransientSystemExplain(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w,
                                                      char message[], size_t size);
/* A linear system on a line:  J w = b.  HasRhs: it is of the kind, and nothing but Dirichlet data acts on a solve (no
   constraints, bounds, internal variables, null space).
       b = -(F(line at w_D) + load),  w_D = w on Dirichlet entries, 0 elsewhere;   b = w on Dirichlet entries
   w is a value, also on a line with an origin.
   Products with what is zero are left out. */
RUNG_INTERN PetscErrorCode RungSystemHasRhs(RungSystem sys, PetscBool *has);
RUNG_INTERN PetscErrorCode RungTransientSystemHasRhs(RungTransientSystem ts,
                                                     PetscBool          *has); /* of the part that is solved for */
RUNG_INTERN PetscErrorCode RungTransientSystemRhs(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load,
                                                  Vec w, Vec b);
/* RungTransientSystemForces - r = F on the line at w = 0, where no base has a highest rate and there is a cheaper way to it than F itself.
   Out  done  else r is void.  Collective. */
RUNG_INTERN PetscErrorCode RungTransientSystemForces(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec r,
                                                     PetscBool *done);
/* Internal variables: unknowns s on Quad(q) whose equations g(u, s) = 0 couple them to themselves only at their own point.
   The stages of a method eliminate them (-system_condense): with K the derivative of F by w,

       SolveCondensed   g(u(w), s(w)) + load = 0, s from a guess in w, u in w as given: at every point Newton's method with
                        its own line search.  Linear systems need none: w stays
       StageJacobian    S = K_uu - K_us K_ss^-1 K_su, assembled cell by cell into a matrix of RungSystemCreateStageMat;
                        rows of s are those of the identity.  Other matrices get Jacobian()
       CondenseRhs      before a solve with S: b_u -= K_us K_ss^-1 b_s, b_s = 0.  Rows are taken from b, as they are; the
                        solver of RungSystemSetSolverDefaults fills in x_s = K_ss^-1 (b_s - K_su x_u) after it

   Without internal variables nothing of this does anything, and CreateStageMat is CreateMat.  All collective.
   Out  condensed  there are some;  solved  else `why` is one phrase with a place, the same on all ranks, and w is void
   ZeroCondensed: r = 0 in their rows */
RUNG_INTERN PetscErrorCode RungSystemGetCondensed(RungSystem sys, PetscBool *condensed);
/* Leaves them in the matrix, for methods that do not eliminate them.  Nothing is done where a solver eliminates them already. */
RUNG_INTERN PetscErrorCode RungSystemKeepInternal(RungSystem sys);
RUNG_INTERN PetscErrorCode RungSystemZeroCondensed(RungSystem sys, Vec r);
RUNG_INTERN PetscErrorCode RungSystemCreateStageMat(RungSystem sys, Mat *J);
RUNG_INTERN PetscErrorCode RungSystemCondenseRhs(RungSystem sys, Mat J, Vec b);
RUNG_INTERN PetscErrorCode RungTransientSystemSolveCondensed(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                             Vec load, Vec w, PetscBool *solved, char why[],
                                                             size_t size);
RUNG_INTERN PetscErrorCode RungTransientSystemStageJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                            Vec w, Mat J);
/* u[k] = base[k] + slope[k] w for k = 0 .. order; here and below w is what slopes are multiplied with, the increment of a line with an
   origin.  u[k] may be base[k], and the last one w: what is there already is not touched */
RUNG_INTERN PetscErrorCode RungTransientSystemEvaluateLine(RungTransientSystem ts, const RungLine *line, Vec w,
                                                           const Vec u[]);
RUNG_INTERN PetscErrorCode RungTransientSystemConserved(RungTransientSystem ts, PetscReal t, Vec u, Vec m);
/* RungTransientSystemConsistent - rates (and algebraic unknowns) such that F = 0 at the time of a state.

   Given u (and u' where the order is 2), solves for the highest derivative of differential entries and, if `algebraic`,
   the values of algebraic ones; Dirichlet entries get the data's derivatives.  Regular mass and index 1: one Newton
   iteration (linear systems: one solve), to the accuracy of the solver (prefix mass_).  A mass that is singular, up to
   the error of the Jacobian, and index 2: by extrapolation from tiny implicit steps, to 1e-8 or better on smooth problems;
   an error estimate above 1e-6 is told as a warning, above 1e-4 it is an error;
   values that violate a constraint are projected along the mass.

   In      told   values that were given, at a start or behind a jump: a change of them is a warning (-system_initial); levels of a method satisfy
                  constraints to its error, and a change of them is none
   In/Out  state  its t and u[k], k < order, given; u[0 .. order] consistent
   Errors  PETSC_ERR_NOT_CONVERGED  no rates satisfy F = 0: |F| and the unknown with most of it
           PETSC_ERR_FP             F is not finite at the given values; names form and cell
   Limits  Index 3 needs consistent values, others are refused.  What the equations leave open (a pressure up to a
           constant) is not determined: fix it by an equation.  Rates of algebraic unknowns are not computed: 0.  A mode much faster than
           the others but not infinitely fast is told from a constraint only if ten times smaller steps see it. */
RUNG_INTERN PetscErrorCode RungTransientSystemConsistent(RungTransientSystem ts, PetscBool algebraic, PetscBool told,
                                                         RungState *state);
/* RungTransientSystemConsistentLater - the highest rates of a state that is going to be accepted: state->late where they can be found
   at any time without a change of its values, as with a regular mass and no internal variables; else now.  Collective. */
RUNG_INTERN PetscErrorCode RungTransientSystemConsistentLater(RungTransientSystem ts, RungState *state);

/* RungTransientSystemIsRegular - is the derivative of F by the highest rates and by algebraic values regular at a state, in any units?
   Then F = 0 determines both (index 1).  One matrix and one solve, or nothing where a start has found it and it does not change.
   Collective.
   Out  regular;  why  where it is not: what RungSystemExplainSingular() tells */
RUNG_INTERN PetscErrorCode RungTransientSystemIsRegular(RungTransientSystem ts, const RungState *state,
                                                        PetscBool *regular, char why[], size_t size);

/* RungTransientSystemForgetKept - constant blocks, matrices and factors that were kept are dropped; levels stay.  What
   follows has the bits that it has in a program that begins with these levels.  Collective. */
RUNG_INTERN PetscErrorCode RungTransientSystemForgetKept(RungTransientSystem ts);

/* ---- checkpoints -------------------------------------------------------------------------------------------------- */

/* RungCheckpointCreate - begins an HDF5 file that a run can be continued from: its description of the system goes in at
   once.  It is made aside, at PATH.part; Seal gives it its name, in place of an older one, when it is whole and on the
   disk.  Collective, as all functions here.
   Errors  PETSC_ERR_FILE_OPEN  the place cannot be written, with the system's reason */
RUNG_INTERN PetscErrorCode RungCheckpointCreate(RungSystem sys, const char path[], RungCheckpoint *checkpoint);
RUNG_INTERN PetscErrorCode RungCheckpointSeal(RungCheckpoint *checkpoint); /* Nulls *checkpoint. */
/* RungCheckpointTry, RungCheckpointFinish - Create and Seal for a program that goes on without the file: what the disk
   refuses (no room, no folder) is no error.  What is put after it is dropped, Finish tells, and an older file stays.
   Out  written  the file has its name;  why[room]  the reason if not
   Rank 0 alone opens files, here and in Open: the others need not see the folder. */
RUNG_INTERN PetscErrorCode RungCheckpointTry(RungSystem sys, const char path[], RungCheckpoint *checkpoint);
RUNG_INTERN PetscErrorCode RungCheckpointFinish(RungCheckpoint *checkpoint, PetscBool *written, char why[],
                                                size_t room);
/* RungCheckpointOpen - opens a sealed file, on any number of ranks.
   In      force  a difference in residual, Dirichlet data, constraints, bounds, or the constants, numbers of tables and spaces of
                  fields that these hold is told as a warning, else it is refused; mesh, unknowns and spaces have to be the same in any case.  Other
                  quantities, and constants and fields that the equations do not hold, are told and never refused
   Errors  PETSC_ERR_FILE_UNEXPECTED  a file that is cut, changed by a bit or no checkpoint; one of another problem, with
           what was found and what is wanted; (Get, Load) numbers that are not finite or not whole, texts without an end,
           vectors of another length, times that do not follow each other */
RUNG_INTERN PetscErrorCode RungCheckpointOpen(RungSystem sys, const char path[], PetscBool force,
                                              RungCheckpoint *checkpoint);
RUNG_INTERN PetscErrorCode RungCheckpointClose(RungCheckpoint *checkpoint); /* Nulls; a file not sealed is removed. */
/* Numbers and texts by name, exact; texts of at most some 60000 bytes.  Get raises PETSC_ERR_FILE_UNEXPECTED for a name
   that is not there; its text is the caller's (PetscFree). */
RUNG_INTERN PetscErrorCode RungCheckpointPutReal(RungCheckpoint checkpoint, const char name[], PetscReal value);
RUNG_INTERN PetscErrorCode RungCheckpointPutInt(RungCheckpoint checkpoint, const char name[], PetscInt value);
RUNG_INTERN PetscErrorCode RungCheckpointPutText(RungCheckpoint checkpoint, const char name[], const char text[]);
RUNG_INTERN PetscErrorCode RungCheckpointHas(RungCheckpoint checkpoint, const char name[], PetscBool *has);
/* RungCheckpointPutSolver - what solves with the system's matrix had shown at a state: whether it was taken for definite wrongly.
   which: of several states of a file, "": of the one.
   GetSolver - the system begins with that, so that a run that goes on solves with what the run solved with.  Collective. */
RUNG_INTERN PetscErrorCode RungCheckpointPutSolver(RungCheckpoint checkpoint, const char which[], PetscBool wrongly);
RUNG_INTERN PetscErrorCode RungCheckpointGetSolver(RungCheckpoint checkpoint, const char which[]);
RUNG_INTERN PetscBool      RungSystemWasPresumedWrongly(RungSystem sys);
RUNG_INTERN PetscErrorCode RungCheckpointGetReal(RungCheckpoint checkpoint, const char name[], PetscReal *value);
RUNG_INTERN PetscErrorCode RungCheckpointGetInt(RungCheckpoint checkpoint, const char name[], PetscInt *value);
RUNG_INTERN PetscErrorCode RungCheckpointGetText(RungCheckpoint checkpoint, const char name[], char **text);
/* Vecs of the system, under a group "/name": one data set for each unknown, [node][component] in an order that does not
   depend on the ranks (RungSpaceGetNatural); of callback systems in the order of the Vec. */
RUNG_INTERN PetscErrorCode RungCheckpointPutVec(RungCheckpoint checkpoint, const char group[], Vec u);
RUNG_INTERN PetscErrorCode RungCheckpointGetVec(RungCheckpoint checkpoint, const char group[], Vec u);
/* Numbers that all ranks have, as a data set "/numbers/NAME"; infinities and what is no number come back as such.
   Out     n, value  of Get: how many; the caller's, PetscFree */
RUNG_INTERN PetscErrorCode RungCheckpointPutReals(RungCheckpoint checkpoint, const char name[], PetscInt n,
                                                  const PetscReal value[]);
RUNG_INTERN PetscErrorCode RungCheckpointGetReals(RungCheckpoint checkpoint, const char name[], PetscInt *n,
                                                  PetscReal *value[]);

/* What a room above keeps of a run, in the checkpoints that others write of it: save puts it into each of them; load
   takes what there is of the time up to t, which the run goes on from, when all else is loaded.  Both collective. */
typedef struct {
  PetscErrorCode (*save)(RungCheckpoint checkpoint, void *ctx);
  PetscErrorCode (*load)(RungCheckpoint checkpoint, PetscReal t, void *ctx);
  void *ctx;
} RungKeeper;

/* All levels, bit for bit.
   Errors  PETSC_ERR_FILE_UNEXPECTED  levels of another method; a disk without room is told by Seal or Finish */
RUNG_INTERN PetscErrorCode RungTransientSystemSave(RungTransientSystem ts, RungCheckpoint checkpoint);
RUNG_INTERN PetscErrorCode RungTransientSystemLoad(RungTransientSystem ts, RungCheckpoint checkpoint);

/* RungSystemCheckSeam - a warning where a text for an unknown has two values at a place where its mesh closes upon itself.  Collective. */
RUNG_INTERN PetscErrorCode RungSystemCheckSeam(RungSystem sys, const char label[], const char name[], const char text[],
                                               PetscReal t);
