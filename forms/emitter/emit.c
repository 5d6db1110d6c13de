/* emit.c - the C back end: integrals -> one readable translation unit.

   A kernel reads: arguments; what is constant in the cell (geometry, values, coefficients); a loop over the points that
   ends in coefficients pulled back to the reference cell (kernel_impl.h); contractions of coefficients with tables.
   Tables and contractions are shared by the kernels of a unit.  The text depends on the integrals and on the number of
   lanes alone, so its hash names it. */
#include "emit_impl.h"
#include "kernel_text.h" /* rung_kernel_text: rungkernel.h as a string, made by CMake */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define MANY_ENTRIES 64 /* of a table of nodes, more are not written out */

/* ---- pools --------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode pool_grow(RungEmitPool *pool)
{
  PetscFunctionBegin;
  if (pool->n == pool->room) {
    pool->room = 2 * pool->room + 8;
    PetscCall(PetscRealloc((size_t)pool->room * sizeof *pool->item, &pool->item));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitPoolAdd(RungEmitPool *pool, const char wish[], const char body[], const char **name)
{
  char     word[128];
  PetscInt same = 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < pool->n; ++i) {
    const size_t n = strlen(wish);

    if (!strcmp(pool->item[i].body, body)) {
      *name = pool->item[i].name;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!strncmp(pool->item[i].name, wish, n) && (!pool->item[i].name[n] || pool->item[i].name[n] == '_')) ++same;
  }
  PetscCall(PetscSNPrintf(word, sizeof word, same > 1 ? "%s_%" PetscInt_FMT : "%s", wish, same));
  PetscCall(pool_grow(pool));
  PetscCall(PetscStrallocpy(word, &pool->item[pool->n].name));
  PetscCall(PetscStrallocpy(body, &pool->item[pool->n].body));
  *name = pool->item[pool->n++].name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void pool_print(const RungEmitPool *pool, RungText *text)
{
  for (PetscInt i = 0; i < pool->n; ++i) {
    const char *body = pool->item[i].body, *at = strchr(body, '@');

    RungTextAdd(text, "%.*s%s%s\n", (int)(at - body), body, pool->item[i].name, at + 1);
  }
}

static PetscErrorCode pool_destroy(RungEmitPool *pool)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pool->n; ++i) {
    PetscCall(PetscFree(pool->item[i].name));
    PetscCall(PetscFree(pool->item[i].body));
  }
  PetscCall(PetscFree(pool->item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables -------------------------------------------------------------------------------------------------------
 */

static const double *table_data(PetscInt dims, const PetscInt dim[], const double *data, RungText *line)
{
  RungTextAdd(line, "{");
  for (PetscInt i = 0; i < dim[0]; ++i) {
    char literal[32];

    if (i) RungTextAdd(line, ", ");
    if (dims > 1) {
      data = table_data(dims - 1, dim + 1, data, line);
      continue;
    }
    RungTextNumber(*data++, literal);
    RungTextAdd(line, "%s", literal);
  }
  RungTextAdd(line, "}");
  return data;
}

static const char *find_known(const RungEmitter *emitter, const double *data)
{
  for (PetscInt i = 0; i < emitter->known; ++i) {
    if (emitter->known_table[i].data == data) return emitter->known_table[i].name;
  }
  return NULL;
}

