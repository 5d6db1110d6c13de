/* pattern_fixed.c - what insertion leaves in rows and columns of fixed dofs: lists of the entries to be cleared, and of the ones.

   Positions are those of the matrix as it is: in rows of dofs entry (a, j) of a row of blocks lies at a * stride + j, in
   blocks of n components at j n + a, where j counts the columns that are stored. */
#include <rungown_room.h>
#include "pattern_impl.h"

typedef struct {
  RungPatternBuild *b;
  PetscBool        *some;      /* owned, [id] a dof of the block is fixed                         */
  PetscInt          length[2]; /* of a row: stored columns of its parts, in dofs                  */
  PetscInt          count[2];  /* of a row: fixed columns of its parts                            */
  PetscInt          diagonal;  /* of a row: the first of its own columns                          */
  int32_t          *column[2]; /* owned, [part][count] fixed columns of a row, by their places    */
  PetscInt          room[3];   /* of pattern->clear                                               */
} Fixed;

/* [component] which dofs of a block are fixed, as far as known here; NULL: none. */
static const PetscBool *fixed_of(const RungPatternBuild *b, PetscInt id)
{
  if (id >= b->p->blocks) return b->foreign_fixed + b->foreign_start[id - b->p->blocks];
  return b->fixed ? b->fixed + b->p->block_dof[id] : NULL;
}

/* Which blocks have a fixed dof: most have none, and their entries need no look at each. */
static PetscErrorCode start_fixed(RungPatternBuild *b, Fixed *f)
{
  const RungPattern p       = b->p;
  PetscInt          longest = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(b->ids, &f->some));
  for (PetscInt id = 0; id < b->ids; ++id) {
    const PetscBool *fixed = fixed_of(b, id);

    for (PetscInt c = 0; fixed && c < b->id_components[id]; ++c)
      if (fixed[c]) f->some[id] = PETSC_TRUE;
  }
  for (int part = 0; part < b->parts; ++part)
    for (PetscInt r = 0; r < p->blocks; ++r) longest = PetscMax(longest, p->stride[part][r]);
  for (int part = 0; part < 2; ++part) PetscCall(PetscMalloc1(longest, &f->column[part]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_fixed(Fixed *f)
{
  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part) PetscCall(PetscFree(f->column[part]));
  PetscCall(PetscFree(f->some));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Most rows are far from fixed dofs. */
static PetscBool has_some(const Fixed *f, PetscInt n, const PetscInt id[])
{
  PetscBool some = PETSC_FALSE;

  for (PetscInt k = 0; k < n; ++k) some |= f->some[id[k]];
  return some;
}

/* The fixed dofs among the columns of a row, without those below the diagonal of a symmetric matrix. */
static void find_columns(Fixed *f, PetscBool split, PetscInt row, PetscInt n, const PetscInt id[])
{
  const RungPatternBuild *b       = f->b;
  PetscInt                next[2] = {0, 0};

  f->count[0] = f->count[1] = 0;
  for (int part = 0; split && part < 2 && b->p->lower[part]; ++part)
    next[part] = -b->p->uniform * b->p->lower[part][row];
  for (PetscInt k = 0; k < n; ++k) {
    const int      part = split && id[k] >= b->p->owned;
    const PetscInt at   = next[part];

    next[part] += b->id_components[id[k]];
    if (id[k] == row) f->diagonal = at;
    if (at >= 0 && f->some[id[k]]) {
      const PetscBool *fixed  = fixed_of(b, id[k]);
      int32_t         *column = f->column[part];

      for (PetscInt c = 0; c < b->id_components[id[k]]; ++c) {
        column[f->count[part]] = (int32_t)(at + c);
        f->count[part] += fixed[c] ? 1 : 0;
      }
    }
  }
  for (int part = 0; part < 2; ++part) f->length[part] = next[part];
}

/* Room for n more entries in a list, which begins behind those that are there. */
static PetscErrorCode make_room(Fixed *f, int array, PetscInt n, int32_t **list)
{
  RungPattern p = f->b->p;

  PetscFunctionBegin;
  if (p->cleared[array] + n > f->room[array]) {
    f->room[array] = 2 * (p->cleared[array] + n) + 256;
    PetscCall(PetscRealloc((size_t)f->room[array] * sizeof **list, &p->clear[array]));
  }
  *list = p->clear[array] + p->cleared[array];
  p->cleared[array] += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists what fixed dofs have in a row: all of it, or the fixed columns, which are the same for its components. */
static PetscErrorCode list_row(Fixed *f, PetscBool split, PetscInt row, PetscInt n, const PetscInt id[])
{
  RungPattern      p      = f->b->p;
  const PetscBool  blocks = split ? RungPatternHasBlocks(p) : PETSC_FALSE;
  const PetscBool *fixed  = f->some[row] ? fixed_of(f->b, row) : NULL;
  const int32_t    wide   = blocks ? (int32_t)p->uniform : 1; /* from a column to the next */

  PetscFunctionBegin;
  if (!fixed && !has_some(f, n, id)) PetscFunctionReturn(PETSC_SUCCESS);
  find_columns(f, split, row, n, id);
  for (PetscInt a = 0; a < f->b->id_components[row]; ++a) {
    const PetscBool all = fixed ? fixed[a] : PETSC_FALSE;

    for (int part = 0; part < (split ? f->b->parts : 1); ++part) {
      const int32_t  first = p->start[part][row] + (int32_t)a * (blocks ? 1 : p->stride[part][row]);
      const PetscInt count = all ? f->length[part] : f->count[part];
      int32_t       *to;

      PetscCall(make_room(f, split ? part : 2, count, &to));
      for (PetscInt k = 0; k < count; ++k) to[k] = first + wide * (all ? (int32_t)k : f->column[part][k]);
      if (all && split && part == 0) p->fixed_diagonal[p->fixed_count++] = first + wide * (int32_t)(f->diagonal + a);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternListFixed(RungPatternBuild *b, const PetscInt ghost_start[], const PetscInt ghost_id[])
{
  const RungPattern           p = b->p;
  RUNG_OWNED(end_fixed) Fixed f = {.b = b};

  PetscFunctionBegin;
  if (!b->foreign_fixed) PetscFunctionReturn(PETSC_SUCCESS); /* nothing is fixed on any rank */
  PetscCall(start_fixed(b, &f));
  for (PetscInt r = 0; r < p->owned; ++r)
    PetscCall(list_row(&f, PETSC_TRUE, r, b->row_start[r + 1] - b->row_start[r], b->row_id + b->row_start[r]));
  for (PetscInt g = 0; g < p->blocks - p->owned; ++g)
    PetscCall(list_row(&f, PETSC_FALSE, p->owned + g, ghost_start[g + 1] - ghost_start[g], ghost_id + ghost_start[g]));
  for (int array = 0; array < 3; ++array)
    PetscCall(PetscRealloc((size_t)p->cleared[array] * sizeof **p->clear, &p->clear[array]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
