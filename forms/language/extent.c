/* extent.c - the measure of what an integral runs over, for means. */
#include "scope_impl.h"

RungExpr RungExtent(RungExpr integral)
{
  RungScope       scope = integral.scope;
  const RungNode *node;
  const char     *part;
  RungExpr        one;

  if (!scope || integral.node < 0) return integral;
  node = RungScopeNode(scope, integral.node);
  if (node->op != RUNG_OP_INTEGRAL) {
    RungExpr bad = integral;

    (void)RungScopeFail(scope, &bad.node, "a mean is taken of one integral over one part, as in u[0]*ds(pin); found %s",
                        node->integral ? "a sum of integrals" : "an expression without dx or ds");
    return bad;
  }
  part = node->index[2] >= 0 ? RungScopeString(scope, node->index[2]) : NULL;
  one  = RungNumber(scope, 1);
  return RungIntegrate(one, (RungDomain)node->index[0], part, 0);
}
