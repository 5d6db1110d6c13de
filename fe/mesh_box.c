/* mesh_box.c - boxes cut into equal cells, with named sides.

   Every little box is cut the same way.  Simplices are those of Kuhn and Freudenthal: one for each order (a, b, c) of
   the axes, with the corners 0, e_a, e_a + e_b, e_a + e_b + e_c; equal cuts meet on all faces, so the mesh conforms. */
#include "fe_impl.h"

/* Corner bits (x + 2 y + 4 z) of the simplices, all positively oriented. */
static const PetscInt triangles[2][3]  = {{0, 1, 3}, {0, 3, 2}};
static const PetscInt tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                          {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
static const PetscInt corners[8]       = {0, 1, 2, 3, 4, 5, 6, 7};

/* How one little box is cut: n cells with the corners corner[cell][vertex]. */
static PetscInt cells_of_a_box(RungCellType type, const PetscInt **corner)
{
  switch (type) {
  case RUNG_TRIANGLE: *corner = triangles[0]; return 2;
  case RUNG_TETRAHEDRON: *corner = tetrahedra[0]; return 6;
  default: *corner = corners; return 1;
  }
}

static PetscErrorCode make_nodes(RungMesh mesh, RungPiece *whole)
{
  const PetscInt dim     = whole->dim;
  PetscInt       last[3] = {0, 0, 0}, n = 0;

  PetscFunctionBegin;
  whole->nodes = 1;
  for (PetscInt a = 0; a < dim; ++a) {
    last[a] = mesh->box_count[a] - (mesh->periodic[a] ? 1 : 0);
    whole->nodes *= last[a] + 1;
  }
  PetscCall(PetscMalloc1(whole->nodes * dim, &whole->x));
  for (PetscInt k = 0; k <= last[2]; ++k) {
    for (PetscInt j = 0; j <= last[1]; ++j) {
      for (PetscInt i = 0; i <= last[0]; ++i, ++n) {
        const PetscInt at[3] = {i, j, k};

        for (PetscInt a = 0; a < dim; ++a) {
          whole->x[n * dim + a] = mesh->box_lower[a] +
                                  mesh->box_size[a] * (PetscReal)at[a] / (PetscReal)mesh->box_count[a];
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks the facets of cell c, corners in the little box `at`, that lie on a side of the big box.  part[2 a + s] is the part
   of side s of axis a, as for the facets of box cells. */
static void mark_sides(RungMesh mesh, RungPiece *whole, PetscInt c, const PetscInt at[], const PetscInt corner[],
                       const PetscInt part[])
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  m    = RungCellGet(cell->facet_type)->vertices;

  for (PetscInt f = 0; f < cell->facets; ++f) {
    for (PetscInt side = 0; side < 2 * whole->dim; ++side) {
      const PetscInt a = side / 2, s = side % 2;
      PetscBool      on = !mesh->periodic[a] && (s ? at[a] == mesh->box_count[a] - 1 : at[a] == 0) ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;

      for (PetscInt i = 0; i < m && on; ++i) on = (corner[cell->facet[f][i]] >> a & 1) == s ? PETSC_TRUE : PETSC_FALSE;
      if (on) {
        PetscInt *mark = whole->mark + 3 * whole->marks++;

        mark[0] = part[side], mark[1] = c, mark[2] = f;
      }
    }
  }
}

/* A vertex of a cell, at corner `bits` of a little box; beyond the end of a periodic axis it is that of the beginning. */
static void set_vertex(RungMesh mesh, RungPiece *whole, PetscInt i, const PetscInt step[], const PetscInt at[],
                       PetscInt bits)
{
  whole->cell_node[i] = 0;
  for (PetscInt a = 0; a < whole->dim; ++a) {
    const PetscInt count = mesh->box_count[a], place = at[a] + (bits >> a & 1);

    whole->cell_node[i] += (mesh->periodic[a] ? place % count : place) * step[a];
    if (whole->degree)
      whole->shape[i * whole->dim + a] = mesh->box_lower[a] + mesh->box_size[a] * (PetscReal)place / (PetscReal)count;
  }
}

static PetscErrorCode make_cells(RungMesh mesh, RungPiece *whole, const PetscInt part[])
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt *corner, dim = whole->dim, per_box = cells_of_a_box(whole->type, &corner);
  PetscInt        count[3] = {1, 1, 1}, step[3] = {1, 1, 1}, c = 0, surface = 0;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < dim; ++a) count[a] = mesh->box_count[a];
  for (PetscInt a = 1; a < 3; ++a) step[a] = step[a - 1] * (count[a - 1] + (mesh->periodic[a - 1] ? 0 : 1));
  for (PetscInt a = 0; a < dim; ++a) surface += 2 * per_box * (count[0] * count[1] * count[2] / count[a]);
  whole->cells = count[0] * count[1] * count[2] * per_box;
  PetscCall(PetscMalloc1(whole->cells * cell->vertices, &whole->cell_node));
  PetscCall(PetscMalloc1(whole->cells, &whole->cell_id));
  if (whole->degree) PetscCall(PetscMalloc1(whole->cells * cell->vertices * dim, &whole->shape));
  PetscCall(PetscMalloc1(3 * surface, &whole->mark));
  for (PetscInt box = 0; box < count[0] * count[1] * count[2]; ++box) {
    const PetscInt at[3] = {box % count[0], box / count[0] % count[1], box / (count[0] * count[1])};

    for (PetscInt k = 0; k < per_box; ++k, ++c) {
      const PetscInt *bits = corner + k * cell->vertices;

      whole->cell_id[c] = c;
      for (PetscInt v = 0; v < cell->vertices; ++v) set_vertex(mesh, whole, c * cell->vertices + v, step, at, bits[v]);
      mark_sides(mesh, whole, c, at, bits, part);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMakeBox(RungMesh mesh, RungPiece *whole, RungFinding *finding)
{
  static const char *const name[6] = {"left", "right", "bottom", "top", "back", "front"};
  double                   numbers = 24; /* the largest table has 24 numbers for a little box of six tetrahedra: x 3 */
  PetscInt                 side_part[6];

  PetscFunctionBegin;
  whole->type = mesh->box_type;
  whole->dim  = RungCellGet(whole->type)->dim;
  for (PetscInt a = 0; a < whole->dim; ++a) numbers *= 1. + (double)mesh->box_count[a];
  if (3 * numbers > (double)PETSC_MAX_INT) {
    RungFound(finding, "a box mesh of about %g cells is more than this PETSc can number with %d bits; ask for fewer",
              numbers / 24, (int)(8 * sizeof(PetscInt)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt a = 0; a < whole->dim; ++a) {
    if (mesh->periodic[a]) whole->degree = 1, whole->glued = PETSC_TRUE;
    for (int s = 0; s < 2 && !mesh->periodic[a]; ++s) {
      PetscInt part;

      PetscCall(RungPartsAdd(&mesh->parts, name[2 * a + s], 2 * a + s + 1, PETSC_TRUE, &part));
      side_part[2 * a + s] = part;
    }
  }
  PetscCall(make_nodes(mesh, whole));
  PetscCall(make_cells(mesh, whole, side_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
