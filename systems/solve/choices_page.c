/* choices_page.c - prints the table of docs/solvers.md that solver_choices.def is. */
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name, *kind, *condition, *reason, *problem, *rejected;
  int         levels, most;
  double      seconds, others;
} Row;

static const Row row[] = {
#define RUNG_CHOICE(name, kind, levels, most, condition, reason, problem, seconds, rejected, others)                   \
  {#name, #kind, #condition, reason, problem, rejected, levels, most, seconds, others},
#include "solver_choices.def"
#undef RUNG_CHOICE
};

static const struct {
  const char *kind, *words;
} solver[] = {{"RUNG_BY_FACTORS", "factors"},
              {"RUNG_BY_JACOBI", "Jacobi"},
              {"RUNG_BY_ACTION", "Jacobi, no matrix"},
              {"RUNG_BY_ICC", "ICC"},
              {"RUNG_BY_ILU", "GMRES, ILU"},
              {"RUNG_BY_HYPRE", "BoomerAMG"},
              {"RUNG_BY_GAMG", "GAMG"},
              {"RUNG_BY_LEVELS", "multigrid on degrees"},
              {"RUNG_BY_SADDLE", "FGMRES, Schur complement"}};

/* C as one reads it: no f->, PETSc's names in small letters, no bar that would end a cell of the table. */
static void print_condition(const char text[])
{
  while (*text) {
    if (!strncmp(text, "f->", 3))
      text += 3;
    else if (!strncmp(text, "PetscMin", 8))
      text += 8, printf("min");
    else if (!strncmp(text, "||", 2))
      text += 2, printf("or");
    else if (!strncmp(text, "&&", 2))
      text += 2, printf("and");
    else
      putchar(*text++);
  }
}

static void print_row(const Row *r)
{
  printf("| %s | ", r->name);
  print_condition(r->condition);
  for (size_t i = 0; i < sizeof solver / sizeof solver[0]; ++i)
    if (!strcmp(solver[i].kind, r->kind)) printf(" | %s", solver[i].words);
  if (r->levels) printf(", a level of fill");
  if (r->most && !strcmp(r->kind, "RUNG_BY_SADDLE"))
    printf(", at most %d iterations", r->most);
  else if (r->most)
    printf(", if a trial takes at most %d iterations", r->most);
  printf(" | %s", r->reason);
  if (r->others > 0)
    printf(" | %s: %g against %g of %s |\n", r->problem, r->seconds, r->others, r->rejected);
  else
    printf(" | |\n");
}

int main(void)
{
  printf("| row | condition | solver | why | CPU seconds |\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) print_row(&row[i]);
  return 0;
}
