/* entities.c - vertices, edges, facets of a reference cell in one form, and the ways in which two cells see their facet. */
#include "base_impl.h"

PetscErrorCode RungCellEntities(const RungCell *cell, PetscInt d, PetscInt *n, PetscInt *m, const PetscInt **corner,
                                PetscInt *stride)
{
  static const PetscInt self[8] = {0, 1, 2, 3, 4, 5, 6, 7};

  PetscFunctionBegin;
  if (d == 0) {
    *n = cell->vertices, *m = 1, *corner = self, *stride = 1;
  } else if (d == cell->dim) {
    *n = 1, *m = cell->vertices, *corner = self, *stride = 8;
  } else if (d == cell->dim - 1) {
    *n = cell->facets, *m = RungCellGet(cell->facet_type)->vertices, *corner = cell->facet[0], *stride = 4;
  } else {
    *n = cell->edges, *m = 2, *corner = cell->edge[0], *stride = 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungFacetTurns(RungCellType facet)
{
  return facet == RUNG_QUADRILATERAL ? 8 : facet == RUNG_TRIANGLE ? 6 : facet == RUNG_INTERVAL ? 2 : 1;
}

const PetscInt *RungFacetTurn(RungCellType facet, PetscInt turn)
{
  static const PetscInt interval[2][2] = {{0, 1}, {1, 0}};
  static const PetscInt triangle[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  static const PetscInt square[8][4]   = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0},
                                          {0, 2, 1, 3}, {1, 3, 0, 2}, {2, 0, 3, 1}, {3, 1, 2, 0}};

  if (turn < 0 || turn >= RungFacetTurns(facet)) return NULL;
  return facet == RUNG_QUADRILATERAL ? square[turn] : facet == RUNG_TRIANGLE ? triangle[turn] : interval[turn];
}
