/* mesh_refine.c - uniform refinement of a rank's piece: every cell into 2^dim, parts and curved maps inherited.

   The new vertices are the nodes of P2 or Q2: the middles of edges, and of faces and cells of boxes.  A simplex has a
   child at each corner; the octahedron that is left of a tetrahedron is cut along its shortest diagonal, which keeps the
   angles of repeated refinement bounded (Bey 1995 and others).  A curved child is the restriction of its parent's map. */
#include "fe_impl.h"

enum { VARIANTS = 3 }; /* diagonals of the octahedron */

/* How a cell is cut; nodes are those of degree 2. */
typedef struct {
  RungElement *map; /* owned, of degree 2                                                                */
  PetscInt     children;
  PetscInt     variants; /* 3 for tetrahedra, else 1                                                          */
  PetscInt     corner[VARIANTS][8][8]; /* [variant][child][vertex] node                                            */
  PetscInt     facet[VARIANTS][8][6];  /* [variant][child][facet] facet of the parent that holds it, or -1         */
  PetscInt     edge[VARIANTS][8][12];  /* [variant][child][edge] edge of the parent that holds it, or -1           */
  PetscReal   *table[VARIANTS][8]; /* owned, [variant][child][node of its map][node of the parent's]; NULL: straight */
} Cut;

/* ---- the cut of a reference cell ---------------------------------------------------------------------------------- */

/* The node of degree 2 in the middle of vertices v, w of a simplex. */
static PetscInt middle(const RungElement *map, PetscInt v, PetscInt w)
{
  PetscInt i = 0;

  for (; i < map->nodes; ++i) {
    PetscInt a[4] = {0, 0, 0, 0}, k = 0;

    ++a[v], ++a[w];
    while (k < 4 && map->lattice[4 * i + k] == a[k]) ++k;
    if (k == 4) break;
  }
  return i;
}

static PetscReal orientation_of(const RungElement *map, const PetscInt node[])
{
  PetscReal d[3][3];

  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) d[i][a] = map->node[3 * node[i + 1] + a] - map->node[3 * node[0] + a];
  }
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* The ends of the diagonals of the octahedron: middles of opposite edges. */
static const PetscInt opposite[VARIANTS][2][2] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0, 3}, {1, 2}}};

static void cut_octahedron(const RungElement *map, PetscInt variant, PetscInt corner[][8])
{
  PetscInt end[VARIANTS][2];

  for (int i = 0; i < VARIANTS; ++i) {
    for (int s = 0; s < 2; ++s) end[i][s] = middle(map, opposite[i][s][0], opposite[i][s][1]);
  }
  for (int k = 0; k < 4; ++k) { /* around the diagonal: a, b, a', b' */
    const PetscInt a = (variant + 1) % VARIANTS, b = (variant + 2) % VARIANTS;
    const PetscInt ring[4] = {end[a][0], end[b][0], end[a][1], end[b][1]};
    PetscInt       node[4] = {end[variant][0], end[variant][1], ring[k], ring[(k + 1) % 4]};

    if (orientation_of(map, node) < 0) {
      const PetscInt swap = node[2];

      node[2] = node[3];
      node[3] = swap;
    }
    for (int v = 0; v < 4; ++v) corner[4 + k][v] = node[v];
  }
}

static void set_corners(Cut *cut)
{
  const RungElement *map  = cut->map;
  const RungCell    *cell = RungCellGet(map->type);

  for (PetscInt variant = 0; variant < cut->variants; ++variant) {
    PetscInt(*corner)[8] = cut->corner[variant];

    for (PetscInt k = 0; k < cell->vertices; ++k) {
      for (PetscInt v = 0; v < cell->vertices; ++v) {
        corner[k][v] = 0;
        if (cell->simplex) corner[k][v] = middle(map, k, v);
        for (PetscInt i = 0; i < map->nodes && !cell->simplex; ++i) {
          PetscInt a = 0;

          while (a < cell->dim && map->lattice[4 * i + a] == (k >> a & 1) + (v >> a & 1)) ++a;
          if (a == cell->dim) corner[k][v] = i;
        }
      }
    }
    for (PetscInt v = 0; v < 3 && map->type == RUNG_TRIANGLE; ++v) corner[3][v] = middle(map, (v + 1) % 3, (v + 2) % 3);
    if (map->type == RUNG_TETRAHEDRON) cut_octahedron(map, variant, corner);
  }
}

