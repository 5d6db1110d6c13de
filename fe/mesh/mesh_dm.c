/* mesh_dm.c - a mesh as a DMPlex of PETSc, made when somebody asks for it; Rung itself reads none.

   Every entity of the mesh is a point, in the order of its local number: cells, then vertices, faces, edges.  Who owns an
   entity owns the point.  Ranks that share an edge or a face have to see it alike: its cone begins at the vertex of the
   lowest global number and goes on to the lower of that vertex's neighbours in it. */
#include "mesh_dm_impl.h"
#include <petscsf.h>

#define MOST_FACETS 6

const PetscInt *RungDMVertices(RungCellType type)
{
  static const PetscInt same[]   = {0, 1, 2, 3};
  static const PetscInt square[] = {0, 1, 3, 2};
  static const PetscInt tet[]    = {1, 0, 2, 3};
  static const PetscInt cube[]   = {0, 2, 3, 1, 4, 5, 7, 6};

  switch (type) {
  case RUNG_QUADRILATERAL: return square;
  case RUNG_TETRAHEDRON: return tet;
  case RUNG_HEXAHEDRON: return cube;
  default: return same;
  }
}

PetscInt RungDMPoint(const RungMeshData *data, PetscInt d, PetscInt e)
{
  const PetscInt dim = RungCellGet(data->type)->dim;

  if (d == dim) return e;
  if (d == 0) return data->cells + e;
  if (d == dim - 1) return data->cells + data->entities[0] + e;
  return data->cells + data->entities[0] + data->entities[dim - 1] + e;
}

static PetscInt count_points(const RungMeshData *data)
{
  PetscInt n = data->cells;

  for (PetscInt d = 0; d < RungCellGet(data->type)->dim; ++d) n += data->entities[d];
  return n;
}

/* ---- cones -------------------------------------------------------------------------------------------------------- */

/* The facets of a cell as Plex lists them (DMPlexCheckFaces() compares). */
typedef struct {
  PetscInt       n, m;                 /* facets, vertices of each                                              */
  DMPolytopeType type;                 /* of a facet                                                            */
  PetscInt       ring[MOST_FACETS][4]; /* [facet of Plex][i] vertices of Rung, around it                        */
  PetscInt       facet[MOST_FACETS];   /* [facet of Plex] facet of Rung                                         */
  PetscInt       edge[8][8];           /* [vertex][vertex] edge of Rung between two vertices of Rung, or -1     */
} Facets;

static PetscInt bits_of(PetscInt m, const PetscInt vertex[])
{
  PetscInt bits = 0;

  for (PetscInt i = 0; i < m; ++i) bits |= (PetscInt)1 << vertex[i];
  return bits;
}

