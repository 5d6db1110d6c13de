/* sample.c - RungSampler: an expression of unknowns, fields, their derivatives, x and t at any points of cells.

   Kernels integrate with the points of a rule that is fixed when they are made.  Here the points are given when the
   expression is evaluated, so basis functions are tabulated then, and the tape runs over the points of one cell at a
   time.  It is for data that are looked at now and then: probes, output, interpolation, norms. */
#include <rungown_room.h>
#include "sample_impl.h"

/* ---- life --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode refuse(RungExpr expr, const RungInput *input)
{
  const char *what = NULL;

  PetscFunctionBegin;
  if (input->kind == RUNG_IN_NORMAL) what = "the normal n";
  if (input->kind == RUNG_IN_TANGENT) what = "tangent";
  if (input->kind == RUNG_IN_CELL && input->index == 2) what = "facet_area";
  if (input->kind == RUNG_IN_TEST) what = RungScopeTestName(expr.scope, input->index);
  if (input->side) what = "minus()";
  if (what)
    PetscCall(RungScopeRaise(expr.scope, expr.node, PETSC_ERR_ARG_WRONG,
                             "\"%s\" has no value inside of cells; wanted unknowns, fields, their derivatives, x, t",
                             what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The space of a function, its layout, and how far it is differentiated. */
