/* system_impl.h - what the files of this room share and nobody else sees.

   A system is one object with one of two kinds behind it: a form (system_form.c) or C functions (system_callback.c).
   The kind fills RungSystemOps; everything above - evaluate.c, transient.c, line.c, consistent.c - calls the table and
   knows no kind. */
#pragma once

#include <rungforms_room.h>
#include <rungsystem_room.h>

#define RUNG_FACTORED       200000  /* entries up to which factors are the last way out */
#define RUNG_FACTORED_PLANE 2000000 /* .. on lines and in the plane, whose fronts are small */

typedef struct _RungSystemOps     RungSystemOps;
typedef struct _RungFormSide     *RungFormSide;     /* system_form.c     */
typedef struct _RungCallbackSide *RungCallbackSide; /* system_callback.c */

/* F = R + dm/dt.  R is the rest, m the conserved vector; without conserved terms F = R.  sigma[k * unknowns + f]. */
struct _RungSystemOps {
  const char *kind;                                        /* in messages: "a form", "callbacks" */
  PetscErrorCode (*tell)(RungSystem sys, RungDraft *said); /* what was said, a line for each thing */
  PetscErrorCode (*setup)(RungSystem sys);                 /* sets traits, local, range */
  PetscErrorCode (*create_vec)(RungSystem sys, Vec *u);
  PetscErrorCode (*create_mat)(RungSystem sys, Mat *J);
  PetscErrorCode (*residual)(RungSystem sys, PetscReal t, const Vec u[], Vec r);
  PetscErrorCode (*jacobian)(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J);
  PetscErrorCode (*rest)(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[], Vec r);
  PetscErrorCode (*conserved)(RungSystem sys, PetscReal t, Vec u, Vec m);
  /* J = dR(sigma) + diag(weight) dm/du, weight[f] = sigma[1 * unknowns + f] of the rows f of m */
  PetscErrorCode (*stage_jacobian)(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                   const PetscReal sigma[], Mat J);
  PetscErrorCode (*explicit_part)(RungSystem sys, PetscReal t, const Vec u[], Vec e); /* only where sys->split */
  /* F with zero in the place of u[order], which is NULL; not done: F itself is as cheap.  NULL: it always is */
  PetscErrorCode (*forces)(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done);
  PetscErrorCode (*action)(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y);
  PetscErrorCode (*time_derivative)(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], Vec r);
  PetscErrorCode (*initial)(RungSystem sys, PetscReal t, PetscInt k, Vec u);
  PetscErrorCode (*check_start)(RungSystem sys, PetscReal t,
                                Vec u); /* u of a start from initial values; NULL: nothing to say */
  /* why F is not finite, or with sigma its Jacobian, "" if it is; NULL where nobody knows */
  PetscErrorCode (*explain)(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], char message[],
                            size_t size);
  PetscErrorCode (*view)(RungSystem sys, PetscViewer viewer);
  /* one of several holders has gone: it is destroyed if the others are but systems that it reads; NULL: it reads none */
  PetscErrorCode (*drop)(RungSystem sys);
  PetscErrorCode (*destroy)(RungSystem sys);
};

typedef struct {
  PetscInt       residuals, jacobians, conserved, starts, actions, diagonals;
  PetscInt       split;  /* of the Jacobians: constant blocks were kept, the others assembled      */
  PetscInt       kept;   /* times that all these blocks were assembled                             */
  PetscInt       trials; /* of solvers, and what they took (solver_trial.c) */
  PetscLogDouble trial_flops;
  PetscInt       products, combined; /* of the residuals and Jacobians: made of constant blocks, not assembled */
  /* wall seconds here: gathers, kernels and insertion, or products in their place */
  PetscLogDouble residual_seconds, jacobian_seconds, action_seconds;
} RungSystemCounts;

typedef enum { RUNG_INITIAL_SOLVE, RUNG_INITIAL_CHECK } RungInitialMode;

/* Is a symmetric J whose sign is open taken for definite (solver_presume.c)? */
typedef enum {
  RUNG_PRESUMED_NOTHING, /* not asked yet                                               */
  RUNG_PRESUMED_DEFINITE,
  RUNG_PRESUMED_NEVER,  /* it does not pay, or a solver is named                       */
  RUNG_PRESUMED_WRONGLY /* a solve has failed, or could not be repeated: a checkpoint keeps that */
} RungPresumption;