static PetscErrorCode make_facets(const RungCell *cell, RungCellType type, Facets *f)
{
  static const PetscInt line[][4] = {{0}, {1}}, tri[][4] = {{0, 1}, {1, 2}, {2, 0}};
  static const PetscInt quad[][4] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  static const PetscInt tet[][4]  = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {2, 1, 3}};
  static const PetscInt hex[][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 3, 5, 4}, {2, 1, 7, 6}, {3, 2, 6, 5}, {0, 4, 7, 1}};
  static const PetscInt(*const list[RUNG_CELL_TYPES])[4] = {NULL, line, tri, quad, tet, hex};
  static const DMPolytopeType polytope[RUNG_CELL_TYPES]  = {DM_POLYTOPE_POINT,       DM_POLYTOPE_SEGMENT,
                                                            DM_POLYTOPE_TRIANGLE,    DM_POLYTOPE_QUADRILATERAL,
                                                            DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON};

  PetscFunctionBegin;
  f->n    = cell->facets;
  f->m    = RungCellGet(cell->facet_type)->vertices;
  f->type = polytope[cell->facet_type];
  for (PetscInt i = 0; i < f->n; ++i) {
    for (PetscInt k = 0; k < f->m; ++k) f->ring[i][k] = RungDMVertices(type)[list[type][i][k]];
    f->facet[i] = -1;
    for (PetscInt j = 0; j < f->n; ++j)
      if (bits_of(f->m, cell->facet[j]) == bits_of(f->m, f->ring[i])) f->facet[i] = j;
    PetscCheck(f->facet[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a facet of a %s is none of its DMPlex", cell->name);
  }
  for (PetscInt e = 0; e < cell->edges; ++e) {
    f->edge[cell->edge[e][0]][cell->edge[e][1]] = e;
    f->edge[cell->edge[e][1]][cell->edge[e][0]] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Out  place[i]  where the i-th vertex of the cone is in the ring of global numbers */
static void choose_cone(PetscInt m, const PetscInt global[], PetscInt place[])
{
  PetscInt first = 0, step = 1;

  for (PetscInt i = 1; i < m; ++i)
    if (global[i] < global[first]) first = i;
  if (global[(first + m - 1) % m] < global[(first + 1) % m]) step = m - 1;
  for (PetscInt i = 0; i < m; ++i) place[i] = (first + i * step) % m;
}

/* Cell c sees a facet, or a face sees an edge, as the ring of vertices v[m] of the cell.  Out cone[m] as vertices of the
   cell, and the orientation that takes the cone to the ring. */
static PetscErrorCode see(const RungMeshData *data, PetscInt c, DMPolytopeType type, PetscInt m, const PetscInt v[],
                          PetscInt cone[], PetscInt *orientation)
{
  const PetscInt  n      = RungCellGet(data->type)->vertices;
  const PetscInt *vertex = data->cell_entity[0] + c * n;
  PetscInt        global[4], place[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m; ++i) global[i] = data->global[0][vertex[v[i]]];
  choose_cone(m, global, place);
  for (PetscInt i = 0; i < m; ++i) cone[i] = v[place[i]];
  PetscCall(DMPolytopeGetVertexOrientation(type, cone, v, orientation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An edge of cell c between two of its vertices: cone[2] are points. */
static PetscErrorCode set_edge(const RungMeshData *data, DM dm, const Facets *f, PetscInt c, const PetscInt v[2],
                               PetscInt *point, PetscInt *orientation)
{
  const RungCell *cell = RungCellGet(data->type);
  PetscInt        cone[2];

  PetscFunctionBegin;
  PetscCall(see(data, c, DM_POLYTOPE_SEGMENT, 2, v, cone, orientation));
  for (int i = 0; i < 2; ++i) cone[i] = RungDMPoint(data, 0, data->cell_entity[0][c * cell->vertices + cone[i]]);
  *point = RungDMPoint(data, 1, data->cell_entity[1][c * cell->edges + f->edge[v[0]][v[1]]]);
  PetscCall(DMPlexSetCone(dm, *point, cone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_face(const RungMeshData *data, DM dm, const Facets *f, PetscInt c, PetscInt i,
                               PetscInt *point, PetscInt *orientation)
{
  PetscInt ring[4], edge[4], turn[4];

  PetscFunctionBegin;
  PetscCall(see(data, c, f->type, f->m, f->ring[i], ring, orientation));
  for (PetscInt k = 0; k < f->m; ++k)
    PetscCall(set_edge(data, dm, f, c, (PetscInt[]){ring[k], ring[(k + 1) % f->m]}, &edge[k], &turn[k]));
  *point = RungDMPoint(data, 2, data->cell_entity[2][c * f->n + f->facet[i]]);
  PetscCall(DMPlexSetCone(dm, *point, edge));
  PetscCall(DMPlexSetConeOrientation(dm, *point, turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_cell(const RungMeshData *data, DM dm, const Facets *f, PetscInt c)
{
  const RungCell *cell = RungCellGet(data->type);
  PetscInt        cone[MOST_FACETS], turn[MOST_FACETS] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->n; ++i) {
    if (cell->dim == 1)
      cone[i] = RungDMPoint(data, 0, data->cell_entity[0][2 * c + f->ring[i][0]]);
    else if (cell->dim == 2)
      PetscCall(set_edge(data, dm, f, c, f->ring[i], &cone[i], &turn[i]));
    else
      PetscCall(set_face(data, dm, f, c, i, &cone[i], &turn[i]));
  }
  PetscCall(DMPlexSetCone(dm, c, cone));
  PetscCall(DMPlexSetConeOrientation(dm, c, turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_cones(RungMesh mesh, DM dm)
{
  const RungMeshData *data = &mesh->data;
  const RungCell     *cell = RungCellGet(data->type);
  Facets              f;

  PetscFunctionBegin;
  PetscCall(make_facets(cell, data->type, &f));
  PetscCall(DMPlexSetChart(dm, 0, count_points(data)));
  for (PetscInt d = 1; d <= cell->dim; ++d) {
    const PetscInt size = d == cell->dim ? f.n : d == 1 ? 2 : f.m;

    for (PetscInt e = 0; e < data->entities[d]; ++e) PetscCall(DMPlexSetConeSize(dm, RungDMPoint(data, d, e), size));
  }
  PetscCall(DMSetUp(dm));
  for (PetscInt c = 0; c < data->cells && cell->dim; ++c) PetscCall(set_cell(data, dm, &f, c));
  PetscCall(DMPlexSymmetrize(dm));
  PetscCall(DMPlexStratify(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- owners ------------------------------------------------------------------------------------------------------- */

/* What a rank has to know of another to name its points; of dimension d: its entities, its first global number. */
typedef struct {
  PetscInt entities[4], start[4];
} Numbers;

/* Owned entities come first, in the order of their global numbers. */
static PetscErrorCode set_owners(RungMesh mesh, DM dm)
{
  const RungMeshData *data = &mesh->data;
  const PetscInt      dim  = RungCellGet(data->type)->dim;
  PetscInt            n    = 0, *leaf;
  PetscMPIInt         ranks;
  PetscSFNode        *root;
  PetscSF             sf;
  Numbers             mine = {{0}, {0}}, *all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &ranks));
  PetscCall(PetscArraycpy(mine.entities, data->entities, 4));
  PetscCall(PetscArraycpy(mine.start, data->start, 4));
  PetscCall(PetscMalloc1(ranks, &all));
  PetscCallMPI(MPI_Allgather(&mine, 8, MPIU_INT, all, 8, MPIU_INT, mesh->comm));
  for (PetscInt d = 0; d < dim; ++d) n += data->entities[d] - data->owned[d];
  PetscCall(PetscMalloc1(n, &leaf));
  PetscCall(PetscMalloc1(n, &root));
  n = 0;
  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt e = data->owned[d]; e < data->entities[d]; ++e, ++n) {
      const PetscMPIInt r     = data->owner[d][e];
      RungMeshData      there = {.type = data->type, .cells = all[r].entities[dim]};

      PetscCall(PetscArraycpy(there.entities, all[r].entities, 4));
      leaf[n] = RungDMPoint(data, d, e);
      root[n] = (PetscSFNode){.rank = r, .index = RungDMPoint(&there, d, data->global[d][e] - all[r].start[d])};
    }
  }
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFSetGraph(sf, count_points(data), n, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode make(RungMesh mesh, DM *dm)
{
  const RungMeshData *data = &mesh->data;

  PetscFunctionBegin;
  PetscCall(DMCreate(mesh->comm, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(PetscObjectSetName((PetscObject)*dm, "mesh"));
  PetscCall(DMSetDimension(*dm, RungCellGet(data->type)->dim));
  PetscCall(DMSetCoordinateDim(*dm, data->dim));
  PetscCall(set_cones(mesh, *dm));
  PetscCall(set_owners(mesh, *dm));
  PetscCall(RungDMSetCoordinates(mesh, *dm));
  PetscCall(RungDMSetLabels(mesh, *dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetDM(RungMesh mesh, DM *dm)
{
  PetscFunctionBegin;
  RungNeed(mesh);
  RungNeedArgument(dm);
  PetscCall(RungMeshSetUp(mesh));
  PetscCheck(
    !mesh->glued || mesh->data.geometry_degree <= 1, mesh->comm, PETSC_ERR_SUP,
    "a DMPlex of a mesh that is curved and periodic; wanted one of the two, PETSc keeps one kind of coordinates");
  if (!mesh->dm) {
    for (PetscInt d = 0; d <= RungCellGet(mesh->data.type)->dim; ++d) PetscCall(RungMeshNeedEntities(mesh, d));
    PetscCall(make(mesh, &mesh->dm));
    PetscCall(DMViewFromOptions(mesh->dm, NULL, "-dm_view"));
  }
  *dm = mesh->dm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
