/* geometry.c - the cells' maps x(X) for a batch of lanes: measures, inverses, normals, maps of derivatives.

   J[c][a] = dx_c/dX_a,  K = J^-1 = dX/dx,  all in lanes.  On a facet with reference normal N the surface factor is
   |det J| |K^T N| and the normal K^T N / |K^T N| (Nanson's formula).  Derivatives of a function phi(X(x)):

     d phi/dx_a        = sum_b  K[b][a] phi_b
     d2 phi/dx_a dx_b  = sum_cd K[c][a] K[d][b] (phi_cd - sum_m (d phi/dx_m) x_m,cd),    0 = d2 x_m / dx_a dx_b

   so map[first a][b] = K[b][a], map[second ab][second cd] = K K, and where the map is not affine
   map[second ab][first e] = - sum_m K[e][m] sum_cd K[c][a] K[d][b] x_m,cd. */
#include "kernel_impl.h"
#include <math.h>
#include <stdlib.h>

#define W     RUNG_PACK
#define LANES RUNG_BATCH

/* ---- sizes of one place ------------------------------------------------------------------------------------------ */

static double determinant(PetscInt n, double J[3][3])
{
  if (n == 0) return 1;
  if (n == 1) return J[0][0];
  if (n == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* Surface factor |cofactor(J) N|: the same as |det J| |J^-T N|, without a division. */
static double surface(PetscInt n, double J[3][3], const PetscReal N[3])
{
  double sum = 0;

  for (PetscInt c = 0; c < n; ++c) {
    double replaced[3][3], component;

    /* sum_a N_a cof(J)_ca: the determinant with row c replaced by N */
    for (PetscInt i = 0; i < n; ++i) {
      for (PetscInt a = 0; a < n; ++a) replaced[i][a] = i == c ? N[a] : J[i][a];
    }
    component = determinant(n, replaced);
    sum += component * component;
  }
  return sqrt(sum);
}

/* Rule and derivatives of the map at its points: of the cell, or of one of its facets. */
static PetscErrorCode size_table(const RungSizes *sizes, PetscInt facet, const RungQuadrature **rule, double **slope)
{
  const RungCell *cell = RungCellGet(sizes->type);
  const PetscInt  k    = sizes->degree;
  /* det J is a polynomial: exact; the surface factor of a facet that is not plane is none */
  const PetscInt volume = cell->simplex ? cell->dim * (k - 1) : cell->dim * k - 1;
  const PetscInt area   = cell->simplex && k == 1 ? 0 : 4 * k;
  PetscReal     *table;

  PetscFunctionBegin;
  if (facet < 0)
    PetscCall(RungQuadratureGet(sizes->type, volume, rule));
  else
    PetscCall(RungQuadratureGetFacet(sizes->type, facet, area, rule));
  PetscCall(PetscMalloc1((1 + cell->dim) * (*rule)->points * sizes->nodes, &table));
  PetscCall(RungCellTabulate(sizes->type, k, (*rule)->points, (*rule)->x, 1, table));
  *slope = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSizesCreate(RungCellType type, PetscInt degree, PetscBool facets, RungSizes *sizes)
{
  const RungCell *cell = RungCellGet(type);

  PetscFunctionBegin;
  PetscCall(PetscMemzero(sizes, sizeof *sizes));
  sizes->type   = type;
  sizes->degree = degree;
  sizes->nodes  = RungCellNodes(type, degree);
  if (!cell->dim) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = -1; f < (facets ? cell->facets : 0); ++f) {
    PetscCall(size_table(sizes, f, &sizes->rule[1 + f], &sizes->slope[1 + f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSizesDestroy(RungSizes *sizes)
{
  PetscFunctionBegin;
  for (int f = 0; f < 7; ++f) PetscCall(PetscFree(sizes->slope[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double facet_measure(const RungSizes *sizes, PetscInt facet, const PetscReal x[])
{
  const RungCell       *cell = RungCellGet(sizes->type);
  const RungQuadrature *rule = sizes->rule[1 + facet];
  double                sum  = 0;

  for (PetscInt q = 0; q < rule->points; ++q) {
    double J[3][3] = {{0}};

    for (PetscInt a = 0; a < cell->dim; ++a) {
      const double *slope = sizes->slope[1 + facet] + ((1 + a) * rule->points + q) * sizes->nodes;

      for (PetscInt i = 0; i < sizes->nodes; ++i) {
        for (PetscInt c = 0; c < cell->dim; ++c) J[c][a] += x[i * cell->dim + c] * slope[i];
      }
    }
    sum += rule->weight[q] * (facet < 0 ? fabs(determinant(cell->dim, J)) : surface(cell->dim, J, cell->normal[facet]));
  }
  return sum;
}

void RungSizesRun(const RungSizes *sizes, PetscInt facet, const PetscReal x[], double size[3])
{
  const RungCell *cell  = RungCellGet(sizes->type);
  const PetscInt  edges = cell->dim == 1 ? 1 : cell->edges, dim = cell->dim;
  double          h2 = 0;

  size[0] = 0;
  size[1] = size[2] = 1;
  if (!cell->dim) return;
  for (PetscInt e = 0; e < edges; ++e) {
    const PetscInt a = cell->dim == 1 ? 0 : cell->edge[e][0], b = cell->dim == 1 ? 1 : cell->edge[e][1];
    double         square = 0;

    for (PetscInt c = 0; c < dim; ++c) square += PetscSqr(x[b * dim + c] - x[a * dim + c]);
    h2 = PetscMax(h2, square);
  }
  size[0] = sqrt(h2);
  size[1] = facet_measure(sizes, -1, x);
  if (facet >= 0) size[2] = facet_measure(sizes, facet, x);
}

/* ---- a batch ----------------------------------------------------------------------------------------------------- */

/* Coefficients of kinds SUM and POINT are weighted point by point, those of cells are not. */
static PetscBool is_weighted(RungPlan plan)
{
  for (PetscInt b = 0; b < plan->blocks; ++b) {
    if (plan->block[b].coefficients[RUNG_PAIR_SUM] || plan->block[b].coefficients[RUNG_PAIR_POINT]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static double *take_doubles(double **next, PetscInt n)
{
  double *taken = *next;

  *next += n;
  return taken;
}

PetscErrorCode RungGeometryCreate(RungPlan plan, PetscInt batches, RungGeometry *geometry)
{
  PetscInt n = 1, frame, point;
  double  *next;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(geometry, sizeof *geometry));
  geometry->gp       = plan->affine ? 1 : plan->points;
  geometry->frame    = geometry->gp * RUNG_BATCH;
  geometry->point    = plan->points * RUNG_BATCH;
  geometry->weighted = is_weighted(plan);
  for (PetscInt s = 1; s < RUNG_MAX_DERIVATIVE; ++s) {
    for (PetscInt r = 1; r < RUNG_MAX_DERIVATIVE; ++r) n += plan->map[s][r] ? 1 : 0;
  }
  frame = batches * geometry->frame;
  point = batches * geometry->point;
  n     = (n + (plan->facets ? plan->dim : 0)) * frame + (1 + (plan->x ? plan->dim : 0)) * point;
  PetscCall(RungAlignedAlloc((size_t)n, &geometry->memory));
  next              = geometry->memory;
  geometry->measure = take_doubles(&next, frame);
  geometry->dV      = take_doubles(&next, point);
  for (PetscInt c = 0; plan->x && c < plan->dim; ++c) geometry->x[c] = take_doubles(&next, point);
  for (PetscInt c = 0; plan->facets && c < plan->dim; ++c) geometry->normal[c] = take_doubles(&next, frame);
  for (PetscInt s = 1; s < RUNG_MAX_DERIVATIVE; ++s) {
    for (PetscInt r = 1; r < RUNG_MAX_DERIVATIVE; ++r) {
      if (!plan->map[s][r]) continue;
      geometry->entry[geometry->maps][0]   = s;
      geometry->entry[geometry->maps++][1] = r;
      geometry->map[s][r]                  = take_doubles(&next, frame);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungGeometryDestroy(RungGeometry *geometry)
{
  free(geometry->memory);
  geometry->memory = NULL;
}

/* One point, one vector of lanes.  Row-major; entries beyond the dimension are not set. */
typedef struct {
  RungPack J[3][3], K[3][3], det;
} Frame;

/* sum_i table[i] x[i][axis] */
RUNG_INLINE RungPack sum_nodes(const RungBasis *map, const double *table, PetscInt dim, PetscInt axis, const double *x)
{
  RungPack sum = {0};

  for (PetscInt i = 0; i < map->nodes; ++i) {
    if (table[i] != 0) sum += table[i] * *(const RungPack *)(x + (i * dim + axis) * LANES);
  }
  return sum;
}

RUNG_INLINE void invert(PetscInt n, Frame *f)
{
  RungPack inverse;

  if (n == 1) {
    f->det     = f->J[0][0];
    f->K[0][0] = 1 / f->det;
  } else if (n == 2) {
    f->det     = f->J[0][0] * f->J[1][1] - f->J[0][1] * f->J[1][0];
    inverse    = 1 / f->det;
    f->K[0][0] = f->J[1][1] * inverse, f->K[0][1] = -f->J[0][1] * inverse;
    f->K[1][0] = -f->J[1][0] * inverse, f->K[1][1] = f->J[0][0] * inverse;
  } else {
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) {
        const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;

        f->K[a][c] = f->J[c1][a1] * f->J[c2][a2] - f->J[c1][a2] * f->J[c2][a1];
      }
    }
    f->det  = f->J[0][0] * f->K[0][0] + f->J[1][0] * f->K[0][1] + f->J[2][0] * f->K[0][2];
    inverse = 1 / f->det;
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) f->K[a][c] *= inverse;
    }
  }
}

RUNG_INLINE void absolute(RungPack *a)
{
  typedef long long Bits __attribute__((vector_size(8 * W)));

  *a = (RungPack)((Bits)*a & 0x7fffffffffffffffll);
}

RUNG_INLINE void root(RungPack *a)
{
  double each[W] __attribute__((aligned(8 * W)));

  *(RungPack *)each = *a;
  for (int l = 0; l < W; ++l) each[l] = sqrt(each[l]); /* one instruction, if the compiler sees an array */
  *a = *(const RungPack *)each;
}

/* Of a vertex 1, of an edge |J t|, t from end to end in the reference cell; the edge's direction J t/|J t|. */
RUNG_INLINE void set_length(RungPlan plan, PetscInt side, const Frame *f, PetscInt at, RungGeometry *geometry)
{
  RungPack square = {0}, along[3] = {{0}, {0}, {0}};

  if (!plan->entity) square += 1;
  for (PetscInt c = 0; c < (plan->entity ? plan->axes : 0); ++c) {
    for (PetscInt a = 0; a < plan->axes; ++a) along[c] += f->J[c][a] * plan->tangent[side][a];
    square += along[c] * along[c];
  }
  root(&square);
  for (PetscInt c = 0; c < (plan->entity ? plan->axes : 0); ++c)
    *(RungPack *)(geometry->normal[c] + at) = along[c] / square;
  *(RungPack *)(geometry->measure + at) = square;
}

/* The facet's normal and surface factor from K and |det J|; N is the normal of the reference cell. */
RUNG_INLINE void set_facet(PetscInt dim, const PetscReal N[], const Frame *f, RungPack *measure, RungPack normal[])
{
  RungPack square = {0};

  for (PetscInt c = 0; c < dim; ++c) {
    normal[c] = f->K[0][c] * N[0];
    for (PetscInt a = 1; a < dim; ++a) normal[c] += f->K[a][c] * N[a];
    square += normal[c] * normal[c];
  }
  root(&square);
  *measure *= square;
  square = 1 / square;
  for (PetscInt c = 0; c < dim; ++c) normal[c] *= square;
}

/* Sets measure and, on facets, the normal, at a place of their arrays. */
RUNG_INLINE void set_measure(PetscInt dim, RungPlan plan, PetscInt side, const Frame *f, PetscInt at,
                             RungGeometry *geometry)
{
  RungPack measure = f->det, normal[3];

  absolute(&measure);
  if (plan->facets) {
    set_facet(dim, RungCellGet(plan->type)->normal[side / plan->turns], f, &measure, normal);
    for (PetscInt c = 0; c < dim; ++c) *(RungPack *)(geometry->normal[c] + at) = normal[c];
  }
  *(RungPack *)(geometry->measure + at) = measure;
}

/* K K of the second derivatives s = (a, b), r = (c, d), a <= b, c <= d */
RUNG_INLINE RungPack second_product(const Frame *f, const int s[2], const int r[2])
{
  RungPack kk = f->K[r[0]][s[0]] * f->K[r[1]][s[1]];

  if (r[0] != r[1]) kk += f->K[r[1]][s[0]] * f->K[r[0]][s[1]];
  return kk;
}

static const int second_axes[4][6][2] = {
  {{0, 0}}, {{0, 0}}, {{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};

/* - sum_m K[e][m] sum_cd K K x_m,cd */
RUNG_INLINE RungPack curvature(RungPlan plan, const Frame *f, PetscInt side, PetscInt q, const int s[2], PetscInt e,
                               const double *x)
{
  const PetscInt n   = plan->axes;
  RungPack       sum = {0};

  for (PetscInt r = 0; r < n * (n + 1) / 2; ++r) {
    const double  *table = RungBasisTable(plan, &plan->geometry, 1 + n + r, side) + q * plan->geometry.nodes;
    const RungPack kk    = second_product(f, s, second_axes[n][r]);

    for (PetscInt m = 0; m < n; ++m) sum -= f->K[e][m] * kk * sum_nodes(&plan->geometry, table, n, m, x);
  }
  return sum;
}

RUNG_INLINE void set_maps(PetscInt n, RungPlan plan, PetscInt side, PetscInt q, const Frame *f, PetscInt at,
                          const double *x, RungGeometry *geometry)
{
  for (PetscInt s = 0; s < n; ++s) {
    for (PetscInt r = 0; r < n; ++r) {
      if (geometry->map[1 + s][1 + r]) *(RungPack *)(geometry->map[1 + s][1 + r] + at) = f->K[r][s];
    }
  }
  for (PetscInt k = 0; k < geometry->maps; ++k) {
    const PetscInt s = geometry->entry[k][0], r = geometry->entry[k][1];
    RungPack      *to = (RungPack *)(geometry->map[s][r] + at);

    if (s <= n) continue;
    if (r > n)
      *to = second_product(f, second_axes[n][s - n - 1], second_axes[n][r - n - 1]);
    else
      *to = curvature(plan, f, side, q, second_axes[n][s - n - 1], r - 1, x);
  }
}

/* J at geometry point g: of an affine cell differences of corners, else sums over the nodes of the map. */
RUNG_INLINE void jacobian(PetscInt n, RungPlan plan, PetscInt side, PetscInt g, const double *x, Frame *f)
{
  for (PetscInt a = 0; a < n; ++a) {
    const double  *table  = RungBasisTable(plan, &plan->geometry, 1 + a, side) + g * plan->geometry.nodes;
    const PetscInt corner = RungCellGet(plan->type)->simplex ? 1 + a : 1 << a;

    for (PetscInt c = 0; c < n; ++c) {
      if (plan->affine)
        f->J[c][a] = *(const RungPack *)(x + (corner * n + c) * LANES) - *(const RungPack *)(x + c * LANES);
      else
        f->J[c][a] = sum_nodes(&plan->geometry, table, n, c, x);
    }
  }
}

/* Cells with one frame and first derivatives alone, which are most, n batches; dim and facets are constants where this is
   called. */
RUNG_INLINE void run_affine(PetscInt dim, PetscBool facets, RungPlan plan, PetscInt side, PetscInt n, const double x[],
                            PetscInt distance, PetscInt at, RungGeometry *geometry)
{
  const RungCell  *cell    = RungCellGet(plan->type);
  const PetscReal *N       = facets ? cell->normal[side / plan->turns] : NULL;
  const PetscBool  simplex = cell->simplex;
  double          *map[3][3], *to[3] = {geometry->normal[0], geometry->normal[1], geometry->normal[2]};

  for (PetscInt s = 0; s < dim; ++s)
    for (PetscInt r = 0; r < dim; ++r) map[s][r] = geometry->map[1 + s][1 + r];
  for (PetscInt k = 0; k < n; ++k, x += distance, at += LANES) {
    for (PetscInt l = 0; l < LANES; l += W) {
      RungPack normal[3];
      Frame    f;

      for (PetscInt a = 0; a < dim; ++a) {
        const double *corner = x + (simplex ? 1 + a : 1 << a) * dim * LANES + l;

        for (PetscInt c = 0; c < dim; ++c)
          f.J[c][a] = *(const RungPack *)(corner + c * LANES) - *(const RungPack *)(x + c * LANES + l);
      }
      invert(dim, &f);
      absolute(&f.det);
      if (facets) set_facet(dim, N, &f, &f.det, normal);
      for (PetscInt c = 0; facets && c < dim; ++c) *(RungPack *)(to[c] + at + l) = normal[c];
      *(RungPack *)(geometry->measure + at + l) = f.det;
      for (PetscInt s = 0; s < dim; ++s) {
        for (PetscInt r = 0; r < dim; ++r) {
          if (map[s][r]) *(RungPack *)(map[s][r] + at + l) = f.K[r][s];
        }
      }
    }
  }
}

static PetscBool has_second(const RungGeometry *geometry, PetscInt n)
{
  for (PetscInt k = 0; k < geometry->maps; ++k) {
    if (geometry->entry[k][0] > n) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Any cells; one batch; dim is a constant where this is called. */
RUNG_INLINE void run_frames(PetscInt dim, RungPlan plan, PetscInt side, const double x[], PetscInt at,
                            RungGeometry *geometry)
{
  for (PetscInt l = 0; l < LANES; l += W) {
    for (PetscInt g = 0; g < geometry->gp; ++g) {
      const PetscInt to = at + g * LANES + l;
      Frame          f;

      jacobian(dim, plan, side, g, x + l, &f);
      invert(dim, &f);
      if (plan->entity >= 0)
        set_length(plan, side, &f, to, geometry);
      else
        set_measure(dim, plan, side, &f, to, geometry);
      set_maps(dim, plan, side, g, &f, to, x + l, geometry);
    }
  }
}

static void run_maps(RungPlan plan, PetscInt side, PetscInt first, PetscInt n, const double x[], PetscInt distance,
                     RungGeometry *geometry)
{
  const PetscInt at = first * geometry->frame;

  const PetscBool facets = plan->facets && !geometry->second ? PETSC_TRUE : PETSC_FALSE;

  if (plan->affine && plan->entity < 0 && plan->axes > 1 && !has_second(geometry, plan->axes)) {
    if (plan->axes == 3 && facets)
      run_affine(3, PETSC_TRUE, plan, side, n, x, distance, at, geometry);
    else if (plan->axes == 3)
      run_affine(3, PETSC_FALSE, plan, side, n, x, distance, at, geometry);
    else if (facets)
      run_affine(2, PETSC_TRUE, plan, side, n, x, distance, at, geometry);
    else
      run_affine(2, PETSC_FALSE, plan, side, n, x, distance, at, geometry);
    return;
  }
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt to = at + k * geometry->frame;

    if (plan->axes == 3)
      run_frames(3, plan, side, x + k * distance, to, geometry);
    else if (plan->axes == 2)
      run_frames(2, plan, side, x + k * distance, to, geometry);
    else
      run_frames(1, plan, side, x + k * distance, to, geometry);
  }
}

static void run_weights(RungPlan plan, PetscInt side, PetscInt k, RungGeometry *geometry)
{
  const double *weight = plan->weight + side * plan->points, *measure = geometry->measure + k * geometry->frame;
  double       *dV = geometry->dV + k * geometry->point;

  for (PetscInt q = 0; q<plan->points; ++q, dV += LANES, measure += geometry->gp> 1 ? LANES : 0) {
    for (PetscInt l = 0; l < LANES; l += W) *(RungPack *)(dV + l) = weight[q] * *(const RungPack *)(measure + l);
  }
}

static void run_places(RungPlan plan, PetscInt side, PetscInt first, PetscInt n, const double x[], PetscInt distance,
                       RungGeometry *geometry)
{
  const double       *table = RungBasisTable(plan, &plan->geometry, 0, side);
  const RungBatchSpan span  = {.n = n, .u = distance, .out = geometry->point};

  for (PetscInt c = 0; c < plan->dim; ++c)
    RungTailEvaluate(plan->points, plan->geometry.nodes, table, plan->dim, span, x + c * LANES,
                     geometry->x[c] + first * geometry->point);
}

void RungGeometryRun(RungPlan plan, PetscInt side, PetscInt first, PetscInt n, const double x[], PetscInt distance,
                     RungGeometry *geometry)
{
  if (plan->axes)
    run_maps(plan, side, first, n, x, distance, geometry);
  else
    for (PetscInt l = 0; l < n * LANES; ++l) geometry->measure[first * LANES + l] = 1;
  for (PetscInt k = 0; geometry->weighted && !geometry->second && k < n; ++k)
    run_weights(plan, side, first + k, geometry);
  if (plan->x && !geometry->second) run_places(plan, side, first, n, x, distance, geometry);
}
