/* fuzz.h - what fuzz programs begin and end with, as libFuzzer calls them, and as programs that take files.

   A program defines begin() and end(), what all inputs share, and LLVMFuzzerTestOneInput().  PETSc's error handler is taken off: errors
   are answers.  Under libFuzzer (cmake/fuzz.cmake) inputs grow from a corpus; as a program of its own, RUNG_FUZZ_FILES, it takes
   the files that it is given, each whole and cut at every tenth byte; with -runs N -seed S in front of them it feeds N inputs that were
   made of these files by chance, where there is no libFuzzer: the one in hand is the file `input`, one that takes more
   than FUZZ_SECONDS of the processor ends the program.  What MPI and PETSc keep from their start on is no leak. */
#ifndef RUNG_FUZZ_H
#define RUNG_FUZZ_H
#include <rungfe.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #include <sanitizer/lsan_interface.h>
  #endif
#endif
#if !defined(SANITIZER_LSAN_INTERFACE_H)
  #define __lsan_disable()       (void)0
  #define __lsan_enable()        (void)0
  #define __lsan_do_leak_check() (void)0
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PetscErrorCode begin(void); /* after RungInitialize() */
static PetscErrorCode end(void);   /* before RungFinalize()  */

static int fuzz_file; /* where readers of files find the input; opened by fuzz_open() or fuzz_memory() */

