/* test_checkpoint.c - levels saved and loaded are the same bits; what belongs to another problem is refused. */
#include "check.h"
#include <sys/stat.h>
#include "ode_problems.h"
#include "limit.h"
#include "vectors.h"

#include "seal_impl.h"
#include "store_impl.h"

#include <hdf5.h>
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

/* carried: vectors of each level besides, 0 or 1 */
static PetscErrorCode save_with(PetscInt carried)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungState          *to;
  RungCheckpoint      file;

  PetscFunctionBegin;
  PetscCall(oscillator_create(2, &sys));
  PetscCall(RungTransientSystemCreate(sys, 3, carried, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.1));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = 1.0 / 3;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(vec_fill(to->u[k], k));
  if (carried) PetscCall(vec_fill(to->carry[0], 7));
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

static PetscErrorCode save(void)
{
  PetscFunctionBegin;
  PetscCall(save_with(1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a method that carried nothing when the file was written; the last time all levels have been filled. */
static PetscErrorCode test_levels_without_carried_vectors_have_zeros(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  RungCheckpoint      file;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  for (int i = 0; i < 4; ++i) {
    const int carried = i < 3;

    PetscCall(save_with(carried));
    PetscCall(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file));
    PetscCall(RungTransientSystemLoad(ts, file));
    PetscCall(RungCheckpointClose(&file));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(VecNorm(state->carry[0], NORM_INFINITY, &norm));
    CHECK(state->t == 1.0 / 3 && (norm > 0) == carried);
    PetscCall(VecNorm(state->u[2], NORM_INFINITY, &norm));
    CHECK(norm > 0);
  }
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

/* On all ranks, with what is not finite; none at all. */
static PetscErrorCode test_lists_of_numbers_come_back(void)
{
  const PetscReal     list[] = {1. / 3, PETSC_INFINITY, -2e300, NAN, PETSC_NINFINITY};
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file;
  PetscReal          *value;
  PetscInt            n;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungCheckpointCreate(sys, "lists.h5", &file));
  PetscCall(RungCheckpointPutReals(file, "five", 5, list));
  PetscCall(RungCheckpointPutReals(file, "none", 0, NULL));
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(RungCheckpointOpen(sys, "lists.h5", PETSC_FALSE, &file));
  PetscCall(RungCheckpointGetReals(file, "five", &n, &value));
  CHECK(n == 5 && PetscIsNanReal(value[3]));
  for (PetscInt i = 0; i < n; ++i) CHECK(i == 3 || value[i] == list[i]);
  PetscCall(PetscFree(value));
  PetscCall(RungCheckpointGetReals(file, "none", &n, &value));
  CHECK(n == 0);
  PetscCall(PetscFree(value));
  CHECK_RAISES(RungCheckpointGetReals(file, "nothing", &n, &value), "it has no list \"/numbers/nothing\"");
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_pairs_are_no_list(void)
{
  RungStore store;
  PetscBool ok;
  PetscInt  n;
  char      why[256];
  Vec       u;

  PetscFunctionBegin;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 4, PETSC_DETERMINE, &u));
  PetscCall(VecSetBlockSize(u, 2));
  PetscCall(RungStoreCreate(PETSC_COMM_WORLD, "checkpoint", "pairs.h5", &store));
  PetscCall(RungStorePutVec(store, "/pairs", "u", u));
  PetscCall(RungStoreFinish(&store, &ok, why, sizeof why));
  CHECK(ok);
  PetscCall(RungStoreOpen(PETSC_COMM_WORLD, "checkpoint", "pairs.h5", &store));
  PetscCall(RungStoreGetVec(store, "/pairs", "u", u));
  CHECK_RAISES(RungStoreGetSize(store, "/pairs", "u", &n), "it has no list \"/pairs/u\"");
  PetscCall(RungStoreClose(&store));
  PetscCall(VecDestroy(&u));
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
  CHECK_RAISES(RungCheckpointCreate(sys, "levels.h5", &file), "a file that is not a checkpoint or field file is there");
  CHECK(!file);
  (void)remove("levels.h5"); /* on the first rank that comes; the others find nothing */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_file_that_another_run_writes_is_left_alone(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      first, second = NULL;

  PetscFunctionBegin;
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.1));
  PetscCall(RungCheckpointCreate(sys, "ours.h5", &first));
  CHECK_RAISES(RungCheckpointCreate(sys, "ours.h5", &second), "another run is writing it");
  PetscCall(RungTransientSystemSave(ts, first));
  PetscCall(RungCheckpointSeal(&first));
  PetscCall(RungCheckpointOpen(sys, "ours.h5", PETSC_FALSE, &first));
  PetscCall(RungCheckpointClose(&first));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a disk that refuses ------------------------------------------------------------------------------------------ */

/* before: full when the file begins; else it fills up once room was reserved, in the middle of a vector */
static PetscErrorCode fill_up(PetscBool before, const char why[])
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file;
  PetscMPIInt         rank;
  PetscBool           written;
  char                said[256];
  Vec                 u;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create(100, 3, &sys, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.1));
  PetscCall(RungSystemCreateVec(sys, &u));
  if (before) PetscCall(limit_files(4096));
  PetscCall(RungCheckpointTry(sys, "levels.h5", &file));
  if (!before) PetscCall(limit_files(3000));
  PetscCall(RungCheckpointPutVec(file, "/more", u));
  PetscCall(RungTransientSystemSave(ts, file));
  PetscCall(RungCheckpointFinish(&file, &written, said, sizeof said));
  if (before) CHECK_RAISES(RungCheckpointCreate(sys, "levels.h5", &file), "cannot be written: File too large");
  PetscCall(limit_files(RLIM_INFINITY));
  CHECK(!written && !file && strstr(said, why));
  CHECK(rank || access("levels.h5.part", F_OK) != 0); /* rank 0 takes it away, when others may have gone on */
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_full_disk_is_told_and_the_older_file_stays(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungCheckpoint      file;

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(fill_up(PETSC_TRUE, "File too large"));
  PetscCall(fill_up(PETSC_FALSE, "File too large"));
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(RungCheckpointOpen(sys, "levels.h5", PETSC_FALSE, &file));
  PetscCall(RungTransientSystemLoad(ts, file));
  PetscCall(RungCheckpointClose(&file));
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The disk is that of the folder, and who has closed standard input gets a file of number 0. */
static PetscErrorCode test_room_is_asked_of_the_folder_and_any_number_of_a_file_will_do(void)
{
  const int in = dup(0);
  char      why[256];
  int       lock;

  PetscFunctionBegin;
  (void)mkdir("deeper", 0755);
  CHECK(!RungSealReserve("deeper/none.h5", "deeper/none.h5.part", 1e30, why, sizeof why) &&
        strstr(why, "its disk has "));
  if (check_alone()) {
    (void)close(0);
    CHECK(RungSealTry("zero.h5", "zero.h5.part", &lock, why, sizeof why) && lock == 0);
    (void)close(0);
    (void)unlink("zero.h5.part");
    (void)dup2(in, 0);
  }
  (void)close(in);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rank_0_alone_needs_the_folder(void)
{
  char        home[PETSC_MAX_PATH_LEN], other[64];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(other, sizeof other, "elsewhere%d", rank));
  CHECK(getcwd(home, sizeof home));
  if (rank) CHECK((mkdir(other, 0700) == 0 || access(other, F_OK) == 0) && chdir(other) == 0);
  PetscCall(test_levels_come_back_bit_for_bit());
  if (rank) CHECK(access("levels.h5", F_OK) != 0);
  CHECK(chdir(home) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a right seal over wrong contents ------------------------------------------------------------------------------ */

/* Rank 0: an attribute is replaced by one of this type with this many values; type < 0: it goes. */
static void replace_attribute(hid_t file, const char name[], hid_t type, hsize_t n, const void *value)
{
  const hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
  hid_t       attribute;

  CHECK(H5Adelete_by_name(file, "/rung", name, H5P_DEFAULT) >= 0);
  if (type >= 0) {
    attribute = H5Acreate_by_name(file, "/rung", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
    (void)H5Aclose(attribute);
  }
  (void)H5Sclose(space);
}

#define MUTATIONS 8

/* The file is opened anew, changed, closed and sealed. */
static void mutate_attribute(const char name[], int how)
{
  static const double wrong[] = {NAN, 1e300, -1, 0.5, INFINITY};
  static double       many[7000]; /* an attribute of 56 kB read into one number writes over the stack */
  const hid_t         file = H5Fopen("mutated.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t               text = H5Tcopy(H5T_C_S1);

  (void)H5Tset_size(text, 3);
  if (how < 5)
    replace_attribute(file, name, H5T_NATIVE_DOUBLE, 1, &wrong[how]);
  else if (how == 5)
    replace_attribute(file, name, H5T_NATIVE_DOUBLE, 7000, many);
  else if (how == 6)
    replace_attribute(file, name, text, 1, "abc");
  else
    replace_attribute(file, name, -1, 1, NULL);
  (void)H5Tclose(text);
  CHECK(H5Fclose(file) >= 0);
}

#define SET_MUTATIONS 6

/* In place of n numbers: some that are no numbers (0), another length (1), text (2), the same in the tree of the file
   (3), the same as numbers of another kind (4), nothing (5). */
static void make_set(hid_t file, const char name[], int how, hsize_t n)
{
  static const double wrong[65] = {0, NAN}, right[64] = {0};
  const double       *bad   = wrong + (strstr(name, "level0") ? 1 : 0); /* the first number, or the second one */
  const hid_t         space = H5Screate_simple(1, &n, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t         type = H5Tcopy(how == 2 ? H5T_NATIVE_CHAR : H5T_NATIVE_DOUBLE);
  hid_t               set;

  if (how == 3) CHECK(H5Pset_layout(list, H5D_COMPACT) >= 0);
  if (how == 4) CHECK(H5Tset_ebias(type, 1000) >= 0);
  set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  CHECK(n <= 64 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, how ? right : bad) >= 0);
  (void)H5Dclose(set);
  (void)H5Pclose(list);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
}

static void mutate_set(const char name[], int how)
{
  const hid_t file = H5Fopen("mutated.h5", H5F_ACC_RDWR, H5P_DEFAULT), same = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(same);
  hsize_t     n;

  CHECK(H5Sget_simple_extent_dims(space, &n, NULL) == 1);
  (void)H5Sclose(space);
  (void)H5Dclose(same);
  CHECK(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  if (how < SET_MUTATIONS - 1) make_set(file, name, how, how == 1 ? 64 : n);
  CHECK(H5Fclose(file) >= 0);
}

static herr_t keep_name(hid_t at, const char name[], const H5A_info_t *info, void *list)
{
  (void)at, (void)info;
  strncat((char *)list, name, 64);
  strncat((char *)list, "\n", 2);
  return 0;
}

/* Rank 0: names of all attributes, each with an end of line behind it */
static PetscErrorCode list_attributes(char names[4096])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  names[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    const hid_t file = H5Fopen("levels.h5", H5F_ACC_RDONLY, H5P_DEFAULT);

    CHECK(H5Aiterate_by_name(file, "/rung", H5_INDEX_NAME, H5_ITER_INC, NULL, keep_name, names, H5P_DEFAULT) >= 0);
    CHECK(H5Fclose(file) >= 0);
  }
  PetscCallMPI(MPI_Bcast(names, 4096, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_all(RungSystem sys, RungTransientSystem ts, RungCheckpoint file)
{
  PetscInt integer;
  char    *text;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemLoad(ts, file));
  PetscCall(RungCheckpointGetInt(file, "an integer", &integer));
  PetscCall(RungCheckpointGetText(file, "a text", &text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Loads mutated.h5: *code is what it raises, with its words. */
static PetscErrorCode load_mutated(RungSystem sys, RungTransientSystem ts, PetscErrorCode *code, char words[4096])
{
  RungCheckpoint file = NULL;

  PetscFunctionBegin;
  words[0] = '\0';
  PetscCall(PetscPushErrorHandler(check_keep_message, words));
  *code = RungCheckpointOpen(sys, "mutated.h5", PETSC_FALSE, &file);
  if (!*code) *code = load_all(sys, ts, file);
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungCheckpointClose(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: a copy of levels.h5 without its seal, changed, sealed. */
static PetscErrorCode mutate(const char name[], PetscBool set, int how)
{
  PetscMPIInt rank;
  char        why[256], *bytes;
  FILE       *file;
  size_t      n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(PetscMalloc1(1 << 20, &bytes));
    CHECK((file = fopen("levels.h5", "rb")));
    n = fread(bytes, 1, 1 << 20, file);
    CHECK(fclose(file) == 0 && n > 64);
    CHECK((file = fopen("mutated.h5", "wb")));
    CHECK(fwrite(bytes, 1, n - 64, file) == n - 64 && fclose(file) == 0);
    if (set)
      mutate_set(name, how);
    else
      mutate_attribute(name, how);
    CHECK(rename("mutated.h5", "mutated.h5.part") == 0);
    CHECK(RungSealWrite("mutated.h5.part", "mutated.h5", why, sizeof why));
    PetscCall(PetscFree(bytes));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number may be another number that makes sense: a time of -1, an integer of -1.  Another version of Rung is told, and
   files of before have none.  All else is refused by name. */
static PetscBool may_pass(const char name[], int how)
{
  const PetscBool time = strncmp(name, "level ", 6) == 0 ? PETSC_TRUE : PETSC_FALSE;

  return how == 2 && !strcmp(name, "an integer") ? PETSC_TRUE
         : !strcmp(name, "a text") && how == 6   ? PETSC_TRUE
         : !strcmp(name, "rung version")         ? (how >= 6 ? PETSC_TRUE : PETSC_FALSE)
         : time && how >= 1 && how <= 3          ? PETSC_TRUE
                                                 : PETSC_FALSE;
}

static PetscErrorCode test_every_wrong_attribute_is_refused_by_its_name(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscErrorCode      code;
  char                names[4096], words[4096];

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(create(2, 3, &sys, &ts));
  PetscCall(list_attributes(names));
  CHECK(strlen(names) > 50);
  for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
    for (int how = 0; how < MUTATIONS; ++how) {
      PetscCall(mutate(name, PETSC_FALSE, how));
      PetscCall(load_mutated(sys, ts, &code, words));
      if (code ? !strstr(words, "mutated.h5") : !may_pass(name, how)) {
        fprintf(stderr, "\"%s\" changed in way %d: \"%s\"\n", name, how, words);
        CHECK(0);
      }
    }
  }
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_wrong_vector_is_refused_by_its_name(void)
{
  static const char *const set[] = {"/level0/u/u", "/level1/u/u", "/level0/dt_u/u", "/level0/carry0/u"};
  RungSystem               sys;
  RungTransientSystem      ts;
  PetscErrorCode           code;
  char                     words[4096];

  PetscFunctionBegin;
  PetscCall(save());
  PetscCall(create(2, 3, &sys, &ts));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(set); ++i) {
    for (int how = 0; how < SET_MUTATIONS; ++how) {
      PetscCall(mutate(set[i], PETSC_TRUE, how));
      PetscCall(load_mutated(sys, ts, &code, words));
      CHECK(code && strstr(words, "mutated.h5") && strstr(words, set[i]));
    }
  }
  PetscCall(destroy(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_levels_come_back_bit_for_bit), RUNG_TEST(test_levels_without_carried_vectors_have_zeros),
               RUNG_TEST(test_numbers_and_texts_come_back_and_missing_ones_are_named),
               RUNG_TEST(test_lists_of_numbers_come_back), RUNG_TEST(test_pairs_are_no_list),
               RUNG_TEST(test_levels_of_another_problem_are_refused),
               RUNG_TEST(test_a_damaged_or_foreign_file_is_refused),
               RUNG_TEST(test_a_file_that_another_run_writes_is_left_alone),
               RUNG_TEST(test_a_full_disk_is_told_and_the_older_file_stays),
               RUNG_TEST(test_room_is_asked_of_the_folder_and_any_number_of_a_file_will_do),
               RUNG_TEST(test_rank_0_alone_needs_the_folder),
               RUNG_TEST(test_every_wrong_attribute_is_refused_by_its_name),
               RUNG_TEST(test_every_wrong_vector_is_refused_by_its_name))
