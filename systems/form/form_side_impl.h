/* form_side_impl.h - systems made of forms: what system_form.c, dirichlet.c, initial.c, quantity.c and write.c share. */
#pragma once

#include "system_impl.h"

typedef struct _RungDirichlet      *RungDirichlet;      /* dirichlet.c         */
typedef struct _RungConstraints    *RungConstraints;    /* constraint.c        */
typedef struct _RungBound           RungBound;          /* bounds.c            */
typedef struct _RungNullSpaces     *RungNullSpaces;     /* nullspace.c         */
typedef struct _RungReduction      *RungReduction;      /* constraint_matrix.c */
typedef struct _RungConstantBlocks *RungConstantBlocks; /* form_constant.c     */
typedef struct _RungVarying        *RungVarying;        /* form_varying.c     */
typedef struct _RungCondense       *RungCondense;       /* condense.c          */

/* One AddResidual call: a text, read at set-up when all names are known, or an expression. */
typedef struct {
  char    *text; /* owned; NULL: expr is given */
  RungExpr expr;
} RungResidualTerm;

/* One SetDirichlet or SetInitial call; all strings are owned. */
typedef struct {
  char *name; /* "u", "u[1]", "dt(u)" */
  char *part; /* NULL for initial values */
  char *text;
} RungDataText;

typedef enum {
  RUNG_CONSTRAINT_PERIODIC,
  RUNG_CONSTRAINT_TIE,
  RUNG_CONSTRAINT_POINTS,
  RUNG_CONSTRAINT_SLIP
} RungConstraintKind;

/* One AddPeriodic, Tie, AddConstraint or SetSlip call; everything is owned. */
typedef struct {
  RungConstraintKind kind;
  char              *name;        /* of the slaves                                                 */
  char              *part;        /* where they are; NULL for points                               */
  char              *other;       /* periodic: part of the masters; tie: a global number, or NULL  */
  char              *map;         /* periodic: master's place of x; NULL: a translation            */
  char              *text;        /* the data; NULL: zero                                          */
  PetscInt           n;           /* points                                                        */
  char             **names;       /* [n]                                                           */
  PetscReal         *x;           /* [n][3]                                                        */
  PetscReal         *coefficient; /* [n]                                                           */
} RungConstraintText;

typedef enum {
  RUNG_QUANTITY_VALUE,
  RUNG_QUANTITY_MEAN,
  RUNG_QUANTITY_RATE,
  RUNG_QUANTITY_GLOBAL,
  RUNG_QUANTITY_PROBE,
  RUNG_QUANTITY_WATCH
} RungQuantityKind;
typedef struct {
  char            *name; /* owned */
  char            *text; /* owned */
  RungQuantityKind kind;
  PetscReal        extent;             /* what the integral is divided by: 1, or the measure of a mean's part */
  RungForm         form;               /* owned, made by SetUp; NULL for a global number */
  RungForm         measure;            /* owned: of a mean's part, while it is set up */
  PetscInt         unknown, component; /* of a global number; of a probe or watch: its number and component */
} RungQuantity;

/* One AddProbe call; everything is owned. */
typedef struct {
  char       *name, *text;
  PetscReal   x[3];
  RungSampler sampler; /* made by SetUp                     */
  RungProbes  point;   /* the same; rank 0 asks             */
  PetscInt    first;   /* in RungFormSide.probed            */
  PetscInt    components;
} RungProbe;

/* The entries that a name stands for. */
typedef struct {
  PetscInt unknown;
  PetscInt k;         /* time derivative: dt(u) is 1                   */
  PetscInt component; /* -1: all; row-major in tensors                 */
  PetscInt width;     /* components meant: 1 or those of the space     */
} RungTarget;

