/* mesh_file.c - the tables of a Gmsh file -> cells.

   The cells are the elements of the highest dimension that the file has; elements of lower dimensions only carry names to
   facets, edges and vertices (mesh_import.c).  Nodes that no cell uses are dropped. */
#include "mesh_import_impl.h"
#include <rungtext_room.h>

/* ---- what the file is about ------------------------------------------------------------------------------------- */

/* "tetrahedra (12), prisms (3) and pyramids (1)", the elements of the highest dimension; how many kinds. */
static PetscErrorCode list_cells(const RungImport *im, char text[], size_t size, PetscInt *kinds)
{
  const char *name[8];
  PetscInt    count[8] = {0};

  PetscFunctionBegin;
  *kinds  = 0;
  text[0] = 0;
  for (PetscInt e = 0; e < im->gmsh.elements; ++e) {
    const RungGmshType *type = RungImportType(im, e);
    PetscInt            k    = 0;

    if (type->dim != im->dim) continue;
    while (k < *kinds && strcmp(name[k], type->name) != 0) ++k;
    if (k == *kinds) name[(*kinds)++] = type->name;
    ++count[k];
  }
  for (PetscInt k = 0; k < *kinds; ++k) {
    char one[64];

    PetscCall(PetscSNPrintf(one, sizeof one, "%s%s (%" PetscInt_FMT ")",
                            !k                ? ""
                            : k == *kinds - 1 ? " and "
                                              : ", ",
                            name[k], count[k]));
    PetscCall(RungTextAppend(text, one, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of several types, or of one that has no elements here, and what to ask Gmsh for instead. */
static PetscErrorCode check_one_type(RungImport *im, const RungGmshType *first)
{
  char     text[256];
  PetscInt kinds;

  PetscFunctionBegin;
  PetscCall(list_cells(im, text, sizeof text, &kinds));
  if (kinds > 1 && im->dim == 2) {
    RungFound(
      im->finding,
      "mesh file %s holds %s; wanted cells of one type: mesh all surfaces without Recombine (triangles), or with "
      "Mesh.SubdivisionAlgorithm = 1 (quadrilaterals)",
      im->path, text);
  } else if (kinds > 1 || first->cell == RUNG_CELL_TYPES) {
    RungFound(im->finding,
              "mesh file %s holds %s; wanted %s: extrude and mesh without Recombine (tetrahedra), or save all volumes "
              "with Mesh.SubdivisionAlgorithm = 2 (hexahedra)",
              im->path, text, kinds > 1 ? "cells of one type" : "tetrahedra or hexahedra");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_cell_type(RungImport *im, RungPiece *whole)
{
  const RungGmshType *first = NULL;
  PetscInt            count = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < im->gmsh.elements; ++e) im->dim = PetscMax(im->dim, RungImportType(im, e)->dim);
  for (PetscInt e = 0; e < im->gmsh.elements && !RungImportFailed(im); ++e) {
    const RungGmshType *type = RungImportType(im, e);

    if (type->dim != im->dim) continue;
    if (!first) first = type;
    if (type->order == 2) im->second = PETSC_TRUE;
    ++count;
    if (type->cell != first->cell || type->cell == RUNG_CELL_TYPES) break;
    if (type->order != first->order) {
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
  if (first && !RungImportFailed(im)) PetscCall(check_one_type(im, first));
  if (first && !RungImportFailed(im)) whole->type = first->cell;
  whole->dim   = im->dim;
  whole->cells = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates beyond the dimension of the cells must be zero. */
static PetscErrorCode check_flat(RungImport *im)
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
    RungFound(
      im->finding,
      "mesh file %s: cells of dimension %" PetscInt_FMT " lie in space (%s is %g somewhere); wanted "
      "%s = 0, or a mesh of the volume (gmsh -3); where there are physical groups Gmsh saves nothing else, so that "
      "cells need one, too",
      im->path, im->dim, im->dim == 1 ? "y or z" : "z", (double)off, im->dim == 1 ? "y = z" : "z");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode sort_tags(RungImport *im)
{
  const PetscInt n = im->gmsh.nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &im->tag, n, &im->index, n, &im->used));
  for (PetscInt v = 0; v < n; ++v) im->tag[v] = im->gmsh.node_tag[v], im->index[v] = v, im->used[v] = -1;
  PetscCall(PetscSortIntWithArray(n, im->tag, im->index));
  for (PetscInt v = 1; v < n && !RungImportFailed(im); ++v) {
    if (im->tag[v] == im->tag[v - 1]) {
      RungFound(im->finding, "mesh file %s has two nodes with number %" PetscInt_FMT, im->path, im->tag[v]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImportNode(RungImport *im, PetscInt e, PetscInt k, PetscInt *node)
{
  const PetscInt tag = im->gmsh.element_node[im->gmsh.element[e].node + k], n = im->gmsh.nodes;
  PetscInt at = n && tag >= im->tag[0] ? tag - im->tag[0] : -1; /* right if there are no gaps; no tag is negative */

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
static PetscErrorCode keep_used_nodes(RungImport *im, RungPiece *whole)
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
static PetscErrorCode read_shape(RungImport *im, PetscInt e, PetscInt nodes, PetscInt dim, PetscReal shape[],
                                 PetscBool *curved)
{
  PetscReal x[27 * 3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nodes; ++k) {
    PetscInt node;

    PetscCall(RungImportNode(im, e, k, &node));
    for (PetscInt a = 0; a < 3; ++a) x[3 * k + a] = im->gmsh.x[3 * node + a];
    for (PetscInt a = dim; a < 3; ++a) im->off = PetscMax(im->off, PetscAbsReal(x[3 * k + a]));
  }
  if (RungShapeFill(&im->order, nodes, dim, x, shape)) *curved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_cells(RungImport *im, RungPiece *whole)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  nv = cell->vertices, width = im->second ? RungCellNodes(whole->type, 2) * whole->dim : 0;
  PetscBool       curved = PETSC_FALSE;
  PetscInt        c      = 0;

  PetscFunctionBegin;
  if (whole->cells > PETSC_MAX_INT / PetscMax(PetscMax(nv, width), 4)) {
    RungFound(im->finding,
              "mesh file %s: the nodes of %" PetscInt_FMT
              " cells are more than this PETSc can count; use one of 64-bit "
              "indices",
              im->path, whole->cells);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(whole->cells * nv, &whole->cell_node));
  PetscCall(PetscMalloc1(whole->cells, &whole->cell_id));
  if (im->second) {
    PetscCall(RungShapeOrderCreate(whole->type, &im->order));
    PetscCall(PetscMalloc1(whole->cells * width, &whole->shape));
    whole->degree = 2;
  }
  for (PetscInt e = 0; e < im->gmsh.elements && !RungImportFailed(im); ++e) {
    const RungGmshType *type = RungImportType(im, e);

    if (type->dim != im->dim) continue;
    whole->cell_id[c] = im->gmsh.element[e].number;
    for (PetscInt k = 0; k < nv; ++k)
      PetscCall(RungImportNode(im, e, k, &whole->cell_node[c * nv + RungGmshVertex(whole->type, k)]));
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

static PetscErrorCode import(RungImport *im, RungPiece *whole, RungParts *parts)
{
  PetscInt *place = NULL;

  PetscFunctionBegin;
  PetscCall(RungGmshRead(im->path, &im->gmsh, im->finding));
  if (!RungImportFailed(im)) PetscCall(find_cell_type(im, whole));
  if (!RungImportFailed(im)) PetscCall(sort_tags(im));
  if (!RungImportFailed(im)) PetscCall(read_cells(im, whole));
  if (!RungImportFailed(im)) PetscCall(merge_cells(whole, &place));
  if (!RungImportFailed(im)) PetscCall(keep_used_nodes(im, whole));
  if (!RungImportFailed(im)) PetscCall(RungImportParts(im, whole, place, parts));
  if (!RungImportFailed(im)) PetscCall(RungImportLinks(im));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshReadFile(RungMesh mesh, RungPiece *whole, RungFinding *finding)
{
  RungImport im = {.path = mesh->path, .finding = finding};

  PetscFunctionBegin;
  PetscCall(import(&im, whole, &mesh->parts));
  if (!RungImportFailed(&im)) {
    char name[PETSC_MAX_PATH_LEN + 16];

    PetscCall(PetscSNPrintf(name, sizeof name, "mesh file %s", mesh->path));
    PetscCall(RungPieceOrient(whole, name, finding));
    if (!RungImportFailed(&im)) PetscCall(RungPieceGlue(whole, im.links, im.link, name, finding));
  }
  PetscCall(PetscHMapIJDestroy(&im.name));
  PetscCall(PetscHMapIJDestroy(&im.part));
  PetscCall(PetscFree(im.link));
  PetscCall(PetscFree3(im.tag, im.index, im.used));
  PetscCall(RungGmshDestroy(&im.gmsh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
