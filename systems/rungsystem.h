/* rungsystem.h - transient systems F(t, u, u', u'') = 0, and a system in time: its levels and their history. */
#pragma once

#include <petscts.h>
#include <rungforms.h>

typedef struct _p_RungSystem          *RungSystem;
typedef struct _p_RungTransientSystem *RungTransientSystem;
typedef struct _p_RungWriter          *RungWriter;
typedef struct _p_RungCheckpoint      *RungCheckpoint;

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
  PetscBool time_dependent;                     /* t appears explicitly, or in Dirichlet data                        */
  PetscBool conserved;                          /* F holds d/dt m(t, u) with nonlinear m, kept whole (order 1 only)  */
} RungTraits;

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
   who keeps a matrix asks RungSystemGetDataState() (a stepper does).  Errors  PETSC_ERR_ARG_WRONG  a name that is an option of the system (view, conserve, initial, ..) */
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
   system is referenced.  Its values are 0 until
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
   Errors  (SetUp) PETSC_ERR_SUP a space without values on the boundary; (Start) PETSC_ERR_ARG_INCOMP conditions that meet
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
   for scalars; dense.  HasBounds, HasBoundsOn: is there one at all, on the f-th unknown.  Dirichlet data
   are not bounded; of slaves of constraints those that follow one entry are, through it.  GetBounds: both Vecs at time t, +-PETSC_INFINITY where there is none. */
RUNG_EXTERN PetscErrorCode RungSystemSetBounds(RungSystem sys, const char name[], const char lower[],
                                               const char upper[]);
RUNG_EXTERN PetscErrorCode RungSystemHasBounds(RungSystem sys, PetscBool *has);
RUNG_EXTERN PetscErrorCode RungSystemHasBoundsOn(RungSystem sys, PetscInt f, PetscBool *has);
RUNG_EXTERN PetscErrorCode RungSystemGetBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper);
/* RungSystemSetLeastOrder - the order in time is `order` or what F contains, whichever is higher.  With 1 a system without dt()
   is a quasi-static one: all its unknowns are algebraic and follow t and their boundary data.  Before SetUp. */
RUNG_EXTERN PetscErrorCode RungSystemSetLeastOrder(RungSystem sys, PetscInt order);
/* RungSystemSetInitial - name: "u", "u[1]", and for unknowns of order 2 "dt(u)", "dt(u)[1]"; 0 where nothing is given.
   The highest rate and algebraic unknowns follow from the equations. */
RUNG_EXTERN PetscErrorCode RungSystemSetInitial(RungSystem sys, const char name[], const char text[]);
/* A quantity is the value of an integral at each accepted step.  A rate is integrated in time over the accepted steps by
   the trapezoidal rule: AddRate(sys, "work", "inner(g, dt(u))*ds(pin)") reports the work done since the start. */
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
/* Callback systems: F and J are C functions.  jacobian NULL: finite differences on any number of ranks, of columns that share
   no row together if the matrix of SetMatCallback comes assembled with all its places, else of up to 1000 entries one by
   one.  local: owned entries of the Vecs.  traits.unknowns is 1.  J arrives zeroed and is assembled after the call:
   MatSetValues() is all that a Jacobian callback does.  With conserved callbacks F = R + dm/dt: residual and jacobian are
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
/* dof by dof: 1 where the entry is differential, 0 where algebraic (callback systems; else read off the form) */
RUNG_EXTERN PetscErrorCode RungSystemSetDifferential(RungSystem sys, Vec mask);

RUNG_EXTERN PetscErrorCode RungSystemGetScope(RungSystem sys, RungScope *scope);    /* lent */
RUNG_EXTERN PetscErrorCode RungSystemGetResidual(RungSystem sys, RungExpr *expr);   /* the sum so far; forms only */
RUNG_EXTERN PetscErrorCode RungSystemGetLayout(RungSystem sys, RungLayout *layout); /* lent; NULL for callbacks */
/* RungSystemGetDataState - a number that another value of a constant changes, or of a field in the Jacobian: a matrix that
   was made before is stale then.  0 of callbacks.  Collective. */