static PetscErrorCode add_known(RungEmitter *emitter, const double *data, const char *name)
{
  PetscFunctionBegin;
  if (emitter->known == emitter->known_room) {
    emitter->known_room = 2 * emitter->known_room + 16;
    PetscCall(PetscRealloc((size_t)emitter->known_room * sizeof *emitter->known_table, &emitter->known_table));
  }
  emitter->known_table[emitter->known++] = (RungEmitKnown){data, name};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitTable(RungEmitter *emitter, const char wish[], PetscInt dims, const PetscInt dim[],
                             const double data[], PetscBool keep, const char **name)
{
  RungText line = {0}, body = {0};

  PetscFunctionBegin;
  *name = keep ? find_known(emitter, data) : NULL;
  if (*name) PetscFunctionReturn(PETSC_SUCCESS);
  RungTextAdd(&line, "static const double @");
  for (PetscInt i = 0; i < dims; ++i) RungTextAdd(&line, "[%d]", (int)dim[i]);
  RungTextAdd(&line, " = ");
  (void)table_data(dims, dim, data, &line);
  RungTextAdd(&line, ";");
  PetscCall(line.error);
  RungTextLine(&body, "%s", line.text);
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->tables, wish, body.text, name));
  if (keep) PetscCall(add_known(emitter, data, *name));
  RungTextFree(&line);
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitWeights(RungEmitter *emitter, RungPlan plan, const char **name)
{
  const PetscInt dim[2] = {plan->sides, plan->points}, dims = plan->sides > 1 ? 2 : 1;

  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "weight", dims, dim + 2 - dims, plan->weight, PETSC_TRUE, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P2 or P2_0, P2_01 for derivatives; only letters that C knows. */
static void basis_wish(RungPlan plan, const RungBasis *basis, PetscInt r, char wish[64])
{
  const PetscInt n  = plan->axes;
  PetscInt       at = 0, k = 1 + n;

  for (const char *c = basis->name; *c && at < 40; ++c) {
    if (isalnum((unsigned char)*c)) wish[at++] = *c;
  }
  wish[at] = 0;
  if (r >= 1 && r <= n) (void)snprintf(wish + at, 24, "_d%d", (int)r - 1);
  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt b = a; b < n; ++b, ++k) {
      if (k == r) (void)snprintf(wish + at, 24, "_d%d%d", (int)a, (int)b);
    }
  }
}