/* A facet of a child lies in a facet of the parent if all its corners do. */
static void set_facets(Cut *cut)
{
  const RungElement *map  = cut->map;
  const RungCell    *cell = RungCellGet(map->type);
  const PetscInt     m    = RungCellGet(cell->facet_type)->vertices;

  for (PetscInt i = 0; i < cut->variants * cut->children * cell->facets; ++i) {
    const PetscInt f = i % cell->facets, k = i / cell->facets % cut->children,
                   variant = i / cell->facets / cut->children;

    cut->facet[variant][k][f] = -1;
    for (PetscInt p = 0; p < cell->facets; ++p) {
      PetscInt on = 0;

      for (PetscInt v = 0; v < m; ++v) {
        for (PetscInt j = map->facet_start[p]; j < map->facet_start[p + 1]; ++j)
          on += map->facet_node[j] == cut->corner[variant][k][cell->facet[f][v]] ? 1 : 0;
      }
      if (on == m) cut->facet[variant][k][f] = p;
    }
  }
}

/* An edge of a child lies in an edge of the parent if its ends do: they are ends of that or its middle. */
static void set_edges(Cut *cut)
{
  const RungElement *map  = cut->map;
  const RungCell    *cell = RungCellGet(map->type);

  for (PetscInt i = 0; i < cut->variants * cut->children * cell->edges; ++i) {
    const PetscInt e = i % cell->edges, k = i / cell->edges % cut->children, variant = i / cell->edges / cut->children;

    cut->edge[variant][k][e] = -1;
    for (PetscInt p = 0; p < cell->edges; ++p) {
      PetscInt on = 0;

      for (PetscInt v = 0; v < 2; ++v) {
        const PetscInt node = cut->corner[variant][k][cell->edge[e][v]];

        on += node == cell->edge[p][0] || node == cell->edge[p][1] || node == map->entity_start[1] + p ? 1 : 0;
      }
      if (on == 2) cut->edge[variant][k][e] = p;
    }
  }
}

