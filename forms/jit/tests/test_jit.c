/* test_jit.c - compilers that are missing, fail, lie or die: all ranks interpret, nothing is left behind. */
#include "kernel_tools.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "cache_jit"

/* A program of rank 0 that says it is a compiler. */
static PetscErrorCode write_script(const char path[], const char body[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen(path, "w");

    fprintf(file, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo script 1; exit 0; fi\n%s\n", body);
    fclose(file);
    chmod(path, 0700);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files in the cache folder whose name holds `part`. */
static int count_files(const char part[])
{
  DIR           *list = opendir(FOLDER);
  struct dirent *entry;
  int            n = 0;

  while (list && (entry = readdir(list))) n += strstr(entry->d_name, part) != NULL;
  if (list) closedir(list);
  return n;
}

/* The norm of a residual with this compiler; *compiled tells whether it worked. */
static PetscErrorCode residual_norm(const char compiler[], PetscReal *norm, PetscBool *compiled)
{
  Tools    tools;
  RungForm form;
  Vec      r;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "(1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds", PETSC_TRUE, &form));
  PetscCall(PetscFree(form->options.cache));
  PetscCall(PetscStrallocpy(FOLDER, &form->options.cache));
  PetscCall(PetscFree(form->options.compiler));
  PetscCall(PetscStrallocpy(compiler, &form->options.compiler));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
  PetscCall(VecNorm(r, NORM_2, norm));
  *compiled = form->part[0].kernel[0]->compiled ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_falls_back(const char compiler[])
{
  PetscReal wanted, norm;
  PetscBool compiled;
  int       objects;

  PetscFunctionBegin;
  PetscCall(residual_norm("", &wanted, &compiled));
  CHECK(compiled);
  objects = count_files(".so");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(residual_norm(compiler, &norm, &compiled));
  CHECK(!compiled);
  CHECK_NEAR(norm, wanted, 1e-13 * wanted);
  CHECK(count_files("build") == 0 && count_files("lock") == 0 && count_files(".so") == objects);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_missing_compiler_falls_back(void)
{
  PetscCall(check_falls_back("no-such-compiler"));
  PetscCall(check_falls_back("/bin/false"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_failing_compiler_falls_back(void)
{
  PetscCall(write_script("./failing", "echo 'kernel.c: error: no'; exit 1"));
  PetscCall(check_falls_back("./failing"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_killed_compiler_leaves_nothing(void)
{
  PetscCall(write_script("./killed", "touch $TMPDIR/half; kill -9 $$"));
  PetscCall(check_falls_back("./killed"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_lying_compiler_falls_back(void)
{
  PetscCall(write_script("./silent", "exit 0"));
  PetscCall(check_falls_back("./silent"));
  PetscCall(write_script("./garbage", "while [ \"$1\" != -o ]; do shift; done; echo garbage > $2; exit 0"));
  PetscCall(check_falls_back("./garbage"));
  PetscCall(write_script("./half", "cc \"$@\"; while [ \"$1\" != -o ]; do shift; done; n=$(wc -c < $2); "
                                   "truncate -s $((n / 3)) $2; exit 0"));
  PetscCall(check_falls_back("./half"));
  PetscCall(write_script("./other", "exec cc \"$@\" '-DRUNG_KEY=\"of another kernel\"'"));
  PetscCall(check_falls_back("./other"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_compiler_that_refuses_the_machine_is_asked_for_less(void)
{
  PetscReal norm;
  PetscBool compiled;

  PetscCall(write_script(
    "./old", "for a; do case $a in -march=*) echo error: unknown machine; exit 1; esac; done; exec cc \"$@\""));
  PetscCall(residual_norm("./old", &norm, &compiled));
  CHECK(compiled);
  return PETSC_SUCCESS;
}

/* A form whose options are these, with a vector for its residual. */
static PetscErrorCode prepare(RungJitMode jit, const char compiler[], const char folder[], const char text[],
                              Tools *tools, RungForm *form, Vec *r)
{
  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, tools));
  PetscCall(tools_form(tools, text, PETSC_TRUE, form));
  (*form)->options.jit = jit;
  PetscCall(PetscFree((*form)->options.cache));
  PetscCall(PetscStrallocpy(folder, &(*form)->options.cache));
  PetscCall(PetscFree((*form)->options.compiler));
  PetscCall(PetscStrallocpy(compiler, &(*form)->options.compiler));
  PetscCall(VecDuplicate(tools->u[0], r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dispose(Tools *tools, RungForm *form, Vec *r)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(r));
  PetscCall(RungFormDestroy(form));
  PetscCall(tools_destroy(tools));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* The compiler waits for a file, so the first assemblies are the interpreter's; ranks change over together. */
static PetscErrorCode test_background_switches_between_assemblies_on_all_ranks(void)
{
  Tools           tools;
  RungForm        form;
  RungFormKernels kernels;
  Vec             r;
  PetscReal       first, norm;
  PetscMPIInt     rank;
  char            folder[64];
  int             compiled = 0, least, most;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)unlink("go");
  PetscCall(fresh_folder(folder));
  PetscCall(write_script("./slow", "while [ ! -f go ]; do sleep 0.01; done; exec cc \"$@\""));
  PetscCall(prepare(RUNG_JIT_BACKGROUND, "./slow", folder, "(5 + u^2)*u*v*dx", &tools, &form, &r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
  PetscCall(VecNorm(r, NORM_2, &first));
  PetscCall(RungFormGetKernels(form, &kernels));
  CHECK(kernels.pending && kernels.interpreted == 1);
  if (!rank) fclose(fopen("go", "w"));
  for (int i = 0; i < 4000 && !compiled; ++i) {
    PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
    PetscCall(RungFormGetKernels(form, &kernels));
    compiled = (int)kernels.compiled;
    PetscCallMPI(MPI_Allreduce(&compiled, &least, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Allreduce(&compiled, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
    CHECK(least == most);
    if (!compiled) (void)usleep(5000);
  }
  CHECK(compiled && !kernels.pending && !kernels.interpreted);
  PetscCall(VecNorm(r, NORM_2, &norm));
  CHECK_NEAR(norm, first, 1e-13 * first);
  return dispose(&tools, &form, &r);
}

/* A form that goes while its compiler works takes it along. */
static PetscErrorCode test_background_is_given_up_without_a_trace(void)
{
  Tools    tools;
  RungForm form;
  Vec      r;
  int      objects = count_files(".so");

  PetscCall(write_script("./endless", "while :; do sleep 0.05; done"));
  PetscCall(prepare(RUNG_JIT_BACKGROUND, "./endless", FOLDER, "(6 + u^2)*u*v*dx", &tools, &form, &r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
  CHECK(form->pending[RUNG_FORM_VALUE].job != NULL);
  PetscCall(dispose(&tools, &form, &r));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK(count_files("build") == 0 && count_files("lock") == 0 && count_files(".so") == objects);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_background_compiler_that_fails_leaves_the_interpreter(void)
{
  Tools    tools;
  RungForm form;
  Vec      r;

  PetscCall(write_script("./failing", "echo 'kernel.c: error: no'; exit 1"));
  PetscCall(prepare(RUNG_JIT_BACKGROUND, "./failing", FOLDER, "(7 + u^2)*u*v*dx", &tools, &form, &r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
  for (int i = 0; i < 2000 && form->pending[RUNG_FORM_VALUE].job; ++i) {
    PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
    (void)usleep(2000);
  }
  CHECK(!form->pending[RUNG_FORM_VALUE].job && !form->part[0].kernel[0]->compiled);
  return dispose(&tools, &form, &r);
}

/* never: no compiler is run, what another run has compiled is used, without knowing by which compiler. */
static PetscErrorCode test_never_uses_the_cache_and_no_compiler(void)
{
  static const RungJitMode mode[]   = {RUNG_JIT_NEVER, RUNG_JIT_WAIT, RUNG_JIT_NEVER};
  static const PetscInt    cached[] = {0, 0, 1}, runs[] = {0, 1, 0};
  char                     folder[64];
  PetscMPIInt              rank;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(fresh_folder(folder));
  for (int i = 0; i < 3; ++i) {
    const PetscInt  before = RungCompilerRuns();
    Tools           tools;
    RungForm        form;
    RungFormKernels kernels;
    Vec             r;

    PetscCall(prepare(mode[i], "", folder, "(8 + u^2)*u*v*dx", &tools, &form, &r));
    PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
    PetscCall(RungFormGetKernels(form, &kernels));
    CHECK(kernels.cached == cached[i] && kernels.compiled == runs[i]);
    CHECK(RungCompilerRuns() - before == (rank ? 0 : runs[i]));
    PetscCall(dispose(&tools, &form, &r));
  }
  return PETSC_SUCCESS;
}

/* One warning in the life of a process, of rank 0: all of the above have been silent if this comes last. */
static PetscErrorCode test_warning_comes_once(void)
{
  const int   file = open("stderr.txt", O_RDWR | O_CREAT | O_TRUNC, 0600), old = dup(2);
  struct stat info;
  PetscReal   norm;
  PetscBool   compiled;

  fflush(stderr);
  dup2(file, 2);
  PetscCall(residual_norm("no-such-compiler", &norm, &compiled));
  fflush(stderr);
  dup2(old, 2);
  CHECK(!fstat(file, &info) && info.st_size == 0);
  close(file);
  close(old);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_missing_compiler_falls_back), RUNG_TEST(test_failing_compiler_falls_back),
               RUNG_TEST(test_killed_compiler_leaves_nothing), RUNG_TEST(test_lying_compiler_falls_back),
               RUNG_TEST(test_compiler_that_refuses_the_machine_is_asked_for_less),
               RUNG_TEST(test_background_switches_between_assemblies_on_all_ranks),
               RUNG_TEST(test_background_is_given_up_without_a_trace),
               RUNG_TEST(test_background_compiler_that_fails_leaves_the_interpreter),
               RUNG_TEST(test_never_uses_the_cache_and_no_compiler), RUNG_TEST(test_warning_comes_once))
