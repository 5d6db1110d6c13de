/* outer.c - entries of a bilinear form as sums of few outer products.

   The entries between the derivatives of one component of a test and of a trial function are a small matrix.  That of a
   tangent often has a rank: F^-T (x) F^-T and its transpose, n (x) n of a plastic flow, a stream line's direction with itself.
   Derivatives forget it, since they come entry by entry.  It is found again in the signatures of the nodes (scalar_impl.h), which
   are numbers of a field: there ranks, columns and coefficients are computed exactly, whatever the expressions look like.

       V_rs = cell_rs + shared_rs + sum_m  c_m p_m,r q_m,s

   Terms that do not change in a cell, and those that another block has at the same place, are left alone: the first are
   contracted with constant tensors, the second once for all.  The vectors p and q are nodes that the dag has already and
   that no condition keeps out, c_m a node or a product of at most three of them: nothing new is divided by, nothing is
   expanded, so that no digits are lost. */
#include "scalar_impl.h"

#define MOST       RUNG_PRODUCT_MOST_DERIVATIVES /* derivatives of a component: the value and its gradient                 */
#define TERMS      16   /* of an entry, more are not looked at                                    */
#define POOL       160  /* nodes whose products are tried as coefficients                         */
#define MOST_NODES 3000 /* of larger dags the search takes its time                               */

typedef struct {
  RungScalar node;
  int        sign; /* 0: zero */
} Signed;

typedef struct {
  PetscInt n;
  Signed   at[MOST];
} Vector;

typedef struct {
  PetscInt      row, col; /* first slots of the groups */
  PetscInt      nr, ns;
  PetscInt      entry[MOST][MOST]; /* -1: zero */
  RungSignature w[MOST][MOST];
} Block;

typedef struct {
  RungDag             dag;
  const RungIntegral *integral;
  const RungScalar   *value;
  PetscBool          *sure;  /* [node] needed by an entry whatever its conditions say */
  PetscInt           *terms; /* [entry] */
  Signed (*term)[TERMS];     /* [entry] */
  PetscBool (*kept)[TERMS];  /* [entry] of the cell, or shared                     */
  PetscInt      blocks;
  Block        *block;
  PetscInt      vectors, room;
  Vector       *vector;
  PetscInt      pool;
  RungScalar    of_pool[POOL];
  RungSignature inverse[POOL];
} Search;

/* ---- signatures as numbers ------------------------------------------------------------------------------------------ */

static RungSignature minus(RungSignature a, RungSignature b)
{
  return RungSignatureAdd(a, RungSignatureNeg(b));
}

static RungSignature divide_signatures(RungSignature a, RungSignature b)
{
  return RungSignatureMul(a, RungSignatureInverse(b));
}

static RungSignature signed_signature(RungDag dag, Signed s)
{
  if (!s.sign) return RungSignatureNumber(0);
  return s.sign < 0 ? RungSignatureNeg(dag->node[s.node].signature) : dag->node[s.node].signature;
}

/* The node of this value, or of the negative one. */
static PetscBool find_signed(const Search *search, RungSignature value, Signed *s)
{
  *s = (Signed){-1, 0};
  if (RungSignatureIsZero(value)) return PETSC_TRUE;
  *s = (Signed){RungDagFind(search->dag, value), 1};
  if (s->node < 0) *s = (Signed){RungDagFind(search->dag, RungSignatureNeg(value)), -1};
  return s->node >= 0 && search->sure[s->node] ? PETSC_TRUE : PETSC_FALSE;
}

