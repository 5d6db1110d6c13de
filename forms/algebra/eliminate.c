/* eliminate.c - Jacobian of several scalar nodes by several inputs: vertex elimination.

   In the graph whose edges carry partial derivatives, d output / d input is the sum over all paths of the product of
   their weights.  Taking a vertex out, every pair of an edge into it and an edge out of it becomes one edge with the
   product of their weights.  When all inner vertices are out, the edges that are left are the Jacobian.  Forward and
   reverse mode are two orders; the best order is hard to find, greedy rules such as Markowitz's are good (A. Griewank,
   S. Reese, On the calculation of Jacobian matrices by the Markowitz rule, SIAM 1991).  So a scalar invariant that all
   outputs depend on is differentiated once by the inputs, and the outputs once by it. */
#include <rungown_room.h>
#include "scalar_impl.h"

#define MANY  1500  /* vertices above which what costs nothing is taken out first            */
#define LARGE 20000 /* vertices above which only the first rule is tried: each takes its time */

typedef struct {
  PetscInt   from, to; /* vertices                               */
  RungScalar weight;
  PetscInt   next[2]; /* [0] in the list into `to`, [1] in the list out of `from`; -1 ends */
  PetscInt   last[2]; /* the one before it there; -1: it is the first                       */
} Edge;

typedef struct {
  PetscInt  first[2];  /* [0] of the edges into it, [1] of the edges out of it; -1: none */
  PetscInt  degree[2]; /* their number                                                   */
  PetscInt  costly[2]; /* how many of them have a weight that is not 1 or -1             */
  PetscBool inner;     /* still to be eliminated                                         */
  PetscInt  key[2];    /* what the rule makes of it: the least is next                   */
  PetscInt  place;     /* in the heap, -1: not in it                                     */
} Vertex;

typedef struct {
  RungDag  dag;
  PetscInt vertices;
  Vertex  *vertex;
  PetscInt edges, room;
  Edge    *edge;
  PetscInt spare;          /* list of unused edges through next[0] */
  PetscInt waiting, *heap; /* [waiting] vertices, of which none is before its parent (i - 1)/2 */
} Network;

static PetscBool is_costly(RungDag dag, RungScalar weight)
{
  double value;

  return RungDagIsNumber(dag, weight, &value) && (value == 1 || value == -1) ? PETSC_FALSE : PETSC_TRUE;
}

