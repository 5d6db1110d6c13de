/* quadrature.c - the rule for a cell and a degree, and its facets.

   Boxes take Gauss-Legendre rules on each axis.  Simplices take the symmetric rules with the fewest points known
   that PETSc has (Witherden and Vincent 2015; Jaskowiec and Sukumar 2021), of degree 20 at most, above it Gauss-Jacobi
   rules on the cube that collapses into the simplex,

       x_0 = t_0,  x_1 = t_1 (1 - t_0),  x_2 = t_2 (1 - t_0)(1 - t_1),   |dx/dt| = (1 - t_0)^(d-1) (1 - t_1)^(d-2) ..

   with the Jacobian as the weight of Jacobi.  Rules of nodes are Gauss and Lobatto's on each axis, those of simplices have their
   vertices.  Rules are made once and kept until PETSc is finalized. */
#include "base_impl.h"
#include "rungnodes_room.h"
#include <petscdt.h>

#define SYMMETRIC 20 /* the last degree of PETSc's symmetric rules */

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

/* The symmetric rule of a triangle or tetrahedron with the fewest points known: PETSc's tables, on [-1, 1]. */
static PetscErrorCode make_symmetric(RungCellType type, PetscInt degree, Kept **rule)
{
  /* that of triangles of degree 16 has points on the edges, where 1 / x[0] has no value */
  const PetscInt   dim = RungCellGet(type)->dim, exact = dim == 2 && degree == 16 ? 17 : degree;
  PetscInt         n;
  const PetscReal *x, *weight;
  PetscQuadrature  table;

  PetscFunctionBegin;
  PetscCall(PetscDTSimplexQuadrature(dim, exact, PETSCDTSIMPLEXQUAD_MINSYM, &table));
  PetscCall(PetscQuadratureGetData(table, NULL, NULL, &n, &x, &weight));
  PetscCall(keep_rule(type, -1, degree, n, exact, rule));
  for (PetscInt i = 0; i < n * dim; ++i) (*rule)->x[i] = (1 + x[i]) / 2;
  for (PetscInt p = 0; p < n; ++p) (*rule)->weight[p] = weight[p] / (PetscReal)((PetscInt)1 << dim);
  PetscCall(PetscQuadratureDestroy(&table));
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

PetscBool RungQuadratureHasNodes(RungCellType type, PetscInt p)
{
  const RungCell *cell = RungCellGet(type);

  return p >= 1 && p <= RUNG_QUADRATURE_MOST / 2 && (p == 1 || cell->dim < 2 || !cell->simplex) ? PETSC_TRUE
                                                                                                : PETSC_FALSE;
}

/* Gauss and Lobatto's points, those of the elements bit for bit, on each axis of a box. */
static PetscErrorCode make_lobatto(RungCellType type, PetscInt p, Kept **rule)
{
  const PetscInt dim = RungCellGet(type)->dim, m = p + 1;
  PetscInt       n = 1;
  PetscReal     *t, *x, *w;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(m, &t, m, &x, m, &w));
  PetscCall(RungGaussLobattoNodes(p, t));
  PetscCall(PetscDTGaussLobattoLegendreQuadrature(m, PETSCGAUSSLOBATTOLEGENDRE_VIA_LINEAR_ALGEBRA, x, w));
  for (PetscInt a = 0; a < dim; ++a) n *= m;
  PetscCall(keep_rule(type, -1, RUNG_QUADRATURE_NODES + p, n, 2 * p - 1, rule));
  for (PetscInt q = 0; q < n; ++q) {
    (*rule)->weight[q] = 1;
    for (PetscInt a = 0, left = q; a < dim; ++a, left /= m) {
      (*rule)->x[q * dim + a] = t[left % m];
      (*rule)->weight[q] *= (w[left % m] + w[p - left % m]) / 4;
    }
  }
  PetscCall(PetscFree3(t, x, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_vertices(RungCellType type, Kept **rule)
{
  const RungCell *cell = RungCellGet(type);

  PetscFunctionBegin;
  PetscCall(keep_rule(type, -1, RUNG_QUADRATURE_NODES + 1, cell->vertices, 1, rule));
  for (PetscInt v = 0; v < cell->vertices; ++v) {
    (*rule)->weight[v] = cell->size / (PetscReal)cell->vertices;
    for (PetscInt a = 0; a < cell->dim; ++a) (*rule)->x[v * cell->dim + a] = cell->x[v][a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuadratureGet(RungCellType type, PetscInt degree, const RungQuadrature **rule)
{
  const RungCell *cell = RungCellGet(type);
  Kept           *made = NULL;
  const PetscInt  p    = degree - RUNG_QUADRATURE_NODES;

  PetscFunctionBegin;
  PetscCheck((degree >= 0 && degree <= RUNG_QUADRATURE_MOST) || RungQuadratureHasNodes(type, p), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "a quadrature rule of degree %" PetscInt_FMT " was asked for; wanted 0 to %d",
             degree, RUNG_QUADRATURE_MOST);
  *rule = find_rule(type, -1, degree);
  if (*rule) PetscFunctionReturn(PETSC_SUCCESS);
  if (p > 0 && cell->dim > 1 && cell->simplex)
    PetscCall(make_vertices(type, &made));
  else if (p > 0)
    PetscCall(make_lobatto(type, p, &made));
  else if (cell->dim > 1 && cell->simplex && degree <= SYMMETRIC)
    PetscCall(make_symmetric(type, degree, &made));
  else
    PetscCall(make_product(type, degree, (PetscBool)(cell->dim > 1 && cell->simplex), &made));
  *rule = &made->rule;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuadratureGetEntity(RungCellType type, PetscInt d, PetscInt entity, PetscInt degree,
                                       const RungQuadrature **rule)
{
  const RungCell       *cell = RungCellGet(type);
  const PetscInt        kind = 64 + 16 * d + entity; /* beyond all turned facets */
  PetscInt              n    = 0, m, stride;
  const PetscInt       *corner;
  const RungQuadrature *line;
  Kept                 *made;

  PetscFunctionBegin;
  if (d >= 0 && d <= PetscMin(1, cell->dim)) PetscCall(RungCellEntities(cell, d, &n, &m, &corner, &stride));
  PetscCheck(entity >= 0 && entity < n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "entity %" PetscInt_FMT " of dimension %" PetscInt_FMT " of a %s was asked for; it has %" PetscInt_FMT,
             entity, d, cell->name, n);
  PetscCall(RungQuadratureGet(d ? RUNG_INTERVAL : RUNG_POINT, degree, &line));
  *rule = find_rule(type, kind, degree);
  if (*rule) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(keep_rule(type, kind, degree, line->points, line->degree, &made));
  for (PetscInt p = 0; p < line->points; ++p) {
    const PetscReal *a = cell->x[corner[entity * stride]], *b = cell->x[corner[entity * stride + d]];

    made->weight[p] = line->weight[p];
    for (PetscInt i = 0; i < cell->dim; ++i) made->x[p * cell->dim + i] = d ? a[i] + line->x[p] * (b[i] - a[i]) : a[i];
  }
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
