/* locate.c - which cell of this rank has a point, and which is the nearest to it where none has.

   A binary tree of boxes over the cells, split at the median of the longest axis.  A cell's box holds its image: that of
   its nodes, grown where the map is of degree 2, which leaves the box of its nodes by half of its width at most (the
   Lebesgue constant of degree 2 is below 2).

   The inverse map is the minimum of |x - phi(X0 + A s)|^2 over s in an entity of the reference cell, by Gauss and Newton
   with halved steps: the cell itself, where it is Newton's method, and where x is outside every facet, edge and vertex.
   Of all cells that have the point, or are equally near, the one that comes first in the mesh is taken: the answer does
   not depend on how the cells are spread over ranks. */
#include "locate_impl.h"

#define LEAF   4     /* cells                                                    */
#define STACK  128   /* nodes on the way down; the tree is balanced              */
#define INSIDE 1e-9  /* of the reference cell                                    */
#define ROUGH  1e-2  /* the same, before rounding is taken out                   */
#define EQUAL  1e-10 /* two distances, of the distance; a residual, of the width */
#define MOST   64    /* steps of Newton's method                                 */
#define NODES  27    /* of a cell's map, at most                                 */
#define ORDER  10    /* bits of an axis of the curve along which points are visited */

/* ---- the map of a cell ------------------------------------------------------------------------------------------ */