/* One AddWatch call. */
typedef struct {
  char       *name, *text; /* owned; text: an unknown or component, or an expression                       */
  char       *part;        /* owned, of a reaction; NULL: an extreme                                        */
  PetscBool   least;       /* a minimum                                                                     */
  PetscInt    values;      /* components of a reaction; 1 + dim: the extreme and its place                  */
  PetscReal  *value;       /* owned, [values] as they were last read; behind them room for as many of a rank */
  RungTarget  target;      /* of a reaction                                                                 */
  PetscInt    entries;
  PetscInt   *entry;   /* owned, [entries], node after node                                             */
  RungSampler sampler; /* owned, of an extreme                                                          */
  RungField   field;   /* owned, its values at the nodes of all cells                                   */
} RungWatch;

/* One SetBounds call. */
struct _RungBound {
  char         *name, *text[2]; /* owned; text NULL: no bound on that side */
  RungTarget    target;         /* read when first asked for               */
  RungPointwise value[2];       /* owned, NULL: no bound, or zero          */
  PetscBool     ready;
};

/* One AddField call. */
typedef struct {
  char     *name;  /* owned */
  RungField field; /* lent  */
  char     *text;  /* owned, what its values come from; NULL: not told */
} RungGivenField;

/* An unknown of another system as a coefficient. */
typedef struct {
  RungSystem from;                      /* reference                                            */
  PetscInt   unknown;                   /* of from                                              */
  RungField  field[RUNG_MAX_ORDER + 1]; /* owned, [k] its values and rates                      */
  PetscBool  given[RUNG_MAX_ORDER + 1]; /* have there been values                               */
  PetscBool  asked, reads;              /* reads: equations hold dt() of it, known once it was asked */
  Vec end[2][RUNG_MAX_ORDER + 1]; /* owned: both ends of a path in time, NULL where values stay as they were set */
  PetscReal t[2], now;            /* of the path; now: the time that the fields are of, NaN: none yet            */
} RungCoupledUnknown;

PetscErrorCode RungCouplingsCheck(RungSystem sys);      /* every rate that is read was given once */
PetscErrorCode RungCouplingsCheckRates(RungSystem sys); /* every coupling has its first rate */
/* sys, which has lost a holder, and what it reads keep each other: it goes where nobody else holds any of them. */
PetscErrorCode RungCouplingsDrop(RungSystem sys);
/* Coefficients that follow a path get their values at t; before whatever reads them. */
PetscErrorCode RungCouplingsFollow(RungSystem sys, PetscReal t);

