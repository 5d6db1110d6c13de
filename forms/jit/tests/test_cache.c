/* test_cache.c - objects are made once, by one job of many, and made again when they are damaged. */
#include "jit_impl.h"
#include "kernel_tools.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compiles a form of `number` on comm in this folder and destroys it. */
static PetscErrorCode use_folder(MPI_Comm comm, const char folder[], int number)
{
  Tools          tools;
  RungForm       form;
  char           text[64];
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(tools_create(comm, RUNG_INTERVAL, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(PetscSNPrintf(text, sizeof text, "(%d + u^2)*u*v*dx", number));
  PetscCall(tools_form(&tools, text, PETSC_TRUE, &form));
  PetscCall(PetscFree(form->options.cache));
  PetscCall(PetscStrallocpy(folder, &form->options.cache));
  code = RungFormSetUp(form, PETSC_TRUE);
  if (!code) CHECK(form->part[0].kernel[0]->compiled != NULL);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The object in a folder of one; "" without. */
static void find_object(const char folder[], char path[512])
{
  DIR           *list = opendir(folder);
  struct dirent *entry;

  path[0] = 0;
  while (list && (entry = readdir(list))) {
    if (strstr(entry->d_name, ".so")) snprintf(path, 512, "%s/%s", folder, entry->d_name);
  }
  if (list) closedir(list);
}

/* A folder that no earlier run has filled; its name is rank 0's. */
static PetscErrorCode fresh_folder(char folder[64])
{
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, "fresh.XXXXXX", 64));
  CHECK(mkdtemp(folder) != NULL);
  PetscCallMPI(MPI_Bcast(folder, 64, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_second_form_does_not_start_the_compiler(void)
{
  PetscMPIInt rank;
  PetscInt    before;
  char        folder[64];

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(fresh_folder(folder));
  before = RungCompilerRuns();
  PetscCall(use_folder(PETSC_COMM_WORLD, folder, 1));
  CHECK(RungCompilerRuns() == before + (rank ? 0 : 1));
  PetscCall(use_folder(PETSC_COMM_WORLD, folder, 1));
  CHECK(RungCompilerRuns() == before + (rank ? 0 : 1));
  PetscCall(use_folder(PETSC_COMM_WORLD, folder, 2));
  CHECK(RungCompilerRuns() == before + (rank ? 0 : 2));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_damaged_objects_are_made_again(void)
{
  static const long size[] = {0, 100, -1}; /* empty, cut, the last byte lost */

  for (int i = 0; i < 3; ++i) {
    PetscMPIInt rank;
    char        folder[64], path[512];
    struct stat info;
    PetscInt    before;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(fresh_folder(folder));
    PetscCall(use_folder(PETSC_COMM_WORLD, folder, 3));
    before = RungCompilerRuns();
    find_object(folder, path);
    CHECK(!stat(path, &info));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    if (!rank) CHECK(!truncate(path, size[i] < 0 ? info.st_size - 1 : size[i]));
    PetscCall(use_folder(PETSC_COMM_WORLD, folder, 3));
    CHECK(RungCompilerRuns() == before + (rank ? 0 : 1));
  }
  return PETSC_SUCCESS;
}

/* Every rank is a job of its own here. */
static PetscErrorCode test_jobs_at_once_compile_once(void)
{
  PetscInt before, runs, all;
  char     folder[64];

  PetscCall(fresh_folder(folder));
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 4)); /* all know the compiler's version by now */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  before = RungCompilerRuns();
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 5));
  runs = RungCompilerRuns() - before;
  PetscCallMPI(MPI_Allreduce(&runs, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(all == 1);
  return PETSC_SUCCESS;
}

/* Objects of the folder. */
static int count_objects(const char folder[])
{
  DIR           *list = opendir(folder);
  struct dirent *entry;
  int            n = 0;

  while (list && (entry = readdir(list))) n += strlen(entry->d_name) == 35;
  if (list) closedir(list);
  return n;
}

/* The key of the object in a folder of one. */
static PetscErrorCode make_one(const char folder[], int number, char key[40])
{
  char path[512];

  PetscFunctionBegin;
  PetscCall(use_folder(PETSC_COMM_SELF, folder, number));
  find_object(folder, path);
  PetscCall(PetscSNPrintf(key, 40, "%.32s", strrchr(path, '/') + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_oldest_used_objects_go_first(void)
{
  char   folder[64] = "trim.XXXXXX", oldest[40], *bytes, key[40];
  size_t size;

  CHECK(mkdtemp(folder) != NULL); /* each rank has its own */
  PetscCall(make_one(folder, 11, oldest));
  (void)usleep(20000);
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 12));
  (void)usleep(20000);
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 13));
  CHECK(count_objects(folder) == 3);
  RungCacheTrim(folder, "", 1e9);
  CHECK(count_objects(folder) == 3);
  (void)usleep(20000);
  RungCacheRead(folder, oldest, &bytes, &size); /* used again: now the youngest */
  CHECK(bytes != NULL);
  RungCacheTrim(folder, "", 1.5 * (double)size + 30000);
  free(bytes);
  CHECK(count_objects(folder) >= 1 && count_objects(folder) < 3);
  RungCacheRead(folder, oldest, &bytes, &size);
  CHECK(bytes != NULL);
  free(bytes);
  RungCacheTrim(folder, oldest, 0);
  CHECK(count_objects(folder) == 1);
  PetscCall(make_one(folder, 11, key)); /* still there: the compiler is not asked */
  CHECK(!strcmp(key, oldest));
  return PETSC_SUCCESS;
}

/* What a killed job leaves does not keep the next one from compiling. */
static PetscErrorCode test_leftovers_of_killed_jobs_do_not_matter(void)
{
  char  folder[64] = "left.XXXXXX", path[256];
  FILE *file;

  CHECK(mkdtemp(folder) != NULL);
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/build.killed", folder));
  CHECK(!mkdir(path, 0700));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/build.killed/kernel.so", folder));
  CHECK((file = fopen(path, "w")) != NULL);
  fprintf(file, "half of an object");
  fclose(file);
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/0123456789abcdef0123456789abcdef.so", folder));
  CHECK((file = fopen(path, "w")) != NULL);
  fclose(file);
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 14));
  CHECK(count_objects(folder) == 2);
  return PETSC_SUCCESS;
}

