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

/* The blocks of a piece among those of the box, and how it numbers its nodes: along each axis, by first appearance later. */
typedef struct {
  RungBrick brick;
  PetscInt  axes;
  PetscInt  nodes[3]; /* [axis] of the piece                                  */
  PetscInt  all[3];   /* [axis] nodes of the box                              */
  PetscInt  total;    /* product of nodes                                     */
  PetscInt *local;    /* owned, [place in the brick] node of the piece, or -1 */
} Grid;

static PetscErrorCode grid_create(RungMesh mesh, const RungBrick *brick, PetscInt dim, Grid *g)
{
  PetscFunctionBegin;
  *g = (Grid){.axes = dim, .total = 1};
  for (PetscInt a = 0; a < 3; ++a) {
    const PetscInt  count = a < dim ? mesh->box_count[a] : 1;
    const PetscBool round = a < dim ? mesh->periodic[a] : PETSC_FALSE;

    g->brick.low[a]  = brick ? brick->low[a] : 0;
    g->brick.high[a] = brick ? brick->high[a] : count;
    g->nodes[a]      = g->brick.high[a] - g->brick.low[a] + 1;
    g->all[a]        = a < dim ? count + (round ? 0 : 1) : 1;
    if (a >= dim || (round && g->nodes[a] > count)) --g->nodes[a]; /* closes upon itself */
    g->total *= g->nodes[a];
  }
  PetscCall(PetscMalloc1(g->total, &g->local));
  for (PetscInt i = 0; i < g->total; ++i) g->local[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* Where the corners of a block are. */
typedef struct {
  PetscInt id[8],
    here[8]; /* [bits x + 2 y + 4 z] number in the whole box, place in the brick; beyond the end of a periodic axis
                              that of the beginning */
} Corners;

static void find_corners(const Grid *g, const PetscInt at[], Corners *corners)
{
  for (PetscInt bits = 0; bits < 1 << g->axes; ++bits) {
    PetscInt id = 0, here = 0;

    for (PetscInt a = g->axes - 1; a >= 0; --a) {
      const PetscInt place = at[a] + (bits >> a & 1), in = place - g->brick.low[a];

      id   = id * g->all[a] + (place < g->all[a] ? place : 0);
      here = here * g->nodes[a] + (in < g->nodes[a] ? in : 0);
    }
    corners->id[bits]   = id;
    corners->here[bits] = here;
  }
}

/* Vertex i of the piece's cells, at corner `bits` of a block. */
static void set_vertex(RungMesh mesh, RungPiece *piece, const Grid *g, PetscInt i, const PetscInt at[],
                       const Corners *corners, PetscInt bits)
{
  PetscInt *local = &g->local[corners->here[bits]];

  for (PetscInt a = 0; a < g->axes && piece->degree; ++a)
    piece->shape[i * g->axes + a] = mesh->box_lower[a] + mesh->box_size[a] * (PetscReal)(at[a] + (bits >> a & 1)) /
                                                           (PetscReal)mesh->box_count[a];
  if (!piece->node_id) { /* the whole box: nodes are numbered as they lie */
    piece->cell_node[i] = corners->here[bits];
    return;
  }
  if (*local < 0) {
    *local                 = piece->nodes++;
    piece->node_id[*local] = corners->id[bits];
  }
  piece->cell_node[i] = *local;
}

/* Where the nodes are, from their numbers in the box. */
static void place_nodes(RungMesh mesh, RungPiece *piece, const Grid *g)
{
  for (PetscInt v = 0; v < piece->nodes; ++v) {
    PetscInt left = piece->node_id ? piece->node_id[v] : v;

    for (PetscInt a = 0; a < g->axes; ++a, left /= g->all[a - 1])
      piece->x[v * g->axes + a] = mesh->box_lower[a] +
                                  mesh->box_size[a] * (PetscReal)(left % g->all[a]) / (PetscReal)mesh->box_count[a];
  }
}

static PetscErrorCode allocate(RungMesh mesh, RungPiece *piece, const Grid *g, PetscInt per_box, PetscInt ridges,
                               const Ridge ridge[], PetscBool part)
{
  const RungCell *cell   = RungCellGet(piece->type);
  PetscInt        blocks = 1, surface = 0;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < 3; ++a) blocks *= g->brick.high[a] - g->brick.low[a];
  for (PetscInt a = 0; a < g->axes && blocks; ++a)
    surface += 2 * per_box * (blocks / (g->brick.high[a] - g->brick.low[a]));
  for (PetscInt i = 0; i < ridges; ++i) surface += per_box * blocks_at(mesh, &ridge[i], &g->brick, g->axes);
  piece->cells = blocks * per_box;
  piece->nodes = part ? 0 : g->total;
  PetscCall(PetscMalloc1(piece->cells * cell->vertices, &piece->cell_node));
  PetscCall(PetscMalloc1(piece->cells, &piece->cell_id));
  if (piece->degree) PetscCall(PetscMalloc1(piece->cells * cell->vertices * g->axes, &piece->shape));
  PetscCall(PetscMalloc1(3 * surface, &piece->mark));
  PetscCall(PetscMalloc1(g->total * g->axes, &piece->x));
  if (part) {
    PetscCall(PetscCalloc1(piece->cells, &piece->exterior));
    PetscCall(PetscMalloc1(g->total, &piece->node_id));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void make_cells(RungMesh mesh, RungPiece *piece, const Grid *g, const PetscInt part[], PetscInt ridges,
                       const Ridge ridge[])
{
  const RungCell *cell = RungCellGet(piece->type);
  const PetscInt *corner, per_box = RungBoxCells(piece->type, &corner), nv = cell->vertices;
  const PetscInt *low = g->brick.low, *high = g->brick.high;
  PetscInt        c = 0, count[3] = {1, 1, 1}, at[3];
  Corners         corners;

  for (PetscInt a = 0; a < g->axes; ++a) count[a] = mesh->box_count[a];
  for (at[2] = low[2]; at[2] < high[2]; ++at[2])
    for (at[1] = low[1]; at[1] < high[1]; ++at[1])
      for (at[0] = low[0]; at[0] < high[0]; ++at[0]) {
        PetscInt ends = 0; /* axes at one end of which the block lies */

        find_corners(g, at, &corners);
        for (PetscInt a = 0; a < g->axes; ++a) ends += at[a] == 0 || at[a] == count[a] - 1 ? 1 : 0;
        for (PetscInt k = 0; k < per_box; ++k, ++c) {
          piece->cell_id[c] = (at[0] + count[0] * (at[1] + count[1] * at[2])) * per_box + k;
          for (PetscInt v = 0; v < nv; ++v) set_vertex(mesh, piece, g, c * nv + v, at, &corners, corner[k * nv + v]);
          if (ends > 0) mark_sides(mesh, piece, c, at, corner + k * nv, part);
          if (ends > 1) mark_ridges(mesh, piece, c, at, corner + k * nv, ridges, ridge);
        }
      }
}

PetscErrorCode RungMeshMakeBox(RungMesh mesh, const RungBrick *brick, RungPiece *whole, RungFinding *finding)
{
  double          numbers = 24; /* the largest table has 24 numbers for a little box of six tetrahedra: x 3 */
  const PetscInt *corner;
  PetscInt        side_part[6], ridges;
  Ridge           ridge[RIDGES];
  Grid            grid;
  RUNG_FREE void *local = NULL; /* of the grid */

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
  local = grid.local;
  PetscCall(
    allocate(mesh, whole, &grid, RungBoxCells(whole->type, &corner), ridges, ridge, brick ? PETSC_TRUE : PETSC_FALSE));
  make_cells(mesh, whole, &grid, side_part, ridges, ridge);
  place_nodes(mesh, whole, &grid);
  PetscFunctionReturn(PETSC_SUCCESS);
}
