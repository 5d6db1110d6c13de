/* solver_table.c - the table of choices and how it is read: from the top, to the first row whose condition holds. */
#include "solver_impl.h"

enum {
#define RUNG_CHOICE(name, kind, levels, most, condition, reason, problem, seconds, rejected, others) ROW_##name,
#include "solver_choices.def"
#undef RUNG_CHOICE
  ROWS
};

static const RungSolverRow row[ROWS] = {
#define RUNG_CHOICE(name, kind, levels, most, condition, reason, problem, seconds, rejected, others)                   \
  [ROW_##name] = {#name, #condition, kind, levels, most, reason, problem, rejected, seconds, others},
#include "solver_choices.def"
#undef RUNG_CHOICE
};

static PetscBool holds(const RungSolverFacts *f, int number)
{
  switch (number) {
#define RUNG_CHOICE(name, kind, levels, most, condition, reason, problem, seconds, rejected, others)                   \
  case ROW_##name:                                                                                                     \
    return (condition) ? PETSC_TRUE : PETSC_FALSE;
#include "solver_choices.def"
#undef RUNG_CHOICE
  default: return PETSC_FALSE;
  }
}

const RungSolverRow *RungSolverFind(const RungSolverFacts *facts, const RungSolverRow *from)
{
  int number = from ? (int)(from - row) : 0;

  while (number < ROWS - 1 && !holds(facts, number)) ++number; /* the last row takes what is left */
  return &row[number];
}

const RungSolverRow *RungSolverRows(PetscInt *n)
{
  *n = ROWS;
  return row;
}
