/* test_checkpoint.c - levels saved and loaded are the same bits; what belongs to another problem is refused. */
#include "check.h"
#include <sys/stat.h>
#include "ode_problems.h"
#include "vectors.h"

#include <stdio.h>
#include <unistd.h>

static PetscErrorCode create(PetscInt local, PetscInt depth, RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(oscillator_create(local, sys));
  PetscCall(RungTransientSystemCreate(*sys, depth, 1, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungState          *to;
  RungCheckpoint      file;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.1));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = 1.0 / 3;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(vec_fill(to->u[k], k));
  PetscCall(vec_fill(to->carry[0], 7));
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(RungCheckpointCreate(sys, "levels.h5", &file));
  PetscCall(RungTransientSystemSave(ts, file));
  PetscCall(RungCheckpointPutText(file, "a text", "with \"quotes\""));
  PetscCall(RungCheckpointPutInt(file, "an integer", -7));
  PetscCall(RungCheckpointSeal(&file));
  CHECK(!file);
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_come_back_bit_for_bit(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  RungCheckpoint      file;
  PetscInt            levels;
  Vec                 u;
  unsigned long long  found = 1, wanted = 1;

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file));
  PetscCall(RungTransientSystemLoad(ts, file));
  PetscCall(RungCheckpointClose(&file));
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  CHECK(levels == 2);
  PetscCall(RungTransientSystemGetState(ts, 1, &state));
  CHECK(state->t == 0.1);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  CHECK(state->t == 1.0 / 3);
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(vec_fill(u, k));
    PetscCall(vec_hash(u, &wanted));
    PetscCall(vec_hash(state->u[k], &found));
  }
  PetscCall(vec_fill(u, 7));
  PetscCall(vec_hash(u, &wanted));
  PetscCall(vec_hash(state->carry[0], &found));
  CHECK(found == wanted);
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_numbers_and_texts_come_back_and_missing_ones_are_named(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file;
  PetscInt            value;
  PetscBool           has;
  char               *text;

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file));
  PetscCall(RungCheckpointGetText(file, "a text", &text));
  CHECK(!strcmp(text, "with \"quotes\""));
  PetscCall(PetscFree(text));
  PetscCall(RungCheckpointGetInt(file, "an integer", &value));
  CHECK(value == -7);
  PetscCall(RungCheckpointHas(file, "nothing", &has));
  CHECK(!has);
  CHECK_RAISES(RungCheckpointGetInt(file, "nothing", &value), "says nothing of \"nothing\"");
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(PetscInt local, PetscInt depth, const char text[])
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file = NULL;

  PetscFunctionBegin;
  PetscCall(create(local, depth, &sys, &ts));
  if (local == 2) {
    PetscCall(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file));
    CHECK_RAISES(RungTransientSystemLoad(ts, file), text);
  } else
    CHECK_RAISES(RungCheckpointOpen(sys, "levels.h5", PETSC_TRUE, &file), text);
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_of_another_problem_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(refuse(3, 3, "was written with system"));
  PetscCall(refuse(2, 1, "has 2 levels with 1 carried vectors, this history has room for 1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 changes the file: flips one bit at `place`, or cuts it there. */
static PetscErrorCode damage(long place, PetscBool cut)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank && cut) CHECK(truncate("levels.h5", place) == 0);
  if (!rank && !cut) {
    FILE *file = fopen("levels.h5", "r+b");
    int   byte;

    CHECK(file && fseek(file, place, SEEK_SET) == 0);
    byte = fgetc(file);
    CHECK(fseek(file, place, SEEK_SET) == 0 && fputc(byte ^ 4, file) != EOF);
    CHECK(fclose(file) == 0);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_damaged_or_foreign_file_is_refused(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file = NULL;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  (void)mkfifo("pipe.h5", 0600); /* the first rank makes it */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  for (long place = 0; place < 6000; place += 700) {
    PetscCall(save());
    PetscCall(damage(place, PETSC_FALSE));
    CHECK_RAISES(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file), "not those that were written");
  }
  PetscCall(damage(2000, PETSC_TRUE));
  CHECK_RAISES(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file), "cut short, or no checkpoint");
  PetscCall(damage(3, PETSC_TRUE));
  CHECK_RAISES(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file), "cut short, or no checkpoint");
  CHECK_RAISES(RungCheckpointOpen(sys, "nowhere.h5", PETSC_FALSE, &file), "No such file");
  CHECK_RAISES(RungCheckpointCreate(sys, "no/such/place.h5", &file), "cannot be written: No such file");
  CHECK_RAISES(RungCheckpointCreate(sys, "pipe.h5", &file), "cannot be written: a device or pipe of that name exists");
  CHECK(!file);
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_levels_come_back_bit_for_bit),
               RUNG_TEST(test_numbers_and_texts_come_back_and_missing_ones_are_named),
               RUNG_TEST(test_levels_of_another_problem_are_refused),
               RUNG_TEST(test_a_damaged_or_foreign_file_is_refused))
