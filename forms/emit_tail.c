/* emit_tail.c - coefficients pulled back to the reference cell, and their contraction with tables, as C. */
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
  if (plan->tensor) return plan->points;
  n *= 8 * RUNG_PACK; /* the same chunks for any number of lanes */
  if (n * plan->points <= MANY_BYTES) return plan->points;
  while (chunk > 1 && (plan->points % chunk || n * chunk > FEW_BYTES)) --chunk;
  return chunk > 1 ? chunk : plan->points;
}

/* Index of a point in tables, within a contraction. */
static const char *PointIndex(RungPlan plan)
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pull-back ----------------------------------------------------------------------------------------------------
 */

/* map * value, without factors that are 1 */
static void Product(RungPlan plan, const RungPullStep *it, const char weight[], const char value[], RungText *line)
{
  char map[RUNG_NAME_SIZE];

  RungEmitMapName(plan, it->s, it->r, map);
  if (weight[0])
    RungTextAdd(line, "%s%s", weight, map);
  else
    RungTextAdd(line, "%s", map);
  if (strcmp(value, "1.") != 0)
    RungTextAdd(line, "%s%s", weight[0] || map[0] ? " * " : "", value);
  else if (!weight[0] && !map[0])
    RungTextAdd(line, "all(1)");
}

/* The map with the measure: WK01 = dV * K01 for what the first steps use. */
static void EmitWeightedMaps(RungEmitter *emitter, RungPlan plan, int class, PetscBool done[][RUNG_MAX_DERIVATIVE])
{
  RungText *text = &emitter->kernels;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungPull *pull = &plan->block[b].pull[class];

    for (PetscInt i = 0; i < pull->steps[0]; ++i) {
      const RungPullStep *it = &pull->step[0][i];
      char                map[RUNG_NAME_SIZE];

      if (done[it->s][it->r]) continue;
      done[it->s][it->r] = PETSC_TRUE;
      RungEmitMapName(plan, it->s, it->r, map);
      if (map[0]) {
        RungTextLine(text, "const Real %s%s = %s * %s;", class ? "W" : "D", map, class ? "dV" : "measure", map);
      } else {
        RungTextLine(text, "const Real %s = %s;", class ? "W" : "D", class ? "dV" : "measure");
      }
    }
  }
}