/* The parent's map at the nodes of the child's. */
static PetscErrorCode set_tables(Cut *cut, PetscInt degree)
{
  const RungCell *cell = RungCellGet(cut->map->type);
  const PetscInt  n = RungCellNodes(cut->map->type, degree), nv = cell->vertices;
  RungElement    *child;
  PetscReal      *corner, *X; /* corner[node][vertex], X[node][axis] */

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(cut->map->type, degree, &child));
  PetscCall(PetscMalloc2(n * nv, &corner, n * cell->dim, &X));
  PetscCall(RungCellTabulate(cut->map->type, 1, n, child->node, 0, corner));
  for (PetscInt i = 0; i < cut->variants * cut->children; ++i) {
    const PetscInt variant = i / cut->children, k = i % cut->children;

    for (PetscInt j = 0; j < n * cell->dim; ++j) {
      X[j] = 0;
      for (PetscInt v = 0; v < nv; ++v)
        X[j] += corner[j / cell->dim * nv + v] * cut->map->node[cut->corner[variant][k][v] * cell->dim + j % cell->dim];
    }
    PetscCall(PetscMalloc1(n * n, &cut->table[variant][k]));
    PetscCall(RungCellTabulate(cut->map->type, degree, n, X, 0, cut->table[variant][k]));
  }
  PetscCall(PetscFree2(corner, X));
  PetscCall(RungElementDestroy(&child));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_create(const RungPiece *piece, Cut *cut)
{
  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(piece->type, 2, &cut->map));
  cut->children = (PetscInt)1 << RungCellGet(piece->type)->dim;
  cut->variants = piece->type == RUNG_TETRAHEDRON ? VARIANTS : 1;
  set_corners(cut);
  set_facets(cut);
  set_edges(cut);
  if (piece->degree) PetscCall(set_tables(cut, piece->degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_destroy(Cut *cut)
{
  PetscFunctionBegin;
  for (int variant = 0; variant < VARIANTS; ++variant) {
    for (int k = 0; k < 8; ++k) PetscCall(PetscFree(cut->table[variant][k]));
  }
  PetscCall(RungElementDestroy(&cut->map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCutCorners(RungCellType type, PetscInt *variants, PetscInt corner[][8][8])
{
  const RungPiece straight = {.type = type};
  Cut             cut      = {0};

  PetscFunctionBegin;
  PetscCall(cut_create(&straight, &cut));
  *variants = cut.variants;
  PetscCall(PetscMemcpy(corner, cut.corner, sizeof cut.corner));
  PetscCall(cut_destroy(&cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- new vertices ------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt  *cell_node; /* owned, [cell][node of degree 2] vertices of the new piece */
  PetscInt   nodes;
  PetscInt  *id;        /* owned, [vertex]                                           */
  PetscReal *x;         /* owned, [vertex][dim]                                      */
  PetscInt   base, ids; /* vertices, ids so far                                      */
} Vertices;

/* Numbers of entities that all their holders agree on, from ids on.  key[count][width] nodes; sorts them by id. */
static PetscErrorCode agree_on_ids(MPI_Comm comm, const RungPiece *piece, PetscInt width, PetscInt count,
                                   PetscInt key[], Vertices *vertices)
{
  PetscInt     *name, *owner, *holders, *global = vertices->id + vertices->base, mine = 0, start, total;
  PetscMPIInt   me;
  RungDirectory dir;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &me));
  PetscCall(PetscMalloc3(count * width, &name, count, &owner, count, &holders));
  for (PetscInt i = 0; i < count; ++i) {
    for (PetscInt k = 0; k < width; ++k) name[i * width + k] = piece->node_id[key[i * width + k]];
    PetscCall(PetscSortIntWithArray(width, name + i * width, key + i * width));
  }
  PetscCall(RungDirectoryCreate(comm, width, count, name, &dir));
  PetscCall(RungDirectoryChoose(dir, owner, holders, NULL));
  for (PetscInt i = 0; i < count; ++i) mine += owner[i] == me ? 1 : 0;
  PetscCallMPI(MPI_Scan(&mine, &start, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&mine, &total, 1, MPIU_INT, MPI_SUM, comm));
  start += vertices->ids - mine;
  for (PetscInt i = 0; i < count; ++i) global[i] = owner[i] == me ? start++ : -1;
  PetscCall(RungDirectoryMax(dir, global));
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscFree3(name, owner, holders));
  vertices->ids += total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex in the middle of every entity of dimension d, if its cells have a node of degree 2 there. */
static PetscErrorCode add_middles(MPI_Comm comm, const RungPiece *piece, const Cut *cut, PetscInt d, Vertices *vertices)
{
  const RungElement *map = cut->map;
  const PetscInt     nv = RungCellGet(piece->type)->vertices, dim = piece->dim;
  PetscInt           n, m, stride, count, *entity, *key;
  const PetscInt    *corner;

  PetscFunctionBegin;
  if (!map->entity_nodes[d]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCellEntities(RungCellGet(piece->type), d, &n, &m, &corner, &stride));
  PetscCall(RungNumberEntities(piece->cells, nv, piece->cell_node, n, m, corner, stride, &count, &entity, &key));
  PetscCall(PetscRealloc((size_t)(vertices->base + count + 1) * sizeof(PetscInt), &vertices->id));
  PetscCall(PetscRealloc((size_t)((vertices->base + count) * dim + 1) * sizeof(PetscReal), &vertices->x));
  PetscCall(agree_on_ids(comm, piece, m, count, key, vertices));
  for (PetscInt i = 0; i < count * dim; ++i) {
    PetscReal *x = vertices->x + vertices->base * dim + i;

    *x = 0;
    for (PetscInt v = 0; v < m; ++v) *x += piece->x[key[i / dim * m + v] * dim + i % dim];
    *x /= (PetscReal)m;
  }
  for (PetscInt i = 0; i < piece->cells * n; ++i)
    vertices->cell_node[i / n * map->nodes + map->entity_start[d] + i % n] = vertices->base + entity[i];
  vertices->base += count;
  PetscCall(PetscFree(entity));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_vertices(MPI_Comm comm, const RungPiece *piece, const Cut *cut, Vertices *vertices)
{
  const PetscInt nv = RungCellGet(piece->type)->vertices, n = cut->map->nodes;
  PetscInt       most = -1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(piece->cells * n, &vertices->cell_node));
  PetscCall(PetscMalloc1(piece->nodes + 1, &vertices->id));
  PetscCall(PetscMalloc1(piece->nodes * piece->dim + 1, &vertices->x));
  PetscCall(PetscArraycpy(vertices->id, piece->node_id, piece->nodes));
  PetscCall(PetscArraycpy(vertices->x, piece->x, piece->nodes * piece->dim));
  for (PetscInt i = 0; i < piece->cells * nv; ++i) vertices->cell_node[i / nv * n + i % nv] = piece->cell_node[i];
  for (PetscInt v = 0; v < piece->nodes; ++v) most = PetscMax(most, piece->node_id[v]);
  PetscCallMPI(MPI_Allreduce(&most, &vertices->ids, 1, MPIU_INT, MPI_MAX, comm));
  ++vertices->ids;
  vertices->base = piece->nodes;
  for (PetscInt d = 1; d <= RungCellGet(piece->type)->dim; ++d) PetscCall(add_middles(comm, piece, cut, d, vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- children ----------------------------------------------------------------------------------------------------- */

/* The shortest diagonal; of equal ones, up to rounding, the first. */
static PetscInt choose_variant(const RungPiece *piece, const Cut *cut, PetscInt c)
{
  PetscReal least   = PETSC_MAX_REAL, x[4][3];
  PetscInt  variant = 0;

  if (cut->variants == 1) return 0;
  for (PetscInt v = 0; v < 4; ++v) {
    for (PetscInt a = 0; a < 3; ++a)
      x[v][a] = piece->degree ? piece->shape[(c * RungPieceShapeNodes(piece) + v) * 3 + a]
                              : piece->x[piece->cell_node[4 * c + v] * 3 + a];
  }
  for (PetscInt i = 0; i < VARIANTS; ++i) {
    PetscReal length = 0;

    for (int a = 0; a < 3; ++a)
      length += PetscSqr(x[opposite[i][0][0]][a] + x[opposite[i][0][1]][a] - x[opposite[i][1][0]][a] -
                         x[opposite[i][1][1]][a]);
    if (length < least * (1 - 1e-10)) variant = i, least = length;
  }
  return variant;
}

static void make_child(const RungPiece *piece, const Cut *cut, const Vertices *vertices, PetscInt c, PetscInt variant,
                       PetscInt k, RungPiece *fine)
{
  const RungCell *cell  = RungCellGet(piece->type);
  const PetscInt  child = c * cut->children + k, n = RungPieceShapeNodes(piece), dim = piece->dim;

  fine->cell_id[child]  = piece->cell_id[c] * cut->children + k;
  fine->exterior[child] = 0;
  for (PetscInt v = 0; v < cell->vertices; ++v)
    fine->cell_node[child * cell->vertices + v] = vertices->cell_node[c * cut->map->nodes + cut->corner[variant][k][v]];
  for (PetscInt f = 0; f < cell->facets; ++f) {
    const PetscInt p = cut->facet[variant][k][f];

    if (p >= 0 && (piece->exterior[c] >> p & 1)) fine->exterior[child] |= (PetscInt)1 << f;
  }
  for (PetscInt i = 0; i < (piece->degree ? n * dim : 0); ++i) {
    PetscReal *x = &fine->shape[child * n * dim + i];

    *x = 0;
    for (PetscInt j = 0; j < n; ++j)
      *x += cut->table[variant][k][i / dim * n + j] * piece->shape[(c * n + j) * dim + i % dim];
  }
}

/* Is entity i of dimension d of a child, -1: the child itself, in that entity of the parent?  A vertex of the parent is the
   same vertex of the child at this corner. */
static PetscBool inherits(const Cut *cut, PetscInt variant, PetscInt child, PetscInt d, PetscInt i, PetscInt parent)
{
  const PetscInt dim = RungCellGet(cut->map->type)->dim;

  if (d == dim) return PETSC_TRUE;
  if (d == dim - 1) return cut->facet[variant][child][i] == parent ? PETSC_TRUE : PETSC_FALSE;
  if (d) return cut->edge[variant][child][i] == parent ? PETSC_TRUE : PETSC_FALSE;
  return cut->corner[variant][child][i] == parent ? PETSC_TRUE : PETSC_FALSE;
}

static void mark_children(const RungParts *parts, const RungPiece *piece, const Cut *cut, const PetscInt variant[],
                          RungPiece *fine)
{
  const RungCell *cell = RungCellGet(piece->type);

  for (PetscInt i = 0; i < piece->marks; ++i) {
    const PetscInt part = piece->mark[3 * i], c = piece->mark[3 * i + 1], entity = piece->mark[3 * i + 2];
    const PetscInt d = parts->part[part].dim;
    const PetscInt n = d == cell->dim ? 1 : d == cell->dim - 1 ? cell->facets : d ? cell->edges : cell->vertices;

    for (PetscInt k = 0; k < cut->children; ++k) {
      for (PetscInt f = 0; f < n; ++f) {
        PetscInt *mark = fine->mark + 3 * fine->marks;

        if (!inherits(cut, variant[c], k, d, f, entity)) continue;
        mark[0] = part, mark[1] = c * cut->children + k, mark[2] = entity < 0 ? -1 : f;
        ++fine->marks;
      }
    }
  }
}

PetscErrorCode RungPieceRefine(MPI_Comm comm, const RungParts *parts, RungPiece *piece)
{
  const PetscInt nv       = RungCellGet(piece->type)->vertices;
  Cut            cut      = {0};
  Vertices       vertices = {0};
  RungPiece      fine     = {.type = piece->type, .dim = piece->dim, .degree = piece->degree};
  PetscInt      *variant;

  PetscFunctionBegin;
  PetscCall(cut_create(piece, &cut));
  PetscCall(make_vertices(comm, piece, &cut, &vertices));
  fine.cells   = piece->cells * cut.children;
  fine.nodes   = vertices.base;
  fine.node_id = vertices.id;
  fine.x       = vertices.x;
  PetscCall(PetscMalloc1(fine.cells * nv, &fine.cell_node));
  PetscCall(PetscMalloc1(fine.cells, &fine.cell_id));
  PetscCall(PetscMalloc1(fine.cells, &fine.exterior));
  PetscCall(PetscMalloc1(3 * piece->marks * cut.children, &fine.mark));
  PetscCall(PetscMalloc1(piece->cells, &variant));
  if (fine.degree) PetscCall(PetscMalloc1(fine.cells * RungPieceShapeNodes(piece) * fine.dim, &fine.shape));
  for (PetscInt c = 0; c < piece->cells; ++c) {
    variant[c] = choose_variant(piece, &cut, c);
    for (PetscInt k = 0; k < cut.children; ++k) make_child(piece, &cut, &vertices, c, variant[c], k, &fine);
  }
  mark_children(parts, piece, &cut, variant, &fine);
  PetscCall(PetscFree(variant));
  PetscCall(PetscFree(vertices.cell_node));
  PetscCall(cut_destroy(&cut));
  PetscCall(RungPieceDestroy(piece));
  *piece = fine;
  PetscFunctionReturn(PETSC_SUCCESS);
}
