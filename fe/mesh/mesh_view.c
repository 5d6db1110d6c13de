/* mesh_view.c - a mesh in a few lines: what it is, its parts, where it lies, the shape of its cells, how it is spread over the ranks. */
#include "fe_impl.h"

static const char *plural(PetscInt d)
{
  static const char *const name[] = {"vertices", "edges", "faces"};

  return name[d];
}

static PetscErrorCode view_source(RungMesh mesh, PetscViewer viewer)
{
  const RungMeshData *data = &mesh->data;
  const RungCell     *cell = RungCellGet(data->type);
  PetscInt            total[4];

  PetscFunctionBegin;
  for (PetscInt d = 1; d < RungCellGet(data->type)->dim; ++d) PetscCall(RungMeshNeedEntities(mesh, d));
  PetscCallMPI(MPI_Allreduce(data->owned, total, 4, MPIU_INT, MPI_SUM, mesh->comm));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  cells     %" PetscInt_FMT " of type %s%s%s%s%s\n", data->cells_global, cell->name,
    data->affine ? ", affine" : ", curved", mesh->source == RUNG_SOURCE_FILE ? ", from " : "",
    mesh->source == RUNG_SOURCE_FILE ? mesh->path : "", mesh->sliced ? ", each rank has read a part" : ""));
  if (cell->dim) PetscCall(PetscViewerASCIIPrintf(viewer, "  entities  "));
  for (PetscInt d = 0; d < cell->dim; ++d) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s%" PetscInt_FMT " %s", d ? ", " : "", total[d], plural(d)));
  }
  if (cell->dim) PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_bounds(RungMesh mesh, PetscViewer viewer)
{
  const RungMeshData *data = &mesh->data;
  PetscReal           low[3], high[3], all_low[3], all_high[3];

  PetscFunctionBegin;
  for (PetscInt a = 0; a < 3; ++a) low[a] = PETSC_MAX_REAL, high[a] = PETSC_MIN_REAL;
  for (PetscInt v = 0; v < data->nodes; ++v) {
    for (PetscInt a = 0; a < data->dim; ++a) {
      low[a]  = PetscMin(low[a], data->x[v * data->dim + a]);
      high[a] = PetscMax(high[a], data->x[v * data->dim + a]);
    }
  }
  PetscCallMPI(MPI_Allreduce(low, all_low, 3, MPIU_REAL, MPIU_MIN, mesh->comm));
  PetscCallMPI(MPI_Allreduce(high, all_high, 3, MPIU_REAL, MPIU_MAX, mesh->comm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  lies in   "));
  for (PetscInt a = 0; a < data->dim; ++a) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s[%g, %g]", a ? " x " : "", (double)all_low[a], (double)all_high[a]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_quality(RungMesh mesh, PetscViewer viewer)
{
  RungMeshQuality q;

  PetscFunctionBegin;
  if (mesh->data.type == RUNG_POINT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshMeasure(mesh, &q));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  size      longest edge of a cell from %g to %g, mean %g\n",
                                   (double)q.h_least, (double)q.h_most, (double)q.h_mean));
  if (q.name)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  quality   %s from %.4f, mean %.4f (1 is best)\n", q.name,
                                     (double)q.quality_least, (double)q.quality_mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Edges and corners of a box have names that say all: one line for those of a dimension. */
static PetscErrorCode view_ridges(RungMesh mesh, PetscViewer viewer)
{
  const PetscInt dim = RungCellGet(mesh->data.type)->dim;

  PetscFunctionBegin;
  for (PetscInt d = dim - 2; d >= 0; --d) {
    PetscInt n = 0;

    for (PetscInt p = 0; p < mesh->parts.n; ++p) {
      if (mesh->parts.part[p].dim != d) continue;
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s", n++ ? ", " : "  parts     ", mesh->parts.part[p].name));
    }
    if (n) PetscCall(PetscViewerASCIIPrintf(viewer, ": %s\n", RungEntityName(dim, d, PETSC_TRUE)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_parts(RungMesh mesh, PetscViewer viewer)
{
  const PetscInt    dim = RungCellGet(mesh->data.type)->dim;
  const RungPlaces *places;
  PetscInt          exterior;

  PetscFunctionBegin;
  if (mesh->data.type == RUNG_POINT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &places));
  PetscCallMPI(MPI_Allreduce(&places->count, &exterior, 1, MPIU_INT, MPI_SUM, mesh->comm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  boundary  %" PetscInt_FMT " facets\n", exterior));
  for (PetscInt p = 0; p < mesh->parts.n; ++p) {
    const RungPart *part = &mesh->parts.part[p];

    if (mesh->source == RUNG_SOURCE_BOX && part->dim < dim - 1) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  part      %s (%" PetscInt_FMT "): %" PetscInt_FMT " %s", part->name,
                                     part->number, part->total, RungEntityName(dim, part->dim, PETSC_TRUE)));
    if (part->interior) PetscCall(PetscViewerASCIIPrintf(viewer, ", %" PetscInt_FMT " interior", part->interior));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  if (mesh->source == RUNG_SOURCE_BOX) PetscCall(view_ridges(mesh, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_ranks(RungMesh mesh, PetscViewer viewer)
{
  const RungMeshData *data = &mesh->data;
  PetscInt    mine[3] = {data->cells, data->entities[0], data->owned[0]}, *all, most = 0, rows = 0, vertices = 0;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(PetscMalloc1(3 * size, &all));
  PetscCallMPI(MPI_Allgather(mine, 3, MPIU_INT, all, 3, MPIU_INT, mesh->comm));
  for (PetscMPIInt r = 0; r < size; ++r) {
    most = PetscMax(most, all[3 * r]);
    rows = PetscMax(rows, all[3 * r + 2]);
    vertices += all[3 * r + 2];
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  ranks     %d", size));
  if (size > 1 && mesh->source != RUNG_SOURCE_POINTS)
    PetscCall(PetscViewerASCIIPrintf(viewer, " by %s", mesh->partitioner));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, ", balance %.3f of cells, %.3f of owned vertices (most over mean), edge cut %" PetscInt_FMT " facets\n",
    (double)most * size / (double)data->cells_global, (double)rows * size / (double)vertices, mesh->edge_cut));
  for (PetscMPIInt r = 0; r < size && size > 1; ++r) {
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "  rank %-4d %" PetscInt_FMT " cells, %" PetscInt_FMT " vertices (%" PetscInt_FMT " owned)\n", r,
      all[3 * r], all[3 * r + 1], all[3 * r + 2]));
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshView(RungMesh mesh, PetscViewer viewer)
{
  PetscBool ascii;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshSetUp(mesh));
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(mesh->comm, &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCheck(ascii, mesh->comm, PETSC_ERR_SUP,
             "a mesh is viewed as text only; use -mesh_view or -mesh_view ascii:FILE");
  PetscCall(PetscViewerASCIIPrintf(viewer, "mesh\n"));
  PetscCall(view_source(mesh, viewer));
  PetscCall(view_bounds(mesh, viewer));
  PetscCall(view_quality(mesh, viewer));
  PetscCall(view_parts(mesh, viewer));
  PetscCall(view_ranks(mesh, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
