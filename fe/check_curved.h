/* check_curved.h - Gmsh files of curved and of distorted cells for tests.

   curved_mesh: a sector of a ring or of a spherical shell.
   The unit box, n blocks along each axis, bent by  r = 1 + x, angle = pi/2 y, latitude = pi/4 z; facets at x = 0 are the
   part "inner" (10), at x = 1 "outer" (11), all cells "all" (1).  In one dimension x + x^2 / 4.  Elements of order 2 have
   their further nodes on the true surface; with `order` 1 only the vertices are there. */
#pragma once

#include "check.h"

/* Gmsh's nodes in twice its reference coordinates, [0, 2] for boxes; the vertices first (Gmsh reference manual). */
static const signed char curved_line[][3] = {{0}, {2}, {1}};
static const signed char curved_tri[][3]  = {{0}, {2, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}};
static const signed char curved_quad[][3] = {{0}, {2, 0}, {2, 2}, {0, 2}, {1, 0}, {2, 1}, {1, 2}, {0, 1}, {1, 1}};
static const signed char curved_tet[][3]  = {{0},       {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 0, 0},
                                             {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 1}};
static const signed char curved_hex[][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                            {0, 2, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0},
                                            {2, 2, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}, {2, 1, 2}, {1, 2, 2}, {1, 1, 0},
                                            {1, 0, 1}, {0, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}};

typedef struct {
  int code[2], nodes[2]; /* Gmsh's code and nodes of order 1, 2 */
  const signed char (*node)[3];
} CurvedElement;

static const CurvedElement curved_element[RUNG_CELL_TYPES] = {
  [RUNG_POINT] = {{15, 15}, {1, 1}, curved_line},      [RUNG_INTERVAL] = {{1, 8}, {2, 3}, curved_line},
  [RUNG_TRIANGLE] = {{2, 9}, {3, 6}, curved_tri},      [RUNG_QUADRILATERAL] = {{3, 10}, {4, 9}, curved_quad},
  [RUNG_TETRAHEDRON] = {{4, 11}, {4, 10}, curved_tet}, [RUNG_HEXAHEDRON] = {{5, 12}, {8, 27}, curved_hex},
};
static const CurvedElement curved_serendipity[RUNG_CELL_TYPES] = {
  [RUNG_QUADRILATERAL] = {{3, 16}, {4, 8}, curved_quad}, [RUNG_HEXAHEDRON] = {{5, 17}, {8, 20}, curved_hex}};

typedef struct {
  FILE     *file;
  PetscInt  n, dim, order;
  PetscBool serendipity, distorted;
  PetscInt  elements;
  uint32_t  shuffle; /* not 0: vertices of cells, cells and nodes in an order that this number chooses */
} Curved;

/* A number below n. */
static inline PetscInt curved_draw(Curved *c, PetscInt n)
{
  c->shuffle = c->shuffle * 1664525u + 1013904223u;
  return (PetscInt)((c->shuffle >> 8) % (uint32_t)n);
}

/* The number of the node in the file: with holes if shuffled, others at every place. */
static inline PetscInt curved_tag(const Curved *c, PetscInt i)
{
  const PetscInt m = 2 * c->n + 1, all = m * (c->dim > 1 ? m : 1) * (c->dim > 2 ? m : 1);

  return c->shuffle ? 5 + 3 * (i * 7919 % all) : 1 + i; /* 7919 is prime, and all is not so large */
}

/* Turns and mirrors a cell, in one of all ways that leave it a cell. */
static inline void curved_turn(Curved *c, const RungCell *cell, PetscInt corner[][3])
{
  PetscInt from[8][3], axis[4] = {0, 1, 2, 3}, flip = cell->simplex ? 0 : curved_draw(c, cell->vertices);
  PetscInt n = cell->simplex ? cell->vertices : cell->dim;

  for (PetscInt i = n - 1; i > 0; --i) {
    const PetscInt k = curved_draw(c, i + 1), a = axis[i];

    axis[i] = axis[k];
    axis[k] = a;
  }
  memcpy(from, corner, (size_t)cell->vertices * sizeof *from);
  for (PetscInt v = 0; v < cell->vertices; ++v) {
    PetscInt w = cell->simplex ? axis[v] : flip;

    for (PetscInt a = 0; a < cell->dim && !cell->simplex; ++a) w ^= (v >> a & 1) << axis[a];
    memcpy(corner[v], from[w], sizeof *from);
  }
}

