/* vtk.c - cells as VTK numbers them: linear cells of degree 1, Lagrange cells of any degree above.

   Simplices: corners, edges (0,1) (1,2) (2,0) (0,3) (1,3) (2,3), then the inside of each face as a triangle of degree
   k - 3 in this same order, then the inside as a tetrahedron of degree k - 4.  Boxes: corners around the bottom, around
   the top; edges around the bottom, around the top, upright; faces across x, y, z; inside.  This is the order of files
   of version 2.1 and later (before, two upright edges of hexahedra were swapped). */
#include "output_impl.h"

typedef struct {
  PetscInt  n;
  PetscInt *lattice; /* owned by the caller, [n][4] */
} List;

static void add_point(List *list, const PetscInt a[])
{
  for (int i = 0; i < 4; ++i) list->lattice[4 * list->n + i] = a[i];
  ++list->n;
}

/* base + (k - t) e_v + t e_w, 0 < t < k */
static void add_edge(List *list, PetscInt k, const PetscInt base[], PetscInt v, PetscInt w)
{
  for (PetscInt t = 1; t < k; ++t) {
    PetscInt a[4] = {base[0], base[1], base[2], base[3]};

    a[v] += k - t;
    a[w] += t;
    add_point(list, a);
  }
}

/* The simplex of degree k with m + 1 corners v on the lattice points base + .., its boundary first. */
static void add_simplex(List *list, PetscInt m, const PetscInt v[], PetscInt k, const PetscInt base[])
{
  static const PetscInt edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const PetscInt face[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  PetscInt              inner[4]   = {base[0], base[1], base[2], base[3]};

  if (k == 0) {
    add_point(list, base);
    return;
  }
  for (PetscInt i = 0; i <= m; ++i) {
    PetscInt a[4] = {base[0], base[1], base[2], base[3]};

    a[v[i]] += k;
    add_point(list, a);
    ++inner[v[i]];
  }
  for (PetscInt e = 0; e < m * (m + 1) / 2; ++e) add_edge(list, k, base, v[edge[e][0]], v[edge[e][1]]);
  for (PetscInt f = 0; f < 4 && m == 3 && k > 2; ++f) {
    const PetscInt w[3]  = {v[face[f][0]], v[face[f][1]], v[face[f][2]]};
    PetscInt       on[4] = {base[0], base[1], base[2], base[3]};

    for (int i = 0; i < 3; ++i) ++on[w[i]];
    add_simplex(list, 2, w, k - 3, on);
  }
  if (m > 1 && k > m) add_simplex(list, m, v, k - m - 1, inner);
}

/* All points with lo <= a <= hi, a[0] fastest. */
static void add_range(List *list, PetscInt lo0, PetscInt hi0, PetscInt lo1, PetscInt hi1, PetscInt lo2, PetscInt hi2)
{
  for (PetscInt c = lo2; c <= hi2; ++c)
    for (PetscInt b = lo1; b <= hi1; ++b)
      for (PetscInt a = lo0; a <= hi0; ++a) add_point(list, (PetscInt[4]){a, b, c, 0});
}

static void add_box(List *list, PetscInt dim, PetscInt k)
{
  static const PetscInt corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const PetscInt        top = dim == 3 ? k : 0, i = 1, j = k - 1;

  for (PetscInt c = 0; c <= top; c += k)
    for (int v = 0; v < 4; ++v) add_point(list, (PetscInt[4]){k * corner[v][0], k * corner[v][1], c, 0});
  for (PetscInt c = 0; c <= top; c += k) {
    add_range(list, i, j, 0, 0, c, c);
    add_range(list, k, k, i, j, c, c);
    add_range(list, i, j, k, k, c, c);
    add_range(list, 0, 0, i, j, c, c);
  }
  if (dim == 2) {
    add_range(list, i, j, i, j, 0, 0);
    return;
  }
  for (int v = 0; v < 4; ++v)
    add_range(list, k * corner[v][0], k * corner[v][0], k * corner[v][1], k * corner[v][1], i, j);
  for (PetscInt a = 0; a <= k; a += k) add_range(list, a, a, i, j, i, j);
  for (PetscInt b = 0; b <= k; b += k) add_range(list, i, j, b, b, i, j);
  for (PetscInt c = 0; c <= k; c += k) add_range(list, i, j, i, j, c, c);
  add_range(list, i, j, i, j, i, j);
}

PetscErrorCode RungVtkCell(RungCellType type, PetscInt degree, int *vtk_type, PetscInt *n, PetscInt **lattice)
{
  static const int linear[]   = {[RUNG_POINT] = 1,         [RUNG_INTERVAL] = 3,     [RUNG_TRIANGLE] = 5,
                                 [RUNG_QUADRILATERAL] = 9, [RUNG_TETRAHEDRON] = 10, [RUNG_HEXAHEDRON] = 12};
  static const int lagrange[] = {[RUNG_POINT] = 1,          [RUNG_INTERVAL] = 68,    [RUNG_TRIANGLE] = 69,
                                 [RUNG_QUADRILATERAL] = 70, [RUNG_TETRAHEDRON] = 71, [RUNG_HEXAHEDRON] = 72};
  const RungCell  *cell       = RungCellGet(type);
  const PetscInt   corner[] = {0, 1, 2, 3}, zero[4] = {0};
  List             list = {0};
  PetscInt         room = 1;

  PetscFunctionBegin;
  if (cell->simplex)
    room = RungPolynomialCount(cell->dim, degree);
  else
    for (PetscInt a = 0; a < cell->dim; ++a) room *= degree + 1;
  PetscCall(PetscMalloc1(4 * room, lattice));
  list.lattice = *lattice;
  if (cell->simplex)
    add_simplex(&list, cell->dim, corner, degree, zero);
  else
    add_box(&list, cell->dim, degree);
  *vtk_type = degree <= 1 ? linear[type] : lagrange[type];
  *n        = list.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
