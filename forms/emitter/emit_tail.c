/* emit_tail.c - the contraction of coefficients with tables, as C. */
#include "emit_impl.h"
#include <string.h>

#define UNROLL_TERMS 256 /* products in a contraction that is written out */

static const char *const array_name[RUNG_PAIR_KINDS] = {"G", "S", "B"}; /* CELL, SUM, POINT */

#define FEW_BYTES  (1 << 14) /* of coefficients, where the points are cut into chunks .. */
#define MANY_BYTES (1 << 15) /* .. because they would take more than this             */

PetscInt RungEmitChunk(RungPlan plan)
{
  PetscInt n = 0, chunk = plan->points;

  for (PetscInt b = 0; b < plan->blocks; ++b) n += plan->block[b].coefficients[RUNG_PAIR_POINT];
  if (plan->outer) n += plan->outer->vectors * plan->outer->basis->nodes;
  if (plan->tensor) return plan->points;
  n *= 8 * RUNG_PACK; /* the same chunks for any number of lanes */
  if (n * plan->points <= MANY_BYTES) return plan->points;
  while (chunk > 1 && (plan->points % chunk || n * chunk > FEW_BYTES)) --chunk;
  return chunk > 1 ? chunk : plan->points;
}

/* Index of a point in tables, within a contraction. */
static const char *point_index(RungPlan plan)
{
  return RungEmitChunk(plan) < plan->points ? "p + q" : "q";
}

PetscErrorCode RungEmitDeclare(RungEmitter *emitter, RungPlan plan)
{
  RungText *text = &emitter->kernels;

  PetscFunctionBegin;
  RungTextAdd(text, "\n");
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const PetscInt *n = plan->block[b].coefficients;

    if (n[RUNG_PAIR_CELL]) RungTextLine(text, "Real G%d[%d];", (int)b, (int)n[RUNG_PAIR_CELL]);
    if (n[RUNG_PAIR_SUM]) RungTextLine(text, "Real S%d[%d] = {{0}};", (int)b, (int)n[RUNG_PAIR_SUM]);
    if (n[RUNG_PAIR_POINT]) {
      RungTextLine(text, "Real B%d[%d][%d];", (int)b, (int)n[RUNG_PAIR_POINT], (int)RungEmitChunk(plan));
    }
  }
  RungEmitLateDeclare(emitter);
  RungEmitOuterDeclare(emitter, plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contraction with a constant tensor ---------------------------------------------------------------------------
 */

/* out<d>[row] += value * u<d>[column] of an entry of the matrix that stands `at` numbers behind the destination's first. */
static void emit_apply(RungText *text, RungPlan plan, PetscInt d, const char value[], PetscInt at)
{
  RungTextLine(text, strchr(value, ' ') ? "out%d[%d] += (%s) * u%d[%d];" : "out%d[%d] += %s * u%d[%d];", (int)d,
               (int)(at / plan->cols), value, (int)d, (int)(at % plan->cols));
}

/* out<d>[row * i + col * j] += value */
static void emit_add(RungText *text, RungPlan plan, const RungBlock *block, const char value[], PetscInt i, PetscInt j)
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to    = &block->destination[d];
    const PetscInt         at[2] = {i * to->row + j * to->col, j * to->row + i * to->col};

    for (int mirror = 0; mirror <= (block->half && i != j ? 1 : 0); ++mirror) {
      if (plan->applied)
        emit_apply(text, plan, d, value, at[mirror]);
      else
        RungTextLine(text, "out%d[%d] += %s;", (int)d, (int)at[mirror], value);
    }
  }
}

