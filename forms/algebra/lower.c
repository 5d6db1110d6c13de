/* lower.c - integrals -> tapes.

   A sum of integrals is split by (domain, part, rule); integrands of one key are added.  The coefficients of the test
   functions are derivatives of the integrand by them, in one reverse sweep.  Jacobian entries are derivatives of the
   coefficients by D u^(k), by vertex elimination for each (unknown, k), weighted with its sigma. */
#include <rungown_room.h>
#include "scalar_impl.h"
#include <string.h>

int RungSlotCompare(const RungSlot *a, const RungSlot *b)
{
  if (a->unknown != b->unknown) return a->unknown < b->unknown ? -1 : 1;
  if (a->component != b->component) return a->component < b->component ? -1 : 1;
  if (a->side != b->side) return a->side < b->side ? -1 : 1;
  return a->derivative < b->derivative ? -1 : a->derivative > b->derivative;
}

/* ---- the integrals of an expression ----------------------------------------------------------------------------- */

typedef struct {
  PetscInt    n, room;
  PetscInt   *integral; /* [n] INTEGRAL nodes                                    */
  PetscInt   *term;     /* [n] the node of the sum it stands in, for its text    */
  RungScalar *scalar;   /* [n] integrand                                         */
} Pieces;

static PetscErrorCode push_piece(Pieces *pieces, PetscInt integral, RungScalar scalar)
{
  PetscFunctionBegin;
  if (pieces->n == pieces->room) {
    pieces->room = PetscMax(8, 2 * pieces->room);
    PetscCall(PetscRealloc((size_t)pieces->room * sizeof(PetscInt), &pieces->integral));
    PetscCall(PetscRealloc((size_t)pieces->room * sizeof(PetscInt), &pieces->term));
    PetscCall(PetscRealloc((size_t)pieces->room * sizeof(RungScalar), &pieces->scalar));
  }
  pieces->integral[pieces->n] = integral;
  pieces->term[pieces->n]     = integral;
  pieces->scalar[pieces->n++] = scalar;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_pieces(Pieces *pieces)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pieces->integral));
  PetscCall(PetscFree(pieces->term));
  PetscCall(PetscFree(pieces->scalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals below a node; the recursion is as deep as derivatives and sums are nested, which the scope bounds. */
static PetscErrorCode collect(RungDag dag, PetscInt id, Pieces *pieces)
{
  const RungNode   *node  = RungScopeNode(dag->scope, id);
  const PetscInt    first = pieces->n;
  const RungScalar *component;
  PetscInt          n;

  PetscFunctionBegin;
  switch (node->op) {
  case RUNG_OP_INTEGRAL:
    PetscCall(RungDagExpand(dag, node->arg[0], NULL, &component));
    PetscCall(push_piece(pieces, id, component[0]));
    break;
  case RUNG_OP_EXPLICIT: /* a word for methods */
  case RUNG_OP_SUM:
    for (PetscInt i = 0; i < node->args; ++i) PetscCall(collect(dag, node->arg[i], pieces));
    break;
  case RUNG_OP_DERIVE:
    PetscCall(collect(dag, node->arg[0], pieces));
    PetscCall(RungDagExpand(dag, node->arg[2], &n, &component));
    dag->place = id;
    PetscCall(RungDagDirectional(dag, RungScopeNode(dag->scope, node->arg[1])->index[0], component, pieces->n - first,
                                 pieces->scalar + first, pieces->scalar + first));
    for (PetscInt i = first; i < pieces->n; ++i) pieces->term[i] = id;
    break;
  default:
    PetscCheck(node->op == RUNG_OP_NUMBER && node->number == 0, RungScopeComm(dag->scope), PETSC_ERR_PLIB,
               "\"%s\" is not a sum of integrals", rung_ops[node->op].name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The term that a piece of an integral node belongs to, n if there is none yet: degrees that have one rule go together, under
   the first of them. */
static PetscErrorCode find_term(RungDag dag, const RungNode *node, PetscInt degree, PetscInt n, const RungTerm terms[],
                                PetscInt *found)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (*found = 0; *found < n; ++*found) {
    const RungTerm *term = &terms[*found];

    if ((PetscInt)term->domain != node->index[0] || term->part != node->index[2]) continue;
    PetscCall(RungDagSameRule(dag, term->domain, term->degree, degree, &same));
    if (same) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_piece(RungDag dag, const Pieces *pieces, PetscInt i, PetscInt fallback, PetscInt *n,
                                RungTerm *terms)
{
  const RungNode *node = RungScopeNode(dag->scope, pieces->integral[i]);
  RungTerm       *term;
  PetscInt        degree, found;

  PetscFunctionBegin;
  PetscCall(RungDagDegree(dag, pieces->scalar[i], node->index[1], fallback, pieces->integral[i], &degree));
  PetscCall(find_term(dag, node, degree, *n, terms, &found));
  term = &terms[found];
  if (found == *n) {
    *term = (RungTerm){
      .domain = (RungDomain)node->index[0], .part = node->index[2], .degree = degree, .integrand = dag->zero};
    PetscCall(PetscMalloc1(pieces->n, &term->term));
    ++*n;
  }
  term->integrand           = RungDagAdd(dag, term->integrand, pieces->scalar[i]);
  term->term[term->terms++] = pieces->term[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each term of the text is told once, where it stands first.  seen[node]: false, here and afterwards. */
static void tell_once(RungTerm *term, PetscBool seen[])
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < term->terms; ++i) {
    const PetscInt node = term->term[i];

    if (seen[node]) continue;
    seen[node]         = PETSC_TRUE;
    term->term[kept++] = node;
  }
  term->terms = kept;
  for (PetscInt i = 0; i < kept; ++i) seen[term->term[i]] = PETSC_FALSE;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static RungSlot slot_of(const RungInput *input)
{
  return (RungSlot){
    .unknown = input->index, .component = input->component, .derivative = input->derivative, .side = input->side};
}

/* Sorts slots, and the scalars that stand in one or more arrays of stride n beside them (insertion: n is small). */
static void sort_slots(PetscInt n, RungSlot slot[], PetscInt rows, RungScalar beside[])
{
  for (PetscInt i = 1; i < n; ++i) {
    for (PetscInt j = i; j > 0 && RungSlotCompare(&slot[j], &slot[j - 1]) < 0; --j) {
      const RungSlot swap = slot[j];

      slot[j]     = slot[j - 1];
      slot[j - 1] = swap;
      for (PetscInt r = 0; r < rows; ++r) {
        const RungScalar s = beside[r * n + j];

        beside[r * n + j]     = beside[r * n + j - 1];
        beside[r * n + j - 1] = s;
      }
    }
  }
}

/* integrand = sum_r coefficient[r] * row[r](v), checked: the signatures of both sides agree */
static PetscErrorCode find_rows(RungDag dag, RungTerm *term)
{
  const RungWhich                        tests = {1u << RUNG_IN_TEST, -1, -1};
  RUNG_OWNED(RungGraphDestroy) RungGraph graph = NULL;
  const RungScalar                      *input;
  RungScalar                             sum = dag->zero;
  PetscInt                               n, kept = 0;

  PetscFunctionBegin;
  PetscCall(RungGraphCreate(dag, 1, &term->integrand, &tests, &graph));
  RungGraphGetInputs(graph, &n, &input);
  PetscCall(PetscMalloc1(n, &term->row));
  PetscCall(PetscMalloc1(n, &term->coefficient));
  PetscCall(RungGraphReverse(graph, term->integrand, dag->one, term->coefficient));
  for (PetscInt i = 0; i < n; ++i) {
    if (term->coefficient[i] == dag->zero) continue;
    sum                     = RungDagAdd(dag, sum, RungDagMul(dag, term->coefficient[i], input[i]));
    term->coefficient[kept] = term->coefficient[i];
    term->row[kept++]       = slot_of(RungDagGetInput(dag, input[i]));
  }
  term->rows = kept;
  if (sum != term->integrand) {
    dag->place = term->term[0];
    RungDagFail(dag, PETSC_ERR_PLIB, "the integrand is not the sum of its test functions times their coefficients");
  }
  sort_slots(term->rows, term->row, 1, term->coefficient);
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode extract(RungDag dag, PetscInt arity, RungTerm *term)
{
  PetscFunctionBegin;
  if (arity) {
    PetscCall(find_rows(dag, term));
  } else {
    term->rows = 1;
    PetscCall(PetscCalloc1(1, &term->row));
    PetscCall(PetscMalloc1(1, &term->coefficient));
    term->coefficient[0] = term->integrand;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_terms(RungDag dag, PetscInt expr, PetscInt degree, Pieces *pieces, PetscInt *n,
                                 RungTerm **terms)
{
  const PetscInt       arity = RungScopeNode(dag->scope, expr)->arity;
  RUNG_FREE PetscBool *seen  = NULL;

  PetscFunctionBegin;
  PetscCall(collect(dag, expr, pieces));
  PetscCall(RungDagCheck(dag));
  PetscCall(PetscCalloc1(pieces->n, terms));
  for (PetscInt i = 0; i < pieces->n; ++i) PetscCall(add_piece(dag, pieces, i, degree, n, *terms));
  PetscCall(PetscCalloc1(expr + 1, &seen)); /* terms have smaller numbers than their sum */
  for (PetscInt i = 0; i < *n; ++i) tell_once(&(*terms)[i], seen);
  for (PetscInt i = 0; i < *n; ++i) PetscCall(extract(dag, arity, &(*terms)[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode term_destroy(RungTerm *term)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(term->term));
  PetscCall(PetscFree(term->row));
  PetscCall(PetscFree(term->coefficient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms whose integrands have cancelled are taken out. */
static PetscErrorCode drop_zeros(RungDag dag, PetscInt *n, RungTerm terms[])
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < *n; ++i) {
    if (terms[i].integrand != dag->zero) {
      terms[kept++] = terms[i];
      continue;
    }
    PetscCall(term_destroy(&terms[i]));
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTermsCreate(RungDag dag, PetscInt expr, PetscInt degree, PetscInt *n, RungTerm **terms)
{
  Pieces         pieces = {0};
  PetscErrorCode code   = PETSC_SUCCESS;

  PetscFunctionBegin;
  *n     = 0;
  *terms = NULL;
  if (expr >= 0) code = fill_terms(dag, expr, degree, &pieces, n, terms);
  PetscCall(free_pieces(&pieces));
  if (code) PetscCall(RungTermsDestroy(*n, terms));
  PetscCall(code);
  PetscCall(drop_zeros(dag, n, *terms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTermsDestroy(PetscInt n, RungTerm **terms)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(term_destroy(&(*terms)[i]));
  PetscCall(PetscFree(*terms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungTermJacobian(RungDag dag, const RungTerm *term, PetscInt unknown, PetscInt k, RungScalar seed,
                                PetscBool quick, PetscInt *cols, RungSlot **col, RungScalar **entry)
{
  const RungWhich       which = {1u << RUNG_IN_UNKNOWN, unknown, k};
  RUNG_FREE RungScalar *input = NULL;

  PetscFunctionBegin;
  PetscCall(RungDagJacobian(dag, term->rows, term->coefficient, seed, &which, quick, cols, &input, entry));
  RungCallOrUndo(PetscMalloc1(*cols, col), PetscCall(PetscFree(*entry)));
  for (PetscInt c = 0; c < *cols; ++c) (*col)[c] = slot_of(RungDagGetInput(dag, input[c]));
  sort_slots(*cols, *col, term->rows, *entry);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense rows x cols table that grows by columns. */
typedef struct {
  PetscInt    rows, cols;
  RungSlot   *col;
  RungScalar *entry; /* [row * cols + col] */
} Table;

static PetscErrorCode table_destroy(Table *table)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(table->col));
  PetscCall(PetscFree(table->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a block of columns; columns stay sorted. */
static PetscErrorCode merge(RungDag dag, PetscInt n, const RungSlot col[], const RungScalar entry[], Table *table)
{
  RUNG_FREE RungSlot *merged = NULL;
  RungScalar         *sum;
  PetscInt            a = 0, b = 0, cols = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(table->cols + n, &merged));
  while (a < table->cols || b < n) {
    const int c = a == table->cols ? 1 : (b == n ? -1 : RungSlotCompare(&table->col[a], &col[b]));

    merged[cols++] = c <= 0 ? table->col[a] : col[b];
    a += c <= 0;
    b += c >= 0;
  }
  PetscCall(PetscMalloc1(table->rows * cols, &sum));
  for (PetscInt r = 0; r < table->rows; ++r) {
    a = b = 0;
    for (PetscInt c = 0; c < cols; ++c) {
      sum[r * cols + c] = dag->zero;
      if (a < table->cols && !RungSlotCompare(&merged[c], &table->col[a]))
        sum[r * cols + c] = table->entry[r * table->cols + a++];
      if (b < n && !RungSlotCompare(&merged[c], &col[b]))
        sum[r * cols + c] = RungDagAdd(dag, sum[r * cols + c], entry[r * n + b++]);
    }
  }
  PetscCall(PetscFree(table->col));
  PetscCall(PetscFree(table->entry));
  table->cols  = cols;
  table->col   = merged;
  table->entry = sum;
  merged       = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum_k sigma[k][g] d coefficient / d D u_g^(k) */
static PetscErrorCode find_entries(RungDag dag, const RungTerm *term, Table *table)
{
  PetscFunctionBegin;
  table->rows = term->rows;
  for (PetscInt g = 0; g < RungScopeUnknowns(dag->scope); ++g) {
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
      const RungInput       sigma = {.kind = RUNG_IN_SIGMA, .index = g, .k = k};
      PetscInt              cols;
      RUNG_FREE RungSlot   *col   = NULL;
      RUNG_FREE RungScalar *entry = NULL;

      PetscCall(RungTermJacobian(dag, term, g, k, RungDagInput(dag, &sigma), PETSC_FALSE, &cols, &col, &entry));
      PetscCall(merge(dag, cols, col, entry, table));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- integrals -------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt n;
  char   **one; /* owned, [n], each of them, too */
} Texts;

static PetscErrorCode texts_destroy(Texts *texts)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < texts->n && texts->one; ++i) PetscCall(PetscFree(texts->one[i]));
  PetscCall(PetscFree(texts->one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "a*dx + b*dx", the terms of the expression that the integral came from */
static PetscErrorCode term_text(RungDag dag, const RungTerm *term, char **text)
{
  RUNG_OWNED(texts_destroy) Texts texts = {.n = term->terms};
  char                           *end;
  size_t                          room = 1;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(term->terms, &texts.one));
  for (PetscInt i = 0; i < term->terms; ++i) {
    PetscCall(RungExprToText((RungExpr){.scope = dag->scope, .node = term->term[i]}, &texts.one[i]));
    room += strlen(texts.one[i]) + 3;
  }
  PetscCall(PetscMalloc1(room, text));
  end  = *text;
  *end = '\0';
  for (PetscInt i = 0; i < term->terms; ++i)
    end += snprintf(end, room - (size_t)(end - *text), "%s%s", i ? " + " : "", texts.one[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTermDescribe(RungDag dag, const RungTerm *term, RungIntegral *integral)
{
  PetscFunctionBegin;
  integral->domain = term->domain;
  integral->degree = term->degree;
  PetscCall(PetscStrallocpy(term->part < 0 ? "" : RungScopeString(dag->scope, term->part), &integral->part));
  PetscCall(term_text(dag, term, &integral->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTapeCreateCheap(RungDag dag, PetscInt n, const RungScalar value[], RungTape *tape)
{
  RUNG_OWNED(RungDagDestroy) RungDag best = NULL;
  RUNG_FREE RungScalar              *out  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &out));
  PetscCall(RungDagRegroup(dag, n, value, &best, out));
  PetscCall(RungTapeCreate(best ? best : dag, n, best ? out : value, tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number[i] of the i-th slot among those that some entry uses, -1 where none does; kept slots are copied */
static PetscErrorCode keep_slots(PetscInt n, const RungSlot slot[], const PetscBool used[], PetscInt number[],
                                 PetscInt *kept, RungSlot **copy)
{
  PetscFunctionBegin;
  *kept = 0;
  PetscCall(PetscMalloc1(n, copy));
  for (PetscInt i = 0; i < n; ++i) {
    number[i] = used[i] ? *kept : -1;
    if (used[i]) (*copy)[(*kept)++] = slot[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_symmetric(const RungIntegral *integral, const RungScalar entry[])
{
  PetscInt  n     = integral->rows;
  PetscBool equal = n == integral->cols ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt i = 0; i < n && equal; ++i) {
    if (RungSlotCompare(&integral->row[i], &integral->col[i])) equal = PETSC_FALSE;
  }
  for (PetscInt e = 0; e < integral->entries && equal; ++e) {
    PetscInt f = 0;

    while (f < integral->entries &&
           (integral->entry[f].row != integral->entry[e].col || integral->entry[f].col != integral->entry[e].row))
      ++f;
    if (f == integral->entries || entry[f] != entry[e]) equal = PETSC_FALSE;
  }
  return equal;
}

/* The non-zero entries of a table as a sparse, sorted list. */
static PetscErrorCode compress(RungDag dag, const RungTerm *term, const Table *table, RungIntegral *integral,
                               RungScalar **entry)
{
  const PetscInt       cols     = table->cols;
  RUNG_FREE PetscBool *col_used = NULL;
  RUNG_FREE PetscBool *row_used = NULL;
  RUNG_FREE PetscInt  *col      = NULL;
  RUNG_FREE PetscInt  *row      = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(table->rows, &row_used));
  PetscCall(PetscCalloc1(cols, &col_used));
  PetscCall(PetscCalloc1(table->rows, &row));
  PetscCall(PetscCalloc1(cols, &col));
  for (PetscInt i = 0; i < table->rows * cols; ++i) {
    if (table->entry[i] != dag->zero) row_used[i / cols] = col_used[i % cols] = PETSC_TRUE;
  }
  PetscCall(keep_slots(table->rows, term->row, row_used, row, &integral->rows, &integral->row));
  PetscCall(keep_slots(cols, table->col, col_used, col, &integral->cols, &integral->col));
  PetscCall(PetscMalloc1(integral->rows * integral->cols, &integral->entry));
  PetscCall(PetscMalloc1(integral->rows * integral->cols, entry));
  for (PetscInt i = 0; i < table->rows * cols; ++i) {
    if (table->entry[i] == dag->zero) continue;
    integral->entry[integral->entries].row = row[i / cols];
    integral->entry[integral->entries].col = col[i % cols];
    (*entry)[integral->entries++]          = table->entry[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries off the diagonal blocks go.  Those between two cells stay: continuous functions share dofs, so that their blocks
   have entries on the diagonal of the matrix; assembly finds them. */
static void keep_diagonal(RungDag dag, const RungTerm *term, Table *table)
{
  for (PetscInt r = 0; r < table->rows; ++r) {
    for (PetscInt c = 0; c < table->cols; ++c) {
      if (term->row[r].unknown != table->col[c].unknown || term->row[r].component != table->col[c].component)
        table->entry[r * table->cols + c] = dag->zero;
    }
  }
}

/* Entries go that depend on t or an unknown (or a field, if asked for), or those that do not. */
static void keep_varying(RungDag dag, PetscBool varying, Table *table)
{
  for (PetscInt i = 0; i < table->rows * table->cols; ++i) {
    const unsigned uses = dag->node[table->entry[i]].uses;

    if (varying != ((uses & dag->vary) != 0)) table->entry[i] = dag->zero;
  }
}

/* entries = 0 in the result: the integral does not depend on the unknowns */
static PetscErrorCode lower_entries(RungDag dag, const RungTerm *term, int what, RungIntegral *integral)
{
  const PetscBool                 diagonal = what == RUNG_FORM_DIAGONAL ? PETSC_TRUE : PETSC_FALSE;
  RUNG_OWNED(table_destroy) Table table    = {0};
  RUNG_FREE RungScalar           *entry    = NULL;

  PetscFunctionBegin;
  PetscCall(find_entries(dag, term, &table));
  if (diagonal) keep_diagonal(dag, term, &table);
  if (what == RUNG_FORM_CONSTANT || what == RUNG_FORM_VARYING)
    keep_varying(dag, what == RUNG_FORM_VARYING ? PETSC_TRUE : PETSC_FALSE, &table);
  PetscCall(compress(dag, term, &table, integral, &entry));
  integral->rank      = 2;
  integral->diagonal  = diagonal && term->domain != RUNG_INTERIOR_FACETS ? PETSC_TRUE : PETSC_FALSE;
  integral->symmetric = is_symmetric(integral, entry);
  if (integral->entries && integral->in_reference)
    PetscCall(RungMappedTape(dag, entry, integral));
  else if (integral->entries)
    PetscCall(RungTapeCreateCheap(dag, integral->entries, entry, &integral->tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode integral_free(RungIntegral *integral);

/* The same in derivatives of the reference cell: a plan decides which of the two it takes. */
static PetscErrorCode lower_mapped(RungDag dag, const RungTerm *term, RungIntegral *integral)
{
  RUNG_OWNED(term_destroy) RungTerm  mapped = {0};
  RUNG_OWNED(RungDagDestroy) RungDag to     = NULL;

  PetscFunctionBegin;
  PetscCall(RungDagCreate(dag->scope, &to));
  PetscCall(RungTermMap(dag, term, to, &mapped));
  PetscCall(PetscNew(&integral->mapped));
  integral->mapped->in_reference = PETSC_TRUE;
  PetscCall(lower_entries(to, &mapped, RUNG_FORM_JACOBIAN, integral->mapped));
  PetscCall(RungTermDescribe(dag, term, integral->mapped));
  if (integral->mapped->mapped) PetscCall(RungTermDescribe(dag, term, integral->mapped->mapped));
  if (integral->mapped->symmetric != integral->symmetric) { /* what is promised must be kept */
    PetscCall(integral_free(integral->mapped));
    PetscCall(PetscFree(integral->mapped));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constant and the varying part are told apart by physical entries, so they stay in physical derivatives. */
static PetscErrorCode lower_jacobian(RungDag dag, const RungTerm *term, int what, RungIntegral *integral)
{
  PetscFunctionBegin;
  PetscCall(lower_entries(dag, term, what, integral));
  if (integral->entries) PetscCall(RungTermDescribe(dag, term, integral));
  if (what == RUNG_FORM_JACOBIAN && RungIntegralWantsMap(dag->scope, integral))
    PetscCall(lower_mapped(dag, term, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode integral_free(RungIntegral *integral)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(integral->part));
  PetscCall(PetscFree(integral->row));
  PetscCall(PetscFree(integral->col));
  PetscCall(PetscFree(integral->entry));
  PetscCall(PetscFree(integral->text));
  PetscCall(PetscFree(integral->product));
  PetscCall(RungTapeDestroy(&integral->tape));
  if (integral->mapped) PetscCall(integral_free(integral->mapped));
  PetscCall(PetscFree(integral->mapped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower_term(RungDag dag, PetscInt expr, int what, const RungTerm *term, RungIntegral *integral)
{
  PetscFunctionBegin;
  if (what == RUNG_FORM_VALUE || what == RUNG_FORM_ACTION || what == RUNG_FORM_RATE)
    PetscCall(RungTermLowerRows(dag, term, what, RungScopeNode(dag->scope, expr)->arity, integral));
  else
    PetscCall(lower_jacobian(dag, term, what, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower_terms(RungDag dag, PetscInt count, const RungTerm terms[], PetscInt expr, int what,
                                  PetscInt *n, RungIntegral **integrals)
{
  const PetscBool rows = what == RUNG_FORM_ACTION || what == RUNG_FORM_RATE ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(count, integrals));
  for (PetscInt i = 0; i < count; ++i) {
    RungIntegral *integral = &(*integrals)[(*n)++]; /* half made it is one of them, too */

    PetscCall(lower_term(dag, expr, what, &terms[i], integral));
    if (rows ? integral->rows : what == RUNG_FORM_VALUE || integral->entries) continue;
    PetscCall(integral_free(integral));
    PetscCall(PetscMemzero(integral, sizeof *integral));
    --*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower_all(RungDag dag, PetscInt expr, int what, PetscInt degree, PetscInt *n,
                                RungIntegral **integrals)
{
  RungTerm *terms;
  PetscInt  count;

  PetscFunctionBegin;
  PetscCall(RungTermsCreate(dag, expr, degree, &count, &terms));
  RungCallFinally(lower_terms(dag, count, terms, expr, what, n, integrals), PetscCall(RungTermsDestroy(count, &terms)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLower(RungExpr expr, int what, PetscInt degree, PetscInt *n, RungIntegral **integrals)
{
  RUNG_OWNED(RungDagDestroy) RungDag dag = NULL;

  PetscFunctionBegin;
  if (expr.node != RUNG_NO_EXPR) PetscCall(RungExprCheck(expr));
  PetscCheck(what == RUNG_FORM_VALUE || expr.node < 0 || RungScopeNode(expr.scope, expr.node)->arity == 1,
             RungScopeComm(expr.scope), PETSC_ERR_ARG_WRONG,
             "a Jacobian is wanted of integrals without test functions; take derive() of them first");
  *n         = 0;
  *integrals = NULL;
  PetscCall(RungDagCreate(expr.scope, &dag));
  dag->vary = 1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME | (what & RUNG_FORM_FIELDS_VARY ? 1u << RUNG_IN_FIELD : 0);
  RungCallOrUndo(lower_all(dag, expr.node, what & ~RUNG_FORM_FIELDS_VARY, degree, n, integrals),
                 PetscCall(RungIntegralsDestroy(*n, integrals));
                 *n = 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIntegralsDestroy(PetscInt n, RungIntegral **integrals)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(integral_free(&(*integrals)[i]));
  PetscCall(PetscFree(*integrals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLowerPointwise(RungExpr expr, RungTape *tape)
{
  RungDag           dag;
  const RungScalar *component;
  PetscInt          n;
  PetscErrorCode    code;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(expr));
  PetscCheck(!RungScopeNode(expr.scope, expr.node)->integral, RungScopeComm(expr.scope), PETSC_ERR_ARG_WRONG,
             "an integral stands where a value at points is wanted; leave the measure away");
  PetscCall(RungDagCreate(expr.scope, &dag));
  code = RungDagExpand(dag, expr.node, &n, &component);
  if (!code) code = RungTapeCreate(dag, n, component, tape);
  PetscCall(RungDagDestroy(&dag));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
