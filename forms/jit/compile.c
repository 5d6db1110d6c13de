/* compile.c - the compiler: found on the path, asked for its version, run by posix_spawn (never fork, never a shell).
 */
#include "jit_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
  #include <cpuid.h>
#endif

#define PATIENCE      300 /* seconds that a compiler may take */
#define MAX_ARGUMENTS 64

extern char **environ;

static PetscInt runs;

PetscInt RungCompilerRuns(void)
{
  return runs;
}

void RungJitPrint(char to[], size_t size, const char format[], ...)
{
  va_list list;

  va_start(list, format);
  (void)vsnprintf(to, size, format, list);
  va_end(list);
}

/* ---- the machine --------------------------------------------------------------------------------------------------
 */

static void ask_machine(char isa[], size_t size)
{
  isa[0] = 0;
#if defined(__x86_64__) || defined(__i386__)
  static const unsigned leaf[][2] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0xd, 1}, {0x80000001u, 0}};

  for (size_t i = 0; i < sizeof leaf / sizeof leaf[0]; ++i) {
    const size_t n = strlen(isa);
    unsigned     a = 0, b = 0, c = 0, d = 0;

    (void)__get_cpuid_count(leaf[i][0], leaf[i][1], &a, &b, &c, &d);
    if (leaf[i][0] == 1) b = 0;   /* holds the number of the processor that we run on */
    if (leaf[i][0] == 0xd) b = 0; /* size of the state in use                         */
    if (leaf[i][0] == 1) c &= ~(1u << 27);
    RungJitPrint(isa + n, size - n, "%x.%x.%x.%x ", a, b, c, d);
  }
  RungJitPrint(isa + strlen(isa), size - strlen(isa), "lanes %d", (int)RungMachineLanes());
#else
  FILE *file = fopen("/proc/cpuinfo", "r"); /* the flags of the first processor name what it can do */
  char  line[2048];

  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "Features", 8) && strncmp(line, "isa", 3) && strncmp(line, "cpu", 3)) continue;
    RungJitPrint(isa, size, "%s", line);
    break;
  }
  if (file) (void)fclose(file);
#endif
}

/* Asked once: in a virtual machine every question leaves it. */
void RungMachineIsa(char isa[], size_t size)
{
  static char known[2560];

  if (!known[0]) ask_machine(known, sizeof known);
  RungJitPrint(isa, size, "%s", known);
}

/* ---- a child ------------------------------------------------------------------------------------------------------
 */

/* Our environment with temporary files going to `folder` (NULL: as it is) and messages in English; malloc. */
static char **environment(const char folder[], char temporary[PETSC_MAX_PATH_LEN])
{
  static char language[] = "LC_ALL=C";
  size_t      n = 0, m = 0;
  char      **list;

  while (environ[n]) ++n;
  list = (char **)malloc((n + 3) * sizeof *list);
  if (!list) return NULL;
  for (size_t i = 0; i < n; ++i) {
    if (folder && !strncmp(environ[i], "TMPDIR=", 7)) continue;
    if (!strncmp(environ[i], "LC_ALL=", 7)) continue;
    list[m++] = environ[i];
  }
  if (folder) {
    RungJitPrint(temporary, PETSC_MAX_PATH_LEN, "TMPDIR=%s", folder);
    list[m++] = temporary;
  }
  list[m++] = language;
  list[m]   = NULL;
  return list;
}

/* Starts argv with its output in the file `log`. */
static PetscBool start(char *const argv[], const char folder[], const char log[], RungChild *child)
{
  posix_spawn_file_actions_t actions;
  char                       temporary[PETSC_MAX_PATH_LEN];
  char                     **list = environment(folder, temporary);
  int                        status;

  child->id     = -1;
  child->status = -1;
  child->end    = (double)time(NULL) + PATIENCE;
  if (!list || posix_spawn_file_actions_init(&actions)) {
    free(list);
    return PETSC_FALSE;
  }
  status = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!status) status = posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!status) status = posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (!status) status = posix_spawn(&child->id, argv[0], &actions, NULL, argv, list);
  (void)posix_spawn_file_actions_destroy(&actions);
  free(list);
  if (status) child->id = -1;
  return status ? PETSC_FALSE : PETSC_TRUE;
}

