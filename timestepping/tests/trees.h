/* trees.h - order conditions of one-step methods by rooted trees: one mechanism for Runge-Kutta methods, additive ones, Rosenbrock and W
   methods.

   A tree is a level sequence, its nodes have colours.  With Phi of a node, a number for each stage, the product of E Phi over its
   children, a method has order p where  sum_i w_i Phi_i(root) = 1/gamma(tree)  for all trees of up to p nodes.  E is a matrix of the edge
   (Hairer, Norsett and Wanner I, 1993, II.2 and II.15; Hairer and Wanner II, 1996, IV.7):

       additive        that of the child's colour; weights are those of the root's colour
       Rosenbrock      alpha + gamma under nodes with one child, alpha under others; one colour
       W methods       two colours: alpha under nodes of f; nodes of the matrix have one child, gamma under them, and trees with such a
                       node have the right side 0 */
#pragma once

#include <math.h>
#include <petscsys.h>
#include <rungmethod.h>

#define TREE_NODES 10

typedef long double TreeRow[RUNG_MAX_STAGES];
typedef enum { TREES_ADDITIVE, TREES_ROSENBROCK, TREES_W } TreeKind;

typedef struct {
  TreeKind kind;
  int      stages, colours;
  TreeRow  edge[2][RUNG_MAX_STAGES]; /* additive: of each colour; Rosenbrock: alpha, alpha + gamma; W: alpha, gamma */
} TreeMethod;

typedef struct {
  int n, level[TREE_NODES], colour[TREE_NODES], children[TREE_NODES];
} Tree;

static inline void tree_first(Tree *tree, int n)
{
  *tree = (Tree){.n = n};
  for (int i = 0; i < n; ++i) tree->level[i] = i + 1;
}

/* Beyer and Hedetniemi 1980 */
static inline PetscBool tree_next(Tree *tree)
{
  int *level = tree->level, p = tree->n - 1, q;

  while (p > 0 && level[p] == 2) --p;
  if (p <= 0 || level[p] < 2) return PETSC_FALSE;
  q = p - 1;
  while (level[q] != level[p] - 1) --q;
  for (int i = p; i < tree->n; ++i) level[i] = level[i - (p - q)];
  return PETSC_TRUE;
}

static inline PetscBool tree_is_child(const Tree *tree, int c, int i)
{
  for (int k = i + 1; k <= c; ++k) {
    if (tree->level[k] <= tree->level[i]) return PETSC_FALSE;
  }
  return c > i && tree->level[c] == tree->level[i] + 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* Colours by the bits of a number, and children; does the method have trees like that? */
static inline PetscBool tree_paint(const TreeMethod *method, Tree *tree, int bits)
{
  PetscBool fits = PETSC_TRUE;

  for (int i = 0; i < tree->n; ++i) {
    tree->colour[i]   = bits >> i & 1;
    tree->children[i] = 0;
    for (int c = i + 1; c < tree->n; ++c) tree->children[i] += tree_is_child(tree, c, i);
    if (method->kind == TREES_W && tree->colour[i] && tree->children[i] != 1) fits = PETSC_FALSE;
  }
  return fits;
}

/* The difference of both sides; more than 1e3 times smaller than the sum of the absolute values, it is rounding of coefficients that are
   doubles, and counts in units of that. */
static inline double tree_defect(const TreeMethod *method, TreeRow weight[], const Tree *tree)
{
  long double phi[2][TREE_NODES][RUNG_MAX_STAGES], gamma = 1, sum[2] = {0, 0}; /* [0]: values, [1]: absolute ones */
  int         size[TREE_NODES], marked = 0;

  for (int i = tree->n - 1; i >= 0; --i) {
    size[i] = 1;
    marked += tree->colour[i];
    for (int j = 0; j < method->stages; ++j) phi[0][i][j] = phi[1][i][j] = 1;
    for (int c = i + 1; c < tree->n; ++c) {
      const int which = method->kind == TREES_ADDITIVE     ? tree->colour[c]
                        : method->kind == TREES_ROSENBROCK ? tree->children[i] == 1
                                                           : tree->colour[i];

      if (!tree_is_child(tree, c, i)) continue;
      size[i] += size[c];
      for (int j = 0; j < method->stages; ++j) {
        long double a[2] = {0, 0};

        for (int k = 0; k <= j; ++k) {
          a[0] += method->edge[which][j][k] * phi[0][c][k];
          a[1] += fabsl(method->edge[which][j][k]) * phi[1][c][k];
        }
        phi[0][i][j] *= a[0];
        phi[1][i][j] *= a[1];
      }
    }
    gamma *= size[i];
  }
  for (int j = 0; j < method->stages; ++j) {
    const long double w = weight[method->kind == TREES_ADDITIVE ? tree->colour[0] : 0][j];

    sum[0] += w * phi[0][0][j];
    sum[1] += fabsl(w) * phi[1][0][j];
  }
  sum[0] -= method->kind == TREES_W && marked ? 0 : 1 / gamma;
  return (double)(fabsl(sum[0]) / fmaxl(1, sum[1] / 1000));
}

/* The largest difference over all trees of n nodes. */
static inline double tree_worst(const TreeMethod *method, TreeRow weight[], int n)
{
  double worst = 0;
  Tree   tree;

  tree_first(&tree, n);
  do {
    for (int bits = 0; bits < (method->colours == 2 ? 1 << n : 1); ++bits)
      if (tree_paint(method, &tree, bits)) worst = fmax(worst, tree_defect(method, weight, &tree));
  } while (tree_next(&tree));
  return worst;
}

#define TREE_DIGITS 1e-12

/* The largest order, up to most, whose conditions hold. */
static inline PetscInt tree_order(const TreeMethod *method, TreeRow weight[], int most)
{
  int p = 0;

  while (p < most && tree_worst(method, weight, p + 1) < TREE_DIGITS) ++p;
  return p;
}
