/* checkpoint.c - one HDF5 file that a run can be continued from, by any number of ranks.

       /rung            attributes: what the file is a checkpoint of, and what steppers add
       /level0 ..       attribute t; a group for each vector of the level (u, dt_u, ..), in it one data set for each
                        unknown, [natural node][component]

   The file is made aside, sealed (seal.c) and renamed: under its name it is always whole. */
#include "natural_impl.h"
#include "seal_impl.h"

#include <errno.h>
#include <petscviewerhdf5.h>
#include <string.h>

#define TEXT 1024 /* longest text of an attribute */

struct _p_RungCheckpoint {
  MPI_Comm    comm;    /* lent by sys      */
  RungSystem  sys;     /* reference        */
  PetscViewer viewer;  /* owned            */
  RungNatural natural; /* owned           */
  PetscBool   writing;
  char        path[PETSC_MAX_PATH_LEN], aside[PETSC_MAX_PATH_LEN];
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create(RungSystem sys, const char path[], PetscBool writing, RungCheckpoint *checkpoint)
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
  PetscCall(RungSystemReference(sys));
  PetscCall(PetscStrncpy(c->path, path, sizeof c->path));
  PetscCall(PetscSNPrintf(c->aside, sizeof c->aside, "%s.part", path));
  PetscCall(RungNaturalCreate(sys, &c->natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointClose(RungCheckpoint *checkpoint)
{
  RungCheckpoint c = *checkpoint;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  *checkpoint = NULL;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerDestroy(&c->viewer));
  PetscCallMPI(MPI_Comm_rank(c->comm, &rank));
  if (c->writing && !rank) (void)remove(c->aside);
  PetscCall(RungNaturalDestroy(&c->natural));
  PetscCall(RungSystemDestroy(&c->sys));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode seal(RungCheckpoint c)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerDestroy(&c->viewer));
  PetscCall(RungSealWrite(c->comm, c->aside, c->path));
  c->writing = PETSC_FALSE; /* nothing is left to remove */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointSeal(RungCheckpoint *checkpoint)
{
  RungCheckpoint c = *checkpoint;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCheck(c->writing, c->comm, PETSC_ERR_ORDER, "checkpoint \"%s\" is open for reading; only new ones are sealed",
             c->path);
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  RungCallFinally(seal(c), PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
                  PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers, texts and vectors ----------------------------------------------------------------------------------- */

PetscErrorCode RungCheckpointPutReal(RungCheckpoint c, const char name[], PetscReal value)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(PetscViewerHDF5WriteAttribute(c->viewer, "/rung", name, PETSC_REAL, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutInt(RungCheckpoint c, const char name[], PetscInt value)
{
  const double exact = (double)value; /* PetscInt has another width in another build of PETSc */

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(PetscViewerHDF5WriteAttribute(c->viewer, "/rung", name, PETSC_DOUBLE, &exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutText(RungCheckpoint c, const char name[], const char text[])
{
  char *same; /* as on rank 0: HDF5 waits for ever where ranks disagree about a length */
  int   size = (int)strlen(text) + 1;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCallMPI(MPI_Bcast(&size, 1, MPI_INT, 0, c->comm));
  PetscCall(PetscCalloc1(size, &same));
  PetscCall(PetscStrncpy(same, text, (size_t)size));
  PetscCallMPI(MPI_Bcast(same, size, MPI_CHAR, 0, c->comm));
  RungCallFinally(PetscViewerHDF5WriteAttribute(c->viewer, "/rung", name, PETSC_STRING, same),
                  PetscCall(PetscFree(same)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointHas(RungCheckpoint c, const char name[], PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(PetscViewerHDF5HasAttribute(c->viewer, "/rung", name, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need(RungCheckpoint c, const char name[])
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(RungCheckpointHas(c, name, &has));
  PetscCheck(has, c->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" says nothing of \"%s\"; take one that this program wrote", c->path, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetReal(RungCheckpoint c, const char name[], PetscReal *value)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(need(c, name));
  PetscCall(PetscViewerHDF5ReadAttribute(c->viewer, "/rung", name, PETSC_REAL, NULL, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetInt(RungCheckpoint c, const char name[], PetscInt *value)
{
  double exact;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(need(c, name));
  PetscCall(PetscViewerHDF5ReadAttribute(c->viewer, "/rung", name, PETSC_DOUBLE, NULL, &exact));
  *value = (PetscInt)exact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetText(RungCheckpoint c, const char name[], char **text)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(need(c, name));
  PetscCall(PetscViewerHDF5ReadAttribute(c->viewer, "/rung", name, PETSC_STRING, NULL, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointPutVec(RungCheckpoint c, const char group[], Vec u)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(PetscViewerHDF5PushGroup(c->viewer, group));
  for (PetscInt f = 0; f < c->natural->pieces; ++f) {
    PetscCall(RungNaturalFrom(c->natural, f, u));
    PetscCall(VecView(c->natural->piece[f], c->viewer));
  }
  PetscCall(PetscViewerHDF5PopGroup(c->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointGetVec(RungCheckpoint c, const char group[], Vec u)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(PetscViewerHDF5PushGroup(c->viewer, group));
  for (PetscInt f = 0; f < c->natural->pieces; ++f) {
    PetscCall(VecLoad(c->natural->piece[f], c->viewer));
    PetscCall(RungNaturalTo(c->natural, f, u));
  }
  PetscCall(PetscViewerHDF5PopGroup(c->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what the file is a checkpoint of ------------------------------------------------------------------------------- */

/* What must be the same, item by item. */
typedef struct {
  RungCheckpoint c;
  PetscBool      force; /* differences in the equations are told, not refused */
} Compare;

/* A long text by its beginning and a hash of all of it. */
static PetscErrorCode shorten(const char text[], char out[TEXT])
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */

  PetscFunctionBegin;
  for (const char *p = text; *p; ++p) hash = (hash ^ (unsigned char)*p) * 1099511628211u;
  if (strlen(text) < TEXT)
    PetscCall(PetscStrncpy(out, text, TEXT));
  else
    PetscCall(PetscSNPrintf(out, TEXT, "%.200s.. (hash %016llx)", text, (unsigned long long)hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes the item, or compares it with what was written.  hard: no way round a difference. */
static PetscErrorCode item(Compare *compare, PetscBool hard, const char name[], const char value[])
{
  RungCheckpoint c = compare->c;
  char           now[TEXT], then[TEXT] = "unknown", *text;
  PetscBool      has, same             = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(shorten(value, now));
  if (c->writing) {
    PetscCall(RungCheckpointPutText(c, name, now));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungCheckpointHas(c, name, &has));
  if (has) {
    PetscCall(RungCheckpointGetText(c, name, &text));
    PetscCall(PetscStrncpy(then, text, sizeof then));
    PetscCall(PetscFree(text));
    PetscCall(PetscStrcmp(now, then, &same));
  }
  PetscCheck(same || (!hard && compare->force), c->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" was written with %s \"%s\", this run has \"%s\"; %s", c->path, name, then, now,
             hard ? "continue with the same mesh, unknowns and spaces"
                  : "take what the run was started with, or add -stepper_restart_force to go on with the change");
  if (!same)
    PetscCall(RungSystemWarn(c->sys, "checkpoint \"%s\" was written with %s \"%s\", going on with \"%s\"", c->path,
                             name, then, now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_unknowns(Compare *compare)
{
  RungSystem           sys = compare->c->sys;
  const RungSpaceData *space;
  char                 name[64], text[TEXT], mesh[17];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text, "%s of order %" PetscInt_FMT " in time, %" PetscInt_FMT " entries",
                          sys->ops->kind, sys->traits.order, sys->global));
  PetscCall(item(compare, PETSC_TRUE, "system", text));
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    PetscCall(PetscSNPrintf(name, sizeof name, "unknown %" PetscInt_FMT, f));
    PetscCall(PetscSNPrintf(text, sizeof text, "%s in %s", sys->form->name[f], space->spec));
    PetscCall(item(compare, PETSC_TRUE, name, text));
    if (f) continue;
    PetscCall(RungMeshGetFingerprint(space->mesh, mesh));
    PetscCall(item(compare, PETSC_TRUE, "mesh", mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_equations(Compare *compare)
{
  RungFormSide       form = compare->c->sys->form;
  RungExpr           expr;
  PetscInt           constants;
  const char *const *names;
  const PetscReal   *values;
  char               name[128], text[2 * TEXT], *residual;

  PetscFunctionBegin;
  PetscCall(RungSystemGetResidual(compare->c->sys, &expr));
  PetscCall(RungExprToText(expr, &residual));
  RungCallFinally(item(compare, PETSC_FALSE, "residual", residual), PetscCall(PetscFree(residual)));
  for (PetscInt i = 0; i < form->conditions; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "Dirichlet condition %" PetscInt_FMT, i));
    PetscCall(PetscSNPrintf(text, sizeof text, "%s on %s: %s", form->condition[i].name, form->condition[i].part,
                            form->condition[i].text));
    PetscCall(item(compare, PETSC_FALSE, name, text));
  }
  PetscCall(RungScopeGetConstants(form->scope, &constants, &names, &values));
  for (PetscInt i = 0; i < constants; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "constant %s", names[i]));
    PetscCall(PetscSNPrintf(text, sizeof text, "%.17g", (double)values[i]));
    PetscCall(item(compare, PETSC_FALSE, name, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same bits come from the same kernels on as many ranks; other ranks continue to rounding. */
static PetscErrorCode describe_kernels(Compare *compare)
{
  RungCheckpoint           c       = compare->c;
  RungFormSide             form    = c->sys->form;
  RungForm                 part[3] = {form->F, form->rest, form->m};
  static const char *const name[]  = {"kernels of the residual", "kernels of the rest", "kernels of conserved terms"};
  PetscMPIInt              ranks;
  PetscInt                 then;
  char                    *text;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  if (c->writing)
    PetscCall(RungCheckpointPutInt(c, "ranks", ranks));
  else {
    PetscCall(RungCheckpointGetInt(c, "ranks", &then));
    if (then != ranks) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int i = 0; i < 3; ++i) {
    if (!part[i]) continue;
    PetscCall(RungFormGetIdentity(part[i], &text));
    RungCallFinally(item(compare, PETSC_FALSE, name[i], text), PetscCall(PetscFree(text)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(RungCheckpoint c, PetscBool force)
{
  Compare compare = {c, force};

  PetscFunctionBegin;
  PetscCall(describe_unknowns(&compare));
  if (c->sys->form) {
    PetscCall(describe_equations(&compare));
    PetscCall(describe_kernels(&compare));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Can the file be made at all?  Asked on rank 0, before all ranks open it together. */
static PetscErrorCode try_to_write(RungCheckpoint c)
{
  char      why[256] = "";
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(RungSealTry(c->comm, c->path, c->aside, &ok, why, sizeof why));
  RungCheckAll(ok, c->comm, PETSC_ERR_FILE_OPEN, "checkpoint \"%s\" cannot be written: %s; choose another place",
               c->path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(RungCheckpoint c)
{
  PetscFunctionBegin;
  PetscCall(try_to_write(c));
  PetscCall(PetscViewerHDF5Open(c->comm, c->aside, FILE_MODE_WRITE, &c->viewer));
  PetscCall(PetscViewerHDF5WriteGroup(c->viewer, "/rung"));
  PetscCall(describe(c, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointCreate(RungSystem sys, const char path[], RungCheckpoint *checkpoint)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(create(sys, path, PETSC_TRUE, checkpoint));
  RungCallOrUndo(begin(*checkpoint), PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_into(RungCheckpoint c, PetscBool force)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerHDF5Open(c->comm, c->path, FILE_MODE_READ, &c->viewer));
  PetscCall(describe(c, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCheckpointOpen(RungSystem sys, const char path[], PetscBool force, RungCheckpoint *checkpoint)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(path && path[0], RungSystemComm(sys), PETSC_ERR_ARG_WRONG, "a checkpoint without a path");
  PetscCall(RungSealCheck(RungSystemComm(sys), path));
  PetscCall(create(sys, path, PETSC_FALSE, checkpoint));
  RungCallOrUndo(look_into(*checkpoint, force), PetscCall(RungCheckpointClose(checkpoint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a system in time ------------------------------------------------------------------------------------------- */

/* One vector after the other of a level, in the order of RungStateVisit. */
typedef struct {
  RungTransientSystem ts;
  RungCheckpoint      c;
  PetscInt            level, next;
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

static PetscErrorCode check_room(RungTransientSystem ts, RungCheckpoint c)
{
  PetscInt vecs = 0;

  PetscFunctionBegin;
  PetscCall(RungStateVisit(ts, RungTransientSystemLevel(ts, 0), count_vec, &vecs));
  PetscCall(RungSealRoom(c->comm, c->path,
                         (double)vecs * (double)ts->count * (double)ts->sys->global * (double)sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode level_time(Walk *walk, char name[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "level %" PetscInt_FMT " t", walk->level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemSave(RungTransientSystem ts, RungCheckpoint c)
{
  RungNeed(ts);
  Walk walk = {.ts = ts, .c = c};
  char name[32];

  PetscFunctionBegin;
  PetscCheck(!ts->open, ts->sys->comm, PETSC_ERR_ORDER, "a save while a proposal is out; accept it or roll back");
  PetscCall(check_room(ts, c));
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungCheckpointPutInt(c, "levels", ts->count));
  PetscCall(RungCheckpointPutInt(c, "carried", ts->carried));
  for (walk.level = 0; walk.level < ts->count; ++walk.level) {
    RungState *state = RungTransientSystemLevel(ts, walk.level);

    walk.next = 0;
    PetscCall(level_time(&walk, name, sizeof name));
    PetscCall(RungCheckpointPutReal(c, name, state->t));
    PetscCall(RungStateVisit(ts, state, save_vec, &walk));
  }
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemLoad(RungTransientSystem ts, RungCheckpoint c)
{
  RungNeed(ts);
  Walk     walk = {.ts = ts, .c = c};
  PetscInt levels, carried;
  char     name[32];

  PetscFunctionBegin;
  PetscCall(RungCheckpointGetInt(c, "levels", &levels));
  PetscCall(RungCheckpointGetInt(c, "carried", &carried));
  PetscCheck(carried == ts->carried && levels >= 1 && levels <= ts->depth, ts->sys->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" has %" PetscInt_FMT " levels with %" PetscInt_FMT
             " carried vectors, this history has room for %" PetscInt_FMT " with %" PetscInt_FMT
             "; continue with the same method",
             c->path, levels, carried, ts->depth, ts->carried);
  PetscCall(PetscLogEventBegin(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscCall(RungTransientSystemForget(ts));
  for (walk.level = levels - 1; walk.level >= 0; --walk.level) { /* the oldest first, as they were accepted */
    RungState *state;

    walk.next = 0;
    PetscCall(RungTransientSystemGetProposal(ts, &state));
    PetscCall(level_time(&walk, name, sizeof name));
    PetscCall(RungCheckpointGetReal(c, name, &state->t));
    PetscCall(RungStateVisit(ts, state, load_vec, &walk));
    PetscCall(RungTransientSystemPush(ts));
  }
  PetscCall(PetscLogEventEnd(RUNG_SYSTEM_CHECKPOINT, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
