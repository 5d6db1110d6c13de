/* test_linked.c - kernels written ahead of time are found again by their hash, and by nothing else. */
#include "jit_impl.h"
#include "kernel_tools.h"
#include <dlfcn.h>
#include <unistd.h>

static PetscInt calls;

static void count(const RungKernelArgs *args)
{
  (void)args;
  ++calls;
}

/* The back ends of a residual of this text. */
static PetscErrorCode find_kernels(const char text[], RungJitMode jit, RungFormKernels *kernels)
{
  Tools    tools;
  RungForm form;
  Vec      r;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, text, PETSC_TRUE, &form));
  form->options.jit = jit;
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, r));
  PetscCall(RungFormGetKernels(form, kernels));
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hash of the residual's first integral. */
static PetscErrorCode hash_of(const char text[], PetscInt lanes, char hash[40])
{
  Tools    tools;
  RungForm form;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  PetscCall(RungLinkedHash(form->part[RUNG_FORM_VALUE].plan[0], lanes, hash));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_linked_kernel_is_run_for_its_form_only(void)
{
  static char                    hash[40];
  static const char *const       hashes[]  = {hash};
  static RungKernelFn *const     kernels[] = {count};
  static struct rung_linked_unit unit      = {RUNG_ABI, 4, RUNG_ISA_SSE2, 1, "test", hashes, kernels, NULL};
  RungFormKernels                found;

  PetscCall(hash_of("7*u*v*dx", 4, hash));
  RungKernelsLink(&unit);
  PetscCall(find_kernels("7*u*v*dx", RUNG_JIT_NEVER, &found));
  CHECK(found.linked == 1 && found.all == 1 && calls > 0);
  PetscCall(find_kernels("8.5*u*v*dx", RUNG_JIT_NEVER, &found));
  CHECK(found.linked == 0 && found.interpreted == 1);
  unit.abi = RUNG_ABI + 1;
  PetscCall(find_kernels("7*u*v*dx", RUNG_JIT_NEVER, &found));
  CHECK(found.linked == 0);
  unit.abi = RUNG_ABI;
  for (unit.isa = RUNG_ISA_SSE2; unit.isa < RUNG_ISAS && RungIsaIsHere((RungIsa)unit.isa);) ++unit.isa;
  PetscCall(find_kernels("7*u*v*dx", RUNG_JIT_NEVER, &found)); /* instructions that nobody knows, or not this machine */
  CHECK(found.linked == 0);
  return PETSC_SUCCESS;
}

/* Writes kernels of two texts, compiles the source, and finds them. */
static PetscErrorCode test_written_kernels_link_and_run(void)
{
  Tools           tools;
  RungForm        form;
  RungFormKernels found;
  PetscInt        n;
  void           *handle;

  PetscCall(RungKernelsRecord(PETSC_TRUE));
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "9*u*v*dx + u^2*v*ds", PETSC_FALSE, &form));
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  PetscCall(RungKernelsWrite("linked.c", "linked", "sse2", &n));
  CHECK(n == 4);
  PetscCall(RungFormDestroy(&form));
  PetscCall(RungKernelsWrite("empty.c", "empty", "sse2", &n));
  CHECK(n == 0); /* the record holds no plans of forms that are gone */
  PetscCall(RungKernelsRecord(PETSC_FALSE));
  PetscCall(tools_destroy(&tools));
  CHECK(!system("cc -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -O2 -fno-math-errno -shared -fPIC "
                "-Wl,--unresolved-symbols=ignore-all -o linked.so linked.c"));
  PetscCall(find_kernels("9*u*v*dx + u^2*v*ds", RUNG_JIT_NEVER, &found));
  CHECK(found.linked == 0);
  handle = dlopen("./linked.so", RTLD_NOW | RTLD_LOCAL);
  CHECK(handle != NULL);
  PetscCall(find_kernels("9*u*v*dx + u^2*v*ds", RUNG_JIT_NEVER, &found));
  CHECK(found.linked == 2);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_wrong_words_are_refused(void)
{
  PetscInt n;

  CHECK_RAISES(RungKernelsWrite("x.c", "x", "avx3", &n), "no instruction set is called \"avx3\"");
  CHECK_RAISES(RungKernelsWrite("x.c", "a-b", "sse2", &n), "kernels of \"a-b\", which is no name in C");
  CHECK_RAISES(RungKernelsWrite("no/such/folder/x.c", "x", "sse2", &n), "cannot be written: No such file or directory");
  CHECK_RAISES(RungKernelsWrite(".", "x", "sse2", &n), "the file name is missing");
  return PETSC_SUCCESS;
}

/* A problem file, a program, what a link leads to. */
static PetscErrorCode test_nothing_else_is_written_over(void)
{
  static const char letter[]             = "residual dt(u)*v*dx\n";
  char              found[sizeof letter] = "";
  PetscInt          n;
  FILE             *file = fopen("letter.c", "w");

  CHECK(file && fputs(letter, file) >= 0 && fclose(file) == 0);
  CHECK_RAISES(RungKernelsWrite("letter.c", "x", "sse2", &n),
               "a file that is not kernels that rung compile made is there");
  (void)unlink("link.c");
  CHECK(symlink("letter.c", "link.c") == 0);
  CHECK_RAISES(RungKernelsWrite("link.c", "x", "sse2", &n), "a link of that name exists");
  file = fopen("letter.c", "r");
  CHECK(file && fgets(found, sizeof found, file) && !strcmp(found, letter) && fclose(file) == 0);
  PetscCall(RungKernelsWrite("twice.c", "x", "sse2", &n));
  PetscCall(RungKernelsWrite("twice.c", "x", "sse2", &n));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_linked_kernel_is_run_for_its_form_only), RUNG_TEST(test_written_kernels_link_and_run),
               RUNG_TEST(test_wrong_words_are_refused), RUNG_TEST(test_nothing_else_is_written_over))
