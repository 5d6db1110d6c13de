/* test_singular.c - of what is not finite, the innermost expression, its operands and the place are named. */
#include "kernel_tools.h"

/* The message about a form at u = value, p = x[0]; sigma: of its Jacobian. */
static PetscErrorCode Find(RungCellType type, const char text[], PetscReal value, PetscBool jacobian, PetscBool compile,
                           char message[2048])
{
  const PetscReal       sigma[6] = {1, 1};
  Tools                 tools;
  const RungLayoutData *data;
  RungForm              form;
  PetscScalar          *u;

  PetscFunctionBegin;
  PetscCall(ToolsCreate(PETSC_COMM_WORLD, type, PETSC_FALSE, "1", type == RUNG_POINT ? "1" : "2", &tools));
  PetscCall(RungLayoutGetData(tools.layout, &data));
  PetscCall(VecGetArray(tools.u[0], &u));
  for (PetscInt i = data->range[0]; i < data->range[1]; ++i) u[i] = value;
  PetscCall(VecRestoreArray(tools.u[0], &u));
  PetscCall(ToolsForm(&tools, text, compile, &form));
  PetscCall(RungFormFindNonFinite(form, 0.3, tools.u, jacobian ? sigma : NULL, message, 2048));
  PetscCall(RungFormDestroy(&form));
  PetscCall(ToolsDestroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both back ends say it, and say where. */
static PetscErrorCode CheckNamed(RungCellType type, const char text[], PetscReal value, PetscBool jacobian,
                                 const char wanted[])
{
  char message[2048];

  PetscFunctionBegin;
  for (int compile = 0; compile < 2; ++compile) {
    PetscCall(Find(type, text, value, jacobian, compile ? PETSC_TRUE : PETSC_FALSE, message));
    if (strstr(message, wanted) && strstr(message, "in the cell at (") && strstr(message, "; keep divisors")) continue;
    fprintf(stderr, "%s\n  says   %s\n  wanted %s\n", text, message, wanted);
    ++check_failures;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_singular_operators_are_named_with_their_operands(void)
{
  PetscFunctionBegin;
  PetscCall(CheckNamed(RUNG_TRIANGLE, "u*v*dx + p/u*v*dx", 0, PETSC_FALSE, "\"p/u\" is not finite where p = "));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "v/u*dx", 0, PETSC_FALSE, "\"v/u\" is not finite where u = 0.;"));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "(1 + sqrt(u - 2))*v*dx", 1, PETSC_FALSE,
                       "\"sqrt(u - 2)\" is not finite where u - 2 = -1.;"));
  PetscCall(
    CheckNamed(RUNG_TRIANGLE, "exp(800*u)*v*dx", 1, PETSC_FALSE, "\"exp(800*u)\" is not finite where 800*u = 800.;"));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "u^kappa*v*ds(left)", -1, PETSC_FALSE,
                       "\"u^kappa\" is not finite where u = -1., kappa = 0.7;"));
  PetscCall(
    CheckNamed(RUNG_TRIANGLE, "jump(log(u))*avg(v)*dS", 0, PETSC_FALSE, "\"log(u)\" is not finite where u = 0.;"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_slopes_that_are_singular_are_named(void)
{
  PetscFunctionBegin;
  PetscCall(
    CheckNamed(RUNG_TRIANGLE, "sqrt(inner(grad(u), grad(u)))*v*dx", 0, PETSC_TRUE,
               "a derivative of \"sqrt(inner(grad(u), grad(u)))\" is not finite where inner(grad(u), grad(u)) = "
               "0.;"));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "derive(sqrt(inner(grad(u), grad(u)))*dx, u)", 0, PETSC_FALSE,
                       "a derivative of \"sqrt(inner(grad(u), grad(u)))\" is not finite"));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "inner(grad(sqrt(u)), grad(v))*dx", 0, PETSC_FALSE,
                       "a derivative of \"sqrt(u)\" is not finite where u = 0.;"));
  PetscCall(CheckNamed(RUNG_TRIANGLE, "u^1.5/(1 + u)^2*v*dx + u^0.5*q*dx", 0, PETSC_TRUE,
                       "a derivative of \"u^0.5\" is not finite where u = 0."));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_cell_is_searched(void)
{
  PetscFunctionBegin;
  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(CheckNamed((RungCellType)type, "u*q*dx + v*log(x[0] - u)*dx(degree: 3)", 1, PETSC_FALSE,
                         "\"log(x[0] - u)\" is not finite where x[0] - u = -"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_branches_that_are_not_taken_are_not_blamed(void)
{
  char message[2048];

  PetscFunctionBegin;
  PetscCall(CheckNamed(RUNG_TRIANGLE, "if(u < 0, sqrt(u), 1/(u - 1))*v*dx", 1, PETSC_FALSE,
                       "\"1/(u - 1)\" is not finite where u - 1 = 0.;"));
  PetscCall(Find(RUNG_TRIANGLE, "if(u < 0, sqrt(u), u)*v*dx", 1, PETSC_TRUE, PETSC_FALSE, message));
  CHECK(!message[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_singular_operators_are_named_with_their_operands),
               RUNG_TEST(test_slopes_that_are_singular_are_named), RUNG_TEST(test_every_cell_is_searched),
               RUNG_TEST(test_branches_that_are_not_taken_are_not_blamed))
