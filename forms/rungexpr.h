/* rungexpr.h - expressions as others hold them: the scope that knows their names, a node, the kinds of norms. */
#pragma once

#include <rungfe.h>

typedef struct _p_RungScope *RungScope; /* names, and the nodes they stand for */

/* A node of a scope, passed by value, so that expressions nest like mathematics.  An ill-formed one stands for its first
   error, which the scope keeps: node < 0 says so, operators hand it on, and RungExprCheck and all that takes an
   expression raise it.  node = RUNG_NO_EXPR is nothing, the empty sum: neutral in sums, nothing again in products. */
typedef struct {
  RungScope scope; /* lent: it must outlive the expression */
  PetscInt  node;
} RungExpr;
#define RUNG_NO_EXPR (-2)

#define RUNG_MAX_ORDER    2 /* time derivatives u, u', u'' */
#define RUNG_MAX_UNKNOWNS 32

typedef enum { RUNG_NORM_L2, RUNG_NORM_H1, RUNG_NORM_H1_SEMI, RUNG_NORM_MAX } RungNormType;
