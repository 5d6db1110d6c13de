/* mesh_quality.c - how long and how well shaped the cells are.

     simplices   radius ratio  dim r / R,  r and R the radii of the inscribed and the circumscribed sphere: 1 for the
                 regular simplex, 0 for a flat one (Liu and Joe 1994)
     boxes       scaled Jacobian: the least over the corners of det / product of the lengths of the edges that meet
                 there: 1 for a brick, 0 or less for a corner that is folded (Knupp 2000)

   Curved cells are judged by their vertices. */
#include "fe_impl.h"
#include <rungquality_room.h>

static PetscReal length(const PetscReal a[3])
{
  return PetscSqrtReal(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static void cross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (int i = 0; i < 3; ++i) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static PetscReal dot(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void edge(const PetscReal x[8][3], PetscInt from, PetscInt to, PetscReal e[3])
{
  for (int a = 0; a < 3; ++a) e[a] = x[to][a] - x[from][a];
}

/* 2 r / R = 8 A^2 / (s a b c),  s = (a + b + c) / 2 */
static PetscReal triangle_ratio(const PetscReal x[8][3])
{
  PetscReal e[3][3], normal[3], l[3];

  for (int i = 0; i < 3; ++i) {
    edge(x, (i + 1) % 3, (i + 2) % 3, e[i]);
    l[i] = length(e[i]);
  }
  cross(e[0], e[1], normal);
  return 4 * dot(normal, normal) / ((l[0] + l[1] + l[2]) * l[0] * l[1] * l[2]);
}

/* r = 3 V / S,  R = |a^2 b x c + b^2 c x a + c^2 a x b| / (12 V),  6 V = a . b x c:  3 r / R = 3 (6 V)^2 / (S |..|) */
static PetscReal tetrahedron_ratio(const PetscReal x[8][3])
{
  PetscReal e[3][3], opposite[3], side[3], face[3], edges[3][3], sum[3] = {0, 0, 0}, surface = 0, six;

  for (int i = 0; i < 3; ++i) edge(x, 0, i + 1, e[i]);
  for (int i = 0; i < 3; ++i) {
    cross(e[(i + 1) % 3], e[(i + 2) % 3], edges[i]);
    surface += length(edges[i]) / 2;
    for (int a = 0; a < 3; ++a) sum[a] += dot(e[i], e[i]) * edges[i][a];
  }
  edge(x, 1, 2, opposite);
  edge(x, 1, 3, side);
  cross(opposite, side, face);
  surface += length(face) / 2;
  six = dot(e[0], edges[0]);
  return 3 * six * six / (surface * length(sum));
}

static PetscReal scaled_jacobian(const RungCell *cell, const PetscReal x[8][3])
{
  PetscReal least = 1;

  for (PetscInt v = 0; v < cell->vertices; ++v) {
    PetscReal e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, normal[3], scale = 1;

    for (PetscInt a = 0; a < cell->dim; ++a) {
      edge(x, v & ~((PetscInt)1 << a), v | (PetscInt)1 << a, e[a]);
      scale *= length(e[a]);
    }
    cross(e[1], e[2], normal);
    least = PetscMin(least, dot(e[0], normal) / scale);
  }
  return least;
}

static PetscReal longest_edge(const RungCell *cell, const PetscReal x[8][3])
{
  PetscReal e[3], h = 0;

  if (cell->dim == 1) {
    edge(x, 0, 1, e);
    return length(e);
  }
  for (PetscInt i = 0; i < cell->edges; ++i) {
    edge(x, cell->edge[i][0], cell->edge[i][1], e);
    h = PetscMax(h, length(e));
  }
  return h;
}

static PetscReal quality(const RungCell *cell, RungCellType type, const PetscReal x[8][3])
{
  switch (type) {
  case RUNG_TRIANGLE: return triangle_ratio(x);
  case RUNG_TETRAHEDRON: return tetrahedron_ratio(x);
  case RUNG_QUADRILATERAL:
  case RUNG_HEXAHEDRON: return scaled_jacobian(cell, x);
  default: return 1; /* nothing is wrong with an interval */
  }
}

/* Straight cells between the vertices, also where the mesh is curved. */
static void get_vertices(const RungMeshData *data, const RungCell *cell, PetscInt c, PetscReal x[8][3])
{
  const PetscInt *node = data->cell_node + c * data->nodes_per_cell;

  for (PetscInt v = 0; v < cell->vertices; ++v)
    for (PetscInt a = 0; a < 3; ++a) x[v][a] = a < data->dim ? data->x[node[v] * data->dim + a] : 0;
}

PetscErrorCode RungMeshGetQuality(RungMesh mesh, PetscReal shape[])
{
  const RungMeshData *data;
  const RungCell     *cell;
  PetscReal           x[8][3];

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetData(mesh, &data));
  cell = RungCellGet(data->type);
  for (PetscInt c = 0; c < data->cells; ++c) {
    get_vertices(data, cell, c, x);
    shape[c] = quality(cell, data->type, (const PetscReal(*)[3])x);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMeasure(RungMesh mesh, RungMeshQuality *q)
{
  const RungMeshData *data     = &mesh->data;
  const RungCell     *cell     = RungCellGet(data->type);
  PetscReal           least[3] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}, sum[2] = {0, 0};
  PetscReal           all_least[3], all_sum[2];

  PetscFunctionBegin;
  for (PetscInt c = 0; c < data->cells; ++c) {
    PetscReal x[8][3], h, shape;

    get_vertices(data, cell, c, x);
    h        = longest_edge(cell, (const PetscReal(*)[3])x);
    shape    = quality(cell, data->type, (const PetscReal(*)[3])x);
    least[0] = PetscMin(least[0], h);
    least[1] = PetscMin(least[1], -h);
    least[2] = PetscMin(least[2], shape);
    sum[0] += h;
    sum[1] += shape;
  }
  PetscCallMPI(MPI_Allreduce(least, all_least, 3, MPIU_REAL, MPIU_MIN, mesh->comm));
  PetscCallMPI(MPI_Allreduce(sum, all_sum, 2, MPIU_REAL, MPIU_SUM, mesh->comm));
  *q = (RungMeshQuality){.name          = cell->dim < 2   ? NULL
                                          : cell->simplex ? "radius ratio"
                                                          : "scaled Jacobian",
                         .h_least       = all_least[0],
                         .h_most        = -all_least[1],
                         .h_mean        = all_sum[0] / (PetscReal)data->cells_global,
                         .quality_least = all_least[2],
                         .quality_mean  = all_sum[1] / (PetscReal)data->cells_global};
  PetscFunctionReturn(PETSC_SUCCESS);
}
