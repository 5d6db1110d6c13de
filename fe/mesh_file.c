/* mesh_file.c - the tables of a Gmsh file -> cells, facets and named parts.

   The cells are the elements of the highest dimension that the file has; elements one dimension lower only carry names
   to facets; the rest is ignored.  Nodes that no cell uses are dropped. */
#include "fe_impl.h"

typedef struct {
  const char    *path;         /* lent                                                     */
  RungGmsh       gmsh;         /* owned                                                    */
  RungFinding   *finding;      /* lent                                                     */
  PetscInt       dim;          /* of the cells                                             */
  PetscInt      *tag;          /* owned, [node] tags ascending                             */
  PetscInt      *index;        /* owned, [node] where the node of that tag is in the file  */
  PetscInt      *used;         /* owned, [node of the file] its number in the mesh or -1   */
  PetscBool      second;       /* the cells are elements of order 2                        */
  RungShapeOrder order;        /* of their nodes                                           */
  PetscReal      off;          /* how far their nodes are from the plane of a flat mesh    */
  PetscInt       links, *link; /* owned, [link][2] vertices that are the same */
} Import;

static PetscBool failed(const Import *im)
{
  return im->finding->text[0] ? PETSC_TRUE : PETSC_FALSE;
}

static const RungGmshType *type_of(const Import *im, PetscInt e)
{
  return RungGmshTypeGet(im->gmsh.element[e].type);
}

/* ---- what the file is about ------------------------------------------------------------------------------------- */

static PetscErrorCode find_cell_type(Import *im, RungPiece *whole)
{
  const RungGmshType *first = NULL;
  PetscInt            count = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < im->gmsh.elements; ++e) im->dim = PetscMax(im->dim, type_of(im, e)->dim);
  for (PetscInt e = 0; e < im->gmsh.elements && !failed(im); ++e) {
    const RungGmshType *type = type_of(im, e);

    if (type->dim != im->dim) continue;
    if (!first) first = type;
    if (type->order == 2) im->second = PETSC_TRUE;
    ++count;
    if (type->cell != first->cell || type->cell == RUNG_CELL_TYPES) {
      RungFound(im->finding,
                "mesh file %s holds %s%s%s; wanted cells of one type: lines, triangles, quadrilaterals, "
                "tetrahedra or hexahedra, as Gmsh makes them without Recombine, with Recombine of the whole, or with "
                "Mesh.SubdivisionAlgorithm",
                im->path, first->name, type->name == first->name ? "" : " and ",
                type->name == first->name ? "" : type->name);
    } else if (type->order != first->order) {
      RungFound(im->finding,
                "mesh file %s holds %s of order %" PetscInt_FMT " and of order %" PetscInt_FMT "; wanted one order",
                im->path, type->name, first->order, type->order);
    } else if (type->order > 2) {
      RungFound(im->finding,
                "mesh file %s holds %s of order %" PetscInt_FMT "; wanted order 1 or 2, as Gmsh saves it with "
                "-order 2",
                im->path, type->name, type->order);
    }
  }
  if (!im->dim) RungFound(im->finding, "mesh file %s holds no cells%s", im->path, count ? " but points" : "");
  if (first && !failed(im)) whole->type = first->cell;
  whole->dim   = im->dim;
  whole->cells = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates beyond the dimension of the cells must be zero. */