/* One element of a type whose corners are corner[v][3] in half blocks; only counted if file is NULL. */
static inline void curved_add(Curved *c, RungCellType type, PetscInt corner[][3], int part)
{
  const PetscBool      eight = c->serendipity && curved_serendipity[type].node ? PETSC_TRUE : PETSC_FALSE;
  const CurvedElement *e     = eight ? &curved_serendipity[type] : &curved_element[type];
  const RungCell      *cell  = RungCellGet(type);
  const PetscInt       m     = 2 * c->n + 1;

  ++c->elements;
  if (!c->file) return;
  fprintf(c->file, "%d %d 2 %d %d", (int)c->elements, e->code[c->order - 1], part, part);
  for (int k = 0; k < e->nodes[c->order - 1]; ++k) {
    PetscInt at[3] = {corner[0][0], corner[0][1], corner[0][2]};

    for (PetscInt s = 0; s < cell->dim; ++s) {
      const PetscInt to = cell->simplex ? s + 1 : 1 << s;

      for (int a = 0; a < 3; ++a) at[a] += e->node[k][s] * (corner[to][a] - corner[0][a]) / 2;
    }
    fprintf(c->file, " %d", (int)curved_tag(c, at[0] + m * (at[1] + m * at[2])));
  }
  fprintf(c->file, "\n");
}

/* The cells of one block and their facets at x = 0 and x = 1. */
static inline void curved_block(Curved *c, RungCellType type, const PetscInt at[])
{
  static const int whole[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}}, two[2][8] = {{0, 1, 3}, {0, 3, 2}};
  static const int six[6][8] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
  const RungCell *const cell = RungCellGet(type);
  const int(*cut)[8]         = type == RUNG_TRIANGLE ? two : type == RUNG_TETRAHEDRON ? six : whole;

  for (int k = 0; k < (type == RUNG_TRIANGLE ? 2 : type == RUNG_TETRAHEDRON ? 6 : 1); ++k) {
    PetscInt corner[8][3], facet[4][3];

    for (PetscInt v = 0; v < cell->vertices; ++v)
      for (int a = 0; a < 3; ++a) corner[v][a] = a < c->dim ? 2 * (at[a] + (cut[k][v] >> a & 1)) : 0;
    if (c->shuffle) curved_turn(c, cell, corner);
    curved_add(c, type, corner, 1);
    for (PetscInt f = 0; f < cell->facets; ++f) {
      PetscInt n = RungCellGet(cell->facet_type)->vertices, low = 0, high = 0;

      for (PetscInt i = 0; i < n; ++i) {
        for (int a = 0; a < 3; ++a) facet[i][a] = corner[cell->facet[f][i]][a];
        low += facet[i][0] == 0;
        high += facet[i][0] == 2 * c->n;
      }
      if (low == n || high == n) curved_add(c, cell->facet_type, facet, low == n ? 10 : 11);
    }
  }
}

static inline void curved_blocks(Curved *c, RungCellType type)
{
  const PetscInt n = c->n, all = n * (c->dim > 1 ? n : 1) * (c->dim > 2 ? n : 1);

  c->elements = 0;
  for (PetscInt i = 0; i < all; ++i) {
    const PetscInt b = c->shuffle ? i * 7919 % all : i;

    curved_block(c, type, (PetscInt[]){b % n, b / n % n, b / n / n});
  }
}

/* Where a point of the unit box goes. */
static inline void curved_map(PetscInt dim, const double b[3], double x[3])
{
  const double r = 1 + b[0], angle = PETSC_PI / 2 * b[1], latitude = dim > 2 ? PETSC_PI / 4 * b[2] : 0;

  x[0] = dim > 1 ? r * cos(angle) * cos(latitude) : b[0] + b[0] * b[0] / 4;
  x[1] = dim > 1 ? r * sin(angle) * cos(latitude) : 0;
  x[2] = dim > 2 ? r * sin(latitude) : 0;
}