/* basis[node] and slope[node][axis] of the map at X: straight cells written out, they are many */
static PetscErrorCode basis_at(RungLocator l, const PetscReal X[], PetscReal basis[], PetscReal slope[])
{
  const RungMeshData *mesh = l->mesh;
  const RungCell     *cell = l->cell;
  PetscReal           table[4 * NODES];

  PetscFunctionBegin;
  if (mesh->geometry_degree <= 1 && cell->simplex) {
    basis[0] = 1;
    for (PetscInt a = 0; a < cell->dim; ++a) {
      basis[0] -= X[a];
      basis[a + 1] = X[a];
      for (PetscInt i = 0; i <= cell->dim; ++i) slope[i * 3 + a] = i == 0 ? -1 : i == a + 1 ? 1 : 0;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mesh->geometry_degree <= 1) {
    for (PetscInt i = 0; i < cell->vertices; ++i) {
      PetscReal value[3] = {1, 1, 1};

      for (PetscInt a = 0; a < cell->dim; ++a) value[a] = i >> a & 1 ? X[a] : 1 - X[a];
      basis[i] = value[0] * value[1] * value[2];
      for (PetscInt a = 0; a < cell->dim; ++a)
        slope[i * 3 + a] = (i >> a & 1 ? 1 : -1) * value[(a + 1) % 3] * value[(a + 2) % 3];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungElementTabulate(l->map, 1, X, 1, table));
  for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
    basis[i] = table[i];
    for (PetscInt a = 0; a < cell->dim; ++a) slope[i * 3 + a] = table[(1 + a) * mesh->nodes_per_cell + i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = x - phi(X), J[axis][a] = dphi/dX_a; *square = |r|^2 */
static PetscErrorCode residual_at(RungLocator l, PetscInt c, const PetscReal x[], const PetscReal X[], PetscReal r[],
                                  PetscReal J[3][3], PetscReal *square)
{
  const RungMeshData *mesh = l->mesh;
  PetscReal           basis[NODES], slope[NODES * 3];

  PetscFunctionBegin;
  PetscCall(basis_at(l, X, basis, slope));
  *square = 0;
  for (PetscInt k = 0; k < mesh->dim; ++k) {
    r[k] = x[k];
    for (PetscInt a = 0; a < l->cell->dim; ++a) J[k][a] = 0;
    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
      const PetscReal at = mesh->x[mesh->cell_node[c * mesh->nodes_per_cell + i] * mesh->dim + k];

      r[k] -= basis[i] * at;
      for (PetscInt a = 0; a < l->cell->dim; ++a) J[k][a] += slope[i * 3 + a] * at;
    }
    *square += r[k] * r[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the nearest place of an entity ----------------------------------------------------------------------------- */

/* An entity of the reference cell, X = X0 + A s. */
typedef struct {
  PetscInt  dim;
  PetscBool simplex;
  PetscReal X0[3], A[3][3]; /* [axis of the cell][axis of the entity] */
} Entity;

static void make_entity(const RungCell *cell, RungCellType type, const PetscInt vertex[], Entity *e)
{
  const RungCell *own = RungCellGet(type);

  *e = (Entity){.dim = own->dim, .simplex = own->simplex};
  for (PetscInt k = 0; k < cell->dim; ++k) {
    e->X0[k] = cell->x[vertex[0]][k];
    for (PetscInt a = 0; a < PetscMin(own->dim, 3); ++a) /* GCC does not know that */
      e->A[k][a] = cell->x[vertex[own->simplex ? a + 1 : (PetscInt)1 << a]][k] - e->X0[k];
  }
}

static void place_of(const Entity *e, PetscInt dim, const PetscReal s[], PetscReal X[])
{
  for (PetscInt k = 0; k < dim; ++k) {
    X[k] = e->X0[k];
    for (PetscInt a = 0; a < e->dim; ++a) X[k] += e->A[k][a] * s[a];
  }
}

/* ds = (B^T B)^-1 B^T r, B = J A; false where B has not full rank */
static PetscBool newton_step(const Entity *e, PetscInt space, PetscInt dim, PetscReal J[3][3], const PetscReal r[],
                             PetscReal ds[])
{
  PetscReal B[3][3], M[3][4];

  for (PetscInt k = 0; k < space; ++k) {
    for (PetscInt a = 0; a < e->dim; ++a) {
      B[k][a] = 0;
      for (PetscInt b = 0; b < dim; ++b) B[k][a] += J[k][b] * e->A[b][a];
    }
  }
  for (PetscInt a = 0; a < e->dim; ++a) {
    for (PetscInt b = 0; b <= e->dim; ++b) {
      M[a][b] = 0;
      for (PetscInt k = 0; k < space; ++k) M[a][b] += B[k][a] * (b < e->dim ? B[k][b] : r[k]);
    }
  }
  for (PetscInt a = 0; a < e->dim; ++a) { /* positive definite: no pivots needed */
    if (!(M[a][a] > 0)) return PETSC_FALSE;
    for (PetscInt i = a + 1; i < e->dim; ++i)
      for (PetscInt b = e->dim; b >= a; --b) M[i][b] -= M[i][a] / M[a][a] * M[a][b];
  }
  for (PetscInt a = e->dim - 1; a >= 0; --a) {
    ds[a] = M[a][e->dim];
    for (PetscInt b = a + 1; b < e->dim; ++b) ds[a] -= M[a][b] * ds[b];
    ds[a] /= M[a][a];
  }
  return PETSC_TRUE;
}

static PetscBool is_inside(PetscInt dim, PetscBool simplex, PetscReal slack, const PetscReal s[])
{
  PetscReal sum = 0, most = 0;

  for (PetscInt a = 0; a < dim; ++a) {
    if (!(s[a] >= -slack)) return PETSC_FALSE;
    sum += s[a];
    most = PetscMax(most, s[a]);
  }
  return (PetscBool)((simplex ? sum : most) <= 1 + slack);
}

/* From s to a minimum of the distance, or as near to one as rounding and steps allow; *found: it is inside the entity. */
static PetscErrorCode minimise(RungLocator l, PetscInt c, const Entity *e, const PetscReal x[], PetscReal s[],
                               PetscReal X[], PetscReal *distance, PetscBool *found)
{
  const PetscInt dim = l->cell->dim;
  PetscReal      r[3], J[3][3], square, ds[3], next[3], r2[3], J2[3][3], lower, size = 1;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  place_of(e, dim, s, X);
  PetscCall(residual_at(l, c, x, X, r, J, &square));
  for (PetscInt i = 0; i < MOST && e->dim && size > 1e-13; ++i) {
    PetscReal step = 1;

    if (!newton_step(e, l->mesh->dim, dim, J, r, ds)) PetscFunctionReturn(PETSC_SUCCESS);
    size = 0;
    for (PetscInt a = 0; a < e->dim; ++a) size = PetscMax(size, PetscAbsReal(ds[a]));
    if (size > 2) step = 2 / size; /* far outside of the cell the map means nothing */
    for (PetscInt half = 0; half < 8; ++half, step /= 2) {
      for (PetscInt a = 0; a < e->dim; ++a) next[a] = s[a] + step * ds[a];
      place_of(e, dim, next, X);
      PetscCall(residual_at(l, c, x, X, r2, J2, &lower));
      if (lower <= square || size < 1e-8) break;
    }
    if (lower > square && size >= 1e-8) break;
    square = lower;
    PetscCall(PetscArraycpy(s, next, e->dim));
    PetscCall(PetscArraycpy(r, r2, 3));
    PetscCall(PetscArraycpy(&J[0][0], &J2[0][0], 9));
  }
  place_of(e, dim, s, X);
  *distance = PetscSqrtReal(square);
  *found    = is_inside(e->dim, e->simplex, INSIDE, s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void set_centre(const Entity *e, PetscReal s[])
{
  for (PetscInt a = 0; a < e->dim; ++a) s[a] = e->simplex ? 1 / (PetscReal)(e->dim + 1) : 0.5;
}

static PetscReal width_of(const PetscReal box[])
{
  return PetscMax(box[3] - box[0], PetscMax(box[4] - box[1], box[5] - box[2]));
}

/* An affine map of as many axes as space has: X = J^-1 (x - x_0) by cofactors, and once more for what is left of x; false where J has
   no inverse.  Missing axes are those of a unit cell. */
static PetscBool try_affine(RungLocator l, PetscInt c, const PetscReal x[], PetscReal near, PetscReal X[],
                            PetscBool *inside)
{
  const RungMeshData *mesh = l->mesh;
  const PetscInt      dim = mesh->dim, *node = mesh->cell_node + c * mesh->nodes_per_cell;
  const PetscReal    *x0      = mesh->x + node[0] * dim;
  PetscReal           J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, C[3][3], r[3] = {0}, det;

  for (PetscInt k = 0; k < dim; ++k) {
    r[k] = x[k] - x0[k];
    for (PetscInt a = 0; a < dim; ++a)
      J[k][a] = mesh->x[node[l->cell->simplex ? a + 1 : (PetscInt)1 << a] * dim + k] - x0[k];
  }
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < 3; ++k) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;

      C[a][k] = J[k1][a1] * J[k2][a2] - J[k1][a2] * J[k2][a1];
    }
  }
  det = J[0][0] * C[0][0] + J[1][0] * C[0][1] + J[2][0] * C[0][2];
  if (det == 0) return PETSC_FALSE;
  *inside = PETSC_TRUE;
  for (PetscInt a = 0; a < dim; ++a) X[a] = 0;
  for (int again = 0; again < 2 && *inside; ++again) {
    PetscReal dX[3];

    for (int a = 0; a < 3; ++a) dX[a] = (C[a][0] * r[0] + C[a][1] * r[1] + C[a][2] * r[2]) / det;
    for (PetscInt a = 0; a < dim; ++a) X[a] += dX[a];
    for (PetscInt k = 0; k < dim; ++k) {
      for (PetscInt a = 0; a < dim; ++a) r[k] -= J[k][a] * dX[a];
    }
    *inside = is_inside(dim, l->cell->simplex, again ? INSIDE : ROUGH, X);
  }
  if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] <= near * near)) *inside = PETSC_FALSE;
  return PETSC_TRUE;
}

/* Does the cell hold x?  Where its map is not affine Newton's method starts at the centre and then near each vertex. */
static PetscErrorCode try_inside(RungLocator l, PetscInt c, const PetscReal x[], PetscReal X[], PetscBool *inside)
{
  static const PetscInt all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const PetscInt        starts = l->mesh->affine || !l->cell->dim ? 1 : 1 + l->cell->vertices;
  const PetscReal       near   = EQUAL * PetscMax(width_of(l->cell_box + 6 * c), l->cell->dim ? 0 : 1);
  Entity                whole;

  PetscFunctionBegin;
  if (l->mesh->affine && l->mesh->geometry_degree <= 1 && l->cell->dim == l->mesh->dim &&
      try_affine(l, c, x, near, X, inside))
    PetscFunctionReturn(PETSC_SUCCESS);
  make_entity(l->cell, l->mesh->type, all, &whole);
  *inside = PETSC_FALSE;
  for (PetscInt i = 0; i < starts && !*inside; ++i) {
    PetscReal s[3], distance;
    PetscBool found;

    set_centre(&whole, s);
    for (PetscInt a = 0; a < whole.dim && i; ++a) s[a] += 0.9 * (l->cell->x[i - 1][a] - s[a]);
    PetscCall(minimise(l, c, &whole, x, s, X, &distance, &found));
    *inside = (PetscBool)(found && distance <= near);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_entity(RungLocator l, PetscInt c, const Entity *e, const PetscReal x[], PetscReal X[],
                                 PetscReal *distance)
{
  PetscReal s[3], Y[3], d;
  PetscBool found;

  PetscFunctionBegin;
  set_centre(e, s);
  PetscCall(minimise(l, c, e, x, s, Y, &d, &found));
  if (!found || d >= *distance) PetscFunctionReturn(PETSC_SUCCESS);
  *distance = d;
  PetscCall(PetscArraycpy(X, Y, l->cell->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distance of a point that the cell does not hold: of its facets, edges and vertices. */
static PetscErrorCode nearest_of_cell(RungLocator l, PetscInt c, const PetscReal x[], PetscReal X[],
                                      PetscReal *distance)
{
  const RungCell *cell = l->cell;
  Entity          e;

  PetscFunctionBegin;
  *distance = PETSC_INFINITY;
  for (PetscInt i = 0; i < cell->vertices; ++i) {
    make_entity(cell, RUNG_POINT, &i, &e);
    PetscCall(try_entity(l, c, &e, x, X, distance));
  }
  for (PetscInt i = 0; i < (cell->dim > 1 ? cell->facets : 0); ++i) {
    make_entity(cell, cell->facet_type, cell->facet[i], &e);
    PetscCall(try_entity(l, c, &e, x, X, distance));
  }
  for (PetscInt i = 0; i < (cell->dim > 2 ? cell->edges : 0); ++i) {
    make_entity(cell, RUNG_INTERVAL, cell->edge[i], &e);
    PetscCall(try_entity(l, c, &e, x, X, distance));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

PetscReal RungBoxDistance(const PetscReal box[6], PetscInt dim, const PetscReal x[], PetscBool farthest)
{
  PetscReal square = 0;

  for (PetscInt a = 0; a < dim; ++a) {
    const PetscReal low = box[a] - x[a], high = x[a] - box[3 + a];
    const PetscReal d = farthest ? PetscMax(-low, -high) : PetscMax(0, PetscMax(low, high));

    square += d * d;
  }
  return PetscSqrtReal(square);
}

static void join(PetscReal box[], const PetscReal other[])
{
  for (PetscInt a = 0; a < 3; ++a) {
    box[a]     = PetscMin(box[a], other[a]);
    box[3 + a] = PetscMax(box[3 + a], other[3 + a]);
  }
}

static void clear(PetscReal box[])
{
  for (PetscInt a = 0; a < 3; ++a) box[a] = PETSC_MAX_REAL, box[3 + a] = -PETSC_MAX_REAL;
}

/* Grown a little more than what counts as inside. */
static void box_of_cell(const RungMeshData *mesh, PetscInt c, PetscReal box[])
{
  clear(box);
  for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i) {
    const PetscReal *at       = mesh->x + mesh->cell_node[c * mesh->nodes_per_cell + i] * mesh->dim;
    PetscReal        point[6] = {0};

    for (PetscInt a = 0; a < mesh->dim; ++a) point[a] = point[3 + a] = at[a];
    join(box, point);
  }
  {
    const PetscReal width = width_of(box) > 0 ? width_of(box) : 1;

    for (PetscInt a = 0; a < mesh->dim; ++a) {
      const PetscReal grow = 1e-8 * width + (mesh->geometry_degree > 1 ? 0.5 * (box[3 + a] - box[a]) : 0);

      box[a] -= grow;
      box[3 + a] += grow;
    }
  }
}

static PetscReal middle(RungLocator l, PetscInt c, PetscInt axis)
{
  return l->cell_box[6 * c + axis] + l->cell_box[6 * c + 3 + axis];
}

/* order[first .. end) so that those before `at` have no greater middle (Hoare's selection) */
static void select_median(RungLocator l, PetscInt axis, PetscInt first, PetscInt end, PetscInt at)
{
  PetscInt low = first, high = end - 1;

  while (low < high) {
    const PetscReal pivot = middle(l, l->order[(low + high) / 2], axis);
    PetscInt        i = low, j = high;

    while (i <= j) {
      while (middle(l, l->order[i], axis) < pivot) ++i;
      while (middle(l, l->order[j], axis) > pivot) --j;
      if (i <= j) {
        const PetscInt swap = l->order[i];

        l->order[i++] = l->order[j];
        l->order[j--] = swap;
      }
    }
    if (at <= j)
      high = j;
    else if (at >= i)
      low = i;
    else
      return;
  }
}

/* Node over order[first .. end); its sons are made before it returns. */
static PetscInt build(RungLocator l, PetscInt first, PetscInt end)
{
  const PetscInt  n    = l->nodes++;
  RungLocatorNode node = {.first = first, .end = end, .son = {-1, -1}};

  clear(node.box);
  for (PetscInt i = first; i < end; ++i) join(node.box, l->cell_box + 6 * l->order[i]);
  if (end - first > LEAF) {
    PetscInt axis = 0;

    for (PetscInt a = 1; a < 3; ++a)
      if (node.box[3 + a] - node.box[a] > node.box[3 + axis] - node.box[axis]) axis = a;
    select_median(l, axis, first, end, (first + end) / 2);
    node.son[0] = build(l, first, (first + end) / 2);
    node.son[1] = build(l, (first + end) / 2, end);
  }
  l->node[n] = node;
  return n;
}

PetscErrorCode RungMeshGetLocator(RungMesh mesh, RungLocator *locator)
{
  const RungMeshData *data;
  RungLocator         l;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  *locator = mesh->locator;
  if (mesh->locator) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&l));
  mesh->locator = *locator = l;
  l->mesh                  = data;
  l->cell                  = RungCellGet(data->type);
  if (data->geometry_degree > 1) PetscCall(RungElementCreateMap(data->type, data->geometry_degree, &l->map));
  PetscCall(PetscMalloc1(6 * data->cells, &l->cell_box));
  PetscCall(PetscMalloc1(data->cells, &l->order));
  PetscCall(PetscMalloc1(2 * data->cells + 1, &l->node));
  for (PetscInt c = 0; c < data->cells; ++c) {
    l->order[c] = c;
    box_of_cell(data, c, l->cell_box + 6 * c);
  }
  (void)build(l, 0, data->cells);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLocatorDestroy(RungLocator *locator)
{
  PetscFunctionBegin;
  if (!*locator) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungElementDestroy(&(*locator)->map));
  PetscCall(PetscFree((*locator)->cell_box));
  PetscCall(PetscFree((*locator)->order));
  PetscCall(PetscFree((*locator)->node));
  PetscCall(PetscFree(*locator));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Nearer by more than rounding, or as near and before it in the mesh. */
PetscBool RungSpotIsBetter(const RungSpot *a, const RungSpot *b)
{
  const PetscReal equal = EQUAL * PetscMin(a->distance, b->distance);

  if (b->number < 0 || a->number < 0) return (PetscBool)(a->number >= 0);
  if (a->distance < b->distance - equal) return PETSC_TRUE;
  return (PetscBool)(a->distance <= b->distance + equal && a->number < b->number);
}

/* May a cell or cells in the box have the point? */
static PetscBool may_have(const PetscReal box[6], PetscInt dim, const PetscReal x[])
{
  for (PetscInt a = 0; a < dim; ++a)
    if (x[a] < box[a] || x[a] > box[3 + a]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* The first cell in the mesh that has the point: no other one is asked. */
static PetscErrorCode find_inside(RungLocator l, const PetscReal x[], RungSpot *best)
{
  const PetscInt dim = l->mesh->dim;
  PetscInt       stack[STACK], n = 0;

  PetscFunctionBegin;
  if (l->mesh->cells) stack[n++] = 0;
  while (n) {
    const RungLocatorNode *node = &l->node[stack[--n]];

    if (!may_have(node->box, dim, x)) continue;
    if (node->son[0] >= 0) {
      stack[n++] = node->son[1];
      stack[n++] = node->son[0];
      continue;
    }
    for (PetscInt i = node->first; i < node->end; ++i) {
      const PetscInt c    = l->order[i];
      RungSpot       spot = {.cell = c, .number = l->mesh->cell_number[c]};
      PetscBool      inside;

      if (!may_have(l->cell_box + 6 * c, dim, x) || (best->number >= 0 && best->number < spot.number)) continue;
      PetscCall(try_inside(l, c, x, spot.X, &inside));
      if (inside) *best = spot;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_nearest(RungLocator l, const PetscReal x[], RungSpot *best)
{
  const PetscInt dim = l->mesh->dim;
  PetscInt       stack[STACK], n = 0;

  PetscFunctionBegin;
  if (l->mesh->cells) stack[n++] = 0;
  while (n) {
    const RungLocatorNode *node = &l->node[stack[--n]];

    if (RungBoxDistance(node->box, dim, x, PETSC_FALSE) > best->distance * (1 + 2 * EQUAL)) continue;
    for (PetscInt i = node->first; i < node->end && node->son[0] < 0; ++i) {
      const PetscInt c    = l->order[i];
      RungSpot       spot = {.cell = c, .number = l->mesh->cell_number[c]};

      if (RungBoxDistance(l->cell_box + 6 * c, dim, x, PETSC_FALSE) > best->distance * (1 + 2 * EQUAL)) continue;
      PetscCall(nearest_of_cell(l, c, x, spot.X, &spot.distance));
      if (RungSpotIsBetter(&spot, best)) *best = spot;
    }
    if (node->son[0] >= 0) { /* the nearer son is visited first */
      const PetscReal d0 = RungBoxDistance(l->node[node->son[0]].box, dim, x, PETSC_FALSE),
                      d1 = RungBoxDistance(l->node[node->son[1]].box, dim, x, PETSC_FALSE);

      stack[n++] = node->son[d0 <= d1 ? 1 : 0];
      stack[n++] = node->son[d0 <= d1 ? 0 : 1];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three axes of ORDER bits each, the bits of all axes in turn: points that are near each other have mostly numbers near each other. */
static PetscInt number_along_curve(const PetscReal box[6], PetscInt dim, const PetscReal x[])
{
  PetscInt number = 0;

  for (PetscInt a = 0; a < dim; ++a) {
    const PetscReal width = box[3 + a] - box[a], part = width > 0 ? (x[a] - box[a]) / width : 0;
    const PetscInt  cell = (PetscInt)(PetscMin(PetscMax(part, 0), 1) * ((1 << ORDER) - 1));

    for (PetscInt bit = 0; bit < ORDER; ++bit) number |= (cell >> bit & 1) << (bit * dim + a);
  }
  return number;
}

PetscErrorCode RungLocatorFind(RungLocator l, PetscInt n, const PetscReal x[], PetscBool nearest, RungSpot spot[])
{
  const PetscInt dim = l->mesh->dim;
  PetscInt      *point, *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &point, n, &number));
  for (PetscInt i = 0; i < n; ++i) {
    point[i]  = i;
    number[i] = l->mesh->cells ? number_along_curve(l->node[0].box, dim, x + dim * i) : 0;
  }
  PetscCall(PetscSortIntWithArray(n, number, point));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt i = point[k];

    spot[i] = (RungSpot){.number = -1, .cell = -1, .distance = nearest ? PETSC_MAX_REAL : 0};
    if (nearest)
      PetscCall(find_nearest(l, x + dim * i, &spot[i]));
    else
      PetscCall(find_inside(l, x + dim * i, &spot[i]));
  }
  PetscCall(PetscFree2(point, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
