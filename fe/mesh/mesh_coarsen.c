/* mesh_coarsen.c - the mesh whose cells have been cut: parents and children by the numbers of the cells.

   A refined mesh has the cells number / 2^dim as parents.  A box of even counts is one of half the counts whose cells have been cut:
   its blocks tell, and in a block the simplex that holds all corners of the child.  All vertices of a child are vertices of its
   parent or middles, nodes of degree 2; whatever the parents are made of, corners, parts, boundary, curved maps, is read from the
   children.  Parents live where their children do: where ranks share one there is no coarser mesh. */
#include "fe_impl.h"
#include <rungnested_room.h>
#include <rungown_room.h>

#define WAYS 48 /* in which a child may lie in its parent: of the cells of a box's block, of variants of a cut */

typedef struct {
  RungMesh            mesh; /* lent: the fine one                                                        */
  const RungMeshData *data; /* of it                                                                     */
  const RungCell     *cell;
  RungElement        *map; /* owned, of degree 2                                                        */
  PetscInt            children, variants;
  PetscInt            nodes; /* of a parent that are looked for: of degree 2, or corners where these are enough    */
  PetscInt            cut[3][8][8]; /* [variant][child][vertex] node (mesh_refine.c)                       */
  PetscBool           box;          /* parents are those of a box of half the counts                     */
  PetscInt            parents;
  PetscInt           *number; /* owned, [parent] number in its mesh, ascending                             */
  PetscInt           *parent; /* owned, [cell]                                                             */
  signed char *way; /* owned, [cell] how it lies in its parent: of a box the place in the parents' block * cells of
                                 a block + cell of a block, of others variant * children + child            */
  PetscInt     node[WAYS][8];   /* [way][vertex] node of degree 2 of the parent                               */
  PetscInt     above[WAYS];     /* [way] of a box: the parent's place among those of its block                */
  PetscBool    corner[WAYS];    /* [way] the child has a corner of its parent                                 */
  signed char  on[3][WAYS][12]; /* [dimension][way][entity of the child] entity of the parent that holds it, or -1 */
  PetscInt    *vertex;          /* owned, [parent][nodes] that lies there, or -1                             */
  PetscInt
    *place; /* owned, [parent][nodes] node of the mesh's geometry there; `vertex` where cells have none of their own */
} Work;

/* ---- who is whose parent ------------------------------------------------------------------------------------------ */

/* Where the corners of parent p of a block lie, in steps of the fine box, and of which the fine vertices X are middles.
   Out node[vertex]; is it the parent? */
