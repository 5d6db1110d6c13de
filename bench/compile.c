/* compile.c - how long a form takes from text to numbers: wall milliseconds, the least of several repeats.

   NAME_first_N     text to the first assembled vector with an empty cache and -form_jit background: the interpreter's
   NAME_compiled_N  text to the vector that the compiled kernel assembled, empty cache, -form_jit wait
   NAME_warm_N      what a cached kernel adds to a set-up without one: source, key, file, loading; for one kernel

   N is the number of operations on the tape.  Remarks tell of the two large models of bench/models, residual and
   Jacobian on P2 tetrahedra: what reading, deriving and lowering takes, then text to compiled vector and matrix.  The twin is DOLFINx's form() of the same expression with an empty cache
   (warm: with a full one) where python3-dolfinx is there; else its columns are 0. */
#include "bench.h"
#include <stdlib.h>
#include <unistd.h>

#define REPEATS 5

static double wall_clock(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* sum_i (a_i + u) (b_i + x_0 u) (c_i - x_1 u): about 8 operations a term; nothing is shared but x_0 u and x_1 u. */
static PetscErrorCode polynomial_text(int terms, char **text)
{
  size_t size = 96 * (size_t)terms + 64, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, text));
  n += (size_t)snprintf(*text, size, "(0");
  for (int i = 0; i < terms; ++i) {
    n += (size_t)snprintf(*text + n, size - n, " + (%.3f + u)*(%.3f + x[0]*u)*(%.3f - x[1]*u)", 1.1 + 0.013 * i,
                          2.3 + 0.017 * i, 3.1 + 0.011 * i);
  }
  (void)snprintf(*text + n, size - n, ")*v*dx(degree: 2)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungMesh   mesh;
  RungSpace  space;
  RungLayout layout;
  Vec        u, r;
} Place;

static PetscErrorCode place_create(Place *p)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &p->mesh));
  PetscCall(RungMeshSetBox(p->mesh, "triangle", 2, (PetscInt[]){4, 4}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(p->mesh, "P2", &p->space));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, &p->space, &p->layout));
  PetscCall(RungLayoutCreateVec(p->layout, &p->u));
  PetscCall(VecSet(p->u, 0.3));
  PetscCall(VecDuplicate(p->u, &p->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place_destroy(Place *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->u));
  PetscCall(VecDestroy(&p->r));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(RungSpaceDestroy(&p->space));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From text to an assembled vector. */
static PetscErrorCode time_once(const Place *p, const char text[], const char backend[], const char jit[],
                                const char folder[], double *ms, RungFormKernels *kernels)
{
  RungScope scope;
  RungExpr  expr;
  RungForm  form;
  double    start;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(PetscOptionsSetValue(NULL, "-form_jit", jit));
  PetscCall(PetscOptionsSetValue(NULL, "-form_cache", folder));
  start = wall_clock();
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(RungScopeAddUnknown(scope, "u", "v", p->space));
  PetscCall(RungScopeParse(scope, "form", text, &expr));
  PetscCall(RungFormCreate(expr, "form", p->layout, &form));
  PetscCall(RungFormSetFromOptions(form));
  PetscCall(RungFormAssembleVec(form, 0, &p->u, p->r));
  *ms = PetscMin(*ms, wall_clock() - start);
  PetscCall(RungFormGetKernels(form, kernels));
  PetscCall(RungFormDestroy(&form));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DOLFINx's milliseconds: cold and warm, or 0. */
static PetscErrorCode time_dolfinx(int terms, double ms[2])
{
  char  command[PETSC_MAX_PATH_LEN];
  FILE *pipe;

  PetscFunctionBegin;
  ms[0] = ms[1] = 0;
  PetscCall(PetscSNPrintf(command, sizeof command, "%s %s %d 2>/dev/null", RUNG_PYTHON, TWIN_DOLFINX, terms));
  pipe = popen(command, "r");
  if (pipe && fscanf(pipe, "%lf %lf", &ms[0], &ms[1]) != 2) ms[0] = ms[1] = 0;
  if (pipe) (void)pclose(pipe);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_line(const char case_name[], const char what[], PetscInt operations, double rung,
                                 double twin)
{
  char name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "%s_%s_%" PetscInt_FMT, case_name, what, operations));
  PetscCall(bench_line(name, rung, twin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const Place *p, const char name[], int terms)
{
  double          first = 1e30, compiled = 1e30, warm = 1e30, bare = 1e30, twin[2];
  RungFormKernels kernels;
  char           *text;

  PetscFunctionBegin;
  PetscCall(polynomial_text(terms, &text));
  for (int i = 0; i < REPEATS; ++i) {
    char folder[] = "/tmp/rung-bench-XXXXXX", command[64];

    PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no folder can be made in /tmp");
    PetscCall(time_once(p, text, "c", "background", folder, &first, &kernels));
    PetscCheck(kernels.interpreted == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the cache was not empty");
    PetscCall(time_once(p, text, "c", "wait", folder, &compiled, &kernels));
    PetscCheck(kernels.compiled == 1, PETSC_COMM_SELF, PETSC_ERR_LIB, "no compiler works");
    PetscCall(time_once(p, text, "c", "wait", folder, &warm, &kernels));
    PetscCheck(kernels.cached == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the kernel was not cached");
    PetscCall(time_once(p, text, "interpreter", "wait", folder, &bare, &kernels));
    PetscCall(PetscSNPrintf(command, sizeof command, "rm -r %s", folder));
    PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s cannot be removed", folder);
  }
  PetscCall(time_dolfinx(terms, twin));
  PetscCall(print_line(name, "first", kernels.operations, first, twin[0]));
  PetscCall(print_line(name, "compiled", kernels.operations, compiled, twin[0]));
  PetscCall(print_line(name, "warm", kernels.operations, warm - bare, twin[1]));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the models ------------------------------------------------------------------------------------------------------- */

/* The text of bench/models/NAME.form. */
static PetscErrorCode read_model(const char name[], char text[4096])
{
  char   path[PETSC_MAX_PATH_LEN];
  FILE  *file;
  size_t n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.form", RUNG_MODELS, name));
  file = fopen(path, "r");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s cannot be read", path);
  n = fread(text, 1, 4095, file);
  (void)fclose(file);
  text[n] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name, *unknown[4][2];
  PetscInt    unknowns;
  const char *field[2], *constant;
} Model;

static const Model models[] = {{"heart", {{"u", "v"}}, 1, {"f0", "s0"}, "kappa"},
                               {"turbulence", {{"u", "v"}, {"p", "q"}, {"k", "l"}, {"w", "m"}}, 4, {NULL}, "nu"}};

typedef struct {
  RungMesh   mesh;
  RungSpace  space[4], of_field;
  RungField  field[2];
  RungScope  scope;
  RungLayout layout;
  Vec        u[2], r;
} ModelPlace;

static PetscErrorCode model_create(const Model *model, ModelPlace *p)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &p->mesh));
  PetscCall(RungMeshSetBox(p->mesh, "tetrahedron", 3, (PetscInt[]){1, 1, 1}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &p->scope));
  for (PetscInt f = 0; f < model->unknowns; ++f) {
    PetscCall(RungSpaceCreate(p->mesh, f ? "P1" : "P2^d", &p->space[f]));
    PetscCall(RungScopeAddUnknown(p->scope, model->unknown[f][0], model->unknown[f][1], p->space[f]));
  }
  PetscCall(RungSpaceCreate(p->mesh, "P1^d", &p->of_field));
  for (int f = 0; f < 2 && model->field[f]; ++f) {
    PetscCall(RungFieldCreate(p->of_field, model->field[f], &p->field[f]));
    PetscCall(RungScopeAddField(p->scope, model->field[f], p->field[f]));
  }
  PetscCall(RungScopeSetConstant(p->scope, model->constant, 1));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, model->unknowns, p->space, &p->layout));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungLayoutCreateVec(p->layout, &p->u[k]));
    PetscCall(VecSet(p->u[k], 0.1));
  }
  PetscCall(VecDuplicate(p->u[0], &p->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(const Model *model, ModelPlace *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->r));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&p->u[k]));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(RungScopeDestroy(&p->scope));
  for (int f = 0; f < 2 && model->field[f]; ++f) PetscCall(RungFieldDestroy(&p->field[f]));
  PetscCall(RungSpaceDestroy(&p->of_field));
  for (PetscInt f = 0; f < model->unknowns; ++f) PetscCall(RungSpaceDestroy(&p->space[f]));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From text to kernels of vector and matrix, and the vector. */
