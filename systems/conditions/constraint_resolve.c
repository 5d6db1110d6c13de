/* constraint_resolve.c - equations -> slaves with masters that are free or fixed: elimination, the same on all ranks.

   Equations are taken in the order in which they were declared.  What earlier ones have eliminated is put in; the slave
   that the equation names is eliminated next.  It may be gone already: where conditions on parts meet, or because
   Dirichlet data fix it.  Then the equation says something about what is left: the largest term is eliminated, or
   nothing is left and the data must agree, which the start checks.  A slave among its own masters is a cycle, a second
   equation of points for a slave is a contradiction: both are named. */
#include "constraint_impl.h"

#define RUNG_NOTHING 1e-12 /* of the largest coefficient: rounding */

PetscErrorCode RungSumAdd(RungSum *sum, PetscInt key, PetscReal value)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sum->n; ++i) {
    if (sum->key[i] != key) continue;
    sum->value[i] += value;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (sum->n == sum->room) {
    sum->room = sum->room ? 2 * sum->room : 2;
    PetscCall(PetscRealloc((size_t)sum->room * sizeof *sum->key, &sum->key));
    PetscCall(PetscRealloc((size_t)sum->room * sizeof *sum->value, &sum->value));
  }
  sum->key[sum->n]     = key;
  sum->value[sum->n++] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSumDestroy(RungSum *sum)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(sum->key));
  PetscCall(PetscFree(sum->value));
  sum->n = sum->room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slave_of(const struct _RungConstraints *c, PetscInt dof, PetscInt *slave)
{
  PetscFunctionBegin;
  PetscCall(PetscHMapIGet(c->index, dof, slave));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fixed_by(const struct _RungConstraints *c, PetscInt dof, PetscInt *condition)
{
  PetscFunctionBegin;
  PetscCall(PetscHMapIGet(c->fixed, dof, condition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts slaves in until there is none: sum value u_key = sum data c_key.  *through: the first equation whose slave had
   `watch` among its masters, -1 none. */
static PetscErrorCode put_in(const struct _RungConstraints *c, RungSum *terms, RungSum *data, PetscInt watch,
                             PetscInt *through)
{
  PetscFunctionBegin;
  *through = -1;
  for (PetscInt i = 0; i < terms->n;) {
    const PetscReal  value = terms->value[i];
    const RungSlave *s;
    PetscInt         slave;

    PetscCall(slave_of(c, terms->key[i], &slave));
    if (slave < 0) {
      ++i;
      continue;
    }
    s               = &c->slave[slave];
    terms->key[i]   = terms->key[--terms->n]; /* the last one comes here, the masters behind it */
    terms->value[i] = terms->value[terms->n];
    for (PetscInt j = 0; j < s->masters.n; ++j) {
      if (s->masters.key[j] == watch && *through < 0) *through = s->equation;
      PetscCall(RungSumAdd(terms, s->masters.key[j], value * s->masters.value[j]));
    }
    for (PetscInt j = 0; j < s->data.n; ++j) PetscCall(RungSumAdd(data, s->data.key[j], -value * s->data.value[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drops what has cancelled. */
static void clean(RungSum *sum, PetscReal scale)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < sum->n; ++i) {
    if (PetscAbsReal(sum->value[i]) <= RUNG_NOTHING * scale) continue;
    sum->key[n]     = sum->key[i];
    sum->value[n++] = sum->value[i];
  }
  sum->n = n;
}

/* Numbers of the whole mesh stay masters where they can: what they are given, at the start too, is meant for all that follow. */
static PetscErrorCode is_number(RungSystem sys, PetscInt dof, PetscBool *number)
{
  PetscFunctionBegin;
  *number = PETSC_FALSE;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    for (PetscInt k = 0; space->single && k < space->components; ++k) {
      if (sys->form->data->global[RungLayoutDof(sys->form->layout, f, 0, k)] == dof) *number = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define RUNG_SMALL 0.1 /* of the largest term: what is eliminated only if nothing else is there */

/* The largest term of field values that no data fix, the first of equal ones: dof numbers depend on the ranks; a number's if those of
   fields are small; -1 if all are fixed. */
static PetscErrorCode largest_free(RungSystem sys, const RungSum *terms, PetscInt *pivot)
{
  PetscReal most = 0;

  PetscFunctionBegin;
  *pivot = -1;
  for (PetscInt i = 0; i < terms->n; ++i) {
    PetscInt  condition;
    PetscBool number;
    PetscReal value;

    PetscCall(fixed_by(sys->form->constraints, terms->key[i], &condition));
    if (condition >= 0) continue;
    PetscCall(is_number(sys, terms->key[i], &number));
    value = PetscAbsReal(terms->value[i]) * (number ? RUNG_SMALL : 1);
    if (*pivot >= 0 && value <= most * (1 + 1e-8)) continue;
    *pivot = i;
    most   = value;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_pivot = - sum of the others + data.  Takes both sums. */
static PetscErrorCode eliminate(struct _RungConstraints *c, PetscInt equation, PetscInt pivot, RungSum *terms,
                                RungSum *data)
{
  const PetscReal value = terms->value[pivot];
  RungSlave      *s;

  PetscFunctionBegin;
  RungGrow(c->slaves, c->slave);
  s  = &c->slave[c->slaves];
  *s = (RungSlave){.dof = terms->key[pivot], .equation = equation};
  terms->n -= 1;
  terms->key[pivot]   = terms->key[terms->n];
  terms->value[pivot] = terms->value[terms->n];
  for (PetscInt i = 0; i < terms->n; ++i) terms->value[i] /= -value;
  for (PetscInt i = 0; i < data->n; ++i) data->value[i] /= value;
  s->masters = *terms;
  s->data    = *data;
  PetscCall(PetscHMapISet(c->index, s->dof, c->slaves++));
  *terms = *data = (RungSum){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is left to eliminate: kept for the start, if it says anything. */
static PetscErrorCode keep_check(struct _RungConstraints *c, PetscInt equation, PetscInt slave, RungSum *terms,
                                 RungSum *data)
{
  PetscInt condition = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < terms->n && condition < 0; ++i) PetscCall(fixed_by(c, terms->key[i], &condition));
  RungGrow(c->checks, c->check);
  c->check[c->checks++] = (RungCheck){.equation = equation,
                                      .other    = condition >= 0 ? -1 - condition
                                                  : slave >= 0   ? c->slave[slave].equation
                                                                 : equation,
                                      .fixed    = *terms,
                                      .data     = *data};
  *terms = *data = (RungSum){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *label_of(const struct _RungConstraints *c, PetscInt equation)
{
  return c->condition[c->equations.condition[equation]].label;
}

/* Names the place of an equation, as far as it has one. */
static PetscErrorCode place_of(RungSystem sys, PetscInt equation, char place[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(RungPlaceToText(RungSystemDim(sys), &sys->form->constraints->equations.x[3 * equation], place, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equations that name their slave: a cycle, a second one for a slave, one for a dof that Dirichlet data fix. */
static PetscErrorCode check_named(RungSystem sys, PetscInt e, PetscInt slave, PetscInt through, PetscInt pivot)
{
  struct _RungConstraints *c = sys->form->constraints;
  const RungAffine        *a = &c->condition[c->equations.condition[e]];
  PetscInt                 condition;
  char                     place[256];

  PetscFunctionBegin;
  PetscCall(place_of(sys, e, place, sizeof place));
  /* a relation between parts that others have made already says nothing new */
  PetscCheck(through < 0 || (pivot < 0 && a->text->kind != RUNG_CONSTRAINT_POINTS), sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s and %s make a cycle at %s: a dof would be its own master; take one of them away", label_of(c, e),
             label_of(c, PetscMax(0, through)), place);
  PetscCheck(slave < 0 || pivot < 0 || a->text->kind != RUNG_CONSTRAINT_POINTS, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s and %s meet at %s: one dof cannot be the slave of both; leave it out of one part", label_of(c, e),
             label_of(c, slave < 0 ? e : c->slave[slave].equation), place);
  PetscCall(fixed_by(c, c->equations.dof[c->equations.start[e]], &condition));
  PetscCheck(condition < 0 || pivot < 0, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s and %s meet at %s: what is given there cannot follow masters that are free; give the masters too, or "
             "take one of them away",
             label_of(c, e), RungDirichletLabel(sys, PetscMax(0, condition)), place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is left of u.n = c is less than the normal is sure of: no more of it is free than an error of the direction. */
static PetscErrorCode check_doubt(const struct _RungConstraints *c, PetscInt e, const RungSum *terms, PetscBool *vain)
{
  const PetscReal doubt  = c->condition[c->equations.condition[e]].doubt;
  PetscReal       square = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < terms->n; ++i) {
    PetscInt condition;

    PetscCall(fixed_by(c, terms->key[i], &condition));
    if (condition < 0) square += PetscSqr(terms->value[i]);
  }
  *vain = square <= PetscSqr(doubt) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads equation e into terms and data, and hands them on or leaves them to the caller. */
static PetscErrorCode take_sums(RungSystem sys, PetscInt e, RungSum *terms, RungSum *data)
{
  struct _RungConstraints *c     = sys->form->constraints;
  const RungEquations     *list  = &c->equations;
  const PetscInt           named = list->dof[list->start[e]];
  const PetscBool slip = c->condition[list->condition[e]].text->kind == RUNG_CONSTRAINT_SLIP ? PETSC_TRUE : PETSC_FALSE;
  PetscReal       scale = 0;
  PetscInt        slave = -1, through, pivot;
  PetscBool       vain  = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = list->start[e]; i < list->start[e + 1]; ++i) {
    PetscCall(RungSumAdd(terms, list->dof[i], list->coefficient[i]));
    scale = PetscMax(scale, PetscAbsReal(list->coefficient[i]));
  }
  PetscCall(RungSumAdd(data, e, 1));
  PetscCall(slave_of(c, named, &slave));
  PetscCall(put_in(c, terms, data, slip || slave >= 0 ? -1 : named, &through));
  clean(terms, scale);
  PetscCall(largest_free(sys, terms, &pivot));
  if (!slip) PetscCall(check_named(sys, e, slave, through, pivot));
  for (PetscInt i = 0; i < terms->n && !slip && slave < 0 && pivot >= 0; ++i) {
    if (terms->key[i] == named) pivot = i;
  }
  if (slip && pivot >= 0) PetscCall(check_doubt(c, e, terms, &vain));
  if (vain) PetscFunctionReturn(PETSC_SUCCESS);
  if (pivot < 0)
    PetscCall(keep_check(c, e, slave, terms, data));
  else
    PetscCall(eliminate(c, e, pivot, terms, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take(RungSystem sys, PetscInt e)
{
  RungSum terms = {0}, data = {0};

  PetscFunctionBegin;
  RungCallFinally(take_sums(sys, e, &terms, &data), PetscCall(RungSumDestroy(&terms));
                  PetscCall(RungSumDestroy(&data)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which of the dofs in equations Dirichlet data fix: every owner tells all. */
static PetscErrorCode find_fixed(RungSystem sys)
{
  struct _RungConstraints *c    = sys->form->constraints;
  const RungLayoutData    *data = sys->form->data;
  PetscInt                 n    = c->equations.terms, *dof, *condition;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &dof));
  PetscCall(PetscArraycpy(dof, c->equations.dof, n));
  PetscCall(PetscSortRemoveDupsInt(&n, dof));
  PetscCall(PetscMalloc1(n, &condition));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt local = dof[i] - data->start;

    condition[i] = local >= 0 && local < data->owned ? RungDirichletOf(sys, local) : -1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, condition, (PetscMPIInt)n, MPIU_INT, MPI_MAX, sys->comm));
  for (PetscInt i = 0; i < n; ++i) {
    if (condition[i] >= 0) PetscCall(PetscHMapISet(c->fixed, dof[i], condition[i]));
  }
  PetscCall(PetscFree(dof));
  PetscCall(PetscFree(condition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsResolve(RungSystem sys)
{
  struct _RungConstraints *c = sys->form->constraints;

  PetscFunctionBegin;
  PetscCall(PetscHMapICreate(&c->index));
  PetscCall(PetscHMapICreate(&c->fixed));
  PetscCall(find_fixed(sys));
  for (PetscInt e = 0; e < c->equations.n; ++e) PetscCall(take(sys, e));
  /* later equations have eliminated masters of earlier slaves; no cycle is left, so this ends */
  for (PetscInt s = 0; s < c->slaves; ++s) {
    RungSlave *slave = &c->slave[s];
    PetscInt   through;

    for (PetscInt i = 0; i < slave->data.n; ++i) slave->data.value[i] *= -1;
    PetscCall(put_in(c, &slave->masters, &slave->data, -1, &through));
    for (PetscInt i = 0; i < slave->data.n; ++i) slave->data.value[i] *= -1;
    clean(&slave->masters, 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
