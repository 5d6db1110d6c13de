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

/* Every unknown on points has a rate, and nothing is asked of them besides.  Fixed steps do not tell where a problem is stiff. */
static PetscErrorCode is_points(RungStepper stepper, PetscBool *is)
{
  const RungTraits *traits = &stepper->traits;
  PetscBool         holds, points;
  PetscInt          components;
  char              name[RUNG_TARGET_SIZE];

  PetscFunctionBegin;
  *is = stepper->adaptive && !stepper->lasting && order_of(traits) > 0 && !traits->conserved ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt f = 0; f < traits->unknowns && *is; ++f) {
    PetscCall(RungSystemGetComponents(stepper->sys, f, &components, &points));
    PetscCall(RungSystemHasBoundsOn(stepper->sys, f, &holds));
    if (!points || holds) *is = PETSC_FALSE;
  }
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasDirichlet(stepper->sys, &holds));
  if (holds) *is = PETSC_FALSE;
  PetscCall(RungSystemGetCondensed(stepper->sys, &holds));
  if (holds) *is = PETSC_FALSE;
  PetscCall(RungSystemGetAlgebraic(stepper->sys, &holds, name, sizeof name));
  if (holds) *is = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_measured(RungStepper stepper, PetscBool *is)
{
  PetscFunctionBegin;
  *is = order_of(&stepper->traits) == 2 && stepper->adaptive ? PETSC_TRUE : PETSC_FALSE;
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
