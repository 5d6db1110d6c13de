/* condense_local.c - g(u, s) = 0 at every point, s condensed: Newton's method with a line search of its own at each.

   All points iterate together, so that kernels run over batches of cells; each has its own damping and stops when

       |g_i| <= 16 u sum_j |K_ij| |w_j|   for all its entries, or a full step changed no entry by more than 1e-9 of it,

   the second because the next step would change it by the square of that.  A step counts if the largest
   |g_i|/weight_i falls, with the weights of the first iteration: units do not matter.  Nothing of this is kept: results
   depend on (u, s) as given alone, so that a rejected step leaves no trace. */
#include "condense_impl.h"

#define ITERATIONS 50
#define ROUNDING   (16 * PETSC_MACHINE_EPSILON)
#define SMALL_STEP 1e-9
#define DESCENT    1e-4 /* of Armijo */
#define SHORTEST   (1.0 / 1024)

enum { DONE, FIRST, TRIED, FAILED };

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
static PetscErrorCode evaluate(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load, Vec w)
{
  const RungCondense c = ts->sys->form->condense;

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
  if (load) PetscCall(add_rows(ts->sys, NULL, load, c->g));
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

static PetscErrorCode differentiate(RungTransientSystem ts, PetscReal t, const RungLine *line)
{
  const RungSystem   sys                                           = ts->sys;
  const RungCondense c                                             = sys->form->condense;
  PetscReal          one[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  Adding             adding                                        = {.sys = sys};

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

/* ---- one point -------------------------------------------------------------------------------------------------------
 */

/* What one point sees of the arrays; [n] each. */
typedef struct {
  PetscInt           n;
  const PetscInt    *entry; /* local dofs               */
  const PetscScalar *g;     /* of this rank, by entry   */
  const PetscScalar *size;
  PetscScalar       *w;
  PetscScalar       *K; /* [n * n] */
  PetscReal         *floor, *weight, *step, *from;
  PetscReal         *merit, *alpha;
  signed char       *state;
} Point;

typedef struct {
  PetscScalar *copy, *work, *g, *d; /* owned, [width * width], [width], the same */
  PetscInt    *pivot;               /* owned, [width]                            */
} Work;

static PetscBool is_solved(const Point *p)
{
  for (PetscInt a = 0; a < p->n; ++a) {
    if (!(PetscAbsScalar(p->g[p->entry[a]]) <= ROUNDING * p->floor[a])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscReal merit(const Point *p)
{
  PetscReal largest = 0;

  for (PetscInt a = 0; a < p->n; ++a) {
    const PetscReal ratio = PetscAbsScalar(p->g[p->entry[a]]) / p->weight[a];

    if (!(ratio <= largest)) largest = ratio; /* NaN stays */
  }
  return largest;
}

/* s = from + alpha step */
static void move(const Point *p)
{
  for (PetscInt a = 0; a < p->n; ++a) p->w[p->entry[a]] = p->from[a] + *p->alpha * p->step[a];
}

/* weight_i = sum_j |K_ij| (|w_j| + |step_j|): the size of what cancels in g_i */
static void set_weight(const Point *p, const PetscScalar K[], const PetscScalar d[])
{
  for (PetscInt a = 0; a < p->n; ++a) {
    p->weight[a] = p->floor[a];
    for (PetscInt b = 0; b < p->n; ++b) p->weight[a] += PetscAbsScalar(K[a * p->n + b] * d[b]);
    if (!(p->weight[a] > 0)) p->weight[a] = 1;
  }
  *p->merit = merit(p);
}

/* A full step; done if it is small. */
static PetscErrorCode newton(const Point *p, const Work *work)
{
  PetscBool regular, small = PETSC_TRUE, finite = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(work->copy, p->K, p->n * p->n));
  regular = RungCondenseInvert(p->n, p->K, work->pivot, work->work);
  for (PetscInt a = 0; a < p->n; ++a) work->g[a] = -p->g[p->entry[a]];
  RungCondenseMultiply(p->n, p->K, work->g, work->d);
  if (*p->state == FIRST) set_weight(p, work->copy, work->d);
  for (PetscInt a = 0; a < p->n; ++a) {
    p->step[a] = PetscRealPart(work->d[a]);
    p->from[a] = PetscRealPart(p->w[p->entry[a]]);
    small      = small && PetscAbsReal(p->step[a]) <= SMALL_STEP * PetscRealPart(p->size[p->entry[a]]) ? PETSC_TRUE
                                                                                                       : PETSC_FALSE;
    finite     = finite && !PetscIsInfOrNanReal(p->step[a]) ? PETSC_TRUE : PETSC_FALSE;
  }
  *p->alpha = 1;
  *p->state = !regular || !finite ? FAILED : small ? DONE : TRIED;
  if (*p->state != FAILED) move(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate(const Point *p, const Work *work)
{
  PetscReal now;

  PetscFunctionBegin;
  if (is_solved(p)) {
    *p->state = DONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (*p->state == TRIED) {
    now = merit(p);
    if (!(now <= (1 - DESCENT * *p->alpha) * *p->merit)) {
      *p->alpha /= 2;
      move(p);
      if (*p->alpha < SHORTEST) *p->state = FAILED;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    *p->merit = now;
  }
  PetscCall(newton(p, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all points ------------------------------------------------------------------------------------------------------
 */

/* One iteration of the points that are not done.  Out count[2]: still at work, failed */
static PetscErrorCode sweep(RungTransientSystem ts, Vec w, const Work *work, PetscInt count[2])
{
  const RungSystem   sys = ts->sys;
  const RungCondense c   = sys->form->condense;
  const PetscScalar *g, *size;
  PetscScalar       *x;
  PetscInt          *entry;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->width, &entry));
  PetscCall(VecGetArrayRead(c->g, &g));
  PetscCall(VecGetArrayRead(c->size, &size));
  PetscCall(VecGetArray(w, &x));
  count[0] = count[1] = 0;
  for (PetscInt cell = 0; cell < c->cells; ++cell) {
    const PetscInt *dof = sys->form->data->cell_dof + cell * c->dofs;

    for (PetscInt i = 0; i < c->points; ++i) {
      const PetscInt at = cell * c->inner + c->start[i], k = cell * c->points + i;
      const Point    p = {.n      = c->start[i + 1] - c->start[i],
                          .entry  = entry,
                          .g      = g,
                          .size   = size,
                          .w      = x,
                          .K      = c->ss + cell * c->blocks + c->block[i],
                          .floor  = c->floor + at,
                          .weight = c->weight + at,
                          .step   = c->step + at,
                          .from   = c->from + at,
                          .merit  = c->merit + k,
                          .alpha  = c->alpha + k,
                          .state  = c->state + k};

      if (*p.state == DONE || *p.state == FAILED) continue;
      for (PetscInt a = 0; a < p.n; ++a) entry[a] = dof[c->inner_dof[c->start[i] + a]];
      PetscCall(iterate(&p, work));
      if (*p.state != DONE) ++count[*p.state == FAILED ? 1 : 0];
    }
  }
  PetscCall(VecRestoreArray(w, &x));
  PetscCall(VecRestoreArrayRead(c->size, &size));
  PetscCall(VecRestoreArrayRead(c->g, &g));
  PetscCall(PetscFree(entry));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT, MPI_SUM, sys->comm));
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
  while (k < c->cells * c->points && c->state[k] == DONE) ++k;
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
  const RungCondense c        = ts->sys->form ? ts->sys->form->condense : NULL;
  PetscInt           count[2] = {1, 0};
  Work               work;

  PetscFunctionBegin;
  *solved = PETSC_TRUE;
  if (!c || ts->sys->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc5(c->width * c->width, &work.copy, c->width, &work.work, c->width, &work.g, c->width, &work.d,
                         c->width, &work.pivot));
  for (PetscInt k = 0; k < c->cells * c->points; ++k) c->state[k] = FIRST;
  for (PetscInt i = 0; i < ITERATIONS && count[0] && !count[1]; ++i) {
    PetscCall(evaluate(ts, t, line, load, w));
    PetscCall(differentiate(ts, t, line));
    PetscCall(sweep(ts, w, &work, count));
    ++c->iterations;
  }
  PetscCall(PetscFree5(work.copy, work.work, work.g, work.d, work.pivot));
  ++c->solves;
  if (!count[0] && !count[1]) PetscFunctionReturn(PETSC_SUCCESS);
  *solved = PETSC_FALSE;
  PetscCall(describe(ts->sys, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
