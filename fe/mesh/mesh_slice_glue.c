/* mesh_slice_glue.c - mesh_glue.c for slices: vertices that $Periodic calls the same become one on all ranks.

   Links are few, those of the boundary: every rank has all of them.  A class is its lowest vertex, its root, and classes are
   numbered as if the other members had never been there: root r becomes r minus the members below it. */
#include "mesh_slice_impl.h"

/* Where a node is among sorted ones, or how many are below it: - 1 - that. */
static PetscInt find(PetscInt n, const PetscInt sorted[], PetscInt node)
{
  PetscInt low = 0, high = n;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (sorted[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && sorted[low] == node ? low : -1 - low;
}

static PetscInt root(PetscInt parent[], PetscInt i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Classes of the vertices that link[links][2] names. */
static PetscErrorCode classes_create(PetscInt links, const PetscInt link[], RungClasses *c)
{
  PetscInt *parent;

  PetscFunctionBegin;
  c->linked = 2 * links;
  PetscCall(PetscMalloc1(c->linked, &c->node));
  PetscCall(PetscArraycpy(c->node, link, c->linked));
  PetscCall(PetscSortRemoveDupsInt(&c->linked, c->node));
  PetscCall(PetscMalloc1(c->linked, &parent));
  PetscCall(PetscMalloc1(c->linked, &c->root));
  PetscCall(PetscMalloc1(c->linked, &c->gone));
  for (PetscInt i = 0; i < c->linked; ++i) parent[i] = i;
  for (PetscInt i = 0; i < links; ++i) {
    const PetscInt a = root(parent, find(c->linked, c->node, link[2 * i])),
                   b = root(parent, find(c->linked, c->node, link[2 * i + 1]));

    parent[PetscMax(a, b)] = PetscMin(a, b);
  }
  for (PetscInt i = 0; i < c->linked; ++i) {
    c->root[i] = c->node[root(parent, i)];
    if (c->root[i] != c->node[i]) c->gone[c->merged++] = c->node[i];
  }
  PetscCall(PetscFree(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of a vertex's class. */
static PetscInt class_of(const RungClasses *c, PetscInt node)
{
  const PetscInt i = find(c->linked, c->node, node), first = i < 0 ? node : c->root[i];

  return first + 1 + find(c->merged, c->gone, first); /* a root is none of those that are gone */
}

PetscInt RungSliceRoot(const RungSlice *s, PetscInt number)
{
  PetscInt low = 0, high = s->classes.merged; /* gone[k] - k, which never falls, is at most number for k < low */

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (s->classes.gone[middle] - middle <= number)
      low = middle + 1;
    else
      high = middle;
  }
  return number + low;
}

/* ---- what may not become one ------------------------------------------------------------------------------------ */

/* Facets of which some vertices are linked and some are not: all that become one must have been one. */
typedef struct {
  PetscInt  n;
  PetscInt *before, *after; /* owned, [n][vertex of a facet] vertices, and their classes; ascending */
} Mixed;

static PetscErrorCode list_mixed(const RungSlice *s, const PetscInt class[], const PetscBool linked[], Mixed *mixed)
{
  const RungCell *cell = RungCellGet(s->piece.type);
  const PetscInt  m    = RungCellGet(cell->facet_type)->vertices;
  PetscInt        count, *facet, *key;

  PetscFunctionBegin;
  PetscCall(RungNumberEntities(s->piece.cells, cell->vertices, s->piece.cell_node, cell->facets, m, cell->facet[0], 4,
                               &count, &facet, &key));
  PetscCall(PetscFree(facet));
  for (int pass = 0; pass < 2; ++pass) {
    mixed->n = 0;
    for (PetscInt f = 0; f < count; ++f) {
      PetscInt some = 0;

      for (PetscInt k = 0; k < m; ++k) some += linked[key[f * m + k]] ? 1 : 0;
      if (!some || some == m) continue;
      for (PetscInt k = 0; k < m && pass; ++k) {
        mixed->before[mixed->n * m + k] = s->piece.node_id[key[f * m + k]];
        mixed->after[mixed->n * m + k]  = class[key[f * m + k]];
      }
      if (pass) RungSortFew(m, mixed->before + mixed->n * m);
      ++mixed->n;
    }
    if (pass) continue;
    PetscCall(PetscMalloc1(mixed->n * m, &mixed->before));
    PetscCall(PetscMalloc1(mixed->n * m, &mixed->after));
  }
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do all ranks know the same facet by a name?  In  name[count][m]; first[count] of mixed->before */
static PetscErrorCode compare_mixed(RungSlice *s, const Mixed *mixed, PetscInt m, PetscInt count, const PetscInt name[],
                                    const PetscInt first[])
{
  PetscInt     *most, *least;
  RungDirectory dir;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(count, &most, count, &least));
  PetscCall(RungDirectoryCreate(s->comm, m, count, name, &dir));
  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt i = 0; i < count; ++i) {
      most[i]  = mixed->before[first[i] * m + k];
      least[i] = -most[i];
    }
    PetscCall(RungDirectoryMax(dir, most));
    PetscCall(RungDirectoryMax(dir, least));
    for (PetscInt i = 0; i < count; ++i)
      if (most[i] != -least[i]) RungFound(&s->finding, "two facets that become one");
  }
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscFree2(most, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mixed(RungSlice *s, const Mixed *mixed)
{
  static const PetscInt self[4] = {0, 1, 2, 3};
  const PetscInt        m       = RungCellGet(RungCellGet(s->piece.type)->facet_type)->vertices;
  PetscInt              count, *of, *name, *first;

  PetscFunctionBegin;
  PetscCall(RungNumberEntities(mixed->n, m, mixed->after, 1, m, self, 4, &count, &of, &name));
  PetscCall(PetscMalloc1(count, &first));
  for (PetscInt i = mixed->n - 1; i >= 0; --i) first[of[i]] = i;
  for (PetscInt i = 0; i < mixed->n; ++i) {
    PetscBool same;

    PetscCall(PetscArraycmp(mixed->before + i * m, mixed->before + first[of[i]] * m, m, &same));
    if (!same) RungFound(&s->finding, "two facets that become one");
  }
  PetscCall(compare_mixed(s, mixed, m, count, name, first));
  PetscCall(PetscFree(of));
  PetscCall(PetscFree(name));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As check_facets() of mesh_glue.c.  In  class[node], linked[node] of the slice */
static PetscErrorCode check(RungSlice *s, const PetscInt class[], const PetscBool linked[])
{
  const PetscInt nv    = RungCellGet(s->piece.type)->vertices;
  Mixed          mixed = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->piece.cells * nv; ++i) {
    for (PetscInt k = i - i % nv; k < i; ++k)
      if (class[s->piece.cell_node[k]] == class[s->piece.cell_node[i]])
        RungFound(&s->finding, "a cell with a vertex twice");
  }
  PetscCall(list_mixed(s, class, linked, &mixed));
  PetscCall(check_mixed(s, &mixed));
  PetscCall(PetscFree(mixed.before));
  PetscCall(PetscFree(mixed.after));
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one vertex for many ---------------------------------------------------------------------------------------- */

/* The vertices of the cells as the nodes of their maps, if these are straight so far. */
static PetscErrorCode make_shape(RungPiece *piece)
{
  const PetscInt nv = RungCellGet(piece->type)->vertices, dim = piece->dim;

  PetscFunctionBegin;
  if (piece->degree) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(piece->cells * nv * dim, &piece->shape));
  for (PetscInt i = 0; i < piece->cells * nv; ++i) {
    for (PetscInt a = 0; a < dim; ++a) piece->shape[i * dim + a] = piece->x[piece->cell_node[i] * dim + a];
  }
  piece->degree = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the slice become classes; any slice may have a linked one, and any tagged entity. */
static PetscErrorCode join_nodes(RungSlice *s, const PetscInt class[], const PetscBool linked[])
{
  static const PetscInt self  = 0;
  const PetscInt        total = s->piece.cells * RungCellGet(s->piece.type)->vertices;
  PetscInt             *named, *local, *id, *holders, *met, n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(total, &named));
  for (PetscInt i = 0; i < total; ++i) named[i] = class[s->piece.cell_node[i]];
  PetscCall(RungNumberEntities(total, 1, named, 1, 1, &self, 1, &n, &local, &id));
  PetscCall(PetscMalloc1(n + 1, &holders));
  PetscCall(PetscCalloc1(n, &met));
  for (PetscInt i = 0; i < total; ++i) {
    const PetscInt v = s->piece.cell_node[i];

    holders[local[i]] = linked[v] ? 2 : s->holders[v];
    met[local[i]]     = linked[v] ? 7 : s->met[v];
  }
  PetscCall(PetscFree(named));
  PetscCall(PetscFree(s->piece.cell_node));
  PetscCall(PetscFree(s->piece.node_id));
  PetscCall(PetscFree(s->piece.x)); /* of vertices that are no more; the shape says where cells are */
  PetscCall(PetscFree(s->holders));
  PetscCall(PetscFree(s->met));
  s->piece.cell_node = local;
  s->piece.node_id   = id;
  s->piece.nodes     = n;
  s->holders         = holders;
  s->met             = met;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode glue(RungSlice *s)
{
  PetscInt *class;
  PetscBool *linked;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->piece.nodes, &class, s->piece.nodes, &linked));
  for (PetscInt v = 0; v < s->piece.nodes; ++v) {
    class[v]  = class_of(&s->classes, s->piece.node_id[v]);
    linked[v] = find(s->classes.linked, s->classes.node, s->piece.node_id[v]) >= 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(make_shape(&s->piece));
  PetscCall(check(s, class, linked));
  PetscCall(join_nodes(s, class, linked));
  for (PetscInt i = 0; i < 4 * s->piece.tagged; ++i) {
    PetscInt *node = &s->piece.tagged_node[i];

    *node = *node < 0 ? -1 : class_of(&s->classes, *node);
  }
  PetscCall(PetscFree2(class, linked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSliceGlue(RungSlice *s)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->links;
       ++i) { /* of rank 0 alone; middles of edges have no number, and some name themselves */
    const PetscInt a = s->link[2 * i], b = s->link[2 * i + 1];

    if (a < 0 || b < 0 || a == b) continue;
    s->link[2 * kept]       = a;
    s->link[2 * kept++ + 1] = b;
  }
  s->links = kept;
  PetscCallMPI(MPI_Bcast(&s->links, 1, MPIU_INT, 0, s->comm));
  if (!s->links) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc((size_t)(2 * s->links) * sizeof *s->link, &s->link));
  PetscCallMPI(MPI_Bcast(s->link, (PetscMPIInt)(2 * s->links), MPIU_INT, 0, s->comm));
  PetscCall(classes_create(s->links, s->link, &s->classes));
  PetscCall(glue(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungClassesDestroy(RungClasses *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->node));
  PetscCall(PetscFree(c->root));
  PetscCall(PetscFree(c->gone));
  PetscFunctionReturn(PETSC_SUCCESS);
}
