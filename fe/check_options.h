/* check_options.h - values that an option may not expect, and what -help names, for tests that walk all options. */
#pragma once

#include "check.h"
#include <rungfe_room.h>
#include <ctype.h>
#include <stdlib.h>

#define CHECK_OPTIONS 200 /* room for so many */

typedef struct {
  char name[80], line[256]; /* without the dash; of -help */
} CheckOption;

static const char *const check_values[] = {"0", "-1", "2", "1e300", "", "x", "x,x"};

/* Room for `most` options that were asked for until now.  Out  n  how many there are */
static inline PetscErrorCode check_options_known(CheckOption known[CHECK_OPTIONS], int *n)
{
  char  *text   = NULL;
  size_t size   = 0;
  FILE  *memory = open_memstream(&text, &size), *before = PETSC_STDOUT;

  PetscFunctionBegin;
  PETSC_STDOUT = memory;
  PetscCall(RungOptionsPrint(PETSC_COMM_SELF));
  PETSC_STDOUT = before;
  (void)fclose(memory);
  *n = 0;
  for (char *line = strtok(text, "\n"); line && *n < CHECK_OPTIONS; line = strtok(NULL, "\n")) {
    if (strncmp(line, "  -", 3) != 0) continue;
    (void)snprintf(known[*n].line, sizeof known->line, "%s", line);
    (void)snprintf(known[*n].name, sizeof known->name, "%.*s", (int)strcspn(line + 3, " "), line + 3);
    ++*n;
  }
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it "", or a message of ours?  They begin with a small letter and end in time, PETSc's are others. */
static inline PetscBool check_is_in_words(const char name[], const char value[], const char message[])
{
  const PetscBool good = (PetscBool)(!isupper((unsigned char)message[0]) && strlen(message) <= 1000);

  if (!good) fprintf(stderr, "-%s %.40s: \"%.300s\"\n", name, value ? value : "", message);
  return good;
}

/* All values, and one of 6000 letters: each is taken, or refused in words.
   give  message[4096]: "" if the value is taken */
static inline PetscErrorCode check_option(const char name[],
                                          PetscErrorCode (*give)(const char name[], const char value[], char message[]))
{
  char message[4096], lengthy[6001];

  PetscFunctionBegin;
  for (int i = 0; i < 6000; ++i) lengthy[i] = i % 2 ? ',' : '7';
  lengthy[6000] = '\0';
  for (size_t k = 0; k <= sizeof check_values / sizeof *check_values; ++k) {
    const char *value = k < sizeof check_values / sizeof *check_values ? check_values[k] : lengthy;

    PetscCall(give(name, value, message));
    CHECK(check_is_in_words(name, value, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
