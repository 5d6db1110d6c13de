/* test_growth.c - two large models (bench/models): how many operations they lower to, with how much memory, and whether their
   derivatives are those of finite differences.  bench/compile.c tells the time. */
#include "kernel_tools.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MEMORY 100. /* megabytes that lowering all kernels of a model may take at its peak */

typedef struct {
  RungMesh   mesh;
  RungSpace  space[4], of_field;
  RungField  field[2];
  PetscInt   unknowns, fields;
  RungScope  scope;
  RungLayout layout;
  RungExpr   expr;
} Model;

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

static PetscErrorCode unknown(const char name[], const char test[], const char spec[], Model *model)
{
  RungSpace *space = &model->space[model->unknowns++];

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(model->mesh, spec, space));
  PetscCall(RungScopeAddUnknown(model->scope, name, test, *space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field of nearly constant vectors of length 1. */
static PetscErrorCode fibre(const char name[], PetscReal phase, Model *model)
{
  RungField   *field = &model->field[model->fields++];
  Vec          values;
  PetscScalar *f;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(RungFieldCreate(model->of_field, name, field));
  PetscCall(RungFieldGetVec(*field, &values));
  PetscCall(VecGetLocalSize(values, &n));
  PetscCall(VecGetArray(values, &f));
  for (PetscInt i = 0; i + 2 < n; i += 3) {
    const PetscReal angle = phase + 0.1 * sin((double)i);

    f[i]     = cos(angle);
    f[i + 1] = sin(angle);
    f[i + 2] = 0;
  }
  PetscCall(VecRestoreArray(values, &f));
  PetscCall(RungScopeAddField(model->scope, name, *field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_create(PetscBool heart, Model *model)
{
  char text[4096];

  PetscFunctionBegin;
  PetscCall(read_model(heart ? "heart" : "turbulence", text));
  PetscCall(PetscMemzero(model, sizeof *model));
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &model->mesh));
  PetscCall(RungMeshSetBox(model->mesh, "tetrahedron", 3, (PetscInt[]){1, 1, 1}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(model->mesh, "P1^d", &model->of_field));
  PetscCall(RungScopeCreate(PETSC_COMM_SELF, &model->scope));
  PetscCall(unknown("u", "v", "P2^d", model));
  if (heart) {
    PetscCall(fibre("f0", 0.3, model));
    PetscCall(fibre("s0", 0.3 + PETSC_PI / 2, model));
    PetscCall(RungScopeSetConstant(model->scope, "kappa", 350));
  } else {
    PetscCall(unknown("p", "q", "P1", model));
    PetscCall(unknown("k", "l", "P1", model));
    PetscCall(unknown("w", "m", "P1", model));
    PetscCall(RungScopeSetConstant(model->scope, "nu", 1e-2));
  }
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, model->unknowns, model->space, &model->layout));
  PetscCall(RungScopeParse(model->scope, "model", text, &model->expr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(Model *model)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutDestroy(&model->layout));
  PetscCall(RungScopeDestroy(&model->scope));
  for (PetscInt f = 0; f < model->fields; ++f) PetscCall(RungFieldDestroy(&model->field[f]));
  PetscCall(RungSpaceDestroy(&model->of_field));
  for (PetscInt f = 0; f < model->unknowns; ++f) PetscCall(RungSpaceDestroy(&model->space[f]));
  PetscCall(RungMeshDestroy(&model->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operations and memory -------------------------------------------------------------------------------------------- */

/* operations[what] of the first integral; the model has one */
static PetscErrorCode count(PetscBool heart, PetscInt operations[RUNG_FORM_PARTS])
{
  RungFormTraits traits;
  Model          model;

  PetscFunctionBegin;
  PetscCall(model_create(heart, &model));
  PetscCall(RungLowerTraits(model.expr, &traits));
  for (int what = 0; what <= RUNG_FORM_DIAGONAL; ++what) { /* the others are parts of the Jacobian */
    RungIntegral *integral;
    PetscInt      n;

    PetscCall(RungLower(model.expr, what, -1, &n, &integral));
    CHECK(n == 1);
    operations[what] = integral[0].tape.instructions;
    PetscCall(RungIntegralsDestroy(n, &integral));
  }
  PetscCall(model_destroy(&model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_operations(PetscBool heart, const PetscInt most[RUNG_FORM_PARTS])
{
  PetscInt operations[RUNG_FORM_PARTS];

  PetscFunctionBegin;
  PetscCall(count(heart, operations));
  for (int what = 0; what <= RUNG_FORM_DIAGONAL; ++what) { /* the others are parts of the Jacobian */
    if (operations[what] <= most[what]) continue;
    fprintf(stderr, "part %d takes %d operations, wanted %d at most\n", what, (int)operations[what], (int)most[what]);
    ++check_failures;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tenth above what they are: a rule of the scalar dag that is lost shows here first. */
static PetscErrorCode test_operations_of_a_hearts_wall_are_bounded(void)
{
  return check_operations(PETSC_TRUE, (PetscInt[RUNG_FORM_PARTS]){325, 1910, 750, 1520});
}

static PetscErrorCode test_operations_of_a_turbulent_flow_are_bounded(void)
{
  return check_operations(PETSC_FALSE, (PetscInt[RUNG_FORM_PARTS]){165, 500, 420, 280});
}

static double peak_megabytes(void)
{
  struct rusage usage;

  (void)getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

/* In a child, whose peak is its own: what lowering adds to what was there. */
static PetscErrorCode check_memory(PetscBool heart)
{
  PetscInt operations[RUNG_FORM_PARTS];
  double   before, added;
  int      status = 1;
  pid_t    child;

  PetscFunctionBegin;
  child = fork();
  if (!child) {
    before = peak_megabytes();
    if (count(heart, operations)) _exit(2);
    added = peak_megabytes() - before;
    if (added > MOST_MEMORY) fprintf(stderr, "lowering takes %g MB\n", added);
    _exit(added > MOST_MEMORY);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_memory_is_bounded(void)
{
  PetscFunctionBegin;
  PetscCall(check_memory(PETSC_TRUE));
  PetscCall(check_memory(PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------------ */

/* Displacements that stretch the fibres; velocities with k and w well inside of the limiters' sides. */
static PetscErrorCode fill_model(const Model *model, PetscBool heart, int what, Vec u)
{
  const RungLayoutData *data;
  PetscScalar          *value;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(model->layout, &data));
  PetscCall(VecGetArray(u, &value));
  for (PetscInt f = 0; f < model->unknowns; ++f) {
    for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i) {
      value[i] = (what ? 0.3 : heart ? 0.02 : 0.2) * sin(1.7 * (double)i + what);
      if (f >= 2 && !what) value[i] += f == 2 ? 1.5 : 2.5;
    }
  }
  PetscCall(VecRestoreArray(u, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F(u + h d) - F(u - h d) - 2 h J d| / |2 h J d| */
static PetscErrorCode difference(const Model *model, RungForm form, PetscBool heart, PetscReal h, PetscReal *error)
{
  const PetscReal sigma[12] = {1, 1, 1, 1};
  PetscBool       couple[16];
  Vec             u[2], d, r[2], Jd;
  Mat             J;
  PetscReal       size;

  PetscFunctionBegin;
  for (int i = 0; i < 16; ++i) couple[i] = PETSC_TRUE;
  for (int k = 0; k < 2; ++k) PetscCall(RungLayoutCreateVec(model->layout, &u[k]));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(VecDuplicate(u[0], &Jd));
  for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(u[0], &r[i]));
  PetscCall(RungLayoutCreateMat(model->layout, couple, NULL, &J));
  PetscCall(fill_model(model, heart, 0, u[0]));
  PetscCall(fill_model(model, heart, 1, d));
  PetscCall(RungFormAssembleMat(form, 0, u, sigma, J));
  PetscCall(MatMult(J, d, Jd));
  PetscCall(VecScale(Jd, 2 * h));
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecAXPY(u[0], i ? -2 * h : h, d));
    PetscCall(RungFormAssembleVec(form, 0, u, r[i]));
  }
  PetscCall(VecAXPY(r[0], -1, r[1]));
  PetscCall(VecNorm(Jd, NORM_2, &size));
  PetscCall(VecAXPY(r[0], -1, Jd));
  PetscCall(VecNorm(r[0], NORM_2, error));
  *error /= size;
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&r[i]));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&Jd));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Central differences: a tenth of the step, a hundredth of the error; steps are so small that no fibre passes the stretch at which it begins to pull. */
static PetscErrorCode check_derivative(PetscBool heart)
{
  PetscReal error[2];
  RungForm  form;
  Model     model;

  PetscFunctionBegin;
  PetscCall(model_create(heart, &model));
  PetscCall(RungFormCreate(model.expr, "model", model.layout, &form));
  form->compile = PETSC_FALSE;
  PetscCall(difference(&model, form, heart, 1e-4, &error[0]));
  PetscCall(difference(&model, form, heart, 1e-5, &error[1]));
  CHECK(error[0] < 1e-2);
  CHECK(fabs(log10(error[0] / error[1]) - 2) < 0.1);
  PetscCall(RungFormDestroy(&form));
  PetscCall(model_destroy(&model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derivatives_are_those_of_differences(void)
{
  PetscFunctionBegin;
  PetscCall(check_derivative(PETSC_TRUE));
  PetscCall(check_derivative(PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_operations_of_a_hearts_wall_are_bounded),
               RUNG_TEST(test_operations_of_a_turbulent_flow_are_bounded), RUNG_TEST(test_memory_is_bounded),
               RUNG_TEST(test_derivatives_are_those_of_differences))