static PetscErrorCode model_once(const Model *model, const char text[], const char backend[], const char folder[],
                                 double *ms, RungFormKernels *kernels)
{
  double     start;
  ModelPlace p;
  RungExpr   expr;
  RungForm   form;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(PetscOptionsSetValue(NULL, "-form_jit", "wait"));
  PetscCall(PetscOptionsSetValue(NULL, "-form_cache", folder));
  PetscCall(model_create(model, &p));
  start = wall_clock();
  PetscCall(RungScopeParse(p.scope, "model", text, &expr));
  PetscCall(RungFormCreate(expr, "model", p.layout, &form));
  PetscCall(RungFormSetFromOptions(form));
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  PetscCall(RungFormAssembleVec(form, 0, p.u, p.r));
  *ms = PetscMin(*ms, wall_clock() - start);
  PetscCall(RungFormGetKernels(form, kernels));
  PetscCall(RungFormDestroy(&form));
  PetscCall(model_destroy(model, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_measure(const Model *model)
{
  double          bare = 1e30, compiled = 1e30, warm = 1e30;
  RungFormKernels kernels;
  char            text[4096];

  PetscFunctionBegin;
  PetscCall(read_model(model->name, text));
  for (int i = 0; i < REPEATS; ++i) {
    char folder[] = "/tmp/rung-bench-XXXXXX", command[64];

    PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no folder can be made in /tmp");
    PetscCall(model_once(model, text, "interpreter", folder, &bare, &kernels));
    PetscCall(model_once(model, text, "c", folder, &compiled, &kernels));
    PetscCheck(kernels.compiled == kernels.all, PETSC_COMM_SELF, PETSC_ERR_LIB, "no compiler works");
    PetscCall(model_once(model, text, "c", folder, &warm, &kernels));
    PetscCall(PetscSNPrintf(command, sizeof command, "rm -r %s", folder));
    PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s cannot be removed", folder);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %s, residual and Jacobian, %" PetscInt_FMT " operations: read, derived, lowered in %.1f ms; "
                        "compiled in %.0f ms more, found in the cache in %.2f ms more\n",
                        model->name, kernels.operations, bare, compiled - bare, warm - bare));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Place place;

  PetscCall(RungInitialize(&argc, &argv, "From text to numbers.\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# text to assembled vector (rung) against DOLFINx's form() (twin), wall ms; "
                                          "the name ends in the tape's operations\n"));
  PetscCall(place_create(&place));
  PetscCall(measure(&place, "small", 6));
  PetscCall(measure(&place, "medium", 83));
  PetscCall(measure(&place, "large", 250));
  PetscCall(place_destroy(&place));
  for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) PetscCall(model_measure(&models[i]));
  for (int i = 0; i < 3; ++i) {
    static const char *const option[] = {"-form_backend", "-form_jit", "-form_cache"};

    PetscCall(PetscOptionsClearValue(NULL, option[i]));
  }
  PetscCall(RungFinalize());
  return 0;
}
