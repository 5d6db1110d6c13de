/* emit_sum.c - sum factorisation of values and vectors, as C: axis by axis instead of table times dofs.

   Values at the points of a function with n nodes on a line cost n^(d+1) products an axis, not n^d m^d.  Its reference
   derivatives are those of the polynomial through its values at the points, where m >= n: one line more each.  Vectors
   go the same way back.  What is kept in between is kept short: along the last axis values and derivatives are made of a
   line that is in registers; along the others the loop over points makes derivatives where it needs them, for a plane
   (of two axes: a line), and adds what test functions' derivatives are multiplied with when that is done.

   Between the two stands the tape at each point, as in every kernel; the points are visited axis by axis too, as the
   Jacobian of a multilinear map is made (emit_columns.c).  Few points have all derivatives at once instead: sweep by sweep
   there is more to do at a time, and all of it stays near the processor. */
#include "emit_sum_impl.h"
#include <string.h>

#define WHOLE 27 /* points, those of Q2 hexahedra and Q3 quadrilaterals; longer lines fill the pipes by themselves */

/* ---- functions at the points ---------------------------------------------------------------------------------------- */

/* " + l + K h": where a line along `axis` starts in an array of extents n */
static void line_start(PetscInt below, PetscInt above, PetscInt extent, char start[48])
{
  char high[32] = "";

  if (above > 1) (void)snprintf(high, sizeof high, " + %d * h", (int)(below * extent));
  (void)snprintf(start, 48, "%s%s", below > 1 ? " + l" : "", high);
}

/* to = the matrix applied to all lines of `from` along `axis`; extents n and k differ along that axis only */
static void emit_lines(RungText *text, PetscInt axes, PetscInt axis, const PetscInt n[], const PetscInt k[],
                       const char line[], const char from[], const char to[])
{
  PetscInt below = 1, above = 1;
  char     a[48], r[48];

  for (PetscInt b = 0; b < axis; ++b) below *= n[b];
  for (PetscInt b = axis + 1; b < axes; ++b) above *= n[b];
  line_start(below, above, n[axis], a);
  line_start(below, above, k[axis], r);
  if (above > 1) RungTextLine(text, "for (int h = 0; h < %d; ++h)", (int)above);
  if (below > 1) RungTextLine(text, "%sfor (int l = 0; l < %d; ++l)", above > 1 ? "  " : "", (int)below);
  RungTextLine(text, "    %s(%s%s, %d, %s%s, %d);", line, from, a, (int)below, to, r, (int)below);
}

PetscErrorCode RungEmitOrder(RungEmitter *emitter, const RungLineBasis *line, PetscInt axes, PetscInt stride,
                             const char **name)
{
  const PetscInt nodes = RungPower(line->line, axes);
  PetscInt      *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes, &order));
  for (PetscInt l = 0; l < nodes; ++l) order[l] = stride * line->node[l];
  PetscCall(RungEmitIntegers(emitter, "order", nodes, order, name));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to[q] = the function of derivative r (0: itself), axis by axis from its dofs u[order[l]] */
