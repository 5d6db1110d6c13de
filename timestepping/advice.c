/* advice.c - classes of problems and the methods that are good for them, advice.def: what a stepper takes that was given no type. */
#include "step_impl.h"

/* ---- classes of systems ------------------------------------------------------------------------------------------------ */

static PetscInt order_of(const RungTraits *traits)
{
  PetscInt order = 0;

  for (PetscInt f = 0; f < traits->unknowns; ++f) order = PetscMax(order, traits->unknown_order[f]);
  return order;
}

static PetscErrorCode is_steady(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  *is = order_of(&stepper->traits) == 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers in R are as good as points: what they belong to has no neighbours. */
static PetscErrorCode find_points(RungStepper stepper)
{
  PetscFunctionBegin;
  stepper->points = PETSC_TRUE;
  for (PetscInt f = 0; f < stepper->traits.unknowns && stepper->points; ++f) {
    PetscInt components;

    PetscCall(RungSystemGetComponents(stepper->sys, f, &components, &stepper->points));
    if (!stepper->points) PetscCall(RungSystemIsNumber(stepper->sys, f, &stepper->points));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns on points, and nothing is asked of them besides their equations. */
static PetscErrorCode are_points(RungStepper stepper, PetscBool *are)
{
  const RungTraits *traits = &stepper->traits;
  PetscBool         holds;

  PetscFunctionBegin;
  *are = stepper->points && order_of(traits) > 0 && !traits->conserved ? PETSC_TRUE : PETSC_FALSE;
  if (!*are) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasBounds(stepper->sys, &holds));
  if (holds) *are = PETSC_FALSE;
  PetscCall(RungSystemHasDirichlet(stepper->sys, &holds));
  if (holds) *are = PETSC_FALSE;
  PetscCall(RungSystemGetCondensed(stepper->sys, &holds));
  if (holds) *are = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode has_algebraic(RungStepper stepper, PetscBool *has)
{
  char name[RUNG_TARGET_SIZE];

  PetscFunctionBegin;
  PetscCall(RungSystemGetAlgebraic(stepper->sys, has, name, sizeof name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_regular(RungStepper stepper, RungTransientSystem ts, PetscBool *regular)
{
  RungState *at;
  char       why[256];

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetProposal(ts, &at));
  at->t = stepper->t0;
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(VecZeroEntries(at->u[k]));
    if (k < stepper->traits.order) PetscCall(RungSystemInitial(stepper->sys, at->t, k, at->u[k]));
  }
  PetscCall(RungTransientSystemIsRegular(ts, at, regular, why, sizeof why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rosenbrock methods find rates and unknowns without one behind each step: do equations at the start give them?  A capacitor between two
   nodes, C (u' - v') in both their equations, leaves the mass singular although each node has a rate. */
static PetscErrorCode has_index_one(RungStepper stepper, PetscBool *has)
{
  RungTransientSystem ts;

  PetscFunctionBegin;
  *has = stepper->traits.mass;
  if (*has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemCreate(stepper->sys, 1, 0, &ts));
  RungCallFinally(find_regular(stepper, ts, has), PetscCall(RungTransientSystemDestroy(&ts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every unknown on points has a rate.  Fixed steps do not tell where a problem is stiff. */
static PetscErrorCode is_points(RungStepper stepper, PetscBool *is)
{
  PetscBool algebraic;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (!stepper->adaptive || stepper->lasting) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(are_points(stepper, is));
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(has_algebraic(stepper, &algebraic));
  if (algebraic) *is = PETSC_FALSE;
  if (*is) PetscCall(has_index_one(stepper, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mass that does not change is what Rosenbrock methods want; where all of dF/du stands still, a method that factors it once and for all
   has no use for them. */
static PetscErrorCode is_network(RungStepper stepper, PetscBool *is)
{
  const RungTraits *traits = &stepper->traits;
  PetscBool         algebraic;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (!stepper->adaptive || !traits->constant_block[traits->order] || (traits->linear && traits->constant_jacobian))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(are_points(stepper, is));
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(has_algebraic(stepper, &algebraic));
  if (!algebraic) *is = PETSC_FALSE;
  if (*is) PetscCall(has_index_one(stepper, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who says explicit(..) knows what is not stiff.  Bounds, eliminated unknowns and what has no rate ask for stages that solve for all. */
static PetscErrorCode is_split(RungStepper stepper, PetscBool *is)
{
  const RungTraits *traits = &stepper->traits;
  PetscBool         holds;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (!stepper->adaptive || order_of(traits) != 1 || traits->conserved || !traits->constant_block[1])
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasExplicit(stepper->sys, is));
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(has_algebraic(stepper, &holds));
  if (holds) *is = PETSC_FALSE;
  PetscCall(RungSystemGetCondensed(stepper->sys, &holds));
  if (holds) *is = PETSC_FALSE;
  PetscCall(RungSystemHasBounds(stepper->sys, &holds));
  if (holds) *is = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_totals(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  *is = stepper->adaptive && stepper->traits.conserved ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_measured(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  *is = stepper->adaptive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_second(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  *is = order_of(&stepper->traits) == 2 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_first(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  (void)stepper;
  *is = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the table --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name, *words, *type, *methods, *why;
  PetscErrorCode (*is)(RungStepper, PetscBool *); /* NULL: no stepper takes it by itself */
} Class;

static const Class classes[] = {
#define RUNG_ADVICE(name, words, is, type, methods, why) {#name, words, type, methods, why, is},
#include "advice.def"
#undef RUNG_ADVICE
};
#define CLASSES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(classes))

PetscErrorCode RungAdviceTake(RungStepper stepper)
{
  char first[64];

  PetscFunctionBegin;
  PetscCall(find_points(stepper));
  if (stepper->type) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < CLASSES; ++i) {
    PetscBool is = PETSC_FALSE;

    if (classes[i].is) PetscCall(classes[i].is(stepper, &is));
    if (!is) continue;
    (void)sscanf(classes[i].methods, "%63s", first);
    PetscCall(RungStepperSetType(stepper, classes[i].type));
    PetscCall(RungStepperSetMethod(stepper, first));
    stepper->advice = i + 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungAdviceView(RungStepper stepper, PetscViewer viewer)
{
  const Class *one = classes;

  PetscFunctionBegin;
  if (!stepper->advice) PetscFunctionReturn(PETSC_SUCCESS);
  one += stepper->advice - 1;
  PetscCall(PetscViewerASCIIPrintf(viewer, "taken by itself for %s: %s; good, too:%s\n", one->words, one->why,
                                   strchr(one->methods + 1, ' ')));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NOTHING " fehlberg21 " /* its estimate is no estimate, and rk2 and heun21 have its order without it */

void RungAdviceOf(const char method[], char text[], size_t size)
{
  char word[128];

  text[0] = '\0';
  (void)snprintf(word, sizeof word, " %s ", method);
  for (PetscInt i = 0; i < CLASSES; ++i) {
    if (!strstr(classes[i].methods, word)) continue;
    (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "", classes[i].name);
  }
  if (!text[0]) (void)snprintf(text, size, strstr(NOTHING, word) ? "nothing" : "studies");
}

PetscErrorCode RungAdvicePrint(MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "\n| class | problems | taken by itself | good | why |\n|---|---|---|---|---|\n"));
  for (PetscInt i = 0; i < CLASSES; ++i)
    PetscCall(PetscPrintf(comm, "| %s | %s | %s |%s| %s |\n", classes[i].name, classes[i].words,
                          classes[i].is ? "yes" : "no", classes[i].methods, classes[i].why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