struct _RungFormSide {
  RungScope           scope; /* owned; it knows names, tests, spaces, constants                          */
  PetscInt            unknowns;
  char               *name[RUNG_MAX_UNKNOWNS], *test[RUNG_MAX_UNKNOWNS]; /* owned                        */
  RungSpace           space[RUNG_MAX_UNKNOWNS];                          /* references                   */
  PetscInt            residuals, conditions, initials, quantities;
  RungResidualTerm   *residual;  /* owned, [residuals]                                                   */
  RungDataText       *condition; /* owned, [conditions]                                                  */
  RungDataText       *initial;   /* owned, [initials]                                                    */
  PetscInt            couplings;
  RungCoupledUnknown *coupling; /* owned, [couplings]                                                   */
  PetscInt            fields;
  RungGivenField     *field; /* owned, [fields]                                                      */
  PetscInt            probes;
  RungProbe          *probe;  /* owned, [probes]                                                      */
  PetscScalar        *probed; /* owned, values of all probes as they were last read                   */
  PetscInt            watches;
  RungWatch          *watch; /* owned, [watches]                                                      */
  PetscInt            bounds;
  RungBound          *bound;        /* owned, [bounds]                                                      */
  PetscBool           data_outside; /* of bounds: a warning has told of boundary data              */
  PetscInt            constraint_texts;
  RungConstraintText *constraint_text;   /* owned, [constraint_texts]                                            */
  RungQuantity       *quantity;          /* owned, [quantities]                                                  */
  const char        **quantity_name;     /* owned, [quantities]; the strings are those of quantity           */
  PetscBool          *quantity_rate;     /* owned, [quantities]                                              */
  PetscInt            constants_version; /* raised by each new value: what was evaluated before is stale */
  PetscInt            changings;
  char              **changing; /* owned, [changings]: constants that events change                       */
  RungSwitches        switches; /* owned, of equations and boundary data; NULL before SetUp     */
  /* made by SetUp */
  RungLayout            layout;   /* owned */
  const RungLayoutData *data;     /* lent by layout                                                          */
  RungForm              F;        /* owned: every dt by the chain rule                                       */
  RungForm              rest;     /* owned: R; NULL without conserved terms, or if nothing is left           */
  RungForm              m;        /* owned: the conserved vector; NULL without                               */
  RungForm              implicit; /* owned: R without terms inside of explicit(); NULL: nothing is left, or all is   */
  RungForm      explicit_part;    /* owned: these terms; NULL without                                                */
  RungPointwise density[RUNG_MAX_UNKNOWNS]; /* owned: of scalar unknowns that conserved terms hold alone; NULL */
  PetscBool    *couple; /* owned, [f * unknowns + g]                                               */
  PetscInt      holds
    [RUNG_MAX_UNKNOWNS]; /* [equation] 2: an unknown by its highest rate is in it, or one without rates; 1: lower rates alone; 0: values alone */
  PetscBool          holds_fields; /* some block of the Jacobian does                                         */
  PetscInt64         signs;        /* constants and fields when signs were asked for last (form_signs.c)        */
  PetscBool          lump;         /* -system_lumped_mass                                                     */
  PetscBool         *fixed;        /* owned, [local dof] Dirichlet entries, ghosts too                        */
  RungPointwise     *value;        /* owned, [initials]; NULL where the text is 0                             */
  RungTarget        *target;       /* owned, [initials]                                                       */
  Vec                begin[2];     /* owned: u and u' where no initial value is said; NULL: 0                 */
  RungDirichlet      dirichlet;    /* owned                                                              */
  RungNullSpaces     null_spaces;  /* owned, found when a matrix is first made                           */
  PetscBool          at_rest;      /* they are those of dF/du alone: F is solved without rates           */
  RungConstraints    constraints;  /* owned; NULL without                                                */
  RungCondense       condense;     /* owned; NULL where nothing is condensed                             */
  RungConstantBlocks constant;     /* owned: blocks of a constant Jacobian; NULL before they are asked for */
  RungForm           forces;       /* owned: F without the highest rates; NULL: not asked for, or there is none */
  PetscBool          asked_forces;
  RungVarying        varying;  /* owned: constant blocks of a nonlinear Jacobian; NULL where it has none */
  PetscBool          counted;  /* nonzeros is known: there was a matrix                              */
  PetscReal          nonzeros; /* of the Jacobian on this rank                                       */
};

/* room for one more element of a growing array: capacity is the next power of two */
#define RungGrow(n, array)                                                                                             \
  do {                                                                                                                 \
    if (((n) & ((n)-1)) == 0) PetscCall(PetscRealloc(sizeof *(array) * (size_t)((n) ? 2 * (n) : 1), &(array)));        \
  } while (0)

/* said.c: adds a line for each call */
PetscErrorCode RungFormSideTell(RungSystem sys, RungDraft *said);

/* expression.c: a text that is a value at points; the mesh of the unknowns */
PetscErrorCode RungSystemReadExpr(RungSystem sys, const char label[], const char text[], RungExpr *expr);
RungMesh       RungSystemMesh(RungSystem sys);
/* probe.c */
PetscErrorCode RungProbesFromOptions(RungSystem sys);
PetscErrorCode RungProbesSetUp(RungSystem sys);
PetscErrorCode RungProbesRead(RungSystem sys, PetscReal t, const Vec u[]);
PetscErrorCode RungProbesReset(RungSystem sys);        /* what SetUp made */
PetscErrorCode RungProbesDestroyTexts(RungSystem sys); /* what was said   */
PetscErrorCode RungFieldsFromOptions(RungSystem sys);  /* field_file.c */
/* watch.c, likewise */
PetscErrorCode RungWatchesSetUp(RungSystem sys);
PetscErrorCode RungWatchesRead(RungSystem sys, PetscReal t, const Vec u[]);
PetscErrorCode RungWatchesReset(RungSystem sys);
PetscErrorCode RungWatchesDestroyTexts(RungSystem sys);
PetscErrorCode RungWatchesView(RungSystem sys, PetscViewer viewer);

