/* singular.c - which expression of a form is not finite at a place: the innermost one, its operands, their values.

   The search goes from the integrand inwards.  A node is looked at by evaluating it at the place where the result was not
   finite; of a Jacobian, and below derive(), grad() and dt(), with its derivatives by the unknowns, so that the root that is 0
   where its slope is not finite is found too.  The search follows an operand that is bad itself; where there is none, the
   operator is to blame.  A branch of if() that is not taken spoils nothing and is not entered. */
#include "scalar_impl.h"

#include "kernel_impl.h"
#include <math.h>
#include <stdlib.h>
#include <rungtext_room.h>

#define MOST_ORDER 2 /* derivatives of derivatives: entries grow with each */

typedef struct {
  RungForm            form;
  const RungOnePlace *place;
  RungDag             dag;
} Search;

/* ---- values at the place ---------------------------------------------------------------------------------------------- */

/* An integral of a scalar over the place: of rank 0, with its plan; NULL where it cannot be evaluated by itself. */
static PetscErrorCode plan_of(const Search *s, RungScalar scalar, RungIntegral *integral, RungPlan *plan)
{
  const RungIntegral *like = s->place->batches->plan->integral;

  PetscFunctionBegin;
  *plan     = NULL;
  *integral = (RungIntegral){.domain = like->domain, .part = like->part, .degree = like->degree};
  if (s->dag->node[scalar].uses & (1u << RUNG_IN_TEST | 1u << RUNG_IN_VARIABLE | 1u << RUNG_IN_OPERAND))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTapeCreate(s->dag, 1, &scalar, &integral->tape));
  PetscCall(RungPlanCreate(integral, s->form->expr.scope, s->form->layout, plan));
  (*plan)->isa = s->form->options.isa;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integral at the place; q >= 0: of the value at that point alone. */
