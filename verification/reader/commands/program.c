/* program.c - rung check -c: the calls in C that statements stand for.

   Each word has its calls below as a text with arguments in it:
       $k  argument k as a string         ?k  the same, NULL where it was left out     ~k  the same, NULL for "-"
       #k  its value as a number          @k  as a whole number, 1 where it was left out
       *k  a list of numbers, (PetscReal[]){..}, ones where it was left out            &k  of whole numbers
       !k  how many these are             ^k  a place: three numbers, zeros behind those that it has
       /k  a path beside the file                                                                                     */
#include "reader_impl.h"
#include <stdio.h>

static const struct {
  const char *word, *call;
} calls[] = {
  {"box", "RungMeshSetBox(mesh, $0, !1, &1, *2)"},
  {"mesh", "RungMeshSetFile(mesh, /0)"},
  {"points", "RungMeshSetPoints(mesh, @0)"},
  {"refine", "RungMeshSetRefinement(mesh, @0)"},
  {"weight", "RungMeshSetPartWeight(mesh, $0, #1)"},
  {"constant", "RungSystemSetConstant(sys, $0, #1)"},
  {"order", "RungSystemSetLeastOrder(sys, @0)"},
  {"define", "RungSystemDefine(sys, $0, $1)"},
  {"dirichlet", "RungSystemSetDirichlet(sys, $0, $1, $2)"},
  {"hold", "RungSystemAddConstraint(sys, 1, (const char *const[]){$0}, ^1, (PetscReal[]){1}, ?2)"},
  {"periodic", "RungSystemAddPeriodic(sys, $0, $1, $2, ?3, ?4)"},
  {"tie", "RungSystemTie(sys, $0, $1, ?2, NULL)"},
  {"slip", "RungSystemSetSlip(sys, $0, $1, ?2)"},
  {"bounds", "RungSystemSetBounds(sys, $0, ~1, ~2)"},
  {"quantity", "RungSystemAddQuantity(sys, $0, $1)"},
  {"rate", "RungSystemAddRate(sys, $0, $1)"},
  {"mean", "RungSystemAddMean(sys, $0, $1)"},
  {"probe", "RungSystemAddProbe(sys, $0, $2, *1)"},
  {"reaction", "RungSystemAddWatch(sys, RUNG_REACTION, $0, $1, $2)"},
  {"max", "RungSystemAddWatch(sys, RUNG_MAXIMUM, $0, $1, NULL)"},
  {"min", "RungSystemAddWatch(sys, RUNG_MINIMUM, $0, $1, NULL)"},
  {"stop", "RungStepperAddStopTimes(stepper, !0, *0)"},
  {"number", "RungStepperAddNumber(stepper, $0, $1)"},
  {"jump", "RungStepperSetEventJump(stepper, $0, $1, $2)"},
  {"restart", "RungStepperSetRestart(stepper, /0, PETSC_FALSE)"},
};