struct _p_RungSystem {
  MPI_Comm             comm; /* owned, PetscCommDuplicate                                                         */
  PetscInt             refct;
  PetscInt             outside;  /* of them while systems that keep each other are looked for (coupling.c)    */
  PetscBool            ready;    /* set up                                                                    */
  const RungSystemOps *ops;      /* static; NULL until the first unknown or the callbacks                     */
  RungFormSide         form;     /* owned; NULL for callbacks                                                 */
  RungCallbackSide     callback; /* owned; NULL for forms                                                     */
  PetscInt64           asked;    /* how often RungSystemGetResidualState() has been                           */
  RungTraits           traits;   /* valid when ready; symmetric and definite as RungSystemTakePart() has left them */
  PetscBool            split;    /* F has terms inside of explicit(); valid when ready                        */
  RungTraits           implicit; /* of F without them; valid where split                                      */
  PetscBool            whole_symmetric, whole_definite; /* of F with them; valid where split                  */
  RungSystemPart       part;   /* of F that matrices are of                                                 */
  PetscInt             local;  /* owned entries of a Vec                                                    */
  PetscInt             global; /* of all ranks                                                              */
  PetscInt             range[RUNG_MAX_UNKNOWNS + 1]; /* [unknown + 1] local entries                               */
  PetscInt             least_order;  /* in time, whatever F contains                                              */
  Vec                  differential; /* owned; mask given by the app, NULL: by the form                           */
  PetscBool           *rated;        /* owned, [local] the form holds a rate of it; NULL: as unknown_order says    */
  PetscInt             algebraic;  /* global number of the first free algebraic entry, -1: none; set with error_mask */
  PetscBool            in_time;    /* there is a system in time, which has read what is differential             */
  Vec                  error_mask; /* owned, made by SetUp                                                      */
  PetscReal            jacobian_error; /* relative: rounding, or truncation of differences */
  PetscBool            matrix_free;    /* -system_mat_type shell                                                    */
  PetscBool            reduced;        /* -system_reduced_integration                                               */
  PetscBool            keep_blocks;    /* -system_keep_blocks                                                       */
  PetscBool            condense;       /* -system_condense                                                          */
  PetscBool            typed;          /* -system_mat_type is another than aij and shell, and it is                 */
  char                 mat_type[32];   /* this; "": not given                                                       */
  PetscBool            halved;         /* kept Jacobians and their blocks are SBAIJ                                 */
  PetscBool            action;         /* kept Jacobians are applied by kernels, not assembled                      */
  PetscBool            rates; /* some matrices have slope 1 on the highest rate of each unknown, 0 on the rest      */
  RungPresumption      presumption;
  PetscBool            disproved;    /* a solve with this system has shown that, not a checkpoint                  */
  PetscBool            whole;        /* not any more: one of them has got a solver that wants rows                */
  PetscBool            conserve;     /* -system_conserve                                                          */
  RungInitialMode      initial_mode; /* -system_initial                                                           */
  PetscBool            output_rates; /* -system_output_rates                                                      */
  PetscBool            from_options; /* -system_.. were read */
  PetscViewer          viewer;       /* owned, of -system_view; NULL without                                      */
  PetscViewerFormat    viewer_format;
  Vec                  m; /* owned, work of StageResidual; NULL without conserved terms */
  RungSystemCounts     counts;
  PetscReal            kappa;     /* of solver_tune.c, valid where tuned */
  PetscReal            slender;   /* .. likewise: sides of cells to each other, as J sees them; 0: not asked */
  PetscReal            layered;   /* .. the longest one to the second     */
  char                 tuned[32]; /* the preconditioner; "": not asked   */
  PetscInt             tuned_levels;
  char                 tuned_next[32]; /* what took its place when it failed; "": nothing                             */
  PetscBool            wary;           /* levels were not definite: bounds of smoothers by many steps  */
  PetscBool            icc_slow;       /* ICC was taken, and ended for levels                 */
  PetscBool            tuned_dearer; /* .. or only when it would have taken longer                                   */
  PetscBool            given_solver; /* -ksp_type or -pc_type of one of its solvers: solves are proved */
  const char          *tuned_row, *tuned_reason; /* of solver_choices.def, valid where tuned                        */
  PetscInt             ahead;   /* solves with one matrix that stays; 0: nobody knows                      */
  PetscInt             each;    /* solves before the size of the step changes the matrix; 0: all of them    */
  PetscReal            width;   /* of solver_width.c; 0: not asked                                         */
  PetscReal            length;  /* of the body over its thickness, known where the width is               */
  PetscReal            factors; /* entries of PETSc's own factors (solver_factors.c); 0: they are not used */
  PetscContainer       levels;  /* owned: coarser systems and transfers (levels.c); NULL before a multigrid asks      */
  PetscInt             level_degrees;   /* of -system_levels, how many; 0: not given                                 */
  PetscInt             level_degree[8]; /* descending */
  PetscInt             level_rank;      /* of -system_levels_rank */
  PetscInt  most_factored; /* entries up to which factors are the last way out (solver_next.c); tests have fewer */
  PetscBool keep_filled;   /* Jacobians of a nonlinear system remember their state (filled.c)           */
};

