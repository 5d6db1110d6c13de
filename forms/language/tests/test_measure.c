/* test_measure.c - measures: domain, part and degree as they are written. */
#include "front_tools.h"
#include "rungnodal_room.h"

static PetscErrorCode check_measure(const char text[], RungDomain domain, const char part[], PetscInt degree)
{
  PetscInt        node;
  const RungNode *a;

  PetscFunctionBegin;
  PetscCall(front_read(text, &node));
  a = RungScopeNode(scope, node);
  CHECK(a->op == RUNG_OP_INTEGRAL && a->integral);
  CHECK(a->index[0] == (PetscInt)domain && a->index[1] == degree);
  CHECK(!strcmp(RungScopeString(scope, a->index[2]), part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_parts_are_names_numbers_or_strings(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(check_measure("v*dx", RUNG_CELLS, "", -1));
  PetscCall(check_measure("v*ds(left)", RUNG_BOUNDARY, "left", -1));
  PetscCall(check_measure("v*dx(12)", RUNG_CELLS, "12", -1));
  PetscCall(check_measure("v*dx(\"two words\")", RUNG_CELLS, "two words", -1));
  PetscCall(check_measure("v*dx(u, 3)", RUNG_CELLS, "u", 3)); /* parts have names of their own */
  PetscCall(check_measure("v*dx(degree)", RUNG_CELLS, "degree", -1));
  PetscCall(check_measure("v*ds(left, degree: 0)", RUNG_BOUNDARY, "left", 0));
  PetscCall(check_measure("v*ds(\"\", 5)", RUNG_BOUNDARY, "", 5));
  PetscCall(check_measure("v*ds(degree: 5)", RUNG_BOUNDARY, "", 5));
  PetscCall(check_measure("v*dx(rule: nodes)", RUNG_CELLS, "", RUNG_AT_NODES));
  PetscCall(check_measure("v*ds(left, rule: nodes)", RUNG_BOUNDARY, "left", RUNG_AT_NODES));
  PetscCall(check_measure("v*dx(rule)", RUNG_CELLS, "rule", -1));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_arguments_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED("v*dx()", "text, column 6: unexpected ) where a part of the mesh is wanted\n    v*dx()\n         ^");
  CHECK_REFUSED("v*dx(rule: gauss)", "unexpected gauss where the rule of a measure, nodes is wanted");
  CHECK_REFUSED("v*dx(2.5)", "a part of the mesh is a name, a whole number or a string");
  CHECK_REFUSED("v*dx(left right)", "unexpected right where the closing parenthesis of a measure (it has one part; "
                                    "write a sum of integrals for several) is wanted");
  CHECK_REFUSED("v*dx(left, 2.5)", "the degree of quadrature is a whole number between 0 and 200");
  CHECK_REFUSED("v*dx(left, 201)", "the degree of quadrature is a whole number between 0 and 200");
  CHECK_REFUSED("v*dx(left, u)", "unexpected u where the degree of quadrature (a measure has one part; write a sum of "
                                 "integrals for several) is wanted");
  CHECK_REFUSED("v*dx(left, 2, 3)", "unexpected , where the closing parenthesis of a measure (it has one part; write a "
                                    "sum of integrals for several) is wanted");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_parts_are_names_numbers_or_strings), RUNG_TEST(test_other_arguments_are_refused))
