/* quadrature.c - the rule for a cell and a degree, and its facets.

   Boxes take Gauss-Legendre rules on each axis.  Simplices take the compact symmetric rules of quadrature.def while
   these last, then Gauss-Jacobi rules on the cube that collapses into the simplex,

       x_0 = t_0,  x_1 = t_1 (1 - t_0),  x_2 = t_2 (1 - t_0)(1 - t_1),   |dx/dt| = (1 - t_0)^(d-1) (1 - t_1)^(d-2) ..

   with the Jacobian as the weight of Jacobi.  Rules are made once and kept until PETSc is finalized. */
#include "fe_space_impl.h"
#include <petscdt.h>

/* A row of quadrature.def. */
typedef enum { ORBIT_S3, ORBIT_S21, ORBIT_S111, ORBIT_S4, ORBIT_S31, ORBIT_S22, ORBIT_S211 } OrbitKind;
typedef struct {
  RungCellType type;
  PetscInt     degree;
  OrbitKind    kind;
  PetscReal    weight, a, b;
} Orbit;

static const Orbit orbits[] = {
#define ORBIT(type, degree, kind, weight, a, b) {RUNG_##type, degree, ORBIT_##kind, weight, a, b},
#include "quadrature.def"
#undef ORBIT
};
enum { ORBITS = sizeof orbits / sizeof orbits[0] };

/* Rules that exist: facet -1 is the cell itself, facet f as turn t of it sees it 8 t + f. */
typedef struct Kept {
  RungCellType   type;
  PetscInt       facet, degree;
  RungQuadrature rule;
  PetscReal     *x, *weight; /* owned */
  struct Kept   *next;
} Kept;
static Kept *kept;

