/* test_walk.c - every method of the registry on every problem of walk.h: it runs at its order and with the errors that are stored, or is
   refused by name; it goes on bit for bit from a checkpoint at any step, forgets attempts that are thrown away, and ranks agree about a
   NaN of one of them.

   The run writes walk.def anew into its folder: copy it here where errors have changed for a reason, or methods are new.  A run that
   was broken off goes on with  -walk_from METHOD  and -test_only FUNCTION; -walk_to METHOD is the last one. */
#include "walk.h"
#include "walk_levels.h"

#define X WALK_REFUSED
static const struct {
  const char *type, *method;
  PetscReal   size[sizeof walk_problem / sizeof walk_problem[0]];
} stored[] = {
#define WALK(type, method, ...) {type, method, {__VA_ARGS__}},
#include "walk.def"
#undef WALK
};
#undef X

/* Two digits are stored.  On several ranks there are no sizes: runs are compared with those of a rank alone (walk.h). */
static PetscErrorCode check_sizes(const char type[], const char method[], const PetscReal size[])
{
  size_t      i = 0;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  while (i < PETSC_STATIC_ARRAY_LENGTH(stored) && (strcmp(stored[i].type, type) || strcmp(stored[i].method, method)))
    ++i;
  if (i == PETSC_STATIC_ARRAY_LENGTH(stored)) fprintf(stderr, "%s %s has no row in walk.def\n", type, method);
  CHECK(i < PETSC_STATIC_ARRAY_LENGTH(stored));
  for (PetscInt p = 0; i < PETSC_STATIC_ARRAY_LENGTH(stored) && p < WALK_PROBLEMS; ++p) {
    const PetscReal wanted = stored[i].size[p];
    const PetscBool same   = ranks > 1                     ? (wanted < 0) == (size[p] < 0)
                             : wanted <= 0 || size[p] <= 0 ? PetscAbsReal(size[p] - wanted) < 2 * WALK_SMALL
                                                           : PetscAbsReal(size[p] - wanted) < 0.2 * wanted;

    if (!same)
      fprintf(stderr, "%s %s on %s: error %.2e, stored %.2e\n", type, method, walk_problem[p].name, size[p], wanted);
    CHECK(same);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The methods that the run is about, [*first, *end). */
static PetscErrorCode walked(PetscInt *first, PetscInt *end, const char *const **types, const char *const **methods)
{
  char      from[128] = "", to[128] = "";
  PetscBool given[2];
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, types, methods));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-walk_from", from, sizeof from, &given[0]));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-walk_to", to, sizeof to, &given[1]));
  *first = 0;
  while (given[0] && *first < n && strcmp((*methods)[*first], from) != 0) ++*first;
  *end = *first;
  while (*end < n && !(given[1] && *end > *first && !strcmp((*methods)[*end - 1], to))) ++*end;
  CHECK(*end > *first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void write_row(FILE *file, const char type[], const char method[], const PetscReal size[])
{
  fprintf(file, "WALK(\"%s\", \"%s\"", type, method);
  for (PetscInt p = 0; p < WALK_PROBLEMS; ++p) {
    fprintf(file, p % 10 ? ", " : ",\n     ");
    if (size[p] < 0)
      fprintf(file, "X");
    else if (size[p] == 0)
      fprintf(file, "0");
    else
      fprintf(file, "%.1e", size[p]);
  }
  fprintf(file, ")\n");
  (void)fflush(file);
}

static PetscErrorCode test_every_method_runs_or_is_refused(void)
{
  const char *const *types, *const *methods;
  FILE       *file = NULL;
  PetscMPIInt rank;
  PetscInt    first, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(walked(&first, &end, &types, &methods));
  if (!rank) file = fopen("walk.def", "w");
  if (file)
    fprintf(file, "/* walk.def - errors of every method on the problems of walk.h, in their order, by test_walk.c.  X: "
                  "it is refused; 0: "
                  "below\n   WALK_SMALL. */\n");
  for (PetscInt i = first; i < end; ++i) {
    PetscReal size[sizeof walk_problem / sizeof walk_problem[0]];

    for (PetscInt p = 0; p < WALK_PROBLEMS; ++p)
      PetscCall(walk_problem_of(&walk_problem[p], types[i], methods[i], &size[p]));
    PetscCall(check_sizes(types[i], methods[i], size));
    if (file) write_row(file, types[i], methods[i], size);
  }
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode for_all(PetscErrorCode (*check)(const char type[], const char method[]))
{
  const char *const *types, *const *methods;
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(walked(&first, &end, &types, &methods));
  for (PetscInt i = first; i < end; ++i) PetscCall(check(types[i], methods[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_goes_on_from_any_step(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(walk_restarts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_forgets_what_is_thrown_away(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(walk_forgets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_survives_a_nan_of_one_rank(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(walk_survives));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_method_runs_or_is_refused), RUNG_TEST(test_every_method_goes_on_from_any_step),
               RUNG_TEST(test_every_method_forgets_what_is_thrown_away),
               RUNG_TEST(test_every_method_survives_a_nan_of_one_rank))