static inline PetscErrorCode fuzz_open(const char path[])
{
  PetscFunctionBegin;
  fuzz_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  PetscCheck(fuzz_file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot open %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file without a disk, for readers that only read; *path is its name. */
static inline PetscErrorCode fuzz_memory(const char **path)
{
  static char name[32];

  PetscFunctionBegin;
  fuzz_file = memfd_create("fuzz", 0);
  PetscCheck(fuzz_file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot make a file in memory");
  PetscCall(PetscSNPrintf(name, sizeof name, "/proc/self/fd/%d", fuzz_file));
  *path = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline void fuzz_fill(int file, const uint8_t data[], size_t size)
{
  if (pwrite(file, data, size, 0) != (ssize_t)size || ftruncate(file, (off_t)size)) abort();
}

static inline void fuzz_write(const uint8_t data[], size_t size)
{
  fuzz_fill(fuzz_file, data, size);
}

static PetscErrorCode fuzz_ignore(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                  PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)text, (void)ctx;
  return n;
}

static PetscErrorCode fuzz_begin(void)
{
  static char  name[] = "fuzz";
  static char *args[] = {name, NULL};
  char       **argv   = args;
  int          argc   = 1;

  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, NULL));
  PetscCallAbort(PETSC_COMM_SELF, begin());
  PetscCall(PetscPushErrorHandler(fuzz_ignore, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fuzz_end(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPopErrorHandler());
  PetscCall(end());
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaks are looked for before MPI takes its plug-ins away, and not again. */
static void fuzz_at_exit(void)
{
  __lsan_do_leak_check();
  if (fuzz_end()) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  PetscErrorCode code;

  (void)argc, (void)argv;
  __lsan_disable();
  code = fuzz_begin();
  __lsan_enable();
  if (code) abort();
  return atexit(fuzz_at_exit);
}

#if defined(RUNG_FUZZ_FILES)
enum { FUZZ_SEEDS = 256, FUZZ_LENGTH = 1 << 16, FUZZ_SECONDS = 10 };

/* xorshift64* */
static uint64_t fuzz_next(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1du;
}

/* data[*size] with `piece` of `other` put in at `at`. */
static void fuzz_insert(uint8_t data[], size_t *size, size_t at, const uint8_t other[], size_t piece)
{
  if (*size + piece > FUZZ_LENGTH) return;
  memmove(data + at + piece, data + at, *size - at);
  memcpy(data + at, other, piece);
  *size += piece;
}

/* One change of data[*size]: a bit, a byte, a number, a piece taken out, doubled, or taken from another file, over what is
   there or in front of it; a line of another file. */
static void fuzz_change(uint64_t *state, uint8_t data[], size_t *size, const uint8_t other[], size_t length)
{
  static const uint8_t edge[]   = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '.', 'e', ',', '\n', ' ', '"'};
  const uint64_t       random   = fuzz_next(state);
  const size_t         at       = *size ? (random >> 8) % *size : 0;
  const size_t         piece    = 1 + (random >> 40) % 16;
  const size_t         n        = *size - at < piece ? *size - at : piece;
  const size_t         from     = length ? (random >> 20) % length : 0;
  const size_t         borrowed = length - from < piece ? length - from : piece;
  const uint8_t       *end      = length ? (const uint8_t *)memchr(other + from, '\n', length - from) : NULL;
  uint8_t              copy[16];

  switch (random % 8) {
  case 0:
    if (*size) data[at] ^= (uint8_t)(1u << (random >> 60 & 7));
    break;
  case 1:
    if (*size) data[at] = edge[(random >> 50) % sizeof edge];
    break;
  case 2:
    if (*size) data[at] = (uint8_t)(random >> 50);
    break;
  case 3:
    memmove(data + at, data + at + n, *size - at - n);
    *size -= n;
    break;
  case 4:
    memcpy(copy, data + at, n);
    fuzz_insert(data, size, at, copy, n);
    break;
  case 5: fuzz_insert(data, size, at, other + from, borrowed); break;
  case 6: fuzz_insert(data, size, at, other + from, end ? (size_t)(end - other) - from + 1 : borrowed); break;
  default:
    if (at + borrowed > FUZZ_LENGTH) break;
    memcpy(data + at, other + from, borrowed);
    if (at + borrowed > *size) *size = at + borrowed;
  }
}

static uint8_t *fuzz_read(const char path[], size_t *size)
{
  FILE    *input = fopen(path, "rb");
  uint8_t *bytes = (uint8_t *)malloc(FUZZ_LENGTH);

  if (!input || !bytes) abort();
  *size = fread(bytes, 1, FUZZ_LENGTH, input);
  if (fclose(input)) abort();
  return bytes;
}

/* SIGPROF, which ends the process, once an input has had its seconds. */
static void fuzz_limit(long seconds)
{
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};

  if (setitimer(ITIMER_PROF, &limit, NULL)) abort();
}

static void fuzz_by_chance(long runs, uint64_t state, int n, char **path)
{
  const int     file = open("input", O_RDWR | O_CREAT, 0666);
  uint8_t      *seed[FUZZ_SEEDS], *data = (uint8_t *)malloc(FUZZ_LENGTH);
  size_t        size[FUZZ_SEEDS];
  struct rusage used;

  if (file < 0 || !data || n < 1 || n > FUZZ_SEEDS) abort();
  for (int i = 0; i < n; ++i) seed[i] = fuzz_read(path[i], &size[i]);
  for (long run = 0; run < runs; ++run) {
    const int    one = (int)(fuzz_next(&state) % (uint64_t)n), other = (int)(fuzz_next(&state) % (uint64_t)n);
    size_t       length  = size[one];
    const size_t changes = 1 + fuzz_next(&state) % 6;

    memcpy(data, seed[one], length);
    for (size_t k = 0; k < changes; ++k) fuzz_change(&state, data, &length, seed[other], size[other]);
    fuzz_fill(file, data, length);
    fuzz_limit(FUZZ_SECONDS);
    (void)LLVMFuzzerTestOneInput(data, length);
  }
  fuzz_limit(0);
  for (int i = 0; i < n; ++i) free(seed[i]);
  free(data);
  if (getrusage(RUSAGE_SELF, &used) || close(file)) abort();
  printf("%ld inputs from %d files, %ld MB at most\n", runs, n, used.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
  if (LLVMFuzzerInitialize(&argc, &argv)) return 1;
  if (argc > 5 && !strcmp(argv[1], "-runs") && !strcmp(argv[3], "-seed")) {
    fuzz_by_chance(atol(argv[2]), 88172645463325252u + strtoull(argv[4], NULL, 10), argc - 5, argv + 5);
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    size_t   size;
    uint8_t *bytes = fuzz_read(argv[i], &size);

    for (size_t n = size; n > 0; n -= n < 10 ? n : 10) (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
  }
  return 0;
}
#endif

#endif
