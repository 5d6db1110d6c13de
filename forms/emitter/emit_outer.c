/* emit_outer.c - products of contracted vectors (plan_outer.c), as C. */
#include "emit_impl.h"

static const char *point_index(RungPlan plan)
{
  return RungEmitChunk(plan) < plan->points ? "p + q" : "q";
}

void RungEmitOuterDeclare(RungEmitter *emitter, RungPlan plan)
{
  const RungOuter *outer = plan->outer;
  PetscInt         n     = 0;

  if (!outer) return;
  for (PetscInt v = 0; v < outer->vectors; ++v) n += outer->vector[v].n;
  RungTextLine(&emitter->kernels, "Real V[%d][%d];", (int)n, (int)RungEmitChunk(plan));
  RungTextLine(&emitter->kernels, "Real C[%d][%d];", (int)outer->scales, (int)RungEmitChunk(plan));
}

void RungEmitOuterStore(RungEmitter *emitter, RungPlan plan, const RungEmitValues *values)
{
  const RungOuter *outer = plan->outer;
  const char      *q     = RungEmitChunk(plan) < plan->points ? "q - p" : "q";
  PetscInt         n     = 0;

  for (PetscInt v = 0; outer && v < outer->vectors; ++v) {
    for (PetscInt d = 0; d < outer->vector[v].n; ++d)
      RungTextLine(&emitter->kernels, "V[%d][%s] = %s;", (int)n++, q, values->text[outer->vector[v].value[d]]);
  }
  for (PetscInt c = 0; outer && c < outer->scales; ++c)
    RungTextLine(&emitter->kernels, "C[%d][%s] = %s;", (int)c, q, values->text[outer->scale[c]]);
}