RUNG_EXTERN PetscErrorCode RungSystemGetDataState(RungSystem sys, PetscInt64 *state);
/* What is known of F; names and spaces of unknowns, both lent (space NULL for callbacks). */
RUNG_EXTERN PetscErrorCode RungSystemGetTraits(RungSystem sys, RungTraits *traits);
RUNG_EXTERN PetscErrorCode RungSystemGetUnknown(RungSystem sys, PetscInt f, const char **name, RungSpace *space);
RUNG_EXTERN PetscErrorCode RungSystemGetRange(RungSystem sys, PetscInt f, PetscInt *start,
                                              PetscInt *end); /* local entries of unknown f */
/* What the entries of a system's vectors stand for.
     CountUnknowns      1 for callbacks
     GetComponents      the owned entries of unknown f are in groups of so many, node after node (1 for callbacks);
                        points (may be NULL): the nodes are those of a mesh of points
     DescribeComponent  "u", "u[1]", "u[0,1]"
     DescribeEntry      of an owned entry: its component as above, and its place, " at (0.5, 0.25)", " of point 17", "" of a
                        number of the whole mesh, ", entry 17" of callbacks
     GetVolumes         int phi_i^2 dx of each entry's basis function phi_i, 1 of callbacks: weights of an L2 norm.  Collective
   All but GetVolumes are not collective; the first three need no set-up. */
RUNG_EXTERN PetscErrorCode RungSystemCountUnknowns(RungSystem sys, PetscInt *n);
RUNG_EXTERN PetscErrorCode RungSystemGetComponents(RungSystem sys, PetscInt f, PetscInt *components, PetscBool *points);
RUNG_EXTERN PetscErrorCode RungSystemDescribeComponent(RungSystem sys, PetscInt f, PetscInt component, char text[],
                                                       size_t size);
RUNG_EXTERN PetscErrorCode RungSystemDescribeEntry(RungSystem sys, PetscInt entry, char name[], size_t name_size,
                                                   char place[], size_t place_size);
RUNG_EXTERN PetscErrorCode RungSystemGetVolumes(RungSystem sys, Vec volumes);
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
     -system_condense true|false   internal variables (unknowns on Quad(q) whose equations couple them at their own point
                                   only) are eliminated point by point (default) or left in the matrix; they stay in it
                                   beside shell and bounds
     -system_keep_blocks true|false   what is constant in a nonlinear Jacobian is assembled once (default where the rest adds at
                                   most half of the values; takes a matrix for each derivative in time)
                                   or with the rest every time
     -system_periodic NAME,SLAVES,MASTERS   constraints as by AddPeriodic, Tie and SetSlip; several with ";" between
     -system_tie NAME,PART[,GLOBAL]
     -system_slip NAME,PART
     -system_output_rates          dt(u), dt(u, 2) beside u in what RungWriterWrite writes
   May be called again after SetUp (a stepper does) and then changes nothing. */
RUNG_EXTERN PetscErrorCode RungSystemSetFromOptions(RungSystem sys);
RUNG_EXTERN PetscErrorCode RungSystemSetUp(RungSystem sys);
/* RungSystemIsSetUp - whether setters come too late.  Not collective. */
RUNG_EXTERN PetscErrorCode RungSystemIsSetUp(RungSystem sys, PetscBool *set);
RUNG_EXTERN PetscErrorCode RungSystemView(RungSystem sys, PetscViewer viewer);
RUNG_EXTERN PetscErrorCode RungSystemReference(RungSystem sys);
RUNG_EXTERN PetscErrorCode RungSystemDestroy(RungSystem *sys);
/* Not collective. */
RUNG_EXTERN MPI_Comm RungSystemComm(RungSystem sys);

/* Vecs are not zeroed.  Matrices know which entries can differ from 0; Dirichlet rows and columns hold the identity. */
RUNG_EXTERN PetscErrorCode RungSystemCreateVec(RungSystem sys, Vec *u);
RUNG_EXTERN PetscErrorCode RungSystemCreateMat(RungSystem sys, Mat *J);

