/* store.c - checkpoints of coupled systems: a file for each, NAME_SYSTEM.h5, with the states of the last two windows
   that were saved, so that whatever moment a run is killed at, and whatever file the disk refuses, all files have one
   of them. */
#include "coupling_impl.h"
#include <stdio.h>

#define MOST_TIMES 10000000 /* of an event in a checkpoint */

/* "dir/run" and member "heat": "dir/run_heat.h5" */
static void make_path(RungMember m, const char stem[], char path[PETSC_MAX_PATH_LEN])
{
  const size_t n     = strlen(stem);
  const int    plain = (int)(n > 3 && !strcmp(stem + n - 3, ".h5") ? n - 3 : n);

  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%.*s_%s.h5", plain, stem, m->name);
}

/* Values and rates, sums, constants that events change: copied from those of now. */
static PetscErrorCode copy_now(RungMember m, Vec u[], PetscReal **sum)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= m->order; ++k) {
    if (!u[k]) PetscCall(VecDuplicate(m->u[k], &u[k]));
    PetscCall(VecCopy(m->u[k], u[k]));
  }
  if (!*sum) PetscCall(PetscMalloc1(m->quantities + 1, sum));
  PetscCall(PetscArraycpy(*sum, m->sum, m->quantities));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_constants(RungCoupling c, PetscReal **value)
{
  PetscFunctionBegin;
  if (!*value) PetscCall(PetscCalloc1(c->consequences + 1, value));
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const char *constant;

    PetscCall(RungChangeGetConstant(c->consequence[i].change, &constant, &(*value)[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreDestroy(RungMember m)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(VecDestroy(&m->saved[k]));
    PetscCall(VecDestroy(&m->whole[k]));
  }
  PetscCall(PetscFree(m->saved_sum));
  PetscCall(PetscFree(m->whole_sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of a whole window ----------------------------------------------------------------------------------- */

/* Without events the window in hand began there, and without checkpoints nobody asks. */
PetscErrorCode RungStoreKeep(RungCoupling c)
{
  PetscFunctionBegin;
  if (!c->save[0] || !c->happenings) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->members; ++i)
    PetscCall(copy_now(c->member[i], c->member[i]->whole, &c->member[i]->whole_sum));
  PetscCall(copy_constants(c, &c->whole_constant));
  for (PetscInt e = 0; e < c->happenings; ++e) c->happening[e].whole = c->happening[e].now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreReturn(RungCoupling c)
{
  const PetscReal t = c->t0 + (PetscReal)c->done * c->length;

  PetscFunctionBegin;
  if (!c->whole_constant) PetscFunctionReturn(PETSC_SUCCESS); /* nobody asks */
  for (PetscInt e = 0; e < c->happenings; ++e) {
    RungHappening *h = &c->happening[e];

    h->now = h->whole;
    while (h->count && h->t[h->count - 1] > t) --h->count;
  }
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    m->t = t;
    PetscCall(RungMemberCopy(m, m->whole, m->u));
    PetscCall(PetscArraycpy(m->sum, m->whole_sum, m->quantities));
  }
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const char *constant;

    PetscCall(RungChangeGetConstant(c->consequence[i].change, &constant, NULL));
    if (constant) PetscCall(RungSystemSetConstant(c->consequence[i].member->sys, constant, c->whole_constant[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetKeeper(RungCoupling c, const RungKeeper *keeper)
{
  PetscFunctionBegin;
  RungNeed(c);
  c->keeper = *keeper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static const char *const work_name[3] = {"steps", "newton", "solves"};

/* Those of the stepper are taken over; 0 with fixed steps. */
static PetscErrorCode take_sizes(RungMember m)
{
  const PetscReal *largest, *rounding;
  RungTraits       traits;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(m->sys, &traits));
  PetscCall(RungStepperGetSizes(m->stepper, &n, &largest, &rounding));
  PetscCall(PetscMemzero(m->sizes.largest, sizeof m->sizes.largest));
  PetscCall(PetscMemzero(m->sizes.rounding, sizeof m->sizes.rounding));
  if (n) PetscCall(PetscArraycpy(m->sizes.largest, largest, n));
  if (n) PetscCall(PetscArraycpy(m->sizes.rounding, rounding, 2 * traits.unknowns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kinds of sizes in a file: "largest now 3" is the fourth number of its kind.  Fixed steps have none but the last kind. */
typedef struct {
  const char *kind;
  PetscInt    n;
  PetscReal  *value;
} SizesOfKind;

static PetscErrorCode list_sizes(RungMember m, RungMemberSizes *sizes, SizesOfKind list[3])
{
  const PetscReal *largest, *rounding;
  RungTraits       traits;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(m->sys, &traits));
  PetscCall(RungStepperGetSizes(m->stepper, &n, &largest, &rounding));
  list[0] = (SizesOfKind){"largest", n, sizes->largest};
  list[1] = (SizesOfKind){"rounding", n ? 2 * traits.unknowns : 0, sizes->rounding};
  list[2] = (SizesOfKind){"whole", traits.unknowns, sizes->whole};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of the two states of a file; which: "now" or "before". */
static PetscErrorCode put_state(RungMember m, RungCheckpoint file, const char which[], PetscInt window, const Vec u[],
                                const PetscReal sum[], RungMemberSizes *sizes, const PetscInt work[3])
{
  SizesOfKind list[3];
  char        name[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  PetscCall(list_sizes(m, sizes, list));
  for (int s = 0; s < 3; ++s) {
    for (PetscInt i = 0; i < list[s].n; ++i) {
      PetscCall(PetscSNPrintf(name, sizeof name, "%s %s %" PetscInt_FMT, list[s].kind, which, i));
      PetscCall(RungCheckpointPutReal(file, name, list[s].value[i]));
    }
  }
  for (int i = 0; i < 3; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s %s", work_name[i], which));
    PetscCall(RungCheckpointPutInt(file, name, work[i]));
  }
  PetscCall(PetscSNPrintf(name, sizeof name, "window %s", which));
  PetscCall(RungCheckpointPutInt(file, name, window));
  for (PetscInt k = 0; k <= m->order; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s%" PetscInt_FMT, which, k));
    PetscCall(RungCheckpointPutVec(file, name, u[k]));
  }
  for (PetscInt i = 0; i < m->quantities; ++i) {
    if (!m->rate[i]) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "sum %s %.100s", which, m->quantity[i]));
    PetscCall(RungCheckpointPutReal(file, name, sum[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_side(const RungHappening *h, RungCheckpoint file, const char which[],
                               const RungEventSide *side)
{
  const char *const word[]  = {"side", "rest", "scale"};
  const PetscReal   value[] = {(PetscReal)side->side, side->rest, side->scale};
  char              name[160];

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s %s of %.64s", word[i], which, h->name));
    PetscCall(RungCheckpointPutReal(file, name, value[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times of events, where their numbers are, and the constants that they change: of now, and as they were saved before.
   */
static PetscErrorCode put_events(RungCoupling c, RungCheckpoint file)
{
  char name[160];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    const RungHappening *h = &c->happening[e];

    PetscCall(put_side(h, file, "now", &h->now));
    if (c->saved_constant) PetscCall(put_side(h, file, "before", &h->saved));
    PetscCall(PetscSNPrintf(name, sizeof name, "times of %.64s", h->name));
    PetscCall(RungCheckpointPutInt(file, name, h->count));
    for (PetscInt k = 0; k < h->count; ++k) {
      PetscCall(PetscSNPrintf(name, sizeof name, "time %" PetscInt_FMT " of %.64s", k, h->name));
      PetscCall(RungCheckpointPutReal(file, name, h->t[k]));
    }
  }
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const char *constant;
    PetscReal   value;

    PetscCall(RungChangeGetConstant(c->consequence[i].change, &constant, &value));
    if (!constant) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "constant now %" PetscInt_FMT, i));
    PetscCall(RungCheckpointPutReal(file, name, value));
    PetscCall(PetscSNPrintf(name, sizeof name, "constant before %" PetscInt_FMT, i));
    if (c->saved_constant) PetscCall(RungCheckpointPutReal(file, name, c->saved_constant[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_all(RungMember m, RungCheckpoint file)
{
  RungCoupling    c       = m->coupling;
  const PetscBool before  = m->saved[0] ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt  work[3] = {m->steps, m->newton, c->solves};

  PetscFunctionBegin;
  PetscCall(take_sizes(m));
  PetscCall(RungCheckpointPutReal(file, "window length", c->length));
  PetscCall(RungCheckpointPutInt(file, "states", before ? 2 : 1));
  PetscCall(RungCheckpointPutSolver(file, "", RungSystemWasPresumedWrongly(m->sys)));
  if (before) PetscCall(RungCheckpointPutSolver(file, "before", m->saved_wrongly));
  PetscCall(put_state(m, file, "now", c->done, m->u, m->sum, &m->sizes, work));
  if (before) PetscCall(put_state(m, file, "before", c->saved, m->saved, m->saved_sum, &m->saved_sizes, m->saved_work));
  if (m == c->member[0]) PetscCall(put_events(c, file));
  if (m == c->member[0] && c->keeper.save) PetscCall(c->keeper.save(file, c->keeper.ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A member's file; the disk may refuse it. */
static PetscErrorCode try_member(RungMember m)
{
  RungCoupling   c = m->coupling;
  char           path[PETSC_MAX_PATH_LEN], why[sizeof c->missing.why];
  RungCheckpoint file;
  PetscBool      written;

  PetscFunctionBegin;
  make_path(m, c->save, path);
  PetscCall(RungCheckpointTry(m->sys, path, &file));
  RungCallOrUndo(put_all(m, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointFinish(&file, &written, why, sizeof why));
  if (!written) PetscCall(RungMissingAdd(c->comm, &c->missing, "checkpoint", path, m->t, why));
  PetscCall(RungStagesForget(m->stepper)); /* what follows has the bits of a run that goes on from the file */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the next files have as "before": a state that all of them hold. */
static PetscErrorCode take_as_saved(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    PetscCall(copy_now(m, m->saved, &m->saved_sum));
    PetscCall(take_sizes(m));
    m->saved_sizes   = m->sizes;
    m->saved_wrongly = RungSystemWasPresumedWrongly(m->sys);
    PetscCall(PetscArraycpy(m->saved_work, ((PetscInt[3]){m->steps, m->newton, c->solves}), 3));
  }
  PetscCall(copy_constants(c, &c->saved_constant));
  for (PetscInt e = 0; e < c->happenings; ++e) c->happening[e].saved = c->happening[e].now;
  c->saved = c->done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreSave(RungCoupling c, PetscBool last)
{
  PetscFunctionBegin;
  if (!c->save[0] || (!last && (c->every < 1 || c->done % c->every))) PetscFunctionReturn(PETSC_SUCCESS);
  c->missing.n = 0;
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(try_member(c->member[i]));
  c->tried = PETSC_TRUE;
  if (!c->missing.n) PetscCall(take_as_saved(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- restart ----------------------------------------------------------------------------------------------------- */

/* The windows that a file has: now, and before, -1 where there is none. */
static PetscErrorCode read_windows(RungMember m, RungCheckpoint file, PetscInt window[2])
{
  PetscReal length;
  PetscInt  states;

  PetscFunctionBegin;
  window[1] = -1;
  PetscCall(RungCheckpointGetReal(file, "window length", &length));
  PetscCheck(
    PetscAbsReal(length - m->coupling->length) <= 1e-10 * length, m->coupling->comm, PETSC_ERR_FILE_UNEXPECTED,
    "the checkpoint is of windows of %.12g, this run has windows of %.12g; take the length of the checkpoint, or begin "
    "without it, as a study of several systems does, whose windows differ",
    (double)length, (double)m->coupling->length);
  PetscCall(RungCheckpointGetInt(file, "states", &states));
  PetscCall(RungCheckpointGetInt(file, "window now", &window[0]));
  if (states > 1) PetscCall(RungCheckpointGetInt(file, "window before", &window[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A count of work that was done; of an earlier version: it begins anew. */
static PetscErrorCode get_count(RungMember m, RungCheckpoint file, const char name[], PetscInt *count)
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(RungCheckpointHas(file, name, &has));
  if (has) PetscCall(RungCheckpointGetInt(file, name, count));
  PetscCheck(*count >= 0 && *count <= PETSC_MAX_INT / 2, m->coupling->comm, PETSC_ERR_FILE_UNEXPECTED,
             "the checkpoint is refused: \"%s\" is %" PetscInt_FMT ", wanted a count; take one that this program wrote",
             name, *count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *has: all of a kind; files of earlier versions and of fixed steps have not. */
static PetscErrorCode get_kind(RungMember m, RungCheckpoint file, const char which[], const SizesOfKind *sizes,
                               PetscBool *has)
{
  char name[64];

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PetscInt i = 0; i < sizes->n; ++i) {
    PetscReal *value = &sizes->value[i];

    PetscCall(PetscSNPrintf(name, sizeof name, "%s %s %" PetscInt_FMT, sizes->kind, which, i));
    PetscCall(RungCheckpointHas(file, name, has));
    if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(RungCheckpointGetReal(file, name, value));
    PetscCheck(*value >= 0 && !PetscIsInfOrNanReal(*value), m->coupling->comm, PETSC_ERR_FILE_UNEXPECTED,
               "the checkpoint is refused: \"%s\" is %g, wanted a size; take one that this program wrote", name,
               (double)*value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a file does not say what adaptive steps have seen, they begin with the level. */
static PetscErrorCode get_sizes(RungMember m, RungCheckpoint file, const char which[], PetscReal t)
{
  PetscBool   has[3];
  SizesOfKind list[3];

  PetscFunctionBegin;
  m->sizes = (RungMemberSizes){.whole = {0}};
  PetscCall(list_sizes(m, &m->sizes, list));
  for (int s = 0; s < 3; ++s) PetscCall(get_kind(m, file, which, &list[s], &has[s]));
  if (has[0]) PetscCall(RungStepperSetSizes(m->stepper, t, m->sizes.largest, m->sizes.rounding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_state(RungMember m, RungCheckpoint file, const char which[])
{
  PetscInt *const work[3] = {&m->steps, &m->newton, &m->coupling->solves};
  char            name[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s %s", work_name[i], which));
    PetscCall(get_count(m, file, name, work[i]));
  }
  for (PetscInt k = 0; k <= m->order; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s%" PetscInt_FMT, which, k));
    PetscCall(RungCheckpointGetVec(file, name, m->u[k]));
  }
  for (PetscInt i = 0; i < m->quantities; ++i) {
    PetscBool has;

    if (!m->rate[i]) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "sum %s %.100s", which, m->quantity[i]));
    PetscCall(RungCheckpointHas(file, name, &has));
    if (has) PetscCall(RungCheckpointGetReal(file, name, &m->sum[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_side(RungHappening *h, RungCheckpoint file, const char which[])
{
  PetscReal side;
  char      name[160];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "side %s of %.64s", which, h->name));
  PetscCall(RungCheckpointHas(file, name, &h->loaded));
  if (!h->loaded) PetscFunctionReturn(PETSC_SUCCESS); /* of an earlier version: it begins anew */
  PetscCall(RungCheckpointGetReal(file, name, &side));
  h->now.side = side > 0 ? 1 : side < 0 ? -1 : 0;
  PetscCall(PetscSNPrintf(name, sizeof name, "rest %s of %.64s", which, h->name));
  PetscCall(RungCheckpointGetReal(file, name, &h->now.rest));
  PetscCall(PetscSNPrintf(name, sizeof name, "scale %s of %.64s", which, h->name));
  PetscCall(RungCheckpointGetReal(file, name, &h->now.scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Events up to the time that a run goes on from. */
static PetscErrorCode get_events(RungCoupling c, RungCheckpoint file, const char which[], PetscReal t)
{
  char name[160];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    RungHappening *h = &c->happening[e];
    PetscInt       n;
    PetscReal      one;

    PetscCall(get_side(h, file, which));
    PetscCall(PetscSNPrintf(name, sizeof name, "times of %.64s", h->name));
    PetscCall(RungCheckpointGetInt(file, name, &n));
    PetscCheck(n >= 0 && n <= MOST_TIMES, c->comm, PETSC_ERR_FILE_UNEXPECTED,
               "the checkpoint has %" PetscInt_FMT " times of event \"%s\", wanted 0 to %d", n, h->name, MOST_TIMES);
    PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *h->t, &h->t));
    h->room  = n + 1;
    h->count = 0;
    for (PetscInt k = 0; k < n; ++k) {
      PetscCall(PetscSNPrintf(name, sizeof name, "time %" PetscInt_FMT " of %.64s", k, h->name));
      PetscCall(RungCheckpointGetReal(file, name, &one));
      if (one <= t) h->t[h->count++] = one;
    }
  }
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const RungConsequence *consequence = &c->consequence[i];
    const char            *constant;
    PetscReal              value;

    PetscCall(RungChangeGetConstant(consequence->change, &constant, NULL));
    if (!constant) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "constant %s %" PetscInt_FMT, which, i));
    PetscCall(RungCheckpointGetReal(file, name, &value));
    PetscCall(RungSystemSetConstant(consequence->member->sys, constant, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a file has of a window: the state, and of the first member the events. */
static PetscErrorCode get_all(RungMember m, RungCheckpoint file, const char which[], PetscInt window)
{
  RungCoupling    c = m->coupling;
  const PetscReal t = window == c->windows ? c->t1 : c->t0 + (PetscReal)window * c->length;

  PetscFunctionBegin;
  PetscCall(get_state(m, file, which));
  PetscCall(get_sizes(m, file, which, t));
  PetscCall(RungCheckpointGetSolver(file, strcmp(which, "now") != 0 ? which : ""));
  if (m == c->member[0]) PetscCall(get_events(c, file, which, t));
  if (m == c->member[0] && c->keeper.load) PetscCall(c->keeper.load(file, t, c->keeper.ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Opens a member's file; window 0: looks which it has, else reads that one. */
static PetscErrorCode read_member(RungMember m, PetscInt window, PetscInt has[2])
{
  char           path[PETSC_MAX_PATH_LEN];
  RungCheckpoint file;

  PetscFunctionBegin;
  make_path(m, m->coupling->load, path);
  PetscCall(RungCheckpointOpen(m->sys, path, PETSC_FALSE, &file));
  RungCallOrUndo(read_windows(m, file, has), PetscCall(RungCheckpointClose(&file)));
  if (window)
    RungCallOrUndo(get_all(m, file, has[0] == window ? "now" : "before", window),
                   PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointClose(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStoreLoad(RungCoupling c)
{
  PetscInt has[2], window = PETSC_MAX_INT;

  PetscFunctionBegin;
  if (!c->load[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->members; ++i) { /* the newest window that all have */
    PetscCall(read_member(c->member[i], 0, has));
    window = PetscMin(window, has[0]);
  }
  PetscCheck(window >= 1 && window <= c->windows, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the checkpoint is of window %" PetscInt_FMT ", the run ends after %" PetscInt_FMT, window, c->windows);
  for (PetscInt i = 0; i < c->members; ++i) {
    PetscCall(read_member(c->member[i], window, has));
    PetscCheck(has[0] == window || has[1] == window, c->comm, PETSC_ERR_FILE_UNEXPECTED,
               "checkpoint \"%s\" of system %s is of windows %" PetscInt_FMT " and %" PetscInt_FMT
               ", that of another system of window %" PetscInt_FMT ": they are not of one run",
               c->load, c->member[i]->name, has[1], has[0], window);
  }
  c->done = window;
  if (c->save[0]) PetscCall(take_as_saved(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