/* Words that a run of the program does not need. */
static PetscBool is_for_readers(const char word[])
{
  static const char *const list[] = {"title",  "source",    "look",    "include", "refuse", "summary",
                                     "static", "reference", "happens", "exact",   "ladder", "expect",
                                     "option", "step",      "system",  "coupling"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    if (!strcmp(list[i], word)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungProgramString(FILE *out, const char text[])
{
  if (!text) {
    (void)fputs("NULL", out);
    return;
  }
  (void)fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
    if (*c == '"' || *c == '\\' || *c == '?')
      (void)fprintf(out, "\\%c", *c); /* ? for trigraphs */
    else if (*c == '\n')
      (void)fputs("\\n", out);
    else if (*c < 32 || *c == 127)
      (void)fprintf(out, "\\%03o", *c);
    else
      (void)fputc(*c, out);
  }
  (void)fputc('"', out);
}

static PetscErrorCode put_list(RungProblem problem, const RungStatement *s, PetscInt k, char kind, FILE *out)
{
  PetscReal value[64] = {1, 1, 1};
  PetscInt  n         = 3;
  PetscBool good      = PETSC_TRUE;

  PetscFunctionBegin;
  if (k < s->args) PetscCall(RungGetReals(problem, s, k, 64, &n, value, &good));
  if (kind == '!') {
    (void)fprintf(out, "%" PetscInt_FMT, n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (kind == '^' && n < 3) value[n++] = 0;
  (void)fputs(kind == '&' ? "(PetscInt[]){" : "(PetscReal[]){", out);
  for (PetscInt i = 0; i < n; ++i) (void)fprintf(out, "%s%.17g", i ? ", " : "", (double)value[i]);
  (void)fputc('}', out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants have the values that options gave them. */
static PetscErrorCode put_number(RungProblem problem, const RungStatement *s, PetscInt k, FILE *out)
{
  PetscReal value = 0;
  PetscBool good  = PETSC_TRUE;

  PetscFunctionBegin;
  if (!strcmp(s->word->word, "constant")) {
    for (PetscInt i = 0; i < problem->constants; ++i) {
      if (!strcmp(problem->constant[i].name, s->arg[0].text)) value = problem->constant[i].value;
    }
  } else
    PetscCall(RungGetReal(problem, s, k, &value, &good));
  (void)fprintf(out, "%.17g", (double)value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows of a call whose begin is written. */
static PetscErrorCode put_rest(RungProblem problem, const RungStatement *s, const char call[], FILE *out)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (const char *c = call; *c; ++c) {
    const PetscInt k    = c[1] - '0';
    const char    *text = k >= 0 && k < s->args ? s->arg[k].text : NULL;

    if (!strchr("$?~#@*&!^/", *c) || k < 0 || k > 9) {
      (void)fputc(*c, out);
      continue;
    }
    if (*c == '$' || *c == '?') RungProgramString(out, text);
    if (*c == '~') RungProgramString(out, text && strcmp(text, "-") ? text : NULL);
    if (*c == '@' && !text) (void)fputc('1', out);
    if (*c == '#' || (*c == '@' && text)) PetscCall(put_number(problem, s, k, out));
    if (strchr("*&!^", *c)) PetscCall(put_list(problem, s, k, *c, out));
    if (*c == '/') {
      PetscCall(RungPathBeside(problem, s, text, path, sizeof path));
      RungProgramString(out, path);
    }
    ++c;
  }
  (void)fputs(");\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_call(RungProblem problem, const RungStatement *s, const char call[], FILE *out)
{
  PetscFunctionBegin;
  (void)fputs("  PetscCall(", out);
  PetscCall(put_rest(problem, s, call, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- words with calls of their own -------------------------------------------------------------------------------- */

static PetscErrorCode put_unknown(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(put_call(problem, s, "RungSpaceCreate(mesh, $2, &space)", out));
  PetscCall(put_call(problem, s, "RungSystemAddUnknown(sys, $0, $1, space)", out));
  PetscCall(put_call(problem, s, "RungSpaceDestroy(&space)", out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_residual(RungProblem problem, const RungStatement *s, FILE *out)
{
  char *text;

  PetscFunctionBegin;
  (void)problem;
  PetscCall(RungResidualText(s, &text));
  (void)fputs("  PetscCall(RungSystemAddResidual(sys, ", out);
  RungProgramString(out, text);
  (void)fputs("));\n", out);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual for each unknown that the energy holds. */
static PetscErrorCode put_energy(RungProblem problem, const RungStatement *s, FILE *out)
{
  RungScope scope;
  RungExpr  energy;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  PetscCall(RungScopeParse(scope, "energy", s->arg[0].text, &energy));
  (void)fprintf(out, "  PetscCall(RungSystemGetScope(sys, &scope));\n");
  (void)fprintf(out, "  PetscCall(RungScopeParse(scope, \"energy %" PetscInt_FMT "\", ", s->number);
  RungProgramString(out, s->arg[0].text);
  (void)fputs(", &energy));\n", out);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const char *name = problem->statement[i].args ? problem->statement[i].arg[0].text : "";

    if (!RungIs(problem, i, "unknown")) continue;
    if (RungDerive(energy, RungName(scope, name)).node == RUNG_NO_EXPR) continue;
    (void)fputs("  PetscCall(RungSystemAddResidualExpr(sys, RungDerive(energy, RungName(scope, ", out);
    RungProgramString(out, name);
    (void)fputs("))));\n", out);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_method(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *const parameter[] = {"RungStepperSetParameter(stepper, $1, #2)",
                                   "RungStepperSetParameter(stepper, $3, #4)"};

  PetscFunctionBegin;
  PetscCall(put_call(problem, s, "RungStepperSetMethod(stepper, $0)", out));
  if (s->alpha && s->args == 3)
    PetscCall(put_call(problem, s, "RungStepperAlphaSetRadius(stepper, #2)", out));
  else if (s->alpha && s->args == 5)
    PetscCall(put_call(problem, s,
                       !strcmp(s->arg[1].text, "beta") ? "RungStepperAlphaSetNewmark(stepper, #2, #4)"
                                                       : "RungStepperAlphaSetNewmark(stepper, #4, #2)",
                       out));
  for (PetscInt i = 0; i < 2 && !s->alpha && 2 * i + 2 < s->args; ++i)
    PetscCall(put_call(problem, s, parameter[i], out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_time(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(put_call(problem, s,
                     s->args > 2 ? "RungStepperSetInterval(stepper, #0, #1, #2)"
                                 : "RungStepperSetInterval(stepper, #0, #1, PETSC_DEFAULT)",
                     out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_tolerances(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(put_call(problem, s,
                     s->args > 2   ? "RungStepperSetUnknownTolerances(stepper, $2, #0, #1)"
                     : s->args > 1 ? "RungStepperSetTolerances(stepper, #0, #1)"
                                   : "RungStepperSetTolerances(stepper, #0, PETSC_DEFAULT)",
                     out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of other data come when the system is set up. */
static PetscErrorCode put_initial(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  if (!RungIsFrom(s)) PetscCall(put_call(problem, s, "RungSystemSetInitial(sys, $0, $1)", out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_steps(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(put_call(problem, s, "RungStepperSetStepLimits(stepper, #0, #1)", out));
  if (s->args > 2) PetscCall(put_call(problem, s, "RungStepperSetMaxSteps(stepper, @2)", out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_norm(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *word = s->arg[0].text;

  PetscFunctionBegin;
  (void)problem;
  (void)fprintf(out, "  PetscCall(RungStepperSetErrorNorm(stepper, %s));\n",
                !strcmp(word, "rms")   ? "RUNG_ERROR_RMS"
                : !strcmp(word, "max") ? "RUNG_ERROR_MAX"
                                       : "RUNG_ERROR_L2");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_wrap(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *axes = s->arg[0].text;

  PetscFunctionBegin;
  (void)problem;
  (void)fprintf(out, "  PetscCall(RungMeshSetPeriodic(mesh, (PetscBool[]){%s, %s, %s}));\n",
                strchr(axes, 'x') ? "PETSC_TRUE" : "PETSC_FALSE", strchr(axes, 'y') ? "PETSC_TRUE" : "PETSC_FALSE",
                strchr(axes, 'z') ? "PETSC_TRUE" : "PETSC_FALSE");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAME, &(RungEvent){..})); */
PetscErrorCode RungProgramEvent(RungProblem problem, const RungStatement *s, FILE *out)
{
  static const char *const way[] = {"RUNG_FALLING", "RUNG_BOTH", "RUNG_RISING"};
  RungEvent                event;
  PetscBool                good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetEvent(problem, s, &event, &good));
  RungProgramString(out, s->arg[0].text);
  (void)fputs(", &(RungEvent){.text = ", out);
  RungProgramString(out, event.text);
  (void)fprintf(out, ", .direction = %s", way[event.direction + 1]);
  if (event.stop) (void)fprintf(out, ", .stop = %" PetscInt_FMT, event.stop);
  (void)fputs("}));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_event(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  (void)fputs("  PetscCall(RungStepperAddEvent(stepper, ", out);
  PetscCall(RungProgramEvent(problem, s, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown of another system, which stands in system[] in the order of the file. */
static PetscErrorCode put_couple(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *point = strchr(s->arg[1].text, '.');

  PetscFunctionBegin;
  (void)fputs("  PetscCall(RungSystemAddCoupling(sys, ", out);
  RungProgramString(out, s->arg[0].text);
  for (PetscInt i = 1; i <= problem->steps; ++i) {
    const size_t n = strlen(problem->step_name[i]);

    if ((size_t)(point - s->arg[1].text) == n && !strncmp(problem->step_name[i], s->arg[1].text, n))
      (void)fprintf(out, ", system[%" PetscInt_FMT "], ", i - 1);
  }
  RungProgramString(out, point + 1);
  (void)fputs("));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_output(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscBool fields = PETSC_FALSE, good = PETSC_TRUE; /* some output has fields of its own */
  char     *list, path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i)
    fields = fields || (RungIs(problem, i, "output") && problem->statement[i].args > 2) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungGetFile(problem, s, 0, ".pvd", path, sizeof path, &good));
  (void)fputs("  PetscCall(RungStepperAddOutput(stepper, ", out);
  RungProgramString(out, path);
  PetscCall(put_rest(problem, s, ", #1)", out));
  if (!fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetOutput(problem, s, &list, &good));
  (void)fputs("  PetscCall(RungStepperSetOutputFields(stepper, ", out);
  RungProgramString(out, list);
  (void)fputs("));\n", out);
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_table(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscBool good = PETSC_TRUE;
  char      path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungGetFile(problem, s, 0, ".csv", path, sizeof path, &good));
  (void)fputs("  PetscCall(RungStepperAddTable(stepper, ", out);
  RungProgramString(out, path);
  (void)fputs("));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_checkpoint(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscBool good = PETSC_TRUE;
  char      path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungGetFile(problem, s, 0, ".h5", path, sizeof path, &good));
  (void)fputs("  PetscCall(RungStepperSetCheckpoint(stepper, ", out);
  RungProgramString(out, path);
  PetscCall(put_rest(problem, s, ", #1)", out));
  if (s->args > 2) PetscCall(put_call(problem, s, "RungStepperSetCheckpointSeconds(stepper, #2)", out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_constraint(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscBool    good = PETSC_TRUE;
  RungNodeSum *sum;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sum));
  PetscCall(RungGetSum(problem, s, sum, &good));
  (void)fprintf(out, "  PetscCall(RungSystemAddConstraint(sys, %" PetscInt_FMT ", (const char *const[]){", sum->n);
  for (PetscInt i = 0; i < sum->n; ++i) {
    (void)fputs(i ? ", " : "", out);
    RungProgramString(out, sum->name[i]);
  }
  (void)fputs("}, (PetscReal[]){", out);
  for (PetscInt i = 0; i < 3 * sum->n; ++i) (void)fprintf(out, "%s%.17g", i ? ", " : "", (double)sum->x[i]);
  (void)fputs("}, (PetscReal[]){", out);
  for (PetscInt i = 0; i < sum->n; ++i) (void)fprintf(out, "%s%.17g", i ? ", " : "", (double)sum->coefficient[i]);
  (void)fputs("}, ", out);
  RungProgramString(out, sum->right);
  (void)fputs("));\n", out);
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* And of the constants that follow. */
static PetscErrorCode put_change(RungProblem problem, const RungStatement *s, FILE *out)
{
  RungFollower *list;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(put_call(problem, s, "RungStepperSetEventJump(stepper, $0, $1, $2)", out));
  PetscCall(RungFollowersCreate(problem, s, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const char *const word[] = {s->arg[0].text, list[i].name, list[i].text};

    (void)fputs("  PetscCall(RungStepperSetEventJump(stepper", out);
    for (int k = 0; k < 3; ++k) {
      (void)fputs(", ", out);
      RungProgramString(out, word[k]);
    }
    (void)fputs("));\n", out);
  }
  PetscCall(RungFollowersDestroy(n, &list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

/* Which of the fields that hold a statement is. */
static PetscInt field_number(RungProblem problem, const RungStatement *s)
{
  PetscInt n = 0;

  for (PetscInt i = 0; &problem->statement[i] < s; ++i) n += RungIs(problem, i, "field");
  return n;
}

/* The space of the field, then of its rates: the last one that is said. */
static PetscErrorCode put_field(RungProblem problem, const RungStatement *s, FILE *out)
{
  const char *rest = RungFieldHasSpaces(s) ? s->arg[2].text : "";
  char        word[128];

  PetscFunctionBegin;
  (void)snprintf(word, sizeof word, "%s", s->arg[1].text);
  (void)fputs("  PetscCall(add_field(mesh, sys, ", out);
  RungProgramString(out, s->arg[0].text);
  (void)fputs(", (const char *const[]){", out);
  for (int k = 0; k <= RUNG_MAX_ORDER; ++k) {
    const size_t n = strcspn(rest, " ");

    if (k && n) (void)snprintf(word, sizeof word, "%.*s", (int)n, rest);
    if (k) rest += n + strspn(rest + n, " ");
    (void)fputs(k ? ", " : "", out);
    RungProgramString(out, word);
  }
  (void)fprintf(out, "}, field[%" PetscInt_FMT "]));\n", field_number(problem, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the fields, when the system is set up. */
PetscErrorCode RungProgramFieldValues(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    char                 path[PETSC_MAX_PATH_LEN];
    const char          *text;

    if (!RungIs(problem, i, "field") || s->args < 3 || RungFieldHasSpaces(s)) continue;
    text = s->arg[2].text;
    if (!strncmp(text, "file ", 5)) {
      PetscCall(RungPathBeside(problem, s, text + 5 + strspn(text + 5, " "), path, sizeof path));
      (void)fprintf(out, "  PetscCall(RungFieldLoad(field[%" PetscInt_FMT "][0], ", field_number(problem, s));
      RungProgramString(out, path);
      (void)fputs("));\n", out);
      continue;
    }
    (void)fputs("  PetscCall(fill_field(sys, t, ", out);
    RungProgramString(out, text);
    (void)fprintf(out, ", field[%" PetscInt_FMT "][0]));\n", field_number(problem, s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *word;
  PetscErrorCode (*put)(RungProblem problem, const RungStatement *s, FILE *out);
} own[] = {{"unknown", put_unknown},       {"residual", put_residual}, {"energy", put_energy},
           {"method", put_method},         {"time", put_time},         {"steps", put_steps},
           {"tolerances", put_tolerances}, {"norm", put_norm},         {"wrap", put_wrap},
           {"checkpoint", put_checkpoint}, {"table", put_table},       {"initial", put_initial},
           {"output", put_output},         {"field", put_field},       {"constraint", put_constraint},
           {"event", put_event},           {"couple", put_couple},     {"change", put_change}};

/* ---- a program ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode put_statement(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(calls); ++i) {
    if (!strcmp(calls[i].word, s->word->word)) PetscCall(put_call(problem, s, calls[i].call, out));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); ++i) {
    if (!strcmp(own[i].word, s->word->word)) PetscCall(own[i].put(problem, s, out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungProgramHas(const RungStatement *s)
{
  PetscBool known = is_for_readers(s->word->word);

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(calls); ++i) known = known || !strcmp(calls[i].word, s->word->word);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); ++i) known = known || !strcmp(own[i].word, s->word->word);
  return known;
}

PetscErrorCode RungProgramCalls(RungProblem problem, RungPhase phase, const char word[], FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (s->word->phase == phase && RungHolds(problem, s) && (!word || RungIs(problem, i, word)))
      PetscCall(put_statement(problem, s, out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