PetscErrorCode RungEmitBasis(RungEmitter *emitter, RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt cell,
                             const char point[], const char node[], char entry[], size_t size)
{
  PetscInt    dim[3], dims = 0;
  char        wish[64];
  const char *name;

  PetscFunctionBegin;
  if (!basis->constant[r] && plan->sides > 1) dim[dims++] = plan->sides;
  if (!basis->constant[r]) dim[dims++] = plan->points;
  dim[dims++] = basis->nodes;
  basis_wish(plan, basis, r, wish);
  PetscCall(RungEmitTable(emitter, wish, dims, dim, RungBasisTable(plan, basis, r, 0), PETSC_TRUE, &name));
  if (basis->constant[r])
    PetscCall(PetscSNPrintf(entry, size, "%s[%s]", name, node));
  else
    PetscCall(PetscSNPrintf(entry, size, "%s%s[%s][%s]", name, dims < 3 ? "" : cell ? "[g]" : "[f]", point, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungEmitIsZero(RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt node)
{
  for (PetscInt k = 0; k < plan->sides * plan->points; ++k) {
    if (RungBasisTable(plan, basis, r, 0)[k * basis->nodes + node] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscBool RungEmitIsSparse(RungPlan plan, const RungBasis *basis, PetscInt n, const PetscInt r[])
{
  PetscInt zeros = 0;

  if (n * basis->nodes > MANY_ENTRIES) return PETSC_FALSE;
  for (PetscInt k = 0; k < n * basis->nodes; ++k) zeros += RungEmitIsZero(plan, basis, r[k % n], k / n);
  return 9 * zeros >= n * basis->nodes ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- one kernel ---------------------------------------------------------------------------------------------------
 */

static PetscBool has_points(RungPlan plan)
{
  if (plan->outer) return PETSC_TRUE;
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (plan->block[b].pull[1].steps[1]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode emit_loop(RungEmitter *emitter, RungPlan plan, RungEmitValues *values)
{
  RungText   *text = &emitter->kernels;
  const char *weight;
  PetscInt    chunk = RungEmitChunk(plan);

  PetscFunctionBegin;
  PetscCall(RungEmitWeights(emitter, plan, &weight));
  RungTextAdd(text, "\n");
  if (plan->tensor) {
    PetscCall(RungEmitSumLoop(emitter, plan));
  } else if (chunk < plan->points) {
    RungTextLine(text, "for (int p = 0; p < %d; p += %d) {", (int)plan->points, (int)chunk);
    text->indent += 2;
    RungTextLine(text, "for (int q = p; q < p + %d; ++q) {", (int)chunk);
  } else {
    RungTextLine(text, "for (int q = 0; q < %d; ++q) {", (int)plan->points);
  }
  text->indent += plan->tensor ? 0 : 2;
  if (!plan->affine) PetscCall(RungEmitGeometry(emitter, plan));
  RungTextLine(text, "const Real dV = %s%s[q] * measure;", weight, plan->sides > 1 ? "[f]" : "");
  PetscCall(RungEmitInputs(emitter, plan, RUNG_RATE_POINT));
  PetscCall(RungEmitTape(emitter, plan, RUNG_RATE_POINT, values));
  PetscCall(RungEmitPull(emitter, plan, 1, values));
  RungEmitLateAdd(emitter, values);
  RungEmitOuterStore(emitter, plan, values);
  if (plan->tensor) {
    PetscCall(RungEmitSumLoopEnd(emitter, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  text->indent -= 2;
  RungTextLine(text, "}");
  if (chunk == plan->points) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungEmitContract(emitter, plan, PETSC_TRUE));
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of an integral line by line; nothing in it ends the comment. */
static PetscErrorCode emit_form_text(const char formula[], RungText *text)
{
  PetscFunctionBegin;
  while (*formula) {
    const size_t n = strcspn(formula, "\n");
    char        *line;

    PetscCall(PetscStrallocpy(formula, &line));
    line[n] = 0;
    for (char *end = line; (end = strstr(end, "*/"));) *end = ' ';
    RungTextLine(text, "%s", line);
    PetscCall(PetscFree(line));
    formula += n + (formula[n] ? 1 : 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_head(RungEmitter *emitter, RungPlan plan, PetscInt number)
{
  static const char  *whole[]  = {"cells", "the boundary", "interior facets", "nothing", "vertices", "edges"};
  const RungIntegral *integral = plan->integral;
  RungText           *text = &emitter->kernels, line = {0};

  PetscFunctionBegin;
  RungTextAdd(&line, "/* kernel_@_%d: rank %d over %s%s of a mesh of %s%s cells", (int)number,
              plan->applied ? 1 : (int)integral->rank,
              integral->part[0] ? (plan->entity >= 0 ? plan->entity ? "edges of " : "vertices of "
                                   : plan->facets    ? "facets "
                                                     : "cells ")
                                : "",
              integral->part[0] ? integral->part : whole[integral->domain], plan->affine ? "affine " : "",
              RungCellGet(plan->type)->name);
  for (PetscInt f = 0; f < plan->unknowns; ++f) {
    RungTextAdd(&line, "%s %s in %s", f ? "," : ";", RungScopeUnknownName(plan->scope, f), plan->basis[f].name);
    if (plan->basis[f].components > 1) RungTextAdd(&line, "^%d", (int)plan->basis[f].components);
  }
  RungTextAdd(&line, "; exact to degree %d", (int)integral->degree);
  PetscCall(line.error);
  RungTextAdd(text, "\n");
  RungTextLine(text, "%s", line.text);
  RungTextAdd(text, "\n");
  text->indent = 5;
  PetscCall(emit_form_text(integral->text ? integral->text : "", text));
  text->indent = 0;
  RungTextAdd(text, " */\n");
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector of a linear form: matrices dF/du^(k), each applied to u^(k). */
static PetscErrorCode emit_levels(RungPlan plan, PetscInt number, RungText *text)
{
  PetscFunctionBegin;
  RungTextAdd(text, "\nstatic void kernel_@_%d(const RungKernelArgs *args)\n{\n", (int)number);
  text->indent = 2;
  RungTextLine(text, "RungKernelArgs level = *args;");
  for (PetscInt k = 0; k < RUNG_DIRECTION; ++k) {
    RungText line = {0};

    if (!plan->levels[k]) continue;
    for (PetscInt i = 0; i < RUNG_DIRECTION * plan->unknowns; ++i)
      RungTextAdd(&line, "%s%d", i ? ", " : "", i / plan->unknowns == k);
    PetscCall(line.error);
    RungTextAdd(text, "\n");
    RungTextLine(text, "level.u = args->u + %d * LANES;", (int)(k * plan->dofs));
    RungTextLine(text, "level.sigma = (const double[]){%s};", line.text);
    RungTextLine(text, "level_@_%d(&level);", (int)number);
    RungTextFree(&line);
  }
  text->indent = 0;
  RungTextAdd(text, "}\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_kernel(RungEmitter *emitter, RungPlan plan, PetscInt number)
{
  const PetscBool levels = plan->applied && !plan->levels[RUNG_DIRECTION] ? PETSC_TRUE : PETSC_FALSE;
  RungText       *text   = &emitter->kernels;
  RungEmitValues  values;

  PetscFunctionBegin;
  PetscCall(emit_head(emitter, plan, number));
  RungTextAdd(text, "static void %s_@_%d(const RungKernelArgs *args)\n{\n", levels ? "level" : "kernel", (int)number);
  text->indent = 2;
  PetscCall(RungEmitValuesCreate(plan, &values));
  PetscCall(RungEmitLateCreate(emitter, plan));
  PetscCall(RungEmitArguments(emitter, plan));
  PetscCall(RungEmitTape(emitter, plan, RUNG_RATE_UNIFORM, &values));
  if (plan->affine) PetscCall(RungEmitGeometry(emitter, plan));
  RungEmitScaled(emitter, plan);
  PetscCall(RungEmitInputs(emitter, plan, RUNG_RATE_CELL));
  PetscCall(RungEmitTape(emitter, plan, RUNG_RATE_CELL, &values));
  PetscCall(RungEmitDeclare(emitter, plan));
  PetscCall(RungEmitPull(emitter, plan, 0, &values));
  if (plan->tensor) PetscCall(RungEmitSumValues(emitter, plan));
  if (has_points(plan)) PetscCall(emit_loop(emitter, plan, &values));
  PetscCall(RungEmitLatePull(emitter, plan, &values));
  PetscCall(RungEmitContract(emitter, plan, PETSC_FALSE));
  PetscCall(RungEmitLateDestroy(emitter, plan));
  PetscCall(RungEmitValuesDestroy(&values));
  text->indent = 0;
  RungTextAdd(text, "}\n");
  if (levels) PetscCall(emit_levels(plan, number, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the unit -----------------------------------------------------------------------------------------------------
 */

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char text[])
{
  uint64_t hash = 0xcbf29ce484222325u;

  for (const char *c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return hash;
}

static void emit_tail(PetscInt n, PetscInt lanes, RungText *text)
{
  RungTextAdd(text, "\nvoid (*const rung_kernels[])(const RungKernelArgs *args) = {\n");
  for (PetscInt i = 0; i < n; ++i) RungTextAdd(text, "  kernel_@_%d,\n", (int)i);
  RungTextAdd(text, "};\n\nconst char *rung_identity(void)\n{\n");
  RungTextAdd(text, "  return \"abi %d, lanes %d, kernels %d, key \" RUNG_KEY;\n}\n", RUNG_ABI, (int)lanes, (int)n);
}

/* The whole text with "@" where the hash will be. */
static PetscErrorCode emit_unit(PetscInt n, const RungPlan plan[], PetscInt lanes, RungText *text)
{
  RungEmitter emitter = {.lanes = lanes};
  const char *once    = strstr(rung_kernel_text, "#pragma once");

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(emit_kernel(&emitter, plan[i]->compiled ? plan[i]->compiled : plan[i], i));
  PetscCall(emitter.kernels.error);
  RungTextAdd(text, "/* Written by Rung; unit @ of %d kernels for %d places at a time. */\n\n", (int)n, (int)lanes);
  RungTextAdd(text, "#define RUNG_KERNEL_SOURCE\n");
  RungTextAdd(text, "%.*s%s\n", once ? (int)(once - rung_kernel_text) : 0, rung_kernel_text,
              once ? once + strlen("#pragma once\n") : rung_kernel_text);
  RungEmitHelpers(&emitter, text);
  RungTextAdd(text, "\n");
  pool_print(&emitter.tables, text);
  pool_print(&emitter.functions, text);
  RungTextAdd(text, "%s", emitter.kernels.text);
  emit_tail(n, lanes, text);
  PetscCall(text->error);
  PetscCall(pool_destroy(&emitter.tables));
  PetscCall(pool_destroy(&emitter.functions));
  PetscCall(PetscFree(emitter.known_table));
  RungTextFree(&emitter.kernels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmit(PetscInt n, const RungPlan plan[], PetscInt lanes, char **source)
{
  RungText    text = {0}, named = {0};
  const char *c, *at;
  char        hash[20];

  PetscFunctionBegin;
  PetscCall(emit_unit(n, plan, lanes, &text));
  PetscCall(PetscSNPrintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_text(text.text)));
  for (c = text.text; (at = strchr(c, '@')); c = at + 1) RungTextAdd(&named, "%.*s%s", (int)(at - c), c, hash);
  RungTextAdd(&named, "%s", c);
  PetscCall(named.error);
  RungTextFree(&text);
  *source = named.text;
  PetscFunctionReturn(PETSC_SUCCESS);
}
