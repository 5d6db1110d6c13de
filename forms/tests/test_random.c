/* test_random.c - random forms from a seed: read as they are printed, the same in both back ends, with the derivative of
   finite differences.  -random_forms N takes other than 50, -random_seed S the form S alone.  What fails is made as small as it
   goes before it is shown. */
#include "kernel_tools.h"

#define FORMS_OF_A_UNIT 10
#define DEGREE          3
#define KINDS           3

static Tools              tools;
static unsigned long long state;
static const PetscReal    sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

static int below(int n)
{
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % (unsigned long long)n);
}

/* ---- trees of text: s, v, t in a pattern stand for a scalar, vector or tensor -------------------------------------- */

typedef struct _Tree Tree;
struct _Tree {
  const char *pattern; /* one letter behind % for each kid */
  int         kids;
  Tree       *kid[3];
};
static Tree  pool[4096];
static Tree *leaf[3]; /* [rank] what shrinking puts in the place of a tree */
static int   used;

static const char *const ends[3][8] = {
  {"p", "u[0]", "x[0]", "t", "kappa", "2", "h", "dt(p)"},
  {"u", "grad(p)", "x", "u", "dt(u)", "unit(1)", "grad(p)", "u"},
  {"grad(u)", "I", "grad(u)", "sym(grad(u))", "grad(u)", "I", "outer(x, u)", "grad(dt(u))"}};

static const char *const inner_scalar[] = {"(%s + %s)",
                                           "%s*%s",
                                           "(%s - %s)",
                                           "%s*%s",
                                           "sin(%s)",
                                           "cos(%s)",
                                           "tanh(%s)",
                                           "atan(%s)",
                                           "erf(%s)",
                                           "exp(sin(%s))",
                                           "sqrt(1 + (%s)^2)",
                                           "log(2 + (%s)^2)",
                                           "%s/(3 + (%s)^2)",
                                           "(2 + sin(%s))^1.5",
                                           "(%s)^3",
                                           "inner(%v, %v)",
                                           "inner(%t, %t)",
                                           "tr(%t)",
                                           "det(%t)",
                                           "dot(%v, %v)",
                                           "(%v)[1]",
                                           "(%t)[0, 1]",
                                           "cross(%v, %v)",
                                           "if(x[0] < 0.4, %s, %s)",
                                           "if(x[1] > 0.3 and not t > 1 or x[0] < 0.1, %s, %s)",
                                           "max(x[0], 0.5)*%s",
                                           "min(t, x[1])*%s",
                                           "abs(3 + tanh(%s))",
                                           "sign(x[0] - 0.5)*%s",
                                           "atan2(%s, 2 + tanh(%s))",
                                           "bessel_j0(%s)",
                                           "bessel_jn(3, %s)",
                                           "sinh(tanh(%s))",
                                           "cosh(sin(%s))",
                                           "asin(tanh(%s)/2)",
                                           "-%s",
                                           "noise(x)*%s",
                                           "table(\"random.csv\", 1 + tanh(%s)/9)",
                                           "diff(sin(p)*%s, p)",
                                           "div(p*u)",
                                           "curl(u)"};
static const char *const inner_vector[] = {"(%v + %v)",
                                           "%s*%v",
                                           "dot(%t, %v)",
                                           "dot(%v, %t)",
                                           "vector(%s, %s)",
                                           "%v/(3 + (%s)^2)",
                                           "-%v",
                                           "if(x[0] < 0.4, %v, %v)",
                                           "(%t)[1]",
                                           "grad(sin(p)*x[0])"};
static const char *const inner_tensor[] = {"(%t + %t)",
                                           "%s*%t",
                                           "dot(%t, %t)",
                                           "sym(%t)",
                                           "dev(%t)",
                                           "skew(%t)",
                                           "transpose(%t)",
                                           "cofactor(%t)",
                                           "outer(%v, %v)",
                                           "inv(5*I + tanh(%s)*I)",
                                           "inv(4*I + sym(grad(u)))",
                                           "vector(%v, %v)"};
static const char *const terms[]        = {"%s*q*dx(degree: 3)",
                                           "inner(%v, v)*dx(degree: 3)",
                                           "inner(%t, grad(v))*dx(degree: 3)",
                                           "dot(%v, grad(q))*dx(degree: 3)",
                                           "%s*dot(v, n)*ds(left, degree: 3)",
                                           "%s*q*ds(degree: 3)",
                                           "%s*div(v)*dx(degree: 3)"};