extern PetscLogEvent RUNG_SYSTEM_RESIDUAL, RUNG_SYSTEM_JACOBIAN, RUNG_SYSTEM_CONSISTENT, RUNG_SYSTEM_CONSTRAINTS,
  RUNG_SYSTEM_CHECKPOINT;

/* system.c: which part of F matrices are solved with from now on.  What sys->traits say of symmetry and sign, which choose solvers, is that
   of the implicit part, or, as at first, of F and of that part together, where matrices are of either. */
void RungSystemTakePart(RungSystem sys, RungSystemPart part);
/* Traits of that part. */
static inline const RungTraits *RungSystemSolved(const RungSystem sys)
{
  return sys->part == RUNG_IMPLICIT && sys->split ? &sys->implicit : &sys->traits;
}
/* Raises PETSC_ERR_ORDER if the system is set up; `what` names the setter. */
/* checkpoint_describe.c: is a constant of a system of forms a state of a run, which events change? */
PetscErrorCode RungSystemIsChanging(RungSystem sys, const char constant[], PetscBool *is);
PetscErrorCode RungSystemCheckNew(RungSystem sys, const char what[]);
/* The system becomes one of forms (made on first use), or it is an error. */
PetscErrorCode             RungSystemNeedForm(RungSystem sys, const char what[]);
PetscErrorCode             RungSystemNeedCallback(RungSystem sys, const char what[]);
extern const RungSystemOps RungSystemOps_Form, RungSystemOps_Callback;

/* A constant must not be named like an option of the system (options.c). */
PetscErrorCode RungSystemCheckConstantName(RungSystem sys, const char name[]);
/* Constants from -system_NAME, if the system reads options. */
PetscErrorCode RungSystemReadConstants(RungSystem sys);
/* Name of unknown f; "u" for callbacks. */
const char *RungSystemNameOf(RungSystem sys, PetscInt f);
/* The solver that RungSystemSetSolverDefaults chooses, and the BLAS in use (solver.c). */
/* Prefix mass_, defaults, options.  one_order: all entries have one order in time, else columns are scaled apart (a rate
   here, a value there) and no symmetry of the system is one of the matrix. */
PetscErrorCode RungSystemSetMassSolver(RungSystem sys, RungSolverUse use, PetscBool matrix_free, PetscBool one_order,
                                       KSP ksp);
/* The same ksp for a start with constraints that are differentiated: by a Schur complement, if the table says so and the user nothing, until
   RungSystemSetMassSolver() is called again. */
PetscErrorCode RungSystemSplitStart(RungSystem sys, KSP ksp, PetscBool *split);
PetscErrorCode RungSystemViewSolver(RungSystem sys, PetscViewer viewer);
/* evaluate.c: RungSystemStageResidual() and StageJacobian() of a part of F. */
PetscErrorCode RungSystemPartResidual(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                      const PetscReal slope[], Vec r);
PetscErrorCode RungSystemPartJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                      const PetscReal slope[], Mat J);
/* evaluate.c: r = F with zero in the place of u[order], which is NULL; not done: r is void, F itself is as cheap */
PetscErrorCode RungSystemForces(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done);
/* composed.c: memory that is composed with an object under a key and ends with it.  memory: address of the pointer to it.
   Find    NULL where there is none
   Create  `size` bytes that are 0; destroy() gives them back (PetscFree) with what they hold */
PetscErrorCode RungComposedFind(PetscObject object, const char key[], void *memory);
PetscErrorCode RungComposedCreate(PetscObject object, const char key[], size_t size,
                                  PetscErrorCode (*destroy)(RungContainerArg), void *memory);