/* field.c, coupling.c; after the scope, whose fields these are */
PetscErrorCode RungFieldsDestroy(RungSystem sys);
PetscErrorCode RungCouplingsDestroy(RungSystem sys);

/* switch.c: the decisions of t alone in an expression become those of the step that is set */
PetscErrorCode RungSystemTakeSwitches(RungSystem sys, RungExpr *expr);

/* target.c */
PetscErrorCode RungTargetFind(RungSystem sys, const char what[], const char name[], RungTarget *target);
/* Reads data for a target.  label opens messages.  *zero: the literal 0, which fits every shape; then no expr. */
PetscErrorCode RungTargetRead(RungSystem sys, const RungTarget *target, const char label[], const char text[],
                              RungExpr *expr, PetscBool *zero);
/* The data and their exact time derivatives: value[k] for k <= order, NULL where they are zero. */
PetscErrorCode RungTargetReadLevels(RungSystem sys, const RungTarget *target, const char label[], const char text[],
                                    RungPointwise value[], PetscBool *moves);
/* "x = (0.5, 1)" of a place or a node; axes of the mesh */
PetscErrorCode RungPlaceToText(PetscInt dim, const PetscReal x[], char place[], size_t size);
PetscInt       RungSystemDim(RungSystem sys);
PetscErrorCode RungTargetPlace(const RungSpaceData *space, PetscInt node, char place[], size_t size);

/* form_forces.c: r = F with zero in the place of u[order], which is NULL; done: there is a cheaper way than F itself */
PetscErrorCode RungFormSideForces(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done);

#define RUNG_KERNEL_WORTH 200000 /* dofs of all cells from which on a kernel of its own pays */
/* form_evaluate.c: the vector of a form, NULL: zero, but for what given values and slaves take of it.  Products: F as products with
   constant blocks where it is cheaper so, u[k] NULL: zero */
PetscErrorCode RungFormSideProducts(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done);
PetscErrorCode RungFormSideAssemble(RungSystem sys, RungForm form, PetscReal t, const Vec u[], Vec r);
/* form_constant.c: done: F is linear with a constant Jacobian, and it was cheaper not to assemble */
PetscErrorCode RungConstantJacobian(RungSystem sys, RungForm F, const PetscReal sigma[], Mat J, PetscBool *done);
PetscErrorCode RungConstantResidual(RungSystem sys, RungForm F, PetscReal t, const Vec u[], Vec r, PetscBool *done);
PetscErrorCode RungConstantForget(RungSystem sys); /* the blocks */
PetscErrorCode RungConstantBlocksDestroy(RungConstantBlocks *constant);

/* form_varying.c: F, or the rest of it, before it is set up; done: it is nonlinear with constant blocks, and J was made with
   these, and of the conserved vector where `also` is not NULL, weights as in RungFormAddWeighted() */
PetscErrorCode RungVaryingSetUp(RungSystem sys, RungForm F);
PetscErrorCode RungVaryingJacobian(RungSystem sys, RungForm F, RungForm also, PetscReal t, const Vec u[],
                                   const PetscReal sigma[], Mat J, PetscBool *done);
PetscErrorCode RungVaryingDestroy(RungVarying *varying);

/* condense.c: finds what can be condensed */
PetscErrorCode RungCondenseSetUp(RungSystem sys, RungExpr residual, const RungFormTraits *traits);
PetscInt       RungCondensedEntries(RungSystem sys);            /* on all ranks */
PetscBool      RungIsCondensed(RungSystem sys, PetscInt f);     /* unknown f */
void           RungCondenseUse(RungSystem sys, PetscInt users); /* so many solvers more eliminate what is condensed */
PetscErrorCode RungCondenseView(RungSystem sys, PetscViewer viewer);
PetscErrorCode RungCondenseDestroy(RungCondense *condense);
/* condense_matrix.c: J of RungSystemCreateStageMat at a state, internal variables eliminated */
PetscErrorCode RungCondenseJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                    const PetscReal slope[], Mat J);
/* condense_factors.c: pc, which factors and is not set up, leaves the rows of internal variables out where these stand alone */
PetscErrorCode RungCondenseFactors(RungSystem sys, PC pc);
/* after a solve with the matrix J of RungSystemCreateStageMat */
PetscErrorCode RungCondenseExtend(Mat J, Vec x);