static PetscErrorCode forget_rules(void)
{
  PetscFunctionBegin;
  while (kept) {
    Kept *next = kept->next;

    PetscCall(PetscFree2(kept->x, kept->weight));
    PetscCall(PetscFree(kept));
    kept = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungQuadrature *find_rule(RungCellType type, PetscInt facet, PetscInt degree)
{
  for (const Kept *k = kept; k; k = k->next)
    if (k->type == type && k->facet == facet && k->degree == degree) return &k->rule;
  return NULL;
}

/* A new rule in front of the list, its arrays to be filled. */
static PetscErrorCode keep_rule(RungCellType type, PetscInt facet, PetscInt degree, PetscInt points, PetscInt exact,
                                Kept **rule)
{
  const PetscInt dim = RungCellGet(type)->dim;
  Kept          *k;

  PetscFunctionBegin;
  if (!kept) PetscCall(PetscRegisterFinalize(forget_rules));
  PetscCall(PetscNew(&k));
  PetscCall(PetscCalloc2(points * PetscMax(dim, 1), &k->x, points, &k->weight));
  k->type   = type;
  k->facet  = facet;
  k->degree = degree;
  k->rule   = (RungQuadrature){.points = points, .degree = exact, .x = k->x, .weight = k->weight};
  k->next   = kept;
  kept      = k;
  *rule     = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGaussJacobi(PetscInt n, PetscInt alpha, PetscReal t[], PetscReal weight[])
{
  PetscFunctionBegin;
  PetscCall(PetscDTGaussJacobiQuadrature(n, -1, 1, (PetscReal)alpha, 0, t, weight));
  for (PetscInt i = 0; i < n; ++i) {
    t[i] = (1 + t[i]) / 2;
    weight[i] /= (PetscReal)((PetscInt64)1 << (alpha + 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The barycentric point of an orbit and, for each coordinate, which others equal it (same label). */
static void orbit_point(const Orbit *o, PetscReal value[], int label[])
{
  const PetscReal a = o->a, b = o->b;

  switch (o->kind) {
  case ORBIT_S3: value[0] = 1. / 3, label[0] = label[1] = label[2] = 0; break;
  case ORBIT_S21: value[0] = a, value[1] = 1 - 2 * a, label[0] = label[1] = 0, label[2] = 1; break;
  case ORBIT_S111: value[0] = a, value[1] = b, value[2] = 1 - a - b, label[0] = 0, label[1] = 1, label[2] = 2; break;
  case ORBIT_S4: value[0] = 1. / 4, label[0] = label[1] = label[2] = label[3] = 0; break;
  case ORBIT_S31: value[0] = a, value[1] = 1 - 3 * a, label[0] = label[1] = label[2] = 0, label[3] = 1; break;
  case ORBIT_S22: value[0] = a, value[1] = 0.5 - a, label[0] = label[1] = 0, label[2] = label[3] = 1; break;
  case ORBIT_S211:
    value[0] = a, value[1] = b, value[2] = 1 - 2 * a - b;
    label[0] = label[1] = 0, label[2] = 1, label[3] = 2;
    break;
  }
}

static void swap_labels(int label[], int i, int j)
{
  const int l = label[i];

  label[i] = label[j];
  label[j] = l;
}

/* The next arrangement of n labels in lexicographic order; false after the last. */
static PetscBool next_arrangement(int n, int label[])
{
  int i = n - 2, j = n - 1;

  while (i >= 0 && label[i] >= label[i + 1]) --i;
  if (i < 0) return PETSC_FALSE;
  while (label[j] <= label[i]) --j;
  swap_labels(label, i, j);
  for (int k = i + 1, l = n - 1; k < l; ++k, --l) swap_labels(label, k, l);
  return PETSC_TRUE;
}

/* Points of an orbit from *n on; x NULL only counts.  Coordinate 0 of the barycentric ones belongs to the origin. */
static void expand_orbit(const Orbit *o, PetscReal size, PetscInt *n, PetscReal x[], PetscReal weight[])
{
  const PetscInt dim      = RungCellGet(o->type)->dim;
  PetscReal      value[4] = {0};
  int            label[4] = {0};

  orbit_point(o, value, label);
  do {
    if (x) {
      for (PetscInt a = 0; a < dim; ++a) x[*n * dim + a] = value[label[a + 1]];
      weight[*n] = o->weight * size;
    }
    ++*n;
  } while (next_arrangement((int)dim + 1, label));
}

/* The compact rule of a simplex that is exact to `degree`; *rule stays NULL if the table ends before. */
static PetscErrorCode make_compact(RungCellType type, PetscInt degree, Kept **rule)
{
  int      first = 0, last;
  PetscInt n     = 0;

  PetscFunctionBegin;
  while (first < ORBITS && (orbits[first].type != type || orbits[first].degree < degree)) ++first;
  if (first == ORBITS) PetscFunctionReturn(PETSC_SUCCESS);
  for (last = first; last < ORBITS && orbits[last].type == type && orbits[last].degree == orbits[first].degree; ++last)
    expand_orbit(&orbits[last], 1, &n, NULL, NULL);
  PetscCall(keep_rule(type, -1, degree, n, orbits[first].degree, rule));
  n = 0;
  for (int i = first; i < last; ++i) expand_orbit(&orbits[i], RungCellGet(type)->size, &n, (*rule)->x, (*rule)->weight);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gauss points on each axis of a cube of this dimension, collapsed into the simplex if wanted. */
static PetscErrorCode make_product(RungCellType type, PetscInt degree, PetscBool collapse, Kept **rule)
{
  const PetscInt dim = RungCellGet(type)->dim, m = degree / 2 + 1;
  PetscInt       n = 1;
  PetscReal     *t, *w; /* [axis][i] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * m, &t, 3 * m, &w));
  for (PetscInt a = 0; a < dim; ++a, n *= m)
    PetscCall(RungGaussJacobi(m, collapse ? dim - 1 - a : 0, t + a * m, w + a * m));
  PetscCall(keep_rule(type, -1, degree, n, 2 * m - 1, rule));
  for (PetscInt p = 0; p < n; ++p) {
    PetscReal left = 1, weight = 1;

    for (PetscInt a = 0, q = p; a < dim; ++a, q /= m) {
      (*rule)->x[p * dim + a] = left * t[a * m + q % m];
      weight *= w[a * m + q % m];
      if (collapse) left *= 1 - t[a * m + q % m];
    }
    (*rule)->weight[p] = weight;
  }
  PetscCall(PetscFree2(t, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuadratureGet(RungCellType type, PetscInt degree, const RungQuadrature **rule)
{
  const RungCell *cell = RungCellGet(type);
  Kept           *made = NULL;

  PetscFunctionBegin;
  PetscCheck(degree >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "a quadrature rule of degree %" PetscInt_FMT " was asked for; wanted 0 or more", degree);
  *rule = find_rule(type, -1, degree);
  if (*rule) PetscFunctionReturn(PETSC_SUCCESS);
  if (cell->dim > 1 && cell->simplex) PetscCall(make_compact(type, degree, &made));
  if (!made) PetscCall(make_product(type, degree, (PetscBool)(cell->dim > 1 && cell->simplex), &made));
  *rule = &made->rule;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_facet(RungCellType type, PetscInt facet, PetscInt turn, PetscInt degree,
                                 const RungQuadrature **rule)
{
  const RungCell       *cell = RungCellGet(type);
  const PetscInt       *to   = RungFacetTurn(cell->facet_type, turn);
  const RungQuadrature *flat;
  Kept                 *made;

  PetscFunctionBegin;
  PetscCall(RungQuadratureGet(cell->facet_type, degree, &flat));
  PetscCall(keep_rule(type, 8 * turn + facet, degree, flat->points, flat->degree, &made));
  for (PetscInt p = 0; p < flat->points; ++p) {
    const PetscInt  *v    = cell->facet[facet];
    const PetscReal *zero = cell->x[v[to[0]]];

    made->weight[p] = flat->weight[p] * cell->facet_size[facet];
    for (PetscInt b = 0; b < cell->dim; ++b) {
      PetscReal *x = &made->x[p * cell->dim + b];

      *x = zero[b];
      for (PetscInt a = 0; a < cell->dim - 1; ++a)
        *x += flat->x[p * (cell->dim - 1) + a] * (cell->x[v[to[a + 1]]][b] - zero[b]);
    }
  }
  *rule = &made->rule;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuadratureGetFacetTurned(RungCellType type, PetscInt facet, PetscInt turn, PetscInt degree,
                                            const RungQuadrature **rule)
{
  const RungCell *cell = RungCellGet(type);

  PetscFunctionBegin;
  PetscCheck(facet >= 0 && facet < cell->facets, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "facet %" PetscInt_FMT " of a %s was asked for; it has %" PetscInt_FMT " facets", facet, cell->name,
             cell->facets);
  PetscCheck(turn >= 0 && turn < RungFacetTurns(cell->facet_type), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "turn %" PetscInt_FMT " of a facet of a %s was asked for; it has %" PetscInt_FMT " turns", turn,
             cell->name, RungFacetTurns(cell->facet_type));
  *rule = find_rule(type, 8 * turn + facet, degree);
  if (!*rule) PetscCall(make_facet(type, facet, turn, degree, rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuadratureGetFacet(RungCellType type, PetscInt facet, PetscInt degree, const RungQuadrature **rule)
{
  PetscFunctionBegin;
  PetscCall(RungQuadratureGetFacetTurned(type, facet, 0, degree, rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}
