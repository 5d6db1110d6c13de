/* forms_impl.h - private structs of the room: tensor nodes (scope), scalar nodes, tapes, integrals, kernels.

   text or builder -> RungNode, the tensor DAG: hash-consed, shaped, with arity; immutable     (expr.c shape.c)
                   -> RungScalar, the scalar DAG of one form: components, derivatives applied   (expand.c scalar.c derive.c)
                   -> RungIntegral with its RungTape: straight-line code per point              (lower.c tape.c)
                   -> RungKernel: interpreter or compiled C                                     (interpret.c emit.c jit.c)   */
#pragma once

#include <rungforms_room.h>
#include <rungkernel.h>

/* ---- operators ------------------------------------------------------------------------------------------------ */

/* ops.def takes the row macros that are defined, and undefines all three. */
typedef enum {
#define RUNG_TERMINAL(code, name, doc, example)                                    RUNG_OP_##code,
#define RUNG_SCALAR(code, name, args, test, c, da, db, dc, doc, example)           RUNG_OP_##code,
#define RUNG_TENSOR(code, name, min, max, test, shape, expand, rule, doc, example) RUNG_OP_##code,
#include "ops.def"
  RUNG_OPS
} RungOp;

/* How an operator meets test functions: column `test` of ops.def. */
typedef enum {
  RUNG_NONLINEAR   = 0, /* no operand holds one                                                                       */
  RUNG_ADDITIVE    = 1, /* all operands hold one or none does                                                         */
  RUNG_MULTILINEAR = 2, /* linear in each operand: one of them may hold one                                           */
  RUNG_FIRST       = 3, /* linear in the first, the others hold none                                                  */
  RUNG_BRANCHES    = 4, /* the first holds none, the others are additive                                              */
  RUNG_COMMUTES    = 8  /* a flag: f(a, b) = f(b, a)                                                                  */
} RungLinearity;

typedef enum { RUNG_CLASS_TERMINAL, RUNG_CLASS_SCALAR, RUNG_CLASS_TENSOR } RungOpClass;
typedef struct {
  RungOpClass class_;
  const char *code, *name; /* "SIN", "sin"                                                                           */
  int         min, max;    /* number of arguments as written; max < 0: any                                           */
  int         test;        /* RungLinearity                                                                          */
  const char *c;           /* scalar: C text in a, b, c                                                              */
  const char *d[3];        /* scalar: derivative by operand, text of the form language in a, b, c (r: the result);
                              tensor: d[0] the whole derivative, in A, B and dA, dB, for the reader and its test    */
  const char *doc, *example;
} RungOpInfo;
extern const RungOpInfo rung_ops[RUNG_OPS]; /* expr.c, expanded from ops.def */

/* ---- tensor nodes ---------------------------------------------------------------------------------------------- */

#define RUNG_MAX_RANK 4

typedef struct {
  RungOp          op;
  PetscInt        args;
  const PetscInt *arg;    /* [args] nodes, owned by the scope's arena                                   */
  PetscReal       number; /* NUMBER; of rank > 0 it is 0                                                */
  /* CONSTANT UNKNOWN TEST FIELD VARIABLE OPERAND: which; PART: string, -1 elsewhere; INDEX: the indices, -1 unused; UNIT: axis; NUMBER of arity 1:
     unknown of a test function that it was multiplied with; INTEGRAL: domain, degree (-1 estimated), part (string number of
     the scope, -1 all) */
  PetscInt  index[RUNG_MAX_RANK];
  PetscInt  rank, shape[RUNG_MAX_RANK];
  PetscBool integral;         /* a (sum of) integral(s), not a point value                                  */
  PetscInt  arity;            /* 0, or 1: linear in test functions                                          */
  unsigned  depends;          /* RUNG_ON_.. of all that it holds, a variable's value included               */
  PetscInt  order_t, order_x; /* highest derivative in time of an unknown, in space of an unknown, test, field */
  PetscInt  depth;            /* operators in one another; bounded by RUNG_MAX_DEPTH, so that recursion is safe */
  PetscInt  text, at, length; /* where it was first written: text number of the scope (-1: built), bytes    */
} RungNode;