/* form_part.c: splits the residual, whose traits are those of F, after F and m are made; lines of -system_view */
PetscErrorCode RungPartsSetUp(RungSystem sys, RungExpr outside, RungExpr inside);
PetscErrorCode RungPartsCheck(RungSystem sys,
                              RungExpr   written); /* refuses equations without rates inside of explicit() */
PetscErrorCode RungPartsView(RungSystem sys, PetscViewer viewer);
RungForm RungFormOfPart(RungSystem sys, RungSystemPart part); /* R of a part: what is not conserved; NULL: nothing is */

/* form_evaluate.c: entries of RungSystemOps */
PetscErrorCode RungFormSideResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r);
PetscErrorCode RungFormSideJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J);
PetscErrorCode RungFormSideRest(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[], Vec r);
PetscErrorCode RungFormSideConserved(RungSystem sys, PetscReal t, Vec u, Vec m);
PetscErrorCode RungFormSideExplicit(RungSystem sys, PetscReal t, const Vec u[], Vec e);
PetscErrorCode RungFormSideStageJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                         const PetscReal sigma[], Mat J);
/* d = diagonal of the stage Jacobian from the matrices of one of `every` cells, which go into no matrix; of all of them it takes less than
   half the time of a filling.  What boundary data set is not in it.  Out  done  false: d was not touched, as J is made of
   something besides */
PetscErrorCode RungFormSideDiagonal(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], PetscInt every, Vec d, PetscBool *done);
/* form_shape.c: the sides of cells to each other where lengths are measured by what diffuses along them, of one of `every` cells the mean: 1 of
   cubes, 1.4 of tetrahedra that halve and halve cubes, 1.9 of cubes that are elastic;
   layered: the second longest one to the longest, which alone is slender where bodies consist of layers.  Of one unknown; else 1.  Collective. */
PetscErrorCode RungFormSideShape(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                 const PetscReal sigma[], PetscInt every, PetscReal *slender, PetscReal *layered);
PetscErrorCode RungFormSideAction(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y);
PetscErrorCode RungFormSideTimeDerivative(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], Vec r);
PetscErrorCode RungFormSideExplain(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], char message[],
                                   size_t size);

/* gauge.c: of texts that may hold rates of numbers in R; See: they are those of a state, collective */
PetscErrorCode RungGaugeCreateRated(RungSystem sys, const char label[], const char text[], PetscInt more,
                                    const char *const names[], RungGauge *gauge);
PetscErrorCode RungGaugeSee(RungGauge gauge, PetscReal t, const Vec u[]);

/* global.c */
PetscBool      RungGlobalUnknown(RungSystem sys, PetscInt f); /* unknown f lives in R */
PetscErrorCode RungGlobalAddQuantities(RungSystem sys);
PetscErrorCode RungGlobalEvaluate(RungSystem sys, const RungQuantity *q, Vec u, PetscReal *value);
PetscErrorCode RungGlobalCheckData(RungSystem sys, PetscInt f, const char label[], const char text[],
                                   RungPointwise value); /* refuses x */

/* mat_type.c */
PetscErrorCode RungTypedCheckFit(RungSystem sys); /* refuses systems that the type does not fit */
PetscErrorCode
RungTypedCheckBounds(RungSystem sys); /* bounds beside a type without single rows: part of it, and of shells */
PetscErrorCode RungTypedCreate(RungSystem sys, const PetscBool couple[], const PetscBool fixed[],
                               Mat *J);                             /* the type, else aij */
