/* bounds.c - lower and upper bounds on unknowns, expressions of x and t at the nodes. */
#include "form_side_impl.h"

/* The largest of something over ranks, and whose it is. */
typedef struct {
  double gap;
  int    rank;
} Gap;

/* An unknown that is there already: nothing else could give the name a meaning. */
static PetscErrorCode find(RungSystem sys, const char name[], RungTarget *target)
{
  PetscFunctionBegin;
  PetscCall(RungTargetFind(sys, "bounds", name, target));
  PetscCheck(target->k == 0, sys->comm, PETSC_ERR_ARG_WRONG, "bounds are given for unknowns, not for \"%s\"", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetBounds(RungSystem sys, const char name[], const char lower[], const char upper[])
{
  RungBound *bound;
  RungTarget target;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetBounds"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetBounds"));
  PetscCheck(name && (lower || upper), sys->comm, PETSC_ERR_ARG_NULL, "bounds without a name or without any bound");
  PetscCall(find(sys, name, &target));
  RungGrow(sys->form->bounds, sys->form->bound);
  bound  = &sys->form->bound[sys->form->bounds++];
  *bound = (RungBound){.name = NULL};
  PetscCall(PetscStrallocpy(name, &bound->name));
  PetscCall(PetscStrallocpy(lower, &bound->text[0]));
  PetscCall(PetscStrallocpy(upper, &bound->text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBoundsDestroy(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->bounds; ++i) {
    RungBound *bound = &sys->form->bound[i];

    PetscCall(PetscFree(bound->name));
    for (int side = 0; side < 2; ++side) {
      PetscCall(PetscFree(bound->text[side]));
      PetscCall(RungPointwiseDestroy(&bound->value[side]));
    }
  }
  PetscCall(PetscFree(sys->form->bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemHasBounds(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *has = sys->form && sys->form->bounds ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_bound(RungSystem sys, RungBound *bound)
{
  static const char *const side_name[] = {"lower", "upper"};

  PetscFunctionBegin;
  if (bound->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find(sys, bound->name, &bound->target));
  for (int side = 0; side < 2; ++side) {
    RungExpr  expr;
    PetscBool zero;
    char      label[512];

    if (!bound->text[side]) continue;
    PetscCall(PetscSNPrintf(label, sizeof label, "%s bound of %s", side_name[side], bound->name));
    PetscCall(RungTargetRead(sys, &bound->target, label, bound->text[side], &expr, &zero));
    PetscCall(RungPointwiseDestroy(&bound->value[side])); /* of a text before that was refused */
    if (zero) continue;
    PetscCall(RungSystemTakeSwitches(sys, &expr));
    PetscCall(RungPointwiseCreate(expr, &bound->value[side]));
  }
  bound->ready = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemHasBoundsOn(RungSystem sys, PetscInt f, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *has = PETSC_FALSE;
  for (PetscInt i = 0; sys->form && i < sys->form->bounds; ++i) {
    PetscCall(read_bound(sys, &sys->form->bound[i]));
    if (sys->form->bound[i].target.unknown == f) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes' bounds into one side's Vec; where several are given the tighter one holds. */
static PetscErrorCode put(RungSystem sys, const RungBound *bound, int side, PetscReal t, PetscScalar u[])
{
  const RungTarget    *target = &bound->target;
  const PetscInt       first  = PetscMax(0, target->component);
  const RungSpaceData *space;
  PetscScalar         *value;

  PetscFunctionBegin;
  if (!bound->text[side]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  PetscCall(PetscCalloc1(space->owned * target->width, &value));
  if (bound->value[side]) PetscCall(RungPointwiseEvaluate(bound->value[side], t, space->owned, space->x, value));
  for (PetscInt i = 0; i < space->owned * target->width; ++i) {
    PetscScalar *to = u + sys->range[target->unknown] + i / target->width * space->components + first +
                      i % target->width;

    if (PetscIsNanScalar(value[i]))
      *to = value[i]; /* which check_bounds() finds */
    else
      *to = side ? PetscMin(PetscRealPart(*to), PetscRealPart(value[i]))
                 : PetscMax(PetscRealPart(*to), PetscRealPart(value[i]));
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first entry of this rank whose bounds are no interval, -1 none; and its unknown. */
static PetscInt find_empty(RungSystem sys, const PetscScalar lower[], const PetscScalar upper[], PetscInt *f)
{
  for (*f = 0; *f < sys->form->unknowns; ++*f) {
    for (PetscInt i = sys->range[*f]; i < sys->range[*f + 1]; ++i) {
      if (!(PetscRealPart(lower[i]) <= PetscRealPart(upper[i]))) return i; /* NaN too */
    }
  }
  *f = 0;
  return -1;
}

/* Where an entry of unknown f is. */
static PetscErrorCode place_of(RungSystem sys, PetscInt f, PetscInt entry, char place[], size_t size)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(RungTargetPlace(space, (entry - sys->range[f]) / space->components, place, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_bounds(RungSystem sys, PetscReal t, Vec lower, Vec upper)
{
  const PetscScalar *low, *high;
  double             pair[2] = {0, 0};
  PetscInt           f, bad;
  char               place[256] = "";

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(lower, &low));
  PetscCall(VecGetArrayRead(upper, &high));
  bad = find_empty(sys, low, high, &f);
  if (bad >= 0) {
    pair[0] = (double)PetscRealPart(low[bad]);
    pair[1] = (double)PetscRealPart(high[bad]);
    PetscCall(place_of(sys, f, bad, place, sizeof place));
  }
  PetscCall(VecRestoreArrayRead(upper, &high));
  PetscCall(VecRestoreArrayRead(lower, &low));
  RungCheckAll(bad < 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "the lower and the upper bound of %s at %s, t = %g are %g and %g; wanted numbers, the lower one first",
               sys->form->name[f], place, (double)t, pair[0], pair[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bounds of all entries, whether they are free or not. */
static PetscErrorCode put_all(RungSystem sys, PetscReal t, Vec lower, Vec upper)
{
  const Vec       side_vec[2] = {lower, upper};
  const PetscReal open[2]     = {PETSC_NINFINITY, PETSC_INFINITY};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->bounds; ++i) PetscCall(read_bound(sys, &sys->form->bound[i]));
  for (int side = 0; side < 2; ++side) {
    PetscScalar *u;

    PetscCall(VecSet(side_vec[side], open[side]));
    PetscCall(VecGetArray(side_vec[side], &u));
    for (PetscInt i = 0; i < sys->form->bounds; ++i) {
      PetscCall(put(sys, &sys->form->bound[i], side, t, u));
    }
    PetscCall(VecRestoreArray(side_vec[side], &u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper)
{
  const Vec       side_vec[2] = {lower, upper};
  const PetscReal open[2]     = {PETSC_NINFINITY, PETSC_INFINITY};
  PetscBool      *given;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemNeedForm(sys, "RungSystemGetBounds"));
  PetscCall(put_all(sys, t, lower, upper));
  PetscCall(PetscCalloc1(sys->local, &given));
  RungConstraintsMark(sys, given);
  for (PetscInt i = 0; i < sys->local; ++i) given[i] = (PetscBool)(given[i] || sys->form->fixed[i]);
  PetscCall(RungConstraintsPassBounds(sys, t, lower, upper));
  for (int side = 0; side < 2; ++side) {
    PetscScalar *u;

    PetscCall(VecGetArray(side_vec[side], &u));
    for (PetscInt i = 0; i < sys->local; ++i) {
      if (given[i]) u[i] = open[side]; /* boundary data and slaves have their values */
    }
    PetscCall(VecRestoreArray(side_vec[side], &u));
  }
  PetscCall(PetscFree(given));
  PetscCall(check_bounds(sys, t, lower, upper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start ---------------------------------------------------------------------------------------------------- */

/* Moves entries onto their bounds; by how much the worst of this rank, which it is, and its unknown. */
static void move_inside(RungSystem sys, const PetscScalar low[], const PetscScalar high[], PetscScalar u[], Gap *gap,
                        PetscInt *worst, PetscInt *of)
{
  *worst = -1;
  *of    = 0;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1] && sys->traits.unknown_order[f] > 0; ++i) {
      const PetscReal to = PetscMax(PetscRealPart(low[i]), PetscMin(PetscRealPart(high[i]), PetscRealPart(u[i])));

      if (sys->rated && !sys->rated[i]) continue;
      if (PetscAbsReal(to - PetscRealPart(u[i])) > gap->gap) {
        gap->gap = (double)PetscAbsReal(to - PetscRealPart(u[i]));
        *worst   = i;
        *of      = f;
      }
      u[i] = to;
    }
  }
}

/* The same of boundary data, which stay where they are. */
static void find_outside(RungSystem sys, const PetscScalar low[], const PetscScalar high[], const PetscScalar u[],
                         Gap *gap, PetscInt *worst, PetscInt *of)
{
  *worst = -1;
  *of    = 0;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      const double by = (double)PetscMax(PetscRealPart(low[i] - u[i]), PetscRealPart(u[i] - high[i]));

      if (!sys->form->fixed[i] || by <= gap->gap) continue;
      gap->gap = by;
      *worst   = i;
      *of      = f;
    }
  }
}

/* The gap of all ranks, of boundary data or of other entries, which are moved; names place and unknown on all ranks. */
static PetscErrorCode measure(RungSystem sys, PetscBool data, Vec lower, Vec upper, Vec u, Gap *gap, char place[256],
                              PetscInt *f)
{
  const PetscScalar *low, *high;
  PetscScalar       *x;
  PetscInt           worst;
  Gap                here = {0, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(sys->comm, &here.rank));
  PetscCall(VecGetArrayRead(lower, &low));
  PetscCall(VecGetArrayRead(upper, &high));
  PetscCall(VecGetArray(u, &x));
  if (data)
    find_outside(sys, low, high, x, &here, &worst, f);
  else
    move_inside(sys, low, high, x, &here, &worst, f);
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(VecRestoreArrayRead(upper, &high));
  PetscCall(VecRestoreArrayRead(lower, &low));
  if (worst >= 0) PetscCall(place_of(sys, *f, worst, place, 256));
  PetscCallMPI(MPI_Allreduce(&here, gap, 1, MPI_DOUBLE_INT, MPI_MAXLOC, sys->comm));
  PetscCallMPI(MPI_Bcast(place, 256, MPI_CHAR, gap->rank, sys->comm));
  PetscCallMPI(MPI_Bcast(f, 1, MPIU_INT, gap->rank, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bounds at the nodes of a seam are those of one side. */
static PetscErrorCode report_seam(RungSystem sys, PetscReal t)
{
  static const char *const side_name[] = {"lower", "upper"};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->bounds; ++i) {
    const RungBound *bound = &sys->form->bound[i];
    char             label[512];

    for (int side = 0; side < 2; ++side) {
      PetscCall(PetscSNPrintf(label, sizeof label, "%s bound of %s", side_name[side], bound->name));
      PetscCall(RungSeamCheck(sys, label, bound->text[side], sys->form->space[bound->target.unknown], NULL,
                              bound->value[side], bound->target.width, t, 0, NULL));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bounds hold on all of an unknown: data outside of them stand alone, beside entries that the bound holds. */
static PetscErrorCode report_data(RungSystem sys, PetscReal t, PetscReal size, Vec lower, Vec upper, Vec u)
{
  char     place[256] = "";
  PetscInt f;
  Gap      gap;

  PetscFunctionBegin;
  PetscCall(put_all(sys, t, lower, upper));
  PetscCall(measure(sys, PETSC_TRUE, lower, upper, u, &gap, place, &f));
  if (gap.gap <= 1e-8 * (double)size || sys->form->data_outside) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP,
    "Dirichlet data of \"%s\" are outside of its bounds by %g at %s, t = %g; give data within them, or bounds that "
    "are wide there, as if(x[1] > 0, -1e9, 0)",
    sys->form->name[f], gap.gap, place, (double)t);
  sys->form->data_outside = PETSC_TRUE;
  PetscCall(
    RungSystemWarn(sys,
                   "Dirichlet data of \"%s\" are outside of its bounds by %g at %s, t = %g, and stay so; a bound "
                   "of a part is one of x, as if(x[1] > 0, -1e9, 0)",
                   sys->form->name[f], gap.gap, place, (double)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode move_and_report(RungSystem sys, PetscReal t, PetscBool report, Vec lower, Vec upper, Vec u)
{
  char      place[256] = "";
  PetscReal size;
  PetscInt  f;
  Gap       gap;

  PetscFunctionBegin;
  PetscCall(VecNorm(u, NORM_INFINITY, &size));
  if (report) PetscCall(report_data(sys, t, size, lower, upper, u));
  PetscCall(RungSystemGetBounds(sys, t, lower, upper));
  PetscCall(measure(sys, PETSC_FALSE, lower, upper, u, &gap, place, &f));
  if (report) PetscCall(report_seam(sys, t));
  if (!report || gap.gap <= 1e-8 * (double)size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    sys->initial_mode != RUNG_INITIAL_CHECK, sys->comm, PETSC_ERR_ARG_INCOMP,
    "the initial \"%s\" is outside of its bounds by %g at %s, t = %g; without -system_initial check it takes the "
    "bound",
    sys->form->name[f], gap.gap, place, (double)t);
  PetscCall(RungSystemWarn(sys, "the initial \"%s\" is outside of its bounds by %g at %s, t = %g; it takes the bound",
                           sys->form->name[f], gap.gap, place, (double)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enter(RungSystem sys, PetscReal t, PetscBool report, Vec u)
{
  Vec lower, upper;

  PetscFunctionBegin;
  if (!sys->form || !sys->form->bounds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(u, &lower));
  PetscCall(VecDuplicate(u, &upper));
  RungCallFinally(move_and_report(sys, t, report, lower, upper, u), PetscCall(VecDestroy(&lower));
                  PetscCall(VecDestroy(&upper)));
  PetscCall(RungConstraintsImpose(sys, t, 0, u)); /* slaves of what was moved */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemStartBounds(RungSystem sys, PetscReal t, Vec u)
{
  PetscFunctionBegin;
  PetscCall(enter(sys, t, PETSC_TRUE, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemJumpBounds(RungSystem sys, PetscReal t, Vec u)
{
  PetscFunctionBegin;
  PetscCall(enter(sys, t, PETSC_FALSE, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
