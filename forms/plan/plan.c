/* plan.c - what a kernel has to do for one integral on one layout: tables, rates, evaluations. */
#include "kernel_impl.h"
#include <math.h>
#include <stdlib.h>

PetscErrorCode RungAlignedAlloc(size_t count, double **memory)
{
  const size_t size = ((count ? count : 1) * sizeof(double) + 63) / 64 * 64;

  PetscFunctionBegin;
  *memory = (double *)aligned_alloc(64, size);
  PetscCheck(*memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes of kernel work space", size);
  PetscCall(PetscMemzero(*memory, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static PetscInt derivative_count(PetscInt axes, PetscInt order)
{
  const PetscInt count[3] = {1, 1 + axes, 1 + axes + axes * (axes + 1) / 2};

  return order < 0 ? 0 : count[order];
}

static PetscInt derivative_order(PetscInt axes, PetscInt derivative)
{
  return derivative == 0 ? 0 : derivative <= axes ? 1 : 2;
}

/* Rounding that would keep a 0 or 1 from being seen as one. */
static double clean(double value)
{
  const double whole = round(value);

  return fabs(value - whole) < 4e-15 * PetscMax(1, fabs(whole)) ? whole + 0. : value;
}

static PetscErrorCode find_rule(RungPlan plan, PetscInt side, const RungQuadrature **rule)
{
  PetscFunctionBegin;
  if (plan->entity >= 0)
    PetscCall(RungQuadratureGetEntity(plan->type, plan->entity, side, plan->integral->degree, rule));
  else if (plan->facets)
    PetscCall(
      RungQuadratureGetFacetTurned(plan->type, side / plan->turns, side % plan->turns, plan->integral->degree, rule));
  else
    PetscCall(RungQuadratureGet(plan->type, plan->integral->degree, rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sides are the vertices or the edges of a cell. */
static PetscErrorCode set_entities(RungPlan plan)
{
  const RungCell *cell = RungCellGet(plan->type);
  PetscInt        m, stride;
  const PetscInt *corner;

  PetscFunctionBegin;
  PetscCall(RungCellEntities(cell, plan->entity, &plan->sides, &m, &corner, &stride));
  for (PetscInt e = 0; e < (plan->entity ? plan->sides : 0); ++e) {
    for (PetscInt a = 0; a < plan->axes; ++a)
      plan->tangent[e][a] = cell->x[corner[e * stride + 1]][a] - cell->x[corner[e * stride]][a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_rule(RungPlan plan)
{
  const RungQuadrature *rule;

  PetscFunctionBegin;
  plan->sides = plan->facets ? RungCellGet(plan->type)->facets * plan->turns : 1;
  if (plan->entity >= 0) PetscCall(set_entities(plan));
  PetscCall(find_rule(plan, 0, &rule));
  plan->points = rule->points;
  PetscCall(PetscMalloc1(plan->sides * plan->points, &plan->weight));
  for (PetscInt side = 0; side < plan->sides; ++side) {
    PetscCall(find_rule(plan, side, &rule));
    PetscCheck(rule->points == plan->points, PETSC_COMM_SELF, PETSC_ERR_PLIB, "facets of a %s have different rules",
               RungCellGet(plan->type)->name);
    for (PetscInt q = 0; q < rule->points; ++q) plan->weight[side * plan->points + q] = rule->weight[q];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table[derivative][point][node] of one side: of a space, of values at points, or of the geometry (space NULL) */
static PetscErrorCode tabulate_side(RungPlan plan, RungSpace space, const RungBasis *basis, const RungQuadrature *rule,
                                    double table[])
{
  const RungSpaceData *data;
  PetscBool            here;

  PetscFunctionBegin;
  if (!space) {
    PetscCall(RungCellTabulate(plan->type, plan->geometry_degree, rule->points, rule->x, basis->order, table));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSpaceGetData(space, &data));
  if (!data->quadrature) {
    PetscCall(RungSpaceTabulate(space, rule->points, rule->x, basis->order, table));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSameRule(plan->type, data->degree, plan->integral->degree, &here));
  PetscCheck(!plan->facets && here && basis->order == 0, RungScopeComm(plan->scope), PETSC_ERR_SUP,
             "a function of %s has values at the points of dx of degree %" PetscInt_FMT
             " only, found %s of degree %" PetscInt_FMT "%s; write dx(degree: %" PetscInt_FMT ")",
             data->spec, data->degree,
             plan->cells > 1 ? "dS"
             : plan->facets  ? "ds"
                             : "dx",
             plan->integral->degree, basis->order ? " and a gradient" : "", data->degree);
  PetscCall(PetscMemzero(table, (size_t)(rule->points * rule->points) * sizeof *table));
  for (PetscInt q = 0; q < rule->points; ++q) table[q * rule->points + q] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void classify(RungBasis *basis, PetscInt derivatives, PetscInt sides, PetscInt points)
{
  for (PetscInt r = 0; r < derivatives; ++r) {
    double *table = basis->table + r * sides * points * basis->nodes;

    basis->constant[r] = basis->zero[r] = PETSC_TRUE;
    for (PetscInt k = 0; k < sides * points * basis->nodes; ++k) {
      table[k] = clean(table[k]);
      if (table[k] != 0) basis->zero[r] = PETSC_FALSE;
    }
    /* of P1 gradients, equal to rounding: the first point's values are taken at all points */
    for (PetscInt k = 0; k < sides * points * basis->nodes; ++k) {
      if (fabs(table[k] - table[k % basis->nodes]) > 4e-15 * PetscMax(1, fabs(table[k]))) {
        basis->constant[r] = PETSC_FALSE;
      }
    }
    if (!basis->constant[r]) continue;
    for (PetscInt k = 0; k < sides * points * basis->nodes; ++k) table[k] = table[k % basis->nodes];
  }
}

static PetscErrorCode create_tables(RungPlan plan, RungSpace space, RungBasis *basis)
{
  const PetscInt derivatives = derivative_count(plan->axes, basis->order), block = plan->points * basis->nodes;
  const double   numbers = (double)derivatives * (plan->sides + 1.) * (double)plan->points * (double)basis->nodes;
  double        *side_table;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  if (basis->order < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungWorkAllow(numbers * (RungCellGet(plan->type)->simplex ? (double)basis->nodes : 10), numbers,
                          "%s: the table of %" PetscInt_FMT " functions at %" PetscInt_FMT " points",
                          plan->integral->text, basis->nodes, plan->points));
  PetscCall(PetscMalloc1(derivatives * plan->sides * block, &basis->table));
  PetscCall(PetscMalloc1(derivatives * block, &side_table));
  for (PetscInt side = 0; side < plan->sides && !code; ++side) {
    const RungQuadrature *rule;

    PetscCall(find_rule(plan, side, &rule));
    code = tabulate_side(plan, space, basis, rule, side_table);
    for (PetscInt r = 0; r < derivatives && !code; ++r) {
      PetscCall(PetscArraycpy(basis->table + (r * plan->sides + side) * block, side_table + r * block, block));
    }
  }
  PetscCall(PetscFree(side_table));
  PetscCall(code); /* a space without derivatives, or without values at these points */
  classify(basis, derivatives, plan->sides, plan->points);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const double *RungBasisTable(RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt side)
{
  return basis->table + (r * plan->sides + side) * plan->points * basis->nodes;
}

/* ---- which derivatives of which functions ------------------------------------------------------------------------ */

PetscInt RungPlanReferences(RungPlan plan, const RungBasis *basis, PetscInt s, PetscInt r[])
{
  const PetscInt order = derivative_order(plan->axes, s);
  PetscInt       n     = 0;

  if (order == 0) {
    if (!basis->zero[0]) r[n++] = 0;
    return n;
  }
  for (PetscInt d = 1; d < derivative_count(plan->axes, 2); ++d) {
    const PetscBool used = plan->straight || plan->integral->in_reference
                             ? d == s
                             : derivative_order(plan->axes, d) == order || (order == 2 && !plan->affine);

    if (used && derivative_order(plan->axes, d) <= basis->order && !basis->zero[d]) r[n++] = d;
  }
  return n;
}

static PetscErrorCode use_derivative(RungPlan plan, RungBasis *basis, PetscInt derivative)
{
  PetscFunctionBegin;
  PetscCheck(!derivative || plan->axes, RungScopeComm(plan->scope), PETSC_ERR_SUP,
             "form needs a gradient, but a mesh of points has none");
  basis->order = PetscMax(basis->order, derivative_order(plan->axes, derivative));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungBasis *source_basis(RungPlan plan, const RungInput *input)
{
  if (input->kind == RUNG_IN_UNKNOWN) return &plan->basis[input->index];
  if (input->kind == RUNG_IN_FIELD) return &plan->basis[plan->unknowns + input->index];
  return NULL;
}

static PetscErrorCode find_uses(RungPlan plan)
{
  const RungIntegral *integral = plan->integral;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < integral->tape.inputs; ++i) {
    const RungInput *input  = &integral->tape.input[i];
    RungBasis       *source = source_basis(plan, input);

    if (source) PetscCall(use_derivative(plan, source, input->derivative));
    if (input->kind == RUNG_IN_UNKNOWN) plan->levels[input->k] = PETSC_TRUE;
    if (input->kind == RUNG_IN_X) plan->x = PETSC_TRUE;
    if (input->kind == RUNG_IN_CELL) plan->sizes = PETSC_TRUE;
    if (input->kind == RUNG_IN_MAP) plan->map[1 + input->index][1 + input->component] = PETSC_TRUE;
    PetscCheck(input->kind != RUNG_IN_NORMAL || plan->facets, PETSC_COMM_SELF, PETSC_ERR_PLIB, "normal under dx");
  }
  for (PetscInt i = 0; i < (integral->rank > 0 ? integral->rows : 0); ++i) {
    PetscCall(use_derivative(plan, &plan->basis[integral->row[i].unknown], integral->row[i].derivative));
  }
  for (PetscInt i = 0; i < (integral->rank > 1 ? integral->cols : 0); ++i) {
    PetscCall(use_derivative(plan, &plan->basis[integral->col[i].unknown], integral->col[i].derivative));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_basis(RungPlan plan, RungSpace space, PetscInt *offset, RungBasis *basis)
{
  const RungSpaceData *data;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCheck(data->mesh == plan->mesh, RungScopeComm(plan->scope), PETSC_ERR_ARG_INCOMP,
             "a function of %s lives on another mesh than the unknowns; interpolate it to theirs", data->spec);
  PetscCall(PetscStrallocpy(data->spec, &basis->name));
  for (char *c = basis->name; *c; ++c) {
    if (*c == '^') *c = 0; /* the scalar functions: P2 of "P2^3" */
    if (!*c) break;
  }
  basis->nodes      = data->cell_nodes;
  basis->components = data->components;
  basis->offset     = *offset;
  basis->order      = -1;
  basis->degree     = data->quadrature ? -1 : data->degree;
  *offset += data->cell_nodes * data->components;
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungSpace RungPlanSpace(RungPlan plan, RungLayout layout, PetscInt source, PetscErrorCode *error)
{
  const RungLayoutData *data;
  RungSpace             space = NULL;

  if (source < plan->unknowns) {
    *error = RungLayoutGetData(layout, &data);
    return *error ? NULL : data->space[source];
  }
  *error = RungFieldGetSpace(RungScopeFieldOf(plan->scope, source - plan->unknowns), &space);
  return space;
}

static PetscErrorCode create_bases(RungPlan plan, RungLayout layout)
{
  PetscInt       offset = 0;
  PetscErrorCode error  = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->unknowns + plan->fields, &plan->basis));
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) {
    const RungSpace space = RungPlanSpace(plan, layout, f, &error);

    PetscCall(error);
    if (f == plan->unknowns) offset = 0;
    PetscCall(set_basis(plan, space, &offset, &plan->basis[f]));
    if (f < plan->unknowns)
      plan->dofs = offset;
    else
      plan->field_dofs = offset;
  }
  plan->dofs *= plan->cells;
  plan->field_dofs *= plan->cells;
  PetscCall(find_uses(plan));
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) {
    const RungSpace space = RungPlanSpace(plan, layout, f, &error);

    PetscCall(error);
    PetscCall(create_tables(plan, space, &plan->basis[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rates ------------------------------------------------------------------------------------------------------ */

static PetscBool constant_in_cell(RungPlan plan, const RungInput *input)
{
  const RungBasis *basis = source_basis(plan, input);
  PetscInt         r[RUNG_MAX_DERIVATIVE], n;

  if (input->derivative && !plan->affine && !plan->integral->in_reference) return PETSC_FALSE;
  n = RungPlanReferences(plan, basis, input->derivative, r);
  for (PetscInt i = 0; i < n; ++i) {
    if (!basis->constant[r[i]]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static RungValueRate input_rate(RungPlan plan, const RungInput *input)
{
  switch (input->kind) {
  case RUNG_IN_NUMBER:
  case RUNG_IN_CONSTANT:
  case RUNG_IN_SIGMA:
  case RUNG_IN_TIME: return RUNG_RATE_UNIFORM;
  case RUNG_IN_CELL: return RUNG_RATE_CELL;
  case RUNG_IN_WEIGHT:
    if (plan->integral->products) return RUNG_RATE_POINT;
    return plan->affine ? RUNG_RATE_CELL : RUNG_RATE_POINT;
  case RUNG_IN_MAP:
  case RUNG_IN_TANGENT:
  case RUNG_IN_NORMAL: return plan->affine ? RUNG_RATE_CELL : RUNG_RATE_POINT;
  case RUNG_IN_UNKNOWN:
  case RUNG_IN_FIELD: return constant_in_cell(plan, input) ? RUNG_RATE_CELL : RUNG_RATE_POINT;
  default: return RUNG_RATE_POINT;
  }
}

/* Rates of all instructions from those of the inputs. */
static void follow_rates(RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt i = 0; i < tape->instructions; ++i) {
    RungValueRate rate = RUNG_RATE_UNIFORM;

    for (int a = 0; a < 3; ++a) {
      const PetscInt arg = tape->instruction[i].arg[a];

      if (arg >= 0) rate = PetscMax(rate, plan->rate[arg]);
    }
    plan->rate[tape->inputs + i] = rate;
  }
}

/* The weight is the cell's where all else is: the tables have the points' then. */
static PetscErrorCode create_rates(RungPlan plan)
{
  const RungTape *tape   = &plan->integral->tape;
  PetscInt        points = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tape->inputs + tape->instructions, &plan->rate));
  for (PetscInt i = 0; i < tape->inputs; ++i) plan->rate[i] = input_rate(plan, &tape->input[i]);
  follow_rates(plan);
  if (!plan->integral->weighted) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt o = 0; o < tape->outputs; ++o) points += plan->rate[tape->output[o]] == RUNG_RATE_POINT;
  plan->unfit = points && points < tape->outputs ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < tape->inputs && points; ++i) {
    if (tape->input[i].kind == RUNG_IN_WEIGHT) plan->rate[i] = RUNG_RATE_POINT;
  }
  follow_rates(plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- evaluations ------------------------------------------------------------------------------------------------ */

static PetscInt find_evaluation(RungPlan plan, PetscInt source, PetscInt component, PetscInt k, PetscInt r,
                                PetscInt cell)
{
  PetscInt e = 0;

  while (e < plan->evaluations) {
    const RungEvaluation *have = &plan->evaluation[e];

    if (have->source == source && have->component == component && have->k == k && have->r == r && have->cell == cell)
      return e;
    ++e;
  }
  plan->evaluation[plan->evaluations++] = (RungEvaluation){source, component, k, r, cell};
  return e;
}

static PetscErrorCode create_evaluations(RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tape->inputs * RUNG_MAX_DERIVATIVE, &plan->evaluation));
  PetscCall(PetscMalloc1(tape->inputs * RUNG_MAX_DERIVATIVE, &plan->input_step));
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *input = &tape->input[i];
    const RungBasis *basis = source_basis(plan, input);
    PetscInt         r[RUNG_MAX_DERIVATIVE], n;

    if (!basis) continue;
    n = RungPlanReferences(plan, basis, input->derivative, r);
    for (PetscInt j = 0; j < n; ++j) {
      const PetscInt source = (PetscInt)(basis - plan->basis);
      const PetscInt e      = find_evaluation(plan, source, input->component, input->k, r[j], input->side);
      const PetscInt s      = plan->integral->in_reference ? 0 : input->derivative;

      plan->input_step[plan->input_steps++] = (RungInputStep){i, s, s ? r[j] : 0, e};
      if (s) plan->map[s][r[j]] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_geometry(RungPlan plan)
{
  PetscBool curved = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt s = plan->axes + 1; s < RUNG_MAX_DERIVATIVE; ++s) {
    for (PetscInt r = 1; r <= plan->axes; ++r) curved = curved || plan->map[s][r] ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(PetscStrallocpy("map", &plan->geometry.name));
  plan->geometry.nodes      = RungCellNodes(plan->type, plan->geometry_degree);
  plan->geometry.components = plan->dim;
  plan->geometry.order      = !plan->axes ? 0 : curved ? 2 : 1;
  PetscCall(create_tables(plan, NULL, &plan->geometry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_one(RungPlan plan)
{
  PetscFunctionBegin;
  PetscCall(PetscStrallocpy("one", &plan->one.name));
  plan->one.nodes = plan->one.components = 1;
  PetscCall(PetscMalloc1(plan->sides * plan->points, &plan->one.table));
  for (PetscInt k = 0; k < plan->sides * plan->points; ++k) plan->one.table[k] = 1;
  plan->one.constant[0] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dR is one point without coordinates: only functions of spaces R have a value there. */
static PetscErrorCode check_global(RungPlan plan, RungLayout layout)
{
  const RungIntegral *integral = plan->integral;
  PetscErrorCode      code     = PETSC_SUCCESS;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < integral->tape.inputs + (integral->rank ? integral->rows : 0); ++i) {
    const RungInput     *input = i < integral->tape.inputs ? &integral->tape.input[i] : NULL;
    const RungSpaceData *data;
    PetscInt             source = -1;

    if (!input) source = integral->row[i - integral->tape.inputs].unknown;
    if (input && input->kind == RUNG_IN_UNKNOWN) source = input->index;
    if (input && input->kind == RUNG_IN_FIELD) source = plan->unknowns + input->index;
    if (source < 0) continue;
    PetscCall(RungSpaceGetData(RungPlanSpace(plan, layout, source, &code), &data));
    PetscCall(code);
    PetscCheck(
      data->single, RungScopeComm(plan->scope), PETSC_ERR_ARG_WRONG,
      "%s: \"%s\" lives in %s and has no value under dR, which is integrated over nothing; only global numbers "
      "(space R), t and constants have one",
      integral->text,
      source < plan->unknowns ? RungScopeUnknownName(plan->scope, source)
                              : RungScopeFieldName(plan->scope, source - plan->unknowns),
      data->spec);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_parts(RungPlan p, RungLayout layout)
{
  PetscFunctionBegin;
  if (p->integral->domain == RUNG_GLOBAL) PetscCall(check_global(p, layout));
  PetscCall(create_rule(p));
  PetscCall(create_bases(p, layout));
  PetscCall(create_one(p));
  PetscCall(create_rates(p));
  PetscCall(RungPlanDegrees(p));
  PetscCall(create_evaluations(p));
  p->rows = p->integral->rank > 0 ? p->dofs : 1;
  p->cols = p->integral->rank > 1 && !p->integral->diagonal ? p->dofs : 1;
  PetscCall(RungPlanTensor(p, layout));
  PetscCall(RungPlanBlocks(p));
  PetscCall(create_geometry(p));
  PetscCall(RungPlanOuter(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanCreate(const RungIntegral *integral, RungScope scope, RungLayout layout, RungPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(RungPlanCreateKind(integral, scope, layout, RUNG_ANY_CELLS, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A second kernel is worth its compilation where it serves one cell of eight or more. */
PetscInt RungPlanKinds(const RungIntegral *integral, RungLayout layout, RungCellKind kind[2])
{
  const RungLayoutData *data;
  const RungSpaceData  *space;
  const RungMeshData   *mesh;

  kind[0] = RUNG_ANY_CELLS;
  if (integral->domain != RUNG_CELLS || RungLayoutGetData(layout, &data) || RungSpaceGetData(data->space[0], &space) ||
      RungMeshGetData(space->mesh, &mesh))
    return 1;
  if (!mesh->cell_affine || mesh->affine_cells < mesh->cells_global / 8) return 1;
  kind[0] = RUNG_AFFINE_CELLS;
  kind[1] = RUNG_BENT_CELLS;
  return 2;
}

static PetscErrorCode create_of(const RungIntegral *integral, RungScope scope, RungLayout layout, RungCellKind kind,
                                PetscBool applied, RungPlan *plan)
{
  const RungLayoutData *data;
  const RungSpaceData  *space;
  const RungMeshData   *mesh;
  RungPlan              p;
  PetscErrorCode        code;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(RungSpaceGetData(data->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(PetscCalloc1(1, plan));
  p                  = *plan;
  p->integral        = integral;
  p->scope           = scope;
  p->mesh            = space->mesh;
  p->type            = integral->domain == RUNG_GLOBAL ? RUNG_POINT : mesh->type;
  p->dim             = mesh->dim;
  p->geometry_degree = integral->domain == RUNG_GLOBAL ? 0 : mesh->geometry_degree;
  p->axes            = RungCellGet(p->type)->dim;
  p->kind            = kind;
  p->applied         = applied;
  p->affine          = (PetscBool)(mesh->affine || integral->domain == RUNG_GLOBAL || kind == RUNG_AFFINE_CELLS);
  p->straight        = (PetscBool)(mesh->straight && integral->domain != RUNG_GLOBAL);
  p->facets          = integral->domain == RUNG_CELLS || integral->domain == RUNG_GLOBAL ? PETSC_FALSE : PETSC_TRUE;
  p->entity          = integral->domain == RUNG_VERTICES ? 0 : integral->domain == RUNG_EDGES ? 1 : -1;
  p->cells           = integral->domain == RUNG_INTERIOR_FACETS ? 2 : 1;
  p->turns           = p->cells > 1 ? RungFacetTurns(RungCellGet(mesh->type)->facet_type) : 1;
  p->unknowns        = data->unknowns;
  p->fields          = RungScopeFields(scope);
  code               = create_parts(p, layout);
  if (code) PetscCall(RungPlanDestroy(plan)); /* a refused integral leaves nothing behind */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanCreateKind(const RungIntegral *integral, RungScope scope, RungLayout layout, RungCellKind kind,
                                  RungPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(create_of(integral, scope, layout, kind, PETSC_FALSE, plan));
  for (const RungIntegral *it = integral->mapped; it && !(*plan)->straight; it = it->mapped) {
    RungPlan other;

    PetscCall(create_of(it, scope, layout, kind, PETSC_FALSE, &other));
    PetscCall(RungPlanTakeCheaper(*plan, other));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanCreateApplied(const RungIntegral *matrix, RungScope scope, RungLayout layout, RungCellKind kind,
                                     RungPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(create_of(matrix, scope, layout, kind, PETSC_TRUE, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode basis_destroy(RungBasis *basis)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(basis->name));
  PetscCall(PetscFree(basis->table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanDestroy(RungPlan *plan)
{
  RungPlan p = *plan;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPlanDestroy(&p->compiled));
  PetscCall(RungOuterDestroy(&p->outer));
  for (PetscInt f = 0; p->basis && f < p->unknowns + p->fields; ++f) PetscCall(basis_destroy(&p->basis[f]));
  PetscCall(basis_destroy(&p->geometry));
  PetscCall(basis_destroy(&p->one));
  for (PetscInt b = 0; p->block && b < p->blocks; ++b) PetscCall(RungBlockDestroy(&p->block[b]));
  PetscCall(RungTensorDestroy(p));
  PetscCall(PetscFree(p->block));
  PetscCall(PetscFree(p->basis));
  PetscCall(PetscFree(p->weight));
  PetscCall(PetscFree(p->rate));
  PetscCall(PetscFree(p->degree));
  PetscCall(PetscFree(p->evaluation));
  PetscCall(PetscFree(p->input_step));
  PetscCall(PetscFree(*plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
