/* method_list.c - all methods, with what each says of itself. */
#include "step_impl.h"

/* "L", "A", "A(76)", "bounded" */
static void name_stability(const RungMethodPlan *plan, char text[], size_t size)
{
  if (plan->angle >= 90)
    (void)snprintf(text, size, "%s", plan->limit == 0 ? "L" : "A");
  else if (plan->angle > 0)
    (void)snprintf(text, size, "A(%g)", (double)plan->angle);
  else
    (void)snprintf(text, size, "bounded");
}

static void name_abilities(const RungMethodPlan *plan, char text[], size_t size)
{
  static const struct {
    unsigned    can;
    const char *word;
  } words[] = {{RUNG_CAN_ORDER1, "1"},        {RUNG_CAN_ORDER2, "2"},        {RUNG_CAN_ALGEBRAIC, "algebraic"},
               {RUNG_CAN_INDEX2, "index 2"},  {RUNG_CAN_CONSERVE, "totals"}, {RUNG_CAN_BOUND, "bounds"},
               {RUNG_CAN_CONDENSE, "points"}, {RUNG_CAN_SPLIT, "split"},     {RUNG_CAN_VARY_MASS, "mass"}};

  text[0] = '\0';
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(words); ++i) {
    if (!(plan->can & words[i].can)) continue;
    (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "", words[i].word);
  }
}

static PetscErrorCode print_one(MPI_Comm comm, PetscBool page, const char type[], const char method[])
{
  RungMethodPlan plan;
  char           stability[16], abilities[128], good[128], also[256], estimate[16] = "-", limit[16] = "-";

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  name_stability(&plan, stability, sizeof stability);
  name_abilities(&plan, abilities, sizeof abilities);
  RungAdviceOf(method, good, sizeof good);
  PetscCall(RungStepperGetOtherNames(method, PETSC_TRUE, also, sizeof also));
  if (plan.exponent) (void)snprintf(estimate, sizeof estimate, "%d", (int)plan.exponent - 1);
  if (plan.limit >= 0) (void)snprintf(limit, sizeof limit, "%.2g", (double)plan.limit);
  if (page)
    PetscCall(PetscPrintf(comm, "| %s | %s%s%s | %d | %s | %d | %d | %d | %s | %s | %s | %s | %s |\n", type, method,
                          also[0] ? ", also" : "", also, (int)plan.order, estimate, (int)plan.stages, (int)plan.solves,
                          (int)plan.stage_order, stability, limit, abilities, good,
                          plan.citation ? plan.citation : "-"));
  else
    PetscCall(PetscPrintf(
      comm,
      "  %-10s %-22s order %d, estimate %s, %d stages, %d solved, stage order %d, %s, R(inf) %s; %s; for %s%s%s\n",
      type, method, (int)plan.order, estimate, (int)plan.stages, (int)plan.solves, (int)plan.stage_order, stability,
      limit, abilities, good, also[0] ? "; also" : "", also));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMethodsPrint(MPI_Comm comm, PetscBool page)
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  if (page)
    PetscCall(PetscPrintf(
      comm,
      "| type | method | order | estimate | stages | solves | stage order | stability | R(inf) | takes | good for | "
      "source |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"));
  for (PetscInt i = 0; i < n; ++i) PetscCall(print_one(comm, page, types[i], methods[i]));
  if (page) PetscCall(RungAdvicePrint(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