/* A pipe that nobody writes to would be waited for without end. */
static PetscErrorCode test_what_is_no_file_is_not_waited_for(void)
{
  char        folder[64], path[512], other[600], *bytes;
  size_t      size;
  PetscMPIInt rank;

  PetscCall(fresh_folder(folder));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) return PETSC_SUCCESS;
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 31));
  find_object(folder, path);
  CHECK(!unlink(path) && !mkfifo(path, 0600));
  PetscCall(use_folder(PETSC_COMM_SELF, folder, 31)); /* made again, in the place of the pipe */
  for (int i = 0; i < 2; ++i) {
    snprintf(other, sizeof other, "%s/%032d.so", folder, i);
    CHECK(i ? !symlink("nowhere", other) : !mkdir(other, 0700));
    snprintf(other, sizeof other, "%032d", i);
    RungCacheRead(folder, other, &bytes, &size);
    CHECK(!bytes);
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_folders_that_others_may_write_to_are_refused(void)
{
  PetscMPIInt rank;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    (void)mkdir("open", 0700);
    CHECK(!chmod("open", 0777));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK_RAISES(use_folder(PETSC_COMM_WORLD, "open", 6), "others may write to cache folder \"open\"; chmod it to 700");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_folders_are_made_private(void)
{
  char        folder[64], inside[80];
  struct stat info;

  PetscCall(fresh_folder(folder));
  PetscCall(PetscSNPrintf(inside, sizeof inside, "%s/a/b", folder));
  PetscCall(use_folder(PETSC_COMM_WORLD, inside, 7));
  CHECK(!stat(inside, &info) && (info.st_mode & 0777) == 0700);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_is_no_file_is_not_waited_for),
               RUNG_TEST(test_second_form_does_not_start_the_compiler), RUNG_TEST(test_damaged_objects_are_made_again),
               RUNG_TEST(test_jobs_at_once_compile_once), RUNG_TEST(test_oldest_used_objects_go_first),
               RUNG_TEST(test_leftovers_of_killed_jobs_do_not_matter),
               RUNG_TEST(test_folders_that_others_may_write_to_are_refused), RUNG_TEST(test_folders_are_made_private))
