/* rungsystem.h - transient systems F(t, u, u', u'') = 0, and what a level of one holds. */
#pragma once

#include <petscts.h>
#include <rungexpr.h>

typedef struct _p_RungSystem *RungSystem;

/* What is known of F before any number is; read off the form, or declared by the owner of callbacks. */
typedef struct {
  PetscInt  unknowns;                           /* number of unknown fields                                          */
  PetscInt  order;                              /* highest time derivative of any unknown: 0, 1 or 2                 */
  PetscInt  unknown_order[RUNG_MAX_UNKNOWNS];   /* of each; 0: algebraic as far as the text says (an upper bound)    */
  PetscBool linear;                             /* F is affine in (u, u', u'')                                       */
  PetscBool constant_jacobian;                  /* no dF/du^(k) depends on t or on u                                 */
  PetscBool constant_block[RUNG_MAX_ORDER + 1]; /* the same per k                                                    */
  PetscBool symmetric;                          /* every dF/du^(k) is symmetric                                      */
  PetscBool definite;                           /* evidently positive for positive sigma: a hint for solvers         */
  PetscBool mass;           /* dF/du^(order) is a mass of all unknowns: definite, if densities are positive */
  PetscBool undamped;       /* order 2: there is no u' in F                                      */
  PetscBool time_dependent; /* t appears explicitly, or in Dirichlet data                        */
  PetscBool jumps;          /* F jumps along an unknown, or may: sign(u), if(u > 0, ..), a comparison */
  PetscBool conserved;      /* F holds d/dt m(t, u) with nonlinear m, kept whole (order 1 only)  */
} RungTraits;

/* Of errors: of each unknown the root of the mean square, the maximum, or the root of the mean square over the volume. */
typedef enum { RUNG_ERROR_RMS, RUNG_ERROR_MAX, RUNG_ERROR_L2 } RungErrorNormType;

/* Why an attempt at a step is refused. */
typedef enum {
  RUNG_REFUSED_METHOD, /* by the method itself                                                                 */
  RUNG_REFUSED_ERROR,  /* the error test                                                                       */
  RUNG_REFUSED_NEWTON, /* Newton's method came to no end                                                       */
  RUNG_REFUSED_LINEAR, /* a singular matrix, or a linear solver that gave up                                   */
  RUNG_REFUSED_DOMAIN, /* F, or what is computed from it, is not finite                                        */
  RUNG_REFUSED_BOUND,  /* Newton's method came to no end, with bounds on unknowns                              */
  RUNG_REFUSED_POINT,  /* internal variables were not solved for at some point                                 */
  RUNG_CAUSES
} RungCause;

typedef PetscErrorCode RungResidualFn(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx);
typedef PetscErrorCode RungJacobianFn(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx);
typedef PetscErrorCode RungInitialFn(RungSystem sys, PetscReal t, PetscInt k, Vec u,
                                     void *ctx); /* k-th derivative at t */
typedef PetscErrorCode RungConservedFn(RungSystem sys, PetscReal t, Vec u, Vec m, void *ctx);
typedef PetscErrorCode RungConservedJacobianFn(RungSystem sys, PetscReal t, Vec u, PetscReal sigma, Mat J,
                                               void *ctx);           /* J += sigma dm/du */
typedef PetscErrorCode RungMatFn(RungSystem sys, Mat *J, void *ctx); /* a matrix with the pattern of every Jacobian */

/* ---- a system ------------------------------------------------------------------------------------------------- */

/* A system is made of weak forms (AddUnknown, AddResidual, ..) or of C functions (SetCallbacks), never of both.  Setters
   come before SetUp, which the first use calls; a setter after it is PETSC_ERR_ORDER unless its block says otherwise.
   Texts are read by SetUp, so that names may be declared after they are used; messages name the text: "residual 2",
   "initial u", "Dirichlet u on left", "quantity energy".  All functions are collective unless a block says otherwise. */
RUNG_EXTERN PetscErrorCode RungSystemCreate(MPI_Comm comm, RungSystem *sys);
/* RungSystemAddUnknown - a field u and its test function v.  The option -space_u SPEC replaces the space, on its mesh.
   An unknown of a space R is a number (a multiplier, the pressure behind an outlet): under dx and ds it is a constant, and
   terms that are integrated over nothing are written with dR, "(C*dt(p) + p/R)*q*dR".  Its values are quantities of its
   name, and it is left out of the pictures.
   Errors  PETSC_ERR_ARG_WRONG  a name that is taken or reserved */
