/* program_static.c - rung check -c: a step without time, the callbacks of RungSystemFollow(), its tables and series. */
#include "program_impl.h"

/* The callbacks of RungSystemFollow(). */
void RungProgramRecords(FILE *out)
{
  (void)fputs(
    "\n/* A step without time: the constant that goes, and what is written of each solution. */\n"
    "typedef struct {\n  RungSystem       sys;\n  const char      *constant;\n"
    "  PetscInt         quantities, numbers, tables, outputs;\n"
    "  const int       *sum; /* [quantities] place of a rate's sum, -1: it is none */\n"
    "  const Carry     *carry;\n  RungGauge       *number;\n  PetscReal       *value; /* [quantities + numbers] */\n"
    "  FILE           **table;\n  RungWriter      *output;\n} Records;\n\n"
    "static PetscErrorCode set(PetscReal value, void *ctx)\n{\n  Records *r = ctx;\n\n  PetscFunctionBegin;\n"
    "  PetscCall(RungSystemSetConstant(r->sys, r->constant, value));\n"
    "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n\n"
    "static PetscErrorCode found(PetscReal value, const RungState *state, void *ctx)\n{\n  Records *r = ctx;\n\n"
    "  PetscFunctionBegin;\n"
    "  PetscCall(RungSystemEvaluateQuantities(r->sys, state->t, state->u, r->value));\n"
    "  for (PetscInt i = 0; i < r->quantities; ++i) {\n"
    "    if (r->sum[i] >= 0) r->value[i] = r->carry->sum[r->sum[i]];\n  }\n"
    "  for (PetscInt i = 0; i < r->numbers; ++i)\n"
    "    PetscCall(RungGaugeEvaluate(r->number[i], state->t, r->value, &r->value[r->quantities + i]));\n"
    "  for (PetscInt k = 0; k < r->tables; ++k) {\n"
    "    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, r->table[k], \"%.15g\", (double)state->t));\n"
    "    if (r->constant) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, r->table[k], \",%.15g\", (double)value));\n"
    "    for (PetscInt i = 0; i < r->quantities + r->numbers; ++i)\n"
    "      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, r->table[k], \",%.15g\", (double)r->value[i]));\n"
    "    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, r->table[k], \"\\n\"));\n  }\n"
    "  for (PetscInt k = 0; k < r->outputs; ++k) {\n"
    "    PetscCall(RungWriterWrite(r->output[k], r->constant ? value : state->t, state->u));\n  }\n"
    "  PetscFunctionReturn(PETSC_SUCCESS);\n}\n",
    out);
}

/* That goes in the step; NULL: none does, it is one solution. */
static const char *constant_of(RungProblem problem)
{
  return problem->fixed.said->args ? problem->fixed.said->arg[0].text : NULL;
}

/* t,CONSTANT,quantity,..,number,.. */
static PetscErrorCode put_table_head(RungProblem problem, FILE *out)
{
  const RungSeries *series = &problem->series;
  RungDraft         head   = {0};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(&head, "t"));
  if (constant_of(problem)) PetscCall(RungDraftAdd(&head, ","));
  if (constant_of(problem)) PetscCall(RungDraftAddName(&head, RUNG_CSV, constant_of(problem)));
  for (PetscInt i = 0; i < series->n; ++i) {
    PetscCall(RungDraftAdd(&head, ","));
    PetscCall(RungDraftAddName(&head, RUNG_CSV, series->name[i]));
  }
  PetscCall(RungDraftAdd(&head, "\n"));
  RungProgramString(out, head.text);
  PetscCall(RungDraftClear(&head));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables and series of a step without time: opened, or closed. */