/* Has it ended?  status: its exit status, 128 + signal, or -1 if it was not there to be waited for. */
PetscBool RungCompilerEnded(RungChild *child)
{
  int         status;
  const pid_t done = child->id < 0 ? -1 : waitpid(child->id, &status, WNOHANG);

  if (!done || (done < 0 && errno == EINTR)) {
    if ((double)time(NULL) > child->end) (void)kill(child->id, SIGKILL);
    return PETSC_FALSE;
  }
  if (done > 0) child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  child->id = -1;
  return PETSC_TRUE;
}

/* Runs argv to its end. */
static int run_program(char *const argv[], const char folder[], const char log[])
{
  const struct timespec pause = {0, 500000};
  RungChild             child;

  if (!start(argv, folder, log, &child)) return -1;
  while (!RungCompilerEnded(&child)) (void)nanosleep(&pause, NULL);
  return child.status;
}

/* The first line of a file that is not empty; "" without one. */
static void first_line(const char path[], char line[], size_t size)
{
  FILE *file = fopen(path, "r");

  line[0] = 0;
  while (file && fgets(line, (int)size, file)) {
    line[strcspn(line, "\r\n")] = 0;
    if (line[0]) break;
  }
  if (file) (void)fclose(file);
}

/* The first line of a log that speaks of an error, else its first line. */
static void error_line(const char path[], char line[], size_t size)
{
  FILE *file = fopen(path, "r");

  line[0] = 0;
  while (file && fgets(line, (int)size, file)) {
    if (strstr(line, "error")) break;
    line[0] = 0;
  }
  if (file) (void)fclose(file);
  line[strcspn(line, "\r\n")] = 0;
  if (!line[0]) first_line(path, line, size);
}

/* ---- the compiler -------------------------------------------------------------------------------------------------
 */

/* Looks for a program as execvp does, but tells where it is. */
static PetscBool find_program(const char name[], char path[PETSC_MAX_PATH_LEN])
{
  const char *list = getenv("PATH");

  if (strchr(name, '/')) {
    RungJitPrint(path, PETSC_MAX_PATH_LEN, "%s", name);
    return access(path, X_OK) ? PETSC_FALSE : PETSC_TRUE;
  }
  for (const char *at = list ? list : "/usr/bin:/bin"; *at;) {
    const size_t n = strcspn(at, ":");
    struct stat  info;

    RungJitPrint(path, PETSC_MAX_PATH_LEN, "%.*s/%s", (int)n, at, name);
    if (n && !access(path, X_OK) && !stat(path, &info) && S_ISREG(info.st_mode)) return PETSC_TRUE;
    at += n + (at[n] ? 1 : 0);
  }
  return PETSC_FALSE;
}

const char *RungTemporaryFolder(void)
{
  const char *folder = getenv("TMPDIR");

  return folder && folder[0] ? folder : "/tmp";
}

/* Appends the words of a text, which is cut to pieces, to argv[n]; how many there are then. */
static int add_words(char text[], char *argv[], int n)
{
  char *next;

  for (char *word = strtok_r(text, " \t", &next); word && n < MAX_ARGUMENTS - 16; word = strtok_r(NULL, " \t", &next)) {
    argv[n++] = word;
  }
  return n;
}

static PetscBool ask_version(RungCompiler *compiler, char reason[RUNG_REASON_SIZE])
{
  char  log[PETSC_MAX_PATH_LEN], ask[] = "--version", words[sizeof compiler->words];
  char *argv[MAX_ARGUMENTS] = {compiler->path};
  int   file, status;

  RungJitPrint(log, sizeof log, "%s/rung-version-XXXXXX", RungTemporaryFolder());
  file = mkstemp(log);
  RungJitPrint(words, sizeof words, "%s", compiler->words);
  argv[add_words(words, argv, 1)] = ask;
  if (file < 0) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "no file can be made in %s; set TMPDIR to a folder that can be written",
                 RungTemporaryFolder());
    return PETSC_FALSE;
  }
  status = run_program(argv, NULL, log);
  first_line(log, compiler->version, sizeof compiler->version);
  (void)close(file);
  (void)unlink(log);
  if (!status && compiler->version[0]) return PETSC_TRUE;
  RungJitPrint(reason, RUNG_REASON_SIZE, "%s --version %s", compiler->path,
               status < 0 ? "cannot be run"
               : status   ? "fails"
                          : "says nothing");
  return PETSC_FALSE;
}

