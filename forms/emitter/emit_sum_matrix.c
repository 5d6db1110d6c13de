/* emit_sum_matrix.c - sum factorisation of matrices, as C: one axis after the other.

   An entry is a sum over points q = (q_0, q_1, q_2) and pairs of derivatives of

       c_rs[q]  R_0(i_0, q_0) S_0(j_0, q_0)  R_1(i_1, q_1) S_1(j_1, q_1)  R_2(i_2, q_2) S_2(j_2, q_2),

   R_a, S_a a function on a line or its derivative.  The sum over q along the first axis leaves one array for every state:
   which derivatives the other axes still ask for.  States that agree from there on are added at once, 9 for a gradient by a
   gradient, then 4, then the entry.  All states of one pair (i_0, j_0) go on to the next axis together, so that what is in
   work stays small.

   In a symmetric block the mirrored state of (j, i) is that of (i, j): pairs i_0 < j_0 are done whole and mirrored, pairs
   i_0 = j_0 are symmetric in the axes that remain.  A coefficient of the cell is the case of one point, with products of
   functions integrated beforehand.  The order of the axes is the one that takes the fewest products. */
#include "emit_sum_impl.h"
#include <string.h>

#define LARGE (1 << 20) /* bytes that do not belong on a stack */

enum { MAX_STATES = RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE };

typedef struct {
  int      d[3][2];     /* [axis][test, trial] times derived; 0 along axes that are done */
  PetscInt coefficient; /* level 0                                                       */
} State;

typedef struct {
  RungPlan         plan;
  const RungBlock *block;
  int              kind;
  PetscInt         axes, order[3]; /* of the axes                                    */
  PetscInt         m;              /* points on a line; 1: coefficients of the cell  */
  PetscInt         n[2];           /* functions on a line of rows and columns        */
  PetscInt         states[4];      /* [level]                                        */
  State            state[4][MAX_STATES];
} Sum;

/* ---- states --------------------------------------------------------------------------------------------------------- */