enum {
  RUNG_ON_X        = 1, /* x; also noise                                                                             */
  RUNG_ON_TIME     = 2, /* t                                                                                         */
  RUNG_ON_CONSTANT = 4,
  RUNG_ON_UNKNOWN  = 8,
  RUNG_ON_FIELD    = 16,
  RUNG_ON_CELL     = 32, /* h, volume                                                                                 */
  RUNG_ON_FACET    = 64, /* n, facet_area: under ds and dS only                                                       */
  RUNG_ON_TEST     = 128,
  RUNG_ON_EDGE     = 512, /* tangent: under dl only                                                                   */
  RUNG_ON_SIDE     = 256, /* plus(), minus(): under dS only                                                           */
  RUNG_ON_EXPLICIT = 1024 /* explicit(): around integrals only                                                        */
};
#define RUNG_MAX_DEPTH 3000

/* A VARIABLE node is what DIFF(W, VARIABLE) differentiates by: the name F of diff(W, F) stood for it while W was read.
   Its value, F itself, is the node RungScopeVariableValue(scope, node->index[0]), which may hold outer variables. */

/* Accessors: the back of the room never touches the scope's tables.  Not collective. */
const RungNode *RungScopeNode(RungScope scope, PetscInt node);
PetscInt        RungScopeDim(RungScope scope);
PetscInt        RungScopeUnknowns(RungScope scope);
const char     *RungScopeUnknownName(RungScope scope, PetscInt unknown);
const char     *RungScopeTestName(RungScope scope, PetscInt unknown);
RungSpace       RungScopeUnknownSpace(RungScope scope, PetscInt unknown);
/* The first constants of each scope are hidden from texts and lists: the step of RungScopeSetStep(). */
enum { RUNG_STEP_FROM, RUNG_STEP_TO, RUNG_HIDDEN_CONSTANTS };
PetscInt    RungScopeConstants(RungScope scope, const PetscReal **values); /* with the hidden ones */
const char *RungScopeConstantName(RungScope scope, PetscInt constant);
const char *RungScopeString(RungScope scope, PetscInt string);
PetscInt    RungScopeVariableValue(RungScope scope, PetscInt variable); /* node */
PetscInt    RungScopeFields(RungScope scope);
const char *RungScopeFieldName(RungScope scope, PetscInt field);
RungField   RungScopeFieldOf(RungScope scope, PetscInt field);
/* The field that is the time derivative of another, entered if it is not yet; -1: it has none. */
PetscErrorCode RungScopeFieldRate(RungScope scope, PetscInt field, PetscInt *rate);
MPI_Comm       RungScopeComm(RungScope scope);
/* table.c: [table], lent until a text is read */
const double *const *RungScopeTables(RungScope scope);
/* Message about a node with its place: label, line, column, the text line and a caret under it. */
PetscErrorCode RungScopeRaise(RungScope scope, PetscInt node, PetscErrorCode code, const char format[], ...);
/* The same about a word of the text that was read last: a node has the place of the text that had it first. */
PetscErrorCode RungScopeRaiseLast(RungScope scope, const char word[], PetscErrorCode code, const char message[]);

/* Parses a derivative rule of ops.def (names a, b, c, r are bound to scalar terminals RUNG_OP_OPERAND with index 0..3). */
PetscErrorCode RungScopeParseRule(RungScope scope, const char text[], PetscInt *node);

/* ---- scalar nodes ---------------------------------------------------------------------------------------------- */

