/* test_emit.c - emitted C against the interpreter: forms x cells x straight and bent x lanes, entry by entry; and what
   the text looks like. */
#include "kernel_tools.h"

#define FORMS 5

/* Of a vector u and a scalar p.  One degree for all, so that every text is one integral. */
static const char *const form[FORMS] = {
  "inner(dt(dt(u)), v)*dx + mu*p*q*dx",
  "inner(2*mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx - p*div(v)*dx - q*div(u)*dx",
  "F = I + grad(u); inner(mu*(F - inv(transpose(F))) + kappa*log(det(F))*inv(transpose(F)), grad(v))*dx",
  ("(1 + p^2)*inner(grad(p), grad(q))*dx + exp(-t)*sin(x[0])*q*dx + if(p > 0.01 and not u[0] > 0, max(p, u[0]), "
   "tanh(p))*q*dx"
   " + h*abs(p)*q*dx + volume*u[0]*q*dx"),
  ("(dot(u, n) - (x[0]*t - (p^3 - (u[0] - p)))/(2 - (p - u[0])/(1 + p)))*q*ds + facet_area*inner(grad(u), outer(v, "
   "n))*ds"),
};
static const char *const form_of_points[FORMS] = {"inner(dt(u), v)*dx", "inner(u, v)*p*dx - q*dt(p)*dx",
                                                  "u[0]^2*v[0]*dx - x[0]*p*q*dx", "exp(p)*q*t*dx", "p*q*dx"};

