/* mesh_box.c - boxes cut into equal cells, with named sides, edges and corners.

   Every little box is cut the same way.  Simplices are those of Kuhn and Freudenthal: one for each order (a, b, c) of
   the axes, with the corners 0, e_a, e_a + e_b, e_a + e_b + e_c; equal cuts meet on all faces, so the mesh conforms. */
#include <rungown_room.h>
#include "fe_impl.h"
#include <rungtext_room.h>

/* Corner bits (x + 2 y + 4 z) of the simplices, all positively oriented. */
static const PetscInt triangles[2][3]  = {{0, 1, 3}, {0, 3, 2}};
static const PetscInt tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                          {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
static const PetscInt all_corners[8]   = {0, 1, 2, 3, 4, 5, 6, 7};

PetscInt RungBoxCells(RungCellType type, const PetscInt **corner)
{
  switch (type) {
  case RUNG_TRIANGLE: *corner = triangles[0]; return 2;
  case RUNG_TETRAHEDRON: *corner = tetrahedra[0]; return 6;
  default: *corner = all_corners; return 1;
  }
}

/* The blocks of a piece among those of the box, in which order they are cut, and how it numbers its nodes.  The box that one rank makes for
   itself comes in levels; where ranks have parts of it, or where it closes upon itself, cells and nodes lie in rows until they are
   ordered (mesh_flat.c), and what is still to be distributed has to, as its cells are numbered by their places. */
typedef struct {
  RungBrick brick;
  PetscInt  axes;
  PetscBool levels;
  PetscInt  blocks[3]; /* [axis] of the piece                                  */
  PetscInt  nodes[3];  /* [axis] of the piece                                  */
  PetscInt  all[3];    /* [axis] nodes of the box                              */
  PetscInt  total[2];  /* blocks, nodes of the piece                           */
  PetscInt *block;     /* owned, [total] places of blocks, as they are cut     */
  PetscInt *place;     /* owned, [total] places of nodes, as they are numbered */
  PetscInt *node;      /* owned, [place] the inverse of that                   */
} Grid;

static PetscErrorCode grid_destroy(Grid *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->block));
  PetscCall(PetscFree(g->place));
  PetscCall(PetscFree(g->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The places x + count[0] (y + count[1] z) of a grid, level by level of their distance from a corner, along edges: of blocks x + y + z, of
   simplices x + max(y, z) from the end of the x axis, as no diagonal goes from there.  x is the longest axis; a level begins where y and z
   are largest.  Incomplete factors take as many iterations as with reverse Cuthill-McKee, which takes half of the time of a mesh
   (bench/README.md). */
static void order_places(const PetscInt count[3], PetscBool simplex, PetscInt place[])
{
  const PetscInt stride[3] = {1, count[0], count[0] * count[1]}, total = count[0] * count[1] * count[2];
  PetscInt       x = 0, y, z, n = 0;

  for (PetscInt a = 1; a < 3; ++a) x = count[a] > count[x] ? a : x;
  y = x ? 0 : 1;
  z = 3 - x - y;
  for (PetscInt level = 0; n < total && !simplex; ++level)
    for (PetscInt k = PetscMin(level, count[z] - 1); k >= 0; --k)
      for (PetscInt j = PetscMin(level - k, count[y] - 1); j >= 0 && level - j - k < count[x]; --j)
        place[n++] = stride[x] * (level - j - k) + stride[y] * j + stride[z] * k;
  for (PetscInt level = 0; n < total; ++level)
    for (PetscInt most = PetscMin(level, PetscMax(count[y], count[z]) - 1); most >= 0 && level - most < count[x];
         --most)
      for (PetscInt least = 0, first = stride[x] * (count[x] - 1 - (level - most)); least <= most; ++least) {
        if (most < count[y] && least < count[z] && least < most)
          place[n++] = first + stride[y] * most + stride[z] * least;
        if (least < count[y] && most < count[z]) place[n++] = first + stride[y] * least + stride[z] * most;
      }
}

static PetscErrorCode grid_create(RungMesh mesh, const RungBrick *brick, PetscInt dim, Grid *g)
{
  const PetscBool simplex = RungCellGet(mesh->box_type)->simplex && dim > 1 ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  g->axes     = dim;
  g->levels   = brick ? PETSC_TRUE : PETSC_FALSE;
  g->total[0] = g->total[1] = 1;
  for (PetscInt a = 0; a < 3; ++a) {
    const PetscInt  count = a < dim ? mesh->box_count[a] : 1;
    const PetscBool round = a < dim ? mesh->periodic[a] : PETSC_FALSE;

    g->brick.low[a]  = brick ? brick->low[a] : 0;
    g->brick.high[a] = brick ? brick->high[a] : count;
    g->blocks[a]     = g->brick.high[a] - g->brick.low[a];
    g->nodes[a]      = g->blocks[a] + 1;
    g->all[a]        = a < dim ? count + (round ? 0 : 1) : 1;
    if (a >= dim || (round && g->nodes[a] > count)) --g->nodes[a]; /* closes upon itself */
    if (round || g->blocks[a] < count) g->levels = PETSC_FALSE;
    g->total[0] *= g->blocks[a];
    g->total[1] *= g->nodes[a];
  }
  if (!g->total[0]) g->total[1] = 0;
  PetscCall(PetscMalloc1(g->total[0], &g->block));
  PetscCall(PetscMalloc1(g->total[1], &g->place));
  PetscCall(PetscMalloc1(g->total[1], &g->node));
  if (g->levels) {
    order_places(g->blocks, simplex, g->block);
    order_places(g->nodes, simplex, g->place);
  } else {
    for (PetscInt b = 0; b < g->total[0]; ++b) g->block[b] = b;
    for (PetscInt v = 0; v < g->total[1]; ++v) g->place[v] = v;
  }
  for (PetscInt v = 0; v < g->total[1]; ++v) g->node[g->place[v]] = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at[3] of a place of a grid. */
static void find_place(const PetscInt count[], PetscInt place, PetscInt at[])
{
  at[0] = place % count[0];
  at[1] = place / count[0] % count[1];
  at[2] = place / count[0] / count[1];
}

/* Marks the facets of cell c, corners in the little box `at`, that lie on a side of the big box.  part[2 a + s] is the part
   of side s of axis a, as for the facets of box cells. */
static void mark_sides(RungMesh mesh, RungPiece *whole, PetscInt c, const PetscInt at[], const PetscInt corner[],
                       const PetscInt part[])
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  m    = RungCellGet(cell->facet_type)->vertices;

  for (PetscInt f = 0; f < cell->facets; ++f) {
    for (PetscInt side = 0; side < 2 * whole->dim; ++side) {
      const PetscInt a = side / 2, s = side % 2;
      PetscBool      on = !mesh->periodic[a] && (s ? at[a] == mesh->box_count[a] - 1 : at[a] == 0) ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;

      for (PetscInt i = 0; i < m && on; ++i) on = (corner[cell->facet[f][i]] >> a & 1) == s ? PETSC_TRUE : PETSC_FALSE;
      if (on) {
        PetscInt *mark = whole->mark + 3 * whole->marks++;

        mark[0] = part[side], mark[1] = c, mark[2] = f;
        if (whole->exterior) whole->exterior[c] |= (PetscInt)1 << f;
      }
    }
  }
}

/* ---- edges and corners ---------------------------------------------------------------------------------------------- */

static const char *const side_name[6] = {"left", "right", "bottom", "top", "back", "front"};

/* Where at least two sides meet, named after them: "left_bottom" is an edge in space and a corner in the plane. */
typedef struct {
  PetscInt dim;     /* of the part                                     */
  PetscInt side[3]; /* [axis] 0 or 1; -1: the edge goes along this axis */
  PetscInt part;
} Ridge;

enum { RIDGES = 20 }; /* 12 edges and 8 corners of a block */

/* How many blocks of the brick are at the ridge. */
static PetscInt blocks_at(RungMesh mesh, const Ridge *r, const RungBrick *b, PetscInt dim)
{
  PetscInt n = 1;

  for (PetscInt a = 0; a < dim; ++a) {
    if (r->side[a] < 0)
      n *= b->high[a] - b->low[a];
    else if (b->high[a] == b->low[a] || (r->side[a] ? b->high[a] != mesh->box_count[a] : b->low[a] != 0))
      n = 0;
  }
  return n;
}

/* Sides of periodic axes are none, and so is what would meet them. */
static PetscErrorCode add_ridges(RungMesh mesh, PetscInt dim, Ridge ridge[RIDGES], PetscInt *count)
{
  PetscFunctionBegin;
  *count = 0;
  for (PetscInt d = dim - 2; d >= 0; --d) {
    PetscInt number = 0;

    for (PetscInt code = 0; code < (dim == 3 ? 27 : 9); ++code) { /* axis a: digit a to the base 3, 2 is along */
      Ridge r        = {.dim = 0, .side = {-1, -1, -1}};
      char  name[32] = "";
      int   round    = 0;

      for (PetscInt a = 0, left = code; a < dim; ++a, left /= 3) {
        r.side[a] = left % 3 == 2 ? -1 : left % 3;
        r.dim += r.side[a] < 0 ? 1 : 0;
        if (r.side[a] < 0) continue;
        round |= mesh->periodic[a] ? 1 : 0;
        if (name[0]) PetscCall(RungTextAppend(name, "_", sizeof name));
        PetscCall(RungTextAppend(name, side_name[2 * a + r.side[a]], sizeof name));
      }
      if (r.dim != d) continue;
      ++number;
      if (round) continue;
      PetscCall(RungPartsAdd(&mesh->parts, name, number, d, &r.part));
      mesh->parts.part[r.part].total = 1;
      for (PetscInt a = 0; a < dim; ++a) mesh->parts.part[r.part].total *= r.side[a] < 0 ? mesh->box_count[a] : 1;
      ridge[(*count)++] = r;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void mark_ridges(RungMesh mesh, RungPiece *whole, PetscInt c, const PetscInt at[], const PetscInt corner[],
                        PetscInt ridges, const Ridge ridge[])
{
  const RungCell *cell = RungCellGet(whole->type);

  for (PetscInt i = 0; i < ridges; ++i) {
    const PetscInt n = ridge[i].dim ? cell->edges : cell->vertices;

    for (PetscInt e = 0; e < n; ++e) {
      PetscBool on = PETSC_TRUE;

      for (PetscInt v = 0; v < (ridge[i].dim ? 2 : 1); ++v) {
        const PetscInt bits = corner[ridge[i].dim ? cell->edge[e][v] : e];

        for (PetscInt a = 0; a < whole->dim; ++a) {
          const PetscInt s = ridge[i].side[a];

          if (s >= 0 && ((bits >> a & 1) != s || at[a] != (s ? mesh->box_count[a] - 1 : 0))) on = PETSC_FALSE;
        }
      }
      if (on) {
        PetscInt *mark = whole->mark + 3 * whole->marks++;

        mark[0] = ridge[i].part, mark[1] = c, mark[2] = e;
      }
    }
  }
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static PetscInt least_node(PetscInt nv, const PetscInt corner[], const PetscInt node[])
{
  PetscInt least = node[corner[0]];

  for (PetscInt i = 1; i < nv; ++i) least = PetscMin(least, node[corner[i]]);
  return least;
}

/* corner[bits x + 2 y + 4 z] of a block, nodes of the piece; beyond the end of a periodic axis those of the beginning */
static void find_corners(const Grid *g, const PetscInt at[], PetscInt corner[8])
{
  for (PetscInt bits = 0; bits < 1 << g->axes; ++bits) {
    PetscInt place = 0;

    for (PetscInt a = g->axes - 1; a >= 0; --a) {
      const PetscInt in = at[a] + (bits >> a & 1) - g->brick.low[a];

      place = place * g->nodes[a] + (in < g->nodes[a] ? in : 0);
    }
    corner[bits] = g->node[place];
  }
}

static PetscReal coordinate(RungMesh mesh, PetscInt axis, PetscInt at)
{
  return mesh->box_lower[axis] + mesh->box_size[axis] * (PetscReal)at / (PetscReal)mesh->box_count[axis];
}

/* Where the nodes are, and their numbers in the whole box, which a part of it needs. */
static void place_nodes(RungMesh mesh, RungPiece *piece, const Grid *g)
{
  for (PetscInt v = 0; v < piece->nodes; ++v) {
    PetscInt at[3], id = 0;

    find_place(g->nodes, g->place[v], at);
    for (PetscInt a = g->axes - 1; a >= 0; --a) {
      at[a]                     = (g->brick.low[a] + at[a]) % g->all[a];
      id                        = id * g->all[a] + at[a];
      piece->x[v * g->axes + a] = coordinate(mesh, a, at[a]);
    }
    if (piece->node_id) piece->node_id[v] = id;
  }
}

static PetscErrorCode allocate(RungMesh mesh, RungPiece *piece, const Grid *g, PetscInt per_box, PetscInt ridges,
                               const Ridge ridge[], PetscBool part)
{
  const RungCell *cell    = RungCellGet(piece->type);
  PetscInt        surface = 0;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < g->axes && g->total[0]; ++a) surface += 2 * per_box * (g->total[0] / g->blocks[a]);
  for (PetscInt i = 0; i < ridges; ++i) surface += per_box * blocks_at(mesh, &ridge[i], &g->brick, g->axes);
  piece->cells = g->total[0] * per_box;
  piece->nodes = g->total[1];
  PetscCall(PetscMalloc1(piece->cells * cell->vertices, &piece->cell_node));
  PetscCall(PetscMalloc1(piece->cells, &piece->cell_id));
  if (piece->degree) PetscCall(PetscMalloc1(piece->cells * cell->vertices * g->axes, &piece->shape));
  PetscCall(PetscMalloc1(3 * surface, &piece->mark));
  PetscCall(PetscMalloc1(piece->nodes * g->axes, &piece->x));
  if (part) {
    PetscCall(PetscCalloc1(piece->cells, &piece->exterior));
    PetscCall(PetscMalloc1(piece->nodes, &piece->node_id));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where cells of least node v begin, next[v], in the order of these nodes: tetrahedra of a block lie between three levels. */
static void find_starts(const Grid *g, PetscInt per_box, const PetscInt corner[], PetscInt nv, PetscInt next[])
{
  PetscInt at[3], node[8];

  for (PetscInt b = 0; b < g->total[0]; ++b) {
    find_place(g->blocks, g->block[b], at);
    for (PetscInt a = 0; a < 3; ++a) at[a] += g->brick.low[a];
    find_corners(g, at, node);
    for (PetscInt k = 0; k < per_box; ++k) ++next[least_node(nv, corner + k * nv, node) + 1];
  }
  for (PetscInt v = 0; v < g->total[1]; ++v) next[v + 1] += next[v];
}

static PetscErrorCode make_cells(RungMesh mesh, RungPiece *piece, const Grid *g, const PetscInt part[], PetscInt ridges,
                                 const Ridge ridge[])
{
  const RungCell     *cell = RungCellGet(piece->type);
  const PetscInt     *corner, per_box = RungBoxCells(piece->type, &corner), nv = cell->vertices;
  PetscInt            count[3] = {1, 1, 1}, at[3], node[8];
  RUNG_FREE PetscInt *next     = NULL;

  PetscFunctionBegin;
  if (g->levels && per_box > 1) {
    PetscCall(PetscCalloc1(g->total[1] + 1, &next));
    find_starts(g, per_box, corner, nv, next);
  }
  for (PetscInt a = 0; a < g->axes; ++a) count[a] = mesh->box_count[a];
  for (PetscInt b = 0; b < g->total[0]; ++b) {
    PetscInt ends = 0; /* axes at one end of which the block lies */

    find_place(g->blocks, g->block[b], at);
    for (PetscInt a = 0; a < 3; ++a) at[a] += g->brick.low[a];
    find_corners(g, at, node);
    for (PetscInt a = 0; a < g->axes; ++a) ends += at[a] == 0 || at[a] == count[a] - 1 ? 1 : 0;
    for (PetscInt k = 0; k < per_box; ++k) {
      const PetscInt c = next ? next[least_node(nv, corner + k * nv, node)]++ : b * per_box + k;

      piece->cell_id[c] = (at[0] + count[0] * (at[1] + count[1] * at[2])) * per_box + k;
      for (PetscInt v = 0; v < nv; ++v) {
        const PetscInt bits = corner[k * nv + v], i = c * nv + v;

        piece->cell_node[i] = node[bits];
        for (PetscInt a = 0; a < g->axes && piece->degree; ++a)
          piece->shape[i * g->axes + a] = coordinate(mesh, a, at[a] + (bits >> a & 1));
      }
      if (ends > 0) mark_sides(mesh, piece, c, at, corner + k * nv, part);
      if (ends > 1) mark_ridges(mesh, piece, c, at, corner + k * nv, ridges, ridge);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMakeBox(RungMesh mesh, const RungBrick *brick, RungPiece *whole, RungFinding *finding)
{
  double          numbers = 24; /* the largest table has 24 numbers for a little box of six tetrahedra: x 3 */
  const PetscInt *corner;
  PetscInt        side_part[6], ridges;
  Ridge           ridge[RIDGES];
  RUNG_OWNED(grid_destroy) Grid grid = {.axes = 0};

  PetscFunctionBegin;
  whole->type = mesh->box_type;
  whole->dim  = RungCellGet(whole->type)->dim;
  for (PetscInt a = 0; a < whole->dim; ++a) numbers *= 1. + (double)mesh->box_count[a];
  if (3 * numbers > (double)PETSC_MAX_INT) {
    RungFound(finding, "a box mesh of about %g cells is more than this PETSc can number with %d bits; ask for fewer",
              numbers / 24, (int)(8 * sizeof(PetscInt)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt a = 0; a < whole->dim; ++a) {
    if (mesh->periodic[a]) whole->degree = 1, whole->glued = PETSC_TRUE;
    for (int s = 0; s < 2 && !mesh->periodic[a]; ++s) {
      PetscInt part;

      PetscCall(RungPartsAdd(&mesh->parts, side_name[2 * a + s], 2 * a + s + 1, whole->dim - 1, &part));
      side_part[2 * a + s] = part;
    }
  }
  PetscCall(add_ridges(mesh, whole->dim, ridge, &ridges));
  PetscCall(grid_create(mesh, brick, whole->dim, &grid));
  PetscCall(
    allocate(mesh, whole, &grid, RungBoxCells(whole->type, &corner), ridges, ridge, brick ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(make_cells(mesh, whole, &grid, side_part, ridges, ridge));
  place_nodes(mesh, whole, &grid);
  whole->nodes_ordered = whole->cells_ordered = grid.levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}
