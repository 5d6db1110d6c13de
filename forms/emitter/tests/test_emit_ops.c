/* test_emit_ops.c - every scalar operator of ops.def, compiled for each number of lanes, against the interpreter. */
#include "kernel_tools.h"

static PetscErrorCode entries(Tools *tools, RungKernel kernel, double out[])
{
  RungBatches        batches;
  const PetscScalar *u[3] = {NULL, NULL, NULL};

  PetscFunctionBegin;
  PetscCall(RungBatchesCreate(1, &kernel, tools->layout, NULL, &batches));
  PetscCall(RungLayoutGather(tools->layout, tools->u[0], 0, &u[0]));
  (void)RungScopeConstants(tools->scope, &batches->args.constant);
  batches->args.t     = 0.3;
  batches->args.table = RungScopeTables(tools->scope);
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt count = RungBatchRun(batches, b, u, NULL), rows = kernel->plan->rows;

    for (PetscInt l = 0; l < count; ++l) {
      for (PetscInt i = 0; i < rows; ++i) {
        out[(batches->first[b] + l) * rows + i] = batches->args.out[i * batches->lanes + l];
      }
    }
  }
  PetscCall(RungLayoutGatherRestore(tools->layout, tools->u[0], 0, &u[0]));
  PetscCall(RungBatchesDestroy(&batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_kernels(Tools *tools, RungPlan plan, RungKernel compiled, const char name[])
{
  const PetscInt n = tools->data->cells * plan->rows;
  RungKernel     kernel;
  double        *a, *b, largest = 0, difference = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n, &a, n, &b));
  PetscCall(RungKernelCreateInterpreter(plan, RUNG_PACK, &kernel));
  PetscCall(entries(tools, kernel, a));
  PetscCall(entries(tools, compiled, b));
  for (PetscInt i = 0; i < n; ++i) {
    largest    = PetscMax(largest, fabs(a[i]));
    difference = PetscMax(difference, isfinite(b[i]) ? fabs(a[i] - b[i]) : 1);
  }
  if (difference > 1e-13 * largest) fprintf(stderr, "operator %s differs by %g of %g\n", name, difference, largest);
  CHECK(difference <= 1e-13 * largest);
  PetscCall(PetscFree2(a, b));
  PetscCall(RungKernelDestroy(&kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The examples of all scalar operators, each in a kernel, all in one unit. */
static PetscErrorCode compare_operators(PetscInt lanes)
{
  char               cache[] = "cache", none[] = "", flags[] = "-O1 -march=native";
  RungCompileOptions options = {.cache = cache, .compiler = none, .flags = flags, .lanes = lanes};
  Tools              tools;
  ToolsPlans         plans[RUNG_OPS];
  RungPlan           plan[RUNG_OPS];
  RungKernel         kernel[RUNG_OPS];
  const char        *name[RUNG_OPS];
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "inflow.csv", 33, "0 1 2\n0.01 2 3\n0.02 2 5\n1 2 3\n     "));
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_FALSE, "1", NULL, &tools));
  for (int op = 0; op < RUNG_OPS; ++op) {
    char text[256];

    if (rung_ops[op].class_ != RUNG_CLASS_SCALAR || !rung_ops[op].example[0]) continue;
    PetscCall(PetscSNPrintf(text, sizeof text, "(%s)*v*dx + (%s)*v*dx", rung_ops[op].example, "cos(t)*kappa"));
    PetscCall(tools_lower(&tools, text, PETSC_FALSE, 2, &plans[n]));
    name[n] = rung_ops[op].name;
    plan[n] = plans[n].plan[0];
    ++n;
  }
  CHECK(n > 30);
  PetscCall(RungKernelsCompile(PETSC_COMM_SELF, n, plan, &options, kernel));
  for (PetscInt i = 0; i < n; ++i) {
    CHECK(kernel[i] != NULL);
    if (kernel[i]) PetscCall(compare_kernels(&tools, plan[i], kernel[i], name[i]));
    PetscCall(RungKernelDestroy(&kernel[i]));
    PetscCall(tools_plans_destroy(&plans[i]));
  }
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_operators_of_two_lanes(void)
{
  PetscCall(compare_operators(2));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_operators_of_eight_lanes(void)
{
  PetscCall(compare_operators(8));
  return PETSC_SUCCESS;
}

/* What the C library says of a, and whether r is it: the same kind of number, at most two units in the last place off. */
static PetscBool is_close(double r, double wanted)
{
  if (isnan(wanted)) return isnan(r) ? PETSC_TRUE : PETSC_FALSE;
  if (isinf(wanted) || wanted == 0) return r == wanted ? PETSC_TRUE : PETSC_FALSE;
  return fabs(r - wanted) <= 2 * fabs(nextafter(wanted, 2 * wanted) - wanted) ? PETSC_TRUE : PETSC_FALSE;
}

/* One function of u at points, for arguments of all sizes and kinds. */
static PetscErrorCode compare_function(PetscInt lanes, const char text[], double f(double), const double argument[])
{
  char                cache[] = "cache", none[] = "", flags[] = "-O2 -march=native";
  RungCompileOptions  options = {.cache = cache, .compiler = none, .flags = flags, .lanes = lanes};
  Tools               tools;
  ToolsPlans          plans;
  RungKernel          kernel;
  _Alignas(64) double u[8], out[8];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_POINT, PETSC_FALSE, "0", NULL, &tools));
  PetscCall(tools_lower(&tools, text, PETSC_FALSE, -1, &plans));
  PetscCall(RungKernelsCompile(PETSC_COMM_SELF, 1, plans.plan, &options, &kernel));
  CHECK(kernel != NULL);
  for (int i = 0; kernel && i < 4096; ++i) {
    const double a = i < 16 ? argument[i] : (i % 2 ? 1 : -1) * ldexp(1 + 0.37 * sin(i), i % 21 - 10);

    for (int l = 0; l < 8; ++l) u[l] = l == i % lanes ? a : 1, out[l] = 0;
    kernel->compiled(&(RungKernelArgs){.x = u, .u = u, .out = out});
    if (!is_close(out[i % lanes], f(a))) fprintf(stderr, "%s of %.17g is %.17g\n", text, a, out[i % lanes]);
    CHECK(is_close(out[i % lanes], f(a)) && is_close(out[(i + 1) % lanes], f(1)));
  }
  PetscCall(RungKernelDestroy(&kernel));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_vector_functions_are_those_of_the_library(void)
{
  const double argument[16] = {0,     -0.,   1,        -1,        1e-310, 5e-324, 1e308,  -1e308,
                               709.5, 709.9, INFINITY, -INFINITY, NAN,    -744.9, -708.5, -746};

  for (PetscInt lanes = 2; lanes <= 8; lanes *= 2) {
    PetscCall(compare_function(lanes, "log(u)*v*dx", log, argument));
    PetscCall(compare_function(lanes, "exp(u)*v*dx", exp, argument));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_operators_of_two_lanes), RUNG_TEST(test_operators_of_eight_lanes),
               RUNG_TEST(test_vector_functions_are_those_of_the_library))