/* Largest difference over largest entry. */
static PetscErrorCode compare(Tools *tools, RungPlan plan, RungKernel compiled, double *difference, double *largest)
{
  const double      sigma[6] = {1, 1.3, 0.7, 0.9, 1.1, 0.8};
  RungKernel        kernel;
  double           *a, *b;
  const RungPlaces *places;

  PetscFunctionBegin;
  PetscCall(RungKernelCreateInterpreter(plan, RungInterpreterAhead(plan), &kernel));
  PetscCall(tools_run(tools, kernel, sigma, &a));
  PetscCall(tools_run(tools, compiled, sigma, &b));
  PetscCall(RungMeshGetPlaces(tools->mesh, plan->integral->domain, plan->integral->part, &places));
  *difference = *largest = 0;
  for (PetscInt e = 0; e < places->count * plan->rows * plan->cols; ++e) {
    *largest    = PetscMax(*largest, fabs(a[e]));
    *difference = PetscMax(*difference, fabs(a[e] - b[e]));
    if (!(fabs(a[e] - b[e]) < 1)) *difference = 1;
  }
  PetscCall(PetscFree(a));
  PetscCall(PetscFree(b));
  PetscCall(RungKernelDestroy(&kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All forms on one mesh, residuals and Jacobians, in one unit. */
static PetscErrorCode compare_forms(RungCellType type, PetscBool bent, PetscInt lanes)
{
  char               cache[] = "cache", none[] = "", flags[] = "-O0 -march=native";
  RungCompileOptions options = {.cache = cache, .compiler = none, .flags = flags, .lanes = lanes};
  Tools              tools;
  ToolsPlans         plans[2 * FORMS];
  RungPlan           all[64];
  RungKernel         kernel[64];
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, type == RUNG_POINT ? "0^2" : "2^d",
                         type == RUNG_POINT ? "0" : "1", &tools));
  for (int i = 0; i < 2 * FORMS; ++i) {
    PetscCall(tools_lower(&tools, type == RUNG_POINT ? form_of_points[i / 2] : form[i / 2],
                          i % 2 ? PETSC_TRUE : PETSC_FALSE, 2, &plans[i]));
    for (PetscInt j = 0; j < plans[i].n; ++j) all[n++] = plans[i].plan[j];
  }
  PetscCall(RungKernelsCompile(PETSC_COMM_SELF, n, all, &options, kernel));
  for (PetscInt i = 0; i < n; ++i) {
    double difference, largest;

    CHECK(kernel[i] && kernel[i]->lanes == lanes);
    PetscCall(compare(&tools, all[i], kernel[i], &difference, &largest));
    CHECK(largest > 0);
    CHECK_NEAR(difference, 0, 1e-13 * largest);
    PetscCall(RungKernelDestroy(&kernel[i]));
  }
  for (int i = 0; i < 2 * FORMS; ++i) PetscCall(tools_plans_destroy(&plans[i]));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_compiled_is_interpreted_on_every_straight_cell(void)
{
  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type) { /* 2 lanes are what the compiler is quickest with */
    PetscCall(compare_forms((RungCellType)type, PETSC_FALSE, type == RUNG_POINT || type == RUNG_INTERVAL ? 8 : 2));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_compiled_is_interpreted_on_bent_cells(void)
{
  PetscCall(compare_forms(RUNG_QUADRILATERAL, PETSC_TRUE, 2));
  PetscCall(compare_forms(RUNG_HEXAHEDRON, PETSC_TRUE, 2));
  PetscCall(compare_forms(RUNG_TRIANGLE, PETSC_TRUE, 4));
  return PETSC_SUCCESS;
}

static PetscErrorCode emit_source(RungCellType type, PetscBool bent, const char text[], PetscBool jacobian,
                                  char **source)
{
  Tools      tools;
  ToolsPlans plans;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, text, jacobian, 2, &plans));
  PetscCall(RungEmit(plans.n, plans.plan, 8, source));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_source_shows_its_text_and_fits_in_120_columns(void)
{
  char *source, *line;

  PetscCall(emit_source(RUNG_HEXAHEDRON, PETSC_TRUE, "kappa*(1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds", PETSC_TRUE,
                        &source));
  CHECK(strstr(source, "kappa*(1 + u^2)*inner(grad(u), grad(v))*dx"));
  CHECK(strstr(source, "const double c_kappa = args->constant[2];"));
  CHECK(strstr(source, "} RungKernelArgs;") && !strstr(source, "#include") && !strstr(source, "@"));
  for (line = strtok(source, "\n"); line; line = strtok(NULL, "\n")) CHECK(strlen(line) <= 120);
  PetscCall(PetscFree(source));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_source_of_equal_forms_is_equal(void)
{
  char *a, *b, *c;

  PetscCall(emit_source(RUNG_TRIANGLE, PETSC_FALSE, "u*v*dx", PETSC_FALSE, &a));
  PetscCall(emit_source(RUNG_TRIANGLE, PETSC_FALSE, "u*v*dx", PETSC_FALSE, &b));
  PetscCall(emit_source(RUNG_TRIANGLE, PETSC_FALSE, "2*u*v*dx", PETSC_FALSE, &c));
  CHECK(strcmp(a, b) == 0 && strcmp(a, c) != 0);
  PetscCall(PetscFree(a));
  PetscCall(PetscFree(b));
  PetscCall(PetscFree(c));
  return PETSC_SUCCESS;
}

/* Nothing is written for what vanishes: no loop over points, no 0 and no 1 as a factor. */
static PetscErrorCode test_stiffness_of_p1_is_written_out(void)
{
  char *source, *kernels;

  PetscCall(emit_source(RUNG_TRIANGLE, PETSC_FALSE, "inner(grad(u), grad(v))*dx", PETSC_TRUE, &source));
  kernels = strstr(source, "static const double");
  if (!kernels) kernels = strstr(source, "static void contract");
  CHECK(kernels && !strstr(kernels, "for (int q") && !strstr(kernels, " 0. *") && !strstr(kernels, " 1. *"));
  PetscCall(PetscFree(source));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_compiled_is_interpreted_on_every_straight_cell),
               RUNG_TEST(test_compiled_is_interpreted_on_bent_cells),
               RUNG_TEST(test_source_shows_its_text_and_fits_in_120_columns),
               RUNG_TEST(test_source_of_equal_forms_is_equal), RUNG_TEST(test_stiffness_of_p1_is_written_out))
