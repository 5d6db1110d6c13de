/* fuzz_diff.c - any bytes are a .vtu file that rung diff compares with itself: no value differs, or it is refused, soon, and nothing is read
   or written beside its arrays. */
#include "../commands/diff_impl.h"
#include <fuzz.h>

static PetscErrorCode begin(void)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungDiff d    = {.rel = 1e-6, .differences = 1000}; /* so many that no more is printed */
  char    *text = (char *)malloc(size + 1);

  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  RungDiffPictures(&d, "a.pvd.d/a_000000.vtu", text, size, text, size);
  for (size_t i = 0; i < d.items; ++i) {
    if (d.item[i].worst > 0) abort();
    free(d.item[i].group);
    free(d.item[i].name);
  }
  free(d.item);
  free(text);
  return 0;
}
