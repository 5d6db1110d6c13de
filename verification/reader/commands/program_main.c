/* program_main.c - rung check -c: the program in C that a problem file stands for.  A file of one step with time is a
   main(); others are a function for each step, and what goes from one to the next. */
#include "program_impl.h"

/* Times that the run looks at, which adaptive steps may end at. */
static PetscBool has_looks(RungProblem problem)
{
  return problem->times && RungHas(problem, "tolerances") ? PETSC_TRUE : PETSC_FALSE;
}

static void put_looks(RungProblem problem, FILE *out)
{
  if (!has_looks(problem)) return;
  (void)fprintf(out, "  PetscCall(RungStepperAddLookTimes(stepper, %" PetscInt_FMT ", (PetscReal[]){", problem->times);
  for (PetscInt i = 0; i < problem->times; ++i) (void)fprintf(out, "%s%.17g", i ? ", " : "", (double)problem->time[i]);
  (void)fputs("}));\n", out);
}

/* ---- what stands in front of main() ------------------------------------------------------------------------------ */

static void put_field_functions(FILE *out)
{
  (void)fprintf(out,
                "\n/* A given function of x and, as fields of their own, its rates. */\n"
                "static PetscErrorCode add_field(RungMesh mesh, RungSystem sys, const char name[], const char *const "
                "spec[], RungField field[])\n{\n  RungSpace space;\n\n  PetscFunctionBegin;\n"
                "  for (int k = 0; k < %d; ++k) {\n"
                "    PetscCall(RungSpaceCreate(mesh, spec[k], &space));\n"
                "    PetscCall(RungFieldCreate(space, name, &field[k]));\n"
                "    PetscCall(RungSpaceDestroy(&space));\n"
                "    if (k) PetscCall(RungFieldSetRate(field[k - 1], field[k]));\n  }\n"
                "  PetscCall(RungSystemAddField(sys, name, field[0]));\n"
                "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n\n"
                "static PetscErrorCode fill_field(RungSystem sys, PetscReal t, const char text[], RungField "
                "field)\n{\n  Vec u[%d];\n\n  PetscFunctionBegin;\n"
                "  for (int k = 0; k < %d; ++k) {\n    PetscCall(RungSystemCreateVec(sys, &u[k]));\n"
                "    PetscCall(VecZeroEntries(u[k]));\n  }\n"
                "  PetscCall(RungSystemInterpolate(sys, text, NULL, t, u, field));\n"
                "  for (int k = 0; k < %d; ++k) PetscCall(VecDestroy(&u[k]));\n"
                "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n",
                RUNG_MAX_ORDER + 1, RUNG_MAX_ORDER + 1, RUNG_MAX_ORDER + 1, RUNG_MAX_ORDER + 1);
}

static void put_from_function(FILE *out)
{
  (void)fprintf(
    out,
    "\n/* An unknown begins with values of a file, or of an expression of the start of the others. */\n"
    "static PetscErrorCode begin_from(RungSystem sys, PetscReal t, PetscInt number, const char path[], const char "
    "text[])\n{\n  RungTraits         traits;\n  RungSpace          space;\n  RungField          field;\n"
    "  const char        *name;\n  const PetscScalar *from;\n  PetscScalar       *to;\n"
    "  PetscInt           start, end;\n  Vec                values, u[%d];\n\n  PetscFunctionBegin;\n"
    "  PetscCall(RungSystemGetTraits(sys, &traits));\n"
    "  for (PetscInt k = 0; k < %d; ++k) {\n    PetscCall(RungSystemCreateVec(sys, &u[k]));\n"
    "    PetscCall(VecZeroEntries(u[k]));\n"
    "    if (k < PetscMax(1, traits.order)) PetscCall(RungSystemInitial(sys, t, k, u[k]));\n  }\n"
    "  PetscCall(RungSystemGetUnknown(sys, number, &name, &space));\n"
    "  PetscCall(RungFieldCreate(space, name, &field));\n"
    "  if (path) PetscCall(RungFieldLoad(field, path));\n"
    "  else PetscCall(RungSystemInterpolate(sys, text, NULL, t, u, field));\n"
    "  PetscCall(RungSystemGetRange(sys, number, &start, &end));\n"
    "  PetscCall(RungFieldGetVec(field, &values));\n"
    "  PetscCall(VecGetArrayRead(values, &from));\n  PetscCall(VecGetArray(u[0], &to));\n"
    "  PetscCall(PetscArraycpy(to + start, from, end - start));\n"
    "  PetscCall(VecRestoreArray(u[0], &to));\n  PetscCall(VecRestoreArrayRead(values, &from));\n"
    "  PetscCall(RungSystemSetInitialVec(sys, 0, u[0]));\n  PetscCall(RungFieldDestroy(&field));\n"
    "  for (PetscInt k = 0; k < %d; ++k) PetscCall(VecDestroy(&u[k]));\n"
    "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n",
    RUNG_MAX_ORDER + 1, RUNG_MAX_ORDER + 1, RUNG_MAX_ORDER + 1);
}