/* r = F(t, u, u', u'') with every dt expanded by the chain rule.  Dirichlet rows of r are zero. */
RUNG_EXTERN PetscErrorCode RungSystemResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r);
/* J = sum_k sigma[k * unknowns + g] dF/du_g^(k); rows and columns of Dirichlet dofs are those of the identity. */
RUNG_EXTERN PetscErrorCode RungSystemJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                              Mat J);
/* The same with conserved terms kept whole:  F = R(t, u, u', u'') + dm/dt,
       StageResidual   r = R + slope_1 m(t, u)        (row f of m weighted with slope[1 * unknowns + f])
       StageJacobian   J = sum_k slope_k dR/du^(k) + slope_1 dm/du
   Without conserved terms these are Residual and Jacobian. */
RUNG_EXTERN PetscErrorCode RungSystemStageResidual(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[],
                                                   Vec r);
RUNG_EXTERN PetscErrorCode RungSystemStageJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[],
                                                   Mat J);
RUNG_EXTERN PetscErrorCode RungSystemConserved(RungSystem sys, PetscReal t, Vec u, Vec m); /* m = integral of q(u) v */

/* Dirichlet data of level t: the k-th time derivative of g, exact (symbolic).  Slaves of constraints are among the rows,
   with c^(k)(t); imposing makes them follow their masters in u. */
RUNG_EXTERN PetscErrorCode RungSystemGetDirichlet(RungSystem sys, PetscReal t, PetscInt k, IS *rows,
                                                  Vec *values); /* both given */
RUNG_EXTERN PetscErrorCode RungSystemImposeDirichlet(RungSystem sys, PetscReal t, PetscInt k,
                                                     Vec u);                       /* u[rows] = g^(k)(t) */
RUNG_EXTERN PetscErrorCode RungSystemHasDirichlet(RungSystem sys, PetscBool *has); /* or constraints */
/* RungSystemExtend - d_s += C d_m: what a solution of a linear system with J leaves out, because J has the identity for
   slaves.  The solver of RungSystemSetSolverDefaults does it after every solve, unless unknowns have bounds: then it may solve on
   a subspace, and whoever calls it lets slaves follow.  Without constraints d stays. */
RUNG_EXTERN PetscErrorCode RungSystemExtend(RungSystem sys, Vec d);
/* RungSystemExplainSingular - why a Jacobian cannot be factored, as far as one look tells: an equation without unknowns, an
   unknown (named) that is known up to a constant only.  Collective.
   In      J    of the system, type aij; others say nothing
   Out     why  "" if nothing was found; the same on all ranks */
RUNG_EXTERN PetscErrorCode RungSystemExplainSingular(RungSystem sys, Mat J, char why[], size_t size);
/* 1 where the error test looks: free and differential entries; lent. */
RUNG_EXTERN PetscErrorCode RungSystemGetErrorMask(RungSystem sys, Vec *mask);
RUNG_EXTERN PetscErrorCode RungSystemInitial(RungSystem sys, PetscReal t, PetscInt k,
                                             Vec u); /* given initial u^(k); 0 if not given */

/* Names and which are rates, [n], lent; values[n] at one level, the same on all ranks. */
RUNG_EXTERN PetscErrorCode RungSystemGetQuantities(RungSystem sys, PetscInt *n, const char *const **names,
                                                   const PetscBool **rates);
RUNG_EXTERN PetscErrorCode RungSystemEvaluateQuantities(RungSystem sys, PetscReal t, const Vec u[], PetscReal values[]);

/* What a solver is for. */
typedef enum {
  RUNG_SOLVE_ONCE,  /* a new matrix for every solve                                                              */
  RUNG_SOLVE_KEPT,  /* the matrix stays for many solves, so that a factorisation may cost more                   */
  RUNG_SOLVE_NEWTON /* matrices near each other, of which few digits are asked: above 2000 entries FGMRES with a
                       factorisation that the caller lets grow old, KSPSetReusePreconditioner()                  */
} RungSolverUse;
/* KSP and PC by traits and size (direct for small; CG for symmetric definite; ...), before KSPSetFromOptions().
   Whoever changes the matrix gets a new factorisation all the same.  After a solve that failed (KSP reason < 0) call KSPReset(): PETSc's interface to MUMPS
   does not factor again after a singular matrix.
   -pc_type fieldsplit finds a split for each unknown: -fieldsplit_u_pc_type, -fieldsplit_p_ksp_type, ..  Matrices carry
   their near null space (constants and rigid motions that dF/du without boundary data maps to zero) and, where boundary
   data leave something open, their null space: solutions then have no part in it. */
