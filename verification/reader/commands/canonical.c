/* canonical.c - rung check -canonical: the file in one piece, with what it leaves to defaults; read again it is the same problem. */
#include "reader_impl.h"
#include <stdio.h>

/* A word of a line; in quotes where it has blanks. */
static void put_word(FILE *out, const char text[], PetscBool rest)
{
  (void)fprintf(out, !rest && (strpbrk(text, " #") || !text[0]) ? " \"%s\"" : " %s", text);
}

/* As the file says it, so that what is made of others follows them; a value of the command line is a number. */
static PetscErrorCode put_constant(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *unit  = strchr(s->arg[1].text, '[');
  PetscReal   value = 0;
  PetscBool   given;
  char        option[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof option, "-%.100s", s->arg[0].text));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  if (!given) {
    (void)fprintf(out, " %s\n", s->arg[1].text);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < problem->constants; ++i) {
    if (!strcmp(problem->constant[i].name, s->arg[0].text)) value = problem->constant[i].value;
  }
  (void)fprintf(out, " %.17g%s%s\n", (double)value, unit ? " " : "", unit ? unit : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A path of an included file is one beside the first. */
static PetscErrorCode put_path(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *first = strrchr(problem->file[0].path, '/'), *text = s->arg[0].text;
  char        path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungPathBeside(problem, s, text, path, sizeof path));
  if (s->file && first && !strncmp(path, problem->file[0].path, (size_t)(first + 1 - problem->file[0].path)))
    text = path + (first + 1 - problem->file[0].path);
  else if (s->file)
    text = path;
  (void)fprintf(out, " %s\n", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the last argument the rest of its line, which needs no quotes? */
static PetscBool ends_with_text(const RungStatement *s)
{
  const char *usage = s->word->usage, *last = strrchr(usage, ' ');
  PetscInt    words = usage[0] ? 1 : 0;

  for (const char *u = usage; *u; ++u) words += *u == ' ';
  last = last ? last + 1 : usage;
  return words == s->args && (strstr(last, "TEXT") || strstr(last, "LIST")) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode put_statement(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char     *usage = s->word->usage;
  const PetscBool rest  = ends_with_text(s);

  PetscFunctionBegin;
  (void)fputs(s->word->word, out);
  if (!strcmp(usage, "PATH")) {
    PetscCall(put_path(problem, s, out));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->args) put_word(out, s->arg[0].text, rest && s->args == 1 ? PETSC_TRUE : PETSC_FALSE);
  if (!strcmp(s->word->word, "constant")) {
    PetscCall(put_constant(problem, s, out));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 1; k < s->args; ++k)
    put_word(out, s->arg[k].text, rest && k == s->args - 1 ? PETSC_TRUE : PETSC_FALSE);
  if (!strcmp(s->word->word, "box") && s->args == 2) {
    PetscInt n = 1;

    for (const char *c = s->arg[1].text; *c; ++c) n += *c == ',';
    (void)fputs(n == 1 ? " 1" : n == 2 ? " 1,1" : " 1,1,1", out);
  }
  if (!strcmp(s->word->word, "points") && !s->args) (void)fputs(" 1", out);
  if (!strcmp(s->word->word, "reference") && s->args == 3) (void)fputs(" 1e-6", out);
  (void)fputc('\n', out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the step of now leaves to defaults. */
static PetscErrorCode put_defaults(RungProblem problem, FILE *out)
{
  const char *method;
  PetscReal   t0, t1, dt;
  const char *successor;
  PetscBool   found;
  PetscInt    order;

  PetscFunctionBegin;
  if (problem->fixed.said) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetMethod(problem->stepper, &method, &order));
  PetscCall(RungStepperGetInterval(problem->stepper, &t0, &t1, &dt));
  PetscCall(RungStepperGetSuccessor(problem->stepper, &successor, &found));
  if (successor)
    (void)fprintf(out, "# method: %s, and %s from where the problem is stiff\n", method, successor);
  else if (!RungHas(problem, "method"))
    (void)fprintf(out, "method %s\n", method);
  if (!RungHas(problem, "time") && found)
    (void)fprintf(out, "time %.17g %.17g\n", (double)t0, (double)t1);
  else if (!RungHas(problem, "time"))
    (void)fprintf(out, "time %.17g %.17g %.17g\n", (double)t0, (double)t1, (double)dt);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_step(RungProblem problem, PetscInt step, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (s->step == step && strcmp(s->word->word, "include") != 0) PetscCall(put_statement(problem, s, out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCanonicalPrint(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  if (problem->steps) PetscCall(RungStepEnter(problem, 0));
  PetscCall(put_step(problem, 0, out));
  if (!problem->steps) PetscCall(put_defaults(problem, out));
  for (PetscInt i = 1; i <= problem->steps; ++i) {
    RungProblem built = problem->systems ? RungMemberAt(problem, i - 1) : problem;

    if (!problem->systems) PetscCall(RungStepEnter(problem, i));
    if (!problem->systems) PetscCall(RungBuild(problem, PETSC_FALSE));
    PetscCall(put_step(built, i, out));
    PetscCall(put_defaults(built, out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
