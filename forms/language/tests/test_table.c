/* test_table.c - files of numbers: what is read, what is refused and how; values, slopes and derivatives in time. */
#include "front_tools.h"

static PetscErrorCode write(const char text[])
{
  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "table.csv", strlen(text), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(const char text[])
{
  PetscFunctionBegin;
  PetscCall(write(text));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(RungScopeSetDimension(scope, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double value_at(const char text[], PetscReal t)
{
  const PetscReal x   = 0;
  PetscScalar     out = NAN;
  RungExpr        expr;
  RungPointwise   f;

  if (RungScopeParse(scope, "data", text, &expr) || RungPointwiseCreate(expr, &f)) return NAN;
  (void)RungPointwiseEvaluate(f, t, 1, &x, &out);
  return RungPointwiseDestroy(&f) ? NAN : (double)out;
}

static const char *const rows =
  "# measured\ntime, flow , \"the pressure\"\r\n0, 1, 5\n1, 3, 4 # a remark\n\n3,4,0\n4, 4, 0\n";

static PetscErrorCode test_rows_are_joined_by_lines_and_held_outside(void)
{
  PetscFunctionBegin;
  PetscCall(begin(rows));
  CHECK_NEAR(value_at("table(\"table.csv\")", 0), 1, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\")", 0.5), 2, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\")", 2), 3.5, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\")", 4), 4, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\")", -1), 1, 0);
  CHECK_NEAR(value_at("table(\"table.csv\")", 9), 4, 0);
  CHECK_NEAR(value_at("table(\"table.csv\", column: 2)", 2), 2, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\", column: flow)", 2), 3.5, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\", column: \"the pressure\")", 2), 2, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\", t^2/2 + 1)", 2), 3.5 + 0.5, 1e-15);
  CHECK_NEAR(value_at("dt(table(\"table.csv\"))", 0.5), 2, 1e-15);
  CHECK_NEAR(value_at("dt(table(\"table.csv\"))", 1), 0.5, 1e-15); /* at a row: of what follows */
  CHECK_NEAR(value_at("dt(table(\"table.csv\"), 2)", 0.5), 0, 0);
  CHECK_NEAR(value_at("dt(table(\"table.csv\"))", 7), 0, 0);
  CHECK_NEAR(value_at("dt(table(\"table.csv\", t^2))", 1.2), 2 * 1.2 * 0.5, 1e-14);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_separators_are_commas_semicolons_or_blanks(void)
{
  static const char *const same[] = {"0,1\n2,5\n",
                                     "0;1\n2;5",
                                     "0 1\n2\t5\n",
                                     "  0   1  \n\n # no\n2 5",
                                     "\xef\xbb\xbft y\n0 1\n2 5\n",
                                     "inflow,y\n0,1\n2,5\n",
                                     "- y\n0 1\n2 5\n",
                                     ",y\n0,1\n2,5\n"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(same); ++i) {
    PetscCall(begin(same[i]));
    CHECK_NEAR(value_at("table(\"table.csv\")", 0.5), 2, 1e-15);
    PetscCall(front_end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between rows that rise the curve rises; its slope is continuous and zero on a plateau; derivatives are exact. */
static PetscErrorCode test_cubic_is_monotone_and_smooth(void)
{
  static const char f[] = "table(\"table.csv\", method: cubic)", df[] = "dt(table(\"table.csv\", method: cubic))";

  PetscFunctionBegin;
  PetscCall(begin("0 0\n1 0.1\n2 3\n3 3.1\n5 3.1\n6 2\n"));
  for (int i = 0; i < 60; ++i) {
    const double t = 0.1 * i + 0.03, h = 1e-5;

    CHECK_NEAR((value_at(f, t + h) - value_at(f, t - h)) / (2 * h), value_at(df, t), 1e-5);
    CHECK(value_at(df, t) * (t < 3 ? 1 : t > 5 ? -1 : 0) >= 0);
    CHECK(t < 3 || t > 5 || fabs(value_at(df, t)) < 1e-14);
  }
  for (int i = 1; i < 5; ++i) CHECK_NEAR(value_at(df, i - 1e-9), value_at(df, i + 1e-9), 1e-6);
  CHECK_NEAR(value_at(f, 2), 3, 1e-15);
  CHECK_NEAR(value_at("dt(table(\"table.csv\", method: cubic), 3)", 0.5),
             value_at("dt(table(\"table.csv\", method: cubic), 3)", 0.7), 1e-12);
  PetscCall(front_end());
  PetscCall(begin("0 0\n2 4\n"));
  CHECK_NEAR(value_at(f, 1), 2, 1e-15); /* two rows make a line */
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(const char file[], const char text[], const char message[])
{
  PetscFunctionBegin;
  PetscCall(begin(file));
  CHECK_REFUSED(text, message);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_damaged_files_are_refused_with_file_and_line(void)
{
  static const char f[] = "table(\"table.csv\")";

  PetscFunctionBegin;
  PetscCall(refused("0 1\n1 2\n1 3\n", f, "table \"table.csv\", line 3: 1 after 1; the first column has to increase"));
  PetscCall(refused("t y\n0 1\n1 abc\n", f, "line 3: found \"abc\" in column 1, wanted a finite number"));
  PetscCall(refused("0 1\n1\n", f, "line 2: no column 1"));
  PetscCall(refused("0 1\n1 nan\n", f, "found \"nan\""));
  PetscCall(refused("0,1\n1,\n", f, "found \"\" in column 1"));
  PetscCall(refused("0 1\n", f, "has 1 row of numbers; wanted at least 2"));
  PetscCall(refused("", f, "has 0 rows"));
  PetscCall(refused("a b\nc d\n", f, "found \"c\" in column 0"));
  PetscCall(refused("0 1\n1 2\n", "table(\"table.csv\", column: flow)", "has no row of names, where column \"flow\""));
  PetscCall(refused("t, flow\n0,1\n1,2\n", "table(\"table.csv\", column: flw)",
                    "has no column \"flw\"; did you mean \"flow\"?; it has t, flow"));
  PetscCall(begin("t,\"tip[0,1]\",\"say \"\"hi\"\", twice\",b\n0,1,2,3\n1,2,3,4\n"));
  CHECK_NEAR(value_at("table(\"table.csv\", column: b)", 0.5), 3.5, 1e-15);
  CHECK_NEAR(value_at("table(\"table.csv\", column: \"tip[0,1]\")", 0.5), 1.5, 1e-15);
  PetscCall(front_end());
  PetscCall(refused("t,flow,flow\n0,1,2\n1,2,3\n", "table(\"table.csv\", column: flow)",
                    "has two columns \"flow\", number 1 and 2; take one by its number"));
  PetscCall(refused("0,5;1,5\n1,0;2,5\n", f, "wanted a finite number; a comma separates columns, decimals come after"));
  PetscCall(refused("0,5 1,5\n1,0 2,5\n", f, "line 1: found \"5 1\" in column 1, wanted a finite number; a comma"));
  PetscCall(refused("0 1\n1 0x10\n", f, "line 2: found \"0x10\" in column 1"));
  PetscCall(refused("nan 1\n1 2\n2 3\n", f, "line 1: found \"nan\" in column 0"));
  PetscCall(refused("0:00,1\n1,2\n2,3\n", f, "line 1: found \"0:00\" in column 0"));
  PetscCall(refused("1e400,1\n2,2\n3,3\n", f, "line 1: found \"1e400\" in column 0"));
  PetscCall(refused("0 1\n1 2\n", "table(\"missing.csv\")", "table \"missing.csv\" cannot be read: No such file"));
  PetscCall(refused("0 1\n1 2\n", "2 + table(\"missing.csv\")", "       ^~~~~~~~~~~~~"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_file_is_read_once(void)
{
  PetscFunctionBegin;
  PetscCall(begin(rows));
  CHECK_NEAR(value_at("table(\"table.csv\")", 0.5), 2, 1e-15);
  PetscCall(write("0 7\n1 7\n"));
  CHECK_NEAR(value_at("table(\"table.csv\")", 0.5), 2, 1e-15);
  CHECK(scope->table.n == 1);
  CHECK_NEAR(value_at("table(\"table.csv\", method: cubic)", 0.5), 7, 1e-15);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rows_are_joined_by_lines_and_held_outside),
               RUNG_TEST(test_separators_are_commas_semicolons_or_blanks), RUNG_TEST(test_cubic_is_monotone_and_smooth),
               RUNG_TEST(test_damaged_files_are_refused_with_file_and_line), RUNG_TEST(test_a_file_is_read_once))