static PetscErrorCode check_flat(Import *im)
{
  PetscReal extent = 0, off = im->off;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < im->gmsh.nodes; ++v) {
    if (im->used[v] < 0) continue;
    for (PetscInt a = 0; a < 3; ++a) {
      const PetscReal size = PetscAbsReal(im->gmsh.x[3 * v + a]);

      if (a < im->dim)
        extent = PetscMax(extent, size);
      else
        off = PetscMax(off, size);
    }
  }
  if (off > 1e-12 * extent) {
    RungFound(im->finding,
              "mesh file %s: cells of dimension %" PetscInt_FMT " lie in space (%s is %g somewhere); wanted "
              "%s = 0, or a mesh of the volume (gmsh -3)",
              im->path, im->dim, im->dim == 1 ? "y or z" : "z", (double)off, im->dim == 1 ? "y = z" : "z");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode sort_tags(Import *im)
{
  const PetscInt n = im->gmsh.nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &im->tag, n, &im->index, n, &im->used));
  for (PetscInt v = 0; v < n; ++v) im->tag[v] = im->gmsh.node_tag[v], im->index[v] = v, im->used[v] = -1;
  PetscCall(PetscSortIntWithArray(n, im->tag, im->index));
  for (PetscInt v = 1; v < n && !failed(im); ++v) {
    if (im->tag[v] == im->tag[v - 1]) {
      RungFound(im->finding, "mesh file %s has two nodes with number %" PetscInt_FMT, im->path, im->tag[v]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the k-th node of element e is in the file. */
static PetscErrorCode node_of(Import *im, PetscInt e, PetscInt k, PetscInt *node)
{
  const PetscInt tag = im->gmsh.element_node[im->gmsh.element[e].node + k], n = im->gmsh.nodes;
  PetscInt       at = n ? tag - im->tag[0] : -1; /* right if there are no gaps */

  PetscFunctionBegin;
  if (at < 0 || at >= n || im->tag[at] != tag) PetscCall(PetscFindInt(tag, n, im->tag, &at));
  if (at < 0) {
    RungFound(im->finding,
              "mesh file %s: element %" PetscInt_FMT " has node %" PetscInt_FMT ", which the file does not", im->path,
              im->gmsh.element[e].number, tag);
  }
  *node = at < 0 ? 0 : im->index[at];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the used nodes in the order of the file, and lists their coordinates. */
static PetscErrorCode keep_used_nodes(Import *im, RungPiece *whole)
{
  const PetscInt nv = RungCellGet(whole->type)->vertices;
  PetscInt       n  = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < whole->cells * nv; ++i) im->used[whole->cell_node[i]] = 0;
  PetscCall(check_flat(im));
  for (PetscInt v = 0; v < im->gmsh.nodes; ++v) {
    if (!im->used[v]) im->used[v] = n++;
  }
  whole->nodes = n;
  PetscCall(PetscMalloc1(n * im->dim, &whole->x));
  for (PetscInt v = 0; v < im->gmsh.nodes; ++v) {
    for (PetscInt a = 0; a < im->dim && im->used[v] >= 0; ++a) {
      whole->x[im->used[v] * im->dim + a] = im->gmsh.x[3 * v + a];
    }
  }
  for (PetscInt i = 0; i < whole->cells * nv; ++i) whole->cell_node[i] = im->used[whole->cell_node[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The nodes of an element of order 2 as those of the cell's map; *curved if one is off the middle of its vertices by
   more than rounding (1e-8 of the element). */
static PetscErrorCode read_shape(Import *im, PetscInt e, PetscInt nodes, PetscInt dim, PetscReal shape[],
                                 PetscBool *curved)
{
  PetscReal x[27 * 3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nodes; ++k) {
    PetscInt node;

    PetscCall(node_of(im, e, k, &node));
    for (PetscInt a = 0; a < 3; ++a) x[3 * k + a] = im->gmsh.x[3 * node + a];
    for (PetscInt a = dim; a < 3; ++a) im->off = PetscMax(im->off, PetscAbsReal(x[3 * k + a]));
  }
  if (RungShapeFill(&im->order, nodes, dim, x, shape)) *curved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_cells(Import *im, RungPiece *whole)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  nv = cell->vertices, width = im->second ? RungCellNodes(whole->type, 2) * whole->dim : 0;
  PetscBool       curved = PETSC_FALSE;
  PetscInt        c      = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(whole->cells * nv, &whole->cell_node));
  PetscCall(PetscMalloc1(whole->cells, &whole->cell_id));
  if (im->second) {
    PetscCall(RungShapeOrderCreate(whole->type, &im->order));
    PetscCall(PetscMalloc1(whole->cells * width, &whole->shape));
    whole->degree = 2;
  }
  for (PetscInt e = 0; e < im->gmsh.elements && !failed(im); ++e) {
    const RungGmshType *type = type_of(im, e);

    if (type->dim != im->dim) continue;
    whole->cell_id[c] = im->gmsh.element[e].number;
    for (PetscInt k = 0; k < nv; ++k)
      PetscCall(node_of(im, e, k, &whole->cell_node[c * nv + RungGmshVertex(whole->type, k)]));
    if (im->second) PetscCall(read_shape(im, e, type->nodes, whole->dim, whole->shape + c * width, &curved));
    ++c;
  }
  if (!curved) { /* all nodes say what the vertices say */
    PetscCall(PetscFree(whole->shape));
    whole->degree = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Format 2.2 repeats a cell for each of its groups.  Out place[cell of the file] its number in the mesh, the caller's.
 */
static PetscErrorCode merge_cells(RungPiece *whole, PetscInt **place)
{
  static const PetscInt self[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const PetscInt        nv      = RungCellGet(whole->type)->vertices;
  const PetscInt        width   = whole->degree ? RungPieceShapeNodes(whole) * whole->dim : 0;
  PetscInt              count;

  PetscFunctionBegin;
  PetscCall(RungNumberEntities(whole->cells, nv, whole->cell_node, 1, nv, self, 8, &count, place, NULL));
  for (PetscInt c = 0, next = 0; c < whole->cells; ++c) {
    if ((*place)[c] != next) continue; /* a number is new when it is the next one */
    for (PetscInt k = 0; k < nv; ++k) whole->cell_node[next * nv + k] = whole->cell_node[c * nv + k];
    for (PetscInt k = 0; k < width; ++k) whole->shape[next * width + k] = whole->shape[c * width + k];
    whole->cell_id[next++] = whole->cell_id[c];
  }
  whole->cells = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* The part of a physical number; made when it is met first. */
static PetscErrorCode part_of(Import *im, RungParts *parts, PetscInt number, PetscBool facets, PetscInt *part)
{
  char        digits[24];
  const char *name = digits;

  PetscFunctionBegin;
  for (PetscInt p = parts->n - 1; p >= 0; --p) {
    *part = p;
    if (parts->part[p].number == number && parts->part[p].facets == facets) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(digits, sizeof digits, "%" PetscInt_FMT, number));
  for (PetscInt i = 0; i < im->gmsh.names; ++i) {
    const RungGmshName *n = &im->gmsh.name[i];

    if (n->number == number && n->dim == im->dim - (facets ? 1 : 0)) name = n->text;
  }
  if (strlen(name) > 200)
    RungFound(im->finding, "mesh file %s: a part's name has %d letters; wanted at most 200", im->path,
              (int)strlen(name));
  for (PetscInt p = 0; p < parts->n; ++p) {
    if (parts->part[p].facets == facets && !strcmp(parts->part[p].name, name)) {
      RungFound(im->finding,
                "mesh file %s: groups %" PetscInt_FMT " and %" PetscInt_FMT " are both called \"%s\"; rename "
                "one",
                im->path, parts->part[p].number, number, name);
    }
  }
  PetscCall(RungPartsAdd(parts, name, number, facets, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts what has to be stored: marks of cells and tagged facets. */
static PetscErrorCode allocate_marks(Import *im, RungPiece *whole)
{
  const PetscInt m     = RungCellGet(RungCellGet(whole->type)->facet_type)->vertices;
  PetscInt       marks = 0, tagged = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < im->gmsh.elements; ++e) {
    if (type_of(im, e)->dim == im->dim) marks += im->gmsh.element[e].groups;
    if (type_of(im, e)->dim == im->dim - 1) tagged += im->gmsh.element[e].groups;
  }
  PetscCall(PetscMalloc1(3 * marks, &whole->mark));
  PetscCall(PetscMalloc1(m * tagged, &whole->tagged_node));
  PetscCall(PetscMalloc1(tagged, &whole->tagged_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One facet of the file in one part.  A facet with a node that no cell has is no facet of a cell. */
static PetscErrorCode tag_facet(Import *im, RungPiece *whole, PetscInt e, PetscInt part, const RungParts *parts)
{
  const PetscInt m = RungCellGet(RungCellGet(whole->type)->facet_type)->vertices;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < m; ++k) {
    PetscInt node;

    PetscCall(node_of(im, e, k, &node));
    if (im->used[node] < 0 || type_of(im, e)->cell != RungCellGet(whole->type)->facet_type) {
      RungFound(im->finding, "mesh file %s: element %" PetscInt_FMT " of part \"%s\" is not a facet of any cell",
                im->path, im->gmsh.element[e].number, parts->part[part].name);
    }
    whole->tagged_node[whole->tagged * m + k] = im->used[node];
  }
  whole->tagged_part[whole->tagged++] = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_parts(Import *im, RungPiece *whole, const PetscInt place[], RungParts *parts)
{
  PetscInt c = 0;

  PetscFunctionBegin;
  PetscCall(allocate_marks(im, whole));
  for (PetscInt e = 0; e < im->gmsh.elements && !failed(im); ++e) {
    const PetscInt  dim    = type_of(im, e)->dim;
    const PetscBool facets = dim < im->dim ? PETSC_TRUE : PETSC_FALSE;

    for (PetscInt k = 0; k < im->gmsh.element[e].groups && dim >= im->dim - 1; ++k) {
      PetscInt part;

      PetscCall(part_of(im, parts, im->gmsh.physical[im->gmsh.element[e].group + k], facets, &part));
      if (facets) {
        PetscCall(tag_facet(im, whole, e, part, parts));
      } else {
        PetscInt *mark = whole->mark + 3 * whole->marks++;

        mark[0] = part, mark[1] = place[c], mark[2] = -1;
      }
    }
    if (!facets) ++c;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The links between vertices of cells, in numbers of the mesh; the middles of order 2 have no cells of their own. */
static PetscErrorCode find_links(Import *im)
{
  const PetscInt n = im->gmsh.nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * im->gmsh.links, &im->link));
  for (PetscInt i = 0; i < im->gmsh.links && !failed(im); ++i) {
    PetscInt used[2];

    for (int s = 0; s < 2; ++s) {
      PetscInt at;

      PetscCall(PetscFindInt(im->gmsh.link[2 * i + s], n, im->tag, &at));
      if (at < 0)
        RungFound(im->finding, "mesh file %s: $Periodic names node %" PetscInt_FMT ", which the file does not have",
                  im->path, im->gmsh.link[2 * i + s]);
      used[s] = at < 0 ? -1 : im->used[im->index[at]];
    }
    if (used[0] < 0 || used[1] < 0 || used[0] == used[1]) continue;
    im->link[2 * im->links]       = used[0];
    im->link[2 * im->links++ + 1] = used[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode import(Import *im, RungPiece *whole, RungParts *parts)
{
  PetscInt *place = NULL;

  PetscFunctionBegin;
  PetscCall(RungGmshRead(im->path, &im->gmsh, im->finding));
  if (!failed(im)) PetscCall(find_cell_type(im, whole));
  if (!failed(im)) PetscCall(sort_tags(im));
  if (!failed(im)) PetscCall(read_cells(im, whole));
  if (!failed(im)) PetscCall(merge_cells(whole, &place));
  if (!failed(im)) PetscCall(keep_used_nodes(im, whole));
  if (!failed(im)) PetscCall(read_parts(im, whole, place, parts));
  if (!failed(im)) PetscCall(find_links(im));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshReadFile(RungMesh mesh, RungPiece *whole, RungFinding *finding)
{
  Import im = {.path = mesh->path, .finding = finding};

  PetscFunctionBegin;
  PetscCall(import(&im, whole, &mesh->parts));
  if (!failed(&im)) {
    char name[PETSC_MAX_PATH_LEN + 16];

    PetscCall(PetscSNPrintf(name, sizeof name, "mesh file %s", mesh->path));
    PetscCall(RungPieceOrient(whole, name, finding));
    if (!failed(&im)) PetscCall(RungPieceGlue(whole, im.links, im.link, name, finding));
  }
  PetscCall(PetscFree(im.link));
  PetscCall(PetscFree3(im.tag, im.index, im.used));
  PetscCall(RungGmshDestroy(&im.gmsh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
