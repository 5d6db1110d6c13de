/* regroup_read.c - a scalar dag as sums of products of atoms, with common factors taken out. */
#include <rungown_room.h>
#include "regroup_impl.h"
#include <stdlib.h>

#define FEW 24 /* terms of a sum that factors are sought in              */

/* Room for one more of an array that grows. */
static PetscErrorCode make_room(PetscInt n, PetscInt *room, size_t size, void *array)
{
  PetscFunctionBegin;
  if (n == *room) {
    *room = PetscMax(256, 2 * *room);
    PetscCall(PetscRealloc((size_t)*room * size, array));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt bucket_of(PetscInt n, const PetscInt word[])
{
  uint64_t hash = 1469598103934665603ull;

  for (PetscInt i = 0; i < n; ++i) hash = (hash ^ (uint64_t)word[i]) * 1099511628211ull;
  return (PetscInt)((hash ^ (hash >> 29)) % RUNG_REGROUP_BUCKETS);
}

/* ---- atoms and products, each once ------------------------------------------------------------------------------- */

static PetscErrorCode new_atom(RungRegroup *g, RungAtomKind kind, PetscInt a, PetscInt b, RungValueRate rate,
                               PetscInt bucket, PetscInt *atom)
{
  PetscFunctionBegin;
  PetscCall(make_room(g->atoms, &g->atom_room, sizeof *g->atom, &g->atom));
  g->atom[g->atoms]      = (RungAtom){kind, a, b, rate, g->atom_bucket[bucket]};
  g->atom_bucket[bucket] = g->atoms;
  *atom                  = g->atoms++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRegroupAtom(RungRegroup *g, RungAtomKind kind, PetscInt a, PetscInt b, RungValueRate rate,
                               PetscInt *atom)
{
  const PetscInt word[] = {(PetscInt)kind, a, b}, bucket = bucket_of(3, word);

  PetscFunctionBegin;
  for (*atom = g->atom_bucket[bucket]; *atom >= 0; *atom = g->atom[*atom].next) {
    const RungAtom *it = &g->atom[*atom];

    if (it->kind == kind && it->a == a && it->b == b) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(new_atom(g, kind, a, b, rate, bucket, atom));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_product(RungRegroup *g, PetscInt n, const PetscInt at[], PetscInt *product)
{
  const PetscInt bucket = bucket_of(n, at);
  RungProduct   *it;

  PetscFunctionBegin;
  for (*product = g->product_bucket[bucket]; *product >= 0; *product = g->product[*product].next) {
    PetscBool same = g->product[*product].n == n ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt i = 0; same && i < n; ++i) same = g->product[*product].at[i] == at[i] ? PETSC_TRUE : PETSC_FALSE;
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(make_room(g->products, &g->product_room, sizeof *g->product, &g->product));
  it    = &g->product[g->products];
  it->n = n;
  for (PetscInt i = 0; i < n; ++i) it->at[i] = at[i];
  it->next                  = g->product_bucket[bucket];
  g->product_bucket[bucket] = g->products;
  *product                  = g->products++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode single(RungRegroup *g, PetscInt atom, PetscInt *product)
{
  PetscFunctionBegin;
  PetscCall(find_product(g, 1, &atom, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_terms(const void *a, const void *b)
{
  const PetscInt p = ((const RungSummand *)a)->product, q = ((const RungSummand *)b)->product;

  return p < q ? -1 : p > q;
}

/* The atom of a sum, up to its sign: that with which it was met first stays. */
static PetscErrorCode find_sum(RungRegroup *g, PetscInt n, RungSummand term[], int *sign, PetscInt *atom)
{
  PetscInt      word[2 * FEW + 1], bucket, words = 0;
  RungValueRate rate = RUNG_RATE_UNIFORM;

  PetscFunctionBegin;
  qsort(term, (size_t)n, sizeof *term, compare_terms);
  word[words++] = (PetscInt)RUNG_ATOM_SUM;
  for (PetscInt i = 0; i < n; ++i) {
    const RungProduct *p = &g->product[term[i].product];

    if (words < 2 * FEW) word[words++] = term[0].sign * term[i].sign * (term[i].product + 1);
    for (PetscInt k = 0; k < p->n; ++k) rate = PetscMax(rate, g->atom[p->at[k]].rate);
  }
  bucket = bucket_of(words, word);
  for (*atom = g->atom_bucket[bucket]; *atom >= 0; *atom = g->atom[*atom].next) {
    const RungAtom    *it    = &g->atom[*atom];
    const RungSummand *known = g->term + it->a;
    PetscBool          same  = it->kind == RUNG_ATOM_SUM && it->b == n ? PETSC_TRUE : PETSC_FALSE;

    if (same) *sign = known[0].sign * term[0].sign;
    for (PetscInt i = 0; same && i < n; ++i)
      same = known[i].sign * *sign == term[i].sign && known[i].product == term[i].product ? PETSC_TRUE : PETSC_FALSE;
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(make_room(g->terms, &g->term_room, sizeof *g->term, &g->term));
    g->term[g->terms++] = term[i];
  }
  *sign = 1;
  PetscCall(new_atom(g, RUNG_ATOM_SUM, g->terms - n, n, rate, bucket, atom));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

/* The atom that most of the terms hold, and how many; -1: none is in two. */
static PetscInt most_common(const RungRegroup *g, PetscInt n, const RungSummand term[], PetscInt *count)
{
  PetscInt best = -1;

  *count = 1;
  for (PetscInt i = 0; i < n; ++i) {
    const RungProduct *p = &g->product[term[i].product];

    for (PetscInt k = 0; k < p->n; ++k) {
      PetscInt found = 0;

      if (k && p->at[k] == p->at[k - 1]) continue;
      for (PetscInt j = i; j < n; ++j) {
        const RungProduct *q = &g->product[term[j].product];
        PetscInt           l = 0;

        while (l < q->n && q->at[l] != p->at[k]) ++l;
        found += l < q->n;
      }
      if (found <= *count) continue;
      *count = found;
      best   = p->at[k];
    }
  }
  return best;
}

/* p without the factors of common, each as often as it is there */
static PetscErrorCode without(RungRegroup *g, PetscInt product, PetscInt common, const PetscInt at[], PetscInt *rest)
{
  const RungProduct p = g->product[product];
  PetscInt          left[RUNG_PRODUCT_MOST], n = 0, k = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p.n; ++i) {
    if (k < common && p.at[i] == at[k])
      ++k;
    else
      left[n++] = p.at[i];
  }
  PetscCall(find_product(g, n, left, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool holds(const RungProduct *p, PetscInt atom)
{
  for (PetscInt i = 0; i < p->n; ++i) {
    if (p->at[i] == atom) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* What all n products share, sorted; returns how much. */
static PetscInt common_factors(const RungRegroup *g, PetscInt n, const RungSummand term[], PetscInt at[])
{
  PetscInt common = g->product[term[0].product].n;

  for (PetscInt i = 0; i < common; ++i) at[i] = g->product[term[0].product].at[i];
  for (PetscInt t = 1; t < n; ++t) {
    const RungProduct *p    = &g->product[term[t].product];
    PetscInt           kept = 0, k = 0;

    for (PetscInt i = 0; i < common; ++i) {
      while (k < p->n && p->at[k] < at[i]) ++k;
      if (k < p->n && p->at[k] == at[i]) at[kept++] = at[i], ++k;
    }
    common = kept;
  }
  return common;
}

static void unfold(const RungRegroup *g, PetscInt atom, PetscInt *n, PetscInt at[])
{
  if (g->atom[atom].kind == RUNG_ATOM_PAIR) {
    unfold(g, g->atom[atom].a, n, at);
    unfold(g, g->atom[atom].b, n, at);
  } else if (*n < RUNG_PRODUCT_MOST) {
    PetscInt i = (*n)++;

    for (; i && at[i - 1] > atom; --i) at[i] = at[i - 1];
    at[i] = atom;
  } else
    *n = RUNG_PRODUCT_MOST + 1;
}

/* Two uniform factors as one, the same in whatever order they come. */
static PetscErrorCode join_uniform(RungRegroup *g, PetscInt a, PetscInt b, PetscInt *joined)
{
  PetscInt at[RUNG_PRODUCT_MOST], n = 0;

  PetscFunctionBegin;
  unfold(g, a, &n, at);
  unfold(g, b, &n, at);
  if (n > RUNG_PRODUCT_MOST) n = 2, at[0] = a, at[1] = b;
  *joined = at[0];
  for (PetscInt i = 1; i < n; ++i)
    PetscCall(RungRegroupAtom(g, RUNG_ATOM_PAIR, *joined, at[i], RUNG_RATE_UNIFORM, joined));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The uniform factor of a product; -1: none */
static PetscInt uniform(const RungRegroup *g, const RungProduct *p)
{
  for (PetscInt i = 0; i < p->n; ++i) {
    if (g->atom[p->at[i]].rate == RUNG_RATE_UNIFORM) return i;
  }
  return -1;
}

/* In p, whose uniform factor is at place i, atom instead of it. */
static void exchange(RungProduct *p, PetscInt i, PetscInt atom)
{
  for (; i + 1 < p->n && p->at[i + 1] < atom; ++i) p->at[i] = p->at[i + 1];
  for (; i && p->at[i - 1] > atom; --i) p->at[i] = p->at[i - 1];
  p->at[i] = atom;
}

/* Two products in one, with one uniform factor; where they are too long the second becomes an atom. */
static PetscErrorCode join_products(RungRegroup *g, PetscInt p, PetscInt q, PetscInt *joined)
{
  PetscInt    at[RUNG_PRODUCT_MOST], n = 0, i = 0, k = 0;
  RungProduct a, b;

  PetscFunctionBegin;
  if (g->product[p].n + g->product[q].n > RUNG_PRODUCT_MOST) {
    for (int second = 0; second < 2; ++second) {
      PetscInt   *which = second ? &q : &p;
      RungSummand one   = {1, *which};
      int         sign;

      if (g->product[*which].n < 2) continue;
      PetscCall(find_sum(g, 1, &one, &sign, &n));
      PetscCall(single(g, n, which));
    }
    n = 0;
  }
  a = g->product[p], b = g->product[q];
  if (uniform(g, &a) >= 0 && uniform(g, &b) >= 0) {
    const PetscInt at_a = uniform(g, &a), at_b = uniform(g, &b);
    PetscInt       joined_atom;

    PetscCall(join_uniform(g, a.at[at_a], b.at[at_b], &joined_atom));
    exchange(&a, at_a, joined_atom);
    for (PetscInt l = at_b; l + 1 < b.n; ++l) b.at[l] = b.at[l + 1];
    --b.n;
  }
  while (i < a.n || k < b.n) at[n++] = k == b.n || (i < a.n && a.at[i] <= b.at[k]) ? a.at[i++] : b.at[k++];
  PetscCall(find_product(g, n, at, joined));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt longest_product(const RungRegroup *g, PetscInt n, const RungSummand term[])
{
  PetscInt longest = 0;

  for (PetscInt i = 0; i < n; ++i) longest = PetscMax(longest, g->product[term[i].product].n);
  return longest;
}

/* A sum as a product: common factors times a sum.  term is used up. */
static PetscErrorCode factor_sum(RungRegroup *g, PetscInt n, RungSummand term[], RungSummand *result)
{
  PetscInt count, atom;

  PetscFunctionBegin;
  while (g->factor && n > 1 && n <= FEW && (atom = most_common(g, n, term, &count)) >= 0) {
    RungSummand group[FEW], sum;
    PetscInt    kept = 0, members = 0, common, at[RUNG_PRODUCT_MOST], outside;

    for (PetscInt i = 0; i < n; ++i) {
      if (holds(&g->product[term[i].product], atom))
        group[members++] = term[i];
      else
        term[kept++] = term[i];
    }
    common = common_factors(g, members, group, at);
    if (g->factor == RUNG_FACTOR_TO_THE_LAST && longest_product(g, members, group) > common + 1) {
      for (PetscInt i = 0; i < members; ++i) term[kept++] = group[i];
      break;
    }
    for (PetscInt i = 0; i < members; ++i) PetscCall(without(g, group[i].product, common, at, &group[i].product));
    PetscCall(factor_sum(g, members, group, &sum));
    PetscCall(find_product(g, common, at, &outside));
    PetscCall(join_products(g, outside, sum.product, &outside));
    term[kept++] = (RungSummand){sum.sign, outside};
    n            = kept;
  }
  *result = term[0];
  if (n == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_sum(g, n, term, &result->sign, &atom));
  PetscCall(single(g, atom, &result->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading the old dag -------------------------------------------------------------------------------------------- */

/* Which sums and signs belong to the sum that reads them; from the roots down. */
static void find_inner(RungRegroup *g, PetscInt roots, const RungScalar root[])
{
  for (PetscInt r = 0; r < roots; ++r) g->uses[root[r]] += 2;
  for (PetscInt i = g->n - 1; i >= 0; --i) {
    const RungScalarNode *node = &g->from->node[g->node[i]];
    PetscBool             sum  = node->op == RUNG_OP_ADD && node->rate > RUNG_RATE_UNIFORM ? PETSC_TRUE : PETSC_FALSE;

    if (g->uses[g->node[i]] > 1) g->inner[g->node[i]] = PETSC_FALSE;
    if (node->op == RUNG_OP_NEG) sum = g->inner[g->node[i]];
    for (int a = 0; a < 3 && node->arg[a] >= 0; ++a) {
      const RungOp        op   = g->from->node[node->arg[a]].op;
      const RungValueRate rate = g->from->node[node->arg[a]].rate;

      ++g->uses[node->arg[a]];
      if (sum && rate > RUNG_RATE_UNIFORM && (op == RUNG_OP_ADD || op == RUNG_OP_NEG))
        g->inner[node->arg[a]] = PETSC_TRUE;
    }
  }
}

/* The terms of a sum, in order; the recursion is as deep as a sum is long, which is bounded here. */
static PetscErrorCode gather(const RungRegroup *g, RungScalar s, int sign, PetscInt *n, PetscInt *room,
                             RungSummand **term)
{
  const RungScalarNode *node = &g->from->node[s];

  PetscFunctionBegin;
  if (node->op == RUNG_OP_NEG && g->inner[s]) {
    const RungScalar below = node->arg[0];

    if (g->inner[below]) {
      PetscCall(gather(g, below, -sign, n, room, term));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    s    = below;
    sign = -sign;
  } else if (node->op == RUNG_OP_ADD && (g->inner[s] || !*n)) {
    for (int a = 0; a < 2; ++a) {
      const RungScalar below = node->arg[a];

      if (g->inner[below])
        PetscCall(gather(g, below, sign, n, room, term));
      else {
        PetscCall(make_room(*n, room, sizeof **term, term));
        (*term)[(*n)++] = (RungSummand){sign * g->value[below].sign, g->value[below].product};
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(make_room(*n, room, sizeof **term, term));
  (*term)[(*n)++] = (RungSummand){sign * g->value[s].sign, g->value[s].product};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_node(RungRegroup *g, RungScalar s, PetscInt *room, RungSummand **term)
{
  const RungScalarNode *node = &g->from->node[s];
  RungSummand          *v    = &g->value[s];
  PetscInt              n    = 0, atom;

  PetscFunctionBegin;
  *v = (RungSummand){1, -1};
  if (g->inner[s]) PetscFunctionReturn(PETSC_SUCCESS);
  if (node->op == RUNG_OP_NEG) {
    *v = (RungSummand){-g->value[node->arg[0]].sign, g->value[node->arg[0]].product};
  } else if (node->op == RUNG_OP_MUL && node->rate > RUNG_RATE_UNIFORM) {
    v->sign = g->value[node->arg[0]].sign * g->value[node->arg[1]].sign;
    PetscCall(join_products(g, g->value[node->arg[0]].product, g->value[node->arg[1]].product, &v->product));
  } else if (node->op == RUNG_OP_ADD && node->rate > RUNG_RATE_UNIFORM) {
    PetscCall(gather(g, s, 1, &n, room, term));
    PetscCall(factor_sum(g, n, *term, v));
  } else if (s == g->from->one) {
    PetscCall(find_product(g, 0, NULL, &v->product));
  } else {
    PetscCall(RungRegroupAtom(g, RUNG_ATOM_LEAF, s, 0, node->rate, &atom));
    PetscCall(single(g, atom, &v->product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRegroupRead(RungRegroup *g, PetscInt roots, const RungScalar root[])
{
  PetscInt               room = 0;
  RUNG_FREE RungSummand *term = NULL;

  PetscFunctionBegin;
  find_inner(g, roots, root);
  for (PetscInt i = 0; i < g->n; ++i) PetscCall(read_node(g, g->node[i], &room, &term));
  PetscFunctionReturn(PETSC_SUCCESS);
}