/* The same in loops over i and j; terms of a single row or column are left out. */
static void emit_add_loop(RungText *text, const RungBlock *block, const char value[])
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to    = &block->destination[d];
    char                   i[32] = "", j[32] = "";

    if (block->row->nodes > 1) (void)snprintf(i, sizeof i, "%d * i", (int)to->row);
    if (block->col->nodes > 1) (void)snprintf(j, sizeof j, "%s%d * j", i[0] ? " + " : "", (int)to->col);
    RungTextLine(text, "out%d[%s%s%s] += %s;", (int)d, i, j, i[0] || j[0] ? "" : "0", value);
    if (block->half) {
      RungTextLine(text, "if (i != j) out%d[%d * j + %d * i] += %s;", (int)d, (int)to->row, (int)to->col, value);
    }
  }
}

static PetscBool sides_equal(RungPlan plan, const RungBlock *block, int kind)
{
  const PetscInt n = block->row->nodes * block->col->nodes * block->coefficients[kind];

  for (PetscInt k = 0; k < n * plan->sides; ++k) {
    if (block->tensor[kind][k] != block->tensor[kind][k % n]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscInt count_terms(const RungBlock *block, int kind)
{
  const PetscInt n     = block->row->nodes * block->col->nodes * block->coefficients[kind];
  PetscInt       terms = 0;

  for (PetscInt k = 0; k < n; ++k) terms += block->tensor[kind][k] != 0;
  return block->half ? terms / 2 : terms;
}

/* Written out entry by entry. */
static PetscBool unrolled(RungPlan plan, const RungBlock *block, int kind)
{
  if (plan->applied) return plan->tensor ? PETSC_FALSE : PETSC_TRUE;
  return kind != RUNG_PAIR_POINT && !block->diagonal && !RungSumContracts(plan, block, kind) &&
             sides_equal(plan, block, kind) && count_terms(block, kind) <= UNROLL_TERMS
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* How often |entry| = value stands in the tensors of the cell; entries: all that are not 0. */
static PetscInt count_equal(RungPlan plan, double value, PetscInt *entries)
{
  PetscInt equal = 0;

  *entries = 0;
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];
    const PetscInt   n     = block->row->nodes * block->col->nodes * block->coefficients[RUNG_PAIR_CELL];

    for (PetscInt k = 0; k < n; ++k) {
      const double entry = PetscAbsReal(block->tensor[RUNG_PAIR_CELL][k]);

      *entries += entry != 0;
      equal += PetscAbsReal(entry - value) <= 4e-15 * value;
    }
  }
  return equal;
}

double RungEmitScale(RungPlan plan)
{
  double   scale = 1;
  PetscInt most  = 0, entries, n;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (RungEmitOuterTakes(plan, b)) return 1;
    if (plan->block[b].coefficients[RUNG_PAIR_CELL] && !unrolled(plan, &plan->block[b], RUNG_PAIR_CELL)) return 1;
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) { /* a few candidates are enough: values repeat */
    for (PetscInt k = 0; k < PetscMin(64, plan->block[b].coefficients[RUNG_PAIR_CELL]); ++k) {
      const double value = PetscAbsReal(plan->block[b].tensor[RUNG_PAIR_CELL][k]);

      n = value != 0 ? count_equal(plan, value, &entries) : 0;
      if (n > most && 2 * n > entries) {
        most  = n;
        scale = value;
      }
    }
  }
  return scale;
}

/* Does column j of the tensor add up to zero, as gradients of basis functions do? */
static PetscBool sums_to_zero(const RungBlock *block, int kind, PetscInt j)
{
  const PetscInt n = block->coefficients[kind], cols = block->col->nodes;

  for (PetscInt c = 0; c < n; ++c) {
    double sum = 0, size = 0;

    for (PetscInt i = 0; i < block->row->nodes; ++i) {
      sum += block->tensor[kind][(i * cols + j) * n + c];
      size = PetscMax(size, PetscAbsReal(block->tensor[kind][(i * cols + j) * n + c]));
    }
    if (PetscAbsReal(sum) > 1e-14 * size) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The terms of entry (i, j): tensor / scale times coefficients, zeros left out, 1 and -1 as signs; or minus the other
   entries of the column, where these are fewer.  Returns whether it is such a sum. */
static PetscBool entry_text(const RungBlock *block, int kind, double scale, PetscInt i, PetscInt j, RungText *line)
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes;
  const double  *tensor = block->tensor[kind] + (i * block->col->nodes + j) * n;
  PetscInt       terms  = 0;

  for (PetscInt c = 0; c < n; ++c) terms += tensor[c] != 0;
  if (i == 0 && rows > 1 && terms > rows - 1 && sums_to_zero(block, kind, j)) {
    for (PetscInt k = 1; k < rows; ++k) {
      const PetscBool mirror = block->half && k > j ? PETSC_TRUE : PETSC_FALSE;

      RungTextAdd(line, "%sa%d_%d", line->n ? " - " : "-", (int)(mirror ? j : k), (int)(mirror ? k : j));
    }
    return PETSC_TRUE;
  }
  for (PetscInt c = 0; c < n; ++c) {
    double value = PetscAbsReal(tensor[c]) / scale;
    char   literal[32];

    if (tensor[c] == 0) continue;
    if (PetscAbsReal(value - PetscFloorReal(value + 0.5)) < 4e-15 * value) value = PetscFloorReal(value + 0.5);
    RungTextNumber(value, literal);
    RungTextAdd(line, tensor[c] < 0 ? (line->n ? " - " : "-") : line->n ? " + " : "");
    if (value == 1)
      RungTextAdd(line, "c[%d]", (int)c);
    else
      RungTextAdd(line, "%s * c[%d]", literal, (int)c);
  }
  return PETSC_FALSE;
}

static PetscErrorCode emit_entry(RungPlan plan, const RungBlock *block, int kind, double scale, PetscBool named,
                                 PetscInt i, PetscInt j, RungText *text)
{
  RungText line = {0};

  PetscFunctionBegin;
  (void)entry_text(block, kind, scale, i, j, &line);
  PetscCall(line.error);
  if (line.n && (named || block->destinations > 1 || (block->half && i != j))) {
    RungTextLine(text, "const Real a%d_%d = %s;", (int)i, (int)j, line.text);
    RungTextFree(&line);
    line = (RungText){0};
    RungTextAdd(&line, "a%d_%d", (int)i, (int)j);
    PetscCall(line.error);
  }
  if (line.n)
    emit_add(text, plan, block, line.text, i, j);
  else if (named)
    RungTextLine(text, "const Real a%d_%d = {0};", (int)i, (int)j);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry by entry, row 0 and in it column 0 last: they may be sums of the others. */
static PetscErrorCode emit_unrolled(RungPlan plan, const RungBlock *block, int kind, double scale, RungText *text)
{
  PetscBool named = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < block->col->nodes; ++j) {
    RungText line = {0};

    if (entry_text(block, kind, scale, 0, j, &line)) named = PETSC_TRUE;
    PetscCall(line.error);
    RungTextFree(&line);
  }
  for (PetscInt i = block->row->nodes - 1; i >= 0; --i) {
    for (PetscInt j = block->col->nodes - 1; j >= (block->half ? i : 0); --j) {
      PetscCall(emit_entry(plan, block, kind, scale, named, i, j, text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void open_loops(RungText *text, const RungBlock *block)
{
  if (block->row->nodes > 1) {
    RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)block->row->nodes);
    text->indent += 2;
  }
  if (block->col->nodes > 1) {
    RungTextLine(text, "for (int j = %s; j < %d; ++j) {", block->half ? "i" : "0", (int)block->col->nodes);
    text->indent += 2;
  }
}

static void close_loops(RungText *text)
{
  while (text->indent > 2) {
    text->indent -= 2;
    RungTextLine(text, "}");
  }
}

static PetscErrorCode emit_tensor_loop(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                       RungText *text)
{
  const PetscBool one    = sides_equal(plan, block, kind);
  const PetscInt  n      = block->coefficients[kind];
  PetscInt        dim[4] = {plan->sides, block->row->nodes, block->col->nodes, n};
  const char     *name;
  RungText        line = {0};

  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "moment", one ? 3 : 4, one ? dim + 1 : dim, block->tensor[kind], PETSC_TRUE, &name));
  open_loops(text, block);
  for (PetscInt c = 0; c < n; ++c) {
    RungTextAdd(&line, "%s%s%s[%s][%s][%d] * c[%d]", c ? " + " : "", name, one ? "" : "[f]",
                block->row->nodes > 1 ? "i" : "0", block->col->nodes > 1 ? "j" : "0", (int)c, (int)c);
  }
  PetscCall(line.error);
  RungTextLine(text, "const Real a = %s;", line.text);
  RungTextFree(&line);
  emit_add_loop(text, block, "a");
  close_loops(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients at a few of the points. */
static PetscErrorCode emit_few(RungEmitter *emitter, const RungBlock *block, RungText *text)
{
  const PetscInt n      = block->coefficients[RUNG_PAIR_POINT];
  PetscInt       dim[3] = {block->row->nodes, block->col->nodes, n * block->few};
  const char    *name;
  RungText       line = {0};

  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "moment", 3, dim, block->few_tensor, PETSC_TRUE, &name));
  open_loops(text, block);
  for (PetscInt c = 0; c < n * block->few; ++c) {
    RungTextAdd(&line, "%s%s[%s][%s][%d] * c[%d][%d]", c ? " + " : "", name, block->row->nodes > 1 ? "i" : "0",
                block->col->nodes > 1 ? "j" : "0", (int)c, (int)(c / block->few),
                (int)block->few_point[c % block->few]);
  }
  PetscCall(line.error);
  RungTextLine(text, "const Real a = %s;", line.text);
  RungTextFree(&line);
  emit_add_loop(text, block, "a");
  close_loops(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contraction at the points ------------------------------------------------------------------------------------
 */

/* sum over pairs with this r of table[q][j] * c[pair][q]; for the trial function 1 the coefficients alone */
static PetscErrorCode column_sum(RungEmitter *emitter, RungPlan plan, const RungBlock *block, PetscInt r,
                                 RungText *line)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];
    char            entry[RUNG_EMIT_NAME_SIZE];

    if (pair->r != r) continue;
    if (block->col == &plan->one) {
      RungTextAdd(line, "%sc[%d][q]", line->n ? " + " : "", (int)pair->coefficient);
      continue;
    }
    PetscCall(
      RungEmitBasis(emitter, plan, block->col, pair->s, block->col_cell, point_index(plan), "j", entry, sizeof entry));
    RungTextAdd(line, "%s%s * c[%d][q]", line->n ? " + " : "", entry, (int)pair->coefficient);
  }
  PetscCall(line->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt row_derivatives(const RungBlock *block, PetscInt r[])
{
  PetscInt n = 0;

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    if (!n || r[n - 1] != block->pair[RUNG_PAIR_POINT][p].r) r[n++] = block->pair[RUNG_PAIR_POINT][p].r;
  }
  return n;
}

/* Are the tables of all row derivatives constant, as those of gradients of P1?  Points are summed before the rows then. */
static PetscBool rows_are_constant(RungPlan plan, const RungBlock *block)
{
  PetscInt r[RUNG_MAX_DERIVATIVE], n = row_derivatives(block, r);

  for (PetscInt k = 0; k < n; ++k)
    if (!block->row->constant[r[k]]) return PETSC_FALSE;
  return block->col == &plan->one ? PETSC_FALSE : PETSC_TRUE;
}

/* a = sum over q and r of table_r[q][i] * s_r[q], without tables that are zero for this node (-1: any) */
static PetscErrorCode emit_row_sum(RungEmitter *emitter, RungPlan plan, const RungBlock *block, PetscInt node,
                                   RungText *text)
{
  PetscInt r[RUNG_MAX_DERIVATIVE], n = row_derivatives(block, r);
  RungText line = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    char     entry[RUNG_EMIT_NAME_SIZE];
    RungText sum = {0};

    if (node >= 0 && RungEmitIsZero(plan, block->row, r[k], node)) continue;
    PetscCall(
      RungEmitBasis(emitter, plan, block->row, r[k], block->row_cell, point_index(plan), "i", entry, sizeof entry));
    if (block->col == &plan->one)
      PetscCall(column_sum(emitter, plan, block, r[k], &sum));
    else
      RungTextAdd(&sum, rows_are_constant(plan, block) ? "s%d" : "s%d[q]", (int)k);
    PetscCall(sum.error);
    RungTextAdd(&line, "%s%s * %s", line.n ? " + " : "", entry, sum.text);
    RungTextFree(&sum);
  }
  PetscCall(line.error);
  if (!line.n) RungTextAdd(&line, "(Real){0}");
  if (rows_are_constant(plan, block)) {
    RungTextLine(text, "const Real a = %s;", line.text);
    RungTextFree(&line);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungTextLine(text, "Real a = {0};");
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int q = 0; q < %d; ++q) a += %s;", (int)RungEmitChunk(plan), line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of all rows: in a loop, or row by row where that saves zeros. */
static PetscErrorCode emit_rows(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  PetscInt        r[RUNG_MAX_DERIVATIVE], n = row_derivatives(block, r);
  const PetscBool sparse = RungEmitIsSparse(plan, block->row, n, r);

  PetscFunctionBegin;
  for (PetscInt node = 0; node < (sparse ? block->row->nodes : 1); ++node) {
    if (!sparse)
      RungTextLine(text, block->half ? "for (int i = 0; i <= j; ++i) {" : "for (int i = 0; i < %d; ++i) {",
                   (int)block->row->nodes);
    else
      RungTextLine(text, block->half && node ? "if (j >= %d) {" : "{", (int)node);
    text->indent += 2;
    if (sparse && block->row->nodes > 1) RungTextLine(text, "const int i = %d;", (int)node);
    PetscCall(emit_row_sum(emitter, plan, block, sparse ? node : -1, text));
    emit_add_loop(text, block, "a");
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_point_loop(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  PetscInt        r[RUNG_MAX_DERIVATIVE], n = row_derivatives(block, r);
  const PetscBool sums = rows_are_constant(plan, block);

  PetscFunctionBegin;
  if (block->col != &plan->one) {
    RungTextLine(text, "for (int j = 0; j < %d; ++j) {", (int)block->col->nodes);
    text->indent += 2;
    for (PetscInt k = 0; k < n; ++k) {
      if (sums)
        RungTextLine(text, "Real s%d = {0};", (int)k);
      else
        RungTextLine(text, "Real s%d[%d];", (int)k, (int)RungEmitChunk(plan));
    }
    RungTextAdd(text, "\n");
    RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)RungEmitChunk(plan));
    for (PetscInt k = 0; k < n; ++k) {
      RungText line = {0};

      PetscCall(column_sum(emitter, plan, block, r[k], &line));
      text->indent += 2;
      RungTextLine(text, sums ? "s%d += %s;" : "s%d[q] = %s;", (int)k, line.text);
      text->indent -= 2;
      RungTextFree(&line);
    }
    RungTextLine(text, "}");
  }
  PetscCall(emit_rows(emitter, plan, block, text));
  close_loops(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions and calls ------------------------------------------------------------------------------------------
 */

static PetscBool uses_side(RungPlan plan, const RungBlock *block, int kind)
{
  if (plan->sides == 1) return PETSC_FALSE;
  return kind == RUNG_PAIR_POINT || block->diagonal || !sides_equal(plan, block, kind) ? PETSC_TRUE : PETSC_FALSE;
}

/* Is the side of the first, of the second cell of a place an index in it? */
static PetscBool uses_first(RungPlan plan, const RungBlock *block, int kind)
{
  return uses_side(plan, block, kind) && !(block->row_cell && block->col_cell) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool uses_other(RungPlan plan, const RungBlock *block, int kind)
{
  return uses_side(plan, block, kind) && (block->row_cell || block->col_cell) ? PETSC_TRUE : PETSC_FALSE;
}

/* A function that adds one kind of contraction of a block; blocks of one structure share it. */
static PetscErrorCode emit_function(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                    const char **name)
{
  RungText        body = {0}, head = {0};
  const PetscBool chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  RungTextAdd(&head, "static void @(%s%s", uses_first(plan, block, kind) ? "int f, " : "",
              uses_other(plan, block, kind) ? "int g, " : "");
  if (kind == RUNG_PAIR_POINT)
    RungTextAdd(&head, "%sconst Real (*restrict c)[%d]", chunked ? "int p, " : "", (int)RungEmitChunk(plan));
  else
    RungTextAdd(&head, "const Real *restrict c");
  for (PetscInt d = 0; d < block->destinations; ++d) {
    RungTextAdd(&head, ", Real *out%d", (int)d);
    if (plan->applied) RungTextAdd(&head, ", const Real *restrict u%d", (int)d);
  }
  RungTextAdd(&head, ")");
  PetscCall(head.error);
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "%s", head.text);
  RungTextFree(&head);
  RungTextAdd(&body, "{\n");
  body.indent = 2;
  if (block->diagonal)
    PetscCall(RungEmitDiagonal(emitter, plan, block, kind, point_index(plan), &body));
  else if (plan->applied && plan->tensor)
    PetscCall(RungEmitKronecker(emitter, plan, block, &body));
  else if (RungSumContracts(plan, block, kind) && block->col == &plan->one)
    PetscCall(RungEmitSumVector(emitter, plan, block, &body));
  else if (RungSumContracts(plan, block, kind))
    PetscCall(RungEmitSumMatrix(emitter, plan, block, kind, &body));
  else if (unrolled(plan, block, kind))
    PetscCall(emit_unrolled(plan, block, kind, kind == RUNG_PAIR_CELL ? RungEmitScale(plan) : 1, &body));
  else if (kind == RUNG_PAIR_POINT && block->few && !chunked)
    PetscCall(emit_few(emitter, block, &body));
  else if (kind == RUNG_PAIR_POINT)
    PetscCall(emit_point_loop(emitter, plan, block, &body));
  else
    PetscCall(emit_tensor_loop(emitter, plan, block, kind, &body));
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, "contract", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_call(RungEmitter *emitter, RungPlan plan, PetscInt b, int kind)
{
  const RungBlock *block = &plan->block[b];
  const PetscInt   chunk = RungEmitChunk(plan);
  const char      *name;
  RungText         line = {0};

  PetscFunctionBegin;
  PetscCall(emit_function(emitter, plan, block, kind, &name));
  RungTextAdd(&line, "%s(%s%s", name, uses_first(plan, block, kind) ? "f, " : "",
              uses_other(plan, block, kind) ? "g, " : "");
  if (kind == RUNG_PAIR_POINT)
    RungTextAdd(&line, "%s(const Real(*)[%d])", chunk < plan->points ? "p, " : "", (int)chunk);
  RungTextAdd(&line, "%s%d", array_name[kind], (int)b);
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const PetscInt base = block->destination[d].base;

    RungTextAdd(&line, ", out + %d", (int)(plan->applied ? base / plan->cols : base));
    if (plan->applied) RungTextAdd(&line, ", u_to + %d", (int)(base % plan->cols));
  }
  PetscCall(line.error);
  RungTextLine(&emitter->kernels, "%s);", line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitContract(RungEmitter *emitter, RungPlan plan, PetscBool in_loop)
{
  const PetscBool chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  RungTextAdd(&emitter->kernels, "\n");
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
      if (!plan->block[b].coefficients[kind] || RungEmitOuterTakes(plan, b)) continue;
      if ((kind == RUNG_PAIR_POINT && chunked) != (in_loop == PETSC_TRUE)) continue;
      PetscCall(emit_call(emitter, plan, b, kind));
    }
  }
  if (plan->outer && chunked == in_loop) PetscCall(RungEmitOuter(emitter, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
