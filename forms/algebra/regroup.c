/* regroup.c - the same values from fewer operations: products and sums of many entries, looked at together.

   A dag is made entry by entry, derivative by derivative; its products are grouped as they came.  Here values are read as
   sums of products of atoms (inputs, functions, sums).  Common factors of a sum's products are taken out, and of all
   products those two atoms that most of them have are multiplied first, once, and so on: the greedy elimination of common
   subexpressions of A. Hosangadi, F. Fallah and R. Kastner (Optimizing polynomial expressions by algebraic factorization
   and common subexpression elimination, IEEE Trans. CAD 25, 2006).  A product is never distributed over a sum: what
   cancels there would lose digits.

       y_c = a (s (x_c r)) - b (x_c w)   for many c      becomes     y_c = x_c (a s r - b w)

   The result is a dag of its own, for the old one holds a node for every value already; it is kept if it is cheaper. */
#include <rungown_room.h>
#include "regroup_impl.h"

#define MOST_NODES 4000 /* of larger forms the search takes its time             */

/* ---- pairs ---------------------------------------------------------------------------------------------------------- */

/* Products that the roots need. */
static void mark_needed(const RungRegroup *g, PetscInt product, PetscBool needed[])
{
  const RungProduct *p = &g->product[product];

  if (needed[product]) return;
  needed[product] = PETSC_TRUE;
  for (PetscInt i = 0; i < p->n; ++i) {
    const RungAtom *atom = &g->atom[p->at[i]];

    if (atom->kind == RUNG_ATOM_SUM) {
      for (PetscInt t = 0; t < atom->b; ++t) mark_needed(g, g->term[atom->a + t].product, needed);
    } else if (atom->kind == RUNG_ATOM_LEAF) {
      for (int a = 0; a < 3 && g->from->node[atom->a].arg[a] >= 0; ++a)
        mark_needed(g, g->value[g->from->node[atom->a].arg[a]].product, needed);
    }
  }
}

typedef struct {
  PetscInt a, b, count;
} Count;

typedef struct {
  PetscInt  n, slots; /* a power of two         */
  Count    *pair;     /* [n]                    */
  PetscInt *slot;     /* pairs by hash, -1 none */
} Counts;

static Count *count_of(Counts *counts, PetscInt a, PetscInt b)
{
  const uint64_t mask = (uint64_t)counts->slots - 1;
  uint64_t       i    = ((uint64_t)a * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)b * 0xc2b2ae3d27d4eb4full);

  for (i = (i >> 20) & mask; counts->slot[i] >= 0; i = (i + 1) & mask) {
    Count *it = &counts->pair[counts->slot[i]];

    if (it->a == a && it->b == b) return it;
  }
  counts->slot[i]         = counts->n;
  counts->pair[counts->n] = (Count){a, b, 0};
  return &counts->pair[counts->n++];
}

/* The pairs of a product, each once, counted up or down. */
static void count_pairs(Counts *counts, const RungProduct *p, PetscInt by)
{
  for (PetscInt i = 0; i < p->n; ++i) {
    if (i && p->at[i] == p->at[i - 1]) continue;
    for (PetscInt k = i + 1; k < p->n; ++k) {
      if (k == i + 1 || p->at[k] != p->at[k - 1]) count_of(counts, p->at[i], p->at[k])->count += by;
    }
  }
}

/* Atoms a and b of a product become c, wherever both are. */
static PetscBool replace(RungProduct *p, PetscInt a, PetscInt b, PetscInt c)
{
  PetscBool changed = PETSC_FALSE;

  for (;;) {
    PetscInt i = 0, k, kept = 0;

    while (i < p->n && p->at[i] != a) ++i;
    for (k = i + 1; k < p->n && p->at[k] != b; ++k)
      ;
    if (k >= p->n) return changed;
    for (PetscInt l = 0; l < p->n; ++l) {
      if (l != i && l != k) p->at[kept++] = p->at[l];
    }
    p->at[kept++] = c; /* the newest atom is the largest */
    p->n          = kept;
    changed       = PETSC_TRUE;
  }
}

