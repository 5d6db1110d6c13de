/* derive.c - derivatives on the scalar dag.

   All of them are derivations: linear, product rule, chain rule by the texts of ops.def, and known on inputs,

     dt       UNKNOWN^(k) -> UNKNOWN^(k+1)    t -> 1      all else -> 0 (test functions, fields and the mesh do not
   move) grad_j   D UNKNOWN -> D_j D UNKNOWN      x_i -> delta_ij; tests and fields as unknowns; n, h, volume,
   facet_area are constant on a cell, so -> 0 derive   D UNKNOWN(u) -> D direction     the time derivatives of u as
   well, if the direction has any diff     VARIABLE -> 1

   A graph holds the chain rule's weights between the inputs and the "bases": nodes where ways to the inputs part, and
   nodes used more than once.  Others are passed over: their weight is multiplied up. */
#include <rungown_room.h>
#include "scalar_impl.h"

typedef struct {
  RungScalar scale; /* d node = scale * d base                                        */
  PetscInt   base;  /* position in the graph; -1: does not depend on the inputs       */
  PetscInt   links; /* of a base: d base = sum_l weight[l] * d from[l]                */
  RungScalar weight[3];
  PetscInt   from[3]; /* positions of bases                                             */
  PetscInt   used;    /* by how many operands                                           */
} Vertex;

