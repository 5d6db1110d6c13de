/* columns.c - quantities of coupled systems and numbers made of them: a row of values, SYSTEM.NAME.

   Texts of all systems name columns with a point.  The scope that reads them has a constant SYSTEM_NAME for each,
   which is as long, so that places in messages are those of the text. */
#include "coupling_impl.h"
#include <ctype.h>
#include <stdio.h>

#define COLUMN (2 * RUNG_NAME_LENGTH) /* bytes of a name */

static PetscBool is_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_' ? PETSC_TRUE : PETSC_FALSE;
}

const char *RungFindPoint(PetscInt n, const char *const names[], const char text[])
{
  for (const char *point = strchr(text, '.'); point; point = strchr(point + 1, '.')) {
    if (!point[1] || isdigit((unsigned char)point[1])) continue;
    for (PetscInt i = 0; i < n; ++i) {
      const size_t length = strlen(names[i]);

      if ((size_t)(point - text) < length || strncmp(point - length, names[i], length) != 0) continue;
      if (point - length == text || !is_letter(point[-(ptrdiff_t)length - 1])) return point;
    }
  }
  return NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_column(RungCoupling c, const char system[], const char name[])
{
  char text[COLUMN];

  PetscFunctionBegin;
  if (c->columns == c->column_room) {
    c->column_room = 2 * c->column_room + 16;
    PetscCall(PetscRealloc((size_t)c->column_room * sizeof *c->column, &c->column));
  }
  (void)snprintf(text, sizeof text, "%s%s%s", system ? system : "", system ? "." : "", name);
  PetscCall(PetscStrallocpy(text, &c->column[c->columns++]));
  if (system) text[strlen(system)] = '_';
  if (system || !strchr(text, '.')) {
    RungCaught caught; /* a name that is no word cannot stand in a text */

    RungCatch(&caught, RungScopeSetConstant(c->scope, text, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SYSTEM_NAME of a column */
static void alias_of(RungCoupling c, PetscInt i, char name[COLUMN])
{
  (void)snprintf(name, COLUMN, "%s", c->column[i]);
  for (PetscInt k = 0; k < c->members; ++k) {
    const RungMember m = c->member[k];

    if (i >= m->first && i < m->first + m->quantities + m->numbers) name[strlen(m->name)] = '_';
  }
}

PetscErrorCode RungColumnsClose(RungCoupling c)
{
  PetscFunctionBegin;
  if (c->closed) PetscFunctionReturn(PETSC_SUCCESS);
  c->closed = PETSC_TRUE;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    m->first = c->columns;
    for (PetscInt k = 0; k < m->quantities; ++k) PetscCall(add_column(c, m->name, m->quantity[k]));
    for (PetscInt k = 0; k < m->numbers; ++k) PetscCall(add_column(c, m->name, m->number_name[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingGetColumns(RungCoupling c, PetscInt *n, const char *const **names)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungColumnsClose(c));
  if (n) *n = c->columns;
  if (names) *names = (const char *const *)c->column;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetConstant(RungCoupling c, const char name[], PetscReal value)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetConstant"));
  PetscCheck(!c->closed, c->comm, PETSC_ERR_ORDER,
             "constant \"%s\" behind the first number or event of all systems; set it before", name);
  PetscCall(RungScopeSetConstant(c->scope, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- texts of all systems ---------------------------------------------------------------------------------------- */

/* Does a text have the name as a word of its own? */
static PetscBool has_word(const char text[], const char name[])
{
  const size_t n = strlen(name);

  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    if ((at == text || !is_letter(at[-1])) && !is_letter(at[n])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Names between quotes have their points again: those of columns, and those of the text; so has the text itself. */
static void mend(RungCoupling c, const char text[], const char aliased[], char message[])
{
  char *shown = strstr(message, aliased);

  if (shown) memcpy(shown, text, strlen(text));
  for (char *quote = strchr(message, '"'); quote; quote = strchr(quote + 1, '"')) {
    const size_t length = strcspn(quote + 1, "\"");
    char         name[COLUMN];

    if (!quote[length + 1] || length >= sizeof name) continue;
    for (PetscInt i = 0; i < c->members; ++i) {
      const size_t n     = strlen(c->member[i]->name);
      PetscBool    known = PETSC_FALSE;

      if (n >= length || strncmp(quote + 1, c->member[i]->name, n) != 0 || quote[n + 1] != '_') continue;
      (void)snprintf(name, sizeof name, "%.*s", (int)length, quote + 1);
      name[n] = '.';
      for (PetscInt k = 0; k < c->columns; ++k) known = known || !strcmp(c->column[k], name) ? PETSC_TRUE : PETSC_FALSE;
      if (known || strstr(text, name)) quote[n + 1] = '.';
    }
  }
}

static PetscErrorCode parse(RungCoupling c, const char label[], const char text[], const char aliased[],
                            RungJointNumber *number)
{
  RungExpr  expr;
  PetscInt  rank, shape[2], arity;
  PetscBool integral, placed;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(c->scope, label, aliased, &expr));
  PetscCall(RungExprCheck(expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCheck(!rank && !integral && !arity, c->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" is no number of quantities, constants and t", label, text);
  PetscCheck(
    !number->used || !has_word(aliased, "dt"), c->comm, PETSC_ERR_ARG_WRONG,
    "%s: \"%s\" holds dt() beside columns, whose rates are not known here; give the rate a name as a quantity of its "
    "system",
    label, text);
  PetscCall(RungPointwiseCreate(expr, &number->value));
  PetscCall(RungPointwiseIsPlaceDependent(number->value, &placed));
  PetscCheck(!placed, c->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" holds x; wanted quantities, constants and t", label,
             text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_aliased(RungCoupling c, const char label[], const char text[], char aliased[],
                                   RungJointNumber *number)
{
  const char **names;
  char         column[COLUMN];
  RungCaught   caught;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->members, &names));
  for (PetscInt i = 0; i < c->members; ++i) names[i] = c->member[i]->name;
  for (char *point = aliased; (point = (char *)RungFindPoint(c->members, names, aliased));) *point = '_';
  PetscCall(PetscFree(names));
  PetscCall(PetscMalloc1(c->columns, &number->column));
  for (PetscInt i = 0; i < c->columns; ++i) {
    alias_of(c, i, column);
    if (!strcmp(text, c->column[i])) { /* the column itself, whatever its name */
      number->column[0] = i;
      number->used      = -1;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (has_word(aliased, column)) number->column[number->used++] = i;
  }
  RungCatch(&caught, parse(c, label, text, aliased, number));
  if (!caught.code) PetscFunctionReturn(PETSC_SUCCESS);
  mend(c, text, aliased, caught.message);
  SETERRQ(c->comm, caught.code, "%s", caught.message);
}

PetscErrorCode RungJointRead(RungCoupling c, const char label[], const char text[], RungJointNumber *number)
{
  char *aliased;

  PetscFunctionBegin;
  *number = (RungJointNumber){.used = 0};
  PetscCall(RungColumnsClose(c));
  PetscCall(PetscStrallocpy(text, &aliased));
  RungCallFinally(read_aliased(c, label, text, aliased, number), PetscCall(PetscFree(aliased)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJointDestroy(RungJointNumber *number)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(number->name));
  PetscCall(PetscFree(number->column));
  PetscCall(RungPointwiseDestroy(&number->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJointEvaluate(RungCoupling c, const RungJointNumber *number, PetscReal t, PetscReal *value)
{
  const PetscReal origin[3] = {0, 0, 0};
  PetscScalar     result;
  char            name[COLUMN];

  PetscFunctionBegin;
  *value = NAN;
  if (number->used < 0) {
    *value = c->value[number->column[0]];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungConsequencesFollow(c));
  for (PetscInt i = 0; i < number->used; ++i) {
    const PetscReal one = c->value[number->column[i]];

    if (PetscIsInfOrNanReal(one)) PetscFunctionReturn(PETSC_SUCCESS);
    alias_of(c, number->column[i], name);
    PetscCall(RungScopeSetConstant(c->scope, name, one));
  }
  PetscCall(RungPointwiseEvaluate(number->value, t, 1, origin, &result));
  *value = PetscRealPart(result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_name(RungCoupling c, RungMember m, const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungColumnCheck(c->comm, "a number", name));
  for (PetscInt i = 0; m && i < m->quantities + m->numbers; ++i)
    PetscCheck(strcmp(i < m->quantities ? m->quantity[i] : m->number_name[i - m->quantities], name) != 0, c->comm,
               PETSC_ERR_ARG_WRONG, "system %s has a column \"%s\" already; give the number another name", m->name,
               name);
  for (PetscInt i = 0; !m && i < c->columns; ++i)
    PetscCheck(strcmp(c->column[i], name) != 0, c->comm, PETSC_ERR_ARG_WRONG,
               "there is a column \"%s\" already; give the number another name", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_own(RungMember m, const char label[], const char name[], const char text[])
{
  PetscFunctionBegin;
  PetscCheck(!m->coupling->closed, m->coupling->comm, PETSC_ERR_ORDER,
             "number \"%s\" of system %s behind the first number or event of all systems; add it before", name,
             m->name);
  PetscCall(PetscRealloc((size_t)(m->numbers + 1) * sizeof *m->number, &m->number));
  PetscCall(PetscRealloc((size_t)(m->numbers + 1) * sizeof *m->number_name, &m->number_name));
  PetscCall(
    RungGaugeCreate(m->sys, label, text, m->numbers, (const char *const *)m->number_name, &m->number[m->numbers]));
  PetscCall(PetscStrallocpy(name, &m->number_name[m->numbers++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_joint(RungCoupling c, const char label[], const char name[], const char text[])
{
  RungJointNumber number;

  PetscFunctionBegin;
  RungCallOrUndo(RungJointRead(c, label, text, &number), PetscCall(RungJointDestroy(&number)));
  PetscCall(PetscStrallocpy(name, &number.name));
  PetscCall(PetscRealloc((size_t)(c->numbers + 1) * sizeof *c->number, &c->number));
  c->number[c->numbers++] = number;
  PetscCall(add_column(c, NULL, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddNumber(RungCoupling c, const char system[], const char name[], const char text[])
{
  RungMember m;
  char       label[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingAddNumber"));
  PetscCheck(name && name[0] && text && text[0], c->comm, PETSC_ERR_ARG_NULL, "a number without a name or a text");
  PetscCall(RungMemberFind(c, system, &m));
  if (!m) PetscCall(RungColumnsClose(c));
  PetscCall(check_name(c, m, name));
  (void)snprintf(label, sizeof label, "number %.*s", RUNG_NAME_LENGTH, name);
  if (m)
    PetscCall(add_own(m, label, name, text));
  else
    PetscCall(add_joint(c, label, name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode evaluate_own(RungMember m, PetscReal t, PetscReal value[])
{
  PetscFunctionBegin;
  PetscCall(RungMemberSee(m));
  PetscCall(RungSystemEvaluateQuantities(m->sys, t, m->u, value));
  for (PetscInt i = 0; i < m->quantities; ++i) {
    if (m->rate[i]) value[i] = m->sum[i];
  }
  for (PetscInt i = 0; i < m->numbers; ++i)
    PetscCall(RungGaugeEvaluate(m->number[i], t, value, &value[m->quantities + i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungColumnsEvaluate(RungCoupling c, PetscReal t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(evaluate_own(c->member[i], t, c->value + c->member[i]->first));
  for (PetscInt i = 0; i < c->numbers; ++i)
    PetscCall(RungJointEvaluate(c, &c->number[i], t, &c->value[c->columns - c->numbers + i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungColumnsDestroy(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    RungMember m = c->member[i];

    for (PetscInt k = 0; k < m->numbers; ++k) {
      PetscCall(RungGaugeDestroy(&m->number[k]));
      PetscCall(PetscFree(m->number_name[k]));
    }
    PetscCall(PetscFree(m->number));
    PetscCall(PetscFree(m->number_name));
  }
  for (PetscInt i = 0; i < c->numbers; ++i) PetscCall(RungJointDestroy(&c->number[i]));
  for (PetscInt i = 0; i < c->columns; ++i) PetscCall(PetscFree(c->column[i]));
  PetscCall(PetscFree(c->number));
  PetscCall(PetscFree(c->column));
  PetscCall(PetscFree(c->value));
  PetscCall(RungScopeDestroy(&c->scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}
