/* expand.c - tensor nodes -> scalar components, in row-major order of the node's shape.

   Each tensor operator has one function here, named in its row of ops.def: out[] from the components of its arguments.
 */
#include <rungown_room.h>
#include "scalar_impl.h"

static PetscInt node_size(const RungNode *node)
{
  PetscInt n = 1;

  for (PetscInt i = 0; i < node->rank; ++i) n *= node->shape[i];
  return n;
}

/* Components and node of argument i. */
static const RungScalar *argument_components(RungDag dag, const RungNode *node, PetscInt i)
{
  return dag->component[node->arg[i]];
}

static const RungNode *arg_node(RungDag dag, const RungNode *node, PetscInt i)
{
  return RungScopeNode(dag->scope, node->arg[i]);
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */

static RungScalar make_input(RungDag dag, RungInputKind kind, PetscInt index, PetscInt component)
{
  const RungInput input = {.kind = kind, .index = index, .component = component};

  return RungDagInput(dag, &input);
}

static PetscErrorCode expand_terminal(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt n = node_size(node);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    switch (node->op) {
    case RUNG_OP_NUMBER: out[i] = RungDagNumber(dag, (double)node->number); break;
    case RUNG_OP_CONSTANT: out[i] = make_input(dag, RUNG_IN_CONSTANT, node->index[0], 0); break;
    case RUNG_OP_TIME: out[i] = make_input(dag, RUNG_IN_TIME, 0, 0); break;
    case RUNG_OP_X: out[i] = make_input(dag, RUNG_IN_X, i, 0); break;
    case RUNG_OP_IDENTITY: out[i] = i / node->shape[1] == i % node->shape[1] ? dag->one : dag->zero; break;
    case RUNG_OP_NORMAL: out[i] = make_input(dag, RUNG_IN_NORMAL, i, 0); break;
    case RUNG_OP_TANGENT: out[i] = make_input(dag, RUNG_IN_TANGENT, i, 0); break;
    case RUNG_OP_SIZE: out[i] = make_input(dag, RUNG_IN_CELL, 0, 0); break;
    case RUNG_OP_VOLUME: out[i] = make_input(dag, RUNG_IN_CELL, 1, 0); break;
    case RUNG_OP_FACETAREA: out[i] = make_input(dag, RUNG_IN_CELL, 2, 0); break;
    case RUNG_OP_PART:
      out[i] = node->index[0] < 0 ? dag->one : make_input(dag, RUNG_IN_CELL, RUNG_CELL_SIZES + node->index[0], 0);
      break;
    case RUNG_OP_UNKNOWN: out[i] = make_input(dag, RUNG_IN_UNKNOWN, node->index[0], i); break;
    case RUNG_OP_TEST: out[i] = make_input(dag, RUNG_IN_TEST, node->index[0], i); break;
    case RUNG_OP_FIELD: out[i] = make_input(dag, RUNG_IN_FIELD, node->index[0], i); break;
    case RUNG_OP_VARIABLE: out[i] = make_input(dag, RUNG_IN_VARIABLE, node->index[0], i); break;
    default:
      SETERRQ(RungScopeComm(dag->scope), PETSC_ERR_PLIB, "leaf \"%s\" has no components", rung_ops[node->op].name);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tensor algebra --------------------------------------------------------------------------------------------- */

static PetscErrorCode expand_sum(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < node_size(node); ++i)
    out[i] = RungDagAdd(dag, argument_components(dag, node, 0)[i], argument_components(dag, node, 1)[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_scale(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt tensor = arg_node(dag, node, 0)->rank > 0 ? 0 : 1; /* either operand may be the scalar */

  PetscFunctionBegin;
  for (PetscInt i = 0; i < node_size(node); ++i) {
    out[i] = RungDagMul(dag, argument_components(dag, node, 1 - tensor)[0], argument_components(dag, node, tensor)[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum_k a[k * stride_a] b[k * stride_b] */
static RungScalar contract(RungDag dag, PetscInt n, const RungScalar a[], PetscInt stride_a, const RungScalar b[],
                           PetscInt stride_b)
{
  RungScalar s = dag->zero;

  for (PetscInt k = 0; k < n; ++k) s = RungDagAdd(dag, s, RungDagMul(dag, a[k * stride_a], b[k * stride_b]));
  return s;
}

static PetscErrorCode expand_inner(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  out[0] = contract(dag, node_size(arg_node(dag, node, 0)), argument_components(dag, node, 0), 1,
                    argument_components(dag, node, 1), 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_dot(RungDag dag, const RungNode *node, RungScalar out[])
{
  const RungNode *a = arg_node(dag, node, 0), *b = arg_node(dag, node, 1);
  const PetscInt  n = b->shape[0], rows = node_size(a) / n, cols = node_size(b) / n;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt j = 0; j < cols; ++j) {
      out[i * cols + j] = contract(dag, n, argument_components(dag, node, 0) + i * n, 1,
                                   argument_components(dag, node, 1) + j, cols);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_outer(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt rows = node_size(arg_node(dag, node, 0)), cols = node_size(arg_node(dag, node, 1));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt j = 0; j < cols; ++j)
      out[i * cols + j] = RungDagMul(dag, argument_components(dag, node, 0)[i], argument_components(dag, node, 1)[j]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a d - b c */
static RungScalar minor(RungDag dag, RungScalar a, RungScalar b, RungScalar c, RungScalar d)
{
  return RungDagSub(dag, RungDagMul(dag, a, d), RungDagMul(dag, b, c));
}

static PetscErrorCode expand_cross(RungDag dag, const RungNode *node, RungScalar out[])
{
  const RungScalar *a = argument_components(dag, node, 0), *b = argument_components(dag, node, 1);

  PetscFunctionBegin;
  if (node->rank == 0) {
    out[0] = minor(dag, a[0], a[1], b[0], b[1]);
  } else {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;

      out[i] = minor(dag, a[j], a[k], b[j], b[k]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar trace(RungDag dag, PetscInt m, const RungScalar a[])
{
  RungScalar s = dag->zero;

  for (PetscInt i = 0; i < m; ++i) s = RungDagAdd(dag, s, a[i * m + i]);
  return s;
}

static PetscErrorCode expand_trace(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  out[0] = trace(dag, arg_node(dag, node, 0)->shape[0], argument_components(dag, node, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cofactor (i, j) of a 3 x 3 matrix with cyclic indices needs no sign. */
static void cofactor_matrix(RungDag dag, PetscInt m, const RungScalar a[], RungScalar out[])
{
  if (m == 1) out[0] = dag->one;
  if (m == 2) {
    out[0] = a[3];
    out[1] = RungDagNeg(dag, a[2]);
    out[2] = RungDagNeg(dag, a[1]);
    out[3] = a[0];
  }
  for (int i = 0; m == 3 && i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;

      out[3 * i + j] = minor(dag, a[3 * i1 + j1], a[3 * i1 + j2], a[3 * i2 + j1], a[3 * i2 + j2]);
    }
  }
}

/* along the first row; shares its minors with the cofactor */
static RungScalar determinant(RungDag dag, PetscInt m, const RungScalar a[], RungScalar cofactor[])
{
  cofactor_matrix(dag, m, a, cofactor);
  return contract(dag, m, a, 1, cofactor, 1);
}

static PetscErrorCode expand_det(RungDag dag, const RungNode *node, RungScalar out[])
{
  RungScalar cofactor[9];

  PetscFunctionBegin;
  out[0] = determinant(dag, arg_node(dag, node, 0)->shape[0], argument_components(dag, node, 0), cofactor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_cofactor(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  cofactor_matrix(dag, node->shape[0], argument_components(dag, node, 0), out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* inv(A)_ij = cofactor(A)_ji / det(A) */
static PetscErrorCode expand_inverse(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt m = node->shape[0];
  RungScalar     cofactor[9], det;

  PetscFunctionBegin;
  det = determinant(dag, m, argument_components(dag, node, 0), cofactor);
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < m; ++j) out[i * m + j] = RungDagDiv(dag, cofactor[j * m + i], det);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_deviator(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt    m    = node->shape[0];
  const RungScalar *a    = argument_components(dag, node, 0);
  const RungScalar  mean = RungDagDiv(dag, trace(dag, m, a), RungDagNumber(dag, (double)m));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m * m; ++i) out[i] = i / m == i % m ? RungDagSub(dag, a[i], mean) : a[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (A + sign A^T)/2 */
static void symmetric_part(RungDag dag, const RungNode *node, PetscBool minus, RungScalar out[])
{
  const PetscInt    m    = node->shape[0];
  const RungScalar *a    = argument_components(dag, node, 0);
  const RungScalar  half = RungDagNumber(dag, 0.5);

  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < m; ++j) {
      const RungScalar other = minus ? RungDagNeg(dag, a[j * m + i]) : a[j * m + i];

      out[i * m + j] = RungDagMul(dag, half, RungDagAdd(dag, a[i * m + j], other));
    }
  }
}

static PetscErrorCode expand_sym(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  symmetric_part(dag, node, PETSC_FALSE, out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_skew(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  symmetric_part(dag, node, PETSC_TRUE, out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_transpose(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt rows = node->shape[0], cols = node->shape[1];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt j = 0; j < cols; ++j) out[i * cols + j] = argument_components(dag, node, 0)[j * rows + i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_vector(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < node->args; ++a) {
    for (PetscInt i = 0; i < node_size(arg_node(dag, node, a)); ++i) out[n++] = argument_components(dag, node, a)[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* if(part, a, if(part, b, .. last)): every place is in exactly one of them, which is checked where the places are known */
static PetscErrorCode expand_value(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < node_size(node); ++i) {
    RungScalar arg[3] = {-1, -1, argument_components(dag, node, node->args - 1)[i]};

    for (PetscInt a = node->args - 4; a >= 0; a -= 2) {
      arg[0] = argument_components(dag, node, a)[0];
      arg[1] = argument_components(dag, node, a + 1)[i];
      arg[2] = RungDagOp(dag, RUNG_OP_IF, arg);
    }
    out[i] = arg[2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_unit(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < node_size(node); ++i) out[i] = i == node->index[0] ? dag->one : dag->zero;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[i, ..]: the leading indices are given, what remains is contiguous */
static PetscErrorCode expand_index(RungDag dag, const RungNode *node, RungScalar out[])
{
  const RungNode *from  = arg_node(dag, node, 0);
  const PetscInt  given = from->rank - node->rank;
  PetscInt        start = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < given; ++i) start = start * from->shape[i] + node->index[i];
  start *= node_size(node);
  for (PetscInt i = 0; i < node_size(node); ++i) out[i] = argument_components(dag, node, 0)[start + i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------ */

/* out[component * dim + axis] = d a[component] / d x_axis */
static PetscErrorCode gradient(RungDag dag, PetscInt n, const RungScalar a[], RungScalar out[])
{
  RUNG_FREE RungScalar *d = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &d));
  for (PetscInt axis = 0; axis < dag->dim; ++axis) {
    PetscCall(RungDagGrad(dag, axis, n, a, d));
    for (PetscInt i = 0; i < n; ++i) out[i * dag->dim + axis] = d[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_grad(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  PetscCall(gradient(dag, node_size(arg_node(dag, node, 0)), argument_components(dag, node, 0), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_divergence(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt        n = node_size(node), dim = dag->dim;
  RUNG_FREE RungScalar *d      = NULL;
  RUNG_FREE RungScalar *column = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &column));
  PetscCall(PetscMalloc1(n, &d));
  for (PetscInt i = 0; i < n; ++i) out[i] = dag->zero;
  for (PetscInt axis = 0; axis < dim; ++axis) {
    for (PetscInt i = 0; i < n; ++i) column[i] = argument_components(dag, node, 0)[i * dim + axis];
    PetscCall(RungDagGrad(dag, axis, n, column, d));
    for (PetscInt i = 0; i < n; ++i) out[i] = RungDagAdd(dag, out[i], d[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_curl(RungDag dag, const RungNode *node, RungScalar out[])
{
  const PetscInt dim = dag->dim;
  RungScalar     g[9];

  PetscFunctionBegin;
  PetscCall(gradient(dag, dim, argument_components(dag, node, 0), g));
  if (dim == 2) out[0] = RungDagSub(dag, g[2], g[1]);
  for (int i = 0; dim == 3 && i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;

    out[i] = RungDagSub(dag, g[3 * k + j], g[3 * j + k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_dt(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  PetscCall(RungDagDt(dag, node_size(node), argument_components(dag, node, 0), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_derive(RungDag dag, const RungNode *node, RungScalar out[])
{
  const RungNode *unknown = arg_node(dag, node, 1);

  PetscFunctionBegin;
  PetscCall(RungDagDirectional(dag, unknown->index[0], argument_components(dag, node, 2), node_size(node),
                               argument_components(dag, node, 0), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_diff(RungDag dag, const RungNode *node, RungScalar out[])
{
  const RungNode *variable = arg_node(dag, node, 1);
  const PetscInt  value    = RungScopeVariableValue(dag->scope, variable->index[0]);

  PetscFunctionBegin;
  PetscCall(RungDagDiff(dag, variable->index[0], node_size(variable), dag->component[value],
                        node_size(arg_node(dag, node, 0)), argument_components(dag, node, 0), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sides of facets --------------------------------------------------------------------------------------------- */

static PetscErrorCode expand_plus(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < node_size(node); ++i) out[i] = argument_components(dag, node, 0)[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expand_minus(RungDag dag, const RungNode *node, RungScalar out[])
{
  PetscFunctionBegin;
  PetscCall(RungDagMinus(dag, node_size(node), argument_components(dag, node, 0), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

typedef PetscErrorCode ExpandFn(RungDag dag, const RungNode *node, RungScalar out[]);

static ExpandFn *const expand[RUNG_OPS] = {
#define RUNG_TERMINAL(code, name, doc, example)                                    [RUNG_OP_##code] = expand_terminal,
#define RUNG_TENSOR(code, name, min, max, test, shape, expand, rule, doc, example) [RUNG_OP_##code] = expand,
#include "ops.def"
};

static PetscErrorCode expand_node(RungDag dag, PetscInt id)
{
  const RungNode *node = RungScopeNode(dag->scope, id);

  PetscFunctionBegin;
  dag->place = id;
  PetscCall(PetscMalloc1(node_size(node), &dag->component[id]));
  if (rung_ops[node->op].class_ == RUNG_CLASS_SCALAR) {
    RungScalar arg[3] = {-1, -1, -1};

    for (PetscInt i = 0; i < node->args; ++i) arg[i] = argument_components(dag, node, i)[0];
    dag->component[id][0] = RungDagOp(dag, node->op, arg);
  } else {
    PetscCheck(expand[node->op], RungScopeComm(dag->scope), PETSC_ERR_PLIB, "\"%s\" is not a point value",
               rung_ops[node->op].name);
    PetscCall(expand[node->op](dag, node, dag->component[id]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void want(RungDag dag, PetscInt node, PetscInt *first)
{
  if (dag->component[node]) return;
  dag->wanted[node] = PETSC_TRUE;
  *first            = PetscMin(*first, node);
}

/* Arguments, and the values of variables, have smaller numbers than the nodes that use them. */
PetscErrorCode RungDagExpand(RungDag dag, PetscInt node, PetscInt *n, const RungScalar **component)
{
  const PetscInt before = dag->place;
  PetscInt       first  = node; /* the least number among what is wanted */

  PetscFunctionBegin;
  if (node >= dag->expanded) {
    const PetscInt room = PetscMax(node + 1, 2 * dag->expanded);

    PetscCall(PetscRealloc((size_t)room * sizeof *dag->component, &dag->component));
    PetscCall(PetscRealloc((size_t)room * sizeof *dag->wanted, &dag->wanted));
    for (; dag->expanded < room; ++dag->expanded) {
      dag->component[dag->expanded] = NULL;
      dag->wanted[dag->expanded]    = PETSC_FALSE;
    }
  }
  dag->wanted[node] = PETSC_TRUE;
  for (PetscInt id = node; id >= first; --id) {
    const RungNode *from = RungScopeNode(dag->scope, id);

    if (dag->component[id]) dag->wanted[id] = PETSC_FALSE;
    if (!dag->wanted[id]) continue;
    for (PetscInt i = 0; i < from->args; ++i) want(dag, from->arg[i], &first);
    if (from->op == RUNG_OP_VARIABLE) want(dag, RungScopeVariableValue(dag->scope, from->index[0]), &first);
  }
  for (PetscInt id = first; id <= node && !dag->error; ++id) {
    if (dag->wanted[id]) PetscCall(expand_node(dag, id)); /* which may expand others, and move the lists */
    dag->wanted[id] = PETSC_FALSE;
  }
  dag->place = before;
  if (n) *n = node_size(RungScopeNode(dag->scope, node));
  *component = dag->component[node];
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
