/* mesh_flat.c - a rank's piece of the mesh -> RungMeshData: an order with short distances in memory, numbers of vertices
   (mesh_number.c) and cells, geometry and parts.

   Where a piece has none vertices come in reverse Cuthill-McKee order, cells by their first vertex. */
#include <rungown_room.h>
#include "fe_impl.h"

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* Row i of a[n][width] moves to row rank[i]. */
static PetscErrorCode move_rows(PetscInt n, PetscInt width, const PetscInt rank[], PetscInt **a)
{
  PetscInt *b;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * width, &b));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt k = 0; k < width; ++k) b[rank[i] * width + k] = (*a)[i * width + k];
  }
  PetscCall(PetscFree(*a));
  *a = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode move_coordinates(PetscInt n, PetscInt dim, const PetscInt rank[], PetscReal **x)
{
  PetscReal *y;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * dim, &y));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt a = 0; a < dim; ++a) y[rank[i] * dim + a] = (*x)[i * dim + a];
  }
  PetscCall(PetscFree(*x));
  *x = y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse Cuthill-McKee. */
static PetscErrorCode reorder_nodes(RungPiece *piece)
{
  const RungCell     *cell  = RungCellGet(piece->type);
  RUNG_FREE PetscInt *order = NULL, *rank = NULL;
  PetscInt            n, m, stride;
  const PetscInt     *corner;

  PetscFunctionBegin;
  if (!cell->dim) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCellEntities(cell, 1, &n, &m, &corner, &stride));
  PetscCall(PetscMalloc1(piece->nodes, &order));
  PetscCall(PetscMalloc1(piece->nodes, &rank));
  PetscCall(RungOrderVertices(piece->nodes, piece->cells, cell->vertices, piece->cell_node, n, corner, stride, order));
  for (PetscInt i = 0; i < piece->nodes; ++i) rank[order[i]] = i;
  PetscCall(move_rows(piece->nodes, 1, rank, &piece->node_id));
  PetscCall(move_coordinates(piece->nodes, piece->dim, rank, &piece->x));
  for (PetscInt i = 0; i < piece->cells * cell->vertices; ++i) piece->cell_node[i] = rank[piece->cell_node[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells by their first node, cells with the same one as they were. */
static PetscErrorCode reorder_cells(RungPiece *piece)
{
  const PetscInt      nv = RungCellGet(piece->type)->vertices, *node = piece->cell_node;
  RUNG_FREE PetscInt *rank = NULL, *start = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(piece->cells, &rank));
  PetscCall(PetscCalloc1(piece->nodes + 1, &start));
  for (PetscInt c = 0; c < piece->cells; ++c) {
    rank[c] = node[c * nv];
    for (PetscInt i = 1; i < nv; ++i) rank[c] = PetscMin(rank[c], node[c * nv + i]);
    ++start[rank[c] + 1];
  }
  for (PetscInt v = 0; v < piece->nodes; ++v) start[v + 1] += start[v];
  for (PetscInt c = 0; c < piece->cells; ++c) rank[c] = start[rank[c]]++;
  PetscCall(move_rows(piece->cells, nv, rank, &piece->cell_node));
  PetscCall(move_rows(piece->cells, 1, rank, &piece->cell_id));
  PetscCall(move_rows(piece->cells, 1, rank, &piece->exterior));
  if (piece->degree)
    PetscCall(move_coordinates(piece->cells, RungPieceShapeNodes(piece) * piece->dim, rank, &piece->shape));
  for (PetscInt i = 0; i < piece->marks; ++i) piece->mark[3 * i + 1] = rank[piece->mark[3 * i + 1]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cells -------------------------------------------------------------------------------------------------------- */

/* A cell lives on one rank.  RungMeshNeedEntities() lists the numbers. */
static PetscErrorCode count_cells(RungMesh mesh, PetscInt d)
{
  RungMeshData *data = &mesh->data;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&data->cells, &data->cell_start, 1, MPIU_INT, MPI_SUM, mesh->comm));
  PetscCallMPI(MPI_Allreduce(&data->cells, &data->cells_global, 1, MPIU_INT, MPI_SUM, mesh->comm));
  data->cell_start -= data->cells;
  data->entities[d] = data->owned[d] = data->cells;
  data->start[d]                     = data->cell_start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- geometry and parts ----------------------------------------------------------------------------------------- */

/* Is the map of a cell affine, up to the rounding of its coordinates?  x_i - x_0 is the sum of the edges from vertex 0,
   times the coordinates of node i in the reference cell, place[node][axis]. */
static PetscBool cell_is_affine(const RungMeshData *data, const PetscReal place[], PetscInt c)
{
  const PetscInt *node = data->cell_node + c * data->nodes_per_cell, dim = data->dim;
  const PetscBool simplex = RungCellGet(data->type)->simplex;

  for (PetscInt a = 0; a < dim; ++a) {
    const PetscReal x0    = data->x[node[0] * dim + a];
    PetscReal       scale = PetscAbsReal(x0), off = 0;

    for (PetscInt v = 1; v < data->nodes_per_cell; ++v) {
      PetscReal sum = x0;

      for (PetscInt b = 0; b < dim; ++b)
        sum += place[v * dim + b] * (data->x[node[simplex ? 1 + b : 1 << b] * dim + a] - x0);
      off   = PetscMax(off, PetscAbsReal(data->x[node[v] * dim + a] - sum));
      scale = PetscMax(scale, PetscAbsReal(data->x[node[v] * dim + a]));
    }
    if (off > 16 * PETSC_MACHINE_EPSILON * scale) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Do the edges of an affine box cell lie along the axes, one each, in their order? */
static PetscBool cell_is_straight(const RungMeshData *data, PetscInt c)
{
  const PetscInt *node = data->cell_node + c * data->nodes_per_cell, dim = data->dim;

  for (PetscInt b = 0; b < dim; ++b) {
    const PetscReal *x = data->x + node[0] * dim, *y = data->x + node[1 << b] * dim;

    for (PetscInt a = 0; a < dim; ++a) {
      const PetscReal scale = PetscMax(PetscAbsReal(x[a]), PetscAbsReal(y[a]));

      if (a != b && PetscAbsReal(y[a] - x[a]) > 4 * PETSC_MACHINE_EPSILON * scale) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Are two cells translates of each other, up to the rounding of their places? */
static PetscBool are_alike(const RungMeshData *data, PetscInt c, PetscInt d)
{
  const PetscInt dim = data->dim, n = data->nodes_per_cell, *p = data->cell_node + c * n, *q = data->cell_node + d * n;
  const PetscReal *x0 = data->x + p[0] * dim, *y0 = data->x + q[0] * dim;

  for (PetscInt a = 0; a < dim; ++a) {
    PetscReal scale = PetscMax(PetscAbsReal(x0[a]), PetscAbsReal(y0[a])), off = 0;

    for (PetscInt i = 1; i < n; ++i) {
      const PetscReal x = data->x[p[i] * dim + a], y = data->x[q[i] * dim + a];

      scale = PetscMax(scale, PetscMax(PetscAbsReal(x), PetscAbsReal(y)));
      off   = PetscMax(off, PetscAbsReal((x - x0[a]) - (y - y0[a])));
    }
    if (off > 4 * PETSC_MACHINE_EPSILON * scale) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Each cell is compared with what the one before is like; neighbours of simplices are no translates. */
static PetscErrorCode find_alike(RungMesh mesh)
{
  RungMeshData   *data = &mesh->data;
  const RungCell *cell = RungCellGet(data->type);
  PetscInt       *like;

  PetscFunctionBegin;
  if (cell->dim < 1 || (cell->simplex && cell->dim > 1)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(data->cells, &like));
  for (PetscInt c = 0; c < data->cells; ++c) like[c] = c && are_alike(data, c, like[c - 1]) ? like[c - 1] : c;
  data->cell_like = like;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A translate is affine, and straight, where the other cell is. */
static PetscErrorCode find_affine(RungMesh mesh)
{
  RungMeshData   *data   = &mesh->data;
  const RungCell *cell   = RungCellGet(data->type);
  const PetscBool always = data->geometry_degree < 1 || (data->geometry_degree == 1 && cell->simplex) ? PETSC_TRUE
                                                                                                      : PETSC_FALSE;
  RUNG_OWNED(RungElementDestroy) RungElement *map    = NULL;
  RUNG_FREE PetscBool                        *affine = NULL;
  int        crooked                                 = cell->simplex || data->dim < 2 || cell->dim != data->dim ? 1 : 0;
  PetscInt64 mine[3]                                 = {always ? data->cells : 0, data->cells, 0},
             all[3]; /* affine cells, cells, ranks with one that is not straight */

  PetscFunctionBegin;
  if (!always) {
    PetscCall(PetscMalloc1(data->cells + 1, &affine));
    PetscCall(RungElementCreateMap(data->type, data->geometry_degree, &map));
  }
  for (PetscInt c = 0; c < data->cells && !always; ++c) { /* else no cell is straight: they are simplices */
    const PetscInt like = data->cell_like ? data->cell_like[c] : c;

    affine[c] = like < c ? affine[like] : cell_is_affine(data, map->node, c);
    if (affine[c]) ++mine[0];
    if (!crooked && like == c && !(affine[c] && cell_is_straight(data, c))) crooked = 1;
  }
  mine[2] = crooked;
  PetscCallMPI(MPI_Allreduce(mine, all, 3, MPIU_INT64, MPI_SUM, mesh->comm));
  data->affine_cells = all[0];
  data->affine       = all[0] == all[1] ? PETSC_TRUE : PETSC_FALSE;
  data->straight     = data->affine && !all[2] ? PETSC_TRUE : PETSC_FALSE;
  if (!data->affine && all[0]) {
    data->cell_affine = affine;
    affine            = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one part, by cell and entity. */
static int compare_members(const void *a, const void *b)
{
  const PetscInt *p = (const PetscInt *)a, *q = (const PetscInt *)b;

  if (p[1] != q[1]) return p[1] < q[1] ? -1 : 1;
  return p[2] < q[2] ? -1 : p[2] > q[2] ? 1 : 0;
}

/* Most parts come in order. */
static void sort_members(PetscInt n, PetscInt mark[])
{
  for (PetscInt i = 1; i < n; ++i)
    if (compare_members(mark + 3 * (i - 1), mark + 3 * i) > 0) {
      qsort(mark, (size_t)n, 3 * sizeof *mark, compare_members);
      return;
    }
}

/* The marks of the piece -> members of the parts. */
static PetscErrorCode fill_parts(RungMesh mesh, const RungPiece *piece)
{
  RUNG_FREE PetscInt *next = NULL, *mark = NULL; /* [part], [place][part, cell, entity] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->parts.n, &next));
  PetscCall(PetscMalloc1(3 * piece->marks, &mark));
  for (PetscInt i = 0; i < piece->marks; ++i) ++mesh->parts.part[piece->mark[3 * i]].count;
  for (PetscInt p = 0, n = 0; p < mesh->parts.n; n += mesh->parts.part[p++].count) next[p] = n;
  for (PetscInt i = 0; i < piece->marks; ++i) {
    const PetscInt to = next[piece->mark[3 * i]]++;

    for (int k = 0; k < 3; ++k) mark[3 * to + k] = piece->mark[3 * i + k];
  }
  for (PetscInt p = 0, i = 0; p < mesh->parts.n; ++p) {
    RungPart *part = &mesh->parts.part[p];

    sort_members(part->count, mark + 3 * i);
    PetscCall(PetscMalloc1(part->count, &part->cell));
    if (part->dim < RungCellGet(piece->type)->dim) PetscCall(PetscMalloc1(part->count, &part->entity));
    for (PetscInt k = 0; k < part->count; ++k, ++i) {
      part->cell[k] = mark[3 * i + 1];
      if (part->entity) part->entity[k] = mark[3 * i + 2];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of the cells' maps: the vertices, or where the piece has a shape every cell's own. */
static PetscErrorCode keep_geometry(RungMesh mesh, RungPiece *piece)
{
  RungMeshData *data = &mesh->data;

  PetscFunctionBegin;
  data->nodes_per_cell  = RungPieceShapeNodes(piece);
  data->geometry_degree = piece->degree ? piece->degree : RungCellGet(piece->type)->dim > 0 ? 1 : 0;
  if (!piece->degree) {
    data->cell_node = data->cell_entity[0];
    data->nodes     = piece->nodes;
    data->x         = piece->x;
    piece->x        = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  mesh->vertex_x = piece->x;
  piece->x       = NULL;
  data->nodes    = piece->cells * data->nodes_per_cell;
  PetscCall(PetscMalloc1(data->nodes, &mesh->shape_node));
  for (PetscInt i = 0; i < data->nodes; ++i) mesh->shape_node[i] = i;
  data->cell_node = mesh->shape_node;
  data->x         = piece->shape;
  piece->shape    = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshFlatten(RungMesh mesh, RungPiece *piece)
{
  const RungCell *cell = RungCellGet(piece->type);
  RungMeshData   *data = &mesh->data;

  PetscFunctionBegin;
  if (!piece->nodes_ordered) PetscCall(reorder_nodes(piece));
  if (!piece->cells_ordered) PetscCall(reorder_cells(piece));
  *data = (RungMeshData){.type = piece->type, .dim = piece->dim, .cells = piece->cells};
  if (cell->dim) {
    RUNG_FREE PetscInt *node_rank = NULL;

    PetscCall(RungMeshNumberVertices(mesh, piece, &node_rank));
    PetscCall(move_coordinates(piece->nodes, piece->dim, node_rank, &piece->x));
  }
  PetscCall(count_cells(mesh, cell->dim));
  if (!cell->dim) PetscCall(RungMeshListCells(mesh, 0));
  PetscCall(keep_geometry(mesh, piece));
  mesh->exterior    = piece->exterior;
  piece->exterior   = NULL;
  data->cell_number = piece->cell_id;
  piece->cell_id    = NULL;
  PetscCall(find_alike(mesh));
  PetscCall(find_affine(mesh));
  PetscCall(fill_parts(mesh, piece));
  PetscCall(RungPieceDestroy(piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}