static PetscErrorCode new_edge(Network *net, PetscInt *e)
{
  PetscFunctionBegin;
  if (net->spare >= 0) {
    *e         = net->spare;
    net->spare = net->edge[*e].next[0];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (net->edges == net->room) {
    net->room = PetscMax(64, 2 * net->room);
    PetscCall(PetscRealloc((size_t)net->room * sizeof *net->edge, &net->edge));
  }
  *e = net->edges++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edge from -> to, sought in the shorter of its two lists; -1: there is none. */
static PetscInt find_edge(const Network *net, PetscInt from, PetscInt to)
{
  const int s = net->vertex[from].degree[1] < net->vertex[to].degree[0] ? 1 : 0;
  PetscInt  e = net->vertex[s ? from : to].first[s];

  while (e >= 0 && (net->edge[e].from != from || net->edge[e].to != to)) e = net->edge[e].next[s];
  return e;
}

/* Adds weight to the edge from -> to, which is made where it is not there. */
static PetscErrorCode connect_vertices(Network *net, PetscInt from, PetscInt to, RungScalar weight)
{
  const PetscInt end[2] = {to, from};
  PetscInt       e;

  PetscFunctionBegin;
  if (weight == net->dag->zero) PetscFunctionReturn(PETSC_SUCCESS);
  e = find_edge(net, from, to);
  if (e >= 0) {
    const RungScalar sum = RungDagAdd(net->dag, net->edge[e].weight, weight);

    for (int s = 0; s < 2; ++s) {
      net->vertex[end[s]].costly[s] += (int)is_costly(net->dag, sum) - (int)is_costly(net->dag, net->edge[e].weight);
    }
    net->edge[e].weight = sum;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(new_edge(net, &e));
  net->edge[e] = (Edge){.from = from, .to = to, .weight = weight, .last = {-1, -1}};
  for (int s = 0; s < 2; ++s) {
    Vertex *v = &net->vertex[end[s]];

    net->edge[e].next[s] = v->first[s];
    if (v->first[s] >= 0) net->edge[v->first[s]].last[s] = e;
    v->first[s] = e;
    ++v->degree[s];
    v->costly[s] += is_costly(net->dag, weight);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes an edge out of the list into its end (s = 0) or out of its start (s = 1). */
static void unlink_edge(Network *net, PetscInt e, int s)
{
  Vertex        *v    = &net->vertex[s ? net->edge[e].from : net->edge[e].to];
  const PetscInt next = net->edge[e].next[s], last = net->edge[e].last[s];

  *(last >= 0 ? &net->edge[last].next[s] : &v->first[s]) = next;
  if (next >= 0) net->edge[next].last[s] = last;
  --v->degree[s];
  v->costly[s] -= is_costly(net->dag, net->edge[e].weight);
}

static void remove_edge(Network *net, PetscInt e)
{
  unlink_edge(net, e, 0);
  unlink_edge(net, e, 1);
  net->edge[e].next[0] = net->spare;
  net->spare           = e;
}

static PetscErrorCode eliminate(Network *net, PetscInt p)
{
  Vertex *v = &net->vertex[p];

  PetscFunctionBegin;
  for (PetscInt out = v->first[1]; out >= 0; out = net->edge[out].next[1]) {
    for (PetscInt in = v->first[0]; in >= 0; in = net->edge[in].next[0]) {
      const Edge a = net->edge[in], b = net->edge[out];

      PetscCall(connect_vertices(net, a.from, b.to, RungDagMul(net->dag, a.weight, b.weight)));
    }
  }
  while (v->first[0] >= 0) remove_edge(net, v->first[0]);
  while (v->first[1] >= 0) remove_edge(net, v->first[1]);
  v->inner = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which vertex is next -------------------------------------------------------------------------------------------- */

/* None of the rules is the best for all forms, so each is tried and the cheapest result kept. */
typedef enum {
  FEWEST_PRODUCTS, /* Markowitz: products of weights that are not 1 or -1 */
  LEAST_FILL,      /* edges made less edges removed                       */
  FEWEST_OUTPUTS,  /* edges out                                           */
  REVERSE,         /* from the outputs to the inputs                      */
  ORDERS
} Order;

static void set_key(Vertex *v, Order order)
{
  v->key[0] = v->costly[0] * v->costly[1];
  v->key[1] = v->degree[0] * v->degree[1];
  if (order == FEWEST_PRODUCTS) return;
  v->key[1] = v->key[0];
  v->key[0] = 0;
  if (order == LEAST_FILL) v->key[0] = v->degree[0] * v->degree[1] - v->degree[0] - v->degree[1];
  if (order == FEWEST_OUTPUTS) v->key[0] = v->degree[1];
}

/* Among equals the one nearest to the outputs. */
static PetscBool comes_before(const Network *net, PetscInt p, PetscInt q)
{
  const PetscInt *a = net->vertex[p].key, *b = net->vertex[q].key;

  if (a[0] != b[0]) return a[0] < b[0] ? PETSC_TRUE : PETSC_FALSE;
  if (a[1] != b[1]) return a[1] < b[1] ? PETSC_TRUE : PETSC_FALSE;
  return p > q ? PETSC_TRUE : PETSC_FALSE;
}

static void put_vertex(Network *net, PetscInt i, PetscInt p)
{
  net->heap[i]         = p;
  net->vertex[p].place = i;
}

/* Vertex p, which may be out of order, to its place, from place i. */
static void sift_vertex(Network *net, PetscInt i, PetscInt p)
{
  while (i && comes_before(net, p, net->heap[(i - 1) / 2])) {
    put_vertex(net, i, net->heap[(i - 1) / 2]);
    i = (i - 1) / 2;
  }
  for (PetscInt kid = 2 * i + 1; kid < net->waiting; kid = 2 * i + 1) {
    if (kid + 1 < net->waiting && comes_before(net, net->heap[kid + 1], net->heap[kid])) ++kid;
    if (!comes_before(net, net->heap[kid], p)) break;
    put_vertex(net, i, net->heap[kid]);
    i = kid;
  }
  put_vertex(net, i, p);
}

/* Takes the first one out. */
static PetscInt pop_vertex(Network *net)
{
  const PetscInt p = net->heap[0], last = net->heap[--net->waiting];

  net->vertex[p].place = -1;
  if (net->waiting) sift_vertex(net, 0, last);
  return p;
}

/* Eliminates p; what changes are the keys of its neighbours. */
static PetscErrorCode eliminate_next(Network *net, Order order, PetscInt p, PetscInt neighbour[])
{
  const Vertex *v = &net->vertex[p];
  PetscInt      n = 0;

  PetscFunctionBegin;
  for (PetscInt e = v->first[0]; e >= 0; e = net->edge[e].next[0]) neighbour[n++] = net->edge[e].from;
  for (PetscInt e = v->first[1]; e >= 0; e = net->edge[e].next[1]) neighbour[n++] = net->edge[e].to;
  PetscCall(eliminate(net, p));
  for (PetscInt i = 0; i < n; ++i) {
    Vertex *near = &net->vertex[neighbour[i]];

    if (near->place < 0) continue;
    set_key(near, order);
    sift_vertex(net, near->place, neighbour[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode eliminate_by_rule(Network *net, Order order)
{
  PetscInt *neighbour;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(net->vertices, &net->heap, 2 * net->vertices, &neighbour));
  net->waiting = 0;
  for (PetscInt p = 0; p < net->vertices; ++p) {
    net->vertex[p].place = -1;
    if (!net->vertex[p].inner) continue;
    set_key(&net->vertex[p], order);
    sift_vertex(net, net->waiting++, p);
  }
  while (net->waiting) PetscCall(eliminate_next(net, order, pop_vertex(net), neighbour));
  PetscCall(PetscFree2(net->heap, neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a large network chains and sums are taken out in one pass first: such a vertex costs nothing, and makes no more
   edges than it had.  (Small ones are cheaper in the end when the rule decides on these as well.) */
static PetscErrorCode eliminate_all(Network *net, Order order)
{
  PetscFunctionBegin;
  for (PetscInt p = net->vertices - 1; p >= 0; --p) {
    const Vertex   *v    = &net->vertex[p];
    const PetscBool free = v->costly[0] * v->costly[1] == 0 &&
                               v->degree[0] * v->degree[1] <= v->degree[0] + v->degree[1]
                             ? PETSC_TRUE
                             : PETSC_FALSE;

    if (v->inner && ((free && net->vertices > MANY) || order == REVERSE)) PetscCall(eliminate(net, p));
  }
  if (order != REVERSE) PetscCall(eliminate_by_rule(net, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the network ------------------------------------------------------------------------------------------------------ */

/* Vertices 0 .. n - 1 are the reached nodes, n + r is output r. */
static PetscErrorCode network_create(RungDag dag, PetscInt n, const RungScalar node[], PetscInt roots,
                                     const RungScalar root[], RungScalar seed, const RungWhich *which, Network *net)
{
  RUNG_FREE PetscInt *position = NULL;

  PetscFunctionBegin;
  *net = (Network){.dag = dag, .vertices = n + roots, .spare = -1};
  PetscCall(PetscCalloc1(net->vertices, &net->vertex));
  for (PetscInt p = 0; p < net->vertices; ++p) net->vertex[p].first[0] = net->vertex[p].first[1] = -1;
  PetscCall(PetscMalloc1(n ? node[n - 1] + 1 : 0, &position));
  for (RungScalar s = 0; n && s <= node[n - 1]; ++s) position[s] = -1;
  for (PetscInt p = 0; p < n; ++p) {
    const RungInput *input = RungDagGetInput(dag, node[p]);

    if (input && !RungWhichHas(which, input)) continue;
    for (int i = 0; i < 3 && !input; ++i) {
      const RungScalar a = dag->node[node[p]].arg[i];
      RungScalar       partial;

      if (a < 0 || position[a] < 0) continue;
      PetscCall(RungDagPartial(dag, node[p], i, &partial));
      PetscCall(connect_vertices(net, position[a], p, partial));
    }
    net->vertex[p].inner = input ? PETSC_FALSE : PETSC_TRUE;
    if (input || net->vertex[p].degree[0]) position[node[p]] = p;
  }
  for (PetscInt r = 0; r < roots; ++r) {
    if (n && root[r] <= node[n - 1] && position[root[r]] >= 0)
      PetscCall(connect_vertices(net, position[root[r]], n + r, seed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode network_destroy(Network *net)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(net->vertex));
  PetscCall(PetscFree(net->edge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* entry[r * n + p] from the edges that are left, node p -> output r */
static void read_entries(const Network *net, PetscInt n, PetscInt roots, RungScalar entry[])
{
  for (PetscInt i = 0; i < roots * n; ++i) entry[i] = net->dag->zero;
  for (PetscInt r = 0; r < roots; ++r) {
    for (PetscInt e = net->vertex[n + r].first[0]; e >= 0; e = net->edge[e].next[0]) {
      entry[r * n + net->edge[e].from] = net->edge[e].weight;
    }
  }
}

/* Operations in multiplications, about: a division as 5, a function as 20; what is uniform costs nothing. */
static PetscErrorCode operations(RungDag dag, PetscInt n, const RungScalar root[], PetscInt *count)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              reached;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(RungDagReach(dag, n, root, ~0u, &reached, &list));
  for (PetscInt i = 0; i < reached; ++i) {
    const RungScalarNode *node = &dag->node[list[i]];

    if (node->op == RUNG_OPS || node->rate == RUNG_RATE_UNIFORM) continue;
    if (node->op == RUNG_OP_ADD || node->op == RUNG_OP_MUL || node->op == RUNG_OP_IF)
      *count += 1;
    else if (node->op != RUNG_OP_NEG)
      *count += node->op == RUNG_OP_DIV ? 5 : 20;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of the inputs, ascending. */
static PetscErrorCode columns(RungDag dag, const RungWhich *which, PetscInt n, const RungScalar node[], PetscInt roots,
                              const RungScalar full[], PetscInt *inputs, RungScalar **input, RungScalar **entry)
{
  PetscFunctionBegin;
  *inputs = 0;
  PetscCall(PetscMalloc1(n, input));
  RungCallOrUndo(PetscMalloc1(roots * n, entry), PetscCall(PetscFree(*input)));
  for (PetscInt p = 0; p < n; ++p) {
    const RungInput *from = RungDagGetInput(dag, node[p]);

    if (from && RungWhichHas(which, from)) (*input)[(*inputs)++] = p;
  }
  for (PetscInt r = 0; r < roots; ++r) {
    for (PetscInt i = 0; i < *inputs; ++i) (*entry)[r * *inputs + i] = full[r * n + (*input)[i]];
  }
  for (PetscInt i = 0; i < *inputs; ++i) (*input)[i] = node[(*input)[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode accumulate(RungDag dag, PetscInt n, const RungScalar node[], PetscInt roots,
                                 const RungScalar root[], RungScalar seed, const RungWhich *which, Order order,
                                 RungScalar entry[])
{
  RUNG_OWNED(network_destroy) Network net = {0};

  PetscFunctionBegin;
  PetscCall(network_create(dag, n, node, roots, root, seed, which, &net));
  PetscCall(eliminate_all(&net, order));
  read_entries(&net, n, roots, entry);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every order is tried on the dag as it is now: what one leaves behind would be taken up by the next. */
PetscErrorCode RungDagJacobian(RungDag dag, PetscInt roots, const RungScalar root[], RungScalar seed,
                               const RungWhich *which, PetscBool quick, PetscInt *inputs, RungScalar **input,
                               RungScalar **entry)
{
  const PetscInt        before = dag->n;
  PetscInt              n, least = 0;
  Order                 best = FEWEST_PRODUCTS;
  RUNG_FREE RungScalar *full = NULL;
  RUNG_FREE RungScalar *node = NULL;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, roots, root, which->kinds, &n, &node));
  PetscCall(PetscMalloc1(roots * n, &full));
  for (int order = 0; order < ORDERS && !quick && n + roots <= LARGE; ++order) {
    PetscInt count;

    PetscCall(accumulate(dag, n, node, roots, root, seed, which, (Order)order, full));
    PetscCall(operations(dag, roots * n, full, &count));
    RungDagForget(dag, before);
    if (order && count >= least) continue;
    least = count;
    best  = (Order)order;
  }
  PetscCall(accumulate(dag, n, node, roots, root, seed, which, best, full));
  PetscCall(columns(dag, which, n, node, roots, full, inputs, input, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
