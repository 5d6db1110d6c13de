/* test_version.c - the version of headers and library, as numbers and as text. */
#include "check.h"
#include <rungversion.h>

static PetscErrorCode test_text_and_numbers_agree_with_the_headers(void)
{
  int         major, minor, patch;
  const char *text;
  char        wanted[64];

  PetscCall(RungGetVersion(&major, &minor, &patch, &text));
  PetscCall(PetscSNPrintf(wanted, sizeof wanted, "%d.%d.%d", major, minor, patch));
  CHECK(!strcmp(text, wanted) && !strcmp(text, RUNG_VERSION));
  CHECK(major == RUNG_VERSION_MAJOR && minor == RUNG_VERSION_MINOR && patch == RUNG_VERSION_PATCH);
  PetscCall(RungGetVersion(NULL, NULL, NULL, NULL));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_versions_are_compared_number_by_number(void)
{
  CHECK(RUNG_VERSION_GE(RUNG_VERSION_MAJOR, RUNG_VERSION_MINOR, RUNG_VERSION_PATCH));
  CHECK(!RUNG_VERSION_GE(RUNG_VERSION_MAJOR, RUNG_VERSION_MINOR, RUNG_VERSION_PATCH + 1));
  CHECK(!RUNG_VERSION_GE(RUNG_VERSION_MAJOR, RUNG_VERSION_MINOR + 1, 0));
  CHECK(!RUNG_VERSION_GE(RUNG_VERSION_MAJOR + 1, 0, 0));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_text_and_numbers_agree_with_the_headers),
               RUNG_TEST(test_versions_are_compared_number_by_number))
