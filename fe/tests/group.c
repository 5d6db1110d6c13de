/* group.c - several test programs in one start of MPI.

       mpiexec -n 3 build/tests/test_fe FOLDER "numbering" "lines -form_backend interpreter" ..

   Each word is a test and its arguments.  It runs from its RungInitialize() to its RungFinalize() in FOLDER/ROOM.TEST.npN, as
   its own program would.  Rank 0 prints a line before and after each; cmake/group.py reads them.  A test that returns
   between the two has left ranks behind: it ends the program, as it ends its own. */
#include "group.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 64, BYTES = 4096 };

/* Stands before the one of the C library: what tests write need not outlive a power cut, and a flush takes milliseconds. */
int fsync(int file)
{
  (void)file;
  return 0;
}

static const GroupTest *find_test(const char *name)
{
  for (int i = 0; group_tests[i].name; ++i)
    if (!strcmp(group_tests[i].name, name)) return &group_tests[i];
  return NULL;
}

/* The folder of a test with room for path, and the kernels that one rank has compiled. */
static int enter_folder(const char *base, const char *name, int ranks)
{
  char path[BYTES];

  if (snprintf(path, sizeof path, "%s/%s.%s/cache", base, group_room, name) >= BYTES) return -1;
  if (setenv("RUNG_TEST_KERNELS", path, 1)) return -1;
  if (snprintf(path, sizeof path, "%s/%s.%s.np%d", base, group_room, name, ranks) >= BYTES) return -1;
  (void)mkdir(path, 0777); /* CMake makes those of the numbers of ranks of its tests; nightly runs on more */
  if (chdir(path)) {
    fprintf(stderr, "no folder %s\n", path);
    return -1;
  }
  return 0;
}

/* words -> its words; their number */
static int split_words(char text[], char *word[])
{
  int n = 0;

  for (char *p = strtok(text, " "); p && n < WORDS; p = strtok(NULL, " ")) word[n++] = p;
  word[n] = NULL;
  return n;
}

/* 0 if all is well, 1 if a check failed, else the code of an error that ended the test midway. */
static int run_test(const char *base, const char *words, int rank, int ranks)
{
  char             text[BYTES], *word[WORDS + 1], **argv = word;
  const GroupTest *test;
  double           start = MPI_Wtime();
  int              argc, code;

  if (snprintf(text, sizeof text, "%s", words) >= BYTES) return -1;
  argc = split_words(text, word);
  test = argc ? find_test(word[0]) : NULL;
  if (!test) {
    fprintf(stderr, "%s has no test \"%s\"\n", group_room, words);
    return -1;
  }
  if (!rank) printf("group: begin %s\n", word[0]);
  fflush(stdout);
  if (enter_folder(base, word[0], ranks)) return -1;
  code = test->run(argc, argv);
  fflush(stdout);
  if (code > 1 || code < 0) return code;
  MPI_Barrier(MPI_COMM_WORLD); /* what others have to say is said */
  if (!rank) printf("group: end %s %s %.2f s\n", test->name, code ? "FAILED" : "ok", MPI_Wtime() - start);
  fflush(stdout);
  return code;
}

int main(int argc, char **argv)
{
  int provided, rank, ranks, bad = 0;

  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 2; i < argc; ++i) {
    const int code = run_test(argv[1], argv[i], rank, ranks);

    if (code > 1 || code < 0) return code;
    bad |= code;
  }
  MPI_Finalize();
  return bad;
}