static PetscBool equal(const State *a, const State *b, PetscBool swap)
{
  for (int x = 0; x < 3; ++x) {
    if (a->d[x][0] != b->d[x][swap] || a->d[x][1] != b->d[x][!swap]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscInt find_state(const Sum *sum, PetscInt level, const State *wanted, PetscBool swap)
{
  for (PetscInt s = 0; s < sum->states[level]; ++s) {
    if (equal(&sum->state[level][s], wanted, swap)) return s;
  }
  return -1;
}

/* A state after the axis of its level is done. */
static State next_state(const Sum *sum, PetscInt level, const State *state)
{
  State next = *state;

  next.d[sum->order[level]][0] = next.d[sum->order[level]][1] = 0;
  return next;
}

static void find_states(Sum *sum)
{
  const RungBlock *block = sum->block;

  sum->states[0] = block->pairs[sum->kind];
  for (PetscInt p = 0; p < block->pairs[sum->kind]; ++p) {
    const RungPair *pair  = &block->pair[sum->kind][p];
    State          *state = &sum->state[0][p];

    *state = (State){.coefficient = pair->coefficient};
    if (pair->r) state->d[pair->r - 1][0] = 1;
    if (pair->s) state->d[pair->s - 1][1] = 1;
  }
  for (PetscInt level = 0; level < sum->axes; ++level) {
    sum->states[level + 1] = 0;
    for (PetscInt s = 0; s < sum->states[level]; ++s) {
      const State next = next_state(sum, level, &sum->state[level][s]);

      if (find_state(sum, level + 1, &next, PETSC_FALSE) < 0) sum->state[level + 1][sum->states[level + 1]++] = next;
    }
  }
}

/* In symmetric work a state and its mirror are one array, that of the lower number. */
static PetscInt mirror(const Sum *sum, PetscInt level, PetscInt s)
{
  return find_state(sum, level, &sum->state[level][s], PETSC_TRUE);
}

static PetscBool is_kept(const Sum *sum, PetscInt level, PetscInt s, PetscBool symmetric)
{
  return !symmetric || mirror(sum, level, s) >= s ? PETSC_TRUE : PETSC_FALSE;
}

/* Source arrays of state `to` of the next level: numbers source[] among the arrays of this one, -1 - .. where several states
   share one; at level 0 an array is a coefficient. */
static PetscInt find_sources(const Sum *sum, PetscInt level, PetscInt to, PetscInt source[])
{
  PetscInt n = 0;

  for (PetscInt s = 0; s < sum->states[level]; ++s) {
    const State    next  = next_state(sum, level, &sum->state[level][s]);
    const PetscInt array = level ? s : sum->state[level][s].coefficient;
    PetscInt       k     = 0;

    if (!equal(&next, &sum->state[level + 1][to], PETSC_FALSE)) continue;
    while (k < n && source[k] != array) ++k;
    if (k == n) source[n++] = array;
  }
  return n;
}

/* ---- cost ----------------------------------------------------------------------------------------------------------- */

/* Points along the axes that remain after this level. */
static PetscInt points_left(const Sum *sum, PetscInt level)
{
  return RungPower(sum->m, sum->axes - 1 - level);
}

static double sum_cost(const Sum *sum, PetscInt level, PetscBool symmetric)
{
  const double n = (double)sum->n[0], half = n * (n + 1) / 2, all = (double)(sum->n[0] * sum->n[1]);
  PetscInt     source[MAX_STATES];
  double       cost = 0;

  if (level == sum->axes) return 0;
  for (PetscInt to = 0; to < sum->states[level + 1]; ++to) {
    const double terms = (double)(find_sources(sum, level, to, source) * sum->m * points_left(sum, level));

    if (!is_kept(sum, level + 1, to, symmetric)) continue;
    cost += terms * (symmetric && mirror(sum, level + 1, to) == to ? half : all);
  }
  if (!symmetric) return cost + all * sum_cost(sum, level + 1, PETSC_FALSE);
  return cost + n * sum_cost(sum, level + 1, PETSC_TRUE) + (half - n) * sum_cost(sum, level + 1, PETSC_FALSE);
}

/* Sets up the sum in the order of axes that takes the fewest products. */
static double plan_sum(RungPlan plan, const RungBlock *block, int kind, Sum *sum)
{
  static const PetscInt orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
  double                least        = -1;
  PetscInt              best         = 0;

  *sum      = (Sum){.plan = plan, .block = block, .kind = kind, .axes = plan->axes};
  sum->m    = kind == RUNG_PAIR_CELL ? 1 : plan->tensor->points;
  sum->n[0] = RungPlanLine(plan, block->row)->line;
  sum->n[1] = RungPlanLine(plan, block->col)->line;
  for (PetscInt o = 0; o < (plan->axes == 2 ? 2 : 6); ++o) {
    double cost;

    memcpy(sum->order, orders[o], sizeof sum->order);
    find_states(sum);
    cost = sum_cost(sum, 0, block->half);
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best  = o;
  }
  memcpy(sum->order, orders[best], sizeof sum->order);
  find_states(sum);
  return least;
}

double RungSumMatrixCost(RungPlan plan, const RungBlock *block, int kind)
{
  Sum sum;

  return plan_sum(plan, block, kind, &sum);
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

/* R(i, q) S(j, q), or its integral */
static double product(const Sum *sum, PetscInt axis, const State *state, PetscInt i, PetscInt j, PetscInt q)
{
  const RungTensor *tensor = sum->plan->tensor;
  const double     *row    = RungPlanLine(sum->plan, sum->block->row)->table[state->d[axis][0]],
               *col        = RungPlanLine(sum->plan, sum->block->col)->table[state->d[axis][1]];
  double integral          = 0;

  if (sum->kind != RUNG_PAIR_CELL) return row[q * sum->n[0] + i] * col[q * sum->n[1] + j];
  for (PetscInt p = 0; p < tensor->points; ++p)
    integral += tensor->weight[p] * row[p * sum->n[0] + i] * col[p * sum->n[1] + j];
  return integral;
}

/* [i][j][source][q] of one state of the next level */
static PetscErrorCode emit_table(RungEmitter *emitter, const Sum *sum, PetscInt level, PetscInt to, PetscInt sources,
                                 const PetscInt source[], const char **name)
{
  const PetscInt terms = sources * sum->m, dim[2] = {sum->n[0] * sum->n[1], terms};
  double        *table;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(dim[0] * terms, &table));
  for (PetscInt s = 0; s < sum->states[level]; ++s) {
    const State   *state = &sum->state[level][s];
    const State    next  = next_state(sum, level, state);
    const PetscInt array = level ? s : state->coefficient;
    PetscInt       k     = 0;

    if (!equal(&next, &sum->state[level + 1][to], PETSC_FALSE)) continue;
    while (source[k] != array) ++k;
    for (PetscInt f = 0; f < dim[0]; ++f) {
      for (PetscInt q = 0; q < sum->m; ++q)
        table[f * terms + k * sum->m + q] += product(sum, sum->order[level], state, f / sum->n[1], f % sum->n[1], q);
    }
  }
  PetscCall(RungEmitTable(emitter, "point_product", 2, dim, table, PETSC_FALSE, name));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one level ------------------------------------------------------------------------------------------------------ */

/* const Real t0 = .., the terms of a sum at the remaining point p; then "w[0] * t0 + .." */
static PetscErrorCode emit_terms(const Sum *sum, PetscInt level, PetscInt sources, const PetscInt source[],
                                 RungText *text, RungText *line)
{
  PetscInt stride = 1; /* of the axis among those that remain */

  PetscFunctionBegin;
  for (PetscInt l = level + 1; l < sum->axes; ++l) stride *= sum->order[l] < sum->order[level] ? sum->m : 1;
  for (PetscInt k = 0; k < sources * sum->m; ++k) {
    const int q = (int)(k % sum->m), array = (int)source[k / sum->m];
    char      at[64];

    if (points_left(sum, level) == 1)
      (void)snprintf(at, sizeof at, "%d", q);
    else
      (void)snprintf(at, sizeof at, "p / %d * %d + p %% %d + %d", (int)stride, (int)(stride * sum->m), (int)stride,
                     (int)stride * q);
    if (level)
      RungTextLine(text, "const Real t%d = in[%d][%s];", (int)k, array, at);
    else if (sum->kind == RUNG_PAIR_CELL)
      RungTextLine(text, "const Real t%d = c[%d];", (int)k, array);
    else
      RungTextLine(text, "const Real t%d = c[%d][%s];", (int)k, array, at);
    RungTextAdd(line, "%sw[%d] * t%d", k ? " + " : "", (int)k, (int)k);
  }
  PetscCall(line->error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void open_pairs(const Sum *sum, PetscBool symmetric, RungText *text)
{
  RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)sum->n[0]);
  text->indent += 2;
  RungTextLine(text, "for (int j = %s; j < %d; ++j) {", symmetric ? "i" : "0", (int)sum->n[1]);
  text->indent += 2;
}

static void close_braces(RungText *text, int n)
{
  for (; n > 0; --n) {
    text->indent -= 2;
    RungTextLine(text, "}");
  }
}

/* T<to>[i, j][p] of a kept state of the next level */
static PetscErrorCode emit_state(RungEmitter *emitter, const Sum *sum, PetscInt level, PetscInt to, PetscBool symmetric,
                                 RungText *text)
{
  const PetscBool half = symmetric && mirror(sum, level + 1, to) == to ? PETSC_TRUE : PETSC_FALSE;
  PetscInt        source[MAX_STATES];
  const PetscInt  sources = find_sources(sum, level, to, source);
  const char     *table;
  RungText        line = {0};

  PetscFunctionBegin;
  PetscCall(emit_table(emitter, sum, level, to, sources, source, &table));
  RungTextLine(text, "for (int p = 0; p < %d; ++p) {", (int)points_left(sum, level));
  text->indent += 2;
  PetscCall(emit_terms(sum, level, sources, source, text, &line));
  RungTextAdd(text, "\n");
  open_pairs(sum, half, text);
  RungTextLine(text, "const double *w = %s[%d * i + j];", table, (int)sum->n[1]);
  RungTextAdd(text, "\n");
  RungTextLine(text, "T%d[%d * i + j][p] = %s;", (int)to, (int)sum->n[1], line.text);
  close_braces(text, 3);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of the last axis, to all destinations. */
static PetscErrorCode emit_entries(RungEmitter *emitter, const Sum *sum, PetscBool symmetric, RungText *text)
{
  const PetscInt       level = sum->axes - 1, axis = sum->order[level];
  const RungLineBasis *basis[2] = {RungPlanLine(sum->plan, sum->block->row), RungPlanLine(sum->plan, sum->block->col)};
  PetscInt             source[MAX_STATES], sources = find_sources(sum, level, 0, source);
  const char          *table;
  RungText             line = {0};

  PetscFunctionBegin;
  PetscCall(emit_table(emitter, sum, level, 0, sources, source, &table));
  PetscCall(emit_terms(sum, level, sources, source, text, &line));
  RungTextAdd(text, "\n");
  open_pairs(sum, symmetric, text);
  RungTextLine(text, "const double *w = %s[%d * i + j];", table, (int)sum->n[1]);
  RungTextLine(text, "const Real a = %s;", line.text);
  RungTextLine(text, "const int r = row + %d * i, s = col + %d * j;", (int)RungPower(sum->n[0], axis),
               (int)RungPower(sum->n[1], axis));
  RungTextAdd(text, "\n");
  for (PetscInt d = 0; d < sum->block->destinations; ++d) {
    const RungDestination *to       = &sum->block->destination[d];
    const PetscInt         step[2]  = {to->row, to->col};
    const char            *place[2] = {NULL, NULL};

    for (int x = 0; x < 2; ++x) {
      const PetscInt nodes = RungPower(basis[x]->line, sum->axes);
      PetscInt      *order;

      PetscCall(PetscMalloc1(nodes, &order));
      for (PetscInt l = 0; l < nodes; ++l) order[l] = step[x] * basis[x]->node[l];
      PetscCall(RungEmitIntegers(emitter, "order", nodes, order, &place[x]));
      PetscCall(PetscFree(order));
    }
    RungTextLine(text, "out%d[%s[r] + %s[s]] += a;", (int)d, place[0], place[1]);
    if (sum->block->half)
      RungTextLine(text, "%sout%d[%s[s] + %s[r]] += a;", symmetric ? "if (i != j) " : "", (int)d, place[0], place[1]);
  }
  close_braces(text, 2);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_level(RungEmitter *emitter, const Sum *sum, PetscInt level, PetscBool symmetric,
                                 RungText *text);

/* static void NAME(const Real *const in[], int row, int col, Real *out0, ..): what remains from this level on */
static PetscErrorCode emit_level_function(RungEmitter *emitter, const Sum *sum, PetscInt level, PetscBool symmetric,
                                          const char **name)
{
  RungText body = {0}, head = {0};

  PetscFunctionBegin;
  RungTextAdd(&head, "static void @(const Real *const in[], int row, int col");
  for (PetscInt d = 0; d < sum->block->destinations; ++d) RungTextAdd(&head, ", Real *restrict out%d", (int)d);
  RungTextAdd(&head, ")");
  PetscCall(head.error);
  RungTextAdd(&body, "\n");
  RungTextLine(&body, "%s", head.text);
  RungTextFree(&head);
  RungTextAdd(&body, "{\n");
  body.indent = 2;
  PetscCall(emit_level(emitter, sum, level, symmetric, &body));
  RungTextAdd(&body, "}");
  PetscCall(body.error);
  PetscCall(RungEmitPoolAdd(&emitter->functions, symmetric ? "halves" : "pairs", body.text, name));
  RungTextFree(&body);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The call of the next level for the pair i, j. */
static PetscErrorCode emit_next(const Sum *sum, PetscInt level, PetscBool symmetric, const char *name, RungText *text)
{
  const PetscInt axis = sum->order[level];
  RungText       next = {0}, call = {0};

  PetscFunctionBegin;
  RungTextAdd(&next, "const Real *const next[] = {");
  for (PetscInt s = 0; s < sum->states[level + 1]; ++s) {
    if (is_kept(sum, level + 1, s, symmetric))
      RungTextAdd(&next, "%sT%d[%d * i + j]", s ? ", " : "", (int)s, (int)sum->n[1]);
    else
      RungTextAdd(&next, "%sT%d[%d * j + i]", s ? ", " : "", (int)mirror(sum, level + 1, s), (int)sum->n[1]);
  }
  RungTextAdd(&next, "};");
  PetscCall(next.error);
  RungTextLine(text, "%s", next.text);
  RungTextAdd(&call, "%s(next, %s%d * i, %s%d * j", name, level ? "row + " : "", (int)RungPower(sum->n[0], axis),
              level ? "col + " : "", (int)RungPower(sum->n[1], axis));
  for (PetscInt d = 0; d < sum->block->destinations; ++d) RungTextAdd(&call, ", out%d", (int)d);
  PetscCall(call.error);
  RungTextAdd(text, "\n");
  RungTextLine(text, "%s);", call.text);
  RungTextFree(&next);
  RungTextFree(&call);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_level(RungEmitter *emitter, const Sum *sum, PetscInt level, PetscBool symmetric,
                                 RungText *text)
{
  const PetscInt pairs = sum->n[0] * sum->n[1], rest = points_left(sum, level);
  const char    *whole, *halves                      = NULL;
  PetscInt       kept = 0;

  PetscFunctionBegin;
  if (level == sum->axes - 1) {
    PetscCall(emit_entries(emitter, sum, symmetric, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(emit_level_function(emitter, sum, level + 1, PETSC_FALSE, &whole));
  if (symmetric) PetscCall(emit_level_function(emitter, sum, level + 1, PETSC_TRUE, &halves));
  for (PetscInt s = 0; s < sum->states[level + 1]; ++s) kept += is_kept(sum, level + 1, s, symmetric);
  for (PetscInt s = 0; s < sum->states[level + 1]; ++s) {
    if (!is_kept(sum, level + 1, s, symmetric)) continue;
    RungTextLine(text, "%sReal T%d[%d][%d];", kept * pairs * rest * 8 * RUNG_PACK > LARGE ? "static " : "", (int)s,
                 (int)pairs, (int)rest);
  }
  RungTextAdd(text, "\n");
  for (PetscInt s = 0; s < sum->states[level + 1]; ++s) {
    if (is_kept(sum, level + 1, s, symmetric)) PetscCall(emit_state(emitter, sum, level, s, symmetric, text));
  }
  if (symmetric) {
    RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)sum->n[0]);
    text->indent += 2;
    RungTextLine(text, "{");
    text->indent += 2;
    RungTextLine(text, "const int j = i;");
    PetscCall(emit_next(sum, level, symmetric, halves, text));
    close_braces(text, 1);
    RungTextLine(text, "for (int j = i + 1; j < %d; ++j) {", (int)sum->n[1]);
    text->indent += 2;
  } else {
    open_pairs(sum, PETSC_FALSE, text);
  }
  PetscCall(emit_next(sum, level, symmetric, whole, text));
  close_braces(text, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitSumMatrix(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind, RungText *text)
{
  Sum *sum;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sum));
  (void)plan_sum(plan, block, kind, sum);
  PetscCall(emit_level(emitter, sum, 0, block->half, text));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
