/* rates.c - have the fields under dt() the rates that it asks for? */
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