typedef enum {
  RUNG_IN_NUMBER,   /* value                                                                                          */
  RUNG_IN_CONSTANT, /* index                                                                                          */
  RUNG_IN_SIGMA,    /* k, index = unknown                                                                             */
  RUNG_IN_TIME,
  RUNG_IN_CELL,    /* index: 0 h (longest edge), 1 volume of the cell, 2 area of the facet, RUNG_CELL_SIZES + s:
                       1 in part s, a string of the scope, 0 elsewhere                                                */
  RUNG_IN_X,       /* index = axis                                                                                   */
  RUNG_IN_NORMAL,  /* index = axis; outward, facets only                                                             */
  RUNG_IN_TANGENT, /* index = axis; edges only                                                                       */
  RUNG_IN_UNKNOWN, /* index = unknown, component, k, derivative                                                      */
  RUNG_IN_TEST,    /* index = unknown, component, derivative; never in a tape                                        */
  RUNG_IN_FIELD,   /* index = field, component, derivative                                                           */
  RUNG_IN_MAP, /* K[component][index] = dX_component/dx_index; in mapped integrals only.  k: 1 the same at all points */
  RUNG_IN_WEIGHT, /* of the point, times the measure of the cell; in mapped integrals only                            */
  RUNG_IN_VARIABLE, /* index = variable, component; never in a tape                                                   */
  RUNG_IN_OPERAND   /* index; derivative rules only                                                                   */
} RungInputKind;

/* derivative: 0 the value, 1 + a d/dx_a, 1 + dim + j the j-th of d2/dx_a dx_b, a <= b lexicographic (as RungSpaceTabulate) */
typedef struct {
  RungInputKind kind;
  PetscReal     value;
  PetscInt      index, component, k, derivative;
  PetscInt      side; /* under dS: 0 plus, 1 minus; what both sides agree about is 0 */
} RungInput;

/* ---- tapes ----------------------------------------------------------------------------------------------------- */

#define RUNG_CELL_SIZES 3 /* h, volume, facet area */

typedef enum { RUNG_RATE_UNIFORM, RUNG_RATE_CELL, RUNG_RATE_POINT } RungValueRate; /* how often a value changes */

typedef struct {
  RungOp   op;     /* a scalar operator of ops.def                                                                    */
  PetscInt arg[3]; /* value numbers                                                                                   */
} RungInstruction;

/* Static single assignment: values 0 .. inputs - 1 are the inputs, inputs + i is the result of instruction i; numbers are
   inputs.  Instructions are ordered by rate (uniform, cell, point), then topologically. */
typedef struct {
  PetscInt         inputs;
  RungInput       *input;
  PetscInt         instructions;
  RungInstruction *instruction;
  RungValueRate   *rate; /* [value]                                                                             */
  PetscInt         outputs;
  PetscInt        *output;    /* [output] value                                                                      */
  PetscInt         registers; /* the interpreter's vectors after liveness                                            */
  PetscInt        *slot; /* [value] register, shared by values of one rate that do not live together; numbers, outputs
                                  and what a later rate reads keep theirs; a result never has the register of its operand */
} RungTape;

typedef struct {
  PetscInt unknown, component, derivative, side;
} RungSlot; /* D_derivative of component of (test or trial) function of unknown, on a side of a facet */

/* What is made of a form.  The action J(sigma) x is of rank 1: x is one more level of the unknowns, k = RUNG_DIRECTION. */
enum {
  RUNG_FORM_VALUE,
  RUNG_FORM_JACOBIAN,
  RUNG_FORM_ACTION,
  RUNG_FORM_DIAGONAL,
  RUNG_FORM_CONSTANT,
  RUNG_FORM_VARYING,
  RUNG_FORM_RATE,
  RUNG_FORM_PARTS
};
#define RUNG_FORM_FIELDS_VARY 256 /* added to CONSTANT and VARYING: entries with fields vary, too */
#define RUNG_DIRECTION        (RUNG_MAX_ORDER + 1)
#define RUNG_LEVELS           (RUNG_MAX_ORDER + 2) /* u, u', u'' and x */

/* Of a mapped integral: c p(v) q(u) with p(v) = sum_r p[r] row[r](v) and q(u) likewise, for the derivatives of one component
   each, which are row .. row + nr - 1 and col .. col + ns - 1 of the integral's.  c holds the weight of the point. */
#define RUNG_PRODUCT_MOST_DERIVATIVES 4
typedef struct {
  PetscInt row, col, nr, ns;
  PetscInt c, p[RUNG_PRODUCT_MOST_DERIVATIVES], q[RUNG_PRODUCT_MOST_DERIVATIVES]; /* outputs of the tape, -1: zero */
} RungProductOf;

