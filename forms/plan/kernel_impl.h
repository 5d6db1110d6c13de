/* kernel_impl.h - from integrals to numbers: what the interpreter, the C back end and assembly share.

   A kernel works in reference coordinates X.  With K = dX/dx, a physical derivative D_s of a basis function is a
   combination of its reference derivatives R_r, known from tables:

       D_s phi = sum_r map[s][r] R_r phi        map of values 1; of d/dx_a  K[b][a]; of d2/dx_a dx_b  see geometry.c

   so the unknowns' inputs are sums of tables times dofs, mapped, and the integral of  c D_s(v) D_z(w)  is

       sum_q sum_rz  (w_q |J| map[s][r] c map[z][y])  R_r(v)  R_y(w),

   coefficients pulled back to the reference cell, contracted with tables.  A pair (r, y) of a block is contracted
     CELL   where coefficient and map are constants of the cell: with the table sum_q w_q R_r(v) R_y(w), made here;
     SUM    where both tables are the same at all points: the coefficient is summed over the points first;
     POINT  point by point otherwise.
   A rank 1 integral has one trial function, 1; a rank 0 integral one test function besides. */
#pragma once

#include "pack_impl.h"

#include "forms_impl.h"

#define RUNG_ABI            2  /* of RungKernelArgs and of what a compiled object exports */
#define RUNG_MAX_DERIVATIVE 10 /* value, 3 first, 6 second derivatives */
#define RUNG_BATCH          8  /* places of a batch of the interpreter: whole packs, and a line of the cache */

/* ---- instruction sets (isa.c) ------------------------------------------------------------------------------------ */

typedef enum { RUNG_ISA_NATIVE, RUNG_ISA_SSE2, RUNG_ISA_AVX2, RUNG_ISA_AVX512, RUNG_ISAS } RungIsa;
const char *RungIsaName(RungIsa isa);
const char *RungIsaFlags(RungIsa isa);  /* of compilers                                    */
PetscInt    RungIsaLanes(RungIsa isa);  /* doubles in a vector                             */
PetscBool   RungIsaIsHere(RungIsa isa); /* this machine has it                             */
RungIsa     RungIsaBest(void);          /* the most that it has; NATIVE where none is known */
PetscInt    RungMachineLanes(void);     /* doubles in a vector of this machine: 8, 4, or 2 */

/* ---- basis functions at the points of a rule ------------------------------------------------------------------- */

/* side: facet of the reference cell in facet integrals, otherwise 0; on interior facets, which two cells see, facet *
   turns + turn (RungFacetTurn), so that point q is the same place on both. */
typedef struct {
  char     *name; /* owned, "P2"                                                                                   */
  PetscInt  nodes, components;
  PetscInt  offset; /* first dof in [cell dof] or, for a coefficient, in [coefficient dof]                           */
  PetscInt  order;  /* tabulated derivatives: up to this order; -1: unused                                           */
  PetscInt  degree; /* of its polynomials, as RungSpaceData counts it; -1: values at points alone                    */
  double   *table;  /* owned, [derivative][side][point][node]                                                        */
  PetscBool constant[RUNG_MAX_DERIVATIVE]; /* the same at all points of all sides                                    */
  PetscBool zero[RUNG_MAX_DERIVATIVE];
} RungBasis;

/* ---- blocks: the dofs of one component of a test and of a trial function ---------------------------------------- */

typedef enum { RUNG_PAIR_CELL, RUNG_PAIR_SUM, RUNG_PAIR_POINT, RUNG_PAIR_KINDS } RungPairKind;

typedef struct {
  PetscInt r, s, coefficient; /* reference derivatives of test and trial function; of its kind                       */
} RungPair;

/* to += map[s][r] from.  First steps: T[to] from tape values, weighted with w |J|; second: coefficients from T. */
typedef struct {
  PetscInt to, s, r, from;
} RungPullStep;

typedef struct {
  PetscInt      temporaries;
  PetscInt      steps[2];
  RungPullStep *step[2]; /* owned, sorted by `to`                                                                    */
} RungPull;

/* entry (i, j) of a block belongs to out[base + i * row + j * col] */
typedef struct {
  PetscInt base, row, col;
} RungDestination;

typedef struct {
  PetscInt r, s, value; /* physical derivatives of row and column, tape value */
} RungBlockTerm;

/* A tensor without its zeros: entries with as many terms, and places of `out` that they go to, are a group. */
typedef struct {
  PetscInt entries, terms, places; /* of each entry                  */
  PetscInt term, place;            /* the first of the first entry   */
} RungSparseGroup;
typedef struct {
  PetscInt         groups;
  RungSparseGroup *group;  /* owned, sorted by the number of terms, from 0; NULL: too few zeros */
  PetscInt        *at;     /* owned, [term] coefficient                                         */
  double          *factor; /* owned, [term]                                                     */
  PetscInt        *place;  /* owned, [place] of out                                             */
} RungSparse;

