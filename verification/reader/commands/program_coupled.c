/* program_coupled.c - rung check -c: several systems.  Each has three functions, of its unknowns, which others read,
   of its equations, and of its stepper and records; main() puts them together. */
#include "program_impl.h"

static const char *name_of(RungProblem member)
{
  return member->step_name[member->step];
}

static void put_signature(RungProblem member, const char what[], const char arguments[], FILE *out)
{
  (void)fprintf(out, "\nstatic PetscErrorCode %s_of_%s(%s", what, name_of(member), arguments);
  if (RungProgramCount(member, "field") && strcmp(what, "unknowns") != 0)
    (void)fprintf(out, ", RungField field[][%d]", RUNG_MAX_ORDER + 1);
  (void)fputs(")\n{\n", out);
}

static void put_end(FILE *out)
{
  (void)fputs("  PetscFunctionReturn(PETSC_SUCCESS);\n}\n", out);
}

/* ---- functions of a system --------------------------------------------------------------------------------------- */

static PetscErrorCode put_unknowns(RungProblem member, FILE *out)
{
  PetscFunctionBegin;
  put_signature(member, "unknowns", "RungMesh mesh, RungSystem *made", out);
  (void)fputs("  RungSpace  space;\n  RungSystem sys;\n", out);
  if (RungProgramHasTable(member)) (void)fputs("  RungScope  scope;\n", out);
  (void)fputs("\n  PetscFunctionBegin;\n", out);
  PetscCall(RungProgramUnknowns(member, out));
  (void)fputs("  *made = sys;\n", out);
  put_end(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One without dt() follows the others: order 1 at least. */
static PetscErrorCode put_equations(RungProblem member, FILE *out)
{
  PetscFunctionBegin;
  put_signature(member, "equations", "RungMesh mesh, RungSystem system[]", out);
  (void)fprintf(out, "  RungSystem sys = system[%" PetscInt_FMT "];\n", member->step - 1);
  if (RungHas(member, "energy")) (void)fputs("  RungScope  scope;\n  RungExpr   energy;\n", out);
  (void)fputs("\n  PetscFunctionBegin;\n  (void)mesh;\n  PetscCall(RungSystemSetLeastOrder(sys, 1));\n", out);
  PetscCall(RungProgramEquations(member, out));
  put_end(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "RungCouplingAddX(coupling, "SYSTEM", "; NULL of all */
static void put_begin(const char call[], RungProblem problem, FILE *out)
{
  (void)fprintf(out, "  PetscCall(%s(coupling, ", call);
  RungProgramString(out, problem->group ? name_of(problem) : NULL);
  (void)fputs(", ", out);
}

static PetscErrorCode put_output(RungProblem member, const RungStatement *s, FILE *out)
{
  PetscReal every = 0;
  PetscBool good  = PETSC_TRUE;
  char     *list, path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RungGetFile(member, s, 0, ".pvd", path, sizeof path, &good));
  PetscCall(RungGetReal(member, s, 1, &every, &good));
  PetscCall(RungGetOutput(member, s, &list, &good));
  put_begin("RungCouplingAddOutput", member, out);
  RungProgramString(out, path);
  (void)fprintf(out, ", %.17g, ", (double)every);
  RungProgramString(out, list);
  (void)fputs("));\n", out);
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a statement of a system, or of all, asks of the coupling; others nothing. */
static PetscErrorCode put_record(RungProblem problem, const RungStatement *s, FILE *out)
{
  PetscBool good = PETSC_TRUE;
  char      path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!strcmp(s->word->word, "number")) {
    put_begin("RungCouplingAddNumber", problem, out);
    RungProgramString(out, s->arg[0].text);
    (void)fputs(", ", out);
    RungProgramString(out, s->arg[1].text);
    (void)fputs("));\n", out);
  } else if (!strcmp(s->word->word, "event")) {
    put_begin("RungCouplingAddEvent", problem, out);
    PetscCall(RungProgramEvent(problem, s, out));
  } else if (!strcmp(s->word->word, "table")) {
    PetscCall(RungGetFile(problem, s, 0, ".csv", path, sizeof path, &good));
    put_begin("RungCouplingAddTable", problem, out);
    RungProgramString(out, path);
    (void)fputs("));\n", out);
  } else if (!strcmp(s->word->word, "output") && problem->group) {
    PetscCall(put_output(problem, s, out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_stepper(RungProblem member, FILE *out)
{
  static const char *const word[] = {"method", "time", "tolerances", "steps", "norm", "stop"};
  const RungProgramNeeds   needs  = {.steps = PETSC_FALSE};
  const PetscInt           fields = RungProgramCount(member, "field");

  PetscFunctionBegin;
  put_signature(member, "stepper", "RungSystem sys, RungCoupling coupling, RungStepper *made", out);
  (void)fputs("  RungStepper stepper;\n", out);
  if (fields || RungProgramHasFrom(member)) (void)fputs("  PetscReal   t;\n", out);
  (void)fputs("\n  PetscFunctionBegin;\n  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));\n"
              "  PetscCall(RungStepperSetSystem(stepper, sys));\n",
              out);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i)
    PetscCall(RungProgramCalls(member, RUNG_PHASE_STEPPER, word[i], out));
  (void)fputs("  PetscCall(RungStepperSetFromOptions(stepper));\n  PetscCall(RungCouplingAddSystem(coupling, ", out);
  RungProgramString(out, name_of(member));
  (void)fputs(", stepper));\n", out);
  for (PetscInt i = 0; i < member->statements; ++i) {
    if (RungHolds(member, &member->statement[i])) PetscCall(put_record(member, &member->statement[i], out));
  }
  PetscCall(RungProgramStart(member, &needs, fields, out));
  (void)fputs("  *made = stepper;\n", out);
  put_end(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- main() ------------------------------------------------------------------------------------------------------ */

static void put_scheme(RungProblem group, FILE *out)
{
  static const char *const scheme[] = {"EXPLICIT", "ITERATE", "LIE", "STRANG"};
  const RungGroup         *plan     = &group->plan;

  (void)fprintf(out,
                "\n  PetscCall(RungCouplingCreate(PETSC_COMM_WORLD, &coupling));\n"
                "  PetscCall(RungCouplingSetScheme(coupling, RUNG_COUPLING_%s));\n"
                "  PetscCall(RungCouplingSetWindow(coupling, %.17g));\n",
                scheme[plan->scheme], (double)plan->window);
  if (plan->scheme == RUNG_COUPLING_ITERATE)
    (void)fprintf(out, "  PetscCall(RungCouplingSetTolerance(coupling, %.17g, %" PetscInt_FMT "));\n",
                  (double)plan->tolerance, plan->most);
  for (PetscInt i = 0; i < group->constants; ++i) {
    (void)fputs("  PetscCall(RungCouplingSetConstant(coupling, ", out);
    RungProgramString(out, group->constant[i].name);
    (void)fprintf(out, ", %.17g));\n", (double)group->constant[i].value);
  }
}

/* jump and change of all systems, when all events are known. */
static void put_change(RungProblem member, const char event[], const char name[], const char text[], FILE *out)
{
  const char *const word[] = {event, name_of(member), name, text};

  (void)fputs("  PetscCall(RungCouplingSetEventChange(coupling", out);
  for (int i = 0; i < 4; ++i) {
    (void)fputs(", ", out);
    RungProgramString(out, word[i]);
  }
  (void)fputs("));\n", out);
}

static PetscErrorCode put_changes(RungProblem group, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < group->members; ++k) {
    for (PetscInt i = 0; i < group->statements; ++i) {
      const RungStatement *s = &group->statement[i];
      RungFollower        *list;
      PetscInt             n;

      if (!RungIs(group->member[k], i, "jump") && !RungIs(group->member[k], i, "change")) continue;
      put_change(group->member[k], s->arg[0].text, s->arg[1].text, s->arg[2].text, out);
      PetscCall(RungFollowersCreate(group->member[k], s, &n, &list));
      for (PetscInt f = 0; f < n; ++f) put_change(group->member[k], s->arg[0].text, list[f].name, list[f].text, out);
      PetscCall(RungFollowersDestroy(n, &list));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* checkpoint and restart of all systems. */
static PetscErrorCode put_files(RungProblem group, FILE *out)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscInt  every = 0;
  PetscBool good  = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->statements; ++i) {
    const RungStatement *s = &group->statement[i];

    if (RungIs(group, i, "checkpoint")) {
      PetscCall(RungGetFile(group, s, 0, ".h5", path, sizeof path, &good));
      PetscCall(RungGetInt(group, s, 1, &every, &good));
      (void)fputs("  PetscCall(RungCouplingSetCheckpoint(coupling, ", out);
      RungProgramString(out, path);
      (void)fprintf(out, ", %" PetscInt_FMT "));\n", every);
    }
    if (RungIs(group, i, "restart")) {
      PetscCall(RungPathBeside(group, s, s->arg[0].text, path, sizeof path));
      (void)fputs("  PetscCall(RungCouplingSetRestart(coupling, ", out);
      RungProgramString(out, path);
      (void)fputs("));\n", out);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of all systems together, in the order of the reader: what makes values first. */
static PetscErrorCode put_joint(RungProblem group, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->statements; ++i) {
    const RungStatement *s = &group->statement[i];

    if (s->joint || (!s->step && !strcmp(s->word->word, "table"))) PetscCall(put_record(group, s, out));
  }
  PetscCall(put_changes(group, out));
  PetscCall(put_files(group, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A call of a function of each system. */
static void put_each(RungProblem group, const char what[], const char arguments[], FILE *out)
{
  for (PetscInt k = 0; k < group->members; ++k) {
    const char *name = name_of(group->member[k]);

    (void)fprintf(out, "  PetscCall(%s_of_%s(", what, name);
    for (const char *c = arguments; *c; ++c) {
      if (*c == '#')
        (void)fprintf(out, "[%" PetscInt_FMT "]", k);
      else
        (void)fputc(*c, out);
    }
    if (RungProgramCount(group->member[k], "field") && strcmp(what, "unknowns") != 0)
      (void)fprintf(out, ", field_of_%s", name);
    (void)fputs("));\n", out);
  }
}

static PetscErrorCode put_main(RungProblem group, FILE *out)
{
  PetscFunctionBegin;
  (void)fprintf(out,
                "\nint main(int argc, char **argv)\n{\n  RungMesh     mesh;\n  RungSystem   system[%" PetscInt_FMT
                "];\n  RungStepper  stepper[%" PetscInt_FMT "];\n  RungCoupling coupling;\n",
                group->members, group->members);
  for (PetscInt k = 0; k < group->members; ++k) {
    const PetscInt fields = RungProgramCount(group->member[k], "field");

    if (fields)
      (void)fprintf(out, "  RungField    field_of_%s[%" PetscInt_FMT "][%d];\n", name_of(group->member[k]), fields,
                    RUNG_MAX_ORDER + 1);
  }
  PetscCall(RungProgramMesh(group, out));
  put_each(group, "unknowns", "mesh, &system#", out);
  put_each(group, "equations", "mesh, system", out);
  put_scheme(group, out);
  put_each(group, "stepper", "system#, coupling, &stepper#", out);
  PetscCall(put_joint(group, out));
  (void)fputs("  PetscCall(RungCouplingSolve(coupling));\n\n  PetscCall(RungCouplingDestroy(&coupling));\n", out);
  for (PetscInt k = 0; k < group->members; ++k) {
    const PetscInt fields = RungProgramCount(group->member[k], "field");

    if (fields)
      (void)fprintf(out,
                    "  for (int i = 0; i < %" PetscInt_FMT "; ++i) {\n    for (int k = 0; k < %d; ++k) "
                    "PetscCall(RungFieldDestroy(&field_of_%s[i][k]));\n  }\n",
                    fields, RUNG_MAX_ORDER + 1, name_of(group->member[k]));
  }
  (void)fprintf(out,
                "  for (int i = 0; i < %" PetscInt_FMT "; ++i) {\n    PetscCall(RungStepperDestroy(&stepper[i]));\n"
                "    PetscCall(RungSystemDestroy(&system[i]));\n  }\n"
                "  PetscCall(RungMeshDestroy(&mesh));\n  PetscCall(RungFinalize());\n  return 0;\n}\n",
                group->members);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgramCoupled(RungProblem group, FILE *out)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < group->members; ++k) {
    PetscCall(put_unknowns(group->member[k], out));
    PetscCall(put_equations(group->member[k], out));
    PetscCall(put_stepper(group->member[k], out));
  }
  PetscCall(put_main(group, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
