/* degree.c - the quadrature degree of an integrand.

   Counted per axis on boxes, in total on simplices, as the rules are: an unknown, test or field of degree p counts p,
   on simplices less one for each derivative in space; x counts 1; what is constant on a cell 0.  Products and quotients
   add, sums take the larger, any other function adds 2 to its operands, selection by something variable too.

   That is exact for polynomials.  What is not polynomial has no exact rule, and adding up grows without use: the
   transposed inverse of a deformation gradient counts five times it.  Where test functions stand, the order of
   convergence asks for 2 p - 2 alone (docs/decisions/008-quadrature-degree.md), so there a coefficient that is not
   polynomial counts at most M + 2, M the highest count of any function in the integrand, or as much as its polynomial
   factors if that is more; the test function is added to it.  A number that is asked for (no test function) adds up.

   On cells that are no affine images, with a map of degree k, x counts k and det J is a factor of its own: of total degree
   dim (k - 1) on simplices, where it is added; on boxes of degree dim k - 1 per axis.  There it is added where no unknown
   meets a test function: numbers and loads are exact.  Where they meet, the order of convergence does not ask for it, and
   it is a lower bound of the result.

   dx(rule: nodes) has the points where the test functions have their nodes (where there are none: all functions), which have to be
   those of one degree on cells, or facets, whose rule there has positive weights.

   Counts stop at MANY, so that no power of a power overflows; rules stop at RUNG_QUADRATURE_MOST, above which an integral
   has to say its degree. */
#include <rungown_room.h>
#include "rungnodal_room.h"
#include "scalar_impl.h"
#include <math.h>
#include <string.h>

