/* form.c - RungForm: an expression on a layout, its options, and its kernels when they are needed. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include <runglanes_room.h>
#include <rungtext_room.h>

PetscLogEvent rung_form_event[RUNG_EVENTS];

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

static PetscBool registered;

static PetscErrorCode forget_events(void)
{
  registered = PETSC_FALSE;
  return PETSC_SUCCESS;
}

static PetscErrorCode register_events(void)
{
  static const char *const name[RUNG_EVENTS] = {"RungFormSetUp", "RungFormCompile", "RungFormValue",   "RungFormVec",
                                                "RungFormMat",   "RungFormAction",  "RungFormDiagonal"};
  PetscClassId             id;

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(forget_events));
  PetscCall(PetscClassIdRegister("Rung form", &id));
  for (int i = 0; i < RUNG_EVENTS; ++i) PetscCall(PetscLogEventRegister(name[i], id, &rung_form_event[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One space per unknown, in order. */
static PetscErrorCode check_layout(RungExpr expr, const char name[], RungLayout layout)
{
  const RungLayoutData *data;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCheck(data->unknowns == RungScopeUnknowns(expr.scope), data->comm, PETSC_ERR_ARG_SIZ,
             "form \"%s\" has %" PetscInt_FMT " unknowns, its layout %" PetscInt_FMT " spaces", name,
             RungScopeUnknowns(expr.scope), data->unknowns);
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    PetscCheck(data->space[f] == RungScopeUnknownSpace(expr.scope, f), data->comm, PETSC_ERR_ARG_WRONG,
               "space %" PetscInt_FMT " of the layout of form \"%s\" is not that of unknown \"%s\"", f, name,
               RungScopeUnknownName(expr.scope, f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A point value is no form, but for the number 0, which is an empty one. */
static PetscErrorCode check_integrated(RungExpr expr, const char name[])
{
  const RungNode *node = RungScopeNode(expr.scope, expr.node);

  PetscFunctionBegin;
  if (!node->integral && !(node->op == RUNG_OP_NUMBER && node->number == 0)) {
    PetscCall(RungScopeRaise(expr.scope, expr.node, PETSC_ERR_USER_INPUT,
                             "form \"%s\" is not integrated; multiply it by a measure, ..*dx or ..*ds(part)", name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The layout learns what the form reads and couples across facets, before vectors are gathered and matrices made. */
static PetscErrorCode reach_across(RungForm form)
{
  const PetscInt       n      = RungScopeUnknowns(form->expr.scope);
  RUNG_FREE PetscBool *mark   = NULL;
  RUNG_FREE PetscBool *couple = NULL;

  PetscFunctionBegin;
  if (!form->traits.facets) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLayoutAddNeighbours(form->layout));
  PetscCall(PetscCalloc1(form->expr.node + 1, &mark));
  PetscCall(PetscCalloc1(n * n, &couple));
  for (PetscInt i = 0; i < n * n; ++i) couple[i] = form->traits.couple_facets[i / n][i % n];
  mark[form->expr.node] = PETSC_TRUE;
  for (PetscInt id = form->expr.node; id >= 0 && form->traits.rank; --id) {
    const RungNode *node = RungScopeNode(form->expr.scope, id);
    const PetscInt  part = node->op == RUNG_OP_INTEGRAL ? node->index[2] : -1;

    if (!mark[id] || !node->integral) continue;
    if (node->op == RUNG_OP_INTEGRAL && node->index[0] == RUNG_INTERIOR_FACETS) {
      PetscCall(
        RungLayoutCoupleFacets(form->layout, part < 0 ? NULL : RungScopeString(form->expr.scope, part), couple));
    }
    for (PetscInt i = 0; i < node->args; ++i) mark[node->arg[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_defaults(RungForm f)
{
  PetscFunctionBegin;
  f->compile = PETSC_TRUE;
  f->degree  = -1;
  PetscCall(PetscStrallocpy("", &f->options.cache));
  PetscCall(PetscStrallocpy("", &f->options.compiler));
  PetscCall(PetscStrallocpy("", &f->options.flags));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_options(RungForm f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(f->options.cache));
  PetscCall(PetscFree(f->options.compiler));
  PetscCall(PetscFree(f->options.flags));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormCreate(RungExpr expr, const char name[], RungLayout layout, RungForm *form)
{
  const RungLayoutData *data;
  RungForm              f;

  PetscFunctionBegin;
  RungNeedArgument(form);
  PetscCall(RungExprCheck(expr));
  PetscCall(check_integrated(expr, name));
  PetscCall(register_events());
  PetscCall(check_layout(expr, name, layout));
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(PetscCalloc1(1, form));
  f         = *form;
  f->expr   = expr;
  f->layout = layout;
  PetscCall(RungScopeReference(expr.scope));
  PetscCall(RungLayoutReference(layout));
  PetscCall(PetscCommDuplicate(data->comm, &f->comm, NULL));
  PetscCall(PetscStrallocpy(name, &f->name));
  PetscCall(set_defaults(f));
  PetscCall(RungLowerTraitsAndBlocks(expr, &f->traits, &f->blocks));
  PetscCall(reach_across(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode part_destroy(RungFormPart *part)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < part->groups; ++i) PetscCall(RungBatchesDestroy(&part->batches[i]));
  for (PetscInt i = 0; i < part->n; ++i) {
    PetscCall(RungKernelDestroy(&part->kernel[i]));
    RungRecordForget(part->plan[i]);
    PetscCall(RungPlanDestroy(&part->plan[i]));
  }
  PetscCall(PetscFree(part->batches));
  PetscCall(PetscFree(part->rim));
  PetscCall(PetscFree(part->kernel));
  PetscCall(PetscFree(part->plan));
  PetscCall(RungIntegralsDestroy(part->integrals, &part->integral));
  PetscCall(RungIntegralsDestroy(part->matrices, &part->matrix));
  part->n = part->groups = part->integrals = part->matrices = 0;
  part->ready                                               = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormDestroy(RungForm *form)
{
  RungNeedArgument(form);
  RungForm f = *form;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < RUNG_FORM_PARTS; ++i) PetscCall(RungJobDestroy(&f->pending[i].job));
  for (int i = 0; i < RUNG_FORM_PARTS; ++i) PetscCall(part_destroy(&f->part[i]));
  if (f->field) {
    for (PetscInt i = 0; i < f->fields; ++i) PetscCall(RungLayoutDestroy(&f->field[i]));
  }
  PetscCall(PetscFree(f->field));
  PetscCall(PetscFree(f->visit));
  PetscCall(RungBlocksDestroy(&f->blocks));
  PetscCall(PetscFree(f->name));
  PetscCall(free_options(f));
  PetscCall(RungLayoutDestroy(&f->layout));
  PetscCall(RungScopeDestroy(&f->expr.scope));
  PetscCall(PetscCommDestroy(&f->comm));
  PetscCall(PetscFree(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_held(const RungFormTraits *traits, PetscInt constant)
{
  return traits->held[constant / 64 % RUNG_HELD] >> constant % 64 & 1 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode get_state(RungForm form, PetscBool fields, PetscBool matrix, PetscInt64 *state)
{
  const PetscReal *constant;
  const PetscInt   n   = RungScopeConstants(form->expr.scope, &constant);
  PetscInt64       sum = 0;

  PetscFunctionBegin;
  for (PetscInt f = 0; fields && f < RungScopeFields(form->expr.scope); ++f) {
    PetscObjectState of;
    Vec              values;

    PetscCall(RungFieldGetVec(RungScopeFieldOf(form->expr.scope, f), &values));
    PetscCall(PetscObjectStateGet((PetscObject)values, &of));
    sum = (PetscInt64)((unsigned long long)sum * 1000003ull) + (PetscInt64)of;
  }
  if (fields && RungScopeFields(form->expr.scope)) /* values may be set on one rank alone */
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT64, MPI_SUM, form->comm));
  for (PetscInt i = RUNG_HIDDEN_CONSTANTS; i < n; ++i) { /* another step is no other data */
    PetscInt64 bits = 0;

    if (matrix && !is_held(&form->traits, i)) continue;
    memcpy(&bits, &constant[i], PetscMin(sizeof bits, sizeof constant[i]));
    sum = (PetscInt64)((unsigned long long)sum * 1000003ull) ^ bits;
  }
  *state = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormGetDataState(RungForm form, PetscBool fields, PetscInt64 *state)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(get_state(form, fields, PETSC_FALSE, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormGetMatrixState(RungForm form, PetscBool fields, PetscInt64 *state)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(get_state(form, fields, PETSC_TRUE, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormGetTraits(RungForm form, RungFormTraits *traits)
{
  PetscFunctionBegin;
  RungNeed(form);
  RungNeedArgument(traits);
  *traits = form->traits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormRenewSigns(RungForm form)
{
  RungFormTraits traits;

  PetscFunctionBegin;
  RungNeed(form);
  if (!form->traits.sampled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLowerTraits(form->expr, &traits));
  PetscCall(PetscArraycpy(form->traits.positive_block, traits.positive_block, RUNG_MAX_ORDER + 1));
  PetscCall(PetscArraycpy(form->traits.mass_block, traits.mass_block, RUNG_MAX_ORDER + 1));
  PetscCall(PetscArraycpy(form->traits.weighed, traits.weighed, RUNG_MAX_ORDER + 1));
  form->traits.mass     = traits.mass;
  form->traits.definite = traits.definite;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ------------------------------------------------------------------------------------------------------
 */

/* The place of a word in a list; an unknown one is refused with the nearest. */
static PetscErrorCode find_word(MPI_Comm comm, const char option[], const char word[], PetscInt n,
                                const char *const list[], PetscInt *found)
{
  const char *nearest  = NULL;
  char        all[256] = "";

  PetscFunctionBegin;
  for (*found = 0; *found < n && strcmp(word, list[*found]) != 0; ++*found) {
  }
  if (*found < n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(word, n, list, &nearest));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungTextAppend(all, i ? ", " : "", sizeof all));
    PetscCall(RungTextAppend(all, list[i], sizeof all));
  }
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s knows no \"%s\"%s%s%s; it takes %s", option, word,
          nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", all);
}

static PetscErrorCode get_copy(MPI_Comm comm, const char option[], const char about[], const char alone[], char **copy)
{
  char      text[PETSC_MAX_PATH_LEN] = "";
  PetscBool set;

  PetscFunctionBegin;
  if (*copy) PetscCall(PetscStrncpy(text, *copy, sizeof text));
  PetscCall(RungOptionText(comm, option, about, alone, sizeof text, text, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(*copy));
  PetscCall(PetscStrallocpy(text, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes a text that begins with - for the next option. */
static PetscErrorCode get_flags(RungForm form)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(get_copy(form->comm, "-form_flags", "flags of the C compiler", "", &form->options.flags));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-form_flags", &set));
  PetscCheck(!set || form->options.flags[0], form->comm, PETSC_ERR_ARG_WRONG,
             "-form_flags has no flags; those that begin with - want a blank in front, -form_flags \" -O3\"");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *found: the place in list[n] of the word of an option; stays if it is not given. */
static PetscErrorCode get_word(RungForm form, const char option[], const char about[], PetscInt n,
                               const char *const list[], PetscInt *found)
{
  char      word[64];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(word, list[*found], sizeof word));
  PetscCall(RungOptionText(form->comm, option, about, NULL, sizeof word, word, &set));
  if (set) PetscCall(find_word(form->comm, option, word, n, list, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_words(RungForm form)
{
  static const char *const backend[] = {"interpreter", "c"}, *const jit[] = {"wait", "background", "never"};
  const char *isa[RUNG_ISAS];
  PetscInt    found;

  PetscFunctionBegin;
  found = form->compile ? 1 : 0;
  PetscCall(
    get_word(form, "-form_backend", "kernels are interpreted (interpreter) or compiled (c)", 2, backend, &found));
  form->compile = found == 1 ? PETSC_TRUE : PETSC_FALSE;
  for (int i = 0; i < RUNG_ISAS; ++i) isa[i] = RungIsaName((RungIsa)i);
  found = (PetscInt)form->options.isa;
  PetscCall(get_word(form, "-form_isa", "machine that kernels are compiled for: native, sse2, avx2, ..", RUNG_ISAS, isa,
                     &found));
  form->options.isa = (RungIsa)found;
  found             = (PetscInt)form->options.jit;
  PetscCall(
    get_word(form, "-form_jit", "a kernel that is not compiled yet: wait, background or never", 3, jit, &found));
  form->options.jit = (RungJitMode)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_view(RungForm form)
{
  static const char *const list[]     = {"dag", "tape", "source", "traits", "kernels"};
  char                     words[128] = "", *next = words;
  PetscInt                 found;
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(RungOptionText(form->comm, "-form_view", "print dag, tape, source, traits, kernels, with commas between",
                           NULL, sizeof words, words, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  do {
    char *word = next;

    next = strchr(word, ',');
    if (next) *next++ = 0;
    PetscCall(find_word(form->comm, "-form_view", word, 5, list, &found));
    form->view |= 1u << found;
  } while (next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_numbers(RungForm form)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(RungOptionIntIn(form->comm, "-form_degree", "degree of quadrature, -1: what a form wants", "-1 to 200",
                            &form->degree, NULL));
  PetscCall(RungOptionIntIn(form->comm, "-form_cache_size", "most megabytes of compiled kernels, 0: 256", "at least 0",
                            &form->options.cache_size, NULL));
  PetscCall(RungOptionIntIn(form->comm, "-form_lanes",
                            "cells that a kernel takes at once: 2, 4 or 8, 0: as the machine", "0 to 8",
                            &form->options.lanes, &set));
  PetscCheck(!set || form->options.lanes == 0 || form->options.lanes == 2 || form->options.lanes == 4 ||
               form->options.lanes == 8,
             form->comm, PETSC_ERR_ARG_OUTOFRANGE, "-form_lanes is %" PetscInt_FMT "; it takes 2, 4 or 8",
             form->options.lanes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_options(RungForm form)
{
  PetscFunctionBegin;
  PetscCall(get_words(form));
  PetscCall(get_view(form));
  PetscCall(get_numbers(form));
  PetscCall(get_copy(form->comm, "-form_cache", "folder of compiled kernels, instead of ~/.cache/rung", NULL,
                     &form->options.cache));
  PetscCall(get_copy(form->comm, "-form_compiler", "C compiler, instead of CC, cc, gcc or clang", NULL,
                     &form->options.compiler));
  PetscCall(get_flags(form));
  if (RungHelpWanted()) form->compile = PETSC_FALSE; /* nothing is run, no file is written */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSetFromOptions(RungForm form)
{
  PetscFunctionBegin;
  RungNeed(form);
  for (int p = 0; p < RUNG_FORM_PARTS; ++p)
    PetscCheck(!form->part[p].ready, form->comm, PETSC_ERR_ORDER,
               "form \"%s\" is set up already; set its options before", form->name);
  PetscCall(read_options(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormCheckOptions(MPI_Comm comm)
{
  RungForm form;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, &form));
  form->comm = comm;
  PetscCall(set_defaults(form));
  RungCallFinally(read_options(form), PetscCall(free_options(form)); PetscCall(PetscFree(form)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up -------------------------------------------------------------------------------------------------------
 */

/* Layouts of the fields that the scope has by now; it may have more of them when the next part is made. */
static PetscErrorCode create_fields(RungForm form)
{
  const PetscInt n = RungScopeFields(form->expr.scope);

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *form->field, &form->field));
  for (; form->fields < n; ++form->fields) {
    RungLayout *layout = &form->field[form->fields];
    RungSpace   space;

    PetscCall(RungFieldGetSpace(RungScopeFieldOf(form->expr.scope, form->fields), &space));
    PetscCall(RungLayoutCreate(form->comm, 1, &space, layout));
    if (form->traits.facets) PetscCall(RungLayoutAddNeighbours(*layout));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower(RungForm form, int which)
{
  RungFormPart *part = &form->part[which];
  RungCellKind  kind[2];

  PetscFunctionBegin;
  PetscCall(RungLower(form->expr, form->fields_vary ? which | RUNG_FORM_FIELDS_VARY : which, form->degree,
                      &part->integrals, &part->integral));
  PetscCall(PetscCalloc1(2 * part->integrals, &part->plan));
  PetscCall(PetscCalloc1(2 * part->integrals, &part->kernel));
  PetscCall(PetscCalloc1(2 * part->integrals, &part->batches));
  for (PetscInt i = 0; i < part->integrals; ++i) {
    const PetscInt kinds = RungPlanKinds(&part->integral[i], form->layout, kind);

    for (PetscInt k = 0; k < kinds; ++k) {
      RungPlan *plan = &part->plan[part->n];

      PetscCall(RungPlanCreateKind(&part->integral[i], form->expr.scope, form->layout, kind[k], plan));
      ++part->n;
      (*plan)->isa = form->options.isa;
      PetscCall(RungRecordAdd(*plan));
    }
  }
  if (which == RUNG_FORM_ACTION || (which == RUNG_FORM_VALUE && form->traits.rank == 1))
    PetscCall(RungFormTakeMatrices(form, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool same_places(const RungPlan p, const RungPlan q)
{
  const RungIntegral *a = p->integral, *b = q->integral;

  return p->kind == q->kind && a->domain == b->domain && !strcmp(a->part, b->part) ? PETSC_TRUE : PETSC_FALSE;
}

/* Interpreters where there is no compiled kernel; those of one group look equally far ahead. */
static PetscErrorCode create_interpreters(RungFormPart *part)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < part->n; ++i) {
    PetscInt ahead = RungInterpreterAhead(part->plan[i]);

    if (part->kernel[i]) continue;
    for (PetscInt j = 0; j < part->n; ++j) {
      if (same_places(part->plan[i], part->plan[j])) ahead = PetscMin(ahead, RungInterpreterAhead(part->plan[j]));
    }
    PetscCall(RungKernelCreateInterpreter(part->plan[i], ahead, &part->kernel[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormCreateGroups(RungForm form, RungFormPart *part)
{
  RUNG_FREE RungKernel *kernel = NULL;
  RUNG_FREE PetscBool  *taken  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(part->n, &kernel));
  PetscCall(PetscCalloc1(part->n, &taken));
  for (PetscInt i = 0; i < part->n; ++i) {
    PetscInt n = 0;

    for (PetscInt j = i; j < part->n && !taken[i]; ++j) {
      if (same_places(part->plan[i], part->plan[j])) kernel[n++] = part->kernel[j];
    }
    for (PetscInt j = i + 1; n && j < part->n; ++j) {
      if (same_places(part->plan[i], part->plan[j])) taken[j] = PETSC_TRUE;
    }
    if (n) PetscCall(RungBatchesCreate(n, kernel, form->layout, form->field, &part->batches[part->groups++]));
  }
  PetscCall(RungBatchesRim(part->groups, part->batches, &part->rims, &part->rim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up: lower, compile, batches -------------------------------------------------------------------------------- */

typedef PetscBool Parts[RUNG_FORM_PARTS]; /* of a form: those that are wanted and new */

/* What a compiler is still at in the background, for the form to look at. */
static void keep_pending(RungForm form, const PetscBool fresh[], RungJob job)
{
  int slot = 0;

  while (!fresh[slot]) ++slot;
  form->pending[slot].job = job;
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) form->pending[slot].of[p] = fresh[p];
}

/* All plans that are new, in the order of forms and parts; how many. */
static PetscInt list_plans(PetscInt n, const RungForm form[], const Parts fresh[], RungPlan plan[])
{
  PetscInt at = 0;

  for (PetscInt f = 0; f < n; ++f)
    for (int p = 0; p < RUNG_FORM_PARTS; ++p)
      for (PetscInt i = 0; fresh[f][p] && i < form[f]->part[p].n; ++i, ++at)
        if (plan) plan[at] = form[f]->part[p].plan[i];
  return at;
}

/* Kernels of the parts that are new, together, by the options of the first form; in the background, of one form, those that are neither
   linked nor cached. */
static PetscErrorCode compile_parts(PetscInt n, const RungForm form[], const Parts fresh[])
{
  const RungCompileOptions *options = &form[0]->options;
  const PetscInt            plans   = list_plans(n, form, fresh, NULL);
  RungPlan                 *plan;
  RungKernel               *kernel;
  PetscInt                  at   = 0;
  RungJob                   job  = NULL;
  PetscErrorCode            code = PETSC_SUCCESS;

  PetscFunctionBegin;
  if (!plans) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_COMPILE], 0, 0, 0, 0));
  PetscCall(PetscCalloc2(plans, &plan, plans, &kernel));
  (void)list_plans(n, form, fresh, plan);
  code = RungJobCreate(form[0]->comm, plans, plan, options, kernel, &job);
  if (!code && job && options->jit != RUNG_JIT_BACKGROUND) code = RungJobLook(&job, PETSC_TRUE, kernel);
  for (PetscInt f = 0; !code && f < n; ++f) {
    RungFormTakeKernels(form[f], fresh[f], &kernel[at]);
    at += list_plans(1, &form[f], &fresh[f], NULL);
  }
  if (!code && job) keep_pending(form[0], fresh[0], job);
  PetscCall(PetscFree2(plan, kernel));
  PetscCall(code); /* a folder that is refused */
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_COMPILE], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower_parts(RungForm form, const PetscBool fresh[])
{
  PetscFunctionBegin;
  PetscCall(RungFormCheckParts(form));
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    if (fresh[p]) PetscCall(lower(form, p));
  }
  PetscCall(create_fields(form)); /* lowering may have met new rates of fields */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_ready(RungForm form, const PetscBool fresh[])
{
  PetscFunctionBegin;
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    if (!fresh[p]) continue;
    PetscCall(create_interpreters(&form->part[p]));
    PetscCall(RungFormCreateGroups(form, &form->part[p]));
    form->part[p].ready = PETSC_TRUE;
    if (form->view) PetscCall(RungFormViewStages(form, &form->part[p]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_parts(PetscInt n, const RungForm form[], const Parts fresh[])
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) PetscCall(lower_parts(form[f], fresh[f]));
  if (form[0]->compile) PetscCall(compile_parts(n, form, fresh));
  for (PetscInt f = 0; f < n; ++f) PetscCall(make_ready(form[f], fresh[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lowers and compiles the parts that are wanted and new, together; forms of one back end and of the same options. */
static PetscErrorCode set_up_parts(PetscInt n, const RungForm form[], Parts fresh[])
{
  const RungIsa isa = form[0]->options.isa;
  PetscBool     any = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) {
    for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
      fresh[f][p] = fresh[f][p] && !form[f]->part[p].ready ? PETSC_TRUE : PETSC_FALSE;
      any         = any || fresh[f][p] ? PETSC_TRUE : PETSC_FALSE;
      PetscCheck(!fresh[f][p] || p == RUNG_FORM_VALUE || form[f]->traits.rank == 1, form[f]->comm, PETSC_ERR_ARG_WRONG,
                 "form \"%s\" has no test function: a number has no jacobian", form[f]->name);
    }
  }
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  RungCheckAll(RungIsaIsHere(isa), form[0]->comm, PETSC_ERR_SUP,
               "-form_isa %s is not what every rank's processor has; here the best is %s", RungIsaName(isa),
               RungIsaName(RungIsaBest()));
  PetscCall(PetscLogEventBegin(rung_form_event[RUNG_EVENT_SETUP], 0, 0, 0, 0));
  RungWorkBegin("%s%s", form[0]->name, n > 1 ? " and others" : "");
  RungCallFinally(make_parts(n, form, (const Parts *)fresh), RungWorkEnd());
  PetscCall(PetscLogEventEnd(rung_form_event[RUNG_EVENT_SETUP], 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSetUp(RungForm form, PetscBool jacobian)
{
  Parts fresh = {PETSC_TRUE};

  PetscFunctionBegin;
  RungNeed(form);
  fresh[RUNG_FORM_JACOBIAN] = jacobian && !form->split ? PETSC_TRUE : PETSC_FALSE;
  fresh[RUNG_FORM_CONSTANT] = fresh[RUNG_FORM_VARYING] = jacobian && form->split ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(set_up_parts(1, &form, &fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormsSetUp(PetscInt n, const RungForm form[])
{
  RUNG_FREE Parts *fresh    = NULL;
  PetscBool        together = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) together = together && form[f]->options.jit != RUNG_JIT_BACKGROUND;
  if (together && n) {
    PetscCall(PetscCalloc1(n, &fresh));
    for (PetscInt f = 0; f < n; ++f) fresh[f][RUNG_FORM_VALUE] = PETSC_TRUE;
    PetscCall(set_up_parts(n, form, fresh));
  }
  for (PetscInt f = 0; f < n && !together; ++f) PetscCall(RungFormSetUp(form[f], PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSetUpParts(RungForm form, unsigned parts)
{
  Parts fresh;

  PetscFunctionBegin;
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) fresh[p] = parts >> p & 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(set_up_parts(1, &form, &fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungFormLanes(RungForm form)
{
  return !form->compile ? 0 : form->options.lanes ? form->options.lanes : RungIsaLanes(form->options.isa);
}

PetscErrorCode RungFormGetKernel(RungForm form, PetscBool matrix, PetscInt i, PetscInt *count, PetscInt *lanes,
                                 RungKernelFn **kernel)
{
  RungNeed(form);
  const RungFormPart *part = &form->part[matrix ? RUNG_FORM_JACOBIAN : RUNG_FORM_VALUE];

  PetscFunctionBegin;
  PetscCall(RungFormSetUp(form, matrix));
  if (matrix) PetscCall(RungFormSetUpParts(form, 1u << RUNG_FORM_JACOBIAN));
  if (count) *count = part->n;
  if (lanes) *lanes = part->n ? part->kernel[0]->lanes : 0;
  if (!kernel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(i >= 0 && i < part->n, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "integral %" PetscInt_FMT " of form \"%s\" is asked for, which has %" PetscInt_FMT, i, form->name,
             part->n);
  PetscCheck(part->kernel[i]->compiled, form->comm, PETSC_ERR_SUP,
             "form \"%s\" is interpreted and has no compiled kernel; take -form_backend c, and install a C compiler",
             form->name);
  *kernel = part->kernel[i]->compiled;
  PetscFunctionReturn(PETSC_SUCCESS);
}
