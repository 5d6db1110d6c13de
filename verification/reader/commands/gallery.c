/* gallery.c - rung list problems, and rung new: a problem of the gallery under a name of one's own. */
#include <rungown_room.h>
#include "reader_impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define MOST 256

/* Names of problems without their ending, sorted. */
typedef struct {
  PetscInt n;
  char    *name[MOST]; /* owned */
} Names;

static void free_names(Names *list)
{
  for (PetscInt i = 0; i < list->n; ++i) (void)PetscFree(list->name[i]);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static PetscErrorCode read_folder(DIR *open, Names *list)
{
  struct dirent *entry;

  PetscFunctionBegin;
  while (open && list->n < MOST && (entry = readdir(open))) {
    const size_t length = strlen(entry->d_name);

    if (length < 6 || strcmp(entry->d_name + length - 5, ".rung") != 0) continue;
    PetscCall(PetscStrallocpy(entry->d_name, &list->name[list->n]));
    list->name[list->n++][length - 5] = 0;
  }
  qsort(list->name, (size_t)list->n, sizeof *list->name, by_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode list_problems(const char folder[], Names *list)
{
  DIR *open = opendir(folder);

  PetscFunctionBegin;
  RungCallFinally(read_folder(open, list), (void)(open ? closedir(open) : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Commas between them; as many as there is room for. */
static void join_names(const Names *list, size_t room, char all[])
{
  size_t used = 0;

  all[0] = 0;
  for (PetscInt i = 0; i < list->n && used < room; ++i)
    used += (size_t)snprintf(all + used, room - used, "%s%s", i ? ", " : "", list->name[i]);
}

/* Does the line test numbers that other constants, meshes or steps change? */
static PetscBool is_of_the_original(const char line[])
{
  static const char *const word[] = {"reference", "happens", "expect error"};

  while (*line == ' ' || *line == '\t') ++line;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i) {
    if (!strncmp(line, word[i], strlen(word[i]))) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Why a file cannot be made, with the way out. */
static void say_why(const char path[], int error, char why[256])
{
  const char *slash = strrchr(path, '/');

  if (error == ENOENT && slash)
    (void)snprintf(why, 256, "%.80s: there is no folder for it; make one first: mkdir -p %.*s", path,
                   (int)PetscMin(slash - path, 80), path);
  else
    (void)snprintf(why, 256, "%.180s: %s%s", path, strerror(error), error == EEXIST ? "; choose another name" : "");
}

/* Lines of `from` into a file that must not be there.  What is true of the original alone becomes a remark, so that a changed file does
   not fail; *tests: there was such a line. */
static void copy(const char from[], const char to[], PetscBool *tests, char why[256])
{
  FILE     *source = fopen(from, "rb"), *target = source ? fopen(to, "wbx") : NULL;
  char      text[4096];
  PetscBool begins = PETSC_TRUE; /* a line */

  if (!source || !target) say_why(source ? to : from, errno, why);
  while (target && fgets(text, sizeof text, source)) {
    const PetscBool test = begins && is_of_the_original(text) ? PETSC_TRUE : PETSC_FALSE;

    if (test) *tests = PETSC_TRUE;
    (void)fprintf(target, "%s%s", test ? "# " : "", text);
    begins = strchr(text, '\n') ? PETSC_TRUE : PETSC_FALSE;
  }
  if (target && (ferror(source) || ferror(target))) (void)snprintf(why, 256, "%.180s: %s", to, strerror(errno));
  if (target && fclose(target) && !why[0]) (void)snprintf(why, 256, "%.180s: %s", to, strerror(errno));
  if (source) (void)fclose(source);
}

/* Names and titles. */
PetscErrorCode RungGalleryPrint(MPI_Comm comm, const char folder[])
{
  RUNG_OWNED(free_names) Names list = {0};
  char                         path[PETSC_MAX_PATH_LEN], line[512];
  PetscMPIInt                  rank;

  PetscFunctionBegin;
  RungNeedArgument(folder);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) PetscCall(list_problems(folder, &list));
  for (PetscInt i = 0; i < list.n; ++i) {
    FILE       *file;
    const char *title = "\n";

    PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.rung", folder, list.name[i]));
    file = fopen(path, "re");
    while (file && title[0] == '\n' && fgets(line, sizeof line, file)) {
      if (!strncmp(line, "title ", 6)) title = line + 6 + strspn(line + 6, " ");
    }
    if (file) (void)fclose(file);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %-18s %s", list.name[i], title));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGalleryCopy(MPI_Comm comm, const char folder[], const char name[])
{
  RUNG_OWNED(free_names) Names list = {0};
  char                         from[PETSC_MAX_PATH_LEN], to[PETSC_MAX_PATH_LEN], why[256] = "", all[8192];
  const char *nearest = NULL, *slash = name ? strrchr(name, '/') : NULL, *problem = slash ? slash + 1 : name;
  PetscMPIInt rank;
  PetscBool   known = PETSC_FALSE, tests = PETSC_FALSE;

  PetscFunctionBegin;
  RungNeedArgument(folder);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) PetscCall(list_problems(folder, &list));
  join_names(&list, sizeof all, all);
  for (PetscInt i = 0; i < list.n; ++i)
    known = known || (problem && !strcmp(problem, list.name[i])) ? PETSC_TRUE : PETSC_FALSE;
  if (!rank && problem) PetscCall(RungSuggest(problem, list.n, (const char *const *)list.name, &nearest));
  if (!rank && !list.n) (void)snprintf(why, sizeof why, "the gallery, %s, is not there", folder);
  if (!rank && known) {
    PetscCall(PetscSNPrintf(from, sizeof from, "%s/%s.rung", folder, problem));
    PetscCall(PetscSNPrintf(to, sizeof to, "%s.rung", name));
    copy(from, to, &tests, why);
  }
  RungCheckAll(rank || known || why[0], comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "no problem of the gallery is called \"%s\"%s%s%s; there are %s", problem ? problem : "",
               nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", all);
  RungCheckAll(!why[0], comm, PETSC_ERR_FILE_OPEN, "%s", why);
  PetscCall(PetscPrintf(comm, "%s.rung is yours: rung run %s.rung\n", name, name));
  if (tests)
    PetscCall(
      PetscPrintf(comm, "numbers that it is tested by are those of the gallery: they stand there as remarks\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
