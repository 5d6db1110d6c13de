/* test_compile.c - the machine and the compiler as they are seen. */
#include "jit_impl.h"
#include "kernel_tools.h"
#include <sys/stat.h>
#include <unistd.h>

static PetscErrorCode test_machine_tells_the_same_twice(void)
{
  char a[2560], b[2560];

  RungMachineIsa(a, sizeof a);
  RungMachineIsa(b, sizeof b);
  CHECK(a[0] && !strcmp(a, b));
  CHECK(RungMachineLanes() == 2 || RungMachineLanes() == 4 || RungMachineLanes() == 8);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_usual_compiler_is_found_with_its_version(void)
{
  RungCompiler compiler;
  char         reason[RUNG_REASON_SIZE] = "";

  CHECK(RungCompilerFind("", &compiler, reason));
  CHECK(compiler.path[0] == '/' && compiler.version[0]);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_no_compiler_is_named(void)
{
  RungCompiler compiler;
  char         reason[RUNG_REASON_SIZE] = "";

  CHECK(!RungCompilerFind("no-such-compiler", &compiler, reason) && strstr(reason, "no program \"no-such-compiler\""));
  CHECK(!RungCompilerFind("/bin/false", &compiler, reason) && strstr(reason, "/bin/false --version fails"));
  return PETSC_SUCCESS;
}

/* CC where nothing else is said, with words behind it */
static PetscErrorCode test_the_environment_names_the_compiler(void)
{
  RungCompiler compiler, usual;
  char         reason[RUNG_REASON_SIZE] = "";

  CHECK(!unsetenv("CC") && RungCompilerFind("", &usual, reason));
  CHECK(!setenv("CC", "no-such-compiler", 1) && !RungCompilerFind("", &compiler, reason));
  CHECK(strstr(reason, "\"no-such-compiler\", which CC names"));
  CHECK(RungCompilerFind("gcc", &compiler, reason)); /* an option has more to say */
  CHECK(!setenv("CC", "env LC_ALL=C gcc", 1) && RungCompilerFind("", &compiler, reason));
  CHECK(strstr(compiler.path, "/env") && !strcmp(compiler.words, " LC_ALL=C gcc") && strstr(compiler.version, "gcc"));
  CHECK(!setenv("CC", "  \tgcc ", 1) && RungCompilerFind("", &compiler, reason));
  CHECK(!setenv("CC", "  ", 1) && RungCompilerFind("", &compiler, reason) && !strcmp(compiler.path, usual.path));
  CHECK(!unsetenv("CC"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_temporary_files_go_where_the_environment_says(void)
{
  RungCompiler compiler;
  char         reason[RUNG_REASON_SIZE];

  CHECK(!setenv("TMPDIR", "no/such/folder", 1) && !RungCompilerFind("env gcc", &compiler, reason));
  CHECK(strstr(reason, "no file can be made in no/such/folder; set TMPDIR"));
  CHECK(!setenv("TMPDIR", ".", 1) && RungCompilerFind("env gcc", &compiler, reason));
  CHECK(!unsetenv("TMPDIR"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_compilers_error_is_passed_on(void)
{
  RungCompiler compiler;
  char         reason[RUNG_REASON_SIZE] = "";
  RungChild    child;
  FILE        *file = fopen("wrong.c", "w");

  fprintf(file, "int wrong(void) { return undeclared; }\n");
  fclose(file);
  CHECK(RungCompilerFind("", &compiler, reason));
  CHECK(RungCompilerStart(&compiler, "-O1", "-DX", ".", "wrong.c", "wrong.so", &child, reason));
  while (!RungCompilerEnded(&child)) (void)usleep(1000);
  CHECK(!RungCompilerSucceeded(&compiler, ".", &child, reason));
  CHECK(strstr(reason, "undeclared") != NULL);
  CHECK(access("wrong.so", F_OK) != 0);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_temporary_files_go_where_the_environment_says),
               RUNG_TEST(test_machine_tells_the_same_twice), RUNG_TEST(test_usual_compiler_is_found_with_its_version),
               RUNG_TEST(test_what_is_no_compiler_is_named), RUNG_TEST(test_the_environment_names_the_compiler),
               RUNG_TEST(test_the_compilers_error_is_passed_on))
