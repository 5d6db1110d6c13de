/* explicit.c - explicit(..) in a residual: the same without the word, what stands outside, what stands inside. */
#include <rungown_room.h>
#include "scope_impl.h"

enum { WHOLE, OUTSIDE, INSIDE };

/* Part `which` of a (sum of) integral(s); RUNG_NO_EXPR: it has none.  As deep as derivatives of integrals are nested. */
static PetscErrorCode take_part(RungScope scope, PetscInt node, int which, PetscInt *part)
{
  const RungNode *a = RungScopeNode(scope, node);
  PetscInt       *arg, n = 0;

  PetscFunctionBegin;
  *part = which == INSIDE ? RUNG_NO_EXPR : node;
  if (!(a->depends & RUNG_ON_EXPLICIT)) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->op == RUNG_OP_EXPLICIT) {
    *part = which == OUTSIDE ? RUNG_NO_EXPR : a->arg[0];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(a->args, &arg));
  for (PetscInt i = 0; i < a->args; ++i) {
    arg[n] = a->arg[i];
    if (RungScopeNode(scope, a->arg[i])->integral) PetscCall(take_part(scope, a->arg[i], which, &arg[n]));
    if (arg[n] != RUNG_NO_EXPR) ++n;
  }
  if (!n || (a->op != RUNG_OP_SUM && n < a->args)) /* of what is left of a derivative there is nothing to derive */
    *part = RUNG_NO_EXPR;
  else if (a->op == RUNG_OP_SUM)
    PetscCall(RungNodeSumIntegrals(scope, n, arg, part));
  else
    PetscCall(RungNodeApply(scope, a->op, n, arg, a->index, part));
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprSplitExplicit(RungExpr residual, RungExpr *whole, RungExpr *outside, RungExpr *inside)
{
  RungExpr *const part[] = {whole, outside, inside};

  PetscFunctionBegin;
  PetscCall(RungExprCheck(residual));
  for (int which = WHOLE; which <= INSIDE; ++which) {
    part[which]->scope = residual.scope;
    PetscCall(take_part(residual.scope, residual.node, which, &part[which]->node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprCheckExplicit(RungExpr residual, PetscInt f, const char why[])
{
  RungScope           scope = residual.scope;
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n, bad = -1;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(residual));
  PetscCall(RungNodeReach(scope, residual.node, &n, &nodes));
  for (PetscInt i = 0; i < n && bad < 0; ++i) {
    RUNG_FREE PetscInt *inside = NULL;
    PetscInt            m;

    if (RungScopeNode(scope, nodes[i])->op != RUNG_OP_EXPLICIT) continue;
    PetscCall(RungNodeReach(scope, nodes[i], &m, &inside));
    for (PetscInt j = 0; j < m; ++j) {
      const RungNode *a = RungScopeNode(scope, inside[j]);

      if (a->op == RUNG_OP_TEST && a->index[0] == f) bad = nodes[i];
    }
  }
  if (bad >= 0) {
    PetscCall(RungScopeRaise(scope, bad, PETSC_ERR_USER_INPUT,
                             "explicit() around a term of the equation of \"%s\", %s; leave it outside",
                             RungScopeUnknownName(scope, f), why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
