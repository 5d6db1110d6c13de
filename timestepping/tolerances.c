/* tolerances.c - what the app and the command line say of tolerances, and to which unknowns it belongs. */
#include "step_impl.h"

#include <ctype.h>
#include <rungtext_room.h>

/* What a tolerance may belong to. */
typedef struct {
  char     name[RUNG_TARGET_SIZE], option[RUNG_TARGET_SIZE]; /* "dt(u)[0,1]", "dt_u_0_1"                           */
  PetscInt f, k, c;                                          /* c = -1: all components                             */
} Target;

typedef struct {
  PetscInt n;
  Target  *target; /* owned, [n] */
} Targets;

/* ---- setters ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_new(RungStepper stepper, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "%s after the stepper was set up; call it before", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_numbers(RungStepper stepper, PetscReal rtol, PetscReal atol)
{
  PetscFunctionBegin;
  PetscCheck(rtol >= 0 && !PetscIsInfOrNanReal(rtol) && (rtol == 0 || rtol >= 10 * PETSC_MACHINE_EPSILON),
             stepper->comm, PETSC_ERR_ARG_OUTOFRANGE, "rtol is %g, wanted 0 or a number of at least %.1e", (double)rtol,
             (double)(10 * PETSC_MACHINE_EPSILON));
  PetscCheck(atol >= 0 && !PetscIsInfOrNanReal(atol), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "atol is %g, wanted 0 or a positive number", (double)atol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetTolerances(RungStepper stepper, PetscReal rtol, PetscReal atol)
{
  const PetscBool automatic = atol == PETSC_DEFAULT ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetTolerances"));
  PetscCall(check_numbers(stepper, rtol, automatic ? 0 : atol));
  PetscCheck(rtol > 0 || atol > 0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "rtol and atol are both 0, and no step is that good; set one of them");
  stepper->rtol     = rtol;
  stepper->atol     = automatic ? RUNG_AUTOMATIC : atol;
  stepper->adaptive = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetUnknownTolerances(RungStepper stepper, const char unknown[], PetscReal rtol,
                                               PetscReal atol)
{
  RungNeed(stepper);
  RungToleranceLink made, *end = &stepper->tolerances;
  size_t            n = 0;

  PetscFunctionBegin;
  PetscCall(check_new(stepper, "RungStepperSetUnknownTolerances"));
  PetscCall(check_numbers(stepper, rtol == PETSC_DEFAULT ? 0 : rtol, atol == PETSC_DEFAULT ? 0 : atol));
  PetscCheck(unknown && strlen(unknown) < RUNG_TARGET_SIZE, stepper->comm, PETSC_ERR_ARG_WRONG,
             "tolerances without an unknown's name; wanted one like \"p\", \"u[1]\" or \"dt(u)\"");
  PetscCall(PetscNew(&made));
  for (const char *p = unknown; *p; ++p) {
    if (!isspace((unsigned char)*p)) made->name[n++] = *p;
  }
  made->rtol = rtol == PETSC_DEFAULT ? RUNG_AUTOMATIC : rtol;
  made->atol = atol == PETSC_DEFAULT ? RUNG_AUTOMATIC : atol;
  while (*end) end = &(*end)->link;
  *end              = made;
  stepper->adaptive = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_entry(RungStepper stepper, PetscInt i, PetscReal value, PetscBool good)
{
  PetscFunctionBegin;
  RungCheckAll(good, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "atol of local entry %" PetscInt_FMT " is %g, wanted 0 or a positive number", i, (double)value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_entries(RungStepper stepper, Vec atol)
{
  const PetscScalar *a;
  PetscInt           n, i = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(atol, &n));
  PetscCall(VecGetArrayRead(atol, &a));
  while (i < n && PetscRealPart(a[i]) >= 0 && isfinite(PetscRealPart(a[i]))) ++i;
  RungCallFinally(check_entry(stepper, i, i < n ? PetscRealPart(a[i]) : 0, (PetscBool)(i == n)),
                  PetscCall(VecRestoreArrayRead(atol, &a)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetEntryTolerances(RungStepper stepper, Vec atol)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(atol);
  PetscCall(check_new(stepper, "RungStepperSetEntryTolerances"));
  PetscCall(check_entries(stepper, atol));
  PetscCall(VecDestroy(&stepper->entry_atol));
  PetscCall(VecDuplicate(atol, &stepper->entry_atol));
  PetscCall(VecCopy(atol, stepper->entry_atol));
  stepper->adaptive = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetErrorNorm(RungStepper stepper, RungErrorNormType norm)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetErrorNorm"));
  PetscCheck(norm == RUNG_ERROR_RMS || norm == RUNG_ERROR_MAX || norm == RUNG_ERROR_L2, stepper->comm,
             PETSC_ERR_ARG_OUTOFRANGE, "error norm %d, wanted RUNG_ERROR_RMS, RUNG_ERROR_MAX or RUNG_ERROR_L2",
             (int)norm);
  stepper->norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTolerancesDrop(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&stepper->entry_atol));
  while (stepper->tolerances) {
    RungToleranceLink next = stepper->tolerances->link;

    PetscCall(PetscFree(stepper->tolerances));
    stepper->tolerances = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* "u[0,1]" -> "u_0_1" */
