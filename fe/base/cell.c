/* cell.c - the reference cells: corners, edges, facets, outward normals (drawings in rungfe.h).

   Edges of the triangle and the quadrilateral come in facet order; those of the tetrahedron lexicographically by their
   ends; those of the hexahedron by axis, then by their lower end. */
#include "base_impl.h"

#define SQRT2 1.41421356237309504880168872420969808
#define SQRT3 1.73205080756887729352744634150587237

static const RungCell cells[RUNG_CELL_TYPES] = {
  [RUNG_POINT] = {.name = "point", .dim = 0, .simplex = PETSC_TRUE, .vertices = 1, .facet_type = RUNG_POINT, .size = 1},
  [RUNG_INTERVAL] =
    {
      .name       = "interval",
      .dim        = 1,
      .simplex    = PETSC_TRUE,
      .vertices   = 2,
      .x          = {{0}, {1}},
      .facets     = 2,
      .facet_type = RUNG_POINT,
      .facet      = {{1}, {0}},
      .normal     = {{1}, {-1}},
      .facet_size = {1, 1},
      .size       = 1,
    },
  [RUNG_TRIANGLE] =
    {
      .name       = "triangle",
      .dim        = 2,
      .simplex    = PETSC_TRUE,
      .vertices   = 3,
      .x          = {{0, 0}, {1, 0}, {0, 1}},
      .edges      = 3,
      .edge       = {{1, 2}, {0, 2}, {0, 1}},
      .facets     = 3,
      .facet_type = RUNG_INTERVAL,
      .facet      = {{1, 2}, {0, 2}, {0, 1}},
      .normal     = {{1 / SQRT2, 1 / SQRT2}, {-1, 0}, {0, -1}},
      .facet_size = {SQRT2, 1, 1},
      .size       = 0.5,
    },
  [RUNG_QUADRILATERAL] =
    {
      .name       = "quadrilateral",
      .dim        = 2,
      .simplex    = PETSC_FALSE,
      .vertices   = 4,
      .x          = {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
      .edges      = 4,
      .edge       = {{0, 2}, {1, 3}, {0, 1}, {2, 3}},
      .facets     = 4,
      .facet_type = RUNG_INTERVAL,
      .facet      = {{0, 2}, {1, 3}, {0, 1}, {2, 3}},
      .normal     = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}},
      .facet_size = {1, 1, 1, 1},
      .size       = 1,
    },
  [RUNG_TETRAHEDRON] =
    {
      .name       = "tetrahedron",
      .dim        = 3,
      .simplex    = PETSC_TRUE,
      .vertices   = 4,
      .x          = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      .edges      = 6,
      .edge       = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
      .facets     = 4,
      .facet_type = RUNG_TRIANGLE,
      .facet      = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}},
      .normal     = {{1 / SQRT3, 1 / SQRT3, 1 / SQRT3}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
      .facet_size = {SQRT3, 1, 1, 1},
      .size       = 1. / 6,
    },
  [RUNG_HEXAHEDRON] =
    {
      .name       = "hexahedron",
      .dim        = 3,
      .simplex    = PETSC_FALSE,
      .vertices   = 8,
      .x          = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
      .edges      = 12,
      .edge       = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
      .facets     = 6,
      .facet_type = RUNG_QUADRILATERAL,
      .facet      = {{0, 2, 4, 6}, {1, 3, 5, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}},
      .normal     = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}},
      .facet_size = {1, 1, 1, 1, 1, 1},
      .size       = 1,
    },
};

const RungCell *RungCellGet(RungCellType type)
{
  return &cells[type];
}

PetscErrorCode RungCellFind(MPI_Comm comm, const char name[], RungCellType *type)
{
  const char *list[RUNG_CELL_TYPES], *nearest;

  PetscFunctionBegin;
  PetscCheck(name, comm, PETSC_ERR_ARG_NULL, "a cell without a name; wanted one like \"triangle\"");
  for (PetscInt i = 0; i < RUNG_CELL_TYPES; ++i) {
    list[i] = cells[i].name;
    if (!strcmp(name, list[i])) {
      *type = (RungCellType)i;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(RungSuggest(name, RUNG_CELL_TYPES, list, &nearest));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
          "cell type \"%s\" does not exist; wanted point, interval, triangle, quadrilateral, tetrahedron or "
          "hexahedron%s%s%s",
          name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}
