/* weigh.c - entries of a bilinear form with the weight of the points in them.

   Every coefficient is multiplied by the weight w |J| of its point.  Where coefficients are products that have factors in
   common, a tangent's mu and lambda, sigma, a scalar invariant, it is enough to multiply these: w (c p_r q_s) = ((w c) p_r)
   q_s.  The weight is an input of the tape then, and moves down: through sums to all their terms, through a product to that
   of its factors which, or a factor of which, most entries have in them. */
#include "scalar_impl.h"

#define MOST_NODES 4000 /* of larger dags the search takes its time */

typedef struct {
  RungDag     dag;
  RungScalar  weight;
  PetscInt    n;     /* nodes before it began                               */
  RungScalar *image; /* [node] times the weight, -1: not made               */
  PetscInt   *reach; /* [node] how many entries have it, or a factor of it  */
} Weighing;

/* Number of distinct entries above every node; then of a product that of its most frequent factor. */
static PetscErrorCode count_reach(Weighing *weighing, PetscInt n, const RungScalar value[])
{
  RungScalar *list;
  PetscInt    count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(weighing->n, &weighing->reach));
  for (PetscInt e = 0; e < n; ++e) {
    PetscCall(RungDagReach(weighing->dag, 1, &value[e], ~0u, &count, &list));
    for (PetscInt i = 0; i < count; ++i) ++weighing->reach[list[i]];
    PetscCall(PetscFree(list));
  }
  for (RungScalar s = 0; s < weighing->n; ++s) {
    const RungScalarNode *node = &weighing->dag->node[s];

    if (node->op != RUNG_OP_MUL || node->rate == RUNG_RATE_UNIFORM || !weighing->reach[s]) continue;
    weighing->reach[s] = PetscMax(weighing->reach[node->arg[0]], weighing->reach[node->arg[1]]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* term: of an entry, so that the weight goes into sums; the recursion is as deep as a product is long, or a sum. */
static RungScalar weigh_node(Weighing *weighing, RungScalar s, PetscBool term)
{
  const RungScalarNode node  = weighing->dag->node[s];
  RungScalar           image = weighing->image[s];

  if (image >= 0) return image;
  if (node.op == RUNG_OP_NEG) {
    image = RungDagNeg(weighing->dag, weigh_node(weighing, node.arg[0], term));
  } else if (node.op == RUNG_OP_ADD && term) {
    const RungScalar first = weigh_node(weighing, node.arg[0], term);

    image = RungDagAdd(weighing->dag, first, weigh_node(weighing, node.arg[1], term));
  } else if (node.op == RUNG_OP_MUL && node.rate > RUNG_RATE_UNIFORM) {
    const int a = weighing->reach[node.arg[1]] > weighing->reach[node.arg[0]] ? 1 : 0;

    image = RungDagMul(weighing->dag, weigh_node(weighing, node.arg[a], PETSC_FALSE), node.arg[1 - a]);
  } else {
    image = RungDagMul(weighing->dag, weighing->weight, s);
  }
  weighing->image[s] = image;
  return image;
}

/* Distinct values, each of which would be multiplied. */
static PetscErrorCode count_distinct(RungDag dag, PetscInt n, const RungScalar value[], PetscInt *count)
{
  PetscBool *seen;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscCalloc1(dag->n, &seen));
  for (PetscInt e = 0; e < n; ++e) {
    *count += !seen[value[e]];
    seen[value[e]] = PETSC_TRUE;
  }
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagWeigh(RungDag dag, PetscInt n, RungScalar value[], PetscBool *weighed)
{
  const RungInput input    = {.kind = RUNG_IN_WEIGHT};
  Weighing        weighing = {.dag = dag, .n = dag->n};
  RungScalar     *out;
  PetscInt        cost[2], distinct;

  PetscFunctionBegin;
  *weighed = PETSC_FALSE;
  if (dag->n > MOST_NODES) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < n; ++e) { /* what is constant in a cell is contracted without the points' weights */
    if (dag->node[value[e]].rate != RUNG_RATE_POINT) PetscFunctionReturn(PETSC_SUCCESS);
  }
  weighing.weight = RungDagInput(dag, &input);
  PetscCall(count_reach(&weighing, n, value));
  PetscCall(PetscMalloc2(weighing.n, &weighing.image, n, &out));
  for (PetscInt s = 0; s < weighing.n; ++s) weighing.image[s] = -1;
  for (PetscInt e = 0; e < n; ++e) out[e] = weigh_node(&weighing, value[e], PETSC_TRUE);
  PetscCall(RungDagCheck(dag));
  PetscCall(RungDagCost(dag, n, value, &cost[0]));
  PetscCall(RungDagCost(dag, n, out, &cost[1]));
  PetscCall(count_distinct(dag, n, value, &distinct));
  *weighed = cost[1] < cost[0] + distinct ? PETSC_TRUE : PETSC_FALSE;
  if (*weighed) PetscCall(PetscArraycpy(value, out, n));
  PetscCall(PetscFree2(weighing.image, out));
  PetscCall(PetscFree(weighing.reach));
  PetscFunctionReturn(PETSC_SUCCESS);
}
