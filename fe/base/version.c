/* version.c - which Rung this is. */
#include <rungpetsc.h>
#include <rungversion.h>

PetscErrorCode RungGetVersion(int *major, int *minor, int *patch, const char **text)
{
  if (major) *major = RUNG_VERSION_MAJOR;
  if (minor) *minor = RUNG_VERSION_MINOR;
  if (patch) *patch = RUNG_VERSION_PATCH;
  if (text) *text = RUNG_VERSION;
  return PETSC_SUCCESS;
}
