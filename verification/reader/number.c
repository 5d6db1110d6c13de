/* number.c - arguments that are numbers, and constants. */
#include "reader_impl.h"
#include <stdio.h>

PetscErrorCode RungArithmetic(RungProblem problem, const RungStatement *s, RungSourceSpan span, PetscReal *value,
                              PetscBool *good)
{
  RungSourceSpan bad;
  char          *text, why[256];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)span.length + 1, &text));
  (void)snprintf(text, (size_t)span.length + 1, "%.*s", (int)span.length, s->text + span.begin);
  RungArithmeticText(problem, text, value, why, &bad);
  PetscCall(PetscFree(text));
  if (!why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  bad.begin += span.begin;
  PetscCall(RungMistake(problem, s, bad, "%s", why));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- arguments ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungGetReal(RungProblem problem, const RungStatement *s, PetscInt i, PetscReal *value, PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(RungArithmetic(problem, s, s->arg[i].span, value, good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_int(RungProblem problem, const RungStatement *s, RungSourceSpan span, PetscReal x,
                             PetscInt *value, PetscBool *good)
{
  const PetscBool beyond = PetscAbsReal(x) >= (PetscReal)PETSC_MAX_INT + 1 ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (*good && x != PetscFloorReal(x))
    PetscCall(RungMistake(problem, s, span, "%g is no whole number; wanted one like 10", (double)x));
  else if (*good && beyond)
    PetscCall(RungMistake(problem, s, span, "%.15g is beyond the whole numbers, which end at %" PetscInt_FMT, (double)x,
                          PETSC_MAX_INT));
  *good  = *good && x == PetscFloorReal(x) && !beyond ? PETSC_TRUE : PETSC_FALSE;
  *value = *good ? (PetscInt)x : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGetInt(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt *value, PetscBool *good)
{
  PetscReal x = 0;

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, i, &x, good));
  PetscCall(to_int(problem, s, s->arg[i].span, x, value, good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGetReals(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt most, PetscInt *n,
                            PetscReal value[], PetscBool *good)
{
  const RungArgument *arg  = &s->arg[i];
  PetscInt            from = 0, depth = 0;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k <= arg->span.length; ++k) {
    const char c = arg->text[k];

    depth += (c == '(') - (c == ')');
    if (c && (c != ',' || depth)) continue;
    if (*n == most) {
      PetscCall(RungMistake(problem, s, (RungSourceSpan){arg->span.begin + from, arg->span.length - from},
                            "more than %" PetscInt_FMT " numbers", most));
      *good = PETSC_FALSE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    value[*n] = 0;
    if (k == from) {
      PetscCall(RungMistake(problem, s, (RungSourceSpan){arg->span.begin + from, 1}, "a number is missing"));
      *good = PETSC_FALSE;
    } else
      PetscCall(RungArithmetic(problem, s, (RungSourceSpan){arg->span.begin + from, k - from}, &value[*n], good));
    ++*n;
    from = k + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGetInts(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt most, PetscInt *n,
                           PetscInt value[], PetscBool *good)
{
  PetscReal x[8];

  PetscFunctionBegin;
  PetscCall(RungGetReals(problem, s, i, PetscMin(most, 8), n, x, good));
  for (PetscInt k = 0; k < *n; ++k) PetscCall(to_int(problem, s, s->arg[i].span, x[k], &value[k], good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- constants ---------------------------------------------------------------------------------------------------- */

/* "0.1 [m^2/s]": the value without its unit, and what the unit must look like. */
static PetscErrorCode cut_unit(RungProblem problem, const RungStatement *s, RungSourceSpan *value, PetscBool *good)
{
  const char *text = s->arg[1].text, *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

  PetscFunctionBegin;
  *value = s->arg[1].span;
  if (!open) PetscFunctionReturn(PETSC_SUCCESS);
  if (!close || close[1]) {
    PetscCall(RungMistake(problem, s, (RungSourceSpan){value->begin + (PetscInt)(open - text), 1},
                          "a unit ends the line, wanted one like [m^2/s]"));
    *good = PETSC_FALSE;
  }
  value->length = (PetscInt)(open - text);
  while (value->length && text[value->length - 1] == ' ') --value->length;
  if (!value->length && *good) {
    PetscCall(RungMistake(problem, s, s->arg[1].span, "a value is missing in front of its unit"));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -NAME VALUE, or -system_NAME VALUE, of the command line in place of the file's. */
static PetscErrorCode read_option(RungProblem problem, const RungStatement *s, PetscBool *set, PetscReal *value,
                                  PetscBool *good)
{
  static const char *const prefix[] = {"-", "-system_"};
  char                     option[128], text[256] = "", why[256];
  RungSourceSpan           bad;
  RungCaught               caught;

  PetscFunctionBegin;
  *set = PETSC_FALSE;
  if (problem->listed) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2 && !*set; ++i) {
    PetscCall(PetscSNPrintf(option, sizeof option, "%s%.63s", prefix[i], s->arg[0].text));
    RungCatch(&caught, RungOptionText(problem->comm, option, i ? "constant of the system" : "constant of the file",
                                      NULL, sizeof text, text, set));
    if (!caught.code) continue;
    PetscCall(RungMistakeCaught(problem, s, &caught));
    *good = *set = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(problem->changed, option, sizeof problem->changed));
  RungArithmeticText(problem, text, value, why, &bad);
  if (!why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMistake(problem, s, s->arg[0].span, "option %s %s is no number: %s", option, text, why));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names that PETSc and rung read for themselves: the constant would change when somebody asks for help. */
static PetscErrorCode check_name(RungProblem problem, const RungStatement *s, PetscBool *good)
{
  static const char *const taken[] = {"help",      "h",      "v",       "version", "info",   "malloc",
                                      "citations", "quiet",  "name",    "output",  "method", "ladder",
                                      "keep",      "memory", "display", "nox",     "step"};
  static const char *const begin[] = {"stepper_", "system_", "mesh_", "space_", "form_", "rung_", "study_",
                                      "ksp_",     "pc_",     "snes_", "mat_",   "vec_",  "log_"};
  const char *const        name    = s->arg[0].text;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(begin); ++i) {
    if (strncmp(begin[i], name, strlen(begin[i])) != 0) continue;
    PetscCall(
      RungMistake(problem, s, s->arg[0].span, "options begin with -%s; take another name for the constant", begin[i]));
    *good = PETSC_FALSE;
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(taken); ++i) {
    if (strcmp(taken[i], name) != 0) continue;
    PetscCall(RungMistake(problem, s, s->arg[0].span, "-%s is an option; take another name for the constant", name));
    *good = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < problem->constants; ++i) {
    if (strcmp(problem->constant[i].name, name) != 0) continue;
    PetscCall(
      RungMistake(problem, s, s->arg[0].span, "constant \"%s\" has a value already; take this line away", name));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's options know no case: -k would be k and K. */
static PetscErrorCode check_case(RungProblem problem, const RungStatement *s, PetscBool *good)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements && *good; ++i) {
    const char *other = RungIs(problem, i, "constant") ? problem->statement[i].arg[0].text : s->arg[0].text;

    if (!strcmp(other, s->arg[0].text) || strcasecmp(other, s->arg[0].text) != 0) continue;
    PetscCall(
      RungMistake(problem, s, s->arg[0].span,
                  "-%s is for \"%s\" and for \"%s\", since options know no case; change the values in the file, or "
                  "rename one of them",
                  s->arg[0].text, s->arg[0].text, other));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_constant(RungProblem problem, RungStatement *s)
{
  RungSourceSpan span;
  PetscReal      value = 0, given;
  PetscBool      good  = PETSC_TRUE, named, set;

  PetscFunctionBegin;
  PetscCall(check_name(problem, s, &good));
  named = good;
  PetscCall(cut_unit(problem, s, &span, &good));
  if (good) PetscCall(RungArithmetic(problem, s, span, &value, &good));
  PetscCall(read_option(problem, s, &set, &given, &good));
  if (set) PetscCall(check_case(problem, s, &good));
  if (set) value = given;
  if (problem->fixed.moves && !strcmp(s->arg[0].text, problem->fixed.said->arg[0].text)) value = problem->fixed.value;
  if (!named) problem->lost = PETSC_TRUE;
  if (!named) PetscFunctionReturn(PETSC_SUCCESS);
  if (!good) value = 1; /* the name is there: who uses it makes no mistake */
  if (problem->constants == problem->constants_room) {
    problem->constants_room = 2 * problem->constants_room + 16;
    PetscCall(PetscRealloc((size_t)problem->constants_room * sizeof *problem->constant, &problem->constant));
  }
  problem->constant[problem->constants] = (RungConstant){.value = value, .said = s, .length = set ? 0 : span.length};
  PetscCall(PetscStrncpy(problem->constant[problem->constants++].name, s->arg[0].text, 64));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of a step stands in the place of the one before the first step that has its name. */
PetscErrorCode RungConstantsRead(RungProblem problem)
{
  PetscFunctionBegin;
  problem->constants = 0;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i], *own = s;
    PetscBool      before = PETSC_FALSE; /* its value has been read in the place of the other one */

    if (!RungIs(problem, i, "constant")) continue;
    for (PetscInt k = 0; k < problem->statements; ++k) {
      RungStatement *other = &problem->statement[k];

      if (!RungIs(problem, k, "constant") || strcmp(other->arg[0].text, s->arg[0].text) != 0) continue;
      if (!s->step && other->step) own = other;
      if (s->step && !other->step) before = PETSC_TRUE;
    }
    if (!before) PetscCall(RungRead_constant(problem, own));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstantsApply(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->constants; ++i)
    PetscCall(RungSystemSetConstant(problem->sys, problem->constant[i].name, problem->constant[i].value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