typedef struct {
  const RungBasis *row, *col;
  PetscInt         row_cell, col_cell; /* of a pair on an interior facet: side of row and column, else 0  */
  PetscBool        diagonal;           /* entries i = j alone, of a vector                               */
  PetscBool        half;               /* a symmetric matrix: entries i <= j, the others mirrored          */
  PetscInt         terms;
  RungBlockTerm   *term; /* owned                                                              */
  PetscInt         destinations;
  RungDestination *destination; /* owned: blocks with equal terms are computed once                 */
  PetscInt         coefficients[RUNG_PAIR_KINDS];
  PetscInt         pairs[RUNG_PAIR_KINDS];
  RungPair        *pair[RUNG_PAIR_KINDS]; /* owned, sorted by r, s                                            */
  double          *tensor[2];             /* owned, CELL and SUM: [side][i][j][coefficient]                   */
  PetscBool        full[2];               /* few of its numbers are 0                                         */
  RungSparse       sparse[2];             /* the same, where there is one side                                */
  RungPull         pull[2];               /* 0: to CELL; 1: to SUM, then POINT                                */
  PetscInt         few;        /* > 0: of POINT coefficients the values at so many of the points say all (plan_few.c) */
  PetscInt        *few_point;  /* owned, [few]                                                                 */
  double          *few_tensor; /* owned, [i][j][coefficient][few]                                              */
} RungBlock;

/* ---- outer products (plan_outer.c) --------------------------------------------------------------------------------- */

/* sum_m c_m p_m(v) q_m(u) of vectors that are contracted with the basis functions before they are multiplied:
   h_v[node][q] = sum_d table_d[q][node] value_d, entry (i, j) of a destination += sum_q h_left[i][q] (c h_right[j])[q].  In
   symmetric integrals for i <= j, mirrored. */
typedef struct {
  PetscInt n, derivative[RUNG_PRODUCT_MOST_DERIVATIVES], value[RUNG_PRODUCT_MOST_DERIVATIVES]; /* tape values */
} RungOuterVector;

typedef struct {
  PetscInt destination, left, scaled;
} RungOuterTerm;

typedef struct {
  const RungBasis *basis;
  PetscBool        half; /* i <= j alone */
  PetscInt         vectors, scales, scaleds, terms, destinations;
  RungOuterVector *vector; /* owned */
  PetscInt        *scale;  /* owned, tape values */
  struct {
    PetscInt scale, vector;
  } * scaled;                   /* owned, sorted                                     */
  RungOuterTerm   *term;        /* owned, sorted by destination                      */
  RungDestination *destination; /* owned                                             */
  PetscInt        *mirror;      /* owned, [destination] that of the transposed block */
  PetscInt         moment;      /* block of the cell's that the destinations begin with, -1: none */
} RungOuter;

/* ---- plan ------------------------------------------------------------------------------------------------------- */

/* sum_i table[r][.][i] u_k[dof i]: a reference derivative at the points */
typedef struct {
  PetscInt source, component, k, r; /* source: unknown, or unknowns + field                                          */
  PetscInt cell;                    /* of a pair on an interior facet, else 0                                        */
} RungEvaluation;

typedef struct {
  PetscInt to, s, r, from; /* input value `to` += map[s][r] * evaluation `from`, the map of its cell                  */
} RungInputStep;

/* Sum factorisation on quadrilaterals and hexahedra (plan_tensor.c): points and basis functions are products, so that
   tables are those of a line.  Point q = q_0 + m q_1 + m^2 q_2, lattice point l = l_0 + n l_1 + n^2 l_2. */
typedef struct {
  PetscInt  line;     /* n functions; 0: not a product, or of no use */
  PetscInt *node;     /* owned, [lattice point] cell node            */
  double   *table[2]; /* owned, [times derived][point][function]     */
} RungLineBasis;

typedef struct {
  PetscInt       points;     /* m, on a line                                                                      */
  double        *x, *weight; /* owned, [point]                                                                    */
  double        *derivative; /* owned, [q][p] derivative at q of the polynomial that is 1 at p and 0 at the others */
  RungLineBasis *basis;      /* owned, [unknown, then field]                                                      */
} RungTensor;

/* Where a mesh has cells that are affine images of their reference cell and others, integrals over cells have a plan for
   each kind: affine cells keep what is known of them. */
typedef enum { RUNG_ANY_CELLS, RUNG_AFFINE_CELLS, RUNG_BENT_CELLS } RungCellKind;

