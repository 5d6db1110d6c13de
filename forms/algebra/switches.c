/* switches.c - what of an expression changes at certain times, and these times.

   A decision of t alone (t < 5, the row of a table at t, the sign in abs(t - 5)) has one value on each side of a switch.  A
   step that ends or begins at a switch has to see the value of its own side.  So the t in a decision is replaced by

       side = min(to, max(from, t)),

   where from and to are two hidden constants of the scope, just inside of the step (RungScopeSetStep); outside of steps they
   are infinite in effect.  A table becomes the polynomial of the piece that `side` is in,

       T(a(side)) + d (T'(a(side)) + d (T''(a(side))/2 + d T'''(a(side))/6)),   d = a(t) - a(side),

   which is exact however far t is from side.  A step that holds a switch in its middle sees both sides, as they are written.
   Kernels stay as they are when the step changes: constants are their arguments.

   Switches are found by looking: the decisions are evaluated at SAMPLES times, and where one has changed the place is
   bisected to neighbouring numbers. */
#include <rungown_room.h>
#include "scope_impl.h"
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 64
#define DIGITS  4 /* units in the last place within which a switch is taken for the decimal number nearby */

typedef struct {
  RungPointwise value; /* owned                                                                            */
  PetscInt      table; /* value is its argument and the row decides; -1: value itself decides              */
} Decision;

struct _p_RungSwitches {
  RungScope scope; /* referenced                                                                           */
  PetscInt  n;
  Decision *decision; /* owned, [n]                                                                        */
  PetscInt *node;     /* owned, [n] of which it was made                                                   */
};

