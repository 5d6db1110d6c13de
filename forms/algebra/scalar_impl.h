/* scalar_impl.h - the scalar DAG of one form: nodes, their algebra, derivations.  Private to expand .. tape.

   A node is a number: an input of the kernel or an operator on nodes made earlier, so arguments have smaller numbers
   than their node and one loop over node numbers visits arguments first.

   Equal nodes are one node.  "Equal" is decided by a signature, the node's value modulo two primes, where inputs and
   functions other than + - * / have random values (G. H. Gonnet, Determining equivalence of expressions in random
   polynomial time, STOC 1984).  Two evaluations make a false identity less likely than 1e-20.  So a*b + a*c and (b +
   c)*a, or the entries (r, c) and (c, r) of a Hessian, are one node without a normal form of sums and products: of
   equal expressions the one that was made first stays.  Algebra is exact: numbers carry their rational value beside the
   double. */
#pragma once

#include "forms_impl.h"
#include <stdint.h>

/* ---- signatures (signature.c) ----------------------------------------------------------------------------------- */

typedef struct {
  uint64_t w[2]; /* modulo either prime */
} RungSignature;

RungSignature RungSignatureNumber(double value); /* exact: m 2^e */
RungSignature RungSignatureHash(PetscInt n, const uint64_t word[]);
RungSignature RungSignatureAdd(RungSignature a, RungSignature b);
RungSignature RungSignatureNeg(RungSignature a);
RungSignature RungSignatureMul(RungSignature a, RungSignature b);
RungSignature RungSignatureInverse(RungSignature a); /* a is not zero */
PetscBool     RungSignatureEqual(RungSignature a, RungSignature b);
PetscBool     RungSignatureIsZero(RungSignature a); /* in either evaluation */

/* ---- nodes (scalar.c) ------------------------------------------------------------------------------------------- */

typedef PetscInt RungScalar; /* a node of a dag */

typedef struct {
  RungOp        op;      /* RUNG_OPS: an input                                       */
  RungScalar    arg[3];  /* -1: unused                                               */
  PetscInt      input;   /* inputs: into RungDag.input                               */
  unsigned      uses;    /* bit 1 << RungInputKind of every input below              */
  PetscBool     numeric; /* a product with a number among its factors                */
  RungValueRate rate;
  PetscInt      hides; /* numbers: operator of this value whose place in the table they have; -1 */
  RungSignature signature;
} RungScalarNode;

typedef struct _p_RungDag *RungDag;
struct _p_RungDag {
  RungScope       scope; /* lent                                                     */
  PetscInt        dim;
  PetscInt        n, max;
  RungScalarNode *node;
  PetscBool      *mark; /* [max] false, but in RungDagReach()                       */
  PetscInt        inputs, max_inputs;
  RungInput      *input;
  PetscInt        slots; /* a power of two                                           */
  RungScalar     *slot;  /* [hash] node or -1, by signature                          */
  RungScalar      zero, one;
  PetscInt        rule[RUNG_OPS][3]; /* derivative texts of ops.def as tensor nodes, -1 not yet parsed */
  PetscInt        expanded;          /* length of component                          */
  RungScalar    **component;         /* [tensor node] its components or NULL         */
  PetscBool      *wanted;            /* [tensor node] only while nodes are expanded  */
  PetscInt        place;             /* tensor node in work, for messages            */
  unsigned        vary;              /* kinds of inputs that CONSTANT has not        */
  PetscErrorCode  error;             /* the first one; raised by RungDagCheck        */
  PetscInt        error_place;
  char            message[512];
};

/* The makers below never fail by themselves: the first error stays in the dag, results are then meaningless, and
   RungDagCheck raises it with the place in the text.  Whoever makes nodes calls RungDagCheck before he returns. */
PetscErrorCode   RungDagCreate(RungScope scope, RungDag *dag);
PetscErrorCode   RungDagDestroy(RungDag *dag);
PetscErrorCode   RungDagCheck(RungDag dag);
void             RungDagFail(RungDag dag, PetscErrorCode code, const char format[], ...);
RungScalar       RungDagInput(RungDag dag, const RungInput *input);
RungScalar       RungDagNumber(RungDag dag, double value);
RungScalar       RungDagAdd(RungDag dag, RungScalar a, RungScalar b);
RungScalar       RungDagSub(RungDag dag, RungScalar a, RungScalar b);
RungScalar       RungDagNeg(RungDag dag, RungScalar a);
RungScalar       RungDagMul(RungDag dag, RungScalar a, RungScalar b);
RungScalar       RungDagDiv(RungDag dag, RungScalar a, RungScalar b);
RungScalar       RungDagOp(RungDag dag, RungOp op, const RungScalar arg[]); /* any scalar operator */
PetscBool        RungDagIsNumber(RungDag dag, RungScalar a, double *value);
const RungInput *RungDagGetInput(RungDag dag, RungScalar a); /* NULL: an operator; lent until the next node */