static PetscErrorCode emit_chain(RungEmitter *emitter, RungPlan plan, const RungLineBasis *line, PetscInt r,
                                 const char order[], const char to[], RungText *text)
{
  const PetscInt m = plan->tensor->points, n = line->line, axes = plan->axes;
  PetscInt       from_size[3] = {n, n, n}, to_size[3] = {n, n, n};
  const char    *name;

  PetscFunctionBegin;
  RungTextLine(text, "{");
  text->indent += 2;
  for (PetscInt a = 0; a < axes; ++a) {
    char from[16], next[64];

    PetscCall(RungEmitLine(emitter, m, n, line->table[r == 1 + a ? 1 : 0], PETSC_FALSE, PETSC_FALSE, &name));
    to_size[a] = m;
    (void)snprintf(from, sizeof from, "t%d", (int)a - 1);
    (void)snprintf(next, sizeof next, "t%d", (int)a);
    if (a == axes - 1)
      (void)snprintf(next, sizeof next, "%s", to);
    else
      RungTextLine(text, "Real t%d[%d];", (int)a, (int)(to_size[0] * to_size[1] * (axes > 2 ? to_size[2] : 1)));
    if (a == 0) {
      RungTextAdd(text, "\n");
      RungTextLine(text, "for (int l = 0; l < %d; ++l) {", (int)RungPower(n, axes - 1));
      RungTextLine(text, "  Real a[%d];", (int)n);
      for (PetscInt i = 0; i < n; ++i)
        RungTextLine(text, "  a[%d] = u[%s[%d * l + %d]];", (int)i, order, (int)n, (int)i);
      RungTextLine(text, "  %s(a, 1, t0 + %d * l, 1);", name, (int)m);
      RungTextLine(text, "}");
    } else {
      emit_lines(text, axes, a, from_size, to_size, name, from, next);
    }
    from_size[a] = m;
  }
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do values at the points of a function with such a basis on a line say all? */
static PetscBool through(RungPlan plan, const RungLineBasis *line)
{
  return plan->tensor->points >= line->line ? PETSC_TRUE : PETSC_FALSE;
}

/* Are derivatives made at all points at once?  Those of few points stay near the processor, and sweeps over all lines keep
   its pipes full, where planes of three lines do not. */
static PetscBool whole(RungPlan plan)
{
  return plan->points <= WHOLE && plan->tensor->points < 5 ? PETSC_TRUE : PETSC_FALSE;
}

/* r0 and all derivatives that are wanted, sweep by sweep */
static PetscErrorCode emit_sweeps(RungEmitter *emitter, RungPlan plan, const RungLineBasis *line, const char order[],
                                  const PetscBool wanted[], RungText *text)
{
  const PetscInt m = plan->tensor->points, size[3] = {m, m, m};
  const char    *along;
  char           to[16];

  PetscFunctionBegin;
  if (!wanted[0]) RungTextLine(text, "Real r0[%d];", (int)plan->points);
  PetscCall(emit_chain(emitter, plan, line, 0, order, "r0", text));
  for (PetscInt a = 0; a < plan->axes; ++a) {
    if (!wanted[1 + a]) continue;
    (void)snprintf(to, sizeof to, "r%d", (int)a + 1);
    PetscCall(RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_FALSE, PETSC_FALSE, &along));
    emit_lines(text, plan->axes, a, size, size, along, "r0", to);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t = the function at the points of all axes but the last, layer by layer, from its dofs u[order[l]] */
static PetscErrorCode emit_layers(RungEmitter *emitter, RungPlan plan, const RungLineBasis *line, const char order[],
                                  RungText *text)
{
  const int   m = (int)plan->tensor->points, n = (int)line->line, solid = plan->axes > 2;
  const char *name;

  PetscFunctionBegin;
  PetscCall(RungEmitLine(emitter, m, n, line->table[0], PETSC_FALSE, PETSC_FALSE, &name));
  RungTextLine(text, "Real t[%d];", solid ? n * m * m : n * m);
  RungTextAdd(text, "\n");
  if (solid) {
    RungTextLine(text, "for (int h = 0; h < %d; ++h) {", n);
    text->indent += 2;
    RungTextLine(text, "Real p[%d];", n * m);
    RungTextAdd(text, "\n");
  }
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", n);
  RungTextLine(text, "  Real a[%d];", n);
  RungTextAdd(text, "\n");
  for (int i = 0; i < n; ++i)
    RungTextLine(text, solid ? "  a[%d] = u[%s[%d * (%d * h + l) + %d]];" : "  a[%d] = u[%s[%d * l + %d]];", i, order,
                 n, solid ? n : i, i);
  RungTextLine(text, "  %s(a, 1, %s + %d * l, 1);", name, solid ? "p" : "t", m);
  RungTextLine(text, "}");
  if (solid) {
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(p + l, %d, t + %d * h + l, %d);", m, name, m, m * m, m);
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r0 and, where it is wanted, the derivative along the last axis, line by line from t */
static PetscErrorCode emit_last(RungEmitter *emitter, RungPlan plan, const RungLineBasis *line, PetscBool derivative,
                                RungText *text)
{
  const int   m = (int)plan->tensor->points, below = (int)RungPower(m, plan->axes - 1);
  const char *name, *along;

  PetscFunctionBegin;
  PetscCall(RungEmitLine(emitter, m, line->line, line->table[0], PETSC_FALSE, PETSC_FALSE, &name));
  if (!derivative) {
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(t + l, %d, r0 + l, %d);", below, name, below, below);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_FALSE, PETSC_FALSE, &along));
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", below);
  RungTextLine(text, "  Real a[%d];", m);
  RungTextAdd(text, "\n");
  RungTextLine(text, "  %s(t + l, %d, a, 1);", name, below);
  for (int i = 0; i < m; ++i) RungTextLine(text, "  r0[l + %d] = a[%d];", below * i, i);
  RungTextLine(text, "  %s(a, 1, r%d + l, %d);", along, (int)plan->axes, below);
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* static void NAME(const Real *u, Real *r0, Real *r1, ..): a function's value (r0) and reference derivatives as wanted */
static PetscErrorCode emit_values_function(RungEmitter *emitter, RungPlan plan, PetscInt source,
                                           const PetscBool wanted[], const char **name)
{
  const RungLineBasis *line = &plan->tensor->basis[source];
  const PetscInt       axes = plan->axes;
  const char          *order;
  RungText             body = {0}, head = {0};

  PetscFunctionBegin;
  PetscCall(RungEmitOrder(emitter, line, axes, plan->basis[source].components, &order));
  RungTextAdd(&head, "static void @(const Real *restrict u");
  for (PetscInt r = 0; r <= axes; ++r) {
    if (wanted[r]) RungTextAdd(&head, ", Real *restrict r%d", (int)r);
  }
  RungTextAdd(&head, ")");
  PetscCall(head.error);
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "%s", head.text);
  RungTextAdd(&body, "{\n");
  body.indent = 2;
  if (through(plan, line) && whole(plan)) {
    PetscCall(emit_sweeps(emitter, plan, line, order, wanted, &body));
  } else if (through(plan, line)) {
    PetscCall(emit_layers(emitter, plan, line, order, &body));
    PetscCall(emit_last(emitter, plan, line, wanted[axes], &body));
  }
  for (PetscInt r = 0; r <= axes && !through(plan, line); ++r) {
    char to[16];

    (void)snprintf(to, sizeof to, "r%d", (int)r);
    if (wanted[r]) PetscCall(emit_chain(emitter, plan, line, r, order, to, &body));
  }
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, "values", body.text, name));
  RungTextFree(&head);
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungSumAxis(RungPlan plan, const RungEvaluation *it)
{
  const PetscBool early = it->r >= 1 && it->r < plan->axes ? PETSC_TRUE : PETSC_FALSE;

  return early && !whole(plan) && through(plan, &plan->tensor->basis[it->source]) ? it->r - 1 : -1;
}

/* The evaluations of one component of one level of a source: arrays and the call that fills them; what the loop over
   points makes it makes of values. */
static PetscErrorCode emit_values(RungEmitter *emitter, RungPlan plan, PetscInt first, PetscBool taken[])
{
  const RungEvaluation *it        = &plan->evaluation[first];
  RungEvaluation        one       = *it;
  PetscBool             wanted[4] = {PETSC_FALSE};
  RungText              call = {0}, *text = &emitter->kernels;
  const char           *name;
  char                  dofs[RUNG_EMIT_NAME_SIZE], array[RUNG_EMIT_NAME_SIZE];

  PetscFunctionBegin;
  for (PetscInt e = first; e < plan->evaluations; ++e) {
    const RungEvaluation *other = &plan->evaluation[e];

    if (other->source != it->source || other->k != it->k || other->component != it->component) continue;
    taken[e]                                            = PETSC_TRUE;
    wanted[RungSumAxis(plan, other) < 0 ? other->r : 0] = PETSC_TRUE;
  }
  if (through(plan, &plan->tensor->basis[it->source]) && !whole(plan)) wanted[0] = PETSC_TRUE;
  for (one.r = 0; one.r <= plan->axes; ++one.r) {
    if (!wanted[one.r]) continue;
    RungEmitEvaluationName(plan, &one, array);
    RungTextLine(text, "Real at_%s[%d];", array, (int)plan->points);
    RungTextAdd(&call, ", at_%s", array);
  }
  PetscCall(call.error);
  RungEmitDofsName(plan, it->source, it->k, dofs);
  PetscCall(emit_values_function(emitter, plan, it->source, wanted, &name));
  RungTextAdd(text, "\n");
  RungTextLine(text, "%s(%s + %d%s);", name, dofs, (int)it->component, call.text);
  RungTextFree(&call);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitSumValues(RungEmitter *emitter, RungPlan plan)
{
  PetscBool *taken;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plan->evaluations, &taken));
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it = &plan->evaluation[e];

    if (!taken[e] && !plan->basis[it->source].constant[it->r]) PetscCall(emit_values(emitter, plan, e, taken));
  }
  PetscCall(PetscFree(taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of vectors at the points ------------------------------------------------------------------------------------ */

/* The number of the coefficient that multiplies derivative r of the test function; -1: none */
static PetscInt find_coefficient(const RungBlock *block, PetscInt r)
{
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    if (block->pair[RUNG_PAIR_POINT][p].r == r) return block->pair[RUNG_PAIR_POINT][p].coefficient;
  }
  return -1;
}

/* Is this a vector that goes back through its values at the points? */
static PetscBool goes_through(RungPlan plan, const RungBlock *block)
{
  return block->col == &plan->one && RungSumContracts(plan, block, RUNG_PAIR_POINT) &&
             through(plan, RungPlanLine(plan, block->row))
           ? PETSC_TRUE
           : PETSC_FALSE;
}

PetscInt RungSumFolds(RungPlan plan, const RungBlock *block, PetscInt coefficient)
{
  for (PetscInt a = 0; a + 1 < plan->axes; ++a)
    if (goes_through(plan, block) && !whole(plan) && find_coefficient(block, 1 + a) == coefficient) return a;
  return -1;
}

/* The coefficient in whose place all but derivatives along the last axis are added up; -1: there is nothing else */
static PetscInt folded_row(RungPlan plan, const RungBlock *block)
{
  for (PetscInt r = 0; r < plan->axes; ++r)
    if (find_coefficient(block, r) >= 0) return find_coefficient(block, r);
  return -1;
}

/* ---- the loop over points ------------------------------------------------------------------------------------------- */

/* NAME applied to all lines along an axis of a plane; of two axes: to the one line there is */
static void emit_plane(RungEmitter *emitter, RungPlan plan, PetscInt axis, const char name[], const char from[],
                       const char to[])
{
  const int m = (int)plan->tensor->points, step = axis ? m : 1;

  if (plan->axes == 2)
    RungTextLine(&emitter->kernels, "%s(%s, 1, %s, 1);", name, from, to);
  else
    RungTextLine(&emitter->kernels, "for (int l = 0; l < %d; ++l) %s(%s + %d * l, %d, %s + %d * l, %d);", m, name, from,
                 axis ? 1 : m, step, to, axis ? 1 : m, step);
}

/* Derivatives along an axis at the points of the plane (of two axes: line) that begins here. */
static PetscErrorCode emit_here(RungEmitter *emitter, RungPlan plan, PetscInt axis)
{
  const int   m    = (int)plan->tensor->points;
  RungText   *text = &emitter->kernels;
  const char *along;
  char        name[RUNG_EMIT_NAME_SIZE], from[RUNG_EMIT_NAME_SIZE + 16], to[RUNG_EMIT_NAME_SIZE + 16];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < plan->evaluations; ++e) {
    const RungEvaluation *it   = &plan->evaluation[e];
    RungEvaluation        self = *it;

    if (plan->basis[it->source].constant[it->r] || RungSumAxis(plan, it) != axis) continue;
    self.r = 0;
    RungEmitEvaluationName(plan, &self, name);
    (void)snprintf(from, sizeof from, "at_%s + q", name);
    RungEmitEvaluationName(plan, it, name);
    (void)snprintf(to, sizeof to, "at_%s", name);
    PetscCall(RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_FALSE, PETSC_FALSE, &along));
    RungTextLine(text, "Real %s[%d];", to, plan->axes > 2 ? m * m : m);
    emit_plane(emitter, plan, axis, along, from, to);
  }
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    for (PetscInt c = 0; c < plan->block[b].coefficients[RUNG_PAIR_POINT]; ++c) {
      if (RungSumFolds(plan, &plan->block[b], c) == axis)
        RungTextLine(text, "Real B%d_%d[%d];", (int)b, (int)c, plan->axes > 2 ? m * m : m);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What multiplies derivatives of test functions along an axis, on the plane or line that ends here, goes into the row of
   the rest. */
static PetscErrorCode emit_fold(RungEmitter *emitter, RungPlan plan, PetscInt axis)
{
  const int   m = (int)plan->tensor->points;
  const char *along;
  char        from[32], to[48];

  PetscFunctionBegin;
  for (int b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];
    const int        c = (int)find_coefficient(block, 1 + axis), row = (int)folded_row(plan, block);

    if (c < 0 || RungSumFolds(plan, block, c) != axis) continue;
    PetscCall(
      RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_TRUE, row != c ? PETSC_TRUE : PETSC_FALSE, &along));
    (void)snprintf(from, sizeof from, "B%d_%d", b, c);
    (void)snprintf(to, sizeof to, "B%d[%d] + q - %d", b, row, plan->axes > 2 ? m * m : m);
    emit_plane(emitter, plan, axis, along, from, to);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitSumLoop(RungEmitter *emitter, RungPlan plan)
{
  const PetscBool bends = RungSumBends(plan);
  RungText       *text  = &emitter->kernels;
  const PetscInt  m     = plan->tensor->points;
  const char     *points;

  PetscFunctionBegin;
  if (!bends && whole(plan)) {
    RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)plan->points);
    text->indent += 2;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (bends) {
    PetscCall(RungEmitColumns(emitter, plan, &points));
    RungTextAdd(text, "\n");
  }
  RungTextLine(text, "for (int q = 0%s; q%d < %d; ++q%d) {", plan->axes > 2 ? ", q2 = 0" : ", q1 = 0",
               (int)plan->axes - 1, (int)m, (int)plan->axes - 1);
  text->indent += 2;
  for (int a = (int)plan->axes - 1; a >= 0; --a) {
    if (bends) RungEmitColumnFixed(emitter, plan, a, points);
    if (!a) break;
    for (PetscInt b = 0; b + 1 < plan->axes && a + 1 == plan->axes; ++b) PetscCall(emit_here(emitter, plan, b));
    RungTextLine(text, a > 1 ? "for (int q%d = 0; q%d < %d; ++q%d) {" : "for (int q%d = 0; q%d < %d; ++q%d, ++q) {",
                 a - 1, a - 1, (int)m, a - 1);
    text->indent += 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitSumLoopEnd(RungEmitter *emitter, RungPlan plan)
{
  const PetscInt loops = whole(plan) && !RungSumBends(plan) ? 1 : plan->axes;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < loops; ++a) {
    emitter->kernels.indent -= 2;
    RungTextLine(&emitter->kernels, "}");
    for (PetscInt b = 0; b + 1 < plan->axes && a + 2 == plan->axes; ++b) PetscCall(emit_fold(emitter, plan, b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vectors -------------------------------------------------------------------------------------------------------- */

/* out[order[l]] += sum over the points of what stands in w, with the functions of derivative r */
static PetscErrorCode emit_back(RungEmitter *emitter, RungPlan plan, const RungBlock *block, PetscInt r, const char w[],
                                RungText *text)
{
  const RungLineBasis *line = RungPlanLine(plan, block->row);
  const PetscInt       m = plan->tensor->points, n = line->line, axes = plan->axes;
  PetscInt             from_size[3] = {m, m, m}, to_size[3] = {m, m, m};
  char                 from[64];
  const char          *name, *order[2];

  PetscFunctionBegin;
  RungTextLine(text, "{");
  text->indent += 2;
  (void)snprintf(from, sizeof from, "%s", w);
  for (PetscInt a = axes - 1; a >= 0; --a) {
    char next[16];

    PetscCall(RungEmitLine(emitter, m, n, line->table[r == 1 + a ? 1 : 0], PETSC_TRUE, PETSC_FALSE, &name));
    to_size[a] = n;
    if (!a) break;
    (void)snprintf(next, sizeof next, "t%d", (int)a);
    RungTextLine(text, "Real t%d[%d];", (int)a, (int)(to_size[0] * to_size[1] * (axes > 2 ? to_size[2] : 1)));
    RungTextAdd(text, "\n");
    emit_lines(text, axes, a, from_size, to_size, name, from, next);
    (void)snprintf(from, sizeof from, "%s", next);
    from_size[a] = n;
  }
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", (int)RungPower(n, axes - 1));
  RungTextLine(text, "  Real a[%d];", (int)n);
  RungTextAdd(text, "\n");
  RungTextLine(text, "  %s(%s + %d * l, 1, a, 1);", name, from, (int)m);
  for (PetscInt d = 0; d < block->destinations; ++d) {
    PetscCall(RungEmitOrder(emitter, line, axes, block->destination[d].row, &order[0]));
    for (PetscInt i = 0; i < n; ++i)
      RungTextLine(text, "  out%d[%s[%d * l + %d]] += a[%d];", (int)d, order[0], (int)n, (int)i, (int)i);
  }
  RungTextLine(text, "}");
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t = back along the last axis, line by line: values w of the points and what multiplies the derivative along it */
static PetscErrorCode emit_back_last(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  const RungLineBasis *line = RungPlanLine(plan, block->row);
  const int            m = (int)plan->tensor->points, below = (int)RungPower(m, plan->axes - 1);
  const int            w = (int)folded_row(plan, block), last = (int)find_coefficient(block, plan->axes);
  const char          *name, *along;

  PetscFunctionBegin;
  PetscCall(RungEmitLine(emitter, m, line->line, line->table[0], PETSC_TRUE, PETSC_FALSE, &name));
  RungTextLine(text, "Real t[%d];", below * (int)line->line);
  RungTextAdd(text, "\n");
  if (last < 0) {
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(c[%d] + l, %d, t + l, %d);", below, name, w, below, below);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_TRUE, PETSC_FALSE, &along));
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", below);
  RungTextLine(text, "  Real a[%d];", m);
  RungTextAdd(text, "\n");
  RungTextLine(text, "  %s(c[%d] + l, %d, a, 1);", along, last, below);
  for (int i = 0; i < m && w >= 0; ++i) RungTextLine(text, "  a[%d] += c[%d][l + %d];", i, w, below * i);
  RungTextLine(text, "  %s(a, 1, t + l, %d);", name, below);
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out[order[l]] += t back along the other axes, layer by layer */
static PetscErrorCode emit_back_layers(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  const RungLineBasis *line = RungPlanLine(plan, block->row);
  const int            m = (int)plan->tensor->points, n = (int)line->line, solid = plan->axes > 2;
  const char          *name, *order;

  PetscFunctionBegin;
  PetscCall(RungEmitLine(emitter, m, n, line->table[0], PETSC_TRUE, PETSC_FALSE, &name));
  if (solid) {
    RungTextLine(text, "for (int h = 0; h < %d; ++h) {", n);
    text->indent += 2;
    RungTextLine(text, "Real p[%d];", n * m);
    RungTextAdd(text, "\n");
    RungTextLine(text, "for (int l = 0; l < %d; ++l) %s(t + %d * h + l, %d, p + l, %d);", m, name, m * m, m, m);
  }
  RungTextLine(text, "for (int l = 0; l < %d; ++l) {", n);
  RungTextLine(text, "  Real a[%d];", n);
  RungTextAdd(text, "\n");
  RungTextLine(text, "  %s(%s + %d * l, 1, a, 1);", name, solid ? "p" : "t", m);
  for (PetscInt d = 0; d < block->destinations; ++d) {
    PetscCall(RungEmitOrder(emitter, line, plan->axes, block->destination[d].row, &order));
    for (int i = 0; i < n; ++i)
      RungTextLine(text, solid ? "  out%d[%s[%d * (%d * h + l) + %d]] += a[%d];" : "  out%d[%s[%d * l + %d]] += a[%d];",
                   (int)d, order, n, solid ? n : i, i, i);
  }
  RungTextLine(text, "}");
  if (solid) {
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = what stands at the points, with what multiplies derivatives, sweep by sweep; and back from there */
static PetscErrorCode emit_back_sweeps(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  const PetscInt m = plan->tensor->points, size[3] = {m, m, m}, value = find_coefficient(block, 0);
  PetscBool      begun = value >= 0 ? PETSC_TRUE : PETSC_FALSE;
  const char    *along;
  char           from[16];

  PetscFunctionBegin;
  if (begun)
    RungTextLine(text, "Real *w = (Real *)c[%d]; /* an array of the caller's that nobody reads after this */",
                 (int)value);
  else
    RungTextLine(text, "Real w[%d];", (int)plan->points);
  RungTextAdd(text, "\n");
  for (PetscInt a = 0; a < plan->axes; ++a) {
    const PetscInt c = find_coefficient(block, 1 + a);

    if (c < 0) continue;
    PetscCall(RungEmitLine(emitter, m, m, plan->tensor->derivative, PETSC_TRUE, begun, &along));
    (void)snprintf(from, sizeof from, "c[%d]", (int)c);
    emit_lines(text, plan->axes, a, size, size, along, from, "w");
    begun = PETSC_TRUE;
  }
  PetscCall(emit_back(emitter, plan, block, 0, "w", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitSumVector(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text)
{
  char from[16];

  PetscFunctionBegin;
  if (goes_through(plan, block) && whole(plan)) {
    PetscCall(emit_back_sweeps(emitter, plan, block, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (goes_through(plan, block)) {
    PetscCall(emit_back_last(emitter, plan, block, text));
    PetscCall(emit_back_layers(emitter, plan, block, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt r = 0; r <= plan->axes; ++r) {
    (void)snprintf(from, sizeof from, "c[%d]", (int)find_coefficient(block, r));
    if (find_coefficient(block, r) >= 0) PetscCall(emit_back(emitter, plan, block, r, from, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which contractions --------------------------------------------------------------------------------------------- */

PetscBool RungSumContracts(RungPlan plan, const RungBlock *block, int kind)
{
  const double rows = (double)block->row->nodes, cols = (double)block->col->nodes, points = (double)plan->points;

  if (!plan->tensor || block->diagonal || !RungPlanLine(plan, block->row)->line) return PETSC_FALSE;
  if (block->col == &plan->one) return kind == RUNG_PAIR_POINT ? PETSC_TRUE : PETSC_FALSE;
  if (!RungPlanLine(plan, block->col)->line || kind == RUNG_PAIR_SUM) return PETSC_FALSE;
  if (kind == RUNG_PAIR_CELL) { /* a table of moments, while it stays in the cache */
    return rows * cols * (double)block->coefficients[kind] > 8192 ? PETSC_TRUE : PETSC_FALSE;
  }
  return RungSumMatrixCost(plan, block, kind) <
             cols * points * (double)block->pairs[kind] + rows * cols * points * (block->half ? 1 : 2)
           ? PETSC_TRUE
           : PETSC_FALSE;
}
