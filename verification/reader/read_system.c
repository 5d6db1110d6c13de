/* read_system.c - statements of the equations: unknowns, definitions, fields, residuals, energies. */
#include <rungown_room.h>
#include "reader_impl.h"
#include <stdio.h>

PetscErrorCode RungRead_unknown(RungProblem problem, RungStatement *s)
{
  RUNG_OWNED(RungSpaceDestroy) RungSpace space = NULL;
  RungCaught                             caught;

  PetscFunctionBegin;
  RungCatch(&caught, RungSpaceCreate(problem->mesh, s->arg[2].text, &space));
  if (!caught.code) RungCatch(&caught, RungSystemAddUnknown(problem->sys, s->arg[0].text, s->arg[1].text, space));
  if (caught.code) {
    problem->lost = PETSC_TRUE;
    PetscCall(RungMistakeCaught(problem, s, &caught));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_order(RungProblem problem, RungStatement *s)
{
  PetscInt  order;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetInt(problem, s, 0, &order, &good));
  if (good) RungPass(problem, s, RungSystemSetLeastOrder(problem->sys, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_define(RungProblem problem, RungStatement *s)
{
  RungCaught caught;

  PetscFunctionBegin;
  RungCatch(&caught, RungSystemDefine(problem->sys, s->arg[0].text, s->arg[1].text));
  if (caught.code) {
    problem->lost = PETSC_TRUE;
    PetscCall(RungMistakeCaught(problem, s, &caught));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

/* "P1", "Q2^d", "Quad(2)", "R": a space where others have an expression. */
static PetscBool is_space(const char word[], size_t n)
{
  static const char *const family[] = {"P", "Q", "CG", "DG", "DP", "DQ", "Quad", "R"};
  size_t                   letters  = 0;

  while (letters < n && isalpha((unsigned char)word[letters])) ++letters;
  if (letters < n && !strchr("0123456789(^", word[letters])) return PETSC_FALSE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(family); ++i) {
    if (strlen(family[i]) == letters && !strncmp(word, family[i], letters)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode add_field(RungProblem problem, const char name[], const char spec[], RungField *field)
{
  RungSpace space;

  PetscFunctionBegin;
  if (problem->fields == problem->fields_room) {
    problem->fields_room = 2 * problem->fields_room + 6;
    PetscCall(PetscRealloc((size_t)problem->fields_room * sizeof *problem->field, &problem->field));
  }
  PetscCall(RungSpaceCreate(problem->mesh, spec, &space));
  RungCallFinally(RungFieldCreate(space, name, field), PetscCall(RungSpaceDestroy(&space)));
  problem->field[problem->fields++] = *field;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field and its rates, which are 0 here and entered by the forms that read them; rest: their spaces, where a program
   has others. */
static PetscErrorCode add_field_and_rates(RungProblem problem, const char name[], const char spec[], const char rest[])
{
  RungField first, field, rate;
  char      word[128];

  PetscFunctionBegin;
  PetscCall(add_field(problem, name, spec, &first));
  PetscCall(PetscStrncpy(word, spec, sizeof word));
  field = first;
  for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
    const size_t n = strcspn(rest, " ");

    if (n) (void)snprintf(word, sizeof word, "%.*s", (int)n, rest);
    PetscCall(add_field(problem, name, word, &rate));
    PetscCall(RungFieldSetRate(field, rate));
    field = rate;
    rest += n + strspn(rest + n, " ");
  }
  PetscCall(RungSystemAddField(problem->sys, name, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungFieldHasSpaces(const RungStatement *s)
{
  return s->args > 2 && is_space(s->arg[2].text, strcspn(s->arg[2].text, " ")) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungRead_field(RungProblem problem, RungStatement *s)
{
  RungCaught caught;

  PetscFunctionBegin;
  RungCatch(&caught,
            add_field_and_rates(problem, s->arg[0].text, s->arg[1].text, RungFieldHasSpaces(s) ? s->arg[2].text : ""));
  if (caught.code) {
    problem->lost = PETSC_TRUE;
    PetscCall(RungMistakeCaught(problem, s, &caught));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field has its values before a run: it follows neither unknowns nor t. */
static PetscErrorCode check_given(RungProblem problem, const RungStatement *s)
{
  RungScope     scope;
  RungExpr      expr;
  RungSampler   sampler  = NULL;
  RungPointwise function = NULL;
  RungCaught    caught;
  PetscBool     moves = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  PetscCall(RungScopeParse(scope, "", s->arg[2].text, &expr));
  RungCatch(&caught, RungSamplerCreate(expr, problem->mesh, NULL, &sampler)); /* refuses unknowns */
  PetscCall(RungSamplerDestroy(&sampler));
  PetscCheck(!caught.code || !strstr(caught.message, "is an unknown"), problem->comm, PETSC_ERR_ARG_WRONG,
             "%.*s is an unknown, and field %s has its values before the run; `define %s ..` follows it",
             (int)(strcspn(caught.message + 1, "\"") + 2), caught.message, s->arg[0].text, s->arg[0].text);
  RungCatch(&caught, RungPointwiseCreate(expr, &function)); /* refuses fields */
  if (caught.code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseIsTimeDependent(function, &moves));
  PetscCall(RungPointwiseDestroy(&function));
  PetscCheck(!moves, problem->comm, PETSC_ERR_ARG_WRONG,
             "\"t\" goes on, and field %s has its values before the run; `define %s ..` follows it", s->arg[0].text,
             s->arg[0].text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RungProblem problem, const RungStatement *s, RungField field)
{
  const char *text = s->arg[2].text, *word = text + strcspn(text, " ");
  char        path[PETSC_MAX_PATH_LEN];
  PetscReal   t0 = 0;
  Vec         u[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  if (!strncmp(text, "file ", 5)) {
    PetscCall(RungPathBeside(problem, s, word + strspn(word, " "), path, sizeof path));
    PetscCall(RungFieldLoad(field, path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(check_given(problem, s));
  if (problem->stepper) PetscCall(RungStepperGetInterval(problem->stepper, &t0, NULL, NULL));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(RungSystemCreateVec(problem->sys, &u[k]));
    PetscCall(VecZeroEntries(u[k]));
  }
  RungCallFinally(RungSystemInterpolate(problem->sys, text, NULL, t0, u, field),
                  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&u[k])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the fields that have a text, when the system is set up. */
PetscErrorCode RungFieldsFill(RungProblem problem)
{
  PetscInt f = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "field")) continue;
    if (s->args > 2 && !RungFieldHasSpaces(s)) {
      RungPass(problem, s, fill(problem, s, problem->field[f]));
      PetscCall(RungSystemTellField(problem->sys, problem->field[f], s->arg[2].text));
    } else
      PetscCall(RungMistake(problem, s, (RungSourceSpan){(PetscInt)strlen(s->text), 1},
                            "field %s has no values here; wanted an expression of x behind its space, or file PATH; "
                            "rung compile alone does without",
                            s->arg[0].text));
    f += 1 + RUNG_MAX_ORDER;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- initial values of other data --------------------------------------------------------------------------------- */

PetscBool RungIsFrom(const RungStatement *s)
{
  return !strncmp(s->arg[1].text, "from ", 5) ? PETSC_TRUE : PETSC_FALSE;
}

/* "from checkpoint PATH"; path without blanks in front. */
static PetscBool is_checkpoint(const RungStatement *s, const char **path)
{
  const char *text = s->arg[1].text + 5;

  text += strspn(text, " ");
  if (strncmp(text, "checkpoint ", 11) != 0) return PETSC_FALSE;
  *path = text + 11 + strspn(text + 11, " ");
  return PETSC_TRUE;
}

/* The unknown's entries of the newest level in a checkpoint of the same mesh and unknowns. */
static PetscErrorCode begin_from_checkpoint(RungProblem problem, const RungStatement *s, const char name[], PetscInt f,
                                            Vec u)
{
  RungCheckpoint     file;
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           start, end;
  char               path[PETSC_MAX_PATH_LEN];
  Vec                all;

  PetscFunctionBegin;
  PetscCall(RungPathBeside(problem, s, name, path, sizeof path));
  PetscCall(RungCheckpointOpen(problem->sys, path, PETSC_TRUE, &file));
  PetscCall(RungSystemCreateVec(problem->sys, &all));
  RungCallFinally(RungCheckpointGetVec(file, "/level0/u", all), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungSystemGetRange(problem->sys, f, &start, &end));
  PetscCall(VecGetArrayRead(all, &from));
  PetscCall(VecGetArray(u, &to));
  PetscCall(PetscArraycpy(to + start, from + start, end - start));
  PetscCall(VecRestoreArray(u, &to));
  PetscCall(VecRestoreArrayRead(all, &from));
  PetscCall(VecDestroy(&all));
  PetscCall(RungSystemSetInitialVec(problem->sys, 0, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The field's values: of a file, or of an expression at the state that the others begin with. */
static PetscErrorCode evaluate(RungProblem problem, const RungStatement *s, PetscReal t, const Vec u[], RungField field)
{
  const char *text = s->arg[1].text + 5;
  char        path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  text += strspn(text, " ");
  if (strncmp(text, "file ", 5) != 0) {
    PetscCall(RungSystemInterpolate(problem->sys, text, NULL, t, u, field));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungPathBeside(problem, s, text + 5 + strspn(text + 5, " "), path, sizeof path));
  PetscCall(RungFieldLoad(field, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The field's entries are those of unknown f. */
static PetscErrorCode put_unknown(RungProblem problem, PetscInt f, RungField field, Vec u)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           start, end;
  Vec                values;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(problem->sys, f, &start, &end));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(VecGetArrayRead(values, &from));
  PetscCall(VecGetArray(u, &to));
  PetscCall(PetscArraycpy(to + start, from, end - start));
  PetscCall(VecRestoreArray(u, &to));
  PetscCall(VecRestoreArrayRead(values, &from));
  PetscCall(RungSystemSetInitialVec(problem->sys, 0, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_from(RungProblem problem, const RungStatement *s, const Vec u[])
{
  const char *name = NULL, *nearest, *list[RUNG_MAX_UNKNOWNS], *path;
  RungTraits  traits;
  RungSpace   space = NULL;
  RungField   field;
  PetscReal   t;
  PetscInt    f = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  for (PetscInt i = 0; i < traits.unknowns; ++i) PetscCall(RungSystemGetUnknown(problem->sys, i, &list[i], NULL));
  while (f < traits.unknowns && strcmp(list[f], s->arg[0].text) != 0) ++f;
  PetscCall(RungSuggest(s->arg[0].text, traits.unknowns, list, &nearest));
  PetscCheck(f < traits.unknowns, problem->comm, PETSC_ERR_ARG_WRONG,
             "initial %s: \"%s\" is no unknown%s%s%s; values from other data are those of a whole unknown",
             s->arg[0].text, s->arg[0].text, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
             nearest ? "\"" : "");
  PetscCall(RungStepperGetInterval(problem->stepper, &t, NULL, NULL));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    if (k < PetscMax(1, traits.order))
      PetscCall(RungSystemInitial(problem->sys, t, k, u[k]));
    else
      PetscCall(VecZeroEntries(u[k]));
  }
  if (is_checkpoint(s, &path)) {
    PetscCall(begin_from_checkpoint(problem, s, path, f, u[0]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSystemGetUnknown(problem->sys, f, &name, &space));
  PetscCall(RungFieldCreate(space, name, &field));
  RungCallOrUndo(evaluate(problem, s, t, u, field), PetscCall(RungFieldDestroy(&field)));
  RungCallFinally(put_unknown(problem, f, field, u[0]), PetscCall(RungFieldDestroy(&field)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialsFill(RungProblem problem)
{
  Vec u[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "initial") || !RungIsFrom(s)) continue;
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(RungSystemCreateVec(problem->sys, &u[k]));
    RungPass(problem, s, begin_from(problem, s, u));
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- residuals ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungRead_residual(RungProblem problem, RungStatement *s)
{
  char *text;

  PetscFunctionBegin;
  s->number = ++problem->residuals;
  PetscCall(RungResidualText(s, &text));
  if (strlen(text) > 3 && !strcmp(text + strlen(text) - 3, " ()") && text[strlen(text) - 4] == '-') {
    PetscCall(PetscFree(text));
    PetscCall(RungMistake(problem, s, (RungSourceSpan){(PetscInt)strlen(s->text), 1},
                          "nothing stands behind =; `residual L = 0`, or L alone"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungPass(problem, s, RungSystemAddResidual(problem->sys, text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* derive(E, u) is a residual of every unknown u that E holds. */
static PetscErrorCode add_energy(RungProblem problem, RungStatement *s)
{
  RungScope scope;
  RungExpr  energy;
  PetscBool integral, any = PETSC_FALSE;
  PetscInt  rank, shape[2], arity;
  char      label[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "energy %" PetscInt_FMT, s->number));
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  PetscCall(RungScopeParse(scope, label, s->arg[0].text, &energy));
  PetscCall(RungExprGetShape(energy, &rank, shape, &integral, &arity));
  PetscCheck(integral && !arity, problem->comm, PETSC_ERR_ARG_WRONG, "%s %s; wanted an integral, as W*dx", label,
             integral ? "holds a test function" : "is not integrated");
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *unknown = &problem->statement[i];
    RungExpr             part;

    if (!RungIs(problem, i, "unknown")) continue; /* of another system it may be a coefficient */
    part = RungDerive(energy, RungName(scope, unknown->arg[0].text));
    if (part.node == RUNG_NO_EXPR) continue;
    PetscCall(RungExprCheck(part));
    PetscCall(RungSystemAddResidualExpr(problem->sys, part));
    ++problem->residuals;
    any = PETSC_TRUE;
  }
  PetscCheck(any, problem->comm, PETSC_ERR_ARG_WRONG, "%s holds no unknown", label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_energy(RungProblem problem, RungStatement *s)
{
  RungCaught caught;

  PetscFunctionBegin;
  s->number = ++problem->energies;
  RungCatch(&caught, add_energy(problem, s));
  if (caught.code) PetscCall(RungMistakeCaught(problem, NULL, &caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}
