/* checkpoint.c - one HDF5 file that a run can be continued from, by any number of ranks.

       /rung            attributes: what the file is a checkpoint of (checkpoint_describe.c), and what steppers add
       /level0 ..       a group for each vector of the level (u, dt_u, ..), in it one data set for each unknown,
                        [natural node][component]; its time is the attribute "level 0 t" of /rung

   The file is made aside by rank 0 (store.c), sealed (seal.c) and renamed: under its name it is always whole. */
#include "checkpoint_impl.h"

#define PRESUMED  "presumed definite wrongly"
#define SET_BYTES 4096 /* of a data set's name and place in the file, at most */

/* ---- life ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create(RungSystem sys, const char path[], PetscBool writing, PetscBool force,
                             RungCheckpoint *checkpoint)
{
  RungCheckpoint c;

  PetscFunctionBegin;
  PetscCall(RungPathCheck(RungSystemComm(sys), "a checkpoint", path, "run.h5"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(PetscNew(&c));
  *checkpoint = c;
  c->comm     = RungSystemComm(sys);
  c->sys      = sys;
  c->writing  = writing;
  c->force    = force;
  PetscCall(RungSystemReference(sys));
  if (writing)
    PetscCall(RungStoreCreate(c->comm, "checkpoint", path, &c->store));
  else
    PetscCall(RungStoreOpen(c->comm, "checkpoint", path, &c->store));
  PetscCall(RungNaturalCreate(sys, &c->natural));
  PetscCall(RungCheckpointDescribe(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointClose(RungCheckpoint *checkpoint)
{
  RungCheckpoint c = *checkpoint;

  PetscFunctionBegin;
  *checkpoint = NULL;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStoreClose(&c->store));
  PetscCall(RungNaturalDestroy(&c->natural));
  PetscCall(RungSystemDestroy(&c->sys));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointTry(RungSystem sys, const char path[], RungCheckpoint *checkpoint)
{
  PetscFunctionBegin;
  RungNeed(sys);
  *checkpoint = NULL;
  RungCallOrUndo(create(sys, path, PETSC_TRUE, PETSC_FALSE, checkpoint), PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The disk's refusal, so far, as an error. */
