/* gauge.c - numbers made of quantities: a text of quantities, constants and t, as "height - L/2".

   The text has a scope of its own, in which a quantity is a constant that gets its value before each evaluation.  A text that is
   the name of a quantity, "tip[1]" or "heat content", stands for it.  A word inside of a text that is a quantity and a constant,
   or a quantity and a value of the language (d, I, pi), is refused.

   In a text with dt() a quantity q stands for the polynomial  q_0 + (t - now)/1 (q_1 + (t - now)/2 q_2)  of constants: at t = now it is q_0,
   and its derivatives are the rates q_k.  They are known of numbers in R where there is a state; dt() of others is refused. */
#include "form_side_impl.h"

#include <rungscope_room.h>

#include <ctype.h>

struct _p_RungGauge {
  RungSystem    sys;      /* reference                                                       */
  char         *label;    /* owned: opens messages                                           */
  PetscInt      quantity; /* that it is; -1: the members below are                            */
  RungScope     scope;    /* owned                                                           */
  RungPointwise value;    /* owned                                                           */
  PetscInt      more;     /* numbers behind the quantities that the text may name, too       */
  char        **name;     /* owned, [more]                                                   */
  PetscInt      used;     /* quantities, and of those numbers, that the text names           */
  PetscInt     *number;   /* owned, [used] in the order of the system                         */
  PetscBool     rated;    /* RungGaugeSee() tells the rates of numbers in R                   */
  char          mark[16]; /* the polynomials' constants are NAME mark k, and "now" mark; "": no text with dt() */
};