PetscErrorCode RungScopeSetStep(RungScope scope, PetscReal from, PetscReal to)
{
  PetscFunctionBegin;
  RungNeed(scope);
  scope->value.entry[RUNG_STEP_FROM] = from;
  scope->value.entry[RUNG_STEP_TO]   = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesCreate(RungScope scope, RungSwitches *switches)
{
  PetscFunctionBegin;
  RungNeed(scope);
  PetscCall(PetscNew(switches));
  PetscCall(RungScopeReference(scope));
  (*switches)->scope = scope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesDestroy(RungSwitches *switches)
{
  RungSwitches s = *switches;

  PetscFunctionBegin;
  *switches = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < s->n; ++i) PetscCall(RungPointwiseDestroy(&s->decision[i].value));
  PetscCall(PetscFree(s->decision));
  PetscCall(PetscFree(s->node));
  PetscCall(RungScopeDestroy(&s->scope));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the expression of one side ----------------------------------------------------------------------------------- */

static PetscErrorCode make_side(RungScope scope, PetscInt *time, PetscInt *side)
{
  PetscInt pair[2];

  PetscFunctionBegin;
  PetscCall(RungNodeTerminal(scope, RUNG_OP_TIME, -1, time));
  PetscCall(RungNodeTerminal(scope, RUNG_OP_CONSTANT, RUNG_STEP_FROM, &pair[0]));
  pair[1] = *time;
  PetscCall(RungNodeCall(scope, RUNG_OP_MAX, 2, pair, side));
  PetscCall(RungNodeTerminal(scope, RUNG_OP_CONSTANT, RUNG_STEP_TO, &pair[0]));
  pair[1] = *side;
  PetscCall(RungNodeCall(scope, RUNG_OP_MIN, 2, pair, side));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool decides(RungOp op)
{
  switch (op) {
  case RUNG_OP_LT:
  case RUNG_OP_LE:
  case RUNG_OP_GT:
  case RUNG_OP_GE:
  case RUNG_OP_EQ:
  case RUNG_OP_NE:
  case RUNG_OP_MIN:
  case RUNG_OP_MAX:
  case RUNG_OP_ABS:
  case RUNG_OP_SIGN:
  case RUNG_OP_TABLE: return PETSC_TRUE;
  default: return PETSC_FALSE;
  }
}

/* A decision whose operands are functions of t and of constants; not under dt(), where `side` would have no rate. */
static PetscErrorCode of_time_alone(RungScope scope, PetscInt node, PetscBool *yes)
{
  const RungNode     *a = RungScopeNode(scope, node);
  PetscInt            n;
  RUNG_FREE PetscInt *nodes = NULL;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  if (!decides(a->op) || a->rank || a->integral || a->arity || !(a->depends & RUNG_ON_TIME) ||
      a->depends & ~(unsigned)(RUNG_ON_TIME | RUNG_ON_CONSTANT))
    PetscFunctionReturn(PETSC_SUCCESS);
  *yes = PETSC_TRUE;
  PetscCall(RungNodeReach(scope, node, &n, &nodes));
  for (PetscInt i = 0; i < n; ++i) {
    const RungOp op = RungScopeNode(scope, nodes[i])->op;

    if (op == RUNG_OP_DT || op == RUNG_OP_VARIABLE || op == RUNG_OP_DIFF) *yes = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call(RungScope scope, RungOp op, PetscInt a, PetscInt b, PetscInt *node)
{
  const PetscInt pair[2] = {a, b};

  PetscFunctionBegin;
  PetscCall(RungNodeCall(scope, op, 2, pair, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The polynomial of the table at `side`, for an argument that is `moving` at t and `held` at side. */
static PetscErrorCode expand_table(RungScope scope, const RungNode *a, PetscInt moving, PetscInt held, PetscInt *node)
{
  const PetscInt table      = (PetscInt)RungScopeNode(scope, a->arg[1])->number;
  const PetscInt derivative = (PetscInt)RungScopeNode(scope, a->arg[2])->number;
  const PetscInt degree     = scope->table.entry[table].cubic ? 3 : 1;
  PetscInt       d, minus, sum, factor;

  PetscFunctionBegin;
  PetscCall(RungNodeCall(scope, RUNG_OP_NEG, 1, &held, &minus));
  PetscCall(call(scope, RUNG_OP_ADD, moving, minus, &d));
  PetscCall(RungNodeTable(scope, table, held, degree, &sum));
  for (PetscInt k = degree - 1; k >= derivative; --k) {
    PetscInt term;

    PetscCall(RungNodeNumber(scope, 1 / (PetscReal)(k + 1 - derivative), &factor));
    PetscCall(call(scope, RUNG_OP_MUL, factor, d, &factor));
    PetscCall(call(scope, RUNG_OP_MUL, factor, sum, &sum));
    PetscCall(RungNodeTable(scope, table, held, k, &term));
    PetscCall(call(scope, RUNG_OP_ADD, term, sum, &sum));
  }
  *node = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The decision that a stands for, in terms of any time: `first` and `second` are its operands at that time. */
static PetscErrorCode decision_of(RungScope scope, const RungNode *a, PetscInt first, PetscInt second, PetscInt *node)
{
  PetscInt zero;

  PetscFunctionBegin;
  switch (a->op) {
  case RUNG_OP_TABLE: *node = first; break;
  case RUNG_OP_ABS:
  case RUNG_OP_SIGN:
    PetscCall(RungNodeNumber(scope, 0, &zero));
    PetscCall(call(scope, RUNG_OP_GT, first, zero, node));
    break;
  case RUNG_OP_MIN: PetscCall(call(scope, RUNG_OP_LE, first, second, node)); break;
  case RUNG_OP_MAX: PetscCall(call(scope, RUNG_OP_GE, first, second, node)); break;
  default: PetscCall(RungNodeApply(scope, a->op, a->args, (PetscInt[2]){first, second}, a->index, node)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node a, whose operands at t are map[], with its decision at `side`. */
static PetscErrorCode take_side(RungScope scope, PetscInt node, PetscInt time, PetscInt side, const PetscInt map[],
                                PetscInt *to)
{
  const RungNode *a       = RungScopeNode(scope, node);
  PetscInt        held[2] = {-1, -1}, moving[2] = {-1, -1}, decision;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(2, a->args); ++i) {
    moving[i] = map[a->arg[i]];
    PetscCall(RungNodeSubstitute(scope, a->arg[i], time, side, PETSC_FALSE, &held[i]));
  }
  if (a->op == RUNG_OP_TABLE) {
    PetscCall(expand_table(scope, a, moving[0], held[0], to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(decision_of(scope, a, held[0], held[1], &decision));
  *to = decision;
  if (a->op == RUNG_OP_SIGN) {
    PetscCall(RungNodeNumber(scope, 1, &moving[0]));
    PetscCall(RungNodeNumber(scope, -1, &moving[1]));
  } else if (a->op == RUNG_OP_ABS) {
    PetscCall(RungNodeCall(scope, RUNG_OP_NEG, 1, &moving[0], &moving[1]));
  } else if (a->op != RUNG_OP_MIN && a->op != RUNG_OP_MAX)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNodeCall(scope, RUNG_OP_IF, 3, (PetscInt[3]){decision, moving[0], moving[1]}, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_decision(RungSwitches s, PetscInt node)
{
  RungScope       scope = s->scope;
  const RungNode *a     = RungScopeNode(scope, node);
  Decision        decision;
  PetscInt        value;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; ++i) {
    if (s->node[i] == node) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(decision_of(scope, a, a->arg[0], a->args > 1 ? a->arg[1] : -1, &value));
  decision.table = a->op == RUNG_OP_TABLE ? (PetscInt)RungScopeNode(scope, a->arg[1])->number : -1;
  PetscCall(RungPointwiseCreate((RungExpr){scope, value}, &decision.value));
  PetscCall(PetscRealloc((size_t)(s->n + 1) * sizeof *s->decision, &s->decision));
  PetscCall(PetscRealloc((size_t)(s->n + 1) * sizeof *s->node, &s->node));
  s->decision[s->n] = decision;
  s->node[s->n++]   = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesTake(RungSwitches s, RungExpr *expr)
{
  RungScope           scope;
  RUNG_FREE PetscInt *nodes = NULL, *map = NULL;
  PetscInt            n, time, side, root;

  PetscFunctionBegin;
  RungNeed(s);
  PetscCall(RungExprCheck(*expr));
  scope = s->scope;
  PetscCheck(expr->scope == scope, RungScopeComm(scope), PETSC_ERR_ARG_WRONG,
             "switches of an expression of another scope");
  PetscCall(make_side(scope, &time, &side));
  root = expr->node;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  PetscCall(PetscMalloc1(root + 1, &map));
  for (PetscInt i = 0, bad = 0; i < n && !bad; ++i) {
    const PetscInt k = nodes[i];
    PetscBool      alone;

    PetscCall(of_time_alone(scope, k, &alone));
    if (alone) {
      PetscCall(add_decision(s, k));
      PetscCall(take_side(scope, k, time, side, map, &map[k]));
    } else
      PetscCall(RungNodeRebuild(scope, k, map, &map[k]));
    if (map[k] < 0) {
      map[root] = map[k];
      bad       = 1;
    }
  }
  expr->node = map[root];
  PetscCall(RungExprCheck(*expr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- times -------------------------------------------------------------------------------------------------------- */

/* The row before x of a table, -1 in front of it, n - 1 behind it. */
static PetscInt row_of(const double table[], double x)
{
  const PetscInt n    = (PetscInt)table[0];
  const double  *knot = table + 1;
  PetscInt       low = -1, high = n;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;

    if (x < knot[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

static PetscErrorCode evaluate(RungSwitches s, const Decision *d, PetscReal t, PetscReal *value)
{
  const PetscReal x[3] = {0, 0, 0};
  PetscScalar     out;

  PetscFunctionBegin;
  PetscCall(RungPointwiseEvaluate(d->value, t, 1, x, &out));
  *value = PetscRealPart(out);
  if (d->table >= 0) *value = (PetscReal)row_of(RungScopeTables(s->scope)[d->table], (double)*value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesDiffer(RungSwitches s, PetscReal t0, PetscReal t1, PetscBool *differ)
{
  PetscFunctionBegin;
  RungNeed(s);
  *differ = PETSC_FALSE;
  for (PetscInt i = 0; i < s->n && !*differ; ++i) {
    PetscReal before, after;

    PetscCall(evaluate(s, &s->decision[i], t0, &before));
    PetscCall(evaluate(s, &s->decision[i], t1, &after));
    if (before != after) *differ = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of 15 digits that is as good as t: people write decimals. */
static PetscReal as_decimal(PetscReal t)
{
  char      text[40];
  PetscReal near;

  (void)snprintf(text, sizeof text, "%.15g", (double)t);
  near = (PetscReal)strtod(text, NULL);
  return PetscAbsReal(near - t) <= DIGITS * PETSC_MACHINE_EPSILON * PetscAbsReal(t) ? near : t;
}

/* The first change of one decision in (t0, t1), t1 where there is none. */
static PetscErrorCode find_first(RungSwitches s, const Decision *d, PetscReal t0, PetscReal t1, PetscReal *t)
{
  PetscReal low = t0, high = t1, before, after = 0;

  PetscFunctionBegin;
  *t = t1;
  PetscCall(evaluate(s, d, t0, &before));
  for (PetscInt i = 1; i <= SAMPLES; ++i) {
    high = i < SAMPLES ? t0 + (t1 - t0) * (PetscReal)i / SAMPLES : t1;
    PetscCall(evaluate(s, d, high, &after));
    if (after != before) break;
    low = high;
  }
  if (after == before) PetscFunctionReturn(PETSC_SUCCESS);
  for (;;) {
    const PetscReal middle = low + (high - low) / 2;

    if (middle <= low || middle >= high) break;
    PetscCall(evaluate(s, d, middle, &after));
    if (after == before)
      low = middle;
    else
      high = middle;
  }
  *t = PetscMin(t1, as_decimal(high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesNext(RungSwitches s, PetscReal t0, PetscReal t1, PetscReal *t)
{
  PetscReal end = t1;

  PetscFunctionBegin;
  RungNeed(s);
  for (PetscInt i = 0; i < s->n && end > t0; ++i) {
    PetscReal one;

    PetscCall(find_first(s, &s->decision[i], t0, end, &one));
    if (one > t0) end = one;
  }
  *t = end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSwitchesGetCount(RungSwitches s, PetscInt *n)
{
  PetscFunctionBegin;
  RungNeed(s);
  *n = s->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
