/* test_singular.c - of what is not finite, the innermost expression, its operands and the place are named. */
#include "kernel_tools.h"
#include <stdlib.h>

/* The message about a form at u = value, p = x[0], or about its Jacobian; lanes of compiled kernels, 0: interpreted. */
static PetscErrorCode find_message(RungCellType type, const char text[], PetscReal value, PetscBool jacobian,
                                   PetscInt lanes, char message[2048])
{
  const PetscReal       sigma[6] = {1, 1};
  Tools                 tools;
  const RungLayoutData *data;
  RungForm              form;
  PetscScalar          *u;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, type, PETSC_FALSE, "1", type == RUNG_POINT ? "1" : "2", &tools));
  PetscCall(RungLayoutGetData(tools.layout, &data));
  PetscCall(VecGetArray(tools.u[0], &u));
  for (PetscInt i = data->range[0]; i < data->range[1]; ++i) u[i] = value;
  PetscCall(VecRestoreArray(tools.u[0], &u));
  PetscCall(tools_form(&tools, text, lanes ? PETSC_TRUE : PETSC_FALSE, &form));
  PetscCall(tools_quick_compiler(form));
  form->options.lanes = lanes;
  PetscCall(RungFormFindNonFinite(form, 0.3, tools.u, jacobian ? sigma : NULL, message, 2048));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both back ends say it, and say where, compiled kernels of 2, 4 and 8 lanes in turn. */
