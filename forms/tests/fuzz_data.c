/* fuzz_data.c - any bytes are the file of a table of numbers: its polynomials can be asked between and behind their knots, or there is a
   message. */
#include "scope_impl.h"
#include <fuzz.h>
#include <math.h>
#include <rungkernel.h>

static const char *path; /* of the file in memory that holds the input */

static PetscErrorCode begin(void)
{
  return fuzz_memory(&path);
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

/* The value and two derivatives everywhere; a knot has the value of its row. */
static void look_up(const double table[], PetscInt number)
{
  const int n = (int)table[0];

  if (n < 2) abort();
  for (int i = -1; i <= 2 * n; ++i) {
    const int    k = i < 0 ? 0 : i / 2 < n ? i / 2 : n - 1;
    const double x = i < 0 || i == 2 * n
                       ? table[1 + k] + i
                       : table[1 + k] + (i % 2 && k + 1 < n ? 0.5 * (table[2 + k] - table[1 + k]) : 0);

    if (!(table[1 + k] <= table[1 + (k + 1 < n ? k + 1 : k)])) abort();
    for (int d = 0; d < 3; ++d) (void)rung_table(x, (double)number, d);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const column[] = {"", "2", "name"};
  RungScope                scope    = NULL;
  char                     message[RUNG_MESSAGE];
  PetscInt                 number;

  fuzz_write(data, size);
  if (RungScopeCreate(PETSC_COMM_SELF, &scope)) abort();
  for (int i = 0; i < 6; ++i) {
    if (RungScopeAddTable(scope, path, column[i / 2], i % 2 ? PETSC_TRUE : PETSC_FALSE, &number, message)) abort();
    if (message[0]) continue;
    rung_tables = RungScopeTables(scope);
    look_up(rung_tables[number], number);
  }
  if (RungScopeDestroy(&scope)) abort();
  return 0;
}