RUNG_EXTERN PetscErrorCode RungSystemSetSolverDefaults(RungSystem sys, KSP ksp, RungSolverUse use);
/* RungSystemChooseFactors, RungSystemCheckFactors - on one process, matrices that are swept many times over.

   MUMPS factors fast, PETSc's own factors are swept several times faster.  Choose decides by the fill in nested dissection order,
   if ksp has the LU or Cholesky factorisation by MUMPS of its defaults and the user has named no package; call it when the
   operators of ksp are set and not yet factored.  Own factors have no pivots: Check makes them, before each solve with a new
   matrix, and returns to MUMPS for good unless the backward error |b - J y| / (|J| |y| + |b|) of a solve is at most `most`.
   Collective.
   Out  own   PETSc's own factors have been chosen;  good  and may be used */
RUNG_EXTERN PetscErrorCode RungSystemChooseFactors(RungSystem sys, RungSolverUse use, KSP ksp, PetscBool *own);
RUNG_EXTERN PetscErrorCode RungSystemCheckFactors(RungSystem sys, KSP ksp, PetscReal most, PetscBool *good);
/* RungSystemCheckSolver - after KSPSetFromOptions(): PETSC_ERR_SUP, with the way out, for a preconditioner that needs entries
   where -system_mat_type shell gives none. */
RUNG_EXTERN PetscErrorCode RungSystemCheckSolver(RungSystem sys, KSP ksp);

/* RungSystemSetTS - hands the system to a PETSc TS: TSSetIFunction and TSSetIJacobian for order 1, TSSetI2Function and
   TSSetI2Jacobian for order 2, with the solver defaults of the system and a consistent start at the TS's time as its
   solution.  Boundary data and constraints are rows u - g(t); free entries see their exact values, rates and
   accelerations, at the end of a step entries with data have the accuracy of the method.  Call it after TSSetType() and
   TSSetTime(), before TSSetFromOptions().  dt() of nonlinear terms is taken by the chain rule.  The TS keeps the system.
   Collective.
   Errors  PETSC_ERR_SUP  no time derivative; bounds on unknowns */
RUNG_EXTERN PetscErrorCode RungSystemSetTS(RungSystem sys, TS ts);

/* Writes the unknowns (and their rates on request) as a time series for ParaView; callback systems are refused. */
RUNG_EXTERN PetscErrorCode RungWriterCreate(RungSystem sys, const char path[], RungWriter *writer);
/* RungWriterSetFields - before the first time, what is written instead of the unknowns: a list of unknowns, quantities (the same
   number everywhere) and expressions, as "u, stress, dt(u), div(u)".  Expressions are evaluated at the nodes of the space
   of the highest degree among the unknowns, where they jump between cells by the mean; with internal variables at the
   points of their rule.  Collective.
   Errors  PETSC_ERR_USER_INPUT, PETSC_ERR_ARG_WRONG  a text that cannot be read, a name twice;  PETSC_ERR_SUP  a rate */
RUNG_EXTERN PetscErrorCode RungWriterSetFields(RungWriter writer, const char list[]);
RUNG_EXTERN PetscErrorCode RungWriterWrite(RungWriter writer, PetscReal t, const Vec u[]);
RUNG_EXTERN PetscErrorCode RungWriterResume(RungWriter writer, PetscReal t); /* keeps an earlier series up to t */
RUNG_EXTERN PetscErrorCode RungWriterDestroy(RungWriter *writer);

/* ---- a system in time ------------------------------------------------------------------------------------------- */

/* One level.  u[k] for k <= order; m only where traits.conserved (a stepper fills it in its proposals); carry are the method's own vectors (algorithmic rates of
   alpha methods, a last stage's derivative), with companions for m. */
typedef struct {
  PetscReal t;
  Vec       u[RUNG_MAX_ORDER + 1]; /* u, u', u''                                                                     */
  Vec       m[2];                  /* m(t, u) and its rate                                                           */
  Vec      *carry;                 /* [carried]                                                                      */
  Vec      *carry_m;               /* [carried]; NULL without conserved terms                                        */
} RungState;

