/* check.h - the few macros that every test is written with.  A test program is a list of functions, each a sentence:

       static PetscErrorCode test_inner_of_unequal_shapes_is_refused(void) { .. CHECK(..); CHECK_NEAR(..); .. }
       RUNG_TEST_MAIN(test_inner_of_unequal_shapes_is_refused, ..)

   A failed check prints file, line and the values and goes on; the program ends with status 1 if any rank had one. */
#pragma once

#include <rungfe.h>
#include <math.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                                         \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)

#define CHECK_NEAR(found, wanted, tolerance)                                                                           \
  do {                                                                                                                 \
    const double found_ = (found), wanted_ = (wanted), tolerance_ = (tolerance);                                       \
    if (!(fabs(found_ - wanted_) <= tolerance_)) {                                                                     \
      fprintf(stderr, "%s:%d: %s is %.16g, wanted %.16g within %.3g (off by %.3g)\n", __FILE__, __LINE__, #found,      \
              found_, wanted_, tolerance_, fabs(found_ - wanted_));                                                    \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)

/* The call must raise an error whose message holds `text`. */
#define CHECK_RAISES(call, text)                                                                                       \
  do {                                                                                                                 \
    char           message_[4096] = "";                                                                                \
    PetscErrorCode code_;                                                                                              \
    PetscCall(PetscPushErrorHandler(check_keep_message, message_));                                                    \
    code_ = (call);                                                                                                    \
    PetscCall(PetscPopErrorHandler());                                                                                 \
    if (!code_ || !strstr(message_, text)) {                                                                           \
      fprintf(stderr, "%s:%d: %s %s: \"%s\", wanted a message with \"%s\"\n", __FILE__, __LINE__, #call,               \
              code_ ? "raised another error" : "raised no error", message_, text);                                     \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)

static inline PetscErrorCode check_keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                                PetscErrorCode n, PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && text) {
    strncpy((char *)ctx, text, 4095);
  }
  return n;
}

/* Ranks change no rule: what proves a rule is run on one of them alone, and a case of it on several. */
static inline PetscBool check_alone(void)
{
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size == 1 ? PETSC_TRUE : PETSC_FALSE;
}

typedef PetscErrorCode CheckFn(void);
typedef struct {
  const char *name;
  CheckFn    *run;
} CheckTest;

/* All ranks run all tests; `-test_only NAME` runs one.  Seconds stand beside each: a second is long. */
static inline int check_main(int argc, char **argv, int n, const CheckTest test[])
{
  int         total     = 0;
  char        only[256] = "";
  PetscMPIInt rank;

  PetscCall(RungInitialize(&argc, &argv, "A test program.\n"));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test_only", only, sizeof only, NULL));
  for (int i = 0; i < n; ++i) {
    const int    before = check_failures;
    const double start  = MPI_Wtime();

    if (only[0] && strcmp(only, test[i].name) != 0) continue;
    PetscCall(test[i].run());
    if (!rank || check_failures > before)
      printf("%s %s %.2f s\n", check_failures > before ? "FAIL" : "ok  ", test[i].name, MPI_Wtime() - start);
  }
  PetscCallMPI(MPI_Allreduce(&check_failures, &total, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(RungFinalize());
  return total ? 1 : 0;
}

#define RUNG_TEST(function)                                                                                            \
  {                                                                                                                    \
    #function, function                                                                                                \
  }
/* The test under a name that the build gives it, so that a group (fe/tests/group.c) can call many of them, and its own program. */
#ifndef RUNG_TEST_ENTRY
  #define RUNG_TEST_ENTRY check_entry
#endif
#define RUNG_TEST_MAIN(...)                                                                                            \
  int RUNG_TEST_ENTRY(int argc, char **argv);                                                                          \
  int RUNG_TEST_ENTRY(int argc, char **argv)                                                                           \
  {                                                                                                                    \
    static const CheckTest tests[] = {__VA_ARGS__};                                                                    \
    return check_main(argc, argv, (int)(sizeof tests / sizeof tests[0]), tests);                                       \
  }                                                                                                                    \
  __attribute__((weak)) int main(int argc, char **argv) /* a group has its own */                                      \
  {                                                                                                                    \
    return RUNG_TEST_ENTRY(argc, argv);                                                                                \
  }
