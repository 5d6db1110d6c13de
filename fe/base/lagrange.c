/* lagrange.c - the families P and Q: point values, continuous across cells, of any degree.

   Nodes sit on a lattice: barycentric integers a_0 + .. + a_d = k on simplices, 0 <= i, j, l <= k on boxes.  Their
   coordinates are Gauss-Lobatto nodes on every edge; inside a simplex they follow from its facets (Isaac 2020,
   "Recursive, parameter-free, explicitly defined interpolation nodes for simplices"),

       x(a) = sum_i w_i x(a without a_i) / sum_i w_i,     w_i = Gauss-Lobatto node k - a_i of degree k,

   so that the nodes of a shared entity coincide whatever cell they are computed from, and Lebesgue constants stay
   small.

   Order in a cell: vertices, edges, faces, inside.  Inside an entity with vertices v_0, v_1, .. the lattice point
   (b_0, b_1, ..) runs with b_1 fastest, then b_2, b_3.  Cells that share an edge or a face see its vertices in
   different orders; they agree on the order of global vertex numbers, and `turn` maps the cell's place of a node to
   the place in that frame. */
#include <rungown_room.h>
#include "base_impl.h"
#include <petscdt.h>

enum { MAX_DEGREE = 64 };

PetscErrorCode RungGaussLobattoNodes(PetscInt degree, PetscReal t[])
{
  PetscReal *x, *w;

  PetscFunctionBegin;
  t[0]      = 0;
  t[degree] = 1;
  if (degree < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(degree - 1, &x, degree - 1, &w));
  PetscCall(PetscDTGaussJacobiQuadrature(degree - 1, -1, 1, 1, 1, x, w));
  for (PetscInt i = 1; i < degree; ++i) t[i] = (2 + x[i - 1] - x[degree - 1 - i]) / 4;
  PetscCall(PetscFree2(x, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lattices ----------------------------------------------------------------------------------------------- */

/* Lattice points inside an entity. */
static PetscInt inside_count(RungCellType entity, PetscInt k)
{
  switch (entity) {
  case RUNG_POINT: return 1;
  case RUNG_INTERVAL: return k - 1;
  case RUNG_TRIANGLE: return (k - 1) * (k - 2) / 2;
  case RUNG_QUADRILATERAL: return (k - 1) * (k - 1);
  case RUNG_TETRAHEDRON: return (k - 1) * (k - 2) * (k - 3) / 6;
  default: return (k - 1) * (k - 1) * (k - 1);
  }
}

/* The points inside an entity, b[point][3] = steps along v_1 - v_0, v_2 - v_0, v_3 - v_0 (boxes: along the axes). */
static void inside_points(RungCellType entity, PetscInt k, PetscInt b[])
{
  const RungCell *cell  = RungCellGet(entity);
  const PetscInt  lo[3] = {cell->dim > 0, cell->dim > 1, cell->dim > 2};
  const PetscInt  hi[3] = {lo[0] ? k : 1, lo[1] ? k : 1, lo[2] ? k : 1};
  PetscInt        n     = 0;

  for (PetscInt b2 = lo[2]; b2 < hi[2]; ++b2)
    for (PetscInt b1 = lo[1]; b1 < hi[1]; ++b1)
      for (PetscInt b0 = lo[0]; b0 < hi[0]; ++b0) {
        if (cell->simplex && cell->dim > 0 && b0 + b1 + b2 >= k) continue;
        b[n++] = b0;
        b[n++] = b1;
        b[n++] = b2;
      }
}

/* The vertices of entity i of dimension d of a cell, in the order of RungMeshData.cell_entity. */
static void entity_vertices(const RungCell *cell, PetscInt d, PetscInt i, PetscInt vertex[])
{
  for (PetscInt v = 0; v < 8; ++v) {
    if (d == cell->dim)
      vertex[v] = v;
    else if (d == 0)
      vertex[v] = i;
    else if (d == cell->dim - 1)
      vertex[v] = v < 4 ? cell->facet[i][v] : 0;
    else
      vertex[v] = v < 2 ? cell->edge[i][v] : 0;
  }
}

static RungCellType entity_type(const RungCell *cell, PetscInt d)
{
  if (d == 0) return RUNG_POINT;
  if (d == 1) return RUNG_INTERVAL;
  if (d == 2) return cell->simplex ? RUNG_TRIANGLE : RUNG_QUADRILATERAL;
  return cell->simplex ? RUNG_TETRAHEDRON : RUNG_HEXAHEDRON;
}

static PetscInt entity_count(const RungCell *cell, PetscInt d)
{
  if (d == cell->dim) return 1;
  if (d == 0) return cell->vertices;
  return d == cell->dim - 1 ? cell->facets : cell->edges;
}

/* Lattice point of a cell that lies b steps into an entity; vertex: the entity's vertices in the cell. */
static void cell_lattice(const RungCell *cell, PetscInt d, PetscInt k, const PetscInt vertex[], const PetscInt b[],
                         PetscInt lattice[])
{
  for (PetscInt a = 0; a < cell->dim; ++a) {
    lattice[a] = k * (PetscInt)cell->x[vertex[0]][a];
    for (PetscInt s = 0; s < d; ++s) {
      const PetscInt corner = vertex[cell->simplex ? s + 1 : 1 << s];

      lattice[a] += b[s] * ((PetscInt)cell->x[corner][a] - (PetscInt)cell->x[vertex[0]][a]);
    }
  }
  if (!cell->simplex) return;
  for (PetscInt a = cell->dim; a > 0; --a) lattice[a] = lattice[a - 1];
  lattice[0] = k;
  for (PetscInt a = 1; a <= cell->dim; ++a) lattice[0] -= lattice[a];
}

/* ---- orientation -------------------------------------------------------------------------------------------- */

/* Edges: 0 or 1.  Triangles: 3 * rank of v_0 + rank of v_1 among the three.  Quadrilaterals: 2 * vertex with the lowest
   number + 1 if its neighbour on axis 1 comes before that on axis 0. */
PetscInt RungOrientation(RungCellType entity, const PetscInt v[])
{
  PetscInt low = 0;

  switch (entity) {
  case RUNG_INTERVAL: return v[0] > v[1];
  case RUNG_TRIANGLE: return 3 * ((v[0] > v[1]) + (v[0] > v[2])) + (v[1] > v[0]) + (v[1] > v[2]);
  case RUNG_QUADRILATERAL:
    for (PetscInt i = 1; i < 4; ++i)
      if (v[i] < v[low]) low = i;
    return 2 * low + (v[low ^ 2] < v[low ^ 1]);
  default: return 0;
  }
}

PetscInt RungOrientationCount(RungCellType entity)
{
  switch (entity) {
  case RUNG_INTERVAL: return 2;
  case RUNG_TRIANGLE: return 9;
  case RUNG_QUADRILATERAL: return 8;
  default: return 1;
  }
}

/* Steps into the entity in the frame of sorted vertices, from those in the order of the cell. */
static void turn_point(RungCellType entity, PetscInt orientation, PetscInt k, const PetscInt b[], PetscInt c[])
{
  c[0] = b[0];
  c[1] = b[1];
  c[2] = b[2];
  if (entity == RUNG_INTERVAL && orientation) c[0] = k - b[0];
  if (entity == RUNG_TRIANGLE) {
    const PetscInt r0 = orientation / 3, r1 = orientation % 3;
    PetscInt       sorted[3] = {0};

    sorted[r0]          = k - b[0] - b[1];
    sorted[r1]          = b[0];
    sorted[3 - r0 - r1] = b[1];
    c[0]                = sorted[1];
    c[1]                = sorted[2];
  }
  if (entity == RUNG_QUADRILATERAL) {
    const PetscInt low = orientation / 2, swap = orientation % 2;
    const PetscInt i = low & 1 ? k - b[0] : b[0], j = low & 2 ? k - b[1] : b[1];

    c[0] = swap ? j : i;
    c[1] = swap ? i : j;
  }
}

/* turn[orientation][i] for the n points inside an edge or a face. */
static PetscErrorCode make_turns(RungCellType entity, PetscInt k, PetscInt n, PetscInt turn[])
{
  PetscInt *b, *place; /* place[c_0][c_1] of a point in the order of inside_points */

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(3 * n, &b, k * k, &place));
  inside_points(entity, k, b);
  for (PetscInt i = 0; i < n; ++i) place[b[3 * i] * k + b[3 * i + 1]] = i;
  for (PetscInt o = 0; o < RungOrientationCount(entity); ++o) {
    if (entity == RUNG_TRIANGLE && o / 3 == o % 3) continue; /* two vertices never have one rank */
    for (PetscInt i = 0; i < n; ++i) {
      PetscInt c[3];

      turn_point(entity, o, k, &b[3 * i], c);
      turn[o * n + i] = place[c[0] * k + c[1]];
    }
  }
  PetscCall(PetscFree2(b, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- coordinates and basis ---------------------------------------------------------------------------------- */

/* Barycentric coordinates of a lattice point of m + 1 entries; gll[n] are the Gauss-Lobatto nodes of degree n. */
static void simplex_node(PetscInt m, const PetscInt a[], PetscReal *const gll[], PetscReal x[])
{
  PetscInt  k     = 0;
  PetscReal total = 0;

  for (PetscInt i = 0; i <= m; ++i) k += a[i];
  for (PetscInt i = 0; i <= m; ++i) x[i] = m == 0 ? 1 : 0;
  for (PetscInt i = 0; i <= m && m > 0; ++i) {
    const PetscReal w = gll[k][k - a[i]];
    PetscInt        rest[4];
    PetscReal       y[4];

    if (a[i] == k) continue;
    for (PetscInt j = 0, n = 0; j <= m; ++j)
      if (j != i) rest[n++] = a[j];
    simplex_node(m - 1, rest, gll, y);
    for (PetscInt j = 0, n = 0; j <= m; ++j)
      if (j != i) x[j] += w * y[n++];
    total += w;
  }
  for (PetscInt i = 0; i <= m && m > 0; ++i) x[i] /= total;
}

static PetscErrorCode set_nodes(RungElement *e)
{
  const RungCell       *cell = RungCellGet(e->type);
  const PetscInt        k = e->degree, dim = cell->dim;
  PetscReal             x[4];
  RUNG_FREE PetscReal **gll = NULL;
  RUNG_FREE PetscReal  *t   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((k + 1) * (k + 1), &t));
  PetscCall(PetscMalloc1(k + 1, &gll));
  for (PetscInt n = 1; n <= k; ++n) {
    gll[n] = t + n * (k + 1);
    PetscCall(RungGaussLobattoNodes(n, gll[n]));
  }
  for (PetscInt i = 0; i < e->nodes; ++i) {
    const PetscInt *a = &e->lattice[4 * i];

    if (cell->simplex) simplex_node(dim, a, gll, x);
    for (PetscInt b = 0; b < dim; ++b) e->node[i * dim + b] = cell->simplex ? x[b + 1] : gll[k][a[b]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A <- A^-1, row-major, by Gauss-Jordan elimination with row pivoting; false if A is singular. */
static PetscBool invert(PetscInt n, PetscReal A[], PetscInt pivot[])
{
  for (PetscInt c = 0; c < n; ++c) {
    PetscReal scale;

    pivot[c] = c;
    for (PetscInt r = c + 1; r < n; ++r)
      if (PetscAbsReal(A[r * n + c]) > PetscAbsReal(A[pivot[c] * n + c])) pivot[c] = r;
    scale = A[pivot[c] * n + c];
    if (scale == 0) return PETSC_FALSE;
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal a = A[pivot[c] * n + j];

      A[pivot[c] * n + j] = A[c * n + j];
      A[c * n + j]        = (j == c ? 1 : a) / scale;
    }
    for (PetscInt r = 0; r < n; ++r) {
      const PetscReal factor = A[r * n + c];

      if (r == c) continue;
      A[r * n + c] = 0;
      for (PetscInt j = 0; j < n; ++j) A[r * n + j] -= factor * A[c * n + j];
    }
  }
  for (PetscInt c = n - 1; c >= 0; --c) /* rows were swapped on the way in, columns are on the way out */
    for (PetscInt r = 0; r < n && pivot[c] != c; ++r) {
      const PetscReal a = A[r * n + c];

      A[r * n + c]        = A[r * n + pivot[c]];
      A[r * n + pivot[c]] = a;
    }
  return PETSC_TRUE;
}

/* C with V C = 1, V[node][polynomial] = phi_polynomial(x_node).  Out inverse[polynomial][node] */
static PetscErrorCode invert_vandermonde(PetscInt dim, PetscInt k, PetscInt n, const PetscReal x[], PetscReal **inverse)
{
  RUNG_FREE PetscInt *pivot = NULL;
  PetscBool           regular;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, inverse));
  PetscCall(PetscMalloc1(n, &pivot));
  PetscCall(RungPolynomialTabulate(dim, k, n, x, 0, *inverse));
  regular = invert(n, *inverse, pivot);
  PetscCheck(regular, PETSC_COMM_SELF, PETSC_ERR_LIB, "the nodes of degree %" PetscInt_FMT " carry no basis", k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_basis(RungElement *e)
{
  const RungCell      *cell = RungCellGet(e->type);
  RUNG_FREE PetscReal *t    = NULL;

  PetscFunctionBegin;
  if (cell->simplex) {
    const double n = e->nodes;

    PetscCall(
      RungWorkAllow(n * n * n, 2 * n * n, "the basis of degree %" PetscInt_FMT " on a %s", e->degree, cell->name));
    PetscCall(invert_vandermonde(cell->dim, e->degree, e->nodes, e->node, &e->inverse));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(e->degree + 1, &t));
  PetscCall(RungGaussLobattoNodes(e->degree, t));
  PetscCall(invert_vandermonde(1, e->degree, e->degree + 1, t, &e->line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementSetLagrange(RungElement *e)
{
  const RungCell *cell = RungCellGet(e->type);
  const PetscInt  k    = e->degree;
  PetscInt        vertex[8], n = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    e->entity_nodes[d] = inside_count(entity_type(cell, d), k);
    e->entity_start[d] = n;
    n += e->entity_nodes[d] * entity_count(cell, d);
  }
  e->nodes = n;
  PetscCall(PetscMalloc1(n * cell->dim, &e->node));
  PetscCall(PetscCalloc1(n * 4, &e->lattice));
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    const RungCellType  type   = entity_type(cell, d);
    const PetscInt      inside = e->entity_nodes[d];
    RUNG_FREE PetscInt *b      = NULL;

    PetscCall(PetscMalloc1(3 * inside, &b));
    inside_points(type, k, b);
    for (PetscInt i = 0; i < entity_count(cell, d); ++i) {
      entity_vertices(cell, d, i, vertex);
      for (PetscInt j = 0; j < inside; ++j)
        cell_lattice(cell, d, k, vertex, &b[3 * j], &e->lattice[4 * (e->entity_start[d] + i * inside + j)]);
    }
    if (d == 0 || d == cell->dim) continue;
    PetscCall(PetscCalloc1(RungOrientationCount(type) * inside, &e->turn[d]));
    PetscCall(make_turns(type, k, inside, e->turn[d]));
  }
  PetscCall(set_nodes(e));
  PetscCall(set_basis(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the families P and Q ----------------------------------------------------------------------------------- */

PetscErrorCode RungElementCreate_Lagrange(MPI_Comm comm, const char spec[], const char family[], RungElement *e)
{
  const RungCell *cell = RungCellGet(e->type);
  const PetscBool box  = (PetscBool)(family[strlen(family) - 1] == 'Q');

  PetscFunctionBegin;
  if (e->degree == 0) {
    PetscCall(RungElementCreate_Discontinuous(comm, spec, family, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(cell->dim > 0, comm, PETSC_ERR_ARG_INCOMP, "space \"%s\": a mesh of points has only degree 0; use \"P0\"",
             spec);
  PetscCheck(box == !cell->simplex || cell->dim == 1, comm, PETSC_ERR_ARG_INCOMP,
             "space \"%s\": %s is for %s, this mesh has cells of type %s; use \"%s%s%" PetscInt_FMT "\"", spec, family,
             box ? "quadrilaterals and hexahedra" : "intervals, triangles and tetrahedra", cell->name,
             family[0] == 'D' ? "D" : "", box ? "P" : "Q", e->degree);
  PetscCheck(e->degree <= MAX_DEGREE, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "space \"%s\": degree %" PetscInt_FMT " is more than %d", spec, e->degree, MAX_DEGREE);
  e->continuous = PETSC_TRUE;
  PetscCall(RungElementSetLagrange(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
