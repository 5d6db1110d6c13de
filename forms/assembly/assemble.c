/* assemble.c - batches x kernels -> Vec, Mat, number; where a result is not finite. */
#include "kernel_impl.h"
#include <math.h>
#include <time.h>
#include <rungtext_room.h>

/* ---- local arrays of what a form reads ----------------------------------------------------------------------------
 */

#define FEW 16 /* fields for which no memory is taken: steps of small systems would feel it */

typedef struct {
  const PetscScalar  *u[RUNG_LEVELS];   /* with ghosts */
  const PetscScalar  *own[RUNG_LEVELS]; /* without; the same where all of u was gathered */
  PetscBool           level[RUNG_LEVELS];
  PetscInt            fields;
  const PetscScalar **field;    /* [field] few, or owned where there are more */
  const PetscScalar  *few[FEW]; /* NULL where nothing was gathered             */
  PetscBool           waits;    /* ghosts are under way                       */
} Locals;

/* Slots of the layouts' buffers: 0 .. RUNG_DIRECTION here; fields have layouts of their own.  rim: what other phases read is
   not copied */
static PetscErrorCode locals_begin(RungForm form, const RungFormPart *part, const Vec u[], PetscBool rim,
                                   Locals *locals)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(locals, sizeof *locals));
  locals->fields = form->fields;
  for (PetscInt i = 0; i < part->n; ++i) {
    for (int k = 0; k < RUNG_LEVELS; ++k) locals->level[k] = locals->level[k] || part->plan[i]->levels[k];
  }
  for (int k = 0; k < RUNG_LEVELS; ++k) {
    if (!locals->level[k]) continue;
    PetscCheck(u && u[k], form->comm, PETSC_ERR_ARG_NULL,
               "form \"%s\" reads time derivative %d of its unknowns, but u[%d] was not given", form->name, k, k);
    PetscCall(RungLayoutCheckVec(form->layout, u[k])); /* all are looked at before any is opened */
  }
  for (int k = 0; k < RUNG_LEVELS; ++k) {
    if (!locals->level[k]) continue;
    if (rim)
      PetscCall(RungLayoutGatherSome(form->layout, u[k], k, part->rims, part->rim, &locals->own[k], &locals->u[k]));
    else
      PetscCall(RungLayoutGatherBegin(form->layout, u[k], k, &locals->u[k]));
  }
  locals->field = locals->few;
  if (locals->fields > FEW) PetscCall(PetscCalloc1(locals->fields, &locals->field));
  for (PetscInt f = 0; f < locals->fields; ++f) {
    Vec values;

    PetscCall(RungFieldGetVec(RungScopeFieldOf(form->expr.scope, f), &values));
    PetscCall(RungLayoutGatherBegin(form->field[f], values, 0, &locals->field[f]));
  }
  locals->waits = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghosts are there. */