struct _p_RungGraph {
  RungDag     dag;
  PetscInt    n;      /* nodes that may depend on the inputs                              */
  RungScalar *node;   /* [n] ascending                                                    */
  Vertex     *vertex; /* [n]                                                              */
  PetscInt    inputs; /* active ones                                                      */
  RungScalar *input;  /* [inputs] ascending                                               */
  PetscInt   *at;     /* [inputs] their positions                                         */
  RungScalar *work;   /* [n]                                                              */
};

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* A tensor node made of numbers, operands and scalar operators, on scalar nodes; depth is that of a text in ops.def. */
static PetscErrorCode instantiate(RungDag dag, PetscInt rule, const RungScalar operand[4], RungScalar *s)
{
  const RungNode *node   = RungScopeNode(dag->scope, rule);
  RungScalar      arg[3] = {-1, -1, -1};

  PetscFunctionBegin;
  if (node->op == RUNG_OP_NUMBER) {
    *s = RungDagNumber(dag, (double)node->number);
  } else if (node->op == RUNG_OP_OPERAND) {
    *s = operand[node->index[0]];
  } else {
    PetscCheck(rung_ops[node->op].class_ == RUNG_CLASS_SCALAR, RungScopeComm(dag->scope), PETSC_ERR_PLIB,
               "a derivative rule of ops.def holds \"%s\", which is no scalar operator", rung_ops[node->op].name);
    for (PetscInt i = 0; i < node->args; ++i) PetscCall(instantiate(dag, node->arg[i], operand, &arg[i]));
    *s = RungDagOp(dag, node->op, arg);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagPartial(RungDag dag, RungScalar s, int i, RungScalar *partial)
{
  const RungScalarNode node       = dag->node[s];
  const RungScalar     operand[4] = {node.arg[0], node.arg[1], node.arg[2], s};
  PetscInt            *rule       = &dag->rule[node.op][i];

  PetscFunctionBegin;
  if (*rule < 0) PetscCall(RungScopeParseRule(dag->scope, rung_ops[node.op].d[i], rule));
  PetscCall(instantiate(dag, *rule, operand, partial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

/* One way down: through `base` with weight `scale`.  Ways to one base are added. */
static void add_link(RungDag dag, Vertex *v, PetscInt base, RungScalar scale)
{
  PetscInt l = 0;

  while (l < v->links && v->from[l] != base) ++l;
  v->from[l]   = base;
  v->weight[l] = l < v->links ? RungDagAdd(dag, v->weight[l], scale) : scale;
  v->links     = PetscMax(v->links, l + 1);
}

static void drop_zeros(RungDag dag, Vertex *v)
{
  PetscInt kept = 0;

  for (PetscInt l = 0; l < v->links; ++l) {
    if (v->weight[l] == dag->zero) continue;
    v->weight[kept] = v->weight[l];
    v->from[kept++] = v->from[l];
  }
  v->links = kept;
}

static PetscErrorCode weigh(RungGraph graph, const PetscInt position[], PetscInt p)
{
  const RungDag        dag  = graph->dag;
  const RungScalarNode node = dag->node[graph->node[p]];
  Vertex              *v    = &graph->vertex[p];

  PetscFunctionBegin;
  for (int i = 0; i < 3 && node.arg[i] >= 0; ++i) {
    const PetscInt q = position[node.arg[i]];
    RungScalar     partial;

    if (q < 0 || graph->vertex[q].base < 0) continue;
    PetscCall(RungDagPartial(dag, graph->node[p], i, &partial));
    add_link(dag, v, graph->vertex[q].base, RungDagMul(dag, partial, graph->vertex[q].scale));
  }
  drop_zeros(dag, v);
  if (!v->links) PetscFunctionReturn(PETSC_SUCCESS);
  if (v->links == 1 && v->used < 2) {
    v->scale = v->weight[0];
    v->base  = v->from[0];
  } else {
    v->scale = dag->one;
    v->base  = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungWhichHas(const RungWhich *which, const RungInput *input)
{
  return (which->kinds & (1u << input->kind)) && (which->index < 0 || which->index == input->index) &&
             (which->k < 0 || which->k == input->k)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

static PetscErrorCode connect_nodes(RungGraph graph, const RungWhich *which)
{
  const RungDag       dag      = graph->dag;
  RUNG_FREE PetscInt *position = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(graph->n ? graph->node[graph->n - 1] + 1 : 0, &position));
  for (RungScalar s = 0; graph->n && s <= graph->node[graph->n - 1]; ++s) position[s] = -1;
  for (PetscInt p = 0; p < graph->n; ++p) {
    position[graph->node[p]] = p;
    graph->vertex[p].base    = -1;
    for (int i = 0; i < 3 && dag->node[graph->node[p]].arg[i] >= 0; ++i) {
      const PetscInt q = position[dag->node[graph->node[p]].arg[i]];

      if (q >= 0) ++graph->vertex[q].used;
    }
  }
  for (PetscInt p = 0; p < graph->n; ++p) {
    const RungInput *input = RungDagGetInput(dag, graph->node[p]);

    if (!input) {
      PetscCall(weigh(graph, position, p));
    } else if (RungWhichHas(which, input)) {
      graph->vertex[p].base         = p;
      graph->vertex[p].scale        = dag->one;
      graph->at[graph->inputs]      = p;
      graph->input[graph->inputs++] = graph->node[p];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGraphCreate(RungDag dag, PetscInt n, const RungScalar root[], const RungWhich *which,
                               RungGraph *graph)
{
  RUNG_OWNED(RungGraphDestroy) RungGraph g = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  g->dag = dag;
  PetscCall(RungDagReach(dag, n, root, which->kinds, &g->n, &g->node));
  PetscCall(PetscCalloc4(g->n, &g->vertex, g->n, &g->input, g->n, &g->at, g->n, &g->work));
  PetscCall(connect_nodes(g, which));
  *graph = g;
  g      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGraphDestroy(RungGraph *graph)
{
  PetscFunctionBegin;
  if (!*graph) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*graph)->node));
  PetscCall(PetscFree4((*graph)->vertex, (*graph)->input, (*graph)->at, (*graph)->work));
  PetscCall(PetscFree(*graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungGraphGetInputs(RungGraph graph, PetscInt *n, const RungScalar **input)
{
  *n     = graph->inputs;
  *input = graph->input;
}

/* Position of a node, -1 where the node is not in the graph (it depends on nothing). */
static PetscInt node_position(RungGraph graph, RungScalar s)
{
  PetscInt low = 0, high = graph->n;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (graph->node[middle] < s)
      low = middle + 1;
    else
      high = middle;
  }
  return low < graph->n && graph->node[low] == s ? low : -1;
}

PetscErrorCode RungGraphReverse(RungGraph graph, RungScalar root, RungScalar seed, RungScalar out[])
{
  const RungDag  dag     = graph->dag;
  const PetscInt p       = node_position(graph, root);
  RungScalar    *adjoint = graph->work;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < graph->inputs; ++i) out[i] = dag->zero;
  if (p < 0 || graph->vertex[p].base < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt q = 0; q < graph->n; ++q) adjoint[q] = dag->zero;
  adjoint[graph->vertex[p].base] = RungDagMul(dag, seed, graph->vertex[p].scale);
  for (PetscInt q = graph->vertex[p].base; q >= 0; --q) {
    const Vertex *v = &graph->vertex[q];

    if (adjoint[q] == dag->zero) continue;
    for (PetscInt l = 0; l < v->links; ++l) {
      adjoint[v->from[l]] = RungDagAdd(dag, adjoint[v->from[l]], RungDagMul(dag, adjoint[q], v->weight[l]));
    }
  }
  for (PetscInt i = 0; i < graph->inputs; ++i) out[i] = adjoint[graph->at[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGraphForward(RungGraph graph, const RungScalar seed[], PetscInt n, const RungScalar root[],
                                RungScalar out[])
{
  const RungDag dag = graph->dag;
  RungScalar   *d   = graph->work;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < graph->n; ++p) d[p] = dag->zero;
  for (PetscInt i = 0; i < graph->inputs; ++i) d[graph->at[i]] = seed[i];
  for (PetscInt p = 0; p < graph->n; ++p) {
    const Vertex *v = &graph->vertex[p];

    if (v->base != p) continue;
    for (PetscInt l = 0; l < v->links; ++l) {
      d[p] = RungDagAdd(dag, d[p], RungDagMul(dag, v->weight[l], d[v->from[l]]));
    }
  }
  for (PetscInt r = 0; r < n; ++r) {
    const PetscInt p    = node_position(graph, root[r]);
    const PetscInt base = p < 0 ? -1 : graph->vertex[p].base;

    out[r] = base < 0 ? dag->zero : RungDagMul(dag, graph->vertex[p].scale, d[base]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivations ------------------------------------------------------------------------------------------------ */

/* d = the derivation's value on an input */
typedef PetscErrorCode SeedFn(RungDag dag, const RungInput *input, const void *ctx, RungScalar *d);

/* out = the derivation of root that has the given values on inputs */
static PetscErrorCode apply(RungDag dag, const RungWhich *which, SeedFn *seed, const void *ctx, PetscInt n,
                            const RungScalar root[], RungScalar out[])
{
  RUNG_OWNED(RungGraphDestroy) RungGraph graph = NULL;
  RUNG_FREE RungScalar                  *d     = NULL;
  const RungScalar                      *input;
  PetscInt                               inputs;

  PetscFunctionBegin;
  PetscCall(RungGraphCreate(dag, n, root, which, &graph));
  RungGraphGetInputs(graph, &inputs, &input);
  PetscCall(PetscMalloc1(inputs, &d));
  for (PetscInt i = 0; i < inputs; ++i) {
    const RungInput copy = *RungDagGetInput(dag, input[i]);

    PetscCall(seed(dag, &copy, ctx, &d[i]));
  }
  PetscCall(RungGraphForward(graph, d, n, root, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A variable of diff() varies in space and time as the expression does that it stands for. */
static PetscErrorCode variable_value(RungDag dag, const RungInput *input, RungScalar *value)
{
  const RungScalar *component;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(RungDagExpand(dag, RungScopeVariableValue(dag->scope, input->index), &n, &component));
  *value = component[input->component];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode seed_dt(RungDag dag, const RungInput *input, const void *ctx, RungScalar *d)
{
  RungInput next = *input;

  PetscFunctionBegin;
  (void)ctx;
  *d = dag->one;
  if (input->kind == RUNG_IN_TIME) PetscFunctionReturn(PETSC_SUCCESS);
  if (input->kind == RUNG_IN_VARIABLE) {
    PetscCall(variable_value(dag, input, d));
    PetscCall(RungDagDt(dag, 1, d, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (input->kind == RUNG_IN_FIELD) {
    PetscCall(RungScopeFieldRate(dag->scope, input->index, &next.index));
    *d = next.index < 0 ? dag->zero : RungDagInput(dag, &next);
    if (next.index < 0)
      RungDagFail(dag, PETSC_ERR_SUP, "dt() of the field \"%s\", which has no rate; RungFieldSetRate gives it one",
                  RungScopeFieldName(dag->scope, input->index));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (++next.k > RUNG_MAX_ORDER) {
    RungDagFail(
      dag, PETSC_ERR_SUP,
      "time derivative of order %" PetscInt_FMT " of unknown \"%s\", the highest is %d; make dt(%s) an unknown", next.k,
      RungScopeUnknownName(dag->scope, input->index), RUNG_MAX_ORDER, RungScopeUnknownName(dag->scope, input->index));
  } else
    *d = RungDagInput(dag, &next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagDt(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[])
{
  const RungWhich which = {1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME | 1u << RUNG_IN_FIELD | 1u << RUNG_IN_VARIABLE,
                           -1, -1};

  PetscFunctionBegin;
  PetscCall(apply(dag, &which, seed_dt, NULL, n, root, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode seed_rate(RungDag dag, const RungInput *input, const void *ctx, RungScalar *d)
{
  RungInput next = *input;

  PetscFunctionBegin;
  (void)ctx;
  *d = dag->one;
  if (input->kind == RUNG_IN_TIME) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeFieldRate(dag->scope, input->index, &next.index));
  *d = next.index < 0 ? dag->zero : RungDagInput(dag, &next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagRate(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[])
{
  const RungWhich which = {1u << RUNG_IN_TIME | 1u << RUNG_IN_FIELD, -1, -1};

  PetscFunctionBegin;
  PetscCall(apply(dag, &which, seed_rate, NULL, n, root, out));
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number of d2/dx_a dx_b among the derivatives: a <= b in lexicographic order after the value and the first ones */
static PetscInt second(PetscInt dim, PetscInt a, PetscInt b)
{
  const PetscInt low = PetscMin(a, b), high = PetscMax(a, b);

  return 1 + dim + low * dim - low * (low - 1) / 2 + high - low;
}

static PetscErrorCode seed_grad(RungDag dag, const RungInput *input, const void *ctx, RungScalar *d)
{
  const PetscInt axis = *(const PetscInt *)ctx;
  RungInput      next = *input;

  PetscFunctionBegin;
  *d = input->index == axis ? dag->one : dag->zero;
  if (input->kind == RUNG_IN_X) PetscFunctionReturn(PETSC_SUCCESS);
  if (input->kind == RUNG_IN_VARIABLE) {
    PetscCall(variable_value(dag, input, d));
    PetscCall(RungDagGrad(dag, axis, 1, d, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (input->derivative > dag->dim) {
    RungDagFail(dag, PETSC_ERR_SUP, "third derivative in space, the highest is 2; make grad() of it an unknown");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  next.derivative = input->derivative == 0 ? 1 + axis : second(dag->dim, input->derivative - 1, axis);
  *d              = RungDagInput(dag, &next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagGrad(RungDag dag, PetscInt axis, PetscInt n, const RungScalar root[], RungScalar out[])
{
  const RungWhich which = {1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TEST | 1u << RUNG_IN_FIELD | 1u << RUNG_IN_X |
                             1u << RUNG_IN_VARIABLE,
                           -1, -1};

  PetscFunctionBegin;
  PetscCall(apply(dag, &which, seed_grad, &axis, n, root, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D (dt)^k direction for the input D (dt)^k u */
static PetscErrorCode seed_direction(RungDag dag, const RungInput *input, const void *ctx, RungScalar *d)
{
  const RungScalar *direction = (const RungScalar *)ctx;

  PetscFunctionBegin;
  *d = direction[input->component];
  if (input->k > 0 && (dag->node[*d].uses & (1u << RUNG_IN_TEST))) {
    const char *name = RungScopeUnknownName(dag->scope, input->index);

    RungDagFail(
      dag, PETSC_ERR_SUP,
      "derive() by \"%s\" of an expression that holds dt(%s): a test function has no time derivative; take the "
      "terms with dt(%s) out and write their variation as a residual",
      name, name, name);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (input->side) PetscCall(RungDagMinus(dag, 1, d, d));
  for (PetscInt k = 0; k < input->k; ++k) PetscCall(RungDagDt(dag, 1, d, d));
  if (input->derivative == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt a = 0; a < dag->dim; ++a) {
    if (input->derivative == 1 + a) PetscCall(RungDagGrad(dag, a, 1, d, d));
    for (PetscInt b = a; b < dag->dim && input->derivative > dag->dim; ++b) {
      if (input->derivative != second(dag->dim, a, b)) continue;
      PetscCall(RungDagGrad(dag, a, 1, d, d));
      PetscCall(RungDagGrad(dag, b, 1, d, d));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagDirectional(RungDag dag, PetscInt unknown, const RungScalar direction[], PetscInt n,
                                  const RungScalar root[], RungScalar out[])
{
  const RungWhich which = {1u << RUNG_IN_UNKNOWN, unknown, -1};

  PetscFunctionBegin;
  PetscCall(apply(dag, &which, seed_direction, direction, n, root, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- diff ------------------------------------------------------------------------------------------------------- */

/* out = root with value[c] in the place of component c of the variable; out may be root */
static PetscErrorCode substitute(RungDag dag, PetscInt variable, const RungScalar value[], PetscInt n,
                                 const RungScalar root[], RungScalar out[])
{
  RungScalar *list, *image, last = -1;
  PetscInt    count;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) last = PetscMax(last, root[r]);
  PetscCall(RungDagReach(dag, n, root, 1u << RUNG_IN_VARIABLE, &count, &list));
  PetscCall(PetscMalloc1(last + 1, &image));
  for (RungScalar s = 0; s <= last; ++s) image[s] = s;
  for (PetscInt i = 0; i < count; ++i) {
    const RungScalar     s     = list[i];
    const RungInput     *input = RungDagGetInput(dag, s);
    const RungScalarNode node  = dag->node[s];
    RungScalar           arg[3];

    if (input && input->index == variable) image[s] = value[input->component];
    if (input) continue;
    for (int a = 0; a < 3; ++a) arg[a] = node.arg[a] < 0 ? -1 : image[node.arg[a]];
    if (arg[0] != node.arg[0] || arg[1] != node.arg[1] || arg[2] != node.arg[2])
      image[s] = RungDagOp(dag, node.op, arg);
  }
  for (PetscInt r = 0; r < n; ++r) out[r] = image[root[r]];
  PetscCall(PetscFree(image));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagDiff(RungDag dag, PetscInt variable, PetscInt components, const RungScalar value[], PetscInt n,
                           const RungScalar root[], RungScalar out[])
{
  const RungWhich   which = {1u << RUNG_IN_VARIABLE, variable, -1};
  RungGraph         graph;
  const RungScalar *input;
  RungScalar       *d;
  PetscInt          inputs;

  PetscFunctionBegin;
  PetscCall(RungGraphCreate(dag, n, root, &which, &graph));
  RungGraphGetInputs(graph, &inputs, &input);
  PetscCall(PetscMalloc1(inputs, &d));
  for (PetscInt i = 0; i < n * components; ++i) out[i] = dag->zero;
  for (PetscInt r = 0; r < n; ++r) {
    PetscCall(RungGraphReverse(graph, root[r], dag->one, d));
    for (PetscInt i = 0; i < inputs; ++i) out[r * components + RungDagGetInput(dag, input[i])->component] = d[i];
  }
  PetscCall(PetscFree(d));
  PetscCall(RungGraphDestroy(&graph));
  PetscCall(substitute(dag, variable, value, n * components, out, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