static PetscErrorCode run_plan(const Search *s, RungPlan plan, PetscInt q, double *value)
{
  const PetscInt n = plan->sides * plan->points;
  RungKernelArgs args;
  RungKernel     kernel;
  double        *weight, *memory, *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &weight));
  PetscCall(PetscArraycpy(weight, plan->weight, n));
  for (PetscInt k = 0; k < n && q >= 0; ++k) plan->weight[k] = k % plan->points == q ? weight[k] : 0;
  PetscCall(RungOnePlaceGather(s->place, plan, &args, &memory));
  PetscCall(RungAlignedAlloc(RUNG_BATCH, &out));
  PetscCall(RungKernelCreateInterpreter(plan, 1, &kernel));
  args.out = out;
  kernel->run(kernel, &args);
  *value = out[0];
  PetscCall(RungKernelDestroy(&kernel));
  PetscCall(PetscArraycpy(plan->weight, weight, n));
  PetscCall(PetscFree(weight));
  free(memory);
  free(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_finite(const Search *s, RungScalar scalar, PetscBool *finite)
{
  RungIntegral integral;
  RungPlan     plan;
  double       value = 0;

  PetscFunctionBegin;
  PetscCall(plan_of(s, scalar, &integral, &plan));
  if (plan) PetscCall(run_plan(s, plan, -1, &value));
  *finite = isfinite(value) ? PETSC_TRUE : PETSC_FALSE;
  if (plan) PetscCall(RungPlanDestroy(&plan));
  PetscCall(RungTapeDestroy(&integral.tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a point a finite value is the integral of its square by that of itself, whatever the measure there is. */
static PetscErrorCode value_at(const Search *s, RungScalar scalar, PetscInt q, double *value)
{
  const RungScalar power[2] = {scalar, RungDagMul(s->dag, scalar, scalar)};
  double           sum[2]   = {0, 0};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungIntegral integral;
    RungPlan     plan;

    PetscCall(plan_of(s, power[i], &integral, &plan));
    if (plan) PetscCall(run_plan(s, plan, q, &sum[i]));
    if (plan) PetscCall(RungPlanDestroy(&plan));
    PetscCall(RungTapeDestroy(&integral.tape));
  }
  *value = sum[0] != 0 ? sum[1] / sum[0] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------ */

/* The sum of all derivatives of n scalars by unknowns, once more for every order. */
static PetscErrorCode derivatives(const Search *s, PetscInt n, const RungScalar from[], int order, RungScalar *sum)
{
  const RungWhich which = {1u << RUNG_IN_UNKNOWN, -1, -1};
  RungScalar     *input, *entry;
  PetscInt        inputs;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) *sum = RungDagAdd(s->dag, *sum, from[i]);
  if (!order) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagJacobian(s->dag, n, from, s->dag->one, &which, PETSC_TRUE, &inputs, &input, &entry));
  if (inputs) PetscCall(derivatives(s, n * inputs, entry, order - 1, sum));
  PetscCall(PetscFree(input));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_point_value(const Search *s, PetscInt id)
{
  const RungNode *node = RungScopeNode(s->dag->scope, id);

  return !node->integral && !node->arity ? PETSC_TRUE : PETSC_FALSE;
}

/* Is the node not finite here, or a derivative of it up to the order? */
static PetscErrorCode is_bad(const Search *s, PetscInt id, int order, PetscBool *bad)
{
  const RungScalar *component;
  RungScalar        sum = s->dag->zero;
  PetscInt          n;
  PetscBool         finite = PETSC_TRUE;

  PetscFunctionBegin;
  *bad = PETSC_FALSE;
  if (!is_point_value(s, id)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagExpand(s->dag, id, &n, &component));
  PetscCall(derivatives(s, n, component, order, &sum));
  PetscCall(is_finite(s, sum, &finite));
  if (finite && (RungScopeNode(s->dag->scope, id)->depends & RUNG_ON_UNKNOWN) &&
      s->place->batches->plan->integral->domain == RUNG_INTERIOR_FACETS) {
    PetscCall(RungDagMinus(s->dag, 1, &sum, &sum));
    PetscCall(is_finite(s, sum, &finite));
  }
  *bad = finite ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A test function by something that is 0. */
static PetscErrorCode is_bad_inverse(const Search *s, PetscInt id, int order, PetscBool *bad)
{
  const RungScalar *divisor;
  RungScalar        inverse, sum = s->dag->zero;
  PetscBool         finite;

  PetscFunctionBegin;
  PetscCall(RungDagExpand(s->dag, id, NULL, &divisor));
  inverse = RungDagDiv(s->dag, s->dag->one, divisor[0]);
  PetscCall(derivatives(s, 1, &inverse, order, &sum));
  PetscCall(is_finite(s, sum, &finite));
  *bad = finite ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool differentiates(RungOp op)
{
  return op == RUNG_OP_GRAD || op == RUNG_OP_DIVERGENCE || op == RUNG_OP_CURL || op == RUNG_OP_DT ||
             op == RUNG_OP_DERIVE
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* A term with test functions, or integrals: it has no value of its own. */
static PetscBool holds(const Search *s, PetscInt id)
{
  return is_point_value(s, id) ? PETSC_FALSE : PETSC_TRUE;
}

/* The integral is one of the place, or what is below may be. */
static PetscBool is_here(const Search *s, const RungNode *node)
{
  const RungIntegral *here = s->place->batches->plan->integral;
  const char         *part = "";

  if (node->op != RUNG_OP_INTEGRAL) return PETSC_TRUE;
  if (node->index[2] >= 0) part = RungScopeString(s->dag->scope, node->index[2]);
  return node->index[0] == (PetscInt)here->domain && !strcmp(part, here->part) ? PETSC_TRUE : PETSC_FALSE;
}

/* Goes on from a node that is bad, or holds one that is: the innermost, or -1. */
static PetscErrorCode descend(const Search *s, PetscInt id, int order, PetscInt *culprit, int *at)
{
  const RungNode node  = *RungScopeNode(s->dag->scope, id);
  const int      below = PetscMin(order + (differentiates(node.op) ? 1 : 0), MOST_ORDER);
  PetscBool      bad;

  PetscFunctionBegin;
  *culprit = -1;
  if (!is_here(s, &node)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = node.args - 1; i >= 0 && *culprit < 0; --i) { /* a divisor before what is divided */
    PetscCall(is_bad(s, node.arg[i], below, &bad));
    if (node.op == RUNG_OP_DIFF || RungScopeNode(s->dag->scope, node.arg[i])->op == RUNG_OP_VARIABLE) continue;
    if (bad || holds(s, node.arg[i])) PetscCall(descend(s, node.arg[i], below, culprit, at));
  }
  if (*culprit >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_bad(s, id, order, &bad));
  if (node.op == RUNG_OP_DIV && node.arity) PetscCall(is_bad_inverse(s, node.arg[1], order, &bad));
  if (bad) *culprit = id;
  if (bad) *at = order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is said ----------------------------------------------------------------------------------------------------- */

/* The point of the rule where the operator fails; else the one where its last operand is nearest to 0. */
static PetscErrorCode worst_point(const Search *s, const RungNode *node, PetscInt n, double value[3])
{
  const PetscInt points = s->place->batches->plan->points;
  double         least  = PETSC_MAX_REAL;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < points; ++q) {
    double v[3] = {1, 1, 1}, r = 0;

    for (PetscInt i = 0; i < n; ++i) {
      const RungScalar *component;

      if (!is_point_value(s, node->arg[i])) continue;
      PetscCall(RungDagExpand(s->dag, node->arg[i], NULL, &component));
      PetscCall(value_at(s, component[0], q, &v[i]));
    }
    RungInstructionRun(node->op, 1, &v[0], &v[1], &v[2], &r);
    if (isfinite(r) && fabs(v[n - 1]) >= least) continue;
    least = fabs(v[n - 1]);
    for (int i = 0; i < 3; ++i) value[i] = v[i];
    if (!isfinite(r)) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_node(const Search *s, PetscInt id, int order, char text[], size_t size)
{
  const RungNode node     = *RungScopeNode(s->dag->scope, id);
  double         value[3] = {0, 0, 0};
  char          *source, word[512];

  PetscFunctionBegin;
  PetscCall(RungExprToText((RungExpr){.scope = s->dag->scope, .node = id}, &source));
  PetscCall(PetscSNPrintf(text, size, "%s\"%.200s\" is not finite", order ? "a derivative of " : "", source));
  PetscCall(PetscFree(source));
  if (rung_ops[node.op].class_ != RUNG_CLASS_SCALAR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(worst_point(s, &node, node.args, value));
  for (PetscInt i = 0, said = 0; i < node.args; ++i) {
    if (!is_point_value(s, node.arg[i]) || RungScopeNode(s->dag->scope, node.arg[i])->op == RUNG_OP_NUMBER) continue;
    PetscCall(RungExprToText((RungExpr){.scope = s->dag->scope, .node = node.arg[i]}, &source));
    PetscCall(PetscSNPrintf(word, sizeof word, "%s%.200s = %g", said++ ? ", " : " where ", source, value[i]));
    PetscCall(PetscFree(source));
    PetscCall(RungTextAppend(text, word, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSingular(RungForm form, const RungOnePlace *place, PetscBool matrix, char text[], size_t size)
{
  Search         s       = {.form = form, .place = place};
  PetscInt       culprit = -1;
  int            order   = 0;
  PetscErrorCode code;

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(RungDagCreate(form->expr.scope, &s.dag));
  code = descend(&s, form->expr.node, matrix ? 1 : 0, &culprit, &order);
  if (!code && culprit >= 0) code = describe_node(&s, culprit, order, text, size);
  PetscCall(RungDagDestroy(&s.dag));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
