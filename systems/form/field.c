/* field.c - given functions as coefficients of a system: fields of the program, and unknowns of other systems. */
#include "form_side_impl.h"

PetscErrorCode RungSystemAddField(RungSystem sys, const char name[], RungField field)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddField"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddField"));
  PetscCheck(name && field, sys->comm, PETSC_ERR_ARG_NULL, "a coefficient needs a name and a field");
  PetscCall(RungScopeAddField(sys->form->scope, name, field));
  RungGrow(sys->form->fields, sys->form->field);
  sys->form->field[sys->form->fields] = (RungGivenField){.field = field};
  PetscCall(PetscStrallocpy(name, &sys->form->field[sys->form->fields++].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_unknown(RungSystem sys, RungSystem from, const char unknown[], PetscInt *f)
{
  const char *known[RUNG_MAX_UNKNOWNS], *near;

  PetscFunctionBegin;
  PetscCheck(from->form, sys->comm, PETSC_ERR_ARG_WRONG,
             "a field from a system of callbacks, which has no space; make a RungField and RungSystemAddField");
  for (*f = 0; *f < from->form->unknowns; ++*f) {
    known[*f] = from->form->name[*f];
    if (!strcmp(known[*f], unknown)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(unknown, from->form->unknowns, known, &near));
  SETERRQ(sys->comm, PETSC_ERR_ARG_WRONG, "the other system has no unknown \"%s\"%s%s%s", unknown,
          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

PetscErrorCode RungSystemAddCoupling(RungSystem sys, const char name[], RungSystem from, const char unknown[])
{
  RungCoupling coupling = {0}, *c;
  RungFormSide form;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddCoupling"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddCoupling"));
  form = sys->form;
  PetscCheck(name && unknown && from, sys->comm, PETSC_ERR_ARG_NULL,
             "a coupling needs a name, another system and the name of its unknown");
  PetscCheck(from != sys, sys->comm, PETSC_ERR_ARG_WRONG, "\"%s\" is an unknown of this very system; use its name",
             unknown);
  PetscCall(RungCommCheck(from->comm, "the other system", sys->comm, "this one"));
  PetscCall(find_unknown(sys, from, unknown, &coupling.unknown));
  PetscCall(RungFieldCreate(from->form->space[coupling.unknown], name, &coupling.field[0]));
  RungGrow(form->couplings, form->coupling);
  c  = &form->coupling[form->couplings++]; /* freed with the system also where the name is refused */
  *c = coupling;
  PetscCall(RungSystemReference(from));
  c->from = from;
  for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
    char rate[128];

    PetscCall(PetscSNPrintf(rate, sizeof rate, k > 1 ? "dt(%s, %" PetscInt_FMT ")" : "dt(%s)", name, k));
    PetscCall(RungFieldDuplicate(c->field[0], rate, &c->field[k]));
    PetscCall(RungFieldSetRate(c->field[k - 1], c->field[k]));
  }
  PetscCall(RungScopeAddField(form->scope, name, c->field[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "w", "dt(w)" or "dt(w, 2)", blanks as one likes */
static PetscErrorCode find_coupling(RungSystem sys, const char name[], RungCoupling **coupling, PetscInt *k)
{
  char   plain[128];
  size_t n = 0;

  PetscFunctionBegin;
  for (size_t i = 0; name[i] && n + 2 < sizeof plain; ++i) {
    if (name[i] == ' ') continue;
    plain[n++] = name[i];
    if (name[i] == ',') plain[n++] = ' ';
  }
  plain[n] = 0;
  for (PetscInt i = 0; i < sys->form->couplings; ++i) {
    *coupling = &sys->form->coupling[i];
    for (*k = 0; *k <= RUNG_MAX_ORDER; ++*k) {
      const char *field;

      PetscCall(RungFieldGetName((*coupling)->field[*k], &field));
      if (!strcmp(field, plain)) PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  SETERRQ(sys->comm, PETSC_ERR_ARG_WRONG, "\"%s\" is not coupled to another system; RungSystemAddCoupling does that",
          name);
}

PetscErrorCode RungSystemSetCoupled(RungSystem sys, const char name[], Vec u)
{
  RungCoupling        *c;
  PetscInt             k;
  RungSpace            space;
  const RungSpaceData *data;
  const PetscScalar   *from;
  PetscScalar         *to;
  Vec                  values;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetCoupled"));
  PetscCall(find_coupling(sys, name, &c, &k));
  PetscCall(RungSystemSetUp(c->from)); /* its layout says where the entries are */
  PetscCall(RungFieldGetVec(c->field[k], &values));
  PetscCall(RungFieldGetSpace(c->field[k], &space));
  PetscCall(RungLayoutCheckVec(c->from->form->layout, u));
  c->given[k] = PETSC_TRUE;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArrayRead(u, &from));
  PetscCall(VecGetArrayWrite(values, &to));
  for (PetscInt node = 0; node < data->owned; ++node) {
    for (PetscInt a = 0; a < data->components; ++a)
      to[node * data->components + a] = from[RungLayoutDof(c->from->form->layout, c->unknown, node, a)];
  }
  PetscCall(VecRestoreArrayWrite(values, &to));
  PetscCall(VecRestoreArrayRead(u, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsCheck(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->couplings; ++i) {
    const RungCoupling *c = &sys->form->coupling[i];

    for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
      const char *name;
      PetscBool   reads;

      PetscCall(RungScopeReadsField(sys->form->scope, c->field[k], &reads));
      PetscCall(RungFieldGetName(c->field[k], &name));
      PetscCheck(!reads || c->given[k], sys->comm, PETSC_ERR_ORDER,
                 "the system reads %s of another system, which was never given; RungSystemSetCoupled(sys, \"%s\", ..) "
                 "does that",
                 name, name);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsCheckRates(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->couplings; ++i) {
    const RungCoupling *c = &sys->form->coupling[i];
    const char         *name;

    PetscCall(RungFieldGetName(c->field[1], &name));
    PetscCheck(c->given[1], sys->comm, PETSC_ERR_ORDER,
               "how fast the equations change with t depends on %s of another system, which was never given; "
               "RungSystemSetCoupled(sys, \"%s\", ..) does that",
               name, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsDestroy(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->couplings; ++i) {
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(RungFieldDestroy(&form->coupling[i].field[k]));
    PetscCall(RungSystemDestroy(&form->coupling[i].from));
  }
  PetscCall(PetscFree(form->coupling));
  for (PetscInt f = 0; f < form->fields; ++f) PetscCall(PetscFree(form->field[f].name));
  PetscCall(PetscFree(form->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