static void make_option(Target *target)
{
  char *to = target->option;

  for (const char *p = target->name; *p; ++p) {
    if (*p == '(' || *p == '[' || *p == ',')
      *to++ = '_';
    else if (*p != ')' && *p != ']')
      *to++ = *p;
  }
  *to = 0;
}

/* c = -1: u_f^(k) as a whole */
static PetscErrorCode add_target(RungStepper stepper, PetscInt f, PetscInt k, PetscInt c, Targets *targets)
{
  Target *target = &targets->target[targets->n++];
  char    name[RUNG_TARGET_SIZE - 8];
  size_t  whole;

  PetscFunctionBegin;
  target->f = f;
  target->k = k;
  target->c = c;
  PetscCall(RungSystemDescribeComponent(stepper->sys, f, PetscMax(0, c), name, sizeof name));
  whole = strcspn(name, "[");
  PetscCall(PetscSNPrintf(target->name, sizeof target->name, "%s%.*s%s%s", k ? "dt(" : "", (int)whole, name,
                          k ? ")" : "", c < 0 ? "" : name + whole));
  make_option(target);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All names, those of whole unknowns first: a component may differ from the rest.  all: rates of all unknowns too, as long
   as nobody knows their orders. */
static PetscErrorCode list_targets(RungStepper stepper, PetscBool all, Targets *targets)
{
  const PetscInt *order = stepper->traits.unknown_order;
  PetscInt        n     = 0, unknowns, components[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(stepper->sys, &unknowns));
  for (PetscInt f = 0; f < unknowns; ++f) {
    PetscCall(RungSystemGetComponents(stepper->sys, f, &components[f], NULL));
    n += 2 * (1 + components[f]);
  }
  PetscCall(PetscMalloc1(n, &targets->target));
  for (PetscInt whole = 1; whole >= 0; --whole) {
    for (PetscInt f = 0; f < unknowns; ++f) {
      for (PetscInt k = 0; k < (all || order[f] == 2 ? 2 : 1); ++k) {
        if (whole) PetscCall(add_target(stepper, f, k, -1, targets));
        for (PetscInt c = 0; !whole && components[f] > 1 && c < components[f]; ++c)
          PetscCall(add_target(stepper, f, k, c, targets));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set(RungStepper stepper, const Target *target, PetscReal rtol, PetscReal atol)
{
  PetscInt components;

  PetscFunctionBegin;
  PetscCall(RungSystemGetComponents(stepper->sys, target->f, &components, NULL));
  for (PetscInt c = 0; c < components; ++c) {
    if (target->c < 0 || target->c == c)
      PetscCall(RungWeightsSet(stepper->weights, target->f, target->k, c, rtol, atol));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_name(RungStepper stepper, const Targets *targets, const char name[])
{
  const char **names, *nearest = NULL;
  char         hint[RUNG_TARGET_SIZE + 32] = "";

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(targets->n, &names));
  for (PetscInt i = 0; i < targets->n; ++i) names[i] = targets->target[i].name;
  PetscCall(RungSuggest(name, targets->n, names, &nearest));
  if (nearest) PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"", nearest));
  PetscCall(PetscFree(names));
  SETERRQ(stepper->comm, PETSC_ERR_ARG_WRONG,
          "tolerances of \"%s\", which is no unknown%s; wanted a name, name[i], or dt(name) of one of order 2 in time",
          name, hint);
}

static PetscErrorCode apply_calls(RungStepper stepper, const Targets *targets)
{
  PetscFunctionBegin;
  for (RungToleranceLink link = stepper->tolerances; link; link = link->link) {
    PetscInt i = 0;

    while (i < targets->n && strcmp(link->name, targets->target[i].name) != 0) ++i;
    if (i == targets->n) PetscCall(refuse_name(stepper, targets, link->name));
    PetscCall(set(stepper, &targets->target[i], link->rtol, link->atol));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* -stepper_rtol_NAME, or -stepper_atol_NAME; PETSC_DEFAULT where it is not given. */
static PetscErrorCode read_one(RungStepper stepper, const Targets *targets, PetscInt i, const char kind[],
                               PetscReal *value)
{
  const Target *target = &targets->target[i];
  char          option[RUNG_TARGET_SIZE + 16], about[RUNG_TARGET_SIZE + 16];
  PetscBool     given;

  PetscFunctionBegin;
  *value = strcmp(kind, "rtol") ? PetscMax(0, stepper->atol) : stepper->rtol; /* what -help shows */
  PetscCall(PetscSNPrintf(option, sizeof option, "-stepper_%s_%s", kind, target->option));
  PetscCall(PetscSNPrintf(about, sizeof about, "%s of %s", kind, target->name));
  PetscCall(RungOptionRealIn(stepper->comm, option, about,
                             strcmp(kind, "rtol") ? "at least 0" : "at least 0 and below 1", value, &given));
  if (!given) *value = PETSC_DEFAULT;
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < targets->n; ++j) {
    PetscCheck(j == i || strcmp(targets->target[j].option, target->option) != 0, stepper->comm, PETSC_ERR_ARG_INCOMP,
               "%s may mean \"%s\" or \"%s\"; say it by RungStepperSetUnknownTolerances, or rename the unknown", option,
               target->name, targets->target[j].name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_all(RungStepper stepper, Targets *targets)
{
  PetscFunctionBegin;
  PetscCall(list_targets(stepper, PETSC_TRUE, targets));
  for (PetscInt i = 0; i < targets->n; ++i) {
    PetscReal rtol, atol;

    PetscCall(read_one(stepper, targets, i, "rtol", &rtol));
    PetscCall(read_one(stepper, targets, i, "atol", &atol));
    if (rtol == PETSC_DEFAULT && atol == PETSC_DEFAULT) continue;
    PetscCall(RungStepperSetUnknownTolerances(stepper, targets->target[i].name, rtol, atol));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the system is set up: which of the rates have tolerances is not known yet. */
PetscErrorCode RungTolerancesReadOptions(RungStepper stepper)
{
  Targets targets = {0, NULL};

  PetscFunctionBegin;
  if (!stepper->from_options || !stepper->sys) PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(read_all(stepper, &targets), PetscCall(PetscFree(targets.target)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

/* An entry without any tolerance would refuse every step. */
static PetscErrorCode check_all(RungStepper stepper, const Targets *targets)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; stepper->adaptive && i < targets->n; ++i) {
    const Target *target = &targets->target[i];
    PetscReal     rtol, atol;

    PetscCall(RungWeightsGiven(stepper->weights, target->f, target->k, PetscMax(0, target->c), &rtol, &atol));
    PetscCheck(rtol > 0 || atol > 0, stepper->comm, PETSC_ERR_ARG_INCOMP,
               "\"%s\" has no tolerance; give it one by -stepper_rtol, or -stepper_rtol_%s or -stepper_atol_%s",
               target->name, target->option, target->option);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In front of what is said of single unknowns, which wins. */
static PetscErrorCode apply_entries(RungStepper stepper)
{
  Vec       u;
  PetscReal least;
  PetscInt  n, wanted;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(stepper->sys, &u));
  PetscCall(VecGetLocalSize(u, &wanted));
  PetscCall(VecDestroy(&u));
  PetscCall(VecGetLocalSize(stepper->entry_atol, &n));
  RungCheckAll(n == wanted, stepper->comm, PETSC_ERR_ARG_SIZ,
               "absolute tolerances of %" PetscInt_FMT " entries, the system has %" PetscInt_FMT
               " on this rank; RungSystemCreateVec() makes such a Vec",
               n, wanted);
  PetscCall(VecMin(stepper->entry_atol, NULL, &least));
  PetscCheck(least > 0 || stepper->rtol > 0, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "an entry has the absolute tolerance 0 and there is no rtol, and no step is that good; set one of them");
  PetscCall(RungWeightsSetEntries(stepper->weights, stepper->entry_atol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_all(RungStepper stepper, Targets *targets)
{
  PetscFunctionBegin;
  PetscCall(list_targets(stepper, PETSC_FALSE, targets));
  for (PetscInt i = 0; i < targets->n; ++i) {
    const Target *target = &targets->target[i];

    if (target->k == 0 && target->c < 0) PetscCall(set(stepper, target, stepper->rtol, stepper->atol));
  }
  if (stepper->entry_atol) PetscCall(apply_entries(stepper));
  PetscCall(apply_calls(stepper, targets));
  PetscCall(check_all(stepper, targets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTolerancesSetUp(RungStepper stepper)
{
  Targets targets = {0, NULL};

  PetscFunctionBegin;
  PetscCall(RungWeightsCreate(stepper->sys, stepper->norm, &stepper->weights));
  RungCallFinally(apply_all(stepper, &targets), PetscCall(PetscFree(targets.target)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what was used ---------------------------------------------------------------------------------------------- */

/* least, most: absolute tolerances of components that follow their values, negative: none does; rounds: what rounding leaves asks for more. */
static PetscErrorCode find_automatic(RungStepper stepper, const Target *target, PetscReal *least, PetscReal *most,
                                     PetscBool *rounds)
{
  PetscInt components;

  PetscFunctionBegin;
  *least = *most = -1;
  *rounds        = PETSC_FALSE;
  PetscCall(RungSystemGetComponents(stepper->sys, target->f, &components, NULL));
  for (PetscInt c = 0; c < components; ++c) {
    PetscReal rtol, given, atol;

    PetscCall(RungWeightsGiven(stepper->weights, target->f, 0, c, &rtol, &given));
    if (given >= 0) continue;
    RungWeightsGet(stepper->weights, target->f, target->k, c, &rtol, &atol);
    if (atol > rtol * RungWeightsSeen(stepper->weights)[2 * target->f + target->k]) *rounds = PETSC_TRUE;
    *least = *least < 0 ? atol : PetscMin(*least, atol);
    *most  = PetscMax(*most, atol);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "u 1.2e-06, dt(u) 3e-06, y 1e-8 to 1e-4": the absolute tolerances that follow the largest values. */
static PetscErrorCode list_automatic(RungStepper stepper, const Targets *targets, char text[], size_t size)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < targets->n; ++i) {
    const Target *target = &targets->target[i];
    PetscReal     least, most;
    PetscBool     rounds; /* more is asked for by nothing else */
    char          item[RUNG_TARGET_SIZE + 64], range[32] = "";

    if (target->c >= 0) continue;
    PetscCall(find_automatic(stepper, target, &least, &most, &rounds));
    if (most < 0) continue;
    if (least < most) PetscCall(PetscSNPrintf(range, sizeof range, " to %.3g", (double)most));
    PetscCall(PetscSNPrintf(item, sizeof item, "%s%s %.3g%s%s", text[0] ? ", " : "", target->name, (double)least, range,
                            rounds ? " (of its rounding, which asks for more)" : ""));
    PetscCall(RungTextAppend(text, item, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTolerancesTell(RungStepper stepper)
{
  Targets targets    = {0, NULL};
  char    text[1024] = "";

  PetscFunctionBegin;
  if (!stepper->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  for (;;) {
    PetscCall(RungWeightsTellLow(stepper->weights, text, sizeof text));
    if (!text[0]) break;
    PetscCall(RungWarning(stepper->comm, "%s", text));
  }
  if (stepper->progress.mode == RUNG_MONITOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_targets(stepper, PETSC_FALSE, &targets));
  RungCallFinally(list_automatic(stepper, &targets, text, sizeof text), PetscCall(PetscFree(targets.target)));
  if (text[0])
    PetscCall(RungNotice(stepper->comm, "atol, which was not given, is rtol times the largest value: %s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