/* What is constant in a cell is multiplied first, in every product by itself. */
static PetscErrorCode join_cells(RungRegroup *g, RungProduct *p)
{
  PetscInt first = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n; ++i) {
    PetscInt pair;

    if (g->atom[p->at[i]].rate > RUNG_RATE_CELL) continue;
    if (first < 0) {
      first = i;
      continue;
    }
    PetscCall(RungRegroupAtom(g, RUNG_ATOM_PAIR, p->at[first], p->at[i], RUNG_RATE_CELL, &pair));
    for (PetscInt l = i; l + 1 < p->n; ++l) p->at[l] = p->at[l + 1];
    p->at[first] = pair;
    --p->n;
    --i;
  }
  for (PetscInt i = 1; i < p->n; ++i) { /* sorted again */
    for (PetscInt k = i; k && p->at[k] < p->at[k - 1]; --k) {
      const PetscInt swap = p->at[k];

      p->at[k]     = p->at[k - 1];
      p->at[k - 1] = swap;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one that most products have, the oldest of several; count < 2: none is in two. */
static Count frequent(const Counts *counts)
{
  Count best = {0, 0, 1};

  for (PetscInt i = 0; i < counts->n; ++i) {
    const Count *it = &counts->pair[i];

    if (it->count > best.count) best = *it;
  }
  return best;
}

/* The most frequent pair is multiplied once for all, until every pair is unique. */
static PetscErrorCode join_pairs(RungRegroup *g, PetscInt n, const PetscInt list[])
{
  Counts   counts = {.slots = 1024};
  PetscInt most   = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i)
    most += g->product[list[i]].n * g->product[list[i]].n; /* those made on the way too */
  while (counts.slots < 2 * most) counts.slots *= 2;
  PetscCall(PetscMalloc2(counts.slots, &counts.slot, most, &counts.pair));
  for (PetscInt i = 0; i < counts.slots; ++i) counts.slot[i] = -1;
  for (PetscInt i = 0; i < n; ++i) count_pairs(&counts, &g->product[list[i]], 1);
  for (Count best = frequent(&counts); best.count > 1; best = frequent(&counts)) {
    PetscInt c;

    PetscCall(
      RungRegroupAtom(g, RUNG_ATOM_PAIR, best.a, best.b, PetscMax(g->atom[best.a].rate, g->atom[best.b].rate), &c));
    for (PetscInt i = 0; i < n; ++i) {
      RungProduct *p = &g->product[list[i]], old = *p;

      if (!replace(p, best.a, best.b, c)) continue;
      count_pairs(&counts, &old, -1);
      count_pairs(&counts, p, 1);
    }
  }
  PetscCall(PetscFree2(counts.slot, counts.pair));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the new dag ---------------------------------------------------------------------------------------------------- */

static RungScalar make_product(RungRegroup *g, PetscInt product);

static RungScalar make_atom(RungRegroup *g, PetscInt i)
{
  const RungAtom *atom = &g->atom[i];
  RungScalar      arg[3], s = -1;

  if (g->atom_image[i] >= 0) return g->atom_image[i];
  if (atom->kind == RUNG_ATOM_PAIR) {
    const RungScalar a = make_atom(g, atom->a);

    s = RungDagMul(g->to, a, make_atom(g, atom->b));
  } else if (atom->kind == RUNG_ATOM_SUM) {
    for (PetscInt t = 0; t < atom->b; ++t) {
      const RungSummand *term = &g->term[atom->a + t];
      const RungScalar   p = make_product(g, term->product), with_sign = term->sign < 0 ? RungDagNeg(g->to, p) : p;

      s = t ? RungDagAdd(g->to, s, with_sign) : with_sign;
    }
  } else {
    const RungScalarNode *node  = &g->from->node[atom->a];
    const RungInput      *input = RungDagGetInput(g->from, atom->a);

    for (int a = 0; a < 3; ++a) {
      arg[a] = -1;
      if (node->arg[a] < 0) continue;
      arg[a] = make_product(g, g->value[node->arg[a]].product);
      if (g->value[node->arg[a]].sign < 0) arg[a] = RungDagNeg(g->to, arg[a]);
    }
    s = input ? RungDagInput(g->to, input) : RungDagOp(g->to, node->op, arg);
  }
  g->atom_image[i] = s;
  return s;
}

static RungScalar make_product(RungRegroup *g, PetscInt product)
{
  const RungProduct *p = &g->product[product];
  RungScalar         s = g->to->one;

  if (g->product_image[product] >= 0) return g->product_image[product];
  for (PetscInt i = 0; i < p->n; ++i) s = i ? RungDagMul(g->to, s, make_atom(g, p->at[i])) : make_atom(g, p->at[i]);
  g->product_image[product] = s;
  return s;
}

/* ---- cost ----------------------------------------------------------------------------------------------------------- */

/* Operations at a point, about: a product that only one sum reads is part of it, a division costs 5, a function 20. */
PetscErrorCode RungDagCost(RungDag dag, PetscInt n, const RungScalar root[], PetscInt *cost)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              reached;
  RUNG_FREE PetscInt   *uses = NULL;

  PetscFunctionBegin;
  *cost = 0;
  PetscCall(RungDagReach(dag, n, root, ~0u, &reached, &list));
  PetscCall(PetscCalloc1(reached ? list[reached - 1] + 1 : 0, &uses));
  for (PetscInt r = 0; r < n; ++r) uses[root[r]] += 2;
  for (PetscInt i = 0; i < reached; ++i) {
    for (int a = 0; a < 3 && dag->node[list[i]].arg[a] >= 0; ++a) ++uses[dag->node[list[i]].arg[a]];
  }
  for (PetscInt i = 0; i < reached; ++i) {
    const RungScalarNode *node  = &dag->node[list[i]];
    PetscBool             fused = PETSC_FALSE;

    if (node->op == RUNG_OPS || node->rate == RUNG_RATE_UNIFORM) continue;
    for (int a = 0; a < 2 && node->op == RUNG_OP_ADD; ++a) {
      RungScalar s = node->arg[a];

      if (dag->node[s].op == RUNG_OP_NEG) s = dag->node[s].arg[0];
      if (dag->node[s].op == RUNG_OP_MUL && uses[s] == 1) fused = PETSC_TRUE;
    }
    if (node->op == RUNG_OP_ADD || node->op == RUNG_OP_MUL || node->op == RUNG_OP_IF)
      *cost += fused ? 0 : 1;
    else if (node->op != RUNG_OP_NEG)
      *cost += node->op == RUNG_OP_DIV ? 5 : 20;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- use ------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode group(RungRegroup *g, PetscInt roots, const RungScalar root[])
{
  RUNG_FREE PetscBool *needed = NULL;
  PetscInt             n      = 0;
  RUNG_FREE PetscInt  *list   = NULL;

  PetscFunctionBegin;
  PetscCall(RungRegroupRead(g, roots, root));
  PetscCall(PetscCalloc1(g->products, &needed));
  PetscCall(PetscMalloc1(g->products, &list));
  for (PetscInt r = 0; r < roots; ++r) mark_needed(g, g->value[root[r]].product, needed);
  for (PetscInt p = 0; p < g->products; ++p) {
    if (!needed[p]) continue;
    list[n++] = p;
    PetscCall(join_cells(g, &g->product[p]));
  }
  PetscCall(join_pairs(g, n, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_roots(RungRegroup *g, PetscInt roots, const RungScalar root[], RungScalar out[])
{
  PetscFunctionBegin;
  PetscCall(RungDagCreate(g->from->scope, &g->to));
  PetscCall(PetscMalloc2(g->atoms, &g->atom_image, g->products, &g->product_image));
  for (PetscInt i = 0; i < g->atoms; ++i) g->atom_image[i] = -1;
  for (PetscInt i = 0; i < g->products; ++i) g->product_image[i] = -1;
  for (PetscInt r = 0; r < roots; ++r) {
    const RungScalar s = make_product(g, g->value[root[r]].product);

    out[r] = g->value[root[r]].sign < 0 ? RungDagNeg(g->to, s) : s;
  }
  PetscCall(PetscFree2(g->atom_image, g->product_image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode regroup_destroy(RungRegroup **g)
{
  PetscFunctionBegin;
  if (!*g) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*g)->uses));
  PetscCall(PetscFree((*g)->inner));
  PetscCall(PetscFree((*g)->value));
  PetscCall(PetscFree((*g)->node));
  PetscCall(PetscFree((*g)->atom));
  PetscCall(PetscFree((*g)->product));
  PetscCall(PetscFree((*g)->term));
  PetscCall(RungDagDestroy(&(*g)->to));
  PetscCall(PetscFree(*g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_factoring(RungDag dag, RungFactoring factor, PetscInt roots, const RungScalar root[],
                                    RungDag *to, RungScalar out[])
{
  RUNG_OWNED(regroup_destroy) RungRegroup *g = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  g->from   = dag;
  g->factor = factor;
  for (PetscInt i = 0; i < RUNG_REGROUP_BUCKETS; ++i) g->atom_bucket[i] = g->product_bucket[i] = -1;
  PetscCall(RungDagReach(dag, roots, root, ~0u, &g->n, &g->node));
  g->last = g->n ? g->node[g->n - 1] : -1;
  PetscCall(PetscCalloc1(g->last + 1, &g->uses));
  PetscCall(PetscCalloc1(g->last + 1, &g->inner));
  PetscCall(PetscCalloc1(g->last + 1, &g->value));
  PetscCall(group(g, roots, root));
  PetscCall(make_roots(g, roots, root, out));
  *to   = g->to;
  g->to = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagRegroup(RungDag dag, PetscInt roots, const RungScalar root[], RungDag *best, RungScalar out[])
{
  PetscInt              cost, least;
  RUNG_FREE RungScalar *made = NULL;

  PetscFunctionBegin;
  *best = NULL;
  PetscCall(RungDagCheck(dag));
  PetscCall(RungDagCost(dag, roots, root, &least));
  if (least > MOST_NODES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(roots, &made));
  for (int factor = 0; factor < RUNG_FACTORINGS; ++factor) {
    RUNG_OWNED(RungDagDestroy) RungDag to = NULL;

    PetscCall(try_factoring(dag, (RungFactoring)factor, roots, root, &to, made));
    PetscCall(RungDagCost(to, roots, made, &cost));
    if (to->error || cost >= least) continue;
    least = cost;
    PetscCall(RungDagDestroy(best));
    *best = to;
    to    = NULL;
    for (PetscInt r = 0; r < roots; ++r) out[r] = made[r];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