static void put_carry(const RungProgramNeeds *needs, FILE *out)
{
  (void)fprintf(
    out,
    "\n/* What goes from a step to the next: values, rates where there are some, sums of rates. */\n"
    "typedef struct {\n  Vec       u[2];\n  PetscReal sum[%" PetscInt_FMT "];\n} Carry;\n\n"
    "static PetscErrorCode keep(Carry *carry, PetscInt k, Vec u)\n{\n  PetscFunctionBegin;\n"
    "  PetscCall(VecDestroy(&carry->u[k]));\n"
    "  if (u) {\n    PetscCall(VecDuplicate(u, &carry->u[k]));\n    PetscCall(VecCopy(u, carry->u[k]));\n  }\n"
    "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n",
    PetscMax(1, needs->sums));
}

static void put_head(RungProblem problem, const RungProgramNeeds *needs, FILE *out)
{
  const char *slash = strrchr(problem->file[0].path, '/');

  (void)fprintf(out, "/* The problem file %s as a program: rung check -c */\n#include <rung.h>\n",
                slash ? slash + 1 : problem->file[0].path);
  if (needs->coupled) (void)fputs("#include <rungcoupling.h>\n", out);
  if (needs->fixed) (void)fputs("#include <rungfollow.h>\n", out);
  if (needs->energy) (void)fputs("#include <rungforms.h>\n", out);
  if (needs->from) (void)fputs("#include <rungline.h>\n", out);
  if (needs->steps || needs->numbers) (void)fputs("#include <rungmethod.h>\n", out);
  if (needs->from || needs->steps) (void)fputs("#include <rungrecord.h>\n", out);
  if (needs->fields) put_field_functions(out);
  if (needs->from) put_from_function(out);
  if (needs->steps) put_carry(needs, out);
  if (needs->fixed) RungProgramRecords(out);
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

/* Where the sum of a rate is carried, -1: nowhere. */
PetscInt RungProgramRate(const RungProgramNeeds *needs, const char name[])
{
  const char *at = needs->rates.text;

  for (PetscInt i = 0; i < needs->sums; ++i, at += strlen(at) + 1) {
    if (!strcmp(at, name)) return i;
  }
  return -1;
}

/* Names of the rates of the step that is built. */
static PetscErrorCode add_rates(RungProblem problem, RungProgramNeeds *needs)
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < series->quantities; ++i) {
    if (!series->rate[i] || RungProgramRate(needs, series->name[i]) >= 0) continue;
    PetscCall(RungDraftAddBytes(&needs->rates, strlen(series->name[i]) + 1, series->name[i]));
    ++needs->sums;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put_sum(RungProblem problem, const RungProgramNeeds *needs, PetscInt i, const char format[], FILE *out)
{
  const char *name = problem->series.name[i];

  (void)fputs("  PetscCall(", out);
  (void)fputs(format, out);
  RungProgramString(out, name);
  (void)fprintf(out, ", %scarry->sum[%" PetscInt_FMT "]));\n", strstr(format, "Get") ? "&" : "",
                RungProgramRate(needs, name));
}

/* ---- parts of a step --------------------------------------------------------------------------------------------- */

/* Statements of a word that hold. */
PetscInt RungProgramCount(RungProblem problem, const char word[])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < problem->statements; ++i) n += RungIs(problem, i, word);
  return n;
}