/* A number of [-1, 1] for axis a of node i: the same everywhere. */
static inline double curved_noise(PetscInt i, int a)
{
  uint32_t k = 3 * (uint32_t)i + (uint32_t)a + 1;

  for (int round = 0; round < 3; ++round) k = (k ^ k >> 15) * 2654435761u;
  return 2 * (double)k / 4294967295. - 1;
}

/* Node i of digits d, at b in the unit box, of a mesh of 2 n half blocks along each axis. */
static inline void curved_distort(const Curved *c, PetscInt i, const PetscInt d[], const double b[], double x[])
{
  PetscBool inside = PETSC_TRUE;

  for (int a = 0; a < c->dim; ++a)
    if (d[a] == 0 || d[a] == 2 * c->n) inside = PETSC_FALSE;
  for (int a = 0; a < 3; ++a) x[a] = a < c->dim ? b[a] + (inside ? 0.15 / (double)c->n * curved_noise(i, a) : 0) : 0;
}

static inline void curved_write(Curved *c, RungCellType type, const char path[])
{
  const PetscInt m = 2 * c->n + 1, ny = c->dim > 1 ? m : 1, nz = c->dim > 2 ? m : 1;

  const uint32_t shuffle = c->shuffle;

  c->file = NULL;
  curved_blocks(c, type);
  c->shuffle = shuffle;
  c->file    = fopen(path, "w");
  if (!c->file) return;
  fprintf(c->file,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n%d 1 \"all\"\n%d 10 \"inner\"\n%d 11 "
          "\"outer\"\n$EndPhysicalNames\n$Nodes\n%d\n",
          (int)c->dim, (int)c->dim - 1, (int)c->dim - 1, (int)(m * ny * nz));
  for (PetscInt i = 0; i < m * ny * nz; ++i) {
    const PetscInt digit[3] = {i % m, i / m % m, i / m / m};
    const double   last     = (double)(m - 1),
                 b[3]       = {(double)digit[0] / last, (double)digit[1] / last, (double)digit[2] / last};
    double x[3];

    if (c->distorted)
      curved_distort(c, i, digit, b, x);
    else
      curved_map(c->dim, b, x);
    fprintf(c->file, "%d %.17g %.17g %.17g\n", (int)curved_tag(c, i), x[0], x[1], x[2]);
  }
  fprintf(c->file, "$EndNodes\n$Elements\n%d\n", (int)c->elements);
  curved_blocks(c, type);
  fprintf(c->file, "$EndElements\n");
  fclose(c->file);
}

static inline PetscErrorCode curved_file(Curved *c, RungCellType type, const char path[], RungMesh *mesh)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) curved_write(c, type, path);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of the file, not yet set up.  Collective on PETSC_COMM_WORLD. */
static inline PetscErrorCode curved_mesh(RungCellType type, PetscInt n, PetscInt order, PetscBool serendipity,
                                         const char path[], RungMesh *mesh)
{
  Curved c = {.n = n, .dim = RungCellGet(type)->dim, .order = order, .serendipity = serendipity};

  PetscFunctionBegin;
  PetscCall(curved_file(&c, type, path, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode distorted_mesh(RungCellType type, PetscInt n, const char path[], RungMesh *mesh)
{
  Curved c = {.n = n, .dim = RungCellGet(type)->dim, .order = 1, .distorted = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(curved_file(&c, type, path, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline double curved_volume(PetscInt dim)
{
  return dim == 1 ? 1.25 : dim == 2 ? 0.75 * PETSC_PI : 7. / 3 * PETSC_PI / 2 * sqrt(0.5);
}

static inline double curved_inner(PetscInt dim)
{
  return dim == 1 ? 1 : dim == 2 ? PETSC_PI / 2 : PETSC_PI / 2 * sqrt(0.5);
}

/* distorted_mesh, or with order 2 curved_mesh, with everything in an order that `shuffle` chooses. */
static inline PetscErrorCode shuffled_mesh(RungCellType type, PetscInt n, PetscInt order, unsigned shuffle,
                                           const char path[], RungMesh *mesh)
{
  Curved c = {.n = n, .dim = RungCellGet(type)->dim, .order = order, .distorted = order == 1, .shuffle = shuffle};

  PetscFunctionBegin;
  PetscCall(curved_file(&c, type, path, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
