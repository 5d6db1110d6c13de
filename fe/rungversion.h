/* rungversion.h - the version of Rung: of these headers as macros, of the library that a program runs with by a function. */
#pragma once

#include <rungerror.h>

/* The one place where the version stands; CMakeLists.txt reads these three lines. */
#define RUNG_VERSION_MAJOR 0
#define RUNG_VERSION_MINOR 1
#define RUNG_VERSION_PATCH 0

#define RUNG_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define RUNG_VERSION_TEXT(major, minor, patch)  RUNG_VERSION_TEXT_(major, minor, patch)
/* "0.1.0" */
#define RUNG_VERSION RUNG_VERSION_TEXT(RUNG_VERSION_MAJOR, RUNG_VERSION_MINOR, RUNG_VERSION_PATCH)
/* #if RUNG_VERSION_GE(0, 2, 0): are these headers of 0.2.0 or later? */
#define RUNG_VERSION_GE(major, minor, patch)                                                                           \
  (RUNG_VERSION_MAJOR * 10000 + RUNG_VERSION_MINOR * 100 + RUNG_VERSION_PATCH >= (major)*10000 + (minor)*100 + (patch))

/* RungGetVersion - the version of the library, which may be another than that of the headers that a program was compiled
   with.  Not collective; also before RungInitialize and after RungFinalize.
   Out  major, minor, patch  numbers, each may be NULL
        text                 "0.1.0", lent for ever; may be NULL */
RUNG_EXTERN PetscErrorCode RungGetVersion(int *major, int *minor, int *patch, const char **text);