/* Does a text have the name as a word of its own? */
static PetscBool has_word(const char text[], const char name[])
{
  const size_t length = strlen(name);

  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    const char before = at > text ? at[-1] : ' ', after = at[length];

    if (!isalnum((unsigned char)before) && before != '_' && before != '.' && !isalnum((unsigned char)after) &&
        after != '_')
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A quantity, or a number behind them. */
static const char *name_of(RungGauge f, PetscInt i)
{
  const PetscInt n = f->sys->form->quantities;

  return i < n ? f->sys->form->quantity_name[i] : f->name[i - n];
}

/* ---- rates -------------------------------------------------------------------------------------------------------- */

/* A mark that is part of no name. */
static PetscErrorCode choose_mark(RungGauge f, const char text[], PetscInt n, const char *const names[])
{
  PetscBool taken = PETSC_TRUE;

  PetscFunctionBegin;
  if (!has_word(text, "dt")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(f->mark, "__", 3));
  while (taken) {
    taken = strstr(text, f->mark) ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt i = 0; i < n; ++i) taken = taken || strstr(names[i], f->mark) ? PETSC_TRUE : PETSC_FALSE;
    if (taken) f->mark[strlen(f->mark)] = '_'; /* zeros stand behind it */
    PetscCheck(strlen(f->mark) + 1 < sizeof f->mark, f->sys->comm, PETSC_ERR_ARG_SIZ,
               "%s: names with \"%s\" in them in a text with dt(); take names with fewer underscores in a row",
               f->label, f->mark);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_coefficient(RungGauge f, PetscInt q, PetscInt k, PetscReal value)
{
  char name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "%s%s%" PetscInt_FMT, name_of(f, q), f->mark, k));
  PetscCall(RungScopeSetConstant(f->scope, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_now(RungGauge f, PetscReal t)
{
  char now[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(now, sizeof now, "now%s", f->mark));
  PetscCall(RungScopeSetConstant(f->scope, now, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name of a quantity stands for its polynomial, in Horner's form. */
static PetscErrorCode define(RungGauge f, PetscInt q)
{
  char text[RUNG_MAX_ORDER + 1][2048];

  PetscFunctionBegin;
  for (PetscInt k = RUNG_MAX_ORDER; k >= 0; --k) {
    PetscCall(PetscSNPrintf(text[k], sizeof text[k], "%s%s%" PetscInt_FMT, name_of(f, q), f->mark, k));
    if (k < RUNG_MAX_ORDER) {
      const size_t n = strlen(text[k]);

      PetscCall(PetscSNPrintf(text[k] + n, sizeof text[k] - n, " + (t - now%s)/%" PetscInt_FMT "*(%s)", f->mark, k + 1,
                              text[k + 1]));
    }
  }
  PetscCall(RungScopeDefine(f->scope, name_of(f, q), text[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of the highest rate of a quantity that See is given. */
static PetscInt known_rates(RungGauge f, PetscInt q)
{
  const RungQuantity *quantity = q < f->sys->form->quantities ? &f->sys->form->quantity[q] : NULL;

  return f->rated && quantity && quantity->kind == RUNG_QUANTITY_GLOBAL
           ? f->sys->traits.unknown_order[quantity->unknown]
           : 0;
}

/* Rates that nobody knows are not 0. */
static PetscErrorCode check_rates(RungGauge f, const char text[], RungExpr expr)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->used && f->mark[0]; ++i) {
    const PetscInt known = known_rates(f, f->number[i]);
    char           name[512];
    PetscInt       rates;

    PetscCall(PetscSNPrintf(name, sizeof name, "%s%s0", name_of(f, f->number[i]), f->mark));
    PetscCall(RungExprConstantRates(expr, name, &rates));
    PetscCheck(rates <= known, f->sys->comm, PETSC_ERR_ARG_WRONG,
               "%s: \"%s\" holds the time derivative of order %" PetscInt_FMT
               " of the number \"%s\", which is known up to order %" PetscInt_FMT
               " here; give the rate a name as a quantity, as \"dt(q)*dR\" of a number q in R, a probe of dt(u), or an "
               "integral of it",
               f->label, text, rates, name_of(f, f->number[i]), known);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeSee(RungGauge f, PetscReal t, const Vec u[])
{
  PetscFunctionBegin;
  if (!f->mark[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_now(f, t));
  for (PetscInt i = 0; i < f->used; ++i) {
    for (PetscInt k = 1; k <= known_rates(f, f->number[i]); ++k) {
      PetscReal value;

      PetscCall(RungGlobalEvaluate(f->sys, &f->sys->form->quantity[f->number[i]], u[k], &value));
      PetscCall(set_coefficient(f, f->number[i], k, value));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* A number of the text as a name of the scope. */
static PetscErrorCode declare_number(RungGauge f, PetscInt q)
{
  PetscFunctionBegin;
  if (f->mark[0]) {
    PetscCall(define(f, q));
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(set_coefficient(f, q, k, 1));
  } else
    PetscCall(RungScopeSetConstant(f->scope, name_of(f, q), 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A word of a text means one thing. */
static PetscErrorCode refuse_two_meanings(RungGauge f, const char text[], const char name[], PetscInt n,
                                          const char *const constants[])
{
  PetscFunctionBegin;
  PetscCheck(!RungNameIsLeaf(name), f->sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" holds \"%s\", which has a meaning of its own in expressions, it is not the quantity of that "
             "name; give the quantity another name",
             f->label, text, name);
  for (PetscInt i = 0; i < n; ++i)
    PetscCheck(strcmp(constants[i], name) != 0, f->sys->comm, PETSC_ERR_ARG_WRONG,
               "%s: \"%s\" holds \"%s\", which is a constant and a quantity; give one of both another name", f->label,
               text, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Quantities of the text become names of the scope, but for names that the language has taken for operators. */
static PetscErrorCode declare(RungGauge f, const char text[])
{
  const char *const *names;
  const PetscReal   *values;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungScopeGetConstants(f->sys->form->scope, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i) PetscCall(RungScopeSetConstant(f->scope, names[i], values[i]));
  PetscCall(choose_mark(f, text, n, names));
  if (f->mark[0]) PetscCall(set_now(f, 0));
  PetscCall(PetscMalloc1(f->sys->form->quantities + f->more, &f->number));
  for (PetscInt q = 0; q < f->sys->form->quantities + f->more; ++q) {
    const char    *name = name_of(f, q);
    PetscErrorCode code;

    if (!has_word(text, name)) continue;
    PetscCall(refuse_two_meanings(f, text, name, n, names));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = declare_number(f, q);
    PetscCall(PetscPopErrorHandler());
    if (!code) f->number[f->used++] = q;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown is no number, unless it is one of a space R, whose quantity has its name. */
static PetscErrorCode refuse_unknowns(RungGauge f, const char text[])
{
  RungFormSide form = f->sys->form;

  PetscFunctionBegin;
  for (PetscInt u = 0; u < form->unknowns; ++u) {
    PetscBool number = PETSC_FALSE;

    for (PetscInt i = 0; i < f->used; ++i) {
      if (!strcmp(name_of(f, f->number[i]), form->name[u])) number = PETSC_TRUE;
    }
    PetscCheck(number || !has_word(text, form->name[u]), f->sys->comm, PETSC_ERR_ARG_WRONG,
               "%s: \"%s\" holds \"%s\", an unknown with values at many places; wanted a number: name a quantity, as a "
               "probe of it",
               f->label, text, form->name[u]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_text(RungGauge f, const char text[])
{
  RungExpr  expr;
  PetscInt  rank, shape[2], arity;
  PetscBool integral, placed;

  PetscFunctionBegin;
  PetscCall(RungScopeCreate(f->sys->comm, &f->scope));
  PetscCall(RungScopeSetDimension(f->scope, 1));
  PetscCall(declare(f, text));
  PetscCall(refuse_unknowns(f, text));
  PetscCall(RungScopeParse(f->scope, f->label, text, &expr));
  PetscCall(RungExprCheck(expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCheck(!rank && !integral && !arity, f->sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" is no number of quantities, constants and t; give an integral a name as a quantity", f->label,
             text);
  PetscCall(check_rates(f, text, expr));
  PetscCall(RungPointwiseCreate(expr, &f->value));
  PetscCall(RungPointwiseIsPlaceDependent(f->value, &placed));
  PetscCheck(!placed, f->sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" holds x; wanted quantities, constants and t",
             f->label, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RungSystem sys, const char label[], const char text[], PetscInt more,
                             const char *const names[], PetscBool rated, RungGauge *gauge)
{
  RungGauge f;

  PetscFunctionBegin;
  PetscCheck(text && text[0], sys->comm, PETSC_ERR_ARG_NULL, "%s without a text", label);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "%s: \"%s\" is a text, and a system of callbacks has no names for texts; take a function of C", label,
             text);
  PetscCall(PetscNew(&f));
  PetscCall(RungSystemReference(sys));
  f->sys      = sys;
  f->rated    = rated;
  f->quantity = -1;
  PetscCall(PetscStrallocpy(label, &f->label));
  PetscCall(PetscCalloc1(more, &f->name));
  for (; f->more < more; ++f->more) PetscCall(PetscStrallocpy(names[f->more], &f->name[f->more]));
  for (PetscInt i = 0; i < sys->form->quantities + more && f->quantity < 0; ++i) {
    if (!strcmp(name_of(f, i), text)) f->quantity = i;
  }
  if (f->quantity < 0) RungCallOrUndo(read_text(f, text), PetscCall(RungGaugeDestroy(&f)));
  *gauge = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeCreate(RungSystem sys, const char label[], const char text[], PetscInt more,
                               const char *const names[], RungGauge *gauge)
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (more > 0) RungNeedArgument(names);
  RungNeedArgument(gauge);
  PetscCall(create(sys, label, text, more, names, PETSC_FALSE, gauge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeCreateRated(RungSystem sys, const char label[], const char text[], PetscInt more,
                                    const char *const names[], RungGauge *gauge)
{
  PetscFunctionBegin;
  PetscCall(create(sys, label, text, more, names, PETSC_TRUE, gauge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeCheck(RungGauge f, PetscReal t, const PetscReal quantity[])
{
  PetscFunctionBegin;
  RungNeed(f);
  for (PetscInt i = 0; i < f->used; ++i)
    PetscCheck(!PetscIsInfOrNanReal(quantity[f->number[i]]), f->sys->comm, PETSC_ERR_FP,
               "%s: \"%s\" is not finite at t = %g", f->label, name_of(f, f->number[i]), (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeEvaluate(RungGauge f, PetscReal t, const PetscReal quantity[], PetscReal *value)
{
  const char *const *names;
  const PetscReal   *values, origin[3] = {0, 0, 0};
  PetscScalar        result;
  PetscInt           n;

  PetscFunctionBegin;
  RungNeed(f);
  if (f->quantity >= 0) RungNeedArgument(quantity); /* a number of t and constants reads none */
  RungNeedArgument(value);
  if (f->quantity >= 0) {
    *value = quantity[f->quantity];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *value = NAN;
  PetscCall(RungScopeGetConstants(f->sys->form->scope, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i) PetscCall(RungScopeSetConstant(f->scope, names[i], values[i]));
  for (PetscInt i = 0; i < f->used; ++i) {
    if (PetscIsInfOrNanReal(quantity[f->number[i]])) PetscFunctionReturn(PETSC_SUCCESS);
    if (f->mark[0])
      PetscCall(set_coefficient(f, f->number[i], 0, quantity[f->number[i]]));
    else
      PetscCall(RungScopeSetConstant(f->scope, name_of(f, f->number[i]), quantity[f->number[i]]));
  }
  if (f->mark[0]) PetscCall(set_now(f, t));
  PetscCall(RungPointwiseEvaluate(f->value, t, 1, origin, &result));
  *value = PetscRealPart(result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaugeDestroy(RungGauge *destroyed)
{
  RungNeedArgument(destroyed);
  RungGauge f = *destroyed;

  PetscFunctionBegin;
  *destroyed = NULL;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseDestroy(&f->value));
  PetscCall(RungScopeDestroy(&f->scope));
  PetscCall(PetscFree(f->number));
  for (PetscInt i = 0; i < f->more; ++i) PetscCall(PetscFree(f->name[i]));
  PetscCall(PetscFree(f->name));
  PetscCall(PetscFree(f->label));
  PetscCall(RungSystemDestroy(&f->sys));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