/* A text of the step that reads values from a file, which lies in another folder than that of the run. */
PetscBool RungProgramHasTable(RungProblem problem)
{
  if (!strchr(problem->file[0].path, '/')) return PETSC_FALSE;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    if (RungHolds(problem, &problem->statement[i]) && strstr(problem->statement[i].text, "table(")) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void put_locals(RungProblem problem, PetscInt fields, FILE *out)
{
  (void)fputs("  RungSpace   space;\n  RungSystem  sys;\n", out);
  if (!problem->fixed.said) (void)fputs("  RungStepper stepper;\n", out);
  if (RungHas(problem, "energy") || RungProgramHasTable(problem)) (void)fputs("  RungScope   scope;\n", out);
  if (RungHas(problem, "energy")) (void)fputs("  RungExpr    energy;\n", out);
  if (fields) (void)fprintf(out, "  RungField   field[%" PetscInt_FMT "][%d];\n", fields, RUNG_MAX_ORDER + 1);
}

/* Where the files of table() are. */
static PetscErrorCode put_folder(RungProblem problem, FILE *out)
{
  char folder[PETSC_MAX_PATH_LEN], *slash;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, problem->file[0].path, sizeof folder));
  slash = strrchr(folder, '/');
  if (!RungProgramHasTable(problem)) PetscFunctionReturn(PETSC_SUCCESS);
  *slash = 0;
  (void)fputs("  PetscCall(RungSystemGetScope(sys, &scope));\n  PetscCall(RungScopeSetFolder(scope, ", out);
  RungProgramString(out, folder[0] ? folder : "/");
  (void)fputs("));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramUnknowns(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  (void)fputs("  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));\n", out);
  PetscCall(put_folder(problem, out));
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_FIRST, "constant", out));
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_UNKNOWN, NULL, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramEquations(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_SYSTEM, NULL, out));
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_RESIDUAL, NULL, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramSystem(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(RungProgramUnknowns(problem, out));
  PetscCall(RungProgramEquations(problem, out));
  (void)fputs("\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* initial NAME from ..: behind the state of the step before, and as the others begin. */
static PetscErrorCode put_froms(RungProblem problem, FILE *out)
{
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    const char          *text, *name;
    char                 path[PETSC_MAX_PATH_LEN];

    if (!RungIs(problem, i, "initial") || !RungIsFrom(s)) continue;
    text = s->arg[1].text + 5 + strspn(s->arg[1].text + 5, " ");
    for (PetscInt f = 0; f < traits.unknowns; ++f) {
      PetscCall(RungSystemGetUnknown(problem->sys, f, &name, NULL));
      if (!strcmp(name, s->arg[0].text)) (void)fprintf(out, "  PetscCall(begin_from(sys, t, %" PetscInt_FMT ", ", f);
    }
    if (!strncmp(text, "file ", 5)) {
      PetscCall(RungPathBeside(problem, s, text + 5 + strspn(text + 5, " "), path, sizeof path));
      RungProgramString(out, path);
      (void)fputs(", NULL));\n", out);
    } else {
      (void)fputs("NULL, ", out);
      RungProgramString(out, text);
      (void)fputs("));\n", out);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungProgramHasFrom(RungProblem problem)
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    if (RungIs(problem, i, "initial") && RungIsFrom(&problem->statement[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungProgramFieldsEnd(PetscInt fields, FILE *out)
{
  if (fields)
    (void)fprintf(out,
                  "  for (int i = 0; i < %" PetscInt_FMT "; ++i) {\n    for (int k = 0; k < %d; ++k) "
                  "PetscCall(RungFieldDestroy(&field[i][k]));\n  }\n",
                  fields, RUNG_MAX_ORDER + 1);
}

/* What a state of the step before, fields and other data need of a system that is set up, or of a stepper. */
PetscErrorCode RungProgramStart(RungProblem problem, const RungProgramNeeds *needs, PetscInt fields, FILE *out)
{
  const PetscBool from = RungProgramHasFrom(problem);

  PetscFunctionBegin;
  if (fields || from || needs->steps)
    (void)fprintf(out, "  PetscCall(%s);\n",
                  problem->fixed.said ? "RungSystemSetUp(sys)" : "RungStepperSetUp(stepper)");
  if ((fields || from) && !problem->fixed.said)
    (void)fputs("  PetscCall(RungStepperGetInterval(stepper, &t, NULL, NULL));\n", out);
  PetscCall(RungProgramFieldValues(problem, out));
  if (needs->steps)
    (void)fputs("  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemSetInitialVec(sys, k, carry->u[k]));\n", out);
  PetscCall(put_froms(problem, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step with time -------------------------------------------------------------------------------------------- */

static PetscErrorCode put_transient(RungProblem problem, const RungProgramNeeds *needs, PetscInt fields, FILE *out)
{
  PetscFunctionBegin;
  PetscCall(RungProgramSystem(problem, out));
  (void)fputs("  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));\n"
              "  PetscCall(RungStepperSetSystem(stepper, sys));\n",
              out);
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_STEPPER, NULL, out));
  put_looks(problem, out);
  (void)fputs("  PetscCall(RungStepperSetFromOptions(stepper));\n", out);
  PetscCall(RungProgramStart(problem, needs, fields, out));
  for (PetscInt i = 0; needs->steps && i < problem->series.quantities; ++i) {
    if (problem->series.rate[i]) put_sum(problem, needs, i, "RungStepperSetIntegral(stepper, ", out);
  }
  (void)fputs("  PetscCall(RungStepperSolve(stepper));\n\n", out);
  if (needs->steps) {
    (void)fputs(
      "  PetscCall(RungSystemGetTraits(sys, &traits));\n"
      "  PetscCall(RungStepperGetState(stepper, 0, &state));\n"
      "  for (PetscInt k = 0; k < 2; ++k) PetscCall(keep(carry, k, k <= traits.order ? state->u[k] : NULL));\n",
      out);
    for (PetscInt i = 0; i < problem->series.quantities; ++i) {
      if (problem->series.rate[i]) put_sum(problem, needs, i, "RungStepperGetQuantity(stepper, ", out);
    }
  }
  RungProgramFieldsEnd(fields, out);
  (void)fputs("  PetscCall(RungStepperDestroy(&stepper));\n  PetscCall(RungSystemDestroy(&sys));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a program --------------------------------------------------------------------------------------------------- */

static const char *name_of(RungProblem problem)
{
  return problem->step ? problem->step_name[problem->step] : "only";
}

/* The step that is built, a function. */
static PetscErrorCode put_step(RungProblem problem, const RungProgramNeeds *needs, FILE *out)
{
  const PetscInt fields = RungProgramCount(problem, "field");

  PetscFunctionBegin;
  (void)fprintf(out, "\nstatic PetscErrorCode step_%s(RungMesh mesh, Carry *carry)\n{\n", name_of(problem));
  put_locals(problem, fields, out);
  if (fields || RungProgramHasFrom(problem)) {
    if (problem->fixed.said)
      (void)fprintf(out, "  const PetscReal t = %.17g;\n", (double)problem->fixed.t);
    else
      (void)fputs("  PetscReal   t;\n", out);
  }
  if (problem->fixed.said) {
    PetscCall(RungProgramStatic(problem, needs, fields, out));
  } else {
    (void)fputs("  RungTraits  traits;\n  const RungState *state;\n\n  PetscFunctionBegin;\n", out);
    PetscCall(put_transient(problem, needs, fields, out));
  }
  (void)fputs("  PetscFunctionReturn(PETSC_SUCCESS);\n}\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solvers' options of the file, where the command line has none. */
static void put_options(RungProblem problem, FILE *out)
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "option")) continue;
    (void)fputs("  PetscCall(PetscOptionsHasName(NULL, NULL, ", out);
    RungProgramString(out, s->arg[0].text);
    (void)fputs(", &given));\n  if (!given) PetscCall(PetscOptionsSetValue(NULL, ", out);
    RungProgramString(out, s->arg[0].text);
    (void)fputs(", ", out);
    RungProgramString(out, s->args > 1 ? s->arg[1].text : NULL);
    (void)fputs("));\n", out);
  }
}

PetscErrorCode RungProgramMesh(RungProblem problem, FILE *out)
{
  PetscFunctionBegin;
  if (RungHas(problem, "option")) (void)fputs("  PetscBool   given;\n", out);
  (void)fputs("\n  PetscCall(RungInitialize(&argc, &argv, NULL));\n", out);
  put_options(problem, out);
  (void)fputs("\n  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));\n", out);
  PetscCall(RungProgramCalls(problem, RUNG_PHASE_MESH, NULL, out));
  (void)fputs("  PetscCall(RungMeshSetFromOptions(mesh));\n\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_main(RungProblem problem, const RungProgramNeeds *needs, FILE *out)
{
  const PetscInt fields = RungProgramCount(problem, "field");

  PetscFunctionBegin;
  (void)fputs("\nint main(int argc, char **argv)\n{\n  RungMesh    mesh;\n", out);
  if (needs->steps)
    (void)fputs("  Carry       carry = {{NULL, NULL}, {0}};\n", out);
  else
    put_locals(problem, fields, out);
  if (!needs->steps && (fields || RungProgramHasFrom(problem))) (void)fputs("  PetscReal   t;\n", out);
  PetscCall(RungProgramMesh(problem, out));
  if (needs->steps) {
    for (PetscInt i = PetscMin(problem->first, problem->steps); i <= problem->steps; ++i)
      (void)fprintf(out, "  PetscCall(step_%s(mesh, &carry));\n", problem->steps ? problem->step_name[i] : "only");
    (void)fputs("  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&carry.u[k]));\n", out);
  } else {
    PetscCall(put_transient(problem, needs, fields, out));
  }
  (void)fputs("  PetscCall(RungMeshDestroy(&mesh));\n  PetscCall(RungFinalize());\n  return 0;\n}\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what a program cannot say ----------------------------------------------------------------------------------- */

static PetscErrorCode check(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungProgramHas(s))
      PetscCall(RungMistake(problem, s, RungSpanOf(s), "-c writes no calls for %s", s->word->word));
    else if (!strcmp(s->word->word, "initial") && RungIsFrom(s) && strstr(s->arg[1].text, " checkpoint "))
      PetscCall(RungMistake(problem, s, s->arg[1].span,
                            "-c writes no calls for an unknown of a checkpoint, which programs read as a whole, "
                            "RungStepperSetRestart(); save the unknown with RungFieldSave(), and begin `from file`"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Each step is built for what it needs, and built again to be printed; a file without steps is one. */
/* Of a step, or a system, that is built. */
static PetscErrorCode look_at(RungProblem built, RungProgramNeeds *needs)
{
  PetscFunctionBegin;
  needs->energy = needs->energy || RungHas(built, "energy") || RungProgramHasTable(built) ? PETSC_TRUE : PETSC_FALSE;
  needs->fields = needs->fields || RungHas(built, "field") ? PETSC_TRUE : PETSC_FALSE;
  needs->from   = needs->from || RungProgramHasFrom(built) ? PETSC_TRUE : PETSC_FALSE;
  needs->fixed  = needs->fixed || built->fixed.said ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < built->statements; ++i) {
    const RungStatement *s = &built->statement[i];

    if (RungIs(built, i, "method") && s->args > 1 && !s->alpha) needs->numbers = PETSC_TRUE;
    if (has_looks(built)) needs->numbers = PETSC_TRUE;
  }
  PetscCall(add_rates(built, needs));
  PetscCall(RungProgramCheckFollowers(built));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_steps(RungProblem problem, RungProgramNeeds *needs)
{
  PetscFunctionBegin;
  needs->steps = problem->steps ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = PetscMin(problem->first, problem->steps); i <= problem->steps && !problem->mistakes; ++i) {
    if (problem->steps) {
      PetscCall(RungStepEnter(problem, i));
      PetscCall(RungBuild(problem, PETSC_FALSE));
    }
    if (!problem->mistakes) PetscCall(look_at(problem, needs));
  }
  needs->steps = needs->steps || needs->fixed ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Systems side by side are built. */
static PetscErrorCode print_coupled(RungProblem problem, RungProgramNeeds *needs, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->members && !problem->mistakes; ++i) PetscCall(look_at(problem->member[i], needs));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  needs->coupled = PETSC_TRUE;
  put_head(problem, needs, out);
  PetscCall(RungProgramCoupled(problem, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print(RungProblem problem, RungProgramNeeds *needs, FILE *out)
{
  PetscFunctionBegin;
  if (problem->systems) {
    PetscCall(print_coupled(problem, needs, out));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(look_at_steps(problem, needs));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  put_head(problem, needs, out);
  for (PetscInt i = PetscMin(problem->first, problem->steps); needs->steps && i <= problem->steps; ++i) {
    if (problem->steps) {
      PetscCall(RungStepEnter(problem, i));
      PetscCall(RungBuild(problem, PETSC_FALSE));
    }
    PetscCall(put_step(problem, needs, out));
  }
  PetscCall(put_main(problem, needs, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramPrint(RungProblem problem, FILE *out)
{
  RungProgramNeeds needs = {0};

  PetscFunctionBegin;
  PetscCall(check(problem));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(print(problem, &needs, out), PetscCall(RungDraftClear(&needs.rates)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