static PetscErrorCode input_space(RungDag dag, const RungInput *input, RungSpace *space)
{
  PetscFunctionBegin;
  if (input->kind == RUNG_IN_FIELD)
    PetscCall(RungFieldGetSpace(RungScopeFieldOf(dag->scope, input->index), space));
  else
    *space = RungScopeUnknownSpace(dag->scope, input->index);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *input_name(RungDag dag, const RungInput *input)
{
  if (input->kind == RUNG_IN_FIELD) return RungScopeFieldName(dag->scope, input->index);
  return input->kind == RUNG_IN_TEST ? RungScopeTestName(dag->scope, input->index)
                                     : RungScopeUnknownName(dag->scope, input->index);
}

/* The mesh of a form, of which all unknowns are functions. */
static PetscErrorCode form_mesh(RungDag dag, const RungMeshData **mesh)
{
  const RungSpaceData *data;

  PetscFunctionBegin;
  *mesh = NULL;
  if (!RungScopeUnknowns(dag->scope)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(dag->scope, 0), &data));
  PetscCall(RungMeshGetData(data->mesh, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What x counts. */
static PetscErrorCode map_degree(RungDag dag, PetscInt *degree)
{
  const RungMeshData *mesh;

  PetscFunctionBegin;
  PetscCall(form_mesh(dag, &mesh));
  *degree = PetscMax(1, mesh ? mesh->geometry_degree : 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The degree of an integrand with det J. */
static PetscErrorCode add_map(RungDag dag, RungScalar integrand, PetscInt *degree)
{
  const unsigned      both = 1u << RUNG_IN_TEST | 1u << RUNG_IN_UNKNOWN;
  const RungMeshData *mesh;
  PetscInt            k;

  PetscFunctionBegin;
  PetscCall(form_mesh(dag, &mesh));
  if (!mesh || mesh->affine || mesh->geometry_degree < 1) PetscFunctionReturn(PETSC_SUCCESS);
  k = mesh->geometry_degree;
  if (RungCellGet(mesh->type)->simplex)
    *degree += mesh->dim * (k - 1);
  else if ((dag->node[integrand].uses & both) == both)
    *degree = PetscMax(*degree, mesh->dim * k - 1);
  else
    *degree += mesh->dim * k - 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The degree an input adds; values at quadrature points force the rule: *rule, *forcing are the first such input's. */
static PetscErrorCode input_degree(RungDag dag, const RungInput *input, PetscInt *degree, PetscInt *rule,
                                   const char **forcing)
{
  RungSpace            space;
  const RungSpaceData *data;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  *degree = 0;
  if (input->kind == RUNG_IN_X) PetscCall(map_degree(dag, degree));
  if (input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_TEST && input->kind != RUNG_IN_FIELD) {
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(input_space(dag, input, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  *degree = data->degree;
  if (RungCellGet(mesh->type)->simplex && input->derivative > 0) *degree -= input->derivative <= dag->dim ? 1 : 2;
  *degree = PetscMax(*degree, 0);
  if (mesh->type == RUNG_POINT) *degree = 0;
  if (data->quadrature) {
    if (*rule >= 0 && *rule != data->degree) {
      RungDagFail(dag, PETSC_ERR_ARG_INCOMP,
                  "\"%s\" lives at the points of quadrature degree %" PetscInt_FMT
                  " and \"%s\" at those of %" PetscInt_FMT
                  "; one integral has one rule, give them spaces Quad(q) of one q",
                  *forcing, *rule, input_name(dag, input), data->degree);
    }
    if (input->derivative > 0) {
      RungDagFail(dag, PETSC_ERR_SUP,
                  "\"%s\" lives at the points of quadrature degree %" PetscInt_FMT
                  " and has no gradient; give it a space of P or Q, or DP or DQ",
                  input_name(dag, input), data->degree);
    }
    *degree  = 0;
    *rule    = data->degree;
    *forcing = input_name(dag, input);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MANY 1000000 /* a count that is this or more */

static PetscInt add_degrees(PetscInt a, PetscInt b)
{
  return PetscMin(a + b, MANY); /* neither is more than MANY */
}

static PetscInt multiply_degrees(PetscInt a, double factor)
{
  return (PetscInt)PetscMin((double)a * factor, (double)MANY);
}

/* What is known of a node: sums of degrees, of all and of its polynomial factors alone, and that of its test function. */
typedef struct {
  PetscInt  all, factors, test;
  PetscBool polynomial;
} Count;

static Count product(Count a, Count b)
{
  return (Count){.all        = add_degrees(a.all, b.all),
                 .factors    = add_degrees(a.factors, b.factors),
                 .test       = add_degrees(a.test, b.test),
                 .polynomial = a.polynomial && b.polynomial ? PETSC_TRUE : PETSC_FALSE};
}

static Count larger(Count a, Count b)
{
  return (Count){.all        = PetscMax(a.all, b.all),
                 .factors    = PetscMax(a.factors, b.factors),
                 .test       = PetscMax(a.test, b.test),
                 .polynomial = a.polynomial && b.polynomial ? PETSC_TRUE : PETSC_FALSE};
}

/* Something that is not polynomial, of a; `more` is added to sums. */
static Count function(Count a, PetscInt more)
{
  return a.all ? (Count){.all = add_degrees(a.all, more), .polynomial = PETSC_FALSE} : a;
}

/* the count of an operator's result from those of its operands */
static Count op_count(RungDag dag, RungScalar s, const Count of[3])
{
  const RungScalarNode *node = &dag->node[s];
  Count                 result;
  double                exponent;

  switch (node->op) {
  case RUNG_OP_ADD:
  case RUNG_OP_NEG: return larger(of[0], of[1]);
  case RUNG_OP_MUL: return product(of[0], of[1]);
  case RUNG_OP_DIV: return product(of[0], function(of[1], 0));
  case RUNG_OP_IF:
    result     = larger(of[1], of[2]);
    result.all = add_degrees(result.all, of[0].all ? 2 : 0);
    if (of[0].all) result.polynomial = PETSC_FALSE;
    return result;
  case RUNG_OP_POW:
    if (RungDagIsNumber(dag, node->arg[1], &exponent) && exponent >= 0 && exponent == floor(exponent)) {
      result         = of[0];
      result.all     = multiply_degrees(result.all, exponent);
      result.factors = multiply_degrees(result.factors, exponent);
      return result;
    } /* fall through */
  default: return function(larger(of[0], larger(of[1], of[2])), 2);
  }
}

/* Inputs first: their highest count bounds what is not polynomial. */
static PetscErrorCode count_inputs(RungDag dag, PetscInt n, const RungScalar list[], Count count[], PetscInt *highest,
                                   PetscInt *rule, const char **forcing)
{
  PetscFunctionBegin;
  *highest = 0;
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput *input = RungDagGetInput(dag, list[i]);
    PetscInt         degree;

    if (!input) continue;
    PetscCall(input_degree(dag, input, &degree, rule, forcing));
    *highest = PetscMax(*highest, degree);
    count[i] = (Count){.all = degree, .factors = degree, .polynomial = PETSC_TRUE};
    if (input->kind == RUNG_IN_TEST) count[i].test = degree;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The estimate; *rule >= 0: values at quadrature points force it. */
static PetscErrorCode estimate_degree(RungDag dag, RungScalar integrand, PetscInt *degree, PetscInt *rule,
                                      const char **forcing)
{
  const Count           nothing = {.polynomial = PETSC_TRUE};
  PetscInt              n, highest;
  RUNG_FREE RungScalar *list = NULL;
  Count                 last;
  RUNG_FREE Count      *count = NULL;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, 1, &integrand, ~0u, &n, &list));
  PetscCall(PetscCalloc1(n, &count)); /* of list[i] */
  PetscCall(count_inputs(dag, n, list, count, &highest, rule, forcing));
  for (PetscInt i = 0; i < n; ++i) {
    Count of[3];

    if (RungDagGetInput(dag, list[i])) continue;
    for (int a = 0; a < 3; ++a) {
      const RungScalar arg = dag->node[list[i]].arg[a];
      PetscInt         at  = -1;

      if (arg >= 0) PetscCall(PetscFindInt(arg, i, list, &at));
      of[a] = at < 0 ? nothing : count[at];
    }
    count[i] = op_count(dag, list[i], of);
  }
  last    = n ? count[n - 1] : nothing; /* the integrand */
  *degree = last.all;
  if (!last.polynomial && (dag->node[integrand].uses & (1u << RUNG_IN_TEST)))
    *degree = PetscMin(*degree, PetscMax(last.factors, add_degrees(last.test, highest + 2)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The highest degree among functions of a kind that have nodes; -1: there is none.  name: its. */
static PetscErrorCode node_degree(RungDag dag, RungScalar integrand, RungInputKind kind, PetscInt *degree,
                                  const RungSpaceData **highest, const char **name)
{
  PetscInt    n;
  RungScalar *list;

  PetscFunctionBegin;
  *degree = -1;
  PetscCall(RungDagReach(dag, 1, &integrand, ~0u, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput     *input = RungDagGetInput(dag, list[i]);
    const RungSpaceData *data;
    RungSpace            space;

    if (!input || input->kind != kind) continue;
    PetscCall(input_space(dag, input, &space));
    PetscCall(RungSpaceGetData(space, &data));
    if (data->single || data->quadrature || data->degree <= *degree) continue;
    *degree  = data->degree;
    *highest = data;
    *name    = input_name(dag, input);
  }
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where an integral has its points: the cells, their facets, their edges. */
static RungCellType place_type(const RungMeshData *mesh, RungDomain domain)
{
  switch (domain) {
  case RUNG_BOUNDARY:
  case RUNG_INTERIOR_FACETS: return RungCellGet(mesh->type)->facet_type;
  case RUNG_EDGES: return RUNG_INTERVAL;
  default: return mesh->type;
  }
}

/* The degree of the rule at nodes; what has one point anyway, or no nodes, keeps its estimate. */
static PetscErrorCode take_nodes(RungDag dag, RungScalar integrand, RungDomain domain, PetscInt *degree)
{
  const RungSpaceData  *space = NULL;
  const RungMeshData   *mesh;
  const RungQuadrature *rule;
  const char           *name = NULL;
  RungCellType          type;
  PetscInt              p;

  PetscFunctionBegin;
  PetscCall(form_mesh(dag, &mesh));
  PetscCall(node_degree(dag, integrand, RUNG_IN_TEST, &p, &space, &name));
  if (p < 0) PetscCall(node_degree(dag, integrand, RUNG_IN_UNKNOWN, &p, &space, &name));
  if (!mesh || p < 0 || domain == RUNG_VERTICES || domain == RUNG_GLOBAL) PetscFunctionReturn(PETSC_SUCCESS);
  type    = place_type(mesh, domain);
  *degree = 0;
  if (!p || RungCellGet(type)->dim == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (RungQuadratureHasNodes(type, p)) {
    *degree = RUNG_QUADRATURE_NODES + p;
    PetscCall(RungQuadratureGet(type, *degree, &rule));
    if (domain != RUNG_CELLS || rule->points == space->cell_nodes) PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungDagFail(
    dag, PETSC_ERR_SUP,
    "no rule with positive weights has its points at the nodes of %s on %s cells, which \"%s\" has; take P1 on "
    "simplices, Q of any degree on boxes, or leave \"rule: nodes\" away",
    space->spec, RungCellGet(type)->name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_limit(RungDag dag, PetscInt degree, PetscBool estimated)
{
  if (degree <= RUNG_QUADRATURE_MOST) return;
  if (estimated)
    RungDagFail(dag, PETSC_ERR_ARG_OUTOFRANGE,
                "the powers and products of the integrand have degree %" PetscInt_FMT
                "%s, and rules end at %d; give the integral a degree of its own, like dx(degree: 8)",
                PetscMin(degree, MANY), degree >= MANY ? " or more" : "", RUNG_QUADRATURE_MOST);
  else
    RungDagFail(dag, PETSC_ERR_ARG_OUTOFRANGE, "quadrature degree %" PetscInt_FMT " is asked for; wanted at most %d",
                degree, RUNG_QUADRATURE_MOST);
}

PetscErrorCode RungDagDegree(RungDag dag, RungScalar integrand, PetscInt wanted, PetscInt fallback, PetscInt node,
                             PetscInt *degree)
{
  const char *forcing = NULL;
  PetscInt    estimate, rule = -1;

  PetscFunctionBegin;
  dag->place = node;
  PetscCall(estimate_degree(dag, integrand, &estimate, &rule, &forcing));
  if (rule >= 0 && RungScopeNode(dag->scope, node)->index[0] != RUNG_CELLS) {
    RungDagFail(dag, PETSC_ERR_SUP,
                "\"%s\" lives at the points of dx of degree %" PetscInt_FMT
                " and has no value elsewhere; keep it under dx, or give it a space of DP or DQ",
                forcing, rule);
  } else if (rule >= 0 && wanted >= 0 && wanted != rule) { /* nodes of Quad are those points */
    RungDagFail(dag, PETSC_ERR_ARG_INCOMP,
                "quadrature degree %" PetscInt_FMT
                " is asked for, but \"%s\" lives at the points of degree %" PetscInt_FMT
                "; leave the degree out or make it %" PetscInt_FMT,
                wanted, forcing, rule, rule);
  }
  PetscCall(add_map(dag, integrand, &estimate));
  *degree = rule >= 0 ? rule : (wanted >= 0 ? wanted : (fallback >= 0 ? fallback : estimate));
  if (rule < 0 && wanted == RUNG_AT_NODES) {
    PetscCall(take_nodes(dag, integrand, (RungDomain)RungScopeNode(dag->scope, node)->index[0], degree));
    PetscCall(RungDagCheck(dag));
    if (*degree > RUNG_QUADRATURE_NODES) PetscFunctionReturn(PETSC_SUCCESS);
  }
  check_limit(dag, *degree, rule < 0 && wanted < 0 && fallback < 0 ? PETSC_TRUE : PETSC_FALSE);
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungSameRule(RungCellType type, PetscInt a, PetscInt b, PetscBool *same)
{
  const RungQuadrature *of[2];
  const size_t          dim = (size_t)RungCellGet(type)->dim;

  PetscFunctionBegin;
  *same = a == b ? PETSC_TRUE : PETSC_FALSE;
  if (*same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungQuadratureGet(type, a, &of[0]));
  PetscCall(RungQuadratureGet(type, b, &of[1]));
  if (of[0]->points == of[1]->points) {
    const size_t n = (size_t)of[0]->points * sizeof(PetscReal);

    *same = !memcmp(of[0]->x, of[1]->x, n * dim) && !memcmp(of[0]->weight, of[1]->weight, n) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagSameRule(RungDag dag, RungDomain domain, PetscInt a, PetscInt b, PetscBool *same)
{
  const RungMeshData *mesh;
  const RungCell     *cell;

  PetscFunctionBegin;
  PetscCall(form_mesh(dag, &mesh));
  *same = a == b ? PETSC_TRUE : PETSC_FALSE;
  if (*same || !mesh) PetscFunctionReturn(PETSC_SUCCESS);
  cell = RungCellGet(mesh->type);
  switch (domain) {
  case RUNG_CELLS: PetscCall(RungSameRule(mesh->type, a, b, same)); break;
  case RUNG_BOUNDARY:
  case RUNG_INTERIOR_FACETS: PetscCall(RungSameRule(cell->facet_type, a, b, same)); break;
  case RUNG_EDGES: PetscCall(RungSameRule(RUNG_INTERVAL, a, b, same)); break;
  default: *same = PETSC_TRUE; /* of a point */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
