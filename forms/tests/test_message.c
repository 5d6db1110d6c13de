/* test_message.c - messages about nodes made by texts and by builders; names of shapes. */
#include "front_tools.h"

static PetscErrorCode test_a_node_is_shown_where_it_was_written(void)
{
  PetscInt node;

  PetscFunctionBegin;
  PetscCall(FrontBegin(2));
  PetscCall(FrontRead("u*v*dx +\n  dt(u*p)*v*dx", &node));
  PetscCall(FrontRead("dt(u*p)", &node));
  CHECK_RAISES(RungScopeRaise(scope, node, PETSC_ERR_SUP, "order %d is too much", 3),
               "text, line 2, column 3: order 3 is too much\n      dt(u*p)*v*dx\n      ^~~~~~~");
  node = RungGrad(RungMul(RungName(scope, "u"), RungName(scope, "p"))).node;
  CHECK_RAISES(RungScopeRaise(scope, node, PETSC_ERR_SUP, "too much"), "too much\n    in grad(u*p)");
  PetscCall(FrontEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_shapes_have_names(void)
{
  PetscFunctionBegin;
  PetscCall(FrontBegin(3));
  CHECK_SHAPE("u", "scalar 0");
  CHECK_SHAPE("W", "vector[3] 1");
  CHECK_SHAPE("grad(S)", "tensor[3][3][3] 0");
  CHECK_SHAPE("u*v*dx", "an integral 1");
  PetscCall(FrontEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_operators_are_listed(void)
{
  char list[RUNG_MESSAGE];

  PetscFunctionBegin;
  RungOperatorList(list, sizeof list);
  CHECK(strstr(list, "sqrt, exp") && strstr(list, "derive, diff"));
  CHECK(!strstr(list, "facet_area") && !strstr(list, "<") && !strstr(list, "+"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_node_is_shown_where_it_was_written), RUNG_TEST(test_shapes_have_names),
               RUNG_TEST(test_operators_are_listed))
