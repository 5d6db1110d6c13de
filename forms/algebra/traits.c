/* traits.c - what a form says about itself: order, linearity, constancy, symmetry, definiteness, masses.

   Read off the coefficients of the test functions and their derivatives dF/du^(k), after all cancellation: what is not
   identically zero there depends on what it holds.  A coefficient that jumps along an unknown, as sign(u), has the derivative 0 and is
   not linear.  Symmetry is asked of every integral by itself, as kernels use it.
 */
#include <rungown_room.h>
#include "scalar_impl.h"

static PetscErrorCode block_create(RungDag dag, const RungTerm *term, PetscInt k, RungEntries *block)
{
  PetscInt              cols;
  RUNG_FREE RungSlot   *col   = NULL;
  RUNG_FREE RungScalar *entry = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(block, sizeof *block));
  PetscCall(RungTermJacobian(dag, term, -1, k, dag->one, PETSC_TRUE, &cols, &col, &entry));
  PetscCall(PetscMalloc1(term->rows * cols, &block->row));
  PetscCall(PetscMalloc1(term->rows * cols, &block->col));
  PetscCall(PetscMalloc1(term->rows * cols, &block->value));
  for (PetscInt i = 0; i < term->rows * cols; ++i) {
    if (entry[i] == dag->zero) continue;
    block->row[block->n]     = term->row[i / cols];
    block->col[block->n]     = col[i % cols];
    block->value[block->n++] = entry[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode block_destroy(RungEntries *block)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(block->row));
  PetscCall(PetscFree(block->col));
  PetscCall(PetscFree(block->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_symmetric(const RungEntries *block)
{
  for (PetscInt i = 0; i < block->n; ++i) {
    if (RungEntriesFind(block, &block->col[i], &block->row[i]) != block->value[i]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- traits ----------------------------------------------------------------------------------------------------- */

#define MOST_MASSES 64 /* components of an unknown: bits of its mark */

/* Marks the components whose squares the block has in all cells. */
static void mark_squares(const RungEntries *block, const RungTerm *term, uint64_t weighed[])
{
  if (term->domain != RUNG_CELLS || term->part >= 0) return;
  for (PetscInt i = 0; i < block->n; ++i) {
    const RungSlot *row = &block->row[i];

    if (!row->derivative && row->component < MOST_MASSES && !RungSlotCompare(row, &block->col[i]))
      weighed[row->unknown] |= (uint64_t)1 << row->component;
  }
}

/* Signs of the block of a term.  Terms of a mass weigh every component together, and none takes something away. */
static PetscErrorCode sign_traits(RungDag dag, const RungEntries *block, const RungTerm *term, PetscInt k,
                                  RungFormTraits *traits)
{
  PetscBool symmetric = is_symmetric(block), positive = PETSC_FALSE, mass = PETSC_FALSE;

  PetscFunctionBegin;
  if (!symmetric) traits->symmetric = traits->symmetric_block[k] = PETSC_FALSE;
  if (symmetric) PetscCall(RungEntriesSigns(dag, block, &positive, &mass));
  if (!positive) traits->positive_block[k] = PETSC_FALSE;
  if (!positive && !mass) traits->mass_block[k] = PETSC_FALSE;
  if (mass) mark_squares(block, term, traits->weighed[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions of the C library, which kernels call for each number by itself. */
static PetscBool is_called(RungOp op)
{
  return (op >= RUNG_OP_SIN && op <= RUNG_OP_YN) || op == RUNG_OP_POW || op == RUNG_OP_NOISE || op == RUNG_OP_TABLE
           ? PETSC_TRUE
           : PETSC_FALSE;
}

static PetscErrorCode call_traits(RungDag dag, const RungEntries *block, RungFormTraits *traits)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, block->n, block->value, ~0u, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungScalarNode *node = &dag->node[list[i]];

    if (is_called(node->op) && node->rate == RUNG_RATE_POINT) traits->calls = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants among what the entries of a block are made of. */
static PetscErrorCode constant_traits(RungDag dag, const RungEntries *block, RungFormTraits *traits)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, block->n, block->value, 1u << RUNG_IN_CONSTANT, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput *input = RungDagGetInput(dag, list[i]);

    if (input && input->kind == RUNG_IN_CONSTANT)
      traits->held[input->index / 64 % RUNG_HELD] |= (uint64_t)1 << input->index % 64;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode block_traits(RungDag dag, const RungEntries *block, const RungTerm *term, PetscInt k,
                                   RungFormTraits *traits, RungBlocksOf **blocks)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < block->n; ++i) {
    const unsigned uses = dag->node[block->value[i]].uses;

    if (traits->rank)
      PetscCall(RungBlocksAdd(blocks, term->domain, term->part, block->row[i].unknown, block->col[i].unknown, uses));
    if (traits->rank) traits->couple[block->row[i].unknown][block->col[i].unknown] = PETSC_TRUE;
    if (traits->rank) traits->couple_rates[block->row[i].unknown][block->col[i].unknown] |= (unsigned char)(1u << k);
    if (traits->rank && uses & (1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME))
      traits->varying[block->row[i].unknown][block->col[i].unknown] = PETSC_TRUE;
    if (term->domain == RUNG_INTERIOR_FACETS)
      traits->couple_facets[block->row[i].unknown][block->col[i].unknown] = PETSC_TRUE;
    if (uses & (1u << RUNG_IN_UNKNOWN)) traits->linear = traits->linear_block[k] = PETSC_FALSE;
    if (uses & (1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME))
      traits->constant_block[k] = traits->constant_jacobian = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < block->n; ++i) {
    if (dag->node[block->value[i]].uses & (1u << RUNG_IN_FIELD)) traits->field_block[k] = PETSC_TRUE;
    if (dag->node[block->value[i]].uses & (1u << RUNG_IN_FIELD | 1u << RUNG_IN_CONSTANT)) traits->sampled = PETSC_TRUE;
    if (dag->node[block->value[i]].uses & (1u << RUNG_IN_FIELD | 1u << RUNG_IN_CELL | 1u << RUNG_IN_X))
      traits->placed = PETSC_TRUE;
  }
  traits->block[k] = PETSC_TRUE;
  PetscCall(sign_traits(dag, block, term, k, traits));
  PetscCall(constant_traits(dag, block, traits));
  if (term->domain == RUNG_CELLS) PetscCall(call_traits(dag, block, traits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders in time and dependence on t of what is evaluated. */
static PetscErrorCode input_traits(RungDag dag, const RungTerm *term, RungFormTraits *traits)
{
  const unsigned        kinds = 1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME;
  RUNG_FREE RungScalar *list  = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, term->rows, term->coefficient, kinds, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput *input = RungDagGetInput(dag, list[i]);

    if (!input) continue;
    if (input->kind == RUNG_IN_TIME) {
      traits->time_dependent = PETSC_TRUE;
    } else {
      traits->unknown_order[input->index] = PetscMax(traits->unknown_order[input->index], input->k);
      traits->order                       = PetscMax(traits->order, input->k);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Test functions that the expression names, also where their factor is zero. */
static PetscErrorCode mark_tested(RungExpr expr, RungFormTraits *traits)
{
  RUNG_FREE PetscBool *mark = NULL;

  PetscFunctionBegin;
  if (expr.node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(expr.node + 1, &mark));
  mark[expr.node] = PETSC_TRUE;
  for (PetscInt id = expr.node; id >= 0; --id) {
    const RungNode *node = RungScopeNode(expr.scope, id);

    if (!mark[id]) continue;
    if (node->op == RUNG_OP_TEST || (node->op == RUNG_OP_NUMBER && node->arity))
      traits->tested[node->index[0]] = PETSC_TRUE;
    for (PetscInt i = 0; i < node->args; ++i) mark[node->arg[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it the same but where it jumps? */
static PetscBool is_flat(RungOp op)
{
  switch (op) {
  case RUNG_OP_LT:
  case RUNG_OP_LE:
  case RUNG_OP_GT:
  case RUNG_OP_GE:
  case RUNG_OP_EQ:
  case RUNG_OP_NE:
  case RUNG_OP_AND:
  case RUNG_OP_OR:
  case RUNG_OP_NOT:
  case RUNG_OP_SIGN:
  case RUNG_OP_NOISE: return PETSC_TRUE;
  default: return PETSC_FALSE;
  }
}

/* Jumps along unknowns, of which derivatives show nothing: of sign(u), of if(u > 0, 2, 1), of if(u, 2, 1). */
static PetscErrorCode jump_traits(RungDag dag, const RungTerm *term, RungFormTraits *traits)
{
  const unsigned        unknown = 1u << RUNG_IN_UNKNOWN;
  RUNG_FREE RungScalar *list    = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, term->rows, term->coefficient, unknown, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungScalarNode *node    = &dag->node[list[i]];
    const PetscBool       decides = node->op == RUNG_OP_IF && (dag->node[node->arg[0]].uses & unknown) ? PETSC_TRUE
                                                                                                       : PETSC_FALSE;

    if (decides || (is_flat(node->op) && (node->uses & unknown))) traits->jumps = PETSC_TRUE;
  }
  if (traits->jumps) traits->linear = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode term_traits(RungDag dag, const RungTerm *term, RungFormTraits *traits, RungBlocksOf **blocks)
{
  PetscFunctionBegin;
  PetscCall(input_traits(dag, term, traits));
  PetscCall(jump_traits(dag, term, traits));
  if (term->domain == RUNG_INTERIOR_FACETS) traits->facets = PETSC_TRUE;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    RUNG_OWNED(block_destroy) RungEntries block = {0};

    PetscCall(block_create(dag, term, k, &block));
    if (block.n) PetscCall(block_traits(dag, &block, term, k, traits, blocks));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have all unknowns the order k of the form, and all of their components a weight there? */
static PetscErrorCode weighs_all(RungScope scope, PetscInt k, const RungFormTraits *traits, PetscBool *all)
{
  PetscFunctionBegin;
  *all = PETSC_TRUE;
  for (PetscInt f = 0; f < RungScopeUnknowns(scope) && *all; ++f) {
    const RungSpaceData *space;
    PetscInt             found = 0;

    PetscCall(RungSpaceGetData(RungScopeUnknownSpace(scope, f), &space));
    for (PetscInt c = 0; c < MOST_MASSES; ++c) found += (PetscInt)(traits->weighed[k][f] >> c & 1);
    *all = traits->unknown_order[f] == k && found == space->components ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the signs of the blocks of n integrals come to */
static PetscErrorCode set_signs(RungScope scope, PetscInt n, RungFormTraits *traits)
{
  const PetscInt k = traits->order;

  PetscFunctionBegin;
  traits->definite = n && traits->linear && traits->symmetric ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i <= RUNG_MAX_ORDER; ++i)
    traits->definite = traits->definite && traits->positive_block[i] ? PETSC_TRUE : PETSC_FALSE;
  if (k && traits->mass_block[k]) PetscCall(weighs_all(scope, k, traits, &traits->mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode traits_of_terms(RungDag dag, PetscInt n, const RungTerm terms[], RungFormTraits *traits,
                                      RungBlocksOf **blocks)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(term_traits(dag, &terms[i], traits, blocks));
  PetscCall(set_signs(dag->scope, n, traits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode all_traits(RungDag dag, PetscInt expr, RungFormTraits *traits, RungBlocksOf **blocks)
{
  RungTerm *terms;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(RungTermsCreate(dag, expr, -1, &n, &terms));
  RungCallFinally(traits_of_terms(dag, n, terms, traits, blocks), PetscCall(RungTermsDestroy(n, &terms)));
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLowerTraitsAndBlocks(RungExpr expr, RungFormTraits *traits, RungBlocksOf **blocks)
{
  RungDag        dag;
  PetscErrorCode code;

  PetscFunctionBegin;
  if (expr.node != RUNG_NO_EXPR) PetscCall(RungExprCheck(expr));
  PetscCall(PetscMemzero(traits, sizeof *traits));
  traits->rank              = expr.node >= 0 ? RungScopeNode(expr.scope, expr.node)->arity : 1;
  traits->linear            = PETSC_TRUE;
  traits->constant_jacobian = PETSC_TRUE;
  traits->symmetric         = traits->rank == 1 ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    traits->constant_block[k] = traits->linear_block[k] = PETSC_TRUE;
    traits->symmetric_block[k] = traits->positive_block[k] = traits->mass_block[k] = traits->symmetric;
  }
  for (PetscInt f = 0; f < RUNG_MAX_UNKNOWNS; ++f) traits->unknown_order[f] = -1;
  PetscCall(mark_tested(expr, traits));
  PetscCall(RungDagCreate(expr.scope, &dag));
  code = all_traits(dag, expr.node, traits, blocks);
  PetscCall(RungDagDestroy(&dag));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLowerTraits(RungExpr expr, RungFormTraits *traits)
{
  RungBlocksOf  *blocks = NULL;
  PetscErrorCode code;

  PetscFunctionBegin;
  code = RungLowerTraitsAndBlocks(expr, traits, &blocks);
  PetscCall(RungBlocksDestroy(&blocks));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