typedef struct _p_RungPlan *RungPlan;
struct _p_RungPlan {
  const RungIntegral *integral; /* lent                                                                              */
  RungScope           scope;    /* lent                                                                              */
  RungMesh            mesh;     /* lent                                                                              */
  RungIsa             isa;      /* of the interpreter's loops                                                        */
  RungCellType        type;
  PetscInt            dim;  /* of x; equal to axes but for points                                                */
  PetscInt            axes; /* of the reference cell                                                             */
  PetscInt            geometry_degree; /* of the cells' map                                                         */
  RungCellKind        kind;
  PetscBool           affine, facets;
  PetscBool           straight;       /* the map's derivative is diagonal                                           */
  PetscInt            entity;         /* dimension of a place that is a vertex or an edge; -1: it is a cell or facet */
  PetscReal           tangent[12][3]; /* [side][axis] of the reference cell's edges, from end to end; entity 1 only  */
  PetscInt            cells; /* of a place: 2 on interior facets, else 1                                            */
  PetscInt            turns; /* sides of a facet: 1 but on interior facets                                          */
  PetscInt            sides, points;
  double             *weight;   /* owned, [side][point]                                                              */
  RungBasis           geometry; /* of the cell's map, order 1, or 2 where curvature is needed                        */
  PetscInt            unknowns, fields;
  RungBasis          *basis; /* owned, [unknown, then field]                                                      */
  RungBasis           one;   /* the trial "function" of rank 1                                                    */
  PetscInt            dofs, field_dofs;    /* of a place: of one cell, then of the other                  */
  PetscInt            rows, cols;          /* out has rows * cols entries a place                         */
  PetscBool           levels[RUNG_LEVELS]; /* u[k] is read                                                */
  PetscBool           x, sizes;            /* inputs: place; h, volume, facet area                        */
  PetscBool           map[RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE]; /* entries of the map that something reads      */
  PetscBool           unfit;  /* it can be done, but not well (mapped integrals)                                    */
  RungOuter          *outer;  /* owned; products of a mapped integral, or NULL                                      */
  RungValueRate      *rate;   /* owned, [value]: of the tape, better known: gradients of P1 are constant in a cell */
  PetscInt           *degree; /* owned, [value]: of a polynomial on each affine simplex, -1: it may be none         */
  PetscInt            evaluations;
  RungEvaluation     *evaluation; /* owned                                                                           */
  PetscInt            input_steps;
  RungInputStep      *input_step; /* owned, sorted by `to`                                                           */
  PetscInt            blocks;
  RungBlock          *block;  /* owned                                                                           */
  RungTensor         *tensor; /* owned; NULL: compiled code takes the tables as they are                            */
  PetscBool applied; /* a matrix, multiplied with the direction or the levels that are read: `out` is a vector */
  RungPlan
    compiled; /* owned; the same in derivatives of the reference cell, or by the matrix, of which C is made; NULL: of this */
};
PetscErrorCode RungPlanCreate(const RungIntegral *integral, RungScope scope, RungLayout layout, RungPlan *plan);
/* The same for cells of a kind, which must be those of a mesh that has both. */
PetscErrorCode RungPlanCreateKind(const RungIntegral *integral, RungScope scope, RungLayout layout, RungCellKind kind,
                                  RungPlan *plan);
/* Of a matrix, to be applied: its tensors are not made where matrices of a line take their place. */
PetscErrorCode RungPlanCreateApplied(const RungIntegral *matrix, RungScope scope, RungLayout layout, RungCellKind kind,
                                     RungPlan *plan);
/* The kinds that an integral's plans are made for; returns how many.  The same on all ranks. */
PetscInt       RungPlanKinds(const RungIntegral *integral, RungLayout layout, RungCellKind kind[2]);
PetscErrorCode RungPlanDestroy(RungPlan *plan);
/* table of derivative r on a side, [point][node] */
const double *RungBasisTable(RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt side);
/* reference derivatives that D_s needs, without those that vanish */
PetscInt RungPlanReferences(RungPlan plan, const RungBasis *basis, PetscInt s, PetscInt r[]);
/* plan_tensor.c: finds out whether sums factorise and sets plan->tensor. */
PetscErrorCode RungPlanTensor(RungPlan plan, RungLayout layout);
PetscErrorCode RungTensorDestroy(RungPlan plan);
/* the tables of a basis of the plan, line = 0 where there are none */
const RungLineBasis *RungPlanLine(RungPlan plan, const RungBasis *basis);
/* plan_kronecker.c: of the matrix of a cell, applied.  Matrix - which one of a line a pair has along an axis: 2 r + s, of the function of the
   row and of the column derived or not.  Takes, Has - does the pair, one of the block have these along the last of three axes (of two: 0) and the
   second one (-1: any)?  turned: the transposed block.  Table - [row][col].  Cost - in products; -1: coefficients vary, or functions are none of a line. */
#define RUNG_LINE_COST 0.5 /* of a product along a line: even and odd parts are multiplied by themselves */
PetscInt  RungKroneckerMatrix(const RungPair *pair, PetscInt axis, PetscBool turned);
PetscBool RungKroneckerTakes(RungPlan plan, const RungPair *pair, PetscBool turned, PetscInt last, PetscInt middle);
PetscBool RungKroneckerHas(RungPlan plan, const RungBlock *block, PetscBool turned, PetscInt last, PetscInt middle);
void      RungKroneckerTable(RungPlan plan, const RungLineBasis *row, const RungLineBasis *col, PetscInt matrix,
                             double table[]);
double    RungKroneckerCost(RungPlan plan);
/* Modes - mode[node][k] and lambda[k] of mass and stiffness of a line, found: if these are all that the block has */
PetscErrorCode RungKroneckerModes(RungPlan plan, const RungBlock *block, double mode[], double lambda[],
                                  PetscBool *found);
