/* batch_order.c - places -> batches: which places run together, and one after the other.

   The places of a batch are of one phase and group.  Cells come in the mesh's order.  Facets would come group by group, and
   every group would walk over the whole mesh: their batches are sorted by their first cell instead, so that what one
   gathers and adds to is still in the cache when its neighbours come. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include <stdlib.h>

/* What all places of a batch have in common: the facet; of a pair both facets and the turn. */
static PetscInt group_of(RungPlan plan, const RungPlaces *places, PetscInt i)
{
  if (!plan->facets) return 0;
  if (plan->cells == 1) return places->facet[0][i];
  return places->facet[0][i] * plan->sides + places->facet[1][i] * plan->turns + places->turn[i];
}

static PetscInt group_count(RungPlan plan)
{
  return plan->cells == 1 ? plan->sides : plan->sides / plan->turns * plan->sides;
}

/* Is place i of the kind of cells that the plan is for? */
static PetscBool is_of_kind(RungBatches batches, const RungPlaces *places, PetscInt i)
{
  const PetscBool *affine = batches->mesh->cell_affine;

  if (batches->plan->kind == RUNG_ANY_CELLS) return PETSC_TRUE;
  return affine[places->cell[0][i]] == (batches->plan->kind == RUNG_AFFINE_CELLS) ? PETSC_TRUE : PETSC_FALSE;
}

/* Are there dofs of other ranks in cells here: of the unknowns, or of fields, whose ghosts are other ones? */
static PetscBool has_edge(RungBatches batches)
{
  PetscBool has = batches->layout->cell_edge ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt f = 0; f < batches->plan->fields && !has; ++f)
    has = batches->field[f]->cell_edge ? PETSC_TRUE : PETSC_FALSE;
  return has;
}

