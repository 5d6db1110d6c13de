/* emit_kronecker.c - sums of products of matrices of a line, applied to the dofs of a cell, as C (plan_kronecker.c).

   In each layer of the last axis first all lines along axis 0, by each matrix that occurs there; then lines along axis 1, of what the
   coefficients make of these, added up for each matrix of the last axis, whose lines are the end.  A matrix has the number 2 r + s:
   is the function of the row, of the column derived along the axis? */
#include <rungown_room.h>
#include "emit_sum_impl.h"

#define MATRICES 4

typedef struct {
  RungEmitter         *emitter;
  RungPlan             plan;
  const RungBlock     *block;
  PetscBool            turned;    /* the transposed block    */
  const RungLineBasis *row, *col; /* of what is applied      */
  const char          *order[2];  /* of rows, of columns     */
} Product;

static PetscErrorCode line_name(const Product *it, PetscInt matrix, PetscBool add, const char **name)
{
  double *table;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(it->row->line * it->col->line, &table));
  RungKroneckerTable(it->plan, it->row, it->col, matrix, table);
  PetscCall(RungEmitLine(it->emitter, it->row->line, it->col->line, table, PETSC_FALSE, add, name));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool occurs_first(const Product *it, PetscInt matrix)
{
  for (PetscInt p = 0; p < it->block->pairs[RUNG_PAIR_CELL]; ++p) {
    if (RungKroneckerMatrix(&it->block->pair[RUNG_PAIR_CELL][p], 0, it->turned) == matrix) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* p<matrix> = the matrices of axis 0 applied to the lines of layer h */
static PetscErrorCode emit_first(const Product *it, RungText *text)
{
  const int   n = (int)it->col->line, m = (int)it->row->line;
  const char *name;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < MATRICES; ++f) {
    if (occurs_first(it, f)) RungTextLine(text, "Real p%d[%d];", (int)f, m * n);
  }
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", n);
  RungTextLine(text, "  Real a[%d];", n);
  RungTextAdd(text, "\n");
  for (int i = 0; i < n; ++i) RungTextLine(text, "  a[%d] = u[%s[%d * (%d * h + l) + %d]];", i, it->order[1], n, n, i);
  for (PetscInt f = 0; f < MATRICES; ++f) {
    if (!occurs_first(it, f)) continue;
    PetscCall(line_name(it, f, PETSC_FALSE, &name));
    RungTextLine(text, "  %s(a, 1, p%d + %d * l, 1);", name, (int)f, m);
  }
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* " + c[..] * p<matrix>[..]" of the pairs with these matrices of the other axes, number i of line l */
static PetscErrorCode emit_combination(const Product *it, PetscInt last, PetscInt middle, int i, RungText *text)
{
  RungText line = {0};

  PetscFunctionBegin;
  for (PetscInt p = 0; p < it->block->pairs[RUNG_PAIR_CELL]; ++p) {
    const RungPair *pair = &it->block->pair[RUNG_PAIR_CELL][p];

    if (!RungKroneckerTakes(it->plan, pair, it->turned, last, middle)) continue;
    RungTextAdd(&line, "%sc[%d] * p%d[l + %d]", line.n ? " + " : "", (int)pair->coefficient,
                (int)RungKroneckerMatrix(pair, 0, it->turned), i * (int)it->row->line);
  }
  PetscCall(line.error);
  RungTextLine(text, "a%d%d[%d] = %s;", (int)last, (int)middle, i, line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t<last> = the matrices of axis 1 applied to the lines of a layer, added up */
static PetscErrorCode emit_middle(const Product *it, RungText *text)
{
  const int   n = (int)it->col->line, m = (int)it->row->line;
  const char *name;

  PetscFunctionBegin;
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", m);
  text->indent += 2;
  for (PetscInt last = 0; last < MATRICES; ++last) {
    PetscBool add = PETSC_FALSE;

    for (PetscInt middle = 0; middle < MATRICES; ++middle) {
      if (!RungKroneckerHas(it->plan, it->block, it->turned, last, middle)) continue;
      RungTextLine(text, "Real a%d%d[%d];", (int)last, (int)middle, n);
      RungTextAdd(text, "\n");
      for (int i = 0; i < n; ++i) PetscCall(emit_combination(it, last, middle, i, text));
      PetscCall(line_name(it, middle, add, &name));
      RungTextLine(text, "%s(a%d%d, 1, t%d + %d * h + l, %d);", name, (int)last, (int)middle, (int)last, m * m, m);
      add = PETSC_TRUE;
    }
  }
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out[order] += the matrices of the last axis applied to the lines of t<last>; of two axes t0 is all */
static PetscErrorCode emit_end(const Product *it, RungText *text)
{
  const int   m = (int)it->row->line, below = m * m;
  PetscBool   add = PETSC_FALSE;
  const char *name;

  PetscFunctionBegin;
  if (it->plan->axes == 2) {
    RungTextLine(text, "for (int l = 0; l < %d; ++l) out[%s[l]] += t0[l];", below, it->order[0]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", below);
  RungTextLine(text, "  Real a[%d];", m);
  RungTextAdd(text, "\n");
  for (PetscInt last = 0; last < MATRICES; ++last) {
    if (!RungKroneckerHas(it->plan, it->block, it->turned, last, -1)) continue;
    PetscCall(line_name(it, last, add, &name));
    RungTextLine(text, "  %s(t%d + l, %d, a, 1);", name, (int)last, below);
    add = PETSC_TRUE;
  }
  for (int i = 0; i < m; ++i) RungTextLine(text, "  out[%s[%d + l]] += a[%d];", it->order[0], below * i, i);
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* static void NAME(const Real *c, const Real *u, Real *out): adds the product */
static PetscErrorCode emit_product(const Product *it, const char **name)
{
  const int n = (int)it->col->line, m = (int)it->row->line, layers = it->plan->axes > 2 ? n : 1;
  RungText  body = {0};

  PetscFunctionBegin;
  RungTextAdd(&body, "\nstatic void @(const Real *restrict c, const Real *restrict u, Real *restrict out)\n{\n");
  body.indent = 2;
  for (PetscInt last = 0; last < MATRICES; ++last) {
    if (RungKroneckerHas(it->plan, it->block, it->turned, last, -1))
      RungTextLine(&body, "Real t%d[%d];", (int)last, m * m * layers);
  }
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "for (int h = 0; h < %d; ++h) {", layers);
  body.indent += 2;
  PetscCall(emit_first(it, &body));
  PetscCall(emit_middle(it, &body));
  body.indent -= 2;
  RungTextLine(&body, "}");
  PetscCall(emit_end(it, &body));
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&it->emitter->functions, "product", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- modes --------------------------------------------------------------------------------------------------------- */

/* e<axis>[k] = what mode k along the axis adds to the factor of a product of modes; the mass goes with axis 0 */
static PetscErrorCode emit_factors(const Product *it, const double lambda[], RungText *text)
{
  const PetscInt n = it->row->line;
  const char    *name;

  PetscFunctionBegin;
  PetscCall(RungEmitTable(it->emitter, "lambda", 1, &n, lambda, PETSC_FALSE, &name));
  for (PetscInt a = 0; a < it->plan->axes; ++a) RungTextLine(text, "Real e%d[%d];", (int)a, (int)n);
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int k = 0; k < %d; ++k) {", (int)n);
  for (PetscInt a = 0; a < it->plan->axes; ++a) {
    RungText line = {0};

    for (PetscInt p = 0; p < it->block->pairs[RUNG_PAIR_CELL]; ++p) {
      const RungPair *pair = &it->block->pair[RUNG_PAIR_CELL][p];

      if (pair->r == 1 + a || (!pair->r && !a))
        RungTextAdd(&line, pair->r ? "%sc[%d] * %s[k]" : "%sc[%d]", line.n ? " + " : "", (int)pair->coefficient, name);
    }
    PetscCall(line.error);
    RungTextLine(text, "  e%d[k] = %s;", (int)a, line.n ? line.text : "(Real){0}");
    RungTextFree(&line);
  }
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines along the last axis of t: into modes, times their factors, and back */
static void emit_turn(const Product *it, const char into[], const char back[], RungText *text)
{
  const int n = (int)it->row->line, solid = it->plan->axes > 2, below = solid ? n * n : n;

  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", below);
  RungTextLine(text, solid ? "  const Real e = e0[l %% %d] + e1[l / %d];" : "  const Real e = e0[l];", n, n);
  RungTextLine(text, "  Real a[%d];", n);
  RungTextAdd(text, "\n");
  RungTextLine(text, "  %s(t + l, %d, a, 1);", into, below);
  for (int i = 0; i < n; ++i) RungTextLine(text, "  a[%d] *= e + e%d[%d];", i, solid ? 2 : 1, i);
  RungTextLine(text, "  %s(a, 1, t + l, %d);", back, below);
  RungTextLine(text, "}");
}

/* In the layers of the last axis: lines along the others, into modes or back to dofs */
static void emit_layers(const Product *it, const char name[], PetscBool back, RungText *text)
{
  const int n = (int)it->row->line, solid = it->plan->axes > 2, layers = solid ? n : 1;

  RungTextLine(text, "for (int h = 0; h < %d; ++h) {", layers);
  text->indent += 2;
  if (solid) RungTextLine(text, "Real p[%d];", n * n);
  RungTextAdd(text, "\n");
  if (solid && back)
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(t + %d * h + l, %d, p + l, %d);", n, name, n * n, n, n);
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", n);
  RungTextLine(text, "  Real a[%d];", n);
  RungTextAdd(text, "\n");
  for (int i = 0; i < n && !back; ++i)
    RungTextLine(text, "  a[%d] = u[%s[%d * (%d * h + l) + %d]];", i, it->order[1], n, n, i);
  RungTextLine(text, back ? "  %s(%s + %d * l, 1, a, 1);" : "  %s(a, 1, %s + %d * l, 1);", name, solid ? "p" : "t", n);
  for (int i = 0; i < n && back; ++i)
    RungTextLine(text, "  out[%s[%d * (%d * h + l) + %d]] += a[%d];", it->order[0], n, n, i, i);
  RungTextLine(text, "}");
  if (solid && !back)
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(p + l, %d, t + %d * h + l, %d);", n, name, n, n * n, n);
  text->indent -= 2;
  RungTextLine(text, "}");
}

/* The same function by modes, where found. */
static PetscErrorCode emit_modes(const Product *it, PetscBool *found, const char **name)
{
  const PetscInt    n      = it->row->line;
  RungText          body   = {0};
  RUNG_FREE double *mode   = NULL;
  RUNG_FREE double *lambda = NULL;
  const char       *line[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, &mode));
  PetscCall(PetscMalloc1(n, &lambda));
  PetscCall(RungKroneckerModes(it->plan, it->block, mode, lambda, found));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  for (int back = 0; back < 2; ++back)
    PetscCall(RungEmitLine(it->emitter, n, n, mode, back ? PETSC_FALSE : PETSC_TRUE, PETSC_FALSE, &line[back]));
  RungTextAdd(&body, "\nstatic void @(const Real *restrict c, const Real *restrict u, Real *restrict out)\n{\n");
  body.indent = 2;
  RungTextLine(&body, "Real t[%d];", (int)RungPower(n, it->plan->axes));
  PetscCall(emit_factors(it, lambda, &body));
  emit_layers(it, line[0], PETSC_FALSE, &body);
  emit_turn(it, line[0], line[1], &body);
  emit_layers(it, line[1], PETSC_TRUE, &body);
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&it->emitter->functions, "modes", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitKronecker(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to     = &block->destination[d];
    const PetscBool        turned = to->row < to->col ? PETSC_TRUE : PETSC_FALSE;
    const RungBasis       *row = turned ? block->col : block->row, *col = turned ? block->row : block->col;
    Product     it = {emitter, plan, block, turned, RungPlanLine(plan, row), RungPlanLine(plan, col), {NULL}};
    PetscBool   modes;
    const char *name;

    PetscCall(RungEmitOrder(emitter, it.row, plan->axes, row->components, &it.order[0]));
    PetscCall(RungEmitOrder(emitter, it.col, plan->axes, col->components, &it.order[1]));
    PetscCall(emit_modes(&it, &modes, &name));
    if (!modes) PetscCall(emit_product(&it, &name));
    RungTextLine(text, "%s(c, u%d, out%d);", name, (int)d, (int)d);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
