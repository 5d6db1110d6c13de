/* mesh_import.c - the groups of a Gmsh file -> named parts of cells, facets, edges and vertices; what is periodic. */
#include "mesh_import_impl.h"

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* The part of a physical number; made when it is met first. */
static PetscErrorCode part_of(RungImport *im, RungParts *parts, PetscInt number, PetscInt dim, PetscInt *part)
{
  const PetscHashIJKey key = {dim, number};
  char                 digits[24];
  const char          *name = digits;
  PetscInt             i;

  PetscFunctionBegin;
  PetscCall(PetscHMapIJGet(im->part, key, part));
  if (*part >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(digits, sizeof digits, "%" PetscInt_FMT, number));
  PetscCall(PetscHMapIJGet(im->name, key, &i));
  if (i >= 0) name = im->gmsh.name[i].text;
  if (strlen(name) > 200)
    RungFound(im->finding, "mesh file %s: a part's name has %d letters; wanted at most 200", im->path,
              (int)strlen(name));
  PetscCall(RungPartsAdd(parts, name, number, dim, part));
  PetscCall(PetscHMapIJSet(im->part, key, *part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_names(const void *a, const void *b)
{
  const RungPart *p = *(const RungPart *const *)a, *q = *(const RungPart *const *)b;
  const int       order = strcmp(p->name, q->name);

  if (p->dim != q->dim) return p->dim > q->dim ? 1 : -1;
  return order ? order : (p > q) - (p < q);
}

/* Parts of one dimension have different names. */
static PetscErrorCode check_names(RungImport *im, const RungParts *parts)
{
  const RungPart **part;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(parts->n, &part));
  for (PetscInt p = 0; p < parts->n; ++p) part[p] = &parts->part[p];
  if (parts->n) qsort((void *)part, (size_t)parts->n, sizeof(const RungPart *), compare_names);
  for (PetscInt p = 1; p < parts->n; ++p) {
    if (part[p - 1]->dim == part[p]->dim && !strcmp(part[p - 1]->name, part[p]->name)) {
      RungFound(im->finding,
                "mesh file %s: groups %" PetscInt_FMT " and %" PetscInt_FMT " are both called \"%s\"; rename "
                "one",
                im->path, part[p - 1]->number, part[p]->number, part[p]->name);
    }
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts what has to be stored: marks of cells and tagged facets, edges and vertices. */
static PetscErrorCode allocate_marks(RungImport *im, RungPiece *whole)
{
  PetscInt64 marks = 0, tagged = 0; /* an entity of many groups gives them to each of its elements */

  PetscFunctionBegin;
  for (PetscInt e = 0; e < im->gmsh.elements; ++e)
    *(RungImportType(im, e)->dim == im->dim ? &marks : &tagged) += im->gmsh.element[e].groups;
  if (marks > PETSC_MAX_INT / 3 || tagged > PETSC_MAX_INT / 4) {
    RungFound(im->finding,
              "mesh file %s: its elements are %lld times in groups, more than this PETSc can count; use one of 64-bit "
              "indices, or fewer groups for one entity",
              im->path, (long long)(marks + tagged));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(3 * marks, &whole->mark));
  PetscCall(PetscCalloc1(4 * tagged, &whole->tagged_node));
  PetscCall(PetscMalloc1(tagged, &whole->tagged_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One facet, edge or vertex of the file in one part.  With a node that no cell has it is none of a cell. */
static PetscErrorCode tag(RungImport *im, RungPiece *whole, PetscInt e, PetscInt part, const RungParts *parts)
{
  static const PetscInt count[RUNG_CELL_TYPES] = {1, 2, 3, 4}; /* of points, lines, triangles, quadrilaterals */
  const RungGmshType   *type                   = RungImportType(im, e);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count[type->cell]; ++k) {
    PetscInt node;

    PetscCall(RungImportNode(im, e, k, &node));
    if (im->used[node] < 0 || (type->dim == 2 && type->cell != RungCellGet(whole->type)->facet_type)) {
      RungFound(im->finding, "mesh file %s: element %" PetscInt_FMT " of part \"%s\" is not %s of any cell%s%s%s",
                im->path, im->gmsh.element[e].number, parts->part[part].name,
                RungEntityName(im->dim, type->dim, PETSC_FALSE), type->dim == im->dim - 1 ? "" : "; embed it (",
                type->dim == im->dim - 1 ? ""
                : type->dim              ? "Curve"
                                         : "Point",
                type->dim == im->dim - 1 ? "" : "{..} In ..) before Gmsh makes the mesh");
    }
    whole->tagged_node[whole->tagged * 4 + k] = im->used[node];
  }
  whole->tagged_part[whole->tagged++] = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The groups of all elements. */
static PetscErrorCode read_groups(RungImport *im, RungPiece *whole, const PetscInt place[], RungParts *parts)
{
  PetscInt c = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < im->gmsh.elements && !RungImportFailed(im); ++e) {
    const PetscInt dim = RungImportType(im, e)->dim;

    for (PetscInt k = 0; k < im->gmsh.element[e].groups && !RungImportFailed(im); ++k) {
      PetscInt part;

      PetscCall(part_of(im, parts, im->gmsh.physical[im->gmsh.element[e].group + k], dim, &part));
      if (dim < im->dim) {
        PetscCall(tag(im, whole, e, part, parts));
      } else {
        PetscInt *mark = whole->mark + 3 * whole->marks++;

        mark[0] = part, mark[1] = place[c], mark[2] = -1;
      }
    }
    if (dim == im->dim) ++c;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode name_groups(RungImport *im)
{
  PetscFunctionBegin;
  PetscCall(PetscHMapIJCreate(&im->name));
  PetscCall(PetscHMapIJCreate(&im->part));
  for (PetscInt i = 0; i < im->gmsh.names; ++i)
    PetscCall(PetscHMapIJSet(im->name, (PetscHashIJKey){im->gmsh.name[i].dim, im->gmsh.name[i].number}, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImportParts(RungImport *im, RungPiece *whole, const PetscInt place[], RungParts *parts)
{
  PetscFunctionBegin;
  PetscCall(allocate_marks(im, whole));
  PetscCall(name_groups(im));
  PetscCall(read_groups(im, whole, place, parts));
  PetscCall(check_names(im, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The links between vertices of cells, in numbers of the mesh; the middles of order 2 have no cells of their own. */
PetscErrorCode RungImportLinks(RungImport *im)
{
  const PetscInt n = im->gmsh.nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * im->gmsh.links, &im->link));
  for (PetscInt i = 0; i < im->gmsh.links && !RungImportFailed(im); ++i) {
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

/* Rank 0.  The parts of a plan in the order in which its elements name them.  Out part[physical number], -1: no element has it */
static PetscErrorCode plan_parts(RungImport *im, RungParts *parts, PetscInt part[])
{
  const RungGmsh *g = &im->gmsh;

  PetscFunctionBegin;
  PetscCall(name_groups(im));
  for (PetscInt i = 0; i < g->physicals; ++i) part[i] = -1;
  for (PetscInt b = 0; b < g->element_blocks.n && !RungImportFailed(im); ++b) {
    const RungGmshBlock *block = &g->element_blocks.block[b];

    for (PetscInt k = block->group; k < block->group + block->groups && block->n && !RungImportFailed(im); ++k)
      PetscCall(part_of(im, parts, g->physical[k], block->dim, &part[k]));
  }
  PetscCall(check_names(im, parts));
  PetscCall(PetscHMapIJDestroy(&im->name));
  PetscCall(PetscHMapIJDestroy(&im->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImportPlanParts(const char path[], const RungGmsh *plan, RungParts *parts, PetscInt **part,
                                   RungFinding *finding)
{
  RungImport im = {.path = path, .gmsh = *plan, .finding = finding};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(plan->physicals, part));
  PetscCall(plan_parts(&im, parts, *part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
