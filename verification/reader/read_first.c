/* read_first.c - statements that need neither mesh nor system: texts for people, and options of the solvers. */
#include "reader_impl.h"

PetscErrorCode RungRead_title(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  problem->title = s->arg[0].text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_look(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  problem->look = s->arg[0].text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shown by nobody but the file itself. */
PetscErrorCode RungRead_source(RungProblem problem, RungStatement *s)
{
  (void)problem, (void)s;
  return PETSC_SUCCESS;
}

/* Was followed when it was read. */
PetscErrorCode RungRead_include(RungProblem problem, RungStatement *s)
{
  (void)problem, (void)s;
  return PETSC_SUCCESS;
}

/* Is looked at when the file has been refused, or not. */
PetscErrorCode RungRead_refuse(RungProblem problem, RungStatement *s)
{
  (void)problem, (void)s;
  return PETSC_SUCCESS;
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

/* A file may choose solvers.  It may not run or load anything, nor name a file: such options are for the command line. */
static PetscBool is_allowed(const char name[])
{
  static const char *const begin[]  = {"-ksp_",
                                       "-pc_",
                                       "-snes_",
                                       "-mat_mumps_",
                                       "-sub_",
                                       "-mg_",
                                       "-fieldsplit_",
                                       "-mass_",
                                       "-project_",
                                       "-form_degree",
                                       "-form_backend",
                                       "-system_",
                                       "-space_",
                                       "-mesh_weight_degree",
                                       "-mesh_partitioner",
                                       "-stepper_alpha_form",
                                       "-stepper_filter",
                                       "-stepper_force",
                                       "-stepper_max_steps"};
  static const char *const within[] = {"view",  "python", "shell", "file",     "dir", "ooc", "saws",
                                       "probe", "matlab", "load",  "periodic", "tie", "slip"};
  PetscBool                good     = PETSC_FALSE;

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(begin); ++i)
    good = good || !strncmp(name, begin[i], strlen(begin[i]));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(within); ++i) good = good && !strstr(name, within[i]);
  return good;
}

PetscErrorCode RungRead_option(RungProblem problem, RungStatement *s)
{
  const char *name = s->arg[0].text, *value = s->args > 1 ? s->arg[1].text : NULL;
  PetscBool   given;

  PetscFunctionBegin;
  if (name[0] != '-' || !is_allowed(name)) {
    PetscCall(
      RungMistake(problem, s, s->arg[0].span,
                  "\"%s\" is no option that a file may set; there are those of solvers (-ksp_.. -pc_.. -snes_..) "
                  "that neither write nor run anything, others belong on the command line",
                  name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (value &&
      (strpbrk(value, ":/\\ ") || strstr(value, "python") || (value[0] == '-' && isalpha((unsigned char)value[1])))) {
    PetscCall(RungMistake(problem, s, s->arg[1].span,
                          "\"%s\" is no value that a file may give: one word or number, no path", value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  s->option = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
