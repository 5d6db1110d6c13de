/* build.c - from statements to a mesh, a system and a stepper that are set up; all mistakes on the way are collected. */
#include "reader_impl.h"

/* Runs a call of the libraries; its error is a mistake of the statement that it names. */
static PetscErrorCode keep_error(RungProblem problem, const RungCaught *caught)
{
  PetscFunctionBegin;
  if (caught->code) PetscCall(RungMistakeCaught(problem, NULL, caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mistake of the statement of the mesh that the message names, else of the one that says what the cells are. */
static PetscErrorCode tell_of_mesh(RungProblem problem, const RungCaught *caught)
{
  const RungStatement *s;
  RungSourceSpan       span;
  char                 said[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  PetscCall(RungPlaceFind(problem, caught->message, &s, &span, said));
  if (!s || s->word->phase != RUNG_PHASE_MESH) s = &problem->statement[problem->cells - 1];
  PetscCall(RungMistakeCaught(problem, s, caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* good: it is set up. */
PetscErrorCode RungBuildMesh(RungProblem problem, PetscBool *good)
{
  const PetscInt before = problem->mistakes;
  RungCaught     caught;

  PetscFunctionBegin;
  *good = PETSC_FALSE;
  PetscCall(RungMeshCreate(problem->comm, &problem->mesh));
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_MESH));
  if (!problem->cells && !problem->lost)
    PetscCall(RungMistakeMissing(problem, "nothing says what the cells are; write box, mesh FILE or points"));
  if (!problem->cells || problem->mistakes > before) PetscFunctionReturn(PETSC_SUCCESS);
  RungCatch(&caught, RungMeshSetFromOptions(problem->mesh));
  if (!caught.code) RungCatch(&caught, RungMeshSetUp(problem->mesh));
  if (caught.code) PetscCall(tell_of_mesh(problem, &caught));
  *good = caught.code ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of facets, edges, vertices or cells, by name or number. */
static PetscErrorCode check_part(RungProblem problem, const RungStatement *s, const RungArgument *part)
{
  static const RungDomain domain[] = {RUNG_BOUNDARY, RUNG_EDGES, RUNG_VERTICES, RUNG_CELLS, RUNG_INTERIOR_FACETS};
  PetscBool               has      = PETSC_FALSE;
  const RungPlaces       *places;
  RungCaught              caught;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(domain) && !has; ++i)
    PetscCall(RungMeshHasPart(problem->mesh, domain[i], part->text, &has));
  if (has || RungIsMistaken(problem, s)) PetscFunctionReturn(PETSC_SUCCESS); /* SetUp has told of this one */
  RungCatch(&caught, RungMeshGetPlaces(problem->mesh, RUNG_BOUNDARY, part->text, &places));
  if (caught.code) PetscCall(RungMistakeCaught(problem, s, &caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_parts(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s     = &problem->statement[i];
    const PetscInt       pairs = strcmp(s->word->word, "periodic") ? 1 : 2;

    if (!RungHolds(problem, s)) continue;
    if (s->word->phase != RUNG_PHASE_SYSTEM || (pairs == 1 && !strstr(s->word->usage, " PART"))) continue;
    if (!strcmp(s->word->word, "reaction")) {
      PetscCall(check_part(problem, s, &s->arg[2]));
      continue;
    }
    for (PetscInt k = 1; k <= pairs; ++k) PetscCall(check_part(problem, s, &s->arg[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Texts that SetUp reads, each for itself: SetUp stops at the first that is wrong. */
static PetscErrorCode diagnose(RungProblem problem)
{
  RungScope  scope;
  RungExpr   expr;
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(check_parts(problem));
  if (problem->lost) PetscFunctionReturn(PETSC_SUCCESS); /* names are missing */
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  for (PetscInt i = 0; i < problem->statements && problem->mistakes < RUNG_MISTAKES; ++i) {
    RungStatement *s = &problem->statement[i];
    char          *text;

    if (!RungHolds(problem, s)) continue;
    if (!s->word->label[0] || !s->args || !strcmp(s->word->word, "energy") || !strcmp(s->word->word, "constraint"))
      continue;
    if (!strcmp(s->word->word, "reaction") || s->word->phase == RUNG_PHASE_STEPPER) continue;
    if (!strcmp(s->word->word, "initial") && RungIsFrom(s)) continue;
    if (!strcmp(s->word->word, "tie") || !strcmp(s->word->word, "bounds") || !strcmp(s->word->word, "hold")) continue;
    if (s->word->usage[strlen(s->word->usage) - 1] == ']') continue; /* a text that may be left out */
    if (!strcmp(s->word->word, "residual"))
      PetscCall(RungResidualText(s, &text));
    else
      PetscCall(PetscStrallocpy(s->arg[strcmp(s->word->word, "define") ? s->args - 1 : 0].text, &text));
    RungCatch(&caught, RungScopeParse(scope, "", text, &expr));
    PetscCall(PetscFree(text));
    if (!caught.code || (RungIsMistaken(problem, s) && !strcmp(s->word->word, "residual"))) continue;
    if (!strncmp(caught.message, "column ", 7) && strcmp(s->word->word, "define") != 0)
      PetscCall(RungMistakeCaught(problem, s, &caught));
    else
      PetscCall(RungMistakeCaught(problem, NULL, &caught));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A definition is read where something uses it; of one that nothing uses a warning tells what is wrong.  What stands in front of steps
   or systems may be for some of them. */
static PetscErrorCode check_definitions(RungProblem problem)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement       *s  = &problem->statement[i];
    const RungStatement *at = NULL;
    RungSourceSpan       span;
    RungExpr             expr;
    RungCaught           caught;
    char                 said[RUNG_MISTAKE_SIZE];

    if (!RungIs(problem, i, "define") || s->step != problem->step) continue;
    RungCatch(&caught, RungScopeParse(scope, "", s->arg[0].text, &expr));
    if (!caught.code) RungCatch(&caught, RungExprCheck(expr));
    if (!caught.code) continue;
    PetscCall(RungPlaceFind(problem, caught.message, &at, &span, said));
    if (at)
      PetscCall(RungRemark(problem, &problem->statement[at - problem->statement], span,
                           "define %s, which nothing uses so far: %s", at->arg[0].text, said));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildUnknowns(RungProblem problem)
{
  RungScope  scope;
  RungCaught caught;
  char       folder[PETSC_MAX_PATH_LEN], *slash;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(problem->comm, &problem->sys));
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  PetscCall(PetscStrncpy(folder, problem->file[0].path, sizeof folder));
  slash = strrchr(folder, '/');
  if (slash) {
    *slash = 0;
    PetscCall(RungScopeSetFolder(scope, folder[0] ? folder : "/"));
  }
  for (PetscInt i = 0; i < problem->constants; ++i) { /* those behind one that has a wrong name are there, too */
    RungCatch(&caught, RungSystemSetConstant(problem->sys, problem->constant[i].name, problem->constant[i].value));
    PetscCall(keep_error(problem, &caught));
  }
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_UNKNOWN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildEquations(RungProblem problem)
{
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_SYSTEM));
  if (!RungHas(problem, "unknown") && !problem->lost)
    PetscCall(RungMistakeMissing(problem, "there is no unknown; write unknown NAME TEST SPACE"));
  if (problem->lost || !RungHas(problem, "unknown")) PetscFunctionReturn(PETSC_SUCCESS);
  if (!RungHas(problem, "residual") && !RungHas(problem, "energy"))
    PetscCall(RungMistakeMissing(problem, "there is no equation; write residual TEXT or energy TEXT"));
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_RESIDUAL));
  if (!problem->mistakes) {
    RungCatch(&caught, RungSystemSetFromOptions(problem->sys));
    if (!caught.code) RungCatch(&caught, RungSystemSetUp(problem->sys));
    PetscCall(keep_error(problem, &caught));
  }
  PetscCall(problem->mistakes ? diagnose(problem) : check_definitions(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bare name on the command line is a constant of the file, or a word of rung: everything else is a slip of the pen. */
static PetscErrorCode check_options(RungProblem problem)
{
  const char *list[512], *nearest = NULL;
  char      **name, **value, text[512] = "";
  PetscInt    n, m = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->constants && m < 500; ++i) list[m++] = problem->constant[i].name;
  list[m++] = "output";
  list[m++] = "quiet";
  list[m++] = "step";
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !text[0]; ++i) {
    if (strchr(name[i], '_')) continue;
    PetscCall(RungSuggest(name[i], m, list, &nearest));
    PetscCall(PetscSNPrintf(text, sizeof text, "there is no option -%.100s, and no constant of that name%s%s%s",
                            name[i], nearest ? "; did you mean -" : "", nearest ? nearest : "", nearest ? "?" : ""));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  if (text[0]) PetscCall(RungMistakeInFile(problem, 0, -1, -1, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildStepper(RungProblem problem)
{
  RungStepperType type;
  const char     *method;
  PetscInt        order;
  PetscBool       monitor;
  RungCaught      caught;

  PetscFunctionBegin;
  problem->interval = PETSC_FALSE;
  PetscCall(RungStepperDestroy(&problem->stepper));
  PetscCall(RungStepperCreate(problem->comm, &problem->stepper));
  if (problem->sys) PetscCall(RungStepperSetSystem(problem->stepper, problem->sys));
  if (problem->method[0]) {
    RungCatch(&caught, RungStepperSetMethod(problem->stepper, problem->method));
    PetscCall(keep_error(problem, &caught));
  }
  if (problem->sys && !problem->mistakes) PetscCall(RungSeriesStart(problem));
  if (problem->group && problem->sys && !problem->mistakes)
    PetscCall(RungCouplingAddSystem(problem->group->coupling, problem->step_name[problem->step], problem->stepper));
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_STEPPER));
  if (problem->tol > 0 && !problem->tol_set)
    PetscCall(RungStepperSetTolerances(problem->stepper, problem->tol, PETSC_DEFAULT));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->fixed
        .said) { /* it has records of its own and is never set up: options of steppers are for other steps */
    PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_monitor", &monitor));
    PetscCall(RungStepperSetInterval(problem->stepper, problem->fixed.t, problem->fixed.t, 1));
    PetscCall(PetscSNPrintf(problem->ran, sizeof problem->ran, "static"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (problem->group ? problem->group->quiet : problem->quiet)
    PetscCall(RungStepperSetMonitor(problem->stepper, RUNG_MONITOR_NONE));
  RungCatch(&caught, RungStepperSetFromOptions(problem->stepper));
  PetscCall(keep_error(problem, &caught));
  if (!problem->interval && !problem->mistakes) {
    PetscReal t0, t1;

    PetscCall(RungStepperGetInterval(problem->stepper, &t0, &t1, NULL));
    if (!(t1 > t0))
      PetscCall(RungMistakeMissing(problem,
                                   "nothing says how long; write time START END STEP, or static where no time passes"));
  }
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOutputsCheck(problem));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  RungCatch(&caught, RungStepperSetUp(problem->stepper));
  PetscCall(keep_error(problem, &caught));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetType(problem->stepper, &type));
  PetscCall(RungStepperGetMethod(problem->stepper, &method, &order));
  PetscCall(PetscSNPrintf(problem->ran, sizeof problem->ran, "%s %s", type, method));
  problem->order = order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildForms(RungProblem problem)
{
  PetscBool meshed = PETSC_TRUE;

  PetscFunctionBegin;
  if (problem->step > 1 && problem->mesh) {
    PetscCall(RungSystemReset(problem));
  } else {
    PetscCall(RungBuildReset(problem));
    PetscCall(RungBuildMesh(problem, &meshed));
  }
  if (meshed) PetscCall(RungBuildUnknowns(problem));
  if (meshed) PetscCall(RungBuildEquations(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuildRest(RungProblem problem)
{
  PetscFunctionBegin;
  PetscCall(RungBuildStepper(problem));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungBoundsCheck(problem));
  PetscCall(RungStopsCheck(problem));
  PetscCall(RungFieldsFill(problem));
  if (problem->running) PetscCall(RungCarryGive(problem));
  PetscCall(RungInitialsFill(problem));
  PetscCall(RungPhaseRead(problem, RUNG_PHASE_OUTCOME));
  PetscCall(check_options(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBuild(RungProblem problem, PetscBool writes)
{
  PetscFunctionBegin;
  PetscCall(RungBuildForms(problem));
  if (writes && !problem->mistakes && problem->step <= problem->first) PetscCall(RungFolderMake(problem, "out"));
  RungCallOrUndo(RungBuildRest(problem), PetscCall(RungFolderDrop(problem)));
  if (problem->mistakes) PetscCall(RungFolderDrop(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