#define PICK(list) (list)[below((int)(sizeof(list) / sizeof(list)[0]))]

static Tree *grow(int rank, int depth);

static Tree *make(const char pattern[], int depth)
{
  Tree *tree = &pool[used++];

  *tree = (Tree){.pattern = pattern};
  for (const char *c = pattern; (c = strchr(c, '%')); ++c)
    tree->kid[tree->kids++] = grow(c[1] == 's' ? 0 : c[1] == 'v' ? 1 : 2, depth - 1);
  return tree;
}

static Tree *grow(int rank, int depth)
{
  if (depth <= 0 || used > 3500) return make(ends[rank][below(8)], 0);
  return make(rank == 0 ? PICK(inner_scalar) : rank == 1 ? PICK(inner_vector) : PICK(inner_tensor), depth);
}

static void print(const Tree *tree, char text[], size_t size)
{
  int kid = 0;

  for (const char *c = tree->pattern; *c; ++c) {
    const size_t n = strlen(text);

    if (*c == '%') {
      print(tree->kid[kid++], text, size);
      ++c;
    } else if (n + 1 < size) {
      text[n]     = *c;
      text[n + 1] = 0;
    }
  }
}

/* ---- what is checked ----------------------------------------------------------------------------------------------- */

static PetscErrorCode RoundTrip(const char text[], PetscBool *good)
{
  RungExpr a, b;
  char    *printed;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(tools.scope, "random", text, &a));
  PetscCall(RungExprToText(a, &printed));
  PetscCall(RungScopeParse(tools.scope, "printed", printed, &b));
  *good = a.node == b.node ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscFree(printed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_k[f] + h sigma[k][f] d */
static PetscErrorCode Move(PetscReal h, Vec d, Vec moved[3])
{
  const RungLayoutData *data;
  const PetscScalar    *from;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(tools.layout, &data));
  PetscCall(VecGetArrayRead(d, &from));
  for (int k = 0; k < 3; ++k) {
    PetscScalar *to;

    PetscCall(VecCopy(tools.u[k], moved[k]));
    PetscCall(VecGetArray(moved[k], &to));
    for (PetscInt f = 0; f < 2; ++f) {
      for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i) to[i] += h * sigma[2 * k + f] * from[i];
    }
    PetscCall(VecRestoreArray(moved[k], &to));
  }
  PetscCall(VecRestoreArrayRead(d, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F(u + h d) - F(u) - h J d| for two h: the second is a quarter of the first, or rounding */
static PetscErrorCode TaylorOf(RungForm form, Vec work[7], Mat J, PetscBool *good)
{
  Vec      *moved = work, d = work[3], r0 = work[4], r = work[5], Jd = work[6];
  PetscReal rest[2], size;

  PetscFunctionBegin;
  PetscCall(VecCopy(tools.u[1], d));
  PetscCall(RungFormAssembleMat(form, 0.3, tools.u, sigma, J));
  PetscCall(MatMult(J, d, Jd));
  PetscCall(RungFormAssembleVec(form, 0.3, tools.u, r0));
  PetscCall(VecNorm(r0, NORM_2, &size));
  PetscCall(VecNorm(Jd, NORM_2, &rest[0]));
  size = PetscMax(size, rest[0]);
  for (int i = 0; i < 2; ++i) {
    const PetscReal h = i ? 0.005 : 0.01;

    PetscCall(Move(h, d, moved));
    PetscCall(RungFormAssembleVec(form, 0.3, moved, r));
    PetscCall(VecAXPY(r, -1, r0));
    PetscCall(VecAXPY(r, -h, Jd));
    PetscCall(VecNorm(r, NORM_2, &rest[i]));
  }
  *good = rest[0] <= 1e-11 * size || fabs(log2(rest[0] / rest[1]) - 2) < 0.15 || rest[1] <= 1e-12 * size ? PETSC_TRUE
                                                                                                         : PETSC_FALSE;
  if (log2(rest[0] / rest[1]) > 1.9 && rest[0] < 1e-3 * size)
    *good = PETSC_TRUE; /* a second derivative that vanishes */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Taylor(const char text[], PetscBool *good)
{
  PetscBool couple[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  RungForm  form;
  Vec       work[7];
  Mat       J;

  PetscFunctionBegin;
  PetscCall(ToolsForm(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungLayoutCreateMat(tools.layout, couple, NULL, &J));
  for (int i = 0; i < 7; ++i) PetscCall(VecDuplicate(tools.u[0], &work[i]));
  PetscCall(TaylorOf(form, work, J, good));
  for (int i = 0; i < 7; ++i) PetscCall(VecDestroy(&work[i]));
  PetscCall(MatDestroy(&J));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both kernels on all batches: largest entry and difference. */
static PetscErrorCode CompareKernels(RungPlan plan, RungKernel compiled, PetscBool *good)
{
  double             largest = 0, difference = 0;
  RungKernel         kernel[2] = {NULL, compiled};
  RungBatches        batches[2];
  const PetscScalar *u[3];

  PetscFunctionBegin;
  PetscCall(RungKernelCreateInterpreter(plan, RUNG_PACK, &kernel[0]));
  for (int k = 0; k < 3; ++k) PetscCall(RungLayoutGather(tools.layout, tools.u[k], k, &u[k]));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungBatchesCreate(1, &kernel[i], tools.layout, NULL, &batches[i]));
    (void)RungScopeConstants(tools.scope, &batches[i]->args.constant);
    batches[i]->args.t     = 0.3;
    batches[i]->args.sigma = sigma;
    batches[i]->args.table = RungScopeTables(tools.scope);
  }
  for (PetscInt b = 0; b < batches[0]->batches; ++b) {
    for (int i = 0; i < 2; ++i) (void)RungBatchRun(batches[i], b, u, NULL);
    for (PetscInt i = 0; i < plan->rows * plan->cols * RUNG_PACK; ++i) {
      const double out[2] = {batches[0]->args.out[i], batches[1]->args.out[i]};

      largest    = PetscMax(largest, fabs(out[0]));
      difference = PetscMax(difference, isfinite(out[1]) ? fabs(out[0] - out[1]) : 1e300);
    }
  }
  *good = difference <= 1e-13 * largest ? PETSC_TRUE : PETSC_FALSE;
  for (int i = 0; i < 2; ++i) PetscCall(RungBatchesDestroy(&batches[i]));
  for (int k = 0; k < 3; ++k) PetscCall(RungLayoutGatherRestore(tools.layout, tools.u[k], k, &u[k]));
  PetscCall(RungKernelDestroy(&kernel[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* good[form]: vectors and matrices of n texts, all in one unit */
static PetscErrorCode Compare(int n, char *const text[], PetscBool good[])
{
  char               cache[] = "cache", none[] = "", flags[] = "-O1";
  RungCompileOptions options = {.cache = cache, .compiler = none, .flags = flags, .lanes = RUNG_PACK};
  ToolsPlans         plans[2 * FORMS_OF_A_UNIT];
  RungPlan          *plan;
  RungKernel        *kernel;
  PetscInt           all = 0, at = 0;

  PetscFunctionBegin;
  for (int i = 0; i < 2 * n; ++i) {
    PetscCall(ToolsLower(&tools, text[i / 2], i % 2 ? PETSC_TRUE : PETSC_FALSE, -1, &plans[i]));
    all += plans[i].n;
  }
  PetscCall(PetscMalloc2(all, &plan, all, &kernel));
  for (int i = 0; i < 2 * n; ++i) {
    for (PetscInt j = 0; j < plans[i].n; ++j) plan[at++] = plans[i].plan[j];
  }
  PetscCall(RungKernelsCompile(PETSC_COMM_SELF, all, plan, &options, kernel));
  at = 0;
  for (int i = 0; i < 2 * n; ++i) {
    if (i % 2 == 0) good[i / 2] = PETSC_TRUE;
    for (PetscInt j = 0; j < plans[i].n; ++j, ++at) {
      PetscBool same = PETSC_FALSE;

      if (kernel[at]) PetscCall(CompareKernels(plan[at], kernel[at], &same));
      if (!same) good[i / 2] = PETSC_FALSE;
      PetscCall(RungKernelDestroy(&kernel[at]));
    }
    PetscCall(ToolsPlansDestroy(&plans[i]));
  }
  PetscCall(PetscFree2(plan, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms, and smaller ones ---------------------------------------------------------------------------------------- */

enum { ROUND_TRIP, TAYLOR, BACK_ENDS };
static const char *const kind_name[KINDS] = {
  "is printed as another one", "has another derivative than finite differences", "differs between the back ends"};

static PetscErrorCode Check(int kind, char text[], PetscBool *good)
{
  PetscFunctionBegin;
  switch (kind) {
  case ROUND_TRIP: PetscCall(RoundTrip(text, good)); break;
  case TAYLOR: PetscCall(Taylor(text, good)); break;
  default: PetscCall(Compare(1, &text, good)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces subtrees by leaves as long as the form still fails. */
static PetscErrorCode Shrink(int kind, const Tree *root, Tree *tree, char text[], size_t size)
{
  PetscFunctionBegin;
  for (int i = 0, k = 0; i < tree->kids; ++i) {
    const char *c;
    Tree *const before = tree->kid[i];
    PetscBool   good   = PETSC_TRUE;
    char        smaller[16384];

    for (c = tree->pattern, k = 0; *c; ++c) {
      if (*c == '%' && k++ == i) break;
    }
    tree->kid[i] = leaf[c[1] == 's' ? 0 : c[1] == 'v' ? 1 : 2];
    smaller[0]   = 0;
    print(root, smaller, sizeof smaller);
    if (before->kids) PetscCall(Check(kind, smaller, &good));
    if (!good) {
      (void)snprintf(text, size, "%s", smaller);
    } else {
      tree->kid[i] = before;
      PetscCall(Shrink(kind, root, before, text, size));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Tree *Form(unsigned long long seed)
{
  static const char *const sum[] = {"%s", "%s + %s", "%s - %s"};
  Tree                    *root;
  int                      kids;

  used  = 0;
  state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (int i = 0; i < 3; ++i) leaf[i] = make(ends[i][0], 0);
  kids  = below(3);
  root  = &pool[used++];
  *root = (Tree){.pattern = sum[kids], .kids = kids ? 2 : 1};
  for (int i = 0; i < root->kids; ++i) root->kid[i] = make(PICK(terms), 1 + below(4));
  return root;
}

static PetscErrorCode Fail(int kind, unsigned long long seed)
{
  char  text[16384] = "";
  Tree *root        = Form(seed);

  PetscFunctionBegin;
  print(root, text, sizeof text);
  for (int i = 0; i < root->kids; ++i) PetscCall(Shrink(kind, root, root->kid[i], text, sizeof text));
  fprintf(stderr, "random form %llu %s:\n  %s\n", seed, kind_name[kind], text);
  ++check_failures;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckUnit(int n, const unsigned long long seed[])
{
  char     *text[FORMS_OF_A_UNIT];
  PetscBool good[FORMS_OF_A_UNIT];

  PetscFunctionBegin;
  for (int i = 0; i < n; ++i) {
    PetscCall(PetscCalloc1(16384, &text[i]));
    print(Form(seed[i]), text[i], 16384);
  }
  for (int kind = 0; kind < KINDS; ++kind) {
    if (kind == BACK_ENDS) PetscCall(Compare(n, text, good));
    for (int i = 0; i < n; ++i) {
      if (kind != BACK_ENDS) PetscCall(Check(kind, text[i], &good[i]));
      if (!good[i]) PetscCall(Fail(kind, seed[i]));
    }
  }
  for (int i = 0; i < n; ++i) PetscCall(PetscFree(text[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_random_forms_agree_with_themselves(void)
{
  PetscInt           forms = 50, only = -1;
  unsigned long long seed[FORMS_OF_A_UNIT];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random_forms", &forms, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random_seed", &only, NULL));
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "random.csv", 32, "0.7 1\n0.95 1.1\n1.05 1.4\n2 1.2\n  "));
  PetscCall(ToolsCreate(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1^d", "1", &tools));
  for (PetscInt i = only >= 0 ? only : 0; i < (only >= 0 ? only + 1 : forms); i += FORMS_OF_A_UNIT) {
    const int n = only >= 0 ? 1 : (int)PetscMin(FORMS_OF_A_UNIT, forms - i);

    for (int k = 0; k < n; ++k) seed[k] = (unsigned long long)i + (unsigned long long)k;
    PetscCall(CheckUnit(n, seed));
  }
  PetscCall(ToolsDestroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_random_forms_agree_with_themselves))