/* 1/n behind "n > 0" may be anything where n is 0: it is no factor of what stands outside. */
static PetscErrorCode find_sure(Search *search)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(search->dag->n, &search->sure));
  for (PetscInt e = 0; e < search->integral->entries; ++e) search->sure[search->value[e]] = PETSC_TRUE;
  for (RungScalar s = search->dag->n - 1; s >= 0; --s) { /* operands come before what they are operands of */
    const RungScalarNode *node = &search->dag->node[s];
    const int             args = node->op == RUNG_OP_IF ? 1 : 3;

    for (int a = 0; a < args && search->sure[s] && !RungDagGetInput(search->dag, s); ++a) {
      if (node->arg[a] >= 0) search->sure[node->arg[a]] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gauss-Jordan on rows x cols numbers (row after row), the last `rest` columns being right-hand sides; returns the rank of the
   others, pivot[i] is the column of row i. */
static PetscInt reduce(PetscInt rows, PetscInt cols, PetscInt rest, RungSignature a[], PetscInt pivot[])
{
  PetscInt rank = 0;

  for (PetscInt c = 0; c < cols - rest && rank < rows; ++c) {
    PetscInt      p = rank;
    RungSignature over;

    while (p < rows && RungSignatureIsZero(a[p * cols + c])) ++p;
    if (p == rows) continue;
    for (PetscInt k = 0; k < cols && p != rank; ++k) {
      const RungSignature swap = a[p * cols + k];

      a[p * cols + k]    = a[rank * cols + k];
      a[rank * cols + k] = swap;
    }
    over = RungSignatureInverse(a[rank * cols + c]);
    for (PetscInt k = 0; k < cols; ++k) a[rank * cols + k] = RungSignatureMul(a[rank * cols + k], over);
    for (PetscInt r = 0; r < rows; ++r) {
      const RungSignature factor = a[r * cols + c];

      if (r == rank || RungSignatureIsZero(factor)) continue;
      for (PetscInt k = 0; k < cols; ++k)
        a[r * cols + k] = minus(a[r * cols + k], RungSignatureMul(factor, a[rank * cols + k]));
    }
    pivot[rank++] = c;
  }
  return rank;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

/* The terms of a sum; PETSC_FALSE: there are too many. */
static PetscBool flatten(RungDag dag, Signed s, PetscInt *n, Signed term[])
{
  const RungScalarNode *node = &dag->node[s.node];

  if (node->op == RUNG_OP_NEG) return flatten(dag, (Signed){node->arg[0], -s.sign}, n, term);
  if (node->op == RUNG_OP_ADD) {
    return flatten(dag, (Signed){node->arg[0], s.sign}, n, term) &&
               flatten(dag, (Signed){node->arg[1], s.sign}, n, term)
             ? PETSC_TRUE
             : PETSC_FALSE;
  }
  if (*n == TERMS) return PETSC_FALSE;
  term[(*n)++] = s;
  return PETSC_TRUE;
}

static PetscBool same_group(const RungSlot *a, const RungSlot *b)
{
  return a->unknown == b->unknown && a->component == b->component && a->side == b->side ? PETSC_TRUE : PETSC_FALSE;
}

/* Number of a slot among those of its group, which follow one another, and the first of them. */
static PetscInt within(const RungSlot slot[], PetscInt i, PetscInt *first)
{
  *first = i;
  while (*first && same_group(&slot[*first - 1], &slot[i])) --*first;
  return i - *first;
}

static PetscErrorCode find_blocks(Search *search)
{
  const RungIntegral *integral = search->integral;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(integral->entries, &search->block));
  for (PetscInt e = 0; e < integral->entries; ++e) {
    PetscInt       row, col, b = 0;
    const PetscInt r = within(integral->row, integral->entry[e].row, &row),
                   s = within(integral->col, integral->entry[e].col, &col);

    if (integral->symmetric && col < row) continue; /* the same nodes */
    while (b < search->blocks && (search->block[b].row != row || search->block[b].col != col)) ++b;
    if (b == search->blocks) {
      Block *block = &search->block[search->blocks++];

      *block = (Block){.row = row, .col = col};
      for (PetscInt i = 0; i < MOST * MOST; ++i) block->entry[i / MOST][i % MOST] = -1;
    }
    if (r >= MOST || s >= MOST) continue;
    search->block[b].entry[r][s] = e;
    search->block[b].nr          = PetscMax(search->block[b].nr, r + 1);
    search->block[b].ns          = PetscMax(search->block[b].ns, s + 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has another block this term at place (r, s)? */
static PetscBool shared(const Search *search, PetscInt b, PetscInt r, PetscInt s, Signed term)
{
  const RungSlot *row = search->integral->row, *col = search->integral->col;

  for (PetscInt o = 0; o < search->blocks; ++o) {
    const Block *other = &search->block[o], *block = &search->block[b];
    PetscInt     e;

    if (o == b || r >= other->nr || s >= other->ns || (e = other->entry[r][s]) < 0) continue;
    if (row[block->row + r].derivative != row[other->row + r].derivative ||
        col[block->col + s].derivative != col[other->col + s].derivative)
      continue;
    for (PetscInt t = 0; t < search->terms[e]; ++t) {
      if (search->term[e][t].node == term.node && search->term[e][t].sign == term.sign) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static void find_kept(Search *search, PetscInt b)
{
  Block *block = &search->block[b];

  for (PetscInt r = 0; r < block->nr; ++r) {
    for (PetscInt s = 0; s < block->ns; ++s) {
      const PetscInt e = block->entry[r][s];

      block->w[r][s] = RungSignatureNumber(0);
      for (PetscInt t = 0; e >= 0 && t < search->terms[e]; ++t) {
        const Signed term = search->term[e][t];

        search->kept[e][t] = search->dag->node[term.node].rate <= RUNG_RATE_CELL || shared(search, b, r, s, term)
                               ? PETSC_TRUE
                               : PETSC_FALSE;
        if (!search->kept[e][t]) block->w[r][s] = RungSignatureAdd(block->w[r][s], signed_signature(search->dag, term));
      }
    }
  }
}

/* ---- vectors -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_vector(Search *search, const Vector *vector, PetscInt *number)
{
  PetscFunctionBegin;
  if (search->vectors == search->room) {
    search->room = PetscMax(16, 2 * search->room);
    PetscCall(PetscRealloc((size_t)search->room * sizeof *search->vector, &search->vector));
  }
  *number                           = search->vectors;
  search->vector[search->vectors++] = *vector;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is v a multiple of these numbers, of which the one at pivot is 1? */
static PetscBool is_along(RungDag dag, const Vector *v, PetscInt n, const RungSignature ratio[], PetscInt pivot)
{
  if (v->n != n || !v->at[pivot].sign) return PETSC_FALSE;
  for (PetscInt r = 0; r < n; ++r) {
    if (!RungSignatureEqual(signed_signature(dag, v->at[r]),
                            RungSignatureMul(ratio[r], signed_signature(dag, v->at[pivot]))))
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Nodes in these ratios: those that were made first, which the others are multiples of. -1: there are none. */
static PetscErrorCode find_vector(Search *search, PetscInt n, const RungSignature ratio[], PetscInt pivot,
                                  PetscInt *number)
{
  Vector     best  = {.n = n};
  RungScalar least = search->dag->n;

  PetscFunctionBegin;
  for (*number = 0; *number < search->vectors; ++*number) {
    if (is_along(search->dag, &search->vector[*number], n, ratio, pivot)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (RungScalar x = 0; x < search->dag->n; ++x) {
    Vector     v    = {.n = n};
    RungScalar last = x;
    PetscBool  all  = search->sure[x] && search->dag->node[x].rate > RUNG_RATE_UNIFORM ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt r = 0; r < n && all; ++r) {
      all  = find_signed(search, RungSignatureMul(ratio[r], search->dag->node[x].signature), &v.at[r]);
      last = PetscMax(last, v.at[r].node);
    }
    if (!all || last >= least) continue;
    least = last;
    best  = v;
  }
  *number = -1;
  if (least < search->dag->n) PetscCall(add_vector(search, &best, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- coefficients --------------------------------------------------------------------------------------------------- */

/* Nodes that the coefficients of entries may be made of: what is below them, the nearest first. */
static PetscErrorCode find_pool(Search *search, const Block *block)
{
  PetscBool *seen;

  PetscFunctionBegin;
  search->pool = 0;
  PetscCall(PetscCalloc1(search->dag->n, &seen));
  for (PetscInt i = 0; i < MOST * MOST; ++i) {
    const PetscInt e = block->entry[i / MOST][i % MOST];

    for (PetscInt t = 0; e >= 0 && t < search->terms[e]; ++t) {
      const RungScalar s = search->term[e][t].node;

      if (!seen[s] && search->sure[s] && search->pool < POOL && !search->kept[e][t] && s != search->dag->zero)
        search->of_pool[search->pool++] = s;
      seen[s] = PETSC_TRUE;
    }
  }
  for (PetscInt i = 0; i < search->pool; ++i) {
    const RungScalarNode *node = &search->dag->node[search->of_pool[i]];

    for (int a = 0; a < 3 && node->arg[a] >= 0 && search->pool < POOL; ++a) {
      if (!seen[node->arg[a]] && search->sure[node->arg[a]] && node->arg[a] != search->dag->zero)
        search->of_pool[search->pool++] = node->arg[a];
      seen[node->arg[a]] = PETSC_TRUE;
    }
  }
  PetscCall(PetscFree(seen));
  for (PetscInt i = 0; i < search->pool; ++i)
    search->inverse[i] = RungSignatureInverse(search->dag->node[search->of_pool[i]].signature);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c as a product of up to three nodes; returns how many, 0: it is none. */
static int resolve(const Search *search, RungSignature c, Signed factor[3])
{
  if (find_signed(search, c, &factor[0])) return 1;
  for (PetscInt i = 0; i < search->pool; ++i) {
    factor[0] = (Signed){search->of_pool[i], 1};
    if (find_signed(search, RungSignatureMul(c, search->inverse[i]), &factor[1])) return 2;
  }
  for (PetscInt i = 0; i < search->pool; ++i) {
    const RungSignature rest = RungSignatureMul(c, search->inverse[i]);

    factor[0] = (Signed){search->of_pool[i], 1};
    for (PetscInt k = i; k < search->pool; ++k) {
      factor[1] = (Signed){search->of_pool[k], 1};
      if (find_signed(search, RungSignatureMul(rest, search->inverse[k]), &factor[2])) return 3;
    }
  }
  return 0;
}

/* ---- decompositions ------------------------------------------------------------------------------------------------- */

#define PRODUCTS 4

typedef struct {
  PetscInt n;
  struct {
    PetscInt p, q; /* vectors */
    int      factors;
    Signed   factor[3];
  } product[PRODUCTS];
} Sum;

static PetscInt rank_of(const Block *block)
{
  RungSignature a[MOST * MOST];
  PetscInt      pivot[MOST];

  for (PetscInt i = 0; i < block->nr * block->ns; ++i) a[i] = block->w[i / block->ns][i % block->ns];
  return reduce(block->nr, block->ns, 0, a, pivot);
}

static PetscErrorCode one_product(Search *search, const Block *block, Sum *sum)
{
  RungSignature ratio[MOST], both;
  PetscInt      r0 = 0, s0 = 0, p, q;

  PetscFunctionBegin;
  sum->n = 0;
  while (RungSignatureIsZero(block->w[r0][s0])) {
    if (++s0 < block->ns) continue;
    s0 = 0;
    ++r0;
  }
  for (PetscInt r = 0; r < block->nr; ++r) ratio[r] = divide_signatures(block->w[r][s0], block->w[r0][s0]);
  PetscCall(find_vector(search, block->nr, ratio, r0, &p));
  if (p < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < block->ns; ++s) ratio[s] = divide_signatures(block->w[r0][s], block->w[r0][s0]);
  PetscCall(find_vector(search, block->ns, ratio, s0, &q));
  if (q < 0) PetscFunctionReturn(PETSC_SUCCESS);
  both                    = RungSignatureMul(signed_signature(search->dag, search->vector[p].at[r0]),
                                             signed_signature(search->dag, search->vector[q].at[s0]));
  sum->product[0].p       = p;
  sum->product[0].q       = q;
  sum->product[0].factors = resolve(search, divide_signatures(block->w[r0][s0], both), sum->product[0].factor);
  sum->n                  = sum->product[0].factors ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The known vectors that lie in the columns (of the transpose: the rows) of a block, up to its rank. */
static PetscInt spanning(const Search *search, const Block *block, PetscBool transpose, PetscInt rank, PetscInt found[])
{
  const PetscInt n = transpose ? block->ns : block->nr, m = transpose ? block->nr : block->ns;
  PetscInt       count = 0, pivot[MOST];

  for (PetscInt v = 0; v < search->vectors && count < rank; ++v) {
    RungSignature a[MOST * (MOST + 1)], b[MOST * MOST];

    if (search->vector[v].n != n) continue;
    for (PetscInt i = 0; i < n; ++i) {
      for (PetscInt k = 0; k < m; ++k) a[i * (m + 1) + k] = transpose ? block->w[k][i] : block->w[i][k];
      a[i * (m + 1) + m] = signed_signature(search->dag, search->vector[v].at[i]);
      for (PetscInt k = 0; k < count; ++k)
        b[i * (count + 1) + k] = signed_signature(search->dag, search->vector[found[k]].at[i]);
      b[i * (count + 1) + count] = a[i * (m + 1) + m];
    }
    if (reduce(n, m + 1, 0, a, pivot) == rank && reduce(n, count + 1, 0, b, pivot) == count + 1) found[count++] = v;
  }
  return count;
}

/* sum over m, n of c_mn p_m q_n for vectors that span columns and rows */
static void several_products(const Search *search, const Block *block, PetscInt rank, Sum *sum)
{
  RungSignature a[MOST * MOST * (MOST + 1)];
  PetscInt      p[MOST], q[MOST], pivot[MOST], unknowns = rank * rank, equations = block->nr * block->ns;

  sum->n = 0;
  if (unknowns > MOST) return;
  if (spanning(search, block, PETSC_FALSE, rank, p) < rank || spanning(search, block, PETSC_TRUE, rank, q) < rank)
    return;
  for (PetscInt i = 0; i < equations; ++i) {
    const PetscInt r = i / block->ns, s = i % block->ns;

    for (PetscInt k = 0; k < unknowns; ++k) {
      a[i * (unknowns + 1) + k] = RungSignatureMul(signed_signature(search->dag, search->vector[p[k / rank]].at[r]),
                                                   signed_signature(search->dag, search->vector[q[k % rank]].at[s]));
    }
    a[i * (unknowns + 1) + unknowns] = block->w[r][s];
  }
  if (reduce(equations, unknowns + 1, 1, a, pivot) < unknowns) return;
  for (PetscInt k = 0; k < unknowns; ++k) {
    const RungSignature c = a[k * (unknowns + 1) + unknowns];

    if (RungSignatureIsZero(c)) continue;
    sum->product[sum->n].p       = p[k / rank];
    sum->product[sum->n].q       = q[k % rank];
    sum->product[sum->n].factors = resolve(search, c, sum->product[sum->n].factor);
    if (!sum->product[sum->n++].factors) {
      sum->n = 0;
      return;
    }
  }
}

/* ---- the new dag ---------------------------------------------------------------------------------------------------- */

/* The roots of what stays, and what products are made of. */
static PetscErrorCode roots(const Search *search, const Sum sum[], const PetscInt block_of[], PetscInt *n,
                            RungScalar **root)
{
  PetscInt room = 0;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt e = 0; e < search->integral->entries; ++e) room += TERMS + 1;
  PetscCall(PetscMalloc1(room + search->vectors * MOST + 3 * PRODUCTS * search->blocks, root));
  for (PetscInt e = 0; e < search->integral->entries; ++e) {
    if (block_of[e] < 0 || !sum[block_of[e]].n) {
      (*root)[(*n)++] = search->value[e];
      continue;
    }
    for (PetscInt t = 0; t < search->terms[e]; ++t) {
      if (search->kept[e][t]) (*root)[(*n)++] = search->term[e][t].node;
    }
  }
  for (PetscInt b = 0; b < search->blocks; ++b) {
    for (PetscInt m = 0; m < sum[b].n; ++m) {
      const PetscInt of[2] = {sum[b].product[m].p, sum[b].product[m].q};

      for (int f = 0; f < sum[b].product[m].factors; ++f) (*root)[(*n)++] = sum[b].product[m].factor[f].node;
      for (int k = 0; k < 2; ++k) {
        for (PetscInt i = 0; i < search->vector[of[k]].n; ++i) {
          if (search->vector[of[k]].at[i].sign) (*root)[(*n)++] = search->vector[of[k]].at[i].node;
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_nodes(RungDag dag, PetscInt n, const RungScalar root[], RungDag to, RungScalar **image)
{
  RungScalar *list;
  PetscInt    count;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, n, root, ~0u, &count, &list));
  PetscCall(PetscMalloc1(dag->n, image));
  for (RungScalar s = 0; s < dag->n; ++s) (*image)[s] = -1;
  for (PetscInt i = 0; i < count; ++i) {
    const RungInput *input  = RungDagGetInput(dag, list[i]);
    RungScalar       arg[3] = {-1, -1, -1};

    for (int a = 0; a < 3 && !input; ++a) {
      if (dag->node[list[i]].arg[a] >= 0) arg[a] = (*image)[dag->node[list[i]].arg[a]];
    }
    (*image)[list[i]] = input ? RungDagInput(to, input) : RungDagOp(to, dag->node[list[i]].op, arg);
  }
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar signed_image(RungDag to, const RungScalar image[], Signed s)
{
  return !s.sign ? to->zero : s.sign < 0 ? RungDagNeg(to, image[s.node]) : image[s.node];
}

static RungScalar make_kept(const Search *search, PetscInt e, RungDag to, const RungScalar image[])
{
  RungScalar value = to->zero;

  for (PetscInt t = 0; t < search->terms[e]; ++t) {
    if (search->kept[e][t]) value = RungDagAdd(to, value, signed_image(to, image, search->term[e][t]));
  }
  return value;
}

/* The products of all blocks, in the new dag. */
static PetscErrorCode make_products(const Search *search, const Sum sum[], RungDag to, const RungScalar image[],
                                    RungDagProducts *products)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(search->blocks * PRODUCTS, &products->product));
  for (PetscInt b = 0; b < search->blocks; ++b) {
    const Block *block = &search->block[b];

    for (PetscInt m = 0; m < sum[b].n; ++m) {
      RungDagProduct *product = &products->product[products->n++];

      *product = (RungDagProduct){.row = block->row, .col = block->col, .nr = block->nr, .ns = block->ns, .c = to->one};
      for (int f = 0; f < sum[b].product[m].factors; ++f)
        product->c = RungDagMul(to, product->c, signed_image(to, image, sum[b].product[m].factor[f]));
      for (PetscInt r = 0; r < block->nr; ++r)
        product->p[r] = signed_image(to, image, search->vector[sum[b].product[m].p].at[r]);
      for (PetscInt s = 0; s < block->ns; ++s)
        product->q[s] = signed_image(to, image, search->vector[sum[b].product[m].q].at[s]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry (r, s) of a block: what is kept of it and its products. */
static RungScalar make_entry(const Block *block, const RungDagProducts *products, RungScalar kept, PetscInt r,
                             PetscInt s, RungDag to)
{
  for (PetscInt m = 0; m < products->n; ++m) {
    const RungDagProduct *it = &products->product[m];

    if (it->row == block->row && it->col == block->col)
      kept = RungDagAdd(to, kept, RungDagMul(to, RungDagMul(to, it->c, it->p[r]), it->q[s]));
  }
  return kept;
}

/* made[value] of a node of the old dag: entries that are one node, as (r, s) and (s, r) of a symmetric form, stay one. */
static PetscErrorCode rewrite(const Search *search, const Sum sum[], const PetscInt block_of[], RungDag to,
                              RungScalar out[], RungDagProducts *products)
{
  RungScalar *root, *image, *made, *kept;
  PetscInt    n;
  PetscBool   whole = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(roots(search, sum, block_of, &n, &root));
  PetscCall(copy_nodes(search->dag, n, root, to, &image));
  PetscCall(make_products(search, sum, to, image, products));
  PetscCall(PetscMalloc1(search->integral->entries, &products->kept));
  PetscCall(PetscMalloc2(search->dag->n, &made, search->dag->n, &kept));
  for (RungScalar s = 0; s < search->dag->n; ++s) made[s] = kept[s] = image[s];
  for (PetscInt b = 0; b < search->blocks; ++b) {
    const Block *block = &search->block[b];

    for (PetscInt i = 0; i < MOST * MOST && sum[b].n; ++i) {
      const PetscInt e = block->entry[i / MOST][i % MOST];

      if (e >= 0 && block_of[e] != b) whole = PETSC_FALSE; /* another block has made it, in its own way */
      if (e < 0 || block_of[e] != b || kept[search->value[e]] != image[search->value[e]]) continue;
      kept[search->value[e]] = make_kept(search, e, to, image);
      made[search->value[e]] = make_entry(block, products, kept[search->value[e]], i / MOST, i % MOST, to);
    }
  }
  for (PetscInt e = 0; e < search->integral->entries; ++e) {
    out[e]            = made[search->value[e]];
    products->kept[e] = kept[search->value[e]];
  }
  if (!whole) products->n = 0;
  PetscCall(PetscFree2(made, kept));
  PetscCall(PetscFree(image));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagProductsDestroy(RungDagProducts *products)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(products->product));
  PetscCall(PetscFree(products->kept));
  products->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- use ------------------------------------------------------------------------------------------------------------ */

/* First the blocks of rank 1, whose vectors the others are sought among. */
static PetscErrorCode decompose(Search *search, Sum sum[], PetscBool *some)
{
  PetscFunctionBegin;
  *some = PETSC_FALSE;
  for (int pass = 0; pass < 2; ++pass) {
    for (PetscInt b = 0; b < search->blocks; ++b) {
      const PetscInt rank = rank_of(&search->block[b]);

      if (!rank || (rank == 1) != (pass == 0)) continue;
      if (PetscMin(search->block[b].nr, search->block[b].ns) < 2) continue;
      PetscCall(find_pool(search, &search->block[b]));
      if (pass)
        several_products(search, &search->block[b], rank, &sum[b]);
      else
        PetscCall(one_product(search, &search->block[b], &sum[b]));
      if (sum[b].n > rank) sum[b].n = 0;
      if (sum[b].n) *some = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that are one node, as (r, s) and (s, r) of a symmetric form, are made once. */
static PetscErrorCode join_entries(const Search *search, PetscInt block_of[])
{
  PetscInt *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(search->dag->n, &first));
  for (RungScalar s = 0; s < search->dag->n; ++s) first[s] = -1;
  for (PetscInt e = 0; e < search->integral->entries; ++e) {
    if (first[search->value[e]] < 0) first[search->value[e]] = block_of[e];
  }
  for (PetscInt e = 0; e < search->integral->entries; ++e) block_of[e] = first[search->value[e]];
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(Search *search, PetscInt block_of[])
{
  const PetscInt entries = search->integral->entries;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(entries, &search->terms, entries, &search->term, entries, &search->kept));
  for (PetscInt e = 0; e < entries; ++e) {
    search->terms[e] = 0;
    block_of[e]      = -1;
    if (flatten(search->dag, (Signed){search->value[e], 1}, &search->terms[e], search->term[e])) continue;
    search->terms[e]   = 1;
    search->term[e][0] = (Signed){search->value[e], 1};
  }
  PetscCall(find_sure(search));
  PetscCall(find_blocks(search));
  for (PetscInt b = 0; b < search->blocks; ++b) {
    find_kept(search, b);
    for (PetscInt i = 0; i < MOST * MOST; ++i) {
      if (search->block[b].entry[i / MOST][i % MOST] >= 0) block_of[search->block[b].entry[i / MOST][i % MOST]] = b;
    }
  }
  PetscCall(join_entries(search, block_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagOuter(RungDag dag, const RungIntegral *integral, const RungScalar value[], RungDag *to,
                            RungScalar out[], RungDagProducts *products)
{
  Search    search = {.dag = dag, .integral = integral, .value = value};
  Sum      *sum;
  PetscInt *block_of;
  PetscBool some;

  PetscFunctionBegin;
  *to       = NULL;
  *products = (RungDagProducts){0};
  if (dag->n > MOST_NODES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(integral->entries, &block_of));
  PetscCall(prepare(&search, block_of));
  PetscCall(PetscCalloc1(search.blocks, &sum));
  PetscCall(decompose(&search, sum, &some));
  if (some) {
    PetscCall(RungDagCreate(dag->scope, to));
    PetscCall(rewrite(&search, sum, block_of, *to, out, products));
    PetscCall(RungDagCheck(*to));
  }
  PetscCall(PetscFree(sum));
  PetscCall(PetscFree(block_of));
  PetscCall(PetscFree(search.sure));
  PetscCall(PetscFree(search.block));
  PetscCall(PetscFree(search.vector));
  PetscCall(PetscFree3(search.terms, search.term, search.kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}
