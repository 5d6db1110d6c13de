/* test_random.c - random forms from a seed (random_forms.h): read as they are printed, the same in both back ends, with the
   derivative of finite differences.  -random_forms N takes other than 25, -random_first S from seed S on, -random_seed S the form S
   alone.  What fails is made as small as it goes before it is shown. */
#include "kernel_tools.h"
#include "random_forms.h"

#define FORMS_OF_A_UNIT 5
#define KINDS           3
#define TEXT            16384

static Tools           tools;
static const PetscReal sigma[9] = {1, 1.2, 0.8, 0.7, 0.9, 1.1, 0.8, 1.3, 0.6}; /* [k][unknown] */

/* ---- where --------------------------------------------------------------------------------------------------------- */

static const Setting *setting_of(unsigned long long seed)
{
  return &settings[seed / FORMS_OF_A_UNIT % SETTINGS];
}

/* "2^d" -> "P2^d", "Q2^d", "D2^d" -> "DP2^d", "DQ2^d" */
static PetscErrorCode create_space(RungCellType cell, const char spec[], RungSpace *space)
{
  const int broken = spec[0] == 'D';
  char      whole[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(whole, sizeof whole, "%s%s%s", broken ? "D" : "", RungCellGet(cell)->simplex ? "P" : "Q",
                          spec + broken));
  PetscCall(RungSpaceCreate(tools.mesh, whole, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enter(const Setting *setting)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(&tools, sizeof tools));
  PetscCall(tools_mesh(PETSC_COMM_SELF, setting->cell, setting->bent, &tools.mesh));
  PetscCall(RungMeshGetData(tools.mesh, &tools.data));
  PetscCall(create_space(setting->cell, setting->u, &tools.space[0]));
  PetscCall(create_space(setting->cell, setting->p, &tools.space[1]));
  PetscCall(create_space(setting->cell, setting->S, &tools.space[2]));
  tools.unknowns = 3;
  PetscCall(RungScopeCreate(PETSC_COMM_SELF, &tools.scope));
  PetscCall(RungScopeAddUnknown(tools.scope, "u", "v", tools.space[0]));
  PetscCall(RungScopeAddUnknown(tools.scope, "p", "q", tools.space[1]));
  PetscCall(RungScopeAddUnknown(tools.scope, "S", "R", tools.space[2]));
  PetscCall(RungScopeSetConstant(tools.scope, "kappa", 0.7));
  PetscCall(RungScopeSetConstant(tools.scope, "mu", 1.3));
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, 3, tools.space, &tools.layout));
  if (setting->cell != RUNG_POINT) PetscCall(RungLayoutAddNeighbours(tools.layout));
  PetscCall(tools_fill(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is checked ----------------------------------------------------------------------------------------------- */

static PetscErrorCode round_trip(const char text[], PetscBool *good)
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
static PetscErrorCode move_levels(PetscReal h, Vec d, Vec moved[3])
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
    for (PetscInt f = 0; f < 3; ++f) {
      for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i) to[i] += h * sigma[3 * k + f] * from[i];
    }
    PetscCall(VecRestoreArray(moved[k], &to));
  }
  PetscCall(VecRestoreArrayRead(d, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F(u + h d) - F(u) - h J d| for h and h/2: the second is a quarter of the first, or rounding.  Where d is far, smaller h
   are tried. */
static PetscErrorCode taylor_of(RungForm form, Vec work[7], Mat J, PetscBool *good)
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
  size  = PetscMax(size, rest[0]);
  *good = PETSC_FALSE;
  for (PetscReal h = 0.01; h > 5e-5 && !*good; h /= 10) {
    for (int i = 0; i < 2; ++i) {
      const PetscReal step = h / (1 + i);

      PetscCall(move_levels(step, d, moved));
      PetscCall(RungFormAssembleVec(form, 0.3, moved, r));
      PetscCall(VecAXPY(r, -1, r0));
      PetscCall(VecAXPY(r, -step, Jd));
      PetscCall(VecNorm(r, NORM_2, &rest[i]));
    }
    if (rest[0] <= 1e-11 * size + 1e-14 || rest[1] <= 1e-12 * size) *good = PETSC_TRUE;
    if (fabs(log2(rest[0] / rest[1]) - 2) < 0.15) *good = PETSC_TRUE;
    if (log2(rest[0] / rest[1]) > 1.9 && rest[0] < 1e-3 * size) *good = PETSC_TRUE; /* no second derivative */
    if (rest[0] < 1e-3 * h * size) break;                                           /* a smaller step tells nothing */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode taylor(const char text[], PetscBool *good)
{
  PetscBool couple[9];
  RungForm  form;
  Vec       work[7];
  Mat       J;

  PetscFunctionBegin;
  for (int i = 0; i < 9; ++i) couple[i] = PETSC_TRUE;
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungLayoutCreateMat(tools.layout, couple, NULL, &J));
  for (int i = 0; i < 7; ++i) PetscCall(VecDuplicate(tools.u[0], &work[i]));
  PetscCall(taylor_of(form, work, J, good));
  for (int i = 0; i < 7; ++i) PetscCall(VecDestroy(&work[i]));
  PetscCall(MatDestroy(&J));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both kernels in all places: largest entry and difference. */
static PetscErrorCode compare_kernels(RungPlan plan, RungKernel compiled, PetscBool *good)
{
  double            largest = 0, difference = 0, *out[2];
  RungKernel        kernel;
  const RungPlaces *places;

  PetscFunctionBegin;
  PetscCall(RungKernelCreateInterpreter(plan, RungInterpreterAhead(plan), &kernel));
  PetscCall(tools_run(&tools, kernel, sigma, &out[0]));
  PetscCall(tools_run(&tools, compiled, sigma, &out[1]));
  PetscCall(RungMeshGetPlaces(tools.mesh, plan->integral->domain, plan->integral->part, &places));
  for (PetscInt i = 0; i < places->count * plan->rows * plan->cols; ++i) {
    largest    = PetscMax(largest, fabs(out[0][i]));
    difference = PetscMax(difference, isfinite(out[1][i]) ? fabs(out[0][i] - out[1][i]) : 1e300);
  }
  *good = difference <= 1e-13 * largest + 1e-15 ? PETSC_TRUE : PETSC_FALSE;
  for (int i = 0; i < 2; ++i) PetscCall(PetscFree(out[i]));
  PetscCall(RungKernelDestroy(&kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* good[form]: vectors and matrices of n texts, all in one unit */
static PetscErrorCode compare(int n, char *const text[], PetscBool good[])
{
  char               cache[] = "cache", none[] = "", flags[] = "-O0";
  RungCompileOptions options = {.cache = cache, .compiler = none, .flags = flags, .lanes = 2};
  ToolsPlans         plans[2 * FORMS_OF_A_UNIT];
  RungPlan          *plan;
  RungKernel        *kernel;
  PetscInt           all = 0, at = 0;

  PetscFunctionBegin;
  for (int i = 0; i < 2 * n; ++i) {
    PetscCall(tools_lower(&tools, text[i / 2], i % 2 ? PETSC_TRUE : PETSC_FALSE, -1, &plans[i]));
    all += plans[i].n;
  }
  PetscCall(PetscMalloc2(all, &plan, all, &kernel));
  for (int i = 0; i < 2 * n; ++i) {
    for (PetscInt j = 0; j < plans[i].n; ++j) plan[at++] = plans[i].plan[j];
  }
  if (all) PetscCall(RungKernelsCompile(PETSC_COMM_SELF, all, plan, &options, kernel));
  at = 0;
  for (int i = 0; i < 2 * n; ++i) {
    if (i % 2 == 0) good[i / 2] = PETSC_TRUE;
    for (PetscInt j = 0; j < plans[i].n; ++j, ++at) {
      PetscBool same = PETSC_FALSE;

      if (kernel[at]) PetscCall(compare_kernels(plan[at], kernel[at], &same));
      if (!same) good[i / 2] = PETSC_FALSE;
      PetscCall(RungKernelDestroy(&kernel[at]));
    }
    PetscCall(tools_plans_destroy(&plans[i]));
  }
  PetscCall(PetscFree2(plan, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms, and smaller ones ---------------------------------------------------------------------------------------- */

enum { ROUND_TRIP, TAYLOR, BACK_ENDS };
static const char *const kind_name[KINDS] = {
  "is printed as another one", "has another derivative than finite differences", "differs between the back ends"};

static PetscErrorCode check(int kind, char text[], PetscBool *good)
{
  PetscFunctionBegin;
  switch (kind) {
  case ROUND_TRIP: PetscCall(round_trip(text, good)); break;
  case TAYLOR: PetscCall(taylor(text, good)); break;
  default: PetscCall(compare(1, &text, good)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces subtrees by leaves as long as the form still fails. */
static PetscErrorCode shrink(int kind, const Tree *root, Tree *tree, char text[], size_t size)
{
  PetscFunctionBegin;
  for (int i = 0, k = 0; i < tree->kids; ++i) {
    const char *c;
    Tree *const before = tree->kid[i];
    PetscBool   good   = PETSC_TRUE;
    char        smaller[TEXT];

    for (c = tree->pattern, k = 0; *c; ++c) {
      if (*c == '%' && k++ == i) break;
    }
    if (c[1] != 'e') tree->kid[i] = leaf[rank_of(c[1])];
    smaller[0] = 0;
    print(root, smaller, sizeof smaller);
    if (before->kids && c[1] != 'e') PetscCall(check(kind, smaller, &good));
    if (!good) {
      (void)snprintf(text, size, "%s", smaller);
    } else {
      tree->kid[i] = before;
      PetscCall(shrink(kind, root, before, text, size));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_failure(int kind, unsigned long long seed)
{
  const Setting *setting    = setting_of(seed);
  char           text[TEXT] = "";
  Tree          *root       = form_of(seed, setting_of(seed));

  PetscFunctionBegin;
  print(root, text, sizeof text);
  for (int i = 0; i < root->kids; ++i) PetscCall(shrink(kind, root, root->kid[i], text, sizeof text));
  fprintf(stderr, "random form %llu on %s cells, u in %s, p in %s, S in %s, %s:\n  %s\n", seed,
          tools_cell[setting->cell], setting->u, setting->p, setting->S, kind_name[kind], text);
  ++check_failures;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_unit(int n, const unsigned long long seed[])
{
  char     *text[FORMS_OF_A_UNIT];
  PetscBool good[FORMS_OF_A_UNIT];

  PetscFunctionBegin;
  for (int i = 0; i < n; ++i) {
    PetscCall(PetscCalloc1(TEXT, &text[i]));
    print(form_of(seed[i], setting_of(seed[i])), text[i], TEXT);
  }
  for (int kind = 0; kind < KINDS; ++kind) {
    if (kind == BACK_ENDS) PetscCall(compare(n, text, good));
    for (int i = 0; i < n; ++i) {
      if (kind != BACK_ENDS) PetscCall(check(kind, text[i], &good[i]));
      if (!good[i]) PetscCall(report_failure(kind, seed[i]));
    }
  }
  for (int i = 0; i < n; ++i) PetscCall(PetscFree(text[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_random_forms_agree_with_themselves(void)
{
  PetscInt           forms = 25, first = 0, only = -1;
  unsigned long long seed[FORMS_OF_A_UNIT];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random_forms", &forms, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random_first", &first, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random_seed", &only, NULL));
  if (only >= 0) first = only, forms = 1;
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "random.csv", 32, "0.7 1\n0.95 1.1\n1.05 1.4\n2 1.2\n  "));
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "smooth.csv", 35, "0.1 1\n0.5 1.3\n0.9 1.4\n1.2 1.1\n2 1\n "));
  for (PetscInt i = first; i < first + forms; i += FORMS_OF_A_UNIT) {
    const int n = (int)PetscMin(FORMS_OF_A_UNIT, first + forms - i);

    for (int k = 0; k < n; ++k) seed[k] = (unsigned long long)i + (unsigned long long)k;
    PetscCall(enter(setting_of(seed[0])));
    PetscCall(check_unit(n, seed));
    PetscCall(tools_destroy(&tools));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_random_forms_agree_with_themselves))
