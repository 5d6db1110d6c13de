/* condense_local.c - g(u, s) = 0 at every point, s condensed.

   All points iterate together, so that kernels run over batches of cells; what a point does is told in condense_point.c.
   Those that do not get there from the guess in w begin anew elsewhere, and at last follow the outer unknowns in steps
   (condense_guess.c).  Nothing is kept: results depend on w, the line and the accepted level alone, so that a rejected step
   leaves no trace. */
#include "condense_impl.h"

/* ---- the equations -------------------------------------------------------------------------------------------------
 */

/* g += diag(weight) m on condensed unknowns; weight NULL: 1 */
static PetscErrorCode add_rows(RungSystem sys, const PetscReal weight[], Vec m, Vec g)
{
  const RungCondense c = sys->form->condense;
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(m, &from));
  PetscCall(VecGetArray(g, &to));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; c->local[f] && i < sys->range[f + 1]; ++i)
      to[i] += (weight ? weight[f] : 1) * from[i];
  }
  PetscCall(VecRestoreArray(g, &to));
  PetscCall(VecRestoreArrayRead(m, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->g in rows of condensed unknowns; leaves the levels in ts->u. */
static PetscErrorCode evaluate(const RungLocalProblem *problem, Vec w)
{
  const RungTransientSystem ts   = problem->ts;
  const RungLine           *line = problem->line;
  const PetscReal           t    = problem->t;
  const RungCondense        c    = ts->sys->form->condense;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  if (c->rest)
    PetscCall(RungFormAssembleVec(c->rest, t, ts->u, c->g));
  else
    PetscCall(VecZeroEntries(c->g));
  if (c->m) {
    PetscCall(RungFormAssembleVec(c->m, t, (const Vec[]){ts->u[0], ts->u[0], ts->u[0]}, c->size));
    PetscCall(add_rows(ts->sys, line->slope + ts->sys->form->unknowns, c->size, c->g));
  }
  if (problem->load) PetscCall(add_rows(ts->sys, NULL, problem->load, c->g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size_j = sum_k |u_j^(k)|/|slope_k|: what the entries of w stand for */
static PetscErrorCode set_size(RungTransientSystem ts, const RungLine *line)
{
  const RungSystem   sys = ts->sys;
  const RungCondense c   = sys->form->condense;
  PetscScalar       *size;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(c->size));
  PetscCall(VecGetArray(c->size, &size));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    const PetscScalar *u;

    PetscCall(VecGetArrayRead(ts->u[k], &u));
    for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
      const PetscReal slope = PetscAbsReal(line->slope[k * sys->form->unknowns + f]);

      for (PetscInt i = sys->range[f]; slope > 0 && i < sys->range[f + 1]; ++i) size[i] += PetscAbsScalar(u[i]) / slope;
    }
    PetscCall(VecRestoreArrayRead(ts->u[k], &u));
  }
  PetscCall(VecRestoreArray(c->size, &size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungSystem         sys;
  const PetscReal   *weight; /* [unknown] of rows; NULL: 1 */
  const PetscScalar *size;   /* [local dof]                */
} Adding;

/* Blocks K_ss and sum_j |K_ij| size_j of the cells of a batch. */
static PetscErrorCode add_blocks(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                                 void *ctx)
{
  const Adding         *adding = (const Adding *)ctx;
  const RungCondense    c      = adding->sys->form->condense;
  const RungLayoutData *data   = adding->sys->form->data;

  PetscFunctionBegin;
  for (PetscInt l = 0; cell && l < count; ++l) {
    const PetscInt *dof = data->cell_dof + cell[l] * c->dofs;
    PetscScalar    *ss  = c->ss + cell[l] * c->blocks;

    for (PetscInt a = 0, f = 0; a < c->inner; ++a) {
      const PetscInt     row = c->inner_dof[a], p = c->point_of[row], first = c->start[p];
      const PetscScalar *entry = block + row * si + l;
      PetscReal          sum = 0, weight = 1;

      for (f = 0; row >= data->offset[f + 1];) ++f;
      if (adding->weight) weight = adding->weight[f];
      for (PetscInt j = 0; j < c->dofs; ++j) sum += PetscAbsScalar(entry[j * sj]) * PetscRealPart(adding->size[dof[j]]);
      c->floor[cell[l] * c->inner + a] += PetscAbsReal(weight) * sum;
      for (PetscInt b = first; b < c->start[p + 1]; ++b)
        ss[c->block[p] + (a - first) * (c->start[p + 1] - first) + b - first] += weight * entry[c->inner_dof[b] * sj];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode differentiate(const RungLocalProblem *problem)
{
  const RungTransientSystem ts                                            = problem->ts;
  const RungLine           *line                                          = problem->line;
  const PetscReal           t                                             = problem->t;
  const RungSystem          sys                                           = ts->sys;
  const RungCondense        c                                             = sys->form->condense;
  PetscReal                 one[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  Adding                    adding                                        = {.sys = sys};

  PetscFunctionBegin;
  PetscCall(set_size(ts, line));
  PetscCall(PetscArrayzero(c->ss, c->cells * c->blocks));
  PetscCall(PetscArrayzero(c->floor, c->cells * c->inner));
  PetscCall(RungLayoutGather(sys->form->layout, c->size, RUNG_LAYOUT_SLOTS - 1, &adding.size));
  if (c->rest) PetscCall(RungFormAddMat(c->rest, t, ts->u, line->slope, NULL, add_blocks, &adding));
  if (c->m) {
    for (PetscInt g = 0; g < sys->form->unknowns; ++g) one[g] = 1;
    adding.weight = line->slope + sys->form->unknowns;
    PetscCall(RungFormAddMat(c->m, t, (const Vec[]){ts->u[0], ts->u[0], ts->u[0]}, one, NULL, add_blocks, &adding));
  }
  PetscCall(RungLayoutGatherRestore(sys->form->layout, c->size, RUNG_LAYOUT_SLOTS - 1, &adding.size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all points ------------------------------------------------------------------------------------------------------
 */

/* One iteration of the points that are at work.  Out count[2]: at work, given up */
static PetscErrorCode sweep(RungSystem sys, Vec w, const RungPointWork *work, PetscInt count[2])
{
  const RungCondense c = sys->form->condense;
  const PetscScalar *g, *size;
  PetscScalar       *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(c->g, &g));
  PetscCall(VecGetArrayRead(c->size, &size));
  PetscCall(VecGetArray(w, &x));
  count[0] = count[1] = 0;
  for (PetscInt cell = 0; cell < c->cells; ++cell) {
    const PetscInt *dof = sys->form->data->cell_dof + cell * c->dofs;

    for (PetscInt i = 0; i < c->points; ++i) {
      const PetscInt  at = cell * c->inner + c->start[i];
      const RungPoint p  = {.n      = c->start[i + 1] - c->start[i],
                            .entry  = work->entry,
                            .g      = g,
                            .size   = size,
                            .w      = x,
                            .K      = c->ss + cell * c->blocks + c->block[i],
                            .floor  = c->floor + at,
                            .weight = c->weight + at,
                            .step   = c->step + at,
                            .from   = c->from + at,
                            .search = c->search + cell * c->points + i};

      if (RungPointIsAtRest(&p)) {
        if (p.search->state == RUNG_POINT_FAILED) ++count[1];
        continue;
      }
      for (PetscInt a = 0; a < p.n; ++a) work->entry[a] = dof[c->inner_dof[c->start[i] + a]];
      PetscCall(RungPointIterate(&p, work));
      if (p.search->state != RUNG_POINT_DONE) ++count[p.search->state == RUNG_POINT_FAILED ? 1 : 0];
    }
  }
  PetscCall(VecRestoreArray(w, &x));
  PetscCall(VecRestoreArrayRead(c->size, &size));
  PetscCall(VecRestoreArrayRead(c->g, &g));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT, MPI_SUM, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseIterate(const RungLocalProblem *problem, Vec w, PetscInt *failed)
{
  const RungCondense c        = problem->ts->sys->form->condense;
  PetscInt           count[2] = {1, 0};
  RungPointWork      work;

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(c->width * c->width, &work.copy, c->width, &work.work, c->width, &work.g, c->width, &work.d,
                         c->width, &work.pivot, c->width, &work.entry));
  while (count[0]) {
    PetscCall(evaluate(problem, w));
    PetscCall(differentiate(problem));
    PetscCall(sweep(problem->ts->sys, w, &work, count));
    ++c->iterations;
  }
  PetscCall(PetscFree6(work.copy, work.work, work.g, work.d, work.pivot, work.entry));
  *failed = count[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first point of this rank that is not done. */
static PetscErrorCode describe(RungSystem sys, char why[], size_t size)
{
  const RungCondense   c      = sys->form->condense;
  const PetscInt      *offset = sys->form->data->offset;
  char                 place[128];
  const RungSpaceData *space;
  PetscInt             k = 0, f = 0, dof;
  PetscBool            bad;

  PetscFunctionBegin;
  while (k < c->cells * c->points && c->search[k].state == RUNG_POINT_DONE) ++k;
  why[0] = 0;
  if (k < c->cells * c->points) {
    dof = c->inner_dof[c->start[k % c->points]];
    while (dof >= offset[f + 1]) ++f;
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    dof = (dof - offset[f]) / space->components;
    PetscCall(RungTargetPlace(space, space->cell_node[k / c->points * space->cell_nodes + dof], place, sizeof place));
    PetscCall(
      PetscSNPrintf(why, size, "the equations of \"%s\" were not solved at the point %s", sys->form->name[f], place));
  }
  PetscCall(RungCheckAll_Private(sys->comm, why[0] ? 0 : 1, why, size, &bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemSolveCondensed(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load,
                                                 Vec w, PetscBool *solved, char why[], size_t size)
{
  RungNeed(ts);
  const RungCondense     c       = ts->sys->form ? ts->sys->form->condense : NULL;
  const RungLocalProblem problem = {.ts = ts, .t = t, .line = line, .load = load};
  PetscInt               failed  = 0;

  PetscFunctionBegin;
  *solved = PETSC_TRUE;
  if (!c || ts->sys->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingsFollow(ts->sys, t));
  for (PetscInt k = 0; k < c->cells * c->points; ++k) c->search[k] = (RungPointSearch){.state = RUNG_POINT_FIRST};
  PetscCall(RungCondenseIterate(&problem, w, &failed));
  if (failed) PetscCall(RungCondenseRescue(&problem, w, &failed));
  ++c->solves;
  if (!failed) PetscFunctionReturn(PETSC_SUCCESS);
  *solved = PETSC_FALSE;
  PetscCall(describe(ts->sys, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