PetscErrorCode RungTypedIs(RungSystem sys, Mat J, PetscBool *flag); /* has J that type?   */
/* Kept Jacobians are whole from now on; J becomes AIJ, without values, if it is one half. */
PetscErrorCode RungTypedMakeWhole(RungSystem sys, Mat *J);
/* A kept Jacobian that was applied by kernels gets entries, now and from now on: one half or whole rows. */
PetscErrorCode RungActionMakeMat(RungSystem sys, PetscBool half, Mat *J);

/* shell.c: J as a MATSHELL, filled with copies of the state; AddWeighted: J += diag(weight of rows) dG/du */
PetscErrorCode RungShellCreate(RungSystem sys, Mat *J);
PetscErrorCode RungShellSet(Mat J, RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[]);
PetscErrorCode RungShellAddWeighted(Mat J, RungForm form, const PetscReal sigma[], const PetscReal weight[]);

PetscErrorCode RungDirichletSetUp(RungSystem sys); /* fills form->dirichlet and form->fixed */
/* Dirichlet entries alone, without the slaves that may follow them */
PetscErrorCode RungSystemImposeDirichletData(RungSystem sys, PetscReal t, PetscInt k, Vec u);
const char    *RungDirichletLabel(RungSystem sys, PetscInt condition);
PetscInt       RungDirichletOf(RungSystem sys, PetscInt local); /* condition that gives a local entry, -1 none */
PetscErrorCode RungDirichletView(RungSystem sys, PetscViewer viewer);
PetscErrorCode RungDirichletDestroy(RungDirichlet *dirichlet);
PetscErrorCode RungDirichletIsTimeDependent(RungSystem sys, PetscBool *flag);
/* dirichlet_start.c, collective.  Out  message[size]  which data of a condition or a constraint, or their rates, are not finite
   at t, and where; "" none; the same on all ranks.  RungConstraintsExplain: of constraints alone, "" as it was. */
PetscErrorCode RungDirichletExplain(RungSystem sys, PetscReal t, char message[], size_t size);
PetscErrorCode RungConstraintsExplain(RungSystem sys, PetscReal t, char message[], size_t size);
/* The message of the lowest rank where data are not finite; *bad: there is one.  Collective. */
PetscErrorCode RungDataMessage(RungSystem sys, int finite, const char label[], const char place[], PetscReal t,
                               PetscInt k, char message[], size_t size, PetscBool *bad);
PetscErrorCode RungConstraintsTieTo(RungSystem sys, PetscInt f, PetscBool *tied); /* a part is tied to number f */
/* A number that a part is tied to has the order in time of its slaves. */
PetscErrorCode RungConstraintsRaiseOrders(RungSystem sys);
PetscErrorCode RungConstraintsFromOptions(RungSystem sys); /* constraint_declare.c */
/* constraint.c; all but SetUp return at once without constraints */
PetscErrorCode RungConstraintsSetUp(RungSystem sys);
void           RungConstraintsMark(RungSystem sys, PetscBool slave[]); /* [local entry] */
PetscErrorCode RungRatedSetUp(RungSystem sys);                         /* rated.c: makes sys->rated */
PetscErrorCode RungConstraintsView(RungSystem sys, PetscViewer viewer);
PetscErrorCode RungConstraintsDestroy(RungSystem sys);
PetscErrorCode RungConstraintsDestroyTexts(RungSystem sys);
PetscErrorCode RungConstraintsImpose(RungSystem sys, PetscReal t, PetscInt k, Vec u); /* u_s = C u_m + c^(k) */
PetscErrorCode RungConstraintsExtend(RungSystem sys, Vec d);                          /* d_s += C d_m        */
PetscErrorCode RungConstraintsReduce(RungSystem sys, Vec r);                          /* r_m += C^T r_s      */
/* constraint_bounds.c: slaves with one master leave it their bounds, as they are set for all entries. */
PetscErrorCode RungConstraintsPassBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper);
PetscErrorCode RungConstraintsReduceDiagonal(RungSystem sys, Vec d); /* d_m += sum C^2 d_s: of diag(C^T D C) */
/* d_m += sum over a != b of C_am C_bm (diag(weight) J)_ab with J of RungFormAssembleMat: what ReduceDiagonal misses.  weight
   [unknown], NULL: 1.  Collective. */