/* u^(k)(w) = base[k] + slope[k * unknowns + f] w on the entries of unknown f.  base[k] NULL is zero. */
typedef struct {
  Vec       base[RUNG_MAX_ORDER + 1];
  PetscReal slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
} RungLine;

/* depth accepted levels are kept; each carries `carried` vectors more. */
RUNG_EXTERN PetscErrorCode RungTransientSystemCreate(RungSystem sys, PetscInt depth, PetscInt carried,
                                                     RungTransientSystem *ts);
RUNG_EXTERN PetscErrorCode RungTransientSystemDestroy(RungTransientSystem *ts);

/* Level 0 at t0: initial values with Dirichlet data, algebraic unknowns solved for, consistent u', u'', m; clears the history. */
RUNG_EXTERN PetscErrorCode RungTransientSystemStart(RungTransientSystem ts, PetscReal t0);
/* Levels accepted so far (at most depth); GetState(back): 0 the newest.  Read only: nothing overwrites an accepted level. */
RUNG_EXTERN PetscErrorCode RungTransientSystemGetLevels(RungTransientSystem ts, PetscInt *levels);
RUNG_EXTERN PetscErrorCode RungTransientSystemGetState(RungTransientSystem ts, PetscInt back, const RungState **state);
/* The level being made.  Accept makes it level 0 and needs to->t > t; RollBack forgets it: no trace is left in any level. */
RUNG_EXTERN PetscErrorCode RungTransientSystemGetProposal(RungTransientSystem ts, RungState **to);
RUNG_EXTERN PetscErrorCode RungTransientSystemAccept(RungTransientSystem ts);
RUNG_EXTERN PetscErrorCode RungTransientSystemRollBack(RungTransientSystem ts);
/* A recorded jump (event, projection, start values of a multistep method): the app changes level 0 in fn; the history
   before it is dropped and rates are made consistent again. */
RUNG_EXTERN PetscErrorCode RungTransientSystemJump(RungTransientSystem ts,
                                                   PetscErrorCode (*fn)(RungState *state, void *ctx), void *ctx);
/* Exact past levels for multistep starts in studies: adds a level older than all (t decreasing). */
RUNG_EXTERN PetscErrorCode RungTransientSystemAddPast(RungTransientSystem ts, PetscReal t, Vec u, Vec v);

/* F on the line plus load, and its derivative by w:
       r = R(t, u(w), u'(w), u''(w)) + slope_1 m(t, u(w)) + load        J = dr/dw
   Conserved terms enter J as slope_1 dm/du, which is dr/dw for slope_0 = 1 only: methods whose line has another refuse them.
   load may be NULL.  Dirichlet rows: r = 0, J = identity; w carries the boundary values that the method has put there. */
RUNG_EXTERN PetscErrorCode RungTransientSystemResidual(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                       Vec load, Vec w, Vec r);
RUNG_EXTERN PetscErrorCode RungTransientSystemJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w,
                                                       Mat J);
/* RungTransientSystemTuneSolver - fills J on the line and chooses the preconditioner of ksp by

       kappa = mean over free entries of (dF/du)_ii / (J_ii - (dF/du)_ii),

   Jacobi, incomplete Cholesky (of each rank's block), multigrid or a factorisation; -system_view tells which and why.  Options
   of ksp are read again.  WantsTuning: conjugate gradients are the default and the user has given neither -ksp_type, -pc_type
   nor -pc_factor_levels.  CreateKeptMat: the matrix for such a solver; it is one half, SBAIJ, of a symmetric one of one
   unknown without constraints, unless -system_mat_type or -sub_pc_type says otherwise, and else that of CreateStageMat.
   Multigrid wants whole rows: TuneSolver replaces *J then.  Collective. */
RUNG_EXTERN PetscErrorCode RungSystemWantsTuning(RungSystem sys, KSP ksp, PetscBool *wants);
RUNG_EXTERN PetscErrorCode RungTransientSystemTuneSolver(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                         Vec w, Mat *J, KSP ksp);
RUNG_EXTERN PetscErrorCode RungSystemCreateKeptMat(RungSystem sys, KSP ksp, Mat *J);
/* RungTransientSystemExplain - why F on the line, or else its Jacobian there, is not finite: the expression, the place, the values
   of its operands, the way out.  Evaluates both again; for messages.  Collective.
   Out  message  the same on all ranks; "" if both are finite, or the system is not made of forms */