static PetscErrorCode check_named(RungCellType type, const char text[], PetscReal value, PetscBool jacobian,
                                  const char wanted[])
{
  static int turn;
  char       message[2048];

  PetscFunctionBegin;
  ++turn;
  for (int compile = 0; compile < 2; ++compile) {
    PetscCall(find_message(type, text, value, jacobian, compile ? 2 << turn % 3 : 0, message));
    if (strstr(message, wanted) && strstr(message, "in the cell at (") && strstr(message, "; keep divisors")) continue;
    fprintf(stderr, "%s\n  says   %s\n  wanted %s\n", text, message, wanted);
    ++check_failures;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_singular_operators_are_named_with_their_operands(void)
{
  PetscFunctionBegin;
  PetscCall(check_named(RUNG_TRIANGLE, "u*v*dx + p/u*v*dx", 0, PETSC_FALSE, "\"p/u\" is not finite where p = "));
  PetscCall(check_named(RUNG_TRIANGLE, "v/u*dx", 0, PETSC_FALSE, "\"v/u\" is not finite where u = 0.;"));
  PetscCall(check_named(RUNG_TRIANGLE, "(1 + sqrt(u - 2))*v*dx", 1, PETSC_FALSE,
                        "\"sqrt(u - 2)\" is not finite where u - 2 = -1.;"));
  PetscCall(
    check_named(RUNG_TRIANGLE, "exp(800*u)*v*dx", 1, PETSC_FALSE, "\"exp(800*u)\" is not finite where 800*u = 800.;"));
  PetscCall(check_named(RUNG_TRIANGLE, "u^kappa*v*ds(left)", -1, PETSC_FALSE,
                        "\"u^kappa\" is not finite where u = -1., kappa = 0.7;"));
  PetscCall(
    check_named(RUNG_TRIANGLE, "jump(log(u))*avg(v)*dS", 0, PETSC_FALSE, "\"log(u)\" is not finite where u = 0.;"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_slopes_that_are_singular_are_named(void)
{
  PetscFunctionBegin;
  PetscCall(
    check_named(RUNG_TRIANGLE, "sqrt(inner(grad(u), grad(u)))*v*dx", 0, PETSC_TRUE,
                "a derivative of \"sqrt(inner(grad(u), grad(u)))\" is not finite where inner(grad(u), grad(u)) = "
                "0.;"));
  PetscCall(check_named(RUNG_TRIANGLE, "derive(sqrt(inner(grad(u), grad(u)))*dx, u)", 0, PETSC_FALSE,
                        "a derivative of \"sqrt(inner(grad(u), grad(u)))\" is not finite"));
  PetscCall(check_named(RUNG_TRIANGLE, "inner(grad(sqrt(u)), grad(v))*dx", 0, PETSC_FALSE,
                        "a derivative of \"sqrt(u)\" is not finite where u = 0.;"));
  PetscCall(check_named(RUNG_TRIANGLE, "u^1.5/(1 + u)^2*v*dx + u^0.5*q*dx", 0, PETSC_TRUE,
                        "a derivative of \"u^0.5\" is not finite where u = 0."));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_cell_is_searched(void)
{
  PetscFunctionBegin;
  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(check_named((RungCellType)type, "u*q*dx + v*log(x[0] - u)*dx(degree: 3)", 1, PETSC_FALSE,
                          "\"log(x[0] - u)\" is not finite where x[0] - u = -"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_branches_that_are_not_taken_are_not_blamed(void)
{
  char message[2048];

  PetscFunctionBegin;
  PetscCall(check_named(RUNG_TRIANGLE, "if(u < 0, sqrt(u), 1/(u - 1))*v*dx", 1, PETSC_FALSE,
                        "\"1/(u - 1)\" is not finite where u - 1 = 0.;"));
  PetscCall(find_message(RUNG_TRIANGLE, "if(u < 0, sqrt(u), u)*v*dx", 1, PETSC_TRUE, 0, message));
  CHECK(!message[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- places in batches ---------------------------------------------------------------------------------------------- */

static void nothing(RungKernel kernel, const RungKernelArgs *args)
{
  (void)kernel, (void)args;
}

typedef enum { OF_UNKNOWN, OF_FIELD, OF_SIZE, OF_PLACE } Source;

/* What the operand under the root has at a place: that of its cell, which is the first of two. */
static double operand(RungBatches batches, PetscInt place, Source source, const PetscScalar *u, const PetscScalar *f)
{
  const RungMeshData *mesh = batches->mesh;
  const PetscInt      cell = batches->cell[place];
  double              sum  = 0;

  if (source == OF_UNKNOWN) return u[RungCellDofs(batches->layout, cell)[0]] - 2;
  if (source == OF_FIELD) return f[RungCellDofs(batches->field[0], cell)[0]] - 2;
  if (source == OF_SIZE) return batches->size[place * batches->sizes] - 10;
  for (PetscInt i = 0; i < 3; ++i) sum += mesh->x[mesh->cell_node[cell * 3 + i] * 2] / 3;
  return sum - 10;
}

/* What is said of every place in batches of so many lanes, which nothing has computed: the root, and the number under it. */
static PetscErrorCode check_places(RungForm form, PetscInt lanes, Source source, const PetscScalar *u,
                                   const PetscScalar *f, PetscInt *places)
{
  const PetscScalar   *level[RUNG_LEVELS] = {u};
  RungFormPart        *part               = &form->part[RUNG_FORM_VALUE];
  struct _p_RungKernel one                = {.plan = part->plan[0], .lanes = lanes, .run = nothing};
  RungKernel           kernel             = &one;
  RungBatches          batches;

  PetscFunctionBegin;
  PetscCall(RungBatchesCreate(1, &kernel, form->layout, form->field, &batches));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt count = RungBatchRun(batches, b, level, &f);

    for (PetscInt l = 0; l < count; ++l, ++*places) {
      char        text[1024];
      const char *number;

      PetscCall(RungSingular(form, &(RungOnePlace){batches, b, l, level, &f}, PETSC_FALSE, text, sizeof text));
      number = strstr(text, " = ");
      CHECK(!strncmp(text, "\"sqrt(", 6) && number);
      if (number) CHECK_NEAR(strtod(number + 3, NULL), operand(batches, batches->first[b] + l, source, u, f), 2e-5);
    }
  }
  PetscCall(RungBatchesDestroy(&batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field f of one number in each cell, none below `least`. */
static PetscErrorCode add_field(Tools *tools, PetscReal least, RungField *f)
{
  PetscInt     n;
  PetscScalar *a;
  Vec          v;

  PetscFunctionBegin;
  PetscCall(RungFieldCreate(tools->space[0], "f", f));
  PetscCall(RungScopeAddField(tools->scope, "f", *f));
  PetscCall(RungFieldGetVec(*f, &v));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < n; ++i) a[i] = least + 0.01 * (double)i;
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each on a bent mesh of 12 triangles, in batches that are full and others; returns how many places there were. */
static PetscErrorCode check_source(const char text[], Source source, PetscInt *places)
{
  Tools              tools;
  RungForm           form;
  RungField          field;
  Vec                v;
  const PetscScalar *u, *f = NULL;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_TRUE, "0", NULL, &tools));
  PetscCall(add_field(&tools, 0.1, &field));
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(RungLayoutGather(form->layout, tools.u[0], 0, &u));
  if (form->fields) PetscCall(RungLayoutGather(form->field[0], v, 0, &f));
  for (PetscInt lanes = 2; lanes <= 8; lanes *= 2) PetscCall(check_places(form, lanes, source, u, f, places));
  if (form->fields) PetscCall(RungLayoutGatherRestore(form->field[0], v, 0, &f));
  PetscCall(RungLayoutGatherRestore(form->layout, tools.u[0], 0, &u));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whatever the machine has. */
static PetscErrorCode test_every_place_is_evaluated_in_batches_of_every_length(void)
{
  PetscInt places = 0, all;

  PetscFunctionBegin;
  PetscCall(check_source("sqrt(u - 2)*v*dx", OF_UNKNOWN, &places));
  PetscCall(check_source("sqrt(u - 2)*v*ds", OF_UNKNOWN, &places));
  PetscCall(check_source("jump(sqrt(u - 2))*avg(v)*dS", OF_UNKNOWN, &places));
  PetscCall(check_source("sqrt(f - 2)*v*dx", OF_FIELD, &places));
  PetscCall(check_source("jump(sqrt(f - 2))*avg(v)*dS", OF_FIELD, &places));
  PetscCall(check_source("sqrt(h - 10)*v*dx", OF_SIZE, &places));
  PetscCall(check_source("sqrt(x[0] - 10)*v*dx(degree: 1)", OF_PLACE, &places));
  PetscCallMPI(MPI_Allreduce(&places, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(all >= 3 * (12 + 10 + 13 + 12 + 13 + 12 + 12));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms without unknowns are in no Jacobian: their fields and sizes are looked up all the same. */
static PetscErrorCode test_what_a_jacobian_does_not_read_is_not_blamed(void)
{
  const PetscReal sigma[6] = {1, 1};
  Tools           tools;
  RungForm        form;
  RungField       field;
  char            message[2048];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "0", NULL, &tools));
  PetscCall(add_field(&tools, 0.1, &field));
  PetscCall(VecSet(tools.u[0], 0));
  PetscCall(tools_form(&tools, "(u^0.5 + log(f) + log(h) + log(x[0]))*v*dx", PETSC_FALSE, &form));
  PetscCall(RungFormFindNonFinite(form, 0.3, tools.u, sigma, message, sizeof message));
  CHECK(strstr(message, ": a derivative of \"u^0.5\" is not finite where u = 0."));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_singular_operators_are_named_with_their_operands),
               RUNG_TEST(test_slopes_that_are_singular_are_named), RUNG_TEST(test_every_cell_is_searched),
               RUNG_TEST(test_branches_that_are_not_taken_are_not_blamed),
               RUNG_TEST(test_every_place_is_evaluated_in_batches_of_every_length),
               RUNG_TEST(test_what_a_jacobian_does_not_read_is_not_blamed))