/* T = sum of weighted map * value */
static PetscErrorCode EmitTemporaries(RungEmitter *emitter, RungPlan plan, PetscInt b, int class,
                                      const RungEmitValues *values)
{
  const RungPull *pull = &plan->block[b].pull[class];

  PetscFunctionBegin;
  for (PetscInt i = 0, to; i < pull->steps[0];) {
    RungText line = {0};

    for (to = pull->step[0][i].to; i < pull->steps[0] && pull->step[0][i].to == to; ++i) {
      const PetscInt v     = pull->step[0][i].from;
      RungText       value = {0};

      RungTextAdd(&value, values->precedence[v] >= 3 ? "%s" : "(%s)", values->text[v]);
      PetscCall(value.error);
      if (line.n) RungTextAdd(&line, " + ");
      Product(plan, &pull->step[0][i], class ? "W" : "D", value.text, &line);
      RungTextFree(&value);
    }
    PetscCall(line.error);
    RungTextLine(&emitter->kernels, "const Real T%d = %s;", (int)to, line.text);
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G, S or B = sum of map * T */
static PetscErrorCode EmitCoefficients(RungEmitter *emitter, RungPlan plan, PetscInt b, int class)
{
  const RungBlock *block   = &plan->block[b];
  const RungPull  *pull    = &block->pull[class];
  const PetscInt   sums    = block->coefficients[RUNG_PAIR_SUM];
  const PetscBool  chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0, to; i < pull->steps[1];) {
    RungText line = {0};

    for (to = pull->step[1][i].to; i < pull->steps[1] && pull->step[1][i].to == to; ++i) {
      char temporary[16];

      (void)snprintf(temporary, sizeof temporary, "T%d", (int)pull->step[1][i].from);
      if (line.n) RungTextAdd(&line, " + ");
      Product(plan, &pull->step[1][i], "", temporary, &line);
    }
    PetscCall(line.error);
    if (!class)
      RungTextLine(&emitter->kernels, "G%d[%d] = %s;", (int)b, (int)to, line.text);
    else if (to < sums)
      RungTextLine(&emitter->kernels, "S%d[%d] += %s;", (int)b, (int)to, line.text);
    else
      RungTextLine(&emitter->kernels, "B%d[%d][%s] = %s;", (int)b, (int)(to - sums), chunked ? "q - p" : "q",
                   line.text);
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitPull(RungEmitter *emitter, RungPlan plan, int class, const RungEmitValues *values)
{
  PetscBool done[RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE] = {{PETSC_FALSE}};
  RungText *text                                           = &emitter->kernels;

  PetscFunctionBegin;
  EmitWeightedMaps(emitter, plan, class, done);
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (!plan->block[b].pull[class].steps[1]) continue;
    RungTextLine(text, "{");
    text->indent += 2;
    PetscCall(EmitTemporaries(emitter, plan, b, class, values));
    PetscCall(EmitCoefficients(emitter, plan, b, class));
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contraction with a constant tensor ---------------------------------------------------------------------------
 */

/* out<d>[row * i + col * j], numbers or letters */
static void EmitAdd(RungText *text, const RungBlock *block, const char value[], PetscInt i, PetscInt j)
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    RungTextLine(text, "out%d[%d] += %s;", (int)d, (int)(i * to->row + j * to->col), value);
    if (block->half && i != j) {
      RungTextLine(text, "out%d[%d] += %s;", (int)d, (int)(j * to->row + i * to->col), value);
    }
  }
}

/* The same in loops over i and j; terms of a single row or column are left out. */
static void EmitAddLoop(RungText *text, const RungBlock *block, const char value[])
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

static PetscBool SidesEqual(RungPlan plan, const RungBlock *block, int kind)
{
  const PetscInt n = block->row->nodes * block->col->nodes * block->coefficients[kind];

  for (PetscInt k = 0; k < n * plan->sides; ++k) {
    if (block->tensor[kind][k] != block->tensor[kind][k % n]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscInt CountTerms(const RungBlock *block, int kind)
{
  const PetscInt n     = block->row->nodes * block->col->nodes * block->coefficients[kind];
  PetscInt       terms = 0;

  for (PetscInt k = 0; k < n; ++k) terms += block->tensor[kind][k] != 0;
  return block->half ? terms / 2 : terms;
}

/* Entry by entry, zeros left out, 1 and -1 as signs. */
static PetscErrorCode EmitUnrolled(const RungBlock *block, int kind, RungText *text)
{
  const PetscInt n = block->coefficients[kind];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < block->row->nodes; ++i) {
    for (PetscInt j = block->half ? i : 0; j < block->col->nodes; ++j) {
      const double *tensor = block->tensor[kind] + (i * block->col->nodes + j) * n;
      RungText      line   = {0};
      PetscBool     often  = block->destinations > 1 || (block->half && i != j) ? PETSC_TRUE : PETSC_FALSE;

      for (PetscInt c = 0; c < n; ++c) {
        char literal[32];

        if (tensor[c] == 0) continue;
        RungTextNumber(PetscAbsReal(tensor[c]), literal);
        RungTextAdd(&line, tensor[c] < 0 ? (line.n ? " - " : "-") : line.n ? " + " : "");
        if (PetscAbsReal(tensor[c]) == 1)
          RungTextAdd(&line, "c[%d]", (int)c);
        else
          RungTextAdd(&line, "%s * c[%d]", literal, (int)c);
      }
      PetscCall(line.error);
      if (line.n && often) {
        RungTextLine(text, "const Real a%d_%d = %s;", (int)i, (int)j, line.text);
        RungTextFree(&line);
        line = (RungText){0};
        RungTextAdd(&line, "a%d_%d", (int)i, (int)j);
        PetscCall(line.error);
      }
      if (line.n) EmitAdd(text, block, line.text, i, j);
      RungTextFree(&line);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void OpenLoops(RungText *text, const RungBlock *block)
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

static void CloseLoops(RungText *text)
{
  while (text->indent > 2) {
    text->indent -= 2;
    RungTextLine(text, "}");
  }
}

static PetscErrorCode EmitTensorLoop(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                     RungText *text)
{
  const PetscBool one    = SidesEqual(plan, block, kind);
  const PetscInt  n      = block->coefficients[kind];
  PetscInt        dim[4] = {plan->sides, block->row->nodes, block->col->nodes, n};
  const char     *name;
  RungText        line = {0};

  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "moment", one ? 3 : 4, one ? dim + 1 : dim, block->tensor[kind], PETSC_TRUE, &name));
  OpenLoops(text, block);
  for (PetscInt c = 0; c < n; ++c) {
    RungTextAdd(&line, "%s%s%s[%s][%s][%d] * c[%d]", c ? " + " : "", name, one ? "" : "[f]",
                block->row->nodes > 1 ? "i" : "0", block->col->nodes > 1 ? "j" : "0", (int)c, (int)c);
  }
  PetscCall(line.error);
  RungTextLine(text, "const Real a = %s;", line.text);
  RungTextFree(&line);
  EmitAddLoop(text, block, "a");
  CloseLoops(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contraction at the points ------------------------------------------------------------------------------------
 */

/* sum over pairs with this r of table[q][j] * c[pair][q]; for the trial function 1 the coefficients alone */
static PetscErrorCode ColumnSum(RungEmitter *emitter, RungPlan plan, const RungBlock *block, PetscInt r, RungText *line)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];
    char            entry[RUNG_NAME_SIZE];

    if (pair->r != r) continue;
    if (block->col == &plan->one) {
      RungTextAdd(line, "%sc[%d][q]", line->n ? " + " : "", (int)pair->coefficient);
      continue;
    }
    PetscCall(RungEmitBasis(emitter, plan, block->col, pair->s, PointIndex(plan), "j", entry, sizeof entry));
    RungTextAdd(line, "%s%s * c[%d][q]", line->n ? " + " : "", entry, (int)pair->coefficient);
  }
  PetscCall(line->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt RowDerivatives(const RungBlock *block, PetscInt r[])
{
  PetscInt n = 0;

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    if (!n || r[n - 1] != block->pair[RUNG_PAIR_POINT][p].r) r[n++] = block->pair[RUNG_PAIR_POINT][p].r;
  }
  return n;
}

/* a = sum over q and r of table_r[q][i] * s_r[q] */
static PetscErrorCode EmitRowSum(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  PetscInt r[RUNG_MAX_DERIVATIVE], n = RowDerivatives(block, r);
  RungText line = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    char     entry[RUNG_NAME_SIZE];
    RungText sum = {0};

    PetscCall(RungEmitBasis(emitter, plan, block->row, r[k], PointIndex(plan), "i", entry, sizeof entry));
    if (block->col == &plan->one)
      PetscCall(ColumnSum(emitter, plan, block, r[k], &sum));
    else
      RungTextAdd(&sum, "s%d[q]", (int)k);
    PetscCall(sum.error);
    RungTextAdd(&line, "%s%s * %s", k ? " + " : "", entry, sum.text);
    RungTextFree(&sum);
  }
  PetscCall(line.error);
  RungTextLine(text, "Real a = {0};");
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int q = 0; q < %d; ++q) a += %s;", (int)RungEmitChunk(plan), line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EmitPointLoop(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  PetscInt r[RUNG_MAX_DERIVATIVE], n = RowDerivatives(block, r);

  PetscFunctionBegin;
  if (block->col != &plan->one) {
    RungTextLine(text, "for (int j = 0; j < %d; ++j) {", (int)block->col->nodes);
    text->indent += 2;
    for (PetscInt k = 0; k < n; ++k) RungTextLine(text, "Real s%d[%d];", (int)k, (int)RungEmitChunk(plan));
    RungTextAdd(text, "\n");
    RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)RungEmitChunk(plan));
    for (PetscInt k = 0; k < n; ++k) {
      RungText line = {0};

      PetscCall(ColumnSum(emitter, plan, block, r[k], &line));
      text->indent += 2;
      RungTextLine(text, "s%d[q] = %s;", (int)k, line.text);
      text->indent -= 2;
      RungTextFree(&line);
    }
    RungTextLine(text, "}");
  }
  RungTextLine(text, block->half ? "for (int i = 0; i <= j; ++i) {" : "for (int i = 0; i < %d; ++i) {",
               (int)block->row->nodes);
  text->indent += 2;
  PetscCall(EmitRowSum(emitter, plan, block, text));
  EmitAddLoop(text, block, "a");
  CloseLoops(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions and calls ------------------------------------------------------------------------------------------
 */

static PetscBool UsesSide(RungPlan plan, const RungBlock *block, int kind)
{
  if (plan->sides == 1) return PETSC_FALSE;
  return kind == RUNG_PAIR_POINT || block->diagonal || !SidesEqual(plan, block, kind) ? PETSC_TRUE : PETSC_FALSE;
}

/* A function that adds one kind of contraction of a block; blocks of one structure share it. */
static PetscErrorCode EmitFunction(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                   const char **name)
{
  RungText        body = {0}, head = {0};
  const PetscBool chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool unroll  = kind != RUNG_PAIR_POINT && !UsesSide(plan, block, kind) && !block->diagonal &&
                               !RungSumContracts(plan, block, kind) && CountTerms(block, kind) <= UNROLL_TERMS
                              ? PETSC_TRUE
                              : PETSC_FALSE;

  PetscFunctionBegin;
  RungTextAdd(&head, "static void @(%s", UsesSide(plan, block, kind) ? "int f, " : "");
  if (kind == RUNG_PAIR_POINT)
    RungTextAdd(&head, "%sconst Real (*restrict c)[%d]", chunked ? "int p, " : "", (int)RungEmitChunk(plan));
  else
    RungTextAdd(&head, "const Real *restrict c");
  for (PetscInt d = 0; d < block->destinations; ++d) RungTextAdd(&head, ", Real *out%d", (int)d);
  RungTextAdd(&head, ")");
  PetscCall(head.error);
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "%s", head.text);
  RungTextFree(&head);
  RungTextAdd(&body, "{\n");
  body.indent = 2;
  if (block->diagonal)
    PetscCall(RungEmitDiagonal(emitter, plan, block, kind, PointIndex(plan), &body));
  else if (RungSumContracts(plan, block, kind) && block->col == &plan->one)
    PetscCall(RungEmitSumVector(emitter, plan, block, &body));
  else if (RungSumContracts(plan, block, kind))
    PetscCall(RungEmitSumMatrix(emitter, plan, block, kind, &body));
  else if (unroll)
    PetscCall(EmitUnrolled(block, kind, &body));
  else if (kind == RUNG_PAIR_POINT)
    PetscCall(EmitPointLoop(emitter, plan, block, &body));
  else
    PetscCall(EmitTensorLoop(emitter, plan, block, kind, &body));
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, "contract", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EmitCall(RungEmitter *emitter, RungPlan plan, PetscInt b, int kind)
{
  const RungBlock *block = &plan->block[b];
  const PetscInt   chunk = RungEmitChunk(plan);
  const char      *name;
  RungText         line = {0};

  PetscFunctionBegin;
  PetscCall(EmitFunction(emitter, plan, block, kind, &name));
  RungTextAdd(&line, "%s(%s", name, UsesSide(plan, block, kind) ? "f, " : "");
  if (kind == RUNG_PAIR_POINT)
    RungTextAdd(&line, "%s(const Real(*)[%d])", chunk < plan->points ? "p, " : "", (int)chunk);
  RungTextAdd(&line, "%s%d", array_name[kind], (int)b);
  for (PetscInt d = 0; d < block->destinations; ++d) {
    RungTextAdd(&line, ", out + %d", (int)block->destination[d].base);
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
      if (!plan->block[b].coefficients[kind]) continue;
      if ((kind == RUNG_PAIR_POINT && chunked) != (in_loop == PETSC_TRUE)) continue;
      PetscCall(EmitCall(emitter, plan, b, kind));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
