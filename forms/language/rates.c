/* rates.c - have the fields under dt() the rates that it asks for?  How many are asked for of a constant? */
#include "scope_impl.h"

/* A field below root that has fewer rates than there are dt() around it, level of them around root; -1: none.  seen[node]:
   the most that was looked at. */
static PetscErrorCode find_rateless(RungScope scope, PetscInt root, unsigned char level, unsigned char seen[],
                                    PetscInt *found)
{
  const RungNode *a = RungScopeNode(scope, root);
  PetscInt        rate;

  PetscFunctionBegin;
  *found = -1;
  if (!(a->depends & RUNG_ON_FIELD) || seen[root] >= level) PetscFunctionReturn(PETSC_SUCCESS);
  seen[root] = level;
  rate       = a->op == RUNG_OP_FIELD ? a->index[0] : -1;
  for (unsigned char k = 0; k < level && rate >= 0; ++k) {
    PetscCall(RungScopeFieldRate(scope, rate, &rate));
    if (rate < 0) *found = root;
  }
  if (a->op == RUNG_OP_DT) ++level;
  for (PetscInt i = 0; i < a->args && *found < 0; ++i) PetscCall(find_rateless(scope, a->arg[i], level, seen, found));
  if (a->op == RUNG_OP_VARIABLE && *found < 0)
    PetscCall(find_rateless(scope, RungScopeVariableValue(scope, a->index[0]), level, seen, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRatesCheck(RungScope scope, const RungNode *r, PetscInt *bad)
{
  unsigned char *seen;
  PetscInt       found;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->arg[0] + 1, &seen));
  PetscCall(find_rateless(scope, r->arg[0], 1, seen, &found));
  PetscCall(PetscFree(seen));
  if (found >= 0) {
    PetscCall(RungScopeFail(scope, bad,
                            "dt() of the field \"%s\", which has no time derivative; RungFieldSetRate says which field "
                            "is its rate, or write it as data of x and t, or as a table",
                            RungScopeFieldName(scope, RungScopeNode(scope, found)->index[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rates: the most dt() that a constant was found under, level of them around root.  seen[node]: 1 + the most that was looked at. */
static void find_constant(RungScope scope, PetscInt root, PetscInt constant, PetscInt level, PetscInt seen[],
                          PetscInt *rates)
{
  const RungNode *a = RungScopeNode(scope, root);

  if (!(a->depends & RUNG_ON_CONSTANT) || seen[root] > level) return;
  seen[root] = level + 1;
  if (a->op == RUNG_OP_CONSTANT && a->index[0] == constant) *rates = PetscMax(*rates, level);
  if (a->op == RUNG_OP_DT) ++level;
  for (PetscInt i = 0; i < a->args; ++i) find_constant(scope, a->arg[i], constant, level, seen, rates);
  if (a->op == RUNG_OP_VARIABLE)
    find_constant(scope, RungScopeVariableValue(scope, a->index[0]), constant, level, seen, rates);
}

PetscErrorCode RungExprConstantRates(RungExpr a, const char name[], PetscInt *rates)
{
  const RungNameEntry *entry = RungScopeFind(a.scope, name, strlen(name));
  PetscInt            *seen;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(a));
  *rates = -1;
  if (!entry || entry->kind != RUNG_NAME_CONSTANT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(a.node + 1, &seen));
  find_constant(a.scope, a.node, entry->index, 0, seen, rates);
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}