PetscErrorCode RungConstraintsAddDiagonal(RungSystem sys, RungForm form, PetscReal t, const Vec u[],
                                          const PetscReal sigma[], const PetscReal weight[], Vec d);
PetscErrorCode RungConstraintsStart(RungSystem sys, PetscReal t, PetscInt k, Vec u); /* constraint_start.c  */
/* constraint_matrix.c: the matrix A with all rows that forms are assembled into, and J = C^T A C of it */
PetscErrorCode RungConstraintsCreateMat(RungSystem sys, PetscBool stage, Mat *J); /* stage: internal variables are */
PetscErrorCode RungConstraintsFullMat(RungSystem sys, PetscBool stage, Mat *A);   /* eliminated                     */
PetscErrorCode RungConstraintsReduceMat(RungSystem sys, PetscBool stage, Mat J);
/* condense.c: what couples, and which local entries are those of the identity, in A */
void           RungCondensePattern(RungSystem sys, PetscBool stage, const PetscBool **couple, const PetscBool **fixed);
PetscErrorCode RungBoundsDestroy(RungSystem sys); /* bounds.c */
/* bodies.c, collective.  Out  bodies  that no cell joins; 1 if there are more than RUNG_BODIES
                            body[vertex] 0 .. bodies - 1 of the vertices of this rank, the caller's; NULL for points */
#define RUNG_BODIES 16
PetscErrorCode RungBodiesFind(RungMesh mesh, PetscInt *bodies, PetscInt **body);
/* nullspace.c */
PetscErrorCode RungNullSpacesAttach(RungSystem sys, Mat J);
PetscErrorCode RungNullSpacesGet(RungSystem sys, MatNullSpace *whole); /* lent; NULL: J is not known to be singular */
PetscErrorCode RungNullSpacesGetNear(RungSystem sys, PetscInt f,
                                     MatNullSpace *near);  /* lent; of unknown f; NULL: none */
PetscErrorCode RungNullSpacesSplit(RungSystem sys, PC pc); /* a split for each unknown, by its name     */
PetscErrorCode RungNullSpacesDestroy(RungNullSpaces *spaces);
/* From now on they are those of F without rates, or with them; found anew if that makes a difference.  Collective. */
PetscErrorCode RungNullSpacesRest(RungSystem sys, PetscBool rest);
/* nullspace_left.c: v^T J = 0 for a constant or a rotation v, of J without rates; "": nothing of the kind.  The same on all
   ranks.  Collective. */
PetscErrorCode RungNullLeft(RungSystem sys, Mat J, char why[], size_t size);
PetscErrorCode RungInitialSetUp(RungSystem sys);
/* seam.c: a warning where nodes of a part (NULL: all) on the seam of a mesh that closes upon itself would have another value of a
   function from the other side; value[n] of it elsewhere say what is rounding.  Collective. */
PetscErrorCode RungSeamCheck(RungSystem sys, const char label[], const char text[], RungSpace space, const char part[],
                             RungPointwise function, PetscInt width, PetscReal t, PetscInt n,
                             const PetscScalar value[]);
PetscErrorCode RungInitialValues(RungSystem sys, PetscReal t, PetscInt k, Vec u);
/* apart.c: a warning where an unknown jumps between cells, has derivatives in space, and no facet and no continuous unknown joins cells.
   Collective. */
PetscErrorCode RungApartTell(RungSystem sys, const RungFormTraits *traits);
/* A warning where u, which the equations have made of the initial values, has others in an unknown without a rate, and an unknown with one
   begins at 0 since nobody has said how.  Collective. */
PetscErrorCode RungInitialCheckStart(RungSystem sys, PetscReal t, Vec u);
PetscErrorCode RungInitialDestroy(RungSystem sys);
PetscErrorCode RungQuantitySetUp(RungSystem sys);
PetscErrorCode RungQuantityReset(RungSystem sys); /* what SetUp made */
PetscErrorCode RungQuantityDestroy(RungSystem sys);