static PetscErrorCode put_files(RungProblem problem, PetscBool open, FILE *out)
{
  PetscInt tables = 0, outputs = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s     = &problem->statement[i];
    const PetscBool      table = RungIs(problem, i, "table"), output = RungIs(problem, i, "output");
    const PetscInt       k    = table ? tables++ : output ? outputs++ : 0;
    PetscBool            good = PETSC_TRUE;
    char                 path[PETSC_MAX_PATH_LEN], *list;

    if (!table && !output) continue;
    if (!open) {
      (void)fprintf(out,
                    table ? "  PetscCall(PetscFClose(PETSC_COMM_WORLD, table[%" PetscInt_FMT "]));\n"
                          : "  PetscCall(RungWriterDestroy(&output[%" PetscInt_FMT "]));\n",
                    k);
      continue;
    }
    PetscCall(RungGetFile(problem, s, 0, table ? ".csv" : ".pvd", path, sizeof path, &good));
    (void)fputs(table ? "  PetscCall(PetscFOpen(PETSC_COMM_WORLD, " : "  PetscCall(RungWriterCreate(sys, ", out);
    RungProgramString(out, path);
    (void)fprintf(out, table ? ", \"w\", &table[%" PetscInt_FMT "]));\n" : ", &output[%" PetscInt_FMT "]));\n", k);
    if (table) {
      (void)fprintf(out, "  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, table[%" PetscInt_FMT "], \"%%s\", ", k);
      PetscCall(put_table_head(problem, out));
      (void)fputs("));\n", out);
      continue;
    }
    PetscCall(RungGetOutput(problem, s, &list, &good));
    if (list) {
      (void)fprintf(out, "  PetscCall(RungWriterSetFields(output[%" PetscInt_FMT "], ", k);
      RungProgramString(out, list);
      (void)fputs("));\n", out);
    }
    PetscCall(PetscFree(list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of the step: texts, and the names of those before each. */
static PetscErrorCode put_numbers(RungProblem problem, FILE *out)
{
  const RungSeries *series = &problem->series;
  PetscInt          n      = 0;

  PetscFunctionBegin;
  if (!series->numbers) PetscFunctionReturn(PETSC_SUCCESS);
  (void)fputs("  const char *const name[] = {", out);
  for (PetscInt i = 0; i < series->numbers; ++i) {
    if (i) (void)fputs(", ", out);
    RungProgramString(out, series->name[series->quantities + i]);
  }
  (void)fputs("};\n", out);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "number")) continue;
    (void)fputs("  PetscCall(RungGaugeCreate(sys, \"number\", ", out);
    RungProgramString(out, s->arg[1].text);
    (void)fprintf(out, ", %" PetscInt_FMT ", name, &number[%" PetscInt_FMT "]));\n", n, n);
    ++n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_way(RungProblem problem, FILE *out)
{
  const RungStatic *fixed = &problem->fixed;
  PetscBool         good  = PETSC_TRUE;
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  (void)fputs("  PetscCall(RungSystemFollow(sys, &(RungFollowPlan){.name = ", out);
  RungProgramString(out, constant_of(problem));
  (void)fprintf(out, ", .t = %.17g, .from = %.17g, .to = %.17g, .step = %.17g,\n", (double)fixed->t,
                (double)fixed->from, (double)fixed->to, (double)fixed->step);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "checkpoint") && !RungIs(problem, i, "restart")) continue;
    if (RungIs(problem, i, "checkpoint"))
      PetscCall(RungGetFile(problem, s, 0, ".h5", path, sizeof path, &good));
    else
      PetscCall(RungPathBeside(problem, s, s->arg[0].text, path, sizeof path));
    (void)fprintf(out, "    .%s = ", RungIs(problem, i, "checkpoint") ? "save" : "load");
    RungProgramString(out, path);
    (void)fputs(",\n", out);
  }
  (void)fputs("    .set = set, .found = found, .ctx = &records}, u));\n\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramStatic(RungProblem problem, const RungProgramNeeds *needs, PetscInt fields, FILE *out)
{
  const RungSeries *series = &problem->series;
  const PetscInt    tables = RungProgramCount(problem, "table"), outputs = RungProgramCount(problem, "output");

  PetscFunctionBegin;
  (void)fprintf(out, "  const int   sum[%" PetscInt_FMT "] = {", PetscMax(1, series->quantities));
  for (PetscInt i = 0; i < series->quantities; ++i)
    (void)fprintf(out, "%s%" PetscInt_FMT, i ? ", " : "",
                  series->rate[i] ? RungProgramRate(needs, series->name[i]) : -1);
  (void)fprintf(out,
                "};\n  PetscReal   value[%" PetscInt_FMT "];\n  RungGauge   number[%" PetscInt_FMT
                "];\n  FILE       *table[%" PetscInt_FMT "];\n  RungWriter  output[%" PetscInt_FMT
                "];\n  Records     records;\n  Vec         u;\n\n  PetscFunctionBegin;\n",
                PetscMax(1, series->n), PetscMax(1, series->numbers), PetscMax(1, tables), PetscMax(1, outputs));
  PetscCall(RungProgramSystem(problem, out));
  (void)fputs("  PetscCall(RungSystemSetFromOptions(sys));\n", out);
  PetscCall(RungProgramStart(problem, needs, fields, out));
  PetscCall(put_numbers(problem, out));
  PetscCall(put_files(problem, PETSC_TRUE, out));
  (void)fputs("  records = (Records){sys, ", out);
  RungProgramString(out, constant_of(problem));
  (void)fprintf(out,
                ", %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                ", sum, carry, number, value, table, output};\n"
                "  PetscCall(RungSystemCreateVec(sys, &u));\n",
                series->quantities, series->numbers, tables, outputs);
  PetscCall(put_way(problem, out));
  (void)fputs("  PetscCall(keep(carry, 0, u));\n  PetscCall(keep(carry, 1, NULL));\n  PetscCall(VecDestroy(&u));\n",
              out);
  PetscCall(put_files(problem, PETSC_FALSE, out));
  for (PetscInt i = 0; i < series->numbers; ++i)
    (void)fprintf(out, "  PetscCall(RungGaugeDestroy(&number[%" PetscInt_FMT "]));\n", i);
  RungProgramFieldsEnd(fields, out);
  (void)fputs("  PetscCall(RungSystemDestroy(&sys));\n", out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what a program cannot say ---------------------------------------------------------------------------------------- */

/* A constant that is made of the one that goes follows it in a file; the set() of a program would have to compute it. */
PetscErrorCode RungProgramCheckFollowers(RungProblem problem)
{
  const RungStatic *fixed = &problem->fixed;
  PetscReal        *value;

  PetscFunctionBegin;
  if (!fixed->said || !fixed->said->args) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(problem->constants, &value));
  for (PetscInt i = 0; i < problem->constants; ++i) value[i] = problem->constant[i].value;
  problem->fixed.moves = PETSC_TRUE;
  problem->fixed.value = 0.618 * fixed->from + 0.382 * fixed->to + 0.1;
  PetscCall(RungConstantsRead(problem));
  for (PetscInt i = 0; i < problem->constants; ++i) {
    if (problem->constant[i].value == value[i] || !strcmp(problem->constant[i].name, fixed->said->arg[0].text))
      continue;
    PetscCall(
      RungMistake(problem, fixed->said, fixed->said->arg[0].span,
                  "-c writes no program in which \"%s\" follows \"%s\" on its way; write `define %s ..` with the "
                  "same text, which follows by itself",
                  problem->constant[i].name, fixed->said->arg[0].text, problem->constant[i].name));
  }
  problem->fixed.moves = PETSC_FALSE;
  PetscCall(RungConstantsRead(problem));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
