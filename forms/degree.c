/* degree.c - the quadrature degree of an integrand.

   Counted per axis on boxes, in total on simplices, as the rules are: an unknown, test or field of degree p counts p,
   on simplices less one for each derivative in space; x counts 1; what is constant on a cell 0.  Products and quotients
   add, sums take the larger, any other function adds 2 to its operands, selection by something variable too.

   On curved cells, with a map of degree k, x counts k and det J is a factor of its own: of total degree dim (k - 1) on
   simplices, where it is added; on boxes its degree per axis, dim k - 1, is a lower bound of the result. */
#include "scalar_impl.h"

static PetscErrorCode InputSpace(RungDag dag, const RungInput *input, RungSpace *space)
{
  PetscFunctionBegin;
  if (input->kind == RUNG_IN_FIELD)
    PetscCall(RungFieldGetSpace(RungScopeFieldOf(dag->scope, input->index), space));
  else
    *space = RungScopeUnknownSpace(dag->scope, input->index);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *InputName(RungDag dag, const RungInput *input)
{
  if (input->kind == RUNG_IN_FIELD) return RungScopeFieldName(dag->scope, input->index);
  return input->kind == RUNG_IN_TEST ? RungScopeTestName(dag->scope, input->index)
                                     : RungScopeUnknownName(dag->scope, input->index);
}

/* The mesh of a form, of which all unknowns are functions. */
static PetscErrorCode FormMesh(RungDag dag, const RungMeshData **mesh)
{
  const RungSpaceData *data;

  PetscFunctionBegin;
  *mesh = NULL;
  if (!RungScopeUnknowns(dag->scope)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(dag->scope, 0), &data));
  PetscCall(RungMeshGetData(data->mesh, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What x counts, and the degree of the integrand with det J. */
static PetscErrorCode MapDegree(RungDag dag, PetscInt *x, PetscInt *integrand)
{
  const RungMeshData *mesh;
  PetscInt            k;

  PetscFunctionBegin;
  PetscCall(FormMesh(dag, &mesh));
  k = mesh ? mesh->geometry_degree : 1;
  if (x) *x = PetscMax(k, 1);
  if (integrand && k > 1) {
    if (RungCellGet(mesh->type)->simplex)
      *integrand += mesh->dim * (k - 1);
    else
      *integrand = PetscMax(*integrand, mesh->dim * k - 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The degree an input adds; values at quadrature points force the rule: *rule, *forcing are the first such input's. */
static PetscErrorCode InputDegree(RungDag dag, const RungInput *input, PetscInt *degree, PetscInt *rule,
                                  const char **forcing)
{
  RungSpace            space;
  const RungSpaceData *data;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  *degree = 0;
  if (input->kind == RUNG_IN_X) PetscCall(MapDegree(dag, degree, NULL));
  if (input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_TEST && input->kind != RUNG_IN_FIELD) {
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(InputSpace(dag, input, &space));
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
                  *forcing, *rule, InputName(dag, input), data->degree);
    }
    *degree  = 0;
    *rule    = data->degree;
    *forcing = InputName(dag, input);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* degree of an operator's result from those of its operands */
static PetscInt OpDegree(RungDag dag, RungScalar s, const PetscInt d[3])
{
  const RungScalarNode *node = &dag->node[s];
  const PetscInt        most = PetscMax(d[0], PetscMax(d[1], d[2]));
  double                exponent;

  switch (node->op) {
  case RUNG_OP_ADD:
  case RUNG_OP_NEG: return most;
  case RUNG_OP_MUL:
  case RUNG_OP_DIV: return d[0] + d[1];
  case RUNG_OP_IF: return PetscMax(d[1], d[2]) + (d[0] > 0 ? 2 : 0);
  case RUNG_OP_POW:
    if (RungDagIsNumber(dag, node->arg[1], &exponent) && exponent >= 0 && exponent < 1e3 &&
        exponent == (PetscInt)exponent) {
      return d[0] * (PetscInt)exponent;
    } /* fall through */
  default: return most > 0 ? most + 2 : 0;
  }
}

PetscErrorCode RungDagDegree(RungDag dag, RungScalar integrand, PetscInt wanted, PetscInt fallback, PetscInt node,
                             PetscInt *degree)
{
  const char *forcing = NULL;
  PetscInt   *d, n, rule = -1;
  RungScalar *list;

  PetscFunctionBegin;
  dag->place = node;
  PetscCall(RungDagReach(dag, 1, &integrand, ~0u, &n, &list));
  PetscCall(PetscCalloc1(integrand + 1, &d));
  for (PetscInt i = 0; i < n; ++i) {
    const RungScalar *arg     = dag->node[list[i]].arg;
    const PetscInt    of[3]   = {arg[0] < 0 ? 0 : d[arg[0]], arg[1] < 0 ? 0 : d[arg[1]], arg[2] < 0 ? 0 : d[arg[2]]};
         const RungInput *input = RungDagGetInput(dag, list[i]);

    if (input)
      PetscCall(InputDegree(dag, input, &d[list[i]], &rule, &forcing));
    else
      d[list[i]] = OpDegree(dag, list[i], of);
  }
  if (rule >= 0 && wanted >= 0 && wanted != rule) {
    RungDagFail(dag, PETSC_ERR_ARG_INCOMP,
                "quadrature degree %" PetscInt_FMT
                " is asked for, but \"%s\" lives at the points of degree %" PetscInt_FMT
                "; leave the degree out or make it %" PetscInt_FMT,
                wanted, forcing, rule, rule);
  }
  PetscCall(MapDegree(dag, NULL, &d[integrand]));
  *degree = rule >= 0 ? rule : (wanted >= 0 ? wanted : (fallback >= 0 ? fallback : d[integrand]));
  PetscCall(PetscFree(d));
  PetscCall(PetscFree(list));
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