/* The node of a value, -1: there is none. */
RungScalar RungDagFind(RungDag dag, RungSignature value);
/* Forgets nodes n and above, as if they had not been made. */
void RungDagForget(RungDag dag, PetscInt n);

/* Marks what is reached from the roots through nodes that use one of `kinds`: list ascending, caller frees. */
PetscErrorCode RungDagReach(RungDag dag, PetscInt n, const RungScalar root[], unsigned kinds, PetscInt *count,
                            RungScalar **list);

/* ---- components of tensor nodes (expand.c) ---------------------------------------------------------------------- */

/* components lent until the dag is destroyed; in row-major order of the node's shape */
PetscErrorCode RungDagExpand(RungDag dag, PetscInt node, PetscInt *n, const RungScalar **component);

/* ---- derivations (derive.c) ------------------------------------------------------------------------------------- */

/* The part of the dag between roots and the inputs that a derivative is taken by, with chain rule weights. */
typedef struct _p_RungGraph *RungGraph;

/* inputs to differentiate by */
typedef struct {
  unsigned kinds; /* bits 1 << RungInputKind           */
  PetscInt index; /* unknown or variable; -1: any      */
  PetscInt k;     /* time derivative; -1: any          */
} RungWhich;
PetscBool      RungWhichHas(const RungWhich *which, const RungInput *input);
PetscErrorCode RungGraphCreate(RungDag dag, PetscInt n, const RungScalar root[], const RungWhich *which,
                               RungGraph *graph);
PetscErrorCode RungGraphDestroy(RungGraph *graph);
/* the inputs found, ascending; lent */
void RungGraphGetInputs(RungGraph graph, PetscInt *n, const RungScalar **input);
/* out[i] = seed * d root / d input[i] */
PetscErrorCode RungGraphReverse(RungGraph graph, RungScalar root, RungScalar seed, RungScalar out[]);
/* out[r] = sum_i seed[i] * d root[r] / d input[i] */
PetscErrorCode RungGraphForward(RungGraph graph, const RungScalar seed[], PetscInt n, const RungScalar root[],
                                RungScalar out[]);

/* d node / d its operand i, by ops.def */
PetscErrorCode RungDagPartial(RungDag dag, RungScalar s, int i, RungScalar *partial);

/* entry[r * inputs + i] = seed * d root[r] / d input[i] for the inputs that occur, ascending; the caller frees (eliminate.c).
   quick: values are asked about, not computed with, so that nothing is tried to make them cheap */
PetscErrorCode RungDagJacobian(RungDag dag, PetscInt roots, const RungScalar root[], RungScalar seed,
                               const RungWhich *which, PetscBool quick, PetscInt *inputs, RungScalar **input,
                               RungScalar **entry);

/* regroup.c: the same values as root in a dag of their own, from fewer operations; NULL where none were saved.  The caller
   destroys it.  out may be root. */
PetscErrorCode RungDagRegroup(RungDag dag, PetscInt roots, const RungScalar root[], RungDag *best, RungScalar out[]);

/* Operations at a point, about. */
PetscErrorCode RungDagCost(RungDag dag, PetscInt n, const RungScalar root[], PetscInt *cost);

/* outer.c: the entries of a bilinear form with what is a sum of outer products in them written so, in a dag of its own, which
   the caller destroys; NULL: nothing is. */
typedef struct {
  PetscInt   row, col, nr, ns; /* as of RungProductOf */
  RungScalar c, p[RUNG_PRODUCT_MOST_DERIVATIVES], q[RUNG_PRODUCT_MOST_DERIVATIVES];
} RungDagProduct;
typedef struct {
  PetscInt        n;
  RungDagProduct *product; /* owned */
  RungScalar     *kept;    /* owned, [entry] without its products */
} RungDagProducts;
PetscErrorCode RungDagOuter(RungDag dag, const RungIntegral *integral, const RungScalar value[], RungDag *to,
                            RungScalar out[], RungDagProducts *products);
PetscErrorCode RungDagProductsDestroy(RungDagProducts *products);

/* weigh.c: the entries times the weight of the point, in place, if that saves operations over doing it later. */
PetscErrorCode RungDagWeigh(RungDag dag, PetscInt n, RungScalar value[], PetscBool *weighed);

/* Derivations by their action on inputs.  out may be root. */
PetscErrorCode RungDagDt(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[]);
PetscErrorCode RungDagGrad(RungDag dag, PetscInt axis, PetscInt n, const RungScalar root[], RungScalar out[]);
/* By t while unknowns and their rates stay: of t itself and of fields that have a rate; other fields stay. */
PetscErrorCode RungDagRate(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[]);
/* direction[component of the unknown] */
PetscErrorCode RungDagDirectional(RungDag dag, PetscInt unknown, const RungScalar direction[], PetscInt n,
                                  const RungScalar root[], RungScalar out[]);