/* One kernel's worth: integral over one part at one quadrature degree of
     rank 0   output[0]
     rank 1   sum_r output[r] row[r](v)
     rank 2   sum_e output[e] row[entry[e].row](v) col[entry[e].col](u),   weighted with sigma inside output[e]            */
typedef struct RungIntegral_ {
  RungDomain domain;
  char      *part;   /* "" all; owned */
  PetscInt   degree; /* of the quadrature rule */
  PetscInt   rank;
  PetscInt   rows, cols, entries;
  RungSlot  *row, *col;
  struct {
    PetscInt row, col;
  } * entry;           /* sorted by row, then col */
  PetscBool diagonal;  /* rank 2: its diagonal alone is wanted, as a vector; entries of one component of one unknown */
  PetscBool symmetric; /* rank 2: entry (r, c) and (c, r) are one value for all: the matrix is symmetric to the bit */
  RungTape  tape;
  char     *text;         /* the integral as text, for the head of the emitted source */
  PetscBool in_reference; /* derivatives in rows, columns and inputs are those of the reference cell */
  PetscBool weighted;     /* in_reference: entries hold the weight of the point already */
  PetscInt  products;     /* of a symmetric form those with row <= col, the others are their transposes */
  RungProductOf *product; /* owned; added to the entries */
  struct RungIntegral_ *
    mapped; /* owned; the same in_reference, of that the same with products; NULL: that is not worth a thought (mapped.c) */
} RungIntegral;

/* lower.c: expands expr (a sum of integrals; rank 0 or 1 by its arity), merges integrals of equal domain, part and
   quadrature rule.
   what: RUNG_FORM_JACOBIAN is the derivative by all unknowns and time derivatives, rank 2; ACTION its product with a
   direction, rank 1; DIAGONAL the entries on its diagonal; CONSTANT and VARYING those that do not, and those that do
   depend on t or an unknown; RATE is the derivative by t while unknowns and their rates stay, rank 1.  degree >= 0 overrides estimates.
   Traits may be NULL.  The caller frees with RungIntegralsDestroy. */
PetscErrorCode RungLower(RungExpr expr, int what, PetscInt degree, PetscInt *n, RungIntegral **integrals);
PetscErrorCode RungLowerTraits(RungExpr expr, RungFormTraits *traits);
/* Pairs of unknowns with entries in dF/du, du', du'' of the integrals of one domain and part: bit g of row f. */
typedef struct RungBlocksOf_ {
  RungDomain            domain;
  PetscInt              part; /* string of the scope, -1 all               */
  uint32_t              all[RUNG_MAX_UNKNOWNS];
  uint32_t              varying[RUNG_MAX_UNKNOWNS]; /* with t or an unknown */
  uint32_t              fields[RUNG_MAX_UNKNOWNS];  /* with a field         */
  struct RungBlocksOf_ *next;                       /* owned                */
} RungBlocksOf;
/* The same with the blocks; the caller frees them.  blocks.c: adds an entry that holds such inputs. */
PetscErrorCode RungLowerTraitsAndBlocks(RungExpr expr, RungFormTraits *traits, RungBlocksOf **blocks);
PetscErrorCode RungBlocksAdd(RungBlocksOf **list, RungDomain domain, PetscInt part, PetscInt row, PetscInt col,
                             unsigned uses);
PetscErrorCode RungBlocksDestroy(RungBlocksOf **list);
PetscErrorCode RungIntegralsDestroy(PetscInt n, RungIntegral **integrals);
/* The components of a point expression of x, t, constants as a tape (and of unknowns' inputs where allowed). */
PetscErrorCode RungLowerPointwise(RungExpr expr, RungTape *tape);
PetscErrorCode RungSameRule(RungCellType type, PetscInt a, PetscInt b, PetscBool *same); /* of two degrees: degree.c */
PetscErrorCode RungTapeDestroy(RungTape *tape);
PetscErrorCode RungTapeView(const RungTape *tape, RungScope scope, PetscViewer viewer);
/* One instruction on n numbers: r[i] = op(a[i], b[i], c[i]) (ops.c, expanded from ops.def). */
void RungInstructionRun(RungOp op, PetscInt n, const double *a, const double *b, const double *c, double *r);
