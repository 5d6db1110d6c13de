/* coupling.c - unknowns of other systems as coefficients of a system: values that are set, or that follow a path in time. */
#include "form_side_impl.h"

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
  RungCoupledUnknown coupling = {0}, *c;
  RungFormSide       form;

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
static PetscErrorCode find_coupling(RungSystem sys, const char name[], RungCoupledUnknown **coupling, PetscInt *k)
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

/* The entries of the coupled unknown in a vector of the other system, as the field has them. */
static PetscErrorCode copy_unknown(const RungCoupledUnknown *c, Vec u, Vec values)
{
  const RungSpaceData *data;
  const PetscScalar   *from;
  PetscScalar         *to;
  RungSpace            space;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(c->field[0], &space));
  PetscCall(RungLayoutCheckVec(c->from->form->layout, u));
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

static PetscErrorCode drop_path(RungCoupledUnknown *c)
{
  PetscFunctionBegin;
  for (int side = 0; side < 2; ++side) {
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&c->end[side][k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetCoupled(RungSystem sys, const char name[], Vec u)
{
  RungCoupledUnknown *c;
  PetscInt            k;
  Vec                 values;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(name);
  RungNeed(u);
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetCoupled"));
  PetscCall(find_coupling(sys, name, &c, &k));
  PetscCall(RungSystemSetUp(c->from)); /* its layout says where the entries are */
  PetscCall(drop_path(c));
  PetscCall(RungFieldGetVec(c->field[k], &values));
  PetscCall(copy_unknown(c, u, values));
  c->given[k] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemReadsRate(RungSystem sys, const char name[], PetscBool *reads)
{
  RungCoupledUnknown *c;
  PetscInt            order;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemReadsRate"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(find_coupling(sys, name, &c, &order));
  for (PetscInt k = order + 1; k <= RUNG_MAX_ORDER && !c->asked; ++k) {
    PetscBool holds;

    PetscCall(RungScopeReadsField(sys->form->scope, c->field[k], &holds));
    c->reads = c->reads || holds ? PETSC_TRUE : PETSC_FALSE;
  }
  c->asked = PETSC_TRUE;
  *reads   = c->reads;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a path in time ----------------------------------------------------------------------------------------------- */

PetscErrorCode RungSystemSetCoupledPath(RungSystem sys, const char name[], PetscReal t0, const Vec u0[], PetscReal t1,
                                        const Vec u1[])
{
  RungCoupledUnknown *c;
  PetscInt            k;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetCoupledPath"));
  PetscCheck(t1 > t0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE, "a path from t = %g to t = %g; wanted a later end",
             (double)t0, (double)t1);
  PetscCall(find_coupling(sys, name, &c, &k));
  PetscCheck(k == 0, sys->comm, PETSC_ERR_ARG_WRONG, "a path of \"%s\"; rates follow from the path of the unknown",
             name);
  PetscCall(RungSystemSetUp(c->from));
  PetscCall(drop_path(c));
  for (k = 0; k <= c->from->traits.unknown_order[c->unknown]; ++k) {
    for (int side = 0; side < 2; ++side) {
      Vec values;

      PetscCall(RungFieldGetVec(c->field[k], &values));
      PetscCall(VecDuplicate(values, &c->end[side][k]));
      PetscCall(copy_unknown(c, side ? u1[k] : u0[k], c->end[side][k]));
    }
    c->given[k] = PETSC_TRUE;
  }
  c->t[0] = t0;
  c->t[1] = t1;
  c->now  = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cubic in (v, v') where the entry has rates, linear where both are 0 (algebraic entries) or unknown (rate NULL). */
static PetscErrorCode put_between(const RungCoupledUnknown *c, PetscInt k, PetscReal t, PetscBool cubic)
{
  const PetscReal    h = c->t[1] - c->t[0], s = (t - c->t[0]) / h;
  const PetscReal    a = s * s * (3 - 2 * s), b = s * (1 - s) * (1 - s) * h, d = -s * s * (1 - s) * h;
  const PetscScalar *v0, *v1, *r0 = NULL, *r1 = NULL;
  PetscScalar       *v;
  PetscInt           n;
  Vec                values;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(c->field[k], &values));
  PetscCall(VecGetLocalSize(values, &n));
  PetscCall(VecGetArrayRead(c->end[0][k], &v0));
  PetscCall(VecGetArrayRead(c->end[1][k], &v1));
  if (cubic) PetscCall(VecGetArrayRead(c->end[0][k + 1], &r0));
  if (cubic) PetscCall(VecGetArrayRead(c->end[1][k + 1], &r1));
  PetscCall(VecGetArrayWrite(values, &v));
  for (PetscInt i = 0; i < n; ++i) {
    if (cubic && (r0[i] != 0 || r1[i] != 0))
      v[i] = v0[i] + a * (v1[i] - v0[i]) + b * r0[i] + d * r1[i];
    else
      v[i] = v0[i] + s * (v1[i] - v0[i]);
  }
  PetscCall(VecRestoreArrayWrite(values, &v));
  if (cubic) PetscCall(VecRestoreArrayRead(c->end[1][k + 1], &r1));
  if (cubic) PetscCall(VecRestoreArrayRead(c->end[0][k + 1], &r0));
  PetscCall(VecRestoreArrayRead(c->end[1][k], &v1));
  PetscCall(VecRestoreArrayRead(c->end[0][k], &v0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsFollow(RungSystem sys, PetscReal t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; sys->form && i < sys->form->couplings; ++i) {
    RungCoupledUnknown *c = &sys->form->coupling[i];

    if (!c->end[0][0] || c->now == t) continue;
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER && c->end[0][k]; ++k)
      PetscCall(put_between(c, k, t, k < RUNG_MAX_ORDER && c->end[0][k + 1] ? PETSC_TRUE : PETSC_FALSE));
    c->now = t;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsCheck(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->couplings; ++i) {
    const RungCoupledUnknown *c = &sys->form->coupling[i];

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
    const RungCoupledUnknown *c = &sys->form->coupling[i];
    const char               *name;

    PetscCall(RungFieldGetName(c->field[1], &name));
    PetscCheck(c->given[1], sys->comm, PETSC_ERR_ORDER,
               "how fast the equations change with t depends on %s of another system, which was never given; "
               "RungSystemSetCoupled(sys, \"%s\", ..) does that",
               name, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- systems that keep each other --------------------------------------------------------------------------------- */

/* *list: sys, what it reads, what that reads, each once. */
static PetscErrorCode list_read(RungSystem sys, PetscInt *n, RungSystem **list)
{
  PetscFunctionBegin;
  RungGrow(*n, *list);
  (*list)[(*n)++] = sys;
  for (PetscInt i = 0; i < *n; ++i) {
    const RungFormSide form = (*list)[i]->form;

    for (PetscInt k = 0; form && k < form->couplings; ++k) {
      PetscInt at = 0;

      while (at < *n && (*list)[at] != form->coupling[k].from) ++at;
      if (at < *n || !form->coupling[k].from) continue;
      RungGrow(*n, *list);
      (*list)[(*n)++] = form->coupling[k].from;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* outside: how many hold each system besides those of the list; one that such a system reads is held as well. */
static void count_outside(PetscInt n, RungSystem list[])
{
  for (PetscInt i = 0; i < n; ++i) list[i]->outside = list[i]->refct;
  for (PetscInt pass = 0; pass <= n; ++pass) {
    for (PetscInt i = 0; i < n; ++i) {
      const RungFormSide form = list[i]->form;

      for (PetscInt k = 0; form && k < form->couplings; ++k) {
        RungSystem from = form->coupling[k].from;

        if (from && pass == 0)
          --from->outside;
        else if (from && list[i]->outside)
          ++from->outside;
      }
    }
  }
}

PetscErrorCode RungCouplingsDrop(RungSystem sys)
{
  const RungFormSide form = sys->form;
  PetscInt           n    = 0;
  RungSystem        *list = NULL;

  PetscFunctionBegin;
  if (!form || !form->couplings) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_read(sys, &n, &list));
  count_outside(n, list);
  PetscCall(PetscFree(list));
  if (sys->outside) PetscFunctionReturn(PETSC_SUCCESS);
  ++sys->refct; /* until it has let go what reads it */
  for (PetscInt k = 0; k < form->couplings; ++k) PetscCall(RungSystemDestroy(&form->coupling[k].from));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetCoupling(RungSystem sys, PetscInt i, const char **name, RungSystem *from, PetscInt *unknown)
{
  const PetscBool there = sys && sys->form && i < sys->form->couplings ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(sys);
  *name = NULL;
  *from = there ? sys->form->coupling[i].from : NULL;
  if (there) PetscCall(RungFieldGetName(sys->form->coupling[i].field[0], name));
  if (there && unknown) *unknown = sys->form->coupling[i].unknown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingsDestroy(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->couplings; ++i) {
    PetscCall(drop_path(&form->coupling[i]));
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(RungFieldDestroy(&form->coupling[i].field[k]));
    PetscCall(RungSystemDestroy(&form->coupling[i].from));
  }
  PetscCall(PetscFree(form->coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}