/* out[root][component] = d root / d VARIABLE component, then the variable takes its value */
PetscErrorCode RungDagDiff(RungDag dag, PetscInt variable, PetscInt components, const RungScalar value[], PetscInt n,
                           const RungScalar root[], RungScalar out[]);

/* out = root on the other side of an interior facet (restrict.c); plus is what nodes are without it */
PetscErrorCode RungDagMinus(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[]);

/* ---- integrals (lower.c degree.c tape.c) --------------------------------------------------------------------------
 */

/* Degree of the quadrature that a scalar integrand asks for; wanted >= 0: as written; fallback >= 0: instead of an
   estimate.  node: for messages. */
PetscErrorCode RungDagDegree(RungDag dag, RungScalar integrand, PetscInt wanted, PetscInt fallback, PetscInt node,
                             PetscInt *degree);
/* Have both degrees one rule over places of the domain?  On boxes 2 m and 2 m + 1 have, on simplices a few. */
PetscErrorCode RungDagSameRule(RungDag dag, RungDomain domain, PetscInt a, PetscInt b, PetscBool *same);

/* An integral in scalar nodes, before there is a tape. */
typedef struct {
  RungDomain  domain;
  PetscInt    part; /* string of the scope, -1 all                              */
  PetscInt    degree;
  RungScalar  integrand;
  PetscInt    terms, *term; /* tensor nodes that it came from; owned              */
  PetscInt    rows;
  RungSlot   *row;         /* [rows] owned                                        */
  RungScalar *coefficient; /* [rows] owned; rank 0: the integrand, one            */
} RungTerm;

/* The integrals of expr, merged by (domain, part, rule), with the coefficients of their test functions. */
PetscErrorCode RungTermsCreate(RungDag dag, PetscInt expr, PetscInt degree, PetscInt *n, RungTerm **terms);
PetscErrorCode RungTermsDestroy(PetscInt n, RungTerm **terms);

/* The derivative of all coefficients by the inputs UNKNOWN(unknown, any component, k, any derivative), times seed; unknown
   -1: of all unknowns.  entry[row * cols + col], columns sorted; col and entry are the caller's. */
PetscErrorCode RungTermJacobian(RungDag dag, const RungTerm *term, PetscInt unknown, PetscInt k, RungScalar seed,
                                PetscBool quick, PetscInt *cols, RungSlot **col, RungScalar **entry);

/* dF/du^(k) of one integral, all unknowns: non-zero entries */
typedef struct {
  PetscInt    n;
  RungSlot   *row, *col; /* [n] owned */
  RungScalar *value;     /* [n] owned */
} RungEntries;

/* The value of the entry (row, col), -1 where there is none. */
RungScalar RungEntriesFind(const RungEntries *block, const RungSlot *row, const RungSlot *col);
/* signs.c, of a symmetric block.  Collective.
   Out  flag  semidefinite, as far as its text and samples show
        mass  definite as far as numbers say; a diagonal of any sign where it varies */
PetscErrorCode RungEntriesSigns(RungDag dag, const RungEntries *block, PetscBool *flag, PetscBool *mass);

/* pointwise.c: takes the tape, whose inputs have been checked. */
PetscErrorCode RungPointwiseOfTape(RungExpr expr, const RungTape *tape, RungPointwise *function);

/* mapped.c: the term in derivatives of the reference cell, in a dag of its own; its part, terms and integrand are not set. */
PetscErrorCode RungTermMap(RungDag dag, const RungTerm *term, RungDag to, RungTerm *mapped);
/* The tape of the entries of a mapped integral, as cheap as may be; sets weighted. */
PetscErrorCode RungMappedTape(RungDag dag, const RungScalar value[], RungIntegral *integral);
/* Has the Jacobian so many entries between gradients of unknowns, which gradients of unknowns change, that this may be worth it? */
PetscBool RungIntegralWantsMap(RungScope scope, const RungIntegral *integral);

/* lower.c: domain, part, rule and text of an integral; the tape of n values, which are regrouped where that saves operations. */
PetscErrorCode RungTermDescribe(RungDag dag, const RungTerm *term, RungIntegral *integral);
PetscErrorCode RungTapeCreateCheap(RungDag dag, PetscInt n, const RungScalar value[], RungTape *tape);
/* lower_rows.c: what is RUNG_FORM_VALUE, ACTION or RATE; a derivative without rows is zero, and has no tape. */
PetscErrorCode RungTermLowerRows(RungDag dag, const RungTerm *term, int what, PetscInt arity, RungIntegral *integral);

int            RungSlotCompare(const RungSlot *a, const RungSlot *b); /* by unknown, component, derivative */
PetscErrorCode RungTapeCreate(RungDag dag, PetscInt outputs, const RungScalar output[], RungTape *tape);