static PetscBool holds(const Work *w, const PetscInt corner[], const PetscInt X[][3], PetscInt node[])
{
  const PetscInt nv = w->cell->vertices;

  for (PetscInt i = 0; i < nv; ++i) {
    node[i] = -1;
    for (PetscInt a = 0; a < nv && node[i] < 0; ++a) {
      for (PetscInt b = a; b < nv && node[i] < 0; ++b) {
        PetscInt k = 0;

        while (k < w->cell->dim && X[i][k] == (corner[a] >> k & 1) + (corner[b] >> k & 1)) ++k;
        if (k == w->cell->dim) node[i] = w->cut[0][a][b]; /* child a has the middle of a and b as its vertex b */
      }
    }
    if (node[i] < 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The ways of a box: blocks are all cut alike. */
static PetscErrorCode look_at_a_block(Work *w)
{
  const PetscInt *corner, n = RungBoxCells(w->data->type, &corner), nv = w->cell->vertices;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->children * n; ++i) {
    PetscInt X[8][3], p = 0;

    for (PetscInt k = 0; k < nv * w->cell->dim; ++k) {
      const PetscInt v = k / w->cell->dim, a = k % w->cell->dim;

      X[v][a] = (i / n >> a & 1) + (corner[i % n * nv + v] >> a & 1);
    }
    if (n == 1) PetscCall(PetscArraycpy(w->node[i], w->cut[0][i], nv));
    while (n > 1 && p < n && !holds(w, corner + p * nv, (const PetscInt(*)[3])X, w->node[i])) ++p;
    PetscCheck(p < n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "cell %" PetscInt_FMT " of a block has no parent", i);
    w->above[i] = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parents' block of a block of a box, and the place in it. */
typedef struct {
  PetscInt block, parent, child;
} Place;

/* Of a cell of a box.  In  place  of the cell before, whose block is often the same.  Out way.  Returns the parent's number */
static PetscInt box_parent(const Work *w, PetscInt n, PetscInt number, Place *place, signed char *way)
{
  const PetscInt *count = w->mesh->box_count;
  PetscInt        cell  = number - place->block * n;

  if (cell < 0 || cell >= n) {
    PetscInt left = number / n, stride = 1;

    *place = (Place){.block = left};
    cell   = number - left * n;
    for (PetscInt a = 0; a < w->cell->dim; ++a) {
      const PetscInt at = left % count[a];

      left /= count[a];
      place->child |= (at % 2) << a;
      place->parent += at / 2 * stride;
      stride *= count[a] / 2;
    }
  }
  *way = (signed char)(place->child * n + cell);
  return place->parent * n + w->above[(int)*way];
}

#define DIGIT 11 /* bits */

/* Cells by numbers from 0 to most, those with the same one as they are: sorted digit by digit.  Out order[n] */
static PetscErrorCode sort_cells(PetscInt n, const PetscInt number[], PetscInt most, PetscInt order[])
{
  const PetscInt mask = ((PetscInt)1 << DIGIT) - 1;
  PetscInt      *from, start[((PetscInt)1 << DIGIT) + 1];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &from));
  for (PetscInt i = 0; i < n; ++i) order[i] = i;
  for (PetscInt shift = 0; shift < (PetscInt)(8 * sizeof most) - 1 && most >> shift; shift += DIGIT) {
    PetscCall(PetscArraycpy(from, order, n));
    PetscCall(PetscArrayzero(start, mask + 2));
    for (PetscInt i = 0; i < n; ++i) ++start[(number[i] >> shift & mask) + 1];
    for (PetscInt k = 0; k <= mask; ++k) start[k + 1] += start[k];
    for (PetscInt i = 0; i < n; ++i) order[start[number[from[i]] >> shift & mask]++] = from[i];
  }
  PetscCall(PetscFree(from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parents in the order of their numbers.  In  number[cell] of the parent, at most `most`.  *whole: every one has all its children here */
static PetscErrorCode sort_parents(Work *w, const PetscInt number[], PetscInt most, PetscBool *whole)
{
  const PetscInt      n     = w->data->cells;
  RUNG_FREE PetscInt *order = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &order));
  PetscCall(sort_cells(n, number, most, order));
  for (PetscInt i = 0; i < n && *whole; ++i) {
    const PetscInt p = i / w->children, c = order[i];

    if (i % w->children == 0) w->number[p] = number[c];
    if (number[c] != w->number[p]) *whole = PETSC_FALSE;
    w->parent[c] = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Out way[cell], but of variants, parent[cell]; parents whose numbers have no gaps, as on one rank, are in order. */
static PetscErrorCode find_parents(Work *w, PetscBool *whole)
{
  const PetscInt      n = w->data->cells, *corner, block = w->box ? RungBoxCells(w->data->type, &corner) : 0;
  RUNG_FREE PetscInt *count = NULL;
  PetscInt            most  = -1;
  Place               place = {.block = -1};
  PetscMPIInt         size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(w->mesh->comm, &size));
  w->parents = n / w->children;
  *whole     = n % w->children ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt c = 0; c < n; ++c) {
    const PetscInt mine = w->data->cell_number[c];

    w->parent[c] = w->box ? box_parent(w, block, mine, &place, &w->way[c]) : mine / w->children;
    if (!w->box) w->way[c] = (signed char)(mine % w->children);
    most = PetscMax(most, w->parent[c]);
  }
  if (!*whole) PetscFunctionReturn(PETSC_SUCCESS);
  if (most >= w->parents) {
    PetscCall(PetscMalloc1(n, &count));
    PetscCall(PetscArraycpy(count, w->parent, n));
    PetscCall(sort_parents(w, count, most, whole));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt p = 0; p < w->parents; ++p) w->number[p] = p;
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS); /* all cells are here */
  PetscCall(PetscCalloc1(w->parents, &count));
  for (PetscInt c = 0; c < n; ++c) ++count[w->parent[c]];
  for (PetscInt p = 0; p < w->parents; ++p)
    if (count[p] != w->children) *whole = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- how children lie in their parents ------------------------------------------------------------------------------ */

/* The way of child c, which is none of a corner, by nodes of the parent that are known. */
static PetscErrorCode fit_child(Work *w, PetscInt c)
{
  const PetscInt nv = w->cell->vertices, k = w->way[c];
  PetscInt       variant, v                = 0;

  PetscFunctionBegin;
  for (variant = 0; variant < w->variants; ++variant) {
    for (v = 0; v < nv; ++v)
      if (w->vertex[w->parent[c] * w->nodes + w->cut[variant][k][v]] != w->data->cell_entity[0][c * nv + v]) break;
    if (v == nv) break;
  }
  PetscCheck(variant < w->variants, PETSC_COMM_SELF, PETSC_ERR_PLIB, "cell %" PetscInt_FMT " fits no cut", c);
  w->way[c] = (signed char)(variant * w->children + k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Children at corners show all nodes, by which the others, of an octahedron, are known.  Those of a box are known. */
static PetscErrorCode place_children(Work *w)
{
  const PetscInt nv = w->cell->vertices;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->parents * w->nodes; ++i) w->vertex[i] = -1;
  for (PetscInt c = 0; c < w->data->cells; ++c) {
    const PetscInt *node  = w->node[(int)w->way[c]];
    const PetscInt  first = w->parent[c] * w->nodes;

    if (!w->corner[(int)w->way[c]]) continue;
    for (PetscInt v = 0; v < nv; ++v)
      if (node[v] < w->nodes) w->vertex[first + node[v]] = w->data->cell_entity[0][c * nv + v];
    for (PetscInt v = 0; v < nv && w->place != w->vertex; ++v)
      w->place[first + node[v]] = w->data->cell_node[c * w->data->nodes_per_cell + v];
  }
  for (PetscInt c = 0; c < w->data->cells && !w->box && w->variants > 1; ++c)
    if (!w->corner[(int)w->way[c]]) PetscCall(fit_child(w, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ways that look alike are one place, numbered as they come; the family takes w->way, which becomes that. */
static PetscErrorCode count_places(Work *w, RungFamily family)
{
  const PetscInt nv = w->cell->vertices;
  signed char    place[WAYS]; /* [way] -1: not seen */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(WAYS, &family->corner));
  for (int i = 0; i < WAYS; ++i) place[i] = -1;
  for (PetscInt c = 0; c < w->data->cells; ++c) {
    signed char *known = &place[(int)w->way[c]];

    if (*known < 0) {
      const PetscInt *node = w->node[(int)w->way[c]];
      PetscBool       same = PETSC_FALSE;

      for (*known = 0; *known < family->places; ++*known) {
        PetscCall(PetscArraycmp(family->corner[(int)*known], node, nv, &same));
        if (same) break;
      }
      if (!same) PetscCall(PetscArraycpy(family->corner[family->places++], node, nv));
    }
    w->way[c] = *known;
  }
  family->place = w->way;
  w->way        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the coarser mesh ----------------------------------------------------------------------------------------------- */

/* Does node of degree 2 lie on entity i of dimension d of the parent? */
static PetscBool lies_on(const Work *w, PetscInt d, PetscInt i, PetscInt node)
{
  const RungElement *map = w->map;

  if (d == w->cell->dim - 1) {
    for (PetscInt j = map->facet_start[i]; j < map->facet_start[i + 1]; ++j) {
      if (map->facet_node[j] == node) return PETSC_TRUE;
    }
    return PETSC_FALSE;
  }
  if (!d) return node == i ? PETSC_TRUE : PETSC_FALSE;
  return node == w->cell->edge[i][0] || node == w->cell->edge[i][1] || node == map->entity_start[1] + i ? PETSC_TRUE
                                                                                                        : PETSC_FALSE;
}

/* The entity of dimension d of its parent that holds entity e of a child that lies there in some way; -1: none does */
static PetscInt entity_of_parent(const Work *w, PetscInt d, PetscInt way, PetscInt e)
{
  const RungCell *cell  = w->cell;
  const PetscInt  facet = d == cell->dim - 1,
                 n      = facet ? cell->facets
                          : d   ? cell->edges
                                : cell->vertices,
                 m      = facet ? RungCellGet(cell->facet_type)->vertices
                          : d   ? 2
                                : 1;

  for (PetscInt i = 0; i < n; ++i) {
    PetscInt on = 0;

    for (PetscInt v = 0; v < m; ++v) {
      const PetscInt corner = facet ? cell->facet[e][v] : d ? cell->edge[e][v] : e;

      on += lies_on(w, d, i, w->node[way][corner]) ? 1 : 0;
    }
    if (on == m) return i;
  }
  return -1;
}

/* What is known of a child by its way alone; of a box all ways are there, of others those of all variants. */
static PetscErrorCode look_at_ways(Work *w)
{
  const PetscInt *corner, nv = w->cell->vertices;
  const PetscInt  ways = w->children * (w->box ? RungBoxCells(w->data->type, &corner) : w->variants);

  PetscFunctionBegin;
  PetscCheck(ways <= WAYS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " ways of children, more than %d", ways,
             WAYS);
  for (PetscInt way = 0; way < ways; ++way) {
    if (!w->box) PetscCall(PetscArraycpy(w->node[way], w->cut[way / w->children][way % w->children], nv));
    for (PetscInt v = 0; v < nv; ++v)
      if (w->node[way][v] < nv) w->corner[way] = PETSC_TRUE;
    for (PetscInt d = 0; d < w->cell->dim; ++d) {
      const PetscInt n = d == w->cell->dim - 1 ? w->cell->facets : d ? w->cell->edges : nv;

      for (PetscInt e = 0; e < n; ++e) w->on[d][way][e] = (signed char)entity_of_parent(w, d, way, e);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members of a part of the parents: those of the children, each once, by parent and entity.  Appends them to the piece's marks */
static PetscErrorCode mark_part(const Work *w, const RungPart *part, PetscInt index, RungPiece *piece)
{
  const PetscInt      sides = 12; /* entities of a cell, at most */
  RUNG_FREE PetscInt *key = NULL, *order = NULL;
  PetscInt            n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(part->count, &key));
  PetscCall(PetscMalloc1(part->count, &order));
  for (PetscInt i = 0; i < part->count; ++i) {
    const PetscInt c = part->cell[i],
                   e = part->dim == w->cell->dim ? 0 : w->on[part->dim][(int)w->way[c]][part->entity[i]];

    if (e >= 0) key[n++] = w->parent[c] * sides + e; /* or a vertex in the middle */
  }
  PetscCall(sort_cells(n, key, w->parents * sides, order));
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt *mark = piece->mark + 3 * piece->marks;

    if (i && key[order[i]] == key[order[i - 1]]) continue;
    mark[0] = index;
    mark[1] = key[order[i]] / sides;
    mark[2] = part->dim == w->cell->dim ? -1 : key[order[i]] % sides;
    ++piece->marks;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts by those of the children. */
static PetscErrorCode mark_parents(const Work *w, RungMesh coarse, RungPiece *piece)
{
  const RungParts *parts = &w->mesh->parts;
  PetscInt         room  = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < parts->n; ++p) room += parts->part[p].count;
  PetscCall(PetscMalloc1(3 * room, &piece->mark));
  for (PetscInt p = 0; p < parts->n; ++p) {
    const RungPart *part = &parts->part[p];
    PetscInt        index;

    PetscCall(RungPartsAdd(&coarse->parts, part->name, part->number, part->dim, &index));
    coarse->parts.part[index].total    = part->total >> part->dim;
    coarse->parts.part[index].interior = part->interior >> (w->cell->dim - 1);
    PetscCall(mark_part(w, part, index, piece));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners of parents, in the order of the fine vertices, in which they are half as far from each other. */
static PetscErrorCode set_nodes(const Work *w, RungPiece *piece)
{
  const PetscInt nv = w->cell->vertices, dim = w->data->dim, n = w->data->entities[0];
  PetscInt *local; /* [fine vertex] the node of the geometry there, then its place among the corners; -1: it is none */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->data->entities[0], &local));
  for (PetscInt v = 0; v < n; ++v) local[v] = -1;
  for (PetscInt p = 0; p < w->parents; ++p)
    for (PetscInt i = 0; i < nv; ++i) {
      PetscInt *at = &local[w->vertex[p * w->nodes + i]];

      if (*at < 0) *at = w->place[p * w->nodes + i];
    }
  for (PetscInt v = 0; v < n; ++v) piece->nodes += local[v] >= 0 ? 1 : 0;
  PetscCall(PetscMalloc1(w->parents * nv, &piece->cell_node));
  PetscCall(PetscMalloc1(piece->nodes, &piece->node_id));
  PetscCall(PetscMalloc1(piece->nodes * dim, &piece->x));
  for (PetscInt v = 0, k = 0; v < n; ++v) {
    if (local[v] < 0) continue;
    piece->node_id[k] = w->data->global[0][v];
    for (PetscInt a = 0; a < dim; ++a) piece->x[k * dim + a] = w->data->x[local[v] * dim + a];
    local[v] = k++;
  }
  for (PetscInt p = 0; p < w->parents; ++p)
    for (PetscInt i = 0; i < nv; ++i) piece->cell_node[p * nv + i] = local[w->vertex[p * w->nodes + i]];
  piece->nodes_ordered = PETSC_TRUE;
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_piece(const Work *w, RungMesh coarse, RungPiece *piece)
{
  const PetscInt dim = w->data->dim, n = w->mesh->shape_node ? w->data->nodes_per_cell : 0;

  PetscFunctionBegin;
  *piece = (RungPiece){.type   = w->data->type,
                       .dim    = dim,
                       .cells  = w->parents,
                       .degree = n ? w->data->geometry_degree : 0,
                       .glued  = w->mesh->glued};
  PetscCall(set_nodes(w, piece));
  PetscCall(PetscMalloc1(w->parents, &piece->cell_id));
  for (PetscInt p = 0; p < w->parents; ++p) piece->cell_id[p] = p; /* until renumber_parents() */
  if (n) PetscCall(PetscMalloc1(w->parents * n * dim, &piece->shape));
  for (PetscInt i = 0; i < w->parents * n; ++i) /* nodes of degree 1 and 2 are vertices of children */
    PetscCall(PetscArraycpy(piece->shape + i * dim, w->data->x + w->place[i / n * w->nodes + i % n] * dim, dim));
  PetscCall(PetscCalloc1(w->parents, &piece->exterior));
  for (PetscInt c = 0; c < w->data->cells; ++c) {
    for (PetscInt f = 0; f < w->cell->facets && w->mesh->exterior[c]; ++f) {
      if (w->mesh->exterior[c] >> f & 1)
        piece->exterior[w->parent[c]] |= (PetscInt)1 << w->on[w->cell->dim - 1][(int)w->way[c]][f];
    }
  }
  PetscCall(mark_parents(w, coarse, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_mesh(const Work *w, RungFamily family)
{
  RungMesh  fine = w->mesh, coarse;
  RungPiece piece;

  PetscFunctionBegin;
  PetscCall(RungMeshReference(fine));
  family->fine = fine;
  PetscCall(RungMeshCreate(fine->comm, &family->coarse));
  coarse           = family->coarse;
  coarse->source   = fine->source;
  coarse->box_type = fine->box_type;
  coarse->glued    = fine->glued;
  coarse->refine   = w->box ? 0 : fine->refine - 1;
  coarse->edge_cut = fine->edge_cut >> (w->cell->dim - 1);
  for (int a = 0; a < 3; ++a) {
    coarse->box_count[a] = w->box ? fine->box_count[a] / 2 : fine->box_count[a];
    coarse->box_size[a]  = fine->box_size[a];
    coarse->box_lower[a] = fine->box_lower[a];
    coarse->periodic[a]  = fine->periodic[a];
  }
  PetscCall(PetscStrncpy(coarse->path, fine->path, sizeof coarse->path));
  PetscCall(make_piece(w, coarse, &piece));
  PetscCall(RungMeshFlatten(coarse, &piece));
  coarse->ready = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells may have been moved: so far their numbers tell which of w->parents they are.  The family takes w->parent */
static PetscErrorCode renumber_parents(Work *w, RungFamily family)
{
  RungMeshData *data = &family->coarse->data;
  PetscInt     *now, *number;
  PetscBool     moved = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->parents, &now));
  PetscCall(PetscMalloc1(w->parents, &number));
  for (PetscInt c = 0; c < data->cells; ++c) {
    now[data->cell_number[c]] = c;
    number[c]                 = w->number[data->cell_number[c]];
    if (data->cell_number[c] != c) moved = PETSC_TRUE;
  }
  PetscCall(PetscFree(data->cell_number));
  data->cell_number = number;
  for (PetscInt c = 0; moved && c < w->data->cells; ++c) w->parent[c] = now[w->parent[c]];
  family->parent = w->parent;
  w->parent      = NULL;
  PetscCall(PetscFree(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

/* What every rank knows: refined, or a box of even counts that half of them may be cells of. */
static PetscBool may_have_parents(RungMesh mesh, PetscBool *box)
{
  *box = PETSC_FALSE;
  if (mesh->shape_node && mesh->data.geometry_degree > 2) return PETSC_FALSE;
  if (mesh->refine > 0) return PETSC_TRUE;
  if (mesh->source != RUNG_SOURCE_BOX) return PETSC_FALSE;
  *box = PETSC_TRUE;
  for (PetscInt a = 0; a < RungCellGet(mesh->box_type)->dim; ++a) {
    if (mesh->box_count[a] % 2 || (mesh->periodic[a] && mesh->box_count[a] < 6)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode RungMeshMayCoarsen(RungMesh mesh, PetscBool *may, PetscBool *sure)
{
  PetscMPIInt size;
  PetscBool   box;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  *may  = may_have_parents(mesh, &box);
  *sure = *may && (!box || size == 1) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(Work *w, RungFamily *family)
{
  const PetscInt n = w->data->cells;
  PetscBool      whole;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(w->data->type, 2, &w->map));
  w->nodes = w->box && !w->mesh->shape_node ? w->cell->vertices : w->map->nodes;
  PetscCall(RungCutCorners(w->data->type, &w->variants, w->cut));
  PetscCall(PetscMalloc1(n, &w->way));
  PetscCall(PetscMalloc1(n, &w->parent));
  PetscCall(PetscMalloc2(n / w->children, &w->number, n / w->children * w->nodes, &w->vertex));
  w->place = w->vertex;
  if (w->mesh->shape_node) PetscCall(PetscMalloc1(n / w->children * w->nodes, &w->place));
  if (w->box) PetscCall(look_at_a_block(w));
  PetscCall(look_at_ways(w));
  PetscCall(find_parents(w, &whole));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPIU_BOOL, MPI_LAND, w->mesh->comm));
  if (!whole) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(place_children(w));
  PetscCall(PetscNew(family));
  RungCallOrUndo(make_mesh(w, *family), PetscCall(RungFamilyDestroy(family)));
  RungCallOrUndo(renumber_parents(w, *family), PetscCall(RungFamilyDestroy(family)));
  RungCallOrUndo(count_places(w, *family), PetscCall(RungFamilyDestroy(family)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshCoarsen(RungMesh fine, RungFamily *family)
{
  Work w = {.mesh = fine};

  PetscFunctionBegin;
  RungNeed(fine);
  *family = NULL;
  PetscCall(RungMeshSetUp(fine));
  if (!may_have_parents(fine, &w.box)) PetscFunctionReturn(PETSC_SUCCESS);
  w.data     = &fine->data;
  w.cell     = RungCellGet(fine->data.type);
  w.children = (PetscInt)1 << w.cell->dim;
  RungCallFinally(fill(&w, family), if (w.place != w.vertex) PetscCall(PetscFree(w.place)); PetscCall(PetscFree(w.way));
                  PetscCall(PetscFree(w.parent)); PetscCall(PetscFree2(w.number, w.vertex));
                  PetscCall(RungElementDestroy(&w.map)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFamilyDestroy(RungFamily *family)
{
  RungFamily f = *family;

  PetscFunctionBegin;
  *family = NULL;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshDestroy(&f->coarse));
  PetscCall(RungMeshDestroy(&f->fine));
  PetscCall(PetscFree(f->parent));
  PetscCall(PetscFree(f->place));
  PetscCall(PetscFree(f->corner));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