static PetscErrorCode check_begun(RungCheckpoint c)
{
  char      why[256];
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(RungStoreGetTrouble(c->store, &ok, why, sizeof why));
  PetscCheck(ok, c->comm, PETSC_ERR_FILE_OPEN, "checkpoint \"%s\" cannot be written: %s; choose another place",
             RungStorePath(c->store), why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointCreate(RungSystem sys, const char path[], RungCheckpoint *checkpoint)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungCheckpointTry(sys, path, checkpoint));
  RungCallOrUndo(check_begun(*checkpoint), PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointOpen(RungSystem sys, const char path[], PetscBool force, RungCheckpoint *checkpoint)
{
  PetscFunctionBegin;
  RungNeed(sys);
  *checkpoint = NULL;
  RungCallOrUndo(create(sys, path, PETSC_FALSE, force, checkpoint), PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointFinish(RungCheckpoint *checkpoint, PetscBool *written, char why[], size_t room)
{
  RungCheckpoint c = *checkpoint;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCheck(c->writing, c->comm, PETSC_ERR_ORDER, "checkpoint \"%s\" is open for reading; only new ones are sealed",
             RungStorePath(c->store));
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungStoreFinish(&c->store, written, why, room));
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungCheckpointClose(checkpoint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointSeal(RungCheckpoint *checkpoint)
{
  RungCheckpoint c = *checkpoint;
  char           path[PETSC_MAX_PATH_LEN], why[256];
  PetscBool      written;
  MPI_Comm       comm;

  PetscFunctionBegin;
  RungNeed(c);
  comm = c->comm;
  PetscCall(PetscStrncpy(path, RungStorePath(c->store), sizeof path));
  PetscCall(RungCheckpointFinish(checkpoint, &written, why, sizeof why));
  PetscCheck(written, comm, PETSC_ERR_FILE_WRITE,
             "checkpoint \"%s\" cannot be written: %s; choose another place, the one before it stays", path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers, texts and vectors ----------------------------------------------------------------------------------- */

PetscErrorCode RungCheckpointPutReal(RungCheckpoint c, const char name[], PetscReal value)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStorePutNumber(c->store, name, (double)value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutInt(RungCheckpoint c, const char name[], PetscInt value)
{
  PetscFunctionBegin;
  RungNeed(c); /* as a double: PetscInt has another width in another build of PETSc */
  PetscCall(RungStorePutNumber(c->store, name, (double)value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutText(RungCheckpoint c, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStorePutText(c->store, name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointHas(RungCheckpoint c, const char name[], PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStoreHas(c->store, name, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetReal(RungCheckpoint c, const char name[], PetscReal *value)
{
  double found;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStoreGetNumber(c->store, name, &found));
  *value = (PetscReal)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetInt(RungCheckpoint c, const char name[], PetscInt *value)
{
  const double end = PetscMin((double)PETSC_MAX_INT, 0x1p53); /* doubles leave greater ones out */
  double       found;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStoreGetNumber(c->store, name, &found));
  PetscCheck(found == floor(found) && fabs(found) < end, c->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: \"%s\" is %.17g, wanted a whole number; take one that this program wrote",
             RungStorePath(c->store), name, found);
  *value = (PetscInt)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetText(RungCheckpoint c, const char name[], char **text)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStoreGetText(c->store, name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungSystemWasPresumedWrongly(RungSystem sys)
{
  return sys->presumption == RUNG_PRESUMED_WRONGLY ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungCheckpointPutSolver(RungCheckpoint c, const char which[], PetscBool wrongly)
{
  char name[64];

  PetscFunctionBegin;
  RungNeed(c);
  (void)snprintf(name, sizeof name, PRESUMED "%s%s", which[0] ? " " : "", which);
  if (wrongly) PetscCall(RungCheckpointPutInt(c, name, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetSolver(RungCheckpoint c, const char which[])
{
  char      name[64];
  PetscBool has;

  PetscFunctionBegin;
  RungNeed(c);
  (void)snprintf(name, sizeof name, PRESUMED "%s%s", which[0] ? " " : "", which);
  PetscCall(RungCheckpointHas(c, name, &has)); /* and in no file of older versions */
  c->sys->presumption = has ? RUNG_PRESUMED_WRONGLY : RUNG_PRESUMED_NOTHING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutVec(RungCheckpoint c, const char group[], Vec u)
{
  PetscFunctionBegin;
  RungNeed(c);
  for (PetscInt f = 0; f < c->natural->pieces; ++f) {
    PetscCall(RungNaturalFrom(c->natural, f, u));
    PetscCall(RungStorePutVec(c->store, group, RungSystemNameOf(c->sys, f), c->natural->piece[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetVec(RungCheckpoint c, const char group[], Vec u)
{
  PetscFunctionBegin;
  RungNeed(c);
  for (PetscInt f = 0; f < c->natural->pieces; ++f) {
    PetscCall(RungStoreGetVec(c->store, group, RungSystemNameOf(c->sys, f), c->natural->piece[f]));
    PetscCall(RungNaturalTo(c->natural, f, u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lists of numbers ------------------------------------------------------------------------------------------- */

/* Files of ours hold finite numbers alone: the largest one stands for an infinity, half of it for what is no number. */
static PetscScalar to_finite(PetscReal value)
{
  if (PetscIsNanReal(value)) return 0.5 * PETSC_MAX_REAL;
  return PetscMax(-PETSC_MAX_REAL, PetscMin(PETSC_MAX_REAL, value));
}

static PetscReal from_finite(PetscReal value)
{
  if (value == 0.5 * PETSC_MAX_REAL) return NAN;
  return value == PETSC_MAX_REAL ? PETSC_INFINITY : value == -PETSC_MAX_REAL ? PETSC_NINFINITY : value;
}

/* A Vec with all entries on rank 0. */
static PetscErrorCode create_list(RungCheckpoint c, PetscInt n, Vec *list, PetscInt *own)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(c->comm, &rank));
  *own = rank ? 0 : n;
  PetscCall(VecCreateMPI(c->comm, *own, n, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutReals(RungCheckpoint c, const char name[], PetscInt n, const PetscReal value[])
{
  PetscScalar *entry;
  PetscInt     own;
  Vec          list;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungStoreReserve(c->store, (double)n * (double)sizeof *entry + SET_BYTES));
  PetscCall(create_list(c, n, &list, &own));
  PetscCall(VecGetArrayWrite(list, &entry));
  for (PetscInt i = 0; i < own; ++i) entry[i] = to_finite(value[i]);
  PetscCall(VecRestoreArrayWrite(list, &entry));
  RungCallFinally(RungStorePutVec(c->store, "/numbers", name, list), PetscCall(VecDestroy(&list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list's entries, to all ranks. */
static PetscErrorCode get_list(RungCheckpoint c, const char name[], Vec list, PetscInt n, PetscInt own,
                               PetscReal value[])
{
  const PetscScalar *entry;

  PetscFunctionBegin;
  PetscCall(RungStoreGetVec(c->store, "/numbers", name, list));
  PetscCall(VecGetArrayRead(list, &entry));
  for (PetscInt i = 0; i < own; ++i) value[i] = from_finite(PetscRealPart(entry[i]));
  PetscCall(VecRestoreArrayRead(list, &entry));
  PetscCallMPI(MPI_Bcast(value, (PetscMPIInt)n, MPIU_REAL, 0, c->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetReals(RungCheckpoint c, const char name[], PetscInt *n, PetscReal *value[])
{
  PetscInt own;
  Vec      list;

  PetscFunctionBegin;
  RungNeed(c);
  *value = NULL;
  PetscCall(RungStoreGetSize(c->store, "/numbers", name, n));
  PetscCall(create_list(c, *n, &list, &own));
  RungCallOrUndo(PetscMalloc1(PetscMax(1, *n), value), PetscCall(VecDestroy(&list)));
  RungCallFinally(get_list(c, name, list, *n, own, *value), PetscCall(VecDestroy(&list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a system in time ------------------------------------------------------------------------------------------- */

/* One vector after the other of a level, in the order of RungStateVisit. */
typedef struct {
  RungTransientSystem ts;
  RungCheckpoint      c;
  PetscInt            level, next;
  PetscInt            carried; /* vectors of each level that the file has */
} Walk;

static PetscErrorCode next_group(Walk *walk, char group[], size_t size)
{
  static const char *const rate[] = {"u", "dt_u", "dtdt_u"}, *const conserved[] = {"m", "dt_m"};
  const PetscInt order = walk->ts->order, carried = walk->ts->carried;
  PetscInt       i = walk->next++;

  PetscFunctionBegin;
  if (i <= order)
    PetscCall(PetscSNPrintf(group, size, "/level%" PetscInt_FMT "/%s", walk->level, rate[i]));
  else if ((i -= order + 1) < carried)
    PetscCall(PetscSNPrintf(group, size, "/level%" PetscInt_FMT "/carry%" PetscInt_FMT, walk->level, i));
  else if ((i -= carried) < 2)
    PetscCall(PetscSNPrintf(group, size, "/level%" PetscInt_FMT "/%s", walk->level, conserved[i]));
  else
    PetscCall(PetscSNPrintf(group, size, "/level%" PetscInt_FMT "/carry_m%" PetscInt_FMT, walk->level, i - 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_vec(Vec v, void *ctx)
{
  char group[64];

  PetscFunctionBegin;
  PetscCall(next_group((Walk *)ctx, group, sizeof group));
  PetscCall(RungCheckpointPutVec(((Walk *)ctx)->c, group, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_vec(Vec v, void *ctx)
{
  char group[64];

  PetscFunctionBegin;
  PetscCall(next_group((Walk *)ctx, group, sizeof group));
  PetscCall(RungCheckpointGetVec(((Walk *)ctx)->c, group, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_vec(Vec v, void *ctx)
{
  PetscFunctionBegin;
  (void)v;
  ++*(PetscInt *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reserve(RungTransientSystem ts, RungCheckpoint c)
{
  PetscInt vecs = 0;

  PetscFunctionBegin;
  PetscCall(RungStateVisit(ts, RungTransientSystemLevel(ts, 0), count_vec, &vecs));
  PetscCall(RungStoreReserve(c->store, (double)vecs * (double)ts->count *
                                         ((double)ts->sys->global * (double)sizeof(PetscScalar) +
                                          (double)(c->natural->pieces + 1) * SET_BYTES)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode level_time(Walk *walk, char name[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "level %" PetscInt_FMT " t", walk->level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method's own numbers of a level. */
static PetscErrorCode save_numbers(Walk *walk, const RungState *state)
{
  char name[48];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < walk->ts->numbers; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "level %" PetscInt_FMT " number %" PetscInt_FMT, walk->level, i));
    PetscCall(RungCheckpointPutReal(walk->c, name, state->number[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A level of a method that has none leaves them 0. */
static PetscErrorCode load_numbers(Walk *walk, RungState *state)
{
  char      name[48];
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(state->number, walk->ts->numbers));
  PetscCall(PetscSNPrintf(name, sizeof name, "level %" PetscInt_FMT " number 0", walk->level));
  PetscCall(RungCheckpointHas(walk->c, name, &has));
  for (PetscInt i = 0; i < walk->ts->numbers && has; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "level %" PetscInt_FMT " number %" PetscInt_FMT, walk->level, i));
    PetscCall(RungCheckpointGetReal(walk->c, name, &state->number[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemSave(RungTransientSystem ts, RungCheckpoint c)
{
  RungNeed(ts);
  Walk walk = {.ts = ts, .c = c};
  char name[32];

  PetscFunctionBegin;
  PetscCheck(!ts->open, ts->sys->comm, PETSC_ERR_ORDER, "a save while a proposal is out; accept it or roll back");
  PetscCall(RungTransientSystemFindLate(ts));
  PetscCall(reserve(ts, c));
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungCheckpointPutInt(c, "levels", ts->count));
  PetscCall(RungCheckpointPutInt(c, "carried", ts->carried));
  PetscCall(RungCheckpointPutSolver(c, "", RungSystemWasPresumedWrongly(c->sys)));
  for (walk.level = 0; walk.level < ts->count; ++walk.level) {
    RungState *state = RungTransientSystemLevel(ts, walk.level);

    walk.next = 0;
    PetscCall(level_time(&walk, name, sizeof name));
    PetscCall(RungCheckpointPutReal(c, name, state->t));
    PetscCall(save_numbers(&walk, state));
    PetscCall(RungStateVisit(ts, state, save_vec, &walk));
  }
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods that carry something now and nothing in the file find 0. */
static PetscErrorCode load_vecs(Walk *walk, RungState *state)
{
  RungTransientSystem ts      = walk->ts;
  const PetscInt      carried = ts->carried;

  PetscFunctionBegin;
  ts->carried = walk->carried;
  RungCallFinally(RungStateVisit(ts, state, load_vec, walk), ts->carried = carried);
  for (PetscInt i = walk->carried; i < carried; ++i) {
    PetscCall(VecZeroEntries(state->carry[i]));
    if (state->m[0]) PetscCall(VecZeroEntries(state->carry_m[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_level(Walk *walk, PetscInt levels)
{
  RungTransientSystem ts   = walk->ts;
  PetscReal           past = PETSC_NINFINITY;
  RungState          *state;
  char                name[32];

  PetscFunctionBegin;
  if (walk->level < levels - 1) past = RungTransientSystemLevel(ts, 0)->t;
  walk->next = 0;
  PetscCall(RungTransientSystemGetProposal(ts, &state));
  PetscCall(level_time(walk, name, sizeof name));
  PetscCall(RungCheckpointGetReal(walk->c, name, &state->t));
  PetscCheck(state->t > past, ts->sys->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: \"%s\" is %.17g, the level before it is of t = %.17g; take one that this "
             "program wrote",
             RungStorePath(walk->c->store), name, (double)state->t, (double)past);
  PetscCall(load_numbers(walk, state));
  PetscCall(load_vecs(walk, state));
  PetscCall(RungTransientSystemPush(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The oldest first, as they were accepted. */
static PetscErrorCode load_levels(Walk *walk, PetscInt levels)
{
  PetscFunctionBegin;
  for (walk->level = levels - 1; walk->level >= 0; --walk->level) PetscCall(load_level(walk, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemLoad(RungTransientSystem ts, RungCheckpoint c)
{
  RungNeed(ts);
  Walk     walk = {.ts = ts, .c = c};
  PetscInt levels, carried;

  PetscFunctionBegin;
  PetscCall(RungCheckpointGetInt(c, "levels", &levels));
  PetscCall(RungCheckpointGetInt(c, "carried", &carried));
  PetscCall(RungCheckpointGetSolver(c, ""));
  walk.carried = carried;
  PetscCheck((carried == ts->carried || !carried) && levels >= 1 && levels <= ts->depth, ts->sys->comm,
             PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" has %" PetscInt_FMT " levels with %" PetscInt_FMT
             " carried vectors, this history has room for %" PetscInt_FMT " with %" PetscInt_FMT
             "; continue with the same method",
             RungStorePath(c->store), levels, carried, ts->depth, ts->carried);
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungTransientSystemForget(ts));
  RungCallOrUndo(load_levels(&walk, levels), PetscCall(RungTransientSystemForget(ts)));
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