RUNG_EXTERN PetscErrorCode RungTransientSystemExplain(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w,
                                                      char message[], size_t size);
/* A linear system on a line:  J w = b.  HasRhs: it is of the kind, and nothing but Dirichlet data acts on a solve (no
   constraints, bounds, internal variables, null space).
       b = -(F(line at w_D) + load),  w_D = w on Dirichlet entries, 0 elsewhere;   b = w on Dirichlet entries
   Products with what is zero are left out. */
RUNG_EXTERN PetscErrorCode RungSystemHasRhs(RungSystem sys, PetscBool *has);
RUNG_EXTERN PetscErrorCode RungTransientSystemRhs(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load,
                                                  Vec w, Vec b);
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
RUNG_EXTERN PetscErrorCode RungSystemGetCondensed(RungSystem sys, PetscBool *condensed);
RUNG_EXTERN PetscErrorCode RungSystemZeroCondensed(RungSystem sys, Vec r);
RUNG_EXTERN PetscErrorCode RungSystemCreateStageMat(RungSystem sys, Mat *J);
RUNG_EXTERN PetscErrorCode RungSystemCondenseRhs(RungSystem sys, Mat J, Vec b);
RUNG_EXTERN PetscErrorCode RungTransientSystemSolveCondensed(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                             Vec load, Vec w, PetscBool *solved, char why[],
                                                             size_t size);
RUNG_EXTERN PetscErrorCode RungTransientSystemStageJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line,
                                                            Vec w, Mat J);
/* u[k] = base[k] + slope[k] w for k = 0 .. order */
RUNG_EXTERN PetscErrorCode RungTransientSystemEvaluateLine(RungTransientSystem ts, const RungLine *line, Vec w,
                                                           const Vec u[]);
RUNG_EXTERN PetscErrorCode RungTransientSystemConserved(RungTransientSystem ts, PetscReal t, Vec u, Vec m);
/* RungTransientSystemConsistent - rates (and algebraic unknowns) such that F = 0 at the time of a state.

   Given u (and u' where the order is 2), solves for the highest derivative of differential entries and, if `algebraic`,
   the values of algebraic ones; Dirichlet entries get the data's derivatives.  Regular mass and index 1: one Newton
   iteration (linear systems: one solve), to the accuracy of the solver (prefix mass_).  A mass that is singular, up to
   the error of the Jacobian, and index 2: by extrapolation from tiny implicit steps, to 1e-8 or better on smooth problems;
   an error estimate above 1e-6 is told as a warning, above 1e-4 it is an error;
   given values that violate a constraint are projected along the mass, with a warning (-system_initial).

   In/Out  state  its t and u[k], k < order, given; u[0 .. order] consistent
   Errors  PETSC_ERR_NOT_CONVERGED  no rates satisfy F = 0: |F| and the unknown with most of it
           PETSC_ERR_FP             F is not finite at the given values; names form and cell
   Limits  Index 3 needs consistent values, others are refused.  What the equations leave open (a pressure up to a
           constant) is not determined: fix it by an equation.  Rates of algebraic unknowns are not computed: 0.  A mode much faster than
           the others but not infinitely fast is told from a constraint only if ten times smaller steps see it. */
RUNG_EXTERN PetscErrorCode RungTransientSystemConsistent(RungTransientSystem ts, PetscBool algebraic, RungState *state);

/* RungTransientSystemForgetKept - constant blocks, matrices and factors that were kept are dropped; levels stay.  What
   follows has the bits that it has in a program that begins with these levels.  Collective. */
RUNG_EXTERN PetscErrorCode RungTransientSystemForgetKept(RungTransientSystem ts);

/* ---- checkpoints -------------------------------------------------------------------------------------------------- */

