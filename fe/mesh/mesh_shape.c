/* mesh_shape.c - curved cells: elements of order 2 of a Gmsh file -> nodes of the quadratic map of a cell.

   Gmsh lists the vertices, then the middles of edges, faces and the cell; our order is that of P2 and Q2.  Serendipity
   elements (8 nodes of a quadrilateral, 20 of a hexahedron) lack the middles of faces and the cell: their functions are
   in Q2, so these follow from the corners c and the middles of edges e exactly,

       face  - sum c / 4 + sum e / 2        cell  - sum c / 4 + sum e / 4                                            */
#include "fe_impl.h"

/* The further nodes of Gmsh's elements of order 2 lie between these vertices, in Gmsh's order. */
static const signed char tri6[][9]  = {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}};
static const signed char quad9[][9] = {{0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}, {0, 1, 2, 3, -1}};
static const signed char tet10[][9] = {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {3, 0, -1}, {3, 2, -1}, {3, 1, -1}};
static const signed char hex27[][9] = {{0, 1, -1},
                                       {0, 3, -1},
                                       {0, 4, -1},
                                       {1, 2, -1},
                                       {1, 5, -1},
                                       {2, 3, -1},
                                       {2, 6, -1},
                                       {3, 7, -1},
                                       {4, 5, -1},
                                       {4, 7, -1},
                                       {5, 6, -1},
                                       {6, 7, -1},
                                       {0, 3, 2, 1, -1},
                                       {0, 1, 5, 4, -1},
                                       {0, 4, 7, 3, -1},
                                       {1, 2, 6, 5, -1},
                                       {2, 3, 7, 6, -1},
                                       {4, 5, 6, 7, -1},
                                       {0, 1, 2, 3, 4, 5, 6, 7, -1}};

static const signed char (*middles(RungCellType type))[9]
{
  switch (type) {
  case RUNG_TETRAHEDRON: return tet10;
  case RUNG_HEXAHEDRON: return hex27;
  case RUNG_QUADRILATERAL: return quad9;
  default: return tri6; /* its first row is the middle of a line */
  }
}

PetscInt RungGmshVertex(RungCellType type, PetscInt k)
{
  static const PetscInt box[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* Gmsh goes around quadrilaterals, we go by rows */

  return RungCellGet(type)->simplex ? k : box[k];
}

/* Our node at the mean of these Gmsh vertices. */
static PetscInt find_place(const RungElement *map, const signed char vertex[])
{
  const RungCell *cell = RungCellGet(map->type);
  PetscReal       X[3] = {0, 0, 0};
  PetscInt        n    = 0, i;

  while (vertex[n] >= 0) ++n;
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt a = 0; a < cell->dim; ++a) X[a] += cell->x[RungGmshVertex(map->type, vertex[k])][a] / (PetscReal)n;
  }
  for (i = 0; i < map->nodes; ++i) {
    PetscReal off = 0;

    for (PetscInt a = 0; a < cell->dim; ++a) off += PetscAbsReal(map->node[i * cell->dim + a] - X[a]);
    if (off < 1e-8) break;
  }
  return i;
}

PetscErrorCode RungShapeOrderCreate(RungCellType type, RungShapeOrder *order)
{
  const RungCell *cell = RungCellGet(type);
  RungElement    *map;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(type, 2, &map));
  order->type  = type;
  order->nodes = map->nodes;
  for (PetscInt k = 0; k < map->nodes; ++k)
    order->place[k] = k < cell->vertices ? RungGmshVertex(type, k) : find_place(map, middles(type)[k - cell->vertices]);
  for (PetscInt i = 0; i < map->nodes; ++i) { /* the node where two coordinates have changed places */
    PetscInt a[4], swap, from = cell->simplex ? cell->dim : 1, to = cell->simplex ? cell->dim - 1 : 0;

    for (int k = 0; k < 4; ++k) a[k] = map->lattice[4 * i + k];
    swap    = a[from];
    a[from] = a[to];
    a[to]   = swap;
    for (PetscInt j = 0; j < map->nodes; ++j) {
      PetscBool same;

      PetscCall(PetscArraycmp(a, &map->lattice[4 * j], 4, &same));
      if (same) order->mirror[i] = j;
    }
  }
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The middle of a face (four of its vertices) or of the cell of a serendipity element. */
static void complete(const RungShapeOrder *order, const signed char vertex[], PetscInt node, PetscInt dim,
                     PetscReal x[])
{
  const signed char(*middle)[9] = middles(order->type);
  const PetscInt nv             = RungCellGet(order->type)->vertices;
  unsigned       on             = 0;
  PetscInt       n;

  for (n = 0; vertex[n] >= 0; ++n) on |= 1u << vertex[n];
  for (PetscInt a = 0; a < dim; ++a) {
    PetscReal corners = 0, edges = 0;

    for (PetscInt v = 0; v < n; ++v) corners += x[order->place[vertex[v]] * dim + a];
    for (PetscInt k = 0; nv + k < order->nodes && middle[k][2] < 0; ++k) {
      if ((on >> middle[k][0] & 1) && (on >> middle[k][1] & 1)) edges += x[order->place[nv + k] * dim + a];
    }
    x[order->place[node] * dim + a] = -corners / 4 + edges / (n == 4 ? 2 : 4);
  }
}

PetscBool RungShapeFill(const RungShapeOrder *order, PetscInt given, PetscInt dim, const PetscReal from[],
                        PetscReal x[])
{
  const signed char(*middle)[9] = middles(order->type);
  const PetscInt nv             = RungCellGet(order->type)->vertices;
  PetscReal      off = 0, size = 0;

  for (PetscInt k = 0; k < given; ++k) {
    for (PetscInt a = 0; a < dim; ++a) x[order->place[k] * dim + a] = from[3 * k + a];
  }
  for (PetscInt k = given; k < order->nodes; ++k) complete(order, middle[k - nv], k, dim, x);
  for (PetscInt k = nv; k < order->nodes; ++k) {
    for (PetscInt a = 0; a < dim; ++a) {
      PetscReal mean = 0;
      PetscInt  n;

      for (n = 0; middle[k - nv][n] >= 0; ++n) {
        mean += from[3 * middle[k - nv][n] + a];
        size = PetscMax(size, PetscAbsReal(from[3 * middle[k - nv][n] + a] - from[a]));
      }
      off = PetscMax(off, PetscAbsReal(x[order->place[k] * dim + a] - mean / (PetscReal)n));
    }
  }
  return off > 1e-8 * size ? PETSC_TRUE : PETSC_FALSE;
}
