/* test_unit.c - what is compiled together, and how. */
#include "jit_impl.h"
#include "kernel_tools.h"
#include <stdlib.h>

#define SMALL "u*v*dx(degree: 2) + u*v*ds(degree: 2) + u^2*v*ds(left, degree: 2)"

/* A sum of n terms that share nothing. */
static void write_long_sum(int n, char text[], size_t size)
{
  size_t at = (size_t)snprintf(text, size, "(0");

  for (int i = 0; i < n; ++i) at += (size_t)snprintf(text + at, size - at, " + (%d + u)*sin(%d*x[0]*u)", 2 * i + 3, i);
  snprintf(text + at, size - at, ")*v*dx(degree: 2)");
}

static PetscErrorCode count_units(RungCellType type, const char u[], const char text[], PetscInt *plans,
                                  PetscInt *units, char flags[1024])
{
  char               none[]  = "";
  RungCompileOptions options = {.flags = none};
  Tools              tools;
  ToolsPlans         all;
  RungUnit          *unit;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_FALSE, u, NULL, &tools));
  PetscCall(tools_lower(&tools, text, PETSC_FALSE, -1, &all));
  PetscCall(RungUnitsCreate(all.n, all.plan, units, &unit));
  *plans = 0;
  for (PetscInt i = 0; i < *units; ++i) {
    CHECK(unit[i].plan == all.plan + *plans);
    *plans += unit[i].n;
  }
  CHECK(*plans == all.n);
  RungUnitFlags(&options, RUNG_ISA_SSE2, 2, &unit[0]);
  snprintf(flags, 1024, "%s", unit[0].flags);
  PetscCall(PetscFree(unit));
  PetscCall(tools_plans_destroy(&all));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_small_kernels_share_a_unit(void)
{
  PetscInt plans, units;
  char     flags[1024];

  PetscFunctionBegin;
  PetscCall(count_units(RUNG_TRIANGLE, "1", SMALL, &plans, &units, flags));
  CHECK(plans == 3);
  CHECK(units == 1);
  CHECK(!strstr(flags, "gcse"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_large_kernels_have_units_of_their_own(void)
{
  char     text[65536], flags[1024], both[70000];
  PetscInt plans, units;

  PetscFunctionBegin;
  write_long_sum(150, text, sizeof text);
  snprintf(both, sizeof both, "%s + " SMALL, text);
  PetscCall(count_units(RUNG_TRIANGLE, "1", both, &plans, &units, flags));
  CHECK(plans == 3);
  CHECK(units == 2);
  CHECK(strstr(flags, "-fno-gcse") != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_sums_that_factorise_keep_common_subexpressions(void)
{
  char     text[65536], flags[1024];
  PetscInt plans, units;

  PetscFunctionBegin;
  write_long_sum(150, text, sizeof text);
  PetscCall(count_units(RUNG_QUADRILATERAL, "3", text, &plans, &units, flags));
  CHECK(!strstr(flags, "gcse"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_small_kernels_share_a_unit), RUNG_TEST(test_large_kernels_have_units_of_their_own),
               RUNG_TEST(test_sums_that_factorise_keep_common_subexpressions))
