/* option_help.c - -help: what the program says of itself and the options that were asked for until then, and nothing is run. */
#include "base_impl.h"
#include <stdarg.h>
#include <stdlib.h>

#define NAME_WIDTH 36 /* letters of an option and its value, in front of its explanation */

static struct {
  const char *program; /* what the program says of itself, lent between Begin and End */
  PetscErrorCode (*print)(MPI_Comm, const char[], ...); /* PETSc's way to print help, while it is replaced */
  PetscBool wanted;
} help;

/* In place of PetscHelpPrintf while PETSc starts, which has a page of its own about itself, and where help is wanted as long as the
   program lasts: PETSc lists the options of each viewer that is asked for, again and again. */
static PetscErrorCode print_program(MPI_Comm comm, const char format[], ...)
{
  char    text[4096];
  va_list list;

  PetscFunctionBegin;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (help.program && !strncmp(text, help.program, sizeof text - 1)) PetscCall(PetscPrintf(comm, "%s", help.program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungHelpBegin(const char program[])
{
  help.program    = program;
  help.print      = PetscHelpPrintf;
  PetscHelpPrintf = print_program;
}

PetscErrorCode RungHelpEnd(void)
{
  PetscFunctionBegin;
  help.program = NULL;
  PetscCall(PetscOptionsHasHelp(NULL, &help.wanted));
  if (!help.wanted) PetscHelpPrintf = help.print;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungHelpWanted(void)
{
  return help.wanted;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const RungOption *)a)->name, ((const RungOption *)b)->name);
}

/* The letters of the room that an option belongs to: stepper of stepper_dt. */
static size_t room_of(const char name[])
{
  return strcspn(name, "_");
}

static PetscErrorCode print_option(MPI_Comm comm, const RungOption *option)
{
  char left[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(left, sizeof left, "-%s%s%s%s", option->name,
                          option->standard && option->standard[0] ? " <" : "",
                          option->standard && option->standard[0] ? option->standard : "",
                          option->standard && option->standard[0] ? ">" : ""));
  PetscCall(PetscPrintf(comm, "  %-*s %s%s%s\n", NAME_WIDTH, left, option->about, option->range ? "; " : "",
                        option->range ? option->range : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order of the alphabet, with an empty line between rooms. */
PetscErrorCode RungOptionsPrint(MPI_Comm comm)
{
  PetscInt          n;
  const RungOption *known;
  RungOption       *sorted;
  const char       *last = "";

  PetscFunctionBegin;
  RungOptionsGetKnown(&n, &known);
  PetscCall(PetscMalloc1(n, &sorted));
  PetscCall(PetscArraycpy(sorted, known, n));
  qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
  PetscCall(PetscPrintf(comm, "Options, with what holds if they are not given:\n"));
  for (PetscInt i = 0; i < n; ++i) {
    const char *name = sorted[i].name;

    if (!sorted[i].about) continue;
    if (room_of(name) != room_of(last) || strncmp(name, last, room_of(name)) != 0) PetscCall(PetscPrintf(comm, "\n"));
    last = name;
    PetscCall(print_option(comm, &sorted[i]));
  }
  PetscCall(PetscPrintf(comm, "\nPETSc's options work too: -ksp_type, -pc_type, -log_view, -options_left ..\n"));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHelpShow(void)
{
  PetscFunctionBegin;
  if (!help.wanted) PetscFunctionReturn(PETSC_SUCCESS);
  help.wanted     = PETSC_FALSE; /* RungFinalize asks as well */
  PetscHelpPrintf = help.print;
  PetscCall(RungOptionsPrint(PETSC_COMM_WORLD));
  PetscCall(RungFinalize());
  exit(0);
}
