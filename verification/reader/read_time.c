/* read_time.c - statements of the stepper: method, interval, tolerances, and what a run writes. */
#include "reader_impl.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* rho_inf VALUE, or beta VALUE gamma VALUE. */
static PetscErrorCode set_alpha(RungProblem problem, RungStatement *s)
{
  const char *const first    = s->arg[1].text;
  const PetscBool   newmark  = !strcmp(first, "beta") || !strcmp(first, "gamma") ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt    place    = strcmp(first, "beta") ? 4 : 2;
  PetscReal         value[2] = {0, 0};
  PetscBool         good     = PETSC_TRUE;

  PetscFunctionBegin;
  if (s->args == 3 && !strcmp(first, "rho_inf")) {
    PetscCall(RungGetReal(problem, s, 2, &value[0], &good));
    if (good) RungPass(problem, s, RungStepperAlphaSetRadius(problem->stepper, value[0]));
  } else if (newmark && s->args == 5 && !strcmp(s->arg[3].text, place == 2 ? "gamma" : "beta")) {
    PetscCall(RungGetReal(problem, s, place, &value[0], &good));
    PetscCall(RungGetReal(problem, s, 6 - place, &value[1], &good));
    if (good) RungPass(problem, s, RungStepperAlphaSetNewmark(problem->stepper, value[0], value[1]));
  } else if (newmark && s->args == 3)
    PetscCall(RungMistake(problem, s, RungSpanOf(s), "beta and gamma come together"));
  else
    PetscCall(RungMistake(problem, s, s->arg[1].span, "wanted rho_inf VALUE, or beta VALUE gamma VALUE"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_parameters(RungProblem problem, RungStatement *s)
{
  RungStepperType type;

  PetscFunctionBegin;
  PetscCall(RungStepperGetType(problem->stepper, &type));
  PetscCall(PetscStrcmp(type, RUNGALPHA, &s->alpha));
  if (s->alpha && s->args > 1) {
    PetscCall(set_alpha(problem, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 1; i < s->args; i += 2) {
    PetscReal value = 0;
    PetscBool good  = PETSC_TRUE;

    if (i + 1 == s->args) {
      PetscCall(RungMistake(problem, s, s->arg[i].span, "wanted a value behind \"%s\"", s->arg[i].text));
      break;
    }
    PetscCall(RungGetReal(problem, s, i + 1, &value, &good));
    if (good) RungPass(problem, s, RungStepperSetParameter(problem->stepper, s->arg[i].text, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_method(RungProblem problem, RungStatement *s)
{
  const PetscInt before = problem->mistakes;

  PetscFunctionBegin;
  if (problem->method[0]) PetscFunctionReturn(PETSC_SUCCESS); /* a study tries another one */
  RungPass(problem, s, RungStepperSetMethod(problem->stepper, s->arg[0].text));
  if (problem->mistakes == before) PetscCall(set_parameters(problem, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_time(RungProblem problem, RungStatement *s)
{
  PetscReal value[3] = {0, 0, PETSC_DEFAULT};
  PetscBool good     = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(3, s->args); ++i) PetscCall(RungGetReal(problem, s, i, &value[i], &good));
  if (problem->dt > 0) value[2] = problem->dt;
  if (problem->group && (problem->dt > 0 || s->args > 2)) value[2] *= problem->shrink;
  problem->interval = PETSC_TRUE;
  if (good) RungPass(problem, s, RungStepperSetInterval(problem->stepper, value[0], value[1], value[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_tolerances(RungProblem problem, RungStatement *s)
{
  PetscReal rtol = 0, atol = PETSC_DEFAULT;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 0, &rtol, &good));
  if (s->args > 1) PetscCall(RungGetReal(problem, s, 1, &atol, &good));
  if (!good || problem->dt > 0) PetscFunctionReturn(PETSC_SUCCESS); /* a ladder of fixed steps */
  if (s->args > 2) {
    RungPass(problem, s, RungStepperSetUnknownTolerances(problem->stepper, s->arg[2].text, rtol, atol));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (problem->tol > 0) {
    if (s->args > 1) atol *= rtol > 0 ? problem->tol / rtol : 1;
    rtol             = problem->tol;
    problem->tol_set = PETSC_TRUE;
  }
  RungPass(problem, s, RungStepperSetTolerances(problem->stepper, rtol, atol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_steps(RungProblem problem, RungStatement *s)
{
  PetscReal least = 0, most = 0;
  PetscInt  count;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 0, &least, &good));
  PetscCall(RungGetReal(problem, s, 1, &most, &good));
  if (good && problem->dt <= 0) RungPass(problem, s, RungStepperSetStepLimits(problem->stepper, least, most));
  if (s->args < 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetInt(problem, s, 2, &count, &good));
  if (good) RungPass(problem, s, RungStepperSetMaxSteps(problem->stepper, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_stop(RungProblem problem, RungStatement *s)
{
  PetscReal t[64];
  PetscInt  n;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetReals(problem, s, 0, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(t), &n, t, &good));
  if (good) RungPass(problem, s, RungStepperAddStopTimes(problem->stepper, n, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStopsCheck(RungProblem problem)
{
  PetscReal t[64], begin, end;
  PetscInt  n;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  if (problem->group || problem->fixed.said || problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetInterval(problem->stepper, &begin, &end, NULL));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "stop")) continue;
    PetscCall(RungGetReals(problem, s, 0, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(t), &n, t, &good));
    for (PetscInt k = 0; good && k < n; ++k) {
      if (t[k] < begin || t[k] > end)
        PetscCall(RungRemark(problem, s, s->arg[0].span,
                             "the run goes from t = %.10g to %.10g, no step lands on t = %.10g", (double)begin,
                             (double)end, (double)t[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SetUp of the stepper refuses them too, by the path of their files. */
PetscErrorCode RungOutputsCheck(RungProblem problem)
{
  PetscReal begin, end, every;
  PetscBool good = PETSC_TRUE, given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_output_every", &given));
  if (problem->group || problem->fixed.said || problem->mistakes || given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetInterval(problem->stepper, &begin, &end, NULL));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "output")) continue;
    PetscCall(RungGetReal(problem, s, 1, &every, &good));
    if (good && every > 0 && !((end - begin) / every < RUNG_MOST_OUTPUTS))
      PetscCall(RungMistake(problem, s, s->arg[1].span,
                            "every %g from t = %g to %g would be written %g times, wanted fewer than %g; take a longer "
                            "period, or 0 for each step",
                            (double)every, (double)begin, (double)end, (double)((end - begin) / every),
                            RUNG_MOST_OUTPUTS));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_norm(RungProblem problem, RungStatement *s)
{
  static const char *const word[] = {"rms", "max", "l2"};
  int                      k      = 0;

  PetscFunctionBegin;
  while (k < 3 && strcmp(word[k], s->arg[0].text) != 0) ++k;
  if (k == 3)
    PetscCall(
      RungMistake(problem, s, s->arg[0].span, "\"%s\" is no norm of errors; there are rms, max, l2", s->arg[0].text));
  else
    RungPass(problem, s, RungStepperSetErrorNorm(problem->stepper, (RungErrorNormType)k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungGetFile(RungProblem problem, const RungStatement *s, PetscInt i, const char ending[], char path[],
                           size_t size, PetscBool *good)
{
  const char  *name = s->arg[i].text;
  const size_t n = strlen(name), m = strlen(ending);
  const int    plain = (int)(n > m && !strcmp(name + n - m, ending) ? n - m : n);
  char         file[320];

  PetscFunctionBegin;
  for (size_t k = 0; k < n; ++k) {
    if (isalnum((unsigned char)name[k]) || (k && strchr("._-{} ", name[k])) || name[k] == '_') continue;
    PetscCall(RungMistake(
      problem, s, s->arg[i].span,
      "\"%s\" is no plain file name; results go to a folder of their own, wanted letters, digits, _ - .", name));
    *good = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (n > 200) {
    PetscCall(RungMistake(problem, s, s->arg[i].span, "a file name of %zu letters is too long", n));
    *good = PETSC_FALSE;
  }
  if (problem->step)
    PetscCall(PetscSNPrintf(file, sizeof file, "%.*s_%.60s%s", PetscMin(plain, 200), name,
                            problem->step_name[problem->step], ending));
  else
    PetscCall(PetscSNPrintf(file, sizeof file, "%.*s%s", PetscMin(plain, 200), name, ending));
  PetscCall(RungFolderPath(problem, file, path, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One number of "0,L/2" behind another; more of the text begins at *at. */
static PetscErrorCode add_coordinate(RungProblem problem, const RungStatement *s, const char **at, RungDraft *list,
                                     PetscBool *good)
{
  const RungArgument *arg = &s->arg[s->args - 1];
  const char         *end = *at;
  PetscReal           value;
  int                 depth = 0;

  PetscFunctionBegin;
  for (; *end && (depth > 0 || !strchr(", ", *end)); ++end) depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
  PetscCall(RungArithmetic(
    problem, s, (RungSourceSpan){arg->span.begin + (PetscInt)(*at - arg->text), (PetscInt)(end - *at)}, &value, good));
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDraftAdd(list, "%.17g", (double)value));
  if (*end == ',') PetscCall(RungDraftAdd(list, ","));
  *at = *end == ',' ? end + 1 : end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "left", a name between quotes, or "0,L/2 L,L/2 101" with its arithmetic done. */
static PetscErrorCode add_place(RungProblem problem, const RungStatement *s, const char place[], RungDraft *list,
                                PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(list, " on "));
  place += strspn(place, " ");
  if (*place == '"' || !strchr(place, ' ')) {
    PetscCall(RungDraftAdd(list, "%s", place));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (const char *at = place; *at && *good;) {
    PetscCall(add_coordinate(problem, s, &at, list, good));
    if (*at != ' ') continue;
    PetscCall(RungDraftAdd(list, " "));
    at += strspn(at, " ");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGetOutput(RungProblem problem, const RungStatement *s, char **list, PetscBool *good)
{
  const char *text  = s->args > 2 ? s->arg[2].text : NULL, *place, *end;
  RungDraft   draft = {0};

  PetscFunctionBegin;
  *list = NULL;
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  end = *text == '"' ? strchr(text + 1, '"') : NULL;
  if (end && end[1] && end[1] != ' ') end = NULL; /* the quotes are those of a file in an expression */
  place = RungWriterFindPlace(end ? end + 1 : text);
  if (end)
    PetscCall(RungDraftAddBytes(&draft, (size_t)(end - text - 1), text + 1));
  else
    PetscCall(RungDraftAddBytes(&draft, place ? (size_t)(place - text) : strlen(text), text));
  if (end && !place && end[1]) {
    PetscCall(RungMistake(problem, s, RungSpanOf(s), "wanted `on PART` or `on X,.. X,.. N` behind the fields"));
    *good = PETSC_FALSE;
  }
  if (place) PetscCall(add_place(problem, s, place + 2, &draft, good));
  PetscCall(PetscStrallocpy(draft.text ? draft.text : "", list));
  PetscCall(RungDraftClear(&draft));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two series, or two tables, would be one file. */
static PetscErrorCode check_new(RungProblem problem, const RungStatement *s, PetscBool *good)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements && *good && &problem->statement[i] != s; ++i) {
    if (!RungIs(problem, i, s->word->word) || strcmp(problem->statement[i].arg[0].text, s->arg[0].text) != 0) continue;
    PetscCall(RungMistake(problem, s, s->arg[0].span, "%s \"%s\" is there already; give this one another name",
                          s->word->word, s->arg[0].text));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_rows(RungProblem problem)
{
  PetscFunctionBegin;
  if (!problem->rows) PetscCall(RungRowsCreate(problem->comm, &problem->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_output(RungProblem problem, RungStatement *s, const char path[], PetscReal every,
                                 const char list[])
{
  const char  *system;
  RungCoupling coupling = RungGroupCoupling(problem, &system);

  PetscFunctionBegin;
  if (coupling) {
    RungPass(problem, s, RungCouplingAddOutput(coupling, system, path, every, list));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (RungHasRows(problem)) {
    PetscCall(make_rows(problem));
    RungPass(problem, s, RungRowsAddOutput(problem->rows, problem->sys, path, list, every));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungPass(problem, s, RungStepperAddOutput(problem->stepper, path, every));
  RungPass(problem, s, RungStepperSetOutputFields(problem->stepper, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_quantity(RungProblem problem, const char text[])
{
  static const char *const word[] = {"quantity", "mean", "reaction", "probe", "max", "min"};

  for (PetscInt i = 0; i < problem->statements; ++i) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(word); ++k) {
      if (RungIs(problem, i, word[k]) && !strcmp(problem->statement[i].arg[0].text, text)) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The sign behind a field's name, as in "speed = 2*u" or "speed=2*u"; NULL: the text has no name. */
static const char *find_sign(const char text[])
{
  int depth = 0;

  for (const char *c = text; *c; ++c) {
    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    if (*c == '=' && c[1] == '=')
      ++c;
    else if (*c == '=' && !depth && (c == text || !strchr("<>!", c[-1])))
      return c;
  }
  return NULL;
}

/* Is what stands before `end` one word? */
static PetscBool is_word(const char text[], const char *end)
{
  while (*text == ' ') ++text;
  if (isdigit((unsigned char)*text)) return PETSC_FALSE;
  while (text < end && (isalnum((unsigned char)*text) || *text == '_')) ++text;
  while (text < end && *text == ' ') ++text;
  return text == end ? PETSC_TRUE : PETSC_FALSE;
}

/* One of an output's fields, "speed = sqrt(inner(u, u))" without its name: an expression, or a quantity. */
static PetscErrorCode check_field(RungProblem problem, const RungStatement *s, const char list[], char text[])
{
  const char    *equals = find_sign(text);
  RungSourceSpan span;
  RungScope      scope;
  RungExpr       expr;
  RungCaught     caught;
  PetscInt       rank, shape[2], arity;
  PetscBool      integral;
  int            column = 1, used = 0;

  PetscFunctionBegin;
  for (size_t n = strlen(text); n && text[n - 1] == ' '; --n) text[n - 1] = 0;
  span.begin  = s->arg[2].span.begin + (s->arg[2].text[0] == '"') + (PetscInt)(text - list);
  span.length = PetscMax(1, (PetscInt)strlen(text));
  if (!text[strspn(text, " ")] || (equals && equals == text + strspn(text, " "))) {
    PetscCall(RungMistake(problem, s, span, "a field is missing here, or its name; wanted \"u, speed = sqrt(u^2)\""));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (equals && !is_word(text, equals)) {
    span.begin += (PetscInt)strspn(text, " ");
    span.length -= (PetscInt)strspn(text, " ");
    PetscCall(RungMistake(problem, s, span,
                          "a field's name is one word of letters, digits and _; wanted \"u, speed = sqrt(u^2)\""));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (equals) span.begin += (PetscInt)(equals + 1 - text);
  if (equals) text += equals + 1 - text;
  span.begin += (PetscInt)strspn(text, " ");
  text += strspn(text, " ");
  if (!*text || is_quantity(problem, text)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  RungCatch(&caught, RungScopeParse(scope, "", text, &expr));
  if (!caught.code) {
    PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
    span.length = (PetscInt)strlen(text);
    if (integral || arity)
      PetscCall(RungMistake(problem, s, span, "\"%s\" %s; wanted a value at points", text,
                            integral ? "is an integral, which a quantity gives a name" : "holds a test function"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  caught.message[strcspn(caught.message, "\n")] = 0;
  if (sscanf(caught.message, "column %d: %n", &column, &used) < 1 || !used) column = 1;
  span.begin += column - 1;
  span.length = used ? 1 : (PetscInt)strlen(text);
  PetscCall(RungMistake(problem, s, span, "field \"%s\": %s", text, caught.message + used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands behind `on`: a part, or points of a line, of which some may lie outside of the mesh. */
static PetscErrorCode check_place(RungProblem problem, RungStatement *s, const char place[])
{
  const RungArgument *arg    = &s->arg[s->args - 1];
  const char         *said   = RungWriterFindPlace(arg->text[0] == '"' ? strchr(arg->text + 1, '"') + 1 : arg->text);
  RungSourceSpan      span   = arg->span;
  PetscInt            points = 0, outside = 0;
  RungCaught          caught;

  PetscFunctionBegin;
  if (said) {
    said += 2 + strspn(said + 2, " ");
    span = (RungSourceSpan){arg->span.begin + (PetscInt)(said - arg->text), (PetscInt)strlen(said)};
  }
  RungCatch(&caught, RungWriterCheckPlace(problem->sys, place, &points, &outside));
  if (caught.code)
    PetscCall(RungMistake(problem, s, span, "%s", caught.message));
  else if (outside)
    PetscCall(RungRemark(problem, s, span,
                         "%" PetscInt_FMT " of the %" PetscInt_FMT
                         " points along this line lie outside of the mesh and are left out",
                         outside, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields of an output, a copy of which is taken apart. */
static PetscErrorCode check_fields(RungProblem problem, const RungStatement *s, char list[])
{
  char *place = (char *)RungWriterFindPlace(list), *item = list;
  int   depth = 0;

  PetscFunctionBegin;
  if (place) *place = 0;
  for (char *c = list;; ++c) {
    const char end = *c;

    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    if (end && (end != ',' || depth)) continue;
    *c = 0;
    if (!end && item == list && !item[strspn(item, " ")]) break; /* the unknowns */
    PetscCall(check_field(problem, s, list, item));
    item = c + 1;
    if (!end) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_output(RungProblem problem, RungStatement *s)
{
  char      path[PETSC_MAX_PATH_LEN], *list, *place, *copy;
  PetscReal every;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetOutput(problem, s, &list, &good));
  PetscCall(RungGetReal(problem, s, 1, &every, &good));
  if (good && every < 0) {
    PetscCall(
      RungMistake(problem, s, s->arg[1].span, "%g, wanted a positive number, or 0 for each step", (double)every));
    good = PETSC_FALSE;
  }
  PetscCall(check_new(problem, s, &good));
  PetscCall(RungGetFile(problem, s, 0, ".pvd", path, sizeof path, &good));
  place = list ? (char *)RungWriterFindPlace(list) : NULL;
  if (good && place && problem->sys && !problem->mistakes) {
    RungCallOrUndo(check_place(problem, s, place + 2 + strspn(place + 2, " ")), PetscCall(PetscFree(list)));
    good = problem->mistakes ? PETSC_FALSE : PETSC_TRUE;
  }
  if (good && list && problem->sys && !problem->mistakes) {
    PetscCall(PetscStrallocpy(list, &copy));
    RungCallFinally(check_fields(problem, s, copy), PetscCall(PetscFree(copy)));
    good = problem->mistakes ? PETSC_FALSE : PETSC_TRUE;
  }
  if (good && problem->folder[0]) RungCallOrUndo(add_output(problem, s, path, every, list), PetscCall(PetscFree(list)));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_table(RungProblem problem, RungStatement *s)
{
  char         path[PETSC_MAX_PATH_LEN];
  const char  *system;
  RungCoupling coupling = RungGroupCoupling(problem, &system);
  PetscBool    good     = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(check_new(problem, s, &good));
  PetscCall(RungGetFile(problem, s, 0, ".csv", path, sizeof path, &good));
  if (!good || !problem->folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (coupling) {
    RungPass(problem, s, RungCouplingAddTable(coupling, system, path));
  } else if (RungHasRows(problem)) {
    PetscCall(make_rows(problem));
    RungPass(problem, s, RungRowsAddTable(problem->rows, path));
  } else {
    RungPass(problem, s, RungStepperAddTable(problem->stepper, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_checkpoint(RungProblem problem, RungStatement *s)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscInt  every;
  PetscReal seconds = 0;
  PetscBool good    = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetInt(problem, s, 1, &every, &good));
  if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &seconds, &good));
  if (good && (every < 0 || seconds < 0)) {
    PetscCall(RungMistake(problem, s, s->arg[every < 0 ? 1 : 2].span, "%s, wanted 0 or a positive number",
                          s->arg[every < 0 ? 1 : 2].text));
    good = PETSC_FALSE;
  }
  if (problem->systems && s->args > 2)
    PetscCall(RungMistake(problem, s, s->arg[2].span,
                          "checkpoints of several systems are made by windows alone; take the seconds away"));
  PetscCall(RungGetFile(problem, s, 0, ".h5", path, sizeof path, &good));
  if (!good || !problem->folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->systems) {
    RungPass(problem, s, RungCouplingSetCheckpoint(problem->coupling, path, every));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (RungHas(problem, "static"))
    PetscCall(PetscStrncpy(problem->fixed.save, path, sizeof problem->fixed.save));
  else
    RungPass(problem, s, RungStepperSetCheckpoint(problem->stepper, path, every));
  if (s->args > 2 && !RungHas(problem, "static"))
    RungPass(problem, s, RungStepperSetCheckpointSeconds(problem->stepper, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is not there is told before the run.  Of several systems each has a file of its own. */
static PetscErrorCode check_restart(RungProblem problem, const RungStatement *s, const char path[])
{
  int         why = 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  if (problem->systems) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(problem->comm, &rank));
  if (!rank && access(path, R_OK)) why = errno;
  PetscCallMPI(MPI_Bcast(&why, 1, MPI_INT, 0, problem->comm));
  if (why)
    PetscCall(RungMistake(problem, s, s->arg[0].span, "checkpoint \"%s\" cannot be read: %s", path, strerror(why)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_restart(RungProblem problem, RungStatement *s)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungPathBeside(problem, s, s->arg[0].text, path, sizeof path));
  PetscCall(check_restart(problem, s, path));
  if (problem->systems)
    RungPass(problem, s, RungCouplingSetRestart(problem->coupling, path));
  else if (RungHas(problem, "static"))
    PetscCall(PetscStrncpy(problem->fixed.load, path, sizeof problem->fixed.load));
  else
    RungPass(problem, s, RungStepperSetRestart(problem->stepper, path, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