/* RungCheckpointCreate - begins an HDF5 file that a run can be continued from: its description of the system goes in at
   once.  It is made aside, at PATH.part; Seal gives it its name, in place of an older one, when it is whole and on the
   disk.  Collective, as all functions here.
   Errors  PETSC_ERR_FILE_OPEN  the place cannot be written, with the system's reason */
RUNG_EXTERN PetscErrorCode RungCheckpointCreate(RungSystem sys, const char path[], RungCheckpoint *checkpoint);
RUNG_EXTERN PetscErrorCode RungCheckpointSeal(RungCheckpoint *checkpoint); /* Nulls *checkpoint. */
/* RungCheckpointTry, RungCheckpointFinish - Create and Seal for a program that goes on without the file: what the disk
   refuses (no room, no folder) is no error.  What is put after it is dropped, Finish tells, and an older file stays.
   Out  written  the file has its name;  why[room]  the reason if not
   Rank 0 alone opens files, here and in Open: the others need not see the folder. */
RUNG_EXTERN PetscErrorCode RungCheckpointTry(RungSystem sys, const char path[], RungCheckpoint *checkpoint);
RUNG_EXTERN PetscErrorCode RungCheckpointFinish(RungCheckpoint *checkpoint, PetscBool *written, char why[],
                                                size_t room);
/* RungCheckpointOpen - opens a sealed file, on any number of ranks.
   In      force  a difference in residual, Dirichlet data, or the constants and spaces of fields that these hold is told
                  as a warning, else it is refused; mesh, unknowns and spaces have to be the same in any case.  Other
                  quantities, and constants and fields that the equations do not hold, are told and never refused
   Errors  PETSC_ERR_FILE_UNEXPECTED  a file that is cut, changed by a bit or no checkpoint; one of another problem, with
           what was found and what is wanted; (Get, Load) numbers that are not finite or not whole, texts without an end,
           vectors of another length, times that do not follow each other */
RUNG_EXTERN PetscErrorCode RungCheckpointOpen(RungSystem sys, const char path[], PetscBool force,
                                              RungCheckpoint *checkpoint);
RUNG_EXTERN PetscErrorCode RungCheckpointClose(RungCheckpoint *checkpoint); /* Nulls; a file not sealed is removed. */
/* Numbers and texts by name, exact; texts of at most some 60000 bytes.  Get raises PETSC_ERR_FILE_UNEXPECTED for a name
   that is not there; its text is the caller's (PetscFree). */
RUNG_EXTERN PetscErrorCode RungCheckpointPutReal(RungCheckpoint checkpoint, const char name[], PetscReal value);
RUNG_EXTERN PetscErrorCode RungCheckpointPutInt(RungCheckpoint checkpoint, const char name[], PetscInt value);
RUNG_EXTERN PetscErrorCode RungCheckpointPutText(RungCheckpoint checkpoint, const char name[], const char text[]);
RUNG_EXTERN PetscErrorCode RungCheckpointHas(RungCheckpoint checkpoint, const char name[], PetscBool *has);
RUNG_EXTERN PetscErrorCode RungCheckpointGetReal(RungCheckpoint checkpoint, const char name[], PetscReal *value);
RUNG_EXTERN PetscErrorCode RungCheckpointGetInt(RungCheckpoint checkpoint, const char name[], PetscInt *value);
RUNG_EXTERN PetscErrorCode RungCheckpointGetText(RungCheckpoint checkpoint, const char name[], char **text);
/* Vecs of the system, under a group "/name": one data set for each unknown, [node][component] in an order that does not
   depend on the ranks (RungSpaceGetNatural); of callback systems in the order of the Vec. */
RUNG_EXTERN PetscErrorCode RungCheckpointPutVec(RungCheckpoint checkpoint, const char group[], Vec u);
RUNG_EXTERN PetscErrorCode RungCheckpointGetVec(RungCheckpoint checkpoint, const char group[], Vec u);
/* All levels, bit for bit.
   Errors  PETSC_ERR_FILE_UNEXPECTED  levels of another method; a disk without room is told by Seal or Finish */
RUNG_EXTERN PetscErrorCode RungTransientSystemSave(RungTransientSystem ts, RungCheckpoint checkpoint);
RUNG_EXTERN PetscErrorCode RungTransientSystemLoad(RungTransientSystem ts, RungCheckpoint checkpoint);
