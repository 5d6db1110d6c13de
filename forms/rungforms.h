/* rungforms.h - expressions, forms and the kernels made of them. */
#pragma once

#include <rungexpr.h>
#include <stdint.h>
#include <rungkernel.h>
#include <runglayout.h>

typedef struct _p_RungForm *RungForm; /* a sum of integrals, linear in the test functions */

/* ---- scope: names, and all nodes made of them ----------------------------------------------------------------- */

/* A name is 1 to 63 letters, digits and underscores, a letter first, declared once and not reserved (the operators, x t n h
   d I pi, the measures).  Names of mesh parts are apart.  Every rank of comm makes the same calls, so
   that errors are the same on all: PETSC_ERR_ARG_WRONG for a bad name.  All functions: collective, and no communication but
   where table("..") reads a file. */
RUNG_EXTERN PetscErrorCode RungScopeCreate(MPI_Comm comm, RungScope *scope);
RUNG_EXTERN PetscErrorCode RungScopeReference(RungScope scope);
RUNG_EXTERN PetscErrorCode RungScopeDestroy(RungScope *scope);
/* RungScopeAddUnknown - an unknown of a space and its test function; the scope keeps a reference to the space.
   All unknowns of a scope live on meshes of one dimension, which is its d, and of one kind, cells or points.
   Errors  PETSC_ERR_ARG_INCOMP      another dimension or kind of mesh than before
           PETSC_ERR_ARG_OUTOFRANGE  more than RUNG_MAX_UNKNOWNS */
RUNG_EXTERN PetscErrorCode RungScopeAddUnknown(RungScope scope, const char name[], const char test[], RungSpace space);
/* RungScopeSetDimension - d, 1 to 3, of a scope without unknowns (data of x and t). */
RUNG_EXTERN PetscErrorCode RungScopeSetDimension(RungScope scope, PetscInt dim);
/* RungScopeAddField - a given function as a coefficient.  The caller keeps the field as long as the scope and its forms.
   dt() of it is its rate (RungFieldSetRate, before the text is read), and an error if it has none. */
RUNG_EXTERN PetscErrorCode RungScopeAddField(RungScope scope, const char name[], RungField field);
/* RungScopeSetConstant - the first call declares, later ones change the value; constants are arguments of kernels, a new
   value never recompiles.  Errors: PETSC_ERR_FP where the value is not finite. */
RUNG_EXTERN PetscErrorCode RungScopeSetConstant(RungScope scope, const char name[], PetscReal value);
RUNG_EXTERN PetscErrorCode RungScopeGetConstant(RungScope scope, const char name[], PetscReal *value);
/* RungScopeGetConstants - names[i], values[i], i < n, in order of declaration; lent until the next declaration.  Any of
   the three may be NULL. */
RUNG_EXTERN PetscErrorCode RungScopeGetConstants(RungScope scope, PetscInt *n, const char *const **names,
                                                 const PetscReal **values);
/* RungScopeGetKernelConstants - all constants as kernels read them, RungKernelArgs.constant: hidden ones stand before those that are
   declared.  Lent until the next declaration; a new value is seen in it.  Not collective. */
RUNG_EXTERN PetscErrorCode RungScopeGetKernelConstants(RungScope scope, const PetscReal **values);
/* RungScopeSetFolder - where tables are whose path does not begin with /; "", the default: where the program was started.  The
   paths in texts and messages stay as they are written.  Not collective.  Errors  PETSC_ERR_ARG_SIZ  a path too long */
RUNG_EXTERN PetscErrorCode RungScopeSetFolder(RungScope scope, const char folder[]);
/* RungScopeDefine - a name for a text, which is read when the name is first used: it may use names declared later. */
RUNG_EXTERN PetscErrorCode RungScopeDefine(RungScope scope, const char name[], const char text[]);
/* RungScopeParse - reads a text of the form language.
   In   label  opens messages: "residual 2" gives "residual 2, column 28: inner() wants ..", with the line and a caret below;
               NULL or "": nothing
        text   copied; may have several lines and comments (# to the end of the line)
   Errors  PETSC_ERR_USER_INPUT  with found, wanted and the way out */