/* "gcc", "/opt/my tools/gcc", "ccache gcc -m64" */
static PetscBool find_command(const char command[], RungCompiler *compiler)
{
  const size_t blank = strcspn(command, " \t");
  char         program[PETSC_MAX_PATH_LEN];

  if (find_program(command, compiler->path)) return PETSC_TRUE;
  RungJitPrint(program, sizeof program, "%.*s", (int)blank, command);
  RungJitPrint(compiler->words, sizeof compiler->words, "%s", command + blank);
  return command[blank] ? find_program(program, compiler->path) : PETSC_FALSE;
}

PetscBool RungCompilerFind(const char name[], RungCompiler *compiler, char reason[RUNG_REASON_SIZE])
{
  static const char *const usual[] = {"cc", "gcc", "clang"};
  static RungCompiler      last; /* asked once */
  static char              last_name[PETSC_MAX_PATH_LEN];
  const char              *set = getenv("CC"), *command = name[0] || !set ? name : set;
  PetscBool                found = PETSC_FALSE;

  command += strspn(command, " \t");
  if (last.version[0] && !strcmp(command, last_name)) {
    *compiler = last;
    return PETSC_TRUE;
  }
  compiler->words[0] = '\0';
  if (command[0]) found = find_command(command, compiler);
  for (size_t i = 0; !command[0] && !found && i < sizeof usual / sizeof usual[0]; ++i) {
    found = find_program(usual[i], compiler->path);
  }
  if (!found) {
    if (command[0])
      RungJitPrint(reason, RUNG_REASON_SIZE, "there is no program \"%s\"%s", command,
                   name[0] ? "" : ", which CC names in the environment");
    else
      RungJitPrint(reason, RUNG_REASON_SIZE, "there is no cc, gcc or clang");
    return PETSC_FALSE;
  }
  if (!ask_version(compiler, reason)) return PETSC_FALSE;
  last = *compiler;
  RungJitPrint(last_name, sizeof last_name, "%s", command);
  return PETSC_TRUE;
}

PetscBool RungCompilerStart(const RungCompiler *compiler, const char flags[], const char define[], const char folder[],
                            const char source[], const char object[], RungChild *child, char reason[RUNG_REASON_SIZE])
{
  const char *fixed[] = {"-std=gnu11", "-shared", "-fPIC", "-nostdlib", "-pipe", "-w",
                         define,       "-o",      object,  source,      "-lm"};
  char        first[sizeof compiler->words], words[2048], log[PETSC_MAX_PATH_LEN], *argv[MAX_ARGUMENTS];
  int         n = 0;

  RungJitPrint(first, sizeof first, "%s", compiler->words);
  RungJitPrint(words, sizeof words, "%s", flags);
  RungJitPrint(log, sizeof log, "%s/log", folder);
  argv[n++] = (char *)compiler->path;
  n         = add_words(words, argv, add_words(first, argv, n));
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) argv[n++] = (char *)fixed[i];
  argv[n] = NULL;
  ++runs;
  if (start(argv, folder, log, child)) return PETSC_TRUE;
  RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be run", compiler->path);
  return PETSC_FALSE;
}

PetscBool RungCompilerSucceeded(const RungCompiler *compiler, const char folder[], const RungChild *child,
                                char reason[RUNG_REASON_SIZE])
{
  char log[PETSC_MAX_PATH_LEN], line[512];

  if (!child->status) return PETSC_TRUE;
  RungJitPrint(log, sizeof log, "%s/log", folder);
  error_line(log, line, sizeof line);
  if (child->status < 0)
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be run", compiler->path);
  else if (child->status > 128)
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s was ended by signal %d", compiler->path, child->status - 128);
  else
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s fails: %s", compiler->path, line[0] ? line : "without a word");
  return PETSC_FALSE;
}

void RungCompilerStop(RungChild *child)
{
  if (child->id < 0) return;
  (void)kill(child->id, SIGKILL);
  (void)waitpid(child->id, NULL, 0);
  child->id = -1;
}
