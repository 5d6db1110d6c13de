/* mesh_dm_data.c - the DMPlex of a mesh: places of its points, and parts as labels. */
#include "mesh_dm_impl.h"
#include <petscsf.h>

/* ---- places ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode set_vertices(RungMesh mesh, DM dm)
{
  const RungMeshData *data  = &mesh->data;
  const RungCell     *cell  = RungCellGet(data->type);
  const PetscInt      width = data->dim;
  PetscReal          *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->entities[0] * width, &x));
  for (PetscInt c = 0; c < data->cells; ++c) {
    for (PetscInt v = 0; v < cell->vertices; ++v) {
      const PetscInt vertex = cell->dim ? data->cell_entity[0][c * cell->vertices + v] : c;

      PetscCall(
        PetscArraycpy(x + vertex * width, data->x + data->cell_node[c * data->nodes_per_cell + v] * width, width));
    }
  }
  PetscCall(DMPlexBuildCoordinatesFromCellList(dm, width, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the places of a periodic vertex all ranks take the one that its owner has. */
static PetscErrorCode share_vertices(DM dm)
{
  DM  vertices;
  Vec all, here;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDM(dm, &vertices));
  PetscCall(DMGetCoordinates(dm, &all));
  PetscCall(DMGetCoordinatesLocal(dm, &here));
  PetscCall(DMGlobalToLocal(vertices, all, INSERT_VALUES, here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many numbers at each cell, none elsewhere. */
static PetscErrorCode cell_section(RungMesh mesh, PetscInt size, PetscSection *section)
{
  PetscFunctionBegin;
  PetscCall(PetscSectionCreate(mesh->comm, section));
  PetscCall(PetscSectionSetNumFields(*section, 1));
  PetscCall(PetscSectionSetFieldComponents(*section, 0, mesh->data.dim));
  PetscCall(PetscSectionSetChart(*section, 0, mesh->data.cells));
  for (PetscInt c = 0; c < mesh->data.cells; ++c) {
    PetscCall(PetscSectionSetDof(*section, c, size));
    PetscCall(PetscSectionSetFieldDof(*section, c, 0, size));
  }
  PetscCall(PetscSectionSetUp(*section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex of a periodic mesh has several places: each cell keeps its own. */
static PetscErrorCode set_cells(RungMesh mesh, DM dm)
{
  const RungMeshData *data = &mesh->data;
  const PetscInt      n = RungCellGet(data->type)->vertices, size = n * data->dim;
  const PetscInt     *order = RungDMVertices(data->type);
  DM                  vertices, cells;
  PetscSection        section;
  PetscScalar        *to;
  Vec                 x;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDM(dm, &vertices));
  PetscCall(DMClone(vertices, &cells));
  PetscCall(DMSetCellCoordinateDM(dm, cells));
  PetscCall(DMDestroy(&cells));
  PetscCall(cell_section(mesh, size, &section));
  PetscCall(DMSetCellCoordinateSection(dm, data->dim, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, data->cells * size, &x));
  PetscCall(VecSetBlockSize(x, data->dim));
  PetscCall(PetscObjectSetName((PetscObject)x, "cellcoordinates"));
  PetscCall(VecGetArrayWrite(x, &to));
  for (PetscInt c = 0; c < data->cells; ++c) {
    for (PetscInt v = 0; v < n; ++v) {
      const PetscReal *from = data->x + data->cell_node[c * data->nodes_per_cell + order[v]] * data->dim;

      for (PetscInt a = 0; a < data->dim; ++a) to[c * size + v * data->dim + a] = from[a];
    }
  }
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(DMSetCellCoordinatesLocal(dm, x));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The map of curved cell c in the middle of the vertices corner[m]. */
static PetscErrorCode middle(const RungMeshData *data, PetscInt c, PetscInt m, const PetscInt corner[], PetscReal x[3])
{
  const RungCell *cell  = RungCellGet(data->type);
  PetscReal       at[3] = {0, 0, 0}, table[64];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt a = 0; a < cell->dim; ++a) at[a] += cell->x[corner[i]][a] / (PetscReal)m;
  }
  PetscCall(RungCellTabulate(data->type, data->geometry_degree, 1, at, 0, table));
  for (PetscInt a = 0; a < data->dim; ++a) x[a] = 0;
  for (PetscInt i = 0; i < data->nodes_per_cell; ++i) {
    const PetscReal *node = data->x + data->cell_node[c * data->nodes_per_cell + i] * data->dim;

    for (PetscInt a = 0; a < data->dim; ++a) x[a] += table[i] * node[a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The node in the middle of every entity of dimension d that has one: edges; faces and cells of boxes. */
static PetscErrorCode set_middles(RungMesh mesh, PetscInt d, PetscSection section, PetscScalar to[])
{
  const RungMeshData *data = &mesh->data;
  const PetscInt     *corner;
  PetscInt            n, m, stride;

  PetscFunctionBegin;
  PetscCall(RungCellEntities(RungCellGet(data->type), d, &n, &m, &corner, &stride));
  for (PetscInt i = 0; i < data->cells * n; ++i) {
    const PetscInt c = i / n, point = RungDMPoint(data, d, data->cell_entity[d][i]);
    PetscInt       dofs, offset;
    PetscReal      x[3];

    PetscCall(PetscSectionGetDof(section, point, &dofs));
    if (!dofs) continue;
    PetscCall(PetscSectionGetOffset(section, point, &offset));
    PetscCall(middle(data, c, m, corner + i % n * stride, x));
    for (PetscInt a = 0; a < data->dim; ++a) to[offset + a] = x[a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of degree 2. */
static PetscErrorCode bend(RungMesh mesh, DM dm)
{
  const RungMeshData *data = &mesh->data;
  const RungCell     *cell = RungCellGet(data->type);
  PetscFE             fe;
  PetscSection        section;
  PetscScalar        *to;
  Vec                 x;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, cell->dim, data->dim, cell->simplex, data->geometry_degree,
                                  PETSC_DETERMINE, &fe));
  PetscCall(RungDMProjectCoordinates(dm, fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt d = 1; d <= cell->dim; ++d) PetscCall(set_middles(mesh, d, section, to));
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(DMSetCoordinatesLocal(dm, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDMSetCoordinates(RungMesh mesh, DM dm)
{
  PetscFunctionBegin;
  PetscCall(set_vertices(mesh, dm));
  if (mesh->glued) {
    PetscCall(share_vertices(dm));
    PetscCall(set_cells(mesh, dm));
  }
  if (mesh->data.geometry_degree > 1) PetscCall(bend(mesh, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

/* A rank knows a part's members from its own cells: the others hear of those that they share. */
static PetscErrorCode share(DM dm, PetscInt points, PetscInt mark[])
{
  PetscInt   *sent;
  PetscMPIInt ranks;
  PetscSF     sf;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscMalloc1(points, &sent));
  PetscCall(PetscArraycpy(sent, mark, points));
  PetscCall(PetscSFReduceBegin(sf, MPIU_INT, sent, mark, MPI_MAX));
  PetscCall(PetscSFReduceEnd(sf, MPIU_INT, sent, mark, MPI_MAX));
  PetscCall(PetscArraycpy(sent, mark, points));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, sent, mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, sent, mark, MPI_REPLACE));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The marked points have the value, beside others that they may have. */
static PetscErrorCode add_label(DM dm, const char name[], PetscInt value, PetscInt points, const PetscInt mark[])
{
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, name));
  PetscCall(DMGetLabel(dm, name, &label));
  for (PetscInt p = 0; p < points; ++p) {
    if (mark[p]) PetscCall(DMLabelSetValue(label, p, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void mark_part(const RungMeshData *data, const RungPart *part, PetscInt mark[])
{
  const RungCell *cell   = RungCellGet(data->type);
  const PetscInt  each[] = {cell->vertices, cell->dim == 2 ? cell->facets : cell->edges, cell->facets, 1};

  for (PetscInt i = 0; i < part->count; ++i) {
    const PetscInt c = part->cell[i], d = part->dim;
    PetscInt       k = part->entity ? part->entity[i] : 0;

    if (d == cell->dim)
      mark[RungDMPoint(data, d, c)] = 1;
    else {
      if (!d && cell->dim == 1) k = cell->facet[k][0]; /* in one dimension facet i is opposite to vertex i */
      mark[RungDMPoint(data, d, data->cell_entity[d][c * each[d] + k])] = 1;
    }
  }
}

static void mark_boundary(RungMesh mesh, PetscInt mark[])
{
  const RungMeshData *data = &mesh->data;
  const RungCell     *cell = RungCellGet(data->type);
  const PetscInt      d    = cell->dim - 1;

  for (PetscInt c = 0; c < data->cells; ++c) {
    for (PetscInt f = 0; f < cell->facets; ++f) {
      if (mesh->exterior[c] >> f & 1)
        mark[RungDMPoint(data, d, data->cell_entity[d][c * cell->facets + (d ? f : cell->facet[f][0])])] = 1;
    }
  }
}

/* What PETSc's readers of mesh files call the groups of dimension d. */
static const char *sets_name(PetscInt dim, PetscInt d)
{
  return d == dim ? "Cell Sets" : d == dim - 1 ? "Face Sets" : d ? "Edge Sets" : "Vertex Sets";
}

PetscErrorCode RungDMSetLabels(RungMesh mesh, DM dm)
{
  const PetscInt dim = RungCellGet(mesh->data.type)->dim;
  PetscInt       first, points, *mark;
  PetscBool      taken;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(dm, &first, &points));
  PetscCall(PetscMalloc1(points, &mark));
  for (PetscInt k = 0; k < mesh->parts.n; ++k) {
    const RungPart *part = &mesh->parts.part[k];

    PetscCall(PetscArrayzero(mark, points));
    mark_part(&mesh->data, part, mark);
    PetscCall(share(dm, points, mark));
    PetscCall(add_label(dm, sets_name(dim, part->dim), part->number, points, mark));
    if (!strcmp(part->name, "depth") || !strcmp(part->name, "celltype")) continue; /* are PETSc's own */
    PetscCall(add_label(dm, part->name, part->number, points, mark));
  }
  PetscCall(DMHasLabel(dm, "boundary", &taken));
  if (dim && !taken) {
    PetscCall(PetscArrayzero(mark, points));
    mark_boundary(mesh, mark);
    PetscCall(share(dm, points, mark));
    PetscCall(add_label(dm, "boundary", 1, points, mark));
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}