RUNG_EXTERN PetscErrorCode RungScopeParse(RungScope scope, const char label[], const char text[], RungExpr *expr);

/* ---- builders: the same nodes that texts make; they never raise ------------------------------------------------ */

RUNG_EXTERN RungExpr RungName(RungScope scope, const char name[]); /* anything that a name stands for in a text */
RUNG_EXTERN RungExpr RungNumber(RungScope scope, PetscReal value); /* finite */
/* Scalars, tensors of one shape, or integrals; one side of a product is a scalar. */
RUNG_EXTERN RungExpr RungAdd(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungSub(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungMul(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungDiv(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungPow(RungExpr a, RungExpr b);
/* RungCall - any operator of ops.def by its name, "sin", "if", "<", "-" (of one or two), with its n >= 1 arguments. */
RUNG_EXTERN RungExpr RungCall(const char op[], PetscInt n, const RungExpr arg[]);
RUNG_EXTERN RungExpr RungInner(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungDot(RungExpr a, RungExpr b);
RUNG_EXTERN RungExpr RungGrad(RungExpr a);
RUNG_EXTERN RungExpr RungDt(RungExpr a);
/* RungDerive - Gateaux derivative by the unknown `wrt` in direction of its test function. */
RUNG_EXTERN RungExpr RungDerive(RungExpr a, RungExpr wrt);
/* RungPerPart - value[i] on part[i] of the mesh, a name or number of the caller's; part[n - 1] NULL: on all other places.
   RungTable - a column of a file over its first one, at `argument`: what table("path", argument, column: .., method: ..)
   is.  column NULL: the second; by name or number, counted from 0.  cubic: monotone, else linear.  Constant outside.
   Collective where the file is new: rank 0 reads it. */
RUNG_EXTERN RungExpr RungPerPart(PetscInt n, const char *const part[], const RungExpr value[]);
RUNG_EXTERN RungExpr RungTable(RungExpr argument, const char path[], const char column[], PetscBool cubic);
/* RungIndex - a[index[0], .., index[n - 1]], counted from 0; fewer indices than a has give a slice. */
RUNG_EXTERN RungExpr RungIndex(RungExpr a, PetscInt n, const PetscInt index[]);
RUNG_EXTERN RungExpr RungVector(PetscInt n, const RungExpr component[]);
/* RungSubstitute - every occurrence of `from` (an unknown, or any node) becomes `to`, of equal shape, also under derivatives
   in space and time, which follow; test functions stay. */
RUNG_EXTERN RungExpr RungSubstitute(RungExpr a, RungExpr from, RungExpr to);
/* RungIntegrate - part NULL or "": everywhere; degree of quadrature, -1: estimated from the integrand. */
RUNG_EXTERN RungExpr RungIntegrate(RungExpr integrand, RungDomain domain, const char part[], PetscInt degree);
/* RungExtent - the measure of what an integral runs over: 1 integrated over the same domain and part, so that the mean of f
   over ds(pin) is the integral of f*ds(pin) over its extent.
   Not collective.  In  integral  one integral; a sum of several, or a point value, becomes an expression that carries an error */
RUNG_EXTERN RungExpr RungExtent(RungExpr integral);

/* ---- questions to expressions; all raise the error that the expression carries ---------------------------------- */

/* RungExprCheck - raises it: PETSC_ERR_USER_INPUT. */
RUNG_EXTERN PetscErrorCode RungExprCheck(RungExpr a);
/* RungExprGetShape - indices and their ranges (the first two of shape[]; 1 where unused), whether it is a sum of integrals,
   and arity: 1 where it is linear in test functions, 0 where there are none.  Any Out may be NULL. */
RUNG_EXTERN PetscErrorCode RungExprGetShape(RungExpr a, PetscInt *rank, PetscInt shape[2], PetscBool *integral,
                                            PetscInt *arity);
/* RungExprToText - a text that is read as this node; the caller's (PetscFree). */
RUNG_EXTERN PetscErrorCode RungExprToText(RungExpr a, char **text);

/* ---- forms ---------------------------------------------------------------------------------------------------- */

#define RUNG_HELD 4 /* words for the constants of a form */

/* What is read off a form.  Blocks: of dF_f/du_g^(k), row f the unknown whose test function it is. */
typedef struct {
  PetscInt rank;  /* 0 a number, 1 a vector (linear in one or more test functions)     */
  PetscInt order; /* highest time derivative of any unknown: 0, 1 or 2                 */
  PetscInt
    unknown_order[RUNG_MAX_UNKNOWNS]; /* of each unknown; 0: no derivative of it appears, it is algebraic; -1: absent */
  PetscBool tested[RUNG_MAX_UNKNOWNS]; /* its test function appears                                         */
  PetscBool couple[RUNG_MAX_UNKNOWNS]
                  [RUNG_MAX_UNKNOWNS]; /* dF_f/du_g is not identically zero                          */
  unsigned char couple_rates[RUNG_MAX_UNKNOWNS]
                            [RUNG_MAX_UNKNOWNS]; /* bit k: dF_f/du_g^(k) is not identically zero                 */
  PetscBool varying[RUNG_MAX_UNKNOWNS]
                   [RUNG_MAX_UNKNOWNS]; /* dF_f/du_g depends on t or an unknown                            */
  PetscBool facets;                     /* something is integrated over interior facets (dS)                 */
  PetscBool couple_facets[RUNG_MAX_UNKNOWNS]
                         [RUNG_MAX_UNKNOWNS];    /* dF_f/du_g is not zero there                              */
  PetscBool linear;                              /* affine in (u, u', u'')                                            */
  PetscBool constant_jacobian;                   /* no dF/du^(k) depends on u or t                                    */
  PetscBool constant_block[RUNG_MAX_ORDER + 1];  /* dF/du^(k) alone is constant                                       */
  PetscBool block[RUNG_MAX_ORDER + 1];           /* dF/du^(k) is not identically zero                                 */
  PetscBool linear_block[RUNG_MAX_ORDER + 1];    /* dF/du^(k) alone is free of unknowns                               */
  PetscBool field_block[RUNG_MAX_ORDER + 1];     /* dF/du^(k) holds a field                                          */
  PetscBool symmetric_block[RUNG_MAX_ORDER + 1]; /* dF/du^(k) alone is symmetric                                      */
  PetscBool
    positive_block[RUNG_MAX_ORDER + 1]; /* .. and a sum of squares with weights that are evidently not negative    */
  PetscBool
    mass_block[RUNG_MAX_ORDER + 1]; /* .. or with one weight for each square, whose sign the text leaves open      */
  uint64_t weighed[RUNG_MAX_ORDER + 1]
                  [RUNG_MAX_UNKNOWNS]; /* .. bit c: the square of component c has a weight in all cells */
  PetscBool symmetric;                 /* every dF/du^(k) is symmetric                                      */
  PetscBool mass;     /* dF/du^(order) is a mass of all unknowns, whatever the rest of F is: definite where densities
                               are positive                                                                */
  PetscBool definite; /* mass + stiffness: every block is symmetric and a sum of squares, as its text or samples of
                                                      place and fields show; a hint for the solver only */
  PetscBool calls;    /* dF/du has functions at points of cells that the C library evaluates one by one: sin, a power */
  PetscBool sampled;  /* signs are those of values that constants and fields had (RungFormRenewSigns) */
  PetscBool placed;   /* dF/du has coefficients of place, of parts, cells or fields              */
  PetscBool jumps;    /* it jumps along an unknown, or may: sign(u), if(u > 0, ..), a comparison               */
  PetscBool time_dependent;  /* t appears explicitly                                              */
  uint64_t  held[RUNG_HELD]; /* bit i mod 64 RUNG_HELD: a dF/du^(k) holds constant number i of the scope     */
} RungFormTraits;

/* expr: a sum of integrals.  The layout has one space per unknown of the scope, in order of declaration. */
RUNG_EXTERN PetscErrorCode RungFormCreate(RungExpr expr, const char name[], RungLayout layout, RungForm *form);
/* RungFormSetFromOptions - reads
     -form_backend interpreter|c   c: compiled C, where a compiler works (default)
     -form_degree N                degree of every quadrature rule instead of the estimates
     -form_view dag|tape|source|traits|kernels, several with commas: printed on rank 0 when the form is set up;
                                   kernels: which back end runs each integral, and where its kernel comes from
     -form_jit wait|background|never
                                   wait: kernels are compiled before the form is first used (default), so that one back
                                   end serves a whole run, and a restart is bitwise; background: the interpreter serves
                                   until the compiler, beside it, is done, and all ranks change over between the same two
                                   assemblies: results of two runs then differ in the last bits; never: no compiler is
                                   run, but kernels that are linked into the program (rung-compile) or cached are used
     -form_isa native|sse2|avx2|avx512
                                   instructions of the interpreter and of compiled kernels, hence their lanes (default
                                   native: all that the machine has; ranks on unlike machines take what all have)
     -form_cache FOLDER            of compiled kernels, private (default $XDG_CACHE_HOME/rung or ~/.cache/rung)
     -form_cache_size N            most megabytes in it (default 256); what was used longest ago goes first
     -form_compiler NAME           default: CC of the environment, else the first of cc, gcc, clang that exists
     -form_flags " -O3 .."         with a blank in front; default: -O2 -funroll-loops and what fits the machine and the form
     -form_lanes 2|4|8             cells at a time in compiled kernels (default: the width of the machine's vectors)
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  an unknown word, with the nearest one
           PETSC_ERR_SUP               (at set-up) instructions that the processor of some rank has not */
RUNG_EXTERN PetscErrorCode RungFormSetFromOptions(RungForm form);

/* RungFormSetUp - lowers and compiles what is still missing: the vector or number, and with `jacobian` what
   RungFormAssembleMat needs, in one go.  Called by the first use.  Collective. */
RUNG_EXTERN PetscErrorCode RungFormSetUp(RungForm form, PetscBool jacobian);
/* What is read off the form, without setting it up.  Collective. */
RUNG_EXTERN PetscErrorCode RungFormGetTraits(RungForm form, RungFormTraits *traits);
/* RungFormRenewSigns - where traits are `sampled`: positive_block, mass_block, weighed, mass and definite become what values of constants
   and fields say now; a field is 0 everywhere until somebody fills it, and then of no sign.  Collective. */
RUNG_EXTERN PetscErrorCode RungFormRenewSigns(RungForm form);
/* What -form_view asked for.  Collective.  viewer NULL: stdout. */
RUNG_EXTERN PetscErrorCode RungFormView(RungForm form, PetscViewer viewer);
/* What runs the integrals of a form and of its Jacobian, as far as they are set up. */
typedef struct {
  PetscInt  all;         /* = interpreted + linked + cached + compiled                                         */
  PetscInt  interpreted; /* by the interpreter                                                                 */
  PetscInt  linked;      /* kernels that the program brought along (rung-compile)                              */
  PetscInt  cached;      /* compiled before and kept on disk                                                   */
  PetscInt  compiled;    /* by the compiler, now                                                               */
  PetscInt  operations;  /* of all tapes                                                                       */
  PetscBool pending;     /* a compiler works in the background                                                 */
} RungFormKernels;
/* RungFormGetKernels - counts them.  Not collective.  In  form  Out  kernels */
RUNG_EXTERN PetscErrorCode RungFormGetKernels(RungForm form, RungFormKernels *kernels);
RUNG_EXTERN PetscErrorCode RungFormDestroy(RungForm *form);

typedef void RungKernelFn(const RungKernelArgs *args);

/* RungFormGetKernel - one kernel of a form, for who calls it without a mesh around it (benchmarks, other assemblers): it adds
   the integral over `lanes` places to args->out, everything laid out as rungkernel.h says, args->constant from
   RungScopeGetKernelConstants().  Sets the form up.
   Collective.
   In   matrix  of the Jacobian, else of the vector or number; i  integral 0 .. count - 1, or anything where kernel is NULL
   Out  count of the form's integrals; lanes; kernel, lent by the form.  Any may be NULL
   Errors  PETSC_ERR_SUP            the form is interpreted: there is no compiled kernel
           PETSC_ERR_ARG_OUTOFRANGE there is no integral i */
RUNG_EXTERN PetscErrorCode RungFormGetKernel(RungForm form, PetscBool matrix, PetscInt i, PetscInt *count,
                                             PetscInt *lanes, RungKernelFn **kernel);

/* Kernels ahead of time.  RungKernelsRecord(PETSC_TRUE) has the integrals of every form noted that is set up from now on,
   as long as the form lives; RungKernelsRecord(PETSC_FALSE) forgets them.  Not collective.
   RungKernelsWrite - writes kernels of the noted integrals as one C source, to be compiled as its first lines say and
   linked into programs that set up the same forms on the same kind of cells: they find them by their hash, before they
   look into the cache or ask a compiler.
   Not collective: one rank writes.
   In      path     of the source
           name     tells this source from others in one program: letters, digits, _
           isa      word of -form_isa; native: of this machine
   Out     kernels  how many it holds; 0: the source is empty
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  isa,  PETSC_ERR_ARG_WRONG  name,  PETSC_ERR_FILE_OPEN, PETSC_ERR_FILE_WRITE */
RUNG_EXTERN PetscErrorCode RungKernelsRecord(PetscBool on);
RUNG_EXTERN PetscErrorCode RungKernelsWrite(const char path[], const char name[], const char isa[], PetscInt *kernels);

/* RungKernelsLink - what such a source calls when its program starts.  Not collective. */
struct rung_linked_unit;
RUNG_EXTERN void RungKernelsLink(struct rung_linked_unit *unit);

/* u[k], k = 0 .. order, time derivatives as Vecs of the layout (NULL where the form does not use it).  Collective.
   Integrate: the value of a form of rank 0; not finite: PETSC_ERR_FP with the message of RungFormFindNonFinite.
   AssembleVec adds nothing to constrained rows' neighbours: it is the plain integral; r is overwritten.
   AssembleMat: J = sum_k sigma[k * unknowns + g] dF/du_g^(k), into a Mat of RungLayoutCreateMat, overwritten.
   A vector or matrix that is not finite is no error here (a stepper takes it as a failed attempt). */
RUNG_EXTERN PetscErrorCode RungFormIntegrate(RungForm form, PetscReal t, const Vec u[], PetscReal *value);
RUNG_EXTERN PetscErrorCode RungFormAssembleVec(RungForm form, PetscReal t, const Vec u[], Vec r);
RUNG_EXTERN PetscErrorCode RungFormAssembleMat(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                               Mat J);
/* Matrix-free, J as in AssembleMat; y and d are overwritten, constrained dofs are treated as all others.
   Apply: y = J(sigma) x by one kernel, without J.  x and y differ from each other and from every u[k] that is read.
   AssembleDiagonal: d_i = J_ii, by a kernel of its own. */
RUNG_EXTERN PetscErrorCode RungFormApply(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x,
                                         Vec y);
RUNG_EXTERN PetscErrorCode RungFormAssembleDiagonal(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                    Vec d);