static PetscErrorCode locals_wait(RungForm form, Locals *locals)
{
  PetscFunctionBegin;
  locals->waits = PETSC_FALSE;
  for (int k = 0; k < RUNG_LEVELS; ++k)
    if (locals->level[k]) PetscCall(RungLayoutGatherEnd(form->layout, k));
  for (PetscInt f = 0; f < locals->fields; ++f) PetscCall(RungLayoutGatherEnd(form->field[f], 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode locals_get(RungForm form, const RungFormPart *part, const Vec u[], Locals *locals)
{
  PetscFunctionBegin;
  PetscCall(locals_begin(form, part, u, PETSC_FALSE, locals));
  PetscCall(locals_wait(form, locals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode locals_restore(RungForm form, const Vec u[], Locals *locals)
{
  PetscFunctionBegin;
  if (locals->waits) PetscCall(locals_wait(form, locals)); /* an error came between */
  for (int k = 0; k < RUNG_LEVELS; ++k) {
    if (locals->level[k]) PetscCall(RungLayoutGatherRestore(form->layout, u[k], k, &locals->u[k]));
  }
  for (PetscInt f = 0; f < locals->fields; ++f) {
    Vec values;

    PetscCall(RungFieldGetVec(RungScopeFieldOf(form->expr.scope, f), &values));
    PetscCall(RungLayoutGatherRestore(form->field[f], values, 0, &locals->field[f]));
  }
  if (locals->fields > FEW) PetscCall(PetscFree(locals->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one batch ----------------------------------------------------------------------------------------------------
 */

static void set_arguments(RungForm form, RungBatches batches, PetscReal t, const PetscReal sigma[])
{
  const PetscReal *constant;

  (void)RungScopeConstants(form->expr.scope, &constant);
  batches->args.t        = t;
  batches->args.constant = constant;
  batches->args.sigma    = sigma;
  batches->args.table    = RungScopeTables(form->expr.scope);
}

/* Cell s of the place that lane l of batch b is. */
static PetscInt cell_of(RungBatches batches, PetscInt b, PetscInt l, PetscInt s)
{
  return (s ? batches->minus : batches->cell)[batches->first[b] + l];
}

/* What of the matrices of pairs of cells is on the diagonal: also between the cells, where these share a dof. */
static void scatter_pair_diagonal(RungBatches batches, PetscInt b, PetscInt count, PetscScalar local[])
{
  const RungPlan plan = batches->plan;
  const PetscInt n    = plan->dofs / 2;

  for (PetscInt l = 0; l < count; ++l) {
    const PetscInt *dof[2];

    for (PetscInt s = 0; s < 2; ++s) dof[s] = RungCellDofs(batches->layout, cell_of(batches, b, l, s));
    for (PetscInt k = 0; k < plan->rows * plan->cols; ++k) {
      const PetscInt i = k / plan->cols, j = k % plan->cols;

      if (dof[i / n][i % n] == dof[j / n][j % n]) local[dof[i / n][i % n]] += batches->args.out[k * batches->lanes + l];
    }
  }
}

/* ---- assembly -----------------------------------------------------------------------------------------------------
 */

static PetscErrorCode prepare_part(RungForm form, PetscInt rank, int which, RungFormPart **part)
{
  PetscFunctionBegin;
  PetscCheck(form->traits.rank == rank, form->comm, PETSC_ERR_ARG_WRONG, "form \"%s\" is %s, not %s", form->name,
             form->traits.rank ? "linear in test functions" : "a number",
             rank ? "linear in test functions" : "a number");
  if (!form->part[which].ready && which <= RUNG_FORM_JACOBIAN && !(form->split && which == RUNG_FORM_JACOBIAN))
    PetscCall(RungFormSetUp(form, which == RUNG_FORM_JACOBIAN ? PETSC_TRUE : PETSC_FALSE));
  else
    PetscCall(RungFormSetUpParts(form, 1u << which));
  PetscCall(RungFormSwitch(form));
  *part = &form->part[which];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormIntegrate(RungForm form, PetscReal t, const Vec u[], PetscReal *value)
{
  RungFormPart *part;
  Locals        locals;
  double        sum = 0, total;

  PetscFunctionBegin;
  RungNeed(form);
  RungNeedArgument(value);
  PetscCall(prepare_part(form, 0, RUNG_FORM_VALUE, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_VALUE], 0, 0, 0, 0));
  PetscCall(locals_get(form, part, u, &locals));
  for (PetscInt i = 0; i < part->groups; ++i) {
    set_arguments(form, part->batches[i], t, NULL);
    for (PetscInt b = 0; b < part->batches[i]->batches; ++b) {
      const PetscInt count = RungBatchRun(part->batches[i], b, locals.u, locals.field);

      for (PetscInt l = 0; l < count; ++l) sum += part->batches[i]->args.out[l];
    }
  }
  PetscCall(locals_restore(form, u, &locals));
  PetscCallMPI(MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, form->comm));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_VALUE], 0, 0, 0, 0));
  *value = total;
  if (!isfinite(total)) {
    char message[1024];

    PetscCall(RungFormFindNonFinite(form, t, u, NULL, message, sizeof message));
    SETERRQ(form->comm, PETSC_ERR_FP, "%s", message[0] ? message : "an integral overflows");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u with ghosts in phase 1, the Vec's own values else; so is y */
static void add_rows(RungBatches batches, int phase, const PetscScalar *const u[], const PetscScalar *const field[],
                     PetscScalar y[])
{
  for (PetscInt b = batches->phase[phase], n; b < batches->phase[phase + 1]; b += n) {
    n = batches->plan->cols > 1 ? 1 : RungBatchesRun(batches, b, u, field);
    if (batches->plan->cols == 1)
      batches->scatter(batches, b, n, y);
    else
      scatter_pair_diagonal(batches, b, RungBatchRun(batches, b, u, field), y);
  }
}

/* r = the vector that the kernels of a part make, u[] with the direction behind. */
static PetscErrorCode assemble_rows(RungForm form, RungFormPart *part, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], Vec r)
{
  Locals       locals;
  PetscScalar *own, *local;

  PetscFunctionBegin;
  PetscCall(RungLayoutCheckVec(form->layout, r));
  PetscCall(locals_begin(form, part, u, PETSC_TRUE, &locals));
  PetscCall(VecZeroEntries(r));
  PetscCall(RungLayoutScatterSome(form->layout, r, part->rims, part->rim, &own, &local));
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) PetscCall(locals_wait(form, &locals));
    if (phase == 2) PetscCall(RungLayoutScatterSend(form->layout));
    for (PetscInt i = 0; i < part->groups; ++i) {
      set_arguments(form, part->batches[i], t, sigma);
      add_rows(part->batches[i], phase, phase == 1 ? locals.u : locals.own, locals.field, phase == 1 ? local : own);
    }
  }
  PetscCall(RungLayoutScatterEnd(form->layout, r, &local));
  PetscCall(locals_restore(form, u, &locals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleVec(RungForm form, PetscReal t, const Vec u[], Vec r)
{
  RungFormPart *part;

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(prepare_part(form, 1, RUNG_FORM_VALUE, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_VEC], 0, 0, 0, 0));
  PetscCall(assemble_rows(form, part, t, u, NULL, r));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_VEC], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormApply(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y)
{
  RungFormPart *part;
  Vec           all[RUNG_LEVELS] = {NULL};

  PetscFunctionBegin;
  RungNeed(form);
  RungNeedArgument(sigma);
  PetscCall(prepare_part(form, 1, RUNG_FORM_ACTION, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_ACTION], 0, 0, 0, 0));
  for (int k = 0; u && k <= PetscMin(RUNG_MAX_ORDER, form->traits.order); ++k) all[k] = u[k];
  all[RUNG_DIRECTION] = x;
  PetscCall(assemble_rows(form, part, t, all, sigma, y));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_ACTION], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleRate(RungForm form, PetscReal t, const Vec u[], Vec r)
{
  RungFormPart *part;

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(prepare_part(form, 1, RUNG_FORM_RATE, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_VEC], 0, 0, 0, 0));
  PetscCall(assemble_rows(form, part, t, u, NULL, r));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_VEC], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleDiagonal(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Vec d)
{
  RungFormPart *part;

  PetscFunctionBegin;
  RungNeed(form);
  RungNeedArgument(sigma);
  PetscCall(prepare_part(form, 1, RUNG_FORM_DIAGONAL, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_DIAGONAL], 0, 0, 0, 0));
  PetscCall(assemble_rows(form, part, t, u, sigma, d));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_DIAGONAL], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices of one batch: shown to fn, then inserted. */
static PetscErrorCode add_batch(RungForm form, RungBatches batches, PetscInt b, PetscScalar out[], Mat J,
                                RungBlocksFn *fn, void *ctx)
{
  const PetscInt *cell = batches->number ? NULL : batches->cell + batches->first[b];
  const PetscInt  dofs = batches->plan->dofs, lanes = batches->lanes, count = batches->first[b + 1] - batches->first[b];
  const PetscInt  next = b + 1 < batches->batches ? batches->first[b + 2] - batches->first[b + 1] : 0;

  PetscFunctionBegin;
  if (fn) PetscCall(fn(count, cell, out, dofs * lanes, lanes, ctx));
  if (!J) PetscFunctionReturn(PETSC_SUCCESS);
  if (!batches->number) {
    PetscCall(RungLayoutInsertCells(form->layout, J, count, cell, out, dofs * lanes, lanes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungLayoutInsertFacets(form->layout, J, count, next, batches->number + batches->first[b], out, dofs * lanes,
                                   lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is done with the matrices of a form: inserted into J unless it is NULL, shown to fn unless it is NULL. */
typedef struct {
  PetscInt      every; /* one of so many runs of batches is taken; 0: all are */
  Mat           J;
  PetscBool     send; /* J gets nothing else from the edge of this rank */
  RungBlocksFn *fn;
  void         *ctx;
} Target;

/* A run: batches that are gathered together.  By chance, the same whenever it is asked: runs equally far apart may follow rows of the mesh. */
static PetscBool is_taken(PetscInt every, PetscInt run)
{
  const unsigned number = (unsigned)run * 2654435761u;

  return every <= 1 || (number >> 8) % (unsigned)every == 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* The batches of a part, with the values of what they read; ghosts arrive after the first phase. */
static PetscErrorCode add_batches(RungForm form, RungFormPart *part, PetscReal t, const PetscReal sigma[],
                                  Locals *locals, const Target *target)
{
  PetscFunctionBegin;
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) PetscCall(locals_wait(form, locals));
    if (phase == 2 && target->send) PetscCall(RungLayoutInsertSend(form->layout, target->J));
    for (PetscInt i = 0; i < part->groups; ++i) {
      RungBatches batches = part->batches[i];

      set_arguments(form, batches, t, sigma);
      for (PetscInt b = batches->phase[phase], n; b < batches->phase[phase + 1]; b += n) {
        n = RungBatchesTogether(batches, b);
        if (!is_taken(target->every, b / batches->ahead)) continue;
        n = RungBatchesRun(batches, b, locals->u, locals->field);
        for (PetscInt k = 0; k < n; ++k)
          PetscCall(add_batch(form, batches, b + k, batches->args.out + (size_t)k * batches->out_size, target->J,
                              target->fn, target->ctx));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_mat(RungForm form, int which, PetscReal t, const Vec u[], const PetscReal sigma[],
                              const Target *target)
{
  RungFormPart *part;
  Locals        locals;

  PetscFunctionBegin;
  PetscCall(prepare_part(form, 1, which, &part));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_MAT], 0, 0, 0, 0));
  PetscCall(locals_begin(form, part, u, PETSC_FALSE, &locals));
  RungCallFinally(add_batches(form, part, t, sigma, &locals, target), PetscCall(locals_restore(form, u, &locals)));
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_MAT], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAddMat(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                              RungBlocksFn *fn, void *ctx)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(add_mat(form, RUNG_FORM_JACOBIAN, t, u, sigma, &(Target){0, J, PETSC_FALSE, fn, ctx}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormShowSome(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], PetscInt every,
                                RungBlocksFn *fn, void *ctx)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(add_mat(form, RUNG_FORM_JACOBIAN, t, u, sigma, &(Target){every, NULL, PETSC_FALSE, fn, ctx}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dof[n] of lane l of batch b; has it a marked one? */
static PetscBool take_dofs(RungBatches batches, PetscInt b, PetscInt l, const PetscBool marked[], PetscInt dof[])
{
  const PetscInt sides = batches->number ? 2 : 1, n = batches->plan->dofs / sides;
  PetscBool      found = PETSC_FALSE;

  for (PetscInt s = 0; s < sides; ++s) {
    const PetscInt *of = RungCellDofs(batches->layout, cell_of(batches, b, l, s));

    for (PetscInt i = 0; i < n; ++i) {
      dof[s * n + i] = of[i];
      found          = found || marked[of[i]] ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  return found;
}

/* Shows what is marked of batches first .. last - 1, which are gathered together; they are run if something is. */
static PetscErrorCode show_batches(RungBatches batches, PetscInt first, PetscInt last, const Locals *locals,
                                   const PetscBool marked[], PetscInt dof[], RungBlockFn *fn, void *ctx)
{
  const PetscInt lanes = batches->lanes, n = batches->plan->dofs;
  PetscBool      some = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt b = first; b < last && !some; ++b) {
    for (PetscInt l = 0; l < batches->first[b + 1] - batches->first[b] && !some; ++l)
      some = take_dofs(batches, b, l, marked, dof);
  }
  for (PetscInt b = first; b < last && some; ++b) {
    const PetscInt count = RungBatchRun(batches, b, locals->u, locals->field);

    for (PetscInt l = 0; l < count; ++l) {
      if (take_dofs(batches, b, l, marked, dof)) PetscCall(fn(n, dof, batches->args.out + l, n * lanes, lanes, ctx));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormShowBlocks(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                  const PetscBool marked[], RungBlockFn *fn, void *ctx)
{
  RungFormPart *part;
  Locals        locals;
  PetscInt     *dof;

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(prepare_part(form, 1, RUNG_FORM_JACOBIAN, &part));
  PetscCall(locals_get(form, part, u, &locals));
  for (PetscInt i = 0; i < part->groups; ++i) {
    RungBatches batches = part->batches[i];

    set_arguments(form, batches, t, sigma);
    PetscCall(PetscMalloc1(batches->plan->dofs, &dof));
    for (PetscInt b = 0; b < batches->batches; b += batches->ahead)
      PetscCall(
        show_batches(batches, b, PetscMin(b + batches->ahead, batches->batches), &locals, marked, dof, fn, ctx));
    PetscCall(PetscFree(dof));
  }
  PetscCall(locals_restore(form, u, &locals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleMat(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  RungNeed(form);
  RungNeed(J);
  PetscCheck(form->traits.rank == 1, form->comm, PETSC_ERR_ARG_WRONG, "form \"%s\" is a number and has no Jacobian",
             form->name);
  PetscCall(RungLayoutInsertBegin(form->layout, J));
  RungCallFinally(add_mat(form, RUNG_FORM_JACOBIAN, t, u, sigma, &(Target){0, J, PETSC_TRUE, NULL, NULL}),
                  PetscCall(RungLayoutInsertEnd(form->layout, J)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleConstant(RungForm form, const PetscReal sigma[], Mat K)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(RungLayoutInsertBegin(form->layout, K));
  RungCallFinally(add_mat(form, RUNG_FORM_CONSTANT, 0, NULL, sigma, &(Target){0, K, PETSC_TRUE, NULL, NULL}),
                  PetscCall(RungLayoutInsertEnd(form->layout, K)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the blocks of cells, or of pairs of cells, times the weight of their unknown. */
typedef struct {
  const RungLayoutData *data;
  const PetscReal      *weight;
} RowScale;

static PetscErrorCode scale_rows(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                                 void *ctx)
{
  const RowScale       *scale = (const RowScale *)ctx;
  const RungLayoutData *data  = scale->data;
  const PetscInt        sides = cell ? 1 : 2, dofs = sides * data->cell_dofs;

  for (PetscInt s = 0; s < sides; ++s)
    for (PetscInt f = 0; f < data->unknowns; ++f)
      for (PetscInt i = s * data->cell_dofs + data->offset[f]; i < s * data->cell_dofs + data->offset[f + 1]; ++i)
        for (PetscInt j = 0; j < dofs; ++j)
          for (PetscInt l = 0; l < count; ++l) block[i * si + j * sj + l] *= scale->weight[f];
  return PETSC_SUCCESS;
}

PetscErrorCode RungFormAddWeighted(RungForm G, PetscReal t, const Vec u[], const PetscReal weight[], Mat J)
{
  RungNeed(G);
  const PetscInt n                                               = RungScopeUnknowns(G->expr.scope);
  PetscReal      sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  PetscBool      equal                                           = PETSC_TRUE;
  RowScale       scale                                           = {NULL, weight};

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(G->layout, &scale.data));
  for (PetscInt f = 1; f < n; ++f) equal = equal && weight[f] == weight[0] ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt g = 0; g < n; ++g) sigma[g] = equal ? weight[0] : 1;
  PetscCall(RungFormAddMat(G, t, u, sigma, J, equal ? NULL : scale_rows, &scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V and, where it is given, the other form, into J that is open. */
static PetscErrorCode add_varying(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], RungForm also,
                                  const PetscReal weight[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(
    add_mat(form, RUNG_FORM_VARYING, t, u, sigma, &(Target){0, J, also ? PETSC_FALSE : PETSC_TRUE, NULL, NULL}));
  if (also) PetscCall(RungFormAddWeighted(also, t, u, weight, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormAssembleVarying(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], PetscInt n,
                                       const PetscReal c[], const Mat K[], RungForm also, const PetscReal weight[],
                                       Mat J)
{
  PetscBool       couple[RUNG_MAX_UNKNOWNS * RUNG_MAX_UNKNOWNS];
  const PetscInt *cell;
  PetscInt        cells;

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(RungFormSetUpParts(form, 1u << RUNG_FORM_VARYING));
  PetscCall(RungFormVaryingPairs(form, also, couple));
  PetscCall(RungFormVisits(form, also, &cell, &cells));
  PetscCall(RungLayoutInsertBeginFrom(form->layout, J, n, c, K, couple, cells, cell));
  RungCallFinally(add_varying(form, t, u, sigma, also, weight, J), PetscCall(RungLayoutInsertEnd(form->layout, J)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- how fast -----------------------------------------------------------------------------------------------------
 */

static double cpu_clock(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PetscErrorCode RungFormClock(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], PetscInt repeats,
                             PetscReal *seconds)
{
  RungFormPart *part;
  Locals        locals;

  PetscFunctionBegin;
  RungNeed(form);
  *seconds = 0;
  PetscCall(prepare_part(form, form->traits.rank, sigma ? RUNG_FORM_JACOBIAN : RUNG_FORM_VALUE, &part));
  PetscCall(locals_get(form, part, u, &locals));
  for (PetscInt i = 0; i < part->groups; ++i) {
    RungBatches batches = part->batches[i];
    double      start;
    PetscInt    n, cells;

    if (!batches->batches) continue;
    n = PetscMin(batches->ahead, batches->batches);
    set_arguments(form, batches, t, sigma);
    (void)RungBatchRun(batches, 0, locals.u, locals.field);
    start = cpu_clock();
    for (PetscInt r = 0; r < repeats; r += n) {
      for (PetscInt j = 0; j < batches->n; ++j) {
        RungKernel kernel = batches->kernel[j];

        if (kernel->prepare) kernel->prepare(kernel, n, batches->next);
        for (PetscInt k = 0; !kernel->whole && k < n; ++k) kernel->run(kernel, &batches->next[k]);
      }
    }
    cells = (repeats + n - 1) / n * n * batches->lanes;
    *seconds += (cpu_clock() - start) / (double)cells;
  }
  PetscCall(locals_restore(form, u, &locals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where it is not finite ---------------------------------------------------------------------------------------
 */

static PetscBool lane_is_finite(PetscInt n, PetscInt lanes, const double *values)
{
  for (PetscInt i = 0; i < n; ++i) {
    if (!isfinite(values[i * lanes])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Are the dofs finite that lane l was computed from? */
static PetscBool data_is_finite(RungBatches batches, PetscInt l)
{
  const RungPlan plan = batches->plan;

  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      const RungBasis *basis = &plan->basis[f];

      if (!batches->read[k * plan->unknowns + f]) continue;
      for (PetscInt s = 0; s < plan->cells; ++s) {
        const PetscInt at = k * plan->dofs + basis->offset + RungPlanCellOffset(plan, PETSC_FALSE, s);

        if (!lane_is_finite(basis->nodes * basis->components, batches->lanes,
                            batches->args.u + at * batches->lanes + l))
          return PETSC_FALSE;
      }
    }
  }
  return PETSC_TRUE;
}

static PetscErrorCode describe(RungForm form, const RungOnePlace *place, PetscBool matrix, char message[], size_t size)
{
  const RungBatches   batches = place->batches;
  const PetscInt      cell    = cell_of(batches, place->b, place->lane, 0);
  const RungMeshData *mesh    = batches->mesh;
  char                at[128] = "", why[1024];
  PetscMPIInt         rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  for (PetscInt a = 0; a < mesh->dim; ++a) {
    double centre = 0;
    char   text[32];

    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i)
      centre += RungBatchNode(batches, cell, i)[a] / (double)mesh->nodes_per_cell;
    PetscCall(PetscSNPrintf(text, sizeof text, "%s%.6g", a ? ", " : "", centre));
    PetscCall(RungTextAppend(at, text, sizeof at));
  }
  PetscCall(PetscSNPrintf(message, size, "%s \"%s\" is not finite in the cell at (%s) on rank %d",
                          matrix ? "the jacobian of form" : "form", form->name, at, rank));
  if (!data_is_finite(batches, place->lane)) {
    PetscCall(RungTextAppend(message, ", where its unknowns are not finite either", size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSingular(form, place, matrix, why, sizeof why));
  PetscCall(RungTextAppend(message, ": ", size));
  PetscCall(RungTextAppend(message, why[0] ? why : "its unknowns are finite there", size));
  PetscCall(RungTextAppend(message,
                           "; keep divisors, roots and logarithms away from such values, as max(a, 1e-12), "
                           "sqrt(a + 1e-12) or if() do, or start elsewhere",
                           size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormFindNonFinite(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], char message[],
                                     size_t size)
{
  RungFormPart *part;
  Locals        locals;
  PetscBool     bad;

  PetscFunctionBegin;
  RungNeed(form);
  message[0] = 0;
  PetscCall(prepare_part(form, form->traits.rank, sigma ? RUNG_FORM_JACOBIAN : RUNG_FORM_VALUE, &part));
  PetscCall(locals_get(form, part, u, &locals));
  for (PetscInt i = 0; i < part->groups && !message[0]; ++i) {
    RungBatches batches = part->batches[i];

    set_arguments(form, batches, t, sigma);
    for (PetscInt b = 0; b < batches->batches && !message[0]; ++b) {
      const PetscInt count = RungBatchRun(batches, b, locals.u, locals.field);

      for (PetscInt l = 0; l < count && !message[0]; ++l) {
        if (lane_is_finite(batches->plan->rows * batches->plan->cols, batches->lanes, batches->args.out + l)) continue;
        PetscCall(describe(form, &(RungOnePlace){batches, b, l, locals.u, locals.field},
                           sigma ? PETSC_TRUE : PETSC_FALSE, message, size));
      }
    }
  }
  PetscCall(locals_restore(form, u, &locals));
  PetscCall(RungCheckAll_Private(form->comm, message[0] ? 0 : 1, message, size, &bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}