static PetscErrorCode read_function(RungSampler s, const RungInput *input)
{
  const PetscInt dim = RungScopeDim(s->scope),
                 i   = input->kind == RUNG_IN_UNKNOWN ? input->index : s->unknowns + input->index;
  const RungSpaceData *data;

  PetscFunctionBegin;
  s->order = PetscMax(s->order, input->derivative == 0 ? 0 : input->derivative <= dim ? 1 : 2);
  if (input->kind == RUNG_IN_UNKNOWN) {
    const RungLayoutData *layout;

    PetscCheck(s->layout, s->comm, PETSC_ERR_ARG_NULL, "\"%s\" is an unknown, and there is no layout with its values",
               RungScopeUnknownName(s->scope, input->index));
    PetscCall(RungLayoutGetData(s->layout, &layout));
    s->space[i]        = layout->space[input->index];
    s->level[input->k] = PETSC_TRUE;
  } else if (!s->space[i]) {
    PetscCall(RungFieldGetSpace(RungScopeFieldOf(s->scope, input->index), &s->space[i]));
    PetscCall(RungLayoutCreate(s->comm, 1, &s->space[i], &s->field[input->index]));
  }
  PetscCall(RungSpaceGetData(s->space[i], &data));
  PetscCheck(data->mesh == s->mesh, s->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" lives on another mesh; bring it here by RungFieldTransfer",
             input->kind == RUNG_IN_UNKNOWN ? RungScopeUnknownName(s->scope, input->index)
                                            : RungScopeFieldName(s->scope, input->index));
  if (!data->quadrature) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((s->quadrature < 0 || s->quadrature == data->degree) && !input->derivative, s->comm, PETSC_ERR_SUP,
             "values at the points of %s beside those of Quad(%" PetscInt_FMT ") or differentiated; project them first",
             data->spec, s->quadrature);
  s->quadrature = data->degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_cell(RungSampler s, PetscInt v)
{
  const RungInput *input = &s->tape.input[v];
  const char      *part;
  PetscInt        *cell;

  PetscFunctionBegin;
  if (input->index < RUNG_CELL_SIZES) {
    s->sizes = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!s->mark) PetscCall(PetscCalloc1(s->tape.inputs * s->data->cells, &s->mark));
  PetscCall(PetscMalloc1(s->data->cells, &cell));
  for (PetscInt c = 0; c < s->data->cells; ++c) cell[c] = c;
  part = RungScopeString(s->scope, input->index - RUNG_CELL_SIZES);
  RungCallFinally(RungPartMark(s->mesh, RUNG_CELLS, part, s->data->cells, cell, NULL, s->mark + v * s->data->cells),
                  PetscCall(PetscFree(cell)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_inputs(RungSampler s, RungExpr expr)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->tape.inputs; ++v) {
    const RungInput *input = &s->tape.input[v];

    PetscCall(refuse(expr, input));
    if (input->kind == RUNG_IN_UNKNOWN || input->kind == RUNG_IN_FIELD) PetscCall(read_function(s, input));
    if (input->kind == RUNG_IN_CELL) PetscCall(read_cell(s, v));
  }
  for (PetscInt i = 0; i < s->unknowns + s->fields; ++i) {
    const RungSpaceData *data;

    if (!s->space[i]) continue;
    PetscCall(RungSpaceGetData(s->space[i], &data));
    s->offset[i] = s->width;
    s->width += RungSpaceTableSize(s->space[i], 1, data->quadrature ? 0 : s->order);
  }
  if (s->sizes) PetscCall(RungSizesCreate(s->data->type, s->data->geometry_degree, PETSC_FALSE, &s->size_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerCreate(RungExpr expr, RungMesh mesh, RungLayout layout, RungSampler *sampler)
{
  RUNG_OWNED(RungSamplerDestroy) RungSampler s = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(RungLowerPointwise(expr, &s->tape));
  s->comm       = RungMeshComm(mesh);
  s->quadrature = -1;
  s->unknowns   = RungScopeUnknowns(expr.scope);
  s->fields     = RungScopeFields(expr.scope);
  PetscCall(RungScopeReference(expr.scope));
  s->scope = expr.scope;
  PetscCall(RungMeshReference(mesh));
  s->mesh = mesh;
  PetscCall(RungMeshGetData(mesh, &s->data));
  s->dim = RungCellGet(s->data->type)->dim;
  if (layout) PetscCall(RungLayoutReference(layout));
  s->layout = layout;
  PetscCall(PetscCalloc1(s->fields, &s->field));
  PetscCall(PetscCalloc1(s->fields, &s->value));
  PetscCall(PetscCalloc1(s->unknowns + s->fields, &s->space));
  PetscCall(PetscCalloc1(s->unknowns + s->fields, &s->offset));
  PetscCall(PetscMalloc1(s->tape.registers * RUNG_SAMPLE_BLOCK, &s->vector));
  PetscCall(read_inputs(s, expr));
  *sampler = s;
  s        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerDestroy(RungSampler *sampler)
{
  RungSampler s = *sampler;

  PetscFunctionBegin;
  *sampler = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < s->fields; ++f) PetscCall(RungLayoutDestroy(&s->field[f]));
  PetscCall(PetscFree(s->field));
  PetscCall(PetscFree(s->value));
  PetscCall(PetscFree(s->space));
  PetscCall(PetscFree(s->offset));
  PetscCall(PetscFree(s->mark));
  PetscCall(PetscFree(s->vector));
  PetscCall(RungSizesDestroy(&s->size_table));
  PetscCall(RungTapeDestroy(&s->tape));
  if (s->layout) PetscCall(RungLayoutDestroy(&s->layout));
  PetscCall(RungScopeDestroy(&s->scope));
  PetscCall(RungMeshDestroy(&s->mesh));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerGetRule(RungSampler sampler, PetscInt *degree)
{
  PetscFunctionBegin;
  RungNeed(sampler);
  *degree = sampler->quadrature;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungSampleTablesCreate(RungSampler s, PetscInt points, const PetscReal X[], RungSampleTables *tables)
{
  const PetscInt derivatives = 1 + s->dim + s->dim * (s->dim + 1) / 2;

  PetscFunctionBegin;
  tables->points = points;
  PetscCall(
    PetscMalloc2(derivatives * points * s->data->nodes_per_cell, &tables->map, points * s->width, &tables->table));
  PetscCall(RungCellTabulate(s->data->type, s->data->geometry_degree, points, X, 2, tables->map));
  for (PetscInt i = 0; i < s->unknowns + s->fields; ++i) {
    const RungSpaceData *data;

    if (!s->space[i]) continue;
    PetscCall(RungSpaceGetData(s->space[i], &data));
    PetscCall(RungSpaceTabulate(s->space[i], points, X, data->quadrature ? 0 : s->order,
                                tables->table + points * s->offset[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSampleTablesDestroy(RungSampleTables *tables)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(tables->map, tables->table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static void invert(PetscInt n, RungSamplePlace *p)
{
  p->det = 1;
  if (n == 1) {
    p->det     = p->J[0][0];
    p->K[0][0] = 1 / p->det;
  } else if (n == 2) {
    p->det     = p->J[0][0] * p->J[1][1] - p->J[0][1] * p->J[1][0];
    p->K[0][0] = p->J[1][1] / p->det, p->K[0][1] = -p->J[0][1] / p->det;
    p->K[1][0] = -p->J[1][0] / p->det, p->K[1][1] = p->J[0][0] / p->det;
  } else if (n == 3) {
    PetscReal cofactor[3][3];

    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;

        cofactor[a][b] = p->J[a1][b1] * p->J[a2][b2] - p->J[a1][b2] * p->J[a2][b1];
      }
    }
    p->det = p->J[0][0] * cofactor[0][0] + p->J[0][1] * cofactor[0][1] + p->J[0][2] * cofactor[0][2];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) p->K[b][a] = cofactor[a][b] / p->det;
  }
}

void RungSamplerPlace(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscInt q, RungSamplePlace *place)
{
  const RungMeshData *mesh = s->data;
  const PetscInt      n = mesh->nodes_per_cell, second = s->dim * (s->dim + 1) / 2;

  *place = (RungSamplePlace){0};
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal *at  = mesh->x + mesh->cell_node[cell * n + i] * mesh->dim;
    const PetscReal *phi = tables->map + q * n + i;
    const PetscInt   row = tables->points * n;

    for (PetscInt k = 0; k < mesh->dim; ++k) {
      place->x[k] += phi[0] * at[k];
      for (PetscInt a = 0; a < s->dim; ++a) place->J[k][a] += phi[(1 + a) * row] * at[k];
      for (PetscInt d = 0; d < second; ++d) place->second[d][k] += phi[(1 + s->dim + d) * row] * at[k];
    }
  }
  invert(s->dim, place);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* number of the derivative cd among those of second order */
static PetscInt pair_of(PetscInt dim, PetscInt c, PetscInt d)
{
  const PetscInt low = PetscMin(c, d), high = PetscMax(c, d);

  return low * dim - low * (low - 1) / 2 + high - low;
}

/* D_derivative of the function whose reference derivatives are R[]; see geometry.c for the formulas */
static PetscReal physical(PetscInt dim, const RungSamplePlace *p, const PetscReal R[], PetscInt derivative)
{
  PetscReal sum = 0, first[3] = {0};
  PetscInt  a = 0, b, j = derivative - 1 - dim;

  if (derivative == 0) return R[0];
  if (derivative <= dim) {
    for (b = 0; b < dim; ++b) sum += p->K[b][derivative - 1] * R[1 + b];
    return sum;
  }
  while (j >= dim - a) j -= dim - a, ++a;
  b = a + j;
  for (PetscInt m = 0; m < dim; ++m)
    for (PetscInt c = 0; c < dim; ++c) first[m] += p->K[c][m] * R[1 + c];
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscInt cd    = pair_of(dim, c, d);
      PetscReal      value = R[1 + dim + cd];

      for (PetscInt m = 0; m < dim; ++m) value -= first[m] * p->second[cd][m];
      sum += p->K[c][a] * p->K[d][b] * value;
    }
  }
  return sum;
}

static double function_at(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscInt q,
                          const RungSamplePlace *place, const RungInput *input)
{
  const PetscBool       unknown = (PetscBool)(input->kind == RUNG_IN_UNKNOWN);
  const PetscInt        i       = unknown ? input->index : s->unknowns + input->index;
  const PetscScalar    *u       = unknown ? s->u[input->k] : s->value[input->index];
  const RungLayoutData *layout;
  const RungSpaceData  *space;
  const PetscInt       *dof;
  PetscReal             R[RUNG_MAX_DERIVATIVE] = {0};
  PetscInt              derivatives;

  (void)RungLayoutGetData(unknown ? s->layout : s->field[input->index], &layout);
  (void)RungSpaceGetData(s->space[i], &space);
  dof         = layout->cell_dof + cell * layout->cell_dofs + (unknown ? layout->offset[input->index] : 0);
  derivatives = input->derivative == 0 ? 1 : RungSpaceTableSize(s->space[i], 1, s->order) / space->cell_nodes;
  for (PetscInt r = 0; r < derivatives; ++r) {
    const PetscReal *phi = tables->table + tables->points * s->offset[i] + (r * tables->points + q) * space->cell_nodes;

    for (PetscInt n = 0; n < space->cell_nodes; ++n)
      R[r] += phi[n] * PetscRealPart(u[dof[n * space->components + input->component]]);
  }
  return (double)physical(s->dim, place, R, input->derivative);
}

static double input_at(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscInt q,
                       const RungSamplePlace *place, const double size[], PetscInt v)
{
  const RungInput *input = &s->tape.input[v];
  const PetscReal *constant;

  switch (input->kind) {
  case RUNG_IN_NUMBER: return (double)input->value;
  case RUNG_IN_CONSTANT: (void)RungScopeConstants(s->scope, &constant); return (double)constant[input->index];
  case RUNG_IN_TIME: return (double)s->t;
  case RUNG_IN_X: return (double)place->x[input->index];
  case RUNG_IN_CELL:
    if (input->index < RUNG_CELL_SIZES) return size[input->index];
    return s->mark[v * s->data->cells + cell] ? 1 : 0;
  default: return function_at(s, cell, tables, q, place, input);
  }
}

static double *vector_of(RungSampler s, PetscInt value)
{
  return value < 0 ? NULL : s->vector + s->tape.slot[value] * RUNG_SAMPLE_BLOCK;
}

void RungSamplerRun(RungSampler s, PetscInt cell, const RungSampleTables *tables, PetscScalar out[])
{
  const RungTape     *tape    = &s->tape;
  const RungMeshData *mesh    = s->data;
  double              size[3] = {0};

  rung_tables = RungScopeTables(s->scope);
  if (s->sizes) {
    PetscReal x[27 * 3];

    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i)
      for (PetscInt a = 0; a < mesh->dim; ++a)
        x[i * mesh->dim + a] = mesh->x[mesh->cell_node[cell * mesh->nodes_per_cell + i] * mesh->dim + a];
    RungSizesRun(&s->size_table, -1, x, size);
  }
  for (PetscInt first = 0; first < tables->points; first += RUNG_SAMPLE_BLOCK) {
    const PetscInt n = PetscMin(RUNG_SAMPLE_BLOCK, tables->points - first);

    for (PetscInt q = 0; q < n; ++q) {
      RungSamplePlace place;

      RungSamplerPlace(s, cell, tables, first + q, &place);
      for (PetscInt v = 0; v < tape->inputs; ++v)
        vector_of(s, v)[q] = input_at(s, cell, tables, first + q, &place, size, v);
    }
    for (PetscInt i = 0; i < tape->instructions; ++i) {
      const RungInstruction *one = &tape->instruction[i];

      RungInstructionRun(one->op, n, vector_of(s, one->arg[0]), vector_of(s, one->arg[1]), vector_of(s, one->arg[2]),
                         vector_of(s, tape->inputs + i));
    }
    for (PetscInt o = 0; o < tape->outputs; ++o)
      for (PetscInt q = 0; q < n; ++q)
        out[(first + q) * tape->outputs + o] = (PetscScalar)vector_of(s, tape->output[o])[q];
  }
}

PetscErrorCode RungSamplerBegin(RungSampler s, PetscReal t, const Vec u[])
{
  PetscFunctionBegin;
  s->t = t;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) { /* all are looked at before any is opened */
    if (!s->level[k]) continue;
    PetscCheck(u && u[k], s->comm, PETSC_ERR_ARG_NULL,
               "the expression holds a time derivative of order %" PetscInt_FMT " that was not given", k);
    PetscCall(RungLayoutCheckVec(s->layout, u[k]));
  }
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    if (s->level[k]) PetscCall(RungLayoutGather(s->layout, u[k], k, &s->u[k]));
  }
  for (PetscInt f = 0; f < s->fields; ++f) {
    Vec v;

    if (!s->field[f]) continue;
    PetscCall(RungFieldGetVec(RungScopeFieldOf(s->scope, f), &v));
    PetscCall(RungLayoutGather(s->field[f], v, 0, &s->value[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerEnd(RungSampler s, const Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k)
    if (s->level[k]) PetscCall(RungLayoutGatherRestore(s->layout, u[k], k, &s->u[k]));
  for (PetscInt f = 0; f < s->fields; ++f) {
    Vec v;

    if (!s->field[f]) continue;
    PetscCall(RungFieldGetVec(RungScopeFieldOf(s->scope, f), &v));
    PetscCall(RungLayoutGatherRestore(s->field[f], v, 0, &s->value[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerProbe(RungSampler s, PetscReal t, const Vec u[], RungProbes probes, PetscScalar values[])
{
  const PetscInt        *cell;
  const PetscReal       *X;
  PetscInt               n;
  RUNG_FREE PetscScalar *local = NULL;

  PetscFunctionBegin;
  RungNeed(s);
  PetscCheck(s->quadrature < 0, s->comm, PETSC_ERR_SUP,
             "values of Quad(%" PetscInt_FMT ") have none between the points of the rule; project them first",
             s->quadrature);
  PetscCall(RungProbesGetLocal(probes, &n, &cell, &X));
  PetscCall(RungSamplerBegin(s, t, u));
  PetscCall(PetscMalloc1(n * s->tape.outputs, &local));
  for (PetscInt i = 0; i < n; ++i) {
    RungSampleTables tables;

    PetscCall(RungSampleTablesCreate(s, 1, X + i * s->dim, &tables));
    RungSamplerRun(s, cell[i], &tables, local + i * s->tape.outputs);
    PetscCall(RungSampleTablesDestroy(&tables));
  }
  PetscCall(RungSamplerEnd(s, u));
  PetscCall(RungProbesReturn(probes, s->tape.outputs, local, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