RungSpace      RungPlanSpace(RungPlan plan, RungLayout layout, PetscInt source, PetscErrorCode *error); /* of a basis */
/* Distance of the dofs of the second cell from those of the first, of unknowns or of fields. */
static inline PetscInt RungPlanCellOffset(RungPlan plan, PetscBool field, PetscInt cell)
{
  return cell * ((field ? plan->field_dofs : plan->dofs) / plan->cells);
}
/* plan_block.c */
PetscErrorCode RungPlanBlocks(RungPlan plan);
PetscBool      RungPlanOfCell(RungPlan plan, PetscInt value); /* its coefficients are of kind CELL */
PetscErrorCode RungBlockDestroy(RungBlock *block);
PetscBool      RungBasisSame(const RungBasis *a, const RungBasis *b); /* the same functions and tables */
/* plan_share.c */
typedef struct {
  PetscInt   n, room;
  RungBlock *block; /* owned, [n] */
} RungBlocks;
/* Blocks whose terms are there, yet neither pairs nor tensors: cut and joined until it is cheap to contract them. */
PetscErrorCode RungBlocksShare(RungPlan plan, RungBlocks *blocks);
void           RungBlockHalve(RungPlan plan, RungBlock *block); /* sets block->half */
double         RungBasisFilled(RungPlan plan, const RungBasis *basis,
                               PetscInt r);                          /* share of nodes with a table r that is not 0 */
double         RungBlockCost(RungPlan plan, const RungBlock *block); /* of its contraction, in products */
/* plan_outer.c: plan->outer of an integral with products, or plan->unfit */
PetscErrorCode RungPlanOuter(RungPlan plan);
PetscErrorCode RungOuterDestroy(RungOuter **outer);
double         RungOuterCost(RungPlan plan);
/* plan_choose.c: other becomes plan->compiled if it is cheaper than that, or than the plan; what is not taken is destroyed. */
PetscErrorCode RungPlanTakeCheaper(RungPlan plan, RungPlan other);
/* MayApply - is the plan that of a vector which might apply the matrix of an affine cell?
   TakeMatrix - the matrix becomes plan->compiled if that is cheaper; if not, it is destroyed. */
PetscBool      RungPlanMayApply(RungPlan plan);
PetscErrorCode RungPlanTakeMatrix(RungPlan plan, RungPlan matrix);
/* plan_few.c: plan->degree, from rates; what is left of the contraction at the points of a block that is finished. */
PetscErrorCode RungPlanDegrees(RungPlan plan);
PetscErrorCode RungBlockFew(RungPlan plan, RungBlock *block);

/* ---- geometry of a batch (geometry.c) ---------------------------------------------------------------------------- */

/* Frames of several batches, one after the other: of affine cells one each (gp = 1), else one for each point of the rule.
   Owned; parts of `memory`. */
typedef struct {
  PetscInt  gp;
  PetscInt  frame, point; /* numbers of a batch: gp * RUNG_BATCH, points * RUNG_BATCH        */
  PetscBool weighted;     /* something reads dV                                              */
  PetscBool second;       /* of a pair: only its maps are read                               */
  double   *memory;
  double   *measure;   /* [batch][gp][lane] |det J|, on facets the surface factor          */
  double   *dV;        /* [batch][point][lane] weight * measure                            */
  double   *x[3];      /* [axis] of [batch][point][lane], where the plan says so           */
  double   *normal[3]; /* [axis] of [batch][gp][lane], facets; of edges the tangent        */
  PetscInt  maps;      /* entries of map that are there                                    */
  PetscInt  entry[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE][2];
  double   *map[RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE]; /* [batch][gp][lane]            */
} RungGeometry;
PetscErrorCode RungGeometryCreate(RungPlan plan, PetscInt batches, RungGeometry *geometry);
void           RungGeometryDestroy(RungGeometry *geometry);
/* Frames of n batches from number `first` on, which see one side, from their nodes x[node][axis][lane], at a distance. */
void RungGeometryRun(RungPlan plan, PetscInt side, PetscInt first, PetscInt n, const double x[], PetscInt distance,
                     RungGeometry *geometry);

/* h (longest edge, from corner to corner), volume and area of a facet of cells with a map of a degree. */
typedef struct {
  RungCellType          type;
  PetscInt              degree, nodes; /* of the map                                                     */
  const RungQuadrature *rule[7];       /* lent, [0 the cell, 1 + facet]                                  */
  double               *slope[7];      /* owned, [0 the cell, 1 + facet][derivative][point][node]        */
} RungSizes;
PetscErrorCode RungSizesCreate(RungCellType type, PetscInt degree, PetscBool facets, RungSizes *sizes);
PetscErrorCode RungSizesDestroy(RungSizes *sizes);
/* x[node][axis] of one cell; facet -1 for none: size[2] is 1 */
void RungSizesRun(const RungSizes *sizes, PetscInt facet, const PetscReal x[], double size[3]);

/* ---- memory --------------------------------------------------------------------------------------------------------
 */

/* zeroed, aligned to 64 bytes; free() */
PetscErrorCode RungAlignedAlloc(size_t count, double **memory);

/* ---- contraction (tail.c) -------------------------------------------------------------------------------------------
 */

/* Arrays are those of n batches at distances, [lane] of RUNG_BATCH. */
typedef struct {
  PetscInt  n, u, out; /* distances of dofs or coefficients, and of results          */
  PetscBool set;       /* results of a block are the first: its entries of out are set */
  PetscInt  tiles;     /* RungTailWidth() of a block                                   */
} RungBatchSpan;

/* out[point][lane] = sum_i table[point][i] u[i * stride][lane] */
void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt stride, RungBatchSpan span,
                      const double u[], double out[]);