RUNG_EXTERN PetscErrorCode RungSystemAddUnknown(RungSystem sys, const char name[], const char test[], RungSpace space);
/* RungSystemSetConstant - at any time, also after SetUp and between two steps: boundary data and kept blocks are made anew;
   who keeps a matrix asks RungSystemGetDataState() (a stepper does).  Errors  PETSC_ERR_ARG_WRONG  a name that is an option of the system (view, conserve, initial, ..);
   behind SetUp one that is new and within a few edits of another constant */
RUNG_EXTERN PetscErrorCode RungSystemSetConstant(RungSystem sys, const char name[], PetscReal value);
/* RungSystemDefine - a name for an expression; RungSystemAddResidual - a sum of integrals, linear in a test function;
   residuals add up.  AddResidualExpr takes one that was built with the names of RungSystemGetScope. */
RUNG_EXTERN PetscErrorCode RungSystemDefine(RungSystem sys, const char name[], const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemAddResidual(RungSystem sys, const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemAddResidualExpr(RungSystem sys, RungExpr expr);
/* RungSystemAddField - a given function of any space on the unknowns' mesh as a coefficient of residuals and quantities; its
   gradient too, its time derivative if it has a rate (RungFieldSetRate, before SetUp).  The caller keeps the field as long
   as the system; whoever changes its values has to renew a matrix that he keeps.
   RungSystemAddCoupling - an unknown of another system on the same mesh as such a coefficient, called `name`; the other
   system is kept as long as this one is, and two that read each other as long as a program has one of them.  Its values are 0
   until
   RungSystemSetCoupled - copies them from u, a vector of the other system: a level, an iterate.  At any time.  dt(name) and
   dt(name, 2) in texts are the other system's rates: they are set as "dt(name)" and "dt(name, 2)", from its u' and u'',
   and a residual that reads one that was never set is PETSC_ERR_ORDER.
   A system with couplings counts as dependent on t, and its Jacobian as constant only where it holds no field.
   Errors  PETSC_ERR_ARG_WRONG  a name that is taken, reserved or not coupled; no such unknown, with the nearest
           PETSC_ERR_ARG_INCOMP  (SetUp) another mesh */
RUNG_EXTERN PetscErrorCode RungSystemAddField(RungSystem sys, const char name[], RungField field);
RUNG_EXTERN PetscErrorCode RungSystemAddCoupling(RungSystem sys, const char name[], RungSystem from,
                                                 const char unknown[]);
RUNG_EXTERN PetscErrorCode RungSystemSetCoupled(RungSystem sys, const char name[], Vec u);
/* RungSystemSetDirichlet - u = g(x, t) on a part; rates of the data are exact derivatives.
   In      name  "u", or a component "u[1]", "u[0,1]"
           part  of facets, exterior or inside, by name or number; a name that no part of facets has may be one of edges,
                 vertices or cells; "boundary" is all of it
           text  g, of x, t and constants; the literal 0 fits every shape
   Where conditions meet the first one holds.
   Errors  (SetUp) PETSC_ERR_SUP a space without values on the boundary; PETSC_ERR_ARG_INCOMP data that move on a part that one
           condition in front of them has as a whole; (Start) PETSC_ERR_ARG_INCOMP conditions that meet
           and differ, both named; PETSC_ERR_FP data that are not finite, with the place */
RUNG_EXTERN PetscErrorCode RungSystemSetDirichlet(RungSystem sys, const char name[], const char part[],
                                                  const char text[]);
/* Affine constraints, u_s = C u_m + c(x, t), hold at every level with exact rates of c: slaves are eliminated from residual
   (C^T F) and matrix (C^T J C, the identity for slaves), whatever rank their masters are on.  A condition may follow
   another one; corners of periodic parts and edges of slip walls are resolved.  text NULL: c = 0.
   Errors  (SetUp) PETSC_ERR_ARG_INCOMP cycles, a dof that would be the slave of two sums, Dirichlet data on a slave
           whose masters are free, unknowns of different order in time: both conditions and the place are named; (Start)
           fixed values that a constraint joins and that differ
     AddPeriodic   u on part `slave` follows u on part `master`: nodes match under `map`, the master's place of x, as
                   "x + unit(0)" (NULL: the translation between the parts' boxes); c is the jump
     Tie           all values on a part are one number: the global number `to` (an unknown in R), or (NULL) whatever
                   follows from the equations
     AddConstraint sum_i coefficients[i] u_i = c of nodes: names[i] one component, x[i][3] where its node is (not read
                   for unknowns in R); the first term is the slave
     SetSlip       u.n = c on walls, flat or curved: n is the mean of the facets' normals at every node, also of several
                   calls with the same data; where facets meet at more than 45 degrees each wall keeps its own normal;
                   Dirichlet data of all components win at the end of a wall unless they cross it, and what data of
                   some leave of u.n is dropped where it is less than the error of a straight facet's normal          */
RUNG_EXTERN PetscErrorCode RungSystemAddPeriodic(RungSystem sys, const char name[], const char slave[],
                                                 const char master[], const char map[], const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemTie(RungSystem sys, const char name[], const char part[], const char to[],
                                         const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemAddConstraint(RungSystem sys, PetscInt n, const char *const names[],
                                                   const PetscReal x[], const PetscReal coefficients[],
                                                   const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemSetSlip(RungSystem sys, const char name[], const char part[], const char text[]);
/* RungSystemSetBounds - lower <= u <= upper at the nodes, NULL: no bound: the equations become complementarity conditions,
   F >= 0 where u is at its lower bound and F <= 0 at its upper one.  Only methods whose stages solve for the values of the
   new level take them (bdf, alpha of order 1 in its endpoint form, stiffly accurate dirk); others refuse.  Unknowns with
   dt(u, 2) have none: what moves with a velocity rebounds by a law that no bound says.  -system_mat_type: aij; baij and sbaij
   for scalars; dense.  Dirichlet data
   are not bounded; of slaves of constraints those that follow one entry are, through it.  After the unknown.
   Errors  PETSC_ERR_ARG_WRONG  no such unknown, with the nearest */
RUNG_EXTERN PetscErrorCode RungSystemSetBounds(RungSystem sys, const char name[], const char lower[],
                                               const char upper[]);
/* RungSystemSetLeastOrder - the order in time is `order` or what F contains, whichever is higher.  With 1 a system without dt()
   is a quasi-static one: all its unknowns are algebraic and follow t and their boundary data.  Before SetUp. */
RUNG_EXTERN PetscErrorCode RungSystemSetLeastOrder(RungSystem sys, PetscInt order);
/* RungSystemSetInitial - name: "u", "u[1]", and for unknowns of order 2 "dt(u)", "dt(u)[1]"; 0 where nothing is given.
   The highest rate and algebraic unknowns follow from the equations. */
RUNG_EXTERN PetscErrorCode RungSystemSetInitial(RungSystem sys, const char name[], const char text[]);
/* A quantity is the value of an integral at each accepted step.  A rate is integrated in time over the accepted steps,
   AddRate(sys, "work", "inner(g, dt(u))*ds(pin)") reports the work done since the start: by the stages of Runge-Kutta methods with their
   weights, so that what the equations conserve is in balance with what was summed up; of other methods by the trapezoidal rule up to
   order 2 and by Simpson's beyond.  Adaptive steps follow the errors of unknowns alone; where a sum is not resolved by them a warning at the
   end of the run tells. */
RUNG_EXTERN PetscErrorCode RungSystemAddQuantity(RungSystem sys, const char name[], const char text[]);
RUNG_EXTERN PetscErrorCode RungSystemAddRate(RungSystem sys, const char name[], const char text[]);
/* AddMean(sys, "pin", "u[0]*ds(pin)") reports the integral over the measure of its part: a mean value. */
RUNG_EXTERN PetscErrorCode RungSystemAddMean(RungSystem sys, const char name[], const char text[]);
/* RungSystemAddProbe - AddProbe(sys, "tip", "u[1]", x): the value of an expression of unknowns, their derivatives, fields,
   x and t at a point, a quantity; of vectors and tensors one for each component, "tip[0]", ..  Where cells meet and the
   expression jumps, the cell that comes first in the mesh counts: values are the same on any number of ranks.
   In      x  [axis]
   Errors  PETSC_ERR_ORDER  before the first unknown; (SetUp) PETSC_ERR_ARG_OUTOFRANGE  the point is outside of the mesh
           PETSC_ERR_ARG_WRONG  an integral, a test function, a quantity of that name */
RUNG_EXTERN PetscErrorCode RungSystemAddProbe(RungSystem sys, const char name[], const char text[],
                                              const PetscReal x[]);
/* RungSystemAddWatch - a quantity that is no integral:
     RUNG_REACTION           the sum of F, before data and constraints are put in, over the entries of an unknown, "u", or of a
                             component, "u[1]", at the nodes of a part; of vectors and tensors one for each component,
                             "NAME[0]", ..  It is what holds given entries: the force of a support, drag and lift, the heat that
                             leaves through a wall, with the sign of the term that the residual would need.  Exact for what the
                             equations balance, as integrals of derivatives over the part are not
     RUNG_MAXIMUM, _MINIMUM  the largest or least value of a scalar expression at the nodes of all cells, of the highest degree
                             among the unknowns, seen from each cell; "NAME.x", "NAME.y", "NAME.z" are its place, of several
                             whose values are the same up to 1e-9 of the largest the first along x, y, z
   Before SetUp.
   In      text  the unknown, or the expression;  part  of a reaction, else NULL
   Errors  PETSC_ERR_ORDER  before the first unknown;  PETSC_ERR_ARG_NULL  a reaction without a part, a part without a reaction;
           (SetUp) PETSC_ERR_ARG_WRONG  no such unknown or part, a name twice;  PETSC_ERR_SUP  a space without nodes on parts */
typedef enum { RUNG_REACTION, RUNG_MAXIMUM, RUNG_MINIMUM } RungWatchKind;
RUNG_EXTERN PetscErrorCode RungSystemAddWatch(RungSystem sys, RungWatchKind kind, const char name[], const char text[],
                                              const char part[]);
/* Callback systems: F and J are C functions.  jacobian NULL: finite differences on any number of ranks, of columns that share
   no row together if the matrix of SetMatCallback comes assembled with all its places, else of up to 1000 entries one by
   one.  local: owned entries of the Vecs.  traits.unknowns is 1.  J arrives zeroed and is assembled after the call:
   MatSetValues() is all that a Jacobian callback does.  It is compared with differences of F before the first solve of a system that is
   said to be linear, where another matrix is an error, by methods that are built on J (a warning), and where Newton's method fails or
   is slow: the message names the entry.  With conserved callbacks F = R + dm/dt: residual and jacobian are
   those of R, and m does not depend on t explicitly.
   Where F or J cannot be evaluated a callback sets an entry that is not finite (NaN), on one rank or several, and returns
   PETSC_SUCCESS: Newton's step is cut, the attempt fails, and with tolerances a shorter step is tried.  An error that a
   callback returns ends the run on all ranks, with its text; the other ranks' callbacks have to return. */
RUNG_EXTERN PetscErrorCode RungSystemSetCallbacks(RungSystem sys, PetscInt local, RungTraits traits,
                                                  RungResidualFn *residual, RungJacobianFn *jacobian, void *ctx);
RUNG_EXTERN PetscErrorCode RungSystemSetConservedCallbacks(RungSystem sys, RungConservedFn *conserved,
                                                           RungConservedJacobianFn *jacobian);
/* Callback systems have an AIJ matrix with every place filled, up to 1000 entries; larger ones need this.  Differences read
   the places of J off it: zeros entered at all of them, assembled. */
RUNG_EXTERN PetscErrorCode RungSystemSetMatCallback(RungSystem sys, RungMatFn *mat);
/* The k-th derivative at t, k < order; 0 without. */
RUNG_EXTERN PetscErrorCode RungSystemSetInitialCallback(RungSystem sys, RungInitialFn *initial);
/* RungSystemSetDifferential - dof by dof: 1 where the entry is differential, 0 where algebraic.  Forms tell by themselves which rates
   they hold, component by component and node by node; a mask declares more of their entries algebraic, those of a mass that is
   singular by its values.  Callbacks tell nothing: without a mask all their entries are differential.
   Before a stepper of the system is set up; of forms after RungSystemSetUp(), which says how long a Vec is.  The mask is copied.
   Errors  PETSC_ERR_ORDER           a stepper has been set up
           PETSC_ERR_ARG_SIZ         another length
           PETSC_ERR_ARG_OUTOFRANGE  an entry that is neither 0 nor 1 */
RUNG_EXTERN PetscErrorCode RungSystemSetDifferential(RungSystem sys, Vec mask);

/* RungSystemSolve - statics: u with F(t, u, 0, 0) = 0 at t = 0, by Newton's method from the u that is given (boundary values are
   put in), or one solve of a linear system.  With a constant, a load, a way of solutions: first that at `from`, then on to
   `to`, the first step `step`; steps double where that is easy and are halved where Newton's method fails, from a guess that
   the last two solutions lead to.  "t": time is what grows.  The constant keeps its last value.  Collective.
   In      constant  NULL: one solve; from, to and step are not read then
   In/Out  u         the guess at `from`, then the solution at `to`
   Errors  PETSC_ERR_NOT_CONVERGED  with the reason; u and the constant are those of the last solution that was found
           PETSC_ERR_ARG_OUTOFRANGE  numbers that are not finite, a step that is not positive
           PETSC_ERR_ARG_WRONG       no such constant, with the nearest */
RUNG_EXTERN PetscErrorCode RungSystemSolve(RungSystem sys, const char constant[], PetscReal from, PetscReal to,
                                           PetscReal step, Vec u);

RUNG_EXTERN PetscErrorCode RungSystemGetScope(RungSystem sys, RungScope *scope);    /* lent */
RUNG_EXTERN PetscErrorCode RungSystemGetLayout(RungSystem sys, RungLayout *layout); /* lent; NULL for callbacks */
/* What is known of F; names and spaces of unknowns, both lent (space NULL for callbacks). */
RUNG_EXTERN PetscErrorCode RungSystemGetTraits(RungSystem sys, RungTraits *traits);
RUNG_EXTERN PetscErrorCode RungSystemGetUnknown(RungSystem sys, PetscInt f, const char **name, RungSpace *space);
/* RungFieldSave, RungFieldLoad - a field to an HDF5 file and back, in an order that does not depend on the ranks: any number
   of them reads it.  Written aside and renamed.  Collective.
   Errors  PETSC_ERR_FILE_OPEN, PETSC_ERR_FILE_WRITE  with the reason
           PETSC_ERR_FILE_UNEXPECTED  (Load) a damaged file, or one of another mesh or space */
RUNG_EXTERN PetscErrorCode RungFieldSave(RungField field, const char path[]);
RUNG_EXTERN PetscErrorCode RungFieldLoad(RungField field, const char path[]);
/* Texts evaluated on a state u[k], k <= order; collective.
     Interpolate  into the nodes of a field in the cells of a part (NULL: all), see RungFieldInterpolate
     Project      the field nearest in L2, see RungFieldProject
     Norm         over the cells of a part, see RungExprNorm: Norm(sys, "u - exact", NULL, RUNG_NORM_L2, t, u, &error)   */
RUNG_EXTERN PetscErrorCode RungSystemInterpolate(RungSystem sys, const char text[], const char part[], PetscReal t,
                                                 const Vec u[], RungField field);
RUNG_EXTERN PetscErrorCode RungSystemProject(RungSystem sys, const char text[], PetscReal t, const Vec u[],
                                             RungField field);
RUNG_EXTERN PetscErrorCode RungSystemNorm(RungSystem sys, const char text[], const char part[], RungNormType type,
                                          PetscReal t, const Vec u[], PetscReal *value);

/* RungSystemSetFromOptions - reads
     -field_NAME FILE              values of a field that was added as NAME, as RungFieldLoad reads them
     -system_probe NAME=TEXT@X,Y   probes as by AddProbe; several with ";" between; like -system_tie, _slip and _periodic
                                   taken once, however often options are read
     -system_NAME VALUE            of every constant that is declared, here or before SetUp
     -system_view                  unknowns, residuals, traits, boundary data, solver, BLAS, when the system is set up;
                                   counts and seconds of evaluations when it is destroyed
     -system_conserve true|false   dt() of nonlinear terms kept whole (order 1; default true) or by the chain rule
     -system_initial solve|check   initial values that contradict the equations or boundary data: changed, with a warning,
                                   or an error; check also wants the algebraic unknowns as they solve the equations
     -system_mat_type aij|baij|sbaij|shell|..   systems of forms.  baij, sbaij: one unknown, blocks of its components, sbaij
                                   for symmetric Jacobians; other types of PETSc (sell, is, dense, ..) are filled by
                                   coordinates; all without constraints, and bounds as RungSystemSetBounds says.
                                   Not given: aij, but sbaij where it fits and conjugate gradients keep the matrix.
                                   shell: no matrix, J x by kernels and a Jacobi diagonal from the form.
                                   Starts of systems with algebraic unknowns still assemble
     -system_levels 2,1            degrees of the coarser levels of -pc_type mg, descending; not given: p/2, p/4, .., 1 for
                                   unknowns of degree p.  -pc_type mg solves by conjugate gradients (FGMRES where the matrix
                                   is not evidently definite) with multigrid on lower degrees of the same mesh, beside
                                   shell or aij; -pc_mg_.., -mg_levels_.., -mg_coarse_.. change it (docs/solvers.md)
     -system_levels_rank 200       unknowns of a rank below which there are no coarser meshes; as many ranks solve on the
                                   coarsest level as have so many each, unless its factors are small
     -system_condense true|false   internal variables (unknowns on Quad(q) whose equations couple them at their own point
                                   only) are eliminated point by point (default) or left in the matrix; they stay in it
                                   beside shell and bounds
     -system_reduced_integration true   too few points for the functions of a cell, of a degree or of Quad(q), are meant: a warning
                                   that tells of hourglass modes is not printed
     -system_keep_blocks true|false   what is constant in a nonlinear Jacobian is assembled once (default where the rest adds at
                                   most half of the values; takes a matrix for each derivative in time)
                                   or with the rest every time
     -system_periodic NAME,SLAVES,MASTERS   constraints as by AddPeriodic, Tie and SetSlip; several with ";" between
     -system_tie NAME,PART[,GLOBAL]
     -system_slip NAME,PART
     -system_output_rates          dt(u), dt(u, 2) beside u in files for ParaView
   May be called again after SetUp (a stepper does) and then changes nothing. */
RUNG_EXTERN PetscErrorCode RungSystemSetFromOptions(RungSystem sys);
RUNG_EXTERN PetscErrorCode RungSystemSetUp(RungSystem sys);
RUNG_EXTERN PetscErrorCode RungSystemView(RungSystem sys, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungSystemDestroy(RungSystem *sys);
/* Not collective. */
RUNG_EXTERN MPI_Comm RungSystemComm(RungSystem sys);

/* Vecs are not zeroed.  Matrices know which entries can differ from 0; Dirichlet rows and columns hold the identity. */
RUNG_EXTERN PetscErrorCode RungSystemCreateVec(RungSystem sys, Vec *u);
RUNG_EXTERN PetscErrorCode RungSystemCreateMat(RungSystem sys, Mat *J);

/* r = F(t, u, u', u'') with every dt expanded by the chain rule.  Dirichlet rows of r are zero.
   Errors  PETSC_ERR_ARG_SIZ  Vecs of another size (of RungSystemJacobian, too);  PETSC_ERR_ARG_IDN  r is one of the u[k] */
RUNG_EXTERN PetscErrorCode RungSystemResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r);
/* J = sum_k sigma[k * unknowns + g] dF/du_g^(k); rows and columns of Dirichlet dofs are those of the identity. */
RUNG_EXTERN PetscErrorCode RungSystemJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                              Mat J);

/* RungSystemSetTS - hands the system to a PETSc TS: TSSetIFunction and TSSetIJacobian for order 1, TSSetI2Function and
   TSSetI2Jacobian for order 2, with the solver defaults of the system and a consistent start at the TS's time as its
   solution.  Boundary data and constraints are rows u - g(t); free entries see their exact values, rates and
   accelerations, at the end of a step entries with data have the accuracy of the method.  Call it after TSSetType() and
   TSSetTime(), before TSSetFromOptions().  dt() of nonlinear terms is taken by the chain rule.  The TS keeps the system.
   Collective.
   Errors  PETSC_ERR_SUP  no time derivative; bounds on unknowns */
RUNG_EXTERN PetscErrorCode RungSystemSetTS(RungSystem sys, TS ts);

/* ---- a system in time ------------------------------------------------------------------------------------------- */

/* One level.  u[k] for k <= order; m only where traits.conserved (a stepper fills it in its proposals); carry are the method's own vectors (algorithmic rates of
   alpha methods, a last stage's derivative), with companions for m. */
typedef struct {
  PetscReal  t;
  Vec        u[RUNG_MAX_ORDER + 1]; /* u, u', u''                                                                     */
  Vec        m[2];                  /* m(t, u) and its rate                                                           */
  Vec       *carry;                 /* [carried]                                                                      */
  Vec       *carry_m;               /* [carried]; NULL without conserved terms                                        */
  PetscReal *number;                /* the method's own, as many as it wants; 0 after a start and after a jump        */
  PetscBool  late;                  /* the highest rates are found when somebody asks for the level                   */
} RungState;
