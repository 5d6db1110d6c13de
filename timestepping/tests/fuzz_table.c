/* fuzz_table.c - any bytes are the table of an earlier run: a run that goes on keeps their rows, or refuses them and leaves them as they
   are. */
#include <fuzz.h>
#include "../step_impl.h"

#define PATH "fuzz.csv"

static PetscErrorCode begin(void)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

/* Whether the file holds these bytes. */
static int holds(const uint8_t data[], size_t size)
{
  uint8_t *found = (uint8_t *)malloc(size + 1);
  FILE    *file  = fopen(PATH, "rb");
  int      same  = found && file && fread(found, 1, size + 1, file) == size && !memcmp(found, data, size);

  if (file) (void)fclose(file);
  free(found);
  return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const name[]   = {"heat", "with, comma"};
  static const PetscBool   rate[]   = {PETSC_FALSE, PETSC_TRUE};
  const RungQuantities     q        = {.n = 2, .name = name, .rate = rate};
  struct _RungTableRecord  table    = {.path = PATH};
  char                     why[512] = "", note[1024] = "";
  PetscBool                found = PETSC_FALSE;

  (void)unlink(PATH ".part");
  if (fuzz_open(PATH)) abort();
  fuzz_write(data, size);
  if (close(fuzz_file) || RungTableContinue(&table, &q, 0.5, &found, note, sizeof note, why, sizeof why)) abort();
  if (why[0] && !holds(data, size)) abort();
  if (!why[0] && found && table.columns < 2) abort();
  if (RungTableForget(&table)) abort();
  return 0;
}
