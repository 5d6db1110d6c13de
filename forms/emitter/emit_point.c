/* emit_point.c - arguments, geometry and the values of functions, as C. */
#include "emit_impl.h"
#include <ctype.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------------------------------
 */

/* The name in the text of the form, as far as C takes it.  What would not be unique gets its number: a long name, and
   with `strict` one that holds the '_' which separates the parts of a compound name. */
static void plain_name(const char name[], PetscInt number, PetscBool strict, char plain[48])
{
  PetscBool odd = strlen(name) > 30 ? PETSC_TRUE : PETSC_FALSE;
  int       n   = 0;

  for (const char *c = name; *c && n < 30; ++c) {
    if (isalnum((unsigned char)*c) || (*c == '_' && !strict))
      plain[n++] = *c;
    else
      odd = PETSC_TRUE;
  }
  plain[n] = 0;
  if (odd) (void)snprintf(plain + n, (size_t)(48 - n), "_s%d", (int)number);
}

/* In names of geometry: K00 of the first, Km00 of the second cell of a place. */
static const char *of_cell(PetscInt cell)
{
  return cell ? "m" : "";
}

/* u, u_t, u_tt of a source, u_to of a direction */
static void source_name(RungPlan plan, PetscInt source, PetscInt k, char name[56])
{
  static const char *rate[] = {"", "_t", "_tt", "_to"};
  char               plain[48];

  plain_name(source < plan->unknowns ? RungScopeUnknownName(plan->scope, source)
                                     : RungScopeFieldName(plan->scope, source - plan->unknowns),
             source, PETSC_TRUE, plain);
  (void)snprintf(name, 56, "%s%s", plain, rate[k]);
}

/* prefix_u_t_c: a component where there are several, _m at the end on the second cell of the place */
static void function_name(RungPlan plan, const char prefix[], PetscInt source, PetscInt component, PetscInt k,
                          PetscInt cell, char name[RUNG_EMIT_NAME_SIZE])
{
  char base[56];

  source_name(plan, source, k, base);
  if (plan->basis[source].components > 1)
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "%s_%s_%d%s", prefix, base, (int)component, cell ? "_m" : "");
  else
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "%s_%s%s", prefix, base, cell ? "_m" : "");
}

void RungEmitEvaluationName(RungPlan plan, const RungEvaluation *it, char name[RUNG_EMIT_NAME_SIZE])
{
  size_t n;

  function_name(plan, it->r ? "ref" : "val", it->source, it->component, it->k, it->cell, name);
  n = strlen(name);
  if (it->r) (void)snprintf(name + n, RUNG_EMIT_NAME_SIZE - n, "_r%d", (int)it->r);
}

void RungEmitDofsName(RungPlan plan, PetscInt source, PetscInt k, char name[RUNG_EMIT_NAME_SIZE])
{
  char plain[56];

  source_name(plan, source, k, plain);
  (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "dofs_%s", plain);
}

void RungEmitInputName(RungPlan plan, const RungInput *input, char name[RUNG_EMIT_NAME_SIZE])
{
  static const char *size[] = {"h", "volume", "facet_area"};
  const PetscInt     source = input->kind == RUNG_IN_FIELD ? plan->unknowns + input->index : input->index;
  char               plain[56];
  size_t             n;

  name[0] = 0;
  switch (input->kind) {
  case RUNG_IN_CONSTANT:
    plain_name(RungScopeConstantName(plan->scope, input->index), input->index, PETSC_FALSE, plain);
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "c_%s", plain);
    break;
  case RUNG_IN_SIGMA:
    source_name(plan, input->index, input->k, plain);
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "sigma_%s", plain);
    break;
  case RUNG_IN_TIME: (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "t"); break;
  case RUNG_IN_CELL:
    if (input->index < RUNG_CELL_SIZES)
      (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "size_%s%s", size[input->index], input->side ? "_m" : "");
    else
      (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "part_%d%s", (int)(input->index - RUNG_CELL_SIZES),
                     input->side ? "_m" : "");
    break;
  case RUNG_IN_X: (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "x_%d", (int)input->index); break;
  case RUNG_IN_NORMAL: (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "n_%d", (int)input->index); break;
  case RUNG_IN_TANGENT: (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "s_%d", (int)input->index); break;
  case RUNG_IN_MAP: RungEmitMapName(plan, 0, 1 + input->index, 1 + input->component, name); break;
  case RUNG_IN_WEIGHT: (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "%s", RungEmitWeight(plan)); break;
  case RUNG_IN_UNKNOWN:
  case RUNG_IN_FIELD:
    function_name(plan, input->derivative == 0 ? "val" : "der", source, input->component, input->k, input->side, name);
    n = strlen(name);
    if (input->derivative) (void)snprintf(name + n, RUNG_EMIT_NAME_SIZE - n, "_d%d", (int)input->derivative);
    break;
  default: break;
  }
}