/* h[v][i][q] = the vectors times the derivatives of function i; node -1: any */
static PetscErrorCode emit_node(RungEmitter *emitter, RungPlan plan, PetscInt node, RungText *text)
{
  const RungOuter *outer = plan->outer;
  PetscInt         n     = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < outer->vectors; ++v) {
    RungText line  = {0};
    char     i[16] = "i";

    if (node >= 0) (void)snprintf(i, sizeof i, "%d", (int)node);
    for (PetscInt d = 0; d < outer->vector[v].n; ++d, ++n) {
      char entry[RUNG_EMIT_NAME_SIZE];

      if (node >= 0 && RungEmitIsZero(plan, outer->basis, outer->vector[v].derivative[d], node)) continue;
      PetscCall(RungEmitBasis(emitter, plan, outer->basis, outer->vector[v].derivative[d], 0, point_index(plan), i,
                              entry, sizeof entry));
      RungTextAdd(&line, "%s%s * v[%d][q]", line.n ? " + " : "", entry, (int)n);
    }
    PetscCall(line.error);
    RungTextLine(text, "h[%d][%s][q] = %s;", (int)v, i, line.n ? line.text : "(Real){0}");
    RungTextFree(&line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_nodes(RungEmitter *emitter, RungPlan plan, RungText *text)
{
  const RungOuter *outer                     = plan->outer;
  PetscBool        used[RUNG_MAX_DERIVATIVE] = {PETSC_FALSE};
  PetscInt         n                         = 0, r[RUNG_MAX_DERIVATIVE];

  PetscFunctionBegin;
  for (PetscInt v = 0; v < outer->vectors; ++v) {
    for (PetscInt d = 0; d < outer->vector[v].n; ++d) {
      if (!used[outer->vector[v].derivative[d]]) r[n++] = outer->vector[v].derivative[d];
      used[outer->vector[v].derivative[d]] = PETSC_TRUE;
    }
  }
  RungTextLine(text, "Real h[%d][%d][%d];", (int)outer->vectors, (int)outer->basis->nodes, (int)RungEmitChunk(plan));
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)RungEmitChunk(plan));
  text->indent += 2;
  if (RungEmitIsSparse(plan, outer->basis, n, r)) {
    for (PetscInt node = 0; node < outer->basis->nodes; ++node) PetscCall(emit_node(emitter, plan, node, text));
  } else {
    RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)outer->basis->nodes);
    text->indent += 2;
    PetscCall(emit_node(emitter, plan, -1, text));
    text->indent -= 2;
    RungTextLine(text, "}");
  }
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does destination d begin with the moment? */
static PetscBool has_moment(RungPlan plan, PetscInt d)
{
  const RungBlock *block = plan->outer->moment < 0 ? NULL : &plan->block[plan->outer->moment];

  for (PetscInt k = 0; block && k < block->destinations; ++k) {
    if (block->destination[k].base == plan->outer->destination[d].base) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode emit_moment(RungEmitter *emitter, RungPlan plan, RungText *text)
{
  const RungBlock *block  = &plan->block[plan->outer->moment];
  const PetscInt   n      = block->coefficients[RUNG_PAIR_CELL];
  PetscInt         dim[3] = {block->row->nodes, block->col->nodes, n};
  const char      *name;
  RungText         line = {0};

  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "moment", 3, dim, block->tensor[RUNG_PAIR_CELL], PETSC_TRUE, &name));
  for (PetscInt c = 0; c < n; ++c) RungTextAdd(&line, "%s%s[i][j][%d] * g[%d]", c ? " + " : "", name, (int)c, (int)c);
  PetscCall(line.error);
  RungTextLine(text, "const Real m = %s;", line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the transposed destination; of symmetric integrals there is one. */
static PetscInt mirror_of(const RungOuter *outer, PetscInt d)
{
  PetscInt m = 0;

  while (outer->destination[m].base != outer->mirror[d]) ++m;
  return m;
}

/* e0 .. at (i, j), added to the matrix */
static void emit_add(RungPlan plan, RungText *text)
{
  const RungOuter *outer = plan->outer;

  for (PetscInt d = 0; d < outer->destinations && outer->half; ++d) { /* the matrix is symmetric to the last bit */
    if (outer->mirror[d] < outer->destination[d].base)
      RungTextLine(text, "if (i == j) e%d = e%d;", (int)d, (int)mirror_of(outer, d));
  }
  for (PetscInt d = 0; d < outer->destinations; ++d) {
    const RungDestination *to = &outer->destination[d];

    RungTextLine(text, "out[%d + %d * i + %d * j] += e%d;", (int)to->base, (int)to->row, (int)to->col, (int)d);
  }
  if (!outer->half) return;
  RungTextLine(text, "if (i == j) continue;");
  for (PetscInt d = 0; d < outer->destinations; ++d) {
    const RungDestination *to = &outer->destination[mirror_of(outer, d)];

    RungTextLine(text, "out[%d + %d * j + %d * i] += e%d;", (int)to->base, (int)to->row, (int)to->col, (int)d);
  }
}

static PetscErrorCode emit_entries(RungEmitter *emitter, RungPlan plan, PetscBool first, RungText *text)
{
  const RungOuter *outer = plan->outer;

  PetscFunctionBegin;
  if (outer->half)
    RungTextLine(text, "for (int i = 0; i <= j; ++i) {");
  else
    RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)outer->basis->nodes);
  text->indent += 2;
  if (first) PetscCall(emit_moment(emitter, plan, text));
  for (PetscInt d = 0; d < outer->destinations; ++d)
    RungTextLine(text, "Real e%d = %s;", (int)d, first && has_moment(plan, d) ? "m" : "{0}");
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)RungEmitChunk(plan));
  for (PetscInt d = 0; d < outer->destinations; ++d) {
    RungText line = {0};

    for (PetscInt t = 0; t < outer->terms; ++t) {
      if (outer->term[t].destination != d) continue;
      RungTextAdd(&line, "%sh[%d][i][q] * t%d[q]", line.n ? " + " : "", (int)outer->term[t].left,
                  (int)outer->term[t].scaled);
    }
    PetscCall(line.error);
    RungTextLine(text, "  e%d += %s;", (int)d, line.text);
    RungTextFree(&line);
  }
  RungTextLine(text, "}");
  emit_add(plan, text);
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_function(RungEmitter *emitter, RungPlan plan, const char **name)
{
  const RungOuter *outer   = plan->outer;
  const PetscBool  chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool  moment  = outer->moment >= 0 && !chunked ? PETSC_TRUE : PETSC_FALSE;
  const int        chunk   = (int)RungEmitChunk(plan);
  RungText         body    = {0};

  PetscFunctionBegin;
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "static void @(%sconst Real (*restrict v)[%d], const Real (*restrict c)[%d], %sReal *out)",
               chunked ? "int p, " : "", chunk, chunk, moment ? "const Real *restrict g, " : "");
  RungTextAdd(&body, "{\n");
  body.indent = 2;
  PetscCall(emit_nodes(emitter, plan, &body));
  RungTextLine(&body, "for (int j = 0; j < %d; ++j) {", (int)outer->basis->nodes);
  body.indent += 2;
  for (PetscInt s = 0; s < outer->scaleds; ++s) RungTextLine(&body, "Real t%d[%d];", (int)s, chunk);
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "for (int q = 0; q < %d; ++q) {", chunk);
  for (PetscInt s = 0; s < outer->scaleds; ++s)
    RungTextLine(&body, "  t%d[q] = c[%d][q] * h[%d][j][q];", (int)s, (int)outer->scaled[s].scale,
                 (int)outer->scaled[s].vector);
  RungTextLine(&body, "}");
  PetscCall(emit_entries(emitter, plan, moment, &body));
  body.indent -= 2;
  RungTextLine(&body, "}");
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, "outer", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitOuter(RungEmitter *emitter, RungPlan plan)
{
  const RungOuter *outer   = plan->outer;
  const PetscBool  chunked = RungEmitChunk(plan) < plan->points ? PETSC_TRUE : PETSC_FALSE;
  const int        chunk   = (int)RungEmitChunk(plan);
  const char      *name;
  char             moment[32] = "";

  PetscFunctionBegin;
  PetscCall(emit_function(emitter, plan, &name));
  if (RungEmitOuterTakes(plan, outer->moment)) (void)snprintf(moment, sizeof moment, "G%d, ", (int)outer->moment);
  RungTextLine(&emitter->kernels, "%s(%s(const Real(*)[%d])V, (const Real(*)[%d])C, %sout);", name,
               chunked ? "p, " : "", chunk, chunk, moment);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungEmitOuterTakes(RungPlan plan, PetscInt b)
{
  return plan->outer && b >= 0 && plan->outer->moment == b && RungEmitChunk(plan) == plan->points ? PETSC_TRUE
                                                                                                  : PETSC_FALSE;
}