/* Has place i dofs of other ranks?  Other ranks' cells behind facets count as the edge. */
static PetscBool is_at_edge(RungBatches batches, const RungPlaces *places, PetscInt i)
{
  const RungLayoutData *layout = batches->layout;

  for (PetscInt s = 0; s < batches->plan->cells; ++s) {
    const PetscInt c = places->cell[s][i];

    if (c >= layout->cells || (layout->cell_edge && layout->cell_edge[c])) return PETSC_TRUE;
    for (PetscInt f = 0; f < batches->plan->fields; ++f)
      if (batches->field[f]->cell_edge && batches->field[f]->cell_edge[c]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The first and the last place of the edge; where there is none, behind all and -1. */
static void find_edge(RungBatches batches, const RungPlaces *places, PetscInt edge[])
{
  edge[0] = places->count;
  edge[1] = -1;
  for (PetscInt i = 0; i < places->count; ++i) {
    if (!is_of_kind(batches, places, i) || !is_at_edge(batches, places, i)) continue;
    edge[0] = PetscMin(edge[0], i);
    edge[1] = i;
  }
}

/* Messages: 0 what needs none and comes before, 1 what needs some, 2 what comes after, while sums travel.

   Vectors have half of the other places before and half after.  Rows of matrices are long, and those of the edge would leave
   the cache between the cells of the edge and the cells around them: there the places stay as they are, and what lies from
   the first of the edge to the last is phase 1. */
static PetscInt phase_of(RungBatches batches, const RungPlaces *places, PetscInt i, const PetscInt edge[])
{
  if (batches->plan->cols > 1) return i < edge[0] ? 0 : i <= edge[1] ? 1 : 2;
  if (is_at_edge(batches, places, i)) return 1;
  return !batches->layout->cell_edge || places->cell[0][i] < batches->layout->middle ? 0 : 2;
}

/* Counting sort by phase and group, stable. */
static PetscErrorCode sort_places(RungBatches batches, const RungPlaces *places, PetscInt count[])
{
  const RungPlan plan   = batches->plan;
  const PetscInt groups = group_count(plan), n = 3 * groups;
  PetscInt      *next, edge[2];

  PetscFunctionBegin;
  batches->places = 0;
  if (n == 3 && plan->kind == RUNG_ANY_CELLS && plan->cells == 1 && !has_edge(batches)) {
    /* all cells of one rank: they stay, in phase 0 */
    PetscCall(PetscArraycpy(batches->cell, places->cell[0], places->count));
    for (PetscInt g = 1; g <= n; ++g) count[g] = places->count;
    batches->places = places->count;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  find_edge(batches, places, edge);
  for (PetscInt i = 0; i < places->count; ++i) {
    if (!is_of_kind(batches, places, i)) continue;
    ++count[1 + phase_of(batches, places, i, edge) * groups + group_of(plan, places, i)];
    ++batches->places;
  }
  for (PetscInt g = 0; g < n; ++g) count[g + 1] += count[g];
  PetscCall(PetscMalloc1(n, &next));
  PetscCall(PetscArraycpy(next, count, n));
  for (PetscInt i = 0; i < places->count; ++i) {
    PetscInt to;

    if (!is_of_kind(batches, places, i)) continue;
    to                = next[phase_of(batches, places, i, edge) * groups + group_of(plan, places, i)]++;
    batches->cell[to] = places->cell[0][i];
    if (plan->cells > 1) batches->minus[to] = places->cell[1][i];
    if (plan->cells > 1) batches->number[to] = places->number[i];
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places of one group that stay together: kernels that look ahead prepare their batches at once.  A number for all kernels:
   the order of places, and with it the last bits of a result, does not depend on lanes or back ends. */
#define TOGETHER 128

/* The batches of such places. */
typedef struct {
  PetscInt first, end; /* batches when they are cut group by group */
  PetscInt cell;       /* of the first place                       */
} Unit;

static int compare_units(const void *a, const void *b)
{
  const Unit *x = a, *y = b;

  return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->first > y->first) - (x->first < y->first);
}

/* Lists the units of a phase. */
static PetscInt list_units(RungBatches batches, PetscInt phase, Unit unit[])
{
  const PetscInt most = PetscMax(1, TOGETHER / batches->lanes);
  PetscInt       n    = 0;

  for (PetscInt b = batches->phase[phase]; b < batches->phase[phase + 1]; ++b) {
    Unit *last = n ? &unit[n - 1] : NULL;

    if (last && b - last->first < most && batches->facet[2 * b] == batches->facet[2 * last->first] &&
        batches->facet[2 * b + 1] == batches->facet[2 * last->first + 1])
      last->end = b + 1;
    else
      unit[n++] = (Unit){b, b + 1, batches->cell[batches->first[b]]};
  }
  return n;
}

/* The arrays in the order of the units. */
typedef struct {
  PetscInt *first, *cell, *minus, *number;
  int      *facet;
} Order;

static void put_units(RungBatches batches, PetscInt n, const Unit unit[], PetscInt phase, Order *to)
{
  PetscInt b = batches->phase[phase];

  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt from = unit[k].first; from < unit[k].end; ++from, ++b) {
      const PetscInt first = batches->first[from], count = batches->first[from + 1] - first;
      const PetscInt at = to->first[b];

      to->first[b + 1]     = at + count;
      to->facet[2 * b]     = batches->facet[2 * from];
      to->facet[2 * b + 1] = batches->facet[2 * from + 1];
      for (PetscInt i = 0; i < count; ++i) {
        to->cell[at + i] = batches->cell[first + i];
        if (to->minus) to->minus[at + i] = batches->minus[first + i];
        if (to->number) to->number[at + i] = batches->number[first + i];
      }
    }
  }
}

/* Facets: the batches of each phase by their first cells. */
static PetscErrorCode sort_batches(RungBatches batches)
{
  Order to = {0};
  Unit *unit;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(batches->batches, &unit));
  PetscCall(PetscMalloc1(batches->batches + 1, &to.first));
  PetscCall(PetscMalloc1(2 * batches->batches, &to.facet));
  PetscCall(PetscMalloc1(batches->places, &to.cell));
  if (batches->minus) PetscCall(PetscMalloc1(batches->places, &to.minus));
  if (batches->number) PetscCall(PetscMalloc1(batches->places, &to.number));
  to.first[0] = 0;
  for (PetscInt phase = 0; phase < 3; ++phase) {
    const PetscInt n = list_units(batches, phase, unit);

    qsort(unit, (size_t)n, sizeof *unit, compare_units);
    put_units(batches, n, unit, phase, &to);
  }
  PetscCall(PetscFree(unit));
  PetscCall(PetscFree(batches->first));
  PetscCall(PetscFree(batches->facet));
  PetscCall(PetscFree(batches->cell));
  PetscCall(PetscFree(batches->minus));
  PetscCall(PetscFree(batches->number));
  batches->first  = to.first;
  batches->facet  = to.facet;
  batches->cell   = to.cell;
  batches->minus  = to.minus;
  batches->number = to.number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_batches(RungBatches batches, const PetscInt count[])
{
  const RungPlan plan  = batches->plan;
  const PetscInt lanes = batches->lanes, groups = group_count(plan), n = 3 * groups;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < n; ++g) batches->batches += (count[g + 1] - count[g] + lanes - 1) / lanes;
  PetscCall(PetscMalloc1(batches->batches + 1, &batches->first));
  PetscCall(PetscMalloc1(2 * batches->batches, &batches->facet));
  for (PetscInt k = 0, b = 0; k < n; ++k) {
    const PetscInt g = k % groups;

    if (g == 0) batches->phase[k / groups] = b;
    for (PetscInt i = count[k]; i < count[k + 1]; i += lanes, ++b) {
      batches->first[b]         = i;
      batches->facet[2 * b]     = (int)(plan->cells > 1 ? g / plan->sides * plan->turns : g);
      batches->facet[2 * b + 1] = (int)(plan->cells > 1 ? g % plan->sides : 0);
    }
  }
  batches->phase[3]                = batches->batches;
  batches->first[batches->batches] = batches->places;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBatchesOrder(RungBatches batches, const RungPlaces *places)
{
  const RungPlan      plan  = batches->plan;
  RUNG_FREE PetscInt *count = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(places->count, &batches->cell));
  if (plan->cells > 1) PetscCall(PetscMalloc1(places->count, &batches->minus));
  if (plan->cells > 1) PetscCall(PetscMalloc1(places->count, &batches->number));
  PetscCall(PetscCalloc1(3 * group_count(plan) + 1, &count));
  PetscCall(sort_places(batches, places, count));
  PetscCall(cut_batches(batches, count));
  if (plan->facets && batches->places) PetscCall(sort_batches(batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void mark_rim(RungBatches batches, PetscBool mark[])
{
  const RungLayoutData *layout = batches->layout;
  const PetscInt        end    = batches->first[batches->phase[2]];

  for (PetscInt i = batches->first[batches->phase[1]]; i < end; ++i) {
    for (PetscInt s = 0; s < batches->plan->cells; ++s) {
      const PetscInt *dof = RungCellDofs(layout, (s ? batches->minus : batches->cell)[i]);

      for (PetscInt k = 0; k < layout->cell_dofs; ++k)
        if (dof[k] < layout->owned) mark[dof[k]] = PETSC_TRUE;
    }
  }
}

PetscErrorCode RungBatchesRim(PetscInt groups, const RungBatches batches[], PetscInt *n, PetscInt **entry)
{
  const PetscInt       owned = groups ? batches[0]->layout->owned : 0;
  RUNG_FREE PetscBool *mark  = NULL;
  PetscBool            some  = PETSC_FALSE;

  PetscFunctionBegin;
  *n     = 0;
  *entry = NULL;
  for (PetscInt i = 0; i < groups; ++i)
    some = some || batches[i]->phase[1] < batches[i]->phase[2] ? PETSC_TRUE : PETSC_FALSE;
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(owned, &mark));
  for (PetscInt i = 0; i < groups; ++i) mark_rim(batches[i], mark);
  for (PetscInt i = 0; i < owned; ++i) *n += mark[i] ? 1 : 0;
  PetscCall(PetscMalloc1(*n, entry));
  *n = 0;
  for (PetscInt i = 0; i < owned; ++i)
    if (mark[i]) (*entry)[(*n)++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}