void RungEmitMapName(RungPlan plan, PetscInt cell, PetscInt s, PetscInt r, char name[RUNG_EMIT_NAME_SIZE])
{
  if (!s)
    name[0] = 0;
  else if (s <= plan->axes)
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "K%s%d%d", of_cell(cell), (int)r - 1, (int)s - 1);
  else
    (void)snprintf(name, RUNG_EMIT_NAME_SIZE, "M%s%d_%d", of_cell(cell), (int)s, (int)r);
}

PetscBool RungEmitTakesCofactors(RungPlan plan)
{
  const RungTape *tape        = &plan->integral->tape;
  PetscInt        derivatives = 0;

  if (plan->affine || plan->facets || plan->entity >= 0 || plan->axes < 2 || plan->integral->rank != 1)
    return PETSC_FALSE;
  for (PetscInt v = 0; v < tape->inputs; ++v) {
    const RungInput *input = &tape->input[v];

    if (input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_FIELD) continue;
    if (input->derivative > plan->axes) return PETSC_FALSE;
    if (input->derivative) ++derivatives;
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (plan->block[b].col != &plan->one) return PETSC_FALSE;
  }
  return derivatives + 1 < plan->axes * plan->axes ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------
 */

static PetscErrorCode emit_dofs(RungEmitter *emitter, RungPlan plan)
{
  RungText *text = &emitter->kernels;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) {
      const PetscBool field   = f < plan->unknowns ? PETSC_FALSE : PETSC_TRUE;
      PetscBool       used[2] = {PETSC_FALSE, PETSC_FALSE};
      char            name[56];

      for (PetscInt e = 0; e < plan->evaluations; ++e) {
        if (plan->evaluation[e].source == f && plan->evaluation[e].k == k) used[plan->evaluation[e].cell] = PETSC_TRUE;
      }
      source_name(plan, f, k, name);
      for (PetscInt c = 0; c < 2; ++c) {
        if (!used[c]) continue;
        RungTextLine(text, "const Real *dofs_%s%s = (const Real *)args->%s + %d;", name, c ? "_m" : "",
                     field ? "field" : "u",
                     (int)((field ? 0 : k * plan->dofs) + plan->basis[f].offset + RungPlanCellOffset(plan, field, c)));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitArguments(RungEmitter *emitter, RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;
  RungText       *text = &emitter->kernels;

  PetscFunctionBegin;
  if (plan->axes || plan->x) {
    RungTextLine(text, "const Real(*x)[%d] = (const Real(*)[%d])args->x;", (int)plan->dim, (int)plan->dim);
  }
  RungTextLine(text, "Real *out = (Real *)args->out;");
  if (plan->applied)
    RungTextLine(text, "const Real *u_to = (const Real *)args->u + %d;",
                 (int)(plan->levels[RUNG_DIRECTION] ? RUNG_DIRECTION * plan->dofs : 0));
  if (plan->sides > 1) RungTextLine(text, "const int f = args->facet[0];");
  if (plan->cells > 1) RungTextLine(text, "const int g = args->facet[1];");
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    if (tape->instruction[i].op != RUNG_OP_TABLE) continue;
    RungTextLine(text, "rung_tables = args->table;");
    break;
  }
  PetscCall(emit_dofs(emitter, plan));
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *input = &tape->input[i];
    char             name[RUNG_EMIT_NAME_SIZE];

    RungEmitInputName(plan, input, name);
    if (input->kind == RUNG_IN_CONSTANT) {
      RungTextLine(text, "const double %s = args->constant[%d];", name, (int)input->index);
    } else if (input->kind == RUNG_IN_SIGMA) {
      RungTextLine(text, "const double %s = args->sigma[%d];", name, (int)(input->k * plan->unknowns + input->index));
    } else if (input->kind == RUNG_IN_TIME) {
      RungTextLine(text, "const double t = args->t;");
    } else if (input->kind == RUNG_IN_CELL) {
      RungTextLine(text, "const Real %s = ((const Real *)args->cell)[%d];", name,
                   (int)(input->index * plan->cells + input->side));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- geometry -----------------------------------------------------------------------------------------------------
 */

/* Geometry node i of a cell of the place, as an index of x. */
static void node_index(RungPlan plan, PetscInt cell, char index[24])
{
  if (cell)
    (void)snprintf(index, 24, "%d + i", (int)plan->geometry.nodes);
  else
    (void)snprintf(index, 24, "i");
}

/* Jca = dx_c/dX_a: differences of corners if affine, else sums over the nodes of the map. */
static PetscErrorCode emit_jacobian(RungEmitter *emitter, RungPlan plan, PetscInt which)
{
  const RungCell *cell = RungCellGet(plan->type);
  RungText       *text = &emitter->kernels;
  const int       n = (int)plan->axes, at = (int)(which * plan->geometry.nodes);
  const char     *m = of_cell(which);
  char            node[24];

  PetscFunctionBegin;
  if (plan->tensor && RungSumBends(plan)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int c = 0; c < n; ++c) {
    for (int a = 0; a < n; ++a) {
      if (plan->affine)
        RungTextLine(text, "const Real J%s%d%d = x[%d][%d] - x[%d][%d];", m, c, a,
                     at + (cell->simplex ? a + 1 : 1 << a), c, at, c);
      else
        RungTextLine(text, "Real J%s%d%d = {0};", m, c, a);
    }
  }
  if (plan->affine) PetscFunctionReturn(PETSC_SUCCESS);
  RungTextAdd(text, "\n");
  node_index(plan, which, node);
  RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)plan->geometry.nodes);
  for (int a = 0; a < n; ++a) {
    char entry[RUNG_EMIT_NAME_SIZE];

    PetscCall(RungEmitBasis(emitter, plan, &plan->geometry, 1 + a, which, "q", "i", entry, sizeof entry));
    for (int c = 0; c < n; ++c) RungTextLine(text, "  J%s%d%d += %s * x[%s][%d];", m, c, a, entry, node, c);
  }
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_inverse(RungEmitter *emitter, RungPlan plan, PetscInt cell)
{
  RungText   *text = &emitter->kernels;
  const char *m    = of_cell(cell);

  PetscFunctionBegin;
  if (plan->axes == 1) {
    RungTextLine(text, "const Real det%s = J%s00;", m, m);
    RungTextLine(text, "const Real K%s00 = 1. / det%s;", m, m);
  } else if (plan->axes == 2) {
    RungTextLine(text, "const Real det%s = J%s00 * J%s11 - J%s01 * J%s10;", m, m, m, m, m);
    RungTextLine(text, "const Real over%s = 1. / det%s;", m, m);
    RungTextLine(text, "const Real C%s00 = J%s11, C%s01 = -J%s01, C%s10 = -J%s10, C%s11 = J%s00;", m, m, m, m, m, m, m,
                 m);
    RungTextLine(text, "const Real K%s00 = C%s00 * over%s, K%s01 = C%s01 * over%s;", m, m, m, m, m, m);
    RungTextLine(text, "const Real K%s10 = C%s10 * over%s, K%s11 = C%s11 * over%s;", m, m, m, m, m, m);
  } else {
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) {
        const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;

        RungTextLine(text, "const Real C%s%d%d = J%s%d%d * J%s%d%d - J%s%d%d * J%s%d%d;", m, a, c, m, c1, a1, m, c2, a2,
                     m, c1, a2, m, c2, a1);
      }
    }
    RungTextLine(text, "const Real det%s = J%s00 * C%s00 + J%s10 * C%s01 + J%s20 * C%s02;", m, m, m, m, m, m, m);
    RungTextLine(text, "const Real over%s = 1. / det%s;", m, m);
    for (int a = 0; a < 3; ++a) {
      RungTextLine(text, "const Real K%s%d0 = C%s%d0 * over%s, K%s%d1 = C%s%d1 * over%s, K%s%d2 = C%s%d2 * over%s;", m,
                   a, m, a, m, m, a, m, a, m, m, a, m, a, m);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Surface factor |det J| |K^T N|, normal n = K^T N / |K^T N|. */
static PetscErrorCode emit_normal(RungEmitter *emitter, RungPlan plan)
{
  const RungCell *cell   = RungCellGet(plan->type);
  RungText       *text   = &emitter->kernels;
  const int       n      = (int)plan->axes;
  PetscInt        dim[2] = {plan->sides, plan->axes};
  double          normal[6 * 8 * 3];
  const char     *name;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < plan->sides; ++f) {
    for (int a = 0; a < n; ++a) normal[f * n + a] = cell->normal[f / plan->turns][a];
  }
  PetscCall(RungEmitTable(emitter, "normal", 2, dim, normal, PETSC_FALSE, &name));
  for (int c = 0; c < n; ++c) {
    RungText line = {0};

    for (int a = 0; a < n; ++a) RungTextAdd(&line, "%sK%d%d * %s[f][%d]", a ? " + " : "", a, c, name, a);
    PetscCall(line.error);
    RungTextLine(text, "const Real N%d = %s;", c, line.text);
    RungTextFree(&line);
  }
  emitter->each[RUNG_OP_SQRT] = PETSC_TRUE;
  RungTextLine(text, "const Real stretch = each_sqrt(N0 * N0%s%s);", n > 1 ? " + N1 * N1" : "",
               n > 2 ? " + N2 * N2" : "");
  for (int c = 0; c < n; ++c) RungTextLine(text, "const Real n_%d = N%d / stretch;", c, c);
  RungTextLine(text, "const Real measure = each_abs(det) * stretch;");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The measure of an edge, |J t|, and its direction J t/|J t|. */
static PetscErrorCode emit_length(RungEmitter *emitter, RungPlan plan)
{
  RungText   *text   = &emitter->kernels;
  const int   n      = (int)plan->axes;
  PetscInt    dim[2] = {plan->sides, plan->axes};
  double      tangent[12 * 3];
  const char *name;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < plan->sides; ++e) {
    for (int a = 0; a < n; ++a) tangent[e * n + a] = plan->tangent[e][a];
  }
  PetscCall(RungEmitTable(emitter, "tangent", 2, dim, tangent, PETSC_FALSE, &name));
  for (int c = 0; c < n; ++c) {
    RungText line = {0};

    for (int a = 0; a < n; ++a)
      RungTextAdd(&line, "%sJ%d%d * %s[%s][%d]", a ? " + " : "", c, a, name, plan->sides > 1 ? "f" : "0", a);
    PetscCall(line.error);
    RungTextLine(text, "const Real T%d = %s;", c, line.text);
    RungTextFree(&line);
  }
  emitter->each[RUNG_OP_SQRT] = PETSC_TRUE;
  RungTextLine(text, "const Real measure = each_sqrt(T0 * T0%s%s);", n > 1 ? " + T1 * T1" : "",
               n > 2 ? " + T2 * T2" : "");
  for (int c = 0; c < n; ++c) RungTextLine(text, "const Real s_%d = T%d / measure;", c, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_axes(PetscInt n, PetscInt derivative, int axis[2])
{
  PetscInt k = 1 + n;

  axis[0] = axis[1] = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b, ++k) {
      if (k == derivative) axis[0] = a, axis[1] = b;
    }
  }
}

/* K K of the second derivatives p of the place and q of the reference cell */
static void second_product(const char m[], const int p[2], const int q[2], char kk[80])
{
  if (q[0] == q[1])
    (void)snprintf(kk, 80, "K%s%d%d * K%s%d%d", m, q[0], p[0], m, q[1], p[1]);
  else
    (void)snprintf(kk, 80, "K%s%d%d * K%s%d%d + K%s%d%d * K%s%d%d", m, q[0], p[0], m, q[1], p[1], m, q[1], p[0], m,
                   q[0], p[1]);
}

/* K K of second derivatives; with a curved map what first derivatives contribute: see geometry.c. */
static PetscErrorCode emit_second(RungEmitter *emitter, RungPlan plan, PetscInt cell, PetscInt s, PetscInt r)
{
  RungText      *text = &emitter->kernels;
  const PetscInt n    = plan->axes;
  const char    *m    = of_cell(cell);
  char           kk[80], map[RUNG_EMIT_NAME_SIZE], node[24];
  int            p[2], q[2];

  PetscFunctionBegin;
  find_axes(n, s, p);
  RungEmitMapName(plan, cell, s, r, map);
  node_index(plan, cell, node);
  if (r > n) {
    find_axes(n, r, q);
    second_product(m, p, q, kk);
    RungTextLine(text, "const Real %s = %s;", map, kk);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungTextLine(text, "Real %s = {0};", map);
  for (PetscInt d = 1 + n; d < 1 + n + n * (n + 1) / 2; ++d) {
    char entry[RUNG_EMIT_NAME_SIZE];

    if (plan->geometry.zero[d]) continue;
    find_axes(n, d, q);
    second_product(m, p, q, kk);
    PetscCall(RungEmitBasis(emitter, plan, &plan->geometry, d, cell, "q", "i", entry, sizeof entry));
    RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)plan->geometry.nodes);
    RungTextLine(text, "  const Real kk = %s;", kk);
    for (PetscInt c = 0; c < n; ++c) {
      RungTextLine(text, "  %s -= K%s%d%d * kk * %s * x[%s][%d];", map, m, (int)r - 1, (int)c, entry, node, (int)c);
    }
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitGeometry(RungEmitter *emitter, RungPlan plan)
{
  RungText *text = &emitter->kernels;

  PetscFunctionBegin;
  RungTextAdd(text, "\n");
  if (!plan->axes || !plan->entity) {
    RungTextLine(text, "const Real measure = all(1);");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->entity > 0) {
    PetscCall(emit_jacobian(emitter, plan, 0));
    PetscCall(emit_inverse(emitter, plan, 0));
    PetscCall(emit_length(emitter, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  emitter->each[RUNG_OP_ABS] = PETSC_TRUE;
  for (PetscInt cell = 0; cell < plan->cells; ++cell) {
    PetscCall(emit_jacobian(emitter, plan, cell));
    PetscCall(emit_inverse(emitter, plan, cell));
    if (plan->facets && !cell) PetscCall(emit_normal(emitter, plan));
    for (PetscInt s = 1 + plan->axes; s < RUNG_MAX_DERIVATIVE; ++s) {
      for (PetscInt r = 1; r < RUNG_MAX_DERIVATIVE; ++r) {
        if (plan->map[s][r]) PetscCall(emit_second(emitter, plan, cell, s, r));
      }
    }
  }
  if (!plan->facets) RungTextLine(text, "const Real measure = each_abs(det);");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions ----------------------------------------------------------------------------------------------------
 */

/* c * text as the next term of a sum; 1 and -1 are signs */
static void add_term(RungText *line, double c, const char text[])
{
  const char *plus = line->n ? " + " : "", *minus = line->n ? " - " : "-";
  char        literal[32];

  RungTextNumber(PetscAbsReal(c), literal);
  if (PetscAbsReal(c) == 1)
    RungTextAdd(line, "%s%s", c < 0 ? minus : plus, text);
  else
    RungTextAdd(line, "%s%s * %s", c < 0 ? minus : plus, literal, text);
}

/* An evaluation whose table is constant: written out, zeros left out. */
static PetscErrorCode emit_constant_evaluation(RungEmitter *emitter, RungPlan plan, const RungEvaluation *it)
{
  const RungBasis *basis = &plan->basis[it->source];
  const double    *table = RungBasisTable(plan, basis, it->r, 0);
  RungText         line  = {0};
  char             name[RUNG_EMIT_NAME_SIZE], source[56], dof[80];

  PetscFunctionBegin;
  source_name(plan, it->source, it->k, source);
  for (PetscInt i = 0; i < basis->nodes; ++i) {
    if (table[i] == 0) continue;
    (void)snprintf(dof, sizeof dof, "dofs_%s%s[%d]", source, it->cell ? "_m" : "",
                   (int)(i * basis->components + it->component));
    add_term(&line, table[i], dof);
  }
  PetscCall(line.error);
  RungEmitEvaluationName(plan, it, name);
  RungTextLine(&emitter->kernels, "const Real %s = %s;", name, line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool in_loop(RungPlan plan, const RungEvaluation *it)
{
  return plan->basis[it->source].constant[it->r] ? PETSC_FALSE : PETSC_TRUE;
}

/* Adds node i of all evaluations; node < 0: i is the variable of a loop. */
static PetscErrorCode emit_node(RungEmitter *emitter, RungPlan plan, PetscInt source, PetscInt k, PetscInt cell,
                                PetscInt node)
{
  const RungBasis *basis = &plan->basis[source];
  char             name[RUNG_EMIT_NAME_SIZE], dofs[64], entry[RUNG_EMIT_NAME_SIZE], i[16] = "i", dof[48] = "i";

  PetscFunctionBegin;
  source_name(plan, source, k, dofs);
  if (cell) (void)strcat(dofs, "_m");
  if (node >= 0) (void)snprintf(i, sizeof i, "%d", (int)node);
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it = &plan->evaluation[e];

    if (it->source != source || it->k != k || it->cell != cell || !in_loop(plan, it)) continue;
    if (node >= 0 && RungEmitIsZero(plan, basis, it->r, node)) continue;
    RungEmitEvaluationName(plan, it, name);
    PetscCall(RungEmitBasis(emitter, plan, basis, it->r, cell, "q", i, entry, sizeof entry));
    if (node >= 0)
      (void)snprintf(dof, sizeof dof, "%d", (int)(basis->components * node + it->component));
    else if (basis->components > 1)
      (void)snprintf(dof, sizeof dof, "%d * i + %d", (int)basis->components, (int)it->component);
    RungTextLine(&emitter->kernels, "%s%s += %s * dofs_%s[%s];", node < 0 ? "  " : "", name, entry, dofs, dof);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungEmitAtPoint(RungPlan plan, PetscInt axis, char index[32])
{
  if (axis < 0)
    (void)snprintf(index, 32, "q");
  else if (plan->axes > 2)
    (void)snprintf(index, 32, "%d * q1 + q0", (int)plan->tensor->points);
  else
    (void)snprintf(index, 32, "q0");
  return index;
}

/* All evaluations of one source and level at a point, in one loop over its nodes, or node by node without zeros. */
static PetscErrorCode emit_evaluations(RungEmitter *emitter, RungPlan plan, PetscInt source, PetscInt k, PetscInt cell)
{
  const RungBasis *basis                     = &plan->basis[source];
  RungText        *text                      = &emitter->kernels;
  PetscInt         n                         = 0, r[RUNG_MAX_DERIVATIVE];
  PetscBool        used[RUNG_MAX_DERIVATIVE] = {PETSC_FALSE};
  char             name[RUNG_EMIT_NAME_SIZE], index[32];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it = &plan->evaluation[e];

    if (it->source != source || it->k != k || it->cell != cell || !in_loop(plan, it)) continue;
    RungEmitEvaluationName(plan, it, name);
    if (plan->tensor)
      RungTextLine(text, "const Real %s = at_%s[%s];", name, name, RungEmitAtPoint(plan, RungSumAxis(plan, it), index));
    else
      RungTextLine(text, "Real %s = {0};", name);
    if (!used[it->r]) r[n++] = it->r;
    used[it->r] = PETSC_TRUE;
  }
  if (!n || plan->tensor) PetscFunctionReturn(PETSC_SUCCESS);
  RungTextAdd(text, "\n");
  if (RungEmitIsSparse(plan, basis, n, r)) {
    for (PetscInt node = 0; node < basis->nodes; ++node) PetscCall(emit_node(emitter, plan, source, k, cell, node));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)basis->nodes);
  PetscCall(emit_node(emitter, plan, source, k, cell, -1));
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Physical derivatives: der = sum of map * ref. */
static PetscErrorCode emit_derivatives(RungEmitter *emitter, RungPlan plan, RungValueRate rate)
{
  const RungTape *tape = &plan->integral->tape;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < tape->inputs; ++v) {
    const RungInput *input = &tape->input[v];
    RungText         line  = {0};
    char             name[RUNG_EMIT_NAME_SIZE], map[RUNG_EMIT_NAME_SIZE], from[RUNG_EMIT_NAME_SIZE];
    const PetscBool  cofactors = rate == RUNG_RATE_POINT && input->derivative ? RungEmitTakesCofactors(plan)
                                                                              : PETSC_FALSE;
    PetscBool        zero      = PETSC_TRUE;

    if ((input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_FIELD) || plan->rate[v] != rate) continue;
    for (PetscInt i = 0; i < plan->input_steps; ++i) {
      const RungInputStep *it = &plan->input_step[i];

      if (it->to != v) continue;
      RungEmitMapName(plan, plan->evaluation[it->from].cell, it->s, it->r, map);
      if (cofactors) map[0] = 'C';
      RungEmitEvaluationName(plan, &plan->evaluation[it->from], from);
      RungTextAdd(&line, "%s%s%s%s", zero ? "" : " + ", map, map[0] ? " * " : "", from);
      zero = PETSC_FALSE;
    }
    PetscCall(line.error);
    RungEmitInputName(plan, input, name);
    if (zero)
      RungTextLine(&emitter->kernels, "const Real %s = {0};", name);
    else if (cofactors)
      RungTextLine(&emitter->kernels, "const Real all_%s = %s, %s = over * all_%s;", name, line.text, name, name);
    else if (input->derivative)
      RungTextLine(&emitter->kernels, "const Real %s = %s;", name, line.text);
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of a point. */
static PetscErrorCode emit_place(RungEmitter *emitter, RungPlan plan)
{
  RungText *text = &emitter->kernels;
  char      entry[RUNG_EMIT_NAME_SIZE];

  PetscFunctionBegin;
  for (PetscInt a = 0; a < plan->dim; ++a) RungTextLine(text, "Real x_%d = {0};", (int)a);
  PetscCall(RungEmitBasis(emitter, plan, &plan->geometry, 0, 0, "q", "i", entry, sizeof entry));
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)plan->geometry.nodes);
  for (PetscInt a = 0; a < plan->dim; ++a) {
    RungTextLine(text, "  x_%d += %s * x[i][%d];", (int)a, entry, (int)a);
  }
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitInputs(RungEmitter *emitter, RungPlan plan, RungValueRate rate)
{
  PetscFunctionBegin;
  if (rate == RUNG_RATE_CELL) {
    for (PetscInt e = 0; e < plan->evaluations; ++e) {
      if (!in_loop(plan, &plan->evaluation[e]))
        PetscCall(emit_constant_evaluation(emitter, plan, &plan->evaluation[e]));
    }
  } else {
    if (plan->x) PetscCall(emit_place(emitter, plan));
    for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
      for (PetscInt f = 0; f < (plan->unknowns + plan->fields) * plan->cells; ++f)
        PetscCall(emit_evaluations(emitter, plan, f / plan->cells, k, f % plan->cells));
    }
  }
  PetscCall(emit_derivatives(emitter, plan, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}
