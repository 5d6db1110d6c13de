/* test_named.c - value() and table() as they are written: names, order, what is refused. */
#include "front_tools.h"

static PetscErrorCode begin(void)
{
  static const char text[] = "0 1 2\n1 3 4\n";

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "named.csv", sizeof text - 1, text));
  PetscCall(front_begin(2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_and_tables_print_as_they_are_written(void)
{
  static const char *const text[] = {
    "value(steel: 210000000000, rubber: 1000000)*u",
    "value(\"left lung\": 1, 3: 2, else: u + p)",
    "value(steel: x, else: 2*U)",
    "value(\"else\": 1, e1: 2)",
    "table(\"named.csv\")*u",
    "table(\"named.csv\", u^2, column: 2, method: cubic)",
    "if(u < table(\"named.csv\"), 1, 2)",
    "table(\"named.csv\", u, derivative: 2)",
  };

  PetscFunctionBegin;
  PetscCall(begin());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_PRINTS(text[i], text[i]);
  CHECK_PRINTS("table(\"named.csv\", method: linear, t)", "table(\"named.csv\")");
  CHECK_SAME("table(\"named.csv\", column: 2, t + 1)", "table(\"named.csv\", t + 1, column: 2)");
  CHECK_SHAPE("value(a: U, b: x)", "vector[2] 0");
  CHECK_PRINTS("derive(value(a: u^2, b: 3)*dx, u)", "derive(value(a: u^2, b: 3)*dx, u)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_ill_formed_arguments_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(begin());
  CHECK_REFUSED("value(u)", "unexpected ) where a colon and the value of the part is wanted");
  CHECK_REFUSED("value()", "unexpected ) where a part of the mesh is wanted");
  CHECK_REFUSED("value(a: 1, a: 2)", "two values for one part");
  CHECK_REFUSED("value(else: 1, a: 2)", "comes last");
  CHECK_REFUSED("value(a: 1, b: x)", "values of one shape, got scalar and, for \"b\", vector[2]");
  CHECK_REFUSED("value(a: v, b: 1)*dx", "the test function \"v\" inside \"value\"");
  CHECK_REFUSED("table(u)", "unexpected u where a file's name in quotes is wanted");
  CHECK_REFUSED("table(\"\")", "an empty name");
  CHECK_REFUSED("table(\"named.csv\", u, p)", "table() is a function of one number");
  CHECK_REFUSED("table(\"named.csv\", x)",
                "table() is a function of one number, got vector[2]; take a component, like a[0]");
  CHECK_REFUSED("table(\"named.csv\", column: 7)", "no column 7");
  CHECK_REFUSED("table(\"named.csv\", method: quartic)", "unexpected quartic where linear or cubic is wanted");
  CHECK_REFUSED("table(\"named.csv\", row: 7)", "table() takes column: NAME or NUMBER");
  CHECK_REFUSED("bessel_jn(u, u)", "a whole number as first argument");
  CHECK_REFUSED("bessel_jn(1.5, u)", "a whole number as first argument");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_and_tables_print_as_they_are_written),
               RUNG_TEST(test_ill_formed_arguments_are_refused))
