/* mesh.c - RungMesh: life, sources, set-up. */
#include <rungown_room.h>
#include "fe_impl.h"

#define RungMeshCheckNew(mesh)                                                                                         \
  PetscCheck(!(mesh)->ready, (mesh)->comm, PETSC_ERR_ORDER,                                                            \
             "this mesh is in use and cannot change any more; make a new one")

PetscErrorCode RungMeshCreate(MPI_Comm comm, RungMesh *mesh)
{
  RungMesh m;

  PetscFunctionBegin;
  RungNeedArgument(mesh);
  PetscCall(PetscNew(&m));
  PetscCall(PetscCommDuplicate(comm, &m->comm, NULL));
  m->refct = 1;
  *mesh    = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshReference(RungMesh mesh)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  ++mesh->refct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_data(RungMeshData *data)
{
  PetscFunctionBegin;
  for (int d = 0; d < 4; ++d) {
    PetscCall(PetscFree(data->global[d]));
    PetscCall(PetscFree(data->owner[d]));
    PetscCall(PetscFree(data->cell_entity[d]));
  }
  PetscCall(PetscFree(data->cell_number));
  PetscCall(PetscFree(data->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshDestroy(RungMesh *mesh)
{
  RungNeedArgument(mesh);
  RungMesh m = *mesh;

  PetscFunctionBegin;
  *mesh = NULL;
  if (!m || --m->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshPlacesDestroy(m));
  PetscCall(RungPartsDestroy(&m->parts));
  PetscCall(destroy_data(&m->data));
  PetscCall(RungMeshSidesDestroy(m));
  PetscCall(RungLocatorDestroy(&m->locator));
  PetscCall(DMDestroy(&m->dm));
  PetscCall(RungMeshWeightsDestroy(m));
  PetscCall(PetscFree(m->exterior));
  PetscCall(PetscFree(m->shape_node));
  PetscCall(PetscFree(m->shared));
  PetscCall(PetscFree(m->vertex_x));
  PetscCall(PetscFree(m->data.cell_affine));
  PetscCall(PetscFree(m->data.cell_like));
  PetscCall(PetscViewerDestroy(&m->viewer));
  PetscCall(PetscCommDestroy(&m->comm));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MPI_Comm RungMeshComm(RungMesh mesh)
{
  return mesh->comm;
}

/* ---- sources ---------------------------------------------------------------------------------------------------- */

/* The box that is described by its fields; refused with the names of these fields if it makes no sense. */
static PetscErrorCode check_box(RungMesh mesh, PetscInt dim)
{
  PetscFunctionBegin;
  for (PetscInt a = 0; a < dim; ++a) {
    PetscCheck(mesh->box_count[a] > 0, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a box of %" PetscInt_FMT " cells along axis %" PetscInt_FMT "; wanted at least 1", mesh->box_count[a],
               a);
    PetscCheck(mesh->box_size[a] > 0 && !PetscIsInfOrNanReal(mesh->box_size[a]), mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a box of size %g along axis %" PetscInt_FMT "; wanted a positive number", (double)mesh->box_size[a], a);
    PetscCheck(mesh->box_lower[a] + mesh->box_size[a] / (PetscReal)mesh->box_count[a] > mesh->box_lower[a], mesh->comm,
               PETSC_ERR_ARG_OUTOFRANGE,
               "cells of size %g beginning at %g along axis %" PetscInt_FMT
               " vanish by rounding; move the box nearer to 0",
               (double)(mesh->box_size[a] / (PetscReal)mesh->box_count[a]), (double)mesh->box_lower[a], a);
  }
  mesh->source = RUNG_SOURCE_BOX;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetBox(RungMesh mesh, const char cell[], PetscInt dim, const PetscInt count[],
                              const PetscReal size[])
{
  RungCellType type;

  PetscFunctionBegin;
  RungNeed(mesh);
  RungMeshCheckNew(mesh);
  PetscCall(RungCellFind(mesh->comm, cell, &type));
  PetscCheck(type != RUNG_POINT, mesh->comm, PETSC_ERR_ARG_WRONG, "a box has no point cells; use a mesh of points");
  PetscCheck(dim == RungCellGet(type)->dim, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "a box of dimension %" PetscInt_FMT " cannot have cells of type %s, which have dimension %" PetscInt_FMT,
             dim, cell, RungCellGet(type)->dim);
  PetscCheck(count, mesh->comm, PETSC_ERR_ARG_NULL, "a box without counts of cells; wanted one along each axis");
  mesh->box_type = type;
  for (PetscInt a = 0; a < dim; ++a) {
    mesh->box_count[a] = count[a];
    mesh->box_size[a]  = size ? size[a] : 1;
    mesh->box_lower[a] = 0;
  }
  PetscCall(check_box(mesh, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetPoints(RungMesh mesh, PetscInt count)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  RungMeshCheckNew(mesh);
  PetscCheck(count > 0, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE, "a mesh of %" PetscInt_FMT " points; wanted at least 1",
             count);
  mesh->points = count;
  mesh->source = RUNG_SOURCE_POINTS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetFile(RungMesh mesh, const char path[])
{
  PetscFunctionBegin;
  RungNeed(mesh);
  RungMeshCheckNew(mesh);
  PetscCheck(path && path[0], mesh->comm, PETSC_ERR_ARG_WRONG, "a mesh file without a name; wanted a path");
  PetscCheck(strlen(path) < sizeof mesh->path, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a path of %zu letters; wanted fewer than %zu", strlen(path), sizeof mesh->path);
  PetscCall(PetscStrncpy(mesh->path, path, sizeof mesh->path));
  mesh->source = RUNG_SOURCE_FILE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetPeriodic(RungMesh mesh, const PetscBool periodic[3])
{
  PetscFunctionBegin;
  RungNeed(mesh);
  RungNeedArgument(periodic);
  RungMeshCheckNew(mesh);
  for (int a = 0; a < 3; ++a) mesh->periodic[a] = periodic[a];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetRefinement(RungMesh mesh, PetscInt times)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  RungMeshCheckNew(mesh);
  PetscCheck(times >= 0 && times < 30, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a mesh refined %" PetscInt_FMT " times; wanted 0 to 29", times);
  mesh->refine = times;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

#define LIST 16 /* more numbers than any list needs, so that long lists are seen */

typedef struct {
  char      cell[64], path[PETSC_MAX_PATH_LEN], partitioner[64];
  PetscInt  count[LIST], counts, points, sizes, lowers;
  PetscReal size[LIST], lower[LIST];
  PetscBool has_cell, has_count, has_size, has_lower, has_points, has_file, has_partitioner, has_periodic, has_refine;
  char     *periodic[LIST], *weight[LIST]; /* owned */
  PetscInt  axes, refine, weights, degree;
  PetscBool has_weight, has_degree;
} Options;

static PetscErrorCode read_box(RungMesh mesh, Options *o)
{
  const MPI_Comm comm = mesh->comm;

  PetscFunctionBegin;
  PetscCall(RungOptionText(comm, "-mesh_cell", "cells of a box: interval, triangle, quadrilateral, ..", NULL,
                           sizeof o->cell, o->cell, &o->has_cell));
  PetscCall(RungOptionInts(comm, "-mesh_count", "cells of a box along each axis, 64,64", "at least 1", &o->counts,
                           o->count, &o->has_count));
  PetscCall(
    RungOptionReals(comm, "-mesh_size", "size of a box along each axis", "above 0", &o->sizes, o->size, &o->has_size));
  PetscCall(RungOptionReals(comm, "-mesh_lower", "lower corner of a box", NULL, &o->lowers, o->lower, &o->has_lower));
  PetscCall(RungOptionTexts(comm, "-mesh_periodic", "axes along which a box is periodic, x,y", &o->axes, o->periodic,
                            &o->has_periodic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_options(RungMesh mesh, Options *o)
{
  const MPI_Comm comm = mesh->comm;

  PetscFunctionBegin;
  o->counts = o->sizes = o->lowers = o->axes = o->weights = LIST;
  o->points                                               = 1;
  o->refine                                               = mesh->refine;
  o->degree                                               = mesh->weight_degree;
  PetscCall(PetscStrncpy(o->partitioner, mesh->partitioner, sizeof o->partitioner));
  PetscCall(read_box(mesh, o));
  PetscCall(
    RungOptionIntIn(comm, "-mesh_points", "a mesh of so many points", "at least 1", &o->points, &o->has_points));
  PetscCall(RungOptionText(comm, "-mesh_file", "a mesh from a Gmsh file", NULL, sizeof o->path, o->path, &o->has_file));
  PetscCall(
    RungOptionIntIn(comm, "-mesh_refine", "how often all cells are cut", "0 to 29", &o->refine, &o->has_refine));
  PetscCall(RungOptionText(comm, "-mesh_partitioner", "metis, ptscotch or simple", NULL, sizeof o->partitioner,
                           o->partitioner, &o->has_partitioner));
  PetscCall(RungOptionIntIn(comm, "-mesh_weight_degree", "cells weigh the dofs of this degree that they bring",
                            "0 to 64", &o->degree, &o->has_degree));
  PetscCall(
    RungOptionTexts(comm, "-mesh_part_weight", "PART:FACTOR of heavier cells", &o->weights, o->weight, &o->has_weight));
  PetscCall(RungOptionViewer(comm, "-mesh_view", "print the mesh, or :FILE", &mesh->viewer, &mesh->viewer_format));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-dm_view", &mesh->view_dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One source only: an option that another one makes void is refused. */
static PetscErrorCode check_one_source(RungMesh mesh, const Options *o)
{
  const char *box = o->has_cell    ? "-mesh_cell"
                    : o->has_count ? "-mesh_count"
                    : o->has_size  ? "-mesh_size"
                    : o->has_lower ? "-mesh_lower"
                                   : NULL;

  PetscFunctionBegin;
  PetscCheck(!o->has_file || !o->has_points, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "-mesh_file and -mesh_points name two meshes; give one");
  PetscCheck(!box || !(o->has_file || o->has_points), mesh->comm, PETSC_ERR_ARG_INCOMP,
             "%s describes a box and has no effect beside %s; give one of them", box,
             o->has_file ? "-mesh_file" : "-mesh_points");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_length(RungMesh mesh, const char option[], PetscInt found, PetscInt dim)
{
  PetscFunctionBegin;
  PetscCheck(found == dim, mesh->comm, PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " numbers; wanted %" PetscInt_FMT ", one for each axis of a box of %ss", option,
             found, dim, RungCellGet(mesh->box_type)->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without -mesh_cell, the program's box keeps its cells; where there is none, simplices as -mesh_count has numbers. */
static PetscErrorCode choose_box_cell(RungMesh mesh, const Options *o, PetscBool fresh)
{
  static const RungCellType simplex[4] = {RUNG_POINT, RUNG_INTERVAL, RUNG_TRIANGLE, RUNG_TETRAHEDRON};

  PetscFunctionBegin;
  if (o->has_cell)
    PetscCall(RungCellFind(mesh->comm, o->cell, &mesh->box_type));
  else if (fresh)
    mesh->box_type = o->counts >= 1 && o->counts <= 3 ? simplex[o->counts] : RUNG_TETRAHEDRON;
  PetscCheck(mesh->box_type != RUNG_POINT, mesh->comm, PETSC_ERR_ARG_WRONG,
             "-mesh_cell point describes no box; use -mesh_points");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_box_from(RungMesh mesh, const Options *o)
{
  const PetscBool fresh  = mesh->source == RUNG_SOURCE_BOX ? PETSC_FALSE : PETSC_TRUE;
  const PetscInt  before = fresh ? 0 : RungCellGet(mesh->box_type)->dim;
  PetscInt        dim;

  PetscFunctionBegin;
  PetscCheck(!fresh || o->has_count, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "-mesh_cell, -mesh_size or -mesh_lower without a box; add -mesh_count");
  PetscCall(choose_box_cell(mesh, o, fresh));
  dim = RungCellGet(mesh->box_type)->dim;
  PetscCheck(o->has_count || dim == before, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "-mesh_cell %s has dimension %" PetscInt_FMT " and the program's box %" PetscInt_FMT "; add -mesh_count",
             o->cell, dim, before);
  if (o->has_count) PetscCall(check_length(mesh, "-mesh_count", o->counts, dim));
  if (o->has_size) PetscCall(check_length(mesh, "-mesh_size", o->sizes, dim));
  if (o->has_lower) PetscCall(check_length(mesh, "-mesh_lower", o->lowers, dim));
  for (PetscInt a = 0; a < dim; ++a) {
    if (o->has_count) mesh->box_count[a] = o->count[a];
    if (o->has_size)
      mesh->box_size[a] = o->size[a];
    else if (a >= before)
      mesh->box_size[a] = 1;
    if (o->has_lower)
      mesh->box_lower[a] = o->lower[a];
    else if (a >= before)
      mesh->box_lower[a] = 0;
  }
  PetscCall(check_box(mesh, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_partitioner(RungMesh mesh, const char name[])
{
  static const char *const list[] = {"metis", "ptscotch", "simple"};
  const char              *nearest;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    if (strcmp(name, list[i]) != 0) continue;
    PetscCall(RungPartitionerCheck(mesh->comm, name));
    PetscCall(PetscStrncpy(mesh->partitioner, name, sizeof mesh->partitioner));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(name, PETSC_STATIC_ARRAY_LENGTH(list), list, &nearest));
  SETERRQ(mesh->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
          "-mesh_partitioner \"%s\" does not exist; wanted metis, ptscotch or simple%s%s%s", name,
          nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* "x", "y", "z" */
static PetscErrorCode set_periodic_from(RungMesh mesh, const Options *o)
{
  PetscBool periodic[3] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
  char      odd[64]     = "";

  PetscFunctionBegin;
  if (!o->has_periodic) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < o->axes; ++i) {
    const char *axis = o->periodic[i];

    if (axis[0] >= 'x' && axis[0] <= 'z' && !axis[1] && !periodic[axis[0] - 'x'])
      periodic[axis[0] - 'x'] = PETSC_TRUE;
    else
      PetscCall(PetscStrncpy(odd, axis, sizeof odd));
  }
  PetscCheck(!odd[0], mesh->comm, PETSC_ERR_ARG_WRONG,
             "-mesh_periodic names the axis \"%s\"; wanted x, y or z, each once, separated by commas", odd);
  PetscCall(RungMeshSetPeriodic(mesh, periodic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(RungMesh mesh, const Options *o)
{
  PetscFunctionBegin;
  PetscCall(check_one_source(mesh, o));
  if (o->has_partitioner) PetscCall(set_partitioner(mesh, o->partitioner));
  if (o->has_degree) PetscCall(RungMeshSetWeightDegree(mesh, o->degree));
  for (PetscInt i = 0; i < o->weights && o->has_weight; ++i) PetscCall(RungMeshReadPartWeight(mesh, o->weight[i]));
  if (o->has_file) PetscCall(RungMeshSetFile(mesh, o->path));
  if (o->has_points) PetscCall(RungMeshSetPoints(mesh, o->points));
  PetscCall(set_periodic_from(mesh, o));
  if (o->has_refine) PetscCall(RungMeshSetRefinement(mesh, o->refine));
  if (o->has_cell || o->has_count || o->has_size || o->has_lower) PetscCall(set_box_from(mesh, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetFromOptions(RungMesh mesh)
{
  Options        o = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  RungNeed(mesh);
  RungMeshCheckNew(mesh);
  PetscCall(read_options(mesh, &o));
  code = apply(mesh, &o);
  for (PetscInt i = 0; i < o.weights && o.has_weight; ++i) PetscCall(PetscFree(o.weight[i]));
  for (PetscInt i = 0; i < o.axes && o.has_periodic; ++i) PetscCall(PetscFree(o.periodic[i]));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

/* Rank 0 makes the whole mesh and all that is known of it before it is cut. */
static PetscErrorCode make_whole(RungMesh mesh, RungPiece *whole, RungFacets *facets, RungFinding *finding)
{
  char place[PETSC_MAX_PATH_LEN + 16] = "box";

  PetscFunctionBegin;
  if (mesh->source == RUNG_SOURCE_BOX) {
    PetscCall(RungMeshMakeBox(mesh, NULL, whole, finding));
  } else {
    PetscCall(PetscSNPrintf(place, sizeof place, "mesh file %s", mesh->path));
    PetscCall(RungMeshReadFile(mesh, whole, finding));
  }
  if (!finding->text[0]) PetscCall(RungPieceConnect(whole, place, &mesh->parts, facets, finding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_piece(RungMesh mesh, RungPiece *piece)
{
  PetscMPIInt                              rank;
  RUNG_OWNED(RungPieceDestroy) RungPiece   whole   = {0};
  RUNG_OWNED(RungFacetsDestroy) RungFacets facets  = {0};
  RungFinding                              finding = {""};

  PetscFunctionBegin;
  if (!mesh->partitioner[0]) PetscCall(PetscStrncpy(mesh->partitioner, "metis", sizeof mesh->partitioner));
  PetscCall(RungMeshReadInParts(mesh, piece, &mesh->sliced));
  if (mesh->sliced) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  if (!rank) PetscCall(make_whole(mesh, &whole, &facets, &finding));
  if (finding.text[0]) PetscCall(RungPartsDestroy(&mesh->parts)); /* nothing half made is left behind */
  RungCheckAll(!finding.text[0], mesh->comm, PETSC_ERR_FILE_UNEXPECTED, "%s", finding.text);
  PetscCall(RungPartsBroadcast(&mesh->parts, mesh->comm));
  RungCallOrUndo(RungMeshDistribute(mesh, &whole, &facets, piece), PetscCall(RungPartsDestroy(&mesh->parts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts count as many more members. */
static PetscErrorCode refine(RungMesh mesh, RungPiece *piece)
{
  const PetscInt dim = RungCellGet(piece->type)->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < mesh->refine; ++i) {
    PetscCall(RungPieceRefine(mesh->comm, &mesh->parts, piece));
    for (PetscInt p = 0; p < mesh->parts.n; ++p) {
      RungPart *part = &mesh->parts.part[p];

      part->total <<= part->dim;
      part->interior <<= dim - 1;
    }
    mesh->edge_cut <<= dim - 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What only makes sense for some sources. */
static PetscErrorCode check_source(RungMesh mesh)
{
  const PetscInt dim = mesh->source == RUNG_SOURCE_BOX ? RungCellGet(mesh->box_type)->dim : 0;

  PetscFunctionBegin;
  PetscCheck(mesh->source != RUNG_SOURCE_NONE, mesh->comm, PETSC_ERR_ORDER,
             "a mesh without cells; give -mesh_file, -mesh_count or -mesh_points, or set a box, points or file");
  PetscCheck(!mesh->refine || mesh->source != RUNG_SOURCE_POINTS, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "a mesh of points cannot be refined (-mesh_refine %" PetscInt_FMT "); give more points", mesh->refine);
  PetscCheck(!RungMeshIsWeighted(mesh) || mesh->source != RUNG_SOURCE_POINTS, mesh->comm, PETSC_ERR_ARG_INCOMP,
             "weights for a mesh of points, which all weigh the same; leave them out");
  for (PetscInt a = 0; a < 3; ++a) {
    if (!mesh->periodic[a]) continue;
    PetscCheck(a < dim, mesh->comm, PETSC_ERR_ARG_INCOMP, "a mesh periodic along %c, which is no axis of %s",
               (char)('x' + a), dim ? "this box" : "a box; a Gmsh file says itself what is periodic");
    PetscCheck(mesh->box_count[a] >= 3, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a box of %" PetscInt_FMT " cells along its periodic axis %c; wanted at least 3", mesh->box_count[a],
               (char)('x' + a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(RungMesh mesh)
{
  RUNG_OWNED(RungPieceDestroy) RungPiece piece = {0};

  PetscFunctionBegin;
  if (mesh->source == RUNG_SOURCE_POINTS)
    PetscCall(RungMeshMakePoints(mesh, &piece));
  else if (RungMeshHasBricks(mesh))
    PetscCall(RungMeshMakeBrick(mesh, &piece));
  else
    PetscCall(make_piece(mesh, &piece));
  PetscCall(refine(mesh, &piece));
  PetscCall(RungMeshFlatten(mesh, &piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Paths of files are not told: ranks but 0 may have none. */
static PetscErrorCode tell(const RungMesh mesh, RungDraft *said)
{
  static const char *const source[] = {"nothing", "a box", "points", "a file"};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(said, "%s\n", source[mesh->source]));
  if (mesh->source == RUNG_SOURCE_POINTS) PetscCall(RungDraftAdd(said, "%" PetscInt_FMT " points\n", mesh->points));
  if (mesh->source == RUNG_SOURCE_BOX) {
    PetscCall(RungDraftAdd(said, "cells of type %s\n", RungCellGet(mesh->box_type)->name));
    for (PetscInt a = 0; a < RungCellGet(mesh->box_type)->dim; ++a)
      PetscCall(RungDraftAdd(said, "%" PetscInt_FMT " cells along %c, %.17g long from %.17g\n", mesh->box_count[a],
                             (char)('x' + a), (double)mesh->box_size[a], (double)mesh->box_lower[a]));
  }
  for (int a = 0; a < 3; ++a)
    if (mesh->periodic[a]) PetscCall(RungDraftAdd(said, "a period along %c\n", (char)('x' + a)));
  PetscCall(RungDraftAdd(said, "%" PetscInt_FMT " refinements\n", mesh->refine));
  PetscCall(RungDraftAdd(said, "weights of degree %" PetscInt_FMT "\n", mesh->weight_degree));
  for (RungPartWeight weight = mesh->weights; weight; weight = weight->next)
    PetscCall(RungDraftAdd(said, "weight %.17g of part %s\n", (double)weight->factor, weight->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ranks(RungMesh mesh)
{
  RUNG_OWNED(RungDraftClear) RungDraft said = {0};

  PetscFunctionBegin;
  PetscCall(tell(mesh, &said));
  PetscCall(RungDraftCheckAlike(mesh->comm, "the mesh", &said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSetUp(RungMesh mesh)
{
  DM dm;

  PetscFunctionBegin;
  RungNeed(mesh);
  if (mesh->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_ranks(mesh));
  PetscCall(check_source(mesh));
  PetscCall(PetscLogEventBegin(RUNG_MESH_SETUP, 0, 0, 0, 0));
  RungWorkBegin("the mesh");
  RungCallFinally(set_up(mesh), RungWorkEnd());
  mesh->ready = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(RUNG_MESH_SETUP, 0, 0, 0, 0));
  if (mesh->viewer) {
    PetscCall(PetscViewerPushFormat(mesh->viewer, mesh->viewer_format));
    PetscCall(RungMeshView(mesh, mesh->viewer));
    PetscCall(PetscViewerPopFormat(mesh->viewer));
  }
  if (mesh->view_dm) PetscCall(RungMeshGetDM(mesh, &dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetData(RungMesh mesh, const RungMeshData **data)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  *data = &mesh->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}
