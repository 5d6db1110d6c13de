/* emit_pull.c - coefficients pulled back to the reference cell, as C.

   coefficient = sum over terms of  w |J| map value map, in two steps (kernel_impl.h).  Where all values of a block are
   one, as in every scalar multiple of a Laplacian, it leaves the sum, and with it the determinant under the inverse
   map:  c K K^T |det J| = (c |det J| / det J^2) C C^T  with the cofactors C. */
#include "emit_impl.h"
#include <string.h>

static PetscBool is_first(RungPlan plan, PetscInt s)
{
  return s >= 1 && s <= plan->axes ? PETSC_TRUE : PETSC_FALSE;
}

/* Is there one value for all terms of this class? */
static PetscBool one_value(const RungPull *pull)
{
  for (PetscInt i = 1; i < pull->steps[0]; ++i) {
    if (pull->step[0][i].from != pull->step[0][0].from) return PETSC_FALSE;
  }
  return pull->steps[0] ? PETSC_TRUE : PETSC_FALSE;
}

/* Are both maps those of gradients?  On one axis there is nothing to win. */
static PetscBool only_gradients(RungPlan plan, const RungPull *pull)
{
  for (int k = 0; k < 2; ++k) {
    for (PetscInt i = 0; i < pull->steps[k]; ++i) {
      if (!is_first(plan, pull->step[k][i].s)) return PETSC_FALSE;
    }
  }
  return plan->axes > 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* map, or its cofactor; "" for 1 */
static void map_name(RungPlan plan, PetscInt cell, const RungPullStep *it, PetscBool cofactor,
                     char name[RUNG_EMIT_NAME_SIZE])
{
  RungEmitMapName(plan, cell, it->s, it->r, name);
  if (cofactor && name[0] == 'K') name[0] = 'C';
}

/* a * b, without factors that are "" */
static void product(const char a[], const char b[], RungText *line)
{
  if (!a[0] && !b[0])
    RungTextAdd(line, "all(1)");
  else
    RungTextAdd(line, "%s%s%s", a, a[0] && b[0] ? " * " : "", b);
}

/* Do values come with their weights? */
static PetscBool is_weighted(RungPlan plan, int class)
{
  return plan->integral->weighted || class == RUNG_PULL_LATE ? PETSC_TRUE : PETSC_FALSE;
}

/* What weighs maps (s > 0) or values */
static const char *weight_name(RungPlan plan, int class, PetscInt s)
{
  if (is_weighted(plan, class)) return "";
  if (class && s && RungEmitTakesCofactors(plan)) return "dC";
  return class ? "dV" : RungEmitScale(plan) != 1 ? "scaled" : "measure";
}

const char *RungEmitWeight(RungPlan plan)
{
  for (PetscInt v = 0; v < plan->integral->tape.inputs; ++v) {
    if (plan->integral->tape.input[v].kind == RUNG_IN_WEIGHT && plan->rate[v] == RUNG_RATE_POINT) return "dV";
  }
  return RungEmitScale(plan) != 1 ? "scaled" : "measure";
}

/* Value v of the tape as a factor; "" for 1. */
static PetscErrorCode add_factor(const RungEmitValues *values, PetscInt v, RungText *text)
{
  PetscFunctionBegin;
  if (strcmp(values->text[v], "1.") != 0)
    RungTextAdd(text, values->precedence[v] >= 3 ? "%s" : "(%s)", values->text[v]);
  else
    RungTextAdd(text, "%s", "");
  PetscCall(text->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it less work to weigh the sums T of a class than the maps in them?  Scalar equations have fewer sums. */
static PetscBool weighs_sums(const RungEmitter *emitter, RungPlan plan, int class)
{
  PetscBool done[2][RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE] = {{{PETSC_FALSE}}};
  PetscInt  maps = 0, sums = 0;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungPull *pull = RungEmitPullOf(emitter, plan, b, class);

    if (one_value(pull)) continue;
    for (PetscInt i = 0; i < pull->steps[0]; ++i) {
      const RungPullStep *it   = &pull->step[0][i];
      PetscBool          *seen = &done[it->s ? plan->block[b].row_cell : 0][it->s][it->r];

      if (!*seen) ++maps;
      *seen = PETSC_TRUE;
      if (!i || it->to != it[-1].to) ++sums;
    }
  }
  return sums < maps ? PETSC_TRUE : PETSC_FALSE;
}

/* The map with the measure: WK01 = dV * K01 for what the first steps use. */
static void emit_weighted_maps(RungEmitter *emitter, RungPlan plan, int class)
{
  PetscBool done[2][RUNG_MAX_DERIVATIVE][RUNG_MAX_DERIVATIVE] = {{{PETSC_FALSE}}};
  RungText *text                                              = &emitter->kernels;

  if (plan->integral->weighted || class == RUNG_PULL_LATE) return;
  for (PetscInt b = 0; b < plan->blocks && !weighs_sums(emitter, plan, class); ++b) {
    const RungPull *pull = RungEmitPullOf(emitter, plan, b, class);
    const PetscInt  cell = plan->block[b].row_cell;

    for (PetscInt i = 0; i < pull->steps[0] && !one_value(pull); ++i) {
      const RungPullStep *it = &pull->step[0][i];
      char                map[RUNG_EMIT_NAME_SIZE];

      if (done[it->s ? cell : 0][it->s][it->r]) continue;
      done[it->s ? cell : 0][it->s][it->r] = PETSC_TRUE;
      RungEmitMapName(plan, cell, it->s, it->r, map);
      if (map[0]) {
        char factor[RUNG_EMIT_NAME_SIZE];

        map_name(plan, cell, it, class && RungEmitTakesCofactors(plan) ? PETSC_TRUE : PETSC_FALSE, factor);
        RungTextLine(text, "const Real %s%s = %s * %s;", class ? "W" : "D", map, weight_name(plan, class, it->s),
                     factor);
      } else {
        RungTextLine(text, "const Real %s = %s;", class ? "W" : "D", weight_name(plan, class, 0));
      }
    }
  }
}

/* Is this value of the tape a derivative of a function that is a combination of cofactors, divided by the determinant? */
static PetscBool is_divided(RungPlan plan, PetscInt v)
{
  const RungTape *tape = &plan->integral->tape;

  if (v >= tape->inputs || plan->rate[v] != RUNG_RATE_POINT || !tape->input[v].derivative) return PETSC_FALSE;
  for (PetscInt i = 0; i < plan->input_steps; ++i)
    if (plan->input_step[i].to == v) return PETSC_TRUE;
  return PETSC_FALSE;
}

enum { FACTOR_ONE = -1, FACTOR_NONE = -2 };

/* The factor c, a value, of a value that is c times such a derivative. */
static PetscInt factor_of(RungPlan plan, PetscInt v, PetscInt *derivative)
{
  const RungTape *tape = &plan->integral->tape;

  *derivative = v;
  if (is_divided(plan, v)) return FACTOR_ONE;
  if (v < tape->inputs || tape->instruction[v - tape->inputs].op != RUNG_OP_MUL) return FACTOR_NONE;
  for (int k = 0; k < 2; ++k) {
    const PetscInt *arg = tape->instruction[v - tape->inputs].arg;

    *derivative = arg[k];
    if (is_divided(plan, arg[k])) return arg[1 - k];
  }
  return FACTOR_NONE;
}

/* The factor that all values of a block's gradients have in common, as those of a Laplacian have: with the determinant
   under the derivatives it leaves the sums,

       dC C (c over C^T r) = (weight c |over|) C C^T r,   as dC over = weight |det| / det^2.

   cofactor: it is sums of cofactors that are weighed.                                                               */
static PetscInt common_factor(RungPlan plan, const RungPull *pull, PetscBool cofactor)
{
  PetscInt common = FACTOR_NONE, first = 1, derivative;

  if (!cofactor) return FACTOR_NONE;
  for (PetscInt i = 0; i < pull->steps[0]; ++i) {
    if (!pull->step[0][i].s) continue;
    if (first) common = factor_of(plan, pull->step[0][i].from, &derivative);
    first = 0;
    if (common != factor_of(plan, pull->step[0][i].from, &derivative)) return FACTOR_NONE;
  }
  return common;
}

/* Value of a first step as a factor; with a common factor of all: without it, and not divided. */
static PetscErrorCode step_factor(RungPlan plan, const RungPullStep *it, PetscInt common, const RungEmitValues *values,
                                  RungText *text)
{
  PetscInt derivative;
  char     name[RUNG_EMIT_NAME_SIZE];

  PetscFunctionBegin;
  if (common == FACTOR_NONE || !it->s) {
    PetscCall(add_factor(values, it->from, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)factor_of(plan, it->from, &derivative);
  RungEmitInputName(plan, &plan->integral->tape.input[derivative], name);
  RungTextAdd(text, "all_%s", name);
  PetscCall(text->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = what leaves the sums with the common factor; a number of the form goes with that of the point */
static PetscErrorCode emit_common(RungEmitter *emitter, RungPlan plan, PetscInt common, const RungEmitValues *values)
{
  RungText    value = {0};
  const char *weight;

  PetscFunctionBegin;
  if (common == FACTOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (common != FACTOR_ONE) PetscCall(add_factor(values, common, &value));
  PetscCall(RungEmitWeights(emitter, plan, &weight));
  RungTextLine(&emitter->kernels, "const Real w = %s[q]%s%s * each_abs(over);", weight, value.n ? " * " : "",
               value.n ? value.text : "");
  RungTextFree(&value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T = sum of weighted map * value */
static PetscErrorCode emit_temporaries(RungEmitter *emitter, RungPlan plan, PetscInt b, int class,
                                       const RungEmitValues *values)
{
  const RungBlock *block   = &plan->block[b];
  const RungPull  *pull    = RungEmitPullOf(emitter, plan, b, class);
  const PetscBool  sums    = weighs_sums(emitter, plan, class) && !is_weighted(plan, class) ? PETSC_TRUE : PETSC_FALSE,
                  cofactor = sums && class ? RungEmitTakesCofactors(plan) : PETSC_FALSE;
  const PetscInt common    = common_factor(plan, pull, cofactor);

  PetscFunctionBegin;
  PetscCall(emit_common(emitter, plan, common, values));
  for (PetscInt i = 0, to; i < pull->steps[0];) {
    const PetscInt first = i, s = pull->step[0][i].s;
    RungText       line = {0};

    for (to = pull->step[0][i].to; i < pull->steps[0] && pull->step[0][i].to == to; ++i) {
      RungText value = {0};
      char     map[RUNG_EMIT_NAME_SIZE], weighted[RUNG_EMIT_NAME_SIZE + 1];

      PetscCall(step_factor(plan, &pull->step[0][i], common, values, &value));
      map_name(plan, block->row_cell, &pull->step[0][i], cofactor, map);
      (void)snprintf(weighted, sizeof weighted, "%s%s", sums || is_weighted(plan, class) ? "" : class ? "W" : "D", map);
      if (line.n) RungTextAdd(&line, " + ");
      product(weighted, value.n ? value.text : "", &line);
      RungTextFree(&value);
    }
    PetscCall(line.error);
    if (sums)
      RungTextLine(&emitter->kernels, i > first + 1 ? "const Real T%d = %s * (%s);" : "const Real T%d = %s * %s;",
                   (int)to, s && common != FACTOR_NONE ? "w" : weight_name(plan, class, s), line.text);
    else
      RungTextLine(&emitter->kernels, "const Real T%d = %s;", (int)to, line.text);
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = measure * value, the one of all terms, and what turns inverse maps into cofactors */
static PetscErrorCode emit_weight(RungEmitter *emitter, RungPlan plan, PetscInt b, PetscBool cofactor, PetscBool matrix,
                                  int class, const RungEmitValues *values)
{
  const RungBlock *block = &plan->block[b];
  const char      *row   = !cofactor ? "" : block->row_cell ? " * overm" : " * over";
  const char      *col   = !cofactor || !matrix ? "" : block->col_cell ? " * overm" : " * over";
  RungText         value = {0};

  PetscFunctionBegin;
  PetscCall(add_factor(values, RungEmitPullOf(emitter, plan, b, class)->step[0][0].from, &value));
  if (plan->integral->weighted)
    RungTextLine(&emitter->kernels, "const Real w = %s;", value.n ? value.text : "all(1)");
  else if (class == RUNG_PULL_LATE)
    RungTextLine(&emitter->kernels, "const Real w = %s%s%s;", value.text, row, col);
  else
    RungTextLine(&emitter->kernels, "const Real w = %s%s%s%s%s;", weight_name(plan, class, 0), row, col,
                 value.n ? " * " : "", value.n ? value.text : "");
  RungTextFree(&value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T without weight and value: a sum of maps, or the name of one. */
static PetscErrorCode emit_sums(RungEmitter *emitter, RungPlan plan, PetscInt b, int class, PetscBool cofactor,
                                char name[][RUNG_EMIT_NAME_SIZE])
{
  const RungBlock *block = &plan->block[b];
  const RungPull  *pull  = RungEmitPullOf(emitter, plan, b, class);

  PetscFunctionBegin;
  for (PetscInt i = 0, to; i < pull->steps[0];) {
    const PetscInt first = i;
    RungText       line  = {0};

    for (to = pull->step[0][i].to; i < pull->steps[0] && pull->step[0][i].to == to; ++i) {
      map_name(plan, block->row_cell, &pull->step[0][i], cofactor, name[to]);
      RungTextAdd(&line, "%s%s", line.n ? " + " : "", name[to][0] ? name[to] : "1.");
    }
    PetscCall(line.error);
    if (i > first + 1) {
      (void)snprintf(name[to], RUNG_EMIT_NAME_SIZE, "T%d", (int)to);
      RungTextLine(&emitter->kernels, "const Real T%d = %s;", (int)to, line.text);
    }
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G, S or B of coefficient `to` = value */
static void emit_store(RungEmitter *emitter, RungPlan plan, PetscInt b, int class, PetscInt to, const char value[])
{
  const PetscInt  sums    = plan->block[b].coefficients[RUNG_PAIR_SUM];
  const PetscBool chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt  axis    = class && plan->tensor ? RungSumFolds(plan, &plan->block[b], to - sums) : -1;
  char            index[32];

  if (!class)
    RungTextLine(&emitter->kernels, "G%d[%d] = %s;", (int)b, (int)to, value);
  else if (to < sums)
    RungTextLine(&emitter->kernels, class == RUNG_PULL_LATE ? "S%d[%d] = %s;" : "S%d[%d] += %s;", (int)b, (int)to,
                 value);
  else if (axis >= 0)
    RungTextLine(&emitter->kernels, "B%d_%d[%s] = %s;", (int)b, (int)(to - sums), RungEmitAtPoint(plan, axis, index),
                 value);
  else
    RungTextLine(&emitter->kernels, "B%d[%d][%s] = %s;", (int)b, (int)(to - sums), chunked ? "q - p" : "q", value);
}

/* coefficients = sum of map * T, times w where that is left out of T */
static PetscErrorCode emit_coefficients(RungEmitter *emitter, RungPlan plan, PetscInt b, int class, PetscBool weight,
                                        PetscBool cofactor, const char name[][RUNG_EMIT_NAME_SIZE])
{
  const RungPull *pull = RungEmitPullOf(emitter, plan, b, class);

  PetscFunctionBegin;
  for (PetscInt i = 0, to; i < pull->steps[1];) {
    const PetscInt first = i;
    RungText       line = {0}, value = {0};

    for (to = pull->step[1][i].to; i < pull->steps[1] && pull->step[1][i].to == to; ++i) {
      char map[RUNG_EMIT_NAME_SIZE];

      map_name(plan, plan->block[b].col_cell, &pull->step[1][i], cofactor, map);
      if (line.n) RungTextAdd(&line, " + ");
      product(map, name[pull->step[1][i].from], &line);
    }
    PetscCall(line.error);
    if (weight && strcmp(line.text, "all(1)") != 0)
      RungTextAdd(&value, i > first + 1 ? "w * (%s)" : "w * %s", line.text);
    else
      RungTextAdd(&value, "%s", weight ? "w" : line.text);
    PetscCall(value.error);
    emit_store(emitter, plan, b, class, to, value.text);
    RungTextFree(&line);
    RungTextFree(&value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_block(RungEmitter *emitter, RungPlan plan, PetscInt b, int class,
                                 const RungEmitValues *values)
{
  const RungBlock *block  = &plan->block[b];
  const RungPull  *pull   = RungEmitPullOf(emitter, plan, b, class);
  const PetscBool  matrix = block->col != &plan->one ? PETSC_TRUE : PETSC_FALSE, one = one_value(pull);
  RungPull         rows     = *pull;
  PetscBool        cofactor = PETSC_FALSE;
  char(*name)[RUNG_EMIT_NAME_SIZE];

  PetscFunctionBegin;
  if (!matrix) rows.steps[1] = 0; /* the function 1 has no map */
  if (one) cofactor = only_gradients(plan, &rows);
  PetscCall(PetscMalloc1(pull->temporaries, &name));
  for (PetscInt t = 0; t < pull->temporaries; ++t) (void)snprintf(name[t], RUNG_EMIT_NAME_SIZE, "T%d", (int)t);
  if (one) {
    PetscCall(emit_weight(emitter, plan, b, cofactor, matrix, class, values));
    PetscCall(emit_sums(emitter, plan, b, class, cofactor, name));
  } else {
    PetscCall(emit_temporaries(emitter, plan, b, class, values));
  }
  PetscCall(emit_coefficients(emitter, plan, b, class, one, cofactor, (const char(*)[RUNG_EMIT_NAME_SIZE])name));
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungEmitScaled(RungEmitter *emitter, RungPlan plan)
{
  PetscBool some = PETSC_FALSE;
  char      number[32];

  for (PetscInt b = 0; b < plan->blocks; ++b) some = some || plan->block[b].pull[0].steps[0] ? PETSC_TRUE : PETSC_FALSE;
  if (!some || RungEmitScale(plan) == 1) return;
  RungTextNumber(RungEmitScale(plan), number);
  RungTextLine(&emitter->kernels, "const Real scaled = %s * measure; /* the tables hold multiples of this number */",
               number);
}

PetscErrorCode RungEmitPull(RungEmitter *emitter, RungPlan plan, int class, const RungEmitValues *values)
{
  RungText *text = &emitter->kernels;
  PetscBool some = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < plan->blocks; ++b)
    some = some || RungEmitPullOf(emitter, plan, b, class)->steps[0] ? PETSC_TRUE : PETSC_FALSE;
  if (class && some && RungEmitTakesCofactors(plan)) RungTextLine(text, "const Real dC = dV * over;");
  emit_weighted_maps(emitter, plan, class);
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (!RungEmitPullOf(emitter, plan, b, class)->steps[1]) continue;
    RungTextLine(text, "{");
    text->indent += 2;
    PetscCall(emit_block(emitter, plan, b, class, values));
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