/* Coefficients at the points of straight affine cells that tiles pull back themselves: value of the tape times factor, where the
   weights of the points are in the tables of the rows. */
typedef struct {
  const double *value[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [pair] of [batch][point][lane] */
  const double
    *factor[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [pair] of [lane]; batches at the distance of coefficients */
  const double *row[RUNG_MAX_DERIVATIVE];               /* [derivative] of [point][i]     */
  PetscInt      batch;                                  /* numbers of a batch of a value  */
} RungStraight;
/* adds a block, or sets it: coefficient[kind] is [coefficient][lane] for CELL and SUM, [coefficient][point][lane] for POINT, NULL
   where there is nothing to do; fold NULL, or instead of those of POINT; scratch[2 * RUNG_MAX_DERIVATIVE * points * RUNG_BATCH] */
void RungTailBlock(RungPlan plan, const RungBlock *block, const PetscInt side[2], RungBatchSpan span,
                   double *const coefficient[], const RungStraight *fold, double scratch[], double out[]);

/* tail_tile.c: columns of the tiles of registers that a block is contracted in, 0: it has none */
PetscInt RungTailWidth(RungPlan plan, const RungBlock *block);

/* Of one batch.  tail_sum.c: the same, sums factorised, of functions that fit.  scratch[RungSumScratch()]; out[0] values,
   out[1 + a] derivatives, NULL where they are not wanted, times scale[a][lane], NULL is 1; coefficient[r][point][lane], NULL where there is none. */
PetscBool RungSumFits(RungPlan plan, const RungBasis *basis);
size_t    RungSumScratch(RungPlan plan);
void      RungSumEvaluate(RungPlan plan, const RungBasis *basis, const double u[], const double *const scale[],
                          double scratch[], double *const out[]);
void      RungSumVector(RungPlan plan, const RungBlock *block, const double *const coefficient[], PetscBool set,
                        double scratch[], double out[]);

/* tail_diagonal.c: the same of a block that is diagonal */
void RungTailDiagonal(RungPlan plan, const RungBlock *block, PetscInt side, double *const coefficient[], double out[]);

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

typedef enum { RUNG_UNWRITTEN, RUNG_WRITTEN_SET, RUNG_WRITTEN_ADDED } RungWritten;

typedef struct _p_RungKernel *RungKernel;
struct _p_RungKernel {
  RungPlan  plan;  /* lent */
  PetscInt  lanes; /* places of a call */
  PetscInt  ahead; /* most batches to look ahead at; 0: none */
  PetscBool whole; /* Prepare does all there is to do, each batch with an `out` of its own */
  /* The next n <= ahead runs will be of these batches, whose arrays are at equal distances: what they have in common is
     done at once.  NULL: nothing is. */
  void (*prepare)(RungKernel kernel, PetscInt n, const RungKernelArgs args[]);
  void (*run)(RungKernel kernel, const RungKernelArgs *args);
  /* Of kernels that run one after the other: what none before has written is set instead of added to, and noted; then the
     first clears what is left.  NULL: `out` has to be cleared before.  written[rows * cols] */
  void (*claim)(RungKernel kernel, RungWritten written[]);
  PetscErrorCode (*clear)(RungKernel kernel, const RungWritten written[]);
  RungKernelFn *compiled; /* C back end */
  const char   *origin;   /* C back end: "linked", "cached" or "compiled" */
  void         *data;     /* owned, the back end's own */
  PetscErrorCode (*destroy)(RungKernel kernel);
};
/* Of RUNG_BATCH places, at most so many batches ahead. */
PetscErrorCode RungKernelCreateInterpreter(RungPlan plan, PetscInt ahead, RungKernel *kernel);
PetscErrorCode RungInterpreterCreate(RungPlan plan, PetscInt ahead, RungKernel *kernel); /* its plain copy */
PetscInt       RungInterpreterAhead(RungPlan plan); /* as many as are good for it */
PetscErrorCode RungKernelDestroy(RungKernel *kernel);

typedef enum { RUNG_JIT_WAIT, RUNG_JIT_BACKGROUND, RUNG_JIT_NEVER } RungJitMode;

/* How kernels are compiled; all strings owned. */
typedef struct {
  char       *cache;      /* folder, "" the default                    */
  char       *compiler;   /* "" CC, or the first of cc, gcc, clang     */
  char       *flags;      /* "" the default                            */
  PetscInt    lanes;      /* 0: of the instruction set                 */
  PetscInt    cache_size; /* most megabytes that the folder may hold   */
  RungIsa     isa;
  RungJitMode jit;
} RungCompileOptions;

/* A compilation under way. */
typedef struct _p_RungJob *RungJob;
/* Collective.  kernel[i] of plan[i]: all at once if they are linked into the program or cached, or all NULL.  Out: job, to
   be looked at until it is NULL again; NULL: nothing is compiled any more.  All NULL and no job: rank 0 has printed one
   warning, the caller takes the interpreter.  plan[i] and options live longer than the job. */
PetscErrorCode RungJobCreate(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                             RungKernel kernel[], RungJob *job);
PetscErrorCode RungJobLook(RungJob *job, PetscBool wait, RungKernel kernel[]); /* collective */
PetscErrorCode RungJobDestroy(RungJob *job); /* a compiler that still runs is killed */
/* linked.c: while a record is kept (RungKernelsRecord), plans are noted until they are destroyed. */
PetscErrorCode RungRecordAdd(RungPlan plan);
void           RungRecordForget(RungPlan plan);
/* Create, and Look until it is done. */
PetscErrorCode RungKernelsCompile(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                                  RungKernel kernel[]);
/* C source of n integrals (PetscFree).  Its text depends on nothing but the plans and lanes. */
PetscErrorCode RungEmit(PetscInt n, const RungPlan plan[], PetscInt lanes, char **source);
PetscInt       RungCompilerRuns(void); /* compilations started by this process so far */

/* ---- batches (batch.c) ------------------------------------------------------------------------------------------ */

/* transfer.c: numbers of functions, or places, of all cells of a batch that are found through one map. */
enum { RUNG_FROM_PLACES = -1, RUNG_TRANSFER_ENDS = 4 };
typedef struct {
  PetscInt  source; /* k of u[k]; RUNG_LEVELS + field; RUNG_FROM_PLACES                    */
  PetscInt  first;  /* where node 0 is there                                                */
  ptrdiff_t at;     /* of [node][component][lane], behind a batch's x, or its out           */
} RungTransferEnd;
/* runs.c: pieces of a cell, its entities, whose nodes follow each other in memory, in one order for all lanes of a batch. */
typedef struct {
  PetscInt  pieces;
  PetscInt *first; /* owned, [piece + 1] nodes of the cell; those before are looked up       */
  PetscInt *base;  /* owned, [batch][piece][lane] the first node in memory                   */
  int      *order; /* owned, [batch][piece] which of the orders, -1: none                    */
  PetscInt  orders;
  PetscInt  stride; /* the numbers of the largest piece                                       */
  int      *row;    /* owned, [order][number in memory] its place in a piece, times lanes     */
} RungRuns;
/* lines.c: lines of the cache, 8 numbers from the start of an array, that a batch touches and none has for a while. */
typedef struct {
  PetscInt *first; /* owned, [batch + 1] into line */
  PetscInt *line;  /* owned                        */
} RungLines;
typedef struct {
  PetscBool            geometry;
  const RungSpaceData *space; /* lent; NULL of places                             */
  const PetscInt      *map;   /* lent, [cell][node]                               */
  RungRuns            *runs;  /* owned; NULL where nodes are looked up one by one */
  RungLines           *lines; /* owned; NULL where nothing is fetched ahead       */
  PetscInt             nodes, components;
  PetscInt            *newest; /* owned, [batch + 1] nodes that batches before have touched are below; NULL: runs */
  PetscInt             ends;
  RungTransferEnd      end[RUNG_TRANSFER_ENDS];
} RungTransfer;
typedef struct {
  PetscInt      n;
  RungTransfer *transfer; /* owned, [n]                                         */
} RungTransferList;

/* The places of a part of the mesh on this rank, `lanes` at a time, for all integrals over it: gathered once, summed in
   one `out`, scattered once.  On facets all places of a batch have the same local facet.  The last batch of a kind is
   padded with its last place. */
typedef struct _p_RungBatches *RungBatches;
/* Batches b .. b + n - 1, whose arguments are next[b % ahead] and on: fills x, u, field and cell; adds out of vectors to
   local[dof], of a single one if these have no arrays of their own. */
typedef void RungGatherFn(RungBatches batches, PetscInt b, PetscInt n, const PetscScalar *const u[],
                          const PetscScalar *const field[]);
typedef void RungScatterFn(RungBatches batches, PetscInt b, PetscInt n, PetscScalar local[]);
typedef void RungClearFn(size_t n, double out[]); /* n: of whole lanes */
struct _p_RungBatches {
  PetscInt               n;      /* integrals                                                                       */
  RungKernel            *kernel; /* owned array, [n] lent                                                           */
  RungPlan               plan;   /* lent, of the first: what depends on layout and part is the same for all         */
  const RungMeshData    *mesh;   /* lent                                                                            */
  const RungLayoutData  *layout; /* lent                                                                            */
  const RungLayoutData **field;  /* owned array, [field] lent                                                       */
  const PetscReal       *far;    /* lent, geometry of far cells                                                     */
  PetscInt               lanes;
  PetscInt               places;
  PetscInt              *cell;   /* owned, [place] local cell, on interior facets that of side 0, which may be far */
  PetscInt              *minus;  /* owned, [place] the cell of side 1, interior facets only                        */
  PetscInt              *number; /* owned, [place] of the interior facet in its layout; likewise                   */
  PetscInt              *padded; /* owned, [lane] cells of a batch that is not full                                */
  PetscInt               sizes;  /* numbers of a cell: RUNG_CELL_SIZES, then parts                                  */
  double                *size;   /* owned, [place][sizes][cell]; NULL where no integral reads them                  */
  PetscInt               batches;
  PetscInt              *first;   /* owned, [batch + 1] into place                                                   */
  int                   *facet;   /* owned, [batch][2] side of the tables of either cell                             */
  PetscInt              *shape;   /* owned, [batch] a batch whose cells are the same but for their place; or NULL    */
  PetscInt              *held;    /* owned, [ahead] the shape whose geometry next[k].x has, -1: none                 */
  PetscBool              cleared; /* kernels see to it that `out` begins with nothing                               */
  PetscBool             *read;    /* owned, [k][unknown] dofs that are read                                          */
  PetscBool       *read_field;    /* owned, [field]                                                                  */
  PetscInt         phase[4]; /* first batches of phases 0, 1, 2 and the end, of whole runs ahead: 1 has all places with
                                   dofs of other ranks, 0 and 2 the others                                            */
  PetscBool       *write;    /* owned, [unknown] rank 1: rows that are written                                  */
  double          *memory;   /* owned: the arrays of args                                                       */
  RungKernelArgs   args;     /* of the batch that was run last: pointers into memory                            */
  PetscInt         ahead;    /* batches that are gathered together; at least 1                                  */
  PetscBool        whole;    /* `out` of all these batches is filled at once: each has its own                  */
  RungKernelArgs  *next;     /* owned, [ahead] of these batches                                                 */
  size_t           in_size, out_size; /* distances of x, u, .. and of out of these batches                       */
  RungGatherFn    *gather;            /* gather.c, of the instruction set                                         */
  RungScatterFn   *scatter;           /* likewise                                                                 */
  RungClearFn     *clear;             /* likewise                                                                 */
  PetscBool       *regular;           /* owned, [batch] see transfer.c                                            */
  RungTransferList gathers, scatters; /* of regular batches                                                       */
};
/* Local dofs of a cell of a place, which may be a far one. */
static inline const PetscInt *RungCellDofs(const RungLayoutData *layout, PetscInt cell)
{
  return cell < layout->cells ? layout->cell_dof + cell * layout->cell_dofs
                              : layout->far_dof + (cell - layout->cells) * layout->cell_dofs;
}
/* Kernels of equal lanes over one part. */
/* batch_order.c: places, batches, phases; the plan, layout, lanes and kernels are set */
PetscErrorCode RungBatchesOrder(RungBatches batches, const RungPlaces *places);
/* Owned dofs of the places of phase 1 of all groups, once each: entry[n], the caller's. */
PetscErrorCode RungBatchesRim(PetscInt groups, const RungBatches batches[], PetscInt *n, PetscInt **entry);
PetscErrorCode RungBatchesCreate(PetscInt n, const RungKernel kernel[], RungLayout layout, const RungLayout field[],
                                 RungBatches *batches);
PetscErrorCode RungBatchesDestroy(RungBatches *batches);
/* Coordinates of geometry node i of a cell of a place, which may be a far one. */
const PetscReal *RungBatchNode(RungBatches batches, PetscInt cell, PetscInt i);
/* Where a batch stands among those that are gathered together. */
static inline PetscInt RungBatchSlot(RungBatches batches, PetscInt b)
{
  return batches->ahead > 1 ? b % batches->ahead : 0;
}
/* Fills args.out for batch b; returns how many of its lanes are places.  u[k], field[f]: local arrays of their layouts,
   NULL where they are not read.  Batches are run in order, from 0 on, before u and field change: some are gathered ahead. */
PetscInt RungBatchRun(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[]);
/* The same for batch b, the first that was not run; for all that are gathered with it if each has its own out, out_size
   behind the one before: how many. */
PetscInt       RungBatchesRun(RungBatches batches, PetscInt b, const PetscScalar *const u[],
                              const PetscScalar *const field[]);
PetscInt       RungBatchesTogether(RungBatches batches, PetscInt b); /* how many these are */
RungGatherFn   RungGatherRun;                                        /* gather.c, its plain copy */
RungScatterFn  RungScatterRun;
RungClearFn    RungClearRun;
void           RungGatherChoose(RungIsa isa, RungBatches batches); /* gather_isa.c */
PetscErrorCode RungTransfersCreate(RungBatches batches);           /* transfer.c */
PetscErrorCode RungTransfersDestroy(RungBatches batches);
/* runs.c: gives the transfer its runs if many nodes of a cell are in pieces. */
PetscErrorCode RungRunsCreate(RungBatches batches, RungTransfer *transfer);
PetscErrorCode RungRunsDestroy(RungRuns **runs);
/* lines.c: of regular batches */
PetscErrorCode RungLinesCreate(RungBatches batches, const RungTransfer *transfer, RungLines **lines);
PetscErrorCode RungLinesDestroy(RungLines **lines);
/* gather_runs.c: batch b, regular, between from[end] or to and its slot */
void RungRunsGather(RungBatches batches, PetscInt b, const RungTransfer *transfer, const double *const from[],
                    double slot[]);
void RungRunsScatter(RungBatches batches, PetscInt b, const RungTransfer *transfer, const double slot[],
                     PetscScalar to[]);

/* A place of batches, and local arrays of dofs, all NULL that are not there; t, constants, sigma and tables are those of
   batches->args. */
typedef struct {
  RungBatches               batches;
  PetscInt                  b, lane;
  const PetscScalar *const *u, *const *field; /* [RUNG_LEVELS], [field] */
} RungOnePlace;
/* one_place.c: arguments for a plan of the same layout and domain, but for `out`, in all RUNG_BATCH lanes; u[k] is 0 where it
   is not there.  memory: holds the arrays, the caller's (free) */
PetscErrorCode RungOnePlaceGather(const RungOnePlace *place, RungPlan plan, RungKernelArgs *args, double **memory);

/* singular.c: which expression is not finite at a place, of the vector or matrix; "" where none is found.  Not collective. */
PetscErrorCode RungSingular(RungForm form, const RungOnePlace *place, PetscBool matrix, char text[], size_t size);

/* parts.c: in[i] says whether place i, a cell or a facet of one, is in the part.  Collective. */
PetscErrorCode RungPartMark(RungMesh mesh, RungDomain domain, const char part[], PetscInt n, const PetscInt cell[],
                            const PetscInt facet[], PetscBool in[]);
/* Raises what value() of the form's integrals leaves open, or has twice.  Collective. */
PetscErrorCode RungFormCheckParts(RungForm form);

/* ---- forms (form.c assemble.c view.c) -----------------------------------------------------------------------------
 */

/* The integrals of a form or of its Jacobian, from lowering to batches. */
typedef struct {
  PetscBool     ready;
  PetscInt      integrals;
  RungIntegral *integral; /* owned, [integrals]                                      */
  PetscInt      matrices; /* of vectors: integrals of the matrix, one for each or 0  */
  RungIntegral *matrix;   /* owned, [matrices]                                       */
  PetscInt      n;        /* plans: one for each integral and kind of cells          */
  RungPlan     *plan;     /* owned, [n]                                              */
  RungKernel   *kernel;   /* owned, [n]                                              */
  PetscInt      groups;   /* integrals over the same part of the mesh go together    */
  RungBatches  *batches;  /* owned, [group]                                          */
  PetscInt      rims;     /* owned dofs that places of phase 1 have                  */
  PetscInt     *rim;      /* owned, [rims]                                           */
} RungFormPart;

struct _p_RungForm {
  MPI_Comm       comm;   /* owned (PetscCommDuplicate)                                                          */
  char          *name;   /* owned                                                                               */
  RungExpr       expr;   /* its scope is referenced                                                             */
  RungLayout     layout; /* referenced                                                                          */
  RungFormTraits traits;
  PetscBool      split;       /* the Jacobian in two parts                                                          */
  PetscBool      fields_vary; /* entries with fields are in the one that varies                                    */
  RungBlocksOf  *blocks;      /* owned list                                                                        */
  PetscInt       visits;
  PetscInt      *visit;   /* owned, [visits] cells that the varying part adds to; NULL: all, or not known         */
  PetscBool      compile; /* back end c, else the interpreter                                                    */
  PetscInt       degree;  /* of quadrature, -1 estimated                                                         */
  unsigned       view;    /* RUNG_VIEW_..                                                                        */
  RungCompileOptions options;
  PetscInt           fields; /* of the scope when the latest part was made                                         */
  RungLayout        *field;  /* owned array, [field] owned, layouts of coefficient functions                       */
  RungFormPart       part[RUNG_FORM_PARTS];
  /* compiled in the background: kernels of the parts `of`, which interpret until then */
  struct {
    RungJob   job; /* owned, or NULL */
    PetscBool of[RUNG_FORM_PARTS];
  } pending[RUNG_FORM_PARTS];
};
PetscErrorCode RungFormSwitch(RungForm form); /* collective: takes kernels that are compiled by now */
/* batches for the kernels of a part */
PetscErrorCode RungFormCreateGroups(RungForm form, RungFormPart *part);
/* kernel[..] of the parts `of`, one after the other, into the form, where there are any */
void RungFormTakeKernels(RungForm form, const PetscBool of[], const RungKernel kernel[]);

/* These parts alone, in one job for the compiler: bits 1 << RUNG_FORM_..; starts of it take longer than small kernels do */
PetscErrorCode RungFormSetUpParts(RungForm form, unsigned parts);
/* unseen.c: are all outputs zero where the unknowns are, whatever else is read? */
PetscErrorCode RungTapeVanishes(const RungTape *tape, PetscBool *yes);
/* applied.c: lets plans of actions and residuals, just made, take the matrix of the cell */
PetscErrorCode RungFormTakeMatrices(RungForm form, RungFormPart *part);
/* split.c: cells and pairs of unknowns that the varying part adds to, and the whole Jacobian of another form unless it is
   NULL, as RungLayoutInsertBeginFrom() wants them */
PetscErrorCode RungFormVisits(RungForm form, RungForm also, const PetscInt **cell, PetscInt *cells);
PetscErrorCode RungFormVaryingPairs(RungForm form, RungForm also, PetscBool couple[]);

enum { RUNG_VIEW_DAG = 1, RUNG_VIEW_TAPE = 2, RUNG_VIEW_SOURCE = 4, RUNG_VIEW_TRAITS = 8, RUNG_VIEW_KERNELS = 16 };
PetscErrorCode RungFormViewStages(RungForm form, const RungFormPart *part); /* what -form_view asked for */

enum {
  RUNG_EVENT_SETUP,
  RUNG_EVENT_COMPILE,
  RUNG_EVENT_VALUE,
  RUNG_EVENT_VEC,
  RUNG_EVENT_MAT,
  RUNG_EVENT_ACTION,
  RUNG_EVENT_DIAGONAL,
  RUNG_EVENTS
};
extern PetscLogEvent rung_form_event[RUNG_EVENTS]; /* registered by RungFormCreate */
