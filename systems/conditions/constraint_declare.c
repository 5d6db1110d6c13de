/* constraint_declare.c - what the app says of constraints; read at set-up, when all names are known. */
#include "form_side_impl.h"

static PetscErrorCode add(RungSystem sys, const char setter[], RungConstraintKind kind, const char name[],
                          const char text[], RungConstraintText **added)
{
  RungFormSide form;

  PetscFunctionBegin;
  PetscCall(RungSystemCheckNew(sys, setter));
  PetscCall(RungSystemNeedForm(sys, setter));
  PetscCheck(name, sys->comm, PETSC_ERR_ARG_NULL, "%s without the name of an unknown", setter);
  form = sys->form;
  RungGrow(form->constraint_texts, form->constraint_text);
  *added  = &form->constraint_text[form->constraint_texts++];
  **added = (RungConstraintText){.kind = kind};
  PetscCall(PetscStrallocpy(name, &(*added)->name));
  PetscCall(PetscStrallocpy(text, &(*added)->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddPeriodic(RungSystem sys, const char name[], const char slave[], const char master[],
                                     const char map[], const char text[])
{
  RungConstraintText *added;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(slave && master, sys->comm, PETSC_ERR_ARG_NULL, "a periodic condition wants two parts");
  PetscCall(add(sys, "RungSystemAddPeriodic", RUNG_CONSTRAINT_PERIODIC, name, text, &added));
  PetscCall(PetscStrallocpy(slave, &added->part));
  PetscCall(PetscStrallocpy(master, &added->other));
  PetscCall(PetscStrallocpy(map, &added->map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTie(RungSystem sys, const char name[], const char part[], const char to[], const char text[])
{
  RungConstraintText *added;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(part, sys->comm, PETSC_ERR_ARG_NULL, "a tie wants a part whose values are one");
  PetscCall(add(sys, "RungSystemTie", RUNG_CONSTRAINT_TIE, name, text, &added));
  PetscCall(PetscStrallocpy(part, &added->part));
  PetscCall(PetscStrallocpy(to, &added->other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddConstraint(RungSystem sys, PetscInt n, const char *const names[], const PetscReal x[],
                                       const PetscReal coefficients[], const char text[])
{
  RungConstraintText *added;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(n > 0 && names && coefficients, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a constraint of %" PetscInt_FMT " terms; wanted at least the slave", n);
  for (PetscInt i = 0; i < n; ++i) {
    PetscCheck(names[i], sys->comm, PETSC_ERR_ARG_NULL, "term %" PetscInt_FMT " of a constraint without a name", i);
    PetscCheck(!PetscIsInfOrNanReal(coefficients[i]), sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "term %" PetscInt_FMT " of a constraint, \"%s\", has the coefficient %g, wanted a finite number", i,
               names[i], (double)coefficients[i]);
    for (int a = 0; x && a < 3; ++a)
      PetscCheck(!PetscIsInfOrNanReal(x[3 * i + a]), sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
                 "term %" PetscInt_FMT " of a constraint, \"%s\", is at a place that is not finite", i, names[i]);
  }
  PetscCheck(coefficients[0] != 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a constraint whose slave \"%s\" has the coefficient 0; put another term first", names[0]);
  PetscCall(add(sys, "RungSystemAddConstraint", RUNG_CONSTRAINT_POINTS, names[0], text, &added));
  added->n = n;
  PetscCall(PetscCalloc1(n, &added->names));
  PetscCall(PetscCalloc1(3 * n, &added->x));
  PetscCall(PetscMalloc1(n, &added->coefficient));
  PetscCall(PetscArraycpy(added->coefficient, coefficients, n));
  if (x) PetscCall(PetscArraycpy(added->x, x, 3 * n));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscStrallocpy(names[i], &added->names[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetSlip(RungSystem sys, const char name[], const char part[], const char text[])
{
  RungConstraintText *added;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(part, sys->comm, PETSC_ERR_ARG_NULL, "slip without a part; \"boundary\" is all of it");
  PetscCall(add(sys, "RungSystemSetSlip", RUNG_CONSTRAINT_SLIP, name, text, &added));
  PetscCall(PetscStrallocpy(part, &added->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemExtend(RungSystem sys, Vec d)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungConstraintsExtend(sys, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers that parts are tied to --------------------------------------------------------------------------------
 */

/* The unknowns of a tie; to is -1 if there is none. */
static PetscErrorCode tie_of(RungSystem sys, const RungConstraintText *text, PetscInt *from, PetscInt *to)
{
  RungTarget target;

  PetscFunctionBegin;
  *from = *to = -1;
  if (text->kind != RUNG_CONSTRAINT_TIE || !text->other) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTargetFind(sys, "tie", text->name, &target));
  *from = target.unknown;
  PetscCall(RungTargetFind(sys, "tie", text->other, &target));
  *to = target.unknown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsTieTo(RungSystem sys, PetscInt f, PetscBool *tied)
{
  PetscInt from, to;

  PetscFunctionBegin;
  *tied = PETSC_FALSE;
  for (PetscInt i = 0; i < sys->form->constraint_texts; ++i) {
    PetscCall(tie_of(sys, &sys->form->constraint_text[i], &from, &to));
    if (to == f) *tied = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsRaiseOrders(RungSystem sys)
{
  PetscInt from, to;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->constraint_texts; ++i) {
    PetscCall(tie_of(sys, &sys->form->constraint_text[i], &from, &to));
    if (to >= 0)
      sys->traits.unknown_order[to] = PetscMax(sys->traits.unknown_order[to], sys->traits.unknown_order[from]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ------------------------------------------------------------------------------------------------------- */

/* -system_slip NAME,PART; -system_tie NAME,PART[,GLOBAL]; -system_periodic NAME,SLAVE,MASTER; several after ";". */
static PetscErrorCode take(RungSystem sys, const char option[], RungConstraintKind kind, int n, char *word[])
{
  PetscFunctionBegin;
  PetscCheck(n == (kind == RUNG_CONSTRAINT_PERIODIC ? 3 : 2) || (kind == RUNG_CONSTRAINT_TIE && n == 3), sys->comm,
             PETSC_ERR_ARG_SIZ, "%s has %d words; wanted %s", option, n,
             kind == RUNG_CONSTRAINT_PERIODIC ? "NAME,SLAVES,MASTERS"
             : kind == RUNG_CONSTRAINT_TIE    ? "NAME,PART or NAME,PART,GLOBAL"
                                              : "NAME,PART");
  if (kind == RUNG_CONSTRAINT_PERIODIC)
    PetscCall(RungSystemAddPeriodic(sys, word[0], word[1], word[2], NULL, NULL));
  else if (kind == RUNG_CONSTRAINT_TIE)
    PetscCall(RungSystemTie(sys, word[0], word[1], n == 3 ? word[2] : NULL, NULL));
  else
    PetscCall(RungSystemSetSlip(sys, word[0], word[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_all(RungSystem sys, const char option[], RungConstraintKind kind, int n, char *text[])
{
  char **word;
  int    words;

  PetscFunctionBegin;
  for (int i = 0; i < n; ++i) {
    PetscCall(PetscStrToArray(text[i], ',', &words, &word));
    RungCallFinally(take(sys, option, kind, words, word), PetscCall(PetscStrToArrayDestroy(words, word)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsFromOptions(RungSystem sys)
{
  static const struct {
    const char        *option, *about;
    RungConstraintKind kind;
  } options[] = {
    {"-system_periodic", "NAME,SLAVES,MASTERS: equal on two parts, \";\" between several", RUNG_CONSTRAINT_PERIODIC},
    {"-system_tie", "NAME,PART[,GLOBAL]: one value on a part", RUNG_CONSTRAINT_TIE},
    {"-system_slip", "NAME,PART: no flow through a part", RUNG_CONSTRAINT_SLIP}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(options); ++i) {
    char      text[1024] = "", **one;
    PetscBool set;
    int       n;

    PetscCall(RungOptionText(sys->comm, options[i].option, options[i].about, NULL, sizeof text, text, &set));
    if (!set) continue;
    PetscCall(PetscStrToArray(text, ';', &n, &one));
    RungCallFinally(take_all(sys, options[i].option, options[i].kind, n, one),
                    PetscCall(PetscStrToArrayDestroy(n, one)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