/* filled.c: what was asked for when a Jacobian was filled last. */
typedef enum {
  RUNG_FILLED_JACOBIAN, /* RungSystemJacobian                           */
  RUNG_FILLED_STAGE,    /* RungSystemStageJacobian                      */
  RUNG_FILLED_CONDENSED /* the same without internal variables         */
} RungFilledKind;
typedef struct {
  RungFilledKind kind;
  RungSystemPart part;
  PetscReal      t;
  PetscReal      slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  Vec            u[RUNG_MAX_ORDER + 1]; /* owned, copies; NULL of linear systems, whose Jacobian has no state, and
                                unless sys->keep_filled */
} RungFilled;
PetscErrorCode RungFilledRecord(RungSystem sys, Mat J, RungFilledKind kind, RungSystemPart part, PetscReal t,
                                const Vec u[], const PetscReal slope[]);
PetscErrorCode RungFilledGet(Mat J, const RungFilled **filled); /* lent; NULL: nothing is known */
/* One line on the standard error of rank 0 that begins with "warning: ". */
PetscErrorCode RungSystemWarn(RungSystem sys, const char format[], ...);
/* callback_agree.c: why[] says where a Jacobian callback is not what differences of F at u[] are; "": it agrees, or there is none. */
PetscErrorCode RungSystemTellJacobian(RungSystem sys, PetscReal t, const Vec u[], char why[], size_t size);
/* Is it the one of shell.c?  It has no entries. */
PetscErrorCode RungIsShell(Mat J, PetscBool *shell);
/* mat_type.c: matrices of -system_mat_type; systems of forms.  The starts and constraints of a system keep AIJ. */
PetscErrorCode RungTypedCreateMat(RungSystem sys, Mat *J);
PetscErrorCode RungTypedCheckSolver(RungSystem sys, PCType type); /* refuses what does not fit the type */
/* to = from on Dirichlet entries. */
PetscErrorCode RungSystemTakeDirichlet(RungSystem sys, Vec from, Vec to);
/* Compares u^(k), as given by the initial values, with the Dirichlet data at t and then imposes the data (initial.c).
 */
PetscErrorCode RungSystemStartDirichlet(RungSystem sys, PetscReal t, PetscInt k, Vec u);
/* The same for bounds: a differential unknown that is given outside of them is moved onto them (bounds.c). */
PetscErrorCode RungSystemStartBounds(RungSystem sys, PetscReal t, Vec u);
PetscErrorCode RungSystemJumpBounds(RungSystem sys, PetscReal t, Vec u); /* without a word: bounds that have jumped */

/* ---- a system in time ------------------------------------------------------------------------------------------- */

typedef struct _RungConsistent *RungConsistent; /* consistent.c */

/* depth + 1 levels in a ring: `count` accepted ones behind `head`, and one that is free for the proposal. */
struct _p_RungTransientSystem {
  RungSystem     sys;   /* reference                                                                               */
  PetscInt       order; /* of the system                                                                           */
  PetscInt       depth, carried, numbers;
  PetscInt       count;                 /* accepted levels                                                         */
  PetscInt       head;                  /* ring index of the newest                                                */
  PetscBool      open;                  /* a proposal is out                                                       */
  RungSystemPart part;                  /* of F on lines                                                           */
  RungState     *level;                 /* owned, [depth + 1]                                                      */
  Vec            u[RUNG_MAX_ORDER + 1]; /* owned, [order + 1]: the line's values in Residual and Jacobian          */
  RungConsistent consistent;            /* owned, made on first use                                                */
  PetscInt       found;                 /* late rates that were asked for                                          */
};

/* Calls visit on all Vecs of a level, in one fixed order. */
PetscErrorCode RungStateVisit(RungTransientSystem ts, RungState *state, PetscErrorCode (*visit)(Vec v, void *ctx),
                              void *ctx);
RungState     *RungTransientSystemLevel(RungTransientSystem ts, PetscInt back);
/* The free slot becomes level 0.  Forget: no level is left. */
/* A level that nothing is known of. */
PetscErrorCode RungTransientSystemClear(RungTransientSystem ts, RungState *state);
PetscErrorCode RungTransientSystemPush(RungTransientSystem ts);
PetscErrorCode RungTransientSystemForget(RungTransientSystem ts);
PetscErrorCode RungConsistentDestroy(RungConsistent *c);
/* m and dm/dt of a state whose u[] are consistent. */
PetscErrorCode RungTransientSystemSetConserved(RungTransientSystem ts, RungState *state);
